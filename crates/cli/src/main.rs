//! The labrys, labrys-cc and labrys-c++ commands.
fn main() {}

//! Project chores: `cargo xtask {tidy,bless,bench}`.
fn main() {}

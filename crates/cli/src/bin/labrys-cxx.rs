//! The drop-in C++ compiler. Cargo calls it `labrys-cxx`, since `+` cannot be in the name of a
//! crate; it is installed as `labrys-c++` too.

use std::process::exit;

use labrys_cc::Language;

fn main() {
    exit(labrys_cc::main(
        std::env::args_os().skip(1).collect(),
        Language::Cxx,
    ));
}

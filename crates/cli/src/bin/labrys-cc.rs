//! The drop-in C compiler; called by a name that ends in `++`, the C++ compiler.

use std::path::PathBuf;
use std::process::exit;

use labrys_cc::Language;

fn main() {
    let mut words = std::env::args_os();
    let name = PathBuf::from(words.next().unwrap_or_default());
    exit(labrys_cc::main(
        words.collect(),
        Language::of_program(&name),
    ));
}

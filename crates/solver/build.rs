//! Builds the shim over Bitwuzla's C++ interface as a shared library of its own.
//!
//! The library is opened at run time (see `src/bitwuzla/ffi.rs`), so that no crate above this
//! one needs linker options, and a Bitwuzla that went missing is an error with a message.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// Where a usable Bitwuzla is: arguments for the compiler and for the linker.
struct Bitwuzla {
    compile: Vec<String>,
    link: Vec<String>,
}

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let source = manifest.join("shim/bitwuzla.cpp");
    let prefix = manifest.join("../../third_party/bitwuzla");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-changed={}", prefix.join("STAMP").display());
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");

    let Some(bitwuzla) = of_system().or_else(|| of_prefix(&prefix)) else {
        eprintln!("\nBitwuzla 0.9 was not found. Run scripts/deps, then build again.\n");
        exit(1);
    };
    let output =
        PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("liblabrys_bitwuzla.so");
    compile(&source, &output, &bitwuzla);
    println!("cargo:rustc-env=LABRYS_BITWUZLA_SHIM={}", output.display());
}

/// The Bitwuzla that `pkg-config` knows, if it is new enough.
fn of_system() -> Option<Bitwuzla> {
    let ask = |option: &str| {
        let answer = Command::new("pkg-config")
            .args([option, "bitwuzla >= 0.9"])
            .output()
            .ok()?;
        let text = String::from_utf8(answer.stdout).ok()?;
        answer
            .status
            .success()
            .then(|| text.split_whitespace().map(String::from).collect())
    };
    let compile = ask("--cflags")?;
    let mut link: Vec<String> = ask("--libs")?;
    let folders: Vec<_> = link
        .iter()
        .filter_map(|word| word.strip_prefix("-L"))
        .collect();
    link = [rpaths(folders), link].concat();
    Some(Bitwuzla { compile, link })
}

/// The Bitwuzla that `scripts/deps` laid down.
fn of_prefix(prefix: &Path) -> Option<Bitwuzla> {
    prefix.join("STAMP").exists().then_some(())?;
    let prefix = prefix.canonicalize().ok()?;
    let library = prefix.join("lib").display().to_string();
    Some(Bitwuzla {
        compile: vec![format!("-I{}", prefix.join("include").display())],
        link: [
            rpaths([library.as_str()]),
            vec![
                format!("-L{library}"),
                "-lbitwuzla".into(),
                "-lbitwuzla_python".into(),
            ],
        ]
        .concat(),
    })
}

fn rpaths<'a>(folders: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    folders
        .into_iter()
        .map(|folder| format!("-Wl,-rpath,{folder}"))
        .collect()
}

fn compile(source: &Path, output: &Path, bitwuzla: &Bitwuzla) {
    let mut command = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .pic(true)
        .opt_level(2)
        .debug(false)
        .cargo_output(false)
        .get_compiler()
        .to_command();
    command
        .args(["-shared", "-fvisibility=hidden", "-Wall", "-Wextra"])
        .args(&bitwuzla.compile)
        .arg(source)
        .arg("-o")
        .arg(output)
        .args(["-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed"])
        .args(&bitwuzla.link);
    match command.status() {
        Ok(status) if status.success() => {}
        _ => {
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
            let words = words.join(" ");
            eprintln!("\nThe C++ shim over Bitwuzla could not be built: {words}\n");
            exit(1);
        }
    }
}

//! Compiles the helpers, library models and harness functions that are linked into every instrumented program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Options of what is instrumented with the program: LLVM is not to touch it before, and
/// exceptions pass through it.
const MODELS: [&str; 5] = [
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-g0",
    "-fexceptions",
];

/// No second name for a function (complete and base constructors): each is a model.
const ONE_NAME: [&str; 2] = ["-Xclang", "-mno-constructor-aliases"];

fn main() {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-env-changed=LABRYS_CLANG");
    let clang = env::var("LABRYS_CLANG").unwrap_or_else(|_| "clang-19".into());
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    compile(
        &clang,
        Path::new("c/inline.c"),
        &out.join("inline.bc"),
        &["-O2"],
    );
    for name in ["foreign", "fuzz", "guards", "checks"] {
        let source = Path::new("c").join(name).with_extension("c");
        let object = out.join(name).with_extension("bc");
        compile(&clang, &source, &object, &MODELS);
    }
    compile(
        &clang,
        Path::new("c/models.c"),
        &out.join("models.bc"),
        &MODELS,
    );
    for standard in ["17", "20"] {
        let object = out.join(format!("streams{standard}.bc"));
        let standard = format!("-std=gnu++{standard}");
        let streams = ["--driver-mode=g++", &standard, ONE_NAME[0], ONE_NAME[1]];
        let flags: Vec<&str> = MODELS.into_iter().chain(streams).collect();
        compile(&clang, Path::new("c/streams.cc"), &object, &flags);
    }
}

fn compile(clang: &str, source: &Path, object: &Path, flags: &[&str]) {
    let result = Command::new(clang)
        .arg("-std=gnu11")
        .args(flags)
        .args(["-fPIE", "-ftls-model=local-exec", "-fno-stack-protector"])
        .args(["-fno-builtin", "-U_FORTIFY_SOURCE", "-emit-llvm", "-c"])
        .arg(source)
        .arg("-o")
        .arg(object)
        .output();
    let problem = match result {
        Ok(output) if output.status.success() => return,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => format!("{clang}: {error}; run scripts/deps to install clang-19"),
    };
    let _ = fs::remove_file(object);
    panic!("cannot compile {}: {problem}", source.display());
}

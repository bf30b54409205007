//! The programs of the corpus, compiled as they are when they are frozen.

use std::path::Path;
use std::process::Command;

use labrys_llvm::Module;
use labrys_lower::lower;
use labrys_program::{FunctionId, Program};
use labrys_semantics::{Limit, NativeCode};

use super::{Random, Start, agree};

/// The picture of a program; `None` if it needs more than a file.
fn picture(source: &Path) -> Option<Program> {
    let out = tempfile::Builder::new().suffix(".bc").tempfile().ok()?;
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/include");
    let mut clang = Command::new("clang-19");
    clang.args([
        "-w",
        "-c",
        "-emit-llvm",
        "-O2",
        "-Xclang",
        "-disable-llvm-passes",
    ]);
    clang
        .arg("-I")
        .arg(include)
        .arg("-o")
        .arg(out.path())
        .arg(source);
    let status = clang.stderr(std::process::Stdio::null()).status();
    if !status.expect("clang-19 starts").success() {
        return None;
    }
    let mut module = Module::read(out.path()).ok()?;
    let passes = "function(sroa,early-cse,instsimplify)";
    module.run_passes(passes).expect("freezing passes");
    Some(lower(&module))
}

#[test]
fn programs_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let (mut functions, mut steps) = (0, 0);
    let mut sources: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    sources.sort();
    for source in sources {
        let Some(program) = picture(&source) else {
            continue;
        };
        let mut code = NativeCode::eager();
        let mut random = Random::new(functions as u64);
        for (index, function) in program.functions.iter().enumerate() {
            let scalar = |one: &labrys_program::Parameter| one.ty.width().is_some();
            if !function.defined || !function.parameters.iter().all(scalar) {
                continue;
            }
            for seed in 0..4 {
                let start = Start {
                    program: &program,
                    entry: FunctionId::new(index),
                    seed,
                    limit: Limit {
                        steps: 30_000,
                        depth: 40,
                        interpreted: u64::MAX,
                    },
                };
                steps += agree(start, &mut code, &mut random).steps;
            }
        }
        functions += code.ready();
    }
    assert!(functions > 150 && steps > 100_000, "{functions} {steps}");
}

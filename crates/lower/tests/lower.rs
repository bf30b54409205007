//! Lowering, by example: each C or IR file in `tests/lower` is compiled, frozen and lowered; the
//! picture must pass the verifier, survive the text form and the serialized form, agree with the
//! numbering of sites, and be the one in the `.lir` file beside it (`UPDATE_EXPECT=1` writes it).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use labrys_llvm::Module;
use labrys_lower::sites::sites;
use labrys_lower::{is_harness, lower, lower_part};
use labrys_program::graph::{BranchDominators, ControlDependence, Distances};
use labrys_program::{BranchId, Program, SiteId};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower")
}

/// Compiles a source to frozen bitcode.
fn freeze(source: &Path) -> Module {
    let text = fs::read_to_string(source).expect("a readable source");
    let out = tempfile::Builder::new()
        .suffix(".bc")
        .tempfile()
        .expect("a temporary file");
    let mut clang = Command::new("clang-19");
    clang
        .current_dir(source.parent().expect("a folder"))
        .args(["-w", "-c", "-emit-llvm", "-o"])
        .arg(out.path());
    if source.extension().is_some_and(|extension| extension == "c") {
        clang.args(["-g", "-O2", "-Xclang", "-disable-llvm-passes", "-std=gnu11"]);
        clang.arg(format!("-ffile-prefix-map={}=/src", folder().display()));
        let flags = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("/* flags: "));
        clang.args(
            flags
                .unwrap_or_default()
                .trim_end_matches(" */")
                .split_whitespace(),
        );
    } else {
        clang.args(["-O2", "-Xclang", "-disable-llvm-passes"]);
    }
    let status = clang
        .arg(source.file_name().expect("a name"))
        .status()
        .expect("clang-19 starts");
    assert!(status.success(), "{} does not compile", source.display());
    let mut module = Module::read(out.path()).expect("bitcode");
    if source.extension().is_some_and(|extension| extension == "c") {
        module
            .run_passes("function(sroa,early-cse,instsimplify)")
            .expect("freezing passes");
    }
    module.verify().expect("a well-formed module");
    module
}

/// Checks what holds for every model of a module.
fn checked(module: &Module, program: Program) -> Program {
    if let Err(violations) = program.verify() {
        let lines: String = violations
            .iter()
            .map(|violation| format!("{violation}\n"))
            .collect();
        panic!("{lines}\n{program}");
    }
    let text = program.to_string();
    assert_eq!(text.parse::<Program>().expect("own text"), program);
    assert_eq!(
        Program::from_bytes(&program.to_bytes()).expect("own bytes"),
        program
    );
    for (index, decision) in sites(module).into_iter().enumerate() {
        let site = program.site(SiteId::new(index)).expect("as many sites");
        assert_eq!(
            (&site.kind, site.function, site.block, site.oracle),
            (
                &decision.kind,
                decision.function,
                decision.block,
                decision.oracle
            )
        );
    }
    program
}

#[test]
fn models_are_as_expected() {
    let count = compared(&folder(), lower);
    assert!(count >= 17, "only {count} examples");
}

#[test]
fn models_of_parts_are_as_expected() {
    assert!(compared(&folder().join("part"), lower_part) > 0);
}

/// Compares the models of all sources in a folder with what is expected; how many there are.
fn compared(folder: &Path, lower: fn(&Module) -> Program) -> usize {
    let mut count = 0;
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of examples") {
        let source = entry.expect("an entry").path();
        if source
            .extension()
            .is_none_or(|extension| extension != "c" && extension != "ll")
        {
            continue;
        }
        count += 1;
        let module = freeze(&source);
        let mut program = checked(&module, lower(&module));
        program.name = source
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = program.to_string();
        let expected = source.with_extension("lir");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&expected, text).expect("a writable folder");
        } else if fs::read_to_string(&expected).unwrap_or_default() != text {
            wrong.push(expected);
        }
    }
    assert!(
        wrong.is_empty(),
        "differ (UPDATE_EXPECT=1 accepts): {wrong:?}"
    );
    count
}

/// Lowers and analyzes the bitcode files named in `LABRYS_BITCODE`, and tells what they consist
/// of and how long each step takes.
#[test]
#[ignore = "needs bitcode files"]
fn bitcode_given_is_lowered() {
    let files = std::env::var("LABRYS_BITCODE").expect("file names");
    for file in files.split_whitespace() {
        let module = Module::read(Path::new(file)).expect("bitcode");
        let program = timed("lower", || lower(&module));
        assert_eq!(timed("verify", || program.verify()), Ok(()));
        let text = timed("print", || program.to_string());
        assert!(timed("parse", || text.parse::<Program>()).expect("own text") == program);
        let bytes = timed("encode", || program.to_bytes());
        assert!(timed("decode", || Program::from_bytes(&bytes)).expect("own bytes") == program);
        let branches = (0..program.branch_count() as u32).map(BranchId);
        let mut distances = timed("distances", || Distances::new(&program, branches.clone()));
        for share in [2, 4, 8, 16, 64] {
            let gone = branches.clone().filter(|branch| branch.0 % share != 0);
            timed("remove", || distances.remove(gone));
        }
        timed("branch dominators", || BranchDominators::new(&program));
        timed("control dependence", || {
            program.functions.iter().map(ControlDependence::new).count()
        });
        println!(
            "{file}: {} branches, {} bytes",
            program.branch_count(),
            bytes.len()
        );
        println!("{:?}", labrys_program::Census::of(&program));
    }
}

fn timed<T>(step: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!("{step}: {:?}", start.elapsed());
    result
}

#[test]
fn harnesses_are_known_by_the_functions_that_they_leave_undefined() {
    let texts = [
        (
            "void labrys_assume(int); int main(int c, char **v) { labrys_assume(c); return 0; }",
            true,
        ),
        (
            "int __VERIFIER_nondet_int(void); int main(void) { return __VERIFIER_nondet_int(); }",
            true,
        ),
        (
            "void klee_make_symbolic(void *, unsigned long, const char *);
          int main(void) { int x; klee_make_symbolic(&x, 4, \"x\"); return x; }",
            true,
        ),
        (
            "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return n > 3 && *d == 1; }",
            true,
        ),
        (
            "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return 0; }
          int main(void) { return LLVMFuzzerTestOneInput(0, 0); }",
            false,
        ),
        (
            "void labrys_assume(int c) {} int main(void) { labrys_assume(1); return 0; }",
            false,
        ),
        (
            "int printf(const char *, ...); int main(void) { return printf(\"x\"); }",
            false,
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    for (text, expected) in texts {
        fs::write(&source, text).expect("written");
        let found = is_harness(&freeze(&source)).expect("bitcode");
        assert_eq!(found, expected, "{text}");
    }
}

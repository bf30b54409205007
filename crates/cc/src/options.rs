//! The options of clang and what the drop-in compilers do with each: the one list.
//!
//! Labrys fixes the optimisation level, link-time optimisation, debug information and position
//! independence, because site ids and the shadow memory depend on them; options that would
//! change those are dropped. Options that cannot work together with the instrumentation are
//! refused, or dropped with a note. Everything that is not listed goes to clang as it is.

/// What becomes of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It goes to clang as it is.
    Keep,
    /// It is left out, since Labrys decides this itself.
    Drop,
    /// It is left out, with a message that says why.
    DropWithNote(&'static str),
    /// These go to clang instead.
    Replace(Vec<String>),
    /// The build stops with this message.
    Refuse(String),
}

/// Checks as conditional branches that lead to a trap: what no program means to do. Left out is
/// what the processor refuses anyway (null pointers) and what working programs do all the time
/// (addresses that are not aligned, `memcpy` of nothing to a null pointer).
pub(crate) const ORACLES: &[&str] = &[
    "-fsanitize=array-bounds,integer-divide-by-zero,shift-exponent,unreachable,return,vla-bound,builtin",
    TRAP,
];

/// Accesses by any type mean what they do, and loops may go on for ever.
pub(crate) const PLAIN_MEANING: &[&str] = &["-fno-strict-aliasing", "-fno-finite-loops"];

/// Overflow of signed numbers, which many programs rely on to wrap around.
pub(crate) const OVERFLOW: &[&str] = &["-fsanitize=signed-integer-overflow", TRAP];

/// Checks that cannot trap: a call of a function through a pointer of another type, and the
/// dynamic type of an object.
const UNTRAPPED: &str = "-fno-sanitize=function,vptr";
const TRAP: &str = "-fsanitize-trap=all";

const PROFILE: &str = "profiling of clang and gcov does not see what Labrys builds";

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-V",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-mthread-model",
    "-o",
    "-rpath",
    "-serialize-diagnostics",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-working-directory",
    "-x",
    "-z",
    "--assert",
    "--config",
    "--define-macro",
    "--for-assembler",
    "--for-linker",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--language",
    "--library-directory",
    "--output",
    "--param",
    "--prefix",
    "--serialize-diagnostics",
    "--std",
    "--sysroot",
    "--undefine-macro",
];

/// Whether the word after this one belongs to it.
pub(crate) fn takes_value(option: &str) -> bool {
    WITH_VALUE.contains(&option) || option.starts_with("-Xarch_")
}

/// Whether clang only answers a question, whatever else is on the command line.
pub(crate) fn asks(option: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "-###",
        "--help",
        "-help",
        "--help-hidden",
        "--version",
        "-dumpversion",
        "-dumpmachine",
        "-cc1",
        "-cc1as",
        "--target-help",
        "--print-supported-cpus",
        "--autocomplete",
    ];
    OPTIONS.contains(&option)
        || option.starts_with("-print-")
        || option.starts_with("--print-")
        || option.starts_with("-cc1")
}

/// Whether the compiler writes text or a side product instead of an object.
pub(crate) fn stops_before_object(option: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "-E",
        "-S",
        "-M",
        "-MM",
        "-fsyntax-only",
        "-emit-llvm",
        "-emit-ast",
        "-verify-pch",
        "--analyze",
        "--preprocess",
        "--assemble",
        "--dependencies",
        "--user-dependencies",
        "--precompile",
        "-rewrite-objc",
        "-module-file-info",
    ];
    OPTIONS.contains(&option)
}

/// The fate of one option (without the word after it).
pub(crate) fn action(option: &str) -> Action {
    match option {
        "-Ofast" => Action::Replace(vec!["-ffast-math".into()]),
        "-static" | "--static" | "-pie" | "-static-pie" => Action::Drop,
        "-m32" | "-mx32" | "-m16" => Action::Refuse(format!(
            "{option}: Labrys runs 64-bit programs only; leave the option out"
        )),
        "-no-pie" | "-nopie" | "--no-pie" => Action::Drop,
        "-fno-pie" | "-fno-PIE" | "-fno-pic" | "-fno-PIC" => Action::Drop,
        "-g0" | "-g1" | "-gmlt" | "-ggdb0" | "-ggdb1" => Action::Drop,
        "-gline-tables-only" | "-gline-directives-only" => Action::Drop,
        "-fwhole-program" | "-fuse-linker-plugin" | "-fno-use-linker-plugin" => Action::Drop,
        "-fwhole-program-vtables" | "-fsplit-lto-unit" | "-funified-lto" => Action::Drop,
        "-fno-lto" | "-fno-fat-lto-objects" | "-ffat-lto-objects" => Action::Drop,
        "-static-libsan" | "-shared-libsan" | "-static-libasan" => Action::Drop,
        "-pg" | "-p" | "--profile" => Action::DropWithNote(PROFILE),
        "--coverage" | "-coverage" | "-fprofile-arcs" | "-ftest-coverage"
        | "-fcoverage-mapping" => Action::DropWithNote(PROFILE),
        _ => action_by_prefix(option),
    }
}

fn action_by_prefix(option: &str) -> Action {
    let after = |prefix: &str| option.strip_prefix(prefix);
    if is_optimization_level(option)
        || after("-flto").is_some()
        || after("-fthinlto").is_some()
        || after("-gsplit-dwarf").is_some()
        || after("-fembed-bitcode").is_some()
        || after("-fsanitize-trap").is_some()
        || after("-fno-sanitize-trap").is_some()
        || after("-fsanitize-recover").is_some()
        || after("-fno-sanitize-recover").is_some()
        || after("-fsanitize-minimal-runtime").is_some()
    {
        return Action::Drop;
    }
    if after("-fprofile-").is_some() || after("-fcs-profile-").is_some() {
        let paths_only = ["-fprofile-prefix-map", "-fprofile-dir", "-fprofile-note"];
        return match paths_only.iter().any(|prefix| option.starts_with(prefix)) {
            true => Action::Drop,
            false => Action::DropWithNote(PROFILE),
        };
    }
    if after("-fsanitize-coverage").is_some() {
        return Action::DropWithNote("Labrys measures coverage itself");
    }
    if let Some(checks) = after("-fsanitize=") {
        return sanitizers(checks);
    }
    if let Some(triple) = after("--target=") {
        return target(triple);
    }
    Action::Keep
}

/// `-O`, `-O0` … `-O3`, `-Os`, `-Oz`, `-Og`, `--optimize…`; not `-ObjC`.
fn is_optimization_level(option: &str) -> bool {
    match option.strip_prefix("-O") {
        Some(level) => {
            matches!(level, "" | "s" | "z" | "g") || level.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => option == "--optimize" || option.starts_with("--optimize="),
    }
}

/// Labrys's shadow memory and runtime are written for one kind of machine.
pub(crate) fn target(triple: &str) -> Action {
    if triple.starts_with("x86_64") && triple.contains("linux") && !triple.ends_with("x32") {
        return Action::Keep;
    }
    Action::Refuse(format!(
        "target {triple}: Labrys runs x86_64 Linux programs only; leave the option out"
    ))
}

/// `-fsanitize=` with its comma-separated checks: those of undefined behaviour are kept (and
/// made to trap, see [`TRAP`]).
fn sanitizers(checks: &str) -> Action {
    let mut kept = Vec::new();
    for check in checks.split(',') {
        match check {
            // A program with LLVMFuzzerTestOneInput and no main gets one (see `harness`).
            "function" | "vptr" | "local-bounds" | "leak" | "fuzzer-no-link" | "fuzzer" => {}
            "address" | "hwaddress" | "thread" | "memory" | "dataflow" | "kernel-address"
            | "kernel-hwaddress" | "kernel-memory" | "memtag" | "type" => {
                return Action::Refuse(format!(
                    "-fsanitize={check} cannot share a process with the shadow memory of Labrys; \
                     leave it out"
                ));
            }
            "safe-stack" | "shadow-call-stack" | "kcfi" | "all" => {
                return Action::Refuse(format!(
                    "-fsanitize={check} is not supported; leave it out"
                ));
            }
            _ if check.starts_with("cfi") => {
                return Action::Refuse(format!(
                    "-fsanitize={check} is not supported; leave it out"
                ));
            }
            _ => kept.push(check),
        }
    }
    match kept.is_empty() {
        true => Action::Drop,
        false => Action::Replace(vec![
            format!("-fsanitize={}", kept.join(",")),
            UNTRAPPED.into(),
            TRAP.into(),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(option: &str) -> bool {
        matches!(action(option), Action::Refuse(_))
    }

    #[test]
    fn labrys_decides_optimization_and_position() {
        for option in [
            "-O",
            "-O0",
            "-O3",
            "-O99",
            "-Os",
            "-Oz",
            "-Og",
            "--optimize=2",
        ] {
            assert_eq!(action(option), Action::Drop, "{option}");
        }
        for option in [
            "-flto",
            "-flto=thin",
            "-fno-lto",
            "-no-pie",
            "-fno-PIE",
            "-g0",
        ] {
            assert_eq!(action(option), Action::Drop, "{option}");
        }
        for option in [
            "-ObjC",
            "-g",
            "-ggdb3",
            "-fPIC",
            "-Wall",
            "-ffoo",
            "-march=native",
        ] {
            assert_eq!(action(option), Action::Keep, "{option}");
        }
        assert_eq!(
            action("-Ofast"),
            Action::Replace(vec!["-ffast-math".into()])
        );
        assert_eq!(action("-static"), Action::Drop);
    }

    #[test]
    fn what_cannot_work_is_refused() {
        for option in ["-m32", "--target=aarch64-linux-gnu", "-fsanitize=address"] {
            assert!(refused(option), "{option}");
        }
        assert!(refused("-fsanitize=undefined,memory"));
        assert_eq!(action("--target=x86_64-pc-linux-gnu"), Action::Keep);
        assert_eq!(action("-fsanitize=fuzzer-no-link"), Action::Drop);
        assert_eq!(action("-fsanitize=fuzzer"), Action::Drop);
    }

    #[test]
    fn undefined_behaviour_checks_trap() {
        let expected = ["-fsanitize=null,shift", UNTRAPPED, TRAP];
        let expected = expected.map(String::from).to_vec();
        assert_eq!(
            action("-fsanitize=null,vptr,shift"),
            Action::Replace(expected)
        );
    }

    #[test]
    fn profiles_are_dropped_aloud() {
        for option in [
            "--coverage",
            "-pg",
            "-fprofile-instr-generate",
            "-fprofile-use=x",
        ] {
            assert!(
                matches!(action(option), Action::DropWithNote(_)),
                "{option}"
            );
        }
        assert_eq!(action("-fprofile-prefix-map=a=b"), Action::Drop);
    }
}

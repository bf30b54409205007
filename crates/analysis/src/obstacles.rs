//! Reasons against proofs: constructs after which nothing can be proved of a program, whatever an
//! analysis finds.

use labrys_program::{Global, Program};

/// Changes how the arithmetic of floats rounds, or whether it has numbers next to zero.
const ROUNDING: &[&str] = &[
    "fesetenv",
    "fesetmode",
    "fesetround",
    "feupdateenv",
    "llvm.reset.fpenv",
    "llvm.reset.fpmode",
    "llvm.set.fpenv",
    "llvm.set.fpmode",
    "llvm.set.rounding",
    "llvm.x86.sse.ldmxcsr",
];

/// Functions that make proofs impossible, with the reason.
const FUNCTIONS: &[(&[&str], &str)] = &[
    (
        &["_setjmp", "setjmp", "__sigsetjmp", "sigsetjmp"],
        "the program calls setjmp",
    ),
    (
        &["pthread_create", "thrd_create", "fork", "vfork"],
        "the program starts threads or processes",
    ),
    (&["fopencookie"], "the program has streams of its own"),
];

/// As [`FUNCTIONS`], told behind the globals.
const MORE_FUNCTIONS: &[(&[&str], &str)] = &[
    (ROUNDING, "the program changes how floats are rounded"),
    (&["dlsym"], "the program looks functions up by name"),
];

/// The reasons against proofs in a program, in words for the user.
pub(crate) fn obstacles(program: &Program, handlers_make_inputs: bool) -> Vec<String> {
    let has = |names: &[&str]| {
        let mut functions = program.functions.iter();
        functions.any(|function| names.contains(&function.name.as_str()))
    };
    let called = |list: &[(&[&str], &'static str)]| -> Vec<&'static str> {
        let present = list.iter().filter(|(names, _)| has(names));
        present.map(|(_, reason)| *reason).collect()
    };
    let mut obstacles = called(FUNCTIONS);
    if program.globals.iter().any(holds_counting_format) {
        obstacles.push("a format of the program has %n");
    }
    if program.globals.iter().any(is_section_bound) {
        obstacles.push("the program walks over its sections");
    }
    obstacles.extend(called(MORE_FUNCTIONS));
    if handlers_make_inputs {
        obstacles.push("a signal handler asks for input");
    }
    if has_constructors(program) {
        obstacles.push("code runs before main");
    }
    obstacles.into_iter().map(str::to_owned).collect()
}

/// Whether something runs before `main`, so that variables do not begin as written.
pub(crate) fn has_constructors(program: &Program) -> bool {
    program.global_named("llvm.global_ctors").is_some()
}

/// Whether characters may be classed otherwise than in the C locale.
pub(crate) fn sets_locale(program: &Program) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| ["setlocale", "uselocale"].contains(&function.name.as_str()))
}

/// Whether a constant holds text with a conversion that writes memory.
fn holds_counting_format(global: &Global) -> bool {
    let text = global.initializer.as_ref().filter(|_| global.constant);
    let bytes = text.map_or(&[][..], |text| &text.bytes);
    let conversion = |start: usize| {
        let rest = bytes[start + 1..].iter();
        let mut rest = rest.skip_while(|byte| b"0123456789$-+ #'.*hlLqjzt".contains(byte));
        rest.next() == Some(&b'n')
    };
    let mut starts = (0..bytes.len()).filter(|at| bytes[*at] == b'%');
    starts.any(conversion)
}

/// Whether the linker defines a global, as where a section begins or ends: the memory there belongs
/// to other globals.
fn is_section_bound(global: &Global) -> bool {
    let bounds = [
        "__bss_start",
        "__data_start",
        "__executable_start",
        "_edata",
        "_end",
        "data_start",
        "edata",
        "end",
    ];
    let name = &global.name[..];
    let section = name.starts_with("__start_") || name.starts_with("__stop_");
    global.initializer.is_none() && (section || bounds.contains(&name))
}

//! Reasons against proofs: constructs after which nothing can be proved of a program, whatever an
//! analysis finds.

use labrys_library::{Mark, named};
use labrys_program::{Function, Global, Linkage, Program};

/// Functions that make proofs impossible, with the reason.
const FUNCTIONS: &[(Mark, &str)] = &[
    (Mark::ReturnsTwice, "the program calls setjmp"),
    (Mark::Concurrent, "the program starts threads or processes"),
    (Mark::OwnStream, "the program has streams of its own"),
];

/// As [`FUNCTIONS`], told behind the globals.
const MORE_FUNCTIONS: &[(Mark, &str)] = &[
    (
        Mark::SetsRounding,
        "the program changes how floats are rounded",
    ),
    (Mark::LooksUp, "the program looks functions up by name"),
    (Mark::OwnFormats, "the program adds conversions to formats"),
];

/// Whether the program has a function whose name says this.
pub(crate) fn names_any(program: &Program, mark: Mark) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| named(&function.name, mark))
}

/// Whether the library calls a function of the program whenever it needs memory.
fn replaces_allocator(function: &Function) -> bool {
    let visible = function.defined && function.linkage != Linkage::Internal;
    visible && named(&function.name, Mark::Allocator)
}

/// The reasons against proofs in a program, in words for the user.
pub(crate) fn obstacles(program: &Program, handlers_make_inputs: bool) -> Vec<String> {
    let called = |list: &[(Mark, &'static str)]| -> Vec<&'static str> {
        let present = list.iter().filter(|(mark, _)| names_any(program, *mark));
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
    if program.functions.iter().any(replaces_allocator) {
        obstacles.push("the program replaces the library's allocator");
    }
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
    names_any(program, Mark::SetsLocale)
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

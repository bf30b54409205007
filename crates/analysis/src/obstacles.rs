//! Reasons against proofs: constructs after which nothing can be proved of a program, whatever an
//! analysis finds.

use labrys_library::{Mark, named};
use labrys_program::graph::CallGraph;
use labrys_program::{Caveat, Function, FunctionId, Global, Program, Started};

use crate::handlers::redirects;
use crate::hooks;
use crate::mappings::{Mapped, mapped};

/// Functions that make proofs impossible, with the reason.
const FUNCTIONS: &[(Mark, &str)] = &[
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
    (
        Mark::ChangesRights,
        "the program changes which memory may be written (mprotect)",
    ),
];

/// Whether the program has a function whose name says this.
pub(crate) fn names_any(program: &Program, mark: Mark) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| named(&function.name, mark))
}

/// The reasons against proofs in a program, in words for the user.
pub(crate) fn obstacles(
    program: &Program,
    calls: &CallGraph,
    handlers: &[FunctionId],
    handlers_make_inputs: bool,
) -> Vec<String> {
    let called = |list: &[(Mark, &'static str)]| -> Vec<&'static str> {
        let present = list.iter().filter(|(mark, _)| names_any(program, *mark));
        present.map(|(_, reason)| *reason).collect()
    };
    let mut obstacles = Vec::new();
    if returns_twice(program) {
        obstacles.push("control returns twice from a call (setjmp and its kin)");
    }
    obstacles.extend(called(FUNCTIONS));
    obstacles.extend(program.caveats.iter().map(|caveat| reason(*caveat)));
    if program.globals.iter().any(holds_counting_format) {
        obstacles.push("a format of the program has %n");
    }
    if program.globals.iter().any(names_memory) {
        obstacles.push("the program names its own memory as a file (/proc/self/mem)");
    }
    if program.globals.iter().any(is_section_bound) {
        obstacles.push("the program walks over its sections");
    }
    obstacles.extend(called(MORE_FUNCTIONS));
    if mapped(program) == Mapped::Shared || names_any(program, Mark::MapsShared) {
        obstacles.push("the program maps memory that others write, or twice (MAP_SHARED)");
    }
    if program.functions.iter().any(hooks::replaces_allocator) {
        obstacles.push("the program replaces the library's allocator");
    }
    if program.functions.iter().any(hooks::stands_for_operation) {
        obstacles.push("the program defines a function that compiled code calls for operations");
    }
    if program.functions.iter().any(hooks::traces_coverage) {
        obstacles.push(
            "the program has callbacks of -fsanitize-coverage, for which Labrys adds no calls",
        );
    }
    if redirects(program, calls, handlers) {
        obstacles.push("a signal handler may change where the program goes on");
    }
    if handlers_make_inputs {
        obstacles.push("a signal handler asks for input");
    }
    if has_constructors(program) {
        obstacles.push("code runs before main");
    }
    obstacles.into_iter().map(str::to_owned).collect()
}

/// Why nothing is proved of a program that holds this.
fn reason(caveat: Caveat) -> &'static str {
    match caveat {
        Caveat::FreeFloats => "the compiler may compute floats otherwise (-ffast-math)",
        Caveat::FusedFloats => "the compiler may fuse a product and a sum of floats (-mfma)",
        Caveat::FlushedFloats => "floats near zero become zero (crtfastmath.o)",
        Caveat::Assembly => "there is assembly outside of functions",
        Caveat::Control => "assembly may change control, or how floats are computed",
        Caveat::RenamedSymbols => "the linker gives names other meanings (--wrap, --defsym)",
        Caveat::ShortWide => "wide characters are not those of the C library (-fshort-wchar)",
    }
}

/// Whether control may return to a call a second time: a function does so that is declared to, or
/// is known to.
fn returns_twice(program: &Program) -> bool {
    let twice =
        |function: &Function| function.returns_twice || named(&function.name, Mark::ReturnsTwice);
    program.functions.iter().any(twice)
}

/// Whether something runs before `main`, so that variables do not begin as written.
pub(crate) fn has_constructors(program: &Program) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| function.started == Started::Before)
        || program.global_named("llvm.global_ctors").is_some()
}

/// Whether characters may be classed otherwise than in the C locale.
pub(crate) fn sets_locale(program: &Program) -> bool {
    names_any(program, Mark::SetsLocale)
}

/// Whether a constant holds the name of a file that is the memory of a process.
fn names_memory(global: &Global) -> bool {
    let text = global.initializer.as_ref().filter(|_| global.constant);
    let bytes = text.map_or(&[][..], |text| &text.bytes);
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    bytes.starts_with(b"/proc/") && bytes.ends_with(b"/mem")
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

//! Reasons against proofs: constructs after which nothing can be proved of a program, whatever an
//! analysis finds.
//!
//! A call that returns twice and a copy of the process only stand against proofs that follow whole
//! runs. What a function does by itself, and which numbers there are, stays as it is: no other code
//! runs between its instructions, or writes its memory.

use labrys_library::Mark;
use labrys_program::graph::CallGraph;
use labrys_program::{Caveat, FunctionId, Global, Program, Started};

use crate::characters;
use crate::handlers::redirects;
use crate::hooks;
use crate::mappings::{Mapped, mapped};
use crate::names::names_any;
use crate::second_returns::SecondReturns;

const RETURNS_TWICE: &str = "control returns twice from a call (setjmp and its kin)";
const CONCURRENT: &str = "the program starts threads or processes";

/// Functions that make proofs impossible, with the reason.
const FUNCTIONS: &[(Mark, &str)] = &[
    (Mark::Concurrent, CONCURRENT),
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

/// The reasons against proofs in a program, in words for the user.
#[derive(Debug)]
pub(crate) struct Obstacles {
    /// Against proofs by the paths that runs take.
    pub(crate) all: Vec<String>,
    /// Those against any other proof too.
    pub(crate) local: Vec<String>,
}

impl Obstacles {
    pub(crate) fn of(
        program: &Program,
        calls: &CallGraph,
        second_returns: &SecondReturns,
        handlers: &[FunctionId],
        handlers_make_inputs: bool,
    ) -> Self {
        let mut of_runs = Vec::new();
        let mut local = local(program, calls, handlers, handlers_make_inputs);
        if second_returns.are_possible() {
            let kind = match second_returns.are_hidden() {
                true => &mut local,
                false => &mut of_runs,
            };
            kind.insert(0, RETURNS_TWICE);
        }
        if names_any(program, Mark::Forks) && !local.contains(&CONCURRENT) {
            of_runs.push("the program starts processes");
        }
        let told = |reasons: &[&str]| reasons.iter().map(|one| (*one).to_owned()).collect();
        Obstacles {
            all: told(&[&of_runs[..], &local].concat()),
            local: told(&local),
        }
    }
}

/// The reasons against any proof.
fn local(
    program: &Program,
    calls: &CallGraph,
    handlers: &[FunctionId],
    handlers_make_inputs: bool,
) -> Vec<&'static str> {
    let called = |list: &[(Mark, &'static str)]| -> Vec<&'static str> {
        let present = list.iter().filter(|(mark, _)| names_any(program, *mark));
        present.map(|(_, reason)| *reason).collect()
    };
    let mut obstacles = called(FUNCTIONS);
    obstacles.extend(program.caveats.iter().filter_map(|caveat| reason(*caveat)));
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
    obstacles
}

/// Why nothing is proved of a program that holds this; `None` if that stands against no proof.
fn reason(caveat: Caveat) -> Option<&'static str> {
    Some(match caveat {
        Caveat::FreeFloats => "the compiler may compute floats otherwise (-ffast-math)",
        Caveat::FusedFloats => "the compiler may fuse a product and a sum of floats (-mfma)",
        Caveat::FlushedFloats => "floats near zero become zero (crtfastmath.o)",
        Caveat::Assembly => "there is assembly outside of functions",
        Caveat::Control => "assembly may change control, or how floats are computed",
        Caveat::RenamedSymbols => {
            "the linker gives names other meanings (--wrap, --defsym, scripts, --icf=all)"
        }
        Caveat::NativeThreads => "native code of the link, or a library, may start threads",
        Caveat::ShortWide => "wide characters are not those of the C library (-fshort-wchar)",
        Caveat::NativeLibrary => "native code of the link has functions of the C library's names",
        Caveat::NativeStart => "native code of the link runs before main",
        Caveat::NativeRounding => "native code of the link may change how floats are rounded",
        Caveat::NativeLocale | Caveat::NativeSignals => return None,
    })
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
        || program.caveats.contains(&Caveat::NativeLocale)
        || characters::may_be_replaced(program)
}

/// Whether a constant or a variable begins with texts of which one is the name of a file that is the
/// memory of a process.
fn names_memory(global: &Global) -> bool {
    let bytes = global.initializer.as_ref();
    let bytes = bytes.map_or(&[][..], |initializer| &initializer.bytes);
    let mut texts = bytes.split(|byte| *byte == 0);
    texts.any(|text| text.starts_with(b"/proc/") && text.ends_with(b"/mem"))
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

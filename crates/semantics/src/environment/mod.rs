//! A program closed with its surroundings (an environment model): standard input, the first file
//! that it opens, and its arguments are memory that the program reads, and the functions that read
//! them are functions of the picture, by the definitions that `library` has of them. So whoever
//! follows the IR follows reads of input.
//!
//! Laws: each run of the program is a run of the closed program, for some bytes and lengths of the
//! inputs. Functions, blocks, instructions, sites and globals of the program keep their numbers;
//! functions that are added have decisions without a site of the program.

mod merge;

use labrys_library::{ENVIRONMENT, Mark, function, named};
use labrys_program::{FunctionId, Program, Type};

use merge::Merge;

/// Where input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// The first file that is opened for reading.
    File,
    /// An argument; 0 is the program's name.
    Argument(u32),
}

/// What a global of a closed program holds that nothing writes before the program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputPart {
    /// The bytes of a source.
    Bytes(Source),
    /// Their number: 8 bytes.
    Length(Source),
    /// The number of arguments with the program's name, below 2^31: 4 bytes.
    Count,
}

/// Arguments whose bytes are named.
pub const ARGUMENTS: u32 = 8;

/// Names of what is added begin so.
const PREFIX: &str = "labrys.";
/// Where runs of a closed program begin.
const START: &str = "labrys.start";

impl InputPart {
    /// What the global of this name holds.
    #[must_use]
    pub fn of_global(name: &str) -> Option<Self> {
        let name = name.strip_prefix(PREFIX)?;
        Some(match name {
            "stdin.bytes" => InputPart::Bytes(Source::Stdin),
            "stdin.length" => InputPart::Length(Source::Stdin),
            "file.bytes" => InputPart::Bytes(Source::File),
            "file.length" => InputPart::Length(Source::File),
            "argument.count" => InputPart::Count,
            _ => {
                let number = name.strip_prefix("argument.")?.parse().ok()?;
                InputPart::Bytes(Source::Argument(number))
            }
        })
    }

    /// The name of the global that holds it.
    #[must_use]
    pub fn global(self) -> String {
        match self {
            InputPart::Bytes(Source::Stdin) => "labrys.stdin.bytes".to_owned(),
            InputPart::Length(Source::Stdin) => "labrys.stdin.length".to_owned(),
            InputPart::Bytes(Source::File) => "labrys.file.bytes".to_owned(),
            InputPart::Length(Source::File) => "labrys.file.length".to_owned(),
            InputPart::Bytes(Source::Argument(n)) | InputPart::Length(Source::Argument(n)) => {
                format!("labrys.argument.{n}")
            }
            InputPart::Count => "labrys.argument.count".to_owned(),
        }
    }
}

/// Whether a global is of the surroundings that a closed program has.
#[must_use]
pub fn is_surrounding(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Whether a global of a closed program says from where a source is read next.
#[must_use]
pub fn is_place(name: &str) -> bool {
    matches!(name, "labrys.stdin.place" | "labrys.file.place")
}

/// The name of the library's function that a function of a closed program stands for, as its
/// definition is called; the name itself of any other function.
#[must_use]
pub fn shown_name(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// The program whose runs begin in `main`, closed, and where its runs begin.
///
/// Functions that read input stay the library's where it `runs_program`, so that they may call
/// functions of the program, and where the program looks at, or gives, the memory of streams: the
/// definitions do not show that.
#[must_use]
pub fn closed(program: &Program, main: FunctionId, runs_program: bool) -> (Program, FunctionId) {
    let mut closed = program.clone();
    let hidden = [Mark::SeesBuffer, Mark::GivesBuffer, Mark::OwnStream];
    let names = |mark: &Mark| {
        let mut functions = program.functions.iter();
        functions.any(|function| named(&function.name, *mark))
    };
    if !runs_program && !hidden.iter().any(names) {
        read_inputs(&mut closed);
    }
    let start = with_arguments(&mut closed, main).unwrap_or(main);
    (closed, start)
}

/// Functions that read input become definitions.
fn read_inputs(program: &mut Program) {
    let library: Program = ENVIRONMENT.parse().expect("a test parses the definitions");
    let mut stands: Vec<(FunctionId, FunctionId)> = Vec::new();
    for (index, declared) in program.functions.iter().enumerate() {
        let row = function(&declared.name).filter(|_| !declared.defined);
        let Some(name) = row.and_then(labrys_library::Function::definition) else {
            continue;
        };
        let definition = library.function_named(&format!("{PREFIX}{name}"));
        let Some(definition) = definition else {
            continue;
        };
        let defined = &library.functions[definition.index()];
        let fits = defined.result == declared.result
            && defined.parameters == declared.parameters
            && defined.variadic == declared.variadic;
        if fits {
            stands.push((FunctionId::new(index), definition));
        }
    }
    if stands.is_empty() {
        return;
    }
    let own = program.functions.len();
    merge::fix_streams(program);
    let mut merge = Merge::new(program, &library);
    for (_, definition) in &stands {
        merge.take(*definition);
    }
    // What is read through it, whoever reads.
    if let Some(stdin) = library.global_named(merge::STANDARD_INPUT) {
        merge.global(stdin);
    }
    let known = merge.finish();
    let replaced = stands.iter().map(|(declared, definition)| {
        let taken = known[definition.index()].expect("it was taken");
        (*declared, taken)
    });
    merge::redirect(program, own, &replaced.collect::<Vec<_>>());
}

/// `main` is called with arguments that are input; `None` if its parameters are others.
fn with_arguments(program: &mut Program, main: FunctionId) -> Option<FunctionId> {
    let function = program.function(main)?;
    let types: Vec<Type> = function.parameters.iter().map(|one| one.ty).collect();
    let passed = match types[..] {
        [Type::Int(32), Type::Pointer] => 2,
        [Type::Int(32), Type::Pointer, Type::Pointer] => 3,
        _ => return None,
    };
    if function.result != Type::Int(32) || function.variadic {
        return None;
    }
    let library: Program = start_text(&function.name, passed)
        .parse()
        .expect("a test parses it");
    let start = library.function_named(START)?;
    let mut merge = Merge::new(program, &library);
    merge.take(start);
    merge.finish()[start.index()]
}

/// The function that calls `main` with so many arguments.
fn start_text(main: &str, passed: usize) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "global @labrys.argument.count external constant 4 align 4\n\
         global @labrys.arguments external 1099511627776 align 8\n",
    );
    let mut body = String::new();
    for index in 0..ARGUMENTS {
        let _ = writeln!(
            text,
            "global @labrys.argument.{index} external 1048576 align 1"
        );
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|step| 3 + 5 * index + step);
        let _ = write!(
            body,
            "  v{a}: i1 = icmp slt i32 {index}, v1\n  v{b}: i1 = icmp eq v1, i32 {index}\n  \
             v{c}: ptr = freeze undef ptr\n  v{d}: ptr = select v{b}, null, v{c}\n  \
             v{e}: ptr = select v{a}, @labrys.argument.{index}, v{d}\n  \
             store 8, offset(@labrys.arguments, {}), v{e}\n",
            8 * index
        );
    }
    let last = 3 + 5 * ARGUMENTS;
    let parameters = ["i32 v0", "ptr v1", "ptr v2"][..passed].join(", ");
    let arguments = ["v1", "@labrys.arguments", "v2"][..passed].join(", ");
    let _ = write!(
        text,
        "declare i32 @\"{main}\"({parameters}) external\n\
         define i32 @{START}() internal {{\nb0:\n  v0: i32 = load 4, @labrys.argument.count\n  \
         v1: i32 = and v0, i32 2147483647\n  v2: ptr = freeze undef ptr\n{body}  \
         v{last}: i32 = call @\"{main}\"({arguments})\n  ret v{last}\n}}\n"
    );
    text.replace("offset(@labrys.arguments, 0)", "@labrys.arguments")
}

#[cfg(test)]
mod tests {
    use super::*;

    const READER: &str = "global @stdin external 8 align 8\n\
        declare i32 @getc(ptr v0) external\n\
        declare i32 @getw(ptr v0) external\n\
        define i32 @main(i32 v0, ptr v1) external {\nb0:\n  v2: ptr = load 8, @stdin\n  \
        v3: i32 = call @getc(v2)\n  v4: i1 = icmp eq v3, i32 65\n  br v4, b1, b1\nb1:\n  \
        ret i32 0\n}\n";

    fn reader(text: &str) -> (Program, Program, FunctionId) {
        let program: Program = text.parse().expect("it parses");
        let main = program.function_named("main").expect("main");
        let (closed, start) = closed(&program, main, false);
        (program, closed, start)
    }

    #[test]
    fn the_definitions_are_a_program() {
        let library: Program = ENVIRONMENT.parse().expect("it parses");
        assert_eq!(library.verify(), Ok(()));
        let names = labrys_library::functions().iter();
        for name in names.filter_map(labrys_library::Function::definition) {
            let id = library.function_named(&format!("{PREFIX}{name}"));
            assert!(id.is_some(), "{name} has no definition");
        }
    }

    #[test]
    fn what_the_program_has_keeps_its_place() {
        let (program, closed, start) = reader(READER);
        assert_eq!(closed.functions[start.index()].name, START);
        assert_eq!(program.sites, closed.sites);
        let main = program.function_named("main").expect("main");
        let (before, after) = (program.function(main), closed.function(main));
        let (before, after) = (before.expect("main"), after.expect("main"));
        assert_eq!(before.blocks.len(), after.blocks.len());
        let text = closed.to_string();
        assert!(text.contains("call @labrys.getc("), "{text}");
        assert!(
            closed
                .global(closed.global_named("stdin").expect("stdin"))
                .expect("it")
                .constant
        );
    }

    #[test]
    fn a_stream_that_the_program_sets_is_any() {
        let set = READER.replace(
            "  v2: ptr = load",
            "  store 8, @stdin, v1\n  v2: ptr = load",
        );
        let (_, closed, _) = reader(&set);
        let stdin = closed.global_named("stdin").expect("stdin");
        assert_eq!(closed.globals[stdin.index()].initializer, None);
    }

    #[test]
    fn memory_of_streams_that_is_looked_at_closes_nothing() {
        let seen = READER.replace("@getw", "@__uflow");
        let (_, closed, _) = reader(&seen);
        assert!(!closed.to_string().contains("@labrys.getc"));
    }

    #[test]
    fn names_of_parts_are_those_of_globals() {
        for part in [
            InputPart::Bytes(Source::Stdin),
            InputPart::Length(Source::File),
            InputPart::Bytes(Source::Argument(3)),
            InputPart::Count,
        ] {
            assert_eq!(InputPart::of_global(&part.global()), Some(part));
        }
        assert_eq!(InputPart::of_global("labrys.stdin.place"), None);
    }
}

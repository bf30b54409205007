//! Where the input of a program comes from: which streams are symbolic, and what they hold at
//! the start.
//!
//! Objects are a stream if the program asks for them. The file `@@` is one if an argument names
//! it. Standard input is one if neither is, or if the user wants it.

use std::path::PathBuf;

use labrys_program::Program;
use labrys_suite::{INPUT_FILE, Input, InputStream, Invocation, StreamKind};

use crate::arguments::{InputOptions, SymbolicArgument};
use crate::problem::Problem;

/// Room of a symbolic argument if the user names none.
const ARGUMENT_ROOM: usize = 8;
/// Length of the second initial input of a file; the first one is empty.
const FIRST_LENGTH: usize = 32;
/// Functions by which a program asks for input objects.
const INTRINSICS: &[&str] = &["labrys_symbolic", "klee_make_symbolic"];
const INTRINSIC_PREFIXES: &[&str] = &["__VERIFIER_nondet_", "__Crest"];

/// Whether the picture of a program shows that it asks for objects; `None` if the picture has
/// no functions.
pub(crate) fn asks_for_objects(program: &Program) -> Option<bool> {
    let asks = |name: &str| {
        INTRINSICS.contains(&name)
            || INTRINSIC_PREFIXES
                .iter()
                .any(|start| name.starts_with(start))
    };
    let mut functions = program
        .functions
        .iter()
        .map(|function| function.name.as_str());
    (!program.functions.is_empty()).then(|| functions.any(asks))
}

/// The inputs to start from. All have the same streams.
pub(crate) fn initial(
    invocation: &Invocation,
    options: &InputOptions,
    objects: bool,
) -> Result<Vec<Input>, Problem> {
    let mut streams = Vec::new();
    if objects {
        streams.push(InputStream::objects(""));
    }
    let file = if invocation.reads_file() {
        streams.push(InputStream::file(INPUT_FILE, ""));
        Some(streams.len() - 1)
    } else {
        None
    };
    let stdin = if options.stdin || (file.is_none() && !objects) {
        streams.push(InputStream::stdin(""));
        Some(streams.len() - 1)
    } else {
        None
    };
    let mut symbolic = options.sym_arg.clone();
    symbolic.sort_by_key(|argument| argument.index);
    symbolic.dedup_by_key(|argument| argument.index);
    for argument in symbolic {
        streams.push(symbolic_argument(invocation, argument)?);
    }
    let first = Input::new(streams);
    contents(first, file.or(stdin), options)
}

fn symbolic_argument(
    invocation: &Invocation,
    argument: SymbolicArgument,
) -> Result<InputStream, Problem> {
    let given = invocation.arguments.get(argument.index as usize - 1);
    let text = given.map_or("", String::as_str);
    if text.contains("@@") {
        return Err(Problem::usage(format!(
            "argument {} is {text}, the name of the input file; it cannot be symbolic too",
            argument.index
        )));
    }
    let room = argument.bytes.unwrap_or(ARGUMENT_ROOM);
    Ok(InputStream::argument(argument.index, text.as_bytes(), room))
}

/// The inputs that the user gave, or an empty one and one of some length.
fn contents(
    first: Input,
    stream: Option<usize>,
    options: &InputOptions,
) -> Result<Vec<Input>, Problem> {
    let Some(stream) = stream else {
        if let Some(path) = options.input.first() {
            return Err(Problem::usage(format!(
                "--input {}: the program has no file to put it in; write @@ in its arguments, \
                 or use --stdin",
                path.display()
            )));
        }
        return Ok(vec![first]);
    };
    let with = |bytes: Vec<u8>| {
        let mut input = first.clone();
        input.streams[stream].bytes = bytes;
        input
    };
    if options.input.is_empty() {
        let mut line = vec![b'A'; FIRST_LENGTH.min(options.max_input) - 1];
        line.push(b'\n');
        return Ok(vec![first.clone(), with(line)]);
    }
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).map_err(|error| {
            Problem::usage(format!("cannot read --input {}: {error}", path.display()))
        })?;
        if bytes.len() > options.max_input {
            return Err(Problem::usage(format!(
                "--input {} has {} bytes; raise --max-input to at least that",
                path.display(),
                bytes.len()
            )));
        }
        Ok(with(bytes))
    };
    options.input.iter().map(read).collect()
}

/// The kinds of the streams of these inputs.
pub(crate) fn shape(inputs: &[Input]) -> Vec<StreamKind> {
    inputs.first().map(Input::shape).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> InputOptions {
        InputOptions {
            input: Vec::new(),
            sym_arg: Vec::new(),
            stdin: false,
            max_input: 100,
        }
    }

    fn kinds(arguments: &[&str], options: &InputOptions, objects: bool) -> String {
        let invocation = Invocation::new(arguments.iter().copied());
        let inputs = initial(&invocation, options, objects).expect("valid options");
        let names: Vec<String> = shape(&inputs).iter().map(ToString::to_string).collect();
        names.join(" ")
    }

    #[test]
    fn streams_follow_from_what_the_program_reads() {
        let plain = options();
        assert_eq!(kinds(&[], &plain, false), "stdin");
        assert_eq!(kinds(&["-x", "@@"], &plain, false), "file-input");
        assert_eq!(kinds(&[], &plain, true), "objects");
        let more = InputOptions {
            stdin: true,
            sym_arg: vec![SymbolicArgument {
                index: 1,
                bytes: None,
            }],
            ..options()
        };
        assert_eq!(
            kinds(&["pat", "@@"], &more, true),
            "objects file-input stdin argument-1"
        );
    }

    #[test]
    fn arguments_keep_their_text_and_get_room() {
        let invocation = Invocation::new(["pattern"]);
        let bytes = |bytes| {
            let argument = SymbolicArgument { index: 1, bytes };
            symbolic_argument(&invocation, argument)
                .expect("no file")
                .bytes
        };
        assert_eq!(bytes(None), *b"pattern\0");
        assert_eq!(bytes(Some(2)), *b"pattern");
    }

    #[test]
    fn inputs_need_a_place() {
        let given = InputOptions {
            input: vec!["/nonexistent".into()],
            ..options()
        };
        let error = initial(&Invocation::default(), &given, true).expect_err("no file");
        assert!(error.text.contains("--stdin"), "{}", error.text);
    }
}

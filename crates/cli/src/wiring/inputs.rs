//! Where the input of a program comes from: which streams are symbolic, and what they hold at
//! the start.
//!
//! Objects are a stream if the program asks for them. The file `@@` is one if an argument names
//! it. Standard input is one if nothing of that is and no file is named, or if the user wants it.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use labrys_program::Program;
use labrys_suite::{INPUT_FILE, Input, InputStream, Invocation, StreamKind};

use crate::output::problem::Problem;
use crate::wiring::seeds::{Lay, Places};
use crate::wiring::values::{
    SymbolicArgument, SymbolicName, size, symbolic_argument, symbolic_file, symbolic_variable,
};

/// What is symbolic, and where the search starts.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputOptions {
    /// Start from this file: bytes of standard input, @@ or the input objects, a test of KLEE
    /// (KTEST) or Test-Comp (XML), CREST's list of numbers; or from all files of a folder, or of the
    /// corpus of a fuzzer; may be given several times
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) input: Vec<PathBuf>,

    /// The first input: zeros (files are empty), random (by --seed), or a file as for --input
    /// [default: zeros, unless there is --input]
    #[arg(long, value_name = "zeros|random|FILE")]
    pub(crate) first: Option<First>,

    /// Make argument N symbolic, with room for BYTES bytes (1 is the first of ARGS)
    #[arg(long, value_name = "N[:BYTES]", value_parser = symbolic_argument)]
    pub(crate) sym_arg: Vec<SymbolicArgument>,

    /// Make a file of this name in the working directory symbolic, at first BYTES bytes long; may
    /// be given several times
    #[arg(long, value_name = "NAME[:BYTES]", value_parser = symbolic_file)]
    pub(crate) sym_file: Vec<SymbolicName>,

    /// Make an environment variable symbolic, with room for BYTES bytes; may be given several times
    #[arg(long, value_name = "NAME[:BYTES]", value_parser = symbolic_variable)]
    pub(crate) sym_env: Vec<SymbolicName>,

    /// Make standard input symbolic beside the other inputs
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Inputs grow to at most this many bytes
    #[arg(long, alias = "max-len", value_name = "BYTES", default_value = "65536", value_parser = size)]
    pub(crate) max_input: usize,
}

impl InputOptions {
    /// Refuses what means nothing where a driver calls a function.
    pub(crate) fn fit_functions(&self) -> Result<(), Problem> {
        match self.sym_arg.first() {
            None => Ok(()),
            Some(argument) => Err(Problem::usage(format!(
                "--sym-arg {}: the program has no arguments where a driver calls a function, whose \
                 parameters are input anyway; leave it out",
                argument.index
            ))),
        }
    }

    /// Whether they leave open what is symbolic and where the search starts.
    pub(crate) fn says_nothing(&self) -> bool {
        let symbolic = !self.sym_arg.is_empty() || !self.sym_file.is_empty();
        let symbolic = symbolic || !self.sym_env.is_empty() || self.stdin;
        !symbolic && self.input.is_empty() && self.first.is_none()
    }
}

/// What the first input has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum First {
    Zeros,
    Random,
    File(PathBuf),
}

impl std::str::FromStr for First {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "zeros" => First::Zeros,
            "random" => First::Random,
            path => First::File(path.into()),
        })
    }
}

/// Bytes of objects in a random first input.
const RANDOM_OBJECTS: usize = 4096;
/// Room of a symbolic argument if the user names none.
const ARGUMENT_ROOM: usize = 8;
/// Length of the second initial input of a file; the first one is empty.
const FIRST_LENGTH: usize = 32;
/// Length of its lines in the second one.
const LINE: usize = 8;
/// Functions by which a program asks for input objects; those of other tools' harnesses call them.
const INTRINSICS: &[&str] = &["labrys_symbolic", "__labrys_object"];

/// Whether the model of a program shows that it asks for objects; `None` if the model has
/// no functions.
pub(crate) fn asks_for_objects(program: &Program) -> Option<bool> {
    let mut functions = program
        .functions
        .iter()
        .map(|function| function.name.as_str());
    (!program.functions.is_empty()).then(|| functions.any(|name| INTRINSICS.contains(&name)))
}

/// The inputs to start from. All have the same streams.
pub(crate) fn initial(
    invocation: &Invocation,
    options: &InputOptions,
    objects: bool,
    values: &mut Values<'_>,
) -> Result<Vec<Input>, Problem> {
    let mut streams = Vec::new();
    if objects {
        streams.push(InputStream::objects(""));
    }
    // File-like streams with their first lengths; what --input names goes to the first.
    let mut files = Vec::new();
    if invocation.reads_file() {
        files.push((streams.len(), FIRST_LENGTH));
        streams.push(InputStream::file(INPUT_FILE, ""));
    }
    let named = !options.sym_file.is_empty();
    if options.stdin || (files.is_empty() && !objects && !named) {
        files.push((streams.len(), FIRST_LENGTH));
        streams.push(InputStream::stdin(""));
    }
    for file in &options.sym_file {
        if invocation.reads_file() && file.name == INPUT_FILE {
            return Err(Problem::usage(format!(
                "--sym-file {INPUT_FILE}: that is the name of the file for @@; give another"
            )));
        }
        files.push((streams.len(), file.bytes.unwrap_or(FIRST_LENGTH)));
        streams.push(InputStream::file(&file.name, ""));
    }
    let mut symbolic = options.sym_arg.clone();
    symbolic.sort_by_key(|argument| argument.index);
    symbolic.dedup_by_key(|argument| argument.index);
    has_no_gap(invocation, &symbolic)?;
    for argument in symbolic {
        streams.push(argument_stream(invocation, argument)?);
    }
    for variable in &options.sym_env {
        let room = variable.bytes.unwrap_or(ARGUMENT_ROOM);
        let given = invocation.resolved_environment();
        let value = given.get(&variable.name).map_or("", String::as_str);
        streams.push(InputStream::environment(
            &variable.name,
            value.as_bytes(),
            room,
        ));
    }
    let kinds: HashSet<&StreamKind> = streams.iter().map(|stream| &stream.kind).collect();
    if kinds.len() < streams.len() {
        return Err(Problem::usage(
            "a file or an environment variable is named twice; name it once".to_owned(),
        ));
    }
    contents(Input::new(streams), &files, options, values)
}

/// Refuses a symbolic argument behind one that nobody gives.
fn has_no_gap(invocation: &Invocation, symbolic: &[SymbolicArgument]) -> Result<(), Problem> {
    let mut next = invocation.arguments.len() as u32 + 1;
    for argument in symbolic {
        if argument.index > next {
            return Err(Problem::usage(format!(
                "--sym-arg {}: the program has no argument {next}; give it after --, or make it \
                 symbolic too",
                argument.index
            )));
        }
        next = next.max(argument.index + 1);
    }
    Ok(())
}

fn argument_stream(
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

/// What values stand for, and how random ones are drawn.
pub(crate) struct Values<'a> {
    pub(crate) lay: Lay<'a>,
    /// The seed of a random first input.
    pub(crate) seed: u64,
}

/// The inputs that the user gave; else one with empty files, and two where each has some length.
fn contents(
    like: Input,
    files: &[(usize, usize)],
    options: &InputOptions,
    values: &mut Values<'_>,
) -> Result<Vec<Input>, Problem> {
    let mut inputs = Vec::new();
    let further = files.get(1..).unwrap_or(&[]);
    let filled_others = filled(like.clone(), further, options.max_input);
    let mut places = Places {
        option: "--input",
        like: &filled_others,
        main: files.first().map(|(main, _)| *main),
        max_input: options.max_input,
        lay: values.lay,
    };
    match &options.first {
        None if options.input.is_empty() => inputs.push(like.clone()),
        None => {}
        Some(First::Zeros) => inputs.push(like.clone()),
        Some(First::Random) => {
            inputs.push(random(like.clone(), files, options.max_input, values.seed));
        }
        Some(First::File(path)) => {
            places.option = "--first";
            inputs.extend(places.read(path)?);
            places.option = "--input";
        }
    }
    for path in &options.input {
        inputs.extend(places.read(path)?);
    }
    if options.input.is_empty() && options.first.is_none() && !files.is_empty() {
        let second = filled(like, files, options.max_input);
        let third = cut_to_lines(second.clone(), files);
        inputs.extend([second, third]);
    }
    Ok(inputs)
}

/// The input with random bytes in objects and files; strings keep their text.
fn random(mut input: Input, files: &[(usize, usize)], max_input: usize, seed: u64) -> Input {
    let mut rng = fastrand::Rng::with_seed(seed);
    for (index, stream) in input.streams.iter_mut().enumerate() {
        let file = files.iter().find(|(number, _)| *number == index);
        let length = match stream.kind {
            StreamKind::Objects => RANDOM_OBJECTS,
            _ => file.map_or(0, |(_, length)| *length),
        };
        if length > 0 {
            stream.bytes = (0..length.min(max_input)).map(|_| rng.u8(..)).collect();
        }
    }
    input
}

/// The input with the letters of a line in each of these files, of its length.
fn filled(mut input: Input, files: &[(usize, usize)], max_input: usize) -> Input {
    for (stream, length) in files {
        let mut line = vec![b'A'; (*length).min(max_input).saturating_sub(1)];
        line.push(b'\n');
        input.streams[*stream].bytes = line;
    }
    input
}

/// The input with each of these files cut to short lines.
fn cut_to_lines(mut input: Input, files: &[(usize, usize)]) -> Input {
    for (stream, _) in files {
        let bytes = &mut input.streams[*stream].bytes;
        for at in (LINE - 1..bytes.len()).step_by(LINE) {
            bytes[at] = b'\n';
        }
    }
    input
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
            first: None,
            sym_arg: Vec::new(),
            sym_file: Vec::new(),
            sym_env: Vec::new(),
            stdin: false,
            max_input: 100,
        }
    }

    fn start(
        invocation: &Invocation,
        options: &InputOptions,
        objects: bool,
    ) -> Result<Vec<Input>, Problem> {
        let lay = &mut |like: &Input, values: &[String]| {
            let bytes = values.iter().filter_map(|value| value.parse::<i8>().ok());
            let mut input = like.clone();
            input.streams[0].bytes = bytes.map(|value| value as u8).collect();
            Ok(input)
        };
        initial(invocation, options, objects, &mut Values { lay, seed: 1 })
    }

    fn kinds(arguments: &[&str], options: &InputOptions, objects: bool) -> String {
        let invocation = Invocation::new(arguments.iter().copied());
        let inputs = start(&invocation, options, objects).expect("valid options");
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
    fn named_files_and_variables_are_streams() {
        let name = |name: &str, bytes| SymbolicName {
            name: name.to_owned(),
            bytes,
        };
        let given = InputOptions {
            sym_file: vec![name("a.conf", Some(4)), name("b", None)],
            sym_env: vec![name("LANG", Some(3))],
            ..options()
        };
        let expected = "file-a.conf file-b environment-LANG";
        assert_eq!(kinds(&[], &given, false), expected);
        let inputs = start(&Invocation::default(), &given, false).expect("valid options");
        assert_eq!(inputs.len(), 3);
        assert_eq!(inputs[1].streams[0].bytes, *b"AAA\n");
        assert_eq!(inputs[2].streams[1].bytes, b"AAAAAAA\n".repeat(4));
        assert_eq!(inputs[1].streams[2].bytes, *b"LANG=\0\0\0");
        let twice = InputOptions {
            sym_file: vec![name("b", None), name("b", None)],
            ..options()
        };
        assert!(start(&Invocation::default(), &twice, false).is_err());
    }

    #[test]
    fn arguments_keep_their_text_and_get_room() {
        let invocation = Invocation::new(["pattern"]);
        let bytes = |bytes| {
            let argument = SymbolicArgument { index: 1, bytes };
            argument_stream(&invocation, argument)
                .expect("no file")
                .bytes
        };
        assert_eq!(bytes(None), *b"pattern\0");
        assert_eq!(bytes(Some(2)), *b"pattern");
    }

    #[test]
    fn the_first_input_is_chosen() {
        let given = |first| InputOptions {
            first: Some(first),
            ..options()
        };
        let make = |first| start(&Invocation::default(), &given(first), true).expect("inputs");
        assert_eq!(make(First::Zeros), [Input::objects("")]);
        let random = make(First::Random);
        assert_eq!(random[0].streams[0].bytes.len(), 100);
        assert_eq!(random, make(First::Random));
    }

    #[test]
    fn inputs_of_several_kinds_are_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let given = InputOptions {
            first: Some(First::File(file("raw", "ab"))),
            input: vec![
                file("crest", "1\n-2\n"),
                file(
                    "test.xml",
                    "<?xml?>\n<testcase>\n<input>3</input>\n</testcase>\n",
                ),
            ],
            ..options()
        };
        let inputs = start(&Invocation::default(), &given, true).expect("inputs");
        assert_eq!(
            inputs,
            [
                Input::objects(*b"ab"),
                Input::objects([1, 254]),
                Input::objects([3])
            ]
        );
    }

    #[test]
    fn inputs_need_a_place() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("raw");
        std::fs::write(&path, "ab").expect("a file");
        let argument = SymbolicArgument {
            index: 1,
            bytes: None,
        };
        let given = InputOptions {
            input: vec![path],
            sym_arg: vec![argument],
            ..options()
        };
        let like = Input::new(vec![InputStream::argument(1, b"x", 2)]);
        let lay = &mut |like: &Input, _: &[String]| Ok(like.clone());
        let mut values = Values { lay, seed: 1 };
        let error = contents(like, &[], &given, &mut values).expect_err("no file");
        assert!(error.text.contains("--stdin"), "{}", error.text);
    }
}

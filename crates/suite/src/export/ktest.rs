//! Tests of KLEE: `ktest/testNNNNNN.ktest`, format 3, which `ktest-tool` prints, `libkleeRuntest`
//! and `klee-replay` run, and `klee --seed-dir` starts from.
//!
//! ```text
//! file   = "KTEST" version args symargvs symargvlen objects
//! args   = count string*           objects = count (string bytes)*
//! string, bytes = count byte*      numbers have 32 bits, highest byte first
//! ```
//!
//! Objects that the program asks for keep their names. Other streams have those of KLEE's POSIX
//! runtime: `arg00`, `A-data` with `A-data-stat`, `stdin` with `stdin-stat`, then
//! `model_version`; the arguments ask that runtime for them (`--sym-arg`, `--sym-files`,
//! `--sym-stdin`).
//!
//! Law: what is written and read back fills an input of the same shape with the same bytes.
//! KLEE reads no string and no object without a byte, so empty ones are left out.

use core::fmt;

use crate::export::{ExportedFile, Exporter};
use crate::{Config, Failure, Input, InputObject, InputStream, StreamKind, TestCase, layout};

const FOLDER: &str = "ktest";
const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;
/// How the name of a file's status ends.
const STAT: &str = "-stat";
/// The object that ends those of the POSIX runtime.
const MODEL_VERSION: &str = "model_version";

/// See the module.
pub(crate) struct Ktests;

impl Exporter for Ktests {
    fn name(&self) -> &'static str {
        "ktest"
    }

    fn summary(&self) -> &'static str {
        "KLEE's .ktest files in ktest/, for ktest-tool, klee-replay and klee --seed-dir"
    }

    fn folder(&self) -> Option<&'static str> {
        Some(FOLDER)
    }

    fn test(&self, config: &Config, case: &TestCase) -> Vec<ExportedFile> {
        let path = format!("{FOLDER}/test{}.ktest", layout::number(case.id));
        let test = Ktest::new(config, &case.input, &case.objects);
        vec![ExportedFile::new(path, test.to_bytes())]
    }

    fn failure(&self, config: &Config, failure: &Failure) -> Vec<ExportedFile> {
        let path = format!("{}/input.ktest", layout::failure(failure.id));
        let test = Ktest::new(config, &failure.input, &failure.objects);
        vec![ExportedFile::new(path, test.to_bytes())]
    }
}

/// A test of KLEE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ktest {
    /// The program and its arguments, among them options of KLEE's POSIX runtime.
    pub arguments: Vec<String>,
    /// Objects with name and value, in the order in which the program asks for them.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// A file that is no test of KLEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotKtest(&'static str);

impl fmt::Display for NotKtest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is no test of KLEE: {}", self.0)
    }
}

impl core::error::Error for NotKtest {}

impl Ktest {
    /// The test with an input, whose objects are these.
    fn new(config: &Config, input: &Input, objects: &[InputObject]) -> Self {
        let mut test = Ktest {
            arguments: arguments(config, input),
            objects: Vec::new(),
        };
        for object in objects {
            test.add(
                &object.name,
                object.value(input.object_bytes(), object.size),
            );
        }
        let named: Vec<_> = input.streams.iter().zip(names(&input.streams)).collect();
        let is = |kind: fn(&StreamKind) -> bool| {
            let named = named.iter();
            named.filter_map(move |(stream, name)| {
                Some((kind(&stream.kind).then_some(*stream)?, name.as_ref()?))
            })
        };
        // In the order in which the runtime asks for them.
        for (stream, name) in is(StreamKind::is_string) {
            test.add(name, [&stream.bytes[..], &[0]].concat());
        }
        let files = is(|kind| matches!(kind, StreamKind::File { .. }));
        let files: Vec<_> = files.chain(is(|kind| *kind == StreamKind::Stdin)).collect();
        for (stream, name) in &files {
            if !stream.bytes.is_empty() {
                test.add(name, stream.bytes.clone());
                test.add(&format!("{name}{STAT}"), stat(stream.bytes.len()));
            }
        }
        if named.iter().any(|(_, name)| name.is_some()) {
            test.add(MODEL_VERSION, 1_u32.to_le_bytes().to_vec());
        }
        test
    }

    fn add(&mut self, name: &str, value: Vec<u8>) {
        if !value.is_empty() {
            let name = if name.is_empty() { "unnamed" } else { name };
            self.objects.push((name.to_owned(), value));
        }
    }

    /// Whether a file with these bytes is a test of KLEE.
    #[must_use]
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is none of this format, or is not whole.
    pub fn read(bytes: &[u8]) -> Result<Self, NotKtest> {
        let rest = bytes.strip_prefix(MAGIC);
        let mut file = KtestReader(rest.ok_or(NotKtest("it does not begin with KTEST"))?);
        let version = file.number()?;
        if version > VERSION {
            return Err(NotKtest("its version is not known"));
        }
        let mut test = Ktest::default();
        for _ in 0..file.number()? {
            test.arguments.push(file.string()?);
        }
        if version >= 2 {
            file.number()?;
            file.number()?;
        }
        for _ in 0..file.number()? {
            let name = file.string()?;
            test.objects.push((name, file.bytes()?.to_vec()));
        }
        Ok(test)
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer(MAGIC.to_vec());
        file.number(VERSION as usize);
        file.number(self.arguments.len());
        for argument in &self.arguments {
            file.bytes(argument.as_bytes());
        }
        // Fields of a version of KLEE long ago.
        file.number(0);
        file.number(0);
        file.number(self.objects.len());
        for (name, value) in &self.objects {
            file.bytes(name.as_bytes());
            file.bytes(value);
        }
        file.0
    }

    /// An input of the shape of another, with the values of this test: those of the POSIX
    /// runtime's objects for files and strings, all others one after the other for the objects
    /// that the program asks for. Strings keep the room that they have in the other input.
    #[must_use]
    pub fn input(&self, like: &Input) -> Input {
        let names = names(&like.streams);
        let of_runtime = |name: &str| {
            let name = name.strip_suffix(STAT).unwrap_or(name);
            name == MODEL_VERSION || names.iter().flatten().any(|other| other == name)
        };
        let value = |name: &str| {
            let mut named = self.objects.iter().filter(|(other, _)| other == name);
            named.next().map_or(&[][..], |(_, value)| value)
        };
        let stream = |(stream, name): (&InputStream, &Option<String>)| {
            let mut bytes = match name {
                Some(name) => value(name).to_vec(),
                None => {
                    let own = self.objects.iter().filter(|(name, _)| !of_runtime(name));
                    own.flat_map(|(_, value)| value).copied().collect()
                }
            };
            if stream.kind.is_string() {
                bytes.pop();
                bytes.resize(bytes.len().max(stream.bytes.len()), 0);
            }
            InputStream {
                kind: stream.kind.clone(),
                bytes,
            }
        };
        Input::new(like.streams.iter().zip(&names).map(stream).collect())
    }
}

/// The names of the streams as objects of KLEE's POSIX runtime, which calls files A, B and so on;
/// none for the objects that the program asks for.
fn names(streams: &[InputStream]) -> Vec<Option<String>> {
    let (mut files, mut strings) = ('A'.., 0..);
    let name = |stream: &InputStream| match &stream.kind {
        StreamKind::Objects => None,
        StreamKind::Stdin => Some("stdin".to_owned()),
        StreamKind::File { .. } => files.next().map(|letter| format!("{letter}-data")),
        StreamKind::Argument { .. } => strings.next().map(|number| format!("arg{number:02}")),
        // The runtime has none.
        StreamKind::Environment { name } => Some(format!("environment-{name}")),
    };
    streams.iter().map(name).collect()
}

/// The command line that asks the runtime for the objects of an input.
fn arguments(config: &Config, input: &Input) -> Vec<String> {
    let program = config.program.rsplit('/').next().unwrap_or_default();
    let mut words = vec![program.to_owned()];
    let files = input
        .streams
        .iter()
        .filter(|stream| matches!(stream.kind, StreamKind::File { .. }));
    let files: Vec<_> = ('A'..).zip(files).collect();
    let is_input = |file: &&(char, &InputStream)| file.1.kind == StreamKind::input_file();
    let letter = files
        .iter()
        .find(is_input)
        .map_or('A', |(letter, _)| *letter);
    let given = config
        .invocation
        .arguments_with(&config.streams, &letter.to_string());
    for (index, argument) in (1..).zip(given) {
        let symbolic = |stream: &&InputStream| stream.kind == StreamKind::Argument { index };
        match input.streams.iter().find(symbolic) {
            Some(stream) => words.extend(["--sym-arg".to_owned(), stream.bytes.len().to_string()]),
            None => words.push(argument),
        }
    }
    let longest = files.iter().map(|(_, stream)| stream.bytes.len()).max();
    if let Some(length @ 1..) = longest {
        let count = files.len();
        words.extend([
            "--sym-files".to_owned(),
            count.to_string(),
            length.to_string(),
        ]);
    }
    let mut streams = input.streams.iter();
    let stdin = streams.find(|stream| stream.kind == StreamKind::Stdin);
    if let Some(length @ 1..) = stdin.map(|stream| stream.bytes.len()) {
        words.extend(["--sym-stdin".to_owned(), length.to_string()]);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A `struct stat` of Linux on x86-64 for a regular file of this length.
fn stat(length: usize) -> Vec<u8> {
    let mut stat = vec![0; 144];
    let mut put = |at: usize, bytes: &[u8]| stat[at..at + bytes.len()].copy_from_slice(bytes);
    let (inode, links, mode) = (1_u64, 1_u64, 0o100_644_u32);
    let (block, blocks) = (4096_u64, 8_u64);
    put(8, &inode.to_le_bytes());
    put(16, &links.to_le_bytes());
    put(24, &mode.to_le_bytes());
    put(48, &(length as u64).to_le_bytes());
    put(56, &block.to_le_bytes());
    put(64, &blocks.to_le_bytes());
    stat
}

/// A file as it is written.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: usize) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        self.0.extend(number.to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.extend(bytes);
    }
}

/// What is left of a file.
struct KtestReader<'f>(&'f [u8]);

impl<'f> KtestReader<'f> {
    fn take(&mut self, count: usize) -> Result<&'f [u8], NotKtest> {
        let (now, later) = self
            .0
            .split_at_checked(count)
            .ok_or(NotKtest("it is cut off"))?;
        self.0 = later;
        Ok(now)
    }

    fn number(&mut self) -> Result<u32, NotKtest> {
        let bytes = self.take(4)?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn bytes(&mut self) -> Result<&'f [u8], NotKtest> {
        let count = self.number()?;
        self.take(count as usize)
    }

    fn string(&mut self) -> Result<String, NotKtest> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Invocation, ObjectKind};

    fn object(name: &str, offset: u64, size: u64) -> InputObject {
        InputObject {
            name: name.to_owned(),
            offset,
            size,
            kind: ObjectKind::Bytes,
        }
    }

    #[test]
    fn a_file_has_this_form() {
        let config = Config {
            program: "/bin/f".to_owned(),
            ..Config::default()
        };
        let test = Ktest::new(&config, &Input::objects([7, 8]), &[object("x", 0, 2)]);
        let expected = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x01f\0\0\0\0\0\0\0\0\
                         \0\0\0\x01\0\0\0\x01x\0\0\0\x02\x07\x08";
        assert_eq!(test.to_bytes(), expected);
    }

    #[test]
    fn streams_are_asked_for_as_klee_does() {
        let input = Input::new(vec![
            InputStream::file("input", "abc"),
            InputStream::stdin("x"),
            InputStream::argument(2, b"-v", 4),
        ]);
        let config = Config {
            program: "grep".to_owned(),
            invocation: Invocation::new(["-e", "", "@@"]),
            streams: input.shape(),
            ..Config::default()
        };
        let test = Ktest::new(&config, &input, &[]);
        let words = "grep -e --sym-arg 4 A --sym-files 1 3 --sym-stdin 1";
        assert_eq!(test.arguments.join(" "), words);
        let objects = test
            .objects
            .iter()
            .map(|(name, value)| (&**name, value.len()));
        let expected = [
            ("arg00", 5),
            ("A-data", 3),
            ("A-data-stat", 144),
            ("stdin", 1),
            ("stdin-stat", 144),
            ("model_version", 4),
        ];
        assert_eq!(objects.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = Ktest {
            arguments: vec!["f".to_owned()],
            objects: vec![("x".to_owned(), vec![1, 2])],
        };
        let bytes = whole.to_bytes();
        assert_eq!(Ktest::read(&bytes), Ok(whole));
        for length in 0..bytes.len() {
            assert!(Ktest::read(&bytes[..length]).is_err(), "{length}");
        }
        let huge = [MAGIC, &[0, 0, 0, 3, 255, 255, 255, 255]].concat();
        assert!(Ktest::read(&huge).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            stdin: Vec<u8>,
            file: Vec<u8>,
            argument in "[a-z]{0,6}",
            sizes in proptest::collection::vec(0_u64..9, 0..5),
        ) {
            let mut objects = Vec::new();
            let mut length = 0;
            for size in sizes {
                objects.push(object("stdin-like", length, size));
                length += size;
            }
            let own: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            let input = Input::new(vec![
                InputStream::objects(own),
                InputStream::file("a.conf", file),
                InputStream::stdin(stdin),
                InputStream::argument(1, argument.as_bytes(), 6),
                InputStream::environment("LANG", b"C", 3),
            ]);
            let config = Config {
                streams: input.shape(),
                ..Config::default()
            };
            let file = Ktest::new(&config, &input, &objects).to_bytes();
            let read = Ktest::read(&file).expect("a test of KLEE");
            let like = Input::new(vec![
                InputStream::objects(""),
                InputStream::file("a.conf", ""),
                InputStream::stdin(""),
                InputStream::argument(1, b"", 6),
                InputStream::environment("LANG", b"", 3),
            ]);
            prop_assert_eq!(read.input(&like), input);
        }
    }
}

//! The input of a path as variables of phase II, and as memory of the machine.
//!
//! Variables are the parts of the input objects, and for each stream of the suite's inputs its
//! length and its first bytes. What the path does not say of a stream is as in the input that
//! phase II starts from.

use labrys_program::{GlobalId, Program};
use labrys_semantics::environment::{ARGUMENTS, InputPart, Source};
use labrys_suite::{Input, StreamKind};

use super::adjust::Variable;

/// Bytes of a stream that are variables, at most.
const MAX_VARIABLES: usize = 256;
/// Longest stream that a path may ask for.
const MAX_STREAM: u64 = 1 << 16;
/// Bytes that a stream may grow by.
const ROOM: usize = 16;
/// Bits of a length.
const LENGTH: u32 = 24;
/// Bytes behind the last one, which a read of a line looks at and does not give.
const SLACK: usize = 1 << 16;

/// A stream of the inputs.
struct Stream {
    /// Its index.
    index: usize,
    /// Whether it ends at its first zero, and has no length of its own.
    is_string: bool,
    /// Bytes that are variables.
    variables: usize,
    /// All bytes that there may be, as the input has them that phase II starts from.
    bytes: Vec<u8>,
}

/// See the module.
pub(crate) struct InputLayout {
    /// By object, the bits of its parts.
    widths: Vec<Vec<u32>>,
    streams: Vec<Stream>,
    base: Input,
}

/// A part of the input at an offset, and its value.
pub(crate) type KnownPart = (InputPart, u64, u128);

impl InputLayout {
    /// The variables of a path with these objects, and their values: what the path knows, and the
    /// rest from an input.
    pub(crate) fn new(
        widths: Vec<Vec<u32>>,
        mut values: Vec<u128>,
        known: &[KnownPart],
        base: &Input,
    ) -> (Self, Vec<u128>) {
        let mut streams = Vec::new();
        for (index, stream) in base.streams.iter().enumerate() {
            let Some(source) = source(base, index) else {
                continue;
            };
            let is_string = stream.kind.is_string();
            let mut bytes = stream.bytes.clone();
            let length = overlay(&mut bytes, known, source, is_string);
            if !is_string {
                bytes.resize(bytes.len() + ROOM, 0);
                values.push(length as u128);
            }
            let variables = bytes.len().min(MAX_VARIABLES);
            values.extend(bytes[..variables].iter().map(|byte| u128::from(*byte)));
            streams.push(Stream {
                index,
                is_string,
                variables,
                bytes,
            });
        }
        let layout = InputLayout {
            widths,
            streams,
            base: base.clone(),
        };
        (layout, values)
    }

    pub(crate) fn variables(&self) -> Vec<Variable> {
        let objects = self.widths.iter().flatten().copied();
        let streams = self.streams.iter().flat_map(|stream| {
            let length = (!stream.is_string).then_some(LENGTH);
            length.into_iter().chain((0..stream.variables).map(|_| 8))
        });
        let widths = objects.chain(streams);
        widths.map(|width| Variable { width }).collect()
    }

    /// The bytes of the objects, from the values of the variables.
    pub(crate) fn objects(&self, values: &[u128]) -> Vec<Vec<u8>> {
        let mut values = values.iter();
        let objects = self.widths.iter().map(|parts| {
            let mut bytes = Vec::new();
            for width in parts {
                let value = values.next().copied().unwrap_or(0);
                bytes.extend(&value.to_le_bytes()[..(*width / 8) as usize]);
            }
            bytes
        });
        objects.collect()
    }

    /// The input of these values.
    pub(crate) fn input(&self, values: &[u128]) -> Input {
        let mut input = self.base.clone();
        let objects = |kind: &StreamKind| *kind == StreamKind::Objects;
        if let Some(stream) = input.streams.iter_mut().find(|one| objects(&one.kind)) {
            stream.bytes = self.objects(values).concat();
        }
        let mut values = values.iter().skip(self.widths.iter().flatten().count());
        for stream in &self.streams {
            let mut bytes = stream.bytes.clone();
            let length = match stream.is_string {
                true => bytes.len(),
                false => values.next().map_or(0, |value| *value as usize),
            };
            for byte in &mut bytes[..stream.variables] {
                *byte = values.next().map_or(0, |value| *value as u8);
            }
            bytes.truncate(length);
            input.streams[stream.index].bytes = bytes;
        }
        input
    }
}

/// Puts what is known of a source into bytes; how many there are.
fn overlay(bytes: &mut Vec<u8>, known: &[KnownPart], source: Source, is_string: bool) -> usize {
    let mut length = None;
    for (part, offset, value) in known {
        if *part == InputPart::Length(source) {
            length = Some(*value).filter(|value| *value < u128::from(MAX_STREAM));
        }
        if *part != InputPart::Bytes(source) || *offset >= MAX_STREAM {
            continue;
        }
        let at = *offset as usize;
        if at >= bytes.len() && !is_string {
            bytes.resize(at + 1, 0);
        }
        if let Some(byte) = bytes.get_mut(at) {
            *byte = *value as u8;
        }
    }
    let length = length.map_or(bytes.len(), |length| length as usize);
    if length > bytes.len() && !is_string {
        bytes.resize(length, 0);
    }
    length
}

/// What a stream of an input is to the program; `None` if the picture does not show it.
fn source(input: &Input, index: usize) -> Option<Source> {
    let is_file = |kind: &StreamKind| matches!(kind, StreamKind::File { .. });
    match &input.streams[index].kind {
        StreamKind::Stdin => Some(Source::Stdin),
        StreamKind::Argument { index } => Some(Source::Argument(*index)),
        kind if is_file(kind) => {
            let first = input.streams.iter().position(|one| is_file(&one.kind));
            (first == Some(index)).then_some(Source::File)
        }
        _ => None,
    }
}

/// The globals of a closed program that hold its input.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputGlobals {
    parts: Vec<(InputPart, GlobalId)>,
    arguments: Option<GlobalId>,
}

impl InputGlobals {
    pub(crate) fn of(program: &Program) -> Self {
        let globals = program.globals.iter().enumerate();
        let parts = globals.filter_map(|(index, global)| {
            Some((InputPart::of_global(&global.name)?, GlobalId::new(index)))
        });
        InputGlobals {
            parts: parts.collect(),
            arguments: program.global_named("labrys.arguments"),
        }
    }

    /// Whether an input of this shape has a part that the program reads from them.
    pub(crate) fn shows(&self, input: &Input) -> bool {
        (0..input.streams.len()).any(|index| {
            let source = source(input, index);
            source.is_some_and(|source| {
                let part = InputPart::Bytes(source);
                self.parts.iter().any(|(own, _)| *own == part)
            })
        })
    }

    /// What they hold under an input and a command line, the program's name first.
    pub(crate) fn contents(&self, input: &Input, line: &[String]) -> Vec<(GlobalId, Vec<u8>)> {
        let bytes_of = |wanted: Source| {
            let mut streams = 0..input.streams.len();
            let index = streams.find(|index| source(input, *index) == Some(wanted))?;
            Some(input.streams[index].visible().to_vec())
        };
        let content = |part: InputPart| match part {
            InputPart::Bytes(Source::Argument(number)) => {
                let given = line
                    .get(number as usize)
                    .map(|text| text.as_bytes().to_vec());
                let mut bytes = bytes_of(Source::Argument(number))
                    .or(given)
                    .unwrap_or_default();
                bytes.push(0);
                bytes
            }
            InputPart::Bytes(source) => {
                let mut bytes = bytes_of(source).unwrap_or_default();
                bytes.resize(bytes.len() + SLACK, 0);
                bytes
            }
            InputPart::Length(source) => {
                let length = bytes_of(source).map_or(0, |bytes| bytes.len() as u64);
                length.to_le_bytes().to_vec()
            }
            InputPart::Count => (line.len() as u32).to_le_bytes().to_vec(),
        };
        let parts = self.parts.iter().map(|(part, id)| (*id, content(*part)));
        let room = 8 * (ARGUMENTS as usize + 2);
        let vector = self.arguments.map(|id| (id, vec![0; room]));
        parts.chain(vector).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_suite::InputStream;

    fn base() -> Input {
        Input::new(vec![
            InputStream::stdin("seed"),
            InputStream::argument(1, b"x", 3),
        ])
    }

    #[test]
    fn what_the_path_knows_is_put_into_the_start() {
        let stdin = InputPart::Bytes(Source::Stdin);
        let known = [
            (stdin, 1, 65),
            (stdin, 6, 66),
            (InputPart::Length(Source::Stdin), 0, 8),
            (InputPart::Bytes(Source::Argument(1)), 1, 89),
            (InputPart::Bytes(Source::Argument(1)), 9, 90),
        ];
        let (layout, values) = InputLayout::new(Vec::new(), Vec::new(), &known, &base());
        assert_eq!(values.len(), layout.variables().len());
        let input = layout.input(&values);
        assert_eq!(input.streams[0].bytes, b"sAed\0\0B\0");
        assert_eq!(input.streams[1].bytes, b"xY\0");
        let mut shorter = values;
        shorter[0] = 2;
        assert_eq!(layout.input(&shorter).streams[0].bytes, b"sA");
    }

    #[test]
    fn a_path_that_knows_nothing_leaves_the_start() {
        let (layout, values) = InputLayout::new(Vec::new(), Vec::new(), &[], &base());
        assert_eq!(layout.input(&values), base());
    }
}

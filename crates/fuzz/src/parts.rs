//! An input as LibAFL's mutators see it: the bytes of each stream, of which they change one.
//!
//! Laws: what is made of parts is an input of the shape; parts of an input make that input again,
//! as long as nothing is changed.

use std::ops::RangeBounds;
use std::vec::{Drain, Splice};

use labrys_suite::{Input, InputStream, StreamKind};
use libafl::inputs::{HasMutatorBytes, ResizableMutator};
use libafl_bolts::HasLen;
use serde::{Deserialize, Serialize};

/// The bytes of the streams, and the one that mutators work on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Parts {
    parts: Vec<Vec<u8>>,
    active: usize,
}

impl Parts {
    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// The bytes of each part.
    pub(crate) fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(Vec::as_slice)
    }

    /// Bytes of all parts.
    pub(crate) fn total(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// The bytes of a part.
    pub(crate) fn part(&self, part: usize) -> &[u8] {
        &self.parts[part]
    }

    /// The part that mutators work on.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// Mutators work on this part from now on.
    pub(crate) fn activate(&mut self, part: usize) {
        self.active = part;
    }
}

impl libafl::inputs::Input for Parts {}

impl HasLen for Parts {
    fn len(&self) -> usize {
        self.mutator_bytes().len()
    }
}

impl HasMutatorBytes for Parts {
    fn mutator_bytes(&self) -> &[u8] {
        &self.parts[self.active]
    }

    fn mutator_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.parts[self.active]
    }
}

impl ResizableMutator<u8> for Parts {
    fn resize(&mut self, new_len: usize, value: u8) {
        self.parts[self.active].resize(new_len, value);
    }

    fn extend<'a, I: IntoIterator<Item = &'a u8>>(&mut self, iter: I) {
        Extend::extend(&mut self.parts[self.active], iter);
    }

    fn splice<R, I>(&mut self, range: R, replace_with: I) -> Splice<'_, I::IntoIter>
    where
        R: RangeBounds<usize>,
        I: IntoIterator<Item = u8>,
    {
        self.parts[self.active].splice(range, replace_with)
    }

    fn drain<R: RangeBounds<usize>>(&mut self, range: R) -> Drain<'_, u8> {
        self.parts[self.active].drain(range)
    }
}

/// What all inputs of a suite have in common.
#[derive(Debug)]
pub(crate) struct Shape {
    /// By stream: its kind, the room of a string, and how many of its first bytes stay.
    streams: Vec<(StreamKind, usize, usize)>,
    /// Files and objects grow to at most this many bytes.
    most: usize,
}

impl Shape {
    /// The shape of an input.
    pub(crate) fn of(input: &Input, most: usize) -> Self {
        let stream = |stream: &InputStream| {
            let fixed = match &stream.kind {
                StreamKind::Environment { name } => name.len() + 1,
                _ => 0,
            };
            (stream.kind.clone(), stream.bytes.len(), fixed)
        };
        Shape {
            streams: input.streams.iter().map(stream).collect(),
            most,
        }
    }

    /// Files and objects grow to at most this many bytes.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// The bytes of an input that may be changed: of strings what the program sees.
    pub(crate) fn parts(&self, input: &Input) -> Parts {
        let streams = input.streams.iter().zip(&self.streams);
        let part = |(stream, (_, _, fixed)): (&InputStream, &(StreamKind, usize, usize))| {
            stream.visible().get(*fixed..).unwrap_or_default().to_vec()
        };
        Parts {
            parts: streams.map(part).collect(),
            active: 0,
        }
    }

    /// The input that parts are, cut where it is too long.
    pub(crate) fn input(&self, parts: &Parts) -> Input {
        let streams = parts.parts.iter().zip(&self.streams);
        let stream = |(part, (kind, room, _)): (&Vec<u8>, &(StreamKind, usize, usize))| {
            let mut bytes = match kind {
                StreamKind::Environment { name } => [name.as_bytes(), b"=", part].concat(),
                _ => part.clone(),
            };
            if kind.is_string() {
                bytes.resize(*room, 0);
            } else {
                bytes.truncate(self.most);
            }
            InputStream {
                kind: kind.clone(),
                bytes,
            }
        };
        let mut input = Input::new(streams.map(stream).collect());
        input.normalize();
        input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Input {
        Input::new(vec![
            InputStream::argument(1, b"ab", 4),
            InputStream::environment("HOME", b"/x", 4),
            InputStream::stdin(*b"a\0b"),
        ])
    }

    #[test]
    fn unchanged_parts_are_the_input() {
        let shape = Shape::of(&input(), 8);
        let parts = shape.parts(&input());
        assert_eq!(parts.parts, [&b"ab"[..], b"/x", b"a\0b"]);
        assert_eq!(shape.input(&parts), input());
    }

    /// Strings end at a zero and at the end of their room, a variable keeps its name, and files
    /// end at the limit.
    #[test]
    fn changed_parts_are_cut_to_the_shape() {
        let shape = Shape::of(&input(), 8);
        let mut parts = shape.parts(&input());
        parts.splice(1..1, *b"xyzuv");
        parts.activate(1);
        parts.resize(9, b'y');
        parts.mutator_bytes_mut()[1] = 0;
        parts.activate(2);
        parts.extend(b"0123456789");
        let expected = Input::new(vec![
            InputStream::argument(1, b"axyz", 4),
            InputStream::environment("HOME", b"/", 4),
            InputStream::stdin(*b"a\0b01234"),
        ]);
        assert_eq!(shape.input(&parts), expected);
    }
}

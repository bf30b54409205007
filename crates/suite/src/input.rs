//! Inputs: the bytes that one run gets, split into streams.
//!
//! Invariant: the number of a stream in a trace or a query is its index in [`Input::streams`].

use serde::{Deserialize, Serialize};

/// Name of the file that stands for `@@` in a command line.
pub const INPUT_FILE: &str = "input";

/// Where the bytes of a stream enter the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StreamKind {
    /// Objects that the program asks for (`labrys_symbolic` and its kin), in order of creation.
    Objects,
    /// Standard input.
    Stdin,
    /// A file in the working directory.
    File {
        /// Its name, relative to the working directory.
        name: String,
    },
    /// A command line argument. The length of the stream is the most bytes that the argument
    /// can have; the string ends at the first zero byte.
    Argument {
        /// Position on the command line; 1 is the first after the program's name.
        index: u32,
    },
    /// An environment variable. The bytes are `NAME=value`, ended like an argument.
    Environment {
        /// Its name.
        name: String,
    },
}

impl StreamKind {
    /// The file that stands for `@@`.
    #[must_use]
    pub fn input_file() -> Self {
        StreamKind::File {
            name: INPUT_FILE.to_owned(),
        }
    }

    /// Whether the bytes are a string that ends at the first zero byte.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(
            self,
            StreamKind::Argument { .. } | StreamKind::Environment { .. }
        )
    }

    /// Whether the program sees the bytes as a file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self, StreamKind::Stdin | StreamKind::File { .. })
    }
}

impl core::fmt::Display for StreamKind {
    /// The name of the stream as a file in a suite folder: `stdin`, `argument-1`, ….
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            StreamKind::Objects => write!(f, "objects"),
            StreamKind::Stdin => write!(f, "stdin"),
            StreamKind::File { name } => write!(f, "file-{}", name.replace('/', "%")),
            StreamKind::Argument { index } => write!(f, "argument-{index}"),
            StreamKind::Environment { name } => write!(f, "environment-{name}"),
        }
    }
}

/// One source of input bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputStream {
    /// Where the bytes enter.
    pub kind: StreamKind,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl InputStream {
    /// Standard input with these bytes.
    #[must_use]
    pub fn stdin(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            kind: StreamKind::Stdin,
            bytes: bytes.into(),
        }
    }

    /// The file of this name with these bytes; [`INPUT_FILE`] is the one for `@@`.
    #[must_use]
    pub fn file(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            kind: StreamKind::File {
                name: name.to_owned(),
            },
            bytes: bytes.into(),
        }
    }

    /// Input objects with these bytes.
    #[must_use]
    pub fn objects(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            kind: StreamKind::Objects,
            bytes: bytes.into(),
        }
    }

    /// Argument `index` with this text, which may grow to `capacity` bytes.
    #[must_use]
    pub fn argument(index: u32, text: &[u8], capacity: usize) -> Self {
        let mut bytes = text.to_vec();
        bytes.resize(capacity.max(text.len()), 0);
        Self {
            kind: StreamKind::Argument { index },
            bytes,
        }
    }

    /// Environment variable `name` with this value, which may grow to `capacity` bytes.
    #[must_use]
    pub fn environment(name: &str, value: &[u8], capacity: usize) -> Self {
        let mut bytes = [name.as_bytes(), b"=", value].concat();
        bytes.resize(name.len() + 1 + capacity.max(value.len()), 0);
        Self {
            kind: StreamKind::Environment {
                name: name.to_owned(),
            },
            bytes,
        }
    }

    /// The bytes as the program sees them: a string ends before its first zero byte.
    #[must_use]
    pub fn visible(&self) -> &[u8] {
        if !self.kind.is_string() {
            return &self.bytes;
        }
        let end = self
            .bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(self.bytes.len());
        &self.bytes[..end]
    }
}

/// The bytes that one run gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Input {
    /// The streams; their order is the same for all inputs of a suite.
    pub streams: Vec<InputStream>,
}

impl Input {
    /// An input of these streams.
    #[must_use]
    pub fn new(streams: Vec<InputStream>) -> Self {
        Self { streams }
    }

    /// An input of standard input only.
    #[must_use]
    pub fn stdin(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(vec![InputStream::stdin(bytes)])
    }

    /// An input of the `@@` file only.
    #[must_use]
    pub fn file(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(vec![InputStream::file(INPUT_FILE, bytes)])
    }

    /// An input of input objects only.
    #[must_use]
    pub fn objects(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(vec![InputStream::objects(bytes)])
    }

    /// The kinds of the streams, in order.
    #[must_use]
    pub fn shape(&self) -> Vec<StreamKind> {
        self.streams
            .iter()
            .map(|stream| stream.kind.clone())
            .collect()
    }

    /// The bytes of the objects that the program asks for; none if it asks for none.
    pub(crate) fn object_bytes(&self) -> &[u8] {
        let mut streams = self.streams.iter();
        let objects = streams.find(|stream| stream.kind == StreamKind::Objects);
        objects.map_or(&[], |stream| &stream.bytes)
    }

    /// The byte at an offset of a stream; `None` beyond its end.
    #[must_use]
    pub fn byte(&self, stream: usize, offset: usize) -> Option<u8> {
        self.streams.get(stream)?.bytes.get(offset).copied()
    }

    /// Writes a byte, growing the stream with zeros if it must. Nothing happens if there is no
    /// such stream.
    pub fn set_byte(&mut self, stream: usize, offset: usize, byte: u8) {
        if let Some(stream) = self.streams.get_mut(stream) {
            if stream.bytes.len() <= offset {
                stream.bytes.resize(offset + 1, 0);
            }
            stream.bytes[offset] = byte;
        }
    }

    /// Cuts a stream or grows it with zeros. Nothing happens if there is no such stream.
    pub fn set_length(&mut self, stream: usize, length: usize) {
        if let Some(stream) = self.streams.get_mut(stream) {
            stream.bytes.resize(length, 0);
        }
    }

    /// Number of bytes of all streams.
    #[must_use]
    pub fn len(&self) -> usize {
        self.streams.iter().map(|stream| stream.bytes.len()).sum()
    }

    /// Whether there is no byte at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Zeroes the bytes that no program can see, those after the end of a string. Two inputs
    /// that differ only there are the same test.
    pub fn normalize(&mut self) {
        for stream in &mut self.streams {
            let end = stream.visible().len();
            stream.bytes[end..].fill(0);
        }
    }

    /// A hash that is the same in every process and on every machine (64-bit FNV-1a over kinds,
    /// lengths and bytes).
    #[must_use]
    pub fn stable_hash(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        for stream in &self.streams {
            hash.write(stream.kind.to_string().as_bytes());
            hash.write(&(stream.bytes.len() as u64).to_le_bytes());
            hash.write(&stream.bytes);
        }
        hash.0
    }
}

struct Fnv(u64);

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_first_zero() {
        let mut input = Input::new(vec![
            InputStream::argument(1, b"ab\0cd", 8),
            InputStream::environment("HOME", b"/x", 4),
            InputStream::stdin(*b"a\0b"),
        ]);
        assert_eq!(input.streams[0].visible(), b"ab");
        assert_eq!(input.streams[1].visible(), b"HOME=/x");
        assert_eq!(input.streams[2].visible(), b"a\0b");
        input.normalize();
        assert_eq!(input.streams[0].bytes, b"ab\0\0\0\0\0\0");
        assert_eq!(input.streams[2].bytes, b"a\0b");
    }

    #[test]
    fn hashes_are_stable_and_tell_streams_apart() {
        assert_eq!(
            Input::stdin(*b"abc").stable_hash(),
            Input::stdin(*b"abc").stable_hash()
        );
        assert_ne!(
            Input::stdin(*b"abc").stable_hash(),
            Input::file(*b"abc").stable_hash()
        );
        let split = Input::new(vec![
            InputStream::stdin(*b"ab"),
            InputStream::objects(*b"c"),
        ]);
        let other = Input::new(vec![
            InputStream::stdin(*b"a"),
            InputStream::objects(*b"bc"),
        ]);
        assert_ne!(split.stable_hash(), other.stable_hash());
        assert_eq!(Input::stdin(*b"abc").stable_hash(), 0x8ff4_ba78_e564_61fa);
    }

    #[test]
    fn bytes_beyond_the_end_grow_the_stream() {
        let mut input = Input::stdin(*b"a");
        input.set_byte(0, 3, b'd');
        input.set_byte(1, 0, b'x');
        assert_eq!(input.streams[0].bytes, b"a\0\0d");
        assert_eq!(input.byte(0, 3), Some(b'd'));
        assert_eq!(input.byte(0, 4), None);
        input.set_length(0, 1);
        assert_eq!(input, Input::stdin(*b"a"));
    }
}

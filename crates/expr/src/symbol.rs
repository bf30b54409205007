//! Symbols: the values that a solver may choose.
//!
//! Every symbol has a 64-bit key; the keys of neighboring bytes of a stream are neighbors, so
//! that a set of symbols is a short list of ranges.

/// A value that a solver may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// One byte of an input stream; 8 bits.
    Byte {
        /// Stream id.
        stream: u16,
        /// Offset in the stream.
        offset: u32,
    },
    /// Length in bytes of an input stream; 64 bits.
    Length {
        /// Stream id.
        stream: u16,
    },
    /// Anything else that has a number; the same number always comes with the same width.
    Named {
        /// Number of the symbol.
        id: u32,
        /// Width in bits, 1 to 128.
        width: u8,
    },
}

const LENGTH: u64 = 1 << 48;
const NAMED: u64 = 1 << 49;

impl Symbol {
    /// Width in bits.
    #[must_use]
    pub const fn width(self) -> u32 {
        match self {
            Symbol::Byte { .. } => 8,
            Symbol::Length { .. } => 64,
            Symbol::Named { width, .. } => width as u32,
        }
    }

    /// The key; neighbors among bytes of one stream differ by 1.
    pub(crate) const fn key(self) -> u64 {
        match self {
            Symbol::Byte { stream, offset } => (stream as u64) << 32 | offset as u64,
            Symbol::Length { stream } => LENGTH | stream as u64,
            Symbol::Named { id, width } => NAMED | (width as u64) << 32 | id as u64,
        }
    }

    /// The symbol with this key.
    pub(crate) const fn from_key(key: u64) -> Self {
        if key & NAMED != 0 {
            Symbol::Named {
                id: key as u32,
                width: (key >> 32) as u8,
            }
        } else if key & LENGTH != 0 {
            Symbol::Length { stream: key as u16 }
        } else {
            Symbol::Byte {
                stream: (key >> 32) as u16,
                offset: key as u32,
            }
        }
    }
}

impl std::fmt::Display for Symbol {
    /// A simple SMT-LIB symbol: `in0_12`, `len0` or `v7`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Symbol::Byte { stream, offset } => write!(f, "in{stream}_{offset}"),
            Symbol::Length { stream } => write!(f, "len{stream}"),
            Symbol::Named { id, .. } => write!(f, "v{id}"),
        }
    }
}

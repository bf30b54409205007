//! What the input of a program holds, byte by byte, while a path is tried ([`crate::trial`]): what
//! the command line fixes, and symbols for what the suite's inputs may change.
//!
//! Files are read in **pieces**: where a path does not decide at which offset it goes on, behind a
//! line, the bytes from there on are symbols of their own, by their distance. A file is read from its
//! beginning to its end, so what one piece takes no other does, and a model says where each begins.
//! Where pieces overlap all the same, the later one counts: the earlier only looked ahead.

use std::collections::BTreeMap;

use labrys_expr::{ExprId, Op, Pool};
use labrys_semantics::Symbolic;
use labrys_semantics::environment::{InputPart, Source};
use labrys_suite::{Input, StreamKind};

/// Bits of the length of a stream.
const LENGTH: u32 = 12;

/// A part of the input at an offset.
pub(crate) type Place = (InputPart, u64);

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The arguments, the program's name first.
    line: Vec<Vec<u8>>,
    template: Input,
    /// Offsets at which pieces begin; the first is 0.
    pieces: Vec<ExprId>,
    /// By number of a piece.
    symbols: BTreeMap<(usize, Place), ExprId>,
}

impl Contents {
    /// The inputs with the streams of a template, under a command line, the program's name first.
    pub(crate) fn new(template: Input, line: &[String]) -> Self {
        Contents {
            line: line.iter().map(|one| one.as_bytes().to_vec()).collect(),
            template,
            pieces: Vec::new(),
            symbols: BTreeMap::new(),
        }
    }

    /// Where pieces begin.
    pub(crate) fn pieces(&self) -> &[ExprId] {
        &self.pieces
    }

    /// The symbols that stand for parts of the input, where pieces begin at these offsets; later
    /// ones count.
    pub(crate) fn symbols(&self, begins: &[Option<u64>]) -> Vec<(Place, ExprId)> {
        let symbols = self.symbols.iter();
        let symbols = symbols.filter_map(|((piece, (part, offset)), id)| {
            let begin = match piece.checked_sub(1) {
                Some(at) => (*begins.get(at)?)?,
                None => 0,
            };
            Some(((*part, offset.wrapping_add(begin)), *id))
        });
        symbols.collect()
    }

    /// So many bytes of a file from an offset on that is not fixed; `None` if nothing is known of
    /// them.
    pub(crate) fn read_on(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        part: InputPart,
        offset: ExprId,
        size: u32,
    ) -> Option<ExprId> {
        let InputPart::Bytes(Source::Stdin | Source::File) = part else {
            return None;
        };
        let (begin, distance) = split(symbolic.pool, offset);
        let known = self.pieces.iter().position(|one| *one == begin);
        let piece = known.unwrap_or(self.pieces.len());
        if piece == self.pieces.len() {
            self.pieces.push(begin);
        }
        let bytes = 0..u64::from(size);
        let bytes = bytes.map(|index| {
            let place = (part, distance.wrapping_add(index));
            self.symbol(symbolic, (piece + 1, place), 8)
        });
        let bytes: Vec<ExprId> = bytes.collect();
        let bytes = bytes.into_iter();
        bytes.reduce(|low, byte| symbolic.pool.concat(byte, low))
    }

    /// So many bytes of a part; `None` if nothing is known of them.
    pub(crate) fn read(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        part: InputPart,
        offset: u64,
        size: u32,
    ) -> Option<ExprId> {
        match part {
            InputPart::Count if (offset, size) == (0, 4) => {
                Some(symbolic.pool.constant(32, self.line.len() as u128))
            }
            InputPart::Length(source) if (offset, size) == (0, 8) => {
                if self.stream(source).is_none() {
                    return Some(symbolic.pool.constant(64, 0));
                }
                let length = self.symbol(symbolic, (0, (part, 0)), LENGTH);
                Some(symbolic.pool.zext(length, 64))
            }
            InputPart::Bytes(source) => {
                let mut value: Option<ExprId> = None;
                for index in 0..u64::from(size) {
                    let byte = self.byte(symbolic, source, offset.checked_add(index)?)?;
                    value = Some(match value {
                        Some(low) => symbolic.pool.concat(byte, low),
                        None => byte,
                    });
                }
                value
            }
            _ => None,
        }
    }

    fn symbol(&mut self, symbolic: &mut Symbolic<'_>, place: (usize, Place), width: u32) -> ExprId {
        let known = self.symbols.entry(place);
        *known.or_insert_with(|| symbolic.fresh(width))
    }

    fn byte(&mut self, symbolic: &mut Symbolic<'_>, from: Source, offset: u64) -> Option<ExprId> {
        let place = (0, (InputPart::Bytes(from), offset));
        let Source::Argument(number) = from else {
            let inside = offset < 1 << LENGTH;
            return inside.then(|| self.symbol(symbolic, place, 8));
        };
        // The most bytes of an argument that inputs change, or the bytes of a fixed one.
        let changes = self.stream(from).map(|bytes| bytes.len() as u64);
        let fixed = self.line.get(number as usize);
        let length = changes.or_else(|| Some(fixed?.len() as u64))?;
        if offset > length {
            return None;
        }
        if changes.is_some() && offset < length {
            return Some(self.symbol(symbolic, place, 8));
        }
        let byte = fixed.and_then(|text| text.get(usize::try_from(offset).ok()?));
        let byte = byte.copied().filter(|_| offset < length).unwrap_or(0);
        Some(symbolic.pool.constant(8, byte.into()))
    }

    fn stream(&self, wanted: Source) -> Option<&[u8]> {
        let mut streams = self.template.streams.iter().enumerate();
        let found = streams.find(|(at, _)| source(&self.template, *at) == Some(wanted));
        found.map(|(_, stream)| &stream.bytes[..])
    }
}

/// A sum as what is not fixed in it and a number.
fn split(pool: &mut Pool, sum: ExprId) -> (ExprId, u64) {
    let mut terms = vec![sum];
    let mut number = 0u64;
    let mut rest = pool.constant(64, 0);
    while let Some(term) = terms.pop() {
        if let Some(bits) = pool.bits(term) {
            number = number.wrapping_add(bits as u64);
        } else if pool.op(term) == Op::Add {
            terms.extend(pool.node(term).operands());
        } else {
            rest = pool.add(rest, term);
        }
    }
    (rest, number)
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

/// An input with some parts put in place of those of a template.
pub(crate) fn overlaid(template: &Input, known: &BTreeMap<Place, u128>) -> Input {
    let mut input = template.clone();
    for index in 0..input.streams.len() {
        let Some(from) = source(template, index) else {
            continue;
        };
        let bytes = &mut input.streams[index].bytes;
        if !template.streams[index].kind.is_string() {
            let Some(length) = known.get(&(InputPart::Length(from), 0)) else {
                continue;
            };
            bytes.resize(*length as usize, 0);
        }
        let first = (InputPart::Bytes(from), 0);
        let last = (InputPart::Bytes(from), u64::MAX);
        for ((_, offset), value) in known.range(first..=last) {
            if let Some(byte) = bytes.get_mut(*offset as usize) {
                *byte = *value as u8;
            }
        }
    }
    input.normalize();
    input
}

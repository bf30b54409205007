//! The pool of pieces of earlier inputs, by what the program reads in them.
//!
//! Few are kept of each kind and alternative of the grammar (the branches that a call itself took),
//! so that a rare phrase is as likely to be drawn as a frequent one.

use labrys_program::Program;
use labrys_suite::Input;
use labrys_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::pieces::{CallPairs, Kind, Piece, pieces};

/// Pieces that are kept of one alternative.
const PER_ALTERNATIVE: usize = 8;
/// Alternatives of a kind, at most.
const ALTERNATIVES: usize = 32;

/// Pieces of earlier inputs.
#[derive(Debug, Default)]
pub(crate) struct PiecePool {
    calls: CallPairs,
    kinds: FxHashMap<Kind, Vec<Alternative>>,
    /// Kinds of calls that came one after the other.
    lists: FxHashSet<Kind>,
}

/// Pieces that were read on the same branches.
#[derive(Debug)]
struct Alternative {
    alternative: u64,
    pieces: Vec<Vec<u8>>,
}

impl PiecePool {
    pub(crate) fn of(program: &Program) -> Self {
        PiecePool {
            calls: CallPairs::of(program),
            ..PiecePool::default()
        }
    }

    /// The pieces of a run.
    pub(crate) fn pieces(&self, trace: &Trace, program: &Program) -> Vec<Piece> {
        pieces(trace, program, &self.calls)
    }

    /// The number of alternatives of a kind.
    pub(crate) fn alternatives(&self, kind: Kind) -> usize {
        self.kinds.get(&kind).map_or(0, Vec::len)
    }

    /// Keeps the whole pieces of an input.
    pub(crate) fn learn(&mut self, input: &Input, pieces: &[Piece], rng: &mut fastrand::Rng) {
        let starts = pieces
            .iter()
            .map(|piece| (piece.kind, piece.stream, piece.start));
        let starts: FxHashSet<_> = starts.collect();
        let first = |piece: &&Piece| starts.contains(&(piece.kind, piece.stream, piece.end));
        self.lists
            .extend(pieces.iter().filter(first).map(|piece| piece.kind));
        for piece in pieces.iter().filter(|piece| piece.whole) {
            let stream = input.streams.get(piece.stream);
            let bytes = stream.and_then(|stream| stream.visible().get(piece.start..piece.end));
            if let Some(bytes) = bytes {
                self.keep(piece, bytes, rng);
            }
        }
    }

    /// Whether pieces of a kind come one after the other: iterations of loops, and calls in them.
    pub(crate) fn is_element(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Iteration(_)) || self.lists.contains(&kind)
    }

    /// Keeps a piece; where there is no more room, in the place of another one.
    fn keep(&mut self, piece: &Piece, bytes: &[u8], rng: &mut fastrand::Rng) {
        let alternatives = self.kinds.entry(piece.kind).or_default();
        let known = alternatives
            .iter()
            .position(|alternative| alternative.alternative == piece.alternative);
        let Some(index) = known else {
            if alternatives.len() < ALTERNATIVES {
                let pieces = vec![bytes.to_vec()];
                let alternative = piece.alternative;
                alternatives.push(Alternative {
                    alternative,
                    pieces,
                });
            }
            return;
        };
        let kept = &mut alternatives[index].pieces;
        if kept.iter().any(|other| other == bytes) {
            return;
        }
        if kept.len() < PER_ALTERNATIVE {
            kept.push(bytes.to_vec());
        } else {
            kept[rng.usize(..PER_ALTERNATIVE)] = bytes.to_vec();
        }
    }

    /// Another piece of this kind: each alternative as likely as the others, short ones
    /// more likely than long ones.
    pub(crate) fn draw(&self, kind: Kind, than: &[u8], rng: &mut fastrand::Rng) -> Option<&[u8]> {
        let alternative = rng.choice(self.kinds.get(&kind)?)?;
        let mut drawn = rng.choice(&alternative.pieces)?;
        if rng.bool() {
            let other = rng.choice(&alternative.pieces)?;
            drawn = std::cmp::min_by_key(drawn, other, |piece| piece.len());
        }
        (drawn != than).then_some(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_alternative_is_as_likely() {
        let mut pool = PiecePool::default();
        let mut rng = fastrand::Rng::with_seed(1);
        let piece = |alternative| Piece {
            kind: Kind::Call(1),
            stream: 0,
            start: 0,
            end: 1,
            alternative,
            whole: true,
        };
        for number in 0..1000 {
            pool.keep(&piece(7), format!("{number}").as_bytes(), &mut rng);
        }
        pool.keep(&piece(8), b"[]", &mut rng);
        let mut lists = 0;
        for _ in 0..1000 {
            let drawn = pool.draw(Kind::Call(1), b"x", &mut rng);
            lists += u32::from(drawn == Some(b"[]"));
        }
        assert!((400..600).contains(&lists), "{lists}");
        assert_eq!(pool.draw(Kind::Iteration(1), b"x", &mut rng), None);
    }

    /// Lines come one after the other, so there may be one more; a header does not.
    #[test]
    fn what_comes_in_lists_is_known() {
        let piece = |kind, start, end| Piece {
            kind: Kind::Call(kind),
            stream: 0,
            start,
            end,
            alternative: 0,
            whole: true,
        };
        let (header, line) = (1, 2);
        let pieces = [piece(header, 0, 2), piece(line, 2, 4), piece(line, 4, 6)];
        let mut pool = PiecePool::default();
        let mut rng = fastrand::Rng::with_seed(1);
        pool.learn(&Input::stdin(*b"H\na\nb\n"), &pieces, &mut rng);
        assert!(pool.is_element(Kind::Call(line)) && pool.is_element(Kind::Iteration(header)));
        assert!(!pool.is_element(Kind::Call(header)));
    }
}

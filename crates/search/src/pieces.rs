//! Pieces: what each call of a program read of its input.
//!
//! A parser that descends recursively reads one phrase of its grammar per call, a loop one element
//! of a list per turn. So a run shows, without a grammar, where its input can be taken apart (as
//! in Höschele and Zeller, "Mining input grammars from dynamic taints", ASE 2016): decisions tell
//! which byte was looked at, and by the stack pointer, in which call. A piece may stand where
//! another one of its kind stood, in this input or in another one.
//!
//! What a call reads begins with the byte of its first decision and ends with the furthest byte it
//! looked at, or before the byte that its caller looks at next: the call only saw that its phrase
//! was over.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use labrys_suite::Input;
use labrys_trace::{Step, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Decisions of a run that are looked at, from its end.
const STEPS: usize = 4096;
/// Longest piece that is kept.
const LONGEST: usize = 256;
/// Pieces that are kept which are read in the same way.
const PER_WAY: usize = 8;
/// Ways to read a piece of a kind, at most.
const WAYS: usize = 32;

/// What a piece is, calls before turns: of the call whose first own decision is at this site, or of a turn of the loop
/// that comes back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Call(u32),
    Turn(u32),
}

/// Bytes `start..end` of a stream, never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) stream: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Hash of the branches that the call or turn itself took: the alternative of the grammar.
    pub(crate) way: u64,
    /// Whether the program went on behind it: what it failed at may be half a phrase.
    pub(crate) whole: bool,
}

/// A decision on bytes.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// As `(site, direction)`.
    branch: (u32, u32),
    frame: u64,
    stream: usize,
    /// The furthest byte that was looked at.
    at: usize,
}

/// A call that has not returned.
struct Open {
    frame: u64,
    stream: usize,
    start: usize,
    end: usize,
    /// The branches that it took itself, never none.
    branches: Vec<(u32, u32)>,
    /// By own site: the byte that was looked at last there, and the number of branches before.
    turns: FxHashMap<u32, (usize, usize)>,
}

impl Open {
    fn of(look: &Look) -> Open {
        Open {
            frame: look.frame,
            stream: look.stream,
            start: look.at,
            end: look.at + 1,
            branches: Vec::new(),
            turns: FxHashMap::default(),
        }
    }

    /// The hash of the set of its branches from a number on.
    fn way(&self, from: usize) -> u64 {
        let branches: BTreeSet<_> = self.branches[from..].iter().collect();
        let mut hash = rustc_hash::FxHasher::default();
        branches.hash(&mut hash);
        hash.finish()
    }

    /// Books a decision of its own; the turn that it ends.
    fn decide(&mut self, look: &Look) -> Option<Piece> {
        let (site, _) = look.branch;
        let now = (look.at, self.branches.len());
        let last = (look.stream == self.stream).then(|| self.turns.insert(site, now));
        let turn = last.flatten().map(|(start, from)| Piece {
            kind: Kind::Turn(site),
            stream: look.stream,
            start,
            end: look.at,
            way: self.way(from),
            whole: true,
        });
        self.branches.push(look.branch);
        turn
    }
}

/// The pieces of a run's input, each once.
pub(crate) fn pieces(trace: &Trace) -> Vec<Piece> {
    let steps = trace.steps();
    let from = steps.len().saturating_sub(STEPS);
    of_looks((from..steps.len()).filter_map(|step| look(trace, step)))
}

fn look(trace: &Trace, step: usize) -> Option<Look> {
    let frame = trace.frame(step)?;
    let (stream, at) = trace.last_byte_of(step)?;
    let Step {
        site, direction, ..
    } = trace.steps()[step];
    Some(Look {
        branch: (site, direction),
        frame,
        stream: usize::from(stream),
        at: at as usize,
    })
}

fn of_looks(looks: impl Iterator<Item = Look>) -> Vec<Piece> {
    let mut found = Found::default();
    let mut open: Vec<Open> = Vec::new();
    for look in looks {
        while let Some(inner) = open.last()
            && inner.frame < look.frame
        {
            found.call(inner, Some(&look));
            open.pop();
        }
        if open.last().is_none_or(|inner| inner.frame > look.frame) {
            open.push(Open::of(&look));
        }
        for call in open.iter_mut().filter(|call| call.stream == look.stream) {
            call.end = call.end.max(look.at + 1);
        }
        if let Some(own) = open.last_mut() {
            own.decide(&look)
                .into_iter()
                .for_each(|turn| found.add(turn));
        }
    }
    open.iter().rev().for_each(|inner| found.call(inner, None));
    found.once()
}

#[derive(Default)]
struct Found(Vec<Piece>);

impl Found {
    /// A call that returned before `next` was decided.
    fn call(&mut self, call: &Open, next: Option<&Look>) {
        let next = next.filter(|next| next.stream == call.stream && next.at >= call.start);
        let end = next.map_or(call.end, |next| next.at.min(call.end));
        self.add(Piece {
            kind: Kind::Call(call.branches[0].0),
            stream: call.stream,
            start: call.start,
            end,
            way: call.way(0),
            whole: next.is_some(),
        });
    }

    fn add(&mut self, piece: Piece) {
        let length = piece.end.saturating_sub(piece.start);
        if (1..=LONGEST).contains(&length) {
            self.0.push(piece);
        }
    }

    /// Of several that are the same bytes only one, a call before turns.
    fn once(mut self) -> Vec<Piece> {
        self.0.sort_by_key(|piece| piece.kind);
        let mut known = FxHashSet::default();
        self.0
            .retain(|piece| known.insert((piece.stream, piece.start, piece.end)));
        self.0
    }
}

/// Pieces of earlier inputs.
#[derive(Debug, Default)]
pub(crate) struct Larder(FxHashMap<Kind, Vec<Way>>);

/// Pieces that were read in the same way.
#[derive(Debug)]
struct Way {
    way: u64,
    pieces: Vec<Vec<u8>>,
}

impl Larder {
    /// Keeps the whole pieces of an input.
    pub(crate) fn learn(&mut self, input: &Input, pieces: &[Piece], rng: &mut fastrand::Rng) {
        for piece in pieces.iter().filter(|piece| piece.whole) {
            let stream = input.streams.get(piece.stream);
            let bytes = stream.and_then(|stream| stream.visible().get(piece.start..piece.end));
            if let Some(bytes) = bytes {
                self.keep(piece, bytes, rng);
            }
        }
    }

    /// Keeps a piece; where there is no more room, in the place of another one.
    fn keep(&mut self, piece: &Piece, bytes: &[u8], rng: &mut fastrand::Rng) {
        let ways = self.0.entry(piece.kind).or_default();
        let known = ways.iter().position(|way| way.way == piece.way);
        let Some(index) = known else {
            if ways.len() < WAYS {
                let pieces = vec![bytes.to_vec()];
                let way = piece.way;
                ways.push(Way { way, pieces });
            }
            return;
        };
        let kept = &mut ways[index].pieces;
        if kept.iter().any(|other| other == bytes) {
            return;
        }
        if kept.len() < PER_WAY {
            kept.push(bytes.to_vec());
        } else {
            kept[rng.usize(..PER_WAY)] = bytes.to_vec();
        }
    }

    /// Another piece of this kind: each way to read it as likely as the others, short ones
    /// more likely than long ones.
    pub(crate) fn draw(&self, kind: Kind, than: &[u8], rng: &mut fastrand::Rng) -> Option<&[u8]> {
        let way = rng.choice(self.0.get(&kind)?)?;
        let mut drawn = rng.choice(&way.pieces)?;
        if rng.bool() {
            let other = rng.choice(&way.pieces)?;
            drawn = std::cmp::min_by_key(drawn, other, |piece| piece.len());
        }
        (drawn != than).then_some(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: u32 = 1;
    const DIGITS: u32 = 2;
    const MORE: u32 = 3;

    fn look(site: u32, direction: u32, depth: u64, at: usize) -> Look {
        Look {
            branch: (site, direction),
            frame: 1000 - depth,
            stream: 0,
            at,
        }
    }

    /// How a parser that descends recursively reads `[12,[]]`, and its caller the end.
    fn nested() -> Vec<Look> {
        vec![
            look(VALUE, 1, 10, 0),
            look(VALUE, 0, 20, 1),
            look(DIGITS, 1, 30, 1),
            look(DIGITS, 1, 30, 2),
            look(DIGITS, 0, 30, 3),
            look(MORE, 1, 10, 3),
            look(VALUE, 1, 20, 4),
            look(VALUE, 2, 30, 5),
            look(MORE, 0, 20, 5),
            look(MORE, 0, 10, 6),
            look(9, 0, 0, 7),
        ]
    }

    fn texts(pieces: &[Piece], kind: Kind) -> Vec<&'static str> {
        let of_kind = pieces.iter().filter(|piece| piece.kind == kind);
        of_kind
            .map(|piece| &"[12,[]]."[piece.start..piece.end])
            .collect()
    }

    /// Each call read a value, without what its caller looks at next.
    #[test]
    fn calls_read_phrases() {
        let pieces = of_looks(nested().into_iter());
        let values = texts(&pieces, Kind::Call(VALUE));
        assert_eq!(values, ["12", "[]", "[12,[]]"]);
        assert_eq!(texts(&pieces, Kind::Turn(DIGITS)), ["1", "2"]);
        assert_eq!(texts(&pieces, Kind::Turn(MORE)), [",[]"]);
        assert!(pieces.iter().all(|piece| piece.whole == (piece.end < 8)));
    }

    /// A number and a list are read in different ways, two lists in the same one.
    #[test]
    fn ways_are_alternatives() {
        let pieces = of_looks(nested().into_iter());
        let ways: Vec<u64> = pieces[..3].iter().map(|piece| piece.way).collect();
        assert_ne!(ways[0], ways[1]);
        let again = nested().into_iter().map(|look| Look {
            at: look.at + 20,
            ..look
        });
        let again = of_looks(again);
        assert_eq!(again[1].way, ways[1]);
    }

    /// What the program did not go on behind is kept apart.
    #[test]
    fn a_phrase_that_ends_the_run_is_not_whole() {
        let pieces = of_looks(nested().into_iter().take(4));
        let whole = |piece: &&Piece| piece.whole;
        assert_eq!(pieces.iter().filter(whole).count(), 1);
        assert_eq!(texts(&pieces, Kind::Call(VALUE)), ["12", "[12"]);
    }

    #[test]
    fn the_larder_gives_each_way_its_turn() {
        let mut larder = Larder::default();
        let mut rng = fastrand::Rng::with_seed(1);
        let piece = |way| Piece {
            kind: Kind::Call(1),
            stream: 0,
            start: 0,
            end: 1,
            way,
            whole: true,
        };
        for number in 0..1000 {
            larder.keep(&piece(7), format!("{number}").as_bytes(), &mut rng);
        }
        larder.keep(&piece(8), b"[]", &mut rng);
        let mut lists = 0;
        for _ in 0..1000 {
            let drawn = larder.draw(Kind::Call(1), b"x", &mut rng);
            lists += u32::from(drawn == Some(b"[]"));
        }
        assert!((400..600).contains(&lists), "{lists}");
        assert_eq!(larder.draw(Kind::Turn(1), b"x", &mut rng), None);
    }
}

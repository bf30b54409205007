//! Pieces: what each call of a program read of its input.
//!
//! A parser that descends recursively reads one phrase of its grammar per call, a loop one element
//! of a list per iteration. So a run shows, without a grammar, where its input can be taken apart (as
//! in Höschele and Zeller, "Mining input grammars from dynamic taints", ASE 2016): decisions tell
//! which byte was looked at, and by the stack pointer, in which call. A piece may stand where
//! another one of its kind stood, in this input or in another one.
//!
//! What a call reads begins with the byte of its first decision and ends with the furthest byte it
//! looked at, or before the byte that its caller looks at next: the call only saw that its phrase
//! was over. What is read and then looked at from its beginning again, as a line is, is a piece too.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use labrys_program::{FunctionId, Program, SiteId, graph::CallGraph};
use labrys_trace::{Step, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Decisions of a run that are looked at, from its end.
const STEPS: usize = 4096;
/// Longest piece that is kept.
const LONGEST: usize = 256;

/// What a piece is, calls before iterations: of the call whose first own decision is at this site, or of
/// an iteration of the loop that comes back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Call(u32),
    Iteration(u32),
}

/// Bytes `start..end` of a stream, never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) stream: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Hash of the branches that the call or iteration itself took: the alternative of the grammar.
    pub(crate) alternative: u64,
    /// Whether the program went on behind it: what it failed at may be half a phrase.
    pub(crate) whole: bool,
}

/// A decision on bytes.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// As `(site, direction)`.
    branch: (u32, u32),
    /// That decided.
    function: FunctionId,
    frame: u64,
    stream: usize,
    /// The furthest byte that was looked at.
    at: usize,
}

/// A call that has not returned.
struct Open {
    frame: u64,
    function: FunctionId,
    stream: usize,
    start: usize,
    end: usize,
    /// The branches that it took itself, never none.
    branches: Vec<(u32, u32)>,
    /// By own site: the byte that was looked at last there, and the number of branches before.
    iterations: FxHashMap<u32, (usize, usize)>,
}

impl Open {
    fn of(look: &Look) -> Open {
        Open {
            frame: look.frame,
            function: look.function,
            stream: look.stream,
            start: look.at,
            end: look.at + 1,
            branches: Vec::new(),
            iterations: FxHashMap::default(),
        }
    }

    /// Whether a decision may be its own.
    fn made(&self, look: &Look) -> bool {
        (self.frame, self.function) == (look.frame, look.function)
    }

    /// The hash of the set of its branches from a number on.
    fn alternative(&self, from: usize) -> u64 {
        let branches: BTreeSet<_> = self.branches[from..].iter().collect();
        let mut hash = rustc_hash::FxHasher::default();
        branches.hash(&mut hash);
        hash.finish()
    }

    /// Books a decision of its own; the iteration that it ends.
    fn decide(&mut self, look: &Look) -> Option<Piece> {
        let (site, _) = look.branch;
        let now = (look.at, self.branches.len());
        let last = (look.stream == self.stream).then(|| self.iterations.insert(site, now));
        let iteration = last.flatten().map(|(start, from)| Piece {
            kind: Kind::Iteration(site),
            stream: look.stream,
            start,
            end: look.at,
            alternative: self.alternative(from),
            whole: true,
        });
        self.branches.push(look.branch);
        iteration
    }
}

/// What decides in library models: any function calls it.
const LIBRARY: FunctionId = FunctionId(u32::MAX);

/// Which functions of a program call which.
#[derive(Debug, Default)]
pub(crate) struct CallPairs(FxHashSet<(FunctionId, FunctionId)>);

impl CallPairs {
    pub(crate) fn of(program: &Program) -> Self {
        let graph = CallGraph::new(program);
        let pairs = graph.calls().iter().flat_map(|call| {
            let callees = graph.callees(call).iter();
            callees.map(|callee| (call.function, *callee))
        });
        CallPairs(pairs.collect())
    }

    fn has(&self, caller: FunctionId, callee: FunctionId) -> bool {
        callee == LIBRARY || self.0.contains(&(caller, callee))
    }
}

/// The pieces of a run's input, each once.
pub(crate) fn pieces(trace: &Trace, program: &Program, calls: &CallPairs) -> Vec<Piece> {
    let steps = trace.steps();
    let from = steps.len().saturating_sub(STEPS);
    let looks = (from..steps.len()).filter_map(|step| look(trace, program, step));
    of_looks(looks, calls)
}

fn look(trace: &Trace, program: &Program, step: usize) -> Option<Look> {
    let frame = trace.frame(step)?;
    let (stream, at) = trace.last_byte_of(step)?;
    let Step {
        site, direction, ..
    } = trace.steps()[step];
    Some(Look {
        branch: (site, direction),
        function: program
            .site(SiteId(site))
            .map_or(LIBRARY, |site| site.function),
        frame,
        stream: usize::from(stream),
        at: at as usize,
    })
}

fn of_looks(looks: impl Iterator<Item = Look>, calls: &CallPairs) -> Vec<Piece> {
    let mut found = Found::default();
    let mut open: Vec<Open> = Vec::new();
    for look in looks {
        let going_on = going_on(&open, &look, calls);
        for inner in open.drain(going_on..).rev() {
            found.call(&inner, Some(&look));
        }
        if open.last().is_none_or(|inner| !inner.made(&look)) {
            open.push(Open::of(&look));
        }
        for call in open.iter_mut().filter(|call| call.stream == look.stream) {
            call.end = call.end.max(look.at + 1);
        }
        if let Some(own) = open.last_mut() {
            own.decide(&look)
                .into_iter()
                .for_each(|iteration| found.add(iteration));
        }
    }
    open.iter().rev().for_each(|inner| found.call(inner, None));
    found.once()
}

/// How many of the open calls go on with a decision: the others have returned. Calls of the same
/// frame are parts of one function that the compiler made of several, or come one after the other.
fn going_on(open: &[Open], look: &Look, calls: &CallPairs) -> usize {
    let outer = open.partition_point(|call| call.frame > look.frame);
    let same = open.partition_point(|call| call.frame >= look.frame);
    if let Some(own) = open[outer..same].iter().rposition(|call| call.made(look)) {
        return outer + own + 1;
    }
    let caller = |call: &Open| calls.has(call.function, look.function);
    let caller = open[outer..same].iter().rposition(caller);
    caller.map_or(outer, |caller| outer + caller + 1)
}

#[derive(Default)]
struct Found(Vec<Piece>);

impl Found {
    /// A call that returned before `next` was decided.
    fn call(&mut self, call: &Open, next: Option<&Look>) {
        let next = next.filter(|next| next.stream == call.stream);
        // What is looked at from the beginning again was read for that.
        let again = |next: &&Look| next.at <= call.start && call.end - call.start > 1;
        let end = match next.filter(|next| !again(next)) {
            Some(next) => next.at.min(call.end),
            None => call.end,
        };
        self.add(Piece {
            kind: Kind::Call(call.branches[0].0),
            stream: call.stream,
            start: call.start,
            end,
            alternative: call.alternative(0),
            whole: next.is_some(),
        });
    }

    fn add(&mut self, piece: Piece) {
        let length = piece.end.saturating_sub(piece.start);
        if (1..=LONGEST).contains(&length) {
            self.0.push(piece);
        }
    }

    /// Each kind of the same bytes once, and iterations only where they are no call: a phrase that is
    /// nothing but another one may stand for either.
    fn once(mut self) -> Vec<Piece> {
        self.0.sort_by_key(|piece| piece.kind);
        let mut calls = FxHashSet::default();
        let mut known = FxHashSet::default();
        self.0.retain(|piece| {
            let bytes = (piece.stream, piece.start, piece.end);
            match piece.kind {
                Kind::Call(_) => {
                    calls.insert(bytes);
                    known.insert((piece.kind, bytes))
                }
                Kind::Iteration(_) => {
                    !calls.contains(&bytes) && known.insert((Kind::Iteration(0), bytes))
                }
            }
        });
        self.0
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
            function: FunctionId(0),
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
        let pieces = of_looks(nested().into_iter(), &CallPairs::default());
        let values = texts(&pieces, Kind::Call(VALUE));
        assert_eq!(values, ["12", "[]", "[12,[]]"]);
        assert_eq!(texts(&pieces, Kind::Iteration(DIGITS)), ["1", "2"]);
        assert_eq!(texts(&pieces, Kind::Iteration(MORE)), [",[]"]);
        assert!(pieces.iter().all(|piece| piece.whole == (piece.end < 8)));
    }

    /// A number and a list are different alternatives, two lists are the same one.
    #[test]
    fn branches_tell_alternatives_apart() {
        let pieces = of_looks(nested().into_iter(), &CallPairs::default());
        let alternatives: Vec<u64> = pieces[..3].iter().map(|piece| piece.alternative).collect();
        assert_ne!(alternatives[0], alternatives[1]);
        let again = nested().into_iter().map(|look| Look {
            at: look.at + 20,
            ..look
        });
        let again = of_looks(again, &CallPairs::default());
        assert_eq!(again[1].alternative, alternatives[1]);
    }

    /// What the program did not go on behind is kept apart.
    #[test]
    fn a_phrase_that_ends_the_run_is_not_whole() {
        let pieces = of_looks(nested().into_iter().take(4), &CallPairs::default());
        let whole = |piece: &&Piece| piece.whole;
        assert_eq!(pieces.iter().filter(whole).count(), 1);
        assert_eq!(texts(&pieces, Kind::Call(VALUE)), ["12", "[12"]);
    }

    /// A text is read, then blanks, by two calls that have the same frame: each is a piece of its
    /// own, unless the first calls the second.
    #[test]
    fn calls_of_one_frame_are_told_apart() {
        let of = |function, look| Look {
            function: FunctionId(function),
            ..look
        };
        let looks = [
            of(1, look(4, 1, 20, 0)),
            of(1, look(4, 0, 20, 1)),
            of(2, look(5, 1, 20, 2)),
            of(2, look(5, 0, 20, 3)),
            of(0, look(9, 0, 10, 3)),
        ];
        let calls = |calls: &CallPairs| {
            let pieces = of_looks(looks.into_iter(), calls);
            let own = [Kind::Call(4), Kind::Call(5)];
            let calls = pieces.iter().filter(|piece| own.contains(&piece.kind));
            calls
                .map(|piece| (piece.kind, piece.start..piece.end))
                .collect::<Vec<_>>()
        };
        let text = |end| (Kind::Call(4), 0..end);
        let blanks = (Kind::Call(5), 2..3);
        assert_eq!(calls(&CallPairs::default()), [text(2), blanks.clone()]);
        let inner = CallPairs([(FunctionId(1), FunctionId(2))].into_iter().collect());
        assert_eq!(calls(&inner), [text(3), blanks]);
    }

    /// Three bytes are read, then looked at from the first one on.
    #[test]
    fn a_line_is_a_piece() {
        let line = (0..3).map(|at| look(MORE, 1, 20, at));
        let looks = line.chain([look(VALUE, 1, 10, 0), look(VALUE, 1, 10, 1)]);
        let pieces = of_looks(looks, &CallPairs::default());
        let calls = pieces
            .iter()
            .filter(|piece| piece.kind == Kind::Call(MORE) && piece.whole);
        let calls: Vec<_> = calls.map(|piece| (piece.start, piece.end)).collect();
        assert_eq!(calls, [(0, 3)]);
    }
}

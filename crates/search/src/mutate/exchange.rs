//! Exchange: an input with other pieces in the place of some of its own (see [`super::pieces`]).
//!
//! Where pieces are phrases of a grammar, the input goes on being a text of it. So it does where a
//! phrase stands inside another one of its kind, and what is around it is repeated: by the pumping
//! lemma, with both places known. Often its length matters too, so every second time it is brought
//! back to one that is worth having, by iterations of loops that are left out or repeated. No query is
//! asked.
//!
//! Law: a stream that is not a file keeps its length; a file grows to at most the limit.

use std::collections::BTreeSet;

use labrys_suite::Input;

use super::pieces::{Kind, Piece};
use super::pool::PiecePool;
use super::pump::copies;

/// Iterations that are left out or repeated for the sake of the length.
const ITERATIONS: usize = 24;

/// Bytes in the place of others, none of which overlap.
struct Edits<'a> {
    bytes: &'a [u8],
    list: Vec<(usize, usize, Vec<u8>)>,
}

impl Edits<'_> {
    fn is_free(&self, start: usize, end: usize) -> bool {
        let apart = |edit: &(usize, usize, Vec<u8>)| end <= edit.0 || edit.1 <= start;
        self.list.iter().all(apart)
    }

    fn length(&self) -> usize {
        let edits = self.list.iter();
        edits.fold(self.bytes.len(), |length, (start, end, new)| {
            length + new.len() - (end - start)
        })
    }

    fn apply(mut self) -> Vec<u8> {
        self.list.sort_by_key(|(start, end, _)| (*start, *end));
        let mut done = Vec::with_capacity(self.length());
        let mut at = 0;
        for (start, end, new) in &self.list {
            done.extend(&self.bytes[at..*start]);
            done.extend(new);
            at = *end;
        }
        done.extend(&self.bytes[at..]);
        done
    }
}

/// Puts other pieces in the place of one or two; `None` if there is nothing to exchange. `fill` is
/// a length that is worth reaching exactly.
pub(crate) fn exchange(
    parent: &Input,
    pieces: &[Piece],
    pool: &PiecePool,
    fill: usize,
    max_length: usize,
    rng: &mut fastrand::Rng,
) -> Option<Input> {
    let index = rng.choice(pieces)?.stream;
    let stream = parent.streams.get(index)?;
    let bytes = stream.visible();
    let inside = |piece: &&Piece| piece.stream == index && piece.end <= bytes.len();
    let pieces: Vec<Piece> = pieces.iter().filter(inside).copied().collect();
    let mut edits = Edits {
        bytes,
        list: Vec::new(),
    };
    if rng.u8(..4) > 0 || !nest(&mut edits, &pieces, fill, rng) {
        for _ in 0..rng.usize(1..=2) {
            put(&mut edits, &pieces, pool, rng);
        }
    }
    if edits.list.is_empty() {
        return None;
    }
    if rng.u8(..4) > 0 {
        let length = if rng.u8(..4) == 0 { fill } else { bytes.len() };
        fit(&mut edits, &pieces, pool, length, rng);
    }
    let mut changed = edits.apply();
    let mut child = parent.clone();
    if stream.kind.is_file() {
        changed.truncate(max_length);
    } else {
        changed.resize(stream.bytes.len(), 0);
    }
    child.streams[index].bytes = changed;
    child.normalize();
    Some(child)
}

/// Puts another piece in the place of a random one. Every second time it is of this input, too; in a
/// list it may come before the old one or behind it.
fn put(edits: &mut Edits, pieces: &[Piece], pool: &PiecePool, rng: &mut fastrand::Rng) {
    let kind = draw_kind(pieces, pool, rng);
    let of_kind = pieces.iter().filter(|piece| Some(piece.kind) == kind);
    let of_kind: Vec<&Piece> = of_kind.collect();
    let Some(piece) = rng.choice(&of_kind) else {
        return;
    };
    let (start, end) = match pool.is_element(piece.kind) && rng.bool() {
        false => (piece.start, piece.end),
        true if rng.bool() => (piece.start, piece.start),
        true => (piece.end, piece.end),
    };
    let old = &edits.bytes[start..end];
    let new = if rng.bool() {
        pool.draw(piece.kind, old, rng)
    } else {
        let other = rng.choice(&of_kind);
        let bytes = other.map(|other| &edits.bytes[other.start..other.end]);
        bytes.filter(|bytes| *bytes != old)
    };
    if let Some(new) = new.filter(|_| edits.is_free(piece.start, piece.end)) {
        edits.list.push((start, end, new.to_vec()));
    }
}

/// A kind of these pieces, the more likely the more alternatives it has.
fn draw_kind(pieces: &[Piece], pool: &PiecePool, rng: &mut fastrand::Rng) -> Option<Kind> {
    let kinds: BTreeSet<Kind> = pieces.iter().map(|piece| piece.kind).collect();
    let alternatives = |kind: &Kind| pool.alternatives(*kind).max(1);
    let mut left = rng.usize(..kinds.iter().map(alternatives).sum::<usize>().max(1));
    kinds.into_iter().find(|kind| {
        let here = left < alternatives(kind);
        left = left.saturating_sub(alternatives(kind));
        here
    })
}

/// Repeats what is around a call inside another one of its kind; whether there is one.
fn nest(edits: &mut Edits, pieces: &[Piece], fill: usize, rng: &mut fastrand::Rng) -> bool {
    let is_inside = |inner: &Piece, outer: &Piece| {
        let longer = outer.end - outer.start > inner.end - inner.start;
        inner.kind == outer.kind && outer.start <= inner.start && inner.end <= outer.end && longer
    };
    let inside = |outer| pieces.iter().filter(move |inner| is_inside(inner, outer));
    let calls = pieces
        .iter()
        .filter(|piece| matches!(piece.kind, Kind::Call(_)));
    let nested = calls.flat_map(|outer| inside(outer).map(move |inner| (outer, inner)));
    let Some((outer, inner)) = rng.choice(nested.collect::<Vec<_>>()) else {
        return false;
    };
    let grows = (outer.end - outer.start) - (inner.end - inner.start);
    let copies = copies(grows, fill.saturating_sub(edits.bytes.len()), rng);
    for (start, end) in [(outer.start, inner.start), (inner.end, outer.end)] {
        edits
            .list
            .push((start, end, edits.bytes[start..end].repeat(copies)));
    }
    true
}

/// Leaves iterations of loops out, or repeats them, until the length is as wanted or no more fit.
fn fit(
    edits: &mut Edits,
    pieces: &[Piece],
    pool: &PiecePool,
    wanted: usize,
    rng: &mut fastrand::Rng,
) {
    let elements = pieces.iter().filter(|piece| pool.is_element(piece.kind));
    let elements: Vec<&Piece> = elements.collect();
    for _ in 0..ITERATIONS {
        let length = edits.length();
        let missing = wanted.abs_diff(length);
        let Some(element) = rng.choice(&elements).filter(|_| missing > 0) else {
            return;
        };
        let (start, end) = (element.start, element.end);
        if end - start > missing || !edits.is_free(start, end) {
            continue;
        }
        let copies = if length < wanted {
            1 + missing / (end - start)
        } else {
            0
        };
        edits
            .list
            .push((start, end, edits.bytes[start..end].repeat(copies)));
    }
}

#[cfg(test)]
mod tests {
    use labrys_suite::InputStream;

    use super::*;

    fn piece(kind: Kind, start: usize, end: usize, alternative: u64) -> Piece {
        Piece {
            kind,
            stream: 0,
            start,
            end,
            alternative,
            whole: true,
        }
    }

    /// `[9,[],9]` with its values and elements.
    fn list() -> (Vec<Piece>, PiecePool) {
        let (value, element) = (Kind::Call(1), Kind::Iteration(2));
        let pieces = vec![
            piece(value, 1, 2, 1),
            piece(value, 3, 5, 2),
            piece(value, 6, 7, 1),
            piece(element, 1, 3, 3),
            piece(element, 3, 6, 3),
        ];
        let mut pool = PiecePool::default();
        let mut rng = fastrand::Rng::with_seed(1);
        pool.learn(&Input::stdin(*b"[9,[],9]"), &pieces, &mut rng);
        (pieces, pool)
    }

    fn texts(parent: &Input, fill: usize) -> BTreeSet<String> {
        let (pieces, pool) = list();
        let mut rng = fastrand::Rng::with_seed(2);
        let children =
            (0..4000).filter_map(|_| exchange(parent, &pieces, &pool, fill, 30, &mut rng));
        children
            .map(|child| String::from_utf8(child.streams[0].bytes.clone()).expect("ASCII"))
            .collect()
    }

    #[test]
    fn values_are_exchanged_and_elements_come_before_others_and_behind() {
        let texts = texts(&Input::stdin(*b"[9,[],9]"), 8);
        for text in [
            "[[],[],9]",
            "[9,9,9]",
            "[9,[],[]]",
            "[9,[],[],9]",
            "[9,9,[],9]",
            "[9,[],9,9]",
        ] {
            assert!(texts.contains(text), "{text}");
        }
        let balanced = |text: &&String| {
            text.matches('[').count() == text.matches(']').count() && text.ends_with(']')
        };
        assert_eq!(texts.iter().filter(balanced).count(), texts.len());
    }

    /// `[[1]]` with its values: what is around a value in another one is repeated, or left out.
    #[test]
    fn a_phrase_in_another_one_is_nested_deeper() {
        let value = |start, end| piece(Kind::Call(1), start, end, start as u64);
        let pieces = [value(0, 5), value(1, 4), value(2, 3)];
        let parent = Input::stdin(*b"[[1]]");
        let mut rng = fastrand::Rng::with_seed(4);
        let mut texts = BTreeSet::new();
        for _ in 0..2000 {
            let child = exchange(&parent, &pieces, &PiecePool::default(), 12, 120, &mut rng);
            texts.extend(child.map(|child| child.streams[0].bytes.clone()));
        }
        let nested =
            |depth: usize| [b"[".repeat(depth), b"1".to_vec(), b"]".repeat(depth)].concat();
        for depth in [0, 1, 3, 8, 17, 24] {
            assert!(texts.contains(&nested(depth)), "{depth}");
        }
        assert!(texts.iter().all(|text| *text == nested(text.len() / 2)));
    }

    /// Elements are repeated until the length is as wanted.
    #[test]
    fn a_length_is_filled() {
        let texts = texts(&Input::stdin(*b"[9,[],9]"), 20);
        for text in ["[[],9,9,9,9,9,9,9,9]", "[9,[],[],[],[],[],9]"] {
            assert!(texts.contains(text), "{texts:?}");
        }
    }

    #[test]
    fn objects_keep_their_length_and_files_their_limit() {
        let (pieces, pool) = list();
        let mut rng = fastrand::Rng::with_seed(3);
        let objects = Input::new(vec![InputStream::objects(*b"[9,[],9]")]);
        let file = Input::stdin(*b"[9,[],9]");
        for _ in 0..1000 {
            if let Some(child) = exchange(&objects, &pieces, &pool, 40, 50, &mut rng) {
                assert_eq!(child.len(), 8);
            }
            if let Some(child) = exchange(&file, &pieces, &pool, 40, 12, &mut rng) {
                assert!(child.len() <= 12);
            }
        }
        assert_eq!(exchange(&file, &[], &pool, 8, 50, &mut rng), None);
    }
}

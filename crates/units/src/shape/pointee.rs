//! What a driver makes behind a pointer.

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::{Content, Part};

use super::containers::Container;
use super::{Aim, Builder, MAX_SIZE, Spot, is_foreign};
use crate::addresses::Block;
use crate::extents::Extent;
use crate::flow::MOST_ALIGNMENT;
use crate::types::{Piece, content, is_void, pieces, tail, unwrapped};

/// Elements of an array of structures or pointers with a length, at most.
pub(super) const MAX_STRUCTURES: u64 = 4;
/// The same of an array without a length, of which the code names so many.
const MAX_NAMED: u64 = 16;

/// How many times as long an array is into which several parameters point.
const PAIRED: u64 = 4;

/// See the module.
pub(super) struct Pointee<'m> {
    /// Bytes before the place where pointers point, which are among the size.
    pub(super) before: u64,
    pub(super) size: u64,
    pub(super) count: u64,
    pub(super) kind: PointeeKind<'m>,
    /// The array without a length at the end of a structure.
    pub(super) tail: Vec<Piece<'m>>,
    /// The numbers of it that are made; none if its first bytes are, or all.
    pub(super) places: Vec<u64>,
    pub(super) filled: Option<u64>,
    /// Whether the last of several elements is zeros, as where nothing else says how many there are.
    ends: bool,
    /// Whether what is between the members is input: the code takes it for another structure, too.
    is_ambiguous: bool,
    /// The member of a structure to which pointers point, if that is not its beginning.
    pub(super) member: String,
}

impl<'m> Pointee<'m> {
    /// An object to whose beginning pointers point, all of whose elements are made.
    fn new(kind: PointeeKind<'m>, size: u64, count: u64) -> Self {
        Pointee {
            before: 0,
            size,
            count,
            kind,
            tail: Vec::new(),
            places: Vec::new(),
            filled: None,
            ends: false,
            is_ambiguous: false,
            member: String::new(),
        }
    }

    /// Makes its numbers, each of so many bytes.
    pub(super) fn add_numbers(
        &self,
        builder: &mut Builder<'m, '_>,
        spot: &Spot,
        (content, element): (Content, u64),
        parts: &mut Vec<Part>,
    ) {
        let before = self.before;
        if before > 0 {
            let path = format!("[-{before}]");
            builder.numbers(spot, 0, &path, before, before, Content::Bytes, parts);
        }
        if self.places.is_empty() {
            let size = self.filled.unwrap_or(self.size - before);
            builder.numbers(spot, before, "", size, element, content, parts);
        }
        for at in &self.places {
            let path = format!("[{at}]");
            let offset = at * element;
            builder.numbers(spot, offset, &path, element, element, content, parts);
        }
    }

    /// The pieces of its elements, which are of this type.
    pub(super) fn pieces(&self, node: DebugNode<'m>) -> Vec<Piece<'m>> {
        let one = pieces(node);
        let mut all = Vec::new();
        let last = u64::from(self.ends && self.count > 1);
        for index in 0..self.count - last {
            let at = index * unwrapped(node).size();
            let name = match self.count {
                1 => String::new(),
                _ => format!("[{index}]"),
            };
            all.extend(one.iter().cloned().map(|piece| Piece {
                offset: piece.offset + at,
                path: format!("{name}{}", piece.path),
                ..piece
            }));
        }
        all.extend_from_slice(&self.tail);
        if self.is_ambiguous {
            let gaps = gaps(&all, self.size);
            all.extend(gaps);
        }
        all
    }

    /// An array of bytes with more behind it, if the code looks at the lowest bits of its address: pointers
    /// may point a little behind its beginning.
    pub(super) fn aligned(self, low_bits: u64) -> Self {
        if low_bits == 0 || self.steps(low_bits).next().is_none() {
            return self;
        }
        let size = (self.size + low_bits).next_multiple_of(MOST_ALIGNMENT);
        Pointee {
            size,
            count: size,
            ..self
        }
    }

    /// How far behind the beginning of an array of bytes its address has some of these bits.
    pub(super) fn steps(&self, low_bits: u64) -> impl Iterator<Item = u64> {
        let is_bytes = matches!(self.kind, PointeeKind::Numbers(_, 1)) && self.before == 0;
        (1..=low_bits).filter(move |step| is_bytes && step & !low_bits == 0)
    }

    /// An array of numbers [`PAIRED`] times as long: a part of it, from one place to another, is to
    /// have room for what the code looks for.
    pub(super) fn longer(self) -> Self {
        match self.kind {
            PointeeKind::Numbers(..) => Pointee {
                size: (self.size - self.before) * PAIRED + self.before,
                count: self.count * PAIRED,
                ..self
            },
            PointeeKind::Objects(_) => self,
        }
    }
}

pub(super) enum PointeeKind<'m> {
    Numbers(Content, u64),
    Objects(DebugNode<'m>),
}

/// What there is behind a pointer with this aim.
pub(super) fn behind<'m>(
    builder: &Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    aim: &Aim<'m>,
) -> Option<Pointee<'m>> {
    let places = match builder.for_tests {
        true => (aim.before, aim.extent),
        false => Default::default(),
    };
    let counted = aim.counted || aim.shares;
    match (&aim.container, &aim.block) {
        (Some(container), _) => Some(around(builder, container)),
        (None, Some(numbers)) => Some(block(numbers)),
        _ => pointee(builder, to, (counted, aim.several), places),
    }
}

/// What there is behind a pointer to a type; `None`: nothing that a driver makes.
pub(super) fn pointee<'m>(
    builder: &Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    (counted, several): (bool, Option<u64>),
    (before, extent): (u64, Extent),
) -> Option<Pointee<'m>> {
    let elements = builder.bounds.elements;
    let numbers = |content, element: u64| {
        let count = extent.count(element, elements);
        let size = element.saturating_mul(count).max(1) + before;
        let kind = PointeeKind::Numbers(content, element);
        Pointee {
            before,
            ..Pointee::new(kind, size, count)
        }
    };
    let Some(node) = to.map(unwrapped).filter(|_| !is_void(to)) else {
        return Some(numbers(Content::Bytes, 1));
    };
    match content(node) {
        Some(Content::Characters) => return Some(numbers(Content::Text, 1)),
        Some(content) => return Some(numbers(content, node.size())),
        None => {}
    }
    let size = node.size();
    let known = matches!(
        node.tag(),
        tag::STRUCTURE | tag::UNION | tag::ARRAY | tag::POINTER
    );
    if !known || !(1..=MAX_SIZE).contains(&size) || is_foreign(node) {
        return None;
    }
    // One behind all that are named ends them.
    let enough = several.filter(|_| node.tag() != tag::ARRAY && !counted);
    let enough = enough.map(|last| last.saturating_add(2));
    let few = elements.clamp(1, MAX_STRUCTURES);
    let count = match enough {
        _ if counted => few,
        Some(enough) => few.max(enough).min(MAX_NAMED),
        // Rows: as many as the code names.
        None if node.tag() == tag::ARRAY => extent.count(size, 1).min(elements),
        None => 1,
    };
    let tail = match count {
        1 => tail(node, elements, few),
        _ => Vec::new(),
    };
    let size = (size * count).max(end(&tail));
    Some(Pointee {
        tail,
        ends: enough.is_some_and(|enough| enough <= count),
        ..Pointee::new(PointeeKind::Objects(to?), size, count)
    })
}

/// Numbers of which the code tells how many there are.
fn block<'m>(block: &Block) -> Pointee<'m> {
    let kind = PointeeKind::Numbers(Content::Unsigned, block.width);
    Pointee {
        places: block.places.clone(),
        filled: Some(block.filled),
        ..Pointee::new(kind, block.size, block.size / block.width)
    }
}

/// The structure around what a pointer points to.
pub(super) fn around<'m>(builder: &Builder<'m, '_>, container: &Container<'m>) -> Pointee<'m> {
    let elements = builder.bounds.elements;
    let tail = tail(container.node, elements, elements.clamp(1, MAX_STRUCTURES));
    let size = unwrapped(container.node).size().max(end(&tail));
    Pointee {
        before: container.at,
        tail,
        is_ambiguous: container.is_ambiguous,
        member: container.path.clone(),
        ..Pointee::new(PointeeKind::Objects(container.node), size, 1)
    }
}

/// The bytes of an object that are in none of its pieces.
fn gaps<'m>(pieces: &[Piece<'m>], size: u64) -> Vec<Piece<'m>> {
    let mut taken: Vec<(u64, u64)> = pieces.iter().map(|one| (one.offset, one.size)).collect();
    taken.sort_unstable();
    taken.push((size, 0));
    let mut end = 0;
    let mut gaps = Vec::new();
    for (start, bytes) in taken {
        if start > end {
            gaps.push(Piece::bytes(end, start - end));
        }
        end = end.max(start + bytes);
    }
    gaps
}

/// Where the array at the end of a structure ends.
fn end(tail: &[Piece<'_>]) -> u64 {
    let ends = tail.iter().map(|piece| piece.offset + piece.size);
    ends.max().unwrap_or_default()
}

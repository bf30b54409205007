//! What a driver makes behind a pointer.

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::Content;

use super::{Builder, is_foreign};
use crate::extents::Extent;
use crate::types::{Piece, content, is_void, pieces, tail, unwrapped};

/// Most bytes of a structure behind a pointer.
const MAX_SIZE: u64 = 1024 * 1024;
/// Elements of an array of structures or pointers with a length, at most.
pub(super) const MAX_STRUCTURES: u64 = 4;

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
}

impl<'m> Pointee<'m> {
    /// The pieces of its elements, which are of this type.
    pub(super) fn pieces(&self, node: DebugNode<'m>) -> Vec<Piece<'m>> {
        let one = pieces(node);
        let mut all = Vec::new();
        for index in 0..self.count {
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
        all
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

/// What there is behind a pointer to a type; `None`: nothing that a driver makes.
pub(super) fn pointee<'m>(
    builder: &Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    counted: bool,
    (before, extent): (u64, Extent),
) -> Option<Pointee<'m>> {
    let elements = builder.bounds.elements;
    let numbers = |content, element: u64| {
        let count = extent.count(element, elements);
        Pointee {
            before,
            size: element.saturating_mul(count).max(1) + before,
            count,
            kind: PointeeKind::Numbers(content, element),
            tail: Vec::new(),
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
    let count = match counted {
        true => elements.clamp(1, MAX_STRUCTURES),
        // Rows: as many as the code names.
        false if node.tag() == tag::ARRAY => extent.count(size, 1).min(elements),
        false => 1,
    };
    let tail = match count {
        1 => tail(node, elements, elements.clamp(1, MAX_STRUCTURES)),
        _ => Vec::new(),
    };
    let end = tail.iter().map(|piece| piece.offset + piece.size).max();
    Some(Pointee {
        before: 0,
        size: (size * count).max(end.unwrap_or_default()),
        count,
        kind: PointeeKind::Objects(to?),
        tail,
    })
}

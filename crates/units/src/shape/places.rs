//! Numbers that are places in arrays, as lengths of these ([`crate::indices`]).

use labrys_suite::unit::{Content, Length, Order};

use super::Builder;
use super::pointee::MAX_STRUCTURES;
use super::regions::is_made;
use crate::indices;
use crate::lengths::{Sibling, member_lengths, piece_sibling};
use crate::types::{Kind, Member, Piece, content, is_void, unwrapped};

/// For each piece that is made the numbers that are lengths of the array behind it, or places there. One
/// number may count the elements of several arrays.
pub(super) fn bounds(builder: &Builder<'_, '_>, pieces: &[Piece<'_>]) -> Vec<Vec<usize>> {
    if !builder.bounds.lengths {
        return vec![Vec::new(); pieces.len()];
    }
    let siblings: Vec<Sibling> = pieces.iter().map(piece_sibling).collect();
    let of = |index: usize| {
        let piece = &pieces[index];
        let is_array = piece.is_pointer() || piece.is_tail;
        if !is_array || !is_made(builder, piece) {
            return Vec::new();
        }
        let mut numbers = member_lengths(&siblings, pieces, index);
        let places = members(builder, pieces, index).into_iter();
        let further: Vec<usize> = places.filter(|at| !numbers.contains(at)).collect();
        numbers.extend(further);
        numbers
    };
    (0..pieces.len()).map(of).collect()
}

/// Whether the function comes to one of the numbers that are lengths of an array: it knows then how long the
/// array is, whatever places it names there.
pub(super) fn are_named(
    builder: &Builder<'_, '_>,
    pieces: &[Piece<'_>],
    numbers: &[usize],
) -> bool {
    let is_named = |at: &usize| {
        let member = pieces[*at].member.as_ref();
        let named = builder.named.as_ref().zip(member);
        named.is_none_or(|(named, member)| named.comes_to(member))
    };
    numbers.iter().any(is_named)
}

/// The members of one structure that are places in the array behind a pointer of it.
fn members(builder: &Builder<'_, '_>, pieces: &[Piece<'_>], index: usize) -> Vec<usize> {
    let piece = &pieces[index];
    let (Kind::Pointer { to, shared: false }, Some(member)) = (&piece.kind, &piece.member) else {
        return Vec::new();
    };
    let base = piece.offset.checked_sub(member.1);
    let indices = &builder.uses.indices;
    let is_numbers = is_void(*to) || to.and_then(content).is_some();
    let array = match is_numbers {
        true => builder.bounds.elements,
        false => builder.bounds.elements.clamp(1, MAX_STRUCTURES),
    };
    let element = match is_void(*to) {
        true => 1,
        false => to.map_or(1, |to| unwrapped(to).size()),
    };
    let has_room = builder.for_tests && is_numbers;
    let is_place = |at: &usize| {
        let number = &pieces[*at];
        let known = number.member.as_ref().filter(|_| is_integer(number));
        known.is_some_and(|known| {
            number.offset.checked_sub(known.1) == base
                && indices.is_place(known, member, element)
                && indices.limits(known).allow(array, has_room)
        })
    };
    (0..pieces.len()).filter(is_place).collect()
}

/// What is assumed of a member that is a place in an array of its structure: in the smallest one.
pub(super) fn inside(
    builder: &Builder<'_, '_>,
    pieces: &[Piece<'_>],
    piece: &Piece<'_>,
    leaf: usize,
) -> Option<Length> {
    let member = piece.member.as_ref().filter(|_| is_integer(piece))?;
    let base = piece.offset.checked_sub(member.1)?;
    let indices = &builder.uses.indices;
    let is_there = |(offset, _): &(u64, u64)| {
        let mut at = pieces.iter().filter(|one| one.offset == base + offset);
        at.any(|one| !is_integer(one) && !one.is_pointer())
    };
    let counts = indices.inside(member).filter(is_there);
    let most = counts.map(|(_, count)| count).min()?;
    let limits = indices.limits(member);
    let bounded = builder.bounds.lengths && limits.allow(most, false);
    let last = u64::from(indices.is_inside(member, most));
    bounded.then(|| Length {
        leaf,
        of: piece.path.clone(),
        most: most.saturating_sub(last),
        negative: limits.negative,
        room: None,
    })
}

/// What is assumed of the numbers that are lengths of the array at the end of a structure.
pub(super) fn of_tail(piece: &Piece<'_>, bounds: &[usize]) -> Vec<(usize, Length)> {
    let Kind::Numbers(_, element) = piece.kind else {
        return Vec::new();
    };
    let length = Length {
        leaf: 0,
        of: piece.path.clone(),
        most: piece.size / element.max(1),
        negative: false,
        room: None,
    };
    let numbers = bounds.iter().filter(|_| piece.is_tail);
    numbers.map(|at| (*at, length.clone())).collect()
}

/// Notes what is assumed of the numbers of an object, by their pieces and leaves.
pub(super) fn note(
    builder: &mut Builder<'_, '_>,
    pieces: &[Piece<'_>],
    leaves: &[Option<usize>],
    lengths: Vec<(usize, Length)>,
) {
    for (index, length) in lengths {
        let Some(leaf) = leaves[index] else { continue };
        let member = pieces[index].member.as_ref();
        let indices = &builder.uses.indices;
        let limits = member.map(|member| indices.limits(member));
        let negative = limits.unwrap_or_default().negative;
        let length = match member.is_some_and(|member| indices.is_inside(member, length.most)) {
            true => length.less(),
            false => length,
        };
        builder.entry.lengths.push(Length {
            leaf,
            negative,
            ..length
        });
    }
}

/// Notes which numbers of an object are less than others there, at which they begin anew.
pub(super) fn note_order(
    builder: &mut Builder<'_, '_>,
    pieces: &[Piece<'_>],
    leaves: &[Option<usize>],
) {
    if !builder.bounds.lengths {
        return;
    }
    let base = |piece: &Piece<'_>, member: &Member| piece.offset.checked_sub(member.1);
    let mut orders = Vec::new();
    for (piece, leaf) in pieces.iter().zip(leaves) {
        let number = piece.member.as_ref().filter(|_| is_integer(piece));
        let (Some(number), Some(leaf)) = (number, *leaf) else {
            continue;
        };
        for end in builder.uses.ends.of(number) {
            let is_end = |one: &Piece<'_>| {
                is_integer(one)
                    && one.member.as_ref() == Some(end)
                    && base(one, end) == base(piece, number)
            };
            let at = pieces.iter().position(is_end);
            if let Some(below) = at.and_then(|at| leaves[at]) {
                orders.push(Order { leaf, below });
            }
        }
    }
    builder.entry.orders.extend(orders);
}

/// The parameter that is a place in the array behind another one.
pub(super) fn parameter(builder: &Builder<'_, '_>, pointer: usize) -> Option<usize> {
    let pairs = builder.function.map(indices::of_parameters);
    let mut pairs = pairs.into_iter().flatten();
    pairs.find_map(|(of, number)| (of == pointer).then_some(number))
}

/// Whether a piece is one whole number.
fn is_integer(piece: &Piece<'_>) -> bool {
    let Kind::Numbers(content, element) = piece.kind else {
        return false;
    };
    piece.size == element && matches!(content, Content::Signed | Content::Unsigned)
}

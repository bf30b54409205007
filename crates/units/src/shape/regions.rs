//! Pointers in structures: which are made, and which point into one array or back.

use labrys_llvm::{DebugNode, Value, tag};
use labrys_suite::unit::{Choice, Made, Object, Part, Variable};

use super::aim::{Array, Mate};
use super::containers::{self, Container};
use super::{Aim, Behind, Builder};
use crate::pairs::{Pointer, share_array};
use crate::prototype::{Parameter, Passed};
use crate::types::{Kind, Piece, is_void, layout, unwrapped};

/// Earlier objects that a pointer may point to, at most.
const MAX_ALIASES: usize = 3;

/// Whether a piece of an object is made: not a pointer in a member that the function does not come
/// to, in whatever structure inside another.
pub(super) fn is_made<'m>(builder: &Builder<'m, '_>, piece: &Piece<'m>) -> bool {
    let (Some(named), true) = (&builder.named, piece.is_pointer()) else {
        return true;
    };
    let mut members = piece.member.iter().chain(&piece.around);
    members.all(|member| named.comes_to(member))
}

/// What a member is to point to; whether there is a length beside it, the pointers behind it, and
/// the arrays into which earlier members point.
pub(super) fn member<'m>(
    builder: &mut Builder<'m, '_>,
    piece: &Piece<'m>,
    (counted, behind): (bool, usize),
    arrays: &[Array<'m>],
) -> Aim<'m> {
    let Kind::Pointer { to, shared } = &piece.kind else {
        return Aim::default();
    };
    let uses = builder.uses;
    let known = piece.member.as_ref();
    let told = known
        .filter(|_| is_void(*to))
        .and_then(|one| uses.of_member(one));
    // Each source may have a structure of its own where the common header only declares one.
    let open = known.filter(|_| to.is_some_and(|to| uses.is_open(builder.unit, unwrapped(to))));
    let named = builder.named.as_ref();
    let used = named.zip(open).and_then(|(named, one)| named.behind(one));
    let own = known.and_then(|one| piece.offset.checked_sub(one.1));
    let around = known.zip(named).map(|(one, named)| named.around(one));
    let extent = known.zip(named).map(|(one, named)| named.extent(one));
    let container = containers::container(builder, *to, &around.unwrap_or_default(), own);
    let disguised = builder.told(used.filter(|_| container.is_none()));
    builder.disguised.extend(disguised.map(unwrapped));
    let told = told.filter(|_| container.is_none());
    let member = container.as_ref().and_then(|one| one.member);
    let to = disguised.or_else(|| builder.told(told)).or(member).or(*to);
    let own = known.filter(|one| uses.is_ring(one) && to.is_some_and(|to| layout(to) == one.0));
    let region = region(builder, piece);
    let array = arrays
        .iter()
        .find(|one| Some((one.region, one.base)) == region && one.of == to.map(unwrapped));
    let cursor = builder.cursor.take();
    let mut aim = Aim {
        to,
        container,
        shared: *shared,
        counted,
        shares: region.is_some(),
        several: known
            .filter(|_| builder.for_tests)
            .and_then(|one| uses.last_of_several(one)),
        variables: known.map_or_else(Vec::new, |one| uses.beside(one)),
        before: known.map_or(0, |one| uses.before_member(one)),
        extent: extent.filter(|_| region.is_none()).unwrap_or_default(),
        ring: own.map(|one| piece.offset - one.1),
        array: array.copied(),
        behind,
        ..Aim::default()
    };
    if let Some(shared) = cursor {
        aim.point_into(shared);
    }
    aim
}

/// The region of a member, and where its structure begins in the object.
pub(super) fn region<'m>(builder: &Builder<'m, '_>, piece: &Piece<'m>) -> Option<(usize, u64)> {
    let Kind::Pointer { to, .. } = &piece.kind else {
        return None;
    };
    let member = piece
        .member
        .as_ref()
        .filter(|_| builder.for_tests && !is_linked(*to))?;
    Some((
        builder.uses.region(member)?,
        piece.offset.checked_sub(member.1)?,
    ))
}

/// The array that a member has an object for, if others point into it, too.
pub(super) fn array<'m>(
    builder: &Builder<'m, '_>,
    piece: &Piece<'m>,
    part: &Part,
) -> Option<Array<'m>> {
    let (region, base) = region(builder, piece)?;
    let Made::Pointer(pointer) = &part.made else {
        return None;
    };
    let Object {
        number,
        size,
        count,
        ..
    } = *pointer
        .object
        .as_ref()
        .filter(|object| object.before == 0)?;
    let Kind::Pointer { to, .. } = piece.kind else {
        return None;
    };
    Some(Array {
        region,
        of: to.map(unwrapped),
        base,
        object: number,
        size,
        count,
    })
}

/// For each parameter what it has to do with the array of others.
pub(super) fn mates<'m>(builder: &Builder<'m, '_>, parameters: &[&Parameter<'m>]) -> Vec<Mate> {
    let own = builder.function.filter(|_| builder.for_tests);
    let values = own.map(Value::params).unwrap_or_default();
    let behind = |node: Option<DebugNode<'m>>| node.and_then(DebugNode::base).map(unwrapped);
    let pointer = |index: usize, is_cursor: bool| {
        let one = parameters[index];
        let to = behind(one.ty.map(unwrapped));
        let value = *values.get(one.first)?;
        let (to, pointer) = match is_cursor {
            true => {
                let pointer = to.filter(|to| to.tag() == tag::POINTER)?;
                (behind(Some(pointer))?, Pointer::Cursor(value))
            }
            false => (to?, Pointer::Place(value)),
        };
        let known = one.passed == Passed::Pointer && !is_linked(Some(to));
        known.then_some((to, pointer))
    };
    let share = |one: (usize, bool), other: (usize, bool)| {
        let pair = pointer(one.0, one.1).zip(pointer(other.0, other.1));
        pair.is_some_and(|((to, one), (of, other))| to == of && share_array(one, other))
    };
    let ways = [(false, false), (true, false), (false, true), (true, true)];
    let mut mates = vec![Mate::default(); parameters.len()];
    for index in 0..parameters.len() {
        let pairs = (0..index).flat_map(|first| ways.map(|way| (first, way)));
        let found = pairs.filter(|(first, way)| {
            let known = mates[*first].is_first || mates[*first].first.is_some();
            !known || mates[*first].is_cursor == way.0
        });
        let mut found = found.filter(|(first, way)| share((*first, way.0), (index, way.1)));
        let Some((first, way)) = found.next() else {
            continue;
        };
        let head = mates[first].first.unwrap_or(first);
        mates[first].is_cursor = way.0;
        mates[head].is_first = true;
        mates[index] = Mate {
            first: Some(head),
            is_first: false,
            is_cursor: way.1,
        };
    }
    mates
}

/// The array that a parameter has an object for; that of the pointer behind it.
pub(super) fn array_of<'m>(
    parameter: &Variable,
    to: Option<DebugNode<'m>>,
    is_cursor: bool,
) -> Option<Array<'m>> {
    let own = |parts: &[Part]| match parts {
        [
            Part {
                made: Made::Pointer(pointer),
                ..
            },
        ] => pointer.object.clone(),
        _ => None,
    };
    let first = own(&parameter.parts)?;
    let (object, to) = match is_cursor {
        true => (
            own(&first.parts)?,
            to.map(unwrapped).and_then(DebugNode::base),
        ),
        false => (first, to),
    };
    (object.before == 0).then(|| Array {
        region: 0,
        of: to.map(unwrapped),
        base: 0,
        object: object.number,
        size: object.size,
        count: object.count,
    })
}

/// Where the list of a pointer ends, if it is a ring: where it began, or at the structure in which the pointer
/// stands. An element of a list that has a head does not follow itself.
pub(super) fn ends<'m>(builder: &Builder<'m, '_>, to: DebugNode<'m>, aim: &Aim<'m>) -> Vec<Choice> {
    let is_known = builder.bounds.aliases && builder.for_tests;
    let (Some(own), true) = (aim.ring, is_known) else {
        return Vec::new();
    };
    let key = Some(unwrapped(to));
    let own = builder.open.last().map(|number| (*number, own));
    let head = builder.rings.iter().find(|(_, of)| Some(*of) == key);
    let head = head.map(|(place, _)| *place);
    let own = own.filter(|_| aim.container.is_none() || head.is_none());
    let mut ends: Vec<(usize, u64)> = head.into_iter().chain(own).collect();
    ends.dedup();
    // The object may be of another type, with the structure as one of its members.
    let end = |(number, bytes): (usize, u64)| {
        let object = &builder.objects[number];
        match bytes == object.before && object.to == key {
            true => Choice::Alias(number),
            false => Choice::Within(number, bytes),
        }
    };
    ends.into_iter().map(end).collect()
}

/// Earlier objects to which a pointer to a type may point. A pointer back to what is around its
/// object is common; a list that is its own rest has no end, unless it is a ring.
pub(super) fn aliases<'m>(
    builder: &Builder<'m, '_>,
    to: DebugNode<'m>,
    aim: &Aim<'m>,
) -> Vec<Choice> {
    if !builder.bounds.aliases {
        return Vec::new();
    }
    let key = Some(unwrapped(to));
    let object = |number: usize| &builder.objects[number];
    let innermost = builder.open.last();
    let same = innermost.is_some_and(|number| object(*number).to == key);
    let around = aim.container.as_ref();
    let is_alike = |number: usize| around.is_none_or(|around| is_in(object(number), around));
    let earlier = (0..builder.objects.len()).filter(|number| {
        let is_other = !(same && builder.open.contains(number));
        object(*number).to == key && is_other && is_alike(*number)
    });
    earlier.take(MAX_ALIASES).map(Choice::Alias).collect()
}

/// Whether pointers to an object point to a member of the same structure.
fn is_in<'m>(object: &Behind<'m>, container: &Container<'m>) -> bool {
    object.around == Some(unwrapped(container.node)) && object.before == container.at
}

/// Whether a pointer to a type, in an object with these types around it, the innermost last, points back
/// to one of them first: to an owner, which knows what it owns.
pub(super) fn is_owner<'m>(
    builder: &Builder<'m, '_>,
    to: DebugNode<'m>,
    around: &[DebugNode<'m>],
) -> bool {
    let known = builder.for_tests && builder.bounds.aliases;
    known && around.last() != Some(&to) && around.contains(&to)
}

/// The object around the innermost one to which a pointer to a type points first.
pub(super) fn owner<'m>(builder: &Builder<'m, '_>, to: DebugNode<'m>) -> Option<usize> {
    let open = &builder.open;
    let types = open.iter().filter_map(|number| builder.objects[*number].to);
    let around: Vec<DebugNode<'m>> = types.collect();
    let to = unwrapped(to);
    let mut found = open.iter().rev().filter(|_| is_owner(builder, to, &around));
    found
        .find(|number| builder.objects[**number].to == Some(to))
        .copied()
}

/// Whether objects of a type point to others of it, as those of a list do.
fn is_linked(to: Option<DebugNode<'_>>) -> bool {
    let Some(node) = to.map(unwrapped) else {
        return false;
    };
    let structure = matches!(node.tag(), tag::STRUCTURE | tag::UNION);
    let members = node
        .members()
        .into_iter()
        .filter_map(|member| member.base().map(unwrapped));
    let mut pointers = members.filter(|member| structure && member.tag() == tag::POINTER);
    pointers.any(|pointer| pointer.base().map(unwrapped) == Some(node))
}

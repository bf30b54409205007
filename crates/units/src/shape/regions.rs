//! Pointers in structures: which are made, and which point into one array or back.

use labrys_llvm::{DebugNode, Value, tag};
use labrys_suite::unit::{Choice, Length, Made, Object, Part, ROOM, Room, Variable};

use super::{Aim, Builder};
use crate::lengths::counts_bytes;
use crate::pairs::{Pointer, share_array};
use crate::prototype::{Parameter, Passed};
use crate::types::{Kind, Piece, is_void, layout, unwrapped};

/// Earlier objects that a pointer may point to, at most.
const MAX_ALIASES: usize = 3;

/// What names of members that point to the end of an array have in them.
const ENDS: [&str; 2] = ["end", "limit"];

/// An array into which several members of a structure, or several parameters, point: its beginning,
/// its end, a place in between.
#[derive(Clone, Copy)]
pub(super) struct Array<'m> {
    region: usize,
    /// The type of its elements.
    of: Option<DebugNode<'m>>,
    /// Where the structure begins in its object.
    base: u64,
    object: usize,
    size: u64,
    count: u64,
}

impl Array<'_> {
    /// Where a further member of this name may point.
    pub(super) fn choices(&self, name: &str) -> Vec<Choice> {
        let middle = self.size / self.count.max(1) * (self.count / 2);
        let (object, size) = (self.object, self.size);
        let mut choices = vec![Choice::Alias(object), Choice::Within(object, size)];
        // An array without room is the odd case.
        if ENDS.iter().any(|end| name.contains(end)) {
            choices.reverse();
        }
        if middle > 0 {
            choices.push(Choice::Within(object, middle));
        }
        choices
    }
}

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
    let disguised = builder.told(used);
    builder.disguised.extend(disguised.map(unwrapped));
    let to = disguised.or_else(|| builder.told(told)).or(*to);
    let own = known.filter(|one| uses.is_ring(one) && to.is_some_and(|to| layout(to) == one.0));
    let region = region(builder, piece);
    let array = arrays
        .iter()
        .find(|one| Some((one.region, one.base)) == region && one.of == to.map(unwrapped));
    let cursor = builder.cursor.take();
    let mut aim = Aim {
        to,
        shared: *shared,
        counted,
        shares: region.is_some(),
        before: known.map_or(0, |one| uses.before_member(one)),
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

/// What a parameter has to do with the array of others.
#[derive(Clone, Copy, Default)]
pub(super) struct Mate {
    /// The first parameter that points into the same array, if that is another one.
    pub(super) first: Option<usize>,
    /// Whether others point there, of which this one is the first.
    pub(super) is_first: bool,
    /// Whether the parameter points to the pointer into the array.
    pub(super) is_cursor: bool,
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
    let innermost = builder.open.last();
    let ring = aim.ring.filter(|_| builder.for_tests);
    let own = innermost.copied().zip(ring);
    // A list that is a ring ends where it begins.
    let head = builder.rings.iter().find(|(_, of)| Some(*of) == key);
    let head = ring.and(head).map(|(place, _)| *place);
    // The object may have the structure as its first member, and be of another type.
    let own = own
        .into_iter()
        .chain(head)
        .map(|(number, bytes)| match bytes {
            0 if builder.objects[number] == key => Choice::Alias(number),
            bytes => Choice::Within(number, bytes),
        });
    let same = innermost.is_some_and(|number| builder.objects[*number] == key);
    let earlier = (0..builder.objects.len()).filter(|number| {
        builder.objects[*number] == key && !(same && builder.open.contains(number))
    });
    own.chain(earlier.take(MAX_ALIASES).map(Choice::Alias))
        .collect()
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
    let types = open.iter().filter_map(|number| builder.objects[*number]);
    let around: Vec<DebugNode<'m>> = types.collect();
    let to = unwrapped(to);
    let mut found = open.iter().rev().filter(|_| is_owner(builder, to, &around));
    found
        .find(|number| builder.objects[**number] == Some(to))
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

/// The length of the object behind a pointer, of a leaf that is still to be told: the elements, or the
/// bytes where that is what the code takes the number for.
pub(super) fn length(part: &Part, of: &str, number: Option<Value<'_>>) -> Option<Length> {
    let Made::Pointer(pointer) = &part.made else {
        return None;
    };
    let object = pointer.object.as_ref()?;
    let roomy = pointer.choices.iter().position(|one| *one == Choice::Roomy);
    let (elements, bytes) = (object.count, object.size);
    let most = match number.is_some_and(|number| counts_bytes(number, elements, bytes)) {
        true => bytes,
        false => elements,
    };
    let room = pointer.choice.zip(roomy).map(|(choice, index)| Room {
        choice,
        index,
        most: most + ROOM * most / bytes.max(1),
    });
    Some(Length {
        leaf: 0,
        of: of.to_owned(),
        most,
        negative: false,
        room,
    })
}

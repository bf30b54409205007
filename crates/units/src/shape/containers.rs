//! Structures around what pointers point to: a list goes through members of its elements, and the code
//! goes back to these ([`crate::containers`]).

use std::cmp::Reverse;

use labrys_llvm::{DebugNode, Value, tag};

use super::{Builder, MAX_SIZE, is_foreign};
use crate::containers::{Around, around};
use crate::types::{Inside, inside, is_void, unwrapped};

/// A structure, and its member to which a pointer points.
pub(super) struct Container<'m> {
    pub(super) node: DebugNode<'m>,
    /// Where the member begins.
    pub(super) at: u64,
    /// How C names it.
    pub(super) path: String,
    /// Its type, if that is a structure.
    pub(super) member: Option<DebugNode<'m>>,
    /// Whether the code takes it for another structure, too.
    pub(super) is_ambiguous: bool,
}

/// The structure around what a parameter points to.
pub(super) fn of_parameter<'m>(
    builder: &mut Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    parameter: Value<'m>,
) -> Option<Container<'m>> {
    let around = match builder.for_tests {
        true => around(parameter),
        false => Vec::new(),
    };
    container(builder, to, &around, None)
}

/// The structure around what a pointer to a type points to, by what the code takes it for. One that is in a
/// structure itself, so far behind its beginning, rather points to the same member of another one.
pub(super) fn container<'m>(
    builder: &mut Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    around: &[Around],
    own: Option<u64>,
) -> Option<Container<'m>> {
    let is_structure = |node: DebugNode<'_>| matches!(node.tag(), tag::STRUCTURE | tag::UNION);
    if !is_void(to) && !to.map(unwrapped).is_some_and(is_structure) {
        return None;
    }
    let looks = |at| around.iter().any(|one| one.back == at && one.looks);
    let found = around.iter().filter_map(|Around { back, name, .. }| {
        let back = *back;
        // Without a type it is the structure that the code uses it as.
        if is_void(to) && (back == 0 || name.is_none()) {
            return None;
        }
        let (node, is_known) = match name {
            Some(name) => builder.uses.named(builder.unit, name)?,
            None => (only_around(builder, to, back)?, true),
        };
        let known = unwrapped(node).size() <= MAX_SIZE && !is_foreign(unwrapped(node));
        let inside = known.then(|| inside(node, back, to.filter(|_| !is_void(to))))??;
        (!inside.path.is_empty()).then_some((node, is_known, back, inside))
    });
    let best = |(node, _, back, _): &(DebugNode<'m>, bool, u64, Inside<'m>)| {
        (Some(*back) != own, Reverse(unwrapped(*node).size()))
    };
    let found: Vec<_> = found.collect();
    let places: Vec<_> = found.iter().map(|one| (unwrapped(one.0), one.2)).collect();
    let (node, is_known, at, inside) = found.into_iter().min_by_key(best)?;
    let mut others = places.iter().filter(|(_, back)| *back == at);
    if !is_known {
        builder.unknown.push(unwrapped(node));
    }
    if let Some(named) = builder.named.as_mut().filter(|_| looks(at)) {
        named.add(inside.members);
    }
    Some(Container {
        node,
        at,
        path: inside.path,
        is_ambiguous: others.any(|(other, _)| *other != unwrapped(node)),
        member: Some(inside.node).filter(|node| is_structure(*node)),
    })
}

/// The only structure of the source that has what a pointer to a type points to at a place.
fn only_around<'m>(
    builder: &Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    at: u64,
) -> Option<DebugNode<'m>> {
    let all = builder.uses.structures(builder.unit).into_iter();
    let mut around = all.filter(|node| inside(*node, at, to).is_some());
    let only = around.next()?;
    around.next().is_none().then_some(only)
}

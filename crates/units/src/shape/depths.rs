//! How deep the objects behind each parameter go, so that all parameters have some.

use labrys_llvm::DebugNode;
use rustc_hash::{FxHashMap, FxHashSet};

use super::containers::Container;
use super::pointee::{self, PointeeKind, pointee};
use super::regions::{is_made, is_owner, member, region};
use super::{Aim, Builder, MAX_OBJECTS};
use crate::types::{pieces, unwrapped};

/// More objects are not counted.
const MANY: usize = 1 << 20;

/// What costs of objects are remembered by: the type, whether it is an array and which, the depth, the types
/// of the objects around it.
type Costs<'m> = FxHashMap<(DebugNode<'m>, (bool, Option<u64>), u32, Vec<DebugNode<'m>>), usize>;

/// The aims of parameters with the depth of the objects behind each: the most at which all objects
/// are few enough, and one more where that is not all there is.
pub(super) fn with_depths<'m>(
    builder: &mut Builder<'m, '_>,
    aims: Vec<Option<Aim<'m>>>,
) -> Vec<(Aim<'m>, u32)> {
    let most = builder.bounds.depth;
    let mut costs = Costs::default();
    let mut cost = |builder: &mut Builder<'m, '_>, aim: &Option<Aim<'m>>, depth: u32| {
        aim.as_ref().map_or(0, |aim| {
            let target = (aim.to, aim.container.as_ref());
            let number = (aim.counted, aim.several);
            cost(builder, target, (number, depth), &[], &mut costs)
        })
    };
    let mut depths = vec![most; aims.len()];
    let mut objects: Vec<usize> = aims.iter().map(|aim| cost(builder, aim, most)).collect();
    while objects.iter().sum::<usize>() > MAX_OBJECTS {
        let deep = (0..aims.len()).filter(|index| depths[*index] > 1);
        let Some(index) = deep.max_by_key(|index| objects[*index]) else {
            break;
        };
        depths[index] -= 1;
        objects[index] = cost(builder, &aims[index], depths[index]);
    }
    let all = aims.into_iter().enumerate().map(|(index, aim)| {
        let behind = objects[index + 1..].iter().sum();
        let aim = Aim {
            behind,
            ..aim.unwrap_or_default()
        };
        (aim, most.min(depths[index] + 1))
    });
    all.collect()
}

/// About how many objects there are behind a pointer to a type.
fn cost<'m>(
    builder: &mut Builder<'m, '_>,
    (to, container): (Option<DebugNode<'m>>, Option<&Container<'m>>),
    (number, depth): ((bool, Option<u64>), u32),
    around: &[DebugNode<'m>],
    costs: &mut Costs<'m>,
) -> usize {
    let to = builder.completed(to);
    let is_owner = to.is_some_and(|to| is_owner(builder, unwrapped(to), around));
    let depth = if is_owner { depth.min(1) } else { depth };
    let behind = match container {
        Some(container) => Some(pointee::around(builder, container)),
        None => pointee(builder, to, number, Default::default()),
    };
    let Some(pointee) = behind.filter(|_| depth > 0) else {
        return 0;
    };
    let PointeeKind::Objects(node) = pointee.kind else {
        return 1;
    };
    let inside = [around, &[unwrapped(node)]].concat();
    let key = (unwrapped(node), number, depth, around.to_vec());
    if let Some(known) = costs.get(&key) {
        return *known;
    }
    let mut regions = FxHashSet::default();
    let mut all: usize = 0;
    for piece in pieces(node) {
        let region = region(builder, &piece);
        let made = piece.is_pointer() && is_made(builder, &piece);
        if !made || region.is_some_and(|region| !regions.insert(region)) {
            continue;
        }
        let aim = member(builder, &piece, (false, 0), &[]);
        all = all.saturating_add(cost(
            builder,
            (aim.to, aim.container.as_ref()),
            ((region.is_some(), aim.several), depth - 1),
            &inside,
            costs,
        ));
    }
    let count = usize::try_from(pointee.count).unwrap_or(1);
    let all = all.saturating_mul(count).saturating_add(1).min(MANY);
    costs.insert(key, all);
    all
}

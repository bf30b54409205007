//! Queries with a part that is false, or with a part and its negation.

use labrys_expr::{ExprId, Op};
use rustc_hash::FxHashMap;

use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct Constants;

impl Layer for Constants {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, _: &mut Shared, _: Patience) -> Verdict {
        contradiction(task).map_or(Verdict::Pass, Verdict::Core)
    }
}

fn contradiction(task: &Task<'_, '_>) -> Option<Vec<usize>> {
    let mut places = FxHashMap::default();
    for (position, part) in task.parts.iter().enumerate() {
        if part.id == ExprId::FALSE {
            return Some(vec![position]);
        }
        places.insert(part.id, position);
    }
    task.parts.iter().enumerate().find_map(|(position, part)| {
        let node = task.query.pool.node(part.id);
        let negated = *node.operands().first().filter(|_| node.op() == Op::Not)?;
        let other = *places.get(&negated)?;
        Some(vec![other, position])
    })
}

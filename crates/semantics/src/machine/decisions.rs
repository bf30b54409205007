//! Where control goes at the end of a block, and how far it is from going elsewhere.

use labrys_expr::Value;
use labrys_program::{Block, BlockId, Function, Operand, Operation, Terminator};

use super::frames::FrameView;
use super::{Distance, Halt, distance};
use crate::algebra::Concrete;
use crate::value::Operands;

/// Operations that a truth value is followed through.
const DEPTH: u32 = 8;

/// Where the values lead from a block that does not return.
pub(super) fn natural(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    terminator: &Terminator,
) -> Result<BlockId, Halt> {
    match terminator {
        Terminator::Jump(to) => Ok(*to),
        Terminator::Branch {
            condition,
            if_true,
            if_false,
            ..
        } => {
            let holds = scalar(view, algebra, *condition)?.is_true();
            Ok(if holds { *if_true } else { *if_false })
        }
        Terminator::Switch {
            value,
            default,
            cases,
            ..
        } => {
            let value = scalar(view, algebra, *value)?;
            let chosen = cases.iter().find(|(case, _)| *case == value.bits());
            Ok(chosen.map_or(*default, |(_, to)| *to))
        }
        Terminator::Return(_) | Terminator::Unreachable => Err(Halt::Fault),
        Terminator::Opaque {
            reason, successors, ..
        } if reason.is_known_to_runs() => successors.first().copied().ok_or(Halt::Fault),
        Terminator::Opaque { reason, .. } => Err(Halt::Unknown(reason.to_string())),
    }
}

/// How far the values are from leading from a block to each successor; 0 for the natural one.
pub(super) fn distances<'t>(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    terminator: &'t Terminator,
    natural: BlockId,
) -> impl FnMut(BlockId) -> Distance + use<'t> {
    let mut truths = [f64::MAX; 2];
    let mut switched = None;
    match terminator {
        Terminator::Branch { condition, .. } => {
            truths = [true, false].map(|wanted| truth(view, algebra, *condition, wanted));
        }
        Terminator::Switch { value, .. } => {
            switched = scalar(view, algebra, *value).ok().map(Value::bits);
        }
        _ => {}
    }
    move |next| match terminator {
        _ if next == natural => 0.0,
        Terminator::Branch { if_true, .. } if next == *if_true => truths[0],
        Terminator::Branch { if_false, .. } if next == *if_false => truths[1],
        Terminator::Switch { default, cases, .. } => {
            let value = switched.unwrap_or(0);
            let near = cases.iter().filter(|(_, to)| *to == next);
            let near = near.map(|(case, _)| (*case as f64 - value as f64).abs());
            let other = if next == *default { 1.0 } else { f64::MAX };
            near.fold(other, f64::min)
        }
        _ => f64::MAX,
    }
}

fn scalar(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    operand: Operand,
) -> Result<Value, Halt> {
    let value = view.value(algebra, operand);
    let value = value.ok_or_else(|| Halt::Unknown("a value without a model".to_owned()))?;
    value.scalar().ok_or(Halt::Fault)
}

/// How far a one-bit value is from being `wanted`, by how it was computed.
pub(super) fn truth(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    operand: Operand,
    wanted: bool,
) -> Distance {
    truth_within(view, algebra, operand, wanted, DEPTH)
}

fn truth_within(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    operand: Operand,
    wanted: bool,
    depth: u32,
) -> Distance {
    let Ok(value) = scalar(view, algebra, operand) else {
        return 1.0;
    };
    if (value.bits() != 0) == wanted {
        return 0.0;
    }
    let Some(operation) = definition(view.function, operand).filter(|_| depth > 0) else {
        return 1.0;
    };
    if let Some(inner) = distance::same_truth(operation) {
        return truth_within(view, algebra, inner, wanted, depth - 1);
    }
    match operation {
        Operation::Compare {
            comparison,
            left,
            right,
        } => {
            let comparison = match wanted {
                true => *comparison,
                false => comparison.negated(),
            };
            let sides = sides(view, algebra, *left, *right);
            sides.map_or(1.0, |(a, b)| distance::compare(comparison, a, b))
        }
        Operation::FloatCompare {
            comparison,
            left,
            right,
        } => {
            let comparison = match wanted {
                true => *comparison,
                false => distance::negated_floats(*comparison),
            };
            let sides = sides(view, algebra, *left, *right);
            sides.map_or(1.0, |(a, b)| {
                distance::compare_floats(comparison, distance::float(a), distance::float(b))
            })
        }
        _ => 1.0,
    }
}

/// The operands of a comparison, if both have values.
fn sides(
    view: &mut FrameView<'_>,
    algebra: &mut Concrete,
    left: Operand,
    right: Operand,
) -> Option<(Value, Value)> {
    let left = scalar(view, algebra, left).ok()?;
    Some((left, scalar(view, algebra, right).ok()?))
}

/// The operation that defines a value, if it is an instruction's: ids ascend with the text.
pub(super) fn definition(function: &Function, operand: Operand) -> Option<&Operation> {
    let Operand::Value(id) = operand else {
        return None;
    };
    let first = |block: &Block| {
        let phi = block.phis.first().map(|phi| phi.result);
        let mut results = block
            .instructions
            .iter()
            .filter_map(|instruction| instruction.result);
        phi.or_else(|| results.next())
    };
    let mut defining = function.blocks.iter().rev();
    let block = defining.find(|block| first(block).is_some_and(|value| value <= id))?;
    let found = block
        .instructions
        .iter()
        .find(|instruction| instruction.result == Some(id));
    found.map(|instruction| &instruction.operation)
}

//! Where control goes at the end of a block, and how far it is from going elsewhere.

use labrys_expr::Value;
use labrys_program::{Block, BlockId, Function, Operand, Operation, Terminator};

use super::{Distance, Halt, Machine, distance};

impl Machine<'_> {
    /// Where control goes from a block that does not return.
    pub(super) fn next(
        &mut self,
        function: &Function,
        block_id: BlockId,
        block: &Block,
    ) -> Result<BlockId, Halt> {
        let watched = self.is_leaving_watched(block_id);
        match &block.terminator {
            Terminator::Jump(to) if watched => {
                self.leave(
                    block_id,
                    *to,
                    |next| {
                        if next == *to { 0.0 } else { f64::MAX }
                    },
                )
            }
            Terminator::Jump(to) => Ok(*to),
            Terminator::Branch {
                condition,
                if_true,
                if_false,
                ..
            } => {
                let holds = self.scalar(function, *condition)?.is_true();
                let natural = if holds { *if_true } else { *if_false };
                if !watched {
                    return Ok(natural);
                }
                let (to_true, to_false) = (
                    self.truth(function, *condition, true, 8),
                    self.truth(function, *condition, false, 8),
                );
                self.leave(block_id, natural, |next| match next {
                    next if next == natural => 0.0,
                    next if next == *if_true => to_true,
                    next if next == *if_false => to_false,
                    _ => f64::MAX,
                })
            }
            Terminator::Switch {
                value,
                default,
                cases,
                ..
            } => {
                let value = self.scalar(function, *value)?;
                let chosen = cases.iter().find(|(case, _)| *case == value.bits());
                let natural = chosen.map_or(*default, |(_, to)| *to);
                if !watched {
                    return Ok(natural);
                }
                self.leave(block_id, natural, |next| {
                    let near = cases.iter().filter(|(_, to)| *to == next);
                    let near = near.map(|(case, _)| (*case as f64 - value.bits() as f64).abs());
                    let other = if next == *default { 1.0 } else { f64::MAX };
                    if next == natural {
                        0.0
                    } else {
                        near.fold(other, f64::min)
                    }
                })
            }
            Terminator::Return(_) | Terminator::Unreachable => Err(Halt::Fault),
            Terminator::Opaque { reason, .. } => Err(Halt::Unknown(reason.to_string())),
        }
    }

    /// How far a one-bit value is from being `wanted`, by how it was computed.
    pub(super) fn truth(
        &mut self,
        function: &Function,
        operand: Operand,
        wanted: bool,
        depth: u32,
    ) -> Distance {
        let Ok(value) = self.scalar(function, operand) else {
            return 1.0;
        };
        if (value.bits() != 0) == wanted {
            return 0.0;
        }
        let Some(operation) = definition(function, operand).filter(|_| depth > 0) else {
            return 1.0;
        };
        if let Some(inner) = distance::same_truth(operation) {
            return self.truth(function, inner, wanted, depth - 1);
        }
        match operation {
            Operation::Compare {
                comparison,
                left,
                right,
            } => {
                let comparison = match wanted {
                    true => *comparison,
                    false => distance::negated(*comparison),
                };
                let sides = self.sides(function, *left, *right);
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
                let sides = self.sides(function, *left, *right);
                sides.map_or(1.0, |(a, b)| {
                    distance::compare_floats(comparison, distance::float(a), distance::float(b))
                })
            }
            _ => 1.0,
        }
    }

    /// What a comparison compares, as far as it is known.
    fn sides(
        &mut self,
        function: &Function,
        left: Operand,
        right: Operand,
    ) -> Option<(Value, Value)> {
        let left = self.scalar(function, left).ok()?;
        Some((left, self.scalar(function, right).ok()?))
    }
}

/// The operation that defines a value, if it is an instruction's: ids ascend with the text.
pub(super) fn definition(function: &Function, operand: Operand) -> Option<&Operation> {
    let Operand::Value(id) = operand else {
        return None;
    };
    let first = |block: &Block| {
        let phi = block.phis.first().map(|phi| phi.result);
        let mut results = block.instructions.iter().filter_map(|one| one.result);
        phi.or_else(|| results.next())
    };
    let mut defining = function.blocks.iter().rev();
    let block = defining.find(|block| first(block).is_some_and(|value| value <= id))?;
    let found = block.instructions.iter().find(|one| one.result == Some(id));
    found.map(|instruction| &instruction.operation)
}

//! Values of the IR over an algebra, and where operations get them.

use labrys_program::{Operand, Type};

use crate::Algebra;

/// The value of an instruction of the IR: a bit-vector, or the elements of an aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrValue<V> {
    /// A bit-vector.
    Scalar(V),
    /// Elements in order.
    Parts(Vec<IrValue<V>>),
}

impl<V: Copy> IrValue<V> {
    /// The bit-vector, if it is one.
    pub fn scalar(&self) -> Option<V> {
        match self {
            IrValue::Scalar(value) => Some(*value),
            IrValue::Parts(_) => None,
        }
    }

    /// All bit-vectors in it, in order.
    pub fn scalars(&self) -> Vec<V> {
        match self {
            IrValue::Scalar(value) => vec![*value],
            IrValue::Parts(parts) => parts.iter().flat_map(IrValue::scalars).collect(),
        }
    }

    /// The part at a path.
    pub fn part(&self, path: &[u32]) -> Option<&IrValue<V>> {
        match (path.split_first(), self) {
            (None, _) => Some(self),
            (Some((first, rest)), IrValue::Parts(parts)) => parts.get(*first as usize)?.part(rest),
            (Some(_), IrValue::Scalar(_)) => None,
        }
    }

    /// Replaces the part at a path.
    pub fn set_part(&mut self, path: &[u32], value: IrValue<V>) -> Option<()> {
        match path.split_first() {
            None => *self = value,
            Some((first, rest)) => {
                let IrValue::Parts(parts) = self else {
                    return None;
                };
                parts.get_mut(*first as usize)?.set_part(rest, value)?;
            }
        }
        Some(())
    }
}

/// Gives the operands of an operation: their values and types.
pub trait Operands<A: Algebra> {
    /// The value of an operand; `None` if it has no model.
    fn value(&mut self, algebra: &mut A, operand: Operand) -> Option<IrValue<A::Value>>;
    /// The type of an operand.
    fn ty(&self, operand: Operand) -> Option<Type>;

    /// The value of a scalar operand.
    fn scalar(&mut self, algebra: &mut A, operand: Operand) -> Option<A::Value> {
        self.value(algebra, operand)?.scalar()
    }
}

//! Values of the IR over an algebra, and where operations get them.

use labrys_program::{Operand, Type};

use crate::Algebra;

/// The value of an SSA value: a bit-vector, or the elements of an aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning<V> {
    /// A bit-vector.
    Scalar(V),
    /// Elements in order.
    Parts(Vec<Meaning<V>>),
}

impl<V: Copy> Meaning<V> {
    /// The bit-vector, if it is one.
    pub fn scalar(&self) -> Option<V> {
        match self {
            Meaning::Scalar(value) => Some(*value),
            Meaning::Parts(_) => None,
        }
    }

    /// All bit-vectors in it, in order.
    pub fn scalars(&self) -> Vec<V> {
        match self {
            Meaning::Scalar(value) => vec![*value],
            Meaning::Parts(parts) => parts.iter().flat_map(Meaning::scalars).collect(),
        }
    }

    /// The part at a path.
    pub fn part(&self, path: &[u32]) -> Option<&Meaning<V>> {
        match (path.split_first(), self) {
            (None, _) => Some(self),
            (Some((first, rest)), Meaning::Parts(parts)) => parts.get(*first as usize)?.part(rest),
            (Some(_), Meaning::Scalar(_)) => None,
        }
    }

    /// Replaces the part at a path.
    pub fn set_part(&mut self, path: &[u32], value: Meaning<V>) -> Option<()> {
        match path.split_first() {
            None => *self = value,
            Some((first, rest)) => {
                let Meaning::Parts(parts) = self else {
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
    fn value(&mut self, algebra: &mut A, operand: Operand) -> Option<Meaning<A::Value>>;
    /// The type of an operand.
    fn ty(&self, operand: Operand) -> Option<Type>;

    /// The value of a scalar operand.
    fn scalar(&mut self, algebra: &mut A, operand: Operand) -> Option<A::Value> {
        self.value(algebra, operand)?.scalar()
    }
}

//! Distances of comparisons of floats.

use cranelift_codegen::ir::{InstBuilder, Value, condcodes::FloatCC};

use super::emit::Emitter;
use crate::layers::walk::formula::{Atom, Relation};

impl Emitter<'_, '_> {
    /// Whether a comparison of floats holds, and the difference of its sides.
    pub(super) fn float_atom(&mut self, atom: &Atom) -> (Value, Value) {
        let width = self.pool.width(atom.left);
        let (left, right) = (self.float(atom.left), self.float(atom.right));
        let left = self.code.wide(left, width);
        let right = self.code.wide(right, width);
        let condition = match (atom.relation, atom.or_unordered) {
            (Relation::Equal, false) => FloatCC::Equal,
            (Relation::Equal, true) => FloatCC::UnorderedOrEqual,
            (Relation::NotEqual, false) => FloatCC::OrderedNotEqual,
            (Relation::NotEqual, true) => FloatCC::NotEqual,
            (Relation::Less, false) => FloatCC::LessThan,
            (Relation::Less, true) => FloatCC::UnorderedOrLessThan,
            (Relation::AtMost, false) => FloatCC::LessThanOrEqual,
            (Relation::AtMost, true) => FloatCC::UnorderedOrLessThanOrEqual,
            (Relation::Unordered, _) => FloatCC::Unordered,
            (Relation::Ordered, _) => FloatCC::Ordered,
        };
        let holds = self.code.builder.ins().fcmp(condition, left, right);
        let difference = self.code.builder.ins().fsub(left, right);
        (holds, difference)
    }
}

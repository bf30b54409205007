//! What decisions say of the values that they compare.

use labrys_program::{BinaryOperator, Cast, Operand, Operation};
use labrys_program::{BlockId, Comparison, Terminator, Type, ValueId};
use std::rc::Rc;

use super::numbers::{Numbers, mirrored};

/// What computes the values of a function.
pub(super) trait Definitions {
    /// The numbers of an operand where something is known; `None` if its type has none.
    fn operand(&self, known: &Known, operand: Operand) -> Option<Numbers>;
    /// The type of an operand.
    fn operand_type(&self, operand: Operand) -> Option<Type>;
    /// What computes a value.
    fn operation(&self, value: ValueId) -> Option<&Operation>;
    /// Whether more than one place reads a value.
    fn is_shared(&self, value: ValueId) -> bool;
    /// The end of a block.
    fn terminator(&self, block: BlockId) -> &Terminator;
}

/// Decisions that one decision is made of, in each other.
const DEPTH: u32 = 12;

/// Numbers of values where control comes by a block, in place of those that they have anywhere.
/// Law: it comes there with these only, as long as the values are not computed anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// By value, in ascending order.
    numbers: Rc<Vec<(ValueId, Numbers)>>,
    /// Whether control never comes there.
    impossible: bool,
}

impl Known {
    pub(super) fn is_impossible(&self) -> bool {
        self.impossible
    }

    /// What is known of a value.
    pub(super) fn get(&self, value: ValueId) -> Option<&Numbers> {
        let at = self.position(value).ok()?;
        Some(&self.numbers[at].1)
    }

    fn position(&self, value: ValueId) -> Result<usize, usize> {
        self.numbers
            .binary_search_by_key(&value, |(other, _)| *other)
    }

    fn insert(&mut self, value: ValueId, numbers: Numbers) {
        let position = self.position(value);
        let all = Rc::make_mut(&mut self.numbers);
        match position {
            Ok(at) => all[at].1 = numbers,
            Err(at) => all.insert(at, (value, numbers)),
        }
    }

    /// Drops what is known of values that are computed anew.
    pub(super) fn forget(&mut self, is_new: impl Fn(ValueId) -> bool) {
        if self.numbers.iter().any(|(value, _)| is_new(*value)) {
            Rc::make_mut(&mut self.numbers).retain(|(value, _)| !is_new(*value));
        }
    }

    /// Takes over what something else knows of some values.
    pub(super) fn keep(&mut self, other: &Known, which: impl Fn(ValueId) -> bool) {
        let kept = other.numbers.iter().filter(|_| !other.impossible);
        let kept = kept.filter(|(value, _)| which(*value));
        for (value, numbers) in kept {
            if self.get(*value) != Some(numbers) {
                self.insert(*value, numbers.clone());
            }
        }
    }

    /// Control comes by one of two edges.
    pub(super) fn join(&mut self, other: &Known) {
        if other.impossible || Rc::ptr_eq(&self.numbers, &other.numbers) {
            return;
        }
        if self.impossible {
            self.clone_from(other);
            return;
        }
        let mut others = other.numbers.iter().peekable();
        Rc::make_mut(&mut self.numbers).retain_mut(|(value, numbers)| {
            while others.next_if(|(other, _)| other < value).is_some() {}
            let also = others.next_if(|(other, _)| other == value);
            if let Some((_, also)) = also {
                *numbers = numbers.join(also);
            }
            also.is_some()
        });
    }

    /// A value is one of some numbers.
    fn narrow(
        &mut self,
        definitions: &dyn Definitions,
        value: ValueId,
        numbers: &Numbers,
        depth: u32,
    ) {
        let Some(before) = definitions.operand(self, Operand::Value(value)) else {
            return;
        };
        if before.width() != numbers.width() {
            return;
        }
        let now = before.meet(numbers);
        self.impossible |= now.is_none();
        if now == before {
            return;
        }
        // Nothing else would ask for it.
        if definitions.is_shared(value) {
            self.insert(value, now.clone());
        }
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match definitions.operation(value) {
            Some(Operation::Cast {
                cast: cast @ (Cast::ZeroExtend | Cast::SignExtend),
                value: Operand::Value(from),
            }) => {
                if let Some(known) = definitions.operand(self, Operand::Value(*from)) {
                    // The numbers whose extension is among these.
                    let all = now.truncated(known.width());
                    let again = all.extended(now.width(), *cast == Cast::SignExtend);
                    if again.meet(&now) == now {
                        self.narrow(definitions, *from, &all, depth);
                    }
                }
            }
            Some(operation) if now.width() == 1 => {
                if let Some(bit) = now.single() {
                    self.decided(definitions, operation, bit == 1, depth);
                }
            }
            _ => {}
        }
    }

    /// A condition holds, or does not.
    pub(super) fn assume(
        &mut self,
        definitions: &dyn Definitions,
        condition: Operand,
        holds: bool,
    ) {
        let bit = Numbers::one(1, holds.into());
        match condition {
            Operand::Value(value) => self.narrow(definitions, value, &bit, DEPTH),
            Operand::Constant(_) => {
                let known = definitions.operand(self, condition);
                self.impossible |= known.is_some_and(|known| !known.contains(holds.into()));
            }
        }
    }

    fn decided(
        &mut self,
        definitions: &dyn Definitions,
        operation: &Operation,
        holds: bool,
        depth: u32,
    ) {
        match operation {
            Operation::Compare {
                comparison,
                left,
                right,
            } => {
                let comparison = match holds {
                    true => *comparison,
                    false => comparison.negated(),
                };
                self.compared(definitions, comparison, (*left, *right), depth);
            }
            // Both are as the result is.
            Operation::Binary {
                operator: BinaryOperator::And,
                left,
                right,
            } if holds => self.both(definitions, (*left, true), (*right, true), depth),
            Operation::Binary {
                operator: BinaryOperator::Or,
                left,
                right,
            } if !holds => self.both(definitions, (*left, false), (*right, false), depth),
            Operation::Binary {
                operator: BinaryOperator::Xor,
                left: Operand::Value(value),
                right,
            } => {
                let other = definitions
                    .operand(self, *right)
                    .and_then(|known| known.single());
                if let Some(other) = other {
                    let bit = Numbers::one(1, u64::from(holds) ^ other);
                    self.narrow(definitions, *value, &bit, depth);
                }
            }
            Operation::Select {
                condition,
                if_true,
                if_false,
                ..
            } => {
                self.selected(definitions, (*condition, *if_true, *if_false), holds, depth);
            }
            Operation::Freeze(Operand::Value(value)) => {
                let bit = Numbers::one(1, holds.into());
                self.narrow(definitions, *value, &bit, depth);
            }
            _ => {}
        }
    }

    /// A comparison holds.
    fn compared(
        &mut self,
        definitions: &dyn Definitions,
        comparison: Comparison,
        (left, right): (Operand, Operand),
        depth: u32,
    ) {
        for (own, comparison, other) in [
            (left, comparison, right),
            (right, mirrored(comparison), left),
        ] {
            let Operand::Value(value) = own else { continue };
            let (Some(known), Some(other)) = (
                definitions.operand(self, own),
                definitions.operand(self, other),
            ) else {
                continue;
            };
            let now = known.where_(comparison, &other);
            self.impossible |= now.is_none();
            self.narrow(definitions, value, &now, depth);
        }
    }

    /// A choice of two conditions holds, or does not.
    fn selected(
        &mut self,
        definitions: &dyn Definitions,
        (condition, if_true, if_false): (Operand, Operand, Operand),
        holds: bool,
        depth: u32,
    ) {
        // A side that cannot be so is not the one that was taken.
        let may = |known: &Known, side: Operand| {
            let known = definitions.operand(known, side);
            known.is_none_or(|known| known.contains(holds.into()))
        };
        match (may(self, if_true), may(self, if_false)) {
            (true, false) => self.both(definitions, (condition, true), (if_true, holds), depth),
            (false, true) => self.both(definitions, (condition, false), (if_false, holds), depth),
            (false, false) => self.impossible = true,
            (true, true) => {}
        }
    }

    fn both(
        &mut self,
        definitions: &dyn Definitions,
        first: (Operand, bool),
        second: (Operand, bool),
        depth: u32,
    ) {
        for (operand, holds) in [first, second] {
            if let Operand::Value(value) = operand {
                self.narrow(definitions, value, &Numbers::one(1, holds.into()), depth);
            }
        }
    }

    /// Control leaves a block in this direction.
    pub(super) fn leave(&mut self, definitions: &dyn Definitions, from: BlockId, direction: u32) {
        match definitions.terminator(from) {
            Terminator::Branch { condition, .. } => {
                self.assume(definitions, *condition, direction == 1);
            }
            Terminator::Switch { value, cases, .. } => {
                let Some(known) = definitions.operand(self, *value) else {
                    return;
                };
                let width = known.width();
                let case = |bits: u128| Numbers::one(width, bits as u64);
                let now = match direction.checked_sub(1) {
                    Some(at) => known.meet(&case(cases[at as usize].0)),
                    None => cases.iter().fold(known, |known, (bits, _)| {
                        known.where_(Comparison::Ne, &case(*bits))
                    }),
                };
                self.impossible |= now.is_none();
                if let Operand::Value(value) = value {
                    self.narrow(definitions, *value, &now, DEPTH);
                }
            }
            _ => {}
        }
    }
}

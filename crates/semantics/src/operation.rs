//! The meaning of operations without effects on memory or control.

use labrys_expr::Op;
use labrys_program::{AddressTerm, Operation, Type};

use crate::arithmetic::{binary, cast, choose, compare, compare_floats, float};
use crate::value::{IrValue, Operands};
use crate::{Algebra, intrinsic};

/// The result of an operation of type `ty`; `None` if the operation touches memory or control,
/// or has no model.
pub fn meaning<A: Algebra>(
    algebra: &mut A,
    operation: &Operation,
    ty: Type,
    operands: &mut dyn Operands<A>,
) -> Option<IrValue<A::Value>> {
    let scalar = match operation {
        Operation::Binary {
            operator,
            left,
            right,
        } => {
            let left = operands.scalar(algebra, *left)?;
            let right = operands.scalar(algebra, *right)?;
            binary(algebra, *operator, left, right)
        }
        Operation::Compare {
            comparison,
            left,
            right,
        } => {
            let left = operands.scalar(algebra, *left)?;
            let right = operands.scalar(algebra, *right)?;
            compare(algebra, *comparison, left, right)
        }
        Operation::Float {
            operator,
            left,
            right,
        } => {
            let left = operands.scalar(algebra, *left)?;
            let right = operands.scalar(algebra, *right)?;
            float(algebra, *operator, left, right)
        }
        Operation::FloatCompare {
            comparison,
            left,
            right,
        } => {
            let left = operands.scalar(algebra, *left)?;
            let right = operands.scalar(algebra, *right)?;
            compare_floats(algebra, *comparison, left, right)
        }
        Operation::FloatNegate(value) => {
            let value = operands.scalar(algebra, *value)?;
            algebra.unary(Op::FNeg, value)
        }
        Operation::Cast { cast: kind, value } => {
            let from = operands.ty(*value)?;
            let value = operands.scalar(algebra, *value)?;
            cast(algebra, *kind, value, from, ty)?
        }
        Operation::Select {
            condition,
            if_true,
            if_false,
            ..
        } => {
            let condition = operands.scalar(algebra, *condition)?;
            let if_true = operands.value(algebra, *if_true)?;
            let if_false = operands.value(algebra, *if_false)?;
            return choose(algebra, condition, &if_true, &if_false);
        }
        Operation::Freeze(value) => return operands.value(algebra, *value),
        Operation::Address {
            base,
            offset,
            terms,
        } => {
            let base = operands.scalar(algebra, *base)?;
            address(algebra, base, *offset, terms, operands)?
        }
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } => return intrinsic::meaning(algebra, *intrinsic, arguments, ty, operands),
        Operation::Extract { aggregate, indices } => {
            let whole = operands.value(algebra, *aggregate)?;
            return whole.part(indices).cloned();
        }
        Operation::Insert {
            aggregate,
            value,
            indices,
        } => {
            let mut whole = operands.value(algebra, *aggregate)?;
            let part = operands.value(algebra, *value)?;
            whole.set_part(indices, part)?;
            return Some(whole);
        }
        _ => return None,
    };
    debug_assert_eq!(ty.width(), Some(algebra.width(scalar)), "{operation:?}");
    Some(IrValue::Scalar(scalar))
}

/// `base + offset + Σ sext(index) × scale`.
fn address<A: Algebra>(
    algebra: &mut A,
    base: A::Value,
    offset: i64,
    terms: &[AddressTerm],
    operands: &mut dyn Operands<A>,
) -> Option<A::Value> {
    let mut sum = algebra.constant(64, offset as i128 as u128);
    for term in terms {
        let index = operands.scalar(algebra, term.index)?;
        let index = algebra.resize_signed(index, 64);
        let scale = algebra.constant(64, u128::from(term.scale));
        let scaled = algebra.binary(Op::Mul, index, scale);
        sum = algebra.binary(Op::Add, sum, scaled);
    }
    Some(algebra.binary(Op::Add, base, sum))
}

//! The meaning of operations without effects on memory or control.

use labrys_expr::Op;
use labrys_program::{
    BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator, Operand, Operation, Type,
};

use crate::{Algebra, intrinsic};

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

/// The result of an operation of type `ty`; `None` if the operation touches memory or control,
/// or has no model.
pub fn meaning<A: Algebra>(
    algebra: &mut A,
    operation: &Operation,
    ty: Type,
    operands: &mut dyn Operands<A>,
) -> Option<Meaning<A::Value>> {
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
            let op = match operator {
                FloatOperator::Add => Op::FAdd,
                FloatOperator::Sub => Op::FSub,
                FloatOperator::Mul => Op::FMul,
                FloatOperator::Div => Op::FDiv,
                FloatOperator::Rem => Op::FRem,
            };
            algebra.binary(op, left, right)
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
            let mut sum = algebra.constant(64, *offset as i128 as u128);
            for term in terms {
                let index = operands.scalar(algebra, term.index)?;
                let index = algebra.resize_signed(index, 64);
                let scale = algebra.constant(64, u128::from(term.scale));
                let scaled = algebra.binary(Op::Mul, index, scale);
                sum = algebra.binary(Op::Add, sum, scaled);
            }
            let base = operands.scalar(algebra, *base)?;
            algebra.binary(Op::Add, base, sum)
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
    Some(Meaning::Scalar(scalar))
}

/// `condition ? a : b`, element by element.
pub fn choose<A: Algebra>(
    algebra: &mut A,
    condition: A::Value,
    a: &Meaning<A::Value>,
    b: &Meaning<A::Value>,
) -> Option<Meaning<A::Value>> {
    match (a, b) {
        (Meaning::Scalar(a), Meaning::Scalar(b)) => {
            Some(Meaning::Scalar(algebra.ite(condition, *a, *b)))
        }
        (Meaning::Parts(a), Meaning::Parts(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b);
            let parts = parts.map(|(a, b)| choose(algebra, condition, a, b));
            Some(Meaning::Parts(parts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// An integer operation. What C leaves undefined is anything.
pub(crate) fn binary<A: Algebra>(
    algebra: &mut A,
    operator: BinaryOperator,
    left: A::Value,
    right: A::Value,
) -> A::Value {
    use BinaryOperator as B;
    let op = match operator {
        B::Add => Op::Add,
        B::Sub => Op::Sub,
        B::Mul => Op::Mul,
        B::UDiv => Op::UDiv,
        B::SDiv => Op::SDiv,
        B::URem => Op::URem,
        B::SRem => Op::SRem,
        B::Shl => Op::Shl,
        B::LShr => Op::LShr,
        B::AShr => Op::AShr,
        B::And => Op::And,
        B::Or => Op::Or,
        B::Xor => Op::Xor,
    };
    let result = algebra.binary(op, left, right);
    let width = algebra.width(left);
    match operator {
        B::UDiv | B::SDiv | B::URem | B::SRem if algebra.known(right).is_none_or(|b| b == 0) => {
            let zero = algebra.constant(width, 0);
            let undefined = algebra.binary(Op::Eq, right, zero);
            let any = algebra.anything(width, Some(result));
            algebra.ite(undefined, any, result)
        }
        B::Shl | B::LShr | B::AShr
            if algebra
                .known(right)
                .is_none_or(|amount| amount >= u128::from(width)) =>
        {
            let bound = algebra.constant(width, u128::from(width));
            let machine = width.is_power_of_two().then(|| {
                let mask = algebra.constant(width, u128::from(width - 1));
                let masked = algebra.binary(Op::And, right, mask);
                algebra.binary(op, left, masked)
            });
            let defined = algebra.binary(Op::Ult, right, bound);
            let any = algebra.anything(width, machine);
            algebra.ite(defined, result, any)
        }
        _ => result,
    }
}

/// A comparison of integers.
pub(crate) fn compare<A: Algebra>(
    algebra: &mut A,
    comparison: Comparison,
    left: A::Value,
    right: A::Value,
) -> A::Value {
    use Comparison as C;
    match comparison {
        C::Eq => algebra.binary(Op::Eq, left, right),
        C::Ne => {
            let equal = algebra.binary(Op::Eq, left, right);
            algebra.not(equal)
        }
        C::Ugt => algebra.binary(Op::Ult, right, left),
        C::Uge => algebra.binary(Op::Ule, right, left),
        C::Ult => algebra.binary(Op::Ult, left, right),
        C::Ule => algebra.binary(Op::Ule, left, right),
        C::Sgt => algebra.binary(Op::Slt, right, left),
        C::Sge => algebra.binary(Op::Sle, right, left),
        C::Slt => algebra.binary(Op::Slt, left, right),
        C::Sle => algebra.binary(Op::Sle, left, right),
    }
}

fn compare_floats<A: Algebra>(
    algebra: &mut A,
    comparison: FloatComparison,
    a: A::Value,
    b: A::Value,
) -> A::Value {
    use FloatComparison as F;
    let ordered = |algebra: &mut A| {
        let unordered = algebra.binary(Op::FUno, a, b);
        algebra.not(unordered)
    };
    let negated = |algebra: &mut A, op, a, b| {
        let holds = algebra.binary(op, a, b);
        algebra.not(holds)
    };
    match comparison {
        F::False => algebra.constant(1, 0),
        F::True => algebra.constant(1, 1),
        F::Oeq => algebra.binary(Op::FOeq, a, b),
        F::Ogt => algebra.binary(Op::FOlt, b, a),
        F::Oge => algebra.binary(Op::FOle, b, a),
        F::Olt => algebra.binary(Op::FOlt, a, b),
        F::Ole => algebra.binary(Op::FOle, a, b),
        F::One => {
            let unequal = negated(algebra, Op::FOeq, a, b);
            let ordered = ordered(algebra);
            algebra.binary(Op::And, unequal, ordered)
        }
        F::Ord => ordered(algebra),
        F::Uno => algebra.binary(Op::FUno, a, b),
        F::Ueq => {
            let equal = algebra.binary(Op::FOeq, a, b);
            let unordered = algebra.binary(Op::FUno, a, b);
            algebra.binary(Op::Or, equal, unordered)
        }
        F::Ugt => negated(algebra, Op::FOle, a, b),
        F::Uge => negated(algebra, Op::FOlt, a, b),
        F::Ult => negated(algebra, Op::FOle, b, a),
        F::Ule => negated(algebra, Op::FOlt, b, a),
        F::Une => negated(algebra, Op::FOeq, a, b),
    }
}

/// A conversion; `None` between types without a model.
pub(crate) fn cast<A: Algebra>(
    algebra: &mut A,
    cast: Cast,
    value: A::Value,
    from: Type,
    to: Type,
) -> Option<A::Value> {
    let width = to.width()?;
    from.width()?;
    Some(match cast {
        Cast::Truncate | Cast::ZeroExtend | Cast::PointerToInt | Cast::IntToPointer => {
            algebra.resize(value, width)
        }
        Cast::SignExtend => algebra.resize_signed(value, width),
        // The processor converts to 32 or 64 bits and the rest is cut off.
        Cast::FloatToSigned => {
            let wide = width.max(32);
            let number = algebra.convert(Op::FToS, value, wide);
            algebra.resize(number, width)
        }
        Cast::FloatToUnsigned if width < 32 => {
            let number = algebra.convert(Op::FToS, value, 32);
            algebra.resize(number, width)
        }
        Cast::FloatToUnsigned if width == 32 => {
            let number = algebra.convert(Op::FToS, value, 64);
            algebra.resize(number, width)
        }
        Cast::FloatToUnsigned => algebra.convert(Op::FToU, value, width),
        Cast::UnsignedToFloat => algebra.convert(Op::UToF, value, width),
        Cast::SignedToFloat => algebra.convert(Op::SToF, value, width),
        Cast::FloatTruncate | Cast::FloatExtend => algebra.convert(Op::FToF, value, width),
        Cast::Bits => (algebra.width(value) == width).then_some(value)?,
    })
}

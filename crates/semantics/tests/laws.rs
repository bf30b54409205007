//! The law of the crate: an expression, evaluated, is what the concrete algebra computes.

#![allow(missing_docs)]

use labrys_expr::{Pool, Symbol, Value, evaluate};
use labrys_program::{
    BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator, Intrinsic, Operand,
    Operation, Type, ValueId,
};
use labrys_semantics::{Algebra, Concrete, Meaning, Operands, Symbolic, meaning};

/// Operands are the values 0, 1, 2 of given types.
struct Given<V> {
    values: Vec<(V, Type)>,
}

impl<A: Algebra> Operands<A> for Given<A::Value> {
    fn value(&mut self, _: &mut A, operand: Operand) -> Option<Meaning<A::Value>> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(Meaning::Scalar(self.values.get(id.index())?.0))
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(self.values.get(id.index())?.1)
    }
}

const A: Operand = Operand::Value(ValueId(0));
const B: Operand = Operand::Value(ValueId(1));
const C: Operand = Operand::Value(ValueId(2));

/// Numbers at the edges and between.
const SAMPLES: [u128; 12] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0x80,
    0xff,
    0x8000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u128::MAX - 4,
];

fn scalars(value: &Meaning<Value>) -> Vec<Value> {
    match value {
        Meaning::Scalar(value) => vec![*value],
        Meaning::Parts(parts) => parts.iter().flat_map(scalars).collect(),
    }
}

fn agree(operation: &Operation, ty: Type, from: Type, numbers: [u128; 3]) {
    let width = from.width().expect("a scalar");
    let mut concrete = Concrete {
        external: |_, _, _| None,
    };
    let values = numbers.map(|number| (Value::new(width, number), from));
    let mut given = Given {
        values: values.to_vec(),
    };
    let expected = meaning(&mut concrete, operation, ty, &mut given);
    let (mut pool, mut next) = (Pool::new(), 100);
    let mut symbolic = Symbolic {
        pool: &mut pool,
        next: &mut next,
    };
    let symbols = [0u32, 1, 2].map(|id| Symbol::Named {
        id,
        width: width as u8,
    });
    let mut given = Given {
        values: symbols
            .iter()
            .map(|symbol| (symbolic.pool.symbol(*symbol), from))
            .collect(),
    };
    let found = meaning(&mut symbolic, operation, ty, &mut given);
    let (Some(expected), Some(found)) = (expected, found) else {
        panic!("{operation:?} has no meaning");
    };
    let environment = |symbol: Symbol| {
        let known = symbols.iter().position(|one| *one == symbol);
        known.map_or(0, |index| numbers[index])
    };
    let found = match found {
        Meaning::Scalar(id) => vec![id],
        Meaning::Parts(parts) => parts.iter().filter_map(Meaning::scalar).collect(),
    };
    for (id, expected) in found.into_iter().zip(scalars(&expected)) {
        let value = evaluate(&pool, id, &environment).expect("a value");
        assert_eq!(value, expected, "{operation:?} on {numbers:x?}");
    }
}

fn pairs(mut check: impl FnMut(u128, u128)) {
    for a in SAMPLES {
        for b in SAMPLES {
            check(a, b);
        }
    }
}

#[test]
fn integers() {
    for width in [8, 16, 32, 64] {
        let ty = Type::Int(width);
        pairs(|a, b| {
            for operator in BinaryOperator::ALL {
                use BinaryOperator as O;
                let shift = matches!(operator, O::Shl | O::LShr | O::AShr);
                let b = if shift { b % u128::from(width) } else { b };
                let divides = matches!(operator, O::UDiv | O::SDiv | O::URem | O::SRem);
                if divides && Value::new(width, b).bits() == 0 {
                    continue;
                }
                let operation = Operation::Binary {
                    operator: *operator,
                    left: A,
                    right: B,
                };
                agree(&operation, ty, ty, [a, b, 0]);
            }
            for comparison in Comparison::ALL {
                let operation = Operation::Compare {
                    comparison: *comparison,
                    left: A,
                    right: B,
                };
                agree(&operation, Type::Int(1), ty, [a, b, 0]);
            }
        });
    }
}

#[test]
fn floats() {
    let numbers = [0.0f64, -0.0, 1.5, -2.25, 1e300, f64::INFINITY, f64::NAN];
    for a in numbers {
        for b in numbers {
            let bits = [u128::from(a.to_bits()), u128::from(b.to_bits()), 0];
            for operator in FloatOperator::ALL {
                let operation = Operation::Float {
                    operator: *operator,
                    left: A,
                    right: B,
                };
                agree(&operation, Type::Double, Type::Double, bits);
            }
            for comparison in FloatComparison::ALL {
                let operation = Operation::FloatCompare {
                    comparison: *comparison,
                    left: A,
                    right: B,
                };
                agree(&operation, Type::Int(1), Type::Double, bits);
            }
        }
    }
}

#[test]
fn comparisons_of_floats_are_those_of_the_machine() {
    let numbers = [0.0f64, -0.0, 1.5, -2.25, f64::INFINITY, f64::NAN];
    for a in numbers {
        for b in numbers {
            for (comparison, expected) in [
                (FloatComparison::Olt, a < b),
                (FloatComparison::Ole, a <= b),
                (FloatComparison::Ogt, a > b),
                (FloatComparison::Oge, a >= b),
                (FloatComparison::Oeq, a == b),
                (FloatComparison::Une, a != b),
                (FloatComparison::Uno, a.is_nan() || b.is_nan()),
                (FloatComparison::Ugt, a > b || a.is_nan() || b.is_nan()),
            ] {
                let mut concrete = Concrete {
                    external: |_, _, _| None,
                };
                let double = |x: f64| Value::new(64, u128::from(x.to_bits()));
                let mut given = Given {
                    values: vec![(double(a), Type::Double), (double(b), Type::Double)],
                };
                let operation = Operation::FloatCompare {
                    comparison,
                    left: A,
                    right: B,
                };
                let value = meaning(&mut concrete, &operation, Type::Int(1), &mut given);
                let value = value.and_then(|value| value.scalar()).expect("a bit");
                assert_eq!(value.is_true(), expected, "{a} {comparison:?} {b}");
            }
        }
    }
}

#[test]
fn casts() {
    for a in SAMPLES {
        for (cast, from, to) in [
            (Cast::Truncate, Type::Int(64), Type::Int(8)),
            (Cast::ZeroExtend, Type::Int(8), Type::Int(32)),
            (Cast::SignExtend, Type::Int(8), Type::Int(64)),
            (Cast::SignedToFloat, Type::Int(32), Type::Double),
            (Cast::UnsignedToFloat, Type::Int(64), Type::Float),
            (Cast::PointerToInt, Type::Pointer, Type::Int(32)),
            (Cast::Bits, Type::Int(64), Type::Double),
        ] {
            agree(&Operation::Cast { cast, value: A }, to, from, [a, 0, 0]);
        }
    }
    for number in [0.0, 1.9, -1.9, 300.0, -300.0, 4e9, 1e30] {
        let bits = u128::from(f64::to_bits(number));
        for (cast, to) in [
            (Cast::FloatToSigned, Type::Int(8)),
            (Cast::FloatToSigned, Type::Int(32)),
            (Cast::FloatToUnsigned, Type::Int(16)),
            (Cast::FloatToUnsigned, Type::Int(32)),
            (Cast::FloatToUnsigned, Type::Int(64)),
            (Cast::FloatTruncate, Type::Float),
        ] {
            let operation = Operation::Cast { cast, value: A };
            agree(&operation, to, Type::Double, [bits, 0, 0]);
        }
    }
}

#[test]
fn intrinsics() {
    use Intrinsic as I;
    let ty = Type::Int(32);
    for intrinsic in [
        I::SignedAddOverflow,
        I::UnsignedSubOverflow,
        I::SignedMulOverflow,
        I::SignedAddSaturating,
        I::UnsignedAddSaturating,
        I::SignedSubSaturating,
        I::UnsignedSubSaturating,
        I::PopCount,
        I::LeadingZeros,
        I::TrailingZeros,
        I::ByteSwap,
        I::BitReverse,
        I::Abs,
        I::SignedMin,
        I::UnsignedMax,
        I::FunnelShiftLeft,
        I::FunnelShiftRight,
        I::Expect,
    ] {
        pairs(|a, b| {
            let operation = Operation::Intrinsic {
                intrinsic,
                arguments: vec![A, B, C],
            };
            agree(&operation, ty, ty, [a, b, a ^ b]);
        });
    }
}

#[test]
fn intrinsics_are_those_of_the_machine() {
    use Intrinsic as I;
    let mut concrete = Concrete {
        external: |_, _, _| None,
    };
    let mut compute = |intrinsic, a: u32, b: u32| {
        let value = |number: u32| (Value::new(32, u128::from(number)), Type::Int(32));
        let mut given = Given {
            values: vec![value(a), value(b), value(b)],
        };
        let operation = Operation::Intrinsic {
            intrinsic,
            arguments: vec![A, B, C],
        };
        let found = meaning(&mut concrete, &operation, Type::Int(32), &mut given);
        let parts = scalars(&found.expect("a meaning"));
        parts
            .iter()
            .map(|one| one.bits() as u32)
            .collect::<Vec<_>>()
    };
    pairs(|a, b| {
        let (a, b) = (a as u32, b as u32);
        let (sum, over) = (a as i32).overflowing_add(b as i32);
        assert_eq!(
            compute(I::SignedAddOverflow, a, b),
            [sum as u32, u32::from(over)]
        );
        let (product, over) = a.overflowing_mul(b);
        assert_eq!(
            compute(I::UnsignedMulOverflow, a, b),
            [product, u32::from(over)]
        );
        assert_eq!(
            compute(I::SignedSubSaturating, a, b),
            [(a as i32).saturating_sub(b as i32) as u32]
        );
        assert_eq!(compute(I::ByteSwap, a, b), [a.swap_bytes()]);
        assert_eq!(compute(I::BitReverse, a, b), [a.reverse_bits()]);
        assert_eq!(compute(I::LeadingZeros, a, b), [a.leading_zeros()]);
        assert_eq!(
            compute(I::SignedMin, a, b),
            [(a as i32).min(b as i32) as u32]
        );
    });
}

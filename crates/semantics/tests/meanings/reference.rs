//! Meanings against the arithmetic of Rust.

use labrys_expr::Value;
use labrys_program::{FloatComparison, Intrinsic, Operand, Operation, Type, ValueId};
use labrys_semantics::{Concrete, meaning};

use super::Given;

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

fn pairs(mut check: impl FnMut(u128, u128)) {
    for a in SAMPLES {
        for b in SAMPLES {
            check(a, b);
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
        let parts = found.expect("a meaning").scalars();
        parts
            .iter()
            .map(|part| part.bits() as u32)
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

//! The law of the crate, for every operation: what an expression evaluates to, what concrete values
//! give, what the machine computes, and what its code computes, is the same.
//!
//! `crates/cli/tests/operations.rs` compares the same operations with the compiled program and with
//! what the runtime records of it.

#![allow(missing_docs)]

mod cases;
mod code;
mod reference;

use std::collections::BTreeSet;

use cases::{Case, FLOATS, Random, Shape, WIDTHS, all, is_defined, shape, value};
use labrys_expr::{Environment, ExprId, Pool, Symbol, Value, evaluate};
use labrys_program::{Intrinsic, Operand, Operation, Type};
use labrys_semantics::{Algebra, Concrete, IrValue, Operands, Symbolic, meaning};

/// Operands are the values 0, 1, … of given types.
pub(crate) struct Given<V> {
    pub(crate) values: Vec<(V, Type)>,
}

impl<A: Algebra> Operands<A> for Given<A::Value> {
    fn value(&mut self, _: &mut A, operand: Operand) -> Option<IrValue<A::Value>> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(IrValue::Scalar(self.values.get(id.index())?.0))
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(self.values.get(id.index())?.1)
    }
}

/// Functions of the mathematics library, here any function of the bits.
pub(crate) fn external(name: &str, arguments: &[Value], width: u32) -> Option<u128> {
    let fold = |bits: u128, argument: &Value| bits.rotate_left(7) ^ argument.bits();
    let bits = arguments.iter().fold(name.len() as u128, fold);
    Some(bits & u128::MAX >> (128 - width))
}

struct Numbers<'n>(&'n [u128]);

impl Environment for Numbers<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        match symbol {
            Symbol::Named { id, .. } => self.0.get(id as usize).copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        external(name, arguments, width)
    }
}

/// The result on concrete values, all parts.
pub(crate) fn concrete(case: &Case, numbers: &[u128]) -> Option<Vec<Value>> {
    let mut algebra = Concrete { external };
    let values = case.parameters.iter().zip(numbers);
    let values = values.map(|(ty, bits)| (Value::new(ty.width().expect("a scalar"), *bits), *ty));
    let mut given = Given {
        values: values.collect(),
    };
    let result = meaning(&mut algebra, &case.operation, case.result, &mut given)?;
    Some(result.scalars())
}

/// The same by an expression; operands of the set are constants.
fn symbolic(case: &Case, numbers: &[u128], constants: &BTreeSet<usize>) -> Option<Vec<Value>> {
    let (mut pool, mut next) = (Pool::new(), 100);
    let operand = |pool: &mut Pool, index: usize, ty: Type| -> (ExprId, Type) {
        let width = ty.width().expect("a scalar");
        let id = index as u32;
        let expression = if constants.contains(&index) {
            pool.constant(width, numbers[index])
        } else {
            let width = width as u8;
            pool.symbol(Symbol::Named { id, width })
        };
        (expression, ty)
    };
    let parameters = case.parameters.iter().enumerate();
    let values = parameters
        .map(|(index, ty)| operand(&mut pool, index, *ty))
        .collect();
    let mut algebra = Symbolic {
        pool: &mut pool,
        next: &mut next,
    };
    let mut given = Given { values };
    let result = meaning(&mut algebra, &case.operation, case.result, &mut given)?;
    let parts = result.scalars().into_iter();
    parts
        .map(|id| evaluate(&pool, id, &Numbers(numbers)))
        .collect()
}

/// Values for the parameters of a case.
pub(crate) fn draw(case: &Case, random: &mut Random) -> Vec<u128> {
    let mut values: Vec<_> = case.parameters.iter().map(|ty| random.value(*ty)).collect();
    if let Operation::Intrinsic { intrinsic, .. } = &case.operation {
        if matches!(shape(*intrinsic), Shape::Flagged) {
            values[1] = 0;
        }
    }
    // Equal operands are rare among random ones.
    if values.len() > 1 && case.parameters[0] == case.parameters[1] && random.next() % 8 == 0 {
        values[1] = values[0];
    }
    values
}

#[test]
fn expressions_evaluate_to_what_concrete_values_give() {
    let mut random = Random(1);
    for case in all() {
        let mut compared = 0;
        for _ in 0..60 {
            let numbers = draw(&case, &mut random);
            let expected = concrete(&case, &numbers);
            for mask in 0..1usize << numbers.len() {
                if !is_defined(&case, &numbers) {
                    continue;
                }
                let constants = (0..numbers.len()).filter(|index| mask >> index & 1 == 1);
                let constants = constants.collect();
                let found = symbolic(&case, &numbers, &constants);
                assert_eq!(
                    found, expected,
                    "{case:?} on {numbers:x?}, constant {constants:?}"
                );
                compared += 1;
            }
        }
        assert!(compared > 0, "{case:?}");
    }
}

#[test]
fn every_intrinsic_without_a_shape_has_no_meaning() {
    let types = WIDTHS.map(Type::Int).into_iter().chain(FLOATS);
    let types: Vec<Type> = types.chain([Type::Pointer]).collect();
    for &intrinsic in Intrinsic::ALL {
        let operation = Operation::Intrinsic {
            intrinsic,
            arguments: (0..3).map(value).collect(),
        };
        let is_none = |ty: &Type| {
            let case = Case {
                operation: operation.clone(),
                parameters: vec![*ty; 3],
                result: *ty,
                overflows: false,
            };
            concrete(&case, &[1, 1, 1]).is_none()
        };
        if matches!(shape(intrinsic), Shape::None) {
            assert!(types.iter().all(is_none), "{}", intrinsic.name());
        }
    }
}

/// Wider operations have no wide enough arithmetic.
fn has_no_meaning(case: &Case) -> bool {
    let Operation::Intrinsic { intrinsic, .. } = &case.operation else {
        return false;
    };
    let width = case.result.width().expect("a scalar");
    use Intrinsic as I;
    match intrinsic {
        I::SignedMulOverflow
        | I::UnsignedMulOverflow
        | I::FunnelShiftLeft
        | I::FunnelShiftRight => width > 64,
        I::SignedAddOverflow
        | I::UnsignedAddOverflow
        | I::SignedSubOverflow
        | I::UnsignedSubOverflow
        | I::SignedAddSaturating
        | I::UnsignedAddSaturating
        | I::SignedSubSaturating
        | I::UnsignedSubSaturating => width > 127,
        _ => false,
    }
}

#[test]
fn all_other_operations_have_one() {
    let mut random = Random(2);
    for case in all() {
        let numbers = draw(&case, &mut random);
        let has = concrete(&case, &numbers).is_some();
        assert_eq!(has, !has_no_meaning(&case), "{case:?}");
    }
}

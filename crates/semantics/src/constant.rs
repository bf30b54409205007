//! The values of constants.

use labrys_expr::{ExprId, Op};
use labrys_program::{Constant, ConstantId, FunctionId, GlobalId, Program, Shape, Type};

use crate::arithmetic::{self, cast};
use crate::value::IrValue;
use crate::{Algebra, Symbolic};

/// Where symbols of the program stand.
pub trait Addresses<A: Algebra> {
    /// Address of a global.
    fn global(&mut self, algebra: &mut A, id: GlobalId) -> A::Value;
    /// Address of a function.
    fn function(&mut self, algebra: &mut A, id: FunctionId) -> A::Value;
}

/// The value of a constant; `None` if it has no model.
pub fn constant<A: Algebra>(
    algebra: &mut A,
    program: &Program,
    id: ConstantId,
    addresses: &mut dyn Addresses<A>,
) -> Option<IrValue<A::Value>> {
    let scalar = match program.constant(id)? {
        Constant::Int { width, bits } => algebra.constant(*width, *bits),
        Constant::Float(bits) => algebra.constant(32, u128::from(*bits)),
        Constant::Double(bits) => algebra.constant(64, u128::from(*bits)),
        Constant::Null => algebra.constant(64, 0),
        Constant::Global(global) => addresses.global(algebra, *global),
        Constant::Function(function) => addresses.function(algebra, *function),
        Constant::Offset { base, offset } => {
            let base = constant(algebra, program, *base, addresses)?.scalar()?;
            let offset = algebra.constant(64, *offset as i128 as u128);
            algebra.binary(Op::Add, base, offset)
        }
        Constant::Cast {
            cast: conversion,
            to,
            value,
        } => {
            let from = program.constant_type(*value)?;
            let value = constant(algebra, program, *value, addresses)?.scalar()?;
            cast(algebra, *conversion, value, from, *to)?
        }
        Constant::Binary {
            operator,
            left,
            right,
        } => {
            let left = constant(algebra, program, *left, addresses)?.scalar()?;
            let right = constant(algebra, program, *right, addresses)?.scalar()?;
            arithmetic::binary(algebra, *operator, left, right)
        }
        Constant::Aggregate { elements, .. } => {
            let parts = elements
                .iter()
                .map(|element| constant(algebra, program, *element, addresses));
            return Some(IrValue::Parts(parts.collect::<Option<_>>()?));
        }
        Constant::Zero(ty) => {
            return whole(algebra, program, *ty, &mut |algebra, width| {
                algebra.constant(width, 0)
            });
        }
        Constant::Undefined(ty) | Constant::Poison(ty) => {
            return whole(algebra, program, *ty, &mut |algebra, width| {
                algebra.havoc(width, None)
            });
        }
        Constant::Opaque { .. } => return None,
    };
    Some(IrValue::Scalar(scalar))
}

/// Elements that a value of an aggregate type may have.
const MAX_ELEMENTS: u64 = 64;

/// A value of any type made of the same scalars; `None` for types without a model.
pub(crate) fn whole<A: Algebra>(
    algebra: &mut A,
    program: &Program,
    ty: Type,
    scalar: &mut dyn FnMut(&mut A, u32) -> A::Value,
) -> Option<IrValue<A::Value>> {
    if let Some(width) = ty.width() {
        return Some(IrValue::Scalar(scalar(algebra, width)));
    }
    let Type::Aggregate(id) = ty else { return None };
    let aggregate = program.aggregates.get(id.index())?;
    let types: Vec<Type> = match &aggregate.shape {
        Shape::Struct(fields) => fields.iter().map(|field| field.ty).collect(),
        Shape::Array { element, length } if *length <= MAX_ELEMENTS => {
            vec![*element; usize::try_from(*length).ok()?]
        }
        Shape::Array { .. } => return None,
    };
    let parts = types
        .into_iter()
        .map(|ty| whole(algebra, program, ty, scalar));
    Some(IrValue::Parts(parts.collect::<Option<_>>()?))
}

/// A havocked value of a type: fresh symbols; `None` for types without a model.
pub fn havocked(
    algebra: &mut Symbolic<'_>,
    program: &Program,
    ty: Type,
) -> Option<IrValue<ExprId>> {
    whole(algebra, program, ty, &mut |algebra, width| {
        algebra.fresh(width)
    })
}

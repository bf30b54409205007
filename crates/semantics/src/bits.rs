//! Values in memory: little-endian bytes.

use labrys_program::{Program, Type};

use crate::Algebra;

/// The scalar that a load of `ty` gives from the bits that it read, 8 per byte.
pub fn unpack<A: Algebra>(algebra: &mut A, bits: A::Value, ty: Type) -> Option<A::Value> {
    Some(algebra.resize(bits, ty.width()?))
}

/// The bits that a store of a scalar writes: a multiple of 8, zeros above the value's own.
pub(crate) fn pack<A: Algebra>(algebra: &mut A, value: A::Value) -> A::Value {
    let width = algebra.width(value).div_ceil(8) * 8;
    algebra.resize(value, width)
}

/// The bits that a store of a scalar of a type writes, as loads of any type see them.
pub fn stored<A: Algebra>(algebra: &mut A, value: A::Value, ty: Option<Type>) -> A::Value {
    let value = match ty {
        Some(Type::Float | Type::Double) => algebra.observed(value),
        _ => value,
    };
    pack(algebra, value)
}

/// Bytes of a scalar type in memory; `None` if the type has no width that fits in a value.
pub(crate) fn scalar_size(program: &Program, ty: Type) -> Option<u64> {
    ty.width().filter(|width| *width <= 128)?;
    program.store_size(ty)
}

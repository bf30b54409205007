//! Functions of the mathematics library that are operations on floats.
//!
//! The library computes, so that `errno` is set as ever. The other functions of the mathematics
//! library are calls in expressions, see [`pure`](crate::pure).

use labrys_abi::Op;

use crate::record::node::{Operand, binary, node, unary};
use crate::record::passing::{arguments, result};

/// The library's own functions.
mod library {
    // SAFETY: functions of numbers.
    unsafe extern "C" {
        pub(super) safe fn sqrt(x: f64) -> f64;
        pub(super) safe fn sqrtf(x: f32) -> f32;
        pub(super) safe fn fabs(x: f64) -> f64;
        pub(super) safe fn fabsf(x: f32) -> f32;
        pub(super) safe fn floor(x: f64) -> f64;
        pub(super) safe fn floorf(x: f32) -> f32;
        pub(super) safe fn ceil(x: f64) -> f64;
        pub(super) safe fn ceilf(x: f32) -> f32;
        pub(super) safe fn trunc(x: f64) -> f64;
        pub(super) safe fn truncf(x: f32) -> f32;
        pub(super) safe fn rint(x: f64) -> f64;
        pub(super) safe fn rintf(x: f32) -> f32;
        pub(super) safe fn nearbyint(x: f64) -> f64;
        pub(super) safe fn nearbyintf(x: f32) -> f32;
        pub(super) safe fn roundeven(x: f64) -> f64;
        pub(super) safe fn roundevenf(x: f32) -> f32;
        pub(super) safe fn round(x: f64) -> f64;
        pub(super) safe fn roundf(x: f32) -> f32;
        pub(super) safe fn fmod(x: f64, y: f64) -> f64;
        pub(super) safe fn fmodf(x: f32, y: f32) -> f32;
    }
}

/// Wrappers of functions of one argument: operation, its mode, and the two functions.
macro_rules! unary {
    ($($op:ident $mode:literal: $double:ident $single:ident;)*) => {$(
        unary!($double f64 $op $mode);
        unary!($single f32 $op $mode);
    )*};
    ($name:ident $type:ident $op:ident $mode:literal) => {
        #[unsafe(export_name = concat!("__labrys_w_", stringify!($name)))]
        extern "C" fn $name(x: $type) -> $type {
            let [label] = arguments::<1>($name as *const () as usize);
            let value = library::$name(x);
            #[allow(clippy::useless_conversion)]
            if label != 0 && node(label).cv == u64::from(x.to_bits()) {
                let width = 8 * size_of::<$type>() as u32;
                result(unary(Op::$op, width, $mode, label, u64::from(value.to_bits())));
            }
            value
        }
    };
}

unary! {
    FSqrt 0: sqrt sqrtf;
    FAbs 0: fabs fabsf;
    FRound 0: rint rintf;
    FRound 0: nearbyint nearbyintf;
    FRound 0: roundeven roundevenf;
    FRound 1: floor floorf;
    FRound 2: ceil ceilf;
    FRound 3: trunc truncf;
    FRound 4: round roundf;
}

/// Wrappers of the two `fmod`.
macro_rules! remainder {
    ($($name:ident $type:ident;)*) => {$(
        #[unsafe(export_name = concat!("__labrys_w_", stringify!($name)))]
        extern "C" fn $name(x: $type, y: $type) -> $type {
            let labels = arguments::<2>($name as *const () as usize);
            let value = library::$name(x, y);
            #[allow(clippy::useless_conversion)]
            let [x, y] = [(labels[0], x), (labels[1], y)].map(|(label, value)| {
                let value = u64::from(value.to_bits());
                let current = label != 0 && node(label).cv == value;
                Operand::new(if current { label } else { 0 }, value)
            });
            let width = 8 * size_of::<$type>() as u32;
            #[allow(clippy::useless_conversion)]
            result(binary(Op::FRem, width, width, x, y, u64::from(value.to_bits())));
            value
        }
    )*};
}

remainder! {
    fmod f64;
    fmodf f32;
}

//! Functions of the mathematics library that are operations on floats.

use labrys_abi::Op;

use crate::control::{arguments, result};
use crate::node::{node, unary};

unsafe extern "C" {
    fn sqrt(x: f64) -> f64;
    fn sqrtf(x: f32) -> f32;
}

/// `sqrt`: the library's, so that `errno` is set as ever.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_sqrt(x: f64) -> f64 {
    let [label] = arguments::<1>(__labrys_w_sqrt as *const () as usize);
    // SAFETY: a function of numbers.
    let root = unsafe { sqrt(x) };
    if label != 0 && node(label).cv == x.to_bits() {
        result(unary(Op::FSqrt, 64, 0, label, root.to_bits()));
    }
    root
}

/// `sqrtf`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_sqrtf(x: f32) -> f32 {
    let [label] = arguments::<1>(__labrys_w_sqrtf as *const () as usize);
    // SAFETY: a function of numbers.
    let root = unsafe { sqrtf(x) };
    if label != 0 && node(label).cv == u64::from(x.to_bits()) {
        result(unary(Op::FSqrt, 32, 0, label, u64::from(root.to_bits())));
    }
    root
}

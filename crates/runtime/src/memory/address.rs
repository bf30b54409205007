//! Addresses that are computed from pointers and labelled numbers.

use labrys_abi::Op;

use crate::memory::pick::{decide_pick, is_decided};
use crate::memory::table::decide_inside;
use crate::record::node::{Operand, binary, node};

/// `base + index × scale` of addresses.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_index(base: u32, index: u32, bv: u64, iv: u64, scale: u64) -> u32 {
    // An element of an array is nothing without the array.
    let base = match base != 0 && index != 0 && decide_pick(base) {
        true => 0,
        false => base,
    };
    let product = iv.wrapping_mul(scale);
    let scaled = if scale == 1 || index == 0 {
        Operand::new(index, product)
    } else {
        let (i, s) = (Operand::new(index, iv), Operand::concrete(scale));
        Operand::new(binary(Op::Mul, 64, 64, i, s, product), product)
    };
    let sum = bv.wrapping_add(product);
    let label = binary(Op::Add, 64, 64, scaled, Operand::new(base, bv), sum);
    if label != 0 {
        decide_inside(bv, label, sum);
    }
    label
}

/// `base + offset` of addresses.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_offset(base: u32, offset: u64) -> u32 {
    if is_decided(base) {
        return 0;
    }
    let value = node(base).cv;
    let sum = value.wrapping_add(offset);
    let (a, b) = (Operand::new(base, value), Operand::concrete(offset));
    binary(Op::Add, 64, 64, a, b, sum)
}

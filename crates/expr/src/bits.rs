//! Words of 1 to 128 bits in 128: masks and signs.

/// The `width` lowest bits set.
#[inline]
#[must_use]
pub const fn mask(width: u32) -> u128 {
    debug_assert!(width >= 1 && width <= 128);
    u128::MAX >> (128 - width)
}

/// `bits` read as a signed number of `width` bits.
#[inline]
#[must_use]
pub const fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

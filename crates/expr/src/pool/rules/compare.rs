//! What the rules of all comparisons share.

use crate::bits::signed;
use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;

/// Whether `bits` of `width` bits is the sign extension of its lowest `narrow` bits.
pub(super) fn fits_signed(bits: u128, width: u32, narrow: u32) -> bool {
    let value = signed(bits, width);
    value == signed(bits, narrow)
}

/// The sources of two values that are extended in the same way, at one width: the narrower is
/// extended to the wider. `None` where nothing would get narrower.
pub(super) fn same_sources(pool: &mut Pool, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
    let (left, right) = (*pool.node(a), *pool.node(b));
    if left.op != right.op || !matches!(left.op, Op::ZExt | Op::SExt) {
        return None;
    }
    let (x, y) = (left.args[0], right.args[0]);
    let width = pool.width(x).max(pool.width(y));
    if left.op == Op::ZExt {
        Some((pool.zext(x, width), pool.zext(y, width)))
    } else {
        Some((pool.sext(x, width), pool.sext(y, width)))
    }
}

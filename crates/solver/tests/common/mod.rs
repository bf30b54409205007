//! What tests with random expressions share.

use fastrand::Rng;
use labrys_expr::{ExprId, Pool};

/// Some bits of an expression, or the expression extended, so that it has this width.
pub(super) fn fit(pool: &mut Pool, rng: &mut Rng, id: ExprId, width: u32) -> ExprId {
    let from = pool.width(id);
    if from > width {
        let low = rng.u32(..=from - width);
        pool.extract(id, low, width)
    } else if rng.bool() {
        pool.zext(id, width)
    } else {
        pool.sext(id, width)
    }
}

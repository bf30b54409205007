//! Where values are put together from parts: `or`, `add` and `xor` of values that have no bit
//! in common, and operations on two concatenations that split at the same bit.
//!
//! C joins bytes as `b1 << 8 | b0` or `(b1 << 8) + b0`; the normal form is `concat(b1, b0)`.

use super::{Outcome, is};
use crate::bits::mask;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

const MOST_PIECES: usize = 16;

/// Bits of an expression from `start` on, or zeros.
#[derive(Clone, Copy)]
struct Piece {
    source: Option<ExprId>,
    start: u32,
    width: u32,
}

const NOTHING: Piece = Piece {
    source: None,
    start: 0,
    width: 0,
};

/// The pieces of an expression, the least significant first.
struct Pieces {
    list: [Piece; MOST_PIECES],
    count: usize,
}

impl Pieces {
    /// `None` if there are too many, or if the expression has no zeros to fill.
    fn of(pool: &Pool, id: ExprId) -> Option<Self> {
        let mut pieces = Pieces {
            list: [NOTHING; MOST_PIECES],
            count: 0,
        };
        if let Some(bits) = pool.bits(id) {
            return pieces
                .push_constant(id, bits, pool.width(id))
                .then_some(pieces);
        }
        let mut zeros = 0;
        let mut rest = id;
        // Least significant pieces lie deepest: collect from the top, then reverse.
        loop {
            let node = *pool.node(rest);
            let (piece, next) = match node.op {
                Op::ZExt => (None, Some(node.args[0])),
                Op::Concat => (Some(node.args[0]), Some(node.args[1])),
                _ => (Some(rest), None),
            };
            let width = node.width() - next.map_or(0, |next| pool.width(next));
            let source = piece.filter(|piece| pool.bits(*piece) != Some(0));
            zeros += u32::from(source.is_none());
            if !pieces.push(Piece {
                source,
                start: 0,
                width,
            }) {
                return None;
            }
            match next {
                Some(next) => rest = next,
                None => break,
            }
        }
        pieces.list[..pieces.count].reverse();
        (zeros > 0).then_some(pieces)
    }

    fn push(&mut self, piece: Piece) -> bool {
        if self.count == MOST_PIECES {
            return false;
        }
        self.list[self.count] = piece;
        self.count += 1;
        true
    }

    /// Pieces of a constant: maximal runs of zero bytes, and what lies between.
    fn push_constant(&mut self, id: ExprId, bits: u128, width: u32) -> bool {
        let mut start = 0;
        while start < width {
            let rest = bits >> start;
            let zeros = rest.trailing_zeros().min(width - start);
            let source = if zeros >= 8 || zeros == width - start {
                None
            } else {
                Some(id)
            };
            let length = match source {
                None => zeros,
                Some(_) => ones_run(rest, width - start),
            };
            if !self.push(Piece {
                source,
                start,
                width: length,
            }) {
                return false;
            }
            start += length;
        }
        true
    }
}

/// Number of low bits of `rest` up to the next eight zeros in a row (or to the end).
fn ones_run(rest: u128, limit: u32) -> u32 {
    (1..limit)
        .find(|at| (rest >> at) & mask((limit - at).min(8)) == 0)
        .unwrap_or(limit)
}

/// `a ∘ b = concat(pieces)` where at each bit one of the operands is known to be 0, for an
/// operation with `x ∘ 0 = x` that does not carry in that case.
pub(super) fn join(pool: &mut Pool, n: &Node) -> Outcome {
    let joinable = |id: ExprId| matches!(pool.op(id), Op::ZExt | Op::Concat | Op::Const);
    if !joinable(n.args[0]) || !joinable(n.args[1]) {
        return None;
    }
    let (left, right) = (Pieces::of(pool, n.args[0])?, Pieces::of(pool, n.args[1])?);
    let joined = merge(&left, &right)?;
    let mut whole: Option<ExprId> = None;
    for piece in &joined.list[..joined.count] {
        let part = match piece.source {
            Some(source) => pool.extract(source, piece.start, piece.width),
            None => pool.constant(piece.width, 0),
        };
        whole = Some(match whole {
            Some(low) => pool.concat(part, low),
            None => part,
        });
    }
    is(whole?)
}

/// Both lists laid over each other; `None` where two sources meet.
fn merge(left: &Pieces, right: &Pieces) -> Option<Pieces> {
    let mut joined = Pieces {
        list: [NOTHING; MOST_PIECES],
        count: 0,
    };
    let (mut i, mut j) = (0, 0);
    let (mut a, mut b) = (left.list[0], right.list[0]);
    loop {
        let width = a.width.min(b.width);
        let chosen = match (a.source, b.source) {
            (Some(_), Some(_)) => return None,
            (Some(_), None) => a,
            (None, _) => b,
        };
        if !joined.push(Piece { width, ..chosen }) {
            return None;
        }
        if !advance(&mut a, width, left, &mut i) | !advance(&mut b, width, right, &mut j) {
            return Some(joined);
        }
    }
}

/// Cuts `width` bits off the current piece; false at the end of the list.
fn advance(piece: &mut Piece, width: u32, pieces: &Pieces, at: &mut usize) -> bool {
    piece.start += width;
    piece.width -= width;
    if piece.width == 0 {
        *at += 1;
        if *at == pieces.count {
            return false;
        }
        *piece = pieces.list[*at];
    }
    true
}

/// The high and the low part of a concatenation or zero extension.
pub(super) fn split(pool: &mut Pool, id: ExprId) -> Option<(ExprId, ExprId)> {
    let node = *pool.node(id);
    match node.op {
        Op::Concat => Some((node.args[0], node.args[1])),
        Op::ZExt => {
            let high = node.width() - pool.width(node.args[0]);
            Some((pool.constant(high, 0), node.args[0]))
        }
        _ => None,
    }
}

/// The high and the low parts of two expressions that split at the same bit; a constant splits
/// anywhere. At least one is no constant.
pub(super) fn split_both(
    pool: &mut Pool,
    a: ExprId,
    b: ExprId,
) -> Option<((ExprId, ExprId), (ExprId, ExprId))> {
    if let (Some(bits), Op::Concat | Op::ZExt) = (pool.bits(b), pool.op(a)) {
        let (high, low) = split(pool, a)?;
        let (high_width, low_width) = (pool.width(high), pool.width(low));
        let parts = (
            pool.constant(high_width, bits >> low_width),
            pool.constant(low_width, bits),
        );
        return Some(((high, low), parts));
    }
    if let (Some(_), Op::Concat | Op::ZExt) = (pool.bits(a), pool.op(b)) {
        let (second, first) = split_both(pool, b, a)?;
        return Some((first, second));
    }
    let low_width = |id: ExprId| match pool.node(id).op {
        Op::Concat => Some(pool.width(pool.node(id).args[1])),
        Op::ZExt => Some(pool.width(pool.node(id).args[0])),
        _ => None,
    };
    if low_width(a)? != low_width(b)? {
        return None;
    }
    Some((split(pool, a)?, split(pool, b)?))
}

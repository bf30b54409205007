//! Other sizes for an allocation: what may go wrong there.
//!
//! A run continues with the size that it has, so a size is a concretization, and no later query is
//! bound to it. But the search may flip it: to a size that is too small for the stored data, to one
//! that no memory has, and to one whose computation wraps around. A run shows the effect.

use labrys_abi::{Node, Op, flag};
use labrys_expr::{ExprId, Op as ExprOp};
use rustc_hash::FxHashSet;

use super::{Decoder, Trace};

/// More than any memory has.
const HUGE: u128 = 1 << 47;
/// More than most machines have.
const LARGE: u128 = 1 << 40;
/// A size that wrapped around is small, if the block is to be too small.
const SMALL: u128 = 4096;
/// Nodes of a size that are looked at, from its last operation on.
const MOST_NODES: usize = 24;

/// Another size of an allocation; the numbers are directions of its step.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SizeFlip {
    /// Smaller than in the run.
    Smaller = 1,
    /// So large that the allocation fails.
    Huge,
    /// Small, since its computation wrapped around.
    Wraps,
    /// So large that the allocation fails on most machines, where the size cannot be larger.
    Large,
}

impl SizeFlip {
    /// The number of directions of a size: the flips, and 0 for the size of the run.
    pub const DIRECTIONS: u32 = 5;

    /// The flip with this number.
    #[must_use]
    pub fn of(direction: u32) -> Option<Self> {
        let all = [
            SizeFlip::Smaller,
            SizeFlip::Huge,
            SizeFlip::Wraps,
            SizeFlip::Large,
        ];
        all.into_iter().find(|flip| *flip as u32 == direction)
    }
}

/// The condition under which the size of a step is such a one.
pub(super) fn other_size(
    trace: &Trace,
    decoder: &mut Decoder,
    step: usize,
    flip: SizeFlip,
) -> ExprId {
    let label = trace.steps()[step].label;
    let size = trace.expression(decoder, label);
    let width = decoder.pool().width(size);
    let now = u128::from(trace.event(step).a);
    let bounded = |decoder: &mut Decoder, bound| {
        let bound = decoder.pool_mut().constant(width, bound);
        decoder.pool_mut().ule(size, bound)
    };
    let above = |decoder: &mut Decoder, bound| {
        let bound = decoder.pool_mut().constant(width, bound);
        decoder.pool_mut().ult(bound, size)
    };
    match flip {
        SizeFlip::Smaller if now > 0 => bounded(decoder, now - 1),
        SizeFlip::Huge if width == 64 && now <= HUGE => above(decoder, HUGE),
        SizeFlip::Large if width == 64 && now <= LARGE => {
            let large = above(decoder, LARGE);
            let not_huge = bounded(decoder, HUGE);
            decoder.pool_mut().all([large, not_huge])
        }
        SizeFlip::Wraps if width > 12 => {
            let wraps = wraps(trace, decoder, label);
            let small = bounded(decoder, SMALL);
            decoder.pool_mut().all([wraps, small])
        }
        _ => ExprId::FALSE,
    }
}

/// Whether one of the operations that a value is made of loses its upper bits.
fn wraps(trace: &Trace, decoder: &mut Decoder, label: u32) -> ExprId {
    let mut conditions = Vec::new();
    let mut known: FxHashSet<u32> = [label].into_iter().collect();
    let mut nodes = vec![label];
    let mut next = 0;
    while let Some(label) = nodes.get(next).copied().filter(|_| next < MOST_NODES) {
        next += 1;
        let node = trace.recording().nodes[label as usize];
        let Some(op) = Op::from_u8(node.op) else {
            continue;
        };
        if matches!(
            op,
            Op::Add | Op::Mul | Op::Shl | Op::Sub | Op::ZExt | Op::SExt | Op::Extract
        ) {
            conditions.push(loses(trace, decoder, op, &node));
            trace.operands(label, |operand| {
                if known.insert(operand) {
                    nodes.push(operand);
                }
            });
        }
    }
    decoder.pool_mut().any(conditions)
}

/// Whether an operation loses upper bits that are not 0.
fn loses(trace: &Trace, decoder: &mut Decoder, op: Op, node: &Node) -> ExprId {
    let width = u32::from(node.width);
    let (wide, kept) = match op {
        Op::Extract if node.imm == 0 => (trace.expression(decoder, node.a), width),
        // What is added is subtracted.
        Op::Add if width <= 64 && node.flags != 0 && node.imm >> (width - 1) & 1 == 1 => {
            return ExprId::FALSE;
        }
        Op::Add | Op::Mul | Op::Shl if width <= 64 => {
            let a = widened(trace, decoder, node.a, node.flags & flag::A_IMMEDIATE, node);
            let b = widened(trace, decoder, node.b, node.flags & flag::B_IMMEDIATE, node);
            let op = match op {
                Op::Add => ExprOp::Add,
                Op::Mul => ExprOp::Mul,
                _ => ExprOp::Shl,
            };
            (decoder.pool_mut().binary(op, a, b), width)
        }
        _ => return ExprId::FALSE,
    };
    let pool = decoder.pool_mut();
    let whole = pool.width(wide);
    if whole <= kept {
        return ExprId::FALSE;
    }
    let upper = pool.extract(wide, kept, whole - kept);
    let none = pool.constant(whole - kept, 0);
    pool.ne(upper, none)
}

/// An operand of a node at twice its width.
fn widened(trace: &Trace, decoder: &mut Decoder, label: u32, immediate: u8, node: &Node) -> ExprId {
    let width = u32::from(node.width);
    let operand = match immediate {
        0 => trace.expression(decoder, label),
        _ => decoder.pool_mut().constant(width, u128::from(node.imm)),
    };
    decoder.pool_mut().zext(operand, 2 * width)
}

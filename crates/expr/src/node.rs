//! Nodes: 16 bytes each, found by their id in a [`Pool`](crate::Pool).
//!
//! Invariant: the operands of a node have smaller ids than the node.

use crate::op::{Op, Rounding};
use crate::symbol::Symbol;

/// Index of an expression in its [`Pool`](crate::Pool).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// The one-bit constant 0 of every pool.
    pub const FALSE: ExprId = ExprId(0);
    /// The one-bit constant 1 of every pool.
    pub const TRUE: ExprId = ExprId(1);

    /// Position in the pool: ids are dense and operands stand before their users.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation with its operands.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub(crate) op: Op,
    pub(crate) width: u8,
    pub(crate) spare: u16,
    pub(crate) args: [ExprId; 3],
}

const _: () = assert!(size_of::<Node>() == 16);

impl Node {
    #[inline]
    pub(crate) const fn new(op: Op, width: u32, a: u32, b: u32, c: u32) -> Self {
        Node {
            op,
            width: width as u8,
            spare: 0,
            args: [ExprId(a), ExprId(b), ExprId(c)],
        }
    }

    /// The operation.
    #[inline]
    #[must_use]
    pub const fn op(&self) -> Op {
        self.op
    }

    /// Width of the result in bits, 1 to 128.
    #[inline]
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width as u32
    }

    /// The operands that stand in the node. For a table read this is the index, for an external
    /// call nothing; [`Pool::for_each_child`](crate::Pool::for_each_child) knows all.
    #[inline]
    #[must_use]
    pub fn operands(&self) -> &[ExprId] {
        &self.args[..self.op.arity()]
    }

    /// [`Op::Extract`]: the lowest extracted bit.
    #[inline]
    #[must_use]
    pub const fn low(&self) -> u32 {
        debug_assert!(matches!(self.op, Op::Extract));
        self.args[1].0
    }

    /// [`Op::FRound`]: the mode.
    #[must_use]
    pub const fn rounding(&self) -> Rounding {
        debug_assert!(matches!(self.op, Op::FRound));
        match Rounding::from_u8(self.args[1].0 as u8) {
            Some(mode) => mode,
            None => Rounding::NearestEven,
        }
    }

    /// [`Op::Symbol`]: the symbol.
    #[inline]
    pub(crate) const fn symbol(&self) -> Symbol {
        Symbol::from_key(self.args[0].0 as u64 | (self.args[1].0 as u64) << 32)
    }

    /// Both halves of the node as words, for hashing.
    #[inline]
    pub(crate) const fn words(&self) -> (u64, u64) {
        (
            self.op as u64 | (self.width as u64) << 8 | (self.args[0].0 as u64) << 32,
            self.args[1].0 as u64 | (self.args[2].0 as u64) << 32,
        )
    }
}

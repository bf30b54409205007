//! Nodes: the symbolic values of one run, 32 bytes each, append-only.

/// What a [`Node`] computes. Bit-vector operations have the SMT-LIB `QF_BV` meaning; floating
/// operations work on the IEEE-754 bit pattern (32 or 64 bits), round to nearest even.
///
/// "Same width" operations have operands and result of `width` bits.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Consecutive input bytes, little-endian (byte at the lowest offset is least significant):
    /// `imm = stream << 32 | offset`, `width = 8 × bytes`.
    Input = 1,
    /// Length in bytes of stream `imm`, 64 bits.
    Length,
    /// The constant `imm` (zero-extended to `width`).
    Const,

    /// Bitwise not, same width (`a`).
    Not,
    /// Two's complement negation, same width (`a`).
    Neg,
    /// Zero extension of `a` to `width`.
    ZExt,
    /// Sign extension of `a` to `width`.
    SExt,
    /// Bits `imm .. imm + width` of `a`.
    Extract,
    /// `a` above `b` (`a` is most significant); `width` is the sum.
    Concat,
    /// `a` if the one-bit `c` is 1, else `b`. Neither operand is an immediate.
    Ite,

    /// Addition, same width.
    Add,
    /// Subtraction, same width.
    Sub,
    /// Multiplication, same width.
    Mul,
    /// Unsigned division, same width.
    UDiv,
    /// Signed division, same width.
    SDiv,
    /// Unsigned remainder, same width.
    URem,
    /// Signed remainder (sign of the dividend), same width.
    SRem,
    /// Shift left, same width.
    Shl,
    /// Logical shift right, same width.
    LShr,
    /// Arithmetic shift right, same width.
    AShr,
    /// Bitwise and, same width.
    And,
    /// Bitwise or, same width.
    Or,
    /// Bitwise exclusive or, same width.
    Xor,

    /// Equal: one bit from operands of equal width (see [`Node::aux`]).
    Eq,
    /// Unsigned less than: one bit.
    Ult,
    /// Unsigned at most: one bit.
    Ule,
    /// Signed less than: one bit.
    Slt,
    /// Signed at most: one bit.
    Sle,
    /// Not equal: one bit.
    Ne,

    /// Floating addition.
    FAdd,
    /// Floating subtraction.
    FSub,
    /// Floating multiplication.
    FMul,
    /// Floating division.
    FDiv,
    /// `fmod` remainder.
    FRem,
    /// Sign flipped.
    FNeg,
    /// Sign cleared.
    FAbs,
    /// Square root.
    FSqrt,
    /// Ordered equal: one bit.
    FOeq,
    /// Ordered less than: one bit.
    FOlt,
    /// Ordered at most: one bit.
    FOle,
    /// Unordered (an operand is NaN): one bit.
    FUno,
    /// Float of the operand's width to float of `width`.
    FToF,
    /// Float to unsigned integer of `width`, toward zero.
    FToU,
    /// Float to signed integer of `width`, toward zero.
    FToS,
    /// Unsigned integer to float of `width`.
    UToF,
    /// Signed integer to float of `width`.
    SToF,
    /// Rounded to an integral float; `imm` is the mode: 0 nearest even, 1 down (`floor`),
    /// 2 up (`ceil`), 3 toward zero (`trunc`), 4 nearest away (`round`).
    FRound,

    /// Number of one bits, same width.
    PopCount,
    /// Leading zeros, `width` for 0, same width.
    LeadingZeros,
    /// Trailing zeros, `width` for 0, same width.
    TrailingZeros,

    /// Little-endian read of `width / 8` bytes at byte offset `a` (64 bits) of the table
    /// snapshot at byte `imm` of the data section. A snapshot is `{length: u32, labelled: u32}`,
    /// then `length` bytes, padded to 4, then, where `labelled` is 1, `length` labels of `u32`
    /// (a non-zero label is the 8-bit node of that byte).
    Table,
    /// Call of a pure external function: `imm` is the offset in the data section of
    /// `{name_length: u32, argument_count: u32}`, the name padded to 8, then per argument
    /// `{label: u32, width: u32, value: u64}`.
    External,
}

impl Op {
    /// The operation with this number.
    #[must_use]
    #[inline]
    pub fn from_u8(byte: u8) -> Option<Self> {
        if (Op::Input as u8..=Op::External as u8).contains(&byte) {
            // SAFETY: the enum is `repr(u8)` with contiguous discriminants in this range.
            #[allow(unsafe_code)]
            Some(unsafe { core::mem::transmute::<u8, Op>(byte) })
        } else {
            None
        }
    }

    /// Whether the result is one bit whatever the operands' width.
    #[must_use]
    #[inline]
    pub fn is_predicate(self) -> bool {
        use Op::{Eq, FOeq, FOle, FOlt, FUno, Ne, Sle, Slt, Ule, Ult};
        matches!(
            self,
            Eq | Ne | Ult | Ule | Slt | Sle | FOeq | FOlt | FOle | FUno
        )
    }

    /// Whether the node has two operands of which one may be the immediate.
    #[must_use]
    #[inline]
    pub fn is_binary(self) -> bool {
        use Op::{FAdd, FDiv, FMul, FRem, FSub};
        (self as u8 >= Op::Add as u8 && self as u8 <= Op::Ne as u8)
            || self.is_predicate()
            || matches!(self, FAdd | FSub | FMul | FDiv | FRem)
    }
}

/// Bits of [`Node::flags`].
pub mod flag {
    /// Operand `a` is the constant `imm` (then `a` is 0).
    pub const A_IMMEDIATE: u8 = 1;
    /// Operand `b` is the constant `imm` (then `b` is 0).
    pub const B_IMMEDIATE: u8 = 2;
}

/// One symbolic value.
///
/// For binary operations, the operand that the flags name is the constant `imm`, zero-extended
/// to the operands' width; a 128-bit constant that does not fit 64 bits is a `Concat` of two
/// `Const` nodes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// An [`Op`].
    pub op: u8,
    /// See [`flag`].
    pub flags: u8,
    /// Width of the result in bits, 1 to 128.
    pub width: u16,
    /// First operand's label.
    pub a: u32,
    /// Second operand's label.
    pub b: u32,
    /// Third operand's label ([`Op::Ite`]: the condition). For predicates and conversions:
    /// the operands' width in bits, see [`Node::aux`].
    pub c: u32,
    /// Immediate.
    pub imm: u64,
    /// The concrete value of the result in this run; for more than 64 bits the low half xor
    /// the high half.
    pub cv: u64,
}

impl Node {
    /// Width in bits of the operands of a predicate or float conversion (`c` holds it).
    #[must_use]
    #[inline]
    pub fn aux(&self) -> u32 {
        self.c
    }
}

const _: () = assert!(size_of::<Node>() == 32);

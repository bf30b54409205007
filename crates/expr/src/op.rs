//! The operations of expressions and how many operands each has.
//!
//! Meaning: bit-vector operations are those of SMT-LIB `QF_BV` (division by zero and shifts by
//! at least the width are defined as there); floating operations work on IEEE-754 bit patterns
//! of 32 or 64 bits and round to nearest, ties to even.

/// What a node computes. "Same width" operations have operands and result of one width.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// A constant.
    Const,
    /// A symbol: a value that the solver may choose.
    Symbol,

    /// Bitwise not, same width.
    Not,
    /// Two's complement negation, same width.
    Neg,
    /// Zero extension.
    ZExt,
    /// Sign extension.
    SExt,
    /// Consecutive bits of the operand, from bit [`Node::low`](crate::Node::low) on.
    Extract,
    /// The first operand above the second.
    Concat,
    /// `(condition, then, else)`; the condition has one bit.
    Ite,

    /// Addition, same width.
    Add,
    /// Subtraction, same width.
    Sub,
    /// Multiplication, same width.
    Mul,
    /// Unsigned division, same width; all ones if the divisor is 0.
    UDiv,
    /// Signed division toward zero, same width; by 0: 1 for a negative dividend, else all ones.
    SDiv,
    /// Unsigned remainder, same width; the dividend if the divisor is 0.
    URem,
    /// Signed remainder with the dividend's sign, same width; the dividend if the divisor is 0.
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

    /// Equal; one bit.
    Eq,
    /// Unsigned less than; one bit.
    Ult,
    /// Unsigned at most; one bit.
    Ule,
    /// Signed less than; one bit.
    Slt,
    /// Signed at most; one bit.
    Sle,

    /// Floating addition. A NaN result of any floating operation but `FNeg` and `FAbs` is the
    /// positive quiet NaN without payload.
    FAdd,
    /// Floating subtraction.
    FSub,
    /// Floating multiplication.
    FMul,
    /// Floating division.
    FDiv,
    /// Remainder as of `fmod`: truncated quotient, sign of the dividend.
    FRem,
    /// Sign bit flipped.
    FNeg,
    /// Sign bit cleared.
    FAbs,
    /// Square root.
    FSqrt,
    /// Ordered equal; one bit.
    FOeq,
    /// Ordered less than; one bit.
    FOlt,
    /// Ordered at most; one bit.
    FOle,
    /// Unordered: an operand is NaN; one bit.
    FUno,
    /// Float of the operand's width to float of the node's width.
    FToF,
    /// Float to unsigned integer, toward zero. NaN and values out of range give the integer
    /// whose highest bit alone is set.
    FToU,
    /// Float to signed integer, toward zero. NaN and values out of range as for `FToU`.
    FToS,
    /// Unsigned integer to float.
    UToF,
    /// Signed integer to float.
    SToF,
    /// Rounded to an integral float in the mode [`Node::rounding`](crate::Node::rounding).
    FRound,

    /// Number of one bits, same width.
    PopCount,
    /// Leading zeros, the width for 0; same width.
    LeadingZeros,
    /// Trailing zeros, the width for 0; same width.
    TrailingZeros,

    /// Little-endian read of a [`Table`](crate::Table) at a 64-bit byte index (the operand).
    /// Bytes beyond the table's end read as 0.
    Table,
    /// Call of a pure external function, see [`Call`](crate::Call).
    External,
}

impl Op {
    /// Every operation, in the order of the numbers.
    pub const ALL: [Op; 50] = {
        use Op::*;
        [
            Const,
            Symbol,
            Not,
            Neg,
            ZExt,
            SExt,
            Extract,
            Concat,
            Ite,
            Add,
            Sub,
            Mul,
            UDiv,
            SDiv,
            URem,
            SRem,
            Shl,
            LShr,
            AShr,
            And,
            Or,
            Xor,
            Eq,
            Ult,
            Ule,
            Slt,
            Sle,
            FAdd,
            FSub,
            FMul,
            FDiv,
            FRem,
            FNeg,
            FAbs,
            FSqrt,
            FOeq,
            FOlt,
            FOle,
            FUno,
            FToF,
            FToU,
            FToS,
            UToF,
            SToF,
            FRound,
            PopCount,
            LeadingZeros,
            TrailingZeros,
            Table,
            External,
        ]
    };

    /// Those of two numbers of one width that give one of that width.
    pub const ARITHMETIC: [Op; 13] = {
        use Op::*;
        [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
        ]
    };

    /// Those that compare two numbers of one width.
    pub const COMPARISONS: [Op; 5] = {
        use Op::*;
        [Eq, Ult, Ule, Slt, Sle]
    };

    /// Those of two floats of one width that give one of that width.
    pub const FLOAT_ARITHMETIC: [Op; 5] = {
        use Op::*;
        [FAdd, FSub, FMul, FDiv, FRem]
    };

    /// Those that compare two floats of one width.
    pub const FLOAT_COMPARISONS: [Op; 4] = {
        use Op::*;
        [FOeq, FOlt, FOle, FUno]
    };

    /// Number of operands that stand in the node itself.
    #[must_use]
    pub const fn arity(self) -> usize {
        use Op::*;
        match self {
            Const | Symbol | External => 0,
            Not | Neg | ZExt | SExt | Extract | FNeg | FAbs | FSqrt | FToF | FToU | FToS | UToF
            | SToF | FRound | PopCount | LeadingZeros | TrailingZeros | Table => 1,
            Ite => 3,
            _ => 2,
        }
    }

    /// Whether the result has one bit whatever the operands' width.
    #[must_use]
    pub const fn is_predicate(self) -> bool {
        use Op::*;
        matches!(self, Eq | Ult | Ule | Slt | Sle | FOeq | FOlt | FOle | FUno)
    }

    /// Whether two operands of one width give a result of that width or of one bit.
    #[must_use]
    pub const fn is_binary(self) -> bool {
        self.arity() == 2 && !matches!(self, Op::Concat)
    }

    /// Whether one operand gives a result of the same width, without further payload.
    #[must_use]
    pub const fn is_unary(self) -> bool {
        use Op::*;
        matches!(
            self,
            Not | Neg | FNeg | FAbs | FSqrt | PopCount | LeadingZeros | TrailingZeros
        )
    }

    /// Whether the operation counts bits.
    #[must_use]
    pub const fn is_count(self) -> bool {
        matches!(self, Op::PopCount | Op::LeadingZeros | Op::TrailingZeros)
    }

    /// Whether the operands may be exchanged.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        use Op::*;
        matches!(
            self,
            Add | Mul | And | Or | Xor | Eq | FAdd | FMul | FOeq | FUno
        )
    }

    /// Whether the operands are floats.
    #[must_use]
    pub const fn takes_floats(self) -> bool {
        use Op::*;
        matches!(
            self,
            FAdd | FSub
                | FMul
                | FDiv
                | FRem
                | FNeg
                | FAbs
                | FSqrt
                | FOeq
                | FOlt
                | FOle
                | FUno
                | FToF
                | FToU
                | FToS
                | FRound
        )
    }

    /// Whether the result is a float.
    #[must_use]
    pub const fn gives_float(self) -> bool {
        use Op::*;
        matches!(
            self,
            FAdd | FSub | FMul | FDiv | FRem | FNeg | FAbs | FSqrt | FToF | UToF | SToF | FRound
        )
    }

    /// Lower-case name as shown by [`Pool::display`](crate::Pool::display).
    #[must_use]
    pub const fn name(self) -> &'static str {
        use Op::*;
        match self {
            Const => "const",
            Symbol => "symbol",
            Not => "not",
            Neg => "neg",
            ZExt => "zext",
            SExt => "sext",
            Extract => "extract",
            Concat => "concat",
            Ite => "ite",
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            UDiv => "udiv",
            SDiv => "sdiv",
            URem => "urem",
            SRem => "srem",
            Shl => "shl",
            LShr => "lshr",
            AShr => "ashr",
            And => "and",
            Or => "or",
            Xor => "xor",
            Eq => "eq",
            Ult => "ult",
            Ule => "ule",
            Slt => "slt",
            Sle => "sle",
            FAdd => "fadd",
            FSub => "fsub",
            FMul => "fmul",
            FDiv => "fdiv",
            FRem => "frem",
            FNeg => "fneg",
            FAbs => "fabs",
            FSqrt => "fsqrt",
            FOeq => "foeq",
            FOlt => "folt",
            FOle => "fole",
            FUno => "funo",
            FToF => "ftof",
            FToU => "ftou",
            FToS => "ftos",
            UToF => "utof",
            SToF => "stof",
            FRound => "fround",
            PopCount => "popcount",
            LeadingZeros => "clz",
            TrailingZeros => "ctz",
            Table => "table",
            External => "external",
        }
    }
}

/// How [`Op::FRound`] rounds.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// To nearest, ties to even (`rint` in the default mode).
    NearestEven = 0,
    /// Toward negative infinity (`floor`).
    Down,
    /// Toward positive infinity (`ceil`).
    Up,
    /// Toward zero (`trunc`).
    Zero,
    /// To nearest, ties away from zero (`round`).
    NearestAway,
}

impl Rounding {
    /// Every mode, in the order of the numbers.
    pub const ALL: [Rounding; 5] = {
        use Rounding::*;
        [NearestEven, Down, Up, Zero, NearestAway]
    };

    /// The mode with this number.
    #[must_use]
    pub const fn from_u8(number: u8) -> Option<Self> {
        Some(match number {
            0 => Rounding::NearestEven,
            1 => Rounding::Down,
            2 => Rounding::Up,
            3 => Rounding::Zero,
            4 => Rounding::NearestAway,
            _ => return None,
        })
    }
}

//! Intrinsics: LLVM's operations in the form of calls, those with a model.
//!
//! The names are LLVM's without the prefix `llvm.` and without type suffixes; operands and
//! results are LLVM's too. An intrinsic that is not in this list is
//! [`Opaque::Intrinsic`](crate::Opaque::Intrinsic).

use serde::{Deserialize, Serialize};

use crate::operator::named;

named!(
    /// An operation known by its name.
    Intrinsic {
        /// Copies non-overlapping memory: to, from, length, volatile.
        MemoryCopy = "memcpy",
        /// As `memcpy`, with a constant length.
        MemoryCopyInline = "memcpy.inline",
        /// Copies memory that may overlap: to, from, length, volatile.
        MemoryMove = "memmove",
        /// Fills memory: to, byte, length, volatile.
        MemorySet = "memset",
        /// As `memset`, with a constant length.
        MemorySetInline = "memset.inline",

        /// Signed addition: struct of the wrapped sum and one overflow bit.
        SignedAddOverflow = "sadd.with.overflow",
        /// Unsigned addition: struct of the wrapped sum and one overflow bit.
        UnsignedAddOverflow = "uadd.with.overflow",
        /// Signed subtraction: struct of the wrapped difference and one overflow bit.
        SignedSubOverflow = "ssub.with.overflow",
        /// Unsigned subtraction: struct of the wrapped difference and one overflow bit.
        UnsignedSubOverflow = "usub.with.overflow",
        /// Signed multiplication: struct of the wrapped product and one overflow bit.
        SignedMulOverflow = "smul.with.overflow",
        /// Unsigned multiplication: struct of the wrapped product and one overflow bit.
        UnsignedMulOverflow = "umul.with.overflow",
        /// Signed addition that saturates.
        SignedAddSaturating = "sadd.sat",
        /// Unsigned addition that saturates.
        UnsignedAddSaturating = "uadd.sat",
        /// Signed subtraction that saturates.
        SignedSubSaturating = "ssub.sat",
        /// Unsigned subtraction that saturates.
        UnsignedSubSaturating = "usub.sat",
        /// Signed shift left that saturates.
        SignedShlSaturating = "sshl.sat",
        /// Unsigned shift left that saturates.
        UnsignedShlSaturating = "ushl.sat",

        /// Number of one bits.
        PopCount = "ctpop",
        /// Leading zeros: value, whether 0 is poison.
        LeadingZeros = "ctlz",
        /// Trailing zeros: value, whether 0 is poison.
        TrailingZeros = "cttz",
        /// Bytes in reverse order.
        ByteSwap = "bswap",
        /// Bits in reverse order.
        BitReverse = "bitreverse",
        /// Absolute value: value, whether the least integer is poison.
        Abs = "abs",
        /// Signed minimum.
        SignedMin = "smin",
        /// Signed maximum.
        SignedMax = "smax",
        /// Unsigned minimum.
        UnsignedMin = "umin",
        /// Unsigned maximum.
        UnsignedMax = "umax",
        /// High half of (first above second) shifted left by the third modulo the width.
        FunnelShiftLeft = "fshl",
        /// Low half of (first above second) shifted right by the third modulo the width.
        FunnelShiftRight = "fshr",

        /// Sign cleared.
        FloatAbs = "fabs",
        /// Square root.
        SquareRoot = "sqrt",
        /// Toward negative infinity.
        Floor = "floor",
        /// Toward positive infinity.
        Ceil = "ceil",
        /// Toward zero.
        RoundToZero = "trunc",
        /// To nearest, ties away from zero.
        Round = "round",
        /// To nearest, ties to even.
        RoundEven = "roundeven",
        /// To nearest in the current rounding mode, may raise "inexact".
        Rint = "rint",
        /// To nearest in the current rounding mode.
        NearbyInt = "nearbyint",
        /// To nearest integer in the current rounding mode, as `long`.
        LongRint = "lrint",
        /// To nearest integer in the current rounding mode, as `long long`.
        LongLongRint = "llrint",
        /// To nearest integer, ties away from zero, as `long`.
        LongRound = "lround",
        /// To nearest integer, ties away from zero, as `long long`.
        LongLongRound = "llround",
        /// The first with the sign of the second.
        CopySign = "copysign",
        /// C's `fmin`.
        FloatMin = "minnum",
        /// C's `fmax`.
        FloatMax = "maxnum",
        /// Minimum in which NaN wins.
        FloatMinimum = "minimum",
        /// Maximum in which NaN wins.
        FloatMaximum = "maximum",
        /// `a × b + c`, rounded once.
        FusedMultiplyAdd = "fma",
        /// `a × b + c`, rounded once or twice.
        MultiplyAdd = "fmuladd",
        /// Power: base, exponent.
        Power = "pow",
        /// Power with an integer exponent.
        PowerInt = "powi",
        /// Sine.
        Sine = "sin",
        /// Cosine.
        Cosine = "cos",
        /// Tangent.
        Tangent = "tan",
        /// `eˣ`.
        Exp = "exp",
        /// `2ˣ`.
        Exp2 = "exp2",
        /// `10ˣ`.
        Exp10 = "exp10",
        /// Natural logarithm.
        Log = "log",
        /// Binary logarithm.
        Log2 = "log2",
        /// Decimal logarithm.
        Log10 = "log10",
        /// `x × 2ⁿ`: x, n.
        LoadExponent = "ldexp",
        /// Whether a float is in one of the classes of a bit mask.
        IsFloatClass = "is.fpclass",
        /// Float to signed integer that saturates; NaN gives 0.
        FloatToSignedSaturating = "fptosi.sat",
        /// Float to unsigned integer that saturates; NaN gives 0.
        FloatToUnsignedSaturating = "fptoui.sat",

        /// Its first argument; the second is what it probably equals.
        Expect = "expect",
        /// As `expect`, with the probability.
        ExpectProbability = "expect.with.probability",
        /// The argument is 1, or the program has no meaning.
        Assume = "assume",
        /// Ends the program abnormally.
        Trap = "trap",
        /// As `trap`, with the number of the failed check.
        SanitizerTrap = "ubsantrap",
        /// As `trap`; a debugger may continue.
        DebugTrap = "debugtrap",

        /// Starts the list of variable arguments at an address.
        VariableStart = "va_start",
        /// Ends the list of variable arguments at an address.
        VariableEnd = "va_end",
        /// Copies a list of variable arguments: to, from.
        VariableCopy = "va_copy",
        /// The stack pointer, to be restored.
        StackSave = "stacksave",
        /// Frees stack objects allocated since the matching `stacksave`.
        StackRestore = "stackrestore",
        /// Size of the object behind a pointer, as far as the compiler knows: pointer, whether
        /// unknown is 0, whether null is unknown, whether at run time.
        ObjectSize = "objectsize",
        /// Whether the compiler knows the argument's value. May answer 0 always.
        IsConstant = "is.constant",
        /// Address of this thread's instance of a global: its argument.
        ThreadLocalAddress = "threadlocal.address",
        /// Address of a stack frame.
        FrameAddress = "frameaddress",
        /// Return address of a stack frame.
        ReturnAddress = "returnaddress",
        /// A pointer with bits masked out: pointer, mask.
        PointerMask = "ptrmask",
    }
);

impl Intrinsic {
    /// The intrinsic behind an LLVM function name such as `llvm.smax.i32`.
    ///
    /// The longest known name wins that ends where a type suffix begins.
    #[must_use]
    pub fn from_llvm_name(name: &str) -> Option<Self> {
        let mut rest = name.strip_prefix("llvm.")?;
        loop {
            if let Some(found) = Self::from_name(rest) {
                return Some(found);
            }
            rest = &rest[..rest.rfind('.')?];
        }
    }

    /// Whether it writes to memory.
    #[must_use]
    pub fn writes_memory(self) -> bool {
        use Intrinsic::{
            MemoryCopy, MemoryCopyInline, MemoryMove, MemorySet, MemorySetInline, VariableCopy,
            VariableEnd, VariableStart,
        };
        matches!(
            self,
            MemoryCopy
                | MemoryCopyInline
                | MemoryMove
                | MemorySet
                | MemorySetInline
                | VariableStart
                | VariableEnd
                | VariableCopy
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Intrinsic;

    #[test]
    fn names_are_found_with_their_type_suffixes() {
        let known = |name| Intrinsic::from_llvm_name(name);
        assert_eq!(known("llvm.smax.i32"), Some(Intrinsic::SignedMax));
        assert_eq!(known("llvm.memcpy.p0.p0.i64"), Some(Intrinsic::MemoryCopy));
        assert_eq!(
            known("llvm.memcpy.inline.p0.p0.i64"),
            Some(Intrinsic::MemoryCopyInline)
        );
        assert_eq!(
            known("llvm.expect.with.probability.i64"),
            Some(Intrinsic::ExpectProbability)
        );
        assert_eq!(known("llvm.trap"), Some(Intrinsic::Trap));
        assert_eq!(known("llvm.va_start.p0"), Some(Intrinsic::VariableStart));
        assert_eq!(known("llvm.vector.reduce.add.v4i32"), None);
        assert_eq!(known("memcpy"), None);
    }

    #[test]
    fn names_are_unique() {
        for intrinsic in Intrinsic::ALL {
            assert_eq!(Intrinsic::from_name(intrinsic.name()), Some(*intrinsic));
        }
    }
}

//! What the instrumentation passes to the runtime's slow paths in one constant word.

/// `operation | width << 8 | extra << 24`: an operation number (an [`Op`](crate::Op), a
/// comparison predicate in LLVM's numbering or an [`Intrinsic`]), a width in bits, and one more
/// number (lowest bit of an extraction, source width of a conversion, rounding mode).
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta(pub u64);

impl Meta {
    /// Packs the three numbers.
    #[must_use]
    #[inline]
    pub fn new(operation: u8, width: u16, extra: u32) -> Self {
        Meta(u64::from(operation) | u64::from(width) << 8 | u64::from(extra) << 24)
    }

    /// The operation number.
    #[must_use]
    #[inline]
    pub fn operation(self) -> u8 {
        self.0 as u8
    }

    /// The width in bits.
    #[must_use]
    #[inline]
    pub fn width(self) -> u16 {
        (self.0 >> 8) as u16
    }

    /// The extra number.
    #[must_use]
    #[inline]
    pub fn extra(self) -> u32 {
        (self.0 >> 24) as u32
    }
}

/// Added to a comparison predicate where operations and predicates share one entry (128 bits).
pub const WIDE_PREDICATE: u8 = 128;

/// Intrinsics that the runtime composes of several nodes.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// Unsigned minimum.
    UMin = 0,
    /// Unsigned maximum.
    UMax,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Absolute value.
    Abs,
    /// Bytes reversed.
    ByteSwap,
    /// Saturating unsigned addition.
    UAddSat,
    /// Saturating unsigned subtraction.
    USubSat,
    /// Saturating signed addition.
    SAddSat,
    /// Saturating signed subtraction.
    SSubSat,
    /// Does the unsigned addition overflow?
    UAddOverflow,
    /// Does the unsigned subtraction overflow?
    USubOverflow,
    /// Does the unsigned multiplication overflow?
    UMulOverflow,
    /// Does the signed addition overflow?
    SAddOverflow,
    /// Does the signed subtraction overflow?
    SSubOverflow,
    /// Does the signed multiplication overflow?
    SMulOverflow,
    /// Funnel shift left (three operands).
    FunnelLeft,
    /// Funnel shift right (three operands).
    FunnelRight,
    /// `a × b + c`, each step rounded (three operands).
    MulAdd,
    /// Bits reversed.
    BitReverse,
    /// IEEE `minNum`.
    FMin,
    /// IEEE `maxNum`.
    FMax,
    /// Magnitude of the first operand, sign of the second.
    CopySign,
    /// The first operand if the third, one bit, is 1, else the second (three operands).
    Choose,
}

impl Intrinsic {
    /// The intrinsic with this number.
    #[must_use]
    #[inline]
    pub fn from_u8(byte: u8) -> Option<Self> {
        if byte <= Intrinsic::Choose as u8 {
            // SAFETY: the enum is `repr(u8)` with contiguous discriminants from 0.
            #[allow(unsafe_code)]
            Some(unsafe { core::mem::transmute::<u8, Intrinsic>(byte) })
        } else {
            None
        }
    }
}

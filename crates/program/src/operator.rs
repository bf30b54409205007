//! Operators of the IR: arithmetic, comparisons and casts, each with its stable name.
//!
//! Integers are bit-vectors and wrap around (the "no wrap" promises of LLVM are not kept: what
//! the machine computes is what counts); floating operations round to nearest even.

use serde::{Deserialize, Serialize};

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Stable name, as in the text form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The one with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}
pub(crate) use named;

named!(
    /// An integer operation: operands and result have one width.
    BinaryOperator {
        /// Addition.
        Add = "add",
        /// Subtraction.
        Sub = "sub",
        /// Multiplication.
        Mul = "mul",
        /// Unsigned division.
        UDiv = "udiv",
        /// Signed division, toward zero.
        SDiv = "sdiv",
        /// Unsigned remainder.
        URem = "urem",
        /// Signed remainder with the sign of the dividend.
        SRem = "srem",
        /// Shift left.
        Shl = "shl",
        /// Logical shift right.
        LShr = "lshr",
        /// Arithmetic shift right.
        AShr = "ashr",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
    }
);

named!(
    /// A comparison of integers or pointers; the result has one bit.
    Comparison {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Unsigned greater or equal.
        Uge = "uge",
        /// Unsigned less.
        Ult = "ult",
        /// Unsigned less or equal.
        Ule = "ule",
        /// Signed greater.
        Sgt = "sgt",
        /// Signed greater or equal.
        Sge = "sge",
        /// Signed less.
        Slt = "slt",
        /// Signed less or equal.
        Sle = "sle",
    }
);

impl Comparison {
    /// The comparison that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Ugt => Comparison::Ule,
            Comparison::Uge => Comparison::Ult,
            Comparison::Ult => Comparison::Uge,
            Comparison::Ule => Comparison::Ugt,
            Comparison::Sgt => Comparison::Sle,
            Comparison::Sge => Comparison::Slt,
            Comparison::Slt => Comparison::Sge,
            Comparison::Sle => Comparison::Sgt,
        }
    }
}

named!(
    /// A floating operation of two operands of one type.
    FloatOperator {
        /// Addition.
        Add = "fadd",
        /// Subtraction.
        Sub = "fsub",
        /// Multiplication.
        Mul = "fmul",
        /// Division.
        Div = "fdiv",
        /// Remainder as by C's `fmod`.
        Rem = "frem",
    }
);

named!(
    /// A comparison of floats; "ordered" means that neither operand is a NaN.
    FloatComparison {
        /// Never.
        False = "false",
        /// Ordered and equal.
        Oeq = "oeq",
        /// Ordered and greater.
        Ogt = "ogt",
        /// Ordered and greater or equal.
        Oge = "oge",
        /// Ordered and less.
        Olt = "olt",
        /// Ordered and less or equal.
        Ole = "ole",
        /// Ordered and not equal.
        One = "one",
        /// Ordered.
        Ord = "ord",
        /// Unordered.
        Uno = "uno",
        /// Unordered or equal.
        Ueq = "ueq",
        /// Unordered or greater.
        Ugt = "ugt",
        /// Unordered or greater or equal.
        Uge = "uge",
        /// Unordered or less.
        Ult = "ult",
        /// Unordered or less or equal.
        Ule = "ule",
        /// Unordered or not equal.
        Une = "une",
        /// Always.
        True = "true",
    }
);

named!(
    /// A conversion between scalar types.
    Cast {
        /// Low bits of an integer.
        Truncate = "trunc",
        /// Zero extension of an integer.
        ZeroExtend = "zext",
        /// Sign extension of an integer.
        SignExtend = "sext",
        /// Float to unsigned integer, toward zero.
        FloatToUnsigned = "fptoui",
        /// Float to signed integer, toward zero.
        FloatToSigned = "fptosi",
        /// Unsigned integer to float.
        UnsignedToFloat = "uitofp",
        /// Signed integer to float.
        SignedToFloat = "sitofp",
        /// Double to float.
        FloatTruncate = "fptrunc",
        /// Float to double.
        FloatExtend = "fpext",
        /// Address to integer, cut or zero-extended to its width.
        PointerToInt = "ptrtoint",
        /// Integer, cut or zero-extended to 64 bits, to address.
        IntToPointer = "inttoptr",
        /// The same bits as another type of the same width.
        Bits = "bitcast",
    }
);

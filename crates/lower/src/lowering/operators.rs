//! Operators: opcodes and predicates of LLVM to those of the static program model.

use labrys_program::{BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator};

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

pub(super) fn binary_operator(opcode: LLVMOpcode) -> Option<BinaryOperator> {
    use LLVMOpcode as O;
    Some(match opcode {
        O::LLVMAdd => BinaryOperator::Add,
        O::LLVMSub => BinaryOperator::Sub,
        O::LLVMMul => BinaryOperator::Mul,
        O::LLVMUDiv => BinaryOperator::UDiv,
        O::LLVMSDiv => BinaryOperator::SDiv,
        O::LLVMURem => BinaryOperator::URem,
        O::LLVMSRem => BinaryOperator::SRem,
        O::LLVMShl => BinaryOperator::Shl,
        O::LLVMLShr => BinaryOperator::LShr,
        O::LLVMAShr => BinaryOperator::AShr,
        O::LLVMAnd => BinaryOperator::And,
        O::LLVMOr => BinaryOperator::Or,
        O::LLVMXor => BinaryOperator::Xor,
        _ => return None,
    })
}

pub(super) fn float_operator(opcode: LLVMOpcode) -> Option<FloatOperator> {
    use LLVMOpcode as O;
    Some(match opcode {
        O::LLVMFAdd => FloatOperator::Add,
        O::LLVMFSub => FloatOperator::Sub,
        O::LLVMFMul => FloatOperator::Mul,
        O::LLVMFDiv => FloatOperator::Div,
        O::LLVMFRem => FloatOperator::Rem,
        _ => return None,
    })
}

pub(super) fn cast(opcode: LLVMOpcode) -> Option<Cast> {
    use LLVMOpcode as O;
    Some(match opcode {
        O::LLVMTrunc => Cast::Truncate,
        O::LLVMZExt => Cast::ZeroExtend,
        O::LLVMSExt => Cast::SignExtend,
        O::LLVMFPToUI => Cast::FloatToUnsigned,
        O::LLVMFPToSI => Cast::FloatToSigned,
        O::LLVMUIToFP => Cast::UnsignedToFloat,
        O::LLVMSIToFP => Cast::SignedToFloat,
        O::LLVMFPTrunc => Cast::FloatTruncate,
        O::LLVMFPExt => Cast::FloatExtend,
        O::LLVMPtrToInt => Cast::PointerToInt,
        O::LLVMIntToPtr => Cast::IntToPointer,
        O::LLVMBitCast => Cast::Bits,
        _ => return None,
    })
}

pub(super) fn int_comparison(predicate: LLVMIntPredicate) -> Comparison {
    use LLVMIntPredicate as P;
    match predicate {
        P::LLVMIntEQ => Comparison::Eq,
        P::LLVMIntNE => Comparison::Ne,
        P::LLVMIntUGT => Comparison::Ugt,
        P::LLVMIntUGE => Comparison::Uge,
        P::LLVMIntULT => Comparison::Ult,
        P::LLVMIntULE => Comparison::Ule,
        P::LLVMIntSGT => Comparison::Sgt,
        P::LLVMIntSGE => Comparison::Sge,
        P::LLVMIntSLT => Comparison::Slt,
        P::LLVMIntSLE => Comparison::Sle,
    }
}

pub(super) fn float_comparison(predicate: LLVMRealPredicate) -> FloatComparison {
    use LLVMRealPredicate as P;
    match predicate {
        P::LLVMRealPredicateFalse => FloatComparison::False,
        P::LLVMRealOEQ => FloatComparison::Oeq,
        P::LLVMRealOGT => FloatComparison::Ogt,
        P::LLVMRealOGE => FloatComparison::Oge,
        P::LLVMRealOLT => FloatComparison::Olt,
        P::LLVMRealOLE => FloatComparison::Ole,
        P::LLVMRealONE => FloatComparison::One,
        P::LLVMRealORD => FloatComparison::Ord,
        P::LLVMRealUNO => FloatComparison::Uno,
        P::LLVMRealUEQ => FloatComparison::Ueq,
        P::LLVMRealUGT => FloatComparison::Ugt,
        P::LLVMRealUGE => FloatComparison::Uge,
        P::LLVMRealULT => FloatComparison::Ult,
        P::LLVMRealULE => FloatComparison::Ule,
        P::LLVMRealUNE => FloatComparison::Une,
        P::LLVMRealPredicateTrue => FloatComparison::True,
    }
}

/// LLVM's name of an instruction without the prefix, in lower case.
pub(super) fn opcode_name(opcode: LLVMOpcode) -> String {
    format!("{opcode:?}")
        .trim_start_matches("LLVM")
        .to_lowercase()
}

//! Instructions within a block.
//!
//! Whether an instruction has a model is decided by its types before any operand is lowered;
//! so every constant that is interned is used.

use labrys_program::{
    Access, BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator, Opaque, Operation,
    Type,
};

use super::body::Body;
use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, Value};

impl<'m> Body<'_, 'm> {
    /// What an instruction does.
    pub(super) fn operation(&mut self, instruction: Value<'m>) -> Operation {
        match self.modelled(instruction) {
            Some(operation) => operation,
            None => self.unmodelled(instruction),
        }
    }

    /// The operation of an instruction that has a model.
    fn modelled(&mut self, instruction: Value<'m>) -> Option<Operation> {
        use LLVMOpcode as O;
        match instruction.opcode() {
            O::LLVMCall => Some(self.call(instruction)),
            O::LLVMGetElementPtr => self.address(instruction),
            O::LLVMLoad | O::LLVMStore => self.memory_access(instruction),
            O::LLVMSelect => self.select(instruction),
            _ if instruction.operand_count() == 0 => None,
            opcode => {
                let first = self.lowering.ty(instruction.operand(0).ty());
                let result = self.lowering.ty(instruction.ty());
                match instruction.operand_count() {
                    1 => self.of_one(instruction, opcode, first, result),
                    2 => self.of_two(instruction, opcode, first, result),
                    _ => None,
                }
            }
        }
    }

    /// An operation with one operand, of the type `first`.
    fn of_one(
        &mut self,
        instruction: Value<'m>,
        opcode: LLVMOpcode,
        first: Type,
        result: Type,
    ) -> Option<Operation> {
        use LLVMOpcode as O;
        let value = instruction.operand(0);
        if let Some(cast) = cast(opcode) {
            let scalar = first.width().is_some() && result.width().is_some();
            return scalar.then(|| Operation::Cast {
                cast,
                value: self.operand(value),
            });
        }
        Some(match opcode {
            O::LLVMFNeg if result.is_float() => Operation::FloatNegate(self.operand(value)),
            O::LLVMFreeze => Operation::Freeze(self.operand(value)),
            O::LLVMAlloca if result == Type::Pointer => self.allocate(instruction),
            O::LLVMExtractValue if matches!(first, Type::Aggregate(_)) => {
                let indices = instruction.indices();
                Operation::Extract {
                    aggregate: self.operand(value),
                    indices,
                }
            }
            O::LLVMVAArg if first == Type::Pointer => {
                Operation::VariableArgument(self.operand(value))
            }
            _ => return None,
        })
    }

    /// An operation with two operands, the first one of the type `first`.
    fn of_two(
        &mut self,
        instruction: Value<'m>,
        opcode: LLVMOpcode,
        first: Type,
        result: Type,
    ) -> Option<Operation> {
        use LLVMOpcode as O;
        if let Some(operator) = binary_operator(opcode).filter(|_| result.is_int()) {
            let (left, right) = self.pair(instruction);
            return Some(Operation::Binary {
                operator,
                left,
                right,
            });
        }
        if let Some(operator) = float_operator(opcode).filter(|_| result.is_float()) {
            let (left, right) = self.pair(instruction);
            return Some(Operation::Float {
                operator,
                left,
                right,
            });
        }
        match opcode {
            O::LLVMICmp if first.is_int() || first == Type::Pointer => {
                let comparison = int_comparison(instruction.int_predicate());
                let (left, right) = self.pair(instruction);
                Some(Operation::Compare {
                    comparison,
                    left,
                    right,
                })
            }
            O::LLVMFCmp if first.is_float() => {
                let comparison = float_comparison(instruction.real_predicate());
                let (left, right) = self.pair(instruction);
                Some(Operation::FloatCompare {
                    comparison,
                    left,
                    right,
                })
            }
            O::LLVMInsertValue if matches!(first, Type::Aggregate(_)) => {
                let (aggregate, value) = self.pair(instruction);
                Some(Operation::Insert {
                    aggregate,
                    value,
                    indices: instruction.indices(),
                })
            }
            _ => None,
        }
    }

    /// An instruction without a model, with the reason.
    fn unmodelled(&mut self, instruction: Value<'m>) -> Operation {
        use LLVMOpcode as O;
        let opcode = instruction.opcode();
        let (reason, writes) = match opcode {
            O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg | O::LLVMFence => (Opaque::Atomic, true),
            O::LLVMLandingPad | O::LLVMCatchPad | O::LLVMCleanupPad => (Opaque::Exception, false),
            _ => {
                let types = instruction.operands().into_iter().map(Value::ty);
                let foreign = types
                    .chain([instruction.ty()])
                    .find_map(|ty| self.lowering.foreign_name(ty));
                let reason = foreign.map_or_else(
                    || Opaque::Instruction(opcode_name(opcode)),
                    Opaque::ForeignType,
                );
                (reason, opcode == O::LLVMStore)
            }
        };
        self.opaque(instruction, reason, writes)
    }

    /// An opaque operation with the operands of the instruction.
    pub(super) fn opaque(
        &mut self,
        instruction: Value<'m>,
        reason: Opaque,
        writes_memory: bool,
    ) -> Operation {
        let operands = self.operands(instruction.operands());
        Operation::Opaque {
            reason,
            operands,
            writes_memory,
        }
    }

    fn pair(
        &mut self,
        instruction: Value<'m>,
    ) -> (labrys_program::Operand, labrys_program::Operand) {
        let left = self.operand(instruction.operand(0));
        (left, self.operand(instruction.operand(1)))
    }

    fn select(&mut self, instruction: Value<'m>) -> Option<Operation> {
        let site = self.site(instruction)?;
        let condition = self.operand(instruction.operand(0));
        let if_true = self.operand(instruction.operand(1));
        let if_false = self.operand(instruction.operand(2));
        Some(Operation::Select {
            site,
            condition,
            if_true,
            if_false,
        })
    }

    fn memory_access(&mut self, instruction: Value<'m>) -> Option<Operation> {
        let access = if instruction.is_atomic() {
            Access::Atomic
        } else if instruction.is_volatile() {
            Access::Volatile
        } else {
            Access::Plain
        };
        let load = instruction.opcode() == LLVMOpcode::LLVMLoad;
        let address = instruction.operand(usize::from(!load));
        let accessed = if load {
            instruction.ty()
        } else {
            instruction.operand(0).ty()
        };
        if self.lowering.ty(address.ty()) != Type::Pointer || !accessed.is_sized() {
            return None;
        }
        let size = self.lowering.module.store_size_of(accessed);
        let address = self.operand(address);
        Some(if load {
            Operation::Load {
                address,
                size,
                access,
            }
        } else {
            let value = self.operand(instruction.operand(0));
            Operation::Store {
                address,
                value,
                size,
                access,
            }
        })
    }

    fn allocate(&mut self, instruction: Value<'m>) -> Operation {
        Operation::Allocate {
            size: self.lowering.alloc_size(instruction.allocated_type()),
            count: self.operand(instruction.operand(0)),
            align: instruction.alignment().max(1),
        }
    }
}

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

fn float_operator(opcode: LLVMOpcode) -> Option<FloatOperator> {
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

fn int_comparison(predicate: LLVMIntPredicate) -> Comparison {
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

fn float_comparison(predicate: LLVMRealPredicate) -> FloatComparison {
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

//! Bodies of functions: values, blocks, phis and terminators.

use std::collections::HashMap;

use labrys_program::{
    Block, BlockId, FunctionId, Instruction, Opaque, Operand, Operation, Phi, SiteId, Terminator,
    Type, ValueId,
};

use super::{Lowering, block_ids, is_dropped};
use labrys_llvm::{Block as LlvmBlock, LLVMOpcode, LLVMValueKind, Value};

impl<'m> Lowering<'m> {
    /// Lowers the body of a function, if it has one.
    pub(super) fn body(&mut self, id: FunctionId, function: Value<'m>) {
        let blocks = function.blocks();
        let ids = block_ids(&blocks);
        let mut body = Body {
            lowering: self,
            function: id,
            values: HashMap::new(),
            blocks: ids,
        };
        for (index, parameter) in function.params().into_iter().enumerate() {
            body.values.insert(parameter, ValueId::new(index));
        }
        // Values are used before their definition by phis, and across blocks in any order.
        for block in &blocks {
            for instruction in block.instructions() {
                body.number(instruction);
            }
        }
        for block in blocks {
            let block = body.block(block);
            body.lowering.program.functions[id.index()]
                .blocks
                .push(block);
        }
    }
}

/// The lowering of one body.
pub(super) struct Body<'a, 'm> {
    pub(super) lowering: &'a mut Lowering<'m>,
    function: FunctionId,
    values: HashMap<Value<'m>, ValueId>,
    blocks: HashMap<LlvmBlock<'m>, BlockId>,
}

/// Whether an instruction has no counterpart in the picture.
fn is_left_out(instruction: Value<'_>) -> bool {
    // One with a result stays, lest its uses have nothing to refer to.
    instruction.opcode() == LLVMOpcode::LLVMCall
        && instruction.ty().kind() == labrys_llvm::LLVMTypeKind::LLVMVoidTypeKind
        && is_dropped(&instruction.called().name())
}

impl<'m> Body<'_, 'm> {
    fn number(&mut self, instruction: Value<'m>) {
        let ty = self.lowering.ty(instruction.ty());
        if ty != Type::Void {
            let function = &mut self.lowering.program.functions[self.function.index()];
            self.values.insert(instruction, function.push_value(ty));
        }
    }

    /// An operand: a value of the body or a constant.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Operand {
        match self.values.get(&value) {
            Some(id) => Operand::Value(*id),
            None => Operand::Constant(self.lowering.constant(value)),
        }
    }

    /// The operands of something opaque: those that are values.
    pub(super) fn operands(&mut self, values: Vec<Value<'m>>) -> Vec<Operand> {
        let is_value = |value: &Value<'m>| {
            !matches!(
                value.kind(),
                LLVMValueKind::LLVMBasicBlockValueKind
                    | LLVMValueKind::LLVMMetadataAsValueValueKind
                    | LLVMValueKind::LLVMInlineAsmValueKind
            )
        };
        values
            .into_iter()
            .filter(is_value)
            .map(|value| self.operand(value))
            .collect()
    }

    /// The site of a decision. The walk that numbered the sites saw the same instructions in
    /// the same order.
    pub(super) fn site(&mut self, instruction: Value<'m>) -> Option<SiteId> {
        self.lowering.site(instruction)
    }

    fn block(&mut self, block: LlvmBlock<'m>) -> Block {
        let mut lowered = Block::default();
        for instruction in block.instructions() {
            if instruction.opcode() == LLVMOpcode::LLVMPHI {
                lowered.phis.push(self.phi(instruction));
            } else if Some(instruction) == block.terminator() {
                self.end(block, instruction, &mut lowered);
            } else if !is_left_out(instruction) {
                let operation = self.operation(instruction);
                self.push(&mut lowered, instruction, operation);
            }
        }
        lowered
    }

    fn push(&mut self, block: &mut Block, instruction: Value<'m>, operation: Operation) {
        let result = self.values.get(&instruction).copied();
        let location = self
            .lowering
            .locations
            .of(instruction, &mut self.lowering.tables);
        block.instructions.push(Instruction {
            result,
            operation,
            location,
        });
    }

    /// A phi with one operand per predecessor; LLVM has one per edge, equal for equal blocks.
    fn phi(&mut self, phi: Value<'m>) -> Phi {
        let mut incoming: Vec<_> = phi
            .incoming()
            .into_iter()
            .filter_map(|(value, block)| Some((*self.blocks.get(&block)?, value)))
            .collect();
        incoming.sort_by_key(|(block, _)| *block);
        incoming.dedup_by_key(|(block, _)| *block);
        Phi {
            result: self.values.get(&phi).copied().unwrap_or_default(),
            incoming: incoming
                .into_iter()
                .map(|(block, value)| (block, self.operand(value)))
                .collect(),
        }
    }

    /// The end of a block: its terminator, and the instruction in it where there is one.
    fn end(&mut self, block: LlvmBlock<'m>, end: Value<'m>, lowered: &mut Block) {
        let to: Vec<BlockId> = block
            .successors()
            .iter()
            .filter_map(|to| self.blocks.get(to).copied())
            .collect();
        // Calls that end blocks: first the call, then the jump.
        match end.opcode() {
            LLVMOpcode::LLVMInvoke => {
                let operation = self.call(end);
                self.push(lowered, end, operation);
            }
            LLVMOpcode::LLVMCallBr => {
                let operands = self.operands(end.arguments());
                let reason = Opaque::Assembly;
                let operation = Operation::Opaque {
                    reason,
                    operands,
                    writes_memory: true,
                };
                self.push(lowered, end, operation);
            }
            LLVMOpcode::LLVMCatchSwitch => {
                let operation = self.opaque(end, Opaque::Exception, false);
                self.push(lowered, end, operation);
            }
            _ => {}
        }
        lowered.terminator = self.terminator(end, to);
        lowered.location = self.lowering.locations.of(end, &mut self.lowering.tables);
    }

    fn terminator(&mut self, end: Value<'m>, to: Vec<BlockId>) -> Terminator {
        use LLVMOpcode as O;
        let opaque = |reason, operands, successors| Terminator::Opaque {
            reason,
            operands,
            successors,
        };
        match (end.opcode(), to.as_slice()) {
            (O::LLVMRet, _) => {
                Terminator::Return((end.operand_count() > 0).then(|| self.operand(end.operand(0))))
            }
            (O::LLVMUnreachable, _) => Terminator::Unreachable,
            (O::LLVMBr, [only]) => Terminator::Jump(*only),
            (O::LLVMBr, [if_true, if_false]) => match self.site(end) {
                Some(site) => Terminator::Branch {
                    site,
                    condition: self.operand(end.operand(0)),
                    if_true: *if_true,
                    if_false: *if_false,
                },
                None => opaque(Opaque::Instruction("br".into()), Vec::new(), to),
            },
            (O::LLVMSwitch, [only]) => Terminator::Jump(*only),
            (O::LLVMSwitch, [default, cases @ ..]) => match self.site(end) {
                Some(site) => self.switch(end, site, *default, cases),
                None => {
                    let reason = self.lowering.foreign_name(end.operand(0).ty());
                    let reason = Opaque::ForeignType(reason.unwrap_or_default());
                    let operands = vec![self.operand(end.operand(0))];
                    opaque(reason, operands, to)
                }
            },
            (O::LLVMIndirectBr, _) => {
                let operands = vec![self.operand(end.operand(0))];
                opaque(Opaque::ComputedJump, operands, to)
            }
            (O::LLVMInvoke | O::LLVMCatchSwitch, _) => opaque(Opaque::Exception, Vec::new(), to),
            (O::LLVMCallBr, _) => opaque(Opaque::Assembly, Vec::new(), to),
            (O::LLVMResume | O::LLVMCleanupRet | O::LLVMCatchRet, _) => {
                let operands = self.operands(end.operands());
                opaque(Opaque::Exception, operands, to)
            }
            (opcode, _) => {
                let reason = Opaque::Instruction(super::instructions::opcode_name(opcode));
                let operands = self.operands(end.operands());
                opaque(reason, operands, to)
            }
        }
    }

    fn switch(
        &mut self,
        end: Value<'m>,
        site: SiteId,
        default: BlockId,
        targets: &[BlockId],
    ) -> Terminator {
        // Operands: scrutinee, default, then pairs of case value and block.
        let values = (2..end.operand_count()).step_by(2);
        let cases = values
            .zip(targets)
            .map(|(index, to)| (end.operand(index).const_int_bits().unwrap_or_default(), *to))
            .collect();
        Terminator::Switch {
            site,
            value: self.operand(end.operand(0)),
            default,
            cases,
        }
    }
}

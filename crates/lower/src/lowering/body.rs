//! Bodies of functions: values, blocks, phis, instructions and terminators.
//!
//! Whether an instruction has a model is decided by its types before any operand is lowered;
//! so every constant that is interned is used.

use std::collections::HashMap;

use labrys_program::{
    Access, AddressTerm, Block, BlockId, Callee, Function, Instruction, Intrinsic, Opaque, Operand,
    Operation, Phi, SiteId, Terminator, Type, ValueId,
};

use super::address;
use super::constants::{Constants, Symbol};
use super::locations::Locations;
use super::numbering::Numbering;
use super::operators::{
    binary_operator, cast, float_comparison, float_operator, int_comparison, opcode_name,
};
use super::types::Types;
use crate::hints::is_hint;
use labrys_llvm::{
    Block as LlvmBlock, LLVMOpcode, LLVMTypeKind, LLVMValueKind, MemoryEffects, Value,
};

/// The lowering of one body. It borrows what the bodies of a module share.
pub(super) struct Body<'a, 'm> {
    types: &'a mut Types<'m>,
    constants: &'a mut Constants<'m>,
    locations: &'a mut Locations<'m>,
    sites: &'a mut Numbering<'m>,
    function: &'a mut Function,
    values: HashMap<Value<'m>, ValueId>,
    blocks: HashMap<LlvmBlock<'m>, BlockId>,
}

/// Whether an instruction has no counterpart in the model.
fn is_left_out(instruction: Value<'_>) -> bool {
    // One with a result stays, lest its uses have nothing to refer to.
    instruction.opcode() == LLVMOpcode::LLVMCall
        && instruction.ty().kind() == LLVMTypeKind::LLVMVoidTypeKind
        && is_hint(&instruction.called().name())
}

/// The values of a function by number: its parameters, then the results of its instructions.
pub(crate) fn numbered(function: Value<'_>) -> HashMap<Value<'_>, ValueId> {
    let blocks = function.blocks().into_iter();
    let instructions = blocks.flat_map(LlvmBlock::instructions);
    let results = instructions.filter(|one| one.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind);
    let values = function.params().into_iter().chain(results);
    let numbered = values.enumerate();
    numbered
        .map(|(index, value)| (value, ValueId::new(index)))
        .collect()
}

impl<'a, 'm> Body<'a, 'm> {
    /// A body of `function`, whose parameters are there already, with nothing in it.
    pub(super) fn new(
        types: &'a mut Types<'m>,
        constants: &'a mut Constants<'m>,
        locations: &'a mut Locations<'m>,
        sites: &'a mut Numbering<'m>,
        function: &'a mut Function,
    ) -> Self {
        Body {
            types,
            constants,
            locations,
            sites,
            function,
            values: HashMap::new(),
            blocks: HashMap::new(),
        }
    }

    /// Lowers the body of a function, if it has one.
    pub(super) fn lower(mut self, function: Value<'m>) {
        let blocks = function.blocks();
        let ids = (0..blocks.len()).map(BlockId::new);
        self.blocks = blocks.iter().copied().zip(ids).collect();
        // Values are used before their definition by phis, and across blocks in any order.
        self.values = numbered(function);
        for block in &blocks {
            for instruction in block.instructions() {
                if self.values.contains_key(&instruction) {
                    let ty = self.types.of(instruction.ty());
                    self.function.push_value(ty);
                }
            }
        }
        for block in blocks {
            let block = self.block(block);
            self.function.blocks.push(block);
        }
    }

    /// An operand: a value of the body or a constant.
    fn operand(&mut self, value: Value<'m>) -> Operand {
        match self.values.get(&value) {
            Some(id) => Operand::Value(*id),
            None => Operand::Constant(self.constants.constant(self.types, value)),
        }
    }

    /// The operands of something opaque: those that are values.
    fn operands(&mut self, values: Vec<Value<'m>>) -> Vec<Operand> {
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
    fn site(&mut self, instruction: Value<'m>) -> Option<SiteId> {
        self.sites.site(instruction)
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
        let location = self.locations.of(instruction, self.types.tables());
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
        lowered.location = self.locations.of(end, self.types.tables());
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
                    let reason = self.types.foreign_name(end.operand(0).ty());
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
                let reason = Opaque::Instruction(opcode_name(opcode));
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

    /// What an instruction does.
    fn operation(&mut self, instruction: Value<'m>) -> Operation {
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
                let first = self.types.of(instruction.operand(0).ty());
                let result = self.types.of(instruction.ty());
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
                    .find_map(|ty| self.types.foreign_name(ty));
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
    fn opaque(&mut self, instruction: Value<'m>, reason: Opaque, writes_memory: bool) -> Operation {
        let operands = self.operands(instruction.operands());
        Operation::Opaque {
            reason,
            operands,
            writes_memory,
        }
    }

    fn pair(&mut self, instruction: Value<'m>) -> (Operand, Operand) {
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
        let access = if instruction.is_volatile() {
            Access::Volatile
        } else if instruction.is_atomic() {
            Access::Atomic
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
        if self.types.of(address.ty()) != Type::Pointer || !accessed.is_sized() {
            return None;
        }
        let size = self.types.module().store_size_of(accessed);
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
            size: self.types.alloc_size(instruction.allocated_type()),
            count: self.operand(instruction.operand(0)),
            align: instruction.alignment().max(1),
        }
    }

    /// A `getelementptr` of scalars; `None` for others.
    fn address(&mut self, gep: Value<'m>) -> Option<Operation> {
        let pointer = self.types.of(gep.ty()) == Type::Pointer
            && self.types.of(gep.operand(0).ty()) == Type::Pointer;
        let steps = address::steps(self.types, gep).filter(|_| pointer)?;
        let base = self.operand(gep.operand(0));
        let terms = steps
            .terms
            .into_iter()
            .map(|(index, scale)| AddressTerm {
                index: self.operand(index),
                scale,
            })
            .collect();
        Some(Operation::Address {
            base,
            offset: steps.offset,
            terms,
        })
    }

    /// A `call` or `invoke`.
    fn call(&mut self, call: Value<'m>) -> Operation {
        let called = call.called();
        if called.is_assembly() {
            let operands = self.operands(call.arguments());
            return Operation::Opaque {
                reason: Opaque::Assembly,
                operands,
                writes_memory: true,
            };
        }
        let function = resolve(called);
        let name = function.map(Value::name).unwrap_or_default();
        if name.starts_with("llvm.") {
            return self.intrinsic(call, called, &name);
        }
        let symbol = function.and_then(|function| self.constants.symbol(function));
        let callee = match symbol {
            Some(Symbol::Function(id)) => Callee::Direct(id),
            _ => Callee::Indirect(self.operand(called)),
        };
        let arguments = call
            .arguments()
            .into_iter()
            .map(|value| self.operand(value))
            .collect();
        Operation::Call {
            callee,
            arguments,
            variadic: call.called_type().is_variadic(),
        }
    }

    fn intrinsic(&mut self, call: Value<'m>, called: Value<'m>, name: &str) -> Operation {
        let known = Intrinsic::from_llvm_name(name);
        let arguments = call.arguments();
        let types = arguments.iter().map(|value| value.ty()).chain([call.ty()]);
        let foreign = types.into_iter().find_map(|ty| self.types.foreign_name(ty));
        let operands = self.operands(arguments);
        match (known, foreign) {
            (Some(intrinsic), None) => Operation::Intrinsic {
                intrinsic,
                arguments: operands,
            },
            (Some(intrinsic), Some(name)) => Operation::Opaque {
                reason: Opaque::ForeignType(name),
                operands,
                writes_memory: intrinsic.writes_memory(),
            },
            (None, _) => Operation::Opaque {
                reason: Opaque::Intrinsic(name.to_owned()),
                operands,
                writes_memory: called.memory_effects() == MemoryEffects::Writes,
            },
        }
    }
}

/// The function behind a called value, through aliases.
fn resolve(called: Value<'_>) -> Option<Value<'_>> {
    let mut value = called;
    for _ in 0..16 {
        match value.aliasee() {
            Some(aliasee) => value = aliasee,
            None => break,
        }
    }
    (value.kind() == LLVMValueKind::LLVMFunctionValueKind).then_some(value)
}

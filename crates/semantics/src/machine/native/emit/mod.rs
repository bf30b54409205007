//! From a function of the program to machine code: block for block, operation for operation.
//!
//! Values of at most 64 bits are values of the code, and so are aggregates of them that an
//! operation gives; all others stay in the machine's frame. What has no code is handed to the
//! machine, one instruction at a time. Steps are counted before they are taken, up to the next
//! instruction that may count steps itself; where too few are left, the machine executes the
//! rest, so a run ends where it would without code.

mod access;
mod ends;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AliasRegion, InstBuilder, MemFlags, Value, types};
use labrys_native::{Code, Word};
use labrys_program::graph::Digraph;
use labrys_program::{
    Block, BlockId, Callee, Function, FunctionId, Instruction, Operand, Operation, Program, Type,
    ValueId,
};

use super::algebra::{Emitting, Held};
use super::context::{CodeContext, WORDS};
use super::run::{self, ENDED};
use super::sites::{HandOver, gives_nothing, looked_at, looked_at_end};
use super::values::{CodeValues, shape, used, word_width};
use crate::operation::meaning;
use crate::value::{IrValue, Operands};

/// The function under construction.
pub(super) struct Emitter<'e, 'p, 'b> {
    pub(super) program: &'p Program,
    pub(super) function: &'p Function,
    pub(super) code: Code<'b>,
    /// Accesses that have a view so far.
    pub(super) views: &'e mut usize,
    pub(super) context: Value,
    /// Keys of the frame's blocks begin with these.
    pub(super) enter_base: Value,
    pub(super) leave_base: Value,
    pub(super) blocks: Vec<ir::Block>,
    values: Vec<Option<IrValue<Held>>>,
    /// Whether values are used.
    used: Vec<bool>,
    pub(super) sites: Vec<HandOver>,
    /// Blocks that end the run at a fault, by the steps that were counted too many.
    faults: BTreeMap<u64, ir::Block>,
}

impl<'e, 'p, 'b> Emitter<'e, 'p, 'b> {
    pub(super) fn new(
        program: &'p Program,
        function: &'p Function,
        id: FunctionId,
        mut code: Code<'b>,
        views: &'e mut usize,
    ) -> Self {
        let entry = code.builder.create_block();
        code.builder.append_block_params_for_function_params(entry);
        code.builder.switch_to_block(entry);
        let (context, depth) = {
            let parameters = code.builder.block_params(entry);
            (parameters[0], parameters[1])
        };
        let leave_base = code.builder.ins().ishl_imm(depth, 48);
        let number = (id.0 as i64) << 24;
        let enter_base = code.builder.ins().iadd_imm(leave_base, number);
        let blocks = function.blocks.iter().map(|_| code.builder.create_block());
        let blocks = blocks.collect();
        Emitter {
            program,
            function,
            code,
            views,
            context,
            enter_base,
            leave_base,
            blocks,
            values: vec![None; function.values.len()],
            used: used(function),
            sites: Vec::new(),
            faults: BTreeMap::new(),
        }
    }

    /// Code for the whole function; `None` if it can have none.
    pub(super) fn function(mut self) -> Option<Vec<HandOver>> {
        self.parameters()?;
        let order = Digraph::of_function(self.function).reverse_postorder(0);
        for &number in &order {
            self.phis(BlockId(number))?;
        }
        for &number in &order {
            self.block(BlockId(number))?;
        }
        for (ahead, block) in std::mem::take(&mut self.faults) {
            self.code.builder.switch_to_block(block);
            let ahead = self.code.integer(ahead);
            self.call_machine(run::fault as *const u8, &[ahead]);
            self.end_with(ENDED);
        }
        self.code.builder.seal_all_blocks();
        self.code.builder.finalize();
        Some(self.sites)
    }

    fn parameters(&mut self) -> Option<()> {
        let mut word = 0;
        for (index, parameter) in self.function.parameters.iter().enumerate() {
            let Some(width) = word_width(parameter.ty) else {
                continue;
            };
            if word >= WORDS {
                return None;
            }
            let bits = self.word(word);
            word += 1;
            self.set(
                ValueId::new(index),
                IrValue::Scalar(Held::new(Word::of_bits(width, bits))),
            );
        }
        let first = self.blocks[0];
        self.code.builder.ins().jump(first, &[]);
        Some(())
    }

    /// Phis are parameters of blocks.
    fn phis(&mut self, id: BlockId) -> Option<()> {
        let block = self.blocks[id.index()];
        for phi in &self.function.block(id)?.phis {
            let width = word_width(self.function.value_type(phi.result)?)?;
            let bits = self.code.builder.append_block_param(block, types::I64);
            let held = Held::new(Word::of_bits(width, bits));
            self.set(phi.result, IrValue::Scalar(held));
        }
        Some(())
    }

    fn block(&mut self, id: BlockId) -> Option<()> {
        let function = self.function;
        let block = function.block(id)?;
        self.code.builder.switch_to_block(self.blocks[id.index()]);
        self.watch_entry(id, block)?;
        let mut left = 0;
        for (index, instruction) in block.instructions.iter().enumerate() {
            if left == 0 {
                left = self.count(id, block, index)?;
            }
            left -= 1;
            self.instruction(id, index, instruction, left)?;
        }
        self.terminator(id, block, left == 0)
    }

    /// Counts the steps from an instruction to the next that may count some itself; how many.
    fn count(&mut self, id: BlockId, block: &Block, from: usize) -> Option<u64> {
        let rest = &block.instructions[from..];
        let call = rest
            .iter()
            .position(|instruction| self.counts_steps(instruction));
        let steps = match call {
            Some(call) => call + 1,
            None => rest.len() + usize::from(ends::is_counted(self.function, &block.terminator)),
        } as u64;
        self.count_steps(id, block, from, steps)?;
        Some(steps)
    }

    /// Counts so many steps, or lets the machine go on to the limit.
    pub(super) fn count_steps(
        &mut self,
        id: BlockId,
        block: &Block,
        from: usize,
        steps: u64,
    ) -> Option<()> {
        let before = self.context_word(offset_of!(CodeContext, steps));
        let limit = self.context_word(offset_of!(CodeContext, limit));
        let builder = &mut self.code.builder;
        let after = builder.ins().iadd_imm(before, steps as i64);
        let over = builder.ins().icmp(IntCC::UnsignedGreaterThan, after, limit);
        let (enough, short) = (builder.create_block(), builder.create_block());
        builder.set_cold_block(short);
        builder.ins().brif(over, short, &[], enough, &[]);
        builder.switch_to_block(short);
        self.hand_over(id, block, from)?;
        self.code.builder.switch_to_block(enough);
        let offset = offset_of!(CodeContext, steps) as i32;
        let flags = context_flags();
        let context = self.context;
        self.code.builder.ins().store(flags, after, context, offset);
        Some(())
    }

    /// Lets the machine execute the rest of a block, behind which the function does not go on.
    pub(super) fn hand_over(&mut self, id: BlockId, block: &Block, from: usize) -> Option<()> {
        let site = self.rest(id, block, from)?;
        self.call_machine(run::end as *const u8, &[site]);
        self.end_with(ENDED);
        Some(())
    }

    /// A site where the machine executes the rest of a block; its values are brought.
    fn rest(&mut self, id: BlockId, block: &Block, from: usize) -> Option<Value> {
        let mut seen = BTreeSet::new();
        for instruction in &block.instructions[from..] {
            looked_at(self.program, self.function, instruction, &mut seen);
        }
        looked_at_end(self.function, &block.terminator, &mut seen);
        self.site(id, from, &seen, None, 0)
    }

    /// Where the rules may look at the beginning of a block.
    fn watch_entry(&mut self, id: BlockId, block: &Block) -> Option<()> {
        let watched = self.context_word(offset_of!(CodeContext, enter));
        let (here, go_on) = self.branch_if_watched(self.enter_base, id, watched);
        self.code.builder.switch_to_block(here);
        let site = self.rest(id, block, 0)?;
        let ended = self.call_machine(run::enter as *const u8, &[site]);
        self.return_if(ended, go_on);
        Some(())
    }

    /// Branches to a new block if a key is that of a block; that, and the other.
    pub(super) fn branch_if_watched(
        &mut self,
        base: Value,
        id: BlockId,
        watched: Value,
    ) -> (ir::Block, ir::Block) {
        let builder = &mut self.code.builder;
        let key = builder.ins().iadd_imm(base, i64::from(id.0));
        let equal = builder.ins().icmp(IntCC::Equal, key, watched);
        let (here, go_on) = (builder.create_block(), builder.create_block());
        builder.set_cold_block(here);
        builder.ins().brif(equal, here, &[], go_on, &[]);
        (here, go_on)
    }

    /// Whether an instruction calls what may take steps itself.
    fn counts_steps(&self, instruction: &Instruction) -> bool {
        match &instruction.operation {
            Operation::Call {
                callee: Callee::Direct(callee),
                ..
            } => self
                .program
                .function(*callee)
                .is_none_or(|callee| callee.defined),
            Operation::Call { .. } => true,
            _ => false,
        }
    }

    fn instruction(
        &mut self,
        id: BlockId,
        index: usize,
        instruction: &Instruction,
        ahead: u64,
    ) -> Option<()> {
        let coded = self
            .compute(instruction)
            .or_else(|| self.access(instruction, ahead))
            .or_else(|| self.direct_call(instruction));
        if coded.is_some() {
            return Some(());
        }
        let mut seen = BTreeSet::new();
        looked_at(self.program, self.function, instruction, &mut seen);
        let result = instruction.result.and_then(|value| {
            let width = word_width(self.function.value_type(value)?)?;
            Some((value, self.used[value.index()], width))
        });
        if result.is_some_and(|(_, used, _)| used) && gives_nothing(self.program, instruction) {
            return None;
        }
        let site = self.site(id, index, &seen, result, ahead)?;
        let ended = self.call_machine(run::step as *const u8, &[site]);
        let go_on = self.code.builder.create_block();
        self.return_if(ended, go_on);
        if let Some((value, _, width)) = result {
            let bits = self.word(0);
            let held = Held::new(Word::of_bits(width, bits));
            self.set(value, IrValue::Scalar(held));
        }
        Some(())
    }

    /// Code for an operation without effects; `None` if it has none.
    fn compute(&mut self, instruction: &Instruction) -> Option<()> {
        let result = instruction.result?;
        let ty = self.function.value_type(result)?;
        let operation = &instruction.operation;
        let value = self.emitted(|code, values| meaning(code, operation, ty, values))?;
        self.set(result, value);
        Some(())
    }

    /// Code for a call by name that fits its callee; `None` for any other instruction.
    fn direct_call(&mut self, instruction: &Instruction) -> Option<()> {
        let Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } = &instruction.operation
        else {
            return None;
        };
        let callee = self.program.function(*id)?;
        let result = instruction.result.map_or(Some(Type::Void), |value| {
            let ty = self.function.value_type(value)?;
            word_width(ty).map(|_| ty)
        });
        let fits = callee.defined
            && !callee.variadic
            && callee
                .parameters
                .iter()
                .all(|parameter| parameter.by_value.is_none())
            && result == Some(callee.result)
            && arguments.len() == callee.parameters.len()
            && arguments.len() <= WORDS;
        if !fits {
            return None;
        }
        let mut words = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            let word = self.scalar(*argument)?.word;
            if word_width(parameter.ty) != Some(word.width()) {
                return None;
            }
            words.push(word);
        }
        for (number, mut word) in words.into_iter().enumerate() {
            let bits = self.code.bits(&mut word);
            self.set_word(number, bits);
        }
        let id = self.code.integer(u64::from(id.0));
        let ended = self.call_machine(run::call as *const u8, &[id]);
        let go_on = self.code.builder.create_block();
        self.return_if(ended, go_on);
        if let (Some(value), Some(width)) = (instruction.result, word_width(callee.result)) {
            let bits = self.word(0);
            let held = Held::new(Word::of_bits(width, bits));
            self.set(value, IrValue::Scalar(held));
        }
        Some(())
    }

    /// The value of an operand in code.
    pub(super) fn scalar(&mut self, operand: Operand) -> Option<Held> {
        self.emitted(|code, values| values.scalar(code, operand))
    }

    /// What `emit` makes of the values so far; `None` if a part of it has no code.
    fn emitted<T>(
        &mut self,
        emit: impl FnOnce(&mut Emitting<'_, '_>, &mut CodeValues<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut emitting = Emitting {
            code: &mut self.code,
            failed: false,
        };
        let mut reader = CodeValues {
            program: self.program,
            function: self.function,
            values: &self.values,
        };
        let made = emit(&mut emitting, &mut reader)?;
        (!emitting.failed).then_some(made)
    }

    /// The bits of an operand in code.
    pub(super) fn bits(&mut self, operand: Operand) -> Option<Value> {
        let mut word = self.scalar(operand)?.word;
        Some(self.code.bits(&mut word))
    }

    pub(super) fn set(&mut self, id: ValueId, value: IrValue<Held>) {
        self.values[id.index()] = Some(value);
    }

    /// A site, before which code puts values into the words of the context; its number.
    pub(super) fn site(
        &mut self,
        block: BlockId,
        index: usize,
        seen: &BTreeSet<ValueId>,
        result: Option<(ValueId, bool, u32)>,
        ahead: u64,
    ) -> Option<Value> {
        let mut brought = Vec::new();
        let mut word = 0;
        for &id in seen {
            // What is not there yet is defined behind the site, or stays in the frame.
            let Some(value) = self.values[id.index()].clone() else {
                continue;
            };
            brought.push((id, shape(&value)));
            for held in value.scalars() {
                if word >= WORDS {
                    return None;
                }
                let mut bits = held.word;
                let bits = self.code.bits(&mut bits);
                self.set_word(word, bits);
                word += 1;
            }
        }
        self.sites.push(HandOver {
            block,
            index,
            brought,
            result,
            ahead,
        });
        Some(self.code.integer(self.sites.len() as u64 - 1))
    }

    /// The block that ends the run at a fault.
    pub(super) fn fault(&mut self, ahead: u64) -> ir::Block {
        let builder = &mut self.code.builder;
        *self.faults.entry(ahead).or_insert_with(|| {
            let block = builder.create_block();
            builder.set_cold_block(block);
            block
        })
    }

    /// Returns if the machine ended the run; else control goes to a block.
    pub(super) fn return_if(&mut self, ended: Value, go_on: ir::Block) {
        let builder = &mut self.code.builder;
        let ended_block = builder.create_block();
        builder.set_cold_block(ended_block);
        builder.ins().brif(ended, ended_block, &[], go_on, &[]);
        builder.switch_to_block(ended_block);
        self.end_with(ENDED);
        self.code.builder.switch_to_block(go_on);
    }

    pub(super) fn end_with(&mut self, how: u64) {
        let how = self.code.integer(how);
        self.code.builder.ins().return_(&[how]);
    }

    /// Calls a function of [`run`].
    pub(super) fn call_machine(&mut self, function: *const u8, arguments: &[Value]) -> Value {
        let mut all = vec![self.context];
        all.extend(arguments);
        let kinds = vec![types::I64; all.len()];
        self.code.call(function, &kinds, types::I64, &all)
    }

    /// A field of the context.
    pub(super) fn context_word(&mut self, offset: usize) -> Value {
        let (flags, context) = (context_flags(), self.context);
        let ins = self.code.builder.ins();
        ins.load(types::I64, flags, context, offset as i32)
    }

    pub(super) fn word(&mut self, number: usize) -> Value {
        self.context_word(offset_of!(CodeContext, words) + 8 * number)
    }

    pub(super) fn set_word(&mut self, number: usize, value: Value) {
        let offset = offset_of!(CodeContext, words) + 8 * number;
        let (flags, context) = (context_flags(), self.context);
        let ins = self.code.builder.ins();
        ins.store(flags, value, context, offset as i32);
    }
}

/// Accesses to the context touch nothing of the program's memory.
fn context_flags() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx))
}

//! Passing a call backward: library functions by what they do, functions of the program by what
//! can be told without entering them, else by entering them at their returns.

use labrys_expr::ExprId;
use labrys_program::{
    BlockId, Callee, FunctionId, Instruction, Operand, Operation, Terminator, Type,
};
use labrys_semantics::{Algebra, Library, Meaning, input_value, library};

use crate::demand::{Base, Overrides};
use crate::memory::{Content, Write};
use crate::pass::{Context, Step};
use crate::precision::Precision;
use crate::state::{InputObject, Known, Skip, State};
use labrys_analysis::Effects;

/// Calls in calls that a path enters.
const MAX_FRAMES: usize = 64;
/// Most bytes of an input object that are followed one by one.
const MAX_OBJECT: u64 = 4096;

/// A call instruction.
#[derive(Clone, Copy)]
struct Site<'a> {
    block: BlockId,
    index: usize,
    instruction: &'a Instruction,
    arguments: &'a [Operand],
    ty: Type,
}

impl Base<'_> {
    /// Passes the call at a place of the top frame.
    pub(crate) fn pass_call(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        precision: Precision,
        place: (BlockId, usize),
        instruction: &Instruction,
    ) -> Step {
        let Operation::Call {
            callee, arguments, ..
        } = &instruction.operation
        else {
            return Step::Refused;
        };
        let site = Site {
            block: place.0,
            index: place.1,
            instruction,
            arguments,
            ty: self.result_type(state, instruction),
        };
        match callee {
            Callee::Direct(id) => self.pass_known_call(state, context, precision, site, *id),
            Callee::Indirect(address) => {
                self.pass_indirect_call(state, context, precision, site, *address)
            }
        }
    }

    fn pass_known_call(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        precision: Precision,
        site: Site<'_>,
        id: FunctionId,
    ) -> Step {
        if self.image.function(id).defined {
            self.pass_defined(state, context, precision, site, id)
        } else {
            self.pass_library(state, context, site, id)
        }
    }

    /// The functions that the address may be of, one after the other.
    fn pass_indirect_call(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        precision: Precision,
        site: Site<'_>,
        address: Operand,
    ) -> Step {
        let image = self.image;
        let call = image.call_at(state.function(), (site.block, site.index));
        let candidates = call.map_or(&[][..], |call| image.calls().callees(call));
        let place = (site.block, site.index);
        let (effects, open) = image.effects_of_indirect_call(state.function(), place);
        let used = site
            .instruction
            .result
            .is_some_and(|one| state.frame().env.contains_key(&one));
        if !open && !used && !effects.makes_inputs() && !self.touches(&effects, state) {
            return Step::Done;
        }
        if context.guard.is_some() {
            return Step::Refused;
        }
        if precision.coarse {
            return self.step_over(state, site, &effects, "a function by its address");
        }
        let Some(address) = self.top(state, context, address) else {
            return self.step_over(state, site, &effects, "a function that is not known");
        };
        let mut ways = Vec::new();
        for id in candidates {
            let mut way = state.clone();
            let function = self.function_address(*id);
            let same = self.pool.eq(address, function);
            way.require(&self.pool, same);
            if self.is_dead(&mut way) {
                continue;
            }
            match self.pass_known_call(&mut way, context, precision, site, *id) {
                Step::Done => ways.push(way),
                Step::Fork(more) => ways.extend(more),
                Step::Dead => {}
                Step::Refused => return Step::Refused,
            }
        }
        if open {
            let mut way = state.clone();
            self.step_over(&mut way, site, &effects, "a function that is not known");
            ways.push(way);
        }
        Step::Fork(ways)
    }

    /// Goes before a call without knowing what it does.
    fn step_over(
        &mut self,
        state: &mut State,
        site: Site<'_>,
        effects: &Effects,
        name: &str,
    ) -> Step {
        self.used(state, site.instruction);
        self.forget_passed(state, &Overrides::default(), effects, site.arguments);
        self.havoc(state, effects);
        state.inputs_lost |= effects.makes_inputs();
        state.skip(Skip::Call(name.to_owned()));
        Step::Done
    }

    fn pass_defined(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        precision: Precision,
        site: Site<'_>,
        id: FunctionId,
    ) -> Step {
        let image = self.image;
        let effects = image.effects(id);
        let used = site
            .instruction
            .result
            .is_some_and(|one| state.frame().env.contains_key(&one));
        let touches = self.touches_passed(state, context.overrides, effects, site.arguments);
        let matters = used || effects.makes_inputs() || touches;
        if !matters && (context.guard.is_none() || !effects.may_stop()) {
            return Step::Done;
        }
        let depth = state.frames.iter().filter(|one| one.function == id).count();
        let shallow = state.frames.len() < MAX_FRAMES;
        if precision.merge && shallow && !effects.may_repeat() && !effects.makes_inputs() {
            let mut merged = state.clone();
            if self.summarize(&mut merged, context, precision, &site, id) {
                *state = merged;
                return Step::Done;
            }
        }
        if context.guard.is_some() {
            return Step::Refused;
        }
        let function = image.function(id);
        let too_deep = depth > precision.recursion as usize || !shallow;
        let coarse = !precision.enter && !effects.makes_inputs();
        if too_deep || coarse || function.variadic {
            return self.step_over(state, site, effects, &function.name);
        }
        Step::Fork(self.enter(state, &site, id))
    }

    /// The ways into a call: one for each return of the callee.
    fn enter(&mut self, state: &State, site: &Site<'_>, id: FunctionId) -> Vec<State> {
        let image = self.image;
        let function = image.function(id);
        let mut ways = Vec::new();
        for (block_id, block) in function.blocks() {
            let Terminator::Return(value) = &block.terminator else {
                continue;
            };
            if !image.body(id).is_reachable(block_id) {
                continue;
            }
            let mut way = state.clone();
            way.place(site.block, site.index);
            let used = self.used(&mut way, site.instruction);
            if let Some(last) = way.hops.last_mut() {
                last.resumed = true;
            }
            let mut frame = self.frame(id);
            frame.call = Some((site.block, site.index));
            way.frames.push(frame);
            way.level += 1;
            way.place(block_id, block.instructions.len());
            way.hop();
            if let (Some(used), Some(value)) = (used, value) {
                let value = self.value(way.frame_mut(), &Overrides::default(), *value);
                self.bind(&mut way, &used, value.as_ref());
            }
            if !self.is_dead(&mut way) {
                ways.push(way);
            }
        }
        ways
    }

    /// Replaces the call by what it computes, if that can be said in expressions.
    fn summarize(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        precision: Precision,
        site: &Site<'_>,
        id: FunctionId,
    ) -> bool {
        let used = self.used(state, site.instruction);
        let caller_block = state.block;
        let caller_index = state.index;
        let frame = self.frame(id);
        let frame_id = frame.id;
        state.frames.push(frame);
        if !self.fold_body(state, precision, context.guard, used.as_ref()) {
            return false;
        }
        let Some(frame) = state.frames.pop() else {
            return false;
        };
        self.forget_frame(state, frame_id);
        self.bind_parameters(state, context.overrides, &frame.env, site.arguments, id);
        state.place(caller_block, caller_index);
        true
    }

    /// Parameters that the callee's path uses are the arguments of the call, in the top frame.
    pub(crate) fn bind_parameters(
        &mut self,
        state: &mut State,
        overrides: &Overrides,
        env: &std::collections::BTreeMap<labrys_program::ValueId, Known>,
        arguments: &[Operand],
        id: FunctionId,
    ) {
        let function = self.image.function(id);
        let mut pairs = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let value = labrys_program::ValueId::new(index);
            let Some(used) = env.get(&value) else {
                continue;
            };
            if parameter.by_value.is_some() {
                state.skip(Skip::Opaque("a structure passed by value".to_owned()));
                continue;
            }
            let argument = arguments
                .get(index)
                .and_then(|one| self.value(state.frame_mut(), overrides, *one));
            if let Some(argument) = argument {
                crate::substitute::pair(used, &argument, &mut pairs);
            }
        }
        // A call that does not fit its callee passes bits of another width.
        let pool = &self.pool;
        pairs.retain(|(used, value)| pool.width(*used) == pool.width(*value));
        self.substitute(state, &pairs);
    }

    fn pass_library(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        site: Site<'_>,
        id: FunctionId,
    ) -> Step {
        let image = self.image;
        let function = image.function(id);
        let known = library(&function.name);
        let quiet = matches!(
            known,
            Some(Library::Harmless | Library::Reads | Library::Pure | Library::Allocates { .. })
        );
        if context.guard.is_some() && !quiet {
            return Step::Refused;
        }
        if quiet {
            self.havoc(state, image.effects(id));
        }
        match known {
            Some(Library::Stops) => Step::Dead,
            _ if function.noreturn => Step::Dead,
            Some(Library::Reads) => {
                if let Some(used) = self.used(state, site.instruction) {
                    let arguments = site.arguments.iter();
                    let arguments = arguments.map(|one| self.top(state, context, *one));
                    let arguments = arguments.collect();
                    self.bind_read(state, &used, &function.name, arguments);
                }
                Step::Done
            }
            Some(Library::Harmless) => {
                if self.used(state, site.instruction).is_some() {
                    state.skip(Skip::Opaque(function.name.clone()));
                }
                Step::Done
            }
            Some(Library::Pure) => {
                self.pass_pure(state, context, site, &function.name);
                Step::Done
            }
            Some(Library::Allocates { zeroed, .. }) => {
                if let Some(used) = self.used(state, site.instruction) {
                    self.begin_heap_object(state, &used, zeroed);
                }
                Step::Done
            }
            Some(Library::Assume) => self.pass_assumption(state, context, site),
            Some(Library::Fills { .. }) => {
                let used = self.used(state, site.instruction).is_some();
                let effects = image.effects(id);
                if used || self.touches_passed(state, context.overrides, effects, site.arguments) {
                    self.forget_passed(state, context.overrides, effects, site.arguments);
                    self.havoc(state, effects);
                    state.skip(Skip::Opaque(function.name.clone()));
                }
                Step::Done
            }
            Some(Library::InputObject(size)) => self.pass_input_object(state, context, site, size),
            Some(Library::InputValue) => self.pass_input_value(state, site, &function.name),
            None => {
                let place = (site.block, site.index);
                let effects = image.effects_of_library_call(state.function(), place, id);
                let used = self.used(state, site.instruction).is_some();
                state.inputs_lost |= effects.makes_inputs();
                if used || self.touches(&effects, state) {
                    self.havoc(state, &effects);
                    state.skip(Skip::Opaque(function.name.clone()));
                }
                Step::Done
            }
        }
    }

    /// An object is made here; what is read from it before anything was written is 0 or anything.
    fn begin_heap_object(&mut self, state: &mut State, used: &Known, zeroed: bool) {
        let reads = state.reads.clone();
        if let (true, Some(address)) = (zeroed, used.scalar()) {
            for read in reads {
                let root = self.objects.root(&mut self.pool, read.address);
                if root.is_some_and(|(object, _)| object.symbol == address) {
                    let zero = self.pool.constant(8 * read.size, 0);
                    self.substitute(state, &[(read.symbol, zero)]);
                }
            }
        }
        self.forget_object(state, used);
    }

    fn pass_pure(&mut self, state: &mut State, context: Context<'_>, site: Site<'_>, name: &str) {
        let Some(used) = self.used(state, site.instruction) else {
            return;
        };
        let arguments: Option<Vec<ExprId>> = site
            .arguments
            .iter()
            .map(|one| self.top(state, context, *one))
            .collect();
        let value = match (arguments, site.ty.width()) {
            (Some(arguments), Some(width)) => {
                let value = self.symbolic().external(name, &arguments, width);
                value.map(Meaning::Scalar)
            }
            _ => None,
        };
        if value.is_none() {
            state.skip(Skip::Opaque(name.to_owned()));
        }
        self.bind(state, &used, value.as_ref());
    }

    fn pass_assumption(&mut self, state: &mut State, context: Context<'_>, site: Site<'_>) -> Step {
        let condition = site.arguments.first().copied();
        if let Some(condition) = condition.and_then(|one| self.top(state, context, one)) {
            let width = self.pool.width(condition);
            let zero = self.pool.constant(width, 0);
            let holds = self.pool.ne(condition, zero);
            state.require(&self.pool, holds);
        }
        if state.is_dead() {
            Step::Dead
        } else {
            Step::Done
        }
    }

    fn pass_input_object(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        site: Site<'_>,
        size: Option<u64>,
    ) -> Step {
        let address = site.arguments.first().copied();
        let address = address.and_then(|one| self.top(state, context, one));
        let size = match (size, site.arguments.get(1)) {
            (Some(size), _) => Some(size),
            (None, Some(size)) => {
                let size = self.top(state, context, *size);
                size.and_then(|one| u64::try_from(self.pool.bits(one)?).ok())
            }
            (None, None) => None,
        };
        let (Some(address), Some(size)) = (address, size.filter(|size| *size <= MAX_OBJECT)) else {
            state.inputs_lost = true;
            self.forget_written(state, address);
            state.skip(Skip::Opaque("an input object of unknown size".to_owned()));
            return Step::Done;
        };
        let parts: Vec<ExprId> = match size {
            1 | 2 | 4 | 8 | 16 => vec![self.fresh(8 * size as u32)],
            size => (0..size).map(|_| self.fresh(8)).collect(),
        };
        state.inputs.push(InputObject {
            parts: parts.clone(),
        });
        if size > 0 {
            let length = self.pool.constant(64, u128::from(size));
            let write = Write {
                address,
                length,
                content: Content::Parts(parts),
                guard: None,
            };
            self.write(state, &write);
        }
        Step::Done
    }

    fn pass_input_value(&mut self, state: &mut State, site: Site<'_>, name: &str) -> Step {
        let used = self.used(state, site.instruction);
        let Some((size, boolean)) = input_value(name, site.ty).filter(|(size, _)| *size <= 16)
        else {
            state.inputs_lost = true;
            state.skip(Skip::Opaque(name.to_owned()));
            return Step::Done;
        };
        let part = self.fresh(8 * size as u32);
        state.inputs.push(InputObject { parts: vec![part] });
        if let (Some(used), Some(width)) = (used, site.ty.width()) {
            let mut value = self.symbolic().resize(part, width);
            if boolean {
                let low = self.pool.extract(part, 0, 1);
                value = self.symbolic().resize(low, width);
            }
            self.bind(state, &used, Some(&Meaning::Scalar(value)));
        }
        Step::Done
    }
}

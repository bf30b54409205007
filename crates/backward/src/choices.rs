//! The ways back from the head of a block or the entry of a function (dissertation, algorithm
//! 4.3), those nearest to the entry first.

use labrys_program::{BlockId, Callee, FunctionId, Operation};

use crate::demand::{Base, Overrides};
use crate::effects::{Effects, Pointed, is_callable_from_outside, pointed};
use crate::image::Loop;
use crate::objects::Kind;
use crate::pass::Step;
use crate::precision::Precision;
use crate::state::{Skip, State};

/// What the head of a block offers.
#[derive(Debug)]
pub(crate) enum Head {
    /// One way, without a choice.
    Single(State),
    /// These ways.
    Choices(Vec<State>),
    /// The beginning of the entry function, and further ways to it through its callers.
    Entry(State, Vec<State>),
}

/// Times that a path goes from a function to the same caller.
const MAX_RISES: u32 = 2;
/// Times that a path goes round a cycle that is no loop.
const MAX_TURNS: u32 = 8;

/// Ways that were left out.
pub(crate) type Cuts = std::collections::BTreeSet<String>;

impl Base<'_> {
    /// The ways back from the head of the state's block.
    pub(crate) fn head(
        &mut self,
        mut state: State,
        precision: Precision,
        entry: FunctionId,
        cuts: &mut Cuts,
    ) -> Head {
        let image = self.image;
        let body = image.body(state.function());
        let block = state.block;
        if block == BlockId(0) {
            return self.entry(state, entry, cuts);
        }
        if let Some(natural) = body.loops.get(&block) {
            return Head::Choices(self.loop_ways(&state, natural, precision));
        }
        let mut from = body.predecessors[block.index()].clone();
        if let [only] = from[..] {
            if self.cross(&mut state, only) {
                return Head::Single(state);
            }
            return Head::Choices(Vec::new());
        }
        if precision.merge {
            let mut folded = state.clone();
            if self.fold_join(&mut folded, precision) {
                if folded.is_dead() {
                    return Head::Choices(Vec::new());
                }
                return Head::Single(folded);
            }
        }
        from.sort_by_key(|one| (body.rank[one.index()], *one));
        if body.irreducible {
            let turns = state.frame_mut().turns.entry(block).or_insert(0);
            *turns += 1;
            if *turns > MAX_TURNS {
                cuts.insert("a cycle with several entries".to_owned());
                return Head::Choices(Vec::new());
            }
        }
        Head::Choices(self.ways(&state, from))
    }

    fn ways(&mut self, state: &State, from: impl IntoIterator<Item = BlockId>) -> Vec<State> {
        let mut ways = Vec::new();
        for one in from {
            let mut way = state.clone();
            if self.cross(&mut way, one) {
                ways.push(way);
            }
        }
        ways
    }

    /// Out of the loop, round it once more, or over all of it.
    fn loop_ways(&mut self, state: &State, natural: &Loop, precision: Precision) -> Vec<State> {
        let body = self.image.body(state.function());
        let header = state.block;
        let before = &body.predecessors[header.index()];
        let outside: Vec<BlockId> = before
            .iter()
            .filter(|one| !natural.blocks.contains(one))
            .copied()
            .collect();
        let turns = state.frame().turns.get(&header).copied().unwrap_or(0);
        let mut out = state.clone();
        out.frame_mut().turns.remove(&header);
        let mut ways = self.ways(&out, outside.iter().copied());
        if turns < precision.loops {
            let mut round = state.clone();
            round.frame_mut().turns.insert(header, turns + 1);
            ways.extend(self.ways(&round, natural.latches.iter().copied()));
        } else {
            let mut over = out;
            self.step_over_loop(&mut over, natural);
            ways.extend(self.ways(&over, outside));
        }
        ways
    }

    /// Any number of times round: what the loop changes is anything. Its last way out stays.
    fn step_over_loop(&mut self, state: &mut State, natural: &Loop) {
        let image = self.image;
        let id = state.function();
        let function = image.function(id);
        let header = state.block;
        for phi in &function.blocks[header.index()].phis {
            state.frame_mut().env.remove(&phi.result);
        }
        let (effects, own) = self.loop_effects(id, natural);
        self.havoc(state, &effects);
        let frame = state.frame().id;
        let (pool, objects) = (&mut self.pool, &self.objects);
        state
            .reads
            .retain(|read| match objects.root(pool, read.address) {
                Some((object, _)) => match object.kind {
                    Kind::Stack(owner, value) => owner != frame || !own.contains(&value),
                    _ => true,
                },
                None => own.is_empty(),
            });
        state.inputs_lost |= effects.inputs;
        state.skip(Skip::Loop(id, header));
        let level = state.level;
        let inside = |hop: &crate::state::Hop| {
            hop.level > level || (hop.level == level && natural.blocks.contains(&hop.block))
        };
        while state.hops.len() > 1 && state.hops.last().is_some_and(inside) {
            state.hops.pop();
        }
        state.free_last();
    }

    /// What a loop does, and the function's own stack objects that it writes.
    fn loop_effects(
        &mut self,
        id: FunctionId,
        natural: &Loop,
    ) -> (Effects, std::collections::BTreeSet<labrys_program::ValueId>) {
        let image = self.image;
        let function = image.function(id);
        let mut effects = Effects::default();
        let mut own = std::collections::BTreeSet::new();
        for block in &natural.blocks {
            let instructions = &function.blocks[block.index()].instructions;
            for (index, instruction) in instructions.iter().enumerate() {
                effects.add(image.program, function, &instruction.operation);
                for address in written(&instruction.operation) {
                    match crate::effects::base_object(function, address, 32) {
                        Some(object) => {
                            own.insert(object);
                        }
                        None if matches!(
                            pointed(image.program, function, address, 32),
                            Pointed::Anything
                        ) =>
                        {
                            own.extend(
                                image
                                    .body(id)
                                    .fixed
                                    .iter()
                                    .filter(|one| !image.body(id).private.contains(one)),
                            );
                        }
                        None => {}
                    }
                }
                if !matches!(instruction.operation, Operation::Call { .. }) {
                    continue;
                }
                let calls = image.calls.calls_in(id);
                let call = calls
                    .iter()
                    .find(|one| one.block == *block && one.instruction as usize == index);
                if call.is_none_or(|one| one.open) {
                    effects.absorb(&image.outside, false);
                }
                for callee in call.map_or(&[][..], |one| image.calls.callees(one)) {
                    effects.absorb(image.effects(*callee), false);
                }
            }
        }
        (effects, own)
    }

    /// The entry of the top frame's function.
    fn entry(&mut self, mut state: State, entry: FunctionId, cuts: &mut Cuts) -> Head {
        let image = self.image;
        let frame_id = state.frame().id;
        self.forget_frame(&mut state, frame_id);
        if let Some((block, index)) = state.frame().call {
            return Head::Single(self.back_to_call(state, block, index));
        }
        let id = state.function();
        let mut ways = Vec::new();
        let mut callers: Vec<_> = image.calls.callers(id).cloned().collect();
        callers.sort_by_key(|call| {
            (
                image.depths[call.function.index()],
                call.function,
                call.block,
            )
        });
        for call in callers {
            let key = (call.function, call.block, call.instruction as usize);
            let rises = state.rises.get(&key).copied().unwrap_or(0);
            if image.depths[call.function.index()] == u32::MAX {
                // No chain of calls leads there from the entry.
                continue;
            }
            if rises >= MAX_RISES {
                cuts.insert(format!("recursion of {}", image.function(id).name));
                continue;
            }
            let mut way = state.clone();
            way.rises.insert(key, rises + 1);
            if self.rise(
                &mut way,
                call.function,
                call.block,
                call.instruction as usize,
            ) {
                ways.push(way);
            }
        }
        if is_callable_from_outside(image.function(id)) && id != entry {
            cuts.insert(format!(
                "{} may be called by code that is not known",
                image.function(id).name
            ));
        }
        if id == entry {
            Head::Entry(state, ways)
        } else {
            Head::Choices(ways)
        }
    }

    /// From the entry of a callee to the call by which the path had left its caller.
    fn back_to_call(&mut self, mut state: State, block: BlockId, index: usize) -> State {
        let image = self.image;
        let Some(frame) = state.frames.pop() else {
            return state;
        };
        let caller = image.function(state.function());
        if let Operation::Call { arguments, .. } =
            &caller.blocks[block.index()].instructions[index].operation
        {
            let none = Overrides::default();
            self.bind_parameters(&mut state, &none, &frame.env, arguments, frame.function);
        }
        state.level -= 1;
        state.place(block, index);
        state.hop();
        state
    }

    /// From the entry of a function to a call of it, in a caller that the path was not in.
    fn rise(
        &mut self,
        state: &mut State,
        caller: FunctionId,
        block: BlockId,
        index: usize,
    ) -> bool {
        let image = self.image;
        let frame = self.frame(caller);
        let Some(left) = state.frames.pop() else {
            return false;
        };
        state.frames.push(frame);
        state.level -= 1;
        state.place(block, index);
        state.hop();
        let operation = &image.function(caller).blocks[block.index()].instructions[index].operation;
        if let Operation::Call {
            callee, arguments, ..
        } = operation
        {
            let none = Overrides::default();
            match callee {
                Callee::Direct(id) if *id != left.function => {
                    // A library function calls back, with arguments of its own.
                    self.havoc(state, image.effects(*id));
                    state.skip(Skip::Opaque(image.function(*id).name.clone()));
                    return !state.is_dead();
                }
                Callee::Direct(_) => {}
                Callee::Indirect(address) => {
                    let function = self.function_address(left.function);
                    if let Some(address) = self.scalar(state.frame_mut(), &none, *address) {
                        let same = self.pool.eq(address, function);
                        state.require(&self.pool, same);
                    }
                }
            }
            self.bind_parameters(state, &none, &left.env, arguments, left.function);
        }
        !state.is_dead()
    }

    /// Goes back through the instructions of a block until its head, or a choice.
    pub(crate) fn through_block(&mut self, state: &mut State, precision: Precision) -> Step {
        let image = self.image;
        let none = Overrides::default();
        let context = crate::pass::Context {
            overrides: &none,
            guard: None,
        };
        while state.index > 0 {
            state.index -= 1;
            let (block, index) = (state.block, state.index);
            let function = image.function(state.function());
            let instruction = &function.blocks[block.index()].instructions[index];
            let step = if matches!(instruction.operation, Operation::Call { .. }) {
                self.pass_call(state, context, precision, (block, index), instruction)
            } else {
                self.pass(state, context, instruction)
            };
            match step {
                Step::Done if state.is_dead() => return Step::Dead,
                Step::Done => {}
                other => return other,
            }
        }
        Step::Done
    }
}

/// The addresses that an operation may write to, by operand.
fn written(operation: &Operation) -> Vec<labrys_program::Operand> {
    match operation {
        Operation::Store { address, .. } => vec![*address],
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } if intrinsic.writes_memory() => arguments.first().copied().into_iter().collect(),
        // A callee writes to what it is given, or to what escaped.
        Operation::Call { arguments, .. } => arguments.clone(),
        _ => Vec::new(),
    }
}

//! The ways back from the head of a block or the entry of a function (dissertation, algorithm
//! 4.3), those nearest to the entry first.

use labrys_program::{BlockId, Callee, FunctionId, Operation};
use labrys_semantics::{CallsBack, calls_back};

use crate::demand::{Base, Overrides};
use crate::keep::Kept;
use crate::pass::Step;
use crate::precision::Precision;
use crate::search::Check;
use crate::state::{Skip, State};
use labrys_analysis::Loop;

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
        check: Check<'_>,
    ) -> Head {
        let image = self.image;
        let body = image.body(state.function());
        let block = state.block;
        if block == BlockId(0) {
            return self.entry(state, precision, entry, cuts);
        }
        let natural = body.loop_at(block);
        if let Some(natural) = natural.filter(|_| !precision.coarse) {
            return Head::Choices(self.loop_ways(&state, natural, precision, check));
        }
        let mut from = body.predecessors(block).to_vec();
        if let ([only], None) = (&from[..], natural) {
            let only = *only;
            if self.cross(&mut state, only) {
                return Head::Single(state);
            }
            return Head::Choices(Vec::new());
        }
        if precision.merge && natural.is_none() {
            let mut folded = state.clone();
            if self.fold_join(&mut folded, precision) {
                if self.is_dead(&mut folded) {
                    return Head::Choices(Vec::new());
                }
                return Head::Single(folded);
            }
        }
        if precision.coarse {
            if self.step_over_ways(&mut state) {
                return Head::Single(state);
            }
            return Head::Choices(Vec::new());
        }
        from.sort_by_key(|one| (body.distance_from_entry(*one), *one));
        if body.is_irreducible() {
            let turns = state.frame_mut().turns.entry(block).or_insert(0);
            *turns += 1;
            if *turns > MAX_TURNS {
                cuts.insert("a cycle with several entries".to_owned());
                return Head::Choices(Vec::new());
            }
        }
        Head::Choices(self.ways(&state, from))
    }

    pub(crate) fn ways(
        &mut self,
        state: &State,
        from: impl IntoIterator<Item = BlockId>,
    ) -> Vec<State> {
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
    fn loop_ways(
        &mut self,
        state: &State,
        natural: &Loop,
        precision: Precision,
        check: Check<'_>,
    ) -> Vec<State> {
        let body = self.image.body(state.function());
        let header = state.block;
        let before = body.predecessors(header);
        let outside: Vec<BlockId> = before
            .iter()
            .filter(|one| !natural.contains(**one))
            .copied()
            .collect();
        let turns = state.frame().turns.get(&header).copied().unwrap_or(0);
        let mut out = state.clone();
        out.frame_mut().turns.remove(&header);
        let mut ways = self.ways(&out, outside.iter().copied());
        if turns < precision.loops {
            let mut round = state.clone();
            round.frame_mut().turns.insert(header, turns + 1);
            ways.extend(self.ways(&round, natural.latches().iter().copied()));
        } else {
            let mut over = out;
            let kept = if precision.keep {
                self.kept_by_rounds(&mut over, natural, check)
            } else {
                Kept::default()
            };
            self.step_over_loop(&mut over, natural, kept);
            ways.extend(self.ways(&over, outside));
        }
        ways
    }

    /// The entry of the top frame's function.
    fn entry(
        &mut self,
        mut state: State,
        precision: Precision,
        entry: FunctionId,
        cuts: &mut Cuts,
    ) -> Head {
        let image = self.image;
        let frame_id = state.frame().id;
        self.forget_frame(&mut state, frame_id);
        if let Some((block, index)) = state.frame().call {
            return Head::Single(self.back_to_call(state, block, index));
        }
        let id = state.function();
        if precision.coarse && !self.enters_anew(&mut state) {
            return Head::Choices(Vec::new());
        }
        let mut ways = Vec::new();
        let mut callers: Vec<_> = image.calls().callers(id).cloned().collect();
        callers.sort_by_key(|call| (image.depth(call.function), call.function, call.block));
        for call in callers {
            let key = (call.function, call.block, call.instruction as usize);
            let rises = state.rises.get(&key).copied().unwrap_or(0);
            if image.depth(call.function).is_none() {
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
        if image.is_called_from_outside(id) && id != entry {
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
                    if let CallsBack::AtExit(_) = calls_back(&image.function(*id).name) {
                        state.reads.clear();
                    }
                    let effects = image.effects_of_library_call(caller, (block, index), *id);
                    self.havoc(state, &effects);
                    state.skip(Skip::Opaque(image.function(*id).name.clone()));
                    return !self.is_dead(state);
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
        !self.is_dead(state)
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

//! Predecessors of a state at the head of a block or the entry of a function (dissertation,
//! algorithm 4.3), those nearest to the entry first.

use labrys_analysis::{Body, Loop, Place, ProgramAnalysis};
use labrys_program::{BlockId, Callee, FunctionId, Operation};
use labrys_semantics::{CallsBack, calls_back};

use super::entries::Entries;
use crate::assumptions::Assumption;
use crate::check::Check;
use crate::loops::{self, Cuts, Effort, Exploration, Predecessors};
use crate::path::Skip;
use crate::precision::Precision;
use crate::state::State;
use crate::step::{bind_parameters, cross, cross_all, havoc_loop, havoc_paths, summarize_paths};
use crate::terms::{Overrides, Terms};

/// Times that a path goes from a function to the same caller.
const MAX_RISES: u32 = 2;
/// Iterations of a cycle that is no loop.
const MAX_CYCLES: u32 = 8;

/// Explores code backward; it remembers what all paths of a search share.
#[derive(Debug)]
pub(super) struct Explorer<'p> {
    terms: Terms<'p>,
    entries: Entries,
    effort: Effort,
}

impl<'p> Explorer<'p> {
    pub(super) fn new(analysis: &'p ProgramAnalysis<'p>) -> Self {
        Explorer {
            terms: Terms::new(analysis),
            entries: Entries::default(),
            effort: Effort::default(),
        }
    }

    pub(super) fn shared_terms(&self) -> &Terms<'p> {
        &self.terms
    }

    /// Segments of iterations that were explored for loop invariants.
    pub(super) fn iteration_segments(&self) -> u64 {
        self.effort.segments()
    }

    /// Goes back without a choice: to the only predecessor, or over all paths, summarized or
    /// havocked; whether a run may come from there. `None` if there is a choice.
    fn go_back(&mut self, state: &mut State, precision: &Precision, is_loop: bool) -> Option<bool> {
        let terms = &mut self.terms;
        let body = terms.analysis().body(state.function());
        if let ([only], false) = (body.predecessors(state.block()), is_loop) {
            return Some(cross(terms, state, *only));
        }
        if precision.merge && !is_loop {
            let mut summary = state.clone();
            if summarize_paths(terms, &mut summary, precision) {
                *state = summary;
                return Some(!state.is_infeasible(terms));
            }
        }
        precision.coarse.then(|| havoc_paths(terms, state))
    }

    /// All predecessors of a block, one by one.
    fn all(&mut self, mut state: State, body: &Body, cuts: &mut Cuts) -> Vec<State> {
        let block = state.block();
        let mut predecessors = body.predecessors(block).to_vec();
        predecessors.sort_by_key(|from| (body.distance_from_entry(*from), *from));
        if body.is_irreducible() {
            let count = state.frame().iterations(block) + 1;
            state.frame_mut().set_iterations(block, count);
            if count > MAX_CYCLES {
                cuts.insert("a cycle with several entries".to_owned());
                return Vec::new();
            }
        }
        cross_all(&mut self.terms, &state, predecessors)
    }

    /// Before the loop, in one more iteration, or over all iterations.
    fn loop_predecessors(
        &mut self,
        state: &mut State,
        natural: &Loop,
        precision: &Precision,
        check: Check<'_>,
    ) -> Vec<State> {
        let body = self.terms.analysis().body(state.function());
        let header = state.block();
        // The first passes do without the analysis of values, which looks at the whole program.
        if precision.loops > 0 || precision.invariants {
            loops::require_counters(&mut self.terms, state);
        }
        let entering: Vec<BlockId> = body
            .predecessors(header)
            .iter()
            .filter(|from| !natural.contains(**from))
            .copied()
            .collect();
        let iterations = state.frame().iterations(header);
        let mut outside = state.clone();
        outside.frame_mut().set_iterations(header, 0);
        let mut states = cross_all(&mut self.terms, &outside, entering.iter().copied());
        if iterations < precision.loops {
            let mut inside = state.clone();
            inside.frame_mut().set_iterations(header, iterations + 1);
            let latches = natural.latches().iter().copied();
            states.extend(cross_all(&mut self.terms, &inside, latches));
        } else {
            let mut before = outside;
            let invariant = precision
                .invariants
                .then(|| loops::infer(self, &mut before, natural, check));
            havoc_loop(&mut self.terms, &mut before, natural);
            if let Some(invariant) = invariant {
                invariant.apply(&mut self.terms, &mut before);
            }
            states.extend(cross_all(&mut self.terms, &before, entering));
        }
        states
    }

    /// From the entry of the top frame's function to its calls.
    fn callers(
        &mut self,
        mut state: State,
        precision: &Precision,
        entry: FunctionId,
        cuts: &mut Cuts,
    ) -> Predecessors {
        let analysis = self.terms.analysis();
        let frame = state.frame().id();
        state.memory_mut().havoc_frame(&mut self.terms, frame);
        if let Some(place) = state.frame().call() {
            return Predecessors::Single(self.return_to_call(state, place));
        }
        let id = state.function();
        if precision.coarse && !self.entries.is_new(&mut self.terms, &mut state) {
            return Predecessors::Alternatives(Vec::new());
        }
        if analysis.follows_pointers() && analysis.function(id).address_taken {
            self.terms.assume(Assumption::Memory);
        }
        let mut states = Vec::new();
        let mut calls: Vec<_> = analysis.calls().callers(id).collect();
        calls.sort_by_key(|call| (analysis.depth(call.function), call.function, call.block));
        for call in calls {
            if analysis.depth(call.function).is_none() {
                // No chain of calls leads there from the entry.
                if analysis.follows_pointers() {
                    self.terms.assume(Assumption::Memory);
                }
                continue;
            }
            self.terms.note_failing_checks(call.function);
            let place = (call.block, call.instruction as usize);
            if state.rises(call.function, place) >= MAX_RISES {
                cuts.insert(format!("recursion of {}", analysis.function(id).name));
                continue;
            }
            let mut caller = state.clone();
            caller.rise(call.function, place);
            if self.rise(&mut caller, call.function, place) {
                states.push(caller);
            }
        }
        if analysis.is_called_from_outside(id) && id != entry {
            cuts.insert(format!(
                "{} may be called by code that is not known",
                analysis.function(id).name
            ));
        }
        if id == entry {
            Predecessors::Entry(state, states)
        } else {
            Predecessors::Alternatives(states)
        }
    }

    /// From the entry of a callee to the call by which the path had left its caller.
    fn return_to_call(&mut self, mut state: State, (block, index): Place) -> State {
        let Some(callee) = state.pop_frame() else {
            return state;
        };
        let caller = self.terms.analysis().function(state.function());
        if let Operation::Call { arguments, .. } =
            &caller.blocks[block.index()].instructions[index].operation
        {
            let none = Overrides::default();
            bind_parameters(&mut self.terms, &mut state, &none, &callee, arguments);
        }
        state.trail_mut().leave_callee();
        state.place(block, index);
        state.hop();
        state
    }

    /// From the entry of a function to a call of it, in a caller that the path was not in; whether
    /// a run may have come from there.
    fn rise(&mut self, state: &mut State, caller: FunctionId, (block, index): Place) -> bool {
        let terms = &mut self.terms;
        let analysis = terms.analysis();
        let frame = terms.frame(caller);
        let Some(callee) = state.pop_frame() else {
            return false;
        };
        state.push_frame(frame);
        state.trail_mut().leave_callee();
        state.place(block, index);
        state.hop();
        let block_of_call = &analysis.function(caller).blocks[block.index()];
        let Operation::Call {
            callee: called,
            arguments,
            ..
        } = &block_of_call.instructions[index].operation
        else {
            return !state.is_infeasible(terms);
        };
        let none = Overrides::default();
        match called {
            Callee::Direct(id) if *id != callee.function() => {
                // A library function calls back, with arguments of its own.
                let name = &analysis.function(*id).name;
                if let CallsBack::AtExit(_) = calls_back(name) {
                    state.memory_mut().clobber_all();
                }
                let effects = analysis.effects_of_library_call(caller, (block, index), *id);
                state.memory_mut().havoc(terms, &effects);
                state.skip(Skip::Opaque(name.clone()));
                return !state.is_infeasible(terms);
            }
            Callee::Direct(_) => {}
            Callee::Indirect(address) => {
                let function = terms.function_address(callee.function());
                if let Some(address) = terms.scalar(state.frame_mut(), &none, *address) {
                    let same = terms.pool_mut().eq(address, function);
                    state.require(terms, same);
                }
            }
        }
        bind_parameters(terms, state, &none, &callee, arguments);
        !state.is_infeasible(terms)
    }
}

impl<'p> Exploration<'p> for Explorer<'p> {
    fn terms(&mut self) -> &mut Terms<'p> {
        &mut self.terms
    }

    fn effort(&mut self) -> &mut Effort {
        &mut self.effort
    }

    fn predecessors(
        &mut self,
        mut state: State,
        precision: &Precision,
        entry: FunctionId,
        cuts: &mut Cuts,
        check: Check<'_>,
    ) -> Predecessors {
        let block = state.block();
        if block == BlockId(0) {
            return self.callers(state, precision, entry, cuts);
        }
        let body = self.terms.analysis().body(state.function());
        let natural = body.loop_at(block);
        if let Some(natural) = natural.filter(|_| !precision.coarse) {
            let states = self.loop_predecessors(&mut state, natural, precision, check);
            return Predecessors::Alternatives(states);
        }
        match self.go_back(&mut state, precision, natural.is_some()) {
            Some(true) => Predecessors::Single(state),
            Some(false) => Predecessors::Alternatives(Vec::new()),
            None => Predecessors::Alternatives(self.all(state, body, cuts)),
        }
    }
}

//! Passing a call backward: a function of the program by a summary, or by entering it at its
//! returns; a call through a pointer by each function that the pointer may be; a library function
//! by what it means.

mod library;

use labrys_analysis::{Effects, Place};
use labrys_expr::ExprId;
use labrys_program::{
    Callee, FunctionId, Instruction, Operand, Operation, Terminator, Type, ValueId,
};
use labrys_semantics::environment::is_surrounding;

use super::called::{call_may_write, havoc_call};
use super::{Context, Step, block_summary, result_type};
use crate::assumptions::Assumption;
use crate::path::Skip;
use crate::precision::Precision;
use crate::state::State;
use crate::terms::{Frame, Overrides, SymbolicValue, Terms, pair_scalars};

/// Calls in calls that a path enters.
const MAX_FRAMES: usize = 64;
/// Expressions that may be made to say whether a call returns, if nothing else is asked of it.
const RETURN_NODES: u64 = 300;

/// Passes the call at a place of the top frame.
pub(super) fn pass_call(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    place: Place,
    instruction: &Instruction,
) -> Step {
    let Operation::Call {
        callee, arguments, ..
    } = &instruction.operation
    else {
        return Step::Refused;
    };
    let mut step = CallStep {
        place,
        result: instruction.result,
        arguments,
        ty: result_type(terms, state, instruction),
        context,
        terms,
        state,
    };
    match callee {
        Callee::Direct(id) => step.pass(*id),
        Callee::Indirect(address) => step.pass_indirect(*address),
    }
}

/// A step backward over a call instruction.
struct CallStep<'s, 't, 'p> {
    terms: &'t mut Terms<'p>,
    /// The state behind the call, and then before it.
    state: &'t mut State,
    context: Context<'s>,
    place: Place,
    /// The value that the result defines.
    result: Option<ValueId>,
    arguments: &'s [Operand],
    /// The type of the result.
    ty: Type,
}

impl<'s, 'p> CallStep<'s, '_, 'p> {
    /// The same step on another state.
    fn on<'t>(&'t mut self, state: &'t mut State) -> CallStep<'s, 't, 'p> {
        CallStep {
            terms: &mut *self.terms,
            state,
            ..*self
        }
    }

    /// An operand in the top frame.
    fn scalar(&mut self, operand: Operand) -> Option<ExprId> {
        self.context.scalar(self.terms, self.state, operand)
    }

    /// All arguments in the top frame; `None` if one of them has no expression.
    fn scalars(&mut self) -> Option<Vec<ExprId>> {
        let arguments = self.arguments.iter();
        arguments.map(|argument| self.scalar(*argument)).collect()
    }

    /// Whether code with these effects may write what is read later.
    fn may_write(&mut self, effects: &Effects) -> bool {
        let overrides = self.context.overrides;
        call_may_write(self.terms, self.state, overrides, effects, self.arguments)
    }

    /// Passes a call of this function.
    fn pass(&mut self, id: FunctionId) -> Step {
        if self.terms.analysis().function(id).defined {
            self.pass_defined(id)
        } else {
            self.pass_library(id)
        }
    }

    /// Passes a call through a pointer: one state for each function that the address may be of.
    fn pass_indirect(&mut self, address: Operand) -> Step {
        let analysis = self.terms.analysis();
        let caller = self.state.function();
        let (effects, may_leave) = analysis.effects_of_indirect_call(caller, self.place);
        let is_concerned = may_leave
            || self.state.uses(self.result)
            || effects.makes_inputs()
            || self.state.memory().is_concerned(self.terms, &effects);
        if !is_concerned {
            return Step::Done;
        }
        if self.context.guard.is_some() {
            return Step::Refused;
        }
        if self.context.precision.coarse {
            return self.havoc(&effects, "a function by its address");
        }
        let Some(address) = self.scalar(address) else {
            return self.havoc(&effects, "a function that is not known");
        };
        if analysis.follows_pointers() {
            self.terms.assume(Assumption::Memory);
        }
        let call = analysis.call_at(caller, self.place);
        let candidates = call.map_or(&[][..], |call| analysis.calls().callees(call));
        let mut states = Vec::new();
        for id in candidates {
            let mut before = self.state.clone();
            let function = self.terms.function_address(*id);
            let same = self.terms.pool_mut().eq(address, function);
            before.require(self.terms, same);
            if before.is_infeasible(self.terms) {
                continue;
            }
            match self.on(&mut before).pass(*id) {
                Step::Done => states.push(before),
                Step::Fork(more) => states.extend(more),
                Step::Infeasible => {}
                Step::Refused => return Step::Refused,
            }
        }
        if may_leave {
            let mut before = self.state.clone();
            self.on(&mut before)
                .havoc(&effects, "a function that is not known");
            states.push(before);
        }
        Step::Fork(states)
    }

    /// Goes before a call without following it.
    fn havoc(&mut self, effects: &Effects, name: &str) -> Step {
        let (terms, state) = (&mut *self.terms, &mut *self.state);
        havoc_call(terms, state, self.result, self.arguments, effects, name);
        Step::Done
    }

    /// Passes a call of a function of the program.
    fn pass_defined(&mut self, id: FunctionId) -> Step {
        let analysis = self.terms.analysis();
        let Context {
            precision, guard, ..
        } = self.context;
        let effects = analysis.effects(id);
        let used = self.state.uses(self.result);
        let writes = self.may_write(effects);
        let matters = used || effects.makes_inputs() || writes;
        if is_surrounding(&analysis.function(id).name) {
            // What stands for a function of the library does not say what that sets.
            let effects = Effects::of_error_number();
            self.state.memory_mut().havoc(self.terms, &effects);
        }
        if !matters && !effects.may_stop() {
            return Step::Done;
        }
        let shallow = self.state.depth() < MAX_FRAMES;
        let is_sayable = shallow && !effects.may_repeat() && !effects.makes_inputs();
        if !matters && guard.is_none() {
            // All that is asked is whether it returns.
            let brief = Precision {
                nodes: precision.nodes.min(RETURN_NODES),
                ..*precision
            };
            if is_sayable {
                self.replace(id, &brief);
            }
            return Step::Done;
        }
        if precision.merge && is_sayable && self.replace(id, precision) {
            return Step::Done;
        }
        if guard.is_some() {
            return Step::Refused;
        }
        let function = analysis.function(id);
        let too_deep = self.state.depth_of(id) > precision.recursion as usize || !shallow;
        let coarse = !precision.enter && !effects.makes_inputs();
        if too_deep || coarse || function.variadic {
            return self.havoc(effects, &function.name);
        }
        Step::Fork(self.enter(id))
    }

    /// The states inside of a callee: one for each return of it.
    fn enter(&mut self, id: FunctionId) -> Vec<State> {
        let terms = &mut *self.terms;
        terms.note_failing_checks(id);
        let analysis = terms.analysis();
        let mut states = Vec::new();
        for (block_id, block) in analysis.function(id).blocks() {
            let Terminator::Return(value) = &block.terminator else {
                continue;
            };
            if !analysis.body(id).is_reachable(block_id) {
                continue;
            }
            let mut inside = self.state.clone();
            inside.place(self.place.0, self.place.1);
            let used = inside.take(self.result);
            inside.trail_mut().enter_callee();
            inside.push_frame(terms.frame(id).entered_by(self.place));
            inside.place(block_id, block.instructions.len());
            inside.hop();
            let fits = analysis.function(id).result == self.ty;
            if let (Some(used), Some(value), true) = (used, value, fits) {
                let value = terms.value(inside.frame_mut(), &Overrides::default(), *value);
                inside.bind(terms, &used, value.as_ref());
            }
            if !inside.is_infeasible(terms) {
                states.push(inside);
            }
        }
        states
    }

    /// Replaces the call by what it computes; `false`, and the state is as before, if that cannot be
    /// said in expressions.
    fn replace(&mut self, id: FunctionId, precision: &Precision) -> bool {
        let mut before = self.state.clone();
        let is_said = self.on(&mut before).summarize(id, precision).is_some();
        if is_said {
            *self.state = before;
        }
        is_said
    }

    /// As [`replace`](Self::replace); the state is spoiled if it cannot be said.
    fn summarize(&mut self, id: FunctionId, precision: &Precision) -> Option<()> {
        let (terms, state, context) = (&mut *self.terms, &mut *self.state, self.context);
        let used = state.take(self.result);
        // A call by another type gets other bits than those that are returned.
        let used = used.filter(|_| terms.analysis().function(id).result == self.ty);
        let place = (state.block(), state.index());
        state.push_frame(terms.frame(id));
        let (guard, result) = (context.guard, used.as_ref());
        block_summary::summarize_body(terms, state, precision, guard, result, super::pass)?;
        let frame = state.pop_frame()?;
        state.memory_mut().havoc_frame(terms, frame.id());
        bind_parameters(terms, state, context.overrides, &frame, self.arguments);
        state.place(place.0, place.1);
        Some(())
    }
}

/// Parameters that the path in a callee uses are the arguments of the call, in the top frame.
pub(crate) fn bind_parameters(
    terms: &mut Terms<'_>,
    state: &mut State,
    overrides: &Overrides,
    callee: &Frame,
    arguments: &[Operand],
) {
    let function = terms.analysis().function(callee.function());
    let mut pairs = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let Some(used) = callee.get(ValueId::new(index)) else {
            continue;
        };
        if parameter.by_value.is_some() {
            state.skip(Skip::Opaque("a structure passed by value".to_owned()));
            continue;
        }
        let caller = terms.analysis().function(state.function());
        if !terms
            .program()
            .argument_fits(caller, arguments, function, index)
        {
            state.skip(Skip::Opaque("an argument of another type".to_owned()));
            continue;
        }
        let argument: Option<SymbolicValue> = arguments
            .get(index)
            .and_then(|argument| terms.value(state.frame_mut(), overrides, *argument));
        if let Some(argument) = argument {
            pair_scalars(used, &argument, &mut pairs);
        }
    }
    state.substitute(terms, &pairs);
}

//! Steps backward: the state before an instruction, a block, or an edge between blocks, given the
//! state after it (dissertation, algorithm 4.2, with memory).
//!
//! Law: a step loses no run. What it does not follow it havocks.

mod block_summary;
mod call;
mod called;
mod edge;
mod havoc;
mod instruction;
mod strings;

use labrys_analysis::Place;
use labrys_expr::ExprId;
use labrys_program::{Instruction, Operand, Operation, Type};

use crate::precision::Precision;
use crate::state::State;
use crate::terms::{Overrides, Terms};

pub(crate) use block_summary::summarize_paths;
pub(crate) use call::bind_parameters;
pub(crate) use edge::{cross, cross_all, cross_branch};
pub(crate) use havoc::{havoc_blocks, havoc_loop, havoc_paths};

/// What came of a step.
#[derive(Debug)]
pub(crate) enum Step {
    /// The state is before the instruction.
    Done,
    /// No run takes this path.
    Infeasible,
    /// There are several states before the instruction; these are all.
    Fork(Vec<State>),
    /// The step cannot be taken under a guard.
    Refused,
}

/// The circumstances of a step.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) precision: &'a Precision,
    /// Values that are known otherwise.
    pub(crate) overrides: &'a Overrides,
    /// Whether the instruction is executed at all; `None`: it is.
    pub(crate) guard: Option<ExprId>,
}

impl Context<'_> {
    /// An operand in the top frame.
    fn scalar(self, terms: &mut Terms<'_>, state: &mut State, operand: Operand) -> Option<ExprId> {
        terms.scalar(state.frame_mut(), self.overrides, operand)
    }
}

/// Goes back through the instructions of a block until its head, or until paths part.
pub(crate) fn pass_block(terms: &mut Terms<'_>, state: &mut State, precision: &Precision) -> Step {
    let overrides = Overrides::default();
    let context = Context {
        precision,
        overrides: &overrides,
        guard: None,
    };
    while state.step_back() {
        let (block, index) = (state.block(), state.index());
        let function = terms.analysis().function(state.function());
        let instruction = &function.blocks[block.index()].instructions[index];
        match pass(terms, state, context, (block, index), instruction) {
            Step::Done if state.conditions().has_false() => return Step::Infeasible,
            Step::Done => {}
            other => return other,
        }
    }
    Step::Done
}

/// Passes the instruction at a place of the top frame.
fn pass(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    place: Place,
    instruction: &Instruction,
) -> Step {
    if matches!(instruction.operation, Operation::Call { .. }) {
        call::pass_call(terms, state, context, place, instruction)
    } else {
        instruction::pass_instruction(terms, state, context, instruction)
    }
}

/// The type of the result of an instruction of the top frame.
fn result_type(terms: &Terms<'_>, state: &State, instruction: &Instruction) -> Type {
    let function = terms.analysis().function(state.function());
    let ty = instruction
        .result
        .and_then(|result| function.value_type(result));
    ty.unwrap_or_default()
}

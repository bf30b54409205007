//! Large blocks: what runs do from one location to the next, as formulas (Beyer, Cimatti, Griggio,
//! Keremoglu, Sebastiani, Software model checking via large-block encoding, FMCAD 2009).
//!
//! A [`Location`] is the head of a cycle of control flow in a call stack, or the beginning of the
//! program. A [`LargeBlock`] holds all paths from a location to the next ones, with the calls on
//! them: paths join as choices in expressions, so the block has as many formulas as it has places,
//! not paths. Everything is said over the variables and the local symbols at its beginning.
//!
//! Law: for each run from the location there are values of the local symbols under which the
//! conditions of the places that it comes to are true, and those of the others false, and the
//! values of a [`Transition`] are the run's. What is not known is havocked.

mod builder;
mod order;
mod values;

use labrys_expr::ExprId;
use labrys_program::{BlockId, BranchId, FunctionId, Operation, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::Memory;
use crate::terms::{FrameId, ObjectKind, SymbolicValue, Terms, Variable};

pub(crate) use builder::{TooLarge, build};
pub(crate) use order::Orders;
use values::Values;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Location {
    pub(crate) frame: FrameId,
    pub(crate) block: BlockId,
}

/// A branch at a place of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub(crate) branch: BranchId,
    /// Under which a run from the location takes it.
    pub(crate) condition: ExprId,
    /// The frame of the decision.
    pub(crate) frame: FrameId,
}

/// The way to a location.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) target: Location,
    /// Under which a run from the location comes there next.
    pub(crate) condition: ExprId,
    /// Values of the phis at the target.
    phis: FxHashMap<ValueId, SymbolicValue>,
    memory: Memory,
}

/// An input object that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Under which it is.
    pub(crate) condition: ExprId,
    /// Symbols of some bytes each; `None` if their number is not known.
    pub(crate) parts: Option<Vec<ExprId>>,
}

/// Where the execution of a block begins, and what is known there.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) location: Location,
    memory: Memory,
    /// Values that were defined before.
    values: Values,
    /// Values of the phis.
    phis: FxHashMap<ValueId, SymbolicValue>,
}

impl Beginning {
    /// At a location; `starts` if runs start there.
    pub(crate) fn new(location: Location, starts: bool) -> Self {
        Beginning {
            location,
            memory: Memory::new(starts),
            values: Values::default(),
            phis: FxHashMap::default(),
        }
    }
}

/// A call that the block does not follow.
#[derive(Clone, Debug)]
pub(crate) struct Escape {
    /// Under which it happens.
    pub(crate) condition: ExprId,
    /// Functions that it may run, with all that they call.
    pub(crate) functions: Vec<FunctionId>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LargeBlock {
    pub(crate) occurrences: Vec<Occurrence>,
    /// By target.
    pub(crate) transitions: Vec<Transition>,
    /// In the order in which runs make them.
    pub(crate) requests: Vec<Request>,
    pub(crate) escapes: Vec<Escape>,
    /// Frames whose code is a part of the block from their beginning.
    pub(crate) entered: FxHashSet<FrameId>,
    values: Values,
}

impl LargeBlock {
    /// What is known behind a transition, on the path that begins where the block does.
    pub(crate) fn beginning_behind(&self, transition: &Transition) -> Beginning {
        Beginning {
            location: transition.target,
            memory: transition.memory.clone(),
            values: self.values.clone(),
            phis: transition.phis.clone(),
        }
    }

    /// The value of a variable at the end of a transition.
    pub(crate) fn after(
        &self,
        terms: &mut Terms<'_>,
        transition: &Transition,
        variable: Variable,
        symbol: ExprId,
    ) -> ExprId {
        match variable {
            Variable::Cell(object, offset, size) => transition
                .memory
                .clone()
                .read_cell(terms, object, offset, size),
            Variable::Value(frame, value, part) => {
                let phi = (frame == transition.target.frame)
                    .then(|| transition.phis.get(&value))
                    .flatten();
                let known = || self.values.defined(frame, value);
                let known = phi.or_else(known).map(SymbolicValue::scalars);
                let scalar = known.and_then(|scalars| scalars.get(part as usize).copied());
                let width = terms.pool().width(symbol);
                scalar
                    .filter(|id| terms.pool().width(*id) == width)
                    .unwrap_or(symbol)
            }
        }
    }
}

/// Whether a value of a frame is the address of an object that the frame makes.
fn frame_object(terms: &mut Terms<'_>, frame: FrameId, value: ValueId) -> Option<ExprId> {
    let function = terms.frame(frame).function;
    let body = terms.analysis().body(function);
    if !body.frame_objects().contains(&value) {
        return None;
    }
    let id = terms.object_id(ObjectKind::Stack(frame, value));
    Some(terms.object(id).address)
}

/// Whether an operation is computed from its operands alone.
fn is_pure(operation: &Operation) -> bool {
    !matches!(
        operation,
        Operation::Load { .. }
            | Operation::Store { .. }
            | Operation::Allocate { .. }
            | Operation::Call { .. }
            | Operation::VariableArgument(_)
            | Operation::Opaque { .. }
    )
}

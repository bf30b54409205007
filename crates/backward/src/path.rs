//! Paths from the entry to a target, as the search finds them.

use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId};
use labrys_semantics::environment::InputPart;
use labrys_solver::Model;

/// A place in the program: before an instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// Index of the instruction.
    pub instruction: usize,
}

/// A block of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Depth of the call stack, relative to the target's.
    pub level: i32,
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// Whether anything may happen between the block before and this one.
    pub free: bool,
    /// Whether control comes back to the middle of the block, from a call.
    pub resumed: bool,
}

/// Something that a path goes over without following it: its effects are havocked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// A loop, with any number of iterations.
    Loop(FunctionId, BlockId),
    /// The paths to a block of a function.
    Paths(FunctionId, BlockId),
    /// A call of a function.
    Call(String),
    /// An operation or library function without a model.
    Opaque(String),
    /// A constraint that the solver gave up on.
    Unsolved,
    /// A constraint that was dropped: it was too large, or could not matter any more.
    Forgotten,
    /// Memory of the outside world, such as arguments of the program.
    Outside(String),
}

/// A path from the entry to a target, with the solver's model of its input.
#[derive(Clone, Debug)]
pub struct Path {
    /// Blocks from the entry on.
    pub hops: Vec<Hop>,
    /// Where the path ends.
    pub target: Point,
    /// Input objects in order; each is made of symbols of whole bytes.
    pub objects: Vec<Vec<ExprId>>,
    /// Parts of the program's input at offsets, in order.
    pub inputs: Vec<(InputPart, u64, ExprId)>,
    /// Values of symbols; none if the solver gave up.
    pub model: Option<Model>,
    /// What the path does not follow.
    pub skips: Vec<Skip>,
    /// Whether the program may ask for more input objects than the path shows.
    pub inputs_lost: bool,
}

//! The state of a search path: what must hold at the place that the path has come to, going
//! backward from the target (dissertation, section 4.2).
//!
//! Invariant: every run that passes the place and then takes the path satisfies all constraints,
//! where each symbol stands for the value that it has in that run. What a step does not know, it
//! leaves to a symbol without constraints. So a state whose constraints cannot be satisfied
//! proves that no run takes the path.

use std::collections::BTreeMap;
use std::rc::Rc;

use labrys_expr::{ExprId, Pool, Symbol};
use labrys_program::{BlockId, FunctionId, ValueId};
use labrys_semantics::Meaning;
use labrys_solver::Model;
use rustc_hash::FxHashSet;

/// Values of SSA values.
pub(crate) type Known = Meaning<ExprId>;

/// A call on the stack.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Tells frames of one function apart.
    pub(crate) id: u32,
    pub(crate) function: FunctionId,
    /// The call in the frame below that this one was entered by; none for the first.
    pub(crate) call: Option<(BlockId, usize)>,
    /// Symbols of values that are used later on the path and not yet defined.
    pub(crate) env: BTreeMap<ValueId, Known>,
    /// How often the path goes round each loop.
    pub(crate) turns: BTreeMap<BlockId, u32>,
}

/// Bytes of memory that are used later on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) address: ExprId,
    /// Bytes, 1 to 16.
    pub(crate) size: u32,
    /// The symbol that stands for them.
    pub(crate) symbol: ExprId,
}

/// An input object: its bytes as symbols, in order.
#[derive(Clone, Debug)]
pub(crate) struct InputObject {
    pub(crate) parts: Vec<ExprId>,
}

/// A block of the path.
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

/// Something that the path steps over without knowing what it does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// A loop, any number of times round.
    Loop(FunctionId, BlockId),
    /// The ways to a block of a function.
    Ways(FunctionId, BlockId),
    /// A call of a function.
    Call(String),
    /// An operation or library function without a model.
    Opaque(String),
    /// A constraint that the solver gave up on.
    Unsolved,
    /// A constraint that was forgotten: it was too large, or could not matter any more.
    Forgotten,
    /// Memory of the outside world, such as arguments of the program.
    Outside(String),
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) frames: Vec<Frame>,
    pub(crate) constraints: Vec<ExprId>,
    /// What symbols turned out to be, not yet put into the constraints: see `substitute`.
    pub(crate) pending: Vec<(Symbol, ExprId)>,
    pub(crate) reads: Vec<Read>,
    /// In backward order.
    pub(crate) inputs: Vec<InputObject>,
    /// In backward order.
    pub(crate) hops: Vec<Hop>,
    pub(crate) skips: Vec<Skip>,
    /// Whether objects may have been made on the way that are not in `inputs`.
    pub(crate) inputs_lost: bool,
    pub(crate) level: i32,
    /// Where the path has come to: before this instruction of this block.
    pub(crate) block: BlockId,
    pub(crate) index: usize,
    /// How often the path goes from a function to each of its callers.
    pub(crate) rises: BTreeMap<(FunctionId, BlockId, usize), u32>,
    /// Constraints that are known to be satisfiable together.
    pub(crate) satisfiable: Rc<FxHashSet<ExprId>>,
    /// Values that the solver gave to symbols of constraints like these.
    pub(crate) model: Rc<Model>,
    /// The solver gave up on these constraints, or on some before them.
    pub(crate) hard: bool,
}

impl State {
    pub(crate) fn new(frame: Frame, block: BlockId, index: usize) -> Self {
        let hop = Hop {
            level: 0,
            function: frame.function,
            block,
            free: false,
            resumed: false,
        };
        State {
            frames: vec![frame],
            constraints: Vec::new(),
            pending: Vec::new(),
            reads: Vec::new(),
            inputs: Vec::new(),
            hops: vec![hop],
            skips: Vec::new(),
            inputs_lost: false,
            level: 0,
            block,
            index,
            rises: BTreeMap::new(),
            satisfiable: Rc::default(),
            model: Rc::default(),
            hard: false,
        }
    }

    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("a state has a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a state has a frame")
    }

    pub(crate) fn function(&self) -> FunctionId {
        self.frame().function
    }

    /// Goes to the end of a block, or before an instruction of it.
    pub(crate) fn place(&mut self, block: BlockId, index: usize) {
        self.block = block;
        self.index = index;
    }

    /// Notes that the path goes through the block of the place.
    pub(crate) fn hop(&mut self) {
        self.hops.push(Hop {
            level: self.level,
            function: self.function(),
            block: self.block,
            free: false,
            resumed: false,
        });
    }

    /// The way from here to the path so far is open.
    pub(crate) fn free_last(&mut self) {
        if let Some(last) = self.hops.last_mut() {
            last.free = true;
        }
    }

    pub(crate) fn require(&mut self, pool: &Pool, condition: ExprId) {
        if pool.bits(condition) != Some(1) && !self.constraints.contains(&condition) {
            self.constraints.push(condition);
        }
    }

    /// Whether a constraint is false on its face.
    pub(crate) fn is_dead(&self) -> bool {
        self.constraints.contains(&ExprId::FALSE)
    }

    pub(crate) fn skip(&mut self, skip: Skip) {
        if !self.skips.contains(&skip) {
            self.skips.push(skip);
        }
    }
}

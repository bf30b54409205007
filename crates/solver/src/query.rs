//! What a solver is asked and what it answers.
//!
//! Laws: a [`Model`], with the hint's values for the symbols that it does not name, makes every
//! constraint of its query true; the constraints of a [`Core`] cannot all be true.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use labrys_expr::{Environment, ExprId, Pool, Symbol, Value};

use crate::functions;

/// When a solver has to stop.
///
/// Steps are counted alike on every machine, so what is given up by steps is given up everywhere;
/// the time is for those who have no more of it.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Most steps for one query, about [`Budget::STEPS_PER_SECOND`]; `None` is no limit.
    pub steps: Option<u64>,
    /// Longest time for one query; `None` is no limit.
    pub timeout: Option<Duration>,
    /// Stop soon after this becomes true.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Nodes and gates that a solver went through beside its steps: no limit, but what the query
    /// cost (see [`crate::Statistics::work`]).
    pub visits: u64,
}

impl Budget {
    /// About how many steps are done in a second: 8,000 to 32,000 were measured in searches of seven
    /// programs.
    pub const STEPS_PER_SECOND: u64 = 20_000;

    /// A budget of this much time.
    #[must_use]
    pub fn timeout(timeout: Duration) -> Self {
        Budget {
            timeout: Some(timeout),
            ..Budget::default()
        }
    }

    /// A budget of so many steps.
    #[must_use]
    pub fn steps(steps: u64) -> Self {
        Budget {
            steps: Some(steps),
            ..Budget::default()
        }
    }

    /// Takes off steps that were done or are to be done now; were there so many left?
    pub fn spend(&mut self, steps: u64) -> bool {
        let enough = self.steps.is_none_or(|left| left >= steps);
        self.steps = self.steps.map(|left| left.saturating_sub(steps));
        enough
    }

    /// Whether the query was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel
            .as_ref()
            .is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// Constraints that shall all be true.
#[derive(Debug)]
pub struct Query<'a> {
    /// Where the constraints are.
    pub pool: &'a mut Pool,
    /// One-bit expressions. The last is the goal: the one that is new, against the values of
    /// the hint.
    pub constraints: Vec<ExprId>,
    /// Values to stay near to: those of the input whose path is explored.
    pub hint: &'a Assignment,
    /// When to stop. A solver takes off the steps that it did.
    pub budget: Budget,
}

/// What is known of the constraints of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They can all be true, for example so.
    Sat(Model),
    /// They cannot all be true; already these cannot.
    Unsat(Core),
    /// The solver gave up.
    Unknown(Reason),
}

/// Values of symbols. A symbol that is not named keeps the hint's value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model(pub BTreeMap<Symbol, u128>);

impl Model {
    /// The value of a symbol, where the model names it.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> Option<u128> {
        self.0.get(&symbol).copied()
    }

    /// The symbols with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, u128)> + '_ {
        self.0.iter().map(|(symbol, value)| (*symbol, *value))
    }
}

/// Indices of constraints of a query, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core(pub Vec<usize>);

/// Why a solver gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The steps were used up.
    Steps,
    /// The time was over.
    Timeout,
    /// The memory was used up.
    Memory,
    /// The query was cancelled.
    Cancelled,
    /// The solver cannot handle something in the query.
    Unsupported(String),
    /// The model found does not satisfy the query: an error of ours, or of the solver.
    InvalidModel,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Steps => f.write_str("out of steps"),
            Reason::Timeout => f.write_str("out of time"),
            Reason::Memory => f.write_str("out of memory"),
            Reason::Cancelled => f.write_str("cancelled"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
            Reason::InvalidModel => f.write_str("the model does not satisfy the query"),
        }
    }
}

/// Answers queries. The same sequence of queries gets the same answers, timeouts aside.
pub trait Solver {
    /// Whether the constraints of `query` can all be true. Leaves the constraints as they are.
    fn check(&mut self, query: &mut Query<'_>) -> Answer;

    /// Values that come near to making the constraints of the last query true, if that was given
    /// up and such values are known. Not a model: some constraints are false under them.
    fn nearest(&mut self) -> Option<Model> {
        None
    }
}

/// A back end that knows nothing, for the layers before it alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBackend;

impl Solver for NoBackend {
    fn check(&mut self, _query: &mut Query<'_>) -> Answer {
        Answer::Unknown(Reason::Unsupported("there is no back end".into()))
    }
}

/// Values for all symbols: the bytes of streams, their lengths, others; 0 where nothing is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    streams: Vec<Vec<u8>>,
    others: BTreeMap<Symbol, u128>,
    /// Value of the symbols that have no other.
    default: u128,
}

impl Assignment {
    /// All zeros.
    #[must_use]
    pub fn new() -> Self {
        Assignment::default()
    }

    /// The same value for all symbols, cut to their widths.
    pub(crate) fn constant(default: u128) -> Self {
        Assignment {
            default,
            ..Assignment::default()
        }
    }

    /// The bytes and the lengths of streams; the position of a stream is its id.
    pub fn from_streams<B: Into<Vec<u8>>>(streams: impl IntoIterator<Item = B>) -> Self {
        let streams = streams.into_iter().map(Into::into).collect();
        Assignment {
            streams,
            ..Assignment::default()
        }
    }

    /// The value of a symbol. The length of a stream is the number of its bytes if it was not
    /// set otherwise.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> u128 {
        if let Symbol::Byte { stream, offset } = symbol {
            let bytes = self.streams.get(usize::from(stream));
            if let Some(byte) = bytes.and_then(|bytes| bytes.get(offset as usize)) {
                return u128::from(*byte);
            }
        }
        match (self.others.get(&symbol), symbol) {
            (Some(value), _) => *value,
            (None, Symbol::Length { stream }) => self
                .streams
                .get(usize::from(stream))
                .map_or(self.default, |bytes| bytes.len() as u128),
            (None, _) => self.default,
        }
    }

    /// Sets the value of a symbol.
    pub fn set(&mut self, symbol: Symbol, value: u128) {
        if let Symbol::Byte { stream, offset } = symbol {
            let bytes = self.streams.get_mut(usize::from(stream));
            if let Some(byte) = bytes.and_then(|bytes| bytes.get_mut(offset as usize)) {
                *byte = value as u8;
                return;
            }
        }
        self.others.insert(symbol, value);
    }

    /// This assignment with the values that `model` names.
    #[must_use]
    pub fn with(&self, model: &Model) -> Self {
        let mut changed = self.clone();
        for (symbol, value) in model.iter() {
            changed.set(symbol, value);
        }
        changed
    }
}

impl Environment for Assignment {
    fn symbol(&self, symbol: Symbol) -> u128 {
        self.get(symbol)
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        functions::call(name, arguments, width)
    }
}

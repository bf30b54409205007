//! Evaluation under an assignment of the symbols.
//!
//! Iterative; each node is computed once per assignment. A value is unknown where an external
//! call is that the environment cannot answer, and where it depends on such a one; a choice
//! depends on the branch that is taken, not on the other, and a conjunction with a false operand
//! is false whatever the other is (a disjunction likewise): what the pool makes of a choice is
//! known where the choice is.

use crate::bits::mask;
use crate::fold;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;
use crate::symbol::Symbol;
use crate::value::Value;

/// Where an evaluation finds the values of symbols and of external calls.
pub trait Environment {
    /// The value of a symbol; bits above its width are ignored.
    fn symbol(&self, symbol: Symbol) -> u128;

    /// The result of a pure external function, `width` bits; `None` if it is not known.
    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        let _ = (name, arguments, width);
        None
    }
}

impl<F: Fn(Symbol) -> u128> Environment for F {
    fn symbol(&self, symbol: Symbol) -> u128 {
        self(symbol)
    }
}

/// The value of one expression, `None` if it is unknown. For more than a few use an
/// [`Evaluator`].
#[must_use]
pub fn evaluate(pool: &Pool, id: ExprId, environment: &dyn Environment) -> Option<Value> {
    Evaluator::new().evaluate(pool, id, environment)
}

/// Computes values and remembers them until [`reset`](Evaluator::reset), for one pool and one
/// assignment at a time.
#[derive(Debug)]
pub struct Evaluator {
    /// Values by node; those whose stamp is `epoch` are known, `epoch + 1` unknown.
    values: Vec<u128>,
    stamps: Vec<u32>,
    epoch: u32,
    stack: Vec<ExprId>,
    computed: u64,
}

/// What is known of an operand.
#[derive(Clone, Copy)]
enum State {
    Todo,
    Unknown,
    Known(u128),
}

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator::new()
    }
}

impl Evaluator {
    /// An evaluator that knows nothing.
    #[must_use]
    pub fn new() -> Self {
        Evaluator {
            values: Vec::new(),
            stamps: Vec::new(),
            epoch: 1,
            stack: Vec::new(),
            computed: 0,
        }
    }

    /// Values that were computed so far, in nodes.
    #[must_use]
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Forgets all values, to go on with another assignment or pool. Cheap.
    pub fn reset(&mut self) {
        if self.epoch >= u32::MAX - 3 {
            self.stamps.fill(0);
            self.epoch = 1;
        } else {
            self.epoch += 2;
        }
    }

    /// The value of `id`; `None` if it is unknown. Between two resets, pool and environment must
    /// stay the same, but the pool may grow.
    pub fn evaluate(
        &mut self,
        pool: &Pool,
        id: ExprId,
        environment: &dyn Environment,
    ) -> Option<Value> {
        if self.stamps.len() < pool.len() {
            self.stamps.resize(pool.len(), 0);
            self.values.resize(pool.len(), 0);
        }
        self.stack.push(id);
        while let Some(&top) = self.stack.last() {
            if !matches!(self.state(top), State::Todo) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let result = self.compute(pool, pool.node(top), environment);
            if self.stack.len() == before {
                self.stack.pop();
                self.record(top, result);
            }
        }
        match self.state(id) {
            State::Known(bits) => Some(Value::new(pool.width(id), bits)),
            _ => None,
        }
    }

    /// Whether the one-bit expression `id` is known to be true.
    pub fn holds(&mut self, pool: &Pool, id: ExprId, environment: &dyn Environment) -> bool {
        self.evaluate(pool, id, environment)
            .is_some_and(Value::is_true)
    }

    #[inline]
    fn state(&self, id: ExprId) -> State {
        match self.stamps[id.index()] {
            stamp if stamp == self.epoch => State::Known(self.values[id.index()]),
            stamp if stamp == self.epoch + 1 => State::Unknown,
            _ => State::Todo,
        }
    }

    fn record(&mut self, id: ExprId, result: Option<u128>) {
        self.stamps[id.index()] = self.epoch + u32::from(result.is_none());
        self.values[id.index()] = result.unwrap_or(0);
        self.computed += 1;
    }

    /// The bits of a node, or `None` if they are unknown; or operands that were not computed yet
    /// are on the stack now, and the result means nothing.
    fn compute(&mut self, pool: &Pool, node: &Node, environment: &dyn Environment) -> Option<u128> {
        match node.op {
            Op::Const => pool.bits_of_constant(node),
            Op::Symbol => Some(environment.symbol(node.symbol()) & mask(node.width())),
            Op::Ite => self.choose(node),
            Op::Table => self.read_table(pool, node),
            Op::External => self.call(pool, node, environment),
            Op::And => self.connect(node, 0),
            Op::Or => self.connect(node, mask(node.width())),
            _ => self.apply(pool, node),
        }
    }

    #[inline]
    fn known(&mut self, id: ExprId) -> Option<u128> {
        match self.state(id) {
            State::Known(bits) => Some(bits),
            State::Unknown => None,
            State::Todo => {
                self.stack.push(id);
                None
            }
        }
    }

    #[inline]
    fn apply(&mut self, pool: &Pool, node: &Node) -> Option<u128> {
        let a = self.known(node.args[0]);
        let mut b = Some(0);
        if node.op.arity() == 2 {
            b = self.known(node.args[1]);
        } else if matches!(node.op, Op::Extract | Op::FRound) {
            b = Some(u128::from(node.args[1].0));
        }
        Some(fold::apply(
            node.op,
            node.width(),
            pool.width(node.args[0]),
            a?,
            b?,
            0,
        ))
    }

    /// A conjunction or disjunction: an operand that is `absorbing` decides alone.
    #[inline]
    fn connect(&mut self, node: &Node, absorbing: u128) -> Option<u128> {
        let (a, b) = (self.known(node.args[0]), self.known(node.args[1]));
        if a == Some(absorbing) || b == Some(absorbing) {
            return Some(absorbing);
        }
        Some(if node.op == Op::And { a? & b? } else { a? | b? })
    }

    fn choose(&mut self, node: &Node) -> Option<u128> {
        let condition = self.known(node.args[0])?;
        self.known(if condition == 1 {
            node.args[1]
        } else {
            node.args[2]
        })
    }

    fn read_table(&mut self, pool: &Pool, node: &Node) -> Option<u128> {
        let index = self.known(node.args[0])? as u64;
        let table = pool.tables.get(node.args[1].0);
        let mut bits = Some(0);
        for at in 0..node.width() / 8 {
            let offset = index.wrapping_add(u64::from(at));
            let byte = match table.entry(offset) {
                Some(entry) => self.known(entry),
                None => Some(u128::from(table.byte(offset))),
            };
            bits = bits.and_then(|bits| Some(bits | byte? << (8 * at)));
        }
        bits
    }

    fn call(&mut self, pool: &Pool, node: &Node, environment: &dyn Environment) -> Option<u128> {
        let call = pool.calls.get(node.args[0].0);
        let mut arguments = Some(Vec::with_capacity(call.arguments().len()));
        for &argument in call.arguments() {
            let bits = self.known(argument);
            arguments = arguments.and_then(|mut list| {
                list.push(Value::new(pool.width(argument), bits?));
                Some(list)
            });
        }
        let bits = environment.external(call.name(), &arguments?, node.width())?;
        Some(bits & mask(node.width()))
    }
}

//! Functions of one small symbol, for all values of the symbol at once.
//!
//! The states that a parser goes through are functions of a byte, each made of the one before. Here
//! each is computed from the values of its operands, not from the byte again.
//!
//! Law: the column of an expression has for each value of the symbol what
//! [`Evaluator::evaluate`](crate::Evaluator::evaluate) says under it.

use rustc_hash::FxHashMap;

use crate::bits::mask;
use crate::evaluate::Environment;
use crate::fold;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;
use crate::value::Value;

/// Values of a symbol of 8 bits, the widest.
const VALUES: usize = 256;

/// Columns that are kept, of 4 KiB each. More are forgotten when the next expression is asked for.
const MOST: usize = 2048;

/// The values of an expression for all values of its symbol.
#[derive(Debug)]
pub struct Column {
    bits: Box<[u128; VALUES]>,
    /// A bit for each value: whether it is known.
    known: [u64; VALUES / 64],
}

impl Column {
    /// The bits where the symbol has this value; `None` if they are unknown.
    #[inline]
    #[must_use]
    pub fn get(&self, value: u8) -> Option<u128> {
        let at = usize::from(value);
        (self.known[at / 64] >> (at % 64) & 1 == 1).then(|| self.bits[at])
    }

    fn of(mut value: impl FnMut(u8) -> Option<u128>) -> Self {
        let mut column = Column {
            bits: Box::new([0; VALUES]),
            known: [0; VALUES / 64],
        };
        for symbol in 0..=u8::MAX {
            if let Some(bits) = value(symbol) {
                let at = usize::from(symbol);
                column.bits[at] = bits;
                column.known[at / 64] |= 1 << (at % 64);
            }
        }
        column
    }
}

/// Computes columns and remembers them, for one pool at a time.
#[derive(Debug, Default)]
pub struct Columns {
    /// Of the pool.
    generation: u64,
    /// Positions in `columns`.
    positions: FxHashMap<ExprId, u32>,
    columns: Vec<Column>,
    stack: Vec<ExprId>,
    computed: u64,
}

/// An operand whose values are known.
enum Operand<'a> {
    Constant(u128),
    Column(&'a Column),
}

impl Operand<'_> {
    #[inline]
    fn at(&self, value: u8) -> Option<u128> {
        match self {
            Operand::Constant(bits) => Some(*bits),
            Operand::Column(column) => column.get(value),
        }
    }
}

impl Columns {
    /// The column of an expression that depends on one symbol of at most 8 bits. Calls go to the
    /// environment, which must not change.
    pub fn of(&mut self, pool: &Pool, id: ExprId, environment: &dyn Environment) -> &Column {
        if self.generation != pool.generation() || self.columns.len() > MOST {
            self.generation = pool.generation();
            self.positions.clear();
            self.columns.clear();
        }
        self.stack.push(id);
        while let Some(&top) = self.stack.last() {
            if self.positions.contains_key(&top) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            self.push_operands(pool, pool.node(top));
            if self.stack.len() == before {
                self.stack.pop();
                let column = self.compute(pool, pool.node(top), environment);
                self.positions.insert(top, self.columns.len() as u32);
                self.columns.push(column);
                self.computed += 1;
            }
        }
        &self.columns[self.positions[&id] as usize]
    }

    /// Columns that were computed so far.
    #[must_use]
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Operands that were not computed yet; of tables the index first, then what it comes to.
    fn push_operands(&mut self, pool: &Pool, node: &Node) {
        match node.op {
            Op::External => {
                for argument in pool.calls.get(node.args[0].0).arguments() {
                    self.push(pool, *argument);
                }
            }
            Op::Table => {
                let before = self.stack.len();
                self.push(pool, node.args[0]);
                if self.stack.len() == before {
                    self.push_entries(pool, node);
                }
            }
            _ => {
                for operand in node.operands() {
                    self.push(pool, *operand);
                }
            }
        }
    }

    fn push_entries(&mut self, pool: &Pool, node: &Node) {
        let table = pool.tables.get(node.args[1].0);
        if table.entries().is_empty() {
            return;
        }
        let index = self.operand(pool, node.args[0]);
        let offsets = (0..=u8::MAX).filter_map(|value| index.at(value));
        let mut entries: Vec<ExprId> = offsets
            .flat_map(|offset| (0..node.width() / 8).map(move |at| offset_of(offset, at)))
            .filter_map(|offset| table.entry(offset))
            .collect();
        entries.sort_unstable();
        entries.dedup();
        for entry in entries {
            self.push(pool, entry);
        }
    }

    fn push(&mut self, pool: &Pool, id: ExprId) {
        if pool.bits(id).is_none() && !self.positions.contains_key(&id) {
            self.stack.push(id);
        }
    }

    /// An operand that was computed.
    fn operand(&self, pool: &Pool, id: ExprId) -> Operand<'_> {
        match pool.bits(id) {
            Some(bits) => Operand::Constant(bits),
            None => Operand::Column(&self.columns[self.positions[&id] as usize]),
        }
    }

    fn compute(&self, pool: &Pool, node: &Node, environment: &dyn Environment) -> Column {
        let width = node.width();
        let operand = |at: usize| self.operand(pool, node.args[at]);
        match node.op {
            Op::Const => {
                let bits = pool.bits_of_constant(node);
                Column::of(|_| bits)
            }
            Op::Symbol => Column::of(|value| Some(u128::from(value) & mask(width))),
            Op::Ite => {
                let (condition, yes, no) = (operand(0), operand(1), operand(2));
                Column::of(|value| match condition.at(value)? {
                    1 => yes.at(value),
                    _ => no.at(value),
                })
            }
            Op::And | Op::Or => {
                let (a, b) = (operand(0), operand(1));
                let absorbing = if node.op == Op::And { 0 } else { mask(width) };
                Column::of(|value| match (a.at(value), b.at(value)) {
                    (Some(a), Some(b)) if node.op == Op::And => Some(a & b),
                    (Some(a), Some(b)) => Some(a | b),
                    (Some(bits), None) | (None, Some(bits)) => (bits == absorbing).then_some(bits),
                    (None, None) => None,
                })
            }
            Op::Table => self.read_table(pool, node),
            Op::External => self.call(pool, node, environment),
            op => {
                let from = pool.width(node.args[0]);
                let a = operand(0);
                let b = match op {
                    Op::Extract | Op::FRound => Operand::Constant(u128::from(node.args[1].0)),
                    _ if op.arity() == 2 => operand(1),
                    _ => Operand::Constant(0),
                };
                Column::of(|v| Some(fold::apply(op, width, from, a.at(v)?, b.at(v)?, 0)))
            }
        }
    }

    fn read_table(&self, pool: &Pool, node: &Node) -> Column {
        let table = pool.tables.get(node.args[1].0);
        let index = self.operand(pool, node.args[0]);
        Column::of(|value| {
            let offset = index.at(value)?;
            let mut bits = 0;
            for at in 0..node.width() / 8 {
                let offset = offset_of(offset, at);
                let byte = match table.entry(offset) {
                    Some(entry) => self.operand(pool, entry).at(value)?,
                    None => u128::from(table.byte(offset)),
                };
                bits |= byte << (8 * at);
            }
            Some(bits)
        })
    }

    fn call(&self, pool: &Pool, node: &Node, environment: &dyn Environment) -> Column {
        let call = pool.calls.get(node.args[0].0);
        Column::of(|value| {
            let argument = |id: &ExprId| {
                let bits = self.operand(pool, *id).at(value)?;
                Some(Value::new(pool.width(*id), bits))
            };
            let arguments: Option<Vec<_>> = call.arguments().iter().map(argument).collect();
            let bits = environment.external(call.name(), &arguments?, node.width())?;
            Some(bits & mask(node.width()))
        })
    }
}

/// The offset of a byte of what a table read with this index gives.
fn offset_of(index: u128, byte: u32) -> u64 {
    (index as u64).wrapping_add(u64::from(byte))
}

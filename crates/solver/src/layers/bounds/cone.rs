//! A condition made ready for propagation: its operations in an order where operands come first,
//! and what varies in it.

use std::rc::Rc;

use labrys_expr::{ExprId, Op, Pool, Symbol, TableId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::monotone::Monotone;
use crate::value_tables::ValueTables;

/// Conditions of more operations than this are not propagated.
pub(super) const MOST_STEPS: usize = 600;

/// The value of an expression for each value of the one small symbol in it.
pub(super) type Cell = Rc<[u64]>;

/// Position of a step in its cone.
pub(super) type At = usize;

#[derive(Clone, Debug)]
pub(super) enum Rule {
    Constant(u128),
    /// A variable itself.
    Variable(usize),
    /// A function of one small variable.
    Cell(usize, Cell),
    Monotone(Monotone, At),
    /// Multiplication by a constant.
    Times(u128, At),
    /// Remainder by a constant that is not 0.
    Remainder(u128, At),
    /// The lowest bits.
    LowBits(At),
    /// Bits of the middle, from this one on.
    Middle(At, u32),
    /// With the index of the operation.
    Unary(Op, At, u128),
    Binary(Op, At, At),
    Ite(At, At, At),
    /// A read of constant bytes.
    Table(TableId, At),
    /// Whatever has no rule: any value.
    Open,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) rule: Rule,
    pub(super) width: u32,
    /// Width of the first operand.
    pub(super) from: u32,
}

impl Step {
    /// Whether this is arithmetic that is hard for bits: products, quotients, floats.
    fn scales(&self) -> bool {
        match &self.rule {
            Rule::Times(..) | Rule::Remainder(..) => true,
            Rule::Monotone(rule, _) => scales(rule.op()),
            Rule::Unary(op, ..) | Rule::Binary(op, ..) => scales(*op),
            _ => false,
        }
    }
}

/// Whether conditions may have arithmetic that is hard for bits, of more than one byte: cheaper to
/// find out than to make cones. What it went through is added to `work`.
pub(super) fn may_scale(
    pool: &Pool,
    conditions: impl Iterator<Item = ExprId>,
    work: &mut u64,
) -> bool {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack: Vec<ExprId> = conditions.collect();
    let several = |id: ExprId| pool.symbols(id).len() > 1;
    while let Some(id) = stack.pop() {
        if !several(id) || !seen.insert(id) {
            continue;
        }
        *work += 1;
        if scales(pool.op(id)) || pool.op(id) == Op::Shl {
            return true;
        }
        pool.for_each_child(id, |child| stack.push(child));
    }
    false
}

fn scales(op: Op) -> bool {
    let whole = matches!(op, Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem);
    whole || op.takes_floats() || op.gives_float()
}

/// One condition.
#[derive(Debug)]
pub(super) struct Cone {
    /// The condition is the last.
    pub(super) steps: Vec<Step>,
    /// The variables in it.
    pub(super) variables: Vec<usize>,
}

impl Cone {
    /// Whether it has a product, a quotient or a float of more than one byte.
    pub(super) fn scales(&self) -> bool {
        self.steps.iter().any(Step::scales)
    }
}

/// Functions of one byte.
pub(super) type Cells = ValueTables<Cell>;

/// Makes cones of conditions over the same variables.
pub(super) struct Builder<'a> {
    pub(super) pool: &'a Pool,
    pub(super) cells: &'a mut Cells,
    pub(super) numbers: FxHashMap<Symbol, usize>,
    pub(super) symbols: Vec<Symbol>,
    /// Positions in the cone that is made.
    positions: FxHashMap<ExprId, At>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(pool: &'a Pool, cells: &'a mut Cells) -> Self {
        Builder {
            pool,
            cells,
            numbers: FxHashMap::default(),
            symbols: Vec::new(),
            positions: FxHashMap::default(),
        }
    }
}

impl Builder<'_> {
    /// The cone of a condition; `None` if it is too large.
    pub(super) fn cone(&mut self, condition: ExprId) -> Option<Cone> {
        let mut order = vec![condition];
        let mut positions = std::mem::take(&mut self.positions);
        let mut stack = vec![condition];
        positions.clear();
        positions.insert(condition, 0);
        let pool = self.pool;
        while let Some(id) = stack.pop() {
            for &operand in self.operands(pool, id) {
                if positions.insert(operand, 0).is_none() {
                    order.push(operand);
                    stack.push(operand);
                }
            }
            if order.len() > MOST_STEPS {
                self.positions = positions;
                return None;
            }
        }
        order.sort_unstable();
        for (at, id) in order.iter().enumerate() {
            positions.insert(*id, at);
        }
        let steps = order.iter().map(|id| self.step(*id, &positions));
        let steps = steps.collect();
        self.positions = positions;
        let symbols = self.pool.symbols(condition).iter();
        let variables = symbols.map(|symbol| self.variable(symbol)).collect();
        Some(Cone { steps, variables })
    }

    pub(super) fn variable(&mut self, symbol: Symbol) -> usize {
        *self.numbers.entry(symbol).or_insert_with(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        })
    }

    /// The operands that a step for this expression reads.
    fn operands<'p>(&mut self, pool: &'p Pool, id: ExprId) -> &'p [ExprId] {
        match self.cell(id).is_some() || !self.has_rule(id) {
            true => &[],
            false => pool.node(id).operands(),
        }
    }

    /// The values of an expression on one small symbol.
    fn cell(&mut self, id: ExprId) -> Option<(Symbol, Cell)> {
        let [(start, end)] = *self.pool.symbols(id).ranges() else {
            return None;
        };
        let is_plain = matches!(self.pool.op(id), Op::Symbol | Op::ZExt);
        if end - start > 1 || is_plain || self.pool.width(id) > 64 {
            return None;
        }
        let symbol = self.pool.symbols(id).iter().next()?;
        if symbol.width() > 8 {
            return None;
        }
        let bits = |value: Option<Value>| value.map(|value| value.bits() as u64);
        let make = |values: &mut dyn Iterator<Item = _>| values.map(bits).collect();
        let cell = self.cells.of(self.pool, id, symbol, make)?;
        Some((symbol, cell))
    }

    fn has_rule(&self, id: ExprId) -> bool {
        let node = self.pool.node(id);
        let narrow = |id: &ExprId| self.pool.width(*id) <= 64;
        if !narrow(&id) || !node.operands().iter().all(narrow) {
            return false;
        }
        match node.op() {
            Op::External => false,
            Op::Table => self
                .pool
                .as_table_read(id)
                .is_some_and(|(table, _)| self.pool.table(table).entries().is_empty()),
            _ => true,
        }
    }

    fn step(&mut self, id: ExprId, positions: &FxHashMap<ExprId, At>) -> Step {
        let pool = self.pool;
        let node = pool.node(id);
        let width = node.width();
        let at = |index: usize| positions[&node.operands()[index]];
        let from = node.operands().first().map_or(width, |id| pool.width(*id));
        let constant = |index: usize| {
            let operand = node.operands().get(index)?;
            pool.bits(*operand)
        };
        let rule = if let Some(bits) = pool.bits(id) {
            Rule::Constant(bits)
        } else if let Some((symbol, cell)) = self.cell(id) {
            Rule::Cell(self.variable(symbol), cell)
        } else if !self.has_rule(id) {
            Rule::Open
        } else if let Some(symbol) = pool.as_symbol(id) {
            Rule::Variable(self.variable(symbol))
        } else if let Some((table, _)) = pool.as_table_read(id) {
            Rule::Table(table, at(0))
        } else {
            match (node.op(), constant(0), constant(1)) {
                (Op::Ite, ..) => Rule::Ite(at(0), at(1), at(2)),
                (Op::Mul, None, Some(factor)) => Rule::Times(factor, at(0)),
                (Op::Mul, Some(factor), None) => Rule::Times(factor, at(1)),
                (Op::Shl, None, Some(by)) if by < u128::from(width) => Rule::Times(1 << by, at(0)),
                (Op::URem, None, Some(by)) if by != 0 => Rule::Remainder(by, at(0)),
                (Op::Extract, ..) if node.low() == 0 => Rule::LowBits(at(0)),
                (Op::Extract, ..) if node.low() + width < from => Rule::Middle(at(0), node.low()),
                (op, None, Some(bits)) => Monotone::with_constant(op, width, bits, false)
                    .map_or(Rule::Binary(op, at(0), at(1)), |rule| {
                        Rule::Monotone(rule, at(0))
                    }),
                (op, Some(bits), None) if op.arity() == 2 => {
                    Monotone::with_constant(op, width, bits, true)
                        .map_or(Rule::Binary(op, at(0), at(1)), |rule| {
                            Rule::Monotone(rule, at(1))
                        })
                }
                (op, ..) if op.arity() == 2 => Rule::Binary(op, at(0), at(1)),
                (op, ..) => {
                    let index = match op {
                        Op::Extract => node.low().into(),
                        Op::FRound => node.rounding() as u128,
                        _ => 0,
                    };
                    Monotone::unary(op, width, from, index)
                        .map_or(Rule::Unary(op, at(0), index), |rule| {
                            Rule::Monotone(rule, at(0))
                        })
                }
            }
        };
        Step { rule, width, from }
    }
}

//! A query as stages, one for each of its bytes.
//!
//! Law: the conditions of a stage depend on its symbol and those before; what a stage computes is
//! made of its symbol, the border before it and constants.

use labrys_expr::{ExprId, Op, Pool, Symbol, Table, apply};
use rustc_hash::FxHashMap;

use crate::parts::{Part, symbols};

/// Nodes of a query, and expressions on one border.
const MOST_NODES: usize = 20_000;
const MOST_BORDER: usize = 64;

/// An operation on places in the list of values.
pub(super) struct Node<'a> {
    pub(super) op: Op,
    pub(super) width: u32,
    /// Width of the first operand.
    pub(super) from: u32,
    pub(super) operands: [usize; 3],
    /// The bits of a constant; what an extraction or rounding has beside its operand.
    immediate: u128,
    /// What a table read reads.
    table: Option<&'a Table>,
    /// The last symbol that it depends on, by number; `None` for a constant.
    pub(super) last: Option<usize>,
    /// Whether it depends on no other symbol.
    pub(super) single: bool,
}

/// What happens at one symbol.
#[derive(Default)]
pub(super) struct Stage {
    /// Nodes on this symbol alone that nodes on it and others, or the border, use.
    pub(super) classes: Vec<usize>,
    /// Nodes on the symbols so far that are used by others.
    pub(super) border: Vec<usize>,
    /// Conditions that are known now: place and whether it is on this symbol alone.
    pub(super) conditions: Vec<(usize, bool)>,
}

/// A query as stages.
pub(super) struct Plan<'a> {
    pub(super) pool: &'a Pool,
    pub(super) symbols: Vec<Symbol>,
    /// Where the symbols are in the list of values.
    pub(super) places: Vec<usize>,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) stages: Vec<Stage>,
    /// By part: the last of its symbols, by number.
    pub(super) lasts: Vec<usize>,
}

impl<'a> Plan<'a> {
    /// `None` if the query is not for this.
    pub(super) fn new(pool: &'a Pool, parts: &[Part]) -> Option<Self> {
        let symbols = symbols(pool, parts);
        if symbols.iter().any(|symbol| symbol.width() > 8) {
            return None;
        }
        let numbers: FxHashMap<Symbol, usize> = symbols.iter().copied().zip(0..).collect();
        let mut plan = Plan {
            pool,
            stages: symbols.iter().map(|_| Stage::default()).collect(),
            places: vec![0; symbols.len()],
            symbols,
            nodes: Vec::new(),
            lasts: Vec::new(),
        };
        let mut places = FxHashMap::default();
        for part in parts {
            let place = plan.add(part.id, &numbers, &mut places)?;
            let node = &plan.nodes[place];
            let last = node.last?;
            plan.lasts.push(last);
            plan.stages[last].conditions.push((place, node.single));
        }
        plan.draw_borders().then_some(plan)
    }

    /// Adds an expression and what it is made of; its place.
    fn add(
        &mut self,
        id: ExprId,
        numbers: &FxHashMap<Symbol, usize>,
        places: &mut FxHashMap<ExprId, usize>,
    ) -> Option<usize> {
        let mut stack = vec![(id, false)];
        while let Some((top, ready)) = stack.pop() {
            if places.contains_key(&top) {
                continue;
            }
            if !ready {
                stack.push((top, true));
                self.pool
                    .for_each_child(top, |child| stack.push((child, false)));
                continue;
            }
            let node = self.node(top, numbers, places)?;
            let place = self.nodes.len();
            if let (Op::Symbol, Some(number)) = (node.op, node.last) {
                self.places[number] = place;
            }
            self.nodes.push(node);
            places.insert(top, place);
            if self.nodes.len() > MOST_NODES {
                return None;
            }
        }
        places.get(&id).copied()
    }

    fn node(
        &self,
        id: ExprId,
        numbers: &FxHashMap<Symbol, usize>,
        places: &FxHashMap<ExprId, usize>,
    ) -> Option<Node<'a>> {
        let node = self.pool.node(id);
        let op = node.op();
        let table = self.pool.as_table_read(id);
        let table = table.map(|(table, _)| self.pool.table(table));
        let has_entries = table.is_some_and(|table| !table.entries().is_empty());
        if op == Op::External || has_entries {
            return None;
        }
        let immediate = match op {
            Op::Const => self.pool.bits(id)?,
            Op::Extract => node.low().into(),
            Op::FRound => node.rounding() as u128,
            _ => 0,
        };
        let mut operands = [0; 3];
        for (at, operand) in node.operands().iter().enumerate() {
            operands[at] = *places.get(operand)?;
        }
        let first = node.operands().first();
        let used = operands[..node.operands().len()].iter();
        let last = match self.pool.as_symbol(id) {
            Some(symbol) => Some(numbers[&symbol]),
            None => used.filter_map(|place| self.nodes[*place].last).max(),
        };
        Some(Node {
            op,
            width: node.width(),
            from: first.map_or(0, |operand| self.pool.width(*operand)),
            operands,
            immediate,
            table,
            last,
            single: self.pool.symbols(id).len() == 1,
        })
    }

    /// Finds out what later stages use; whether that is little.
    fn draw_borders(&mut self) -> bool {
        // By node: the last stage that uses it, and whether mixed nodes of its own stage do.
        let mut needed: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut mixed = vec![false; self.nodes.len()];
        for node in &self.nodes {
            let Some(last) = node.last else { continue };
            for operand in &node.operands[..node.op.arity()] {
                needed[*operand] = needed[*operand].max(Some(last));
                mixed[*operand] |= !node.single && self.nodes[*operand].last == Some(last);
            }
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let (Some(last), Some(until)) = (node.last, needed[place]) else {
                continue;
            };
            for stage in &mut self.stages[last..until] {
                if stage.border.len() == MOST_BORDER {
                    return false;
                }
                stage.border.push(place);
            }
            if node.single && (mixed[place] || until > last) {
                self.stages[last].classes.push(place);
            }
        }
        true
    }
}

impl Node<'_> {
    /// The value for the values of the operands.
    pub(super) fn value(&self, [a, b, c]: [u128; 3]) -> u128 {
        let b = match self.op {
            Op::Const => return self.immediate,
            Op::Table => {
                let read = |table: &Table| table.constant_at(a as u64, self.width / 8);
                return self.table.map_or(0, read);
            }
            Op::Extract | Op::FRound => self.immediate,
            _ => b,
        };
        apply(self.op, self.width, self.from, a, b, c)
    }
}

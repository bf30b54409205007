//! The variables of the walk: what a program reads as one value is moved as one.
//!
//! Symbols are single bytes of the input; the program puts them together to numbers. A variable
//! is a longest run of at most eight consecutive bytes that the constraints use as one
//! (`Concat`), or a symbol that no run holds. Invariant: every symbol of the constraints is in
//! exactly one variable; the first symbol of a variable is its least significant byte.

use labrys_expr::{ExprId, Node, Op, Pool, Symbol, mask};
use rustc_hash::FxHashMap;

use super::variable::{NumberSort, Variable};
use crate::functions::{self, Kind};
use crate::query::{Assignment, Model};

/// The variables of some constraints.
#[derive(Debug, Default)]
pub(super) struct Variables {
    pub(super) list: Vec<Variable>,
    /// Variable and shift in bits by symbol.
    places: FxHashMap<Symbol, (usize, u32)>,
    /// Expressions that are a whole variable.
    whole: FxHashMap<ExprId, usize>,
}

/// Consecutive bytes of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    stream: u16,
    offset: u32,
    length: u32,
}

/// Longest run in bytes.
const LONGEST: u32 = 8;

impl Variables {
    /// The variables of expressions, given with everything below them in the order of ids;
    /// `None` if a symbol is too wide.
    pub(super) fn of(pool: &Pool, nodes: &[ExprId]) -> Option<Self> {
        let mut variables = Variables::default();
        let runs = runs(pool, nodes);
        let mut ordered: Vec<(ExprId, Run)> = runs.iter().map(|(id, run)| (*id, *run)).collect();
        ordered
            .sort_by_key(|(id, run)| (std::cmp::Reverse(run.length), run.stream, run.offset, *id));
        for (id, run) in ordered {
            variables.add_run(id, run);
        }
        for &id in nodes {
            if let Some(symbol) = pool.as_symbol(id) {
                if symbol.width() > 64 {
                    return None;
                }
                variables.add_symbol(id, symbol);
            }
        }
        variables.find_sorts(pool, nodes);
        Some(variables)
    }

    fn add_run(&mut self, id: ExprId, run: Run) {
        if run.length > LONGEST {
            return;
        }
        let symbols: Vec<_> = (0..run.length)
            .map(|at| Symbol::Byte {
                stream: run.stream,
                offset: run.offset + at,
            })
            .collect();
        if let Some(&(variable, _)) = self.places.get(&symbols[0]) {
            if self.list[variable].symbols == symbols {
                self.whole.insert(id, variable);
            }
            return;
        }
        if symbols
            .iter()
            .all(|symbol| !self.places.contains_key(symbol))
        {
            self.add(id, symbols, 8 * run.length);
        }
    }

    fn add_symbol(&mut self, id: ExprId, symbol: Symbol) {
        if !self.places.contains_key(&symbol) {
            self.add(id, vec![symbol], symbol.width());
        }
    }

    fn add(&mut self, id: ExprId, symbols: Vec<Symbol>, width: u32) {
        let number = self.list.len();
        let mut shift = 0;
        for &symbol in &symbols {
            self.places.insert(symbol, (number, shift));
            shift += symbol.width();
        }
        self.whole.insert(id, number);
        self.list.push(Variable {
            symbols,
            width,
            sort: NumberSort::Unsigned,
        });
    }

    fn find_sorts(&mut self, pool: &Pool, nodes: &[ExprId]) {
        let mut signs = vec![None; self.list.len()];
        for &id in nodes {
            let node = pool.node(id);
            let mut vote = |operand: ExprId, sort: NumberSort| {
                if let Some(&variable) = self.whole.get(&operand) {
                    signs[variable] = signs[variable].max(Some(sort));
                }
            };
            if let Some(call) = pool.as_call(id) {
                let kinds = functions::parameters(call.name()).unwrap_or_default();
                for (argument, kind) in call.arguments().iter().zip(kinds) {
                    vote(*argument, sort_of_kind(kind));
                }
            }
            for &operand in node.operands() {
                if let Some(sort) = sort_of_use(pool, node, operand) {
                    vote(operand, sort);
                }
            }
        }
        for (variable, sign) in self.list.iter_mut().zip(signs) {
            let default = if variable.width >= 16 {
                NumberSort::Signed
            } else {
                NumberSort::Unsigned
            };
            variable.sort = sign.unwrap_or(default);
        }
    }

    /// The variable that an expression is, if it is one.
    pub(super) fn whole(&self, id: ExprId) -> Option<usize> {
        self.whole.get(&id).copied()
    }

    /// Variable and lowest bit of a symbol.
    pub(super) fn place(&self, symbol: Symbol) -> Option<(usize, u32)> {
        self.places.get(&symbol).copied()
    }

    /// The variables' values under an assignment.
    pub(super) fn values(&self, assignment: &Assignment) -> Vec<u64> {
        let value = |variable: &Variable| {
            let mut shift = 0;
            variable.symbols.iter().fold(0, |value, symbol| {
                let bits = (assignment.get(*symbol) & mask(symbol.width())) as u64;
                let value = value | bits << shift;
                shift += symbol.width();
                value
            })
        };
        self.list.iter().map(value).collect()
    }

    /// The values as a model.
    pub(super) fn model(&self, values: &[u64]) -> Model {
        let mut model = Model::default();
        for (variable, value) in self.list.iter().zip(values) {
            let mut shift = 0;
            for symbol in &variable.symbols {
                let bits = u128::from(value >> shift) & mask(symbol.width());
                model.0.insert(*symbol, bits);
                shift += symbol.width();
            }
        }
        model
    }
}

/// The runs of bytes that are used as one and not only as a part of a longer run.
fn runs(pool: &Pool, nodes: &[ExprId]) -> FxHashMap<ExprId, Run> {
    let mut runs: FxHashMap<ExprId, Run> = FxHashMap::default();
    for &id in nodes {
        let node = pool.node(id);
        if let Some(Symbol::Byte { stream, offset }) = pool.as_symbol(id) {
            let run = Run {
                stream,
                offset,
                length: 1,
            };
            runs.insert(id, run);
        } else if node.op() == Op::Concat {
            let [high, low] = [node.operands()[0], node.operands()[1]].map(|o| runs.get(&o));
            if let (Some(high), Some(low)) = (high, low) {
                let joins = high.stream == low.stream && high.offset == low.offset + low.length;
                if joins {
                    let length = low.length + high.length;
                    let run = Run { length, ..*low };
                    runs.insert(id, run);
                }
            }
        }
    }
    runs
}

fn sort_of_kind(kind: Kind) -> NumberSort {
    match kind {
        Kind::F64 => NumberSort::Double,
        Kind::F32 => NumberSort::Single,
        Kind::I32 | Kind::I64 => NumberSort::Signed,
    }
}

/// What the use of `operand` in `node` tells of it.
fn sort_of_use(pool: &Pool, node: &Node, operand: ExprId) -> Option<NumberSort> {
    use Op::{AShr, LShr, SDiv, SExt, SRem, SToF, Sle, Slt, UDiv, URem, UToF, Ule, Ult, ZExt};
    match node.op() {
        op if op.takes_floats() => match pool.width(operand) {
            64 => Some(NumberSort::Double),
            32 => Some(NumberSort::Single),
            _ => None,
        },
        Slt | Sle | SDiv | SRem | SExt | SToF | AShr => Some(NumberSort::Signed),
        Ult | Ule | UDiv | URem | ZExt | UToF | LShr => Some(NumberSort::Unsigned),
        _ => None,
    }
}

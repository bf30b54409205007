//! What symbols of a state turn out to be.
//!
//! Each step back tells what some symbols are. To put that into the constraints at once would
//! rebuild them at every instruction, so it waits in the state, in the order in which it became
//! known, and is put in where the constraints are looked at. Addresses of reads are looked at by
//! every store, and are small; they are kept up to date.
//!
//! Law: what a symbol is says nothing of symbols that were told before it. (A symbol stands for a
//! value from before the place that the path has come to; once the path has passed the definition,
//! nothing refers to it any more.) So what waits is put in from the last to the first, and each
//! expression is rebuilt once.

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol};
use labrys_semantics::Meaning;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::demand::Base;
use crate::state::{Known, Skip, State};

/// Memory of substitutions, kept so that none has to begin with a fresh one.
#[derive(Debug, Default)]
pub(crate) struct Substitution {
    rebuilt: Rebuilt,
    /// By set of symbols: whether one of them is replaced.
    concerned: FxHashMap<u32, bool>,
    values: FxHashMap<Symbol, ExprId>,
    /// Expressions that were looked at so far.
    pub(crate) work: u64,
}

impl Substitution {
    pub(crate) fn begin(&mut self) {
        self.rebuilt.reset();
        self.concerned.clear();
        self.values.clear();
    }

    /// Puts what is told at one time into each other. (The address of what one read reads may hold
    /// what another reads, and one store be the answer to both.)
    fn close(&mut self, pool: &mut Pool, known: &mut [(Symbol, ExprId)]) {
        let symbols: Vec<Symbol> = known.iter().map(|(symbol, _)| *symbol).collect();
        let needs = |pool: &Pool, value: ExprId| {
            let set = pool.symbols(value);
            let needed = symbols.iter().enumerate();
            needed
                .filter(|(_, one)| set.contains(**one))
                .map(|(index, _)| index)
                .collect::<Vec<usize>>()
        };
        if known
            .iter()
            .all(|(_, value)| needs(pool, *value).is_empty())
        {
            return;
        }
        self.begin();
        let mut begun = vec![false; known.len()];
        for first in 0..known.len() {
            let mut stack = vec![(first, false)];
            while let Some((index, ready)) = stack.pop() {
                let (symbol, value) = known[index];
                if ready {
                    known[index].1 = self.apply(pool, &symbols, value);
                    self.values.insert(symbol, known[index].1);
                } else if !std::mem::replace(&mut begun[index], true) {
                    stack.push((index, true));
                    stack.extend(needs(pool, value).into_iter().map(|one| (one, false)));
                }
            }
        }
    }

    /// From now on, a symbol is this.
    pub(crate) fn replace(&mut self, symbol: Symbol, value: ExprId) {
        self.values.insert(symbol, value);
        self.rebuilt.reset();
    }

    /// The expression with all symbols replaced that are known.
    pub(crate) fn apply_all(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        let Substitution {
            rebuilt,
            values,
            work,
            ..
        } = self;
        let mut replace = |pool: &mut Pool, id: ExprId| {
            *work += 1;
            values.get(&pool.as_symbol(id)?).copied()
        };
        pool.rebuild(None, id, rebuilt, &mut replace)
    }

    /// The expression with the known values of symbols put in; `symbols` are all that are to be
    /// replaced.
    fn apply(&mut self, pool: &mut Pool, symbols: &[Symbol], id: ExprId) -> ExprId {
        let Substitution {
            rebuilt,
            concerned,
            values,
            work,
        } = self;
        let mut replace = |pool: &mut Pool, id: ExprId| {
            *work += 1;
            let is_concerned = *concerned.entry(pool.symbols_number(id)).or_insert_with(|| {
                let set = pool.symbols(id);
                symbols.iter().any(|one| set.contains(*one))
            });
            if !is_concerned {
                return Some(id);
            }
            values.get(&pool.as_symbol(id)?).copied()
        };
        pool.rebuild(None, id, rebuilt, &mut replace)
    }
}

impl Base<'_> {
    /// Notes what symbols are.
    pub(crate) fn substitute(&mut self, state: &mut State, pairs: &[(ExprId, ExprId)]) {
        let mut known: Vec<(Symbol, ExprId)> = pairs
            .iter()
            .filter(|(from, to)| from != to)
            .filter_map(|(from, to)| Some((self.pool.as_symbol(*from)?, *to)))
            .collect();
        if known.is_empty() {
            return;
        }
        self.substitution.close(&mut self.pool, &mut known);
        let symbols: Vec<Symbol> = known.iter().map(|(symbol, _)| *symbol).collect();
        self.substitution.begin();
        self.substitution.values.extend(known.iter().copied());
        for read in &mut state.reads {
            read.address = self
                .substitution
                .apply(&mut self.pool, &symbols, read.address);
        }
        state.pending.extend(known);
    }

    /// Puts what is known of symbols into the constraints.
    pub(crate) fn settle(&mut self, state: &mut State) {
        if state.pending.is_empty() {
            return;
        }
        let known = std::mem::take(&mut state.pending);
        if state.constraints.is_empty() {
            return;
        }
        let symbols: Vec<Symbol> = known.iter().map(|(symbol, _)| *symbol).collect();
        self.substitution.begin();
        for (symbol, value) in known.into_iter().rev() {
            let value = self.substitution.apply(&mut self.pool, &symbols, value);
            self.substitution.values.insert(symbol, value);
        }
        let mut changed = false;
        for constraint in &mut state.constraints {
            let new = self
                .substitution
                .apply(&mut self.pool, &symbols, *constraint);
            changed |= new != *constraint;
            *constraint = new;
        }
        if changed {
            let mut seen = FxHashSet::default();
            state
                .constraints
                .retain(|one| *one != ExprId::TRUE && seen.insert(*one));
        }
    }

    /// Forgets constraints of more than so many expressions.
    pub(crate) fn forget_large(&self, state: &mut State, most: usize) {
        let before = state.constraints.len();
        state.constraints.retain(|one| self.is_within(*one, most));
        if state.constraints.len() < before {
            state.skip(Skip::Forgotten);
        }
    }

    /// Whether an expression is made of so many at most.
    pub(crate) fn is_within(&self, id: ExprId, most: usize) -> bool {
        is_within(&self.pool, id, most)
    }

    /// Whether no run takes the path, as far as can be seen without the solver.
    pub(crate) fn is_dead(&mut self, state: &mut State) -> bool {
        self.settle(state);
        state.is_dead()
    }

    /// Replaces the symbols of a value that the path uses by what it is; where that is not
    /// known, they stay free.
    pub(crate) fn bind(&mut self, state: &mut State, used: &Known, value: Option<&Known>) {
        let mut pairs = Vec::new();
        if let Some(value) = value {
            pair(used, value, &mut pairs);
        }
        self.substitute(state, &pairs);
    }
}

/// Whether an expression is made of so many at most.
fn is_within(pool: &Pool, id: ExprId, most: usize) -> bool {
    if most == usize::MAX {
        return true;
    }
    let mut seen = FxHashSet::default();
    let mut stack = vec![id];
    while let Some(one) = stack.pop() {
        if seen.insert(one) {
            if seen.len() > most {
                return false;
            }
            pool.for_each_child(one, |child| stack.push(child));
        }
    }
    true
}

/// The scalars of two values of one type, side by side.
pub(crate) fn pair(used: &Known, value: &Known, pairs: &mut Vec<(ExprId, ExprId)>) {
    match (used, value) {
        (Meaning::Scalar(used), Meaning::Scalar(value)) => pairs.push((*used, *value)),
        (Meaning::Parts(used), Meaning::Parts(value)) => {
            used.iter()
                .zip(value)
                .for_each(|(used, value)| pair(used, value, pairs));
        }
        _ => {}
    }
}

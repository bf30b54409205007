//! Entries of functions that a search came to, with what must hold there.
//!
//! Law: what must hold at an entry decides alone what the search finds before it. So a later path
//! that asks for the same or for more is dropped: a run on it comes to the entry as the first
//! demands, and the first is followed back through all callers. (Of the moments at which a run is
//! at such an entry as demanded, the first has no earlier one to be dropped for.) Only what can be
//! said in parameters, memory and objects of the program counts; where something else has a part,
//! paths are different.

use labrys_expr::{ExprId, Symbol};
use labrys_program::{FunctionId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::demand::Base;
use crate::state::{Read, Skip, State};

/// Demands on one function that are kept.
const MAX_DEMANDS: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Entered {
    /// What must hold, in names that are the same on all paths, in order.
    known: FxHashMap<FunctionId, Vec<Vec<ExprId>>>,
    parameters: FxHashMap<(FunctionId, ValueId), ExprId>,
    memory: FxHashMap<(ExprId, u32), ExprId>,
}

impl Base<'_> {
    /// At the entry of the only frame: whether no path came here before that asked for the same.
    /// What can have no part in anything that is to come is forgotten: it is known to be
    /// satisfiable.
    pub(crate) fn enters_anew(&mut self, state: &mut State) -> bool {
        let Some((demand, live)) = self.demand(state) else {
            return true;
        };
        let known = self.entered.known.entry(state.function()).or_default();
        let asks_for =
            |one: &Vec<ExprId>| one.iter().all(|part| demand.binary_search(part).is_ok());
        if known.iter().any(asks_for) {
            return false;
        }
        if known.len() < MAX_DEMANDS {
            known.push(demand);
        }
        if live.len() < state.constraints.len() {
            state.constraints = live;
            state.skip(Skip::Forgotten);
        }
        true
    }

    /// What a state demands of the entry, and the constraints that say so; `None` if it cannot be
    /// said.
    fn demand(&mut self, state: &State) -> Option<(Vec<ExprId>, Vec<ExprId>)> {
        let function = state.function();
        self.substitution.begin();
        let mut names: FxHashSet<Symbol> = FxHashSet::default();
        for (value, known) in &state.frame().env {
            let symbol = known.scalar()?;
            let width = self.pool.width(symbol);
            let key = (function, *value);
            let name = match self.entered.parameters.get(&key) {
                Some(name) if self.pool.width(*name) == width => *name,
                Some(_) => return None,
                None => self.fresh(width),
            };
            self.entered.parameters.insert(key, name);
            self.rename(&mut names, symbol, name);
        }
        let all_named = self.name_reads(state, &mut names);
        let mut constraints = Vec::new();
        let mut live = Vec::new();
        for constraint in &state.constraints {
            let named = self.substitution.apply_all(&mut self.pool, *constraint);
            let symbols = self.pool.symbols(named);
            let is_known = |one: Symbol| names.contains(&one) || self.objects.outlives_frames(one);
            let known = symbols.iter().filter(|one| is_known(*one)).count();
            if known == symbols.len() {
                constraints.push(named);
                live.push(*constraint);
            } else if known > 0 || !all_named {
                return None;
            }
        }
        constraints.sort_unstable();
        constraints.dedup();
        Some((constraints, live))
    }

    /// Names what is read, that first whose addresses others are found by; `false` if some address
    /// cannot be said.
    fn name_reads(&mut self, state: &State, names: &mut FxHashSet<Symbol>) -> bool {
        let mut left: Vec<Read> = state.reads.clone();
        while !left.is_empty() {
            let before = left.len();
            let mut later = Vec::new();
            for read in left {
                let address = self.substitution.apply_all(&mut self.pool, read.address);
                let is_known =
                    |one: Symbol| names.contains(&one) || self.objects.outlives_frames(one);
                if !self.pool.symbols(address).iter().all(is_known) {
                    later.push(read);
                    continue;
                }
                let key = (address, read.size);
                let name = match self.entered.memory.get(&key) {
                    Some(name) => *name,
                    None => self.fresh(8 * read.size),
                };
                self.entered.memory.insert(key, name);
                self.rename(names, read.symbol, name);
            }
            if later.len() == before {
                return false;
            }
            left = later;
        }
        true
    }

    fn rename(&mut self, names: &mut FxHashSet<Symbol>, from: ExprId, to: ExprId) {
        if let (Some(from), Some(name)) = (self.pool.as_symbol(from), self.pool.as_symbol(to)) {
            names.insert(name);
            self.substitution.replace(from, to);
        }
    }
}

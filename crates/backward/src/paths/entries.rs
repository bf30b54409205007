//! Entries of functions that a search came to, with the requirements there.
//!
//! Law: the requirements at an entry decide alone what the search finds before it. So a later path
//! that requires the same or more is dropped: a run on it comes to the entry as the first requires,
//! and the first is followed back through all callers. (Of the moments at which a run is at such
//! an entry as required, the first has no earlier one to be dropped for.) Only requirements in
//! parameters, memory and objects of the program count; where something else has a part, paths are
//! different.

use labrys_expr::{ExprId, Symbol};
use labrys_program::{FunctionId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::Skip;
use crate::state::{Read, State};
use crate::terms::Terms;

/// Requirements on one function that are remembered.
const MAX_REQUIREMENTS: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// Requirements, in symbols that are the same on all paths, in order.
    known: FxHashMap<FunctionId, Vec<Vec<ExprId>>>,
    parameters: FxHashMap<(FunctionId, ValueId), ExprId>,
    memory: FxHashMap<(ExprId, u32), ExprId>,
}

/// What a state requires of an entry.
struct Requirements {
    /// In symbols that are the same on all paths.
    named: Vec<ExprId>,
    /// The constraints of the state that say so.
    constraints: Vec<ExprId>,
}

impl Entries {
    /// At the entry of the only frame: whether no path came here before that required the same.
    /// Constraints that can have no part in anything that is to come are dropped: they are known to
    /// be satisfiable.
    pub(super) fn is_new(&mut self, terms: &mut Terms<'_>, state: &mut State) -> bool {
        let Some(requirements) = self.requirements(terms, state) else {
            return true;
        };
        let known = self.known.entry(state.function()).or_default();
        let named = &requirements.named;
        let is_implied = |earlier: &Vec<ExprId>| {
            let mut earlier = earlier.iter();
            earlier.all(|requirement| named.binary_search(requirement).is_ok())
        };
        if known.iter().any(is_implied) {
            return false;
        }
        if known.len() < MAX_REQUIREMENTS {
            known.push(requirements.named);
        }
        if requirements.constraints.len() < state.conditions().constraints().len() {
            state.conditions_mut().keep_only(requirements.constraints);
            state.skip(Skip::Forgotten);
        }
        true
    }

    /// The requirements of a state; `None` if they cannot be said.
    fn requirements(&mut self, terms: &mut Terms<'_>, state: &State) -> Option<Requirements> {
        let function = state.function();
        terms.begin_substitution();
        let mut names: FxHashSet<Symbol> = FxHashSet::default();
        for (value, symbols) in state.frame().used() {
            let symbol = symbols.scalar()?;
            let width = terms.width(symbol);
            let key = (function, value);
            let name = match self.parameters.get(&key) {
                Some(name) if terms.width(*name) == width => *name,
                Some(_) => return None,
                None => terms.fresh(width),
            };
            self.parameters.insert(key, name);
            rename(terms, &mut names, symbol, name);
        }
        let all_named = self.name_reads(terms, state, &mut names);
        let mut requirements = Requirements {
            named: Vec::new(),
            constraints: Vec::new(),
        };
        for constraint in state.conditions().constraints() {
            let named = terms.substituted(*constraint);
            let symbols = terms.pool().symbols(named);
            let is_known = |symbol: &Symbol| is_named(terms, &names, *symbol);
            let known = symbols.iter().filter(is_known).count();
            if known == symbols.len() {
                requirements.named.push(named);
                requirements.constraints.push(*constraint);
            } else if known > 0 || !all_named {
                return None;
            }
        }
        requirements.named.sort_unstable();
        requirements.named.dedup();
        Some(requirements)
    }

    /// Names what is read, first that on which the addresses of others depend; `false` if some
    /// address cannot be said.
    fn name_reads(
        &mut self,
        terms: &mut Terms<'_>,
        state: &State,
        names: &mut FxHashSet<Symbol>,
    ) -> bool {
        let mut left: Vec<Read> = state.memory().reads().to_vec();
        while !left.is_empty() {
            let before = left.len();
            let mut later = Vec::new();
            for read in left {
                let address = terms.substituted(read.address);
                let symbols = terms.pool().symbols(address);
                let is_said = symbols.iter().all(|symbol| is_named(terms, names, symbol));
                if !is_said {
                    later.push(read);
                    continue;
                }
                let key = (address, read.size);
                let name = match self.memory.get(&key) {
                    Some(name) => *name,
                    None => terms.fresh(8 * read.size),
                };
                self.memory.insert(key, name);
                rename(terms, names, read.symbol, name);
            }
            if later.len() == before {
                return false;
            }
            left = later;
        }
        true
    }
}

/// Whether a symbol means the same on all paths.
fn is_named(terms: &Terms<'_>, names: &FxHashSet<Symbol>, symbol: Symbol) -> bool {
    names.contains(&symbol) || terms.outlives_frames(symbol)
}

fn rename(terms: &mut Terms<'_>, names: &mut FxHashSet<Symbol>, from: ExprId, to: ExprId) {
    if let (Some(_), Some(name)) = (terms.pool().as_symbol(from), terms.pool().as_symbol(to)) {
        names.insert(name);
        terms.replace(from, to);
    }
}

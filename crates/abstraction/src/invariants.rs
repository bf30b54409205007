//! Facts that hold whenever control comes to a location, by elimination (Flanagan and Leino,
//! Houdini, FME 2001): of many candidates, those stay that every transition keeps.
//!
//! Candidates compare variables with each other and with constants of the program. A location that
//! no transition reaches has no facts yet. One query asks whether a transition breaks any of the
//! facts; its model drops all those that are false in it.
//!
//! Law: when the worklist is empty, the facts of a location hold in every run that comes there.

use std::collections::{BTreeMap, VecDeque};

use labrys_expr::{ExprId, Symbol, Value};
use labrys_solver::Answer;
use rustc_hash::FxHashMap;

use crate::ask::{Asker, evaluate};
use crate::automaton::Automaton;
use crate::block::{LargeBlock, Location, TooLarge, Transition};
use crate::templates::{Constants, facts};
use crate::terms::{Terms, Variable};

/// Locations at most.
const MAX_LOCATIONS: usize = 600;
/// Variables of a location of which facts are tried.
const MAX_VARIABLES: usize = 24;
/// Facts that are shown one by one where the solver gives up on all together.
const MAX_SINGLE: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Invariants {
    /// By location that is reached.
    facts: BTreeMap<Location, Vec<ExprId>>,
    worklist: VecDeque<Location>,
}

impl Invariants {
    /// Of a program in which nothing is reached but its beginning.
    pub(crate) fn new(entry: Location) -> Self {
        Invariants {
            facts: BTreeMap::from([(entry, Vec::new())]),
            worklist: VecDeque::from([entry]),
        }
    }

    /// The facts of a location; `None` if no transition reaches it.
    pub(crate) fn of(&self, location: Location) -> Option<&[ExprId]> {
        self.facts.get(&location).map(Vec::as_slice)
    }

    /// What holds whenever control comes to a location: `false` if it never does.
    pub(crate) fn at(&self, location: Location) -> &[ExprId] {
        match self.of(location) {
            Some(facts) => facts,
            None if self.are_proved() => &[ExprId::FALSE],
            None => &[],
        }
    }

    /// Whether the facts hold in every run.
    pub(crate) fn are_proved(&self) -> bool {
        self.worklist.is_empty()
    }

    /// Follows the transitions from one location.
    pub(crate) fn step(
        &mut self,
        automaton: &mut Automaton<'_>,
        asker: &mut Asker<'_>,
    ) -> Result<(), TooLarge> {
        let Some(location) = self.worklist.pop_front() else {
            return Ok(());
        };
        if self.facts.len() > MAX_LOCATIONS {
            return Err(TooLarge);
        }
        let block = automaton.block(location)?;
        let before = self.facts.get(&location).cloned().unwrap_or_default();
        for transition in &block.transitions {
            let mut base = before.clone();
            base.push(transition.condition);
            if asker.refutes(&mut automaton.terms, &base) {
                continue;
            }
            let target = transition.target;
            let (facts, is_new) = match self.facts.remove(&target) {
                Some(facts) => (facts, false),
                None => (candidates(automaton, target)?, true),
            };
            let count = facts.len();
            let kept = kept(
                &mut automaton.terms,
                asker,
                &block,
                transition,
                &base,
                facts,
            );
            if (is_new || kept.len() < count) && !self.worklist.contains(&target) {
                self.worklist.push_back(target);
            }
            self.facts.insert(target, kept);
        }
        Ok(())
    }
}

/// Those of some facts at the target that hold behind a transition.
pub(crate) fn kept(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    block: &LargeBlock,
    transition: &Transition,
    base: &[ExprId],
    mut facts: Vec<ExprId>,
) -> Vec<ExprId> {
    let mut after = at_end(terms, block, transition, &facts);
    loop {
        let all = terms.pool_mut().all(after.iter().copied());
        let broken = terms.pool_mut().not(all);
        let mut query = base.to_vec();
        query.push(broken);
        let Answer::Sat(model) = asker.check(terms, &query) else {
            break;
        };
        let values = evaluate(terms, &after, &model);
        let mut holds = values.iter().map(|value| value.is_some_and(Value::is_true));
        let before = facts.len();
        facts.retain(|_| holds.next().unwrap_or(false));
        let mut holds = values.iter().map(|value| value.is_some_and(Value::is_true));
        after.retain(|_| holds.next().unwrap_or(false));
        if facts.len() == before {
            // The model cannot be evaluated.
            return Vec::new();
        }
    }
    let all = terms.pool_mut().all(after.iter().copied());
    let broken = terms.pool_mut().not(all);
    let mut query = base.to_vec();
    query.push(broken);
    if asker.refutes(terms, &query) {
        return facts;
    }
    // What cannot be shown together is shown one by one, or dropped.
    if facts.len() > MAX_SINGLE {
        return Vec::new();
    }
    let pairs = facts.into_iter().zip(after);
    pairs
        .filter(|(_, after)| {
            let mut query = base.to_vec();
            query.push(terms.pool_mut().not(*after));
            asker.refutes(terms, &query)
        })
        .map(|(fact, _)| fact)
        .collect()
}

/// Conditions at the target of a transition as conditions at its beginning.
pub(crate) fn at_end(
    terms: &mut Terms<'_>,
    block: &LargeBlock,
    transition: &Transition,
    conditions: &[ExprId],
) -> Vec<ExprId> {
    let mut replace: FxHashMap<Symbol, ExprId> = FxHashMap::default();
    for (variable, symbol) in terms.variables_of(conditions) {
        let after = block.after(terms, transition, variable, symbol);
        if let Some(symbol) = terms.pool().as_symbol(symbol) {
            replace.insert(symbol, after);
        }
    }
    conditions
        .iter()
        .map(|id| terms.substitute(*id, &replace))
        .collect()
}

/// Facts that may hold at a location.
fn candidates(automaton: &mut Automaton<'_>, location: Location) -> Result<Vec<ExprId>, TooLarge> {
    let block = automaton.block(location)?;
    let mut conditions: Vec<ExprId> = Vec::new();
    conditions.extend(
        block
            .transitions
            .iter()
            .map(|transition| transition.condition),
    );
    conditions.extend(
        block
            .occurrences
            .iter()
            .map(|occurrence| occurrence.condition),
    );
    let terms = &mut automaton.terms;
    let constants = Constants::of(terms, &conditions);
    let mut variables = terms.variables_of(&conditions);
    // Values of the innermost frame, then cells, then the rest.
    variables.sort_by_key(|(variable, _)| match variable {
        Variable::Value(frame, ..) if *frame == location.frame => 0,
        Variable::Cell(..) => 1,
        Variable::Value(..) => 2,
    });
    variables.truncate(MAX_VARIABLES);
    Ok(facts(terms, &variables, &constants))
}

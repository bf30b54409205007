//! Checks a certificate by plain queries, without what found it.
//!
//! What is trusted is the encoding of the program (`automaton`, `block`, `memory`, `terms` and the
//! analysis under them) and the solver that answers. The graph, the precision, the invariants and
//! the layers of Labrys's own solver are not: nothing of them is used.
//!
//! With `I` the formula of a location, and `false` where the certificate has none:
//!
//! - initiation: `I` is valid where runs begin;
//! - consecution, for each transition from `L` to `T`: `I(L) ∧ condition ∧ x' = after(x) ⇒ I(T)(x')`;
//! - goal, for each claim and location: `I(L)` contradicts the condition under which a run from `L`
//!   takes the branch, and that of each call that the encoding does not follow and that may take it.
//!
//! Law: a claim is checked only if each of these queries was answered by `unsat`.

use std::collections::BTreeMap;
use std::rc::Rc;

use labrys_analysis::ProgramAnalysis;
use labrys_expr::{ExprId, Op, Symbol};
use labrys_program::{BranchId, FunctionId, SourceLoop};
use labrys_solver::plain::{Decide, Reply};
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::{Certificate, claims, read, script, unit};
use super::verdict::Verdict;
use super::{calls, names, witness};
use crate::automaton::Automaton;
use crate::block::{LargeBlock, Location, TooLarge, Transition};

const RETURNED_TO: &str = "control returns twice to a call in the function";

/// A certificate that is checked, location by location.
pub struct Verification<'p> {
    automaton: Automaton<'p>,
    certificate: Certificate,
    /// In the order in which they are checked.
    locations: Vec<Location>,
    next: usize,
    /// Whether the formulas are an invariant, as far as they are checked.
    invariant: Verdict,
    claims: BTreeMap<BranchId, Verdict>,
    queries: u64,
}

impl<'p> Verification<'p> {
    /// Reads a certificate for a program whose runs begin in a function.
    ///
    /// # Errors
    /// Why the text is no certificate of the program.
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        text: &str,
    ) -> Result<Self, String> {
        let script = script(text)?;
        let entered = calls::read(analysis.program(), &script)?;
        if !entered.is_empty() {
            let claims = claims(analysis.program(), &script)?;
            let claims = calls::judge(analysis, entry, &entered, &claims);
            return Ok(Verification::decided(analysis, entry, claims));
        }
        let unit = unit(analysis.program(), &script)?;
        let mut automaton = match unit {
            Some(function) => Automaton::of_unit(analysis, function),
            None => Automaton::new(analysis, entry),
        };
        let certificate = read(&mut automaton, script)?;
        let start = automaton.entry();
        if !certificate.invariants.contains_key(&start) {
            let name = names::location(&automaton.terms, start);
            return Err(format!("it says nothing of {name}, where runs begin"));
        }
        let outside = automaton.called_from_outside();
        let obstacle = obstacle(analysis, unit);
        let mut claims = BTreeMap::new();
        for claim in &certificate.claims {
            let verdict = match obstacle {
                Some(obstacle) => Verdict::Refused(obstacle.to_owned()),
                None if unit
                    .is_some_and(|unit| !calls::is_of(analysis.program(), *claim, unit)) =>
                {
                    Verdict::Refused("it is a branch of another function".to_owned())
                }
                None if unit.is_none() && automaton.may_take(&outside, *claim) => {
                    Verdict::Refused("code outside of the program may call its function".to_owned())
                }
                None => Verdict::Checked,
            };
            claims.insert(*claim, verdict);
        }
        Ok(Verification {
            locations: certificate.invariants.keys().copied().collect(),
            automaton,
            certificate,
            next: 0,
            invariant: Verdict::Checked,
            claims,
            queries: 0,
        })
    }

    /// One that has no locations to check.
    fn decided(
        analysis: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        claims: BTreeMap<BranchId, Verdict>,
    ) -> Self {
        Verification {
            automaton: Automaton::new(analysis, entry),
            certificate: Certificate::default(),
            locations: Vec::new(),
            next: 0,
            invariant: Verdict::Checked,
            claims,
            queries: 0,
        }
    }

    /// How many locations are checked, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.locations.len())
    }

    /// Queries so far.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// The branches that are claimed, each with what is found out; final when all locations are
    /// checked.
    #[must_use]
    pub fn verdicts(&self) -> BTreeMap<BranchId, Verdict> {
        let is_done = self.next == self.locations.len();
        let rest = match is_done {
            true => Verdict::Checked,
            false => Verdict::NotChecked("the check was not finished".to_owned()),
        };
        let whole = self.invariant.clone().and(rest);
        let claims = self.claims.iter();
        claims
            .map(|(claim, verdict)| (*claim, whole.clone().and(verdict.clone())))
            .collect()
    }

    /// An invariant of each loop of the source, as a C expression over its variables; `None` for a
    /// loop of which the certificate says nothing, and for all where it claims nothing that was
    /// checked.
    #[must_use]
    pub fn loop_invariants(&mut self, loops: &[SourceLoop]) -> Vec<Option<String>> {
        let verdicts = self.verdicts();
        if !verdicts.values().any(|one| *one == Verdict::Checked) {
            return vec![None; loops.len()];
        }
        witness::loop_invariants(&mut self.automaton, &self.certificate.invariants, loops)
    }

    /// Checks one location; `false` if there is none left.
    pub fn step(&mut self, solver: &mut dyn Decide) -> bool {
        let Some(location) = self.locations.get(self.next).copied() else {
            return false;
        };
        self.next += 1;
        if location == self.automaton.entry() {
            let verdict = self.initiation(solver, location);
            self.note(verdict);
        }
        let block = match self.automaton.block(location) {
            Ok(block) => block,
            Err(TooLarge) => {
                let name = names::location(&self.automaton.terms, location);
                self.note(Verdict::NotChecked(format!(
                    "the block at {name} is too large"
                )));
                return true;
            }
        };
        for transition in &block.transitions {
            let verdict = self.consecution(solver, location, &block, transition);
            self.note(verdict);
        }
        self.goals(solver, location, &block);
        true
    }

    fn note(&mut self, verdict: Verdict) {
        let known = std::mem::replace(&mut self.invariant, Verdict::Checked);
        self.invariant = known.and(verdict);
    }

    fn initiation(&mut self, solver: &mut dyn Decide, entry: Location) -> Verdict {
        let invariant = self.certificate.invariants[&entry];
        let broken = self.automaton.terms.pool_mut().not(invariant);
        let reply = self.ask(solver, vec![broken]);
        let name = names::location(&self.automaton.terms, entry);
        judged(reply, || {
            format!("not all runs begin in the formula of {name}")
        })
    }

    fn consecution(
        &mut self,
        solver: &mut dyn Decide,
        from: Location,
        block: &Rc<LargeBlock>,
        transition: &Transition,
    ) -> Verdict {
        let base = vec![self.certificate.invariants[&from], transition.condition];
        let target = transition.target;
        let wanted = self
            .certificate
            .invariants
            .get(&target)
            .copied()
            .unwrap_or(ExprId::FALSE);
        let (equations, wanted) = self.behind(block, transition, wanted);
        let parts = self.conjuncts(wanted);
        let mut reply = self.implies(solver, &base, &equations, wanted);
        if matches!(reply, Reply::Unknown(_)) && parts.len() > 1 {
            reply = Reply::Unsat;
            for part in parts {
                match self.implies(solver, &base, &equations, part) {
                    Reply::Unsat => {}
                    other => {
                        reply = other;
                        break;
                    }
                }
            }
        }
        let name = |location| names::location(&self.automaton.terms, location);
        judged(reply, || {
            format!(
                "a run leaves the invariant from {} to {}",
                name(from),
                name(target)
            )
        })
    }

    /// A formula of the variables at the end of a transition over new symbols, and what these are at
    /// its beginning.
    fn behind(
        &mut self,
        block: &LargeBlock,
        transition: &Transition,
        wanted: ExprId,
    ) -> (Vec<ExprId>, ExprId) {
        let terms = &mut self.automaton.terms;
        let mut replace: FxHashMap<Symbol, ExprId> = FxHashMap::default();
        let mut equations = Vec::new();
        for (variable, own) in terms.variables_of(&[wanted]) {
            let Some(symbol) = terms.pool().as_symbol(own) else {
                continue;
            };
            let after = block.after(terms, transition, variable, own);
            let primed = terms.fresh(symbol.width());
            equations.push(terms.pool_mut().eq(primed, after));
            replace.insert(symbol, primed);
        }
        let wanted = terms.substitute(wanted, &replace);
        (equations, wanted)
    }

    /// Whether a formula follows.
    fn implies(
        &mut self,
        solver: &mut dyn Decide,
        base: &[ExprId],
        equations: &[ExprId],
        wanted: ExprId,
    ) -> Reply {
        let mut query = base.to_vec();
        query.extend(equations);
        query.push(self.automaton.terms.pool_mut().not(wanted));
        self.ask(solver, query)
    }

    fn conjuncts(&self, id: ExprId) -> Vec<ExprId> {
        let pool = self.automaton.terms.pool();
        let (mut parts, mut stack) = (Vec::new(), vec![id]);
        while let Some(id) = stack.pop() {
            match pool.node(id).operands() {
                [a, b] if pool.op(id) == Op::And && pool.width(id) == 1 => stack.extend([*a, *b]),
                _ => parts.push(id),
            }
        }
        parts
    }

    /// Checks that no claimed branch is taken from a location.
    fn goals(&mut self, solver: &mut dyn Decide, location: Location, block: &LargeBlock) {
        let claims: Vec<BranchId> = self.claims.keys().copied().collect();
        for claim in claims {
            let mut conditions: Vec<(ExprId, &str)> = Vec::new();
            let taken = block
                .occurrences
                .iter()
                .filter(|one| one.branch == claim && self.automaton.counts(one.frame));
            conditions.extend(taken.map(|occurrence| (occurrence.condition, "a run may take it")));
            for escape in &block.escapes {
                // A call of a unit's function begins like the one that is looked at.
                let is_unit = self.automaton.terms.is_unit();
                if !is_unit && self.automaton.may_take(&escape.functions, claim) {
                    conditions.push((escape.condition, "a call that is not followed may take it"));
                }
            }
            for (condition, how) in conditions {
                let query = vec![self.certificate.invariants[&location], condition];
                let reply = self.ask(solver, query);
                let name = names::location(&self.automaton.terms, location);
                let verdict = judged(reply, || format!("{how} from {name}"));
                if let Some(known) = self.claims.get_mut(&claim) {
                    *known = known.clone().and(verdict);
                }
            }
        }
    }

    /// Whether conditions can all be true, with what every run satisfies of the addresses in them.
    fn ask(&mut self, solver: &mut dyn Decide, conditions: Vec<ExprId>) -> Reply {
        let terms = &mut self.automaton.terms;
        let mut all = terms.axioms(&conditions);
        all.extend(conditions);
        if all.contains(&ExprId::FALSE) {
            return Reply::Unsat;
        }
        all.retain(|id| *id != ExprId::TRUE);
        self.queries += 1;
        let reply = solver.decide(&self.automaton.terms.pool().to_smtlib(&all));
        match reply {
            // The functions may be others in the model.
            Reply::Sat if self.has_functions(&all) => {
                Reply::Unknown("it hangs on a function of the library".to_owned())
            }
            reply => reply,
        }
    }

    fn has_functions(&self, conditions: &[ExprId]) -> bool {
        let pool = self.automaton.terms.pool();
        let mut seen = FxHashSet::default();
        let mut stack = conditions.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                if pool.op(id) == Op::External {
                    return true;
                }
                pool.for_each_child(id, |child| stack.push(child));
            }
        }
        false
    }
}

/// A reply as a verdict; `sat` refuses the claim for this reason.
fn judged(reply: Reply, why: impl FnOnce() -> String) -> Verdict {
    match reply {
        Reply::Unsat => Verdict::Checked,
        Reply::Sat => Verdict::Refused(why()),
        Reply::Unknown(reason) => Verdict::NotChecked(format!("{}? the solver: {reason}", why())),
    }
}

/// What stands against a certificate of the program, or of a function by itself.
fn obstacle<'p>(analysis: &'p ProgramAnalysis<'_>, unit: Option<FunctionId>) -> Option<&'p str> {
    let obstacles = match unit {
        Some(unit) if analysis.has_second_returns(unit) => return Some(RETURNED_TO),
        Some(_) => analysis.local_obstacles(),
        None => analysis.obstacles(),
    };
    obstacles.first().map(String::as_str)
}

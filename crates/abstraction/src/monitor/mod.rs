//! The monitor: what the last complete graph says of the flips of runs (section 5 of the paper).
//!
//! A run is followed through the large blocks. At each location the monitor has the states of the
//! graph that the run may be in; the conditions of the decisions that were taken tell which of
//! their successors it may be in next. A flip whose states neither take an open branch in the
//! block nor have a successor that comes to one is pruned, whatever is behind it.
//!
//! Law (theorem 1): see [`labrys_engine::Monitor`]. Where a run cannot be followed, or a query is
//! not answered within the budget, nothing is pruned.
//!
//! A new graph is another monitor; the search keeps what an earlier one pruned, so that verdicts
//! are those of the product of all. Open branches that were taken meanwhile are forgotten when they
//! are many: until then they are goals too, and less is pruned.
//!
//! Judging pays for itself ([`account`]): a monitor that prunes no flips has next to no work.

mod account;
mod distances;
mod oracle;
mod walker;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use labrys_engine::{Monitor, RunFlip, RunRecord, Session, Verdict};
use labrys_expr::ExprId;
use labrys_program::BranchId;

use crate::Ask;
use crate::automaton::Automaton;
use crate::checker::Checker;
use crate::graph::{Graph, StateId};
use crate::invariants::Invariants;
use account::Account;
use distances::{Distances, GoalConditions, holds};
use oracle::{Answers, Oracle};
use walker::{End, Passed, Stretch, walk};

/// Steps of the solver for the distances of a graph.
const GRAPH_WORK: u64 = 40_000;
/// Steps of the solver for the flips of a run.
const RUN_WORK: u64 = 16_000;
/// Goals are looked at anew when so many of them are left: a part of this many.
const FEWER: (usize, usize) = (7, 8);
/// States that a run may be in.
const MAX_STATES: usize = 48;

/// What is known of one graph and one set of open branches.
struct Current {
    graph: Rc<Graph>,
    goals: BTreeSet<BranchId>,
    conditions: GoalConditions,
    distances: Distances,
}

/// What is known of some flips of a run.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// By flip.
    pub verdicts: Vec<Verdict>,
    /// Why the graph has no such run, which cannot be: nothing is pruned behind.
    pub contradiction: Option<&'static str>,
    /// How many locations the run was followed through.
    pub followed: usize,
}

/// What a monitor remembers beside the graph.
#[derive(Default)]
pub struct Guide {
    answers: Answers,
    current: Option<Current>,
}

impl Guide {
    /// Brings distances up to date; `false` if there is no monitor.
    fn update(
        &mut self,
        checker: &mut Checker<'_>,
        ask: &mut dyn Ask,
        goals: &BTreeSet<BranchId>,
    ) -> bool {
        let Some((graph, automaton, invariants)) = checker.complete() else {
            return false;
        };
        let known = self.current.as_ref();
        let is_known = |known: &Current| {
            Rc::ptr_eq(&known.graph, &graph)
                && !are_fewer(goals.len(), known.goals.len())
                && goals.is_subset(&known.goals)
        };
        if known.is_some_and(is_known) {
            return true;
        }
        self.current = None;
        if is_blind(automaton, goals.iter().copied()) {
            return false;
        }
        let mut conditions = GoalConditions::default();
        let until = ask.work() + GRAPH_WORK;
        let mut oracle = Oracle {
            answers: &mut self.answers,
            ask,
            until,
        };
        let program = (automaton, invariants);
        let distances = Distances::new(&graph, program, &mut oracle, &mut conditions, goals);
        self.current = distances.ok().map(|distances| Current {
            graph,
            goals: goals.clone(),
            conditions,
            distances,
        });
        self.current.is_some()
    }

    /// What is known of some flips of a run, which are in the order of steps.
    pub fn judge(
        &mut self,
        checker: &mut Checker<'_>,
        ask: &mut dyn Ask,
        goals: &BTreeSet<BranchId>,
        run: &RunRecord,
        flips: &[RunFlip],
    ) -> Judgement {
        let mut judgement = Judgement {
            verdicts: vec![Verdict::Open; flips.len()],
            contradiction: None,
            followed: 0,
        };
        if !self.update(checker, ask, goals) {
            return judgement;
        }
        let (Some(current), Some((_, automaton, invariants))) =
            (&mut self.current, checker.complete())
        else {
            return judgement;
        };
        let (stretches, end) = walk(automaton, &run.0);
        let until = ask.work() + RUN_WORK;
        let mut follower = Follower {
            current,
            automaton,
            invariants,
            oracle: Oracle {
                answers: &mut self.answers,
                ask,
                until,
            },
        };
        let followed = follower.follow(&stretches, flips, &mut judgement.verdicts);
        judgement.followed = stretches.len();
        judgement.contradiction = match end {
            _ if !followed => Some("no state"),
            End::Excluded => Some("a decision that the block excludes"),
            _ => None,
        };
        judgement
    }
}

/// Whether there are fewer goals than when they were looked at last, so that it is worth to do so again.
fn are_fewer(now: usize, then: usize) -> bool {
    now * FEWER.1 <= then * FEWER.0
}

/// Whether code outside of the program may take an open branch at any time: by calling a function.
fn is_blind(automaton: &mut Automaton<'_>, mut goals: impl Iterator<Item = BranchId>) -> bool {
    let outside = automaton.called_from_outside();
    goals.any(|goal| automaton.may_take(&outside, goal))
}

/// Follows one run through the graph.
struct Follower<'a, 'p> {
    current: &'a mut Current,
    automaton: &'a mut Automaton<'p>,
    invariants: &'a Invariants,
    oracle: Oracle<'a>,
}

impl Follower<'_, '_> {
    /// Judges the flips, which are in the order of steps; `false` if a stretch is in no state.
    fn follow(
        &mut self,
        stretches: &[Stretch],
        flips: &[RunFlip],
        verdicts: &mut [Verdict],
    ) -> bool {
        let mut states = vec![self.current.graph.resolved(StateId(0))];
        let mut at = 0;
        for stretch in stretches {
            if states.is_empty() || states.len() > MAX_STATES {
                return !states.is_empty();
            }
            for passed in &stretch.steps {
                while flips.get(at).is_some_and(|flip| flip.step < passed.step) {
                    at += 1;
                }
                while let Some(flip) = flips.get(at).filter(|flip| flip.step == passed.step) {
                    verdicts[at] = self.verdict(&states, stretch, passed, flip);
                    at += 1;
                }
            }
            if at >= flips.len() {
                return true;
            }
            states = self.next(&states, stretch);
        }
        true
    }

    /// The states behind a stretch.
    fn next(&mut self, states: &[StateId], stretch: &Stretch) -> Vec<StateId> {
        let mut behind: Vec<(StateId, usize, StateId)> = Vec::new();
        for id in states {
            let successors = &self.current.graph.state(*id).successors;
            let there =
                |index: usize| Some(stretch.block.transitions[index].target) == stretch.next;
            let there = successors.iter().filter(|(index, _)| there(*index));
            behind.extend(there.map(|(index, successor)| (*id, *index, *successor)));
        }
        let mut found: BTreeSet<StateId> = BTreeSet::new();
        let alone = behind.len() == 1;
        for (id, index, successor) in behind {
            let target = self.current.graph.resolved(successor);
            if found.contains(&target) {
                continue;
            }
            if alone || self.leads(id, stretch, &stretch.conditions, index, successor) {
                found.insert(target);
            }
        }
        found.into_iter().collect()
    }

    /// Whether a state may have a successor under some conditions of the block.
    fn leads(
        &mut self,
        id: StateId,
        stretch: &Stretch,
        conditions: &[ExprId],
        index: usize,
        successor: StateId,
    ) -> bool {
        let graph = self.current.graph.clone();
        let mut query = holds(&graph, self.invariants, id);
        query.extend(conditions);
        query.push(stretch.block.transitions[index].condition);
        let transition = (stretch.location, &*stretch.block, index);
        let terms = &mut self.automaton.terms;
        let cube = &graph.state(successor).cube;
        query.extend(self.oracle.before(terms, transition, cube));
        self.oracle.may(terms, query)
    }

    fn verdict(
        &mut self,
        states: &[StateId],
        stretch: &Stretch,
        passed: &Passed,
        flip: &RunFlip,
    ) -> Verdict {
        let mut conditions = stretch.conditions[..passed.before].to_vec();
        if let Some((frame, site)) = passed.decision {
            let program = self.automaton.terms.program();
            let oracle = program.site(site).is_none_or(|site| site.oracle);
            let Some(branch) = program.branch(site, flip.direction).filter(|_| !oracle) else {
                return Verdict::Open;
            };
            let mut places = stretch.block.occurrences.iter();
            let place = places.find(|place| (place.frame, place.branch) == (frame, branch));
            conditions.push(place.map_or(ExprId::FALSE, |place| place.condition));
        }
        let distances = states
            .iter()
            .map(|id| self.distance(*id, stretch, &conditions));
        let nearest = distances.flatten().min();
        nearest.map_or(Verdict::Pruned, Verdict::Distance)
    }

    /// How far a state is from an open branch under some conditions of its block.
    fn distance(&mut self, id: StateId, stretch: &Stretch, conditions: &[ExprId]) -> Option<u32> {
        // Nothing behind the state takes an open branch.
        let least = self.current.distances.of(id)?;
        if least == 0 {
            let Current {
                conditions: known,
                goals,
                ..
            } = &mut *self.current;
            let any = known.of(self.automaton, stretch.location, &stretch.block, goals);
            let mut query = holds(&self.current.graph, self.invariants, id);
            query.extend(conditions);
            query.push(any);
            if self.oracle.may(&mut self.automaton.terms, query) {
                return Some(0);
            }
        }
        let graph = self.current.graph.clone();
        let far = |(index, successor): &(usize, StateId)| {
            let distance = self.current.distances.of(graph.resolved(*successor))?;
            Some((distance, *index, *successor))
        };
        let mut behind: Vec<_> = graph.state(id).successors.iter().filter_map(far).collect();
        behind.sort_unstable();
        let mut behind = behind.into_iter();
        let nearest = behind
            .find(|(_, index, successor)| self.leads(id, stretch, conditions, *index, *successor));
        nearest.map(|(distance, ..)| distance + 1)
    }
}

/// The monitor of a model checker, for the search beside it.
pub struct GraphMonitor<'p> {
    checker: Rc<RefCell<Option<Checker<'p>>>>,
    guide: Guide,
    version: u64,
    /// The graph and the number of open branches of that version.
    known: Option<(Rc<Graph>, usize)>,
    /// Whether it can say nothing of that version.
    blind: bool,
    told: bool,
    account: Account,
}

impl<'p> GraphMonitor<'p> {
    pub(crate) fn new(checker: Rc<RefCell<Option<Checker<'p>>>>) -> Self {
        GraphMonitor {
            checker,
            guide: Guide::default(),
            version: 0,
            known: None,
            blind: false,
            told: false,
            account: Account::default(),
        }
    }
}

impl Monitor for GraphMonitor<'_> {
    fn version(&mut self, session: &Session) -> Option<u64> {
        let mut checker = self.checker.borrow_mut();
        let (graph, automaton, _) = checker.as_mut()?.complete()?;
        if !self.account.has_work(session.effort()) {
            return None;
        }
        // Open branches only become fewer.
        let goals = session.unseen();
        let count = goals.count();
        let known = self.known.as_ref();
        let is_known =
            |(of, known): &(Rc<Graph>, usize)| Rc::ptr_eq(of, &graph) && !are_fewer(count, *known);
        if !known.is_some_and(is_known) {
            self.version += 1;
            self.known = Some((graph, count));
            self.blind = is_blind(automaton, goals.iter());
        }
        (!self.blind).then_some(self.version)
    }

    fn judge(&mut self, session: &mut Session, run: &RunRecord, flips: &[RunFlip]) -> Vec<Verdict> {
        let goals: BTreeSet<BranchId> = session.unseen().iter().collect();
        let mut checker = self.checker.borrow_mut();
        let Some(checker) = checker.as_mut() else {
            return vec![Verdict::Open; flips.len()];
        };
        let before = session.effort() + checker.work();

        let judgement = self.guide.judge(checker, session, &goals, run, flips);
        self.account
            .spend(session.effort() + checker.work() - before);
        let pruned = judgement.verdicts.iter();
        let pruned = pruned.filter(|verdict| **verdict == Verdict::Pruned);
        self.account.judged(flips.len(), pruned.count());
        if let Some(what) = judgement.contradiction
            && !std::mem::replace(&mut self.told, true)
        {
            session.note(&format!(
                "the abstraction has no run as one that was made ({what})"
            ));
        }
        judgement.verdicts
    }

    fn charge(&mut self, work: u64) {
        self.account.spend(work);
    }
}

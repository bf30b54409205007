//! Concolic testing of one unit: weighted random negation (section 3.4), and the search that a
//! refining constraint directs at the calls of one function (section 3.5.4).
//!
//! A flip is a direction that a step of an explored path did not take. Each flip is tried once, and
//! once more under each refining constraint.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::time::Instant;

use labrys_engine::{Error, Mode, Observation, Progress, Session, Technique, child};
use labrys_expr::{ExprId, Pool, Symbol};
use labrys_program::FunctionId;
use labrys_solver::{Answer, Assignment, Core};
use labrys_suite::{Flip, Input, Origin};
use labrys_trace::Trace;
use rustc_hash::{FxHashSet, FxHasher};

use crate::bind::bound;
use crate::nearness::{Focus, Nearness};
use crate::summary::{Path, Reading, Slice, Summary};

/// How many times more likely a branch of the unit's own function is negated.
pub(crate) const OWN: u32 = 4;
/// Steps of the solver for one query.
const QUERY: u64 = 20_000;
/// A flip on a path that comes to the wanted call is so many times more likely.
const LEADS: u32 = 4;
/// A step is so many times more likely if it decides on input that the failure lacks something of.
const TOUCHES: u32 = 8;
/// Queries of one flip with fewer and fewer conditions that may be dropped.
const MOST_DROPS: u32 = 3;

/// A flip of an explored path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    path: usize,
    step: usize,
    flip: usize,
}

/// See the module.
pub(crate) struct Explorer {
    pub(crate) summary: Summary,
    reading: Reading,
    /// Flips that were tried, and directions that runs took, by the decisions before them.
    tried: FxHashSet<u64>,
    /// Flips that were tried under the constraint at work.
    guessed: FxHashSet<u64>,
    focus: Option<Focus>,
    /// How near each path comes to what is looked for, the first paths first.
    nearness: Vec<Nearness>,
    current: usize,
    /// The functions that runs called, in the unit's program, where that is recorded; `None` if it is
    /// not known of a run.
    called: Option<BTreeSet<FunctionId>>,
    /// Queries that are left.
    quota: u32,
    until: Option<Instant>,
    rng: fastrand::Rng,
}

impl Explorer {
    pub(crate) fn new(reading: Reading, seed: u64) -> Self {
        Explorer {
            summary: Summary::default(),
            reading,
            tried: FxHashSet::default(),
            guessed: FxHashSet::default(),
            focus: None,
            nearness: Vec::new(),
            current: 0,
            called: Some(BTreeSet::new()),
            quota: 0,
            until: None,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// So many queries more may be asked, until this time.
    pub(crate) fn allow(&mut self, queries: u32, until: Option<Instant>) {
        (self.quota, self.until) = (queries, until);
    }

    /// From now on the search is directed, or is not.
    pub(crate) fn focus(&mut self, focus: Option<Focus>) {
        self.focus = focus;
        self.guessed.clear();
        self.nearness.clear();
    }

    /// Measures the paths that are new.
    fn measure(&mut self) {
        let Some(focus) = &self.focus else { return };
        let paths = &self.summary.paths()[self.nearness.len()..];
        let pool = &self.summary.pool;
        let measured = paths.iter().map(|path| Nearness::of(pool, path, focus));
        self.nearness.extend(measured);
    }

    /// The functions that all runs called, if that was recorded and is known.
    pub(crate) fn called(&self) -> Option<&BTreeSet<FunctionId>> {
        self.called.as_ref()
    }

    /// A run called some functions.
    pub(crate) fn note_calls(&mut self, trace: Option<&Trace>) {
        let numbers = trace.and_then(|trace| trace.recording().called());
        match (numbers, &mut self.called) {
            (Some(numbers), Some(called)) => called.extend(numbers.into_iter().map(FunctionId)),
            _ => self.called = None,
        }
    }

    /// Adds the path of a run.
    fn learn(&mut self, session: &mut Session, seen: Observation) {
        self.note_calls(seen.trace.as_ref());
        let Some(trace) = seen.trace else { return };
        let program = session.program().clone();
        let mut path = self
            .summary
            .read(&self.reading, &program, &trace, seen.input);
        path.failed = seen.outcome.is_failure();
        session.recycle(trace);
        let path = self.summary.add(path);
        let steps = &self.summary.paths()[path].steps;
        let keys: Vec<u64> = keys(steps.iter().map(|step| (step.site, step.direction)))
            .zip(steps)
            .map(|(key, step)| taken(key, step.direction))
            .collect();
        self.tried.extend(keys);
        self.current = path;
    }

    /// Picks an untried flip: of the current path, else of another one.
    fn pick(&mut self, guessing: bool) -> Option<Candidate> {
        let paths = self.summary.paths().len();
        let directed = self.focus.is_some();
        let others = (0..paths).filter(|path| *path != self.current);
        let mut order: Vec<usize> = others.collect();
        self.rng.shuffle(&mut order);
        // A directed search has many paths to begin with, and one of them may be the one to leave.
        let first = if directed { order.len() } else { 0 };
        order.insert(
            if directed {
                self.rng.usize(..=first)
            } else {
                0
            },
            self.current,
        );
        if let Some(focus) = &self.focus {
            let comes = |path: &usize| {
                self.summary.paths()[*path]
                    .slices_at(focus.callee)
                    .next()
                    .is_none()
            };
            order.sort_by_key(comes);
            match self.rng.u32(..=LEADS) {
                0 => self.rng.shuffle(&mut order),
                1 => {}
                _ => order.sort_by_key(|path| Reverse(self.nearness[*path].satisfied)),
            }
        }
        order
            .into_iter()
            .find_map(|path| self.pick_of(path, guessing))
    }

    /// Picks an untried flip of a path.
    fn pick_of(&mut self, number: usize, guessing: bool) -> Option<Candidate> {
        let path = self.summary.paths().get(number)?;
        let end = match &self.focus {
            // Steps behind the last call change nothing there.
            Some(focus) => path.slices_at(focus.callee).map(|slice| slice.steps).last(),
            None => None,
        };
        let end = end.unwrap_or(path.steps.len());
        let known = if guessing { &self.guessed } else { &self.tried };
        let mut candidates: Vec<(Candidate, u32)> = Vec::new();
        let keys = keys(path.steps.iter().map(|step| (step.site, step.direction)));
        let near = self.focus.as_ref().map(|_| &self.nearness[number]);
        let pool = &self.summary.pool;
        for (at, (step, key)) in path.steps.iter().zip(keys).take(end).enumerate() {
            let touches = near.is_some_and(|near| near.touches(pool, step.condition));
            let weight = if step.own { OWN } else { 1 } * if touches { TOUCHES } else { 1 };
            for (flip, (direction, _)) in step.flips.iter().enumerate() {
                let key = taken(key, *direction);
                let tried = known.contains(&key) || guessing && self.tried.contains(&key);
                if !tried {
                    let candidate = Candidate {
                        path: number,
                        step: at,
                        flip,
                    };
                    candidates.push((candidate, weight));
                }
            }
        }
        let total: u32 = candidates.iter().map(|(_, weight)| weight).sum();
        if total == 0 {
            return None;
        }
        let mut ticket = self.rng.u32(..total);
        candidates.into_iter().find_map(|(candidate, weight)| {
            let won = ticket < weight;
            ticket = ticket.saturating_sub(weight);
            won.then_some(candidate)
        })
    }

    /// The key of a flip.
    fn key(&self, candidate: Candidate) -> u64 {
        let path = &self.summary.paths()[candidate.path];
        let mut keys = keys(path.steps.iter().map(|step| (step.site, step.direction)));
        let before = keys.nth(candidate.step).unwrap_or_default();
        taken(before, path.steps[candidate.step].flips[candidate.flip].0)
    }

    /// Tries one flip; whether there was one.
    fn flip(&mut self, session: &mut Session) -> Result<bool, Error> {
        self.measure();
        let guess = self
            .focus
            .as_ref()
            .is_some_and(|focus| !focus.constraint.is_empty());
        let picked = guess.then(|| self.pick(true)).flatten();
        let guessing = picked.is_some();
        let Some(candidate) = picked.or_else(|| self.pick(false)) else {
            return Ok(false);
        };
        let key = self.key(candidate);
        self.quota = self.quota.saturating_sub(1);
        let predicted = if guessing {
            self.predicted(candidate)
        } else {
            Vec::new()
        };
        match guessing && !predicted.is_empty() {
            true => self.guessed.insert(key),
            false => self.tried.insert(key),
        };
        let path = &self.summary.paths()[candidate.path];
        let (hint, parent) = (path.hint(), path.input.clone());
        let (mut hard, mut soft) = path.prefix(candidate.step);
        let step = &path.steps[candidate.step];
        let (direction, goal) = step.flips[candidate.flip];
        let flipped = Flip {
            site: step.site,
            direction,
        };
        match predicted.is_empty() {
            true => soft.extend(self.wanted(candidate)),
            false => hard.extend(predicted),
        }
        self.bound_lengths(&parent, session.max_input(), &mut soft);
        let query = Ask { hard, soft, goal };
        let answered = query.answer(&mut self.summary.pool, session, &hint);
        let Answered::Model(model) = answered else {
            return Ok(true);
        };
        let model = model
            .into_iter()
            .filter(|(symbol, _)| !crate::summary::is_free(*symbol));
        let input = child(&parent, model, session.max_input(), &mut self.rng);
        self.run(session, input, Some(flipped))?;
        Ok(true)
    }

    /// The constraint of a directed search at the call of the parent path: what it passes there is
    /// what the changed path is expected to pass (Kim, Hong and Kim assume it at the function's
    /// entry, which is the same for what is passed on unchanged).
    fn predicted(&mut self, candidate: Candidate) -> Vec<ExprId> {
        let Some(focus) = &self.focus else {
            return Vec::new();
        };
        let path = &self.summary.paths()[candidate.path];
        let later = path
            .slices_at(focus.callee)
            .filter(|slice| slice.steps > candidate.step);
        let slice: Option<Slice> = later.last().cloned();
        let Some(slice) = slice else {
            return Vec::new();
        };
        let constraint = focus.constraint.clone();
        bound(&mut self.summary.pool, &constraint, &slice)
    }

    /// What the nearest call of the parent path passes, as the failure needs it: what of it can be
    /// kept or had is.
    fn wanted(&mut self, candidate: Candidate) -> Vec<ExprId> {
        let near = self.nearness.get(candidate.path);
        let (Some(focus), Some((slice, cube))) = (&self.focus, near.and_then(|near| near.call))
        else {
            return Vec::new();
        };
        let slice = &self.summary.paths()[candidate.path].slices[slice];
        if slice.steps <= candidate.step {
            return Vec::new();
        }
        let (slice, cube) = (slice.clone(), focus.cubes[cube].clone());
        let mut wanted = bound(&mut self.summary.pool, &cube, &slice);
        wanted.retain(|condition| *condition != ExprId::FALSE);
        wanted
    }

    /// Runs an input and learns from it, unless it was run before.
    fn run(
        &mut self,
        session: &mut Session,
        input: Input,
        flipped: Option<Flip>,
    ) -> Result<(), Error> {
        if session.was_tried(&input) {
            return Ok(());
        }
        let origin = Origin {
            parent: None,
            flipped,
            strategy: "unit".to_owned(),
        };
        session.begin_run(input, origin)?;
        while let Some(seen) = session.end_run()? {
            self.learn(session, seen);
        }
        Ok(())
    }

    /// Files grow only a little in one query.
    fn bound_lengths(&mut self, input: &Input, most: usize, soft: &mut Vec<ExprId>) {
        for (stream, content) in (0_u16..).zip(&input.streams) {
            if content.kind.is_file() {
                let length = content.bytes.len();
                let near = (length + (length / 2).max(16)).min(most);
                let pool = &mut self.summary.pool;
                let value = pool.symbol(Symbol::Length { stream });
                let near = pool.constant(64, near as u128);
                soft.push(pool.ule(value, near));
            }
        }
    }
}

impl Technique for Explorer {
    fn name(&self) -> &'static str {
        "unit"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if let Some(initial) = session.next_initial() {
            let seen = session.run_initial(initial)?;
            self.learn(session, seen);
            return Ok(Progress::More);
        }
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        let over = self.quota == 0 || late || self.summary.is_full();
        Ok(match !over && self.flip(session)? {
            true => Progress::More,
            false => Progress::Done,
        })
    }
}

/// A query with conditions that may be dropped.
pub(crate) struct Ask {
    pub(crate) hard: Vec<ExprId>,
    pub(crate) soft: Vec<ExprId>,
    pub(crate) goal: ExprId,
}

/// The answer to a query.
pub(crate) enum Answered {
    /// So the conditions can be true.
    Model(Vec<(Symbol, u128)>),
    /// These cannot all be true, none of which may be dropped.
    Contradiction(Vec<ExprId>),
    /// Nothing is known.
    Unknown,
}

impl Ask {
    /// A model, without those soft conditions that stand in the way.
    pub(crate) fn answer(
        &self,
        pool: &mut Pool,
        session: &mut Session,
        hint: &Assignment,
    ) -> Answered {
        let hard = &self.hard;
        let mut soft = self.soft.clone();
        for _ in 0..MOST_DROPS {
            let all = hard.iter().chain(&soft).copied().chain([self.goal]);
            let all: Vec<ExprId> = all.collect();
            let softly = hard.len()..hard.len() + soft.len();
            match session.check(pool, all.clone(), hint, Some(QUERY)) {
                Answer::Sat(model) => return Answered::Model(model.iter().collect()),
                Answer::Unsat(core) if core.0.iter().any(|at| softly.contains(at)) => {
                    let dropped = core.0.iter().filter(|at| softly.contains(at));
                    let dropped: Vec<ExprId> = dropped.map(|at| all[*at]).collect();
                    soft.retain(|condition| !dropped.contains(condition));
                }
                Answer::Unsat(core) => return contradiction(&all, &core),
                Answer::Unknown(_) if soft.is_empty() => return Answered::Unknown,
                Answer::Unknown(_) => break,
            }
        }
        let hard: Vec<ExprId> = hard.iter().copied().chain([self.goal]).collect();
        match session.check(pool, hard.clone(), hint, Some(QUERY)) {
            Answer::Sat(model) => Answered::Model(model.iter().collect()),
            Answer::Unsat(core) => contradiction(&hard, &core),
            Answer::Unknown(_) => Answered::Unknown,
        }
    }
}

fn contradiction(conditions: &[ExprId], core: &Core) -> Answered {
    let core = core.0.iter().filter_map(|at| conditions.get(*at));
    Answered::Contradiction(core.copied().collect())
}

/// For each decision a number for the decisions before it and its site.
pub(crate) fn keys(decisions: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u64> {
    let mut before = 0_u64;
    decisions.map(move |(site, direction)| {
        let mut hasher = FxHasher::default();
        (before, site).hash(&mut hasher);
        let key = hasher.finish();
        before = taken(key, direction);
        key
    })
}

/// The number for a decision and its direction.
pub(crate) fn taken(key: u64, direction: u32) -> u64 {
    let mut hasher = FxHasher::default();
    (key, direction).hash(&mut hasher);
    hasher.finish()
}

impl Explorer {
    /// Reads the path of a run that is not to be part of the summary.
    pub(crate) fn read(
        &mut self,
        session: &mut Session,
        input: &Input,
    ) -> Result<Option<Path>, Error> {
        let Some(trace) = session.trace_again(input, Mode::Symbolic)? else {
            return Ok(None);
        };
        let program = session.program().clone();
        let path = self
            .summary
            .read(&self.reading, &program, &trace, input.clone());
        session.recycle(trace);
        Ok(Some(path))
    }
}

//! The search: flips one branch per step, or mutates one input, as its strategy picks.
//!
//! Every run is inserted in the tree, those that diverged too: they are real runs. A divergence
//! is counted, its candidate marked, and nothing is concluded from it.

mod learn;
mod steering;

use std::collections::VecDeque;

use labrys_engine::{DivergenceCause, Error, Initial, Mode, Progress, Session, Technique, child};
use labrys_expr::{Columns, ExprId};
use labrys_solver::{Answer, Core, Model};
use labrys_suite::{Flip as FlippedBranch, Input, Origin};
use labrys_trace::{SizeFlip, Step};

use crate::another::{Again, Others};
use crate::cache::Cache;
use crate::counts::SideCounter;
use crate::endings::Endings;
use crate::growth::roomier;
use crate::inputs::Inputs;
use crate::mutate::Mutator;
use crate::path::trace_direction;
use crate::patience::Patience;
use crate::prospects::Prospects;
use crate::query::{Conditions, DecodedRun, Soft, conditions};
use crate::refresh::refresh;
use crate::relaxation::Relaxation;
use crate::repair::Repair;
use crate::sizes::smallest;
use crate::strategy::{Pick, StepKind, Strategy, View};
use crate::tree::{Candidate, Flip, RunId, Tree};
use crate::weight::Weights;
use learn::Begun;
use steering::Steering;

/// Bytes of traces that are kept at most, and how many of them.
const CACHE_BYTES: usize = 192 << 20;
const CACHE_TRACES: usize = 1024;

/// Choices that are not the strategy's.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Most nodes of the tree.
    pub max_nodes: usize,
    /// Bytes of traces that are kept: what is not is run again when needed.
    pub trace_bytes: usize,
    /// Search what a monitor prunes all the same, and end with an error if it was wrong.
    pub audit: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            max_nodes: Tree::DEFAULT_MAX_NODES,
            trace_bytes: CACHE_BYTES,
            audit: false,
        }
    }
}

impl SearchOptions {
    /// Bounds the tree by bytes, if it may have more nodes now.
    pub fn limit_tree(&mut self, bytes: usize) {
        self.max_nodes = self.max_nodes.min(bytes / Tree::NODE_BYTES);
    }
}

/// Concolic search with a strategy.
pub struct Search<'m> {
    strategy: Box<dyn Strategy>,
    options: SearchOptions,
    tree: Tree,
    inputs: Inputs,
    /// By run: the test case that it became, or that the nearest ancestor did; 0 for none.
    cases: Vec<u32>,
    traces: Cache<DecodedRun>,
    rng: fastrand::Rng,
    patience: Patience,
    weights: Weights,
    prospects: Prospects,
    endings: Endings,
    relaxation: Relaxation,
    /// The branch for which the input to come was made without soft constraints.
    relaxed: Option<(u32, u32)>,
    told_full: bool,
    mutator: Mutator,
    /// A run that left its path for want of soft constraints.
    repair: Option<Repair>,
    /// Branches behind which the first runs failed.
    others: Others,
    /// The runs that were begun, in their order.
    begun: VecDeque<Begun>,
    counter: SideCounter,
    steering: Steering<'m>,
    /// Of functions of a byte, for conditions that are simplified.
    columns: Columns,
}

impl Search<'_> {
    /// A search that has seen no run. All random choices come from the seed.
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>, options: SearchOptions, seed: u64) -> Self {
        Search {
            strategy,
            options,
            tree: Tree::new(options.max_nodes),
            inputs: Inputs::default(),
            cases: Vec::new(),
            traces: Cache::new(options.trace_bytes, CACHE_TRACES),
            rng: fastrand::Rng::with_seed(seed),
            patience: Patience::default(),
            weights: Weights::default(),
            prospects: Prospects::default(),
            endings: Endings::default(),
            relaxation: Relaxation::default(),
            relaxed: None,
            told_full: false,
            mutator: Mutator::default(),
            repair: None,
            others: Others::default(),
            begun: VecDeque::new(),
            counter: SideCounter::default(),
            steering: Steering::default(),
            columns: Columns::default(),
        }
    }

    /// The execution tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    fn start(&mut self, session: &mut Session, initial: Initial) -> Result<(), Error> {
        let seen = session.run_initial(initial)?;
        self.learn(session, seen, Begun::default())
    }

    /// Nothing is to be tried: learns from a run under way, else starts from an input that was put
    /// aside.
    fn end_or_start(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if self.end(session)? == Progress::More {
            return Ok(Progress::More);
        }
        let Some(initial) = session.next_aside() else {
            return Ok(Progress::Done);
        };
        self.start(session, initial)?;
        Ok(Progress::More)
    }

    fn flip(&mut self, session: &mut Session, candidate: Candidate) -> Result<(), Error> {
        let branch = view(&self.tree, session).branch(candidate);
        if branch.is_some_and(|branch| session.unreachable().contains(branch)) {
            self.tree.mark(candidate, Flip::Unsat);
            return Ok(());
        }
        let asked = (self.tree.site(candidate.node), candidate.direction);
        if self.patience.puts_off(candidate, asked) {
            self.tree.mark(candidate, Flip::PutOff);
            return Ok(());
        }
        let run = self.tree.run(candidate.node);
        let Some(mut known) = self.known(session, run)? else {
            self.tree.mark(candidate, Flip::Diverged);
            return Ok(());
        };
        let Some((step, there)) = self.step_of(&known, candidate) else {
            self.tree.mark(candidate, Flip::Diverged);
            session.note_divergence(DivergenceCause::Unsteady);
            return Ok(());
        };
        let before = known.simplifying(&self.columns);
        let model = self.solve_flip(session, &mut known, candidate, (step, &there));
        session.charge(1 + known.simplifying(&self.columns) - before);
        self.learn_patience(session, candidate, asked, model.as_ref().err());
        let made = model.map(|model| self.make(session, &known, step, &model));
        let near = match &made {
            Err(Flip::Unknown) => self.near(session, &mut known, candidate, (step, &there)),
            _ => None,
        };
        let weight = known.weight();
        self.traces.put(run, known, weight);
        match made {
            Ok(input) => self.try_input(session, candidate, run, there.site, input),
            Err(state) => {
                self.tree.mark(candidate, state);
                near.map_or(Ok(()), |input| self.try_near(session, run, input, "near"))
            }
        }
    }

    /// The step of a run's trace at which it made the decision of a candidate.
    fn step_of(&self, known: &DecodedRun, candidate: Candidate) -> Option<(usize, Step)> {
        let there = known.decision(self.tree.depth(candidate.node));
        there.filter(|there| self.tree.is_at(candidate.node, there.1.site))
    }

    /// Runs another input that takes a candidate, behind which the first ones failed.
    fn flip_again(&mut self, session: &mut Session, again: Again) -> Result<(), Error> {
        let Again { candidate, parent } = again;
        let Some(mut known) = self.known(session, parent)? else {
            return Ok(());
        };
        let made = self.another(session, &mut known, again);
        let weight = known.weight();
        self.traces.put(parent, known, weight);
        let Some(input) = made.filter(|input| !session.was_tried(input)) else {
            return Ok(());
        };
        let mut origin = self.origin(parent, None);
        origin.strategy = format!("{}, another", origin.strategy);
        let begun = Begun {
            again: Some(candidate),
            ..Begun::of(parent)
        };
        self.begin(session, input, origin, begun)
    }

    /// An input that takes a candidate, and is none of those that failed behind it.
    fn another(
        &mut self,
        session: &mut Session,
        known: &mut DecodedRun,
        again: Again,
    ) -> Option<Input> {
        let (step, there) = self.step_of(known, again.candidate)?;
        let direction = trace_direction(&there, session.program(), again.candidate.direction);
        let flip = (step, direction);
        let most = session.max_input();
        let found = conditions(known, &mut self.columns, flip, most, Soft::Kept);
        let mut constraints = found.constraints();
        let pool = known.decoder.pool_mut();
        let kept = self.others.kept(pool, again, &constraints, &known.input)?;
        constraints.splice(..0, kept);
        let steps = self.patience.solver_steps();
        match session.check(pool, constraints, &known.hint, steps) {
            Answer::Sat(model) => Some(self.make(session, known, step, &model)),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }

    /// Learns whether the query for a candidate was given up.
    fn learn_patience(
        &mut self,
        session: &Session,
        candidate: Candidate,
        branch: (u32, u32),
        state: Option<&Flip>,
    ) {
        let now = session.effort();
        if state != Some(&Flip::Unknown) {
            return self.patience.answered(branch, state.is_none(), now);
        }
        let uncovered = view(&self.tree, session).uncovered(candidate);
        self.patience.give_up(candidate, branch, uncovered, now);
    }

    /// The input that a model makes of that of a run, with fresh values where the path up to a step
    /// allows any.
    fn make(&mut self, session: &Session, known: &DecodedRun, step: usize, model: &Model) -> Input {
        let length = session.max_input();
        let mut made = child(&known.input, model.iter(), length, &mut self.rng);
        let (path, vocabulary) = ((known, step), session.vocabulary());
        refresh(&mut made, path, model, length, vocabulary, &mut self.rng);
        made
    }

    /// An input that may take a candidate whose query was given up: the nearest that the solver
    /// found, or for an uncovered branch one that satisfies its last condition alone (optimistic
    /// solving: I. Yun and others, QSYM, USENIX Security 2018).
    fn near(
        &mut self,
        session: &mut Session,
        known: &mut DecodedRun,
        candidate: Candidate,
        (step, there): (usize, &Step),
    ) -> Option<Input> {
        let mut near = session.nearest();
        let uncovered = view(&self.tree, session).uncovered(candidate);
        if near.is_none() && uncovered && self.patience.is_first() {
            let direction = trace_direction(there, session.program(), candidate.direction);
            let goal = known.trace.flipped(&mut known.decoder, step, direction);
            let steps = self.patience.solver_steps();
            let pool = known.decoder.pool_mut();
            near = match session.check(pool, vec![goal], &known.hint, steps) {
                Answer::Sat(model) => Some(model),
                Answer::Unsat(_) | Answer::Unknown(_) => None,
            };
        }
        let length = session.max_input();
        near.map(|model| child(&known.input, model.iter(), length, &mut self.rng))
    }

    /// A model that takes a candidate, whose step of its run's trace is `there`.
    fn solve_flip(
        &mut self,
        session: &mut Session,
        known: &mut DecodedRun,
        candidate: Candidate,
        (step, there): (usize, &Step),
    ) -> Result<Model, Flip> {
        let direction = trace_direction(there, session.program(), candidate.direction);
        let branch = (there.site, candidate.direction);
        let (model, constraints) = self.solve(session, known, (step, direction), branch)?;
        let Some(flip) = SizeFlip::of(direction).filter(|_| there.is_size()) else {
            return Ok(model);
        };
        let steps = self.patience.solver_steps();
        let flip = (step, flip);
        Ok(smallest(session, known, flip, &constraints, steps, model))
    }

    /// Runs an input that came near to what was asked for, or was mended: nothing is expected of
    /// it.
    fn try_near(
        &mut self,
        session: &mut Session,
        parent: RunId,
        input: Input,
        how: &str,
    ) -> Result<(), Error> {
        if session.was_tried(&input) {
            return Ok(());
        }
        let mut origin = self.origin(parent, None);
        origin.strategy = format!("{}, {how}", origin.strategy);
        self.relaxed = None;
        self.begin(session, input, origin, Begun::of(parent))
    }

    /// What is done next, but for flips that a monitor prunes.
    fn pick(&mut self, session: &mut Session) -> Result<Option<Pick>, Error> {
        loop {
            let pick = self.choose(session);
            if let Some(Pick::Flip(candidate)) = pick
                && self.is_pruned(session, candidate)?
            {
                continue;
            }
            return Ok(pick);
        }
    }

    /// What is done next: a mutation where the step is for one; else what may end a long run, a hard
    /// candidate or one of a heavy run that is due, or what the strategy picks, or a candidate that waits where the
    /// strategy has nothing more.
    fn choose(&mut self, session: &Session) -> Option<Pick> {
        self.prospects.update(session);
        let seen = view(&self.tree, session);
        let rng = &mut self.rng;
        if self.strategy.begin_step(&seen, rng) == StepKind::Mutate
            && let Some(Pick::Mutate(run)) = self.strategy.pick(&seen, rng)
            && self.weights.admits(run)
        {
            return Some(Pick::Mutate(run));
        }
        let due = self.endings.next(seen.tree);
        let due = due.or_else(|| self.patience.turn(session.effort(), wanted(&seen)));
        let due = due.or_else(|| self.weights.turn(seen.tree));
        let due = due.or_else(|| self.prospects.turn(seen.tree));
        due.map(Pick::Flip)
            .or_else(|| self.hopeful(session))
            .or_else(|| self.waiting(session).map(Pick::Flip))
    }

    /// What the strategy picks, but for flips that lead to nothing open.
    fn hopeful(&mut self, session: &Session) -> Option<Pick> {
        loop {
            let seen = view(&self.tree, session);
            let pick = self
                .weights
                .light(&mut *self.strategy, &seen, &mut self.rng)?;
            match pick {
                Pick::Flip(candidate) if !self.prospects.has_any(&seen, candidate) => {
                    self.tree.mark(candidate, Flip::PutOff);
                    self.prospects.put_off(candidate);
                }
                _ => return Some(pick),
            }
        }
    }

    /// A candidate that waits, where the strategy has nothing more.
    fn waiting(&mut self, session: &Session) -> Option<Candidate> {
        let seen = view(&self.tree, session);
        let undecided = |candidate: Candidate| seen.tree.flip(candidate).is_undecided();
        let prospects = &self.prospects;
        let hopeful = |candidate| undecided(candidate) && prospects.has_any(&seen, candidate);
        let next = self.weights.next(seen.tree);
        next.or_else(|| self.patience.next(wanted(&seen)))
            .or_else(|| self.patience.next(hopeful))
            .or_else(|| self.prospects.next(seen.tree))
            .or_else(|| self.patience.next(undecided))
    }

    /// A model of the conditions of a flip, and the conditions: all of them, else without the soft
    /// ones.
    fn solve(
        &mut self,
        session: &mut Session,
        known: &mut DecodedRun,
        flip: (usize, u32),
        branch: (u32, u32),
    ) -> Result<(Model, Vec<ExprId>), Flip> {
        let most = session.max_input();
        let steps = self.patience.solver_steps();
        self.relaxed = None;
        let all = conditions(known, &mut self.columns, flip, most, Soft::Kept);
        let mut constraints = all.constraints();
        let mut answer = ask(session, known, &all, steps);
        if !matches!(answer, Answer::Sat(_)) && self.relaxation.is_worth(branch) {
            let hard = conditions(known, &mut self.columns, flip, most, Soft::Dropped);
            if hard.may_have_another_answer(&constraints, &answer) {
                constraints = hard.constraints();
                answer = ask(session, known, &hard, steps);
                self.relaxed = Some(branch);
            }
        }
        match answer {
            Answer::Sat(mut model) => {
                let (pool, hint) = (known.decoder.pool(), &known.hint);
                roomier(pool, &constraints, hint, &known.input, &mut model, most);
                Ok((model, constraints))
            }
            Answer::Unsat(_) => {
                if let Some(branch) = self.relaxed.take() {
                    self.relaxation.learn(branch, true);
                }
                Err(Flip::Unsat)
            }
            Answer::Unknown(_) => Err(Flip::Unknown),
        }
    }

    /// Runs the input that was made for a candidate.
    fn try_input(
        &mut self,
        session: &mut Session,
        candidate: Candidate,
        parent: RunId,
        site: u32,
        input: Input,
    ) -> Result<(), Error> {
        self.tree.mark(candidate, Flip::Sat);
        if session.was_tried(&input) {
            let mut cause = DivergenceCause::TriedBefore;
            if let Some(branch) = self.relaxed.take() {
                self.relaxation.learn(branch, true);
                cause = DivergenceCause::Relaxed;
            }
            self.tree.mark(candidate, Flip::Diverged);
            session.note_divergence(cause);
            return Ok(());
        }
        self.mutator.learn_solved(&input);
        let flipped = FlippedBranch {
            site,
            direction: candidate.direction,
        };
        let origin = self.origin(parent, Some(flipped));
        let begun = Begun {
            flipped: Some(candidate),
            relaxed: self.relaxed.take(),
            ..Begun::of(parent)
        };
        self.begin(session, input, origin, begun)
    }

    fn origin(&self, parent: RunId, flipped: Option<FlippedBranch>) -> Origin {
        let case = self.cases[parent.index()];
        Origin {
            parent: (case != 0).then_some(case),
            flipped,
            strategy: self.strategy.picked_by().to_owned(),
        }
    }

    /// Asks once more for the step at which a run left its path.
    fn mend(&mut self, session: &mut Session, repair: Repair) -> Result<(), Error> {
        let Some(trace) = session.trace_again(&repair.input, Mode::Symbolic)? else {
            return Ok(());
        };
        let mut known = DecodedRun::new(trace, repair.input);
        let number = u32::try_from(repair.position).unwrap_or(u32::MAX);
        let Some((step, there)) = known.decision(number) else {
            return Ok(());
        };
        let direction = trace_direction(&there, session.program(), repair.direction);
        let length = session.max_input();
        let solved = self.solve(session, &mut known, (step, direction), repair.branch);
        self.relaxed = None;
        if let Ok((model, _)) = solved {
            let input = child(&known.input, model.iter(), length, &mut self.rng);
            self.try_near(session, repair.run, input, "mended")?;
        }
        Ok(())
    }

    /// Runs an input to which earlier runs point, where it is the turn of one; whether it did.
    fn extrapolate(&mut self, session: &mut Session) -> Result<bool, Error> {
        if !self.strategy.extrapolates() {
            return Ok(false);
        }
        let next = self.mutator.extrapolated(|input| !session.was_tried(input));
        let Some((from, input)) = next else {
            return Ok(false);
        };
        self.try_near(session, from, input, "extrapolated")?;
        Ok(true)
    }

    /// Runs a mutation of the input of a run, if that is new.
    fn mutate(&mut self, session: &mut Session, run: RunId) -> Result<(), Error> {
        let Some(known) = self.known(session, run)? else {
            return Ok(());
        };
        let (program, most) = (session.program(), session.max_input());
        let (input, trace) = (&known.input, &known.trace);
        let mutated = self
            .mutator
            .mutate(input, trace, program, most, &mut self.rng);
        let weight = known.weight();
        self.traces.put(run, known, weight);
        if let Some(input) = mutated.filter(|input| !session.was_tried(input)) {
            let origin = self.origin(run, None);
            let begun = Begun {
                mutated: true,
                ..Begun::of(run)
            };
            self.begin(session, input, origin, begun)?;
        }
        Ok(())
    }

    /// The trace of a run, from the cache or by running its input again.
    fn known(&mut self, session: &mut Session, run: RunId) -> Result<Option<DecodedRun>, Error> {
        if let Some(known) = self.traces.take(run) {
            return Ok(Some(known));
        }
        let Some(input) = self.inputs.get(run) else {
            return Ok(None);
        };
        let trace = self.trace_again(session, run, &input)?;
        Ok(trace.map(|trace| DecodedRun::new(trace, input)))
    }
}

/// Whether a candidate is undecided and uncovered.
fn wanted<'a>(seen: &'a View<'a>) -> impl Fn(Candidate) -> bool + 'a {
    |candidate| seen.tree.flip(candidate).is_undecided() && seen.uncovered(candidate)
}

/// What strategies see.
pub(crate) fn view<'a>(tree: &'a Tree, session: &'a Session) -> View<'a> {
    View {
        tree,
        program: session.program(),
        covered: session.seen(),
    }
}

impl Technique for Search<'_> {
    fn name(&self) -> &'static str {
        "search"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if let Some(initial) = session.next_initial() {
            if let Some(initial) = session.promising(initial)? {
                self.start(session, initial)?;
            }
            return Ok(Progress::More);
        }
        if let Some(repair) = self.repair.take() {
            self.mend(session, repair)?;
            return Ok(Progress::More);
        }
        if let Some(again) = self.others.next() {
            self.flip_again(session, again)?;
            return Ok(Progress::More);
        }
        if self.extrapolate(session)? {
            return Ok(Progress::More);
        }
        match self.pick(session)? {
            Some(Pick::Mutate(run)) => self.mutate(session, run)?,
            Some(Pick::Flip(candidate)) => {
                let before = session.effort();
                self.flip(session, candidate)?;
                self.strategy.took(session.effort() - before);
            }
            None => return self.end_or_start(session),
        }
        Ok(Progress::More)
    }
}

/// Asks for a model of conditions, unless they are false as they stand.
fn ask(
    session: &mut Session,
    known: &mut DecodedRun,
    conditions: &Conditions,
    steps: Option<u64>,
) -> Answer {
    let constraints = conditions.constraints();
    if conditions.are_false() {
        return Answer::Unsat(Core(vec![constraints.len() - 1]));
    }
    let before = session.effort();
    let answer = session.check(known.decoder.pool_mut(), constraints, &known.hint, steps);
    known.spend(session.effort() - before);
    answer
}

//! The session: everything that a technique works with.
//!
//! A session composes the owners of what it knows: [`Runs`], [`Books`], [`Failures`], [`Asker`],
//! [`Saver`], [`Reporter`] and [`Deadline`]. Each has its own invariants; here stands only what
//! needs several of them.
//!
//! Invariant: a step that fails leaves the books and the folder as they were after the last run.

mod builder;
mod time;

use std::sync::Arc;

use labrys_executor::{Mode, Report};
use labrys_expr::{ExprId, Pool};
use labrys_program::{BranchId, FunctionId, Program};
use labrys_solver::{Answer, Assignment, Model};
use labrys_suite::{Coverage, Failure, Input, Origin, Summary, TargetStatus, TargetSummary};
use labrys_trace::{Compared, Trace};

use crate::asker::Asker;
use crate::books::Books;
use crate::budget::{Deadline, End};
use crate::failures::{Failures, Look, Tools, look_once};
use crate::observation::{Initial, Observation};
use crate::observer::{Notice, Observer, Status};
use crate::reporter::Reporter;
use crate::runs::{Ended, Facts, PlainRun, Record, Runs};
use crate::saver::{Moment, Saver, input_path};
use crate::start::Start;
use crate::statistics::{DivergenceCause, Statistics, lost_in_calls, lost_in_operations};
use crate::vocabulary::Vocabulary;
use crate::{Error, Runner};

pub use builder::SessionBuilder;

/// Steps of the solver in the time of a run, beside what it recorded.
const RUN: u64 = 40;
/// Nodes and events of traces that are recorded and learned from in the time of a step.
const RECORDS_PER_STEP: u64 = 32;

/// See the module.
pub struct Session {
    runs: Runs,
    books: Books,
    failures: Failures,
    asker: Asker,
    saver: Saver,
    reporter: Reporter,
    deadline: Deadline,
    start: Start,
    max_input: usize,
    vocabulary: Vocabulary,
}

/// What a technique may know.
impl Session {
    /// The static model of the program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        self.runs.program()
    }

    /// The branches that runs of this session covered.
    #[must_use]
    pub fn seen(&self) -> &Coverage {
        self.books.seen()
    }

    /// The branches that confirmed tests cover.
    #[must_use]
    pub fn confirmed(&self) -> &Coverage {
        self.books.confirmed()
    }

    /// The branches that count, that no run took, and that may be reachable.
    #[must_use]
    pub fn unseen(&self) -> Coverage {
        self.books.unseen()
    }

    /// The branches that no run takes.
    #[must_use]
    pub fn unreachable(&self) -> &Coverage {
        self.books.unreachable()
    }

    /// What is known of the targets.
    #[must_use]
    pub fn targets(&self) -> &[TargetSummary] {
        self.books.target_list()
    }

    /// The functions in which the program names targets that are open.
    #[must_use]
    pub fn open_targets(&self) -> Vec<FunctionId> {
        self.books.targets().open_homes()
    }

    /// Inputs grow to at most this many bytes.
    #[must_use]
    pub fn max_input(&self) -> usize {
        self.max_input
    }

    /// Words and numbers that the program compares its input with.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The inputs of the tests that were kept, those of a resumed suite apart.
    #[must_use]
    pub fn kept_inputs(&self) -> &[Input] {
        self.saver.kept()
    }

    /// What the run of one of them compared with what; given once.
    #[must_use]
    pub fn take_compared(&mut self, kept: usize) -> Compared {
        self.saver.take_compared(kept)
    }

    /// Whether the runs so far hide nothing that a search could miss: nothing became concrete, no
    /// query was given up, and no run left its path or was cut short.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        let counts = self.runs.counts();
        let odd = counts.divergences + counts.malformed + counts.overflows;
        odd == 0 && counts.concretizations.is_empty() && self.asker.queries().unknown == 0
    }

    /// Whether symbolic values went into code that is not followed, from where they come back
    /// without their expressions.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        let concretizations = &self.runs.counts().concretizations;
        lost_in_calls(concretizations).next().is_some() || lost_in_operations(concretizations) > 0
    }

    /// The seed of all random choices.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.saver.config().seed
    }

    /// Whether this very input was run before.
    #[must_use]
    pub fn was_tried(&self, input: &Input) -> bool {
        self.runs.was_tried(input)
    }

    /// The work so far, in steps of the solver: a run counts as many as take about as long.
    #[must_use]
    pub fn effort(&self) -> u64 {
        let counts = self.runs.counts();
        let runs = counts.runs + counts.reruns + counts.replays;
        self.asker.work() + RUN * runs + counts.records / RECORDS_PER_STEP
    }

    /// Counts work of a technique that is neither a run nor a query, in steps of the solver.
    pub fn charge(&mut self, steps: u64) {
        self.asker.charge(steps);
    }

    /// Runs of new inputs so far.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs.counts().runs
    }

    /// Runs of a fuzzer so far, which no effort counts.
    #[must_use]
    pub fn fuzzed(&self) -> u64 {
        self.runs.counts().fuzzed
    }

    /// The counters.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let progress = (self.deadline.steps(), self.saver.tests());
        Statistics::of(self.runs.counts(), &self.asker, &self.start, progress)
    }

    /// The failures so far, confirmed or not.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        self.failures.list()
    }

    /// The numbers as they are now.
    #[must_use]
    pub fn status(&self) -> Status {
        let counts = self.runs.counts();
        let branches = self.books.branches();
        Status {
            elapsed: self.deadline.clock().elapsed(),
            used: self.deadline.used(counts.new_runs),
            time_limit: self.deadline.budget().time,
            runs: counts.runs,
            new_runs: counts.new_runs,
            covered: self.books.covered(),
            branches: branches.total,
            unreachable: branches.unreachable,
            seeds: self.start.seeds() as u64,
            queries: self.asker.asked(),
            tests: self.saver.tests(),
            failures: self.failures.confirmed(),
            targets: self.books.targets().reached(),
        }
    }

    /// What `summary.json` holds.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let config = self.saver.config();
        let counts = self.runs.counts();
        let seconds = self.now().seconds;
        Summary {
            program: config.program.clone(),
            technique: config.technique.clone(),
            strategy: config.strategy.clone(),
            seed: config.seed,
            branches: self.books.branches(),
            runs: counts.runs,
            runs_per_second: counts.runs as f64 / seconds.max(1e-6),
            queries: self.asker.queries().clone(),
            solver_seconds: self.asker.time().as_secs_f64(),
            seconds,
            divergences: counts.divergences,
            divergence_causes: counts.divergence_causes.clone(),
            concretizations: counts.concretizations.clone(),
            failures: self.failures.summary(&self.saver),
            targets: self.books.targets().listed().cloned().collect(),
            contradictions: self.books.contradictions().to_vec(),
        }
    }
}

/// The inputs to start from.
impl Session {
    /// The next input that the search is to start from.
    pub fn next_initial(&mut self) -> Option<Initial> {
        self.start.next()
    }

    /// The same input, or `None` if it is put aside: it is one of many seeds, and a run of the plain
    /// program shows nothing new.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn promising(&mut self, initial: Initial) -> Result<Option<Initial>, Error> {
        // Where every run is looked at under the checks of memory, each may show a failure.
        if !self.start.is_doubtful(&initial) || self.looks_at_every_run() == Some(true) {
            return Ok(Some(initial));
        }
        let plain = self.run_plain(&initial.input)?;
        if self.books.shows_new(&plain) {
            return Ok(Some(initial));
        }
        self.start.put_aside(initial);
        Ok(None)
    }

    /// An input to start from that was put aside.
    pub fn next_aside(&mut self) -> Option<Initial> {
        self.start.next_aside()
    }

    /// The number of inputs that the search is still to start from.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.start.waiting()
    }

    /// Gives the search one more input to start from, before it makes others: what another
    /// technique found.
    pub fn suggest(&mut self, input: Input, made_by: &'static str) {
        self.start.push(Initial::found(input, made_by));
    }
}

/// Runs.
impl Session {
    /// How many runs may be begun before the first of them is booked; none without a worker pool.
    #[must_use]
    pub fn ahead(&self) -> usize {
        self.runs.ahead()
    }

    /// Begins a run of a new input.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn begin_run(&mut self, input: Input, origin: Origin) -> Result<(), Error> {
        self.runs.begin(input, origin)
    }

    /// Waits for the run that was begun first and books what it does; `None` if there is none.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn end_run(&mut self) -> Result<Option<Observation>, Error> {
        let ended = self.runs.end()?;
        ended.map(|ended| self.book(ended, None, &[])).transpose()
    }

    /// Runs an input that the search starts from. Tests of a resumed suite are only learnt from.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn run_initial(&mut self, initial: Initial) -> Result<Observation, Error> {
        let origin = Origin {
            strategy: initial.made_by.to_owned(),
            ..Origin::default()
        };
        let is_seed = initial.is_seed;
        let ended = self.runs.make(initial.input, origin)?;
        let seen = self.book(ended, initial.case, &[])?;
        self.start.note(is_seed, seen.gain);
        Ok(seen)
    }

    /// Runs a new input, at once, and books what it does: a run of the plain program has shown that
    /// it reaches these targets, and it becomes a test for them.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn run_for_targets(
        &mut self,
        input: Input,
        origin: Origin,
        targets: &[String],
    ) -> Result<Observation, Error> {
        for name in targets {
            self.books.targets_mut().add(name);
        }
        let ended = self.runs.make(input, origin)?;
        self.book(ended, None, targets)
    }

    /// Runs an input on the plain program; nothing is booked but the run.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn run_plain(&mut self, input: &Input) -> Result<PlainRun, Error> {
        let plain = self.runs.run_plain(input)?;
        self.overrule(&plain.coverage, &plain.targets, input)?;
        Ok(plain)
    }

    /// As [`Session::run_plain`], and says how often each branch was taken (modulo 255, but never 0
    /// for one that was).
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn fuzz(&mut self, input: &Input, visits: &mut [u8]) -> Result<PlainRun, Error> {
        let plain = self.runs.fuzz(input, visits)?;
        self.overrule(&plain.coverage, &plain.targets, input)?;
        Ok(plain)
    }

    /// Whether every run is looked at under the checks of memory, those of a fuzzer among them;
    /// `None` if none may be.
    #[must_use]
    pub fn looks_at_every_run(&self) -> Option<bool> {
        self.failures.looks_at_every_run(&self.runs)
    }

    /// The failure that the checks of memory see on an input, if it is not known; nothing is booked.
    /// The text is another one for each failure.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn check_memory(&mut self, input: &Input) -> Result<Option<String>, Error> {
        let (failures, mut tools) = self.tools();
        failures.check_memory(input, &mut tools)
    }

    /// What the builds without instrumentation do on an input; nothing is booked.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn look(&mut self, input: &Input) -> Result<Look, Error> {
        let (_, mut tools) = self.tools();
        look_once(input, &mut tools)
    }

    /// What a proof called unreachable and a run reached: bugs of Labrys.
    #[must_use]
    pub fn contradictions(&self) -> &[String] {
        self.books.contradictions()
    }

    /// A run overrules proofs; where it does, Labrys is wrong, and says so.
    fn overrule(
        &mut self,
        coverage: &Coverage,
        targets: &[String],
        input: &Input,
    ) -> Result<(), Error> {
        let program = self.runs.program();
        for name in self.books.overrule(program, coverage, targets) {
            let path = self.saver.add_contradiction(input)?;
            self.tell_contradiction(&name, &path)?;
        }
        Ok(())
    }

    fn tell_contradiction(&mut self, name: &str, input: &str) -> Result<(), Error> {
        let config = self.saver.config();
        let text = format!(
            "bug in Labrys: {name} was proved unreachable, but a run reached it ({input}); please \
             report it with the suite folder and {}",
            config.program
        );
        self.note(&text);
        self.milestone(&text)
    }

    /// Runs an input again for its trace, with what the mode says; nothing is booked.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn trace_again(&mut self, input: &Input, mode: Mode) -> Result<Option<Trace>, Error> {
        self.runs.trace_again(input, mode)
    }

    /// As [`trace_again`](Self::trace_again), on another program with the same sites.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn trace_on(
        &mut self,
        other: &mut dyn Runner,
        input: &Input,
    ) -> Result<Option<Trace>, Error> {
        self.runs.trace_on(other, input)
    }

    /// From now on runs record what the mode says; at first, the decisions that depend on their input.
    pub fn record(&mut self, mode: Mode) {
        self.runs.record(mode);
    }

    /// Takes back a trace whose memory can be used again.
    pub fn recycle(&mut self, trace: Trace) {
        self.runs.recycle(trace);
    }

    /// Counts a run that left the predicted path.
    pub fn note_divergence(&mut self, cause: DivergenceCause) {
        self.runs.note_divergence(cause);
    }

    /// Books what a run did: what it covers, whether it becomes a test, what it reached, what
    /// failed. A `known` run is that of a test, and `reached` targets were shown before.
    fn book(
        &mut self,
        ended: Ended,
        known: Option<u32>,
        reached: &[String],
    ) -> Result<Observation, Error> {
        let mut record = self.runs.read(ended, known.is_none())?;
        record.facts.targets.extend(reached.iter().cloned());
        self.overrule(
            &record.facts.coverage,
            &record.facts.targets,
            &record.facts.input,
        )?;
        let (gain, near) = self.see(&record);
        let case = match known {
            Some(case) => self.book_known(&record.facts, case).map(|()| Some(case)),
            None => self.keep(&record),
        }?;
        let (failures, mut tools) = self.tools();
        let fails = failures.look(&record, case.is_some(), &mut tools)?;
        let is_long = record.is_long();
        let Record { facts, trace, .. } = record;
        Ok(Observation {
            input: facts.input,
            outcome: facts.outcome,
            fails,
            is_long,
            trace,
            coverage: facts.coverage,
            gain,
            near,
            case,
        })
    }

    /// Books what a run covered; what of it is new, and what it came near to.
    fn see(&mut self, record: &Record) -> (usize, Vec<(BranchId, u32)>) {
        let Record { facts, trace, .. } = record;
        let gain = self.books.see(&facts.coverage);
        if gain > 0 {
            self.runs.want(&self.books.unseen());
        }
        let Some(trace) = trace else {
            return (gain, Vec::new());
        };
        let program = self.runs.program();
        let near = self.books.near(program, trace.recording(), &facts.coverage);
        if facts.outcome.is_failure() {
            self.books.see_failed_check(program, trace);
        }
        (gain, near)
    }

    /// Makes a run a test if it adds something to the suite: a branch, or a target, that no test
    /// before it covered or reached, or none but long ones. It is replayed on the plain program at once, and confirmed if
    /// that ends the same.
    fn keep(&mut self, record: &Record) -> Result<Option<u32>, Error> {
        let Record { facts, trace, .. } = record;
        let is_long = record.is_long();
        if !self.books.lacks(facts, is_long) {
            return Ok(None);
        }
        let (facts, plain) = self.runs.confirm_test(facts, &mut self.reporter)?;
        let recording = trace.as_ref().map(Trace::recording);
        let compared = recording.map(Compared::of).unwrap_or_default();
        let now = self.now();
        let (case, path) = self.saver.add(&facts, compared, plain.as_ref(), now)?;
        self.reporter.tell(Notice::Kept(&case));
        if let Some(plain) = &plain {
            let new = self.books.confirm(&case.coverage, is_long);
            self.saver.coverage(&case, self.books.covered(), new)?;
            self.reach(&plain.targets, &path)?;
            self.judge_goal(&facts, &plain.targets, &path)?;
        }
        self.books.diverge(&facts);
        Ok(Some(case.id))
    }

    /// Books the targets of a test of a resumed suite, which the plain program must reach too.
    fn book_known(&mut self, facts: &Facts, case: u32) -> Result<(), Error> {
        let targets = self.books.targets();
        if facts.targets.iter().all(|name| targets.is_reached(name)) {
            return Ok(());
        }
        match self.runs.confirm(facts)? {
            Some(plain) => self.reach(&plain.targets, &input_path(case)),
            None => Ok(()),
        }
    }

    fn reach(&mut self, targets: &[String], input: &str) -> Result<(), Error> {
        for name in targets {
            if self.books.reach(name, input) {
                self.reporter.tell(Notice::Target(name));
                self.milestone(&format!("target reached: {name}"))?;
            }
        }
        Ok(())
    }

    /// Finds out whether a test reached the goal behind an error of memory, if that matters.
    fn judge_goal(&mut self, facts: &Facts, targets: &[String], path: &str) -> Result<(), Error> {
        let budget = self.deadline.budget();
        let goal = budget.goal.clone().filter(|_| budget.sound_goal);
        let Some(goal) = goal.filter(|goal| targets.contains(goal)) else {
            return Ok(());
        };
        let reports = self
            .runs
            .check_memory(&facts.input, false, &mut self.reporter)?;
        let is_doubtful = reports.iter().any(Report::is_error_of_memory);
        self.books.targets_mut().judge(&goal, path, is_doubtful);
        Ok(())
    }

    fn tools(&mut self) -> (&mut Failures, Tools<'_>) {
        let tools = Tools {
            effort: self.effort(),
            runs: &mut self.runs,
            saver: &mut self.saver,
            reporter: &mut self.reporter,
            reached: self.books.targets().end(self.deadline.budget()),
            deadline: &self.deadline,
        };
        (&mut self.failures, tools)
    }
}

/// Targets and queries.
impl Session {
    /// Notes what is known of a target that no run reached.
    ///
    /// # Errors
    /// If the suite cannot be written.
    pub fn set_target(&mut self, name: &str, status: TargetStatus) -> Result<(), Error> {
        if self.books.set_target(name, status) && status == TargetStatus::Unreachable {
            self.milestone(&format!("target unreachable: {name}"))?;
        }
        Ok(())
    }

    /// Notes that no run reaches a target, and that the branch that it is, if it is one, is dead:
    /// nobody looks for it from now on. `false`, and nothing is noted but a bug of Labrys, if a run
    /// was there before.
    ///
    /// # Errors
    /// If the suite cannot be written.
    pub fn prove(&mut self, name: &str, branch: Option<BranchId>) -> Result<bool, Error> {
        if self.books.is_witnessed(name, branch) {
            self.books.refuse_proof(name);
            self.tell_contradiction(name, "before it was proved")?;
            return Ok(false);
        }
        if branch.is_some_and(|branch| self.books.exclude(branch)) {
            self.runs.want(&self.books.unseen());
        }
        self.set_target(name, TargetStatus::Unreachable)?;
        Ok(true)
    }

    /// As [`Session::prove`], with the certificate that shows it: its path in the suite folder.
    ///
    /// # Errors
    /// If the suite cannot be written.
    pub fn prove_by(
        &mut self,
        name: &str,
        branch: Option<BranchId>,
        proof: Option<&str>,
    ) -> Result<(), Error> {
        let stands = self.prove(name, branch)?;
        if let Some(proof) = proof.filter(|_| stands) {
            self.books.targets_mut().certify(name, proof);
        }
        Ok(())
    }

    /// Writes a certificate; its path in the suite folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add_proof(&mut self, text: &str) -> Result<String, Error> {
        self.saver.add_proof(text)
    }

    /// Whether the constraints can all be true; the last is the goal, the hint the values of the
    /// input whose path is explored. The query may have fewer steps than the session gives.
    pub fn check(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        hint: &Assignment,
        steps: Option<u64>,
    ) -> Answer {
        let limits = (steps, &self.deadline);
        let answer = self.asker.check(pool, constraints, hint, limits);
        self.tell_of_timeout(&answer);
        answer
    }

    /// As [`Session::check`], near no values, by the solver apart if there is one
    /// ([`SessionBuilder::solver_apart`]): other queries have the answers that they would have
    /// without this one.
    pub fn check_apart(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        steps: Option<u64>,
    ) -> Answer {
        let limits = (steps, &self.deadline);
        let answer = self.asker.check_apart(pool, constraints, limits);
        self.tell_of_timeout(&answer);
        answer
    }

    fn tell_of_timeout(&mut self, answer: &Answer) {
        if self.asker.is_first_timeout(answer) && self.time_left().is_none() && !self.is_stopped() {
            self.note(
                "a query was given up by the clock (--timeout-solver) before its steps were used \
                 up: another machine may make another suite of the same seed",
            );
        }
    }

    /// Values that come near to a model of the last query, if that was given up and the solver
    /// has such values. They are no model: an input that is made of them may take another path.
    pub fn nearest(&mut self) -> Option<Model> {
        self.asker.nearest()
    }
}

/// Beginning, going on, and ending.
impl Session {
    /// Replaces the observer; the old one is dropped.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.reporter.set_observer(observer);
    }

    /// Tells the user something.
    pub fn note(&mut self, text: &str) {
        self.reporter.tell(Notice::Note(text));
    }

    /// Ends the session's processes and gives up everything else without tidying: what a large
    /// search holds takes seconds to free, and the system does it in no time.
    pub fn leave(self) {
        self.runs.leave();
        self.asker.leave();
        self.failures.leave();
    }

    /// Whether each branch is decided, where that is an end.
    fn is_covered(&self) -> bool {
        self.deadline.budget().all_branches && self.books.unseen().count() == 0
    }

    /// The first limit that is reached.
    pub(crate) fn end(&self) -> Option<End> {
        let budget = self.deadline.budget();
        let decided = self.deadline.is_decided() && self.is_covered()
            || budget.all_tested && self.books.is_all_tested();
        let reached = self.books.targets().end(budget);
        let reached = reached.or(decided.then_some(End::Branches));
        self.deadline.end(reached, self.runs.counts().new_runs)
    }

    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        let text = match self.start.tests() {
            0 => "start".to_owned(),
            tests => format!("resumed with {tests} tests"),
        };
        self.milestone(&text)?;
        self.save()
    }

    pub(crate) fn after_step(&mut self) -> Result<(), Error> {
        self.deadline.count_step();
        if self.deadline.budget().beyond > 0 && self.is_covered() {
            self.deadline.decide();
        }
        let elapsed = self.deadline.clock().elapsed();
        if self.reporter.status_is_due(elapsed) {
            self.tell_status();
        }
        if self.reporter.summary_is_due(elapsed) {
            self.save()?;
        }
        let (failures, mut tools) = self.tools();
        failures.look_before_the_end(&mut tools)
    }

    /// Looks at runs that did not end, where that comes last.
    pub(crate) fn look_at_the_end(&mut self) -> Result<(), Error> {
        let (failures, mut tools) = self.tools();
        failures.look_at_the_end(&mut tools)
    }

    /// Looks at the runs that nothing drew attention to.
    pub(crate) fn look_at_the_rest(&mut self) -> Result<(), Error> {
        let (failures, mut tools) = self.tools();
        failures.look_at_the_rest(&mut tools)
    }

    pub(crate) fn finish(&mut self, end: Option<End>) -> Result<(), Error> {
        self.tell_status();
        self.milestone(end.map_or("ended by an error", End::text))?;
        self.save()
    }

    fn tell_status(&mut self) {
        let status = self.status();
        self.reporter.tell(Notice::Status(&status));
    }

    fn save(&mut self) -> Result<(), Error> {
        let summary = self.summary();
        self.saver.summary(&summary)
    }

    fn milestone(&mut self, text: &str) -> Result<(), Error> {
        let now = self.now();
        self.saver.milestone(text, now)
    }

    fn now(&self) -> Moment {
        Moment {
            run: self.runs.counts().runs,
            seconds: self.deadline.clock().total().as_secs_f64(),
        }
    }
}

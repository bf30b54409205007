//! The session: everything that a technique works with, and the books that the engine keeps.
//!
//! Invariants:
//! - `kept` is the coverage of the tests in the suite; a run that adds to it becomes a test;
//! - `confirmed` is the coverage of those tests that the plain program repeated; only this is
//!   reported;
//! - a step that fails leaves the books and the folder as they were after the last run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use labrys_executor::Mode;
use labrys_program::{BlockId, BranchId, Function, Intrinsic, Operation, Program, Terminator};
use labrys_solver::Layers;
use labrys_suite::{Coverage, Event, Input, Suite, SuiteWriter, TargetStatus, TargetSummary};
use labrys_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ahead::Begun;
use crate::budget::{Budget, Clock, End, StopFlag};
use crate::execute::Facts;
use crate::failures::Failures;
use crate::leftover::Leftovers;
use crate::marker::{Marker, markers};
use crate::observer::{Notice, Observer};
use crate::place::located;
use crate::repetitions::Repetitions;
use crate::statistics::Statistics;
use crate::suspicions::Suspicions;
use crate::{Ahead, Error, Judge, Runner};

/// What a session is made of.
pub struct Setup {
    /// The static picture of the program.
    pub program: Arc<Program>,
    /// Runs the instrumented program.
    pub instrumented: Box<dyn Runner>,
    /// Runs the instrumented program ahead of the books.
    pub crew: Option<Box<dyn Ahead>>,
    /// Runs the plain program.
    pub plain: Box<dyn Runner>,
    /// Judges failures by the checked program, where there is one.
    pub checker: Option<Box<dyn Judge>>,
    /// Whether runs that do not fail are looked at for errors of memory.
    pub oracles: bool,
    /// Decides queries.
    pub solver: Layers,
    /// Writes the suite.
    pub writer: SuiteWriter,
    /// The inputs to start from; all have the streams of the suite.
    pub initial: Vec<Input>,
    /// When to end.
    pub budget: Budget,
    /// Asks the session to end.
    pub stop: StopFlag,
    /// Is told what happens.
    pub observer: Box<dyn Observer>,
    /// Most steps of the solver for one query.
    pub query_steps: u64,
    /// Longest time for one query, should its steps take unusually long.
    pub query_time: Duration,
    /// Inputs grow to at most this many bytes.
    pub max_input: usize,
}

/// An input that the search starts from.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The input.
    pub input: Input,
    /// The test case that it is in a resumed suite.
    pub case: Option<u32>,
    /// What its test says made it.
    pub made_by: &'static str,
}

impl Initial {
    /// An input that was there before the search.
    fn seed(input: Input, case: Option<u32>) -> Self {
        let made_by = "seed";
        Initial {
            input,
            case,
            made_by,
        }
    }
}

/// See the module.
pub struct Session {
    pub(crate) program: Arc<Program>,
    pub(crate) instrumented: Box<dyn Runner>,
    pub(crate) crew: Option<Box<dyn Ahead>>,
    pub(crate) begun: VecDeque<Begun>,
    pub(crate) plain: Box<dyn Runner>,
    pub(crate) checker: Option<Box<dyn Judge>>,
    oracles: bool,
    pub(crate) solver: Layers,
    pub(crate) writer: SuiteWriter,
    pub(crate) initial: VecDeque<Initial>,
    budget: Budget,
    pub(crate) stop: StopFlag,
    pub(crate) observer: Box<dyn Observer>,
    pub(crate) query_steps: u64,
    pub(crate) query_time: Duration,
    max_input: usize,
    pub(crate) clock: Clock,
    pub(crate) statistics: Statistics,
    /// Branches of all runs of this session.
    pub(crate) seen: Coverage,
    pub(crate) kept: Coverage,
    pub(crate) confirmed: Coverage,
    /// Branches that no run takes.
    pub(crate) unreachable: Coverage,
    /// Branches that count: those of oracle sites do not.
    pub(crate) counted: Coverage,
    /// Number of confirmed branches that count.
    pub(crate) covered: u64,
    /// By branch: tests that were kept for it and diverged.
    pub(crate) divergent_branches: FxHashMap<BranchId, u8>,
    pub(crate) divergent_targets: FxHashMap<String, u8>,
    pub(crate) failures: Failures,
    pub(crate) repetitions: Repetitions,
    pub(crate) suspicions: Suspicions,
    pub(crate) leftovers: Leftovers<Facts>,
    pub(crate) targets: Vec<TargetSummary>,
    pub(crate) next_case: u32,
    /// Hashes of the inputs that were run.
    pub(crate) tried: FxHashSet<u64>,
    pub(crate) told_timeout: bool,
    /// Every run is audited.
    pub(crate) audit: bool,
    pub(crate) last_status: Duration,
    pub(crate) last_summary: Duration,
    /// The inputs of the tests that were kept, those of a resumed suite apart.
    pub(crate) kept_inputs: Vec<Input>,
}

impl Session {
    /// A session on a new suite.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let counted = counted(&setup.program);
        let targets = targets(&setup.program);
        let passed = passed(&setup.program);
        let initial = setup.initial.into_iter();
        let mut session = Session {
            program: setup.program,
            instrumented: setup.instrumented,
            crew: setup.crew,
            begun: VecDeque::new(),
            plain: setup.plain,
            checker: setup.checker,
            oracles: setup.oracles,
            solver: setup.solver,
            writer: setup.writer,
            initial: initial.map(|input| Initial::seed(input, None)).collect(),
            budget: setup.budget,
            stop: setup.stop,
            observer: setup.observer,
            query_steps: setup.query_steps,
            query_time: setup.query_time,
            max_input: setup.max_input,
            clock: Clock::starting_at(Duration::ZERO),
            statistics: Statistics::default(),
            seen: passed,
            kept: Coverage::default(),
            confirmed: Coverage::default(),
            unreachable: Coverage::default(),
            counted,
            covered: 0,
            divergent_branches: FxHashMap::default(),
            divergent_targets: FxHashMap::default(),
            failures: Failures::default(),
            repetitions: Repetitions::default(),
            suspicions: Suspicions::default(),
            leftovers: Leftovers::default(),
            targets,
            next_case: 1,
            tried: FxHashSet::default(),
            told_timeout: false,
            audit: false,
            last_status: Duration::ZERO,
            last_summary: Duration::ZERO,
            kept_inputs: Vec::new(),
        };
        session.name_layers();
        session.want();
        session
    }

    /// A session that goes on with a suite: its tests are the first initial inputs.
    #[must_use]
    pub fn resumed(setup: Setup, suite: Suite) -> Self {
        let mut session = Session::new(setup);
        session.confirmed = suite.confirmed_coverage();
        session.covered = session.count(&session.confirmed);
        session.next_case = suite.cases.last().map_or(1, |case| case.id + 1);
        if let Some(summary) = &suite.summary {
            session.statistics = Statistics::resumed(summary);
            session.name_layers();
            let reached = |target: &&TargetSummary| target.status == TargetStatus::Reached;
            for target in summary.targets.iter().filter(reached) {
                session.reach(&target.location, target.input.clone());
            }
            let before = Duration::try_from_secs_f64(summary.seconds).unwrap_or_default();
            session.clock = Clock::starting_at(before);
        }
        session.statistics.tests = suite.cases.len() as u64;
        session.failures = Failures::resumed(suite.failures);
        for case in suite.cases.into_iter().rev() {
            session.kept.union(&case.coverage);
            let initial = Initial::seed(case.input, Some(case.id));
            session.initial.push_front(initial);
        }
        session
    }

    /// The static picture of the program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The branches that runs of this session covered.
    #[must_use]
    pub fn seen(&self) -> &Coverage {
        &self.seen
    }

    /// The branches that confirmed tests cover.
    #[must_use]
    pub fn confirmed(&self) -> &Coverage {
        &self.confirmed
    }

    /// Inputs grow to at most this many bytes.
    #[must_use]
    pub fn max_input(&self) -> usize {
        self.max_input
    }

    /// The counters.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The input of the last test that became part of the suite in this session.
    #[must_use]
    pub fn last_kept(&self) -> Option<&Input> {
        self.kept_inputs.last()
    }

    /// The inputs of the tests that were kept, those of a resumed suite apart.
    #[must_use]
    pub fn kept_inputs(&self) -> &[Input] {
        &self.kept_inputs
    }

    /// The seed of all random choices.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.writer.config().seed
    }

    /// The next input that the search is to start from.
    pub fn next_initial(&mut self) -> Option<Initial> {
        self.initial.pop_front()
    }

    /// The number of inputs that the search is still to start from.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.initial.len()
    }

    /// Gives the search one more input to start from, before it makes others: what another
    /// technique found.
    pub fn suggest(&mut self, input: Input, made_by: &'static str) {
        self.initial.push_back(Initial {
            input,
            case: None,
            made_by,
        });
    }

    /// Whether exploring was asked to end: what goes on for long looks at it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Whether this very input was run before.
    #[must_use]
    pub fn was_tried(&self, input: &Input) -> bool {
        self.tried.contains(&input.stable_hash())
    }

    /// Counts a run that left the predicted path.
    pub fn note_divergence(&mut self) {
        self.statistics.divergences += 1;
    }

    /// Replaces the observer; the old one is dropped.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = observer;
    }

    /// Tells the user something.
    pub fn note(&mut self, text: &str) {
        self.observer.notice(Notice::Note(text));
    }

    /// Runs an input again for its trace; nothing is booked.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn trace_again(&mut self, input: &Input) -> Result<Option<Trace>, Error> {
        self.statistics.reruns += 1;
        let run = self.instrumented.run(input, Mode::Symbolic)?;
        Ok(Trace::new(run.recording, &self.program).ok())
    }

    /// Takes back a trace whose memory can be used again.
    pub fn recycle(&mut self, trace: Trace) {
        let recording = trace.into_recording();
        match &mut self.crew {
            Some(crew) => crew.recycle(recording),
            None => self.instrumented.recycle(recording),
        }
    }

    /// Packs the Test-Comp form of the suite, if there is one; the path of the archive.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn pack(&self) -> Result<Option<std::path::PathBuf>, Error> {
        Ok(self.writer.pack()?)
    }

    /// Whether a run that did not fail may be looked at for errors of memory.
    pub(crate) fn looks_for_errors(&self) -> bool {
        self.oracles && self.checker.is_some()
    }

    /// The first limit that is reached.
    pub(crate) fn end(&self) -> Option<End> {
        if self.stop.is_set() {
            return Some(End::Stopped);
        }
        let goal = self.budget.goal.as_ref();
        if goal.is_some_and(|goal| self.is_reached(goal)) {
            return Some(End::Goal);
        }
        let reached = |target: &TargetSummary| target.status == TargetStatus::Reached;
        let all = !self.targets.is_empty() && self.targets.iter().all(reached);
        if self.budget.all_targets && all {
            return Some(End::Targets);
        }
        let statistics = &self.statistics;
        self.budget
            .end(self.clock.elapsed(), statistics.new_runs, statistics.steps)
    }

    /// Marks a target as reached.
    pub(crate) fn reach(&mut self, name: &str, input: Option<String>) {
        let known = self
            .targets
            .iter()
            .position(|target| target.location == name);
        let index = known.unwrap_or_else(|| {
            self.targets.push(TargetSummary {
                location: name.to_owned(),
                ..TargetSummary::default()
            });
            self.targets.len() - 1
        });
        let target = &mut self.targets[index];
        target.status = TargetStatus::Reached;
        target.input = input;
    }

    /// Ends the session's processes and gives up everything else without tidying: what a large
    /// search holds takes seconds to free, and the system does it in no time.
    pub fn leave(self) {
        let Session {
            solver,
            tried,
            failures,
            ..
        } = self;
        std::mem::forget((solver, tried, failures));
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn milestone(&mut self, text: &str) -> Result<(), Error> {
        self.writer.event(&Event::Milestone {
            run: self.statistics.runs,
            seconds: self.clock.total().as_secs_f64(),
            text: text.to_owned(),
        })?;
        Ok(())
    }

    pub(crate) fn count(&self, coverage: &Coverage) -> u64 {
        let counts = |branch: &BranchId| self.counted.contains(*branch);
        coverage.iter().filter(counts).count() as u64
    }
}

/// The targets that a program names, none of them reached.
fn targets(program: &Program) -> Vec<TargetSummary> {
    let markers = markers(program).into_iter();
    let target = |marker: Marker| TargetSummary {
        place: marker.location.and_then(|at| located(program, at)),
        location: marker.name,
        ..TargetSummary::default()
    };
    markers.map(target).collect()
}

/// The sides of oracle sites that do not trap. Runs do not report them; what is open about a
/// check is whether it can fail.
fn passed(program: &Program) -> Coverage {
    let traps = |function: &Function, block: BlockId| {
        let first = function
            .block(block)
            .and_then(|block| block.instructions.first());
        let operation = first.map(|instruction| &instruction.operation);
        matches!(
            operation,
            Some(Operation::Intrinsic {
                intrinsic: Intrinsic::SanitizerTrap,
                ..
            })
        )
    };
    let mut passed = Coverage::default();
    for site in program.sites.iter().filter(|site| site.oracle) {
        let function = program.function(site.function);
        let Some((function, block)) = function.and_then(|f| Some((f, f.block(site.block)?))) else {
            continue;
        };
        if let Terminator::Branch {
            if_true, if_false, ..
        } = &block.terminator
        {
            for (branch, to) in site.branches().zip([*if_false, *if_true]) {
                if !traps(function, to) {
                    passed.insert(branch);
                }
            }
        }
    }
    passed
}

/// The branches of all sites but oracles.
fn counted(program: &Program) -> Coverage {
    let sites = program.sites.iter().filter(|site| !site.oracle);
    sites.flat_map(labrys_program::Site::branches).collect()
}

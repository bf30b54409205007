//! How a session is set up: the program and the suite, and what differs from the defaults.

use std::time::Duration;

use labrys_solver::Layers;
use labrys_suite::{Coverage, Input, Suite, SuiteWriter};

use super::Session;
use crate::Programs;
use crate::asker::{Asker, QueryLimits};
use crate::books::Books;
use crate::budget::{Budget, Deadline, StopFlag};
use crate::failures::{Failures, Oracles};
use crate::observation::Initial;
use crate::observer::{Observer, Silent};
use crate::reporter::Reporter;
use crate::runs::{RunCounts, Runs};
use crate::saver::Saver;
use crate::start::Start;
use crate::vocabulary::Vocabulary;

/// Sets a session up.
pub struct SessionBuilder {
    programs: Programs,
    solver: Layers,
    apart: Option<Layers>,
    writer: SuiteWriter,
    initial: Vec<Input>,
    budget: Budget,
    stop: StopFlag,
    observer: Box<dyn Observer>,
    queries: QueryLimits,
    max_input: usize,
    oracles: Oracles,
    audit: bool,
    hides_added: bool,
    words: Vec<Vec<u8>>,
    counted: Option<(Coverage, Coverage)>,
}

impl SessionBuilder {
    /// A session without a limit and without an observer.
    #[must_use]
    pub fn new(programs: Programs, solver: Layers, writer: SuiteWriter) -> Self {
        SessionBuilder {
            programs,
            solver,
            apart: None,
            writer,
            initial: Vec::new(),
            budget: Budget::default(),
            stop: StopFlag::default(),
            observer: Box::new(Silent),
            queries: QueryLimits {
                steps: 100_000,
                time: Duration::from_secs(20),
            },
            max_input: 4096,
            oracles: Oracles::default(),
            audit: false,
            hides_added: false,
            words: Vec::new(),
            counted: None,
        }
    }

    /// The inputs to start from; all have the streams of the suite.
    #[must_use]
    pub fn initial(mut self, initial: Vec<Input>) -> Self {
        self.initial = initial;
        self
    }

    /// A solver for [`Session::check_apart`].
    #[must_use]
    pub fn solver_apart(mut self, solver: Layers) -> Self {
        self.apart = Some(solver);
        self
    }

    /// When to end.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// What asks the session to end.
    #[must_use]
    pub fn stop(mut self, stop: StopFlag) -> Self {
        self.stop = stop;
        self
    }

    /// Who observes the session.
    #[must_use]
    pub fn observer(mut self, observer: Box<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Most steps of the solver for one query, and the longest time, should they take unusually
    /// long.
    #[must_use]
    pub fn query_limits(mut self, steps: u64, time: Duration) -> Self {
        self.queries = QueryLimits { steps, time };
        self
    }

    /// Inputs grow to at most this many bytes.
    #[must_use]
    pub fn max_input(mut self, bytes: usize) -> Self {
        self.max_input = bytes;
        self
    }

    /// Whether runs that do not fail are looked at for errors of memory.
    #[must_use]
    pub fn oracles(mut self, oracles: bool) -> Self {
        self.oracles.memory = oracles;
        self
    }

    /// Every run is looked at for errors of memory, not only those that draw attention: for searches
    /// that look for failures more than for coverage.
    #[must_use]
    pub fn look_at_every_run(mut self) -> Self {
        self.oracles.every_run = true;
        self
    }

    /// Runs that do not end, and those that take memory without end, are failures if the plain
    /// program confirms that: at last with so many times the time of other runs.
    #[must_use]
    pub fn look_for_endless_runs(mut self, times: u32) -> Self {
        self.oracles.endless = Some(times);
        self
    }

    /// These are judged last, when the search ends or has no more time than that takes; a run has
    /// this much.
    #[must_use]
    pub fn judge_endless_runs_last(mut self, run: Duration) -> Self {
        self.oracles.last = Some(run);
        self
    }

    /// Whether every run is audited, which costs several times the run.
    #[must_use]
    pub fn audit(mut self, audit: bool) -> Self {
        self.audit = audit;
        self
    }

    /// Words that inputs may have, beside those of the program.
    #[must_use]
    pub fn words(mut self, words: Vec<Vec<u8>>) -> Self {
        self.words = words;
        self
    }

    /// Of the targets that techniques add, a summary lists only the unreachable ones.
    #[must_use]
    pub fn hide_added_targets(mut self) -> Self {
        self.hides_added = true;
        self
    }

    /// Only these branches count, and are looked for; no test is kept for those of `harness` alone.
    #[must_use]
    pub fn count_only(mut self, branches: Coverage, harness: Coverage) -> Self {
        self.counted = Some((branches, harness));
        self
    }

    /// A session on a new suite.
    #[must_use]
    pub fn start(self) -> Session {
        let mut books = Books::new(&self.programs.program);
        if let Some((counted, harness)) = &self.counted {
            books.count_only(counted, harness);
        }
        if self.hides_added {
            books.targets_mut().hide_added();
        }
        let vocabulary = Vocabulary::of(&self.programs.program, self.words);
        let mut session = Session {
            runs: Runs::new(self.programs, self.audit),
            books,
            failures: Failures::new(self.oracles),
            asker: Asker::new(self.solver, self.apart, self.queries),
            saver: Saver::new(self.writer),
            reporter: Reporter::new(self.observer),
            deadline: Deadline::new(self.budget, self.stop),
            start: Start::new(self.initial),
            max_input: self.max_input,
            vocabulary,
        };
        session.runs.want(&session.books.unseen());
        session
    }

    /// A session that goes on with a suite: its tests are the first initial inputs.
    #[must_use]
    pub fn resume(self, suite: Suite) -> Session {
        let mut session = self.start();
        session.books.resume(&suite);
        session.saver.resume(&suite);
        if let Some(summary) = &suite.summary {
            let time = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default();
            session.runs.resume(RunCounts {
                runs: summary.runs,
                divergences: summary.divergences,
                divergence_causes: summary.divergence_causes.clone(),
                concretizations: summary.concretizations.clone(),
                ..RunCounts::default()
            });
            let solver = time(summary.solver_seconds);
            session.asker.resume(summary.queries.clone(), solver);
            session.deadline.resume(time(summary.seconds));
        }
        session.failures.resume(suite.failures);
        for case in suite.cases.into_iter().rev() {
            let initial = Initial::seed(case.input, Some(case.id));
            session.start.put_first(initial);
        }
        session
    }
}

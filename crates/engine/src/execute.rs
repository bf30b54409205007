//! One run of a new input: what it covers, whether it becomes a test, what failed, what it
//! reached.
//!
//! A test is kept when it covers a branch, or reaches a target, that no test before it did. It
//! is replayed on the plain program at once, and confirmed if outcome and coverage agree.

use labrys_abi::{OBJECT_SITE, is_size};
use labrys_executor::{Mode, Run, input_objects};
use labrys_program::{BranchId, SiteId};
use labrys_suite::{
    Confirmation, Coverage, Event, Input, InputObject, Origin, Outcome, StreamKind, TargetStatus,
    TargetSummary, TestCase,
};
use labrys_trace::{Recording, Trace};

use crate::observer::Notice;
use crate::session::Initial;
use crate::{Error, Session};

/// Tests that diverge are kept for one branch or target this often.
const DIVERGENT_TESTS: u8 = 3;

/// What a run was.
#[derive(Debug)]
pub struct Observation {
    /// The input as it was run; objects reach as far as the program read.
    pub input: Input,
    /// How the run ended.
    pub outcome: Outcome,
    /// Its trace; `None` if the program spoiled its records.
    pub trace: Option<Trace>,
    /// Branches that it took.
    pub coverage: Coverage,
    /// Branches that no run of this session covered before.
    pub gain: usize,
    /// Branches that are still uncovered and to whose sites this run came:
    /// how far apart the values are that the decision compares, as far as the run measured it.
    pub near: Vec<(BranchId, u32)>,
    /// The test case that the run became, or is.
    pub case: Option<u32>,
}

/// What a run of the plain program showed.
#[derive(Clone, Debug)]
pub struct PlainRun {
    /// How the run ended.
    pub outcome: Outcome,
    /// Branches that it took.
    pub coverage: Coverage,
    /// Markers that it came to.
    pub targets: Vec<String>,
}

/// What there is to know of a run before it is judged.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) input: Input,
    pub(crate) outcome: Outcome,
    pub(crate) coverage: Coverage,
    targets: Vec<String>,
    pub(crate) objects: Vec<InputObject>,
    pub(crate) origin: Origin,
}

impl Session {
    /// Runs an input that the search starts from. Tests of a resumed suite are only learnt from.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn run_initial(&mut self, initial: Initial) -> Result<Observation, Error> {
        let origin = Origin {
            strategy: initial.made_by.to_owned(),
            ..Origin::default()
        };
        self.observe(initial.input, origin, initial.case, &[])
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
        self.observe(input, origin, None, targets)
    }

    /// Runs an input on the plain program; nothing is booked but the run.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn run_plain(&mut self, input: &Input) -> Result<PlainRun, Error> {
        self.statistics.replays += 1;
        let run = self.plain.run(input, Mode::Coverage)?;
        Ok(self.plain_run(run))
    }

    /// As [`Session::run_plain`], and says how often each branch was taken (modulo 255, but never 0
    /// for one that was).
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn fuzz(&mut self, input: &Input, visits: &mut [u8]) -> Result<PlainRun, Error> {
        self.statistics.fuzzed += 1;
        let run = self.plain.run(input, Mode::Coverage)?;
        for (visits, count) in visits.iter_mut().zip(&run.recording.coverage) {
            *visits = *count;
        }
        Ok(self.plain_run(run))
    }

    fn plain_run(&mut self, run: Run) -> PlainRun {
        let plain = PlainRun {
            outcome: run.outcome,
            coverage: Coverage::from_bytes(&run.recording.coverage),
            targets: run.recording.targets(),
        };
        self.plain.recycle(run.recording);
        plain
    }

    fn observe(
        &mut self,
        input: Input,
        origin: Origin,
        known: Option<u32>,
        reached: &[String],
    ) -> Result<Observation, Error> {
        let run = self.instrumented.run(&input, Mode::Symbolic)?;
        self.tried.insert(input.stable_hash());
        self.book_run(run, input, origin, known, reached)
    }

    /// Books what a run did.
    pub(crate) fn book_run(
        &mut self,
        run: Run,
        mut input: Input,
        origin: Origin,
        known: Option<u32>,
        reached: &[String],
    ) -> Result<Observation, Error> {
        let Run {
            outcome, recording, ..
        } = run;
        if known.is_none() {
            self.count_run(&recording);
        }
        fit_objects(&mut input, &recording);
        self.tried.insert(input.stable_hash());
        let coverage = Coverage::from_bytes(&recording.coverage);
        let gain = self.seen.union(&coverage);
        if gain > 0 {
            self.want();
        }
        let mut targets = recording.targets();
        targets.extend(reached.iter().cloned());
        let facts = Facts {
            input,
            outcome,
            coverage,
            targets,
            objects: input_objects(&recording),
            origin,
        };
        let reported = recording.failure();
        let misuses = recording.misuses.clone();
        let near = self.near(&recording, &facts.coverage);
        let trace = Trace::new(recording, &self.program).ok();
        self.statistics.malformed += u64::from(trace.is_none());
        if let (true, Some(trace)) = (facts.outcome.is_failure(), &trace) {
            self.see_failed_check(trace);
        }
        self.audit(trace.as_ref(), &facts.input)?;
        let case = match known {
            Some(case) => {
                self.book_known(&facts, case)?;
                Some(case)
            }
            None => self.keep(&facts)?,
        };
        // What is new may fail without a sign. Tests of a resumed suite are looked at again:
        // Labrys may have been killed before. What hangs would only hang for longer.
        let longer = trace
            .as_ref()
            .is_some_and(|trace| self.repetitions.learn(trace));
        let new = case.is_some() || longer || out_of_bounds(&facts.origin);
        let misused = !new && self.suspicions.suggest(&misuses, self.statistics.runs);
        let suspicious = (new || misused) && !facts.outcome.is_limit();
        let found = self.book_failure(&facts, reported.as_deref(), suspicious)?;
        if misused && !found {
            self.suspicions.learn(&misuses);
        }
        if let Some(trace) = trace.as_ref().filter(|_| !suspicious) {
            self.leave_over(&facts, trace.steps().len())?;
        }
        let Facts {
            input,
            outcome,
            coverage,
            ..
        } = facts;
        Ok(Observation {
            input,
            outcome,
            trace,
            coverage,
            gain,
            near,
            case,
        })
    }

    /// Asks runs how near they come to what no run covered.
    pub(crate) fn want(&mut self) {
        let wanted = self.counted.new_over(&self.seen);
        self.instrumented.want(&wanted);
        if let Some(crew) = &mut self.crew {
            crew.want(&wanted);
        }
    }

    /// See [`Observation::near`].
    fn near(&self, recording: &Recording, coverage: &Coverage) -> Vec<(BranchId, u32)> {
        // Where a comparison is made too early, the run need not come to the decision.
        let came = |branch: BranchId| {
            let site = self.program.branch_site(branch).map(|(site, _)| site);
            let site = site.and_then(|site| self.program.site(site));
            site.is_some_and(|site| site.branches().any(|other| coverage.contains(other)))
        };
        let near = recording.near.iter();
        near.map(|(branch, distance)| (BranchId(*branch), distance.saturating_sub(1)))
            .filter(|(branch, _)| !self.seen.contains(*branch) && came(*branch))
            .collect()
    }

    /// A check that failed is the last decision of its run; no coverage tells of it.
    fn see_failed_check(&mut self, trace: &Trace) {
        let Some(step) = trace.steps().last() else {
            return;
        };
        let site = SiteId(step.site);
        if self.program.site(site).is_some_and(|site| site.oracle)
            && let Some(branch) = self.program.branch(site, step.direction)
        {
            self.seen.insert(branch);
        }
    }

    fn count_run(&mut self, recording: &Recording) {
        self.statistics.runs += 1;
        self.statistics.new_runs += 1;
        self.statistics.overflows += u64::from(recording.overflow);
        for (cause, count) in recording.causes() {
            let total = self
                .statistics
                .concretizations
                .entry(cause.name().to_owned());
            *total.or_insert(0) += count;
        }
    }

    /// Makes a run a test if it adds something to the suite.
    fn keep(&mut self, facts: &Facts) -> Result<Option<u32>, Error> {
        let open = |name: &String| !self.is_reached(name) && !self.gave_up(name);
        let new = facts.coverage.new_over(&self.kept);
        if new.is_empty() && !facts.targets.iter().any(open) {
            return Ok(None);
        }
        let plain = self.confirm(facts)?;
        let id = self.next_case;
        self.next_case += 1;
        let (confirmed, coverage) = match &plain {
            Some(plain) => (Confirmation::Confirmed, &plain.coverage),
            None => (Confirmation::Diverged, &facts.coverage),
        };
        let case = TestCase {
            id,
            input: facts.input.clone(),
            outcome: facts.outcome.clone(),
            coverage: coverage.clone(),
            confirmed,
            origin: facts.origin.clone(),
            objects: facts.objects.clone(),
            run: self.statistics.runs,
            seconds: self.clock.total().as_secs_f64(),
        };
        let path = self.writer.add(&case)?;
        self.statistics.tests += 1;
        self.kept_inputs.push(case.input.clone());
        self.observer.notice(Notice::Kept(&case));
        if let Some(plain) = &plain {
            self.kept.union(&plain.coverage);
            self.book_coverage(&case)?;
            self.book_targets(&plain.targets, &path)?;
        }
        // What only the instrumented program did.
        let missed = facts.targets.iter().filter(|name| !self.is_reached(name));
        let missed: Vec<String> = missed.cloned().collect();
        self.book_divergent(&facts.coverage.new_over(&self.kept), &missed);
        Ok(Some(id))
    }

    /// Books the targets of a test of a resumed suite, which the plain program must reach too.
    fn book_known(&mut self, facts: &Facts, case: u32) -> Result<(), Error> {
        if facts.targets.iter().all(|name| self.is_reached(name)) {
            return Ok(());
        }
        match self.confirm(facts)? {
            Some(plain) => self.book_targets(&plain.targets, &input_path(case)),
            None => Ok(()),
        }
    }

    /// What the plain program does in place of a run; `None` if it ends in another way.
    ///
    /// Where variables lie differs from build to build, and so may branches on addresses. So it
    /// may take others, if it takes them again.
    fn confirm(&mut self, facts: &Facts) -> Result<Option<PlainRun>, Error> {
        let mut plain = self.run_plain(&facts.input)?;
        if plain.outcome != facts.outcome {
            return Ok(None);
        }
        if plain.coverage == facts.coverage {
            plain.targets.clone_from(&facts.targets);
            return Ok(Some(plain));
        }
        let again = self.run_plain(&facts.input)?;
        let repeats = again.outcome == plain.outcome && again.coverage == plain.coverage;
        Ok(repeats.then_some(plain))
    }

    /// A branch or target of tests that diverged is given up after a few of them, so that a
    /// program that does not repeat itself does not fill the suite.
    fn book_divergent(&mut self, new: &Coverage, targets: &[String]) {
        for branch in new.iter() {
            let tries = self.divergent_branches.entry(branch).or_insert(0);
            *tries += 1;
            if *tries >= DIVERGENT_TESTS {
                self.kept.insert(branch);
            }
        }
        for name in targets {
            *self.divergent_targets.entry(name.clone()).or_insert(0) += 1;
        }
    }

    fn gave_up(&self, name: &str) -> bool {
        self.divergent_targets
            .get(name)
            .is_some_and(|tries| *tries >= DIVERGENT_TESTS)
    }

    fn book_coverage(&mut self, case: &TestCase) -> Result<(), Error> {
        let new = case.coverage.new_over(&self.confirmed);
        self.confirmed.union(&case.coverage);
        self.covered += self.count(&new);
        self.writer.event(&Event::Coverage {
            run: case.run,
            seconds: case.seconds,
            case: case.id,
            branches: self.covered,
            new: self.count(&new),
        })?;
        Ok(())
    }

    /// Notes what is known of a target that no run reached.
    ///
    /// # Errors
    /// If the suite cannot be written.
    pub fn set_target(&mut self, name: &str, status: TargetStatus) -> Result<(), Error> {
        if self.is_reached(name) {
            return Ok(());
        }
        self.targets.retain(|target| target.location != name);
        self.targets.push(TargetSummary {
            location: name.to_owned(),
            place: None,
            status,
            input: None,
        });
        if status == TargetStatus::Unreachable {
            self.milestone(&format!("target unreachable: {name}"))?;
        }
        Ok(())
    }

    /// Notes that no run reaches a target, and that the branch that it is, if it is one, is dead.
    ///
    /// # Errors
    /// If the suite cannot be written.
    pub fn prove(&mut self, name: &str, branch: Option<BranchId>) -> Result<(), Error> {
        if let Some(branch) = branch.filter(|_| !self.is_reached(name)) {
            self.unreachable.insert(branch);
        }
        self.set_target(name, TargetStatus::Unreachable)
    }

    /// What is known of the targets.
    #[must_use]
    pub fn targets(&self) -> &[TargetSummary] {
        &self.targets
    }

    pub(crate) fn is_reached(&self, name: &str) -> bool {
        let reached = |target: &TargetSummary| target.status == TargetStatus::Reached;
        self.targets
            .iter()
            .any(|target| target.location == name && reached(target))
    }

    fn book_targets(&mut self, targets: &[String], input: &str) -> Result<(), Error> {
        for name in targets {
            if self.is_reached(name) {
                continue;
            }
            self.reach(name, Some(input.to_owned()));
            self.observer.notice(Notice::Target(name));
            self.milestone(&format!("target reached: {name}"))?;
        }
        Ok(())
    }
}

/// Whether an input was made for an access outside the object that it was inside before, or for
/// another size of a block.
fn out_of_bounds(origin: &Origin) -> bool {
    let outside = |site| site >= OBJECT_SITE || is_size(site);
    origin.flipped.is_some_and(|flip| outside(flip.site))
}

/// Path of a test's input in the suite folder.
fn input_path(case: u32) -> String {
    format!("inputs/{case:06}")
}

/// Makes the objects stream as long as what the program read from it.
fn fit_objects(input: &mut Input, recording: &Recording) {
    let objects = |stream: &labrys_suite::InputStream| stream.kind == StreamKind::Objects;
    if let Some(index) = input.streams.iter().position(objects) {
        input.set_length(index, recording.objects_used as usize);
    }
}

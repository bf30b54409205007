//! The runs of a session: the programs that make them, those that were begun, and their number.
//!
//! Invariant: runs end in the order in which they were begun, one at a time, so what is booked
//! does not depend on how long runs take. What was begun and has not ended when a session ends is
//! lost: it counts nowhere.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use labrys_executor::{Checked, Mode, Report, Run, input_objects};
use labrys_program::Program;
use labrys_suite::{Coverage, Input, InputObject, Observed, Origin, Outcome, StreamKind};
use labrys_trace::{Event, Exit, Recording, Trace};
use rustc_hash::FxHashSet;

use crate::audit::{audit, audit_modes};
use crate::observer::Notice;
use crate::reporter::Reporter;
use crate::simpler::{allowance, simplify};
use crate::{Ahead, DivergenceCause, Error, Judge, Programs, Runner};

/// A run that reached its time limit with more input objects than this is taken to ask for them
/// without end.
const MANY_OBJECTS: usize = 4096;

/// What a run of the plain program showed.
#[derive(Clone, Debug)]
pub struct PlainRun {
    /// How the run ended.
    pub outcome: Outcome,
    /// Branches that it took.
    pub coverage: Coverage,
    /// Markers that it came to.
    pub targets: Vec<String>,
    /// What a call of a driver left behind.
    pub results: Vec<Observed>,
}

/// What a run did, without its trace.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// As it was run; objects reach as far as the program read.
    pub(crate) input: Input,
    pub(crate) outcome: Outcome,
    pub(crate) coverage: Coverage,
    pub(crate) targets: Vec<String>,
    pub(crate) objects: Vec<InputObject>,
    pub(crate) origin: Origin,
}

/// A run that has ended, read.
pub(crate) struct Record {
    pub(crate) facts: Facts,
    /// `None` if the program spoiled its records.
    pub(crate) trace: Option<Trace>,
    /// What the program said of its failure.
    pub(crate) reported: Option<String>,
    /// Where it seems to have used memory wrongly.
    pub(crate) misuses: Vec<u32>,
}

/// The trace of a run; `None` if the program spoiled its records.
fn trace(mut recording: Recording, outcome: &Outcome, program: &Program) -> Option<Trace> {
    if outcome.is_limit() {
        drop_unfinished(&mut recording);
    }
    Trace::new(recording, program).ok()
}

/// A run that is killed may be writing: its last node and its last event may be half there. An
/// event is written after its node, so a node that one of the other events has is whole.
fn drop_unfinished(recording: &mut Recording) {
    recording.events.pop();
    // The first node is nobody's.
    let last = recording.nodes.len().max(2) - 1;
    let is_whole = |event: &Event| event.label as usize == last;
    if !recording.events.iter().any(is_whole) {
        recording.nodes.truncate(last);
    }
}

impl Record {
    /// Whether the run was cut off by a limit, or decided more than a record holds.
    pub(crate) fn is_long(&self) -> bool {
        let full = |trace: &Trace| trace.recording().overflow;
        self.facts.outcome.is_limit() || self.trace.as_ref().is_some_and(full)
    }
}

/// A run that has ended.
pub(crate) struct Ended {
    pub(crate) run: Run,
    pub(crate) input: Input,
    pub(crate) origin: Origin,
}

/// A run that was begun and has not ended.
struct Begun {
    input: Input,
    origin: Origin,
    /// The run itself, where there is no worker pool to make it meanwhile.
    run: Option<Run>,
}

/// How many runs were made, and what went wrong with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunCounts {
    pub(crate) runs: u64,
    pub(crate) new_runs: u64,
    pub(crate) reruns: u64,
    pub(crate) replays: u64,
    pub(crate) fuzzed: u64,
    pub(crate) simplifying: u64,
    pub(crate) checks: u64,
    /// Nodes and events that runs recorded.
    pub(crate) records: u64,
    /// Time of the runs that this process recorded, in seconds.
    pub(crate) seconds: f64,
    pub(crate) divergences: u64,
    pub(crate) divergence_causes: BTreeMap<String, u64>,
    pub(crate) malformed: u64,
    pub(crate) overflows: u64,
    pub(crate) concretizations: BTreeMap<String, u64>,
}

/// See the module.
pub(crate) struct Runs {
    program: Arc<Program>,
    instrumented: Box<dyn Runner>,
    plain: Box<dyn Runner>,
    pool: Option<Box<dyn Ahead>>,
    checker: Option<Box<dyn Judge>>,
    begun: VecDeque<Begun>,
    /// Hashes of the inputs that were run.
    tried: FxHashSet<u64>,
    counts: RunCounts,
    /// Every run is audited.
    audit: bool,
    /// How much is recorded of the runs that are searched.
    mode: Mode,
}

impl Runs {
    pub(crate) fn new(programs: Programs, audit: bool) -> Self {
        Runs {
            program: programs.program,
            instrumented: programs.instrumented,
            plain: programs.plain,
            pool: programs.pool,
            checker: programs.checker,
            begun: VecDeque::new(),
            tried: FxHashSet::default(),
            counts: RunCounts::default(),
            audit,
            mode: Mode::Symbolic,
        }
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn counts(&self) -> &RunCounts {
        &self.counts
    }

    /// Counts on from what an earlier session counted.
    pub(crate) fn resume(&mut self, counts: RunCounts) {
        self.counts = counts;
    }

    pub(crate) fn note_divergence(&mut self, cause: DivergenceCause) {
        self.counts.divergences += 1;
        let causes = &mut self.counts.divergence_causes;
        *causes.entry(cause.name().to_owned()).or_insert(0) += 1;
    }

    pub(crate) fn was_tried(&self, input: &Input) -> bool {
        self.tried.contains(&input.stable_hash())
    }

    /// From now on runs record how near they come to these branches.
    pub(crate) fn want(&mut self, branches: &Coverage) {
        self.instrumented.want(branches);
        if let Some(pool) = &mut self.pool {
            pool.want(branches);
        }
    }

    /// As [`Session::record`](crate::Session::record).
    pub(crate) fn record(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// A run that has no room for every decision is made again with those that depend on its
    /// input, so that the path constraint is the same as without the others.
    fn with_room(&mut self, run: Run, input: &Input) -> Result<Run, Error> {
        if self.mode != Mode::AllBranches || !run.recording.overflow {
            return Ok(run);
        }
        self.counts.reruns += 1;
        self.note_recorded(&run);
        self.instrumented.recycle(run.recording);
        Ok(self.instrumented.run(input, Mode::Symbolic)?)
    }

    /// Where a run asked for input objects without end, or would have if it had not been cut off, it
    /// is made again with an end, and so are all runs from now on: the search lengthens inputs where
    /// that leads on. Inputs that were run before are as long as what their runs used, so they do
    /// what they did.
    fn with_end(&mut self, run: Run, input: &Input) -> Result<Run, Error> {
        let asks_on =
            run.outcome == Outcome::Timeout && run.recording.objects().len() > MANY_OBJECTS;
        if run.recording.exit != Exit::Endless && !asks_on {
            return Ok(run);
        }
        self.counts.reruns += 1;
        self.instrumented.recycle(run.recording);
        self.bound_objects();
        Ok(self.instrumented.run(input, self.mode)?)
    }

    /// From now on runs end with their input objects.
    fn bound_objects(&mut self) {
        self.instrumented.bound_objects();
        self.plain.bound_objects();
        if let Some(pool) = &mut self.pool {
            pool.bound_objects();
        }
        if let Some(checker) = &mut self.checker {
            checker.bound_objects();
        }
    }

    /// How many runs may be begun before the first of them has ended; none without a worker pool.
    pub(crate) fn ahead(&self) -> usize {
        self.pool.as_ref().map_or(0, |pool| pool.places())
    }

    /// Begins a run of a new input.
    pub(crate) fn begin(&mut self, input: Input, origin: Origin) -> Result<(), Error> {
        self.tried.insert(input.stable_hash());
        let run = match &mut self.pool {
            Some(pool) => {
                pool.begin(&input, self.mode);
                None
            }
            None => Some(self.instrumented.run(&input, self.mode)?),
        };
        self.begun.push_back(Begun { input, origin, run });
        Ok(())
    }

    /// Waits for the run that was begun first; `None` if there is none.
    pub(crate) fn end(&mut self) -> Result<Option<Ended>, Error> {
        let Some(Begun { input, origin, run }) = self.begun.pop_front() else {
            return Ok(None);
        };
        let made = || self.pool.as_mut().and_then(|pool| pool.end()).transpose();
        let run = run.map_or_else(made, |run| Ok(Some(run)))?;
        let run = run.map(|run| self.with_end(run, &input)).transpose()?;
        Ok(run.map(|run| Ended { run, input, origin }))
    }

    /// Makes a run at once.
    pub(crate) fn make(&mut self, input: Input, origin: Origin) -> Result<Ended, Error> {
        let run = self.instrumented.run(&input, self.mode)?;
        let run = self.with_end(run, &input)?;
        self.tried.insert(input.stable_hash());
        Ok(Ended { run, input, origin })
    }

    /// Reads what a run recorded, and counts it if it is new.
    pub(crate) fn read(&mut self, ended: Ended, new: bool) -> Result<Record, Error> {
        let Ended {
            run,
            mut input,
            origin,
        } = ended;
        let run = self.with_room(run, &input)?;
        self.note_recorded(&run);
        let Run {
            outcome, recording, ..
        } = run;
        if new {
            self.count(&recording);
        }
        fit_objects(&mut input, &recording);
        self.tried.insert(input.stable_hash());
        let facts = Facts {
            input,
            outcome,
            coverage: Coverage::from_bytes(&recording.coverage),
            targets: recording.targets(),
            objects: input_objects(&recording),
            origin,
        };
        let reported = recording.failure();
        let misuses = recording.misuses.clone();
        let trace = trace(recording, &facts.outcome, &self.program);
        self.counts.malformed += u64::from(trace.is_none());
        if let Some(trace) = trace.as_ref().filter(|_| self.audit) {
            self.audit(trace, &facts.input)?;
        }
        Ok(Record {
            facts,
            trace,
            reported,
            misuses,
        })
    }

    fn audit(&mut self, trace: &Trace, input: &Input) -> Result<(), Error> {
        audit(trace, input, self.counts.runs)?;
        if self.mode != Mode::AllBranches {
            return Ok(());
        }
        match self.trace_again(input, Mode::Symbolic)? {
            Some(symbolic) => audit_modes(trace, &symbolic, self.counts.runs),
            None => Ok(()),
        }
    }

    fn note_recorded(&mut self, run: &Run) {
        self.counts.records += records(&run.recording);
        self.counts.seconds += run.seconds;
    }

    fn count(&mut self, recording: &Recording) {
        let counts = &mut self.counts;
        counts.runs += 1;
        counts.new_runs += 1;
        counts.overflows += u64::from(recording.overflow);
        for (cause, count) in recording.causes() {
            let total = counts.concretizations.entry(cause.name().to_owned());
            *total.or_insert(0) += count;
        }
    }

    /// Runs an input on the plain program; nothing is booked but the run.
    pub(crate) fn run_plain(&mut self, input: &Input) -> Result<PlainRun, Error> {
        self.counts.replays += 1;
        let run = self.plain.run(input, Mode::Coverage)?;
        Ok(self.plain_run(run))
    }

    /// As [`Runs::run_plain`], and says how often each branch was taken (modulo 255, but never 0
    /// for one that was).
    pub(crate) fn fuzz(&mut self, input: &Input, visits: &mut [u8]) -> Result<PlainRun, Error> {
        self.counts.fuzzed += 1;
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
            results: Observed::of(run.recording.results()),
        };
        self.plain.recycle(run.recording);
        plain
    }

    /// As [`Runs::confirm`], for a run that becomes a test: with the input and what is known of the
    /// results of a call where it is one of a driver.
    pub(crate) fn confirm_test(
        &mut self,
        facts: &Facts,
        reporter: &mut Reporter,
    ) -> Result<(Facts, Option<PlainRun>), Error> {
        let mut facts = facts.clone();
        let mut plain = self.confirm(&facts)?;
        if let Some(plain) = plain.as_mut().filter(|plain| !plain.results.is_empty()) {
            let most = allowance(self.counts.runs, self.counts.simplifying);
            simplify(
                &mut facts.input,
                &facts.objects,
                plain,
                most,
                &mut |input| {
                    self.counts.simplifying += 1;
                    let run = self.plain.run(input, Mode::Coverage)?;
                    Ok(self.plain_run(run))
                },
            )?;
            self.compared(&facts.input, plain, reporter)?;
        }
        Ok((facts, plain))
    }

    /// How the plain program ends on an input.
    pub(crate) fn plain_outcome(&mut self, input: &Input) -> Result<Outcome, Error> {
        self.counts.replays += 1;
        let run = self.plain.run(input, Mode::Coverage)?;
        self.plain.recycle(run.recording);
        Ok(run.outcome)
    }

    /// What of the results of a driver's call is the same with its objects elsewhere and other memory
    /// around them, with the clock and the randomness of the machine, and in the checked build, where other registers
    /// and other places hold what nobody wrote: nothing if it ends differently, or fails there.
    fn compared(
        &mut self,
        input: &Input,
        plain: &mut PlainRun,
        reporter: &mut Reporter,
    ) -> Result<(), Error> {
        let mut known = std::mem::take(&mut plain.results);
        for mode in Mode::ELSEWHERE {
            self.counts.replays += 1;
            let run = self.plain.run(input, mode)?;
            let elsewhere = self.plain_run(run);
            if elsewhere.outcome != plain.outcome {
                return Ok(());
            }
            known = Observed::compared(known, &elsewhere.results);
        }
        let checked = self.check(reporter, |checker| checker.check(input))?;
        if checked.as_ref().is_some_and(|it| !it.reports.is_empty()) {
            return Ok(());
        }
        plain.results = known;
        if let Some(checked) = checked.filter(|checked| checked.outcome == plain.outcome) {
            let own = std::mem::take(&mut plain.results);
            plain.results = Observed::compared(own, &Observed::of(checked.results));
        }
        Ok(())
    }

    /// How the plain program ends on an input with so many times the time of other runs.
    pub(crate) fn plain_outcome_longer(
        &mut self,
        input: &Input,
        mode: Mode,
        times: u32,
    ) -> Result<Outcome, Error> {
        self.counts.replays += 1;
        let run = self.plain.run_longer(input, mode, times)?;
        self.plain.recycle(run.recording);
        Ok(run.outcome)
    }

    /// How the plain program ends on an input with the clock and the randomness of the machine.
    pub(crate) fn real_outcome(&mut self, input: &Input) -> Result<Outcome, Error> {
        self.counts.replays += 1;
        let run = self.plain.run(input, Mode::Real)?;
        self.plain.recycle(run.recording);
        Ok(run.outcome)
    }

    /// What the plain program does in place of a run; `None` if it ends differently.
    ///
    /// Where variables lie differs from build to build, and so may branches on addresses. So it
    /// may take others, if it takes them again.
    pub(crate) fn confirm(&mut self, facts: &Facts) -> Result<Option<PlainRun>, Error> {
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

    /// Whether runs can be looked at under the checks of memory.
    pub(crate) fn has_checker(&self) -> bool {
        self.checker.is_some()
    }

    /// The failures that the checked build reports, if there is such a build: with patience if a run
    /// on the input failed.
    pub(crate) fn check_memory(
        &mut self,
        input: &Input,
        failed: bool,
        reporter: &mut Reporter,
    ) -> Result<Vec<Report>, Error> {
        let checked = self.check(reporter, |checker| match failed {
            true => checker.check_patiently(input),
            false => checker.check(input),
        })?;
        Ok(checked.map_or_else(Vec::new, |checked| checked.reports))
    }

    /// How the checked build ends on an input in the time of a plain run, and where it is if that
    /// does not suffice.
    pub(crate) fn check_briefly(
        &mut self,
        input: &Input,
        reporter: &mut Reporter,
    ) -> Result<Option<Checked>, Error> {
        self.check(reporter, |checker| checker.check_briefly(input))
    }

    fn check(
        &mut self,
        reporter: &mut Reporter,
        run: impl FnOnce(&mut dyn Judge) -> Result<Checked, labrys_executor::Error>,
    ) -> Result<Option<Checked>, Error> {
        let Some(checker) = &mut self.checker else {
            return Ok(None);
        };
        self.counts.checks += 1;
        match run(&mut **checker) {
            Ok(checked) => Ok(Some(checked)),
            Err(error @ labrys_executor::Error::Interrupted) => Err(error.into()),
            // The search goes on as without such a build.
            Err(error) => {
                self.checker = None;
                let text = format!("no more checks of memory: {error}");
                reporter.tell(Notice::Note(&text));
                Ok(None)
            }
        }
    }

    /// Runs an input again for its trace, in a mode.
    pub(crate) fn trace_again(
        &mut self,
        input: &Input,
        mode: Mode,
    ) -> Result<Option<Trace>, Error> {
        self.counts.reruns += 1;
        let run = self.instrumented.run(input, mode)?;
        self.note_recorded(&run);
        Ok(trace(run.recording, &run.outcome, &self.program))
    }

    /// Runs an input for its trace on another program with the same sites.
    pub(crate) fn trace_on(
        &mut self,
        other: &mut dyn Runner,
        input: &Input,
    ) -> Result<Option<Trace>, Error> {
        let mut run = other.run(input, Mode::Symbolic)?;
        if run.recording.exit == Exit::Endless {
            other.bound_objects();
            run = other.run(input, Mode::Symbolic)?;
        }
        self.counts.reruns += 1;
        self.note_recorded(&run);
        let trace = trace(run.recording, &run.outcome, &self.program);
        if let Some(trace) = trace.as_ref().filter(|_| self.audit) {
            audit(trace, input, self.counts.runs)?;
        }
        Ok(trace)
    }

    /// Takes back a trace whose memory can be used again.
    pub(crate) fn recycle(&mut self, trace: Trace) {
        let recording = trace.into_recording();
        match &mut self.pool {
            Some(pool) => pool.recycle(recording),
            None => self.instrumented.recycle(recording),
        }
    }

    /// Ends the processes; what is large is left to the system.
    pub(crate) fn leave(self) {
        std::mem::forget(self.tried);
    }
}

/// Nodes and events of a run.
fn records(recording: &Recording) -> u64 {
    (recording.nodes.len() + recording.events.len()) as u64
}

/// Makes the objects stream as long as what the program read from it.
fn fit_objects(input: &mut Input, recording: &Recording) {
    let objects = |stream: &labrys_suite::InputStream| stream.kind == StreamKind::Objects;
    if let Some(index) = input.streams.iter().position(objects) {
        input.set_length(index, recording.objects_used as usize);
    }
}

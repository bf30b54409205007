//! The technique: passes of growing precision over each target, phase II on the paths that they
//! find, and confirmation by runs of the plain program.
//!
//! A pass that looks coarsely is tried first, because what it proves is proved, and the paths
//! that it finds are short. What one pass leaves open, the next looks at more closely.

use std::collections::VecDeque;

use labrys_engine::{Error, Mode, PlainRun, Progress, Session, Technique};
use labrys_executor::Linked;
use labrys_expr::Pool;
use labrys_program::{BranchId, FunctionId};
use labrys_semantics::External;
use labrys_solver::Assignment;
use labrys_suite::{Coverage, Input, Origin, StreamKind, TargetStatus};

use crate::assumptions::{Assumption, Assumptions};
use crate::execute::{InputLayout, KnownPart, PhaseTwo, Trial};
use crate::path::{Path, Skip};
use crate::paths::{Found, MAX_UNKNOWN, Search};
use crate::precision::{COARSE_PASS, FIRST_PASS, PASSES, PLAIN_PASS, Precision};
use crate::proved::Proved;
use crate::report::{Report, Verdict};
use crate::target::{Evidence, Target, markers};
use labrys_analysis::ProgramAnalysis;

/// What the user may set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The function in which runs begin.
    pub entry: FunctionId,
    /// The loop bound of the last pass.
    pub loop_bound: u32,
    /// An input with the streams of the suite; what a path says is filled in.
    pub template: Input,
    /// Inputs of that shape from which phase II may start.
    pub seeds: Vec<Input>,
    /// The command line of runs, the program's name first.
    pub line: Vec<String>,
    /// Computes functions of libm.
    pub external: External,
}

/// Symcretic execution as a technique.
pub struct Symcretic<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    settings: Settings,
    reports: Vec<Report>,
    evidence: Vec<Evidence>,
    /// Targets with the passes that are to come: each target has its first pass before any has
    /// its second, so that a hard one does not take the time of the others.
    queue: VecDeque<(usize, usize)>,
    current: usize,
    pass: usize,
    search: Option<Search<'p>>,
    /// Paths that this pass found.
    paths: u32,
    /// Whether the program makes objects input.
    makes_inputs: bool,
    /// Inputs that came near to targets.
    near: Vec<Input>,
    /// Of the searches that are over.
    work: u64,
    phase_two: PhaseTwo<'p>,
    proved: Proved,
    /// Finds the branches that no values lead to, until the first target is left open.
    find_impossible: Option<FindImpossible<'p>>,
    /// Whether the template was run, which is all that can be done where no input can be made.
    tried_template: bool,
}

/// Finds the branches that no values lead to.
type FindImpossible<'p> = Box<dyn FnOnce() -> Vec<BranchId> + 'p>;

/// Why a target is open that a proof calls unreachable.
const OVERRULED: &str = "a run reached it although a proof says that none does: a bug in Labrys";
/// Inputs that came near and are kept.
const MAX_NEAR: usize = 64;

impl<'p> Symcretic<'p> {
    /// A technique that has not begun.
    #[must_use]
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        settings: Settings,
        targets: Vec<Target>,
    ) -> Self {
        let evidence = targets
            .iter()
            .map(|target| Evidence::of(analysis, settings.entry, target))
            .collect();
        let mut phase_two = PhaseTwo::new(analysis.program(), settings.entry, settings.external);
        phase_two.set_line(settings.line.clone());
        let mut streams = settings.template.streams.iter();
        let makes_inputs = streams.any(|stream| stream.kind == StreamKind::Objects)
            || phase_two.shows(&settings.template);
        let queue = (0..targets.len()).map(|target| (target, 0)).collect();
        let reports = targets.into_iter().map(Report::new).collect();
        Symcretic {
            phase_two,
            queue,
            analysis,
            settings,
            reports,
            evidence,
            current: 0,
            pass: 0,
            search: None,
            paths: 0,
            makes_inputs,
            near: Vec::new(),
            work: 0,
            proved: Proved::default(),
            find_impossible: None,
            tried_template: false,
        }
    }

    /// Phase II calls the functions that the program is linked with.
    #[must_use]
    pub fn with_linked(mut self, linked: Linked) -> Self {
        self.phase_two.link(linked);
        self
    }

    /// Targets that only branches lead to which no values lead to are proved: those of the program as it
    /// was written, not closed with its surroundings. They are found once a first look leaves a target
    /// open.
    #[must_use]
    pub fn with_impossible(mut self, find: impl FnOnce() -> Vec<BranchId> + 'p) -> Self {
        self.find_impossible = Some(Box::new(find));
        self
    }

    /// Whether inputs can be made of paths: the program makes objects input.
    #[must_use]
    pub fn makes_inputs(&self) -> bool {
        self.makes_inputs
    }

    /// Whether each target had its first pass, or so many of them.
    #[must_use]
    pub fn has_looked_at(&self, many: usize) -> bool {
        let waits = self.queue.iter().filter(|(_, pass)| *pass == COARSE_PASS);
        let is_current = self.pass == COARSE_PASS && self.search.is_some();
        let open = waits.count() + usize::from(is_current);
        open == 0 || self.reports.len() - open >= many
    }

    /// Expressions that the searches have looked at.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work + self.search.as_ref().map_or(0, Search::work)
    }

    /// Work of phase II, in instructions that are interpreted.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.phase_two.work()
    }

    /// The results so far.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Whether some target is still open.
    #[must_use]
    pub fn has_open(&self) -> bool {
        self.open_count() > 0
    }

    /// The number of targets that are still open.
    #[must_use]
    pub fn open_count(&self) -> usize {
        let open = |report: &&Report| report.verdict.is_open();
        self.reports.iter().filter(open).count()
    }

    /// Passes behind the coarse one that are over and left their target open, for each such target.
    #[must_use]
    pub fn passes_in_vain(&self) -> f64 {
        let open = self.reports.iter();
        let open = open.filter(|report| report.verdict == Verdict::Open);
        // The coarse pass and the one that has begun do not count.
        let over = open.map(|report| f64::from(report.passes.saturating_sub(2)));
        let (count, sum) = over.fold((0.0, 0.0), |(count, sum), over| (count + 1.0, sum + over));
        sum / f64::max(count, 1.0)
    }

    /// The branches that lead to targets that are still open.
    #[must_use]
    pub fn leads(&self) -> Vec<BranchId> {
        let open = |report: &Report| report.verdict.is_open();
        let pairs = self.reports.iter().zip(&self.evidence);
        let mut leads: Vec<BranchId> = pairs
            .filter(|(report, _)| open(report))
            .flat_map(|(_, evidence)| evidence.branches())
            .collect();
        leads.sort_unstable();
        leads.dedup();
        leads
    }

    /// Inputs for a search forward to begin with: models of paths that their runs left.
    #[must_use]
    pub fn take_near(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.near)
    }

    /// As [`Symcretic::try_input`], for an input that a search forward found.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn try_forward(&mut self, session: &mut Session, input: &Input) -> Result<bool, Error> {
        let before: Vec<bool> = self.reports.iter().map(Report::is_reached).collect();
        let shown = self.try_input(session, input)?;
        for (report, before) in self.reports.iter_mut().zip(before) {
            report.forward |= report.is_reached() && !before;
        }
        self.withdraw(session);
        Ok(shown)
    }

    /// What a run overruled is not proved.
    fn withdraw(&mut self, session: &Session) {
        for report in &mut self.reports {
            let overruled = || session.contradictions().contains(&report.target.name);
            if report.verdict == Verdict::Unreachable && overruled() {
                report.verdict = Verdict::NotFound;
                report.obstacles = vec![OVERRULED.to_owned()];
            }
        }
    }

    /// Targets that are branches which runs of another technique took are reached. What was proved
    /// counts as covered, so it stays as it is here: the session overrules it.
    pub fn note_covered(&mut self, covered: &Coverage) {
        for report in &mut self.reports {
            let open = report.verdict.is_open();
            let branch = report.target.branch.filter(|_| open);
            if branch.is_some_and(|branch| covered.contains(branch)) {
                report.verdict = Verdict::Reached;
                report.forward = true;
            }
        }
    }

    /// Runs an input, and makes it a test if that shows targets that are open.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn try_input(&mut self, session: &mut Session, input: &Input) -> Result<bool, Error> {
        let run = session.run_plain(input)?;
        let mut reached = self.shown(&run);
        reached.extend(self.called(session, input, &run)?);
        if reached.is_empty() {
            return Ok(false);
        }
        let origin = Origin {
            strategy: "symcretic".to_owned(),
            ..Origin::default()
        };
        let seen = session.run_for_targets(input.clone(), origin, &reached)?;
        let is_reached = |session: &Session, name: &str| {
            session
                .targets()
                .iter()
                .any(|target| target.location == name && target.status == TargetStatus::Reached)
        };
        if !reached.iter().all(|name| is_reached(session, name)) {
            // The recording took another path than the plain program, which alone counts: that is
            // run again to see whether it does the same.
            let again = session.run_plain(&seen.input)?;
            for name in self.shown(&again) {
                session.set_target(&name, TargetStatus::Reached)?;
            }
        }
        for report in &mut self.reports {
            if is_reached(session, &report.target.name) && report.verdict != Verdict::Reached {
                report.verdict = Verdict::Reached;
                report.input = Some(seen.input.clone());
            }
        }
        Ok(true)
    }

    /// The targets that a run of the plain program was at and none before it; a proof does not
    /// count against a run.
    fn shown(&self, run: &PlainRun) -> Vec<String> {
        let pairs = self.reports.iter().zip(&self.evidence);
        let shown = pairs.filter(|(report, evidence)| {
            let open = report.verdict != Verdict::Reached;
            let seen = if report.target.marker {
                run.targets.contains(&report.target.name)
            } else {
                evidence.shown_by(run)
            };
            open && seen
        });
        shown
            .map(|(report, _)| report.target.name.clone())
            .collect()
    }

    /// The open targets that only calls of functions show, of which the recording executable tells
    /// where it takes the branches of the plain one.
    fn called(
        &self,
        session: &mut Session,
        input: &Input,
        run: &PlainRun,
    ) -> Result<Vec<String>, Error> {
        let pairs = self.reports.iter().zip(&self.evidence);
        let open = pairs.filter(|(report, evidence)| {
            let open = report.verdict != Verdict::Reached && !report.target.marker;
            open && evidence.needs_calls()
        });
        let open: Vec<_> = open.collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let Some(trace) = session.trace_again(input, Mode::Calls)? else {
            return Ok(Vec::new());
        };
        let same = Coverage::from_bytes(&trace.recording().coverage) == run.coverage;
        let called = trace.recording().called().filter(|_| same);
        session.recycle(trace);
        let called = called.unwrap_or_default();
        let shown = open
            .into_iter()
            .filter(|(_, evidence)| evidence.shown_by_calls(&called, &run.outcome));
        Ok(shown
            .map(|(report, _)| report.target.name.clone())
            .collect())
    }

    /// Tries the solver's model of a path, adjusted by phase II where the path does not follow
    /// everything.
    fn try_path(&mut self, session: &mut Session, path: Path) -> Result<(), Error> {
        let Some((layout, values)) = self.start_of(&path) else {
            return Ok(());
        };
        if !path.skips.is_empty() || path.model.is_none() {
            return self.adjust_path(session, &path, &layout, values);
        }
        let input = layout.input(&values);
        if self.try_input(session, &input)? {
            self.note_path(self.current, path);
        } else {
            self.remember(input);
            self.reports[self.current].diverged += 1;
        }
        Ok(())
    }

    /// The variables of a path, with values of the solver's model, and of the seed that is nearest
    /// to the path.
    fn start_of(&mut self, path: &Path) -> Option<(InputLayout, Vec<u128>)> {
        let search = self.search.as_ref()?;
        let model = path.model.as_ref();
        let value = |part| model.map_or(0, |model| search.symbol_value(part, model));
        let values: Vec<u128> = path
            .objects
            .iter()
            .flatten()
            .map(|part| value(*part))
            .collect();
        let widths = path.objects.iter();
        let widths = widths.map(|parts| parts.iter().map(|part| search.width(*part)).collect());
        let widths: Vec<Vec<u32>> = widths.collect();
        let inputs = path.inputs.iter().filter(|_| model.is_some());
        let known: Vec<KnownPart> = inputs
            .map(|(part, offset, symbol)| (*part, *offset, value(*symbol)))
            .collect();
        let start = |base: &Input| InputLayout::new(widths.clone(), values.clone(), &known, base);
        let mut best = start(&self.settings.template);
        if path.skips.is_empty() || !self.phase_two.shows(&self.settings.template) {
            return Some(best);
        }
        let mut nearest = self.phase_two.distance(path, &best.0, &best.1);
        for seed in &self.settings.seeds {
            let next = start(seed);
            let distance = self.phase_two.distance(path, &next.0, &next.1);
            if distance < nearest {
                (best, nearest) = (next, distance);
            }
        }
        Some(best)
    }

    /// Phase II: adjusts the input until the path executes itself.
    fn adjust_path(
        &mut self,
        session: &mut Session,
        path: &Path,
        layout: &InputLayout,
        mut values: Vec<u128>,
    ) -> Result<(), Error> {
        let current = self.current;
        let start = layout.input(&values);
        let begun = self.phase_two.work();
        let target_work = self.reports[current].executed;
        let coarse = self.pass <= FIRST_PASS;
        let attempts = self
            .phase_two
            .attempts(path, layout, &values, target_work, coarse);
        self.reports[current].executed += self.phase_two.work() - begun;
        for attempt in attempts {
            let begun = self.phase_two.work();
            let evaluated = self.reports[current].evaluations;
            let seed = session.seed();
            let trial = Trial {
                attempt: &attempt,
                evaluated,
                seed,
            };
            let over = || session.is_over();
            let found = self.phase_two.adjust(path, layout, values, trial, &over);
            self.reports[current].executed += self.phase_two.work() - begun;
            self.reports[current].evaluations += found.evaluations;
            values = found.values;
            let input = layout.input(&values);
            if found.fitness == 0.0 {
                if self.try_input(session, &input)? {
                    self.note_path(current, path.clone());
                    return Ok(());
                }
                self.reports[current].diverged += 1;
            }
            self.remember(input);
            let crashed = self.phase_two.take_crash();
            if (!found.known || crashed) && self.try_input(session, &start)? {
                // Only the program itself can execute what the machine cannot.
                self.note_path(current, path.clone());
                return Ok(());
            }
            if !found.known || found.fitness == 0.0 {
                break;
            }
        }
        self.remember(start);
        Ok(())
    }

    fn remember(&mut self, input: Input) {
        if self.near.len() < MAX_NEAR && !self.near.contains(&input) {
            self.near.push(input);
        }
    }

    fn note_skips(&mut self, path: &Path) {
        let report = &mut self.reports[self.current];
        for skip in &path.skips {
            if !report.skips.contains(skip) {
                report.skips.push(skip.clone());
            }
        }
    }

    fn note_path(&mut self, current: usize, path: Path) {
        let report = &mut self.reports[current];
        if report.verdict == Verdict::Reached {
            report.skips.clone_from(&path.skips);
            report.path = Some(path);
        }
    }

    /// The end of a pass: a proof, the next pass, or the end for this target.
    fn end_pass(&mut self, session: &mut Session, exhausted: bool) -> Result<(), Error> {
        let Some(search) = self.search.take() else {
            return Ok(());
        };
        let report = &mut self.reports[self.current];
        report.counts.add(search.counts());
        self.work += search.work();
        if report.verdict == Verdict::Open {
            let against = search.obstacles();
            if exhausted && self.paths == 0 && against.is_empty() {
                self.prove(session, self.current, search.assumptions())?;
            } else if self.pass == COARSE_PASS {
                self.prove_by_values(session)?;
            } else {
                report.obstacles = against;
                let counts = search.counts();
                if counts.unknown >= MAX_UNKNOWN {
                    let text = "the solver gave up too often";
                    report.obstacles.push(text.to_owned());
                } else if counts.segments >= search.precision().segments {
                    let text = format!("more than {} path segments", search.precision().segments);
                    report.obstacles.push(text);
                }
            }
        }
        self.paths = 0;
        let report = &mut self.reports[self.current];
        // A constraint that the solver gives up on in one piece it may decide in several.
        self.pass = if self.pass == FIRST_PASS && report.skips.contains(&Skip::Unsolved) {
            PLAIN_PASS
        } else {
            self.pass + 1
        };
        if report.verdict != Verdict::Open {
            return Ok(());
        }
        if self.pass < PASSES {
            self.queue.push_back((self.current, self.pass));
            return Ok(());
        }
        report.verdict = Verdict::NotFound;
        session.set_target(&report.target.name, TargetStatus::Open)
    }

    /// A target is proved unreachable, unless a run came to it.
    fn prove(
        &mut self,
        session: &mut Session,
        target: usize,
        rests_on: Vec<Assumption>,
    ) -> Result<(), Error> {
        let report = &mut self.reports[target];
        if session.prove(&report.target.name, report.target.branch)? {
            report.verdict = Verdict::Unreachable;
            report.assumptions = rests_on;
            self.proved.add(&report.target.points, report.target.branch);
            self.prove_markers(session)?;
        } else {
            report.verdict = Verdict::NotFound;
            report.obstacles = vec![OVERRULED.to_owned()];
        }
        Ok(())
    }

    /// Proves the targets that no values lead to, once. What such a proof rests on is not noted one by
    /// one.
    fn prove_by_values(&mut self, session: &mut Session) -> Result<(), Error> {
        let Some(find) = self.find_impossible.take() else {
            return Ok(());
        };
        let impossible = Proved::of(find());
        for index in 0..self.reports.len() {
            let report = &self.reports[index];
            let is_excluded = !impossible.is_empty()
                && report.verdict == Verdict::Open
                && impossible.excludes_target(self.analysis, self.settings.entry, &report.target);
            if is_excluded {
                self.reports[index].by_values = true;
                let chooses = self.analysis.chooses_places_in_files();
                self.prove(session, index, Assumptions::all().list(chooses))?;
            }
        }
        Ok(())
    }

    /// Markers that only proved places lead to are proved too.
    fn prove_markers(&self, session: &mut Session) -> Result<(), Error> {
        let targets = session.targets().iter();
        let open = targets.filter(|target| target.status == TargetStatus::Open);
        let names: Vec<String> = open.map(|target| target.location.clone()).collect();
        for name in names {
            let is_target = |report: &Report| report.target.name == name;
            let places = markers(self.analysis.program(), &name);
            if places.is_empty() || self.reports.iter().any(is_target) {
                continue;
            }
            if self
                .proved
                .excludes(self.analysis, self.settings.entry, &places)
            {
                session.prove(&name, None)?;
            }
        }
        Ok(())
    }

    fn begin_pass(&mut self) {
        let report = &mut self.reports[self.current];
        report.passes += 1;
        let points = report.target.points.clone();
        let mut search = Search::new(
            self.analysis,
            self.settings.entry,
            &points,
            Precision::of_pass(self.pass, self.settings.loop_bound),
        );
        if let Some(branch) = self.reports[self.current].target.branch {
            search.start_from_branch(branch);
        }
        self.search = Some(search);
    }
}

impl Technique for Symcretic<'_> {
    fn name(&self) -> &'static str {
        "symcretic"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if !session.contradictions().is_empty() {
            self.withdraw(session);
        }
        if self.search.is_none() {
            let Some((current, pass)) = self.queue.pop_front() else {
                return Ok(Progress::Done);
            };
            (self.current, self.pass, self.paths) = (current, pass, 0);
            if self.reports[current].verdict == Verdict::Open {
                self.begin_pass();
            }
            return Ok(Progress::More);
        }
        if self.reports[self.current].verdict != Verdict::Open {
            if let Some(search) = self.search.take() {
                self.reports[self.current].counts.add(search.counts());
                self.work += search.work();
            }
            return Ok(Progress::More);
        }
        let Some(search) = &mut self.search else {
            return Ok(Progress::Done);
        };
        let mut check = |pool: &mut Pool, constraints, hint: &Assignment, steps: u64| {
            session.check(pool, constraints, hint, Some(steps))
        };
        let found = search.step(&mut check);
        let tired = search.is_over_budget();
        match found {
            Found::More if tired => self.end_pass(session, false)?,
            Found::More => {}
            Found::End => self.end_pass(session, true)?,
            Found::Path(path) if self.pass == COARSE_PASS && !path.skips.is_empty() => {
                // There is no proof, and too little is known to look for an input.
                self.paths += 1;
                self.end_pass(session, false)?;
            }
            Found::Path(path) if !self.makes_inputs => {
                // The template is the only input there can be.
                self.paths += 1;
                if !self.tried_template {
                    self.tried_template = true;
                    let input = self.settings.template.clone();
                    self.try_input(session, &input)?;
                }
                self.note_skips(&path);
                self.end_pass(session, false)?;
            }
            Found::Path(path) => {
                self.paths += 1;
                self.note_skips(&path);
                self.try_path(session, *path)?;
                if tired && self.reports[self.current].verdict == Verdict::Open {
                    self.end_pass(session, false)?;
                }
            }
        }
        Ok(Progress::More)
    }
}

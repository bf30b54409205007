//! The technique: system runs and relevance (FZ), failure lines of units (FLI), and the composition
//! of each with its callers up to main (SC, CC, FSR).
//!
//! A search of the whole program goes on beside the units, with equal shares: it reports what is
//! near to main at once, its inputs begin the summary of main, and a unit takes long to build.
//! Shares are of work, or of time if the time is limited: then time is what runs out.

mod beside;
mod units;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_engine::{Error, Progress, Session, Technique};
use labrys_program::{FunctionId, Program};

use crate::bind::Formula;
use crate::compose::{Composed, Composer, Work, is_over, is_shown, share_of_time, shows};
use crate::line::{Line, line_of};
use crate::measure::Measurement;
use crate::open::OpenUnits;
use crate::plan::{Extent, Planner, UnitPlan};
use crate::report::{Alarm, Report, Validated};
use crate::target::{Target, targets};
use crate::unit::Unit;
use crate::workshop::Workshop;

use self::units::Pace;

/// System inputs whose runs the summary of main begins with.
const MOST_SEEDS: usize = 256;
/// Functions in a chain of calls, and chains of one failure line.
const DEEPEST: usize = 12;
const MOST_CHAINS: usize = 64;
/// Units that are built at once at first.
const FIRST_BATCH: usize = 16;
/// Functions that lead to failures and whose calls are bound in main's unit, beside those that fail
/// and those that main calls itself.
const MOST_LEADING: usize = 16;
/// Lines that are composed at least, while units are to be tested, in the time that is for it.
const LINES: f64 = 2.0;
/// Part of the budget after which relevance is measured by the system runs that there are.
const MEASURING: f64 = 0.2;
/// Work of building a unit, in steps of the solver for each site of the program.
const BUILD: u64 = 64;
/// A refinement has this part of the queries of a unit, and so many at least.
const REFINEMENT: u32 = 4;
const LEAST_REFINEMENT: u32 = 32;

/// What the user may set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which callees units have.
    pub extent: Extent,
    /// Whether summaries are refined by interpolants, or only explored further.
    pub interpolants: bool,
    /// Whether the search of the whole program goes on beside the units.
    pub search: bool,
    /// Queries for the exploration of one unit.
    pub queries: u32,
    /// The longest time for it, and for a refinement; the same queries give the same result
    /// everywhere, the same time does not.
    pub time: Option<Duration>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Units that are tested at a time; all but one go on where a failure line is composed.
    pub jobs: usize,
}

enum Phase {
    Measure,
    Units(VecDeque<FunctionId>),
    Compose(VecDeque<Target>),
}

/// See the module.
pub struct Hunt<'h> {
    program: Arc<Program>,
    main: FunctionId,
    workshop: Arc<dyn Workshop + 'h>,
    settings: Settings,
    measurement: Measurement<'h>,
    phase: Phase,
    planner: Option<Planner>,
    units: OpenUnits,
    /// Functions whose units are built, or cannot be built with others.
    prepared: BTreeSet<FunctionId>,
    batch: usize,
    /// Callers, and failing units of earlier hunts, that are built at once.
    callers_batch: usize,
    failing_batch: usize,
    /// The calls that are bound in the units of callers.
    calls: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    whole: Option<Unit>,
    found: Vec<(FunctionId, Line)>,
    /// Functions whose units are tested when what was found so far is composed.
    pending: VecDeque<FunctionId>,
    /// Failure lines that there was no time for yet.
    waiting: Vec<Target>,
    /// Failure lines that were worked on, in order.
    worked_on: Vec<Target>,
    /// The functions that lead to failure lines, whose calls are bound in main's unit.
    bound: BTreeSet<FunctionId>,
    /// The part of the budget after which testing of units began, and that after which composing is
    /// to end: both have as much.
    begun: f64,
    until: f64,
    /// The longest time of a line while units are to be tested, if time is limited.
    line_time: Option<Duration>,
    composer: Composer,
    /// Functions whose units an earlier hunt explored.
    remembered: BTreeSet<FunctionId>,
    report: Report,
    /// What units had and the search of the whole program has not had yet: steps of the solver, or
    /// seconds if the time is limited.
    owed: f64,
    /// The same of the units of this round, and what it took to make the whole program when they were
    /// composed the last time: a round is as long, or it would go by with making the whole program.
    round: f64,
    binding: f64,
    pace: Pace,
}

/// A target that is worked on.
struct Attempt {
    line: Line,
    conflicts: Vec<String>,
    constraints: Vec<String>,
    /// The longest chain under which it may fail.
    context: Vec<FunctionId>,
    chains: usize,
    /// When it ends, if time is limited.
    until: Option<Instant>,
}

impl<'h> Hunt<'h> {
    /// A hunt that has not begun; `main` is the function in which the program begins.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        main: FunctionId,
        workshop: Box<dyn Workshop + 'h>,
        measurement: Measurement<'h>,
        settings: Settings,
    ) -> Self {
        let refinement = (settings.queries / REFINEMENT).max(LEAST_REFINEMENT);
        Hunt {
            program: program.clone(),
            main,
            workshop: workshop.into(),
            measurement,
            phase: Phase::Measure,
            planner: None,
            units: OpenUnits::default(),
            prepared: BTreeSet::new(),
            batch: FIRST_BATCH,
            callers_batch: FIRST_BATCH,
            failing_batch: FIRST_BATCH,
            calls: BTreeMap::new(),
            whole: None,
            found: Vec::new(),
            pending: VecDeque::new(),
            waiting: Vec::new(),
            worked_on: Vec::new(),
            bound: BTreeSet::new(),
            begun: 0.0,
            until: 0.0,
            line_time: None,
            composer: Composer::new(
                settings.interpolants,
                refinement,
                settings.time,
                settings.seed,
            ),
            settings,
            remembered: BTreeSet::new(),
            report: Report::default(),
            owed: 0.0,
            round: 0.0,
            binding: 0.0,
            pace: Pace::default(),
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self, session: &Session) -> Report {
        let mut report = self.report.clone();
        report.figures = self.composer.figures;
        report.phases = self.composer.phases;
        report.figures.profiled = self.measurement.relevance().runs();
        report.figures.units = self.report.figures.units;
        report.figures.remembered = self.remembered.len() as u32;
        report.figures.targets = self.report.figures.targets;
        report.figures.directed = self.report.figures.directed;
        for failure in session.failures().iter().filter(|one| one.confirmed) {
            let place = failure.location.as_deref().map(line_of);
            let location = place.unwrap_or("unknown").to_owned();
            if !report.validated.iter().any(|one| one.location == location) {
                report.validated.push(Validated {
                    location,
                    kind: failure.kind.clone(),
                    ..Validated::default()
                });
            }
        }
        report.alarms.retain(|alarm| {
            let shown = |one: &Validated| one.location == alarm.location;
            !report.validated.iter().any(shown)
        });
        report.rank();
        report
    }

    fn name(&self, function: FunctionId) -> String {
        let function = self.program.function(function);
        function.map_or_else(String::new, |one| one.name.clone())
    }

    fn names(&self, chain: &[FunctionId]) -> Vec<String> {
        chain.iter().rev().map(|one| self.name(*one)).collect()
    }

    /// One step of measuring relevance.
    fn measure(&mut self, session: &mut Session) -> Result<(), Error> {
        let begun = Instant::now();
        if session.status().used >= Some(MEASURING) {
            self.measurement.hurry();
        }
        if self.measurement.step(session)? == Progress::Done {
            self.plan(session);
        }
        self.composer.phases.fz += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// Relevance is known: which units are tested, and in which order.
    fn plan(&mut self, session: &mut Session) {
        let relevance = self.measurement.relevance().clone();
        let mut planner = Planner::new(
            &self.program,
            relevance,
            self.settings.extent,
            self.settings.seed,
        );
        let depths = planner.depths(self.main);
        let mut functions: Vec<FunctionId> = depths.keys().copied().collect();
        functions.retain(|function| *function != self.main);
        // What system runs come to is composed with their paths; for the rest they have to be found.
        let relevance = planner.relevance();
        let missed = |function: FunctionId| relevance.of(self.main, function) <= 0.0;
        functions.sort_by_key(|one| (missed(*one), depths[one], *one));
        let (all, runs) = (functions.len(), relevance.runs());
        let plans = functions.iter().map(|one| planner.plan(*one));
        let plans: Option<Vec<UnitPlan>> = self.workshop.remembers().then(|| plans.collect());
        self.planner = Some(planner);
        self.begun = session.status().used.unwrap_or(0.0);
        self.pace.from = session.status().time_left();
        self.phase = Phase::Units(functions.into());
        if let Some(plans) = plans {
            let time = self.time_of_each(session);
            self.workshop.look_up(&plans, time);
        }
        let mut known = String::new();
        if let Phase::Units(functions) = &mut self.phase {
            let is_known = |one: &FunctionId| self.workshop.known(*one).is_some();
            let number = functions.iter().filter(|one| is_known(one)).count();
            if number > 0 {
                known = format!(" ({number} as in an earlier hunt)");
            }
            // What is new since then is tested first.
            functions.make_contiguous().sort_by_key(is_known);
        }
        session.note(&format!(
            "{all} functions to test{known}, relevance from {runs} runs"
        ));
        self.pace.each = self.time_of_each(session);
    }

    /// Tests the next unit, or composes what units showed.
    fn test_next(&mut self, session: &mut Session, used: f64) -> Result<(), Error> {
        let next = match &self.phase {
            Phase::Units(functions) => functions.front().copied(),
            Phase::Measure | Phase::Compose(_) => None,
        };
        // Half of what is left of a limited budget is for composing.
        let is_late = used - self.begun > (1.0 - self.begun) / 2.0;
        let goes_on = |one: &FunctionId| self.found.is_empty() || !is_late && self.is_ready(*one);
        let next = next.filter(goes_on);
        let Phase::Units(functions) = &mut self.phase else {
            return Ok(());
        };
        match next {
            Some(function) => {
                functions.pop_front();
                self.test(session, function)
            }
            None => {
                let pending = std::mem::take(functions);
                self.begin_composing(session, pending)
            }
        }
    }

    /// Whether the unit of a function is tested in this round too. What fails is composed as soon as the
    /// units that were built together are tested, if they took as long as it takes to make the whole
    /// program for that.
    fn is_ready(&self, function: FunctionId) -> bool {
        let is_short = self.round < self.binding;
        is_short || self.prepared.contains(&function) || self.is_settled(function)
    }

    /// The failure lines that units showed since the last time, in the order in which they are worked
    /// on.
    fn targets(&mut self, session: &Session) -> VecDeque<Target> {
        let planner = self.planner.as_ref();
        let depths = planner.map(|planner| planner.depths(self.main));
        let mut found = std::mem::take(&mut self.found);
        found.retain(|(_, line)| !is_shown(session, &line.location));
        let targets = targets(found, &depths.unwrap_or_default());
        self.report.figures.targets += targets.len() as u32;
        targets
    }

    /// Composes what the units of this batch showed; those of the next batch are tested afterwards.
    fn begin_composing(
        &mut self,
        session: &mut Session,
        pending: VecDeque<FunctionId>,
    ) -> Result<(), Error> {
        let used = |session: &Session| session.status().used.unwrap_or(0.0);
        let testing = used(session) - self.begun;
        self.pending = pending;
        let targets = self.targets(session);
        session.note(&format!("{} failure lines in units", targets.len()));
        self.bind(session, &targets)?;
        self.until = used(session) + testing;
        let limit = session.status().time_limit;
        self.line_time = limit.map(|limit| limit.mul_f64(testing / LINES));
        self.phase = Phase::Compose(targets);
        Ok(())
    }

    /// Makes the whole program anew if calls lead to targets that are not bound in it.
    fn bind(&mut self, session: &mut Session, targets: &VecDeque<Target>) -> Result<(), Error> {
        let seen = session.seen();
        let sites = self.program.sites.iter();
        let taken = sites.filter(|site| site.branches().any(|branch| seen.contains(branch)));
        let reached: BTreeSet<FunctionId> = taken.map(|site| site.function).collect();
        let Some(planner) = self.planner.as_mut().filter(|_| !targets.is_empty()) else {
            return Ok(());
        };
        let entries = targets.iter().flat_map(|target| &target.entries);
        let entries: BTreeSet<FunctionId> = entries.map(|(function, _)| *function).collect();
        let bound = planner.bound_in(self.main, &entries, &reached, MOST_LEADING);
        let before = self.bound.len();
        self.bound.extend(bound);
        if self.bound.len() == before && self.whole.is_some() {
            return Ok(());
        }
        let bound: Vec<UnitPlan> = self.bound.iter().map(|one| planner.plan(*one)).collect();
        let inputs = session.kept_inputs();
        let inputs = inputs.iter().take(MOST_SEEDS).cloned().collect();
        let begun = Instant::now();
        let whole = self.workshop.whole(&bound, inputs)?;
        self.composer.phases.build += begun.elapsed().as_secs_f64();
        let mut work = BUILD * self.program.sites.len() as u64;
        match whole {
            Ok(bench) => {
                let mut unit = Unit::new(bench, self.main, &self.program, self.settings.seed);
                unit.explore(None, 0, None)?;
                work += unit.session.effort();
                self.whole = Some(unit);
            }
            Err(reason) => session.note(&format!("main has no summary: {reason}")),
        }
        self.binding = cost(session, begun, work);
        self.owed += self.binding;
        Ok(())
    }

    /// Composes one failure line up to main.
    fn validate(&mut self, session: &mut Session, target: &Target) -> Result<(), Error> {
        self.prepare_failing(session, target)?;
        let mut attempt = Attempt {
            line: target.line.clone(),
            conflicts: Vec::new(),
            constraints: Vec::new(),
            context: Vec::new(),
            chains: 0,
            until: self.time_of_line(session).map(|time| Instant::now() + time),
        };
        let near = self.composer.figures.at_main;
        for (function, line) in &target.entries {
            if is_shown(session, &line.location) {
                return Ok(());
            }
            let Some(mut unit) = self.take(session, *function)? else {
                continue;
            };
            let line = unit.line(line);
            let formula = unit.failing(&line)?;
            self.put(unit);
            attempt.line = line;
            let Some(mut formula) = formula else {
                continue;
            };
            let chain = vec![*function];
            if attempt.context.is_empty() {
                attempt.context.clone_from(&chain);
            }
            if let Some(chain) = self.extend(session, &mut attempt, &mut formula, &chain)? {
                self.report.validated.push(Validated {
                    location: attempt.line.location,
                    kind: attempt.line.kind,
                    chain: self.names(&chain),
                    backtracked: attempt.conflicts,
                    constraints: attempt.constraints,
                });
                return Ok(());
            }
        }
        if self.settings.search && self.composer.figures.at_main > near {
            self.go_toward(session, &attempt.line)?;
        }
        let function = target.entries.first().map(|(function, _)| *function);
        let Line { location, kind, .. } = attempt.line;
        self.report.alarms.retain(|one| one.location != location);
        self.report.alarms.push(Alarm {
            location,
            kind,
            function: function.map_or_else(String::new, |one| self.name(one)),
            context: self.names(&attempt.context),
            conflicts: attempt.conflicts,
        });
        Ok(())
    }

    /// The longest time of a line. While units are to be tested, one that takes long waits until they
    /// are, and is worked on once more.
    fn time_of_line(&self, session: &Session) -> Option<Duration> {
        let short = self.line_time.filter(|_| !self.pending.is_empty());
        share_of_time(session, short)
    }

    /// Searches the whole program for a line, from the inputs that came near to its failure.
    fn go_toward(&mut self, session: &mut Session, line: &Line) -> Result<(), Error> {
        let Some(mut search) = self.workshop.toward(session, &line.location) else {
            return Ok(());
        };
        let (begun, before) = (Instant::now(), session.effort());
        let until = share_of_time(session, self.settings.time).map(|time| begun + time);
        for _ in 0..self.composer.refinement {
            let late = until.is_some_and(|until| Instant::now() >= until);
            if late || is_over(session) || is_shown(session, &line.location) {
                break;
            }
            if search.step(session)? == Progress::Done {
                break;
            }
        }
        self.report.figures.directed += 1;
        self.owed += cost(session, begun, session.effort() - before);
        Ok(())
    }

    /// Goes on backward from a satisfiable chain, callers of most relevance first; the chain that
    /// shows the failure, if one does.
    fn extend(
        &mut self,
        session: &mut Session,
        attempt: &mut Attempt,
        formula: &mut Formula,
        chain: &[FunctionId],
    ) -> Result<Option<Vec<FunctionId>>, Error> {
        let (Some(top), Some(failing)) = (chain.last().copied(), chain.first().copied()) else {
            return Ok(None);
        };
        let callers = self.callers(top);
        let begun = Instant::now();
        self.prepare_callers(session, top, &callers)?;
        // Callers are built for the lines to come too.
        attempt.until = attempt.until.map(|until| until + begun.elapsed());
        for caller in callers {
            if chain.contains(&caller) || chain.len() >= DEEPEST {
                continue;
            }
            let late = attempt.until.is_some_and(|until| Instant::now() >= until);
            if late || attempt.chains >= MOST_CHAINS || is_over(session) {
                break;
            }
            attempt.chains += 1;
            let mut longer = chain.to_vec();
            longer.push(caller);
            let Some(unit) = self.caller(session, caller, top)? else {
                continue;
            };
            let below = self.able_to_fail(session, top, failing)?;
            match self.compose(session, attempt, (unit, below), (top, formula))? {
                Composed::Validated => return Ok(Some(longer)),
                Composed::Conflict(reason) => {
                    let names = self.names(&longer).join(" > ");
                    attempt.conflicts.push(format!("{names}: {reason}"));
                }
                Composed::Satisfiable(mut formula) => {
                    if longer.len() > attempt.context.len() {
                        attempt.context.clone_from(&longer);
                    }
                    let found = self.extend(session, attempt, &mut formula, &longer)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Composes the formula of a chain, whose outermost function comes with it, with the unit of a
    /// caller; `below` is the unit of that function, if it may fail at the line.
    fn compose(
        &mut self,
        session: &mut Session,
        attempt: &mut Attempt,
        (mut unit, mut below): (Unit, Option<Unit>),
        (top, formula): (FunctionId, &mut Formula),
    ) -> Result<Composed, Error> {
        let efforts = |session: &Session, unit: &Unit, below: &Option<Unit>| {
            let below = below.as_ref().map_or(0, |below| below.session.effort());
            session.effort() + unit.session.effort() + below
        };
        let (begun, before) = (Instant::now(), efforts(session, &unit, &below));
        let aim = (attempt.line.location.as_str(), attempt.until);
        let mut work = Work::new(top, formula, aim, below.as_mut());
        let composed = self.composer.compose(session, &mut unit, &mut work);
        let constraints = work.constraints.into_iter();
        let place = format!("{}, calls of {}", self.name(unit.function), self.name(top));
        attempt
            .constraints
            .extend(constraints.map(|text| format!("{place}: {text}")));
        let worked = efforts(session, &unit, &below) - before;
        self.owed += cost(session, begun, worked);
        self.put(unit);
        below.into_iter().for_each(|below| self.put(below));
        composed
    }

    /// The unit of a function, if the function that fails is in it as it is.
    fn able_to_fail(
        &mut self,
        session: &Session,
        function: FunctionId,
        failing: FunctionId,
    ) -> Result<Option<Unit>, Error> {
        let planner = self.planner.as_mut();
        let plan = planner.map(|planner| planner.plan(function));
        match plan.is_some_and(|plan| plan.members.contains(&failing)) {
            true => self.take(session, function),
            false => Ok(None),
        }
    }

    /// The callers of a function, and main, whose unit has all functions in it, if a system run
    /// came to the function.
    fn callers(&self, function: FunctionId) -> Vec<FunctionId> {
        let Some(planner) = &self.planner else {
            return Vec::new();
        };
        let mut callers = planner.callers(function);
        let mut paths = self.whole.iter().flat_map(Unit::paths);
        let comes = paths.any(|path| path.slices_at(function).next().is_some());
        if comes && !callers.contains(&self.main) {
            let of = |caller: &FunctionId| planner.relevance().of(*caller, function);
            let at = callers.partition_point(|caller| of(caller) >= of(&self.main));
            callers.insert(at, self.main);
        }
        callers
    }

    /// Whether there is time to work on the lines once more, with twice the work on each.
    fn goes_deeper(&mut self, session: &Session) -> bool {
        let mut again = std::mem::take(&mut self.worked_on);
        again.retain(|target| !is_shown(session, &target.line.location));
        let is_timed = session.status().time_limit.is_some();
        if !is_timed || again.is_empty() || !self.composer.deepen() {
            return false;
        }
        self.phase = Phase::Compose(again.into());
        true
    }

    /// One step of the search of the whole program, if it is on and not done.
    fn search(&mut self, session: &mut Session) -> Result<bool, Error> {
        let begun = Instant::now();
        let worked = match self.settings.search {
            true => self.measurement.search(session)?,
            false => None,
        };
        self.owed -= worked.map_or(self.owed, |work| cost(session, begun, work));
        Ok(worked.is_some())
    }

    /// Failures that refinements of main came upon are failures of the program.
    fn share_failures(&mut self, session: &mut Session) -> Result<(), Error> {
        let failures = self.whole.iter().flat_map(|whole| whole.session.failures());
        let found: Vec<_> = failures
            .filter(|failure| failure.confirmed && !session.was_tried(&failure.input))
            .cloned()
            .collect();
        for failure in found {
            let location = failure.location.unwrap_or_default();
            shows(session, failure.input, line_of(&location))?;
        }
        Ok(())
    }
}

/// What counts as the cost of work that began then: seconds, if they are limited.
fn cost(session: &Session, begun: Instant, work: u64) -> f64 {
    match session.status().time_limit {
        Some(_) => begun.elapsed().as_secs_f64(),
        None => work as f64,
    }
}

impl Technique for Hunt<'_> {
    fn name(&self) -> &'static str {
        "hunt"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if self.owed > 0.0 && self.search(session)? {
            return Ok(Progress::More);
        }
        let used = session.status().used.unwrap_or(0.0);
        match &mut self.phase {
            Phase::Measure => self.measure(session)?,
            Phase::Units(_) => self.test_next(session, used)?,
            Phase::Compose(targets) => match targets.pop_front() {
                Some(target) if self.pending.is_empty() || used <= self.until => {
                    self.validate_beside(session, &target)?;
                    self.share_failures(session)?;
                    self.worked_on.push(target);
                }
                Some(target) => {
                    self.waiting.push(target);
                    self.waiting.extend(targets.drain(..));
                }
                None if !self.pending.is_empty() || !self.found.is_empty() => {
                    self.begun = used;
                    self.round = 0.0;
                    self.phase = Phase::Units(std::mem::take(&mut self.pending));
                }
                None if !self.waiting.is_empty() => {
                    let waiting = std::mem::take(&mut self.waiting).into();
                    self.phase = Phase::Compose(waiting);
                }
                None if self.goes_deeper(session) => {}
                None => {
                    // Without a limit of time the search would have no end.
                    let goes_on = session.status().used.is_some();
                    return Ok(match goes_on && self.search(session)? {
                        true => Progress::More,
                        false => Progress::Done,
                    });
                }
            },
        }
        Ok(Progress::More)
    }
}

//! The units of a hunt: built together, tested, and made again as callers with calls bound.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use labrys_engine::{Error, Session};
use labrys_program::FunctionId;
use labrys_suite::{Explored, Input};

use super::{BUILD, Hunt, Phase, Settings, cost};
use crate::compose::{is_over, share_of_time};
use crate::line::Line;
use crate::plan::UnitPlan;
use crate::target::Target;
use crate::testing::{Outcome, Testing, seed};
use crate::unit::{Ending, Role, Unit};

/// Units that are built at once: twice as many each time, up to this. What units have in common is
/// compiled once for all of a batch, so few large batches take less time than many small ones.
const LARGEST_BATCH: usize = 512;
/// Where a build fails, so many times fewer units are built at once.
const FEWER: usize = 4;
/// Callers that are built at once: twice as many each time, up to this.
const MOST_CALLERS: usize = 128;
/// Units that are tested before the search of the whole program goes on, for each of those that are
/// tested at a time.
pub(super) const TESTED_TOGETHER: usize = 4;
/// A unit may have so many times what all would have if each had as much.
const MORE: f64 = 3.0;
/// The least that the longest time of a unit is.
const LEAST_TIME: Duration = Duration::from_millis(500);

impl<'h> Hunt<'h> {
    /// Builds the unit of a function, with those of the functions that are tested after it.
    pub(super) fn prepare(&mut self, session: &Session, function: FunctionId) -> Result<(), Error> {
        if self.prepared.contains(&function) {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let units = self.next_batch(Some(function));
            let functions: Vec<FunctionId> = units.iter().map(|(plan, _)| plan.function).collect();
            self.prepared.extend(functions.iter().copied());
            if self.build(session, &units)? || functions.len() <= 1 || is_over(session) {
                self.batch = (2 * self.batch).min(LARGEST_BATCH);
                break;
            }
            // One of them is at fault. One that is built alone is left out where it is tested.
            self.batch = (functions.len() / FEWER).max(1);
            functions.iter().for_each(|one| {
                self.prepared.remove(one);
            });
        }
        if self.settings.jobs > 1 {
            let next = self.next_batch(None);
            if !next.is_empty() {
                self.workshop.begin(&next);
            }
        }
        self.composer.phases.fli += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// The units that are built together: that of this function, if there is one, and those of the
    /// functions that are tested after it.
    fn next_batch(&mut self, first: Option<FunctionId>) -> Vec<(UnitPlan, Vec<UnitPlan>)> {
        let next = self.to_come().iter();
        let next = next.filter(|one| !self.prepared.contains(one));
        let next = next.filter(|one| !self.is_settled(**one));
        let functions = first.into_iter().chain(next.copied()).take(self.batch);
        let functions: Vec<FunctionId> = functions.collect();
        let Some(planner) = &mut self.planner else {
            return Vec::new();
        };
        let units = functions.into_iter();
        let units = units.map(|one| (planner.plan(one), Vec::new()));
        units.collect()
    }

    /// The functions whose units are to be tested.
    pub(super) fn to_come(&self) -> &VecDeque<FunctionId> {
        match &self.phase {
            Phase::Units(next) => next,
            Phase::Measure | Phase::Compose(_) => &self.pending,
        }
    }

    /// Tests the unit of a function, and at the same time those of functions after it, if there are
    /// processors for them.
    pub(super) fn test(&mut self, session: &Session, function: FunctionId) -> Result<(), Error> {
        if let Some(lines) = self.settled(function) {
            self.remembered.insert(function);
            self.learn(function, lines);
            return Ok(());
        }
        self.prepare(session, function)?;
        let begun = Instant::now();
        match self.settings.jobs {
            0 | 1 => {
                if let Some(unit) = self.take(session, function)? {
                    self.learn(function, unit.lines());
                    self.put(unit);
                }
            }
            jobs => self.test_together(session, function, jobs)?,
        }
        self.composer.phases.fli += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// The unit of a function was tested, and failed at these lines.
    pub(super) fn learn(&mut self, function: FunctionId, lines: Vec<Line>) {
        self.report.figures.units += 1;
        let lines = lines.into_iter().map(|line| (function, line));
        self.found.extend(lines);
    }

    /// Tests units that are built, so many at a time.
    fn test_together(
        &mut self,
        session: &Session,
        first: FunctionId,
        jobs: usize,
    ) -> Result<(), Error> {
        let time = self.time_of_unit(session);
        let Phase::Units(next) = &mut self.phase else {
            return Ok(());
        };
        let others = next.iter().take(TESTED_TOGETHER * jobs - 1);
        let others = others.take_while(|one| self.prepared.contains(one)).count();
        let functions: Vec<FunctionId> = [first].into_iter().chain(next.drain(..others)).collect();
        let begun = Instant::now();
        let Some(test) = self.testing(&functions, time) else {
            return Ok(());
        };
        let tested = test.all(jobs, &|| false)?;
        let work = self.learn_all(session, &test, tested)?;
        self.charge(cost(session, begun, work));
        Ok(())
    }

    /// The units of some functions, to be tested.
    pub(super) fn testing(
        &mut self,
        functions: &[FunctionId],
        time: Option<Duration>,
    ) -> Option<Testing<'h>> {
        let planner = self.planner.as_mut()?;
        let plans = functions.iter().map(|one| planner.plan(*one));
        Some(Testing {
            plans: plans.collect(),
            workshop: self.workshop.clone(),
            program: self.program.clone(),
            queries: self.settings.queries,
            time,
            seed: self.settings.seed,
        })
    }

    /// The first of some units were tested, which showed this; the steps of the solver that they took.
    pub(super) fn learn_all(
        &mut self,
        session: &Session,
        test: &Testing<'_>,
        tested: Vec<Outcome>,
    ) -> Result<u64, Error> {
        self.pace.grant(test.time, tested.len());
        let mut work = 0;
        for (plan, tested) in test.plans.iter().zip(tested) {
            let function = plan.function;
            let tested = match tested {
                Ok(tested) => tested,
                Err(reason) => {
                    self.leave_out(session, function, &reason);
                    continue;
                }
            };
            work += tested.effort;
            if self.workshop.known(function).is_some() {
                self.remembered.insert(function);
            } else {
                let found = (tested.inputs.as_slice(), tested.lines.as_slice());
                self.keep(function, found, tested.called.as_ref(), tested.ending)?;
            }
            self.units.note(function, tested.inputs);
            self.learn(function, tested.lines);
        }
        Ok(work)
    }

    /// The longest time of the unit that is tested next: if the time of the hunt is limited, so much
    /// that all that are to come can have as much.
    pub(super) fn time_of_unit(&self, session: &Session) -> Option<Duration> {
        let longest = share_of_time(session, self.settings.time);
        let Some(left) = session.status().time_left() else {
            return longest;
        };
        let share = self.pace.share(left, 1 + self.unknown(), &self.settings);
        longest.map(|longest| longest.min(share))
    }

    /// The part of the time that each unit has which is to come and not known, or the longest time of one
    /// if that is less.
    pub(super) fn time_of_each(&self, session: &Session) -> Option<Duration> {
        let units = self.unknown().max(1);
        let share = session.status().time_left();
        let share = share.map(|left| left.div_f64(units as f64));
        self.settings.time.into_iter().chain(share).min()
    }

    /// How many units are to come that no earlier hunt explored.
    fn unknown(&self) -> usize {
        let unknown = |one: &&FunctionId| self.workshop.known(**one).is_none();
        self.to_come().iter().filter(unknown).count()
    }

    /// What an earlier hunt says of the unit of a function: the lines at which it fails, without
    /// running it.
    pub(super) fn settled(&self, function: FunctionId) -> Option<Vec<Line>> {
        let known = self.workshop.known(function)?;
        Line::again(&known, &self.program)
    }

    pub(super) fn is_settled(&self, function: FunctionId) -> bool {
        self.settled(function).is_some()
    }

    /// Keeps what was found in a unit, its inputs and where it fails, unless the hunt ended it.
    fn keep(
        &mut self,
        function: FunctionId,
        (inputs, lines): (&[Input], &[Line]),
        called: Option<&BTreeSet<String>>,
        ending: Ending,
    ) -> Result<(), Error> {
        let cut_after = match ending {
            Ending::Whole => None,
            Ending::Cut => self.pace.each,
            Ending::Stopped => return Ok(()),
        };
        let explored = Explored {
            inputs: inputs.to_vec(),
            fails: !lines.is_empty(),
            lines: Line::kept(lines, &self.program),
            cut_after,
        };
        self.workshop.keep(function, explored, called)
    }

    /// Units had so much, which the search of the whole program has not had yet.
    fn charge(&mut self, cost: f64) {
        self.owed += cost;
        self.round += cost;
    }

    /// There is no unit of a function, for this reason.
    fn leave_out(&mut self, session: &Session, function: FunctionId, reason: &str) {
        let text = format!("{}: {reason}", self.name(function));
        // Nothing can be built when the time is over, which is not the function's fault.
        if !is_over(session) && !self.report.left_out.contains(&text) {
            self.report.left_out.push(text);
        }
    }

    /// Builds units together; whether that could be done.
    fn build(
        &mut self,
        session: &Session,
        units: &[(UnitPlan, Vec<UnitPlan>)],
    ) -> Result<bool, Error> {
        let begun = Instant::now();
        let built = self.workshop.prepare(units)?;
        let building = BUILD * self.program.sites.len() as u64;
        self.charge(cost(session, begun, building));
        self.composer.phases.build += begun.elapsed().as_secs_f64();
        Ok(built)
    }

    /// The unit of a function as it is tested, explored; `None` if there is none.
    pub(super) fn take(
        &mut self,
        session: &Session,
        function: FunctionId,
    ) -> Result<Option<Unit>, Error> {
        match self.units.take(function, Role::Tested) {
            Some(unit) => Ok(Some(unit)),
            None => self.make(session, function, &[]),
        }
    }

    /// Makes the unit of a function with these calls bound, explored; `None` if there is none.
    fn make(
        &mut self,
        session: &Session,
        function: FunctionId,
        calls: &[FunctionId],
    ) -> Result<Option<Unit>, Error> {
        let Some(planner) = &mut self.planner else {
            return Ok(None);
        };
        let begun = Instant::now();
        let plan = planner.plan(function);
        let bound: Vec<UnitPlan> = calls.iter().map(|one| planner.plan(*one)).collect();
        let known = self.units.inputs(function);
        let is_known = known.is_some();
        let bench = self
            .workshop
            .unit(&plan, &bound, known.unwrap_or_default())?;
        self.composer.phases.build += begun.elapsed().as_secs_f64();
        let bench = match bench {
            Ok(bench) => bench,
            Err(reason) => {
                self.leave_out(session, function, &reason);
                return Ok(None);
            }
        };
        let seed = seed(self.settings.seed, function);
        let mut unit = Unit::new(bench, function, &self.program, seed);
        let remembered = self.workshop.known(function).is_some();
        if remembered {
            self.remembered.insert(function);
        }
        if is_known || remembered {
            unit.explore(None, 0, None)?;
        } else {
            let time = match calls {
                [] => self.time_of_unit(session),
                _ => share_of_time(session, self.settings.time),
            };
            unit.explore(None, self.settings.queries, time)?;
            if calls.is_empty() {
                self.pace.grant(time, 1);
            }
            // A caller has no checked executable, so that it does not fail tells nothing of the function.
            if calls.is_empty() {
                let called = match self.workshop.remembers() {
                    true => unit.called()?,
                    false => None,
                };
                let (inputs, lines) = (unit.inputs(), unit.lines());
                self.keep(function, (&inputs, &lines), called.as_ref(), unit.ending())?;
            }
        }
        self.units.note(function, unit.inputs());
        let building = match self.prepared.contains(&function) {
            true => 0,
            false => BUILD * self.program.sites.len() as u64,
        };
        self.charge(cost(session, begun, unit.session.effort() + building));
        Ok(Some(unit))
    }

    /// Keeps a unit for later.
    pub(super) fn put(&mut self, unit: Unit) {
        match unit.is_whole() {
            true => self.whole = Some(unit),
            false => self.units.put(unit),
        }
    }

    /// Builds the units in which a line fails, where they did so in an earlier hunt and were not run in
    /// this one, and with them those of the lines to come.
    pub(super) fn prepare_failing(
        &mut self,
        session: &Session,
        target: &Target,
    ) -> Result<(), Error> {
        let (Phase::Compose(next), Some(planner)) = (&self.phase, &mut self.planner) else {
            return Ok(());
        };
        let missing = |target: &Target| {
            let functions = target.entries.iter().map(|(function, _)| *function);
            let missing = functions.filter(|one| !self.prepared.contains(one));
            missing.collect::<Vec<_>>()
        };
        let first = missing(target);
        if first.is_empty() || is_over(session) {
            return Ok(());
        }
        let all = first.into_iter().chain(next.iter().flat_map(missing));
        let mut wanted: BTreeSet<FunctionId> = BTreeSet::new();
        for function in all {
            if wanted.len() < self.failing_batch {
                wanted.insert(function);
            }
        }
        let units = wanted.iter().map(|one| (planner.plan(*one), Vec::new()));
        let units: Vec<_> = units.collect();
        self.prepared.extend(wanted);
        self.failing_batch = (2 * self.failing_batch).min(MOST_CALLERS);
        self.build(session, &units)?;
        Ok(())
    }

    /// Builds the units of callers together with the calls of a function bound, and with them those
    /// of the callers of functions that are composed later.
    pub(super) fn prepare_callers(
        &mut self,
        session: &Session,
        callee: FunctionId,
        callers: &[FunctionId],
    ) -> Result<(), Error> {
        let (Phase::Compose(next), Some(planner)) = (&self.phase, &mut self.planner) else {
            return Ok(());
        };
        let binds = |calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>, caller, callee| {
            calls
                .get(&caller)
                .is_some_and(|bound| bound.contains(&callee))
        };
        let missing =
            |caller: &&FunctionId| **caller != self.main && !binds(&self.calls, **caller, callee);
        let first: Vec<FunctionId> = callers.iter().filter(missing).copied().collect();
        if first.is_empty() || is_over(session) {
            return Ok(());
        }
        let later = next.iter().flat_map(|target| &target.entries);
        let later = later.flat_map(|(entry, _)| {
            let callers = planner.callers(*entry).into_iter();
            callers.map(|caller| (caller, *entry))
        });
        let calls = first
            .into_iter()
            .map(|caller| (caller, callee))
            .chain(later);
        let mut wanted: BTreeSet<FunctionId> = BTreeSet::new();
        for (caller, callee) in calls.collect::<Vec<_>>() {
            let is_new = caller != self.main && !binds(&self.calls, caller, callee);
            if is_new && (wanted.len() < self.callers_batch || wanted.contains(&caller)) {
                wanted.insert(caller);
                self.calls.entry(caller).or_default().insert(callee);
            }
        }
        let units = wanted.iter().map(|caller| {
            let bound = self.calls[caller]
                .iter()
                .map(|one| planner.plan(*one))
                .collect();
            (planner.plan(*caller), bound)
        });
        let units: Vec<_> = units.collect();
        self.callers_batch = (2 * self.callers_batch).min(MOST_CALLERS);
        self.build(session, &units)?;
        Ok(())
    }

    /// The unit of a caller in which the calls of a function are bound.
    pub(super) fn caller(
        &mut self,
        session: &Session,
        caller: FunctionId,
        callee: FunctionId,
    ) -> Result<Option<Unit>, Error> {
        if caller == self.main {
            return Ok(self.whole.take());
        }
        let open = self.units.take(caller, Role::Caller);
        if let Some(unit) = open.filter(|unit| unit.binds(callee)) {
            return Ok(Some(unit));
        }
        let calls = self.calls.get(&caller).into_iter().flatten();
        let calls: Vec<FunctionId> = calls.copied().collect();
        self.make(session, caller, &calls)
    }
}

/// How long units take of a hunt with a time limit.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The time that was left when the first was built.
    pub(super) from: Option<Duration>,
    /// The part of it that each unit has which is explored, or its longest time if that is less.
    pub(super) each: Option<Duration>,
    /// Seconds that the units which were tested since then could have had, summed.
    granted: f64,
}

impl Pace {
    /// So many units could have this much time each.
    fn grant(&mut self, time: Option<Duration>, units: usize) {
        let time = time.map_or(0.0, |time| time.as_secs_f64());
        self.granted += time * units as f64;
    }

    /// The longest time of a unit where so much is left of the hunt's, and so many units are to come.
    ///
    /// Some need all of it and others little, and building them, composing and the search of the whole
    /// program take their part: what all that took of the clock, for each second that units could have
    /// had, it will take again.
    fn share(&self, left: Duration, units: usize, settings: &Settings) -> Duration {
        let seconds = left.as_secs_f64();
        // Composing has half of what is left, and the search of the whole program half of the rest.
        let part = if settings.search { 4.0 } else { 2.0 };
        let most = MORE * seconds * settings.jobs.max(1) as f64 / (part * units as f64);
        let taken = self.from.map_or(0.0, |from| from.as_secs_f64() - seconds);
        let share = match self.granted > 0.0 && taken > 0.0 {
            true => most.min(seconds / units as f64 * self.granted / taken),
            false => most,
        };
        Duration::from_secs_f64(share).max(LEAST_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Extent;

    fn settings(jobs: usize, search: bool) -> Settings {
        Settings {
            extent: Extent::Relevant,
            interpolants: true,
            search,
            queries: 400,
            time: None,
            seed: 1,
            jobs,
        }
    }

    /// Of 400 s units have 200, each of 100 of them thus 2, and three times as much at most.
    #[test]
    fn the_first_units_share_what_is_left_of_the_time() {
        let left = Duration::from_secs(400);
        let share = |settings: &Settings, units| {
            let pace = Pace::default();
            pace.share(left, units, settings).as_secs_f64()
        };
        assert_eq!(share(&settings(1, false), 100), 6.0);
        assert_eq!(share(&settings(1, false), 10_000), LEAST_TIME.as_secs_f64());
        assert_eq!(share(&settings(2, false), 100), 12.0);
        assert_eq!(share(&settings(2, true), 100), 6.0);
    }

    /// Whatever part of their time units need, and whatever else takes time: all of them are tested,
    /// and the last ones could have had about as much as those in the middle.
    #[test]
    fn time_suffices_for_all_units() {
        for (used, other) in [(1.0, 0.0), (1.0, 2.0), (0.2, 1.0), (0.5, 4.0)] {
            let (total, units) = (2_400.0, 1_000_usize);
            let mut pace = Pace {
                from: Some(Duration::from_secs_f64(total)),
                ..Pace::default()
            };
            let (mut left, mut shares) = (total, Vec::new());
            for done in 0..units {
                let share = pace.share(
                    Duration::from_secs_f64(left),
                    units - done,
                    &settings(1, false),
                );
                pace.grant(Some(share), 1);
                shares.push(share.as_secs_f64());
                left -= share.as_secs_f64() * used * (1.0 + other);
                // The last ones are left what there is.
                assert!(left > -1.0, "{done} units, {used} {other}");
            }
            let (middle, last) = (shares[units / 2], shares[units - 10]);
            assert!(last > 0.7 * middle, "{middle} {last}, {used} {other}");
        }
    }
}

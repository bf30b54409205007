//! One composition: the formula of a chain of calls with the summary of one caller more, and the
//! refinement of that summary where the two conflict (sections 3.5.3 and 3.5.4).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use labrys_engine::{Error, Session, child};
use labrys_expr::{ExprId, Pool, Symbol};
use labrys_program::FunctionId;
use labrys_solver::Budget;
use labrys_solver::interpolate::{Interpolator, NoInterpolant};
use labrys_suite::{Flip, Input, Origin};
use rustc_hash::FxHashSet;

use crate::bind::Formula;
use crate::context::{Below, Constants, Context, constants};
use crate::explore::{Answered, Ask};
use crate::line::line_of;
use crate::nearness::Focus;
use crate::report::{Figures, Phases};
use crate::summary::{FREE, LEAVES, Path, Slice, is_free};
use crate::unit::Unit;

/// Refinements in a row without new branches of the caller, before it is given up.
const MOST_FRUITLESS: u32 = 3;
/// Queries of one refinement, when lines are worked on again and again.
const LARGEST_REFINEMENT: u32 = 4096;
/// Refinements of one caller at all.
const MOST_REFINEMENTS: u32 = 12;
/// Satisfiable formulas of one chain that are composed further.
const MOST_CUBES: usize = 4;
/// Formulas that are checked before the caller is refined, or after.
const MOST_CHECKS: usize = 512;
/// System inputs that are run for one chain.
const MOST_INPUTS: usize = 24;
/// Calls of one caller, passing different constants, below which failing paths are looked for.
const MOST_CONTEXTS: usize = 3;
/// Failing inputs that each such search begins with.
const MOST_STARTS: usize = 4;
/// A search below a call has this part of the queries of a refinement.
const BELOW: u32 = 2;
/// Some units only hang: none has more than this part of the time that is left.
const SHARE: u32 = 16;
/// Slices that an interpolant is to contradict.
const MOST_SLICES: usize = 8;
/// Constraints whose text is longer are not shown.
const LONGEST_TEXT: usize = 200;
/// Steps of the solver for a query of an interpolant.
const INTERPOLANT: u64 = 20_000;

/// What composing with one caller gave.
pub(crate) enum Composed {
    /// A system input shows the failure.
    Validated,
    /// The failure may happen in this context too.
    Satisfiable(Box<Formula>),
    /// It may not, as far as the caller was explored.
    Conflict(String),
}

/// What compositions work with.
pub(crate) struct Composer {
    interpolator: Option<Interpolator>,
    pub(crate) figures: Figures,
    pub(crate) phases: Phases,
    /// Queries of one refinement.
    pub(crate) refinement: u32,
    /// The longest time of one refinement.
    pub(crate) time: Option<Duration>,
    rng: fastrand::Rng,
    /// The caller's paths that were checked, by the line, the callee that fails, and the caller.
    checked: BTreeMap<(String, FunctionId, FunctionId), usize>,
    /// Coverage of refined functions, before and after, summed.
    coverage: (f64, f64, u32),
}

/// A composition at work.
pub(crate) struct Work<'a> {
    callee: FunctionId,
    formula: &'a mut Formula,
    /// The unit of the callee, if it may fail at the line.
    below: Option<&'a mut Unit>,
    /// The caller's paths that were checked.
    checked: usize,
    /// The constants of the calls below which failing paths were looked for.
    contexts: Vec<Constants>,
    /// The line at which system inputs are to fail.
    location: &'a str,
    /// When the work on the line is to end, if time is limited.
    until: Option<Instant>,
    /// Conditions of the caller's pool that cannot all be true.
    cores: Vec<Vec<ExprId>>,
    /// Refining constraints in words.
    pub(crate) constraints: Vec<String>,
}

impl<'a> Work<'a> {
    /// Composes a formula, whose first function is the callee.
    pub(crate) fn new(
        callee: FunctionId,
        formula: &'a mut Formula,
        (location, until): (&'a str, Option<Instant>),
        below: Option<&'a mut Unit>,
    ) -> Self {
        Work {
            callee,
            formula,
            until,
            below,
            checked: 0,
            contexts: Vec::new(),
            location,
            cores: Vec::new(),
            constraints: Vec::new(),
        }
    }

    /// Whether there is no time left for it.
    fn is_over(&self, session: &Session) -> bool {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        late || is_over(session)
    }

    /// As the function of this name, and no more than what the line has left.
    fn share_of_time(&self, session: &Session, longest: Option<Duration>) -> Option<Duration> {
        let left = self
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        let share = share_of_time(session, longest);
        share.into_iter().chain(left).min()
    }

    /// The failing paths below the call, over the leaves of the callee.
    fn over_leaves(&self, pool: &mut Pool) -> Vec<Vec<ExprId>> {
        let cubes = 0..self.formula.cubes.len();
        cubes
            .map(|cube| self.formula.over_leaves(cube, pool))
            .collect()
    }

    /// The conditions of the caller's slice and the callee's cube; `None` if they are known to
    /// contradict each other.
    fn query(&self, pool: &mut Pool, path: &Path, slice: &Slice, cube: usize) -> Option<Ask> {
        let bound = self.formula.at(cube, pool, slice);
        if bound.contains(&ExprId::FALSE) {
            return None;
        }
        let (mut hard, soft) = path.prefix(slice.steps);
        hard.extend(bound);
        let all: FxHashSet<ExprId> = hard.iter().copied().collect();
        if self
            .cores
            .iter()
            .any(|core| core.iter().all(|id| all.contains(id)))
        {
            return None;
        }
        let goal = hard.pop().unwrap_or(ExprId::TRUE);
        Some(Ask { hard, soft, goal })
    }
}

impl Composer {
    /// With interpolants, if there are to be such and the solver has them.
    pub(crate) fn new(
        interpolants: bool,
        refinement: u32,
        time: Option<Duration>,
        seed: u64,
    ) -> Self {
        Composer {
            interpolator: interpolants.then(Interpolator::new).and_then(Result::ok),
            figures: Figures::default(),
            phases: Phases::default(),
            refinement,
            time,
            rng: fastrand::Rng::with_seed(seed),
            checked: BTreeMap::new(),
            coverage: (0.0, 0.0, 0),
        }
    }

    /// From now on refinements have twice the work; `false` if that is as much as there may be.
    pub(crate) fn deepen(&mut self) -> bool {
        self.refinement *= 2;
        self.refinement <= LARGEST_REFINEMENT
    }

    /// Composes a formula with a caller of its first function, refining the caller until they fit
    /// or nothing new is found.
    pub(crate) fn compose(
        &mut self,
        session: &mut Session,
        unit: &mut Unit,
        work: &mut Work<'_>,
    ) -> Result<Composed, Error> {
        let before = unit.coverage();
        let known = (work.location.to_owned(), work.callee, unit.function);
        if work.formula.depth == 1 {
            work.checked = self.checked.get(&known).copied().unwrap_or(0);
        }
        let composed = self.refined(session, unit, work);
        if let (Some(before), Some(after)) = (before, unit.coverage()) {
            let (sum_before, sum_after, count) = &mut self.coverage;
            *sum_before += before;
            *sum_after += after;
            *count += 1;
            self.figures.coverage_before = *sum_before / f64::from(*count);
            self.figures.coverage_after = *sum_after / f64::from(*count);
        }
        composed
    }

    fn refined(
        &mut self,
        session: &mut Session,
        unit: &mut Unit,
        work: &mut Work<'_>,
    ) -> Result<Composed, Error> {
        let mut fruitless = 0;
        let mut constraint: Vec<ExprId> = Vec::new();
        for refinement in 0..=MOST_REFINEMENTS {
            if let Some(found) = self.look(session, unit, work)? {
                return Ok(found);
            }
            let checked = unit.paths().len();
            if fruitless >= MOST_FRUITLESS
                || work.is_over(session)
                || refinement == MOST_REFINEMENTS
            {
                break;
            }
            self.constrain(unit, work, &mut constraint);
            let begun = Instant::now();
            let seen = unit.seen().count();
            let focus = Focus {
                callee: work.callee,
                constraint: constraint.clone(),
                cubes: work.over_leaves(unit.pool()),
            };
            let time = work.share_of_time(session, self.time);
            unit.explore(Some(focus), self.refinement, time)?;
            self.figures.refinements += 1;
            self.phases.fsr += begun.elapsed().as_secs_f64();
            if unit.paths().len() == checked {
                break;
            }
            fruitless = match unit.seen().count() > seen {
                true => 0,
                false => fruitless + 1,
            };
        }
        Ok(Composed::Conflict(conflict(unit, work.callee, &constraint)))
    }

    /// Checks what was not checked yet of the caller's paths, then below their calls.
    fn look(
        &mut self,
        session: &mut Session,
        unit: &mut Unit,
        work: &mut Work<'_>,
    ) -> Result<Option<Composed>, Error> {
        let begun = Instant::now();
        // A unit that was given up in between begins anew.
        let paths = unit.paths().len();
        let from = Some(work.checked).filter(|checked| *checked <= paths);
        let mut found = self.check(session, unit, work, from.unwrap_or(0), 0);
        if matches!(found, Ok(None)) {
            found = self.look_below(session, unit, work);
        }
        work.checked = paths;
        // Failing paths that were found first are the same each time that a line is worked on.
        if work.formula.depth == 1 {
            let known = (work.location.to_owned(), work.callee, unit.function);
            self.checked.insert(known, paths);
        }
        self.phases.sc += begun.elapsed().as_secs_f64();
        found
    }

    /// One more refining constraint, if there is an interpolant.
    fn constrain(&mut self, unit: &mut Unit, work: &mut Work<'_>, constraint: &mut Vec<ExprId>) {
        let begun = Instant::now();
        if let Some(interpolant) = self.interpolant(unit, work)
            && !constraint.contains(&interpolant)
        {
            constraint.push(interpolant);
            let text = unit.described(work.callee, interpolant);
            if text.len() < LONGEST_TEXT {
                work.constraints.push(text);
            }
        }
        self.phases.cc += begun.elapsed().as_secs_f64();
    }

    /// Looks for failing paths of the callee below calls whose constants none before had.
    fn look_below(
        &mut self,
        session: &mut Session,
        unit: &mut Unit,
        work: &mut Work<'_>,
    ) -> Result<Option<Composed>, Error> {
        let Some(below) = work.below.take() else {
            return Ok(None);
        };
        let known = work.formula.cubes.len();
        let starts: Vec<Input> = work.formula.examples.clone();
        for number in (0..unit.paths().len()).rev() {
            let path = unit.paths()[number].clone();
            if work.contexts.len() >= MOST_CONTEXTS || work.is_over(session) {
                break;
            }
            for slice in path.slices_at(work.callee) {
                let passed = constants(unit.pool(), slice);
                let most = work.contexts.len() >= MOST_CONTEXTS;
                if most || work.is_over(session) || work.contexts.contains(&passed) {
                    continue;
                }
                work.contexts.push(passed);
                let leaves = below.leaves;
                let context = Context::new(unit.pool(), &path, slice, below.pool(), leaves);
                let rng = self.rng.fork();
                let search = Below::new(below, context, work.location, rng);
                let time = work.share_of_time(session, self.time);
                let until = time.map(|time| Instant::now() + time);
                let starts = &starts[..starts.len().min(MOST_STARTS)];
                let (cubes, inputs) = search.search(starts, self.refinement / BELOW, until)?;
                self.figures.below += u64::from(!cubes.is_empty());
                work.formula.add(below.pool(), cubes, inputs);
            }
        }
        work.below = Some(below);
        match work.formula.cubes.len() > known {
            true => self.check(session, unit, work, 0, known),
            false => Ok(None),
        }
    }

    /// Checks the formula's cubes from this one on with each slice of the caller's paths from this
    /// one on.
    fn check(
        &mut self,
        session: &mut Session,
        unit: &mut Unit,
        work: &mut Work<'_>,
        from: usize,
        first: usize,
    ) -> Result<Option<Composed>, Error> {
        let (mut cubes, mut examples) = (Vec::new(), Vec::new());
        let (mut checks, mut inputs) = (0, 0);
        // Those that were explored last have most of the constraint in them.
        for number in (from..unit.paths().len()).rev() {
            let path = unit.paths()[number].clone();
            for slice in path.slices_at(work.callee) {
                for cube in first..work.formula.cubes.len() {
                    if checks >= MOST_CHECKS || inputs >= MOST_INPUTS || work.is_over(session) {
                        break;
                    }
                    let Some(query) = work.query(unit.pool(), &path, slice, cube) else {
                        continue;
                    };
                    checks += 1;
                    self.figures.formulas += 1;
                    let model = match query.answer(unit.pool(), session, &path.hint()) {
                        Answered::Model(model) => model,
                        Answered::Contradiction(core) => {
                            work.cores.push(core);
                            continue;
                        }
                        Answered::Unknown => continue,
                    };
                    let model = model.into_iter().filter(|(symbol, _)| !is_free(*symbol));
                    let most = session.max_input();
                    let input = child(&path.input, model, most, &mut self.rng);
                    if !unit.is_whole() {
                        let Ask { mut hard, goal, .. } = query;
                        hard.push(goal);
                        cubes.push(hard);
                        examples.push(input);
                        continue;
                    }
                    inputs += 1;
                    self.figures.at_main += 1;
                    if shows(session, input, work.location)? {
                        self.figures.validating += 1;
                        return Ok(Some(Composed::Validated));
                    }
                }
            }
            if cubes.len() >= MOST_CUBES {
                break;
            }
        }
        cubes.truncate(MOST_CUBES);
        examples.truncate(MOST_CUBES);
        Ok(longer(unit, work.formula.depth + 1, cubes, examples))
    }

    /// An interpolant, over the callee's leaves, of the formula and the caller's slices.
    fn interpolant(&mut self, unit: &mut Unit, work: &Work<'_>) -> Option<ExprId> {
        let callee = work.callee;
        let interpolator = self.interpolator.as_mut()?;
        let slices = unit.paths().iter().rev().flat_map(|path| {
            path.slices_at(callee)
                .map(|slice| (path.prefix(slice.steps).0, slice.clone()))
        });
        let slices: Vec<(Vec<ExprId>, Slice)> = slices.take(MOST_SLICES).collect();
        let pool = unit.pool();
        let cubes = work.over_leaves(pool).into_iter();
        let a: Vec<ExprId> = cubes.map(|cube| pool.all(cube)).collect();
        let a = pool.any(a);
        let leaves = pool.symbols(a).iter();
        let leaves: Vec<u32> = leaves
            .filter_map(|symbol| match symbol {
                Symbol::Byte {
                    stream: LEAVES,
                    offset,
                } => Some(offset),
                _ => None,
            })
            .collect();
        let b = slices.into_iter().map(|(mut conditions, slice)| {
            for offset in &leaves {
                if let Some(byte) = slice.bindings.get(*offset) {
                    let leaf = pool.input(LEAVES, *offset, 1);
                    conditions.push(pool.eq(leaf, byte));
                }
            }
            pool.all(conditions)
        });
        let b: Vec<ExprId> = b.collect();
        let b = pool.any(b);
        if b == ExprId::FALSE {
            return None;
        }
        let budget = Budget::steps(INTERPOLANT);
        match interpolator.interpolate(pool, &[a], &[b], &budget) {
            Ok(interpolant) => {
                self.figures.interpolants += 1;
                Some(interpolant)
            }
            Err(NoInterpolant::Satisfiable | NoInterpolant::Unknown(_)) => None,
        }
    }
}

/// The formula of a chain that is one function longer, if there are cubes.
fn longer(
    unit: &mut Unit,
    depth: u16,
    cubes: Vec<Vec<ExprId>>,
    examples: Vec<Input>,
) -> Option<Composed> {
    let objects = unit.objects.filter(|_| !cubes.is_empty())?;
    let mut formula = unit.formula(objects, depth);
    formula.add(unit.pool(), cubes, examples);
    Some(Composed::Satisfiable(Box::new(formula)))
}

/// The longest time of one unit or refinement: what the user says, and if the time is limited a part
/// of what is left.
pub(crate) fn share_of_time(session: &Session, longest: Option<Duration>) -> Option<Duration> {
    let share = session.status().time_left().map(|left| left / SHARE);
    longest.into_iter().chain(share).min()
}

/// Whether the time is over, or the session was asked to end.
pub(crate) fn is_over(session: &Session) -> bool {
    session.is_stopped() || session.status().used.is_some_and(|used| used >= 1.0)
}

/// Runs a system input; whether the program fails at the line. One that does not came near, and the
/// search of the whole program goes on from there.
pub(crate) fn shows(session: &mut Session, input: Input, location: &str) -> Result<bool, Error> {
    if !session.was_tried(&input) {
        let origin = Origin {
            strategy: "hunt".to_owned(),
            // Looked at under the checks of memory, whatever its run shows.
            flipped: Some(Flip {
                site: u32::MAX,
                direction: 0,
            }),
            ..Origin::default()
        };
        session.begin_run(input.clone(), origin)?;
        while session.end_run()?.is_some() {}
        if !is_shown(session, location) {
            session.suggest(input, "hunt");
        }
    }
    Ok(is_shown(session, location))
}

/// Whether a confirmed failure of the program is at a line.
pub(crate) fn is_shown(session: &Session, location: &str) -> bool {
    let mut failures = session.failures().iter().filter(|one| one.confirmed);
    failures.any(|failure| {
        let place = failure.location.as_deref().map(line_of);
        place == Some(location)
    })
}

/// What stopped a composition, in words.
fn conflict(unit: &Unit, callee: FunctionId, constraint: &[ExprId]) -> String {
    let calls: usize = unit
        .paths()
        .iter()
        .map(|path| path.slices_at(callee).count())
        .sum();
    if calls == 0 {
        return "no explored path comes to the call".to_owned();
    }
    if unit.is_whole() {
        return format!("none of {calls} calls in system runs leads to the failure");
    }
    let texts = constraint.iter().map(|id| unit.described(callee, *id));
    let shown: Vec<String> = texts.filter(|text| text.len() < LONGEST_TEXT).collect();
    match shown.is_empty() {
        true => format!("none of {calls} explored calls passes what fails"),
        false => format!(
            "none of {calls} explored calls passes what fails: {}",
            shown.join(" and ")
        ),
    }
}

/// Streams of compositions do not run into each other.
const _: () = assert!(FREE > LEAVES);

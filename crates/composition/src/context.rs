//! Failing paths below one call: the unit of the callee, explored under what an explored path of a
//! caller passes to it.
//!
//! The failing paths that are found first (section 3.5.1) hold what the driver happened to make for
//! every input, also for those that have nothing to do with the failure, and a call that passes
//! something else there contradicts them. So failing inputs are run again with the constants that a
//! call passes, and then the unit is searched under `prefix(y) ∧ x = bind(y)`: what fails there fits
//! the call. Kim, Hong and Kim refine the summaries of callers only.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use labrys_engine::{Error, Look, child};

use labrys_expr::{Evaluator, ExprId, Pool, Rebuilt, Symbol};
use labrys_solver::Assignment;
use labrys_suite::Input;
use rustc_hash::FxHashSet;

use crate::explore::{Answered, Ask, OWN, keys, taken};
use crate::line::line_of;
use crate::summary::{CALLER, LEAVES, Path, Slice, is_free};
use crate::unit::Unit;

/// Failing paths of one call that are enough.
const ENOUGH: usize = 2;

/// Runs that are cut off, after which a search ends.
const MOST_CUT_OFF: u32 = 3;

/// What a call passes whatever the inputs of the caller are: offsets of leaves, and bytes.
pub(crate) type Constants = Vec<(u32, u8)>;

/// The constants of a call.
pub(crate) fn constants(pool: &Pool, slice: &Slice) -> Constants {
    let bindings = slice.bindings.iter();
    let constant = |(offset, byte): (u32, ExprId)| Some((offset, pool.bits(byte)? as u8));
    bindings.filter_map(constant).collect()
}

/// A symbol of a caller in the pool of a callee.
fn of_caller(symbol: Symbol) -> Option<Symbol> {
    match symbol {
        Symbol::Byte { stream, offset } if stream < LEAVES => Some(Symbol::Byte {
            stream: CALLER + stream,
            offset,
        }),
        Symbol::Length { stream } if stream < LEAVES => Some(Symbol::Length {
            stream: CALLER + stream,
        }),
        _ => None,
    }
}

/// A call on an explored path, in the pool of the callee; the inputs of the caller are streams from
/// [`CALLER`] on.
pub(crate) struct Context {
    /// What holds before the call.
    prefix: Vec<ExprId>,
    /// The leaves, by offset.
    bindings: BTreeMap<u32, ExprId>,
    /// The inputs of the caller on the path.
    values: Vec<(Symbol, u128)>,
    /// Expressions of the callee with the bindings in place of the leaves.
    bound: Rebuilt,
}

impl Context {
    /// The call of a slice of a path; the callee's driver makes so many bytes.
    pub(crate) fn new(
        caller: &Pool,
        path: &Path,
        slice: &Slice,
        pool: &mut Pool,
        leaves: u32,
    ) -> Self {
        let mut rebuilt = Rebuilt::new();
        let mut symbols: BTreeSet<Symbol> = BTreeSet::new();
        let mut moved = |id: ExprId| {
            symbols.extend(caller.symbols(id).iter());
            pool.rebuild(Some(caller), id, &mut rebuilt, &mut |pool, id| {
                Some(pool.symbol(of_caller(caller.as_symbol(id)?)?))
            })
        };
        let (prefix, _) = path.prefix(slice.steps);
        let prefix = prefix.into_iter().map(&mut moved).collect();
        let bindings = slice.bindings.iter();
        let bindings = bindings.take_while(|(offset, _)| *offset < leaves);
        let bindings = bindings.map(|(offset, byte)| (offset, moved(byte)));
        let bindings = bindings.collect();
        let hint = path.hint();
        let values = symbols.into_iter();
        let values = values.filter_map(|symbol| Some((of_caller(symbol)?, hint.get(symbol))));
        Context {
            prefix,
            bindings,
            values: values.collect(),
            bound: Rebuilt::new(),
        }
    }

    /// A condition on the callee's inputs as one on what the call passes.
    fn bind(&mut self, pool: &mut Pool, objects: u16, condition: ExprId) -> ExprId {
        let bindings = &self.bindings;
        pool.rebuild(
            None,
            condition,
            &mut self.bound,
            &mut |pool, id| match pool.as_symbol(id)? {
                Symbol::Byte { stream, offset } if stream == objects => {
                    bindings.get(&offset).copied()
                }
                _ => None,
            },
        )
    }

    /// An input of the callee with what the call passes under these inputs of the caller; without
    /// them, only the constants.
    fn passed(
        &self,
        pool: &Pool,
        objects: u16,
        input: &Input,
        caller: Option<&Assignment>,
    ) -> Input {
        let mut input = input.clone();
        let mut evaluator = Evaluator::new();
        for (offset, byte) in &self.bindings {
            let value = match (pool.bits(*byte), caller) {
                (Some(bits), _) => Some(bits),
                (None, Some(caller)) => evaluator
                    .evaluate(pool, *byte, caller)
                    .map(labrys_expr::Value::bits),
                (None, None) => None,
            };
            if let Some(value) = value {
                input.set_byte(usize::from(objects), *offset as usize, value as u8);
            }
        }
        input
    }
}

/// A path below the call, with the caller's inputs that it was made with.
struct Member {
    path: Path,
    caller: Vec<(Symbol, u128)>,
}

/// See the module.
pub(crate) struct Below<'a> {
    unit: &'a mut Unit,
    context: Context,
    /// Where the unit is to fail.
    location: &'a str,
    members: Vec<Member>,
    /// Flips that were tried, and directions that runs took.
    tried: FxHashSet<u64>,
    /// Inputs that were run.
    known: Vec<Input>,
    found: Vec<Path>,
    /// Runs that were cut off: they cost more than all others.
    cut_off: u32,
    rng: fastrand::Rng,
}

impl<'a> Below<'a> {
    pub(crate) fn new(
        unit: &'a mut Unit,
        context: Context,
        location: &'a str,
        rng: fastrand::Rng,
    ) -> Self {
        Below {
            unit,
            context,
            location,
            members: Vec::new(),
            tried: FxHashSet::default(),
            known: Vec::new(),
            found: Vec::new(),
            cut_off: 0,
            rng,
        }
    }

    /// The failing paths that were found from these failing inputs, with so many queries; their
    /// conditions and inputs.
    pub(crate) fn search(
        mut self,
        starts: &[Input],
        queries: u32,
        until: Option<Instant>,
    ) -> Result<(Vec<Vec<ExprId>>, Vec<Input>), Error> {
        let Some(objects) = self.unit.objects else {
            return Ok((Vec::new(), Vec::new()));
        };
        let values = self.context.values.clone();
        for start in starts {
            let pool = self.unit.pool();
            let input = self.context.passed(pool, objects, start, None);
            self.run(input, values.clone())?;
        }
        if self.found.is_empty()
            && let Some(start) = starts.first()
        {
            let caller = assignment(Assignment::new(), &values);
            let pool = self.unit.pool();
            let input = self.context.passed(pool, objects, start, Some(&caller));
            self.run(input, values)?;
        }
        for _ in 0..queries {
            let late = until.is_some_and(|until| Instant::now() >= until);
            let enough = !self.found.is_empty() || self.cut_off >= MOST_CUT_OFF;
            if late || enough || !self.flip(objects)? {
                break;
            }
        }
        let cubes = self
            .found
            .iter()
            .map(|path| path.prefix(path.steps.len()).0);
        let inputs = self.found.iter().map(|path| path.input.clone());
        Ok((cubes.collect(), inputs.collect()))
    }

    /// Runs an input; its path is one more to go on from.
    fn run(&mut self, input: Input, caller: Vec<(Symbol, u128)>) -> Result<(), Error> {
        if self.known.contains(&input) || self.found.len() >= ENOUGH {
            return Ok(());
        }
        let unit = &mut *self.unit;
        let look = unit.session.look(&input)?;
        let path = match look {
            Look::CutOff => None,
            _ => unit.explorer.read(&mut unit.session, &input)?,
        };
        self.known.push(input);
        let fails = match look {
            Look::Ends => None,
            Look::Fails(place) => place,
            Look::CutOff => {
                self.cut_off += 1;
                return Ok(());
            }
        };
        let Some(path) = path else { return Ok(()) };
        let steps = path.steps.iter().map(|step| (step.site, step.direction));
        let directions = keys(steps.clone()).zip(steps);
        let directions = directions.map(|(key, (_, direction))| taken(key, direction));
        self.tried.extend(directions);
        if fails.is_some_and(|place| line_of(&place) == self.location) {
            self.found.push(path.clone());
        }
        self.members.push(Member { path, caller });
        Ok(())
    }

    /// Tries one flip that was not tried; whether there was one.
    fn flip(&mut self, objects: u16) -> Result<bool, Error> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        self.rng.shuffle(&mut order);
        if self.rng.bool() {
            // The path that was found last is the one that the search goes deeper on.
            order.sort_by_key(|member| member + 1 < self.members.len());
        }
        for member in order {
            while let Some((step, flip)) = self.pick(member) {
                if let Some(asked) = self.ask(member, step, flip, objects)? {
                    return Ok(asked);
                }
            }
        }
        Ok(false)
    }

    /// Draws an untried flip of a path, and takes note of it.
    fn pick(&mut self, member: usize) -> Option<(usize, usize)> {
        let path = &self.members[member].path;
        let keys = keys(path.steps.iter().map(|step| (step.site, step.direction)));
        let mut open: Vec<(usize, usize, u64, u32)> = Vec::new();
        for (at, (step, key)) in path.steps.iter().zip(keys).enumerate() {
            for (flip, (direction, _)) in step.flips.iter().enumerate() {
                let key = taken(key, *direction);
                if !self.tried.contains(&key) {
                    open.push((at, flip, key, if step.own { OWN } else { 1 }));
                }
            }
        }
        let total: u32 = open.iter().map(|(.., weight)| weight).sum();
        let mut ticket = (total > 0).then(|| self.rng.u32(..total))?;
        let won = open.into_iter().find(|(.., weight)| {
            let won = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            won
        });
        let (step, flip, key, _) = won?;
        self.tried.insert(key);
        Some((step, flip))
    }

    /// Asks for an input that takes a flip below this call, and runs it; `None` if the call rules
    /// it out without a query.
    fn ask(
        &mut self,
        member: usize,
        step: usize,
        flip: usize,
        objects: u16,
    ) -> Result<Option<bool>, Error> {
        let Member { path, caller } = &self.members[member];
        let hint = assignment(path.hint(), caller);
        let (own, _) = path.prefix(step);
        let goal = path.steps[step].flips[flip].1;
        let (input, caller) = (path.input.clone(), caller.clone());
        let pool = &mut self.unit.explorer.summary.pool;
        let goal = self.context.bind(pool, objects, goal);
        let mut hard = self.context.prefix.clone();
        for condition in own {
            hard.push(self.context.bind(pool, objects, condition));
        }
        hard.retain(|condition| *condition != ExprId::TRUE);
        if goal == ExprId::FALSE || hard.contains(&ExprId::FALSE) {
            return Ok(None);
        }
        let query = Ask {
            hard,
            soft: Vec::new(),
            goal,
        };
        let Answered::Model(model) = query.answer(pool, &mut self.unit.session, &hint) else {
            return Ok(Some(true));
        };
        let (theirs, own): (Vec<_>, Vec<_>) = model.into_iter().partition(|(symbol, _)| {
            matches!(symbol, Symbol::Length { stream } if *stream >= LEAVES) || is_free(*symbol)
        });
        let mut values: BTreeMap<Symbol, u128> = caller.into_iter().collect();
        values.extend(theirs);
        let values: Vec<(Symbol, u128)> = values.into_iter().collect();
        let most = self.unit.session.max_input();
        let input = child(&input, own, most, &mut self.rng);
        let caller = assignment(Assignment::new(), &values);
        let pool = self.unit.pool();
        let input = self.context.passed(pool, objects, &input, Some(&caller));
        self.run(input, values)?;
        Ok(Some(true))
    }
}

/// An assignment with these values.
fn assignment(mut assignment: Assignment, values: &[(Symbol, u128)]) -> Assignment {
    for (symbol, value) in values {
        assignment.set(*symbol, *value);
    }
    assignment
}

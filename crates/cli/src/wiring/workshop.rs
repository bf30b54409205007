//! Units for the hunt: built from the program, each with a suite of its own in `units/`.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use labrys_analysis::ProgramAnalysis;
use labrys_backward::Target;
use labrys_composition::{Bench, BoundFunction, Extent, LeafName, Search, UnitPlan, Workshop};
use labrys_engine::{Error, Programs, Session, SessionBuilder, StopFlag};
use labrys_executor::RunLimits;
use labrys_program::{BranchId, FunctionId, Program, Site};
use labrys_suite::unit::{Content, Entry};
use labrys_suite::{Config, Explored, Input, Invocation, StreamKind, SuiteWriter};
use labrys_units::{Around, Bound, Bounds, Drivers, Globals, Request};

use crate::output::problem::Problem;
use crate::wiring::backward::{Start, symcretic};
use crate::wiring::notebook::Notebook;
use crate::wiring::session::programs_of;
use crate::wiring::solver::{SolverOptions, layers};
use crate::wiring::subject::{Stock, Subject, UnitBuild, hash};
use crate::wiring::system::search_toward;

/// See the module.
pub(crate) struct Units<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) stock: &'a Stock,
    /// How the program is called.
    pub(crate) config: &'a Config,
    pub(crate) limits: RunLimits,
    pub(crate) solver: &'a SolverOptions,
    pub(crate) stop: StopFlag,
    /// Where the suites of units go.
    pub(crate) folder: PathBuf,
    pub(crate) oracles: bool,
    pub(crate) max_input: usize,
    /// What earlier hunts found out.
    pub(crate) notebook: Option<Mutex<Notebook>>,
    /// Units that were built together.
    pub(crate) batches: Mutex<Vec<Arc<Batch>>>,
    /// Of a program of 80,000 lines each has a hundred megabytes and more.
    pub(crate) models: Models,
    /// Units that are built beside what else is done. Threads share the workshop, which the build's
    /// channel alone does not allow.
    pub(crate) ahead: Mutex<Option<Ahead>>,
}

/// Units that are being built together.
pub(crate) struct Ahead {
    request: Request,
    build: UnitBuild,
    drivers: Drivers,
}

/// Units that are one program.
pub(crate) struct Batch {
    program: Subject,
    /// Its static model, while units of it are open or were of late.
    model: Mutex<Weak<Program>>,
    drivers: Drivers,
    /// The functions whose calls are bound in each unit.
    bound: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
}

impl Batch {
    fn model(&self) -> Result<Arc<Program>, Problem> {
        let mut known = locked(&self.model);
        if let Some(model) = known.upgrade() {
            return Ok(model);
        }
        let model = Arc::new(self.program.read_model()?);
        *known = Arc::downgrade(&model);
        Ok(model)
    }
}

/// The static models of batches that were used last, which are kept.
#[derive(Default)]
pub(crate) struct Models(Mutex<VecDeque<Arc<Program>>>);

/// How many: those of the units that are tested, of those to come, and of callers and callees.
const MOST_MODELS: usize = 4;

impl Models {
    fn keep(&self, model: &Arc<Program>) {
        let mut kept = locked(&self.0);
        kept.retain(|one| !Arc::ptr_eq(one, model));
        kept.push_back(model.clone());
        if kept.len() > MOST_MODELS {
            kept.pop_front();
        }
    }
}

/// What the folder of a caller is called behind the name of its function.
const CALLER: &str = "-caller";

/// What drivers of a hunt make.
pub(crate) fn bounds() -> Bounds {
    Bounds {
        globals: Globals::Any,
        lengths: true,
        doubles: true,
        ..Bounds::default()
    }
}

fn names<'a>(
    subject: &Subject,
    functions: impl IntoIterator<Item = &'a FunctionId>,
) -> Vec<String> {
    let functions = functions.into_iter();
    let functions = functions.filter_map(|function| subject.program.function(*function));
    functions.map(|function| function.name.clone()).collect()
}

/// The calls that are bound: with the leaves of the callee's own unit.
fn binders(subject: &Subject, bound: &[UnitPlan]) -> Vec<Bound> {
    let of = |plan: &UnitPlan| {
        Some(Bound {
            function: subject.program.function(plan.function)?.name.clone(),
            stubs: names(subject, &plan.stubs),
        })
    };
    bound.iter().filter_map(of).collect()
}

/// What is generated for the unit of a plan.
pub(crate) fn request(subject: &Subject, plan: &UnitPlan, bound: &[UnitPlan]) -> Request {
    Request {
        entries: names(subject, &[plan.function]),
        stubs: names(subject, &plan.stubs),
        binders: binders(subject, bound),
        bounds: bounds(),
        trimmed: true,
        linear: true,
        unchecked: !bound.is_empty(),
        ..Request::default()
    }
}

/// What is generated for some units in one program.
fn batch(subject: &Subject, units: &[(UnitPlan, Vec<UnitPlan>)]) -> Request {
    let plans = units.iter().map(|(plan, _)| plan);
    let called = units.iter().flat_map(|(_, bound)| bound);
    let called: BTreeMap<FunctionId, &UnitPlan> =
        called.map(|plan| (plan.function, plan)).collect();
    let called: Vec<UnitPlan> = called.into_values().cloned().collect();
    let stubs: BTreeSet<FunctionId> = plans
        .clone()
        .flat_map(|plan| &plan.stubs)
        .copied()
        .collect();
    let around = units.iter().map(|(plan, bound)| Around {
        stubs: names(subject, &plan.stubs),
        bound: names(subject, bound.iter().map(|plan| &plan.function)),
    });
    let members = plans.clone().flat_map(|plan| &plan.members);
    Request {
        members: names(subject, members).into_iter().collect(),
        entries: names(subject, plans.map(|plan| &plan.function)),
        around: around.collect(),
        stubs: names(subject, &stubs),
        binders: binders(subject, &called),
        bounds: bounds(),
        trimmed: true,
        linear: true,
        // Of callers the paths to calls are wanted; how they fail is seen where they are tested.
        unchecked: units.iter().all(|(_, bound)| !bound.is_empty()),
        ..Request::default()
    }
}

impl Units<'_> {
    /// The functions whose calls are bound, with the inputs of their drivers.
    fn bound(&self, drivers: &Drivers) -> Vec<BoundFunction> {
        let of = |entry: &Entry| {
            let leaves = entry.leaves.iter().filter_map(|leaf| {
                Some(LeafName {
                    offset: u32::try_from(leaf.offset).ok()?,
                    size: u32::try_from(leaf.size).ok()?,
                    name: match leaf.content {
                        Content::Choice => format!("(where {} points)", leaf.name),
                        _ => leaf.name.clone(),
                    },
                })
            });
            Some(BoundFunction {
                function: self.subject.program.function_named(&entry.function)?,
                leaves: leaves.collect(),
            })
        };
        drivers.binders.iter().filter_map(of).collect()
    }

    /// A session on a unit, in a folder of this name or the next one that is free.
    fn session(
        &self,
        (unit, model): (&Subject, &Arc<Program>),
        config: &Config,
        name: &str,
        inputs: Vec<Input>,
    ) -> Result<Session, Problem> {
        let programs: Programs = programs_of(unit, model, config, &self.limits, 1)?;
        let folder = free(&self.folder, name);
        let writer = SuiteWriter::create(&folder, config)?;
        let solver = layers(self.solver, config.seed)?;
        let session = SessionBuilder::new(programs, solver, writer)
            .initial(inputs)
            .stop(self.stop.clone())
            .max_input(self.max_input)
            .oracles(self.oracles)
            .look_at_every_run()
            .hide_added_targets()
            .start();
        Ok(session)
    }

    fn unit_of(
        &self,
        plan: &UnitPlan,
        bound: &[UnitPlan],
        inputs: &[Input],
    ) -> Result<Bench, Problem> {
        let name = names(self.subject, &[plan.function]).concat();
        let calls = functions(bound);
        if let Some(batch) = self.batch_of(plan.function, &calls) {
            let invocation = Invocation::new([name.clone()]);
            let model = batch.model()?;
            self.models.keep(&model);
            let (unit, drivers) = ((&batch.program, &model), &batch.drivers);
            let held = Box::new(batch.clone());
            return self.bench(&name, unit, drivers, (invocation, inputs), held);
        }
        let request = request(self.subject, plan, bound);
        let (built, drivers) = self.stock.unit(&request)?;
        let unit = built.ok_or_else(|| no_unit(&drivers, &name))?;
        let unit = Arc::new(unit);
        let called = (Invocation::default(), inputs);
        let held = Box::new(unit.clone());
        self.bench(&name, (&unit, &unit.program), &drivers, called, held)
    }

    /// The units built together among which is that of a function with these calls bound.
    fn batch_of(&self, function: FunctionId, calls: &BTreeSet<FunctionId>) -> Option<Arc<Batch>> {
        let batches = locked(&self.batches);
        let of = |batch: &&Arc<Batch>| batch.bound.get(&function) == Some(calls);
        batches.iter().find(of).cloned()
    }

    /// The program of a request, which may be being built already.
    fn built(&self, request: &Request) -> Result<(Option<Subject>, Drivers), Problem> {
        let ahead = locked(&self.ahead).take_if(|ahead| ahead.request == *request);
        match ahead {
            Some(ahead) => Ok((Some(self.stock.finish_unit(ahead.build)?), ahead.drivers)),
            None => self.stock.unit(request),
        }
    }

    /// The unit of a function in a program with drivers, called like this and run on these inputs.
    fn bench(
        &self,
        name: &str,
        (unit, model): (&Subject, &Arc<Program>),
        drivers: &Drivers,
        (invocation, inputs): (Invocation, &[Input]),
        held: Box<dyn Any>,
    ) -> Result<Bench, Problem> {
        let mut entries = drivers.unit.entries.iter();
        let entry = entries.find(|entry| entry.function == name);
        let entry = entry.ok_or_else(|| no_unit(drivers, name))?;
        let config = Config {
            program: self.subject.name.clone(),
            bitcode_hash: hash(model),
            invocation,
            streams: vec![StreamKind::Objects],
            technique: "unit".to_owned(),
            seed: self.config.seed,
            options: self.config.options.clone(),
            ..Config::default()
        };
        let function = self.subject.program.function_named(name);
        let known = function.and_then(|function| self.known(function));
        let inputs = match known {
            _ if !inputs.is_empty() => inputs.to_vec(),
            Some(known) => known.inputs.clone(),
            None => vec![Input::objects("")],
        };
        // Of one function both may be made at a time.
        let folder = match drivers.binders.is_empty() {
            true => entry.function.clone(),
            false => format!("{}{CALLER}", entry.function),
        };
        let session = self.session((unit, model), &config, &folder, inputs)?;
        let leaves = entry
            .leaves
            .iter()
            .map(|leaf| leaf.offset + leaf.size)
            .max();
        Ok(Bench {
            session,
            objects: Some(0),
            leaves: leaves
                .and_then(|bytes| u32::try_from(bytes).ok())
                .unwrap_or(0),
            bound: self.bound(drivers),
            held,
        })
    }

    fn whole_program(&self, bound: &[UnitPlan], inputs: Vec<Input>) -> Result<Bench, Problem> {
        let request = Request {
            binders: binders(self.subject, bound),
            bounds: bounds(),
            linear: true,
            ..Request::default()
        };
        let (built, drivers) = self.stock.unit(&request)?;
        let unit = built
            .ok_or_else(|| Problem::program("no function that leads to a failure can be bound"))?;
        let config = Config {
            bitcode_hash: unit.hash(),
            technique: "unit".to_owned(),
            ..self.config.clone()
        };
        let session = self.session((&unit, &unit.program), &config, "main", inputs)?;
        Ok(Bench {
            session,
            objects: None,
            leaves: 0,
            bound: self.bound(&drivers),
            held: Box::new(unit),
        })
    }
}

/// Whoever panicked with it left it whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The functions of plans.
fn functions(plans: &[UnitPlan]) -> BTreeSet<FunctionId> {
    plans.iter().map(|plan| plan.function).collect()
}

/// There is no unit of a function.
fn no_unit(drivers: &Drivers, function: &str) -> Problem {
    let mut reasons = drivers.left_out.iter();
    let reason = reasons.find(|(name, _)| name == function);
    Problem::program(reason.map_or_else(String::new, |(_, reason)| reason.to_string()))
}

impl Workshop for Units<'_> {
    fn begin(&self, units: &[(UnitPlan, Vec<UnitPlan>)]) {
        let request = batch(self.subject, units);
        let begun = self.stock.begin_unit(&request);
        // What is wrong is told where the units are prepared.
        let ahead = begun.ok().and_then(|(build, drivers)| {
            let build = build?;
            Some(Ahead {
                request,
                build,
                drivers,
            })
        });
        *locked(&self.ahead) = ahead;
    }

    fn prepare(&self, units: &[(UnitPlan, Vec<UnitPlan>)]) -> Result<bool, Error> {
        let Ok((Some(mut program), drivers)) = self.built(&batch(self.subject, units)) else {
            return Ok(false);
        };
        let bound = units
            .iter()
            .map(|(plan, bound)| (plan.function, functions(bound)));
        let model = program.take_model();
        self.models.keep(&model);
        locked(&self.batches).push(Arc::new(Batch {
            model: Mutex::new(Arc::downgrade(&model)),
            program,
            drivers,
            bound: bound.collect(),
        }));
        Ok(true)
    }

    fn unit(
        &self,
        plan: &UnitPlan,
        bound: &[UnitPlan],
        inputs: &[Input],
    ) -> Result<Result<Bench, String>, Error> {
        let unit = self.unit_of(plan, bound, inputs);
        Ok(unit.map_err(|problem| problem.text))
    }

    fn whole(
        &self,
        bound: &[UnitPlan],
        inputs: Vec<Input>,
    ) -> Result<Result<Bench, String>, Error> {
        Ok(self
            .whole_program(bound, inputs)
            .map_err(|problem| problem.text))
    }

    fn remembers(&self) -> bool {
        self.notebook.is_some()
    }

    fn look_up(&self, units: &[UnitPlan], time: Option<Duration>) {
        let units: Vec<_> = units
            .iter()
            .map(|plan| (plan.clone(), Vec::new()))
            .collect();
        let request = batch(self.subject, &units);
        // Without keys nothing is known, and nothing is kept.
        let keys = self.stock.keys(&request).unwrap_or_default();
        if let Some(notebook) = &self.notebook {
            let number = |name: &str| self.subject.program.function_named(name);
            locked(notebook).look_up(keys, number, time);
        }
    }

    fn known(&self, function: FunctionId) -> Option<Arc<Explored>> {
        locked(self.notebook.as_ref()?).of(function)
    }

    fn keep(
        &self,
        function: FunctionId,
        explored: Explored,
        called: Option<&BTreeSet<String>>,
    ) -> Result<(), Error> {
        let Some(notebook) = &self.notebook else {
            return Ok(());
        };
        // Which stub a number stands for is known where units are built together.
        let batch = self.batch_of(function, &BTreeSet::new());
        let ran = batch.zip(called).map(|(batch, called)| {
            let names = called.iter().map(String::as_str);
            batch.drivers.ran(names)
        });
        Ok(locked(notebook).keep(function, &explored, ran.as_ref())?)
    }

    fn toward(&self, session: &Session, location: &str) -> Option<Search<'static>> {
        let program = &self.subject.program;
        let target = Target::named(program, location).ok()?;
        let entry = program.function_named("main")?;
        let analysis = ProgramAnalysis::new(program, entry);
        let start = Start {
            subject: self.subject,
            config: self.config,
            entry,
            loop_bound: 0,
            template: Input::default(),
            seeds: Vec::new(),
        };
        let mut branches = symcretic(start, &analysis, vec![target]).leads();
        // Of a line that is covered its checks are left.
        branches.extend(branches_at(program, location));
        branches.retain(|branch| !session.seen().contains(*branch));
        (!branches.is_empty()).then(|| Box::new(search_toward(branches, self.config.seed)) as _)
    }
}

/// The branches of a line.
fn branches_at<'p>(program: &'p Program, location: &'p str) -> impl Iterator<Item = BranchId> + 'p {
    let stands = move |site: &&Site| {
        let place = site
            .location
            .and_then(|at| Some((program.file(at.file)?, at.line)));
        place.is_some_and(|(file, line)| format!("{file}:{line}") == location)
    };
    program.sites.iter().filter(stands).flat_map(Site::branches)
}

/// A folder of this name that is not there yet.
fn free(folder: &Path, name: &str) -> PathBuf {
    let numbered = |number: u32| match number {
        1 => folder.join(name),
        _ => folder.join(format!("{name}-{number}")),
    };
    let mut numbers = (1..).map(numbered);
    numbers
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(name))
}

/// Which callees units have, by the options of ablations.
pub(crate) fn extent(alone: bool, random: bool) -> Extent {
    match (alone, random) {
        (true, _) => Extent::Alone,
        (_, true) => Extent::Random,
        _ => Extent::Relevant,
    }
}

//! `labrys cover --entry`: functions behind drivers, one after the other, each with its part of the
//! budget and a suite of its own.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use labrys_engine::{Budget, End, StopFlag};
use labrys_executor::RunLimits;
use labrys_program::{Function, FunctionId, Program};
use labrys_suite::export::{self, Source};
use labrys_suite::unit::{Entry, STREAM_FILE, Unit};
use labrys_suite::{Changes, Config, Coverage, Input, Invocation, StreamKind, Suite, SuiteWriter};
use labrys_units::{Bounds, Drivers, Globals, Request};
use serde_json::json;

use super::{Cover, Found, Plan, config, exit_status, explore, finish, proofs, session, strategy};
use crate::output::closing::why;
use crate::output::console::{note, print, print_line};
use crate::output::problem::{Problem, status};
use crate::wiring::build::Builder;
use crate::wiring::dictionary;
use crate::wiring::drivers::DriverOptions;
use crate::wiring::ending::Ending;
use crate::wiring::session::inputs_of;
use crate::wiring::store::Store;
use crate::wiring::subject::{Stock, Subject, name_of_unit};
use crate::wiring::values::{SymbolicName, duration};

/// Which functions are called.
#[derive(Args, Debug)]
#[command(next_help_heading = "Entries")]
pub(crate) struct UnitOptions {
    /// Cover this function, which a driver calls; may be given several times
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Vec<String>,

    /// Cover each function that the program defines
    #[arg(long)]
    pub(crate) all_functions: bool,

    /// Cover the functions that a unified diff touches; - is standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) diff: Option<PathBuf>,

    /// Time of each function, if there are several [default: 10s without another limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time_per_function: Option<Duration>,

    #[command(flatten)]
    pub(crate) driver: DriverOptions,

    /// What malloc and other functions that give memory do when an entry is called
    #[arg(long, value_name = "WHAT", value_enum, default_value = "fail")]
    pub(crate) allocations: Allocations,
}

/// What allocations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allocations {
    /// What they do in the program
    Succeed,
    /// Any one gives a null pointer
    Fail,
}

/// Pointers that follow one another.
const DEPTH: u32 = 4;
/// Time of each of several functions if the user names no limit.
const TIME: Duration = Duration::from_secs(10);

impl UnitOptions {
    /// Whether functions are to be called in place of `main`.
    pub(crate) fn are_wanted(&self) -> bool {
        !self.entry.is_empty() || self.all_functions || self.diff.is_some()
    }

    fn bounds(&self) -> Bounds {
        self.driver.bounds(Bounds {
            depth: DEPTH,
            globals: Globals::File,
            aliases: true,
            lengths: true,
            doubles: true,
            allocations: self.allocations == Allocations::Fail,
            ..Bounds::default()
        })
    }
}

/// The functions with drivers, built.
struct Prepared {
    subject: std::sync::Arc<Subject>,
    drivers: Drivers,
    /// Branches that no run of a driver takes.
    impossible: Coverage,
    /// Whether suites of functions are there already, and go on.
    resumes: bool,
}

/// What became of one function.
struct Covered {
    entry: Entry,
    folder: PathBuf,
    found: Found,
    /// It is what it was, and its tests were only run again.
    unchanged: bool,
}

impl Prepared {
    /// Whether each function has its suite in a folder of its own.
    fn are_several(&self) -> bool {
        self.resumes || self.drivers.unit.entries.len() > 1
    }
}

/// Does what the command says; the exit status.
pub(crate) fn cover(options: &Cover) -> Result<u8, Problem> {
    let builder = options.builder()?;
    let ending = &builder.ending;
    let out = &options.output.out;
    if !options.arguments.is_empty() || options.property.is_some() {
        return Err(Problem::usage(
            "a driver calls the functions: there are no ARGS and no --property; leave them out",
        ));
    }
    options.input.fit_functions()?;
    match options.output.resume {
        false => SuiteWriter::check_free(out)?,
        true if Suite::open(out).is_ok() => {
            return Err(Problem::usage(format!(
                "--resume goes on with the suites in folders of {}, and that is one itself, of one function; name \
             another folder by --out, or leave out --resume",
                out.display()
            )));
        }
        true => {}
    }
    options.output.check_log()?;
    strategy(&options.search, None)?;
    let prepared = prepare(options, &builder)?;
    if prepared.are_several() {
        keep(&prepared, &unit_path(options))?;
    }
    let done = all(options, &prepared, ending)?;
    report(options, &prepared, &done, ending.stop().is_set())
}

/// The functions by their numbers, those with the fewest branches first: what they leave of their time
/// is for the others.
fn by_size(prepared: &Prepared) -> Vec<usize> {
    let entries = &prepared.drivers.unit.entries;
    let program = &prepared.subject.program;
    let size = |index: &usize| branches(program, |name| name == entries[*index].function).count();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_cached_key(size);
    order
}

/// Covers the functions, `--jobs` at a time, or as many as the system allows threads; those that
/// were begun when somebody asked for an end are among them.
fn all(options: &Cover, prepared: &Prepared, ending: &Ending) -> Result<Vec<Covered>, Problem> {
    let order = by_size(prepared);
    let count = order.len();
    let next = AtomicUsize::new(0);
    let stop = ending.stop();
    let work = || -> Result<Vec<(usize, Covered)>, Problem> {
        let mut done = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(index) = order.get(turn).copied() else {
                return Ok(done);
            };
            if stop.is_set() && turn > 0 {
                return Ok(done);
            }
            let budget = share(options, prepared, turn, ending);
            // The first one's suite tells why there is nothing.
            if turn > 0 && budget.time.is_some_and(|time| time.is_zero()) {
                return Ok(done);
            }
            let covered = one(options, prepared, index, budget, stop.clone());
            // Others end too.
            let covered = covered.inspect_err(|_| stop.stop())?;
            done.push((index, covered));
        }
    };
    let workers = usize::from(options.limits.jobs).min(count).max(1);
    let parts: Vec<_> = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let threads: Vec<_> = (1..workers).map_while(start).collect();
        let own = work();
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(ended).collect()
    });
    let parts: Result<Vec<_>, Problem> = parts.into_iter().collect();
    let mut done: Vec<(usize, Covered)> = parts?.into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, covered)| covered).collect())
}

/// Builds the program and the drivers of all functions.
fn prepare(options: &Cover, builder: &Builder) -> Result<Prepared, Problem> {
    let stock = Stock::open(&options.program, &options.build, builder)?;
    let request = Request {
        entries: chosen(&options.units, &stock.program()?)?,
        bounds: options.units.bounds(),
        for_tests: true,
        part: true,
        ..Request::default()
    };
    let (built, drivers) = stock.unit(&request)?;
    for (name, refusal) in &drivers.left_out {
        if options.units.entry.contains(name) {
            return Err(Problem::usage(format!("--entry {name}: {refusal}")));
        }
        if !options.output.quiet {
            note(format!("labrys: note: {name} is left out: {refusal}"));
        }
    }
    let mut built = built.ok_or_else(|| {
        Problem::usage("none of the functions has a driver; name another one by --entry")
    })?;
    built.leaks = options.build.leaks;
    // A model checker proves them with certificates.
    let impossible = match options.search.abstraction {
        Some(_) => Coverage::default(),
        None => proofs::impossible(&built.program),
    };
    Ok(Prepared {
        subject: std::sync::Arc::new(built),
        drivers,
        impossible,
        resumes: options.output.resume,
    })
}

/// The functions that the options name, in the order of the program.
fn chosen(options: &UnitOptions, program: &Program) -> Result<Vec<String>, Problem> {
    let own = |function: &&Function| {
        function.defined && function.name != "main" && function.location.is_some()
    };
    let mut names: BTreeSet<&str> = options.entry.iter().map(String::as_str).collect();
    if names.contains("main") {
        return Err(Problem::usage(
            "--entry main: a driver does not call main; leave out --entry",
        ));
    }
    if options.all_functions {
        let all = program.functions.iter().filter(own);
        names.extend(all.map(|function| &*function.name));
        if names.is_empty() {
            return Err(Problem::usage(
                "--all-functions: the program defines no function but main, or was built without \
                 debug information",
            ));
        }
    }
    if let Some(path) = &options.diff {
        let changes = Changes::read(&diff(path)?);
        let lines: Vec<&(String, u32)> = changes.added.union(&changes.beside).collect();
        let touched = program.functions.iter().filter(own);
        let touched = touched.filter(|function| {
            let mut lines = lines.iter();
            lines.any(|(file, line)| stands_at(program, function, file, *line))
        });
        let before = names.len();
        names.extend(touched.map(|function| &*function.name));
        if names.len() == before && names.is_empty() {
            return Err(Problem::usage(format!(
                "--diff {}: it touches no function of this program; a file is found by the end of \
                 its path",
                path.display()
            )));
        }
    }
    let known = program.functions.iter().map(|function| &*function.name);
    let mut ordered: Vec<String> = known
        .filter(|name| names.remove(name))
        .map(str::to_owned)
        .collect();
    // Those that the program does not know are refused with a reason later.
    ordered.extend(names.into_iter().map(str::to_owned));
    Ok(ordered)
}

/// The text of a diff.
fn diff(path: &Path) -> Result<String, Problem> {
    let failed = |error| Problem::usage(format!("--diff {}: {error}", path.display()));
    let mut bytes = Vec::new();
    match path == Path::new("-") {
        true => std::io::stdin().read_to_end(&mut bytes).map_err(failed)?,
        false => {
            let mut file = std::fs::File::open(path).map_err(failed)?;
            file.read_to_end(&mut bytes).map_err(failed)?
        }
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a line of a file is one of a function.
fn stands_at(program: &Program, function: &Function, file: &str, line: u32) -> bool {
    let Some(start) = function.location else {
        return false;
    };
    let path = program.file(start.file).unwrap_or_default();
    if path != file && !path.ends_with(&format!("/{file}")) {
        return false;
    }
    let blocks = function.blocks.iter();
    let places = blocks.flat_map(|block| {
        let instructions = block.instructions.iter();
        instructions
            .map(|instruction| instruction.location)
            .chain([block.location])
    });
    let places = places.flatten().filter(|place| place.file == start.file);
    let last = places.map(|place| place.line).max().unwrap_or(start.line);
    (start.line..=last.max(start.line)).contains(&line)
}

/// A function's name as the name of a folder.
fn folder_name(function: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    function
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect()
}

/// The part of the budget that one of the functions has: what is left of the time is for those that
/// are left, runs and steps are divided from the start, so that they are the same everywhere.
fn share(options: &Cover, prepared: &Prepared, turn: usize, ending: &Ending) -> Budget {
    let count = prepared.drivers.unit.entries.len();
    let whole = options.limits.budget(ending);
    let own = options.units.time_per_function;
    let count_u64 = count as u64;
    let part = |limit: Option<u64>| limit.map(|limit| (limit / count_u64).max(1));
    // So many at a time.
    let turns = (count - turn).div_ceil(usize::from(options.limits.jobs)) as u32;
    let time = whole.time.map(|time| time / turns);
    let unlimited = whole.time.is_none() && whole.runs.is_none() && whole.steps.is_none();
    Budget {
        time: match (time, own) {
            (Some(time), Some(own)) => Some(time.min(own)),
            (None, None) if prepared.are_several() && unlimited => Some(TIME),
            (time, own) => time.or(own),
        },
        runs: part(whole.runs),
        steps: part(whole.steps),
        ..whole
    }
}

/// Covers one function.
fn one(
    options: &Cover,
    prepared: &Prepared,
    index: usize,
    budget: Budget,
    stop: StopFlag,
) -> Result<Covered, Problem> {
    let out = &options.output.out;
    let entry = &prepared.drivers.unit.entries[index];
    let program = &prepared.subject.program;
    let own = branches(program, |name| name == entry.function);
    let mut plan = plan(options, prepared, entry, budget.time)?;
    if !prepared.are_several() {
        let writer = SuiteWriter::create(out, &plan.config)?;
        keep(prepared, &unit_path(options))?;
        let found = search(
            options,
            &plan,
            writer,
            budget,
            (own, &prepared.impossible),
            stop,
        )?;
        return Ok(Covered {
            entry: entry.clone(),
            folder: out.clone(),
            found,
            unchanged: false,
        });
    }
    let folder = out.join(folder_name(&entry.function));
    let store = Store::open(&folder, key(options, &plan.config, prepared, index)?)?;
    let unchanged = store.is_unchanged();
    let inputs = store.inputs(&plan.initial);
    let mut budget = budget;
    match unchanged {
        true => {
            budget.runs = Some(inputs.len() as u64);
            plan.initial = inputs;
        }
        false => plan.initial.extend(inputs),
    }
    let writer = SuiteWriter::create(&store.work(), &plan.config)?;
    let counted = (own, &prepared.impossible);
    let found = search(options, &plan, writer, budget, counted, stop.clone())?;
    store.finish(found.end != End::Stopped && !stop.is_set())?;
    Ok(Covered {
        entry: entry.clone(),
        folder,
        found,
        unchanged,
    })
}

/// Steps that a function which is named is searched on for failures when its branches are covered.
const BEYOND: u64 = 64;

/// Covers a function.
fn search(
    options: &Cover,
    plan: &Plan,
    writer: SuiteWriter,
    budget: Budget,
    (own, impossible): (Coverage, &Coverage),
    stop: StopFlag,
) -> Result<Found, Problem> {
    let drivers = branches(&plan.subject.program, labrys_units::is_driver);
    // Overflows are looked for when every branch is covered, too.
    let further = options.build.check_overflow;
    let beyond = if options.units.entry.is_empty() {
        0
    } else {
        BEYOND
    };
    let session = session(options, plan, writer, stop)?;
    let timeout = plan.limits.timeout;
    let longer = options.limits.longer(timeout, budget.time);
    let session = match options.limits.endless {
        true => session,
        false => session
            .look_for_endless_runs(longer)
            .judge_endless_runs_last(timeout),
    };
    let mut session = session
        .budget(Budget {
            // Without branches one run is a test.
            runs: match own.is_empty() && !further && beyond == 0 {
                true => Some(budget.runs.unwrap_or(1).min(1)),
                false => budget.runs,
            },
            all_branches: (!own.is_empty() || beyond > 0) && !further,
            beyond,
            ..budget
        })
        .count_only(own, drivers)
        .start();
    proofs::book(&mut session, impossible)?;
    let found = explore(options, plan, strategy(&options.search, None)?, session)?;
    options.output.pack(&plan.config)?;
    Ok(found)
}

/// All that the suite of a function depends on, as text.
fn key(
    options: &Cover,
    config: &Config,
    prepared: &Prepared,
    index: usize,
) -> Result<String, Problem> {
    let mut config = config.clone();
    config
        .bitcode_hash
        .clone_from(&prepared.drivers.fingerprints[index]);
    // Each function has one job.
    config.options.remove("jobs");
    let config = serde_json::to_string(&config).map_err(Problem::internal)?;
    let limits = &options.limits;
    let per_function = options.units.time_per_function;
    let limits = (limits.time, limits.runs, limits.steps, per_function);
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("labrys {version}\nlimits {limits:?}\n{config}\n"))
}

/// Everything that is decided before a function is covered, which has so much time.
fn plan(
    options: &Cover,
    prepared: &Prepared,
    entry: &Entry,
    time: Option<Duration>,
) -> Result<Plan, Problem> {
    let strategy = strategy(&options.search, None)?;
    let several = prepared.are_several();
    let subject = &prepared.subject;
    let name = several.then(|| entry.function.clone());
    let invocation = Invocation::new(name);
    let limits = RunLimits {
        timeout: options.limits.timeout_run(time),
        hurries: options.limits.hurries(time),
        ..RunLimits::default()
    };
    // A function without parameters has a stream of objects too, which stays empty.
    let objects = (true, options.search.seed());
    let mut input = options.input.clone();
    if entry.reads {
        let name = STREAM_FILE.to_owned();
        input.sym_file.push(SymbolicName { name, bytes: None });
    }
    let mut initial = inputs_of(subject, &invocation, &input, &limits, objects)?;
    initial.extend(half_full(&initial, entry));
    let mut config = Config {
        program: name_of_unit(several),
        unit: Some(Unit {
            entries: vec![entry.clone()],
            missing: prepared.drivers.unit.missing.clone(),
        }),
        ..config(options, subject, invocation, &initial, strategy.name())
    };
    let source = Source {
        program: &subject.program,
        files: &options.program,
    };
    export::prepare(&mut config, &source)?;
    Ok(Plan {
        subject: subject.clone(),
        config,
        initial,
        limits,
        words: dictionary::read(&options.search.dictionary)?,
        goal: None,
        jobs: if several { 1 } else { options.limits.jobs },
    })
}

/// The first input with lengths at half of what they may be.
fn half_full(inputs: &[Input], entry: &Entry) -> Option<Input> {
    let mut input = inputs.first()?.clone();
    let bytes = entry.half_full()?;
    let kinds = input.shape();
    let stream = kinds.iter().position(|kind| *kind == StreamKind::Objects)?;
    for (at, byte) in bytes.into_iter().enumerate().filter(|(_, byte)| *byte != 0) {
        input.set_byte(stream, at, byte);
    }
    Some(input)
}

/// Where the program with the drivers is.
fn unit_path(options: &Cover) -> PathBuf {
    options.output.out.join("unit")
}

/// Puts the executable with the drivers, and their text, into the folder of the suite.
fn keep(prepared: &Prepared, program: &Path) -> Result<(), Problem> {
    let Prepared {
        subject, drivers, ..
    } = prepared;
    let failed = |error| Problem::unwritten(program, &error);
    let folder = program.parent().unwrap_or(program);
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Beside the old one, which may be running.
    let beside = program.with_extension("new~");
    std::fs::copy(&subject.instrumented, &beside).map_err(failed)?;
    std::fs::rename(&beside, program).map_err(failed)?;
    std::fs::write(program.with_file_name("driver.c"), &drivers.text).map_err(failed)
}

/// The branches of functions, checks for errors apart.
fn branches(program: &Program, is_wanted: impl Fn(&str) -> bool) -> Coverage {
    let wanted = |function: FunctionId| {
        let function = program.function(function);
        function.is_some_and(|function| is_wanted(&function.name))
    };
    let own = program.counted_sites();
    let own = own.filter(|site| wanted(site.function));
    own.flat_map(labrys_program::Site::branches).collect()
}

/// Prints what came out, and of which functions nothing did: somebody stopped, or the time was over;
/// the exit status.
fn report(
    options: &Cover,
    prepared: &Prepared,
    done: &[Covered],
    is_stopped: bool,
) -> Result<u8, Problem> {
    let drivers = &prepared.drivers;
    let is_done = |name: &str| done.iter().any(|one| one.entry.function == name);
    let entries = drivers.unit.entries.iter();
    let missing = entries.map(|entry| entry.function.as_str());
    let missing: Vec<&str> = missing.filter(|name| !is_done(name)).collect();
    if let ([only], false) = (done, prepared.are_several()) {
        let code = finish(options, &only.found)?;
        if !options.output.quiet && !options.output.json {
            let tests = test_file(&only.folder, &only.entry);
            print_line(format!("tests     {}", tests.display()))?;
            if only.found.summary.branches.unreachable > 0 {
                print(assumptions(options))?;
            }
        }
        return Ok(code);
    }
    if options.output.json {
        let functions: Vec<_> = done.iter().map(record).collect();
        let left_out: Vec<_> = drivers
            .left_out
            .iter()
            .map(|(name, reason)| json!({"function": name, "reason": reason.to_string()}))
            .collect();
        let mut all = json!({"functions": functions, "left_out": left_out});
        if !is_stopped {
            all["no_time"] = json!(missing);
        }
        let text = serde_json::to_string_pretty(&all).map_err(Problem::internal)?;
        print_line(text)?;
    } else if !options.output.quiet {
        print(table(options, prepared, done, (&missing, is_stopped)))?;
    }
    let statuses = done
        .iter()
        .map(|one| exit_status(&one.found.summary, &one.folder));
    Ok(statuses.max().unwrap_or(status::DONE))
}

fn record(one: &Covered) -> serde_json::Value {
    json!({
        "function": one.entry.function,
        "suite": one.folder,
        "end": why(one.found.end, one.found.summary.branches),
        "unchanged": one.unchanged,
        "tests": one.found.statistics.tests,
        "summary": one.found.summary,
    })
}

/// What is said of a function without a run.
const NO_TIME: &str = "there was no time for it";

/// A line for each function, and the sum.
fn table(
    options: &Cover,
    prepared: &Prepared,
    done: &[Covered],
    (missing, is_stopped): (&[&str], bool),
) -> String {
    let names = done.iter().map(|one| one.entry.function.len());
    let names = names.chain(missing.iter().map(|name| name.len()));
    let width = names.max().unwrap_or(0).max("function".len());
    let mut text = format!(
        "{:width$}  covered     proved  open  tests  failures  ended\n",
        "function"
    );
    let (mut covered, mut proved, mut total) = (0, 0, 0);
    for one in done {
        let branches = one.found.summary.branches;
        covered += branches.covered;
        proved += branches.unreachable;
        total += branches.total;
        text.push_str(&row(one, width));
    }
    let late = if is_stopped { &[] } else { missing };
    for name in late {
        let open = branches(&prepared.subject.program, |own| own == *name).count();
        total += open as u64;
        let covered = format!("0 of {open}");
        let _ = writeln!(
            text,
            "{name:width$}  {covered:10}  {:6}  {open:4}  {:5}  {:8}  {NO_TIME}",
            0, 0, 0
        );
    }
    let percent = 100.0 * covered as f64 / f64::max(total as f64, 1.0);
    let _ = writeln!(
        text,
        "covered   {covered} of {total} branches ({percent:.1} %) of {} functions",
        done.len() + late.len()
    );
    if proved > 0 {
        let open = total - covered - proved;
        let _ = writeln!(
            text,
            "proved    {proved} that no driver takes; {open} are open"
        );
    }
    if is_stopped && !missing.is_empty() {
        let _ = writeln!(text, "stopped   before {} more", missing.len());
    }
    let out = options.output.out.display();
    let _ = writeln!(
        text,
        "suites    {out}/FUNCTION, with C tests in {out}/FUNCTION/tests"
    );
    match proved {
        0 => text,
        _ => text + &assumptions(options) + &format!("assuming  {}\n", proofs::ASSUMPTION),
    }
}

/// The line of a function.
fn row(one: &Covered, width: usize) -> String {
    let Found {
        summary,
        statistics,
        end,
    } = &one.found;
    let branches = summary.branches;
    let failures = summary.failures.iter().filter(|one| one.confirmed).count();
    format!(
        "{:width$}  {:10}  {:6}  {:4}  {:5}  {failures:8}  {}\n",
        one.entry.function,
        format!("{} of {}", branches.covered, branches.total),
        branches.unreachable,
        branches.open(),
        statistics.tests,
        match one.unchanged {
            true => "unchanged, its tests were run again",
            false if summary.runs == 0 && *end == End::Time => NO_TIME,
            false => why(*end, branches),
        }
    )
}

/// What the drivers assume.
fn assumptions(options: &Cover) -> String {
    let lines = options.units.bounds().assumptions(true).into_iter();
    lines.map(|line| format!("assuming  {line}\n")).collect()
}

/// The C file with the tests of a function.
fn test_file(folder: &Path, entry: &Entry) -> PathBuf {
    let name = format!(
        "test_{}.c",
        folder_name(&entry.function).replace(['.', '-'], "_")
    );
    folder.join("tests").join(name)
}

//! The program under test: an executable of `labrys-cc`, or C sources that are built first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use labrys_cc::Frozen;
use labrys_cc::container::{Container, ContainerError, Executable};
use labrys_cc::worker::Order;
use labrys_executor::{Interrupt, RunTime};
use labrys_program::{Program, Source};
use labrys_scratch::TemporaryFolder;
use labrys_suite::Config;
use labrys_units::{Drivers, Keys, Request};

use crate::output::console::note;
use crate::output::problem::Problem;
use crate::wiring::build::{Beside, Builder, Failure, Rest, made_a_program};
use crate::wiring::cache::{self, Cache};
use crate::wiring::database::Database;
use crate::wiring::uninitialized::sees_all;

/// How C sources are built.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Build")]
pub(crate) struct BuildOptions {
    /// Option of the compiler for C sources, such as -Iinclude; may be given several times
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cc_flag: Vec<String>,

    /// Do not check C sources for undefined behavior, nor runs for errors of memory
    #[arg(long)]
    pub(crate) no_oracles: bool,

    /// Check C sources for overflow of signed numbers too
    #[arg(long, conflicts_with = "no_oracles")]
    pub(crate) check_overflow: bool,

    /// Memory that is lost when the program ends, or the function returns, is a failure
    #[arg(long, conflicts_with = "no_oracles")]
    pub(crate) leaks: bool,

    /// Look for reads of uninitialized memory (MemorySanitizer), in place of errors of memory
    #[arg(long, conflicts_with_all = ["no_oracles", "leaks"])]
    pub(crate) uninitialized: bool,

    /// Compile each C source as compile_commands.json in this folder says
    #[arg(short = 'p', long = "build-path", value_name = "DIR")]
    pub(crate) build_path: Option<PathBuf>,
}

/// Endings of files that are built.
const SOURCES: &[&str] = &["c", "i", "cc", "cpp", "cxx", "c++", "C", "ii", "ll", "bc"];

/// Lets sources through that rely on what C once allowed, and harnesses that call functions of
/// their tool without a declaration.
const OLD_C: &[&str] = &[
    "-Wno-deprecated-non-prototype",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-type",
    "-Wno-return-mismatch",
    // Generated programs nest deeper than clang's 256.
    "-fbracket-depth=16384",
];

impl BuildOptions {
    /// The options by name, as a suite's configuration holds them.
    pub(crate) fn record(&self) -> BTreeMap<String, String> {
        let mut record = BTreeMap::new();
        if !self.cc_flag.is_empty() {
            record.insert(CC_FLAG.to_owned(), self.cc_flag.join("\n"));
        }
        if let Some(path) = &self.build_path {
            record.insert(BUILD_PATH.to_owned(), path.display().to_string());
        }
        let switches = [
            (NO_ORACLES, self.no_oracles),
            (CHECK_OVERFLOW, self.check_overflow),
            (LEAKS, self.leaks),
            (UNINITIALIZED, self.uninitialized),
        ];
        for (name, _) in switches.into_iter().filter(|(_, set)| *set) {
            record.insert(name.to_owned(), "true".to_owned());
        }
        record
    }

    /// Refuses options that say how sources are built where there are none.
    fn without_sources(&self, executable: &Path) -> Result<(), Problem> {
        let options = [
            ("--cc-flag", !self.cc_flag.is_empty()),
            ("--check-overflow", self.check_overflow),
            ("--build-path", self.build_path.is_some()),
        ];
        match options.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(Problem::usage(format!(
                "{option} is for C sources, and {} is built already; leave it out, or have labrys-cc \
                 build it so",
                executable.display()
            ))),
        }
    }

    /// Refuses what cannot be looked for where drivers call functions.
    pub(crate) fn without_drivers(&self) -> Result<(), Problem> {
        match self.uninitialized {
            false => Ok(()),
            true => Err(Problem::usage(
                "--uninitialized is for whole programs; leave it out",
            )),
        }
    }

    /// The options in a suite's configuration. How the sources of a unit are built is none of them:
    /// its drivers are built.
    pub(crate) fn recorded(config: &Config) -> Self {
        let record = &config.options;
        let of_sources = |name: &str| record.get(name).filter(|_| config.unit.is_none());
        let flags = of_sources(CC_FLAG);
        BuildOptions {
            cc_flag: flags
                .map(|flags| flags.lines().map(str::to_owned).collect())
                .unwrap_or_default(),
            no_oracles: record.contains_key(NO_ORACLES),
            check_overflow: of_sources(CHECK_OVERFLOW).is_some(),
            leaks: record.contains_key(LEAKS),
            uninitialized: record.contains_key(UNINITIALIZED),
            build_path: of_sources(BUILD_PATH).map(PathBuf::from),
        }
    }
}

/// Names of the options in a suite's configuration.
const CC_FLAG: &str = "cc-flag";
const BUILD_PATH: &str = "build-path";
const NO_ORACLES: &str = "no-oracles";
const CHECK_OVERFLOW: &str = "check-overflow";
const LEAKS: &str = "leaks";
const UNINITIALIZED: &str = "uninitialized";

/// A program with its executables.
#[derive(Debug)]
pub(crate) struct Subject {
    /// What the user named: a path, or the sources.
    pub(crate) name: String,
    /// The static model.
    pub(crate) program: Arc<Program>,
    /// The instrumented executable.
    pub(crate) instrumented: PathBuf,
    /// The plain one.
    pub(crate) plain: PathBuf,
    /// The checked one, if it could be linked.
    pub(crate) checked: Option<PathBuf>,
    /// Whether lost memory is a failure.
    pub(crate) leaks: bool,
    /// How further executables are built from it.
    pub(crate) builder: Builder,
    /// What is left of its build. It ends before its folder goes.
    rest: Option<Rest>,
    /// Holds what was built or extracted.
    folder: TemporaryFolder,
}

impl Subject {
    /// Opens an executable, or builds sources: without the compiler's warnings, if it is to be
    /// quiet.
    pub(crate) fn open(
        paths: &[PathBuf],
        build: &BuildOptions,
        builder: &Builder,
    ) -> Result<Self, Problem> {
        paths.iter().try_for_each(|path| is_readable(path))?;
        paths.iter().try_for_each(|path| is_text(path))?;
        if let [path] = paths
            && !is_source(path)
        {
            build.without_sources(path)?;
        }
        let folder = temporary_folder()?;
        let (instrumented, rest) = match paths {
            [path] if !is_source(path) => whole(path, builder, folder.path())?,
            sources => {
                let out = output(sources, folder.path())?;
                let sources = inputs(sources, build, builder, folder.path())?;
                let rest = built(&sources, build, builder, folder.path(), |sources, flags| {
                    labrys_cc::sources(sources, flags, &out)
                })?;
                made_a_program(&out, &build.cc_flag)?;
                (out, rest)
            }
        };
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let subject = Self::unpack(names.join(" "), instrumented, builder.clone(), folder)?;
        let checked = match build.uninitialized {
            true => Some(subject.build_uninitialized()?),
            false => subject.checked.clone(),
        };
        Ok(Subject {
            leaks: build.leaks,
            checked,
            rest,
            ..subject
        })
    }

    /// Builds the executable that looks for reads of uninitialized memory.
    fn build_uninitialized(&self) -> Result<PathBuf, Problem> {
        sees_all(&self.name, &self.plain, &self.program)?;
        let path = variant_path(self.folder.path(), "uninitialized", &self.instrumented)?;
        let stock = Stock::of(self)?;
        let order = Order::Uninitialized {
            frozen: stock.frozen.folder().to_path_buf(),
            out: path.clone(),
        };
        self.builder.build(&order, self.folder.path())?;
        Ok(path)
    }

    /// Takes the other executables out of the instrumented one.
    fn unpack(
        name: String,
        instrumented: PathBuf,
        builder: Builder,
        folder: TemporaryFolder,
    ) -> Result<Self, Problem> {
        let container = Container::open(&instrumented).map_err(Problem::program)?;
        let program = container.program().map_err(Problem::program)?;
        let plain = variant_path(folder.path(), PLAIN, &instrumented)?;
        container.write_plain(&plain).map_err(unwritten)?;
        let checked = variant_path(folder.path(), "checked", &instrumented)?;
        let has = container.write_checked(&checked).map_err(unwritten)?;
        Ok(Subject {
            name,
            program: Arc::new(program),
            instrumented,
            plain,
            checked: has.then_some(checked),
            leaks: false,
            builder,
            rest: None,
            folder,
        })
    }

    /// Takes the static model out, which may be had again.
    pub(crate) fn take_model(&mut self) -> Arc<Program> {
        std::mem::take(&mut self.program)
    }

    /// Reads the static model from the executable.
    pub(crate) fn read_model(&self) -> Result<Program, Problem> {
        let container = Container::open(&self.instrumented).map_err(Problem::program)?;
        container.program().map_err(Problem::program)
    }

    /// Where runs of an executable add up how long they take, if it may yet be optimized.
    pub(crate) fn improves(&self, executable: &Path) -> Option<RunTime> {
        let rest = self.rest.as_ref()?;
        let is_optimized = executable == self.instrumented || executable == self.plain;
        is_optimized.then(|| rest.runs().clone())
    }

    /// What ends runs of the program.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.builder.ending.interrupt()
    }

    /// A folder that is removed with this.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The hash of the frozen bitcode, hexadecimal.
    pub(crate) fn hash(&self) -> String {
        hash(&self.program)
    }
}

/// The hash of the frozen bitcode of a program, hexadecimal.
pub(crate) fn hash(program: &Program) -> String {
    let digits = program.bitcode_hash.iter();
    digits.map(|byte| format!("{byte:02x}")).collect()
}

/// A program from which units are built.
#[derive(Debug)]
pub(crate) struct Stock {
    name: String,
    frozen: Frozen,
    builder: Builder,
    /// Holds the frozen program.
    _folder: TemporaryFolder,
}

impl Stock {
    /// An executable, or sources, which may be of a library: without a main function, and with
    /// functions missing.
    pub(crate) fn open(
        paths: &[PathBuf],
        build: &BuildOptions,
        builder: &Builder,
    ) -> Result<Self, Problem> {
        paths.iter().try_for_each(|path| is_readable(path))?;
        let names = paths.iter().map(|path| path.display().to_string());
        let name = names.collect::<Vec<_>>().join(" ");
        let folder = temporary_folder()?;
        let place = folder.path().join("frozen");
        let frozen = match paths {
            [path] if !is_source(path) => {
                Frozen::of_executable(path, &place).map_err(Problem::program)?
            }
            sources => {
                let mut sources = inputs(sources, build, builder, folder.path())?;
                sources.push(weak_main(folder.path())?);
                let mut map = OsString::from("-ffile-prefix-map=");
                map.push(folder.path());
                map.push("/=");
                built(&sources, build, builder, folder.path(), |sources, flags| {
                    let flags = [flags, std::slice::from_ref(&map)].concat();
                    labrys_cc::library(sources, &flags, &place)
                })?;
                Frozen::open(&place)
            }
        };
        Ok(Stock {
            name,
            frozen,
            builder: builder.clone(),
            _folder: folder,
        })
    }

    /// The program of a subject.
    pub(crate) fn of(subject: &Subject) -> Result<Self, Problem> {
        let folder = temporary_folder()?;
        let place = folder.path().join("frozen");
        let frozen = Frozen::of_executable(&subject.instrumented, &place);
        Ok(Stock {
            name: subject.name.clone(),
            frozen: frozen.map_err(Problem::program)?,
            builder: subject.builder.clone(),
            _folder: folder,
        })
    }

    /// The static model.
    pub(crate) fn program(&self) -> Result<Program, Problem> {
        let program = self.frozen.program(Path::new(&self.name));
        program.map_err(Problem::program)
    }

    /// The source of the program, as its debug information tells.
    pub(crate) fn source(&self) -> Result<Source, Problem> {
        self.frozen.source().map_err(Problem::program)
    }

    /// What the units of a request depend on.
    pub(crate) fn keys(&self, request: &Request) -> Result<Keys, Problem> {
        self.frozen.keys(request).map_err(Problem::program)
    }

    /// The drivers of a request.
    pub(crate) fn describe(&self, request: &Request) -> Result<Drivers, Problem> {
        self.frozen.describe(request).map_err(Problem::program)
    }

    /// The program with drivers for functions; `None` in place of it if none of them has one.
    pub(crate) fn unit(&self, request: &Request) -> Result<(Option<Subject>, Drivers), Problem> {
        match self.begin_unit(request)? {
            (Some(build), drivers) => Ok((Some(self.finish_unit(build)?), drivers)),
            (None, drivers) => Ok((None, drivers)),
        }
    }

    /// Begins to build the program with drivers for functions; `None` if none of them has one.
    pub(crate) fn begin_unit(
        &self,
        request: &Request,
    ) -> Result<(Option<UnitBuild>, Drivers), Problem> {
        let folder = temporary_folder()?;
        let path = folder.path().join("unit");
        let drivers = self.describe(request)?;
        if drivers.unit.entries.is_empty() && drivers.binders.is_empty() {
            return Ok((None, drivers));
        }
        let order = Order::Unit {
            frozen: self.frozen.folder().to_path_buf(),
            request: request.clone(),
            out: path.clone(),
        };
        let build = Builder::begin_beside(&order, folder.path())?;
        let build = UnitBuild {
            build,
            path,
            folder,
        };
        Ok((Some(build), drivers))
    }

    /// Waits for a program with drivers.
    pub(crate) fn finish_unit(&self, unit: UnitBuild) -> Result<Subject, Problem> {
        self.builder.finish(unit.build)?;
        let (name, builder) = (self.name.clone(), self.builder.clone());
        Subject::unpack(name, unit.path, builder, unit.folder)
    }
}

/// A program with drivers that is being built.
#[derive(Debug)]
pub(crate) struct UnitBuild {
    build: Beside,
    path: PathBuf,
    folder: TemporaryFolder,
}

/// The static model of an executable.
pub(crate) fn model(executable: &Path, build: &BuildOptions) -> Result<Program, Problem> {
    is_readable(executable)?;
    build.without_sources(executable)?;
    match Executable::open(executable).map_err(Problem::program)? {
        Executable::Whole(container) => container.program().map_err(Problem::program),
        Executable::Deferred(_) => frozen_model(executable),
    }
}

/// The static model of an executable whose build was put off; `None` of anything else, and where an
/// earlier command built it.
pub(crate) fn model_of_deferred(path: &Path) -> Result<Option<Program>, Problem> {
    if is_source(path) || !path.is_file() {
        return Ok(None);
    }
    let Ok(deferred @ Executable::Deferred(_)) = Executable::open(path) else {
        return Ok(None);
    };
    let key = cache::key(&deferred);
    let is_built = key.is_some_and(|key| Cache::of_user().is_some_and(|cache| cache.has(&key)));
    (!is_built).then(|| frozen_model(path)).transpose()
}

fn frozen_model(executable: &Path) -> Result<Program, Problem> {
    let folder = temporary_folder()?;
    let frozen = Frozen::of_executable(executable, &folder.path().join("frozen"));
    let program = frozen.and_then(|frozen| frozen.program(executable));
    program.map_err(Problem::program)
}

/// The whole executable of a program: the one that was named, or one that is made in a folder if
/// its build was put off, in part or as a whole; and what is left of that.
fn whole(
    executable: &Path,
    builder: &Builder,
    folder: &Path,
) -> Result<(PathBuf, Option<Rest>), Problem> {
    let opened = Executable::open(executable).map_err(Problem::program)?;
    let Some(key) = cache::key(&opened) else {
        return Ok((executable.to_path_buf(), None));
    };
    let path = variant_path(folder, "whole", executable)?;
    let cache = Cache::of_user();
    if cache.as_ref().is_some_and(|cache| cache.take(&key, &path)) {
        return Ok((path, None));
    }
    let order = Order::Whole {
        deferred: executable.to_path_buf(),
        out: path.clone(),
    };
    let early = cache::early(&key);
    let begun = cache.clone();
    let (built, quiet, replaced) = (path.clone(), builder.quiet, early.clone());
    let renew = renewal(&path, folder);
    let keep = move || {
        renew();
        let kept = cache.map_or(Ok(()), |cache| {
            cache.forget(&replaced);
            cache.keep(&key, &built)
        });
        if let Err(error) = kept
            && !quiet
        {
            note(format_args!(
                "the next command builds the executables again, for they cannot be kept: {error}; \
                 LABRYS_CACHE names another folder"
            ));
        }
    };
    let taken = || match opened {
        Executable::Whole(_) => std::fs::copy(executable, &path).is_ok(),
        Executable::Deferred(_) => begun.as_ref().is_some_and(|c| c.take(&early, &path)),
    };
    if builder.early && taken() {
        let rest = Builder::stand_by(&order, folder, keep);
        return Ok((path, rest));
    }
    let rest = builder.begin(&order, folder, keep)?;
    // A command that ends before the rest of its build does leaves the next one a beginning. Where it
    // cannot be kept, neither can the whole, which is said then.
    if rest.is_some()
        && let Some(cache) = begun
    {
        let _ = cache.keep(&early, &path);
    }
    Ok((path, rest))
}

/// Takes the plain executable out of the instrumented one in a folder again, if it was taken out
/// before that was optimized. Where it cannot be written, the one that is there stays.
fn renewal(instrumented: &Path, folder: &Path) -> impl FnOnce() + Send + use<> {
    let name = instrumented.file_name().unwrap_or_default();
    let (from, to) = (instrumented.to_path_buf(), folder.join(PLAIN).join(name));
    let beside = folder.join(PLAIN).join(".new");
    move || {
        if to.is_file()
            && let Ok(container) = Container::open(&from)
            && container.write_plain(&beside).is_ok()
        {
            let _ = std::fs::rename(beside, to);
        }
    }
}

/// What the configuration of a suite says of the executable with its drivers: the way from the folder
/// of the suite, which may be one of several.
pub(crate) fn name_of_unit(are_several: bool) -> String {
    match are_several {
        false => "unit".to_owned(),
        true => "../unit".to_owned(),
    }
}

/// The program of the suite in a folder: an executable, or sources separated by spaces.
pub(crate) fn own_program(folder: &Path, config: &Config) -> Vec<PathBuf> {
    let whole = PathBuf::from(&config.program);
    let inside = folder.join(&whole);
    if inside.is_file() {
        vec![inside]
    } else if whole.exists() {
        vec![whole]
    } else {
        config.program.split(' ').map(PathBuf::from).collect()
    }
}

/// The program in these files, if it is the build that a suite was made with; `remedy` says what to
/// do if not. Sources are built without the compiler's warnings, if it is to be quiet.
pub(crate) fn same_subject(
    config: &Config,
    files: &[PathBuf],
    remedy: &str,
    builder: &Builder,
) -> Result<Subject, Problem> {
    let subject = Subject::open(files, &BuildOptions::recorded(config), builder)?;
    if subject.hash() == config.bitcode_hash {
        return Ok(subject);
    }
    Err(Problem::program(format!(
        "{} is not the build that the suite was made with; {remedy}",
        subject.name
    )))
}

/// The folder of the plain executable.
const PLAIN: &str = "plain";

fn temporary_folder() -> Result<TemporaryFolder, Problem> {
    TemporaryFolder::new().map_err(|error| {
        Problem::program(format!(
            "cannot make a temporary folder: {error}; check TMPDIR"
        ))
    })
}

/// Where another executable goes: under the same name as the instrumented one, for programs
/// that act by their names.
pub(crate) fn variant_path(
    folder: &Path,
    kind: &str,
    instrumented: &Path,
) -> Result<PathBuf, Problem> {
    let folder = folder.join(kind);
    std::fs::create_dir(&folder).map_err(|error| Problem::unwritten(&folder, &error))?;
    Ok(folder.join(instrumented.file_name().unwrap_or("program".as_ref())))
}

/// Whether a file that the user named can be read.
pub(crate) fn is_readable(path: &Path) -> Result<(), Problem> {
    let shown = path.display();
    let text = match std::fs::File::open(path) {
        Ok(_) if path.is_dir() => {
            format!("{shown} is a folder; give an executable built by labrys-cc, or C sources")
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("there is no file {shown}; check its path")
        }
        Err(error) => format!("cannot read {shown}: {error}"),
    };
    Err(Problem::program(text))
}

/// Whether a file is to be built: by its name, unless it is an executable (`program.cc`).
pub(crate) fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| SOURCES.contains(&ending)) && !is_elf(path)
}

/// Why an executable cannot be taken out of another one: a full disk is no fault of the program.
fn unwritten(error: ContainerError) -> Problem {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match &error {
        ContainerError::Io { source, .. } => match source.kind() {
            FileTooLarge => Problem::unwritable(format!("{error}; raise the limit (ulimit -f)")),
            StorageFull | QuotaExceeded => Problem::unwritable(format!(
                "{error}; free some space there, or name another folder by TMPDIR"
            )),
            _ => Problem::program(error),
        },
        _ => Problem::program(error),
    }
}

/// Refuses a path that a suite could not name.
fn is_text(path: &Path) -> Result<(), Problem> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(Problem::usage(format!(
            "{}: the path has bytes that are not UTF-8, so the suite cannot name the program; \
             rename it, or make a link to it",
            path.display()
        ))),
    }
}

fn is_elf(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"\x7fELF"
}

/// What sources are built to: in a folder of its own, since a program may be called as one of the
/// other folders ([`variant_path`]).
fn output(sources: &[PathBuf], folder: &Path) -> Result<PathBuf, Problem> {
    let name = sources.first().and_then(|source| source.file_stem());
    let name = Path::new(name.unwrap_or_else(|| "program".as_ref()));
    variant_path(folder, "built", name)
}

/// What is linked: the sources, or objects of them where they are compiled one by one.
fn inputs(
    sources: &[PathBuf],
    build: &BuildOptions,
    builder: &Builder,
    folder: &Path,
) -> Result<Vec<PathBuf>, Problem> {
    for source in sources {
        if !is_source(source) {
            return Err(Problem::usage(format!(
                "{} is no C source; give one executable, or C sources only (arguments of the \
                 program stand after --)",
                source.display()
            )));
        }
    }
    match &build.build_path {
        Some(path) => compiled(sources, path, &flags(build, builder.quiet), builder, folder),
        None => Ok(sources.to_vec()),
    }
}

/// The options of the compiler.
fn flags(build: &BuildOptions, quiet: bool) -> Vec<OsString> {
    let mut flags: Vec<OsString> = OLD_C.iter().map(OsString::from).collect();
    if quiet {
        flags.push("-w".into());
    }
    flags.extend(build.cc_flag.iter().map(OsString::from));
    if build.no_oracles {
        flags.push("--labrys-no-oracles".into());
    }
    if build.check_overflow {
        flags.push("--labrys-check-overflow".into());
    }
    flags
}

/// Builds something of sources, as an order for sources and options of the compiler says; what is
/// left of that.
fn built(
    sources: &[PathBuf],
    build: &BuildOptions,
    builder: &Builder,
    folder: &Path,
    order: impl Fn(&[&Path], &[OsString]) -> Order,
) -> Result<Option<Rest>, Problem> {
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    let mut flags = flags(build, builder.quiet);
    let order = |flags: &[OsString]| order(&sources, flags);
    let begin = |order: &Order| builder.begin(order, folder, renewal(order.out(), folder));
    match begin(&order(&flags)) {
        Err(Failure::Reported) if may_be_older(&sources, build) => {
            flags.push("-std=gnu89".into());
            if !labrys_cc::compiles(&sources, &flags) {
                return Err(Failure::Reported.into());
            }
            if !builder.quiet {
                note("labrys: note: trying again with -std=gnu89");
            }
            Ok(begin(&order(&flags))?)
        }
        built => Ok(built?),
    }
}

/// Compiles each source as the compilation database in a folder says; the objects.
fn compiled(
    sources: &[PathBuf],
    build_path: &Path,
    flags: &[OsString],
    builder: &Builder,
    folder: &Path,
) -> Result<Vec<PathBuf>, Problem> {
    let database = Database::open(build_path)?;
    let object = |(number, source): (usize, &PathBuf)| {
        let mut all = database.options(source)?;
        all.extend(flags.iter().cloned());
        all.push("-c".into());
        let object = folder.join(format!("{number}.o"));
        builder.build(&labrys_cc::sources(&[source], &all, &object), folder)?;
        Ok(object)
    };
    sources.iter().enumerate().map(object).collect()
}

/// A source with a main function that gives way to another.
fn weak_main(folder: &Path) -> Result<PathBuf, Problem> {
    let path = folder.join("labrys_main.c");
    let text = "__attribute__((weak)) int main(void) { return 0; }\n";
    std::fs::write(&path, text).map_err(|error| Problem::unwritten(&path, &error))?;
    Ok(path)
}

/// Whether all sources are C, of no version that the user named.
fn may_be_older(sources: &[&Path], build: &BuildOptions) -> bool {
    let c = |path: &&Path| path.extension().is_some_and(|e| e == "c" || e == "i");
    let named = |flag: &String| flag.starts_with("-std");
    sources.iter().all(c) && !build.cc_flag.iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_by_their_names() {
        assert!(is_source(Path::new("a.c")) && is_source(Path::new("dir.x/b.cpp")));
        assert!(!is_source(Path::new("src/grep")) && !is_source(Path::new("a.out")));
    }

    #[test]
    fn an_executable_is_no_source_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program.cc");
        std::fs::write(&program, b"\x7fELF\x02\x01").unwrap();
        assert!(!is_source(&program));
        std::fs::write(&program, b"int main() {}\n").unwrap();
        assert!(is_source(&program));
    }
}

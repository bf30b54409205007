//! From merged bitcode to the executable that carries everything: freeze, lower, then instrument,
//! compile and link each variant, at last seal.
//!
//! The three executables (instrumented, plain, checked) are built in parallel.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};

use sha2::{Digest, Sha256};

use crate::container::{self, Contents};
use labrys_instrument::checked;
use labrys_instrument::plain;
use labrys_instrument::recording::{self, Outputs};
use labrys_llvm::{LlvmError, Module};
use labrys_lower::{lower, lower_part};
use labrys_program::Program;

use crate::jobs::Job;
use crate::link_line::{LinkLine, Pieces};
use crate::linker::run_linker;
use crate::tools::Sanitizer;
use crate::{Error, Session, archive, imports, kept, recipe, tools};
use labrys_lower::{FreezeError, Linking};

/// Bitcode of more bytes than this is compiled in parts.
const LARGE_MODULE: u64 = 512 * 1024;
/// The number of parts.
const PARTITIONS: u32 = 4;

/// The name under which the models of library functions are kept.
const MODELS: &str = "models";

/// Passes that look at one function at a time. SQLite as a plain executable takes 2 s with them, 1 s
/// without, and 31 s optimized in full.
const LOCAL_PASSES: &str = "--lto-newpm-passes=always-inline,\
    function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Executables of frozen bitcode of fewer bytes are optimized within about a second.
const SHORT: u64 = 8 * 1024;

/// What the name of an executable ends with, before it is sealed.
const EXECUTABLE: &str = "elf";

/// One of the executables made from the frozen bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Instrumented,
    Plain,
    /// Under AddressSanitizer.
    Checked,
    /// Under MemorySanitizer: built when it is asked for.
    Uninitialized,
    /// Instrumented, with joined paths: built when it is asked for.
    Joined,
}

/// What LLVM does to make code fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// Nothing that takes more than linear time.
    Linear,
    /// The same, behind passes that look at one function at a time.
    Local,
    Full,
    FullWithoutVectors,
}

/// How fast the instrumented executable is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tuning {
    /// Not optimized, which is compiled fast.
    Unoptimized,
    Optimized,
}

/// What executables are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The program as it is.
    Program,
    /// Functions in units, whose runs are short: nothing is optimized.
    Unit {
        /// Whether failures are looked for: without there is no checked executable.
        checked: bool,
        /// Whether the program is a part of others, for proofs.
        part: bool,
    },
}

impl Purpose {
    fn tuning(self, is_early: bool) -> Tuning {
        match self {
            Purpose::Program if !is_early => Tuning::Optimized,
            Purpose::Program | Purpose::Unit { .. } => Tuning::Unoptimized,
        }
    }

    fn plain_effort(self, is_early: bool) -> Effort {
        match self {
            Purpose::Program if is_early => Effort::Local,
            Purpose::Program => Variant::Plain.effort(),
            Purpose::Unit { .. } => Effort::Linear,
        }
    }

    fn is_checked(self) -> bool {
        !matches!(self, Purpose::Unit { checked: false, .. })
    }

    fn lower(self) -> fn(&Module) -> Program {
        match self {
            Purpose::Unit { part: true, .. } => lower_part,
            _ => lower,
        }
    }
}

impl Tuning {
    fn effort(self) -> Effort {
        match self {
            Tuning::Unoptimized => Effort::Linear,
            Tuning::Optimized => Effort::FullWithoutVectors,
        }
    }
}

impl Variant {
    fn effort(self) -> Effort {
        match self {
            // A place in the source for every instruction, which optimizing loses.
            Variant::Checked | Variant::Uninitialized => Effort::Linear,
            Variant::Plain => Effort::Full,
            Variant::Joined => Tuning::Unoptimized.effort(),
            Variant::Instrumented => Tuning::Optimized.effort(),
        }
    }

    /// What makes the bitcode of the variant from frozen bitcode, and what that is called.
    fn transform(self) -> (Transform, &'static str) {
        match self {
            Variant::Instrumented => (
                |from, to, large| {
                    let outputs = Outputs {
                        inlined: Some(to),
                        called: None,
                        large,
                    };
                    recording::instrument(from, outputs)
                },
                INSTRUMENTING,
            ),
            Variant::Plain => (plain::add_coverage, "adding coverage to the plain build"),
            Variant::Checked => (
                |from, to, _| checked::add_checks(from, to).map(|()| false),
                "adding checks to the checked build",
            ),
            Variant::Uninitialized => (
                |from, to, _| checked::add_initialization_checks(from, to).map(|()| false),
                "adding checks of initialization",
            ),
            Variant::Joined => (
                |from, to, _| recording::instrument_joined(from, to).map(|()| false),
                "instrumenting with joined paths",
            ),
        }
    }
}

const INSTRUMENTING: &str = "instrumenting";

/// From a file of bitcode to another one, and to one with what is compiled apart, if anything is to
/// be; whether there is such a part.
type Transform = fn(&Path, &Path, Option<&Path>) -> Result<bool, LlvmError>;

/// The bitcode of a variant, and what of it is compiled apart.
#[derive(Debug)]
struct Bitcode {
    rest: PathBuf,
    apart: Option<PathBuf>,
}

/// What each variant is built from.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    session: &'a Session,
    line: &'a LinkLine,
    frozen: &'a Path,
    runtime: &'a Path,
    scratch: &'a Path,
}

/// Builds the executable of a link from its merged bitcode.
pub(crate) fn build(
    session: &Session,
    line: &LinkLine,
    merged: &Path,
    scratch: &Path,
) -> Result<(), Error> {
    let frozen = frozen(session, line, merged, scratch)?;
    let runtime = runtime_object(session, scratch)?;
    build_frozen(session, line, &frozen, &runtime, scratch, Purpose::Program)
}

/// Freezes merged bitcode.
pub(crate) fn frozen(
    session: &Session,
    line: &LinkLine,
    merged: &Path,
    scratch: &Path,
) -> Result<PathBuf, Error> {
    let frozen = scratch.join("frozen.bc");
    session.doing("freezing the bitcode");
    freeze(merged, &frozen, &session.pure, &linking(line))?;
    Ok(frozen)
}

/// What a link says that its bitcode does not.
pub(crate) fn linking(line: &LinkLine) -> Linking {
    let native = imports::of(line);
    let told = line.linking();
    Linking {
        imports: native.imports,
        provides: native.provides,
        early: native.early,
        renames: native.renames || told.renames,
        ..told
    }
}

/// Freezes bitcode of a file to another one.
pub(crate) fn freeze(
    merged: &Path,
    frozen: &Path,
    pure: &[String],
    linking: &Linking,
) -> Result<(), Error> {
    labrys_lower::freeze(merged, frozen, pure, linking).map_err(|error| match error {
        FreezeError::Llvm(source) => llvm("freezing the bitcode")(source),
        FreezeError::Marked(error) => Error::Marked(error),
    })
}

/// Builds the executable of a link from its frozen bitcode and the runtime.
pub(crate) fn build_frozen(
    session: &Session,
    line: &LinkLine,
    frozen: &Path,
    runtime: &Path,
    scratch: &Path,
    purpose: Purpose,
) -> Result<(), Error> {
    let parts = Parts {
        session,
        line,
        frozen,
        runtime,
        scratch,
    };
    let number = if purpose.is_checked() { "three" } else { "two" };
    session.doing(&format!("compiling {number} executables"));
    let done = AtomicUsize::new(0);
    let tell = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        session.doing(&format!("compiling {number} executables, {done} done"));
    };
    let build = |variant, effort| parts.build(variant, effort).inspect(|_| tell());
    let is_early = parts.are_early(purpose);
    let (tuning, plain_effort) = (purpose.tuning(is_early), purpose.plain_effort(is_early));
    let instrument = || parts.instrumented(tuning, is_early).inspect(|_| tell());
    let (program, instrumented, plain, checked) = thread::scope(|scope| {
        let instrumented = beside(scope, instrument)?;
        let plain = beside(scope, || build(Variant::Plain, plain_effort))?;
        let checked = || build(Variant::Checked, Variant::Checked.effort());
        let checked = purpose.is_checked().then(|| beside(scope, checked));
        let checked = checked.transpose()?;
        Ok::<_, Error>((
            program_bytes(frozen, &line.output, purpose),
            join(instrumented),
            join(plain),
            checked.map(join),
        ))
    })?;
    // If both fail, the messages of the first are printed already.
    let ((instrumented, to_optimize), plain) = (instrumented?, plain?);
    let checked = checked.map(|checked| if_possible(session, checked));
    let load = Load {
        program: program?,
        bitcode: read(frozen)?,
        checked: checked.transpose()?.flatten(),
        link: recipe::write(line, session.language),
    };
    load.seal(&instrumented, &plain, !is_early, &line.output)?;
    if let Some(to_optimize) = to_optimize
        && session.usable()
    {
        let plain = parts.build(Variant::Plain, Variant::Plain.effort())?;
        load.seal(&parts.optimized(&to_optimize)?, &plain, true, &line.output)?;
    }
    Ok(())
}

/// What an executable carries in any case, optimized or not.
struct Load {
    program: Vec<u8>,
    bitcode: Vec<u8>,
    checked: Option<Vec<u8>>,
    link: Vec<u8>,
}

impl Load {
    /// Writes an instrumented executable that carries this and a plain one.
    fn seal(
        &self,
        instrumented: &Path,
        plain: &Path,
        optimized: bool,
        to: &Path,
    ) -> Result<(), Error> {
        let contents = Contents::Whole {
            program: &self.program,
            bitcode: &self.bitcode,
            plain: &read(plain)?,
            checked: self.checked.as_deref(),
            link: &self.link,
            optimized,
        };
        Ok(container::seal(instrumented, &contents, to)?)
    }
}

/// The checked executable. Programs that cannot have one, such as static ones, do without.
fn if_possible(
    session: &Session,
    checked: Result<PathBuf, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    match checked {
        Ok(path) => read(&path).map(Some),
        Err(Error::Unchecked { messages }) => {
            session.note(&format!(
                "failures will have no stacks and errors of memory stay unseen: {messages}"
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Builds from frozen bitcode the executable that looks for reads of uninitialized memory.
pub(crate) fn build_uninitialized(
    session: &Session,
    line: &LinkLine,
    frozen: &Path,
    runtime: &Path,
    scratch: &Path,
) -> Result<(), Error> {
    session.doing("compiling the program under MemorySanitizer");
    build_variant(
        Variant::Uninitialized,
        (session, line),
        frozen,
        runtime,
        scratch,
    )
}

/// Builds from frozen bitcode the instrumented executable with joined paths.
pub(crate) fn build_joined(
    session: &Session,
    line: &LinkLine,
    frozen: &Path,
    runtime: &Path,
    scratch: &Path,
) -> Result<(), Error> {
    session.doing("compiling the program with joined paths");
    build_variant(Variant::Joined, (session, line), frozen, runtime, scratch)
}

/// Builds one executable of a link from its frozen bitcode and the runtime.
fn build_variant(
    variant: Variant,
    (session, line): (&Session, &LinkLine),
    frozen: &Path,
    runtime: &Path,
    scratch: &Path,
) -> Result<(), Error> {
    let parts = Parts {
        session,
        line,
        frozen,
        runtime,
        scratch,
    };
    let built = parts.build(variant, variant.effort())?;
    fs::copy(&built, &line.output).map_err(|source| Error::Io {
        path: line.output.clone(),
        source,
    })?;
    Ok(())
}

impl Parts<'_> {
    /// Whether the executables are wanted before they are optimized. What all programs have in common
    /// is optimized by the first that has the time.
    fn are_early(&self, purpose: Purpose) -> bool {
        self.session.is_early()
            && purpose == Purpose::Program
            && (size(self.frozen) >= SHORT || !kept::has(MODELS))
    }

    fn build(&self, variant: Variant, effort: Effort) -> Result<PathBuf, Error> {
        let bitcode = self.bitcode(variant, effort)?;
        let job = self.link(variant, &self.objects(variant, &bitcode, effort)?)?;
        // The same link has the same to say: once is enough.
        let output = job.run_captured(self.scratch)?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        match variant {
            _ if output.status.success() => Ok(self.file(variant, EXECUTABLE)),
            Variant::Checked | Variant::Uninitialized => Err(Error::Unchecked { messages }),
            _ => Err(Error::PlainLink { messages }),
        }
    }

    /// The instrumented executable, and what it is to be optimized from if it `is_early` and this
    /// build may do so.
    fn instrumented(
        &self,
        tuning: Tuning,
        is_early: bool,
    ) -> Result<(PathBuf, Option<Bitcode>), Error> {
        let variant = Variant::Instrumented;
        let (bitcode, to_optimize) = match tuning {
            Tuning::Optimized => (self.bitcode(variant, tuning.effort())?, None),
            Tuning::Unoptimized => self.fast_bitcode(is_early && self.session.may_optimize())?,
        };
        let objects = self.objects(variant, &bitcode, tuning.effort())?;
        run_linker(self.session, &self.link(variant, &objects)?, self.scratch)?;
        Ok((self.file(variant, EXECUTABLE), to_optimize))
    }

    /// Instrumented bitcode that is compiled fast, and beside it such that is optimized then, if it
    /// `goes_on`.
    fn fast_bitcode(&self, goes_on: bool) -> Result<(Bitcode, Option<Bitcode>), Error> {
        let file = |extension| self.file(Variant::Instrumented, extension);
        let (inlined, called, large) = (file("bc"), file("called.bc"), file("large.bc"));
        let outputs = Outputs {
            inlined: goes_on.then_some(&inlined),
            called: Some(&called),
            large: goes_on.then_some(&large),
        };
        let is_apart = recording::instrument(self.frozen, outputs).map_err(llvm(INSTRUMENTING))?;
        let bitcode = |rest| Bitcode {
            rest,
            apart: is_apart.then(|| large.clone()),
        };
        Ok((bitcode(called), goes_on.then(|| bitcode(inlined))))
    }

    /// The instrumented executable again, optimized.
    fn optimized(&self, bitcode: &Bitcode) -> Result<PathBuf, Error> {
        let variant = Variant::Instrumented;
        let job = self.link(variant, &self.objects(variant, bitcode, variant.effort())?)?;
        match job.run_captured(self.scratch)?.status.code() {
            Some(0) => Ok(self.file(variant, EXECUTABLE)),
            code => Err(Error::Reported {
                code: code.unwrap_or(1),
            }),
        }
    }

    /// What links a variant.
    fn link(&self, variant: Variant, objects: &[PathBuf]) -> Result<Job, Error> {
        let sanitizer = match variant {
            Variant::Checked => self.sanitizer(Sanitizer::Address)?,
            Variant::Uninitialized => self.sanitizer(Sanitizer::Memory)?,
            Variant::Instrumented | Variant::Joined | Variant::Plain => Vec::new(),
        };
        self.line.executable(&Pieces {
            objects,
            runtime: self.runtime,
            sanitizer: &sanitizer,
            output: &self.file(variant, EXECUTABLE),
            scratch: self.scratch,
            reports: variant == Variant::Instrumented,
            places: !sanitizer.is_empty(),
        })
    }

    /// The bitcode of a variant, from the frozen one. Where all is compiled by linear means nothing is
    /// taken apart: that would take longer than to compile it.
    fn bitcode(&self, variant: Variant, effort: Effort) -> Result<Bitcode, Error> {
        let (rest, apart) = (self.file(variant, "bc"), self.file(variant, "large.bc"));
        let (transform, step) = variant.transform();
        let large = (effort != Effort::Linear).then_some(apart.as_path());
        let is_apart = transform(self.frozen, &rest, large).map_err(llvm(step))?;
        Ok(Bitcode {
            rest,
            apart: is_apart.then_some(apart),
        })
    }

    /// The objects of a variant.
    fn objects(
        &self,
        variant: Variant,
        bitcode: &Bitcode,
        effort: Effort,
    ) -> Result<Vec<PathBuf>, Error> {
        let object = self.file(variant, "o");
        let apart_object = self.file(variant, "large.o");
        thread::scope(|scope| {
            let rest = beside(scope, || {
                self.compile(
                    &bitcode.rest,
                    &object,
                    effort,
                    partitions(&bitcode.rest, effort),
                )
            })?;
            if let Some(apart) = &bitcode.apart {
                let effort = Effort::Linear;
                self.compile(apart, &apart_object, effort, partitions(apart, effort))?;
            }
            join(rest)
        })?;
        let mut objects = vec![object];
        objects.extend(bitcode.apart.is_some().then_some(apart_object));
        if matches!(variant, Variant::Instrumented | Variant::Joined) {
            objects.push(self.models(variant, effort)?);
        }
        Ok(objects)
    }

    /// A file of a variant.
    fn file(&self, variant: Variant, extension: &str) -> PathBuf {
        let name = match variant {
            Variant::Instrumented => "program",
            Variant::Plain => "plain",
            Variant::Checked => "checked",
            Variant::Uninitialized => "uninitialized",
            Variant::Joined => "joined",
        };
        self.scratch.join(name).with_extension(extension)
    }

    /// The object with the models of library functions. Where an executable is wanted early, it is
    /// not optimized either, unless it was before.
    fn models(&self, variant: Variant, effort: Effort) -> Result<PathBuf, Error> {
        let is_early = self.session.is_early() || variant == Variant::Joined;
        let is_early = is_early && effort == Effort::Linear;
        if is_early && !kept::has(MODELS) {
            let write = |bitcode: &Path| recording::instrument_models(None, Some(bitcode));
            self.models_by("unoptimized-models", effort, write)
        } else {
            let write = |bitcode: &Path| recording::instrument_models(Some(bitcode), None);
            self.models_by(MODELS, Tuning::Optimized.effort(), write)
        }
    }

    fn models_by(
        &self,
        name: &str,
        effort: Effort,
        write: impl FnOnce(&Path) -> Result<(), LlvmError>,
    ) -> Result<PathBuf, Error> {
        kept::object(name, self.scratch, |object| {
            self.session
                .doing("compiling the models of library functions, once");
            let bitcode = self.scratch.join("models.bc");
            write(&bitcode).map_err(llvm("instrumenting the models"))?;
            // In parts, local symbols become global, and the program has some of their names.
            self.compile(&bitcode, object, effort, 1)
        })
    }

    /// The libraries of a sanitizer.
    fn sanitizer(&self, sanitizer: Sanitizer) -> Result<Vec<PathBuf>, Error> {
        let unchecked = |messages: &str| Error::Unchecked {
            messages: format!("{} {messages}", sanitizer.name()),
        };
        if self.line.is_static {
            return Err(unchecked("needs a dynamic link"));
        }
        let libraries =
            self.session
                .tools
                .sanitizer(sanitizer, self.session.language, self.scratch)?;
        libraries.ok_or_else(|| {
            unchecked("is not installed; install the Debian package libclang-rt-19-dev")
        })
    }

    /// Bitcode to a native object, by lld, which generates the code of so many parts side by side.
    fn compile(
        &self,
        bitcode: &Path,
        object: &Path,
        effort: Effort,
        partitions: u32,
    ) -> Result<(), Error> {
        let mut arguments: Vec<OsString> = vec!["-r".into(), bitcode.into()];
        let level: &[&str] = match effort {
            Effort::Linear => &["--lto-newpm-passes=default<O0>", "--lto-CGO0"],
            Effort::Local => &[LOCAL_PASSES, "--lto-CGO0"],
            Effort::Full => &["--lto-newpm-passes=default<O2>"],
            // In instrumented functions LLVM takes longer to look for vectors than for all else,
            // and finds none. The addresses of a run's tables are made again at many places: their
            // live ranges are brought up to date once, not for each of them.
            Effort::FullWithoutVectors => &[
                "--lto-newpm-passes=default<O2>",
                "-mllvm",
                "-vectorize-slp=false",
                "-mllvm",
                "-late-remat-update-threshold=1",
            ],
        };
        arguments.extend(level.iter().map(OsString::from));
        arguments.push(format!("--lto-partitions={partitions}").into());
        arguments.extend(["-o".into(), object.into()]);
        let program = self.session.tools.linker()?;
        run_linker(self.session, &Job { program, arguments }, self.scratch)
    }
}

/// In how many parts the code of bitcode is generated. The number is fixed, so that a build repeats.
/// Taking a module apart takes as long as compiling it without optimizing.
fn partitions(bitcode: &Path, effort: Effort) -> u32 {
    match effort {
        Effort::Full | Effort::FullWithoutVectors if size(bitcode) > LARGE_MODULE => PARTITIONS,
        _ => 1,
    }
}

/// The bytes of a file that is there.
fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len())
}

/// What nobody asks for in the runtime: places of its source, and its bitcode.
const DISCARD: &str = "SECTIONS { /DISCARD/ : { *(.debug*) *(.llvmbc) *(.llvmcmd) } }";

/// The name of Rust's own copies of functions of libm and libgcc begins so. They answer otherwise
/// than those of the system, which a program calls without Labrys: `sqrt` sets no `errno`, `cbrt` is
/// rounded otherwise.
const COPIES: &str = "compiler_builtins-";

/// The members of the runtime's archive but for [`COPIES`], as words for the linker.
fn runtime_members(runtime: &Path, scratch: &Path) -> Result<Vec<OsString>, Error> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        |source| Error::Io { path, source }
    };
    let folder = scratch.join("members");
    fs::create_dir_all(&folder).map_err(io(&folder))?;
    let bytes = fs::read(runtime).map_err(io(runtime))?;
    let members = archive::members(&bytes, runtime).into_iter();
    let mut words = vec![OsString::from("--start-lib")];
    for (number, member) in members.enumerate() {
        if !member.name.starts_with(COPIES) {
            let object = folder.join(format!("{number}.o"));
            fs::write(&object, &member.bytes).map_err(io(&object))?;
            words.push(object.into());
        }
    }
    words.push("--end-lib".into());
    Ok(words)
}

/// The runtime as one object that holds code and data only.
pub(crate) fn runtime_object(session: &Session, scratch: &Path) -> Result<PathBuf, Error> {
    let runtime = tools::runtime()?;
    kept::object("runtime", scratch, |object| {
        let script = scratch.join("runtime.ld");
        fs::write(&script, DISCARD).map_err(|source| Error::Io {
            path: script.clone(),
            source,
        })?;
        let mut arguments: Vec<OsString> = vec!["-r".into(), "-T".into(), script.into()];
        arguments.extend(["-o".into(), object.into()]);
        // The start-up code is in the library though nothing refers to it.
        arguments.extend(["-u", "__labrys_init", "--undefined-glob=*labrys*"].map(OsString::from));
        arguments.extend(runtime_members(&runtime, scratch)?);
        let program = session.tools.linker()?;
        run_linker(session, &Job { program, arguments }, scratch)
    })
}

/// The static program model of the frozen bitcode, serialized.
fn program_bytes(frozen: &Path, output: &Path, purpose: Purpose) -> Result<Vec<u8>, Error> {
    Ok(lowered(&read(frozen)?, output, purpose)?.to_bytes())
}

/// The static program model of frozen bitcode.
pub(crate) fn model(bytes: &[u8], output: &Path) -> Result<Program, Error> {
    lowered(bytes, output, Purpose::Program)
}

fn lowered(bytes: &[u8], output: &Path, purpose: Purpose) -> Result<Program, Error> {
    let module = Module::from_bytes(bytes, "frozen bitcode").map_err(llvm("lowering"))?;
    let mut program = purpose.lower()(&module);
    program.name = output
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    program.bitcode_hash = Sha256::digest(bytes).into();
    Ok(program)
}

/// Starts work in a thread of its own.
fn beside<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Error> {
    let started = thread::Builder::new().spawn_scoped(scope, work);
    started.map_err(|source| Error::Io {
        path: PathBuf::from("a thread"),
        source,
    })
}

fn join<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    match handle.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

pub(crate) fn llvm(step: &'static str) -> impl Fn(LlvmError) -> Error {
    move |source| Error::Llvm { step, source }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Io {
        path: path.to_path_buf(),
        source,
    })
}

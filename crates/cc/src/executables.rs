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
use labrys_instrument::recording;
use labrys_llvm::{LlvmError, Module};
use labrys_lower::lower;
use labrys_program::Program;

use crate::jobs::Job;
use crate::link_line::{LinkLine, Pieces};
use crate::linker::run_linker;
use crate::tools::Sanitizer;
use crate::{Error, Session, kept, recipe, tools};
use labrys_lower::{FreezeError, Linking};

/// Bitcode of more bytes than this is compiled in parts.
const LARGE_MODULE: u64 = 512 * 1024;
/// The number of parts.
const PARTITIONS: u32 = 4;

/// One of the executables made from the frozen bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Instrumented,
    Plain,
    /// Under AddressSanitizer.
    Checked,
    /// Under MemorySanitizer: built when it is asked for.
    Uninitialized,
}

/// What LLVM does to make code fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// Nothing that takes more than linear time.
    Linear,
    Full,
    FullWithoutVectors,
}

impl Variant {
    fn effort(self) -> Effort {
        match self {
            // A place in the source for every instruction, which optimizing loses.
            Variant::Checked | Variant::Uninitialized => Effort::Linear,
            Variant::Plain => Effort::Full,
            Variant::Instrumented => Effort::FullWithoutVectors,
        }
    }

    /// What makes the bitcode of the variant from frozen bitcode, and what that is called.
    fn transform(self) -> (Transform, &'static str) {
        match self {
            Variant::Instrumented => (recording::instrument, "instrumenting"),
            Variant::Plain => (plain::add_coverage, "adding coverage to the plain build"),
            Variant::Checked => (
                |from, to, _| checked::add_checks(from, to).map(|()| false),
                "adding checks to the checked build",
            ),
            Variant::Uninitialized => (
                |from, to, _| checked::add_initialization_checks(from, to).map(|()| false),
                "adding checks of initialization",
            ),
        }
    }
}

/// From a file of bitcode to another one, and to one with what is compiled apart; whether there is
/// such a part.
type Transform = fn(&Path, &Path, &Path) -> Result<bool, LlvmError>;

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
    build_frozen(session, line, &frozen, &runtime, scratch)
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
    freeze(merged, &frozen, &session.pure, &line.linking())?;
    Ok(frozen)
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
) -> Result<(), Error> {
    let parts = Parts {
        session,
        line,
        frozen,
        runtime,
        scratch,
    };
    session.doing("compiling three executables");
    let done = AtomicUsize::new(0);
    let build = |variant| {
        let built = parts.build(variant);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        session.doing(&format!("compiling three executables, {done} done"));
        built
    };
    let (program, instrumented, plain, checked) = thread::scope(|scope| {
        let instrumented = beside(scope, || build(Variant::Instrumented))?;
        let plain = beside(scope, || build(Variant::Plain))?;
        let checked = beside(scope, || build(Variant::Checked))?;
        Ok::<_, Error>((
            program_bytes(frozen, &line.output),
            join(instrumented),
            join(plain),
            join(checked),
        ))
    })?;
    // If both fail, the messages of the first are printed already.
    let (instrumented, plain) = (instrumented?, plain?);
    let (bitcode, plain) = (read(frozen)?, read(&plain)?);
    // Programs that cannot have a checked executable, such as static ones, do without.
    let checked = match checked {
        Ok(path) => Some(read(&path)?),
        Err(Error::Unchecked { messages }) => {
            session.note(&format!(
                "failures will have no stacks and errors of memory stay unseen: {messages}"
            ));
            None
        }
        Err(error) => return Err(error),
    };
    let contents = Contents::Whole {
        program: &program?,
        bitcode: &bitcode,
        plain: &plain,
        checked: checked.as_deref(),
        link: &recipe::write(line, session.language),
    };
    Ok(container::seal(&instrumented, &contents, &line.output)?)
}

/// Builds from frozen bitcode the executable that looks for reads of uninitialized memory.
pub(crate) fn build_uninitialized(
    session: &Session,
    line: &LinkLine,
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
    session.doing("compiling the program under MemorySanitizer");
    let built = parts.build(Variant::Uninitialized)?;
    fs::copy(&built, &line.output).map_err(|source| Error::Io {
        path: line.output.clone(),
        source,
    })?;
    Ok(())
}

impl Parts<'_> {
    fn build(&self, variant: Variant) -> Result<PathBuf, Error> {
        let sanitizer = match variant {
            Variant::Checked => self.sanitizer(Sanitizer::Address)?,
            Variant::Uninitialized => self.sanitizer(Sanitizer::Memory)?,
            Variant::Instrumented | Variant::Plain => Vec::new(),
        };
        let objects = self.objects(variant)?;
        let executable = self.file(variant, "elf");
        let job = self.line.executable(&Pieces {
            objects: &objects,
            runtime: self.runtime,
            sanitizer: &sanitizer,
            output: &executable,
            scratch: self.scratch,
            reports: variant == Variant::Instrumented,
            places: !sanitizer.is_empty(),
        })?;
        if variant == Variant::Instrumented {
            run_linker(self.session, &job, self.scratch)?;
            return Ok(executable);
        }
        // The same link has the same to say: once is enough.
        let output = job.run_captured(self.scratch)?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        match variant {
            _ if output.status.success() => Ok(executable),
            Variant::Checked | Variant::Uninitialized => Err(Error::Unchecked { messages }),
            _ => Err(Error::PlainLink { messages }),
        }
    }

    /// The objects of a variant, from the frozen bitcode.
    fn objects(&self, variant: Variant) -> Result<Vec<PathBuf>, Error> {
        let file = |extension: &str| self.file(variant, extension);
        let (bitcode, object) = (file("bc"), file("o"));
        let (apart, apart_object) = (file("large.bc"), file("large.o"));
        let (transform, step) = variant.transform();
        let is_apart = transform(self.frozen, &bitcode, &apart).map_err(llvm(step))?;
        let parts = partitions(&bitcode);
        thread::scope(|scope| {
            let rest = beside(scope, || {
                self.compile(&bitcode, &object, variant.effort(), parts)
            })?;
            if is_apart {
                self.compile(&apart, &apart_object, Effort::Linear, partitions(&apart))?;
            }
            join(rest)
        })?;
        let mut objects = vec![object];
        objects.extend(is_apart.then_some(apart_object));
        if variant == Variant::Instrumented {
            objects.push(self.models()?);
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
        };
        self.scratch.join(name).with_extension(extension)
    }

    /// The object with the models of library functions.
    fn models(&self) -> Result<PathBuf, Error> {
        kept::object("models", self.scratch, |object| {
            self.session
                .doing("compiling the models of library functions, once");
            let bitcode = self.scratch.join("models.bc");
            recording::instrument_models(&bitcode).map_err(llvm("instrumenting the models"))?;
            // In parts, local symbols become global, and the program has some of their names.
            self.compile(&bitcode, object, Variant::Instrumented.effort(), 1)
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
fn partitions(bitcode: &Path) -> u32 {
    let size = fs::metadata(bitcode).map_or(0, |file| file.len());
    if size > LARGE_MODULE { PARTITIONS } else { 1 }
}

/// What nobody asks for in the runtime: places of its source, and its bitcode.
const DISCARD: &str = "SECTIONS { /DISCARD/ : { *(.debug*) *(.llvmbc) *(.llvmcmd) } }";

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
        arguments.push(runtime.into());
        let program = session.tools.linker()?;
        run_linker(session, &Job { program, arguments }, scratch)
    })
}

/// The static program model of the frozen bitcode, serialized.
fn program_bytes(frozen: &Path, output: &Path) -> Result<Vec<u8>, Error> {
    Ok(model(&read(frozen)?, output)?.to_bytes())
}

/// The static program model of frozen bitcode.
pub(crate) fn model(bytes: &[u8], output: &Path) -> Result<Program, Error> {
    let module = Module::from_bytes(bytes, "frozen bitcode").map_err(llvm("lowering"))?;
    let mut program = lower(&module);
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

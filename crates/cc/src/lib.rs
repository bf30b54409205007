//! The drop-in compilers `labrys-cc` and `labrys-c++`.
//!
//! They take clang's command line. Compiling makes fat objects (see `object`); linking merges
//! all bitcode of an executable into one module, freezes it, and builds from it the instrumented
//! executable, which carries the static program model, the frozen bitcode and the plain executable
//! (see [`container`](crate::container)).
//!
//! A package links many programs, and few of them are ever searched. So where a link can be made
//! again later, `labrys-cc` links as clang does, and adds the merged bitcode; the first command that
//! needs the instrumented executable builds the rest ([`Order::Whole`](worker::Order::Whole)).
//!
//! Invariant: what holds no bitcode is compiled and linked as clang does it.

mod archive;
mod arguments;
mod bitcode;
mod compile;
pub mod container;
mod database;
mod executables;
mod frozen;
mod imports;
mod interrupts;
mod jobs;
mod kept;
pub mod limits;
mod link;
mod link_line;
mod linker;
mod object;
mod options;
mod partially_linked;
mod probe;
pub mod readers;
mod recipe;
mod response;
mod scratch;
mod symbols;
mod tools;
mod weak;
pub mod worker;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::container::ContainerError;
use arguments::{Checks, Invocation, Mode};
pub use interrupts::ending_signals;
use jobs::{Job, say};
use labrys_llvm::LlvmError;
use tools::Tools;
pub use tools::{cache, own_version};

pub use database::Database;
pub use frozen::Frozen;
use labrys_lower::marked::MarkError;
use scratch::Scratch;

/// The language whose libraries are linked and which sources without a telling name are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// The language of a compiler by the name that it was called by: `labrys-c++` and
    /// `labrys-cxx` are compilers for C++.
    #[must_use]
    pub fn of_program(name: &Path) -> Self {
        let stem = name.file_name().unwrap_or_default().to_string_lossy();
        match stem.ends_with("++") || stem.ends_with("xx") {
            true => Language::Cxx,
            false => Language::C,
        }
    }

    /// The name of the compiler, for messages.
    #[must_use]
    pub fn compiler(self) -> &'static str {
        match self {
            Language::C => "labrys-cc",
            Language::Cxx => "labrys-c++",
        }
    }
}

/// Why a build failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be obeyed.
    #[error("{0}")]
    Usage(String),
    /// A tool failed and said why; its exit code is ours.
    #[error("the build failed, see the messages above")]
    Reported {
        /// The exit code.
        code: i32,
    },
    /// The linker failed and said why.
    #[error("the link failed, see the messages above")]
    Unlinked {
        /// The exit code.
        code: i32,
        /// Symbols that nobody defines.
        undefined: Vec<String>,
    },
    /// A tool found no space for temporary files in this folder.
    #[error("{}: no space left; free some space there, or name another folder by TMPDIR", .0.display())]
    Full(PathBuf),
    /// A tool is not installed.
    #[error(
        "{tool} is not installed; install the Debian package {package}, or run scripts/deps \
         (another clang 19 may be named by LABRYS_CLANG)"
    )]
    MissingTool {
        /// The program.
        tool: &'static str,
        /// The package that has it.
        package: &'static str,
    },
    /// The runtime library is not installed.
    #[error(
        "{name} is not in {}; build it by `cargo build --release --workspace`, or name its folder \
         by LABRYS_RUNTIME_DIR", folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    MissingRuntime {
        /// The library's file name.
        name: &'static str,
        /// Where it was looked for.
        folders: Vec<PathBuf>,
    },
    /// The system allows too little.
    #[error("{0}")]
    TooLow(&'static str),
    /// A file cannot be read, written or started.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// LLVM refused a module. Bitcode that lld accepted should not fail here.
    #[error("internal error while {step}: {source}")]
    Llvm {
        /// What was being done.
        step: &'static str,
        /// LLVM's message.
        source: LlvmError,
    },
    /// A function is marked as pure that cannot be.
    #[error(transparent)]
    Marked(MarkError),
    /// The instrumented program links and the plain one does not.
    #[error("internal error: the plain build does not link:\n{messages}")]
    PlainLink {
        /// The linker's messages.
        messages: String,
    },
    /// The program cannot be linked with AddressSanitizer.
    #[error("the checked build does not link: {messages}")]
    Unchecked {
        /// The linker's messages, or what is missing.
        messages: String,
    },
    /// An executable does not tell how it was linked, or a folder of units does not.
    #[error("{}: built by another version of labrys-cc, so it cannot be linked again; build it again", .0.display())]
    NoLink(PathBuf),
    /// The result cannot be written.
    #[error(transparent)]
    Container(#[from] ContainerError),
}

/// `EMFILE`.
const TOO_MANY_FILES: i32 = 24;

/// What to do where the system refuses something, as the rest of a sentence.
#[must_use]
pub fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WouldBlock};
    match (error.kind(), error.raw_os_error()) {
        (StorageFull | QuotaExceeded, _) => "; free some space there",
        (FileTooLarge, _) => "; raise the limit (ulimit -f)",
        (WouldBlock, _) => "; raise the limit of processes (ulimit -u)",
        (_, Some(TOO_MANY_FILES)) => "; raise the limit of open files (ulimit -n 1024)",
        _ => "",
    }
}

impl Error {
    /// Whether nothing is wrong but that there is no space left.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            Error::Full(_) => true,
            Error::Io { source, .. } | Error::Container(ContainerError::Io { source, .. }) => {
                matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge)
            }
            Error::Llvm { source, .. } => source.to_string().contains(jobs::NO_SPACE),
            _ => false,
        }
    }

    /// The exit code of a compiler that stops with this error.
    #[must_use]
    pub fn exit_code(&self) -> i32 {
        match self {
            Error::Reported { code } | Error::Unlinked { code, .. } => *code,
            _ => 1,
        }
    }
}

/// Runs a drop-in compiler on a command line (without the program's name) and returns its exit
/// code. Messages go to standard error.
#[must_use]
pub fn main(arguments: Vec<OsString>, language: Language) -> i32 {
    let name = language.compiler();
    match build(arguments, language) {
        Ok(()) => 0,
        Err(error) => {
            if !matches!(error, Error::Reported { .. } | Error::Unlinked { .. }) {
                say(format_args!("{name}: error: {error}\n"));
            }
            error.exit_code()
        }
    }
}

/// Does what a command line of a drop-in compiler asks for.
///
/// # Errors
/// See [`Error`]; messages of tools went to standard error.
pub fn build(arguments: Vec<OsString>, language: Language) -> Result<(), Error> {
    if let Some(limit) = limits::too_low() {
        return Err(Error::TooLow(limit));
    }
    let scratch = Scratch::default();
    let watch = interrupts::watch(&scratch);
    let progress = Progress {
        doing: |_| {},
        optimizing: Optimizing::First,
    };
    let built = run(arguments, language, &scratch, progress);
    watch.leave();
    scratch.clear();
    built
}

/// Told how far a build is.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// What it is doing.
    doing: fn(&str),
    /// When the executable is optimized.
    optimizing: Optimizing,
}

/// When an executable is optimized.
#[derive(Clone, Copy, Debug)]
enum Optimizing {
    /// Before it is there.
    First,
    /// When it is there and works, which this is told, if it wants that.
    Then(fn() -> bool),
    /// By a later build.
    Later,
}

/// How an instrumented executable is built from sources, with further options of the compiler: the
/// messages of the compiler go to standard error.
#[must_use]
pub fn sources(sources: &[&Path], flags: &[OsString], out: &Path) -> worker::Order {
    let (mut arguments, language) = command(sources, flags, out);
    arguments.push("--labrys-whole".into());
    worker::Order::Sources {
        language,
        arguments,
        out: out.to_path_buf(),
    }
}

/// Whether the compiler takes sources with these options. It says nothing.
#[must_use]
pub fn compiles(sources: &[&Path], flags: &[OsString]) -> bool {
    let (mut arguments, language) = command(sources, flags, Path::new("/dev/null"));
    arguments.extend(["-fsyntax-only", "-w"].map(OsString::from));
    let scratch = Scratch::default();
    let nothing = Progress {
        doing: |_| {},
        optimizing: Optimizing::First,
    };
    let words = parsed(arguments, language, &scratch, nothing).and_then(|(session, invocation)| {
        let words = compile::text_arguments(invocation)?;
        Ok((session.tools.clang.clone(), session.with_language(words)))
    });
    let Ok((clang, words)) = words else {
        return false;
    };
    let mut clang = Command::new(clang);
    clang.args(words).stdin(Stdio::null());
    let status = clang.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// How sources are frozen without being built, with further options of the compiler: into a folder
/// for [`Frozen::open`]. Functions and variables may be missing.
#[must_use]
pub fn library(sources: &[&Path], flags: &[OsString], folder: &Path) -> worker::Order {
    let (arguments, language) = command(sources, flags, &folder.join("library"));
    worker::Order::Library {
        language,
        arguments,
        folder: folder.to_path_buf(),
    }
}

/// The command line that builds sources, and their language.
fn command(sources: &[&Path], flags: &[OsString], out: &Path) -> (Vec<OsString>, Language) {
    let cxx = |path: &&Path| {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        matches!(
            &*extension,
            "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C"
        )
    };
    let language = if sources.iter().any(cxx) {
        Language::Cxx
    } else {
        Language::C
    };
    let mut arguments: Vec<OsString> = flags.to_vec();
    arguments.extend(sources.iter().map(|path| path.as_os_str().to_owned()));
    arguments.extend(["-o".into(), out.into()]);
    (arguments, language)
}

fn run(
    arguments: Vec<OsString>,
    language: Language,
    scratch: &Scratch,
    progress: Progress,
) -> Result<(), Error> {
    let (session, invocation) = parsed(arguments, language, scratch, progress)?;
    match invocation.mode {
        Mode::Ask => session.hand_over(invocation.original),
        Mode::Text => session.hand_over(compile::text_arguments(invocation)?),
        Mode::Object => compile::objects(&session, invocation),
        Mode::Link => link::link(&session, &invocation),
    }
}

/// What a command line asks for.
fn parsed(
    arguments: Vec<OsString>,
    language: Language,
    scratch: &Scratch,
    progress: Progress,
) -> Result<(Session, Invocation), Error> {
    let tools = Tools::find()?;
    let arguments = response::expand(arguments);
    if let Some(word) = arguments
        .iter()
        .find(|word| word.as_bytes().contains(&b'\n'))
    {
        return Err(Error::Usage(format!(
            "the argument {word:?} has a line end, which clang's list of its commands cannot hold; \
             rename the file"
        )));
    }
    let invocation = arguments::parse(arguments);
    let mut invocation = invocation.map_err(|refusal| Error::Usage(refusal.0))?;
    match std::env::var_os("LABRYS_ORACLES") {
        Some(value) if value == "0" => invocation.checks = Checks::NONE,
        Some(value) if value != "1" && !value.is_empty() => {
            return Err(Error::Usage(format!(
                "LABRYS_ORACLES is {}; 0 leaves checks out, 1 has them",
                value.to_string_lossy()
            )));
        }
        _ => {}
    }
    invocation.whole |= is_set("LABRYS_WHOLE");
    invocation
        .pure
        .extend(std::env::var_os("LABRYS_PURE").map(PathBuf::from));
    let pure = names(&invocation.pure)?;
    let session = Session {
        tools,
        language,
        pure,
        scratch: scratch.clone(),
        progress,
    };
    for note in &invocation.notes {
        session.note(note);
    }
    Ok((session, invocation))
}

/// What stays the same during one call of the compiler.
#[derive(Clone, Debug)]
struct Session {
    tools: Tools,
    language: Language,
    /// Names of functions that are pure.
    pure: Vec<String>,
    scratch: Scratch,
    progress: Progress,
}

/// The names in some files: one a line, up to `#`.
fn names(files: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Io {
            path: path.clone(),
            source,
        })?;
        let lines = text.lines().map(|line| {
            let name = line.split_once('#').map_or(line, |(name, _)| name);
            name.trim().to_owned()
        });
        names.extend(lines.filter(|name| !name.is_empty()));
    }
    Ok(names)
}

impl Session {
    /// Words that make clang the compiler of our language. It colors what it says where we would:
    /// by itself it asks its own standard error, which is not ours.
    fn with_language(&self, mut arguments: Vec<OsString>) -> Vec<OsString> {
        if io::stderr().is_terminal() {
            arguments.insert(0, "-fcolor-diagnostics".into());
        }
        if self.language == Language::Cxx {
            arguments.insert(0, "--driver-mode=g++".into());
        }
        arguments
    }

    /// Leaves the work to clang.
    fn hand_over(&self, arguments: Vec<OsString>) -> Result<(), Error> {
        let arguments = self.with_language(arguments);
        let job = Job {
            program: self.tools.clang.clone(),
            arguments,
        };
        job.run(&self.scratch.path()?)
    }

    /// Tells what is being done, for people who wait.
    fn doing(&self, text: &str) {
        (self.progress.doing)(text);
    }

    /// The same, wanting an executable that is not optimized.
    fn without_optimizing(&self) -> Self {
        let mut session = self.clone();
        session.progress.optimizing = Optimizing::Later;
        session
    }

    /// Whether an executable is wanted before it is optimized.
    fn is_early(&self) -> bool {
        !matches!(self.progress.optimizing, Optimizing::First)
    }

    /// Whether this build may go on to optimize an executable that is there.
    fn may_optimize(&self) -> bool {
        matches!(self.progress.optimizing, Optimizing::Then(_))
    }

    /// Tells that there is an executable, before it is optimized; whether to go on.
    fn usable(&self) -> bool {
        match self.progress.optimizing {
            Optimizing::Then(is_wanted) => is_wanted(),
            Optimizing::First | Optimizing::Later => false,
        }
    }

    /// Tells the user something that is no error.
    fn note(&self, text: &str) {
        if !is_set("LABRYS_QUIET") {
            say(format_args!("{}: note: {text}\n", self.language.compiler()));
        }
    }
}

/// Whether an environment variable is set to something but `0`.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether an input of the link brings bitcode or source.
fn brings_bitcode(invocation: &Invocation) -> bool {
    invocation.inputs.iter().any(|input| match input.kind {
        arguments::InputKind::Source => true,
        arguments::InputKind::Linker => match object::Nature::of_file(&input.path) {
            object::Nature::Archive => archive::has_bitcode(&input.path),
            nature => nature.has_bitcode(),
        },
        arguments::InputKind::Header | arguments::InputKind::Assembler => false,
    })
}

//! Builds in a process of their own, which can be ended at any moment: LLVM's passes and lld cannot
//! be asked to stop.
//!
//! The process is the caller's own executable, started again; it leads a group with all that it
//! starts, and works in a folder of its caller. On its standard output it tells how far it is, in
//! lines of JSON.
//!
//! Law: when a [`Worker`] is dropped, nothing of the build is running.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader, Write, stdin, stdout};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, sleep};
use std::time::Duration;

use labrys_units::Request;
use rustix::process::{Pid, Signal, kill_process_group, nice, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};

use crate::jobs::say;
use crate::scratch::Scratch;
use crate::{Error, Frozen, Language, Optimizing, Progress, interrupts, parsed, run};

/// How often a killed group is looked at, and for how long.
const LOOK: (Duration, u32) = (Duration::from_millis(2), 500);

/// What is to be built.
#[derive(Clone, Debug)]
pub enum Order {
    /// An executable from a command line of the drop-in compiler.
    Sources {
        /// The language.
        language: Language,
        /// The command line.
        arguments: Vec<OsString>,
        /// What it has written.
        out: PathBuf,
    },
    /// A library, frozen, from a command line of the drop-in compiler: see [`crate::library`].
    Library {
        /// The language.
        language: Language,
        /// The command line.
        arguments: Vec<OsString>,
        /// Where it goes.
        folder: PathBuf,
    },
    /// The whole executable of a deferred one.
    Whole {
        /// The deferred executable.
        deferred: PathBuf,
        /// What is written.
        out: PathBuf,
    },
    /// The executable that looks for reads of uninitialized memory.
    Uninitialized {
        /// The folder of the frozen program.
        frozen: PathBuf,
        /// What is written.
        out: PathBuf,
    },
    /// The instrumented executable with joined paths.
    Joined {
        /// The folder of the frozen program.
        frozen: PathBuf,
        /// What is written.
        out: PathBuf,
    },
    /// An executable with drivers.
    Unit {
        /// The folder of the frozen program.
        frozen: PathBuf,
        /// The drivers.
        request: Request,
        /// What is written.
        out: PathBuf,
    },
}

impl Order {
    /// What is written: a file, or a folder.
    #[must_use]
    pub fn out(&self) -> &Path {
        match self {
            Order::Sources { out, .. }
            | Order::Whole { out, .. }
            | Order::Uninitialized { out, .. }
            | Order::Joined { out, .. }
            | Order::Unit { out, .. } => out,
            Order::Library { folder, .. } => folder,
        }
    }

    /// What a worker is called with, and what is written to it.
    fn words<'a>(&'a self) -> (Vec<&'a OsStr>, Option<&'a Request>) {
        let call = |language: &Language, arguments: &'a [OsString]| {
            let compiler: &'a OsStr = language.compiler().as_ref();
            [compiler]
                .into_iter()
                .chain(arguments.iter().map(OsString::as_os_str))
        };
        match self {
            Order::Sources {
                language,
                arguments,
                ..
            } => (call(language, arguments).collect(), None),
            Order::Library {
                language,
                arguments,
                folder,
            } => {
                let first = [LIBRARY.as_ref(), folder.as_os_str()];
                let words = first.into_iter().chain(call(language, arguments));
                (words.collect(), None)
            }
            Order::Whole { deferred, out } => {
                (vec![WHOLE.as_ref(), deferred.as_ref(), out.as_ref()], None)
            }
            Order::Uninitialized { frozen, out } => {
                let first = UNINITIALIZED.as_ref();
                (vec![first, frozen.as_ref(), out.as_ref()], None)
            }
            Order::Joined { frozen, out } => {
                let first = JOINED.as_ref();
                (vec![first, frozen.as_ref(), out.as_ref()], None)
            }
            Order::Unit {
                frozen,
                request,
                out,
            } => {
                let words = vec![UNIT.as_ref(), frozen.as_ref(), out.as_ref()];
                (words, Some(request))
            }
        }
    }
}

/// What a build does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The executable as it is to be.
    Whole,
    /// One that works, which is told; when it is asked for, the one as it is to be, at a low
    /// priority.
    Early,
    /// The executable as it is to be, when it is asked for, at a low priority: there is one that
    /// works.
    Aside,
}

impl Pace {
    /// The word in front of those of an order.
    fn word(self) -> Option<&'static str> {
        match self {
            Pace::Whole => None,
            Pace::Early => Some(EARLY),
            Pace::Aside => Some(ASIDE),
        }
    }
}

/// What a worker tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// What it is doing.
    Doing(String),
    /// The executable is there, not optimized; the build waits for [`Worker::go_on`], and replaces
    /// it at its end.
    Usable,
    /// The executable is there.
    Done,
    /// There is none, and why.
    Failed(String),
    /// There is none for want of space, and where.
    Full(String),
    /// There is none, and a tool said why.
    Reported,
    /// There is none, and the linker said why; the symbols that nobody defines.
    Unlinked(Vec<String>),
}

/// A build under way. Dropping it ends the build.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    /// Held while the build may be asked to go on.
    input: Option<ChildStdin>,
    news: Receiver<News>,
}

impl Worker {
    /// Starts a build: `command` must call [`serve`] with the words that are added to it. Files are
    /// laid down in `folder`.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(
        mut command: Command,
        order: &Order,
        pace: Pace,
        folder: &Path,
    ) -> io::Result<Self> {
        let (words, request) = order.words();
        command.args(pace.word()).args(words);
        command
            .env("TMPDIR", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn()?;
        let mut input = child.stdin.take();
        if let (Some(input), Some(request)) = (&mut input, request) {
            // A worker that does not read has ended; it is waited for below.
            let text = serde_json::to_vec(request).unwrap_or_default();
            let _ = input.write_all(&text);
        }
        let input = input.filter(|_| pace != Pace::Whole);
        let (sender, news) = channel();
        if let Some(output) = child.stdout.take() {
            let reader = thread::Builder::new().spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    match serde_json::from_str(&line) {
                        // Nobody who listens any more is no reason to stop reading.
                        Ok(one) => drop(sender.send(one)),
                        Err(_) => say(format_args!("{line}\n")),
                    }
                }
            });
            if let Err(error) = reader {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        }
        Ok(Worker { child, input, news })
    }

    /// Has a build go on that waits for it: see [`Pace`].
    pub fn go_on(&mut self) {
        if let Some(mut input) = self.input.take() {
            // A worker that does not read has ended, which its news tell.
            let _ = input.write_all(b"\n");
        }
    }

    /// The next news, if there are any in this time. A worker that ended without a last word has
    /// failed.
    pub fn next(&mut self, patience: Duration) -> Option<News> {
        match self.news.recv_timeout(patience) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let ended = match self.child.wait() {
                    Ok(status) => status.to_string(),
                    Err(error) => error.to_string(),
                };
                Some(News::Failed(format!(
                    "the build ended before its time ({ended}); if it was not killed, and memory \
                     did not run out, this is a bug in Labrys"
                )))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let child = self.child.id();
        let group = i32::try_from(child).ok().and_then(Pid::from_raw);
        let Some(group) = group else {
            return;
        };
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
        for _ in 0..LOOK.1 {
            if !is_alive(child) {
                return;
            }
            sleep(LOOK.0);
        }
    }
}

/// Whether a process group has members that are not dead. Dead ones may stay for long: it is up to
/// the first process of the system to bury them.
fn is_alive(group: u32) -> bool {
    let group = group.to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats =
        processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    let of_group = |stat: &String| {
        // The name in parentheses may itself hold parentheses and spaces.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let (state, member_of) = (fields.next()?, fields.nth(1)?);
        Some(member_of == group && state != "Z" && state != "X")
    };
    stats.filter_map(|stat| of_group(&stat)).any(|alive| alive)
}

/// Words in front of the others.
const EARLY: &str = "early";
const ASIDE: &str = "aside";

/// How much lower the priority of what goes on beside a search is.
const LOWER: i32 = 10;

/// First word for a unit, in place of a compiler's name.
const UNIT: &str = "unit";

/// First word for a whole executable.
const WHOLE: &str = "whole";

/// First word for an executable that looks for reads of uninitialized memory.
const UNINITIALIZED: &str = "uninitialized";

/// First word for an instrumented executable with joined paths.
const JOINED: &str = "joined";

/// First word for a library.
const LIBRARY: &str = "library";

/// Does in this process what a [`Worker`] was started for; the exit status.
#[must_use]
pub fn serve(words: Vec<OsString>) -> i32 {
    let scratch = Scratch::default();
    // Whatever ends the caller ends the build.
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    let watch = interrupts::watch(&scratch);
    let first = |pace: Pace| pace.word() == words.first().and_then(|word| word.to_str());
    let (early, aside) = (first(Pace::Early), first(Pace::Aside));
    if aside && !is_asked_for() {
        return 0;
    }
    let progress = Progress {
        doing: |text| tell(&News::Doing(text.to_owned())),
        optimizing: match early {
            true => Optimizing::Then(usable),
            false => Optimizing::First,
        },
    };
    let words = words
        .into_iter()
        .skip(usize::from(early || aside))
        .collect();
    let built = obey(words, &scratch, progress);
    watch.leave();
    scratch.clear();
    tell(&match built {
        Ok(()) => News::Done,
        Err(Error::Reported { .. }) => News::Reported,
        Err(Error::Unlinked { undefined, .. }) => News::Unlinked(undefined),
        Err(error) if error.is_full() => News::Full(error.to_string()),
        Err(error) => News::Failed(error.to_string()),
    });
    0
}

fn obey(words: Vec<OsString>, scratch: &Scratch, progress: Progress) -> Result<(), Error> {
    let mut words = words.into_iter();
    let first = words.next().unwrap_or_default();
    let unknown = || Error::Usage("this command is for Labrys itself".to_owned());
    if [UNIT, UNINITIALIZED, JOINED, WHOLE]
        .iter()
        .any(|word| first == *word)
    {
        let (Some(of), Some(out)) = (words.next(), words.next()) else {
            return Err(unknown());
        };
        let (of, out) = (Path::new(&of), Path::new(&out));
        if first == WHOLE {
            (progress.doing)("freezing the bitcode");
            let frozen = Frozen::of_executable(of, &scratch.path()?.join("frozen"))?;
            return frozen.build_whole(out, scratch, progress);
        }
        let frozen = Frozen::open(of);
        if first == UNINITIALIZED {
            return frozen.build_uninitialized(out, scratch, progress);
        }
        if first == JOINED {
            return frozen.build_joined(out, scratch, progress);
        }
        let request = serde_json::from_reader(stdin().lock()).map_err(|_| unknown())?;
        return frozen.build(&request, out, scratch, progress);
    }
    let folder = (first == LIBRARY).then(|| words.next().unwrap_or_default());
    let first = match folder {
        Some(_) => words.next().unwrap_or_default(),
        None => first,
    };
    let mut languages = [Language::C, Language::Cxx].into_iter();
    let language = languages.find(|language| first == language.compiler());
    let (arguments, language) = (words.collect(), language.ok_or_else(unknown)?);
    match folder {
        Some(folder) => {
            let (session, invocation) = parsed(arguments, language, scratch, progress)?;
            Frozen::make(Path::new(&folder), &session, &invocation)
        }
        None => run(arguments, language, scratch, progress),
    }
}

/// There is an executable; whether an optimized one is asked for.
fn usable() -> bool {
    tell(&News::Usable);
    is_asked_for()
}

/// Waits for the caller to ask for the optimized executable, and then leaves the processor to
/// others: where the system refuses, the build takes its part of it. False if nobody will ask.
fn is_asked_for() -> bool {
    let asked = stdin().lock().read_line(&mut String::new());
    let _ = nice(LOWER);
    asked.is_ok_and(|bytes| bytes > 0)
}

/// Says something to the caller; one that ended does not listen.
fn tell(news: &News) {
    let mut out = stdout().lock();
    let _ = serde_json::to_writer(&mut out, news);
    let _ = out.write_all(b"\n").and_then(|()| out.flush());
}

//! `cargo xtask fuzz`: libFuzzer on the readers of all formats (see the crate `readers`).
//!
//! Coverage comes from a pass of LLVM that the stable compiler has too. What was found is kept in
//! `target/fuzz/corpus/READER` and is where the next call goes on.

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const USAGE: &str = "usage: cargo xtask fuzz [READER...] [--seconds N] [--jobs N]: each reader for \
     N seconds (60), so many at a time (1)\n       cargo xtask fuzz list: the readers";

/// Seconds after which an input hangs.
const HANG: u32 = 5;
/// Most MB of memory; the harness limits itself to as much.
const MEMORY: u32 = 2048;
/// The machine that is built for: named, so that build scripts are not instrumented.
const MACHINE: &str = "x86_64-unknown-linux-gnu";
/// The pass that marks edges and operands of comparisons.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Fuzzes; an error if a reader fails.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let options = Options::of(arguments)?;
    let harness = Harness::build(root)?;
    let readers = harness.chosen(&options.readers)?;
    if options.lists {
        println!("{}", readers.join("\n"));
        return Ok(());
    }
    println!(
        "{:<22} {:>12} {:>8} {:>8}  failures",
        "reader", "executions", "corpus", "edges"
    );
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(reader) = readers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let line = harness.fuzz(reader, options.seconds);
            let failure = match &line {
                Ok(line) => line.failure.as_ref().map(|_| (*reader).clone()),
                Err(problem) => Some(problem.clone()),
            };
            if let Ok(line) = line {
                println!("{line}");
            }
            if let (Some(failure), Ok(mut failed)) = (failure, failed.lock()) {
                failed.push(failure);
            }
        }
    };
    thread::scope(|scope| (0..options.jobs).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().unwrap_or_default();
    match failed.as_slice() {
        [] => Ok(()),
        _ => Err(format!("failed: {}", failed.join(", "))),
    }
}

/// The command line.
struct Options {
    readers: Vec<String>,
    lists: bool,
    seconds: u32,
    jobs: usize,
}

impl Options {
    fn of(arguments: &[&str]) -> Result<Self, String> {
        let mut options = Options {
            readers: Vec::new(),
            lists: arguments == ["list"],
            seconds: 60,
            jobs: 1,
        };
        let mut words = arguments.iter().filter(|_| !options.lists);
        while let Some(word) = words.next() {
            let mut number = || words.next()?.parse().ok().filter(|number| *number > 0);
            match *word {
                "--seconds" => options.seconds = number().ok_or(USAGE)?,
                "--jobs" => options.jobs = number().ok_or(USAGE)? as usize,
                option if option.starts_with('-') => return Err(USAGE.to_owned()),
                reader => options.readers.push(reader.to_owned()),
            }
        }
        Ok(options)
    }
}

/// The harness, built.
struct Harness {
    program: PathBuf,
    /// Where corpora and failures are kept.
    folder: PathBuf,
    temporary: Temporary,
}

/// A folder in memory, where there is such, for readers of files; removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(otherwise: &Path) -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory } else { otherwise };
        let path = folder.join(format!("labrys-fuzz-{}", std::process::id()));
        let made = fs::create_dir_all(&path);
        made.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Temporary(path))
    }
}

impl AsRef<OsStr> for Temporary {
    fn as_ref(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Harness {
    fn build(root: &Path) -> Result<Self, String> {
        let target = std::env::var_os("CARGO_TARGET_DIR");
        let target = target.map_or_else(|| root.join("target"), |target| root.join(target));
        let folder = target.join("fuzz");
        let mut command = Command::new("cargo");
        command
            .args(["build", "--profile", "fuzz", "--target", MACHINE])
            .args(["--package", "labrys-readers", "--features", "libfuzzer"])
            .args(["--bin", "fuzz-readers"])
            .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"))
            .env("CARGO_TARGET_DIR", &folder)
            .current_dir(root);
        crate::run(&mut command)?;
        let program = folder.join(MACHINE).join("fuzz/fuzz-readers");
        Ok(Harness {
            program,
            temporary: Temporary::new(&folder)?,
            folder,
        })
    }

    /// The readers of these names, or all.
    fn chosen(&self, names: &[String]) -> Result<Vec<String>, String> {
        let output = Command::new(&self.program)
            .env("LABRYS_READER", "list")
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let all: Vec<String> = text.lines().map(str::to_owned).collect();
        match names.iter().find(|name| !all.contains(name)) {
            Some(name) => Err(format!(
                "no reader is named {name}; there are: {}",
                all.join(" ")
            )),
            None if names.is_empty() => Ok(all),
            None => Ok(names.to_vec()),
        }
    }

    /// Fuzzes one reader.
    fn fuzz(&self, reader: &str, seconds: u32) -> Result<Line, String> {
        let folder = |kind: &str| {
            let folder = self.folder.join(kind).join(reader);
            let made = fs::create_dir_all(&folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
            Ok::<_, String>(folder)
        };
        let (corpus, examples) = (folder("corpus")?, folder("examples")?);
        let failures = folder("failures")?;
        let words = examples.with_extension("dict");
        let output = Command::new(&self.program)
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-timeout={HANG}"))
            .arg(format!("-rss_limit_mb={MEMORY}"))
            .arg(format!("-artifact_prefix={}/", failures.display()))
            .arg(format!("-dict={}", words.display()))
            .arg("-print_final_stats=1")
            .args([&corpus, &examples])
            .env("LABRYS_READER", reader)
            .env("LABRYS_EXAMPLES", &examples)
            .env("LABRYS_WORDS", &words)
            .env("TMPDIR", self.temporary.as_ref())
            .stdout(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let failure = (!output.status.success()).then(|| Failure {
            reader: reader.to_owned(),
            program: self.program.clone(),
            input: log
                .lines()
                .find_map(|line| line.split_once("Test unit written to "))
                .map(|(_, path)| path.to_owned()),
            cause: cause(&log).unwrap_or_else(|| output.status.to_string()),
        });
        Ok(Line::of(reader, &log, failure))
    }
}

/// The line of a log that says why the harness ended early.
fn cause(log: &str) -> Option<String> {
    let panic = log.lines().skip_while(|line| !line.contains("panicked at"));
    let panic: Vec<&str> = panic.take(2).collect();
    if !panic.is_empty() {
        return Some(panic.join(" "));
    }
    let line = log
        .lines()
        .find(|line| line.contains("memory allocation of") || line.contains("ERROR: libFuzzer"));
    line.map(str::to_owned)
}

/// What became of a reader.
struct Line {
    reader: String,
    executions: String,
    corpus: String,
    edges: String,
    failure: Option<Failure>,
}

/// An input that a reader does not bear.
struct Failure {
    reader: String,
    program: PathBuf,
    input: Option<String>,
    cause: String,
}

impl Line {
    /// Out of libFuzzer's log: lines such as `#123 REDUCE cov: 45 ft: 67 corp: 8/90b`.
    fn of(reader: &str, log: &str, failure: Option<Failure>) -> Self {
        let last = log
            .lines()
            .rfind(|line| line.starts_with('#') && line.contains(" cov: "));
        let words: Vec<&str> = last.unwrap_or_default().split_whitespace().collect();
        let behind = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.split('/').next()
        };
        let executions = log
            .lines()
            .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        let executions = executions.or_else(|| words.first()?.strip_prefix('#'));
        let text = |word: Option<&str>| word.unwrap_or("-").trim().to_owned();
        Line {
            reader: reader.to_owned(),
            executions: text(executions),
            corpus: text(behind("corp:")),
            edges: text(behind("cov:")),
            failure,
        }
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line {
            reader,
            executions,
            corpus,
            edges,
            failure,
        } = self;
        write!(f, "{reader:<22} {executions:>12} {corpus:>8} {edges:>8}  ")?;
        match failure {
            None => f.write_str("none"),
            Some(failure) => write!(f, "{failure}"),
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Failure {
            reader,
            program,
            input,
            cause,
        } = self;
        write!(f, "{cause}")?;
        match input {
            Some(input) => write!(
                f,
                "\n  LABRYS_READER={reader} {} {input}",
                program.display()
            ),
            None => write!(f, "\n  the input was not kept"),
        }
    }
}

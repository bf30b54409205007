//! What a plain build by clang reaches is never called unreachable: cases of what no model shows, as
//! data. Each file of `plain` is built by clang at two levels and run; `labrys reach` is asked of
//! all its targets.
//!
//! Lines at the beginning of a file: `// options:` of both compilers, `// inputs:` (bytes in
//! hexadecimal) of the runs, `// proved:` targets of which there must be a proof, `// assumes:` how
//! an assumption begins that a proof may rest on, against what builds make of it that do not keep it,
//! `// each: alone` where each target is asked for in a call of its own: a run that is made for one
//! comes to others, of which no proof is tried then.
//!
//! `// checked: too` where the model checker of `labrys cover --abstraction` is asked first, of all
//! branches, and then the program runs on the inputs, which contradict a wrong proof.
//!
//! Behind the program may stand files that are linked with it, each behind a line `//// KIND NAME`: a
//! `native` object, a `shared` library (both of C), a `script` for the linker. Files of C++ end in
//! `.cc`.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use serde_json::Value;

/// What all files may use.
const SURROUNDINGS: [&str; 8] = [
    "-w",
    "-D_GNU_SOURCE",
    "-include",
    "stdlib.h",
    "-include",
    "string.h",
    "-include",
    "unistd.h",
];

struct Case {
    path: PathBuf,
    text: String,
    folder: tempfile::TempDir,
    /// The program, and what it is linked with.
    source: PathBuf,
    linked: Vec<PathBuf>,
}

impl Case {
    fn new(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("readable");
        let folder = tempfile::tempdir().expect("a folder");
        let mut parts = text.split("\n//// ");
        let program = parts.next().unwrap_or_default().to_owned();
        let source = folder.path().join(path.file_name().unwrap_or_default());
        std::fs::write(&source, &program).expect("written");
        Case {
            linked: parts.map(|part| laid_down(part, folder.path())).collect(),
            text: program,
            folder,
            source,
            path,
        }
    }

    fn is_cxx(&self) -> bool {
        self.path.extension().is_some_and(|name| name == "cc")
    }

    /// The words of a line at the beginning.
    fn words(&self, key: &str) -> Vec<&str> {
        let start = format!("// {key}:");
        let mut lines = self.text.lines();
        let line = lines.find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_default().split_whitespace().collect()
    }

    /// The names of all its targets.
    fn targets(&self) -> BTreeSet<String> {
        let parts = self.text.split("labrys_target(\"").skip(1);
        let names = parts.filter_map(|rest| rest.split('"').next());
        names.map(str::to_owned).collect()
    }

    /// The targets that a build by clang reaches.
    fn reached(&self) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        for level in ["-O0", "-O2"] {
            let executable = self.folder.path().join("plain");
            let mut clang = Command::new(if self.is_cxx() {
                "clang++-19"
            } else {
                "clang-19"
            });
            clang.args(SURROUNDINGS).arg("-I").arg(folder());
            clang.arg(level).args(self.words("options"));
            clang.arg(&self.source).args(&self.linked);
            clang.args(["-lm", "-pthread", "-o"]);
            let built = clang.arg(&executable).status().expect("clang runs");
            assert!(built.success(), "{} is not built", self.path.display());
            let mut inputs = self.words("inputs");
            inputs.push("");
            for input in inputs {
                let mut run = Command::new("timeout");
                run.arg("10").arg(&executable).env("IN", input);
                let output = run.stdin(Stdio::null()).output().expect("it runs");
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                let names = told.lines().filter_map(|line| line.strip_prefix("target "));
                reached.extend(names.map(str::to_owned));
            }
        }
        reached
    }

    fn build(&self) -> PathBuf {
        let executable = self.folder.path().join("program");
        let mut compiler = Command::new(match self.is_cxx() {
            true => env!("CARGO_BIN_EXE_labrys-cxx"),
            false => env!("CARGO_BIN_EXE_labrys-cc"),
        });
        compiler.env("LABRYS_WHOLE", "1");
        compiler.args(SURROUNDINGS).arg("-g");
        compiler.args(self.words("options")).arg(&self.source);
        compiler.args(&self.linked);
        compiler.args(["-lm", "-pthread", "-o"]).arg(&executable);
        let built = compiler.status().expect("labrys-cc runs");
        assert!(built.success(), "{} is not built", self.path.display());
        executable
    }

    /// What `labrys reach` says of each target that the compiler left in.
    fn reports(&self) -> Vec<Value> {
        let executable = self.build();
        if self.words("each") != ["alone"] {
            return self.asked(&executable, self.targets());
        }
        let targets = self.targets().into_iter();
        let each = targets.flat_map(|target| self.asked(&executable, BTreeSet::from([target])));
        each.collect()
    }

    /// The same of some targets, in one call.
    fn asked(&self, executable: &Path, mut targets: BTreeSet<String>) -> Vec<Value> {
        while !targets.is_empty() {
            let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
            command.arg("reach").arg(executable);
            command.args(["--no-forward", "--json", "--quiet"]);
            command.args(["--time", "1h", "--steps", "400"]);
            for target in &targets {
                command.args(["--target", target]);
            }
            let suite = tempfile::tempdir_in(self.folder.path()).expect("a folder");
            command.arg("--out").arg(suite.path());
            let output = command.output().expect("labrys runs");
            let told = String::from_utf8_lossy(&output.stderr);
            let missing = told.split("error: --target ").nth(1);
            if let Some(name) = missing.and_then(|rest| rest.split(':').next()) {
                assert!(targets.remove(name), "{told}");
                continue;
            }
            let said: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{}: {error}\n{told}", self.path.display()));
            return said["targets"].as_array().expect("a list").clone();
        }
        Vec::new()
    }

    /// Whether a proof names the assumption that the file says.
    fn is_assumed_away(&self, report: &Value) -> bool {
        let words = self.words("assumes").join(" ");
        let mut named = report["assumptions"].as_array().into_iter().flatten();
        let is_it = |one: &Value| one.as_str().is_some_and(|text| text.starts_with(&words));
        !words.is_empty() && named.any(is_it)
    }

    /// Branches that the model checker calls unreachable and a run on an input takes.
    fn contradictions(&self) -> Vec<Value> {
        if self.words("checked") != ["too"] {
            return Vec::new();
        }
        let executable = self.build();
        let suite = self.folder.path().join("suite");
        let inputs = self.folder.path().join("inputs");
        std::fs::create_dir(&inputs).expect("a folder");
        for (index, word) in self.words("inputs").iter().enumerate() {
            let digits = (0..word.len()).step_by(2).map(|at| &word[at..at + 2]);
            let bytes = digits.map(|digits| u8::from_str_radix(digits, 16).expect("a byte"));
            let bytes: Vec<u8> = bytes.collect();
            std::fs::write(inputs.join(index.to_string()), bytes).expect("written");
        }
        let cover = |options: &[&Path]| -> Value {
            let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
            command.arg("cover").args(options).arg("--out").arg(&suite);
            command.args(["--json", "--quiet"]);
            let output = command.output().expect("labrys runs");
            let told = String::from_utf8_lossy(&output.stderr);
            serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{}: {error}\n{told}", self.path.display()))
        };
        // The search has little part of it: what it reaches first is not proved any more.
        let words = ["--abstraction=1", "--steps", "600"].map(Path::new);
        let said = cover(&[&[&*executable], &words[..]].concat());
        let runs = said["runs"].as_u64().unwrap_or_default() + 20;
        let runs = runs.to_string();
        let words = ["--resume", "--runs", &runs, "--input"].map(Path::new);
        let said = cover(&[&words[..], &[&*inputs]].concat());
        said["contradictions"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    fn check(&self) -> Vec<String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let (reached, reports) = (self.reached(), self.reports());
        let contradicted = self.contradictions().into_iter();
        let mut wrong: Vec<String> = contradicted
            .map(|branch| format!("{name}: a run takes {branch}"))
            .collect();
        for report in reports {
            let target = report["target"].as_str().expect("a name").to_owned();
            let proved = report["verdict"] == "unreachable";
            if proved && reached.contains(&target) && !self.is_assumed_away(&report) {
                wrong.push(format!("{name}: {target} is reachable"));
            }
            if !proved && self.words("proved").contains(&&target[..]) {
                wrong.push(format!("{name}: {target} is not proved any more"));
            }
        }
        wrong
    }
}

/// Lays a part of a case down, and builds what the link takes of it.
fn laid_down(part: &str, folder: &Path) -> PathBuf {
    let (head, text) = part.split_once('\n').expect("a first line");
    let (kind, name) = head.split_once(' ').expect("a kind and a name");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("written");
    let (options, end): (&[&str], _) = match kind {
        "script" => return file,
        "native" => (&["-c"], "o"),
        "shared" => (&["-shared", "-fPIC"], "so"),
        _ => panic!("{kind} is no kind"),
    };
    let built = file.with_extension(end);
    let mut clang = Command::new("clang-19");
    clang.args(SURROUNDINGS).arg("-O1").args(options).arg(&file);
    let status = clang.arg("-o").arg(&built).status().expect("clang runs");
    assert!(status.success(), "{name} is not built");
    built
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reach/plain")
}

#[test]
fn what_a_plain_build_reaches_is_not_called_unreachable() {
    let entries = std::fs::read_dir(folder()).expect("a folder").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let is_program = |name: &std::ffi::OsStr| name == "c" || name == "cc";
    files.retain(|path| path.extension().is_some_and(is_program));
    files.sort();
    assert!(files.len() > 30);
    let wrong = check_all(&files);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong in some of the files; as many are checked at once as the machine has processors.
fn check_all(files: &[PathBuf]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let index = || next.fetch_add(1, Ordering::Relaxed);
        let files = std::iter::from_fn(|| files.get(index()).cloned());
        files.flat_map(|path| Case::new(path).check()).collect()
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let each = threads.into_iter().map(ScopedJoinHandle::join);
        let checked: Vec<Vec<String>> = each.map(|one| one.expect("a check ends")).collect();
        checked.concat()
    })
}

//! Inputs of whole programs: the model checker, without a search, finds inputs that come to what a
//! program prints last, through lines, blocks, characters and arguments that it reads.
//!
//! Law: an input that is found for the way to a text makes the program print it.

#[allow(dead_code, reason = "other tests draw programs")]
#[path = "../generator/mod.rs"]
mod generator;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use labrys_abstraction::{Checker, Found, Trials};
use labrys_analysis::{ProgramAnalysis, closed};
use labrys_program::BranchId;
use labrys_suite::{Input, InputStream, StreamKind};

/// Steps of the checker at most.
const STEPS: usize = 20_000;
/// Work of the checker at most, in steps of the solver.
const WORK: u64 = 600_000;

/// A program, its inputs, and what runs print.
struct Subject {
    name: &'static str,
    template: Input,
    line: Vec<String>,
}

impl Subject {
    fn new(name: &'static str, template: Input, given: &[&str]) -> Self {
        let line = std::iter::once("program").chain(given.iter().copied());
        Subject {
            name,
            template,
            line: line.map(str::to_owned).collect(),
        }
    }

    /// What the program prints on the inputs that the checker finds.
    fn printed(&self) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trials/programs");
        let file = folder.join(format!("{}.c", self.name));
        let text = std::fs::read_to_string(&file).expect("a program");
        let place = tempfile::tempdir().expect("a temporary folder");
        let executable = place.path().join("program");
        let mut clang = Command::new("clang-19");
        clang.arg("-w").arg(&file).arg("-o").arg(&executable);
        assert!(clang.status().expect("clang-19 starts").success());
        let found = self.inputs(&text);
        let runs = found.iter().map(|input| self.run(&executable, input));
        runs.collect()
    }

    fn inputs(&self, text: &str) -> Vec<Input> {
        let program = generator::compiled(self.name, text);
        let main = program.function_named("main").expect("main");
        let (surrounded, start) = closed(&program, main);
        let analysis = ProgramAnalysis::new(&program, main);
        let around = ProgramAnalysis::new(&surrounded, start);
        let trials = Trials::new(&around, start, self.template.clone(), &self.line);
        let sites = program.sites.iter();
        let goals = sites.flat_map(|site| {
            (0..site.kind.directions()).map(|at| BranchId(site.first_branch.0 + at))
        });
        let checker = Checker::new(&analysis, main, goals).expect("the solver's library");
        let mut checker = checker.with_trials(trials);
        let mut solver = labrys_solver::solver().expect("the solver's library");
        let mut found = Vec::new();
        for _ in 0..STEPS {
            if solver.statistics().work() + checker.work() > WORK {
                break;
            }
            match checker.step(&mut solver) {
                Found::Input(goal, Some(input)) => {
                    found.push(input.onto(&self.template));
                    checker.drop_goal(goal);
                }
                Found::Done => break,
                _ => {}
            }
        }
        found
    }

    fn run(&self, executable: &Path, input: &Input) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(executable);
        command.current_dir(&folder);
        let mut line = self.line.clone();
        let mut given = Vec::new();
        for stream in &input.streams {
            match &stream.kind {
                StreamKind::Stdin => given.clone_from(&stream.bytes),
                StreamKind::File { name } => {
                    std::fs::write(folder.path().join(name), &stream.bytes).expect("written");
                }
                StreamKind::Argument { index } => {
                    let text = String::from_utf8_lossy(stream.visible()).into_owned();
                    line[*index as usize] = text;
                }
                _ => {}
            }
        }
        command.args(&line[1..]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // A program may end before it has read all.
        let _ = pipe.write_all(&given);
        drop(pipe);
        let output = child.wait_with_output().expect("it ends");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// The texts are printed on inputs that the checker finds.
fn check(subject: &Subject, texts: &[&str]) {
    let printed = subject.printed();
    for text in texts {
        assert!(
            printed.contains(*text),
            "{}: {text} is not in {printed:?}",
            subject.name
        );
    }
}

#[test]
fn lines_are_read() {
    let subject = Subject::new("lines", Input::stdin(Vec::new()), &[]);
    check(&subject, &["there"]);
}

#[test]
fn characters_are_read_and_put_back() {
    let subject = Subject::new("chars", Input::stdin(Vec::new()), &[]);
    check(&subject, &["deep", "under"]);
}

#[test]
fn a_file_that_is_an_argument_is_read_in_blocks() {
    let template = Input::file(Vec::new());
    check(
        &Subject::new("blocks", template, &["-x", "input"]),
        &["found"],
    );
}

#[test]
fn descriptors_are_read_into_memory_of_the_heap() {
    let subject = Subject::new("raw", Input::stdin(Vec::new()), &[]);
    check(&subject, &["host"]);
}

#[test]
fn arguments_are_inputs() {
    let streams = (1..=3).map(|index| InputStream::argument(index, b"", 4));
    let template = Input::new(streams.collect());
    let subject = Subject::new("args", template, &["", "", ""]);
    check(&subject, &["very", "level"]);
}

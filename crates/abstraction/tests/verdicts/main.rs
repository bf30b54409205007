//! What the model checker says of every branch of the programs of the backward search (the text form
//! of the IR).
//!
//! Laws: no branch that a run takes is called unreachable, by brute force; and what is found stays
//! as it is written in `tests/verdicts.txt`, which `UPDATE_EXPECT=1` rewrites.
//! `PROGRAMS=name,name` restricts the tests to some of the programs.

#[allow(
    dead_code,
    reason = "it serves the tests of the backward search as well"
)]
#[path = "../../../backward/tests/reach/runs.rs"]
mod runs;

#[path = "../generator/mod.rs"]
mod generator;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use labrys_abstraction::{Checker, Found, Units};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BlockId, BranchId, FunctionId, Program, SiteKind, Terminator};

use runs::Attack;

/// Steps of the checker at most.
const STEPS: usize = 20_000;

/// Steps of the solver for a generated program.
const WORK: u64 = 20_000;

/// What is said of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// The bytes of an input, and whether a run on it takes the branch.
    Input(Vec<u8>),
    Unreachable,
    Open(String),
}

/// The programs, by name.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../backward/tests/programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lir"))
        .collect();
    if let Ok(names) = std::env::var("PROGRAMS") {
        let names: Vec<&str> = names.split(',').collect();
        files.retain(|path| {
            path.file_stem()
                .is_some_and(|stem| names.iter().any(|name| stem == *name))
        });
    }
    files.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    files
}

fn verdicts(program: &Program, entry: FunctionId, work: u64) -> BTreeMap<BranchId, Verdict> {
    let analysis = ProgramAnalysis::new(program, entry);
    let goals: Vec<BranchId> = program
        .sites
        .iter()
        .flat_map(|site| (0..site.kind.directions()).map(|at| BranchId(site.first_branch.0 + at)))
        .collect();
    let mut solver = labrys_solver::solver().expect("the solver's library");
    let mut verdicts: BTreeMap<BranchId, Verdict> = BTreeMap::new();
    if !analysis.obstacles().is_empty() {
        let why = Verdict::Open("obstacles".to_owned());
        return goals.into_iter().map(|goal| (goal, why.clone())).collect();
    }
    let mut checker = Checker::new(&analysis, entry, goals.clone()).expect("the solver's library");
    for _ in 0..STEPS {
        if solver.statistics().work() > work {
            break;
        }
        match checker.step(&mut solver) {
            Found::Nothing => {}
            Found::Done => break,
            Found::Unreachable(branches) => {
                verdicts.extend(
                    branches
                        .into_iter()
                        .map(|branch| (branch, Verdict::Unreachable)),
                );
            }
            Found::Input(branch, Some(input)) => {
                verdicts.insert(branch, Verdict::Input(input.objects().to_vec()));
            }
            Found::Input(branch, None) => {
                verdicts.insert(branch, Verdict::Open("unknown input".to_owned()));
            }
        }
    }
    for goal in goals {
        let left = || match checker.left().get(&goal) {
            Some(why) => format!("{why:?}").to_lowercase(),
            None if checker.is_too_large() => "too large".to_owned(),
            None => "unfinished".to_owned(),
        };
        verdicts
            .entry(goal)
            .or_insert_with(|| Verdict::Open(left()));
    }
    verdicts
}

/// The edge of a branch, if it is the only one from its block to that successor.
fn edge(program: &Program, branch: BranchId) -> Option<(FunctionId, BlockId, BlockId)> {
    let (site, direction) = program.branch_site(branch)?;
    let site = program.site(site)?;
    if matches!(site.kind, SiteKind::Select) {
        return None;
    }
    let function = program.function(site.function)?;
    let successors: Vec<BlockId> = match &function.blocks[site.block.index()].terminator {
        Terminator::Branch {
            if_true, if_false, ..
        } => vec![*if_false, *if_true],
        Terminator::Switch { default, cases, .. } => std::iter::once(*default)
            .chain(cases.iter().map(|(_, to)| *to))
            .collect(),
        _ => return None,
    };
    let to = *successors.get(direction as usize)?;
    let alone = successors.iter().filter(|other| **other == to).count() == 1;
    alone.then_some((site.function, site.block, to))
}

/// As [`check`], of a file.
fn check_file(file: &Path) -> (String, Vec<String>) {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = std::fs::read_to_string(file).expect("a program");
    let program: Program = text
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    program
        .verify()
        .unwrap_or_else(|violations| panic!("{name}: {violations:?}"));
    check(&name, &program, u64::MAX)
}

/// The line of a program in the file of verdicts, and its proofs that a run contradicts.
fn check(name: &str, program: &Program, work: u64) -> (String, Vec<String>) {
    let entry = program.function_named("main").expect("main");
    let attack = Attack::on(program, entry, None);
    let mut line = format!("{name}:");
    let mut wrong = Vec::new();
    for (branch, verdict) in verdicts(program, entry, work) {
        let place = program
            .branch_site(branch)
            .map_or_else(String::new, |(site, direction)| {
                format!("#{}.{direction}", site.0)
            });
        let edge = edge(program, branch);
        let seen = edge.and_then(|(function, from, to)| attack.takes(function, from, to));
        if let (Verdict::Unreachable, Some(input)) = (&verdict, seen) {
            let input = runs::hexadecimal(input);
            wrong.push(format!(
                "{name}: {place} is called unreachable and taken by {input}"
            ));
        }
        let _ = match verdict {
            Verdict::Input(bytes) => {
                let given = runs::hexadecimal(std::slice::from_ref(&bytes));
                let taken = edge.is_none_or(|edge| attack.is_taken_by(&bytes, edge));
                write!(
                    line,
                    " {place} {}{given},",
                    if taken { "" } else { "diverges " }
                )
            }
            Verdict::Unreachable => write!(line, " {place} unreachable,"),
            Verdict::Open(why) => {
                let seen = if seen.is_some() { "taken" } else { "open" };
                write!(line, " {place} {seen} ({why}),")
            }
        };
    }
    (line.trim_end_matches(',').to_owned(), wrong)
}

/// How many branches no values lead to, and how many functions exclude by themselves; and of both
/// those that a run takes.
fn cheap_proofs(name: &str, program: &Program) -> ([usize; 2], Vec<String>) {
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(program, entry);
    if !analysis.local_obstacles().is_empty() {
        return ([0, 0], Vec::new());
    }
    let attack = Attack::on(program, entry, None);
    let impossible = &analysis.impossible_branches().branches;
    let goals = (0..program.branch_count()).map(BranchId::new);
    let mut units = Units::new(&analysis, entry, goals);
    let mut solver = labrys_solver::solver().expect("the solver's library");
    let mut excluded = Vec::new();
    while units.is_open() {
        let step = units.step(&mut solver, |_| true);
        if let (Some((branches, _)), _) = step.expect("the solver's library") {
            excluded.extend(branches);
        }
    }
    let wrong = impossible.iter().chain(&excluded).filter_map(|branch| {
        let (function, from, to) = edge(program, *branch)?;
        let input = runs::hexadecimal(attack.takes(function, from, to)?);
        let branch = program.branch_name(*branch)?;
        Some(format!(
            "{name}: {branch} is called unreachable and taken by {input}"
        ))
    });
    ([impossible.len(), excluded.len()], wrong.collect())
}

/// No run takes a branch of which the analysis of values, or a function by itself, says that none
/// does.
#[test]
fn cheap_proofs_are_right() {
    let (mut count, mut wrong) = ([0, 0], Vec::new());
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a program");
        let program: Program = text.parse().expect("a program");
        let (found, contradicted) = cheap_proofs(&file.display().to_string(), &program);
        count = [count[0] + found[0], count[1] + found[1]];
        wrong.extend(contradicted);
    }
    for seed in generator::seeds(60) {
        let (program, text) = generator::program(seed);
        let (found, contradicted) = cheap_proofs(&format!("seed {seed}"), &program);
        count = [count[0] + found[0], count[1] + found[1]];
        if !contradicted.is_empty() {
            wrong.push(format!("{}\n{text}", contradicted.join("\n")));
        }
    }
    println!(
        "no values lead to {}, functions exclude {}",
        count[0], count[1]
    );
    assert!(wrong.is_empty(), "wrong proofs:\n{}", wrong.join("\n"));
    assert!(count[0] > 500 && count[1] > 30, "{count:?}");
}

/// See the module.
#[test]
fn every_branch_of_the_programs() {
    let files = files();
    assert!(!files.is_empty(), "there are no programs");
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let result = check_file(file);
                    results.lock().expect("no panic").insert(at, result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no panic");
    let wrong: Vec<String> = results
        .values()
        .flat_map(|(_, wrong)| wrong.clone())
        .collect();
    assert!(wrong.is_empty(), "wrong proofs:\n{}", wrong.join("\n"));
    let lines: Vec<String> = results.into_values().map(|(line, _)| line).collect();
    let found = lines.join("\n") + "\n";
    if std::env::var_os("PROGRAMS").is_some() {
        print!("{found}");
        return;
    }
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(expected, found).expect("the file of verdicts");
        return;
    }
    let known = std::fs::read_to_string(expected).unwrap_or_default();
    let known: Vec<&str> = known.lines().collect();
    let differ = found.lines().filter(|line| !known.contains(line));
    let differ: Vec<&str> = differ.collect();
    assert!(
        differ.is_empty(),
        "these lines are new (UPDATE_EXPECT=1 accepts them):\n{}",
        differ.join("\n")
    );
}

/// No branch of generated programs that a run takes is called unreachable, and most branches are
/// decided.
#[test]
fn branches_of_generated_programs() {
    let (mut wrong, mut proved, mut open, mut inputs) = (Vec::new(), 0, 0, 0);
    for seed in generator::seeds(40) {
        let (program, text) = generator::program(seed);
        let (line, contradicted) = check(&format!("seed {seed}"), &program, WORK);
        proved += line.matches(" unreachable").count();
        open += line.matches(" open (").count();
        inputs += line.matches('#').count();
        if !contradicted.is_empty() {
            wrong.push(format!("{}\n{text}", contradicted.join("\n")));
        }
    }
    println!("{inputs} branches: {proved} proved, {open} open that no run was seen to take");
    assert!(wrong.is_empty(), "wrong proofs:\n{}", wrong.join("\n"));
    assert!(proved > open, "{proved} proved, {open} open");
}

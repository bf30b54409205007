//! Certificates of the programs in `tests/programs` and of those of the backward search, and
//! certificates that are changed.
//!
//! Laws: a certificate of the model checker is never refused. A changed one never shows
//! - a branch that a run takes;
//! - anything, if a formula is false in a state of a run: where runs begin, or at the beginning of a
//!   block of `main` that a run comes to (a fact that held there is negated, or the formula is `false`
//!   or missing).
//!
//! `PROGRAMS=name,name` restricts the tests to some of the programs, `Z3=1` asks Z3.

#[allow(
    dead_code,
    reason = "it serves the tests of the backward search as well"
)]
#[path = "../../../backward/tests/reach/runs.rs"]
mod runs;

#[path = "../generator/mod.rs"]
mod generator;

mod calls;
mod damage;
mod mutate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use labrys_abstraction::{Checker, Found, Units, Verdict, Verification};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BlockId, BranchId, FunctionId, Program, SiteKind, Terminator};
use labrys_solver::plain::{Bitwuzla, Decide, Z3};

use mutate::{Parts, Random, conjunction};
use runs::{Attack, Place};

/// Steps of the checker at most.
const STEPS: usize = 20_000;
/// Steps of the solver for a generated program.
const WORK: u64 = 20_000;
/// Random changes of a certificate.
const MUTATIONS: usize = 24;
/// Facts of a location that are negated.
const NEGATED: usize = 4;
/// Branches that runs take and that are claimed.
const TAKEN: usize = 3;

fn files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        crates.join("tests/programs"),
        crates.join("../backward/tests/programs"),
    ];
    let entries = folders.iter().flat_map(std::fs::read_dir).flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "lir"));
    if let Ok(names) = std::env::var("PROGRAMS") {
        let names: Vec<&str> = names.split(',').collect();
        files.retain(|path| {
            names
                .iter()
                .any(|name| path.file_stem() == Some(name.as_ref()))
        });
    }
    files.sort();
    files
}

/// The certificates that the model checker gives, of the program and of functions by themselves, and
/// how often it gave none.
fn certificates(
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
    work: u64,
) -> (Vec<String>, usize) {
    let program = analysis.program();
    let goals = (0..program.branch_count()).map(BranchId::new);
    let mut solver = labrys_solver::solver().expect("the solver's library");
    let mut checker = Checker::new(analysis, entry, goals).expect("the solver's library");
    let (mut texts, mut missing) = (Vec::new(), 0);
    for _ in 0..STEPS {
        if solver.statistics().work() > work {
            break;
        }
        match checker.step(&mut solver) {
            Found::Done => break,
            Found::Unreachable(branches) => match checker.certificate(&branches) {
                Some(text) => texts.push(text),
                None => missing += 1,
            },
            _ => {}
        }
    }
    let goals = (0..program.branch_count()).map(BranchId::new);
    let mut units = Units::new(analysis, entry, goals);
    while units.is_open() {
        let step = units.step(&mut solver, |_| true);
        if let (Some((_, text)), _) = step.expect("the solver's library") {
            missing += usize::from(text.is_none());
            texts.extend(text);
        }
    }
    (texts, missing)
}

/// What a text shows; nothing if it is no certificate.
fn shown(
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
    text: &str,
) -> BTreeMap<BranchId, Verdict> {
    let time = Duration::from_secs(20);
    let mut solver: Box<dyn Decide> = match std::env::var_os("Z3") {
        Some(_) => Box::new(Z3::find(time).expect("the command z3")),
        None => Box::new(Bitwuzla::find(time).expect("the solver's library")),
    };
    let Ok(mut verification) = Verification::new(analysis, entry, text) else {
        return BTreeMap::new();
    };
    while verification.step(&mut *solver) {}
    verification.verdicts()
}

/// The branches of jumps that runs take.
fn taken(program: &Program, attack: &Attack<'_>) -> Vec<BranchId> {
    let all = (0..program.branch_count()).map(BranchId::new);
    let takes = |branch: &BranchId| -> Option<bool> {
        let (site, direction) = program.branch_site(*branch)?;
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
        Some(alone && attack.takes(site.function, site.block, to).is_some())
    };
    all.filter(|branch| takes(branch) == Some(true)).collect()
}

/// What came out for a program.
#[derive(Debug, Default)]
struct Counts {
    certificates: usize,
    missing: usize,
    checked: usize,
    not_checked: usize,
    mutations: usize,
    /// Of the random ones: those that still show what was claimed.
    valid: usize,
    wrong: Vec<String>,
}

struct Attempt<'a> {
    name: String,
    analysis: &'a ProgramAnalysis<'a>,
    entry: FunctionId,
    attack: &'a Attack<'a>,
    taken: Vec<String>,
    counts: Counts,
}

impl Attempt<'_> {
    fn shown(&self, text: &str) -> BTreeMap<BranchId, Verdict> {
        shown(self.analysis, self.entry, text)
    }

    fn original(&mut self, text: &str) {
        self.counts.certificates += 1;
        let verdicts = self.shown(text);
        if verdicts.is_empty() {
            self.counts.wrong.push(format!(
                "{}: its certificate is refused:\n{text}",
                self.name
            ));
        }
        for (branch, verdict) in verdicts {
            match verdict {
                Verdict::Checked => self.counts.checked += 1,
                Verdict::NotChecked(why) => {
                    println!("{}: {branch} is not checked: {why}", self.name);
                    self.counts.not_checked += 1;
                }
                Verdict::Refused(why) => {
                    let line = format!("{}: {branch} is refused: {why}\n{text}", self.name);
                    self.counts.wrong.push(line);
                }
            }
        }
    }

    /// A text that shows nothing of its claims.
    fn refused(&mut self, what: &str, text: &str) {
        self.counts.mutations += 1;
        let verdicts = self.shown(text);
        if verdicts
            .values()
            .any(|verdict| *verdict == Verdict::Checked)
        {
            self.counts
                .wrong
                .push(format!("{}: {what} is accepted:\n{text}", self.name));
        }
    }

    fn wrong_claims(&mut self, parts: &Parts) {
        let mut parts = parts.clone();
        for taken in self.taken.clone() {
            parts.claims = vec![taken.clone()];
            self.refused(&format!("the claim of {taken}"), &parts.text());
        }
    }

    fn wrong_formulas(&mut self, parts: &Parts, random: &mut Random) {
        for at in 0..parts.formulas.len() {
            let name = parts.formulas[at].0.trim_matches('|').to_owned();
            let Some(block) = name
                .strip_prefix("main b")
                .and_then(|text| text.parse().ok())
            else {
                continue;
            };
            let place = Place {
                function: self.entry,
                block: BlockId(block),
                instruction: 0,
            };
            if self.attack.reaches(place).is_none() {
                continue;
            }
            self.refused(&format!("no {name}"), &parts.without(at).text());
            self.refused(&format!("false at {name}"), &parts.with(at, "false").text());
            let conjuncts = parts.conjuncts(at);
            for _ in 0..NEGATED {
                let mut negated = conjuncts.clone();
                let one = random.below(negated.len());
                negated[one] = format!("(not {})", negated[one]);
                let text = parts.with(at, &conjunction(&negated)).text();
                self.refused(&format!("not {} at {name}", conjuncts[one]), &text);
            }
        }
    }

    /// Changes that may leave the certificate valid: branches that runs take are never shown.
    fn any_change(&mut self, parts: &Parts, random: &mut Random) {
        let mut parts = parts.clone();
        parts.claims.extend(self.taken.clone());
        let taken = self.taken.clone();
        for _ in 0..MUTATIONS {
            let text = parts.mutated(random);
            self.counts.mutations += 1;
            let mut valid = false;
            for (branch, verdict) in self.shown(&text) {
                let name = self
                    .analysis
                    .program()
                    .branch_name(branch)
                    .unwrap_or_default();
                let is_shown = verdict == Verdict::Checked;
                if is_shown && taken.contains(&name) {
                    let line = format!("{}: {name}, which a run takes, by\n{text}", self.name);
                    self.counts.wrong.push(line);
                }
                valid |= is_shown;
            }
            self.counts.valid += usize::from(valid);
        }
    }
}

fn check_file(file: &Path) -> Counts {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    check(name, &read(file), u64::MAX)
}

fn read(file: &Path) -> Program {
    let text = std::fs::read_to_string(file).expect("a program");
    let program = text.parse();
    program.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn check(name: String, program: &Program, work: u64) -> Counts {
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(program, entry);
    if !analysis.obstacles().is_empty() {
        return Counts::default();
    }
    let (texts, missing) = certificates(&analysis, entry, work);
    let attack = Attack::on(program, entry, None);
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ name.len() as u64);
    let mut taken = taken(program, &attack);
    while taken.len() > TAKEN {
        taken.remove(random.below(taken.len()));
    }
    let taken = taken
        .into_iter()
        .filter_map(|branch| program.branch_name(branch));
    let mut attempt = Attempt {
        name,
        analysis: &analysis,
        entry,
        attack: &attack,
        taken: taken.collect(),
        counts: Counts {
            missing,
            ..Counts::default()
        },
    };
    for text in texts {
        attempt.original(&text);
        let parts = Parts::of(&text);
        assert_eq!(Parts::of(&parts.text()).text(), parts.text());
        attempt.wrong_claims(&parts);
        attempt.wrong_formulas(&parts, &mut random);
        attempt.any_change(&parts, &mut random);
    }
    attempt.counts
}

#[test]
fn certificates_are_checked_and_changed_ones_refused() {
    let files = files();
    let next = AtomicUsize::new(0);
    let total: Mutex<Counts> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let counts = check_file(file);
                    let mut total = total.lock().expect("no panic");
                    total.certificates += counts.certificates;
                    total.missing += counts.missing;
                    total.checked += counts.checked;
                    total.not_checked += counts.not_checked;
                    total.mutations += counts.mutations;
                    total.valid += counts.valid;
                    total.wrong.extend(counts.wrong);
                }
            });
        }
    });
    let total = total.into_inner().expect("no panic");
    println!(
        "{} certificates, {} missing; claims: {} checked, {} not; {} changed ones, {} still valid",
        total.certificates,
        total.missing,
        total.checked,
        total.not_checked,
        total.mutations,
        total.valid
    );
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n\n"));
    if std::env::var_os("PROGRAMS").is_none() {
        // Two hang on the ranges of functions of the library.
        assert!(total.checked > 50 && total.mutations > 500 && total.not_checked <= 2);
    }
}

/// The same of generated programs.
#[test]
fn certificates_of_generated_programs() {
    let (mut checked, mut not_checked, mut mutations) = (0, 0, 0);
    for seed in generator::seeds(20) {
        let (program, text) = generator::program(seed);
        let counts = check(format!("seed {seed}"), &program, WORK);
        assert!(
            counts.wrong.is_empty(),
            "{}\n{text}",
            counts.wrong.join("\n\n")
        );
        checked += counts.checked;
        not_checked += counts.not_checked;
        mutations += counts.mutations;
    }
    println!("claims: {checked} checked, {not_checked} not; {mutations} changed certificates");
    assert!(checked > 10 && mutations > 100, "{checked}, {mutations}");
}

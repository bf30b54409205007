//! Theorem 1 of the paper by brute force, on the programs of the backward search (the text form of
//! the IR): of any two runs that part at a decision, if the second then takes an open branch, the
//! monitor does not prune its direction in the first.
//!
//! The runs are those of the machine on many inputs; any branch may be the open one.
//! `PROGRAMS=name,name` restricts the test to some of the programs.

#[path = "../generator/mod.rs"]
mod generator;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use labrys_abstraction::{Checker, Found, Guide};
use labrys_analysis::ProgramAnalysis;
use labrys_engine::{RunEvent, RunFlip, RunRecord, Verdict};
use labrys_expr::Value;
use labrys_program::{BlockId, BranchId, Constant, FunctionId, Program, Terminator};
use labrys_semantics::{Distance, Inputs, IrValue, Limit, Machine, Rules};
use labrys_solver::Layers;

/// Instructions and frames of a run.
const LIMIT: Limit = Limit {
    steps: 2_000,
    interpreted: 2_000,
    depth: 60,
};
/// Runs on a program.
const RUNS: usize = 400;
/// Events that are looked at in a run.
const EVENTS: usize = 120;
/// Runs that are judged, by open branch.
const JUDGED: usize = 8;
/// Open branches that are tried.
const GOALS: usize = 16;
/// Steps of the solver for a generated program.
const WORK: u64 = 20_000;
/// Steps of the checker at most.
const STEPS: usize = 1_000;
/// Steps between two looks at the monitor.
const BETWEEN: usize = 100;

/// Records a run as an instrumented program would.
struct Recorder<'p> {
    program: &'p Program,
    /// The functions of the frames.
    frames: Vec<FunctionId>,
    events: Vec<RunEvent>,
    taken: Vec<(usize, BranchId)>,
    steps: u32,
    /// A decision could not be read; no more events are.
    cut: bool,
}

impl Recorder<'_> {
    /// Frames deeper than this have returned.
    fn settle(&mut self, depth: usize) {
        while self.frames.len() > depth {
            let gone = self.frames.pop().expect("it is longer");
            self.push(RunEvent::Return(gone));
        }
    }

    fn push(&mut self, event: RunEvent) {
        if !self.cut {
            self.events.push(event);
        }
    }
}

impl Rules for Recorder<'_> {
    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize> {
        if block == BlockId(0) {
            self.settle(depth);
            self.frames.push(function);
            self.push(RunEvent::Call(function));
        } else {
            self.settle(depth + 1);
        }
        None
    }

    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        _: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId> {
        self.settle(depth + 1);
        let function = &self.program.functions[self.frames[depth].index()];
        let (site, successors): (_, Vec<BlockId>) = match &function.blocks[block.index()].terminator
        {
            Terminator::Branch {
                site,
                if_true,
                if_false,
                ..
            } => (*site, vec![*if_false, *if_true]),
            Terminator::Switch {
                site,
                default,
                cases,
                ..
            } => {
                let cases = cases.iter().map(|(_, to)| *to);
                (*site, std::iter::once(*default).chain(cases).collect())
            }
            _ => return Some(natural),
        };
        let mut there = (0..).zip(successors).filter(|(_, to)| *to == natural);
        let direction = there.next().map(|(direction, _)| direction);
        let (Some(direction), None) = (direction, there.next()) else {
            self.cut = true;
            return Some(natural);
        };
        let step = Some(self.steps);
        self.steps += 1;
        if let Some(branch) = self.program.branch(site, direction) {
            self.taken.push((self.events.len(), branch));
        }
        self.push(RunEvent::Decision {
            site,
            direction,
            step,
        });
        Some(natural)
    }

    fn assume(&mut self, _: Distance) -> bool {
        false
    }
}

/// Small numbers, numbers of the program, and any.
struct Drawn<'a> {
    state: u64,
    numbers: &'a [u128],
}

impl Drawn<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % bound
    }
}

impl Inputs for Drawn<'_> {
    fn next(&mut self, bytes: &mut [u8]) {
        let number = match self.below(5) {
            0 | 1 => self.below(8) as u128,
            2 => self.below(usize::MAX) as u128,
            _ => {
                let number = self.numbers[self.below(self.numbers.len())];
                number.wrapping_add(self.below(3) as u128).wrapping_sub(1)
            }
        };
        for (byte, value) in bytes.iter_mut().zip(number.to_le_bytes()) {
            *byte = value;
        }
    }
}

/// What a run did: its events, and by event the branches that it takes.
struct Run {
    events: Vec<RunEvent>,
    taken: Vec<(usize, BranchId)>,
}

fn runs(program: &Program, entry: FunctionId) -> Vec<Run> {
    let number = |constant: &Constant| match constant {
        Constant::Int { bits, .. } => Some(*bits),
        _ => None,
    };
    let numbers: Vec<u128> = program
        .constants
        .iter()
        .filter_map(number)
        .chain([0])
        .collect();
    let parameters = &program.functions[entry.index()].parameters;
    let mut found: BTreeMap<String, Run> = BTreeMap::new();
    for seed in 1..=RUNS as u64 {
        let zeros = parameters.iter().filter_map(|one| one.ty.width());
        let zeros = zeros.map(|width| IrValue::Scalar(Value::new(width, 0)));
        let mut inputs = Drawn {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            numbers: &numbers,
        };
        let mut recorder = Recorder {
            program,
            frames: Vec::new(),
            events: Vec::new(),
            taken: Vec::new(),
            steps: 0,
            cut: false,
        };
        let external = labrys_solver::call_function;
        let mut machine = Machine::new(program, external, &mut inputs, &mut recorder, LIMIT);
        let _ = machine.call(entry, zeros.collect());
        drop(machine);
        let Recorder { events, taken, .. } = recorder;
        let key = format!("{:?}", &events[..events.len().min(EVENTS)]);
        found.entry(key).or_insert(Run { events, taken });
    }
    found.into_values().collect()
}

/// The branches that runs take which have these events first and then take a direction, by the
/// number of the events and the direction.
fn behind(run: &Run, all: &[Run]) -> BTreeMap<(u32, u32), BTreeSet<BranchId>> {
    let mut behind: BTreeMap<(u32, u32), BTreeSet<BranchId>> = BTreeMap::new();
    for other in all {
        let pairs = run.events.iter().zip(&other.events);
        let common = pairs.take_while(|(a, b)| a == b).count();
        let parted = (run.events.get(common), other.events.get(common));
        let (Some(RunEvent::Decision { step, .. }), Some(RunEvent::Decision { direction, .. })) =
            parted
        else {
            continue;
        };
        let later = other.taken.iter().filter(|(at, _)| *at >= common);
        let branches = behind
            .entry((step.expect("all have"), *direction))
            .or_default();
        branches.extend(later.map(|(_, branch)| *branch));
    }
    behind
}

/// What is compared with the monitor.
struct Look<'a> {
    name: &'a str,
    runs: &'a [Run],
    goals: &'a BTreeSet<BranchId>,
    found: (&'a mut Vec<String>, &'a mut usize, &'a mut usize),
}

impl Look<'_> {
    /// Judges flips by the graph of a checker.
    fn at(&mut self, checker: &mut Checker<'_>, solver: &mut Layers) {
        let mut guide = Guide::default();
        for goal in self.goals.iter().copied().take(GOALS) {
            for run in self.runs.iter().take(JUDGED) {
                self.judge(&mut guide, checker, solver, (goal, run));
            }
        }
    }

    fn judge(
        &mut self,
        guide: &mut Guide,
        checker: &mut Checker<'_>,
        solver: &mut Layers,
        (goal, run): (BranchId, &Run),
    ) {
        let (wrong, judged, pruned) = &mut self.found;
        let behind = behind(run, self.runs);
        let flip = |(step, direction): &(u32, u32)| RunFlip {
            step: *step,
            direction: *direction,
        };
        let flips: Vec<RunFlip> = behind.keys().map(flip).collect();
        let record = RunRecord(run.events.clone());
        let goals = BTreeSet::from([goal]);
        let found = guide.judge(checker, solver, &goals, &record, &flips);
        let (name, events) = (self.name, &run.events);
        if let Some(what) = found.contradiction {
            wrong.push(format!("{name}: {what}: {events:?}"));
        }
        **judged += flips.len();
        for ((at, taken), verdict) in behind.iter().zip(found.verdicts) {
            **pruned += usize::from(verdict == Verdict::Pruned);
            if verdict == Verdict::Pruned && taken.contains(&goal) {
                wrong.push(format!("{name}: {goal:?} is behind {at:?} of {events:?}"));
            }
        }
    }
}

/// As [`check`], of a file.
fn check_file(file: &Path) -> (Vec<String>, usize, usize) {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = std::fs::read_to_string(file).expect("a program");
    let program: Program = text
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    check(&name, &program, u64::MAX)
}

/// The wrong prunes of a program, how many flips were judged, and how many were pruned.
fn check(name: &str, program: &Program, work: u64) -> (Vec<String>, usize, usize) {
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(program, entry);
    let (mut wrong, mut judged, mut pruned) = (Vec::new(), 0, 0);
    if !analysis.obstacles().is_empty() {
        return (wrong, judged, pruned);
    }
    let all = runs(program, entry);
    let every: BTreeSet<BranchId> = (0..program.branch_count()).map(BranchId::new).collect();
    let mut solver = labrys_solver::solver().expect("the solver's library");
    let mut checker = Checker::new(&analysis, entry, every.clone()).expect("the solver's library");
    let mut states = 0;
    for step in 1..=STEPS {
        let done = checker.step(&mut solver) == Found::Done || solver.statistics().work() > work;
        // Of each graph once, about.
        if (step % BETWEEN == 0 && checker.states() != states) || done || step == STEPS {
            states = checker.states();
            let mut look = Look {
                name,
                runs: &all,
                goals: &every,
                found: (&mut wrong, &mut judged, &mut pruned),
            };
            look.at(&mut checker, &mut solver);
        }
        if done {
            break;
        }
    }
    (wrong, judged, pruned)
}

/// See the module.
#[test]
fn no_flip_to_an_open_branch_is_pruned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../backward/tests/programs");
    let entries = std::fs::read_dir(folder).expect("a folder of programs");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "lir"));
    if let Ok(names) = std::env::var("PROGRAMS") {
        let is = |path: &PathBuf, name| path.file_stem().is_some_and(|stem| stem == name);
        files.retain(|path| names.split(',').any(|name| is(path, name)));
    }
    files.sort();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Vec::new(), 0, 0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (wrong, judged, pruned) = check_file(file);
                    let mut results = results.lock().expect("no panic");
                    results.0.extend(wrong);
                    results.1 += judged;
                    results.2 += pruned;
                }
            });
        }
    });
    let (wrong, judged, pruned) = results.into_inner().expect("no panic");
    println!("{judged} flips judged, {pruned} pruned");
    if std::env::var_os("PROGRAMS").is_none() {
        assert!(pruned > 1_000, "only {pruned} of {judged} flips are pruned");
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The same of generated programs.
#[test]
fn no_flip_to_an_open_branch_of_a_generated_program_is_pruned() {
    let (mut judged, mut pruned) = (0, 0);
    for seed in generator::seeds(30) {
        let (program, text) = generator::program(seed);
        let (wrong, of_program, pruned_here) = check(&format!("seed {seed}"), &program, WORK);
        assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
        (judged, pruned) = (judged + of_program, pruned + pruned_here);
    }
    println!("{judged} flips judged, {pruned} pruned");
    assert!(pruned > 0, "none of {judged} flips is pruned");
}

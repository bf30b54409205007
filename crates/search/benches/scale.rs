//! What it costs to choose the next branch in a large tree: a million nodes, runs of 100,000
//! decisions over 2,000 sites. Per strategy: the mean time to take in a run, and to pick.

use std::hint::black_box;
use std::time::{Duration, Instant};

use labrys_program::{BlockId, FunctionId, Program, SiteKind};
use labrys_search::{
    Decision, Flip, Options, Pick, RunInfo, STRATEGIES, SideCounter, Strategy, Tree, View, build,
};
use labrys_suite::Coverage;

const SITES: u32 = 2_000;
const LENGTH: u32 = 100_000;
const NODES: usize = 1_000_000;
const PICKS: u32 = 2_000;

/// A program of two-way decisions without bodies: strategies see sites and branches.
fn program() -> Program {
    let mut program = Program::default();
    for _ in 0..SITES {
        program.push_site(SiteKind::Branch, FunctionId(0), BlockId(0), None, false);
    }
    program
}

/// A run whose decisions follow from a number, as a loop over an input has them; runs share a
/// prefix.
fn run(number: u32) -> impl Iterator<Item = Decision> {
    (0..LENGTH).map(move |step| {
        let shared = if step < LENGTH / 10 { 0 } else { number };
        let mix = (step / 7).wrapping_mul(2_654_435_761) ^ shared.wrapping_mul(40_503);
        Decision {
            site: mix.rotate_left(9) % SITES,
            arity: 2,
            direction: mix.count_ones() & 1,
            frame: 0,
            value: 0,
            closed: None,
        }
    })
}

struct Times {
    observe: Duration,
    pick: Duration,
    runs: u32,
    picks: u32,
}

fn measure(strategy: &mut dyn Strategy, program: &Program) -> (Times, Tree) {
    let mut tree = Tree::default();
    let mut counter = SideCounter::default();
    let mut covered = Coverage::new(program.branch_count());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut times = Times {
        observe: Duration::ZERO,
        pick: Duration::ZERO,
        runs: 0,
        picks: 0,
    };
    while tree.len() < NODES {
        let done = tree.insert(run(times.runs));
        for passage in &done.path {
            let site = labrys_program::SiteId(tree.site(passage.node));
            covered.insert(program.branch(site, passage.direction).expect("a site"));
        }
        let view = View {
            tree: &tree,
            program,
            covered: &covered,
        };
        let start = Instant::now();
        let info = RunInfo {
            run: done.run,
            path: &done.path,
            taken: counter.count(&tree, &done.path),
            kept: true,
            first_new: done.first_new,
            coverage: &covered,
            near: &[],
            length: 0,
            gain: usize::from(times.runs == 0),
            flipped: None,
            mutated: false,
            diverged: false,
        };
        strategy.observe(&view, &info);
        times.observe += start.elapsed();
        times.runs += 1;
    }
    while times.picks < PICKS {
        let view = View {
            tree: &tree,
            program,
            covered: &covered,
        };
        let start = Instant::now();
        let picked = black_box(strategy.pick(&view, &mut rng));
        times.pick += start.elapsed();
        times.picks += 1;
        let Some(Pick::Flip(candidate)) = picked else {
            break;
        };
        tree.mark(candidate, Flip::Unsat);
    }
    (times, tree)
}

/// The most memory that this process had, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn main() {
    let program = program();
    println!("| strategy | taking in a run, ms | a pick, µs | tree, MiB | peak so far, MiB |");
    println!("|---|---|---|---|---|");
    for entry in STRATEGIES {
        let mut strategy = build(entry.name, &Options::default()).expect("a known strategy");
        let (times, tree) = measure(&mut *strategy, &program);
        println!(
            "| {} | {:.2} | {:.1} | {} | {} |",
            entry.name,
            times.observe.as_secs_f64() * 1e3 / f64::from(times.runs),
            times.pick.as_secs_f64() * 1e6 / f64::from(times.picks),
            tree.memory() >> 20,
            peak(),
        );
    }
}

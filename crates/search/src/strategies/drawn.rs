//! Trees drawn by hand for tests: a model program is a function from the directions taken so far
//! to the next site. A pick is written as the directions of its prefix and the flipped one.

use std::collections::VecDeque;

use labrys_program::{BlockId, BranchId, FunctionId, Program, SiteId, SiteKind};
use labrys_suite::Coverage;

use crate::counts::SideCounter;
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, Decision, Flip, NodeId, Tree};

/// The site that follows some directions.
type Next = dyn Fn(&[u32]) -> Option<u32>;

/// How near a run with these directions comes to a branch.
type Near = dyn Fn(&[u32]) -> Vec<(BranchId, u32)>;

/// A model program.
pub(crate) struct Drawing {
    program: Program,
    next: Box<Next>,
    near: Box<Near>,
    infeasible: Vec<String>,
    /// The frame of each site; 0 of those that are not there.
    frames: Vec<u32>,
}

impl Drawing {
    /// A program with sites of these numbers of directions; `next` tells the site that follows
    /// the directions taken so far, or `None` at the end.
    pub(crate) fn new(arities: &[u32], next: impl Fn(&[u32]) -> Option<u32> + 'static) -> Self {
        let mut program = Program::default();
        for arity in arities {
            let kind = match arity {
                2 => SiteKind::Branch,
                _ => SiteKind::Switch {
                    width: 32,
                    cases: (1..u128::from(*arity)).collect(),
                },
            };
            program.push_site(kind, FunctionId(0), BlockId(0), None, false);
        }
        Drawing {
            program,
            next: Box::new(next),
            near: Box::new(|_| Vec::new()),
            infeasible: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// A program in text form whose first function neither loops nor calls.
    pub(crate) fn of_program(text: &str) -> Self {
        let program: Program = text.parse().expect("a program");
        let function = program.functions[0].clone();
        let next = move |taken: &[u32]| {
            let mut block = BlockId(0);
            let mut taken = taken.iter();
            loop {
                let terminator = &function.blocks[block.index()].terminator;
                let direction = match terminator.site() {
                    Some(site) => match taken.next() {
                        Some(direction) => *direction,
                        None => return Some(site.0),
                    },
                    None => 0,
                };
                block = terminator
                    .successors()
                    .into_iter()
                    .nth(direction as usize)?;
            }
        };
        Drawing {
            program,
            next: Box::new(next),
            near: Box::new(|_| Vec::new()),
            infeasible: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// `n` two-way decisions in a row, at sites 0, 1, ….
    pub(crate) fn ladder(n: usize) -> Self {
        Drawing::new(&vec![2; n], move |taken| {
            (taken.len() < n).then(|| u32::try_from(taken.len()).expect("few sites"))
        })
    }

    /// These picks have no model.
    pub(crate) fn infeasible(mut self, picks: &[&str]) -> Self {
        self.infeasible = picks.iter().map(ToString::to_string).collect();
        self
    }

    /// The stack pointers of the calls that decide at the sites.
    pub(crate) fn frames(mut self, frames: &[u32]) -> Self {
        self.frames = frames.to_vec();
        self
    }

    /// Runs tell how near they come to branches.
    pub(crate) fn near(mut self, near: impl Fn(&[u32]) -> Vec<(BranchId, u32)> + 'static) -> Self {
        self.near = Box::new(near);
        self
    }

    /// The run that takes these directions, then always direction 0.
    fn run(&self, forced: &[u32]) -> Vec<Decision> {
        let mut taken = Vec::new();
        let mut decisions = Vec::new();
        while let Some(site) = (self.next)(&taken) {
            let direction = forced.get(taken.len()).copied().unwrap_or(0);
            decisions.push(Decision {
                site,
                arity: self.program.sites[site as usize].kind.directions(),
                direction,
                frame: self.frames.get(site as usize).copied().unwrap_or(0),
                value: 0,
                closed: None,
            });
            taken.push(direction);
        }
        decisions
    }
}

/// The directions that lead to a candidate, and its own.
pub(crate) fn directions(tree: &Tree, candidate: Candidate) -> Vec<u32> {
    let mut all = vec![candidate.direction];
    let mut node: NodeId = candidate.node;
    while let Some(passage) = tree.parent(node) {
        all.push(passage.direction);
        node = passage.node;
    }
    all.reverse();
    all
}

/// Lets the strategy explore the drawing from the run 000… to the end; its picks in order.
pub(crate) fn picks(strategy: &mut dyn Strategy, drawing: &Drawing) -> String {
    picks_with_seed(strategy, drawing, 1)
}

/// The same with another seed.
pub(crate) fn picks_with_seed(strategy: &mut dyn Strategy, drawing: &Drawing, seed: u64) -> String {
    picks_from(strategy, drawing, &[&[]], seed)
}

/// The same from several runs, which take these directions first.
pub(crate) fn picks_from(
    strategy: &mut dyn Strategy,
    drawing: &Drawing,
    initial: &[&[u32]],
    seed: u64,
) -> String {
    picks_ahead(strategy, drawing, initial, seed, 0)
}

/// The same with so many runs begun before the first of them is seen.
pub(crate) fn picks_ahead(
    strategy: &mut dyn Strategy,
    drawing: &Drawing,
    initial: &[&[u32]],
    seed: u64,
    ahead: usize,
) -> String {
    let mut tree = Tree::default();
    let mut covered = Coverage::new(drawing.program.branch_count());
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut order = Vec::new();
    let mut begun: VecDeque<Candidate> = VecDeque::new();
    for forced in initial {
        insert(strategy, drawing, &mut tree, &mut covered, forced, None);
    }
    loop {
        let view = View {
            tree: &tree,
            program: &drawing.program,
            covered: &covered,
        };
        let picked = strategy.pick(&view, &mut rng);
        if let Some(Pick::Flip(candidate)) = picked {
            assert!(tree.is_open(candidate));
            let path = directions(&tree, candidate).into_iter();
            let name: String = path.map(|direction| direction.to_string()).collect();
            let feasible = !drawing.infeasible.contains(&name);
            order.push(name);
            let flip = if feasible { Flip::Sat } else { Flip::Unsat };
            tree.mark(candidate, flip);
            begun.extend(feasible.then_some(candidate));
        } else if begun.is_empty() {
            return order.join(" ");
        }
        if begun.len() > ahead || picked.is_none() {
            let ended = begun.pop_front().expect("a run was begun");
            let forced = directions(&tree, ended);
            let (tree, covered) = (&mut tree, &mut covered);
            insert(strategy, drawing, tree, covered, &forced, Some(ended));
            assert_eq!(tree.flip(ended), Flip::Taken);
        }
    }
}

fn insert(
    strategy: &mut dyn Strategy,
    drawing: &Drawing,
    tree: &mut Tree,
    covered: &mut Coverage,
    forced: &[u32],
    flipped: Option<Candidate>,
) {
    let run = drawing.run(forced);
    let done = tree.insert(run.iter().copied());
    let mut coverage = Coverage::default();
    for decision in &run {
        let branch = drawing
            .program
            .branch(SiteId(decision.site), decision.direction);
        coverage.insert(branch.expect("sites of the drawing"));
    }
    let gain = covered.union(&coverage);
    let directions: Vec<u32> = run.iter().map(|decision| decision.direction).collect();
    let mut counter = SideCounter::default();
    let view = View {
        tree,
        program: &drawing.program,
        covered,
    };
    let info = RunInfo {
        run: done.run,
        path: &done.path,
        taken: counter.count(tree, &done.path),
        first_new: done.first_new,
        coverage: &coverage,
        gain,
        near: &(drawing.near)(&directions),
        length: run.len(),
        flipped,
        kept: true,
        mutated: false,
        diverged: false,
    };
    strategy.observe(&view, &info);
}

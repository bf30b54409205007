//! What phase I says of a place. This is the only file here that knows the interface of
//! `labrys_backward`.

use std::collections::BTreeSet;

use labrys_analysis::ProgramAnalysis;
use labrys_backward::{Counts, Found, Hop, Path, Point, Precision, Search, Skip};
use labrys_expr::{ExprId, Pool};
use labrys_program::{FunctionId, Program};
use labrys_solver::{Answer, Assignment, Budget, Query, Solver};

use crate::block_name;
use crate::runs::{Attack, Place, comes_to, hexadecimal};

/// The passes, in order.
const PASSES: [&str; 7] = [
    "coarse",
    "merged",
    "invariants",
    "two iterations",
    "bounded",
    "plain",
    "plain bounded",
];

/// The outcome.
enum Outcome {
    /// A run on these objects comes to the place.
    Reached(Vec<Vec<u8>>),
    Unreachable,
    /// What paths leave to phase II, or what stands against a proof.
    Open(BTreeSet<String>),
}

/// What the passes came to.
pub(crate) struct Verdict {
    outcome: Outcome,
    /// The last pass.
    pass: usize,
    /// The last path.
    hops: Vec<Hop>,
    /// What was asked at its end.
    constraints: Vec<String>,
    counts: Counts,
}

/// Asks the solver, and notes what it asks.
struct Asker {
    solver: labrys_solver::Layers,
    last: Vec<String>,
}

impl Asker {
    fn new() -> Self {
        Asker {
            solver: labrys_solver::solver().expect("the solver's library"),
            last: Vec::new(),
        }
    }

    fn step(&mut self, search: &mut Search<'_>) -> Found {
        self.last.clear();
        search.step(
            &mut |pool: &mut Pool, constraints: Vec<ExprId>, hint: &Assignment, steps| {
                let texts = constraints.iter().map(|one| pool.display(*one).to_string());
                self.last = texts.collect();
                let answer: Answer = self.solver.check(&mut Query {
                    pool,
                    constraints,
                    hint,
                    budget: Budget::steps(steps),
                });
                answer
            },
        )
    }
}

fn point(place: Place) -> Point {
    Point {
        function: place.function,
        block: place.block,
        instruction: place.instruction,
    }
}

/// Takes the passes one after the other, from the one of this name on, until one reaches the place
/// or proves that none can.
pub(crate) fn decide(
    program: &Program,
    entry: FunctionId,
    place: Place,
    bound: u32,
    first_pass: &str,
) -> Verdict {
    let analysis = ProgramAnalysis::new(program, entry);
    let mut asker = Asker::new();
    let mut verdict = Verdict {
        outcome: Outcome::Open(BTreeSet::new()),
        pass: 0,
        hops: Vec::new(),
        constraints: Vec::new(),
        counts: Counts::default(),
    };
    let mut open = BTreeSet::new();
    let first = PASSES.iter().position(|name| *name == first_pass);
    let passes = Precision::passes(bound).enumerate();
    for (pass, precision) in passes.skip(first.unwrap_or(0)) {
        verdict.pass = pass;
        let mut search = Search::new(&analysis, entry, &[point(place)], precision);
        let mut paths = 0;
        loop {
            let found = asker.step(&mut search);
            verdict.counts = search.counts();
            match found {
                Found::More => {}
                Found::End => {
                    let against = search.obstacles();
                    if paths == 0 && against.is_empty() {
                        verdict.outcome = Outcome::Unreachable;
                        return verdict;
                    }
                    open.extend(against);
                    break;
                }
                Found::Path(path) => {
                    paths += 1;
                    let objects = objects(&search, &path);
                    verdict.hops.clone_from(&path.hops);
                    verdict.constraints.clone_from(&asker.last);
                    match comes_to(program, entry, &objects, place) {
                        Ok(true) => {
                            verdict.outcome = Outcome::Reached(objects);
                            return verdict;
                        }
                        Ok(false) if path.skips.is_empty() && path.model.is_some() => {
                            open.insert(format!("diverges on {}", hexadecimal(&objects)));
                        }
                        Ok(false) => {}
                        Err(why) => {
                            open.insert(why);
                        }
                    }
                    open.extend(path.skips.iter().map(|skip| skipped(program, place, skip)));
                    if precision.coarse {
                        break;
                    }
                }
            }
            if search.is_over_budget() {
                open.insert("budget".to_owned());
                break;
            }
        }
    }
    verdict.outcome = Outcome::Open(open);
    verdict
}

/// The passes that prove, each for itself, that a place is unreachable.
pub(crate) fn proofs(
    program: &Program,
    entry: FunctionId,
    place: Place,
    bound: u32,
) -> Vec<&'static str> {
    let analysis = ProgramAnalysis::new(program, entry);
    let mut asker = Asker::new();
    let mut proofs = Vec::new();
    for (name, precision) in PASSES.into_iter().zip(Precision::passes(bound)) {
        let mut search = Search::new(&analysis, entry, &[point(place)], precision);
        while !search.is_over_budget() {
            match asker.step(&mut search) {
                Found::More => continue,
                Found::End if search.obstacles().is_empty() => proofs.push(name),
                Found::End | Found::Path(_) => {}
            }
            break;
        }
    }
    proofs
}

/// The input that the model of a path gives.
fn objects(search: &Search<'_>, path: &Path) -> Vec<Vec<u8>> {
    let part = |part: &ExprId| {
        let model = path.model.as_ref();
        let value = model.map_or(0, |model| search.symbol_value(*part, model));
        let bytes = search.width(*part) as usize / 8;
        value.to_le_bytes()[..bytes].to_vec()
    };
    let object = |parts: &Vec<ExprId>| parts.iter().flat_map(part).collect();
    path.objects.iter().map(object).collect()
}

fn skipped(program: &Program, place: Place, skip: &Skip) -> String {
    let name = |function, block| block_name(program, place.function, function, block);
    match skip {
        Skip::Loop(function, block) => format!("loop {}", name(*function, *block)),
        Skip::Paths(function, block) => format!("paths to {}", name(*function, *block)),
        Skip::Call(callee) => format!("call of {callee}"),
        Skip::Opaque(what) | Skip::Outside(what) => what.clone(),
        Skip::Unsolved => "unsolved".to_owned(),
        Skip::Forgotten => "forgotten constraint".to_owned(),
    }
}

impl Verdict {
    /// All comments that may be asked for.
    pub(crate) fn comments(
        &self,
        program: &Program,
        place: Place,
        attack: &Attack<'_>,
    ) -> Vec<(&'static str, String)> {
        let pass = PASSES[self.pass];
        let reach = match &self.outcome {
            Outcome::Reached(objects) => format!("input {}, {pass}", hexadecimal(objects)),
            Outcome::Unreachable => format!("unreachable, {pass}"),
            Outcome::Open(why) => {
                let why: Vec<&str> = why.iter().map(String::as_str).collect();
                let seen = match attack.reaches(place) {
                    Some(input) => format!("; reached by {}", hexadecimal(input)),
                    None if attack.is_whole() => "; no input reaches it".to_owned(),
                    None => String::new(),
                };
                format!("open: {}{seen}", why.join(", "))
            }
        };
        let hops = self.hops.iter().map(|hop| {
            let block = block_name(program, place.function, hop.function, hop.block);
            let free = if hop.free { "… " } else { "" };
            let resumed = if hop.resumed { "↩" } else { "" };
            format!("{free}{resumed}{block}")
        });
        let hops: Vec<String> = hops.collect();
        let counts = self.counts;
        let counts = format!(
            "segments {}, queries {}, jumps {}",
            counts.segments, counts.queries, counts.jumps
        );
        let mut comments = vec![("reach", reach), ("path", hops.join(" "))];
        for constraint in &self.constraints {
            comments.push(("constraint", constraint.clone()));
        }
        comments.push(("counts", counts));
        comments
    }
}

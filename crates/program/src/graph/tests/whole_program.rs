//! Distances and branch dominators, on random programs and on one drawn by hand.

use std::collections::HashSet;

use proptest::prelude::*;

use super::programs::{Next, Position, entry, naive_distance, next, programs};
use crate::graph::{BranchDominators, CallGraph, Distances};
use crate::{BranchId, FunctionId, Program, SiteId, Terminator};

/// The position after a branch.
fn after(program: &Program, branch: BranchId) -> Position {
    let (id, _) = program.branch_site(branch).expect("a branch");
    let site = &program.sites[id.index()];
    let block = &program.functions[site.function.index()].blocks[site.block.index()];
    for index in 0..=block.instructions.len() {
        for step in next(program, (site.function, site.block, index)) {
            if let Next::Step(Some(crossed), to) = step {
                if crossed == branch {
                    return to;
                }
            }
        }
    }
    panic!("no such branch in the bodies");
}

/// Positions that are reachable from the roots in invocations that are still active, without
/// crossing a branch in them; by the definition, with calls passed where the callee can return.
fn reachable_without(program: &Program, avoided: Option<BranchId>) -> HashSet<Position> {
    let mut returning: HashSet<FunctionId> = HashSet::new();
    loop {
        let returns = |id: &FunctionId| {
            let seen = explore(program, vec![entry(*id)], None, &returning, false);
            seen.iter()
                .any(|at| next(program, *at).iter().any(|n| matches!(n, Next::Return)))
        };
        let defined = (0..program.functions.len())
            .map(FunctionId::new)
            .filter(|id| program.functions[id.index()].defined);
        let more: HashSet<_> = defined.filter(returns).collect();
        if more == returning {
            break;
        }
        returning = more;
    }
    let roots = program
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| {
            function.defined && (function.name == "main" || function.address_taken)
        });
    let roots = roots
        .map(|(index, _)| entry(FunctionId::new(index)))
        .collect();
    explore(program, roots, avoided, &returning, true)
}

fn explore(
    program: &Program,
    mut open: Vec<Position>,
    avoided: Option<BranchId>,
    returning: &HashSet<FunctionId>,
    enter: bool,
) -> HashSet<Position> {
    let mut seen = HashSet::new();
    while let Some(position) = open.pop() {
        if !seen.insert(position) {
            continue;
        }
        for step in next(program, position) {
            match step {
                Next::Step(branch, to) if branch.is_none() || branch != avoided => open.push(to),
                Next::Call(callee, after) => {
                    if enter {
                        open.push(entry(callee));
                    }
                    if returning.contains(&callee) {
                        open.push(after);
                    }
                }
                _ => {}
            }
        }
    }
    seen
}

/// The position of a site's decision.
fn decision(program: &Program, site: SiteId) -> Position {
    let at = &program.sites[site.index()];
    let block = &program.functions[at.function.index()].blocks[at.block.index()];
    let index = (0..block.instructions.len()).find(|index| {
        matches!(
            block.instructions[*index].operation,
            crate::Operation::Select { site: here, .. } if here == site
        )
    });
    (
        at.function,
        at.block,
        index.unwrap_or(block.instructions.len()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn distances_are_those_of_runs(program in programs(), chosen in any::<u64>()) {
        let all = (0..program.branch_count() as u32).map(BranchId);
        let targets: HashSet<_> = all.clone().filter(|b| chosen >> (b.0 % 64) & 5 == 5).collect();
        let distances = Distances::new(&program, targets.iter().copied());
        for branch in all {
            let expected = if targets.contains(&branch) {
                Some(0)
            } else {
                naive_distance(&program, after(&program, branch), &targets)
            };
            prop_assert_eq!(distances.get(branch), expected, "{} in\n{}", branch, &program);
        }
    }

    /// To the start of a function it is as far as to a decision there, but for the branch itself.
    #[test]
    fn functions_are_as_near_as_their_first_decision(program in programs()) {
        for (index, function) in program.functions.iter().enumerate() {
            let first = function.blocks.first().and_then(|block| block.terminator.site());
            let Some(first) = first.filter(|_| function.blocks[0].instructions.is_empty()) else {
                continue;
            };
            let mut offered = Vec::new();
            offered.extend((0..).map_while(|direction| program.branch(first, direction)));
            let branches = Distances::new(&program, offered.iter().copied());
            let start = Distances::to(&program, [], [FunctionId::new(index)]);
            for branch in (0..program.branch_count() as u32).map(BranchId) {
                if let Some(distance) = start.get(branch) {
                    prop_assert!(branches.get(branch).is_some_and(|near| near <= distance + 1));
                }
            }
        }
    }

    #[test]
    fn removing_targets_is_computing_anew(program in programs(), order in any::<u64>()) {
        let mut left: Vec<_> = (0..program.branch_count() as u32).map(BranchId).collect();
        let mut distances = Distances::new(&program, left.iter().copied());
        let mut order = order;
        while !left.is_empty() {
            let mut gone = Vec::new();
            for _ in 0..=order % 2 {
                if !left.is_empty() {
                    gone.push(left.swap_remove(order as usize % left.len()));
                }
                order = order.rotate_right(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            distances.remove(gone);
            let anew = Distances::new(&program, left.iter().copied());
            for branch in (0..program.branch_count() as u32).map(BranchId) {
                prop_assert_eq!(distances.get(branch), anew.get(branch));
            }
        }
    }

    #[test]
    fn branch_dominators_are_what_no_run_avoids(program in programs()) {
        let dominators = BranchDominators::new(&program);
        let reachable = reachable_without(&program, None);
        for branch in (0..program.branch_count() as u32).map(BranchId) {
            let avoiding = reachable_without(&program, Some(branch));
            let (own, _) = program.branch_site(branch).expect("a branch");
            for site in (0..program.sites.len()).map(SiteId::new) {
                let place = decision(&program, site);
                prop_assert_eq!(dominators.reachable(site), reachable.contains(&place));
                let expected = reachable.contains(&decision(&program, own))
                    && reachable.contains(&place)
                    && !avoiding.contains(&place);
                prop_assert_eq!(
                    dominators.dominates_site(branch, site), expected,
                    "{} over {} in\n{}", branch, site, &program
                );
                let listed = dominators.of_site(site).any(|dominator| dominator == branch);
                prop_assert_eq!(listed, expected);
            }
        }
    }

    #[test]
    fn random_programs_survive_the_text_form(program in programs()) {
        prop_assert_eq!(program.to_string().parse::<Program>(), Ok(program));
    }
}

const CALLS: &str = "
declare void @qsort(ptr v0, ptr v1) external
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b2
b1:
  v1: i32 = call @check(v0)
  br v0, b3, b2
b2:
  call @fail()
  unreachable
b3:
  call @qsort(null, @compare)
  v2: i32 = call *null(ptr inttoptr)
  ret i32 0
}
define i32 @check(i1 v0) internal {
b0:
  br v0, b1, b2
b1:
  ret i32 0
b2:
  br v0, b3, b1
b3:
  call @fail()
  ret i32 1
}
define void @fail() internal {
b0:
  unreachable
}
define i32 @compare(ptr v0) internal address_taken {
b0:
  v1: i1 = icmp eq v0, null
  v2: i32 = select v1, i32 0, i32 1
  ret v2
}
";

fn calls() -> Program {
    let program: Program = CALLS
        .replace("ptr inttoptr", "undef ptr")
        .parse()
        .expect("a program");
    assert_eq!(program.verify(), Ok(()));
    program
}

#[test]
fn call_graph_of_a_small_program() {
    let program = calls();
    let graph = CallGraph::new(&program);
    let id = |name| program.function_named(name).expect("a function");
    let callers = |name| {
        graph
            .callers(id(name))
            .map(|call| call.function)
            .collect::<Vec<_>>()
    };
    assert_eq!(callers("check"), [id("main")]);
    assert_eq!(callers("fail"), [id("main"), id("check")]);
    // Once through `qsort`, once through the pointer.
    assert_eq!(callers("compare"), [id("main"), id("main")]);
    let calls = graph.calls_in(id("main"));
    assert_eq!(graph.callees(&calls[2]), [id("qsort"), id("compare")]);
    assert!(calls[2].open && !calls[0].open && !calls[3].open);
}

#[test]
fn distances_and_dominators_of_a_small_program() {
    // Sites: main b0 (branches 0, 1), main b1 (2, 3), check b0 (4, 5), check b2 (6, 7),
    // select in compare (8, 9). Odd branches are "true".
    let program = calls();
    let distances = Distances::new(&program, [BranchId(3)]);
    let get = |branch| distances.get(BranchId(branch));
    assert_eq!(get(3), Some(0));
    // Through `check`, at least one branch of it.
    assert_eq!(get(1), Some(2));
    // From within `check`, back to its caller.
    assert_eq!((get(5), get(4), get(6)), (Some(1), Some(2), Some(1)));
    // `fail` never returns.
    assert_eq!((get(7), get(0), get(2)), (None, None, None));
    let distances = Distances::new(&program, [BranchId(8)]);
    assert_eq!(distances.get(BranchId(3)), Some(1));
    assert_eq!(distances.get(BranchId(9)), Some(1));

    let dominators = BranchDominators::new(&program);
    assert_eq!(
        dominators.of_site(SiteId(3)).collect::<Vec<_>>(),
        [BranchId(4), BranchId(1)]
    );
    assert_eq!(
        dominators.of_site(SiteId(1)).collect::<Vec<_>>(),
        [BranchId(1)]
    );
    // `compare` may be entered at any time.
    assert_eq!(dominators.of_site(SiteId(4)).collect::<Vec<_>>(), []);
    assert!(dominators.dominates(BranchId(4), BranchId(7)));
    assert!(!dominators.dominates(BranchId(5), BranchId(3)));
    assert!(matches!(
        program.functions[1].blocks[0].terminator,
        Terminator::Branch { .. }
    ));
}

//! Random programs, and the runs that they allow: step by step, with a stack.

use std::collections::{HashMap, HashSet, VecDeque};

use proptest::prelude::*;

use crate::{
    BlockId, BranchId, Callee, FunctionId, Operand, Operation, Program, Terminator, ValueId,
};

/// How deep the runs' stacks grow. Cheapest paths need no more: a function entered twice for
/// good, or passed through inside itself, can be left out.
const DEPTH: usize = 5;

/// Programs of up to three functions with few calls.
pub(super) fn programs() -> impl Strategy<Value = Program> {
    prop::collection::vec(any::<u8>(), 64).prop_map(|choices| {
        let text = write(&mut choices.into_iter().cycle());
        let program: Program = text.parse().expect("a program");
        assert_eq!(program.verify(), Ok(()));
        program
    })
}

fn write(choices: &mut impl Iterator<Item = u8>) -> String {
    let mut pick = |count: u32| choices.next().map_or(0, |choice| u32::from(choice) % count);
    let mut calls = 0;
    let functions = 1 + pick(3);
    let mut text = String::from("declare void @external() external\n");
    for function in 0..functions {
        let name = if function == 0 {
            "main".into()
        } else {
            format!("f{function}")
        };
        let taken = if function == 2 { " address_taken" } else { "" };
        text += &format!("define void @{name}(i1 v0, ptr v1) external{taken} {{\n");
        let blocks = 1 + pick(4);
        let mut value = 2;
        for block in 0..blocks {
            text += &format!("b{block}:\n");
            if pick(4) == 0 {
                text += &format!("  v{value}: i1 = select v0, v0, i1 1\n");
                value += 1;
            }
            if calls < 3 && pick(2) == 0 {
                calls += 1;
                text += &match pick(functions + 2) {
                    0 => "  call @main(v0, v1)\n".to_owned(),
                    1 => "  call @external()\n".to_owned(),
                    2 => "  call *v1(v0, v1)\n".to_owned(),
                    other => format!("  call @f{}(v0, v1)\n", other - 2),
                };
            }
            let targets = blocks - 1;
            let mut to = || if targets == 0 { 0 } else { 1 + pick(targets) };
            let (first, second, third) = (to(), to(), to());
            text += &match pick(if targets == 0 { 2 } else { 8 }) {
                0 => "  ret\n".to_owned(),
                1 if targets > 0 => "  unreachable\n".to_owned(),
                1 => "  ret\n".to_owned(),
                2 | 3 => format!("  jump b{first}\n"),
                4 => format!("  switch i8 3, b{first} [1 b{second}, 2 b{third}]\n"),
                _ => format!("  br v0, b{first}, b{second}\n"),
            };
        }
        text += "}\n";
    }
    text
}

/// A position: function, block, index of the next instruction.
pub(super) type Position = (FunctionId, BlockId, usize);

/// What may come next at a position.
pub(super) enum Next {
    /// Another position in the function, across a branch or not.
    Step(Option<BranchId>, Position),
    /// A call of a defined function, and where it returns to.
    Call(FunctionId, Position),
    /// The end of the function.
    Return,
}

/// The steps from a position.
pub(super) fn next(program: &Program, (function, block, index): Position) -> Vec<Next> {
    let body = &program.functions[function.index()].blocks[block.index()];
    let after = (function, block, index + 1);
    let Some(instruction) = body.instructions.get(index) else {
        let to = body.terminator.successors();
        let steps = (0..).zip(to).map(|(direction, to)| {
            let branch = body
                .terminator
                .site()
                .and_then(|site| program.branch(site, direction));
            Next::Step(branch, (function, to, 0))
        });
        let returns = matches!(body.terminator, Terminator::Return(_)).then_some(Next::Return);
        return steps.chain(returns).collect();
    };
    match &instruction.operation {
        Operation::Select { site, .. } => (0..2)
            .map(|direction| Next::Step(program.branch(*site, direction), after))
            .collect(),
        Operation::Call {
            callee: Callee::Direct(id),
            ..
        } => {
            if program.functions[id.index()].defined {
                vec![Next::Call(*id, after)]
            } else {
                vec![Next::Step(None, after)]
            }
        }
        Operation::Call {
            callee: Callee::Indirect(Operand::Value(ValueId(1))),
            ..
        } => {
            let taken = program.function_named("f2");
            taken.map_or_else(
                || vec![Next::Step(None, after)],
                |id| vec![Next::Call(id, after)],
            )
        }
        _ => vec![Next::Step(None, after)],
    }
}

/// The first position of a function.
pub(super) fn entry(function: FunctionId) -> Position {
    (function, BlockId(0), 0)
}

/// Where each function may return to: after the calls that may reach it.
fn return_points(program: &Program) -> HashMap<FunctionId, Vec<Position>> {
    let mut points: HashMap<_, Vec<_>> = HashMap::new();
    for (index, function) in program.functions.iter().enumerate() {
        for (block, body) in function.blocks() {
            for instruction in 0..body.instructions.len() {
                for step in next(program, (FunctionId::new(index), block, instruction)) {
                    if let Next::Call(callee, after) = step {
                        points.entry(callee).or_default().push(after);
                    }
                }
            }
        }
    }
    points
}

/// The least number of branches to cross from a position, up to and with a target; searched
/// over positions with stacks. A path may return from the function where it begins to any of
/// its callers.
pub(super) fn naive_distance(
    program: &Program,
    start: Position,
    targets: &HashSet<BranchId>,
) -> Option<u32> {
    let points = return_points(program);
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(0u32, start, Vec::<Position>::new())]);
    while let Some((distance, position, stack)) = queue.pop_front() {
        if !seen.insert((position, stack.clone())) {
            continue;
        }
        for step in next(program, position) {
            match step {
                Next::Step(None, to) => queue.push_front((distance, to, stack.clone())),
                // Positions come in order of distance, so the first target is the nearest.
                Next::Step(Some(branch), to) => {
                    if targets.contains(&branch) {
                        return Some(distance + 1);
                    }
                    queue.push_back((distance + 1, to, stack.clone()));
                }
                Next::Call(callee, after) => {
                    if stack.len() < DEPTH {
                        let mut deeper = stack.clone();
                        deeper.push(after);
                        queue.push_front((distance, entry(callee), deeper));
                    }
                }
                Next::Return => {
                    let mut rest = stack.clone();
                    match rest.pop() {
                        Some(to) => queue.push_front((distance, to, rest)),
                        None => {
                            for to in points.get(&position.0).into_iter().flatten() {
                                queue.push_front((distance, *to, Vec::new()));
                            }
                        }
                    }
                }
            }
        }
    }
    None
}

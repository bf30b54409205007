//! How many statements each branch controls: the score of CarFast (Park et al., "CarFast:
//! achieving higher statement coverage faster", FSE 2012).
//!
//! A statement is controlled by a branch if it is transitively control-dependent on it within the
//! function, or belongs to a function that may be called by such a statement, directly or through
//! others. Each statement counts once; a statement is an instruction or a terminator.
//!
//! Cost: for each branch a walk over the control dependences of its function, and one bit per
//! function.

use super::{CallGraph, ControlDependence};
use crate::{BlockId, BranchId, Function, FunctionId, Program, Terminator};

/// The number of statements that each branch controls.
#[derive(Clone, Debug)]
pub struct ControlledStatements {
    counts: Vec<u64>,
}

impl ControlledStatements {
    /// Counts for all branches.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let calls = CallGraph::new(program);
        let mut this = Counting {
            program,
            reached: reached(program, &calls),
            sizes: program.functions.iter().map(whole_size).collect(),
            calls,
            counts: vec![0; program.branch_count()],
        };
        for (index, function) in program.functions.iter().enumerate() {
            if !function.blocks.is_empty() {
                this.function(FunctionId::new(index), function);
            }
        }
        Self {
            counts: this.counts,
        }
    }

    /// The number of statements that a branch controls; 0 for both sides of a select.
    #[must_use]
    pub fn of(&self, branch: BranchId) -> u64 {
        self.counts.get(branch.index()).copied().unwrap_or(0)
    }
}

struct Counting<'a> {
    program: &'a Program,
    calls: CallGraph,
    /// By function: the functions that run when it is called, itself included.
    reached: Vec<FunctionSet>,
    /// Statements by function.
    sizes: Vec<u64>,
    counts: Vec<u64>,
}

impl Counting<'_> {
    fn function(&mut self, id: FunctionId, function: &Function) {
        let dependence = ControlDependence::new(function);
        // Turned around: what depends on each direction of each block.
        let mut dependents: Vec<Vec<(u32, BlockId)>> = vec![Vec::new(); function.blocks.len()];
        for (block, _) in function.blocks() {
            for (decider, direction) in dependence.of(block) {
                dependents[decider.index()].push((*direction, block));
            }
        }
        let mut callees: Vec<Vec<FunctionId>> = vec![Vec::new(); function.blocks.len()];
        for call in self.calls.calls_in(id) {
            callees[call.block.index()].extend(self.calls.callees(call));
        }
        for (block, body) in function.blocks() {
            let Some(site) = body.terminator.site() else {
                continue;
            };
            for (direction, _) in (0..).zip(body.terminator.successors()) {
                if let Some(branch) = self.program.branch(site, direction) {
                    let blocks = controlled(&dependents, block, direction);
                    self.counts[branch.index()] = self.statements(function, &blocks, &callees);
                }
            }
        }
    }

    /// Statements of some blocks and of all that they call.
    fn statements(
        &self,
        function: &Function,
        blocks: &[BlockId],
        callees: &[Vec<FunctionId>],
    ) -> u64 {
        let own: u64 = blocks.iter().map(|block| size(function, *block)).sum();
        let mut called = FunctionSet::new(self.sizes.len());
        for callee in blocks.iter().flat_map(|block| &callees[block.index()]) {
            // Whoever was reached brought along whom it reaches.
            if !called.contains(*callee) {
                called.add_all(&self.reached[callee.index()]);
            }
        }
        own + called.iter().map(|id| self.sizes[id]).sum::<u64>()
    }
}

/// The blocks that depend on a decision in a direction, directly or through others.
fn controlled(dependents: &[Vec<(u32, BlockId)>], from: BlockId, direction: u32) -> Vec<BlockId> {
    let mut seen = vec![false; dependents.len()];
    let mut found = Vec::new();
    let direct = dependents[from.index()].iter();
    let direct = direct.filter(|(side, _)| *side == direction);
    let mut open: Vec<BlockId> = direct.map(|(_, block)| *block).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            found.push(block);
            open.extend(dependents[block.index()].iter().map(|(_, block)| *block));
        }
    }
    found
}

fn size(function: &Function, block: BlockId) -> u64 {
    let block = &function.blocks[block.index()];
    let ends = !matches!(block.terminator, Terminator::Unreachable);
    block.instructions.len() as u64 + u64::from(ends)
}

fn whole_size(function: &Function) -> u64 {
    let blocks = function.blocks();
    blocks.map(|(block, _)| size(function, block)).sum()
}

/// By function: the defined functions that run when it is called.
fn reached(program: &Program, calls: &CallGraph) -> Vec<FunctionSet> {
    let all = (0..program.functions.len()).map(FunctionId::new);
    all.map(|id| {
        let mut seen = FunctionSet::new(program.functions.len());
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if program.functions[id.index()].defined && seen.insert(id) {
                let calls_here = calls.calls_in(id).iter();
                open.extend(calls_here.flat_map(|call| calls.callees(call)));
            }
        }
        seen
    })
    .collect()
}

/// A set of functions, one bit each.
struct FunctionSet(Vec<u64>);

impl FunctionSet {
    fn new(functions: usize) -> Self {
        FunctionSet(vec![0; functions.div_ceil(64)])
    }

    fn contains(&self, id: FunctionId) -> bool {
        self.0[id.index() / 64] >> (id.index() % 64) & 1 == 1
    }

    /// Adds a function; tells whether it is new.
    fn insert(&mut self, id: FunctionId) -> bool {
        let new = !self.contains(id);
        self.0[id.index() / 64] |= 1 << (id.index() % 64);
        new
    }

    fn add_all(&mut self, other: &FunctionSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |(index, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter_map(move |bit| (word >> bit & 1 == 1).then_some(64 * index + bit))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::ControlledStatements;
    use crate::{BranchId, Program};

    /// Branch 1 (true) of the first decision controls the second one and with it the calls; the
    /// callees call each other, and the external function has no statements.
    const PROGRAM: &str = "
declare void @outside() external
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b3
b1:
  br v0, b2, b3
b2:
  call @f(v0)
  call @outside()
  jump b3
b3:
  ret i32 0
}
define void @f(i1 v0) internal {
b0:
  br v0, b1, b2
b1:
  call @g(v0)
  jump b2
b2:
  ret
}
define void @g(i1 v0) internal {
b0:
  call @f(v0)
  ret
}
";

    #[test]
    fn nested_decisions_and_calls_count_once() {
        let program: Program = PROGRAM.parse().expect("a program");
        let counts = ControlledStatements::new(&program);
        let all: Vec<u64> = (0..6).map(|branch| counts.of(BranchId(branch))).collect();
        // f has 4 statements, g 2. b2 of main has 3, its b1 one.
        assert_eq!(all, [0, 3 + 6 + 1, 0, 3 + 6, 0, 2 + 6]);
    }
}

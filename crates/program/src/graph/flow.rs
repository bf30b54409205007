//! The flow of the whole program at the grain of decisions and calls.
//!
//! Nodes: one per branch (its id is the branch's), one per stretch of code between two
//! decisions or calls, one per function for its return, and two per set of callees: the entry
//! and the exit. Steps stay within a function; calls join functions and are kept apart, so
//! that each analysis can decide which paths through them it wants.
//!
//! Invariant: a branch node has one step to it, from the decision, and one step from it.

use super::CallGraph;
use crate::{BlockId, BranchId, FunctionId, Operation, Program, SiteId, Terminator};

/// A call in the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowCall {
    /// The stretch that ends with the call.
    pub(super) at: u32,
    /// The stretch after it.
    pub(super) after: u32,
    /// The callees: index of a set of the call graph.
    pub(super) set: u32,
    /// Whether control may pass without running a defined function.
    pub(super) open: bool,
}

/// The flow graph.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) nodes: u32,
    pub(super) branches: u32,
    pub(super) steps: Vec<(u32, u32)>,
    pub(super) calls: Vec<FlowCall>,
    /// Defined functions: first stretch and return node.
    pub(super) functions: Vec<Option<(u32, u32)>>,
    /// Sets that occur in calls, without external functions.
    pub(super) sets: Vec<FlowSet>,
    /// The stretch that ends with the decision of each site.
    pub(super) decisions: Vec<u32>,
}

/// A set of callees in the flow.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowSet {
    pub(super) into: u32,
    pub(super) out: u32,
    pub(super) members: Vec<FunctionId>,
}

impl Flow {
    pub(super) fn new(program: &Program) -> Self {
        let graph = CallGraph::new(program);
        let branches = program.branch_count() as u32;
        let mut flow = Flow {
            nodes: branches,
            branches,
            steps: Vec::new(),
            calls: Vec::new(),
            functions: vec![None; program.functions.len()],
            sets: vec![FlowSet::default(); graph.set_count()],
            decisions: vec![0; program.sites.len()],
        };
        let mut set_used = vec![false; graph.set_count()];
        for (index, function) in program.functions.iter().enumerate() {
            if !function.blocks.is_empty() {
                let id = FunctionId::new(index);
                FunctionFlow::build(&mut flow, program, &graph, id, &mut set_used);
            }
        }
        let defined = |id: &FunctionId| flow.functions[id.index()].is_some();
        for (set, _) in set_used.iter().enumerate().filter(|(_, used)| **used) {
            let members = graph
                .set(set as u32)
                .iter()
                .copied()
                .filter(defined)
                .collect();
            flow.sets[set] = FlowSet {
                into: flow.nodes,
                out: flow.nodes + 1,
                members,
            };
            flow.nodes += 2;
        }
        flow
    }

    fn fresh(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    /// Steps from a decision over the branch of each direction.
    fn decide(&mut self, program: &Program, site: SiteId, at: u32, to: impl Iterator<Item = u32>) {
        if let Some(slot) = self.decisions.get_mut(site.index()) {
            *slot = at;
        }
        for (direction, to) in (0..).zip(to) {
            match program.branch(site, direction) {
                Some(BranchId(branch)) => self.steps.extend([(at, branch), (branch, to)]),
                None => self.steps.push((at, to)),
            }
        }
    }
}

/// The construction of one function's flow.
struct FunctionFlow<'a> {
    flow: &'a mut Flow,
    program: &'a Program,
    /// First stretch of block 0; those of the other blocks follow.
    first: u32,
    exit: u32,
}

impl FunctionFlow<'_> {
    fn build(
        flow: &mut Flow,
        program: &Program,
        graph: &CallGraph,
        id: FunctionId,
        set_used: &mut [bool],
    ) {
        let function = &program.functions[id.index()];
        let first = flow.nodes;
        let exit = first + function.blocks.len() as u32;
        flow.nodes = exit + 1;
        flow.functions[id.index()] = Some((first, exit));
        let mut calls = graph.calls_in(id).iter();
        let mut this = FunctionFlow {
            flow,
            program,
            first,
            exit,
        };
        for (block_id, block) in function.blocks() {
            let mut at = this.start(block_id);
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Select { site, .. } => {
                        let after = this.flow.fresh();
                        this.flow
                            .decide(program, *site, at, [after, after].into_iter());
                        at = after;
                    }
                    Operation::Call { .. } => {
                        let Some(call) = calls.next() else { continue };
                        let after = this.flow.fresh();
                        set_used[call.set as usize] = true;
                        let call = FlowCall {
                            at,
                            after,
                            set: call.set,
                            open: call.open,
                        };
                        this.flow.calls.push(call);
                        at = after;
                    }
                    _ => {}
                }
            }
            this.terminator(&block.terminator, at);
        }
    }

    fn start(&self, block: BlockId) -> u32 {
        self.first + block.0
    }

    fn terminator(&mut self, terminator: &Terminator, at: u32) {
        let first = self.first;
        let to = terminator
            .successors()
            .into_iter()
            .map(|block| first + block.0);
        match terminator.site() {
            Some(site) => self.flow.decide(self.program, site, at, to),
            None => self.flow.steps.extend(to.map(|to| (at, to))),
        }
        if matches!(terminator, Terminator::Return(_)) {
            self.flow.steps.push((at, self.exit));
        }
    }
}

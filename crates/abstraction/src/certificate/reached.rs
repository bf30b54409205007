//! What runs may still enter, if branches that are proved unreachable are left out.

use std::collections::BTreeSet;

use labrys_analysis::ProgramAnalysis;
use labrys_program::{
    BlockId, BranchId, Callee, Function, FunctionId, Operation, Program, Terminator,
};

/// The functions, external ones included, that runs may enter which begin in a function and take none
/// of these branches.
pub fn reached(
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
    untaken: &BTreeSet<BranchId>,
) -> BTreeSet<FunctionId> {
    let program = analysis.program();
    let all = || (0..program.functions.len()).map(FunctionId::new);
    let mut found = BTreeSet::new();
    let outside = all().filter(|id| analysis.is_called_from_outside(*id));
    let mut next: Vec<FunctionId> = outside.chain([entry]).collect();
    while let Some(id) = next.pop() {
        let function = analysis.function(id);
        if !found.insert(id) || function.blocks.is_empty() {
            continue;
        }
        let blocks = reached_blocks(program, function, untaken);
        for call in analysis.calls().calls_in(id) {
            if !blocks.contains(&call.block) {
                continue;
            }
            next.extend(analysis.calls().callees(call));
            if call.open {
                let external = |id: &FunctionId| {
                    let function = analysis.function(*id);
                    function.address_taken && !function.defined
                };
                next.extend(all().filter(external));
            }
        }
        for block in blocks.iter().filter_map(|id| function.block(*id)) {
            for instruction in &block.instructions {
                if let Operation::Call {
                    callee: Callee::Direct(callee),
                    ..
                } = instruction.operation
                {
                    next.push(callee);
                }
            }
        }
    }
    found
}

fn reached_blocks(
    program: &Program,
    function: &Function,
    untaken: &BTreeSet<BranchId>,
) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    let mut next = vec![BlockId(0)];
    while let Some(id) = next.pop() {
        let Some(block) = function.block(id).filter(|_| found.insert(id)) else {
            continue;
        };
        let site = match &block.terminator {
            Terminator::Branch { site, .. } | Terminator::Switch { site, .. } => Some(*site),
            _ => None,
        };
        let is_taken = |direction: u32| {
            let branch = site.and_then(|site| program.branch(site, direction));
            branch.is_none_or(|branch| !untaken.contains(&branch))
        };
        let targets = (0..).zip(block.terminator.successors());
        next.extend(targets.filter(|(at, _)| is_taken(*at)).map(|(_, to)| to));
    }
    found
}

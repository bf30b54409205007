//! Variables and functions that the program names and does not define.
//!
//! Law: two names of such a kind may be names of one thing (`environ` and `__environ`), unless the C
//! library is known to have two. What the program defines is no other thing: the linker gives it no
//! second name without a reason against all proofs.

use std::collections::BTreeSet;

use labrys_library::may_be_one_variable;
use labrys_program::{
    Constant, ConstantId, FunctionId, Global, GlobalId, Operand, Operation, Program,
    RelocationTarget,
};
use labrys_semantics::environment::is_surrounding;

use crate::address::global_of;

/// Whether two functions may be one.
pub(crate) fn may_be_one_function(program: &Program, a: FunctionId, b: FunctionId) -> bool {
    let is_elsewhere = |id| program.function(id).is_none_or(|one| !one.defined);
    is_elsewhere(a) && is_elsewhere(b)
}

/// Whether two globals may be one.
pub(crate) fn may_be_one_global(program: &Program, a: GlobalId, b: GlobalId) -> bool {
    match (program.global(a), program.global(b)) {
        (Some(a), Some(b)) => {
            is_elsewhere(a) && is_elsewhere(b) && may_be_one_variable(&a.name, &b.name)
        }
        _ => false,
    }
}

fn is_elsewhere(global: &Global) -> bool {
    global.initializer.is_none() && !is_surrounding(&global.name)
}

/// The globals that the program may change by another name.
pub(crate) fn changed_by_other_names(program: &Program) -> BTreeSet<GlobalId> {
    let globals = program.globals.iter().enumerate();
    let elsewhere: Vec<GlobalId> = globals
        .filter(|(_, global)| is_elsewhere(global))
        .map(|(index, _)| GlobalId::new(index))
        .collect();
    if elsewhere.len() < 2 {
        return BTreeSet::new();
    }
    let changed = more_than_read(program);
    let is_changed = |id: &GlobalId| {
        let mut others = changed.iter().filter(|other| *other != id);
        others.any(|other| may_be_one_global(program, *id, *other))
    };
    elsewhere.into_iter().filter(is_changed).collect()
}

/// The globals of which more is done than to read and compare.
fn more_than_read(program: &Program) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for relocation in program.relocations() {
        if let RelocationTarget::Global(id, _) = relocation.target {
            found.insert(id);
        }
    }
    let functions = program.functions.iter();
    for block in functions.flat_map(|function| &function.blocks) {
        let mut look = |operand: Operand| {
            if let Operand::Constant(id) = operand {
                add_named(program, id, &mut found);
            }
        };
        for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
            look(*operand);
        }
        for instruction in &block.instructions {
            match &instruction.operation {
                Operation::Load { address, .. } if is_global(program, *address) => {}
                Operation::Compare { .. } => {}
                operation => operation.visit_operands(&mut look),
            }
        }
        block.terminator.visit_operands(&mut look);
    }
    found
}

fn is_global(program: &Program, operand: Operand) -> bool {
    matches!(operand, Operand::Constant(id) if global_of(program, id).is_some())
}

/// Adds the globals that a constant names.
fn add_named(program: &Program, id: ConstantId, found: &mut BTreeSet<GlobalId>) {
    let Some(constant) = program.constant(id) else {
        return;
    };
    if let Constant::Global(global) = constant {
        found.insert(*global);
    }
    for child in constant.children() {
        if child < id {
            add_named(program, child, found);
        }
    }
}

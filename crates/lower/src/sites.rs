//! The numbering of sites: the one walk over a module that lowering and instrumentation share.
//!
//! Sites are visited in the order (defined function in module order, block, instruction). A
//! site is a conditional `br`, a `switch` with at least one case, or a `select` with a scalar
//! one-bit condition; the position in [`sites`]'s list is its [`SiteId`](labrys_program::SiteId).
//!
//! Invariant: the list depends on nothing but the frozen bitcode, so whoever walks the same
//! bytes gets the same ids.

use labrys_program::{BlockId, FunctionId, SiteKind};

use crate::traps::trap_of;
use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Module, Value};

/// One decision of a module.
#[derive(Clone, Debug)]
pub struct Decision<'m> {
    /// The `br`, `switch` or `select`.
    pub instruction: Value<'m>,
    /// What decides, with the cases of a switch in the order of the instruction.
    pub kind: SiteKind,
    /// Index of the function in the module, declarations counted.
    pub function: FunctionId,
    /// Index of the block in its function.
    pub block: BlockId,
    /// Whether one side does nothing but trap: see [`labrys_program::Site::oracle`].
    pub oracle: bool,
}

/// All decisions of a module in the order of their ids.
#[must_use]
pub fn sites(module: &Module) -> Vec<Decision<'_>> {
    let mut found = Vec::new();
    for (function_index, function) in module.functions().into_iter().enumerate() {
        for (block_index, block) in function.blocks().into_iter().enumerate() {
            for instruction in block.instructions() {
                let Some(kind) = site_kind(instruction) else {
                    continue;
                };
                found.push(Decision {
                    instruction,
                    oracle: kind == SiteKind::Branch
                        && block
                            .successors()
                            .into_iter()
                            .any(|to| trap_of(to).is_some()),
                    kind,
                    function: FunctionId::new(function_index),
                    block: BlockId::new(block_index),
                });
            }
        }
    }
    found
}

/// What an instruction decides, if it is a site.
fn site_kind(instruction: Value<'_>) -> Option<SiteKind> {
    match instruction.opcode() {
        LLVMOpcode::LLVMBr if instruction.is_conditional() => Some(SiteKind::Branch),
        LLVMOpcode::LLVMSwitch => switch_kind(instruction),
        LLVMOpcode::LLVMSelect => {
            let scalar = instruction.operand(0).ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind;
            scalar.then_some(SiteKind::Select)
        }
        _ => None,
    }
}

/// The kind of a switch, `None` if it has no case or scrutinizes more than 128 bits.
fn switch_kind(instruction: Value<'_>) -> Option<SiteKind> {
    let width = instruction.operand(0).ty().int_width()?;
    // Operands: scrutinee, default, then pairs of case value and block.
    let cases: Option<Vec<u128>> = (2..instruction.operand_count())
        .step_by(2)
        .map(|index| instruction.operand(index).const_int_bits())
        .collect();
    cases
        .filter(|cases| !cases.is_empty())
        .map(|cases| SiteKind::Switch { width, cases })
}

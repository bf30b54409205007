//! What an instruction may do to labels: by these questions functions are cut into blocks, and
//! the blocks that have two versions are chosen.

use std::collections::HashSet;

use labrys_library::{Computes, WRAPPER_PREFIX};
use labrys_llvm::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Value};

use super::intrinsics::{self, is_computation};
use super::markers::marker;
use super::slots::is_slot;
use super::types::scalars;

/// The name of the function that a call calls directly; empty for other calls.
pub(super) fn callee_name(call: Value<'_>) -> String {
    let callee = call.called();
    match callee.kind() {
        LLVMValueKind::LLVMFunctionValueKind => callee.name(),
        _ => String::new(),
    }
}

/// The number of bytes that a call compares, if that is a small constant.
pub(super) fn comparison(i: Value<'_>) -> Option<u64> {
    const MOST: u64 = 64;
    if i.opcode() != LLVMOpcode::LLVMCall || i.is_musttail() {
        return None;
    }
    let name = callee_name(i);
    let function = name.strip_prefix(WRAPPER_PREFIX)?;
    let computes = labrys_library::function(function)?.computes();
    if computes != Some(Computes::CompareBytes) {
        return None;
    }
    let size = i.operand(2).const_int_value()?;
    (1..=MOST).contains(&size).then_some(size)
}

/// Whether results of a call may have labels when it returns.
pub(super) fn may_leave_labels(i: Value<'_>) -> bool {
    if i.opcode() != LLVMOpcode::LLVMCall || i.is_musttail() {
        return false;
    }
    let callee = i.called();
    if scalars(i.ty()).is_empty() {
        return false;
    }
    match callee.kind() {
        LLVMValueKind::LLVMInlineAsmValueKind => false,
        LLVMValueKind::LLVMFunctionValueKind => {
            let name = callee.name();
            !name.starts_with("llvm.") && marker(&name).is_none() && comparison(i).is_none()
        }
        _ => true,
    }
}

/// Whether an instruction must not be done twice. A write of a slot that was read before is an
/// effect: the second read would give another value.
pub(super) fn is_effect(i: Value<'_>, read: &HashSet<Value<'_>>) -> bool {
    use LLVMOpcode as O;
    match i.opcode() {
        O::LLVMStore if is_slot(i.operand(1)) => read.contains(&i.operand(1)),
        O::LLVMCall => {
            let name = callee_name(i);
            let token = marker(&name).is_some_and(|name| name.starts_with("at_switch"));
            !token && !is_computation(&name) && comparison(i).is_none()
        }
        O::LLVMBr => i.is_conditional(),
        O::LLVMStore
        | O::LLVMAlloca
        | O::LLVMFence
        | O::LLVMAtomicRMW
        | O::LLVMAtomicCmpXchg
        | O::LLVMVAArg
        | O::LLVMRet
        | O::LLVMSwitch
        | O::LLVMUnreachable
        | O::LLVMResume
        | O::LLVMLandingPad => true,
        _ => false,
    }
}

/// Whether an instruction can set no flag of memory and allocates nothing.
pub(super) fn is_quiet(i: Value<'_>) -> bool {
    use LLVMOpcode as O;
    match i.opcode() {
        O::LLVMAlloca | O::LLVMFence | O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg | O::LLVMVAArg => {
            false
        }
        O::LLVMCall => {
            let name = callee_name(i);
            let silent = || intrinsics::kind(&name) == intrinsics::Kind::Silent;
            marker(&name).is_some() || is_computation(&name) || silent()
        }
        // Pointers of other kinds of memory do not lie where flags are.
        O::LLVMLoad => is_usual(i.operand(0)),
        O::LLVMStore => is_usual(i.operand(1)),
        _ => true,
    }
}

/// Whether an address is one of memory that has a shadow; other address spaces have none.
pub(super) fn is_usual(address: Value<'_>) -> bool {
    let ty = address.ty();
    ty.kind() == LLVMTypeKind::LLVMPointerTypeKind && ty.address_space() == 0
}

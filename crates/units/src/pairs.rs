//! Parameters that point into one array: its beginning and its end, say.
//!
//! Two pointers do if the code orders or subtracts what it computes from them, or compares a place
//! further on in the one with the other. That both may be the same object is no sign: aliases are
//! a choice of each pointer.

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, Value};
use rustc_hash::FxHashSet;

use crate::uses::given;

/// Values that are followed from one pointer.
const MOST_VALUES: usize = 256;

/// Whether two parameters of a function point into one array.
pub(crate) fn share_array(left: Value<'_>, right: Value<'_>) -> bool {
    let (of_left, of_right) = (computed_from(left), computed_from(right));
    let only = |one: Value<'_>, own: &FxHashSet<_>, other: &FxHashSet<_>| {
        own.contains(&one) && !other.contains(&one)
    };
    let pairs = |one: Value<'_>, other: Value<'_>| {
        only(one, &of_left, &of_right) && only(other, &of_right, &of_left)
    };
    let users = of_left.iter().flat_map(|value| value.users());
    let mut users = users.filter(|user| user.is_instruction());
    users.any(|user| {
        let is_place = match user.opcode() {
            LLVMOpcode::LLVMSub => true,
            LLVMOpcode::LLVMICmp => {
                let equal = matches!(
                    user.int_predicate(),
                    LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE
                );
                let further = user
                    .operands()
                    .into_iter()
                    .any(|one| one != left && one != right);
                !equal || further
            }
            _ => return false,
        };
        let (one, other) = (user.operand(0), user.operand(1));
        is_place && (pairs(one, other) || pairs(other, one))
    })
}

/// A pointer, the places further on in its array, and their numbers; also where it is passed on.
fn computed_from(pointer: Value<'_>) -> FxHashSet<Value<'_>> {
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![pointer];
    while let Some(value) = open.pop() {
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMGetElementPtr if user.operand(0) == value => open.push(user),
                LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMPtrToInt => {
                    open.push(user);
                }
                LLVMOpcode::LLVMCall => open.extend(given(user, value)),
                _ => {}
            }
        }
    }
    seen
}

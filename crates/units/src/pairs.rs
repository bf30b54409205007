//! Parameters that point into one array: its beginning and its end, say.
//!
//! Two pointers do if the code orders or subtracts what it computes from them, or compares a place
//! further on in the one with the other. That both may be the same object is no sign: aliases are
//! a choice of each pointer.

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, Value};
use rustc_hash::FxHashSet;

use crate::flow::{given, is_pointer};

/// Values that are followed from one pointer.
const MOST_VALUES: usize = 256;

/// A parameter: a pointer to a place in an array, or to such a pointer, which the function may move, as
/// parsers do.
#[derive(Clone, Copy)]
pub(crate) enum Pointer<'m> {
    Place(Value<'m>),
    Cursor(Value<'m>),
}

impl<'m> Pointer<'m> {
    /// The place, those further on in the array, and their numbers; also where they are passed on.
    fn places(self) -> FxHashSet<Value<'m>> {
        match self {
            Pointer::Place(pointer) => computed_from([pointer]),
            Pointer::Cursor(to) => computed_from(
                computed_from([to])
                    .into_iter()
                    .flat_map(Value::users)
                    .filter(|user| is_first(*user)),
            ),
        }
    }
}

/// Whether two parameters of a function point into one array.
pub(crate) fn share_array(left: Pointer<'_>, right: Pointer<'_>) -> bool {
    let (of_left, of_right) = (left.places(), right.places());
    let only = |one: Value<'_>, own: &FxHashSet<_>, other: &FxHashSet<_>| {
        own.contains(&one) && !other.contains(&one)
    };
    let pairs = |one: Value<'_>, other: Value<'_>| {
        only(one, &of_left, &of_right) && only(other, &of_right, &of_left)
    };
    let is_whole = |one: Value<'_>| match (left, right) {
        (Pointer::Place(left), Pointer::Place(right)) => one == left || one == right,
        _ => false,
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
                let further = !user.operands().into_iter().all(is_whole);
                !equal || further
            }
            _ => return false,
        };
        let (one, other) = (user.operand(0), user.operand(1));
        is_place && (pairs(one, other) || pairs(other, one))
    })
}

/// Whether an instruction loads the pointer that is the first one behind a pointer.
fn is_first(user: Value<'_>) -> bool {
    let is = |one: Value<'_>, opcode| one.is_instruction() && one.opcode() == opcode;
    is(user, LLVMOpcode::LLVMLoad)
        && is_pointer(user)
        && !is(user.operand(0), LLVMOpcode::LLVMGetElementPtr)
}

/// Pointers, the places further on in their arrays, and their numbers; also where they are passed on.
fn computed_from<'m>(pointers: impl IntoIterator<Item = Value<'m>>) -> FxHashSet<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut open: Vec<Value<'m>> = pointers.into_iter().collect();
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

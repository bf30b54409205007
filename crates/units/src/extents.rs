//! How long the array behind a parameter, or a member, must be for what the code looks for in it:
//! constants that it names as places in the array, as lengths of it or of what is compared with it.
//!
//! A message has a header of 12 bytes and then what it is about; a reader that gets 8 bytes ends
//! at its first decision. Arrays behind members whose length the code looks at stay as long as each other:
//! what is copied from one to another has room there.

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Type, Value};
use rustc_hash::FxHashSet;

use crate::flow::{addresses, given};

/// Up to here there is a margin behind; places further on are those of tables.
const FARTHEST: u64 = 64;
/// Bytes of an array that the code names, at most.
const MOST: u64 = 1024;
/// What stands behind the last place that is named: so many times as much.
const MARGIN: u64 = 4;
/// Values that are followed from one pointer.
const MOST_VALUES: usize = 64;

/// The places of an array that the code names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes from where the pointer points.
    pub(crate) bytes: u64,
    /// Elements, as numbers beside the pointer count them.
    pub(crate) elements: u64,
}

impl Extent {
    /// The larger one of both.
    pub(crate) fn or(self, other: Extent) -> Extent {
        Extent {
            bytes: self.bytes.max(other.bytes),
            elements: self.elements.max(other.elements),
        }
    }

    /// The elements, each of so many bytes, of an array that has `least` of them otherwise.
    pub(crate) fn count(self, element: u64, least: u64) -> u64 {
        let named = self.elements.max(self.bytes.div_ceil(element.max(1)));
        match named {
            _ if named <= least => least,
            _ if named <= FARTHEST => (named * MARGIN).next_power_of_two(),
            _ => named,
        }
    }

    /// What the code names of the array that a pointer points to.
    pub(crate) fn of_array(pointer: Value<'_>) -> Extent {
        let bytes = farthest(pointer);
        Extent { bytes, elements: 0 }
    }

    /// What it compares a number with that counts the elements of an array.
    pub(crate) fn of_length(number: Value<'_>) -> Extent {
        let constants = compared(number).into_iter();
        let named = constants.filter(|constant| *constant <= FARTHEST);
        Extent {
            bytes: 0,
            elements: named.max().unwrap_or(0),
        }
    }
}

/// The constants that the code compares a number with, or what it is converted to.
pub(crate) fn compared(number: Value<'_>) -> Vec<u64> {
    let mut constants = Vec::new();
    let mut open = vec![number];
    while let Some(value) = open.pop() {
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMSwitch => {
                    let operands = user.operands().into_iter();
                    constants.extend(operands.filter_map(Value::const_int_value));
                }
                LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMTrunc => {
                    open.push(user);
                }
                _ => {}
            }
        }
    }
    constants
}

/// The bytes up to the last place that the code names by a constant, also in functions that it passes
/// the pointer on to.
fn farthest(pointer: Value<'_>) -> u64 {
    let mut farthest = 0;
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![(pointer, 0_u64)];
    while let Some((value, at)) = open.pop() {
        if at > MOST || seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        farthest = at.max(farthest);
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMGetElementPtr if user.operand(0) == value => {
                    open.push((user, at.saturating_add(forward(user))));
                }
                LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore if is_accessed(user, value) => {
                    farthest = farthest.max(at.saturating_add(accessed(user)));
                }
                // Steps of a loop do not add up.
                LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect => open.push((user, 0)),
                LLVMOpcode::LLVMCall => {
                    open.extend(given(user, value).into_iter().map(|one| (one, at)));
                    let end = at.saturating_add(looked_at(user, value));
                    farthest = farthest.max(if end > MOST { 0 } else { end });
                }
                _ => {}
            }
        }
    }
    farthest
}

/// If the code goes on from a pointer to further structures or pointers: the last of them that it names.
pub(crate) fn last_of_several(pointer: Value<'_>) -> Option<u64> {
    let further = addresses(pointer).filter_map(|address| {
        let is_object = matches!(
            address.gep_source_type().kind(),
            LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMStructTypeKind
        );
        let index = address.operand(1);
        let goes_on = index.const_int_signed().is_none_or(|index| index > 0);
        (is_object && goes_on).then(|| most(index))
    });
    further.max()
}

/// The constant bytes by which the address of another number is further on, in rows of numbers too.
fn forward(address: Value<'_>) -> u64 {
    let mut ty = address.gep_source_type();
    let mut bytes = 0_u64;
    for (place, index) in address.operands().into_iter().skip(1).enumerate() {
        if place > 0 {
            if ty.kind() != LLVMTypeKind::LLVMArrayTypeKind {
                return 0;
            }
            ty = ty.element();
        }
        bytes = bytes.saturating_add(most(index).saturating_mul(size(ty)));
    }
    bytes
}

/// The largest index that the code names: a constant, one of several, or one less than the constant with
/// which it compares the index.
pub(crate) fn most(index: Value<'_>) -> u64 {
    let mut most = 0;
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    // With the constants that are added, and by which it is multiplied before.
    let mut open = vec![(index, 0_u64, 1_u64)];
    while let Some((value, added, times)) = open.pop() {
        let with = |most: u64| added.saturating_add(most.saturating_mul(times));
        if let Some(index) = value.const_int_signed() {
            let index = u64::try_from(index).unwrap_or(0);
            most = most.max(with(index));
            continue;
        }
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        most = most.max(with(limit(value)));
        if !value.is_instruction() {
            continue;
        }
        let operands = value.operands();
        match value.opcode() {
            LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMPHI => {
                open.extend(operands.into_iter().map(|one| (one, added, times)));
            }
            LLVMOpcode::LLVMSelect => {
                let chosen = operands.into_iter().skip(1);
                open.extend(chosen.map(|one| (one, added, times)));
            }
            LLVMOpcode::LLVMAdd => {
                let constant = operands.iter().find_map(|one| one.const_int_value());
                let more = constant.filter(|more| *more <= FARTHEST).unwrap_or(0);
                let others = operands.iter().filter(|one| !one.is_constant());
                open.extend(others.map(|one| (*one, with(more), times)));
            }
            LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl => {
                let factors = product(value);
                open.extend(factors.map(|(one, by)| (one, added, times.saturating_mul(by))));
            }
            LLVMOpcode::LLVMAnd => {
                let mask = operands.into_iter().find_map(Value::const_int_value);
                most = most.max(with(mask.unwrap_or(0)));
            }
            _ => {}
        }
    }
    most
}

/// The other number and the constant, if a value is a product of both.
pub(crate) fn product(value: Value<'_>) -> Option<(Value<'_>, u64)> {
    let (left, right) = (value.operand(0), value.operand(1));
    match value.opcode() {
        LLVMOpcode::LLVMMul => match (left.const_int_value(), right.const_int_value()) {
            (_, Some(by)) => Some((left, by)),
            (Some(by), _) => Some((right, by)),
            _ => None,
        },
        LLVMOpcode::LLVMShl => {
            let bits = right.const_int_value().filter(|bits| *bits < 32)?;
            Some((left, 1 << bits))
        }
        _ => None,
    }
}

/// The largest value of a number for which the code goes on, by the constants with which it compares it.
fn limit(number: Value<'_>) -> u64 {
    let of = |comparison: Value<'_>| {
        let constant = comparison.operand(1).const_int_signed()?;
        let is_last = matches!(
            comparison.int_predicate(),
            LLVMIntPredicate::LLVMIntSLE
                | LLVMIntPredicate::LLVMIntULE
                | LLVMIntPredicate::LLVMIntSGT
                | LLVMIntPredicate::LLVMIntUGT
                | LLVMIntPredicate::LLVMIntEQ
        );
        let most = match is_last {
            true => constant,
            false => constant.saturating_sub(1),
        };
        u64::try_from(most).ok()
    };
    let users = number.users().into_iter();
    let is_comparison =
        |user: &Value<'_>| user.is_instruction() && user.opcode() == LLVMOpcode::LLVMICmp;
    let limits = users.filter(is_comparison).filter_map(of);
    limits.max().unwrap_or(0)
}

/// Whether an instruction loads or stores a number at an address.
fn is_accessed(user: Value<'_>, address: Value<'_>) -> bool {
    user.operand(user.operand_count() - 1) == address
}

/// The bytes that an instruction loads or stores.
fn accessed(user: Value<'_>) -> u64 {
    match user.opcode() {
        LLVMOpcode::LLVMStore => size(user.operand(0).ty()),
        _ => size(user.ty()),
    }
}

/// The bytes of a number, or of an array of them; 0 of other types.
fn size(ty: Type<'_>) -> u64 {
    match ty.kind() {
        LLVMTypeKind::LLVMArrayTypeKind => ty.array_len().saturating_mul(size(ty.element())),
        _ => u64::from(ty.int_width().unwrap_or(0)) / 8,
    }
}

/// The bytes that a function without a body looks at behind a pointer: a constant number behind two
/// pointers, as `memcmp` takes it, or those of a constant string that is the other one.
fn looked_at(call: Value<'_>, pointer: Value<'_>) -> u64 {
    let called = call.called();
    if !called.is_function() || !called.is_declaration() {
        return 0;
    }
    let arguments = call.arguments();
    let [one, other, rest @ ..] = &arguments[..] else {
        return 0;
    };
    let mate = match (*one == pointer, *other == pointer) {
        (true, false) => *other,
        (false, true) => *one,
        _ => return 0,
    };
    if let [number, ..] = rest {
        return number.const_int_value().unwrap_or(0);
    }
    let ty = (mate.is_variable() && mate.is_constant_global()).then(|| mate.global_type());
    let text = ty.filter(|ty| ty.kind() == LLVMTypeKind::LLVMArrayTypeKind);
    text.map_or(0, Type::array_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_longer_than_what_the_code_names_of_it() {
        let of = |bytes, elements| Extent { bytes, elements };
        assert_eq!(of(0, 0).count(1, 8), 8);
        assert_eq!(of(8, 0).count(1, 8), 8);
        assert_eq!(of(12, 0).count(1, 8), 64);
        assert_eq!(of(12, 0).count(4, 8), 8);
        assert_eq!(of(0, 9).count(4, 8), 64);
        assert_eq!(of(200, 0).count(1, 8), 200);
        assert_eq!(of(12, 0).or(of(3, 20)), of(12, 20));
    }
}

//! Numbers that begin anew where they come to another member of their structure: places in a ring,
//! `if (++r->head == r->size) r->head = 0`. Such a number is less than the other one.
//!
//! Law: where the code looks whether the number that it finds has come to the other one, it may have.

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, Module, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::members::{loaded, member_at};
use crate::types::Member;

/// Values that are followed from one number.
const MOST_VALUES: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// Where numbers begin anew.
    ends: FxHashMap<Member, FxHashSet<Member>>,
    /// What numbers are compared with as the code finds them.
    met: FxHashSet<[Member; 2]>,
}

impl Ends {
    /// The members that a member is less than, in order.
    pub(crate) fn of(&self, number: &Member) -> Vec<&Member> {
        let is_end = |end: &&Member| !self.met.contains(&[number.clone(), (*end).clone()]);
        let ends = self.ends.get(number).into_iter().flatten();
        let mut ends: Vec<_> = ends.filter(is_end).collect();
        ends.sort();
        ends
    }

    /// Notes what an instruction tells.
    pub(crate) fn add<'m>(&mut self, module: &'m Module, instruction: Value<'m>) {
        match instruction.opcode() {
            LLVMOpcode::LLVMICmp => {
                let (left, right) = (instruction.operand(0), instruction.operand(1));
                let (below, above) = is_end(instruction.int_predicate());
                self.compare(module, (left, right), below);
                self.compare(module, (right, left), above);
            }
            LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem => self.divide(module, instruction),
            _ => {}
        }
    }

    /// The code compares a number with what may be its end.
    fn compare<'m>(
        &mut self,
        module: &'m Module,
        (number, end): (Value<'m>, Value<'m>),
        is_end: bool,
    ) {
        let Some(end) = loaded(module, plain(end)) else {
            return;
        };
        let number = plain(number);
        if is_next(number) {
            let members = origins(module, number).into_iter().filter(|_| is_end);
            members.for_each(|member| self.end(member, &end));
        } else if let Some(member) = loaded(module, number) {
            match is_end && is_stepped(module, number, &member) {
                true => self.end(member, &end),
                false => _ = self.met.insert([member, end]),
            }
        }
    }

    /// The code stores what is left of a member by the division.
    fn divide<'m>(&mut self, module: &'m Module, remainder: Value<'m>) {
        let Some(end) = loaded(module, plain(remainder.operand(1))) else {
            return;
        };
        let users = names(remainder).into_iter().flat_map(Value::users);
        let stores = users.filter(|user| is(*user, LLVMOpcode::LLVMStore));
        let stored: Vec<Member> = stores
            .filter_map(|store| member_at(module, store.operand(1)))
            .collect();
        for member in origins(module, remainder.operand(0)) {
            if stored.contains(&member) {
                self.end(member, &end);
            }
        }
    }

    fn end(&mut self, number: Member, end: &Member) {
        if number.0 == end.0 && number != *end {
            self.ends.entry(number).or_default().insert(end.clone());
        }
    }
}

/// Whether a comparison of a number with its end asks if it has come there; the same with the end first.
fn is_end(predicate: LLVMIntPredicate) -> (bool, bool) {
    use LLVMIntPredicate as Is;
    match predicate {
        Is::LLVMIntEQ | Is::LLVMIntNE => (true, true),
        Is::LLVMIntULT | Is::LLVMIntUGE | Is::LLVMIntSLT | Is::LLVMIntSGE => (true, false),
        _ => (false, true),
    }
}

fn is(value: Value<'_>, opcode: LLVMOpcode) -> bool {
    value.is_instruction() && value.opcode() == opcode
}

/// Whether a value is that of another number and one.
fn is_next(value: Value<'_>) -> bool {
    let one = |value: Value<'_>| value.const_int_value() == Some(1);
    is(value, LLVMOpcode::LLVMAdd) && value.operands().into_iter().any(one)
}

fn is_conversion(value: Value<'_>) -> bool {
    let of = [
        LLVMOpcode::LLVMZExt,
        LLVMOpcode::LLVMSExt,
        LLVMOpcode::LLVMTrunc,
    ];
    of.into_iter().any(|opcode| is(value, opcode))
}

/// A number before it is converted.
fn plain(number: Value<'_>) -> Value<'_> {
    let mut value = number;
    for _ in 0..MOST_VALUES {
        match is_conversion(value) {
            true => value = value.operand(0),
            false => break,
        }
    }
    value
}

/// A number, and what it is converted to.
fn names(number: Value<'_>) -> Vec<Value<'_>> {
    let mut names = vec![number];
    let mut next = 0;
    while next < names.len() && names.len() < MOST_VALUES {
        let users = names[next].users().into_iter();
        names.extend(users.filter(|user| is_conversion(*user)));
        next += 1;
    }
    names
}

/// The members from which a number is computed by sums.
fn origins<'m>(module: &'m Module, number: Value<'m>) -> FxHashSet<Member> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut found = FxHashSet::default();
    let mut open = vec![number];
    while let Some(value) = open.pop() {
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        let is_sum = is(value, LLVMOpcode::LLVMAdd) || is(value, LLVMOpcode::LLVMPHI);
        if is_sum || is_conversion(value) {
            open.extend(value.operands());
        }
        found.extend(loaded(module, value));
    }
    found
}

/// Whether the code has stored a sum to the member from which a value is loaded, right before: it loads what
/// comes next.
fn is_stepped<'m>(module: &'m Module, value: Value<'m>, member: &Member) -> bool {
    let mut before = value.previous();
    for _ in 0..MOST_VALUES {
        let Some(instruction) = before else { break };
        if is(instruction, LLVMOpcode::LLVMStore)
            && member_at(module, instruction.operand(1)).as_ref() == Some(member)
        {
            return is_next(plain(instruction.operand(0)));
        }
        before = instruction.previous();
    }
    false
}

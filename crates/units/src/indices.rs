//! Numbers that are places in arrays: `s->window[s->strstart]`, `a[i]` with `i < s->count`.
//!
//! A member is one if the code computes an address from it and from a pointer, or an array, of the
//! same structure, or if it compares with it what it computes such an address from. A parameter is
//! one of the array behind another parameter in the same way. Drivers bound such numbers like lengths:
//! with a place outside of its array a call does nothing that a test could keep.

use labrys_llvm::{Block, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Module, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::members::{loaded, member};
use crate::types::Member;

/// Values that are followed from one index, or base of an address.
const MOST_VALUES: usize = 16;

/// An array of a structure. As structures of one layout are not told apart, its element tells more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Array {
    /// Behind the pointer at an offset, with elements of so many bytes.
    Behind { offset: u64, element: u64 },
    /// In the structure itself, at an offset, with so many elements.
    Inside { offset: u64, count: u64 },
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Indices {
    /// The arrays in which a member is a place.
    arrays: FxHashMap<Member, FxHashSet<Array>>,
    /// What the code compares members with.
    limits: FxHashMap<Member, Limits>,
    /// Members that are places as a function finds them, which compares them with nothing.
    unchecked: FxHashSet<Member>,
}

/// The constants that a number is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    most: u64,
    /// Whether the code asks if it is negative: -1 stands for none.
    pub(crate) negative: bool,
}

impl Limits {
    /// Those of a value, and of what it is converted to.
    pub(crate) fn of(value: Value<'_>) -> Self {
        let mut limits = Limits::default();
        limits.add(value);
        limits
    }

    fn add(&mut self, value: Value<'_>) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            for user in value.users().into_iter().filter(|one| one.is_instruction()) {
                match user.opcode() {
                    LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt => open.push(user),
                    LLVMOpcode::LLVMICmp => self.compare(user),
                    _ => {}
                }
            }
        }
    }

    fn compare(&mut self, comparison: Value<'_>) {
        let below = matches!(
            comparison.int_predicate(),
            LLVMIntPredicate::LLVMIntSLT | LLVMIntPredicate::LLVMIntSGE
        );
        let constants = comparison.operands().into_iter();
        for constant in constants.filter_map(Value::const_int_signed) {
            self.negative |= constant < 0 || below && constant == 0;
            self.most = self.most.max(u64::try_from(constant).unwrap_or(0));
        }
    }

    /// Whether a bound leaves what the code looks for; with room behind the array a number may be
    /// larger.
    pub(crate) fn allow(self, most: u64, has_room: bool) -> bool {
        has_room || self.most <= most
    }
}

impl Indices {
    /// Notes what an instruction computes.
    pub(crate) fn add<'m>(&mut self, module: &'m Module, instruction: Value<'m>) {
        if is_number(instruction)
            && let Some(member) = loaded(module, instruction)
        {
            self.limits.entry(member).or_default().add(instruction);
        }
        let Some((structure, array, index)) = array(module, instruction) else {
            return;
        };
        let numbers = origins(index);
        let members = numbers.into_iter().filter_map(|one| loaded(module, one));
        for member in members.filter(|member| member.0 == structure) {
            self.arrays.entry(member).or_default().insert(array);
        }
    }

    /// Notes which members a function takes for places without a look at them.
    pub(crate) fn add_unchecked<'m>(&mut self, module: &'m Module, function: Value<'m>) {
        let (mut places, mut compared) = (FxHashSet::default(), FxHashSet::default());
        for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
            if is_number(instruction) && is_compared(instruction) {
                compared.extend(loaded(module, instruction));
            }
            if let Some((structure, _, index)) = array(module, instruction) {
                let members = found(index).into_iter();
                let members = members.filter_map(|one| loaded(module, one));
                places.extend(members.filter(|member| member.0 == structure));
            }
        }
        let unchecked = places.into_iter().filter(|one| !compared.contains(one));
        self.unchecked.extend(unchecked);
    }

    /// Whether a member is always a place of an element, never one behind all of `most`: a function does not
    /// look, and none looks for that.
    pub(crate) fn is_inside(&self, number: &Member, most: u64) -> bool {
        self.unchecked.contains(number) && self.limits(number).most < most
    }

    /// Whether a member is a place in the array behind another one, which has elements of so many bytes.
    pub(crate) fn is_place(&self, number: &Member, pointer: &Member, element: u64) -> bool {
        let offset = pointer.1;
        let arrays = self.arrays.get(number);
        let known =
            arrays.is_some_and(|arrays| arrays.contains(&Array::Behind { offset, element }));
        known && number.0 == pointer.0
    }

    /// The arrays of its structure in which a member is a place: where each begins and its elements.
    pub(crate) fn inside(&self, number: &Member) -> impl Iterator<Item = (u64, u64)> {
        let arrays = self.arrays.get(number).into_iter().flatten();
        arrays.filter_map(|array| match array {
            Array::Inside { offset, count } => Some((*offset, *count)),
            Array::Behind { .. } => None,
        })
    }

    /// What the code compares a member with.
    pub(crate) fn limits(&self, member: &Member) -> Limits {
        self.limits.get(member).copied().unwrap_or_default()
    }
}

/// For each parameter of a function that is a place in the array behind another one: the pointer, and
/// the number.
pub(crate) fn of_parameters(function: Value<'_>) -> Vec<(usize, usize)> {
    let parameters = function.params();
    let position = |value: Value<'_>| parameters.iter().position(|one| *one == value);
    let mut found = Vec::new();
    for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
        let Some((base, index)) = element(instruction) else {
            continue;
        };
        let Some(pointer) = position(beginning(base)) else {
            continue;
        };
        for number in origins(index).into_iter().filter_map(position) {
            if is_number(parameters[number]) {
                found.push((pointer, number));
            }
        }
    }
    found
}

fn is_number(value: Value<'_>) -> bool {
    value.ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind
}

/// The address and the number from which an instruction computes that of an element.
fn element(instruction: Value<'_>) -> Option<(Value<'_>, Value<'_>)> {
    if !instruction.is_instruction() || instruction.opcode() != LLVMOpcode::LLVMGetElementPtr {
        return None;
    }
    let index = match instruction.gep_source_type().kind() {
        LLVMTypeKind::LLVMArrayTypeKind if instruction.operand_count() > 2 => 2,
        _ => 1,
    };
    let number = instruction.operand(index);
    (!number.is_constant()).then(|| (instruction.operand(0), number))
}

/// The address from which others in the same array are computed.
fn beginning(address: Value<'_>) -> Value<'_> {
    let mut base = address;
    for _ in 0..MOST_VALUES {
        match element(base) {
            Some((further, _)) => base = further,
            None => break,
        }
    }
    base
}

/// The structure, its array and the index, if an instruction computes the address of an element.
fn array<'m>(module: &'m Module, instruction: Value<'m>) -> Option<(String, Array, Value<'m>)> {
    let (base, index) = element(instruction)?;
    let ty: Type<'_> = instruction.gep_source_type();
    if ty.kind() == LLVMTypeKind::LLVMArrayTypeKind {
        let (structure, offset) = member(module, base)?;
        let count = ty.array_len();
        return Some((structure, Array::Inside { offset, count }, index));
    }
    let (structure, offset) = loaded(module, beginning(base))?;
    let element = module.size_of(ty);
    Some((structure, Array::Behind { offset, element }, index))
}

/// Whether the code compares a number, or what it is converted to.
fn is_compared(number: Value<'_>) -> bool {
    let users = number.users().into_iter();
    let mut users = users.filter(|user| user.is_instruction());
    users.any(|user| match user.opcode() {
        LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMSwitch => true,
        LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt => is_compared(user),
        _ => false,
    })
}

/// The values that an index is as the code finds them, none of which it compares.
fn found(index: Value<'_>) -> FxHashSet<Value<'_>> {
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![index];
    while let Some(value) = open.pop() {
        let is_known = value.is_constant() || is_compared(value);
        if is_known || seen.len() >= MOST_VALUES || !seen.insert(value) || !value.is_instruction() {
            continue;
        }
        if let LLVMOpcode::LLVMPHI
        | LLVMOpcode::LLVMZExt
        | LLVMOpcode::LLVMSExt
        | LLVMOpcode::LLVMTrunc = value.opcode()
        {
            open.extend(value.operands());
        }
    }
    seen
}

/// The values that an index is computed from or compared with, one of another by sums and
/// conversions.
fn origins(index: Value<'_>) -> FxHashSet<Value<'_>> {
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    // With whether what the value is compared with counts, too.
    let mut open = vec![(index, true)];
    while let Some((value, compared)) = open.pop() {
        if value.is_constant() || seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        if compared {
            let users = value
                .users()
                .into_iter()
                .filter(|user| user.is_instruction() && user.opcode() == LLVMOpcode::LLVMICmp);
            let operands = users.flat_map(Value::operands);
            open.extend(operands.map(|operand| (operand, false)));
        }
        if !value.is_instruction() {
            continue;
        }
        match value.opcode() {
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMPHI
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMTrunc => {
                open.extend(value.operands().into_iter().map(|one| (one, compared)));
            }
            LLVMOpcode::LLVMSub => open.push((value.operand(0), compared)),
            _ => {}
        }
    }
    seen
}

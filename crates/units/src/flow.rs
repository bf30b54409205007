//! What the code does with a pointer, and with what it passes it on as.

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Type, Value};
use rustc_hash::FxHashSet;

/// Bytes of a header before the place where a pointer points, at most.
const MOST_BEFORE: u64 = 64;
/// Values that are followed from one pointer.
const MOST_VALUES: usize = 64;
/// The alignment of objects.
pub(crate) const MOST_ALIGNMENT: u64 = 16;
/// Computations between an address and the variable in which it is, at most.
const MOST_STEPS: usize = 8;

/// Whether a value is a pointer.
pub(crate) fn is_pointer(value: Value<'_>) -> bool {
    value.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind
}

/// The name of a structure in the source, by that of the bitcode: `%struct.NAME`, with a number
/// behind it if there are several.
pub(crate) fn name_of(ty: Type<'_>) -> Option<String> {
    if ty.kind() != LLVMTypeKind::LLVMStructTypeKind {
        return None;
    }
    let text = ty.to_text();
    let name = text.strip_prefix("%struct.")?.split(' ').next()?;
    let (stem, number) = name.split_once('.').unwrap_or((name, ""));
    let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && stem != "anon";
    plain.then(|| stem.to_owned())
}

/// The structure whose members are accessed through a pointer, or through what it is passed on as. One in
/// front of it is not behind it.
pub(crate) fn structure_behind(pointer: Value<'_>) -> Option<String> {
    let is_behind = |address: &Value<'_>| {
        let index = address.operand(1).const_int_signed();
        index.is_none_or(|index| index >= 0)
    };
    let mut addresses = addresses(pointer).filter(is_behind);
    addresses.find_map(|address| name_of(address.gep_source_type()))
}

/// How many bytes before the place where a pointer points are accessed through it or through what it
/// is passed on as: elements of an array, or a header, `(struct header *)p - 1`.
pub(crate) fn bytes_before(module: &Module, pointer: Value<'_>) -> u64 {
    let before = addresses(pointer).filter_map(|address| {
        let index = address.operand(1).const_int_signed();
        let back = index.filter(|index| *index < 0)?;
        let size = module.size_of(address.gep_source_type());
        Some(back.unsigned_abs().saturating_mul(size))
    });
    before
        .filter(|before| *before <= MOST_BEFORE)
        .max()
        .unwrap_or(0)
}

/// Whether the code only comes to one object through a pointer: it neither goes on from it, nor keeps it,
/// nor hands it with a number to what is not in the program.
pub(crate) fn is_alone(pointer: Value<'_>) -> bool {
    let is_number = |value: Value<'_>| {
        value.ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind && !value.is_constant()
    };
    let stays = |user: Value<'_>, name: Value<'_>| match user.opcode() {
        LLVMOpcode::LLVMGetElementPtr if user.operand(0) == name => {
            let index = user.operand(1).const_int_signed();
            index.is_some_and(|index| index <= 0)
        }
        LLVMOpcode::LLVMStore => user.operand(0) != name,
        LLVMOpcode::LLVMPtrToInt => false,
        LLVMOpcode::LLVMCall if given(user, name).is_empty() => {
            !user.arguments().into_iter().any(is_number)
        }
        _ => true,
    };
    passed_on(pointer).into_iter().all(|name| {
        let users = name.users().into_iter();
        let mut users = users.filter(|user| user.is_instruction());
        users.all(|user| stays(user, name))
    })
}

/// The addresses that are computed from a pointer, or from what it is passed on as.
pub(crate) fn addresses(pointer: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let names = passed_on(pointer).into_iter();
    names.flat_map(|name| {
        let users = name.users().into_iter();
        users.filter(move |user| {
            let is_address =
                user.is_instruction() && user.opcode() == LLVMOpcode::LLVMGetElementPtr;
            is_address && user.operand(0) == name
        })
    })
}

/// A pointer, and what it is passed on as.
pub(crate) fn passed_on(pointer: Value<'_>) -> Vec<Value<'_>> {
    let mut names = Vec::new();
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![pointer];
    let mut next = 0;
    while next < open.len() && next < MOST_VALUES {
        let value = open[next];
        next += 1;
        if !seen.insert(value) {
            continue;
        }
        names.push(value);
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect => open.push(user),
                LLVMOpcode::LLVMCall => open.extend(given(user, value)),
                _ => {}
            }
        }
    }
    names
}

/// The lowest bits of a pointer that the code looks at.
pub(crate) fn low_bits(pointer: Value<'_>) -> u64 {
    let names = passed_on(pointer).into_iter().flat_map(Value::users);
    let mut open: Vec<_> = names
        .filter(|user| is(*user, LLVMOpcode::LLVMPtrToInt))
        .collect();
    let mut bits = 0;
    while let Some(number) = open.pop() {
        for user in number
            .users()
            .into_iter()
            .filter(|one| one.is_instruction())
        {
            let constant = || user.operand(1).const_int_value().unwrap_or(0);
            match user.opcode() {
                LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMZExt => open.push(user),
                LLVMOpcode::LLVMAnd if constant() < MOST_ALIGNMENT => bits |= constant(),
                LLVMOpcode::LLVMURem if constant() <= MOST_ALIGNMENT => {
                    bits |= constant().saturating_sub(1);
                }
                _ => {}
            }
        }
    }
    bits
}

/// The variables with whose addresses the code compares a pointer, or from which it subtracts them.
pub(crate) fn variables_beside(pointer: Value<'_>) -> Vec<Value<'_>> {
    let mut names = passed_on(pointer);
    let numbers = names.iter().flat_map(|name| name.users());
    let numbers: Vec<_> = numbers
        .filter(|user| is(*user, LLVMOpcode::LLVMPtrToInt))
        .collect();
    names.extend(numbers);
    let mut found = Vec::new();
    for user in names.into_iter().flat_map(Value::users) {
        if is(user, LLVMOpcode::LLVMICmp) || is(user, LLVMOpcode::LLVMSub) {
            let variables = user.operands().into_iter().filter_map(variable_of);
            found.extend(variables);
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|variable| seen.insert(*variable));
    found
}

/// The variable in which an address is.
fn variable_of(address: Value<'_>) -> Option<Value<'_>> {
    let mut value = address;
    for _ in 0..MOST_STEPS {
        if value.is_variable() {
            return Some(value);
        }
        let opcode = match value.kind() {
            LLVMValueKind::LLVMInstructionValueKind => value.opcode(),
            LLVMValueKind::LLVMConstantExprValueKind => value.const_opcode(),
            _ => return None,
        };
        value = match opcode {
            LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMPtrToInt => value.operand(0),
            LLVMOpcode::LLVMPHI => {
                let mut operands = value.operands().into_iter();
                operands.find(|one| one.is_constant())?
            }
            _ => return None,
        };
    }
    None
}

fn is(value: Value<'_>, opcode: LLVMOpcode) -> bool {
    value.is_instruction() && value.opcode() == opcode
}

/// The parameters that a call of a function of the program gives a value to.
pub(crate) fn given<'m>(call: Value<'m>, value: Value<'m>) -> Vec<Value<'m>> {
    let called = call.called();
    if !called.is_function() || called.is_declaration() {
        return Vec::new();
    }
    let arguments = call.arguments().into_iter().zip(called.params());
    let passed = arguments.filter(|(argument, _)| *argument == value);
    passed.map(|(_, parameter)| parameter).collect()
}

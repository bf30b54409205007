//! Passing an instruction that is no call.

use labrys_expr::{ExprId, Op};
use labrys_program::{Instruction, Intrinsic, Opaque, Operand, Operation, Type};
use labrys_semantics::{Algebra, stored, unpack};

use super::{Context, Step, result_type};
use crate::path::Skip;
use crate::state::{Content, NULL_PAGE, State, Write};
use crate::terms::{SymbolicValue, Terms};

/// Passes an instruction that is no call.
pub(super) fn pass_instruction(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    instruction: &Instruction,
) -> Step {
    match &instruction.operation {
        Operation::Load { address, size, .. } => {
            if let Some(used) = state.take(instruction.result) {
                pass_load(terms, state, context, &used, *address, *size);
            }
        }
        Operation::Store {
            address,
            value,
            size,
            ..
        } => pass_store(terms, state, context, *address, *value, *size),
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } if intrinsic.writes_memory() => {
            pass_block_write(terms, state, context, *intrinsic, arguments);
        }
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } => return pass_intrinsic(terms, state, context, *intrinsic, arguments, instruction),
        Operation::Allocate { .. } => {
            // The address stays a symbol; the object begins here.
            let used = state.take(instruction.result);
            if let Some(address) = used.as_ref().and_then(SymbolicValue::scalar) {
                state.memory_mut().havoc_object(terms, address);
            }
        }
        Operation::VariableArgument(_) | Operation::Opaque { .. } => {
            pass_opaque(terms, state, instruction);
        }
        operation => {
            if let Some(used) = state.take(instruction.result) {
                let ty = result_type(terms, state, instruction);
                let value = terms.result(state.frame_mut(), context.overrides, operation, ty);
                state.bind(terms, &used, value.as_ref());
            }
        }
    }
    Step::Done
}

fn pass_load(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    used: &SymbolicValue,
    address: Operand,
    size: u64,
) {
    let address = context.scalar(terms, state, address);
    let (Some(address), Some(scalar), 1..=16) = (address, used.scalar(), size) else {
        state.skip(Skip::Opaque("a load of an aggregate".to_owned()));
        return;
    };
    require_not_null(terms, state, address, context.guard);
    let bits = state.read(terms, address, size as u32);
    let width = terms.width(scalar);
    let value = unpack(&mut terms.symbolic(), bits, Type::Int(width));
    if let Some(value) = value {
        state.substitute(terms, &[(scalar, value)]);
    }
}

fn pass_store(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    address: Operand,
    value: Operand,
    size: u64,
) {
    if state.memory().is_empty() {
        return;
    }
    let Some(address) = context.scalar(terms, state, address) else {
        return write_anywhere(state, "a store to an address without a model");
    };
    require_not_null(terms, state, address, context.guard);
    let function = terms.analysis().function(state.function());
    let ty = terms.analysis().program().operand_type(function, value);
    let content = match context.scalar(terms, state, value) {
        Some(value) => Content::Scalar(stored(&mut terms.symbolic(), value, ty)),
        None => Content::Havoc,
    };
    let length = terms.constant(64, u128::from(size));
    let write = Write {
        address,
        length,
        content,
        guard: context.guard,
    };
    state.write(terms, &write);
}

fn write_anywhere(state: &mut State, why: &str) {
    state.memory_mut().clobber_all();
    state.skip(Skip::Opaque(why.to_owned()));
}

/// An access through null, or a member of what null points to, ends the run; so where it is made
/// (under the guard, if there is one), the base of the address is not null.
fn require_not_null(
    terms: &mut Terms<'_>,
    state: &mut State,
    address: ExprId,
    guard: Option<ExprId>,
) {
    if terms.root(address).is_some() {
        return;
    }
    let pool = terms.pool_mut();
    let mut summands = vec![address];
    let mut base = pool.constant(64, 0);
    while let Some(summand) = summands.pop() {
        if pool.op(summand) == Op::Add {
            summands.extend(pool.node(summand).operands());
        } else if pool.bits(summand).is_none_or(|bits| bits >= NULL_PAGE) {
            base = pool.add(base, summand);
        }
    }
    let zero = pool.constant(64, 0);
    let mut holds = pool.ne(base, zero);
    if let Some(guard) = guard {
        let not = pool.not(guard);
        holds = pool.or(not, holds);
    }
    state.require(terms, holds);
}

/// `memset`, `memcpy` and their kin.
fn pass_block_write(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    intrinsic: Intrinsic,
    arguments: &[Operand],
) {
    use Intrinsic as I;
    if state.memory().is_empty() {
        return;
    }
    let copies = matches!(
        intrinsic,
        I::MemoryCopy | I::MemoryCopyInline | I::MemoryMove
    );
    let fills = matches!(intrinsic, I::MemorySet | I::MemorySetInline);
    let operands = [0, 1, 2].map(|index| {
        let argument = arguments.get(index)?;
        context.scalar(terms, state, *argument)
    });
    let (true, [Some(address), Some(second), Some(length)]) = (copies || fills, operands) else {
        return write_anywhere(state, intrinsic.name());
    };
    let length = terms.symbolic().resize(length, 64);
    let content = if copies {
        Content::Copy(second)
    } else {
        Content::Fill(second)
    };
    let write = Write {
        address,
        length,
        content,
        guard: context.guard,
    };
    state.write(terms, &write);
}

fn pass_intrinsic(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    intrinsic: Intrinsic,
    arguments: &[Operand],
    instruction: &Instruction,
) -> Step {
    use Intrinsic as I;
    match intrinsic {
        I::Trap | I::SanitizerTrap if context.guard.is_none() => return Step::Infeasible,
        I::Trap | I::SanitizerTrap | I::DebugTrap => return Step::Refused,
        // What the compiler assumes is a promise of the program; nothing checks it.
        I::Assume => return Step::Done,
        _ => {}
    }
    let Some(used) = state.take(instruction.result) else {
        return Step::Done;
    };
    let ty = result_type(terms, state, instruction);
    let operation = &instruction.operation;
    let value = match intrinsic {
        I::ThreadLocalAddress => {
            let first = arguments.first().copied();
            first.and_then(|first| terms.value(state.frame_mut(), context.overrides, first))
        }
        _ => terms.result(state.frame_mut(), context.overrides, operation, ty),
    };
    if value.is_none() {
        state.skip(Skip::Opaque(intrinsic.name().to_owned()));
    }
    state.bind(terms, &used, value.as_ref());
    Step::Done
}

fn pass_opaque(terms: &mut Terms<'_>, state: &mut State, instruction: &Instruction) {
    let used = state.take(instruction.result).is_some();
    let (writes, skip) = match &instruction.operation {
        Operation::Opaque {
            reason: Opaque::Volatile,
            ..
        } => (false, Skip::Outside("volatile memory".to_owned())),
        Operation::Opaque {
            reason,
            writes_memory,
            ..
        } => (*writes_memory, Skip::Opaque(reason.to_string())),
        _ => (true, Skip::Opaque("variable arguments".to_owned())),
    };
    let mut concerned = used;
    if writes {
        let effects = terms.analysis().outside_effects();
        concerned |= state.memory().is_concerned(terms, effects);
        state.memory_mut().havoc(terms, effects);
    }
    if concerned {
        state.skip(skip);
    }
}

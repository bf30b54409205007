//! A program that is a part of others: what is volatile may be written by devices, and another link
//! may have other definitions for those that are weak.
//!
//! The model leaves such values and calls open for proofs; runs of this build have what they have
//! ([`Opaque::is_known_to_runs`]). The numbers of sites, and of the values and functions that are in
//! the bitcode, stay as they are.

use std::collections::HashSet;

use labrys_abi::WEAK_REFERENCE;
use labrys_llvm::{Module, Value};
use labrys_program::{
    Access, Block, BlockId, Callee, Constant, Function, FunctionId, Instruction, Linkage, Opaque,
    Operand, Operation, POINTER_SIZE, Program, Relocation, RelocationTarget, Terminator, Type,
    ValueId,
};

/// Opens a model where what it is a part of decides.
pub(super) fn open(module: &Module, program: &mut Program) {
    for function in &mut program.functions {
        open_loads(function);
    }
    let weak = weak(module);
    for (value, global) in module.globals().into_iter().zip(&mut program.globals) {
        if let Some(initializer) = global
            .initializer
            .as_mut()
            .filter(|_| weak.contains(&value))
        {
            initializer.relocations = vec![Relocation {
                offset: 0,
                target: RelocationTarget::Opaque(global.size),
            }];
        }
    }
    open_references(program);
    let functions = module.functions().into_iter().enumerate();
    let functions = functions.filter(|(_, value)| weak.contains(value));
    let replaceable: Vec<_> = functions.map(|(index, _)| FunctionId::new(index)).collect();
    for id in replaceable {
        open_calls(program, id);
    }
}

/// Opens what holds the address of a weak reference from the beginning.
fn open_references(program: &mut Program) {
    let references = program.globals.iter();
    let references = references.filter(|global| global.name.starts_with(WEAK_REFERENCE));
    let references = references.filter_map(|global| global.initializer.as_ref());
    let addresses = references.flat_map(|initializer| &initializer.relocations);
    let addresses: Vec<RelocationTarget> = addresses.map(|one| one.target).collect();
    // Reads of the references themselves are volatile.
    let others = program.globals.iter_mut();
    let others = others.filter(|global| !global.name.starts_with(WEAK_REFERENCE));
    let initializers = others.filter_map(|global| global.initializer.as_mut());
    for relocation in initializers.flat_map(|one| &mut one.relocations) {
        if addresses.contains(&relocation.target) {
            relocation.target = RelocationTarget::Opaque(POINTER_SIZE);
        }
    }
}

/// The functions and variables that another link may have others for.
fn weak(module: &Module) -> HashSet<Value<'_>> {
    let own = module.functions().into_iter().chain(module.globals());
    let own = own.filter(|value| value.is_replaceable() && !value.is_declaration());
    let aliases = module.aliases().into_iter();
    let aliases = aliases.filter(|alias| alias.is_replaceable());
    let named = aliases.filter_map(Value::aliased_object);
    let all = own.chain(named);
    all.filter(|value| value.name() != "main").collect()
}

/// Opens the values that are read from volatile memory, but for variables of the function itself.
fn open_loads(function: &mut Function) {
    let mut own = HashSet::new();
    let blocks = function.blocks.iter_mut();
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        if let Some(result) = instruction.result
            && is_of(&instruction.operation, &own)
        {
            own.insert(result);
        }
        if let Operation::Load {
            address,
            access: Access::Volatile,
            ..
        } = instruction.operation
            && !matches!(address, Operand::Value(address) if own.contains(&address))
        {
            instruction.operation = Operation::Opaque {
                reason: Opaque::Volatile,
                operands: vec![address],
                writes_memory: false,
            };
        }
    }
}

/// Whether an operation gives the address of a variable of the function.
fn is_of(operation: &Operation, own: &HashSet<ValueId>) -> bool {
    match operation {
        Operation::Allocate { .. } => true,
        Operation::Address {
            base: Operand::Value(base),
            ..
        } => own.contains(base),
        _ => false,
    }
}

/// Has all that uses a function use one that calls it, or another one.
fn open_calls(program: &mut Program, id: FunctionId) {
    let either = FunctionId::new(program.functions.len());
    let another = FunctionId::new(program.functions.len() + 1);
    redirect(program, id, either);
    let own = &mut program.functions[id.index()];
    let declared = Function {
        name: format!("another {}", own.name),
        variadic: own.variadic,
        result: own.result,
        parameters: own.parameters.clone(),
        values: own.values[..own.parameters.len()].to_vec(),
        ..Function::default()
    };
    let mut defined = Function {
        name: format!("{} or another", own.name),
        linkage: Linkage::Internal,
        defined: true,
        address_taken: std::mem::take(&mut own.address_taken),
        location: own.location,
        ..declared.clone()
    };
    let start = Block {
        terminator: Terminator::Opaque {
            reason: Opaque::Weak,
            operands: Vec::new(),
            successors: vec![BlockId::new(1), BlockId::new(2)],
        },
        ..Block::default()
    };
    let calls = [id, another].map(|callee| call(&mut defined, callee));
    defined.blocks = std::iter::once(start).chain(calls).collect();
    program.functions.extend([defined, declared]);
}

/// Puts a function in the place of another one: in calls, constants and initial values.
fn redirect(program: &mut Program, from: FunctionId, to: FunctionId) {
    let functions = program.functions.iter_mut();
    let blocks = functions.flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        if let Operation::Call {
            callee: Callee::Direct(callee),
            ..
        } = &mut instruction.operation
            && *callee == from
        {
            *callee = to;
        }
    }
    for constant in &mut program.constants {
        if *constant == Constant::Function(from) {
            *constant = Constant::Function(to);
        }
    }
    let initializers = program.globals.iter_mut();
    let initializers = initializers.filter_map(|global| global.initializer.as_mut());
    for relocation in initializers.flat_map(|one| &mut one.relocations) {
        if let RelocationTarget::Function(function, _) = &mut relocation.target
            && *function == from
        {
            *function = to;
        }
    }
}

/// A block in which a function hands its arguments on to another one and returns what that does.
fn call(function: &mut Function, callee: FunctionId) -> Block {
    let parameters = (0..function.parameters.len()).map(ValueId::new);
    let arguments = parameters.map(Operand::Value).collect();
    let result = (function.result != Type::Void).then(|| function.push_value(function.result));
    Block {
        instructions: vec![Instruction {
            result,
            operation: Operation::Call {
                callee: Callee::Direct(callee),
                arguments,
                variadic: function.variadic,
            },
            location: None,
        }],
        terminator: Terminator::Return(result.map(Operand::Value)),
        ..Block::default()
    }
}

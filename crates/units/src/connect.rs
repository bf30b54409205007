//! Joins the drivers, linked behind the program, to it.

use labrys_abi::WEAK_REFERENCE;
use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, Module, Value};
use labrys_suite::unit::Missing;

use crate::{BINDER, Drivers, ENTRY, FUNCTION, PICK, REAL, STUB, SWITCH, VARIABLE, allocations};

/// Makes the drivers' declarations of functions and variables the program's own, after linking;
/// puts the calls of binders in, and stubs in place of functions.
pub fn connect(module: &Module, drivers: &Drivers) {
    // Pointers to a function point to its switch, as in the program. Other uses in the drivers come
    // last, so that a stubbed function that is an entry is called.
    let called: Vec<&String> = drivers.functions.iter().collect();
    if drivers.switched {
        define(module, FUNCTION, &called);
    }
    let stands_for = |number: usize| {
        let stem = if drivers.stubs[number].switched {
            SWITCH
        } else {
            STUB
        };
        module.function(&format!("{stem}{number}"))
    };
    for (number, stub) in drivers.stubs.iter().enumerate() {
        if let (Some(defined), Some(function)) =
            (stands_for(number), module.function(&stub.function))
        {
            function.replace_uses(defined);
        }
    }
    let stubbed: Vec<&String> = drivers.stubs.iter().map(|stub| &stub.function).collect();
    define(module, REAL, &stubbed);
    for (number, entry) in drivers.binders.iter().enumerate() {
        let binder = module.function(&format!("{BINDER}{number}"));
        // A function that has a stub is called there.
        let stub = drivers
            .stubs
            .iter()
            .position(|stub| stub.function == entry.function);
        let called = match stub {
            Some(number) => stands_for(number),
            None => module.function(&entry.function),
        };
        if let (Some(binder), Some(function)) = (binder, called) {
            call_binder(module, function, binder);
        }
    }
    let entries = drivers.unit.entries.iter().map(|entry| &entry.function);
    define(module, ENTRY, &entries.collect::<Vec<_>>());
    if !drivers.switched {
        define(module, FUNCTION, &called);
    }
    for (number, name) in drivers.globals.iter().enumerate() {
        let declared = module.global(&format!("{VARIABLE}{number}"));
        let (Some(declared), Some(variable)) = (declared, module.global(name)) else {
            continue;
        };
        declared.replace_uses(variable);
        declared.delete_global();
    }
    define_missing(module, drivers);
    allocations::connect(module);
    define_picks(module);
}

/// Makes the calls of [`PICK`] selects.
fn define_picks(module: &Module) {
    let Some(pick) = module.function(PICK) else {
        return;
    };
    let builder = module.builder();
    for call in pick.users() {
        let operands = call.arguments();
        let &[first, one, other] = operands.as_slice() else {
            continue;
        };
        builder.before(call);
        call.replace_uses(builder.select(first, one, other));
        call.erase();
    }
    pick.delete_function();
}

/// Makes the declarations of a stem and a number the functions of these names.
fn define(module: &Module, stem: &str, names: &[&String]) {
    for (number, name) in names.iter().enumerate() {
        let declared = module.function(&format!("{stem}{number}"));
        if let (Some(declared), Some(function)) = (declared, module.function(name)) {
            declared.replace_uses(function);
            declared.delete_function();
        }
    }
}

/// Defines what nobody defines: functions by doubles, those that no entry can come to and variables
/// as good as possible.
fn define_missing(module: &Module, drivers: &Drivers) {
    let entries = drivers.unit.entries.iter();
    let doubles: Vec<_> = entries.flat_map(|entry| &entry.doubles).collect();
    for Missing { name, .. } in &drivers.unit.missing {
        let referred = module.function(name).or_else(|| module.global(name));
        let is_weak = |one: &Value<'_>| one.linkage() == LLVMLinkage::LLVMExternalWeakLinkage;
        if let Some(weak) = referred.filter(is_weak) {
            look_up(module, name, weak);
        }
    }
    for double in &doubles {
        let missing = double
            .missing
            .as_ref()
            .and_then(|name| module.function(name));
        if let (Some(function), Some(double)) = (missing, module.function(&double.name)) {
            function.replace_uses(double);
        }
    }
    for Missing { name, .. } in &drivers.unit.missing {
        let has_double = doubles
            .iter()
            .any(|double| double.missing.as_ref() == Some(name));
        match (module.function(name), module.global(name)) {
            (Some(_), _) if has_double => {}
            (Some(function), _) => {
                let builder = module.builder();
                builder.at_end(module.define_body(function));
                let _ = builder.call(module.declare("llvm.trap", module.void(), &[]), &[]);
                builder.unreachable();
            }
            (_, Some(variable)) if variable.global_type().is_sized() => {
                variable.set_initializer(module.zero(variable.global_type()));
                // Where there is one it holds something else.
                variable.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
            }
            _ => {}
        }
    }
}

/// Has code read the address of what it refers to weakly from volatile memory: in another link it may
/// be null. Calls stay: they are made where it is not. The model knows the variable by its name, and
/// leaves open what was initialized with the same address.
fn look_up(module: &Module, name: &str, weak: Value<'_>) {
    let ty = weak.ty();
    let address = module.declare_global(&format!("{WEAK_REFERENCE}{name}"), ty);
    address.set_initializer(weak);
    address.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let builder = module.builder();
    for user in weak.users().into_iter().filter(|one| one.is_instruction()) {
        let is_phi = user.opcode() == LLVMOpcode::LLVMPHI;
        let from: Vec<Block<'_>> = match is_phi {
            true => user
                .incoming()
                .into_iter()
                .map(|(_, block)| block)
                .collect(),
            false => Vec::new(),
        };
        // A block that comes twice brings one value.
        let mut read: Vec<(Block<'_>, Value<'_>)> = Vec::new();
        for index in (0..user.operand_count()).filter(|index| user.operand(*index) == weak) {
            if user.opcode() == LLVMOpcode::LLVMCall && index + 1 == user.operand_count() {
                continue;
            }
            let block = from.get(index);
            let known = block.and_then(|block| read.iter().find(|one| one.0 == *block));
            let value = match known {
                Some((_, value)) => *value,
                None => {
                    builder.before(block.and_then(|one| one.terminator()).unwrap_or(user));
                    builder.volatile_load(ty, address)
                }
            };
            read.extend(block.map(|block| (*block, value)));
            user.set_operand(index, value);
        }
    }
}

/// Calls a binder at the beginning of a function, behind its variables.
fn call_binder<'m>(module: &'m Module, function: Value<'m>, binder: Value<'m>) {
    let blocks = function.blocks();
    let Some(first) = blocks.first() else { return };
    let instructions = first.instructions();
    let mut rest = instructions.iter();
    let Some(place) = rest.find(|one| one.opcode() != LLVMOpcode::LLVMAlloca) else {
        return;
    };
    let builder = module.builder();
    builder.before(*place);
    builder.locate_in(module, function);
    let _ = builder.call(binder, &function.params());
}

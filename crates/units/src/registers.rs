//! Registers of devices: memory at fixed addresses that the code names, as `*(uint32_t *)0x40011004`.
//!
//! On the machine where tests run there is nothing. So each place becomes a variable of the program,
//! which a driver fills; a test maps the pages, and names the variable by a macro. A place that
//! the code accesses directly only is a number. Where it goes on from an address, or hands it to other
//! code, the variable goes on to the end of the page, and the driver fills what is near.
//! An address that a call passes as a number to a function which makes a pointer of it, and nothing
//! else, `mmio_read(0x40011004)`, is one too.
//!
//! The variables are weak: no proof rests on what is in them. Addresses that the code computes stay.

use std::collections::BTreeMap;

use labrys_llvm::{LLVMLinkage, LLVMOpcode, LLVMValueKind, Module, Value};
use rustc_hash::FxHashSet;

use crate::prototype::prototype;
use crate::types::unwrapped;

/// Bytes that are filled from an address whose structure is not known.
const NEAR: u64 = 64;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Addresses that may be registers: others are marks for no object, or none of a device.
const ADDRESSES: std::ops::Range<u64> = PAGE..1 << 32;
/// Bytes of the registers of which an array is made.
pub(crate) const WORD: u64 = 4;

/// A variable in place of memory at a fixed address.
#[derive(Debug)]
pub(crate) struct Register {
    /// Its name in the program.
    pub(crate) name: String,
    /// Where it begins.
    pub(crate) address: u64,
    /// Bytes, of one number or more.
    pub(crate) size: u64,
    /// The places in it that are filled, in multiples of [`WORD`]; none if it is one number.
    pub(crate) words: Vec<u64>,
}

/// Where the code has a fixed address.
#[derive(Clone, Copy, Debug)]
enum Named<'m> {
    /// It is a constant.
    Constant(Value<'m>),
    /// It is a number that a call passes as this argument.
    Argument(Value<'m>, usize),
}

/// What the code does with an address.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// The bytes that it can come to.
    bytes: u64,
    /// Whether it accesses just these.
    is_access: bool,
}

impl Default for Use {
    fn default() -> Self {
        Use {
            bytes: 0,
            is_access: true,
        }
    }
}

impl Use {
    /// Both.
    fn and(self, other: Self) -> Self {
        let is_same = self.bytes == other.bytes || self.bytes == 0 || other.bytes == 0;
        Use {
            bytes: self.bytes.max(other.bytes),
            is_access: self.is_access && other.is_access && is_same,
        }
    }
}

/// Puts variables in the place of fixed addresses.
pub(crate) fn place(module: &Module) -> Vec<Register> {
    let addresses = addresses(module);
    let registers = registers(module, &addresses);
    let builder = module.builder();
    let byte = module.int(8);
    for Register {
        name,
        address,
        size,
        ..
    } in &registers
    {
        let ty = module.array(byte, *size);
        let variable = module.declare_global(name, ty);
        variable.set_initializer(module.zero(ty));
        variable.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
        for (at, named) in addresses.range(*address..address + size) {
            let index = module.const_int(64, at - address);
            let place = builder.element_address(byte, variable, index);
            for one in named {
                match *one {
                    Named::Constant(constant) => constant.replace_uses(place),
                    Named::Argument(call, index) => {
                        let ty = call.operand(index).ty();
                        call.set_operand(index, builder.cast(LLVMOpcode::LLVMPtrToInt, place, ty));
                    }
                }
            }
        }
    }
    registers
}

/// The variables for these addresses, in order.
fn registers(module: &Module, addresses: &BTreeMap<u64, Vec<Named<'_>>>) -> Vec<Register> {
    let mut all: Vec<Register> = Vec::new();
    for (address, named) in addresses {
        let each = named.iter().map(|one| match *one {
            Named::Constant(constant) => uses(module, constant),
            Named::Argument(call, index) => uses_of_number(module, call.called().params()[index]),
        });
        let Use { bytes, is_access } = each.fold(Use::default(), Use::and);
        if bytes == 0 {
            continue;
        }
        let next = addresses.range(address + 1..).next();
        let is_free = next.is_none_or(|(next, _)| address + bytes <= *next);
        let around = all
            .last_mut()
            .filter(|one| *address < one.address + one.size);
        let fill = |register: &mut Register| {
            let first = (address - register.address) / WORD;
            let end = (address + bytes - register.address).min(register.size);
            register.words.extend(first..end.div_ceil(WORD));
            register.words.sort_unstable();
            register.words.dedup();
        };
        if let Some(register) = around {
            fill(register);
            continue;
        }
        let mut register = Register {
            name: format!("register_{address:x}"),
            address: *address,
            size: bytes,
            words: Vec::new(),
        };
        if !(is_access && is_free && bytes.is_power_of_two() && bytes <= 8) {
            register.size = (address + bytes).next_multiple_of(PAGE) - address;
            fill(&mut register);
        }
        all.push(register);
    }
    all
}

/// The fixed addresses that the code names.
fn addresses(module: &Module) -> BTreeMap<u64, Vec<Named<'_>>> {
    let mut found: BTreeMap<u64, Vec<Named<'_>>> = BTreeMap::new();
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let functions = module.functions().into_iter();
    let blocks = functions.flat_map(Value::blocks);
    let instructions: Vec<_> = blocks.flat_map(labrys_llvm::Block::instructions).collect();
    let operands = instructions.iter().flat_map(|one| one.operands());
    let initializers = module.globals().into_iter().filter_map(Value::initializer);
    let mut open: Vec<Value<'_>> = operands.chain(initializers).collect();
    while let Some(value) = open.pop() {
        let is_object = value.is_function() || value.is_variable();
        if !value.is_constant() || is_object || !seen.insert(value) {
            continue;
        }
        match address(value).filter(|at| is_fixed(*at)) {
            Some(at) => found.entry(at).or_default().push(Named::Constant(value)),
            None => open.extend(value.operands()),
        }
    }
    for call in instructions.into_iter().filter(|one| calls_function(*one)) {
        let parameters = call.called().params().into_iter();
        for (index, (argument, parameter)) in
            call.arguments().into_iter().zip(parameters).enumerate()
        {
            let number = argument.const_int_value().filter(|at| is_fixed(*at));
            if let Some(at) = number.filter(|_| !pointers(parameter).is_empty()) {
                found
                    .entry(at)
                    .or_default()
                    .push(Named::Argument(call, index));
            }
        }
    }
    found
}

/// Whether memory of devices may be at an address.
fn is_fixed(address: u64) -> bool {
    ADDRESSES.contains(&address) && address % WORD == 0
}

/// Whether an instruction calls a function of the program by its name.
fn calls_function(instruction: Value<'_>) -> bool {
    instruction.opcode() == LLVMOpcode::LLVMCall
        && instruction.called().is_function()
        && !instruction.called().is_declaration()
}

/// The pointers that code makes of a number, also where it passes the number on to functions; none if it
/// does anything else with it, since the number would be another one then.
fn pointers(number: Value<'_>) -> Vec<Value<'_>> {
    let mut found = Vec::new();
    let mut numbers = vec![number];
    let mut next = 0;
    while let Some(number) = numbers.get(next).copied() {
        next += 1;
        for user in number.users() {
            if !user.is_instruction() {
                return Vec::new();
            }
            if user.opcode() == LLVMOpcode::LLVMIntToPtr {
                found.push(user);
            } else if calls_function(user) {
                let arguments = user.arguments().into_iter().zip(user.called().params());
                for (argument, parameter) in arguments {
                    if argument == number && !numbers.contains(&parameter) {
                        numbers.push(parameter);
                    }
                }
            } else {
                return Vec::new();
            }
        }
    }
    found
}

/// What the code does with the pointers that it makes of a number.
fn uses_of_number(module: &Module, number: Value<'_>) -> Use {
    let pointers = pointers(number).into_iter();
    let all = pointers.map(|one| uses(module, one));
    all.fold(Use::default(), Use::and)
}

/// The number of which a constant is the address.
fn address(value: Value<'_>) -> Option<u64> {
    let is_address = value.kind() == LLVMValueKind::LLVMConstantExprValueKind
        && value.const_opcode() == LLVMOpcode::LLVMIntToPtr;
    is_address.then(|| value.operand(0).const_int_value())?
}

/// What the code does with an address.
fn uses(module: &Module, address: Value<'_>) -> Use {
    let users = address.users().into_iter().filter(|one| !is_mark(*one));
    let all = users.map(|user| match accessed(module, user, address) {
        Some(bytes) => Use {
            bytes,
            is_access: true,
        },
        None => Use {
            bytes: structure(module, user, address).unwrap_or(NEAR).min(PAGE),
            is_access: false,
        },
    });
    all.fold(Use::default(), Use::and)
}

/// Whether code uses an address as a mark: compares it, calls it, or hands it to a library.
fn is_mark(user: Value<'_>) -> bool {
    if !user.is_instruction() {
        return false;
    }
    match user.opcode() {
        LLVMOpcode::LLVMICmp => true,
        LLVMOpcode::LLVMCall => {
            let called = user.called();
            !called.is_function()
                || called.is_declaration() && !called.name().starts_with("llvm.mem")
        }
        _ => false,
    }
}

/// The bytes that an instruction accesses at an address.
fn accessed(module: &Module, user: Value<'_>, address: Value<'_>) -> Option<u64> {
    if !user.is_instruction() {
        return None;
    }
    let is_at = |index| (user.operand(index) == address).then_some(());
    let ty = match user.opcode() {
        LLVMOpcode::LLVMLoad => user.ty(),
        LLVMOpcode::LLVMStore => is_at(1).map(|()| user.operand(0).ty())?,
        LLVMOpcode::LLVMAtomicRMW => is_at(0).map(|()| user.operand(1).ty())?,
        _ => return None,
    };
    Some(module.size_of(ty))
}

/// The bytes of the structure at an address, of which code takes a member or to which a function takes a
/// pointer.
fn structure<'m>(module: &'m Module, user: Value<'m>, address: Value<'m>) -> Option<u64> {
    let opcode = match user.kind() {
        LLVMValueKind::LLVMInstructionValueKind => user.opcode(),
        LLVMValueKind::LLVMConstantExprValueKind => user.const_opcode(),
        _ => return None,
    };
    match opcode {
        LLVMOpcode::LLVMGetElementPtr => {
            let size = module.size_of(user.gep_source_type());
            (size > WORD).then_some(size)
        }
        LLVMOpcode::LLVMCall if user.called().is_function() => {
            let index = user.arguments().iter().position(|one| *one == address)?;
            let prototype = prototype(module, user.called()).ok()?;
            let mut parameters = prototype.parameters.iter();
            let parameter = parameters.find(|one| one.first == index)?;
            let to = unwrapped(unwrapped(parameter.ty?).base()?);
            (to.size() > WORD).then(|| to.size().next_multiple_of(WORD))
        }
        _ => None,
    }
}

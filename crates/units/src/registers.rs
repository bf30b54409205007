//! Registers of devices: memory at fixed addresses that the code names, as `*(uint32_t *)0x40011004`.
//!
//! On the machine where tests run there is nothing. So each place becomes a variable of the program,
//! which a driver fills; a test maps the pages, and names the variable by a macro. A place that
//! the code accesses directly only is a number. Where it goes on from an address, or hands it to other
//! code, the variable goes on to the end of the page, and the driver fills what is near.
//! An address that a call passes as a number to a function which makes a pointer of it, and nothing
//! else, `mmio_read(0x40011004)`, is one too.
//!
//! Where the code makes a pointer of a number that comes from such an address ([`crate::addresses`]),
//! `BASE + 0x400 * n`, the pointer is the one into the variable if the number is there.
//!
//! The variables are weak: no proof rests on what is in them.

use std::collections::{BTreeMap, BTreeSet};

use labrys_llvm::{
    Builder, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Value,
};
use rustc_hash::FxHashSet;

use crate::addresses::{Addresses, Block, Fixed};
use crate::numbers::{PAGE, WORD, is_fixed};
use crate::prototype::prototype;
use crate::types::unwrapped;

/// What functions are called that translate numbers to pointers into registers, followed by a number.
pub(crate) const TRANSLATION: &str = "labrys_register_";
/// Bytes that are filled from an address whose structure is not known.
const NEAR: u64 = 64;

/// A variable in place of memory at a fixed address.
#[derive(Debug, Default)]
pub(crate) struct Register {
    /// Its name in the program.
    pub(crate) name: String,
    /// Where it begins.
    pub(crate) address: u64,
    /// Bytes, of one number or more.
    pub(crate) size: u64,
    /// The places in it that are filled, in multiples of [`WORD`]; none if it is one number.
    pub(crate) words: Vec<u64>,
    /// The numbers from which the code computes addresses there.
    pub(crate) constants: BTreeSet<u64>,
    /// Whether the code names an address there.
    pub(crate) is_named: bool,
}

impl Register {
    /// Fills the bytes from one place to another.
    fn fill(&mut self, start: u64, end: u64) {
        let end = end.min(self.size).div_ceil(WORD);
        self.words.extend(start / WORD..end);
        self.words.sort_unstable();
        self.words.dedup();
    }
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
pub(crate) fn place<'m>(module: &'m Module, numbers: &Addresses<'m>) -> Vec<Register> {
    let addresses = addresses(module);
    let mut registers = computed(&addresses, numbers);
    add_named(module, &addresses, &mut registers);
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
    let mut translations = BTreeMap::new();
    for fixed in &numbers.fixed {
        translate(module, fixed, &registers, &mut translations);
    }
    registers
}

/// The registers to which the code comes from constants by computing, or by numbers that do not hold the
/// address of a variable: whole pages.
fn computed(addresses: &BTreeMap<u64, Vec<Named<'_>>>, numbers: &Addresses<'_>) -> Vec<Register> {
    let mut all: Vec<Register> = Vec::new();
    for (address, reach) in numbers.constants() {
        let is_argument = |one: &Named<'_>| matches!(one, Named::Argument(..));
        let named = addresses.get(&address).into_iter().flatten();
        if named.copied().any(|one| is_argument(&one)) && reach.is_single() {
            continue;
        }
        let Block {
            width,
            size,
            places,
            filled,
        } = reach.block();
        let start = address / PAGE * PAGE;
        let end = (address + size).next_multiple_of(PAGE);
        let around = all.last_mut().filter(|one| start < one.address + one.size);
        let register = match around {
            Some(register) => register,
            None => {
                all.push(Register {
                    name: format!("register_{start:x}"),
                    address: start,
                    ..Register::default()
                });
                let last = all.len() - 1;
                &mut all[last]
            }
        };
        register.size = register.size.max(end - register.address);
        register.constants.insert(address);
        let at = address - register.address;
        if places.is_empty() {
            register.fill(at, at + filled);
        }
        for place in places {
            register.fill(at + place * width, at + (place + 1) * width);
        }
    }
    all
}

/// The functions that translate numbers to pointers, by the addresses of the registers that they know.
type Translations<'m> = BTreeMap<Vec<u64>, Value<'m>>;

/// Lets a pointer that is made of numbers which may be the addresses of registers point to the variables.
fn translate<'m>(
    module: &'m Module,
    fixed: &Fixed<'m>,
    registers: &[Register],
    translations: &mut Translations<'m>,
) {
    let Fixed {
        pointer,
        constants,
        is_other,
    } = fixed;
    let registers = registers.iter();
    let registers: Vec<(&Register, Value<'m>)> = registers
        .filter(|one| !one.constants.is_disjoint(constants))
        .filter_map(|one| Some((one, module.global(&one.name)?)))
        .collect();
    let Some(next) = pointer.next() else {
        return;
    };
    let builder = module.builder();
    builder.before(next);
    builder.locate_at(*pointer);
    let number = pointer.operand(0);
    let number = match number.ty().int_width() {
        Some(64) => number,
        _ => builder.cast(LLVMOpcode::LLVMZExt, number, module.int(64)),
    };
    match &registers[..] {
        [] => {}
        [one] if !is_other => pointer.replace_uses(inside(module, &builder, *one, number).0),
        _ => {
            let known = registers.iter().map(|(register, _)| register.address);
            let next = translations.len();
            let translation = *translations
                .entry(known.collect())
                .or_insert_with(|| translation(module, next, &registers));
            let chosen = builder.call(translation, &[number, *pointer]);
            pointer.replace_uses(chosen);
            chosen.set_operand(1, *pointer);
        }
    }
}

/// A function that gives the pointer into one of these registers, if a number is an address there, else another
/// pointer. It is one of the driver's, whose choices are no branches of the program.
fn translation<'m>(
    module: &'m Module,
    number: usize,
    registers: &[(&Register, Value<'m>)],
) -> Value<'m> {
    let pointer = module.pointer();
    let name = format!("{TRANSLATION}{number}");
    let function = module.declare(&name, pointer, &[module.int(64), pointer]);
    function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let builder = module.builder();
    builder.at_end(module.define_body(function));
    let params = function.params();
    let chosen = registers.iter().fold(params[1], |chosen, register| {
        let (place, bytes) = inside(module, &builder, *register, params[0]);
        let size = module.const_int(64, register.0.size);
        let is_there = builder.compare(LLVMIntPredicate::LLVMIntULT, bytes, size);
        builder.select(is_there, place, chosen)
    });
    builder.ret(chosen);
    function
}

/// The pointer into a register for an address, and the bytes from where the register begins.
fn inside<'m>(
    module: &'m Module,
    builder: &Builder<'m>,
    (register, variable): (&Register, Value<'m>),
    address: Value<'m>,
) -> (Value<'m>, Value<'m>) {
    let start = module.const_int(64, register.address);
    let bytes = builder.binary(LLVMOpcode::LLVMSub, address, start);
    (
        builder.element_address(module.int(8), variable, bytes),
        bytes,
    )
}

/// Whether functions and variables have one of these constants.
pub(crate) fn have_one(named: &FxHashSet<Value<'_>>, constants: &BTreeSet<u64>) -> bool {
    let is_one = |value: Value<'_>| {
        let number = value.const_int_value();
        number.is_some_and(|number| constants.contains(&number))
    };
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let functions = named.iter().filter(|one| one.is_function());
    let blocks = functions.flat_map(|one| one.blocks());
    let mut instructions = blocks.flat_map(labrys_llvm::Block::instructions);
    let mut open: Vec<Value<'_>> = Vec::new();
    let variables = named.iter().filter(|one| one.is_variable());
    open.extend(variables.filter_map(|one| one.initializer()));
    while let Some(value) = open.pop() {
        if is_one(value) {
            return true;
        }
        if seen.insert(value) && !value.is_function() && !value.is_variable() {
            open.extend(value.operands());
            let elements = match value.ty().kind() {
                LLVMTypeKind::LLVMArrayTypeKind => value.ty().array_len().min(NEAR) as u32,
                _ => 0,
            };
            open.extend((0..elements).filter_map(|index| value.const_element(index)));
        }
    }
    instructions.any(|one| one.operands().into_iter().any(is_one))
}

/// Adds the variables for these addresses, and puts all in order.
fn add_named(module: &Module, addresses: &BTreeMap<u64, Vec<Named<'_>>>, all: &mut Vec<Register>) {
    let starts: Vec<u64> = all.iter().map(|one| one.address).collect();
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
        let around =
            (all.iter_mut()).find(|one| (one.address..one.address + one.size).contains(address));
        if let Some(register) = around {
            let at = address - register.address;
            register.fill(at, at + bytes);
            register.is_named = true;
            continue;
        }
        let mut register = Register {
            name: format!("register_{address:x}"),
            address: *address,
            size: bytes,
            is_named: true,
            ..Register::default()
        };
        let end = starts.iter().find(|start| *start > address);
        if !(is_access && is_free && bytes.is_power_of_two() && bytes <= 8) {
            let last = (address + bytes).next_multiple_of(PAGE);
            register.size = end.map_or(last, |end| last.min(*end)) - address;
            register.fill(0, bytes);
        }
        all.push(register);
    }
    all.sort_by_key(|one| one.address);
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
            let is_whole = argument.ty().int_width() == Some(64);
            let number = number.filter(|_| is_whole);
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

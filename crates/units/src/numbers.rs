//! Numbers as functions find them, and the constants that these may be where memory of devices lies.

use std::collections::BTreeSet;

use labrys_llvm::{LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Type, Value};
use rustc_hash::FxHashMap;

use crate::locals::Locals;
use crate::members::{first_members, layout_in, member_at};
use crate::types::Member;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 4096;
/// Addresses at which memory of devices may be: others are marks for no object, or none of a device.
const ADDRESSES: std::ops::Range<u64> = PAGE..1 << 32;
/// Bytes of the registers of which an array is made.
pub(crate) const WORD: u64 = 4;
/// Elements of a table that are looked at, at most.
const MOST_ELEMENTS: u64 = 256;

/// A number as a function finds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number<'m> {
    Parameter(Value<'m>),
    Member(Member),
    /// In a variable, so many bytes behind its beginning.
    Variable(Value<'m>, u64),
    /// What a function answers that the program does not define.
    Result(Value<'m>),
    /// A constant.
    Constant(u64),
}

/// Constants that are stored to members and variables, or that these hold when the program begins: those at
/// which memory of devices may be.
#[derive(Default)]
pub(crate) struct Constants<'m> {
    stored: FxHashMap<Number<'m>, BTreeSet<u64>>,
}

impl<'m> Constants<'m> {
    pub(crate) fn of(module: &'m Module, numbers: &Numbers<'m>) -> Self {
        let mut constants = Constants::default();
        for variable in module.globals() {
            if let Some(initial) = variable.initializer() {
                constants.add_initial(module, (variable, 0), (initial, None));
            }
        }
        let functions = module.functions().into_iter();
        let blocks = functions.flat_map(Value::blocks);
        for instruction in blocks.flat_map(labrys_llvm::Block::instructions) {
            if instruction.opcode() != LLVMOpcode::LLVMStore {
                continue;
            }
            let (value, address) = (instruction.operand(0), instruction.operand(1));
            if let Some(at) = fixed(value) {
                constants.add(numbers.at(address), at);
            }
        }
        constants
    }

    fn add(&mut self, number: Option<Number<'m>>, address: u64) {
        if let Some(number) = number {
            self.stored.entry(number).or_default().insert(address);
        }
    }

    /// Adds what a variable holds at a place when the program begins, which may be a member.
    fn add_initial(
        &mut self,
        module: &'m Module,
        (variable, at): (Value<'m>, u64),
        (initial, member): (Value<'m>, Option<Member>),
    ) {
        if let Some(address) = fixed(initial) {
            self.add(Some(Number::Variable(variable, at)), address);
            self.add(member.map(Number::Member), address);
            return;
        }
        let ty = initial.ty();
        match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                for (index, element) in (0..).zip(initial.operands()) {
                    let offset = module.element_offset(ty, index);
                    let member = Some((layout_in(module, ty), offset));
                    self.add_initial(module, (variable, at + offset), (element, member));
                }
            }
            LLVMTypeKind::LLVMArrayTypeKind if is_of_addresses(ty) => {
                let size = module.size_of(ty.element());
                for index in 0..ty.array_len().min(MOST_ELEMENTS) {
                    let element = u32::try_from(index).ok();
                    let element = element.and_then(|index| initial.const_element(index));
                    if let Some(element) = element {
                        self.add_initial(module, (variable, at + index * size), (element, None));
                    }
                }
            }
            _ => {}
        }
    }

    /// The constants that a value may be: one itself, or what is loaded.
    pub(crate) fn of_value(&self, numbers: &Numbers<'m>, value: Value<'m>) -> BTreeSet<u64> {
        if let Some(address) = fixed(value) {
            return BTreeSet::from([address]);
        }
        if let Some(number) = numbers.number(value) {
            return self.stored.get(&number).cloned().unwrap_or_default();
        }
        let is_load = value.is_instruction() && value.opcode() == LLVMOpcode::LLVMLoad;
        let Some(address) = is_load.then(|| value.operand(0)) else {
            return BTreeSet::new();
        };
        // An element of a table.
        let is_element =
            address.is_instruction() && address.opcode() == LLVMOpcode::LLVMGetElementPtr;
        let table = is_element.then(|| address.operand(0));
        let stored = self.stored.iter().filter(|(number, _)| match number {
            Number::Variable(variable, _) => Some(*variable) == table,
            _ => false,
        });
        stored
            .flat_map(|(_, addresses)| addresses)
            .copied()
            .collect()
    }
}

/// Whether elements of an array are numbers that may be addresses, or have them.
fn is_of_addresses(array: Type<'_>) -> bool {
    match array.element().kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => {
            matches!(array.element().int_width(), Some(32 | 64))
        }
        kind => matches!(
            kind,
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
        ),
    }
}

/// Whether memory of devices may be at an address.
pub(crate) fn is_fixed(address: u64) -> bool {
    ADDRESSES.contains(&address) && address % WORD == 0
}

/// A constant at which memory of devices may be.
fn fixed(value: Value<'_>) -> Option<u64> {
    let is_long = matches!(value.ty().int_width(), Some(32 | 64));
    let address = is_long.then(|| value.const_int_value())?;
    address.filter(|address| is_fixed(*address))
}

/// Tells which number a value is.
pub(crate) struct Numbers<'m> {
    module: &'m Module,
    /// The first members of structures behind parameters and local variables: the code computes no addresses
    /// of them.
    firsts: FxHashMap<Value<'m>, Member>,
}

impl<'m> Numbers<'m> {
    pub(crate) fn of(module: &'m Module, locals: &Locals<'m>) -> Self {
        let functions = module.functions().into_iter();
        let firsts = functions.flat_map(|function| first_members(module, function));
        Numbers {
            module,
            firsts: locals.first_members().chain(firsts).collect(),
        }
    }

    /// The number that a value is; none if it is computed otherwise, or too short for an address.
    pub(crate) fn number(&self, value: Value<'m>) -> Option<Number<'m>> {
        if !matches!(value.ty().int_width(), Some(32 | 64)) {
            return None;
        }
        if value.kind() == LLVMValueKind::LLVMArgumentValueKind {
            return Some(Number::Parameter(value));
        }
        match value.is_instruction().then(|| value.opcode())? {
            LLVMOpcode::LLVMLoad => self.at(value.operand(0)),
            LLVMOpcode::LLVMCall => {
                let called = value.called();
                let is_missing = called.is_function() && called.is_declaration();
                is_missing.then_some(Number::Result(called))
            }
            _ => None,
        }
    }

    /// The number at an address.
    pub(crate) fn at(&self, address: Value<'m>) -> Option<Number<'m>> {
        if let Some((variable, at)) = place(self.module, address) {
            return Some(Number::Variable(variable, at));
        }
        let member = member_at(self.module, address);
        let member = member.or_else(|| self.firsts.get(&address).cloned());
        member.map(Number::Member)
    }
}

/// The variable of the program at whose place a constant address is, and the bytes before that place.
fn place<'m>(module: &'m Module, address: Value<'m>) -> Option<(Value<'m>, u64)> {
    if address.is_variable() {
        return Some((address, 0)).filter(|_| address.linkage() != LLVMLinkage::LLVMPrivateLinkage);
    }
    let is_element = match address.kind() {
        LLVMValueKind::LLVMConstantExprValueKind => {
            address.const_opcode() == LLVMOpcode::LLVMGetElementPtr
        }
        LLVMValueKind::LLVMInstructionValueKind => {
            address.opcode() == LLVMOpcode::LLVMGetElementPtr
        }
        _ => false,
    };
    let variable = is_element.then(|| address.operand(0))?;
    if !variable.is_variable() {
        return None;
    }
    Some((variable, forward(module, address)?))
}

/// The constant bytes by which an address is further on than the one that it is computed from.
pub(crate) fn forward(module: &Module, address: Value<'_>) -> Option<u64> {
    let mut ty = address.gep_source_type();
    let mut indices = address.operands().into_iter().skip(1);
    let mut at = (indices.next()?.const_int_value()?).checked_mul(module.size_of(ty))?;
    for index in indices {
        let index = index.const_int_value()?;
        match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                let index = u32::try_from(index).ok()?;
                at += module.element_offset(ty, index);
                ty = *ty.struct_elements().get(index as usize)?;
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                ty = ty.element();
                at += index.checked_mul(module.size_of(ty))?;
            }
            _ => return None,
        }
    }
    Some(at)
}

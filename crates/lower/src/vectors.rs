//! Vectors: taken apart into their elements, so that all that follows sees numbers.
//!
//! Sources use vectors by name (`vector_size`, `ext_vector_type`) or by the functions of
//! `<immintrin.h>` and its like, which are wrappers of one block around an operation or an
//! intrinsic of the processor. Wrappers are put where they are called, intrinsics that are frequent
//! are spelled as operations on elements, and then LLVM's scalarizer does the rest. What stays are
//! vectors that functions get and return, and intrinsics that [`processor`] does not know.
//!
//! Laws: no decision is added. A choice between the elements of vectors becomes arithmetic; one between
//! whole vectors stays one decision.

mod processor;

use labrys_llvm::{
    Block, Builder, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LlvmError, Module, Type,
};
use labrys_llvm::{LLVMValueKind, Value};

use LLVMOpcode as O;

/// Put functions where they are called.
const INLINE: &str = "always-inline";

const ALWAYS: &str = "alwaysinline";

/// Whether a module has vectors.
pub(crate) fn has_vectors(module: &Module) -> bool {
    let functions = module.functions().into_iter();
    let mut instructions = functions.flat_map(instructions);
    instructions.any(|i| is_vector(i) || i.operands().into_iter().any(is_vector))
}

/// Puts wrappers around operations on vectors where they are called.
pub(crate) fn inline_wrappers(module: &mut Module) -> Result<(), LlvmError> {
    let functions = module.functions().into_iter();
    let always = functions.filter(|f| !f.is_declaration() && f.has_attribute(ALWAYS));
    let others: Vec<_> = always
        .filter(|f| !is_wrapper(*f))
        .map(Value::name)
        .collect();
    let others_in = |module: &Module, change: &dyn Fn(&Module, Value<'_>)| {
        for function in others.iter().filter_map(|name| module.function(name)) {
            change(module, function);
        }
    };
    others_in(module, &|module, f| module.remove_attribute(f, ALWAYS));
    module.run_passes(INLINE)?;
    others_in(module, &|module, f| module.add_attribute(f, ALWAYS, 0));
    Ok(())
}

/// Takes vectors apart; variables are SSA values already.
pub(crate) fn take_apart(module: &mut Module) -> Result<(), LlvmError> {
    for function in module.functions() {
        for instruction in instructions(function) {
            let elements = Elements::before(module, instruction);
            match instruction.opcode() {
                O::LLVMSelect => elements.choose(instruction),
                O::LLVMExtractElement => elements.find(instruction),
                O::LLVMInsertElement => elements.put(instruction),
                O::LLVMCall => processor::spell(&elements, instruction),
                _ => {}
            }
        }
    }
    module.scalarize()?;
    for function in module.functions() {
        for instruction in instructions(function) {
            Elements::before(module, instruction).resolve(instruction);
        }
    }
    Ok(())
}

fn instructions(function: Value<'_>) -> Vec<Value<'_>> {
    let blocks = function.blocks().into_iter();
    blocks.flat_map(Block::instructions).collect()
}

/// Whether a function does nothing but to compute with vectors that it gets or returns.
fn is_wrapper(function: Value<'_>) -> bool {
    let ty = function.global_type();
    let vectors =
        is_vector_type(ty.function_result()) || function.params().into_iter().any(is_vector);
    vectors && function.blocks().len() == 1
}

fn is_vector(value: Value<'_>) -> bool {
    is_vector_type(value.ty())
}

fn is_vector_type(ty: Type<'_>) -> bool {
    ty.kind() == LLVMTypeKind::LLVMVectorTypeKind
}

/// Bits of a number.
fn width(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        LLVMTypeKind::LLVMFloatTypeKind => Some(32),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(64),
        _ => ty.int_width(),
    }
}

/// New instructions on the elements of vectors, before one instruction.
struct Elements<'m> {
    module: &'m Module,
    builder: Builder<'m>,
}

impl<'m> Elements<'m> {
    fn before(module: &'m Module, instruction: Value<'m>) -> Self {
        let builder = module.builder();
        builder.before(instruction);
        builder.locate_at(instruction);
        Elements { module, builder }
    }

    /// All elements of a vector, the lowest first.
    fn of(&self, vector: Value<'m>) -> Vec<Value<'m>> {
        let count = vector.ty().vector_len();
        (0..count)
            .map(|index| self.element(vector, index))
            .collect()
    }

    /// One element of a vector, from where it was put in if that is to be seen.
    fn element(&self, vector: Value<'m>, index: u32) -> Value<'m> {
        let ty = vector.ty().element();
        if vector.is_constant() {
            let known = vector.const_element(index);
            let undefined = |kind| {
                matches!(
                    kind,
                    LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind
                )
            };
            match known {
                Some(known) if undefined(known.kind()) => return self.module.zero(ty),
                Some(known) => return known,
                None => {}
            }
        } else if vector.is_instruction() && vector.opcode() == O::LLVMInsertElement {
            match vector.operand(2).const_int_value() {
                Some(place) if place == u64::from(index) => return vector.operand(1),
                Some(_) => return self.element(vector.operand(0), index),
                None => {}
            }
        } else if vector.is_instruction() && vector.opcode() == O::LLVMBitCast {
            let from = vector.operand(0);
            let part = match is_vector(from) {
                true => self.regrouped(from, ty, index),
                false => self.part(from, ty, index),
            };
            if let Some(part) = part {
                return part;
            }
        }
        let place = self.module.const_int(32, u64::from(index));
        self.builder.extract_element(vector, place)
    }

    /// Element `index` of a value whose bits are taken for a vector of `ty`.
    fn part(&self, value: Value<'m>, ty: Type<'m>, index: u32) -> Option<Value<'m>> {
        let (whole, bits) = (width(value.ty())?, width(ty)?);
        let value = self.as_integer(value);
        let by = self.module.const_int(whole, u64::from(index * bits));
        let low = self.builder.binary(O::LLVMLShr, value, by);
        let part = match bits < whole {
            true => self.builder.cast(O::LLVMTrunc, low, self.module.int(bits)),
            false => low,
        };
        Some(self.as_type(part, ty))
    }

    /// Element `index` of a vector whose bits are taken for a vector of `ty`.
    fn regrouped(&self, from: Value<'m>, ty: Type<'m>, index: u32) -> Option<Value<'m>> {
        let (old, new) = (width(from.ty().element())?, width(ty)?);
        if new < old && old % new == 0 {
            let count = old / new;
            return self.part(self.element(from, index / count), ty, index % count);
        }
        let count = new / old;
        let parts = (index * count..(index + 1) * count).map(|part| self.element(from, part));
        let whole = || self.join(&parts.collect::<Vec<_>>(), new);
        (new % old == 0).then(|| self.as_type(whole(), ty))
    }

    /// A number as an integer of the same bits.
    fn as_integer(&self, value: Value<'m>) -> Value<'m> {
        match width(value.ty()) {
            Some(bits) => self.as_type(value, self.module.int(bits)),
            None => value,
        }
    }

    /// A number as one of another type of the same bits.
    fn as_type(&self, value: Value<'m>, ty: Type<'m>) -> Value<'m> {
        if value.ty() == ty {
            return value;
        }
        self.builder.cast(O::LLVMBitCast, value, ty)
    }

    /// A vector of these elements.
    fn vector(&self, ty: Type<'m>, elements: &[Value<'m>]) -> Value<'m> {
        let numbered = (0..).zip(elements);
        numbered.fold(ty.undefined(), |vector, (index, element)| {
            let place = self.module.const_int(32, index);
            self.builder.insert_element(vector, *element, place)
        })
    }

    /// The elements behind one another as one number of `bits` bits, the first lowest.
    fn join(&self, elements: &[Value<'m>], bits: u32) -> Value<'m> {
        let mut whole = self.module.const_int(bits, 0);
        let mut at = 0;
        for element in elements {
            let element = self.as_integer(*element);
            let part = self.widen(element, bits);
            let part = self.binary(O::LLVMShl, part, at);
            whole = self.builder.binary(O::LLVMOr, whole, part);
            at += u64::from(width(element.ty()).unwrap_or(0));
        }
        whole
    }

    /// A binary operation with a constant.
    fn binary(&self, opcode: LLVMOpcode, a: Value<'m>, b: u64) -> Value<'m> {
        let bits = a.ty().int_width().unwrap_or(64);
        self.builder
            .binary(opcode, a, self.module.const_int(bits, b))
    }

    /// An integer without a sign in at least as many bits.
    fn widen(&self, value: Value<'m>, bits: u32) -> Value<'m> {
        self.extend(O::LLVMZExt, value, bits)
    }

    /// An integer in at least as many bits, extended by `ZExt` or `SExt`.
    fn extend(&self, how: LLVMOpcode, value: Value<'m>, bits: u32) -> Value<'m> {
        if value.ty().int_width() == Some(bits) {
            return value;
        }
        self.builder.cast(how, value, self.module.int(bits))
    }

    /// `condition ? a : b` of integers, as arithmetic. The condition may be a mask of 64 bits.
    fn blend(&self, condition: Value<'m>, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        let bits = a.ty().int_width().unwrap_or(64);
        let is_wider = condition.ty().int_width() > Some(bits);
        let mask = match is_wider {
            true => self
                .builder
                .cast(O::LLVMTrunc, condition, self.module.int(bits)),
            false => self.extend(O::LLVMSExt, condition, bits),
        };
        let differ = self.builder.binary(O::LLVMXor, a, b);
        let taken = self.builder.binary(O::LLVMAnd, differ, mask);
        self.builder.binary(O::LLVMXor, b, taken)
    }

    /// Spells the choice between vectors as arithmetic on elements.
    fn choose(&self, select: Value<'m>) {
        let [condition, a, b] = [0, 1, 2].map(|index| select.operand(index));
        let ty = select.ty();
        if !is_vector_type(ty) || width(ty.element()).is_none() {
            return;
        }
        let conditions = match is_vector(condition) {
            true => self.of(condition),
            false => {
                let [all, none] = [u64::MAX, 0].map(|mask| self.module.const_int(64, mask));
                let mask = self.builder.select(condition, all, none);
                vec![mask; ty.vector_len() as usize]
            }
        };
        let choices = conditions.into_iter().zip(self.of(a)).zip(self.of(b));
        let chosen: Vec<_> = choices
            .map(|((condition, a), b)| {
                let (a, b) = (self.as_integer(a), self.as_integer(b));
                self.as_type(self.blend(condition, a, b), ty.element())
            })
            .collect();
        replace(select, self.vector(ty, &chosen));
    }

    /// Spells the choice of an element by a number as arithmetic.
    fn find(&self, extract: Value<'m>) {
        let [vector, place] = [0, 1].map(|index| extract.operand(index));
        if place.const_int_value().is_some() || width(extract.ty()).is_none() {
            return;
        }
        let found = self.chosen(&self.of(vector), place);
        replace(extract, self.as_type(found, extract.ty()));
    }

    /// The element that a number chooses, as an integer.
    fn chosen(&self, elements: &[Value<'m>], place: Value<'m>) -> Value<'m> {
        let first = self.as_integer(elements[0]);
        let others = (1..).zip(&elements[1..]);
        others.fold(first, |found, (index, element)| {
            let here = self.is(place, index);
            self.blend(here, self.as_integer(*element), found)
        })
    }

    /// Whether an integer is this one.
    fn is(&self, integer: Value<'m>, wanted: u64) -> Value<'m> {
        let wanted = self
            .module
            .const_int(integer.ty().int_width().unwrap_or(64), wanted);
        self.builder
            .compare(LLVMIntPredicate::LLVMIntEQ, integer, wanted)
    }

    /// Spells the change of an element that a number chooses as arithmetic.
    fn put(&self, insert: Value<'m>) {
        let [vector, new, place] = [0, 1, 2].map(|index| insert.operand(index));
        if place.const_int_value().is_some() || width(new.ty()).is_none() {
            return;
        }
        let elements = (0..).zip(self.of(vector));
        let changed: Vec<_> = elements
            .map(|(index, old)| {
                let here = self.is(place, index);
                let element = self.blend(here, self.as_integer(new), self.as_integer(old));
                self.as_type(element, new.ty())
            })
            .collect();
        replace(insert, self.vector(insert.ty(), &changed));
    }

    /// A constant vector whose bits are taken for a number, as that number.
    fn constant(&self, value: Value<'m>) -> Option<Value<'m>> {
        let is_expression = value.kind() == LLVMValueKind::LLVMConstantExprValueKind
            && value.const_opcode() == O::LLVMBitCast;
        if !is_expression || is_vector(value) || !is_vector(value.operand(0)) {
            return None;
        }
        let bits = width(value.ty())?;
        let elements = self.of(value.operand(0));
        let known = elements.iter().all(|element| width(element.ty()).is_some());
        known.then(|| self.as_type(self.join(&elements, bits), value.ty()))
    }

    /// Replaces what takes a vector apart by what was put into it.
    fn resolve(&self, i: Value<'m>) {
        let from = |index: usize| i.operand(index);
        for (index, operand) in i.operands().into_iter().enumerate() {
            if let Some(number) = self.constant(operand) {
                i.set_operand(index, number);
            }
        }
        let new = match i.opcode() {
            O::LLVMExtractElement => match from(1).const_int_value() {
                Some(index) if index < u64::from(from(0).ty().vector_len()) => {
                    Some(self.element(from(0), index as u32))
                }
                _ => None,
            },
            O::LLVMBitCast if is_vector(from(0)) && !is_vector(i) => {
                width(i.ty()).map(|bits| self.as_type(self.join(&self.of(from(0)), bits), i.ty()))
            }
            _ => None,
        };
        if let Some(new) = new {
            replace(i, new);
        }
    }
}

fn replace<'m>(old: Value<'m>, new: Value<'m>) {
    old.replace_uses(new);
    old.erase();
}

//! Questions to values.
//!
//! Invariant: nothing here changes a module.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_uint};
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAttributeFunctionIndex, LLVMVisibility};

use super::{
    Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind,
    LLVMValueKind, Type, Value, take_message,
};

/// A source position as debug information gives it; the strings belong to the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugPlace<'m> {
    /// The folder of the compilation.
    pub directory: &'m [u8],
    /// The path of the file, from that folder or absolute.
    pub file: &'m [u8],
    /// Line, from 1; 0 where the compiler made the code.
    pub line: u32,
    /// Column, from 1; 0 for none.
    pub column: u32,
}

/// What LLVM knows of the memory effects of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEffects {
    /// It writes no memory.
    ReadsOnly,
    /// It may write memory.
    Writes,
}

/// What an atomic read-modify-write makes of what stands there and an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtomicOperation {
    /// The operand.
    Exchange,
    /// The result of a binary operation.
    Binary(LLVMOpcode),
    /// Something else: a bound, an operation on floats.
    Other,
}

impl<'m> Value<'m> {
    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0
    }

    pub(crate) fn wrap(raw: LLVMValueRef) -> Self {
        Value(raw, PhantomData)
    }

    /// Its type.
    #[must_use]
    pub fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        Type(unsafe { LLVMTypeOf(self.0) }, PhantomData)
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> LLVMValueKind {
        // SAFETY: the value is valid.
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// Its name, empty if it has none.
    #[must_use]
    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the bytes belong to the value and are `len` long.
        unsafe {
            let start = LLVMGetValueName2(self.0, &raw mut len);
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), len)).into_owned()
        }
    }

    /// Opcode of an instruction.
    #[must_use]
    pub fn opcode(self) -> LLVMOpcode {
        // SAFETY: callers pass instructions.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Whether it is an instruction.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a function.
    #[must_use]
    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    /// Whether it is a global variable.
    #[must_use]
    pub fn is_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    /// Whether a function is used other than as what a call calls.
    #[must_use]
    pub fn is_address_taken(self) -> bool {
        // SAFETY: every value has a list of uses.
        let first = Some(unsafe { LLVMGetFirstUse(self.0) }).filter(|one| !one.is_null());
        let mut uses = std::iter::successors(first, |one| {
            // SAFETY: it is a use, and not the end of the list.
            Some(unsafe { LLVMGetNextUse(*one) }).filter(|next| !next.is_null())
        });
        uses.any(|one| {
            // SAFETY: each use has a user.
            let user = Value::wrap(unsafe { LLVMGetUser(one) });
            let calls = user.is_instruction()
                && user.opcode() == LLVMOpcode::LLVMCall
                && user.called() == self
                && !user.arguments().contains(&self);
            !calls
        })
    }

    /// Whether it is the null pointer.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == LLVMValueKind::LLVMConstantPointerNullValueKind
    }

    /// Whether it is a value that nobody defined.
    #[must_use]
    pub fn is_undefined(self) -> bool {
        self.kind() == LLVMValueKind::LLVMUndefValueValueKind
    }

    /// Whether it is a constant (functions and globals included).
    #[must_use]
    pub fn is_constant(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Operands in order.
    #[must_use]
    pub fn operands(self) -> Vec<Value<'m>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// Number of operands.
    #[must_use]
    pub fn operand_count(self) -> usize {
        // SAFETY: callers pass users (instructions, constants).
        unsafe { LLVMGetNumOperands(self.0) as usize }
    }

    /// Operand `index`, which must be below [`Value::operand_count`].
    #[must_use]
    pub fn operand(self, index: usize) -> Value<'m> {
        debug_assert!(index < self.operand_count());
        // SAFETY: the index is in range.
        Value(
            unsafe { LLVMGetOperand(self.0, index as c_uint) },
            PhantomData,
        )
    }

    /// Value of an integer constant of at most 64 bits, zero-extended.
    #[must_use]
    pub fn const_int_value(self) -> Option<u64> {
        let small = self.ty().int_width().is_some_and(|w| w <= 64);
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && small)
            // SAFETY: kind and width are checked.
            .then(|| unsafe { LLVMConstIntGetZExtValue(self.0) })
    }

    /// Predicate of an integer comparison.
    #[must_use]
    pub fn int_predicate(self) -> LLVMIntPredicate {
        // SAFETY: callers pass integer comparisons.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Predicate of a floating comparison.
    #[must_use]
    pub fn real_predicate(self) -> LLVMRealPredicate {
        // SAFETY: callers pass floating comparisons.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// Blocks of a function, in order; empty for a declaration.
    #[must_use]
    pub fn blocks(self) -> Vec<Block<'m>> {
        let mut found = Vec::new();
        // SAFETY: callers pass functions.
        let mut block = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !block.is_null() {
            found.push(Block(block, PhantomData));
            // SAFETY: the block is valid.
            block = unsafe { LLVMGetNextBasicBlock(block) };
        }
        found
    }

    /// Parameters of a function.
    #[must_use]
    pub fn params(self) -> Vec<Value<'m>> {
        // SAFETY: callers pass functions; the index is in range.
        unsafe {
            (0..LLVMCountParams(self.0))
                .map(|i| Value(LLVMGetParam(self.0, i), PhantomData))
                .collect()
        }
    }

    /// Whether a function or global has no body or initializer here.
    #[must_use]
    pub fn is_declaration(self) -> bool {
        // SAFETY: callers pass globals.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Type of a function or global variable (not the pointer to it).
    #[must_use]
    pub fn global_type(self) -> Type<'m> {
        // SAFETY: callers pass globals.
        Type(unsafe { LLVMGlobalGetValueType(self.0) }, PhantomData)
    }

    /// Whether a global variable is constant.
    #[must_use]
    pub fn is_constant_global(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Initializer of a global variable.
    #[must_use]
    pub fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetInitializer(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Linkage of a function or global variable.
    #[must_use]
    pub fn linkage(self) -> LLVMLinkage {
        // SAFETY: callers pass globals.
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Whether it is a weak definition, in whose place another link may have another one. What C++
    /// defines in several objects is the same in each.
    #[must_use]
    pub fn is_replaceable(self) -> bool {
        let weak = [
            LLVMLinkage::LLVMWeakAnyLinkage,
            LLVMLinkage::LLVMLinkOnceAnyLinkage,
        ];
        weak.contains(&self.linkage())
    }

    /// Whether nothing stands for it where it is linked dynamically ([`protect`](Self::protect)).
    #[must_use]
    pub fn is_protected(self) -> bool {
        // SAFETY: callers pass globals.
        unsafe { LLVMGetVisibility(self.0) == LLVMVisibility::LLVMProtectedVisibility }
    }

    /// Called operand of a call.
    #[must_use]
    pub fn called(self) -> Value<'m> {
        // SAFETY: callers pass calls.
        Value(unsafe { LLVMGetCalledValue(self.0) }, PhantomData)
    }

    /// Function type of a call.
    #[must_use]
    pub fn called_type(self) -> Type<'m> {
        // SAFETY: callers pass calls.
        Type(unsafe { LLVMGetCalledFunctionType(self.0) }, PhantomData)
    }

    /// Arguments of a call.
    #[must_use]
    pub fn arguments(self) -> Vec<Value<'m>> {
        // SAFETY: callers pass calls.
        let count = unsafe { LLVMGetNumArgOperands(self.0) } as usize;
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// Type allocated by an `alloca`.
    #[must_use]
    pub fn allocated_type(self) -> Type<'m> {
        // SAFETY: callers pass allocas.
        Type(unsafe { LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// Source element type of a `getelementptr`.
    #[must_use]
    pub fn gep_source_type(self) -> Type<'m> {
        // SAFETY: callers pass geps.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) }, PhantomData)
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    #[must_use]
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: callers pass such instructions; the array belongs to them.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Incoming `(value, block)` pairs of a phi.
    #[must_use]
    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        // SAFETY: callers pass phis; the index is in range.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    let value = Value(LLVMGetIncomingValue(self.0, i), PhantomData);
                    (value, Block(LLVMGetIncomingBlock(self.0, i), PhantomData))
                })
                .collect()
        }
    }

    /// Whether a branch is conditional.
    #[must_use]
    pub fn is_conditional(self) -> bool {
        // SAFETY: callers pass `br` instructions.
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// Block that contains an instruction.
    #[must_use]
    pub fn parent(self) -> Block<'m> {
        // SAFETY: callers pass inserted instructions.
        Block(unsafe { LLVMGetInstructionParent(self.0) }, PhantomData)
    }

    /// Next instruction of the block.
    #[must_use]
    pub fn next(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNextInstruction(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Previous instruction of the block.
    #[must_use]
    pub fn previous(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetPreviousInstruction(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Whether it is a call that must be a tail call.
    #[must_use]
    pub fn is_musttail(self) -> bool {
        self.opcode() == LLVMOpcode::LLVMCall
            // SAFETY: it is a call.
            && unsafe { LLVMGetTailCallKind(self.0) }
                == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// Whether argument `index` of a call is a structure passed by value.
    #[must_use]
    pub fn is_by_value_argument(self, index: usize) -> bool {
        // SAFETY: callers pass calls; null means "no".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            !LLVMGetCallSiteEnumAttribute(self.0, index as c_uint + 1, kind).is_null()
        }
    }

    /// Value of an integer constant of at most 64 bits, sign-extended.
    #[must_use]
    pub fn const_int_signed(self) -> Option<i64> {
        self.const_int_value()
            // SAFETY: it is an integer constant.
            .map(|_| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// Whether a global variable is thread-local.
    #[must_use]
    pub fn is_thread_local(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Value of an integer constant of at most 128 bits, zero-extended.
    #[must_use]
    pub fn const_int_bits(self) -> Option<u128> {
        let width = self.ty().int_width()?;
        if width <= 64 {
            return self.const_int_value().map(u128::from);
        }
        if width > 128 || self.kind() != LLVMValueKind::LLVMConstantIntValueKind {
            return None;
        }
        // The C API hands out no more than 64 bits of a constant, except as text: `i128 -5`.
        let text = self.to_text();
        let digits = text.rsplit(' ').next()?;
        let bits = match digits.strip_prefix('-') {
            Some(magnitude) => magnitude.parse::<u128>().ok()?.wrapping_neg(),
            None => digits.parse().ok()?,
        };
        Some(bits & (u128::MAX >> (128 - width)))
    }

    /// Pattern of a floating constant of 32 or 64 bits, that of any NaN too.
    #[must_use]
    pub fn const_float_bits(self) -> Option<u64> {
        let width = match self.ty().kind() {
            LLVMTypeKind::LLVMFloatTypeKind => 32,
            LLVMTypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        if self.kind() != LLVMValueKind::LLVMConstantFPValueKind {
            return None;
        }
        // A number in between would make a signaling NaN quiet.
        // SAFETY: it is a floating constant of that width, which folds to an integer constant.
        unsafe {
            let integer = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(self.raw())), width);
            let bits = LLVMConstBitCast(self.raw(), integer);
            Some(LLVMConstIntGetZExtValue(bits))
        }
    }

    /// Bytes of a constant array of 8-bit integers that is stored as data.
    #[must_use]
    pub fn const_bytes(self) -> Option<&'m [u8]> {
        let data = self.kind() == LLVMValueKind::LLVMConstantDataArrayValueKind;
        if !data || self.ty().element().int_width() != Some(8) {
            return None;
        }
        let mut length = 0;
        // SAFETY: kind and element type are checked; the bytes belong to the constant.
        unsafe {
            let start = LLVMGetAsString(self.raw(), &raw mut length);
            Some(bytes(start, length))
        }
    }

    /// Element of a constant aggregate or vector.
    #[must_use]
    pub fn const_element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: callers pass constants; null means "none".
        let raw = unsafe { LLVMGetAggregateElement(self.raw(), index) };
        (!raw.is_null()).then(|| Value::wrap(raw))
    }

    /// Opcode of a constant expression.
    #[must_use]
    pub fn const_opcode(self) -> LLVMOpcode {
        // SAFETY: callers pass constant expressions.
        unsafe { LLVMGetConstOpcode(self.raw()) }
    }

    /// What an alias stands for.
    #[must_use]
    pub fn aliasee(self) -> Option<Value<'m>> {
        if self.kind() != LLVMValueKind::LLVMGlobalAliasValueKind {
            return None;
        }
        // SAFETY: it is an alias.
        Some(Value::wrap(unsafe { LLVMAliasGetAliasee(self.raw()) }))
    }

    /// The function or variable that an alias is a name of, or of a part of.
    #[must_use]
    pub fn aliased_object(self) -> Option<Value<'m>> {
        let mut value = self;
        for _ in 0..16 {
            value = match value.kind() {
                LLVMValueKind::LLVMGlobalAliasValueKind => value.aliasee()?,
                LLVMValueKind::LLVMConstantExprValueKind => value.operand(0),
                _ => return Some(value),
            };
        }
        None
    }

    /// Whether it is inline assembly.
    #[must_use]
    pub fn is_assembly(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { !LLVMIsAInlineAsm(self.raw()).is_null() }
    }

    /// The instructions and constants that have this value as an operand.
    #[must_use]
    pub fn users(self) -> Vec<Value<'m>> {
        let mut users = Vec::new();
        // SAFETY: plain traversal of the uses of a valid value; null ends it.
        unsafe {
            let mut item = LLVMGetFirstUse(self.raw());
            while !item.is_null() {
                users.push(Value::wrap(LLVMGetUser(item)));
                item = LLVMGetNextUse(item);
            }
        }
        users
    }

    /// The text of inline assembly.
    #[must_use]
    pub fn assembly_text(self) -> String {
        let mut length = 0;
        // SAFETY: callers pass inline assembly; the text belongs to it and is so long.
        unsafe {
            let text = LLVMGetInlineAsmAsmString(self.raw(), &raw mut length);
            super::text_of(text, length)
        }
    }

    /// The function that chooses what an indirect function stands for.
    #[must_use]
    pub fn resolver(self) -> Option<Value<'m>> {
        // SAFETY: callers pass indirect functions; null means "none".
        let raw = unsafe { LLVMGetGlobalIFuncResolver(self.raw()) };
        (!raw.is_null()).then(|| Value::wrap(raw))
    }

    /// What LLVM may do otherwise than IEEE says: whether products and sums may be fused, and
    /// whether anything else may.
    #[must_use]
    pub fn float_freedom(self) -> (bool, bool) {
        // SAFETY: flags are asked for where the instruction can have them.
        let flags = unsafe {
            match LLVMCanValueUseFastMathFlags(self.raw()) {
                0 => 0,
                _ => LLVMGetFastMathFlags(self.raw()),
            }
        };
        let fuses = flags & llvm_sys::LLVMFastMathAllowContract != 0;
        (fuses, flags & !llvm_sys::LLVMFastMathAllowContract != 0)
    }

    /// What an atomic read-modify-write does.
    #[must_use]
    pub fn atomic_operation(self) -> AtomicOperation {
        use llvm_sys::LLVMAtomicRMWBinOp as B;
        // SAFETY: callers pass atomic read-modify-writes.
        match unsafe { LLVMGetAtomicRMWBinOp(self.raw()) } {
            B::LLVMAtomicRMWBinOpXchg => AtomicOperation::Exchange,
            B::LLVMAtomicRMWBinOpAdd => AtomicOperation::Binary(LLVMOpcode::LLVMAdd),
            B::LLVMAtomicRMWBinOpSub => AtomicOperation::Binary(LLVMOpcode::LLVMSub),
            B::LLVMAtomicRMWBinOpAnd => AtomicOperation::Binary(LLVMOpcode::LLVMAnd),
            B::LLVMAtomicRMWBinOpOr => AtomicOperation::Binary(LLVMOpcode::LLVMOr),
            B::LLVMAtomicRMWBinOpXor => AtomicOperation::Binary(LLVMOpcode::LLVMXor),
            _ => AtomicOperation::Other,
        }
    }

    /// Whether a load or store is volatile.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        // SAFETY: callers pass loads and stores.
        unsafe { LLVMGetVolatile(self.raw()) != 0 }
    }

    /// Makes a load or store volatile.
    pub fn set_volatile(self) {
        // SAFETY: callers pass loads and stores.
        unsafe { LLVMSetVolatile(self.raw(), 1) }
    }

    /// Whether a load or store is atomic.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        // SAFETY: callers pass loads and stores.
        let ordering = unsafe { LLVMGetOrdering(self.raw()) };
        ordering != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// The section that a global variable is put in; empty if none is named.
    #[must_use]
    pub fn section(self) -> String {
        // SAFETY: callers pass global variables; null is "none".
        unsafe {
            let name = LLVMGetSection(self.0);
            if name.is_null() {
                return String::new();
            }
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// Alignment of a global variable, `alloca` or access, bytes; 0 if it has none of its own.
    #[must_use]
    pub fn alignment(self) -> u64 {
        // SAFETY: callers pass global variables, allocas, loads and stores.
        u64::from(unsafe { LLVMGetAlignment(self.raw()) })
    }

    /// Whether a function has an attribute without a value, by its name.
    #[must_use]
    pub fn has_attribute(self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// What attributes tell of the memory effects of a function.
    pub fn memory_effects(self) -> MemoryEffects {
        // Two bits for each kind of memory; the higher one stands for writing.
        let any_write = 0xaaaa_aaaa_aaaa_aaaa;
        match self.attribute("memory") {
            Some(effects) if effects & any_write == 0 => MemoryEffects::ReadsOnly,
            _ => MemoryEffects::Writes,
        }
    }

    fn attribute(self, name: &str) -> Option<u64> {
        // SAFETY: callers pass functions; the name is `len` bytes long; null means "none".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute =
                LLVMGetEnumAttributeAtIndex(self.raw(), LLVMAttributeFunctionIndex as c_uint, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// Source position of an instruction or function, if debug information gives one.
    pub fn debug_place(self) -> Option<DebugPlace<'m>> {
        // SAFETY: callers pass instructions and functions; the strings belong to the module.
        unsafe {
            let line = LLVMGetDebugLocLine(self.raw());
            let mut length = 0;
            let start = LLVMGetDebugLocFilename(self.raw(), &raw mut length);
            let file = bytes(start, length as usize);
            if line == 0 || file.is_empty() {
                return None;
            }
            let start = LLVMGetDebugLocDirectory(self.raw(), &raw mut length);
            let directory = bytes(start, length as usize);
            let column = if self.is_instruction() {
                LLVMGetDebugLocColumn(self.raw())
            } else {
                0
            };
            Some(DebugPlace {
                directory,
                file,
                line,
                column,
            })
        }
    }

    /// The value as LLVM prints it.
    #[must_use]
    pub fn to_text(self) -> String {
        // SAFETY: the value is valid; the message is taken once.
        unsafe { take_message(LLVMPrintValueToString(self.raw())) }
    }
}

/// Bytes that LLVM points to; none for a null pointer.
///
/// # Safety
/// The pointer is null or points to `length` bytes that live as long as the module.
unsafe fn bytes<'m>(start: *const c_char, length: usize) -> &'m [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}

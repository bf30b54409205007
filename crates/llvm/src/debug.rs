//! Debug information of types, as a graph of nodes.
//!
//! The C API names few parts of a node; the others are its operands, at the places that LLVM 19
//! gives them (`DebugInfoMetadata.h`). A place that holds something else reads as "none".
//!
//! Invariant: nothing here changes a module.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use super::{Module, Value};

/// A node of debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugNode<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m Module>,
}

/// Tags of DWARF that tell types apart.
pub mod tag {
    /// `DW_TAG_array_type`.
    pub const ARRAY: u16 = 0x01;
    /// `DW_TAG_enumeration_type`.
    pub const ENUMERATION: u16 = 0x04;
    /// `DW_TAG_member`.
    pub const MEMBER: u16 = 0x0d;
    /// `DW_TAG_pointer_type`.
    pub const POINTER: u16 = 0x0f;
    /// `DW_TAG_subroutine_type`.
    pub const SUBROUTINE: u16 = 0x15;
    /// `DW_TAG_typedef`.
    pub const TYPEDEF: u16 = 0x16;
    /// `DW_TAG_const_type`.
    pub const CONST: u16 = 0x26;
    /// `DW_TAG_volatile_type`.
    pub const VOLATILE: u16 = 0x35;
    /// `DW_TAG_atomic_type`.
    pub const ATOMIC: u16 = 0x47;
    /// `DW_TAG_structure_type`.
    pub const STRUCTURE: u16 = 0x13;
    /// `DW_TAG_union_type`.
    pub const UNION: u16 = 0x17;
    /// `DW_TAG_base_type`.
    pub const BASE: u16 = 0x24;
    /// Other names and qualifiers: `typedef`, `const`, `volatile`, `restrict`, `_Atomic`.
    pub const WRAPPERS: [u16; 5] = [TYPEDEF, CONST, VOLATILE, 0x37, ATOMIC];
}

/// Places of operands.
const FILE: usize = 0;
const FILE_NAME: usize = 0;
const FILE_FOLDER: usize = 1;
const SCOPE: usize = 1;
const NAME: usize = 2;
const BASE_TYPE: usize = 3;
const ELEMENTS: usize = 4;
const FUNCTION_TYPE: usize = 4;
const FUNCTION_UNIT: usize = 5;
const TYPES: usize = 3;
const RETAINED: usize = 7;
const RETAINED_TYPES: usize = 5;
const VARIABLE_SCOPE: usize = 0;
const VARIABLE_NAME: usize = 1;
const VARIABLE_FILE: usize = 2;
const COUNT: usize = 0;

impl<'m> DebugNode<'m> {
    /// A node of a module.
    pub(crate) fn wrap(module: &'m Module, raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(DebugNode {
            raw,
            context: module.context,
            module: PhantomData,
        })
    }

    pub(crate) fn raw(self) -> LLVMMetadataRef {
        self.raw
    }

    /// The description of a function that was compiled with debug information.
    #[must_use]
    pub fn of_function(module: &'m Module, function: Value<'m>) -> Option<Self> {
        // SAFETY: callers pass functions; null is "none".
        let raw = unsafe { LLVMGetSubprogram(function.raw()) };
        Self::wrap(module, raw)
    }

    /// The description of a global variable that was compiled with debug information; its
    /// [base](DebugNode::base) is the variable's type.
    #[must_use]
    pub fn of_global(module: &'m Module, variable: Value<'m>) -> Option<Self> {
        let mut count = 0;
        // SAFETY: callers pass globals; the list is freed after it was read, its nodes belong to
        // the context.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(variable.raw(), &raw mut count);
            let nodes = (0..count as u32).map(|index| {
                let kind = LLVMValueMetadataEntriesGetKind(entries, index);
                (kind, LLVMValueMetadataEntriesGetMetadata(entries, index))
            });
            let debug = LLVMGetMDKindIDInContext(module.context, c"dbg".as_ptr(), 3);
            let expression = nodes.rev().find(|(kind, _)| *kind == debug);
            let raw = expression.map(|(_, raw)| LLVMDIGlobalVariableExpressionGetVariable(raw));
            LLVMDisposeValueMetadataEntries(entries);
            raw.and_then(|raw| Self::wrap(module, raw))
        }
    }

    /// The file that a variable stands in, as [`file`](DebugNode::file) of a function.
    pub fn variable_file(self) -> Option<std::path::PathBuf> {
        self.operand(VARIABLE_FILE).and_then(Self::path)
    }

    /// The compilation that a variable is of, if it is declared outside blocks of functions.
    #[must_use]
    pub fn variable_unit(self) -> Option<DebugNode<'m>> {
        let scope = self.operand(VARIABLE_SCOPE)?;
        match scope.kind() {
            LLVMMetadataKind::LLVMDICompileUnitMetadataKind => Some(scope),
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => scope.unit(),
            _ => None,
        }
    }

    /// The scope that a variable is declared in: a function, a block of one, or a compilation.
    #[must_use]
    pub fn variable_scope(self) -> Option<DebugNode<'m>> {
        self.operand(VARIABLE_SCOPE)
    }

    /// The line on which a variable is declared; 0 for none.
    #[must_use]
    pub fn variable_line(self) -> u32 {
        use LLVMMetadataKind as K;
        match self.kind() {
            // SAFETY: it is a variable.
            K::LLVMDILocalVariableMetadataKind | K::LLVMDIGlobalVariableMetadataKind => unsafe {
                LLVMDIVariableGetLine(self.raw)
            },
            _ => 0,
        }
    }

    /// The scope around a block of a function; none around the function itself.
    #[must_use]
    pub fn scope_around(self) -> Option<DebugNode<'m>> {
        use LLVMMetadataKind as K;
        match self.kind() {
            K::LLVMDILexicalBlockMetadataKind | K::LLVMDILexicalBlockFileMetadataKind => {
                self.operand(SCOPE)
            }
            _ => None,
        }
    }

    fn path(self) -> Option<std::path::PathBuf> {
        let text = |place| self.operand(place).map(Self::text).unwrap_or_default();
        let name = text(FILE_NAME);
        (!name.is_empty()).then(|| std::path::Path::new(&text(FILE_FOLDER)).join(name))
    }

    /// The name of a variable; empty if it has none.
    pub fn variable_name(self) -> String {
        self.operand(VARIABLE_NAME)
            .map_or_else(String::new, Self::text)
    }

    pub(crate) fn kind(self) -> LLVMMetadataKind {
        // SAFETY: the node is valid.
        unsafe { LLVMGetMetadataKind(self.raw) }
    }

    fn is_type(self) -> bool {
        use LLVMMetadataKind as K;
        matches!(
            self.kind(),
            K::LLVMDIBasicTypeMetadataKind
                | K::LLVMDIDerivedTypeMetadataKind
                | K::LLVMDICompositeTypeMetadataKind
                | K::LLVMDISubroutineTypeMetadataKind
        )
    }

    /// The DWARF tag of a type; 0 for other nodes.
    pub fn tag(self) -> u16 {
        if !self.is_type() {
            return 0;
        }
        // SAFETY: types have tags.
        unsafe { LLVMGetDINodeTag(self.raw) }
    }

    /// Bytes of a type.
    pub fn size(self) -> u64 {
        if !self.is_type() {
            return 0;
        }
        // SAFETY: it is a type.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) / 8 }
    }

    /// Bits of a type: of a bit field fewer than its type has.
    pub fn size_bits(self) -> u64 {
        if !self.is_type() {
            return 0;
        }
        // SAFETY: it is a type.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }
    }

    /// Bits from the beginning of the structure to a member.
    pub fn offset_bits(self) -> u64 {
        if !self.is_type() {
            return 0;
        }
        // SAFETY: it is a type.
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
    }

    /// The name of a type or member; empty if it has none.
    pub fn name(self) -> String {
        self.operand(NAME).map_or_else(String::new, Self::text)
    }

    /// The file that a function or a structure stands in: its path, from the folder of the compilation on if it is
    /// not absolute.
    pub fn file(self) -> Option<std::path::PathBuf> {
        self.operand(FILE).and_then(Self::path)
    }

    /// The compilation that a function is of.
    pub fn unit(self) -> Option<DebugNode<'m>> {
        self.operand(FUNCTION_UNIT)
    }

    /// What a pointer, another name, an array or a member is of; `None` is `void`.
    pub fn base(self) -> Option<DebugNode<'m>> {
        self.operand(BASE_TYPE).filter(|node| node.is_type())
    }

    /// Members of a structure or union.
    pub fn members(self) -> Vec<DebugNode<'m>> {
        let all = self.elements();
        all.into_iter()
            .filter(|node| node.tag() == tag::MEMBER)
            .collect()
    }

    /// Elements of an array over all its dimensions; 0 where the length is not known.
    pub fn count(self) -> u64 {
        self.dimensions().into_iter().fold(1, u64::saturating_mul)
    }

    /// Elements of an array in each of its dimensions; 0 where that is not known.
    pub fn dimensions(self) -> Vec<u64> {
        let lengths = self.elements().into_iter().map(|range| {
            let count = range.operand(COUNT).and_then(DebugNode::integer);
            count.and_then(|count| u64::try_from(count).ok())
        });
        lengths.map(Option::unwrap_or_default).collect()
    }

    /// The type of a function's result; `None` is `void`.
    pub fn result(self) -> Option<DebugNode<'m>> {
        let ty = match self.tag() {
            tag::SUBROUTINE => Some(self),
            _ => self.operand(FUNCTION_TYPE),
        };
        let types = ty.and_then(|ty| ty.operand(TYPES))?;
        types.operand(0)
    }

    /// The types of a function's parameters; those that are `None` are of variable number.
    pub fn parameters(self) -> Vec<Option<DebugNode<'m>>> {
        let ty = match self.tag() {
            tag::SUBROUTINE => Some(self),
            _ => self.operand(FUNCTION_TYPE),
        };
        let types = ty.and_then(|ty| ty.operand(TYPES));
        let all = types.map(DebugNode::operands).unwrap_or_default();
        all.into_iter().skip(1).collect()
    }

    /// The names of a function's parameters and variables, parameters first.
    pub fn variables(self) -> Vec<String> {
        let all = self.local_variables();
        all.map(|node| node.operand(VARIABLE_NAME).map(Self::text))
            .map(Option::unwrap_or_default)
            .collect()
    }

    /// The types of a function's parameters and variables.
    pub fn variable_types(self) -> impl Iterator<Item = DebugNode<'m>> {
        self.local_variables().filter_map(DebugNode::base)
    }

    fn local_variables(self) -> impl Iterator<Item = DebugNode<'m>> {
        let retained = self.operand(RETAINED).map(DebugNode::operands);
        let nodes = retained.into_iter().flatten().flatten();
        nodes.filter(|node| {
            let kind = node.kind();
            matches!(kind, LLVMMetadataKind::LLVMDILocalVariableMetadataKind)
        })
    }

    /// Types that a compilation names in conversions.
    pub fn retained_types(self) -> impl Iterator<Item = DebugNode<'m>> {
        let retained = self.operand(RETAINED_TYPES).map(DebugNode::operands);
        let nodes = retained.into_iter().flatten().flatten();
        nodes.filter(|node| node.is_type())
    }

    fn elements(self) -> Vec<DebugNode<'m>> {
        let list = self.operand(ELEMENTS).map(DebugNode::operands);
        list.into_iter().flatten().flatten().collect()
    }

    /// The operand at a place. Each that is made a value is looked up in a table, so not all are.
    fn operand(self, index: usize) -> Option<DebugNode<'m>> {
        let (value, count) = self.as_node()?;
        if index >= count {
            return None;
        }
        // SAFETY: a node that has so many operands.
        let raw = unsafe { LLVMGetOperand(value, index as u32) };
        self.at(raw)
    }

    pub(crate) fn operands(self) -> Vec<Option<DebugNode<'m>>> {
        let Some((value, count)) = self.as_node() else {
            return Vec::new();
        };
        let mut list = vec![ptr::null_mut(); count];
        // SAFETY: the list has room for all operands.
        unsafe { LLVMGetMDNodeOperands(value, list.as_mut_ptr()) };
        list.into_iter().map(|raw| self.at(raw)).collect()
    }

    /// The value of a node, and how many operands it has.
    fn as_node(self) -> Option<(LLVMValueRef, usize)> {
        use LLVMMetadataKind as K;
        if matches!(
            self.kind(),
            K::LLVMMDStringMetadataKind | K::LLVMConstantAsMetadataMetadataKind
        ) {
            return None;
        }
        // SAFETY: all other kinds that debug information is made of are nodes.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.raw);
            Some((value, LLVMGetMDNodeNumOperands(value) as usize))
        }
    }

    /// An operand; one that is null is "none".
    fn at(self, raw: LLVMValueRef) -> Option<DebugNode<'m>> {
        // SAFETY: operands of nodes are metadata.
        (!raw.is_null()).then(|| DebugNode {
            raw: unsafe { LLVMValueAsMetadata(raw) },
            ..self
        })
    }

    fn text(self) -> String {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMMDStringMetadataKind) {
            return String::new();
        }
        let mut length = 0;
        // SAFETY: it is a string, whose bytes belong to the context.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.raw);
            let start = LLVMGetMDString(value, &raw mut length);
            let bytes = std::slice::from_raw_parts(start.cast(), length as usize);
            String::from_utf8_lossy(bytes).into_owned()
        }
    }

    fn integer(self) -> Option<i64> {
        let kind = self.kind();
        if !matches!(kind, LLVMMetadataKind::LLVMConstantAsMetadataMetadataKind) {
            return None;
        }
        // SAFETY: the one operand of such a node is the constant.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.raw);
            let constant = LLVMIsAConstantInt(LLVMGetOperand(value, 0));
            let is_narrow = !constant.is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64;
            is_narrow.then(|| LLVMConstIntGetSExtValue(constant))
        }
    }
}

//! Debug information in bodies: which value a variable of the source has from an instruction on, and
//! where a loop of the source begins.

#![allow(unsafe_code)]

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use super::{DebugNode, LLVMOpcode, LLVMValueKind, Module, Value};

/// What an instruction says of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugRecord<'m> {
    /// The variable.
    pub variable: DebugNode<'m>,
    /// What it says: from here on the value, or everywhere the address; `None` if that is not one
    /// value that is defined.
    pub value: Option<Value<'m>>,
    /// Whether that is its address.
    pub is_address: bool,
    /// What is computed from it: nothing, if this is the [empty](Module::empty_expression) expression.
    pub expression: DebugNode<'m>,
}

/// The first character of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopStart<'m> {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The innermost scope there: of a `for`, the one of its own variables.
    pub scope: DebugNode<'m>,
}

impl<'m> Value<'m> {
    /// What an instruction says of a variable, where debug records are
    /// [instructions](Module::spell_debug_records).
    #[must_use]
    pub fn debug_record(self, module: &'m Module) -> Option<DebugRecord<'m>> {
        if self.opcode() != LLVMOpcode::LLVMCall {
            return None;
        }
        let is_address = match &*self.called().name() {
            "llvm.dbg.value" => false,
            "llvm.dbg.declare" => true,
            _ => return None,
        };
        let arguments = self.arguments();
        let [value, variable, expression] = arguments.as_slice() else {
            return None;
        };
        // SAFETY: the arguments of these intrinsics are metadata.
        let node = |value: &Value<'m>| unsafe {
            DebugNode::wrap(module, LLVMValueAsMetadata(value.raw()))
        };
        Some(DebugRecord {
            variable: node(variable)?,
            value: value.described(module),
            is_address,
            expression: node(expression)?,
        })
    }

    /// The value that metadata consists of, if that is one that is defined.
    fn described(self, module: &'m Module) -> Option<Value<'m>> {
        use llvm_sys::debuginfo::LLVMMetadataKind as K;
        // SAFETY: callers pass metadata; such of one value has one operand, that value.
        let value = unsafe {
            let node = DebugNode::wrap(module, LLVMValueAsMetadata(self.raw()))?;
            let kind = node.kind();
            if !matches!(
                kind,
                K::LLVMConstantAsMetadataMetadataKind | K::LLVMLocalAsMetadataMetadataKind
            ) {
                return None;
            }
            let mut value: LLVMValueRef = std::ptr::null_mut();
            LLVMGetMDNodeOperands(self.raw(), &raw mut value);
            (!value.is_null()).then(|| Value::wrap(value))?
        };
        let is_defined = !matches!(
            value.kind(),
            LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind
        );
        is_defined.then_some(value)
    }

    /// Where the loop begins whose back edge a terminator is.
    #[must_use]
    pub fn loop_start(self, module: &'m Module) -> Option<LoopStart<'m>> {
        use llvm_sys::debuginfo::LLVMMetadataKind as K;
        // SAFETY: the terminator is valid; its metadata is null or a node; a location has a line, a
        // column and a scope.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(module.context, c"llvm.loop".as_ptr(), 9);
            let node = LLVMGetMetadata(self.raw(), kind);
            if node.is_null() {
                return None;
            }
            let node = DebugNode::wrap(module, LLVMValueAsMetadata(node))?;
            let mut parts = node.operands().into_iter().flatten();
            let start = parts.find(|part| matches!(part.kind(), K::LLVMDILocationMetadataKind))?;
            let at = start.raw();
            let inlined = !LLVMDILocationGetInlinedAt(at).is_null();
            let scope = DebugNode::wrap(module, LLVMDILocationGetScope(at))?;
            (!inlined).then(|| LoopStart {
                line: LLVMDILocationGetLine(at),
                column: LLVMDILocationGetColumn(at),
                scope,
            })
        }
    }
}

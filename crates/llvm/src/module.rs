//! Modules: reading, writing, linking, passes, what a module contains.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::sync::Once;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::{LLVMGetBitcodeModuleInContext2, LLVMParseBitcodeInContext2};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMCreateDIBuilderDisallowUnresolved, LLVMDIBuilderCreateExpression, LLVMDisposeDIBuilder,
    LLVMStripModuleDebugInfo,
};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};

use super::{DebugNode, LlvmError, Module, Value, c_string, chain, take_message};

/// The behaviour of a module flag that has the same value in all modules that are linked.
const EQUAL: u64 = 1;

/// A flag of a module, as LLVM keeps it.
struct Flag {
    node: LLVMValueRef,
    behavior: u64,
    name: Vec<u8>,
    value: LLVMValueRef,
}

/// The flags of a module.
///
/// # Safety
/// It is alive.
unsafe fn flags(module: LLVMModuleRef) -> Vec<Flag> {
    let all = c"llvm.module.flags".as_ptr();
    // SAFETY: a flag is a behaviour, a name and a value; the arrays have the sizes that LLVM asks for.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module, all) as usize;
        let mut nodes = vec![ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(module, all, nodes.as_mut_ptr());
        nodes.retain(|node| LLVMGetMDNodeNumOperands(*node) == 3);
        let flag = |node| {
            let mut parts = [ptr::null_mut(); 3];
            LLVMGetMDNodeOperands(node, parts.as_mut_ptr());
            let [behavior, name, value] = parts;
            let mut length = 0;
            let name = LLVMGetMDString(name, &raw mut length);
            (!name.is_null()).then(|| Flag {
                node,
                behavior: LLVMConstIntGetZExtValue(behavior),
                name: std::slice::from_raw_parts(name.cast(), length as usize).to_vec(),
                value,
            })
        };
        nodes.into_iter().filter_map(flag).collect()
    }
}

impl Module {
    /// Reads a bitcode file.
    ///
    /// # Errors
    /// The file cannot be read or is not bitcode that LLVM 19 understands.
    pub fn read(path: &Path) -> Result<Self, LlvmError> {
        let bytes =
            std::fs::read(path).map_err(|e| LlvmError(format!("{}: {e}", path.display())))?;
        Self::from_bytes(&bytes, &path.to_string_lossy())
    }

    /// Reads bitcode from memory; `name` is for messages.
    ///
    /// # Errors
    /// The bytes are not bitcode that LLVM 19 understands.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, LlvmError> {
        Self::parsed(bytes, name, true)
    }

    /// Reads what functions and variables bitcode has, without the bodies of functions, which takes a
    /// part of the time.
    ///
    /// # Errors
    /// The bytes are not bitcode that LLVM 19 understands.
    pub fn outline(bytes: &[u8], name: &str) -> Result<Self, LlvmError> {
        Self::parsed(bytes, name, false)
    }

    fn parsed(bytes: &[u8], name: &str, bodies: bool) -> Result<Self, LlvmError> {
        let name_c = c_string(name);
        // SAFETY: the buffer copies the bytes; it is freed here, or belongs to a module that reads
        // from it later. The context owns the module. A diagnostic handler keeps LLVM from printing
        // and exiting.
        unsafe {
            let context = LLVMContextCreate();
            let mut text = String::new();
            LLVMContextSetDiagnosticHandler(context, Some(keep_diagnostic), (&raw mut text).cast());
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name_c.as_ptr(),
            );
            let mut raw = ptr::null_mut();
            let parse = match bodies {
                true => LLVMParseBitcodeInContext2,
                false => LLVMGetBitcodeModuleInContext2,
            };
            let failed = parse(context, buffer, &raw mut raw) != 0;
            if bodies || failed {
                LLVMDisposeMemoryBuffer(buffer);
            }
            LLVMContextSetDiagnosticHandler(context, None, ptr::null_mut());
            if failed {
                LLVMContextDispose(context);
                let why = if text.is_empty() {
                    "not LLVM 19 bitcode".into()
                } else {
                    text
                };
                return Err(LlvmError(format!("{name}: {why}")));
            }
            Ok(Module { context, raw })
        }
    }

    /// Writes the module as bitcode. Not by LLVM: it ends the process where a disk is full.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), LlvmError> {
        std::fs::write(path, self.to_bytes())
            .map_err(|error| LlvmError(format!("{}: {error}", path.display())))
    }

    /// The module as bitcode.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // SAFETY: the buffer is valid until disposed of.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            )
            .to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Runs a pipeline in the syntax of `opt -passes=`, on the module as it is.
    ///
    /// # Errors
    /// The pipeline does not parse.
    pub fn run_passes(&mut self, pipeline: &str) -> Result<(), LlvmError> {
        let passes = c_string(pipeline);
        // SAFETY: no target machine is needed for target-independent passes; null is allowed.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(LlvmError(text))
        }
    }

    /// Takes out all debug information: compiling goes faster then, to the same code.
    pub fn strip_debug(&mut self) {
        // SAFETY: the module is alive.
        unsafe { LLVMStripModuleDebugInfo(self.raw) };
    }

    /// The expression of debug records whose variable is the value itself; such nodes are one each.
    #[must_use]
    pub fn empty_expression(&self) -> Option<DebugNode<'_>> {
        // SAFETY: the builder is used for one node, which the context owns, and disposed of.
        let raw = unsafe {
            let builder = LLVMCreateDIBuilderDisallowUnresolved(self.raw);
            let raw = LLVMDIBuilderCreateExpression(builder, ptr::null_mut(), 0);
            LLVMDisposeDIBuilder(builder);
            raw
        };
        DebugNode::wrap(self, raw)
    }

    /// Makes instructions of debug records, for which the C API of LLVM 19 has no questions.
    pub fn spell_debug_records(&mut self) {
        // SAFETY: the module is alive.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.raw, 0) };
    }

    /// Puts the functions that ask for it under AddressSanitizer, with the checks that are clang's
    /// default: those of scopes are an option of the whole library.
    ///
    /// # Errors
    /// The pipeline does not parse.
    pub fn add_address_checks(&mut self) -> Result<(), LlvmError> {
        static SCOPES: Once = Once::new();
        let words = [
            c"-asan-use-after-scope",
            c"-asan-instrumentation-with-call-threshold=0",
        ];
        set_options(&SCOPES, &words);
        self.run_passes("asan")
    }

    /// Puts the functions that ask for it under MemorySanitizer. Arguments that are `noundef` are
    /// looked at where they are passed.
    ///
    /// # Errors
    /// The pipeline does not parse.
    pub fn add_initialization_checks(&mut self) -> Result<(), LlvmError> {
        self.run_passes("msan<eager-checks>")
    }

    /// Computes with the elements of vectors one by one, and loads and stores them so.
    ///
    /// # Errors
    /// The pipeline does not parse.
    pub fn scalarize(&mut self) -> Result<(), LlvmError> {
        static ACCESSES: Once = Once::new();
        let words = [
            c"-scalarize-load-store",
            c"-scalarize-variable-insert-extract=false",
        ];
        set_options(&ACCESSES, &words);
        self.run_passes("function(scalarizer)")
    }

    /// Links bitcode into this module, whose flags hold where the two contradict each other
    /// (`-fshort-wchar`).
    ///
    /// # Errors
    /// The bytes are not bitcode, or symbols clash.
    pub fn link_bytes(&mut self, bytes: &[u8], name: &str) -> Result<(), LlvmError> {
        let name_c = c_string(name);
        // SAFETY: the linked module is parsed into the same context; linking consumes it.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name_c.as_ptr(),
            );
            let mut other = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(self.context, buffer, &raw mut other) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            if !failed {
                self.impose_flags(other);
            }
            if failed || LLVMLinkModules2(self.raw, other) != 0 {
                return Err(LlvmError(format!(
                    "{name}: cannot be linked into the program"
                )));
            }
        }
        Ok(())
    }

    /// The number that a flag of the module has.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<u64> {
        // SAFETY: the module is alive; a constant is asked for its number if it is one.
        unsafe {
            let all = flags(self.raw).into_iter();
            let mut values = all.filter_map(|flag| {
                let named = flag.name == name.as_bytes();
                (named && !LLVMIsAConstantInt(flag.value).is_null()).then_some(flag.value)
            });
            values.next().map(|value| LLVMConstIntGetZExtValue(value))
        }
    }

    /// Gives the flags of another module that must be equal to those of this one its values.
    ///
    /// # Safety
    /// The other module is alive and of the same context.
    unsafe fn impose_flags(&self, other: LLVMModuleRef) {
        // SAFETY: both modules are alive.
        unsafe {
            let equal = flags(other)
                .into_iter()
                .filter(|flag| flag.behavior == EQUAL);
            for flag in equal {
                let name = flag.name.as_ptr().cast();
                let own = LLVMGetModuleFlag(self.raw, name, flag.name.len());
                if !own.is_null() {
                    LLVMReplaceMDNodeOperandWith(flag.node, 2, own);
                }
            }
        }
    }

    /// LLVM's own verifier.
    ///
    /// # Errors
    /// The module is not well-formed; the text says where.
    pub fn verify(&self) -> Result<(), LlvmError> {
        let mut message = ptr::null_mut();
        // SAFETY: the message is taken exactly once.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.raw, action, &raw mut message) != 0;
            let text = take_message(message);
            if failed { Err(LlvmError(text)) } else { Ok(()) }
        }
    }

    /// The module as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        // SAFETY: the message is taken exactly once.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// Target triple.
    #[must_use]
    pub fn triple(&self) -> String {
        // SAFETY: the string belongs to the module.
        unsafe {
            CStr::from_ptr(LLVMGetTarget(self.raw))
                .to_string_lossy()
                .into_owned()
        }
    }

    /// Functions in module order, declarations included.
    #[must_use]
    pub fn functions(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe { chain(LLVMGetFirstFunction(self.raw), |v| LLVMGetNextFunction(v)) }
    }

    /// Global variables in module order.
    #[must_use]
    pub fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe { chain(LLVMGetFirstGlobal(self.raw), |v| LLVMGetNextGlobal(v)) }
    }

    /// Aliases in module order.
    #[must_use]
    pub fn aliases(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe {
            chain(LLVMGetFirstGlobalAlias(self.raw), |v| {
                LLVMGetNextGlobalAlias(v)
            })
        }
    }

    /// Takes out the assembler text that belongs to no function.
    pub fn drop_assembly(&mut self) {
        // SAFETY: an empty text has no bytes that could be read.
        unsafe { LLVMSetModuleInlineAsm2(self.raw, c"".as_ptr(), 0) };
    }

    /// Indirect functions in module order.
    #[must_use]
    pub fn ifuncs(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe {
            chain(LLVMGetFirstGlobalIFunc(self.raw), |v| {
                LLVMGetNextGlobalIFunc(v)
            })
        }
    }

    /// The assembly outside of functions.
    #[must_use]
    pub fn assembly(&self) -> String {
        let mut length = 0;
        // SAFETY: the text belongs to the module and is so long.
        unsafe {
            let text = LLVMGetModuleInlineAsm(self.raw, &raw mut length);
            super::text_of(text, length)
        }
    }

    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// The global variable of this name.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }
}

extern "C" fn keep_diagnostic(info: LLVMDiagnosticInfoRef, text: *mut std::ffi::c_void) {
    // SAFETY: `text` is the `String` that the parsing function registered and still owns.
    unsafe {
        let message = take_message(LLVMGetDiagInfoDescription(info));
        let text = &mut *text.cast::<String>();
        if text.is_empty() {
            *text = message;
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module belongs to the context; nothing that borrows from it is alive.
        unsafe {
            LLVMDisposeModule(self.raw);
            LLVMContextDispose(self.context);
        }
    }
}

/// Sets options of the whole library, once.
fn set_options(once: &Once, words: &[&CStr]) {
    once.call_once(|| {
        let words = std::iter::once(&c"labrys").chain(words);
        let words: Vec<_> = words.map(|word| word.as_ptr()).collect();
        // SAFETY: the words outlive the call, which copies what it keeps.
        unsafe {
            LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), c"".as_ptr());
        }
    });
}

//! Functions that the user marks as pure, by `labrys_pure` in the source or by a list.
//!
//! Freezing makes either an attribute of the function ([`mark`]). The instrumentation
//! records calls of such functions as calls in expressions, and gives the program a table of
//! them ([`define_table`]), by which the explorer has them called, see [`labrys_abi::marked`].
//!
//! Invariant: a marked function takes at most four numbers and gives one.

use std::collections::HashSet;

use labrys_abi::marked::{LONGEST_NAME, MOST_PARAMETERS};

use labrys_llvm::{Builder, LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Type, Value};

/// The attribute of a marked function.
const ATTRIBUTE: &str = "labrys-pure";
/// The annotation that `labrys_pure` of `<labrys.h>` is.
const ANNOTATION: &[u8] = b"labrys_pure";
/// Where clang puts annotations: rows that begin with a function and a text.
const ANNOTATIONS: &str = "llvm.global.annotations";

/// Why a function cannot be marked as pure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is marked as pure, but {why}; take the mark away")]
pub struct MarkError {
    name: String,
    why: String,
}

/// Marks the annotated and the listed functions; a listed name that the program does not have
/// means nothing. Annotations are removed: they refer to functions, and no build needs them.
///
/// # Errors
/// One of them takes or gives something else than numbers.
pub(crate) fn mark(module: &Module, listed: &[String]) -> Result<(), MarkError> {
    let listed: HashSet<&str> = listed.iter().map(String::as_str).collect();
    let mut chosen: Vec<Value<'_>> = annotated(module);
    let named = |function: &Value<'_>| listed.contains(&*function.name());
    chosen.extend(module.functions().into_iter().filter(named));
    for function in chosen {
        let name = function.name();
        signature(function).map_err(|why| MarkError { name, why })?;
        module.add_text_attribute(function, ATTRIBUTE, "");
    }
    if let Some(annotations) = module.global(ANNOTATIONS) {
        annotations.delete_global();
    }
    Ok(())
}

fn annotated(module: &Module) -> Vec<Value<'_>> {
    let rows = module
        .global(ANNOTATIONS)
        .and_then(Value::initializer)
        .map_or_else(Vec::new, Value::operands);
    let is_pure = |row: &Value<'_>| {
        let text = row.operand(1).initializer().and_then(Value::const_bytes);
        text.is_some_and(|text| text.strip_suffix(&[0]) == Some(ANNOTATION))
    };
    let functions = module.functions();
    let marked = rows.into_iter().filter(is_pure).map(|row| row.operand(0));
    // Variables can be annotated too.
    marked.filter(|value| functions.contains(value)).collect()
}

/// The marked functions, in the order of the table.
pub fn marked(module: &Module) -> Vec<Value<'_>> {
    let functions = module.functions().into_iter();
    functions
        .filter(|function| is_marked(module, *function))
        .collect()
}

/// Whether a function is marked as pure.
pub fn is_marked(module: &Module, function: Value<'_>) -> bool {
    module.has_text_attribute(function, ATTRIBUTE)
}

fn letter(ty: Type<'_>) -> Option<char> {
    match ty.kind() {
        LLVMTypeKind::LLVMDoubleTypeKind => Some('d'),
        LLVMTypeKind::LLVMFloatTypeKind => Some('f'),
        _ => match ty.int_width() {
            Some(64) => Some('l'),
            Some(32) => Some('i'),
            _ => None,
        },
    }
}

/// The signature of a function, or why it can have none.
fn signature(function: Value<'_>) -> Result<String, String> {
    const NUMBERS: &str = "int, long, float or double";
    let ty = function.global_type();
    let parameters = function.params();
    if ty.is_variadic() || parameters.is_empty() || parameters.len() > MOST_PARAMETERS {
        return Err(format!("it does not take 1 to {MOST_PARAMETERS} arguments"));
    }
    if function.name().len() >= LONGEST_NAME {
        return Err(format!("its name has {LONGEST_NAME} characters or more"));
    }
    let result = letter(ty.function_result());
    let mut text = String::from(result.ok_or(format!("its result is not of type {NUMBERS}"))?);
    for (position, parameter) in (1..).zip(parameters) {
        let letter = letter(parameter.ty());
        text.push(letter.ok_or(format!("its parameter {position} is not of type {NUMBERS}"))?);
    }
    Ok(text)
}

/// Defines the table of marked functions: name, signature and a function that calls with
/// arguments in memory, each.
pub fn define_table(module: &Module) {
    let mut rows = Vec::new();
    for function in marked(module) {
        let Ok(signature) = signature(function) else {
            continue;
        };
        rows.push(module.const_struct(&[
            module.define_string(&function.name()),
            module.define_string(&signature),
            define_call(module, function),
        ]));
    }
    if rows.is_empty() {
        return;
    }
    let count = module.declare_global("__labrys_marked_count", module.int(64));
    count.set_initializer(module.const_int(64, rows.len() as u64));
    let values = module.const_array(rows[0].ty(), &rows);
    let table = module.declare_global("__labrys_marked", values.ty());
    table.set_initializer(values);
    for symbol in [count, table] {
        symbol.set_linkage(LLVMLinkage::LLVMExternalLinkage);
    }
}

/// `long call(const long *arguments)`.
fn define_call<'m>(module: &'m Module, function: Value<'m>) -> Value<'m> {
    let word = module.int(64);
    let name = format!("__labrys_call_{}", function.name());
    let call = module.declare(&name, word, &[module.pointer()]);
    let builder = module.builder();
    builder.at_end(module.define_body(call));
    let memory = call.params()[0];
    let mut arguments = Vec::new();
    for (index, parameter) in (0..).zip(function.params()) {
        let place = builder.element_address(word, memory, module.const_int(64, index));
        let bits = builder.load(word, place);
        arguments.push(from_bits(module, &builder, bits, parameter.ty()));
    }
    let result = builder.call(function, &arguments);
    builder.ret(to_bits(module, &builder, result));
    call.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    call
}

fn from_bits<'m>(
    module: &'m Module,
    builder: &Builder<'m>,
    bits: Value<'m>,
    ty: Type<'m>,
) -> Value<'m> {
    let narrow = |bits| builder.cast(LLVMOpcode::LLVMTrunc, bits, module.int(32));
    match letter(ty) {
        Some('d') => builder.cast(LLVMOpcode::LLVMBitCast, bits, ty),
        Some('f') => builder.cast(LLVMOpcode::LLVMBitCast, narrow(bits), ty),
        Some('i') => narrow(bits),
        _ => bits,
    }
}

fn to_bits<'m>(module: &'m Module, builder: &Builder<'m>, value: Value<'m>) -> Value<'m> {
    let cast = |opcode, value, bits| builder.cast(opcode, value, module.int(bits));
    match letter(value.ty()) {
        Some('d') => cast(LLVMOpcode::LLVMBitCast, value, 64),
        Some('f') => {
            let bits = cast(LLVMOpcode::LLVMBitCast, value, 32);
            cast(LLVMOpcode::LLVMZExt, bits, 64)
        }
        Some('i') => cast(LLVMOpcode::LLVMZExt, value, 64),
        _ => value,
    }
}

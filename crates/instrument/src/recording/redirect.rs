//! Makes a program use the models of library functions.
//!
//! Which function has which model stands in [`labrys_library`]; the models are C in the crate `models`,
//! instrumented with the program, and wrappers in the runtime (summaries, input, heap).

use labrys_library::{Forward, Function, Mark, Type, function, functions};

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Module, Value};

/// The library function that an intrinsic of LLVM stands for.
fn behind_intrinsic(name: &str) -> Option<&'static Function> {
    let mut words = name.strip_prefix("llvm.")?.split('.');
    let stem = words.next()?;
    let single = match words.next_back()? {
        "f64" => "",
        "f32" => "f",
        // The exponent has a suffix of its own.
        "i32" if words.next_back() == Some("f64") => "",
        "i32" => "f",
        _ => return None,
    };
    // Copies of signs are operations.
    let operation = name.starts_with("llvm.copysign.");
    function(&format!("{stem}{single}")).filter(|_| !operation)
}

/// Whether a function gives the fraction, and writes the exponent through its second parameter,
/// where an intrinsic gives both as a pair.
fn gives_pair(function: &Function) -> bool {
    function.forward() == Forward::Model && function.written(2).eq([1])
}

/// A function that gives the pair by the model.
fn define_pair<'m>(
    module: &'m Module,
    intrinsic: Value<'m>,
    library: &Function,
    model: &str,
) -> Value<'m> {
    let function = module.declare_like(&format!("{model}_pair"), intrinsic);
    let number = function.params()[0];
    let model = module.declare(model, number.ty(), &[number.ty(), module.pointer()]);
    let pair_type = intrinsic.global_type().function_result();
    let builder = module.builder();
    builder.at_end(module.define_body(function));
    let pair = builder.variable(pair_type);
    // The exponent stands behind the fraction.
    let ints = if library.result() == Type::Double {
        2
    } else {
        1
    };
    let behind = module.const_int(64, ints);
    let exponent = builder.element_address(module.int(32), pair, behind);
    let fraction = builder.call(model, &[number, exponent]);
    builder.store(fraction, pair);
    builder.ret(builder.load(pair_type, pair));
    function
}

/// A function that calls the model with all bits that it takes, where the program declares narrower
/// integers: tasks for 32 bits have `void *calloc(unsigned, unsigned)`. A label has the width of its
/// value.
fn define_widening<'m>(
    module: &'m Module,
    undefined: Value<'m>,
    library: &Function,
    model: &str,
) -> Option<Value<'m>> {
    let declared = undefined.params();
    let types = library.parameters().iter().map(|parameter| parameter.ty);
    let widened = |(value, ty): (&Value<'m>, Type)| match (value.ty().int_width(), ty) {
        (Some(narrow), Type::Int(bits)) if narrow < bits => module.int(bits),
        _ => value.ty(),
    };
    let widened: Vec<_> = declared.iter().zip(types).map(widened).collect();
    let same = |(value, ty): (&Value<'m>, _)| value.ty() == ty;
    let fits = widened.len() == declared.len() && !library.is_variadic();
    if !fits || declared.iter().zip(widened.iter().copied()).all(same) {
        return None;
    }
    let result = undefined.global_type().function_result();
    let model_function = module.declare(model, result, &widened);
    let function = module.declare_like(&format!("{model}_of_narrower"), undefined);
    let builder = module.builder();
    builder.at_end(module.define_body(function));
    let widen = |(value, ty): (Value<'m>, _)| match value.ty() == ty {
        true => value,
        false => builder.cast(LLVMOpcode::LLVMZExt, value, ty),
    };
    let arguments: Vec<_> = function
        .params()
        .into_iter()
        .zip(widened)
        .map(widen)
        .collect();
    let value = builder.call(model_function, &arguments);
    match result.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => builder.ret_void(),
        _ => builder.ret(value),
    }
    Some(function)
}

/// What uses of an undefined function are redirected to.
fn target<'m>(module: &'m Module, undefined: Value<'m>) -> Option<Value<'m>> {
    let name = undefined.name();
    if let Some(library) = behind_intrinsic(&name) {
        let model = library.model()?;
        if gives_pair(library) {
            return Some(define_pair(module, undefined, library, &model));
        }
        return library
            .is_call()
            .then(|| module.declare_like(&model, undefined));
    }
    let library = function(&name)?;
    let model = library.model()?;
    let widening = define_widening(module, undefined, library, &model);
    Some(widening.unwrap_or_else(|| module.declare_like(&model, undefined)))
}

/// Makes the program use the models, in calls and as values (`qsort(…, strcmp)`). Before the
/// models are linked: they use the library's own functions. Tells of each function what stands for
/// it.
pub(super) fn redirect(module: &Module) -> Vec<(Value<'_>, Value<'_>)> {
    let mut redirected = Vec::new();
    for function in module.functions() {
        if !function.is_declaration() {
            continue;
        }
        if let Some(target) = target(module, function) {
            function.replace_uses(target);
            redirected.push((function, target));
        }
    }
    redirected
}

/// Makes a plain program use the clock and the randomness that the instrumented one has.
pub(crate) fn repeat(module: &Module) {
    let repeatable = functions().iter().filter(|row| row.has(Mark::Repeatable));
    for row in repeatable {
        let function = module.function(row.name());
        let function = function.filter(|function| function.is_declaration());
        if let (Some(function), Some(model)) = (function, row.model()) {
            function.replace_uses(module.declare_like(&model, function));
        }
    }
}

//! Symbols that the linker wraps (`--wrap`): a file that uses `f` without defining it gets
//! `__wrap_f`, and `__real_f` is `f`. The linker knows the files; in merged bitcode they are told
//! apart by their debug information. So the names are resolved here, and later links do not wrap.

use labrys_llvm::{DebugNode, LLVMLinkage, LLVMValueKind, Module, Value};

/// Gives uses of these symbols the meaning that `--wrap` gives them.
pub(crate) fn resolve(module: &Module, symbols: &[String]) {
    for name in symbols {
        let real = symbol(module, &format!("__real_{name}"));
        let Some(original) = symbol(module, name) else {
            if let Some(real) = real {
                real.rename(name);
            }
            continue;
        };
        redirect(module, original, wrapper(module, name, original));
        if let Some(real) = real {
            real.replace_uses(original);
        }
    }
}

/// A function or variable that other files see.
fn symbol<'m>(module: &'m Module, name: &str) -> Option<Value<'m>> {
    let found = module.function(name).or_else(|| module.global(name));
    found.filter(|symbol| symbol.linkage() != LLVMLinkage::LLVMInternalLinkage)
}

fn wrapper<'m>(module: &'m Module, name: &str, original: Value<'m>) -> Value<'m> {
    let name = format!("__wrap_{name}");
    symbol(module, &name).unwrap_or_else(|| match original.is_function() {
        true => module.declare_like(&name, original),
        false => module.declare_global(&name, original.global_type()),
    })
}

/// Has all files but the one that defines the original use the wrapper.
fn redirect<'m>(module: &'m Module, original: Value<'m>, wrapper: Value<'m>) {
    if original.is_declaration() {
        return original.replace_uses(wrapper);
    }
    let home = file(module, original);
    let is_elsewhere =
        |user: Value<'m>| user != original && (home.is_none() || file(module, user) != home);
    let users = original
        .users()
        .into_iter()
        .filter(|user| user.is_instruction());
    for user in users.filter(|user| is_elsewhere(user.parent().function())) {
        let indices = (0..user.operand_count()).filter(|index| user.operand(*index) == original);
        for index in indices {
            user.set_operand(index, wrapper);
        }
    }
    for variable in module.globals() {
        let initializer = variable
            .initializer()
            .filter(|_| !variable.name().starts_with("llvm."));
        let changed = initializer.and_then(|value| replaced(module, value, original, wrapper));
        if let Some(changed) = changed.filter(|_| is_elsewhere(variable)) {
            variable.set_initializer(changed);
        }
    }
}

/// The compilation that a function or variable is of, as far as debug information tells. A constant
/// without a name in the source is of that of its first user.
fn file<'m>(module: &'m Module, symbol: Value<'m>) -> Option<DebugNode<'m>> {
    if symbol.is_function() {
        return DebugNode::of_function(module, symbol)?.unit();
    }
    let told = DebugNode::of_global(module, symbol).and_then(DebugNode::variable_unit);
    told.or_else(|| {
        let mut users = symbol.users().into_iter();
        let user = users.find(|user| user.is_instruction())?;
        DebugNode::of_function(module, user.parent().function())?.unit()
    })
}

/// A constant with a symbol in place of another one, if it has that.
fn replaced<'m>(
    module: &'m Module,
    constant: Value<'m>,
    old: Value<'m>,
    new: Value<'m>,
) -> Option<Value<'m>> {
    if constant == old {
        return Some(new);
    }
    let is_aggregate = matches!(
        constant.kind(),
        LLVMValueKind::LLVMConstantArrayValueKind | LLVMValueKind::LLVMConstantStructValueKind
    );
    if !is_aggregate {
        return None;
    }
    let parts = constant.operands();
    let changed: Vec<_> = parts
        .iter()
        .map(|part| replaced(module, *part, old, new))
        .collect();
    changed.iter().any(Option::is_some).then(|| {
        let all = changed.into_iter().zip(parts);
        let all: Vec<_> = all.map(|(changed, part)| changed.unwrap_or(part)).collect();
        module.const_aggregate(constant.ty(), &all)
    })
}

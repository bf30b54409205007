//! Calls of functions that write: nothing comes back from them, unless the program reads again
//! what it wrote to a file, a pipe or memory.

use labrys_library::{Access, Forward, Function};
use labrys_llvm::{LLVMOpcode, LLVMValueKind, Value};

use super::PREFIX;
use super::emit::Emitter;
use super::labels::Labels;
use super::objects::Objects;
use super::types::{is_function, is_pointer};

/// Notes labels that a call of a function writes to a file.
pub(super) fn output<'m>(
    emit: &Emitter<'m>,
    labels: &Labels<'m>,
    objects: &Objects<'_, 'm>,
    i: Value<'m>,
    library: &Function,
) {
    let arguments = i.arguments();
    let Forward::Output(Some(position)) = library.forward() else {
        return;
    };
    if position >= arguments.len() {
        return;
    }
    let is_file = library.access(position) == Access::File;
    let to = arguments[position];
    if is_standard(to) {
        return;
    }
    let module = emit.module();
    let (narrow, wide, pointer) = (module.int(32), module.int(64), module.pointer());
    let types = [pointer, narrow, wide, pointer, narrow];
    let written = module.declare(&format!("{PREFIX}slow_written"), module.void(), &types);
    // A list of arguments may hold anything.
    let mut parameters = library.parameters().iter();
    let any = parameters.any(|parameter| parameter.access == Access::List);
    let given = arguments.iter().enumerate().filter(|(p, _)| *p != position);
    let given: Vec<_> = given
        .filter_map(|(_, argument)| {
            let label = labels.of(*argument).or_else(|| any.then(|| emit.u32(1)));
            let address = is_pointer(argument.ty())
                && !objects.is_concrete(*argument)
                && !is_function(*argument);
            (address || label.is_some()).then_some((*argument, address, label))
        })
        .collect();
    if given.is_empty() {
        return;
    }
    emit.before(i);
    let text = emit.name_of(library.name());
    let to = emit.bits(to);
    for (argument, address, label) in given {
        let address = if address { argument } else { pointer.zero() };
        let label = emit.label(label);
        let values = [text, emit.u32(u32::from(is_file)), to, address, label];
        let _ = emit.builder().call(written, &values);
    }
}

/// Whether this is the `FILE` of standard output or of error messages. Nobody reads those again.
fn is_standard(file: Value<'_>) -> bool {
    if !file.is_instruction() || file.opcode() != LLVMOpcode::LLVMLoad {
        return false;
    }
    let from = file.operand(0);
    from.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
        && from.is_declaration()
        && matches!(&*from.name(), "stdout" | "stderr")
}

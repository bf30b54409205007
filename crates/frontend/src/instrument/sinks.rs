//! Calls of functions that write: nothing comes back from them, unless the program reads again
//! what it wrote to a file, a pipe or memory.

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Value};

use super::PREFIX;
use super::external::is_function;
use super::function::FunctionPass;

/// Functions that write to a `FILE`, and which argument that is.
const FILES: &[(&str, usize)] = &[
    ("fprintf", 0),
    ("__fprintf_chk", 0),
    ("fwprintf", 0),
    ("__fwprintf_chk", 0),
    ("vfprintf", 0),
    ("__vfprintf_chk", 0),
    ("vfwprintf", 0),
    ("__overflow", 0),
    ("fputs", 1),
    ("fputs_unlocked", 1),
    ("fputws", 1),
    ("putc", 1),
    ("fputc", 1),
    ("putc_unlocked", 1),
    ("fputc_unlocked", 1),
    ("fputwc", 1),
    ("putwc", 1),
    ("putw", 1),
    ("fwrite", 3),
    ("fwrite_unlocked", 3),
];
/// Functions that write to a descriptor, their first argument.
const DESCRIPTORS: &str =
    "write pwrite pwrite64 writev dprintf vdprintf __dprintf_chk __vdprintf_chk";

/// Which argument says where a function writes to, and whether it is a `FILE`.
fn sink(name: &str) -> Option<(usize, bool)> {
    let file = FILES.iter().find(|(writer, _)| *writer == name);
    let file = file.map(|(_, position)| (*position, true));
    file.or_else(|| {
        DESCRIPTORS
            .split_whitespace()
            .any(|word| word == name)
            .then_some((0, false))
    })
}

impl<'m> FunctionPass<'_, 'm> {
    /// Notes labels that a function writes.
    pub(super) fn output_call(&mut self, i: Value<'m>, name: &str) {
        let arguments = i.arguments();
        let Some((position, is_file)) = sink(name).filter(|(p, _)| *p < arguments.len()) else {
            return;
        };
        let to = arguments[position];
        if is_standard(to) {
            return;
        }
        let (h, module) = (&self.pass.helpers, self.pass.module);
        let (narrow, wide, pointer) = (module.int(32), module.int(64), module.pointer());
        let types = [pointer, narrow, wide, pointer, narrow];
        let written = module.declare(&format!("{PREFIX}slow_written"), module.void(), &types);
        // A list of arguments may hold anything.
        let any = name.trim_start_matches('_').starts_with('v');
        let given = arguments.iter().enumerate().filter(|(p, _)| *p != position);
        let given: Vec<_> = given
            .filter_map(|(_, argument)| {
                let label = self.label_of(*argument).or_else(|| any.then(|| h.u32(1)));
                let address = argument.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind
                    && !self.points_to_constant(*argument)
                    && !is_function(*argument);
                (address || label.is_some()).then_some((*argument, address, label))
            })
            .collect();
        if given.is_empty() {
            return;
        }
        h.builder.before(i);
        let text = self.pass.name_of(name);
        let to = self.bits(to);
        for (argument, address, label) in given {
            let address = if address { argument } else { pointer.zero() };
            let label = label.unwrap_or_else(|| h.u32(0));
            let values = [text, h.u32(u32::from(is_file)), to, address, label];
            let _ = h.builder.call(written, &values);
        }
    }
}

/// Is this the `FILE` of standard output or of error messages? Nobody reads those again.
fn is_standard(file: Value<'_>) -> bool {
    if !file.is_instruction() || file.opcode() != LLVMOpcode::LLVMLoad {
        return false;
    }
    let from = file.operand(0);
    from.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
        && from.is_declaration()
        && matches!(&*from.name(), "stdout" | "stderr")
}

//! Tells the runtime which objects the program has: variables on the stack when they come to
//! life, global variables in a table.

use labrys_llvm::{LLVMLinkage, LLVMOpcode, Module, Value};

use super::PREFIX;
use super::emit::Emitter;
use super::slots::is_slot;

/// The variables on the stack of one function.
#[derive(Default)]
pub(super) struct Announcer {
    /// Whether a variable of the function was announced.
    any: bool,
}

impl Announcer {
    /// Announces a variable on the stack.
    pub(super) fn variable<'m>(&mut self, emit: &Emitter<'m>, i: Value<'m>) {
        if is_slot(i) {
            return;
        }
        let size = emit.module().size_of(i.allocated_type());
        emit.after(i);
        let Some(count) = i.operand(0).const_int_value() else {
            let count = emit.bits(i.operand(0));
            let size = emit.u64(size);
            let bytes = emit.builder().binary(LLVMOpcode::LLVMMul, count, size);
            let _ = emit.call("array", &[i, bytes]);
            return;
        };
        if !self.any {
            let _ = emit.call("variables", &[]);
        }
        let _ = emit.call("variable", &[i, emit.u64(size.saturating_mul(count))]);
        self.any = true;
    }
}

/// The section in which the rows of all objects are one table.
const ROWS: &str = "labrys_globals";

/// Lists the global objects of a module for the runtime, `{address, size, constant}` each, in a table
/// of this name.
pub(super) fn list_globals(module: &Module, table: &str) {
    let mut rows = Vec::new();
    for global in module.globals() {
        let name = global.name();
        if name.starts_with(PREFIX) || name.starts_with("llvm.") || global.initializer().is_none() {
            continue;
        }
        // No code is generated of what describes the program to LLVM.
        if global.section() == "llvm.metadata" {
            continue;
        }
        let size = module.size_of(global.global_type());
        if size == 0 || global.is_thread_local() {
            continue;
        }
        let constant = u64::from(global.is_constant_global());
        rows.push(module.const_struct(&[
            global,
            module.const_int(64, size),
            module.const_int(64, constant),
        ]));
    }
    let i64 = module.int(64);
    let row = module
        .const_struct(&[module.pointer().zero(), i64.zero(), i64.zero()])
        .ty();
    let values = module.const_array(row, &rows);
    let table = module.declare_global(table, values.ty());
    table.set_initializer(values);
    table.set_linkage(LLVMLinkage::LLVMExternalLinkage);
    table.hide();
    table.set_section(ROWS);
    // So that no gap is between two tables.
    table.set_alignment(8);
}

/// Defines the mark by which the runtime knows an instrumented program.
pub(super) fn mark(module: &Module) {
    let instrumented = module.declare_global("__labrys_instrumented", module.int(32));
    instrumented.set_initializer(module.const_int(32, 1));
    instrumented.set_linkage(LLVMLinkage::LLVMExternalLinkage);
}

//! Calls: of functions, of intrinsics, of inline assembly.

use labrys_program::{Callee, Intrinsic, Opaque, Operation};

use super::body::Body;
use super::constants::Symbol;
use labrys_llvm::MemoryEffects;
use labrys_llvm::Value;

impl<'m> Body<'_, 'm> {
    /// A `call` or `invoke`.
    pub(super) fn call(&mut self, call: Value<'m>) -> Operation {
        let called = call.called();
        if called.is_assembly() {
            let operands = self.operands(call.arguments());
            return Operation::Opaque {
                reason: Opaque::Assembly,
                operands,
                writes_memory: true,
            };
        }
        let function = resolve(called);
        let name = function.map(Value::name).unwrap_or_default();
        if name.starts_with("llvm.") {
            return self.intrinsic(call, called, &name);
        }
        let symbol = function.and_then(|function| self.lowering.symbols.get(&function));
        let callee = match symbol {
            Some(Symbol::Function(id)) => Callee::Direct(*id),
            _ => Callee::Indirect(self.operand(called)),
        };
        let arguments = call
            .arguments()
            .into_iter()
            .map(|value| self.operand(value))
            .collect();
        Operation::Call {
            callee,
            arguments,
            variadic: call.called_type().is_variadic(),
        }
    }

    fn intrinsic(&mut self, call: Value<'m>, called: Value<'m>, name: &str) -> Operation {
        let known = Intrinsic::from_llvm_name(name);
        let arguments = call.arguments();
        let types = arguments.iter().map(|value| value.ty()).chain([call.ty()]);
        let foreign = types
            .into_iter()
            .find_map(|ty| self.lowering.foreign_name(ty));
        let operands = self.operands(arguments);
        match (known, foreign) {
            (Some(intrinsic), None) => Operation::Intrinsic {
                intrinsic,
                arguments: operands,
            },
            (Some(intrinsic), Some(name)) => Operation::Opaque {
                reason: Opaque::ForeignType(name),
                operands,
                writes_memory: intrinsic.writes_memory(),
            },
            (None, _) => Operation::Opaque {
                reason: Opaque::Intrinsic(name.to_owned()),
                operands,
                writes_memory: called.memory_effects() == MemoryEffects::Writes,
            },
        }
    }
}

/// The function behind a called value, through aliases.
fn resolve(called: Value<'_>) -> Option<Value<'_>> {
    let mut value = called;
    for _ in 0..16 {
        match value.aliasee() {
            Some(aliasee) => value = aliasee,
            None => break,
        }
    }
    (value.kind() == labrys_llvm::LLVMValueKind::LLVMFunctionValueKind).then_some(value)
}

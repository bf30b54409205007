//! Code outside of the program: which functions of the program it may call, and when.
//!
//! Laws: a function that is not marked is called by the program only, through calls in the call
//! graph. A signal handler is given to `signal` and its kin ([`installed`]); where it is not seen what
//! they are given, each function whose address is used may be one.

use std::collections::BTreeSet;

use labrys_program::{
    Callee, Caveat, Constant, ConstantId, Function, FunctionId, Linkage, Operand, Operation,
    Program, RelocationTarget, Started, Terminator, Type,
};
use labrys_semantics::{CallsBack, LibraryMeaning, calls_back};

use crate::hooks;
use crate::installed::{installed, sets_handlers};

/// The functions of the program that outside code may call.
#[derive(Debug)]
pub(crate) struct ExternalCalls {
    /// By function.
    callable: Vec<bool>,
    handlers: Vec<FunctionId>,
}

impl ExternalCalls {
    pub(crate) fn of(program: &Program) -> Self {
        let exposed = exposed(program);
        let used = |function: &Function| {
            let intrinsic = function.name.starts_with("llvm.");
            !function.defined && !intrinsic && LibraryMeaning::of(&function.name).is_none()
        };
        let calls_unknown_code =
            |function: &&Function| used(function) && calls_unknown(program, function);
        let calls_anything = program
            .functions
            .iter()
            .any(|function| calls_unknown_code(&function))
            || program.functions.iter().any(is_opaque)
            || hooks::has_hooks(program);
        let signals = |function: &Function| used(function) && sets_handlers(function);
        let signals = program.functions.iter().any(signals);
        let given = match signals {
            true => installed(program),
            false => Some(BTreeSet::new()),
        };
        let signals = signals || program.caveats.contains(&Caveat::NativeSignals);
        let handles = |id: &FunctionId| {
            let function = &program.functions[id.index()];
            let may_be_given = signals && exposed[id.index()];
            let is_given = match &given {
                Some(given) => given.contains(id) || may_be_given && may_handle(function),
                None => may_be_given,
            };
            function.defined && is_given
        };
        let all = (0..program.functions.len()).map(FunctionId::new);
        let handlers: Vec<FunctionId> = all.filter(handles).collect();
        let called = |(index, function): (usize, &Function)| {
            let id = FunctionId::new(index);
            let visible = function.linkage != Linkage::Internal && function.name != "main";
            let given = exposed[index] && calls_anything;
            let started = function.started != Started::Never;
            let traces = hooks::traces_coverage(function);
            function.defined && (visible || given || handlers.contains(&id) || started || traces)
        };
        let callable = program.functions.iter().enumerate().map(called).collect();
        ExternalCalls { callable, handlers }
    }

    /// Whether outside code may call a function.
    pub(crate) fn may_call(&self, id: FunctionId) -> bool {
        self.callable[id.index()]
    }

    /// Functions that may run at any time, because of a signal.
    pub(crate) fn handlers(&self) -> &[FunctionId] {
        &self.handlers
    }
}

/// By function: whether its address is used, but to call it, or to pass it to a library function
/// that is known to call it.
fn exposed(program: &Program) -> Vec<bool> {
    let mut exposed = vec![false; program.functions.len()];
    for relocation in program.relocations() {
        if let RelocationTarget::Function(id, _) = relocation.target {
            exposed[id.index()] = true;
        }
    }
    for block in program
        .functions
        .iter()
        .flat_map(|function| &function.blocks)
    {
        let mut expose = |operand: Operand| {
            if let Operand::Constant(id) = operand {
                mark(program, id, &mut exposed);
            }
        };
        for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
            expose(*operand);
        }
        for instruction in &block.instructions {
            match &instruction.operation {
                Operation::Call {
                    callee: Callee::Direct(id),
                    arguments,
                    ..
                } => {
                    let known = known_argument(program, *id);
                    let others = arguments.iter().enumerate();
                    others
                        .filter(|(index, operand)| {
                            known != Some(*index) || !is_function(program, **operand)
                        })
                        .for_each(|(_, operand)| expose(*operand));
                }
                operation => operation.visit_operands(&mut expose),
            }
        }
        block.terminator.visit_operands(&mut expose);
    }
    exposed
}

/// Whether a library function without a meaning may call what the call graph does not show.
pub(crate) fn calls_unknown(program: &Program, function: &Function) -> bool {
    match calls_back(&function.name) {
        CallsBack::Never | CallsBack::Signals => false,
        // The call graph knows what is passed by name.
        CallsBack::Argument(index) | CallsBack::AtExit(index) => {
            function.address_taken || is_passed_otherwise(program, &function.name, index)
        }
        CallsBack::Anything => true,
    }
}

/// Whether some call passes anything but the name of a function as this argument.
fn is_passed_otherwise(program: &Program, name: &str, index: usize) -> bool {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    instructions.any(|instruction| match &instruction.operation {
        Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } if program.functions[id.index()].name == name => {
            let passed = arguments.get(index);
            passed.is_none_or(|operand| !is_function(program, *operand))
        }
        _ => false,
    })
}

/// The argument of a library function that the call graph takes to be called by it.
fn known_argument(program: &Program, id: FunctionId) -> Option<usize> {
    let called = program.function(id).filter(|called| !called.defined)?;
    match calls_back(&called.name) {
        CallsBack::Argument(index) | CallsBack::AtExit(index) => Some(index),
        _ => None,
    }
}

fn is_function(program: &Program, operand: Operand) -> bool {
    let Operand::Constant(id) = operand else {
        return false;
    };
    matches!(program.constant(id), Some(Constant::Function(_)))
}

fn mark(program: &Program, id: ConstantId, exposed: &mut [bool]) {
    let Some(constant) = program.constant(id) else {
        return;
    };
    if let Constant::Function(function) = constant {
        exposed[function.index()] = true;
    }
    for child in constant.children() {
        if child < id {
            mark(program, child, exposed);
        }
    }
}

/// Whether a function has the form of a signal handler, or that of one whose parameters are not
/// declared.
fn may_handle(function: &Function) -> bool {
    let first = function.parameters.first().map(|parameter| parameter.ty);
    function.parameters.len() <= 3 && first.is_none_or(|ty| ty == Type::Int(32))
}

/// Whether a function has an operation of which nothing is known.
fn is_opaque(function: &Function) -> bool {
    let opaque = |operation: &Operation| {
        matches!(
            operation,
            Operation::Opaque {
                writes_memory: true,
                ..
            }
        )
    };
    function.blocks.iter().any(|block| {
        matches!(block.terminator, Terminator::Opaque { .. })
            || block
                .instructions
                .iter()
                .any(|instruction| opaque(&instruction.operation))
    })
}

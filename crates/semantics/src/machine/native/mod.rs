//! Functions of the program as machine code.
//!
//! Law: a run that uses code ends as it does without, after the same steps, with the same memory,
//! and asks its inputs and rules the same (tests/native.rs). So a function has code or not as it
//! pays: those with loops have, and those that are called often.
//!
//! What code does not do itself it asks the machine for: calls, operations without code, accesses
//! to objects that it has not seen, decisions that the rules look at, the last steps before the
//! limit. Functions without code: phis of aggregates, results that do not fit in a word, very
//! large bodies.

mod algebra;
mod context;
mod emit;
mod run;
mod sites;
mod values;

use std::rc::Rc;

use cranelift_codegen::Context as Making;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use labrys_native::Code;
use labrys_program::graph::Digraph;
use labrys_program::{Function, FunctionId, Program};

use super::{ConcreteValue, Halt, Machine, Watched};
use crate::value::IrValue;
pub(super) use context::CodeContext;
use context::{MAX_DEPTH, MAX_ID};
use emit::Emitter;
pub(super) use run::{Compiled, run};
use values::word_width;

/// Instructions of the largest function that is compiled.
const LARGEST: usize = 4000;
/// Calls after which a function without loops is compiled.
const OFTEN: u32 = 50;

/// What is known of a function's code.
#[derive(Clone)]
enum CodeState {
    /// Called so many times.
    Called(u32),
    Ready(Rc<Compiled>),
    None,
}

/// Machine code of functions of one program, made when they are called.
pub struct NativeCode {
    isa: Option<OwnedTargetIsa>,
    making: Making,
    builder: FunctionBuilderContext,
    functions: Vec<CodeState>,
    views: usize,
    /// Calls after which a function without loops is compiled.
    often: u32,
}

impl Default for NativeCode {
    fn default() -> Self {
        NativeCode::new()
    }
}

impl NativeCode {
    /// No code yet.
    #[must_use]
    pub fn new() -> Self {
        NativeCode {
            isa: labrys_native::isa("speed"),
            making: Making::new(),
            builder: FunctionBuilderContext::new(),
            functions: Vec::new(),
            views: 0,
            often: OFTEN,
        }
    }

    /// No code yet; each function gets its code when it is first called.
    #[must_use]
    pub fn eager() -> Self {
        NativeCode {
            often: 1,
            ..NativeCode::new()
        }
    }

    /// Functions that have code.
    #[must_use]
    pub fn ready(&self) -> usize {
        let ready = |state: &&CodeState| matches!(state, CodeState::Ready(_));
        self.functions.iter().filter(ready).count()
    }

    /// The code of a function that is called, if it has some.
    fn called(&mut self, program: &Program, id: FunctionId) -> Option<Rc<Compiled>> {
        if self.functions.len() < program.functions.len() {
            self.functions
                .resize(program.functions.len(), CodeState::Called(0));
        }
        let often = self.often;
        let state = self.functions.get_mut(id.index())?;
        match state {
            CodeState::Ready(code) => return Some(code.clone()),
            CodeState::None => return None,
            CodeState::Called(times) => *times += 1,
        }
        let function = program.function(id)?;
        let pays =
            matches!(state, CodeState::Called(times) if *times >= often) || has_loop(function);
        if !pays {
            return None;
        }
        let code = self.compile(program, id, function).map(Rc::new);
        self.functions[id.index()] = code.clone().map_or(CodeState::None, CodeState::Ready);
        code
    }

    fn compile(
        &mut self,
        program: &Program,
        id: FunctionId,
        function: &Function,
    ) -> Option<Compiled> {
        let size = |block: &labrys_program::Block| 1 + block.instructions.len();
        if function.blocks.iter().map(size).sum::<usize>() > LARGEST || id.index() >= MAX_ID {
            return None;
        }
        let isa = self.isa.clone()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        module.clear_context(&mut self.making);
        let convention = module.target_config().default_call_conv;
        let mut signature = Signature::new(convention);
        signature.params = vec![AbiParam::new(types::I64); 2];
        signature.returns = vec![AbiParam::new(types::I64)];
        self.making.func.signature = signature;
        let builder = FunctionBuilder::new(&mut self.making.func, &mut self.builder);
        let code = Code::new(builder, convention);
        let emitter = Emitter::new(program, function, id, code, &mut self.views);
        let Some(sites) = emitter.function() else {
            self.builder = FunctionBuilderContext::new();
            return None;
        };
        let signature = &self.making.func.signature;
        let name = module.declare_anonymous_function(signature).ok()?;
        module.define_function(name, &mut self.making).ok()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(name);
        Some(Compiled::new(module, address, sites))
    }

    /// Takes a function's code away.
    fn give_up(&mut self, id: FunctionId) {
        if let Some(state) = self.functions.get_mut(id.index()) {
            *state = CodeState::None;
        }
    }
}

/// Whether a body jumps back; the order of blocks does not show it.
fn has_loop(function: &Function) -> bool {
    let graph = Digraph::of_function(function);
    let order = graph.reverse_postorder(0);
    let mut place = vec![usize::MAX; function.blocks.len()];
    for (at, block) in order.iter().enumerate() {
        place[*block as usize] = at;
    }
    order.iter().any(|block| {
        let mut to = graph.successors(*block).iter();
        to.any(|to| place[*to as usize] <= place[*block as usize])
    })
}

/// The code that a call of a function executes, if it has some and takes these arguments.
pub(super) fn code_for(
    machine: &mut Machine<'_>,
    id: FunctionId,
    arguments: &[ConcreteValue],
) -> Option<Rc<Compiled>> {
    let function = machine.program.function(id)?;
    let fits = |(argument, parameter): (&ConcreteValue, &labrys_program::Parameter)| {
        let Some(width) = word_width(parameter.ty) else {
            return !matches!(argument, IrValue::Scalar(value) if value.width() <= 64);
        };
        matches!(argument, IrValue::Scalar(value) if value.width() == width)
    };
    let fit = arguments.len() == function.parameters.len()
        && arguments.iter().zip(&function.parameters).all(fits);
    if !fit || machine.steering.watched() == Watched::All {
        return None;
    }
    code_of(machine, id)
}

/// The code of a function that is called.
fn code_of(machine: &mut Machine<'_>, id: FunctionId) -> Option<Rc<Compiled>> {
    let code = machine.code.as_mut()?;
    let fits = machine.frames.count() < MAX_DEPTH;
    fits.then(|| code.called(machine.program, id))?
}

/// The function of the innermost frame is not to be executed as code, and the run not to go on.
fn give_up(machine: &mut Machine<'_>) -> Halt {
    if let (Some(code), Some(function)) = (machine.code.as_mut(), machine.frames.function()) {
        code.give_up(function);
    }
    Halt::Again
}

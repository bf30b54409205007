//! Compiled objectives: a constraint's expressions as native code, inputs to distances.
//!
//! One straight-line function for each group of constraints; every node of their graph is
//! computed once. Law: the results are bit for bit those of the evaluator with
//! [`score`](super::score) (`tests` checks it on random expressions).
//!
//! What is not compiled, and then evaluated: values of more than 64 bits, tables with symbolic
//! entries, very large graphs.

mod emit;
mod native;

use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use labrys_expr::{ExprId, Op, Pool};

use super::formula::Atom;
use super::variables::Variables;
use crate::functions;
pub(super) use native::Native;

/// Nodes of a kernel at most.
const LARGEST: usize = 4000;

/// Makes code for this machine.
pub(super) struct Compiler {
    isa: Option<OwnedTargetIsa>,
    context: Context,
    builder: FunctionBuilderContext,
}

impl Default for Compiler {
    fn default() -> Self {
        Compiler {
            isa: labrys_native::isa("none"),
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
        }
    }
}

/// What a kernel computes: its atoms, and all nodes that they need, in the order of ids.
pub(super) struct Job<'a> {
    pub(super) atoms: &'a [Atom],
    pub(super) nodes: &'a [ExprId],
}

impl Compiler {
    /// One kernel for each job; `None` if something in them is not compiled.
    pub(super) fn compile(
        &mut self,
        pool: &Pool,
        variables: &Variables,
        jobs: &[Job<'_>],
    ) -> Option<Native> {
        if !jobs.iter().all(|job| is_supported(pool, job)) {
            return None;
        }
        let isa = self.isa.clone()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut tables = Vec::new();
        let mut kernels = Vec::new();
        for job in jobs {
            module.clear_context(&mut self.context);
            emit::kernel(
                &mut self.context.func,
                &mut self.builder,
                module.target_config(),
                emit::Source {
                    pool,
                    variables,
                    tables: &mut tables,
                },
                job,
            )?;
            let signature = &self.context.func.signature;
            let id = module.declare_anonymous_function(signature).ok()?;
            module.define_function(id, &mut self.context).ok()?;
            kernels.push((id, job.atoms.len()));
        }
        module.finalize_definitions().ok()?;
        let kernels: Vec<_> = kernels
            .into_iter()
            .map(|(id, atoms)| (module.get_finalized_function(id), atoms))
            .collect();
        let inputs = variables.list.len();
        Some(Native::new(module, &kernels, inputs, tables))
    }
}

fn is_supported(pool: &Pool, job: &Job<'_>) -> bool {
    let supported = |id: ExprId| {
        let node = pool.node(id);
        let known = match node.op() {
            Op::Table => pool
                .as_table_read(id)
                .is_some_and(|(table, _)| pool.table(table).entries().is_empty()),
            Op::External => pool.as_call(id).is_some_and(|call| {
                functions::find(call.name()).is_some_and(|function| {
                    let widths = call.arguments().iter().map(|a| pool.width(*a));
                    function.result.width() == node.width()
                        && widths.eq(function.parameters.iter().map(|kind| kind.width()))
                })
            }),
            op if op.takes_floats() => node
                .operands()
                .iter()
                .all(|operand| matches!(pool.width(*operand), 32 | 64)),
            op if op.gives_float() => matches!(node.width(), 32 | 64),
            _ => true,
        };
        known && node.width() <= 64
    };
    job.nodes.len() <= LARGEST && job.nodes.iter().all(|id| supported(*id))
}

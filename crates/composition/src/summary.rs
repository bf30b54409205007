//! Function summaries: the explored paths of a unit, with their slices at the calls of its
//! functions (sections 3.4 and 3.5.1).
//!
//! All expressions of a summary are in one pool. Law: the conditions of a path are true under its
//! input.

use std::collections::BTreeMap;
use std::sync::Arc;

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol};
use labrys_program::{FunctionId, Program, SiteId};
use labrys_solver::Assignment;
use labrys_suite::{Coverage, Input};
use labrys_trace::{BoundCall, Decoder, Trace};

use crate::bindings::{Bindings, Blocks};

/// Steps of one path that are kept, and paths of one unit.
const MOST_STEPS: usize = 4096;
const MOST_PATHS: usize = 1024;
/// Slices of one path.
const MOST_SLICES: usize = 256;

/// A decision of a path.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) site: u32,
    pub(crate) direction: u32,
    pub(crate) condition: ExprId,
    /// Whether the condition may be dropped at the cost of a possible divergence.
    pub(crate) soft: bool,
    /// Whether the function of the unit itself decides.
    pub(crate) own: bool,
    /// The directions not taken, with their conditions.
    pub(crate) flips: Vec<(u32, ExprId)>,
}

/// A call on a path: the steps before it, and what it passes.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub(crate) callee: FunctionId,
    /// The number of steps before the call.
    pub(crate) steps: usize,
    /// The bytes of the leaves of the callee's driver, by offset.
    pub(crate) bindings: Bindings,
}

/// A path.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) input: Input,
    /// Whether its run failed.
    pub(crate) failed: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) slices: Vec<Slice>,
}

impl Path {
    /// The values that the path was run with.
    pub(crate) fn hint(&self) -> Assignment {
        Assignment::from_streams(self.input.streams.iter().map(|one| one.bytes.clone()))
    }

    /// The conditions of the first steps: those that must hold, and those that may be dropped.
    pub(crate) fn prefix(&self, steps: usize) -> (Vec<ExprId>, Vec<ExprId>) {
        let (mut hard, mut soft) = (Vec::new(), Vec::new());
        for step in self.steps.iter().take(steps) {
            let list = if step.soft { &mut soft } else { &mut hard };
            if step.condition != ExprId::TRUE && list.last() != Some(&step.condition) {
                list.push(step.condition);
            }
        }
        (hard, soft)
    }

    /// The slices at calls of a function.
    pub(crate) fn slices_at(&self, callee: FunctionId) -> impl Iterator<Item = &Slice> {
        self.slices
            .iter()
            .filter(move |slice| slice.callee == callee)
    }
}

/// The explored paths of a unit.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) pool: Pool,
    paths: Vec<Arc<Path>>,
    blocks: Blocks,
}

/// What the reading of traces needs to know of a unit.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The function of the unit, in the unit's own program.
    pub(crate) own: Option<FunctionId>,
    /// The functions whose calls are bound, by their numbers in runs.
    pub(crate) bound: Vec<FunctionId>,
}

impl Summary {
    pub(crate) fn paths(&self) -> &[Arc<Path>] {
        &self.paths
    }

    pub(crate) fn is_full(&self) -> bool {
        self.paths.len() >= MOST_PATHS
    }

    /// Adds a path; its number.
    pub(crate) fn add(&mut self, path: Path) -> usize {
        self.paths.push(Arc::new(path));
        self.paths.len() - 1
    }

    /// Reads the path of a run.
    pub(crate) fn read(
        &mut self,
        reading: &Reading,
        program: &Program,
        trace: &Trace,
        input: Input,
    ) -> Path {
        let mut reader = Reader {
            trace,
            decoder: trace.decoder(),
            pool: &mut self.pool,
            rebuilt: Rebuilt::new(),
            blocks: &mut self.blocks,
        };
        let steps = (0..trace.steps().len().min(MOST_STEPS)).map(|at| {
            let step = trace.steps()[at];
            let site = step.program_site(program);
            let function =
                site.and_then(|SiteId(at)| Some(program.sites.get(at as usize)?.function));
            Step {
                site: step.site,
                direction: step.direction,
                condition: reader.flipped(at, step.direction),
                soft: step.soft,
                own: function.is_some() && function == reading.own,
                flips: trace
                    .alternatives(at)
                    .map(|other| (other, reader.flipped(at, other)))
                    .filter(|(_, condition)| *condition != ExprId::FALSE)
                    .collect(),
            }
        });
        let steps: Vec<Step> = steps.collect();
        let calls = BoundCall::of(trace).into_iter();
        let calls = calls
            .filter(|call| call.steps <= steps.len())
            .take(MOST_SLICES);
        let slices = calls.filter_map(|call| reader.slice(&call, &reading.bound));
        let slices = slices.collect();
        Path {
            input,
            failed: false,
            steps,
            slices,
        }
    }
}

/// Reads expressions of a trace into the pool of a summary.
struct Reader<'a> {
    trace: &'a Trace,
    decoder: Decoder,
    pool: &'a mut Pool,
    rebuilt: Rebuilt,
    blocks: &'a mut Blocks,
}

impl Reader<'_> {
    fn flipped(&mut self, step: usize, direction: u32) -> ExprId {
        let condition = self.trace.flipped(&mut self.decoder, step, direction);
        self.moved(condition)
    }

    fn moved(&mut self, id: ExprId) -> ExprId {
        let source = self.decoder.pool();
        self.pool
            .rebuild(Some(source), id, &mut self.rebuilt, &mut |_, _| None)
    }

    fn slice(&mut self, call: &BoundCall, bound: &[FunctionId]) -> Option<Slice> {
        let callee = *bound.get(call.function as usize)?;
        let mut all = BTreeMap::new();
        for place in &call.places {
            let bytes = place.bytes(self.trace, &mut self.decoder);
            for (offset, byte) in (u32::try_from(place.offset).ok()?..).zip(bytes) {
                let byte = self.moved(byte);
                all.insert(offset, byte);
            }
        }
        Some(Slice {
            callee,
            steps: call.steps,
            bindings: self.blocks.bindings(&all),
        })
    }
}

/// The part of the branches of a function that some runs took, in percent; `None` for a function
/// without branches.
pub(crate) fn branch_coverage(
    program: &Program,
    function: FunctionId,
    covered: &Coverage,
) -> Option<f64> {
    let sites = program.counted_sites();
    let own = sites.filter(|site| site.function == function);
    let (mut all, mut taken) = (0_u32, 0_u32);
    for branch in own.flat_map(labrys_program::Site::branches) {
        all += 1;
        taken += u32::from(covered.contains(branch));
    }
    (all > 0).then(|| 100.0 * f64::from(taken) / f64::from(all))
}

/// Streams of symbols that are no input of the unit at work: leaves of a callee, inputs of a caller,
/// and of each composition what stays free.
pub(crate) const LEAVES: u16 = 0x0800;
pub(crate) const CALLER: u16 = 0x0c00;
pub(crate) const FREE: u16 = 0x1000;

/// Whether a symbol is a byte of a stream that no run has.
pub(crate) fn is_free(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Byte { stream, .. } if stream >= LEAVES)
}

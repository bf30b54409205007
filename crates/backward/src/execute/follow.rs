//! Executing a path: the trace program of symcretic execution (dissertation, section 4.3), run
//! by the concrete machine.
//!
//! Control is sent along the path whatever the values say; each decision on it is a *fit*, whose
//! distance tells how far the values are from going there. Between blocks that the path leaves
//! free, and in calls that it does not follow, the program runs as it would: these are the loop methods
//! and external methods. An input of fitness 0 reaches the target.

use labrys_executor::Linked as Process;
use labrys_program::{BlockId, FunctionId, GlobalId, Program};
use labrys_semantics::{
    Distance, External, Halt, Inputs, IrValue, Limit, Machine, NativeCode, Rules, Watched,
};

use super::FASTER;
use super::linked::ByProcess;
use crate::path::{Hop, Point};

/// The outcome of one execution of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fitness {
    /// 0 for an input that reaches the target on its own.
    pub(super) value: f64,
    /// Whether the machine could execute all of it.
    pub(super) known: bool,
    /// Whether it was longer than the limit.
    pub(super) cut: bool,
    /// Instructions that it took.
    pub(super) steps: u64,
    /// Those of them that were not executed as machine code.
    pub(super) interpreted: u64,
}

impl Fitness {
    /// Instructions that are interpreted in the time of the execution.
    pub(super) fn work(&self) -> u64 {
        let in_code = self.steps.saturating_sub(self.interpreted);
        self.interpreted + in_code / FASTER
    }
}

/// Gives the bytes of given objects, then zeros.
struct Feed<'a> {
    objects: &'a [Vec<u8>],
    next: usize,
}

impl Inputs for Feed<'_> {
    fn next(&mut self, bytes: &mut [u8]) {
        if let Some(object) = self.objects.get(self.next) {
            let count = bytes.len().min(object.len());
            bytes[..count].copy_from_slice(&object[..count]);
        }
        self.next += 1;
    }
}

struct Follower<'p> {
    hops: &'p [Hop],
    target: Point,
    /// The last hop that was reached.
    at: usize,
    begun: bool,
    /// The sum of the distances of decisions that went elsewhere.
    misfit: f64,
    /// Whether the target was reached.
    done: bool,
}

/// What a decision costs at most, and what a hop that was not reached costs.
const MISSED: f64 = 2.0;

impl Follower<'_> {
    fn fit(&mut self, distance: Distance) {
        if distance > 0.0 {
            self.misfit += if distance.is_finite() {
                distance / (distance + 1.0)
            } else {
                1.0
            };
        }
    }

    /// The next hop where a block begins.
    fn next_entered(&self) -> Option<usize> {
        let from = if self.begun { self.at + 1 } else { 0 };
        (from..self.hops.len()).find(|index| !self.hops[*index].resumed)
    }

    /// Whether only returns to the middle of blocks follow at the target's level.
    fn is_last(&self, index: usize) -> bool {
        let level = self.hops.last().map_or(0, |hop| hop.level);
        self.hops[index].level == level
            && self.hops[index].function == self.target.function
            && self.hops[index].block == self.target.block
            && self.hops[index + 1..]
                .iter()
                .all(|hop| hop.resumed || hop.level > level)
    }
}

impl Rules for Follower<'_> {
    fn watched(&self) -> Watched {
        let depth = |level: i32| usize::try_from(level).ok();
        let entered = self.next_entered().map(|index| self.hops[index]);
        let enter = entered.and_then(|hop| Some((depth(hop.level)?, hop.function, hop.block)));
        let here = self.hops[self.at];
        let left = match self.hops.get(self.at + 1) {
            Some(next) if next.resumed => Some(*next),
            Some(next) if self.begun && !next.free && next.level == here.level => Some(here),
            _ => None,
        };
        let leave = left.and_then(|hop| Some((depth(hop.level)?, hop.block)));
        Watched::These { enter, leave }
    }

    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize> {
        let index = self.next_entered()?;
        let hop = self.hops[index];
        let level = i32::try_from(depth).unwrap_or(i32::MAX);
        if (hop.level, hop.function, hop.block) != (level, function, block) {
            return None;
        }
        self.at = index;
        self.begun = true;
        if self.is_last(index) {
            self.done = true;
            return Some(self.target.instruction);
        }
        None
    }

    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        distance: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId> {
        let level = i32::try_from(depth).unwrap_or(i32::MAX);
        // A call on the path is over: go on in the caller.
        while let Some(next) = self.hops.get(self.at + 1) {
            if next.resumed && next.level == level && next.block == block {
                self.at += 1;
            } else {
                break;
            }
        }
        let here = self.hops[self.at];
        let on_path = self.begun && here.level == level && here.block == block;
        let next = self.hops.get(self.at + 1).copied();
        match next {
            Some(next) if on_path && !next.resumed && next.level == level && !next.free => {
                let there = distance(next.block);
                if there == f64::MAX {
                    // Not a successor: the path means another visit of the block.
                    return Some(natural);
                }
                self.fit(there);
                Some(next.block)
            }
            _ => Some(natural),
        }
    }

    fn assume(&mut self, distance: Distance) -> bool {
        self.fit(distance);
        true
    }
}

/// A path to execute.
#[derive(Clone, Copy)]
pub(super) struct TraceProgram<'a> {
    pub(super) entry: FunctionId,
    pub(super) hops: &'a [Hop],
    pub(super) target: Point,
}

/// The means for library functions and long executions.
pub(super) struct Means<'a> {
    /// Computes functions of libm.
    pub(super) external: External,
    /// Makes executions faster, and changes nothing else.
    pub(super) code: Option<&'a mut NativeCode>,
    /// Calls functions of libraries.
    pub(super) linked: Option<&'a mut Process>,
}

/// The input of an execution.
#[derive(Clone, Copy)]
pub(super) struct Fed<'a> {
    /// The objects that the program asks for, in order.
    pub(super) objects: &'a [Vec<u8>],
    /// What globals hold at the beginning.
    pub(super) globals: &'a [(GlobalId, Vec<u8>)],
}

/// Executes a path on an input.
pub(super) fn follow(
    program: &Program,
    trace: TraceProgram<'_>,
    input: Fed<'_>,
    limit: Limit,
    mut means: Means<'_>,
) -> Fitness {
    loop {
        if let Some(fitness) = follow_once(program, trace, input, limit, &mut means) {
            return fitness;
        }
    }
}

/// As `follow`; `None` if it must be done again, with code of fewer functions.
fn follow_once(
    program: &Program,
    trace: TraceProgram<'_>,
    input: Fed<'_>,
    limit: Limit,
    means: &mut Means<'_>,
) -> Option<Fitness> {
    let TraceProgram {
        entry,
        hops,
        target,
    } = trace;
    let mut feed = Feed {
        objects: input.objects,
        next: 0,
    };
    let mut follower = Follower {
        hops,
        target,
        at: 0,
        begun: false,
        misfit: 0.0,
        done: false,
    };
    let arguments = arguments(program, entry);
    let mut linked = means.linked.as_deref_mut().map(ByProcess::new);
    let mut machine = Machine::new(program, means.external, &mut feed, &mut follower, limit);
    if let Some(code) = means.code.as_deref_mut() {
        machine = machine.with_code(code);
    }
    if let Some(linked) = &mut linked {
        machine = machine.with_linked(linked);
    }
    for (id, bytes) in input.globals {
        machine.set_global(*id, bytes.clone());
    }
    let end = machine.call(entry, arguments);
    if matches!(end, Err(Halt::Again)) {
        return None;
    }
    let known = !matches!(end, Err(Halt::Unknown(_)));
    let cut = matches!(end, Err(Halt::Limit));
    let (steps, interpreted) = (machine.steps(), machine.interpreted());
    let reached = follower.done && matches!(end, Err(Halt::Stopped));
    let value = if reached {
        follower.misfit
    } else {
        let missed = hops.len() - follower.at.min(hops.len() - 1);
        follower.misfit + MISSED * missed as f64
    };
    Some(Fitness {
        value,
        known,
        cut,
        steps,
        interpreted,
    })
}

/// `main` gets one argument, its name, which the machine does not look at.
fn arguments(program: &Program, entry: FunctionId) -> Vec<IrValue<labrys_expr::Value>> {
    let parameters = program
        .function(entry)
        .map_or(&[][..], |function| &function.parameters);
    let zero = |ty: labrys_program::Type, bits| {
        ty.width()
            .map(|width| IrValue::Scalar(labrys_expr::Value::new(width, bits)))
    };
    let values = parameters.iter().enumerate();
    values
        .map_while(|(index, parameter)| zero(parameter.ty, u128::from(index == 0)))
        .collect()
}

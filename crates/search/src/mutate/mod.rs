//! Mutation: new inputs made of known ones, without a query.
//!
//! [`extrapolate`] moves numbers of the input to where two runs point; such inputs are few, and each
//! has its turn soon.
//!
//! Two mutators change the input of a run: [`pump`] repeats pieces of it or leaves them out,
//! [`exchange`] puts other pieces in the place of some, as the program read them ([`pieces`]). Which
//! of them does is a coin's choice; where one can do nothing, the other one does.
//!
//! Laws: a stream that is not a file keeps its length; a file grows to at most the limit. Nothing is
//! expected of the run of a mutated input.

mod exchange;
mod extrapolate;
mod pieces;
mod pool;
mod pump;

use labrys_program::{BranchId, Program};
use labrys_suite::Input;
use labrys_trace::Trace;

use exchange::exchange;
use extrapolate::Extrapolation;
use pool::PiecePool;
use pump::{Lengths, looked_at, pump};

use crate::tree::RunId;

/// Mutates inputs, and learns from all runs what to make of them.
#[derive(Default)]
pub(crate) struct Mutator {
    lengths: Lengths,
    /// Pieces of the inputs so far, once any input was mutated.
    pool: Option<PiecePool>,
    extrapolation: Extrapolation,
}

impl Mutator {
    /// Learns from an input that the solver made.
    pub(crate) fn learn_solved(&mut self, input: &Input) {
        self.lengths.learn(input);
    }

    /// Learns from a run, and how near it came to open branches.
    pub(crate) fn learn(
        &mut self,
        (run, near): (RunId, &[(BranchId, u32)]),
        input: &Input,
        trace: &Trace,
        program: &Program,
        rng: &mut fastrand::Rng,
    ) {
        if let Some(pool) = &mut self.pool {
            let pieces = pool.pieces(trace, program);
            pool.learn(input, &pieces, rng);
        }
        if !near.is_empty() {
            let objects = trace.recording().object_places();
            self.extrapolation.learn(run, input, &objects, near);
        }
    }

    /// An input that moves numbers of the input of a run, if it is the turn of one that is new.
    pub(crate) fn extrapolated(
        &mut self,
        is_new: impl Fn(&Input) -> bool,
    ) -> Option<(RunId, Input)> {
        self.extrapolation.next(is_new)
    }

    /// An input that differs from that of a run; `None` if there is nothing to change. Files grow to
    /// at most `most` bytes.
    pub(crate) fn mutate(
        &mut self,
        input: &Input,
        trace: &Trace,
        program: &Program,
        most: usize,
        rng: &mut fastrand::Rng,
    ) -> Option<Input> {
        let exchanged = match rng.bool() {
            true => None,
            false => self.exchanged(input, trace, program, most, rng),
        };
        exchanged.or_else(|| {
            let fill = self.lengths.draw(rng);
            pump(input, &looked_at(trace), fill, most, rng)
        })
    }

    fn exchanged(
        &mut self,
        input: &Input,
        trace: &Trace,
        program: &Program,
        most: usize,
        rng: &mut fastrand::Rng,
    ) -> Option<Input> {
        let pool = self.pool.get_or_insert_with(|| PiecePool::of(program));
        let pieces = pool.pieces(trace, program);
        pool.learn(input, &pieces, rng);
        let fill = self.lengths.draw(rng);
        exchange(input, &pieces, pool, fill, most, rng)
    }
}

//! What a search learns from a run. Runs are begun, and learnt from when they end: with a
//! worker pool that makes runs ahead, others are begun in between.

use labrys_abi::is_size;
use labrys_engine::{DivergenceCause, Error, Observation, Progress, Session};
use labrys_suite::{Input, Origin};
use labrys_trace::Trace;

use super::{Search, view};
use crate::another::Again;
use crate::path::decisions;
use crate::query::DecodedRun;
use crate::repair::{Repair, parting};
use crate::strategy::{RunInfo, is_model};
use crate::tree::{Candidate, Flip, Insertion, Passage, RunId, Tree};

/// What a run was begun for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    /// The run whose input was changed.
    pub(super) parent: Option<RunId>,
    /// The candidate that it is to take.
    pub(super) flipped: Option<Candidate>,
    /// The candidate that it takes as an input before did, which failed behind it.
    pub(super) again: Option<Candidate>,
    /// The branch for which its input was made without soft constraints.
    pub(super) relaxed: Option<(u32, u32)>,
    /// Whether its input is a mutation.
    pub(super) mutated: bool,
}

impl Begun {
    /// A run with a changed input of which nothing is expected.
    pub(super) fn of(parent: RunId) -> Self {
        Begun {
            parent: Some(parent),
            ..Begun::default()
        }
    }
}

impl Search<'_> {
    /// Begins a run, and learns from the one whose turn it is to end.
    pub(super) fn begin(
        &mut self,
        session: &mut Session,
        input: Input,
        origin: Origin,
        begun: Begun,
    ) -> Result<(), Error> {
        session.begin_run(input, origin)?;
        self.begun.push_back(begun);
        if self.begun.len() > session.ahead() {
            self.end(session)?;
        }
        Ok(())
    }

    /// Learns from the run that was begun first; done if there is none.
    pub(super) fn end(&mut self, session: &mut Session) -> Result<Progress, Error> {
        let Some(begun) = self.begun.pop_front() else {
            return Ok(Progress::Done);
        };
        if let Some(seen) = session.end_run()? {
            self.learn(session, seen, begun)?;
        }
        Ok(Progress::More)
    }

    /// Inserts a run in the tree and tells the strategy.
    pub(super) fn learn(
        &mut self,
        session: &mut Session,
        seen: Observation,
        begun: Begun,
    ) -> Result<(), Error> {
        let Some(trace) = seen.trace else {
            self.lose(begun.flipped);
            return Ok(());
        };
        let inherited = begun.parent.map_or(0, |run| self.cases[run.index()]);
        self.cases.push(seen.case.unwrap_or(inherited));
        let done = self.insert(session, &trace, (seen.gain, seen.is_long))?;
        let diverged = begun.flipped.is_some_and(|asked| self.left(&done, asked));
        self.learn_relaxation(&begun, &done, &seen.input, diverged);
        self.learn_failing(&begun, &done, &seen.input, seen.fails);
        // A run that was cut off has not left its path: it had no time to get there.
        if let Some(candidate) = begun.flipped.filter(|_| diverged)
            && !seen.outcome.is_cut()
        {
            self.tree.mark(candidate, Flip::Diverged);
            session.note_divergence(cause(&begun, &trace));
        }
        let length = seen.input.len();
        let (run, program) = ((done.run, &seen.near[..]), session.program());
        self.mutator
            .learn(run, &seen.input, &trace, program, &mut self.rng);
        // What took another direction than any run before may have decided nothing behind it.
        let own_path = done.first_new < done.path.len() || begun.flipped.is_some() && !diverged;
        let kept = own_path || seen.gain > 0;
        if kept {
            self.inputs.push(&seen.input, begun.parent);
            let known = DecodedRun::new(trace, seen.input);
            let weight = known.weight();
            self.traces.put(done.run, known, weight);
        } else {
            self.inputs.skip();
            session.recycle(trace);
        }
        self.note_full(session, &done);
        let program = session.program();
        let in_models = |taken: &&(u32, u32)| is_model(program, taken.0);
        let models = done.first_taken.iter().filter(in_models).count();
        let info = RunInfo {
            run: done.run,
            path: &done.path,
            taken: self.counter.count(&self.tree, &done.path),
            first_new: done.first_new,
            kept,
            coverage: &seen.coverage,
            gain: seen.gain + models,
            near: &seen.near,
            length,
            flipped: begun.flipped,
            mutated: begun.mutated,
            diverged,
        };
        self.strategy.observe(&view(&self.tree, session), &info);
        Ok(())
    }

    /// Inserts a run in the tree, where its monitor judges it; an audit looks at what it gained, and
    /// a long one has short ones looked for.
    fn insert(
        &mut self,
        session: &mut Session,
        trace: &Trace,
        (gain, is_long): (usize, bool),
    ) -> Result<Insertion, Error> {
        let room = self.tree.room(gain > 0);
        let run = decisions(trace, session.program());
        let done = self.tree.insert_within(run, room);
        self.endings
            .learn(&self.tree, &done.path, is_long, gain > 0);
        self.weights.learn(trace.steps().len());
        if gain > 0 {
            self.steering.audit(session, &self.tree, &done.path)?;
        }
        let new = &done.path[done.first_new..];
        let new = new.iter().map(|passage| passage.node);
        self.steer(session, done.run, new, trace);
        Ok(done)
    }

    /// A run without a trace cannot be followed.
    fn lose(&mut self, flipped: Option<Candidate>) {
        if let Some(candidate) = flipped
            && self.tree.flip(candidate) == Flip::Sat
        {
            self.tree.mark(candidate, Flip::Diverged);
        }
    }

    /// Whether a run left the path to the candidate that it was to take.
    fn left(&self, done: &Insertion, candidate: Candidate) -> bool {
        !is_size(self.tree.site(candidate.node)) && !passes(&self.tree, &done.path, candidate)
    }

    /// Learns whether it paid to drop soft constraints; a run that left its path is repaired.
    fn learn_relaxation(&mut self, begun: &Begun, done: &Insertion, input: &Input, diverged: bool) {
        let Some(branch) = begun.relaxed else {
            return;
        };
        self.relaxation.learn(branch, diverged);
        let parted = begun.flipped.filter(|_| diverged);
        let parted = parted.and_then(|candidate| parting(&self.tree, &done.path, candidate));
        self.repair = parted.map(|(position, direction)| Repair {
            run: done.run,
            input: input.clone(),
            position,
            direction,
            branch,
        });
    }

    /// Learns whether a run that took its candidate fails.
    fn learn_failing(&mut self, begun: &Begun, done: &Insertion, input: &Input, fails: bool) {
        let asked = begun.flipped.or(begun.again).zip(begun.parent);
        let Some((candidate, parent)) = asked else {
            return;
        };
        if passes(&self.tree, &done.path, candidate) {
            let branch = (self.tree.site(candidate.node), candidate.direction);
            let is_first = done.first_taken.contains(&branch);
            let again = Again { candidate, parent };
            self.others.learn(again, input, fails, is_first);
        }
    }

    /// Says once that the tree did not take all of a run.
    fn note_full(&mut self, session: &mut Session, done: &Insertion) {
        if done.truncated && !self.told_full {
            self.told_full = true;
            session.note("a run decides more than the execution tree has room for; the rest of it is not searched");
        }
    }
}

/// Why a run left its path.
fn cause(begun: &Begun, trace: &Trace) -> DivergenceCause {
    let concrete = trace.recording().concretizations;
    match begun.relaxed {
        Some(_) => DivergenceCause::Relaxed,
        None if concrete.iter().any(|count| *count > 0) => DivergenceCause::Concretized,
        None => DivergenceCause::Unexplained,
    }
}

/// Whether a path takes a candidate.
fn passes(tree: &Tree, path: &[Passage], candidate: Candidate) -> bool {
    let expected = Passage {
        node: candidate.node,
        direction: candidate.direction,
    };
    path.get(tree.depth(candidate.node) as usize) == Some(&expected)
}

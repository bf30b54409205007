//! What a search learns from a run. Runs are begun, and learnt from when they end: with a crew
//! that makes runs ahead, others are begun in between.

use labrys_abi::is_size;
use labrys_engine::{Error, Observation, Progress, Session};
use labrys_suite::{Input, Origin};

use crate::path::decisions;
use crate::query::Known;
use crate::repair::{Repair, parting};
use crate::search::{Search, view};
use crate::strategy::{RunInfo, is_model};
use crate::tree::{Candidate, Flip, Passage, RunId, Tree};

/// What a run was begun for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begun {
    /// The run whose input was changed.
    pub(crate) parent: Option<RunId>,
    /// The candidate that it is to take.
    pub(crate) flipped: Option<Candidate>,
    /// The branch for which its input was made without soft constraints.
    pub(crate) relaxed: Option<(u32, u32)>,
    /// Whether pieces of the input were repeated or exchanged.
    pub(crate) pumped: bool,
}

impl Begun {
    /// A run with a changed input of which nothing is expected.
    pub(crate) fn of(parent: RunId) -> Self {
        Begun {
            parent: Some(parent),
            ..Begun::default()
        }
    }
}

impl Search {
    /// Begins a run, and learns from the one whose turn it is to end.
    pub(crate) fn begin(
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
    pub(crate) fn end(&mut self, session: &mut Session) -> Result<Progress, Error> {
        let Some(begun) = self.begun.pop_front() else {
            return Ok(Progress::Done);
        };
        if let Some(seen) = session.end_run()? {
            self.learn(session, seen, begun);
        }
        Ok(Progress::More)
    }

    /// Inserts a run in the tree and tells the strategy.
    pub(crate) fn learn(&mut self, session: &mut Session, seen: Observation, begun: Begun) {
        let Begun {
            parent,
            flipped,
            relaxed,
            pumped,
        } = begun;
        let Some(trace) = seen.trace else {
            let candidate = flipped.filter(|candidate| self.tree.flip(*candidate) == Flip::Sat);
            candidate
                .into_iter()
                .for_each(|candidate| self.tree.mark(candidate, Flip::Diverged));
            return;
        };
        let done = self.tree.insert(decisions(&trace, session.program()));
        self.weights.learn(trace.steps().len());
        let inherited = parent.map_or(0, |run| self.cases[run.index()]);
        self.cases.push(seen.case.unwrap_or(inherited));
        let left = |candidate: Candidate| {
            !is_size(self.tree.site(candidate.node)) && !passes(&self.tree, &done.path, candidate)
        };
        let diverged = flipped.is_some_and(left);
        if let Some(branch) = relaxed {
            self.relaxation.learn(branch, diverged);
            let parted = flipped.and_then(|candidate| parting(&self.tree, &done.path, candidate));
            self.repair = parted
                .filter(|_| diverged)
                .map(|(position, direction)| Repair {
                    run: done.run,
                    input: seen.input.clone(),
                    position,
                    direction,
                    branch,
                });
        }
        if let (true, Some(candidate)) = (diverged, flipped) {
            // A run that was cut off has not left its path: it had no time to get there.
            if !seen.outcome.is_limit() {
                self.tree.mark(candidate, Flip::Diverged);
                session.note_divergence();
            }
        }
        let length = seen.input.len();
        if let Some(larder) = &mut self.larder {
            let pieces = larder.pieces(&trace, session.program());
            larder.learn(&seen.input, &pieces, &mut self.rng);
        }
        // What took another direction than any run before may have decided nothing behind it.
        let own_way = done.first_new < done.path.len() || flipped.is_some() && !diverged;
        let kept = own_way || seen.gain > 0;
        if kept {
            self.inputs.push(&seen.input, parent);
            let known = Known::new(trace, seen.input);
            let weight = known.weight();
            self.traces.put(done.run, known, weight);
        } else {
            self.inputs.skip();
            session.recycle(trace);
        }
        if done.truncated && !self.told_full {
            self.told_full = true;
            session.note("the execution tree is full; the rest of new runs is not searched");
        }
        let program = session.program();
        let in_models = |(site, _): &&(u32, u32)| is_model(program, *site);
        let models = done.first_taken.iter().filter(in_models).count();
        let info = RunInfo {
            run: done.run,
            path: &done.path,
            taken: self.tally.count(&self.tree, &done.path),
            first_new: done.first_new,
            kept,
            coverage: &seen.coverage,
            gain: seen.gain + models,
            near: &seen.near,
            length,
            flipped,
            pumped,
            diverged,
        };
        self.strategy.observe(&view(&self.tree, session), &info);
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

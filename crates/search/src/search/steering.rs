//! What a monitor says of the flips of runs: those that are pruned are no candidates any more, the
//! others have their distance in the tree.
//!
//! A run is judged when it is inserted, and again before one of its flips is made, if the monitor
//! knows more by then. Law: a flip that was pruned once stays so, and no strategy sees it.

use labrys_engine::{Error, Mode, Monitor, RunFlip, RunRecord, Session, Verdict};
use labrys_suite::Input;
use labrys_trace::Trace;
use rustc_hash::FxHashSet;

use super::Search;
use crate::tree::{Candidate, Flip, NodeId, Passage, RunId, Tree};

/// Flips of a run that are judged at a time, those nearest to the root first.
const MOST: usize = 4_096;

/// Events beside the steps of a run that are recorded in the time of a step of the solver.
const EVENTS_PER_STEP: usize = 16;
/// Steps of the solver for a run that had no room for every decision.
const NO_ROOM: u64 = 2_000;

/// See the module.
#[derive(Default)]
pub(super) struct Steering<'m> {
    monitor: Option<Box<dyn Monitor + 'm>>,
    /// By run: the version of the monitor that judged it last; 0 for none.
    judged: Vec<u64>,
    /// By run: whether it was recorded with every decision.
    recorded: Vec<bool>,
    /// Whether runs that are begun record every decision.
    recording: bool,
    /// In an audit: what would be pruned. It is searched all the same.
    excluded: Option<FxHashSet<Candidate>>,
}

impl<'m> Steering<'m> {
    fn by(monitor: Box<dyn Monitor + 'm>, audit: bool) -> Self {
        Steering {
            monitor: Some(monitor),
            judged: Vec::new(),
            recorded: Vec::new(),
            recording: false,
            excluded: audit.then(FxHashSet::default),
        }
    }

    fn is_on(&self) -> bool {
        self.monitor.is_some()
    }

    /// Audits a run that took branches which no run took before: none of its flips was pruned.
    pub(super) fn audit(
        &self,
        session: &Session,
        tree: &Tree,
        path: &[Passage],
    ) -> Result<(), Error> {
        let Some(excluded) = &self.excluded else {
            return Ok(());
        };
        let candidate = |passage: &Passage| Candidate {
            node: passage.node,
            direction: passage.direction,
        };
        let mut taken = path.iter().map(candidate);
        match taken.find(|candidate| excluded.contains(candidate)) {
            None => Ok(()),
            Some(candidate) => Err(Error::Excluded {
                run: session.statistics().runs,
                place: format!("{candidate:?} of site {}", tree.site(candidate.node)),
            }),
        }
    }

    /// The version of the monitor, if it knows more of a run than when it was judged last.
    ///
    /// To record every decision costs time where a program makes many that do not depend on its
    /// input. So that is done only as long as the monitor judges.
    fn news(&mut self, session: &mut Session, run: RunId) -> Option<u64> {
        let version = self.monitor.as_mut()?.version(session);
        self.recording = version.is_some();
        session.record(match self.recording {
            true => Mode::AllBranches,
            false => Mode::Symbolic,
        });
        let judged = self.judged.get(run.index()).copied().unwrap_or(0);
        version.filter(|version| judged != *version)
    }

    /// Counts work for the monitor.
    fn charge(&mut self, work: u64) {
        if let Some(monitor) = &mut self.monitor {
            monitor.charge(work);
        }
    }

    /// Judges the flips of a run's own nodes.
    fn judge(
        &mut self,
        session: &mut Session,
        tree: &mut Tree,
        run: RunId,
        nodes: impl Iterator<Item = NodeId>,
        record: Option<&RunRecord>,
    ) {
        let Some(version) = self.news(session, run) else {
            return;
        };
        if self.judged.len() <= run.index() {
            self.judged.resize(run.index() + 1, 0);
        }
        self.judged[run.index()] = version;
        let (Some(monitor), Some(record)) = (&mut self.monitor, record) else {
            return;
        };
        let undecided = |candidate: &Candidate| tree.flip(*candidate).is_undecided();
        let candidates = nodes.flat_map(|node| tree.flips(node)).filter(undecided);
        let candidates: Vec<Candidate> = candidates.take(MOST).collect();
        let flip = |candidate: &Candidate| RunFlip {
            step: tree.depth(candidate.node),
            direction: candidate.direction,
        };
        let flips: Vec<RunFlip> = candidates.iter().map(flip).collect();
        if flips.is_empty() {
            return;
        }
        let verdicts = monitor.judge(session, record, &flips);
        for (candidate, verdict) in candidates.into_iter().zip(verdicts) {
            match verdict {
                Verdict::Open => {}
                Verdict::Pruned => match &mut self.excluded {
                    Some(excluded) => drop(excluded.insert(candidate)),
                    None => tree.mark(candidate, Flip::Pruned),
                },
                Verdict::Distance(distance) => tree.set_distance(candidate, distance),
            }
        }
    }
}

impl<'m> Search<'m> {
    /// The same with a monitor, which prunes and orders flips.
    #[must_use]
    pub fn with_monitor(mut self, monitor: Box<dyn Monitor + 'm>) -> Self {
        self.steering = Steering::by(monitor, self.options.audit);
        self
    }

    /// Lets the monitor judge a run that was inserted just now; its new nodes are these.
    pub(super) fn steer(
        &mut self,
        session: &mut Session,
        run: RunId,
        nodes: impl Iterator<Item = NodeId>,
        trace: &Trace,
    ) {
        if !self.steering.is_on() {
            return;
        }
        let whole = RunRecord::is_whole(trace);
        let recorded = &mut self.steering.recorded;
        recorded.resize(run.index(), false);
        recorded.push(whole);
        if whole {
            let others = trace.recording().events.len() - trace.steps().len();
            self.steering.charge((others / EVENTS_PER_STEP) as u64);
        } else if self.steering.recording {
            self.steering.charge(NO_ROOM);
        }
        if self.steering.news(session, run).is_some() {
            // A run that was begun before there was a monitor has no record: it is judged later.
            let record = RunRecord::of(trace, session.program());
            if record.is_some() {
                let tree = &mut self.tree;
                self.steering
                    .judge(session, tree, run, nodes, record.as_ref());
            }
        }
    }

    /// The trace of a run once more, recorded as it was at first.
    pub(super) fn trace_again(
        &self,
        session: &mut Session,
        run: RunId,
        input: &Input,
    ) -> Result<Option<Trace>, Error> {
        if self
            .steering
            .recorded
            .get(run.index())
            .is_some_and(|whole| *whole)
        {
            let trace = session.trace_again(input, Mode::AllBranches)?;
            let whole = trace.filter(|trace| !trace.recording().overflow);
            if whole.is_some() {
                return Ok(whole);
            }
        }
        session.trace_again(input, Mode::Symbolic)
    }

    /// Whether the monitor, if there is one, prunes a candidate that was picked.
    pub(super) fn is_pruned(
        &mut self,
        session: &mut Session,
        candidate: Candidate,
    ) -> Result<bool, Error> {
        let run = self.tree.run(candidate.node);
        if self.steering.news(session, run).is_none() {
            return Ok(false);
        }
        let Some(known) = self.known(session, run)? else {
            return Ok(false);
        };
        let mut record = RunRecord::of(&known.trace, session.program());
        if record.is_none() {
            let before = session.effort();
            let trace = session.trace_again(&known.input, Mode::AllBranches)?;
            record = trace.and_then(|trace| RunRecord::of(&trace, session.program()));
            self.steering.charge(session.effort() - before);
        }
        let weight = known.weight();
        self.traces.put(run, known, weight);
        let nodes = self.tree.nodes_of(run, candidate.node);
        let tree = &mut self.tree;
        self.steering
            .judge(session, tree, run, nodes, record.as_ref());
        Ok(self.tree.flip(candidate) == Flip::Pruned)
    }
}

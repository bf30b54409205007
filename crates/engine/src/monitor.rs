//! The contract of a monitor: what an abstraction of the program says of the flips of a run
//! (Daca, Gupta and Henzinger, "Abstraction-driven concolic testing", VMCAI 2016, section 5).
//!
//! A monitor reads what a run did, and tells of each flip that is asked for whether a run with the
//! same decisions before it may take an open branch behind it.
//!
//! Law (theorem 1): a flip is [`Verdict::Pruned`] only if no run that has the events of the record
//! before the flip, and takes the flip, takes an open branch behind it. Open branches only become
//! fewer, so what was pruned once stays so.

use labrys_abi::EventKind;
use labrys_program::{FunctionId, Program, SiteId};
use labrys_trace::Trace;

use crate::Session;

/// What happened in a run, as far as a monitor follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// A decision of the program, and its step of the path constraint if it depends on the input.
    Decision {
        /// Where.
        site: SiteId,
        /// Which direction was taken.
        direction: u32,
        /// The number of the step.
        step: Option<u32>,
    },
    /// A step of the path constraint that is no decision of the program.
    Step(u32),
    /// A function of the program is entered.
    Call(FunctionId),
    /// It returns.
    Return(FunctionId),
}

/// What happened in a run, in order. It may end before the run does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRecord(pub Vec<RunEvent>);

impl RunRecord {
    /// Of a run that was recorded with every decision; `None` for another one.
    #[must_use]
    pub fn of(trace: &Trace, program: &Program) -> Option<Self> {
        if !RunRecord::is_whole(trace) {
            return None;
        }
        let decisions = trace.steps().iter().filter(|step| step.is_decision());
        let mut decisions = (0_u32..).zip(decisions).peekable();
        let mut events = Vec::new();
        for (index, event) in (0_u32..).zip(&trace.recording().events) {
            let step = decisions
                .next_if(|(_, step)| step.event == index)
                .map(|(at, _)| at);
            let function = || u32::try_from(event.a).ok().map(FunctionId);
            let kind = EventKind::from_u8(event.kind);
            let site = SiteId(event.site);
            let found = match kind {
                Some(EventKind::Call) => function().map(RunEvent::Call),
                Some(EventKind::Return) => function().map(RunEvent::Return),
                Some(EventKind::Branch | EventKind::Switch | EventKind::Select)
                    if program.site(site).is_some() =>
                {
                    Some(RunEvent::Decision {
                        site,
                        direction: event.direction,
                        step,
                    })
                }
                _ => step.map(RunEvent::Step),
            };
            events.extend(found);
        }
        Some(RunRecord(events))
    }

    /// Whether a run was recorded with every decision.
    #[must_use]
    pub fn is_whole(trace: &Trace) -> bool {
        let mut events = trace.recording().events.iter();
        events.any(|event| event.kind == EventKind::Call as u8)
    }
}

/// A direction of a step of a run that the run did not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunFlip {
    /// The number of the step among the run's decisions.
    pub step: u32,
    /// The direction, as in events; any number for a step that is no decision of the program.
    pub direction: u32,
}

/// What is known of a flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Open,
    /// Runs that take it come to no open branch.
    Pruned,
    /// Runs that take it may come to an open branch so far behind it, 0 being the nearest.
    Distance(u32),
}

/// See the module.
pub trait Monitor {
    /// The number of what the monitor knows, another one whenever verdicts may have changed;
    /// `None` as long as it knows nothing, or is not worth its work.
    fn version(&mut self, session: &Session) -> Option<u64>;

    /// What is known of some flips of a run, which are in the order of steps.
    fn judge(&mut self, session: &mut Session, run: &RunRecord, flips: &[RunFlip]) -> Vec<Verdict>;

    /// Counts work that was done so that it can judge, in steps of the solver.
    fn charge(&mut self, work: u64);
}

//! Auditing: is what a run recorded true of the run?
//!
//! Law: the path constraint of a run and all expressions in it hold under the run's input. A run
//! that breaks it shows a bug of Labrys, and exploring ends with an error that says where.

use labrys_abi::{SIZE_SITE, is_size};
use labrys_solver::Assignment;
use labrys_suite::Input;
use labrys_trace::{Step, Trace, Violation};

use crate::Error;

/// Audits the run with this number.
pub(crate) fn audit(trace: &Trace, input: &Input, run: u64) -> Result<(), Error> {
    let streams = input.streams.iter().map(|stream| &*stream.bytes);
    let values = Assignment::from_streams(streams);
    let violations = trace.check(&mut trace.decoder(), &|symbol| values.get(symbol));
    let Some(first) = violations.first() else {
        return Ok(());
    };
    let place = match *first {
        Violation::Step { step } => format!("step {step}: {:?}", trace.steps()[step]),
        Violation::Node { label, .. } => {
            let node = trace.recording().nodes[label as usize];
            format!("{first:?} {node:?}")
        }
    };
    let count = violations.len();
    Err(Error::Recording { run, count, place })
}

/// Audits that a run has the same path constraint, whether every decision is recorded or not.
pub(crate) fn audit_modes(all: &Trace, symbolic: &Trace, run: u64) -> Result<(), Error> {
    // Places that allocate are places of the code, of which there are several versions.
    let site = |site: u32| if is_size(site) { SIZE_SITE } else { site };
    let what = |step: &Step| (site(step.site), step.direction, step.kind, step.soft);
    let (all, symbolic) = (all.steps(), symbolic.steps());
    let pairs = all.iter().map(what).zip(symbolic.iter().map(what));
    let common = pairs.take_while(|(a, b)| a == b).count();
    if common == all.len() && common == symbolic.len() {
        return Ok(());
    }
    let place = format!(
        "step {common} of {} and {} if every decision is recorded: {:?} and {:?}",
        symbolic.len(),
        all.len(),
        symbolic.get(common),
        all.get(common),
    );
    Err(Error::Recording {
        run,
        count: 1,
        place,
    })
}

//! Auditing: is what a run recorded true of the run?
//!
//! Law: the path constraint of a run and all expressions in it hold under the run's input. A run
//! that breaks it shows a bug of Labrys, and exploring ends with an error that says where.

use labrys_solver::Assignment;
use labrys_suite::Input;
use labrys_trace::{Trace, Violation};

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

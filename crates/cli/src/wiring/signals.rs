//! Signals that end the command in order: the first sets the stop flag, the second ends at once.

use labrys_engine::StopFlag;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::output::problem::Problem;

/// A stop flag that Ctrl-C and SIGTERM set.
pub(crate) fn on_signals() -> Result<StopFlag, Problem> {
    let stop = StopFlag::default();
    for signal in [SIGINT, SIGTERM] {
        // In this order the first signal passes the shutdown by, and sets the flag.
        let status = 128 + signal;
        flag::register_conditional_shutdown(signal, status, stop.shared())
            .and_then(|_| flag::register(signal, stop.shared()))
            .map_err(|error| Problem::internal(format!("cannot handle signals: {error}")))?;
    }
    Ok(stop)
}

//! The program under test computes its own pure functions for the solver.

use std::path::Path;

use labrys_executor::MarkedFunctions;
use labrys_solver::marked::{Program, answer_calls};

struct Own(MarkedFunctions);

impl Program for Own {
    fn signature(&mut self, name: &str) -> Option<String> {
        self.0.signature(name)
    }

    fn call(&mut self, name: &str, arguments: &[u64]) -> Option<u64> {
        self.0.call(name, arguments)
    }
}

/// From now on the solver has this instrumented program compute the functions that the user
/// marked as pure.
pub(crate) fn calls_by(binary: &Path) {
    answer_calls(Box::new(Own(MarkedFunctions::of(binary))));
}

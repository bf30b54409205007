//! Auditing: is what a run recorded true of the run?
//!
//! Law: the path constraint of a run and all expressions in it hold under the run's input. A run
//! that breaks it shows a bug of Labrys; the session ends with an error that says where.

use labrys_expr::Symbol;
use labrys_suite::Input;
use labrys_trace::{Trace, Violation};

use crate::{Error, Session};

impl Session {
    /// Whether every run is audited, which costs several times the run.
    pub fn set_audit(&mut self, audit: bool) {
        self.audit = audit;
    }

    /// Audits a run, if the session does.
    pub(crate) fn audit(&self, trace: Option<&Trace>, input: &Input) -> Result<(), Error> {
        let Some(trace) = trace.filter(|_| self.audit) else {
            return Ok(());
        };
        let mut decoder = trace.decoder();
        let violations = trace.check(&mut decoder, &|symbol| value(input, symbol));
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
        let (run, count) = (self.statistics.runs, violations.len());
        Err(Error::Recording { run, count, place })
    }
}

/// What a symbol stands for in an input.
fn value(input: &Input, symbol: Symbol) -> u128 {
    let stream = |number: u16| input.streams.get(usize::from(number));
    match symbol {
        Symbol::Byte { stream: s, offset } => stream(s)
            .and_then(|stream| stream.bytes.get(offset as usize))
            .map_or(0, |byte| u128::from(*byte)),
        Symbol::Length { stream: s } => stream(s).map_or(0, |s| s.bytes.len() as u128),
        Symbol::Named { .. } => 0,
    }
}

//! Runs of the checked executable: what fails in it, and where.
//!
//! The checked executable is the program under AddressSanitizer, with the same fork server. A
//! failing run leaves a report in the scratch folder; from it come the kind of the failure and
//! the whole stack, with functions that were inlined.

use labrys_abi::Mode;
use labrys_library::{Mark, named};
use labrys_suite::unit::IN_PLACE;
use labrys_suite::{Input, Outcome};

use crate::report::{self, RawReport};
use crate::server::CutOff;
use crate::symbols::{Frame, Symbols};
use crate::{Error, Executor, Launch, RunLimits};

/// How much more time, memory and stack than a plain run a checked one may use.
const SLOWER: u32 = 3;
/// How much more time, if a run on the input failed: to report a stack of many thousands of frames
/// takes long.
const PATIENT: u32 = 10;

/// Kinds of failures by which a program ends itself.
const ASSERTION: &str = "assertion";
const UNCAUGHT: &str = "uncaught-exception";

/// A failure with its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// One word for what went wrong, such as `heap-buffer-overflow` or `SIGABRT`.
    pub kind: String,
    /// What was accessed and how it lies to the object, for people; may be empty.
    pub detail: String,
    /// The stack, innermost first, without the frames of the sanitizer and what calls `main`.
    pub stack: Vec<Frame>,
}

impl Report {
    /// Whether the program used memory as it must not; otherwise it ended itself, was ended by a
    /// signal, or lost memory.
    #[must_use]
    pub fn is_error_of_memory(&self) -> bool {
        let others = [ASSERTION, UNCAUGHT, report::LEAK];
        !self.kind.starts_with("SIG") && !others.contains(&self.kind.as_str())
    }

    /// The same, behind a check that failed before.
    fn behind(mut self, first: Option<&Report>) -> Self {
        let place = first.and_then(|first| Some((first, first.stack.first()?)));
        if let Some((Report { kind, .. }, frame)) = place {
            let comma = if self.detail.is_empty() { "" } else { ", " };
            let behind = format!("{comma}behind {kind} in {frame}");
            self.detail.push_str(&behind);
        }
        self
    }
}

/// What a checked run showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// How the run ended. The sanitizer ends a failing program with an exit status.
    pub outcome: Outcome,
    /// What failed, in order: checks of values, behind which the program went on, and what ended it.
    pub reports: Vec<Report>,
    /// As [`Recording::results`](labrys_trace::Recording::results).
    pub results: Vec<(u32, Vec<u8>)>,
}

/// Runs a checked executable; its server starts with the first run.
#[derive(Debug)]
pub struct Checker {
    launch: Launch,
    limits: RunLimits,
    /// Those of a plain run.
    plain: RunLimits,
    executor: Option<Executor>,
    bounded: bool,
    symbols: Symbols,
}

impl Checker {
    /// A checker for a checked executable, called as the plain one with these limits.
    #[must_use]
    pub fn new(launch: Launch, limits: &RunLimits) -> Self {
        let plain = limits.clone();
        let limits = RunLimits {
            timeout: limits.timeout * SLOWER,
            memory: limits.memory.saturating_mul(u64::from(SLOWER)),
            stack: limits.stack.saturating_mul(u64::from(2 * SLOWER)),
            ..limits.clone()
        };
        Checker {
            launch: Launch {
                sanitized: true,
                branches: 0,
                ..launch
            },
            limits,
            plain,
            executor: None,
            bounded: false,
            symbols: Symbols::default(),
        }
    }

    /// As [`Executor::bound_objects`].
    pub fn bound_objects(&mut self) {
        self.bounded = true;
    }

    /// Runs an input with the memory of a plain run, which most runs are far from.
    ///
    /// # Errors
    /// If the program cannot be run at all.
    pub fn check(&mut self, input: &Input) -> Result<Checked, Error> {
        let limits = self.limits_of_look();
        self.run(input, &limits, CutOff::default())
    }

    fn limits_of_look(&self) -> RunLimits {
        RunLimits {
            memory: self.plain.memory,
            ..self.limits.clone()
        }
    }

    /// Runs an input on which a run failed, with more memory; once more with more time if it is cut
    /// off.
    ///
    /// # Errors
    /// If the program cannot be run at all.
    pub fn check_patiently(&mut self, input: &Input) -> Result<Checked, Error> {
        let limits = self.limits.clone();
        let checked = self.run(input, &limits, CutOff::default())?;
        if checked.outcome != Outcome::Timeout {
            return Ok(checked);
        }
        let limits = RunLimits {
            timeout: self.plain.timeout * PATIENT,
            ..self.limits.clone()
        };
        self.run(input, &limits, CutOff::default())
    }

    /// Runs an input with the time and the memory of a plain run. If it is cut off, the report
    /// says where.
    ///
    /// # Errors
    /// If the program cannot be run at all.
    pub fn check_briefly(&mut self, input: &Input) -> Result<Checked, Error> {
        let limits = RunLimits {
            timeout: self.plain.timeout,
            memory: self.plain.memory,
            ..self.limits.clone()
        };
        let cut_off = CutOff {
            asks: true,
            ..CutOff::default()
        };
        self.run(input, &limits, cut_off)
    }

    fn run(
        &mut self,
        input: &Input,
        limits: &RunLimits,
        cut_off: CutOff,
    ) -> Result<Checked, Error> {
        let executor = match &mut self.executor {
            Some(executor) => executor,
            none => none.insert(Executor::start(self.launch.clone(), self.limits.clone())?),
        };
        if self.bounded {
            executor.bound_objects();
        }
        let run = executor.run_until(input, Mode::Coverage, limits, cut_off)?;
        let results = run.recording.results();
        executor.recycle(run.recording);
        let text = String::from_utf8_lossy(&run.report);
        let mut reports: Vec<Report> = Vec::new();
        for raw in report::read(&text) {
            let report = self.resolve(raw);
            // What the processor refuses behind a check is what the check was for.
            let known = reports.iter().any(|known| known.stack == report.stack);
            if !known {
                let report = report.behind(reports.first());
                reports.push(report);
            }
        }
        Ok(Checked {
            outcome: run.outcome,
            reports,
            results,
        })
    }

    fn resolve(&mut self, raw: RawReport) -> Report {
        let mut stack: Vec<Frame> = Vec::new();
        for (file, offset) in &raw.frames {
            stack.extend(self.symbols.frames(file, *offset));
        }
        let kind = refine(raw.kind, &stack);
        stack.retain(|frame| !is_runtime(frame));
        let first = stack.iter().position(|frame| !is_messenger(frame));
        stack.drain(..first.unwrap_or(0));
        if let Some(main) = stack.iter().rposition(|frame| frame.function == "main") {
            stack.truncate(main + 1);
        }
        Report {
            kind,
            detail: raw.detail,
            stack,
        }
    }
}

/// An abort by its cause, as far as the stack shows it; a signal that the program sent itself is no
/// access.
fn refine(kind: String, stack: &[Frame]) -> String {
    let calls = |names: &[&str]| {
        stack
            .iter()
            .any(|frame| names.iter().any(|name| frame.function == *name))
    };
    let asserts = |frame: &Frame| named(&frame.function, Mark::Assertion);
    let sent = stack.first().is_some_and(is_messenger);
    if kind == "null-dereference" && sent {
        "SIGSEGV".to_owned()
    } else if kind != "SIGABRT" {
        kind
    } else if stack.iter().any(asserts) {
        ASSERTION.to_owned()
    } else if calls(&[
        "std::terminate()",
        "__cxa_throw",
        "__cxxabiv1::__terminate(void (*)())",
    ]) {
        UNCAUGHT.to_owned()
    } else {
        kind
    }
}

/// Functions that bring a failure to light and are not at fault: of the sanitizer, and what
/// `abort` is made of.
fn is_messenger(frame: &Frame) -> bool {
    const PREFIXES: [&str; 6] = [
        "__asan",
        "__sanitizer",
        "__interceptor",
        "___interceptor",
        "__pthread_kill",
        "libc.so.6+",
    ];
    let name = frame.function.as_str();
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || named(name, Mark::Raises)
}

/// The part of Labrys that is linked with the program.
fn is_runtime(frame: &Frame) -> bool {
    let parts = ["__labrys", "labrys_runtime::", IN_PLACE];
    parts.iter().any(|part| frame.function.starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str) -> Frame {
        Frame {
            function: function.to_owned(),
            ..Frame::default()
        }
    }

    #[test]
    fn a_look_has_the_memory_of_a_plain_run_and_more_time() {
        let plain = RunLimits::default();
        let checker = Checker::new(Launch::default(), &plain);
        let look = checker.limits_of_look();
        assert_eq!(look.memory, plain.memory);
        assert_eq!(look.timeout, plain.timeout * SLOWER);
        assert!(checker.limits.memory > plain.memory);
    }

    #[test]
    fn aborts_are_distinguished() {
        let of = |names: &[&str]| {
            let stack: Vec<Frame> = names.iter().map(|name| frame(name)).collect();
            refine("SIGABRT".to_owned(), &stack)
        };
        let raised = refine(
            "null-dereference".to_owned(),
            &[frame("raise"), frame("main")],
        );
        assert_eq!(raised, "SIGSEGV");
        let accessed = refine("null-dereference".to_owned(), &[frame("main")]);
        assert_eq!(accessed, "null-dereference");
        assert_eq!(of(&["raise", "abort", "main"]), "SIGABRT");
        assert_eq!(of(&["abort", "__assert_fail", "f"]), "assertion");
        assert_eq!(
            of(&["abort", "std::terminate()", "main"]),
            "uncaught-exception"
        );
    }
}

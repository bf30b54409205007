//! Outcomes: how a run ended.

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program exited with this status.
    Exit(i32),
    /// The program was killed by this signal.
    Signal(i32),
    /// The program ran for longer than allowed and was killed.
    Timeout,
    /// The program used more memory than allowed and was killed.
    MemoryLimit,
    /// A `labrys_assume` did not hold: the input is none of the program's.
    AssumptionFailed,
    /// The program asked for an input object behind the end of its input: the run ended there.
    InputEnded,
    /// The program reported a failure (`reach_error`, a failed assertion) with this text.
    Failure(String),
}

/// Signals by number, with their names and whether one means that the program is at fault. The
/// numbers are those of Linux on x86-64.
const SIGNALS: [(i32, &str, bool); 15] = [
    (1, "SIGHUP", false),
    (2, "SIGINT", false),
    (3, "SIGQUIT", false),
    (4, "SIGILL", true),
    (5, "SIGTRAP", true),
    (6, "SIGABRT", true),
    (7, "SIGBUS", true),
    (8, "SIGFPE", true),
    (9, "SIGKILL", false),
    (11, "SIGSEGV", true),
    (13, "SIGPIPE", false),
    (14, "SIGALRM", false),
    (15, "SIGTERM", false),
    (25, "SIGXFSZ", false),
    (31, "SIGSYS", true),
];

impl Outcome {
    /// Whether the run shows a failure of the program: a crash or a failure that it reported.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self {
            Outcome::Signal(number) => SIGNALS
                .iter()
                .any(|&(signal, _, fault)| signal == *number && fault),
            Outcome::Failure(_) => true,
            _ => false,
        }
    }

    /// Whether the run was cut short by a limit, so that it tells nothing of what comes after.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self, Outcome::Timeout | Outcome::MemoryLimit)
    }

    /// Whether the run ended before the program did: by a limit, or for want of input objects.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_limit() || *self == Outcome::InputEnded
    }

    /// One word for the kind of outcome; for a signal its name.
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Outcome::Exit(_) => "exit".to_owned(),
            Outcome::Signal(number) => SIGNALS
                .iter()
                .find(|(signal, ..)| signal == number)
                .map_or_else(
                    || format!("signal-{number}"),
                    |(_, name, _)| (*name).to_owned(),
                ),
            Outcome::Timeout => "timeout".to_owned(),
            Outcome::MemoryLimit => "memory-limit".to_owned(),
            Outcome::AssumptionFailed => "assumption-failed".to_owned(),
            Outcome::InputEnded => "input-ended".to_owned(),
            Outcome::Failure(_) => "failure".to_owned(),
        }
    }
}

impl core::fmt::Display for Outcome {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Outcome::Exit(code) => write!(f, "exit {code}"),
            Outcome::Failure(text) => write!(f, "failure: {text}"),
            _ => f.write_str(&self.kind()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_failures_and_kills_are_not() {
        assert!(Outcome::Signal(11).is_failure());
        assert!(!Outcome::Signal(9).is_failure());
        assert!(!Outcome::Exit(1).is_failure());
        assert_eq!(Outcome::Signal(6).to_string(), "SIGABRT");
        assert_eq!(Outcome::Signal(40).to_string(), "signal-40");
    }
}

//! Configuration of a suite: what is needed to run its tests again or to go on from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::export::Metadata;
use crate::harness::Harness;
use crate::input::{INPUT_FILE, StreamKind};
use crate::unit::Unit;

/// The environment that every run gets before the variables of its [`Invocation`].
pub const ENVIRONMENT: [(&str, &str); 5] = [
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("TMPDIR", "."),
    ("TZ", "UTC"),
];

/// How the program is called, apart from the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Invocation {
    /// Arguments after the program's name. `@@` within one stands for the input file.
    pub arguments: Vec<String>,
    /// Variables added to the fixed [`ENVIRONMENT`], or put in place of one of it.
    pub environment: BTreeMap<String, String>,
}

impl Invocation {
    /// An invocation with these arguments.
    pub fn new<S: Into<String>>(arguments: impl IntoIterator<Item = S>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self {
            arguments,
            environment: BTreeMap::new(),
        }
    }

    /// Whether an argument names the input file.
    #[must_use]
    pub fn reads_file(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.contains("@@"))
    }

    /// The arguments with the input file's name in place of `@@`, and with as many empty ones
    /// at the end as the argument streams need.
    #[must_use]
    pub fn resolved_arguments(&self, shape: &[StreamKind]) -> Vec<String> {
        self.arguments_with(shape, INPUT_FILE)
    }

    /// As [`Invocation::resolved_arguments`], with another name for the input file.
    pub(crate) fn arguments_with(&self, shape: &[StreamKind], file: &str) -> Vec<String> {
        let resolve = |argument: &String| argument.replace("@@", file);
        let mut arguments: Vec<_> = self.arguments.iter().map(resolve).collect();
        for kind in shape {
            if let StreamKind::Argument { index } = kind {
                let needed = arguments.len().max(*index as usize);
                arguments.resize(needed, String::new());
            }
        }
        arguments
    }

    /// The whole environment, sorted by name.
    #[must_use]
    pub fn resolved_environment(&self) -> BTreeMap<String, String> {
        let fixed = ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        fixed.chain(self.environment.clone()).collect()
    }
}

/// What `config.json` holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Version of the format of the folder: [`Config::FORMAT`].
    pub format: u32,
    /// Path of the program.
    pub program: String,
    /// SHA-256 of its frozen bitcode, hexadecimal.
    pub bitcode_hash: String,
    /// How it is called.
    pub invocation: Invocation,
    /// The streams of every input, in order.
    pub streams: Vec<StreamKind>,
    /// Name of the technique.
    pub technique: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// What the program's harness is.
    #[serde(default)]
    pub harness: Harness,
    /// What the Test-Comp form of the suite says of the program; none if there is no such form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_comp: Option<Metadata>,
    /// The functions that a driver calls, if the program is one of drivers for tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Forms of the suite for other tools that the user asked for, by the names of their exporters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
    /// Further options by name, as given by the user.
    pub options: BTreeMap<String, String>,
}

impl Config {
    /// The option with which no times stand in the suite.
    pub const REPRODUCIBLE: &'static str = "reproducible";

    /// Whether the suite depends on program, seed and steps only, byte for byte: there are no times
    /// in it, and not the name of its own folder.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        self.options.contains_key(Self::REPRODUCIBLE)
    }

    /// The version of the format that this crate writes.
    pub const FORMAT: u32 = 1;

    /// Whether the user asked for the exporter of this name.
    #[must_use]
    pub fn asks_for(&self, exporter: &str) -> bool {
        self.exports.iter().any(|name| name == exporter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_resolved() {
        let invocation = Invocation::new(["-f", "@@", "--in=@@"]);
        assert!(invocation.reads_file());
        let shape = [StreamKind::Argument { index: 4 }];
        assert_eq!(
            invocation.resolved_arguments(&shape),
            ["-f", "input", "--in=input", ""]
        );
    }

    #[test]
    fn the_user_may_replace_a_variable() {
        let mut invocation = Invocation::default();
        invocation.environment.insert("TZ".into(), "CET".into());
        invocation.environment.insert("A".into(), "1".into());
        let environment = invocation.resolved_environment();
        assert_eq!(environment["TZ"], "CET");
        assert_eq!(environment.len(), ENVIRONMENT.len() + 1);
    }
}

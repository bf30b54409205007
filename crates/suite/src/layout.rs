//! Where things lie in a suite folder, and under which names.

use crate::StreamKind;

/// What is needed to run the tests or to go on; written last when a suite is begun.
pub(crate) const CONFIG: &str = "config.json";
/// What was found.
pub(crate) const SUMMARY: &str = "summary.json";
/// Coverage over runs and time.
pub(crate) const EVENTS: &str = "events.jsonl";
/// The script that runs every test without Labrys.
pub(crate) const REPLAY: &str = "replay.sh";
/// One entry per test.
pub(crate) const INPUTS: &str = "inputs";
/// One record per test.
pub(crate) const CASES: &str = "cases";
/// One folder per failure.
pub(crate) const FAILURES: &str = "failures";

/// The certificates of what was proved unreachable; there when the first is.
pub(crate) const PROOFS: &str = "proofs";

/// The certificate with this number.
pub(crate) fn proof(id: u32) -> String {
    format!("{PROOFS}/{}.smt2", number(id))
}

/// The inputs of runs that reached what was proved unreachable; there when the first is.
pub(crate) const CONTRADICTIONS: &str = "contradictions";

/// The input of the contradiction with this number.
pub(crate) fn contradiction(id: u32) -> String {
    format!("{CONTRADICTIONS}/{}", number(id))
}

/// The folders that every suite has.
pub(crate) const FOLDERS: [&str; 3] = [INPUTS, CASES, FAILURES];

/// The number of a test or a failure as it stands in names of files.
pub(crate) fn number(id: u32) -> String {
    format!("{id:06}")
}

/// The input of a test.
pub(crate) fn input(id: u32) -> String {
    format!("{INPUTS}/{}", number(id))
}

/// The record of a test.
pub(crate) fn case(id: u32) -> String {
    format!("{CASES}/{}.json", number(id))
}

/// The folder of a failure.
pub(crate) fn failure(id: u32) -> String {
    format!("{FAILURES}/{}", number(id))
}

/// The record of a failure, in its folder.
pub(crate) const FAILURE: &str = "failure.json";
/// The program that makes the call of a failure of a function, in its folder.
pub(crate) const CALL: &str = "call.c";
/// The script that shows a failure without Labrys, in its folder.
pub(crate) const REPRODUCE: &str = "reproduce.sh";

/// The input of a failure.
pub(crate) fn failure_input(id: u32) -> String {
    format!("{}/input", failure(id))
}

/// How an input lies on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One file with the bytes of the only stream.
    File,
    /// A folder with one file per stream.
    Folder,
}

impl Layout {
    pub(crate) fn of(shape: &[StreamKind]) -> Self {
        match shape {
            [StreamKind::Stdin | StreamKind::File { .. } | StreamKind::Objects] => Layout::File,
            _ => Layout::Folder,
        }
    }
}

//! Calls of the functions that the program is linked with, as the machine of phase II makes them:
//! in a process of the plain program.

use labrys_executor as executor;
use labrys_semantics::{CallOutcome, Linked, Words};

/// Calls them by a process, for one execution.
pub(super) struct ByProcess<'a> {
    process: &'a mut executor::Linked,
}

impl<'a> ByProcess<'a> {
    /// For an execution that begins.
    pub(super) fn new(process: &'a mut executor::Linked) -> Self {
        process.begin();
        ByProcess { process }
    }
}

impl Linked for ByProcess<'_> {
    fn address(&mut self, name: &str) -> Option<u64> {
        self.process.address(name)
    }

    fn is_exported(&mut self, name: &str) -> bool {
        self.process.is_exported(name)
    }

    fn calls(&mut self, name: &str, own: &mut dyn Iterator<Item = &str>) -> bool {
        self.process.calls(name, own)
    }

    fn watch(&mut self, address: u64, length: u64) -> Option<u64> {
        self.process.watch(address, length)
    }

    fn forget(&mut self, number: u64) {
        self.process.forget(number);
    }

    fn write(&mut self, number: u64, address: u64, bytes: &[u8]) {
        self.process.write(number, address, bytes);
    }

    fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>> {
        self.process.read(address, length)
    }

    fn call(&mut self, name: &str, words: &Words, float: bool) -> CallOutcome {
        match self.process.call(name, words, float) {
            executor::CallReply::Returned { result, changes } => {
                CallOutcome::Returned { result, changes }
            }
            executor::CallReply::Ended => CallOutcome::Ended,
            executor::CallReply::Crashed => CallOutcome::Crashed,
            executor::CallReply::Refused => CallOutcome::Refused,
        }
    }
}

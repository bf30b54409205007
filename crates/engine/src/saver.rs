//! The saving of a suite while a session goes on.
//!
//! Invariant: a step that fails leaves the folder as it was after the last run.

use std::path::Path;

use labrys_suite::{
    Config, Confirmation, Event, Failure, Input, Suite, SuiteWriter, Summary, TestCase,
};
use labrys_trace::Compared;

use crate::Error;
use crate::runs::{Facts, PlainRun};

/// A point of a session: the number of runs and the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) run: u64,
    pub(crate) seconds: f64,
}

/// See the module.
pub(crate) struct Saver {
    writer: SuiteWriter,
    next_case: u32,
    /// Tests in the suite.
    tests: u64,
    /// The inputs of the tests that were kept, those of a resumed suite apart.
    kept: Vec<Input>,
    /// What their runs compared, in the same order, until it is taken.
    compared: Vec<Compared>,
}

impl Saver {
    pub(crate) fn new(writer: SuiteWriter) -> Self {
        Saver {
            writer,
            next_case: 1,
            tests: 0,
            kept: Vec::new(),
            compared: Vec::new(),
        }
    }

    /// Goes on with the tests of a suite.
    pub(crate) fn resume(&mut self, suite: &Suite) {
        self.next_case = suite.cases.last().map_or(1, |case| case.id + 1);
        self.tests = suite.cases.len() as u64;
    }

    pub(crate) fn config(&self) -> &Config {
        self.writer.config()
    }

    pub(crate) fn tests(&self) -> u64 {
        self.tests
    }

    pub(crate) fn kept(&self) -> &[Input] {
        &self.kept
    }

    pub(crate) fn take_compared(&mut self, kept: usize) -> Compared {
        self.compared
            .get_mut(kept)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Writes the test that a run becomes, and its path; `plain` is what confirms it.
    pub(crate) fn add(
        &mut self,
        facts: &Facts,
        compared: Compared,
        plain: Option<&PlainRun>,
        now: Moment,
    ) -> Result<(TestCase, String), Error> {
        let (confirmed, coverage) = match plain {
            Some(plain) => (Confirmation::Confirmed, &plain.coverage),
            None => (Confirmation::Diverged, &facts.coverage),
        };
        let case = TestCase {
            id: self.next_case,
            input: facts.input.clone(),
            outcome: facts.outcome.clone(),
            coverage: coverage.clone(),
            confirmed,
            origin: facts.origin.clone(),
            objects: facts.objects.clone(),
            results: plain.map_or_else(Vec::new, |plain| plain.results.clone()),
            run: now.run,
            seconds: now.seconds,
        };
        self.next_case += 1;
        let path = self.writer.add(&case)?;
        self.tests += 1;
        self.kept.push(case.input.clone());
        self.compared.push(compared);
        Ok((case, path))
    }

    /// Writes a failure.
    pub(crate) fn add_failure(&mut self, failure: &Failure, seconds: f64) -> Result<(), Error> {
        let input = self.writer.add_failure(failure)?;
        self.writer.event(&Event::Failure {
            run: failure.run,
            seconds,
            kind: failure.kind.clone(),
            input,
        })?;
        Ok(())
    }

    /// Notes what a confirmed test adds to the branches that are covered.
    pub(crate) fn coverage(
        &mut self,
        case: &TestCase,
        branches: u64,
        new: u64,
    ) -> Result<(), Error> {
        self.writer.event(&Event::Coverage {
            run: case.run,
            seconds: case.seconds,
            case: case.id,
            branches,
            new,
        })?;
        Ok(())
    }

    pub(crate) fn milestone(&mut self, text: &str, now: Moment) -> Result<(), Error> {
        self.writer.event(&Event::Milestone {
            run: now.run,
            seconds: now.seconds,
            text: text.to_owned(),
        })?;
        Ok(())
    }

    /// Writes the input of a run that reached what was proved unreachable; its path.
    pub(crate) fn add_contradiction(&mut self, input: &Input) -> Result<String, Error> {
        Ok(self.writer.add_contradiction(input)?)
    }

    /// Writes a certificate; its path.
    pub(crate) fn add_proof(&mut self, text: &str) -> Result<String, Error> {
        Ok(self.writer.add_proof(text)?)
    }

    pub(crate) fn summary(&mut self, summary: &Summary) -> Result<(), Error> {
        Ok(self.writer.summary(summary)?)
    }

    /// The command that shows a failure again.
    pub(crate) fn reproduces(&self, failure: u32) -> String {
        let folder = match self.config().is_reproducible() {
            true => Path::new("."),
            false => self.writer.folder(),
        };
        format!("labrys replay {} --failure {failure}", folder.display())
    }
}

/// Path of a test's input in the suite folder.
pub(crate) fn input_path(case: u32) -> String {
    format!("inputs/{case:06}")
}

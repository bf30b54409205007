//! Inputs, test cases, coverage, the suite folder on disk, and files of other tools.
//!
//! A suite folder can be read without Labrys, and is valid at any moment:
//!
//! ```text
//! config.json     program, call, seed: what is needed to run or to go on
//! summary.json    what was found
//! events.jsonl    coverage over runs and time, one line per event
//! replay.sh       runs every test on a plain build of the program
//! inputs/000001   the bytes of a test, or a folder with one file per stream
//! cases/000001.json   outcome, coverage and origin of the test
//! failures/000001/    input, failure.json and reproduce.sh
//! proofs/000001.smt2  a certificate for branches that no run takes
//! ```
//!
//! Invariant: the same content gives the same bytes. Times stand in `summary.json`,
//! `events.jsonl` and the Test-Comp `metadata.xml` only. A file appears under its name when it is complete.
//!
//! ```
//! use labrys_suite::{Config, Coverage, Input, Outcome, Suite, SuiteWriter, TestCase};
//!
//! let folder = tempfile::tempdir()?;
//! let config = Config { streams: Input::stdin("").shape(), ..Config::default() };
//! let mut writer = SuiteWriter::create(&folder.path().join("suite"), &config)?;
//! let case = TestCase::new(1, Input::stdin("hello"), Outcome::Exit(0), Coverage::default());
//! writer.add(&case)?;
//!
//! let suite = Suite::open(writer.folder())?;
//! assert_eq!(suite.cases[0].input, Input::stdin("hello"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case;
mod changes;
mod config;
mod coverage;
pub mod dictionary;
mod error;
mod explored;
pub mod export;
mod files;
mod folder;
mod harness;
mod input;
mod layout;
mod numbers;
mod object;
mod outcome;
mod replay;
mod summary;
pub mod unit;
mod witness;
mod writer;

pub use case::{Confirmation, Failure, Flip, Observed, Origin, TestCase};
pub use changes::Changes;
pub use config::{Config, ENVIRONMENT, Invocation};
pub use coverage::Coverage;
pub use error::Error;
pub use explored::{Explored, FailedLine, Needs};
pub use export::{Ktest, Metadata, Property, read_test_comp};
pub use folder::Suite;
pub use harness::{Harness, ValueFunction};
pub use input::{INPUT_FILE, Input, InputStream, StreamKind};
pub use numbers::read_numbers;
pub use object::{InputObject, ObjectKind};
pub use outcome::Outcome;
pub use summary::{
    Branches, ByLayer, Event, FailureSummary, Queries, Summary, TargetStatus, TargetSummary,
};
pub use witness::{LoopInvariant, Witness};
pub use writer::SuiteWriter;

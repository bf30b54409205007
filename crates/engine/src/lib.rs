//! Session, technique, budget, seed and progress: the loop that every technique runs in.
//!
//! A [`Technique`] decides what to try; the [`Session`] runs inputs, asks the solver, keeps the
//! suite and the books. [`run`] drives one with the other until a budget is used up.
//!
//! Law: the same program, seed and step budget give the same suite, byte for byte (but for the
//! times in `summary.json` and `events.jsonl`), as long as no query and no run is timed out.

mod asker;
mod audit;
mod books;
mod budget;
mod calls;
mod child;
mod error;
mod failures;
mod monitor;
mod observation;
mod observer;
mod place;
mod programs;
mod reporter;
mod runner;
mod runs;
mod saver;
mod session;
mod simpler;
mod start;
mod statistics;
mod targets;
mod technique;
mod vocabulary;

pub use labrys_executor::Mode;

pub use budget::{Budget, Clock, End, StopFlag};
pub use child::child;
pub use error::Error;
pub use failures::{FUZZER, LONGER, Look};
pub use monitor::{Monitor, RunEvent, RunFlip, RunRecord, Verdict};
pub use observation::{Initial, Observation};
pub use observer::{Notice, Observer, Silent, Status};
pub use programs::{Binaries, Programs};
pub use runner::{Ahead, Judge, Runner};
pub use runs::PlainRun;
pub use session::{Session, SessionBuilder};
pub use statistics::{DivergenceCause, Statistics};
pub use technique::{Progress, Technique, run};
pub use vocabulary::Vocabulary;

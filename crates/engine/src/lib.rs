//! Session, technique, budget, seed and progress: the loop that every technique runs in.
//!
//! A [`Technique`] decides what to try; the [`Session`] runs inputs, asks the solver, keeps the
//! suite and the books. [`run`] drives one with the other until a budget is used up.
//!
//! Law: the same program, seed and step budget give the same suite, byte for byte (but for the
//! times in `summary.json` and `events.jsonl`), as long as no query and no run is timed out.

mod ahead;
mod audit;
mod budget;
mod calls;
mod checking;
mod error;
mod execute;
mod failing;
mod failures;
mod leftover;
mod marker;
mod minimize;
mod observer;
mod place;
mod repetitions;
mod runner;
mod saving;
mod session;
mod shares;
mod statistics;
mod suspicions;
mod technique;

pub use labrys_executor::Mode;

pub use ahead::Ahead;
pub use budget::{Budget, Clock, End, StopFlag};
pub use calls::calls_by;
pub use error::Error;
pub use execute::{Observation, PlainRun};
pub use observer::{Notice, Observer, Silent, Status};
pub use runner::{Judge, Runner};
pub use session::{Initial, Session, Setup};
pub use shares::Shares;
pub use statistics::Statistics;
pub use technique::{Progress, Technique, run};

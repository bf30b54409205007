//! Runs a binary on an input within limits through a fork server.
//!
//! ```no_run
//! use labrys_executor::{Executor, Launch, RunLimits, Mode};
//! use labrys_suite::{Input, Outcome};
//!
//! let input = Input::stdin("hello");
//! let launch = Launch {
//!     binary: "./program".into(),
//!     streams: input.shape(),
//!     branches: 120,
//!     ..Launch::default()
//! };
//! let mut executor = Executor::start(launch, RunLimits::default())?;
//! let run = executor.run(&input, Mode::Symbolic)?;
//! assert_eq!(run.outcome, Outcome::Exit(0));
//! executor.recycle(run.recording);
//! # Ok::<(), labrys_executor::Error>(())
//! ```
//!
//! The same executor runs the instrumented executable and the plain one, which records
//! coverage only ([`Mode::Coverage`]); a [`Checker`] runs the one under AddressSanitizer. This is the only crate that starts programs under test.

mod checker;
mod marked_functions;

mod error;
mod executor;
mod helper_process;
mod limits;
mod linked;
mod native;
mod pace;
mod processes;
mod region;
mod report;
mod sandbox;
mod scratch;

mod server;
mod server_process;
mod spawn;
mod symbols;
mod sys;
mod worker_pool;

pub use checker::{Checked, Checker, Report};
pub use error::Error;
pub use executor::{Executor, Run, input_objects};
pub use labrys_abi::{MAX_OBJECTS, Mode};
pub use limits::{Interrupt, Launch, RunLimits, RunTime};
pub use linked::{CallReply, Linked};
pub use marked_functions::MarkedFunctions;
pub use native::Native;
pub use symbols::Frame;
pub use worker_pool::WorkerPool;

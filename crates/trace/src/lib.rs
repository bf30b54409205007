//! One run's records, decoded into a path constraint.
//!
//! A [`Recording`] is what a run left behind; a [`Trace`] is one that was found valid. Its
//! [steps](Trace::steps) are the decisions that depend on the input; conditions are decoded
//! when they are asked for. A prefix of the steps' conditions and one flipped condition make
//! a query:
//!
//! ```
//! use labrys_abi::{Event, EventKind, Node, Op, flag};
//! use labrys_program::Program;
//! use labrys_trace::{Recording, Trace};
//!
//! // if (input[0] == 'a') ...
//! let byte = Node { op: Op::Input as u8, width: 8, ..Node::default() };
//! let flags = flag::B_IMMEDIATE;
//! let equal = Node { op: Op::Eq as u8, flags, width: 1, a: 1, c: 8, imm: 97, ..Node::default() };
//! let event = Event { kind: EventKind::Branch as u8, label: 2, ..Event::default() };
//! let nodes = vec![Node::default(), byte, equal];
//! let recording = Recording { nodes, events: vec![event], ..Recording::default() };
//!
//! let trace = Trace::new(recording, &Program::default())?;
//! let mut decoder = trace.decoder();
//! let mut query: Vec<_> =
//!     trace.slice(0).into_iter().map(|step| trace.condition(&mut decoder, step)).collect();
//! query.push(trace.flipped(&mut decoder, 0, 1));
//! assert_eq!(query.len(), 1);
//! # Ok::<(), labrys_trace::Error>(())
//! ```
//!
//! Invariant: after [`Trace::new`] nothing panics, whatever the program under test wrote.
//! This crate does no I/O, reads no clock and draws no randomness.

mod binding;
mod comparisons;
mod domains;
mod error;
mod recording;
mod sets;
mod simplified;
mod slice;
mod step;
mod support;
mod trace;
mod validate;

pub use binding::{BoundCall, Place};
pub use comparisons::{Compared, Comparison, Texts};
pub use error::Error;
pub use labrys_abi::{Cause, Event, EventKind, RUNTIME_SITE, RuntimeSite};
pub use recording::{Exit, Lost, Object, Recording};
pub use simplified::Simplified;
pub use step::{Step, StepKind};
pub use trace::{Decision, Decoder, OTHER, SizeFlip, Trace, Violation};

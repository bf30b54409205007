//! Labels and events: everything that a run writes into the shared region.
//!
//! Nothing in here looks at the program's memory.

pub(crate) mod beginning;
pub(crate) mod bound;
pub(crate) mod called;
pub(crate) mod callers;
pub(crate) mod cell;
pub(crate) mod control;
pub(crate) mod entry;
pub(crate) mod event;
pub(crate) mod external;
pub(crate) mod intrinsic;
pub(crate) mod node;
pub(crate) mod operation;
pub(crate) mod passing;
pub(crate) mod region;
pub(crate) mod tracing;

//! The process: its start-up, the fork server and its snapshot, what repeats from run to run, and
//! calls from outside.

pub(crate) mod arguments;
mod calls;
mod faults;
pub(crate) mod linked;
pub(crate) mod maps;
pub(crate) mod marked;
pub(crate) mod repeat;
mod server;
mod snapshot;
pub(crate) mod stacks;
mod start;

//! The process: its start-up, the fork server, what repeats from run to run, and calls from
//! outside.

pub(crate) mod arguments;
pub(crate) mod linked;
pub(crate) mod maps;
pub(crate) mod marked;
pub(crate) mod repeat;
pub(crate) mod server;
pub(crate) mod stacks;

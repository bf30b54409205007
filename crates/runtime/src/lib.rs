//! Linked into the program under test; writes node and event records.
//!
//! Everything here runs inside somebody else's program, between its instructions: no
//! allocation, no locks, no standard output, no panics, no changes of `errno` that the program
//! could see. Without a shared region (the program was started by hand) nothing is symbolic and
//! all of this stays silent.
//!
//! | folder | what | may use |
//! |---|---|---|
//! | `record` | the region, labels and events; what operations and decisions write | – |
//! | `memory` | labels of memory; the objects that addresses point into | `record` |
//! | `models` | models of library functions; the functions of harnesses | `memory`, `record` |
//! | `process` | start-up, fork server, what repeats from run to run, calls from outside | all |
//!
//! Invariant: a label that is handed out names a node whose `cv` is the value that the program
//! computed.

#![allow(unsafe_code, clippy::missing_safety_doc)]

mod memory;
mod models;
mod process;
mod record;

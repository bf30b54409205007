//! Linked into the program under test; writes node and event records.
//!
//! Everything here runs inside somebody else's program, between its instructions: no
//! allocation, no locks, no standard output, no panics, no changes of `errno` that the program
//! could see. Without a shared region (the program was started by hand) nothing is symbolic and
//! all of this stays silent.
//!
//! | module | what |
//! |---|---|
//! | `state`, `table` | the mapped region, its sections that grow; is this run symbolic? |
//! | `node` | labels: append nodes, fold what is cheap |
//! | `event` | the event log |
//! | `shadow`, `scatter` | labels of memory; stores at symbolic addresses |
//! | `object`, `bound` | which object does an address point into; table snapshots |
//! | `poison`, `place` | marks on memory of the heap that no object holds; where they are hit |
//! | `compute`, `compose` | labels of operations, comparisons, intrinsics |
//! | `control`, `variadic` | branches, switches, calls, variable arguments |
//! | `input`, `harness` | streams, `labrys_symbolic` and its kin; failures, fuzz targets |
//! | `server` | start-up and fork server |
//! | `repeat`, `maps` | clock, randomness and `/proc/self/maps` that repeat |
//! | `unseen`, `sink` | what functions of libraries take where nothing follows it; what comes back |
//! | `pure`, `marked` | calls of pure functions of the library and of the program |
//! | `linked` | functions that the program is linked with, called from outside |
//! | `heap`, `text`, `file`, `seek`, `status`, `stdio`, `wide`, `math` | models of library functions |
//!
//! Invariant: a label that is handed out names a node whose `cv` is the value that the program
//! computed.

#![allow(unsafe_code, clippy::missing_safety_doc)]

mod bound;
mod compose;
mod compute;
mod control;
mod event;
mod file;
mod flags;
mod harness;
mod heap;
mod input;
mod linked;
mod maps;
mod marked;
mod math;
mod node;
mod object;
mod place;
mod poison;
mod pure;
mod repeat;
mod scatter;
mod seek;
mod server;
mod shadow;
mod sink;
mod state;
mod status;
mod stdio;
mod table;
mod text;
mod unseen;
mod variadic;
mod wide;

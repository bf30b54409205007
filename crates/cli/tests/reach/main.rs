//! `labrys reach` as a command: what its options, the compiler, phase II, linked libraries and the
//! search forward add to phase I, which `crates/backward/tests/programs` tests by itself.

#![allow(missing_docs)]

mod command;
mod constructs;
mod entry;
mod generated;
mod globals;
mod kept;
mod linked;
mod long;
mod open;
mod outside;
mod plain;
mod whole;

//! From options to what a command works with: program, inputs, solver, session.

pub(crate) mod backward;
pub(crate) mod build;
mod cache;
mod database;
pub(crate) mod dictionary;
pub(crate) mod drivers;
pub(crate) mod ending;
pub(crate) mod inputs;
pub(crate) mod joined;
pub(crate) mod memory;
pub(crate) mod notebook;
pub(crate) mod property;
mod seeds;
pub(crate) mod session;
pub(crate) mod solver;
pub(crate) mod store;
pub(crate) mod subject;
pub(crate) mod system;
pub(crate) mod uninitialized;
pub(crate) mod values;
pub(crate) mod workshop;

//! Queries to models and cores: layers, back ends, SMT-LIB reader.

pub mod backend;
pub mod bitwuzla;
mod query;

pub use query::{Answer, Assignment, Budget, Core, Model, Query, Reason, Solver};

//! Queries to models, cores and interpolants: layers, back end, SMT-LIB reader.
//!
//! A [`Query`] asks for values that make constraints true; [`Layers`] answers it, mostly without
//! the back end.
//!
//! ```
//! use labrys_expr::{Pool, Symbol};
//! use labrys_solver::{Answer, Assignment, Budget, Query, Solver, solver};
//!
//! # fn main() -> Result<(), labrys_solver::bitwuzla::Error> {
//! let mut pool = Pool::new();
//! let word = pool.input(0, 0, 2);
//! let magic = pool.constant(16, 0x4d42);
//! let goal = pool.eq(word, magic);
//! let hint = Assignment::from_streams([b"hello"]);
//! let answer = solver()?.check(&mut Query {
//!     pool: &mut pool,
//!     constraints: vec![goal],
//!     hint: &hint,
//!     budget: Budget::default(),
//! });
//! let Answer::Sat(model) = answer else { panic!("{answer:?}") };
//! assert_eq!(model.get(Symbol::Byte { stream: 0, offset: 0 }), Some(0x42));
//! # Ok(())
//! # }
//! ```

pub mod backend;
pub mod bitwuzla;
pub mod core;
mod difficulty;
mod domains;
mod facts;
mod functions;
pub mod interpolate;
mod layers;
mod lengths;
pub mod marked;
mod parts;
pub mod plain;
mod query;
mod reduced;
mod schedule;
pub mod smtlib;
mod statistics;
mod valuation;
mod value_tables;

pub use functions::call as call_function;
pub use layers::{CACHED, Layers, QueryLog, walk};
pub use query::{Answer, Assignment, Budget, Core, Model, NoBackend, Query, Reason, Solver};
pub use statistics::Statistics;

/// The usual solver: all layers over Bitwuzla with its usual settings.
///
/// # Errors
/// If Bitwuzla is not installed.
pub fn solver() -> Result<Layers, bitwuzla::Error> {
    let backend = backend::Backend::new(bitwuzla::Settings::default())?;
    Ok(Layers::new(Box::new(backend)))
}

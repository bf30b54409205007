//! Hash-consed symbolic expressions: build, simplify, evaluate, substitute, print.
//!
//! A [`Pool`] holds every expression once; an [`ExprId`] names one. Constructors simplify, so
//! many conditions are constants or small before a solver sees them. Everything here is total
//! and iterative: expressions may be millions of nodes deep.
//!
//! ```
//! use labrys_expr::{Pool, Symbol, evaluate};
//!
//! let mut pool = Pool::new();
//! let word = pool.input(0, 0, 2); // two bytes of stream 0, little-endian
//! let magic = pool.constant(16, 0x4d42);
//! let condition = pool.eq(word, magic); // in0_0 = 0x42 and in0_1 = 0x4d
//! let bytes = |symbol| match symbol {
//!     Symbol::Byte { offset: 0, .. } => 0x42,
//!     _ => 0x4d,
//! };
//! assert!(evaluate(&pool, condition, &bytes).is_some_and(|value| value.is_true()));
//! ```
//!
//! The crate does no I/O, reads no clock and draws no randomness.

mod bits;
mod columns;
mod evaluate;
mod external;
mod fingerprint;
mod float;
mod fold;
mod intern;
mod node;
mod op;
mod pool;
mod sets;
mod symbol;
mod table;
mod value;

pub use bits::{mask, signed};
pub use columns::{Column, Columns};
pub use evaluate::{Environment, Evaluator, evaluate};
pub use external::Call;
pub use fingerprint::Fingerprints;
pub use fold::apply;
pub use node::{ExprId, Node};
pub use op::{Op, Rounding};
pub use pool::rules::rule_names;
pub use pool::{CVariable, Display, Pool, Rebuilt, Replace, c_implied, smtlib, smtlib_term};
pub use sets::{SymbolSet, union};
pub use symbol::Symbol;
pub use table::{Table, TableId};
pub use value::Value;

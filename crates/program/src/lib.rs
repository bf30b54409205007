//! The static picture of a program, as every later stage sees it: functions, sites, locations.
//!
//! ```
//! use labrys_program::{BlockId, BranchId, FunctionId, Program, SiteKind};
//!
//! let mut program = Program::default();
//! let first = program.push_site(SiteKind::Branch, FunctionId(0), BlockId(0), None, false);
//! let second = program.push_site(SiteKind::Select, FunctionId(0), BlockId(1), None, false);
//! assert_eq!(program.branch_count(), 4);
//! assert_eq!(program.branch(second, 1), Some(BranchId(3)));
//! assert_eq!(program.branch_site(BranchId(1)), Some((first, 1)));
//! assert_eq!(Program::from_bytes(&program.to_bytes())?, program);
//! # Ok::<(), labrys_program::DecodeError>(())
//! ```
//!
//! This crate does no I/O, reads no clock and draws no randomness.

mod function;
mod id;
mod program;
mod site;

pub use function::{Function, Linkage};
pub use id::{BlockId, BranchId, FileId, FunctionId, SiteId};
pub use program::{DecodeError, Program};
pub use site::{Location, Site, SiteKind};

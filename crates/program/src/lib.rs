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

mod census;
mod constant;
mod function;
mod global;
pub mod graph;
mod id;
mod instruction;
mod intern;
mod intrinsic;
mod opaque;
mod operator;
mod program;
mod site;
mod site_table;
mod text;
mod types;
mod verify;

pub use census::Census;
pub use constant::Constant;
pub use function::{Block, Function, Linkage, Parameter};
pub use global::{Global, Initializer, Relocation, RelocationTarget};
pub use id::{
    AggregateId, BlockId, BranchId, ConstantId, FileId, ForeignId, FunctionId, GlobalId, SiteId,
    ValueId,
};
pub use instruction::{
    Access, AddressTerm, Callee, Instruction, Operand, Operation, Phi, Terminator,
};
pub use intern::Tables;
pub use intrinsic::Intrinsic;
pub use opaque::Opaque;
pub use operator::{BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator};
pub use program::{DecodeError, Program};
pub use site::{Location, Site, SiteKind};
pub use text::ParseError;
pub use types::{Aggregate, Field, ForeignType, POINTER_SIZE, Shape, Type};
pub use verify::{MAX_CONSTANT_DEPTH, Violation};

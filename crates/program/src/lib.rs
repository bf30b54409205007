//! The static model of a program: typed SSA bodies, sites, calls, locations, and the graphs
//! drawn from them.
//!
//! The model follows the frozen bitcode one to one: same functions, blocks and instructions in
//! the same order, with layouts resolved and everything without a model marked as [`Opaque`]. A
//! **site** is the static place of a decision, a **branch** one side of it; both are numbered
//! densely over the program.
//!
//! ```
//! use labrys_program::graph::Distances;
//! use labrys_program::{BranchId, Program, SiteId};
//!
//! let program: Program = "
//! define i32 @main(i32 v0) external {
//! b0:
//!   v1: i1 = icmp slt v0, i32 10
//!   br v1, b1, b2
//! b1:
//!   switch v0, b2 [1 b2, 7 b2]
//! b2:
//!   ret i32 0
//! }"
//! .parse()?;
//! assert_eq!(program.verify(), Ok(()));
//! assert_eq!(program.branch_count(), 5);
//! let seven = program.branch(SiteId(1), 2).expect("the second case");
//! assert_eq!(program.branch_site(seven), Some((SiteId(1), 2)));
//! let distances = Distances::new(&program, [seven]);
//! assert_eq!(distances.get(BranchId(1)), Some(1)); // "true" of the first site
//! assert_eq!(distances.get(BranchId(0)), None);
//! assert_eq!(Program::from_bytes(&program.to_bytes())?, program);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate does no I/O, reads no clock and draws no randomness.

mod caveat;
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
mod source;
mod text;
mod types;

pub use caveat::Caveat;
pub use census::Census;
pub use constant::Constant;
pub use function::{Block, Function, Linkage, Parameter, Started};
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
pub use program::{DecodeError, Derived, MAX_CONSTANT_DEPTH, Program, Violation};
pub use site::{Location, Site, SiteKind};
pub use source::{Source, SourceLoop, SourceVariable, Storage};
pub use text::ParseError;
pub use types::{Aggregate, Field, ForeignType, POINTER_SIZE, Shape, Type};

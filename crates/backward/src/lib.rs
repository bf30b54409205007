//! Symcretic execution: backward from a target to an input, or to a proof that there is none
//! (Dinges and Agha, "Targeted Test Input Generation Using Symbolic-Concrete Backward Execution",
//! ASE 2014; Dinges' dissertation, chapters 3 and 4).
//!
//! [`Search`] is phase I: it walks the program backward from a [`Point`] and collects the
//! conditions of the path. A path to the entry gives an input; where it does not follow something,
//! phase II adjusts the input by executing the path. A step leaves open what it does not know, so
//! an exhausted search is a proof; see `state` for the invariant.
//!
//! | Module | Owns |
//! |---|---|
//! | `assumptions` | what a proof rests on |
//! | `terms` | expressions, symbols, objects, substitutions of a search |
//! | `state` | the conditions, the memory and the trail of one path |
//! | `step` | the state before an instruction, a block, an edge; summaries and havoc |
//! | `loops` | loop invariants |
//! | `paths` | the worklist, predecessors, entries, refutations: phase I |
//! | `execute` | executions of paths: phase II |
//! | `target` | places that the user names, and evidence that a run was there |
//! | `technique` | passes of growing precision over the targets |
//!
//! Each uses only those above it, and only `technique` knows the engine's session.

mod assumptions;
mod check;
mod execute;
mod loops;
mod path;
mod paths;
mod precision;
mod proved;
mod report;
mod state;
mod step;
mod target;
mod technique;
mod terms;

pub use assumptions::Assumption;
pub use check::Check;
pub use path::{Hop, Path, Point, Skip};
pub use paths::{Counts, Found, Search};
pub use precision::Precision;
pub use report::{Report, Verdict};
pub use target::{NoTarget, Target};
pub use technique::{Settings, Symcretic};

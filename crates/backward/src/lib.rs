//! Symcretic execution: backward from a target to an input, or to a proof that there is none
//! (Dinges and Agha, "Targeted Test Input Generation Using Symbolic-Concrete Backward Execution",
//! ASE 2014; Dinges' dissertation, chapters 3 and 4).
//!
//! [`Search`] is phase I: it walks the program backward from a [`Point`] and collects what must
//! hold. A path to the entry gives an input; where it steps over something, phase II adjusts the
//! input by executing the path. Everything that a step does not know it leaves open, so an
//! exhausted search is a proof; see `state` for the invariant.

mod adjust;
mod call;
mod choices;
mod demand;
mod edge;
mod entered;
mod execute;
mod facts;
mod follow;
mod forget;
mod guess;
mod implied;
mod keep;
mod linked;
mod memory;
mod objects;
mod over;
mod pass;
mod precision;
mod region;
mod report;
mod rounds;
mod search;
mod state;
mod strings;
mod substitute;
mod target;
mod technique;

pub use precision::Precision;
pub use report::{Report, Verdict};
pub use search::{Check, Counts, Found, Path, Point, Search};
pub use state::{Hop, Skip};
pub use target::{NoTarget, Target};
pub use technique::{Settings, Symcretic};

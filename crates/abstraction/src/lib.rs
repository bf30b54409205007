//! Abstraction.
mod ask;
mod automaton;
mod block;
mod certificate;
mod checker;
mod graph;
mod guard;
mod invariants;
mod memory;
mod monitor;
mod path;
mod post;
mod precision;
mod refine;
mod sharpen;
mod technique;
mod templates;
mod terms;

pub use ask::Ask;
pub use certificate::{Verdict, Verification};
pub use checker::{Checker, Found, Left};
pub use monitor::{GraphMonitor, Guide, Judgement};
pub use technique::ModelChecker;

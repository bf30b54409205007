//! A model checker beside the search: abstraction-driven concolic testing (Daca, Gupta, Henzinger,
//! VMCAI 2016; sections 4 and 5, algorithms 1 to 3).
//!
//! - A [`Checker`] proves branches unreachable, or finds inputs for them, by predicate abstraction
//!   over large blocks of the program. It asks whoever answers queries ([`Ask`]).
//! - [`Units`] prove what a function excludes by itself.
//! - [`Trials`] execute the paths that it finds, so that whole programs have inputs for them.
//! - A [`ModelChecker`] is a checker as a member of a portfolio.
//! - A [`GraphMonitor`] tells the search which flips cannot lead to an open branch.
//! - [`uncalled`] shows the branches of functions that no calls lead to.
//! - A [`Verification`] checks a proof again, from its certificate alone.
//!
//! Law: what is not modelled is havocked, so a run of the program is a path of each complete graph.

mod ask;
mod automaton;
mod block;
mod cases;
mod certificate;
mod checker;
mod contents;
mod graph;
mod guard;
mod invariants;
mod longer;
mod memory;
mod monitor;
mod path;
mod post;
mod precision;
mod refine;
mod select;
mod sharpen;
mod technique;
mod templates;
mod terms;
mod trial;
mod units;

pub use ask::Ask;
pub use certificate::{Verdict, Verification, reached, uncalled};
pub use checker::{Checker, Found, Left};
pub use monitor::{GraphMonitor, Guide, Judgement};
pub use path::PathInput;
pub use technique::ModelChecker;
pub use trial::Trials;
pub use units::{Proved, Units};

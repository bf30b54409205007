//! Focused compositional concolic testing (Kim, Hong and Kim, "Target-Driven Compositional Concolic
//! Testing with Function Summary Refinement for Effective Bug Detection", ESEC/FSE 2019, section 3).
//!
//! - [`Relevance`] tells which functions belong together, from the calls of system runs (3.2).
//! - A [`Planner`] makes extended units by it (3.3); a [`Workshop`] builds them.
//! - A [`Hunt`] explores each unit, takes what fails there as a target, and composes the summaries of
//!   its callers backward to main until a system input shows the failure (3.4 and 3.5).
//!
//! Law: a failure is reported only if a run of the program itself, on a system input, showed it.

mod bind;
mod bindings;
mod compose;
mod context;
mod explore;
mod hunt;
mod line;
mod measure;
mod nearness;
mod open;
mod plan;
mod relevance;
mod report;
mod summary;
mod target;
mod testing;
mod unit;
mod workshop;

pub use hunt::{Hunt, Settings};
pub use measure::{Measurement, Search};
pub use plan::{Extent, Planner, UnitPlan};
pub use relevance::{Profile, Relevance};
pub use report::{Alarm, Figures, Phases, Report, Validated};
pub use workshop::{Bench, BoundFunction, LeafName, Workshop};

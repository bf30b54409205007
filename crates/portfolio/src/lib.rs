//! Scheduling: techniques, and strategies of one technique, share the work on one suite.
//!
//! - A [`Scheduler`] gives out turns to its arms, by what each gains or by equal work. It knows
//!   nothing of what the arms do.
//! - A [`Portfolio`] is a technique that is made of several [`Member`]s.
//!
//! Work and gain have one unit each, whoever has the turn: work is counted in steps of a search
//! ([`SOLVER_STEPS`]), gain in branches that no run took before or that are proved unreachable.
//! Neither is counted in seconds, so that a session repeats.

mod portfolio;
mod scheduler;

pub use portfolio::{Leader, Member, Portfolio, Report, State};
pub use scheduler::{Arm, Policy, Scheduler};

/// Steps of the solver that count as one unit of work: about a query and a run.
pub const SOLVER_STEPS: u64 = 128;

//! The layers of the solver and their order: [`SCHEDULE`].
//!
//! A new layer is a file here and a row of the schedule.

mod backend;
mod bounds;
mod bytes;
mod cache;
mod constants;
mod eliminate;
mod equalities;
mod fixed;
mod intervals;
mod log;
mod restrict;
mod slice;
pub mod walk;

use crate::query::{Answer, Model, Query, Solver};
use crate::schedule::Patience::{self, Own, Share, Work};
use crate::schedule::{Layer, Row, Schedule};
use crate::statistics::Statistics;

pub use log::QueryLog;

/// The counter of queries that earlier answers decide.
pub const CACHED: &str = "cached";

/// The layers in order: what a row answers does not go further. Where the back end gives up, the
/// rows after it have more patience than those before it.
#[rustfmt::skip]
const SCHEDULE: &[Row] = &[
    row(make::<constants::Constants>, Own, "trivial"),
    row(make::<slice::Slice>, Own, "trivial"),
    row(make::<cache::Cache>, Own, CACHED),
    row(make::<bytes::Bytes>, Own, "trivial"),
    uncounted(make::<fixed::Fixed>),
    uncounted(make::<equalities::Equalities>),
    uncounted(make::<log::Log>),
    row(make::<intervals::Intervals>, Work(40_000), "bounds"),
    row(make::<walk::Walk>, Share { calls: 0.1, others: 0.05 }, "walk_first"),
    row(make::<bounds::Bounds>, Work(200_000), "bounds"),
    row(make::<eliminate::Elimination>, Work(64_000_000), "elimination"),
    row(make::<restrict::Restriction>, Own, "restricted"),
    row(make::<backend::WholeQuery>, Own, "backend"),
    row(make::<bounds::Bounds>, Work(20_000_000), "bounds"),
    row(make::<intervals::Intervals>, Work(4_000_000), "bounds"),
    row(make::<walk::Walk>, Share { calls: 0.25, others: 0.2 }, "walk_last"),
];

const fn row(layer: fn() -> Box<dyn Layer>, patience: Patience, counter: &'static str) -> Row {
    Row {
        layer,
        patience,
        counter: Some(counter),
    }
}

/// A row of a layer that leaves the answer to others.
const fn uncounted(layer: fn() -> Box<dyn Layer>) -> Row {
    Row {
        layer,
        patience: Own,
        counter: None,
    }
}

fn make<L: Layer + Default + 'static>() -> Box<dyn Layer> {
    Box::<L>::default()
}

/// A back end with everything before and after it.
pub struct Layers(Schedule);

impl Layers {
    /// Layers over this back end.
    #[must_use]
    pub fn new(backend: Box<dyn Solver>) -> Self {
        Layers(Schedule::new(backend, SCHEDULE))
    }

    /// Logs every query that no earlier answer decides.
    pub fn set_log(&mut self, log: QueryLog) {
        self.0.replace(Box::new(log::Log::new(log)));
    }

    /// The layers without bounds propagation and elimination, to see what these are worth and to
    /// compare answers.
    #[must_use]
    pub fn without_own_search(mut self) -> Self {
        self.0.remove(bounds::NAME);
        self.0.remove(eliminate::NAME);
        self
    }

    /// Walks with these options, or not at all.
    pub fn set_walk(&mut self, options: Option<walk::Options>) {
        match options {
            Some(options) => self.0.replace(Box::new(walk::Walk::new(options))),
            None => self.0.remove(walk::NAME),
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        self.0.statistics()
    }

    /// The counter of the layer that answered the last query, unless that was given up.
    #[must_use]
    pub fn answered_by(&self) -> Option<&'static str> {
        self.0.answered_by()
    }
}

impl Solver for Layers {
    fn check(&mut self, query: &mut Query<'_>) -> Answer {
        self.0.check(query)
    }

    fn nearest(&mut self) -> Option<Model> {
        self.0.take_nearest()
    }
}

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layers")
            .field("statistics", self.statistics())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::SCHEDULE;

    /// The page on the solver has the rows of the schedule in a table.
    #[test]
    fn the_page_shows_the_schedule() {
        let page = include_str!("../../../../docs/design/solver.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("|---"));
        let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
        let shown: Vec<(String, String)> = rows
            .map(|row| {
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                (cells[1].to_owned(), cells[3].to_owned())
            })
            .collect();
        let listed = SCHEDULE.iter().map(|row| {
            let layer = (row.layer)().name().to_owned();
            (layer, row.counter.unwrap_or("–").to_owned())
        });
        assert_eq!(shown, listed.collect::<Vec<_>>());
    }
}

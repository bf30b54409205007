//! The compiled distance of conditions, for searches other than the walk.

use labrys_expr::{ExprId, Pool};

use super::compile::Compiler;
use super::objective::{Objective, Point};

/// Makes distances; keeps what is costly to set up.
#[derive(Default)]
pub struct Distances {
    compiler: Compiler,
}

impl Distances {
    /// The distance of some conditions; `None` if they have no symbols, symbols of more than 64
    /// bits, or calls of unknown functions.
    pub fn compile<'a>(&mut self, pool: &'a Pool, conditions: &[ExprId]) -> Option<Distance<'a>> {
        let mut objective = Objective::new(pool, conditions, Some(&mut self.compiler), u64::MAX)?;
        let values = vec![0; objective.variables.list.len()];
        let point = objective.point(values);
        Some(Distance { objective, point })
    }
}

/// How far values are from making conditions true.
pub struct Distance<'a> {
    objective: Objective<'a>,
    point: Point,
}

impl Distance<'_> {
    /// Number of values: one for each variable that the conditions put together of symbols.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.point.values.len()
    }

    /// Error score of each condition, those with the same variables together, under these values;
    /// 0 where it holds.
    ///
    /// # Panics
    /// If the number of values is not that of the inputs.
    pub fn at(&mut self, values: &[u64]) -> &[f64] {
        self.point.values.copy_from_slice(values);
        self.objective.update(&mut self.point);
        &self.point.errors
    }
}

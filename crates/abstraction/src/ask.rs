//! Who answers the queries of an abstraction, and what they cost.

use labrys_engine::Session;
use labrys_expr::{ExprId, Pool, Value};
use labrys_solver::{Answer, Assignment, Budget, Core, Layers, Model, Query, Reason, Solver};

use crate::terms::Terms;

/// Answers queries.
pub trait Ask {
    /// Whether the constraints can all be true, within some steps of the solver.
    fn ask(&mut self, pool: &mut Pool, constraints: Vec<ExprId>, steps: u64) -> Answer;

    /// What was done so far, in steps of the solver.
    fn work(&self) -> u64;
}

impl Ask for Session {
    fn ask(&mut self, pool: &mut Pool, constraints: Vec<ExprId>, steps: u64) -> Answer {
        self.check_apart(pool, constraints, Some(steps))
    }

    fn work(&self) -> u64 {
        self.effort()
    }
}

impl Ask for Layers {
    fn ask(&mut self, pool: &mut Pool, constraints: Vec<ExprId>, steps: u64) -> Answer {
        self.check(&mut Query {
            pool,
            constraints,
            hint: &Assignment::new(),
            budget: Budget::steps(steps),
        })
    }

    fn work(&self) -> u64 {
        self.statistics().work()
    }
}

/// Nodes of a query that is asked at once; of larger ones, first what is decided near.
const SMALL: usize = 300;

/// Asks on behalf of an abstraction, with what every run satisfies of the addresses of objects.
pub(crate) struct Asker<'a> {
    pub(crate) ask: &'a mut dyn Ask,
    /// Steps of the solver for a query.
    pub(crate) steps: u64,
    /// Whether large queries are given up that are not decided near.
    pub(crate) local: bool,
}

impl Asker<'_> {
    /// Whether the constraints can all be true. A core names them by their positions; where it is
    /// empty, they contradict what every run satisfies.
    pub(crate) fn check(&mut self, terms: &mut Terms<'_>, constraints: &[ExprId]) -> Answer {
        if let Some(at) = constraints.iter().position(|id| *id == ExprId::FALSE) {
            return Answer::Unsat(Core(vec![at]));
        }
        if !terms.is_larger(constraints, SMALL) {
            return self.query(terms, constraints);
        }
        let near: Vec<ExprId> = constraints.iter().map(|id| terms.cut(*id)).collect();
        match self.query(terms, &near) {
            Answer::Unsat(core) => Answer::Unsat(core),
            _ if self.local => Answer::Unknown(Reason::Steps),
            _ => self.query(terms, constraints),
        }
    }

    fn query(&mut self, terms: &mut Terms<'_>, constraints: &[ExprId]) -> Answer {
        let mut all = terms.axioms(constraints);
        let before = all.len();
        all.extend(constraints.iter().copied().filter(|id| *id != ExprId::TRUE));
        let kept: Vec<usize> = (0..constraints.len())
            .filter(|at| constraints[*at] != ExprId::TRUE)
            .collect();
        match self.ask.ask(terms.pool_mut(), all, self.steps) {
            Answer::Unsat(core) => {
                let positions = core.0.into_iter().filter_map(|at| at.checked_sub(before));
                Answer::Unsat(Core(positions.map(|at| kept[at]).collect()))
            }
            answer => answer,
        }
    }

    /// Whether the constraints certainly cannot all be true.
    pub(crate) fn refutes(&mut self, terms: &mut Terms<'_>, constraints: &[ExprId]) -> bool {
        matches!(self.check(terms, constraints), Answer::Unsat(_))
    }
}

/// The values of expressions in a model; `None` where that cannot be computed.
pub(crate) fn evaluate(
    terms: &mut Terms<'_>,
    expressions: &[ExprId],
    model: &Model,
) -> Vec<Option<Value>> {
    let values = Assignment::new().with(model);
    let (pool, evaluator) = terms.evaluation();
    expressions
        .iter()
        .map(|id| evaluator.evaluate(pool, *id, &values))
        .collect()
}

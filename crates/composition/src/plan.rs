//! Extended units: a function with the callees that belong closely to it, and stubs for the others
//! (section 3.3).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use labrys_program::graph::CallGraph;
use labrys_program::{FunctionId, Program};

use crate::relevance::Relevance;

/// The part of all pairs of functions that belong closely together (section 4.3.2).
const CLOSE: f64 = 0.3;
/// The probability that a callee is in a random unit (section 4.4).
const RANDOM: f64 = 0.5;

/// Which callees a unit has beside its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Those of close relevance.
    #[default]
    Relevant,
    /// None.
    Alone,
    /// Each with a probability of one half.
    Random,
}

/// A function with the functions around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitPlan {
    /// The function that the unit is of.
    pub function: FunctionId,
    /// The functions that run as they are, the first one with them.
    pub members: BTreeSet<FunctionId>,
    /// The callees that are replaced by stubs.
    pub stubs: BTreeSet<FunctionId>,
}

/// Makes plans of units.
pub struct Planner {
    defined: BTreeSet<FunctionId>,
    calls: CallGraph,
    relevance: Relevance,
    extent: Extent,
    threshold: f64,
    rng: fastrand::Rng,
    plans: BTreeMap<FunctionId, UnitPlan>,
}

impl Planner {
    /// Makes plans by this relevance.
    #[must_use]
    pub fn new(program: &Program, relevance: Relevance, extent: Extent, seed: u64) -> Self {
        let functions = (0_u32..).map(FunctionId).zip(&program.functions);
        let defined = functions.filter(|(_, function)| function.defined);
        let defined: BTreeSet<FunctionId> = defined.map(|(id, _)| id).collect();
        Planner {
            calls: CallGraph::new(program),
            threshold: relevance.threshold(CLOSE, defined.len()),
            defined,
            relevance,
            extent,
            rng: fastrand::Rng::with_seed(seed),
            plans: BTreeMap::new(),
        }
    }

    /// The relevance that the plans are made by.
    #[must_use]
    pub fn relevance(&self) -> &Relevance {
        &self.relevance
    }

    /// The least relevance of the functions of a unit.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The functions of the program that a function may call itself.
    #[must_use]
    pub fn callees(&self, function: FunctionId) -> BTreeSet<FunctionId> {
        let calls = self.calls.calls_in(function).iter();
        let callees = calls.flat_map(|call| self.calls.callees(call));
        callees
            .copied()
            .filter(|callee| self.defined.contains(callee))
            .collect()
    }

    /// The functions that may call a function themselves, those of most relevance first
    /// (section 3.5.2).
    #[must_use]
    pub fn callers(&self, function: FunctionId) -> Vec<FunctionId> {
        let callers = self.calls.callers(function).map(|call| call.function);
        let callers: BTreeSet<FunctionId> = callers.collect();
        let mut callers: Vec<FunctionId> = callers.into_iter().collect();
        callers.sort_by(|a, b| {
            let relevance = |caller: &FunctionId| self.relevance.of(*caller, function);
            relevance(b).total_cmp(&relevance(a)).then(a.cmp(b))
        });
        callers
    }

    /// The functions from which calls lead to one of these, with them.
    #[must_use]
    pub fn leading_to(
        &self,
        targets: impl IntoIterator<Item = FunctionId>,
    ) -> BTreeSet<FunctionId> {
        let mut open: Vec<FunctionId> = targets.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(function) = open.pop() {
            if found.insert(function) {
                open.extend(self.calls.callers(function).map(|call| call.function));
            }
        }
        found
    }

    /// The functions whose calls are bound in the unit of main, where these fail: those of them that
    /// are `reached` by system runs, the functions that main calls itself and that lead to them, and
    /// as many others that do as there may be, those of most relevance to main first. To others no
    /// path of main's unit is known.
    #[must_use]
    pub fn bound_in(
        &self,
        main: FunctionId,
        failing: &BTreeSet<FunctionId>,
        reached: &BTreeSet<FunctionId>,
        most: usize,
    ) -> BTreeSet<FunctionId> {
        let depths = self.depths(main);
        let relevance = |one: &FunctionId| self.relevance.of(main, *one);
        let leading = self.leading_to(failing.iter().copied()).into_iter();
        let leading = leading.filter(|one| *one != main && depths.contains_key(one));
        let is_known = |one: &FunctionId| reached.contains(one) || relevance(one) > 0.0;
        let leading = leading.filter(|one| depths[one] == 1 || is_known(one));
        let is_first = |one: &FunctionId| failing.contains(one) || depths[one] == 1;
        let (mut bound, mut others): (Vec<_>, Vec<_>) = leading.partition(is_first);
        others.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)).then(a.cmp(b)));
        bound.extend(others.into_iter().take(most));
        bound.into_iter().collect()
    }

    /// The number of calls from one function to each function that calls lead to.
    #[must_use]
    pub fn depths(&self, from: FunctionId) -> BTreeMap<FunctionId, u32> {
        let mut depths = BTreeMap::from([(from, 0)]);
        let mut layer = vec![from];
        for depth in 1.. {
            let callees = layer.iter().flat_map(|function| self.callees(*function));
            let mut next: Vec<FunctionId> = callees.collect();
            next.retain(|callee| match depths.entry(*callee) {
                Entry::Vacant(place) => {
                    place.insert(depth);
                    true
                }
                Entry::Occupied(_) => false,
            });
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        depths
    }

    /// The extended unit of a function, the same at each call.
    #[must_use]
    pub fn plan(&mut self, function: FunctionId) -> UnitPlan {
        if let Some(plan) = self.plans.get(&function) {
            return plan.clone();
        }
        let plan = self.extended(function);
        self.plans.insert(function, plan.clone());
        plan
    }

    fn extended(&mut self, function: FunctionId) -> UnitPlan {
        let mut plan = UnitPlan {
            function,
            members: BTreeSet::from([function]),
            stubs: BTreeSet::new(),
        };
        let mut open = vec![function];
        while let Some(member) = open.pop() {
            for callee in self.callees(member) {
                if plan.members.contains(&callee) || plan.stubs.contains(&callee) {
                    continue;
                }
                if self.belongs(function, callee) {
                    plan.members.insert(callee);
                    open.push(callee);
                } else {
                    plan.stubs.insert(callee);
                }
            }
        }
        plan
    }

    fn belongs(&mut self, function: FunctionId, callee: FunctionId) -> bool {
        match self.extent {
            Extent::Relevant => self.relevance.of(function, callee) >= self.threshold,
            Extent::Alone => false,
            Extent::Random => self.rng.f64() < RANDOM,
        }
    }
}

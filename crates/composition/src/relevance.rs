//! How closely functions belong together, from the calls of system runs (section 3.2).
//!
//! Law: `r(f, g) = (p(f and g call each other | f occurs) + p(… | g occurs)) / 2` over the runs,
//! where a call may go through others.

use std::collections::{BTreeMap, BTreeSet};

use labrys_engine::{RunEvent, RunRecord};
use labrys_program::FunctionId;

/// Calls in each other that are told apart; deeper ones repeat what is known.
const DEEPEST: usize = 512;

/// Which functions occur in one run, and which call which, directly or through others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    functions: BTreeSet<FunctionId>,
    pairs: BTreeSet<(FunctionId, FunctionId)>,
    stack: Vec<FunctionId>,
}

impl Profile {
    /// The calls of a run.
    #[must_use]
    pub fn of(run: &RunRecord) -> Self {
        let mut profile = Profile::default();
        for event in &run.0 {
            match event {
                RunEvent::Call(function) => profile.enter(*function),
                RunEvent::Return(function) => profile.leave(*function),
                RunEvent::Decision { .. } | RunEvent::Step(_) => {}
            }
        }
        profile
    }

    /// A function is called.
    pub fn enter(&mut self, function: FunctionId) {
        let known = self.stack.last().is_some_and(|top| {
            self.pairs.contains(&(*top, function)) && self.stack.len() > DEEPEST
        });
        if !known {
            for caller in &self.stack {
                self.pairs.insert((*caller, function));
            }
        }
        self.functions.insert(function);
        self.stack.push(function);
    }

    /// A function returns, and those that it called and that were left by a jump.
    pub fn leave(&mut self, function: FunctionId) {
        if let Some(at) = self.stack.iter().rposition(|open| *open == function) {
            self.stack.truncate(at);
        }
    }

    /// Whether a function occurs.
    #[must_use]
    pub fn has(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }
}

/// Relevance of all pairs of functions.
#[derive(Clone, Debug, Default)]
pub struct Relevance {
    /// In how many runs a function occurs.
    occurs: BTreeMap<FunctionId, u32>,
    /// In how many runs one of the two calls the other; the smaller number comes first.
    together: BTreeMap<(FunctionId, FunctionId), u32>,
    runs: u32,
}

fn ordered(f: FunctionId, g: FunctionId) -> (FunctionId, FunctionId) {
    (f.min(g), f.max(g))
}

impl Relevance {
    /// Adds a run.
    pub fn add(&mut self, profile: &Profile) {
        self.runs += 1;
        for function in &profile.functions {
            *self.occurs.entry(*function).or_insert(0) += 1;
        }
        let pairs = profile.pairs.iter().filter(|(f, g)| f != g);
        let pairs: BTreeSet<_> = pairs.map(|(f, g)| ordered(*f, *g)).collect();
        for pair in pairs {
            *self.together.entry(pair).or_insert(0) += 1;
        }
    }

    /// The number of runs.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// In how many runs a function occurs.
    #[must_use]
    pub fn occurrences(&self, function: FunctionId) -> u32 {
        self.occurs.get(&function).copied().unwrap_or(0)
    }

    /// Relevance of two functions, 0 to 1; 0 where one of them occurs in no run.
    #[must_use]
    pub fn of(&self, f: FunctionId, g: FunctionId) -> f64 {
        let together = self.together.get(&ordered(f, g)).copied().unwrap_or(0);
        let part = |function| match self.occurrences(function) {
            0 => 0.0,
            runs => f64::from(together) / f64::from(runs),
        };
        f64::midpoint(part(f), part(g))
    }

    /// The least relevance of the closest pairs: those in this part of all pairs of `functions`
    /// functions. Pairs that never call each other are not close, however few the others are.
    #[must_use]
    pub fn threshold(&self, part: f64, functions: usize) -> f64 {
        let mut all: Vec<f64> = self.together.keys().map(|(f, g)| self.of(*f, *g)).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        let pairs = functions * functions.saturating_sub(1) / 2;
        let close = ((pairs as f64 * part).ceil() as usize).min(all.len());
        match close.checked_sub(1) {
            Some(last) => all[last],
            None => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: FunctionId = FunctionId(0);

    fn f(number: u32) -> FunctionId {
        FunctionId(number)
    }

    /// A run in which functions call each other as nested lists say: `1(5(7))`.
    fn run(text: &str) -> Profile {
        let mut profile = Profile::default();
        profile.enter(MAIN);
        let mut open = Vec::new();
        for word in text.split_inclusive(['(', ')', ' ']) {
            let number = word.trim_matches(['(', ')', ' ']);
            if let Ok(number) = number.parse() {
                profile.enter(f(number));
                open.push(f(number));
                if !word.ends_with('(') {
                    profile.leave(open.pop().expect("just entered"));
                }
            }
            if word.ends_with(')')
                && let Some(function) = open.pop()
            {
                profile.leave(function);
            }
        }
        profile
    }

    /// The runs t1 to t4 of section 3.2.
    fn paper() -> Relevance {
        let mut relevance = Relevance::default();
        for text in ["1(5(7))", "1(5(8(9)))", "1(5(7 8(9 10)))", "1(3(6(10)))"] {
            relevance.add(&run(text));
        }
        relevance
    }

    #[test]
    fn the_figures_of_the_paper() {
        let relevance = paper();
        let rounded = |f, g| (100.0 * relevance.of(f, g)).round() / 100.0;
        assert_eq!(rounded(f(5), f(7)), 0.83);
        assert_eq!(rounded(f(7), f(5)), 0.83);
        assert_eq!(rounded(f(5), f(10)), 0.42);
        assert_eq!(rounded(f(5), f(6)), 0.0);
        assert_eq!(rounded(f(5), f(4)), 0.0);
        assert_eq!(relevance.occurrences(f(5)), 3);
    }

    /// Section 3.3 supposes that f5 belongs with f7, f8 and f9, and not with f10.
    #[test]
    fn the_closest_pairs_are_those_of_the_extended_unit() {
        let relevance = paper();
        let threshold = relevance.threshold(0.3, 11);
        let close = |g| relevance.of(f(5), f(g)) >= threshold;
        assert_eq!([7, 8, 9, 10].map(close), [true, true, true, false]);
        assert_eq!(Relevance::default().threshold(0.3, 11), f64::INFINITY);
    }

    #[test]
    fn jumps_leave_several_functions() {
        let mut profile = Profile::default();
        for number in [0, 1, 2] {
            profile.enter(f(number));
        }
        profile.leave(f(1));
        profile.enter(f(3));
        assert!(profile.pairs.contains(&(f(0), f(3))));
        assert!(!profile.pairs.contains(&(f(2), f(3))) && profile.has(f(2)));
    }
}

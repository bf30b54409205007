//! Interleaving (Cadar, Dunbar and Engler, "KLEE", section 3.4): several strategies take turns on
//! one tree. All of them see every run; one that has nothing to try is passed over.
//!
//! A turn is one pick. The strategy that has it begins a step of its own, so that one that shares
//! its work among several goes on with that.

use crate::strategy::{Pick, RunInfo, StepKind, Strategy, View};

/// See the module.
pub struct Interleaved {
    strategies: Vec<Box<dyn Strategy>>,
    name: String,
    /// Whose turn is next, and whose was the last.
    next: usize,
    last: usize,
}

impl Interleaved {
    /// These strategies in turns.
    #[must_use]
    pub fn new(strategies: Vec<Box<dyn Strategy>>) -> Self {
        let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name()).collect();
        Interleaved {
            name: names.join(","),
            strategies,
            next: 0,
            last: 0,
        }
    }

    /// What the next strategy picks in its turn.
    fn take_turn(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        self.last = self.next;
        self.next = (self.next + 1) % self.strategies.len();
        let strategy = &mut self.strategies[self.last];
        let kind = strategy.begin_step(view, rng);
        let pick = strategy.pick(view, rng);
        // Where there is nothing to mutate, the step is a flip.
        pick.or_else(|| match kind {
            StepKind::Mutate => strategy.pick(view, rng),
            StepKind::Flip => None,
        })
    }
}

impl Strategy for Interleaved {
    fn name(&self) -> &str {
        &self.name
    }

    fn picked_by(&self) -> &str {
        self.strategies
            .get(self.last)
            .map_or(&self.name, |last| last.picked_by())
    }

    fn extrapolates(&self) -> bool {
        self.strategies
            .iter()
            .any(|strategy| strategy.extrapolates())
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        for strategy in &mut self.strategies {
            strategy.observe(view, info);
        }
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        (0..self.strategies.len()).find_map(|_| self.take_turn(view, rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};
    use crate::strategies::{BreadthFirst, DepthFirst};

    #[test]
    fn turns_alternate_on_one_tree() {
        let both: Vec<Box<dyn Strategy>> = vec![
            Box::new(DepthFirst::new(None)),
            Box::new(BreadthFirst::default()),
        ];
        let order = picks(&mut Interleaved::new(both), &Drawing::ladder(3));
        assert_eq!(order, "001 1 101 01 011 11 111");
    }

    /// Depth-first search down to depth 1 has one pick; the other strategy takes all turns then.
    #[test]
    fn who_has_nothing_is_passed_over() {
        let both: Vec<Box<dyn Strategy>> = vec![
            Box::new(DepthFirst::new(Some(1))),
            Box::new(BreadthFirst::default()),
        ];
        let mut strategy = Interleaved::new(both);
        let order = picks(&mut strategy, &Drawing::ladder(3));
        assert_eq!(order, "1 01 11 001 101 011 111");
        assert_eq!((strategy.name(), strategy.picked_by()), ("dfs,bfs", "bfs"));
    }

    /// Depth-first search as a share of the work of a strategy whose mutations find no seed.
    struct Sharing {
        flips: DepthFirst,
        /// What the step is for that was begun.
        begun: Option<StepKind>,
    }

    impl Strategy for Sharing {
        fn name(&self) -> &str {
            "sharing"
        }

        fn observe(&mut self, view: &View, info: &RunInfo) {
            self.flips.observe(view, info);
        }

        fn begin_step(&mut self, _: &View, _: &mut fastrand::Rng) -> StepKind {
            self.begun = Some(StepKind::Mutate);
            StepKind::Mutate
        }

        fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
            match self.begun.take().expect("a step was begun") {
                StepKind::Mutate => {
                    self.begun = Some(StepKind::Flip);
                    None
                }
                StepKind::Flip => self.flips.pick(view, rng),
            }
        }
    }

    #[test]
    fn each_turn_begins_a_step_of_its_strategy() {
        let sharing = Sharing {
            flips: DepthFirst::new(None),
            begun: None,
        };
        let both: Vec<Box<dyn Strategy>> = vec![Box::new(sharing), Box::<BreadthFirst>::default()];
        let order = picks(&mut Interleaved::new(both), &Drawing::ladder(3));
        assert_eq!(order, "001 1 101 01 011 11 111");
    }
}

//! Adaptive search: several strategies on one tree, and pumping (see [`crate::pump`]), each with
//! as much work as it pays for.
//!
//! What pays changes in the course of a search: the branches near to what is covered come first,
//! by any strategy; then one subject wants contexts, another one repetitions. So:
//!
//! - the first strategies work alone, one after the other ([`OPENINGS`]), the second and the third
//!   as long as they pay: what is easily had is had soonest by one that builds on its own runs; the
//!   second, CarFast, on large programs only, and not after its opening;
//! - then work is given out in turns of [`TURN`] steps, so that each strategy can follow what it
//!   began; a step is a query or a run, a query that is given up counts as many, and a run of
//!   pumping, which asks no query, as an eighth of one;
//! - a gain is a branch that no run covered, half of one for a run that came nearer to one than all
//!   before, or a tenth for a run that repeats a branch as often as none before;
//! - the next turn goes to an arm by what each gained per step ([`Shares`]).
//!
//! All arms see the runs of all, so each goes on from what the others found; only what pumping
//! made without covering anything is for the last arm alone: its many repetitions are rare by
//! themselves, and would draw the work of the others to it.

use labrys_engine::Shares;

use super::named::Named;
use super::seeds::Seeds;
use super::{CarFast, CfgDirected, ContextGuided, Generational, Latest, Missed, Rarity};
use crate::strategy::{RunInfo, Strategy, View};
use crate::tree::{Candidate, Flip, RunId};

const TURN: u32 = 8;
/// The strategies that work alone first, and the branches that each must cover in a window to go
/// on: the first one never does.
const OPENINGS: [(usize, usize); 3] = [(RARITY, usize::MAX), (GREEDY, 12), (CONTEXTS, 12)];
/// Their arms. The greedy one is the last strategy, and leaves after its opening.
const RARITY: usize = 0;
const CONTEXTS: usize = 1;
const GREEDY: usize = 6;
/// The sites of a program from which on a greedy strategy has much to choose from.
const LARGE: usize = 400;
/// Steps of a window.
const WINDOW: u32 = 50;
/// Steps of a window that the greedy strategy is given back because their queries have no model:
/// it asks for many such branches in a row, which is cheap.
const FREE: u32 = 20_000;
/// What a run that pumps counts for.
const PUMPED: f64 = 1.0 / 8.0;
/// Steps that pumping has to its account from the start: there is little to repeat at first.
const LATE: f64 = 64.0;
/// Further steps that a query counts for which the solver gave up.
const GIVEN_UP: f64 = 16.0;

/// See the module.
pub struct Auto {
    strategies: Vec<Box<dyn Strategy>>,
    /// An arm for each strategy, and one for pumping.
    shares: Shares,
    seeds: Seeds,
    /// The arm whose turn it is, and its steps to come.
    arm: usize,
    left: u32,
    /// The arms of the candidates that they named, and the one that was named last.
    named: Named<usize>,
    last: Option<Candidate>,
    /// The strategy that works alone, none of them when this is past [`OPENINGS`]; the steps of its
    /// window to come, and what it covered in it.
    opening: usize,
    steps: u32,
    covered: usize,
    /// Steps that it is still given back in this window.
    free: u32,
}

impl Default for Auto {
    fn default() -> Self {
        Auto::new(vec![
            Box::new(Rarity::default()),
            Box::new(ContextGuided::default()),
            Box::new(CfgDirected::default()),
            Box::new(Generational::default()),
            Box::new(Latest::default()),
            Box::new(Missed::default()),
            Box::new(CarFast::default()),
        ])
    }
}

impl Auto {
    fn new(strategies: Vec<Box<dyn Strategy>>) -> Self {
        let mut shares = Shares::new(strategies.len() + 1);
        shares.spend(strategies.len(), LATE);
        Auto {
            shares,
            strategies,
            seeds: Seeds::default(),
            arm: 0,
            left: 0,
            named: Named::default(),
            last: None,
            opening: 0,
            steps: WINDOW,
            covered: 0,
            free: FREE,
        }
    }

    /// Takes a step of the opening, or of the turn, or begins the next turn.
    fn step(&mut self, large: bool, rng: &mut fastrand::Rng) {
        if self.opening < OPENINGS.len() {
            self.open(large);
        }
        if let Some((arm, _)) = OPENINGS.get(self.opening) {
            self.arm = *arm;
        } else if self.left == 0 {
            self.arm = self.shares.turn(rng.f64());
            self.left = TURN;
        }
        self.left = self.left.saturating_sub(1);
        let steps = if self.is_pumping() { PUMPED } else { 1.0 };
        self.shares.spend(self.arm, steps);
    }

    /// A step of the strategy that works alone; the next one takes its place when it does not pay.
    fn open(&mut self, large: bool) {
        if self.steps == 0 {
            if self.covered < OPENINGS[self.opening].1 {
                self.close(large);
            }
            self.steps = WINDOW;
            self.covered = 0;
            self.free = FREE;
        }
        self.steps -= 1;
    }

    /// Ends an opening, and the next one too if that is the greedy one of a small program.
    fn close(&mut self, large: bool) {
        self.opening += 1;
        let is = |opening: usize| OPENINGS.get(opening).is_some_and(|(arm, _)| *arm == GREEDY);
        if is(self.opening) && !large {
            self.opening += 1;
        }
        if is(self.opening - 1) {
            self.strategies.truncate(GREEDY);
            self.shares.remove(GREEDY);
            self.named = Named::default();
        }
    }

    fn is_pumping(&self) -> bool {
        self.arm == self.strategies.len()
    }
}

impl Strategy for Auto {
    fn name(&self) -> &str {
        "auto"
    }

    fn picked_by(&self) -> &str {
        let strategy = self.strategies.get(self.arm);
        strategy.map_or("pump", |strategy| strategy.picked_by())
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let quiet = info.pumped && info.gain == 0;
        let skipped = if quiet { self.strategies.len() - 1 } else { 0 };
        for strategy in &mut self.strategies[skipped..] {
            strategy.observe(view, info);
        }
        let worth = self.seeds.learn(view, info);
        let pumping = info.pumped.then_some(self.strategies.len());
        if let Some(arm) = self.named.take(info.flipped).or(pumping) {
            self.covered += info.gain;
            self.shares.gain(arm, info.gain as f64 + worth);
        }
    }

    fn pump(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<RunId> {
        // What is explored to the end needs no repetition.
        if view.tree.open() == 0 {
            return None;
        }
        let last = self.last.take();
        match last.map(|last| view.tree.flip(last)) {
            Some(Flip::Unknown) => self.shares.spend(self.arm, GIVEN_UP),
            Some(Flip::Unsat) if self.arm == GREEDY && self.free > 0 => {
                self.free -= 1;
                self.steps += 1;
            }
            _ => {}
        }
        self.step(view.program.sites.len() >= LARGE, rng);
        if !self.is_pumping() {
            return None;
        }
        let seed = self.seeds.draw(rng);
        if seed.is_none() {
            self.arm = 0;
        }
        seed
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        let arms = self.strategies.len();
        for _ in 0..arms {
            self.arm %= arms;
            self.last = self.strategies[self.arm].pick(view, rng);
            if let Some(named) = self.last {
                self.named.add(view, named, self.arm);
                return self.last;
            }
            self.arm += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arm that pays gets most of the turns, and loses them when another one pays.
    #[test]
    fn work_goes_where_it_pays_and_comes_back() {
        let mut auto = Auto::default();
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..OPENINGS.len() as u32 * WINDOW {
            auto.step(false, &mut rng);
        }
        let pumping = auto.strategies.len();
        assert_eq!(pumping + 1, auto.shares.arms());
        let mut turns = |paying: usize| {
            let mut steps = vec![0; auto.shares.arms()];
            for _ in 0..4000 {
                auto.step(false, &mut rng);
                steps[auto.arm] += 1;
                if auto.arm == paying {
                    auto.shares.gain(paying, 0.2);
                }
            }
            steps
        };
        // A strategy, and pumping.
        for paying in [2, pumping] {
            let steps = turns(paying);
            assert!(steps[paying] > 1800, "{steps:?}");
            assert!(steps.iter().all(|steps| *steps > 100), "{steps:?}");
        }
    }
}

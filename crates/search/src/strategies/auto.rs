//! Adaptive search: several strategies on one tree, and mutation (see [`crate::mutate`]), each with
//! as much work as it pays for.
//!
//! What pays changes in the course of a search: the branches near to what is covered come first,
//! by any strategy; then one program needs contexts, another one repetitions. So:
//!
//! - the first strategies work alone, one after the other, the second and the third as long as they
//!   pay: a strategy that builds on its own runs finds the easy branches soonest; the second,
//!   CarFast, on large programs only, and not after its opening;
//! - then the [`Scheduler`] gives out turns of [`TURN`] steps by yield, so that each strategy can
//!   follow what it began; work is a flip, its query and its run, which counts as many where they
//!   take long, and a run that mutates, which asks no query, counts as an eighth of one;
//! - a gain is a branch that no run covered, half of one for a run that came nearer to one than all
//!   before, or a tenth for a run that repeats a branch as often as none before.
//!
//! All arms see the runs of all, so each goes on from what the others found; but a mutation that
//! covers nothing is for the last strategy alone: its many repetitions are rare by themselves, and
//! would draw the work of the others to it.

use labrys_portfolio::{Arm, Policy, Scheduler};

use super::picks::PendingPicks;
use super::seeds::Seeds;
use super::{CarFast, CfgDirected, ContextGuided, Generational, Latest, Missed, Rarity};
use crate::strategy::{Pick, RunInfo, StepKind, Strategy, View};
use crate::tree::{Candidate, Flip};

/// Steps of a turn.
const TURN: u32 = 8;
/// Branches that the second and the third opening must cover in a window to go on: the first one
/// never does.
const PAYS: usize = 12;
/// The sites of a program from which on a greedy strategy has much to choose from.
const LARGE: usize = 400;
/// Steps of a window.
const WINDOW: u32 = 50;
/// Effort in a window up to which the greedy strategy is given back the steps whose queries have no
/// model: it asks for many such branches in a row, which is mostly cheap.
const FREE: u64 = 100_000;
/// The work of a run that mutates.
const MUTATION: f64 = 1.0 / 8.0;
/// Work that mutation has to its account from the start: there is little to repeat at first.
const LATE: f64 = 64.0;
/// Effort of a flip that is one unit of work, query and run together, and that of each further one.
const FLIP: u64 = 64;
const FURTHER: u64 = 32;

/// A strategy that works alone at first.
struct Opening {
    arm: Arm,
    /// Branches that it must cover in a window to go on.
    least: usize,
    /// It leaves after its opening, and has none in a small program.
    greedy: bool,
}

/// The openings, one after the other, in windows.
struct Openings {
    list: Vec<Opening>,
    /// The one that goes on; none when this is past the list.
    current: usize,
    /// The steps of its window to come, and what it covered in it.
    steps: u32,
    covered: usize,
    /// Effort up to which it is still given steps back in this window.
    free: u64,
}

impl Openings {
    fn new(list: Vec<Opening>) -> Self {
        Openings {
            list,
            current: 0,
            steps: WINDOW,
            covered: 0,
            free: FREE,
        }
    }

    fn arm(&self) -> Option<Arm> {
        self.list.get(self.current).map(|opening| opening.arm)
    }

    /// A step of the strategy that works alone; the next one takes its place when it does not pay.
    /// The arm that leaves with its opening, if one does.
    fn step(&mut self, large: bool) -> Option<Arm> {
        let opening = self.list.get(self.current)?;
        let mut leaves = None;
        if self.steps == 0 {
            if self.covered < opening.least {
                leaves = self.end(large);
            }
            self.steps = WINDOW;
            self.covered = 0;
            self.free = FREE;
        }
        self.steps -= 1;
        leaves
    }

    /// Ends an opening, and the next one too if that is the greedy one of a small program.
    fn end(&mut self, large: bool) -> Option<Arm> {
        self.current += 1;
        if !large && self.list.get(self.current).is_some_and(|next| next.greedy) {
            self.current += 1;
        }
        let last = &self.list[self.current - 1];
        last.greedy.then_some(last.arm)
    }

    /// The last query had no model, and took this effort.
    fn give_back(&mut self, effort: u64) {
        if let Some(free) = self.free.checked_sub(effort) {
            self.free = free;
            self.steps += 1;
        }
    }
}

/// See the module.
pub struct Auto {
    scheduler: Scheduler,
    /// The strategies with their arms, the greedy one last.
    strategies: Vec<(Arm, Box<dyn Strategy>)>,
    /// The arm of mutation.
    mutation: Arm,
    greedy: Arm,
    openings: Openings,
    seeds: Seeds,
    /// The arm that has the step.
    arm: Arm,
    /// The arms of the candidates that they named, and the one that was named last with the effort that
    /// it took.
    pending_picks: PendingPicks<Arm>,
    last: Option<(Candidate, u64)>,
    /// What the step is for, until a mutation is picked in it.
    kind: StepKind,
}

impl Default for Auto {
    fn default() -> Self {
        let mut scheduler = Scheduler::new(Policy::Yield);
        let mut strategies: Vec<(Arm, Box<dyn Strategy>)> = Vec::new();
        let mut add = |strategy: Box<dyn Strategy>| {
            let arm = scheduler.add(TURN);
            strategies.push((arm, strategy));
            arm
        };
        let rarity = add(Box::<Rarity>::default());
        let contexts = add(Box::<ContextGuided>::default());
        add(Box::<CfgDirected>::default());
        add(Box::<Generational>::default());
        add(Box::<Latest>::default());
        add(Box::<Missed>::default());
        let greedy = add(Box::<CarFast>::default());
        let mutation = scheduler.add(TURN);
        scheduler.spend(mutation, LATE);
        let opening = |arm, least| Opening {
            arm,
            least,
            greedy: arm == greedy,
        };
        let openings = vec![
            opening(rarity, usize::MAX),
            opening(greedy, PAYS),
            opening(contexts, PAYS),
        ];
        Auto {
            scheduler,
            strategies,
            mutation,
            greedy,
            openings: Openings::new(openings),
            seeds: Seeds::default(),
            arm: rarity,
            pending_picks: PendingPicks::default(),
            last: None,
            kind: StepKind::Flip,
        }
    }
}

impl Auto {
    /// Gives out a step: to the strategy that works alone, or to the arm whose turn it is.
    fn step(&mut self, large: bool, rng: &mut fastrand::Rng) {
        if let Some(greedy) = self.openings.step(large) {
            self.strategies.retain(|(arm, _)| *arm != greedy);
            self.scheduler.retire(greedy);
            self.pending_picks = PendingPicks::default();
        }
        let next = self.openings.arm();
        let next = next.or_else(|| self.scheduler.step(|| rng.f64()));
        self.arm = next.unwrap_or(self.arm);
        let work = if self.is_mutating() { MUTATION } else { 1.0 };
        self.scheduler.spend(self.arm, work);
    }

    /// Books what the last candidate came to.
    fn book_last(&mut self, view: &View) {
        let Some((last, effort)) = self.last.take() else {
            return;
        };
        self.charge(effort);
        match view.tree.flip(last) {
            Flip::PutOff => self.openings.give_back(effort),
            Flip::Unsat if self.arm == self.greedy => self.openings.give_back(effort),
            _ => {}
        }
    }

    /// Books the effort of a flip beyond what each takes.
    fn charge(&mut self, effort: u64) {
        let further = effort.saturating_sub(FLIP) as f64 / FURTHER as f64;
        self.scheduler.spend(self.arm, further);
    }

    /// The step, and what is left of the turn, goes to another arm.
    fn pass(&mut self, to: Arm) {
        self.arm = to;
        self.scheduler.pass(to);
    }

    fn is_mutating(&self) -> bool {
        self.arm == self.mutation
    }

    /// The position of the strategy that has the step, the first where none of them has.
    fn position(&self) -> usize {
        let own = |(arm, _): &(Arm, _)| *arm == self.arm;
        self.strategies.iter().position(own).unwrap_or(0)
    }
}

impl Strategy for Auto {
    fn name(&self) -> &str {
        "auto"
    }

    fn picked_by(&self) -> &str {
        match self.is_mutating() {
            true => "pump",
            false => self.strategies[self.position()].1.picked_by(),
        }
    }

    fn extrapolates(&self) -> bool {
        true
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let quiet = info.mutated && info.gain == 0;
        let skipped = if quiet { self.strategies.len() - 1 } else { 0 };
        for (_, strategy) in &mut self.strategies[skipped..] {
            strategy.observe(view, info);
        }
        let worth = self.seeds.learn(view, info);
        let mutation = info.mutated.then_some(self.mutation);
        if let Some(arm) = self.pending_picks.take(info.flipped).or(mutation) {
            self.openings.covered += info.gain;
            self.scheduler.gain(arm, info.gain as f64 + worth);
        }
    }

    fn begin_step(&mut self, view: &View, rng: &mut fastrand::Rng) -> StepKind {
        self.kind = StepKind::Flip;
        // What is explored to the end needs no repetition.
        if view.tree.open() > 0 {
            self.book_last(view);
            self.step(view.program.sites.len() >= LARGE, rng);
            if self.is_mutating() {
                self.kind = StepKind::Mutate;
            }
        }
        self.kind
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        if std::mem::replace(&mut self.kind, StepKind::Flip) == StepKind::Mutate {
            let seed = self.seeds.draw(rng);
            if seed.is_none() {
                self.pass(self.strategies[0].0);
            }
            return seed.map(Pick::Mutate);
        }
        let (first, own) = (self.position(), self.arm);
        let count = self.strategies.len();
        for position in (first..first + count).map(|position| position % count) {
            let (arm, strategy) = &mut self.strategies[position];
            let arm = *arm;
            let pick = strategy.pick(view, rng);
            self.pass(arm);
            if let Some(Pick::Flip(candidate)) = pick {
                self.last = Some((candidate, 0));
                self.pending_picks.add(view, candidate, arm);
                return pick;
            }
        }
        self.pass(own);
        None
    }

    fn took(&mut self, effort: u64) {
        if let Some((_, took)) = &mut self.last {
            *took = effort;
        }
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    /// The openings come first; then an arm that pays gets most of the turns, and loses them when
    /// another one pays.
    #[test]
    fn work_goes_where_it_pays_and_comes_back() {
        let mut auto = Auto::default();
        let mut rng = fastrand::Rng::with_seed(1);
        let mut opened = Vec::new();
        while auto.openings.arm().is_some() {
            auto.step(false, &mut rng);
            opened.push(auto.arm);
        }
        opened.dedup();
        assert_eq!(opened[..2], [auto.strategies[0].0, auto.strategies[1].0]);
        assert!(!auto.scheduler.is_active(auto.greedy));
        let mut turns = |paying: Arm| {
            let mut steps = FxHashMap::default();
            for _ in 0..4000 {
                auto.step(false, &mut rng);
                *steps.entry(auto.arm).or_insert(0) += 1;
                if auto.arm == paying {
                    auto.scheduler.gain(paying, 0.2);
                }
            }
            steps
        };
        let (strategy, mutation) = (opened[1], Auto::default().mutation);
        for paying in [strategy, mutation] {
            let steps = turns(paying);
            assert!(steps.len() == 7 && steps[&paying] > 1800, "{steps:?}");
            assert!(steps.values().all(|steps| *steps > 100), "{steps:?}");
        }
    }

    /// Of two arms that find as much, the one whose flips take longer gets fewer turns.
    #[test]
    fn what_takes_long_pays_less() {
        let mut auto = Auto::default();
        let mut rng = fastrand::Rng::with_seed(1);
        while auto.openings.arm().is_some() {
            auto.step(false, &mut rng);
        }
        let [quick, slow] = [auto.strategies[1].0, auto.strategies[2].0];
        let mut steps = FxHashMap::default();
        for _ in 0..4000 {
            auto.step(false, &mut rng);
            *steps.entry(auto.arm).or_insert(0) += 1;
            if auto.arm == slow {
                auto.charge(FLIP + 20 * FURTHER);
            }
            if [quick, slow].contains(&auto.arm) {
                auto.scheduler.gain(auto.arm, 0.2);
            }
        }
        assert!(
            steps[&slow] > 40 && steps[&quick] > 3 * steps[&slow],
            "{steps:?}"
        );
    }

    /// Refuted queries lengthen a window as long as they are cheap.
    #[test]
    fn steps_are_given_back_until_the_effort_is_used_up() {
        let given_back = |effort: u64| {
            let mut openings = Openings::new(Vec::new());
            (0..100).for_each(|_| openings.give_back(effort));
            openings.steps - WINDOW
        };
        assert_eq!([0, 1, FREE / 4].map(given_back), [100, 100, 4]);
    }
}

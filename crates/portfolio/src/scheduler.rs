//! Who has the next turn.
//!
//! [`Policy::Yield`] is a bandit whose arms forget, because what pays changes in the course of a
//! search. Each arm has an account of the work that it had and of what it gained, both of which
//! fade by [`FADE`] from turn to turn of any arm, with a prior that speaks for arms that had no work of
//! late. The next turn goes to an arm with probability proportional to its rate, the gain per work,
//! but each arm keeps [`FLOOR`] of an equal part. A step is for a unit of work; an arm whose steps
//! take more has no turn until the others have had their parts.
//!
//! A tentative arm ([`Scheduler::add_tentative`]) is beside the others: their work gives it credit by
//! its part, and it has steps while it has credit. Its prior wears off with the work that it has had
//! since it last gained. So if it brings nothing, it soon has little more than its floor, also while
//! the others gain nothing.
//!
//! Law: the others have the turns that they have without it, and draw the same random numbers.
//!
//! [`Policy::Shares`] gives the turn to the arm that has had the least work for its share.
//!
//! Invariant: only arms that are neither paused nor retired have turns; one that rests has none
//! while another one can have it.

/// The part of an account that is left after a turn.
const FADE: f64 = 0.968;
/// The part of an equal share that each arm keeps, if nothing else is said.
const FLOOR: f64 = 0.4;
/// A prior gain, and the work that it is for.
const PRIOR: (f64, f64) = (0.2, 8.0);

/// The work without a gain behind which half of the prior of a tentative arm is left.
const PATIENCE: f64 = 8.0;

/// By what turns are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// By gain per work, with a floor.
    Yield,
    /// So that all have work by their shares, which are equal at first; of equals the first has the
    /// turn.
    Shares,
}

/// One of those that share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arm(usize);

/// An arm's account and state.
#[derive(Clone, Debug, Default)]
struct Account {
    work: f64,
    gain: f64,
    /// Of the work, beside those of the others.
    share: f64,
    /// Steps of a turn.
    length: u32,
    paused: bool,
    retired: bool,
    /// Turns of others that it rests for.
    rest: u32,
    /// Work of its turns beyond their steps.
    debt: f64,
    /// Work since it last gained.
    idle: f64,
    /// The part of all work that it keeps, if it is tentative.
    tentative: Option<f64>,
    /// Work that it may do now, if it is tentative.
    credit: f64,
}

impl Account {
    fn rate(&self) -> f64 {
        let prior = match self.tentative {
            Some(_) => PRIOR.0 * PATIENCE / (PATIENCE + self.idle),
            None => PRIOR.0,
        };
        (self.gain + prior) / (self.work + PRIOR.1)
    }

    fn is_tentative(&self) -> bool {
        self.tentative.is_some()
    }

    fn is_active(&self) -> bool {
        !self.paused && !self.retired
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Scheduler {
    policy: Policy,
    accounts: Vec<Account>,
    /// Whose turn it is, and its steps to come.
    turn: Option<(Arm, u32)>,
    /// The part of an equal share that each arm keeps.
    floor: f64,
}

impl Scheduler {
    /// A scheduler without arms.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Scheduler {
            policy,
            accounts: Vec::new(),
            turn: None,
            floor: FLOOR,
        }
    }

    /// The same whose arms keep another part of an equal share.
    #[must_use]
    pub fn with_floor(mut self, floor: f64) -> Self {
        self.floor = floor;
        self
    }

    /// One more arm, whose turns have so many steps.
    pub fn add(&mut self, length: u32) -> Arm {
        self.accounts.push(Account {
            length,
            share: 1.0,
            ..Account::default()
        });
        Arm(self.accounts.len() - 1)
    }

    /// One more arm, which is tentative and keeps this part of all work.
    pub fn add_tentative(&mut self, part: f64) -> Arm {
        let arm = self.add(1);
        self.accounts[arm.0].tentative = Some(part);
        arm
    }

    /// The arm that has the next step: the one whose turn it is, else the one whose turn comes,
    /// which may depend on a random number from 0 to 1. `None` if no arm is active.
    pub fn step(&mut self, random: impl FnOnce() -> f64) -> Option<Arm> {
        let active = |arm: &Arm| self.is_active(*arm) && self.accounts[arm.0].is_tentative();
        let has_credit = |arm: &Arm| active(arm) && self.accounts[arm.0].credit > 0.0;
        if let Some(arm) = self.arms().find(has_credit) {
            return Some(arm);
        }
        let tentative = self.arms().find(active);
        if let Some((arm, left)) = self.turn
            && left > 0
            && self.accounts[arm.0].is_active()
        {
            self.turn = Some((arm, left - 1));
            return Some(arm);
        }
        let Some(arm) = self.choose(random) else {
            return tentative;
        };
        let length = self.accounts[arm.0].length;
        for account in &mut self.accounts {
            account.rest = account.rest.saturating_sub(1);
            if self.policy == Policy::Yield {
                account.work *= FADE;
                account.gain *= FADE;
            }
        }
        self.turn = Some((arm, length.saturating_sub(1)));
        Some(arm)
    }

    /// The share of the work that an arm has by [`Policy::Shares`].
    pub fn set_share(&mut self, arm: Arm, share: f64) {
        self.accounts[arm.0].share = share;
    }

    /// Begins a turn of this arm, whatever the policy says.
    pub fn begin(&mut self, arm: Arm) {
        self.turn = Some((arm, self.accounts[arm.0].length));
    }

    /// What is left of the turn goes to another arm.
    pub fn pass(&mut self, to: Arm) {
        if let Some((arm, _)) = &mut self.turn {
            *arm = to;
        }
    }

    /// Books work of an arm.
    pub fn spend(&mut self, arm: Arm, work: f64) {
        let account = &mut self.accounts[arm.0];
        account.work += work;
        account.idle += work;
        if account.is_tentative() {
            account.credit -= work;
            return;
        }
        account.debt = (account.debt + work - 1.0).max(0.0);
        self.lend(work);
        self.pay(arm, work);
    }

    /// Books what work of an arm gave.
    pub fn gain(&mut self, arm: Arm, gain: f64) {
        let account = &mut self.accounts[arm.0];
        account.gain += gain;
        if gain > 0.0 {
            account.idle = 0.0;
        }
    }

    /// An arm has no turns until it is resumed.
    pub fn pause(&mut self, arm: Arm) {
        self.accounts[arm.0].paused = true;
    }

    /// An arm that was paused has turns again.
    pub fn resume(&mut self, arm: Arm) {
        self.accounts[arm.0].paused = false;
    }

    /// An arm has no turns any more.
    pub fn retire(&mut self, arm: Arm) {
        self.accounts[arm.0].retired = true;
    }

    /// The next turns, so many of them, are for others, if there are any.
    pub fn rest(&mut self, arm: Arm, turns: u32) {
        self.accounts[arm.0].rest = turns;
    }

    /// Whether an arm has turns.
    #[must_use]
    pub fn is_active(&self, arm: Arm) -> bool {
        self.accounts[arm.0].is_active()
    }

    fn arms(&self) -> impl Iterator<Item = Arm> + use<> {
        (0..self.accounts.len()).map(Arm)
    }

    /// The arms that share the turns now.
    fn certain(&self) -> Vec<Arm> {
        let certain = |arm: &Arm| self.is_active(*arm) && !self.accounts[arm.0].is_tentative();
        self.arms().filter(certain).collect()
    }

    fn choose(&self, random: impl FnOnce() -> f64) -> Option<Arm> {
        let rested = |account: &Account| {
            account.rest == 0 && (self.policy == Policy::Shares || account.debt <= 0.0)
        };
        let active = self.certain();
        let mut among = active.clone();
        among.retain(|arm| rested(&self.accounts[arm.0]));
        if among.is_empty() {
            among = active;
        }
        match (among.as_slice(), self.policy) {
            ([], _) => None,
            (_, Policy::Yield) => Some(self.by_yield(&among, random())),
            (_, Policy::Shares) => {
                let work = |arm: &Arm| self.accounts[arm.0].work / self.accounts[arm.0].share;
                among.into_iter().min_by(|a, b| work(a).total_cmp(&work(b)))
            }
        }
    }

    /// One of these arms, of which there is at least one.
    fn by_yield(&self, among: &[Arm], random: f64) -> Arm {
        let mut left = random;
        for (arm, part) in among.iter().zip(self.parts(among)) {
            left -= part;
            if left < 0.0 {
                return *arm;
            }
        }
        among[among.len() - 1]
    }

    /// The parts of these arms in the work that they share, by yield.
    fn parts(&self, among: &[Arm]) -> Vec<f64> {
        let rate = |arm: &Arm| self.accounts[arm.0].rate();
        let kept = self.floor / among.len() as f64;
        let all: f64 = among.iter().map(rate).sum();
        let part = |arm: &Arm| kept + (1.0 - self.floor) * rate(arm) / all;
        among.iter().map(part).collect()
    }

    /// Work of the others gives tentative arms credit.
    fn lend(&mut self, work: f64) {
        let rates = self.certain().into_iter();
        let others: f64 = rates.map(|arm| self.accounts[arm.0].rate()).sum();
        let active = |account: &&mut Account| account.is_active();
        for account in self.accounts.iter_mut().filter(active) {
            if let Some(kept) = account.tentative {
                let rate = account.rate();
                let part = kept + (1.0 - kept) * rate / (rate + others);
                account.credit += work * part / (1.0 - part);
            }
        }
    }

    /// Work of an arm pays off what the others had too much, by their parts.
    fn pay(&mut self, arm: Arm, work: f64) {
        if self.accounts.iter().all(|account| account.debt <= 0.0) {
            return;
        }
        let active = self.certain();
        let parts = self.parts(&active);
        let own = active.iter().position(|other| *other == arm);
        let own = own.map_or(1.0, |at| parts[at]);
        for (other, part) in active.into_iter().zip(parts) {
            if other != arm {
                self.accounts[other.0].debt -= work * part / own;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(scheduler: &mut Scheduler, count: usize, arms: usize, paying: usize) -> Vec<usize> {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut had = vec![0; arms];
        for _ in 0..count {
            let arm = scheduler.step(|| rng.f64()).expect("an active arm");
            had[arm.0] += 1;
            scheduler.spend(arm, 1.0);
            scheduler.gain(arm, if arm.0 == paying { 0.2 } else { 0.0 });
        }
        had
    }

    /// An arm whose steps take much has no more of the work than its part.
    #[test]
    fn long_steps_are_paid_off() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut scheduler = Scheduler::new(Policy::Yield);
        let (short, long) = (scheduler.add(8), scheduler.add(8));
        let mut had = [0.0, 0.0];
        for _ in 0..20_000 {
            let arm = scheduler.step(|| rng.f64()).expect("an active arm");
            let work = if arm == short { 1.0 } else { 40.0 };
            had[usize::from(arm == long)] += work;
            scheduler.spend(arm, work);
        }
        let part = had[1] / (had[0] + had[1]);
        assert!((0.3..0.6).contains(&part), "{part}");
    }

    /// An arm that pays gets most of the turns, loses them when another one pays, and never all.
    #[test]
    fn work_follows_the_yield_with_a_floor() {
        let mut scheduler = Scheduler::new(Policy::Yield);
        for _ in 0..4 {
            let _ = scheduler.add(8);
        }
        for paying in [2, 0] {
            let had = turns(&mut scheduler, 4000, 4, paying);
            let others = || (0..4).filter(|arm| *arm != paying);
            assert!(others().all(|arm| had[paying] > 2 * had[arm]), "{had:?}");
            assert!(others().all(|arm| had[arm] > 300), "{had:?}");
        }
    }

    /// A tentative arm has little more than its floor if it brings nothing, whether the others gain or
    /// not, and more as soon as it gains.
    #[test]
    fn an_arm_that_brings_nothing_wears_off() {
        for others_gain in [0.0, 0.01] {
            let mut rng = fastrand::Rng::with_seed(1);
            let mut scheduler = Scheduler::new(Policy::Yield);
            let _ = (scheduler.add(8), scheduler.add(8));
            let other = scheduler.add_tentative(0.02);
            let mut part = |scheduler: &mut Scheduler, gain: f64| {
                let mut had = [0.0, 0.0];
                for _ in 0..20_000 {
                    let arm = scheduler.step(|| rng.f64()).expect("an active arm");
                    had[usize::from(arm == other)] += 1.0;
                    scheduler.spend(arm, 1.0);
                    scheduler.gain(arm, if arm == other { gain } else { others_gain });
                }
                had[1] / (had[0] + had[1])
            };
            let nothing = part(&mut scheduler, 0.0);
            assert!(nothing < 0.07, "{nothing}");
            let much = part(&mut scheduler, 0.1);
            assert!(much > 0.3, "{much}");
        }
    }

    /// Of several tentative arms each has its credit.
    #[test]
    fn tentative_arms_do_not_wait_for_one_another() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut scheduler = Scheduler::new(Policy::Yield);
        let _ = scheduler.add(8);
        let beside = [0.02, 0.02].map(|part| scheduler.add_tentative(part));
        let mut had = [0, 0];
        for _ in 0..20_000 {
            let arm = scheduler.step(|| rng.f64()).expect("an active arm");
            scheduler.spend(arm, 1.0);
            if let Some(one) = beside.iter().position(|one| *one == arm) {
                had[one] += 1;
            }
        }
        let [one, other] = had;
        assert!(one > 200 && one < 2 * other && other < 2 * one, "{had:?}");
    }

    /// The others have the same turns and draw the same numbers with a tentative arm beside them,
    /// whatever it takes and gains.
    #[test]
    fn others_do_not_notice_a_tentative_arm() {
        let turns = |tentative: Option<f64>| {
            let mut rng = fastrand::Rng::with_seed(7);
            let mut scheduler = Scheduler::new(Policy::Yield).with_floor(0.2);
            let others = [scheduler.add(8), scheduler.add(3)];
            let beside = tentative.map(|_| scheduler.add_tentative(0.02));
            let mut had = Vec::new();
            while had.len() < 2_000 {
                let arm = scheduler.step(|| rng.f64()).expect("an active arm");
                if Some(arm) == beside {
                    scheduler.spend(arm, 3.0);
                    scheduler.gain(arm, tentative.unwrap_or_default());
                    continue;
                }
                had.push(arm);
                scheduler.spend(arm, if arm == others[0] { 1.0 } else { 4.0 });
                scheduler.gain(arm, if had.len() % 50 == 0 { 1.0 } else { 0.0 });
                if had.len() % 70 == 0 {
                    scheduler.rest(arm, 2);
                }
            }
            had
        };
        let alone = turns(None);
        assert!(alone == turns(Some(0.0)) && alone == turns(Some(1.0)));
    }

    #[test]
    fn work_is_equal_and_of_equals_the_first_comes_first() {
        let mut scheduler = Scheduler::new(Policy::Shares);
        let (a, b) = (scheduler.add(1), scheduler.add(1));
        let mut order = Vec::new();
        for _ in 0..6 {
            let arm = scheduler.step(|| 0.0).expect("an active arm");
            scheduler.spend(arm, if arm == a { 1.0 } else { 2.0 });
            order.push(arm);
        }
        assert_eq!(order, [a, b, a, a, b, a]);
    }

    #[test]
    fn turns_are_passed_paused_and_rested() {
        let mut scheduler = Scheduler::new(Policy::Yield);
        let (a, b) = (scheduler.add(3), scheduler.add(1));
        scheduler.begin(a);
        assert_eq!(scheduler.step(|| 0.99), Some(a));
        scheduler.pass(b);
        assert_eq!(scheduler.step(|| 0.0), Some(b));
        scheduler.pause(b);
        assert_eq!(scheduler.step(|| 0.99), Some(a));
        scheduler.resume(b);
        scheduler.rest(b, 2);
        let next: Vec<_> = (0..9).map(|_| scheduler.step(|| 0.99)).collect();
        assert_eq!(next[..8], [Some(a); 8]);
        assert_eq!(next[8], Some(b));
        scheduler.retire(a);
        scheduler.rest(b, 9);
        assert_eq!(scheduler.step(|| 0.0), Some(b));
        scheduler.retire(b);
        assert_eq!(scheduler.step(|| 0.0), None);
    }
}

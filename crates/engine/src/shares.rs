//! Shares of the work: a bandit whose arms forget.
//!
//! What pays changes in the course of a search. So each arm has an account of what it had and
//! gave, both fading by [`FADE`] from turn to turn of any arm, with a prior that speaks for arms
//! that had no work of late. The next turn goes to an arm with probability proportional to its
//! rate (what it gained per step), but each arm keeps [`SHARE`] of an equal part.

const FADE: f64 = 0.968;
/// The part of an equal share that each arm keeps.
const SHARE: f64 = 0.4;
/// A prior gain, and the steps that it is for.
const PRIOR: (f64, f64) = (0.2, 8.0);

/// What an arm had and gave.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    steps: f64,
    gain: f64,
}

impl Account {
    fn rate(self) -> f64 {
        (self.gain + PRIOR.0) / (self.steps + PRIOR.1)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Shares(Vec<Account>);

impl Shares {
    /// Shares of so many arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Shares(vec![Account::default(); arms])
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.0.len()
    }

    /// Takes an arm out; those behind it move up.
    pub fn remove(&mut self, arm: usize) {
        self.0.remove(arm);
    }

    /// Books work of an arm.
    pub fn spend(&mut self, arm: usize, steps: f64) {
        self.0[arm].steps += steps;
    }

    /// Books what work of an arm gave.
    pub fn gain(&mut self, arm: usize, gain: f64) {
        self.0[arm].gain += gain;
    }

    /// The arm of the next turn, for a random number from 0 to 1. What was booked so far counts
    /// less from now on.
    pub fn turn(&mut self, random: f64) -> usize {
        let arm = self.choose(random);
        for account in &mut self.0 {
            account.steps *= FADE;
            account.gain *= FADE;
        }
        arm
    }

    fn choose(&self, random: f64) -> usize {
        let all: f64 = self.0.iter().map(|account| account.rate()).sum();
        let equal = 1.0 / self.0.len() as f64;
        let mut left = random;
        for (arm, account) in self.0.iter().enumerate() {
            left -= SHARE * equal + (1.0 - SHARE) * account.rate() / all;
            if left < 0.0 {
                return arm;
            }
        }
        self.0.len() - 1
    }
}

//! The inputs that a search starts from.
//!
//! Of a large corpus most inputs take no branch that others do not, and a recorded run takes several
//! times as long as one of the plain program. So once some had a recorded run for nothing, the plain
//! program shows of each what it does, and those that show nothing new are put aside.
//!
//! Law: none is lost. What is put aside is the search's when it has nothing else to try.

use std::collections::VecDeque;

use labrys_suite::Input;

use crate::observation::Initial;

/// Recorded runs of seeds that took no new branch before the plain program is asked first.
const IN_VAIN: u32 = 32;

/// See the module.
#[derive(Debug)]
pub(crate) struct Start {
    waiting: VecDeque<Initial>,
    aside: VecDeque<Initial>,
    /// Recorded runs of seeds that took no new branch.
    in_vain: u32,
}

impl Start {
    /// These are the seeds.
    pub(crate) fn new(seeds: Vec<Input>) -> Self {
        let seeds = seeds.into_iter().map(|input| Initial::seed(input, None));
        Start {
            waiting: seeds.collect(),
            aside: VecDeque::new(),
            in_vain: 0,
        }
    }

    /// A test of a resumed suite comes before all others.
    pub(crate) fn put_first(&mut self, test: Initial) {
        self.waiting.push_front(test);
    }

    pub(crate) fn push(&mut self, initial: Initial) {
        self.waiting.push_back(initial);
    }

    pub(crate) fn next(&mut self) -> Option<Initial> {
        self.waiting.pop_front()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Tests of a resumed suite that are waiting.
    pub(crate) fn tests(&self) -> usize {
        self.waiting.iter().filter(|one| one.case.is_some()).count()
    }

    /// Seeds that are waiting.
    pub(crate) fn seeds(&self) -> usize {
        self.waiting.iter().filter(|one| one.is_seed).count()
    }

    /// Whether the plain program is to show first what an input does.
    pub(crate) fn is_doubtful(&self, initial: &Initial) -> bool {
        self.in_vain >= IN_VAIN && initial.is_seed
    }

    /// Books a recorded run that took so many new branches.
    pub(crate) fn note(&mut self, is_seed: bool, gain: usize) {
        self.in_vain += u32::from(is_seed && gain == 0);
    }

    pub(crate) fn put_aside(&mut self, initial: Initial) {
        self.aside.push_back(initial);
    }

    pub(crate) fn next_aside(&mut self) -> Option<Initial> {
        self.aside.pop_front()
    }

    /// How many are aside.
    pub(crate) fn aside(&self) -> usize {
        self.aside.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a technique found has its run, whatever it shows: it may be near to a target.
    #[test]
    fn only_seeds_are_doubtful() {
        let input = || Input::stdin(*b"x");
        let mut start = Start::new(vec![input()]);
        start.push(Initial::found(input(), "seed"));
        let (seed, found) = (start.next().expect("two"), start.next().expect("two"));
        (1..IN_VAIN).for_each(|_| start.note(true, 0));
        start.note(true, 3);
        start.note(false, 0);
        assert!(!start.is_doubtful(&seed));
        start.note(true, 0);
        assert!(start.is_doubtful(&seed) && !start.is_doubtful(&found));
        let test = Initial::seed(input(), Some(1));
        assert!(!start.is_doubtful(&test));
    }
}

//! Branches whose first run fails.
//!
//! Such a run says little of the code behind its branch, and the branch counts as covered: nobody asks
//! for it again. So the query is asked again, for another input: one of the bytes that the solver
//! changed is to stay as it was, for each input that failed. Another value would not do: that a pointer
//! is null, say, has many.

use std::collections::VecDeque;

use labrys_expr::{ExprId, Pool, Symbol};
use labrys_suite::Input;
use rustc_hash::FxHashMap;

use crate::tree::{Candidate, RunId};

/// Inputs that are asked for at one branch beside the first.
const MOST: usize = 3;

/// What is to be asked again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub(crate) candidate: Candidate,
    /// The run whose input is changed.
    pub(crate) parent: RunId,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// The inputs that took a candidate and failed behind it.
    failed: FxHashMap<Candidate, Vec<Input>>,
    waiting: VecDeque<Again>,
}

impl Others {
    /// Learns of a run that took its candidate: whether it fails, and whether none before took that branch.
    pub(crate) fn learn(&mut self, again: Again, input: &Input, fails: bool, is_first: bool) {
        let candidate = again.candidate;
        if !fails {
            self.failed.remove(&candidate);
            return;
        }
        if !is_first && !self.failed.contains_key(&candidate) {
            return;
        }
        let failed = self.failed.entry(candidate).or_default();
        failed.push(input.clone());
        if failed.len() <= MOST {
            self.waiting.push_back(again);
        } else {
            self.failed.remove(&candidate);
        }
    }

    /// What is to be asked next.
    pub(crate) fn next(&mut self) -> Option<Again> {
        self.waiting.pop_front()
    }

    /// That an input, which is made of another one by conditions, keeps for each that failed one of the
    /// bytes of these conditions that were changed there; `None` if none were.
    pub(crate) fn kept(
        &self,
        pool: &mut Pool,
        again: Again,
        conditions: &[ExprId],
        input: &Input,
    ) -> Option<Vec<ExprId>> {
        let mut bytes: Vec<Symbol> = Vec::new();
        for condition in conditions {
            bytes.extend(pool.symbols(*condition).iter());
        }
        bytes.sort_unstable();
        bytes.dedup();
        let failed = self.failed.get(&again.candidate)?;
        failed
            .iter()
            .map(|failed| keeps(pool, &bytes, input, failed))
            .collect()
    }
}

/// That one of the bytes that differ in an input that failed is as it was; `None` if there is none.
fn keeps(pool: &mut Pool, bytes: &[Symbol], input: &Input, failed: &Input) -> Option<ExprId> {
    let mut any = None;
    for symbol in bytes {
        let Symbol::Byte { stream, offset } = *symbol else {
            continue;
        };
        let at = |input: &Input| input.byte(usize::from(stream), offset as usize);
        let Some(value) = at(input).filter(|value| at(failed) != Some(*value)) else {
            continue;
        };
        let (byte, value) = (pool.symbol(*symbol), pool.constant(8, u128::from(value)));
        let same = pool.eq(byte, value);
        any = Some(any.map_or(same, |any| pool.or(any, same)));
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::NodeId;

    fn again() -> Again {
        Again {
            candidate: Candidate {
                node: NodeId(3),
                direction: 1,
            },
            parent: RunId(0),
        }
    }

    #[test]
    fn a_branch_is_asked_for_until_a_run_does_not_fail_or_a_few_did() {
        let mut others = Others::default();
        let input = Input::stdin(vec![1, 2]);
        others.learn(again(), &input, true, false);
        assert!(others.next().is_none(), "it was taken before");
        others.learn(again(), &input, true, true);
        assert!(others.next().is_some());
        others.learn(again(), &input, false, false);
        others.learn(again(), &input, true, false);
        assert!(others.next().is_none());
        for number in 0..=MOST {
            others.learn(again(), &input, true, number == 0);
            assert_eq!(others.next().is_some(), number < MOST);
        }
    }

    #[test]
    fn a_byte_that_was_changed_stays_as_it_was() {
        let mut pool = Pool::default();
        let byte = |pool: &mut Pool, offset| pool.symbol(Symbol::Byte { stream: 0, offset });
        let (first, second) = (byte(&mut pool, 0), byte(&mut pool, 1));
        let below = pool.ult(first, second);
        let mut others = Others::default();
        others.learn(again(), &Input::stdin(vec![0, 9, 7]), true, true);
        let parent = Input::stdin(vec![0, 0, 0]);
        let zero = pool.constant(8, 0);
        let expected = pool.eq(second, zero);
        let kept = others.kept(&mut pool, again(), &[below], &parent);
        assert_eq!(kept, Some(vec![expected]), "the third byte is free");
        let same = Input::stdin(vec![0, 9, 0]);
        assert_eq!(others.kept(&mut pool, again(), &[below], &same), None);
    }
}

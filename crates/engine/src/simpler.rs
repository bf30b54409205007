//! Simpler inputs for tests of functions: what decides nothing, and of which nothing is left behind
//! the call, is zeros. A model leaves them free, and what is free gets a fresh value, so a
//! test would say `errors[1] = 16777215` where no call comes to it.
//!
//! Law: on the simpler input the plain program takes the same branches, comes to the same markers,
//! ends the same way and leaves the same behind.

use std::collections::VecDeque;
use std::ops::Range;

use labrys_suite::{Input, InputObject, Observed, StreamKind};

use crate::{Error, PlainRun};

/// Runs of the plain program for one test, at most; for all tests; and one more for so many runs of the
/// search, so that these get the time.
const FOR_TEST: u64 = 16;
const FOR_ALL: u64 = 128;
const ONE_OF: u64 = 4;
/// Bytes of the pieces of an object that become zeros by themselves.
const PIECE: usize = 4;

/// How many runs may simplify the next test, after so many of the search and so many that did.
pub(crate) fn allowance(runs: u64, simplifying: u64) -> u64 {
    let all = FOR_ALL + runs / ONE_OF;
    all.saturating_sub(simplifying).min(FOR_TEST)
}

/// Makes pieces of objects zeros, as far as runs of the plain program do what one did. First all are
/// tried at once, then halves of what makes a difference, the larger ones first. Pieces that stand in
/// what is left behind are not tried.
pub(crate) fn simplify(
    input: &mut Input,
    objects: &[InputObject],
    plain: &PlainRun,
    most: u64,
    run: &mut dyn FnMut(&Input) -> Result<PlainRun, Error>,
) -> Result<(), Error> {
    let streams = input.streams.iter();
    let Some(stream) = streams
        .map(|stream| &stream.kind)
        .position(|kind| *kind == StreamKind::Objects)
    else {
        return Ok(());
    };
    let bytes = &input.streams[stream].bytes;
    let places = objects.iter().flat_map(|object| {
        let (start, end) = (object.offset, object.offset + object.size);
        let pieces = (start as usize..end as usize).step_by(PIECE);
        pieces.map(move |at| at..(at + PIECE).min(end as usize))
    });
    let is_tried = |place: &Range<usize>| {
        let piece = bytes.get(place.clone()).unwrap_or_default();
        let is_left = |one: &Observed| one.bytes.windows(PIECE).any(|bytes| bytes == piece);
        // Small numbers stand everywhere.
        match piece.iter().filter(|byte| **byte != 0).count() {
            0 => false,
            1 => true,
            _ => !plain.results.iter().any(is_left),
        }
    };
    let places: Vec<Range<usize>> = places.filter(is_tried).collect();
    let mut open = VecDeque::from([&places[..]]);
    for _ in 0..most {
        let Some(tried) = open.pop_front().filter(|tried| !tried.is_empty()) else {
            break;
        };
        let mut simpler = input.clone();
        for place in tried {
            simpler.streams[stream].bytes[place.clone()].fill(0);
        }
        if is_same(&run(&simpler)?, plain) {
            *input = simpler;
        } else if tried.len() > 1 {
            let (first, second) = tried.split_at(tried.len() / 2);
            open.extend([first, second]);
        }
    }
    Ok(())
}

fn is_same(run: &PlainRun, other: &PlainRun) -> bool {
    run.outcome == other.outcome
        && run.coverage == other.coverage
        && run.targets == other.targets
        && run.results == other.results
}

#[cfg(test)]
mod tests {
    use labrys_suite::{Coverage, ObjectKind, Outcome};

    use super::*;

    fn run(bytes: &[u8], returned: u8) -> PlainRun {
        PlainRun {
            outcome: Outcome::Exit(0),
            coverage: Coverage::from_bytes(&[u8::from(bytes[0] == 7), u8::from(bytes[2] > 1)]),
            targets: Vec::new(),
            results: Observed::of(vec![(0, vec![returned])]),
        }
    }

    /// What becomes of the bytes of an input, each an object, by what a call of them returns; and how
    /// many runs that takes.
    fn simplified(bytes: &[u8], returns: impl Fn(&[u8]) -> u8) -> (Vec<u8>, usize) {
        let object = |offset: usize| InputObject {
            name: offset.to_string(),
            offset: offset as u64,
            size: 1,
            kind: ObjectKind::Bytes,
        };
        let objects: Vec<_> = (0..bytes.len()).map(object).collect();
        let mut input = Input::objects(bytes);
        let plain = run(bytes, returns(bytes));
        let mut runs = 0;
        simplify(&mut input, &objects, &plain, 20, &mut |input| {
            runs += 1;
            let bytes = &input.streams[0].bytes;
            Ok(run(bytes, returns(bytes)))
        })
        .expect("runs");
        (input.streams.remove(0).bytes, runs)
    }

    #[test]
    fn what_decides_nothing_is_zero() {
        let bytes = [7, 9, 3, 4, 5, 6, 7, 8];
        assert_eq!(simplified(&bytes, |_| 0).0, [7, 0, 3, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_left_behind_stays() {
        let bytes = [1, 9, 0, 4, 5, 6, 7, 8];
        let (simpler, _) = simplified(&bytes, |bytes| bytes[4] + 1);
        assert_eq!(simpler, [0, 0, 0, 0, 5, 0, 0, 0]);
        assert_eq!(simplified(&bytes, |_| 0), (vec![0; 8], 1));
    }

    #[test]
    fn what_stands_in_the_results_is_not_tried() {
        let objects = [InputObject {
            name: "pair".to_owned(),
            offset: 0,
            size: 8,
            kind: ObjectKind::Bytes,
        }];
        let mut input = Input::objects([1, 2, 3, 4, 5, 6, 7, 8]);
        let plain = PlainRun {
            results: Observed::of(vec![(1, vec![0, 1, 2, 3, 4])]),
            ..run(&[0; 8], 0)
        };
        let mut run = |_: &Input| Ok(plain.clone());
        simplify(&mut input, &objects, &plain, 20, &mut run).expect("runs");
        assert_eq!(input.streams[0].bytes, [1, 2, 3, 4, 0, 0, 0, 0]);
    }

    #[test]
    fn runs_have_a_limit() {
        let bytes = [1; 200];
        let (_, runs) = simplified(&bytes, |bytes| bytes.iter().sum());
        assert_eq!(runs, 20);
        assert_eq!(simplified(&[0; 8], |_| 0).1, 0);
        assert_eq!(
            [allowance(0, 0), allowance(4, 120), allowance(99, 200)],
            [16, 9, 0]
        );
    }
}

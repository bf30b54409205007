//! A smaller input that shows the same failure.
//!
//! Delta debugging (Zeller and Hildebrandt, 2002), without the complements: pieces are taken
//! out of files and arguments, halving their size down to single bytes, and pieces of objects,
//! which keep their size, are set to 0. The order is fixed and trials are counted, so the result
//! depends on nothing but the program.
//!
//! Law: the result passes the test that the input passed.

use std::time::Duration;

use labrys_suite::{Input, InputStream, StreamKind};

use crate::Error;

/// Trials for one failure, at most.
const TRIALS: u32 = 300;
/// Trials for all failures that a session may have before its first run.
const FIRST: u64 = 100;
/// Trials for one failure, at least.
const LEAST: u32 = 16;
/// The part of the time of a session that is for trials.
const PART_OF_TIME: u32 = 10;

/// Trials of a session: they may be somewhat more than its runs, so that many failures do not take
/// the time of the search.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    spent: u64,
    time: Duration,
}

impl Allowance {
    /// Trials for the next failure after so many runs.
    fn next(&self, runs: u64) -> u32 {
        let left = (FIRST + runs).saturating_sub(self.spent);
        u32::try_from(left).unwrap_or(TRIALS).clamp(LEAST, TRIALS)
    }

    /// The time for the trials of the next failure, in a session of so much time: half of what is
    /// left for all, so that no failure takes the time of those that follow.
    pub(super) fn time(&self, session: Duration) -> Duration {
        (session / PART_OF_TIME).saturating_sub(self.time) / 2
    }

    /// Books the time that trials took.
    pub(super) fn book_time(&mut self, taken: Duration) {
        self.time += taken;
    }
}

/// A search for a smaller input.
pub(crate) struct Minimizer<'a> {
    best: Input,
    trials: u32,
    /// Trials that were made.
    made: u64,
    /// Whether an input shows the failure; `None` ends the search.
    shows: &'a mut dyn FnMut(&Input) -> Result<Option<bool>, Error>,
}

/// The smallest input that was found, after so many runs of the search.
pub(crate) fn minimize(
    input: &Input,
    (allowance, runs): (&mut Allowance, u64),
    shows: &mut dyn FnMut(&Input) -> Result<Option<bool>, Error>,
) -> Result<Input, Error> {
    let mut minimizer = Minimizer {
        best: input.clone(),
        trials: allowance.next(runs),
        made: 0,
        shows,
    };
    for stream in 0..input.streams.len() {
        minimizer.stream(stream)?;
    }
    allowance.spent += minimizer.made;
    Ok(minimizer.best)
}

impl Minimizer<'_> {
    /// Makes one stream smaller.
    fn stream(&mut self, stream: usize) -> Result<(), Error> {
        let change = match self.best.streams[stream].kind {
            StreamKind::Stdin | StreamKind::File { .. } => cut,
            StreamKind::Argument { .. } => cut_string,
            StreamKind::Objects => clear,
            // Its name must stay, and its value is rarely long.
            StreamKind::Environment { .. } => return Ok(()),
        };
        let mut size = self.length(stream);
        while size > 0 && self.trials > 0 {
            self.pieces(stream, size, change)?;
            size /= 2;
        }
        Ok(())
    }

    /// Tries to do without each piece of this size, from the end.
    fn pieces(&mut self, stream: usize, size: usize, change: Change) -> Result<(), Error> {
        let mut end = self.length(stream);
        // Copied once for each trial, not for each piece: most pieces of large objects are zeros.
        let mut candidate = self.best.clone();
        while end > 0 && self.trials > 0 {
            let start = end.saturating_sub(size);
            if change(&mut candidate.streams[stream], start, end) {
                self.trials -= 1;
                self.made += 1;
                match (self.shows)(&candidate)? {
                    Some(true) => self.best.clone_from(&candidate),
                    Some(false) => candidate.clone_from(&self.best),
                    None => self.trials = 0,
                }
            }
            end = start;
        }
        Ok(())
    }

    fn length(&self, stream: usize) -> usize {
        self.best.streams[stream].visible().len()
    }
}

/// Does without the bytes of a range of a stream; `false` if that changes nothing.
type Change = fn(&mut InputStream, usize, usize) -> bool;

fn cut(stream: &mut InputStream, start: usize, end: usize) -> bool {
    stream.bytes.drain(start..end);
    true
}

/// The string gets shorter, its room stays.
fn cut_string(stream: &mut InputStream, start: usize, end: usize) -> bool {
    let room = stream.bytes.len();
    stream.bytes.drain(start..end);
    stream.bytes.resize(room, 0);
    true
}

fn clear(stream: &mut InputStream, start: usize, end: usize) -> bool {
    let piece = &mut stream.bytes[start..end];
    let changes = piece.iter().any(|byte| *byte != 0);
    piece.fill(0);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimize(
        input: &Input,
        shows: &mut dyn FnMut(&Input) -> Result<Option<bool>, Error>,
    ) -> Result<Input, Error> {
        super::minimize(input, (&mut Allowance::default(), 1000), shows)
    }

    fn contains(input: &Input, needle: &[u8]) -> bool {
        let bytes = input.streams[0].visible();
        bytes.windows(needle.len()).any(|window| window == needle)
    }

    #[test]
    fn what_does_not_matter_goes() {
        let text = [&[b'x'; 40][..], b"bug", &[b'y'; 25]].concat();
        let mut shows = |input: &Input| Ok(Some(contains(input, b"bug")));
        let small = minimize(&Input::stdin(text.clone()), &mut shows).expect("no errors");
        assert_eq!(small, Input::stdin("bug"));
        let argument = Input::new(vec![InputStream::argument(1, &text, 80)]);
        let small = minimize(&argument, &mut shows).expect("no errors");
        assert_eq!(
            small,
            Input::new(vec![InputStream::argument(1, b"bug", 80)])
        );
        let small = minimize(&Input::objects(text), &mut shows).expect("no errors");
        let bytes = &small.streams[0].bytes;
        assert_eq!((bytes.len(), &bytes[40..43]), (68, &b"bug"[..]));
        assert!(
            bytes[..40]
                .iter()
                .chain(&bytes[43..])
                .all(|byte| *byte == 0)
        );
    }

    #[test]
    fn trials_are_counted_and_may_end() {
        let mut count = 0;
        let mut never = |_: &Input| {
            count += 1;
            Ok(Some(false))
        };
        let long = Input::stdin(vec![1; 5000]);
        assert_eq!(minimize(&long, &mut never).expect("no errors"), long);
        assert_eq!(count, TRIALS);
        let mut count = 0;
        let mut ends = |_: &Input| {
            count += 1;
            Ok(None)
        };
        minimize(&long, &mut ends).expect("no errors");
        assert_eq!(count, 1);
    }

    #[test]
    fn trials_have_their_part_of_the_time() {
        let second = Duration::from_secs(1);
        let mut allowance = Allowance::default();
        assert_eq!(allowance.time(10 * second), second / 2);
        allowance.book_time(second / 2);
        assert_eq!(allowance.time(10 * second), second / 4);
        allowance.book_time(9 * second);
        assert_eq!(allowance.time(10 * second), Duration::ZERO);
    }

    #[test]
    fn many_failures_take_no_more_trials_than_runs() {
        let mut allowance = Allowance::default();
        let long = Input::stdin(vec![1; 5000]);
        let mut count = 0;
        for runs in 0..200 {
            let mut never = |_: &Input| {
                count += 1;
                Ok(Some(false))
            };
            super::minimize(&long, (&mut allowance, runs), &mut never).expect("no errors");
        }
        let least = 200 * u64::from(LEAST);
        assert!((least..least + FIRST + 200).contains(&count), "{count}");
        assert_eq!(allowance.next(10_000), TRIALS);
        assert_eq!(Allowance::default().next(3), 103);
    }
}

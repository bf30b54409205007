//! Runs that reach a limit: they do not end, or take memory without end.
//!
//! The instrumented build is slow, so a run of it that is cut off says little. It is a failure if
//! the plain build reaches the limit too, twice: with twice the time, and with several times and the
//! clock and randomness of the machine. A run that had too little of the processor gets its time
//! again. Where it loops says the checked build, which is asked twice: what both stacks have in
//! common, from `main` on, holds the loop.
//!
//! A look takes as long as a dozen limits. So the first one is at once, and further ones wait until
//! the search has done several times their work, or has nothing more to try. A session with little
//! time, as each of many functions has, looks last: when its search ends, or has left the time of a
//! look.
//!
//! A loop that waits for what is outside (`waits.rs`) is no failure.
//!
//! Law: a look costs a bounded number of limits, and there is a bounded number of looks.

use std::collections::VecDeque;
use std::time::Duration;

use labrys_executor::{Checked, Frame, Mode, Report};
use labrys_suite::Outcome;

use super::list::{Key, Verdict, frames};
use super::waits::waiting;
use super::{Failures, Finding, STACK_OVERFLOW, Tools};
use crate::Error;
use crate::place::of_user;
use crate::runs::Facts;

/// Looks at runs that were cut off, in a session.
const LOOKS: u64 = 32;
/// So many of them at any time, and one more for each of so many runs: in an interpreter of a
/// language with loops many inputs never end.
const FIRST_LOOKS: u64 = 2;
const RUNS_PER_LOOK: u64 = 64;
/// Work of the search for each look before it ends, in steps of the solver. By them a look at a run
/// with a limit of a second takes a fifth of the time.
const EFFORT_PER_LOOK: u64 = 2_000_000;
/// How many times the time of a run the first confirming one has.
const FIRST: u32 = 2;
/// How many times the time of a run the second confirming one has, at least. The plain build counts
/// branches, and is not optimized at first: a loop that took it 3.0 s takes clang's build 0.4 s.
pub const LONGER: u32 = 6;

/// Why a limit that the second of them does not reach is no failure.
const ENDED: &str = "it ended when it had longer, or it depends on the clock or on randomness, \
                     which are the same in other runs, or on which thread runs first";

/// Why a loop that waits is none.
const WAITS: &str = "the loop waits for a volatile object, which may change from outside";

const TIMEOUT: &str = "timeout";
const MEMORY: &str = "memory-exhaustion";
/// The kinds of these failures.
const KINDS: [&str; 2] = [TIMEOUT, MEMORY];

/// The kind of failure that it is to reach a limit.
fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::MemoryLimit => MEMORY,
        _ => TIMEOUT,
    }
}

/// Whether failures are looked for among runs that were cut off, and how many looks there were.
#[derive(Debug)]
pub(super) struct EndlessRuns {
    /// How many times the time of a run the second confirming one has; `None` if no failures are
    /// looked for.
    longer: Option<u32>,
    /// The time that a look may take, if looks come last.
    last: Option<Duration>,
    looks: u64,
    /// Runs for which it is too early.
    put_off: VecDeque<Facts>,
}

impl EndlessRuns {
    /// With the time of a run if looks come last.
    pub(super) fn new(longer: Option<u32>, last: Option<Duration>) -> Self {
        // Two stacks, and two confirming runs.
        let runs = 2 + FIRST + longer.unwrap_or(FIRST);
        EndlessRuns {
            longer,
            last: last.map(|run| run * runs),
            looks: 0,
            put_off: VecDeque::new(),
        }
    }

    /// Whether to look, after so many runs.
    pub(super) fn take(&mut self, runs: u64) -> bool {
        let most = LOOKS.min(FIRST_LOOKS + runs / RUNS_PER_LOOK);
        let takes = self.longer.is_some() && self.looks < most;
        self.looks += u64::from(takes);
        takes
    }

    /// Whether it is too early to look, after so much effort and with so much time left.
    fn is_early(&self, effort: u64, left: Option<Duration>) -> bool {
        self.looks > effort / EFFORT_PER_LOOK
            || self
                .last
                .is_some_and(|look| left.is_none_or(|left| left > look))
    }

    /// Whether the time that is left is that of a look, and there is something to look at.
    fn is_last_chance(&self, left: Option<Duration>) -> bool {
        let is_near = |look| left.is_some_and(|left| left <= look);
        !self.put_off.is_empty() && self.last.is_some_and(is_near)
    }

    /// Whether it is too late to look, which would take longer than what is left.
    fn is_late(&self, left: Option<Duration>) -> bool {
        let is_past = |look: Duration| left.is_some_and(|left| left < look / 2);
        self.last.is_some_and(is_past)
    }

    /// Keeps a run for later, if there is room.
    fn put_off(&mut self, run: &Facts) {
        if self.longer.is_some() && (self.put_off.len() as u64) < LOOKS {
            self.put_off.push_back(run.clone());
        }
    }
}

impl Failures {
    /// Looks at a run that was cut off, or puts it off and looks at an earlier one if it is time.
    pub(super) fn note_endless(
        &mut self,
        facts: &Facts,
        tools: &mut Tools<'_>,
    ) -> Result<(), Error> {
        if self.list.repeats(kind(&facts.outcome), &facts.coverage) {
            return Ok(());
        }
        self.endless.put_off(facts);
        let left = tools.deadline.time_left();
        match self.endless.is_early(tools.effort, left) {
            true => Ok(()),
            false => self.look_at_endless(tools),
        }
    }

    /// Looks at the runs that were put off, if the time that is left is not enough for more.
    pub(crate) fn look_before_the_end(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        match self.endless.is_last_chance(tools.deadline.time_left()) {
            true => self.look_at_all_endless(tools),
            false => Ok(()),
        }
    }

    /// Looks at the runs that were put off to the end of the search, which is there.
    pub(crate) fn look_at_the_end(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        match self.endless.last {
            Some(_) => self.look_at_all_endless(tools),
            None => Ok(()),
        }
    }

    /// Looks at the runs that were put off, as long as the time lasts.
    pub(super) fn look_at_all_endless(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        while !tools.is_late() && !self.endless.put_off.is_empty() {
            self.look_at_endless(tools)?;
        }
        Ok(())
    }

    /// Looks at the run that was put off first.
    fn look_at_endless(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        let Some(facts) = self.endless.put_off.pop_front() else {
            return Ok(());
        };
        let facts = &facts;
        let known = self.list.repeats(kind(&facts.outcome), &facts.coverage);
        let is_late = tools.is_late() || self.endless.is_late(tools.deadline.time_left());
        if is_late || known || !self.endless.take(tools.runs.counts().runs) {
            return Ok(());
        }
        let Some(stack) = stack(facts, tools)? else {
            return Ok(());
        };
        if self.list.holds_loop(&KINDS, &functions(&stack)) {
            return Ok(());
        }
        self.confirm_endless(facts, &stack, tools).map(|_| ())
    }

    /// Lets the plain build run for longer; whether that shows a failure not yet known.
    pub(super) fn confirm_endless(
        &mut self,
        facts: &Facts,
        stack: &[Frame],
        tools: &mut Tools<'_>,
    ) -> Result<bool, Error> {
        // What is slow under instrumentation may reach another limit without.
        let input = &facts.input;
        let first = tools
            .runs
            .plain_outcome_longer(input, Mode::Coverage, FIRST)?;
        if !first.is_limit() {
            return Ok(false);
        }
        let program = tools.runs.program().clone();
        let waiting = |outcome: &Outcome, stack| {
            let is_timeout = kind(outcome) == TIMEOUT;
            is_timeout.then(|| waiting(&program, stack)).flatten()
        };
        if let Some(calls) = waiting(&first, stack) {
            return self.write_endless(facts, calls, (first, Some(WAITS)), tools);
        }
        let longer = self.endless.longer.unwrap_or(FIRST);
        let second = tools.runs.plain_outcome_longer(input, Mode::Real, longer)?;
        let ended = (!second.is_limit()).then_some(ENDED);
        let outcome = reached(first, second);
        let other = match ended.is_none() && kind(&outcome) == TIMEOUT {
            true => self::stack(facts, tools)?,
            false => None,
        };
        let stack = other.map_or_else(|| stack.to_vec(), |other| common(stack, &other));
        let (calls, waits) = match waiting(&outcome, &stack) {
            Some(calls) => (calls, Some(WAITS)),
            None => (&stack[..], None),
        };
        self.write_endless(facts, calls, (outcome, ended.or(waits)), tools)
    }

    /// Writes a run that reached a limit, which is no failure for a reason; whether it is not yet
    /// known.
    fn write_endless(
        &mut self,
        facts: &Facts,
        stack: &[Frame],
        (outcome, reason): (Outcome, Option<&str>),
        tools: &mut Tools<'_>,
    ) -> Result<bool, Error> {
        let kind = kind(&outcome);
        let texts: Vec<String> = stack.iter().map(ToString::to_string).collect();
        let key = Key {
            kind: kind.to_owned(),
            location: of_user(tools.runs.program(), stack),
            frames: frames(texts.clone()),
        };
        let verdict = self.list.judge(&key);
        if verdict == Verdict::Known {
            return Ok(false);
        }
        let detail = reason.unwrap_or(match kind {
            TIMEOUT => "it did not end in two longer runs either",
            _ => "it takes all the memory that a run may have",
        });
        let finding = Finding {
            key,
            stack: texts,
            detail: detail.to_owned(),
            input: facts.input.clone(),
            outcome,
            confirmed: reason.is_none(),
        };
        self.write(facts, finding, verdict, tools).map(|()| true)
    }
}

/// The limit that two runs reached. Where memory is taken without end, the machine decides whether
/// time ends before memory does.
fn reached(first: Outcome, second: Outcome) -> Outcome {
    match second {
        Outcome::MemoryLimit => second,
        _ => first,
    }
}

/// Where the checked build is when it is cut off, or has no stack left: where the others make a loop of
/// a recursion, it calls. Empty if that is not known. `None` if it ends.
fn stack(facts: &Facts, tools: &mut Tools<'_>) -> Result<Option<Vec<Frame>>, Error> {
    if !tools.runs.has_checker() {
        return Ok(Some(Vec::new()));
    }
    let checked = tools.runs.check_briefly(&facts.input, tools.reporter)?;
    Ok(match checked {
        Some(Checked {
            outcome, reports, ..
        }) => {
            let last = reports.into_iter().next_back();
            let known = |report: &Report| outcome.is_limit() || report.kind == STACK_OVERFLOW;
            let stack = last.filter(known).map(|Report { stack, .. }| stack);
            stack.or_else(|| outcome.is_limit().then(Vec::new))
        }
        None => Some(Vec::new()),
    })
}

/// The names of functions on a stack, from the outermost on.
fn functions(stack: &[Frame]) -> Vec<&str> {
    let functions = stack.iter().rev();
    functions.map(|frame| frame.function.as_str()).collect()
}

/// The calls that two stacks have in common, innermost first: the innermost of them holds the
/// loop.
fn common(one: &[Frame], other: &[Frame]) -> Vec<Frame> {
    let pairs = one.iter().rev().zip(other.iter().rev());
    let same = pairs.take_while(|(one, other)| one.function == other.function);
    let depth = same.count();
    match depth {
        0 => one.to_vec(),
        _ => one[one.len() - depth..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(functions: &str) -> Vec<Frame> {
        let frame = |function: &str| Frame {
            function: function.to_owned(),
            ..Frame::default()
        };
        functions.split(' ').map(frame).collect()
    }

    #[test]
    fn looks_take_a_small_part_of_the_runs() {
        let looks = |longer: Option<u32>| {
            let mut endless = EndlessRuns::new(longer, None);
            let by_run: Vec<_> = (0..10_000).map(|run| endless.take(run)).collect();
            [&by_run[..2], &by_run[..640], &by_run]
                .map(|runs| runs.iter().filter(|look| **look).count())
        };
        assert_eq!(looks(Some(LONGER)), [2, 11, 32]);
        assert_eq!(looks(None), [0, 0, 0]);
    }

    #[test]
    fn further_looks_wait_for_the_search() {
        let mut endless = EndlessRuns::new(Some(LONGER), None);
        let is_early = |endless: &EndlessRuns, effort| endless.is_early(effort, None);
        assert!(!is_early(&endless, 0));
        assert!(endless.take(0));
        assert!(is_early(&endless, EFFORT_PER_LOOK - 1) && !is_early(&endless, EFFORT_PER_LOOK));
    }

    #[test]
    fn a_session_with_little_time_looks_last() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let endless = EndlessRuns::new(Some(6), seconds(1));
        assert!(endless.is_early(0, None) && endless.is_early(0, seconds(11)));
        assert!(!endless.is_early(0, seconds(10)));
        assert!(!endless.is_late(seconds(5)) && endless.is_late(seconds(4)));
        assert!(!endless.is_late(None), "without a limit of time");
        assert!(!endless.is_last_chance(seconds(10)), "nothing was put off");
    }

    #[test]
    fn what_two_stacks_have_in_common_holds_the_loop() {
        let both = common(&stack("strlen spin main"), &stack("step spin main"));
        assert_eq!(both, stack("spin main"));
        assert_eq!(common(&stack("f main"), &stack("f main")), stack("f main"));
        assert_eq!(common(&stack("f"), &stack("g")), stack("f"));
    }
}

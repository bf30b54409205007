//! The failures of a session: which runs are looked at, what failed in them, where, whether it is
//! real, and whether it is new.
//!
//! A run is judged by two builds without instrumentation. The checked one (AddressSanitizer)
//! says what failed and gives the stack; the plain one says whether the program fails without
//! help. A failure is confirmed if one of them shows it. A stack overflow must show in the plain
//! build, since the checked one needs more stack.
//!
//! Runs that were cut off are in `endless.rs`.
//!
//! The checked build goes on behind a check of a value that failed, so a run may show several
//! failures: each is judged for itself.
//!
//! A new failure is made small before it is written.

mod endless;
mod list;
mod looks;
mod minimize;
mod misuses;
mod repetitions;
mod unchecked;
mod waits;

use std::time::{Duration, Instant};

use labrys_abi::{OBJECT_SITE, is_size};
use labrys_executor::{Frame, Mode, Report};
use labrys_program::Site;
use labrys_suite::{Failure, FailureSummary, Input, Origin, Outcome};

use crate::Error;
use crate::budget::{Deadline, End};
use crate::observer::Notice;
use crate::place::{frame, of_user, place, stands_in_place};
use crate::reporter::Reporter;
use crate::runs::{Facts, Record, Runs};
use crate::saver::Saver;
use endless::EndlessRuns;
pub use endless::LONGER;
use list::{FailureList, Key, Verdict, frames};
use looks::Looks;
use minimize::{Allowance, minimize};
use misuses::MisuseFilter;
use repetitions::Repetitions;
use unchecked::UncheckedRuns;

/// What a look at a run showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No failure.
    Nothing,
    /// A failure that was known.
    Known,
    /// A failure that was not.
    New,
}

impl Found {
    fn of(new: bool) -> Self {
        if new { Found::New } else { Found::Known }
    }
}

/// What the builds without instrumentation say of an input.
struct Judged {
    report: Option<Report>,
    /// Whether the run ended there.
    ends: bool,
    plain: Outcome,
}

/// How a program without instrumentation fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// It ends, and no check finds anything.
    Ends,
    /// It fails, at this place if that is known.
    Fails(Option<String>),
    /// It was cut off, for its time or its memory.
    CutOff,
}

/// A failure that is about to be written.
struct Finding {
    key: Key,
    stack: Vec<String>,
    detail: String,
    input: Input,
    outcome: Outcome,
    confirmed: bool,
}

impl Finding {
    /// Whether a report is one of this failure.
    fn is_shown_by(&self, report: &Report) -> bool {
        let own = matches!(self.outcome, Outcome::Failure(_));
        (own || report.kind == self.key.kind) && frames(texts(report)) == self.key.frames
    }
}

/// See the module.
pub(crate) struct Failures {
    list: FailureList,
    /// Runs that do not fail are looked at for errors of memory.
    oracles: bool,
    /// All of them, not only those that draw attention.
    every_run: bool,
    repetitions: Repetitions,
    misuses: MisuseFilter,
    unchecked: UncheckedRuns<Facts>,
    looks: Looks<Facts>,
    endless: EndlessRuns,
    allowance: Allowance,
}

/// The strategy that a fuzzer hands inputs on as: it may have seen them fail under the checks of
/// memory.
pub const FUZZER: &str = "fuzz";

/// What is looked for beside runs that fail.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Oracles {
    /// Errors of memory, in runs that do not fail.
    pub(crate) memory: bool,
    /// In all of those, not only in those that draw attention.
    pub(crate) every_run: bool,
    /// Runs that do not end: how many times the time of a run the last confirming one has.
    pub(crate) endless: Option<u32>,
    /// The time of a run, if those are judged last.
    pub(crate) last: Option<Duration>,
}

/// The owners that looking at a run takes.
pub(crate) struct Tools<'a> {
    pub(crate) runs: &'a mut Runs,
    pub(crate) saver: &'a mut Saver,
    pub(crate) reporter: &'a mut Reporter,
    pub(crate) deadline: &'a Deadline,
    /// Whether the targets end the session.
    pub(crate) reached: Option<End>,
    /// As [`Session::effort`](crate::Session::effort).
    pub(crate) effort: u64,
}

impl Tools<'_> {
    fn is_over(&self) -> bool {
        let new_runs = self.runs.counts().new_runs;
        self.deadline.end(self.reached, new_runs).is_some()
    }

    /// Whether there is no time for more, whatever else is used up.
    fn is_late(&self) -> bool {
        let left = self.deadline.time_left();
        self.deadline.stop().is_set() || left.is_some_and(|left| left.is_zero())
    }

    fn checked(&mut self, input: &Input) -> Result<Vec<Report>, Error> {
        self.runs.check_memory(input, false, self.reporter)
    }
}

impl Failures {
    pub(crate) fn new(oracles: Oracles) -> Self {
        Failures {
            list: FailureList::default(),
            oracles: oracles.memory,
            every_run: oracles.every_run,
            endless: EndlessRuns::new(oracles.endless, oracles.last),
            repetitions: Repetitions::default(),
            misuses: MisuseFilter::default(),
            unchecked: UncheckedRuns::default(),
            looks: Looks::default(),
            allowance: Allowance::default(),
        }
    }

    /// Goes on with the failures of a suite.
    pub(crate) fn resume(&mut self, failures: Vec<Failure>) {
        self.list = FailureList::resumed(failures);
    }

    pub(crate) fn list(&self) -> &[Failure] {
        self.list.list()
    }

    /// The number of confirmed failures.
    pub(crate) fn confirmed(&self) -> u64 {
        self.list.confirmed()
    }

    /// What the summary says of the failures, the confirmed ones first.
    pub(crate) fn summary(&self, saver: &Saver) -> Vec<FailureSummary> {
        let list = self.list.list().iter();
        let (confirmed, open): (Vec<_>, Vec<_>) = list.partition(|failure| failure.confirmed);
        let all = confirmed.into_iter().chain(open);
        all.map(|failure| summarized(failure, saver)).collect()
    }

    /// Looks at a run if it fails, or may do so without a sign; `kept`: whether it is a test. Whether it
    /// is known to fail.
    pub(crate) fn look(
        &mut self,
        record: &Record,
        kept: bool,
        tools: &mut Tools<'_>,
    ) -> Result<bool, Error> {
        let Record {
            facts,
            trace,
            reported,
            misuses,
        } = record;
        if facts.outcome.is_limit() {
            self.note_endless(facts, tools)?;
        }
        // What is new may fail without a sign. Tests of a resumed suite are looked at again:
        // Labrys may have been killed before. What hangs would only hang for longer.
        let trace = trace.as_ref();
        let longer = trace.is_some_and(|trace| self.repetitions.learn(trace));
        let handed = facts.origin.strategy == FUZZER;
        let new = kept || longer || handed || out_of_bounds(&facts.origin);
        let misused = !new && self.misuses.suggest(misuses, tools.runs.counts().runs);
        let suspicious = (new || misused || self.every_run) && !facts.outcome.is_limit();
        let found = match facts.outcome.is_failure() {
            true => self.book(facts, reported.as_deref(), suspicious, tools)?,
            false if suspicious => self.look_in_time(facts, kept, tools)?,
            false => Found::Nothing,
        };
        if misused && found != Found::New {
            self.misuses.learn(misuses);
        }
        if let Some(trace) = trace.filter(|_| !suspicious) {
            self.leave_unchecked(facts, trace.steps().len(), tools)?;
        }
        self.look_at_one_that_waits(tools)?;
        Ok(facts.outcome.is_failure() || found != Found::Nothing)
    }

    /// Looks at the runs that were not, as long as the budget lasts.
    pub(crate) fn look_at_the_rest(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        while !tools.is_over()
            && let Some(run) = self.looks.next().or_else(|| self.unchecked.longest())
        {
            let _ = self.book(&run, None, true, tools)?;
        }
        self.look_at_all_endless(tools)
    }

    /// Gives up what the list holds without tidying.
    pub(crate) fn leave(self) {
        std::mem::forget(self.list);
    }

    /// Keeps a run that nothing drew attention to, and looks at one of those if it is time.
    fn leave_unchecked(
        &mut self,
        facts: &Facts,
        decisions: usize,
        tools: &mut Tools<'_>,
    ) -> Result<(), Error> {
        let ended = !facts.outcome.is_failure() && !facts.outcome.is_limit();
        if !ended || !self.looks_for_errors(tools) {
            return Ok(());
        }
        match self.unchecked.note(decisions, || facts.clone()) {
            Some(run) => self.look_in_time(&run, false, tools).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether the time admits a look at a run that does not fail; all runs are looked at where each
    /// has to be.
    fn has_time(&self, tools: &Tools<'_>) -> bool {
        let deadline = tools.deadline;
        let (elapsed, limit) = (deadline.clock().elapsed(), deadline.budget().time);
        self.every_run || self.looks.admits(elapsed, limit)
    }

    /// Looks at a run that does not fail, or lets it wait for the time that this takes.
    fn look_in_time(
        &mut self,
        run: &Facts,
        is_test: bool,
        tools: &mut Tools<'_>,
    ) -> Result<Found, Error> {
        if !self.looks_for_errors(tools) {
            return Ok(Found::Nothing);
        }
        if !self.has_time(tools) {
            self.looks.put_off(run.clone(), is_test);
            return Ok(Found::Nothing);
        }
        let begun = Instant::now();
        let found = self.book(run, None, true, tools)?;
        self.looks.book(begun.elapsed());
        Ok(found)
    }

    /// Looks at a run that waits for it, if the time admits that.
    fn look_at_one_that_waits(&mut self, tools: &mut Tools<'_>) -> Result<(), Error> {
        let next = self.has_time(tools).then(|| self.looks.next()).flatten();
        match next {
            Some(run) => self.look_in_time(&run, false, tools).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether a run that did not fail may be looked at for errors of memory.
    fn looks_for_errors(&self, tools: &Tools<'_>) -> bool {
        self.looks_at_every_run(tools.runs).is_some()
    }

    /// As [`Session::looks_at_every_run`](crate::Session::looks_at_every_run).
    pub(crate) fn looks_at_every_run(&self, runs: &Runs) -> Option<bool> {
        (self.oracles && runs.has_checker()).then_some(self.every_run)
    }

    /// As [`Session::check_memory`](crate::Session::check_memory).
    pub(crate) fn check_memory(
        &self,
        input: &Input,
        tools: &mut Tools<'_>,
    ) -> Result<Option<String>, Error> {
        let reports = tools.checked(input)?.into_iter();
        // A deep recursion overflows the larger stack frames of the checked build.
        let mut keys = reports
            .filter(|report| report.kind != STACK_OVERFLOW)
            .map(|report| key(report, tools.runs));
        let new = keys.find(|key| !self.list.holds(key));
        Ok(new.map(|key| format!("{key:?}")))
    }

    /// Books a run that fails, or that may do so under the checks of memory.
    fn book(
        &mut self,
        facts: &Facts,
        reported: Option<&str>,
        suspicious: bool,
        tools: &mut Tools<'_>,
    ) -> Result<Found, Error> {
        let failed = facts.outcome.is_failure();
        if !(failed || suspicious && self.looks_for_errors(tools)) {
            return Ok(Found::Nothing);
        }
        let kind = kind(&facts.outcome, reported);
        if failed && self.list.repeats(&kind, &facts.coverage) {
            return Ok(Found::Known);
        }
        let reports = tools
            .runs
            .check_memory(&facts.input, failed, tools.reporter)?;
        if !failed && reports.is_empty() {
            return Ok(Found::Nothing);
        }
        let plain = tools.runs.plain_outcome(&facts.input)?;
        if plain.is_limit()
            && let Some(stack) = stack_without_end(reports.last())
            && self.endless.take(tools.runs.counts().runs)
        {
            return self.confirm_endless(facts, stack, tools).map(Found::of);
        }
        let last = reports.len().saturating_sub(1);
        let mut reports: Vec<Option<Report>> = reports.into_iter().map(Some).collect();
        if reports.is_empty() {
            reports.push(None);
        }
        let mut found = false;
        for (index, report) in reports.into_iter().enumerate() {
            let judged = Judged {
                report,
                ends: index == last,
                plain: plain.clone(),
            };
            found |= self.judge(facts, &kind, judged, tools)?;
        }
        Ok(Found::of(found))
    }

    /// Books one of the failures that a run shows; whether it is not yet known.
    fn judge(
        &mut self,
        facts: &Facts,
        kind: &str,
        judged: Judged,
        tools: &mut Tools<'_>,
    ) -> Result<bool, Error> {
        let finding = find(facts, kind, judged, tools.runs)?;
        let verdict = self.list.judge(&finding.key);
        if verdict == Verdict::Known {
            return Ok(false);
        }
        let finding = really(finding, tools)?;
        let finding = match finding.confirmed {
            true => really(minimized(finding, &mut self.allowance, tools)?, tools)?,
            false => finding,
        };
        self.write(facts, finding, verdict, tools)?;
        Ok(true)
    }

    /// Writes a failure, confirmed or not.
    fn write(
        &mut self,
        facts: &Facts,
        found: Finding,
        verdict: Verdict,
        tools: &mut Tools<'_>,
    ) -> Result<(), Error> {
        let id = match verdict {
            Verdict::Retry(_) if !found.confirmed => return Ok(()),
            Verdict::Retry(index) => self.list.list()[index].id,
            _ => self.list.next_id(),
        };
        let failure = Failure {
            id,
            input: found.input,
            objects: facts.objects.clone(),
            outcome: found.outcome,
            kind: found.key.kind.clone(),
            detail: found.detail,
            location: found.key.location.clone(),
            stack: found.stack,
            confirmed: found.confirmed,
            run: tools.runs.counts().runs,
        };
        let seconds = tools.deadline.clock().total().as_secs_f64();
        tools.saver.add_failure(&failure, seconds)?;
        tools.reporter.tell(Notice::Failure(&failure));
        match verdict {
            Verdict::Retry(index) => self.list.replace(index, failure),
            _ => self.list.add(found.key, failure),
        }
        Ok(())
    }
}

/// The stack of a run that failed, where the failure may be a recursion without end of which the
/// compiler made a loop in the plain build: the checked build has too little stack for it, or it is
/// cut off before it has used that up.
fn stack_without_end(report: Option<&Report>) -> Option<&[Frame]> {
    match report {
        Some(Report { kind, stack, .. }) => (kind == STACK_OVERFLOW).then_some(stack),
        None => Some(&[]),
    }
}

/// What the builds without instrumentation do on an input; nothing is booked.
pub(crate) fn look_once(input: &Input, tools: &mut Tools<'_>) -> Result<Look, Error> {
    let plain = tools.runs.plain_outcome(input)?;
    if plain.is_limit() {
        return Ok(Look::CutOff);
    }
    let place = match tools.checked(input)?.first() {
        Some(report) => of_user(tools.runs.program(), &report.stack),
        None if plain.is_failure() => locate(input, String::new(), tools.runs)?.location,
        None => return Ok(Look::Ends),
    };
    Ok(Look::Fails(place))
}

/// Puts together what is known of a failure.
fn find(facts: &Facts, kind: &str, judged: Judged, runs: &mut Runs) -> Result<Finding, Error> {
    let same = judged.plain.is_failure()
        && (!facts.outcome.is_failure() || judged.plain.kind() == facts.outcome.kind());
    let (key, stack, detail, shown) = match judged.report {
        Some(report) => {
            let shown = report.kind != STACK_OVERFLOW || judged.plain.is_failure();
            let own = judged.ends && matches!(facts.outcome, Outcome::Failure(_));
            let (stack, detail) = (texts(&report), report.detail.clone());
            let mut key = key(report, runs);
            if own {
                kind.clone_into(&mut key.kind);
            }
            (key, stack, detail, shown)
        }
        None => {
            let key = locate(&facts.input, kind.to_owned(), runs)?;
            (key.clone(), key.frames, String::new(), false)
        }
    };
    Ok(Finding {
        key,
        stack,
        detail,
        input: facts.input.clone(),
        confirmed: shown || same,
        outcome: match judged.plain.is_failure() {
            true => judged.plain,
            false => facts.outcome.clone(),
        },
    })
}

/// What a report says is the same in all reports of one failure.
fn key(report: Report, runs: &Runs) -> Key {
    Key {
        location: of_user(runs.program(), &report.stack),
        frames: frames(texts(&report)),
        kind: report.kind,
    }
}

/// What a failure is called that rests on what runs repeat.
const FROZEN: &str = "depends on the clock or on randomness, which are the same in each run, or \
                      on which thread runs first";

/// A failure of the plain program that does not show with the clock and the randomness of the
/// machine is none that anybody else would see: it is not confirmed.
fn really(mut finding: Finding, tools: &mut Tools<'_>) -> Result<Finding, Error> {
    if !finding.confirmed || !finding.outcome.is_failure() {
        return Ok(finding);
    }
    // What only the checks of memory see they see whatever the time is.
    let frozen = tools.runs.plain_outcome(&finding.input)?;
    if !frozen.is_failure() {
        return Ok(finding);
    }
    let real = tools.runs.real_outcome(&finding.input)?;
    if real.kind() != frozen.kind() {
        finding.confirmed = false;
        FROZEN.clone_into(&mut finding.detail);
    }
    Ok(finding)
}

/// The same failure with a smaller input, and what that one shows.
fn minimized(
    mut finding: Finding,
    allowance: &mut Allowance,
    tools: &mut Tools<'_>,
) -> Result<Finding, Error> {
    let runs = tools.runs.counts().runs;
    let reported = tools.runs.has_checker() && !finding.stack.is_empty();
    // Without a limit of time nothing depends on the clock.
    let begun = tools.deadline.clock().elapsed();
    let most = tools.deadline.budget().time;
    let most = most.map(|session| begun + allowance.time(session));
    let mut shows = |input: &Input| {
        let late = most.is_some_and(|most| tools.deadline.clock().elapsed() > most);
        if late || tools.is_over() {
            return Ok(None);
        }
        if finding.outcome.is_failure() {
            let plain = tools.runs.plain_outcome(input)?;
            if plain != finding.outcome {
                // Trials that hang would take all the time there is.
                return Ok((plain != Outcome::Timeout).then_some(false));
            }
        }
        if !reported {
            return Ok(Some(true));
        }
        let mut reports = tools.checked(input)?.into_iter();
        Ok(Some(reports.any(|report| finding.is_shown_by(&report))))
    };
    let input = minimize(&finding.input, (&mut *allowance, runs), &mut shows)?;
    allowance.book_time(tools.deadline.clock().elapsed() - begun);
    if input == finding.input {
        return Ok(finding);
    }
    if !finding.outcome.is_failure() {
        finding.outcome = tools.runs.plain_outcome(&input)?;
    }
    let mut reports = tools.checked(&input)?.into_iter();
    if let Some(report) = reports.find(|report| reported && finding.is_shown_by(report)) {
        finding.stack = texts(&report);
        finding.detail = report.detail;
    }
    finding.input = input;
    Ok(finding)
}

/// Runs an input again with every decision recorded, to see where it ends. For failures
/// without a report.
fn locate(input: &Input, kind: String, runs: &mut Runs) -> Result<Key, Error> {
    let trace = runs.trace_again(input, Mode::AllBranches)?;
    let program = runs.program();
    let sites = &program.sites;
    let last = trace.and_then(|trace| {
        let sites_of_run = trace.decisions().map(|decision| decision.site as usize);
        let own = |site: &usize| {
            let site = sites.get(*site);
            site.is_some_and(|site| !stands_in_place(program, site))
        };
        sites_of_run.filter(own).last()
    });
    let site: Option<&Site> = last.map(|site| &sites[site]);
    let oracle = site.is_some_and(|site| site.oracle);
    Ok(Key {
        kind: if oracle && traps(&kind) {
            "undefined-behavior".to_owned()
        } else {
            kind
        },
        location: site.and_then(|site| place(program, site)),
        frames: site
            .and_then(|site| frame(program, site))
            .into_iter()
            .collect(),
    })
}

/// Whether an input was made for an access outside the object that it was inside before, or for
/// another size of a block.
fn out_of_bounds(origin: &Origin) -> bool {
    let outside = |site| site >= OBJECT_SITE || is_size(site);
    origin.flipped.is_some_and(|flip| outside(flip.site))
}

fn summarized(failure: &Failure, saver: &Saver) -> FailureSummary {
    FailureSummary {
        kind: failure.kind.clone(),
        detail: failure.detail.clone(),
        location: failure.location.clone(),
        stack: failure.stack.clone(),
        input: format!("failures/{:06}/input", failure.id),
        reproduce: saver.reproduces(failure.id),
        confirmed: failure.confirmed,
    }
}

/// The stack of a report.
fn texts(report: &Report) -> Vec<String> {
    report.stack.iter().map(ToString::to_string).collect()
}

/// The kind of a report that the plain build must bear out.
const STACK_OVERFLOW: &str = "stack-overflow";

/// One word for what went wrong.
fn kind(outcome: &Outcome, reported: Option<&str>) -> String {
    let word = |text: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        !text.is_empty() && text.len() <= 40 && text.chars().all(plain)
    };
    match outcome {
        Outcome::Failure(text) => {
            let text = reported.unwrap_or(text);
            Some(text).filter(word).unwrap_or("failure").to_owned()
        }
        _ => outcome.kind(),
    }
}

/// Whether this is how a check of a sanitizer ends a program.
fn traps(kind: &str) -> bool {
    kind == "SIGILL" || kind == "SIGTRAP"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_one_word() {
        let failure = |text: &str| Outcome::Failure(text.to_owned());
        assert_eq!(kind(&Outcome::Signal(11), None), "SIGSEGV");
        assert_eq!(kind(&failure("reach_error"), None), "reach_error");
        assert_eq!(kind(&failure("x"), Some("assertion")), "assertion");
        assert_eq!(kind(&failure("two words"), None), "failure");
    }
}

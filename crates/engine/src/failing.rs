//! A failing run: what failed, where, whether it is real, and whether it is new.
//!
//! A run is judged by two builds without instrumentation. The checked one (AddressSanitizer)
//! says what failed and gives the stack; the plain one says whether the program fails without
//! help. A failure is confirmed if one of them shows it. A stack overflow must show in the plain
//! build, since the checked one needs more stack.
//!
//! A new failure is made small before it is written.

use labrys_executor::{Mode, Report};
use labrys_program::Site;
use labrys_suite::{Event, Failure, Input, Outcome};
use labrys_trace::Trace;

use crate::execute::Facts;
use crate::failures::{Key, Verdict, frames};
use crate::minimize::minimize;
use crate::observer::Notice;
use crate::place::{frame, of_user, place};
use crate::{Error, Session};

/// What the builds without instrumentation say of an input.
struct Judged {
    report: Option<Report>,
    plain: Outcome,
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

impl Session {
    /// Books a run that fails, or that may do so under the checks of memory; whether that is a
    /// failure not yet known.
    pub(crate) fn book_failure(
        &mut self,
        facts: &Facts,
        reported: Option<&str>,
        suspicious: bool,
    ) -> Result<bool, Error> {
        let failed = facts.outcome.is_failure();
        if !(failed || suspicious && self.looks_for_errors()) {
            return Ok(false);
        }
        let kind = kind(&facts.outcome, reported);
        if failed && self.failures.repeats(&kind, &facts.coverage) {
            return Ok(false);
        }
        let report = self.checked(&facts.input)?;
        if !failed && report.is_none() {
            return Ok(false);
        }
        self.statistics.replays += 1;
        let plain = self.plain.run(&facts.input, Mode::Coverage)?;
        self.plain.recycle(plain.recording);
        let judged = Judged {
            report,
            plain: plain.outcome,
        };
        let finding = self.find(facts, kind, judged)?;
        let verdict = self.failures.judge(&finding.key);
        if verdict == Verdict::Known {
            return Ok(false);
        }
        let finding = match finding.confirmed {
            true => self.minimized(finding)?,
            false => finding,
        };
        self.report(facts, finding, verdict)?;
        Ok(true)
    }

    /// Keeps a run that nothing drew attention to, and looks at one of those if it is time.
    pub(crate) fn leave_over(&mut self, facts: &Facts, decisions: usize) -> Result<(), Error> {
        let ended = !facts.outcome.is_failure() && !facts.outcome.is_limit();
        if !ended || !self.looks_for_errors() {
            return Ok(());
        }
        match self.leftovers.note(decisions, || facts.clone()) {
            Some(run) => self.book_failure(&run, None, true).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Looks at the runs that are left over, as long as the budget lasts.
    pub(crate) fn look_at_the_rest(&mut self) -> Result<(), Error> {
        while self.end().is_none()
            && let Some(run) = self.leftovers.longest()
        {
            let _ = self.book_failure(&run, None, true)?;
        }
        Ok(())
    }

    /// Puts together what is known of a failure.
    fn find(&mut self, facts: &Facts, kind: String, judged: Judged) -> Result<Finding, Error> {
        let same = judged.plain.is_failure()
            && (!facts.outcome.is_failure() || judged.plain.kind() == facts.outcome.kind());
        let (key, stack, detail, shown) = match judged.report {
            Some(report) => {
                let shown = report.kind != STACK_OVERFLOW || judged.plain.is_failure();
                let own = matches!(facts.outcome, Outcome::Failure(_));
                let stack = texts(&report);
                let key = Key {
                    kind: if own { kind } else { report.kind },
                    location: of_user(&self.program, &report.stack),
                    frames: frames(stack.clone()),
                };
                (key, stack, report.detail, shown)
            }
            None => {
                let key = self.locate(&facts.input, kind)?;
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

    /// The failure that the checked build reports, if there is such a build.
    fn checked(&mut self, input: &Input) -> Result<Option<Report>, Error> {
        let Some(checker) = &mut self.checker else {
            return Ok(None);
        };
        self.statistics.checks += 1;
        match checker.check(input) {
            Ok(checked) => Ok(checked.report),
            // The search goes on as without such a build.
            Err(error) => {
                self.checker = None;
                self.note(&format!("no more checks of memory: {error}"));
                Ok(None)
            }
        }
    }

    /// The same failure with a smaller input, and what that one shows.
    fn minimized(&mut self, mut finding: Finding) -> Result<Finding, Error> {
        let reported = self.checker.is_some() && !finding.stack.is_empty();
        let mut shows = |input: &Input| {
            if self.end().is_some() {
                return Ok(None);
            }
            if finding.outcome.is_failure() {
                self.statistics.replays += 1;
                let plain = self.plain.run(input, Mode::Coverage)?;
                self.plain.recycle(plain.recording);
                if plain.outcome != finding.outcome {
                    // Trials that hang would take all the time there is.
                    return Ok((plain.outcome != Outcome::Timeout).then_some(false));
                }
            }
            if !reported {
                return Ok(Some(true));
            }
            let report = self.checked(input)?;
            let same = |report: Report| frames(texts(&report)) == finding.key.frames;
            Ok(Some(report.is_some_and(same)))
        };
        let input = minimize(&finding.input, &mut shows)?;
        if input == finding.input {
            return Ok(finding);
        }
        if !finding.outcome.is_failure() {
            self.statistics.replays += 1;
            let plain = self.plain.run(&input, Mode::Coverage)?;
            self.plain.recycle(plain.recording);
            finding.outcome = plain.outcome;
        }
        if let Some(report) = self.checked(&input)?.filter(|_| reported) {
            finding.stack = texts(&report);
            finding.detail = report.detail;
        }
        finding.input = input;
        Ok(finding)
    }

    /// Writes a failure, confirmed or not.
    fn report(&mut self, facts: &Facts, found: Finding, verdict: Verdict) -> Result<(), Error> {
        let id = match verdict {
            Verdict::Retry(_) if !found.confirmed => return Ok(()),
            Verdict::Retry(index) => self.failures.list()[index].id,
            _ => self.failures.next_id(),
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
            run: self.statistics.runs,
        };
        let input = self.writer.add_failure(&failure)?;
        self.writer.event(&Event::Failure {
            run: failure.run,
            seconds: self.clock.total().as_secs_f64(),
            kind: failure.kind.clone(),
            input,
        })?;
        self.observer.notice(Notice::Failure(&failure));
        match verdict {
            Verdict::Retry(index) => self.failures.replace(index, failure),
            _ => self.failures.add(found.key, failure),
        }
        Ok(())
    }

    /// Runs an input again with every decision recorded, to see where it ends. For failures
    /// without a report.
    fn locate(&mut self, input: &Input, kind: String) -> Result<Key, Error> {
        self.statistics.reruns += 1;
        let run = self.instrumented.run(input, Mode::AllBranches)?;
        let trace = Trace::new(run.recording, &self.program).ok();
        let sites = &self.program.sites;
        let last = trace.and_then(|trace| {
            let sites_of_run = trace.decisions().map(|decision| decision.site as usize);
            sites_of_run.filter(|site| *site < sites.len()).last()
        });
        let site: Option<&Site> = last.map(|site| &sites[site]);
        let oracle = site.is_some_and(|site| site.oracle);
        Ok(Key {
            kind: if oracle && traps(&kind) {
                "undefined-behavior".to_owned()
            } else {
                kind
            },
            location: site.and_then(|site| place(&self.program, site)),
            frames: site
                .and_then(|site| frame(&self.program, site))
                .into_iter()
                .collect(),
        })
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

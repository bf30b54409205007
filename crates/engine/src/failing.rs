//! A failing run: where it failed, whether the plain program fails too, and whether it is new.

use labrys_executor::Mode;
use labrys_program::{Program, Site};
use labrys_suite::{Event, Failure, Input, InputObject, Outcome};
use labrys_trace::Trace;

use crate::execute::Facts;
use crate::failures::{Key, Verdict};
use crate::observer::Notice;
use crate::{Error, Session};

/// What a failing run was.
struct Seen<'a> {
    input: &'a Input,
    objects: &'a [InputObject],
    outcome: &'a Outcome,
}

impl Session {
    /// Books a failing run.
    pub(crate) fn book_failure(
        &mut self,
        facts: &Facts,
        reported: Option<&str>,
    ) -> Result<(), Error> {
        let kind = kind(&facts.outcome, reported);
        let key = match self.failures.of_run(&kind, &facts.coverage) {
            Some(key) => key,
            None => {
                let key = self.locate(&facts.input, kind.clone())?;
                self.failures.remember(&kind, &facts.coverage, &key);
                key
            }
        };
        let verdict = self.failures.judge(&key);
        if verdict == Verdict::Known {
            return Ok(());
        }
        let seen = Seen {
            input: &facts.input,
            objects: &facts.objects,
            outcome: &facts.outcome,
        };
        self.report(&seen, key, verdict)
    }

    /// Writes a failure, confirmed or not.
    fn report(&mut self, seen: &Seen, key: Key, verdict: Verdict) -> Result<(), Error> {
        self.statistics.replays += 1;
        let plain = self.plain.run(seen.input, Mode::Coverage)?;
        let confirmed = plain.outcome.is_failure() && plain.outcome.kind() == seen.outcome.kind();
        let id = match verdict {
            Verdict::Retry(_) if !confirmed => return Ok(()),
            Verdict::Retry(index) => self.failures.list()[index].id,
            _ => self.failures.next_id(),
        };
        let failure = Failure {
            id,
            input: seen.input.clone(),
            objects: seen.objects.to_vec(),
            outcome: seen.outcome.clone(),
            kind: key.kind.clone(),
            location: key.location.clone(),
            stack: key.stack.clone(),
            confirmed,
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
            _ => self.failures.add(key, failure),
        }
        Ok(())
    }

    /// Runs an input again with every decision recorded, to see where it ends.
    fn locate(&mut self, input: &Input, kind: String) -> Result<Key, Error> {
        self.statistics.reruns += 1;
        let run = self.instrumented.run(input, Mode::AllBranches)?;
        let trace = Trace::new(run.recording, &self.program).ok();
        let last = trace.and_then(|trace| last_site(&trace, &self.program));
        let oracle = last.is_some_and(|site| self.program.sites[site].oracle);
        let site = last.map(|site| &self.program.sites[site]);
        Ok(Key {
            kind: if oracle && traps(&kind) {
                "undefined-behavior".to_owned()
            } else {
                kind
            },
            location: site.and_then(|site| place(&self.program, site)),
            stack: site
                .and_then(|site| frame(&self.program, site))
                .into_iter()
                .collect(),
        })
    }
}

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

/// Index of the last site of the program that decided.
fn last_site(trace: &Trace, program: &Program) -> Option<usize> {
    let sites = trace.decisions().map(|decision| decision.site as usize);
    sites.filter(|site| *site < program.sites.len()).last()
}

/// A site's place in the source as `FILE:LINE:COLUMN`.
pub(crate) fn place(program: &Program, site: &Site) -> Option<String> {
    let at = site.location?;
    let file = program.file(at.file)?;
    Some(format!("{file}:{}:{}", at.line, at.column))
}

fn frame(program: &Program, site: &Site) -> Option<String> {
    let function = &program.function(site.function)?.name;
    Some(match place(program, site) {
        Some(place) => format!("{function} ({place})"),
        None => function.clone(),
    })
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

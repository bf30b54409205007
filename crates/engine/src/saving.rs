//! What a session writes and tells besides tests: summary, status, start and end.

use std::path::Path;
use std::time::Duration;

use labrys_suite::{Branches, Failure, FailureSummary, Summary, TargetStatus};

use crate::observer::{Notice, Status};
use crate::{End, Error, Session};

/// Status is told, and the summary written, this far apart.
const STATUS_EVERY: Duration = Duration::from_millis(100);
const SUMMARY_EVERY: Duration = Duration::from_secs(1);

impl Session {
    /// The numbers as they are now.
    #[must_use]
    pub fn status(&self) -> Status {
        let statistics = &self.statistics;
        let elapsed = self.clock.elapsed();
        Status {
            elapsed,
            used: self
                .budget()
                .used(elapsed, statistics.new_runs, statistics.steps),
            time_limit: self.budget().time,
            runs: statistics.runs,
            new_runs: statistics.new_runs,
            covered: self.covered,
            branches: self.counted.count() as u64,
            queries: statistics.asked(),
            tests: statistics.tests,
            failures: self.failures.confirmed(),
            targets: self
                .targets
                .iter()
                .filter(|target| target.status == TargetStatus::Reached)
                .count() as u64,
        }
    }

    /// What `summary.json` holds.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let config = self.writer.config();
        let statistics = &self.statistics;
        let seconds = self.clock.total().as_secs_f64();
        let (mut failures, open): (Vec<_>, Vec<_>) = self
            .failures
            .list()
            .iter()
            .partition(|failure| failure.confirmed);
        failures.extend(open);
        Summary {
            program: config.program.clone(),
            technique: config.technique.clone(),
            strategy: config.strategy.clone(),
            seed: config.seed,
            branches: Branches {
                total: self.counted.count() as u64,
                covered: self.covered,
                unreachable: self.count(&self.unreachable),
            },
            runs: statistics.runs,
            runs_per_second: statistics.runs as f64 / seconds.max(1e-6),
            queries: statistics.queries.clone(),
            solver_seconds: statistics.solver_time.as_secs_f64(),
            seconds,
            divergences: statistics.divergences,
            concretizations: statistics.concretizations.clone(),
            failures: failures
                .into_iter()
                .map(|failure| summarized(failure, self.writer.folder()))
                .collect(),
            targets: self.targets.clone(),
        }
    }

    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        let restored = self
            .initial
            .iter()
            .filter(|initial| initial.case.is_some())
            .count();
        let text = match restored {
            0 => "start".to_owned(),
            tests => format!("resumed with {tests} tests"),
        };
        self.milestone(&text)?;
        self.save()
    }

    pub(crate) fn after_step(&mut self) -> Result<(), Error> {
        self.statistics.steps += 1;
        let elapsed = self.clock.elapsed();
        if elapsed >= self.last_status + STATUS_EVERY {
            self.last_status = elapsed;
            let status = self.status();
            self.observer.notice(Notice::Status(&status));
        }
        if elapsed >= self.last_summary + SUMMARY_EVERY {
            self.last_summary = elapsed;
            self.save()?;
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self, end: Option<End>) -> Result<(), Error> {
        let status = self.status();
        self.observer.notice(Notice::Status(&status));
        self.milestone(end.map_or("ended by an error", End::text))?;
        self.save()
    }

    fn save(&mut self) -> Result<(), Error> {
        let summary = self.summary();
        self.writer.summary(&summary)?;
        Ok(())
    }
}

fn summarized(failure: &Failure, folder: &Path) -> FailureSummary {
    let path = format!("failures/{:06}", failure.id);
    FailureSummary {
        kind: failure.kind.clone(),
        detail: failure.detail.clone(),
        location: failure.location.clone(),
        stack: failure.stack.clone(),
        input: format!("{path}/input"),
        reproduce: format!(
            "labrys replay {} --failure {}",
            folder.display(),
            failure.id
        ),
        confirmed: failure.confirmed,
    }
}

//! The log of queries: one SMT-LIB script each in a folder, for the study of slow or wrong ones.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use labrys_expr::{ExprId, Pool};

use crate::query::Answer;
use crate::schedule::{Layer, Outcome, Patience, Shared, Task, Verdict};

/// The layer: logs the queries that get to it, with the time from then on.
#[derive(Default)]
pub(super) struct Log(Option<(QueryLog, Instant)>);

impl Log {
    pub(super) fn new(log: QueryLog) -> Self {
        Log(Some((log, Instant::now())))
    }
}

impl Layer for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn run(&mut self, _: &mut Task<'_, '_>, _: &mut Shared, _: Patience) -> Verdict {
        if let Some((_, started)) = &mut self.0 {
            *started = Instant::now();
        }
        Verdict::Pass
    }

    fn learn(&mut self, task: &Task<'_, '_>, outcome: &Outcome) {
        if let Some((log, started)) = &mut self.0 {
            let (pool, time) = (&*task.query.pool, started.elapsed());
            let written = log.write(pool, &task.conditions(), &outcome.answer, time);
            if written.is_err() {
                // A full disk is no reason to stop the search.
                self.0 = None;
            }
        }
    }
}

/// Writes queries to a folder, numbered as they come.
#[derive(Debug)]
pub struct QueryLog {
    folder: PathBuf,
    next: u32,
}

impl QueryLog {
    /// Whether logging into `folder` would work; leaves nothing behind.
    ///
    /// # Errors
    /// Where [`QueryLog::new`] fails, or no file can be written to the folder.
    pub fn check(folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| !folder.exists())
            .collect();
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            let file = folder.join(format!("check-{}.smt2", std::process::id()));
            File::create_new(&file)?;
            std::fs::remove_file(file)
        });
        for folder in missing {
            // One that something was put into meanwhile stays.
            let _ = std::fs::remove_dir(folder);
        }
        written
    }

    /// Logs into `folder`, which is created if need be.
    ///
    /// # Errors
    /// If there is no such folder and it cannot be created.
    pub fn new(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(QueryLog {
            folder: folder.to_owned(),
            next: 1,
        })
    }

    /// Writes `00042-unsat.smt2` with the conditions that the answer is about.
    fn write(
        &mut self,
        pool: &Pool,
        conditions: &[ExprId],
        answer: &Answer,
        time: Duration,
    ) -> io::Result<()> {
        let (word, detail) = match answer {
            Answer::Sat(model) => ("sat", format!("{} symbols", model.0.len())),
            Answer::Unsat(core) => ("unsat", format!("core of {}", core.0.len())),
            Answer::Unknown(reason) => ("unknown", reason.to_string()),
        };
        let mut text = String::new();
        let _ = writeln!(
            text,
            "; {word}: {detail}, {:.3} ms",
            time.as_secs_f64() * 1e3
        );
        text.push_str(&pool.to_smtlib(conditions));
        let file = self.folder.join(format!("{:05}-{word}.smt2", self.next));
        self.next += 1;
        std::fs::write(file, text)
    }
}

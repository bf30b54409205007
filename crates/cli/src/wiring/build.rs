//! A build that a command waits for: it shows how far it is, and ends when the command ends.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use labrys_cc::worker::{News, Order, Worker};

use crate::output::problem::Problem;
use crate::output::progress::Doing;
use crate::wiring::ending::Ending;

/// How often is looked whether the command ends.
const LOOK: Duration = Duration::from_millis(20);

/// How builds are made.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    /// Nothing but errors is shown.
    pub(crate) quiet: bool,
    pub(crate) ending: Ending,
}

/// Why there is no executable.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A tool said why.
    Reported,
    /// The linker said why; the symbols that nobody defines.
    Unlinked(Vec<String>),
    Problem(Problem),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reported => Problem::program("the build failed, see the messages above"),
            Failure::Unlinked(undefined) => Problem::program(unlinked(&undefined)),
            Failure::Problem(problem) => problem,
        }
    }
}

impl Builder {
    /// Builds that end as the command itself ends.
    pub(crate) fn waiting(quiet: bool) -> Self {
        Builder {
            quiet,
            ending: Ending::at_once(),
        }
    }

    /// Builds in a process of its own, with a folder for its files.
    pub(crate) fn build(&self, order: &Order, folder: &Path) -> Result<(), Failure> {
        // This file itself, also if another one has its name by now.
        let mut command = Command::new("/proc/self/exe");
        command.arg(COMMAND);
        let worker = Worker::start(command, order, folder);
        let mut worker = worker.map_err(|error| {
            let remedy = labrys_cc::remedy(&error);
            let text = format!("cannot start a process for the build: {error}{remedy}");
            Failure::Problem(Problem::program(text))
        })?;
        let mut shown = Doing::new(self.quiet, "building");
        loop {
            if let Some(problem) = self.ending.ended_build() {
                return Err(Failure::Problem(problem));
            }
            match worker.next(LOOK) {
                None => shown.wait(),
                Some(News::Doing(text)) => shown.show(&text),
                Some(News::Done) => return Ok(()),
                Some(News::Reported) => return Err(Failure::Reported),
                Some(News::Unlinked(undefined)) => return Err(Failure::Unlinked(undefined)),
                Some(News::Full(text)) => {
                    return Err(Failure::Problem(Problem::unwritable(text)));
                }
                Some(News::Failed(text)) => {
                    return Err(Failure::Problem(Problem::program(text)));
                }
            }
        }
    }
}

/// Why a program does not link, and what to do.
fn unlinked(undefined: &[String]) -> String {
    const PARTS: &str = "`labrys cover --entry FUNCTION` and `--all-functions` cover functions of a \
                         part of a program";
    if undefined.iter().any(|symbol| symbol == "main") {
        return format!("there is no main function; name the source that has it: {PARTS}");
    }
    let Some(first) = undefined.first() else {
        return "the link failed, see the messages above".to_owned();
    };
    let more = match undefined.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "nobody defines {first}{more}; name the sources that do, or the library \
         (--cc-flag=-lNAME): {PARTS}"
    )
}

/// The command that is the other side.
pub(crate) const COMMAND: &str = "build-worker";

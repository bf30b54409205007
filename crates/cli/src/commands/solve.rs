//! `labrys solve`: an SMT-LIB script against the same solver stack that the search uses.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use labrys_solver::{Answer, Budget, smtlib};

use crate::output::console::{note, print, print_line};
use crate::output::problem::{Problem, status};
use crate::wiring::solver::{SolverOptions, layers};
use crate::wiring::values::duration;

/// Options of `labrys solve`.
#[derive(Args, Debug)]
#[command(
    about = "Decide an SMT-LIB script (QF_BV, QF_FP) with the solver that the search uses",
    after_help = "After an unsatisfiable check, (get-unsat-core) shows names of assertions that \
                  contradict each other, and (get-interpolant (NAME...)) what the named assertions \
                  say that the others contradict, over the constants that both have.\n\n\
                  Exit status: 0 every check was decided, 1 some check is unknown, 3 the script \
                  cannot be read."
)]
pub(crate) struct Solve {
    /// The script; - is standard input
    #[arg(value_name = "FILE.smt2")]
    pub(crate) script: PathBuf,
    /// A check that takes longer is unknown
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout_solver: Duration,

    #[command(flatten)]
    pub(crate) solver: SolverOptions,
}

/// Runs a script; the replies go to standard output.
pub(crate) fn solve(options: &Solve) -> Result<u8, Problem> {
    let name = options.script.display().to_string();
    let text = if name == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .map_err(|error| Problem::program(format!("cannot read standard input: {error}")))?
    } else {
        fs::read_to_string(&options.script)
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => format!("there is no file {name}; check its path"),
                _ => format!("cannot read {name}: {error}; give a script of SMT-LIB"),
            })
            .map_err(Problem::program)?
    };
    let (mut script, broken) = smtlib::read_partly(&text);
    let mut solver = layers(&options.solver, 1)?;
    let mut replies = String::new();
    let answers = script.run(
        &mut solver,
        &Budget::timeout(options.timeout_solver),
        &mut replies,
    );
    print(replies)?;
    let answers =
        answers.map_err(|error| Problem::internal(format!("writing replies: {error}")))?;
    if let Some(error) = broken {
        // As the standard has it, the replies end here.
        print_line(format_args!(
            "(error \"{}\")",
            error.to_string().replace('"', "\"\"")
        ))?;
        return Err(Problem::program(format!("{name}: {error}")));
    }
    if script.checks() == 0 {
        note(format_args!(
            "labrys: note: {name} asks nothing: it has no (check-sat)"
        ));
    }
    let undecided = answers
        .iter()
        .any(|answer| matches!(answer, Answer::Unknown(_)));
    Ok(if undecided {
        status::FAILURES
    } else {
        status::DONE
    })
}

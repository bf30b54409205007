//! The contract of a technique, and the loop that drives one.
//!
//! The engine owns the loop, so budgets, stops, progress and saving are written once. A stop, an
//! exhausted search and the end of a budget are values, not errors.

use crate::{End, Error, Session};

/// What a step of a technique did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// There is more to do.
    More,
    /// The technique has nothing more to try.
    Done,
}

/// A method to find inputs.
pub trait Technique {
    /// The name in `summary.json`.
    fn name(&self) -> &'static str;

    /// Does a small piece of work: about one query and one run.
    ///
    /// # Errors
    /// If the program can no longer be run, or the suite no longer be written.
    fn step(&mut self, session: &mut Session) -> Result<Progress, Error>;
}

/// Runs a technique until it is done, a budget is used up or somebody stops it. The suite is
/// valid and complete when this returns, with an error too.
///
/// # Errors
/// Those of [`Technique::step`], and if the suite cannot be written.
pub fn run(session: &mut Session, technique: &mut dyn Technique) -> Result<End, Error> {
    session.begin()?;
    let end = match drive(session, technique) {
        // The flag and the clock are looked at while a program runs, too.
        Err(Error::Executor(labrys_executor::Error::Interrupted)) => {
            Ok(session.end().unwrap_or(End::Time))
        }
        end => end,
    };
    let saved = session.finish(end.as_ref().ok().copied());
    let end = end?;
    saved?;
    Ok(end)
}

fn drive(session: &mut Session, technique: &mut dyn Technique) -> Result<End, Error> {
    loop {
        if let Some(end) = session.end() {
            session.look_at_the_end()?;
            return Ok(end);
        }
        let progress = technique.step(session)?;
        session.after_step()?;
        if progress == Progress::Done {
            session.look_at_the_rest()?;
            return Ok(End::Exhausted);
        }
    }
}

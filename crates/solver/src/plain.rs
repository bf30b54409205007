//! Plain solvers: each query is a script of its own, decided by a solver that shares nothing with
//! the layers: the command of Z3, or Bitwuzla without anything around it.
//!
//! Law: only the answer `unsat` of the solver itself is [`Reply::Unsat`].

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::backend::Backend;
use crate::bitwuzla::{Error, Settings};
use crate::query::{Answer, Assignment, Budget, Query, Solver};
use crate::smtlib;

/// An answer to a script with one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The assertions contradict each other.
    Unsat,
    /// They do not.
    Sat,
    /// The solver does not know; why.
    Unknown(String),
}

/// Decides scripts of one check.
pub trait Decide {
    /// The answer to the check of a script.
    fn decide(&mut self, script: &str) -> Reply;

    /// Why not all scripts were kept that were to be.
    fn loss(&self) -> Option<String> {
        None
    }
}

/// The command of Z3, started for each script.
#[derive(Clone, Debug)]
pub struct Z3 {
    path: PathBuf,
    timeout: Duration,
}

impl Z3 {
    /// Z3, if it is installed: its command is in the path.
    #[must_use]
    pub fn find(timeout: Duration) -> Option<Self> {
        let paths = std::env::var_os("PATH")?;
        let mut files = std::env::split_paths(&paths).map(|folder| folder.join("z3"));
        let path = files.find(|file| file.is_file())?;
        Some(Z3 { path, timeout })
    }

    /// The command.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn run(&self, script: &str) -> std::io::Result<String> {
        let seconds = self.timeout.as_secs().max(1);
        let mut child = Command::new(&self.path)
            .args(["-in", "-smt2", &format!("-T:{seconds}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let written = input.map(|mut input| input.write_all(script.as_bytes()));
        let mut output = String::new();
        if let Some(mut from) = child.stdout.take() {
            from.read_to_string(&mut output)?;
        }
        child.wait()?;
        written.transpose()?;
        Ok(output)
    }
}

impl Decide for Z3 {
    fn decide(&mut self, script: &str) -> Reply {
        match self.run(script) {
            Ok(output) => match output.trim() {
                "unsat" => Reply::Unsat,
                "sat" => Reply::Sat,
                other => Reply::Unknown(other.lines().next().unwrap_or("no answer").to_owned()),
            },
            Err(error) => Reply::Unknown(format!("{} cannot be run: {error}", self.path.display())),
        }
    }
}

/// Bitwuzla, a new instance for each script.
#[derive(Clone, Debug)]
pub struct Bitwuzla {
    timeout: Duration,
}

impl Bitwuzla {
    /// Bitwuzla, if it is installed.
    ///
    /// # Errors
    /// If it is not.
    pub fn find(timeout: Duration) -> Result<Self, Error> {
        Backend::new(Settings::default())?;
        Ok(Bitwuzla { timeout })
    }
}

impl Decide for Bitwuzla {
    fn decide(&mut self, script: &str) -> Reply {
        let mut script = match smtlib::read(script) {
            Ok(script) => script,
            Err(error) => return Reply::Unknown(error.to_string()),
        };
        let [smtlib::Command::CheckSat(conditions)] = &script.commands[..] else {
            return Reply::Unknown("the script has not one check".to_owned());
        };
        let backend = Backend::new(Settings::default());
        let answer = backend.map(|mut backend| {
            backend.check(&mut Query {
                pool: &mut script.pool,
                constraints: conditions.clone(),
                hint: &Assignment::new(),
                budget: Budget::timeout(self.timeout),
            })
        });
        match answer {
            Ok(Answer::Unsat(_)) => Reply::Unsat,
            Ok(Answer::Sat(_)) => Reply::Sat,
            Ok(Answer::Unknown(reason)) => Reply::Unknown(reason.to_string()),
            Err(error) => Reply::Unknown(error.to_string()),
        }
    }
}

/// Writes each script to a folder before it is decided, numbered as they come. Behind one that
/// cannot be written none is, but all are decided.
pub struct Recorder {
    solver: Box<dyn Decide>,
    folder: PathBuf,
    next: u32,
    loss: Option<String>,
}

impl Recorder {
    /// Records into `folder`, which is created if need be.
    ///
    /// # Errors
    /// If there is no such folder and it cannot be created.
    pub fn new(solver: Box<dyn Decide>, folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Recorder {
            solver,
            folder: folder.to_owned(),
            next: 1,
            loss: None,
        })
    }
}

impl Decide for Recorder {
    fn decide(&mut self, script: &str) -> Reply {
        let file = self.folder.join(format!("{:05}.smt2", self.next));
        self.next += 1;
        if self.loss.is_none() {
            let error = std::fs::write(&file, script).err();
            self.loss = error.map(|error| {
                // A part of a script is none.
                let _ = std::fs::remove_file(&file);
                format!("cannot write {}: {error}", file.display())
            });
        }
        self.solver.decide(script)
    }

    fn loss(&self) -> Option<String> {
        self.loss.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    fn all() -> Vec<Box<dyn Decide>> {
        let mut all: Vec<Box<dyn Decide>> = vec![Box::new(Bitwuzla::find(TIME).expect("Bitwuzla"))];
        all.extend(Z3::find(TIME).map(|z3| Box::new(z3) as Box<dyn Decide>));
        all
    }

    #[test]
    fn scripts_are_decided() {
        let script = |value: &str| {
            format!(
                "(set-logic QF_BV)(declare-const x (_ BitVec 8))\
                 (assert (= (bvmul x x) {value}))(check-sat)"
            )
        };
        for mut solver in all() {
            assert_eq!(solver.decide(&script("#x09")), Reply::Sat);
            assert_eq!(solver.decide(&script("#x03")), Reply::Unsat);
            assert!(matches!(solver.decide("(assert"), Reply::Unknown(_)));
            assert!(matches!(solver.decide("(assert false)"), Reply::Unknown(_)));
        }
    }

    #[test]
    fn a_script_that_cannot_be_kept_is_decided() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("queries");
        let mut recorder = Recorder::new(all().remove(0), &kept).expect("a recorder");
        let script = "(assert false)(check-sat)";
        assert_eq!(recorder.decide(script), Reply::Unsat);
        assert_eq!(
            (std::fs::read(kept.join("00001.smt2")).ok(), recorder.loss()),
            (Some(script.into()), None)
        );
        std::fs::remove_dir_all(&kept).expect("removable");
        assert_eq!(recorder.decide(script), Reply::Unsat);
        assert!(
            recorder
                .loss()
                .is_some_and(|loss| loss.contains("00002.smt2"))
        );
    }

    #[test]
    fn errors_are_no_answers() {
        // Z3 goes on after an error; its answer is to the rest then.
        let script = "(assert (= y #x00))(assert false)(check-sat)";
        for mut solver in all() {
            assert!(matches!(solver.decide(script), Reply::Unknown(_)));
        }
    }
}

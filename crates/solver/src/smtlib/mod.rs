//! SMT-LIB scripts over bit-vectors and floats, read and run.
//!
//! What is read: the logics `QF_BV`, `QF_FP` and `QF_BVFP`, bit-vectors up to 128 bits, floats
//! of 32 and 64 bits (kept as bit patterns), and functions that are only declared, where the log
//! of queries needs them for external calls.
//!
//! What the standard leaves open has one value here: `fp.to_ubv` and `fp.to_sbv` of NaN and of
//! what does not fit are the number whose highest bit alone is set, as on the processor; so such
//! a script may be called unsatisfiable that other solvers call satisfiable.
//!
//! ```
//! use labrys_solver::{Budget, smtlib, solver};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut script = smtlib::read(
//!     "(declare-const x (_ BitVec 8))
//!      (assert (= (bvmul x #x03) #x0f))
//!      (check-sat)
//!      (get-value (x))",
//! )?;
//! let mut output = String::new();
//! script.run(&mut solver()?, &Budget::default(), &mut output)?;
//! assert_eq!(output, "sat\n((x #x05))\n");
//! # Ok(())
//! # }
//! ```

mod bits;
mod commands;
mod floats;
mod run;
mod sorts;
mod syntax;
mod terms;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use labrys_expr::{ExprId, Pool, Symbol};

use crate::query::{Answer, Budget, Solver};

pub use commands::{read, read_partly};
pub use sorts::Sort;

/// What is wrong with a script, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Error {
    /// Line, from 1 on.
    pub line: usize,
    /// Column in characters, from 1 on.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Error {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Error {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

/// A constant that a script declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// The symbol that it became.
    pub symbol: Symbol,
    /// Its sort.
    pub sort: Sort,
}

/// A constant that a script defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedConstant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: ExprId,
    /// Its sort.
    pub sort: Sort,
}

/// A command that has an effect when the script runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Are these all true, the last asserted last?
    CheckSat(Vec<ExprId>),
    /// Shows the model of the last check for these declarations, by position.
    GetModel(Vec<usize>),
    /// Shows the names of those of these conditions of the last check, by position, that are in
    /// its core.
    GetCore(Vec<(usize, String)>),
    /// Shows an interpolant of two parts of the conditions of the last check.
    GetInterpolant(Vec<ExprId>, Vec<ExprId>),
    /// Shows this reply as it is.
    Reply(String),
    /// Shows the values of terms in this model; each with its source.
    GetValue(Vec<(String, ExprId, Sort)>),
    /// Shows a text.
    Echo(String),
}

/// A script with its terms in a pool.
#[derive(Debug, Default)]
pub struct Script {
    /// Where the terms are.
    pub pool: Pool,
    /// The constants in the order of their declaration.
    pub declarations: Vec<Declaration>,
    /// The constants in the order of their definition; functions with parameters are none.
    pub definitions: Vec<DefinedConstant>,
    /// Keywords and texts of `set-info` commands, in order; the values of other kinds are left out.
    pub infos: Vec<(String, String)>,
    /// The commands in order. Levels of assertions are resolved.
    pub commands: Vec<Command>,
}

impl Script {
    /// The number of checks.
    #[must_use]
    pub fn checks(&self) -> usize {
        let is_check = |command: &&Command| matches!(command, Command::CheckSat(_));
        self.commands.iter().filter(is_check).count()
    }

    /// Runs the commands in order and writes the replies; returns the answers to the checks.
    ///
    /// # Errors
    /// If the replies cannot be written.
    pub fn run(
        &mut self,
        solver: &mut dyn Solver,
        budget: &Budget,
        output: &mut dyn Write,
    ) -> Result<Vec<Answer>, fmt::Error> {
        run::run(self, solver, budget, output)
    }
}

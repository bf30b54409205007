//! What the command line of `labrys reach` names: a program, or a part of one.

use std::path::PathBuf;

use labrys_program::Program;

use crate::output::problem::Problem;
use crate::wiring::build::Builder;
use crate::wiring::subject::{BuildOptions, Stock, Subject};

/// See the module.
pub(crate) enum Opened {
    /// A program that is built.
    Whole(Box<Subject>),
    /// What is built with drivers only, and may be without a main function.
    Part(Box<Stock>, Box<Program>),
}

impl Opened {
    /// Opens, or builds, what has these files.
    pub(crate) fn new(
        files: &[PathBuf],
        build: &BuildOptions,
        builder: &Builder,
        is_part: bool,
    ) -> Result<Self, Problem> {
        if !is_part {
            let subject = Subject::open(files, build, builder)?;
            return Ok(Opened::Whole(Box::new(subject)));
        }
        let stock = Stock::open(files, build, builder)?;
        let program = stock.program()?;
        Ok(Opened::Part(Box::new(stock), Box::new(program)))
    }

    /// Its static model.
    pub(crate) fn program(&self) -> &Program {
        match self {
            Opened::Whole(subject) => &subject.program,
            Opened::Part(_, program) => program,
        }
    }
}

//! The property of a Test-Comp task: what the search is for.

use std::path::Path;

use labrys_library::{Function, Mark, functions};
use labrys_program::Program;
use labrys_suite::Property;

use crate::output::problem::Problem;

/// Functions whose calls are noted in every program.
fn errors() -> Vec<&'static str> {
    let rows = functions().iter().filter(|row| row.has(Mark::Failure));
    rows.map(Function::name).collect()
}

/// What the property file asks for.
pub(crate) fn read(path: &Path) -> Result<Property, Problem> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Problem::usage(format!(
            "cannot read --property {}: {error}",
            path.display()
        ))
    })?;
    match Property::read(&text) {
        Some(Property::ErrorCall(function)) if !errors().contains(&&*function) => {
            Err(Problem::usage(format!(
                "--property {} asks for a call of {function}; Labrys notes calls of {} only",
                path.display(),
                errors().join(" and ")
            )))
        }
        Some(property) => Ok(property),
        None => Err(Problem::usage(format!(
            "--property {} is neither coverage-branches nor coverage-error-call of Test-Comp",
            path.display()
        ))),
    }
}

/// What is wrong if the property asks for a call of a function that the program does not have.
pub(crate) fn missing(program: &Program, path: &Path, property: &Property) -> Option<String> {
    let Property::ErrorCall(function) = property else {
        return None;
    };
    program.function_named(function).is_none().then(|| {
        format!(
            "--property {} asks for a call of {function}, a function that the program \
             does not have, so no input is found",
            path.display()
        )
    })
}

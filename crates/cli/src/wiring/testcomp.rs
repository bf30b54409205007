//! Test-Comp: what a property file asks for, and what a suite says of the program.

use std::path::{Path, PathBuf};

use labrys_program::{Callee, Constant, Function, Operand, Operation, Program};
use labrys_suite::{Harness, Metadata, ObjectKind, Property, ValueFunction};
use sha2::{Digest, Sha256};

use crate::output::problem::Problem;

/// Functions whose calls are noted in every program.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// What the property file asks for.
pub(crate) fn property(path: &Path) -> Result<Property, Problem> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Problem::usage(format!(
            "cannot read --property {}: {error}",
            path.display()
        ))
    })?;
    match Property::read(&text) {
        Some(Property::ErrorCall(function)) if !ERRORS.contains(&&*function) => {
            Err(Problem::usage(format!(
                "--property {} asks for a call of {function}; Labrys notes calls of {} only",
                path.display(),
                ERRORS.join(" and ")
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

/// What the suite's Test-Comp form says of the program: there is one if the user names a
/// property, or the program is a task of Test-Comp.
pub(crate) fn metadata(
    program: &Program,
    paths: &[PathBuf],
    property: Option<Property>,
) -> Option<Metadata> {
    let task = |function: &Function| function.name.starts_with("__VERIFIER_nondet_");
    if property.is_none() && !program.functions.iter().any(task) {
        return None;
    }
    let path = paths.first()?;
    let digest = Sha256::digest(std::fs::read(path).unwrap_or_default());
    Some(Metadata {
        property: property.unwrap_or_default(),
        program_file: path.display().to_string(),
        program_hash: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

/// What the program's harness is, by the calls that the front end put into it.
pub(crate) fn harness(program: &Program) -> Harness {
    Harness {
        fuzz_target: program.function_named("__labrys_fuzz").is_some(),
        values: program
            .functions
            .iter()
            .filter_map(|function| value_function(program, function))
            .collect(),
    }
}

/// A function that the front end made from its name.
fn value_function(program: &Program, function: &Function) -> Option<ValueFunction> {
    let nondet = ["__VERIFIER_nondet_", "nondet_"];
    if !nondet.iter().any(|start| function.name.starts_with(start)) {
        return None;
    }
    let maker = program.function_named("__labrys_object")?;
    let [block] = &function.blocks[..] else {
        return None;
    };
    let mut operations = block.instructions.iter().map(|i| &i.operation);
    let arguments = operations.find_map(|operation| match operation {
        Operation::Call {
            callee: Callee::Direct(callee),
            arguments,
            ..
        } if *callee == maker => Some(arguments),
        _ => None,
    })?;
    let number = |operand: &Operand| match operand {
        Operand::Constant(id) => match program.constant(*id)? {
            Constant::Int { bits, .. } => u64::try_from(*bits).ok(),
            _ => None,
        },
        Operand::Value(_) => None,
    };
    let [_, size, _, kind] = &arguments[..] else {
        return None;
    };
    Some(ValueFunction {
        name: function.name.clone(),
        kind: ObjectKind::from_u8(u8::try_from(number(kind)?).ok()?)?,
        size: number(size)?,
    })
}

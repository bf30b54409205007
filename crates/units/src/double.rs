//! Doubles: functions of the driver where the program has none, behind a pointer to a function or
//! for one that nobody defines.
//!
//! What a double answers is in variables that the driver fills before the call, so that each answer
//! has one place among the inputs, in every run, and tests can be written with the same text. A call
//! takes the answers with its number; there is no decision on inputs in it.

use std::fmt::Write as _;

use labrys_suite::unit::{ANSWERS, Double, Variable};

use crate::driver::{declaration, definitions, result_type};
use crate::prototype::Prototype;

/// Puts together the definition of a double. `results` are its results, if it has any; `outputs`
/// what it writes where parameters point, with the number of bytes of one call; `errors` what it sets
/// `errno` to.
pub(crate) fn double(
    name: &str,
    (missing, outside): (Option<String>, bool),
    prototype: &Prototype<'_>,
    results: Option<Variable>,
    outputs: Vec<(usize, u64, Variable)>,
    errors: Option<Variable>,
) -> Double {
    let types = format!("{name}_type_");
    let mut text = definitions(prototype, &types);
    let result = result_type(prototype, &types);
    let mut answers = Vec::new();
    let unused = (0..prototype.parameters.len()).map(|index| format!("  (void)a{index};\n"));
    let mut body: String = unused.collect();
    for (index, size, variable) in outputs {
        let of = &variable.name;
        let _ = writeln!(text, "@unsigned char {of}[{}];", variable.size);
        let _ = writeln!(
            body,
            "  if (a{index}) __builtin_memcpy(a{index}, {of} + {size} * call, {size});"
        );
        answers.push(variable);
    }
    if let Some(errors) = errors {
        set_errors(&errors.name, &mut text, &mut body);
        answers.push(errors);
    }
    if let Some(results) = results {
        let of = &results.name;
        let _ = writeln!(text, "@{result} {of}[{ANSWERS}];");
        let _ = writeln!(body, "  return {of}[call];");
        answers.push(results);
    } else if result != "void" {
        let _ = writeln!(body, "  {result} none;");
        let _ = writeln!(
            body,
            "  __builtin_memset(&none, 0, sizeof none);\n  return none;"
        );
    }
    if !answers.is_empty() {
        let _ = writeln!(text, "@unsigned {name}_calls;");
        body.insert_str(
            0,
            &format!("  unsigned call = {name}_calls++ % {ANSWERS};\n"),
        );
    }
    let _ = write!(
        text,
        "@{} {{\n{body}}}\n",
        declaration(prototype, name, &types, true)
    );
    Double {
        name: name.to_owned(),
        missing,
        outside,
        text,
        answers,
    }
}

/// Sets `errno` to an element of a variable.
fn set_errors(of: &str, text: &mut String, body: &mut String) {
    let _ = writeln!(
        text,
        "extern int *__errno_location(void);\n@int {of}[{ANSWERS}];"
    );
    let _ = writeln!(body, "  *__errno_location() = {of}[call];");
}

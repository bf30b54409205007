//! Doubles: functions of the driver where the program has none, behind a pointer to a function or
//! for one that nobody defines.
//!
//! What a double answers is in variables that the driver fills before the call, so that each answer
//! has one place among the inputs, in every run, and tests can be written with the same text. A call
//! takes the answers with its number.
//!
//! The same answers again and again would keep a loop going that waits for another one. So behind
//! [`REPEATED`] calls a number is in turns zero and one that is not, below zero if it has a sign, and
//! a pointer null.

use std::fmt::Write as _;

use labrys_suite::unit::{ANSWERS, Double, Variable};

use crate::driver::{declaration, definitions, result_type};
use crate::prototype::Prototype;

/// Calls that take the answers of the driver, again and again.
const REPEATED: u64 = 8 * ANSWERS;

/// What a double writes where a parameter points.
#[derive(Debug)]
pub(crate) struct Output {
    /// The parameter.
    pub(crate) index: usize,
    /// Bytes of one call in the variable.
    pub(crate) size: u64,
    /// Which of them are written: where they begin and how many.
    pub(crate) ranges: Vec<(u64, u64)>,
    /// The parameter that says how many bytes there may be, and how.
    pub(crate) most: Option<Most>,
    /// What is written.
    pub(crate) variable: Variable,
}

/// How a parameter says how many bytes may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Most {
    /// It is their number.
    Number(usize),
    /// It points to their number, of so many bytes.
    Behind(usize, u64),
}

/// Puts together the definition of a double, which the source declares as `declared` says. `results`
/// are its results, if it has any, and the parameter that they are at most; `outputs` what it writes;
/// `errors` what it sets `errno` to.
pub(crate) fn double(
    name: &str,
    (prototype, declared): (&Prototype<'_>, String),
    results: Option<(Variable, Option<usize>)>,
    outputs: Vec<Output>,
    errors: Option<Variable>,
) -> Double {
    let types = format!("{name}_type_");
    let mut text = definitions(prototype, &types);
    let result = result_type(prototype, &types);
    let mut answers = Vec::new();
    let unused = (0..prototype.parameters.len()).map(|index| format!("  (void)a{index};\n"));
    let mut body: String = unused.collect();
    for output in outputs {
        let of = &output.variable.name;
        let _ = writeln!(text, "@unsigned char {of}[{}];", output.variable.size);
        write_output(&output, &mut body);
        answers.push(output.variable);
    }
    if let Some(errors) = errors {
        set_errors(&errors.name, &mut text, &mut body);
        answers.push(errors);
    }
    if let Some((results, most)) = results {
        let of = &results.name;
        let _ = writeln!(text, "@{result} {of}[{ANSWERS}];");
        if let Some(most) = most {
            let _ = writeln!(
                body,
                "  if ({of}[call] > 0 && (unsigned long){of}[call] > (unsigned long)a{most}) return (long)a{most};"
            );
        }
        body.push_str(&returned(&result, &prototype.result, of));
        answers.push(results);
    } else if result != "void" {
        body.push_str(&zero(&result));
    }
    if !answers.is_empty() {
        let _ = writeln!(text, "@unsigned {name}_calls;");
        let count = format!("  unsigned number = {name}_calls++, call = number % {ANSWERS};\n");
        body.insert_str(0, &format!("{count}  (void)number;\n  (void)call;\n"));
    }
    let _ = write!(
        text,
        "@{} {{\n{body}}}\n",
        declaration(prototype, name, &types, true)
    );
    Double {
        name: name.to_owned(),
        declared,
        text,
        answers,
        ..Double::default()
    }
}

/// The statements that write what is behind a parameter.
fn write_output(output: &Output, body: &mut String) {
    let Output {
        index,
        size,
        variable,
        ..
    } = output;
    let from = format!("{} + {size} * call", variable.name);
    let _ = writeln!(body, "  if (a{index}) {{");
    if let Some(most) = output.most {
        let number = match most {
            Most::Number(at) => format!("(long)a{at}"),
            Most::Behind(at, bytes) => {
                let c = if bytes == 4 { "unsigned" } else { "long" };
                format!("a{at} ? (long)*({c} *)(void *)a{at} : 0")
            }
        };
        let _ = writeln!(
            body,
            "    long most = {number};\n    \
             if (most > 0) __builtin_memcpy((void *)a{index}, {from}, most < {size} ? most : {size});"
        );
    } else {
        for (start, bytes) in &output.ranges {
            let _ = writeln!(
                body,
                "    __builtin_memcpy((char *)a{index} + {start}, {from} + {start}, {bytes});"
            );
        }
    }
    body.push_str("  }\n");
}

/// The statements that return an element of a variable, or behind all what ends loops.
fn returned(result: &str, c_type: &str, of: &str) -> String {
    let late = match c_type {
        "void *" => "(void *)0",
        structure if structure.contains('{') => "",
        number if number.starts_with("unsigned") || number == "_Bool" => "number % 2",
        _ => "-(int)(number % 2)",
    };
    match late.is_empty() {
        true => format!(
            "  if (number < {REPEATED}) return {of}[call];\n{}",
            zero(result)
        ),
        false => format!("  if (number < {REPEATED}) return {of}[call];\n  return {late};\n"),
    }
}

/// The statements that return zeros.
fn zero(result: &str) -> String {
    format!("  {result} none;\n  __builtin_memset(&none, 0, sizeof none);\n  return none;\n")
}

/// Sets `errno` to an element of a variable.
fn set_errors(of: &str, text: &mut String, body: &mut String) {
    let _ = writeln!(
        text,
        "extern int *__errno_location(void);\n@int {of}[{ANSWERS}];"
    );
    let _ = writeln!(body, "  *__errno_location() = {of}[call];");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_repeat_and_then_end_loops() {
        let text = |c: &str| returned("T", c, "r");
        assert_eq!(
            text("int"),
            "  if (number < 24) return r[call];\n  return -(int)(number % 2);\n"
        );
        assert!(text("unsigned short").ends_with("return number % 2;\n"));
        assert!(text("void *").ends_with("return (void *)0;\n"));
        assert!(text("struct { int a; }").ends_with("return none;\n"));
    }

    #[test]
    fn no_more_is_written_than_a_parameter_says() {
        let mut output = Output {
            index: 0,
            size: 16,
            ranges: vec![(0, 4), (12, 4)],
            most: None,
            variable: Variable {
                name: "v".to_owned(),
                ..Variable::default()
            },
        };
        let mut body = String::new();
        write_output(&output, &mut body);
        assert!(
            body.contains("(char *)a0 + 0, v + 16 * call + 0, 4)"),
            "{body}"
        );
        assert!(
            body.contains("(char *)a0 + 12, v + 16 * call + 12, 4)"),
            "{body}"
        );
        output.most = Some(Most::Behind(1, 4));
        body.clear();
        write_output(&output, &mut body);
        assert!(body.contains("*(unsigned *)(void *)a1"), "{body}");
        assert!(body.contains("most < 16 ? most : 16"), "{body}");
    }
}

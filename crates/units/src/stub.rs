//! Stubs as C text: functions in place of those outside a unit.
//!
//! A stub returns an input: a number, a structure, or a pointer that is null or to an object of its
//! own. What its parameters point to is an input too, where the function may write there and the
//! number of bytes is known: objects of a type that is no character.

use std::fmt::Write as _;

use labrys_suite::unit::{Entry, Part};

use crate::driver::{Maker, declaration, definitions, result_type};
use crate::prototype::Prototype;
use crate::walk::walk;
use crate::{REAL, STUB, STUBBED, SWITCH};

/// What the names of types of a stub begin with.
fn types(number: usize) -> String {
    format!("labrys_stub_type_{number}_")
}

/// The statements that make what the stub of this number returns, and return it.
pub(crate) fn result(
    number: usize,
    entry: &Entry,
    prototype: &Prototype<'_>,
    parts: &[Part],
    functions: &[String],
) -> String {
    let c_type = result_type(prototype, &types(number));
    if c_type == "void" {
        return String::new();
    }
    let mut maker = Maker::new(entry, functions, "");
    walk(entry, parts, "&r", &mut maker);
    format!(
        "  {c_type} r;\n  __builtin_memset(&r, 0, sizeof r);\n{}  return r;\n",
        maker.body
    )
}

/// The stub of a function: `labrys_stub_NUMBER`. `outputs` is what it writes behind each parameter,
/// `result` the statements that return what it does.
pub(crate) fn stub(
    number: usize,
    entry: &Entry,
    prototype: &Prototype<'_>,
    outputs: &[Vec<Part>],
    result: &str,
    functions: &[String],
) -> String {
    let types = types(number);
    let mut body = String::new();
    for (index, parts) in outputs
        .iter()
        .enumerate()
        .filter(|(_, parts)| !parts.is_empty())
    {
        let mut maker = Maker::new(entry, functions, "");
        let base = format!("s{index}");
        walk(entry, parts, &base, &mut maker);
        let _ = write!(
            body,
            "  if (a{index}) {{\n  unsigned char *{base} = a{index};\n{}  }}\n",
            maker.body
        );
    }
    body.push_str(result);
    format!(
        "\n/* In place of {}. */\n{}{} {{\n{body}}}\n",
        entry.name,
        definitions(prototype, &types),
        declaration(prototype, &format!("{STUB}{number}"), &types, true),
    )
}

/// The switch of a function with a stub, `labrys_switch_NUMBER`: calls the one or the other.
pub(crate) fn switch(number: usize, prototype: &Prototype<'_>) -> String {
    let types = types(number);
    let passed = (0..prototype.parameters.len()).map(|index| format!("a{index}"));
    let passed = passed.collect::<Vec<_>>().join(", ");
    let returns = match result_type(prototype, &types).as_str() {
        "void" => "",
        _ => "return ",
    };
    format!(
        "\nunsigned char {STUBBED}{number};\nextern {};\n{} {{\n  if ({STUBBED}{number}) {{\n    \
         {returns}{STUB}{number}({passed});\n  }} else {{\n    {returns}{REAL}{number}({passed});\n  \
         }}\n}}\n",
        declaration(prototype, &format!("{REAL}{number}"), &types, false),
        declaration(prototype, &format!("{SWITCH}{number}"), &types, true),
    )
}

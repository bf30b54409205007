//! C files that give the bytes of an input to a program which asks for input objects.
//!
//! Law: linked with the program, such a file hands out the bytes of the objects stream in order
//! of the calls, and zeros after its end, as the runtime does.

use core::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::{Config, InputObject, ObjectKind};

/// What there is to know of a program's harness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harness {
    /// The program is a fuzz target: it has no `main`, its input goes to
    /// `LLVMFuzzerTestOneInput`.
    pub fuzz_target: bool,
    /// Functions that make a value of their result type, such as `__VERIFIER_nondet_int`.
    pub values: Vec<ValueFunction>,
}

/// A function without a body that makes a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueFunction {
    /// Its name.
    pub name: String,
    /// What it makes.
    pub kind: ObjectKind,
    /// Bytes that a value takes.
    pub size: u64,
}

/// The functions of other tools' harnesses, over those of Labrys: the text that the front end
/// compiles into programs.
const FOREIGN: &str = include_str!("../../models/c/foreign.c");
/// The functions of Labrys, handing out the bytes.
const FUNCTIONS: &str = include_str!("harness.c");
/// The main function of a fuzz target.
const FUZZ: &str = include_str!("fuzz.c");

/// The C file for these bytes. The objects tell what the bytes are, for people.
pub(crate) fn source(config: &Config, bytes: &[u8], objects: &[InputObject]) -> String {
    let comment =
        |text: &str| format!("/* {} */\n", text.replace("*/", "* /").replace("/*", "/ *"));
    let mut text = comment(&format!(
        "A test of {}. Link it with the program: cc PROGRAM.c THIS.c",
        config.program
    ));
    for object in objects {
        text.push_str(&comment(&describe(object, bytes)));
    }
    let _ = write!(text, "\n#define LABRYS_SIZE {}\n", bytes.len());
    text.push_str("static const unsigned char labrys_bytes[LABRYS_SIZE + 1] = {");
    for (index, byte) in bytes.iter().enumerate() {
        text.push_str(if index % 16 == 0 { "\n    " } else { " " });
        let _ = write!(text, "{byte},");
    }
    text.push_str("\n    0};\n\n");
    text.push_str(FOREIGN);
    text.push_str(FUNCTIONS);
    for function in &config.harness.values {
        text.push_str(&value_function(function));
    }
    if config.harness.fuzz_target {
        text.push_str(FUZZ);
    }
    text
}

/// The definition of a function that makes a value.
fn value_function(function: &ValueFunction) -> String {
    let ValueFunction { name, kind, size } = function;
    let ctype = match (kind, size) {
        (ObjectKind::Boolean, _) => "_Bool".to_owned(),
        (ObjectKind::Pointer, _) => "void *".to_owned(),
        (ObjectKind::Float, 4) => "float".to_owned(),
        (ObjectKind::Float, _) => "double".to_owned(),
        (ObjectKind::Unsigned, 16) => "unsigned __int128".to_owned(),
        (ObjectKind::Unsigned, size) => format!("uint{}_t", 8 * size),
        (ObjectKind::Signed, 16) => "__int128".to_owned(),
        (ObjectKind::Signed, size) => format!("int{}_t", 8 * size),
        // A structure in registers, or two.
        (ObjectKind::Bytes, size) => format!("struct {{ unsigned char bytes[{size}]; }}"),
    };
    let (ctype, result) = match kind {
        ObjectKind::Boolean => ("unsigned char", "value & 1"),
        _ => (&*ctype, "value"),
    };
    match kind {
        ObjectKind::Bytes => format!(
            "\ntypedef {ctype} {name}_t;\nFOREIGN {name}_t {name}(void) {{\n  {name}_t value;\n  \
             labrys_take(&value, sizeof value);\n  return value;\n}}\n"
        ),
        _ => format!(
            "\nFOREIGN {ctype} {name}(void) {{\n  {ctype} value;\n  \
             labrys_take(&value, sizeof value);\n  return {result};\n}}\n"
        ),
    }
}

/// Bytes of an object that are shown.
const SHOWN: u64 = 64;

/// An object with its value, for people.
fn describe(object: &InputObject, bytes: &[u8]) -> String {
    let end = object.offset.saturating_add(object.size.min(SHOWN));
    let byte = |at: u64| {
        usize::try_from(at)
            .ok()
            .and_then(|at| bytes.get(at))
            .copied()
    };
    let value: Vec<u8> = (object.offset..end)
        .map(|at| byte(at).unwrap_or(0))
        .collect();
    format!(
        "{} = {}",
        object.name,
        print(object.kind, object.size, &value)
    )
}

/// The value of these bytes, as C and people read it.
pub(crate) fn print(kind: ObjectKind, size: u64, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    if size == 0 || size > 16 || kind == ObjectKind::Bytes {
        let more = if size > SHOWN { "..." } else { "" };
        return format!("\"{}\"{more}", bytes.escape_ascii());
    }
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u128::from_le_bytes(wide);
    match (kind, size) {
        (ObjectKind::Boolean, _) => (unsigned & 1).to_string(),
        (ObjectKind::Signed, _) => {
            let unused = 128 - 8 * u32::try_from(size).unwrap_or(16);
            ((unsigned << unused) as i128 >> unused).to_string()
        }
        (ObjectKind::Float, 4) => format!("{:?}", f32::from_bits(unsigned as u32)),
        (ObjectKind::Float, 8) => format!("{:?}", f64::from_bits(unsigned as u64)),
        (ObjectKind::Unsigned, _) => unsigned.to_string(),
        _ => format!("{unsigned:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_by_kind() {
        assert_eq!(
            print(ObjectKind::Signed, 4, &[0xfe, 0xff, 0xff, 0xff]),
            "-2"
        );
        assert_eq!(print(ObjectKind::Unsigned, 2, &[0, 1]), "256");
        assert_eq!(print(ObjectKind::Float, 4, &1.5_f32.to_le_bytes()), "1.5");
        assert_eq!(print(ObjectKind::Boolean, 1, &[6]), "0");
        assert_eq!(
            print(ObjectKind::Pointer, 8, &[16, 0, 0, 0, 0, 0, 0, 0]),
            "0x10"
        );
        assert_eq!(print(ObjectKind::Bytes, 4, b"a\0\"\n"), r#""a\x00\"\n""#);
    }
}

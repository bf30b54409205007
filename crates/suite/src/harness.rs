//! C files that give the bytes of an input to a program which asks for input objects.
//!
//! Law: linked with the program, such a file hands out the bytes of the objects stream in order
//! of the calls, and zeros after its end, as the runtime does.

use core::fmt::Write;

use crate::{Config, InputObject, ObjectKind};

/// The functions by which programs ask for input objects.
const FUNCTIONS: &str = include_str!("harness.c");

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
    text.push_str(FUNCTIONS);
    text
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

fn print(kind: ObjectKind, size: u64, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    if size == 0 || size > 16 || kind == ObjectKind::Bytes {
        let more = if size > SHOWN { "..." } else { "" };
        return format!("\"{}\"{more}", bytes.escape_ascii());
    }
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u128::from_le_bytes(wide);
    match (kind, size) {
        (ObjectKind::Boolean, _) => u8::from(unsigned != 0).to_string(),
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
        assert_eq!(print(ObjectKind::Boolean, 1, &[7]), "1");
        assert_eq!(
            print(ObjectKind::Pointer, 8, &[16, 0, 0, 0, 0, 0, 0, 0]),
            "0x10"
        );
        assert_eq!(print(ObjectKind::Bytes, 4, b"a\0\"\n"), r#""a\x00\"\n""#);
    }
}

//! Values as literals of C.

use crate::unit::Content;
use crate::unit::{number, signed};

/// A number; none if it has no literal.
pub(super) fn literal(content: Content, value: &[u8]) -> Option<String> {
    let size = value.len();
    Some(match content {
        Content::Boolean => (value[0] & 1).to_string(),
        Content::Signed | Content::Characters => match (size, signed(value)) {
            (1 | 2, value) => value.to_string(),
            (4, value) if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            (4, value) => value.to_string(),
            (8, value) if value == i128::from(i64::MIN) => "(-9223372036854775807L - 1)".to_owned(),
            (8, value) => format!("{value}L"),
            (16, _) => wide("__int128", number(value)),
            _ => return None,
        },
        Content::Unsigned => match (size, number(value)) {
            (1 | 2, value) => value.to_string(),
            (4, value) => format!("{value}u"),
            (8, value) => format!("{value}UL"),
            (16, value) => wide("unsigned __int128", value),
            _ => return None,
        },
        Content::Float => match size {
            4 => {
                let value = f32::from_bits(number(value) as u32);
                float(f64::from(value), &format!("{value:?}f"))?
            }
            8 => {
                let value = f64::from_bits(number(value) as u64);
                float(value, &format!("{value:?}"))?
            }
            _ => return None,
        },
        Content::Bytes | Content::Text | Content::Choice | Content::Places | Content::Pointer => {
            return None;
        }
    })
}

/// A number of 128 bits, for which C has no literals: put together of two halves.
fn wide(c_type: &str, bits: u128) -> String {
    let (high, low) = ((bits >> 64) as u64, bits as u64);
    format!("({c_type})((unsigned __int128){high}UL << 64 | {low}UL)")
}

/// A number that is finite; of what is not a number there are several.
fn float(value: f64, text: &str) -> Option<String> {
    match value {
        value if value.is_finite() => Some(text.to_owned()),
        value if value.is_nan() => None,
        value if value > 0.0 => Some("__builtin_inf()".to_owned()),
        _ => Some("-__builtin_inf()".to_owned()),
    }
}

/// A string literal of these bytes, without zeros at its end.
pub(super) fn string(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|byte| *byte != 0);
    let mut text = String::from("\"");
    for byte in &bytes[..end.map_or(0, |end| end + 1)] {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(*byte));
            }
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            // Two of them in a row can be a trigraph.
            b'?' => text.push_str("\\?"),
            b' '..=b'~' => text.push(char::from(*byte)),
            byte => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_are_literals() {
        let value = |content, bytes: &[u8]| literal(content, bytes).expect("a literal");
        assert_eq!(
            value(Content::Signed, &[0, 0, 0, 0x80]),
            "(-2147483647 - 1)"
        );
        assert_eq!(value(Content::Signed, &[0xfe, 0xff]), "-2");
        assert_eq!(value(Content::Unsigned, &[7, 0, 0, 0]), "7u");
        assert_eq!(
            value(Content::Signed, &(-1_i128).to_le_bytes()),
            "(__int128)((unsigned __int128)18446744073709551615UL << 64 | 18446744073709551615UL)"
        );
        assert_eq!(value(Content::Float, &2.5_f64.to_le_bytes()), "2.5");
        assert_eq!(value(Content::Float, &1e-30_f32.to_le_bytes()), "1e-30f");
        assert_eq!(literal(Content::Float, &f64::NAN.to_le_bytes()), None);
        assert_eq!(string(b"a\"\0\x01?\0\0"), r#""a\"\000\001\?""#);
        assert_eq!(string(b"\0\0"), "\"\"");
    }
}

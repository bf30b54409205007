//! Input objects: the pieces that a program asks for one by one.

use serde::{Deserialize, Serialize};

/// What an input object is; it decides how its value is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    /// Bytes without a type.
    #[default]
    Bytes,
    /// Unsigned integer, little-endian.
    Unsigned,
    /// Signed integer, little-endian.
    Signed,
    /// IEEE-754 number.
    Float,
    /// Truth value.
    Boolean,
    /// Pointer.
    Pointer,
}

impl ObjectKind {
    /// The kind with this number in an input event.
    #[must_use]
    pub fn from_u8(number: u8) -> Option<Self> {
        use ObjectKind::{Boolean, Bytes, Float, Pointer, Signed, Unsigned};
        [Bytes, Unsigned, Signed, Float, Boolean, Pointer]
            .get(usize::from(number))
            .copied()
    }

    /// A value of this kind and length, as C and people read it; bytes without a type, and what
    /// is longer than any number, as a string.
    pub(crate) fn print(self, bytes: &[u8]) -> String {
        let size = bytes.len();
        if size == 0 || size > 16 || self == ObjectKind::Bytes {
            return format!("\"{}\"", bytes.escape_ascii());
        }
        let mut wide = [0; 16];
        wide[..size].copy_from_slice(bytes);
        let unsigned = u128::from_le_bytes(wide);
        match (self, size) {
            (ObjectKind::Boolean, _) => (unsigned & 1).to_string(),
            (ObjectKind::Signed, _) => {
                let unused = 128 - 8 * size;
                ((unsigned << unused) as i128 >> unused).to_string()
            }
            (ObjectKind::Float, 4) => format!("{:?}", f32::from_bits(unsigned as u32)),
            (ObjectKind::Float, 8) => format!("{:?}", f64::from_bits(unsigned as u64)),
            (ObjectKind::Unsigned, _) => unsigned.to_string(),
            _ => format!("{unsigned:#x}"),
        }
    }
}

/// A piece of the objects stream that the program asked for in one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputObject {
    /// Name as given by the program.
    pub name: String,
    /// Offset in the objects stream, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// What it is.
    pub kind: ObjectKind,
}

impl InputObject {
    /// The bytes of a value of this object as a test of another tool writes it: a number, in
    /// decimal or hexadecimal, or a character in quotes. Numbers that are too large are cut off.
    #[must_use]
    pub fn parse(&self, value: &str) -> Option<Vec<u8>> {
        let value = value.trim().trim_end_matches(['u', 'U', 'l', 'L']);
        let size = usize::try_from(self.size).ok()?;
        if self.kind == ObjectKind::Float {
            let bits = match size {
                4 => value.parse::<f32>().ok()?.to_le_bytes().to_vec(),
                _ => value.parse::<f64>().ok()?.to_le_bytes().to_vec(),
            };
            return Some(bits);
        }
        let quoted = value
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        let quoted = quoted
            .and_then(|text| text.chars().next())
            .map(|letter| letter as i128);
        let hexadecimal = value.strip_prefix("0x");
        let hexadecimal = hexadecimal.and_then(|digits| i128::from_str_radix(digits, 16).ok());
        let number = quoted.or(hexadecimal).or_else(|| value.parse().ok())?;
        let sign = if number < 0 { 0xff } else { 0 };
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.resize(size, sign);
        Some(bytes)
    }

    /// The object's value in the bytes of an objects stream, at most this many bytes of it; past
    /// the end of the stream there are zeros.
    pub(crate) fn value(&self, stream: &[u8], most: u64) -> Vec<u8> {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let byte = |at: usize| start.checked_add(at).and_then(|at| stream.get(at));
        let size = usize::try_from(self.size.min(most)).unwrap_or(0);
        (0..size).map(|at| byte(at).copied().unwrap_or(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_tools_are_read() {
        let object = |size, kind| InputObject {
            name: String::new(),
            offset: 0,
            size,
            kind,
        };
        let int = object(4, ObjectKind::Signed);
        assert_eq!(int.parse("-2"), Some(vec![254, 255, 255, 255]));
        assert_eq!(int.parse("0x10u"), Some(vec![16, 0, 0, 0]));
        assert_eq!(int.parse("word"), None);
        assert_eq!(object(1, ObjectKind::Signed).parse("'a'"), Some(vec![b'a']));
        let double = object(8, ObjectKind::Float).parse("1.5");
        assert_eq!(double, Some(1.5_f64.to_le_bytes().to_vec()));
    }

    #[test]
    fn values_are_printed_by_kind() {
        assert_eq!(ObjectKind::Signed.print(&[0xfe, 0xff, 0xff, 0xff]), "-2");
        assert_eq!(ObjectKind::Unsigned.print(&[0, 1]), "256");
        assert_eq!(ObjectKind::Float.print(&1.5_f32.to_le_bytes()), "1.5");
        assert_eq!(ObjectKind::Boolean.print(&[6]), "0");
        assert_eq!(
            ObjectKind::Pointer.print(&[16, 0, 0, 0, 0, 0, 0, 0]),
            "0x10"
        );
        assert_eq!(ObjectKind::Bytes.print(b"a\0\"\n"), r#""a\x00\"\n""#);
    }
}

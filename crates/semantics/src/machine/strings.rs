//! Library functions on strings and characters, as the machine executes them in the C locale.
//!
//! Comparisons give −1, 0 or 1, of which programs may only look at the sign.

use std::cmp::Ordering;

use labrys_expr::Value;
use labrys_program::{Function, Operand, Type};

use super::{ConcreteValue, Halt, Machine};
use crate::character::character_table;
use crate::value::IrValue;

/// Longest string.
const MAX_TEXT: u64 = 1 << 16;

fn sign(order: Ordering) -> u64 {
    (order as i64) as u64
}

/// Space, a sign, digits: as of `atol`.
fn number(text: &[u8]) -> u64 {
    let start = text
        .iter()
        .position(|byte| !matches!(byte, b'\t'..=b'\r' | b' '));
    let text = &text[start.unwrap_or(text.len())..];
    let negative = text.first() == Some(&b'-');
    let signed = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[signed..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let value = digits.fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        let next = value.saturating_mul(10);
        if negative {
            next.saturating_sub(digit)
        } else {
            next.saturating_add(digit)
        }
    });
    value as u64
}

fn lowered(text: &[u8]) -> Vec<u8> {
    text.to_ascii_lowercase()
}

impl Machine<'_> {
    /// Executes a function on strings; `None` if it is none, or is given what it cannot take.
    pub(super) fn string_call(
        &mut self,
        function: &Function,
        name: &str,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let known = arguments.iter().map(|one| self.scalar(function, *one));
        let Ok(values) = known.collect::<Result<Vec<Value>, Halt>>() else {
            return Ok(None);
        };
        let values: Vec<u64> = values.iter().map(|one| one.bits() as u64).collect();
        let result = match character_table(name) {
            Some(_) => Some(self.characters(name)?),
            None => match self.read_only(name, &values)? {
                Some(result) => Some(result),
                None => self.copied(name, &values)?,
            },
        };
        let width = ty.width().unwrap_or(64);
        Ok(result.map(|bits| IrValue::Scalar(Value::new(width, u128::from(bits)))))
    }

    /// The bytes of a string, without its end.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::new();
        for at in 0..MAX_TEXT {
            match self.bytes(address.wrapping_add(at), 1).ok_or(Halt::Fault)?[0] {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
        Err(Halt::Limit)
    }

    /// As `text`, up to so many bytes.
    fn text_within(&mut self, address: u64, most: u64) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::new();
        for at in 0..most.min(MAX_TEXT) {
            match self.bytes(address.wrapping_add(at), 1).ok_or(Halt::Fault)?[0] {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(bytes)
    }

    fn block(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Halt> {
        Ok(self.bytes(address, size).ok_or(Halt::Fault)?.to_vec())
    }

    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Halt> {
        let place = self.bytes(address, bytes.len() as u64);
        place.ok_or(Halt::Fault)?.copy_from_slice(bytes);
        Ok(())
    }

    fn read_only(&mut self, name: &str, values: &[u64]) -> Result<Option<u64>, Halt> {
        let place = |at: Option<usize>, base: u64| at.map_or(0, |at| base + at as u64);
        Ok(Some(match (name, values) {
            ("strlen", [s]) => self.text(*s)?.len() as u64,
            ("strnlen", [s, n]) => self.text_within(*s, *n)?.len() as u64,
            ("strcmp", [a, b]) => sign(self.text(*a)?.cmp(&self.text(*b)?)),
            ("strncmp", [a, b, n]) => {
                sign(self.text_within(*a, *n)?.cmp(&self.text_within(*b, *n)?))
            }
            ("strcasecmp", [a, b]) => sign(lowered(&self.text(*a)?).cmp(&lowered(&self.text(*b)?))),
            ("strncasecmp", [a, b, n]) => {
                let (a, b) = (self.text_within(*a, *n)?, self.text_within(*b, *n)?);
                sign(lowered(&a).cmp(&lowered(&b)))
            }
            ("memcmp" | "bcmp", [a, b, n]) => sign(self.block(*a, *n)?.cmp(&self.block(*b, *n)?)),
            ("strchr" | "index" | "strrchr" | "rindex", [s, c]) => {
                let mut text = self.text(*s)?;
                text.push(0);
                let is_wanted = |byte: &u8| *byte == *c as u8;
                if name.contains("rr") || name.starts_with('r') {
                    place(text.iter().rposition(is_wanted), *s)
                } else {
                    place(text.iter().position(is_wanted), *s)
                }
            }
            ("memchr", [s, c, n]) => {
                let block = self.block(*s, *n)?;
                place(block.iter().position(|byte| *byte == *c as u8), *s)
            }
            ("strstr", [s, wanted]) => {
                let (text, wanted) = (self.text(*s)?, self.text(*wanted)?);
                let starts = |at: &usize| text[*at..].starts_with(&wanted);
                place((0..=text.len()).find(starts), *s)
            }
            ("strspn" | "strcspn" | "strpbrk", [s, set]) => {
                let (text, set) = (self.text(*s)?, self.text(*set)?);
                let stops = |byte: &u8| set.contains(byte) != (name == "strspn");
                let at = text.iter().position(stops);
                match name {
                    "strpbrk" => place(at, *s),
                    _ => at.unwrap_or(text.len()) as u64,
                }
            }
            ("atoi" | "atol" | "atoll", [s]) => number(&self.text(*s)?),
            ("tolower", [c]) if *c < 256 => u64::from((*c as u8).to_ascii_lowercase()),
            ("toupper", [c]) if *c < 256 => u64::from((*c as u8).to_ascii_uppercase()),
            ("abs", [n]) => u64::from((*n as i32).unsigned_abs()),
            ("labs" | "llabs", [n]) => (*n as i64).unsigned_abs(),
            _ => return Ok(None),
        }))
    }

    fn copied(&mut self, name: &str, values: &[u64]) -> Result<Option<u64>, Halt> {
        match (name, values) {
            ("strcpy" | "stpcpy" | "strcat", [to, from]) => {
                let mut text = self.text(*from)?;
                let length = text.len() as u64;
                text.push(0);
                let start = match name {
                    "strcat" => *to + self.text(*to)?.len() as u64,
                    _ => *to,
                };
                self.put(start, &text)?;
                Ok(Some(if name == "stpcpy" { to + length } else { *to }))
            }
            ("strncpy", [to, from, n]) => {
                let mut text = self.text_within(*from, *n)?;
                text.resize(usize::try_from(*n).map_err(|_| Halt::Fault)?, 0);
                self.put(*to, &text)?;
                Ok(Some(*to))
            }
            ("strncat", [to, from, n]) => {
                let mut text = self.text_within(*from, *n)?;
                text.push(0);
                let end = *to + self.text(*to)?.len() as u64;
                self.put(end, &text)?;
                Ok(Some(*to))
            }
            _ => Ok(None),
        }
    }

    /// Where the pointer to a table of characters is.
    fn characters(&mut self, name: &str) -> Result<u64, Halt> {
        let known = self.tables.iter().find(|(known, _)| known == name);
        if let Some((_, address)) = known {
            return Ok(*address);
        }
        let Some(table) = character_table(name) else {
            return Err(Halt::Unknown(name.to_owned()));
        };
        let bytes = self.memory.allocate(table.bytes.len() as u64);
        let bytes = bytes.ok_or(Halt::Limit)?;
        self.put(bytes, &table.bytes)?;
        let pointer = self.memory.allocate(8).ok_or(Halt::Limit)?;
        self.put(pointer, &(bytes + table.zero).to_le_bytes())?;
        self.tables.push((name.to_owned(), pointer));
        Ok(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_in_text() {
        let of = |text: &str| number(text.as_bytes()) as i64;
        assert_eq!(of(" \t-42x"), -42);
        assert_eq!(of("+7"), 7);
        assert_eq!(of("- 7"), 0);
        assert_eq!(of(""), 0);
        assert_eq!(of("99999999999999999999"), i64::MAX);
    }
}

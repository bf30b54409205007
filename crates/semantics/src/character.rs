//! The tables of character classes that the macros of `ctype.h` look into, as glibc has them in
//! the C locale: for each character from −128 to 255 its classes, or its other case.

use std::sync::LazyLock;

use labrys_library::Computes;

/// A table, and the offset of the element of character 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterTable {
    /// The elements, one after the other.
    pub bytes: Vec<u8>,
    /// Where the pointer that the library gives points to.
    pub zero: u64,
}

/// First character of the tables, and the last one.
const FIRST: i32 = -128;
const LAST: i32 = 255;

/// By what a function of glibc gives the address of the address of.
static TABLES: LazyLock<[(Computes, CharacterTable); 3]> = LazyLock::new(|| {
    let table = |bytes: Vec<u8>, size: u64| CharacterTable {
        bytes,
        zero: size * u64::from(FIRST.unsigned_abs()),
    };
    let all = || FIRST..=LAST;
    let wide = |other: fn(i32) -> i32| all().flat_map(move |it| other(it).to_le_bytes());
    let classes = all().flat_map(|character| classes(character).to_le_bytes());
    [
        (Computes::Classes, table(classes.collect(), 2)),
        (Computes::Lowers, table(wide(lower).collect(), 4)),
        (Computes::Uppers, table(wide(upper).collect(), 4)),
    ]
});

/// The table that a function of glibc gives the address of the address of.
#[must_use]
pub fn character_table(function: &str) -> Option<&'static CharacterTable> {
    table_of(labrys_library::function(function)?.computes()?)
}

pub(crate) fn table_of(computes: Computes) -> Option<&'static CharacterTable> {
    let mut tables = TABLES.iter();
    let found = tables.find(|(known, _)| *known == computes);
    found.map(|(_, table)| table)
}

/// The character that is meant; one below 0 but −1 (the end of a file) stands for that of its low
/// byte.
fn meant(character: i32) -> Option<u8> {
    (character != -1).then_some(character as u8)
}

/// In the order of `ctype.h`: upper, lower, alpha, digit, hexadecimal digit, space, printing,
/// graphical, blank, control, punctuation, alphanumeric.
fn classes(character: i32) -> u16 {
    let Some(byte) = meant(character) else {
        return 0;
    };
    let space = matches!(byte, b'\t'..=b'\r' | b' ');
    let holds = [
        byte.is_ascii_uppercase(),
        byte.is_ascii_lowercase(),
        byte.is_ascii_alphabetic(),
        byte.is_ascii_digit(),
        byte.is_ascii_hexdigit(),
        space,
        byte.is_ascii_graphic() || byte == b' ',
        byte.is_ascii_graphic(),
        matches!(byte, b'\t' | b' '),
        byte.is_ascii_control(),
        byte.is_ascii_punctuation(),
        byte.is_ascii_alphanumeric(),
    ];
    // On little-endian machines the first eight are the upper byte.
    let bit = |index: usize| {
        if index < 8 {
            256 << index
        } else {
            1 << (index - 8)
        }
    };
    let set = holds.iter().enumerate().filter(|(_, holds)| **holds);
    set.fold(0, |all, (index, _)| all | bit(index))
}

fn lower(character: i32) -> i32 {
    change(character, |byte: u8| byte.to_ascii_lowercase())
}

fn upper(character: i32) -> i32 {
    change(character, |byte: u8| byte.to_ascii_uppercase())
}

fn change(character: i32, to: impl Fn(u8) -> u8) -> i32 {
    meant(character).map_or(-1, |byte| to(byte).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What glibc 2.36 gives for the same characters.
    #[test]
    fn tables_are_those_of_glibc() {
        let known = [
            (-128, 0, 128, 128),
            (-2, 0, 254, 254),
            (-1, 0, -1, -1),
            (0, 2, 0, 0),
            (9, 8195, 9, 9),
            (10, 8194, 10, 10),
            (32, 24577, 32, 32),
            (33, 49156, 33, 33),
            (65, 54536, 97, 65),
            (255, 0, 255, 255),
        ];
        for (character, classes, lower, upper) in known {
            let element = |computes: Computes, size: u64| {
                let table = table_of(computes).expect("a table");
                let at = table.zero as i64 + i64::from(character) * size as i64;
                let bytes = &table.bytes[at as usize..at as usize + size as usize];
                let mut wide = [0; 4];
                wide[..bytes.len()].copy_from_slice(bytes);
                i32::from_le_bytes(wide)
            };
            assert_eq!(element(Computes::Classes, 2), classes, "{character}");
            assert_eq!(element(Computes::Lowers, 4), lower, "{character}");
            assert_eq!(element(Computes::Uppers, 4), upper, "{character}");
        }
    }
}

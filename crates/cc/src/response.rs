//! Words of a command line as GNU tools write them into files: response files (`@file`) and the
//! commands that `clang -###` prints.
//!
//! Words are separated by white space; a backslash makes the next character an ordinary one,
//! and so do single and double quotes for all characters but the backslash and the closing
//! quote. Joining and splitting are inverse: `split(join(words)) = words`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Response files may name response files, this deep.
const MAX_DEPTH: u32 = 16;

/// Splits a text into words.
pub(crate) fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote: Option<u8> = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// Writes words so that [`split`] reads them back.
pub(crate) fn join(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\' | b'$') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

/// Replaces each `@file` by the words of that file. As with clang, a name that cannot be read
/// stays what it is.
pub(crate) fn expand(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut found = Vec::with_capacity(arguments.len());
    expand_into(&mut found, arguments, MAX_DEPTH);
    found
}

fn expand_into(found: &mut Vec<OsString>, arguments: Vec<OsString>, depth: u32) {
    for argument in arguments {
        let file = argument
            .as_bytes()
            .strip_prefix(b"@")
            .map(OsStr::from_bytes);
        match file.filter(|_| depth > 0).map(std::fs::read) {
            Some(Ok(text)) => expand_into(found, split(&text), depth - 1),
            _ => found.push(argument),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let words = split(text.as_bytes());
        words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    #[test]
    fn splits_as_gnu_tools_do() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  \n\t ", &[]),
            ("-c a.c\n-o  a.o", &["-c", "a.c", "-o", "a.o"]),
            (r#""a b" 'c d' e\ f"#, &["a b", "c d", "e f"]),
            (r#"-DX="\"y\"" '' """#, &[r#"-DX="y""#, "", ""]),
            (r#"'it\'s'"#, &["it's"]),
            (
                r#" "/usr/bin/ld" "-o" "a\$b" "#,
                &["/usr/bin/ld", "-o", "a$b"],
            ),
            ("'open", &["open"]),
            ("end\\", &["end"]),
        ];
        for (text, expected) in table {
            assert_eq!(&words(text), expected, "{text}");
        }
    }

    #[test]
    fn join_is_undone_by_split() {
        let samples = [
            "",
            "a",
            "a b",
            "\"",
            "\\",
            "$HOME",
            "'x'",
            "line\nbreak",
            "\u{e9}",
        ];
        let samples: Vec<OsString> = samples.into_iter().map(OsString::from).collect();
        assert_eq!(split(&join(&samples)), samples);
    }

    #[test]
    fn files_are_expanded_and_missing_ones_kept() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        let outer = folder.path().join("outer");
        std::fs::write(&inner, "-DB 'c d'").unwrap();
        std::fs::write(&outer, format!("-DA @{}", inner.display())).unwrap();
        let line = ["x.c", &format!("@{}", outer.display()), "@missing"].map(OsString::from);
        let expected = ["x.c", "-DA", "-DB", "c d", "@missing"].map(OsString::from);
        assert_eq!(expand(line.to_vec()), expected);
    }
}

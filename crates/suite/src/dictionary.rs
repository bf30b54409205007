//! Dictionaries in the format of AFL and libFuzzer: a word in quotes on each line, with a name or
//! without, `#` for comments.

/// The words of a dictionary.
///
/// # Errors
/// The number of the first line that holds none.
pub fn words(text: &str) -> Result<Vec<Vec<u8>>, usize> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| word(line).ok_or(number))
        .collect()
}

/// Words as a suite's configuration holds them: in hexadecimal, one a line.
#[must_use]
pub fn record(words: &[Vec<u8>]) -> String {
    let digits = |word: &Vec<u8>| word.iter().map(|byte| format!("{byte:02x}")).collect();
    words.iter().map(digits).collect::<Vec<String>>().join("\n")
}

/// The words in a suite's configuration.
#[must_use]
pub fn recorded(text: &str) -> Vec<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let word = |line: &str| line.as_bytes().chunks(2).map(byte).collect::<Option<_>>();
    text.lines().filter_map(word).collect()
}

/// The word of a line.
fn word(line: &str) -> Option<Vec<u8>> {
    let (_, quoted) = line.split_once('"')?;
    let quoted = quoted.strip_suffix('"')?;
    let mut word = Vec::new();
    let mut bytes = quoted.bytes();
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next()? {
                b'x' => {
                    let digits = [bytes.next()?, bytes.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other @ (b'\\' | b'"') => other,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                _ => return None,
            },
            b'"' => return None,
            byte => byte,
        });
    }
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_forms_are_read() {
        assert_eq!(word("\"ab\""), Some(b"ab".to_vec()));
        assert_eq!(word("kw@1=\"\\x00\\\"\\\\=\""), Some(b"\0\"\\=".to_vec()));
        assert_eq!(word("ab"), None);
        assert_eq!(word("a=\"\\q\""), None);
        assert_eq!(words("# words\n\nx=\"ab\"\nword\n"), Err(4));
    }
}

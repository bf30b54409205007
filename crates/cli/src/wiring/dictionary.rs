//! Dictionaries in the format of AFL and libFuzzer: a word in quotes on each line, with a name or
//! without, `#` for comments.

use std::path::{Path, PathBuf};

use crate::output::problem::Problem;

/// The words of dictionary files.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Problem> {
    let words = paths.iter().map(|path| read_file(path));
    Ok(words.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Words as a suite's configuration holds them: in hexadecimal, one a line.
pub(crate) fn record(words: &[Vec<u8>]) -> String {
    let digits = |word: &Vec<u8>| word.iter().map(|byte| format!("{byte:02x}")).collect();
    words.iter().map(digits).collect::<Vec<String>>().join("\n")
}

/// The words in a suite's configuration.
pub(crate) fn recorded(text: &str) -> Vec<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let word = |line: &str| line.as_bytes().chunks(2).map(byte).collect::<Option<_>>();
    text.lines().filter_map(word).collect()
}

/// The words of a dictionary file.
fn read_file(path: &Path) -> Result<Vec<Vec<u8>>, Problem> {
    let text = std::fs::read(path).map_err(|error| {
        Problem::usage(format!(
            "cannot read --dictionary {}: {error}",
            path.display()
        ))
    })?;
    let text = String::from_utf8_lossy(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            word(line).ok_or_else(|| {
                Problem::usage(format!(
                    "--dictionary {}, line {number}: write NAME=\"WORD\" or \"WORD\", with \\\\, \
                     \\\" and \\xNN for bytes",
                    path.display()
                ))
            })
        })
        .collect()
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
    }

    #[test]
    fn damaged_words_are_refused_or_words() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let mut line: Vec<char> = "kw@1=\"\\x00\\\"\\\\=\u{e9}\"".chars().collect();
            for _ in 0..random.u8(1..4) {
                let at = random.usize(..line.len());
                match random.u8(..3) {
                    0 => drop(line.remove(at)),
                    1 => line.insert(at, random.char('\0'..='\u{ff}')),
                    _ => line[at] = ['"', '\\', 'x', '=', 'f'][random.usize(..5)],
                }
            }
            let line: String = line.into_iter().collect();
            let words: Vec<Vec<u8>> = word(&line).into_iter().collect();
            assert_eq!(recorded(&record(&words)), words, "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_word_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "# words\n\nx=\"ab\"\nword\n").expect("written");
        let error = read_file(file.path()).expect_err("a wrong line");
        assert!(error.text.contains("line 4"), "{}", error.text);
    }
}

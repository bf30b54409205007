//! Dictionary files of `--dictionary`.

use std::path::{Path, PathBuf};

use labrys_suite::dictionary::words;

use crate::output::problem::Problem;

/// The words of dictionary files.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Problem> {
    let words = paths.iter().map(|path| read_file(path));
    Ok(words.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The words of a dictionary file.
fn read_file(path: &Path) -> Result<Vec<Vec<u8>>, Problem> {
    let text = std::fs::read(path).map_err(|error| {
        Problem::usage(format!(
            "cannot read --dictionary {}: {error}",
            path.display()
        ))
    })?;
    words(&String::from_utf8_lossy(&text)).map_err(|line| {
        Problem::usage(format!(
            "--dictionary {}, line {line}: write NAME=\"WORD\" or \"WORD\", with \\\\, \\\" and \
             \\xNN for bytes",
            path.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_word_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "# words\n\nx=\"ab\"\nword\n").expect("written");
        let error = read_file(file.path()).expect_err("a wrong line");
        assert!(error.text.contains("line 4"), "{}", error.text);
    }
}

//! Tests of CREST: lists of numbers.

/// The numbers of a text that is nothing but decimal numbers, one a line.
#[must_use]
pub fn read_numbers(text: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let number = |line: &&str| line.parse::<i128>().is_ok();
    let all = !lines.is_empty() && text.ends_with('\n') && lines.iter().all(number);
    all.then(|| lines.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_told_from_bytes() {
        assert_eq!(
            read_numbers("12\n-3\n"),
            Some(vec!["12".into(), "-3".into()])
        );
        assert_eq!(read_numbers("12 -3\n"), None);
        assert_eq!(read_numbers("12"), None);
        assert_eq!(read_numbers(""), None);
    }
}

//! Values of options: times, sizes, names of inputs, as they are written on the command line.

use std::path::{Component, Path};
use std::time::Duration;

/// An argument of the program that is symbolic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolicArgument {
    /// 1 is the first.
    pub(crate) index: u32,
    /// Room in bytes; what it has in ARGS is kept if that is more.
    pub(crate) bytes: Option<usize>,
}

/// An argument: `N` or `N:BYTES`.
pub(crate) fn symbolic_argument(text: &str) -> Result<SymbolicArgument, String> {
    let (index, bytes) = match text.split_once(':') {
        Some((index, bytes)) => (index, Some(size(bytes)?)),
        None => (text, None),
    };
    match index.parse() {
        Ok(index @ 1..=255) => Ok(SymbolicArgument { index, bytes }),
        _ => Err("the number of an argument is 1 to 255".to_owned()),
    }
}

/// A file or an environment variable that is symbolic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolicName {
    /// Its name.
    pub(crate) name: String,
    /// Bytes at first, or room.
    pub(crate) bytes: Option<usize>,
}

/// A file: `NAME` or `NAME:BYTES`.
pub(crate) fn symbolic_file(text: &str) -> Result<SymbolicName, String> {
    let named = symbolic_name(text)?;
    let inside = Path::new(&named.name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if named.name.is_empty() || !inside || named.name.contains('\0') {
        return Err("write a name, not one that leads out of the working directory".to_owned());
    }
    Ok(named)
}

/// An environment variable: `NAME` or `NAME:BYTES`.
pub(crate) fn symbolic_variable(text: &str) -> Result<SymbolicName, String> {
    let named = symbolic_name(text)?;
    if named.name.is_empty() || named.name.contains(['=', '\0']) {
        return Err("write the name of the variable alone: its value is the input".to_owned());
    }
    Ok(named)
}

fn symbolic_name(text: &str) -> Result<SymbolicName, String> {
    let (name, bytes) = match text.rsplit_once(':') {
        Some((name, bytes)) => (name, Some(size(bytes)?)),
        None => (text, None),
    };
    Ok(SymbolicName {
        name: name.to_owned(),
        bytes,
    })
}

/// How a time is written.
const TIMES: &str = "write a time as 500ms, 90s, 5m or 2h";

/// The longest time, in seconds: a hundred years.
const LONGEST: f64 = 100.0 * 366.0 * 86400.0;

/// A time: a number with `ms`, `s`, `m` or `h`; seconds without.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(TIMES.to_owned()),
    };
    let number: f64 = digits.parse().map_err(|_| TIMES.to_owned())?;
    if number.is_nan() || number * scale > LONGEST {
        return Err(format!("the time is too long; {TIMES}, or leave it out"));
    }
    match Duration::try_from_secs_f64(number * scale) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("the time must be more than 0".to_owned()),
    }
}

/// A number of bytes, with `k` or `M` for 1024 and 1024².
pub(crate) fn size(text: &str) -> Result<usize, String> {
    match bytes(text) {
        Some(bytes @ 1..=0x1000_0000) => Ok(bytes as usize),
        _ => Err("write a number of bytes from 1 to 256M, as 4096, 64k or 1M".to_owned()),
    }
}

/// How much memory may be taken.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    match bytes(text) {
        Some(bytes) if bytes >= LEAST_MEMORY => Ok(bytes),
        _ => Err("write a number of bytes from 64M on, as 512M or 4G".to_owned()),
    }
}

/// A search needs as much for itself.
const LEAST_MEMORY: u64 = 64 << 20;

fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['k', 'K', 'M', 'G']);
    let scale = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_enough_for_a_search() {
        assert_eq!(memory("512M"), Ok(512 << 20));
        assert_eq!(memory("4G"), Ok(4 << 30));
        for refused in ["63M", "4GB", "", "-1G", "99999999999G"] {
            assert!(
                memory(refused).is_err_and(|text| text.contains("64M")),
                "{refused}"
            );
        }
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("20ms"), Ok(Duration::from_millis(20)));
        assert!(duration("1e400").is_err_and(|text| text.contains("too long")));
        assert!(duration("0").is_err() && duration("-1s").is_err() && duration("3 d").is_err());
        assert_eq!(size("64k"), Ok(65536));
        assert!(size("0").is_err() && size("1G").is_err());
    }

    #[test]
    fn names_may_have_a_size() {
        let named = |text| symbolic_file(text).map(|n| (n.name, n.bytes));
        assert_eq!(named("a/b.conf:16"), Ok(("a/b.conf".to_owned(), Some(16))));
        assert_eq!(named("LANG"), Ok(("LANG".to_owned(), None)));
        assert!(named("/etc/passwd").is_err() && named("../x").is_err() && named(":4").is_err());
        assert!(named("x:y").is_err());
        let named = |text| symbolic_variable(text).map(|n| (n.name, n.bytes));
        assert_eq!(named("LANG:9"), Ok(("LANG".to_owned(), Some(9))));
        assert!(named("").is_err() && named("A=B").is_err());
    }
}

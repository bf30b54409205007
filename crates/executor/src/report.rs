//! The report of AddressSanitizer, LeakSanitizer or MemorySanitizer on a failing run.
//!
//! Reports come without names (`symbolize=0`): each frame is a file and an offset in it, which
//! [`Symbols`](crate::symbols::Symbols) resolves. Only the first stack of an error is read: the
//! one of the failure. Before it stand the checks of values that failed: the program went on.

use std::path::{Path, PathBuf};

/// A report as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawReport {
    /// One word for what went wrong.
    pub(crate) kind: String,
    /// The access, for people; empty if there was none.
    pub(crate) detail: String,
    /// Modules and offsets of the stack, innermost first.
    pub(crate) frames: Vec<(PathBuf, u64)>,
}

/// What introduces the error of a report.
const ERRORS: [&str; 3] = [
    "ERROR: AddressSanitizer: ",
    "ERROR: MemorySanitizer: ",
    "WARNING: MemorySanitizer: ",
];
/// The same of lost memory.
const LEAKS: &str = "ERROR: LeakSanitizer: ";
/// The kind of a report on lost memory.
pub(crate) const LEAK: &str = "memory-leak";
/// Introduces the machine code at which the program was stopped.
const CODE: &str = "instruction bytes at pc: ";

/// What a check of a value writes, around its number (`checks.c`); its stack follows.
const CHECK: [&str; 2] = ["Labrys: check ", " failed"];

/// Errors that are limits of the sanitizer, not faults of the program. An unknown crash is one: the
/// program took the sanitizer's own memory, as with `mmap` at a fixed address. A wild access is a
/// `SEGV`, and one that only the plain build refuses is seen there.
const LIMITS: [&str; 5] = [
    "out-of-memory",
    "out",
    "rss-limit-exceeded",
    "requested",
    "unknown-crash",
];

/// Reads what failed, in this order: checks of values, behind which the program went on, and what
/// ended it, if that was no limit.
pub(crate) fn read(text: &str) -> Vec<RawReport> {
    let mut reports = Vec::new();
    let mut rest = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(number) = failed_check(line) else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let stack = std::iter::from_fn(|| lines.next_if(|line| frame(line).is_some()));
        reports.push(RawReport {
            kind: undefined(number).to_owned(),
            detail: String::new(),
            frames: stack.filter_map(owned_frame).collect(),
        });
    }
    reports.extend(end(&rest));
    reports
}

/// The number of a check that says that it failed.
fn failed_check(line: &str) -> Option<u8> {
    let number = line.strip_prefix(CHECK[0])?.strip_suffix(CHECK[1])?;
    number.parse().ok()
}

/// What ended the program. `None` if there is no error, or only a limit was reached.
fn end(text: &str) -> Option<RawReport> {
    let Some(report) = error(text) else {
        return leak(text);
    };
    Some(report).filter(|report| !LIMITS.contains(&report.kind.as_str()))
}

/// Reads the first loss of a report of LeakSanitizer, with the stack of the allocation.
fn leak(text: &str) -> Option<RawReport> {
    let lines = text.lines().skip_while(|line| !line.contains(LEAKS));
    let mut lines = lines.skip_while(|line| !line.contains(" leak of "));
    let what = lines.next()?.split(" leak of ").nth(1)?;
    let what = what.split(" allocated from").next().unwrap_or(what);
    Some(RawReport {
        kind: LEAK.to_owned(),
        detail: format!("{what} never freed"),
        frames: lines.map_while(owned_frame).collect(),
    })
}

/// Reads a report of AddressSanitizer or MemorySanitizer.
fn error(text: &str) -> Option<RawReport> {
    let said = |line: &'_ str| {
        let parts = ERRORS.iter().find_map(|error| line.split_once(error));
        parts.map(|(_, rest)| rest.to_owned())
    };
    let mut lines = text.lines();
    let error = lines.find_map(said)?;
    let rest: Vec<&str> = lines.collect();
    let word = error.split([' ', ':']).next()?;
    let frames = rest
        .iter()
        .skip_while(|line| frame(line).is_none())
        .map_while(|line| owned_frame(line));
    Some(RawReport {
        kind: kind(word, &error, &rest),
        detail: detail(&rest),
        frames: frames.collect(),
    })
}

/// One word for an error, from the first word of its line and what comes after.
fn kind(word: &str, error: &str, rest: &[&str]) -> String {
    let says = |text: &str| rest.iter().any(|line| line.contains(text));
    let code = rest.iter().find_map(|line| line.split_once(CODE));
    let known = match word {
        "use-of-uninitialized-value" => "uninitialized-read",
        "attempting" if error.contains("double-free") => "double-free",
        "attempting" => "invalid-free",
        "bad-free" => "invalid-free",
        "SEGV" if says("address points to the zero page") => "null-dereference",
        "SEGV" => "SIGSEGV",
        "ABRT" => "SIGABRT",
        "BUS" => "SIGBUS",
        "FPE" => "SIGFPE",
        "TRAP" => "SIGTRAP",
        "ILL" => code.map_or("SIGILL", |(_, bytes)| trap(bytes)),
        other => other,
    };
    known.to_owned()
}

/// What the trap of a check stands for: `ud1 NUMBER(%eax), %eax`, where 0 is left out. `ud2` is
/// `__builtin_trap`.
fn trap(bytes: &str) -> &'static str {
    let bytes: Vec<u8> = bytes
        .split_ascii_whitespace()
        .map_while(|byte| u8::from_str_radix(byte, 16).ok())
        .collect();
    match bytes.as_slice() {
        [0x67, 0x0f, 0xb9, 0x00, ..] => undefined(0),
        [0x67, 0x0f, 0xb9, 0x40, number, ..] => undefined(*number),
        [0x0f, 0x0b, ..] => "trap",
        _ => "SIGILL",
    }
}

/// What a check is for, by its number in clang's list of handlers (`SanitizerHandler`, LLVM 19).
fn undefined(number: u8) -> &'static str {
    match number {
        0 | 12 | 13 | 21 => "signed-overflow",
        1 => "unreachable-code",
        3 => "division-by-zero",
        5 => "float-cast-overflow",
        7 => "implicit-conversion",
        8 => "invalid-builtin",
        10 => "invalid-value",
        11 => "missing-return",
        14..=17 => "null-argument",
        18 => "index-out-of-bounds",
        19 => "pointer-overflow",
        20 => "shift-out-of-bounds",
        22 => "null-or-misaligned",
        23 => "misaligned",
        24 => "array-length-not-positive",
        _ => "undefined-behavior",
    }
}

/// The access that failed and how it lies to the object, from the lines that describe it.
fn detail(rest: &[&str]) -> String {
    let access = rest.iter().find_map(|line| {
        let (access, _) = line.split_once(" at 0x")?;
        (access.starts_with("READ of") || access.starts_with("WRITE of")).then_some(access)
    });
    let place = rest.iter().find_map(|line| {
        let (_, place) = line.split_once(" is located ")?;
        // Without the addresses, which mean nothing to a reader.
        Some(place.split(" [0x").next().unwrap_or(place))
    });
    let parts: Vec<&str> = access.into_iter().chain(place).collect();
    parts.join(", ")
}

/// File and offset of a line such as `    #1 0x55e1  (/tmp/a.out+0x1234) (BuildId: 12ab)`.
fn frame(line: &str) -> Option<(&Path, u64)> {
    let line = line.trim_start().strip_prefix('#')?;
    let line = line.split(" (BuildId:").next()?;
    let (file, offset) = line.rsplit_once("+0x")?;
    let offset = u64::from_str_radix(offset.strip_suffix(')')?, 16).ok()?;
    let (_, file) = file.split_once(" (")?;
    Some((Path::new(file), offset))
}

fn owned_frame(line: &str) -> Option<(PathBuf, u64)> {
    frame(line).map(|(file, offset)| (file.to_owned(), offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only report in a text.
    fn only(text: &str) -> RawReport {
        let mut reports = read(text);
        assert_eq!(reports.len(), 1, "{text}");
        reports.remove(0)
    }

    #[test]
    fn checks_stand_before_what_ends_the_program() {
        let check = |number: u8, offset: &str| {
            let stack = format!("    #0 0x1  (/p+{offset})\n    #1 0x2  (/p+0x2)\n");
            format!("Labrys: check {number:03} failed\n{stack}\n")
        };
        let reports = read(&(check(20, "0x7") + &check(0, "0x8") + OVERFLOW));
        let kinds: Vec<&str> = reports.iter().map(|report| &*report.kind).collect();
        let expected = [
            "shift-out-of-bounds",
            "signed-overflow",
            "heap-buffer-overflow",
        ];
        assert_eq!(kinds, expected);
        let frames = |of: u64| [of, 2].map(|offset| (PathBuf::from("/p"), offset));
        assert_eq!(reports[0].frames, frames(7));
        assert_eq!(reports[1].frames, frames(8));
        assert_eq!(reports[2], only(OVERFLOW));
    }

    const OVERFLOW: &str = "\
=================================================================
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50200000001a at pc 0x555c bp 0x7ff sp 0x7ff
WRITE of size 1 at 0x50200000001a thread T0
    #0 0x555c4b360f5f  (/tmp/a folder/program+0x10bf5f) (BuildId: 42c7)
    #1 0x7f01bea5a249  (/lib/libc.so.6+0x27249)

0x50200000001a is located 0 bytes after 10-byte region [0x502000000010,0x50200000001a)
allocated by thread T0 here:
    #0 0x555c4b3205df  (/tmp/program+0xcb5df)
";

    fn of_signal(first: &str, bytes: &str) -> String {
        let text = format!(
            "AddressSanitizer:DEADLYSIGNAL\n==7==ERROR: AddressSanitizer: {first} (pc 0x1)\n    \
             #0 0x1  (/p+0x1)\n\n==7==First 16 {CODE}{bytes}\n"
        );
        only(&text).kind
    }

    #[test]
    fn a_report_is_read() {
        let report = only(OVERFLOW);
        assert_eq!(report.kind, "heap-buffer-overflow");
        assert_eq!(
            report.detail,
            "WRITE of size 1, 0 bytes after 10-byte region"
        );
        let frames = [
            (PathBuf::from("/tmp/a folder/program"), 0x10_bf5f),
            (PathBuf::from("/lib/libc.so.6"), 0x2_7249),
        ];
        assert_eq!(report.frames, frames);
    }

    #[test]
    fn kinds_are_told_apart() {
        let table = [
            ("ABRT on unknown address 0x1", "", "SIGABRT"),
            (
                "ILL on unknown address 0x1",
                "67 0f b9 40 12 89",
                "index-out-of-bounds",
            ),
            (
                "ILL on unknown address 0x1",
                "67 0f b9 40 03 89",
                "division-by-zero",
            ),
            (
                "ILL on unknown address 0x1",
                "67 0f b9 00 0f",
                "signed-overflow",
            ),
            (
                "ILL on unknown address 0x1",
                "67 0f b9 40 15",
                "signed-overflow",
            ),
            ("ILL on unknown address 0x1", "0f 0b 89", "trap"),
            ("ILL on unknown address 0x1", "06", "SIGILL"),
            ("SEGV on unknown address 0x1", "", "SIGSEGV"),
            ("attempting double-free on 0x5", "", "double-free"),
            (
                "attempting free on address which was not malloc()-ed: 0x5",
                "",
                "invalid-free",
            ),
            ("negative-size-param: (size=-1)", "", "negative-size-param"),
        ];
        let unset =
            "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x1  (/p+0x1)\n";
        assert_eq!(only(unset).kind, "uninitialized-read");
        for (first, bytes, kind) in table {
            assert_eq!(of_signal(first, bytes), kind, "{first} {bytes}");
        }
        let null = "ERROR: AddressSanitizer: SEGV on\nHint: address points to the zero page.";
        assert_eq!(only(null).kind, "null-dereference");
    }

    #[test]
    fn limits_are_no_failures() {
        for text in [
            "",
            "nothing to see",
            "==7==ERROR: AddressSanitizer: out of memory: allocator is trying to allocate 0x1",
            "==7==ERROR: AddressSanitizer: unknown-crash on address 0x1 at pc 0x2\n\
             Address 0x1 is located in the shadow gap area.",
            "==7==ERROR: AddressSanitizer: requested allocation size 0x1 exceeds maximum",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}

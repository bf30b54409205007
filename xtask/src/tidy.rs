//! Rules for the sources that the compiler does not check.
//!
//! - Every Rust file opens with `//!`.
//! - No source file has more than [`MAX_LINES`] lines, unless it is a table or generated and says
//!   so in its first lines: `// tidy: table` or `// tidy: generated`.
//! - No unfinished code.
//! - No path of somebody's machine.
//! - Crates use what the table in `ARCHITECTURE.md` allows ([`crates`]).
//! - Modules form no circles, functions are short, methods stand with their type ([`structure`]).
//! - Links of pages lead to files that exist ([`links`]).

mod crates;
mod links;

use std::io;
use std::path::Path;

use crate::source::{self, Source};
use crate::structure;

/// Most lines of a source file.
const MAX_LINES: usize = 800;
/// Extensions of source files.
const CODE: [&str; 6] = ["rs", "c", "h", "cpp", "hpp", "S"];
/// Macros that stand for code to come.
const UNFINISHED: [&str; 3] = [
    concat!("to", "do!("),
    concat!("dbg", "!("),
    concat!("unimple", "mented!("),
];
/// Beginnings of paths that exist on one machine only.
const MACHINE: [&str; 4] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
];

/// What is against the rules, one line each.
pub(crate) fn problems(root: &Path) -> io::Result<Vec<String>> {
    let sources = source::files(root)?;
    let mut problems = Vec::new();
    for source in &sources {
        opens_with_a_purpose(source, &mut problems);
        has_a_human_length(source, &mut problems);
        is_finished(source, &mut problems);
        names_no_machine(source, &mut problems);
    }
    crates::problems(&sources, &mut problems);
    links::problems(&sources, &mut problems);
    structure::problems(&sources, &mut problems);
    Ok(problems)
}

fn opens_with_a_purpose(source: &Source, problems: &mut Vec<String>) {
    if source.extension() == "rs" && !source.text.starts_with("//!") {
        problems.push(format!(
            "{}:1: opens without a `//!` comment on its purpose",
            source.path
        ));
    }
}

fn has_a_human_length(source: &Source, problems: &mut Vec<String>) {
    let lines = source.text.lines().count();
    let is_exempt = source
        .text
        .lines()
        .take(40)
        .any(|line| matches!(line.trim(), "// tidy: table" | "// tidy: generated"));
    if CODE.contains(&source.extension()) && lines > MAX_LINES && !is_exempt {
        problems.push(format!(
            "{}: {lines} lines, more than {MAX_LINES}",
            source.path
        ));
    }
}

fn is_finished(source: &Source, problems: &mut Vec<String>) {
    if source.extension() != "rs" {
        return;
    }
    for (number, line) in source.text.lines().enumerate() {
        for word in UNFINISHED.iter().filter(|word| line.contains(*word)) {
            problems.push(format!(
                "{}:{}: unfinished: {word}…)",
                source.path,
                number + 1
            ));
        }
    }
}

fn names_no_machine(source: &Source, problems: &mut Vec<String>) {
    for (number, line) in source.text.lines().enumerate() {
        for prefix in MACHINE.iter().filter(|prefix| begins_a_path(line, prefix)) {
            problems.push(format!(
                "{}:{}: path of a machine: {prefix}…",
                source.path,
                number + 1
            ));
        }
    }
}

/// Does a path in `line` begin with `prefix`? Not if that stands within a longer path.
fn begins_a_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|one| one.is_alphanumeric() || "_-.~}*$)".contains(one))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let problems = problems(&crate::root()).expect("the sources can be read");
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    fn of(check: fn(&Source, &mut Vec<String>), path: &str, text: &str) -> usize {
        let mut problems = Vec::new();
        check(
            &Source {
                path: path.into(),
                text: text.into(),
            },
            &mut problems,
        );
        problems.len()
    }

    #[test]
    fn purposes_are_wanted_of_rust_files() {
        assert_eq!(of(opens_with_a_purpose, "a.rs", "fn f() {}"), 1);
        assert_eq!(of(opens_with_a_purpose, "a.rs", "//! F.\nfn f() {}"), 0);
        assert_eq!(of(opens_with_a_purpose, "a.c", "int f;"), 0);
    }

    #[test]
    fn only_tables_are_long() {
        let long = "x\n".repeat(801);
        assert_eq!(of(has_a_human_length, "a.c", &long), 1);
        assert_eq!(
            of(
                has_a_human_length,
                "a.c",
                &format!("// tidy: table\n{long}")
            ),
            0
        );
        assert_eq!(of(has_a_human_length, "a.md", &long), 0);
    }

    #[test]
    fn unfinished_code_is_found() {
        assert_eq!(
            of(is_finished, "a.rs", &format!("let x = {})", UNFINISHED[0])),
            1
        );
        assert_eq!(of(is_finished, "a.rs", "let todo = 1;"), 0);
    }

    #[test]
    fn paths_of_machines_are_found() {
        let path = format!("open {}me/x", MACHINE[0]);
        assert_eq!(of(names_no_machine, "a.md", &path), 1);
        assert_eq!(
            of(names_no_machine, "a.md", &format!("$PREFIX{}x", MACHINE[2])),
            0
        );
    }
}

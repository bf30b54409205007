//! No other crate has lists of library functions: facts about them stand in rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use labrys_library::{Function, functions};

/// Most functions that a file outside may name.
const MOST: usize = 2;

/// Names that are words of other things: verbs of messages, operations, options.
const WORDS: &str = "abs error exit exp free fork index link log mkdir open pipe pow raise random read \
    remove select signal time trunc write";

/// Files that name functions of something else, or themselves.
const ALLOWED: [&str; 2] = [
    // Intrinsics of LLVM, many of which are named as functions are.
    "program/src/intrinsic.rs",
    // Models say in what they report which function they are.
    "runtime/src/models/stdio.rs",
];

/// The words of string literals outside of comments and tests.
fn words(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code: Vec<&str> = lines.collect();
    let code = code.join("\n").replace("\\\"", " ");
    let literals = code.split('"').skip(1).step_by(2);
    let words = literals.flat_map(str::split_whitespace);
    words.map(str::to_owned).collect()
}

fn visit(folder: &Path, found: &mut Vec<String>) {
    let names: BTreeSet<&str> = functions().iter().map(Function::name).collect();
    let ordinary: BTreeSet<&str> = WORDS.split_whitespace().collect();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            visit(&path, found);
        } else if name.ends_with(".rs")
            && !name.contains("tests")
            && !ALLOWED.iter().any(|allowed| name.ends_with(allowed))
        {
            let text = fs::read_to_string(&path).expect("text");
            let named: Vec<String> = words(&text)
                .into_iter()
                .filter(|word| names.contains(&**word) && !ordinary.contains(&**word))
                .collect();
            if named.len() > MOST {
                found.push(format!("{name}: {}", named.join(" ")));
            }
        }
    }
}

#[test]
fn no_other_crate_lists_functions() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = here.parent().expect("a folder");
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).expect("a folder") {
        let folder = entry.expect("an entry").path();
        let source = folder.join("src");
        if folder != here && source.is_dir() {
            visit(&source, &mut found);
        }
    }
    assert!(
        found.is_empty(),
        "lists of library functions:\n{}",
        found.join("\n")
    );
}

#[test]
fn lists_are_found() {
    let text =
        "const LIST: &str = \"strlen memcpy\"; // \"strcpy\"\nlet a = [\"qsort\", \"\\\"x\"];";
    let found = words(text);
    let known: Vec<&str> = ["memcpy", "qsort", "strcpy", "strlen"].into();
    let found: Vec<&str> = known.into_iter().filter(|it| found.contains(*it)).collect();
    assert_eq!(found, ["memcpy", "qsort", "strlen"]);
}

//! README shows what the commands do: its example is run, and its table lists the commands.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::{folder, labrys, output, text};

const README: &str = include_str!("../../../README.md");

/// The code blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let fences = README.split("```").skip(1).step_by(2);
    let blocks = fences.filter_map(|fence| fence.strip_prefix(language)?.strip_prefix('\n'));
    blocks.collect()
}

/// A line without the times in it, which no two runs share.
fn without_times(line: &str) -> String {
    let words = line.split(' ').collect::<Vec<_>>();
    let is_time = |at: usize| {
        let unit = words.get(at + 1).map(|word| word.trim_end_matches(','));
        unit == Some("s") && words[at].parse::<f64>().is_ok()
    };
    let word = |(at, word): (usize, &&str)| match is_time(at) {
        true => "TIME".to_owned(),
        false => (*word).to_owned(),
    };
    let words: Vec<String> = words.iter().enumerate().map(word).collect();
    words.join(" ")
}

#[test]
fn the_example_prints_what_readme_shows() {
    let folder = folder();
    let program = blocks("c")[0];
    let name = program
        .split("/* ")
        .nth(1)
        .and_then(|rest| rest.split(" */").next());
    let name = name.expect("the program begins with its name");
    fs::write(folder.path().join(name), program).expect("a file");
    let mut examples = 0;
    for block in blocks("console") {
        let mut lines = block.lines();
        let command = lines
            .next()
            .and_then(|line| line.strip_prefix("$ target/release/labrys "));
        let words = command.expect("a call of labrys").split_whitespace();
        let run = output(labrys().args(words).current_dir(folder.path()));
        // Progress goes to standard error, the report to standard output.
        let printed = [run.stderr, run.stdout].concat();
        let printed = String::from_utf8(printed).expect("text");
        let found: Vec<String> = printed.lines().map(without_times).collect();
        let shown: Vec<String> = lines.map(without_times).collect();
        assert_eq!(found, shown, "{printed}");
        examples += 1;
    }
    assert!(examples > 0);
    let words = fs::read(folder.path().join("suite/inputs/000005")).expect("a test");
    assert!(words.starts_with(b"MAGIC"));
}

#[test]
fn the_table_lists_the_commands() {
    let help = text(&output(labrys().arg("--help")));
    let listing = help.split("Commands:\n").nth(1).expect("a listing");
    let commands = listing.lines().take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    let rows = README
        .lines()
        .filter_map(|line| line.strip_prefix("| `labrys "));
    let rows: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(rows, commands);
}

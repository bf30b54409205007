//! The comments of a program that say what is expected, and how they are written anew.

use std::path::Path;

use labrys_program::Program;

use crate::LOOP_BOUND;
use crate::runs::Place;

/// What comments may ask for, in the order in which they are written.
pub(crate) const KEYS: [&str; 4] = ["reach", "path", "constraint", "counts"];

/// A place with its comments.
pub(crate) struct Target {
    pub(crate) place: Place,
    /// Lines of its comments, from the first to before the last.
    lines: (usize, usize),
}

/// All comments of a program.
pub(crate) struct Script {
    pub(crate) bound: u32,
    /// The name of the pass to begin with; empty for the first.
    pub(crate) first_pass: String,
    pub(crate) targets: Vec<Target>,
}

/// The key and the text of a comment.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let text = line.trim_start().strip_prefix("; ")?;
    KEYS.iter().find_map(|key| {
        let rest = text.strip_prefix(key)?.strip_prefix(':')?;
        Some((*key, rest.trim()))
    })
}

/// The name in the head of a function.
fn defined(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("define ")?.split_once('@')?;
    rest.split_once('(').map(|(name, _)| name)
}

/// The number of the block that a line begins.
fn label(line: &str) -> Option<u32> {
    let line = line.split(';').next().unwrap_or_default().trim_end();
    line.strip_prefix('b')?.strip_suffix(':')?.parse().ok()
}

impl Script {
    pub(crate) fn of(program: &Program, text: &str) -> Result<Self, String> {
        let mut script = Script {
            bound: LOOP_BOUND,
            first_pass: String::new(),
            targets: Vec::new(),
        };
        let mut here = None;
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let fail = |what: &str| Err(format!("{}: {what}", number + 1));
            if let Some(bound) = line.strip_prefix("; loop bound:") {
                match bound.trim().parse() {
                    Ok(bound) => script.bound = bound,
                    Err(_) => return fail("no number"),
                }
            } else if let Some(pass) = line.strip_prefix("; first pass:") {
                pass.trim().clone_into(&mut script.first_pass);
            } else if let Some(name) = defined(line) {
                here = program.function_named(name).map(|function| Place {
                    function,
                    block: labrys_program::BlockId(0),
                    instruction: 0,
                });
            } else if let (Some(block), Some(place)) = (label(line), &mut here) {
                place.block = labrys_program::BlockId(block);
                place.instruction = 0;
            } else if let Some((key, _)) = comment(line) {
                match (key, here, script.targets.last_mut()) {
                    ("reach", Some(place), _) => script.targets.push(Target {
                        place,
                        lines: (number, number + 1),
                    }),
                    (_, _, Some(target)) if key != "reach" && target.lines.1 == number => {
                        target.lines.1 += 1;
                    }
                    _ => return fail("a comment without a place"),
                }
            } else if let Some(place) = &mut here {
                let line = line.trim_start();
                let counts =
                    !line.is_empty() && !line.starts_with(';') && !line.contains(" = phi [");
                place.instruction += usize::from(counts);
            }
        }
        if script.targets.is_empty() {
            return Err("1: nothing is expected of it".to_owned());
        }
        Ok(script)
    }

    /// The text with these comments: for each target, all that could be asked for.
    pub(crate) fn rewritten(&self, text: &str, answers: &[Vec<(&'static str, String)>]) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let (mut written, mut at) = (String::new(), 0);
        let mut push = |line: &str| {
            written.push_str(line);
            written.push('\n');
        };
        for (target, answers) in self.targets.iter().zip(answers) {
            let (first, end) = target.lines;
            lines[at..first].iter().for_each(|line| push(line));
            let indent = lines[first].len() - lines[first].trim_start().len();
            let asked = |key: &str| {
                let mut comments = lines[first..end].iter().filter_map(|line| comment(line));
                comments.any(|(asked, _)| asked == key)
            };
            for (key, answer) in answers.iter().filter(|(key, _)| asked(key)) {
                push(&format!("{:indent$}; {key}: {answer}", ""));
            }
            at = end;
        }
        lines[at..].iter().for_each(|line| push(line));
        written
    }
}

/// Where two texts of a file differ.
pub(crate) fn differences(file: &Path, expected: &str, found: &str) -> Vec<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (mut old, mut new) = (
        expected.lines().enumerate().peekable(),
        found.lines().peekable(),
    );
    let mut wrong = Vec::new();
    while let (Some((number, expected)), Some(found)) = (old.peek().copied(), new.peek().copied()) {
        if expected == found {
            old.next();
            new.next();
            continue;
        }
        wrong.push(format!(
            "{name}:{}: expected {}",
            number + 1,
            expected.trim()
        ));
        while old.next_if(|(_, line)| comment(line).is_some()).is_some() {}
        while let Some(line) = new.next_if(|line| comment(line).is_some()) {
            wrong.push(format!("    found {}", line.trim()));
        }
        if old.peek().map(|(_, line)| *line) != new.peek().copied() {
            wrong.push("    and more".to_owned());
            break;
        }
    }
    wrong
}

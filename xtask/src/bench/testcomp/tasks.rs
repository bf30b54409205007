//! The tasks of a folder, and samples of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::super::entries;

/// What a suite of a task is to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    Branches,
    /// A call of this function, which can be reached.
    Error(&'static str),
}

impl Goal {
    /// The text of the property.
    pub(super) fn property(self) -> String {
        let edges = match self {
            Goal::Branches => "DECISIONEDGE".to_owned(),
            Goal::Error(function) => format!("CALL({function})"),
        };
        format!("COVER( init(main()), FQL(COVER EDGES(@{edges})) )\n")
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Goal::Branches => "branches",
            Goal::Error(_) => "error",
        })
    }
}

/// A program with a goal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Task {
    /// The folder, from the one that was named.
    pub(super) category: String,
    pub(super) source: PathBuf,
    pub(super) goal: Goal,
    /// Does the task ask for 32 bits?
    pub(super) is_narrow: bool,
}

impl Task {
    /// Category and file, without a folder's separators.
    pub(super) fn name(&self) -> String {
        let file = self.source.file_name().unwrap_or_default();
        let folder = self.category.replace('/', ".");
        format!("{folder}.{}.{}", file.to_string_lossy(), self.goal)
    }
}

/// All tasks below a folder: those that have a definition (`NAME.yml`) with a property of
/// Test-Comp, and the other sources that ask for values.
pub(super) fn below(root: &Path) -> Vec<Task> {
    let mut tasks = Vec::new();
    if root.is_file() {
        tasks.extend(undefined(root, ""));
        tasks.extend(defined(&root.with_extension("yml"), ""));
    }
    collect(root, "", &mut tasks);
    tasks.sort();
    tasks
}

fn collect(folder: &Path, category: &str, tasks: &mut Vec<Task>) {
    for (name, path) in entries(folder) {
        if path.is_dir() {
            let separator = if category.is_empty() { "" } else { "/" };
            collect(&path, &format!("{category}{separator}{name}"), tasks);
        } else if name.ends_with(".yml") {
            tasks.extend(defined(&path, category));
        } else if name.ends_with(".c") || name.ends_with(".i") {
            tasks.extend(undefined(&path, category));
        }
    }
}

/// The tasks of a definition.
fn defined(definition: &Path, category: &str) -> Vec<Task> {
    let text = std::fs::read_to_string(definition).unwrap_or_default();
    let Some(input) = value(&text, "input_files").filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let source = definition.with_file_name(input);
    if !source.is_file() || !["C", ""].contains(&value(&text, "language").unwrap_or_default()) {
        return Vec::new();
    }
    let is_narrow = value(&text, "data_model") != Some("LP64");
    let task = |goal| Task {
        category: category.to_owned(),
        source: source.clone(),
        goal,
        is_narrow,
    };
    let mut tasks = Vec::new();
    if text.contains("coverage-branches.prp") {
        tasks.push(task(Goal::Branches));
    }
    if text.contains("coverage-error-call.prp") {
        let program = std::fs::read(&source).unwrap_or_default();
        tasks.push(task(Goal::Error(error_function(&program))));
    }
    tasks
}

/// The value behind a key of a definition: a word, in quotes or not.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches("- "));
    let rest = lines.find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    Some(rest.trim().trim_matches(['"', '\'']))
}

/// The task of a source without a definition. Older collections say in the name whether an error
/// can be reached.
fn undefined(source: &Path, category: &str) -> Option<Task> {
    if source.with_extension("yml").is_file() {
        return None;
    }
    let text = std::fs::read(source).ok()?;
    if !contains(&text, "__VERIFIER_nondet_") {
        return None;
    }
    let name = source.file_name()?.to_string_lossy();
    let goal = match name.contains("false-unreach-call") {
        true => Goal::Error(error_function(&text)),
        false => Goal::Branches,
    };
    Some(Task {
        category: category.to_owned(),
        source: source.to_path_buf(),
        goal,
        is_narrow: false,
    })
}

fn error_function(program: &[u8]) -> &'static str {
    match contains(program, "reach_error") {
        true => "reach_error",
        false => "__VERIFIER_error",
    }
}

fn contains(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|part| part == word.as_bytes())
}

/// So many of the tasks: of each category and goal in turn, in an order that the seed decides.
pub(super) fn sample(tasks: Vec<Task>, count: usize, seed: u64) -> Vec<Task> {
    let mut groups: BTreeMap<_, Vec<Task>> = BTreeMap::new();
    for task in tasks {
        let is_error = task.goal != Goal::Branches;
        let group = groups.entry((is_error, task.category.clone())).or_default();
        group.push(task);
    }
    for group in groups.values_mut() {
        // The last comes first.
        group.sort_by_key(|task| std::cmp::Reverse(hash(seed, &task.name())));
    }
    let mut sample = Vec::new();
    while sample.len() < count {
        let next: Vec<Task> = groups.values_mut().filter_map(Vec::pop).collect();
        if next.is_empty() {
            break;
        }
        sample.extend(next.into_iter().take(count - sample.len()));
    }
    sample
}

/// FNV-1a: the same on every machine.
fn hash(seed: u64, text: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(category: &str, file: &str, goal: Goal) -> Task {
        Task {
            category: category.to_owned(),
            source: PathBuf::from(file),
            goal,
            is_narrow: true,
        }
    }

    #[test]
    fn a_sample_takes_of_every_group_and_repeats() {
        let many = (0..50).map(|i| task("loops", &format!("l{i}.c"), Goal::Branches));
        let few = [
            task("floats", "f.c", Goal::Branches),
            task("loops", "l0.c", Goal::Error("reach_error")),
        ];
        let all: Vec<Task> = many.chain(few).collect();
        let names = |seed| -> Vec<String> {
            let sample = sample(all.clone(), 5, seed);
            sample.iter().map(Task::name).collect()
        };
        let first = names(1);
        assert_eq!(first.len(), 5);
        assert!(first.contains(&"floats.f.c.branches".to_owned()));
        assert!(first.contains(&"loops.l0.c.error".to_owned()));
        assert_eq!(first, names(1));
        assert_ne!(first, names(2));
    }

    #[test]
    fn definitions_are_read() {
        let text = "format_version: '2.0'\n# old name\ninput_files: 'a.c'\n\noptions:\n  \
                    language: C\n  data_model: ILP32\n";
        assert_eq!(value(text, "input_files"), Some("a.c"));
        assert_eq!(value(text, "data_model"), Some("ILP32"));
        assert_eq!(value(text, "expected_verdict"), None);
    }
}

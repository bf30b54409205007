//! The commands that both builds run.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Build;

/// Programs of the corpus: one of each kind of input, model and oracle.
const CORPUS: [&str; 27] = [
    "allocations.c",
    "base64.c",
    "checksum.c",
    "compare.c",
    "cxx_strings.cc",
    "fgets.c",
    "floats.c",
    "fuzz_target.c",
    "getline.c",
    "getopt.c",
    "klee.c",
    "loops.c",
    "memory.c",
    "numbers.c",
    "outside.c",
    "phrases.c",
    "relaxed.c",
    "scan_pair.c",
    "settings.c",
    "sorting.c",
    "sscanf.c",
    "strcmp.c",
    "structs.c",
    "switches.c",
    "verifier.c",
    "walk.c",
    "wide_strings.c",
];
/// Runs of a program of the corpus.
const CORPUS_RUNS: &str = "1200";
/// Runs of a larger program with the default strategy, and with another one.
const GOAL_RUNS: &str = "1500";
const STRATEGY_RUNS: &str = "300";
/// Strategies that are compared one by one.
const STRATEGIES: [&str; 7] = [
    "carfast",
    "cfg",
    "context-guided",
    "dfs",
    "generational",
    "rarity",
    "uniform-random",
];
/// Packages with the options and arguments that they are covered with.
const PACKAGES: [(&str, &str); 6] = [
    ("cjson", ""),
    ("expat", "-- @@"),
    ("grep", "--sym-arg 1:8 -- a @@"),
    ("sed", "--sym-arg 1:12 -- p @@"),
    ("tre", ""),
    ("tree", "--sym-arg 1:4 -- -a --fromfile @@"),
];
/// Options of `labrys cover` that the case itself sets.
const LIMITS: [&str; 3] = ["--time", "--runs", "--steps"];

/// A command that ends by itself and leaves a suite.
pub(super) struct Case {
    pub(super) name: String,
    /// The program for the old and for the new build.
    programs: [PathBuf; 2],
    verb: &'static str,
    options: Vec<String>,
    /// `--` and the arguments of the program.
    pub(super) arguments: Vec<String>,
}

impl Case {
    fn cover(name: String, program: PathBuf, options: &[&str]) -> Self {
        Case {
            name,
            programs: [program.clone(), program],
            verb: "cover",
            options: options.iter().map(|&option| option.to_owned()).collect(),
            arguments: Vec::new(),
        }
    }

    /// Adds options and, behind `--`, arguments of the program. Limits are the case's own.
    fn add(&mut self, words: &str) {
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            if word == "--" {
                self.arguments = std::iter::once(word)
                    .chain(words.by_ref())
                    .map(str::to_owned)
                    .collect();
            } else if LIMITS.contains(&word) {
                words.next();
            } else {
                self.options.push(word.to_owned());
            }
        }
    }

    /// The words of the command, but for where the suite goes and the program's arguments.
    pub(super) fn command(&self, is_new: bool) -> Vec<String> {
        let program = &self.programs[usize::from(is_new)];
        let mut words = vec![self.verb.to_owned(), program.to_string_lossy().into_owned()];
        words.extend(self.options.iter().cloned());
        words
    }
}

/// The cases of single programs.
pub(super) fn programs(root: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for file in CORPUS {
        cases.push(of_corpus(&root.join("tests/programs").join(file))?);
    }
    for name in ["magic", "json", "checksum"] {
        let program = root.join("benchmarks/goals").join(format!("{name}.c"));
        let options = ["--runs", GOAL_RUNS, "--seed", "1"];
        cases.push(Case::cover(format!("goals-{name}"), program, &options));
    }
    for strategy in STRATEGIES {
        let program = root.join("benchmarks/goals/json.c");
        let options = [
            "--runs",
            STRATEGY_RUNS,
            "--seed",
            "2",
            "--strategy",
            strategy,
        ];
        cases.push(Case::cover(format!("json-{strategy}"), program, &options));
    }
    cases.extend(reach(&root.join("benchmarks/reach/programs"))?);
    Ok(cases)
}

/// A program of the corpus, with the options that its first lines name.
fn of_corpus(program: &Path) -> Result<Case, String> {
    let text = read(program)?;
    let line = text.lines().find_map(|line| {
        line.trim_start_matches(['/', '*', ' '])
            .strip_prefix("cover: ")
    });
    let name = format!("corpus-{}", stem(program));
    let limits = ["--runs", CORPUS_RUNS, "--seed", "3"];
    let mut case = Case::cover(name, program.to_owned(), &limits);
    case.add(line.unwrap_or_default().trim_end_matches("*/"));
    Ok(case)
}

/// The targets of each program in a folder, backward.
fn reach(folder: &Path) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut programs: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    programs.sort();
    let mut cases = Vec::new();
    for program in programs {
        let text = read(&program)?;
        let mut targets: Vec<&str> = text
            .split("labrys_target(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        if targets.is_empty() {
            continue;
        }
        let mut options = vec!["--seed", "1", "--no-forward"];
        options.extend(targets.iter().flat_map(|target| ["--target", target]));
        let name = format!("reach-{}", stem(&program));
        let mut case = Case::cover(name, program, &options);
        case.verb = "reach";
        cases.push(case);
    }
    Ok(cases)
}

/// A package, built by the compiler of each build.
pub(super) fn package(name: &str, builds: &[Build; 2]) -> Result<Case, String> {
    let row = PACKAGES.iter().find(|(package, _)| *package == name);
    let Some((_, words)) = row else {
        let names = PACKAGES.map(|(name, _)| name).join(", ");
        return Err(format!("no package {name}; there are: {names}"));
    };
    let mut programs = Vec::new();
    for build in builds {
        let sources = build.sources.as_ref();
        let sources = sources.ok_or("packages are compared where both builds are commits")?;
        let output = Command::new(sources.join("scripts/subject"))
            .arg(name)
            .output()
            .map_err(|error| format!("scripts/subject: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        programs.push(PathBuf::from(path));
    }
    let options = ["--runs", STRATEGY_RUNS, "--seed", "1"];
    let mut case = Case::cover(format!("package-{name}"), PathBuf::new(), &options);
    let [old, new] = <[PathBuf; 2]>::try_from(programs).map_err(|_| "two builds are compared")?;
    case.programs = [old, new];
    case.add(words);
    Ok(case)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_names_a_program_and_limits() {
        let cases = programs(&crate::root()).expect("the programs are there");
        assert!(cases.len() > 40, "{}", cases.len());
        for case in &cases {
            assert!(case.programs[0].is_file(), "{}", case.name);
            assert!(case.command(true).iter().any(|word| word == "--seed"));
        }
    }

    #[test]
    fn options_of_the_corpus_are_taken_over() {
        let cases = programs(&crate::root()).expect("the programs are there");
        let case = |name: &str| cases.iter().find(|case| case.name == name);
        let getopt = case("corpus-getopt").expect("the case is there");
        let command = getopt.command(false);
        assert!(command.iter().any(|word| word.starts_with("--sym-arg")));
        assert_eq!(command.iter().filter(|word| *word == "--runs").count(), 1);
    }
}

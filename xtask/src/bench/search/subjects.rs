//! The programs that strategies are compared on. `scripts/subject` fetches and builds them.

/// A program with its input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The name for `scripts/subject`.
    pub(super) name: &'static str,
    /// Options of `labrys cover`, and after `--` arguments of the program.
    pub(super) arguments: &'static [&'static str],
    /// Whether it belongs to the short form.
    pub(super) short: bool,
}

/// All of them: whole programs, then harnesses with a symbolic input of fixed size.
pub(super) const SUBJECTS: &[Subject] = &[
    Subject {
        name: "grep",
        arguments: &["--sym-arg", "1:8", "--", "a", "@@"],
        short: true,
    },
    Subject {
        name: "expat",
        arguments: &["--", "@@"],
        short: true,
    },
    Subject {
        name: "sed",
        arguments: &["--sym-arg", "1:16", "--", "p", "@@"],
        short: false,
    },
    Subject {
        name: "bc",
        arguments: &[],
        short: false,
    },
    Subject {
        name: "tree",
        arguments: &["--", "--fromfile", "@@"],
        short: false,
    },
    Subject {
        name: "cjson",
        arguments: &[],
        short: true,
    },
    Subject {
        name: "tre",
        arguments: &[],
        short: true,
    },
];

/// The subjects with these names, separated by commas.
pub(super) fn named(names: &str) -> Result<Vec<&'static Subject>, String> {
    let find = |name| {
        let found = SUBJECTS.iter().find(|subject| subject.name == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
            format!("there is no subject {name}; there are {}", all.join(", "))
        })
    };
    names.split(',').map(find).collect()
}

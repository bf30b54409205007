//! A C program in a folder of its own, and what the commands say of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A program that the commands work on.
pub(crate) struct Program {
    folder: TempDir,
    /// The source, or the executable that was made of it.
    pub(crate) subject: &'static str,
}

impl Program {
    /// The program with this text.
    pub(crate) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("program.c"), text).expect("written");
        Program {
            folder,
            subject: "program.c",
        }
    }

    /// The program with this text, compiled by `labrys-cc` and linked with a library of its own.
    pub(crate) fn linked(text: &str, library: Option<&str>) -> Self {
        let mut program = Program::new(text);
        program.subject = "program";
        let mut compiler = Command::new(env!("CARGO_BIN_EXE_labrys-cc"));
        compiler.env("LABRYS_WHOLE", "1");
        compiler.args(["-g", "-O1", "-w", "-o", "program", "program.c"]);
        if let Some(library) = library {
            compiler.arg(program.shared(library));
        }
        compiler.current_dir(program.folder());
        assert!(compiler.status().expect("labrys-cc runs").success());
        program
    }

    fn shared(&self, library: &str) -> PathBuf {
        let (source, to) = (self.at("library.c"), self.at("library.so"));
        std::fs::write(&source, library).expect("written");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-shared", "-fPIC", "-w", "-o"]);
        compiler.args([&to, &source]);
        assert!(compiler.status().expect("cc runs").success());
        to
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `labrys` in the folder.
    pub(crate) fn labrys(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        let output = command.args(arguments).current_dir(self.folder()).output();
        output.expect("labrys runs")
    }

    /// What `labrys` says with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.labrys(&[arguments, &["--json", "--quiet"]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// What `labrys reach` says of targets, in a suite `out`.
    pub(crate) fn reach(&self, arguments: &[&str], targets: &[&str]) -> BTreeMap<String, Value> {
        let mut all = vec!["reach", self.subject, "--out", "out"];
        all.extend(arguments);
        for target in targets {
            all.extend(["--target", target]);
        }
        let said = self.json(&all);
        let reports = said["targets"].as_array().expect("a list").iter();
        let reports: BTreeMap<String, Value> = reports
            .map(|report| {
                let name = report["target"].as_str().expect("a name");
                (name.to_owned(), report.clone())
            })
            .collect();
        assert_eq!(reports.len(), targets.len());
        reports
    }

    /// Checks verdicts, each with its targets.
    pub(crate) fn expect(&self, arguments: &[&str], expected: &[(&str, &[&str])]) {
        let targets: Vec<&str> = expected
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let reports = self.reach(arguments, &targets);
        for (verdict, names) in expected {
            for name in *names {
                let report = &reports[*name];
                assert_eq!(report["verdict"], *verdict, "{report}");
            }
        }
    }
}

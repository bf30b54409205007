//! What the search backward says of a program of a page.

use std::collections::BTreeMap;
use std::process::Command;

/// The verdicts of a search backward alone on all targets that a program names.
pub(crate) fn verdicts(program: &str) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("reach").arg(&source);
    command.args(["--stdin", "--no-forward", "--json", "--quiet"]);
    command.args(["--steps", "400", "--time", "60s", "--out"]);
    command.arg(folder.path().join("out"));
    for target in program.split("labrys_target(\"").skip(1) {
        let name = target.split('"').next().expect("a name");
        command.args(["--target", name]);
    }
    let output = command.output().expect("labrys runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let told: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let word =
        |report: &serde_json::Value, key: &str| report[key].as_str().expect("a word").to_owned();
    let reports = told["targets"].as_array().expect("a list").iter();
    reports
        .map(|report| (word(report, "target"), word(report, "verdict")))
        .collect()
}

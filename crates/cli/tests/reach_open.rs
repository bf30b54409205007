//! `labrys reach --from-coverage`: what a suite leaves open is decided.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = r#"
#include <labrys.h>
static int mode;
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (c == 200) return 1;
  if (c > 3) mode = 1;
  else mode = 2;
  if (mode == 3) return 2;
  return c == 7;
}
"#;

fn labrys(arguments: &[&str], folder: &Path) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.expect("labrys runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// One run of `cover` leaves branches open; `reach` finds inputs for those that can be taken, and
/// the summary counts the others.
#[test]
fn open_branches_are_decided_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("program.c"), PROGRAM).expect("written");
    let cover = [
        "cover",
        "program.c",
        "--runs",
        "1",
        "--json",
        "--quiet",
        "--out",
        "suite",
    ];
    let covered = labrys(&cover, folder);
    let reach = [
        "reach",
        "program.c",
        "--from-coverage",
        "suite",
        "--json",
        "--quiet",
        "--out",
        "reached",
    ];
    let told = labrys(&reach, folder);
    let with = |verdict: &str| {
        let targets = told["targets"].as_array().expect("a list").iter();
        targets.filter(|one| one["verdict"] == verdict).count()
    };
    let branches = &covered["branches"];
    let open = branches["total"].as_u64().unwrap() - branches["covered"].as_u64().unwrap();
    assert_eq!(
        (with("unreachable"), with("reached")),
        (1, open as usize - 1)
    );
    let summary = std::fs::read_to_string(folder.join("reached/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["branches"]["unreachable"], 1);
    assert_eq!(summary["branches"]["total"], branches["total"]);
}

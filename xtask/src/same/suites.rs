//! What must agree in the suites of two builds.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

/// Keys of values that depend on the machine and the moment, and of counters that depend on how
/// the solver is built, not on what it answers.
const VOLATILE: [&str; 9] = [
    "seconds",
    "runs_per_second",
    "solver_seconds",
    "by_layer",
    "reproduce",
    "program",
    "command",
    "version",
    "started",
];
/// Sites from here on are places of a run: their numbers depend on where code and objects lie.
const PLACES: u64 = 0xffff_4000;
/// Elements of the metadata of Test-Comp that do.
const VOLATILE_ELEMENTS: [&str; 4] = ["creationtime", "producer", "programfile", "programhash"];

/// Files by their paths, without what may differ.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The files of a suite; executables and archives are left out.
pub(super) fn read(suite: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![suite.to_owned()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let metadata = path.metadata()?;
            if metadata.is_dir() {
                folders.push(path);
                continue;
            }
            let is_archive = path.extension().is_some_and(|extension| extension == "zip");
            if is_archive || metadata.permissions().mode() & 0o111 != 0 {
                continue;
            }
            let name = path.strip_prefix(suite).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            let bytes = std::fs::read(&path)?;
            files.insert(name.clone(), comparable(&name, bytes));
        }
    }
    Ok(files)
}

/// The names of files that differ or that only one suite has.
pub(super) fn differences(old: &Files, new: &Files) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect()
}

/// The content of a file without what may differ.
fn comparable(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return bytes;
    };
    let json = |text: &str| serde_json::from_str(text).map(|value| stable(value).to_string());
    let result = if name.ends_with(".json") {
        json(text).ok()
    } else if name.ends_with(".jsonl") {
        // Status lines come by the clock.
        let lines = text.lines().filter(|line| !line.contains("\"status\""));
        let lines: Result<Vec<String>, _> = lines.map(json).collect();
        lines.ok().map(|lines| lines.join("\n"))
    } else if name.ends_with("metadata.xml") {
        Some(without_elements(text))
    } else {
        None
    };
    result.map_or(bytes, String::into_bytes)
}

/// A value without its volatile members.
fn stable(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(key, value)| !VOLATILE.contains(&key.as_str()) && !is_place(key, value))
            .map(|(key, value)| (key, stable(value)))
            .collect(),
        Value::Array(values) => values.into_iter().map(stable).collect(),
        Value::String(text) => Value::String(without_addresses(&text)),
        value => value,
    }
}

/// Is a member the number of a place of the run?
fn is_place(key: &str, value: &Value) -> bool {
    key == "site" && value.as_u64().is_some_and(|site| site >= PLACES)
}

/// A text without hexadecimal addresses, as AddressSanitizer reports them.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str("0x");
        result.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
    }
    result
}

/// Lines without volatile elements.
fn without_elements(text: &str) -> String {
    let is_volatile = |line: &&str| {
        let line = line.trim_start();
        VOLATILE_ELEMENTS
            .iter()
            .any(|name| line.starts_with(&format!("<{name}>")))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_volatile(line)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(name: &str, old: &str, new: &str) -> bool {
        comparable(name, old.into()) == comparable(name, new.into())
    }

    #[test]
    fn times_may_differ_and_results_may_not() {
        let old = r#"{"runs": 3, "seconds": 0.5, "failures": [{"reproduce": "a"}]}"#;
        let new = r#"{"runs": 3, "seconds": 0.6, "failures": [{"reproduce": "b"}]}"#;
        assert!(same("summary.json", old, new));
        assert!(!same("summary.json", old, &new.replace('3', "4")));
        assert!(!same("summary.json", old, r#"{"runs": 3, "failures": []}"#));
    }

    #[test]
    fn addresses_may_differ_and_sites_may_not() {
        let old = r#"{"site": 4294924483, "detail": "after 'x' (0x5555a0)"}"#;
        let new = r#"{"site": 4294928507, "detail": "after 'x' (0x5566b0)"}"#;
        assert!(same("case.json", old, new));
        assert!(!same("case.json", r#"{"site": 4}"#, r#"{"site": 5}"#));
        assert!(!same("case.json", old, &new.replace("'x'", "'y'")));
    }

    #[test]
    fn inputs_agree_byte_for_byte() {
        assert!(!same("inputs/000001", "a", "b"));
        assert!(same("inputs/000001", "a", "a"));
    }

    #[test]
    fn events_are_compared_line_by_line() {
        let old = "{\"event\":\"coverage\",\"run\":1,\"seconds\":0.1}\n{\"event\":\"status\"}\n";
        let new = "{\"event\":\"coverage\",\"run\":1,\"seconds\":0.2}\n";
        assert!(same("events.jsonl", old, new));
        assert!(!same(
            "events.jsonl",
            old,
            &new.replace("\"run\":1", "\"run\":2")
        ));
    }

    #[test]
    fn missing_files_are_differences() {
        let old = Files::from([("a".to_owned(), vec![1]), ("b".to_owned(), vec![2])]);
        let new = Files::from([("a".to_owned(), vec![1])]);
        assert_eq!(differences(&old, &new), ["b"]);
    }
}

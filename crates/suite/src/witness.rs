//! Correctness witnesses of SV-COMP, format 2.0
//! (<https://gitlab.com/sosy-lab/benchmarking/sv-witnesses>).
//!
//! Law: the same invariants of the same files at the same time give the same bytes: the witness is
//! named after what it says.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// A witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The property that it is for, as SV-COMP writes it.
    pub specification: String,
    /// The source files: the name of each, and its bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// When it was made.
    pub created: SystemTime,
    /// What holds at loops.
    pub invariants: Vec<LoopInvariant>,
}

/// What holds each time before the condition of a loop is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInvariant {
    /// The name of the file, as in [`Witness::files`].
    pub file: String,
    /// The line of the loop's first character, from 1.
    pub line: u32,
    /// The column of that character, from 1.
    pub column: u32,
    /// The function that the loop is in.
    pub function: String,
    /// A C expression.
    pub value: String,
}

impl Witness {
    /// The witness as YAML.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let content = self.content();
        let mut task = String::from("      input_files:\n");
        for (name, _) in &self.files {
            let _ = writeln!(task, "      - {}", quoted(name));
        }
        task.push_str("      input_file_hashes:\n");
        for (name, bytes) in &self.files {
            let _ = writeln!(task, "        {}: {}", quoted(name), hexadecimal(bytes));
        }
        let _ = writeln!(task, "      specification: {}", quoted(&self.specification));
        let since = self.created.duration_since(SystemTime::UNIX_EPOCH);
        let seconds = Duration::from_secs(since.unwrap_or_default().as_secs());
        let created = humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + seconds);
        let uuid = uuid(&format!("{task}{content}"));
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "- entry_type: invariant_set\n  \
               metadata:\n    \
                 format_version: \"2.0\"\n    \
                 uuid: {uuid}\n    \
                 creation_time: {created}\n    \
                 producer:\n      \
                   name: Labrys\n      \
                   version: \"{version}\"\n    \
                 task:\n{task}      \
                   data_model: LP64\n      \
                   language: C\n{content}"
        )
    }

    fn content(&self) -> String {
        if self.invariants.is_empty() {
            return "  content: []\n".to_owned();
        }
        let mut text = String::from("  content:\n");
        for one in &self.invariants {
            let _ = write!(
                text,
                "  - invariant:\n      \
                       type: loop_invariant\n      \
                       location:\n        \
                         file_name: {}\n        \
                         line: {}\n        \
                         column: {}\n        \
                         function: {}\n      \
                       value: {}\n      \
                       format: c_expression\n",
                quoted(&one.file),
                one.line,
                one.column,
                one.function,
                quoted(&one.value),
            );
        }
        text
    }
}

/// A text in double quotes, which YAML reads as JSON does.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A UUID of what is said: version 8 of RFC 9562, whose bits are free.
fn uuid(text: &str) -> String {
    let digits = hexadecimal(text.as_bytes());
    format!(
        "{}-{}-8{}-8{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..15],
        &digits[15..18],
        &digits[18..30]
    )
}

//! The Test-Comp form of a suite: `test-suite/` with `metadata.xml` and one file per test, test
//! format 1.1 (<https://gitlab.com/sosy-lab/test-comp/test-format>).
//! A test whose run is killed has a copy without its last value: a judge that reads coverage at the
//! end of a run sees what came before.
//!
//! Law: a test has one `<input>` for each value that its run asked for, in that order. The
//! document type stands on the second line of each file, where validators look for it: they
//! pass over tests without it.

use core::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use labrys_program::Program;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::export::{ExportedFile, Exporter, Source};
use crate::{Config, InputObject, ObjectKind, Outcome, StreamKind, TestCase, layout};

/// Name of the folder.
const FOLDER: &str = "test-suite";
/// How the names of functions that make values begin.
const VALUE: &str = "__VERIFIER_nondet_";

/// See the module.
pub(crate) struct TestComp;

impl Exporter for TestComp {
    fn name(&self) -> &'static str {
        "testcomp"
    }

    fn summary(&self) -> &'static str {
        "XML tests of Test-Comp in test-suite/; always written for its tasks"
    }

    fn folder(&self) -> Option<&'static str> {
        Some(FOLDER)
    }

    /// A suite has this form if it is asked for, if the user names a property, or if the program
    /// is a task of Test-Comp.
    fn prepare(&self, config: &mut Config, source: &Source<'_>) {
        if config.test_comp.is_none() && (config.asks_for(self.name()) || is_task(source.program)) {
            config.test_comp = Metadata::new(Property::default(), source.files);
        }
    }

    fn unfit(&self, config: &Config) -> Option<&'static str> {
        let objects = config.streams.contains(&StreamKind::Objects);
        (!objects).then_some(
            "its tests hold values of __VERIFIER_nondet functions and the like, \
                              which the program does not ask for",
        )
    }

    fn applies(&self, config: &Config) -> bool {
        config.test_comp.is_some()
    }

    fn opening(&self, config: &Config) -> Vec<ExportedFile> {
        let created = match config.is_reproducible() {
            true => SystemTime::UNIX_EPOCH,
            false => SystemTime::now(),
        };
        let about = config.test_comp.iter();
        about
            .map(|about| {
                let text = metadata(about, created);
                ExportedFile::new(format!("{FOLDER}/metadata.xml"), text)
            })
            .collect()
    }

    fn test(&self, _: &Config, case: &TestCase) -> Vec<ExportedFile> {
        let path = format!("{FOLDER}/testcase-{}", layout::number(case.id));
        let whole = test(case, &case.objects);
        let mut files = vec![ExportedFile::new(format!("{path}.xml"), whole)];
        if let Some((_, rest)) = case.objects.split_last().filter(|_| is_killed(case)) {
            files.push(ExportedFile::new(
                format!("{path}-cut.xml"),
                test(case, rest),
            ));
        }
        files
    }
}

/// Whether the run ends in a way that loses what it covered where coverage is written at the end of
/// a run. Without its last value it ends at the request for that, in an orderly way.
fn is_killed(case: &TestCase) -> bool {
    matches!(
        case.outcome,
        Outcome::Timeout | Outcome::MemoryLimit | Outcome::Signal(_)
    )
}

/// Whether the program calls functions of Test-Comp that make values.
fn is_task(program: &Program) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| function.name.starts_with(VALUE))
}

/// What `metadata.xml` says of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// What the tests are for.
    pub property: Property,
    /// Path of the program.
    pub program_file: String,
    /// SHA-256 of that file, hexadecimal.
    pub program_hash: String,
}

impl Metadata {
    /// A suite for a property of the program in these files; none without a file. Of several
    /// files the first counts, as in Test-Comp, whose programs are one file.
    #[must_use]
    pub fn new(property: Property, files: &[PathBuf]) -> Option<Self> {
        let path = files.first()?;
        let digest = Sha256::digest(std::fs::read(path).unwrap_or_default());
        Some(Self {
            property,
            program_file: path.display().to_string(),
            program_hash: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// What the tests of a Test-Comp task are for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// `coverage-branches`: as many branches as there are.
    #[default]
    Branches,
    /// `coverage-error-call`: a call of this function.
    ErrorCall(String),
}

impl Property {
    /// Reads a property file: `COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )`, or with
    /// `@CALL(FUNCTION)`. `None` if it says something else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let words: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let edges = words.strip_prefix("COVER(init(main()),FQL(COVEREDGES(")?;
        let goal = edges.strip_suffix(")))")?;
        if goal == "@DECISIONEDGE" {
            return Some(Property::Branches);
        }
        let function = goal.strip_prefix("@CALL(")?.strip_suffix(')')?;
        Some(Property::ErrorCall(function.to_owned()))
    }

    /// The property as its file says it.
    fn specification(&self) -> String {
        let goal = match self {
            Property::Branches => "@DECISIONEDGE".to_owned(),
            Property::ErrorCall(function) => format!("@CALL({function})"),
        };
        format!("COVER( init(main()), FQL(COVER EDGES({goal})) )")
    }
}

/// The first two lines of a file.
fn opening(root: &str, name: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE {root} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {name} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{name}-1.1.dtd\">\n"
    )
}

/// `metadata.xml`.
fn metadata(metadata: &Metadata, created: SystemTime) -> String {
    let mut text = opening("test-metadata", "test-metadata");
    text.push_str("<test-metadata>\n");
    let since = created.duration_since(SystemTime::UNIX_EPOCH);
    // The format has no fractions of a second.
    let seconds = Duration::from_secs(since.unwrap_or_default().as_secs());
    let time = humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + seconds).to_string();
    let elements = [
        ("sourcecodelang", "C"),
        ("producer", concat!("Labrys ", env!("CARGO_PKG_VERSION"))),
        ("specification", &metadata.property.specification()),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", "main"),
        ("architecture", "64bit"),
        ("creationtime", &time),
    ];
    for (element, value) in elements {
        let _ = writeln!(text, "  <{element}>{}</{element}>", escape(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

/// The file of a test with these values.
fn test(case: &TestCase, objects: &[InputObject]) -> String {
    let mut text = opening("testcase", "testcase");
    text.push_str("<testcase>\n");
    let bytes = case.input.object_bytes();
    for object in objects {
        let name = escape(&object.name);
        let kind = escape(kind(object));
        let value = escape(&value(object, bytes));
        let _ = writeln!(
            text,
            "  <input variable=\"{name}\" type=\"{kind}\">{value}</input>"
        );
    }
    text.push_str("</testcase>\n");
    text
}

/// The values of a test in this form, in order; `None` if the text is none.
#[must_use]
pub fn read_test_comp(text: &str) -> Option<Vec<String>> {
    let (_, body) = text.split_once("<testcase")?;
    let (body, _) = body.split_once("</testcase>")?;
    let inputs = body.split("<input").skip(1);
    inputs
        .map(|input| {
            let (_, value) = input.split_once('>')?;
            let (value, _) = value.split_once("</input")?;
            Some(unescape(value.trim()))
        })
        .collect()
}

/// A text without the names that XML has for some characters.
fn unescape(text: &str) -> String {
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    names
        .iter()
        .fold(text.to_owned(), |text, (name, character)| {
            text.replace(name, character)
        })
}

/// The type's name, as in the name of the function that made the value.
fn kind(object: &InputObject) -> &str {
    let name = object.name.strip_prefix(VALUE);
    name.unwrap_or(match (object.kind, object.size) {
        (ObjectKind::Unsigned, 1) => "uchar",
        (ObjectKind::Unsigned, 2) => "ushort",
        (ObjectKind::Unsigned, 4) => "uint",
        (ObjectKind::Unsigned, _) => "ulong",
        (ObjectKind::Signed, 1) => "char",
        (ObjectKind::Signed, 2) => "short",
        (ObjectKind::Signed, 4) => "int",
        (ObjectKind::Signed, _) => "long",
        (ObjectKind::Float, 4) => "float",
        (ObjectKind::Float, _) => "double",
        (ObjectKind::Boolean, _) => "bool",
        (ObjectKind::Pointer, _) => "pointer",
        (ObjectKind::Bytes, _) => "bytes",
    })
}

/// A number in decimal; bytes without a type as one hexadecimal number, last byte first.
fn value(object: &InputObject, bytes: &[u8]) -> String {
    let value = object.value(bytes, object.size);
    if object.kind == ObjectKind::Bytes {
        let mut digits = String::from("0x");
        for byte in value.iter().rev() {
            let _ = write!(digits, "{byte:02x}");
        }
        return digits;
    }
    object.kind.print(&value)
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no other control characters.
            c if c.is_control() && !"\t\n\r".contains(c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coverage, Input};

    #[test]
    fn properties_are_read() {
        let branches = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n";
        assert_eq!(Property::read(branches), Some(Property::Branches));
        let call = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )";
        let expected = Property::ErrorCall("reach_error".into());
        assert_eq!(Property::read(call), Some(expected.clone()));
        assert_eq!(expected.specification(), call);
        assert_eq!(Property::read("CHECK( init(main()), LTL(G ! x) )"), None);
    }

    #[test]
    fn a_test_has_an_input_for_each_value() {
        let object = |name: &str, offset, size, kind| InputObject {
            name: name.into(),
            offset,
            size,
            kind,
        };
        let bytes = [0xfe, 0xff, 0xff, 0xff, 7, 0, 0, 0xc0, 0x3f];
        let mut case = TestCase::new(
            3,
            Input::objects(bytes),
            Outcome::Exit(0),
            Coverage::default(),
        );
        case.objects = vec![
            object("__VERIFIER_nondet_int", 0, 4, ObjectKind::Signed),
            object("a<b", 4, 1, ObjectKind::Unsigned),
            object("__VERIFIER_nondet_float", 5, 4, ObjectKind::Float),
            object("__VERIFIER_nondet_memory", 3, 2, ObjectKind::Bytes),
            object("__VERIFIER_nondet_uint", 9, 4, ObjectKind::Unsigned),
        ];
        let text = test(&case, &case.objects);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("<?xml "));
        assert!(lines[1].starts_with("<!DOCTYPE testcase "));
        assert_eq!(
            read_test_comp(&text).expect("a test"),
            ["-2", "7", "1.5", "0x07ff", "0"]
        );
        assert_eq!(read_test_comp("12\n"), None);
        let inputs = &lines[3..8];
        assert_eq!(
            inputs,
            [
                "  <input variable=\"__VERIFIER_nondet_int\" type=\"int\">-2</input>",
                "  <input variable=\"a&lt;b\" type=\"uchar\">7</input>",
                "  <input variable=\"__VERIFIER_nondet_float\" type=\"float\">1.5</input>",
                "  <input variable=\"__VERIFIER_nondet_memory\" type=\"memory\">0x07ff</input>",
                "  <input variable=\"__VERIFIER_nondet_uint\" type=\"uint\">0</input>",
            ]
        );
    }

    #[test]
    fn a_run_that_is_killed_has_a_copy_that_ends() {
        let values = |outcome, count: u64| -> Vec<(String, usize)> {
            let coverage = Coverage::default();
            let mut case = TestCase::new(3, Input::objects([1, 2, 3]), outcome, coverage);
            let object = |offset| InputObject {
                name: "__VERIFIER_nondet_char".into(),
                offset,
                size: 1,
                kind: ObjectKind::Signed,
            };
            case.objects = (0..count).map(object).collect();
            let files = TestComp.test(&Config::default(), &case);
            let read = |file: &ExportedFile| {
                let text = String::from_utf8_lossy(&file.bytes);
                read_test_comp(&text).expect("a test").len()
            };
            files
                .iter()
                .map(|file| (file.path.clone(), read(file)))
                .collect()
        };
        let whole = ("test-suite/testcase-000003.xml".to_owned(), 3);
        let cut = ("test-suite/testcase-000003-cut.xml".to_owned(), 2);
        assert_eq!(values(Outcome::Exit(0), 3), std::slice::from_ref(&whole));
        assert_eq!(values(Outcome::Timeout, 3), [whole.clone(), cut.clone()]);
        assert_eq!(values(Outcome::Signal(11), 3), [whole, cut]);
        assert_eq!(values(Outcome::Timeout, 0).len(), 1);
    }

    #[test]
    fn metadata_has_all_fields() {
        let about = Metadata {
            property: Property::Branches,
            program_file: "a&b.c".into(),
            program_hash: "00".into(),
        };
        let text = metadata(
            &about,
            SystemTime::UNIX_EPOCH + Duration::from_millis(86_400_500),
        );
        assert!(text.contains("<programfile>a&amp;b.c</programfile>"));
        assert!(text.contains("<creationtime>1970-01-02T00:00:00Z</creationtime>"));
        assert!(text.contains("EDGES(@DECISIONEDGE)"));
    }
}

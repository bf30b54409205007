//! Damaged suite folders and files of other tools: errors that name the file, or suites; never a
//! panic, nor memory without end.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use labrys_program::BranchId;
use labrys_suite::export::EXPORTERS;
use labrys_suite::{
    Config, Confirmation, Event, Failure, Input, InputObject, InputStream, Invocation, Ktest,
    ObjectKind, Outcome, Suite, SuiteWriter, Summary, TestCase, read_test_comp,
};

/// How many damages are tried, unless `LABRYS_DAMAGE` says it.
fn count(usual: u64) -> u64 {
    let count = std::env::var("LABRYS_DAMAGE").ok();
    count.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Changes one to three places of the bytes: another byte, one more, one less, a long number, or
/// the end.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..random.u8(1..=3) {
        let at = random.usize(..=bytes.len());
        match random.u8(..8) {
            0 => bytes.insert(at, random.u8(..)),
            1 => drop(bytes.splice(at..at, *b"99999999999")),
            2 => bytes.truncate(at),
            3 if at < bytes.len() => drop(bytes.remove(at)),
            4 if at < bytes.len() => bytes[at] = b"\"{}[],:-09"[random.usize(..10)],
            5 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ if at < bytes.len() => bytes[at] = random.u8(..),
            _ => {}
        }
    }
}

fn write(folder: &Path) {
    let input = Input::new(vec![
        InputStream::stdin("x"),
        InputStream::file("etc/conf", "y"),
        InputStream::argument(1, b"a", 6),
        InputStream::objects("abcd"),
    ]);
    let config = Config {
        program: "/bin/program".into(),
        invocation: Invocation::new(["-v", "a"]),
        streams: input.shape(),
        ..Config::default()
    };
    let mut writer = SuiteWriter::create(folder, &config).unwrap();
    let coverage = [BranchId(1), BranchId(2), BranchId(100)].into_iter();
    let mut case = TestCase::new(1, input.clone(), Outcome::Exit(0), coverage.collect());
    case.confirmed = Confirmation::Confirmed;
    case.objects.push(InputObject {
        name: "x".into(),
        offset: 0,
        size: 4,
        kind: ObjectKind::Signed,
    });
    writer.add(&case).unwrap();
    let (run, seconds, case, branches, new) = (1, 0.5, 1, 3, 3);
    let event = Event::Coverage {
        run,
        seconds,
        case,
        branches,
        new,
    };
    writer.event(&event).unwrap();
    let failure = Failure {
        id: 1,
        input,
        objects: Vec::new(),
        outcome: Outcome::Signal(11),
        kind: "SIGSEGV".into(),
        location: Some("a.c:3:4".into()),
        detail: String::new(),
        stack: vec!["main a.c:9".into()],
        confirmed: true,
        run: 20,
    };
    writer.add_failure(&failure).unwrap();
    writer.summary(&Summary::default()).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

#[test]
fn damaged_suites_are_errors_or_suites() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("suite");
    write(&folder);
    let files = files(&folder);
    let mut random = Rng::with_seed(1);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..count(4000) {
        let file = &files[random.usize(..files.len())];
        let good = fs::read(file).unwrap();
        let mut bytes = good.clone();
        damage(&mut bytes, &mut random);
        fs::write(file, &bytes).unwrap();
        match Suite::open(&folder) {
            Err(error) => {
                refused += 1;
                let text = error.to_string();
                assert!(text.contains(root.path().to_str().unwrap()), "{text}");
            }
            Ok(suite) => {
                read += 1;
                let _ = suite.confirmed_coverage().count();
                for case in &suite.cases {
                    for exporter in EXPORTERS {
                        let _ = exporter.test(&suite.config, case);
                    }
                }
            }
        }
        fs::write(file, &good).unwrap();
    }
    assert!(refused > 500 && read > 500, "{refused} {read}");
}

#[test]
fn damaged_files_of_other_tools_are_errors_or_inputs() {
    let ktest = Ktest {
        arguments: vec!["program".into(), "--sym-stdin".into()],
        objects: vec![("x".into(), vec![1, 2, 3, 4]), ("stdin".into(), vec![5; 9])],
    };
    let testcase = "<?xml version=\"1.0\"?>\n<testcase>\n  <input>12</input>\n  \
                    <input type=\"int\">-3</input>\n</testcase>\n";
    let like = Input::new(vec![InputStream::stdin(""), InputStream::objects("")]);
    let mut random = Rng::with_seed(2);
    for _ in 0..count(20_000) {
        let mut bytes = ktest.to_bytes();
        damage(&mut bytes, &mut random);
        if let Ok(test) = Ktest::read(&bytes) {
            let _ = test.input(&like);
        }
        let mut bytes = testcase.as_bytes().to_vec();
        damage(&mut bytes, &mut random);
        let _ = read_test_comp(&String::from_utf8_lossy(&bytes));
    }
}

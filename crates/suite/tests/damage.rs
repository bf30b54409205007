//! Damaged suite folders and files of other tools: errors that name the file, or suites; never a
//! panic, nor memory without end.

#![allow(missing_docs, clippy::unwrap_used)]

mod sample;

use std::fs;

use fastrand::Rng;
use labrys_suite::export::EXPORTERS;
use labrys_suite::{Input, InputStream, Ktest, Suite, read_test_comp};
use sample::{files, write};

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
fn objects_that_would_fill_the_memory_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("suite");
    write(&folder);
    let path = folder.join("cases/000001.json");
    let text = fs::read_to_string(&path).unwrap();
    for size in ["999999999994", "18446744073709551615"] {
        let large = text.replace("\"size\": 4", &format!("\"size\": {size}"));
        assert_ne!(large, text);
        fs::write(&path, large).unwrap();
        let error = Suite::open(&folder).unwrap_err().to_string();
        assert!(error.contains("its objects are larger"), "{error}");
    }
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

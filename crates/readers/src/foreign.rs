//! Files of other tools.

use std::time::Duration;

use labrys_suite::dictionary::{record, recorded, words};
use labrys_suite::{
    Changes, Explored, FailedLine, Input, InputStream, Ktest, Needs, Property, read_numbers,
    read_test_comp,
};

use crate::Reader;

/// A test of KLEE.
pub(crate) const KTEST: Reader = Reader {
    name: "ktest",
    read: |bytes| {
        Ktest::read(bytes).is_ok_and(|test| {
            let streams = vec![
                InputStream::stdin(""),
                InputStream::objects(""),
                InputStream::file("input", ""),
                InputStream::argument(1, b"x", 4),
            ];
            let _ = test.input(&Input::new(streams));
            assert_eq!(Ktest::read(&test.to_bytes()), Ok(test));
            true
        })
    },
    examples: || {
        let test = Ktest {
            arguments: vec!["program".into(), "--sym-stdin".into()],
            objects: vec![("x".into(), vec![1, 2, 3, 4]), ("stdin".into(), vec![5; 9])],
        };
        vec![test.to_bytes()]
    },
};

/// A test of Test-Comp.
pub(crate) const TEST_COMP: Reader = Reader {
    name: "test-comp",
    read: |bytes| read_test_comp(&String::from_utf8_lossy(bytes)).is_some(),
    examples: || {
        let text = "<?xml version=\"1.0\"?>\n<testcase>\n  <input>12</input>\n  \
                    <input type=\"int\">-3&lt;</input>\n</testcase>\n";
        vec![text.as_bytes().to_vec()]
    },
};

/// A property of Test-Comp.
pub(crate) const PROPERTY: Reader = Reader {
    name: "property",
    read: |bytes| Property::read(&String::from_utf8_lossy(bytes)).is_some(),
    examples: || {
        let goals = ["@DECISIONEDGE", "@CALL(reach_error)"];
        let text = |goal| format!("COVER( init(main()), FQL(COVER EDGES({goal})) )").into_bytes();
        goals.map(text).into()
    },
};

/// A test of CREST.
pub(crate) const NUMBERS: Reader = Reader {
    name: "crest",
    read: |bytes| read_numbers(&String::from_utf8_lossy(bytes)).is_some(),
    examples: || vec![b"12\n-3\n".to_vec()],
};

/// A dictionary of AFL, and its words in a suite.
pub(crate) const DICTIONARY: Reader = Reader {
    name: "dictionary",
    read: |bytes| {
        words(&String::from_utf8_lossy(bytes)).is_ok_and(|words| {
            assert_eq!(recorded(&record(&words)), words);
            true
        })
    },
    examples: || vec![b"# words\nkw@1=\"\\x00\\\"\\\\=\"\n\"ab\\n\"\n".to_vec()],
};

/// A unified diff.
pub(crate) const DIFF: Reader = Reader {
    name: "diff",
    read: |bytes| {
        let changes = Changes::read(&String::from_utf8_lossy(bytes));
        !changes.added.is_empty() || !changes.beside.is_empty()
    },
    examples: || vec![include_bytes!("../examples/change.diff").to_vec()],
};

/// What a hunt keeps of a unit.
pub(crate) const EXPLORED: Reader = Reader {
    name: "explored",
    read: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        Explored::read(&text).is_some_and(|(explored, needs)| {
            let again = explored.text(&needs);
            let again = again.and_then(|text| Explored::read(&text));
            assert_eq!(again, Some((explored, needs)));
            true
        })
    },
    examples: || {
        let line = FailedLine {
            function: "f".to_owned(),
            distance: 12,
            kind: "SIGSEGV".to_owned(),
            inputs: vec![Input::objects([0, 255, 7])],
        };
        let explored = |cut_after| Explored {
            inputs: vec![Input::objects(""), Input::objects([0, 255, 7])],
            fails: true,
            lines: vec![line.clone()],
            cut_after,
        };
        let number = || [("f".to_owned(), "0a1b".to_owned())].into();
        let ran = Needs::Ran {
            functions: number(),
            stubs: number(),
        };
        let whole = explored(None).text(&ran);
        let cut = explored(Some(Duration::from_millis(1500)));
        let texts = whole
            .into_iter()
            .chain(cut.text(&Needs::All("0a1b".to_owned())));
        texts.map(String::into_bytes).collect()
    },
};

//! A small suite with all kinds of files.

use std::fs;
use std::path::{Path, PathBuf};

use labrys_program::BranchId;
use labrys_suite::{
    Config, Confirmation, Event, Failure, Input, InputObject, InputStream, Invocation, ObjectKind,
    Outcome, SuiteWriter, Summary, TestCase,
};

/// Writes it.
pub(crate) fn write(folder: &Path) {
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
    let mut writer = SuiteWriter::create(folder, &config).expect("a folder");
    let coverage = [BranchId(1), BranchId(2), BranchId(100)].into_iter();
    let mut case = TestCase::new(1, input.clone(), Outcome::Exit(0), coverage.collect());
    case.confirmed = Confirmation::Confirmed;
    case.objects.push(InputObject {
        name: "x".into(),
        offset: 0,
        size: 4,
        kind: ObjectKind::Signed,
    });
    writer.add(&case).expect("a case");
    let (run, seconds, case, branches, new) = (1, 0.5, 1, 3, 3);
    let event = Event::Coverage {
        run,
        seconds,
        case,
        branches,
        new,
    };
    writer.event(&event).expect("an event");
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
    writer.add_failure(&failure).expect("a failure");
    writer.summary(&Summary::default()).expect("a summary");
}

/// All files of a folder and the folders in it.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

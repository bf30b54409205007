//! Suite folders: written, killed at any moment, read back.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use expect_test::expect;
use labrys_program::BranchId;
use labrys_suite::{
    Branches, Config, Confirmation, Error, Event, Failure, FailureSummary, Flip, Input,
    InputObject, InputStream, Invocation, ObjectKind, Origin, Outcome, Queries, Suite, SuiteWriter,
    Summary, TargetStatus, TargetSummary, TestCase,
};

fn config(input: &Input) -> Config {
    Config {
        program: "/bin/program".into(),
        bitcode_hash: "00ff".into(),
        invocation: Invocation::new(["-v", "@@"]),
        streams: input.shape(),
        technique: "cover".into(),
        strategy: "context-guided".into(),
        seed: 7,
        ..Config::default()
    }
}

fn case(id: u32, input: Input) -> TestCase {
    let coverage = [BranchId(id), BranchId(id + 1), BranchId(100)]
        .into_iter()
        .collect();
    let mut case = TestCase::new(id, input, Outcome::Exit(0), coverage);
    case.confirmed = Confirmation::Confirmed;
    case.run = u64::from(id) * 10;
    case.origin = Origin {
        parent: (id > 1).then_some(1),
        flipped: (id > 1).then_some(Flip {
            site: 3,
            direction: 1,
        }),
        strategy: "dfs".into(),
    };
    case
}

fn failure(input: Input) -> Failure {
    Failure {
        id: 1,
        input,
        objects: Vec::new(),
        outcome: Outcome::Signal(11),
        kind: "SIGSEGV".into(),
        location: Some("a.c:3:4".into()),
        detail: String::new(),
        stack: vec!["f a.c:3".into(), "main a.c:9".into()],
        confirmed: true,
        run: 20,
    }
}

fn mixed(text: &[u8]) -> Input {
    Input::new(vec![
        InputStream::stdin(text),
        InputStream::file("etc/conf", text),
        InputStream::argument(2, b"a\n", 6),
        InputStream::environment("MODE", b"fast", 8),
        InputStream::objects(text),
    ])
}

/// All files of a folder with their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                files.insert(name.to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn write(folder: &Path, inputs: &[Input]) -> SuiteWriter {
    let mut writer = SuiteWriter::create(folder, &config(&inputs[0])).unwrap();
    for (id, input) in (1..).zip(inputs) {
        writer.add(&case(id, input.clone())).unwrap();
        let (case, run, seconds) = (id, u64::from(id) * 10, f64::from(id) / 2.0);
        writer
            .event(&Event::Coverage {
                run,
                seconds,
                case,
                branches: 3,
                new: 1,
            })
            .unwrap();
    }
    writer.add_failure(&failure(inputs[0].clone())).unwrap();
    writer
}

#[test]
fn what_is_written_is_read_back() {
    for inputs in [
        [Input::stdin("a\0b"), Input::stdin("")],
        [Input::file("a\n"), Input::file("b")],
        [Input::objects("abcd"), Input::objects("")],
        [mixed(b"x\0y"), mixed(b"")],
    ] {
        let root = tempfile::tempdir().unwrap();
        let writer = write(&root.path().join("suite"), &inputs);
        let suite = Suite::open(writer.folder()).unwrap();
        assert_eq!(suite.config, *writer.config());
        assert_eq!(suite.events.len(), 2);
        assert_eq!(suite.failures, [failure(inputs[0].clone())]);
        assert_eq!(suite.summary, None);
        assert_eq!(suite.confirmed_coverage().count(), 4);
        for (id, input) in (1..).zip(&inputs) {
            let seconds = f64::from(id) / 2.0;
            let expected = TestCase {
                seconds,
                ..case(id, input.clone())
            };
            assert_eq!(suite.cases[id as usize - 1], expected);
        }
    }
}

#[test]
fn bytes_on_disk_are_the_input() {
    let root = tempfile::tempdir().unwrap();
    let suite = root.path().join("suite");
    write(&suite, &[Input::stdin("a\0b")]);
    assert_eq!(fs::read(suite.join("inputs/000001")).unwrap(), b"a\0b");
    assert_eq!(
        fs::read(suite.join("failures/000001/input")).unwrap(),
        b"a\0b"
    );

    let suite = root.path().join("mixed");
    write(&suite, &[mixed(b"x")]);
    let names: Vec<_> = files(&suite.join("inputs")).into_keys().collect();
    let expected = [
        "000001/argument-2",
        "000001/environment-MODE",
        "000001/file-etc%conf",
        "000001/objects",
        "000001/objects.c",
        "000001/stdin",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        fs::read(suite.join("inputs/000001/argument-2")).unwrap(),
        b"a\n"
    );
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    let root = tempfile::tempdir().unwrap();
    let inputs = [mixed(b"x"), mixed(b"y")];
    write(&root.path().join("a"), &inputs);
    write(&root.path().join("b"), &inputs);
    assert_eq!(files(&root.path().join("a")), files(&root.path().join("b")));
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("thesis.txt"), "x").unwrap();
    let error = SuiteWriter::create(root.path(), &Config::default()).unwrap_err();
    assert!(matches!(error, Error::Exists { .. }));
    assert!(error.to_string().contains("--resume"), "{error}");
    let error = Suite::open(root.path()).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }), "{error}");
    fs::create_dir(root.path().join("average")).unwrap();
    fs::write(root.path().join("average/config.json"), "{}").unwrap();
    let error = Suite::open(root.path()).unwrap_err();
    assert!(error.to_string().ends_with("/average"), "{error}");
    let error = SuiteWriter::create(&root.path().join("thesis.txt/suite"), &Config::default());
    assert!(error.unwrap_err().to_string().contains("thesis.txt"));
}

#[test]
fn inputs_of_another_shape_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SuiteWriter::create(root.path(), &config(&Input::stdin(""))).unwrap();
    let error = writer.add(&case(1, Input::file(""))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an input of streams [file-input] does not fit the suite's [stdin]; this is a bug in Labrys"
    );
}

#[test]
fn a_killed_process_leaves_a_valid_suite() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("suite");
    write(&folder, &[mixed(b"x")]);
    // Killed while it wrote a second test, a second failure, an event and the summary.
    fs::create_dir(folder.join("inputs/.000002.unfinished")).unwrap();
    fs::write(folder.join("inputs/.000002.unfinished/stdin"), "x").unwrap();
    fs::create_dir_all(folder.join("inputs/000003")).unwrap();
    fs::create_dir(folder.join("failures/000002")).unwrap();
    fs::write(folder.join(".summary.json.unfinished"), "{").unwrap();
    let mut events = fs::read(folder.join("events.jsonl")).unwrap();
    events.extend(b"{\"event\":\"mile");
    fs::write(folder.join("events.jsonl"), events).unwrap();

    let suite = Suite::open(&folder).unwrap();
    assert_eq!(
        (suite.cases.len(), suite.failures.len(), suite.events.len()),
        (1, 1, 1)
    );

    let (mut writer, suite) = SuiteWriter::resume(&folder).unwrap();
    assert_eq!(suite.cases.len(), 1);
    let text = "resumed".to_owned();
    writer
        .event(&Event::Milestone {
            run: 20,
            seconds: 3.0,
            text,
        })
        .unwrap();
    for id in 2..4 {
        writer.add(&case(id, mixed(b"z"))).unwrap();
    }
    writer
        .add_failure(&Failure {
            id: 2,
            ..failure(mixed(b"z"))
        })
        .unwrap();
    let suite = Suite::open(&folder).unwrap();
    assert_eq!(
        (suite.cases.len(), suite.failures.len(), suite.events.len()),
        (3, 2, 2)
    );
    assert!(
        files(&folder)
            .keys()
            .all(|name| !name.contains("unfinished"))
    );
}

#[test]
fn damage_is_reported_with_its_place() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("suite");
    write(&folder, &[Input::stdin("abc")]);
    fs::write(folder.join("inputs/000001"), "ab").unwrap();
    let error = Suite::open(&folder).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("inputs/000001 is damaged: it has 2 bytes"),
        "{error}"
    );
    fs::write(folder.join("cases/000001.json"), "{}").unwrap();
    let error = Suite::open(&folder).unwrap_err();
    assert!(
        error.to_string().contains("cases/000001.json is damaged"),
        "{error}"
    );
    let text = fs::read_to_string(folder.join("config.json")).unwrap();
    fs::write(
        folder.join("config.json"),
        text.replace("\"format\": 1", "\"format\": 9"),
    )
    .unwrap();
    let error = Suite::open(&folder).unwrap_err();
    assert!(matches!(error, Error::Format { found: 9, .. }), "{error}");
}

#[test]
fn confirmation_comes_later() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = SuiteWriter::create(root.path(), &config(&Input::stdin(""))).unwrap();
    let mut case = TestCase {
        confirmed: Confirmation::Pending,
        ..case(1, Input::stdin("a"))
    };
    writer.add(&case).unwrap();
    assert!(
        Suite::open(root.path())
            .unwrap()
            .confirmed_coverage()
            .is_empty()
    );
    case.confirmed = Confirmation::Diverged;
    writer.update(&case).unwrap();
    let suite = Suite::open(root.path()).unwrap();
    assert_eq!(suite.cases[0].confirmed, Confirmation::Diverged);
}

#[test]
fn files_for_machines_look_like_this() {
    let root = tempfile::tempdir().unwrap();
    let input = Input::objects([1, 0, 0, 0]);
    let mut writer = SuiteWriter::create(root.path(), &config(&input)).unwrap();
    let mut case = case(2, input);
    let (name, kind) = ("x".to_owned(), ObjectKind::Signed);
    case.objects.push(InputObject {
        name,
        offset: 0,
        size: 4,
        kind,
    });
    writer.add(&case).unwrap();
    writer
        .event(&Event::Coverage {
            run: 2,
            seconds: 0.5,
            case: 2,
            branches: 3,
            new: 1,
        })
        .unwrap();
    writer.summary(&summary()).unwrap();
    let read = |name| fs::read_to_string(root.path().join(name)).unwrap();

    expect![[r#"
        {
          "id": 2,
          "outcome": {
            "exit": 0
          },
          "confirmed": "confirmed",
          "origin": {
            "parent": 1,
            "flipped": {
              "site": 3,
              "direction": 1
            },
            "strategy": "dfs"
          },
          "run": 20,
          "lengths": [
            4
          ],
          "objects": [
            {
              "name": "x",
              "offset": 0,
              "size": 4,
              "kind": "signed"
            }
          ],
          "coverage": "2-3,100"
        }
    "#]]
    .assert_eq(&read("cases/000002.json"));
    expect![[r#"
        {"event":"coverage","run":2,"seconds":0.5,"case":2,"branches":3,"new":1}
    "#]]
    .assert_eq(&read("events.jsonl"));
    expect![[r#"
        {
          "program": "/bin/program",
          "technique": "",
          "strategy": "",
          "seed": 0,
          "branches": {
            "total": 10,
            "covered": 3,
            "unreachable": 1
          },
          "runs": 20,
          "runs_per_second": 40.0,
          "queries": {
            "sat": 0,
            "unsat": 0,
            "unknown": 0,
            "cached": 0,
            "by_layer": {
              "backend": 1,
              "bounds": 0
            }
          },
          "solver_seconds": 0.0,
          "seconds": 0.5,
          "divergences": 0,
          "concretizations": {
            "external-call": 3
          },
          "failures": [
            {
              "kind": "SIGSEGV",
              "location": "a.c:3:4",
              "stack": [
                "main a.c:3"
              ],
              "input": "failures/000001/input",
              "reproduce": "",
              "confirmed": true
            }
          ],
          "targets": [
            {
              "location": "a.c:9",
              "place": null,
              "status": "unreachable",
              "input": null
            }
          ]
        }
    "#]]
    .assert_eq(&read("summary.json"));
    expect![[r#"
        {
          "format": 1,
          "program": "/bin/program",
          "bitcode_hash": "00ff",
          "invocation": {
            "arguments": [
              "-v",
              "@@"
            ],
            "environment": {}
          },
          "streams": [
            "objects"
          ],
          "technique": "cover",
          "strategy": "context-guided",
          "seed": 7,
          "harness": {
            "fuzz_target": false,
            "values": []
          },
          "options": {}
        }
    "#]]
    .assert_eq(&read("config.json"));
}

fn summary() -> Summary {
    let mut queries = Queries::default();
    queries.by_layer.begin(["backend", "bounds"]);
    queries.by_layer.add("backend");
    Summary {
        queries,
        program: "/bin/program".into(),
        branches: Branches {
            total: 10,
            covered: 3,
            unreachable: 1,
        },
        runs: 20,
        runs_per_second: 40.0,
        seconds: 0.5,
        concretizations: [("external-call".to_owned(), 3)].into_iter().collect(),
        failures: vec![FailureSummary {
            kind: "SIGSEGV".into(),
            location: Some("a.c:3:4".into()),
            detail: String::new(),
            stack: vec!["main a.c:3".into()],
            input: "failures/000001/input".into(),
            reproduce: String::new(),
            confirmed: true,
        }],
        targets: vec![TargetSummary {
            location: "a.c:9".into(),
            place: None,
            status: TargetStatus::Unreachable,
            input: None,
            proof: None,
        }],
        ..Summary::default()
    }
}

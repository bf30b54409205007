//! The search end to end on model programs: every strategy, divergences, soft constraints,
//! confirmation, budgets, resumption, repeatability.

#![allow(missing_docs)]

mod model;

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use labrys_engine::{Ahead, Budget, End, Judge, Programs, Session, SessionBuilder, StopFlag, run};
use labrys_executor::Checked;
use labrys_program::Program;
use labrys_search::{Options, STRATEGIES, Search, SearchOptions, build};
use labrys_solver::Layers;
use labrys_suite::{
    Config, Confirmation, Input, Outcome, Suite, SuiteWriter, TargetStatus, TestCase,
};
use model::brute::BruteForce;
use model::{Body, Machine, Model, Queue, program};

/// A model program and how it is explored.
struct Case {
    program: Rc<Program>,
    body: Rc<Body>,
    plain: Rc<Body>,
    initial: Input,
    budget: Budget,
    strategy: &'static str,
    /// Runs that are begun before the first of them is made.
    ahead: usize,
    stop: StopFlag,
    /// How long a look at a run takes, and how many there were.
    looks: (Duration, Rc<Cell<u32>>),
}

/// Finds nothing, slowly.
struct SlowJudge(Duration, Rc<Cell<u32>>);

impl Judge for SlowJudge {
    fn check(&mut self, _: &Input) -> Result<Checked, labrys_executor::Error> {
        std::thread::sleep(self.0);
        self.1.set(self.1.get() + 1);
        Ok(Checked {
            outcome: Outcome::Exit(0),
            reports: Vec::new(),
            results: Vec::new(),
        })
    }
}

impl Case {
    fn new(
        arities: &[u32],
        initial: Input,
        body: impl Fn(&mut Machine) -> Result<(), Outcome> + 'static,
    ) -> Self {
        let body: Rc<Body> = Rc::new(body);
        Case {
            program: program(arities),
            plain: Rc::clone(&body),
            body,
            initial,
            budget: Budget {
                steps: Some(2000),
                ..Budget::default()
            },
            strategy: "generational",
            ahead: 0,
            stop: StopFlag::default(),
            looks: (Duration::ZERO, Rc::default()),
        }
    }

    fn judge(&self) -> Option<Box<dyn Judge>> {
        let (duration, looks) = &self.looks;
        let judge = SlowJudge(*duration, Rc::clone(looks));
        (!duration.is_zero()).then(|| Box::new(judge) as Box<dyn Judge>)
    }

    fn session(&self, writer: SuiteWriter) -> SessionBuilder {
        let instrumented = Model::new(&self.program, &self.body);
        let plain = Model::new(&self.program, &self.plain);
        let programs = Programs::new(Program::clone(&self.program).into(), instrumented, plain)
            .with_pool((self.ahead > 0).then(|| self.pool()))
            .with_checker(self.judge());
        SessionBuilder::new(programs, Layers::new(Box::new(BruteForce)), writer)
            .oracles(true)
            .budget(self.budget.clone())
            .stop(self.stop.clone())
            .query_limits(200_000, Duration::from_secs(10))
            .max_input(32)
    }

    fn pool(&self) -> Box<dyn Ahead> {
        Box::new(Queue {
            model: Model::new(&self.program, &self.body),
            places: self.ahead,
            begun: VecDeque::new(),
        })
    }

    fn drive(&self, mut session: Session) -> End {
        let strategy = build(self.strategy, &Options::default()).expect("a strategy");
        let seed = session.seed();
        let mut search = Search::new(strategy, SearchOptions::default(), seed);
        run(&mut session, &mut search).expect("models run")
    }

    fn explore(&self, folder: &Path) -> (End, Suite) {
        self.explore_from(folder, vec![self.initial.clone()])
    }

    fn explore_from(&self, folder: &Path, seeds: Vec<Input>) -> (End, Suite) {
        let config = Config {
            program: "model".into(),
            streams: self.initial.shape(),
            technique: "search".into(),
            strategy: self.strategy.into(),
            seed: 7,
            ..Config::default()
        };
        let writer = SuiteWriter::create(folder, &config).expect("a new folder");
        let end = self.drive(self.session(writer).initial(seeds).start());
        (end, Suite::open(folder).expect("a valid suite"))
    }

    fn resume(&self, folder: &Path) -> (End, Suite) {
        let (writer, suite) = SuiteWriter::resume(folder).expect("a valid suite");
        let end = self.drive(self.session(writer).resume(suite));
        (end, Suite::open(folder).expect("a valid suite"))
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Four nested comparisons with bytes, then a crash.
fn magic() -> Case {
    Case::new(&[2; 4], Input::stdin(*b"0000"), |machine| {
        for (site, wanted) in (0..).zip(*b"key!") {
            let byte = machine.byte(site as usize);
            let equal = machine.equals(byte, u64::from(wanted));
            if !machine.branch(site, equal) {
                return Ok(());
            }
        }
        machine.target("deep");
        Err(Outcome::Signal(11))
    })
}

/// Of many seeds that take the same branches most are put aside, so one that takes another is not
/// late; when the search has nothing else to try, they have their turns.
#[test]
fn seeds_that_show_nothing_new_come_last() {
    let mut seeds: Vec<Input> = (0..200_u8)
        .map(|byte| Input::stdin([b'0', byte, b'0', b'0']))
        .collect();
    seeds.push(Input::stdin(*b"key!"));
    for (budget, is_early) in [(Some(60), true), (None, false)] {
        let folder = folder();
        let case = Case {
            budget: Budget {
                runs: budget,
                ..Budget::default()
            },
            ..magic()
        };
        let (end, suite) = case.explore_from(folder.path(), seeds.clone());
        let made_by = |case: &TestCase| case.origin.strategy.clone();
        let deep = suite.cases.iter().find(|case| case.input == seeds[200]);
        assert_eq!(deep.map(made_by).as_deref(), Some("seed"));
        let runs = summary(&suite).runs;
        match is_early {
            true => assert!(runs <= 60, "{runs}"),
            false => assert!(end == End::Exhausted && runs >= 201, "{end:?} {runs}"),
        }
    }
}

fn summary(suite: &Suite) -> &labrys_suite::Summary {
    suite.summary.as_ref().expect("a summary")
}

#[test]
fn every_strategy_opens_nested_comparisons() {
    for (entry, ahead) in STRATEGIES.iter().flat_map(|entry| [(entry, 0), (entry, 2)]) {
        let folder = folder();
        let case = Case {
            strategy: entry.name,
            ahead,
            ..magic()
        };
        let (end, suite) = case.explore(&folder.path().join("suite"));
        assert_eq!(end, End::Exhausted, "{}", entry.name);
        let summary = summary(&suite);
        assert_eq!((summary.branches.total, summary.branches.covered), (8, 8));
        assert_eq!(
            (summary.runs, summary.queries.sat),
            (5, 4),
            "{}",
            entry.name
        );
        assert_eq!(summary.divergences, 0);
        assert_eq!(summary.failures.len(), 1);
        let failure = &suite.failures[0];
        assert_eq!(
            (failure.kind.as_str(), failure.confirmed),
            ("SIGSEGV", true)
        );
        assert_eq!(failure.input, Input::stdin(*b"key!"));
        let target = &summary.targets[0];
        assert_eq!(
            (target.location.as_str(), target.status),
            ("deep", TargetStatus::Reached)
        );
        let confirmed = |case: &TestCase| case.confirmed == Confirmation::Confirmed;
        assert!(suite.cases.len() == 5 && suite.cases.iter().all(confirmed));
        assert_eq!(target.input.as_deref(), Some("inputs/000005"));
        assert_eq!(suite.cases[4].origin.parent, Some(4));
    }
}

#[test]
fn inputs_grow_and_shrink_as_needed() {
    let case = Case::new(&[2, 2], Input::stdin(*b""), |machine| {
        let mut count = 0;
        while machine.reads(count) {
            let byte = machine.byte(count);
            let letter = machine.equals(byte, u64::from(b'a'));
            if !machine.branch(0, letter) {
                return Ok(());
            }
            count += 1;
        }
        let enough = machine.length();
        let few = machine.below(enough, 3);
        if !machine.branch(1, few) {
            machine.target("three letters");
        }
        Ok(())
    });
    let folder = folder();
    let case = Case {
        budget: Budget {
            steps: Some(40),
            ..Budget::default()
        },
        ..case
    };
    let (_, suite) = case.explore(&folder.path().join("suite"));
    assert_eq!(summary(&suite).branches.covered, 4);
    assert_eq!(summary(&suite).targets[0].location, "three letters");
}

#[test]
fn all_cases_of_a_switch_are_tried() {
    let case = Case::new(&[6], Input::stdin(*b"z"), |machine| {
        let byte = machine.byte(0);
        machine.switch(0, byte);
        Ok(())
    });
    let folder = folder();
    let (end, suite) = case.explore(&folder.path().join("suite"));
    assert_eq!(end, End::Exhausted);
    assert_eq!(summary(&suite).branches.covered, 6);
    assert_eq!(summary(&suite).runs, 6);
}

#[test]
fn assumptions_are_made_to_hold_and_not_to_fail() {
    let case = Case::new(&[2], Input::stdin(*b"zz"), |machine| {
        let byte = machine.byte(0);
        let small = machine.below(byte, 10);
        machine.assume(small)?;
        let other = machine.byte(1);
        let equal = machine.equals(other, 5);
        machine.branch(0, equal);
        Ok(())
    });
    let folder = folder();
    let (end, suite) = case.explore(&folder.path().join("suite"));
    assert_eq!((end, summary(&suite).runs), (End::Exhausted, 3));
    assert_eq!(summary(&suite).branches.covered, 2);
}

/// A later branch depends on an earlier one through a shared byte.
#[test]
fn queries_keep_what_holds_before() {
    let case = Case::new(&[2, 2], Input::stdin(*b"aa"), |machine| {
        let (first, second) = (machine.byte(0), machine.byte(1));
        let small = machine.below(first, 3);
        if machine.branch(0, small) {
            let sum = machine.add(first, second);
            let equal = machine.equals(sum, 200);
            machine.branch(1, equal);
        }
        Ok(())
    });
    let folder = folder();
    let (end, suite) = case.explore(&folder.path().join("suite"));
    assert_eq!((end, summary(&suite).divergences), (End::Exhausted, 0));
    assert_eq!(summary(&suite).branches.covered, 4);
}

/// Under the value that was concretized the branch is infeasible; without it there is an input.
#[test]
fn soft_constraints_are_dropped_where_they_stand_in_the_way() {
    let case = Case::new(&[2], Input::stdin(*b"a"), |machine| {
        let byte = machine.byte(0);
        machine.concretize(byte);
        let equal = machine.equals(byte, u64::from(b'x'));
        machine.branch(0, equal);
        Ok(())
    });
    let folder = folder();
    let (_, suite) = case.explore(&folder.path().join("suite"));
    let summary = summary(&suite);
    assert_eq!((summary.branches.covered, summary.runs), (2, 2));
    assert_eq!((summary.queries.sat, summary.queries.unsat), (1, 1));
    assert_eq!(summary.concretizations["load-address"], 2);
}

/// The program leaves the predicted path for a reason that its labels do not show.
#[test]
fn divergences_are_counted_and_their_runs_used() {
    let case = Case::new(&[2, 2, 2], Input::stdin(*b"aa"), |machine| {
        let first = machine.byte(0);
        let hidden = first.bits == u64::from(b'x');
        let equal = machine.equals(first, u64::from(b'x'));
        if hidden {
            let second = machine.byte(1);
            let other = machine.equals(second, u64::from(b'y'));
            machine.branch(2, other);
            return Ok(());
        }
        machine.branch(1, equal);
        Ok(())
    });
    let folder = folder();
    let (end, suite) = case.explore(&folder.path().join("suite"));
    assert_eq!(end, End::Exhausted);
    assert_eq!(summary(&suite).divergences, 1);
    // Site 1 in one direction, site 2 in both: the diverged run was searched on.
    assert_eq!(summary(&suite).branches.covered, 3);
}

#[test]
fn what_the_plain_program_does_not_show_is_not_confirmed() {
    let mut case = magic();
    case.plain = Rc::new(|machine| {
        let byte = machine.byte(0);
        let equal = machine.equals(byte, u64::from(b'k'));
        machine.branch(0, equal);
        Ok(())
    });
    let folder = folder();
    let (_, suite) = case.explore(&folder.path().join("suite"));
    let summary = summary(&suite);
    assert_eq!(
        (summary.failures.len(), summary.failures[0].confirmed),
        (1, false)
    );
    // What the plain program does on these inputs: it takes both directions of the first site.
    assert_eq!(summary.branches.covered, 2);
    assert!(summary.targets.is_empty());
    assert!(suite.cases.len() <= 8);
    for case in &suite.cases {
        let as_plain = case.outcome == Outcome::Exit(0);
        let expected = if as_plain {
            assert!(case.coverage.iter().all(|branch| branch.0 < 2));
            Confirmation::Confirmed
        } else {
            Confirmation::Diverged
        };
        assert_eq!(case.confirmed, expected);
    }
    let diverged = suite
        .cases
        .iter()
        .filter(|case| case.confirmed == Confirmation::Diverged);
    assert_eq!(diverged.count(), 1);
}

#[test]
fn objects_are_as_long_as_what_was_read() {
    let case = Case::new(&[2, 2], Input::objects(*b""), |machine| {
        for (site, offset) in [(0, 2), (1, 5)] {
            let byte = machine.byte(offset);
            let equal = machine.equals(byte, 9);
            if !machine.branch(site, equal) {
                return Ok(());
            }
        }
        Ok(())
    });
    let folder = folder();
    let (_, suite) = case.explore(&folder.path().join("suite"));
    let lengths: Vec<usize> = suite.cases.iter().map(|case| case.input.len()).collect();
    assert_eq!(lengths, [3, 6, 6]);
    // Both sides of each decision; the bytes that none looks at are free.
    let bytes = |case: usize, offset: usize| suite.cases[case].input.streams[0].bytes[offset];
    assert_ne!(bytes(0, 2), 9);
    assert_eq!([bytes(1, 2), bytes(2, 2)], [9, 9]);
    assert_ne!(bytes(1, 5) == 9, bytes(2, 5) == 9);
}

#[test]
fn budgets_and_stops_end_a_session() {
    let folder = folder();
    let mut case = magic();
    case.budget = Budget {
        runs: Some(3),
        ..Budget::default()
    };
    let (end, suite) = case.explore(&folder.path().join("runs"));
    assert_eq!((end, summary(&suite).runs), (End::Runs, 3));
    case.budget = Budget {
        steps: Some(2),
        ..Budget::default()
    };
    let (end, suite) = case.explore(&folder.path().join("steps"));
    assert_eq!((end, summary(&suite).runs), (End::Steps, 2));
    case.stop.stop();
    let (end, suite) = case.explore(&folder.path().join("stopped"));
    assert_eq!((end, summary(&suite).runs), (End::Stopped, 0));
}

/// Where the checked build is slow and the time limited, looks at runs take a part of it; without a
/// limit nothing depends on the clock, and each test is looked at.
#[test]
fn slow_looks_leave_the_time_to_the_search() {
    let folder = folder();
    let looks = |name: &str, time: Option<Duration>| {
        let mut case = Case::new(&[2; 32], Input::stdin([0; 32]), |machine| {
            for site in 0..32 {
                let byte = machine.byte(site as usize);
                let equal = machine.equals(byte, 1);
                machine.branch(site, equal);
            }
            Ok(())
        });
        case.looks.0 = Duration::from_millis(50);
        case.budget = Budget {
            runs: Some(25),
            time,
            ..Budget::default()
        };
        let (end, _) = case.explore(&folder.path().join(name));
        assert_eq!(end, End::Runs);
        case.looks.1.get()
    };
    let limited = looks("limited", Some(Duration::from_secs(4)));
    assert!((1..=10).contains(&limited), "{limited} looks");
    assert_eq!(looks("free", None), 25);
}

#[test]
fn a_resumed_session_goes_on() {
    let folder = folder();
    let path = folder.path().join("suite");
    let mut case = magic();
    case.budget.steps = Some(3);
    let (end, before) = case.explore(&path);
    assert_eq!((end, before.cases.len()), (End::Steps, 3));
    case.budget.steps = Some(1000);
    let (end, after) = case.resume(&path);
    assert_eq!(end, End::Exhausted);
    assert_eq!(after.cases[..3], before.cases[..]);
    let summary = summary(&after);
    assert_eq!((summary.branches.covered, summary.runs), (8, 5));
    assert_eq!((after.cases.len(), after.failures.len()), (5, 1));
    let (_, again) = case.resume(&path);
    assert_eq!((again.cases.len(), again.failures.len()), (5, 1));
}

/// The contents of all files but those with times.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .strip_prefix(folder)
                .expect("below")
                .display()
                .to_string();
            if path.is_dir() {
                folders.push(path);
            } else if name != "summary.json" && name != "events.jsonl" {
                found.insert(name, std::fs::read(path).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn the_same_seed_gives_the_same_suite() {
    for (entry, ahead) in STRATEGIES.iter().zip([0, 1, 3].into_iter().cycle()) {
        let (one, two) = (folder(), folder());
        let case = Case {
            strategy: entry.name,
            ahead,
            ..magic()
        };
        case.explore(&one.path().join("suite"));
        case.explore(&two.path().join("suite"));
        let (one, two) = (
            files(&one.path().join("suite")),
            files(&two.path().join("suite")),
        );
        assert!(one.len() > 12, "{}", one.len());
        assert_eq!(one, two, "{}", entry.name);
    }
}

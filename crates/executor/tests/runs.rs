//! Runs of a small program with a fork server of its own.

#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use labrys_executor::{
    Error, Executor, Launch, Mode, Run, RunLimits, RunTime, WorkerPool, input_objects,
};
use labrys_program::{BlockId, BranchId, FunctionId, Program, SiteKind};
use labrys_suite::{Coverage, Input, InputStream, Invocation, ObjectKind, Outcome};
use labrys_trace::Trace;

/// Compiles the program to a file.
fn compile(option: &str, out: &Path) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_server.c");
    let mut compiler = Command::new("cc");
    let compiler = compiler.args(["-O1", "-w", option, source, "-o"]).arg(out);
    assert!(compiler.status().unwrap().success());
}

/// The program, compiled once by every process that runs tests.
fn binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let compile = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let unfinished = folder.join(format!("fake_server.{}", std::process::id()));
        compile("-g0", &unfinished);
        let path = folder.join("fake_server");
        std::fs::rename(unfinished, &path).unwrap();
        path
    };
    BINARY.get_or_init(compile).clone()
}

fn launch(input: &Input) -> Launch {
    Launch {
        binary: binary(),
        streams: input.shape(),
        branches: 2,
        ..Launch::default()
    }
}

fn limits() -> RunLimits {
    let timeout = Duration::from_millis(600);
    RunLimits {
        timeout,
        memory: 64 << 20,
        file: 1 << 20,
        ..RunLimits::default()
    }
}

fn start() -> Executor {
    Executor::start(launch(&Input::stdin("")), limits()).unwrap()
}

/// As where the system allows no namespaces: the program can reach its server.
fn start_in_reach() -> Executor {
    let launch = Launch {
        shares_namespaces: true,
        ..launch(&Input::stdin(""))
    };
    Executor::start(launch, limits()).unwrap()
}

fn run(executor: &mut Executor, input: &str) -> Run {
    executor.run(&Input::stdin(input), Mode::Symbolic).unwrap()
}

fn outcome(executor: &mut Executor, input: &str) -> Outcome {
    run(executor, input).outcome
}

/// Of the branches that are wanted, and only of those, a run tells how near it came.
#[test]
fn distances_are_told_where_they_are_wanted() {
    let mut executor = start();
    let near = |executor: &mut Executor, input: &str| run(executor, input).recording.near;
    assert_eq!(near(&mut executor, "n"), []);
    let mut wanted = Coverage::default();
    wanted.insert(BranchId(1));
    executor.want(&wanted);
    assert_eq!(near(&mut executor, "n"), [(1, 12)]);
    assert_eq!(near(&mut executor, "x"), [(1, 2)]);
    assert_eq!(near(&mut executor, "y"), []);
    executor.want(&Coverage::default());
    assert_eq!(near(&mut executor, "x"), []);
}

/// What takes the place of a program that improves is run from then on, and that is no loss of a
/// server. Of another program it is not.
#[test]
fn a_program_may_be_replaced_if_it_improves() {
    for improves in [true, false] {
        replaced(improves);
    }
}

fn replaced(improves: bool) {
    let folder = tempfile::tempdir().unwrap();
    let (program, other) = (folder.path().join("program"), folder.path().join("other"));
    compile("-g0", &program);
    compile("-DYES=9", &other);
    let time = RunTime::default();
    let launch = Launch {
        binary: program.clone(),
        improves: improves.then(|| time.clone()),
        ..launch(&Input::stdin(""))
    };
    let mut executor = Executor::start(launch, limits()).unwrap();
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    assert_eq!(time.total() > Duration::ZERO, improves);
    std::fs::rename(other, &program).unwrap();
    let after = Outcome::Exit(if improves { 9 } else { 7 });
    assert_eq!(outcome(&mut executor, "y"), after);
    std::fs::remove_file(program).unwrap();
    assert_eq!(outcome(&mut executor, "y"), after);
    assert_eq!(executor.restarts(), 0);
}

#[test]
fn a_run_is_recorded() {
    let mut executor = start();
    let mut program = Program::default();
    program.push_site(SiteKind::Branch, FunctionId(0), BlockId(0), None, false);
    for (input, direction, code) in [("y", 1, 7), ("n", 0, 0), ("yy", 1, 7)] {
        let run = run(&mut executor, input);
        assert_eq!(run.outcome, Outcome::Exit(code));
        assert_eq!(run.recording.coverage, [1 - direction, direction]);
        let trace = Trace::new(run.recording, &program).unwrap();
        assert_eq!(trace.steps().len(), 1);
        assert_eq!(trace.steps()[0].direction, u32::from(direction));
        executor.recycle(trace.into_recording());
    }
    let run = executor.run(&Input::stdin("y"), Mode::Coverage).unwrap();
    assert_eq!(
        (run.recording.nodes.len(), run.recording.events.len()),
        (1, 0)
    );
    assert_eq!(run.recording.coverage, [0, 1]);
    assert_eq!(executor.restarts(), 0);
}

#[test]
fn ends_are_told_apart() {
    let mut executor = start();
    assert_eq!(outcome(&mut executor, "a"), Outcome::Signal(6));
    assert_eq!(outcome(&mut executor, "s"), Outcome::Signal(11));
    assert_eq!(outcome(&mut executor, "A"), Outcome::AssumptionFailed);
    assert_eq!(
        outcome(&mut executor, "f"),
        Outcome::Failure("bad thing".into())
    );
    assert_eq!(outcome(&mut executor, "F"), Outcome::Signal(25));
    assert_eq!(outcome(&mut executor, "m"), Outcome::MemoryLimit);
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    assert_eq!(executor.restarts(), 0);
}

#[test]
fn a_run_that_hangs_is_killed() {
    let mut executor = start();
    if executor.is_isolated() {
        // What would stop or kill the server does nothing.
        assert_eq!(outcome(&mut executor, "S"), Outcome::Exit(0));
        assert_eq!(outcome(&mut executor, "K"), Outcome::Timeout);
        assert_eq!(executor.restarts(), 0);
    }
    let mut executor = start_in_reach();
    // The last stops the server, so that nobody tells of its end.
    for input in ["h", "l", "S"] {
        let started = Instant::now();
        assert_eq!(outcome(&mut executor, input), Outcome::Timeout);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    assert_eq!(executor.restarts(), 0);
}

/// Processes whose command line names this launch.
fn processes(mark: &str) -> usize {
    let is_ours = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line)
            .split('\0')
            .any(|word| word == mark)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(is_ours)
        .filter(|is| *is)
        .count()
}

#[test]
fn strays_are_killed() {
    let mark = format!("strays-of-{}", std::process::id());
    let invocation = Invocation::new([&mark]);
    let launch = Launch {
        invocation,
        ..launch(&Input::stdin(""))
    };
    let mut executor = Executor::start(launch, limits()).unwrap();
    assert_eq!(outcome(&mut executor, "g"), Outcome::Exit(0));
    assert_eq!(outcome(&mut executor, "G"), Outcome::Timeout);
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    assert_eq!(processes(&mark), 1, "the fork server");
    assert!(executor.restarts() > 0);
    outcome(&mut executor, "g");
    drop(executor);
    assert_eq!(processes(&mark), 0);
}

/// What the process that is killed below does.
#[test]
#[ignore = "run by another test"]
fn hang_until_killed() {
    let Ok(mark) = std::env::var("MARK_OF_HANGING") else {
        return;
    };
    let invocation = Invocation::new([mark]);
    let launch = Launch {
        invocation,
        ..launch(&Input::stdin(""))
    };
    let limits = RunLimits {
        timeout: Duration::from_secs(100),
        ..limits()
    };
    outcome(&mut Executor::start(launch, limits).unwrap(), "h");
}

#[test]
fn nothing_runs_on_when_the_explorer_is_killed() {
    let mark = format!("hanging-of-{}", std::process::id());
    let mut explorer = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "hang_until_killed"])
        .env("MARK_OF_HANGING", &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let wait = |count| {
        let deadline = Instant::now() + Duration::from_secs(20);
        while processes(&mark) != count {
            assert!(Instant::now() < deadline, "{} processes", processes(&mark));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait(2); // The server and the run.
    explorer.kill().unwrap();
    explorer.wait().unwrap();
    wait(0);
}

#[test]
fn executors_can_go_to_other_threads() {
    let executor = std::thread::spawn(start).join().unwrap();
    let mut executor = executor;
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
}

/// Each run is as an executor makes it, and they end in the order in which they were begun, though
/// some hang and some kill their server.
#[test]
fn a_crew_makes_the_runs_of_an_executor_in_their_order() {
    let mut wanted = Coverage::default();
    wanted.insert(BranchId(1));
    let mut executor = start();
    let mut pool = WorkerPool::new(&launch(&Input::stdin("")), &limits(), 3).unwrap();
    assert!(pool.end().is_none());
    let inputs = ["y", "h", "x", "K", "n", "a", "y", "x"];
    for input in inputs {
        pool.begin(&Input::stdin(input), Mode::Symbolic);
        // What is wanted later does not change what was begun before.
        pool.want(&wanted);
    }
    for (input, first) in inputs
        .into_iter()
        .zip(std::iter::once(true).chain([false; 7]))
    {
        let expected = run(&mut executor, input);
        let made = pool.end().expect("it was begun").unwrap();
        assert_eq!(made.outcome, expected.outcome, "{input}");
        assert_eq!(made.recording.events, expected.recording.events);
        assert_eq!(made.recording.near, expected.recording.near);
        if first {
            executor.want(&wanted);
        }
        pool.recycle(made.recording);
    }
    assert!(pool.end().is_none());
}

#[test]
fn a_crew_without_a_program_tells_so_with_each_run() {
    let mut launch = launch(&Input::stdin(""));
    launch.binary = "/nonexistent/program".into();
    let mut pool = WorkerPool::new(&launch, &limits(), 2).unwrap();
    (0..3).for_each(|_| pool.begin(&Input::stdin(""), Mode::Symbolic));
    for _ in 0..3 {
        let error = pool.end().expect("it was begun").unwrap_err();
        assert!(error.to_string().contains("/nonexistent/program"));
    }
}

#[test]
fn a_dead_server_is_replaced() {
    let mut executor = start_in_reach();
    assert_eq!(outcome(&mut executor, "k"), Outcome::Signal(15));
    assert_eq!(outcome(&mut executor, "K"), Outcome::Signal(9));
    assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    let once = "/dev/shm/labrys-test-once";
    let _ = std::fs::remove_file(once);
    assert_eq!(
        outcome(&mut executor, "1"),
        Outcome::Exit(1),
        "the second try"
    );
    let _ = std::fs::remove_file(once);
}

#[test]
fn runs_do_not_see_each_other() {
    let input = |bytes: &str| {
        Input::new(vec![
            InputStream::stdin(bytes),
            InputStream::file("input", bytes),
        ])
    };
    let mut executor = Executor::start(launch(&input("")), limits()).unwrap();
    for _ in 0..2 {
        let run = executor.run(&input("w"), Mode::Symbolic).unwrap();
        assert_eq!(run.outcome, Outcome::Exit(0));
    }
}

#[test]
fn a_run_that_takes_its_folder_away_harms_no_other() {
    let mut executor = start();
    for _ in 0..3 {
        assert_eq!(outcome(&mut executor, "W"), Outcome::Exit(0));
        assert_eq!(outcome(&mut executor, "y"), Outcome::Exit(7));
    }
}

fn captured(input: &Input, invocation: Invocation) -> Run {
    let launch = Launch {
        capture: true,
        invocation,
        ..launch(input)
    };
    let limits = RunLimits {
        output: 4000,
        ..limits()
    };
    let mut executor = Executor::start(launch, limits).unwrap();
    executor.run(input, Mode::Symbolic).unwrap();
    executor.run(input, Mode::Symbolic).unwrap()
}

#[test]
fn the_program_sees_its_invocation_and_nothing_else() {
    let input = Input::new(vec![
        InputStream::stdin("e"),
        InputStream::file("input", "abc"),
    ]);
    let mut invocation = Invocation::new(["-f", "@@"]);
    invocation.environment.insert("EXTRA".into(), "1 2".into());
    let text = String::from_utf8(captured(&input, invocation).stdout).unwrap();
    let expected = "argument -f\nargument input\nvariable EXTRA=1 2\nvariable HOME=/nonexistent\n\
        variable LC_ALL=C\nvariable PATH=/usr/local/bin:/usr/bin:/bin\nvariable TMPDIR=.\n\
        variable TZ=UTC\ndescriptor 0\ndescriptor 1\ndescriptor 2\nidentity 1\nsize 3\n";
    assert_eq!(text, expected);
}

#[test]
fn addresses_repeat() {
    let input = Input::stdin("p");
    let first = captured(&input, Invocation::default());
    assert_eq!(first.stdout, captured(&input, Invocation::default()).stdout);
}

#[test]
fn output_is_captured_up_to_its_limit() {
    let run = captured(&Input::stdin("o"), Invocation::default());
    assert_eq!((run.stdout.len(), &run.stderr[..]), (4000, &b"oops"[..]));
}

#[test]
fn input_streams_that_are_no_files_reach_the_program() {
    let input = Input::objects("i--y");
    let run = captured(&input, Invocation::default());
    let objects = input_objects(&run.recording);
    assert_eq!(objects.len(), 1);
    assert_eq!((&objects[0].name[..], objects[0].size), ("size", 4));
    assert_eq!(objects[0].kind, ObjectKind::Signed);
    assert_eq!(run.recording.objects_used, 4);

    let input = Input::new(vec![InputStream::argument(2, b"n", 12)]);
    assert_eq!(captured(&input, Invocation::default()).stdout, b"12");

    let mut executor = Executor::start(launch(&Input::objects("")), limits()).unwrap();
    let large = Input::objects(vec![b'n'; limits().input as usize]);
    assert!(matches!(
        executor.run(&large, Mode::Symbolic),
        Err(Error::Input { .. })
    ));
}

#[test]
fn nonsense_in_the_header_is_cut_to_size() {
    let limits = RunLimits {
        nodes: 1000,
        events: 1000,
        data: 4096,
        ..limits()
    };
    let mut executor = Executor::start(launch(&Input::stdin("")), limits).unwrap();
    let run = run(&mut executor, "c");
    assert!(run.recording.nodes.len() >= 1000 && run.recording.events.len() >= 1000);
    assert!(Trace::new(run.recording, &Program::default()).is_err());
}

fn failure(binary: &str, arguments: &[&str]) -> String {
    let invocation = Invocation::new(arguments.iter().copied());
    let launch = Launch {
        binary: binary.into(),
        invocation,
        branches: 2,
        ..Launch::default()
    };
    Executor::start(launch, limits()).unwrap_err().to_string()
}

#[test]
fn programs_that_cannot_run_are_explained() {
    let fake = binary();
    let fake = fake.to_str().unwrap();
    let text = failure("/nonexistent/program", &[]);
    assert!(
        text.contains("/nonexistent/program") && text.contains("labrys-cc"),
        "{text}"
    );
    let text = failure("/etc/passwd", &[]);
    assert!(text.contains("executable"), "{text}");
    let text = failure("/bin/true", &[]);
    assert!(
        text.contains("not built by labrys-cc") && text.contains("exit status: 0"),
        "{text}"
    );
    let text = failure(fake, &["--no-server"]);
    assert!(text.contains("something else"), "{text}");
    for reply in ["--old-server", "--foreign-server"] {
        let text = failure(fake, &[reply]);
        assert!(
            text.contains("another version of labrys-cc; build it again"),
            "{text}"
        );
    }
    let text = failure(fake, &["--failing-server"]);
    assert!(text.contains("memory"), "{text}");
}

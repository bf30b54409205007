//! A program whose build `labrys-cc` put off: the first command that needs the instrumented
//! executable builds it, later ones find it.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

use common::{folder, output, succeed, text};
use labrys_abi::OBJECT_SITE;
use labrys_cc::container::{Container, Executable};
use labrys_cc::worker::{News, Order, Pace, Worker};
use labrys_executor::{Executor, Launch, Mode, RunLimits};
use labrys_program::Program;
use labrys_suite::Input;
use labrys_trace::Trace;

const MAIN: &str = "#include <stdio.h>
int twice(int);
int main(void) { int c = getchar(); return c == 'x' ? 3 : twice(c) == 84 ? 4 : 0; }";
const TWICE: &str = "int twice(int n) { return n < 0 ? 1 : 2 * n; }";

/// Calls a tool in a folder.
fn call(folder: &Path, tool: &str, words: &str) -> Command {
    let mut command = Command::new(tool);
    command
        .current_dir(folder)
        .env("LABRYS_CACHE", folder.join("cache"));
    command.args(words.split(' '));
    command
}

fn cover(folder: &Path, words: &str) -> Output {
    let words = format!("cover --runs 40 --no-fuzz --reproducible --quiet {words}");
    output(&mut call(folder, env!("CARGO_BIN_EXE_labrys"), &words))
}

/// The program, linked from an object and an archive, which are removed then.
fn program(folder: &Path) {
    fs::write(folder.join("main.c"), MAIN).expect("written");
    fs::write(folder.join("twice.c"), TWICE).expect("written");
    let cc = |words| succeed(&mut call(folder, env!("CARGO_BIN_EXE_labrys-cc"), words));
    cc("-c main.c twice.c");
    succeed(&mut call(folder, "ar", "rc libtwice.a twice.o"));
    cc("main.o libtwice.a -o program");
    cc("--labrys-whole main.o libtwice.a -o whole");
    for file in ["main.o", "twice.o", "libtwice.a"] {
        fs::remove_file(folder.join(file)).expect("removed");
    }
}

/// The inputs of a suite, and what its summary says.
fn suite(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder.join("inputs")).expect("inputs");
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).unwrap_or_default())
    };
    let mut files: Vec<_> = entries
        .map(|entry| read(entry.expect("an entry")))
        .collect();
    files.sort();
    files
}

#[test]
fn executables_are_built_once_and_without_the_files_of_the_build() {
    let folder = folder();
    let folder = folder.path();
    program(folder);
    let first = cover(folder, "program --out first");
    assert!(first.status.success(), "{}", text(&first));
    let whole = cover(folder, "whole --out other");
    assert!(whole.status.success(), "{}", text(&whole));
    // The compiler made the models and the runtime, and the command found them.
    let objects = fs::read_dir(folder.join("cache/objects")).expect("a cache");
    assert_eq!(objects.count(), 2);
    assert!(suite(&folder.join("first")).len() >= 4);
    assert_eq!(suite(&folder.join("first")), suite(&folder.join("other")));

    let kept = || -> Vec<_> {
        let entries = fs::read_dir(folder.join("cache/executables")).expect("a cache");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    let [executable] = &kept()[..] else {
        panic!("{:?}", kept());
    };
    let built = fs::read(executable).expect("an executable");
    // Another compiler cannot be asked: nothing is built.
    let without = |words: &str| {
        let mut command = call(folder, env!("CARGO_BIN_EXE_labrys"), words);
        output(command.env("LABRYS_CLANG", "/nowhere/clang"))
    };
    let second = without("cover --runs 5 --quiet program --out second");
    assert!(second.status.success(), "{}", text(&second));
    let replayed = without("replay first --program program");
    assert!(replayed.status.success(), "{}", text(&replayed));

    // What is damaged is built again.
    let mut damaged = built.clone();
    damaged[built.len() / 2] ^= 1;
    fs::write(executable, &damaged).expect("written");
    assert!(
        !without("cover --runs 5 --quiet program --out third")
            .status
            .success()
    );
    let fourth = cover(folder, "program --out fourth");
    assert!(fourth.status.success(), "{}", text(&fourth));
    assert_eq!(fs::read(executable).expect("an executable"), built);
}

/// So many functions are not optimized in a moment.
const FUNCTIONS: usize = 50;

/// A program whose optimizing takes long.
fn long() -> String {
    let mut text = "#include <stdio.h>\n".to_owned();
    for number in 0..FUNCTIONS {
        let _ = write!(
            text,
            "int f{number}(int *a, int n) {{
              int s = {number};
              for (int i = 0; i < n; i++) {{
                if (a[i] == s + {number}) s += 3; else if (a[i] < s) s ^= a[i]; else s -= i;
                switch (s & 7) {{ case 1: a[i] += s; break; case 2: s *= 3; break; case 5: s = a[0]; }}
              }}
              return s;
            }}\n"
        );
    }
    let case = |n| format!("case {n}: return f{n}(a, 4) == 77;\n");
    let cases: String = (0..FUNCTIONS).map(case).collect();
    text += "int main(void) { int a[4]; for (int i = 0; i < 4; i++) a[i] = getchar();\n";
    text + "switch (getchar()) {\n" + &cases + "} return 2; }\n"
}

/// A program with a function that is compiled apart, which calls itself, one of any number of
/// arguments, and one whose structure is copied.
fn large() -> String {
    let condition = |n| format!("if (a[{}] == s + {n}) s ^= {n} + a[{}];\n", n % 4, n % 3);
    let conditions: String = (0..900).map(condition).collect();
    format!(
        "#include <stdarg.h>
        #include <stdio.h>
        #include <string.h>
        struct four {{ int a[4]; }};
        static int sum(int n, ...) {{
          int s = 0;
          va_list list;
          va_start(list, n);
          while (n--) s += va_arg(list, int);
          va_end(list);
          return s;
        }}
        static int of(struct four four) {{ return four.a[3] == 3 ? four.a[0] : four.a[1]; }}
        int big(int *a, int s) {{
          if (s == 7) return big(a, s + 1);
          {conditions}
          return s;
        }}
        int main(void) {{
          struct four four;
          for (int i = 0; i < 4; i++) four.a[i] = getchar();
          if (sum(2, four.a[0], four.a[1]) == 77) puts(\"sum\");
          if (of(four) == 5) puts(\"of\");
          switch (big(four.a, getchar())) {{ case 1: puts(\"one\"); break; case 90: puts(\"more\"); }}
          return 0;
        }}\n"
    )
}

/// What a worker tells next, but for what it is doing.
fn news(worker: &mut Worker) -> News {
    loop {
        match worker.next(Duration::from_secs(1)) {
            None | Some(News::Doing(_)) => {}
            Some(news) => return news,
        }
    }
}

/// A program that is linked from one source, before it is optimized (`early`) and after it
/// (`whole`).
fn early_and_whole(folder: &Path, source: &str) {
    fs::write(folder.join("long.c"), source).expect("written");
    let compiler = env!("CARGO_BIN_EXE_labrys-cc");
    succeed(&mut call(folder, compiler, "-O1 long.c -o long"));
    let order = Order::Whole {
        deferred: folder.join("long"),
        out: folder.join("whole"),
    };
    let command = call(folder, env!("CARGO_BIN_EXE_labrys"), "build-worker");
    let mut worker = Worker::start(command, &order, Pace::Early, folder).expect("a worker");
    assert_eq!(news(&mut worker), News::Usable);
    let early = fs::read(folder.join("whole")).expect("an executable");
    fs::copy(folder.join("whole"), folder.join("early")).expect("copied");
    // It waits to be asked.
    assert_eq!(worker.next(Duration::from_millis(300)), None);
    worker.go_on();
    assert_eq!(news(&mut worker), News::Done);
    assert_ne!(fs::read(folder.join("whole")).expect("another"), early);
}

/// The executable that is kept; whether it is optimized.
fn kept(folder: &Path) -> Option<bool> {
    let mut files = fs::read_dir(folder.join("cache/executables")).ok()?;
    let name = files.find_map(|file| file.ok()?.file_name().into_string().ok())?;
    (!name.contains('.')).then(|| !name.ends_with("-early"))
}

/// Looks at something again and again, for five minutes at most.
fn wait_for(mut is_there: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if is_there() {
            return;
        }
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_executable_is_optimized_when_its_runs_have_taken_long() {
    let folder = folder();
    let folder = folder.path();
    let busy = "for (volatile long i = 0; i < 300000000; i++);\nreturn 2;";
    fs::write(folder.join("long.c"), long().replace("return 2;", busy)).expect("written");
    let compiler = env!("CARGO_BIN_EXE_labrys-cc");
    succeed(&mut call(folder, compiler, "-O1 long.c -o long"));
    let words = "cover --time 300s --timeout-run 20s --no-fuzz --quiet long --out found";
    let temporary = folder.join("temporary");
    fs::create_dir(&temporary).expect("created");
    let mut search = call(folder, env!("CARGO_BIN_EXE_labrys"), words);
    let mut search = search.env("TMPDIR", &temporary).spawn().expect("started");
    let mut is_over = || search.try_wait().is_ok_and(|end| end.is_some());
    wait_for(|| kept(folder) == Some(true) || is_over());
    // The search has both executables of the kept one by then.
    let renewed = plain_of_kept(folder).is_some_and(|kept| kept == plain_of_search(&temporary));
    search.kill().expect("ended");
    search.wait().expect("ended");
    assert_eq!(kept(folder), Some(true));
    assert!(renewed);
}

/// The plain executable within the one that is kept.
fn plain_of_kept(folder: &Path) -> Option<Vec<u8>> {
    let mut files = fs::read_dir(folder.join("cache/executables")).ok()?;
    let kept = Container::open(&files.find_map(Result::ok)?.path()).ok()?;
    let plain = folder.join("plain");
    kept.write_plain(&plain).ok()?;
    fs::read(plain).ok()
}

/// The plain executable that a search runs, by its folder for temporary files.
fn plain_of_search(temporary: &Path) -> Vec<u8> {
    let folders = fs::read_dir(temporary).expect("a folder").flatten();
    let plain = folders.map(|folder| folder.path().join("plain/long"));
    let plain = plain.filter_map(|plain| fs::read(plain).ok());
    plain.last().unwrap_or_default()
}

#[test]
fn an_executable_works_before_it_is_optimized_and_finds_the_same() {
    let folder = folder();
    let folder = folder.path();
    for (source, text) in [("long", long()), ("large", large())] {
        early_and_whole(folder, &text);
        let [early, whole] = ["early", "whole"].map(|name| {
            let found = cover(folder, &format!("{name} --out {source}-{name}"));
            assert!(found.status.success(), "{}", self::text(&found));
            suite(&folder.join(format!("{source}-{name}")))
        });
        assert!(early.len() > 10);
        assert_eq!(early, whole, "{source}");
    }
}

#[test]
fn a_search_that_ends_before_the_executable_is_optimized_leaves_the_other_to_the_next() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("long.c"), long()).expect("written");
    let compiler = env!("CARGO_BIN_EXE_labrys-cc");
    succeed(&mut call(folder, compiler, "-O1 long.c -o long"));
    let words = "cover --time 300s --quiet long --out first";
    let mut first = call(folder, env!("CARGO_BIN_EXE_labrys"), words)
        .spawn()
        .expect("started");
    wait_for(|| kept(folder).is_some());
    first.kill().expect("ended");
    first.wait().expect("ended");
    // Nothing can be built without a compiler.
    let mut second = call(
        folder,
        env!("CARGO_BIN_EXE_labrys"),
        "cover --time 5s --quiet long --out second",
    );
    let second = output(second.env("LABRYS_CLANG", "/nowhere/clang"));
    assert!(second.status.success(), "{}", text(&second));
    assert!(!suite(&folder.join("second")).is_empty());
}

#[test]
fn a_harness_is_optimized_by_the_first_command_that_waits_for_it() {
    let folder = folder();
    let folder = folder.path();
    let read = "for (int i = 0; i < 4; i++) a[i] = getchar();\nswitch (getchar())";
    let symbolic = "int c; labrys_symbolic(a, sizeof a, \"a\"); \
                    labrys_symbolic(&c, sizeof c, \"c\");\nswitch (c)";
    let source = long().replace(read, symbolic);
    let source = format!("#include <labrys.h>\n{source}");
    fs::write(folder.join("long.c"), source).expect("written");
    let link = |words: &str| {
        let compiler = env!("CARGO_BIN_EXE_labrys-cc");
        succeed(&mut call(folder, compiler, words));
        let linked = Container::open(&folder.join("long")).expect("an executable");
        linked.is_optimized()
    };
    assert!(!link("-O1 long.c -o long"));
    // A search with a time begins with it: nothing is built.
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let words = "cover --time 3s --quiet long --out timed";
    let timed = output(call(folder, labrys, words).env("LABRYS_CLANG", "/nowhere/clang"));
    assert!(timed.status.success(), "{}", text(&timed));
    assert!(suite(&folder.join("timed")).len() > 10);
    let mut replay = call(folder, labrys, "replay timed");
    let replayed = output(replay.env("LABRYS_CLANG", "/nowhere/clang"));
    assert!(replayed.status.success(), "{}", text(&replayed));
    assert_eq!(kept(folder), None);

    let found = cover(folder, "long --out found");
    assert!(found.status.success(), "{}", text(&found));
    assert_eq!(kept(folder), Some(true));
    assert!(link("--labrys-whole -O1 long.c -o long"));
    let whole = cover(folder, "long --out whole");
    assert!(whole.status.success(), "{}", text(&whole));
    let (found, whole) = (suite(&folder.join("found")), suite(&folder.join("whole")));
    assert!(found.len() > 10);
    assert_eq!(found, whole);
}

/// Accesses at symbolic addresses of objects of each kind, behind code that takes long to optimize.
const OBJECTS: &str = "
#include <stdlib.h>
static int small[200], large[5000];
static int inner(int *outer, int c) {
  int own[300];
  for (int i = 0; i < 300; i++) own[i] = i * c;
  return own[c] + outer[c];
}
int objects(int c) {
  int outer[200] = {0}, *block = malloc(1000), *other = malloc(8000);
  block[c] = 3; other[c] = 4;
  int got = small[c] + large[c] + block[c] + other[c] + inner(outer, c);
  free(block); free(other);
  return got;
}
";

#[test]
fn decisions_have_the_same_sites_before_and_after_optimizing() {
    let folder = folder();
    let folder = folder.path();
    let source = OBJECTS.to_owned() + &long().replace("return 2;", "return objects(a[0]);");
    early_and_whole(folder, &source);
    let sites = |name: &str| -> Vec<(u32, u32)> {
        let input = Input::stdin(b"abcdz".as_slice());
        let launch = Launch {
            binary: folder.join(name),
            streams: input.shape(),
            branches: 10_000,
            ..Launch::default()
        };
        let mut executor = Executor::start(launch, RunLimits::default()).expect("an executor");
        let run = executor.run(&input, Mode::Symbolic).expect("a run");
        let trace = Trace::new(run.recording, &Program::default()).expect("a trace");
        let steps = trace.steps().iter().filter(|step| step.is_decision());
        steps.map(|step| (step.site, step.direction)).collect()
    };
    let (early, whole) = (sites("early"), sites("whole"));
    let of_objects: BTreeSet<u32> = early
        .iter()
        .map(|(site, _)| *site)
        .filter(|site| *site >= OBJECT_SITE)
        .collect();
    assert!(of_objects.len() >= 5, "{of_objects:?}");
    assert_eq!(early, whole);
}

/// One command for both compiles a source as two do.
#[test]
fn a_source_is_compiled_alike_with_and_without_an_object() {
    const TEXT: &str =
        "int main(void) {\n#ifdef __OPTIMIZE__\n  return 7;\n#else\n  return 8;\n#endif\n}";
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("p.c"), TEXT).expect("written");
    let status = |commands: &[&str]| {
        for words in commands {
            succeed(&mut call(folder, env!("CARGO_BIN_EXE_labrys-cc"), words));
        }
        output(&mut Command::new(folder.join("p"))).status.code()
    };
    let apart = status(&["-O2 -c p.c", "p.o -o p"]);
    assert_eq!(apart, Some(7));
    assert_eq!(status(&["-O2 p.c -o p"]), apart);
}

#[test]
fn native_code_of_the_build_goes_with_the_executable() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("main.c"), MAIN).expect("written");
    let assembler = |name: &str, text: &str| {
        let file = format!("{name}.s");
        let whole = format!("{text}\n.section .note.GNU-stack,\"\",@progbits\n");
        fs::write(folder.join(&file), whole).expect("written");
        let words = format!("-c {file}");
        succeed(&mut call(folder, env!("CARGO_BIN_EXE_labrys-cc"), &words));
    };
    // An object is linked whoever needs it, a member of an archive if somebody does.
    assembler("begins", ".data\n.globl begun\nbegun: .long 2");
    assembler(
        "twice",
        ".globl twice\ntwice: mov %edi, %eax\n imul begun(%rip), %eax\n ret",
    );
    assembler("other", ".globl other\nother: jmp nowhere");
    succeed(&mut call(folder, "ar", "rc libtwice.a twice.o other.o"));
    let words = "main.c begins.o libtwice.a -o program";
    succeed(&mut call(folder, env!("CARGO_BIN_EXE_labrys-cc"), words));
    for file in ["main.c", "begins.o", "twice.o", "other.o", "libtwice.a"] {
        fs::remove_file(folder.join(file)).expect("removed");
    }
    let executable = Executable::open(&folder.join("program")).expect("an executable");
    assert!(matches!(executable, Executable::Deferred(_)));
    let covered = cover(folder, "program --out found");
    assert!(covered.status.success(), "{}", text(&covered));
    // What the native function returns is concrete.
    let inputs = suite(&folder.join("found"));
    let has = |byte: u8| inputs.iter().any(|(_, bytes)| bytes.first() == Some(&byte));
    assert!(has(b'x'), "{inputs:?}");
    let replayed = output(&mut call(
        folder,
        env!("CARGO_BIN_EXE_labrys"),
        "replay found --program program",
    ));
    assert!(replayed.status.success(), "{}", text(&replayed));
}

#[test]
fn what_cannot_be_kept_is_built_and_said() {
    let folder = folder();
    let folder = folder.path();
    program(folder);
    fs::write(folder.join("cache/executables"), "a file").expect("written");
    let words = "cover --runs 5 program --out suite";
    let made = output(&mut call(folder, env!("CARGO_BIN_EXE_labrys"), words));
    assert!(made.status.success(), "{}", text(&made));
    assert!(
        text(&made).contains("LABRYS_CACHE names another folder"),
        "{}",
        text(&made)
    );
    // The model is in the plain executable.
    let sites = output(&mut call(
        folder,
        env!("CARGO_BIN_EXE_labrys"),
        "sites program",
    ));
    assert!(text(&sites).contains("main"), "{}", text(&sites));
}

#[test]
fn a_target_that_is_not_there_is_told_before_the_build() {
    let folder = folder();
    let folder = folder.path();
    program(folder);
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let words = "reach program --target nowhere --time 60s --out suite";
    let missing = output(&mut call(folder, labrys, words));
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
    assert!(text(&missing).contains("nowhere"), "{}", text(&missing));
    assert!(!folder.join("cache/executables").exists());

    let words = "reach program --target twice.c:1 --time 60s --quiet --out suite";
    let reached = output(&mut call(folder, labrys, words));
    assert!(reached.status.success(), "{}", text(&reached));
}

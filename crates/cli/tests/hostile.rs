//! Programs that misbehave, kills at any moment, and folders that cannot be written: nothing is
//! harmed, left over or lost.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{folder, labrys, labrys_cc, output, program, succeed, text};
use labrys_suite::{Confirmation, Suite, TargetStatus};

/// Builds a program once, for tests that start it often.
fn built(name: &str, folder: &Path) -> PathBuf {
    let out = folder.join(name).with_extension("");
    let flags = ["-w", "-pthread", "-o"];
    succeed(labrys_cc().arg(program(name)).args(flags).arg(&out));
    out
}

/// Processes that run this executable or have this word on their command line.
fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("processes");
    let lines = entries.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

/// Processes that are still there after a while: killing one is asked for, and takes its time.
fn left_over(word: &str) -> Vec<String> {
    let start = Instant::now();
    while !processes(word).is_empty() && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(50));
    }
    processes(word)
}

fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn no_habit_does_harm() {
    let folder = folder();
    let binary = built("hostile.c", folder.path());
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("a folder");
    // By this word its processes are known, whatever they became.
    let word = format!("hostile-word-{}", std::process::id());
    let output = labrys()
        .current_dir(&work)
        .args([
            "cover",
            "--quiet",
            "--steps",
            "120",
            "--timeout-run",
            "300ms",
        ])
        .args(["--until-targets", "--out", "suite"])
        .arg(&binary)
        .args(["--", &word])
        .output()
        .expect("the command runs");
    let status = output.status.code();
    assert_eq!(status, Some(1), "{output:?}");
    let suite = Suite::open(&work.join("suite")).expect("a valid suite");
    let summary = suite.summary.expect("a summary");
    let targets = summary.targets;
    let open: Vec<_> = targets
        .iter()
        .filter(|target| target.status != TargetStatus::Reached)
        .map(|target| target.location.as_str())
        .collect();
    // What a spoiled heap does differs from build to build, so its test may diverge.
    assert!(open.is_empty() || open == ["heap"], "not reached: {open:?}");
    assert_eq!(targets.len(), 21);
    let kinds: BTreeSet<&str> = summary
        .failures
        .iter()
        .filter(|failure| failure.confirmed)
        .map(|failure| failure.kind.as_str())
        .collect();
    for kind in ["heap-buffer-overflow", "stack-buffer-overflow"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    assert_eq!(entries(&work), ["suite".to_owned()].into());
    assert_eq!(left_over(&word), [""; 0]);
}

/// Starts a search and kills it after a while; whether it was still running.
fn killed_after(command: &mut Command, time: Duration) -> bool {
    let mut child = command
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(time);
    let running = child.try_wait().expect("a child").is_none();
    let _ = child.kill();
    child.wait().expect("it ends");
    running
}

#[test]
fn kills_at_any_moment_lose_nothing() {
    let folder = folder();
    let binary = built("endless.c", folder.path());
    let out = folder.path().join("suite");
    let mut before: Vec<(u32, Vec<u8>)> = Vec::new();
    // Moments that a fixed generator scatters over the start and the first seconds.
    let mut state = 12345u64;
    for _ in 0..10 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let moment = Duration::from_millis(20 + (state >> 33) % 700);
        let mut command = labrys();
        command
            .args(["cover", "--quiet", "--out"])
            .arg(&out)
            .arg(&binary);
        if out.join("config.json").exists() {
            command.arg("--resume");
        }
        assert!(killed_after(&mut command, moment), "it ended by itself");
        if !out.join("config.json").exists() {
            continue;
        }
        let suite = Suite::open(&out).expect("a valid suite");
        let cases: Vec<(u32, Vec<u8>)> = suite
            .cases
            .iter()
            .map(|case| (case.id, case.input.streams[0].bytes.clone()))
            .collect();
        assert_eq!(cases[..before.len()], before[..], "tests are lost");
        before = cases;
    }
    assert!(before.len() > 2, "the search got nowhere");
    let status = labrys()
        .args(["cover", "--quiet", "--resume", "--steps", "20", "--out"])
        .arg(&out)
        .arg(&binary)
        .status();
    assert_eq!(status.expect("the command runs").code(), Some(0));
    let suite = Suite::open(&out).expect("a valid suite");
    let diverged = suite
        .cases
        .iter()
        .filter(|case| case.confirmed != Confirmation::Confirmed);
    assert_eq!(diverged.count(), 0);
    let name = out.display().to_string();
    assert_eq!(left_over(&name), [""; 0]);
}

#[test]
fn the_time_is_kept() {
    let folder = folder();
    let binary = built("endless.c", folder.path());
    let start = Instant::now();
    let status = labrys()
        .args(["cover", "--quiet", "--time", "3s", "--out"])
        .arg(folder.path().join("suite"))
        .arg(binary)
        .status();
    assert_eq!(status.expect("the command runs").code(), Some(0));
    let seconds = start.elapsed().as_secs_f64();
    assert!((3.0..6.0).contains(&seconds), "{seconds} s");
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    let folder = folder();
    let binary = built("endless.c", folder.path());
    for (out, reason) in [
        ("/proc/suite", "cannot create"),
        ("/dev/null/suite", "cannot create"),
    ] {
        let words = ["cover", "--quiet", "--steps", "5", "--out", out];
        let refused = output(labrys().args(words).arg(&binary));
        let words = text(&refused);
        assert_eq!(refused.status.code(), Some(2), "{words}");
        assert!(words.contains(out) && words.contains(reason), "{words}");
    }
}

/// Runs a script of sh with a disk of its own on `folder`: `$1` is the command, `$2` the
/// program. `None` where the system lets nobody make disks.
fn on_own_disk(folder: &Path, options: &str, script: &str, binary: &Path) -> Option<String> {
    let mount = format!("mount -t tmpfs -o {options} none '{}'", folder.display());
    let sandbox = |script: String| {
        let output = Command::new("unshare")
            .args([
                "-rm",
                "sh",
                "-c",
                &script,
                "sh",
                env!("CARGO_BIN_EXE_labrys"),
            ])
            .arg(binary)
            .current_dir(folder.parent().expect("a folder"))
            .output()
            .expect("there is unshare");
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    if !sandbox(mount.clone()).0 {
        eprintln!("not tested: this system allows no disks of one's own");
        return None;
    }
    Some(
        sandbox(format!(
            "{mount} && cd '{}' && {{ {script}; }}",
            folder.display()
        ))
        .1,
    )
}

#[test]
fn a_full_disk_is_named_and_loses_nothing() {
    let folder = folder();
    let binary = built("tokens.c", folder.path());
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let script = "head -c 150000 /dev/zero > filler
        \"$1\" cover --quiet --steps 500 --out suite \"$2\"; echo status $?
        rm filler
        \"$1\" replay suite > /dev/null; echo status $?
        \"$1\" cover --quiet --steps 500 --resume --out suite \"$2\"; echo status $?
        ls suite/cases | wc -l";
    let Some(text) = on_own_disk(&disk, "size=256k", script, &binary) else {
        return;
    };
    assert!(
        text.contains("no space left") && text.contains("--resume"),
        "{text}"
    );
    let numbers: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("labrys"))
        .collect();
    assert_eq!(numbers[..3], ["status 5", "status 0", "status 0"], "{text}");
    assert!(
        numbers[3].parse::<u32>().is_ok_and(|tests| tests > 5),
        "{text}"
    );
}

#[test]
fn a_disk_that_is_full_before_a_unit_is_kept_is_named() {
    let folder = folder();
    let source = folder.path().join("unit.c");
    let text = "int sign(int n) { return n < 0 ? -1 : n > 0; }\n";
    fs::write(&source, text).expect("written");
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let script = "\"$1\" cover --quiet --steps 50 --entry sign --out suite \"$2\"; echo status $?";
    let Some(text) = on_own_disk(&disk, "size=64k", script, &source) else {
        return;
    };
    assert!(
        text.contains("cannot write suite/unit") && text.contains("free some space there"),
        "{text}"
    );
    assert!(text.contains("status 5"), "{text}");
}

/// LLVM calls a full disk a bug of its own.
#[test]
fn a_disk_that_is_full_in_a_build_is_named() {
    let folder = folder();
    let binary = built("tokens.c", folder.path());
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let script = "echo 'int main(void) { return 0; }' > a.c
        TMPDIR=$PWD \"$1\" cover --quiet --steps 5 --out suite a.c; echo status $?";
    // Which part of the build meets the end of the disk depends on its size.
    for size in [
        "size=4k",
        "size=100k",
        "size=300k",
        "size=700k",
        "size=1000k",
    ] {
        let Some(text) = on_own_disk(&disk, size, script, &binary) else {
            return;
        };
        assert!(
            text.contains("no space left") && text.contains("TMPDIR"),
            "{size}: {text}"
        );
        assert!(
            text.contains("status 5") && !text.contains("bug"),
            "{size}: {text}"
        );
    }
}

/// An overlay over the folder for temporary files does not hide what is mounted below it.
#[test]
fn a_disk_for_temporary_files_may_be_below_others() {
    let folder = folder();
    let binary = built("tokens.c", folder.path());
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let script = "cp \"$2\" program
        TMPDIR=$PWD \"$1\" cover --quiet --steps 5 --out suite program; echo status $?";
    let Some(text) = on_own_disk(&disk, "size=200m", script, &binary) else {
        return;
    };
    assert!(text.contains("status 0"), "{text}");
}

#[test]
fn a_disk_that_is_read_only_is_named() {
    let folder = folder();
    let binary = built("tokens.c", folder.path());
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let script = "\"$1\" cover --quiet --steps 5 --out suite \"$2\"; echo status $?";
    let Some(text) = on_own_disk(&disk, "ro", script, &binary) else {
        return;
    };
    assert!(
        text.contains("read-only") && text.contains("--out"),
        "{text}"
    );
    assert!(text.contains("status 2"), "{text}");
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let folder = folder();
    let binary = built("hangs.c", folder.path());
    let out = folder.path().join("suite");
    let mut child = labrys()
        .args(["cover", "--quiet", "--timeout-run", "60s", "--out"])
        .arg(&out)
        .arg(&binary)
        .spawn()
        .expect("the command runs");
    let start = Instant::now();
    let name = binary.display().to_string();
    let interrupt = |child: &std::process::Child| {
        let id = child.id().to_string();
        let status = Command::new("kill").args(["-INT", &id]).status();
        assert!(status.expect("there is kill").success());
    };
    while !out.join("cases/000001.json").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no test after a minute"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    // The second input hangs.
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    if child.try_wait().expect("a child").is_none() {
        interrupt(&child);
    }
    let status = child.wait().expect("it ends");
    assert!(
        start.elapsed() < Duration::from_secs(40),
        "it waited for the program"
    );
    assert!([Some(0), Some(130)].contains(&status.code()), "{status}");
    assert_eq!(Suite::open(&out).expect("a valid suite").cases.len(), 1);
    assert_eq!(left_over(&name), [""; 0]);
}

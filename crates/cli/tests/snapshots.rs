//! Runs that begin at a snapshot of the program: they record what they would record from its start.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{folder, labrys, labrys_cc, output, succeed};
use labrys_suite::{Outcome, Suite};

/// Work that is the same in every run, and long enough for a snapshot.
const BEGINNING: &str = "
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned table[1 << 12], *copies[64];
static void begin(void) {
  unsigned v = 1;
  for (int i = 0; i < 4000000; i++) {
    v = v * 1103515245 + 12345;
    if (v % 3 == 1) table[v >> 20] += v;
  }
  for (int i = 0; i < 64; i++) {
    copies[i] = malloc(sizeof table);
    memcpy(copies[i], table, sizeof table);
  }
}
";

/// What a program may do beside the work, before it looks at its input and after; the first byte
/// chooses.
const DEEDS: &str = "
static int config;
static char first[16], rest[16], same[16];
static volatile sig_atomic_t caught;
static void handle(int s) { caught += s; }
static void *start(void *x) { return x; }
int main(void) {
  begin();
  pthread_mutexattr_t own;
  pthread_mutex_t lock;
  pthread_mutexattr_init(&own);
  pthread_mutexattr_settype(&own, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &own);
  pthread_mutex_lock(&lock);
  config = open(\"/usr/include/stdio.h\", O_RDONLY);
  if (config < 0 || read(config, first, sizeof first) != sizeof first) return 9;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  signal(SIGUSR2, handle);
  errno = 0;
  int c = getchar();
  if (errno) return 8;
  // The thread that took the lock is this one.
  if (pthread_mutex_unlock(&lock)) return 9;
  // The position is each run's own.
  read(config, rest, sizeof rest);
  pread(config, same, sizeof same, sizeof first);
  if (memcmp(rest, same, sizeof same)) return 7;
  if (signal(SIGSYS, SIG_DFL) != SIG_DFL) return 6;
  stack_t stack;
  sigaltstack(0, &stack);
  if (!(stack.ss_flags & SS_DISABLE)) return 5;
  if (c == 'a') abort();
  if (c == 'f') {
    int status;
    if (fork() == 0) _exit(3);
    wait(&status);
    return WEXITSTATUS(status);
  }
  if (c == 'k') { kill(getppid(), SIGKILL); usleep(1000); return 11; }
  if (c == 'l') for (;;) table[c]++;
  if (c == 'm') { raise(SIGUSR1); sigpending(&set); return sigismember(&set, SIGUSR1) ? 12 : 4; }
  if (c == 'o') { if (fork() == 0) { setsid(); sleep(1); _exit(0); } return 13; }
  if (c == 's') { raise(SIGUSR2); return caught == SIGUSR2 ? 14 : 4; }
  if (c == 't') {
    pthread_t thread;
    void *got = 0;
    pthread_create(&thread, 0, start, &c);
    pthread_join(thread, &got);
    return got == &c ? 15 : 4;
  }
  if (c == 'z') return table[c] / (c - 'z');
  return copies[c & 63][c & 4095] == 1;
}
";

/// Each bit is another branch, which only chance takes.
const CHANCE: &str = "
#define BIT(n) if (bits >> n & 1) table[n]++;
int main(void) {
  unsigned bits = 0;
  begin();
  syscall(SYS_getrandom, &bits, sizeof bits, GRND_NONBLOCK);
  BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11)
  BIT(12) BIT(13) BIT(14) BIT(15) BIT(16) BIT(17) BIT(18) BIT(19) BIT(20) BIT(21) BIT(22)
  return getchar() == table[1];
}
";

fn build(folder: &Path, text: &str) {
    fs::write(folder.join("p.c"), format!("{BEGINNING}{text}")).expect("a file");
    let mut command = labrys_cc();
    command.args(["-w", "-O1"]).arg(folder.join("p.c"));
    succeed(command.arg("-o").arg(folder.join("program")));
}

/// A suite of the program in a folder; `snapshots`: the value of the variable that allows them.
fn cover(folder: &Path, name: &str, snapshots: &str) -> Suite {
    let words = [
        "cover",
        "--quiet",
        "--no-fuzz",
        "--reproducible",
        "--runs",
        "60",
        "--timeout-run",
        "500ms",
    ];
    let out = folder.join(name);
    let mut command = labrys();
    command
        .env("LABRYS_SNAPSHOTS", snapshots)
        .args(words)
        .arg("--out")
        .arg(&out);
    let output = output(command.arg(folder.join("program")));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    Suite::open(&out).expect("a suite")
}

#[test]
fn suites_are_those_of_runs_from_the_start() {
    let folder = folder();
    build(folder.path(), DEEDS);
    let with = cover(folder.path(), "with", "1");
    cover(folder.path(), "without", "0");
    let has = |outcome: &Outcome| with.cases.iter().any(|case| case.outcome == *outcome);
    for status in [0, 3, 11, 12, 13, 14, 15] {
        assert!(has(&Outcome::Exit(status)), "{status}: {:?}", with.cases);
    }
    for status in 4..=9 {
        assert!(!has(&Outcome::Exit(status)), "{status}");
    }
    let mut compare = Command::new("diff");
    compare
        .arg("-r")
        .args(["with", "without"].map(|name| folder.path().join(name)));
    let compared = output(&mut compare);
    assert!(
        compared.status.success(),
        "{}",
        String::from_utf8_lossy(&compared.stdout)
    );
}

/// Whether the kernel can dispatch system calls to a handler.
fn has_snapshots() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(5), Some(11))
}

/// What only chance decides, by a call that nothing stands in for, is decided once: else no run shows
/// what another does, and none counts.
#[test]
fn the_beginning_is_run_once() {
    let folder = folder();
    build(folder.path(), CHANCE);
    let covered = |name: &str, snapshots: &str| {
        let suite = cover(folder.path(), name, snapshots);
        suite.summary.expect("a summary").branches.covered
    };
    let (with, without) = (covered("with", "1"), covered("without", "0"));
    if !has_snapshots() {
        return;
    }
    assert!(
        with > without,
        "{with} branches, and {without} from the start"
    );
}

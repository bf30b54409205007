//! Shell scripts with which the tests of a suite run without Labrys.
//!
//! Law: a script puts every stream of an input where the executor puts it, in the same
//! environment and in an empty working directory. Tests of functions are programs in C, which the
//! script compiles and starts.

use core::fmt::Write;

use crate::export::c_path;
use crate::layout::{CALL, Layout};
use crate::{Config, StreamKind};

/// `replay.sh`: runs all tests.
pub(crate) fn suite_script(config: &Config) -> String {
    if config.unit.is_some() {
        let purpose = "Compiles and runs the tests of this suite.";
        return of_functions(purpose)
            + "for test in \"$folder\"/tests/test_*.c; do\n  run \"$@\"\ndone\nexit $failed\n";
    }
    let mut text = opening(
        config,
        "Runs every test of this suite and prints its exit status. What the program prints goes to\n\
         # TEST.stdout and TEST.stderr in the folder OUTPUT, if that variable is set.",
    );
    text.push_str(
        r#"output=${OUTPUT:-$scratch}
mkdir -p "$output" || exit 2
for test in "$folder"/inputs/*; do
  case $test in *.c) continue ;; esac
  run "$@" > "$output/${test##*/}.stdout" 2> "$output/${test##*/}.stderr"
  echo "${test##*/}: $?"
done
"#,
    );
    text
}

/// `reproduce.sh` of a failure.
pub(crate) fn failure_script(config: &Config) -> String {
    let mut purpose = "Shows this failure. Errors of memory show in a build with -fsanitize=address, \
                       indexes, shifts and the like in one with -fsanitize=undefined, uninitialized \
                       reads in one with -fsanitize=memory."
        .to_owned();
    if config.unit.is_some() {
        return of_functions(&purpose) + &failing_call();
    }
    let is_word = |kind: &StreamKind| {
        matches!(
            kind,
            StreamKind::Argument { .. } | StreamKind::Environment { .. }
        )
    };
    if config.streams.iter().any(is_word) {
        purpose.push_str(
            " Reads beside an argument or an environment variable show by labrys replay --failure \
             only: there each has a block of its own.",
        );
    }
    let mut text = opening(config, &purpose);
    text.push_str("test=$folder/input\nrun \"$@\"\n");
    text
}

/// What the script of a failure of a function ends with.
fn failing_call() -> String {
    format!(
        r#"test=$folder/{CALL}
[ -f "$test" ] || {{ echo "this call cannot be written in C: labrys replay shows it" >&2; exit 2; }}
run "$@"
exit $failed
"#
    )
}

/// Everything up to and with the function `run`, which compiles and runs the program in C at `$test`.
fn of_functions(purpose: &str) -> String {
    format!("#!/bin/sh\n# {purpose}\n")
        + r#"# Usage: SCRIPT [OPTION|SOURCE|OBJECT]..., what the compiler needs beside the source that is tested:
# folders of headers, macros, other sources. CC is the compiler, CC="cc -g -fsanitize=address" one that
# checks memory.
folder=$(cd "$(dirname "$0")" && pwd) || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0

run() {
  ${CC:-cc} -w -o "$scratch/program" "$test" "$@" || exit 2
  "$scratch/program" || failed=$?
}

"#
}

/// Everything up to and with the function `run`, which runs the test at `$test`.
fn opening(config: &Config, purpose: &str) -> String {
    let mut text = format!("#!/bin/sh\n# {purpose}\n");
    if config.streams.contains(&StreamKind::Objects) {
        text.push_str(
            r#"# Usage: SCRIPT SOURCE-OR-OBJECT..., the files of the program; CC is the compiler.
[ $# -gt 0 ] || { echo "usage: $0 SOURCE-OR-OBJECT..." >&2; exit 2; }
"#,
        );
    } else {
        let _ = write!(
            text,
            r#"# Usage: SCRIPT [PROGRAM], the executable of any compiler.
program=${{1:-{}}}
case $program in /*) ;; *) program=$PWD/$program ;; esac
[ -x "$program" ] || {{ echo "$program cannot be run; give the executable: $0 PROGRAM" >&2; exit 2; }}
"#,
            quote(&config.program)
        );
    }
    text.push_str(
        r#"folder=$(cd "$(dirname "$0")" && pwd) || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
exec 3>&2

"#,
    );
    text.push_str(&run_function(config));
    text.push('\n');
    text
}

fn run_function(config: &Config) -> String {
    let layout = Layout::of(&config.streams);
    let path = |kind: &StreamKind| match layout {
        Layout::File => "\"$test\"".to_owned(),
        Layout::Folder => format!("\"$test\"/{}", quote(&kind.to_string())),
    };
    let mut text = String::from(
        "run() {\n  work=$scratch/work\n  rm -rf \"$work\"\n  mkdir \"$work\" || return 2\n",
    );
    let mut call = Call::of(config);
    for (number, kind) in config.streams.iter().enumerate() {
        let path = path(kind);
        match kind {
            StreamKind::Objects => {
                let source = c_path(layout, "");
                let _ = writeln!(
                    text,
                    "  program=$scratch/program\n  \
                     ${{CC:-cc}} -w -o \"$program\" \"$@\" \"$test\"{source} 2>&3 || return 2"
                );
            }
            StreamKind::Stdin => call.stdin = path,
            StreamKind::File { name } => {
                if let Some((folder, _)) = name.rsplit_once('/') {
                    let _ = writeln!(text, "  mkdir -p \"$work\"/{}", quote(folder));
                }
                let _ = writeln!(text, "  cp {path} \"$work\"/{}", quote(name));
            }
            StreamKind::Argument { .. } | StreamKind::Environment { .. } => {
                // A command substitution drops line ends at the end; the x keeps them.
                let _ = writeln!(
                    text,
                    "  s{number}=$(cat {path}; echo x)\n  s{number}=${{s{number}%x}}"
                );
                call.place(number, kind);
            }
        }
    }
    let _ = writeln!(text, "  {call} 3>&-\n}}");
    text
}

/// The command that starts the program.
struct Call {
    environment: Vec<String>,
    arguments: Vec<String>,
    stdin: String,
}

impl Call {
    fn of(config: &Config) -> Self {
        let variables = config.invocation.resolved_environment();
        let arguments = config.invocation.resolved_arguments(&config.streams);
        Self {
            environment: variables
                .iter()
                .map(|(name, value)| quote(&format!("{name}={value}")))
                .collect(),
            arguments: arguments.iter().map(|argument| quote(argument)).collect(),
            stdin: "/dev/null".to_owned(),
        }
    }

    /// Puts the string in shell variable `sNUMBER` in its place.
    fn place(&mut self, number: usize, kind: &StreamKind) {
        let word = format!("\"$s{number}\"");
        match kind {
            StreamKind::Argument { index } => {
                let position = (*index as usize).wrapping_sub(1);
                if let Some(argument) = self.arguments.get_mut(position) {
                    *argument = word;
                }
            }
            _ => self.environment.push(word),
        }
    }
}

impl core::fmt::Display for Call {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let words = [
            self.environment.join(" "),
            "\"$program\"".to_owned(),
            self.arguments.join(" "),
        ];
        let words = words.join(" ");
        write!(
            f,
            "(cd \"$work\" && exec env -i {} < {})",
            words.trim(),
            self.stdin
        )
    }
}

/// A shell word that stands for this text.
pub(crate) fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

//! `cargo xtask bench build`: how long `labrys-cc` takes beside `clang -O2`, on generated programs
//! of one large function, and on packages.
//!
//! Times are user time of the compiler and all that it starts; of packages that of make, without
//! configuring, and that of the first command on the executable until its search begins: it builds
//! what make put off. What optimizing adds to that, if the runs take long enough, stands apart.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) const USAGE: &str = "usage: cargo xtask bench build [LINES...]: user seconds of \
     labrys-cc beside those of clang -O2, on programs of one large function\n       \
     cargo xtask bench build packages [NAME...]: the same on packages of Debian, all of make";

/// Lines of the generated programs where none are given.
const LINES: [usize; 4] = [1000, 2000, 4000, 8000];

/// Packages where none are named: those of `scripts/subject` that have a build of their own.
const PACKAGES: [&str; 13] = [
    "bc", "bzip2", "cflow", "dash", "expat", "gperf", "grep", "gzip", "jq", "lua", "lz4", "sed",
    "tree",
];

/// A kind of program whose decisions are all in one function.
struct Kind {
    name: &'static str,
    text: fn(usize) -> String,
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "Petri net",
        text: petri_net,
    },
    Kind {
        name: "reactive system",
        text: reactive_system,
    },
];

/// Prints a table.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["packages"] => packages(root, &PACKAGES),
        ["packages", names @ ..] => packages(root, names),
        _ => generated(root, arguments),
    }
}

/// Builds packages with both compilers, one after the other, so that both see the same load.
fn packages(root: &Path, names: &[&str]) -> Result<(), String> {
    println!("| package | clang -O2, s | labrys-cc, s | first command, s | ratio | optimized, s |");
    println!("|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    compile_what_is_kept(root)?;
    for name in names {
        match package(root, name) {
            Ok([theirs, ours, first, optimized]) => {
                let ratio = (ours + first) / theirs;
                ratios.push(ratio);
                println!(
                    "| {name} | {theirs:.2} | {ours:.2} | {first:.2} | {ratio:.1} | {optimized:.2} |"
                );
            }
            // The others are worth their table.
            Err(message) => eprintln!("bench build: {name}: {message}"),
        }
    }
    ratios.sort_by(f64::total_cmp);
    match ratios.last() {
        Some(worst) => println!("\nmedian {:.1}, worst {worst:.1}", ratios[ratios.len() / 2]),
        None => return Err("no package was built".to_owned()),
    }
    Ok(())
}

/// User seconds of make with clang, of make with `labrys-cc`, of what make put off until a search
/// can begin, and until it is optimized.
fn package(root: &Path, name: &str) -> Result<[f64; 4], String> {
    let (theirs, _) = seconds_of_make(root, &["--time", "--plain", name])?;
    let (ours, executable) = seconds_of_make(root, &["--time", name])?;
    let out = root.join("bench-out/build/executable");
    let rest = |words: &[&str]| seconds_of_rest(root, words, &executable, &out);
    Ok([theirs, ours, rest(&["early"])?, rest(&[])?])
}

/// Builds a program, by make's way and at once, so that what is compiled once for all is there.
fn compile_what_is_kept(root: &Path) -> Result<(), String> {
    let folder = root.join("bench-out/build");
    let source = folder.join("empty.c");
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&source, "int main(void) { return 0; }\n"));
    written.map_err(|error| format!("{}: {error}", source.display()))?;
    let compiler = root.join("target/release/labrys-cc");
    let (put_off, out) = (folder.join("empty"), folder.join("executable"));
    user_seconds(&mut Command::new(&compiler), &source, &put_off)?;
    seconds_of_rest(root, &[], &put_off, &out)?;
    user_seconds(Command::new(&compiler).arg("--labrys-whole"), &source, &out).map(drop)
}

/// User seconds of the build of an executable that was put off: words in front say how far it goes.
/// Nobody asks for an optimized one, since standard input is empty.
fn seconds_of_rest(root: &Path, words: &[&str], put_off: &Path, out: &Path) -> Result<f64, String> {
    let mut labrys = Command::new(root.join("target/release/labrys"));
    labrys.arg("build-worker").args(words);
    timed(labrys.arg("whole").arg(put_off).arg(out))
}

/// User seconds of make, as the script that builds a package says, and the executable.
fn seconds_of_make(root: &Path, words: &[&str]) -> Result<(f64, PathBuf), String> {
    let mut script = Command::new(root.join("scripts/subject"));
    let script = script.args(words).stderr(Stdio::inherit());
    let output = script.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let seconds = lines.next().and_then(|line| line.trim().parse().ok());
    match (seconds, lines.next()) {
        (Some(seconds), Some(path)) if output.status.success() => Ok((seconds, path.into())),
        _ => Err("does not build".to_owned()),
    }
}

fn generated(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let lines: Result<Vec<usize>, _> = arguments.iter().map(|word| word.parse()).collect();
    let mut lines = lines.map_err(|_| USAGE.to_owned())?;
    if lines.is_empty() {
        lines.extend(LINES);
    }
    let folder = root.join("bench-out/build");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let compiler = root.join("target/release/labrys-cc");
    compile_what_is_kept(root)?;
    println!("| program | lines | clang -O2, s | labrys-cc, s | ratio | s per 1,000 lines |");
    println!("|---|---|---|---|---|---|");
    for kind in &KINDS {
        for count in &lines {
            let source = folder.join(format!("{}-{count}.c", kind.name.replace(' ', "-")));
            let text = (kind.text)(*count);
            std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
            let include = root.join("crates/models/include");
            let (include, to) = (include.as_os_str(), folder.join("program"));
            let mut clang = Command::new("clang-19");
            clang.arg("-I").arg(include).arg("-c");
            let theirs = user_seconds(&mut clang, &source, &to)?;
            let ours = user_seconds(&mut Command::new(&compiler), &source, &to)?;
            println!(
                "| {} | {count} | {theirs:.2} | {ours:.2} | {:.1} | {:.2} |",
                kind.name,
                ours / theirs,
                ours * 1000.0 / *count as f64
            );
        }
    }
    Ok(())
}

/// User time that a compiler takes, and all that it starts.
fn user_seconds(compiler: &mut Command, source: &PathBuf, to: &Path) -> Result<f64, String> {
    compiler.arg("-O2").arg(source).arg("-o").arg(to);
    timed(compiler)
}

/// User time that a command takes, and all that it starts.
fn timed(command: &Command) -> Result<f64, String> {
    let mut timed = Command::new("bash");
    timed.args(["-c", "TIMEFORMAT=%U; time \"$@\" > /dev/null 2> /dev/null"]);
    timed.arg("bash").arg(command.get_program());
    timed.args(command.get_args()).stdin(Stdio::null());
    let output = timed.output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    match text.trim().parse() {
        Ok(seconds) if output.status.success() => Ok(seconds),
        _ => Err(format!("{command:?} fails")),
    }
}

/// Marsaglia's xorshift; the same text for the same size.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// Transitions over marked places in one loop, as in the benchmark nsichneu.
fn petri_net(lines: usize) -> String {
    const PLACES: u64 = 12;
    let mut random = Random(7);
    let mut text = String::from("#include <labrys.h>\n\n");
    for place in 0..PLACES {
        let marks = random.below(6);
        let _ = writeln!(text, "int marks{place} = {marks};\nlong token{place}[6];");
    }
    text.push_str("\nint main(void) {\n  labrys_symbolic(token0, sizeof token0, \"tokens\");\n");
    text.push_str("  for (int i = 2; i > 0; i--) {\n");
    for _ in 0..lines.saturating_sub(32) / 10 {
        let (from, to) = (random.below(PLACES), random.below(PLACES));
        let [i, j, k] = [(); 3].map(|()| random.below(5));
        let _ = write!(
            text,
            "    if (marks{from} >= {} && marks{to} + 3 <= 6 && token{from}[{i}] == token{to}[{j}]) {{
      long x = token{from}[{i}], y = token{from}[{k}];
      if (y < x) {{
        marks{from} -= 3;
        token{from}[0] = token{from}[{j} + 1];
        token{to}[(unsigned)marks{to} % 6] = x;
        token{to}[{k}] = x - y;
        marks{to} += 3;
      }}
    }}
",
            2 + random.below(3)
        );
    }
    text.push_str("  }\n  return 0;\n}\n");
    text
}

/// Rules over a state and an input, the first that holds is taken, as in the RERS challenge.
fn reactive_system(lines: usize) -> String {
    const VARIABLES: u64 = 30;
    let mut random = Random(9);
    let mut text = String::from("#include <labrys.h>\n#include <stdio.h>\n\n");
    for variable in 0..VARIABLES {
        let _ = writeln!(text, "int a{variable} = {};", random.below(10));
    }
    text.push_str("\nint output(int input) {\n");
    for _ in 0..lines.saturating_sub(48) / 6 {
        let [a, b, c, d] = [(); 4].map(|()| random.below(VARIABLES));
        let [v, w, x, y] = [(); 4].map(|()| random.below(10));
        let _ = write!(
            text,
            "  if (a{a} == {v} && input == {} && a{b} != {w} && (a{c} == {x} || a{d} > {y})) {{
    a{a} = {w};
    a{b} = (a{c} + {x}) % 10;
    a{d} = {v};
    return {};
  }}
",
            1 + random.below(6),
            20 + random.below(10)
        );
    }
    text.push_str(
        "  return -2;\n}\n\nint main(void) {\n  int inputs[8];\n  \
         labrys_symbolic(inputs, sizeof inputs, \"inputs\");\n  \
         for (int i = 0; i < 8; i++) printf(\"%d\\n\", output(inputs[i]));\n  return 0;\n}\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn programs_have_the_size_that_is_asked_for() {
        for kind in &KINDS {
            for lines in [1000, 8000] {
                let text = (kind.text)(lines);
                assert!(text.lines().count().abs_diff(lines) < lines / 50);
                assert_eq!(text.matches('{').count(), text.matches('}').count());
            }
        }
    }
}

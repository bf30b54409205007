//! `labrys reach` on whole programs: standard input by character, by line and by block, files,
//! arguments. By example, and against brute force: of generated programs, no place is called
//! unreachable that some short input over a few letters, or some command line, reaches.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::command::Program;
use crate::generated::number;

/// A program of the folder `whole`.
struct Whole {
    text: &'static str,
    options: &'static [&'static str],
    /// Arguments of the program.
    line: &'static [&'static str],
    reached: &'static [&'static str],
    unreachable: &'static [&'static str],
}

const BACKWARD: &[&str] = &["--time", "60s", "--no-forward"];

const PROGRAMS: &[Whole] = &[
    Whole {
        text: include_str!("whole/filter.c"),
        options: BACKWARD,
        line: &[],
        reached: &["key", "five"],
        unreachable: &["large", "negative", "fifth", "no_end"],
    },
    Whole {
        text: include_str!("whole/lines.c"),
        options: &["--time", "60s"],
        line: &[],
        reached: &["unopened", "two_open"],
        unreachable: &["long_line"],
    },
    Whole {
        text: include_str!("whole/file.c"),
        options: BACKWARD,
        line: &["@@"],
        reached: &["magic", "size", "sum", "short"],
        unreachable: &["huge"],
    },
    Whole {
        text: include_str!("whole/descriptor.c"),
        options: BACKWARD,
        line: &[],
        reached: &["secret", "seventeenth"],
        unreachable: &["more", "two"],
    },
    Whole {
        text: include_str!("whole/table.c"),
        options: BACKWARD,
        line: &[],
        reached: &["once", "twice"],
        unreachable: &["beyond"],
    },
    Whole {
        text: include_str!("whole/arguments.c"),
        options: &["--time", "60s", "--sym-arg", "1:6", "--sym-arg", "2:6"],
        line: &[],
        reached: &["verbose"],
        unreachable: &["no_count"],
    },
];

#[test]
fn programs_that_read_streams_are_followed_backward() {
    for whole in PROGRAMS {
        let program = Program::new(whole.text);
        let mut all = vec!["reach", "program.c", "--out", "out", "--json", "--quiet"];
        all.extend(whole.options);
        for target in whole.reached.iter().chain(whole.unreachable) {
            all.extend(["--target", target]);
        }
        all.push("--");
        all.extend(whole.line);
        let output = program.labrys(&all);
        let told = String::from_utf8_lossy(&output.stderr);
        let said: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {told}"));
        for report in said["targets"].as_array().expect("a list") {
            let name = report["target"].as_str().expect("a name");
            let expected = match whole.reached.contains(&name) {
                true => "reached",
                false => "unreachable",
            };
            assert_eq!(report["verdict"], expected, "{report}");
        }
    }
}

/// Draws programs.
struct Generator {
    state: u64,
    text: String,
    targets: Vec<String>,
    depth: u32,
}

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        let index = self.below(choices.len() as u64) as usize;
        choices[index]
    }

    fn condition(&mut self) -> String {
        let one = self.pick(&[
            "c == 'a'",
            "c == 'b'",
            "c == '\\n'",
            "c < 0",
            "c == EOF",
            "c > 255",
            "x > 1",
            "x == 3",
            "x < 0",
            "n == 2",
            "n < 0",
            "n == 0",
            "n > 4",
            "w[0] == 'a'",
            "w[1] == 'b'",
            "w[0] == w[1]",
            "!strcmp(w, \"ab\")",
            "!strcmp(w, \"b\\n\")",
            "strlen(w) > 2",
            "strlen(w) > 6",
            "p == 0",
            "p != 0 && p[0] == 'b'",
            "feof(stdin)",
            "argc > 1",
            "argc > 2 && argv[2][0] == 'a'",
            "argc > 1 && !strcmp(argv[1], \"-b\")",
            "argc > 1 && argv[1][0] == 0",
            "argc < 1",
            "g == 2",
            "f == stdin",
        ]);
        match self.below(5) {
            0 => format!("{one} && {}", self.condition()),
            1 => format!("!({one})"),
            _ => one.to_owned(),
        }
    }

    fn statement(&mut self) {
        self.depth += 1;
        let deep = self.depth > 3;
        match self.below(if deep { 7 } else { 12 }) {
            0 | 1 => {
                let text = self.pick(&[
                    "c = getchar();",
                    "c = getc(stdin);",
                    "c = fgetc(f);",
                    "c = getchar(); if (c != EOF) ungetc(c, stdin);",
                    "ungetc('a', stdin);",
                    "ungetc(c, stdin);",
                    "x = x * 2 + (getchar() == 'a');",
                ]);
                let _ = writeln!(self.text, "{text}");
            }
            2 | 3 => {
                let text = self.pick(&[
                    "p = fgets(w, 4, stdin);",
                    "p = fgets(w, sizeof w, stdin);",
                    "p = fgets(w, 1, f);",
                    "n = fread(w, 1, 2, stdin);",
                    "n = fread(w, 2, 2, f);",
                    "n = read(0, w, 3);",
                    "n = read(0, w, 1); c = w[0];",
                    "n = getline(&l, &k, stdin); if (n > 0) c = l[0];",
                    "n = scanf(\"%d\", &x);",
                    "n = scanf(\"%1s\", w);",
                ]);
                let _ = writeln!(self.text, "{text}");
            }
            4 => {
                let text = self.pick(&[
                    "rewind(stdin);",
                    "fflush(stdout);",
                    "clearerr(stdin);",
                    "fseek(stdin, 1, SEEK_SET);",
                    "lseek(0, 0, SEEK_SET);",
                    "f = fopen(argc > 1 ? argv[1] : \"data\", \"r\"); if (!f) f = stdin;",
                    "f = stdin;",
                    "isatty(0);",
                ]);
                let _ = writeln!(self.text, "{text}");
            }
            5 | 6 => {
                let text = self.pick(&["x++;", "x = c;", "g = x;", "x = n;", "g++;", "n = x - g;"]);
                let _ = writeln!(self.text, "{text}");
            }
            7 | 8 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.statement();
                self.text.push_str("} else {\n");
                self.statement();
                self.text.push_str("}\n");
            }
            9 => {
                let head = self.pick(&[
                    "while ((c = getchar()) != EOF) {",
                    "while (fgets(w, sizeof w, stdin)) {",
                    "while ((n = read(0, w, 2)) > 0) {",
                    "for (int i = 0; i < 3 && (c = getc(f)) >= 0; i++) {",
                    "while (!feof(stdin) && (c = getchar()) != 'b') {",
                ]);
                let _ = writeln!(self.text, "{head} if (++turns > 40) exit(3);");
                self.statement();
                self.statement();
                self.text.push_str("}\n");
            }
            _ => self.target(),
        }
        self.depth -= 1;
    }

    fn target(&mut self) {
        let condition = self.condition();
        let name = format!("t_{}", self.targets.len());
        let _ = writeln!(
            self.text,
            "if ({condition}) T(\"{name}\", {});",
            self.targets.len()
        );
        self.targets.push(name);
    }

    fn program(seed: u64) -> (String, Vec<String>) {
        let mut generator = Generator {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            text: String::new(),
            targets: Vec::new(),
            depth: 0,
        };
        for _ in 0..generator.below(4) + 3 {
            generator.statement();
            generator.target();
        }
        let body = generator.text;
        let count = generator.targets.len().to_string();
        let text = include_str!("whole/generated.c.in");
        let text = text.replace("BODY", &body).replace("COUNT", &count);
        (text, generator.targets)
    }
}

/// The targets that some of the inputs reach, by trying them.
fn tried(folder: &Path, source: &Path, targets: &[String]) -> BTreeSet<String> {
    let executable = folder.join("brute");
    let mut clang = Command::new("clang-19");
    clang.args(["-w", "-O1", "-DBRUTE", "-D_GNU_SOURCE", "-I"]);
    clang.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/include"));
    clang.arg(source).arg("-o").arg(&executable);
    assert!(clang.status().expect("clang runs").success());
    std::fs::write(folder.join("a"), "ba\nab").expect("written");
    let output = Command::new(executable).current_dir(folder).output();
    let digits = output.expect("it runs").stderr;
    assert_eq!(digits.len(), targets.len(), "{}", folder.display());
    let numbered = targets.iter().zip(digits);
    let reached = numbered.filter(|(_, digit)| *digit == b'1');
    reached.map(|(name, _)| name.clone()).collect()
}

/// What `labrys reach` calls unreachable.
fn proved(folder: &Path, source: &Path, targets: &[String]) -> BTreeSet<String> {
    let executable = folder.join("generated");
    let mut compiler = Command::new(env!("CARGO_BIN_EXE_labrys-cc"));
    compiler.env("LABRYS_WHOLE", "1");
    compiler.args(["-w", "-D_GNU_SOURCE", "-o"]);
    compiler.args([&executable, source]);
    assert!(compiler.status().expect("labrys-cc runs").success());
    let mut targets = targets.to_vec();
    loop {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.arg("reach").arg(&executable);
        command.args(["--no-forward", "--json", "--quiet", "--time", "10h"]);
        let steps = number("LABRYS_WHOLE_STEPS", 12) * targets.len() as u64;
        command.args(["--steps", &steps.to_string(), "--loop-bound", "3"]);
        for target in &targets {
            command.args(["--target", target]);
        }
        let output = command.arg("--out").arg(folder.join("out")).output();
        let output = output.expect("labrys runs");
        let told = String::from_utf8_lossy(&output.stderr);
        let missing = told.split("error: --target ").nth(1);
        if let Some(name) = missing.and_then(|rest| rest.split(':').next()) {
            targets.retain(|target| target != name);
            continue;
        }
        let said: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{}: {error}\n{told}", folder.display()));
        let reports = said["targets"].as_array().expect("a list").iter();
        let names = reports
            .filter(|report| report["verdict"] == "unreachable")
            .filter_map(|report| report["target"].as_str());
        return names.map(str::to_owned).collect();
    }
}

#[test]
fn no_proof_of_a_generated_program_contradicts_a_run() {
    let first = number("LABRYS_WHOLE_FIRST", 1);
    let mut proofs = 0;
    for seed in first..first + number("LABRYS_WHOLE_PROGRAMS", 10) {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("generated.c");
        let (text, targets) = Generator::program(seed);
        std::fs::write(&source, &text).expect("written");
        let reached = tried(folder.path(), &source, &targets);
        let proved = proved(folder.path(), &source, &targets);
        proofs += proved.len();
        let wrong: Vec<&String> = reached.intersection(&proved).collect();
        assert!(
            wrong.is_empty(),
            "seed {seed}: {wrong:?} are reached\n{text}"
        );
    }
    eprintln!("{proofs} proofs");
    assert!(proofs > 0, "nothing was proved");
}

//! What is said of wrong use, and of what the machine refuses: cause and remedy, and the exit
//! status, compared with `messages.txt`. `UPDATE_MESSAGES=1` writes that file anew.

#![allow(missing_docs)]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, labrys, labrys_cc, output, succeed};

/// As many cases there are at least.
const CASES: usize = 60;

/// What commands find in their folder.
fn prepare(folder: &Path) {
    let at = |name: &str| folder.join(name);
    let write = |name: &str, text: &str| fs::write(at(name), text).expect("the folder is writable");
    write(
        "a.c",
        "int main(int argc, char **argv) { return argc > 9 ? argv[1][0] : 0; }\n",
    );
    write(
        "b.c",
        "int main(int argc, char **argv) { return argc > 8 ? 3 : 0; }\n",
    );
    write("bad.c", "int main(void) { return 1 }\n");
    write(
        "undefined.c",
        "int g(void);\nint main(void) { return g(); }\n",
    );
    let asks: String = (0..20)
        .map(|at| format!("if (getchar() == {at}) return {at};\n"))
        .collect();
    write(
        "early.c",
        &format!(
            "#include <stdio.h>\nint main(void) {{\nif (!fopen(\"table\", \"r\")) {{\n\
             fputs(\"early: no table\\n\", stderr);\nreturn 3;\n}}\n{asks}return 0;\n}}\n"
        ),
    );
    write("library.c", "int twice(int n) { return 2 * n; }\n");
    write(
        "fortified.c",
        "#include <string.h>\nint main(int argc, char **argv) {\n  char copy[8];\n\
           memcpy(copy, argv[0], argc);\n  return copy[0] == '.';\n}\n",
    );
    write("text", "hello\n");
    for name in ["empty", "line\nend", "gone"] {
        fs::create_dir(at(name)).expect("the folder is writable");
    }
    write("line\nend/a.c", "int main(void) { return 0; }\n");
    let tool = |program: &str, words: &[&str]| {
        succeed(Command::new(program).args(words).current_dir(folder));
    };
    succeed(labrys_cc().args(["a.c", "-o", "a"]).current_dir(folder));
    succeed(
        labrys_cc()
            .args(["-c", "a.c", "-o", "a.o"])
            .current_dir(folder),
    );
    tool("clang-19", &["a.c", "-o", "plain"]);
    tool("clang-19", &["-c", "a.c", "-o", "plain.o"]);
    let bytes = fs::read(at("a")).expect("a program");
    fs::write(at("half"), &bytes[..bytes.len() / 2]).expect("the folder is writable");
    tool("cp", &["a", "\u{e9}"]);
    tool("llvm-strip-19", &["-o", "bare", "a"]);
    let words = ["cover", "--quiet", "--steps", "3", "--out", "suite", "a"];
    succeed(labrys().args(words).current_dir(folder));
}

/// What a command of the shell says, with its exit status; the folder is called DIR.
fn said(folder: &Path, command: &str) -> String {
    let programs = PathBuf::from(labrys().get_program());
    let programs = programs.parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash");
    shell.args(["-c", command]).current_dir(folder);
    shell.env("PATH", format!("{programs}:{path}"));
    let output = output(&mut shell);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).replace(&folder.display().to_string(), "DIR");
    // Blank lines separate cases; on a busy machine builds tell how far they are.
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines = lines.filter(|line| !line.starts_with("building: "));
    let mut text: String = lines.map(|line| format!("{line}\n")).collect();
    let _ = writeln!(text, "status {}", output.status.code().unwrap_or(-1));
    text
}

#[test]
fn messages_name_cause_and_remedy() {
    let folder = folder();
    prepare(folder.path());
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
    let text = fs::read_to_string(&list).expect("the list");
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands: Vec<&str> = commands.collect();
    assert!(commands.len() >= CASES, "{} cases", commands.len());
    let mut found = String::new();
    for command in commands {
        if !found.is_empty() {
            found.push('\n');
        }
        let _ = fs::remove_dir_all(folder.path().join("labrys-out"));
        let _ = write!(found, "$ {command}\n{}", said(folder.path(), command));
    }
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&list, found).expect("the list is writable");
        return;
    }
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (text.split("\n\n").collect(), found.split("\n\n").collect());
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected.trim_end(), found.trim_end());
    }
    assert_eq!(expected.len(), found.len());
}

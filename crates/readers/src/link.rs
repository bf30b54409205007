//! Executables, and what they are linked from.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use labrys_cc::container::{Contents, Executable, seal};
use labrys_cc::{Database, readers};

use crate::Reader;

/// An executable with sections of Labrys.
pub(crate) const EXECUTABLE: Reader = Reader {
    name: "executable",
    read: |bytes| match Executable::read(PathBuf::from("program"), bytes.to_vec()) {
        Ok(Executable::Whole(container)) => {
            let _ = container.program();
            let _ = container.checked();
            true
        }
        Ok(Executable::Deferred(deferred)) => !deferred.link().is_empty(),
        Err(_) => false,
    },
    examples: || {
        let kinds = [(Some(&b"checked"[..]), true), (None, true), (None, false)];
        let whole = kinds.into_iter().filter_map(whole);
        whole.chain(deferred()).collect()
    },
};

/// An object.
pub(crate) const OBJECT: Reader = Reader {
    name: "object",
    read: readers::object,
    examples: || vec![OBJECT_FILE.to_vec()],
};

/// An archive.
pub(crate) const ARCHIVE: Reader = Reader {
    name: "archive",
    read: readers::archive,
    examples: || vec![archive(false), archive(true)],
};

/// The command of a link.
pub(crate) const LINK_COMMAND: Reader = Reader {
    name: "link-command",
    read: readers::link_command,
    examples: || vec![readers::a_link_command()],
};

/// A response file.
pub(crate) const RESPONSE: Reader = Reader {
    name: "response-file",
    read: readers::response_file,
    examples: || vec![b"-c 'a b.c' -DX=\"\\\"y\\\"\"\n-o a\\ b.o".to_vec()],
};

/// How a build compiles its sources.
pub(crate) const COMMANDS: Reader = Reader {
    name: "compile-commands",
    read: |bytes| {
        let database = Database::read(&String::from_utf8_lossy(bytes));
        database.is_ok_and(|database| database.options(Path::new("/b/x.c")).is_some())
    },
    examples: || {
        let text = r#"[
  {"directory": "/b", "command": "cc -Iinc '-DA=\"b\"' -c -o x.o x.c", "file": "x.c"},
  {"directory": "/", "arguments": ["cc", "-isystem", "sys", "y.c"], "file": "y.c"}
]"#;
        vec![text.as_bytes().to_vec()]
    },
};

/// Of `object.c`, by `labrys-cc -Oz -c`, without debug information.
const OBJECT_FILE: &[u8] = include_bytes!("../examples/object.o");

/// Of `executable.c`, by clang.
const PLAIN: &[u8] = include_bytes!("../examples/executable");

/// The instrumented executable with small sections.
fn whole((checked, optimized): (Option<&[u8]>, bool)) -> Option<Vec<u8>> {
    let program: labrys_program::Program = include_str!("../../program/tests/text/everything.lir")
        .parse()
        .ok()?;
    sealed(&Contents::Whole {
        program: &program.to_bytes(),
        bitcode: b"BC",
        plain: PLAIN,
        checked,
        link: b"link",
        optimized,
    })
}

/// The executable of clang with small sections.
fn deferred() -> Option<Vec<u8>> {
    sealed(&Contents::Deferred {
        merged: b"BC",
        link: b"link",
    })
}

fn sealed(contents: &Contents<'_>) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    let (plain, made) = (folder.path().join("plain"), folder.path().join("made"));
    fs::write(&plain, PLAIN).ok()?;
    seal(&plain, contents, &made).ok()?;
    fs::read(&made).ok()
}

/// Two members, of which one has a long name, behind an index and the table of names.
fn archive(thin: bool) -> Vec<u8> {
    let mut archive = match thin {
        true => b"!<thin>\n".to_vec(),
        false => b"!<arch>\n".to_vec(),
    };
    let members = [
        ("/", &[0; 4][..]),
        ("//", b"a_rather_long_member_name.o/\n\n"),
        ("a.o/", OBJECT_FILE),
        ("/0", OBJECT_FILE),
    ];
    for (name, content) in members {
        let size = content.len();
        let _ = writeln!(
            archive,
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`",
            0, 0, 0, 644
        );
        if !thin || name.starts_with('/') && name != "/0" {
            archive.extend(content);
        }
    }
    archive
}

//! Places in the source for people: of decisions, and of the user's code on a stack.

use std::path::{Component, Path, PathBuf};

use labrys_executor::Frame;
use labrys_program::{Location, Program, Site};
use labrys_suite::unit::{CALL, IN_PLACE};

/// A site's place in the source as `FILE:LINE:COLUMN`.
pub(crate) fn place(program: &Program, site: &Site) -> Option<String> {
    located(program, site.location?)
}

/// A place in the source as `FILE:LINE:COLUMN`.
pub(crate) fn located(program: &Program, at: Location) -> Option<String> {
    let file = program.file(at.file)?;
    Some(format!("{file}:{}:{}", at.line, at.column))
}

/// A site as a frame of a stack.
pub(crate) fn frame(program: &Program, site: &Site) -> Option<String> {
    let function = &program.function(site.function)?.name;
    Some(match place(program, site) {
        Some(place) => format!("{function} ({place})"),
        None => function.clone(),
    })
}

/// Whether a function stands in place of one that gives memory, in a driver.
fn is_in_place(function: &str) -> bool {
    function.starts_with(IN_PLACE)
}

/// Whether a site is one of a function in place of one that gives memory: what happens there is the doing of
/// its caller.
pub(crate) fn stands_in_place(program: &Program, site: &Site) -> bool {
    let function = program.function(site.function);
    function.is_some_and(|function| is_in_place(&function.name))
}

/// The source of the driver that made the call, if a stack has one.
fn driver(stack: &[Frame]) -> Option<&str> {
    let call = stack.iter().rev().find(|frame| {
        let number = frame.function.strip_prefix(CALL);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    call?.file.as_deref()
}

/// The place of the innermost frame in the user's code: in a source of the program that does not
/// belong to the system and is no driver, and no function in place of one that gives memory; else the
/// innermost in any source of the program. A double writes where its caller says, so it is the caller
/// that fails.
pub(crate) fn of_user(program: &Program, stack: &[Frame]) -> Option<String> {
    let own: Vec<&Frame> = stack
        .iter()
        .filter(|frame| {
            frame
                .file
                .as_deref()
                .is_some_and(|file| is_source(program, file))
        })
        .collect();
    let driver = driver(stack);
    let user = own.iter().find(|frame| {
        let file = frame.file.as_deref().unwrap_or_default();
        !file.starts_with("/usr/") && Some(file) != driver && !is_in_place(&frame.function)
    });
    user.or(own.first())?.place()
}

/// Whether a path names a source of the program. Debug information may spell it with dots.
fn is_source(program: &Program, file: &str) -> bool {
    program.files.iter().any(|own| own == file) || {
        let file = without_dots(file);
        program.files.iter().any(|own| without_dots(own) == file)
    }
}

fn without_dots(path: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32) -> Frame {
        Frame {
            function: "f".to_owned(),
            file: Some(file.to_owned()),
            line,
            column: 0,
        }
    }

    #[test]
    fn the_users_code_is_found() {
        let files = ["/usr/include/c++/vector", "/src/a/src/main.c"];
        let program = Program {
            files: files.map(str::to_owned).to_vec(),
            ..Program::default()
        };
        let stack = [
            frame("/rustc/library/core.rs", 1),
            frame("/usr/include/c++/vector", 2),
            frame("/src/a/build/../src/./main.c", 3),
        ];
        let found = of_user(&program, &stack);
        assert_eq!(found.as_deref(), Some("/src/a/build/../src/./main.c:3"));
        let found = of_user(&program, &stack[..2]);
        assert_eq!(found.as_deref(), Some("/usr/include/c++/vector:2"));
        assert_eq!(of_user(&program, &stack[..1]), None);
        let wrapper = Frame {
            function: format!("{IN_PLACE}strdup_0"),
            ..frame("/src/a/src/main.c", 9)
        };
        let found = of_user(&program, &[wrapper, stack[2].clone()]);
        assert!(found.is_some_and(|place| place.ends_with("main.c:3")));
    }

    #[test]
    fn a_double_is_not_the_users_code() {
        let named = |function: &str, file: &str, line| Frame {
            function: function.to_owned(),
            ..frame(file, line)
        };
        let program = Program {
            files: ["./driver.c", "a.c"].map(str::to_owned).to_vec(),
            ..Program::default()
        };
        let stack = [
            named("double_of_read", "./driver.c", 1),
            named("fill", "a.c", 2),
            named(&format!("{CALL}12"), "./driver.c", 3),
            named("main", "./driver.c", 4),
        ];
        assert_eq!(of_user(&program, &stack).as_deref(), Some("a.c:2"));
        assert_eq!(
            of_user(&program, &stack[2..]).as_deref(),
            Some("./driver.c:3")
        );
        // A user's file of that name is the user's.
        assert_eq!(
            of_user(&program, &stack[..1]).as_deref(),
            Some("./driver.c:1")
        );
    }
}

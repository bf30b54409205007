//! The text form: `parse(print(p)) = p` for programs that the verifier accepts, and errors with
//! lines for texts that are no programs.

use labrys_program::{BranchId, Program, SiteId};

const EVERYTHING: &str = include_str!("text/everything.lir");

fn parse(text: &str) -> Program {
    text.parse().expect("a program")
}

fn message(text: &str) -> String {
    text.parse::<Program>().expect_err("no program").to_string()
}

#[test]
fn everything_is_printed_as_it_was_parsed() {
    let program = parse(EVERYTHING);
    if let Err(violations) = program.verify() {
        panic!(
            "{}",
            violations
                .iter()
                .map(|v| format!("{v}\n"))
                .collect::<String>()
        );
    }
    assert_eq!(program.to_string(), EVERYTHING);
    assert_eq!(parse(&program.to_string()), program);
    assert_eq!(
        Program::from_bytes(&program.to_bytes()).expect("own bytes"),
        program
    );
    assert_eq!(program.branch_count(), 10);
    assert_eq!(program.branch(SiteId(3), 3), Some(BranchId(9)));
}

#[test]
fn sites_can_be_left_to_the_parser() {
    let text = EVERYTHING.lines().filter(|line| !line.starts_with("site"));
    let text: String = text.map(|line| format!("{line}\n")).collect();
    let text = (0..4).fold(text, |text, site| text.replace(&format!(" #{site} "), " "));
    assert_eq!(parse(&text), parse(EVERYTHING));
}

#[test]
fn programs_of_sites_alone() {
    let program = parse("site #0 branch f0 b0\nsite #1 switch 8 [1, 2] f0 b3 oracle");
    assert_eq!(program.branch_count(), 5);
    assert_eq!(parse(&program.to_string()), program);
}

#[test]
fn errors_name_the_line() {
    assert_eq!(
        message("program \"a\"\n\nfile 3"),
        "line 3: expected quotes"
    );
    assert_eq!(
        message("define void @f() external {\nb1:"),
        "line 2: blocks must be numbered in order"
    );
    assert_eq!(
        message("; all\nglobal @a external 4 align 4 = \"\" [0 @b + 0]"),
        "line 2: unknown symbol @b"
    );
    assert_eq!(
        message("declare void @a() external\ndeclare void @a() external"),
        "line 2: @a is there twice"
    );
    assert_eq!(
        message("site #1 branch f0 b0"),
        "line 1: sites must be numbered in order"
    );
    let nested = format!(
        "define void @f() external {{\nb0:\n  ret {}",
        "add(".repeat(10_000)
    );
    assert_eq!(message(&nested), "line 3: constant nested too deeply");
}

#[test]
fn no_cut_or_garbled_text_panics() {
    for end in (0..EVERYTHING.len()).filter(|end| EVERYTHING.is_char_boundary(*end)) {
        let _ = EVERYTHING[..end].parse::<Program>();
    }
    let words: Vec<&str> = EVERYTHING.split_inclusive(' ').collect();
    for skip in 0..words.len() {
        let mut text = words.clone();
        text.remove(skip);
        check_if_program(&text.concat());
        text.insert(skip / 2, words[skip]);
        check_if_program(&text.concat());
    }
}

/// Whatever parses can be verified and printed; what is verified too is printed faithfully.
fn check_if_program(text: &str) {
    let Ok(program) = text.parse::<Program>() else {
        return;
    };
    let printed = program.to_string();
    if program.verify().is_ok() {
        assert_eq!(parse(&printed), program);
    }
}

/// A switch that clang makes behind clean-up code goes by constants that each jump left, and has no
/// place; one of the program has a place.
#[test]
fn where_jumps_go_on_does_not_count() {
    let text = |place: &str, three: &str| {
        format!(
            "program \"p\"\n\
             hash \"{}\"\n\
             file \"/a.c\"\n\
             define i32 @main(i32 v0) external {{\n\
             b0:\n  v1: i1 = icmp eq v0, i32 5 !0:2:3\n  br v1, b1, b2 !0:2:3\n\
             b1:\n  jump b3 !0:3:3\n\
             b2:\n  jump b3\n\
             b3:\n  v2: i32 = phi [b1 i32 2, b2 {three}]\n  switch v2, b6 [2 b4, 3 b5]{place}\n\
             b4:\n  ret i32 1\n\
             b5:\n  ret i32 0\n\
             b6:\n  unreachable\n}}\n",
            "00".repeat(32)
        )
    };
    let counted = |place: &str, three: &str| {
        let program = parse(&text(place, three));
        assert_eq!(program.sites.len(), 2);
        let counted = program.counted_sites().count();
        // The switch has three.
        assert_eq!(program.repeating_branches().count(), 3 * (2 - counted));
        counted
    };
    assert_eq!(counted("", "i32 3"), 1);
    assert_eq!(counted(" !0:4:3", "i32 3"), 2);
    assert_eq!(counted("", "v0"), 2);
}

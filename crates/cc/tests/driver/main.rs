//! The drop-in compilers on small projects, as build systems use them.

mod damage;
mod deferred;
mod large;
mod plain;
mod project;
mod wrapped;

use std::fs;

use labrys_cc::container::{Container, ContainerError};
use labrys_cc::{Language, build};
use labrys_program::SiteKind;
use project::{Project, run};

const MAIN: &str = r#"
#include <stdio.h>
int helper(int);
int native(int);
int back(int x) { return x > 3 ? helper(x) : 5; }
int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d\n", native(argc), helper(argc));
  return 0;
}
"#;
const HELPER: &str = r#"
int helper(int x) {
  switch (x) {
  case 1: return 4;
  case 2: return 9;
  case 77: return 3;
  }
  return x * 2;
}
"#;
const NATIVE: &str = "int back(int);\nint native(int x) { return back(x + 3) + 1; }\n";
const OUTPUT: &str = "9 4\n";

fn project() -> Project {
    let project = Project::new(&[("main.c", MAIN), ("helper.c", HELPER), ("native.c", NATIVE)]);
    project.tool("clang-19", "-c @native.c -o @native.o");
    project
}

#[test]
fn decisions_stay_and_are_the_same_in_one_step_and_in_two() {
    let project = project();
    project.cc("-O3 @main.c @helper.c @native.o -o @one");
    project.cc("-c @main.c -o @main.o");
    project.cc("-c -O0 @helper.c -o @helper.o");
    project.cc("@main.o @helper.o @native.o -o @two");
    assert_eq!(project.run("one", &[]), OUTPUT);
    assert_eq!(project.run("two", &[]), OUTPUT);
    let kinds = |name| -> Vec<SiteKind> {
        let program = project.open(name).program().unwrap();
        program.sites.into_iter().map(|site| site.kind).collect()
    };
    let switch = SiteKind::Switch {
        width: 32,
        cases: vec![1, 2, 77],
    };
    assert_eq!(kinds("one"), [SiteKind::Branch, switch]);
    assert_eq!(kinds("one"), kinds("two"));
}

#[test]
fn a_build_repeats() {
    let project = project();
    project.cc("@main.c @helper.c @native.o -o @first");
    project.cc("@main.c @helper.c @native.o -o @second");
    let (first, second) = (project.open("first"), project.open("second"));
    assert_eq!(first.bitcode(), second.bitcode());
    let program = first.program().unwrap();
    assert_eq!(program.name, "first");
    assert_eq!(program.bitcode_hash, second.program().unwrap().bitcode_hash);
}

#[test]
fn archives_need_no_special_tool() {
    let project = project();
    project.cc("-c @main.c -o @main.o");
    project.cc("-c @helper.c -o @helper.o");
    project.tool("ar", "cr @libparts.a @helper.o @native.o");
    project.tool("ranlib", "@libparts.a");
    project.cc("@main.o @libparts.a -o @lazy");
    assert_eq!(project.run("lazy", &[]), OUTPUT);
    let folder = project.path("");
    let whole = "-Wl,--whole-archive -lparts -Wl,--no-whole-archive -o @whole";
    project.cc(&format!("@main.o -L{} {whole}", folder.display()));
    assert_eq!(project.run("whole", &[]), OUTPUT);
    assert_eq!(project.open("whole").program().unwrap().sites.len(), 2);
}

#[test]
fn joined_objects_are_instrumented_if_all_their_code_has_bitcode() {
    let project = project();
    project.cc("-c @main.c -o @main.o");
    project.cc("-c @helper.c -o @helper.o");
    project.cc("-r @main.o @helper.o -o @joined.o");
    project.cc("@joined.o @native.o -o @all");
    assert_eq!(project.run("all", &[]), OUTPUT);
    assert_eq!(project.open("all").program().unwrap().sites.len(), 2);
    let aliased = format!("{HELPER}int twin(int) __attribute__((weak, alias(\"helper\")));");
    fs::write(project.path("aliased.c"), aliased).unwrap();
    project.cc("-c @aliased.c -o @aliased.o");
    project.cc("-r @main.o @aliased.o -o @twins.o");
    project.cc("@twins.o @native.o -o @twins");
    assert_eq!(project.run("twins", &[]), OUTPUT);
    assert_eq!(project.open("twins").program().unwrap().sites.len(), 2);
    project.cc("-r @main.o @native.o -o @mixed.o");
    project.cc("@mixed.o @helper.o -o @part");
    assert_eq!(project.run("part", &[]), OUTPUT);
    assert_eq!(project.open("part").program().unwrap().sites.len(), 1);
}

#[test]
fn objects_whose_symbols_were_changed_are_linked_as_they_are() {
    let project = project();
    project.cc("-c @main.c -o @main.o");
    project.cc("-c @helper.c -o @helper.o");
    let changed = [
        "--redefine-sym helper=other",
        "--localize-symbol helper",
        "--prefix-symbols=my_",
        "--weaken",
    ];
    let stand_in = "int helper(int x) { return x + 1; }";
    fs::write(project.path("stand_in.c"), stand_in).unwrap();
    for (number, change) in changed.into_iter().enumerate() {
        let name = format!("changed{number}");
        project.tool("objcopy", &format!("{change} @helper.o @{name}.o"));
        project.cc(&format!(
            "@main.o @native.o @{name}.o @stand_in.c -o @{name}"
        ));
        assert_eq!(project.run(&name, &[]), "6 2\n", "{change}");
        let sites = project.open(&name).program().unwrap().sites;
        assert_eq!(sites.len(), 1, "{change}");
    }
    // What leaves the symbols alone changes nothing.
    project.tool("objcopy", "--strip-unneeded @helper.o @stripped.o");
    project.cc("@main.o @native.o @stripped.o -o @stripped");
    assert_eq!(project.run("stripped", &[]), OUTPUT);
    assert_eq!(project.open("stripped").program().unwrap().sites.len(), 2);
}

#[test]
fn shared_libraries_are_linked_natively() {
    let project = project();
    project.cc("-shared -fPIC @helper.c -o @libhelper.so");
    let folder = project.path("");
    let folder = folder.display();
    let search = format!("-L{folder} -lhelper -Wl,-rpath,{folder}");
    project.cc(&format!("@main.c @native.o {search} -o @program"));
    assert_eq!(project.run("program", &[]), OUTPUT);
    assert_eq!(project.open("program").program().unwrap().sites.len(), 1);
}

#[test]
fn position_dependent_and_static_programs_become_position_independent() {
    let project = project();
    project.cc("-fno-pie -no-pie @main.c @helper.c @native.c -o @fixed");
    assert_eq!(project.run("fixed", &[]), OUTPUT);
    project.cc("-static @main.c @helper.c @native.c -o @static");
    assert_eq!(project.run("static", &[]), OUTPUT);
}

#[test]
fn stripped_programs_keep_their_sections() {
    let project = project();
    project.cc("-s @main.c @helper.c @native.o -o @program");
    project.tool("strip", "@program");
    assert_eq!(project.run("program", &[]), OUTPUT);
}

#[test]
fn assembler_is_native() {
    let text = "\t.globl answer\n\t.type answer,@function\nanswer:\n\tmovl $42, %eax\n\tret\n\
                \t.section .note.GNU-stack,\"\",@progbits\n";
    let main = "int answer(void);\nint main(void) { return answer() != 42; }\n";
    let project = Project::new(&[("answer.S", text), ("main.c", main)]);
    project.cc("@main.c @answer.S -o @program");
    assert_eq!(project.run("program", &[]), "");
}

#[test]
fn cxx_brings_its_libraries() {
    let text = r#"
#include <iostream>
#include <vector>
int main(int argc, char **) {
  std::vector<int> v(argc);
  try { v.at(1) = 7; std::cout << v[1]; } catch (std::exception &) { std::cout << "caught"; }
}
"#;
    let project = Project::new(&[("main.cc", text)]);
    assert_eq!(project.compile(Language::Cxx, "@main.cc -o @program"), 0);
    assert_eq!(project.run("program", &[]), "caught");
    assert_eq!(project.run("program", &["x"]), "7");
}

#[test]
fn links_without_bitcode_are_left_to_clang() {
    let project = project();
    project.tool("clang-19", "-c @main.c -o @main.o");
    project.tool("clang-19", "-c @helper.c -o @helper.o");
    project.cc("@main.o @helper.o @native.o -o @program");
    assert_eq!(run(&project.path("program"), &[]).stdout, OUTPUT.as_bytes());
    let opened = Container::open(&project.path("program"));
    assert!(matches!(opened, Err(ContainerError::NotLabrys(_))));
}

#[test]
fn failures_have_the_exit_code_of_clang() {
    let project = Project::new(&[
        ("bad.c", "int main(void) { return 1 }"),
        ("text", "hello\n"),
    ]);
    for line in [
        "@missing.c",
        "@missing.o",
        "@bad.c -o @x",
        "-c @bad.c -o @x.o",
        "@text -o @x",
    ] {
        assert_eq!(project.compile(Language::C, line), 1, "{line}");
        assert!(!project.path("x").exists());
    }
    assert_eq!(project.compile(Language::C, "-m32 @bad.c"), 1);
    assert_eq!(project.compile(Language::C, "--labrys-unknown @bad.c"), 1);
}

#[test]
fn undefined_symbols_fail_the_link() {
    let project = project();
    assert_eq!(
        project.compile(Language::C, "@main.c @native.o -o @program"),
        1
    );
    assert!(!project.path("program").exists());
}

#[test]
fn sources_are_built_at_once_with_our_header() {
    let text = r#"
#include <labrys.h>
int main(void) {
  int x = 3;
  labrys_assume(x == 3);
  if (x == 4) labrys_target("four");
  return 0;
}
"#;
    let project = Project::new(&[("main.c", text)]);
    project.cc("-DUNUSED @main.c -o @program");
    assert_eq!(project.run("program", &[]), "");
}

#[test]
fn oracles_become_sites_of_their_own() {
    let text = "int main(int argc, char **argv) { (void)argv; return 8 / argc - 8; }\n";
    let project = Project::new(&[("main.c", text)]);
    project.cc("--labrys-no-oracles @main.c -o @without");
    project.cc("@main.c -o @with");
    assert_eq!(project.run("with", &[]), "");
    let oracles = |name| {
        let sites = project.open(name).program().unwrap().sites;
        sites.iter().filter(|site| site.oracle).count()
    };
    assert_eq!(oracles("without"), 0);
    assert!(oracles("with") > 0);
}

#[test]
fn what_is_listed_as_pure_must_map_numbers() {
    let project = project();
    let list = project.path("pure");
    fs::write(&list, "# by hand\nhelper # doubles\nmissing\n").unwrap();
    project.cc("--labrys-pure=@pure @main.c @helper.c @native.o -o @program");
    assert_eq!(project.run("program", &[]), OUTPUT);
    fs::write(&list, "main\n").unwrap();
    let flag = format!("--labrys-pure={}", list.display()).into();
    let (source, other) = (project.path("main.c"), project.path("other"));
    let words = vec![flag, source.into(), "-o".into(), other.into()];
    let error = build(words, Language::C).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("main is marked as pure, but"), "{text}");
}

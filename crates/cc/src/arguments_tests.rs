//! Command lines as build systems write them, and what they are taken for.

use super::*;

fn read(line: &str) -> Invocation {
    parse(
        line.split(' ')
            .filter(|word| !word.is_empty())
            .map(OsString::from)
            .collect(),
    )
    .unwrap()
}

fn clang_words(line: &str) -> String {
    let words = read(line).arguments;
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    words.join(" ")
}

#[test]
fn modes() {
    let table = [
        ("", Mode::Ask),
        ("--version", Mode::Ask),
        ("-v", Mode::Ask),
        ("-dumpversion", Mode::Ask),
        ("-print-search-dirs", Mode::Ask),
        ("--print-prog-name=ld", Mode::Ask),
        ("-### -c a.c", Mode::Ask),
        ("-E a.c", Mode::Text),
        ("-E -", Mode::Text),
        ("-S a.c", Mode::Text),
        ("-MM a.c", Mode::Text),
        ("-fsyntax-only a.c", Mode::Text),
        ("-c a.c", Mode::Object),
        ("-c -MMD -MF a.d -o a.o a.c", Mode::Object),
        ("-x c -c -", Mode::Object),
        ("a.h", Mode::Text),
        ("-x c++-header a.hpp -o a.pch", Mode::Text),
        ("a.c", Mode::Link),
        ("a.o b.o -o x", Mode::Link),
        ("-lfoo", Mode::Link),
        ("-v a.o", Mode::Link),
        ("-Wl,-v a.o", Mode::Link),
        ("-Wl,--version", Mode::Ask),
    ];
    for (line, mode) in table {
        assert_eq!(read(line).mode, mode, "{line}");
    }
}

#[test]
fn linkages() {
    let table = [
        ("a.o", Linkage::Executable),
        ("-shared a.o", Linkage::Shared),
        ("-Wl,-soname,x,-shared a.o", Linkage::Shared),
        ("-r -nostdlib a.o", Linkage::Relocatable),
        ("-Wl,-r a.o", Linkage::Relocatable),
        ("-Xlinker --relocatable a.o", Linkage::Relocatable),
        ("-nostartfiles a.o", Linkage::Freestanding),
        ("-static a.o", Linkage::Static),
        ("-static -shared a.o", Linkage::Shared),
        ("-rdynamic -Wl,-rpath,/r a.o", Linkage::Executable),
    ];
    for (line, linkage) in table {
        assert_eq!(read(line).linkage, linkage, "{line}");
    }
}

#[test]
fn inputs_and_their_kinds() {
    let line = "a.c -I inc -include pre.h b.S -DX=y.c c.o -xc++ d.txt - -x none libe.a -o out.c";
    let found = read(line);
    let inputs: Vec<_> = found
        .inputs
        .iter()
        .map(|i| (i.path.to_str().unwrap(), i.kind))
        .collect();
    let expected = [
        ("a.c", InputKind::Source),
        ("b.S", InputKind::Assembler),
        ("c.o", InputKind::Linker),
        ("d.txt", InputKind::Source),
        ("-", InputKind::Source),
        ("libe.a", InputKind::Linker),
    ];
    assert_eq!(inputs, expected);
    assert_eq!(found.output, Some(PathBuf::from("out.c")));
    assert_eq!(read("-oout a.c").output, Some(PathBuf::from("out")));
    assert_eq!(read("--output=out a.c").output, Some(PathBuf::from("out")));
}

#[test]
fn words_for_clang() {
    let table = [
        ("-O0 -g -c a.c -o a.o", "-g -c a.c -o a.o"),
        ("-Os -flto -no-pie a.o -lm", "a.o -lm"),
        ("-static a.o", "a.o"),
        ("-D O0 -DO=-O0 -I -O3 a.c", "-D O0 -DO=-O0 -I -O3 a.c"),
        ("-Xclang -O0 a.c", "-Xclang -O0 a.c"),
        ("-Wl,-O1,--as-needed a.o", "-Wl,-O1,--as-needed a.o"),
        (
            "-std=c99 -Werror -fcustom -pthread a.c",
            "-std=c99 -Werror -fcustom -pthread a.c",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(clang_words(line), expected, "{line}");
    }
}

#[test]
fn options_of_labrys_stay_with_labrys() {
    let found = read("--labrys-no-oracles -c a.c");
    assert_eq!(found.checks, Checks::NONE);
    assert_eq!(found.original, ["-c", "a.c"]);
    let found = read("--labrys-check-overflow -c a.c").checks;
    assert!(found.oracles && found.overflow);
    assert_eq!(read("-c a.c").checks, Checks::default());
    let unknown = parse(vec!["--labrys-speed".into()]).unwrap_err();
    assert!(unknown.0.contains("--labrys-no-oracles"));
}

#[test]
fn refusals_say_what_to_do() {
    for line in [
        "-m32 a.c",
        "-target arm-linux-gnueabi a.c",
        "-fsanitize=thread a.c",
    ] {
        let words = line.split(' ').map(OsString::from).collect();
        let Refusal(message) = parse(words).unwrap_err();
        assert!(message.contains("leave"), "{line}: {message}");
    }
}

#[test]
fn dropped_profiles_are_noted() {
    let found = read("--coverage -c a.c");
    assert_eq!(clang_words("--coverage -c a.c"), "-c a.c");
    assert_eq!(found.notes.len(), 1);
}

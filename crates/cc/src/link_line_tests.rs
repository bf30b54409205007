//! Link lines with made-up inputs.

use super::*;

const BITCODE: &[u8] = &[b'B', b'C', 0xc0, 0xde];

fn line(words: &[&str]) -> LinkLine {
    let arguments = words.iter().map(OsString::from).collect();
    let job = Job {
        program: "lld".into(),
        arguments,
    };
    LinkLine::read(job, Path::new("/nowhere")).unwrap()
}

fn words(job: &Job) -> Vec<&str> {
    job.arguments
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect()
}

/// The words that every link takes.
fn words_of(line: &LinkLine) -> Vec<String> {
    let merge = line.merge(Path::new("m.bc"));
    let words = words(&merge).into_iter().map(String::from);
    words
        .take_while(|word| word != "--fat-lto-objects")
        .collect()
}

fn executable(line: &LinkLine, scratch: &Path) -> Vec<String> {
    let pieces = Pieces {
        objects: &[PathBuf::from("m.o")],
        runtime: Path::new("rt.a"),
        sanitizer: &[],
        output: Path::new("out"),
        scratch,
        reports: true,
        places: true,
    };
    let job = line.executable(&pieces).unwrap();
    words(&job).into_iter().map(String::from).collect()
}

#[test]
fn bitcode_goes_to_the_merge_and_natives_to_both() {
    let folder = tempfile::tempdir().unwrap();
    let bitcode = folder.path().join("a.o").to_str().unwrap().to_owned();
    fs::write(&bitcode, BITCODE).unwrap();
    let given = format!(
        "-pie -o x /l/crtbeginS.o -plugin gold.so -plugin-opt=O2 {bitcode} n.o -lfoo -Map x.map \
         --lto-O3 /l/crtendS.o"
    );
    let line = line(&given.split(' ').collect::<Vec<_>>());
    assert_eq!(line.output, Path::new("x"));
    let merge = line.merge(Path::new("m.bc"));
    let expected = format!(
        "-pie /l/crtbeginS.o {bitcode} n.o -lfoo /l/crtendS.o --fat-lto-objects --lto-emit-llvm \
         --lto-O0 -u LLVMFuzzerTestOneInput -u LLVMFuzzerInitialize -o m.bc"
    );
    assert_eq!(words(&merge).join(" "), expected);
    let expected = "-z now --gc-sections -z nostart-stop-gc -pie /l/crtbeginS.o m.o n.o -lfoo \
                    -Map x.map rt.a --push-state --as-needed -lm -lpthread -ldl -lgcc_eh -lc -lgcc --pop-state \
                    /l/crtendS.o -o out";
    assert_eq!(executable(&line, folder.path()).join(" "), expected);
}

#[test]
fn whole_archives_lose_their_bitcode() {
    let folder = tempfile::tempdir().unwrap();
    let header = |name: &str, size| format!("{name:<16}{:<32}{size:<10}`\n", "");
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in [("b.o/", BITCODE), ("n.o/", b"\x7fELFxy")] {
        archive.extend_from_slice(header(name, bytes.len()).as_bytes());
        archive.extend_from_slice(bytes);
    }
    fs::write(folder.path().join("libw.a"), archive).unwrap();
    let search = format!("-L{}", folder.path().display());
    let line = line(&[
        &search,
        "-lw",
        "--push-state",
        "--whole-archive",
        "-lw",
        "--pop-state",
        "-lw",
    ]);
    let merged = line.merge(Path::new("m.bc"));
    assert_eq!(
        words(&merged).iter().filter(|word| **word == "-lw").count(),
        3
    );
    let words = executable(&line, folder.path());
    assert_eq!(words.iter().filter(|word| *word == "-lw").count(), 2);
    let native = words.iter().find(|word| word.ends_with("/n.o")).unwrap();
    assert_eq!(fs::read(native).unwrap(), b"\x7fELFxy");
    assert!(!words.iter().any(|word| word.ends_with("/b.o")));
}

#[test]
fn native_objects_and_members_are_carried() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // The header of an object, as far as it says what the file is.
    let mut object = b"\x7fELF\x02\x01\x01".to_vec();
    object.resize(64, 0);
    object[16] = 1;
    object[18] = 62;
    fs::write(at("n.o"), &object).unwrap();
    let header = format!("{:<16}{:<32}{:<10}`\n", "m.o/", "", object.len());
    let archive = [b"!<arch>\n", header.as_bytes(), &object].concat();
    fs::write(at("libm.a"), archive).unwrap();
    let line = line(&["-pie", &at("n.o"), &at("libm.a"), "-lc"]);
    let lasting = line.lasting().expect("it lasts");
    for file in ["n.o", "libm.a"] {
        fs::remove_file(at(file)).unwrap();
    }
    assert!(line.lasting().is_none());
    let words = executable(&lasting, folder.path());
    let from = words.iter().position(|word| word == "-pie").unwrap();
    let names = words[from..from + 6].iter();
    let names: Vec<&str> = names.map(|word| word.rsplit('/').next().unwrap()).collect();
    let expected = ["-pie", "n.o", "--start-lib", "m.o", "--end-lib", "-lc"];
    assert_eq!(names, expected);
    assert_eq!(fs::read(&words[from + 1]).unwrap(), object);
}

#[test]
fn libraries_are_told_from_options() {
    let words = [
        "-ltommath",
        "-l",
        "lto",
        "--lto-partitions=2",
        "-plugin-opt=O3",
        "--trace",
        "-t",
    ];
    let line = line(&words);
    assert_eq!(words_of(&line), ["-ltommath", "-l", "lto"]);
}

#[test]
fn exceptions_have_one_unwinder() {
    let folder = tempfile::tempdir().unwrap();
    let shared = |words: &[&str]| {
        let words = executable(&line(words), folder.path());
        let has = |library: &str| words.iter().any(|word| word == library);
        assert_ne!(has("-lgcc_s"), has("-lgcc_eh"));
        has("-lgcc_s")
    };
    assert!(shared(&["-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"]));
    assert!(!shared(&["-lgcc", "--as-needed", "-lgcc_s", "-lc"]));
    assert!(!shared(&[
        "-static",
        "-pie",
        "--no-dynamic-linker",
        "-lstdc++"
    ]));
}

#[test]
fn functions_that_may_be_missing_are_found_late() {
    let folder = tempfile::tempdir().unwrap();
    let now = |words: &[&str]| {
        let words = executable(&line(words), folder.path());
        words.windows(2).any(|pair| pair == ["-z", "now"])
    };
    assert!(now(&["-lm"]));
    assert!(!now(&["--unresolved-symbols=ignore-all"]));
    assert!(!now(&["--warn-unresolved-symbols", "-lm"]));
}

#[test]
fn symbols_are_wrapped_when_bitcode_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["-lm", "--wrap", "f", "-wrap", "g", "--wrap=h", "-o", "x"];
    let line = line(&words);
    let expected = ["-lm", "--wrap", "f", "--wrap", "g", "--wrap", "h"];
    assert_eq!(words_of(&line), expected);
    assert_eq!(line.linking().wrapped, ["f", "g", "h"]);
    assert!(!line.linking().renames);
    let words = executable(&line, folder.path());
    assert!(!words.iter().any(|word| word.contains("wrap")));
    assert!(
        line.lasting()
            .is_some_and(|line| line.linking().wrapped.len() == 3)
    );
}

//! The rows among each other, against the system's headers, and against the models that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_library::{
    Access, CallsBack, Effect, Extent, Forward, Function, MODEL_PREFIX, Mark, Type, WRAPPER_PREFIX,
    function, functions,
};

fn crates() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("a folder").to_owned()
}

/// The texts of the files with this ending in a folder and below.
fn texts(folder: &Path, ending: &str, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            texts(&path, ending, found);
        } else if path.extension().is_some_and(|it| it == ending) {
            let text = fs::read_to_string(&path).expect("text");
            found.push((path, text));
        }
    }
}

/// Words that begin with a prefix, without it.
fn words_after(text: &str, prefix: &str) -> BTreeSet<String> {
    let parts = text.split(prefix).skip(1);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    parts
        .map(|part| part.chars().take_while(|it| is_part(*it)).collect())
        .filter(|word: &String| !word.is_empty())
        .collect()
}

#[test]
fn a_name_has_one_row() {
    let mut seen = BTreeSet::new();
    for row in functions() {
        assert!(seen.insert(row.name()), "{} has two rows", row.name());
    }
}

#[test]
fn words_of_a_row_fit_each_other() {
    for row in functions() {
        let name = row.name();
        let written = row.written(20).count();
        let unknown = (0..20).any(|argument| row.access(argument) == Access::Unknown);
        match row.effect() {
            Some(Effect::Reads | Effect::Streams) => assert_eq!(written, 0, "{name} writes"),
            Some(Effect::Fills { .. }) => assert!(!unknown, "{name}: what does it write?"),
            None => {}
        }
        if row.effect().is_some() {
            assert_eq!(row.calls_back(), CallsBack::Never, "{name}");
        }
        if let CallsBack::Argument(place) | CallsBack::AtExit(place) = row.calls_back() {
            assert_eq!(row.access(place), Access::Code, "{name}");
        }
        if let Forward::Output(Some(place)) = row.forward() {
            let to = row.parameters()[place];
            assert!(
                to.access == Access::File || to.ty == Type::Int(32),
                "{name}"
            );
        }
        if row.allocation().is_some() {
            assert_eq!(row.result(), Type::Pointer, "{name}");
        }
        if row.is_pure() {
            let numbers = row.parameters().iter().all(|it| it.access == Access::None);
            assert!(numbers && !row.is_variadic(), "{name}");
        }
        for parameter in row.parameters() {
            if let Access::Writes(Extent::Parameter(place, _)) = parameter.access {
                let bound = row.parameters()[place].ty;
                assert!(
                    matches!(bound, Type::Int(_)),
                    "{name}: bound of {}",
                    parameter.name
                );
            }
        }
    }
}

/// Of a function with a model the other stages know something, but of these: they may call
/// handlers that the program sets, or start a thread.
#[test]
fn models_are_known_backwards() {
    const OPEN: [&str; 4] = ["_Znwm", "_Znam", "error_at_line", "pthread_create"];
    for row in functions() {
        let known = row.effect().is_some()
            || row.harness().is_some()
            || row.allocation().is_some()
            || row.has(Mark::NoReturn)
            || row.calls_back() != CallsBack::Anything;
        let open = OPEN.contains(&row.name());
        assert!(
            row.forward() == Forward::None || known != open,
            "{}",
            row.name()
        );
    }
}

#[test]
fn other_names() {
    for (name, model) in [
        ("__isoc99_sscanf", "__labrys_m_sscanf"),
        ("__mempcpy_chk", "__labrys_w_mempcpy"),
        ("lgammaf_r", "__labrys_m_lgammaf_r"),
        ("ldexpf", "__labrys_w_ldexpf"),
        ("getc_unlocked", "__labrys_w_getc_unlocked"),
    ] {
        let found = function(name).and_then(Function::model);
        assert_eq!(found.as_deref(), Some(model), "{name}");
    }
    assert!(function("crc32").is_none());
    let family = function("__VERIFIER_nondet_uint").expect("a family");
    assert_eq!(family.rest_of("__VERIFIER_nondet_uint"), Some("uint"));
    assert!(family.has(Mark::InProcess), "of the wider family");
}

/// Each model of a row is there, and each that is there has a row.
#[test]
fn models_have_rows() {
    let mut c = Vec::new();
    let mut rust = Vec::new();
    texts(&crates(), "c", &mut c);
    texts(&crates().join("runtime"), "rs", &mut rust);
    let words = |texts: &[(PathBuf, String)], prefix: &str| -> BTreeSet<String> {
        texts
            .iter()
            .flat_map(|(_, text)| words_after(text, prefix))
            .collect()
    };
    let whole = c.iter().find(|(path, _)| path.ends_with("models.c"));
    let (source, _) = whole.expect("the models in C");
    let models = words_after(&clang(&["-E", "-P"], source), MODEL_PREFIX);
    let mut wrappers = words(&rust, WRAPPER_PREFIX);
    // Those that macros define.
    let made = functions().iter().filter(|row| row.is_pure());
    wrappers.extend(made.map(|row| row.name().to_owned()));
    for (there, forward) in [(models, Forward::Model), (wrappers, Forward::Wrapper)] {
        let of_rows: BTreeSet<String> = functions()
            .iter()
            .filter(|row| row.forward() == forward && row.name() == row.canonical())
            .map(|row| row.name().to_owned())
            .collect();
        let missing: Vec<_> = of_rows.difference(&there).collect();
        assert!(
            missing.is_empty(),
            "{forward:?}: rows without a model: {missing:?}"
        );
        let pure = |name: &&String| function(name).is_some_and(Function::is_pure);
        let nobody: Vec<_> = there
            .difference(&of_rows)
            .filter(|name| !pure(name))
            .collect();
        assert!(
            nobody.is_empty(),
            "{forward:?}: models without a row: {nobody:?}"
        );
    }
}

/// Types of parameters and results are those of the headers, where clang knows the function.
#[test]
fn types_are_those_of_the_headers() {
    let headers = "stdio stdlib string ctype math wchar wctype unistd fcntl time signal inttypes \
        err error syslog getopt setjmp sys/stat sys/mman sys/uio sys/time sys/random arpa/inet \
        regex locale dirent";
    let includes: String = headers
        .split_whitespace()
        .map(|header| format!("#include <{header}.h>\n"))
        .collect();
    let mut text = format!("#define _GNU_SOURCE\n{includes}void *uses[] = {{\n");
    let rows = functions().iter().filter(|row| is_identifier(row.name()));
    let rows: BTreeMap<&str, &Function> = rows.map(|row| (row.name(), row)).collect();
    let folder = tempfile();
    let source = folder.join("uses.c");
    let known = declared(&source, &includes);
    for name in rows.keys().filter(|name| known.contains(**name)) {
        text += &format!("(void *)&{name},\n");
    }
    text += "};\n";
    fs::write(&source, text).expect("written");
    let output = clang(
        &["-S", "-emit-llvm", "-O0", "-w", "-fno-builtin", "-o", "-"],
        &source,
    );
    let _ = fs::remove_dir_all(&folder);
    let mut compared = 0;
    for line in output
        .lines()
        .filter_map(|line| line.strip_prefix("declare "))
    {
        let (result, rest) = line.split_once('@').expect("a name");
        let (name, rest) = rest.split_once('(').expect("parameters");
        let Some(row) = rows.get(name) else { continue };
        let (parameters, _) = rest
            .split_once(") ")
            .or(rest.split_once(')'))
            .expect("an end");
        let types: Vec<Type> = parameters.split(", ").filter_map(of_llvm).collect();
        let own: Vec<Type> = row.parameters().iter().map(|it| it.ty).collect();
        let result = of_llvm(result.trim()).unwrap_or(Type::Void);
        if row.result() == Type::Structure || own.contains(&Type::Structure) {
            continue;
        }
        assert_eq!((own, row.result()), (types, result), "{name}: {line}");
        assert_eq!(row.is_variadic(), parameters.ends_with("..."), "{name}");
        compared += 1;
    }
    assert!(compared > 400, "only {compared} functions compared");
}

fn is_identifier(name: &str) -> bool {
    !name.contains('.') && !name.starts_with("_Z")
}

fn tempfile() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn clang(flags: &[&str], source: &Path) -> String {
    let output = Command::new("clang-19").args(flags).arg(source).output();
    let output = output.expect("clang-19 is there");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// What headers declare.
fn declared(source: &Path, includes: &str) -> BTreeSet<String> {
    fs::write(source, format!("#define _GNU_SOURCE\n{includes}")).expect("written");
    let text = clang(&["-E", "-P"], source);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let text = text.replace(" (", "(");
    let before = text
        .split('(')
        .map(|part| part.rsplit(|it| !is_part(it)).next());
    before
        .flatten()
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The type of a parameter or result with its attributes.
fn of_llvm(text: &str) -> Option<Type> {
    text.split_whitespace().find_map(|word| match word {
        "ptr" => Some(Type::Pointer),
        "float" => Some(Type::Float),
        "double" => Some(Type::Double),
        "x86_fp80" => Some(Type::LongDouble),
        "void" => Some(Type::Void),
        _ => {
            let width = word.strip_prefix('i')?.parse().ok()?;
            Some(Type::Int(width))
        }
    })
}

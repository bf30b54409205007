//! What units depend on: a unit is known as long as that is as it was.

#![allow(missing_docs)]

mod common;

use std::path::Path;

use common::{folder, labrys_cc, succeed};
use labrys_units::{Around, Keys, Ran, Request};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What units in a program of this text depend on.
fn keys_of(folder: &Path, text: &str, entry: &str, stubs: &[&str]) -> Keys {
    let (source, program) = (folder.join("p.c"), folder.join("p"));
    std::fs::write(&source, text).expect("a file");
    succeed(labrys_cc().arg(&source).arg("-o").arg(&program));
    let frozen = folder.join("frozen");
    let stock = labrys_cc::Frozen::of_executable(&program, &frozen).expect("a program");
    let request = Request {
        entries: names(&[entry]),
        around: vec![Around {
            stubs: names(stubs),
            ..Around::default()
        }],
        stubs: names(stubs),
        ..Request::default()
    };
    stock.keys(&request).expect("keys")
}

#[test]
fn a_unit_needs_what_its_runs_called() {
    const TEXT: &str = r#"
static int first = 0, second = 0;
static int count(int n) { first += n; return first > 3; }
static int other(int n) { second = n; return n > 4; }
static int (*const table[])(int) = {count, other};
static const char *name(int n) { return n ? "none" : "some"; }
int entry(int n) { return n < 2 ? table[n & 1](n) : name(n)[0]; }
__attribute__((constructor)) static void begin(void) { first = 1; }
int main(int argc, char **argv) { return entry(argc); }
"#;
    let folder = folder();
    let ran = |functions: &[&str], stubs: &[&str]| Ran {
        functions: names(functions).into_iter().collect(),
        stubs: names(stubs).into_iter().collect(),
    };
    let keys = keys_of(folder.path(), TEXT, "entry", &["name"]);
    let known = keys.needs("entry", Some(&ran(&["entry", "count"], &["name"])));
    let known = known.expect("a unit");
    let all = keys.needs("entry", None).expect("a unit");
    assert!(keys.holds("entry", &known) && keys.holds("entry", &all));
    let called = |keys: &Keys| keys.units["entry"].called.clone();
    let holds = |from: &str, to: &str, stubs: &[&str]| {
        assert!(TEXT.contains(from), "{from}");
        let changed = keys_of(folder.path(), &TEXT.replace(from, to), "entry", stubs);
        let same = called(&changed) == called(&keys);
        (
            same && changed.holds("entry", &known),
            changed.holds("entry", &all),
        )
    };
    // A function that did not run, and one behind a stub.
    assert_eq!(holds("n > 4", "n > 5", &["name"]), (true, false));
    assert_eq!(holds("\"none\"", "\"nothing\"", &["name"]), (true, true));
    // One that ran, with another constant or another variable; what a stub stood for; the table, a first
    // value, what runs before.
    let changes: [(&str, &str, &[&str]); 7] = [
        ("first > 3", "first > 4", &["name"]),
        (
            "first += n; return first",
            "second += n; return second",
            &["name"],
        ),
        ("n < 2", "n < 2", &[]),
        ("n < 2", "n < 2", &["name", "count"]),
        ("{count, other}", "{other, count}", &["name"]),
        ("first = 0", "first = 1", &["name"]),
        ("{ first = 1; }", "{ first = 2; }", &["name"]),
    ];
    for (from, to, stubs) in changes {
        let (known_holds, _) = holds(from, to, stubs);
        assert!(!known_holds, "{from}");
    }
    // A function that is not the program's may be anything.
    let unknown = keys.needs("entry", Some(&ran(&["entry", "nobody"], &[])));
    assert_eq!(unknown.as_ref(), Some(&all));
}

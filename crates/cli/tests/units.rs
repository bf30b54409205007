//! Units: functions behind drivers, with stubs in place of others.

#![allow(missing_docs)]

mod common;

use common::{folder, labrys, labrys_cc, output, succeed};
use labrys_suite::Suite;
use labrys_units::{Bounds, Request};

const STUBBED: &str = r#"
struct pair { int a; double b; };
static int helper(int *out, struct pair *pair, const char *text) {
  *out = 3;
  pair->b = 1;
  return text[0];
}
static char *name(void) { return "x"; }
int outer(int n) {
  int got = 0;
  struct pair pair = {1, 2};
  int result = helper(&got, &pair, "abc");
  if (got == 99 && result == -5 && pair.b == 2.5) return 1;
  char *text = name();
  if (text && text[0] == 'q' && text[1] == 'r') return 2;
  return n;
}
int main(void) { return outer(1); }
"#;

#[test]
fn stubs_have_free_results_and_outputs() {
    let folder = folder();
    let (source, program) = (folder.path().join("p.c"), folder.path().join("p"));
    std::fs::write(&source, STUBBED).expect("a file");
    succeed(labrys_cc().arg(&source).arg("-o").arg(&program));
    let request = Request {
        entries: vec!["outer".to_owned()],
        stubs: vec!["helper".to_owned(), "name".to_owned()],
        bounds: Bounds::default(),
        ..Request::default()
    };
    let unit = folder.path().join("unit");
    let drivers = labrys_cc::build_unit(&program, &request, &unit).expect("a unit");
    assert_eq!(drivers.left_out, []);
    let leaves = |number: usize| {
        let names = drivers.stubs[number].leaves.iter();
        names
            .map(|leaf| leaf.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(leaves(0), "*out *pair.a *pair.b helper()");
    assert_eq!(leaves(1), "name() name()");
    let out = folder.path().join("out");
    let covered = output(labrys().arg("cover").arg(&unit).arg("--out").arg(&out));
    assert!(covered.status.success(), "{covered:?}");
    let suite = Suite::open(&out).expect("a suite");
    let objects = suite.cases.iter().flat_map(|case| &case.objects);
    let free = objects.filter(|object| object.name == "*out").count();
    assert!(free > 0);
    let summary = suite.summary.expect("a summary");
    // The two that are open are of the stub: it writes nothing through null pointers.
    let branches = summary.branches;
    assert_eq!(branches.total - branches.covered, 2, "{summary:?}");
}

//! Functions as entries whose parameters point into one array or are numbers of 128 bits, or that
//! look at the error number; null pointers that end a run before it decides anything of them (`hex`).

#![allow(missing_docs)]

mod common;

use common::{all_covered, folder, labrys, output, text};

const SOURCE: &str = r#"
#include <errno.h>
#include <stddef.h>
struct item { int key; struct item *next; };
struct outer { struct item item; int more; };
static int hex(const unsigned char *at, const unsigned char *last) {
  int value = 0;
  while (at < last && *at >= '0' && *at <= '9') value = value * 10 + *at++ - '0';
  return value;
}
int decode(const unsigned char *input, const unsigned char *input_end) {
  if (!input || !input_end) return -1;
  if (input_end - input < 6) return -2;
  if (input[0] == '\\' && input[1] == 'u') return hex(input + 2, input_end) == 37;
  return 0;
}
int find(int *first, int *last, int key) {
  if (!first || !last) return -1;
  for (; first != last; first++)
    if (*first == key) return 1;
  return 0;
}
int passed_on(const unsigned char *from, const unsigned char *to) {
  if (!from || !to) return -1;
  return hex(from, to) == 21;
}
int apart(int *left, int *right) {
  if (!left || !right) return -1;
  if (left == right) return 1;
  return *left == 5 && *right == 6 ? 2 : 3;
}
int far_apart(const char *from, const char *to) {
  if (!from || !to) return -1;
  return to - from >= 24 ? from[23] == 'x' : 0;
}
int wide(unsigned __int128 sum, __int128 difference, int more) {
  if (sum >> 70) return more == 5;
  return difference < 0;
}
int last_error(int code) {
  if (errno == ETIMEDOUT) return code == 7 ? 1 : 2;
  return errno == EINTR ? 3 : 4;
}
int is_ring(struct outer *outer) {
  if (!outer) return -1;
  return outer->item.next == &outer->item ? outer->item.key == 9 : outer->more == 3;
}
"#;

#[test]
fn parameters_point_into_one_array_and_the_error_number_is_an_input() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let mut command = labrys();
    command.current_dir(folder.path());
    command.args(["cover", "lib.c", "--all-functions"]);
    let run = output(command.args(["--steps", "9000", "--out", "out"]));
    let told = text(&run);
    let names = [
        "hex",
        "decode",
        "find",
        "passed_on",
        "apart",
        "far_apart",
        "wide",
        "last_error",
        "is_ring",
    ];
    all_covered(folder.path(), &told, &names);
    let read = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let tests = read("decode");
    assert!(tests.contains("((char *)input + 32)"), "{tests}");
    // Two objects that the code compares only as wholes stay two.
    assert!(!read("apart").contains("(char *)left"));
    assert!(read("last_error").contains("errno = 110;"));
}

//! Functions that get a pointer to a member and go back to the structure around it: elements of lists,
//! iterators, structures that begin with a smaller one.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder};

const SOURCE: &str = r#"
#include <stddef.h>
struct list { struct list *prev, *next; };
struct pair { int kind; struct list list; struct list ordered; int value; char key[1]; };
struct task { struct list all; long time; struct list links[2]; };
#define CONTAINER(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define EACH(one, head, member) \
  for (one = CONTAINER((head)->next, __typeof__(*one), member); &one->member != (head); \
       one = CONTAINER(one->member.next, __typeof__(*one), member))
int value(void *iterator) {
  struct pair *p = CONTAINER(iterator, struct pair, ordered);
  return p->value == 5 ? 1 : 0;
}
int kind(const struct list *list) {
  if (!list) return -1;
  return CONTAINER(list, struct pair, list)->kind == 4 ? 1 : 0;
}
int sum(struct list *head) {
  struct pair *p;
  int n = 0;
  if (!head || !head->next) return -1;
  EACH(p, head, ordered) if (p->value == 7) n++;
  return n > 1 ? 2 : n;
}
int length(struct list *head) {
  int n = 0;
  if (!head || !head->next) return -1;
  for (struct list *i = head->next; i != head; i = i->next)
    if (CONTAINER(i, struct pair, list)->value > 3) n++;
  return n == 2;
}
int soon(struct list *link) {
  if (!link) return -1;
  struct task *task = CONTAINER(link, struct task, links[1]);
  return task->time == 9 && task->links[0].next ? 1 : 0;
}
struct shape { int kind; int area; int more; };
struct square { struct shape base; int side; };
struct circle { struct shape base; const char *name; int radius; };
int radius(struct shape *s) {
  if (!s) return -1;
  if (s->kind != 3) return 0;
  struct circle *c = (struct circle *)s;
  return c->radius == 9 && c->name && c->name[0] == 'c';
}
struct named { struct shape base; const char *name; int sides[4]; };
int measure(struct shape *s) {
  if (!s) return -1;
  if (s->kind == 1) return ((struct square *)s)->side == 4 ? 1 : 2;
  if (s->kind == 2) return ((struct named *)s)->sides[3] == 6 ? 3 : 4;
  return 0;
}
struct block { unsigned size; unsigned flags; unsigned char data[]; };
int is_free(void *data) {
  if (!data) return -1;
  struct block *block = CONTAINER(data, struct block, data);
  return block->flags & 1 && block->data[0] == 'x';
}
"#;

#[test]
fn structures_are_around_the_members_that_pointers_point_to() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "9000");
    let names = [
        "kind", "sum", "length", "soon", "radius", "is_free", "value", "measure",
    ];
    all_covered(folder.path(), &told, &names);
    let read = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let has = |name: &str, text: &str| {
        let tests = read(name);
        assert!(tests.contains(text), "{text} is not in\n{tests}");
    };
    has("value", "  struct pair iterator = {0};\n");
    has("value", "  iterator.value = 5;\n");
    has("value", "value(&iterator.ordered)");
    has("kind", "kind(&list.list)");
    has("sum", "head.next = &head_next.ordered;\n");
    has("soon", "soon(&link.links[1])");
    has("radius", "radius(&s.base)");
    has("is_free", "is_free(&data->data)");
}

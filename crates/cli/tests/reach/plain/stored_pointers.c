// inputs: 00 01 02 03
// Functions that are called through what variables and tables hold.
#include <labrys.h>
#include <stdint.h>
#include <stdio.h>

typedef void Action(void);
static void stored(void) { labrys_target("stored"); }
static void passed(void) { labrys_target("passed"); }
static void copied(void) { labrys_target("copied"); }
static void in_table(void) { labrys_target("in_table"); }
static void in_structure(void) { labrys_target("in_structure"); }
static void in_union(void) { labrys_target("in_union"); }
static void in_parts(void) { labrys_target("in_parts"); }
static void as_number(void) { labrys_target("as_number"); }
static void through_alias(void) { labrys_target("through_alias"); }
static void chosen(void) { labrys_target("chosen"); }
static void swapped(void) { labrys_target("swapped"); }
static void by_callback(void) { labrys_target("by_callback"); }
static void of_another_type(void) { labrys_target("of_another_type"); }
static void behind_table(void) { labrys_target("behind_table"); }
static void read_elsewhere(void) { labrys_target("read_elsewhere"); }
static void never_stored(void) { labrys_target("never_stored"); }
static void replaced_name(void) { labrys_target("replaced_name"); }

static Action *variable;
static Action *given;
static Action *copy;
static Action *const table[] = {0, in_table, 0};
static struct { const char *name; Action *action; } structures[] = {{"a", 0}, {"b", in_structure}};
static union { Action *action; uintptr_t bits; } either;
static union { Action *action; uint32_t half[2]; } parts;
static uintptr_t number;
static Action *aliased;
static Action *first = swapped, *second;
static Action *called_back;
static int (*typed)(int, void *);
static Action *pair[2];
static Action *elsewhere;
static Action *unused[] = {never_stored};
static int unused_count;

static void install(Action *action) { given = action; }
static int compare(const void *a, const void *b) {
  called_back = by_callback;
  return 0;
}
static void write_through(Action **where, Action *action) { *where = action; }
static void swap(Action **a, Action **b) { Action *c = *a; *a = *b; *b = c; }
static void call(Action *action) { if (action) action(); }

int main(void) {
  unsigned char b = 0;
  labrys_symbolic(&b, 1, "b");
  variable = stored;
  call(variable);
  install(passed);
  given();
  Action *source = copied;
  memcpy(&copy, &source, sizeof copy);
  copy();
  if (table[b % 3]) table[b % 3]();
  if (structures[b % 2].action) structures[b % 2].action();
  either.bits = (uintptr_t)in_union;
  either.action();
  uintptr_t bits = (uintptr_t)in_parts;
  parts.half[0] = (uint32_t)bits;
  parts.half[1] = (uint32_t)(bits >> 32);
  parts.action();
  number = (uintptr_t)as_number ^ 0x55;
  ((Action *)(number ^ 0x55))();
  write_through(&aliased, through_alias);
  aliased();
  variable = b > 1 ? chosen : stored;
  variable();
  swap(&first, &second);
  if (first) first();
  if (second) second();
  int numbers[2] = {2, 1};
  qsort(numbers, 2, sizeof *numbers, compare);
  call(called_back);
  typed = (int (*)(int, void *))of_another_type;
  typed(1, &b);
  for (int i = 0; i < 2; i++) pair[i] = i ? behind_table : stored;
  pair[b & 1]();
  FILE *file = tmpfile();
  source = read_elsewhere;
  fwrite(&source, sizeof source, 1, file);
  rewind(file);
  fread(&elsewhere, sizeof elsewhere, 1, file);
  elsewhere();
  if (unused_count) unused[0]();
  if (b == 77 && variable == replaced_name) variable();
  return 0;
}

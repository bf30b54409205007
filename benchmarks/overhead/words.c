/* Merge sort of words by a comparison of its own, and a hash table of them: concrete work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 20000, BUCKETS = 4096 };
static char text[WORDS][12];
static char *words[WORDS], *spare[WORDS];
static struct entry {
  const char *word;
  int count;
  struct entry *next;
} entries[WORDS], *buckets[BUCKETS];

static int before(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (unsigned char)*a < (unsigned char)*b;
}

static void sort(int from, int to) {
  if (to - from < 2) return;
  int middle = (from + to) / 2, i = from, j = middle, k = from;
  sort(from, middle);
  sort(middle, to);
  while (i < middle && j < to) spare[k++] = before(words[j], words[i]) ? words[j++] : words[i++];
  while (i < middle) spare[k++] = words[i++];
  while (j < to) spare[k++] = words[j++];
  memcpy(words + from, spare + from, (to - from) * sizeof *words);
}

static int count(void) {
  int used = 0;
  memset(buckets, 0, sizeof buckets);
  for (int i = 0; i < WORDS; i++) {
    unsigned hash = 5381;
    for (const char *s = words[i]; *s; s++) hash = hash * 33 + (unsigned char)*s;
    struct entry *e = buckets[hash % BUCKETS];
    while (e && strcmp(e->word, words[i])) e = e->next;
    if (!e) {
      e = &entries[used++];
      *e = (struct entry){words[i], 0, buckets[hash % BUCKETS]};
      buckets[hash % BUCKETS] = e;
    }
    e->count++;
  }
  return used;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1, total = 0;
  unsigned state = 1;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < WORDS; i++) {
      int size = 3 + i % 7;
      for (int k = 0; k < size; k++) text[i][k] = 'a' + ((state = state * 1103515245 + 12345) >> 16) % 5;
      text[i][size] = 0;
      words[i] = text[i];
    }
    sort(0, WORDS);
    total += count();
  }
  printf("%d %s\n", total, words[WORDS / 2]);
}

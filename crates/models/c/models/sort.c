/* Sorting and searching with the program's own order: the library would call back with bytes
 * that it moved without their labels. The comparisons are those of glibc's merge sort. */

typedef int order(const void *, const void *);
typedef int order_with(const void *, const void *, void *);

static void merge_sort(byte *p, size_t n, size_t size, order_with *compare, void *more,
                       byte *space) {
  if (n <= 1) return;
  size_t left = n / 2, right = n - left;
  byte *a = p, *b = p + left * size, *to = space;
  merge_sort(a, left, size, compare, more, space);
  merge_sort(b, right, size, compare, more, space);
  for (; left > 0 && right > 0; to += size) {
    if (compare(a, b, more) <= 0) {
      __labrys_w_memcpy(to, a, size);
      a += size;
      left--;
    } else {
      __labrys_w_memcpy(to, b, size);
      b += size;
      right--;
    }
  }
  if (left > 0) __labrys_w_memcpy(to, a, left * size);
  __labrys_w_memcpy(p, space, (n - right) * size);
}

static int without(const void *a, const void *b, void *compare) {
  return ((order *)compare)(a, b);
}

void MODEL(qsort_r)(void *p, size_t n, size_t size, order_with *compare, void *more) {
  byte *space;
  if (n < 2 || size == 0) return;
  if (__labrys_concrete(p, n * size) || !(space = __labrys_w_malloc(n * size))) {
    qsort_r(p, n, size, compare, more);
    return;
  }
  merge_sort(p, n, size, compare, more, space);
  __labrys_w_free(space);
}

void MODEL(qsort)(void *p, size_t n, size_t size, order *compare) {
  if (__labrys_concrete(p, n * size))
    qsort(p, n, size, compare);
  else
    MODEL(qsort_r)(p, n, size, without, (void *)compare);
}

/* Is it true? The number that it is compared with tells places apart: each is a branch of its own
 * for the search. */
static int decide(int truth, size_t place) {
  size_t number = 2 * place + 1;
  __asm__("" : "+r"(number)); /* Else this is the comparison with 0 again. */
  return (size_t)truth + 2 * place == number;
}

void *MODEL(bsearch)(const void *key, const void *p, size_t n, size_t size, order *compare) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const void *at = (const byte *)p + middle * size;
    int result = compare(key, at);
    if (decide(result == 0, middle)) return (void *)at;
    if (decide(result < 0, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* Helpers that the instrumentation pass calls and -O2 inlines: the fast path of everything.
 *
 * Each asks "is any label involved?" and calls the runtime only if so. Label 0 is "concrete".
 * The shadow of address a is the array of u32 at (a & 0xfffffffffff) << 2, one per byte.
 * Widths, operation and site numbers are constants at each call.
 */

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
/* Shadow and labels in flight have a type of their own: no store of the program can be taken for
 * one to them. Pairs are of it too, since only single words are ever written. */
typedef unsigned _BitInt(8) flag;
typedef unsigned _BitInt(32) word;
typedef unsigned _BitInt(64) __attribute__((aligned(4))) pair;
typedef unsigned _BitInt(64) __attribute__((aligned(1))) eight;

#define HELPER static inline __attribute__((always_inline, used))
#define UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define SHADOW(p) (((u64)(p) & 0xfffffffffffUL) << 2)

/* Shadow of 1, 2, 4, 8, 16 bytes, reduced to "0 if and only if nothing is labelled". */
#define PAIR(p, i) ((u64)((const pair *)SHADOW(p))[i])
#define SHADOW1(p) ((u32)*(const word *)SHADOW(p))
#define SHADOW2(p) PAIR(p, 0)
#define SHADOW4(p) (PAIR(p, 0) | PAIR(p, 1))
#define SHADOW8(p) (SHADOW4(p) | PAIR(p, 2) | PAIR(p, 3))
#define SHADOW16(p) (SHADOW8(p) | PAIR(p, 4) | PAIR(p, 5) | PAIR(p, 6) | PAIR(p, 7))

/* Not 0 where a word of the shadow of the 64 bytes around p may be not 0. */
#define FLAG(p) ((u32)((const flag *)0x400000000000UL)[(u64)(p) >> 6])

/* _Bool: no store to it can be taken for a store to anything else of the program. */
extern _Bool __labrys_coverage_map[];
/* Not 0 where it is asked how near a run comes to a branch. */
extern const word __labrys_near_map[];
/* Set before the program's code runs: a constant for all that LLVM may do with it. */
extern const u32 __labrys_all_branches;
/* Not 0 then too, and where functions that are called are recorded. */
extern const u32 __labrys_all_calls;

/* Labels on their way between caller and callee; the runtime defines it (c/thread.c there). */
extern __thread struct {
  u64 tag;
  u64 copy_tag;
  const void *copies[8];
  word args[64];
  word results[32];
  u32 variadic_count;
  u64 variadic_tag;
  u64 variadic_serial;
  struct {
    u32 place, label;
  } variadic[32];
} __labrys_thread;

extern u32 __labrys_slow_load(void *p, u32 address, u32 size, u64 value);
extern u64 __labrys_slow_ahead(u64 start, u64 more, long step, u64 times);
extern u32 __labrys_slow_load_wide(void *p, u32 address, u64 low, u64 high);
extern void __labrys_slow_array_size(u32 label, u64 count, u64 element);
extern void __labrys_slow_store(void *p, u32 address, u32 size, u32 label);
extern u32 __labrys_slow_store_at(void *p, u32 address, u32 size, u32 label, u64 value);
extern u32 __labrys_slow_unary(u64 meta, u32 a, u64 value, u64 high);
extern u32 __labrys_slow_binary(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value);
extern u32 __labrys_slow_wide(u64 meta, u32 a, u32 b, u64 al, u64 ah, u64 bl, u64 bh, u64 rl,
                              u64 rh);
extern u32 __labrys_slow_compare(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value);
extern u32 __labrys_slow_intrinsic(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value);
extern u32 __labrys_slow_ternary(u64 meta, u32 a, u32 b, u32 c, u64 av, u64 bv, u64 cv, u64 value);
extern u32 __labrys_slow_index(u32 base, u32 index, u64 bv, u64 iv, u64 scale);
extern u32 __labrys_slow_offset(u32 base, u64 offset);
extern void __labrys_slow_branch(u32 site, u32 label, u32 direction, u32 branch, u64 frame);
extern void __labrys_slow_near(u32 branch, u32 kind, u64 a, u64 b);
extern void __labrys_slow_select(u32 site, u32 label, u32 direction, u32 branch, u64 frame);
extern void __labrys_slow_switch(u32 site, u32 label, u32 direction, u64 value, u32 branch, u64 frame);
extern u32 __labrys_slow_param(u32 index, u32 width, u64 value);
extern u32 __labrys_slow_result(u32 label, u32 width, u64 value);
extern void __labrys_slow_call(u32 function, u32 leave);
extern void __labrys_slow_taken(const char *name, u32 function, u32 label, u64 value);
extern void __labrys_slow_lost(u32 cause, u32 function, u32 label, u64 value);
extern void __labrys_slow_va_start(void *list, u64 serial);
extern void __labrys_slow_copy(void *to, const void *from, u64 size, u32 length);
extern void __labrys_slow_fill(void *to, u32 label, u64 size, u32 length);
extern void __labrys_slow_fill_some(void *to, u32 label, u64 value, u64 size, u32 length);

#define LOAD(N)                                                                                  \
  HELPER u32 __labrys_load##N(void *p, u32 address, u64 value) {                                 \
    if (UNLIKELY(address | SHADOW##N(p))) return __labrys_slow_load(p, address, N, value);       \
    return 0;                                                                                    \
  }                                                                                              \
  HELPER void __labrys_store##N(void *p, u32 address, u32 label) {                               \
    if (UNLIKELY(address | label | SHADOW##N(p))) __labrys_slow_store(p, address, N, label);     \
  }
LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)

/* Of the concrete version of a function: not 0 if the bytes may have labels; if they do. */
HELPER u32 __labrys_flag(void *p) { return FLAG(p); }

HELPER u32 __labrys_flags(void *p, u64 size) {
  u32 flags = FLAG((u64)p + size - 1);
  for (u64 i = 0; i < size; i += 64) flags |= FLAG((u64)p + i);
  return flags;
}

/* Not 0 if bytes that `times` turns of a loop touch may have labels, or if they are not of the
 * program: those that the first turn touches, `more` behind `start`, and then a step further each
 * turn. The loop may touch fewer, so nothing is known of the addresses. */
HELPER u64 __labrys_flags_ahead(u64 start, u64 more, long step, u64 times) {
  long way = step * (long)(times - 1);
  u64 first = start + (u64)(way < 0 ? way : 0), last = start + (u64)(way > 0 ? way : 0) + more;
  u64 line = first >> 6, lines = (last >> 6) - line;
  if (UNLIKELY(last >= 0x7ffffffff000UL)) return 1;
  if (lines >= 8) return __labrys_slow_ahead(start, more, step, times);
  return *(const eight *)(0x400000000000UL + line) << (56 - 8 * lines);
}

HELPER void __labrys_unlabelled(void *p, u64 size, u32 flags) {
  if (UNLIKELY(flags))
    for (u64 i = 0; i < size; i++)
      if (((const word *)SHADOW(p))[i]) {
        __labrys_slow_store(p, 0, (u32)size, 0);
        return;
      }
}

HELPER u64 __labrys_shadow(void *p, u64 size) {
  u64 words = 0;
  for (u64 i = 0; i < size; i++) words |= ((const word *)SHADOW(p))[i];
  return words;
}

HELPER u32 __labrys_load16(void *p, u32 address, u64 low, u64 high) {
  if (UNLIKELY(address | SHADOW16(p))) return __labrys_slow_load_wide(p, address, low, high);
  return 0;
}

HELPER void __labrys_store16(void *p, u32 address, u32 label) {
  if (UNLIKELY(address | label | SHADOW16(p))) __labrys_slow_store(p, address, 16, label);
}

/* Before a store at a labelled address: the label of what will stand there. */
HELPER u32 __labrys_store_at(void *p, u32 address, u32 size, u32 label, u64 value) {
  return UNLIKELY(address) ? __labrys_slow_store_at(p, address, size, label, value) : label;
}

/* Values of a type that carries no labels were written: the old labels go. */
HELPER void __labrys_clear(void *p, u64 size) {
  for (u64 i = 0; i < size; i++)
    if (UNLIKELY(((const word *)SHADOW(p))[i])) {
      __labrys_slow_fill(p, 0, size, 0);
      return;
    }
}

HELPER u32 __labrys_unary(u64 meta, u32 a, u64 value, u64 high) {
  return UNLIKELY(a) ? __labrys_slow_unary(meta, a, value, high) : 0;
}

HELPER u32 __labrys_binary(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value) {
  return UNLIKELY(a | b) ? __labrys_slow_binary(meta, a, b, av, bv, value) : 0;
}

HELPER u32 __labrys_wide(u64 meta, u32 a, u32 b, u64 al, u64 ah, u64 bl, u64 bh, u64 rl, u64 rh) {
  return UNLIKELY(a | b) ? __labrys_slow_wide(meta, a, b, al, ah, bl, bh, rl, rh) : 0;
}

HELPER u32 __labrys_compare(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value) {
  return UNLIKELY(a | b) ? __labrys_slow_compare(meta, a, b, av, bv, value) : 0;
}

HELPER u32 __labrys_intrinsic(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value) {
  return UNLIKELY(a | b) ? __labrys_slow_intrinsic(meta, a, b, av, bv, value) : 0;
}

HELPER u32 __labrys_ternary(u64 meta, u32 a, u32 b, u32 c, u64 av, u64 bv, u64 cv, u64 value) {
  return UNLIKELY(a | b | c) ? __labrys_slow_ternary(meta, a, b, c, av, bv, cv, value) : 0;
}

HELPER u32 __labrys_index(u32 base, u32 index, u64 bv, u64 iv, u64 scale) {
  return UNLIKELY(base | index) ? __labrys_slow_index(base, index, bv, iv, scale) : 0;
}

HELPER u32 __labrys_offset(u32 base, u64 offset) {
  return UNLIKELY(base) ? __labrys_slow_offset(base, offset) : 0;
}

HELPER u32 __labrys_all_calls_wanted(void) { return __labrys_all_calls; }

/* Volatile: it must not wait for the end of a loop that may crash. */
HELPER void __labrys_cover(u32 branch, u32 direction) {
  if (branch != ~0u) *(volatile _Bool *)&__labrys_coverage_map[branch + direction] = 1;
}

/* Tells the calls apart in which decisions are made: lower in a callee than in its caller. */
HELPER u64 __labrys_frame(void) {
#ifdef __x86_64__
  u64 pointer;
  __asm__("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
#else
  return (u64)__builtin_frame_address(0);
#endif
}

/* `branch` is the site's first branch, or ~0 where nothing is counted (library models). FRAME is
 * looked at only where a decision is recorded. */
#define DECISIONS(KIND, NAME, FRAME)                                                             \
  KIND void NAME##branch(u32 site, u32 label, u32 direction, u32 branch) {                       \
    if (branch != ~0u) __labrys_coverage_map[branch + direction] = 1;                            \
    if (UNLIKELY(label | __labrys_all_branches))                                                 \
      __labrys_slow_branch(site, label, direction, branch, FRAME);                               \
  }                                                                                              \
  KIND void NAME##select(u32 site, u32 label, u32 direction, u32 branch) {                       \
    if (branch != ~0u) __labrys_coverage_map[branch + direction] = 1;                            \
    if (UNLIKELY(label)) __labrys_slow_select(site, label, direction, branch, FRAME);            \
  }                                                                                              \
  KIND void NAME##switch(u32 site, u32 label, u32 direction, u64 value, u32 branch) {            \
    if (branch != ~0u) __labrys_coverage_map[branch + direction] = 1;                            \
    if (UNLIKELY(label | __labrys_all_branches))                                                 \
      __labrys_slow_switch(site, label, direction, value, branch, FRAME);                        \
  }                                                                                              \
  /* A check of undefined behavior. It counts in no coverage, and nothing is done where it       \
   * cannot depend on the input, so that -O2 removes the checks that it can prove. */            \
  KIND void NAME##check_site(u32 site, u32 label, u32 direction, u32 branch) {                   \
    if (UNLIKELY(label)) __labrys_slow_branch(site, label, direction, branch, FRAME);            \
  }
DECISIONS(HELPER, __labrys_, __labrys_frame())

/* For a decision that compares these two: unsigned (0), signed (1), or the bits of doubles (2) or
 * floats (3). */
HELPER void __labrys_near(u32 branch, u32 direction, u32 kind, u64 a, u64 b) {
  if (UNLIKELY(__labrys_near_map[branch + !direction]))
    __labrys_slow_near(branch + !direction, kind, a, b);
}

/* Calls: the caller leaves labels and the callee's address, the callee takes them. */
#define PASS(N, PARAMS, ANY, STORES)                                                             \
  HELPER void __labrys_pass##N PARAMS {                                                          \
    if (UNLIKELY(ANY)) {                                                                         \
      STORES;                                                                                    \
      __labrys_thread.tag = (u64)callee;                                                                \
    }                                                                                            \
  }
#define A(i) __labrys_thread.args[i] = l##i
PASS(1, (void *callee, u32 l0), l0, A(0))
PASS(2, (void *callee, u32 l0, u32 l1), l0 | l1, A(0); A(1))
PASS(3, (void *callee, u32 l0, u32 l1, u32 l2), l0 | l1 | l2, A(0); A(1); A(2))
PASS(4, (void *callee, u32 l0, u32 l1, u32 l2, u32 l3), l0 | l1 | l2 | l3, A(0); A(1); A(2); A(3))
PASS(5, (void *callee, u32 l0, u32 l1, u32 l2, u32 l3, u32 l4), l0 | l1 | l2 | l3 | l4,
     A(0); A(1); A(2); A(3); A(4))
PASS(6, (void *callee, u32 l0, u32 l1, u32 l2, u32 l3, u32 l4, u32 l5),
     l0 | l1 | l2 | l3 | l4 | l5, A(0); A(1); A(2); A(3); A(4); A(5))

HELPER void __labrys_argument(u32 index, u32 label) { __labrys_thread.args[index] = label; }
HELPER void __labrys_pass(void *callee) { __labrys_thread.tag = (u64)callee; }

HELPER u32 __labrys_entered(void *self) {
  if (UNLIKELY(__labrys_thread.tag == (u64)self)) {
    __labrys_thread.tag = 0;
    return 1;
  }
  return 0;
}

HELPER u32 __labrys_param(u32 taken, u32 index, u32 width, u64 value) {
  return UNLIKELY(taken) ? __labrys_slow_param(index, width, value) : 0;
}

HELPER void __labrys_enter(u32 function) {
  if (UNLIKELY(__labrys_all_calls)) __labrys_slow_call(function, 0);
}

HELPER void __labrys_leave(u32 function) {
  if (UNLIKELY(__labrys_all_branches)) __labrys_slow_call(function, 1);
}

HELPER void __labrys_return(u32 index, u32 label) { __labrys_thread.results[index] = label; }

HELPER u32 __labrys_left(u32 index) { return __labrys_thread.results[index]; }

HELPER u32 __labrys_result(u32 index, u32 width, u64 value) {
  u32 label = __labrys_thread.results[index];
  return UNLIKELY(label) ? __labrys_slow_result(label, width, value) : 0;
}

/* A labelled value goes where nothing follows it. */
HELPER void __labrys_lost(u32 cause, u32 function, u32 label, u64 value) {
  if (UNLIKELY(label)) __labrys_slow_lost(cause, function, label, value);
}

/* The same of an argument of a function without a model. */
HELPER void __labrys_taken(const char *name, u32 function, u32 label, u64 value) {
  if (UNLIKELY(label)) __labrys_slow_taken(name, function, label, value);
}

HELPER void __labrys_copy(void *to, const void *from, u64 size, u32 length) {
  if (size | length) __labrys_slow_copy(to, from, size, length);
}

HELPER void __labrys_fill(void *to, u32 label, u64 size, u32 length) {
  if (size) __labrys_slow_fill(to, label, size, length);
}

/* Before a fill whose length may be labelled. */
HELPER void __labrys_fill_some(void *to, u32 label, u64 value, u64 size, u32 length) {
  if (size | length) __labrys_slow_fill_some(to, label, value, size, length);
}

/* Variable arguments: where each lies and its label. The callee's va_start finds them by the
 * serial number that its entry took, whatever was called in between. */
HELPER void __labrys_variadic(u32 index, u32 place, u32 label) {
  __labrys_thread.variadic[index].place = place;
  __labrys_thread.variadic[index].label = label;
}

HELPER void __labrys_pass_variadic(void *callee, u32 count) {
  __labrys_thread.variadic_count = count;
  __labrys_thread.variadic_tag = (u64)callee;
  __labrys_thread.variadic_serial++;
}

HELPER u64 __labrys_enter_variadic(void *self) {
  if (__labrys_thread.variadic_tag != (u64)self) return 0;
  __labrys_thread.variadic_tag = 0;
  return __labrys_thread.variadic_serial;
}

HELPER void __labrys_va_start(void *list, u64 serial) { __labrys_slow_va_start(list, serial); }

HELPER void __labrys_va_copy(void *to) { __labrys_slow_fill(to, 0, 24, 0); }

/* Structures passed by value are copied by the call itself; their labels follow here. */
HELPER void __labrys_pass_copy(void *callee, u32 index, const void *from) {
  if (index < 8) __labrys_thread.copies[index] = from;
  __labrys_thread.copy_tag = (u64)callee;
}

HELPER void __labrys_take_copy(void *self, u32 index, void *to, u64 size) {
  if (index < 8 && __labrys_thread.copy_tag == (u64)self)
    __labrys_slow_copy(to, __labrys_thread.copies[index], size, 0);
  else
    __labrys_slow_fill(to, 0, size, 0);
}

/* Variables on the stack: callers' before callees', those of one call in no order. */
struct object {
  u64 address;
  u64 size;
};
extern struct object __labrys_stack[4096];
extern u32 __labrys_stack_top;

#if defined(__x86_64__) || defined(__aarch64__)
/* The end of a function's frame, for which no register has to be kept. */
extern void *__labrys_frame_end(void) __asm__("llvm.addressofreturnaddress.p0");
#else
#define __labrys_frame_end() __builtin_frame_address(0)
#endif

/* At entry: all that lies in this frame or below it is dead. */
HELPER void __labrys_variables(void) {
  u32 top = __labrys_stack_top;
  u64 end = (u64)__labrys_frame_end();
  while (top && __labrys_stack[top - 1].address < end) top--;
  __labrys_stack_top = top;
}

HELPER void __labrys_variable(void *p, u64 size) {
  u32 top = __labrys_stack_top;
  if (top >= 4096) return;
  __labrys_stack[top].address = (u64)p;
  __labrys_stack[top].size = size;
  __labrys_stack_top = top + 1;
}

/* Before it comes to life: it has this many elements. */
HELPER void __labrys_array_size(u32 label, u64 count, u64 element) {
  if (UNLIKELY(label)) __labrys_slow_array_size(label, count, element);
}

/* Of a size that is not known before: it lies below all others of its frame, and below those that
 * were there before it in this place. */
HELPER void __labrys_array(void *p, u64 size) {
  u32 top = __labrys_stack_top;
  while (top && __labrys_stack[top - 1].address <= (u64)p) top--;
  __labrys_stack_top = top;
  __labrys_variable(p, size);
}

/* The same as functions, for large functions and where nothing is optimized: there each helper
 * would be blocks, and LLVM takes more time for a block than for a call. */
#define FAR static __attribute__((noinline, used))

/* What __labrys_frame() is in the caller. */
#ifdef __x86_64__
#define CALLER_FRAME() ((u64)__labrys_frame_end() + 8)
#else
#define CALLER_FRAME() ((u64)__builtin_frame_address(1))
#endif

#define FAR_ACCESS(N)                                                                            \
  FAR u32 __labrys_far_load##N(void *p, u32 address, u64 value) {                                \
    return __labrys_load##N(p, address, value);                                                  \
  }                                                                                              \
  FAR void __labrys_far_store##N(void *p, u32 address, u32 label) {                              \
    __labrys_store##N(p, address, label);                                                        \
  }
FAR_ACCESS(1)
FAR_ACCESS(2)
FAR_ACCESS(4)
FAR_ACCESS(8)

FAR u32 __labrys_far_unary(u64 meta, u32 a, u64 value, u64 high) {
  return __labrys_unary(meta, a, value, high);
}

FAR u32 __labrys_far_binary(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value) {
  return __labrys_binary(meta, a, b, av, bv, value);
}

FAR u32 __labrys_far_compare(u64 meta, u32 a, u32 b, u64 av, u64 bv, u64 value) {
  return __labrys_compare(meta, a, b, av, bv, value);
}

FAR u32 __labrys_far_index(u32 base, u32 index, u64 bv, u64 iv, u64 scale) {
  return __labrys_index(base, index, bv, iv, scale);
}

FAR u32 __labrys_far_offset(u32 base, u64 offset) { return __labrys_offset(base, offset); }

FAR void __labrys_far_near(u32 branch, u32 direction, u32 kind, u64 a, u64 b) {
  __labrys_near(branch, direction, kind, a, b);
}

DECISIONS(FAR, __labrys_far_, CALLER_FRAME())

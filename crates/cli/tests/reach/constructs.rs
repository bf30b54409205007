//! `labrys reach` against brute force on functions made of constructs that are hard to model:
//! unions, bit-fields, jumps into loops, tables of functions, variable arguments, arrays of
//! variable length, wide integers, floats, code that runs without a visible call, and so on; under
//! options that change what compilers make of them. Every input of two bytes is tried on a build by
//! clang with the same options.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::generated::{Drawn, SUFFIX, Tally, check, number};

/// Functions per program (`LABRYS_CONSTRUCT_FUNCTIONS`).
const FUNCTIONS: u64 = 20;
/// Programs (`LABRYS_CONSTRUCT_PROGRAMS`, from seed `LABRYS_CONSTRUCT_FIRST` on: among the first five nothing is proved).
const PROGRAMS: u64 = 5;

/// Options of both compilers.
const OPTIONS: [&[&str]; 17] = [
    &["-O1"],
    &["-O0"],
    &["-O2"],
    &["-O3"],
    &["-Os"],
    &["-Ofast"],
    &["-O2", "-march=native"],
    &["-O2", "-fno-strict-aliasing"],
    &["-O2", "-fwrapv"],
    &["-O1", "-ftrapv"],
    &["-O2", "-march=native", "-ffp-contract=fast"],
    &["-O1", "-funsigned-char", "-fno-builtin"],
    &["-O2", "-ftrivial-auto-var-init=pattern"],
    &["-O1", "-fPIC", "-fno-inline"],
    &["-O2", "-fshort-enums", "-fno-strict-overflow"],
    &["-O3", "-fno-unroll-loops", "-fno-signed-zeros"],
    &["-O1", "-ffunction-sections", "-fstack-protector-all"],
];

/// Constructs that set `x` and `y` from `a`, `b` and numbers: `$` stands for a small one, `@` for a
/// comparison.
const CONSTRUCTS: &[&str] = &[
    "union { int i; unsigned char c[4]; short h[2]; } u; u.i = 259 * a + $; u.c[b & 3] = (unsigned char)$; x = u.i; y = u.h[1];",
    "struct { int p : 5; unsigned q : 3; int r : 7; } s = {a & 15, b & 7, 0}; s.r = (a + $) & 63; s.q += $; x = s.p + s.r; y = s.q;",
    "__label__ inside; int i = 0; if (@) goto inside; for (; i < 4; i++) { x += i; inside: y = (y ^ x) + $; }",
    "x = table[(unsigned char)a % 3](b); y = table[$ % 3](a & $);",
    "int (*volatile other)(long) = (int (*)(long))third; x = other(b); y = table[1](a);",
    "x = sum(3, a, b, $); y = sum(a & 3, b, $, 4, 5);",
    "int n = (a & 7) + 1; int v[n]; for (int i = 0; i < n; i++) v[i] = i * b + $; x = v[n - 1]; y = v[(b & 7) % n];",
    "__int128 w = (__int128)a * 0x123456789abcdefLL; w <<= $ + 20; x = (int)(w >> 60) & 0xffff; y = w < 0;",
    "double d = a / (double)b; x = (d != d) + 2 * (d > $); y = d == 0 && __builtin_signbit(d);",
    "float f = -0.0f * (a & 1), h = b; x = __builtin_signbit(f) ? $ : 1; y = (int)(h * 1.5f);",
    "double p = 1.0 + a * 0x1p-30, q = p * p; x = p * p - q != 0; y = (q > 1) + $;",
    "double s = 1e16 + a; s -= 1e16; x = s == a; y = (int)s;",
    "x = weak_one(a); y = other_name(b) + (absent ? 1 : 0);",
    "calls = 0; int v[3] = {a, b, $}; qsort(v, 3, sizeof *v, order); x = v[0]; y = calls > $;",
    "switch (a) { case -5 ... 5: x = $; break; case 6: y = 2; default: x = b; }",
    "__label__ one, two, three; static const void *const places[] = {&&one, &&two, &&three}; goto *places[(unsigned char)b % 3]; one: x = $; two: x++; three: y = x + a;",
    "struct triple t = triple_of(a, b); x = t.v[(unsigned char)a % 3]; y = t.v[2] == $;",
    "char s[20]; snprintf(s, sizeof s, \"%d:%x\", a, (unsigned char)b); x = s[0]; y = (int)strlen(s) - $;",
    "x = __builtin_clz((unsigned char)b | 1u) - __builtin_ctz((unsigned char)a | 16u); y = __builtin_popcount((unsigned char)a) - $;",
    "x = deep(a & 7) - $; y = deep(b & 3);",
    "x = (int)(a * 1.25) + $; y = (unsigned char)(int)(b * 0.5);",
    "x = a; __asm__(\"\" : \"+r\"(x)); y = x == a ? $ : 7;",
    "shared = a; __atomic_fetch_add(&shared, b, 5); x = shared; y = __sync_lock_test_and_set(&shared, $);",
    "own = a; own += $; x = own; y = own == b;",
    "int4 v = {a, b, $, 2}; v += v; x = v[b & 3]; y = v[1];",
    "long double l = a; l = l * l + $; x = l > 100; y = (int)l;",
    "char *m = malloc((a & 15) + 1); if (m) { memset(m, $, (a & 15) + 1); x = m[a & 15]; } free(m); y = b;",
    "char *end = 0; char s[8] = {'0' + (a & 7), '0' + (b & 7), 0}; x = (int)strtol(s, &end, 10); y = (int)(end - s);",
    "char s[8] = {a, b, 'x', 0}; char *at = strchr(s, 'x'); x = at ? (int)(at - s) : 9; y = (int)strcspn(s, \"x\");",
    "int v[4] = {1, 2, 3, 4}; int *p = v, *q = v + 3; while (p < q && *p < (a & 3)) p++; x = (int)(q - p); y = *p + $;",
    "unsigned h = 5381; for (int i = 0; i < (a & 3); i++) h = h * 33 + (unsigned char)b; x = (int)(h & 255); y = (int)(h >> 8 & 7);",
    "char s[8] = \"%d\"; if (@) s[1] = 'n'; int n = $ + 1; char to[16]; snprintf(to, sizeof to, s, &n); x = n; y = 1;",
    "int n = $; sscanf(\"7 8\", b & 1 ? \"%d\" : \"%*d %d\", &n); x = n; y = a & 1;",
    "x = a << ((b & 3) + 1) & 0xff; y = (a & 0xff) >> ($ & 7);",
    "errno = 0; strtol(a & 1 ? \"99999999999999999999\" : \"1\", 0, 10); x = errno == ERANGE; y = b;",
    "hooked = 0; struct obstack o; obstack_init(&o); obstack_grow(&o, \"abc\", 1 + (a & 1)); x = hooked; y = (int)obstack_object_size(&o); obstack_free(&o, 0);",
    "char *m = __builtin_alloca((a & 7) + 1); memset(m, $, (a & 7) + 1); m[b & a & 7] = 9; x = m[a & 7]; y = m[0];",
    "struct padded { char c; int i; } s, t; memset(&s, 0, sizeof s); memset(&t, 0, sizeof t); s.c = a; t.c = b; s.i = $; t.i = $; x = memcmp(&s, &t, sizeof s) == 0; y = s.i;",
    "_Bool flag = a & 4; flag += b & 1; x = flag; y = flag ? $ : (_Bool)(a & 0x40) + 2;",
    "enum { RED = 2, GREEN = 5, BLUE } e = (a & 3) + 2; switch (e) { case RED: x = 1; break; case GREEN: x = $; break; case BLUE: x = 7; } y = e;",
    "double _Complex z = a + b * 1.0i; z *= z; x = (int)__real__ z & 63; y = __imag__ z == $;",
    "struct { int n; unsigned char v[]; } *f = malloc(sizeof *f + 4); if (f) { f->n = a & 3; memset(f->v, b, 4); f->v[f->n] = $; x = f->v[b & 3]; y = f->n; } free(f);",
    "int *p = (int[]){$, a, b, 4}; p += a & 3; x = *p; y = p[-(a & 3)];",
    "char s[12] = \"ab,c;d\", *rest = 0; s[a & 3] = b & 1 ? ',' : 'z'; char *w = strtok_r(s, \",;\", &rest); x = w ? (int)strlen(w) : -1; w = strtok_r(0, \",;\", &rest); y = w ? *w - 'a' : -1;",
    "char s[8] = {1, 2, 3, 4, 5, 6, 7, 8}; memmove(s + (a & 3), s + (b & 3), 4); x = s[3]; y = s[$ & 7];",
    "struct __attribute__((packed)) { char c; int i; short h; } s = {a, b * 1000, $}; unsigned char *raw = (unsigned char *)&s; raw[(a & 3) + 1] ^= 1; x = s.i & 15; y = s.h;",
    "unsigned _BitInt(13) w = (unsigned char)a; w *= 77; x = (int)(w >> 9); y = w == $ * 77;",
    "int r; x = __builtin_mul_overflow(a, 1 << (b & 31), &r); y = __builtin_sub_overflow((unsigned char)a, (unsigned char)b, (unsigned char *)&calls) + $;",
    "size_t at = (size_t)&shared; at += (a & 7) * 8; at -= (a & 7) * 8; *(int *)at = b; x = shared; y = at == (size_t)&calls;",
    "char *m = malloc(4); if (m) { m[0] = a; m[1] = $; char *g = realloc(m, 4 + (b & 63)); if (g) { m = g; x = m[0]; y = m[1]; } } free(m);",
    "int v[4] = {1, 3, 5, 7}, key = a & 7, *at = bsearch(&key, v, 4, sizeof *v, order); x = at ? (int)(at - v) : -1; y = calls & 3;",
    "struct { unsigned char kind; union { int i; float f; char s[4]; } u; } t = {a & 1, {0}}; if (t.kind) t.u.f = b; else t.u.i = b; x = t.u.s[3]; y = t.kind ? t.u.f > $ : t.u.i > $;",
    "struct node { int n; struct node *next; } c = {a, 0}, d = {b, &c}, e = {$, &d}, *l = &e; if (@) d.next = 0; for (x = 0; l; l = l->next) { x++; y = l->n; }",
    "volatile int seen = a; x = seen; seen = $; y = seen;",
    "int m[3][2] = {{a, b}, {1, 2}}; int (*row)[2] = m + (a & 1); (*row)[b & 1] = $; x = m[0][0]; y = m[1][1] + m[2][0];",
    "signed char c = a; c <<= 1; c += $; unsigned char u = b; u >>= 1; u = -u; x = c; y = u;",
    "long n = a; n = n << 33 | (unsigned char)b; x = (int)n; y = (int)(n >> 32);",
    "float f = a * 0.1f; x = f == a * 0.1; y = (int)(f * 10 + $);",
    "double d = b ? a / (double)b : $; x = __builtin_isnan(d) + 2 * __builtin_isinf(d); y = (int)__builtin_fabs(d) & 15; if (d > 1e300) y = -3;",
    "const char *names[] = {\"zero\", \"one\", \"two\", 0}; const char **p = names; while (*p && (*p)[0] != (a & 127)) p++; x = (int)(p - names); y = *p ? (int)strlen(*p) : -$;",
    "__label__ middle, top, end; x = 0; goto top; middle: x += b & 3; if (x > 20) goto end; top: x++; if (x < (a & 7)) goto top; if (x < $) goto middle; end: y = x;",
    "x = 0; do { x += 3; if (x == (a & 31)) break; if (b == $) continue; y++; } while (x < 24);",
    "static int kept; kept = kept * 0 + a; int *p = &kept; *p ^= $; x = kept; y = *p == b;",
    "x = pass(a, b, 1.5f * b, (struct triple){{a, $, b}}, $); y = x & 7;",
    "int (*f)(int) = @ ? first : $ > 4 ? second : third; x = f(a); y = f == second;",
    "install(b & 1 ? second : 0); x = by_hook(a); if (@) hook = third; y = by_hook(b & 3) + $;",
    "row[1] = row[2] = third; row[(b & 1) + 1] = a & 1 ? second : first; x = row[2](a); y = row[1](b) + $;",
    "rows[0].run = rows[1].run = second; if (@) rows[b & 1].run = third; x = rows[a & 1].run(b); y = rows[1].run($);",
    "held = 0; loose = first; *place(a) = third; x = held ? held(b) : 7; y = loose ? loose($) : 8;",
    "memcpy(&moved, &table[b & 1], sizeof moved); x = moved(a); y = moved == first ? $ : 2;",
    "as_number = (size_t)(@ ? second : third) + 16; x = ((action *)(as_number - 16))(a); y = b;",
    "other_type = (long (*)(long, void *))(a & 1 ? second : third); x = (int)other_type(b & 7, 0); y = $;",
    "spare = first; for (int i = 0; i < (a & 3); i++) spare = spare == first ? second : i == $ ? third : first; x = spare(b); y = spare == third;",
    "wchar_t w[4] = {L'a', a, b, 0}; x = w[1] == w[2]; y = w[a & 3] > L'a' + $;",
    "memcpy(&x, (char[]){a, b, 0, 0}, 4); y = (unsigned short)x >> 8; x &= 0xff;",
    "struct { unsigned long low : 33, high : 31; } s = {(unsigned char)a, 0}; s.high = s.low << 3; x = (int)s.high & 63; y = s.low == $;",
    "x = (a ^ b) < 0 ? -(a < b) : __builtin_expect(a > $, 0); y = !!a + ~b;",
    "char *at = (char[]){'x', a, b, 'x', 0}; x = (int)strspn(at, \"xab\"); y = strpbrk(at + 1, \"cx\") != 0;",
    "extra = a; int *p = &extra, *q = b & 1 ? &extra : &x; *q = $; y = *p == a;",
    "x = __builtin_bswap16((unsigned char)a) >> 8; y = __builtin_rotateleft8(b, $ & 7) & 15;",
    "int v[2] = {a, b}; int *volatile p = v + 1; x = p[-1]; *p = $; y = v[1];",
    "unsigned u = a; x = u > 0x7fffffff; y = (int)(u % 7) - (int)((unsigned char)b / 3u);",
    "int n = a & 15, f = 0, g = 1; while (n-- > 0) { int h = f + g; f = g; g = h; if (g > 100 + $) break; } x = f & 31; y = n;",
    "cells_one = a & 7; x = 0; for (int *c = __start_cells; c < __stop_cells; c++) x += *c; y = (int)(__stop_cells - __start_cells) + $;",
    "extra = a; extra_alias += $; x = extra; y = extra_alias == b;",
    "for (int i = 0; i < 3; i++) { int v[2]; v[0] = i * a; v[1] = b; int *p = v + (i & 1); x += *p; } y = x == $;",
    "int *p = &x; { int v = a; p = &v; y = *p; } p = &x; *p = $ + b;",
    "int v = a & 7; x = chase(&v, $); y = v;",
    "for (int i = 0; i <= (a & 3); i++) { int v; fill(&v, i + b); x = v; int w = v & 1; y += w; }",
    "for (int i = 0; i < 3; i++) { int v; if (i != (a & 3)) v = i; else v = b; int *p = &v; x += *p; }",
    "__label__ in; int n = 0; goto in; { int v; in: v = (a & 7) + 1; n += v; if (n < $) goto in; x = n; y = v == b; }",
    "int *kept = 0; for (int i = 0; i < 2; i++) { int v[2] = {a, i}; if (kept && i == (b & 1)) y = 5; kept = v; x = kept[i] + $; }",
    "{ __attribute__((cleanup(clean))) int v = a; x = v; } y = shared - $;",
    "x = ({ int v = a & 3; v > $ ? v : b; }); y = ({ struct triple t = {{b, 1, a}}; t; }).v[2];",
    "double n = __builtin_nan(\"\"); n = @ ? n : b; x = n < $; y = !(n >= $) + 2 * (n != n);",
    "unsigned bits = (unsigned)(unsigned char)a << 23 | (b & 1); float f; memcpy(&f, &bits, 4); x = f > 0; y = (f != f) + 2 * (f == 0);",
    "float f = 0; for (int i = 0; i < (a & 15); i++) f += 0.1f; x = f == 0.1f * (a & 15); y = (int)(f * 10);",
    "long double l = -0.0L * (b & 1); x = __builtin_signbit(l) ? $ : 1; y = l == 0 && a == 3;",
    "_Float16 h = a * 0.5; h *= h; x = (int)h & 31; y = h > $;",
    "struct { int (*f)(int); int k; } ops[2] = {{first, 1}, {second, 2}}; ops[b & 1].f = third; x = ops[a & 1].f($); y = ops[a & 1].k;",
    "x = mixed(a & 3, 1.5, b, 2.5, $); y = mixed(2, 0.5 * b, a, -0.0, 1);",
    "int n = (a & 3) + 1, m[n][2]; memset(m, 0, sizeof m); m[n - 1][b & 1] = $; x = m[0][1]; y = (int)sizeof m;",
    "for (int i = 1; i < 4; i++) { char v[i + (a & 1)]; v[i - 1] = b; x += (int)sizeof v; y = v[i - 1] + $; }",
    "unsigned __int128 w = (unsigned __int128)(unsigned char)a << 90; w /= 7 + $; x = (int)(w >> 82); y = (int)(w % 11);",
    "__int128 w = ((__int128)b << 64) | (unsigned char)a; x = (int)(w / 3 >> 60) & 63; y = w % 5 == $; w = -w; x += w > 0;",
    "union { struct { unsigned p : 3, : 0, q : 5; } f; unsigned char raw[8]; } u = {{0}}; u.f.p = a & 7; u.f.q = b & 31; x = u.raw[4]; y = u.raw[0] + $;",
    "struct { signed int one : 1; long wide : 40; _Bool flag : 1; } s = {0}; s.one = a & 1; s.wide = (long)b << 30; s.flag = a & 6; x = s.one; y = (int)(s.wide >> 32) + s.flag;",
    "int n = (a & 7) + 1, c = 0; switch (n & 3) { case 0: do { c++; case 3: c += 2; case 2: c += b & 1; case 1: c++; } while ((n -= 4) > 0); } x = c; y = n;",
    "struct triple t[2] = {{{a, b, $}}, {{1, 2, 3}}}; t[b & 1] = t[a & 1]; x = t[0].v[2]; y = t[1].v[0];",
    "char s[8]; strncpy(s, (char[]){a, b, 'c', 0}, 6); s[6] = 1; x = s[3] + s[5]; y = (int)strnlen(s, 7);",
    "char *d = strdup((char[]){a, b, 0}); x = d ? (int)strlen(d) : -1; y = d && d[0] == $; free(d);",
    "int want = b & 3; shared = a & 3; x = __atomic_compare_exchange_n(&shared, &want, $, 0, 5, 5); y = want + shared;",
    "int4 v = {a, b, $, 1}, w = {b, a, $, 2}; v = v > w; x = v[0]; y = v[b & 3] + v[2];",
    "wchar_t w[6] = {L'a', a & 127, b & 127, L'z', 0}; x = (int)wcslen(w); wchar_t *at = wcschr(w, L'z'); y = at ? (int)(at - w) : -$;",
    "int *m = calloc(4, 4); if (m) { m[a & 3] = b; x = m[1]; y = m[3] == 0; } free(m);",
    "char s[32]; sprintf(s, \"%5.2f|%-4s|%c\", a / 4.0, b & 1 ? \"ab\" : \"c\", 'q'); x = s[4]; y = (int)strlen(s);",
    "int n = 0, at = 0; char s[4] = {'0' + (a & 7), '0' + (b & 7), 'x', 0}; x = sscanf(s, \"%2d%n\", &n, &at); y = n + at;",
    "setenv(\"LB\", b & 1 ? \"yes\" : \"no\", 1); char *e = getenv(\"LB\"); x = e ? e[0] : 0; y = e && !e[2];",
    "div_t d = div(a, (b & 7) + 1); x = d.quot; y = d.rem + abs(b);",
    "if (a < -128) __builtin_unreachable(); x = a + 200; y = x > 190 + $;",
    "x = __builtin_ffs(a) + __builtin_parity((unsigned char)b); y = __builtin_clrsb(b) - $;",
    "unsigned char r; x = __builtin_add_overflow(a, b, &r); y = r; signed char c; x += 2 * __builtin_mul_overflow((unsigned char)a, b, &c);",
    "struct { int n; char name[6]; } v[3] = {{a & 7, \"p\"}, {b & 7, \"q\"}, {$, \"r\"}}; calls = 0; qsort(v, 3, sizeof *v, order); x = v[0].name[0]; y = v[2].n;",
    "char s[6] = {a, b, 'k', a, b, 0}; char *e = memchr(s, 'k', 5), *r = strrchr(s, 'k'); x = e ? (int)(e - s) : -1; y = r ? (int)(r - s) : -$;",
    "own = a; int *p = &own; *p += b; x = own; y = p == &own ? $ : own;",
    "volatile struct { unsigned p : 4, q : 4; } s = {0}; s.p = a & 15; s.q = s.p + $; x = s.q; y = s.p == (b & 15);",
    "int v[4] = {0}; for (int i = 0, j = 3; i < j; i++, j--) { v[i] = a & (1 << j) ? j : i; v[j] = v[i] + b; } x = v[1]; y = v[3];",
    "enum small { LOW = 1, HIGH = 200 } e = a & 1 ? LOW : HIGH; struct { enum small e; char c; } s = {e, b}; x = s.e; y = (int)sizeof s;",
    "typedef int (*step)(int); step f = a & 1 ? first : second, g = b & 1 ? f : third; x = f($) + g(b); y = f == g;",
    "size_t tag = (size_t)&extra | (a & 3); int *p = (int *)(tag & ~(size_t)3); *p = b; x = extra; y = (int)(tag & 3) + $;",
    "size_t link = (size_t)&extra ^ (size_t)&shared; int *p = (int *)(link ^ (size_t)(@ ? &extra : &shared)); extra = shared = 0; *p = b; x = extra; y = shared == $;",
    "size_t n = 3; int v[3] = {a, b, $}, key = 2; calls = 0; int *at = lfind(&key, v, &n, sizeof *v, order); x = at ? (int)(at - v) : -1; y = calls;",
    "char *text = 0; size_t size = 0; FILE *m = open_memstream(&text, &size); if (m) { fprintf(m, \"%d\", a); fflush(m); x = text[0]; y = (int)size - $; fclose(m); } free(text);",
    "char *line = 0; if (asprintf(&line, \"%d-%c\", a & 15, 'a' + (b & 7)) > 0) { x = line[0]; y = line[2] - 'a'; } free(line);",
];

/// Constructs after which nothing is proved of the program: they stand in some programs only.
const OBSTACLES: &[&str] = &[
    "x = begun + (a & 7); y = listed == $;",
    "volatile int n = 0; ucontext_t c; getcontext(&c); n++; if (n < (a & 3)) setcontext(&c); x = n; y = b;",
    "volatile int n = 0; jmp_buf j; int r = setjmp(j); n++; if (r < (a & 3)) longjmp(j, r + 1); x = r; y = n;",
    "void *buffer[5]; volatile int n = 0; if (__builtin_setjmp(buffer)) n = 2; else if (a & 1) back(buffer); x = n; y = b;",
    "x = chosen(a & 7) + $; y = resolved;",
    "shared = 0; signal(SIGUSR1, on_signal); if (a & 1) raise(SIGUSR1); x = shared; y = b;",
    "__builtin_ia32_ldmxcsr(b & 1 ? 0x7f80 : 0x1f80); double r = a / 3.0; x = r * 3 == a; y = r > 0.33; __builtin_ia32_ldmxcsr(0x1f80);",
    "int *kept = 0; for (int i = 0; i < 2; i++) { int v = i + $; if (kept) x = *kept; kept = &v; } y = b;",
    "int v; if (a & 1) v = b; int *volatile p = &v; if (a & 1) x = *p; y = a & 1 ? v : $;",
];

const PREFIX: &str = r#"
#include <errno.h>
#include <labrys.h>
#include <obstack.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <wchar.h>
static unsigned char reached[COUNT + 1][4], now[4] = {1};
#ifdef BRUTE
#define T(name, number) memcpy(reached[number], now, 4)
#else
#define T(name, number) labrys_target(name)
#endif
typedef int int4 __attribute__((vector_size(16)));
static int calls, begun, listed, shared, hooked;
int extra;
static _Thread_local int own;
static int first(int n) { return n > 3 ? n - 3 : n; }
static int second(int n) { return n * 2; }
static int third(int n) { return n < 0 ? 1 : n + 4; }
static int (*const table[3])(int) = {first, second, third};
typedef int action(int);
static action *hook, *spare, *held, *loose, *moved, *row[3] = {first, 0, third};
static long (*other_type)(long, void *);
static size_t as_number;
static struct { const char *name; action *run; } rows[2] = {{"one", first}, {"two", second}};
static __attribute__((noinline)) action **place(int n) { return n & 1 ? &held : &loose; }
static __attribute__((noinline)) void install(action *f) { hook = f; }
static __attribute__((noinline)) int by_hook(int n) { return hook ? hook(n) : -1; }
static int sum(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  va_end(list);
  return total;
}
__attribute__((weak)) int weak_one(int n) { return n ^ 5; }
int other_name(int) __attribute__((alias("weak_one")));
int asprintf(char **, const char *, ...);
extern int absent(int) __attribute__((weak));
static int order(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
struct triple { int v[3]; };
static struct triple triple_of(int a, int b) { struct triple t = {{a, b, a - b}}; return t; }
static int pass(char c, short h, float f, struct triple t, long double l) { return c + h + (int)f + t.v[1] - (int)l; }
static int deep(int n) { return n <= 0 ? 1 : n + deep(n - 2); }
static __attribute__((noinline, unused)) void back(void **buffer) { __builtin_longjmp(buffer, 1); }
static void *take(size_t size) { hooked++; return malloc(size); }
__attribute__((section("cells"), used)) static int cells_one = 3, cells_two = 4, cells_three = 5;
extern int __start_cells[], __stop_cells[];
extern int extra_alias __attribute__((alias("extra")));
static int chase(int *p, int n) {
  int mine = n;
  if (*p <= 0) return n;
  (*p)--;
  mine += chase(p, n + 1);
  return mine & 0xff;
}
static void fill(int *p, int n) { *p = n > 3 ? n : -n; }
static void clean(int *p) { shared = *p + 2; }
static int mixed(int count, ...) {
  va_list list, again;
  double total = 0;
  va_start(list, count);
  va_copy(again, list);
  for (int i = 0; i < count; i++) {
    if (i & 1) total += va_arg(list, int);
    else total -= va_arg(list, double);
  }
  if (count > 0) total += va_arg(again, double);
  va_end(again);
  va_end(list);
  return (int)total;
}
#define obstack_chunk_alloc take
#define obstack_chunk_free free
"#;

/// What runs before `main`, in programs with obstacles.
const BEFORE: &str = r#"
__attribute__((constructor)) static void begin(void) { begun = 3; }
static void list(void) { listed = 4; }
__attribute__((section(".init_array"), used)) static void (*const entry)(void) = list;
static int resolved;
static int (*resolve(void))(int) { resolved = 3; return second; }
int chosen(int) __attribute__((ifunc("resolve")));
static void on_signal(int number) { shared = number > 0 ? 6 : 0; }
"#;

/// Draws a program.
struct Drawing {
    state: u64,
    text: String,
    targets: Vec<String>,
}

impl Drawing {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn comparison(&mut self) -> String {
        let (left, right) = (self.pick(&["a", "b", "x", "y", "a + b"]), self.below(12));
        let relation = self.pick(&["<", "==", "!=", ">="]);
        format!("{left} {relation} {right}")
    }

    /// A construct with its numbers.
    fn construct(&mut self, text: &str) -> String {
        let mut drawn = String::new();
        for letter in text.chars() {
            match letter {
                '$' => {
                    let number = self.below(9);
                    let _ = write!(drawn, "{number}");
                }
                '@' => drawn.push_str(&self.comparison()),
                letter => drawn.push(letter),
            }
        }
        drawn
    }

    fn target(&mut self, function: u64, condition: &str) {
        let name = format!("c{function}_{}", self.targets.len());
        let number = self.targets.len();
        let _ = writeln!(self.text, "  if ({condition}) T(\"{name}\", {number});");
        self.targets.push(name);
    }

    fn function(&mut self, function: u64, constructs: &[&str]) {
        let _ = writeln!(
            self.text,
            "int c{function}(signed char a, signed char b) {{\n  int x = 0, y = 0;"
        );
        for _ in 0..=self.below(2) {
            let construct = self.pick(constructs);
            let construct = self.construct(construct);
            let _ = writeln!(self.text, "  {{ {construct} }}");
            let condition = self.comparison();
            self.target(function, &condition);
        }
        for name in ["x", "y"] {
            let number = self.below(12) as i64 - 2;
            self.target(function, &format!("{name} == {number}"));
        }
        let conditions = [self.comparison(), self.comparison()];
        self.target(function, &conditions.join(" && "));
        self.text.push_str("  return x + y;\n}\n");
    }
}

fn program(seed: u64, functions: u64) -> Drawn {
    let mut drawing = Drawing {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        text: PREFIX.to_owned(),
        targets: Vec::new(),
    };
    let all = [CONSTRUCTS, OBSTACLES].concat();
    let obstacles = seed % 4 == 2;
    let constructs = if obstacles { &all } else { CONSTRUCTS };
    if obstacles {
        drawing.text.push_str(BEFORE);
    }
    for function in 0..functions {
        drawing.function(function, constructs);
    }
    drawing.text.push_str(
        "static void run(int which, signed char a, signed char b) {\n  switch (which) {\n",
    );
    for function in 0..functions {
        let _ = writeln!(
            drawing.text,
            "    case {function}: c{function}(a, b); break;"
        );
    }
    drawing.text.push_str("  }\n}\n");
    drawing.text.push_str(SUFFIX);
    let text = drawing.text;
    let text = text.replace("COUNT", &drawing.targets.len().to_string());
    let entry = (seed % 4 == 3).then(|| "c0".to_owned());
    if entry.is_some() {
        drawing.targets.retain(|name| name.starts_with("c0_"));
    }
    Drawn {
        text: text.replace("FUNCTIONS", &functions.to_string()),
        targets: drawing.targets,
        options: OPTIONS[(seed % OPTIONS.len() as u64) as usize].to_vec(),
        entry,
        steps: 30 * functions,
    }
}

#[test]
fn no_verdict_on_constructs_contradicts_brute_force() {
    let first = number("LABRYS_CONSTRUCT_FIRST", 6);
    let functions = number("LABRYS_CONSTRUCT_FUNCTIONS", FUNCTIONS);
    let mut tally = Tally::default();
    let mut seen = BTreeSet::new();
    for seed in first..first + number("LABRYS_CONSTRUCT_PROGRAMS", PROGRAMS) {
        let drawn = program(seed, functions);
        seen.insert(drawn.options.clone());
        check(seed, drawn, &mut tally);
        println!("up to seed {seed}: {tally:?}");
    }
    assert!(tally.unreachable > 0, "nothing was proved: {tally:?}");
    assert!(seen.len() > 1);
}

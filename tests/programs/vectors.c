/* Vectors: functions of the processor, of the compiler, and functions that get and return them. */
/* cover: --stdin --cc-flag=-mssse3 */
/* never: none */
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <tmmintrin.h>

typedef int four __attribute__((ext_vector_type(4)));
typedef float floats __attribute__((ext_vector_type(4)));

/* Where a character stands among sixteen, or -1. */
static int find(const char* text, char wanted) {
  __m128i all = _mm_loadu_si128((const __m128i*)text);
  int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(wanted)));
  return mask ? __builtin_ctz(mask) : -1;
}

/* One step of a hash by products of 32 bits. */
static unsigned long long hash(const char* text) {
  __m128i all = _mm_loadu_si128((const __m128i*)text);
  __m128i mixed = _mm_xor_si128(all, _mm_set_epi64x(0x165667b19e3779f9, 0x27d4eb2f165667c5));
  __m128i product = _mm_mul_epu32(mixed, _mm_shuffle_epi32(mixed, _MM_SHUFFLE(0, 3, 0, 1)));
  __m128i sum = _mm_add_epi64(_mm_slli_epi64(all, 3), product);
  unsigned long long words[2];
  _mm_storeu_si128((__m128i*)words, sum);
  return words[0] + words[1];
}

__attribute__((noinline)) static four turned(four a, floats by, int n) {
  a[n & 3] += (int)by.y;
  return a.wzyx;
}

int main(void) {
  char text[48];
  if (fread(text, 1, sizeof text, stdin) < sizeof text) return 0;
  if (find(text, ':') == 5 && find(text + 6, ';') == 9) labrys_target("found");
  if ((hash(text) & 0xff) == 0x21) labrys_target("hash");
  __m128i high = _mm_loadu_si128((const __m128i*)(text + 16)), low = _mm_loadu_si128((const __m128i*)text);
  unsigned char bytes[16];
  _mm_storeu_si128((__m128i*)bytes, _mm_packus_epi16(low, high));
  if (bytes[0] == 200 && bytes[9] == 255) labrys_target("packed");
  if (_mm_cvtsi128_si32(_mm_sad_epu8(low, _mm_setzero_si128())) == 1000) labrys_target("sum");
  _mm_storeu_si128((__m128i*)bytes, _mm_shuffle_epi8(low, high));
  if (bytes[2] == 'x' && text[18] == 11) labrys_target("shuffled");
  four numbers = {text[32], text[33], text[34], text[35]};
  four result = turned(numbers, __builtin_convertvector(numbers, floats), text[36]);
  if (result.x == 77 && result.y == 12 && text[35] == 70) labrys_target("passed");
  four chosen = numbers > 20 ? numbers : -numbers;
  if (__builtin_reduce_add(chosen) == 43 && text[32] == 100) labrys_target("chosen");
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(low, high)) > 0xffff) labrys_target("none");
  return 0;
}

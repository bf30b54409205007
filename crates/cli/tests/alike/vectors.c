/* Vectors, by the functions of the processor and by those of the compiler. */
// options: -msse4.1
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

typedef int four __attribute__((ext_vector_type(4)));
typedef float floats __attribute__((vector_size(16)));
typedef short eight __attribute__((ext_vector_type(8)));
typedef unsigned char bytes __attribute__((vector_size(16)));

static unsigned long long state = 88172645463325252ull;
static unsigned char next(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned char)(state >> 24);
}
static __m128i some(void) {
  unsigned char raw[16];
  for (int i = 0; i < 16; i++) raw[i] = next() % 5 ? next() : (i & 1 ? 0x80 : 0);
  return _mm_loadu_si128((const __m128i*)raw);
}
static void show(const char* name, __m128i value) {
  unsigned char raw[16];
  _mm_storeu_si128((__m128i*)raw, value);
  printf("%s ", name);
  for (int i = 0; i < 16; i++) printf("%02x", raw[i]);
  puts("");
}
#define SHOW(call) show(#call, call)

static void of_integers(__m128i a, __m128i b, int n) {
  SHOW(_mm_packus_epi16(a, b)), SHOW(_mm_packs_epi16(a, b));
  SHOW(_mm_packs_epi32(a, b)), SHOW(_mm_packus_epi32(a, b));
  SHOW(_mm_sad_epu8(a, b)), SHOW(_mm_madd_epi16(a, b));
  SHOW(_mm_mulhi_epi16(a, b)), SHOW(_mm_mulhi_epu16(a, b));
  SHOW(_mm_avg_epu8(a, b)), SHOW(_mm_avg_epu16(a, b));
  SHOW(_mm_shuffle_epi8(a, b)), SHOW(_mm_shuffle_epi8(a, _mm_set1_epi8((char)n)));
  SHOW(_mm_slli_epi16(a, n)), SHOW(_mm_slli_epi32(a, n)), SHOW(_mm_slli_epi64(a, n));
  SHOW(_mm_srli_epi16(a, n)), SHOW(_mm_srli_epi32(a, n)), SHOW(_mm_srli_epi64(a, n));
  SHOW(_mm_srai_epi16(a, n)), SHOW(_mm_srai_epi32(a, n));
  SHOW(_mm_sll_epi32(a, _mm_cvtsi32_si128(n))), SHOW(_mm_srl_epi16(a, _mm_cvtsi32_si128(n)));
  SHOW(_mm_adds_epu8(a, b)), SHOW(_mm_subs_epi16(a, b)), SHOW(_mm_max_epu8(a, b));
  SHOW(_mm_min_epi16(a, b)), SHOW(_mm_mul_epu32(a, b)), SHOW(_mm_mullo_epi32(a, b));
  SHOW(_mm_cmpgt_epi8(a, b)), SHOW(_mm_unpackhi_epi8(a, b)), SHOW(_mm_unpacklo_epi32(a, b));
  SHOW(_mm_blendv_epi8(a, b, _mm_cmpgt_epi8(a, b))), SHOW(_mm_alignr_epi8(a, b, 5));
  SHOW(_mm_srli_si128(a, 3)), SHOW(_mm_abs_epi8(a)), SHOW(_mm_sign_epi8(a, b));
  SHOW(_mm_shufflehi_epi16(a, 0x1b)), SHOW(_mm_hadd_epi16(a, b)), SHOW(_mm_maddubs_epi16(a, b));
  printf("%d %d %d %d %d %d\n", _mm_movemask_epi8(a), _mm_extract_epi16(a, 3), _mm_cvtsi128_si32(b),
         _mm_testz_si128(a, b), _mm_testc_si128(a, b), _mm_testz_si128(a, _mm_setzero_si128()));
}

static void of_floats(__m128i x, __m128i y) {
  __m128 a = _mm_cvtepi32_ps(x), b = _mm_cvtepi32_ps(y);
  show("+", _mm_castps_si128(_mm_add_ps(a, b))), show("/", _mm_castps_si128(_mm_div_ps(a, b)));
  show("min", _mm_castps_si128(_mm_min_ps(a, b))), show("sqrt", _mm_castps_si128(_mm_sqrt_ps(b)));
  show("<", _mm_castps_si128(_mm_cmplt_ps(a, b))), show("int", _mm_cvttps_epi32(b));
  show("lower", _mm_castps_si128(_mm_movelh_ps(a, b)));
  __m128d c = _mm_cvtps_pd(a);
  show("double", _mm_castpd_si128(_mm_mul_pd(c, c)));
  printf("%d %d %d\n", _mm_movemask_ps(a), _mm_movemask_pd(c), _mm_ucomilt_ss(a, b));
}

static four passed(four a, eight b, int i) {
  a[i & 3] += b[(i + 1) & 7];
  return a * (four){1, 2, 3, 5} - (a > 7);
}

static void of_the_compiler(__m128i x, __m128i y, int n) {
  four a = (four)x, b = (four)y;
  eight c = (eight)y;
  four d = passed(a, c, n);
  show("passed", (__m128i)d);
  four chosen = a > b ? a : d;
  show("chosen", (__m128i)chosen), show("shifted", (__m128i)(b << (a & 7)));
  show("shuffled", (__m128i)__builtin_shufflevector(a, b, 6, 1, 4, 3));
  show("divided", (__m128i)(a / (b | 1))), show("rest", (__m128i)((bytes)x % (bytes)((bytes)y | 1)));
  floats f = __builtin_convertvector(a, floats);
  show("floats", (__m128i)(f * f - f)), show("abs", (__m128i)__builtin_elementwise_abs(f));
  printf("%d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(b), __builtin_reduce_xor(d));
  for (int i = 0; i < 4; i++) printf("%d ", chosen[(i + n) & 3]);
  puts(memcmp(&a, &b, 16) < 0 ? "less" : "more");
}

__attribute__((target("avx2"))) static void of_256_bits(__m128i x, __m128i y, int n) {
  __m256i a = _mm256_set_m128i(x, y), b = _mm256_set_m128i(y, x), all[8] = {
    _mm256_packus_epi16(a, b), _mm256_packs_epi32(a, b), _mm256_shuffle_epi8(a, b), _mm256_sad_epu8(a, b),
    _mm256_slli_epi64(a, n), _mm256_madd_epi16(a, b), _mm256_avg_epu8(a, b), _mm256_permute2x128_si256(a, b, 0x21)};
  for (int i = 0; i < 8; i++) {
    show("low", _mm256_castsi256_si128(all[i])), show("high", _mm256_extracti128_si256(all[i], 1));
  }
  printf("%d %d\n", _mm256_movemask_epi8(a), _mm256_testz_si256(a, b));
}

int main(void) {
  for (int n = 0; n < 70; n += 3) {
    __m128i a = some(), b = some();
    of_integers(a, b, n), of_floats(a, b), of_the_compiler(a, b, n);
    if (__builtin_cpu_supports("avx2")) of_256_bits(a, b, n);
  }
  of_integers(some(), some(), -1), of_integers(some(), some(), 1 << 20);
  return 0;
}

// options: -O2 -mno-avx -ffp-contract=on
// inputs: a7 a700 a701 a7ff
#include <labrys.h>
#include <emmintrin.h>
static __attribute__((noinline)) int body(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  __m128i v = _mm_set1_epi8((char)c);
  int m = _mm_movemask_epi8(v);
  if (m == 0xffff) labrys_target("all");
  v = _mm_adds_epu8(v, _mm_set1_epi8(10));
  if (_mm_extract_epi16(v, 0) == 0xffff) labrys_target("saturated");
  __m128d d = _mm_set_pd(c, 2.5);
  int i = _mm_cvtsd_si32(d);
  if (i == 2) labrys_target("even");
  d = _mm_min_pd(d, _mm_set1_pd(__builtin_nan("")));
  if (_mm_cvtsd_f64(d) != _mm_cvtsd_f64(d)) labrys_target("second");
  v = _mm_sad_epu8(v, _mm_setzero_si128());
  if (_mm_cvtsi128_si32(v) == 88) labrys_target("sum");
  v = _mm_srli_epi16(_mm_set1_epi16(c), 20);
  if (_mm_cvtsi128_si32(v) == 0) labrys_target("shifted out");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}

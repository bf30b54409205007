/* Memory of C++: blocks that the search knows as it knows those of malloc. */

extern void *_Znwm(size_t size) __attribute__((weak));
extern void *_Znam(size_t size) __attribute__((weak));

/* Where there is no memory, the library's operator throws. */
void *MODEL(_Znwm)(size_t size) {
  void *p = __labrys_w_malloc(size ? size : 1);
  return p ? p : _Znwm(size);
}
void *MODEL(_Znam)(size_t size) {
  void *p = __labrys_w_malloc(size ? size : 1);
  return p ? p : _Znam(size);
}
void MODEL(_ZdlPv)(void *p) { __labrys_w_free(p); }
void MODEL(_ZdaPv)(void *p) { __labrys_w_free(p); }
void MODEL(_ZdlPvm)(void *p, size_t size) { (void)size, __labrys_w_free(p); }
void MODEL(_ZdaPvm)(void *p, size_t size) { (void)size, __labrys_w_free(p); }

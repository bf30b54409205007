/* Before libstdc++'s header of this name: std::string is compiled into the program from the
 * headers, not taken from the library's binary, so that it is instrumented. */
#pragma GCC system_header
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")

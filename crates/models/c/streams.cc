/* The input streams of libstdc++, instrumented with programs that read by them, so that what
 * they decide on input is seen: std::cin, files, strings, and conversions to numbers.
 *
 * The templates of libstdc++'s headers are instantiated here. What its library holds in other
 * sources is written anew below, from the descriptions in the C++ standard (clauses of C++17).
 * Each function NAME (mangled) becomes the model __labrys_m_NAME. The table of virtual
 * functions of the buffer behind std::cin keeps its name: the dynamic linker gives it to the
 * library in place of its own.
 *
 * Compiled once as C++17 and once as C++20, where some functions have other names. */

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <ext/stdio_filebuf.h>
#include <ext/stdio_sync_filebuf.h>
#include <fstream>
#include <istream>
#include <limits>
#include <sstream>
#include <string>
#include <typeinfo>
#include <unistd.h>

#include "models/decimal.h"

/* The library's function reads what may carry labels and makes of it what does not: counted. */
extern "C" void __labrys_unseen(const char *function);
/* The value without its label. */
extern "C" int __labrys_bare(int value);
/* Does the file descriptor read an input of this run? */
extern "C" int __labrys_is_input(int fd);

namespace std {

static const int END = char_traits<char>::eof();

/* The character as streams give it, and back. */
static int number_of(char c) { return char_traits<char>::to_int_type(c); }
static char char_of(int c) { return char_traits<char>::to_char_type(c); }

/* Is it the end of the input? No byte is, so there is nothing to decide. */
static bool is_end(int c) { return __labrys_bare(c) == END; }

/* Is it white space? One decision in the C locale, without a table. */
static bool is_space(const ctype<char> &kinds, bool classic, int c) {
  if (classic) return (c == ' ') | ((unsigned)c - '\t' < 5);
  return !is_end(c) && kinds.is(ctype_base::space, char_of(c));
}

static bool is_classic(const ctype<char> &kinds) {
  return kinds.table() == ctype<char>::classic_table();
}

/* [istream::sentry] 2 to 4. */
template <> istream::sentry::sentry(istream &in, bool keeps_space) : _M_ok(false) {
  ios_base::iostate state = ios_base::goodbit;
  if (in.good()) {
    try {
      if (in.tie()) in.tie()->flush();
      if (!keeps_space && (in.flags() & ios_base::skipws)) {
        const ctype<char> &kinds = use_facet<ctype<char>>(in.getloc());
        const bool classic = is_classic(kinds);
        int c = in.rdbuf()->sgetc();
        while (is_space(kinds, classic, c)) c = in.rdbuf()->snextc();
        if (is_end(c)) state |= ios_base::eofbit;
      }
    } catch (__cxxabiv1::__forced_unwind &) {
      in._M_setstate(ios_base::badbit);
      throw;
    } catch (...) {
      in._M_setstate(ios_base::badbit);
    }
  }
  if (in.good() && state == ios_base::goodbit)
    _M_ok = true;
  else
    in.setstate(state | ios_base::failbit);
}

/* Runs `read` between the sentry and the setting of what it adds to `state`; an exception
 * becomes badbit ([istream.formatted.reqmts], [istream.unformatted]). */
template <typename F>
static void reading(istream &in, bool keeps_space, ios_base::iostate &state, F read) {
  istream::sentry ready(in, keeps_space);
  if (!ready) return;
  try {
    read();
  } catch (__cxxabiv1::__forced_unwind &) {
    in._M_setstate(ios_base::badbit);
    throw;
  } catch (...) {
    in._M_setstate(ios_base::badbit);
  }
}

/* Takes characters while there is room and `wanted` says so; the character that is left. */
template <typename W, typename T>
static int take(streambuf *from, streamsize room, streamsize &count, W wanted, T keep) {
  int c = from->sgetc();
  while (count < room && !is_end(c) && wanted(char_of(c))) {
    keep(char_of(c));
    count++;
    c = from->snextc();
  }
  return c;
}

/* [istream.unformatted] 18 to 23. */
template <> istream &istream::getline(char *s, streamsize size, char end) {
  ios_base::iostate state = ios_base::goodbit;
  _M_gcount = 0;
  reading(*this, true, state, [&] {
    auto wanted = [&](char c) { return c != end; };
    int c = take(rdbuf(), size - 1, _M_gcount, wanted, [&](char c) { *s++ = c; });
    if (is_end(c)) {
      state |= ios_base::eofbit;
    } else if (c == number_of(end)) {
      rdbuf()->sbumpc();
      _M_gcount++;
    } else {
      state |= ios_base::failbit;
    }
  });
  if (size > 0) *s = 0;
  if (_M_gcount == 0) state |= ios_base::failbit;
  if (state != ios_base::goodbit) setstate(state);
  return *this;
}

/* Skips up to `size` characters (all, if that is the greatest number), until `wanted` says no. */
template <typename W>
static bool skip(streambuf *from, streamsize size, streamsize &count, W wanted) {
  const streamsize all = numeric_limits<streamsize>::max();
  while (size == all || count < size) {
    int c = from->sbumpc();
    if (is_end(c)) return true;
    if (count < all) count++;
    if (!wanted(c)) break;
  }
  return false;
}

/* [istream.unformatted] 25 and 26. */
template <> istream &istream::ignore(streamsize size, int end) {
  ios_base::iostate state = ios_base::goodbit;
  _M_gcount = 0;
  reading(*this, true, state, [&] {
    if (skip(rdbuf(), size, _M_gcount, [&](int c) { return c != end; })) state |= ios_base::eofbit;
  });
  if (state != ios_base::goodbit) setstate(state);
  return *this;
}

template <> istream &istream::ignore(streamsize size) {
  ios_base::iostate state = ios_base::goodbit;
  _M_gcount = 0;
  reading(*this, true, state, [&] {
    if (skip(rdbuf(), size, _M_gcount, [](int) { return true; })) state |= ios_base::eofbit;
  });
  if (state != ios_base::goodbit) setstate(state);
  return *this;
}

/* [string.io] 6. */
template <> istream &getline(istream &in, string &line, char end) {
  ios_base::iostate state = ios_base::goodbit;
  streamsize count = 0;
  reading(in, true, state, [&] {
    line.erase();
    const streamsize room = line.max_size();
    auto wanted = [&](char c) { return c != end; };
    int c = take(in.rdbuf(), room, count, wanted, [&](char c) { line += c; });
    if (is_end(c)) {
      state |= ios_base::eofbit;
    } else if (c == number_of(end)) {
      in.rdbuf()->sbumpc();
      count++;
    } else {
      state |= ios_base::failbit;
    }
  });
  if (count == 0) state |= ios_base::failbit;
  if (state != ios_base::goodbit) in.setstate(state);
  return in;
}

/* A word, up to white space: `keep` stores it where there is room for it and for what `end`
 * writes behind it. */
template <typename S, typename T, typename E>
static void word(istream &in, streamsize room, streamsize behind, S start, T keep, E end) {
  ios_base::iostate state = ios_base::goodbit;
  streamsize count = 0;
  reading(in, false, state, [&] {
    start();
    if (0 < in.width() && in.width() < room) room = in.width();
    room -= behind;
    const ctype<char> &kinds = use_facet<ctype<char>>(in.getloc());
    const bool classic = is_classic(kinds);
    auto wanted = [&](char c) { return !is_space(kinds, classic, number_of(c)); };
    int c = take(in.rdbuf(), room, count, wanted, keep);
    if (count < room && is_end(c)) state |= ios_base::eofbit;
    end();
    in.width(0);
  });
  if (count == 0) state |= ios_base::failbit;
  if (state != ios_base::goodbit) in.setstate(state);
}

/* [string.io] 1. */
template <> istream &operator>>(istream &in, string &to) {
  word(in, to.max_size(), 0, [&] { to.erase(); }, [&](char c) { to += c; }, [] {});
  return in;
}

/* [istream.extractors] 7 to 10, for a buffer of `size`. */
void __istream_extract(istream &in, char *s, streamsize size) {
  word(in, size, 1, [] {}, [&](char c) { *s++ = c; }, [&] { *s = 0; });
}

/* What `<<` and `>>` of a streambuf do. */
template <>
streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &ended) {
  streamsize count = 0;
  ended = true;
  for (int c = from->sgetc(); !is_end(c); c = from->snextc()) {
    if (to->sputc(char_of(c)) == END) {
      ended = false;
      break;
    }
    count++;
  }
  return count;
}

/* The last step of num_get ([facet.num.get.virtuals] 3): by the library's functions, which have
 * models, where the C locale has the decimal point that num_get writes. */
template <typename T>
static void convert(const char *text, T &value, ios_base::iostate &state, const __c_locale &locale,
                    T (*plain)(const char *, char **), T (*other)(const char *, char **, locale_t)) {
  char *end;
  const bool simple = *localeconv()->decimal_point == '.';
  value = simple ? plain(text, &end) : other(text, &end, locale);
  const T infinity = numeric_limits<T>::infinity();
  const T most = numeric_limits<T>::max();
  if (end == text || *end != 0) {
    value = 0;
    state = ios_base::failbit;
  } else if (value == infinity || value == -infinity) {
    value = value > 0 ? most : -most;
    state = ios_base::failbit;
  }
}

template <>
void __convert_to_v(const char *s, float &v, ios_base::iostate &e, const __c_locale &l) throw() {
  convert(s, v, e, l, strtof, strtof_l);
}

template <>
void __convert_to_v(const char *s, double &v, ios_base::iostate &e, const __c_locale &l) throw() {
  convert(s, v, e, l, strtod, strtod_l);
}

/* Reads from the file behind a filebuf. */
streamsize __basic_file<char>::xsgetn(char *to, streamsize size) {
  streamsize got;
  do {
    got = read(fd(), to, size);
  } while (got == -1 && errno == EINTR);
  return got;
}

/* The library's own function, which keeps its name. */
int library_underflow(filebuf *) __asm__(
    "__labrys_library__ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv");

/* Fills the buffer of a file. It would read as much as the buffer holds, and an input that is as
 * long would be another path. So an input of the run is read byte by byte, as getc does it. */
template <> int filebuf::underflow() {
  const bool input = (_M_mode & ios_base::in) && !_M_writing && !_M_pback_init && is_open() &&
                     gptr() >= egptr() && __check_facet(_M_codecvt).always_noconv() &&
                     __labrys_is_input(_M_file.fd());
  if (!input) return library_underflow(this);
  const streamsize got = _M_file.xsgetn(eback(), 1);
  if (got < 0) return library_underflow(this);
  _M_set_buffer(got > 0 ? 1 : -1);
  _M_reading = got > 0;
  return got > 0 ? number_of(*gptr()) : END;
}

/* The library's own function. */
bool library_sync(bool) __asm__("__labrys_library__ZNSt8ios_base15sync_with_stdioEb");

extern istream cin;

/* [ios.members.static]. The library gives std::cin a buffer of its own, whose functions are not
 * to be had by name; here it gets one like it. */
bool ios_base::sync_with_stdio(bool synchronized) {
  const streambuf *before = cin.rdbuf();
  const bool was = library_sync(synchronized);
  if (cin.rdbuf() != before) cin.rdbuf(new __gnu_cxx::stdio_filebuf<char>(stdin, ios_base::in));
  return was;
}

#include "stream_numbers.h"

/* What only writes stays in the library. */
extern template int filebuf::overflow(int);
extern template bool filebuf::_M_convert_to_external(char *, streamsize);
extern template bool filebuf::_M_terminate_output();
extern template streamsize filebuf::xsputn(const char *, streamsize);
extern template streambuf *filebuf::setbuf(char *, streamsize);
extern template void filebuf::imbue(const locale &);
extern template int filebuf::sync();
extern template class basic_ostream<char>;
extern template class num_put<char>;

template class basic_ios<char>;
template class basic_streambuf<char>;
template class basic_istream<char>;
template class basic_iostream<char>;
template filebuf *filebuf::open(const char *, ios_base::openmode);
template class basic_ifstream<char>;
template class basic_fstream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;
template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template ostream &ostream::operator<<(streambuf *);

} // namespace std

namespace __gnu_cxx {
template class stdio_filebuf<char>;
template class stdio_sync_filebuf<char>;
} // namespace __gnu_cxx

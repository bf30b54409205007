/* Numbers that are read by `>>`: a part of streams.cc, in namespace std. */

/* A whole number in decimal digits ([facet.num.get.virtuals] 3): one decision for each digit,
 * none about overflow as long as any digits fit, and one about the sign at the end. */
template <typename T>
static void whole(streambuf *from, ios_base::iostate &state, T &value) {
  const int always = numeric_limits<T>::digits10;
  unsigned long sum = 0, limit = numeric_limits<T>::max();
  unsigned narrow = 0;
  int digits = 0, c = from->sgetc();
  bool minus = false, overflow = false;
  if ((c == '-') | (c == '+')) {
    minus = c == '-';
    c = from->snextc();
  }
  for (; IS_DIGIT(c); c = from->snextc(), digits++) {
    const unsigned digit = (unsigned)c - '0';
    if (digits == always && minus && numeric_limits<T>::is_signed) limit++;
    if (digits >= always && (sum > limit / 10 || (sum == limit / 10 && digit > limit % 10)))
      overflow = true;
    if (overflow) continue;
    sum = digits < 9 ? narrow = narrow * 10 + digit : sum * 10 + digit;
  }
  if (digits == 0 || overflow) state = ios_base::failbit;
  if (overflow)
    value = minus && numeric_limits<T>::is_signed ? numeric_limits<T>::min()
                                                  : numeric_limits<T>::max();
  else if (digits <= 9)
    value = static_cast<T>(minus ? -(unsigned long)narrow : narrow);
  else
    value = static_cast<T>(minus ? -sum : sum);
  if (is_end(c)) state |= ios_base::eofbit;
}

/* The value of a decimal fraction, if it is exact: a float's only where it needs no rounding. */
static bool exact(const decimal &number, double &value) { return decimal_value(&number, &value); }
static bool exact(const decimal &number, float &value) {
  double wide;
  if (!decimal_value(&number, &wide) || (double)(float)wide != wide) return false;
  value = (float)wide;
  return true;
}

/* A decimal fraction. What is not exact is converted by the library. */
template <typename T>
static void fraction(streambuf *from, ios_base::iostate &state, T &value, __c_locale locale) {
  decimal number = decimal();
  string text;
  bool minus = false, power = false;
  int c = from->sgetc(), point = 0;
  auto next = [&] {
    text += char_of(c);
    return c = from->snextc();
  };
  if ((c == '-') | (c == '+')) {
    minus = c == '-';
    next();
  }
  for (;; next()) {
    if (IS_DIGIT(c))
      decimal_digit(&number, c), number.scale -= point;
    else if (c == '.' && !point)
      point = 1;
    else
      break;
  }
  if (number.digits && (c | 32) == 'e') {
    power = true;
    next();
    if ((c == '-') | (c == '+')) {
      number.power_minus = c == '-';
      next();
    }
    for (; IS_DIGIT(c); c = next()) decimal_power(&number, c);
  }
  if (number.digits == 0 || (power && number.power_digits == 0)) {
    value = 0;
    state = ios_base::failbit;
  } else if (exact(number, value)) {
    if (minus) value = -value;
  } else {
    __labrys_unseen("std::istream::operator>>");
    __convert_to_v(text.c_str(), value, state, locale);
  }
  if (is_end(c)) state |= ios_base::eofbit;
}

/* The library's facet for numbers, called without its table of virtual functions: so only the
 * conversions that a program uses become part of it. What a program reads in the C locale is
 * read by the functions above. */
struct Numbers : num_get<char> {
  template <typename T>
  static void get(const num_get<char> &facet, istream &in, ios_base::iostate &state, T &value) {
    if (typeid(facet) == typeid(num_get<char>)) {
      static_cast<const Numbers &>(facet).num_get<char>::do_get(in, 0, in, state, value);
    } else {
      facet.get(in, 0, in, state, value);
    }
  }

  static bool is_plain(const num_get<char> &facet, const istream &in) {
    return typeid(facet) == typeid(num_get<char>) && in.getloc() == locale::classic();
  }

  template <typename T>
  static void integer(const num_get<char> &facet, istream &in, ios_base::iostate &state, T &value) {
    if ((in.flags() & ios_base::basefield) == ios_base::dec && is_plain(facet, in))
      whole(in.rdbuf(), state, value);
    else
      get(facet, in, state, value);
  }

  template <typename T>
  static void real(const num_get<char> &facet, istream &in, ios_base::iostate &state, T &value) {
    if (is_plain(facet, in))
      fraction(in.rdbuf(), state, value, _S_get_c_locale());
    else
      get(facet, in, state, value);
  }
};

static void unseen(const num_get<char> &facet, istream &in, ios_base::iostate &state,
                   long double &value) {
  __labrys_unseen("std::istream::operator>>");
  Numbers::get(facet, in, state, value);
}

/* [istream.formatted.arithmetic] 1, by one of these functions. */
template <typename T, typename F>
static istream &number(istream &in, const num_get<char> *facet, T &value, F get) {
  ios_base::iostate state = ios_base::goodbit;
  reading(in, false, state, [&] { get(__check_facet(facet), in, state, value); });
  if (state != ios_base::goodbit) in.setstate(state);
  return in;
}

#define EXTRACTOR(T, get)                                     \
  template <> template <> istream &istream::_M_extract(T &value) { \
    return number(*this, _M_num_get, value, get);             \
  }
EXTRACTOR(bool, Numbers::get<bool>)
EXTRACTOR(unsigned short, Numbers::integer<unsigned short>)
EXTRACTOR(unsigned, Numbers::integer<unsigned>)
EXTRACTOR(long, Numbers::integer<long>)
EXTRACTOR(unsigned long, Numbers::integer<unsigned long>)
EXTRACTOR(long long, Numbers::integer<long long>)
EXTRACTOR(unsigned long long, Numbers::integer<unsigned long long>)
EXTRACTOR(float, Numbers::real<float>)
EXTRACTOR(double, Numbers::real<double>)
EXTRACTOR(long double, unseen)
EXTRACTOR(void *, Numbers::get<void *>)

/* [istream.formatted.arithmetic] 2 and 3: read as long, too large is an error. */
template <typename T>
static istream &small(istream &in, const num_get<char> *facet, T &value) {
  ios_base::iostate state = ios_base::goodbit;
  reading(in, false, state, [&] {
    if ((in.flags() & ios_base::basefield) == ios_base::dec &&
        Numbers::is_plain(__check_facet(facet), in))
      return whole(in.rdbuf(), state, value);
    long wide;
    Numbers::get(__check_facet(facet), in, state, wide);
    if (wide < numeric_limits<T>::min()) {
      state |= ios_base::failbit;
      value = numeric_limits<T>::min();
    } else if (wide > numeric_limits<T>::max()) {
      state |= ios_base::failbit;
      value = numeric_limits<T>::max();
    } else {
      value = wide;
    }
  });
  if (state != ios_base::goodbit) in.setstate(state);
  return in;
}

template <> istream &istream::operator>>(short &value) { return small(*this, _M_num_get, value); }
template <> istream &istream::operator>>(int &value) { return small(*this, _M_num_get, value); }

/* What streams read of random and boundary texts, one line for each: built with the models of
 * `c/streams.cc` and without them, it prints the same. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

/* What the models need of the runtime and the library; files are not read here. */
extern "C" {
int __labrys_is_input(int) { return 0; }
void __labrys_unseen(const char *) {}
int __labrys_bare(int value) { return value; }
int __labrys_library__ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv(void *) { return -1; }
bool __labrys_library__ZNSt8ios_base15sync_with_stdioEb(bool) { return true; }
}

static unsigned long seed = 88172645463325252UL;
static unsigned random_below(unsigned n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (unsigned)(seed >> 32) % n;
}

static std::string text() {
  static const char *const EDGES[] = {"32767", "32768", "-32768", "-32769", "65535", "65536",
      "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
      "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-1", "-0", "+7",
      "+-1", "", " ", "0000000000000000000000000012", "1e5", "1e", "1e+", "1e400", "-1e400",
      "1e-400", "3.4e39", "0x1p3", "nan", "inf", ".", ".5", "5.", "-.5e-1x", "e5", "1.2.3",
      "1e5.5", "123456789012345678901234567890", "0.1", "9007199254740993", "16777217", "--1",
      "1,000", "1e22", "1e23", "\t\n\v 12 \r13", "0e", "00.25"};
  static const char *const LETTERS[] = {"0123456789", "0123456789.", "0123456789.e-+ ", "01 -+xa.\t"};
  if (random_below(3) == 0) return EDGES[random_below(sizeof EDGES / sizeof *EDGES)];
  const char *letters = LETTERS[random_below(4)];
  std::string s;
  for (unsigned n = random_below(14); n > 0; n--) s += letters[random_below(std::strlen(letters))];
  return s;
}

template <typename T> static void read(const char *name, const std::string &from) {
  static const std::ios_base::fmtflags BASES[] = {std::ios_base::dec, std::ios_base::dec,
      std::ios_base::dec, std::ios_base::hex, std::ios_base::oct, std::ios_base::fmtflags()};
  std::istringstream in(from);
  in.setf(BASES[random_below(6)], std::ios_base::basefield);
  if (random_below(8) == 0) in.unsetf(std::ios_base::skipws);
  std::printf("%s '%s':", name, from.c_str());
  for (int i = 0; i < 2; i++) {
    T value = T(77);
    in >> value;
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof bytes);
    for (unsigned k = 0; k < (sizeof(T) > 8 ? 10 : sizeof(T)); k++) std::printf("%02x", bytes[k]);
    std::printf(" %d ", (int)in.rdstate());
  }
  in.clear();
  std::printf("at %ld\n", (long)in.tellg());
}

static void words(const std::string &from) {
  std::istringstream in(from);
  std::string word, line;
  char c = '#', few[5] = "####";
  if (random_below(2)) in.width(random_below(5));
  in >> word;
  std::printf("words '%s' '%s' %d", from.c_str(), word.c_str(), (int)in.rdstate());
  in >> c;
  std::printf(" %c %d", c, (int)in.rdstate());
  in.clear();
  in.ignore(random_below(3), ' ');
  std::getline(in, line, "\n1 "[random_below(3)]);
  std::printf(" '%s' %d", line.c_str(), (int)in.rdstate());
  in.clear();
  in.getline(few, sizeof few);
  std::printf(" '%s' %d %ld", few, (int)in.rdstate(), (long)in.gcount());
  in >> std::ws;
  std::printf(" %d\n", (int)in.rdstate());
}

int main(int, char **argv) {
  for (int left = std::atoi(argv[1]); left > 0; left--) {
    read<short>("short", text());
    read<unsigned short>("unsigned short", text());
    read<int>("int", text());
    read<unsigned>("unsigned", text());
    read<long>("long", text());
    read<unsigned long long>("unsigned long long", text());
    read<bool>("bool", text());
    read<float>("float", text());
    read<double>("double", text());
    read<long double>("long double", text());
    words(text());
  }
  return 0;
}

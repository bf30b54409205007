/* Oniguruma: compiles a file as a pattern and searches a subject: onig ENCODING OPTIONS FILE.
   OPTIONS is a number of the library's flags; the subject is fixed. */
#include "input.h"

#include "oniguruma.h"

static const struct {
  const char *name;
  OnigEncoding encoding;
} encodings[] = {
    {"utf8", ONIG_ENCODING_UTF8},         {"utf16be", ONIG_ENCODING_UTF16_BE},
    {"utf16le", ONIG_ENCODING_UTF16_LE},  {"utf32be", ONIG_ENCODING_UTF32_BE},
    {"utf32le", ONIG_ENCODING_UTF32_LE},  {"eucjp", ONIG_ENCODING_EUC_JP},
    {"sjis", ONIG_ENCODING_SJIS},         {"gb18030", ONIG_ENCODING_GB18030},
    {"latin1", ONIG_ENCODING_ISO_8859_1}, {"ascii", ONIG_ENCODING_ASCII},
};

int main(int count, char **words) {
  if (count != 4) return 2;
  OnigEncoding encoding = ONIG_ENCODING_ASCII;
  for (size_t at = 0; at < sizeof encodings / sizeof *encodings; at++)
    if (!strcmp(words[1], encodings[at].name)) encoding = encodings[at].encoding;
  size_t length;
  unsigned char *pattern = read_input(words[3], &length);
  static const char text[] = "aB 12\nabc-c\xc3\x9f.";
  unsigned char *subject = malloc(sizeof text - 1);
  if (!subject) return 2;
  memcpy(subject, text, sizeof text - 1);
  const unsigned char *end = subject + sizeof text - 1;
  regex_t *regex;
  OnigErrorInfo error;
  int status = onig_new(&regex, pattern, pattern + length, (OnigOptionType)atoi(words[2]), encoding,
                        ONIG_SYNTAX_DEFAULT, &error);
  if (status == ONIG_NORMAL) {
    OnigRegion *region = onig_region_new();
    status = onig_search(regex, subject, end, subject, end, region, ONIG_OPTION_NONE);
    onig_region_free(region, 1);
    onig_free(regex);
  }
  onig_end();
  free(subject);
  free(pattern);
  return status < 0;
}

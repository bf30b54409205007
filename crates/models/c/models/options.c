/* getopt and getopt_long as glibc has them: words that are no options go to the end of argv
 * unless the short options begin with '+' or '-' or POSIXLY_CORRECT is set. */

static char *next_letter;
static int first_nonoption, last_nonoption, getopt_started;
enum { PERMUTE, REQUIRE_ORDER, RETURN_IN_ORDER };
static int ordering;

/* Swaps argv[first_nonoption .. last_nonoption) with argv[last_nonoption .. optind). */
static void exchange(char **argv) {
  while (last_nonoption < optind) {
    char *word = argv[last_nonoption];
    for (int i = last_nonoption; i > first_nonoption; i--) argv[i] = argv[i - 1];
    argv[first_nonoption++] = word;
    last_nonoption++;
  }
}

static void start_getopt(const char *letters) {
  if (optind == 0) optind = 1;
  first_nonoption = last_nonoption = optind;
  next_letter = NULL;
  ordering = *letters == '-'                                        ? RETURN_IN_ORDER
             : *letters == '+' || getenv("POSIXLY_CORRECT") != NULL ? REQUIRE_ORDER
                                                                    : PERMUTE;
  getopt_started = 1;
}

#define COMPLAIN(...)                                     \
  do {                                                    \
    if (opterr && !quiet) fprintf(stderr, __VA_ARGS__);   \
  } while (0)

/* The long option that `next_letter` names, whole or by a unique beginning. */
static int long_option(int argc, char **argv, const struct option *options, int *index,
                       int long_only, int quiet, const char *dashes, const char *letters) {
  const char *name = next_letter, *end = name;
  while (*end && *end != '=') end++;
  size_t size = (size_t)(end - name);
  const struct option *found = NULL;
  int ambiguous = 0, at = 0;
  for (int i = 0; options[i].name; i++)
    if (!__labrys_w_strncmp(options[i].name, name, size) && strlen(options[i].name) == size) {
      found = &options[at = i];
      break;
    }
  if (!found)
    for (int i = 0; options[i].name; i++) {
      const struct option *o = &options[i];
      if (__labrys_w_strncmp(o->name, name, size)) continue;
      if (!found)
        found = &options[at = i];
      else if (long_only || found->has_arg != o->has_arg || found->flag != o->flag ||
               found->val != o->val)
        ambiguous = 1;
    }
  if (ambiguous) {
    COMPLAIN("%s: option '%s%s' is ambiguous\n", argv[0], dashes, name);
    next_letter = NULL;
    optind++;
    optopt = 0;
    return '?';
  }
  if (!found) {
    if (!long_only || argv[optind][1] == '-' || !walk_to(letters, *name)) {
      COMPLAIN("%s: unrecognized option '%s%s'\n", argv[0], dashes, name);
      next_letter = NULL;
      optind++;
      optopt = 0;
      return '?';
    }
    return -1;
  }
  optind++;
  next_letter = NULL;
  if (*end) {
    if (!found->has_arg) {
      COMPLAIN("%s: option '%s%s' doesn't allow an argument\n", argv[0], dashes, found->name);
      optopt = found->val;
      return '?';
    }
    optarg = (char *)end + 1;
  } else if (found->has_arg == 1) {
    if (optind >= argc) {
      COMPLAIN("%s: option '%s%s' requires an argument\n", argv[0], dashes, found->name);
      optopt = found->val;
      return *letters == ':' ? ':' : '?';
    }
    optarg = argv[optind++];
  }
  if (index) *index = at;
  if (found->flag) {
    *found->flag = found->val;
    return 0;
  }
  return found->val;
}

/* Takes the next word that holds options: 1 if there is one, else the answer in `result`. */
static int next_word(int argc, char **argv, int *result) {
#define IS_OPTION(word) ((word)[0] == '-' && (word)[1])
  if (last_nonoption > optind) last_nonoption = optind;
  if (first_nonoption > optind) first_nonoption = optind;
  if (ordering == PERMUTE) {
    if (first_nonoption != last_nonoption && last_nonoption != optind)
      exchange(argv);
    else if (last_nonoption != optind)
      first_nonoption = optind;
    while (optind < argc && !IS_OPTION(argv[optind])) optind++;
    last_nonoption = optind;
  }
  if (optind != argc && argv[optind][0] == '-' && argv[optind][1] == '-' && !argv[optind][2]) {
    optind++;
    if (first_nonoption != last_nonoption && last_nonoption != optind)
      exchange(argv);
    else if (first_nonoption == last_nonoption)
      first_nonoption = optind;
    last_nonoption = argc;
    optind = argc;
  }
  *result = -1;
  if (optind == argc) {
    if (first_nonoption != last_nonoption) optind = first_nonoption;
    return 0;
  }
  if (!IS_OPTION(argv[optind])) {
    if (ordering == REQUIRE_ORDER) return 0;
    optarg = argv[optind++];
    *result = 1;
    return 0;
  }
  return 1;
}

static int get_option(int argc, char **argv, const char *letters, const struct option *options,
                      int *index, int long_only) {
  if (argc < 1) return -1;
  optarg = NULL;
  if (optind == 0 || !getopt_started) start_getopt(letters);
  if (*letters == '-' || *letters == '+') letters++;
  int quiet = *letters == ':', result;
  if (!next_letter || !*next_letter) {
    if (!next_word(argc, argv, &result)) return result;
    if (options) {
      if (argv[optind][1] == '-') {
        next_letter = argv[optind] + 2;
        return long_option(argc, argv, options, index, long_only, quiet, "--", letters);
      }
      if (long_only && (argv[optind][2] || !walk_to(letters, argv[optind][1]))) {
        next_letter = argv[optind] + 1;
        int code = long_option(argc, argv, options, index, long_only, quiet, "-", letters);
        if (code != -1) return code;
      }
    }
    next_letter = argv[optind] + 1;
  }
  char c = *next_letter++;
  const char *rule = walk_to(letters, c);
  if (!*next_letter) optind++;
  if (!rule || c == ':' || c == ';') {
    COMPLAIN("%s: invalid option -- '%c'\n", argv[0], c);
    optopt = c;
    return '?';
  }
  if (rule[0] == 'W' && rule[1] == ';' && options) {
    if (!*next_letter && optind == argc) {
      COMPLAIN("%s: option requires an argument -- '%c'\n", argv[0], c);
      optopt = c;
      return *letters == ':' ? ':' : '?';
    }
    next_letter = *next_letter ? next_letter : argv[optind];
    optarg = NULL;
    return long_option(argc, argv, options, index, 0, quiet, "-W ", letters);
  }
  if (rule[1] != ':') return c;
  if (*next_letter) {
    optarg = next_letter;
    optind++;
  } else if (rule[2] != ':') {
    if (optind == argc) {
      COMPLAIN("%s: option requires an argument -- '%c'\n", argv[0], c);
      optopt = c;
      c = *letters == ':' ? ':' : '?';
    } else
      optarg = argv[optind++];
  }
  next_letter = NULL;
  return c;
}

/* Words of the command line do not gain labels after the start: which of the two keeps the
 * state of the walk over them is the same at each call. */
static int symbolic_words(int argc, char *const *argv) {
  for (int i = 1; i < argc; i++)
    if (argv[i] && !CONCRETE_STRING(argv[i])) return 1;
  return 0;
}

int MODEL(getopt)(int argc, char *const *argv, const char *letters) {
  if (!symbolic_words(argc, argv)) return getopt(argc, argv, letters);
  return get_option(argc, (char **)argv, letters, NULL, NULL, 0);
}

int MODEL(getopt_long)(int argc, char *const *argv, const char *letters,
                       const struct option *options, int *index) {
  if (!symbolic_words(argc, argv)) return getopt_long(argc, argv, letters, options, index);
  return get_option(argc, (char **)argv, letters, options, index, 0);
}

int MODEL(getopt_long_only)(int argc, char *const *argv, const char *letters,
                            const struct option *options, int *index) {
  if (!symbolic_words(argc, argv)) return getopt_long_only(argc, argv, letters, options, index);
  return get_option(argc, (char **)argv, letters, options, index, 1);
}

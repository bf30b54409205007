//! Library functions that have a meaning here, by name.

use labrys_program::Type;

/// What a library function does, as far as backward execution is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Makes the bytes at the first argument input; the second is their number, or they are as
    /// many as given here.
    InputObject(Option<u64>),
    /// Gives an input value of the result's type.
    InputValue,
    /// Ends the run unless its argument is true.
    Assume,
    /// Never returns.
    Stops,
    /// Writes no memory that the program sees; its result is anything.
    Harmless,
    /// Reads memory and writes none; its result is anything.
    Reads,
    /// Gives a new object of as many bytes as its arguments' product.
    Allocates {
        /// Whether the bytes are 0.
        zeroed: bool,
        /// Whether the result may be null.
        fails: bool,
    },
    /// A pure function of libm.
    Pure,
    /// Writes anything to what some of its arguments point to, and nothing else that the program
    /// sees but what it keeps of streams; its result is anything.
    Fills {
        /// The first of these arguments.
        from: usize,
        /// The one behind the last.
        to: usize,
        /// Whether what it writes may be an address in an object that it was given.
        shares: bool,
    },
}

/// Where the arguments of a function end that takes any number of them.
const ALL: usize = usize::MAX;

/// Functions that write to what arguments from one to before another point to.
const FILLS: &[(&str, usize, usize)] = &[
    ("__isoc23_fscanf", 2, ALL),
    ("__isoc23_scanf", 1, ALL),
    ("__isoc23_sscanf", 2, ALL),
    ("__isoc23_strtol", 1, 2),
    ("__isoc23_strtoll", 1, 2),
    ("__isoc23_strtoul", 1, 2),
    ("__isoc23_strtoull", 1, 2),
    ("__isoc99_fscanf", 2, ALL),
    ("__isoc99_scanf", 1, ALL),
    ("__isoc99_sscanf", 2, ALL),
    ("fgetc", 0, 0),
    ("fgetc_unlocked", 0, 0),
    ("fgets", 0, 1),
    ("fread", 0, 1),
    ("fscanf", 2, ALL),
    ("getc", 0, 0),
    ("getc_unlocked", 0, 0),
    ("getchar", 0, 0),
    ("getchar_unlocked", 0, 0),
    ("read", 1, 2),
    ("scanf", 1, ALL),
    ("snprintf", 0, 1),
    ("sprintf", 0, 1),
    ("sscanf", 2, ALL),
    ("stpcpy", 0, 1),
    ("strcat", 0, 1),
    ("strcpy", 0, 1),
    ("strncat", 0, 1),
    ("strncpy", 0, 1),
    ("strtod", 1, 2),
    ("strtof", 1, 2),
    ("strtol", 1, 2),
    ("strtold", 1, 2),
    ("strtoll", 1, 2),
    ("strtoul", 1, 2),
    ("strtoull", 1, 2),
    ("ungetc", 0, 0),
];

/// The functions of one or two floats that expressions can call.
const PURE: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "tgamma",
    "atan2",
    "fdim",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "nextafter",
    "pow",
    "remainder",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "sqrt",
    "copysign",
];

/// Functions that only read.
const READS: &[&str] = &[
    "__ctype_b_loc",
    "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__fpending",
    "abs",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bcmp",
    "btowc",
    "feof",
    "feof_unlocked",
    "ferror",
    "ferror_unlocked",
    "ffs",
    "fileno",
    "fileno_unlocked",
    "fnmatch",
    "getenv",
    "getpagesize",
    "index",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "isxdigit",
    "labs",
    "llabs",
    "mbsinit",
    "memchr",
    "memcmp",
    "memmem",
    "memrchr",
    "rawmemchr",
    "rindex",
    "strcasecmp",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcoll",
    "strcspn",
    "strlen",
    "strncasecmp",
    "strncmp",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strverscmp",
    "tolower",
    "toupper",
    "towlower",
    "towupper",
    "wcschr",
    "wcscmp",
    "wcscoll",
    "wcslen",
    "wcsnlen",
    "wctob",
    "wctype",
    "wcwidth",
    "wmemchr",
    "wmemcmp",
];

/// The function of this name; `None` if nothing is known of it.
#[must_use]
pub fn library(name: &str) -> Option<Library> {
    Some(match name {
        "labrys_symbolic"
        | "__labrys_object"
        | "klee_make_symbolic"
        | "__VERIFIER_nondet_memory" => Library::InputObject(None),
        "__CrestUChar" | "__CrestChar" => Library::InputObject(Some(1)),
        "__CrestUShort" | "__CrestShort" => Library::InputObject(Some(2)),
        "__CrestUInt" | "__CrestInt" => Library::InputObject(Some(4)),
        "klee_int" => Library::InputValue,
        "labrys_assume" | "klee_assume" | "__VERIFIER_assume" => Library::Assume,
        "exit" | "_exit" | "_Exit" | "abort" | "quick_exit" | "__assert_fail" | "longjmp"
        | "reach_error" | "__VERIFIER_error" | "klee_report_error" | "klee_silent_exit" => {
            Library::Stops
        }
        "labrys_target" | "printf" | "puts" | "putchar" | "fprintf" | "fputs" | "fputc"
        | "putc" | "fwrite" | "fflush" | "perror" | "free" | "__CrestInit" | "klee_is_symbolic"
        | "klee_prefer_cex" | "vprintf" | "vfprintf" | "isatty" | "getpid" | "rand" | "clock" => {
            Library::Harmless
        }
        "malloc" => Library::Allocates {
            zeroed: false,
            fails: true,
        },
        "calloc" => Library::Allocates {
            zeroed: true,
            fails: true,
        },
        "__labrys_new" => Library::Allocates {
            zeroed: false,
            fails: false,
        },
        _ if name.starts_with("__VERIFIER_nondet_") => Library::InputValue,
        _ if READS.contains(&name) => Library::Reads,
        _ => {
            if let Some((_, from, to)) = FILLS.iter().find(|(one, ..)| *one == name) {
                return Some(Library::Fills {
                    from: *from,
                    to: *to,
                    // Where the number ends.
                    shares: name.trim_start_matches("__isoc23_").starts_with("strto"),
                });
            }
            let double = PURE.contains(&name);
            let single = name
                .strip_suffix('f')
                .is_some_and(|stem| PURE.contains(&stem));
            (double || single).then_some(Library::Pure)?
        }
    })
}

/// Bytes of the input that a value of this type takes, and whether only its lowest bit counts;
/// `None` if it has none.
#[must_use]
pub fn input_value(name: &str, ty: Type) -> Option<(u64, bool)> {
    let boolean = name.ends_with("_bool");
    let bytes = u64::from(ty.width()?.div_ceil(8));
    Some((bytes, boolean))
}

/// The name of the function on floats of this width.
pub(crate) fn of_width(name: &str, width: u32) -> Option<String> {
    match width {
        32 => Some(format!("{name}f")),
        64 => Some(name.to_owned()),
        _ => None,
    }
}

//! The library functions that have a model, and how each is called.
//!
//! One table: a new model is one word here and its definition in `c/models.c` (instrumented C)
//! or in the runtime (summaries, input, heap).

/// How calls of a library function are redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    /// To `__labrys_m_NAME`: plain C, instrumented with the program.
    Model,
    /// To `__labrys_w_NAME`: part of the runtime, takes and leaves labels.
    Wrapper,
    /// Not at all: the runtime defines the function under its own name.
    Intrinsic,
}

const MODELS: &str = "
    strlen strnlen strchr index strchrnul strrchr memchr memrchr rawmemchr stpcpy strcpy strncpy
    strcat strncat strndup strdup strspn strcspn strpbrk strstr memmem strtok_r strtok
    tolower toupper strncasecmp strcasecmp
    isdigit isupper islower isalpha isalnum isspace isblank isxdigit iscntrl isprint isgraph
    ispunct strtol strtoul strtoll strtoull atoi atol atoll
";

const WRAPPERS: &str = "
    malloc calloc realloc free reallocarray aligned_alloc posix_memalign memalign
    memcpy memmove memset mempcpy bcopy bzero memcmp bcmp strcmp strncmp strcoll
    read pread pread64 fread fread_unlocked fgets fgets_unlocked getline getdelim
    fgetc getc getchar _IO_getc fgetc_unlocked getc_unlocked getchar_unlocked __uflow __underflow
    mmap mmap64 fstat fstat64
    __read_chk __pread_chk __fread_chk __fgets_chk
    __memcpy_chk __memmove_chk __memset_chk
";

const INTRINSICS: &str = "
    labrys_symbolic labrys_assume labrys_target
";

/// How calls of `name` are redirected, if it has a model.
pub(super) fn library(name: &str) -> Option<Convention> {
    let in_list = |list: &str| list.split_whitespace().any(|word| word == name);
    if in_list(MODELS) {
        Some(Convention::Model)
    } else if in_list(WRAPPERS) {
        Some(Convention::Wrapper)
    } else if in_list(INTRINSICS) {
        Some(Convention::Intrinsic)
    } else {
        None
    }
}

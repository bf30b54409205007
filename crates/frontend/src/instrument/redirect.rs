//! The library functions that have a model, and how each is reached.
//!
//! One table: a new model is one word here and its definition in `c/models/` (instrumented C)
//! or in the runtime (summaries, input, heap). Pure functions have a table of their own,
//! [`labrys_abi::PURE`].

use labrys_abi::PURE;

use labrys_llvm::{Module, Value};

use super::{MODEL_PREFIX, WRAPPER_PREFIX};

/// How uses of a library function are redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    /// To `__labrys_m_NAME`: plain C, instrumented with the program.
    Model,
    /// To `__labrys_w_NAME`: part of the runtime, takes and leaves labels.
    Wrapper,
    /// Not at all: the runtime defines the function under its own name.
    Intrinsic,
    /// Not at all: the function only writes to the outside, nothing comes back.
    Output,
}

const MODELS: &str = "
    strlen strnlen strchr index strchrnul strrchr rindex memchr memrchr rawmemchr stpcpy strcpy
    strncpy stpncpy strcat strncat strndup strdup strspn strcspn strpbrk strstr strcasestr memmem
    memccpy strtok_r strtok strsep tolower toupper strncasecmp strcasecmp strverscmp
    __strcpy_chk __stpcpy_chk __strncpy_chk __strcat_chk __strncat_chk
    isdigit isupper islower isalpha isalnum isspace isblank isxdigit iscntrl isprint isgraph
    ispunct strtol strtoul strtoll strtoull strtoimax strtoumax atoi atol atoll
    strtod strtof strtold atof inet_pton qsort qsort_r bsearch getopt getopt_long getopt_long_only
    sscanf vsscanf fscanf vfscanf scanf vscanf
    snprintf vsnprintf sprintf vsprintf
    __snprintf_chk __vsnprintf_chk __sprintf_chk __vsprintf_chk
    mbrtowc mbrlen mbtowc mblen btowc wctob mbsrtowcs mbstowcs towlower towupper
    iswalpha iswdigit iswalnum iswspace iswupper iswlower iswpunct iswprint iswgraph iswcntrl
    iswxdigit iswblank
    wcslen wcsnlen wcscmp wcsncmp wmemcmp wcscasecmp wcsncasecmp wcschr wcschrnul wcsrchr wmemchr
    wcsstr wcsspn wcscspn wcspbrk wmemcpy wmemset wcpcpy wcscpy wcsncpy wcscat wcsncat wcsdup
    wcstol wcstoll wcstoul wcstoull fgetws
    abs labs llabs imaxabs ffs ffsl ffsll div ldiv lldiv imaxdiv toascii isascii
    frexp frexpf modf modff sincos sincosf lgamma_r lgammaf_r remquo remquof
    asprintf vasprintf __asprintf_chk __vasprintf_chk strxfrm
    _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
";

const WRAPPERS: &str = "
    malloc calloc realloc free reallocarray aligned_alloc posix_memalign memalign
    memcpy memmove memset mempcpy bcopy bzero memcmp bcmp strcmp strncmp strcoll
    read pread pread64 fread fread_unlocked fgets fgets_unlocked getline getdelim
    fgetc getc getchar _IO_getc fgetc_unlocked getc_unlocked getchar_unlocked __uflow __underflow
    mmap mmap64 fstat fstat64 stat stat64 lstat lstat64 fstatat fstatat64
    ungetc lseek lseek64 fseek fseeko fseeko64 ftell ftello ftello64
    readv fgetwc getwc getwchar
    __read_chk __pread_chk __fread_chk __fgets_chk
    __memcpy_chk __memmove_chk __memset_chk
    sqrt sqrtf fabs fabsf floor floorf ceil ceilf trunc truncf rint rintf nearbyint nearbyintf
    roundeven roundevenf round roundf fmod fmodf
";

/// Clock, randomness and the list of mappings: the same in every run of either build.
const REPEATABLE: &str = "
    time clock clock_gettime gettimeofday sleep usleep nanosleep
    getrandom getentropy arc4random arc4random_buf arc4random_uniform open open64
";

/// Files that the program opens: which of them read an input is to be known.
const OPENERS: &str = "fopen fopen64 freopen freopen64 fdopen";

const INTRINSICS: &str = "
    labrys_symbolic labrys_assume labrys_target
";

const OUTPUTS: &str = "
    printf fprintf vprintf vfprintf puts fputs fputs_unlocked putchar putchar_unlocked putc fputc
    putc_unlocked fputc_unlocked fwrite fwrite_unlocked perror write
    __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk __overflow
    writev pwrite pwrite64 dprintf vdprintf __dprintf_chk __vdprintf_chk putw
    fputwc putwc putwchar fputws wprintf fwprintf vwprintf vfwprintf __wprintf_chk __fwprintf_chk
    err errx verr verrx warn warnx vwarn vwarnx error error_at_line syslog vsyslog psignal
    exit _exit _Exit quick_exit abort munmap madvise posix_madvise
";

/// Other names of modelled functions.
const ALIASES: &[(&str, &str)] = &[
    ("__isoc99_sscanf", "sscanf"),
    ("__isoc99_vsscanf", "vsscanf"),
    ("__isoc99_fscanf", "fscanf"),
    ("__isoc99_vfscanf", "vfscanf"),
    ("__isoc99_scanf", "scanf"),
    ("__isoc99_vscanf", "vscanf"),
    ("__strtok_r", "strtok_r"),
    ("__strdup", "strdup"),
    ("__strndup", "strndup"),
    ("__rawmemchr", "rawmemchr"),
    ("__stpcpy", "stpcpy"),
    ("__mempcpy", "mempcpy"),
    ("__mempcpy_chk", "mempcpy"),
    ("__getdelim", "getdelim"),
    ("fgetwc_unlocked", "fgetwc"),
    ("getwc_unlocked", "getwc"),
    ("getwchar_unlocked", "getwchar"),
    ("fgetws_unlocked", "fgetws"),
    ("__fgets_unlocked_chk", "__fgets_chk"),
    ("__fread_unlocked_chk", "__fread_chk"),
];

/// The library function that an intrinsic of LLVM stands for, where it is a pure one.
fn behind_intrinsic(name: &str) -> Option<String> {
    let mut words = name.strip_prefix("llvm.")?.split('.');
    let stem = words.next()?;
    let single = match words.next_back()? {
        "f64" => "",
        "f32" => "f",
        // The exponent of `ldexp` has a suffix of its own.
        "i32" if words.next_back() == Some("f64") => "",
        "i32" => "f",
        _ => return None,
    };
    let function = format!("{stem}{single}");
    // `copysign` is an operation.
    (stem != "copysign" && is_pure(&function)).then_some(function)
}

/// The library's function for an intrinsic that gives fraction and exponent as a pair.
fn frexp_behind(name: &str) -> Option<Frexp> {
    let (library, ints) = match name {
        "llvm.frexp.f64.i32" => ("frexp", 2),
        "llvm.frexp.f32.i32" => ("frexpf", 1),
        _ => return None,
    };
    Some(Frexp { library, ints })
}

/// `frexp` of one type of floats.
struct Frexp {
    library: &'static str,
    /// Size of the fraction, in `int`s.
    ints: u64,
}

/// A function that gives the pair by the model of `frexp`.
fn define_frexp<'m>(module: &'m Module, intrinsic: Value<'m>, frexp: &Frexp) -> Value<'m> {
    let model = format!("{MODEL_PREFIX}{}", frexp.library);
    let function = module.declare_like(&format!("{model}_pair"), intrinsic);
    let number = function.params()[0];
    let model = module.declare(&model, number.ty(), &[number.ty(), module.pointer()]);
    let pair_type = intrinsic.global_type().function_result();
    let builder = module.builder();
    builder.at_end(module.define_body(function));
    let pair = builder.variable(pair_type);
    let behind = module.const_int(64, frexp.ints);
    let exponent = builder.element_address(module.int(32), pair, behind);
    let fraction = builder.call(model, &[number, exponent]);
    builder.store(fraction, pair);
    builder.ret(builder.load(pair_type, pair));
    function
}

fn is_pure(name: &str) -> bool {
    PURE.iter().any(|pure| pure.name == name)
}

/// How uses of `name` are redirected, if it has a model, and the model's own name.
fn library(name: &str) -> Option<(Convention, &str)> {
    let alias = ALIASES.iter().find(|(other, _)| *other == name);
    let name = alias.map_or(name, |(_, name)| name);
    let in_list = |list: &str| list.split_whitespace().any(|word| word == name);
    let lists = [
        (MODELS, Convention::Model),
        (WRAPPERS, Convention::Wrapper),
        (REPEATABLE, Convention::Wrapper),
        (OPENERS, Convention::Wrapper),
        (INTRINSICS, Convention::Intrinsic),
        (OUTPUTS, Convention::Output),
    ];
    let listed = lists.into_iter().find(|(list, _)| in_list(list));
    let convention = match listed {
        Some((_, convention)) => convention,
        None if is_pure(name) => Convention::Wrapper,
        None => return None,
    };
    Some((convention, name))
}

/// Makes the program use the models, in calls and as values (`qsort(…, strcmp)`). Before the
/// models are linked: they use the library's own functions.
pub(super) fn redirect(module: &Module) {
    for function in module.functions() {
        let name = function.name();
        if !function.is_declaration() {
            continue;
        }
        if let Some(frexp) = frexp_behind(&name) {
            function.replace_uses(define_frexp(module, function, &frexp));
            continue;
        }
        if let Some(pure) = behind_intrinsic(&name) {
            let target = format!("{WRAPPER_PREFIX}{pure}");
            function.replace_uses(module.declare_like(&target, function));
            continue;
        }
        let target = match library(&name) {
            Some((Convention::Model, model)) => format!("{MODEL_PREFIX}{model}"),
            Some((Convention::Wrapper, model)) => format!("{WRAPPER_PREFIX}{model}"),
            _ => continue,
        };
        function.replace_uses(module.declare_like(&target, function));
    }
}

/// Makes a plain program use the clock and the randomness that the instrumented one has.
pub(crate) fn repeat(module: &Module) {
    for name in REPEATABLE.split_whitespace() {
        let function = module.function(name);
        if let Some(function) = function.filter(|function| function.is_declaration()) {
            function
                .replace_uses(module.declare_like(&format!("{WRAPPER_PREFIX}{name}"), function));
        }
    }
}

/// How a call of an undefined function treats labels.
pub(super) fn convention(name: &str) -> Option<Convention> {
    library(name).map(|(convention, _)| convention)
}

//! The external functions that count as pure, in one table.
//!
//! A function is pure here if its result depends on the bits of its arguments alone. Then a call
//! may stand in an expression and be computed again by whoever reads it. Writing `errno` or
//! floating-point flags does not matter: nothing that a program computes *from the result*
//! depends on them, and the call in the program is still made.
//!
//! | group | why pure |
//! |---|---|
//! | elementary, special and rounding functions | numbers in, number out; Labrys never changes the rounding mode, and a program that does is the one exception (its results are then checked against the run like all others) |
//! | `lgamma`, `lgammaf`, `gamma` | pure in the result; `signgam` is written by the call and read concretely |
//! | classification (`__isnan`, `__fpclassify`, …) | a function of the bits |
//! | integer helpers (`abs`, `ffs`, `htonl`, `difftime`, …) | arithmetic; those that the compiler knows are operations before they get here |
//! | functions that the user marks | the user says so; they are no part of this table, see [`marked`](crate::marked) |
//!
//! Not in the table: `rand`, `drand48` and all that keeps a state; all that writes through a
//! pointer (`frexp`, `modf`, `remquo`, `sincos` and `lgamma_r` are models in C); `nan`
//! (reads a string); everything on `long double`, which carries no labels. `sqrt`, `fabs`, `fmod`, `floor`, `ceil`, `trunc`, `rint`, `round` and their
//! kin are operations of expressions and never become calls.

/// Expands `callback! { name(parameter: type, …) -> type; … }` over the pure functions.
#[macro_export]
macro_rules! pure_functions {
    ($callback:ident) => {
        $callback! {
            acos(x: f64) -> f64; acosf(x: f32) -> f32;
            acosh(x: f64) -> f64; acoshf(x: f32) -> f32;
            asin(x: f64) -> f64; asinf(x: f32) -> f32;
            asinh(x: f64) -> f64; asinhf(x: f32) -> f32;
            atan(x: f64) -> f64; atanf(x: f32) -> f32;
            atanh(x: f64) -> f64; atanhf(x: f32) -> f32;
            cbrt(x: f64) -> f64; cbrtf(x: f32) -> f32;
            cos(x: f64) -> f64; cosf(x: f32) -> f32;
            cosh(x: f64) -> f64; coshf(x: f32) -> f32;
            erf(x: f64) -> f64; erff(x: f32) -> f32;
            erfc(x: f64) -> f64; erfcf(x: f32) -> f32;
            exp(x: f64) -> f64; expf(x: f32) -> f32;
            exp10(x: f64) -> f64; exp10f(x: f32) -> f32;
            exp2(x: f64) -> f64; exp2f(x: f32) -> f32;
            expm1(x: f64) -> f64; expm1f(x: f32) -> f32;
            gamma(x: f64) -> f64; gammaf(x: f32) -> f32;
            j0(x: f64) -> f64; j0f(x: f32) -> f32;
            j1(x: f64) -> f64; j1f(x: f32) -> f32;
            lgamma(x: f64) -> f64; lgammaf(x: f32) -> f32;
            log(x: f64) -> f64; logf(x: f32) -> f32;
            log10(x: f64) -> f64; log10f(x: f32) -> f32;
            log1p(x: f64) -> f64; log1pf(x: f32) -> f32;
            log2(x: f64) -> f64; log2f(x: f32) -> f32;
            logb(x: f64) -> f64; logbf(x: f32) -> f32;
            significand(x: f64) -> f64; significandf(x: f32) -> f32;
            sin(x: f64) -> f64; sinf(x: f32) -> f32;
            sinh(x: f64) -> f64; sinhf(x: f32) -> f32;
            tan(x: f64) -> f64; tanf(x: f32) -> f32;
            tanh(x: f64) -> f64; tanhf(x: f32) -> f32;
            tgamma(x: f64) -> f64; tgammaf(x: f32) -> f32;
            y0(x: f64) -> f64; y0f(x: f32) -> f32;
            y1(x: f64) -> f64; y1f(x: f32) -> f32;

            atan2(x: f64, y: f64) -> f64; atan2f(x: f32, y: f32) -> f32;
            copysign(x: f64, y: f64) -> f64; copysignf(x: f32, y: f32) -> f32;
            drem(x: f64, y: f64) -> f64; dremf(x: f32, y: f32) -> f32;
            fdim(x: f64, y: f64) -> f64; fdimf(x: f32, y: f32) -> f32;
            fmax(x: f64, y: f64) -> f64; fmaxf(x: f32, y: f32) -> f32;
            fmin(x: f64, y: f64) -> f64; fminf(x: f32, y: f32) -> f32;
            hypot(x: f64, y: f64) -> f64; hypotf(x: f32, y: f32) -> f32;
            nextafter(x: f64, y: f64) -> f64; nextafterf(x: f32, y: f32) -> f32;
            pow(x: f64, y: f64) -> f64; powf(x: f32, y: f32) -> f32;
            remainder(x: f64, y: f64) -> f64; remainderf(x: f32, y: f32) -> f32;
            scalb(x: f64, y: f64) -> f64; scalbf(x: f32, y: f32) -> f32;
            fma(x: f64, y: f64, z: f64) -> f64; fmaf(x: f32, y: f32, z: f32) -> f32;

            jn(n: i32, x: f64) -> f64; jnf(n: i32, x: f32) -> f32;
            yn(n: i32, x: f64) -> f64; ynf(n: i32, x: f32) -> f32;
            ldexp(x: f64, n: i32) -> f64; ldexpf(x: f32, n: i32) -> f32;
            scalbn(x: f64, n: i32) -> f64; scalbnf(x: f32, n: i32) -> f32;
            scalbln(x: f64, n: i64) -> f64; scalblnf(x: f32, n: i64) -> f32;
            ilogb(x: f64) -> i32; ilogbf(x: f32) -> i32;
            lrint(x: f64) -> i64; lrintf(x: f32) -> i64;
            llrint(x: f64) -> i64; llrintf(x: f32) -> i64;
            lround(x: f64) -> i64; lroundf(x: f32) -> i64;
            llround(x: f64) -> i64; llroundf(x: f32) -> i64;

            __finite(x: f64) -> i32; __finitef(x: f32) -> i32;
            __fpclassify(x: f64) -> i32; __fpclassifyf(x: f32) -> i32;
            __isinf(x: f64) -> i32; __isinff(x: f32) -> i32;
            __isnan(x: f64) -> i32; __isnanf(x: f32) -> i32;
            __signbit(x: f64) -> i32; __signbitf(x: f32) -> i32;
            finite(x: f64) -> i32; finitef(x: f32) -> i32;
            isinf(x: f64) -> i32; isinff(x: f32) -> i32;
            isnan(x: f64) -> i32; isnanf(x: f32) -> i32;

            abs(x: i32) -> i32; labs(x: i64) -> i64; llabs(x: i64) -> i64;
            ffs(x: i32) -> i32; ffsl(x: i64) -> i32; ffsll(x: i64) -> i32;
            htonl(x: i32) -> i32; ntohl(x: i32) -> i32;
            difftime(x: i64, y: i64) -> f64;
        }
    };
}

/// A pure function: its name and the widths in bits of its result and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pure {
    /// Name in the C library.
    pub name: &'static str,
    /// Width of the result.
    pub result: u32,
    /// Widths of the parameters.
    pub parameters: &'static [u32],
}

macro_rules! table {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $result:ty;)*) => {
        /// The pure functions.
        pub const PURE: &[Pure] = &[$(Pure {
            name: stringify!($name),
            result: 8 * size_of::<$result>() as u32,
            parameters: &[$(8 * size_of::<$type>() as u32),*],
        }),*];
    };
}

pure_functions!(table);

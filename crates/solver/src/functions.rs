//! The pure functions of libm, by name, for the evaluation of external calls.
//!
//! They are those of the system's own library, so that they answer what a program under test
//! got on the same machine.

#![allow(unsafe_code)]

use labrys_expr::Value;

// SAFETY: the signatures are those of the C standard; the functions have no preconditions.
unsafe extern "C" {
    safe fn acos(x: f64) -> f64;
    safe fn acosf(x: f32) -> f32;
    safe fn acosh(x: f64) -> f64;
    safe fn acoshf(x: f32) -> f32;
    safe fn asin(x: f64) -> f64;
    safe fn asinf(x: f32) -> f32;
    safe fn asinh(x: f64) -> f64;
    safe fn asinhf(x: f32) -> f32;
    safe fn atan(x: f64) -> f64;
    safe fn atanf(x: f32) -> f32;
    safe fn atanh(x: f64) -> f64;
    safe fn atanhf(x: f32) -> f32;
    safe fn cbrt(x: f64) -> f64;
    safe fn cbrtf(x: f32) -> f32;
    safe fn ceil(x: f64) -> f64;
    safe fn ceilf(x: f32) -> f32;
    safe fn cos(x: f64) -> f64;
    safe fn cosf(x: f32) -> f32;
    safe fn cosh(x: f64) -> f64;
    safe fn coshf(x: f32) -> f32;
    safe fn erf(x: f64) -> f64;
    safe fn erff(x: f32) -> f32;
    safe fn erfc(x: f64) -> f64;
    safe fn erfcf(x: f32) -> f32;
    safe fn exp(x: f64) -> f64;
    safe fn expf(x: f32) -> f32;
    safe fn exp2(x: f64) -> f64;
    safe fn exp2f(x: f32) -> f32;
    safe fn expm1(x: f64) -> f64;
    safe fn expm1f(x: f32) -> f32;
    safe fn floor(x: f64) -> f64;
    safe fn floorf(x: f32) -> f32;
    safe fn log(x: f64) -> f64;
    safe fn logf(x: f32) -> f32;
    safe fn log10(x: f64) -> f64;
    safe fn log10f(x: f32) -> f32;
    safe fn log1p(x: f64) -> f64;
    safe fn log1pf(x: f32) -> f32;
    safe fn log2(x: f64) -> f64;
    safe fn log2f(x: f32) -> f32;
    safe fn rint(x: f64) -> f64;
    safe fn rintf(x: f32) -> f32;
    safe fn round(x: f64) -> f64;
    safe fn roundf(x: f32) -> f32;
    safe fn sin(x: f64) -> f64;
    safe fn sinf(x: f32) -> f32;
    safe fn sinh(x: f64) -> f64;
    safe fn sinhf(x: f32) -> f32;
    safe fn sqrt(x: f64) -> f64;
    safe fn sqrtf(x: f32) -> f32;
    safe fn tan(x: f64) -> f64;
    safe fn tanf(x: f32) -> f32;
    safe fn tanh(x: f64) -> f64;
    safe fn tanhf(x: f32) -> f32;
    safe fn tgamma(x: f64) -> f64;
    safe fn tgammaf(x: f32) -> f32;
    safe fn trunc(x: f64) -> f64;
    safe fn truncf(x: f32) -> f32;

    safe fn atan2(x: f64, y: f64) -> f64;
    safe fn atan2f(x: f32, y: f32) -> f32;
    safe fn copysign(x: f64, y: f64) -> f64;
    safe fn copysignf(x: f32, y: f32) -> f32;
    safe fn fdim(x: f64, y: f64) -> f64;
    safe fn fdimf(x: f32, y: f32) -> f32;
    safe fn fmax(x: f64, y: f64) -> f64;
    safe fn fmaxf(x: f32, y: f32) -> f32;
    safe fn fmin(x: f64, y: f64) -> f64;
    safe fn fminf(x: f32, y: f32) -> f32;
    safe fn fmod(x: f64, y: f64) -> f64;
    safe fn fmodf(x: f32, y: f32) -> f32;
    safe fn hypot(x: f64, y: f64) -> f64;
    safe fn hypotf(x: f32, y: f32) -> f32;
    safe fn nextafter(x: f64, y: f64) -> f64;
    safe fn nextafterf(x: f32, y: f32) -> f32;
    safe fn pow(x: f64, y: f64) -> f64;
    safe fn powf(x: f32, y: f32) -> f32;
    safe fn remainder(x: f64, y: f64) -> f64;
    safe fn remainderf(x: f32, y: f32) -> f32;
}

/// The functions of one and of two arguments, in doubles and in singles.
macro_rules! tables {
    (one: $($one:ident $one_single:ident),*; two: $($two:ident $two_single:ident),*) => {
        fn double(name: &str, x: f64, y: Option<f64>) -> Option<f64> {
            Some(match (name, y) {
                $((stringify!($one), None) => $one(x),)*
                $((stringify!($two), Some(y)) => $two(x, y),)*
                _ => return None,
            })
        }

        fn single(name: &str, x: f32, y: Option<f32>) -> Option<f32> {
            Some(match (name, y) {
                $((stringify!($one_single), None) => $one_single(x),)*
                $((stringify!($two_single), Some(y)) => $two_single(x, y),)*
                _ => return None,
            })
        }
    };
}

tables! {
    one: acos acosf, acosh acoshf, asin asinf, asinh asinhf, atan atanf, atanh atanhf,
        cbrt cbrtf, ceil ceilf, cos cosf, cosh coshf, erf erff, erfc erfcf, exp expf,
        exp2 exp2f, expm1 expm1f, floor floorf, log logf, log10 log10f, log1p log1pf,
        log2 log2f, rint rintf, round roundf, sin sinf, sinh sinhf, sqrt sqrtf, tan tanf,
        tanh tanhf, tgamma tgammaf, trunc truncf;
    two: atan2 atan2f, copysign copysignf, fdim fdimf, fmax fmaxf, fmin fminf, fmod fmodf,
        hypot hypotf, nextafter nextafterf, pow powf, remainder remainderf
}

/// The result of a function of libm on the bit patterns of its arguments; `None` if there is no
/// such function with arguments and result of these widths.
#[must_use]
pub fn call(name: &str, arguments: &[Value], width: u32) -> Option<u128> {
    let (first, second) = match arguments {
        [x] => (*x, None),
        [x, y] => (*x, Some(*y)),
        _ => return None,
    };
    if arguments.iter().any(|value| value.width() != width) {
        return None;
    }
    match width {
        64 => {
            let float = |value: Value| f64::from_bits(value.bits() as u64);
            Some(
                double(name, float(first), second.map(float))?
                    .to_bits()
                    .into(),
            )
        }
        32 => {
            let float = |value: Value| f32::from_bits(value.bits() as u32);
            Some(
                single(name, float(first), second.map(float))?
                    .to_bits()
                    .into(),
            )
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, call};

    fn double(x: f64) -> Value {
        Value::new(64, x.to_bits().into())
    }

    #[test]
    fn functions_are_found_by_name_and_width() {
        let power = call("pow", &[double(2.0), double(10.0)], 64);
        assert_eq!(power, Some(1024f64.to_bits().into()));
        let one = Value::new(32, 1f32.to_bits().into());
        assert_eq!(call("expf", &[one], 32), Some(1f32.exp().to_bits().into()));
        assert_eq!(call("pow", &[double(2.0)], 64), None);
        assert_eq!(call("sin", &[one], 32), None);
        assert_eq!(call("rand", &[], 32), None);
    }
}

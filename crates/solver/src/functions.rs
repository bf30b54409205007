//! The pure functions by name, for the evaluation of external calls.
//!
//! They are those of the system's own library, so that they answer what a program under test
//! got on the same machine. Which they are stands in [`labrys_library`]; scripts may also name
//! those that expressions have operations for.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};

use labrys_expr::Value;

use crate::marked;

/// How a number is passed to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F64,
    F32,
    I32,
    I64,
}

impl Kind {
    pub(crate) const fn width(self) -> u32 {
        match self {
            Kind::F64 | Kind::I64 => 64,
            Kind::F32 | Kind::I32 => 32,
        }
    }
}

/// A function of the C library, to be called by compiled code or by `call`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Kind],
    pub(crate) result: Kind,
    /// Address of the C function with this signature.
    pub(crate) address: *const u8,
    /// Calls the function at the address.
    call: fn(*const u8, &[Value]) -> Option<u128>,
}

/// The library of mathematical functions.
const MATHEMATICS: &CStr = c"libm.so.6";

/// The address of a function of the system's library, by its name with a zero behind; null if there is
/// none. The linker would give Rust's own copies of some of them (`cbrt`), which answer otherwise.
fn address(name: &str) -> *const u8 {
    let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else {
        return std::ptr::null();
    };
    static LIBRARY: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        // SAFETY: the name is a C string; the initializers of libm only set up its own data.
        let library = unsafe { libc::dlopen(MATHEMATICS.as_ptr(), libc::RTLD_NOW) };
        library as usize
    });
    let library = match *LIBRARY {
        0 => libc::RTLD_DEFAULT,
        library => library as *mut c_void,
    };
    // SAFETY: the library stays open, and the name is a C string.
    unsafe { libc::dlsym(library, name.as_ptr()) }.cast()
}

/// A number that functions take and give.
trait Number: Sized {
    const KIND: Kind;
    fn from_bits(bits: u128) -> Self;
    fn bits(self) -> u128;
}

macro_rules! number {
    ($type:ident $kind:ident: $from:expr, $to:expr) => {
        impl Number for $type {
            const KIND: Kind = Kind::$kind;
            fn from_bits(bits: u128) -> Self {
                let from: fn(u128) -> Self = $from;
                from(bits)
            }
            fn bits(self) -> u128 {
                let to: fn(Self) -> u128 = $to;
                to(self)
            }
        }
    };
}

number!(f64 F64: |b| f64::from_bits(b as u64), |x| x.to_bits().into());
number!(f32 F32: |b| f32::from_bits(b as u32), |x| x.to_bits().into());
number!(i32 I32: |b| b as i32, |x| (x as u32).into());
number!(i64 I64: |b| b as i64, |x| (x as u64).into());

macro_rules! table {
    ($list:ident: $($name:ident($($parameter:ident: $type:ident),*) -> $result:ident;)*) => {
        mod $list {
            use super::{Function, Number, Value};

            $(fn $name(address: *const u8, arguments: &[Value]) -> Option<u128> {
                // SAFETY: the address is that of this function, and the signature that of the C
                // library; the function takes numbers and has no preconditions.
                let function: extern "C" fn($($type),*) -> $result =
                    unsafe { std::mem::transmute(address) };
                let mut arguments = arguments.iter();
                $(
                    let $parameter = arguments.next()?;
                    if $parameter.width() != <$type as Number>::KIND.width() {
                        return None;
                    }
                    let $parameter = <$type as Number>::from_bits($parameter.bits());
                )*
                arguments.next().is_none().then(|| function($($parameter),*).bits())
            })*

            pub(super) fn all() -> Vec<Function> {
                vec![$(Function {
                    name: stringify!($name),
                    parameters: &[$(<$type as Number>::KIND),*],
                    result: <$result as Number>::KIND,
                    address: super::address(concat!(stringify!($name), "\0")),
                    call: $name,
                }),*]
            }
        }
    };
}

macro_rules! calls {
    ($($rest:tt)*) => { table! { calls: $($rest)* } };
}

labrys_library::pure_functions!(calls);

macro_rules! operations {
    ($($rest:tt)*) => { table! { operations: $($rest)* } };
}

labrys_library::operation_functions!(operations);

// SAFETY: the addresses are those of functions, which are the same on every thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

static FUNCTIONS: std::sync::LazyLock<rustc_hash::FxHashMap<&'static str, Function>> =
    std::sync::LazyLock::new(|| {
        let all = operations::all().into_iter().chain(calls::all());
        let all = all.filter(|function| !function.address.is_null());
        all.map(|function| (function.name, function)).collect()
    });

/// The function with this name.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.get(name)
}

/// How the parameters of a function of the library or of the program are passed; `None` if there
/// is no such function.
pub(crate) fn parameters(name: &str) -> Option<Vec<Kind>> {
    if let Some(function) = find(name) {
        return Some(function.parameters.to_vec());
    }
    let signature = marked::signature(name)?;
    let kind = |letter| match letter {
        'd' => Kind::F64,
        'f' => Kind::F32,
        'l' => Kind::I64,
        _ => Kind::I32,
    };
    Some(signature.chars().skip(1).map(kind).collect())
}

/// The result of a pure function on the bit patterns of its arguments; `None` if there is no
/// such function with arguments and result of these widths.
#[must_use]
pub fn call(name: &str, arguments: &[Value], width: u32) -> Option<u128> {
    let Some(function) = find(name) else {
        return marked::call(name, arguments, width);
    };
    if function.result.width() != width {
        return None;
    }
    (function.call)(function.address, arguments)
}

#[cfg(test)]
mod tests {
    use super::{Value, call};

    fn double(x: f64) -> Value {
        Value::new(64, x.to_bits().into())
    }

    #[test]
    fn functions_are_those_of_the_system() {
        for name in ["cbrt", "sqrt", "sin", "fmaxf"] {
            let function = super::find(name).expect("a function");
            // SAFETY: all zeros is a value of the structure, which `dladdr` fills.
            let file = unsafe {
                let mut found: libc::Dl_info = std::mem::zeroed();
                assert!(libc::dladdr(function.address.cast(), &raw mut found) != 0);
                std::ffi::CStr::from_ptr(found.dli_fname)
            };
            assert!(
                file.to_string_lossy().contains("libm.so"),
                "{name}: {file:?}"
            );
        }
    }

    #[test]
    fn functions_are_found_by_name_and_width() {
        let power = call("pow", &[double(2.0), double(10.0)], 64);
        assert_eq!(power, Some(1024f64.to_bits().into()));
        let one = Value::new(32, 1f32.to_bits().into());
        assert_eq!(call("expf", &[one], 32), Some(1f32.exp().to_bits().into()));
        let three = Value::new(32, 3);
        let scaled = call("ldexp", &[double(1.5), three], 64);
        assert_eq!(scaled, Some(12f64.to_bits().into()));
        assert_eq!(call("ilogb", &[double(0.25)], 32), Some(0xffff_fffe));
        assert_eq!(call("pow", &[double(2.0)], 64), None);
        assert_eq!(call("sin", &[one], 32), None);
        assert_eq!(call("rand", &[], 32), None);
    }
}

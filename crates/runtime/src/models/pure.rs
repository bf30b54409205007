//! Calls of pure external functions become nodes: the library computes, the call is recorded
//! with the labels of its arguments.
//!
//! Which functions these are stands in [`labrys_library::pure_functions`].

use crate::record::external::external;
use crate::record::node::Operand;

/// A number as the bits of an operand.
trait Bits {
    fn word(self) -> u64;
}

macro_rules! bits {
    ($($type:ty => $word:expr),*) => {
        $(impl Bits for $type {
            fn word(self) -> u64 {
                let convert: fn($type) -> u64 = $word;
                convert(self)
            }
        })*
    };
}

bits! {
    f64 => f64::to_bits,
    f32 => |x| u64::from(x.to_bits()),
    i32 => |x| u64::from(x as u32),
    i64 => |x| x as u64
}

/// The library's own functions.
mod library {
    macro_rules! declare {
        ($($name:ident($($parameter:ident: $type:ty),*) -> $result:ty;)*) => {
            unsafe extern "C" {
                $(pub(super) safe fn $name($($parameter: $type),*) -> $result;)*
            }
        };
    }
    labrys_library::pure_functions!(declare);
}

macro_rules! wrappers {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(export_name = concat!("__labrys_w_", stringify!($name)))]
        extern "C" fn $name($($parameter: $type),*) -> $result {
            let labels: [u32; [$(stringify!($parameter)),*].len()] =
                crate::record::passing::arguments($name as *const () as usize);
            let value = library::$name($($parameter),*);
            if labels.iter().any(|label| *label != 0) {
                let mut labels = labels.into_iter();
                let arguments = [$((
                    8 * size_of::<$type>() as u32,
                    Operand::new(labels.next().unwrap_or(0), $parameter.word()),
                )),*];
                let width = 8 * size_of::<$result>() as u32;
                let label = external(stringify!($name), &arguments, width, value.word());
                crate::record::passing::result(label);
            }
            value
        }
    )*};
}

labrys_library::pure_functions!(wrappers);

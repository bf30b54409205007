//! What library functions mean for backward execution and for the machine, from what
//! [`labrys_library`] says of them.

use labrys_library::{CallsBack, Effect, Function, Harness, Mark, function};
use labrys_program::Type;

/// What a library function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LibraryMeaning {
    /// Makes the bytes at the first argument input; the second is their number, or they are as
    /// many as given here.
    InputObject(Option<u64>),
    /// Gives an input value of the result's type.
    InputValue,
    /// Ends the run unless its argument is true.
    Assume,
    /// Never returns.
    Stops,
    /// Writes no memory that the program sees, but what the library keeps of streams; its result
    /// is anything.
    Harmless {
        /// Whether the machine leaves the call out.
        skipped: bool,
    },
    /// Reads memory and writes none; its result is anything.
    Reads,
    /// Gives a new object.
    Allocates {
        /// Whether it has as many bytes as the arguments' product, with nothing in them; else its
        /// size and its bytes are anything.
        plain: bool,
        /// Whether the bytes are 0.
        zeroed: bool,
        /// Whether the result may be null.
        fails: bool,
    },
    /// A pure function of numbers.
    Pure,
    /// Writes anything to what some of its arguments point to, and nothing else that the program
    /// sees but what it keeps of streams; its result is anything.
    Fills {
        /// Says which arguments these are.
        row: &'static Function,
        /// Whether what it writes may be an address in an object that it was given.
        shares: bool,
    },
}

impl LibraryMeaning {
    /// That of the function of this name; `None` if it is not known which memory it writes.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        function(name).and_then(LibraryMeaning::of_row)
    }

    /// That of the function of a row; `None` if it is not known which memory it writes.
    pub(crate) fn of_row(row: &'static Function) -> Option<Self> {
        let harness = row.harness().map(|harness| match harness {
            Harness::InputObject(size) => LibraryMeaning::InputObject(size),
            Harness::InputValue => LibraryMeaning::InputValue,
            Harness::Assume => LibraryMeaning::Assume,
        });
        if harness.is_some() {
            return harness;
        }
        if row.has(Mark::NoReturn) {
            return Some(LibraryMeaning::Stops);
        }
        if let Some(made) = row.allocation() {
            return Some(LibraryMeaning::Allocates {
                plain: made.plain,
                zeroed: made.zeroed,
                fails: made.fails,
            });
        }
        if row.is_pure() && row.effect() == Some(Effect::Reads) {
            return Some(LibraryMeaning::Pure);
        }
        row.effect().map(|effect| match effect {
            Effect::Reads => LibraryMeaning::Reads,
            Effect::Streams => LibraryMeaning::Harmless {
                skipped: row.has(Mark::Skipped),
            },
            Effect::Fills { shares } => LibraryMeaning::Fills { row, shares },
        })
    }
}

/// Which functions of the program the function of this name may call.
#[must_use]
pub fn calls_back(name: &str) -> CallsBack {
    function(name).map_or(CallsBack::Anything, Function::calls_back)
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

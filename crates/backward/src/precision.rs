//! How closely a pass of the search looks.

/// What is followed and what is stepped over. Whatever the precision, a pass that ends without a
/// path proves that there is none: what is stepped over may do anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Times that a path goes round a loop before the loop is stepped over.
    pub loops: u32,
    /// Frames of one function before a call is stepped over.
    pub recursion: u32,
    /// Whether calls are entered that cannot be said in expressions.
    pub enter: bool,
    /// Whether ways that part and meet again are taken at once, as choices in expressions.
    pub merge: bool,
}

/// The pass that takes ways one by one, for what the solver gives up on when they are merged.
pub(crate) const PLAIN_PASS: usize = 3;

impl Precision {
    /// What pass number `pass` does, with this many times round a loop at most.
    pub(crate) fn of_pass(pass: usize, bound: u32) -> Self {
        match pass {
            0 => Precision {
                loops: 0,
                recursion: 0,
                enter: false,
                merge: true,
            },
            1 => Precision {
                loops: bound.min(2),
                recursion: 1,
                enter: true,
                merge: true,
            },
            2 => Precision {
                loops: bound,
                recursion: bound.clamp(1, 8),
                enter: true,
                merge: true,
            },
            PLAIN_PASS => Precision {
                loops: 0,
                recursion: 1,
                enter: true,
                merge: false,
            },
            _ => Precision {
                loops: bound,
                recursion: bound.clamp(1, 8),
                enter: true,
                merge: false,
            },
        }
    }
}

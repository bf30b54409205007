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
    /// Whether ways that cannot be taken at once are stepped over, and calls through pointers: so
    /// the only choices are those between callers.
    pub coarse: bool,
    /// Whether a loop that is stepped over is asked what its rounds keep.
    pub keep: bool,
    /// Expressions that may be made to take ways at once.
    pub nodes: u64,
    /// Constraints of more expressions than this are forgotten.
    pub constraint: usize,
    /// Path segments, at most.
    pub segments: u64,
    /// Steps for a query within a path.
    pub steps: u64,
    /// Expressions that may be looked at in all.
    pub work: u64,
}

/// The pass that looks least closely: it is quick whatever the program.
pub(crate) const COARSE_PASS: usize = 0;
/// The first pass that takes paths one by one.
pub(crate) const FIRST_PASS: usize = 1;
/// The pass that asks what loops keep.
pub(crate) const KEEPING_PASS: usize = 2;
/// The pass that takes ways one by one, for what the solver gives up on when they are merged.
pub(crate) const PLAIN_PASS: usize = 5;
/// Number of passes.
pub(crate) const PASSES: usize = 7;

impl Precision {
    /// For ways round a loop, to see what they keep.
    pub(crate) fn of_rounds() -> Self {
        Precision {
            recursion: 1,
            enter: true,
            nodes: 20_000,
            steps: 300,
            ..Precision::of_pass(KEEPING_PASS, 0)
        }
    }

    /// What pass number `pass` does, with this many times round a loop at most.
    pub(crate) fn of_pass(pass: usize, bound: u32) -> Self {
        let quick = Precision {
            loops: 0,
            recursion: 0,
            enter: false,
            merge: true,
            coarse: false,
            keep: false,
            nodes: 60_000,
            constraint: usize::MAX,
            segments: 100,
            steps: 2_000,
            work: 3_000_000,
        };
        match pass {
            COARSE_PASS => Precision {
                coarse: true,
                nodes: 300,
                constraint: 300,
                steps: 100,
                work: 300_000,
                ..quick
            },
            FIRST_PASS => quick,
            KEEPING_PASS => Precision {
                recursion: 1,
                enter: true,
                keep: true,
                segments: 200,
                ..quick
            },
            3 => Precision {
                loops: bound.min(2),
                recursion: 1,
                enter: true,
                segments: 300,
                ..quick
            },
            4 => Precision {
                loops: bound,
                recursion: bound.clamp(1, 8),
                enter: true,
                segments: 600,
                work: 10_000_000,
                ..quick
            },
            PLAIN_PASS => Precision {
                keep: true,
                recursion: 1,
                enter: true,
                merge: false,
                segments: 600,
                work: 10_000_000,
                ..quick
            },
            _ => Precision {
                loops: bound,
                recursion: bound.clamp(1, 8),
                enter: true,
                merge: false,
                segments: 1500,
                work: 30_000_000,
                ..quick
            },
        }
    }
}

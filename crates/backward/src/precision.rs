//! How closely a pass of the search looks.

/// What is followed and what is havocked. Whatever the precision, a pass that ends without a path
/// proves that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Iterations of a loop before the loop is havocked (the loop bound).
    pub loops: u32,
    /// Frames of one function before a call is havocked.
    pub recursion: u32,
    /// Whether calls are entered that cannot be said in expressions.
    pub enter: bool,
    /// Whether paths that part and join again are summarized, as choices in expressions.
    pub merge: bool,
    /// Whether paths that cannot be summarized are havocked, and calls through pointers: so the
    /// only choices are those between callers.
    pub coarse: bool,
    /// Whether invariants of loops are inferred that are havocked.
    pub invariants: bool,
    /// Expressions that may be made for one summary.
    pub nodes: u64,
    /// Constraints of more expressions than this are dropped.
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
/// The pass that infers loop invariants.
pub(crate) const INVARIANT_PASS: usize = 2;
/// The pass that takes paths one by one, for what the solver gives up on when they are merged.
pub(crate) const PLAIN_PASS: usize = 5;
/// Number of passes.
pub(crate) const PASSES: usize = 7;

impl Precision {
    /// The passes one after the other, with this loop bound.
    pub fn passes(bound: u32) -> impl Iterator<Item = Self> {
        (0..PASSES).map(move |pass| Precision::of_pass(pass, bound))
    }

    /// For iterations of a loop, to infer its invariants.
    pub(crate) fn of_iterations() -> Self {
        Precision {
            recursion: 1,
            enter: true,
            nodes: 20_000,
            steps: 300,
            ..Precision::of_pass(INVARIANT_PASS, 0)
        }
    }

    /// Pass number `pass`, with this loop bound.
    pub(crate) fn of_pass(pass: usize, bound: u32) -> Self {
        let entering = Precision {
            recursion: 1,
            enter: true,
            ..Precision::QUICK
        };
        let bounded = Precision {
            loops: bound,
            recursion: bound.clamp(1, 8),
            ..entering
        };
        match pass {
            COARSE_PASS => Precision::COARSE,
            FIRST_PASS => Precision::QUICK,
            INVARIANT_PASS => Precision {
                invariants: true,
                segments: 200,
                ..entering
            },
            3 => Precision {
                loops: bound.min(2),
                segments: 300,
                ..entering
            },
            4 => Precision {
                segments: 600,
                work: 10_000_000,
                ..bounded
            },
            PLAIN_PASS => Precision {
                invariants: true,
                merge: false,
                segments: 600,
                work: 10_000_000,
                ..entering
            },
            _ => Precision {
                merge: false,
                segments: 1500,
                work: 30_000_000,
                ..bounded
            },
        }
    }

    /// The first pass that takes paths one by one.
    const QUICK: Precision = Precision {
        loops: 0,
        recursion: 0,
        enter: false,
        merge: true,
        coarse: false,
        invariants: false,
        nodes: 60_000,
        constraint: usize::MAX,
        segments: 100,
        steps: 2_000,
        work: 3_000_000,
    };

    /// The pass that looks least closely.
    const COARSE: Precision = Precision {
        coarse: true,
        nodes: 300,
        constraint: 300,
        steps: 100,
        work: 300_000,
        ..Precision::QUICK
    };
}

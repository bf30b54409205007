//! What drivers of functions make, as options of the commands that begin with functions.

use clap::{Args, ValueEnum};
use labrys_units::{self as units, Bounds};

/// What drivers make.
#[derive(Args, Debug)]
#[command(next_help_heading = "Entries")]
pub(crate) struct DriverOptions {
    /// Elements of the arrays that pointers to numbers and characters point to
    #[arg(long, value_name = "N", default_value_t = Bounds::default().elements,
          value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) elements: u64,

    /// Depth of pointers to pointers in the arguments of an entry; deeper ones are null [default: 3
    /// for reach, 4 for cover]
    #[arg(long, value_name = "N")]
    pub(crate) pointer_depth: Option<u32>,

    /// What global variables hold when an entry is called [default: initial for reach, file for
    /// cover]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) globals: Option<Globals>,

    /// Whether a number that by its name or type is the length of an array beside it is at most the
    /// elements there [default: free for reach, assume for cover]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) lengths: Option<Lengths>,

    /// Whether pointers of one type may point to one object [default: no for reach, yes for cover]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) aliases: Option<Aliases>,
}

/// What global variables hold at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Globals {
    /// What they hold when the program begins
    Initial,
    /// Those that the source of the entry names: anything, if pointers in them are null when the program begins
    File,
    /// Anything, if pointers in them are null when the program begins
    Any,
}

/// What lengths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lengths {
    /// At most the elements of the array
    Assume,
    /// Anything
    Free,
}

/// Whether pointers may be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Aliases {
    /// Each points to an object of its own
    No,
    /// They may
    Yes,
}

impl DriverOptions {
    /// The bounds; what the user does not say is as in these.
    pub(crate) fn bounds(&self, otherwise: Bounds) -> Bounds {
        Bounds {
            elements: self.elements,
            depth: self.pointer_depth.unwrap_or(otherwise.depth),
            globals: match self.globals {
                None => otherwise.globals,
                Some(Globals::Initial) => units::Globals::Initial,
                Some(Globals::File) => units::Globals::File,
                Some(Globals::Any) => units::Globals::Any,
            },
            aliases: self
                .aliases
                .map_or(otherwise.aliases, |aliases| aliases == Aliases::Yes),
            lengths: self
                .lengths
                .map_or(otherwise.lengths, |lengths| lengths == Lengths::Assume),
            doubles: otherwise.doubles,
            allocations: otherwise.allocations,
        }
    }
}

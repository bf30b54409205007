//! Newtype ids: each is an index into one table, named by its documentation.
//!
//! Invariant: an id is only meaningful together with the table it indexes; ids of values and
//! blocks are local to their function, all others belong to the program.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the entry at this index.
            ///
            /// # Panics
            /// If the index needs more than 32 bits, which no table here can have.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables have fewer than 2^32 entries"))
            }

            /// The index of the entry.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A decision of the program: index into [`Program::sites`](crate::Program::sites).
    SiteId, "s"
);
id!(
    /// One side of a decision, dense over the whole program: see [`Site::first_branch`](crate::Site::first_branch).
    BranchId, "branch"
);
id!(
    /// Index into [`Program::functions`](crate::Program::functions).
    FunctionId, "f"
);
id!(
    /// Index into [`Function::blocks`](crate::Function::blocks); block 0 is the entry.
    BlockId, "b"
);
id!(
    /// Index into [`Program::files`](crate::Program::files).
    FileId, "file"
);
id!(
    /// Index into [`Program::globals`](crate::Program::globals).
    GlobalId, "g"
);
id!(
    /// Index into [`Function::values`](crate::Function::values); parameters come first.
    ValueId, "v"
);
id!(
    /// Index into [`Program::constants`](crate::Program::constants).
    ConstantId, "c"
);
id!(
    /// Index into [`Program::aggregates`](crate::Program::aggregates).
    AggregateId, "a"
);
id!(
    /// Index into [`Program::foreign_types`](crate::Program::foreign_types).
    ForeignId, "x"
);

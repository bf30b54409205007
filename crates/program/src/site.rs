//! Sites: the static places of decisions, and the numbering of their branches.
//!
//! A site is a conditional `br`, a `switch` with at least one case, or a `select` with a scalar
//! one-bit condition. Sites are numbered in the order (defined function, block, instruction) of
//! the frozen bitcode, so a [`SiteId`](crate::SiteId) is stable from build to build.
//!
//! Invariant: branches are dense. With `first_branch(s₀) = 0` and
//! `first_branch(sᵢ₊₁) = first_branch(sᵢ) + directions(sᵢ)`, the branch of a site in direction
//! `d` is `first_branch + d`.

use serde::{Deserialize, Serialize};

use crate::{BlockId, BranchId, FileId, FunctionId};

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// The source file.
    pub file: FileId,
    /// Line, from 1; 0 if the compiler gave none.
    pub line: u32,
    /// Column, from 1; 0 if the compiler gave none.
    pub column: u32,
}

/// What decides at a [`Site`], and by that the meaning of its directions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SiteKind {
    /// Conditional branch. Direction 0: false, 1: true.
    Branch,
    /// Switch. Direction 0: default, k: the k-th case (counted from 1).
    Switch {
        /// Width of the scrutinee in bits.
        width: u32,
        /// The case values, zero-extended, in the order of the bitcode.
        cases: Vec<u128>,
    },
    /// Select. Direction 0: false, 1: true.
    Select,
}

impl SiteKind {
    /// The number of directions, at least 2.
    #[must_use]
    pub fn directions(&self) -> u32 {
        match self {
            SiteKind::Branch | SiteKind::Select => 2,
            SiteKind::Switch { cases, .. } => {
                u32::try_from(cases.len() + 1).expect("a switch has fewer than 2^32 cases")
            }
        }
    }

    /// Stable name, as written in reports and in the text form.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            SiteKind::Branch => "branch",
            SiteKind::Switch { .. } => "switch",
            SiteKind::Select => "select",
        }
    }
}

/// The static place of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// What decides.
    pub kind: SiteKind,
    /// The function that contains the site.
    pub function: FunctionId,
    /// The block that contains the site.
    pub block: BlockId,
    /// The place in the source, if the bitcode tells.
    pub location: Option<Location>,
    /// The branch of direction 0; the others follow it.
    pub first_branch: BranchId,
    /// Whether a sanitizer put the decision there: a successor does nothing but trap. Oracle
    /// sites are targets of the search and do not count in branch coverage.
    pub oracle: bool,
}

impl Site {
    /// The branches of the site in the order of directions.
    pub fn branches(&self) -> impl ExactSizeIterator<Item = BranchId> + use<> {
        let first = self.first_branch.0;
        (first..first + self.kind.directions()).map(BranchId)
    }

    /// The direction of one of the site's branches; `None` for a branch of another site.
    #[must_use]
    pub fn direction(&self, branch: BranchId) -> Option<u32> {
        let direction = branch.0.checked_sub(self.first_branch.0)?;
        (direction < self.kind.directions()).then_some(direction)
    }
}

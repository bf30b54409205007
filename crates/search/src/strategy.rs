//! The contract of a search strategy: it watches runs and picks what is done next.
//!
//! A strategy sees the execution tree, the program and what is covered, and changes none of
//! them. The search marks every candidate that it was given before it asks for another one, so a
//! strategy needs no memory of what it already named: it names open candidates only.

use labrys_abi::{RUNTIME_SITE, is_size};
use labrys_program::{BranchId, Program, Site, SiteId};
use labrys_suite::Coverage;

use crate::counts::SideCount;
use crate::tree::{Candidate, NodeId, Passage, RunId, Tree};

/// What a strategy may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// All runs so far.
    pub tree: &'a Tree,
    /// The static model of the program.
    pub program: &'a Program,
    /// The branches that some run covered.
    pub covered: &'a Coverage,
}

impl View<'_> {
    /// The branch of the program that a candidate leads to; `None` for decisions of library
    /// models and of the runtime.
    #[must_use]
    pub fn branch(&self, candidate: Candidate) -> Option<BranchId> {
        let site = SiteId(self.tree.site(candidate.node));
        self.program.branch(site, candidate.direction)
    }

    /// Whether a candidate leads to a branch of the program, or of a library model, that no run
    /// took, or to a size that no query asked for at its place. What a program does with a word is
    /// often decided in the library that read it.
    #[must_use]
    pub fn uncovered(&self, candidate: Candidate) -> bool {
        match self.branch(candidate) {
            Some(branch) => !self.covered.contains(branch),
            None => {
                let site = self.tree.site(candidate.node);
                let counts = is_model(self.program, site) || is_size(site);
                counts && !self.tree.has_taken(self.tree.side(candidate))
            }
        }
    }

    /// The branches that no run took and whose site a run with this coverage came to.
    pub fn missed(&self, coverage: &Coverage) -> impl Iterator<Item = BranchId> {
        coverage.iter().flat_map(move |taken| {
            let site = self.program.branch_site(taken).map(|(site, _)| site);
            let site = site.and_then(|site| self.program.site(site));
            let branches = site.into_iter().flat_map(Site::branches);
            branches.filter(|branch| !self.covered.contains(*branch))
        })
    }
}

/// Whether a site is a decision of a library model: such sites are numbered after the program's.
pub(crate) fn is_model(program: &Program, site: u32) -> bool {
    (site as usize) >= program.sites.len() && site < RUNTIME_SITE
}

/// A run that was inserted in the tree.
#[derive(Clone, Copy, Debug)]
pub struct RunInfo<'a> {
    /// Its number.
    pub run: RunId,
    /// Its path through the tree.
    pub path: &'a [Passage],
    /// How often it took which side of a decision.
    pub taken: &'a [SideCount],
    /// Nodes from this position of `path` on are new; they have consecutive ids.
    pub first_new: usize,
    /// The length of its input in bytes.
    pub length: usize,
    /// Whether its input is kept: if it took a path of its own, or covered something.
    pub kept: bool,
    /// The branches that it took.
    pub coverage: &'a Coverage,
    /// The number of branches, those of library models among them, that no run before it took.
    pub gain: usize,
    /// Branches that no run took, to whose sites this one came, with the distance of the values
    /// that the decision compares, where it was measured.
    pub near: &'a [(BranchId, u32)],
    /// The candidate that the run was to take; `None` for an initial input.
    pub flipped: Option<Candidate>,
    /// Whether its input is a mutation.
    pub mutated: bool,
    /// Whether it left the predicted path before that.
    pub diverged: bool,
}

impl RunInfo<'_> {
    /// The new nodes.
    #[must_use]
    pub fn new_nodes(&self) -> NodeRange {
        let fresh = &self.path[self.first_new..];
        let first = fresh.first().map_or(0, |passage| passage.node.0);
        let count = u32::try_from(fresh.len()).expect("the tree's bound is below 2^32");
        NodeRange {
            first,
            end: first + count,
        }
    }
}

/// Nodes with consecutive ids: what one run added to the tree, from the root downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRange {
    first: u32,
    end: u32,
}

impl NodeRange {
    /// The nodes, the one nearest to the root first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = NodeId> {
        (self.first..self.end).map(NodeId)
    }

    /// The first `count` of them.
    #[must_use]
    pub fn first(self, count: usize) -> NodeRange {
        let count = u32::try_from(count.min(self.len())).expect("no more than there are");
        NodeRange {
            first: self.first,
            end: self.first + count,
        }
    }

    /// The node at a position.
    #[must_use]
    pub fn get(self, position: usize) -> Option<NodeId> {
        (position < self.len()).then(|| NodeId(self.first + position as u32))
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(self) -> usize {
        (self.end - self.first) as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.first == self.end
    }
}

/// What a strategy picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// An open candidate, to be flipped.
    Flip(Candidate),
    /// A run, whose input is to be mutated (see [`crate::mutate`]).
    Mutate(RunId),
}

/// What a step of the search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A flip: of a candidate that was put off and is due, else of the one that is picked.
    Flip,
    /// A mutation, whatever is due.
    Mutate,
}

/// Picks what the search does next.
pub trait Strategy {
    /// The name on the command line.
    fn name(&self) -> &str;

    /// The name of the strategy that made the last pick, where several share the work.
    fn picked_by(&self) -> &str {
        self.name()
    }

    /// Whether the search may run inputs of its own making beside the picks: those to which earlier
    /// runs point (see [`crate::mutate`]).
    fn extrapolates(&self) -> bool {
        false
    }

    /// Learns of every run after it was inserted.
    fn observe(&mut self, view: &View, info: &RunInfo);

    /// Begins a step: where several strategies share the work, it is given to one of them.
    fn begin_step(&mut self, _view: &View, _rng: &mut fastrand::Rng) -> StepKind {
        StepKind::Flip
    }

    /// Picks; `None` if the strategy has nothing more to try. A step may ask several times: what
    /// was picked before is put off, and not a mutation.
    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick>;

    /// A flip was tried, mostly the one that was picked last: its query and its run took so much
    /// effort, in steps of the solver.
    fn took(&mut self, _effort: u64) {}
}

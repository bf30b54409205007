//! The execution tree: all decisions of all runs, sharing common prefixes.
//!
//! A node is one occurrence of a decision after one sequence of earlier decisions. It keeps the
//! site, and where its condition can be had again: the first run that came by, in which it is the
//! decision at the node's depth. Expressions are not kept, so a node of a two-way decision takes 44
//! bytes.
//!
//! Laws:
//! - the path of an inserted run, read from the root, is the run's sequence of decisions
//!   (cut off only where the tree has no room for the rest);
//! - [`Tree::open`] is the number of candidates whose state is [`Flip::Untried`];
//! - a direction that a run took is [`Flip::Taken`] for ever.
//!
//! One direction of a node can lead to several nodes: between two symbolic decisions a program
//! may take concrete ones (after a value was concretized, or where it is not deterministic), and
//! arrive at another site. Such nodes are chained as alternatives.
//!
//! All walks are loops; the depth of the tree is bounded by memory only.

mod edges;
mod insert;
mod sides;
#[cfg(test)]
mod tests;

use edges::{Cell, Link};
use labrys_abi::is_size;
use rustc_hash::FxHashMap;
use sides::Sides;

pub use insert::{Decision, Insertion, Passage};
pub use sides::Side;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position of the node in the order of creation.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A run, by the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u32);

impl RunId {
    /// The position of the run in the order of insertion.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A branch to flip: a direction of a node that no run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    /// The decision.
    pub node: NodeId,
    /// The direction to drive it to.
    pub direction: u32,
}

/// What is known of one direction of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flip {
    /// Nothing was tried yet: the direction is open.
    Untried,
    /// A run took the direction.
    Taken,
    /// The query had a model, but its run did not come here, without a divergence that was seen:
    /// it was cut off by a limit, or another size was asked for, from where no run goes on.
    Sat,
    /// The query has no model.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// The query is for later: the solver gave up others of the branch.
    PutOff,
    /// The query had a model, and the run left the predicted path before this decision.
    Diverged,
    /// Not worth a query (the failing side of an assumption).
    Closed,
    /// A monitor excludes that runs which take it come to something open.
    Pruned,
}

impl Flip {
    /// Whether a query may still decide it.
    #[must_use]
    pub fn is_undecided(self) -> bool {
        matches!(self, Flip::Untried | Flip::Unknown | Flip::PutOff)
    }
}

/// A node as it is stored.
#[derive(Clone, Copy, Debug)]
struct Node {
    site: u32,
    /// The first of its sides.
    side: u32,
    run: u32,
    frame: u32,
    depth: u32,
    parent: u32,
    /// The direction of the parent that leads here.
    entry: u32,
    /// The next alternative under the same direction of the parent, or [`NONE`].
    sibling: u32,
    arity: u32,
    /// Arity 2: the links of both directions. Otherwise the head of a list of cells, sorted by
    /// direction, in the first place.
    links: [Link; 2],
}

const NONE: u32 = u32::MAX;

/// The execution tree.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    cells: Vec<Cell>,
    sides: Sides,
    /// First node of the runs, with its alternatives.
    root: u32,
    open: u64,
    runs: u32,
    max_nodes: usize,
    max_depth: u32,
    /// By candidate: how far it is from something open, as a monitor says.
    distances: FxHashMap<Candidate, u32>,
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new(Tree::DEFAULT_MAX_NODES)
    }
}

impl Tree {
    /// Bytes of a node with its place among its parent's children, rounded up.
    pub const NODE_BYTES: usize = 48;

    /// Nodes that a tree holds by default: about 770 MB.
    pub const DEFAULT_MAX_NODES: usize = 16_000_000;

    /// An empty tree that will hold at most this many nodes.
    #[must_use]
    pub fn new(max_nodes: usize) -> Self {
        Tree {
            nodes: Vec::new(),
            cells: Vec::new(),
            sides: Sides::default(),
            root: NONE,
            open: 0,
            runs: 0,
            max_nodes: max_nodes.min(edges::MAX_CHILD as usize),
            max_depth: 0,
            distances: FxHashMap::default(),
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no run with a decision was inserted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of candidates that are open.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open
    }

    /// Number of runs that were inserted.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// The largest depth of a node, counted from 0; 0 for an empty tree.
    #[must_use]
    pub fn max_depth(&self) -> u32 {
        self.max_depth
    }

    /// Bytes of memory that the tree takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.cells.capacity() * size_of::<Cell>()
    }

    /// The site that decides at the node.
    #[must_use]
    pub fn site(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].site
    }

    /// Whether it is this site that decides at the node. The number of a place that allocates is made
    /// of addresses of code, which change when an executable is replaced by its optimized one: behind
    /// the same decisions, a size is the same size.
    #[must_use]
    pub fn is_at(&self, node: NodeId, site: u32) -> bool {
        let there = self.site(node);
        there == site || is_size(there) && is_size(site)
    }

    /// The side of its decision that a candidate leads to.
    #[must_use]
    pub fn side(&self, candidate: Candidate) -> Side {
        Side(self.nodes[candidate.node.index()].side + candidate.direction)
    }

    /// The number of sides so far; their numbers are below it.
    #[must_use]
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// Whether some run took a side, at any node; of a size, whether it was asked for.
    #[must_use]
    pub fn has_taken(&self, side: Side) -> bool {
        self.sides.is_taken(side)
    }

    /// The number of directions of the node.
    #[must_use]
    pub fn arity(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].arity
    }

    /// The first run that came to the node.
    #[must_use]
    pub fn run(&self, node: NodeId) -> RunId {
        RunId(self.nodes[node.index()].run)
    }

    /// The call in which [`Tree::run`] came to the node ([`Decision::frame`]).
    #[must_use]
    pub fn frame(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].frame
    }

    /// The number of decisions before the node.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].depth
    }

    /// The decision before the node, and the direction that was taken there.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<Passage> {
        let node = &self.nodes[node.index()];
        (node.parent != NONE).then_some(Passage {
            node: NodeId(node.parent),
            direction: node.entry,
        })
    }

    /// The state of a candidate.
    #[must_use]
    pub fn flip(&self, candidate: Candidate) -> Flip {
        self.link(candidate.node, candidate.direction).flip()
    }

    /// Whether nothing was tried for the candidate yet.
    #[must_use]
    pub fn is_open(&self, candidate: Candidate) -> bool {
        self.flip(candidate) == Flip::Untried
    }

    /// The candidates of a node, by direction.
    pub fn flips(&self, node: NodeId) -> impl Iterator<Item = Candidate> + '_ {
        self.links(node)
            .map(move |(direction, _)| Candidate { node, direction })
    }

    /// The open candidates of a node, by direction.
    pub fn open_flips(&self, node: NodeId) -> impl Iterator<Item = Candidate> + '_ {
        self.links(node)
            .filter(|(_, link)| *link == Link::UNTRIED)
            .map(move |(direction, _)| Candidate { node, direction })
    }

    /// The open candidate of a node that is nearest to something open; of equals the first.
    #[must_use]
    pub fn nearest_open_flip(&self, node: NodeId) -> Option<Candidate> {
        if !self.has_distances() {
            return self.open_flips(node).next();
        }
        self.open_flips(node)
            .min_by_key(|candidate| self.distance(*candidate))
    }

    /// Whether the node has an open candidate.
    #[must_use]
    pub fn has_open_flip(&self, node: NodeId) -> bool {
        self.open_flips(node).next().is_some()
    }

    /// The nodes that follow a direction of a node.
    pub fn children(&self, node: NodeId, direction: u32) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.link(node, direction).child();
        std::iter::successors(first, |id| self.alternative(*id))
    }

    /// The first nodes of the runs.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        let first = (self.root != NONE).then_some(NodeId(self.root));
        std::iter::successors(first, |id| self.alternative(*id))
    }

    /// Notes what became of a candidate. A direction that was taken stays so.
    pub fn mark(&mut self, candidate: Candidate, flip: Flip) {
        let old = self.link(candidate.node, candidate.direction);
        if is_size(self.site(candidate.node)) && flip != Flip::Pruned {
            self.sides.take(self.side(candidate));
        }
        if old.flip() != Flip::Taken {
            self.set_link(candidate.node, candidate.direction, Link::of(flip));
        }
    }

    /// Notes how far a candidate is from something open.
    pub fn set_distance(&mut self, candidate: Candidate, distance: u32) {
        self.distances.insert(candidate, distance);
    }

    /// How far a candidate is from something open; the same for all where no monitor is.
    #[must_use]
    pub fn distance(&self, candidate: Candidate) -> u32 {
        let known = || self.distances.get(&candidate).copied();
        if self.distances.is_empty() {
            0
        } else {
            known().unwrap_or(u32::MAX)
        }
    }

    /// Whether a monitor said how far candidates are.
    #[must_use]
    pub fn has_distances(&self) -> bool {
        !self.distances.is_empty()
    }

    /// The nodes that a run was the first to come to, of which this is one, from the root on.
    pub(crate) fn nodes_of(
        &self,
        run: RunId,
        node: NodeId,
    ) -> impl Iterator<Item = NodeId> + use<> {
        let own = |index: &u32| {
            self.nodes
                .get(*index as usize)
                .is_some_and(|at| at.run == run.0)
        };
        let first = (0..node.0).rev().take_while(own).last().unwrap_or(node.0);
        let end = (node.0..)
            .take_while(own)
            .last()
            .map_or(node.0, |last| last + 1);
        (first..end).map(NodeId)
    }

    fn alternative(&self, node: NodeId) -> Option<NodeId> {
        let next = self.nodes[node.index()].sibling;
        (next != NONE).then_some(NodeId(next))
    }
}

//! Insertion of a run: follow what is known, then append what is new.

use super::edges::Link;
use super::{Candidate, Flip, NONE, Node, NodeId, RunId, Side, Tree};

/// A decision of a run, as the tree takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The site that decided (of the program, of a library model, or of the runtime).
    pub site: u32,
    /// The number of directions, at least 2.
    pub arity: u32,
    /// The direction that was taken.
    pub direction: u32,
    /// The lower half of the stack pointer of the function that decided, lower in a callee than
    /// in its caller; 0 if it is not known.
    pub frame: u32,
    /// What a library model compares with, as a number; 0 if that is not known, and for other
    /// decisions.
    pub value: u32,
    /// A direction that is not worth a query.
    pub closed: Option<u32>,
}

/// A node that a run came through, and where it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passage {
    /// The decision.
    pub node: NodeId,
    /// The direction that was taken.
    pub direction: u32,
}

/// What an insertion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The number of the run.
    pub run: RunId,
    /// The run's path through the tree.
    pub path: Vec<Passage>,
    /// Nodes from this position of `path` on are new (its length if none is).
    pub first_new: usize,
    /// Branches, as site and direction, that no run took before.
    pub first_taken: Vec<(u32, u32)>,
    /// Whether the tree had no room for all of the run, of which `path` is a prefix.
    pub truncated: bool,
}

/// A run adds at most this part of the room that is left, or so many nodes where that is more. A few
/// runs that repeat something a million times would leave no room for others.
const PART: usize = 32;
const LEAST: usize = 4_096;
/// The part of the tree that is for runs which gained something.
const RESERVE: usize = 8;

/// Where the next node of a walk hangs.
#[derive(Clone, Copy)]
enum Place {
    Root,
    Under(Passage),
}

impl Tree {
    /// Inserts a run.
    ///
    /// # Panics
    /// If a decision has a direction that is not below its arity: the trace reader checks that.
    pub fn insert(&mut self, decisions: impl IntoIterator<Item = Decision>) -> Insertion {
        self.insert_within(decisions, self.max_nodes)
    }

    /// Inserts a run, and adds so many nodes at most.
    ///
    /// # Panics
    /// As [`Tree::insert`].
    pub fn insert_within(
        &mut self,
        decisions: impl IntoIterator<Item = Decision>,
        most: usize,
    ) -> Insertion {
        let run = RunId(self.runs);
        self.runs += 1;
        let mut done = Insertion {
            run,
            path: Vec::new(),
            first_new: 0,
            first_taken: Vec::new(),
            truncated: false,
        };
        let end = self.max_nodes.min(self.nodes.len().saturating_add(most));
        let mut place = Place::Root;
        for decision in decisions {
            assert!(decision.direction < decision.arity && decision.arity >= 2);
            let known = self.find(place, &decision);
            if known.is_none() && self.nodes.len() == end {
                done.truncated = true;
                break;
            }
            let node = known.unwrap_or_else(|| self.append(place, &decision, run));
            let passage = Passage {
                node,
                direction: decision.direction,
            };
            done.path.push(passage);
            done.first_new += usize::from(known.is_some());
            if self.take(passage) {
                done.first_taken.push((decision.site, decision.direction));
            }
            place = Place::Under(passage);
        }
        done
    }

    /// How many nodes a run may add, so that others can too; one that gained nothing adds none when the
    /// tree is nearly full.
    #[must_use]
    pub fn room(&self, gains: bool) -> usize {
        let reserve = if gains { 0 } else { self.max_nodes / RESERVE };
        let room = (self.max_nodes - reserve).saturating_sub(self.nodes.len());
        room.min(LEAST.max(room / PART))
    }

    /// Marks a direction as taken; tells whether no run took its branch before.
    fn take(&mut self, passage: Passage) -> bool {
        if self.link(passage.node, passage.direction).flip() == Flip::Taken {
            return false;
        }
        self.set_link(passage.node, passage.direction, Link::END);
        let Node {
            site, side, arity, ..
        } = self.nodes[passage.node.index()];
        let fresh = self.sides.take(Side(side + passage.direction));
        let plain = self.sides.first(site, 0, arity);
        plain == side && fresh || self.sides.take(Side(plain + passage.direction))
    }

    fn first(&self, place: Place) -> Option<NodeId> {
        match place {
            Place::Root => (self.root != NONE).then_some(NodeId(self.root)),
            Place::Under(passage) => self.link(passage.node, passage.direction).child(),
        }
    }

    fn find(&self, place: Place, decision: &Decision) -> Option<NodeId> {
        let mut at = self.first(place);
        while let Some(id) = at {
            let node = &self.nodes[id.index()];
            if self.is_at(id, decision.site) && node.arity == decision.arity {
                break;
            }
            at = self.alternative(id);
        }
        at
    }

    fn append(&mut self, place: Place, decision: &Decision, run: RunId) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("the tree's bound is below 2^32"));
        let sibling = self.first(place).map_or(NONE, |node| node.0);
        let (parent, entry, depth) = match place {
            Place::Root => (NONE, 0, 0),
            Place::Under(at) => (at.node.0, at.direction, self.depth(at.node) + 1),
        };
        self.nodes.push(Node {
            site: decision.site,
            side: self
                .sides
                .first(decision.site, decision.value, decision.arity),
            run: run.0,
            frame: decision.frame,
            depth,
            parent,
            entry,
            sibling,
            arity: decision.arity,
            links: [Link::UNTRIED; 2],
        });
        self.open += u64::from(decision.arity);
        self.max_depth = self.max_depth.max(depth);
        match place {
            Place::Root => self.root = id.0,
            Place::Under(at) => self.set_link(at.node, at.direction, Link::child_of(id)),
        }
        if let Some(direction) = decision.closed {
            let candidate = Candidate {
                node: id,
                direction,
            };
            self.mark(candidate, Flip::Closed);
        }
        id
    }
}

//! Links of a node: what each of its directions leads to, in four bytes each.
//!
//! Two-way decisions keep both links in the node. Switches keep a list of cells, sorted by
//! direction, of those links that are not untried, so an untouched case costs nothing.

use super::{Flip, NONE, NodeId, Tree};

/// A child, or a state without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link(u32);

/// Node numbers are below this.
pub(super) const MAX_CHILD: u32 = 0xffff_0000;

impl Link {
    pub(super) const UNTRIED: Link = Link(NONE);
    /// Taken, and no decision followed (yet).
    pub(super) const END: Link = Link(NONE - 1);

    pub(super) fn child_of(node: NodeId) -> Link {
        Link(node.0)
    }

    pub(super) fn of(flip: Flip) -> Link {
        match flip {
            Flip::Untried => Link::UNTRIED,
            Flip::Taken => Link::END,
            Flip::Sat => Link(NONE - 2),
            Flip::Unsat => Link(NONE - 3),
            Flip::Unknown => Link(NONE - 4),
            Flip::Diverged => Link(NONE - 5),
            Flip::Closed => Link(NONE - 6),
            Flip::Pruned => Link(NONE - 7),
            Flip::PutOff => Link(NONE - 8),
        }
    }

    pub(super) fn flip(self) -> Flip {
        match NONE - self.0 {
            0 => Flip::Untried,
            2 => Flip::Sat,
            3 => Flip::Unsat,
            4 => Flip::Unknown,
            5 => Flip::Diverged,
            6 => Flip::Closed,
            7 => Flip::Pruned,
            8 => Flip::PutOff,
            _ => Flip::Taken,
        }
    }

    pub(super) fn child(self) -> Option<NodeId> {
        (self.0 < MAX_CHILD).then_some(NodeId(self.0))
    }
}

/// A link of a switch node, in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    direction: u32,
    link: Link,
    next: u32,
}

impl Tree {
    /// The link of one direction.
    pub(super) fn link(&self, node: NodeId, direction: u32) -> Link {
        let stored = &self.nodes[node.index()];
        if stored.arity == 2 {
            return stored.links[direction as usize];
        }
        match self.find_cell(node, direction) {
            (_, Some(cell)) => self.cells[cell as usize].link,
            _ => Link::UNTRIED,
        }
    }

    /// All links in the order of directions.
    pub(super) fn links(&self, node: NodeId) -> impl Iterator<Item = (u32, Link)> + '_ {
        let stored = &self.nodes[node.index()];
        let mut cursor = if stored.arity == 2 {
            NONE
        } else {
            stored.links[0].0
        };
        (0..stored.arity).map(move |direction| {
            if stored.arity == 2 {
                return (direction, stored.links[direction as usize]);
            }
            match self.cells.get(cursor as usize) {
                Some(cell) if cell.direction == direction => {
                    cursor = cell.next;
                    (direction, cell.link)
                }
                _ => (direction, Link::UNTRIED),
            }
        })
    }

    /// Replaces the link of one direction and keeps the count of open candidates.
    pub(super) fn set_link(&mut self, node: NodeId, direction: u32, link: Link) {
        let old = self.link(node, direction);
        self.open -= u64::from(old == Link::UNTRIED);
        self.open += u64::from(link == Link::UNTRIED);
        if self.nodes[node.index()].arity == 2 {
            self.nodes[node.index()].links[direction as usize] = link;
            return;
        }
        let (before, found) = self.find_cell(node, direction);
        if let Some(cell) = found {
            self.cells[cell as usize].link = link;
            return;
        }
        let fresh = u32::try_from(self.cells.len()).expect("fewer than 2^32 switch directions");
        let next = match before {
            Some(cell) => std::mem::replace(&mut self.cells[cell as usize].next, fresh),
            None => std::mem::replace(&mut self.nodes[node.index()].links[0], Link(fresh)).0,
        };
        self.cells.push(Cell {
            direction,
            link,
            next,
        });
    }

    /// The last cell of a switch node below a direction, and the cell of the direction.
    fn find_cell(&self, node: NodeId, direction: u32) -> (Option<u32>, Option<u32>) {
        let mut before = None;
        let mut cursor = self.nodes[node.index()].links[0].0;
        while let Some(cell) = self.cells.get(cursor as usize) {
            if cell.direction >= direction {
                let found = (cell.direction == direction).then_some(cursor);
                return (before, found);
            }
            before = Some(cursor);
            cursor = cell.next;
        }
        (before, None)
    }
}

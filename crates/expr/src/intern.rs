//! The hash table that finds the id of a known node.
//!
//! Open addressing with linear probing; a slot holds the upper half of the hash and the id plus
//! one, so that most probes need not look at the node. Law: at most 5/8 of the slots are full.

use crate::node::{ExprId, Node};

pub(crate) struct Interner {
    slots: Vec<u64>,
    mask: usize,
    full: usize,
}

const TAG: u64 = 0xffff_ffff_0000_0000;

/// Hash of two words, well mixed in the low and in the high bits.
#[inline]
pub(crate) fn hash_words(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(b.rotate_left(32) ^ 0xd1b5_4a32_d192_ed03);
    (product >> 64) as u64 ^ product as u64
}

impl Interner {
    pub(crate) fn new() -> Self {
        Interner::with_slots(1 << 10)
    }

    fn with_slots(count: usize) -> Self {
        Interner {
            slots: vec![0; count],
            mask: count - 1,
            full: 0,
        }
    }

    /// Forgets every node and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
        self.full = 0;
    }

    /// The id of `node` among `nodes`, where it has one.
    #[inline]
    pub(crate) fn find(&self, nodes: &[Node], node: &Node, hash: u64) -> Option<ExprId> {
        let tag = hash & TAG;
        let mut slot = hash as usize & self.mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return None;
            }
            if entry & TAG == tag {
                let id = (entry as u32) - 1;
                if nodes[id as usize] == *node {
                    return Some(ExprId(id));
                }
            }
            slot = (slot + 1) & self.mask;
        }
    }

    /// Enters a node that [`find`](Interner::find) did not find.
    #[inline]
    pub(crate) fn insert(&mut self, id: ExprId, hash: u64, nodes: &[Node]) {
        if (self.full + 1) * 8 > self.slots.len() * 5 {
            self.grow(nodes);
        }
        self.place(id, hash);
    }

    fn place(&mut self, id: ExprId, hash: u64) {
        let mut slot = hash as usize & self.mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & self.mask;
        }
        self.slots[slot] = (hash & TAG) | u64::from(id.0 + 1);
        self.full += 1;
    }

    #[cold]
    fn grow(&mut self, nodes: &[Node]) {
        let old = std::mem::replace(self, Interner::with_slots(self.slots.len() * 4));
        for entry in old.slots.into_iter().filter(|entry| *entry != 0) {
            let id = ExprId(entry as u32 - 1);
            let (a, b) = nodes[id.index()].words();
            self.place(id, hash_words(a, b));
        }
    }
}

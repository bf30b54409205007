//! Which blocks of a function have two versions.
//!
//! Wherever the concrete version may go on in the symbolic one, LLVM joins the values that are
//! live there, and their labels, from both. Large functions have many such places and many live
//! values, and the work on them (of the register allocator above all) grows faster than their
//! product. So the joined values of a function are counted first. If they are too many, not the
//! whole function has a concrete version but only as many of its loops as the limit allows,
//! inner ones first.
//!
//! Invariant: any set of blocks will do; what is entered from outside are heads of loops and the
//! first block, what leaves goes to symbolic blocks.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, LLVMOpcode, Value};

use super::concrete::Concrete;
use super::effects::may_leave_labels;
use super::types::{scalars, width};

/// The most values that are joined in one function.
const LIMIT: usize = 600;

/// The blocks of a function, by their numbers in reverse postorder.
pub(super) struct Regions<'f, 'm> {
    blocks: &'f [Block<'m>],
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    slots: &'f [Value<'m>],
    /// A bit for each slot that is read before it is written from the block's start on.
    live: Vec<Vec<u64>>,
    concrete: &'f Concrete<'m>,
}

/// What has a concrete version.
pub(super) struct Region<'m> {
    pub(super) blocks: Vec<Block<'m>>,
    /// Heads of loops, and ends of blocks that jump there from outside or from the loop's end.
    pub(super) heads: Vec<(Block<'m>, Vec<Value<'m>>)>,
    /// Loops that hold no other, whole in the region and entered at their heads only.
    pub(super) inner: Vec<Loop<'m>>,
    /// By block, the slots that are live when it begins.
    pub(super) live: HashMap<Block<'m>, Vec<Value<'m>>>,
    /// All blocks of loops.
    pub(super) repeated: HashSet<Block<'m>>,
}

/// A loop by its head and all its blocks.
pub(super) struct Loop<'m> {
    pub(super) head: Block<'m>,
    pub(super) body: Vec<Block<'m>>,
}

impl<'f, 'm> Regions<'f, 'm> {
    pub(super) fn of(
        blocks: &'f [Block<'m>],
        slots: &'f [Value<'m>],
        concrete: &'f Concrete<'m>,
    ) -> Self {
        let numbers: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let number = |block: Block<'m>| numbers[&block];
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.successors().into_iter().map(number).collect())
            .collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (at, next) in successors.iter().enumerate() {
            for successor in next {
                predecessors[*successor].push(at);
            }
        }
        let live = live_at_start(blocks, slots, &successors, concrete);
        Regions {
            blocks,
            successors,
            predecessors,
            slots,
            live,
            concrete,
        }
    }

    /// The whole function if the limit allows it, else some of its loops.
    pub(super) fn choose(&self) -> Region<'m> {
        let mut chosen = vec![true; self.blocks.len()];
        let mut loops = self.loops();
        let repeated = loops.iter().flat_map(|(_, body)| body);
        let repeated = repeated.map(|block| self.blocks[*block]).collect();
        let whole = self.joined(&chosen) <= LIMIT;
        if !whole {
            chosen.fill(false);
            loops.sort_by_key(|(_, body)| body.len());
            for (_, body) in &loops {
                let mut more = chosen.clone();
                for block in body {
                    more[*block] = true;
                }
                if self.joined(&more) <= LIMIT {
                    chosen = more;
                }
            }
        }
        let heads = loops.iter().map(|(head, _)| *head);
        let heads = heads.filter(|head| chosen[*head]);
        let ends = |head: usize| -> Vec<Value<'m>> {
            let jumps = self.predecessors[head].iter();
            let jumps = jumps.filter(|from| !whole || **from >= head);
            jumps
                .filter_map(|from| self.blocks[*from].terminator())
                .collect()
        };
        let all = 0..self.blocks.len();
        Region {
            inner: self.inner(&loops, &chosen),
            repeated,
            heads: heads.map(|head| (self.blocks[head], ends(head))).collect(),
            live: all
                .clone()
                .map(|block| (self.blocks[block], self.live_slots(block)))
                .collect(),
            blocks: all
                .filter(|block| chosen[*block])
                .map(|block| self.blocks[block])
                .collect(),
        }
    }

    /// Loops without loops in them, of chosen blocks, that nothing enters but at the head.
    fn inner(&self, loops: &[(usize, HashSet<usize>)], chosen: &[bool]) -> Vec<Loop<'m>> {
        let is_inner = |head: usize, body: &HashSet<usize>| {
            let other = |other: &usize| *other != head && body.contains(other);
            let within = |block: &usize| {
                let before = &self.predecessors[*block];
                chosen[*block] && (*block == head || before.iter().all(|b| body.contains(b)))
            };
            !loops.iter().any(|(head, _)| other(head)) && body.iter().all(within)
        };
        let inner = loops.iter().filter(|(head, body)| is_inner(*head, body));
        let inner = inner.map(|(head, body)| {
            let mut body: Vec<usize> = body.iter().copied().collect();
            body.sort_unstable();
            Loop {
                head: self.blocks[*head],
                body: body.into_iter().map(|block| self.blocks[block]).collect(),
            }
        });
        inner.collect()
    }

    fn live_slots(&self, block: usize) -> Vec<Value<'m>> {
        let bit = |slot: &usize| self.live[block][slot / 64] >> (slot % 64) & 1 != 0;
        let live = (0..self.slots.len()).filter(bit);
        live.map(|slot| self.slots[slot]).collect()
    }

    /// The number of values that are joined if these blocks have two versions.
    fn joined(&self, chosen: &[bool]) -> usize {
        let live = |block: usize| -> usize {
            let words = self.live[block].iter();
            words.map(|word| word.count_ones() as usize).sum()
        };
        let mut count = 0;
        for (at, block) in self.blocks.iter().enumerate().filter(|(at, _)| chosen[*at]) {
            let instructions = block.instructions();
            if instructions
                .iter()
                .any(|i| self.concrete.looks_at_shadow(*i))
            {
                count += live(at);
            }
            let asks = instructions.iter().any(|i| may_leave_labels(*i));
            for successor in &self.successors[at] {
                if asks || !chosen[*successor] || *successor <= at {
                    count += live(*successor);
                }
            }
        }
        count
    }

    /// Heads and bodies of loops, by the edges that go back.
    fn loops(&self) -> Vec<(usize, HashSet<usize>)> {
        let heads = (0..self.blocks.len()).filter_map(|head| {
            let latches = self.predecessors[head].iter().copied();
            let mut open: Vec<usize> = latches.filter(|from| *from >= head).collect();
            if open.is_empty() {
                return None;
            }
            let mut body = HashSet::from([head]);
            while let Some(block) = open.pop() {
                // A loop that is entered in its middle leads back to blocks before its head.
                if block >= head && body.insert(block) {
                    open.extend(&self.predecessors[block]);
                }
            }
            Some((head, body))
        });
        heads.collect()
    }
}

/// By block, a bit for each slot that is read before it is written from there on.
fn live_at_start<'m>(
    blocks: &[Block<'m>],
    slots: &[Value<'m>],
    successors: &[Vec<usize>],
    concrete: &Concrete<'m>,
) -> Vec<Vec<u64>> {
    let numbers: HashMap<_, _> = slots
        .iter()
        .enumerate()
        // Without labels nothing is asked.
        .filter(|(_, slot)| {
            let scalars = scalars(slot.allocated_type());
            !concrete.has(**slot) && scalars.iter().any(|t| width(*t).is_some())
        })
        .map(|(number, slot)| (*slot, number))
        .collect();
    let words = slots.len().div_ceil(64);
    let mut used = vec![vec![0_u64; words]; blocks.len()];
    let mut written = used.clone();
    for (at, block) in blocks.iter().enumerate() {
        for i in block.instructions() {
            let (set, unless, slot) = match i.opcode() {
                LLVMOpcode::LLVMLoad => (&mut used[at], Some(&written[at]), i.operand(0)),
                LLVMOpcode::LLVMStore => (&mut written[at], None, i.operand(1)),
                _ => continue,
            };
            let Some(slot) = numbers.get(&slot) else {
                continue;
            };
            let bit = 1 << (slot % 64);
            if unless.is_none_or(|other| other[slot / 64] & bit == 0) {
                set[slot / 64] |= bit;
            }
        }
    }
    let mut live = used;
    let mut changed = true;
    while changed {
        changed = false;
        for (at, next) in successors.iter().enumerate().rev() {
            for successor in next {
                for word in 0..words {
                    let new = live[*successor][word] & !written[at][word];
                    changed |= new & !live[at][word] != 0;
                    live[at][word] |= new;
                }
            }
        }
    }
    live
}

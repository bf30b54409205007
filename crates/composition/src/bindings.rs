//! What calls pass for the leaves of a callee. A path has hundreds of calls, and most pass the same
//! for most leaves, so what is the same is in memory once.

use std::collections::BTreeMap;
use std::sync::Arc;

use labrys_expr::ExprId;
use rustc_hash::FxHashSet;

/// Offsets in a block.
const BLOCK: u32 = u64::BITS;

/// The bytes of the leaves that a call has, by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bindings {
    /// Blocks that are not empty, with their numbers, in order.
    blocks: Vec<(u32, Arc<Block>)>,
}

/// The bytes at [`BLOCK`] offsets.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Block {
    /// The offsets that there are, one bit each.
    known: u64,
    /// Their bytes, in order.
    bytes: Box<[ExprId]>,
}

/// The blocks of all bindings of a unit.
#[derive(Debug, Default)]
pub(crate) struct Blocks(FxHashSet<Arc<Block>>);

impl Blocks {
    /// Bindings with these bytes.
    pub(crate) fn bindings(&mut self, bytes: &BTreeMap<u32, ExprId>) -> Bindings {
        let mut blocks = Vec::new();
        let mut left = bytes.iter().peekable();
        while let Some((offset, _)) = left.peek() {
            let number = *offset / BLOCK;
            let (mut known, mut inside) = (0, Vec::new());
            while let Some((offset, byte)) = left.next_if(|(offset, _)| *offset / BLOCK == number) {
                known |= 1 << (offset % BLOCK);
                inside.push(*byte);
            }
            let block = Block {
                known,
                bytes: inside.into(),
            };
            blocks.push((number, self.shared(block)));
        }
        Bindings { blocks }
    }

    fn shared(&mut self, block: Block) -> Arc<Block> {
        if let Some(known) = self.0.get(&block) {
            return known.clone();
        }
        let block = Arc::new(block);
        self.0.insert(block.clone());
        block
    }
}

impl Bindings {
    /// The byte of the leaf at an offset.
    pub(crate) fn get(&self, offset: u32) -> Option<ExprId> {
        let (number, bit) = (offset / BLOCK, 1 << (offset % BLOCK));
        let at = self
            .blocks
            .binary_search_by_key(&number, |(number, _)| *number);
        let (_, block) = self.blocks.get(at.ok()?)?;
        let before = (block.known & (bit - 1)).count_ones();
        let is_known = block.known & bit != 0;
        is_known.then(|| block.bytes[before as usize])
    }

    /// All leaves, in the order of their offsets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, ExprId)> {
        self.blocks.iter().flat_map(|(number, block)| {
            let bits = (0..BLOCK).filter(|bit| block.known & (1 << bit) != 0);
            let offsets = bits.map(move |bit| number * BLOCK + bit);
            offsets.zip(block.bytes.iter().copied())
        })
    }
}

#[cfg(test)]
mod tests {
    use labrys_expr::Pool;

    use super::*;

    #[test]
    fn bindings_have_what_they_were_made_of() {
        let mut pool = Pool::new();
        let mut rng = fastrand::Rng::with_seed(7);
        let mut blocks = Blocks::default();
        for most in [1, 63, 64, 65, 300, 5_000] {
            let count = rng.u32(0..=most);
            let offsets = (0..count).map(|_| rng.u32(0..most));
            let bytes: BTreeMap<u32, ExprId> = offsets
                .map(|offset| (offset, pool.constant(8, u128::from(offset % 251))))
                .collect();
            let bindings = blocks.bindings(&bytes);
            let listed: BTreeMap<u32, ExprId> = bindings.iter().collect();
            assert_eq!(listed, bytes);
            assert!(bindings.iter().is_sorted());
            for offset in 0..most + 70 {
                assert_eq!(
                    bindings.get(offset),
                    bytes.get(&offset).copied(),
                    "{offset}"
                );
            }
        }
    }

    #[test]
    fn what_is_the_same_is_there_once() {
        let mut blocks = Blocks::default();
        let mut pool = Pool::new();
        let mut bytes: BTreeMap<u32, ExprId> = (0..128)
            .map(|offset| (offset, pool.constant(8, 5)))
            .collect();
        let first = blocks.bindings(&bytes);
        assert_eq!(blocks.0.len(), 1);
        assert_eq!(blocks.bindings(&bytes), first);
        bytes.insert(3, pool.constant(8, 6));
        assert_ne!(blocks.bindings(&bytes), first);
        assert_eq!(blocks.0.len(), 2);
    }
}

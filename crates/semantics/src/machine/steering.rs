//! Who watches a machine and steers it.

use labrys_program::{BlockId, FunctionId};

use super::{Distance, Halt};

/// Which blocks rules look at next, until they are asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Any.
    All,
    /// The beginning of one, by depth and function, and the end of one, by depth. At any other
    /// block the rules would follow the values and learn nothing.
    These {
        /// The block whose beginning is looked at.
        enter: Option<(usize, FunctionId, BlockId)>,
        /// The block whose end is looked at.
        leave: Option<(usize, BlockId)>,
    },
}

/// Watches a machine, and steers it.
pub trait Rules {
    /// Which blocks are looked at: asked at the start, and after any other call. A function runs
    /// as machine code only where these are few.
    fn watched(&self) -> Watched {
        Watched::All
    }

    /// A block begins. If control is to stop in it: before which instruction.
    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize>;

    /// A block ends. `natural` is where the values lead; `distance` tells how far they are from
    /// leading to another successor. The answer is the successor to go to, or `None` to stop.
    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        distance: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId>;

    /// An assumption does not hold, by this much. Whether to go on all the same.
    fn assume(&mut self, distance: Distance) -> bool;
}

/// The rules of a run, and the blocks that they watch now.
pub(super) struct Steering<'a> {
    rules: &'a mut dyn Rules,
    watched: Watched,
}

impl<'a> Steering<'a> {
    pub(super) fn new(rules: &'a mut dyn Rules) -> Self {
        let watched = rules.watched();
        Steering { rules, watched }
    }

    pub(super) fn watched(&self) -> Watched {
        self.watched
    }

    /// Whether the rules look at the beginning of a block.
    pub(super) fn is_entering_watched(
        &self,
        depth: usize,
        function: FunctionId,
        block: BlockId,
    ) -> bool {
        match self.watched {
            Watched::All => true,
            Watched::These { enter, .. } => enter == Some((depth, function, block)),
        }
    }

    /// Whether the rules look at the end of a block.
    pub(super) fn is_leaving_watched(&self, depth: usize, block: BlockId) -> bool {
        match self.watched {
            Watched::All => true,
            Watched::These { leave, .. } => leave == Some((depth, block)),
        }
    }

    /// A block begins; if control is to stop in it, before which instruction.
    pub(super) fn enter(
        &mut self,
        depth: usize,
        function: FunctionId,
        block: BlockId,
    ) -> Option<usize> {
        let stop = self.rules.enter(depth, function, block);
        self.watched = self.rules.watched();
        stop
    }

    /// A block ends; the successor to go to.
    pub(super) fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        distance: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Result<BlockId, Halt> {
        let next = self.rules.leave(depth, block, natural, distance);
        self.watched = self.rules.watched();
        next.ok_or(Halt::Stopped)
    }

    /// An assumption does not hold, by this much.
    pub(super) fn assume(&mut self, distance: Distance) -> Result<(), Halt> {
        let goes_on = self.rules.assume(distance);
        self.watched = self.rules.watched();
        if goes_on { Ok(()) } else { Err(Halt::Ended) }
    }
}

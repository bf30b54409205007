//! The third version of inner loops, the *clean* one, for while no label is in what the loop is
//! about to read or write.
//!
//! The concrete version looks at a flag for each access. Where a loop goes through arrays, the
//! flags of what it will touch can be looked at beforehand: after a few iterations the loop's
//! *front* computes from the slots which bytes the next [`ITERATIONS`] iterations may touch. If no
//! flag of them is set, the clean version runs, in which these accesses are left alone. After so
//! many iterations the front looks again. An access of a small variable is covered by a look at
//! the whole variable, for any number of iterations. Accesses of other kinds are looked at as in
//! the concrete version.
//!
//! Values between blocks are in slots, so each version can be left for another at every edge. How
//! often the loop runs need not be known: what the front looks at beyond its end can only make it
//! choose the concrete version.
//!
//! Invariants: a loop that calls anything has no clean version, so that nothing can set a flag
//! while it runs; an access that is neither of a small variable nor linear in the iteration is not
//! covered.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, LLVMIntPredicate, LLVMOpcode, Value};

use super::effects::is_quiet;
use super::emit::Emitter;
use super::linear::Front;
use super::objects::{self, Objects, Stores};
use super::regions::Loop;
use super::shape::{Shape, copy};
use super::slots::is_slot;

/// Iterations of a loop that are looked ahead: the flags that an array of 8 bytes each has for
/// them are read at once.
const ITERATIONS: u64 = 48;
/// Iterations of a loop in the concrete version before the front looks: in short loops it would
/// cost more than it saves.
const FIRST_ITERATIONS: u64 = 8;
/// Variables of at most so many bytes are looked at as a whole: their flags are read at once.
const SMALL: u64 = 448;
/// Steps (bytes) beyond this are not looked at.
const LONGEST_STEP: u64 = 1 << 20;
/// Accesses whose bytes lie so near to each other are looked at together.
const NEAR: i64 = 256;
/// Loops of more blocks are left alone, since each is there once more.
const MOST_BLOCKS: usize = 48;

/// The clean version of a loop.
pub(super) struct CleanLoop<'m> {
    pub(super) head: Block<'m>,
    /// Where the loop is to be entered while nothing has labels.
    pub(super) entry: Block<'m>,
    /// By block.
    pub(super) copies: HashMap<Block<'m>, Block<'m>>,
    /// The accesses of the copies that need no look.
    pub(super) covered: HashSet<Value<'m>>,
}

/// The concrete and the clean version of a loop, by head and blocks.
struct Versions<'a, 'm> {
    front: Block<'m>,
    versions: [(Block<'m>, &'a [Block<'m>]); 2],
}

/// What a loop touches, by iteration: from `root + low` to `root + high`.
struct Range<'m> {
    root: Value<'m>,
    low: i64,
    high: i64,
    step: i64,
}

/// What the front of a loop looks at.
#[derive(Default)]
struct Looks<'m> {
    objects: Vec<Value<'m>>,
    ranges: Vec<Range<'m>>,
}

/// Makes the clean versions of the loops of a function, as copies of their concrete ones.
pub(super) struct Cleaner<'a, 'm> {
    pub(super) emit: &'a Emitter<'m>,
    pub(super) function: Value<'m>,
    pub(super) shape: &'a Shape<'m>,
    pub(super) objects: &'a Objects<'a, 'm>,
    pub(super) stores: &'a Stores<'m>,
}

impl<'m> Cleaner<'_, 'm> {
    pub(super) fn clean_loops(&self) -> Vec<CleanLoop<'m>> {
        let loops = self.shape.inner.iter();
        loops.filter_map(|inner| self.clean_loop(inner)).collect()
    }

    fn clean_loop(&self, of: &Loop<'m>) -> Option<CleanLoop<'m>> {
        let (emit, module, shape) = (self.emit, self.emit.module(), self.shape);
        let concrete: Vec<_> = of.body.iter().map(|block| shape.concrete[block]).collect();
        if !may_be_clean(of, &concrete) {
            return None;
        }
        let front = module.block_in(self.function);
        emit.builder().at_end(front);
        let mut linear = Front::new(emit, self.stores, of, ITERATIONS);
        let mut looks = Looks::default();
        let accesses: Vec<_> = concrete.iter().flat_map(|b| b.instructions()).collect();
        let covers: Vec<bool> = accesses
            .iter()
            .map(|i| self.covers(*i, &mut linear, &mut looks))
            .collect();
        if !covers.contains(&true) {
            front.delete();
            return None;
        }
        let dirty = self.look_ahead(&looks, linear.into_wrong());
        let copies = copy(module, self.function, &concrete);
        let copied = concrete
            .iter()
            .flat_map(|block| copies[block].instructions());
        let covered = copied.zip(covers).filter(|(_, covered)| *covered);
        let covered = covered.map(|(i, _)| i).collect();
        let clean: Vec<_> = concrete.iter().map(|block| copies[block]).collect();
        let head = shape.concrete[&of.head];
        let versions = Versions {
            front,
            versions: [(head, &concrete), (copies[&head], &clean)],
        };
        let entry = match looks.ranges.is_empty() {
            true => front,
            false => self.count_iterations(&versions),
        };
        self.enter_at(of, head, entry);
        emit.builder().at_end(front);
        emit.builder().unlikely(dirty, head, copies[&head]);
        Some(CleanLoop {
            head: of.head,
            entry,
            copies: of.body.iter().copied().zip(clean).collect(),
            covered,
        })
    }

    /// Whether the front can look for an instruction that accesses memory; what it looks at then.
    fn covers(&self, i: Value<'m>, front: &mut Front<'_, 'm>, looks: &mut Looks<'m>) -> bool {
        let (address, ty) = match i.opcode() {
            LLVMOpcode::LLVMLoad => (i.operand(0), i.ty()),
            LLVMOpcode::LLVMStore => (i.operand(1), i.operand(0).ty()),
            _ => return false,
        };
        if is_slot(address) || i.is_volatile() || i.is_atomic() {
            return false;
        }
        let module = self.emit.module();
        if self.objects.is_concrete(address) {
            return false;
        }
        if let Some(object) = self.objects.object(address) {
            if objects::size(module, object).is_some_and(|size| (1..=SMALL).contains(&size)) {
                if !looks.objects.contains(&object) {
                    looks.objects.push(object);
                }
                return true;
            }
        }
        let Some(place) = front.linear(address) else {
            return false;
        };
        let (Some(root), true) = (place.root, place.step.unsigned_abs() <= LONGEST_STEP) else {
            return false;
        };
        let high = place.offset.checked_add(module.store_size_of(ty) as i64);
        high.is_some_and(|high| looks.range(root, place.offset, high, place.step))
    }

    /// Whether anything that the front looks at may have labels, at the emitter's place.
    fn look_ahead(&self, looks: &Looks<'m>, wrong: Vec<Value<'m>>) -> Value<'m> {
        let (emit, builder) = (self.emit, self.emit.builder());
        let wide = emit.module().int(64);
        let mut flags: Vec<_> = wrong
            .into_iter()
            .map(|wrong| builder.cast(LLVMOpcode::LLVMZExt, wrong, wide))
            .collect();
        for object in &looks.objects {
            let start = builder.cast(LLVMOpcode::LLVMPtrToInt, *object, wide);
            let more = objects::size(emit.module(), *object).unwrap_or(1) - 1;
            let arguments = [start, emit.u64(more), emit.u64(0), emit.u64(1)];
            flags.push(emit.call("flags_ahead", &arguments));
        }
        for range in &looks.ranges {
            let low = emit.u64(range.low as u64);
            let start = builder.binary(LLVMOpcode::LLVMAdd, range.root, low);
            let more = emit.u64((range.high - range.low - 1) as u64);
            let step = emit.u64(range.step as u64);
            let arguments = [start, more, step, emit.u64(ITERATIONS)];
            flags.push(emit.call("flags_ahead", &arguments));
        }
        let flags = flags.into_iter();
        let all = flags.reduce(|a, b| builder.binary(LLVMOpcode::LLVMOr, a, b));
        let all = all.unwrap_or_else(|| emit.u64(0));
        builder.compare(LLVMIntPredicate::LLVMIntNE, all, emit.u64(0))
    }

    /// Edges to the loop from outside in the concrete version go elsewhere.
    fn enter_at(&self, of: &Loop<'m>, head: Block<'m>, entry: Block<'m>) {
        for (block, copy) in &self.shape.concrete {
            if !of.body.contains(block) {
                redirect(*copy, head, entry);
            }
        }
    }

    /// Counts the iterations of both versions until the front looks again. Returns where the loop
    /// is to be entered.
    fn count_iterations(&self, of: &Versions<'_, 'm>) -> Block<'m> {
        let (emit, builder) = (self.emit, self.emit.builder());
        let module = emit.module();
        let wide = module.int(64);
        emit.before(self.shape.prologue.instructions()[0]);
        let left = builder.named_variable(wide, "iterations");
        builder.at_end(of.front);
        builder.store(emit.u64(ITERATIONS), left);
        // Blocks of their own, since those of the versions are instrumented.
        for (head, blocks) in &of.versions {
            let count = module.block_in(self.function);
            for block in *blocks {
                redirect(*block, *head, count);
            }
            builder.at_end(count);
            let now = builder.load(wide, left);
            let now = builder.binary(LLVMOpcode::LLVMSub, now, emit.u64(1));
            builder.store(now, left);
            let none = builder.compare(LLVMIntPredicate::LLVMIntEQ, now, emit.u64(0));
            builder.unlikely(none, of.front, *head);
        }
        let entry = module.block_in(self.function);
        builder.at_end(entry);
        builder.store(emit.u64(FIRST_ITERATIONS), left);
        builder.jump(of.versions[0].0);
        entry
    }
}

/// Makes the edges of a block to one block go to another.
fn redirect<'m>(block: Block<'m>, from: Block<'m>, to: Block<'m>) {
    let Some(end) = block.terminator() else {
        return;
    };
    for (index, successor) in block.successors().into_iter().enumerate() {
        if successor == from {
            end.set_successor(index, to);
        }
    }
}

impl<'m> Looks<'m> {
    /// Takes bytes in; false if they cannot be looked at.
    fn range(&mut self, root: Value<'m>, low: i64, high: i64, step: i64) -> bool {
        for range in &mut self.ranges {
            let (all_low, all_high) = (range.low.min(low), range.high.max(high));
            let near = all_high
                .checked_sub(all_low)
                .is_some_and(|bytes| bytes <= NEAR);
            if range.root == root && range.step == step && near {
                (range.low, range.high) = (all_low, all_high);
                return true;
            }
        }
        let short = high.checked_sub(low).is_some_and(|bytes| bytes <= NEAR);
        if short {
            self.ranges.push(Range {
                root,
                low,
                high,
                step,
            });
        }
        short
    }
}

/// Whether a loop does nothing but compute and access memory, and each of its ends only jumps.
fn may_be_clean<'m>(of: &Loop<'m>, concrete: &[Block<'m>]) -> bool {
    let ends = of.body.iter().all(|block| {
        let successors = block.successors();
        !successors.contains(&of.head) || successors.len() == 1
    });
    let mut instructions = concrete.iter().flat_map(|block| block.instructions());
    ends && of.body.len() <= MOST_BLOCKS && instructions.all(is_quiet)
}

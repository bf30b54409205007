//! A third version of inner loops, for while no label is where they are going to read or write.
//!
//! The concrete version looks at a flag for each access. Where a loop goes through arrays, the
//! flags of what it will touch can be looked at beforehand: when a loop has made a few turns, its
//! *front* computes from the variables which bytes the next [`TURNS`] turns may touch, and if no
//! flag of them is set, the *clean* version of the loop runs, in which these accesses are left
//! alone. After so many turns the front is asked again. An access of a small variable is answered
//! for by the whole variable, for any number of turns. Accesses of other kinds are looked at as
//! ever.
//!
//! Values between blocks are in variables, so the versions can be left for one another at every
//! edge. How often the loop runs need not be known: what the front looks at beyond its end can
//! only make it say no.
//!
//! Invariants: a loop that calls anything has no clean version, so that nothing can set a flag
//! while it runs; whatever is not an array with a constant step is not covered.

use std::collections::HashMap;

use labrys_llvm::{Block, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Value};

use super::function::FunctionPass;
use super::intrinsics::{is_computation, is_silent};
use super::linear::Front;
use super::markers::marker;
use super::objects;
use super::regions::Loop;
use super::versions::{Shape, copy, is_slot};

/// Turns of a loop that are looked ahead: the flags that an array of 8 bytes each has for them
/// are read at once.
const TURNS: u64 = 48;
/// Turns of a loop in the concrete version before the front is asked: in short loops it would
/// cost more than it saves.
const FIRST_TURNS: u64 = 8;
/// Variables of at most so many bytes are looked at as a whole: their flags are read at once.
const SMALL: u64 = 448;
/// Steps (bytes) beyond this are not looked at.
const LONGEST_STEP: u64 = 1 << 20;
/// Accesses whose bytes lie so near to each other are looked at together.
const NEAR: i64 = 256;
/// Loops of more blocks are left alone, since each is there once more.
const MOST_BLOCKS: usize = 48;

/// The clean version of a loop.
pub(super) struct Clean<'m> {
    pub(super) head: Block<'m>,
    /// Where the loop is to be entered while nothing has labels.
    pub(super) entry: Block<'m>,
    /// By block.
    pub(super) copies: HashMap<Block<'m>, Block<'m>>,
}

/// The concrete and the clean version of a loop, by head and blocks.
struct Turns<'a, 'm> {
    front: Block<'m>,
    versions: [(Block<'m>, &'a [Block<'m>]); 2],
}

/// What a loop touches, by turn: from `root + low` to `root + high`.
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

impl<'m> FunctionPass<'_, 'm> {
    /// Makes the clean versions of loops, as copies of their concrete ones.
    pub(super) fn clean_versions(&mut self, shape: &Shape<'m>) -> Vec<Clean<'m>> {
        let loops = shape.inner.iter();
        loops
            .filter_map(|one| self.clean_version(shape, one))
            .collect()
    }

    fn clean_version(&mut self, shape: &Shape<'m>, of: &Loop<'m>) -> Option<Clean<'m>> {
        let module = self.pass.module;
        let concrete: Vec<_> = of.body.iter().map(|block| shape.concrete[block]).collect();
        if !may_be_clean(of, &concrete) {
            return None;
        }
        let front = module.block_in(self.function);
        self.pass.helpers.builder.at_end(front);
        let mut linear = Front::new(module, &self.pass.helpers, &self.stores, of, TURNS);
        let mut looks = Looks::default();
        let accesses: Vec<_> = concrete.iter().flat_map(|b| b.instructions()).collect();
        let answers: Vec<bool> = accesses
            .iter()
            .map(|i| self.answer_for(*i, &mut linear, &mut looks))
            .collect();
        if !answers.contains(&true) {
            front.delete();
            return None;
        }
        let dirty = self.look_ahead(&looks, std::mem::take(&mut linear.wrong));
        let copies = copy(module, self.function, &concrete);
        let copied = concrete
            .iter()
            .flat_map(|block| copies[block].instructions());
        let covered = copied.zip(answers).filter(|(_, covered)| *covered);
        self.covered.extend(covered.map(|(i, _)| i));
        let clean: Vec<_> = concrete.iter().map(|block| copies[block]).collect();
        let head = shape.concrete[&of.head];
        let turns = Turns {
            front,
            versions: [(head, &concrete), (copies[&head], &clean)],
        };
        let entry = match looks.ranges.is_empty() {
            true => front,
            false => self.count_turns(shape, &turns),
        };
        self.enter_at(shape, of, head, entry);
        let builder = &self.pass.helpers.builder;
        builder.at_end(front);
        builder.unlikely(dirty, head, copies[&head]);
        Some(Clean {
            head: of.head,
            entry,
            copies: of.body.iter().copied().zip(clean).collect(),
        })
    }

    /// Whether the front answers for an instruction that accesses memory.
    fn answer_for(&self, i: Value<'m>, front: &mut Front<'_, 'm>, looks: &mut Looks<'m>) -> bool {
        let (address, ty) = match i.opcode() {
            LLVMOpcode::LLVMLoad => (i.operand(0), i.ty()),
            LLVMOpcode::LLVMStore => (i.operand(1), i.operand(0).ty()),
            _ => return false,
        };
        if is_slot(address) || i.is_volatile() || i.is_atomic() {
            return false;
        }
        let module = self.pass.module;
        if self.points_to_constant(address) {
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

    /// Whether anything that the front looks at may have labels, at the builder's position.
    fn look_ahead(&self, looks: &Looks<'m>, wrong: Vec<Value<'m>>) -> Value<'m> {
        let (h, module) = (&self.pass.helpers, self.pass.module);
        let wide = module.int(64);
        let mut flags: Vec<_> = wrong
            .into_iter()
            .map(|wrong| h.builder.cast(LLVMOpcode::LLVMZExt, wrong, wide))
            .collect();
        for object in &looks.objects {
            let start = h.builder.cast(LLVMOpcode::LLVMPtrToInt, *object, wide);
            let more = objects::size(module, *object).unwrap_or(1) - 1;
            let arguments = [start, h.u64(more), h.u64(0), h.u64(1)];
            flags.push(h.call("flags_ahead", &arguments));
        }
        for range in &looks.ranges {
            let low = h.u64(range.low as u64);
            let start = h.builder.binary(LLVMOpcode::LLVMAdd, range.root, low);
            let more = h.u64((range.high - range.low - 1) as u64);
            let arguments = [start, more, h.u64(range.step as u64), h.u64(TURNS)];
            flags.push(h.call("flags_ahead", &arguments));
        }
        let flags = flags.into_iter();
        let all = flags.reduce(|a, b| h.builder.binary(LLVMOpcode::LLVMOr, a, b));
        let all = all.unwrap_or_else(|| h.u64(0));
        h.builder
            .compare(LLVMIntPredicate::LLVMIntNE, all, h.u64(0))
    }

    /// Whatever comes to the loop from outside in the concrete version goes elsewhere.
    fn enter_at(&self, shape: &Shape<'m>, of: &Loop<'m>, head: Block<'m>, entry: Block<'m>) {
        for (block, copy) in &shape.concrete {
            if !of.body.contains(block) {
                lead(*copy, head, entry);
            }
        }
    }

    /// Counts the turns of both versions until the front is asked again. Returns where the loop
    /// is to be entered.
    fn count_turns(&self, shape: &Shape<'m>, turns: &Turns<'_, 'm>) -> Block<'m> {
        let (h, module) = (&self.pass.helpers, self.pass.module);
        let wide = module.int(64);
        h.builder.before(shape.prologue.instructions()[0]);
        let left = h.builder.named_variable(wide, "turns");
        h.builder.at_end(turns.front);
        h.builder.store(h.u64(TURNS), left);
        // Blocks of their own, since what is in the versions is instrumented.
        for (head, blocks) in &turns.versions {
            let count = module.block_in(self.function);
            for block in *blocks {
                lead(*block, *head, count);
            }
            h.builder.at_end(count);
            let now = h.builder.load(wide, left);
            let now = h.builder.binary(LLVMOpcode::LLVMSub, now, h.u64(1));
            h.builder.store(now, left);
            let none = h
                .builder
                .compare(LLVMIntPredicate::LLVMIntEQ, now, h.u64(0));
            h.builder.unlikely(none, turns.front, *head);
        }
        let entry = module.block_in(self.function);
        h.builder.at_end(entry);
        h.builder.store(h.u64(FIRST_TURNS), left);
        h.builder.jump(turns.versions[0].0);
        entry
    }
}

/// Makes a block that goes on in one block go on in another.
fn lead<'m>(block: Block<'m>, from: Block<'m>, to: Block<'m>) {
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

/// Whether an instruction can set no flag and takes no memory.
fn is_quiet(i: Value<'_>) -> bool {
    use LLVMOpcode as O;
    match i.opcode() {
        O::LLVMAlloca | O::LLVMFence | O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg | O::LLVMVAArg => {
            false
        }
        O::LLVMCall => {
            let direct = i.called().kind() == LLVMValueKind::LLVMFunctionValueKind;
            let name = direct.then(|| i.called().name());
            name.is_some_and(|name| {
                marker(&name).is_some() || is_computation(&name) || is_silent(&name)
            })
        }
        // Pointers of other kinds of memory do not lie where flags are.
        O::LLVMLoad => is_usual(i.operand(0)),
        O::LLVMStore => is_usual(i.operand(1)),
        _ => true,
    }
}

fn is_usual(address: Value<'_>) -> bool {
    let ty = address.ty();
    ty.kind() == LLVMTypeKind::LLVMPointerTypeKind && ty.address_space() == 0
}

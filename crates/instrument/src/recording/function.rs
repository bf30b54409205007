//! One function: labels of its values, block by block, and the changes between its versions.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Type, Value};

use super::Pass;
use super::ahead::Clean;
use super::objects::{Objects, Stores};
use super::versions::{Shape, is_slot, shape};

/// The label of one scalar: `None` is the constant 0.
pub(super) type Label<'m> = Option<Value<'m>>;

/// One label per scalar of a value, in order.
pub(super) type Labels<'m> = Vec<Label<'m>>;

/// The work on one function.
pub(super) struct FunctionPass<'p, 'm> {
    pub(super) pass: &'p Pass<'m>,
    pub(super) function: Value<'m>,
    /// Whether this is a library model: its own variables are not announced.
    pub(super) model: bool,
    /// Whether a variable of this function was announced.
    pub(super) announced: bool,
    /// Serial number of the labels of the variable arguments.
    pub(super) serial: Option<Value<'m>>,
    labels: HashMap<Value<'m>, Labels<'m>>,
    /// Label variables by the variable that holds the value.
    pub(super) slots: HashMap<Value<'m>, Labels<'m>>,
    /// What its addresses point into.
    pub(super) objects: Objects<'m>,
    pub(super) stores: Stores<'m>,
    /// Accesses of clean versions of loops that need no look.
    pub(super) covered: HashSet<Value<'m>>,
    /// In the version at hand: comparisons by the variable that holds the result.
    pub(super) comparisons: HashMap<Value<'m>, Vec<Value<'m>>>,
    /// Whether the block at hand is in a loop of the concrete version.
    pub(super) repeated: bool,
    /// Conditions that had an event in this block.
    pub(super) decided: HashSet<Value<'m>>,
    /// Whether the block at hand is of the concrete version.
    pub(super) concrete: bool,
    /// In the concrete version: not 0 if this block met labels.
    pub(super) met: Option<Value<'m>>,
    /// In the concrete version: address and size of what this block loaded.
    pub(super) loads: Vec<(Value<'m>, u64)>,
    /// In the concrete version: the call that ends this block and may have left labels.
    pub(super) left: Option<Value<'m>>,
}

/// The comparisons whose results are kept in variables, by these, also where one variable is copied
/// to the next: what is compared behind a loop is often compared at its last turn.
fn stored_comparisons<'m>(blocks: &[Vec<Value<'m>>]) -> HashMap<Value<'m>, Vec<Value<'m>>> {
    use LLVMOpcode as O;
    let is_instruction = |value: Value| value.kind() == LLVMValueKind::LLVMInstructionValueKind;
    let stores = blocks.iter().flatten().filter(|i| {
        i.opcode() == O::LLVMStore && is_slot(i.operand(1)) && is_instruction(i.operand(0))
    });
    let mut stored: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut copied: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut new = Vec::new();
    for store in stores {
        let [value, slot] = [0, 1].map(|operand| store.operand(operand));
        match value.opcode() {
            O::LLVMICmp | O::LLVMFCmp => new.push((slot, value)),
            O::LLVMLoad => copied.entry(value.operand(0)).or_default().push(slot),
            _ => {}
        }
    }
    while let Some((slot, comparison)) = new.pop() {
        let known = stored.entry(slot).or_default();
        if !known.contains(&comparison) {
            known.push(comparison);
            let copies = copied.get(&slot).into_iter().flatten();
            new.extend(copies.map(|copy| (*copy, comparison)));
        }
    }
    stored
}

/// The scalars of a type, flattened. A type without labels (vectors, 80-bit floats, integers
/// of more than 128 bits) counts as one scalar.
pub(super) fn scalars(ty: Type<'_>) -> Vec<Type<'_>> {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => {
            ty.struct_elements().into_iter().flat_map(scalars).collect()
        }
        LLVMTypeKind::LLVMArrayTypeKind if ty.array_len() <= 64 => {
            let element = scalars(ty.element());
            (0..ty.array_len()).flat_map(|_| element.clone()).collect()
        }
        LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
        _ => vec![ty],
    }
}

/// Width in bits of a scalar that can carry a label.
pub(super) fn width(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => ty.int_width().filter(|w| *w <= 128),
        LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => Some(64),
        LLVMTypeKind::LLVMFloatTypeKind => Some(32),
        _ => None,
    }
}

impl<'p, 'm> FunctionPass<'p, 'm> {
    /// Instruments `function`.
    pub(super) fn run(pass: &'p Pass<'m>, function: Value<'m>, model: bool) {
        let shape = shape(pass.module, function);
        let mut all = vec![shape.prologue];
        all.extend(&shape.blocks);
        let stores = Stores::new(&all, &shape.slots);
        let mut this = FunctionPass {
            pass,
            function,
            model,
            announced: false,
            serial: None,
            labels: HashMap::new(),
            slots: HashMap::new(),
            objects: Objects::of(&stores, shape.prologue),
            stores,
            covered: HashSet::new(),
            comparisons: HashMap::new(),
            repeated: false,
            decided: HashSet::new(),
            concrete: false,
            met: None,
            loads: Vec::new(),
            left: None,
        };
        let prologue = shape.prologue.instructions();
        let blocks = shape.blocks.iter();
        let symbolic: Vec<_> = blocks.map(|block| block.instructions()).collect();
        this.comparisons = stored_comparisons(&symbolic);
        this.label_variables(&shape);
        this.enter(&prologue);
        this.enter_variadic(&prologue, &symbolic);
        for instructions in std::iter::once(&prologue).chain(&symbolic) {
            this.decided.clear();
            for i in instructions {
                this.instruction(*i);
            }
        }
        if !shape.concrete.is_empty() {
            this.concrete_version(&shape);
        }
    }

    /// Gives each slot a label variable for each scalar.
    fn label_variables(&mut self, shape: &Shape<'m>) {
        let h = &self.pass.helpers;
        let Some(end) = shape.prologue.instructions().first().copied() else {
            return;
        };
        let u32 = self.pass.module.int(32);
        for slot in &shape.slots {
            let variable = |ty| {
                width(ty).map(|_| {
                    h.builder.before(end);
                    let variable = h.builder.named_variable(u32, "label");
                    h.builder.store(h.u32(0), variable);
                    variable
                })
            };
            let scalars = scalars(slot.allocated_type()).into_iter();
            self.slots.insert(*slot, scalars.map(variable).collect());
        }
    }

    /// Instruments the concrete version and joins it with the symbolic one.
    fn concrete_version(&mut self, shape: &Shape<'m>) {
        self.concrete = true;
        let clean = self.clean_versions(shape);
        let versions = || std::iter::once(&shape.concrete).chain(clean.iter().map(|c| &c.copies));
        let copies = versions().flat_map(HashMap::values);
        let copies: Vec<_> = copies.map(|copy| copy.instructions()).collect();
        self.comparisons = stored_comparisons(&copies);
        for copies in versions() {
            for block in &shape.blocks {
                if let Some(copy) = copies.get(block) {
                    self.repeated = shape.repeated.contains(block);
                    self.concrete_block(shape, *block, *copy);
                }
            }
        }
        for (head, ends) in &shape.heads {
            self.return_to_concrete(shape, &clean, *head, ends);
        }
        // A call begins in the concrete version unless a parameter has a label, or every
        // decision is recorded.
        let Some(end) = shape.prologue.terminator() else {
            return;
        };
        let symbolic = shape.prologue.successors()[0];
        let Some(concrete) = shape.concrete.get(&symbolic) else {
            return;
        };
        let values = shape.prologue.instructions().into_iter();
        let values = self.function.params().into_iter().chain(values);
        let mut labels: Vec<_> = values.flat_map(|v| self.labels_of(v)).flatten().collect();
        let builder = &self.pass.helpers.builder;
        builder.before(end);
        labels.push(self.pass.helpers.call("all_branches_wanted", &[]));
        match self.any(&labels) {
            Some(any) => builder.unlikely(any, symbolic, *concrete),
            None => builder.jump(*concrete),
        }
        end.erase();
    }

    fn concrete_block(&mut self, shape: &Shape<'m>, block: Block<'m>, copy: Block<'m>) {
        self.met = None;
        self.loads.clear();
        self.left = None;
        self.leave_region(shape, block, copy);
        for i in copy.instructions() {
            self.instruction(i);
        }
        self.leave_concrete(shape, block, copy);
    }

    /// Edges of the concrete version to blocks that have only a symbolic one.
    fn leave_region(&self, shape: &Shape<'m>, block: Block<'m>, copy: Block<'m>) {
        let Some(end) = copy.terminator() else { return };
        for (index, successor) in block.successors().into_iter().enumerate() {
            if !shape.concrete.contains_key(&successor) {
                end.set_successor(index, self.door(shape, copy, successor));
            }
        }
    }

    /// A new block behind another that goes on in the symbolic version.
    fn door(&self, shape: &Shape<'m>, behind: Block<'m>, symbolic: Block<'m>) -> Block<'m> {
        let door = self.pass.module.block_after(behind);
        let builder = &self.pass.helpers.builder;
        builder.at_end(door);
        self.no_labels(shape, symbolic);
        builder.jump(symbolic);
        door
    }

    /// Nothing that is live where a block begins has a label.
    fn no_labels(&self, shape: &Shape<'m>, block: Block<'m>) {
        for slot in &shape.live[&block] {
            for place in self.label_places(*slot) {
                let h = &self.pass.helpers;
                h.builder.store(h.u32(0), place);
            }
        }
    }

    /// The label variables of a slot.
    fn label_places(&self, slot: Value<'m>) -> Vec<Value<'m>> {
        self.slots
            .get(&slot)
            .into_iter()
            .flatten()
            .filter_map(|place| *place)
            .collect()
    }

    /// Whether any of these numbers is not 0, at the builder's position.
    pub(super) fn any(&self, numbers: &[Value<'m>]) -> Option<Value<'m>> {
        let builder = &self.pass.helpers.builder;
        let all = numbers
            .iter()
            .copied()
            .reduce(|a, b| builder.binary(LLVMOpcode::LLVMOr, a, b))?;
        Some(builder.compare(LLVMIntPredicate::LLVMIntNE, all, all.ty().zero()))
    }

    /// Ends a block of the concrete version that met labels: it is done again with labels, or
    /// the labels of its call's results are taken.
    fn leave_concrete(&self, shape: &Shape<'m>, block: Block<'m>, copy: Block<'m>) {
        let h = &self.pass.helpers;
        let Some(end) = copy.terminator() else { return };
        h.builder.before(end);
        let Some(met) = self.met.and_then(|met| self.any(&[met])) else {
            return;
        };
        let next = copy.successors()[0];
        let rare = self.pass.module.block_after(copy);
        h.builder.unlikely(met, rare, next);
        end.erase();
        let Some(call) = self.left else {
            let door = self.door(shape, rare, block);
            h.builder.at_end(rare);
            let words = self.shadow_of_loads();
            return match self.any(words.as_slice()) {
                Some(any) => h.builder.unlikely(any, door, next),
                None => h.builder.jump(next),
            };
        };
        let after = block.successors()[0];
        h.builder.at_end(rare);
        self.no_labels(shape, after);
        let labels = self.result_labels(call);
        let stores = copy.instructions().into_iter();
        for store in stores.filter(|i| i.opcode() == LLVMOpcode::LLVMStore) {
            let places = self.slots.get(&store.operand(1));
            let Some(places) = places.filter(|_| store.operand(0) == call) else {
                continue;
            };
            for (place, label) in places.iter().zip(&labels) {
                if let Some(place) = place {
                    h.builder.store(self.operand(*label), *place);
                }
            }
        }
        h.builder.jump(after);
    }

    /// At the head of a loop, the symbolic version goes on in the concrete one if no live value
    /// has a label.
    fn return_to_concrete(
        &self,
        shape: &Shape<'m>,
        clean: &[Clean<'m>],
        head: Block<'m>,
        ends: &[Value<'m>],
    ) {
        let module = self.pass.module;
        let builder = &self.pass.helpers.builder;
        let look = module.block_after(head);
        for end in ends {
            for (index, successor) in end.parent().successors().into_iter().enumerate() {
                if successor == head {
                    end.set_successor(index, look);
                }
            }
        }
        builder.at_end(look);
        let live = shape.live[&head].iter();
        let places = live.flat_map(|slot| self.label_places(*slot));
        let mut labels: Vec<_> = places
            .map(|place| builder.load(module.int(32), place))
            .collect();
        labels.push(self.pass.helpers.call("all_branches_wanted", &[]));
        let clean = clean.iter().find(|clean| clean.head == head);
        let concrete = clean.map_or(shape.concrete[&head], |clean| clean.entry);
        match self.any(&labels) {
            Some(any) => builder.unlikely(any, head, concrete),
            None => builder.jump(concrete),
        }
    }

    /// Labels of a value. Constants and values of unreachable code have none.
    pub(super) fn labels_of(&self, value: Value<'m>) -> Labels<'m> {
        match self.labels.get(&value) {
            Some(labels) => labels.clone(),
            None => vec![None; scalars(value.ty()).len()],
        }
    }

    /// Label of a scalar value.
    pub(super) fn label_of(&self, value: Value<'m>) -> Label<'m> {
        self.labels
            .get(&value)
            .and_then(|labels| labels.first().copied().flatten())
    }

    pub(super) fn set_labels(&mut self, value: Value<'m>, labels: Labels<'m>) {
        if labels.iter().any(Option::is_some) {
            self.labels.insert(value, labels);
        }
    }

    pub(super) fn set_label(&mut self, value: Value<'m>, label: Value<'m>) {
        self.labels.insert(value, vec![Some(label)]);
    }

    /// A label as an operand.
    pub(super) fn operand(&self, label: Label<'m>) -> Value<'m> {
        label.unwrap_or_else(|| self.pass.helpers.u32(0))
    }

    /// The bits of a scalar of at most 64 bits, zero-extended to `i64`.
    pub(super) fn bits(&self, value: Value<'m>) -> Value<'m> {
        let module = self.pass.module;
        let builder = &self.pass.helpers.builder;
        let ty = value.ty();
        let i64 = module.int(64);
        match ty.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => builder.cast(LLVMOpcode::LLVMPtrToInt, value, i64),
            LLVMTypeKind::LLVMDoubleTypeKind => builder.cast(LLVMOpcode::LLVMBitCast, value, i64),
            LLVMTypeKind::LLVMFloatTypeKind => {
                let bits = builder.cast(LLVMOpcode::LLVMBitCast, value, module.int(32));
                builder.cast(LLVMOpcode::LLVMZExt, bits, i64)
            }
            _ => match ty.int_width() {
                Some(64) => value,
                Some(w) if w < 64 => builder.cast(LLVMOpcode::LLVMZExt, value, i64),
                _ => builder.cast(LLVMOpcode::LLVMTrunc, value, i64),
            },
        }
    }

    /// The low and high 64 bits of a scalar of at most 128 bits.
    pub(super) fn halves(&self, value: Value<'m>) -> (Value<'m>, Value<'m>) {
        let module = self.pass.module;
        let builder = &self.pass.helpers.builder;
        let low = self.bits(value);
        match value.ty().int_width() {
            Some(w) if w > 64 => {
                let i128 = module.int(128);
                let wide = if w == 128 {
                    value
                } else {
                    builder.cast(LLVMOpcode::LLVMZExt, value, i128)
                };
                let shifted = builder.binary(LLVMOpcode::LLVMLShr, wide, module.const_int(128, 64));
                (
                    low,
                    builder.cast(LLVMOpcode::LLVMTrunc, shifted, module.int(64)),
                )
            }
            _ => (low, self.pass.helpers.u64(0)),
        }
    }
}

/// Reachable blocks, each before its successors but for back edges.
pub(super) fn reverse_postorder(function: Value<'_>) -> Vec<Block<'_>> {
    let Some(entry) = function.blocks().first().copied() else {
        return Vec::new();
    };
    let mut seen = HashSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, entry.successors(), 0)];
    while let Some((block, successors, next)) = stack.last_mut() {
        if let Some(successor) = successors.get(*next).copied() {
            *next += 1;
            if seen.insert(successor) {
                stack.push((successor, successor.successors(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

//! The loads and stores of globals whose accesses are all known.
//!
//! Law: a variable counts only if it has no name outside of the program and its address is used to
//! load and to store, for nothing else.

use std::collections::BTreeMap;

use labrys_program::{
    Constant, ConstantId, Function, FunctionId, Global, GlobalId, Linkage, Operand, Operation,
    POINTER_SIZE, Program, RelocationTarget, ValueId,
};
use rustc_hash::FxHashMap;

use super::GlobalPart;
use super::item::{Item, relocated};
use crate::second_returns::SecondReturns;

/// The largest part that is tracked: a number of 128 bits.
const MAX_SIZE: u64 = 16;

/// A store of a value to a part of a global.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) function: FunctionId,
    pub(crate) value: Operand,
}

/// The globals whose stores are all known, with these, and the loads from them.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// By global; `None` if something else may store there.
    stores: Vec<Option<BTreeMap<GlobalPart, Vec<Stored>>>>,
    /// The global that a value was loaded from, the offset if it is known, and the size.
    loads: FxHashMap<(FunctionId, ValueId), (GlobalId, Option<i64>, u64)>,
}

/// The content of a part of a global.
pub(crate) enum Content {
    /// Its content when the program began.
    Initial(Item),
    /// The values of the stores to just this part.
    Cell,
    Unknown,
}

impl Accesses {
    pub(crate) fn of(program: &Program, second_returns: &SecondReturns) -> Self {
        let known = |global: &Global| {
            // Names of LLVM's own are read by nobody.
            let plain = global.linkage == Linkage::Internal && !global.name.starts_with("llvm.");
            (plain && global.initializer.is_some()).then(BTreeMap::new)
        };
        let mut accesses = Accesses {
            stores: program.globals.iter().map(known).collect(),
            loads: FxHashMap::default(),
        };
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId::new(index);
            accesses.add(program, id, function, second_returns.are_in(id));
        }
        for relocation in program.relocations() {
            if let RelocationTarget::Global(id, _) = relocation.target {
                accesses.stores[id.index()] = None;
            }
        }
        accesses
    }

    /// The accesses of a function. Where control comes back into it, its values may be others than its
    /// instructions say, so nothing is known of offsets but those of constants.
    fn add(&mut self, program: &Program, id: FunctionId, function: &Function, is_vague: bool) {
        let whole = |address: Operand, offset: Option<i64>| {
            offset.filter(|_| !is_vague || matches!(address, Operand::Constant(_)))
        };
        let places = places(program, function);
        for block in &function.blocks {
            for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
                self.escape(program, &places, *operand);
            }
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Load { address, size, .. } => {
                        match place(program, &places, *address) {
                            Some((global, offset)) => {
                                let offset = whole(*address, offset);
                                let result = instruction.result.map(|result| (id, result));
                                let loads = result.map(|key| (key, (global, offset, *size)));
                                self.loads.extend(loads);
                            }
                            None => self.escape(program, &places, *address),
                        }
                    }
                    Operation::Store {
                        address,
                        value,
                        size,
                        ..
                    } => {
                        self.escape(program, &places, *value);
                        let stored = Stored {
                            function: id,
                            value: *value,
                        };
                        match place(program, &places, *address) {
                            Some((global, offset)) => {
                                let offset = whole(*address, offset);
                                self.store(program, global, offset, *size, stored);
                            }
                            None => self.escape(program, &places, *address),
                        }
                    }
                    Operation::Address { base, terms, .. } => {
                        for term in terms {
                            self.escape(program, &places, term.index);
                        }
                        if place(program, &places, *base).is_none() {
                            self.escape(program, &places, *base);
                        }
                    }
                    operation => operation
                        .visit_operands(&mut |operand| self.escape(program, &places, operand)),
                }
            }
            block
                .terminator
                .visit_operands(&mut |operand| self.escape(program, &places, operand));
        }
    }

    fn store(
        &mut self,
        program: &Program,
        global: GlobalId,
        offset: Option<i64>,
        size: u64,
        stored: Stored,
    ) {
        let offset = offset.and_then(|offset| u64::try_from(offset).ok());
        let whole = program.globals[global.index()].size;
        let inside = offset.filter(|at| at.checked_add(size).is_some_and(|end| end <= whole));
        let stores = &mut self.stores[global.index()];
        match (inside, stores.as_mut()) {
            (Some(offset), Some(stores)) => {
                stores.entry((offset, size)).or_default().push(stored);
            }
            _ => *stores = None,
        }
    }

    /// The address may be used in ways that are not tracked.
    fn escape(&mut self, program: &Program, places: &FxHashMap<ValueId, Place>, operand: Operand) {
        match operand {
            Operand::Value(value) => {
                if let Some((global, _)) = places.get(&value) {
                    self.stores[global.index()] = None;
                }
            }
            Operand::Constant(id) => self.escape_constant(program, id),
        }
    }

    fn escape_constant(&mut self, program: &Program, id: ConstantId) {
        let Some(constant) = program.constant(id) else {
            return;
        };
        if let Constant::Global(global) = constant {
            self.stores[global.index()] = None;
        }
        for child in constant.children() {
            if child < id {
                self.escape_constant(program, child);
            }
        }
    }

    /// The parts of globals to which the program stores, of globals whose stores are all known.
    pub(crate) fn stored_parts(&self) -> impl Iterator<Item = (GlobalId, GlobalPart)> {
        let globals = self.stores.iter().enumerate();
        globals.flat_map(|(index, stores)| {
            let parts = stores.iter().flat_map(BTreeMap::keys);
            parts.map(move |part| (GlobalId::new(index), *part))
        })
    }

    /// The stores to a part, in any order.
    pub(crate) fn stores_to(&self, global: GlobalId, part: GlobalPart) -> &[Stored] {
        let stores = self.stores[global.index()].as_ref();
        let stores = stores.and_then(|stores| stores.get(&part));
        stores.map_or(&[], |stores| &stores[..])
    }

    /// All stores to a global; `None` if something else may store there.
    pub(crate) fn all_stores_to(&self, global: GlobalId) -> Option<impl Iterator<Item = &Stored>> {
        let stores = self.stores[global.index()].as_ref()?;
        Some(stores.values().flatten())
    }

    /// The global that a pointer was loaded from, wherever in it.
    pub(crate) fn table_of(&self, function: FunctionId, value: ValueId) -> Option<GlobalId> {
        let (global, _, size) = *self.loads.get(&(function, value))?;
        (size == POINTER_SIZE).then_some(global)
    }

    /// The part of a global that a value was loaded from, if the offset is known.
    pub(crate) fn loaded(
        &self,
        function: FunctionId,
        value: ValueId,
    ) -> Option<(GlobalId, GlobalPart)> {
        let (global, offset, size) = *self.loads.get(&(function, value))?;
        Some((global, (u64::try_from(offset?).ok()?, size)))
    }

    /// The content of a part of a global.
    pub(crate) fn content(&self, program: &Program, global: GlobalId, part: GlobalPart) -> Content {
        let Some(stores) = &self.stores[global.index()] else {
            return Content::Unknown;
        };
        let overlap = |a: GlobalPart, b: GlobalPart| {
            a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
        };
        let mut overlapping = stores.keys().filter(|other| overlap(**other, part));
        match (overlapping.next(), overlapping.next()) {
            (None, _) => {
                let initial = initial(program, global, part);
                initial.map_or(Content::Unknown, Content::Initial)
            }
            (Some(other), None) if *other == part => Content::Cell,
            _ => Content::Unknown,
        }
    }
}

/// The content of a part of a global when the program begins, if that is one item.
pub(crate) fn initial(
    program: &Program,
    global: GlobalId,
    (offset, size): GlobalPart,
) -> Option<Item> {
    let global = &program.globals[global.index()];
    let initializer = global.initializer.as_ref()?;
    let end = offset.checked_add(size)?;
    if size == 0 || size > MAX_SIZE || end > global.size {
        return None;
    }
    let mut relocations = initializer.relocations.iter().filter(|relocation| {
        relocation.offset < end
            && offset < relocation.offset.saturating_add(relocation.target.size())
    });
    if let Some(relocation) = relocations.next() {
        let whole = relocation.offset == offset && relocation.target.size() == size;
        return relocated(program, &relocation.target).filter(|_| whole);
    }
    let byte = |at: u64| {
        let index = usize::try_from(at).ok();
        let byte = index.and_then(|index| initializer.bytes.get(index));
        u128::from(byte.copied().unwrap_or(0))
    };
    let bits = (offset..end).rev().fold(0, |bits, at| bits << 8 | byte(at));
    Some(Item::Number(bits))
}

/// A global and the offset in it, if that is known.
pub(crate) type Place = (GlobalId, Option<i64>);

/// The place at an address.
pub(crate) fn place(
    program: &Program,
    places: &FxHashMap<ValueId, Place>,
    operand: Operand,
) -> Option<Place> {
    match operand {
        Operand::Value(value) => places.get(&value).copied(),
        Operand::Constant(id) => constant_place(program, id),
    }
}

fn constant_place(program: &Program, id: ConstantId) -> Option<Place> {
    match program.constant(id)? {
        Constant::Global(global) => Some((*global, Some(0))),
        Constant::Offset { base, offset } if *base < id => {
            let (global, before) = constant_place(program, *base)?;
            Some((global, before.and_then(|at| at.checked_add(*offset))))
        }
        _ => None,
    }
}

/// The values of a function that are addresses in globals.
pub(crate) fn places(program: &Program, function: &Function) -> FxHashMap<ValueId, Place> {
    let mut places: FxHashMap<ValueId, Place> = FxHashMap::default();
    loop {
        let before = places.len();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Address {
                base,
                offset,
                terms,
            } = &instruction.operation
            else {
                continue;
            };
            if let (Some((global, at)), Some(result)) =
                (place(program, &places, *base), instruction.result)
            {
                let at = at.filter(|_| terms.is_empty());
                places.insert(result, (global, at.and_then(|at| at.checked_add(*offset))));
            }
        }
        if places.len() == before {
            return places;
        }
    }
}

//! Symbolic memory, going forward: cells of objects that a block wrote, over the cells that were
//! there before it.
//!
//! Law: what is not known is havocked: a write to an address of which no object is known may write
//! every object whose address is kept or passed on, and a read there is a new symbol.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use labrys_analysis::Effects;
use labrys_expr::ExprId;
use labrys_program::GlobalId;

use crate::cases::cases;
use crate::terms::{Object, ObjectId, ObjectKind, Terms, Variable};

/// Elements of an object that an access at an offset that is not fixed is spread over.
const MAX_ELEMENTS: u64 = 64;

/// Cells that such an access is spread over, of those that a path wrote that is tried.
const MAX_WRITTEN: usize = 128;

/// The content of some bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    size: u32,
    value: ExprId,
}

#[derive(Clone, Debug, Default)]
struct Contents {
    /// What was written, by object and offset; cells do not overlap.
    cells: BTreeMap<(ObjectId, u64), Cell>,
    /// Objects whose other bytes are not those from before the block.
    clobbered: BTreeSet<ObjectId>,
    /// Whether that holds for all objects that are not private.
    shared: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    contents: Rc<Contents>,
    /// Whether the program has just started, so that globals hold their initial values.
    initial: bool,
}

impl Memory {
    /// Memory in which nothing was written yet.
    pub(crate) fn new(initial: bool) -> Self {
        Memory {
            contents: Rc::default(),
            initial,
        }
    }

    /// The bytes at an address.
    pub(crate) fn read(&mut self, terms: &mut Terms<'_>, address: ExprId, size: u32) -> ExprId {
        if !terms.is_trial() {
            return self.read_at(terms, address, size);
        }
        if let Some((object, offset)) = terms.root(address)
            && let ObjectKind::Global(id) = terms.object(object).kind
            && terms.pool().bits(offset).is_none()
            && let Some(input) = terms.input(id, offset, size)
        {
            return input;
        }
        let mut value = None;
        for (condition, address) in cases(terms.pool_mut(), address) {
            let one = self.read_at(terms, address, size);
            value = Some(match value {
                Some(other) => terms.pool_mut().ite(condition, one, other),
                None => one,
            });
        }
        value.unwrap_or_else(|| terms.fresh(8 * size))
    }

    fn read_at(&mut self, terms: &mut Terms<'_>, address: ExprId, size: u32) -> ExprId {
        let Some((object, offset)) = terms.root(address) else {
            return terms.fresh(8 * size);
        };
        if is_unstable(terms, &terms.object(object)) {
            return terms.fresh(8 * size);
        }
        let Some(bits) = terms.pool().bits(offset) else {
            return self.read_element(terms, object, offset, size);
        };
        self.read_cell(terms, object, bits as u64, size)
    }

    /// The bytes at a fixed offset of an object.
    pub(crate) fn read_cell(
        &mut self,
        terms: &mut Terms<'_>,
        object: ObjectId,
        offset: u64,
        size: u32,
    ) -> ExprId {
        let known = terms.object(object);
        let end = offset.checked_add(u64::from(size));
        let inside = end.is_some_and(|end| known.size.is_none_or(|bytes| end <= bytes));
        if !inside || is_unstable(terms, &known) {
            return terms.fresh(8 * size);
        }
        if let Some(cell) = self.contents.cells.get(&(object, offset))
            && cell.size == size
        {
            return cell.value;
        }
        if size > 1 && !self.overlapping(object, offset, size).is_empty() {
            let mut value = self.read_byte(terms, object, offset);
            for index in 1..u64::from(size) {
                let byte = self.read_byte(terms, object, offset + index);
                value = terms.pool_mut().concat(byte, value);
            }
            return value;
        }
        if size == 1 {
            return self.read_byte(terms, object, offset);
        }
        self.read_before(terms, object, offset, size)
    }

    fn read_byte(&mut self, terms: &mut Terms<'_>, object: ObjectId, offset: u64) -> ExprId {
        match self.overlapping(object, offset, 1).first() {
            Some((at, cell)) => {
                let low = 8 * (offset - at) as u32;
                terms.pool_mut().extract(cell.value, low, 8)
            }
            None => self.read_before(terms, object, offset, 1),
        }
    }

    /// Bytes that the block did not write by a fixed offset.
    fn read_before(
        &mut self,
        terms: &mut Terms<'_>,
        object: ObjectId,
        offset: u64,
        size: u32,
    ) -> ExprId {
        let known = terms.object(object);
        let clobbered = !known.constant
            && (self.contents.clobbered.contains(&object)
                || self.contents.shared && !known.private);
        if clobbered {
            let value = terms.fresh(8 * size);
            let cell = Cell { size, value };
            Rc::make_mut(&mut self.contents)
                .cells
                .insert((object, offset), cell);
            return value;
        }
        let input = match known.kind {
            ObjectKind::Global(id) => {
                let offset = terms.constant(64, offset.into());
                terms.input(id, offset, size)
            }
            ObjectKind::Heap(_, true) => Some(terms.constant(8 * size, 0)),
            _ => None,
        };
        if let Some(input) = input {
            return input;
        }
        let begins = match known.kind {
            ObjectKind::Global(id) if known.constant => terms.initial(id, offset, size),
            ObjectKind::Global(id) => single(terms, id, offset, size)
                .or_else(|| self.initial.then(|| terms.initial(id, offset, size))?),
            _ => None,
        };
        match begins {
            Some(value) => value,
            None if known.constant || self.initial => terms.fresh(8 * size),
            None => terms.variable(Variable::Cell(object, offset, size), 8 * size),
        }
    }

    /// The bytes at an offset that is not fixed, of an object of few elements.
    fn read_element(
        &mut self,
        terms: &mut Terms<'_>,
        object: ObjectId,
        offset: ExprId,
        size: u32,
    ) -> ExprId {
        let mut value = terms.fresh(8 * size);
        let mut all: Vec<u64> = elements(terms, object, size).collect();
        if all.is_empty() && terms.is_trial() {
            all = self.written(object, size);
        }
        for at in all {
            let element = self.read_cell(terms, object, at, size);
            let here = terms.constant(64, u128::from(at));
            let is_here = terms.pool_mut().eq(offset, here);
            value = terms.pool_mut().ite(is_here, element, value);
        }
        value
    }

    /// Writes to an address.
    pub(crate) fn write(&mut self, terms: &mut Terms<'_>, address: ExprId, value: ExprId) {
        if !terms.is_trial() {
            self.write_at(terms, address, value);
            return;
        }
        for (condition, address) in cases(terms.pool_mut(), address) {
            let mut value = value;
            if condition != ExprId::TRUE {
                let size = terms.pool().width(value) / 8;
                let old = self.read_at(terms, address, size);
                value = terms.pool_mut().ite(condition, value, old);
            }
            self.write_at(terms, address, value);
        }
    }

    fn write_at(&mut self, terms: &mut Terms<'_>, address: ExprId, value: ExprId) {
        let size = terms.pool().width(value) / 8;
        let Some((object, offset)) = terms.root(address) else {
            self.clobber_at(terms, Some(address));
            return;
        };
        let Some(bits) = terms.pool().bits(offset) else {
            self.write_element(terms, object, offset, value);
            return;
        };
        self.write_cell(terms, object, bits as u64, Cell { size, value });
    }

    fn write_cell(&mut self, terms: &mut Terms<'_>, object: ObjectId, offset: u64, cell: Cell) {
        for (at, old) in self.overlapping(object, offset, cell.size) {
            Rc::make_mut(&mut self.contents).cells.remove(&(object, at));
            for index in 0..u64::from(old.size) {
                let byte = at + index;
                if byte < offset || byte >= offset + u64::from(cell.size) {
                    let value = terms.pool_mut().extract(old.value, 8 * index as u32, 8);
                    let rest = Cell { size: 1, value };
                    Rc::make_mut(&mut self.contents)
                        .cells
                        .insert((object, byte), rest);
                }
            }
        }
        Rc::make_mut(&mut self.contents)
            .cells
            .insert((object, offset), cell);
    }

    /// Writes at an offset that is not fixed: one element of an object of few elements that are
    /// accessed one by one, or any bytes.
    fn write_element(
        &mut self,
        terms: &mut Terms<'_>,
        object: ObjectId,
        offset: ExprId,
        value: ExprId,
    ) {
        let size = terms.pool().width(value) / 8;
        let mut elements: Vec<u64> = elements(terms, object, size).collect();
        if terms.is_trial() {
            if elements.is_empty() {
                elements = self.written(object, size);
            }
        } else if elements.is_empty() || !is_multiple(terms, offset, u64::from(size)) {
            self.clobber(object);
            return;
        }
        for at in elements {
            let old = self.read_cell(terms, object, at, size);
            let here = terms.constant(64, u128::from(at));
            let is_here = terms.pool_mut().eq(offset, here);
            let value = terms.pool_mut().ite(is_here, value, old);
            self.write_cell(terms, object, at, Cell { size, value });
        }
    }

    /// The offsets of cells of a size: while a path is tried, others are not met by an access of
    /// which the offset is not fixed.
    fn written(&self, object: ObjectId, size: u32) -> Vec<u64> {
        let cells = self.contents.cells.range((object, 0)..=(object, u64::MAX));
        let cells = cells.filter(|(_, cell)| cell.size == size);
        cells.map(|((_, at), _)| *at).take(MAX_WRITTEN).collect()
    }

    /// The cells that some bytes overlap, by offset.
    fn overlapping(&self, object: ObjectId, offset: u64, size: u32) -> Vec<(u64, Cell)> {
        let end = offset.saturating_add(u64::from(size));
        let from = offset.saturating_sub(15);
        let range = self.contents.cells.range((object, from)..(object, end));
        range
            .map(|((_, at), cell)| (*at, *cell))
            .filter(|(at, cell)| at + u64::from(cell.size) > offset)
            .collect()
    }

    /// All bytes of an object become anything.
    pub(crate) fn clobber(&mut self, object: ObjectId) {
        let contents = Rc::make_mut(&mut self.contents);
        contents.cells.retain(|(id, _), _| *id != object);
        contents.clobbered.insert(object);
    }

    /// All objects whose address is kept or passed on become anything.
    pub(crate) fn clobber_shared(&mut self, terms: &Terms<'_>) {
        if terms.is_trial() {
            return;
        }
        let contents = Rc::make_mut(&mut self.contents);
        contents.shared = true;
        contents.cells.retain(|(id, _), _| {
            let object = terms.object(*id);
            object.private || object.constant
        });
    }

    /// The object that an address is in becomes anything, or all that it may be in.
    pub(crate) fn clobber_at(&mut self, terms: &mut Terms<'_>, address: Option<ExprId>) {
        match address.and_then(|address| terms.root(address)) {
            Some((object, _)) => self.clobber(object),
            None => {
                self.clobber_shared(terms);
                let objects = address.map(|address| terms.objects_in(address));
                objects
                    .into_iter()
                    .flatten()
                    .for_each(|object| self.clobber(object));
            }
        }
    }

    /// What code with these effects may write becomes anything; the arguments are those of its
    /// call.
    pub(crate) fn havoc(
        &mut self,
        terms: &mut Terms<'_>,
        effects: &Effects,
        arguments: &[Option<ExprId>],
    ) {
        for global in effects.written_globals() {
            let object = terms.object_id(ObjectKind::Global(*global));
            self.clobber(object);
        }
        for parameter in effects.written_parameters() {
            let address = arguments.get(*parameter).copied().flatten();
            self.clobber_at(terms, address);
        }
        if effects.writes_anywhere() {
            self.clobber_shared(terms);
        }
    }

    /// The memory of one of two paths: the first, if the condition holds.
    pub(crate) fn merge(
        terms: &mut Terms<'_>,
        condition: ExprId,
        mut first: Memory,
        mut second: Memory,
    ) -> Memory {
        if Rc::ptr_eq(&first.contents, &second.contents) {
            return first;
        }
        let mut keys: BTreeMap<(ObjectId, u64), u32> = BTreeMap::new();
        for contents in [&first.contents, &second.contents] {
            for (key, cell) in &contents.cells {
                let size = keys.entry(*key).or_insert(cell.size);
                *size = (*size).min(cell.size);
            }
        }
        let mut merged = Contents {
            shared: first.contents.shared || second.contents.shared,
            ..Contents::default()
        };
        merged.clobbered = first
            .contents
            .clobbered
            .union(&second.contents.clobbered)
            .copied()
            .collect();
        let mut covered: Option<(ObjectId, u64)> = None;
        for ((object, offset), size) in keys {
            if covered.is_some_and(|(id, end)| id == object && offset < end) {
                // A wider cell of the other path begins before: its bytes are read one by one.
                continue;
            }
            let a = first.read_cell(terms, object, offset, size);
            let b = second.read_cell(terms, object, offset, size);
            let value = terms.pool_mut().ite(condition, a, b);
            merged.cells.insert((object, offset), Cell { size, value });
            covered = Some((object, offset + u64::from(size)));
        }
        first.close(&second, &mut merged);
        Memory {
            contents: Rc::new(merged),
            initial: first.initial,
        }
    }

    /// Bytes of cells of either path that no merged cell covers are anything: their object is
    /// clobbered.
    fn close(&self, second: &Memory, merged: &mut Contents) {
        let mut lost = BTreeSet::new();
        for contents in [&self.contents, &second.contents] {
            for ((object, offset), cell) in &contents.cells {
                let end = offset + u64::from(cell.size);
                let mut at = *offset;
                let before = merged.cells.range(..=(*object, at)).next_back();
                if let Some(((id, start), known)) = before
                    && id == object
                {
                    at = at.max(start + u64::from(known.size));
                }
                while at < end {
                    match merged.cells.get(&(*object, at)) {
                        Some(known) => at += u64::from(known.size),
                        None => {
                            lost.insert(*object);
                            break;
                        }
                    }
                }
            }
        }
        merged.clobbered.extend(lost);
    }
}

/// Whether a signal handler may write an object at any time, or the program by another name.
fn is_unstable(terms: &Terms<'_>, object: &Object) -> bool {
    let interference = terms.analysis().interference();
    match object.kind {
        ObjectKind::Global(id) => {
            interference.writes_global(id)
                || interference.writes_anywhere() && !object.private
                || terms.analysis().is_changed_by_other_names(id)
        }
        ObjectKind::Stack(..) => interference.writes_anywhere() && !object.private,
        ObjectKind::Function(_) | ObjectKind::Heap(..) => false,
    }
}

/// What a part of a global always holds, if that is one number.
fn single(terms: &mut Terms<'_>, id: GlobalId, offset: u64, size: u32) -> Option<ExprId> {
    let values = terms
        .analysis()
        .global_values(id, (offset, u64::from(size)))?;
    match values[..] {
        [bits] => Some(terms.constant(8 * size, bits)),
        _ => None,
    }
}

/// The offsets of elements of an object; none if they are too many or not known.
fn elements(terms: &Terms<'_>, object: ObjectId, size: u32) -> impl Iterator<Item = u64> + use<> {
    let bytes = terms.object(object).size.unwrap_or(0);
    let size = u64::from(size.max(1));
    let count = bytes / size;
    let count = if count > MAX_ELEMENTS { 0 } else { count };
    (0..count).map(move |index| index * size)
}

/// Whether an offset is a multiple of a number, whatever the values in it.
fn is_multiple(terms: &Terms<'_>, offset: ExprId, of: u64) -> bool {
    use labrys_expr::Op;
    if of == 1 {
        return true;
    }
    let pool = terms.pool();
    if let Some(bits) = pool.bits(offset) {
        return bits as u64 % of == 0;
    }
    let operands = pool.node(offset).operands();
    match (pool.op(offset), operands) {
        (Op::Add, [a, b]) => is_multiple(terms, *a, of) && is_multiple(terms, *b, of),
        (Op::Mul, [a, b]) => is_multiple(terms, *a, of) || is_multiple(terms, *b, of),
        (Op::Ite, [_, a, b]) => is_multiple(terms, *a, of) && is_multiple(terms, *b, of),
        // Bits below are zero.
        (Op::Shl, [_, by]) => pool
            .bits(*by)
            .is_some_and(|by| by < 64 && (1u64 << by) % of == 0),
        (Op::Concat, [_, low]) => {
            let width = pool.width(*low);
            width < 64 && pool.bits(*low) == Some(0) && (1u64 << width) % of == 0
        }
        _ => false,
    }
}

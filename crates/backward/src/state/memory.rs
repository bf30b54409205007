//! Symbolic memory, going backward: what the path reads later, until the write is found that the
//! read sees.
//!
//! A [`Read`] waits for its write. A write to the same object at a fixed distance answers it, in
//! whole or byte by byte; a write to another object leaves it; a write that may alias it turns its
//! symbol into a choice on the addresses. All of this is exact but for accesses that overlap in
//! part at a distance that is not fixed: those are havocked, which over-approximates.
//!
//! Law: a step that may write what is read, and of which no more is known, clobbers the read: its
//! symbol stays free. So nothing that is clobbered loses a run.

use labrys_analysis::Effects;
use labrys_expr::{ExprId, Op};

use crate::assumptions::Assumption;
use crate::terms::{
    FrameId, ObjectKind, Terms, character_entry, character_pointer, initial_content, input_content,
};

/// Bytes of memory that are used later on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) address: ExprId,
    /// Bytes, 1 to 16.
    pub(crate) size: u32,
    /// The symbol that stands for them.
    pub(crate) symbol: ExprId,
}

/// What a write puts into memory.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A scalar, a multiple of 8 bits.
    Scalar(ExprId),
    /// Symbols of some bytes each, one after the other.
    Parts(Vec<ExprId>),
    /// One byte again and again.
    Fill(ExprId),
    /// The content at another address.
    Copy(ExprId),
    /// Any bytes.
    Havoc,
}

/// A write to memory.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) address: ExprId,
    /// Bytes, as a 64-bit expression.
    pub(crate) length: ExprId,
    pub(crate) content: Content,
    /// Whether it happens; `None`: it does.
    pub(crate) guard: Option<ExprId>,
}

/// A write of which no more is known than where it may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownWrite {
    /// `None`: at any address.
    pub(crate) address: Option<ExprId>,
    /// Most bytes from the address on; `None`: they may lie before it, too.
    pub(crate) length: Option<u64>,
}

impl UnknownWrite {
    /// To the object that an address is in.
    pub(crate) fn around(address: Option<ExprId>) -> Self {
        UnknownWrite {
            address,
            length: None,
        }
    }

    /// Whether it may change what this reads.
    fn may_change(self, terms: &mut Terms<'_>, read: &Read) -> bool {
        let Some(address) = self.address else {
            return true;
        };
        let Some(length) = self.length else {
            return terms.may_alias(address, read.address);
        };
        let write = Write {
            address,
            length: terms.constant(64, u128::from(length)),
            content: Content::Havoc,
            guard: None,
        };
        !matches!(overlap(terms, read, &write), Overlap::None)
    }
}

/// The content of memory when the program starts.
pub(super) struct Initial {
    /// `None` if it is not known.
    pub(super) value: Option<ExprId>,
    /// The memory of the outside world that is read.
    pub(super) outside: Option<String>,
}

/// How a read lies to a write.
enum Overlap {
    None,
    /// The read begins so many bytes after the write.
    At(i64),
    Unknown,
}

/// Choices in each other that are looked into.
const MAX_CHOICES: u32 = 6;
/// Addresses that one read may choose among; the content at more of them is not known.
const MAX_LEAVES: u32 = 64;
/// Reads that wait at a time; the content of further ones is not known.
const MAX_READS: usize = 512;
/// Bytes at the beginning of the address space where nothing is.
pub(crate) const NULL_PAGE: u128 = 4096;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    reads: Vec<Read>,
}

impl Memory {
    /// What the path reads later.
    pub(crate) fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Whether the path reads nothing later.
    pub(crate) fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// A read that waits, first of those whose place is known: others may depend on them.
    pub(super) fn pop(&mut self, terms: &mut Terms<'_>) -> Option<Read> {
        let is_placed = |read: &Read| {
            let root = terms.root(read.address);
            root.is_some_and(|(_, offset)| terms.bits(offset).is_some())
        };
        match self.reads.iter().rposition(is_placed) {
            Some(index) => Some(self.reads.remove(index)),
            None => self.reads.pop(),
        }
    }

    /// Addresses are looked at by every store, and are small: they are kept up to date.
    pub(super) fn addresses_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.reads.iter_mut().map(|read| &mut read.address)
    }

    /// Reads only this later.
    pub(super) fn restrict(&mut self, reads: &[Read]) {
        self.reads = reads.to_vec();
    }

    /// Reads this too.
    pub(crate) fn extend(&mut self, reads: Vec<Read>) {
        self.reads.extend(reads);
    }

    /// Replaces the symbols of a substitution that was begun.
    pub(crate) fn rename(&mut self, terms: &mut Terms<'_>) {
        for read in &mut self.reads {
            read.address = terms.substituted(read.address);
            read.symbol = terms.substituted(read.symbol);
        }
    }

    /// The bytes at an address: their content where it is known, or a symbol that waits for its
    /// write.
    pub(crate) fn read(&mut self, terms: &mut Terms<'_>, address: ExprId, size: u32) -> ExprId {
        let mut leaves = MAX_LEAVES;
        self.read_choice(terms, address, size, &mut leaves)
    }

    /// As [`Memory::read`], where `leaves` are left to be read.
    fn read_choice(
        &mut self,
        terms: &mut Terms<'_>,
        address: ExprId,
        size: u32,
        leaves: &mut u32,
    ) -> ExprId {
        if *leaves == 0 {
            return terms.fresh(8 * size);
        }
        if let Some([condition, a, b]) = address_choice(terms, address) {
            let a = self.read_choice(terms, a, size, leaves);
            let b = self.read_choice(terms, b, size, leaves);
            return terms.pool_mut().ite(condition, a, b);
        }
        *leaves -= 1;
        self.read_place(terms, address, size)
    }

    /// The bytes at an address that is no choice.
    fn read_place(&mut self, terms: &mut Terms<'_>, address: ExprId, size: u32) -> ExprId {
        if terms.bits(address).is_some_and(|bits| bits < NULL_PAGE) {
            // No run goes on behind a load from there, so no run has the value.
            return terms.constant(8 * size, 0);
        }
        if let Some(content) = fixed_content(terms, address, size) {
            return content;
        }
        let known = self
            .reads
            .iter()
            .find(|read| read.address == address && read.size == size);
        if let Some(read) = known {
            return read.symbol;
        }
        let symbol = terms.fresh(8 * size);
        if self.reads.len() >= MAX_READS {
            return symbol;
        }
        terms.note_content(address, symbol, size);
        let read = Read {
            address,
            size,
            symbol,
        };
        // What a signal handler may write at any time is havocked at each read.
        let is_unstable = may_write(terms, terms.analysis().interference(), &read)
            || is_changed_by_other_names(terms, &read);
        if !is_unstable {
            terms.assume(Assumption::Memory);
            self.reads.push(read);
        }
        symbol
    }

    /// Takes reads apart whose address has become a choice, so that each part aliases its own
    /// writes. Gives the values of their symbols.
    pub(super) fn split_choices(&mut self, terms: &mut Terms<'_>) -> Vec<(ExprId, ExprId)> {
        let reads = std::mem::take(&mut self.reads);
        let mut pairs = Vec::new();
        for read in reads {
            if address_choice(terms, read.address).is_some() {
                pairs.push((read.symbol, self.read(terms, read.address, read.size)));
            } else {
                self.reads.push(read);
            }
        }
        pairs
    }

    /// Passes a write, backward. Gives the values of the symbols of reads that may alias it.
    pub(super) fn write(&mut self, terms: &mut Terms<'_>, write: &Write) -> Vec<(ExprId, ExprId)> {
        let reads = std::mem::take(&mut self.reads);
        let mut pairs = Vec::new();
        for read in reads {
            match overlap(terms, &read, write) {
                Overlap::None => self.reads.push(read),
                overlap => {
                    terms.assume(Assumption::Types);
                    let value = self.answer(terms, &read, write, &overlap);
                    pairs.push((read.symbol, value));
                }
            }
        }
        pairs
    }

    /// The value of a read that a write may alias.
    fn answer(
        &mut self,
        terms: &mut Terms<'_>,
        read: &Read,
        write: &Write,
        overlap: &Overlap,
    ) -> ExprId {
        let value = match overlap {
            Overlap::At(distance) => self.at_fixed_distance(terms, read, write, *distance),
            _ => self.at_any_distance(terms, read, write),
        };
        match write.guard {
            None => value,
            Some(guard) => {
                let before = self.read(terms, read.address, read.size);
                terms.pool_mut().ite(guard, value, before)
            }
        }
    }

    fn at_fixed_distance(
        &mut self,
        terms: &mut Terms<'_>,
        read: &Read,
        write: &Write,
        distance: i64,
    ) -> ExprId {
        let length = terms.bits(write.length).unwrap_or(0) as i128;
        let inside = |byte: u32| {
            let at = i128::from(distance) + i128::from(byte);
            (0..length).contains(&at)
        };
        if inside(0) && inside(read.size - 1) {
            let offset = terms.constant(64, distance as u64 as u128);
            return self.content(terms, &write.content, offset, read.size);
        }
        let mut value: Option<ExprId> = None;
        for index in 0..read.size {
            let byte = if inside(index) {
                let at = distance + i64::from(index);
                let offset = terms.constant(64, at as u64 as u128);
                self.content(terms, &write.content, offset, 1)
            } else {
                let step = terms.constant(64, u128::from(index));
                let address = terms.pool_mut().add(read.address, step);
                self.read(terms, address, 1)
            };
            value = Some(match value {
                None => byte,
                Some(low) => terms.pool_mut().concat(byte, low),
            });
        }
        value.unwrap_or_else(|| terms.fresh(8 * read.size))
    }

    fn at_any_distance(&mut self, terms: &mut Terms<'_>, read: &Read, write: &Write) -> ExprId {
        let before = self.read(terms, read.address, read.size);
        let pool = terms.pool_mut();
        let offset = pool.sub(read.address, write.address);
        let size = pool.constant(64, u128::from(read.size));
        // offset ≤ length − size, where that is not negative
        let enough = pool.ule(size, write.length);
        let last = pool.sub(write.length, size);
        let within = pool.ule(offset, last);
        let inside = pool.and(enough, within);
        let found = self.content(terms, &write.content, offset, read.size);
        if read.size == 1 {
            return terms.pool_mut().ite(inside, found, before);
        }
        // offset + size − 1 < length + size − 1
        let pool = terms.pool_mut();
        let ahead = pool.constant(64, u128::from(read.size - 1));
        let shifted = pool.add(offset, ahead);
        let reach = pool.add(write.length, ahead);
        let overlaps = pool.ult(shifted, reach);
        let any = terms.fresh(8 * read.size);
        let rest = terms.pool_mut().ite(overlaps, any, before);
        terms.pool_mut().ite(inside, found, rest)
    }

    /// Bytes of what was written, from an offset that is inside.
    fn content(
        &mut self,
        terms: &mut Terms<'_>,
        content: &Content,
        offset: ExprId,
        size: u32,
    ) -> ExprId {
        match content {
            Content::Havoc => terms.fresh(8 * size),
            Content::Copy(from) => {
                let address = terms.pool_mut().add(*from, offset);
                self.read(terms, address, size)
            }
            Content::Fill(byte) => {
                let mut value = *byte;
                for _ in 1..size {
                    value = terms.pool_mut().concat(*byte, value);
                }
                value
            }
            Content::Scalar(bits) => bytes_of_scalar(terms, *bits, offset, size),
            Content::Parts(parts) => bytes_of_parts(terms, parts, offset, size),
        }
    }

    /// The content of memory that is read, when the program starts.
    pub(super) fn initial(&mut self, terms: &mut Terms<'_>, read: &Read) -> Initial {
        let known = |value| Initial {
            value: Some(value),
            outside: None,
        };
        let unknown = |outside: Option<&str>| Initial {
            value: None,
            outside: outside.map(str::to_owned),
        };
        let Some((object, offset)) = terms.root(read.address) else {
            if address_choice(terms, read.address).is_some() {
                return known(self.read(terms, read.address, read.size));
            }
            return unknown(Some("an address that is not known"));
        };
        match object.kind() {
            ObjectKind::Global(id)
                if !terms.analysis().has_constructors() || object.is_constant() =>
            {
                if let Some(value) = initial_content(terms, id, offset, read.size) {
                    return known(value);
                }
                let name = &terms.program().globals[id.index()].name;
                match input_content(terms, id, offset, read.size) {
                    Some((value, true)) => known(value),
                    Some((value, false)) => Initial {
                        value: Some(value),
                        outside: Some("a byte of the input whose place is not known".to_owned()),
                    },
                    None => Initial {
                        value: Some(terms.fresh(8 * read.size)),
                        outside: Some(name.clone()),
                    },
                }
            }
            ObjectKind::Global(_) => unknown(Some("a constructor")),
            ObjectKind::CharacterPointer(..) | ObjectKind::CharacterTable(_) => {
                known(self.read(terms, read.address, read.size))
            }
            _ => unknown(None),
        }
    }

    /// Everything that is read is clobbered.
    pub(crate) fn clobber_all(&mut self) {
        self.reads.clear();
    }

    /// What a write may change is clobbered.
    pub(crate) fn clobber(&mut self, terms: &mut Terms<'_>, write: UnknownWrite) {
        self.reads.retain(|read| !write.may_change(terms, read));
    }

    /// Whether a write may change what is read.
    pub(crate) fn may_be_clobbered(&self, terms: &mut Terms<'_>, write: UnknownWrite) -> bool {
        let mut reads = self.reads.iter();
        reads.any(|read| write.may_change(terms, read))
    }

    /// Code with these effects is not followed: what it may write is havocked. Its writes through
    /// parameters do not count here.
    pub(crate) fn havoc(&mut self, terms: &mut Terms<'_>, effects: &Effects) {
        self.reads.retain(|read| !may_write(terms, effects, read));
    }

    /// Whether code with these effects may write what is read.
    pub(crate) fn is_concerned(&self, terms: &mut Terms<'_>, effects: &Effects) -> bool {
        self.reads
            .iter()
            .any(|read| may_write(terms, effects, read))
    }

    /// The objects of a frame begin: their contents from before are not known.
    pub(crate) fn havoc_frame(&mut self, terms: &mut Terms<'_>, frame: FrameId) {
        self.havoc_objects(
            terms,
            |kind, _| matches!(kind, ObjectKind::Stack(owner, _) if owner == frame),
        );
    }

    /// An object begins: its content from before is not known.
    pub(crate) fn havoc_object(&mut self, terms: &mut Terms<'_>, address: ExprId) {
        self.havoc_objects(terms, |_, symbol| symbol == address);
    }

    fn havoc_objects(
        &mut self,
        terms: &mut Terms<'_>,
        is_havocked: impl Fn(ObjectKind, ExprId) -> bool,
    ) {
        self.reads.retain(|read| {
            let root = terms.root(read.address);
            root.is_none_or(|(object, _)| !is_havocked(object.kind(), object.symbol()))
        });
    }

    /// Some stack objects of a frame may be written, those of variable length among them, which are
    /// made like others of the heap.
    pub(crate) fn clobber_stack(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        objects: &std::collections::BTreeSet<labrys_program::ValueId>,
    ) {
        self.reads.retain(|read| match terms.root(read.address) {
            Some((object, _)) => match object.kind() {
                ObjectKind::Stack(owner, value) | ObjectKind::Heap(owner, value) => {
                    owner != frame || !objects.contains(&value)
                }
                _ => true,
            },
            None => objects.is_empty(),
        });
    }
}

/// The content at an address that no write of the path can change.
fn fixed_content(terms: &mut Terms<'_>, address: ExprId, size: u32) -> Option<ExprId> {
    let (object, offset) = terms.root(address)?;
    match object.kind() {
        ObjectKind::Global(id) if object.is_constant() => initial_content(terms, id, offset, size),
        ObjectKind::CharacterPointer(_, _, function) => {
            Some(character_pointer(terms, function, offset, size))
        }
        ObjectKind::CharacterTable(function) => {
            Some(character_entry(terms, function, offset, size))
        }
        ObjectKind::Global(id) => terms.fixed_content(id, offset, size),
        _ => None,
    }
}

/// An address that is a choice between two, of which one at least may be in an object: the
/// condition and the two.
fn address_choice(terms: &mut Terms<'_>, address: ExprId) -> Option<[ExprId; 3]> {
    let mut summands = vec![address];
    let mut choice = None;
    let mut rest = terms.constant(64, 0);
    while let Some(summand) = summands.pop() {
        let pool = terms.pool_mut();
        match pool.op(summand) {
            Op::Add => summands.extend(pool.node(summand).operands()),
            Op::Ite if choice.is_none() => choice = Some(summand),
            _ => rest = pool.add(rest, summand),
        }
    }
    let choice = choice?;
    if choice != address && !may_be_pointer(terms, choice, MAX_CHOICES) {
        return None;
    }
    let pool = terms.pool_mut();
    let [condition, a, b] = [0, 1, 2].map(|index| pool.node(choice).operands()[index]);
    Some([condition, pool.add(a, rest), pool.add(b, rest)])
}

/// Whether one of the values of a choice is in an object.
fn may_be_pointer(terms: &mut Terms<'_>, value: ExprId, depth: u32) -> bool {
    if terms.pool().op(value) != Op::Ite {
        return terms.root(value).is_some();
    }
    let [a, b] = [1, 2].map(|index| terms.pool().node(value).operands()[index]);
    depth > 0 && (may_be_pointer(terms, a, depth - 1) || may_be_pointer(terms, b, depth - 1))
}

fn overlap(terms: &mut Terms<'_>, read: &Read, write: &Write) -> Overlap {
    let to = terms.root(write.address);
    let from = terms.root(read.address);
    match (to, from) {
        (Some((to, _)), Some((from, _))) if to.symbol() != from.symbol() => Overlap::None,
        (Some((to, at)), Some((_, from))) => {
            if to.is_constant() {
                return Overlap::None;
            }
            let distance = terms.pool_mut().sub(from, at);
            let (Some(bits), Some(length)) = (terms.bits(distance), terms.bits(write.length))
            else {
                return Overlap::Unknown;
            };
            let distance = bits as u64 as i64;
            let apart = i128::from(distance) >= length as i128
                || i128::from(distance) + i128::from(read.size) <= 0;
            if apart {
                Overlap::None
            } else {
                Overlap::At(distance)
            }
        }
        _ if terms.may_alias(write.address, read.address) => Overlap::Unknown,
        _ => Overlap::None,
    }
}

/// Whether the program may change what this reads by another name of it.
fn is_changed_by_other_names(terms: &mut Terms<'_>, read: &Read) -> bool {
    let Some((object, _)) = terms.root(read.address) else {
        return false;
    };
    match object.kind() {
        ObjectKind::Global(id) => terms.analysis().is_changed_by_other_names(id),
        _ => false,
    }
}

/// Whether code with these effects may write what this reads.
fn may_write(terms: &mut Terms<'_>, effects: &Effects, read: &Read) -> bool {
    let Some((object, _)) = terms.root(read.address) else {
        return effects.writes_anywhere()
            || effects.writes_streams()
            || !effects.written_globals().is_empty();
    };
    match object.kind() {
        _ if object.is_constant() => false,
        ObjectKind::Global(id) => {
            effects.writes_global(id) || (effects.writes_anywhere() && !object.is_private())
        }
        ObjectKind::Function(_)
        | ObjectKind::CharacterPointer(..)
        | ObjectKind::CharacterTable(_) => false,
        ObjectKind::Errno(..) => effects.sets_errno() || effects.writes_anywhere(),
        ObjectKind::Stack(..) | ObjectKind::Heap(..) | ObjectKind::Made(..) => {
            effects.writes_anywhere() && !object.is_private()
        }
    }
}

/// Bytes of a scalar.
fn bytes_of_scalar(terms: &mut Terms<'_>, bits: ExprId, offset: ExprId, size: u32) -> ExprId {
    let width = terms.width(bits);
    if width == 8 * size {
        return bits;
    }
    if width < 8 * size {
        return terms.fresh(8 * size);
    }
    if let Some(offset) = terms.bits(offset) {
        let low = u32::try_from(8 * offset).unwrap_or(u32::MAX);
        if low.checked_add(8 * size).is_some_and(|end| end <= width) {
            return terms.pool_mut().extract(bits, low, 8 * size);
        }
        return terms.fresh(8 * size);
    }
    let pool = terms.pool_mut();
    let eight = pool.constant(64, 8);
    let amount = pool.mul(offset, eight);
    let amount = if width < 64 {
        pool.extract(amount, 0, width)
    } else {
        pool.zext(amount, width)
    };
    let shifted = pool.binary(Op::LShr, bits, amount);
    pool.extract(shifted, 0, 8 * size)
}

/// Bytes of parts that lie one after the other.
fn bytes_of_parts(terms: &mut Terms<'_>, parts: &[ExprId], offset: ExprId, size: u32) -> ExprId {
    let pool = terms.pool_mut();
    let mut bytes = Vec::new();
    for part in parts {
        let width = pool.width(*part);
        if pool.bits(offset) == Some(bytes.len() as u128) && width == 8 * size {
            return *part;
        }
        for low in (0..width).step_by(8) {
            bytes.push(pool.extract(*part, low, 8));
        }
    }
    let entries: Vec<_> = (0..).zip(bytes.iter().copied()).collect();
    let zeros = vec![0; bytes.len()];
    let table = pool.enter_table(&zeros, &entries);
    pool.table_read(table, offset, size)
}

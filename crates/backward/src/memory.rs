//! Memory going backward: what the path reads later meets what is written before.
//!
//! A [`Read`] waits for the write that it sees. A write to the same object at a known distance
//! answers it, in whole or byte by byte; a write to another object leaves it; a write that may or
//! may not concern it turns its symbol into a choice on the addresses. All of this is exact but
//! for accesses that overlap in part at a distance that is not known: those read anything, which
//! over-approximates.

use labrys_expr::{ExprId, Op};
use labrys_program::{GlobalId, RelocationTarget};

use crate::demand::Base;
use crate::objects::Kind;
use crate::state::{Read, Skip, State};

/// What a write puts into memory.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A scalar, a multiple of 8 bits.
    Scalar(ExprId),
    /// Symbols of some bytes each, one after the other.
    Parts(Vec<ExprId>),
    /// One byte again and again.
    Fill(ExprId),
    /// What is at another address.
    Copy(ExprId),
    /// Nobody knows.
    Anything,
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

/// How a read lies to a write.
enum Overlap {
    None,
    /// The read begins so many bytes after the write.
    At(i64),
    Unknown,
}

/// Largest table that a read at a symbolic offset of a constant becomes.
const MAX_TABLE: u64 = 4096;

/// Choices in each other that are looked into.
const MAX_CHOICES: u32 = 6;
/// Bytes at the beginning of the address space where nothing is.
const NULL_PAGE: u128 = 4096;

impl Base<'_> {
    /// An access through null, or a member of what null points to, ends the run; so where it is
    /// made (under the guard, if there is one), the base of the address is not null.
    pub(crate) fn not_null(&mut self, state: &mut State, address: ExprId, guard: Option<ExprId>) {
        if self.objects.root(&mut self.pool, address).is_some() {
            return;
        }
        let mut terms = vec![address];
        let mut base = self.pool.constant(64, 0);
        while let Some(term) = terms.pop() {
            if self.pool.op(term) == Op::Add {
                terms.extend(self.pool.node(term).operands());
            } else if self.pool.bits(term).is_none_or(|bits| bits >= NULL_PAGE) {
                base = self.pool.add(base, term);
            }
        }
        let zero = self.pool.constant(64, 0);
        let mut holds = self.pool.ne(base, zero);
        if let Some(guard) = guard {
            let not = self.pool.not(guard);
            holds = self.pool.or(not, holds);
        }
        state.require(&self.pool, holds);
    }

    /// The bytes at an address, as a symbol that waits for its write, or what they are known to
    /// be.
    pub(crate) fn read(&mut self, state: &mut State, address: ExprId, size: u32) -> ExprId {
        if let Some([condition, a, b]) = self.arms(address) {
            let a = self.read(state, a, size);
            let b = self.read(state, b, size);
            return self.pool.ite(condition, a, b);
        }
        if self.pool.bits(address).is_some_and(|bits| bits < NULL_PAGE) {
            // No run goes on behind a load from there, so no run has the value.
            return self.pool.constant(8 * size, 0);
        }
        if let Some((object, offset)) = self.objects.root(&mut self.pool, address) {
            match object.kind {
                Kind::Global(id) if object.constant => {
                    return self.initial(state, id, offset, size);
                }
                Kind::Characters(_, _, function) => {
                    return self.character_pointer(function, offset, size);
                }
                Kind::CharacterTable(function) => {
                    return self.character_entry(function, offset, size);
                }
                Kind::Global(id) => {
                    if let Some(known) = self.only_number(id, offset, size) {
                        return known;
                    }
                }
                _ => {}
            }
        }
        let known = state
            .reads
            .iter()
            .find(|read| read.address == address && read.size == size);
        if let Some(read) = known {
            return read.symbol;
        }
        let symbol = self.fresh(8 * size);
        self.note_numbers(address, symbol, size);
        let read = Read {
            address,
            size,
            symbol,
        };
        let image = self.image;
        // What a signal may change at any time is anything at each read.
        if !self.concerns(image.interference(), &read) {
            state.reads.push(read);
        }
        symbol
    }

    /// An address that is a choice between two, of which one at least may be in an object: the
    /// condition and the two.
    fn arms(&mut self, address: ExprId) -> Option<[ExprId; 3]> {
        let mut terms = vec![address];
        let mut choice = None;
        let mut rest = self.pool.constant(64, 0);
        while let Some(term) = terms.pop() {
            match self.pool.op(term) {
                Op::Add => terms.extend(self.pool.node(term).operands()),
                Op::Ite if choice.is_none() => choice = Some(term),
                _ => rest = self.pool.add(rest, term),
            }
        }
        let choice = choice?;
        if choice != address && !self.is_pointer(choice, MAX_CHOICES) {
            return None;
        }
        let [condition, a, b] = [0, 1, 2].map(|i| self.pool.node(choice).operands()[i]);
        Some([condition, self.pool.add(a, rest), self.pool.add(b, rest)])
    }

    /// Whether one of the values of a choice is in an object.
    fn is_pointer(&mut self, value: ExprId, depth: u32) -> bool {
        if self.pool.op(value) != Op::Ite {
            return self.objects.root(&mut self.pool, value).is_some();
        }
        let [a, b] = [1, 2].map(|i| self.pool.node(value).operands()[i]);
        depth > 0 && (self.is_pointer(a, depth - 1) || self.is_pointer(b, depth - 1))
    }

    /// Takes reads apart whose address has become a choice, so that each part meets its writes.
    fn part_reads(&mut self, state: &mut State) {
        let reads = std::mem::take(&mut state.reads);
        let mut pairs = Vec::new();
        for read in reads {
            if self.arms(read.address).is_some() {
                pairs.push((read.symbol, self.read(state, read.address, read.size)));
            } else {
                state.reads.push(read);
            }
        }
        self.substitute(state, &pairs);
    }

    /// Passes a write, backward.
    pub(crate) fn write(&mut self, state: &mut State, write: &Write) {
        self.part_reads(state);
        let reads = std::mem::take(&mut state.reads);
        let mut pairs = Vec::new();
        for read in reads {
            match self.overlap(&read, write) {
                Overlap::None => state.reads.push(read),
                overlap => {
                    let value = self.answer(state, &read, write, &overlap);
                    pairs.push((read.symbol, value));
                }
            }
        }
        self.substitute(state, &pairs);
    }

    fn overlap(&mut self, read: &Read, write: &Write) -> Overlap {
        let to = self.objects.root(&mut self.pool, write.address);
        let from = self.objects.root(&mut self.pool, read.address);
        match (to, from) {
            (Some((to, _)), Some((from, _))) if to.symbol != from.symbol => Overlap::None,
            (Some((to, at)), Some((_, from))) => {
                if to.constant {
                    return Overlap::None;
                }
                let distance = self.pool.sub(from, at);
                let (Some(bits), Some(length)) =
                    (self.pool.bits(distance), self.pool.bits(write.length))
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
            _ if self
                .objects
                .may_meet(&mut self.pool, write.address, read.address) =>
            {
                Overlap::Unknown
            }
            _ => Overlap::None,
        }
    }

    /// What a read gives that a write may concern.
    fn answer(
        &mut self,
        state: &mut State,
        read: &Read,
        write: &Write,
        overlap: &Overlap,
    ) -> ExprId {
        let value = match overlap {
            Overlap::At(distance) => self.at_distance(state, read, write, *distance),
            _ => self.at_any_distance(state, read, write),
        };
        match write.guard {
            None => value,
            Some(guard) => {
                let before = self.read(state, read.address, read.size);
                self.pool.ite(guard, value, before)
            }
        }
    }

    fn at_distance(
        &mut self,
        state: &mut State,
        read: &Read,
        write: &Write,
        distance: i64,
    ) -> ExprId {
        let length = self.pool.bits(write.length).unwrap_or(0) as i128;
        let inside = |byte: u32| {
            let at = i128::from(distance) + i128::from(byte);
            (0..length).contains(&at)
        };
        if inside(0) && inside(read.size - 1) {
            let offset = self.pool.constant(64, distance as u64 as u128);
            return self.content(state, &write.content, offset, read.size);
        }
        let mut value: Option<ExprId> = None;
        for byte in 0..read.size {
            let one = if inside(byte) {
                let at = distance + i64::from(byte);
                let offset = self.pool.constant(64, at as u64 as u128);
                self.content(state, &write.content, offset, 1)
            } else {
                let step = self.pool.constant(64, u128::from(byte));
                let address = self.pool.add(read.address, step);
                self.read(state, address, 1)
            };
            value = Some(match value {
                None => one,
                Some(low) => self.pool.concat(one, low),
            });
        }
        value.unwrap_or_else(|| self.fresh(8 * read.size))
    }

    fn at_any_distance(&mut self, state: &mut State, read: &Read, write: &Write) -> ExprId {
        let before = self.read(state, read.address, read.size);
        let offset = self.pool.sub(read.address, write.address);
        let size = self.pool.constant(64, u128::from(read.size));
        // offset ≤ length − size, where that is not negative
        let enough = self.pool.ule(size, write.length);
        let last = self.pool.sub(write.length, size);
        let within = self.pool.ule(offset, last);
        let inside = self.pool.and(enough, within);
        let found = self.content(state, &write.content, offset, read.size);
        if read.size == 1 {
            return self.pool.ite(inside, found, before);
        }
        // offset + size − 1 < length + size − 1
        let ahead = self.pool.constant(64, u128::from(read.size - 1));
        let shifted = self.pool.add(offset, ahead);
        let reach = self.pool.add(write.length, ahead);
        let touches = self.pool.ult(shifted, reach);
        let any = self.fresh(8 * read.size);
        let rest = self.pool.ite(touches, any, before);
        self.pool.ite(inside, found, rest)
    }

    /// Bytes of what was written, from an offset that is inside.
    fn content(
        &mut self,
        state: &mut State,
        content: &Content,
        offset: ExprId,
        size: u32,
    ) -> ExprId {
        match content {
            Content::Anything => self.fresh(8 * size),
            Content::Copy(from) => {
                let address = self.pool.add(*from, offset);
                self.read(state, address, size)
            }
            Content::Fill(byte) => {
                let mut value = *byte;
                for _ in 1..size {
                    value = self.pool.concat(*byte, value);
                }
                value
            }
            Content::Scalar(bits) => self.piece(*bits, offset, size),
            Content::Parts(parts) => self.piece_of_parts(parts, offset, size),
        }
    }

    fn piece(&mut self, bits: ExprId, offset: ExprId, size: u32) -> ExprId {
        let width = self.pool.width(bits);
        if width == 8 * size {
            return bits;
        }
        if width < 8 * size {
            return self.fresh(8 * size);
        }
        if let Some(offset) = self.pool.bits(offset) {
            let low = u32::try_from(8 * offset).unwrap_or(u32::MAX);
            if low.checked_add(8 * size).is_some_and(|end| end <= width) {
                return self.pool.extract(bits, low, 8 * size);
            }
            return self.fresh(8 * size);
        }
        let mut symbolic = self.symbolic();
        let eight = labrys_semantics::Algebra::constant(&mut symbolic, 64, 8);
        let amount = self.pool.mul(offset, eight);
        let amount = if width < 64 {
            self.pool.extract(amount, 0, width)
        } else {
            self.pool.zext(amount, width)
        };
        let shifted = self.pool.binary(Op::LShr, bits, amount);
        self.pool.extract(shifted, 0, 8 * size)
    }

    fn piece_of_parts(&mut self, parts: &[ExprId], offset: ExprId, size: u32) -> ExprId {
        let mut bytes = Vec::new();
        for part in parts {
            let width = self.pool.width(*part);
            if self.pool.bits(offset) == Some(bytes.len() as u128) && width == 8 * size {
                return *part;
            }
            for low in (0..width).step_by(8) {
                bytes.push(self.pool.extract(*part, low, 8));
            }
        }
        let entries: Vec<_> = (0..).zip(bytes.iter().copied()).collect();
        let zeros = vec![0; bytes.len()];
        let table = self.pool.enter_table(&zeros, &entries);
        self.pool.table_read(table, offset, size)
    }

    /// What is in a global when the program starts.
    fn initial(&mut self, state: &mut State, id: GlobalId, offset: ExprId, size: u32) -> ExprId {
        let image = self.image;
        let global = &image.program().globals[id.index()];
        let Some(initializer) = &global.initializer else {
            state.skip(Skip::Outside(global.name.clone()));
            return self.fresh(8 * size);
        };
        let fixed = self.pool.bits(offset).map(|bits| bits as u64);
        if let Some(offset) = fixed {
            let mut relocations = initializer.relocations.iter();
            let touching = relocations.find(|one| {
                offset < one.offset.saturating_add(one.target.size())
                    && one.offset < offset.saturating_add(u64::from(size))
            });
            if let Some(relocation) = touching {
                let (base, addend) = match relocation.target {
                    RelocationTarget::Global(to, addend) => (self.global_address(to), addend),
                    RelocationTarget::Function(to, addend) => (self.function_address(to), addend),
                    RelocationTarget::Opaque(_) => return self.fresh(8 * size),
                };
                if relocation.offset != offset || size != 8 {
                    return self.fresh(8 * size);
                }
                let addend = self.pool.constant(64, addend as u64 as u128);
                return self.pool.add(base, addend);
            }
            let byte = |at: u64| {
                let index = usize::try_from(at).ok()?;
                initializer.bytes.get(index).copied()
            };
            let mut bits = 0u128;
            for index in (0..u64::from(size)).rev() {
                bits = bits << 8 | u128::from(byte(offset.wrapping_add(index)).unwrap_or(0));
            }
            return self.pool.constant(8 * size, bits);
        }
        if global.size > MAX_TABLE || !initializer.relocations.is_empty() {
            return self.fresh(8 * size);
        }
        let mut bytes = initializer.bytes.clone();
        bytes.resize(usize::try_from(global.size).unwrap_or(0), 0);
        let table = self.pool.enter_table(&bytes, &[]);
        self.pool.table_read(table, offset, size)
    }

    /// The program has just started: what memory holds then.
    pub(crate) fn start(&mut self, state: &mut State) {
        // Reads of an initial value may lead to others, through pointers in it.
        while let Some(read) = state.reads.pop() {
            let value = match self.objects.root(&mut self.pool, read.address) {
                Some((object, offset)) => match object.kind {
                    Kind::Global(id) if !self.image.has_constructors() || object.constant => {
                        self.initial(state, id, offset, read.size)
                    }
                    Kind::Global(_) => {
                        state.skip(Skip::Outside("a constructor".to_owned()));
                        continue;
                    }
                    Kind::Characters(..) | Kind::CharacterTable(_) => {
                        self.read(state, read.address, read.size)
                    }
                    _ => continue,
                },
                None if self.arms(read.address).is_some() => {
                    self.read(state, read.address, read.size)
                }
                None => {
                    state.skip(Skip::Outside("an address that is not known".to_owned()));
                    continue;
                }
            };
            self.substitute(state, &[(read.symbol, value)]);
        }
    }
}

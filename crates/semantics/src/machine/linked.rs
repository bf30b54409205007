//! Functions that the program is linked with and that have no meaning here, called for real.
//!
//! They are called in another process, where the machine's objects are at the machine's
//! addresses. What a call may look at is what its arguments lead to, and what earlier calls
//! could: these objects are *shared*, and before each call those are sent that are not as the
//! other side has them. Memory of the other side becomes objects of the machine, by pages, where
//! the program accesses it.
//!
//! Invariant: a call whose arguments cannot be passed as its type says, or that does not return,
//! gives no result.

use std::collections::BTreeMap;

use labrys_expr::Value;
use labrys_library::{CallsBack, Mark};
use labrys_program::{Function, FunctionId, GlobalId, Linkage, Operand, Type};

use super::memory::{Memory, PAGE};
use super::{ConcreteValue, Halt, Machine};
use crate::bits::{pack, unpack};
use crate::value::IrValue;

/// Registers for integers and for floats, and words on the stack.
const INTEGERS: usize = 6;
const FLOATS: usize = 8;
const STACK: usize = 8;
/// The words of a call: of these registers, and of the stack.
pub type Words = [u64; INTEGERS + FLOATS + STACK];

/// Instructions that a call counts as.
const WORK: u64 = 400;

/// Below this address nothing is mapped.
const LOWEST: u64 = 1 << 16;
/// Bytes of the other side that are fetched at a time.
const MOST_FETCHED: u64 = 1 << 16;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned.
    Returned {
        /// The bits of its result.
        result: u64,
        /// Shared memory that it changed: addresses and bytes.
        changes: Vec<(u64, Vec<u8>)>,
    },
    /// It ended the program.
    Ended,
    /// It crashed.
    Crashed,
    /// It cannot be called.
    Refused,
}

/// Calls the functions that a program is linked with, in a memory of their own.
pub trait Linked {
    /// Where a function or variable is.
    fn address(&mut self, name: &str) -> Option<u64>;

    /// Whether libraries may use a function or variable of the program by its name.
    fn is_exported(&mut self, name: &str) -> bool;

    /// Whether a function may call one of these functions of the program, by its name.
    fn calls(&mut self, name: &str, own: &mut dyn Iterator<Item = &str>) -> bool;

    /// Shares memory at an address from now on, which the other side has as zeros if nothing is
    /// there; its number. `None` if it is too much.
    fn watch(&mut self, address: u64, length: u64) -> Option<u64>;

    /// The memory of a number is not shared any more.
    fn forget(&mut self, number: u64);

    /// Writes bytes within the shared memory of a number.
    fn write(&mut self, number: u64, address: u64, bytes: &[u8]);

    /// The bytes at an address that is the other side's own.
    fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>>;

    /// Calls a function; its result is an integer, or a float.
    fn call(&mut self, name: &str, words: &Words, float: bool) -> CallOutcome;
}

/// What both sides have of the memory that is shared.
pub(super) struct Shared<'a> {
    linked: &'a mut dyn Linked,
    /// By address in the machine.
    parts: BTreeMap<u64, Part>,
    /// The addresses in the machine by those on the other side.
    here: BTreeMap<u64, u64>,
    /// Whether addresses of the other side can be known.
    opened: bool,
    /// Whether a function was called.
    called: bool,
}

struct Part {
    number: u64,
    /// Its address on the other side.
    there: u64,
    /// What the other side has.
    bytes: Vec<u8>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(linked: &'a mut dyn Linked) -> Self {
        Shared {
            linked,
            parts: BTreeMap::new(),
            here: BTreeMap::new(),
            opened: false,
            called: false,
        }
    }

    /// Shares memory that the other side has as `bytes`.
    fn add(&mut self, address: u64, there: u64, bytes: Vec<u8>) -> Option<()> {
        let number = self.linked.watch(there, bytes.len() as u64)?;
        self.here.insert(there, address);
        self.parts.insert(
            address,
            Part {
                number,
                there,
                bytes,
            },
        );
        Some(())
    }

    /// Memory of the other side.
    fn read(&mut self, there: u64, size: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < size {
            let read = bytes.len() as u64;
            let more = self.linked.read(there + read, (size - read).min(PAGE))?;
            bytes.extend(more);
        }
        Some(bytes)
    }

    /// Forgets objects that are not there any more.
    fn sweep(&mut self, memory: &mut Memory<'_>) {
        let Shared {
            linked,
            parts,
            here,
            ..
        } = self;
        parts.retain(|address, part| {
            let kept = memory.at(*address, part.bytes.len() as u64).is_some();
            if !kept {
                linked.forget(part.number);
                here.remove(&part.there);
            }
            kept
        });
    }

    /// Shares what can be reached from some addresses and from what is shared already.
    fn share(&mut self, memory: &mut Memory<'_>, mut from: Vec<u64>) -> Option<()> {
        self.sweep(memory);
        for (address, part) in &mut self.parts {
            let now = memory.at(*address, part.bytes.len() as u64)?;
            send(&mut *self.linked, part, now, &mut from);
        }
        while let Some(address) = from.pop() {
            let Some((base, object)) = memory.shared_object(address) else {
                continue;
            };
            if self.parts.contains_key(&base) {
                continue;
            }
            self.add(base, base, vec![0; object.len()])?;
            if let Some(part) = self.parts.get_mut(&base) {
                send(&mut *self.linked, part, object, &mut from);
            }
        }
        Some(())
    }

    /// Takes what a call changed.
    fn take(&mut self, memory: &mut Memory<'_>, changes: &[(u64, Vec<u8>)]) -> Option<()> {
        for (there, bytes) in changes {
            let (base, address) = self.here.range(..=*there).next_back()?;
            let start = usize::try_from(there - base).ok()?;
            let part = self.parts.get_mut(address)?;
            let place = part.bytes.get_mut(start..start + bytes.len())?;
            place.copy_from_slice(bytes);
            let place = memory.at(address + start as u64, bytes.len() as u64)?;
            place.copy_from_slice(bytes);
        }
        Some(())
    }
}

/// Sends what differs of a part, and notes the words in it that may be addresses.
fn send(linked: &mut dyn Linked, part: &mut Part, now: &[u8], found: &mut Vec<u64>) {
    if *now == part.bytes {
        return;
    }
    let differs = |index: &usize| now[*index] != part.bytes[*index];
    let first = (0..now.len()).find(differs).unwrap_or(0);
    let last = (0..now.len()).rfind(differs).unwrap_or(0);
    linked.write(part.number, part.there + first as u64, &now[first..=last]);
    part.bytes[first..=last].copy_from_slice(&now[first..=last]);
    let around = &now[first.saturating_sub(7)..now.len().min(last + 8)];
    for word in around.windows(8) {
        if let Ok(word) = word.try_into() {
            let word = u64::from_le_bytes(word);
            if Memory::is_own(word) {
                found.push(word);
            }
        }
    }
}

/// The arguments of a call, in the places that they have in it.
#[derive(Default)]
struct Places {
    words: Words,
    integers: usize,
    floats: usize,
    stack: usize,
}

impl Places {
    fn push(&mut self, bits: u64, float: bool) -> Option<()> {
        let (used, from, most) = match float {
            true => (&mut self.floats, INTEGERS, FLOATS),
            false => (&mut self.integers, 0, INTEGERS),
        };
        let place = if *used < most {
            *used += 1;
            from + *used - 1
        } else {
            self.stack += 1;
            INTEGERS + FLOATS + self.stack - 1
        };
        *self.words.get_mut(place)? = bits;
        Some(())
    }
}

/// Whether a number of this type goes through a register as it is.
fn is_plain(ty: Type) -> bool {
    matches!(ty.width(), Some(1 | 32 | 64))
}

/// Whether a function can be called with so many arguments for a result of this type.
fn has_plain_type(called: &Function, arguments: usize, result: Type) -> bool {
    let by_value = called
        .parameters
        .iter()
        .any(|parameter| parameter.by_value.is_some());
    let fits = called.variadic || arguments == called.parameters.len();
    let narrow = matches!(result.width(), Some(8 | 16));
    fits && !by_value && (result == Type::Void || is_plain(result) || narrow)
}

impl Machine<'_> {
    /// Calls a function that has no meaning here.
    pub(super) fn linked_call(
        &mut self,
        function: &Function,
        id: FunctionId,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let program = self.program;
        let called = program.function(id).ok_or(Halt::Fault)?;
        let unknown = || Halt::Unknown(called.name.clone());
        if self.shared.is_none() || !has_plain_type(called, arguments.len(), ty) {
            return Err(unknown());
        }
        self.work(WORK)?;
        let row = labrys_library::function(&called.name);
        let in_process = row.is_some_and(|row| row.has(Mark::InProcess));
        let known = row.is_some_and(|row| row.calls_back() == CallsBack::Never);
        if in_process || !known && self.calls_program(&called.name) {
            return Err(unknown());
        }
        let words = self.words(function, arguments)?.ok_or_else(unknown)?;
        self.share_named();
        let shared = self.shared.as_mut().ok_or_else(unknown)?;
        let from = words.into_iter().filter(|word| Memory::is_own(*word));
        let from = from.collect();
        shared.opened = true;
        shared.share(&mut self.memory, from).ok_or_else(unknown)?;
        match shared.linked.call(&called.name, &words, ty.is_float()) {
            CallOutcome::Returned { result, changes } => {
                let taken = shared.take(&mut self.memory, &changes);
                taken.ok_or_else(unknown)?;
                let value = ty.width().and_then(|width| {
                    let bits = Value::new(8 * width.div_ceil(8), u128::from(result));
                    unpack(&mut self.algebra, bits, ty)
                });
                Ok(value.map(IrValue::Scalar))
            }
            CallOutcome::Ended => Err(Halt::Ended),
            CallOutcome::Crashed => Err(Halt::Fault),
            CallOutcome::Refused => Err(unknown()),
        }
    }

    /// The words of a call with these arguments; `None` if some cannot be passed, or is a
    /// function of the program.
    fn words(&mut self, function: &Function, arguments: &[Operand]) -> Result<Option<Words>, Halt> {
        let program = self.program;
        let mut places = Places::default();
        for argument in arguments {
            let ty = program.operand_type(function, *argument);
            let Some(ty) = ty.filter(|ty| is_plain(*ty)) else {
                return Ok(None);
            };
            let value = self.scalar(function, *argument)?;
            let bits = pack(&mut self.algebra, value).bits() as u64;
            let own = ty == Type::Pointer && Memory::function_at(program, bits).is_some();
            if own || places.push(bits, ty.is_float()).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(places.words))
    }

    /// Whether a function of which nothing is known may call functions of the program by their
    /// names.
    fn calls_program(&mut self, name: &str) -> bool {
        let functions = self.program.functions.iter();
        let seen =
            functions.filter(|function| function.defined && function.linkage != Linkage::Internal);
        let mut names = seen
            .map(|function| &*function.name)
            .filter(|name| *name != "main");
        let shared = self.shared.as_mut();
        shared.is_some_and(|shared| shared.linked.calls(name, &mut names))
    }

    /// Shares the program's variables that libraries use by their names. Before the first call,
    /// both sides have what is in them when the program begins, or what the program wrote here.
    fn share_named(&mut self) {
        let program = self.program;
        let Some(shared) = self.shared.as_mut().filter(|shared| !shared.called) else {
            return;
        };
        shared.called = true;
        for (index, global) in program.globals.iter().enumerate() {
            let own = global.initializer.is_some() && global.linkage != Linkage::Internal;
            let size = global.size;
            if own && !global.constant && size > 0 && shared.linked.is_exported(&global.name) {
                let address = Memory::global(GlobalId::new(index));
                let there = shared.linked.address(&global.name);
                let bytes = there.and_then(|there| shared.read(there, size));
                if let (Some(there), Some(bytes)) = (there, bytes) {
                    // If it is too much, calls are refused soon.
                    let _ = shared.add(address, there, bytes);
                    self.memory.object(address);
                }
            }
        }
    }

    /// The bytes at an address, if all are in one object.
    pub(super) fn bytes(&mut self, address: u64, size: u64) -> Option<&mut [u8]> {
        self.fetch(address, size);
        self.memory.at(address, size)
    }

    /// The object that an address is in, or that ends before it.
    pub(super) fn object(&mut self, address: u64, size: u64) -> Option<(u64, &mut Vec<u8>)> {
        self.fetch(address, size);
        self.memory.object(address)
    }

    /// Whether addresses may be of functions of the other side.
    pub(super) fn is_open(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.opened)
    }

    /// Makes objects of the memory at an address that is the other side's.
    fn fetch(&mut self, address: u64, size: u64) {
        let Some(shared) = &mut self.shared else {
            return;
        };
        if Memory::is_own(address) {
            if let Some((id, size)) = self.memory.unmade_external(address) {
                let name = self.program.global(id).map_or("", |global| &global.name);
                open(shared, &mut self.memory, Memory::global(id), name, size);
            }
            return;
        }
        let end = address.saturating_add(size);
        if !shared.opened
            || address < LOWEST
            || size > MOST_FETCHED
            || self.memory.at(address, size).is_some()
        {
            return;
        }
        for page in (address & !(PAGE - 1)..end).step_by(PAGE as usize) {
            if self.memory.at(page, PAGE).is_some() {
                continue;
            }
            let Some(bytes) = shared.linked.read(page, PAGE) else {
                return;
            };
            if shared.add(page, page, bytes.clone()).is_none() {
                return;
            }
            for moved in self.memory.import(page, bytes) {
                self.context.drop_views(moved);
            }
        }
    }
}

/// Shares a variable that the program only declares.
fn open(shared: &mut Shared<'_>, memory: &mut Memory<'_>, address: u64, name: &str, size: u64) {
    let there = shared.linked.address(name);
    let found = there.and_then(|there| {
        let bytes = shared.read(there, size)?;
        shared.add(address, there, bytes.clone())?;
        Some(bytes)
    });
    shared.opened |= found.is_some();
    let unknown = || vec![0; usize::try_from(size).unwrap_or(0)];
    memory.put_global(address, found.unwrap_or_else(unknown));
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn arguments_go_to_registers_and_then_to_the_stack() {
        let mut places = Places::default();
        for number in 1..=7 {
            assert!(places.push(number, false).is_some());
            assert!(places.push(10 * number, true).is_some());
        }
        assert_eq!(places.words[..6], [1, 2, 3, 4, 5, 6]);
        assert_eq!(places.words[6..14], [10, 20, 30, 40, 50, 60, 70, 0]);
        assert_eq!(places.words[14..16], [7, 0]);
        for _ in 0..7 {
            assert!(places.push(9, false).is_some());
        }
        assert!(places.push(9, false).is_none());
    }
}

//! Memory of a [`Machine`](super::Machine): objects far apart, so that what leaves one is found.

use std::collections::BTreeMap;

use labrys_program::{FunctionId, Global, GlobalId, Program, RelocationTarget};

/// Where things stand. Distances are larger than any object.
const FUNCTIONS: u64 = 0x10_0000;
const GLOBALS: u64 = 1 << 40;
const GLOBAL_STEP: u64 = 1 << 24;
const STACK: u64 = 1 << 44;
/// Behind the last address of the machine's own.
const END: u64 = 1 << 45;
/// Bytes of memory of another process that become an object together.
pub(super) const PAGE: u64 = 4096;
/// Largest object, and most bytes in all.
const MAX_OBJECT: u64 = 1 << 22;
const MAX_BYTES: u64 = 1 << 28;

#[derive(Clone, Debug)]
pub(super) struct Memory<'p> {
    program: &'p Program,
    objects: BTreeMap<u64, Vec<u8>>,
    next: u64,
    bytes: u64,
}

impl<'p> Memory<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Memory {
            program,
            objects: BTreeMap::new(),
            next: STACK,
            bytes: 0,
        }
    }

    pub(super) fn function(id: FunctionId) -> u64 {
        FUNCTIONS + 16 * u64::from(id.0)
    }

    pub(super) fn function_at(program: &Program, address: u64) -> Option<FunctionId> {
        let offset = address.checked_sub(FUNCTIONS)?;
        let index = usize::try_from(offset / 16).ok()?;
        (offset % 16 == 0 && index < program.functions.len()).then(|| FunctionId::new(index))
    }

    /// The address of a global.
    pub(super) fn global(id: GlobalId) -> u64 {
        GLOBALS + GLOBAL_STEP * u64::from(id.0)
    }

    /// Makes the object of the global that is at an address, if one is.
    fn make_global(&mut self, address: u64) {
        let offset = address.wrapping_sub(GLOBALS);
        let index = usize::try_from(offset / GLOBAL_STEP).unwrap_or(usize::MAX);
        if address < GLOBALS || index >= self.program.globals.len() {
            return;
        }
        let id = GlobalId::new(index);
        self.objects.entry(Self::global(id)).or_insert_with(|| {
            let global = self.program.global(id);
            let global = global.filter(|global| global.size < GLOBAL_STEP);
            global.map_or_else(Vec::new, initial)
        });
    }

    /// A new object of zeros; `None` if it is too large.
    pub(super) fn allocate(&mut self, size: u64) -> Option<u64> {
        if size > MAX_OBJECT || self.bytes + size > MAX_BYTES {
            return None;
        }
        self.bytes += size;
        let base = self.next;
        self.next += (size / 64 + 2) * 64;
        self.objects
            .insert(base, vec![0; usize::try_from(size).ok()?]);
        Some(base)
    }

    /// Whether an address can only be one of the machine's own objects.
    pub(super) fn is_own(address: u64) -> bool {
        (GLOBALS..END).contains(&address)
    }

    /// The variable at an address that the program only declares, and its size, if its object is
    /// not there yet.
    pub(super) fn unmade_external(&self, address: u64) -> Option<(GlobalId, u64)> {
        let index = address.checked_sub(GLOBALS)? / GLOBAL_STEP;
        let id = GlobalId::new(usize::try_from(index).ok()?);
        let global = self.program.globals.get(id.index())?;
        let made = || self.objects.contains_key(&Self::global(id));
        let external = global.initializer.is_none() && (1..MAX_OBJECT).contains(&global.size);
        (address < STACK && external && !made()).then_some((id, global.size))
    }

    /// The object of a global with these bytes.
    pub(super) fn put_global(&mut self, address: u64, bytes: Vec<u8>) {
        self.objects.insert(address, bytes);
    }

    /// The object that an address is in, or just behind, if another process can have it.
    pub(super) fn shared_object(&mut self, address: u64) -> Option<(u64, &[u8])> {
        if !Self::is_own(address) || self.unmade_external(address).is_some() {
            return None;
        }
        let (base, object) = self.object(address)?;
        (address - base <= object.len() as u64).then_some((base, object))
    }

    /// Makes an object of a page of another process, one with its neighbors; the addresses of
    /// objects whose bytes are elsewhere now.
    pub(super) fn import(&mut self, page: u64, mut bytes: Vec<u8>) -> Vec<u64> {
        let mut moved = Vec::new();
        if let Some(next) = self.objects.remove(&(page + bytes.len() as u64)) {
            moved.push(page + bytes.len() as u64);
            bytes.extend(next);
        }
        let before = self.objects.range_mut(..page).next_back();
        match before {
            Some((base, object)) if base + object.len() as u64 == page => {
                moved.push(*base);
                object.extend(bytes);
            }
            _ => {
                self.objects.insert(page, bytes);
            }
        }
        moved
    }

    pub(super) fn free(&mut self, base: u64) {
        if let Some(object) = self.objects.remove(&base) {
            self.bytes = self.bytes.saturating_sub(object.len() as u64);
        }
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.objects.iter().map(|(base, bytes)| (*base, &**bytes))
    }

    /// The bytes at an address, if all are in one object.
    pub(super) fn at(&mut self, address: u64, size: u64) -> Option<&mut [u8]> {
        let (base, bytes) = self.object(address)?;
        let start = usize::try_from(address - base).ok()?;
        bytes.get_mut(start..start.checked_add(usize::try_from(size).ok()?)?)
    }

    /// The last object that begins at or below an address; globals are made when they are first
    /// looked for.
    pub(super) fn object(&mut self, address: u64) -> Option<(u64, &mut Vec<u8>)> {
        if (GLOBALS..STACK).contains(&address) {
            self.make_global(address);
        }
        let (base, bytes) = self.objects.range_mut(..=address).next_back()?;
        Some((*base, bytes))
    }
}

/// What is in a global at the start.
fn initial(global: &Global) -> Vec<u8> {
    let size = usize::try_from(global.size).unwrap_or(0);
    let mut bytes = global
        .initializer
        .as_ref()
        .map_or_else(Vec::new, |initializer| initializer.bytes.clone());
    bytes.resize(size, 0);
    let relocations = global
        .initializer
        .iter()
        .flat_map(|bytes| &bytes.relocations);
    for relocation in relocations {
        let address = match relocation.target {
            RelocationTarget::Global(id, addend) => Memory::global(id).wrapping_add_signed(addend),
            RelocationTarget::Function(id, addend) => {
                Memory::function(id).wrapping_add_signed(addend)
            }
            RelocationTarget::Opaque(_) => continue,
        };
        let start = usize::try_from(relocation.offset).unwrap_or(usize::MAX);
        if let Some(place) = bytes.get_mut(start..start.saturating_add(8)) {
            place.copy_from_slice(&address.to_le_bytes());
        }
    }
    bytes
}

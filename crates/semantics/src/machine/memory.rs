//! Memory of a [`Machine`](super::Machine): objects far apart, so that what leaves one is found.

use std::collections::BTreeMap;

use labrys_program::{FunctionId, Global, GlobalId, Program, RelocationTarget};

/// Where things stand. Distances are larger than any object.
const FUNCTIONS: u64 = 0x10_0000;
const GLOBALS: u64 = 1 << 40;
const GLOBAL_STEP: u64 = 1 << 24;
const STACK: u64 = 1 << 44;
/// Largest object, and most bytes in all.
const MAX_OBJECT: u64 = 1 << 22;
const MAX_BYTES: u64 = 1 << 28;

#[derive(Clone, Debug)]
pub(super) struct Memory {
    objects: BTreeMap<u64, Vec<u8>>,
    next: u64,
    bytes: u64,
}

impl Memory {
    pub(super) fn new() -> Self {
        Memory {
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

    /// The address of a global, whose object is made when it is first asked for.
    pub(super) fn global(&mut self, program: &Program, id: GlobalId) -> u64 {
        let base = GLOBALS + GLOBAL_STEP * u64::from(id.0);
        self.objects.entry(base).or_insert_with(|| {
            let global = program.global(id);
            let global = global.filter(|global| global.size < GLOBAL_STEP);
            global.map_or_else(Vec::new, initial)
        });
        base
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

    pub(super) fn free(&mut self, base: u64) {
        if let Some(object) = self.objects.remove(&base) {
            self.bytes = self.bytes.saturating_sub(object.len() as u64);
        }
    }

    /// The bytes at an address, if all are in one object.
    pub(super) fn at(&mut self, address: u64, size: u64) -> Option<&mut [u8]> {
        let (base, bytes) = self.objects.range_mut(..=address).next_back()?;
        let start = usize::try_from(address - base).ok()?;
        bytes.get_mut(start..start.checked_add(usize::try_from(size).ok()?)?)
    }
}

/// What is in a global at the start; addresses in it must be written by the caller.
fn initial(global: &Global) -> Vec<u8> {
    let size = usize::try_from(global.size).unwrap_or(0);
    let mut bytes = global
        .initializer
        .as_ref()
        .map_or_else(Vec::new, |initializer| initializer.bytes.clone());
    bytes.resize(size, 0);
    let relocations = global.initializer.iter().flat_map(|one| &one.relocations);
    for relocation in relocations {
        let address = match relocation.target {
            RelocationTarget::Global(id, addend) => {
                (GLOBALS + GLOBAL_STEP * u64::from(id.0)).wrapping_add_signed(addend)
            }
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

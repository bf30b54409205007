//! The watch of the concrete version: what a block looks at to find out whether labels come in.
//!
//! Flags of memory are looked at where it is read; the shadow itself only at the end of the
//! block, if a flag was set. A call that may leave labels ends its block.
//!
//! Invariant: a block of the concrete version creates no label.

use std::collections::HashSet;

use labrys_abi::{FLAG_SHIFT, MAX_RESULT_LABELS};
use labrys_library::WRAPPER_PREFIX;

use labrys_llvm::{LLVMOpcode, Value};

use super::effects::callee_name;
use super::emit::Emitter;
use super::objects::{Objects, has_one_flag};
use super::types::{places, scalars, width};

/// What the block at hand has looked at.
pub(super) struct Watch<'m> {
    /// Accesses of clean versions of loops, which need no look.
    covered: HashSet<Value<'m>>,
    /// Not 0 if the block met labels.
    met: Option<Value<'m>>,
    /// Address and size of what the block read.
    reads: Vec<(Value<'m>, u64)>,
    /// The call that ends the block and may have left labels.
    call: Option<Value<'m>>,
}

impl<'m> Watch<'m> {
    /// A watch that leaves the covered accesses alone.
    pub(super) fn new(covered: HashSet<Value<'m>>) -> Self {
        Watch {
            covered,
            met: None,
            reads: Vec::new(),
            call: None,
        }
    }

    pub(super) fn begin_block(&mut self) {
        self.met = None;
        self.reads.clear();
        self.call = None;
    }

    /// Not 0 at run time if the block met labels; `None` if it looked at nothing.
    pub(super) fn met(&self) -> Option<Value<'m>> {
        self.met
    }

    /// The call that may have left labels.
    pub(super) fn call(&self) -> Option<Value<'m>> {
        self.call
    }

    /// Notes whether what is loaded may have labels.
    pub(super) fn load(&mut self, emit: &Emitter<'m>, objects: &Objects<'_, 'm>, i: Value<'m>) {
        let address = i.operand(0);
        if self.covered.contains(&i) || objects.is_concrete(address) {
            return;
        }
        let size = emit.module().store_size_of(i.ty());
        let places = places(emit.module(), i.ty());
        if places.iter().all(|p| width(p.ty).is_none()) {
            return;
        }
        emit.after(i);
        self.read(emit, objects, address, size, i.alignment());
    }

    /// Notes at the emitter's place whether bytes that were read may have labels.
    fn read(
        &mut self,
        emit: &Emitter<'m>,
        objects: &Objects<'_, 'm>,
        address: Value<'m>,
        size: u64,
        alignment: u64,
    ) {
        let flags = flags(emit, objects, address, size, alignment);
        self.met = Some(match self.met {
            Some(met) => emit.builder().binary(LLVMOpcode::LLVMOr, met, flags),
            None => flags,
        });
        self.reads.push((address, size));
    }

    /// The labels of what a store overwrites go.
    pub(super) fn store(&self, emit: &Emitter<'m>, objects: &Objects<'_, 'm>, i: Value<'m>) {
        if self.covered.contains(&i) || objects.is_concrete(i.operand(1)) {
            return;
        }
        emit.after(i);
        let (address, size) = (i.operand(1), emit.module().store_size_of(i.operand(0).ty()));
        let flags = flags(emit, objects, address, size, i.alignment());
        let _ = emit.call("unlabelled", &[address, emit.u64(size), flags]);
    }

    /// A comparison of few bytes only reads them: LLVM may know how to do that in place.
    pub(super) fn compare(
        &mut self,
        emit: &Emitter<'m>,
        objects: &Objects<'_, 'm>,
        i: Value<'m>,
        size: u64,
    ) {
        let name = callee_name(i);
        let name = name.strip_prefix(WRAPPER_PREFIX).unwrap_or(&name);
        let library = emit.module().declare_like(name, i.called());
        i.set_operand(i.operand_count() - 1, library);
        emit.after(i);
        for address in [i.operand(0), i.operand(1)] {
            if !objects.is_concrete(address) {
                self.read(emit, objects, address, size, 1);
            }
        }
    }

    /// Notes whether a call has left labels; the emitter stands where it has returned.
    pub(super) fn results(&mut self, emit: &Emitter<'m>, call: Value<'m>) {
        let count = scalars(call.ty()).len().min(MAX_RESULT_LABELS);
        let labels = (0..count).map(|index| emit.call("left", &[emit.u32(index as u32)]));
        self.met = labels.reduce(|a, b| emit.builder().binary(LLVMOpcode::LLVMOr, a, b));
        self.call = Some(call);
    }

    /// Not 0 if something that the block read has a label, at the emitter's place.
    pub(super) fn shadow_of_reads(&self, emit: &Emitter<'m>) -> Option<Value<'m>> {
        let reads = self.reads.iter();
        let words = reads.map(|(address, size)| emit.call("shadow", &[*address, emit.u64(*size)]));
        words.reduce(|a, b| emit.builder().binary(LLVMOpcode::LLVMOr, a, b))
    }
}

/// Not 0 if bytes may have labels, at the emitter's place.
fn flags<'m>(
    emit: &Emitter<'m>,
    objects: &Objects<'_, 'm>,
    address: Value<'m>,
    size: u64,
    alignment: u64,
) -> Value<'m> {
    let object = objects.object(address);
    let small = object.filter(|object| has_one_flag(emit.module(), *object));
    if let Some(object) = small {
        return emit.call("flag", &[object]);
    }
    if size <= alignment.min(1 << FLAG_SHIFT) {
        return emit.call("flag", &[address]);
    }
    emit.call("flags", &[address, emit.u64(size)])
}

//! Loads, stores, addresses and the objects that addresses point into.

use labrys_llvm::{LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Type, Value};

use labrys_abi::FLAG_SHIFT;

use super::function::{FunctionPass, Label, Labels, width};
use super::versions::is_slot;
use super::{PREFIX, objects};

/// A scalar inside a type in memory.
struct Place<'m> {
    ty: Type<'m>,
    /// Byte offset.
    offset: u64,
    /// Path of aggregate indices.
    path: Vec<u32>,
}

/// The scalars of a type with their places, in the order of [`scalars`](super::function::scalars).
fn places<'m>(module: &Module, ty: Type<'m>) -> Vec<Place<'m>> {
    let nested = |element: Type<'m>, index: u32, start: u64| {
        places(module, element).into_iter().map(move |mut p| {
            p.offset += start;
            p.path.insert(0, index);
            p
        })
    };
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => (0..)
            .zip(ty.struct_elements())
            .flat_map(|(i, element)| nested(element, i, module.element_offset(ty, i)))
            .collect(),
        LLVMTypeKind::LLVMArrayTypeKind if ty.array_len() <= 64 => {
            let step = module.size_of(ty.element());
            (0..ty.array_len() as u32)
                .flat_map(|i| nested(ty.element(), i, u64::from(i) * step))
                .collect()
        }
        _ => vec![Place {
            ty,
            offset: 0,
            path: Vec::new(),
        }],
    }
}

impl<'m> FunctionPass<'_, 'm> {
    /// The scalars of a value, taken apart at the builder's position.
    pub(super) fn scalar_values(&self, value: Value<'m>) -> Vec<Value<'m>> {
        let builder = &self.pass.helpers.builder;
        places(self.pass.module, value.ty())
            .into_iter()
            .map(|place| {
                place
                    .path
                    .iter()
                    .fold(value, |v, index| builder.extract_value(v, *index))
            })
            .collect()
    }

    fn at_offset(&self, address: Value<'m>, offset: u64) -> Value<'m> {
        if offset == 0 {
            return address;
        }
        let h = &self.pass.helpers;
        h.builder
            .element_address(self.pass.module.int(8), address, h.u64(offset))
    }

    pub(super) fn load(&mut self, i: Value<'m>) {
        let address = i.operand(0);
        if let Some(places) = self.slots.get(&address) {
            return self.load_slot(i, &places.clone());
        }
        if self.concrete {
            return self.look_at(i);
        }
        let address_label = self.operand(self.label_of(address));
        self.after(i);
        let parts = self.scalar_values(i);
        let mut labels: Labels<'m> = Vec::with_capacity(parts.len());
        for (place, part) in places(self.pass.module, i.ty()).into_iter().zip(parts) {
            let h = &self.pass.helpers;
            let Some(bits) = width(place.ty) else {
                labels.push(None);
                continue;
            };
            let p = self.at_offset(address, place.offset);
            let label = match bits.div_ceil(8) {
                size @ (1 | 2 | 4 | 8) => {
                    h.call(&format!("load{size}"), &[p, address_label, self.bits(part)])
                }
                size @ 1..=8 => h.call(
                    "slow_load",
                    &[p, address_label, h.u32(size), self.bits(part)],
                ),
                16 => {
                    let (low, high) = self.halves(part);
                    h.call("load16", &[p, address_label, low, high])
                }
                _ => h.u32(0),
            };
            labels.push(Some(self.fit_loaded(label, part, bits)));
        }
        self.set_labels(i, labels);
    }

    /// A value comes back from its variable, and its labels from theirs.
    fn load_slot(&mut self, i: Value<'m>, places: &[Label<'m>]) {
        if self.concrete {
            return;
        }
        self.after(i);
        let (builder, u32) = (&self.pass.helpers.builder, self.pass.module.int(32));
        let labels = places
            .iter()
            .map(|place| place.map(|p| builder.load(u32, p)));
        self.set_labels(i, labels.collect());
    }

    /// In the concrete version, notes whether what is loaded may have labels.
    fn look_at(&mut self, i: Value<'m>) {
        let address = i.operand(0);
        if self.covered.contains(&i) || self.points_to_constant(address) {
            return;
        }
        let size = self.pass.module.store_size_of(i.ty());
        if places(self.pass.module, i.ty())
            .iter()
            .all(|p| width(p.ty).is_none())
        {
            return;
        }
        self.after(i);
        self.look_at_bytes(address, size, i.alignment());
    }

    /// Whether an address is inside a constant variable, which has no labels.
    pub(super) fn points_to_constant(&self, address: Value<'m>) -> bool {
        let object = self.objects.object(address);
        object.is_some_and(objects::is_constant)
    }

    /// In the concrete version, notes at the builder's position whether bytes that were read may
    /// have labels.
    pub(super) fn look_at_bytes(&mut self, address: Value<'m>, size: u64, alignment: u64) {
        let flags = self.flags(address, size, alignment);
        let h = &self.pass.helpers;
        self.met = Some(match self.met {
            Some(met) => h.builder.binary(LLVMOpcode::LLVMOr, met, flags),
            None => flags,
        });
        self.loads.push((address, size));
    }

    /// Not 0 if bytes may have labels, at the builder's position.
    fn flags(&self, address: Value<'m>, size: u64, alignment: u64) -> Value<'m> {
        let h = &self.pass.helpers;
        let object = self.objects.object(address);
        let small = object.filter(|object| objects::has_one_flag(self.pass.module, *object));
        if let Some(object) = small {
            return h.call("flag", &[object]);
        }
        if size <= alignment.min(1 << FLAG_SHIFT) {
            return h.call("flag", &[address]);
        }
        h.call("flags", &[address, h.u64(size)])
    }

    /// Not 0 if one of the loads of this block of the concrete version has a label.
    pub(super) fn shadow_of_loads(&self) -> Option<Value<'m>> {
        let h = &self.pass.helpers;
        let words = self
            .loads
            .iter()
            .map(|(address, size)| h.call("shadow", &[*address, h.u64(*size)]));
        words.reduce(|a, b| h.builder.binary(LLVMOpcode::LLVMOr, a, b))
    }

    /// In the concrete version, the labels of what a store overwrites go.
    fn store_concrete(&self, i: Value<'m>) {
        if self.covered.contains(&i) {
            return;
        }
        self.after(i);
        let h = &self.pass.helpers;
        let (address, size) = (
            i.operand(1),
            self.pass.module.store_size_of(i.operand(0).ty()),
        );
        let flags = self.flags(address, size, i.alignment());
        let _ = h.call("unlabelled", &[address, h.u64(size), flags]);
    }

    /// A load's label has whole bytes; a value of another width (`i1`, `i17`) is its low part.
    fn fit_loaded(&self, label: Value<'m>, part: Value<'m>, bits: u32) -> Value<'m> {
        if bits % 8 == 0 {
            return label;
        }
        let h = &self.pass.helpers;
        let meta = labrys_abi::Meta::new(labrys_abi::Op::Extract as u8, bits as u16, 0);
        let (low, high) = self.halves(part);
        h.call("unary", &[h.u64(meta.0), label, low, high])
    }

    pub(super) fn store(&mut self, i: Value<'m>) {
        let (value, address) = (i.operand(0), i.operand(1));
        if let Some(places) = self.slots.get(&address) {
            return self.store_slot(i, &places.clone());
        }
        if self.concrete {
            return self.store_concrete(i);
        }
        let mut labels = self.labels_of(value);
        let mut address_label = self.operand(self.label_of(address));
        let places = places(self.pass.module, value.ty());
        if self.label_of(address).is_some() && places.len() == 1 {
            if let Some(bits @ 1..=64) = width(value.ty()) {
                let h = &self.pass.helpers;
                h.builder.before(i);
                let (size, label) = (h.u32(bits.div_ceil(8)), self.operand(labels[0]));
                let arguments = [address, address_label, size, label, self.bits(value)];
                labels[0] = Some(h.call("store_at", &arguments));
                address_label = h.u32(0);
            }
        }
        self.after(i);
        for (place, label) in places.into_iter().zip(labels) {
            let h = &self.pass.helpers;
            let p = self.at_offset(address, place.offset);
            let label = self.operand(label);
            match width(place.ty).map(|bits| bits.div_ceil(8)) {
                Some(size @ (1 | 2 | 4 | 8 | 16)) => {
                    let _ = h.call(&format!("store{size}"), &[p, address_label, label]);
                }
                Some(size @ 1..=8) => {
                    let _ = h.call("slow_store", &[p, address_label, h.u32(size), label]);
                }
                _ => {
                    let size = self.pass.module.size_of(place.ty);
                    let _ = h.call("clear", &[p, h.u64(size)]);
                }
            }
        }
    }

    /// A value goes to its variable, and its labels to theirs.
    fn store_slot(&self, i: Value<'m>, places: &[Label<'m>]) {
        if self.concrete {
            return;
        }
        self.after(i);
        for (place, label) in places.iter().zip(self.labels_of(i.operand(0))) {
            if let Some(place) = place {
                self.pass.helpers.builder.store(self.operand(label), *place);
            }
        }
    }

    /// Atomic read-modify-write: the result and the memory become concrete.
    pub(super) fn atomic(&mut self, i: Value<'m>) {
        let address = i.operand(0);
        let size = self.pass.module.size_of(i.operand(1).ty());
        self.after(i);
        let h = &self.pass.helpers;
        let _ = h.call("clear", &[address, h.u64(size)]);
    }

    /// `getelementptr`: base + Σ index × size + constant offset.
    pub(super) fn address(&mut self, i: Value<'m>) {
        let operands = i.operands();
        let labelled = operands.iter().any(|v| self.label_of(*v).is_some());
        if !labelled || i.ty().kind() != LLVMTypeKind::LLVMPointerTypeKind {
            return;
        }
        self.after(i);
        let module = self.pass.module;
        let h = &self.pass.helpers;
        let i64 = module.int(64);
        let mut label = self.operand(self.label_of(operands[0]));
        let mut base = self.bits(operands[0]);
        let mut constant = 0u64;
        let mut ty = i.gep_source_type();
        for (position, index) in operands[1..].iter().enumerate() {
            if position > 0 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = index.const_int_value().unwrap_or(0) as u32;
                constant = constant.wrapping_add(module.element_offset(ty, field));
                ty = ty.struct_elements()[field as usize];
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let scale = module.size_of(ty);
            if let Some(value) = index.const_int_signed() {
                constant = constant.wrapping_add((value as u64).wrapping_mul(scale));
                continue;
            }
            let wide = match index.ty().int_width() {
                Some(w) if w < 64 => h.builder.cast(LLVMOpcode::LLVMSExt, *index, i64),
                _ => *index,
            };
            let index_label = match self.label_of(*index) {
                Some(l) if index.ty().int_width() != Some(64) => {
                    let meta = labrys_abi::Meta::new(labrys_abi::Op::SExt as u8, 64, 0);
                    h.call("unary", &[h.u64(meta.0), l, wide, h.u64(0)])
                }
                l => self.operand(l),
            };
            let arguments = [label, index_label, base, wide, h.u64(scale)];
            label = h.call("index", &arguments);
            let step = h.builder.binary(LLVMOpcode::LLVMMul, wide, h.u64(scale));
            base = h.builder.binary(LLVMOpcode::LLVMAdd, base, step);
        }
        if constant != 0 {
            label = h.call("offset", &[label, h.u64(constant)]);
        }
        self.set_label(i, label);
    }

    /// Announces a variable on the stack.
    pub(super) fn variable(&mut self, i: Value<'m>) {
        if self.model || is_slot(i) {
            return;
        }
        let size = self.pass.module.size_of(i.allocated_type());
        self.after(i);
        let h = &self.pass.helpers;
        let Some(count) = i.operand(0).const_int_value() else {
            let count = self.bits(i.operand(0));
            let bytes = h.builder.binary(LLVMOpcode::LLVMMul, count, h.u64(size));
            let _ = h.call("array", &[i, bytes]);
            return;
        };
        if !self.announced {
            let _ = h.call("variables", &[]);
        }
        let _ = h.call("variable", &[i, h.u64(size.saturating_mul(count))]);
        self.announced = true;
    }
}

/// Defines the table of the program's global objects, `{address, size, constant}` each, and the
/// mark by which the runtime knows an instrumented program.
pub(super) fn define_globals(module: &Module) {
    let mut rows = Vec::new();
    for global in module.globals() {
        let name = global.name();
        if name.starts_with(PREFIX) || name.starts_with("llvm.") || global.initializer().is_none() {
            continue;
        }
        // No code is generated of what describes the program to LLVM.
        if global.section() == "llvm.metadata" {
            continue;
        }
        let size = module.size_of(global.global_type());
        if size == 0 || global.is_thread_local() {
            continue;
        }
        let constant = u64::from(global.is_constant_global());
        rows.push(module.const_struct(&[
            global,
            module.const_int(64, size),
            module.const_int(64, constant),
        ]));
    }
    let i64 = module.int(64);
    let row = module
        .const_struct(&[module.pointer().zero(), i64.zero(), i64.zero()])
        .ty();
    let count = module.declare_global("__labrys_globals_count", i64);
    count.set_initializer(module.const_int(64, rows.len() as u64));
    let values = module.const_array(row, &rows);
    let table = module.declare_global("__labrys_globals", values.ty());
    table.set_initializer(values);
    let instrumented = module.declare_global("__labrys_instrumented", module.int(32));
    instrumented.set_initializer(module.const_int(32, 1));
    for symbol in [count, table, instrumented] {
        symbol.set_linkage(LLVMLinkage::LLVMExternalLinkage);
    }
}

//! One function: labels of its values, in reverse postorder.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, LLVMOpcode, LLVMTypeKind, Type, Value};

use super::Pass;

/// The label of one scalar: `None` is the constant 0.
pub(super) type Label<'m> = Option<Value<'m>>;

/// One label per scalar of a value, in order.
pub(super) type Labels<'m> = Vec<Label<'m>>;

/// The work on one function.
pub(super) struct FunctionPass<'p, 'm> {
    pub(super) pass: &'p Pass<'m>,
    pub(super) function: Value<'m>,
    /// Whether this is a library model: its own arrays are not announced.
    pub(super) model: bool,
    /// Serial number of the labels of the variable arguments.
    pub(super) serial: Option<Value<'m>>,
    labels: HashMap<Value<'m>, Labels<'m>>,
    phis: Vec<(Value<'m>, Labels<'m>)>,
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
        let mut this = FunctionPass {
            pass,
            function,
            model,
            serial: None,
            labels: HashMap::new(),
            phis: Vec::new(),
        };
        let order = reverse_postorder(function);
        let work: Vec<Vec<Value<'m>>> = order.iter().map(|b| b.instructions()).collect();
        this.enter(&work[0]);
        this.enter_variadic(&work);
        for instructions in &work {
            this.shadow_phis(instructions);
            for instruction in instructions {
                this.instruction(*instruction);
            }
        }
        this.fill_phis(&order);
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

    /// One empty label phi per scalar of each phi.
    fn shadow_phis(&mut self, instructions: &[Value<'m>]) {
        let is_phi = |v: &&Value<'m>| v.opcode() == LLVMOpcode::LLVMPHI;
        // Before the first phi: debug records stand between the phis and the rest.
        let Some(first) = instructions.first().filter(is_phi) else {
            return;
        };
        self.pass.helpers.builder.before(*first);
        let label = self.pass.module.int(32);
        for phi in instructions.iter().take_while(is_phi) {
            let labels: Labels<'m> = scalars(phi.ty())
                .into_iter()
                .map(|ty| width(ty).map(|_| self.pass.helpers.builder.phi(label)))
                .collect();
            self.set_labels(*phi, labels.clone());
            self.phis.push((*phi, labels));
        }
    }

    /// Gives each label phi the labels of its phi's incoming values.
    fn fill_phis(&mut self, order: &[Block<'m>]) {
        let reached: HashSet<Block<'m>> = order.iter().copied().collect();
        for (phi, shadows) in std::mem::take(&mut self.phis) {
            for (value, from) in phi.incoming() {
                let labels = if reached.contains(&from) {
                    self.labels_of(value)
                } else {
                    vec![None; shadows.len()]
                };
                for (shadow, label) in shadows.iter().zip(labels) {
                    if let Some(shadow) = shadow {
                        shadow.add_incoming(self.operand(label), from);
                    }
                }
            }
        }
    }
}

/// Reachable blocks, each before its successors but for back edges.
fn reverse_postorder(function: Value<'_>) -> Vec<Block<'_>> {
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

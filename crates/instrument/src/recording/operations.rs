//! Operations: which helper computes the label of an instruction's result.

use labrys_abi::{Cause, Intrinsic, Meta, Op, WIDE_PREDICATE};

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Value};

use super::calls::lose;
use super::emit::Emitter;
use super::intrinsics::Kind;
use super::labels::Labels;
use super::types::{is_vector, selected, width};

/// A step on one instruction that computes a value of others.
pub(super) struct Operation<'s, 'm> {
    pub(super) emit: &'s Emitter<'m>,
    pub(super) labels: &'s mut Labels<'m>,
}

impl<'m> Operation<'_, 'm> {
    /// Arithmetic on integers and floats.
    pub(super) fn binary(self, i: Value<'m>) {
        let (a, b) = (i.operand(0), i.operand(1));
        let (Some(width), Some(op)) = (width(i.ty()), binary_op(i.opcode())) else {
            return;
        };
        if self.labels.none(&[a, b]) {
            return;
        }
        self.emit.after(i);
        let label = self.apply(op as u8, width, a, b, i, "binary");
        self.labels.set(i, label);
    }

    /// Calls a two-operand helper, or its form for more than 64 bits.
    fn apply(
        &self,
        operation: u8,
        width: u32,
        a: Value<'m>,
        b: Value<'m>,
        result: Value<'m>,
        name: &str,
    ) -> Value<'m> {
        let (emit, labels) = (self.emit, &self.labels);
        let (la, lb) = (emit.label(labels.of(a)), emit.label(labels.of(b)));
        if width <= 64 {
            let meta = emit.u64(Meta::new(operation, width as u16, 0).0);
            let (a, b) = (emit.bits(a), emit.bits(b));
            return emit.call(name, &[meta, la, lb, a, b, emit.bits(result)]);
        }
        let operation = if name == "compare" {
            operation + WIDE_PREDICATE
        } else {
            operation
        };
        let meta = emit.u64(Meta::new(operation, width as u16, 0).0);
        let (al, ah) = emit.halves(a);
        let (bl, bh) = emit.halves(b);
        let (rl, rh) = emit.halves(result);
        emit.call("wide", &[meta, la, lb, al, ah, bl, bh, rl, rh])
    }

    pub(super) fn compare(self, i: Value<'m>) {
        let (a, b) = (i.operand(0), i.operand(1));
        let Some(width) = width(a.ty()) else { return };
        if self.labels.none(&[a, b]) {
            return;
        }
        let predicate = if i.opcode() == LLVMOpcode::LLVMICmp {
            i.int_predicate() as u8
        } else {
            i.real_predicate() as u8
        };
        self.emit.after(i);
        let label = self.apply(predicate, width, a, b, i, "compare");
        self.labels.set(i, label);
    }

    pub(super) fn cast(self, i: Value<'m>) {
        use LLVMOpcode as O;
        let from = i.operand(0);
        let (Some(source), Some(target)) = (width(from.ty()), width(i.ty())) else {
            return lose(self.emit, self.labels, i, &[from]);
        };
        let Some(label) = self.labels.of(from) else {
            return;
        };
        let op = match i.opcode() {
            O::LLVMTrunc => Op::Extract,
            O::LLVMZExt => Op::ZExt,
            O::LLVMSExt => Op::SExt,
            O::LLVMFPToUI => Op::FToU,
            O::LLVMFPToSI => Op::FToS,
            O::LLVMUIToFP => Op::UToF,
            O::LLVMSIToFP => Op::SToF,
            O::LLVMFPTrunc | O::LLVMFPExt => Op::FToF,
            O::LLVMFNeg => Op::FNeg,
            _ if source == target => return self.labels.set(i, label),
            _ if source > target => Op::Extract,
            _ => Op::ZExt,
        };
        let extra = if op == Op::Extract { 0 } else { source };
        self.unary(i, op, target, extra, label);
    }

    /// A one-operand operation whose result is `i`.
    fn unary(self, i: Value<'m>, op: Op, width: u32, extra: u32, label: Value<'m>) {
        let emit = self.emit;
        emit.after(i);
        let meta = emit.u64(Meta::new(op as u8, width as u16, extra).0);
        let (low, high) = emit.halves(i);
        let label = emit.call("unary", &[meta, label, low, high]);
        self.labels.set(i, label);
    }

    /// The result has the labels of an operand.
    pub(super) fn same(self, i: Value<'m>) {
        let labels = self.labels.all(i.operand(0));
        self.labels.set_all(i, labels);
    }

    /// A choice between two values; `decided` if it is a decision that has an event.
    pub(super) fn select(self, i: Value<'m>, decided: bool) {
        let (emit, labels) = (self.emit, self.labels);
        let (condition, a, b) = (i.operand(0), i.operand(1), i.operand(2));
        if condition.ty().kind() != LLVMTypeKind::LLVMIntegerTypeKind {
            return;
        }
        let (la, lb) = (labels.all(a), labels.all(b));
        emit.after(i);
        if let Some(label) = labels.of(condition).filter(|_| !decided) {
            // Not a decision of the program: LLVM made it of something that has no event.
            if let Some(bits) = width(i.ty()).filter(|w| *w <= 64) {
                let meta = Meta::new(Intrinsic::Choose as u8, bits as u16, 0);
                let (la, lb) = (emit.label(la[0]), emit.label(lb[0]));
                let (av, bv, cv) = (emit.bits(a), emit.bits(b), emit.bits(condition));
                let arguments = [emit.u64(meta.0), la, lb, label, av, bv, cv, emit.bits(i)];
                let label = emit.call("ternary", &arguments);
                return labels.set(i, label);
            }
            let cause = emit.u32(Cause::Operation as u32);
            let arguments = [cause, emit.u32(u32::MAX), label, emit.bits(condition)];
            let _ = emit.call("lost", &arguments);
        }
        let chosen = la.into_iter().zip(lb).map(|(a, b)| match (a, b) {
            (None, None) => None,
            (a, b) => {
                let (a, b) = (emit.label(a), emit.label(b));
                Some(emit.builder().select(condition, a, b))
            }
        });
        let chosen = chosen.collect();
        labels.set_all(i, chosen);
    }

    pub(super) fn extract_element(self, i: Value<'m>) {
        let (vector, place) = (i.operand(0), i.operand(1));
        let labels = self.labels.all(vector);
        match place.const_int_value() {
            Some(index) if is_vector(vector.ty()) => {
                let label = labels.get(index as usize).copied().flatten();
                self.labels.set_all(i, vec![label]);
            }
            _ => lose(self.emit, self.labels, i, &[vector, place]),
        }
    }

    pub(super) fn insert_element(self, i: Value<'m>) {
        let [vector, element, place] = [0, 1, 2].map(|index| i.operand(index));
        let mut labels = self.labels.all(vector);
        match place.const_int_value() {
            Some(index) if is_vector(vector.ty()) && (index as usize) < labels.len() => {
                labels[index as usize] = self.labels.of(element);
                self.labels.set_all(i, labels);
            }
            _ => lose(self.emit, self.labels, i, &[vector, element, place]),
        }
    }

    pub(super) fn extract_value(self, i: Value<'m>) {
        let aggregate = i.operand(0);
        let labels = self.labels.all(aggregate);
        let (start, count) = selected(aggregate, &i.indices());
        if let Some(part) = labels.get(start..start + count) {
            self.labels.set_all(i, part.to_vec());
        }
    }

    pub(super) fn insert_value(self, i: Value<'m>) {
        let aggregate = i.operand(0);
        let mut labels = self.labels.all(aggregate);
        let (start, count) = selected(aggregate, &i.indices());
        let part = self.labels.all(i.operand(1));
        if start + count <= labels.len() && part.len() == count {
            labels[start..start + count].copy_from_slice(&part);
            self.labels.set_all(i, labels);
        }
    }

    /// An intrinsic that computes; false if labels that it is given are lost.
    pub(super) fn intrinsic(self, i: Value<'m>, kind: Kind) -> bool {
        let arguments = i.arguments();
        if self.labels.none(&arguments) {
            return true;
        }
        let first = arguments.first().and_then(|a| width(a.ty()));
        let Some(bits) = first.filter(|w| *w <= 64) else {
            return false;
        };
        match kind {
            Kind::Unary(op, extra) => {
                if let Some(label) = self.labels.of(i.operand(0)) {
                    self.unary(i, op, bits, extra, label);
                }
            }
            Kind::Composed(code) => self.composed(i, code, bits),
            Kind::Ternary(code) => self.ternary(i, code, bits),
            Kind::Overflow(op, code) => self.overflow(i, op, code, bits),
            _ => return false,
        }
        true
    }

    /// `{meta, labels, values}` of the first two arguments (the second may be missing).
    fn two_operands(&self, i: Value<'m>, code: Intrinsic, bits: u32) -> [Value<'m>; 5] {
        let (emit, labels) = (self.emit, &self.labels);
        let (a, b) = (i.operand(0), i.operand(1.min(i.arguments().len() - 1)));
        let meta = emit.u64(Meta::new(code as u8, bits as u16, 0).0);
        let (la, lb) = (emit.label(labels.of(a)), emit.label(labels.of(b)));
        [meta, la, lb, emit.bits(a), emit.bits(b)]
    }

    fn composed(self, i: Value<'m>, code: Intrinsic, bits: u32) {
        let emit = self.emit;
        emit.after(i);
        let [meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let value = emit.bits(i);
        let label = emit.call("intrinsic", &[meta, la, lb, av, bv, value]);
        self.labels.set(i, label);
    }

    fn ternary(self, i: Value<'m>, code: Intrinsic, bits: u32) {
        let emit = self.emit;
        emit.after(i);
        let [meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let c = i.operand(2);
        let lc = emit.label(self.labels.of(c));
        let (cv, value) = (emit.bits(c), emit.bits(i));
        let label = emit.call("ternary", &[meta, la, lb, lc, av, bv, cv, value]);
        self.labels.set(i, label);
    }

    fn overflow(self, i: Value<'m>, op: Op, code: Intrinsic, bits: u32) {
        let emit = self.emit;
        emit.after(i);
        let parts = emit.scalar_values(i);
        let [flag_meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let meta = emit.u64(Meta::new(op as u8, bits as u16, 0).0);
        let value = emit.call("binary", &[meta, la, lb, av, bv, emit.bits(parts[0])]);
        let flag = emit.call(
            "intrinsic",
            &[flag_meta, la, lb, av, bv, emit.bits(parts[1])],
        );
        self.labels.set_all(i, vec![Some(value), Some(flag)]);
    }
}

/// The node operation of a binary instruction.
pub(super) fn binary_op(opcode: LLVMOpcode) -> Option<Op> {
    use LLVMOpcode as O;
    Some(match opcode {
        O::LLVMAdd => Op::Add,
        O::LLVMSub => Op::Sub,
        O::LLVMMul => Op::Mul,
        O::LLVMUDiv => Op::UDiv,
        O::LLVMSDiv => Op::SDiv,
        O::LLVMURem => Op::URem,
        O::LLVMSRem => Op::SRem,
        O::LLVMShl => Op::Shl,
        O::LLVMLShr => Op::LShr,
        O::LLVMAShr => Op::AShr,
        O::LLVMAnd => Op::And,
        O::LLVMOr => Op::Or,
        O::LLVMXor => Op::Xor,
        O::LLVMFAdd => Op::FAdd,
        O::LLVMFSub => Op::FSub,
        O::LLVMFMul => Op::FMul,
        O::LLVMFDiv => Op::FDiv,
        O::LLVMFRem => Op::FRem,
        _ => return None,
    })
}

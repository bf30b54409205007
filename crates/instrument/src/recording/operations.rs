//! One instruction: which helper computes the label of its result.

use labrys_abi::{Cause, Intrinsic, Meta, Op, WIDE_PREDICATE};

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Value};

use super::function::{FunctionPass, scalars, width};

impl<'m> FunctionPass<'_, 'm> {
    /// Positions the builder after `instruction`.
    pub(super) fn after(&self, instruction: Value<'m>) {
        if let Some(next) = instruction.next() {
            self.pass.helpers.builder.before(next);
        }
    }

    /// Instruments one instruction.
    pub(super) fn instruction(&mut self, i: Value<'m>) {
        use LLVMOpcode as O;
        match i.opcode() {
            O::LLVMAdd
            | O::LLVMSub
            | O::LLVMMul
            | O::LLVMUDiv
            | O::LLVMSDiv
            | O::LLVMURem
            | O::LLVMSRem
            | O::LLVMShl
            | O::LLVMLShr
            | O::LLVMAShr
            | O::LLVMAnd
            | O::LLVMOr
            | O::LLVMXor
            | O::LLVMFAdd
            | O::LLVMFSub
            | O::LLVMFMul
            | O::LLVMFDiv
            | O::LLVMFRem => {
                self.binary(i);
            }
            O::LLVMICmp | O::LLVMFCmp => self.compare(i),
            O::LLVMTrunc
            | O::LLVMZExt
            | O::LLVMSExt
            | O::LLVMFPToUI
            | O::LLVMFPToSI
            | O::LLVMUIToFP
            | O::LLVMSIToFP
            | O::LLVMFPTrunc
            | O::LLVMFPExt
            | O::LLVMPtrToInt
            | O::LLVMIntToPtr
            | O::LLVMBitCast
            | O::LLVMFNeg
            | O::LLVMAddrSpaceCast => self.cast(i),
            O::LLVMFreeze => {
                let labels = self.labels_of(i.operand(0));
                self.set_labels(i, labels);
            }
            O::LLVMSelect => self.select(i),
            O::LLVMExtractValue => self.extract_value(i),
            O::LLVMInsertValue => self.insert_value(i),
            O::LLVMLoad => self.load(i),
            O::LLVMStore => self.store(i),
            O::LLVMGetElementPtr => self.address(i),
            O::LLVMAlloca => self.variable(i),
            O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg => self.atomic(i),
            O::LLVMCall | O::LLVMInvoke | O::LLVMCallBr => self.call(i),
            O::LLVMRet => self.leave(i),
            _ => {}
        }
    }

    fn binary(&mut self, i: Value<'m>) {
        let (a, b) = (i.operand(0), i.operand(1));
        let (la, lb) = (self.label_of(a), self.label_of(b));
        let (Some(width), Some(op)) = (width(i.ty()), binary_op(i.opcode())) else {
            return;
        };
        if la.is_none() && lb.is_none() {
            return;
        }
        self.after(i);
        let label = self.apply(op as u8, width, a, b, i, "binary");
        self.set_label(i, label);
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
        let h = &self.pass.helpers;
        let (la, lb) = (
            self.operand(self.label_of(a)),
            self.operand(self.label_of(b)),
        );
        if width <= 64 {
            let meta = h.u64(Meta::new(operation, width as u16, 0).0);
            return h.call(
                name,
                &[meta, la, lb, self.bits(a), self.bits(b), self.bits(result)],
            );
        }
        let operation = if name == "compare" {
            operation + WIDE_PREDICATE
        } else {
            operation
        };
        let meta = h.u64(Meta::new(operation, width as u16, 0).0);
        let (al, ah) = self.halves(a);
        let (bl, bh) = self.halves(b);
        let (rl, rh) = self.halves(result);
        h.call("wide", &[meta, la, lb, al, ah, bl, bh, rl, rh])
    }

    fn compare(&mut self, i: Value<'m>) {
        let (a, b) = (i.operand(0), i.operand(1));
        let Some(width) = width(a.ty()) else { return };
        if self.label_of(a).is_none() && self.label_of(b).is_none() {
            return;
        }
        let predicate = if i.opcode() == LLVMOpcode::LLVMICmp {
            i.int_predicate() as u8
        } else {
            i.real_predicate() as u8
        };
        self.after(i);
        let label = self.apply(predicate, width, a, b, i, "compare");
        self.set_label(i, label);
    }

    fn cast(&mut self, i: Value<'m>) {
        use LLVMOpcode as O;
        let from = i.operand(0);
        let Some(label) = self.label_of(from) else {
            return;
        };
        let (Some(source), Some(target)) = (width(from.ty()), width(i.ty())) else {
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
            _ if source == target => return self.set_label(i, label),
            _ if source > target => Op::Extract,
            _ => Op::ZExt,
        };
        let extra = if op == Op::Extract { 0 } else { source };
        let label = self.unary_at(i, op, target, extra, label);
        self.set_label(i, label);
    }

    /// Label of a one-operand operation whose result is `i`.
    pub(super) fn unary_at(
        &self,
        i: Value<'m>,
        op: Op,
        width: u32,
        extra: u32,
        label: Value<'m>,
    ) -> Value<'m> {
        self.after(i);
        let h = &self.pass.helpers;
        let meta = h.u64(Meta::new(op as u8, width as u16, extra).0);
        let (low, high) = self.halves(i);
        h.call("unary", &[meta, label, low, high])
    }

    fn select(&mut self, i: Value<'m>) {
        let (condition, a, b) = (i.operand(0), i.operand(1), i.operand(2));
        if condition.ty().kind() != LLVMTypeKind::LLVMIntegerTypeKind {
            return;
        }
        let (la, lb) = (self.labels_of(a), self.labels_of(b));
        let h = &self.pass.helpers;
        self.after(i);
        if let Some(label) = self.label_of(condition)
            && !self.decided.contains(&condition)
        {
            // Not a decision of the program: LLVM made it of something that has no event.
            if let Some(bits) = width(i.ty()).filter(|w| *w <= 64) {
                let meta = Meta::new(Intrinsic::Choose as u8, bits as u16, 0);
                let (la, lb) = (self.operand(la[0]), self.operand(lb[0]));
                let (av, bv, cv) = (self.bits(a), self.bits(b), self.bits(condition));
                let arguments = [h.u64(meta.0), la, lb, label, av, bv, cv, self.bits(i)];
                let label = h.call("ternary", &arguments);
                return self.set_label(i, label);
            }
            let cause = h.u32(Cause::Operation as u32);
            let arguments = [cause, h.u32(u32::MAX), label, self.bits(condition)];
            let _ = h.call("lost", &arguments);
        }
        let labels = la.into_iter().zip(lb).map(|(a, b)| match (a, b) {
            (None, None) => None,
            (a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                Some(h.builder.select(condition, a, b))
            }
        });
        let labels = labels.collect();
        self.set_labels(i, labels);
    }

    /// First scalar and number of scalars that `indices` select in `i`'s aggregate operand.
    fn selected(&self, aggregate: Value<'m>, indices: &[u32]) -> (usize, usize) {
        let mut ty = aggregate.ty();
        let mut start = 0;
        for index in indices {
            if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let elements = ty.struct_elements();
                start += elements[..*index as usize]
                    .iter()
                    .map(|t| scalars(*t).len())
                    .sum::<usize>();
                ty = elements[*index as usize];
            } else {
                ty = ty.element();
                start += *index as usize * scalars(ty).len();
            }
        }
        (start, scalars(ty).len())
    }

    fn extract_value(&mut self, i: Value<'m>) {
        let aggregate = i.operand(0);
        let labels = self.labels_of(aggregate);
        let (start, count) = self.selected(aggregate, &i.indices());
        if let Some(part) = labels.get(start..start + count) {
            self.set_labels(i, part.to_vec());
        }
    }

    fn insert_value(&mut self, i: Value<'m>) {
        let aggregate = i.operand(0);
        let mut labels = self.labels_of(aggregate);
        let (start, count) = self.selected(aggregate, &i.indices());
        let part = self.labels_of(i.operand(1));
        if start + count <= labels.len() && part.len() == count {
            labels[start..start + count].copy_from_slice(&part);
            self.set_labels(i, labels);
        }
    }
}

/// The node operation of a binary instruction.
fn binary_op(opcode: LLVMOpcode) -> Option<Op> {
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

//! LLVM intrinsics.

use labrys_abi::{Cause, Intrinsic, Meta, Op};

use labrys_llvm::Value;

use super::function::{FunctionPass, width};

/// Intrinsics whose result is their first argument.
const IDENTITY: &[&str] = &[
    "llvm.expect",
    "llvm.ssa.copy",
    "llvm.launder.invariant",
    "llvm.strip.invariant",
    "llvm.annotation",
    "llvm.ptr.annotation",
    "llvm.threadlocal.address",
];

/// Intrinsics that neither compute nor write memory that could carry labels.
const SILENT: &[&str] = &[
    "llvm.lifetime",
    "llvm.dbg",
    "llvm.assume",
    "llvm.experimental.noalias",
    "llvm.va_end",
    "llvm.stack",
    "llvm.trap",
    "llvm.ubsantrap",
    "llvm.debugtrap",
    "llvm.invariant",
    "llvm.prefetch",
    "llvm.objectsize",
    "llvm.is.constant",
    "llvm.eh",
    "llvm.frameaddress",
    "llvm.returnaddress",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.var.annotation",
];

/// One-operand node operations.
const UNARY: &[(&str, Op, u32)] = &[
    ("llvm.ctpop", Op::PopCount, 0),
    ("llvm.ctlz", Op::LeadingZeros, 0),
    ("llvm.cttz", Op::TrailingZeros, 0),
    ("llvm.fabs", Op::FAbs, 0),
    ("llvm.sqrt", Op::FSqrt, 0),
    ("llvm.rint", Op::FRound, 0),
    ("llvm.nearbyint", Op::FRound, 0),
    ("llvm.roundeven", Op::FRound, 0),
    ("llvm.floor", Op::FRound, 1),
    ("llvm.ceil", Op::FRound, 2),
    ("llvm.trunc", Op::FRound, 3),
    ("llvm.round", Op::FRound, 4),
];

/// Intrinsics that the runtime composes.
const COMPOSED: &[(&str, Intrinsic)] = &[
    ("llvm.umin", Intrinsic::UMin),
    ("llvm.umax", Intrinsic::UMax),
    ("llvm.smin", Intrinsic::SMin),
    ("llvm.smax", Intrinsic::SMax),
    ("llvm.abs", Intrinsic::Abs),
    ("llvm.bswap", Intrinsic::ByteSwap),
    ("llvm.bitreverse", Intrinsic::BitReverse),
    ("llvm.uadd.sat", Intrinsic::UAddSat),
    ("llvm.usub.sat", Intrinsic::USubSat),
    ("llvm.sadd.sat", Intrinsic::SAddSat),
    ("llvm.ssub.sat", Intrinsic::SSubSat),
    ("llvm.minnum", Intrinsic::FMin),
    ("llvm.maxnum", Intrinsic::FMax),
    ("llvm.copysign", Intrinsic::CopySign),
];

/// Three-operand intrinsics that the runtime composes.
const TERNARY: &[(&str, Intrinsic)] = &[
    ("llvm.fshl", Intrinsic::FunnelLeft),
    ("llvm.fshr", Intrinsic::FunnelRight),
    ("llvm.fmuladd", Intrinsic::MulAdd),
];

/// Arithmetic with overflow: node operation of the value, intrinsic of the flag.
const OVERFLOW: &[(&str, Op, Intrinsic)] = &[
    ("llvm.uadd.with.overflow", Op::Add, Intrinsic::UAddOverflow),
    ("llvm.usub.with.overflow", Op::Sub, Intrinsic::USubOverflow),
    ("llvm.umul.with.overflow", Op::Mul, Intrinsic::UMulOverflow),
    ("llvm.sadd.with.overflow", Op::Add, Intrinsic::SAddOverflow),
    ("llvm.ssub.with.overflow", Op::Sub, Intrinsic::SSubOverflow),
    ("llvm.smul.with.overflow", Op::Mul, Intrinsic::SMulOverflow),
];

/// Is `name` the intrinsic `stem`, whatever its type suffix?
fn is(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether `name` is an intrinsic that does nothing but compute.
pub(super) fn is_computation(name: &str) -> bool {
    IDENTITY.iter().any(|stem| name.starts_with(stem))
        || UNARY.iter().any(|(stem, ..)| is(name, stem))
        || COMPOSED.iter().any(|(stem, _)| is(name, stem))
        || TERNARY.iter().any(|(stem, _)| is(name, stem))
        || OVERFLOW.iter().any(|(stem, ..)| is(name, stem))
}

/// Whether it neither computes nor writes memory that could carry labels.
pub(super) fn is_silent(name: &str) -> bool {
    SILENT.iter().any(|stem| name.starts_with(stem))
}

impl<'m> FunctionPass<'_, 'm> {
    /// Instruments a call of intrinsic `name`.
    pub(super) fn intrinsic(&mut self, i: Value<'m>, name: &str) {
        if is_silent(name) {
            return;
        }
        if IDENTITY.iter().any(|stem| name.starts_with(stem)) {
            let labels = self.labels_of(i.operand(0));
            return self.set_labels(i, labels);
        }
        if name.starts_with("llvm.va_") {
            return self.variadic_intrinsic(i, name);
        }
        if name.starts_with("llvm.mem") {
            return self.memory_intrinsic(i, name);
        }
        let arguments = i.arguments();
        if arguments.iter().all(|a| self.label_of(*a).is_none()) {
            return;
        }
        let bits = arguments
            .first()
            .and_then(|a| width(a.ty()))
            .filter(|w| *w <= 64);
        let Some(bits) = bits else {
            return self.lose_arguments(i, Cause::Operation, u32::MAX, 0);
        };
        if let Some((_, op, extra)) = UNARY.iter().find(|(stem, ..)| is(name, stem)) {
            if let Some(label) = self.label_of(i.operand(0)) {
                let label = self.unary_at(i, *op, bits, *extra, label);
                self.set_label(i, label);
            }
        } else if let Some((_, code)) = COMPOSED.iter().find(|(stem, _)| is(name, stem)) {
            self.composed(i, *code, bits);
        } else if let Some((_, code)) = TERNARY.iter().find(|(stem, _)| is(name, stem)) {
            self.ternary(i, *code, bits);
        } else if let Some((_, op, code)) = OVERFLOW.iter().find(|(stem, ..)| is(name, stem)) {
            self.overflow(i, *op, *code, bits);
        } else {
            self.lose_arguments(i, Cause::Operation, u32::MAX, 0);
        }
    }

    /// `{meta, labels, values}` of the first two arguments (the second may be missing).
    fn two_operands(&self, i: Value<'m>, code: Intrinsic, bits: u32) -> [Value<'m>; 5] {
        let h = &self.pass.helpers;
        let (a, b) = (i.operand(0), i.operand(1.min(i.arguments().len() - 1)));
        let meta = h.u64(Meta::new(code as u8, bits as u16, 0).0);
        let (la, lb) = (
            self.operand(self.label_of(a)),
            self.operand(self.label_of(b)),
        );
        [meta, la, lb, self.bits(a), self.bits(b)]
    }

    fn composed(&mut self, i: Value<'m>, code: Intrinsic, bits: u32) {
        self.after(i);
        let [meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let value = self.bits(i);
        let label = self
            .pass
            .helpers
            .call("intrinsic", &[meta, la, lb, av, bv, value]);
        self.set_label(i, label);
    }

    fn ternary(&mut self, i: Value<'m>, code: Intrinsic, bits: u32) {
        self.after(i);
        let h = &self.pass.helpers;
        let [meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let c = i.operand(2);
        let lc = self.operand(self.label_of(c));
        let label = h.call(
            "ternary",
            &[meta, la, lb, lc, av, bv, self.bits(c), self.bits(i)],
        );
        self.set_label(i, label);
    }

    fn overflow(&mut self, i: Value<'m>, op: Op, code: Intrinsic, bits: u32) {
        self.after(i);
        let h = &self.pass.helpers;
        let parts = self.scalar_values(i);
        let [flag_meta, la, lb, av, bv] = self.two_operands(i, code, bits);
        let meta = h.u64(Meta::new(op as u8, bits as u16, 0).0);
        let value = h.call("binary", &[meta, la, lb, av, bv, self.bits(parts[0])]);
        let flag = h.call(
            "intrinsic",
            &[flag_meta, la, lb, av, bv, self.bits(parts[1])],
        );
        self.set_labels(i, vec![Some(value), Some(flag)]);
    }

    /// The memcpy family: shadows go the same way as bytes.
    fn memory_intrinsic(&mut self, i: Value<'m>, name: &str) {
        let h = &self.pass.helpers;
        let (to, second, size) = (i.operand(0), i.operand(1), i.operand(2));
        let length = self.operand(self.label_of(size));
        let fills = name.starts_with("llvm.memset");
        if fills && self.label_of(size).is_some() {
            h.builder.before(i);
            let label = self.operand(self.label_of(second));
            let (value, size) = (self.bits(second), self.bits(size));
            let _ = h.call("fill_some", &[to, label, value, size, length]);
            return self.after(i);
        }
        self.after(i);
        let size = self.bits(size);
        if fills {
            let label = self.operand(self.label_of(second));
            let _ = h.call("fill", &[to, label, size, length]);
        } else {
            let _ = h.call("copy", &[to, second, size, length]);
        }
    }
}

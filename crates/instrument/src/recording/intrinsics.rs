//! What the instrumentation does with each intrinsic of LLVM: the one list.

use labrys_abi::{Intrinsic, Op};

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

/// Whether `name` is the intrinsic `stem`, whatever its type suffix.
fn is(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What an intrinsic does with labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It neither computes nor writes memory that could carry labels.
    Silent,
    /// Its result is its first argument.
    Identity,
    /// It begins, copies or ends a list of variable arguments.
    Variadic,
    /// It copies or fills memory.
    Memory,
    /// A node operation on one operand, with its extra number.
    Unary(Op, u32),
    /// An operation on one or two operands that the runtime composes.
    Composed(Intrinsic),
    /// An operation on three operands that the runtime composes.
    Ternary(Intrinsic),
    /// Arithmetic with overflow: node operation of the value, intrinsic of the flag.
    Overflow(Op, Intrinsic),
    /// Not known: labels that it is given are lost.
    Unknown,
}

/// What the intrinsic of this name does.
pub(super) fn kind(name: &str) -> Kind {
    let begins = |list: &[&str]| list.iter().any(|stem| name.starts_with(stem));
    if begins(SILENT) {
        return Kind::Silent;
    }
    if begins(IDENTITY) {
        return Kind::Identity;
    }
    if name.starts_with("llvm.va_") {
        return Kind::Variadic;
    }
    if name.starts_with("llvm.mem") {
        return Kind::Memory;
    }
    if let Some((_, op, extra)) = UNARY.iter().find(|(stem, ..)| is(name, stem)) {
        return Kind::Unary(*op, *extra);
    }
    if let Some((_, code)) = COMPOSED.iter().find(|(stem, _)| is(name, stem)) {
        return Kind::Composed(*code);
    }
    if let Some((_, code)) = TERNARY.iter().find(|(stem, _)| is(name, stem)) {
        return Kind::Ternary(*code);
    }
    if let Some((_, op, code)) = OVERFLOW.iter().find(|(stem, ..)| is(name, stem)) {
        return Kind::Overflow(*op, *code);
    }
    Kind::Unknown
}

/// Whether `name` is an intrinsic that does nothing but compute.
pub(super) fn is_computation(name: &str) -> bool {
    matches!(
        kind(name),
        Kind::Identity
            | Kind::Unary(..)
            | Kind::Composed(_)
            | Kind::Ternary(_)
            | Kind::Overflow(..)
    )
}

//! Intrinsics of the processor (SSE to AVX2) and sums over vectors, spelled as operations on
//! elements. Sources: Intel's Intrinsics Guide, by the name of each.

use labrys_llvm::{LLVMIntPredicate as P, LLVMOpcode as O, Value};

use super::{Elements, is_vector, replace, width};

/// Bits of the lanes in which wider vectors are computed.
const LANE: u32 = 128;

/// Replaces a call of an intrinsic that is known.
pub(super) fn spell<'m>(on: &Elements<'m>, call: Value<'m>) {
    let name = call.called().name();
    let new = match name.strip_prefix("llvm.x86.") {
        Some(name) => of_processor(on, call, name),
        None => name
            .strip_prefix("llvm.vector.reduce.")
            .and_then(|name| over_all(on, call, name)),
    };
    if let Some(new) = new {
        replace(call, new);
    }
}

/// The name of an operation without the extension of the processor and the size of the vector.
fn operation(name: &str) -> &str {
    let name = name.split_once('.').map_or(name, |(_, name)| name);
    let short = name.strip_suffix(".128").or(name.strip_suffix(".256"));
    short.unwrap_or(name)
}

fn of_processor<'m>(on: &Elements<'m>, call: Value<'m>, name: &str) -> Option<Value<'m>> {
    let [a, b] = [0, 1].map(|index| call.operand(index));
    if !is_vector(a) || width(a.ty().element()).is_none() {
        return None;
    }
    Some(match operation(name) {
        "pmovmskb" | "movmsk.ps" | "movmsk.pd" => signs(on, a),
        "psad.bw" => distances(on, call),
        "packuswb" => packed(on, call, 0, 255),
        "packusdw" => packed(on, call, 0, 65_535),
        "packsswb" => packed(on, call, -128, 127),
        "packssdw" => packed(on, call, -32_768, 32_767),
        "pshuf.b" => shuffled(on, call),
        "pslli.w" | "pslli.d" | "pslli.q" => shifted(on, call, O::LLVMShl),
        "psrli.w" | "psrli.d" | "psrli.q" => shifted(on, call, O::LLVMLShr),
        "psrai.w" | "psrai.d" => shifted(on, call, O::LLVMAShr),
        "ptestz" => {
            let both = pairs(on, a, b, |a, b| on.builder.binary(O::LLVMAnd, a, b));
            all_zero(on, &both)
        }
        "ptestc" => {
            let missing = pairs(on, a, b, |a, b| {
                let inverted = on.binary(O::LLVMXor, a, u64::MAX);
                on.builder.binary(O::LLVMAnd, inverted, b)
            });
            all_zero(on, &missing)
        }
        "pblendvb" | "blendvps" | "blendvpd" => blended(on, call),
        "psign.b" | "psign.w" | "psign.d" => signed(on, call),
        "pmadd.wd" => sums_of_products(on, call),
        "pmulh.w" => upper_halves(on, call, O::LLVMSExt),
        "pmulhu.w" => upper_halves(on, call, O::LLVMZExt),
        "pavg.b" | "pavg.w" => means(on, call),
        _ => return None,
    })
}

/// An operation on each two elements.
fn pairs<'m>(
    on: &Elements<'m>,
    a: Value<'m>,
    b: Value<'m>,
    apply: impl Fn(Value<'m>, Value<'m>) -> Value<'m>,
) -> Vec<Value<'m>> {
    let pairs = on.of(a).into_iter().zip(on.of(b));
    pairs.map(|(a, b)| apply(a, b)).collect()
}

/// The uppermost bits of all elements, as a number of 32 bits.
fn signs<'m>(on: &Elements<'m>, vector: Value<'m>) -> Value<'m> {
    let sign = |element| {
        let bits = on.as_integer(element);
        let last = width(bits.ty()).map_or(0, |bits| u64::from(bits - 1));
        let top = on.binary(O::LLVMLShr, bits, last);
        on.builder.cast(O::LLVMTrunc, top, on.module.int(1))
    };
    let signs: Vec<_> = on.of(vector).into_iter().map(sign).collect();
    on.join(&signs, 32)
}

/// The sums of how far each eight bytes are apart.
fn distances<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let apart = pairs(on, call.operand(0), call.operand(1), |a, b| {
        let less = on.builder.compare(P::LLVMIntULT, a, b);
        let forth = on.builder.binary(O::LLVMSub, a, b);
        let back = on.builder.binary(O::LLVMSub, b, a);
        on.widen(on.blend(less, back, forth), 64)
    });
    let sums: Vec<_> = apart.chunks(8).map(|eight| total(on, eight)).collect();
    on.vector(call.ty(), &sums)
}

/// The sum of numbers.
fn total<'m>(on: &Elements<'m>, numbers: &[Value<'m>]) -> Value<'m> {
    let sum = |sum, next| on.builder.binary(O::LLVMAdd, sum, next);
    let all = numbers.iter().copied();
    all.reduce(sum)
        .unwrap_or_else(|| on.module.const_int(64, 0))
}

/// Signed elements in half of their bits, cut off at two bounds: in each lane those of the first
/// vector, then those of the second.
fn packed<'m>(on: &Elements<'m>, call: Value<'m>, least: i64, most: i64) -> Value<'m> {
    let [a, b] = [0, 1].map(|index| on.of(call.operand(index)));
    let element = call.ty().element();
    let bits = call.operand(0).ty().element().int_width().unwrap_or(16);
    let [least, most] = [least, most].map(|bound| on.module.const_int(bits, bound as u64));
    let fit = |value: &Value<'m>| {
        let low = on.builder.compare(P::LLVMIntSLT, *value, least);
        let value = on.blend(low, least, *value);
        let high = on.builder.compare(P::LLVMIntSGT, value, most);
        on.builder
            .cast(O::LLVMTrunc, on.blend(high, most, value), element)
    };
    let lane = (LANE / bits) as usize;
    let lanes = a.chunks(lane).zip(b.chunks(lane));
    let all: Vec<_> = lanes
        .flat_map(|(a, b)| a.iter().chain(b).map(fit))
        .collect();
    on.vector(call.ty(), &all)
}

/// Bytes of a lane as the lower four bits of others choose them, zero where the uppermost is set.
fn shuffled<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let [bytes, chosen] = [0, 1].map(|index| on.of(call.operand(index)));
    let lane = (LANE / 8) as usize;
    let lanes = bytes.chunks(lane).zip(chosen.chunks(lane));
    let byte = |bytes: &[Value<'m>], chosen: Value<'m>| {
        let zero = on.module.const_int(8, 0);
        if let Some(known) = chosen.const_int_value() {
            return if known < 128 {
                bytes[(known & 15) as usize]
            } else {
                zero
            };
        }
        let found = on.chosen(bytes, on.binary(O::LLVMAnd, chosen, 15));
        let none = on.builder.compare(P::LLVMIntSLT, chosen, zero);
        on.blend(none, zero, found)
    };
    let all: Vec<_> = lanes
        .flat_map(|(bytes, chosen)| chosen.iter().map(move |chosen| byte(bytes, *chosen)))
        .collect();
    on.vector(call.ty(), &all)
}

/// All elements shifted by one number, which may be too large.
fn shifted<'m>(on: &Elements<'m>, call: Value<'m>, opcode: O) -> Value<'m> {
    let by = call.operand(1);
    let ty = call.ty().element();
    let bits = ty.int_width().unwrap_or(64);
    let bound = on.module.const_int(32, u64::from(bits));
    let fits = on.builder.compare(P::LLVMIntULT, by, bound);
    let most = on.module.const_int(32, u64::from(bits - 1));
    let by = on.blend(fits, by, most);
    let by = match bits {
        64 => on.widen(by, 64),
        32 => by,
        _ => on.builder.cast(O::LLVMTrunc, by, ty),
    };
    let kept = on.extend(O::LLVMSExt, fits, bits);
    let shift = |element| {
        let shifted = on.builder.binary(opcode, element, by);
        match opcode {
            O::LLVMAShr => shifted,
            _ => on.builder.binary(O::LLVMAnd, shifted, kept),
        }
    };
    let all: Vec<_> = on.of(call.operand(0)).into_iter().map(shift).collect();
    on.vector(call.ty(), &all)
}

/// 1 if all are zero, in 32 bits.
fn all_zero<'m>(on: &Elements<'m>, elements: &[Value<'m>]) -> Value<'m> {
    let or = |a, b| on.builder.binary(O::LLVMOr, a, b);
    let any = elements.iter().copied().reduce(or);
    let any = any.unwrap_or_else(|| on.module.const_int(64, 0));
    let none = on
        .builder
        .compare(P::LLVMIntEQ, any, on.module.zero(any.ty()));
    on.widen(none, 32)
}

/// Elements of the second vector where those of the third have a sign, else of the first.
fn blended<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let [a, b, sign] = [0, 1, 2].map(|index| on.of(call.operand(index)));
    let choices = a.into_iter().zip(b).zip(sign);
    let all: Vec<_> = choices
        .map(|((a, b), sign)| {
            let [old, new, sign] = [a, b, sign].map(|x| on.as_integer(x));
            let taken = on
                .builder
                .compare(P::LLVMIntSLT, sign, on.module.zero(sign.ty()));
            on.as_type(on.blend(taken, new, old), a.ty())
        })
        .collect();
    on.vector(call.ty(), &all)
}

/// Elements of the first vector, negative where those of the second are, and zero where they are.
fn signed<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let all = pairs(on, call.operand(0), call.operand(1), |a, b| {
        let zero = on.module.zero(b.ty());
        let negated = on.builder.binary(O::LLVMSub, zero, a);
        let negative = on.builder.compare(P::LLVMIntSLT, b, zero);
        let none = on.builder.compare(P::LLVMIntEQ, b, zero);
        on.blend(none, zero, on.blend(negative, negated, a))
    });
    on.vector(call.ty(), &all)
}

/// Sums of each two products of signed elements, in twice their bits.
fn sums_of_products<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let products = products(on, call, O::LLVMSExt);
    let sums: Vec<_> = products.chunks(2).map(|two| total(on, two)).collect();
    on.vector(call.ty(), &sums)
}

/// Products of elements of 16 bits, in 32.
fn products<'m>(on: &Elements<'m>, call: Value<'m>, extension: O) -> Vec<Value<'m>> {
    pairs(on, call.operand(0), call.operand(1), |a, b| {
        let [a, b] = [a, b].map(|x| on.extend(extension, x, 32));
        on.builder.binary(O::LLVMMul, a, b)
    })
}

/// The upper halves of products.
fn upper_halves<'m>(on: &Elements<'m>, call: Value<'m>, extension: O) -> Value<'m> {
    let upper = |product| {
        let upper = on.binary(O::LLVMLShr, product, 16);
        on.builder.cast(O::LLVMTrunc, upper, call.ty().element())
    };
    let all: Vec<_> = products(on, call, extension)
        .into_iter()
        .map(upper)
        .collect();
    on.vector(call.ty(), &all)
}

/// Means of elements without a sign, rounded up.
fn means<'m>(on: &Elements<'m>, call: Value<'m>) -> Value<'m> {
    let all = pairs(on, call.operand(0), call.operand(1), |a, b| {
        let [a, b] = [a, b].map(|x| on.widen(x, 32));
        let sum = on.binary(O::LLVMAdd, on.builder.binary(O::LLVMAdd, a, b), 1);
        let half = on.binary(O::LLVMLShr, sum, 1);
        on.builder.cast(O::LLVMTrunc, half, call.ty().element())
    });
    on.vector(call.ty(), &all)
}

/// One operation over all elements of a vector of integers.
fn over_all<'m>(on: &Elements<'m>, call: Value<'m>, name: &str) -> Option<Value<'m>> {
    let vector = call.operand(0);
    if !is_vector(vector) || vector.ty().element().int_width().is_none() {
        return None;
    }
    let opcode = |opcode| move |a, b| on.builder.binary(opcode, a, b);
    let bound = |predicate| move |a, b| on.blend(on.builder.compare(predicate, a, b), a, b);
    let elements = on.of(vector).into_iter();
    match name.split('.').next()? {
        "add" => elements.reduce(opcode(O::LLVMAdd)),
        "mul" => elements.reduce(opcode(O::LLVMMul)),
        "and" => elements.reduce(opcode(O::LLVMAnd)),
        "or" => elements.reduce(opcode(O::LLVMOr)),
        "xor" => elements.reduce(opcode(O::LLVMXor)),
        "smax" => elements.reduce(bound(P::LLVMIntSGT)),
        "smin" => elements.reduce(bound(P::LLVMIntSLT)),
        "umax" => elements.reduce(bound(P::LLVMIntUGT)),
        "umin" => elements.reduce(bound(P::LLVMIntULT)),
        _ => None,
    }
}

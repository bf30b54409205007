//! Questions for the class of a floating-point number (`isnormal`, `isfinite`, `isnan` of C): spelled
//! out as comparisons of its bits.
//!
//! In the order of the bits as a number the classes lie one behind the other, first those without the
//! sign. So a set of classes is some ranges of numbers (LLVM's language reference, `llvm.is.fpclass`).

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Module, Value};

/// Before the name of a type.
const QUESTION: &str = "llvm.is.fpclass.";

/// Numbers of one class: the first and the last bits.
type Range = (u64, u64);

/// Spells out all questions about `float` and `double`.
pub(crate) fn spell_out(module: &Module) {
    let functions = module.functions().into_iter();
    for function in functions.filter(|function| function.name().starts_with(QUESTION)) {
        for call in function.users() {
            let width = match call.operand(0).ty().kind() {
                LLVMTypeKind::LLVMFloatTypeKind => 32,
                LLVMTypeKind::LLVMDoubleTypeKind => 64,
                _ => continue,
            };
            if let Some(classes) = call.operand(1).const_int_value() {
                let answer = answer(module, call, width, &ranges(classes, width));
                call.replace_uses(answer);
                call.erase();
            }
        }
    }
}

/// Whether the bits of the number of this width that is asked about lie in a range.
fn answer<'m>(module: &'m Module, call: Value<'m>, width: u32, ranges: &[Range]) -> Value<'m> {
    let builder = module.builder();
    builder.before(call);
    builder.locate_at(call);
    let bits = builder.cast(LLVMOpcode::LLVMBitCast, call.operand(0), module.int(width));
    let mut answer = module.const_int(1, 0);
    for (first, last) in ranges {
        let length = module.const_int(width, last - first);
        let offset = builder.binary(LLVMOpcode::LLVMSub, bits, module.const_int(width, *first));
        let inside = builder.compare(LLVMIntPredicate::LLVMIntULE, offset, length);
        answer = builder.binary(LLVMOpcode::LLVMOr, answer, inside);
    }
    answer
}

/// The ranges of a set of classes, for the type of so many bits.
fn ranges(classes: u64, width: u32) -> Vec<Range> {
    let sign: u64 = 1 << (width - 1);
    let normal = 1 << if width == 32 { 23 } else { 52 };
    let infinity = sign - normal;
    let quiet = infinity + normal / 2;
    // The last bits of each class without the sign, in order, with its bit and that of its negative.
    let rows: [(u64, u32, u32); 6] = [
        (0, 6, 5),
        (normal - 1, 7, 4),
        (infinity - 1, 8, 3),
        (infinity, 9, 2),
        (quiet - 1, 0, 0),
        (sign - 1, 1, 1),
    ];
    let mut found: Vec<Range> = Vec::new();
    for negative in [false, true] {
        let offset = if negative { sign } else { 0 };
        let mut first = offset;
        for (last, positive_bit, negative_bit) in rows {
            let bit = if negative { negative_bit } else { positive_bit };
            let last = offset + last;
            if classes >> bit & 1 == 1 {
                match found.last_mut() {
                    Some(range) if range.1 + 1 == first => range.1 = last,
                    _ => found.push((first, last)),
                }
            }
            first = last.wrapping_add(1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::ranges;

    fn classes_of(number: f64) -> u64 {
        let bits = number.to_bits();
        let negative = bits >> 63 == 1;
        let sided = |positive: u32, other: u32| 1 << if negative { other } else { positive };
        match number.classify() {
            std::num::FpCategory::Nan if bits >> 51 & 1 == 1 => 2,
            std::num::FpCategory::Nan => 1,
            std::num::FpCategory::Infinite => sided(9, 2),
            std::num::FpCategory::Normal => sided(8, 3),
            std::num::FpCategory::Subnormal => sided(7, 4),
            std::num::FpCategory::Zero => sided(6, 5),
        }
    }

    #[test]
    fn ranges_are_the_classes() {
        let mut numbers = vec![0.0, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, 1.0, 5e-324];
        numbers.extend([0x7ff0_0000_0000_0001, 0x7ff7_ffff_ffff_ffff].map(f64::from_bits));
        numbers.extend([0x7ff8_0000_0000_0000, 0x7fff_ffff_ffff_ffff].map(f64::from_bits));
        numbers.push(f64::from_bits(f64::MIN_POSITIVE.to_bits() - 1));
        let negative: Vec<f64> = numbers.iter().map(|number| -number).collect();
        numbers.extend(negative);
        for classes in 0..1024 {
            let ranges = ranges(classes, 64);
            for number in &numbers {
                let bits = number.to_bits();
                let inside = ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&bits));
                let expected = classes & classes_of(*number) != 0;
                assert_eq!(inside, expected, "{number} {classes}");
            }
        }
    }

    #[test]
    fn neighbours_are_one_range() {
        let finite = ranges(504, 32);
        assert_eq!(finite, [(0, 0x7f7f_ffff), (0x8000_0000, 0xff7f_ffff)]);
        assert_eq!(ranges(1023, 64), [(0, u64::MAX)]);
        assert_eq!(ranges(0, 64), []);
    }
}

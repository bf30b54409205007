//! What the fuzzer knows of the program beside coverage: words and numbers that it compares its
//! input with, and what the run of a seed compared with what.

use labrys_engine::Vocabulary;
use labrys_trace::Comparison;
use libafl::mutators::Tokens;
use libafl::observers::cmp::{CmpValues, CmpValuesMetadata};

/// Tokens of the program's vocabulary: its words, its characters, and numbers of several bytes in
/// the machine's byte order.
pub(crate) fn tokens(vocabulary: &Vocabulary) -> Tokens {
    let words = vocabulary.words().iter().cloned();
    let bytes = vocabulary.bytes().iter().map(|byte| vec![*byte]);
    let numbers = vocabulary.numbers().iter().filter_map(|number| {
        let width = match *number {
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            0x1_0000_0000.. => 8,
            _ => return None,
        };
        Some(number.to_ne_bytes()[..width].to_vec())
    });
    let mut tokens = Tokens::new();
    for token in words.chain(bytes).chain(numbers) {
        tokens.add_token(&token);
    }
    tokens
}

/// Comparisons as LibAFL's mutator of input-to-state has them. Values that fit into fewer bytes
/// than were compared stand in these in the input as well.
pub(crate) fn operands(comparisons: &[Comparison]) -> CmpValuesMetadata {
    let mut known = CmpValuesMetadata::new();
    for Comparison { width, left, right } in comparisons {
        let (left, right) = (*left, *right);
        let significant = |value: u64| 64 - value.leading_zeros();
        let needed = significant(left).max(significant(right));
        if needed <= 8 {
            known
                .list
                .push(CmpValues::U8((left as u8, right as u8, false)));
        }
        match width {
            9..=16 => known
                .list
                .push(CmpValues::U16((left as u16, right as u16, false))),
            17..=32 => known
                .list
                .push(CmpValues::U32((left as u32, right as u32, false))),
            33..=64 => known.list.push(CmpValues::U64((left, right, false))),
            _ => {}
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_have_the_widths_that_fit() {
        let pair = |width, left, right| Comparison { width, left, right };
        let known = operands(&[pair(8, 1, 2), pair(32, 7, 9), pair(64, 7, 1 << 40)]);
        let expected = [
            CmpValues::U8((1, 2, false)),
            CmpValues::U8((7, 9, false)),
            CmpValues::U32((7, 9, false)),
            CmpValues::U64((7, 1 << 40, false)),
        ];
        assert_eq!(known.list, expected);
    }
}

//! Long inputs: a line, a name or a list that is longer than the array that it goes to.
//!
//! Law: what is repeated was there before, and stands where it stood.

use libafl::inputs::{HasMutatorBytes, ResizableMutator};
use libafl_bolts::rands::Rand;

use crate::parts::Parts;

/// Powers of two between which lengths are drawn.
const LENGTHS: (u32, u32) = (6, 15);
/// The longest piece that is neither a byte nor a line.
const PIECE: usize = 32;

/// Repeats a piece of the active part, which then has `most` bytes at most; `false` if there is
/// nothing to repeat, or no room. All orders of length are as frequent if it is to be `even`; else
/// each is half as frequent as the one before, so that long runs do not take all the time.
pub(crate) fn stretch(parts: &mut Parts, rand: &mut impl Rand, most: usize, even: bool) -> bool {
    let bytes = parts.mutator_bytes();
    let room = most.saturating_sub(bytes.len());
    let powers = (LENGTHS.0, LENGTHS.1.min(room.max(1).ilog2()));
    if bytes.is_empty() || powers.1 < powers.0 {
        return false;
    }
    let at = rand.between(0, bytes.len() - 1);
    let piece = match rand.between(0, 3) {
        0 => line(bytes, at),
        1 => at..bytes.len().min(at + rand.between(1, PIECE)),
        _ => at..at + 1,
    };
    let (start, repeated) = (piece.start, bytes[piece].to_vec());
    let power = match even {
        true => rand.between(powers.0 as usize, powers.1 as usize) as u32,
        false => powers.1.min(powers.0 + rand.next().trailing_zeros()),
    };
    let length = room.min(rand.between(1 << power, (2 << power) - 1));
    parts.splice(start..start, repeated.into_iter().cycle().take(length));
    true
}

/// The line that a byte is in, with its end.
fn line(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_end = |byte: &u8| *byte == b'\n';
    let start = bytes[..at]
        .iter()
        .rposition(is_end)
        .map_or(0, |end| end + 1);
    let length = bytes[at..].iter().position(is_end);
    start..length.map_or(bytes.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use labrys_suite::{Input, InputStream};
    use libafl_bolts::rands::StdRand;

    use super::*;
    use crate::parts::Shape;

    #[test]
    fn a_line_has_its_end() {
        let bytes = b"ab\ncd\nef";
        let lines = [0, 2, 3, 5, 6].map(|at| &bytes[line(bytes, at)]);
        assert_eq!(lines, [&b"ab\n"[..], b"ab\n", b"cd\n", b"cd\n", b"ef"]);
    }

    #[test]
    fn long_ones_are_rare_where_failures_are_not_the_aim() {
        let input = Input::new(vec![InputStream::stdin(*b"ab")]);
        let mut rand = StdRand::with_seed(1);
        let mut lengths = (0..256).map(|_| {
            let mut parts = Shape::of(&input, 1 << 20).parts(&input);
            assert!(stretch(&mut parts, &mut rand, 1 << 20, false));
            parts.mutator_bytes().len()
        });
        let long = lengths.by_ref().filter(|length| *length > 1024).count();
        assert!((1..64).contains(&long), "{long}");
    }

    #[test]
    fn what_is_repeated_was_there() {
        let input = Input::new(vec![InputStream::stdin(*b"key = value\nend\n")]);
        let mut rand = StdRand::with_seed(1);
        let mut longest = 0;
        for _ in 0..500 {
            let mut parts = Shape::of(&input, 3000).parts(&input);
            assert!(stretch(&mut parts, &mut rand, 3000, true));
            let bytes = parts.mutator_bytes();
            assert!((64..=3000).contains(&bytes.len()));
            assert!(
                bytes
                    .iter()
                    .all(|byte| b"key = value\nend\n".contains(byte))
            );
            longest = longest.max(bytes.len());
        }
        assert!(longest > 2000);
        let mut parts = Shape::of(&input, 40).parts(&input);
        assert!(!stretch(&mut parts, &mut rand, 40, true));
    }
}

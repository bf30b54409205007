//! Random values for bytes that may have any: uniform ones, boundaries, and what the program
//! compares with or what stands elsewhere in the input.
//!
//! Law: only bytes that are marked as free are written.

use labrys_engine::Vocabulary;

/// Longest piece that is copied or kept, plus 1.
const PIECE: usize = 8;
/// What often stands between words.
const SEPARATORS: &[u8] = b" \n;(),.:=";

/// How the bytes of one input are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// All values are equally likely.
    Uniform,
    /// Values of the program's vocabulary and of the input itself, and boundaries.
    Known,
}

impl Style {
    /// A style; `None` to leave everything as it is.
    pub(crate) fn draw(rng: &mut fastrand::Rng) -> Option<Style> {
        match rng.u8(..8) {
            0..4 => Some(Style::Uniform),
            4..7 => Some(Style::Known),
            _ => None,
        }
    }
}

/// Draws bytes.
pub(crate) struct Draw<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) style: Style,
    pub(crate) rng: &'a mut fastrand::Rng,
}

impl Draw<'_> {
    /// Draws the free objects of a stream, each as what it is: `(offset, size, kind)`. What stands
    /// behind the last is drawn like it.
    pub(crate) fn objects(&mut self, bytes: &mut [u8], free: &[bool], places: &[(u64, u64, u8)]) {
        if self.style == Style::Uniform {
            return self.uniform(bytes, free);
        }
        let (offset, size, kind) = places.last().copied().unwrap_or((0, 1, 0));
        let size = size.max(1);
        let behind = (offset + size..).step_by(size as usize);
        let all = places
            .iter()
            .copied()
            .chain(behind.map(|offset| (offset, size, kind)));
        // Objects that are no numbers are one text, up to the next number.
        let mut text = 0;
        for (offset, size, _) in all {
            let start = (offset as usize).min(bytes.len());
            let end = (start + size as usize).min(bytes.len());
            if start == bytes.len() || matches!(size, 2 | 4 | 8) {
                self.text(&mut bytes[text..start], &free[text..start]);
                text = end;
                if free[start..end].iter().all(|free| *free) {
                    self.number(&mut bytes[start..end]);
                }
            }
            if start == bytes.len() {
                return;
            }
        }
    }

    fn uniform(&mut self, bytes: &mut [u8], free: &[bool]) {
        for (byte, _) in bytes.iter_mut().zip(free).filter(|(_, free)| **free) {
            *byte = self.rng.u8(..);
        }
    }

    /// A number, little-endian.
    fn number(&mut self, bytes: &mut [u8]) {
        let numbers = self.vocabulary.numbers();
        let value = match self.rng.u8(..4) {
            0 if !numbers.is_empty() => numbers[self.rng.usize(..numbers.len())],
            1 => self.rng.u64(..16),
            2 => (1u64 << self.rng.u32(..64)).wrapping_sub(self.rng.u64(..2)),
            _ => self.rng.u64(..),
        };
        let value = if self.rng.u8(..4) == 0 {
            value.wrapping_neg()
        } else {
            value
        };
        bytes.copy_from_slice(&value.to_le_bytes()[..bytes.len()]);
    }

    /// Draws the free bytes of a text.
    pub(crate) fn text(&mut self, bytes: &mut [u8], free: &[bool]) {
        if self.style == Style::Uniform {
            return self.uniform(bytes, free);
        }
        let mut at = 0;
        while at < bytes.len() {
            let is_free = free[at];
            let same = free[at..].iter().take_while(|free| **free == is_free);
            let end = at + same.count();
            while is_free && at < end {
                let (before, rest) = bytes.split_at_mut(at);
                at += self.piece(before, &mut rest[..end - at]);
            }
            at = end;
        }
    }

    /// Draws the next piece of a text, in the room that there is; its length. It may be what stands
    /// there.
    fn piece(&mut self, before: &[u8], room: &mut [u8]) -> usize {
        let (words, letters) = (self.vocabulary.words(), self.vocabulary.bytes());
        let letter;
        let piece: &[u8] = match self.rng.u8(..8) {
            0 | 1 if !words.is_empty() => &words[self.rng.usize(..words.len())],
            0..4 if !letters.is_empty() => {
                letter = [letters[self.rng.usize(..letters.len())]];
                &letter
            }
            4 => {
                letter = [SEPARATORS[self.rng.usize(..SEPARATORS.len())]];
                &letter
            }
            5 if !before.is_empty() => {
                let from = self.rng.usize(..before.len());
                &before[from..(from + self.rng.usize(1..PIECE)).min(before.len())]
            }
            6 => {
                letter = [self.rng.u8(b' '..=b'~')];
                &letter
            }
            _ => return self.rng.usize(1..PIECE).min(room.len()),
        };
        let length = piece.len().min(room.len());
        room[..length].copy_from_slice(&piece[..length]);
        length
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::Program;

    use super::*;

    fn draw(style: Style, seed: u64, free: &[bool], places: &[(u64, u64, u8)]) -> Vec<u8> {
        let vocabulary = Vocabulary::of(&Program::default(), vec![b"while".to_vec()]);
        let mut rng = fastrand::Rng::with_seed(seed);
        let (vocabulary, rng) = (&vocabulary, &mut rng);
        let mut bytes = vec![b'?'; free.len()];
        let mut draw = Draw {
            vocabulary,
            style,
            rng,
        };
        draw.objects(&mut bytes, free, places);
        bytes
    }

    #[test]
    fn only_free_bytes_are_written() {
        let places = [(0, 1, 0), (1, 4, 2), (5, 8, 1), (13, 3, 0)];
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let free: Vec<bool> = (0..30).map(|_| rng.bool()).collect();
            for style in [Style::Uniform, Style::Known] {
                let bytes = draw(style, seed, &free, &places);
                let mut kept = bytes.iter().zip(&free).filter(|(_, free)| !**free);
                assert!(kept.all(|(byte, _)| *byte == b'?'));
            }
        }
    }

    #[test]
    fn words_and_boundaries_are_drawn() {
        let texts = (0..50).map(|seed| draw(Style::Known, seed, &[true; 40], &[]));
        let has = |text: &Vec<u8>| text.windows(5).any(|word| word == b"while");
        assert!(texts.filter(has).count() > 10);
        let numbers = (0..1000).map(|seed| draw(Style::Known, seed, &[true; 4], &[(0, 4, 2)]));
        let numbers: Vec<i32> = numbers
            .map(|bytes| i32::from_le_bytes(bytes.try_into().expect("four bytes")))
            .collect();
        for wanted in [0, 1, -1] {
            assert!(numbers.contains(&wanted), "{wanted}");
        }
    }
}

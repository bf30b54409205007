//! Changes of a text by whole lexemes, so that what the program's scanner reads as one stays one and
//! what its parser sees is another sentence (Salls, Jindal, Corina, Kruegel, Vigna, "Token-Level
//! Fuzzing", USENIX Security 2021).
//!
//! A *lexeme* is a run of letters, digits and underscores, a run of blanks, or one other byte. A
//! change leaves lexemes out, or puts in their place or before them a word of the program, or lexemes
//! or lines that follow each other in some seed, or makes of a number one at the edge of a type.
//! Letters that would touch others get a blank between.
//!
//! Zeros behind a text are what is left of its object: the object keeps its length where it can.
//!
//! Law: a change follows from the texts and the random numbers alone.

use std::ops::Range;

use labrys_engine::Vocabulary;
use libafl::inputs::{HasMutatorBytes, ResizableMutator};
use libafl_bolts::rands::Rand;

use crate::parts::Parts;

/// The longest run of lexemes that is put somewhere or left out, as a power of two.
const RUN: usize = 4;
/// The longest run of lines, as a power of two.
const LINES: usize = 2;
/// Of so many bytes of a text, one may be neither a character nor a blank.
const ODD: usize = 8;

/// Of so many changes of a text with numbers, one changes a number.
const NUMBERS: usize = 16;
/// Bits of the types at whose edges numbers are tried.
const EDGES: [u32; 9] = [0, 7, 8, 15, 16, 31, 32, 63, 64];

/// Where the units of a text begin, and its end.
type Units = fn(&[u8]) -> Vec<usize>;

/// What the program may look for in a text.
#[derive(Debug)]
pub(crate) struct Lexicon {
    words: Vec<Vec<u8>>,
    characters: Vec<u8>,
}

impl Lexicon {
    /// The words of a vocabulary and those of its characters that are no letters.
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        let bytes = vocabulary.bytes().iter().copied();
        Lexicon {
            words: vocabulary.words().to_vec(),
            characters: bytes.filter(u8::is_ascii_punctuation).collect(),
        }
    }

    /// A word or a character; half of all draws are words, as long as there are both.
    fn draw(&self, rand: &mut impl Rand) -> Option<Vec<u8>> {
        let word = |rand: &mut _| Some(self.words[below(rand, self.words.len())?].clone());
        let byte = |rand: &mut _| Some(vec![self.characters[below(rand, self.characters.len())?]]);
        match rand.between(0, 1) {
            0 => word(rand).or_else(|| byte(rand)),
            _ => byte(rand).or_else(|| word(rand)),
        }
    }

    /// Changes the active part once, by what stands in another text, so that it has no more than so
    /// many bytes; `false` if nothing was changed.
    pub(crate) fn change(
        &self,
        parts: &mut Parts,
        other: &[u8],
        most: usize,
        rand: &mut impl Rand,
    ) -> bool {
        let text = text_of(parts.mutator_bytes());
        if rand.between(1, NUMBERS) == 1 {
            let numbers = numbers(text);
            if let Some(at) = below(rand, numbers.len()) {
                return put(parts, numbers[at].clone(), edge(rand).into_bytes(), most);
            }
        }
        let kind = rand.between(0, 7);
        let (units, power): (Units, _) = match kind {
            0 | 1 => (line_starts, LINES),
            _ => (lexeme_starts, RUN),
        };
        let place = run(&units(text), power, rand);
        let other = text_of(other);
        let piece = match kind {
            0 | 2 | 3 => Some(other[run(&units(other), power, rand)].to_vec()),
            1 | 4 => Some(Vec::new()),
            _ => self.draw(rand),
        };
        let Some(piece) = piece else {
            return false;
        };
        // Half of what is put somewhere is put before what is there.
        let is_before = !piece.is_empty() && rand.between(0, 1) == 0;
        let place = if is_before {
            place.start..place.start
        } else {
            place
        };
        let piece = apart(text, &place, piece);
        put(parts, place, piece, most)
    }
}

/// Puts a piece in a place of the active part, so that it has no more than so many bytes; `false` if
/// nothing was changed.
fn put(parts: &mut Parts, place: Range<usize>, piece: Vec<u8>, most: usize) -> bool {
    let (all, text) = (parts.mutator_bytes().len(), text_of(parts.mutator_bytes()));
    let length = text.len() - place.len() + piece.len();
    if place.is_empty() && piece.is_empty() || length > most {
        return false;
    }
    let has_zeros = text.len() < all;
    parts.splice(place, piece);
    if has_zeros {
        parts.resize(all.max(length), 0);
    }
    true
}

/// Lexemes that are decimal numbers.
fn numbers(text: &[u8]) -> Vec<Range<usize>> {
    let starts = lexeme_starts(text);
    let lexemes = starts.windows(2).map(|ends| ends[0]..ends[1]);
    let is_number = |lexeme: &Range<usize>| text[lexeme.clone()].iter().all(u8::is_ascii_digit);
    lexemes.filter(is_number).collect()
}

/// A number at the edge of a type, in digits.
fn edge(rand: &mut impl Rand) -> String {
    let power = 1i128 << EDGES[rand.between(0, EDGES.len() - 1)];
    let number = power + rand.between(0, 2) as i128 - 1;
    match rand.between(0, 3) {
        0 => (-number).to_string(),
        _ => number.to_string(),
    }
}

/// Whether bytes are a text, but for zeros behind it.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let bytes = text_of(bytes);
    let odd = |byte: &&u8| !byte.is_ascii_graphic() && !byte.is_ascii_whitespace();
    bytes.iter().filter(odd).count() <= bytes.len() / ODD
}

/// Bytes without the zeros at their end.
fn text_of(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|byte| *byte != 0);
    &bytes[..last.map_or(0, |last| last + 1)]
}

/// A random number below another one.
fn below(rand: &mut impl Rand, count: usize) -> Option<usize> {
    Some(rand.between(0, count.checked_sub(1)?))
}

/// A run of units that begin at these places, the last of which is the end of the text.
fn run(starts: &[usize], power: usize, rand: &mut impl Rand) -> Range<usize> {
    let last = starts.len() - 1;
    let first = rand.between(0, last);
    let most = 1 << rand.between(0, power);
    let count = rand.between(1, most);
    starts[first]..starts[last.min(first + count)]
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where lexemes of a text begin, and its end.
fn lexeme_starts(text: &[u8]) -> Vec<usize> {
    let is_one = |left: u8, right: u8| {
        let blank = |byte| matches!(byte, b' ' | b'\t');
        is_letter(left) && is_letter(right) || blank(left) && blank(right)
    };
    let within = |at: &usize| *at > 0 && is_one(text[at - 1], text[*at]);
    let starts = (0..text.len()).filter(|at| !within(at));
    starts.chain([text.len()]).collect()
}

/// Where lines of a text begin, and its end.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let is_start = |at: &usize| *at == 0 || text[at - 1] == b'\n';
    let starts = (0..text.len()).filter(is_start);
    starts.chain([text.len()]).collect()
}

/// What is put in a place, with blanks where its letters would touch others.
fn apart(text: &[u8], place: &Range<usize>, mut piece: Vec<u8>) -> Vec<u8> {
    let letter = |byte: Option<&u8>| byte.is_some_and(|byte| is_letter(*byte));
    let (before, behind) = (text[..place.start].last(), text.get(place.end));
    if piece.is_empty() {
        if !place.is_empty() && letter(before) && letter(behind) {
            piece.push(b' ');
        }
        return piece;
    }
    if letter(before) && letter(piece.first()) {
        piece.insert(0, b' ');
    }
    if letter(piece.last()) && letter(behind) {
        piece.push(b' ');
    }
    piece
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use labrys_suite::{Input, InputStream};
    use libafl_bolts::rands::StdRand;

    use super::*;
    use crate::parts::Shape;

    fn parts(text: &[u8]) -> Parts {
        let input = Input::new(vec![InputStream::stdin(text.to_vec())]);
        Shape::of(&input, 1 << 10).parts(&input)
    }

    /// All texts that one change makes of a text, by so many random choices.
    fn changed(text: &[u8], other: &[u8], most: usize) -> BTreeSet<String> {
        let lexicon = Lexicon {
            words: vec![b"and".to_vec()],
            characters: vec![b';'],
        };
        let mut rand = StdRand::with_seed(1);
        let mut all = BTreeSet::new();
        for _ in 0..4000 {
            let mut parts = parts(text);
            if lexicon.change(&mut parts, other, most, &mut rand) {
                all.insert(String::from_utf8_lossy(parts.mutator_bytes()).into_owned());
            }
        }
        all
    }

    #[test]
    fn lexemes_and_lines_are_found() {
        assert_eq!(
            lexeme_starts(b"if a_1  <= 22\n"),
            [0, 2, 3, 6, 8, 9, 10, 11, 13, 14]
        );
        assert_eq!(line_starts(b"a\n\nbc"), [0, 2, 3, 5]);
        assert_eq!(lexeme_starts(b""), [0]);
    }

    #[test]
    fn words_stay_whole() {
        let all = changed(b"ab=c", b"xy+z\n", 64);
        let expected = [
            "and ab=c",
            "ab and=c",
            "ab=and",
            "and=c",
            "ab;c",
            "=c",
            "xy=c",
            "ab=xy+z\n",
        ];
        for text in expected {
            assert!(all.contains(text), "{text} of {all:?}");
        }
        let whole = |text: &String| !text.contains("anda") && !text.contains("aband");
        assert!(all.iter().all(whole), "{all:?}");
    }

    #[test]
    fn numbers_come_to_the_edges_of_types() {
        let all = changed(b"at 01:x7", b"", 64);
        let expected = [
            "at 4294967295:x7",
            "at 2147483648:x7",
            "at -1:x7",
            "at 0:x7",
            "at 18446744073709551616:x7",
            "at -32768:x7",
        ];
        for text in expected {
            assert!(all.contains(text), "{text} of {all:?}");
        }
        assert!(!all.contains("at 01:65536"), "x7 is no number");
    }

    #[test]
    fn what_is_left_out_leaves_a_blank_between_words() {
        let all = changed(b"a+b", b"", 64);
        assert!(all.contains("a b") && !all.contains("ab"), "{all:?}");
    }

    #[test]
    fn texts_grow_to_the_limit() {
        let all = changed(b"ab=c", b"xy+z\n", 5);
        assert!(all.iter().all(|text| text.len() <= 5), "{all:?}");
        assert!(all.contains("and=c"));
    }

    #[test]
    fn an_object_keeps_its_length() {
        let all = changed(b"ab=c\0\0", b"xy+z\0", 64);
        assert!(
            all.contains("xy=c\0\0") && all.contains("c\0\0\0\0\0"),
            "{all:?}"
        );
        let fits = |text: &String| text.len() == 6 || text.len() > 6 && !text.ends_with('\0');
        assert!(all.iter().all(fits), "{all:?}");
    }

    #[test]
    fn what_has_many_odd_bytes_is_no_text() {
        assert!(is_text(b"one word\0\0\0\0\0\0\0\0"));
        assert!(is_text(b"a line\n\tand 17 bytes \xc3\xa9"));
        assert!(!is_text(b"\x00\x01ab\x02\x03cd"));
    }
}

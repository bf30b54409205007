//! Words: what the run of a test compared a text of its input with, in the place of that text.
//!
//! Where a program looks words up by comparing them, a test shows all the words that might have stood
//! there, one of which a query gives at a time, and only of the lengths that fit. Each is put there
//! once for each test, and a few times in all: a command, an option, a keyword of a grammar.
//!
//! Law: which inputs are made, and in which order, follows from the tests alone.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use labrys_trace::{Compared, Texts};
use libafl::inputs::{HasMutatorBytes, ResizableMutator};
use libafl_bolts::rands::Rand;

use crate::parts::Parts;

/// Places where a word is put for one test.
const PER_TEST: usize = 2;
/// Places where a word is put in all.
const PER_WORD: usize = 16;
/// Bytes of a part in which texts are looked for.
const LOOKED_AT: usize = 1 << 14;
/// Exchanges that wait, at most.
const WAITING: usize = 1 << 14;

/// A word in the place of a text.
#[derive(Debug)]
struct Exchange {
    parts: Rc<Parts>,
    compared: Rc<Compared>,
    part: usize,
    start: usize,
    length: usize,
    word: Rc<[u8]>,
}

/// Exchanges that are still to be made.
#[derive(Debug, Default)]
pub(crate) struct Words {
    waiting: VecDeque<Exchange>,
    put: HashMap<Rc<[u8]>, usize>,
}

impl Words {
    /// Learns which texts the run of a test compared; of all that it compared, what is kept.
    pub(crate) fn learn(&mut self, parts: &Parts, texts: &[Texts], compared: &Rc<Compared>) {
        let parts = Rc::new(parts.clone());
        let mut here: HashMap<&[u8], usize> = HashMap::new();
        for Texts { seen, wanted } in texts {
            let of_test = here.entry(wanted).or_default();
            let word: Rc<[u8]> = wanted.as_slice().into();
            let of_word = self.put.entry(word.clone()).or_default();
            if *of_test == PER_TEST || *of_word == PER_WORD || self.waiting.len() == WAITING {
                continue;
            }
            if let Some((part, start)) = place(&parts, seen) {
                *of_test += 1;
                *of_word += 1;
                self.waiting.push_back(Exchange {
                    parts: parts.clone(),
                    compared: compared.clone(),
                    part,
                    start,
                    length: seen.len(),
                    word,
                });
            }
        }
    }

    /// The next input to run, and what the run of the test compared.
    pub(crate) fn next(&mut self) -> Option<(Parts, Rc<Compared>)> {
        let exchange = self.waiting.pop_front()?;
        let mut parts = (*exchange.parts).clone();
        parts.activate(exchange.part);
        let range = exchange.start..exchange.start + exchange.length;
        parts.splice(range, exchange.word.iter().copied());
        Some((parts, exchange.compared))
    }
}

/// Puts one of the words in its place in the active part; `false` if its text is not there.
pub(crate) fn exchange(parts: &mut Parts, texts: &[Texts], rand: &mut impl Rand) -> bool {
    let Some(last) = texts.len().checked_sub(1) else {
        return false;
    };
    let Texts { seen, wanted } = &texts[rand.between(0, last)];
    let bytes = parts.mutator_bytes();
    let places: Vec<usize> = places(bytes, seen).collect();
    let Some(last) = places.len().checked_sub(1) else {
        return false;
    };
    let start = places[rand.between(0, last)];
    parts.splice(start..start + seen.len(), wanted.iter().copied());
    true
}

/// The part and place where a text stands, as a word for itself if there is such a place.
fn place(parts: &Parts, text: &[u8]) -> Option<(usize, usize)> {
    let all = parts.all().enumerate();
    let all = all.flat_map(|(part, bytes)| places(bytes, text).map(move |at| (part, bytes, at)));
    let mut first = None;
    for (part, bytes, at) in all {
        if stands_alone(bytes, at, text.len()) {
            return Some((part, at));
        }
        first = first.or(Some((part, at)));
    }
    first
}

/// Where a text stands, letters of either case.
fn places<'a>(bytes: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
    let windows = bytes.windows(text.len()).enumerate();
    windows.filter_map(|(at, window)| window.eq_ignore_ascii_case(text).then_some(at))
}

/// Whether no letter or digit is beside a text.
fn stands_alone(bytes: &[u8], at: usize, length: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let behind = bytes.get(at + length);
    let inside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    !inside(before) && !inside(behind)
}

#[cfg(test)]
mod tests {
    use labrys_suite::{Input, InputStream};

    use super::*;
    use crate::parts::Shape;

    fn parts(text: &[u8]) -> Parts {
        let input = Input::new(vec![InputStream::stdin(text.to_vec())]);
        Shape::of(&input, 1 << 10).parts(&input)
    }

    fn texts(seen: &[u8], wanted: &[u8]) -> Texts {
        Texts {
            seen: seen.to_vec(),
            wanted: wanted.to_vec(),
        }
    }

    #[test]
    fn a_word_takes_the_place_of_another_that_stands_alone() {
        let mut words = Words::default();
        let compared = [texts(b"PORT", b"address"), texts(b"x", b"y")];
        words.learn(&parts(b"report=1\nport=53\n"), &compared, &Rc::default());
        let first = words.next().map(|(parts, _)| parts);
        assert_eq!(first, Some(parts(b"report=1\naddress=53\n")));
        assert_eq!(words.next(), None);
    }

    #[test]
    fn a_word_is_put_a_few_times() {
        let mut words = Words::default();
        let all = [(b"a", b"c"), (b"b", b"c"), (b"a", b"c")];
        let compared = all.map(|(seen, wanted)| texts(seen, wanted));
        for _ in 0..100 {
            words.learn(&parts(b"a b a"), &compared, &Rc::default());
        }
        let made = std::iter::from_fn(|| words.next()).count();
        assert_eq!(made, PER_WORD);
    }

    #[test]
    fn a_random_word_is_put_where_its_text_is() {
        let mut rand = libafl_bolts::rands::StdRand::with_seed(1);
        let mut changed = parts(b"if x; fi");
        assert!(exchange(&mut changed, &[texts(b"if", b"while")], &mut rand));
        assert_eq!(changed, parts(b"while x; fi"));
        assert!(!exchange(
            &mut changed,
            &[texts(b"for", b"while")],
            &mut rand
        ));
        assert!(!exchange(&mut changed, &[], &mut rand));
    }
}

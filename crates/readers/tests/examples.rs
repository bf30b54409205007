//! Every reader takes its examples, and bears damaged ones.
//!
//! `LABRYS_DAMAGE` is the number of damaged ones for each reader.

#![allow(missing_docs)]

use fastrand::Rng;
use labrys_readers::READERS;

/// Damaged examples for each reader.
const DAMAGED: usize = 1000;

#[test]
fn readers_take_their_examples() {
    for reader in READERS {
        let examples = (reader.examples)();
        assert!(!examples.is_empty(), "{}", reader.name);
        for example in examples {
            assert!((reader.read)(&example), "{} refuses one", reader.name);
        }
    }
}

#[test]
fn readers_bear_damaged_examples() {
    let count = std::env::var("LABRYS_DAMAGE").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(DAMAGED);
    let mut random = Rng::with_seed(1);
    for reader in READERS {
        let examples = (reader.examples)();
        for number in 0..count {
            let mut bytes = examples[number % examples.len()].clone();
            for _ in 0..random.u8(1..=3) {
                damage(&mut bytes, &mut random);
            }
            (reader.read)(&bytes);
        }
    }
}

/// Changes one place: other bytes, a piece more, a piece less, or the end.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) {
    let at = random.usize(..=bytes.len());
    let to = (at + random.usize(..40)).min(bytes.len());
    let place = random.usize(..=bytes.len());
    match random.u8(..8) {
        0 => drop(bytes.drain(at..to)),
        1 => {
            let copy = bytes[at..to].to_vec();
            drop(bytes.splice(place..place, copy));
        }
        2 => drop(bytes.splice(at..at, *b"99999999999")),
        3 if random.bool() => bytes.truncate(at),
        4 => bytes.insert(at, random.u8(..)),
        5 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
        _ if at < bytes.len() => {
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.u8(..)][random.usize(..6)];
        }
        _ => {}
    }
}

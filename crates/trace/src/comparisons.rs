//! What a run compared with what: the operands of its integer comparisons that depend on the input,
//! and texts of the input that library functions compared with others.
//!
//! A fuzzer that finds one operand in its input puts the other one there ("input-to-state": C.
//! Aschermann and others, REDQUEEN, NDSS 2019, section III).
//!
//! Law: the lists depend on the recording alone, order included, and have each pair once.

use std::collections::BTreeSet;

use labrys_abi::{MOST_COMPARED, Node, Op, flag};

use crate::Recording;

/// Pairs that are kept of a run.
const MOST: usize = 256;
/// Nodes that are looked at, at equal distances in a longer recording.
const LOOKED_AT: usize = 1 << 16;
/// The widest operands, in bits.
const WIDEST: u32 = 64;

/// All that a run compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Numbers.
    pub numbers: Vec<Comparison>,
    /// Texts.
    pub texts: Vec<Texts>,
}

/// Two texts that differ, and that a run compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Texts {
    /// That of the input, never empty.
    pub seen: Vec<u8>,
    /// The other one, never empty.
    pub wanted: Vec<u8>,
}

impl Compared {
    /// What a run compared, the narrowest numbers first.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let mut known = BTreeSet::new();
        let texts = recording.compared_texts();
        let texts = texts.filter(|texts| known.insert(texts.clone()));
        Compared {
            numbers: Comparison::of(recording),
            texts: texts.take(MOST_COMPARED).collect(),
        }
    }
}

/// Two values that differ, and that a run compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Comparison {
    /// Width of the operands in bits, 8 to 64.
    pub width: u32,
    /// The left operand, zero-extended.
    pub left: u64,
    /// The right operand, zero-extended.
    pub right: u64,
}

impl Comparison {
    fn of(recording: &Recording) -> Vec<Self> {
        let mut found = BTreeSet::new();
        let stride = recording.nodes.len().div_ceil(LOOKED_AT).max(1);
        for node in recording.nodes.iter().step_by(stride) {
            if let Some(comparison) = Comparison::at(recording, node)
                && comparison.left != comparison.right
            {
                found.insert(comparison);
                if found.len() == MOST {
                    break;
                }
            }
        }
        found.into_iter().collect()
    }

    fn at(recording: &Recording, node: &Node) -> Option<Self> {
        let op = Op::from_u8(node.op)?;
        let compares = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle].contains(&op);
        let width = node.aux();
        if !compares || !(8..=WIDEST).contains(&width) {
            return None;
        }
        let operand = |label: u32, immediate: u8| match node.flags & immediate {
            0 => recording
                .nodes
                .get(label as usize)
                .map(|operand| operand.cv),
            _ => Some(node.imm),
        };
        Some(Comparison {
            width,
            left: operand(node.a, flag::A_IMMEDIATE)?,
            right: operand(node.b, flag::B_IMMEDIATE)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use labrys_abi::{Event, EventKind};

    use super::*;

    #[test]
    fn operands_of_comparisons_are_found() {
        let byte = Node {
            op: Op::Input as u8,
            width: 32,
            cv: 7,
            ..Node::default()
        };
        let equal = Node {
            op: Op::Eq as u8,
            flags: flag::B_IMMEDIATE,
            width: 1,
            a: 1,
            c: 32,
            imm: 0x1234_5678,
            ..Node::default()
        };
        let itself = Node { imm: 7, ..equal };
        let sum = Node {
            op: Op::Add as u8,
            ..equal
        };
        let beyond = Node { a: 99, ..equal };
        let recording = Recording {
            nodes: vec![Node::default(), byte, equal, equal, itself, sum, beyond],
            ..Recording::default()
        };
        let expected = Comparison {
            width: 32,
            left: 7,
            right: 0x1234_5678,
        };
        assert_eq!(Comparison::of(&recording), [expected]);
    }

    /// What lies outside the data, or is empty, was not written by the runtime.
    #[test]
    fn texts_that_were_compared_are_found_once() {
        let pair = |seen: (u32, u32), wanted: (u64, u64)| Event {
            kind: EventKind::Compared as u8,
            label: seen.0,
            site: seen.1,
            a: wanted.0,
            b: wanted.1,
            ..Event::default()
        };
        let good = pair((0, 4), (8, 7));
        let recording = Recording {
            data: b"port\0\0\0\0address\0".to_vec(),
            events: vec![good, pair((0, 4), (12, 7)), pair((0, 0), (8, 7)), good],
            ..Recording::default()
        };
        let expected = Texts {
            seen: b"port".to_vec(),
            wanted: b"address".to_vec(),
        };
        assert_eq!(Compared::of(&recording).texts, [expected]);
    }
}

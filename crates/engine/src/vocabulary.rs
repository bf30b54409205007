//! The vocabulary of a program: words and numbers that it compares its input with, as far as its
//! text shows them, and words that the user named.
//!
//! Law: the vocabulary depends on the program and the user's words alone, order included.

use std::collections::BTreeSet;

use labrys_program::{Callee, Constant, Function, Operand, Operation, Program, Terminator};

/// Longest word that is taken from the program's data.
const LONGEST: usize = 16;
/// Words and numbers that are kept.
const MOST: usize = 4_096;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    words: Vec<Vec<u8>>,
    /// Zero-extended, in ascending order.
    numbers: Vec<u64>,
    /// Bytes that numbers and words have, in ascending order.
    bytes: Vec<u8>,
}

impl Vocabulary {
    /// The vocabulary of a program; the user's words come first.
    #[must_use]
    pub fn of(program: &Program, given: Vec<Vec<u8>>) -> Self {
        let mut words = given;
        let mut known: BTreeSet<Vec<u8>> = words.iter().cloned().collect();
        let names = names_of_objects(program);
        let globals = program.globals.iter().enumerate();
        let data = globals.filter(|(id, global)| global.constant && !names.contains(id));
        for (_, global) in data {
            let initial = global.initializer.as_ref();
            let pieces = initial
                .into_iter()
                .flat_map(|data| data.bytes.split(|b| *b == 0));
            for word in pieces.filter(|word| is_word(word)) {
                if words.len() < MOST && known.insert(word.to_vec()) {
                    words.push(word.to_vec());
                }
            }
        }
        let mut numbers = BTreeSet::new();
        for function in &program.functions {
            compared(program, function, &mut |number| {
                if numbers.len() < MOST {
                    numbers.insert(number);
                }
            });
        }
        let from_numbers = numbers
            .iter()
            .filter_map(|number| u8::try_from(*number).ok());
        let from_words = words.iter().flatten().copied();
        let bytes: BTreeSet<u8> = from_numbers.chain(from_words).collect();
        Vocabulary {
            numbers: numbers.into_iter().collect(),
            bytes: bytes.into_iter().collect(),
            words,
        }
    }

    /// The words: the user's, then strings of the program's data without white space.
    #[must_use]
    pub fn words(&self) -> &[Vec<u8>] {
        &self.words
    }

    /// Numbers that values are compared with.
    #[must_use]
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Characters that values are compared with, and those of the words.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Functions that make input objects: object, size, name.
const MAKERS: &[&str] = &["labrys_symbolic", "__labrys_object"];

/// The constants that are names of input objects.
fn names_of_objects(program: &Program) -> BTreeSet<usize> {
    let makers: Vec<_> = MAKERS
        .iter()
        .filter_map(|name| program.function_named(name))
        .collect();
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let named = instructions.filter_map(|instruction| match &instruction.operation {
        Operation::Call {
            callee: Callee::Direct(callee),
            arguments,
            ..
        } if makers.contains(callee) => match arguments.get(2)? {
            Operand::Constant(id) => Some(program.constant(*id)?),
            Operand::Value(_) => None,
        },
        _ => None,
    });
    named
        .filter_map(|constant| match constant {
            Constant::Global(global) => Some(global.index()),
            _ => None,
        })
        .collect()
}

/// Whether a string of the program's data may stand in a text that it reads.
fn is_word(bytes: &[u8]) -> bool {
    (2..=LONGEST).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}

/// Visits the constants with which a function compares values.
fn compared(program: &Program, function: &Function, visit: &mut impl FnMut(u64)) {
    let constant = |operand: &Operand| match operand {
        Operand::Constant(id) => match program.constant(*id)? {
            Constant::Int { bits, width: 2.. } => u64::try_from(*bits).ok(),
            _ => None,
        },
        Operand::Value(_) => None,
    };
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Operation::Compare { left, right, .. } = &instruction.operation {
                [left, right]
                    .into_iter()
                    .filter_map(constant)
                    .for_each(&mut *visit);
            }
        }
        if let Terminator::Switch { cases, .. } = &block.terminator {
            let values = cases.iter().map(|(value, _)| *value);
            values
                .filter_map(|value| u64::try_from(value).ok())
                .for_each(&mut *visit);
        }
    }
}

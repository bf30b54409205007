//! Variable arguments: of a function that takes them, and behind a `va_list`.
//!
//! A `va_list` has its arguments in registers or in memory, as [`Content::Places`] says; the object
//! that stands for both is the same. Each argument is a number or a pointer to a string.

use labrys_llvm::DebugNode;
use labrys_suite::unit::{Choice, Content, Made, Object, Part, Pointer, Root, Variable};

use super::{Aim, Behind, Builder, Spot};
use crate::prototype::Parameter;
use crate::types::{content, unwrapped};

/// Arguments that are made; further ones are what stands behind them.
const ARGUMENTS: u64 = 4;
/// The bytes of a `va_list`, and where it says which of its arguments come next and where
/// those in memory are.
const LIST_BYTES: u64 = 24;
const PLACES_BYTES: u64 = 8;
const IN_MEMORY: u64 = 8;
const IN_REGISTERS: u64 = 16;
/// Registers for numbers, and the bytes of all registers.
const REGISTERS: u64 = 6;
const REGISTER_BYTES: u64 = 176;

/// The type of characters that a parameter points to.
pub(super) fn characters<'m>(parameters: &[&Parameter<'m>]) -> Option<DebugNode<'m>> {
    let pointed = parameters
        .iter()
        .filter_map(|one| one.ty.map(unwrapped)?.base());
    let mut text = pointed.filter(|node| content(unwrapped(*node)) == Some(Content::Characters));
    text.next()
}

impl<'m> Builder<'m, '_> {
    /// The arguments of a call behind those that the function names, from this number on.
    pub(super) fn further(&mut self, first: usize) {
        for index in first..first + ARGUMENTS as usize {
            let name = format!("argument {}", index + 1);
            let spot = Spot::new(Root::Parameter(index), &name);
            let mut parts = Vec::new();
            self.argument(&spot, 0, "", &mut parts);
            self.entry.parameters.push(Variable {
                name,
                c_type: "void *".to_owned(),
                size: 8,
                parts,
                ..Variable::default()
            });
        }
    }

    /// A number, or a pointer to a string.
    fn argument(&mut self, spot: &Spot, offset: u64, path: &str, parts: &mut Vec<Part>) {
        self.numbers(spot, offset, path, 8, 8, Content::Bytes, parts);
        let aim = Aim {
            to: self.characters,
            shared: true,
            // What is printed of an address is another thing elsewhere.
            is_other_first: true,
            ..Aim::default()
        };
        parts.push(self.pointer(spot, offset, path, &aim, 1));
    }

    /// A pointer to a `va_list`.
    pub(super) fn list(&mut self, spot: &Spot, offset: u64, path: &str) -> Part {
        let list = self.object_number();
        let inside = spot.behind(offset, path);
        let mut parts = Vec::new();
        let places = Content::Places;
        self.numbers(
            &inside,
            0,
            "",
            PLACES_BYTES,
            PLACES_BYTES,
            places,
            &mut parts,
        );
        let arguments = self.object_number();
        let behind = inside.behind(IN_MEMORY, "");
        let mut all = Vec::new();
        for index in 0..REGISTERS {
            self.argument(&behind, 8 * index, &format!("[{index}]"), &mut all);
        }
        let behind = untyped(arguments, REGISTER_BYTES, all);
        parts.push(only(IN_MEMORY, "", Choice::Fresh, Some(behind)));
        parts.push(only(IN_REGISTERS, "", Choice::Alias(arguments), None));
        let list = untyped(list, LIST_BYTES, parts);
        only(offset, path, Choice::Fresh, Some(list))
    }

    fn object_number(&mut self) -> usize {
        self.objects.push(Behind::default());
        self.objects.len() - 1
    }
}

fn untyped(number: usize, size: u64, parts: Vec<Part>) -> Object {
    Object {
        number,
        size,
        before: 0,
        member: String::new(),
        room: None,
        aligned: false,
        low: false,
        count: 1,
        flexible: false,
        c_type: String::new(),
        disguised: false,
        constant: true,
        parts,
    }
}

/// A pointer with one choice.
fn only(offset: u64, path: &str, choice: Choice, object: Option<Object>) -> Part {
    Part {
        offset,
        path: path.to_owned(),
        raw: false,
        made: Made::Pointer(Pointer {
            number: None,
            choice: None,
            choices: vec![choice],
            object,
        }),
    }
}

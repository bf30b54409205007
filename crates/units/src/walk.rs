//! One walk over the parts of a variable, for all texts that are made of them.
//!
//! Law: leaves come in the order of their numbers, a pointer's choice before what is behind it.

use labrys_suite::unit::{Entry, Leaf, Made, Object, Part, Pointer};

/// A place in C: bytes behind the address that an expression gives.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// An address in C, as `unsigned char *` or `&variable`.
    base: String,
    offset: u64,
}

impl Spot {
    /// The address in C.
    pub(crate) fn address(&self) -> String {
        match (self.offset, self.base.starts_with('&')) {
            (0, _) => self.base.clone(),
            (offset, true) => format!("(unsigned char *){} + {offset}", self.base),
            (offset, false) => format!("{} + {offset}", self.base),
        }
    }

    /// What is there, as a value of this type in C.
    pub(crate) fn value(&self, c_type: &str) -> String {
        format!("*({c_type} *)({})", self.address())
    }
}

/// Makes something of the parts.
pub(crate) trait Visitor {
    /// A leaf at a place.
    fn leaf(&mut self, number: usize, leaf: &Leaf, spot: &Spot);

    /// A pointer at a place, before what is behind it: the address of its object in C.
    fn open(&mut self, entry: &Entry, pointer: &Pointer, spot: &Spot, path: &str) -> String;

    /// The same pointer, behind what is behind it.
    fn close(&mut self, pointer: &Pointer, spot: &Spot, object: &str);
}

/// Visits the parts of what lies at an address.
pub(crate) fn walk(entry: &Entry, parts: &[Part], base: &str, visitor: &mut dyn Visitor) {
    for part in parts {
        let spot = Spot {
            base: base.to_owned(),
            offset: part.offset,
        };
        match &part.made {
            Made::Leaf(number) => visitor.leaf(*number, &entry.leaves[*number], &spot),
            Made::Pointer(pointer) => {
                let object = visitor.open(entry, pointer, &spot, &part.path);
                if let Some(Object { parts, .. }) = &pointer.object {
                    walk(entry, parts, &object, visitor);
                }
                visitor.close(pointer, &spot, &object);
            }
        }
    }
}

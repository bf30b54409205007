//! What a proof rests on, besides the program as it is built.
//!
//! Law: what a search assumed it noted; what it did not note it did not use.

use labrys_program::{BinaryOperator, Operation};

/// Something that a proof assumes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// Accesses to memory stay inside their objects.
    Memory,
    /// An access by any type, through any pointer, sees what was written there.
    Types,
    /// No check of undefined behaviour fails before the target.
    Checks,
    /// Arithmetic wraps around.
    Wraps,
    /// Nothing is read behind the end of an input.
    Inputs,
    /// No file is the memory of a process.
    Files,
}

impl Assumption {
    /// All that a proof may rest on.
    const ALL: [Assumption; 6] = [
        Assumption::Memory,
        Assumption::Types,
        Assumption::Checks,
        Assumption::Wraps,
        Assumption::Inputs,
        Assumption::Files,
    ];

    /// In words for the user.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Assumption::Memory => "accesses to memory stay inside their objects",
            Assumption::Types => {
                "accesses of any type see what was written, as with clang -fno-strict-aliasing and \
                 without restrict"
            }
            Assumption::Checks => {
                "no check of undefined behaviour fails on the way (array bounds, shifts, division)"
            }
            Assumption::Wraps => "arithmetic wraps around, as with clang -fwrapv",
            Assumption::Inputs => {
                "standard input and files end once: nothing is read behind the end, or behind a \
                 read that failed"
            }
            Assumption::Files => {
                "no file that is written at a chosen place is the memory of a process \
                 (/proc/PID/mem)"
            }
        }
    }
}

/// A set of assumptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assumptions(u8);

impl Assumptions {
    /// All that a proof may rest on.
    pub(crate) fn all() -> Self {
        let mut all = Self::default();
        Assumption::ALL.into_iter().for_each(|one| all.note(one));
        all
    }

    /// Notes an assumption.
    pub(crate) fn note(&mut self, assumption: Assumption) {
        self.0 |= 1 << assumption as u8;
    }

    /// Notes what the meaning of an operation assumes.
    pub(crate) fn note_operation(&mut self, operation: &Operation) {
        use BinaryOperator as B;
        if let Operation::Binary {
            operator: B::Add | B::Sub | B::Mul | B::Shl,
            ..
        } = operation
        {
            self.note(Assumption::Wraps);
        }
    }

    /// The assumptions in order. A program that chooses the place in a file where it writes may write to
    /// memory so.
    pub(crate) fn list(self, chooses_places_in_files: bool) -> Vec<Assumption> {
        let writes = self.has(Assumption::Memory) && chooses_places_in_files;
        let holds = |one: &Assumption| match one {
            Assumption::Files => writes,
            _ => self.has(*one),
        };
        Assumption::ALL.into_iter().filter(holds).collect()
    }

    fn has(self, assumption: Assumption) -> bool {
        self.0 & 1 << assumption as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Assumption, Assumptions};

    #[test]
    fn only_what_was_noted_is_listed() {
        let mut assumptions = Assumptions::default();
        assert_eq!(assumptions.list(false), []);
        assert_eq!(assumptions.list(true), []);
        assumptions.note(Assumption::Checks);
        assumptions.note(Assumption::Memory);
        let noted = [Assumption::Memory, Assumption::Checks];
        assert_eq!(assumptions.list(false), noted);
        let with_files = [&noted[..], &[Assumption::Files]].concat();
        assert_eq!(assumptions.list(true), with_files);
    }
}

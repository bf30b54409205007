//! Units: functions that a driver calls, and what the bytes of an input mean as such a call.
//!
//! A driver makes values of leaves in one order: numbers, arrays of numbers, and for each pointer a
//! choice of where it points. Each leaf has a *place*, from a parameter or a global variable
//! through pointers, at which a real call has the same value; so what fills the leaves of a call
//! and what reads them are made from one description.
//!
//! Law: the leaves of an entry lie in the objects stream one behind the other, in their order;
//! [`Leaf::offset`] counts from the first of them. With several entries, two bytes before them are
//! the number of the one that is called.

mod allocator;
mod call;

pub use allocator::{Allocator, IN_PLACE};
pub use call::Call;
pub(crate) use call::{number, signed};
use serde::{Deserialize, Serialize};

/// What the names of a driver's functions begin with that make the inputs of an entry and call it; the
/// number of the entry follows.
pub const CALL: &str = "labrys_call_";
/// The place of what a call returned in [`TestCase::results`](crate::TestCase): there whenever the
/// call came back.
pub const RETURNED: usize = 0;
/// The place of two bytes that are not 0 where an allocation failed in the call: of the function's own
/// source, of others.
pub const FAILED: usize = 9_999;
/// The place of object 0, others behind it.
pub const FIRST_OBJECT: usize = 1;
/// The place of the first global variable, others behind it.
pub const FIRST_GLOBAL: usize = 10_000;

/// The functions that a driver calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The functions; with more than one, an input of two bytes before all others is the number
    /// of the one that is called.
    pub entries: Vec<Entry>,
    /// What the program uses and nobody defines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// A function or a variable that nobody defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// The bytes of a variable, which are zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// A function with its inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the static program model.
    pub function: String,
    /// Its name in the source.
    pub name: String,
    /// The source file that defines it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Global variables that are filled before the call.
    pub globals: Vec<Variable>,
    /// The parameters in the order of the source.
    pub parameters: Vec<Variable>,
    /// The result; none if there is none that a test can look at.
    pub result: Option<ResultType>,
    /// Whether the function can give memory back: objects behind its pointers are then on the heap,
    /// and nobody looks at them after the call.
    pub frees: bool,
    /// The inputs in order.
    pub leaves: Vec<Leaf>,
    /// What is assumed of leaves that are lengths.
    pub lengths: Vec<Length>,
    /// What is assumed of leaves that begin anew at others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<Order>,
    /// Functions of other sources that pointers may point to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distant: Vec<String>,
    /// Functions that stand for others while the function is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubles: Vec<Double>,
    /// Which allocations fail while the function is called.
    #[serde(default)]
    pub failing: Failing,
    /// Whether a stream may read the file [`STREAM_FILE`], which is an input then.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub reads: bool,
}

/// The leaves, each of a byte, with the number of the allocation that fails; 0 is none. Those of the
/// function's own source and of others are counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// Of the function's own source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<usize>,
    /// Of other sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<usize>,
    /// The functions that fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocators: Vec<Allocator>,
}

/// A function of the driver in place of one that a pointer has none for, or that nobody defines.
/// What it returns and writes is inputs: those of the first [`ANSWERS`] calls, then the same again, and
/// in the end what its text says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Double {
    /// Its name.
    pub name: String,
    /// The function of the source that nobody defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether a library has it, whose answers depend on what is outside: they may set `errno`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
    /// Whether sources other than that of the test call it. If none does, only the test's own source gets
    /// the double: the library's own code, sanitizers and what measures coverage keep the function.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub called_elsewhere: bool,
    /// Its declaration with the types of the source; empty if they have no names there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub declared: String,
    /// Its definition in C, and that of its variables, each of which begins with `@`.
    pub text: String,
    /// What it returns and writes: the variables of the definition, by their names there.
    pub answers: Vec<Variable>,
}

/// Bytes behind an object that has room: tables of 65,537 numbers, say.
pub const ROOM: u64 = 1 << 18;

/// The bytes of [`Content::Places`] with zeros for an input: 48 and 304 are behind all registers.
pub const PLACES: [u8; 8] = [48, 0, 0, 0, 48, 1, 0, 0];

/// The file whose bytes a stream reads ([`Choice::Contents`]).
pub const STREAM_FILE: &str = "stream";

/// Calls of a [`Double`] with inputs of their own.
pub const ANSWERS: u64 = 3;

/// A parameter or a global variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type in C; empty if it has no short name.
    pub c_type: String,
    /// Bytes.
    pub size: u64,
    /// Where registers of a device are that it stands for: numbers of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// What it is filled with, in order.
    pub parts: Vec<Part>,
}

/// The type of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultType {
    /// The type in C.
    pub c_type: String,
    /// Bytes.
    pub size: u64,
    /// What it is.
    pub content: Content,
}

/// A piece of a variable or of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Bytes from the beginning of the variable or object.
    pub offset: u64,
    /// How C names it there: `.member[2]`; empty for the whole, and for bytes of no one member.
    pub path: String,
    /// Whether a test can only set its bytes: C does not let it be assigned, or compilers name it
    /// differently.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub raw: bool,
    /// What it is filled with.
    pub made: Made,
}

/// What a part is filled with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// A leaf, by its number.
    Leaf(usize),
    /// A pointer.
    Pointer(Pointer),
}

/// A pointer that a driver makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// If the code has a number for the address: its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The leaf whose value picks one of the choices ([`Pointer::chosen`]). None if there is one choice
    /// only.
    pub choice: Option<usize>,
    /// Where it may point.
    pub choices: Vec<Choice>,
    /// The object of its own.
    pub object: Option<Object>,
}

/// Where a pointer may point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// To an object of its own.
    Fresh,
    /// To an object of its own with [`ROOM`] bytes of zeros behind it.
    Roomy,
    /// To an empty file that can be written and read.
    Stream,
    /// To a stream without bytes that cannot be written.
    Sealed,
    /// The same after a write that failed: the stream has its error mark.
    Broken,
    /// To a stream that reads the file [`STREAM_FILE`] of the input.
    Contents,
    /// Nowhere.
    Null,
    /// To the object of an earlier pointer, by its number.
    Alias(usize),
    /// So many bytes behind the beginning of the object of an earlier pointer: to an element, or the end,
    /// of an array, or to a member.
    Within(usize, u64),
    /// To a place in a variable of the program.
    Variable {
        /// Its name.
        name: String,
        /// Bytes from its beginning.
        bytes: u64,
        /// How C names the element there; empty for the whole, and for places between elements.
        path: String,
    },
    /// To a function of the program.
    Function(String),
    /// To a double of the entry, by its name.
    Double(String),
    /// It is no pointer: its bytes are those of another member of a union.
    Keep,
}

/// An object behind a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Its number among the objects of the entry.
    pub number: usize,
    /// Bytes.
    pub size: u64,
    /// Those of them that are before the place where pointers to it point.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before: u64,
    /// How C names the member at that place, if pointers point to a member of the structure that it
    /// is; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub member: String,
    /// Elements of the array that it is; 1 for a single structure.
    pub count: u64,
    /// The earlier object with which it has [`ROOM`] behind it: one number counts the elements of
    /// both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<usize>,
    /// Whether the function looks at the lowest bits of its address: it begins at a multiple of 16.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub aligned: bool,
    /// Whether its address has 32 bits.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub low: bool,
    /// Whether it is larger than its type, by the elements of the array at its end.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub flexible: bool,
    /// The type of an element in C; empty if it has no short name.
    pub c_type: String,
    /// Whether pointers to it are declared as those to another type.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub disguised: bool,
    /// Whether the function must not change it.
    pub constant: bool,
    /// What it is filled with, in order.
    pub parts: Vec<Part>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// An input of a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// The parameter, member or variable that it fills.
    pub name: String,
    /// Where a call has it.
    pub place: Place,
    /// Bytes from the first leaf of the entry.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes of an element, for an array; else the size.
    pub element: u64,
    /// What its bytes stand for.
    pub content: Content,
}

/// A place in the memory of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Where it begins.
    pub root: Root,
    /// How it goes on.
    pub path: Vec<Step>,
}

/// Where a place begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Root {
    /// At a global variable, by its name in the static program model.
    Global(String),
    /// At a parameter of the source, from 0.
    Parameter(usize),
    /// At the result of a stub.
    Result,
}

/// A step of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// On by so many bytes.
    Offset(u64),
    /// To where the pointer here points.
    Dereference,
}

/// What the bytes of a leaf stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Bytes of no known type.
    Bytes,
    /// Numbers without sign.
    Unsigned,
    /// Numbers with a sign.
    Signed,
    /// Floating numbers.
    Float,
    /// A truth value: its lowest bit.
    Boolean,
    /// Characters.
    Characters,
    /// A string: characters, the last of which the driver makes zero.
    Text,
    /// Which of its choices a pointer points to.
    Choice,
    /// Which arguments of a `va_list` come next: [`PLACES`], or with the lowest bit of the input the
    /// first numbers in registers, with the next bit the first floating ones.
    Places,
    /// A pointer; results only.
    Pointer,
}

/// A leaf that is the number of elements of an array, or a place in it: `0 <= leaf <= most`, or -1 where
/// that stands for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    /// The number of the leaf.
    pub leaf: usize,
    /// The name of the pointer.
    pub of: String,
    /// The most elements.
    pub most: u64,
    /// Whether it may be -1.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub negative: bool,
    /// The most where the pointer has room behind its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
}

/// A leaf that begins anew where it comes to another one: it is less, or both are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The number of the leaf.
    pub leaf: usize,
    /// That of the other one.
    pub below: usize,
}

impl Length {
    /// A place of an element instead of a number of elements.
    #[must_use]
    pub fn less(self) -> Length {
        Length {
            most: self.most.saturating_sub(1),
            room: self.room.map(|room| Room {
                most: room.most.saturating_sub(1),
                ..room
            }),
            ..self
        }
    }
}

/// A choice of a pointer that gives its object room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// The leaf of the choice.
    pub choice: usize,
    /// Which choice.
    pub index: usize,
    /// The most elements then.
    pub most: u64,
}

/// The values of a choice that are spread over all choices; larger ones make the first, so that most
/// values do.
pub const SPREAD: u8 = 64;

impl Entry {
    /// Whether allocations can fail.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        self.failing.own.is_some() || self.failing.others.is_some()
    }

    /// The bytes of the leaves where each length is half of what it may be, so that arrays are
    /// neither empty nor full, and all else is zeros; none if there are no lengths.
    #[must_use]
    pub fn half_full(&self) -> Option<Vec<u8>> {
        let last = self.lengths.iter().map(|length| length.leaf).max()?;
        let end = self.leaves.get(last).map(|leaf| leaf.offset + leaf.size)?;
        let mut bytes = vec![0; end as usize];
        for (number, leaf) in self.leaves.iter().enumerate() {
            let half = self.half(number);
            let orders = self.orders.iter().filter(|order| order.leaf == number);
            let below = orders.map(|order| self.half(order.below) / 2).min();
            let half = below.map_or(half, |below| below.min(half)).to_le_bytes();
            let size = (leaf.size as usize).min(half.len());
            let start = leaf.offset as usize;
            if start + size <= bytes.len() {
                bytes[start..start + size].copy_from_slice(&half[..size]);
            }
        }
        Some(bytes)
    }

    /// Half of what a leaf may be as a length; 0 if it is none.
    fn half(&self, leaf: usize) -> u64 {
        let lengths = self.lengths.iter().filter(|length| length.leaf == leaf);
        let most = lengths.map(|length| length.most).min().unwrap_or(0);
        (most / 2).max(1).min(most)
    }
}

impl Double {
    /// Its definition and that of its variables, each with a word before it, such as `static`.
    #[must_use]
    pub fn defined(&self, word: &str) -> String {
        let lines = self.text.lines();
        let line = |line: &str| match line.strip_prefix('@') {
            Some(rest) => format!("{word}{rest}\n"),
            None => format!("{line}\n"),
        };
        lines.map(line).collect()
    }

    /// The same where the source is included: declared with its types.
    #[must_use]
    pub fn defined_in_source(&self, word: &str) -> String {
        let is_head = |line: &&str| line.starts_with('@') && line.ends_with(" {");
        let head = self.text.lines().find(is_head);
        let text = match head.filter(|_| !self.declared.is_empty()) {
            Some(head) => self.text.replace(head, &format!("@{} {{", self.declared)),
            None => self.text.clone(),
        };
        let double = Double {
            text,
            ..self.clone()
        };
        double.defined(word)
    }
}

impl Choice {
    /// A stream as an expression in C, in a driver.
    #[must_use]
    pub fn stream(&self) -> Option<&'static str> {
        match self {
            Choice::Stream => Some("tmpfile()"),
            Choice::Sealed => Some("fopen(\"/dev/null\", \"r\")"),
            Choice::Broken => {
                Some("({ void *broken = fopen(\"/dev/null\", \"r\"); fputc(0, broken); broken; })")
            }
            Choice::Contents => Some("fopen(\"stream\", \"r\")"),
            _ => None,
        }
    }
}

impl Pointer {
    /// Where it points with this value of its leaf.
    #[must_use]
    pub fn chosen(&self, value: u8) -> &Choice {
        let index = match value < SPREAD {
            true => usize::from(value) % self.choices.len().max(1),
            false => 0,
        };
        self.choices.get(index).unwrap_or(&Choice::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_is_declared_as_the_source_does() {
        let mut double = Double {
            text: "@int r[3];\n@int f(void *a0) {\n  if (a0) {\n  }\n}\n".to_owned(),
            ..Double::default()
        };
        assert_eq!(
            double.defined_in_source("static "),
            double.defined("static ")
        );
        double.declared = "enum e f(struct s *a0)".to_owned();
        let text = double.defined_in_source("static ");
        assert!(
            text.starts_with("static int r[3];\nstatic enum e f(struct s *a0) {\n"),
            "{text}"
        );
    }

    #[test]
    fn small_values_pick_every_choice_and_most_the_first() {
        let pointer = Pointer {
            number: None,
            choice: Some(0),
            choices: vec![Choice::Fresh, Choice::Null, Choice::Alias(0)],
            object: None,
        };
        let picked: Vec<&Choice> = (0..=255).map(|value| pointer.chosen(value)).collect();
        let count = |choice: &Choice| picked.iter().filter(|one| **one == choice).count();
        assert_eq!(picked[..3], pointer.choices.iter().collect::<Vec<_>>());
        assert_eq!(count(&Choice::Null), 21);
        assert_eq!(count(&Choice::Fresh), 192 + 22);
    }
}

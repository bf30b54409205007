//! What pointers are to point to.

use labrys_llvm::{DebugNode, Value};
use labrys_suite::unit::Choice;

use super::containers::Container;
use super::rooms::Room;
use crate::addresses::Block;
use crate::extents::Extent;

/// What names of members that point to the end of an array have in them.
const ENDS: [&str; 2] = ["end", "limit"];

/// An array into which several members of a structure, or several parameters, point: its beginning,
/// its end, a place in between.
#[derive(Clone, Copy)]
pub(super) struct Array<'m> {
    pub(super) region: usize,
    /// The type of its elements.
    pub(super) of: Option<DebugNode<'m>>,
    /// Where the structure begins in its object.
    pub(super) base: u64,
    pub(super) object: usize,
    pub(super) size: u64,
    pub(super) count: u64,
}

impl Array<'_> {
    /// Where a further member of this name may point: to the beginning, the end, the middle, and, as parsers
    /// ask for so many bytes, a little behind the beginning.
    pub(super) fn choices(&self, name: &str) -> Vec<Choice> {
        let element = self.size / self.count.max(1);
        let middle = element * (self.count / 2);
        let (object, size) = (self.object, self.size);
        let mut choices = vec![Choice::Alias(object), Choice::Within(object, size)];
        // An array without room is the odd case.
        if ENDS.iter().any(|end| name.contains(end)) {
            choices.reverse();
        }
        if middle > 0 {
            choices.push(Choice::Within(object, middle));
        }
        let near = [1, 2, 4].into_iter().filter(|near| *near < self.count / 4);
        let near = near.map(|near| Choice::Within(object, near * element));
        choices.extend(near);
        choices
    }
}

/// What a parameter has to do with the array of others.
#[derive(Clone, Copy, Default)]
pub(super) struct Mate {
    /// The first parameter that points into the same array, if that is another one.
    pub(super) first: Option<usize>,
    /// Whether others point there, of which this one is the first.
    pub(super) is_first: bool,
    /// Whether the parameter points to the pointer into the array.
    pub(super) is_cursor: bool,
}

/// What a pointer is to point to.
#[derive(Default)]
pub(super) struct Aim<'m> {
    pub(super) to: Option<DebugNode<'m>>,
    /// Whether the pointer is one member of a union.
    pub(super) shared: bool,
    /// Whether it is first what the other member is.
    pub(super) is_other_first: bool,
    /// If the code has a number for it: its bytes.
    pub(super) number: Option<u64>,
    /// Whether it is never null.
    pub(super) is_set: bool,
    /// The numbers behind it, if its type does not tell.
    pub(super) block: Option<Block>,
    /// Whether there is a length beside it.
    pub(super) counted: bool,
    /// If the code goes on to further structures or pointers behind it: the last of them that it names.
    pub(super) several: Option<u64>,
    /// The earlier array that has room where its own has some: a number counts the elements of both.
    pub(super) room: Option<Room>,
    /// Bytes before the place where it points, which the code accesses.
    pub(super) before: u64,
    /// The structure in which lies what it points to.
    pub(super) container: Option<Container<'m>>,
    /// What the code names of the array behind it.
    pub(super) extent: Extent,
    /// The lowest bits of it that the code looks at.
    pub(super) low_bits: u64,
    /// Variables with whose addresses the code compares it.
    pub(super) variables: Vec<Value<'m>>,
    /// Where the structure of its own type begins, in the innermost object, to which it may point.
    pub(super) ring: Option<u64>,
    /// Whether others of the same structure point to what is behind it.
    pub(super) shares: bool,
    /// Whether other parameters point into its array, as to its end.
    pub(super) paired: bool,
    /// The array into which it points, as others of the same structure do.
    pub(super) array: Option<Array<'m>>,
    /// What the pointer behind it shares with other parameters.
    pub(super) cursor: Option<Shared<'m>>,
    /// Pointers behind it in the same structure, or among parameters.
    pub(super) behind: usize,
}

/// What a pointer shares with parameters that point into the same array.
#[derive(Clone, Copy)]
pub(super) struct Shared<'m> {
    /// Whether it is the first of them, whose array is longer.
    pub(super) is_first: bool,
    pub(super) array: Option<Array<'m>>,
}

impl<'m> Aim<'m> {
    /// Lets a parameter, or the pointer behind it, point into the array of others.
    pub(super) fn share(&mut self, mate: Mate, array: Option<Array<'m>>) {
        let shared = Shared {
            is_first: mate.is_first,
            array,
        };
        match mate.is_cursor {
            true => self.cursor = Some(shared),
            false => self.point_into(shared),
        }
    }

    pub(super) fn point_into(&mut self, shared: Shared<'m>) {
        self.paired |= shared.is_first;
        self.shares |= shared.is_first;
        self.array = self.array.or(shared.array);
    }
}

//! Arrays with room behind them, and what is assumed of the numbers that count their elements.
//!
//! One number may count the elements of several arrays: where the first of them has room, all have.

use std::collections::BTreeMap;

use labrys_llvm::Value;
use labrys_suite::unit::{self, Choice, Length, Made, Part, Pointer, ROOM};

use crate::lengths::counts_bytes;

/// Where an array has room.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Its object.
    pub(super) object: usize,
    /// The leaf of the choice, and which choice.
    choice: usize,
    index: usize,
}

/// The first array with room whose elements a number counts, by the piece that the number is.
#[derive(Default)]
pub(super) struct Rooms(BTreeMap<usize, Room>);

impl Rooms {
    /// The array with which another one has room, by the numbers that count its elements.
    pub(super) fn of(&self, numbers: &[usize]) -> Option<Room> {
        numbers.iter().find_map(|at| self.0.get(at)).copied()
    }

    /// What is assumed of the numbers that count the elements behind a pointer.
    pub(super) fn lengths(
        &mut self,
        part: &Part,
        name: &str,
        numbers: &[usize],
    ) -> Vec<(usize, Length)> {
        let Some(length) = length(part, name, None, self.of(numbers)) else {
            return Vec::new();
        };
        if let Made::Pointer(pointer) = &part.made
            && let Some(room) = own(pointer)
        {
            for at in numbers {
                self.0.entry(*at).or_insert(room);
            }
        }
        numbers.iter().map(|at| (*at, length.clone())).collect()
    }
}

/// Where the array behind a pointer has room by its own choice.
fn own(pointer: &Pointer) -> Option<Room> {
    let index = pointer
        .choices
        .iter()
        .position(|one| *one == Choice::Roomy)?;
    Some(Room {
        object: pointer.object.as_ref()?.number,
        choice: pointer.choice?,
        index,
    })
}

/// The length of the object behind a pointer, of a leaf that is still to be told: the elements, or the
/// bytes where that is what the code takes the number for.
pub(super) fn length(
    part: &Part,
    of: &str,
    number: Option<Value<'_>>,
    shared: Option<Room>,
) -> Option<Length> {
    let Made::Pointer(pointer) = &part.made else {
        return None;
    };
    let object = pointer.object.as_ref()?;
    // Where it may point further on.
    let further = pointer.choices.iter().filter_map(|one| match one {
        Choice::Within(number, bytes) if *number == object.number => Some(*bytes),
        _ => None,
    });
    let further = further.max().unwrap_or(0);
    let (elements, bytes) = (
        object.count - further.min(object.count),
        object.size - further,
    );
    let most = match number.is_some_and(|number| counts_bytes(number, elements, bytes)) {
        true => bytes,
        false => elements,
    };
    let shared = shared.filter(|_| object.room.is_some());
    let room = own(pointer).or(shared).map(|room| unit::Room {
        choice: room.choice,
        index: room.index,
        most: most + ROOM * most / bytes.max(1),
    });
    Some(Length {
        leaf: 0,
        of: of.to_owned(),
        most,
        negative: false,
        room,
    })
}

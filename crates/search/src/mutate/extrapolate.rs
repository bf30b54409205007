//! Extrapolation: a number of the input moved to where two runs together point.
//!
//! How often a loop iterates or a function calls itself is often a number of the input, and what is
//! compared behind it is counted, not computed from that number: no query speaks of it, and each
//! solved branch moves the number by one iteration. But runs tell how near they came to an open
//! branch, whether it was decided by the input or not. Two runs that differ in few numbers give the slope of that distance; the zero of the line through both is
//! the next input, as in the secant method. A distance has no sign, so the zero may also lie between
//! them. Single bytes are no numbers here: they are mostly characters, and have few values.
//!
//! Laws: only numbers in which the two inputs differ are changed; a branch gets at most [`TRIES`]
//! inputs for each run that came nearer to it, and all of them one of [`TURN`] steps of the search.

use std::collections::VecDeque;
use std::rc::Rc;

use labrys_program::BranchId;
use labrys_suite::{Input, InputStream, ObjectKind, StreamKind};
use rustc_hash::FxHashMap;

use crate::tree::RunId;

/// Numbers in which two inputs may differ.
const MOST_DIFFERENT: usize = 3;
/// Inputs for a branch until a run comes nearer to it.
const TRIES: u8 = 8;
/// Runs that are compared with the nearest one.
const LOOKS: u8 = 64;
/// Steps of the search of which one is for an input that waits.
const TURN: u32 = 8;
/// Inputs that wait.
const MOST_WAITING: usize = 32;

/// A run as far as it is needed here.
#[derive(Clone)]
struct Sample {
    run: RunId,
    input: Rc<Input>,
    distance: u32,
}

/// The nearest run to a branch, and the inputs that were made for the branch since.
struct Best {
    sample: Sample,
    tries: u8,
    looks: u8,
}

impl Best {
    fn new(sample: Sample) -> Self {
        Best {
            sample,
            tries: 0,
            looks: 0,
        }
    }

    /// The inputs to which another run and the nearest one point, with the runs that they change.
    fn meet(&mut self, sample: &Sample, objects: &[(u64, u64, u8)]) -> Vec<(RunId, Input)> {
        let before = self.sample.clone();
        let nearer = sample.distance < before.distance;
        if nearer {
            *self = Best::new(sample.clone());
        }
        let done = self.tries >= TRIES || self.looks >= LOOKS;
        if done || sample.distance == before.distance {
            return Vec::new();
        }
        let (from, other) = match nearer {
            true => (sample, &before),
            false => (&before, sample),
        };
        let made = zeros(from, other, objects);
        self.looks += 1;
        self.tries += made.len() as u8;
        made.into_iter().map(|input| (from.run, input)).collect()
    }
}

/// An input that waits.
struct Suggested {
    /// The run whose input it changes.
    from: RunId,
    input: Input,
    /// The branch that it is for.
    branch: BranchId,
}

/// See the module.
pub(crate) struct Extrapolation {
    best: FxHashMap<BranchId, Best>,
    waiting: VecDeque<Suggested>,
    /// Steps of the search since one of them had its turn.
    since: u32,
    /// The branch for which the last one was.
    tried: Option<BranchId>,
}

impl Default for Extrapolation {
    fn default() -> Self {
        Extrapolation {
            best: FxHashMap::default(),
            waiting: VecDeque::new(),
            since: TURN,
            tried: None,
        }
    }
}

/// A number of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// An input object: little-endian bytes of the stream.
    Object {
        stream: usize,
        offset: usize,
        size: usize,
        signed: bool,
    },
    /// Decimal digits of a file, `from..to`, with a sign before them or none.
    Decimal {
        stream: usize,
        from: usize,
        to: usize,
    },
}

/// A number in which two inputs differ: its place in the first, and both values.
type Difference = (Place, i128, i128);

impl Extrapolation {
    /// Learns how near a run came to open branches. `objects` are its input objects: offset, size
    /// and kind of each.
    pub(crate) fn learn(
        &mut self,
        run: RunId,
        input: &Input,
        objects: &[(u64, u64, u8)],
        near: &[(BranchId, u32)],
    ) {
        let mut shared = None;
        for &(branch, distance) in near {
            let input = Rc::clone(shared.get_or_insert_with(|| Rc::new(input.clone())));
            let sample = Sample {
                run,
                input,
                distance,
            };
            match self.best.get_mut(&branch) {
                None => {
                    self.best.insert(branch, Best::new(sample));
                }
                Some(best) => {
                    // A line that leads on is followed at once.
                    if self.tried == Some(branch) && distance < best.sample.distance {
                        self.since = TURN;
                    }
                    let made = best.meet(&sample, objects).into_iter();
                    let suggested = made.map(|(from, input)| Suggested {
                        from,
                        input,
                        branch,
                    });
                    self.waiting.extend(suggested);
                }
            }
        }
        let surplus = self.waiting.len().saturating_sub(MOST_WAITING);
        self.waiting.drain(..surplus);
    }

    /// The newest input that waits and is new, and the run whose input it changes, if it is its
    /// turn.
    pub(crate) fn next(&mut self, is_new: impl Fn(&Input) -> bool) -> Option<(RunId, Input)> {
        self.since += 1;
        while self.since >= TURN {
            let next = self.waiting.pop_back()?;
            if is_new(&next.input) {
                self.since = 0;
                self.tried = Some(next.branch);
                return Some((next.from, next.input));
            }
        }
        None
    }
}

/// The inputs at which a distance may be 0, by two runs, the likelier one last.
fn zeros(from: &Sample, other: &Sample, objects: &[(u64, u64, u8)]) -> Vec<Input> {
    let differences = differences(&from.input, &other.input, objects);
    if differences.is_empty() || differences.len() > MOST_DIFFERENT {
        return Vec::new();
    }
    // At distance 0 a strict comparison needs one more.
    let (near, far) = (i128::from(from.distance.max(1)), i128::from(other.distance));
    // The last is tried first: beyond a run that came nearer, else between the two.
    let mut slopes = [near - far, near + far];
    if from.run.index() > other.run.index() {
        slopes.reverse();
    }
    let mut made = Vec::new();
    for slope in slopes {
        if slope == 0 {
            continue;
        }
        let mut input = (*from.input).clone();
        // From the last place on, as decimal numbers may change their length.
        for &(place, value, of_other) in differences.iter().rev() {
            let by = rounded((of_other - value) * near, slope);
            place.write(&mut input, value + by);
        }
        if input != *from.input && !made.contains(&input) {
            made.push(input);
        }
    }
    made
}

/// A quotient, rounded away from 0, so that a step never ends short of its aim.
fn rounded(dividend: i128, divisor: i128) -> i128 {
    let quotient = dividend / divisor;
    match dividend % divisor {
        0 => quotient,
        _ if (dividend < 0) == (divisor < 0) => quotient + 1,
        _ => quotient - 1,
    }
}

/// The numbers in which two inputs differ, in order; none if they differ in more than numbers.
fn differences(one: &Input, other: &Input, objects: &[(u64, u64, u8)]) -> Vec<Difference> {
    let mut found = Vec::new();
    let streams = one.streams.iter().zip(&other.streams).enumerate();
    for (stream, (left, right)) in streams.filter(|(_, (left, right))| left.bytes != right.bytes) {
        match left.kind {
            StreamKind::Objects => {
                let places = objects.iter();
                let places = places.filter_map(|object| Place::object(stream, object));
                let both = |place: Place| Some((place, place.read(left)?, place.read(right)?));
                let different = places
                    .filter_map(both)
                    .filter(|(_, left, right)| left != right);
                found.extend(different.take(MOST_DIFFERENT + 1));
            }
            _ if left.kind.is_file() => found.extend(decimal(stream, &left.bytes, &right.bytes)),
            _ => return Vec::new(),
        }
    }
    found
}

/// The decimal number that is the only difference of two texts.
fn decimal(stream: usize, left: &[u8], right: &[u8]) -> Option<Difference> {
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let shorter = left.len().min(right.len());
    let mut from = left.iter().zip(right).take_while(same).count();
    let ends = left.iter().rev().zip(right.iter().rev());
    let mut behind = ends.take_while(same).count().min(shorter - from);
    while from > 0 && left[from - 1].is_ascii_digit() {
        from -= 1;
    }
    while behind > 0 && left[left.len() - behind].is_ascii_digit() {
        behind -= 1;
    }
    let number = |text: &[u8]| {
        let text = core::str::from_utf8(&text[from..text.len() - behind]).ok()?;
        (text.len() <= 20).then(|| text.parse().ok()).flatten()
    };
    let to = left.len() - behind;
    let place = Place::Decimal { stream, from, to };
    Some((place, number(left)?, number(right)?))
}

impl Place {
    /// An object that is a number.
    fn object(stream: usize, &(offset, size, kind): &(u64, u64, u8)) -> Option<Self> {
        let signed = match ObjectKind::from_u8(kind)? {
            ObjectKind::Unsigned => false,
            ObjectKind::Signed | ObjectKind::Bytes => true,
            _ => return None,
        };
        matches!(size, 2 | 4 | 8).then_some(Place::Object {
            stream,
            offset: offset as usize,
            size: size as usize,
            signed,
        })
    }

    /// The value of an object in its stream.
    fn read(self, stream: &InputStream) -> Option<i128> {
        let Place::Object {
            offset,
            size,
            signed,
            ..
        } = self
        else {
            return None;
        };
        let bytes = stream.bytes.get(offset..offset + size)?;
        let bytes = bytes.iter().rev();
        let value = bytes.fold(0, |value: i128, byte| value << 8 | i128::from(*byte));
        let bits = 8 * size as u32;
        let negative = signed && value >> (bits - 1) != 0;
        Some(if negative { value - (1 << bits) } else { value })
    }

    fn write(self, input: &mut Input, value: i128) {
        match self {
            Place::Object {
                stream,
                offset,
                size,
                ..
            } => {
                let bytes = &value.to_le_bytes()[..size];
                input.streams[stream].bytes[offset..offset + size].copy_from_slice(bytes);
            }
            Place::Decimal { stream, from, to } => {
                let text = value.to_string().into_bytes();
                input.streams[stream].bytes.splice(from..to, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTS: [(u64, u64, u8); 2] = [(0, 4, 2), (4, 4, 2)];

    fn ints(values: [i32; 2]) -> Input {
        Input::objects(values.map(i32::to_le_bytes).concat())
    }

    /// Runs that a program of this distance makes of what is suggested, until it is 0.
    fn runs_until_zero(first: &[Input; 2], distance: impl Fn(&Input) -> u32) -> Option<usize> {
        let mut extrapolation = Extrapolation::default();
        let mut run = 0;
        let mut learn = |extrapolation: &mut Extrapolation, input: &Input| {
            let near = [(BranchId(3), distance(input))];
            extrapolation.learn(RunId(run), input, &INTS, &near);
            run += 1;
            near[0].1
        };
        for input in first {
            learn(&mut extrapolation, input);
        }
        for count in 1..20 {
            let (_, input) = (0..TURN).find_map(|_| extrapolation.next(|_| true))?;
            if learn(&mut extrapolation, &input) == 0 {
                return Some(count);
            }
        }
        None
    }

    fn int(input: &Input, index: usize) -> i64 {
        let bytes = &input.streams[0].bytes[4 * index..][..4];
        i64::from(i32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    #[test]
    fn lines_lead_to_their_zero() {
        let line = |input: &Input| int(input, 0).abs_diff(200) as u32;
        assert_eq!(
            runs_until_zero(&[ints([0, 5]), ints([1, 5])], line),
            Some(1)
        );
        let steep = |input: &Input| (3 * int(input, 1)).abs_diff(30_000) as u32;
        assert_eq!(
            runs_until_zero(&[ints([7, 0]), ints([7, 2])], steep),
            Some(1)
        );
        let between = |input: &Input| int(input, 0).abs_diff(200) as u32;
        let found = runs_until_zero(&[ints([0, 0]), ints([5000, 0])], between);
        assert_eq!(found, Some(1));
    }

    #[test]
    fn numbers_of_texts_are_numbers() {
        let count = |input: &Input| {
            let text = String::from_utf8_lossy(&input.streams[0].bytes).into_owned();
            let number = text.trim_start_matches("n = ").trim_end_matches(";\n");
            number
                .parse::<u32>()
                .map_or(u32::MAX, |n| n.abs_diff(12_345))
        };
        let texts = ["n = 7;\n", "n = 9;\n"].map(|text| Input::stdin(text.as_bytes()));
        assert_eq!(runs_until_zero(&texts, count), Some(1));
    }

    #[test]
    fn inputs_that_differ_in_much_point_nowhere() {
        let mut extrapolation = Extrapolation::default();
        let texts = ["one", "three hundred"].map(|text| Input::stdin(text.as_bytes()));
        for (run, (input, distance)) in (0..).zip(texts.iter().zip([9, 4])) {
            extrapolation.learn(RunId(run), input, &[], &[(BranchId(0), distance)]);
        }
        assert!((0..TURN).all(|_| extrapolation.next(|_| true).is_none()));
    }
}

//! Runs of a program by the machine of `semantics`: on one input, and on all inputs or many.

use std::collections::{BTreeMap, BTreeSet};

use labrys_expr::Value;
use labrys_program::{BlockId, Constant, FunctionId, Program, Terminator};
use labrys_semantics::{Distance, Halt, Inputs, IrValue, Limit, Machine, Rules};

/// Before an instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) function: FunctionId,
    pub(crate) block: BlockId,
    pub(crate) instruction: usize,
}

/// Instructions and frames of a run.
const LIMIT: Limit = Limit {
    steps: 5_000,
    interpreted: 5_000,
    depth: 60,
};
/// Input bytes of which all values are tried.
const ALL_BYTES: usize = 2;
/// Instructions at most, where all inputs are tried and where some are.
const ALL_STEPS: u64 = 3_000_000;
const SAMPLE_STEPS: u64 = 300_000;
/// Runs at most of the latter.
const SAMPLES: usize = 8_000;

/// Input objects, as hexadecimal digits.
pub(crate) fn hexadecimal(objects: &[Vec<u8>]) -> String {
    let object = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let objects: Vec<String> = objects.iter().map(object).collect();
    if objects.is_empty() {
        return "none".to_owned();
    }
    objects.join(" ")
}

/// Lets the values decide, and notes where control comes by.
struct Watcher {
    stop: Option<Place>,
    seen: BTreeSet<(FunctionId, BlockId)>,
    /// From block to block.
    edges: BTreeSet<(FunctionId, BlockId, BlockId)>,
    /// The functions of the frames that are there, and of some that are gone.
    frames: Vec<FunctionId>,
}

impl Watcher {
    fn new(stop: Option<Place>) -> Self {
        Watcher {
            stop,
            seen: BTreeSet::new(),
            edges: BTreeSet::new(),
            frames: Vec::new(),
        }
    }
}

impl Rules for Watcher {
    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize> {
        self.seen.insert((function, block));
        self.frames.resize(depth + 1, function);
        self.frames[depth] = function;
        let stop = self.stop?;
        ((stop.function, stop.block) == (function, block)).then_some(stop.instruction)
    }

    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        _: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId> {
        self.edges.insert((self.frames[depth], block, natural));
        Some(natural)
    }

    fn assume(&mut self, _: Distance) -> bool {
        false
    }
}

/// Gives given objects, then zeros.
struct Given<'a>(std::slice::Iter<'a, Vec<u8>>);

impl Inputs for Given<'_> {
    fn next(&mut self, bytes: &mut [u8]) {
        if let Some(object) = self.0.next() {
            let count = bytes.len().min(object.len());
            bytes[..count].copy_from_slice(&object[..count]);
        }
    }
}

fn run(
    program: &Program,
    entry: FunctionId,
    inputs: &mut dyn Inputs,
    watcher: &mut Watcher,
) -> (Result<(), Halt>, u64) {
    let external = labrys_solver::call_function;
    let parameters = &program.functions[entry.index()].parameters;
    let zeros = parameters.iter().filter_map(|one| one.ty.width());
    let zeros = zeros.map(|width| IrValue::Scalar(Value::new(width, 0)));
    let mut machine = Machine::new(program, external, inputs, watcher, LIMIT);
    let end = machine.call(entry, zeros.collect()).map(|_| ());
    (end, machine.steps())
}

/// Whether a run on these objects comes to a place; an error says why that is not known.
pub(crate) fn comes_to(
    program: &Program,
    entry: FunctionId,
    objects: &[Vec<u8>],
    place: Place,
) -> Result<bool, String> {
    let mut watcher = Watcher::new(Some(place));
    match run(program, entry, &mut Given(objects.iter()), &mut watcher).0 {
        Err(Halt::Stopped) => Ok(true),
        Err(Halt::Unknown(what)) => Err(format!("the machine does not know {what}")),
        Err(Halt::Limit) => Err("the run is too long".to_owned()),
        _ => Ok(false),
    }
}

/// Gives what it notes.
struct Drawn<'a> {
    draw: &'a mut dyn FnMut(&mut [u8]),
    objects: Vec<Vec<u8>>,
}

impl Inputs for Drawn<'_> {
    fn next(&mut self, bytes: &mut [u8]) {
        (self.draw)(bytes);
        self.objects.push(bytes.to_vec());
    }
}

/// What runs on all inputs or many of them showed.
pub(crate) struct Attack<'p> {
    program: &'p Program,
    entry: FunctionId,
    stop: Option<Place>,
    /// The first input that came to each block, or to the place within one.
    seen: BTreeMap<(FunctionId, BlockId), Vec<Vec<u8>>>,
    /// The first input on which control went from one block to another.
    edges: BTreeMap<(FunctionId, BlockId, BlockId), Vec<Vec<u8>>>,
    /// Whether all inputs were tried, and each run came to its end.
    whole: bool,
    /// Instructions that may still be executed.
    steps: u64,
}

impl<'p> Attack<'p> {
    /// Tries inputs; `stop` is the place that is looked for, or none for the beginnings of all
    /// blocks.
    pub(crate) fn on(program: &'p Program, entry: FunctionId, stop: Option<Place>) -> Self {
        let mut attack = Attack {
            program,
            entry,
            stop,
            seen: BTreeMap::new(),
            edges: BTreeMap::new(),
            whole: true,
            steps: ALL_STEPS,
        };
        let asked: usize = attack.try_one(&mut |_| {}).iter().map(Vec::len).sum();
        if asked > ALL_BYTES {
            attack.whole = false;
        } else {
            attack.enumerate();
        }
        if !attack.whole {
            attack.sample();
        }
        attack
    }

    /// An input that comes to a place.
    pub(crate) fn reaches(&self, place: Place) -> Option<&[Vec<u8>]> {
        let input = self.seen.get(&(place.function, place.block))?;
        Some(input)
    }

    /// An input on which control goes from one block to another.
    pub(crate) fn takes(
        &self,
        function: FunctionId,
        from: BlockId,
        to: BlockId,
    ) -> Option<&[Vec<u8>]> {
        let input = self.edges.get(&(function, from, to))?;
        Some(input)
    }

    /// Whether control goes along an edge in the run on these bytes.
    pub(crate) fn is_taken_by(&self, bytes: &[u8], edge: (FunctionId, BlockId, BlockId)) -> bool {
        let mut rest = bytes;
        let mut inputs = Drawn {
            draw: &mut |object| {
                let count = object.len().min(rest.len());
                object[..count].copy_from_slice(&rest[..count]);
                rest = &rest[count..];
            },
            objects: Vec::new(),
        };
        let mut watcher = Watcher::new(None);
        let _ = run(self.program, self.entry, &mut inputs, &mut watcher);
        watcher.edges.contains(&edge)
    }

    /// Whether no input at all comes to places that were not seen.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// One run; the objects that it asked for.
    fn try_one(&mut self, draw: &mut dyn FnMut(&mut [u8])) -> Vec<Vec<u8>> {
        let mut inputs = Drawn {
            draw,
            objects: Vec::new(),
        };
        let mut watcher = Watcher::new(self.stop);
        let (end, steps) = run(self.program, self.entry, &mut inputs, &mut watcher);
        self.steps = self.steps.saturating_sub(steps);
        self.whole &= !matches!(end, Err(Halt::Unknown(_) | Halt::Limit));
        let stopped = self.stop.map(|place| (place.function, place.block));
        for place in watcher.seen {
            if stopped.is_none() || (stopped == Some(place) && end == Err(Halt::Stopped)) {
                let objects = &inputs.objects;
                self.seen.entry(place).or_insert_with(|| objects.clone());
            }
        }
        for edge in watcher.edges {
            let objects = &inputs.objects;
            self.edges.entry(edge).or_insert_with(|| objects.clone());
        }
        inputs.objects
    }

    /// All inputs in order. What a run asks for may depend on what it got.
    fn enumerate(&mut self) {
        let mut bytes: Vec<u8> = Vec::new();
        while self.steps > 0 {
            let mut at = 0;
            self.try_one(&mut |object| {
                for byte in object {
                    if at == bytes.len() {
                        bytes.push(0);
                    }
                    *byte = bytes[at];
                    at += 1;
                }
            });
            bytes.truncate(at);
            while bytes.last() == Some(&u8::MAX) {
                bytes.pop();
            }
            match bytes.last_mut() {
                Some(last) => *last += 1,
                None => return,
            }
        }
        self.whole = false;
    }

    /// Inputs of small numbers, numbers of the program and near them, and any numbers.
    fn sample(&mut self) {
        let numbers = numbers(self.program);
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % bound
        };
        let mut last = 0;
        self.steps = SAMPLE_STEPS;
        for _ in 0..SAMPLES {
            if self.steps == 0 {
                return;
            }
            self.try_one(&mut |object| {
                let number = match below(6) {
                    0 => below(16) as u128,
                    1 => below(usize::MAX) as u128,
                    2 => last,
                    _ => {
                        let number = numbers[below(numbers.len())];
                        number.wrapping_add(below(3) as u128).wrapping_sub(1)
                    }
                };
                last = number;
                for (byte, value) in object.iter_mut().zip(number.to_le_bytes()) {
                    *byte = value;
                }
                // Texts and tables.
                for byte in object.iter_mut().skip(usize::from(below(3) > 0) * 16) {
                    *byte = numbers[below(numbers.len())].to_le_bytes()[0];
                }
            });
        }
    }
}

/// Numbers that a program compares with, perhaps.
fn numbers(program: &Program) -> Vec<u128> {
    let constants = program
        .constants
        .iter()
        .filter_map(|constant| match constant {
            Constant::Int { bits, .. } => Some(*bits),
            Constant::Float(bits) => Some(u128::from(*bits)),
            Constant::Double(bits) => Some(u128::from(*bits)),
            _ => None,
        });
    let texts = program.globals.iter().flat_map(|one| &one.initializer);
    let bytes = texts.flat_map(|text| text.bytes.iter().map(|byte| u128::from(*byte)));
    let sites = program.functions.iter().flat_map(|one| &one.blocks);
    let cases = sites.flat_map(|block| match &block.terminator {
        Terminator::Switch { cases, .. } => cases.iter().map(|(case, _)| *case).collect(),
        _ => Vec::new(),
    });
    let mut numbers: Vec<u128> = constants.chain(bytes).chain(cases).chain([0]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

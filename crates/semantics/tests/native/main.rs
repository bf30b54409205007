//! Machine code against the interpreter: a run ends the same way, after the same steps, with the
//! same memory, and has asked inputs and rules the same.

mod corpus;
mod generate;
mod instructions;

use labrys_expr::Value;
use labrys_program::{BlockId, FunctionId, Program, Type};
use labrys_semantics::{
    Distance, Halt, Inputs, IrValue, Limit, Machine, NativeCode, Rules, Watched,
};

/// Draws numbers.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 5
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Bytes of input objects: mostly small numbers.
struct Bytes(Random);

impl Inputs for Bytes {
    fn next(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = [0, 1, 0, 0xff, self.0.next() as u8][self.0.below(5)];
        }
    }
}

/// Where rules look, and what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    /// At the beginning of a block; the instruction to stop before.
    Enter(usize, FunctionId, BlockId, Option<usize>),
    /// At the end of a block; which successor to go to.
    Leave(usize, BlockId, usize),
}

/// Looks at places in a given order; notes what it sees.
#[derive(Default)]
struct Script {
    looks: Vec<Look>,
    at: usize,
    /// Notes all places instead.
    all: bool,
    seen: Vec<String>,
    places: Vec<Look>,
}

/// Places that are noted.
const MAX_PLACES: usize = 300;

impl Rules for Script {
    fn watched(&self) -> Watched {
        if self.all {
            return Watched::All;
        }
        let (mut enter, mut leave) = (None, None);
        match self.looks.get(self.at) {
            Some(Look::Enter(depth, function, block, _)) => {
                enter = Some((*depth, *function, *block));
            }
            Some(Look::Leave(depth, block, _)) => leave = Some((*depth, *block)),
            None => {}
        }
        Watched::These { enter, leave }
    }

    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize> {
        if self.all {
            if self.places.len() < MAX_PLACES {
                self.places.push(Look::Enter(depth, function, block, None));
            }
            return None;
        }
        let Some(Look::Enter(.., stop)) = self.looks.get(self.at) else {
            panic!("{block} is not watched");
        };
        self.at += 1;
        self.seen.push(format!("enter {depth} {function} {block}"));
        *stop
    }

    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        distance: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId> {
        if self.all {
            if self.places.len() < MAX_PLACES {
                self.places.push(Look::Leave(depth, block, 0));
            }
            return Some(natural);
        }
        let Some(Look::Leave(.., choice)) = self.looks.get(self.at) else {
            panic!("the end of {block} is not watched");
        };
        self.at += 1;
        let distances: Vec<_> = (0..64).map(|to| distance(BlockId(to)).to_bits()).collect();
        let ways = (0..64).filter(|to| distances[*to as usize] != f64::MAX.to_bits());
        let ways: Vec<u32> = ways.collect();
        let line = format!("leave {depth} {block} {natural} {distances:x?}");
        self.seen.push(line);
        match choice {
            9 => None,
            _ => Some(BlockId(ways[choice % ways.len()])),
        }
    }

    fn assume(&mut self, distance: Distance) -> bool {
        self.seen.push(format!("assume {:x}", distance.to_bits()));
        self.seen.len() % 5 != 0
    }
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Run {
    end: Result<Option<IrValue<Value>>, Halt>,
    steps: u64,
    seen: Vec<String>,
    memory: Vec<(u64, Vec<u8>)>,
}

/// What a run begins with.
#[derive(Clone, Copy)]
struct Start<'p> {
    program: &'p Program,
    entry: FunctionId,
    seed: u64,
    limit: Limit,
}

fn external(name: &str, arguments: &[Value], _: u32) -> Option<u128> {
    let [value] = arguments else { return None };
    let number = f64::from_bits(value.bits() as u64);
    (name == "sin").then(|| u128::from(number.sin().to_bits()))
}

/// Arguments of the entry's types.
fn arguments(start: Start<'_>) -> Vec<IrValue<Value>> {
    let mut random = Random::new(start.seed ^ 77);
    let function = start.program.function(start.entry).expect("the entry");
    let mut values = Vec::new();
    for parameter in &function.parameters {
        let wide = u128::from(random.next()) << random.below(70);
        let bits = match parameter.ty {
            Type::Pointer => 0,
            Type::Double => u128::from((random.below(9) as f64 / 2.0).to_bits()),
            _ => random.pick(&[0, 1, 5, wide, u128::MAX]),
        };
        let width = parameter.ty.width().expect("scalar parameters");
        values.push(IrValue::Scalar(Value::new(width, bits)));
    }
    values
}

fn run(start: Start<'_>, script: &mut Script, code: Option<&mut NativeCode>) -> Run {
    let mut inputs = Bytes(Random::new(start.seed));
    let mut machine = Machine::new(start.program, external, &mut inputs, script, start.limit);
    if let Some(code) = code {
        machine = machine.with_code(code);
    }
    let end = machine.call(start.entry, arguments(start));
    let steps = machine.steps();
    let objects = machine.objects();
    let memory = objects
        .map(|(base, bytes)| (base, bytes.to_vec()))
        .collect();
    Run {
        end,
        steps,
        seen: std::mem::take(&mut script.seen),
        memory,
    }
}

/// Runs with and without code, with rules that look at some of the places that are passed;
/// the run without rules.
fn agree(start: Start<'_>, code: &mut NativeCode, random: &mut Random) -> Run {
    let mut recorder = Script {
        all: true,
        ..Script::default()
    };
    let free = run(start, &mut recorder, None);
    let mut looks = Vec::new();
    let share = random.pick(&[1, 3, 20, 1000]);
    for place in recorder.places {
        if !random.one_in(share) {
            continue;
        }
        looks.push(match place {
            Look::Enter(depth, function, block, _) => {
                let stop = random.one_in(40).then(|| random.below(5));
                Look::Enter(depth, function, block, stop)
            }
            Look::Leave(depth, block, _) => {
                let bound = if random.one_in(20) { 10 } else { 3 };
                let other = random.below(bound);
                Look::Leave(depth, block, other)
            }
        });
    }
    let script = || Script {
        looks: looks.clone(),
        ..Script::default()
    };
    let limits = [start.limit.steps, 1 + random.next() % free.steps.max(1)];
    for steps in limits {
        let limit = Limit {
            steps,
            ..start.limit
        };
        let start = Start { limit, ..start };
        let expected = run(start, &mut script(), None);
        let mut found = run(start, &mut script(), Some(code));
        while found.end == Err(Halt::Again) {
            found = run(start, &mut script(), Some(code));
        }
        assert_eq!(
            found, expected,
            "seed {} limit {steps} {looks:?}\n{}",
            start.seed, start.program
        );
    }
    free
}

//! A machine that executes the IR on concrete values.
//!
//! It is the executor of the trace programs of symcretic execution (dissertation, section 4.3):
//! its [`Rules`] may send control another way than the values say, and learn from the distance
//! how far the values are from going that way themselves.
//!
//! Invariant: it computes with the same meanings as expressions do; what has no meaning ends the
//! run as [`Halt::Unknown`], it is never guessed.

mod distance;
mod effects;
mod memory;
mod strings;

use labrys_expr::Value;
use labrys_program::{
    Block, BlockId, Function, FunctionId, Instruction, Operand, Operation, Program, Terminator,
    Type, ValueId,
};

use crate::algebra::{Concrete, External};
use crate::constant::{Addresses, constant};
use crate::operation::{Meaning, Operands, meaning};
pub use distance::Distance;
use memory::Memory;

type Known = Meaning<Value>;

/// Why a machine stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The rules said so.
    Stopped,
    /// The program ended itself, or an assumption did not hold.
    Ended,
    /// An access outside all objects, a trap, or a decision without a way on.
    Fault,
    /// A limit was reached.
    Limit,
    /// Something without a meaning here.
    Unknown(String),
}

/// Limits of one execution.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Instructions.
    pub steps: u64,
    /// Frames.
    pub depth: usize,
}

/// Gives the bytes of input objects in the order in which they are asked for.
pub trait Inputs {
    /// Fills the next object.
    fn next(&mut self, bytes: &mut [u8]);
}

/// Watches a machine, and steers it.
pub trait Rules {
    /// A block begins. If control is to stop in it: before which instruction.
    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize>;

    /// A block ends. `natural` is where the values lead; `distance` tells how far they are from
    /// leading to another successor. The answer is where to go, or `None` to stop.
    fn leave(
        &mut self,
        depth: usize,
        block: BlockId,
        natural: BlockId,
        distance: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId>;

    /// An assumption does not hold, by this much. Whether to go on all the same.
    fn assume(&mut self, distance: Distance) -> bool;
}

/// See the module.
pub struct Machine<'a> {
    program: &'a Program,
    algebra: Concrete,
    memory: Memory,
    frames: Vec<Frame>,
    inputs: &'a mut dyn Inputs,
    rules: &'a mut dyn Rules,
    limit: Limit,
    steps: u64,
    /// Tables of characters that were asked for, by function.
    tables: Vec<(String, u64)>,
}

struct Frame {
    function: FunctionId,
    values: Vec<Option<Known>>,
    objects: Vec<u64>,
}

/// What a frame's values and the program's constants say.
struct Reader<'m> {
    program: &'m Program,
    function: &'m Function,
    values: &'m [Option<Known>],
    memory: &'m mut Memory,
}

impl Operands<Concrete> for Reader<'_> {
    fn value(&mut self, algebra: &mut Concrete, operand: Operand) -> Option<Known> {
        match operand {
            Operand::Value(id) => self.values.get(id.index())?.clone(),
            Operand::Constant(id) => constant(algebra, self.program, id, self),
        }
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        self.program.operand_type(self.function, operand)
    }
}

impl Addresses<Concrete> for Reader<'_> {
    fn global(&mut self, _: &mut Concrete, id: labrys_program::GlobalId) -> Value {
        Value::new(64, u128::from(self.memory.global(self.program, id)))
    }

    fn function(&mut self, _: &mut Concrete, id: FunctionId) -> Value {
        Value::new(64, u128::from(Memory::function(id)))
    }
}

impl<'a> Machine<'a> {
    /// A machine that has not begun.
    pub fn new(
        program: &'a Program,
        external: External,
        inputs: &'a mut dyn Inputs,
        rules: &'a mut dyn Rules,
        limit: Limit,
    ) -> Self {
        Machine {
            program,
            algebra: Concrete { external },
            memory: Memory::new(),
            frames: Vec::new(),
            inputs,
            rules,
            limit,
            steps: 0,
            tables: Vec::new(),
        }
    }

    /// Instructions executed so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Calls a function of the program; its result.
    ///
    /// # Errors
    /// Why it did not return.
    pub fn call(&mut self, id: FunctionId, arguments: Vec<Known>) -> Result<Option<Known>, Halt> {
        let program = self.program;
        let function = program.function(id).ok_or(Halt::Fault)?;
        if self.frames.len() >= self.limit.depth {
            return Err(Halt::Limit);
        }
        let mut values = vec![None; function.values.len()];
        for (place, argument) in values.iter_mut().zip(arguments) {
            *place = Some(argument);
        }
        self.frames.push(Frame {
            function: id,
            values,
            objects: Vec::new(),
        });
        let result = self.run(function);
        if let Some(frame) = self.frames.pop() {
            for object in frame.objects {
                self.memory.free(object);
            }
        }
        result
    }

    fn run(&mut self, function: &Function) -> Result<Option<Known>, Halt> {
        let depth = self.frames.len() - 1;
        let id = self.frames[depth].function;
        let mut block_id = BlockId(0);
        loop {
            let block = function.block(block_id).ok_or(Halt::Fault)?;
            let stop = self.rules.enter(depth, id, block_id);
            for (index, instruction) in block.instructions.iter().enumerate() {
                if stop == Some(index) {
                    return Err(Halt::Stopped);
                }
                self.step()?;
                self.execute(function, instruction)?;
            }
            if stop.is_some() {
                return Err(Halt::Stopped);
            }
            self.step()?;
            if let Terminator::Return(value) = &block.terminator {
                return match value {
                    Some(value) => self.value(function, *value).map(Some),
                    None => Ok(None),
                };
            }
            let next = self.next(function, block_id, block)?;
            self.take_phis(function, block_id, next)?;
            block_id = next;
        }
    }

    fn step(&mut self) -> Result<(), Halt> {
        self.steps += 1;
        if self.steps > self.limit.steps {
            return Err(Halt::Limit);
        }
        Ok(())
    }

    fn execute(&mut self, function: &Function, instruction: &Instruction) -> Result<(), Halt> {
        let ty = instruction
            .result
            .and_then(|value| function.value_type(value))
            .unwrap_or_default();
        let operation = &instruction.operation;
        let pure = self.with_reader(function, |algebra, reader| {
            meaning(algebra, operation, ty, reader)
        });
        let value = match pure {
            Some(value) => Some(value),
            None => self.effect(function, operation, ty)?,
        };
        if let Some(result) = instruction.result {
            self.set(result, value);
        }
        Ok(())
    }

    fn with_reader<T>(
        &mut self,
        function: &Function,
        act: impl FnOnce(&mut Concrete, &mut Reader<'_>) -> T,
    ) -> T {
        let frame = self.frames.last();
        let mut reader = Reader {
            program: self.program,
            function,
            values: frame.map_or(&[], |frame| &frame.values),
            memory: &mut self.memory,
        };
        act(&mut self.algebra, &mut reader)
    }

    fn value(&mut self, function: &Function, operand: Operand) -> Result<Known, Halt> {
        let value = self.with_reader(function, |algebra, reader| reader.value(algebra, operand));
        value.ok_or_else(|| Halt::Unknown("a value without a model".to_owned()))
    }

    fn scalar(&mut self, function: &Function, operand: Operand) -> Result<Value, Halt> {
        let value = self.value(function, operand)?;
        value.scalar().ok_or(Halt::Fault)
    }

    fn set(&mut self, id: ValueId, value: Option<Known>) {
        if let Some(frame) = self.frames.last_mut() {
            if let Some(place) = frame.values.get_mut(id.index()) {
                *place = value;
            }
        }
    }

    fn take_phis(&mut self, function: &Function, from: BlockId, to: BlockId) -> Result<(), Halt> {
        let block = function.block(to).ok_or(Halt::Fault)?;
        let mut taken = Vec::with_capacity(block.phis.len());
        for phi in &block.phis {
            let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
            let (_, operand) = incoming.ok_or(Halt::Fault)?;
            let operand = *operand;
            let value =
                self.with_reader(function, |algebra, reader| reader.value(algebra, operand));
            taken.push((phi.result, value));
        }
        for (result, value) in taken {
            self.set(result, value);
        }
        Ok(())
    }

    /// Where control goes from a block that does not return.
    fn next(
        &mut self,
        function: &Function,
        block_id: BlockId,
        block: &Block,
    ) -> Result<BlockId, Halt> {
        let depth = self.frames.len() - 1;
        match &block.terminator {
            Terminator::Jump(to) => {
                let to = *to;
                let mut none = |next: BlockId| if next == to { 0.0 } else { f64::MAX };
                let next = self.rules.leave(depth, block_id, to, &mut none);
                next.ok_or(Halt::Stopped)
            }
            Terminator::Branch {
                condition,
                if_true,
                if_false,
                ..
            } => {
                let holds = self.scalar(function, *condition)?.is_true();
                let natural = if holds { *if_true } else { *if_false };
                let (to_true, to_false) = (
                    self.truth(function, *condition, true, 8),
                    self.truth(function, *condition, false, 8),
                );
                let mut distance = |next: BlockId| match next {
                    next if next == natural => 0.0,
                    next if next == *if_true => to_true,
                    next if next == *if_false => to_false,
                    _ => f64::MAX,
                };
                let next = self.rules.leave(depth, block_id, natural, &mut distance);
                next.ok_or(Halt::Stopped)
            }
            Terminator::Switch {
                value,
                default,
                cases,
                ..
            } => {
                let value = self.scalar(function, *value)?;
                let chosen = cases.iter().find(|(case, _)| *case == value.bits());
                let natural = chosen.map_or(*default, |(_, to)| *to);
                let mut distance = |next: BlockId| {
                    let near = cases.iter().filter(|(_, to)| *to == next);
                    let near = near.map(|(case, _)| (*case as f64 - value.bits() as f64).abs());
                    let other = if next == *default { 1.0 } else { f64::MAX };
                    if next == natural {
                        0.0
                    } else {
                        near.fold(other, f64::min)
                    }
                };
                let next = self.rules.leave(depth, block_id, natural, &mut distance);
                next.ok_or(Halt::Stopped)
            }
            Terminator::Return(_) | Terminator::Unreachable => Err(Halt::Fault),
            Terminator::Opaque { reason, .. } => Err(Halt::Unknown(reason.to_string())),
        }
    }

    /// How far a one-bit value is from being `wanted`, by how it was computed.
    fn truth(
        &mut self,
        function: &Function,
        operand: Operand,
        wanted: bool,
        depth: u32,
    ) -> Distance {
        let Ok(value) = self.scalar(function, operand) else {
            return 1.0;
        };
        if (value.bits() != 0) == wanted {
            return 0.0;
        }
        let Some(operation) = definition(function, operand).filter(|_| depth > 0) else {
            return 1.0;
        };
        if let Some(inner) = distance::same_truth(operation) {
            return self.truth(function, inner, wanted, depth - 1);
        }
        match operation {
            Operation::Compare {
                comparison,
                left,
                right,
            } => {
                let (Ok(a), Ok(b)) = (self.scalar(function, *left), self.scalar(function, *right))
                else {
                    return 1.0;
                };
                let comparison = if wanted {
                    *comparison
                } else {
                    distance::negated(*comparison)
                };
                distance::compare(comparison, a, b)
            }
            Operation::FloatCompare {
                comparison,
                left,
                right,
            } => {
                let (Ok(a), Ok(b)) = (self.scalar(function, *left), self.scalar(function, *right))
                else {
                    return 1.0;
                };
                let comparison = if wanted {
                    *comparison
                } else {
                    distance::negated_floats(*comparison)
                };
                distance::compare_floats(comparison, distance::float(a), distance::float(b))
            }
            _ => 1.0,
        }
    }
}

/// The operation that defines a value. Blocks are few in the functions that are searched here.
fn definition(function: &Function, operand: Operand) -> Option<&Operation> {
    let Operand::Value(id) = operand else {
        return None;
    };
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let mut defining = instructions.filter(|instruction| instruction.result == Some(id));
    defining.next().map(|instruction| &instruction.operation)
}

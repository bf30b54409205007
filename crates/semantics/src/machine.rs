//! A machine that executes the IR on concrete values.
//!
//! It is the executor of the trace programs of symcretic execution (dissertation, section 4.3):
//! its [`Rules`] may send control another way than the values say, and learn from the distance
//! how far the values are from going that way themselves.
//!
//! Invariant: it computes with the same meanings as expressions do; what has no meaning ends the
//! run as [`Halt::Unknown`], it is never guessed.

mod decisions;
mod distance;
mod effects;
mod linked;
mod memory;
mod native;
mod strings;

use std::rc::Rc;

use labrys_expr::Value;
use labrys_program::{
    BlockId, Function, FunctionId, Instruction, Operand, Program, Terminator, Type, ValueId,
};

use crate::algebra::{Concrete, External};
use crate::constant::{Addresses, constant};
use crate::operation::meaning;
use crate::value::{Meaning, Operands};
pub use distance::Distance;
use linked::Shared;
pub use linked::{Called, Linked, Words};
use memory::Memory;
pub use native::NativeCode;
use native::{Compiled, Context};

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
    /// Machine code met a value that it has no place for: the run must be done again, without
    /// code for that function.
    Again,
}

/// Limits of one execution.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Instructions.
    pub steps: u64,
    /// Instructions that are not executed as machine code.
    pub interpreted: u64,
    /// Frames.
    pub depth: usize,
}

/// Gives the bytes of input objects in the order in which they are asked for.
pub trait Inputs {
    /// Fills the next object.
    fn next(&mut self, bytes: &mut [u8]);
}

/// Which blocks rules look at next, until they are asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Any.
    All,
    /// The beginning of one, by depth and function, and the end of one, by depth. Anywhere else
    /// the rules would let control go where the values lead, and learn nothing from it.
    These {
        /// The block whose beginning is looked at.
        enter: Option<(usize, FunctionId, BlockId)>,
        /// The block whose end is looked at.
        leave: Option<(usize, BlockId)>,
    },
}

/// Watches a machine, and steers it.
pub trait Rules {
    /// Which blocks are looked at: asked at the start, and after any other call. A function runs
    /// as machine code only where these are few.
    fn watched(&self) -> Watched {
        Watched::All
    }

    /// A block begins. If control is to stop in it: before which instruction.
    fn enter(&mut self, depth: usize, function: FunctionId, block: BlockId) -> Option<usize>;

    /// A block ends. `natural` is where the values lead; `distance` tells how far they are from
    /// leading to another successor. The answer is the successor to go to, or `None` to stop.
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
    memory: Memory<'a>,
    frames: Vec<Frame>,
    inputs: &'a mut dyn Inputs,
    rules: &'a mut dyn Rules,
    watched: Watched,
    limit: Limit,
    interpreted: u64,
    context: Box<Context>,
    code: Option<&'a mut NativeCode>,
    /// How a function ended whose code says that the machine knows.
    outcome: Option<Result<Option<Known>, Halt>>,
    /// What is shared with the process in which library functions are called.
    shared: Option<Shared<'a>>,
    /// Tables of characters that were asked for, by function.
    tables: Vec<(String, u64)>,
}

struct Frame {
    function: FunctionId,
    /// Values by id; those behind the end are not known.
    values: Vec<Option<Known>>,
    objects: Vec<u64>,
    /// The machine code that executes the function.
    code: Option<Rc<Compiled>>,
}

/// What a frame's values and the program's constants say.
struct Reader<'m> {
    program: &'m Program,
    function: &'m Function,
    values: &'m [Option<Known>],
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
        Value::new(64, u128::from(Memory::global(id)))
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
        let watched = rules.watched();
        let context = Context::new(limit.steps);
        context.watch(watched);
        Machine {
            program,
            algebra: Concrete { external },
            memory: Memory::new(program),
            frames: Vec::new(),
            inputs,
            watched,
            rules,
            limit,
            interpreted: 0,
            context,
            code: None,
            outcome: None,
            shared: None,
            tables: Vec::new(),
        }
    }

    /// Executes functions as machine code where that is possible; nothing but the time that it
    /// takes depends on it.
    #[must_use]
    pub fn with_code(mut self, code: &'a mut NativeCode) -> Self {
        self.code = Some(code);
        self
    }

    /// Calls functions of libraries that have no meaning here.
    #[must_use]
    pub fn with_linked(mut self, linked: &'a mut dyn Linked) -> Self {
        self.shared = Some(Shared::new(linked));
        self
    }

    /// Instructions executed so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.context.steps.get()
    }

    /// Those of them that were not executed as machine code.
    #[must_use]
    pub fn interpreted(&self) -> u64 {
        self.interpreted
    }

    /// The objects in memory that were made so far, by their addresses.
    pub fn objects(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.memory.objects()
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
        match self.code_for(id, &arguments) {
            Some(code) => self.run_code(id, function, &code, arguments),
            None => self.interpret(id, function, arguments),
        }
    }

    /// Calls a function that has no code.
    fn interpret(
        &mut self,
        id: FunctionId,
        function: &Function,
        arguments: Vec<Known>,
    ) -> Result<Option<Known>, Halt> {
        let mut values: Vec<_> = arguments.into_iter().map(Some).collect();
        values.resize(function.values.len(), None);
        self.push_frame(id, values, None);
        let result = self.run(function);
        self.pop_frame();
        result
    }

    fn push_frame(
        &mut self,
        function: FunctionId,
        values: Vec<Option<Known>>,
        code: Option<Rc<Compiled>>,
    ) {
        self.frames.push(Frame {
            function,
            values,
            objects: Vec::new(),
            code,
        });
    }

    fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        for object in frame.objects {
            self.memory.free(object);
            self.context.forget(object);
        }
    }

    fn run(&mut self, function: &Function) -> Result<Option<Known>, Halt> {
        let mut id = BlockId(0);
        loop {
            let stop = self.enter(id);
            match self.run_block(function, id, 0, stop)? {
                After::Returned(value) => return Ok(value),
                After::Block(next) => {
                    self.take_phis(function, id, next)?;
                    id = next;
                }
            }
        }
    }

    /// Executes a block from an instruction on.
    fn run_block(
        &mut self,
        function: &Function,
        id: BlockId,
        from: usize,
        stop: Option<usize>,
    ) -> Result<After, Halt> {
        let block = function.block(id).ok_or(Halt::Fault)?;
        for (index, instruction) in block.instructions.iter().enumerate().skip(from) {
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
            let value = value.map(|value| self.value(function, value)).transpose()?;
            return Ok(After::Returned(value));
        }
        self.next(function, id, block).map(After::Block)
    }

    /// Asks the rules about the beginning of a block.
    fn enter(&mut self, block: BlockId) -> Option<usize> {
        let depth = self.frames.len() - 1;
        let function = self.frames[depth].function;
        if let Watched::These { enter, .. } = self.watched {
            if enter != Some((depth, function, block)) {
                return None;
            }
        }
        let stop = self.rules.enter(depth, function, block);
        self.watch();
        stop
    }

    /// Asks the rules where to go at the end of a block; `distance` is made only if they look.
    fn leave(
        &mut self,
        block: BlockId,
        natural: BlockId,
        mut distance: impl FnMut(BlockId) -> Distance,
    ) -> Result<BlockId, Halt> {
        let depth = self.frames.len() - 1;
        let next = self.rules.leave(depth, block, natural, &mut distance);
        self.watch();
        next.ok_or(Halt::Stopped)
    }

    fn is_leaving_watched(&self, block: BlockId) -> bool {
        match self.watched {
            Watched::All => true,
            Watched::These { leave, .. } => leave == Some((self.frames.len() - 1, block)),
        }
    }

    fn watch(&mut self) {
        self.watched = self.rules.watched();
        self.context.watch(self.watched);
    }

    fn step(&mut self) -> Result<(), Halt> {
        let steps = self.context.steps.get() + 1;
        self.context.steps.set(steps);
        if steps > self.limit.steps {
            return Err(Halt::Limit);
        }
        self.interpret_one()
    }

    /// Counts an instruction that is not executed as code.
    fn interpret_one(&mut self) -> Result<(), Halt> {
        self.work(1)
    }

    /// Counts what takes as long as so many of them.
    fn work(&mut self, instructions: u64) -> Result<(), Halt> {
        self.interpreted += instructions;
        if self.interpreted > self.limit.interpreted {
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
            if frame.values.len() <= id.index() {
                frame.values.resize(id.index() + 1, None);
            }
            frame.values[id.index()] = value;
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
}

/// What comes after a block.
enum After {
    Returned(Option<Known>),
    Block(BlockId),
}

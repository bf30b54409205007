//! A machine that executes the IR on concrete values.
//!
//! It is the executor of the trace programs of symcretic execution (dissertation, section 4.3):
//! its [`Rules`] may send control along another edge than the values, and learn from the distance
//! how far the values are from taking that edge themselves.
//!
//! Invariant: it computes with the same meanings as expressions do; what has no meaning ends the
//! run as [`Halt::Unknown`], it is never guessed.

mod decisions;
mod distance;
mod frames;
mod linked;
mod memory;
mod native;
mod steering;
mod strings;

use labrys_expr::Value;
use labrys_library::{Computes, Function as LibraryFunction, Mark};
use labrys_program::{
    Block, BlockId, Callee, Function, FunctionId, GlobalId, Instruction, Intrinsic, Opaque,
    Operand, Operation, Program, Terminator, Type,
};

use crate::algebra::{Algebra, Concrete, External};
use crate::bits::{pack, scalar_size, unpack};
use crate::operation::meaning;
use crate::value::{IrValue, Operands};
use crate::{LibraryMeaning, input_value};
pub use distance::Distance;
use frames::Frames;
use linked::Shared;
pub use linked::{CallOutcome, Linked, Words};
use memory::Memory;
use native::CodeContext;
pub use native::NativeCode;
use steering::Steering;
pub use steering::{Rules, Watched};

type ConcreteValue = IrValue<Value>;

/// Why a machine stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The rules stopped it.
    Stopped,
    /// The program ended itself, or an assumption did not hold.
    Ended,
    /// An access outside all objects, a trap, or a decision without a successor.
    Fault,
    /// A limit was reached.
    Limit,
    /// Something without a meaning here.
    Unknown(String),
    /// Machine code got a value that it has no place for: the run must be repeated, without
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

/// Gives the bytes of input objects in the order of the requests.
pub trait Inputs {
    /// Fills the next object.
    fn next(&mut self, bytes: &mut [u8]);
}

/// The limits of a run, and what it has used of them.
struct Meter {
    limit: Limit,
    /// Instructions that were not executed as machine code.
    interpreted: u64,
}

impl Meter {
    fn work(&mut self, instructions: u64) -> Result<(), Halt> {
        self.interpreted += instructions;
        if self.interpreted > self.limit.interpreted {
            return Err(Halt::Limit);
        }
        Ok(())
    }
}

/// See the module.
pub struct Machine<'a> {
    program: &'a Program,
    algebra: Concrete,
    memory: Memory<'a>,
    frames: Frames,
    inputs: &'a mut dyn Inputs,
    steering: Steering<'a>,
    meter: Meter,
    context: Box<CodeContext>,
    code: Option<&'a mut NativeCode>,
    /// How a function ended whose code left the outcome to the machine.
    outcome: Option<Result<Option<ConcreteValue>, Halt>>,
    /// What is shared with the process in which library functions are called.
    shared: Option<Shared<'a>>,
    /// Tables of characters that were asked for, by function.
    tables: Vec<(Computes, u64)>,
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
        let steering = Steering::new(rules);
        let context = CodeContext::new(limit.steps);
        context.watch(steering.watched());
        Machine {
            program,
            algebra: Concrete { external },
            memory: Memory::new(program),
            frames: Frames::default(),
            inputs,
            steering,
            meter: Meter {
                limit,
                interpreted: 0,
            },
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

    /// A global holds these bytes when the program begins, whatever its size.
    pub fn set_global(&mut self, id: GlobalId, bytes: Vec<u8>) {
        self.memory.put_global(Memory::global(id), bytes);
    }

    /// Instructions executed so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.context.steps.get()
    }

    /// Those of them that were not executed as machine code.
    #[must_use]
    pub fn interpreted(&self) -> u64 {
        self.meter.interpreted
    }

    /// The objects in memory that were made so far, by their addresses.
    pub fn objects(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.memory.objects()
    }

    /// Calls a function of the program; its result.
    ///
    /// # Errors
    /// Why it did not return.
    pub fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<ConcreteValue>,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let program = self.program;
        let function = program.function(id).ok_or(Halt::Fault)?;
        if self.frames.count() >= self.meter.limit.depth {
            return Err(Halt::Limit);
        }
        match native::code_for(self, id, &arguments) {
            Some(code) => native::run(self, id, function, &code, arguments),
            None => self.interpret(id, function, arguments),
        }
    }

    /// Calls a function that has no code.
    fn interpret(
        &mut self,
        id: FunctionId,
        function: &Function,
        arguments: Vec<ConcreteValue>,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let mut values: Vec<_> = arguments.into_iter().map(Some).collect();
        values.resize(function.values.len(), None);
        self.frames.push(id, values, None);
        let result = self.run(function);
        self.pop_frame();
        result
    }

    /// Ends the innermost frame, and the life of its objects.
    fn pop_frame(&mut self) {
        let objects = self.frames.pop();
        self.free_all(objects);
    }

    fn free_all(&mut self, objects: Vec<u64>) {
        for object in objects {
            self.memory.free(object);
            self.context.drop_views(object);
        }
    }

    fn run(&mut self, function: &Function) -> Result<Option<ConcreteValue>, Halt> {
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
        let (depth, function) = (self.frames.depth(), self.frames.function()?);
        if !self.steering.is_entering_watched(depth, function, block) {
            return None;
        }
        let stop = self.steering.enter(depth, function, block);
        self.context.watch(self.steering.watched());
        stop
    }

    /// Where control goes from a block that does not return.
    fn next(&mut self, function: &Function, id: BlockId, block: &Block) -> Result<BlockId, Halt> {
        let depth = self.frames.depth();
        let mut view = self.frames.view(self.program, function);
        let mut algebra = self.algebra;
        let natural = decisions::natural(&mut view, &mut algebra, &block.terminator)?;
        if !self.steering.is_leaving_watched(depth, id) {
            return Ok(natural);
        }
        let mut distance =
            decisions::distances(&mut view, &mut algebra, &block.terminator, natural);
        let next = self.steering.leave(depth, id, natural, &mut distance);
        self.context.watch(self.steering.watched());
        next
    }

    fn step(&mut self) -> Result<(), Halt> {
        let steps = self.context.steps.get() + 1;
        self.context.steps.set(steps);
        if steps > self.meter.limit.steps {
            return Err(Halt::Limit);
        }
        self.work(1)
    }

    /// Counts what takes as long as so many instructions that are not executed as code.
    fn work(&mut self, instructions: u64) -> Result<(), Halt> {
        self.meter.work(instructions)
    }

    fn execute(&mut self, function: &Function, instruction: &Instruction) -> Result<(), Halt> {
        let ty = instruction
            .result
            .and_then(|value| function.value_type(value))
            .unwrap_or_default();
        let operation = &instruction.operation;
        let mut view = self.frames.view(self.program, function);
        let pure = meaning(&mut self.algebra, operation, ty, &mut view);
        let value = match pure {
            Some(value) => Some(value),
            None => self.effect(function, operation, ty)?,
        };
        if let Some(result) = instruction.result {
            self.frames.set(result, value);
        }
        Ok(())
    }

    fn value(&mut self, function: &Function, operand: Operand) -> Result<ConcreteValue, Halt> {
        let mut view = self.frames.view(self.program, function);
        let value = view.value(&mut self.algebra, operand);
        value.ok_or_else(|| Halt::Unknown("a value without a model".to_owned()))
    }

    fn scalar(&mut self, function: &Function, operand: Operand) -> Result<Value, Halt> {
        let value = self.value(function, operand)?;
        value.scalar().ok_or(Halt::Fault)
    }

    fn take_phis(&mut self, function: &Function, from: BlockId, to: BlockId) -> Result<(), Halt> {
        let block = function.block(to).ok_or(Halt::Fault)?;
        let mut taken = Vec::with_capacity(block.phis.len());
        for phi in &block.phis {
            let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
            let (_, operand) = incoming.ok_or(Halt::Fault)?;
            let mut view = self.frames.view(self.program, function);
            let value = view.value(&mut self.algebra, *operand);
            taken.push((phi.result, value));
        }
        for (result, value) in taken {
            self.frames.set(result, value);
        }
        Ok(())
    }

    /// Executes an operation that is more than a computation; its result, `None` if it has none
    /// or if it has no model.
    fn effect(
        &mut self,
        function: &Function,
        operation: &Operation,
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        match operation {
            Operation::Load { address, .. } => self.load(function, *address, ty).map(Some),
            Operation::Store { address, value, .. } => {
                let value = self.scalar(function, *value)?;
                let address = self.address(function, *address)?;
                self.store(address, value).map(|()| None)
            }
            Operation::Allocate { size, count, .. } => {
                let count = self.scalar(function, *count)?.bits() as u64;
                let base = self.new_object(size.saturating_mul(count))?;
                self.frames.own(base);
                Ok(Some(pointer(base)))
            }
            Operation::Call {
                callee, arguments, ..
            } => self.effect_of_call(function, *callee, arguments, ty),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => self.effect_of_intrinsic(function, *intrinsic, arguments),
            Operation::Opaque {
                reason: Opaque::Volatile,
                operands,
                ..
            } => {
                let address = operands.first().ok_or(Halt::Fault)?;
                self.load(function, *address, ty).map(Some)
            }
            Operation::Opaque { reason, .. } => Err(Halt::Unknown(reason.to_string())),
            _ => Err(Halt::Unknown("an operation without a model".to_owned())),
        }
    }

    fn address(&mut self, function: &Function, operand: Operand) -> Result<u64, Halt> {
        Ok(self.scalar(function, operand)?.bits() as u64)
    }

    fn new_object(&mut self, size: u64) -> Result<u64, Halt> {
        self.memory.allocate(size).ok_or(Halt::Limit)
    }

    fn load(
        &mut self,
        function: &Function,
        address: Operand,
        ty: Type,
    ) -> Result<ConcreteValue, Halt> {
        let address = self.address(function, address)?;
        let size = scalar_size(self.program, ty)
            .ok_or_else(|| Halt::Unknown("a load of an aggregate".to_owned()))?;
        let bytes = self.bytes(address, size).ok_or(Halt::Fault)?;
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let width = 8 * u32::try_from(size).map_err(|_| Halt::Fault)?;
        let bits = Value::new(width, u128::from_le_bytes(wide));
        let value = unpack(&mut self.algebra, bits, ty).ok_or(Halt::Fault)?;
        Ok(IrValue::Scalar(value))
    }

    fn store(&mut self, address: u64, value: Value) -> Result<(), Halt> {
        let packed = pack(&mut self.algebra, value);
        let size = packed.width() as usize / 8;
        let place = self.bytes(address, size as u64).ok_or(Halt::Fault)?;
        place.copy_from_slice(&packed.bits().to_le_bytes()[..size]);
        Ok(())
    }

    fn effect_of_call(
        &mut self,
        function: &Function,
        callee: Callee,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let id = match callee {
            Callee::Direct(id) => id,
            Callee::Indirect(address) => {
                let address = self.address(function, address)?;
                let elsewhere = match self.is_open() {
                    true => Halt::Unknown("a function of a library".to_owned()),
                    false => Halt::Fault,
                };
                Memory::function_at(self.program, address).ok_or(elsewhere)?
            }
        };
        let program = self.program;
        let called = program.function(id).ok_or(Halt::Fault)?;
        if called.defined {
            if called.variadic {
                return Err(Halt::Unknown(format!(
                    "variable arguments of {}",
                    called.name
                )));
            }
            let values = arguments
                .iter()
                .map(|argument| self.value(function, *argument));
            let mut values = values.collect::<Result<Vec<_>, _>>()?;
            let copies = self.copy_by_value(called, &mut values)?;
            let result = self.call(id, values);
            self.free_all(copies);
            return result;
        }
        self.library_call(function, id, arguments, ty)
    }

    /// Copies the objects that a function gets by value; the addresses of the copies.
    fn copy_by_value(
        &mut self,
        called: &Function,
        values: &mut [ConcreteValue],
    ) -> Result<Vec<u64>, Halt> {
        let mut copies = Vec::new();
        for (value, parameter) in values.iter_mut().zip(&called.parameters) {
            let (Some(size), Some(from)) = (parameter.by_value, value.scalar()) else {
                continue;
            };
            let bytes = self.bytes(from.bits() as u64, size).ok_or(Halt::Fault)?;
            let bytes = bytes.to_vec();
            let copy = self.new_object(size)?;
            let place = self.bytes(copy, size).ok_or(Halt::Fault)?;
            place.copy_from_slice(&bytes);
            *value = pointer(copy);
            copies.push(copy);
        }
        Ok(copies)
    }

    fn library_call(
        &mut self,
        function: &Function,
        id: FunctionId,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let program = self.program;
        let name = program.function(id).map_or("", |called| &called.name);
        let row = labrys_library::function(name);
        match row.and_then(LibraryFunction::computes) {
            Some(Computes::Reallocate) => return self.reallocate(function, arguments),
            Some(computes) => {
                if let Some(result) = self.string_call(function, computes, arguments, ty)? {
                    return Ok(Some(result));
                }
            }
            None => {}
        }
        match row.and_then(LibraryMeaning::of_row) {
            Some(LibraryMeaning::InputObject(size)) => self.fill_object(function, size, arguments),
            Some(LibraryMeaning::InputValue) => self.input_value(name, ty),
            Some(LibraryMeaning::Assume) => self.assume(function, arguments),
            Some(LibraryMeaning::Stops) => Err(Halt::Ended),
            Some(LibraryMeaning::Harmless { skipped: true }) => {
                let called = row.is_some_and(|row| row.has(Mark::Called));
                if called && self.shared.is_some() {
                    self.linked_call(function, id, arguments, ty)
                } else {
                    // Programs do not use what output functions return; any value would be a
                    // guess.
                    Ok(None)
                }
            }
            None
            | Some(
                LibraryMeaning::Harmless { skipped: false }
                | LibraryMeaning::Reads
                | LibraryMeaning::Fills { .. }
                | LibraryMeaning::Allocates { plain: false, .. },
            ) => self.linked_call(function, id, arguments, ty),
            Some(LibraryMeaning::Allocates { plain: true, .. }) => {
                let mut size = 1u64;
                for argument in arguments {
                    size = size.saturating_mul(self.scalar(function, *argument)?.bits() as u64);
                }
                Ok(Some(pointer(self.new_object(size)?)))
            }
            Some(LibraryMeaning::Pure) => self.pure_call(function, name, arguments, ty),
        }
    }

    /// Fills an object with input; its size is the function's, or the second argument.
    fn fill_object(
        &mut self,
        function: &Function,
        size: Option<u64>,
        arguments: &[Operand],
    ) -> Result<Option<ConcreteValue>, Halt> {
        let address = self.address(function, *arguments.first().ok_or(Halt::Fault)?)?;
        let size = match (size, arguments.get(1)) {
            (Some(size), _) => size,
            (None, Some(size)) => self.scalar(function, *size)?.bits() as u64,
            (None, None) => return Err(Halt::Fault),
        };
        let bytes = self.memory.at(address, size).ok_or(Halt::Fault)?;
        self.inputs.next(bytes);
        Ok(None)
    }

    /// The next input as a value.
    fn input_value(&mut self, name: &str, ty: Type) -> Result<Option<ConcreteValue>, Halt> {
        let unknown = || Halt::Unknown(name.to_owned());
        let (size, boolean) = input_value(name, ty).ok_or_else(unknown)?;
        let mut bytes = [0; 16];
        self.inputs.next(&mut bytes[..(size as usize).min(16)]);
        let bits = u128::from_le_bytes(bytes) & if boolean { 1 } else { u128::MAX };
        let width = ty.width().ok_or_else(unknown)?;
        Ok(Some(IrValue::Scalar(Value::new(width, bits))))
    }

    fn assume(
        &mut self,
        function: &Function,
        arguments: &[Operand],
    ) -> Result<Option<ConcreteValue>, Halt> {
        let condition = *arguments.first().ok_or(Halt::Fault)?;
        let mut view = self.frames.view(self.program, function);
        let distance = decisions::truth(&mut view, &mut self.algebra, condition, true);
        if distance > 0.0 {
            let result = self.steering.assume(distance);
            self.context.watch(self.steering.watched());
            result?;
        }
        Ok(None)
    }

    fn pure_call(
        &mut self,
        function: &Function,
        name: &str,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let unknown = || Halt::Unknown(name.to_owned());
        let values = arguments
            .iter()
            .map(|argument| self.scalar(function, *argument));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let width = ty.width().ok_or_else(unknown)?;
        let result = self.algebra.external(name, &values, width);
        Ok(Some(IrValue::Scalar(result.ok_or_else(unknown)?)))
    }

    /// `realloc`: always a new object.
    fn reallocate(
        &mut self,
        function: &Function,
        arguments: &[Operand],
    ) -> Result<Option<ConcreteValue>, Halt> {
        let [from, size] = arguments else {
            return Err(Halt::Fault);
        };
        let (from, size) = (
            self.address(function, *from)?,
            self.address(function, *size)?,
        );
        let old = match self.memory.object(from) {
            _ if from == 0 => Vec::new(),
            Some((base, object)) if base == from && Memory::is_own(from) => object.clone(),
            _ => return Err(Halt::Unknown("realloc".to_owned())),
        };
        let new = self.new_object(size)?;
        let kept = old.len().min(usize::try_from(size).unwrap_or(0));
        let place = self.bytes(new, kept as u64).ok_or(Halt::Fault)?;
        place.copy_from_slice(&old[..kept]);
        Ok(Some(pointer(new)))
    }

    fn effect_of_intrinsic(
        &mut self,
        function: &Function,
        intrinsic: Intrinsic,
        arguments: &[Operand],
    ) -> Result<Option<ConcreteValue>, Halt> {
        use Intrinsic as I;
        let argument = |index: usize| arguments.get(index).copied().ok_or(Halt::Fault);
        match intrinsic {
            I::MemoryCopy | I::MemoryCopyInline | I::MemoryMove => {
                let to = self.address(function, argument(0)?)?;
                let from = self.address(function, argument(1)?)?;
                let size = self.scalar(function, argument(2)?)?.bits() as u64;
                let bytes = self.bytes(from, size).ok_or(Halt::Fault)?.to_vec();
                let place = self.bytes(to, size).ok_or(Halt::Fault)?;
                place.copy_from_slice(&bytes);
                Ok(None)
            }
            I::MemorySet | I::MemorySetInline => {
                let to = self.address(function, argument(0)?)?;
                let byte = self.scalar(function, argument(1)?)?.bits() as u8;
                let size = self.scalar(function, argument(2)?)?.bits() as u64;
                self.bytes(to, size).ok_or(Halt::Fault)?.fill(byte);
                Ok(None)
            }
            I::Trap | I::SanitizerTrap | I::DebugTrap => Err(Halt::Fault),
            I::Assume | I::StackRestore => Ok(None),
            I::StackSave => Ok(Some(pointer(0))),
            I::IsConstant => Ok(Some(IrValue::Scalar(Value::new(1, 0)))),
            I::ThreadLocalAddress => self.value(function, argument(0)?).map(Some),
            _ => Err(Halt::Unknown(intrinsic.name().to_owned())),
        }
    }
}

/// What comes after a block.
enum After {
    Returned(Option<ConcreteValue>),
    Block(BlockId),
}

fn pointer(address: u64) -> ConcreteValue {
    IrValue::Scalar(Value::new(64, u128::from(address)))
}

//! Operations with effects: memory, calls, input.

use labrys_expr::Value;
use labrys_program::{Callee, Function, FunctionId, Intrinsic, Operand, Operation, Type};

use super::{Halt, Known, Machine, memory::Memory};
use crate::bits::{pack, scalar_size, unpack};
use crate::value::Meaning;
use crate::{Algebra, Library, input_value, library};

impl Machine<'_> {
    /// Executes an operation that is more than a computation; its result, `None` if it has none
    /// or if it has no model.
    pub(super) fn effect(
        &mut self,
        function: &Function,
        operation: &Operation,
        ty: Type,
    ) -> Result<Option<Known>, Halt> {
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
                if let Some(frame) = self.frames.last_mut() {
                    frame.objects.push(base);
                }
                Ok(Some(pointer(base)))
            }
            Operation::Call {
                callee, arguments, ..
            } => self.effect_of_call(function, *callee, arguments, ty),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => self.effect_of_intrinsic(function, *intrinsic, arguments),
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

    fn load(&mut self, function: &Function, address: Operand, ty: Type) -> Result<Known, Halt> {
        let address = self.address(function, address)?;
        let size = scalar_size(self.program, ty)
            .ok_or_else(|| Halt::Unknown("a load of an aggregate".to_owned()))?;
        let bytes = self.bytes(address, size).ok_or(Halt::Fault)?;
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let width = 8 * u32::try_from(size).map_err(|_| Halt::Fault)?;
        let bits = Value::new(width, u128::from_le_bytes(wide));
        let value = unpack(&mut self.algebra, bits, ty).ok_or(Halt::Fault)?;
        Ok(Meaning::Scalar(value))
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
    ) -> Result<Option<Known>, Halt> {
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
            let values = arguments.iter().map(|one| self.value(function, *one));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            return self.call(id, values);
        }
        self.library_call(function, id, arguments, ty)
    }

    fn library_call(
        &mut self,
        function: &Function,
        id: FunctionId,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<Known>, Halt> {
        let program = self.program;
        let name = program.function(id).map_or("", |called| &called.name);
        let unknown = || Halt::Unknown(name.to_owned());
        let first = arguments.first().copied();
        if let Some(result) = self.string_call(function, name, arguments, ty)? {
            return Ok(Some(result));
        }
        if name == "realloc" {
            return self.reallocate(function, arguments);
        }
        match library(name) {
            Some(Library::InputObject(size)) => {
                let address = self.address(function, first.ok_or(Halt::Fault)?)?;
                let size = match (size, arguments.get(1)) {
                    (Some(size), _) => size,
                    (None, Some(size)) => self.scalar(function, *size)?.bits() as u64,
                    (None, None) => return Err(Halt::Fault),
                };
                let place = self.memory.at(address, size).ok_or(Halt::Fault)?;
                self.inputs.next(place);
                Ok(None)
            }
            Some(Library::InputValue) => {
                let (size, boolean) = input_value(name, ty).ok_or_else(unknown)?;
                let mut bytes = [0; 16];
                self.inputs.next(&mut bytes[..(size as usize).min(16)]);
                let bits = u128::from_le_bytes(bytes) & if boolean { 1 } else { u128::MAX };
                let width = ty.width().ok_or_else(unknown)?;
                Ok(Some(Meaning::Scalar(Value::new(width, bits))))
            }
            Some(Library::Assume) => {
                let condition = first.ok_or(Halt::Fault)?;
                let distance = self.truth(function, condition, true, 8);
                if distance > 0.0 {
                    let goes_on = self.rules.assume(distance);
                    self.watch();
                    if !goes_on {
                        return Err(Halt::Ended);
                    }
                }
                Ok(None)
            }
            Some(Library::Stops) => Err(Halt::Ended),
            Some(Library::Harmless) if ty == Type::Void => Ok(None),
            Some(Library::Harmless) if name == "rand" && self.shared.is_some() => {
                self.linked_call(function, id, arguments, ty)
            }
            // Output returns what nobody asks for; anything else would be a guess.
            Some(Library::Harmless) => Ok(None),
            None | Some(Library::Reads | Library::Fills { .. }) => {
                self.linked_call(function, id, arguments, ty)
            }
            Some(Library::Allocates { .. }) => {
                let mut size = 1u64;
                for argument in arguments {
                    size = size.saturating_mul(self.scalar(function, *argument)?.bits() as u64);
                }
                Ok(Some(pointer(self.new_object(size)?)))
            }
            Some(Library::Pure) => {
                let values = arguments.iter().map(|one| self.scalar(function, *one));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                let width = ty.width().ok_or_else(unknown)?;
                let result = self.algebra.external(name, &values, width);
                Ok(Some(Meaning::Scalar(result.ok_or_else(unknown)?)))
            }
        }
    }

    /// `realloc`: always a new object.
    fn reallocate(
        &mut self,
        function: &Function,
        arguments: &[Operand],
    ) -> Result<Option<Known>, Halt> {
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
    ) -> Result<Option<Known>, Halt> {
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
            I::IsConstant => Ok(Some(Meaning::Scalar(Value::new(1, 0)))),
            I::ThreadLocalAddress => self.value(function, argument(0)?).map(Some),
            _ => Err(Halt::Unknown(intrinsic.name().to_owned())),
        }
    }
}

fn pointer(address: u64) -> Known {
    Meaning::Scalar(Value::new(64, u128::from(address)))
}

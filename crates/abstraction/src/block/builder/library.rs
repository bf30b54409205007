//! Calls of functions that the program does not define, by what is known of them.

use labrys_expr::{ExprId, Pool};
use labrys_program::{FunctionId, Operand, Type};
use labrys_semantics::{Algebra, IrValue, LibraryMeaning, Texts, input_value, string_result};

use super::super::Request;
use super::{At, Builder};
use crate::guard::Guard;
use crate::memory::Memory;
use crate::terms::{SymbolicValue, Terms};

/// Most bytes of an input object that are followed one by one.
const MAX_OBJECT: u64 = 4096;

impl Builder<'_, '_> {
    /// A call of a library function; `None` if no path goes on behind it. The value is `None` where
    /// it is anything.
    pub(super) fn library(
        &mut self,
        at: At,
        id: FunctionId,
        arguments: &[Operand],
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Option<Option<SymbolicValue>> {
        let analysis = self.terms.analysis();
        let function = analysis.function(id);
        if function.noreturn {
            return None;
        }
        let scalars = self.scalars(at.frame, arguments);
        let ty = self.call_type(at);
        let value = match LibraryMeaning::of(&function.name) {
            Some(LibraryMeaning::Stops) => return None,
            Some(LibraryMeaning::Assume) => {
                self.assume(scalars.first().copied().flatten(), guard);
                return (!guard.is_false(self.terms.pool_mut())).then_some(None);
            }
            Some(LibraryMeaning::InputValue) => {
                return Some(self.input_value(&function.name, ty, guard));
            }
            Some(LibraryMeaning::InputObject(size)) => {
                self.input_object(&scalars, size, guard, memory);
                return Some(None);
            }
            Some(LibraryMeaning::Fills { row, .. }) if row.takes_character() => self.character(ty),
            Some(meaning) if self.terms.is_trial() => {
                self.tried(at, meaning, (id, &scalars), guard, memory)
            }
            Some(LibraryMeaning::Pure) => self.pure(&function.name, &scalars, ty),
            _ => None,
        };
        let caller = self.terms.frame(at.frame).function;
        let place = (at.block, at.index);
        let mut effects = analysis.effects_of_library_call(caller, place, id);
        let known = analysis.effects(id);
        let call = analysis.call_at(caller, place);
        let others = call.map_or(&[][..], |call| analysis.calls().callees(call));
        let others: Vec<FunctionId> = others
            .iter()
            .copied()
            .filter(|other| *other != id)
            .collect();
        if others.is_empty() {
            // Where nothing is called back, the writes go through the arguments of this call.
            effects = known.clone();
        } else {
            for address in scalars.iter().flatten() {
                if self.terms.root(*address).is_some() {
                    memory.clobber_at(self.terms, Some(*address));
                }
            }
        }
        self.skip(guard, memory, &effects, &scalars, others);
        Some(value)
    }

    /// The result of a call while a path is tried.
    fn tried(
        &mut self,
        at: At,
        meaning: LibraryMeaning,
        (id, scalars): (FunctionId, &[Option<ExprId>]),
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Option<SymbolicValue> {
        let name = &self.terms.analysis().function(id).name;
        let ty = self.call_type(at);
        match meaning {
            LibraryMeaning::Pure | LibraryMeaning::Reads => {
                let known = self.string(name, scalars, ty, guard, memory);
                known.or_else(|| self.pure(name, scalars, ty))
            }
            LibraryMeaning::Allocates { zeroed, .. } => {
                let object = self.terms.make_object(zeroed);
                Some(IrValue::Scalar(self.terms.object(object).address))
            }
            _ => None,
        }
    }

    fn call_type(&self, at: At) -> Type {
        let function = self.terms.function(at.frame);
        let instruction = &function.blocks[at.block.index()].instructions[at.index];
        self.result_type(at.frame, instruction)
    }

    fn assume(&mut self, condition: Option<ExprId>, guard: &mut Guard) {
        if let Some(condition) = condition {
            let width = self.terms.pool().width(condition);
            let zero = self.terms.constant(width, 0);
            let holds = self.terms.pool_mut().ne(condition, zero);
            guard.push(holds);
        }
    }

    fn pure(&mut self, name: &str, scalars: &[Option<ExprId>], ty: Type) -> Option<SymbolicValue> {
        let arguments: Option<Vec<ExprId>> = scalars.iter().copied().collect();
        let (arguments, width) = (arguments?, ty.width()?);
        let value = self.terms.symbolic().external(name, &arguments, width)?;
        Some(IrValue::Scalar(value))
    }

    /// The result of a function that reads strings, while a path is tried.
    fn string(
        &mut self,
        name: &str,
        scalars: &[Option<ExprId>],
        ty: Type,
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Option<SymbolicValue> {
        let arguments: Option<Vec<ExprId>> = scalars.iter().copied().collect();
        let (arguments, width) = (arguments?, ty.width()?);
        let mut texts = TextsInMemory {
            terms: self.terms,
            memory,
            guard,
            unknown: Vec::new(),
        };
        let value = string_result(&mut texts, name, &arguments, width)?;
        // It stops in the bytes that were looked at.
        for unknown in texts.unknown {
            let pool = self.terms.pool_mut();
            if pool.width(unknown) < width {
                continue;
            }
            let unknown = pool.extract(unknown, 0, width);
            guard.push(pool.ne(value, unknown));
        }
        Some(IrValue::Scalar(value))
    }

    fn request(&mut self, guard: &Guard, parts: Option<Vec<ExprId>>) {
        let condition = guard.condition(self.terms.pool_mut());
        self.block.requests.push(Request { condition, parts });
    }

    /// The next byte of a stream, whichever that is, or -1.
    fn character(&mut self, ty: Type) -> Option<SymbolicValue> {
        let width = ty.width().filter(|width| *width > 8)?;
        let (byte, is_there) = (self.terms.fresh(8), self.terms.fresh(1));
        let end = self.terms.constant(width, u128::MAX >> (128 - width));
        let pool = self.terms.pool_mut();
        let byte = pool.zext(byte, width);
        Some(IrValue::Scalar(pool.ite(is_there, byte, end)))
    }

    fn input_value(&mut self, name: &str, ty: Type, guard: &Guard) -> Option<SymbolicValue> {
        let value = input_value(name, ty).filter(|(size, _)| *size <= 16);
        let (Some((size, is_boolean)), Some(width)) = (value, ty.width()) else {
            self.request(guard, None);
            return None;
        };
        let part = self.terms.fresh(8 * size as u32);
        self.request(guard, Some(vec![part]));
        let mut symbolic = self.terms.symbolic();
        let bits = match is_boolean {
            true => symbolic.extract(part, 0, 1),
            false => part,
        };
        Some(IrValue::Scalar(symbolic.resize(bits, width)))
    }

    /// The bytes at the first argument become input; the second is their number, unless `size` is.
    fn input_object(
        &mut self,
        scalars: &[Option<ExprId>],
        size: Option<u64>,
        guard: &Guard,
        memory: &mut Memory,
    ) {
        let address = scalars.first().copied().flatten();
        let given = scalars.get(1).copied().flatten();
        let given = given.and_then(|size| u64::try_from(self.terms.pool().bits(size)?).ok());
        let size = size.or(given).filter(|size| *size <= MAX_OBJECT);
        let (Some(address), Some(size)) = (address, size) else {
            self.request(guard, None);
            memory.clobber_at(self.terms, address);
            return;
        };
        let parts: Vec<ExprId> = match size {
            1 | 2 | 4 | 8 | 16 => vec![self.terms.fresh(8 * size as u32)],
            size => (0..size).map(|_| self.terms.fresh(8)).collect(),
        };
        self.request(guard, Some(parts.clone()));
        let mut offset = 0;
        for part in parts {
            let at = self.terms.constant(64, u128::from(offset));
            let address = self.terms.pool_mut().add(address, at);
            memory.write(self.terms, address, part);
            offset += u64::from(self.terms.pool().width(part) / 8);
        }
    }
}

/// The memory of a path that is tried, as library functions read strings in it.
struct TextsInMemory<'a, 'p> {
    terms: &'a mut Terms<'p>,
    memory: &'a mut Memory,
    guard: &'a mut Guard,
    /// Values of which nothing is known.
    unknown: Vec<ExprId>,
}

impl Texts for TextsInMemory<'_, '_> {
    fn pool(&mut self) -> &mut Pool {
        self.terms.pool_mut()
    }

    fn fresh(&mut self, width: u32) -> ExprId {
        let unknown = self.terms.fresh(width);
        self.unknown.push(unknown);
        unknown
    }

    fn byte(&mut self, address: ExprId) -> ExprId {
        self.memory.read(self.terms, address, 1)
    }

    fn place(&mut self, address: ExprId) -> Option<(Option<u64>, ExprId)> {
        let (object, offset) = self.terms.root(address)?;
        Some((self.terms.object(object).size, offset))
    }

    fn require(&mut self, condition: ExprId) {
        self.guard.push(condition);
    }

    fn sets_locale(&self) -> bool {
        self.terms.analysis().sets_locale()
    }

    fn longest_count(&self) -> u64 {
        u64::MAX
    }
}

//! Passing a call of a library function backward, by what the function means.

use labrys_expr::ExprId;
use labrys_library::{Access, Extent, Function as Row};
use labrys_program::{Function, FunctionId};
use labrys_semantics::{Algebra, IrValue, LibraryMeaning, input_value};

use super::super::{Step, strings};
use super::CallStep;
use crate::path::Skip;
use crate::state::{Content, UnknownWrite, Write};
use crate::terms::SymbolicValue;

/// Most bytes of an input object that are followed one by one.
const MAX_OBJECT: u64 = 4096;

impl CallStep<'_, '_, '_> {
    /// Passes a call of a function that the program does not define.
    pub(super) fn pass_library(&mut self, id: FunctionId) -> Step {
        use LibraryMeaning as Meaning;
        let analysis = self.terms.analysis();
        let function = analysis.function(id);
        let meaning = Meaning::of(&function.name);
        let is_quiet = matches!(
            meaning,
            Some(
                Meaning::Harmless { .. }
                    | Meaning::Reads
                    | Meaning::Pure
                    | Meaning::Allocates { .. }
            )
        );
        if self.context.guard.is_some() && !is_quiet && meaning != Some(Meaning::Assume) {
            return Step::Refused;
        }
        if is_quiet {
            let memory = self.state.memory_mut();
            memory.havoc(self.terms, analysis.effects(id));
        }
        if function.noreturn {
            return Step::Infeasible;
        }
        match meaning {
            Some(Meaning::Stops) => return Step::Infeasible,
            Some(Meaning::Assume) => return self.pass_assumption(),
            Some(Meaning::Reads) => self.pass_reading(function),
            Some(Meaning::Harmless { .. }) => {
                if self.state.take(self.result).is_some() {
                    self.state.skip(Skip::Opaque(function.name.clone()));
                }
            }
            Some(Meaning::Pure) => self.pass_pure(&function.name),
            Some(Meaning::Allocates { zeroed, .. }) => self.pass_allocation(zeroed),
            Some(Meaning::Fills { row, .. }) => self.pass_filling(id, row),
            Some(Meaning::InputObject(size)) => self.pass_input_object(size),
            Some(Meaning::InputValue) => self.pass_input_value(&function.name),
            None => self.pass_unknown(id),
        }
        Step::Done
    }

    /// A function that only reads memory.
    fn pass_reading(&mut self, function: &Function) {
        let Some(used) = self.state.take(self.result) else {
            return;
        };
        let arguments = self.scalars();
        let analysis = self.terms.analysis();
        if analysis.character_table(&function.name).is_some() {
            // The address of an object that has a name.
            return;
        }
        let width = used.scalar().map(|symbol| self.terms.width(symbol));
        let value = match (arguments, width) {
            (Some(arguments), Some(width)) => {
                let name = &function.name;
                strings::result(self.terms, self.state, name, &arguments, width)
            }
            _ => None,
        };
        if value.is_none() {
            self.state.skip(Skip::Opaque(function.name.clone()));
        }
        let value = value.map(IrValue::Scalar);
        self.state.bind(self.terms, &used, value.as_ref());
    }

    /// A pure function of numbers.
    fn pass_pure(&mut self, name: &str) {
        let Some(used) = self.state.take(self.result) else {
            return;
        };
        let value = match (self.scalars(), self.ty.width()) {
            (Some(arguments), Some(width)) => {
                let known = strings::result(self.terms, self.state, name, &arguments, width);
                let symbolic = || self.terms.symbolic().external(name, &arguments, width);
                known.or_else(symbolic).map(IrValue::Scalar)
            }
            _ => None,
        };
        if value.is_none() {
            self.state.skip(Skip::Opaque(name.to_owned()));
        }
        self.state.bind(self.terms, &used, value.as_ref());
    }

    /// A function that gives a new object.
    fn pass_allocation(&mut self, zeroed: bool) {
        let (terms, state) = (&mut *self.terms, &mut *self.state);
        let used = state.take(self.result);
        if let Some(address) = used.as_ref().and_then(SymbolicValue::scalar) {
            if zeroed {
                state.begin_with_zeros(terms, address);
            }
            state.memory_mut().havoc_object(terms, address);
        }
    }

    /// A function that writes any bytes through some of its arguments, as far as its row says.
    fn pass_filling(&mut self, id: FunctionId, row: &Row) {
        let analysis = self.terms.analysis();
        let used = self.state.take(self.result).is_some();
        let effects = analysis.effects(id);
        let writes = self.writes(row);
        let memory = self.state.memory();
        let is_concerned = used
            || memory.is_concerned(self.terms, effects)
            || writes
                .iter()
                .any(|write| memory.may_be_clobbered(self.terms, *write));
        if is_concerned {
            for write in writes {
                self.state.memory_mut().clobber(self.terms, write);
            }
            self.state.memory_mut().havoc(self.terms, effects);
            let name = analysis.function(id).name.clone();
            self.state.skip(Skip::Opaque(name));
        }
    }

    /// What the function of a row may write through the arguments, which are looked at here alone.
    fn writes(&mut self, row: &Row) -> Vec<UnknownWrite> {
        if self.state.memory().is_empty() {
            return Vec::new();
        }
        let (terms, overrides) = (&mut *self.terms, self.context.overrides);
        let mut frame = self.state.frame().clone();
        let values = self.arguments.iter();
        let values = values.map(|argument| terms.scalar(&mut frame, overrides, *argument));
        let values: Vec<Option<ExprId>> = values.collect();
        let number = |index: usize| u64::try_from(terms.bits(values[index]?)?).ok();
        let written = row.written(values.len());
        let writes = written.map(|index| UnknownWrite {
            address: values[index],
            length: match row.access(index) {
                Access::Writes(extent) | Access::Changes(extent) => Some(most(extent, number)),
                _ => None,
            },
        });
        writes.collect()
    }

    /// A function of which nothing is known.
    fn pass_unknown(&mut self, id: FunctionId) {
        let (terms, state) = (&mut *self.terms, &mut *self.state);
        let analysis = terms.analysis();
        let effects = analysis.effects_of_library_call(state.function(), self.place, id);
        let used = state.take(self.result).is_some();
        if effects.makes_inputs() {
            state.trail_mut().lose_inputs();
        }
        if used || state.memory().is_concerned(terms, &effects) {
            state.memory_mut().havoc(terms, &effects);
            state.skip(Skip::Opaque(analysis.function(id).name.clone()));
        }
    }

    fn pass_assumption(&mut self) -> Step {
        let condition = self.arguments.first();
        if let Some(condition) = condition.and_then(|first| self.scalar(*first)) {
            let zero = self.terms.constant(self.terms.width(condition), 0);
            let mut holds = self.terms.pool_mut().ne(condition, zero);
            if let Some(guard) = self.context.guard {
                holds = self.terms.pool_mut().implies(guard, holds);
            }
            self.state.require(self.terms, holds);
        }
        if self.state.conditions().has_false() {
            Step::Infeasible
        } else {
            Step::Done
        }
    }

    /// The bytes at the first argument become input; the second is their number, unless `size` is.
    fn pass_input_object(&mut self, size: Option<u64>) {
        let address = self.arguments.first();
        let address = address.and_then(|first| self.scalar(*first));
        let size = match (size, self.arguments.get(1)) {
            (Some(size), _) => Some(size),
            (None, Some(size)) => {
                let size = self.scalar(*size);
                size.and_then(|size| u64::try_from(self.terms.bits(size)?).ok())
            }
            (None, None) => None,
        };
        let (terms, state) = (&mut *self.terms, &mut *self.state);
        let (Some(address), Some(size)) = (address, size.filter(|size| *size <= MAX_OBJECT)) else {
            state.trail_mut().lose_inputs();
            let write = UnknownWrite::around(address);
            state.memory_mut().clobber(terms, write);
            state.skip(Skip::Opaque("an input object of unknown size".to_owned()));
            return;
        };
        let parts: Vec<_> = match size {
            1 | 2 | 4 | 8 | 16 => vec![terms.fresh(8 * size as u32)],
            size => (0..size).map(|_| terms.fresh(8)).collect(),
        };
        state.trail_mut().input(parts.clone());
        if size > 0 {
            let length = terms.constant(64, u128::from(size));
            let write = Write {
                address,
                length,
                content: Content::Parts(parts),
                guard: None,
            };
            state.write(terms, &write);
        }
    }

    fn pass_input_value(&mut self, name: &str) {
        let (terms, state) = (&mut *self.terms, &mut *self.state);
        let used = state.take(self.result);
        let value = input_value(name, self.ty).filter(|(size, _)| *size <= 16);
        let Some((size, is_boolean)) = value else {
            state.trail_mut().lose_inputs();
            state.skip(Skip::Opaque(name.to_owned()));
            return;
        };
        let part = terms.fresh(8 * size as u32);
        state.trail_mut().input(vec![part]);
        if let (Some(used), Some(width)) = (used, self.ty.width()) {
            let mut value = terms.symbolic().resize(part, width);
            if is_boolean {
                let low = terms.pool_mut().extract(part, 0, 1);
                value = terms.symbolic().resize(low, width);
            }
            state.bind(terms, &used, Some(&IrValue::Scalar(value)));
        }
    }
}

/// Most bytes within an extent, where arguments have these numbers.
fn most(extent: Extent, number: impl Fn(usize) -> Option<u64>) -> u64 {
    let bytes = match extent {
        Extent::Object => None,
        Extent::Bytes(bytes) => Some(bytes),
        Extent::Parameter(count, factor) => {
            number(count).and_then(|count| count.checked_mul(factor))
        }
        Extent::Product(a, b) => number(a).zip(number(b)).and_then(|(a, b)| a.checked_mul(b)),
    };
    bytes.unwrap_or(u64::MAX)
}

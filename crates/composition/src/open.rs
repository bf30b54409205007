//! The units that are open: built, explored, and with their programs running.

use std::collections::{BTreeMap, VecDeque};

use labrys_program::FunctionId;
use labrys_suite::Input;

use crate::unit::{Role, Unit};

/// Units whose programs are kept running.
const MOST_OPEN: usize = 32;

/// See the module. A unit that is at work is not in it.
#[derive(Default)]
pub(crate) struct OpenUnits {
    units: BTreeMap<(FunctionId, Role), Unit>,
    /// The units in the order of their last use.
    used: VecDeque<(FunctionId, Role)>,
    /// The inputs that units were run on. One that is built again is only run on them.
    inputs: BTreeMap<FunctionId, Vec<Input>>,
}

impl OpenUnits {
    /// Takes out a unit, if it is open.
    pub(crate) fn take(&mut self, function: FunctionId, role: Role) -> Option<Unit> {
        let unit = self.units.remove(&(function, role))?;
        self.used.retain(|one| *one != (function, role));
        Some(unit)
    }

    /// Puts a unit in, and gives up the one that was not used for longest.
    pub(crate) fn put(&mut self, unit: Unit) {
        let key = (unit.function, unit.role());
        self.used.push_back(key);
        self.units.insert(key, unit);
        if self.units.len() > MOST_OPEN
            && let Some(oldest) = self.used.pop_front()
            && let Some(unit) = self.units.remove(&oldest)
        {
            self.note(unit.function, unit.inputs());
        }
    }

    /// Keeps the inputs that the unit of a function was run on.
    pub(crate) fn note(&mut self, function: FunctionId, inputs: Vec<Input>) {
        self.inputs.insert(function, inputs);
    }

    /// The inputs that the unit of a function was explored with; nothing if it never was.
    pub(crate) fn inputs(&self, function: FunctionId) -> Option<&[Input]> {
        self.inputs.get(&function).map(Vec::as_slice)
    }
}

//! What the technique gets from whoever can build and run programs.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use labrys_engine::{Error, Session};
use labrys_program::FunctionId;
use labrys_suite::{Explored, Input};

use crate::measure::Search;
use crate::plan::UnitPlan;

/// A unit that can be run.
pub struct Bench {
    /// A session on it, whose first inputs are set.
    pub session: Session,
    /// The stream of the input that holds what drivers and stubs make; of main's unit none is
    /// special.
    pub objects: Option<u16>,
    /// Bytes of the inputs that the driver makes; what follows is made by stubs.
    pub leaves: u32,
    /// The functions whose calls are bound, by the numbers that runs record.
    pub bound: Vec<BoundFunction>,
    /// What the session needs for as long as it lasts, such as a folder of executables.
    pub held: Box<dyn Any>,
}

/// A function whose calls are bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundFunction {
    /// The function, in the program.
    pub function: FunctionId,
    /// The inputs of its driver.
    pub leaves: Vec<LeafName>,
}

/// What people call an input of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafName {
    /// The offset of its first byte.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Its name.
    pub name: String,
}

impl BoundFunction {
    /// A byte of the inputs in words.
    #[must_use]
    pub fn byte(&self, offset: u32) -> Option<String> {
        let mut leaves = self.leaves.iter();
        let leaf = leaves.find(|leaf| offset.wrapping_sub(leaf.offset) < leaf.size)?;
        Some(match leaf.size {
            1 => leaf.name.clone(),
            _ => format!("{}[{}]", leaf.name, offset - leaf.offset),
        })
    }
}

/// Builds units. Several threads may ask for one at a time.
pub trait Workshop: Send + Sync {
    /// Begins to build some units at once, beside what else is done: [`Workshop::prepare`] of the same
    /// ones waits for them.
    fn begin(&self, units: &[(UnitPlan, Vec<UnitPlan>)]);

    /// Builds some units at once, each with the units of the functions whose calls are bound in it,
    /// so that [`Workshop::unit`] takes no time for them; whether that could be done.
    ///
    /// # Errors
    /// If programs can no longer be run or written.
    fn prepare(&self, units: &[(UnitPlan, Vec<UnitPlan>)]) -> Result<bool, Error>;

    /// The unit of a function, with the calls of some functions bound, to be run on these inputs
    /// first, if there are any; why there is none, if there is none. What a call binds are the
    /// leaves of the callee's own unit, so their plans are given.
    ///
    /// # Errors
    /// If programs can no longer be run or written.
    fn unit(
        &self,
        plan: &UnitPlan,
        bound: &[UnitPlan],
        inputs: &[Input],
    ) -> Result<Result<Bench, String>, Error>;

    /// Whether earlier hunts are known, so that [`Workshop::look_up`] is worth its time.
    fn remembers(&self) -> bool;

    /// Looks up what earlier hunts found in these units, of which each has this part of the time; not in
    /// those that had less than half as much, and were cut off by that.
    fn look_up(&self, units: &[UnitPlan], time: Option<Duration>);

    /// What an earlier hunt found in the unit of a function, if it is the same since; such a unit is
    /// first run on the inputs of then.
    fn known(&self, function: FunctionId) -> Option<Arc<Explored>>;

    /// Keeps what was found in a unit for later hunts. Its runs called no other functions than these, by
    /// their names in the unit's program, if that is known.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep(
        &self,
        function: FunctionId,
        explored: Explored,
        called: Option<&BTreeSet<String>>,
    ) -> Result<(), Error>;

    /// The whole program, with the calls of these functions bound, to be run on these inputs first.
    ///
    /// # Errors
    /// As for [`Workshop::unit`].
    fn whole(&self, bound: &[UnitPlan], inputs: Vec<Input>)
    -> Result<Result<Bench, String>, Error>;

    /// A search of the whole program for a line, `FILE:LINE`; `None` if no branch there is left to
    /// take.
    fn toward(&self, session: &Session, location: &str) -> Option<Search<'static>>;
}

//! Effects of a block of a function, with the calls in it.

use std::collections::BTreeSet;

use labrys_program::{Operand, Operation, ValueId};

use crate::body::Body;
use crate::effects::Effects;
use crate::points_to::PointsTo;

/// What a piece of a function may do.
#[derive(Clone, Debug, Default)]
pub struct BlockEffects {
    effects: Effects,
    own_objects: BTreeSet<ValueId>,
}

impl BlockEffects {
    /// Its effects outside of the frame; a parameter stands for the address that the function got.
    #[must_use]
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// The function's own stack objects that it may write.
    #[must_use]
    pub fn own_objects(&self) -> &BTreeSet<ValueId> {
        &self.own_objects
    }

    /// Adds the effects of another piece of the function.
    pub fn absorb(&mut self, other: &BlockEffects) {
        self.effects.absorb(&other.effects);
        self.own_objects.extend(&other.own_objects);
    }

    /// Adds an operation; of a call, only what the call itself does.
    pub(crate) fn add(&mut self, points_to: &PointsTo<'_>, operation: &Operation) {
        self.effects.add(points_to, operation);
        self.write(points_to, written_address(operation));
    }

    /// Adds the effects of a callee.
    pub(crate) fn add_call(
        &mut self,
        points_to: &PointsTo<'_>,
        callee: &Effects,
        arguments: Option<&[Operand]>,
    ) {
        for index in callee.written_parameters() {
            let argument = arguments.and_then(|all| all.get(*index));
            self.write(points_to, argument.copied());
        }
        self.effects.absorb(&callee.at_call(points_to, arguments));
    }

    /// A write through any pointer concerns the frame's objects whose address leaves the function.
    pub(crate) fn close(&mut self, body: &Body) {
        if self.effects.writes_anywhere() {
            let objects = body.frame_objects().iter();
            self.own_objects
                .extend(objects.filter(|object| !body.is_private(**object)));
        }
    }

    fn write(&mut self, points_to: &PointsTo<'_>, address: Option<Operand>) {
        let object = address.and_then(|address| points_to.stack_object(address));
        self.own_objects.extend(object);
    }
}

/// The address that an operation other than a call writes to.
fn written_address(operation: &Operation) -> Option<Operand> {
    match operation {
        Operation::Store { address, .. } => Some(*address),
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } if intrinsic.writes_memory() => arguments.first().copied(),
        _ => None,
    }
}

//! Bindings: calls of functions of a unit with what they pass, as expressions over the inputs.
//!
//! The steps before a call and the bindings there are the slice of a summary at the call (Kim, Hong
//! and Kim, FSE 2019, section 3.5.1).

use labrys_abi::EventKind;
use labrys_expr::ExprId;

use crate::{Decoder, Trace};

/// A call that a binder recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundCall {
    /// The number of the function in its unit.
    pub function: u32,
    /// The number of steps of the path before the call.
    pub steps: usize,
    /// What it passes.
    pub places: Vec<Place>,
}

/// Bytes that a call passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The offset of the first byte in the inputs of the function's driver.
    pub offset: u64,
    /// Where the snapshot is.
    snapshot: u64,
}

impl BoundCall {
    /// The calls of a run that binders recorded, in order.
    #[must_use]
    pub fn of(trace: &Trace) -> Vec<Self> {
        let mut calls: Vec<BoundCall> = Vec::new();
        let mut steps = 0;
        for (index, event) in (0_u32..).zip(&trace.recording().events) {
            if event.kind == EventKind::BindCall as u8 {
                while (trace.steps().get(steps)).is_some_and(|step| step.event < index) {
                    steps += 1;
                }
                calls.push(BoundCall {
                    function: event.a as u32,
                    steps,
                    places: Vec::new(),
                });
            } else if event.kind == EventKind::Bind as u8
                && let Some(call) = calls.last_mut()
            {
                call.places.push(Place {
                    offset: event.a,
                    snapshot: event.b,
                });
            }
        }
        calls
    }
}

impl Place {
    /// The bytes as expressions.
    pub fn bytes(&self, trace: &Trace, decoder: &mut Decoder) -> Vec<ExprId> {
        let Some(snapshot) = trace.recording().snapshot(self.snapshot) else {
            return Vec::new();
        };
        let bytes = snapshot.bytes.iter();
        let mut values: Vec<ExprId> = bytes
            .map(|byte| decoder.pool_mut().constant(8, u128::from(*byte)))
            .collect();
        for (at, label) in snapshot.labels() {
            values[at as usize] = trace.expression(decoder, label);
        }
        values
    }
}

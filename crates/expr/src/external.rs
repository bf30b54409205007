//! Calls of pure external functions, such as `sin`: the same arguments give the same result.
//!
//! Expressions do not know what such a function computes; evaluation asks its
//! [`Environment`](crate::Environment).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::node::ExprId;

/// A function's name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    name: Arc<str>,
    arguments: Box<[ExprId]>,
}

impl Call {
    /// Name of the function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(&self) -> &[ExprId] {
        &self.arguments
    }
}

#[derive(Default)]
pub(crate) struct CallTable {
    calls: Vec<Arc<Call>>,
    known: FxHashMap<Arc<Call>, u32>,
}

impl CallTable {
    pub(crate) fn get(&self, number: u32) -> &Arc<Call> {
        &self.calls[number as usize]
    }

    /// The number of a call, which is entered where it is new.
    pub(crate) fn enter(&mut self, name: &str, arguments: &[ExprId]) -> u32 {
        let call = Call {
            name: name.into(),
            arguments: arguments.into(),
        };
        if let Some(&known) = self.known.get(&call) {
            return known;
        }
        let number = self.calls.len() as u32;
        let shared = Arc::new(call);
        self.calls.push(shared.clone());
        self.known.insert(shared, number);
        number
    }
}

//! Calls of pure external functions, such as `sin`: the same arguments give the same result.
//!
//! Expressions do not know what such a function computes; evaluation asks its
//! [`Environment`](crate::Environment).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

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
pub(crate) struct Calls {
    calls: Vec<Arc<Call>>,
    known: FxHashMap<Arc<Call>, u32>,
}

impl Calls {
    pub(crate) fn get(&self, number: u32) -> &Arc<Call> {
        &self.calls[number as usize]
    }
}

impl Pool {
    /// The result (`width` bits) of calling the pure function `name`.
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    pub fn external(&mut self, name: &str, arguments: &[ExprId], width: u32) -> ExprId {
        assert!((1..=128).contains(&width), "width out of range");
        let call = Call {
            name: name.into(),
            arguments: arguments.into(),
        };
        let number = if let Some(&known) = self.calls.known.get(&call) {
            known
        } else {
            let number = self.calls.calls.len() as u32;
            let shared = Arc::new(call);
            self.calls.calls.push(shared.clone());
            self.calls.known.insert(shared, number);
            number
        };
        self.intern(Node::new(Op::External, width, number, 0, 0))
    }

    /// The call of an external call expression.
    #[must_use]
    pub fn as_call(&self, id: ExprId) -> Option<&Call> {
        let node = self.node(id);
        (node.op == Op::External).then(|| &**self.calls.get(node.args[0].0))
    }
}

//! The memory of a state, as library functions read strings in it.

use labrys_expr::{ExprId, Pool};
use labrys_semantics::{Texts, string_result};

use crate::state::State;
use crate::terms::Terms;

/// The result of a library function that reads strings or computes with integers, given its
/// arguments; `None` if it is none of them.
pub(super) fn result(
    terms: &mut Terms<'_>,
    state: &mut State,
    name: &str,
    arguments: &[ExprId],
    width: u32,
) -> Option<ExprId> {
    string_result(&mut Memory { terms, state }, name, arguments, width)
}

struct Memory<'a, 'p> {
    terms: &'a mut Terms<'p>,
    state: &'a mut State,
}

impl Texts for Memory<'_, '_> {
    fn pool(&mut self) -> &mut Pool {
        self.terms.pool_mut()
    }

    fn fresh(&mut self, width: u32) -> ExprId {
        self.terms.fresh(width)
    }

    fn byte(&mut self, address: ExprId) -> ExprId {
        self.state.read(self.terms, address, 1)
    }

    fn place(&mut self, address: ExprId) -> Option<(Option<u64>, ExprId)> {
        let (object, offset) = self.terms.root(address)?;
        Some((object.size(), offset))
    }

    fn require(&mut self, condition: ExprId) {
        self.state.require(self.terms, condition);
    }

    fn sets_locale(&self) -> bool {
        self.terms.analysis().sets_locale()
    }
}

//! Edges between blocks, backward: what a decision says when control goes a certain way.

use labrys_expr::ExprId;
use labrys_program::{BlockId, Terminator};

use crate::demand::{Base, Overrides};
use crate::state::{Frame, Skip, State};

impl Base<'_> {
    /// The condition under which control goes from the end of a block to another; `None` if it
    /// is not known.
    pub(crate) fn edge_condition(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        from: BlockId,
        to: BlockId,
    ) -> Option<ExprId> {
        let block = self.image.function(frame.function).block(from)?;
        match &block.terminator {
            Terminator::Jump(_) => Some(ExprId::TRUE),
            Terminator::Branch {
                condition,
                if_true,
                if_false,
                ..
            } => {
                if if_true == if_false {
                    return Some(ExprId::TRUE);
                }
                let condition = self.scalar(frame, overrides, *condition)?;
                Some(if to == *if_true {
                    condition
                } else {
                    self.pool.not(condition)
                })
            }
            Terminator::Switch {
                value,
                default,
                cases,
                ..
            } => {
                let value = self.scalar(frame, overrides, *value)?;
                let width = self.pool.width(value);
                let mut condition = ExprId::FALSE;
                let mut others = ExprId::TRUE;
                for (case, target) in cases {
                    let case = self.pool.constant(width, *case);
                    let equal = self.pool.eq(value, case);
                    if *target == to {
                        condition = self.pool.or(condition, equal);
                    }
                    let differs = self.pool.not(equal);
                    others = self.pool.and(others, differs);
                }
                if *default == to {
                    condition = self.pool.or(condition, others);
                }
                Some(condition)
            }
            _ => None,
        }
    }

    /// Goes from the head of the state's block to the decision before it, taken in a direction:
    /// of a switch, other directions may lead to the block too.
    pub(crate) fn cross_branch(
        &mut self,
        state: &mut State,
        from: BlockId,
        direction: u32,
    ) -> bool {
        if !self.cross(state, from) {
            return false;
        }
        let block = &self.image.function(state.function()).blocks[from.index()];
        if let Terminator::Switch { value, cases, .. } = &block.terminator {
            let none = Overrides::default();
            if let Some(value) = self.scalar(state.frame_mut(), &none, *value) {
                let width = self.pool.width(value);
                let mut chosen = ExprId::TRUE;
                for (index, (case, _)) in (1..).zip(cases) {
                    let case = self.pool.constant(width, *case);
                    let equal = self.pool.eq(value, case);
                    if direction == index {
                        chosen = equal;
                        break;
                    }
                    if direction == 0 {
                        let differs = self.pool.not(equal);
                        chosen = self.pool.and(chosen, differs);
                    }
                }
                state.require(&self.pool, chosen);
            }
        }
        !self.is_dead(state)
    }

    /// Goes from the head of the state's block to the end of a predecessor. Whether a run may
    /// have come that way.
    pub(crate) fn cross(&mut self, state: &mut State, from: BlockId) -> bool {
        let to = state.block;
        let function = self.image.function(state.function());
        let none = Overrides::default();
        let mut pairs = Vec::new();
        let phis = function.block(to).map_or(&[][..], |block| &block.phis);
        let used: Vec<_> = phis
            .iter()
            .filter_map(|phi| Some((phi, state.frame_mut().env.remove(&phi.result)?)))
            .collect();
        // The values that come in belong to the end of the block before, where the phis' own
        // earlier values are meant: their symbols are gone from the frame already.
        for (phi, used) in used {
            let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
            let value =
                incoming.and_then(|(_, operand)| self.value(state.frame_mut(), &none, *operand));
            if let Some(value) = value {
                crate::substitute::pair(&used, &value, &mut pairs);
            }
        }
        self.substitute(state, &pairs);
        match self.edge_condition(state.frame_mut(), &none, from, to) {
            Some(condition) => state.require(&self.pool, condition),
            None => {
                if let Some(Terminator::Opaque { reason, .. }) =
                    function.block(from).map(|block| &block.terminator)
                {
                    state.skip(Skip::Opaque(reason.to_string()));
                }
            }
        }
        let length = function
            .block(from)
            .map_or(0, |block| block.instructions.len());
        state.place(from, length);
        state.hop();
        !self.is_dead(state)
    }
}

//! What a step backward forgets of memory: reads whose writes it does not know become anything.
//!
//! Law: a read stays only where the step cannot have written what it reads, so nothing that is
//! forgotten loses a run.

use labrys_expr::{ExprId, Pool};
use labrys_program::Operand;

use crate::demand::{Base, Overrides};
use crate::objects::{Kind, Object};
use crate::state::{Read, State};
use labrys_analysis::Effects;

impl Base<'_> {
    /// Objects of a frame begin: what was in them before is anything.
    pub(crate) fn forget_frame(&mut self, state: &mut State, frame: u32) {
        let (pool, objects) = (&mut self.pool, &self.objects);
        state.reads.retain(|read| {
            let root = objects.root(pool, read.address);
            !matches!(root, Some((Object { kind: Kind::Stack(id, _), .. }, _)) if id == frame)
        });
    }

    /// Something is written to an address, to nobody knows how many bytes.
    pub(crate) fn forget_written(&mut self, state: &mut State, address: Option<ExprId>) {
        let (pool, objects) = (&mut self.pool, &self.objects);
        let meets = |pool: &mut Pool, read: &Read| match address {
            Some(address) => objects.may_meet(pool, address, read.address),
            None => true,
        };
        state.reads.retain(|read| !meets(pool, read));
    }

    /// Something is written through some of the arguments of a call, in the top frame.
    pub(crate) fn forget_passed(
        &mut self,
        state: &mut State,
        overrides: &Overrides,
        effects: &Effects,
        arguments: &[Operand],
    ) {
        for address in self.passed(state, overrides, effects, arguments) {
            self.forget_written(state, address);
        }
    }

    /// The addresses that something with these effects may write through, given its arguments. They
    /// are looked at here alone, so the path does not ask for the values in them.
    fn passed(
        &mut self,
        state: &State,
        overrides: &Overrides,
        effects: &Effects,
        arguments: &[Operand],
    ) -> Vec<Option<ExprId>> {
        let through = effects.written_parameters().iter();
        let given: Vec<Operand> = through
            .filter_map(|index| arguments.get(*index).copied())
            .collect();
        let mut frame = state.frame().clone();
        given
            .into_iter()
            .map(|one| self.scalar(&mut frame, overrides, one))
            .collect()
    }

    /// Whether a call of something with these effects may write what is read later.
    pub(crate) fn touches_passed(
        &mut self,
        state: &State,
        overrides: &Overrides,
        effects: &Effects,
        arguments: &[Operand],
    ) -> bool {
        if state.reads.is_empty() {
            return false;
        }
        if self.touches(effects, state) {
            return true;
        }
        let addresses = self.passed(state, overrides, effects, arguments);
        let (pool, objects) = (&mut self.pool, &self.objects);
        addresses.into_iter().any(|address| {
            let mut reads = state.reads.iter();
            let Some(address) = address else {
                return true;
            };
            reads.any(|read| objects.may_meet(pool, address, read.address))
        })
    }

    /// Something with these effects is stepped over: what it may have written is anything. What
    /// it writes through parameters is another matter.
    pub(crate) fn havoc(&mut self, state: &mut State, effects: &Effects) {
        let reads = std::mem::take(&mut state.reads);
        for read in reads {
            if !self.concerns(effects, &read) {
                state.reads.push(read);
            }
        }
    }

    /// Whether something with these effects may write what is read later.
    pub(crate) fn touches(&mut self, effects: &Effects, state: &State) -> bool {
        state.reads.iter().any(|read| self.concerns(effects, read))
    }

    /// Whether something with these effects may write what this reads.
    pub(crate) fn concerns(&mut self, effects: &Effects, read: &Read) -> bool {
        let Some((object, _)) = self.objects.root(&mut self.pool, read.address) else {
            return effects.writes_anywhere()
                || effects.writes_streams()
                || !effects.written_globals().is_empty();
        };
        match object.kind {
            _ if object.constant => false,
            Kind::Global(id) => {
                effects.writes_global(id) || (effects.writes_anywhere() && !object.private)
            }
            Kind::Function(_) | Kind::Characters(..) | Kind::CharacterTable(_) => false,
            Kind::Errno(..) => effects.sets_errno() || effects.writes_anywhere(),
            Kind::Stack(..) | Kind::Heap(..) | Kind::Made(..) => {
                effects.writes_anywhere() && !object.private
            }
        }
    }
}

//! What a step backward forgets of memory: reads whose writes it does not know become anything.
//!
//! Law: a read stays only where the step cannot have written what it reads, so nothing that is
//! forgotten loses a run.

use labrys_expr::ExprId;

use crate::demand::Base;
use crate::effects::Effects;
use crate::objects::{Kind, Object};
use crate::state::{Read, State};

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
        let to = address.and_then(|address| objects.root(pool, address));
        state.reads.retain(|read| {
            let from = objects.root(pool, read.address);
            matches!((&to, from), (Some((to, _)), Some((from, _))) if to.symbol != from.symbol)
        });
    }

    /// Something with these effects is stepped over: what it may have written is anything.
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
            return effects.anywhere || !effects.globals.is_empty();
        };
        match object.kind {
            _ if object.constant => false,
            Kind::Global(id) => {
                effects.globals.contains(&id) || (effects.anywhere && !object.private)
            }
            Kind::Function(_) | Kind::Characters(..) | Kind::CharacterTable(_) => false,
            Kind::Errno(..) => effects.errno || effects.anywhere,
            Kind::Stack(..) | Kind::Heap(..) | Kind::Made(..) => {
                effects.anywhere && !object.private
            }
        }
    }
}

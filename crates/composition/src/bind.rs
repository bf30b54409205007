//! Bindings: formulas over the leaves of a callee as formulas over the inputs of its caller.

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol};
use labrys_suite::Input;

use crate::summary::{FREE, LEAVES, Slice};

/// What a symbol of a callee's formula becomes in the pool of the caller.
fn replaced(
    pool: &mut Pool,
    slice: &Slice,
    stream: u16,
    offset: u32,
    leaves: u32,
    free: u16,
) -> ExprId {
    match slice.bindings.get(offset).filter(|_| offset < leaves) {
        Some(byte) => byte,
        None => pool.symbol(Symbol::Byte {
            stream: free + (stream & 0x00ff),
            offset,
        }),
    }
}

/// Conditions over [`LEAVES`] with what a call passes in their place; leaves that the call does
/// not have stay as they are.
pub(crate) fn bound(pool: &mut Pool, conditions: &[ExprId], slice: &Slice) -> Vec<ExprId> {
    let conditions = conditions.iter();
    let conditions = conditions.map(|condition| {
        pool.substitute(*condition, &mut |_, symbol| match symbol {
            Symbol::Byte {
                stream: LEAVES,
                offset,
            } => slice.bindings.get(offset),
            _ => None,
        })
    });
    conditions
        .filter(|condition| *condition != ExprId::TRUE)
        .collect()
}

/// The formula of a chain of calls, over the inputs of its first function.
#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) pool: Pool,
    /// Each the conditions of one path through all functions of the chain.
    pub(crate) cubes: Vec<Vec<ExprId>>,
    /// Inputs of the first function's unit on such paths.
    pub(crate) examples: Vec<Input>,
    /// The stream of the inputs of the first function, and how many of their bytes its driver
    /// makes.
    pub(crate) objects: u16,
    pub(crate) leaves: u32,
    /// Functions in the chain.
    pub(crate) depth: u16,
}

impl Formula {
    /// Adds cubes of another pool that are not there yet, with inputs on them.
    pub(crate) fn add(&mut self, source: &Pool, cubes: Vec<Vec<ExprId>>, examples: Vec<Input>) {
        let mut rebuilt = Rebuilt::new();
        for cube in cubes {
            let conditions = cube.into_iter();
            let cube = conditions
                .map(|id| (self.pool).rebuild(Some(source), id, &mut rebuilt, &mut |_, _| None));
            let cube: Vec<ExprId> = cube.collect();
            if !self.cubes.contains(&cube) {
                self.cubes.push(cube);
            }
        }
        let new = examples.into_iter();
        let new = new.filter(|example| !self.examples.contains(example));
        let new: Vec<Input> = new.collect();
        self.examples.extend(new);
    }

    /// A cube in the pool of a caller, with what a call passes for the leaves. What stubs return
    /// and what the call does not have stay free.
    pub(crate) fn at(&self, cube: usize, pool: &mut Pool, slice: &Slice) -> Vec<ExprId> {
        let free = FREE + 0x0100 * self.depth;
        self.moved(cube, pool, &mut |pool, stream, offset| {
            replaced(pool, slice, stream, offset, self.leaves, free)
        })
    }

    /// A cube in the pool of a caller, over [`LEAVES`].
    pub(crate) fn over_leaves(&self, cube: usize, pool: &mut Pool) -> Vec<ExprId> {
        let free = FREE + 0x0100 * self.depth;
        self.moved(cube, pool, &mut |pool, stream, offset| {
            let stream = match offset < self.leaves {
                true => LEAVES,
                false => free + stream,
            };
            pool.symbol(Symbol::Byte { stream, offset })
        })
    }

    fn moved(
        &self,
        cube: usize,
        pool: &mut Pool,
        replace: &mut dyn FnMut(&mut Pool, u16, u32) -> ExprId,
    ) -> Vec<ExprId> {
        let mut rebuilt = Rebuilt::new();
        let conditions = self.cubes[cube].iter();
        let conditions = conditions.map(|condition| {
            pool.rebuild(
                Some(&self.pool),
                *condition,
                &mut rebuilt,
                &mut |pool, id| match self.pool.as_symbol(id)? {
                    Symbol::Byte { stream, offset } if stream == self.objects => {
                        Some(replace(pool, stream, offset))
                    }
                    _ => None,
                },
            )
        });
        let mut conditions: Vec<ExprId> = conditions.collect();
        conditions.retain(|condition| *condition != ExprId::TRUE);
        conditions
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use labrys_program::FunctionId;

    use crate::bindings::Blocks;

    use super::*;

    /// `x0 == 'C' && x1 != 0 && s2 == 1` at a call that passes `y5` and has one byte only: what the
    /// stub returned and the second byte stay free.
    #[test]
    fn leaves_become_what_the_call_passes() {
        let mut callee = Pool::new();
        let mut is = |offset, value| {
            let byte = callee.input(0, offset, 1);
            let value = callee.constant(8, value);
            callee.eq(byte, value)
        };
        let cube = vec![is(0, 67), is(1, 1), is(2, 1)];
        let formula = Formula {
            pool: callee,
            cubes: vec![cube],
            examples: Vec::new(),
            objects: 0,
            leaves: 2,
            depth: 1,
        };
        let mut pool = Pool::new();
        let passed = [(0, pool.input(3, 5, 1)), (2, pool.input(3, 6, 1))];
        let slice = Slice {
            callee: FunctionId(1),
            steps: 0,
            bindings: Blocks::default().bindings(&BTreeMap::from(passed)),
        };
        let composed = formula.at(0, &mut pool, &slice);
        let symbols: Vec<Symbol> = composed
            .iter()
            .flat_map(|id| pool.symbols(*id).iter())
            .collect();
        let byte = |stream, offset| Symbol::Byte { stream, offset };
        let free = FREE + 0x0100;
        assert_eq!(symbols, [byte(3, 5), byte(free, 1), byte(free, 2)]);
        let leaves = formula.over_leaves(0, &mut pool);
        let shared = bound(&mut pool, &leaves, &slice);
        assert_eq!(shared[0], composed[0]);
    }
}

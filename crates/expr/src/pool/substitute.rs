//! Rebuilding expressions: with other values for symbols, or in another pool.
//!
//! Iterative; every node is rebuilt once per [`Rebuilt`] memory, and simplified as it is.

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;
use crate::symbol::Symbol;
use crate::table::TableId;

/// Remembers what each expression of a source pool was rebuilt to.
#[derive(Debug)]
pub struct Rebuilt {
    values: Vec<ExprId>,
    stamps: Vec<u32>,
    epoch: u32,
    tables: FxHashMap<u32, TableId>,
}

impl Default for Rebuilt {
    fn default() -> Self {
        Rebuilt::new()
    }
}

impl Rebuilt {
    /// A memory without entries.
    #[must_use]
    pub fn new() -> Self {
        Rebuilt {
            values: Vec::new(),
            stamps: Vec::new(),
            epoch: 1,
            tables: FxHashMap::default(),
        }
    }

    /// Forgets everything, to go on with other replacements. Cheap.
    pub fn reset(&mut self) {
        self.tables.clear();
        if self.epoch == u32::MAX {
            self.stamps.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Says what an expression of the source pool is rebuilt to from now on, where it is an operand
    /// of what was not rebuilt before.
    pub fn put(&mut self, id: ExprId, value: ExprId) {
        self.reserve(id.index() + 1);
        self.set(id, value);
    }

    /// Forgets what an expression was rebuilt to, so that it is rebuilt again when it is met.
    pub fn forget(&mut self, id: ExprId) {
        if let Some(stamp) = self.stamps.get_mut(id.index()) {
            *stamp = 0;
        }
    }

    fn reserve(&mut self, len: usize) {
        if self.stamps.len() < len {
            self.stamps.resize(len, 0);
            self.values.resize(len, ExprId::FALSE);
        }
    }

    /// What an expression was rebuilt to.
    #[inline]
    #[must_use]
    pub fn get(&self, id: ExprId) -> Option<ExprId> {
        (self.stamps.get(id.index()) == Some(&self.epoch)).then(|| self.values[id.index()])
    }

    fn set(&mut self, id: ExprId, value: ExprId) {
        self.stamps[id.index()] = self.epoch;
        self.values[id.index()] = value;
    }
}

/// Says what replaces an expression of the source pool in the target pool; `None`: the
/// expression rebuilt from its replaced operands.
pub type Replace<'a> = &'a mut dyn FnMut(&mut Pool, ExprId) -> Option<ExprId>;

impl Pool {
    /// `id` with the symbols replaced for which `replace` gives something of the same width.
    ///
    /// # Panics
    /// If a replacement has another width than its symbol.
    pub fn substitute(
        &mut self,
        id: ExprId,
        replace: &mut dyn FnMut(&mut Pool, Symbol) -> Option<ExprId>,
    ) -> ExprId {
        self.rebuild(None, id, &mut Rebuilt::new(), &mut |pool, id| {
            let symbol = pool.as_symbol(id)?;
            let new = replace(pool, symbol)?;
            assert_eq!(pool.width(new), symbol.width(), "replacement of {symbol}");
            Some(new)
        })
    }

    /// The expression `id` of the pool `source` (`None`: of this pool) in this pool, with the
    /// expressions replaced for which `replace` gives something of the same width.
    pub fn rebuild(
        &mut self,
        source: Option<&Pool>,
        id: ExprId,
        rebuilt: &mut Rebuilt,
        replace: Replace<'_>,
    ) -> ExprId {
        self.rebuild_by(source, id, rebuilt, replace, |_, _, new| new)
    }

    /// `id` of this pool rebuilt, where `finish` makes of each expression, given with what its
    /// operands were rebuilt to, something of the same width.
    pub fn rebuild_each(
        &mut self,
        id: ExprId,
        rebuilt: &mut Rebuilt,
        finish: impl FnMut(&mut Pool, ExprId, ExprId) -> ExprId,
    ) -> ExprId {
        self.rebuild_by(None, id, rebuilt, &mut |_, _| None, finish)
    }

    #[inline]
    fn rebuild_by(
        &mut self,
        source: Option<&Pool>,
        id: ExprId,
        rebuilt: &mut Rebuilt,
        replace: Replace<'_>,
        mut finish: impl FnMut(&mut Pool, ExprId, ExprId) -> ExprId,
    ) -> ExprId {
        rebuilt.reserve(source.map_or(self.len(), Pool::len));
        let mut stack = vec![(id, false)];
        while let Some((top, ready)) = stack.pop() {
            if rebuilt.get(top).is_some() {
                continue;
            }
            let node = *source.unwrap_or(self).node(top);
            if ready {
                let new = self.with_rebuilt_operands(source, top, node, rebuilt);
                let new = finish(self, top, new);
                rebuilt.set(top, new);
            } else if let Some(new) = replace(self, top) {
                rebuilt.set(top, new);
            } else {
                stack.push((top, true));
                let first = stack.len();
                source
                    .unwrap_or(self)
                    .visit_children(&node, |child| stack.push((child, false)));
                // The first operand comes first, so that expressions keep their order.
                stack[first..].reverse();
            }
        }
        rebuilt.get(id).unwrap_or(id)
    }

    fn with_rebuilt_operands(
        &mut self,
        source: Option<&Pool>,
        id: ExprId,
        mut node: Node,
        rebuilt: &mut Rebuilt,
    ) -> ExprId {
        let new = |rebuilt: &Rebuilt, id: ExprId| rebuilt.get(id).unwrap_or(id);
        match node.op {
            Op::Const => {
                let bits = source.unwrap_or(self).bits_of_constant(&node).unwrap_or(0);
                return self.constant(node.width(), bits);
            }
            Op::Symbol => return self.symbol(node.symbol()),
            op if op.is_count() => return self.unary(op, new(rebuilt, node.args[0])),
            Op::External => {
                let call = source.unwrap_or(self).calls.get(node.args[0].0).clone();
                let arguments: Vec<_> = call
                    .arguments()
                    .iter()
                    .map(|id| new(rebuilt, *id))
                    .collect();
                return self.external(call.name(), &arguments, node.width());
            }
            Op::Table => {
                let number = node.args[1].0;
                let table = self.rebuilt_table(source, number, rebuilt);
                return self.table_read(table, new(rebuilt, node.args[0]), node.width() / 8);
            }
            _ => {}
        }
        let mut same = source.is_none();
        for i in 0..node.op.arity() {
            let argument = new(rebuilt, node.args[i]);
            same &= argument == node.args[i];
            node.args[i] = argument;
        }
        if same {
            // It was simplified when it was made.
            return id;
        }
        self.build(node)
    }

    fn rebuilt_table(
        &mut self,
        source: Option<&Pool>,
        number: u32,
        rebuilt: &mut Rebuilt,
    ) -> TableId {
        if let Some(&known) = rebuilt.tables.get(&number) {
            return known;
        }
        let table = source.unwrap_or(self).tables.get(number).clone();
        let entries: Vec<_> = table
            .entries()
            .iter()
            .map(|(offset, id)| (*offset, rebuilt.get(*id).unwrap_or(*id)))
            .collect();
        let id = self.enter_table(table.bytes(), &entries);
        rebuilt.tables.insert(number, id);
        id
    }
}

//! The pool: all expressions of one trace, each stored once.
//!
//! Invariant: two ids are equal exactly if their nodes are; operands have smaller ids than their
//! users; `sets[i]` are the symbols of `nodes[i]`; `nodes[0]` and `nodes[1]` are false and true.

mod construct;
mod display;
mod print;
pub(crate) mod rules;
mod spell;
mod substitute;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use self::rules::Rewrite;
use crate::bits::mask;
use crate::external::{Call, CallTable};
use crate::intern::{Interner, hash_words};
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::sets::{SetId, Sets, SymbolSet};
use crate::symbol::Symbol;
use crate::table::{Table, TableId, Tables};
use crate::value::Value;

pub use display::Display;
pub use print::{CVariable, c_implied, smtlib, smtlib_term};
pub use substitute::{Rebuilt, Replace};

/// Rules may call constructors this deep before results are taken as they are.
const MAX_DEPTH: u32 = 32;
/// Most rewriting steps of one construction, so that no pattern costs exponential time.
const MAX_STEPS: u32 = 256;

fn next_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An arena of expressions without duplicates.
///
/// Constructors simplify: what they return is equal in value to what was asked for.
pub struct Pool {
    generation: u64,
    pub(crate) nodes: Vec<Node>,
    sets: Vec<SetId>,
    interner: Interner,
    symbol_sets: Sets,
    wide: Vec<u128>,
    wide_known: FxHashMap<u128, u32>,
    pub(crate) tables: Tables,
    pub(crate) calls: CallTable,
    depth: u32,
    steps: u32,
    simplify: bool,
    pub(crate) spell_out: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool that holds the one-bit constants only.
    #[must_use]
    pub fn new() -> Self {
        let mut pool = Pool {
            generation: next_generation(),
            nodes: Vec::new(),
            sets: Vec::new(),
            interner: Interner::new(),
            symbol_sets: Sets::new(),
            wide: Vec::new(),
            wide_known: HashMap::default(),
            tables: Tables::default(),
            calls: CallTable::default(),
            depth: 0,
            steps: 0,
            simplify: true,
            spell_out: false,
        };
        pool.enter_truth_values();
        pool
    }

    /// A pool whose constructors return what they were asked for, without simplification. The
    /// reference for tests; also shows a formula as it was written.
    #[must_use]
    pub fn verbatim() -> Self {
        let mut pool = Pool::new();
        pool.simplify = false;
        pool
    }

    /// A pool in which no table read and no bit count exists: their constructors give choices
    /// and sums. Rebuild expressions in such a pool to hand them to anything that knows
    /// SMT-LIB only.
    #[must_use]
    pub fn spelled_out() -> Self {
        let mut pool = Pool::new();
        pool.spell_out = true;
        pool
    }

    fn enter_truth_values(&mut self) {
        let no = self.constant(1, 0);
        let yes = self.constant(1, 1);
        debug_assert!(no == ExprId::FALSE && yes == ExprId::TRUE);
    }

    /// Forgets all expressions (ids become invalid) and keeps the memory.
    pub fn clear(&mut self) {
        self.generation = next_generation();
        self.nodes.clear();
        self.sets.clear();
        self.interner.clear();
        self.symbol_sets = Sets::new();
        self.wide.clear();
        self.wide_known.clear();
        self.tables = Tables::default();
        self.calls = CallTable::default();
        self.enter_truth_values();
    }

    /// Number that no other pool has, nor this one before it was cleared.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of expressions; ids are below.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the truth values are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of an expression.
    #[inline]
    #[must_use]
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Width in bits.
    #[inline]
    #[must_use]
    pub fn width(&self, id: ExprId) -> u32 {
        self.nodes[id.index()].width()
    }

    /// The operation.
    #[inline]
    #[must_use]
    pub fn op(&self, id: ExprId) -> Op {
        self.nodes[id.index()].op
    }

    /// The symbols that an expression depends on.
    #[must_use]
    pub fn symbols(&self, id: ExprId) -> SymbolSet<'_> {
        self.symbol_sets.get(self.sets[id.index()])
    }

    /// Number that equal symbol sets, and no others, share.
    #[must_use]
    pub fn symbols_number(&self, id: ExprId) -> u32 {
        self.sets[id.index()].number()
    }

    /// The bits of a constant.
    #[inline]
    #[must_use]
    pub fn bits(&self, id: ExprId) -> Option<u128> {
        let node = self.nodes[id.index()];
        self.bits_of_constant(&node)
    }

    /// Whether expressions are made of more nodes than this.
    #[must_use]
    pub fn has_more_nodes(&self, roots: impl IntoIterator<Item = ExprId>, most: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut left: Vec<ExprId> = roots.into_iter().filter(|id| seen.insert(*id)).collect();
        while seen.len() <= most {
            let Some(id) = left.pop() else {
                return false;
            };
            self.for_each_child(id, |child| left.extend(seen.insert(child).then_some(child)));
        }
        true
    }

    /// What a condition says of an expression where it holds: `e = 5` that `e` is 5, `¬c` that `c`
    /// is 0, any other that itself is 1. The expression with its bits.
    #[must_use]
    pub fn said_by(&self, condition: ExprId) -> (ExprId, u128) {
        let node = self.node(condition);
        match (node.op(), node.operands()) {
            (Op::Eq, [a, b]) => match (self.bits(*a), self.bits(*b)) {
                (None, Some(bits)) => (*a, bits),
                (Some(bits), None) => (*b, bits),
                _ => (condition, 1),
            },
            (Op::Not, [a]) => (*a, 0),
            _ => (condition, 1),
        }
    }

    #[inline]
    pub(crate) fn bits_of_constant(&self, node: &Node) -> Option<u128> {
        let [kind, low, high] = node.args;
        match (node.op, kind.0) {
            (Op::Const, 0) => Some(u128::from(low.0) | u128::from(high.0) << 32),
            (Op::Const, _) => Some(self.wide[low.index()]),
            _ => None,
        }
    }

    /// The value of a constant.
    #[must_use]
    pub fn value(&self, id: ExprId) -> Option<Value> {
        self.bits(id).map(|bits| Value::new(self.width(id), bits))
    }

    /// The symbol of a symbol expression.
    #[inline]
    #[must_use]
    pub fn as_symbol(&self, id: ExprId) -> Option<Symbol> {
        let node = self.nodes[id.index()];
        (node.op == Op::Symbol).then(|| node.symbol())
    }

    /// The constant with the lowest `width` bits of `bits`.
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    #[inline]
    pub fn constant(&mut self, width: u32, bits: u128) -> ExprId {
        assert!((1..=128).contains(&width), "width out of range");
        let bits = bits & mask(width);
        let node = if bits >> 64 == 0 {
            Node::new(Op::Const, width, 0, bits as u32, (bits >> 32) as u32)
        } else {
            let fresh = self.wide.len() as u32;
            let index = *self.wide_known.entry(bits).or_insert(fresh);
            if index == fresh {
                self.wide.push(bits);
            }
            Node::new(Op::Const, width, 1, index, 0)
        };
        self.intern(node)
    }

    /// The constant of this value.
    pub fn constant_value(&mut self, value: Value) -> ExprId {
        self.constant(value.width(), value.bits())
    }

    /// The expression of a symbol.
    #[inline]
    pub fn symbol(&mut self, symbol: Symbol) -> ExprId {
        let key = symbol.key();
        self.intern(Node::new(
            Op::Symbol,
            symbol.width(),
            key as u32,
            (key >> 32) as u32,
            0,
        ))
    }

    /// The result (`width` bits) of calling the pure function `name`.
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    pub fn external(&mut self, name: &str, arguments: &[ExprId], width: u32) -> ExprId {
        assert!((1..=128).contains(&width), "width out of range");
        let number = self.calls.enter(name, arguments);
        self.intern(Node::new(Op::External, width, number, 0, 0))
    }

    /// The call of an external call expression.
    #[must_use]
    pub fn as_call(&self, id: ExprId) -> Option<&Call> {
        let node = self.node(id);
        (node.op == Op::External).then(|| &**self.calls.get(node.args[0].0))
    }

    /// Enters a table: its bytes, and the expressions (8 bits) that replace some of them by
    /// their offset. Offsets beyond the end are ignored; of two entries at one offset the last
    /// counts; constant entries become bytes.
    ///
    /// # Panics
    /// If an entry has not 8 bits.
    pub fn enter_table(&mut self, bytes: &[u8], entries: &[(u32, ExprId)]) -> TableId {
        let mut bytes: Box<[u8]> = bytes.into();
        let mut by_offset = BTreeMap::new();
        for &(offset, entry) in entries {
            assert_eq!(self.width(entry), 8, "table entries are bytes");
            let Some(byte) = bytes.get_mut(offset as usize) else {
                continue;
            };
            if let Some(bits) = self.bits(entry) {
                *byte = bits as u8;
                by_offset.remove(&offset);
            } else {
                *byte = 0;
                by_offset.insert(offset, entry);
            }
        }
        TableId(self.tables.enter(bytes, by_offset.into_iter().collect()))
    }

    /// The table with this number.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        self.tables.get(id.0)
    }

    /// Little-endian read of `count` bytes (1 to 16) of a table at the 64-bit index `index`.
    ///
    /// # Panics
    /// If `index` has not 64 bits or `count` is not in `1..=16`.
    pub fn table_read(&mut self, table: TableId, index: ExprId, count: u32) -> ExprId {
        assert_eq!(self.width(index), 64, "a table's index has 64 bits");
        assert!((1..=16).contains(&count), "a table read has 1 to 16 bytes");
        if self.spell_out {
            return spell::table_read(self, table, index, count);
        }
        self.build(Node::new(Op::Table, count * 8, index.0, table.0, 0))
    }

    /// The table and the index of a table read.
    #[must_use]
    pub fn as_table_read(&self, id: ExprId) -> Option<(TableId, ExprId)> {
        let node = self.node(id);
        (node.op == Op::Table).then(|| (TableId(node.args[1].0), node.args[0]))
    }

    /// The id of this very node, entered where it is new.
    #[inline]
    pub(crate) fn intern(&mut self, node: Node) -> ExprId {
        let (a, b) = node.words();
        let hash = hash_words(a, b);
        match self.interner.find(&self.nodes, &node, hash) {
            Some(id) => id,
            None => self.insert(node, hash),
        }
    }

    fn insert(&mut self, node: Node, hash: u64) -> ExprId {
        assert!(
            self.nodes.len() < u32::MAX as usize - 1,
            "more than 2^32 expressions"
        );
        let set = self.set_of(&node);
        let id = ExprId(self.nodes.len() as u32);
        self.interner.insert(id, hash, &self.nodes);
        self.nodes.push(node);
        self.sets.push(set);
        id
    }

    #[inline]
    fn set_of(&mut self, node: &Node) -> SetId {
        let of = |sets: &[SetId], i: usize| sets[node.args[i].index()];
        match node.op {
            Op::Const => Sets::EMPTY,
            Op::Symbol => self.symbol_sets.singleton(node.symbol()),
            Op::Table | Op::External => self.union_of_children(node),
            op => match op.arity() {
                1 => of(&self.sets, 0),
                2 => self.symbol_sets.union(of(&self.sets, 0), of(&self.sets, 1)),
                _ => {
                    let rest = self.symbol_sets.union(of(&self.sets, 1), of(&self.sets, 2));
                    self.symbol_sets.union(of(&self.sets, 0), rest)
                }
            },
        }
    }

    fn union_of_children(&mut self, node: &Node) -> SetId {
        let mut children = Vec::new();
        self.visit_children(node, |child| children.push(child));
        let mut set = Sets::EMPTY;
        for child in children {
            set = self.symbol_sets.union(set, self.sets[child.index()]);
        }
        set
    }

    /// Calls `visit` with every expression that this one uses directly, including the entries of
    /// a table and the arguments of an external call.
    #[inline]
    pub fn for_each_child(&self, id: ExprId, visit: impl FnMut(ExprId)) {
        self.visit_children(&self.nodes[id.index()], visit);
    }

    #[inline]
    pub(crate) fn visit_children(&self, node: &Node, mut visit: impl FnMut(ExprId)) {
        node.operands().iter().copied().for_each(&mut visit);
        match node.op {
            Op::Table => {
                let table = self.tables.get(node.args[1].0);
                table.entries().iter().for_each(|(_, entry)| visit(*entry));
            }
            Op::External => {
                self.calls
                    .get(node.args[0].0)
                    .arguments()
                    .iter()
                    .copied()
                    .for_each(visit);
            }
            _ => {}
        }
    }

    /// The simplified expression equal to `node`.
    #[inline]
    pub(crate) fn build(&mut self, mut node: Node) -> ExprId {
        if self.depth == 0 {
            self.steps = MAX_STEPS;
        }
        loop {
            self.order(&mut node);
            let (a, b) = node.words();
            let hash = hash_words(a, b);
            if let Some(id) = self.interner.find(&self.nodes, &node, hash) {
                return id;
            }
            match self.rewrite(&node) {
                Some(Rewrite::Is(id)) => return id,
                Some(Rewrite::Again(next)) => node = next,
                None => return self.insert(node, hash),
            }
        }
    }

    fn rewrite(&mut self, node: &Node) -> Option<Rewrite> {
        if !self.simplify {
            return None;
        }
        if self.depth >= MAX_DEPTH || self.steps == 0 {
            return rules::fold(self, node);
        }
        self.depth += 1;
        let result = rules::first(self, node);
        self.depth -= 1;
        if result.is_some() {
            self.steps -= 1;
        }
        result
    }

    /// Constants stand right in commutative operations, else the older expression stands left.
    #[inline]
    fn order(&self, node: &mut Node) {
        if self.simplify && node.op.is_commutative() {
            let [a, b, _] = node.args;
            let rank = |id: ExprId| (self.op(id) == Op::Const, id);
            if rank(a) > rank(b) {
                node.args.swap(0, 1);
            }
        }
    }

    /// The operand of `id`, where that is an `op`.
    #[inline]
    pub(crate) fn operand(&self, op: Op, id: ExprId) -> Option<ExprId> {
        let node = self.node(id);
        (node.op == op).then_some(node.args[0])
    }

    /// Both operands of `id`, where that is an `op`.
    #[inline]
    pub(crate) fn operands(&self, op: Op, id: ExprId) -> Option<(ExprId, ExprId)> {
        let node = self.node(id);
        (node.op == op).then_some((node.args[0], node.args[1]))
    }

    /// The first operand and the constant second one of `id`, where that is an `op`.
    #[inline]
    pub(crate) fn with_constant(&self, op: Op, id: ExprId) -> Option<(ExprId, u128)> {
        let (a, b) = self.operands(op, id)?;
        Some((a, self.bits(b)?))
    }

    /// Whether `a` is the complement of `b`.
    pub(crate) fn complementary(&self, a: ExprId, b: ExprId) -> bool {
        self.operand(Op::Not, a) == Some(b) || self.operand(Op::Not, b) == Some(a)
    }

    /// The expression as text: `(eq in0_0 #x42)`. Large expressions end in an ellipsis.
    #[must_use]
    pub fn display(&self, id: ExprId) -> Display<'_> {
        Display::new(self, id)
    }

    /// See [`smtlib`].
    #[must_use]
    pub fn to_smtlib(&self, constraints: &[ExprId]) -> String {
        smtlib(self, constraints)
    }
}

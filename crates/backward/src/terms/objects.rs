//! Objects of memory: each has a symbol for its address.
//!
//! Laws: an access through the address of an object stays inside it (what C promises; the
//! documentation names this as the one assumption of proofs); two objects that are alive at one
//! time do not overlap.

use labrys_analysis::ProgramAnalysis;
use labrys_expr::{ExprId, Op, Pool, Symbol};
use labrys_program::{FunctionId, GlobalId, Linkage, ValueId};
use labrys_semantics::Symbolic;
use labrys_solver::{Assignment, Model};
use rustc_hash::FxHashMap;

use super::FrameId;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    /// A stack object of a frame, made in its entry block.
    Stack(FrameId, ValueId),
    Global(GlobalId),
    Function(FunctionId),
    /// The result of an allocation of a frame, which may be null.
    Heap(FrameId, ValueId),
    /// The error number of the C library, as a call of a frame gives its address.
    Errno(FrameId, ValueId),
    /// The pointer to a table of characters, as a call of a frame gives its address. The function
    /// is that of the library.
    CharacterPointer(FrameId, ValueId, FunctionId),
    /// The table itself.
    CharacterTable(FunctionId),
    /// An object that a driver makes: it is there before the function under test is called.
    Made(FrameId, ValueId),
}

impl ObjectKind {
    /// Whether it may be null, or have several symbols.
    fn is_not_always_there(self) -> bool {
        matches!(
            self,
            ObjectKind::Heap(..) | ObjectKind::Errno(..) | ObjectKind::CharacterPointer(..)
        )
    }
}

/// An object of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    kind: ObjectKind,
    symbol: ExprId,
    description: Description,
}

impl Object {
    pub(crate) fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// The symbol of its address.
    pub(crate) fn symbol(&self) -> ExprId {
        self.symbol
    }

    /// Its size in bytes, if that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        self.description.size
    }

    /// Whether only those have its address who name it.
    pub(crate) fn is_private(&self) -> bool {
        self.description.private
    }

    /// Whether nothing writes it.
    pub(crate) fn is_constant(&self) -> bool {
        self.description.constant
    }

    /// Whether it is certainly there, under this one symbol.
    fn is_always_there(&self) -> bool {
        !self.description.weak && !self.kind.is_not_always_there()
    }
}

/// The properties of an object, known when it is first named.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Description {
    pub(super) size: Option<u64>,
    pub(super) private: bool,
    pub(super) constant: bool,
    /// A weak reference that nothing may define: its address is null then.
    pub(super) weak: bool,
    /// The function in whose frame it is.
    pub(super) function: Option<FunctionId>,
}

/// All objects that were named so far, on any path.
#[derive(Debug, Default)]
pub(super) struct Objects {
    list: Vec<Object>,
    by_kind: FxHashMap<ObjectKind, usize>,
    by_symbol: FxHashMap<Symbol, usize>,
}

/// Addresses of hints: objects are so many bits apart, and other things are somewhere else.
const SPACING: u32 = 24;
const SOMEWHERE: u128 = 0x7000_0000_0000;
/// Objects whose addresses are told apart in a query; with more, only those that are compared.
const MAX_APART: usize = 12;

impl Objects {
    /// The address of the object of a kind, made when it is first required.
    pub(super) fn address(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        kind: ObjectKind,
        describe: impl FnOnce() -> Description,
    ) -> ExprId {
        if let Some(known) = self.by_kind.get(&kind) {
            return self.list[*known].symbol;
        }
        let symbol = symbolic.fresh(64);
        self.add(symbolic.pool, kind, symbol, describe());
        symbol
    }

    /// An object whose address is already a symbol.
    pub(super) fn add(
        &mut self,
        pool: &Pool,
        kind: ObjectKind,
        symbol: ExprId,
        description: Description,
    ) {
        let object = Object {
            kind,
            symbol,
            description,
        };
        if let Some(symbol) = pool.as_symbol(symbol) {
            self.by_kind.insert(kind, self.list.len());
            self.by_symbol.insert(symbol, self.list.len());
            self.list.push(object);
        }
    }

    /// The address of a function.
    pub(super) fn function_address(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        analysis: &ProgramAnalysis<'_>,
        id: FunctionId,
    ) -> ExprId {
        self.address(symbolic, ObjectKind::Function(id), || {
            let function = analysis.function(id);
            Description {
                size: Some(1),
                constant: true,
                weak: function.linkage == Linkage::Weak && !function.defined,
                ..Description::default()
            }
        })
    }

    /// The address of a global.
    pub(super) fn global_address(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        analysis: &ProgramAnalysis<'_>,
        id: GlobalId,
    ) -> ExprId {
        self.address(symbolic, ObjectKind::Global(id), || {
            let global = &analysis.program().globals[id.index()];
            let defined = global.initializer.is_some();
            Description {
                size: (global.size > 0).then_some(global.size),
                private: !analysis.is_shared(id),
                constant: global.constant && defined,
                weak: global.linkage == Linkage::Weak && !defined,
                function: None,
            }
        })
    }

    /// The address of the table of characters of a library function.
    pub(super) fn character_table_address(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        function: FunctionId,
        size: u64,
    ) -> ExprId {
        self.address(symbolic, ObjectKind::CharacterTable(function), || {
            Description {
                size: Some(size),
                constant: true,
                ..Description::default()
            }
        })
    }

    /// The object that an address is in, and the offset: the address is a sum with one object's
    /// address in it. Of several, one that is private is the one that the address was computed
    /// from: its own cannot be a part of a distance.
    pub(super) fn root(&self, pool: &mut Pool, address: ExprId) -> Option<(Object, ExprId)> {
        let mut terms = vec![address];
        let mut found: Option<Object> = None;
        let mut rest = Vec::new();
        let mut minus = Vec::new();
        while let Some(term) = terms.pop() {
            if pool.op(term) == Op::Add {
                terms.extend(pool.node(term).operands().iter().rev());
                continue;
            }
            if pool.op(term) == Op::Sub {
                let [from, taken] = [0, 1].map(|index| pool.node(term).operands()[index]);
                terms.push(from);
                minus.push(taken);
                continue;
            }
            let object = pool
                .as_symbol(term)
                .and_then(|symbol| self.by_symbol.get(&symbol))
                .map(|index| self.list[*index]);
            match object {
                Some(object)
                    if found.is_none_or(|first| !first.is_private() && object.is_private()) =>
                {
                    rest.extend(found.map(|first| first.symbol));
                    found = Some(object);
                }
                _ => rest.push(term),
            }
        }
        let object = found?;
        let mut offset = pool.constant(64, 0);
        for term in rest {
            offset = pool.add(offset, term);
        }
        for term in minus {
            offset = pool.sub(offset, term);
        }
        let unmixed = pool
            .symbols(offset)
            .iter()
            .all(|symbol| !self.by_symbol.contains_key(&symbol));
        (unmixed || object.is_private()).then_some((object, offset))
    }

    /// Whether an address that is not known to be in an object may be in this one.
    fn may_be_in(&self, pool: &Pool, address: ExprId, object: &Object) -> bool {
        let never = object.is_constant() || matches!(object.kind, ObjectKind::Function(_));
        let named = || {
            let symbol = pool.as_symbol(object.symbol);
            symbol.is_some_and(|symbol| pool.symbols(address).contains(symbol))
        };
        !never && (!object.is_private() || named())
    }

    /// Whether accesses to two addresses may alias.
    pub(super) fn may_alias(&self, pool: &mut Pool, a: ExprId, b: ExprId) -> bool {
        match (self.root(pool, a), self.root(pool, b)) {
            (Some((a, _)), Some((b, _))) => a.symbol == b.symbol,
            (Some((object, _)), None) => self.may_be_in(pool, b, &object),
            (None, Some((object, _))) => self.may_be_in(pool, a, &object),
            (None, None) => true,
        }
    }

    /// Whether a symbol is the address of an object that no frame makes, so that all paths may
    /// name it.
    pub(super) fn outlives_frames(&self, symbol: Symbol) -> bool {
        let object = self.by_symbol.get(&symbol).map(|index| &self.list[*index]);
        object.is_some_and(|object| {
            !matches!(object.kind, ObjectKind::Stack(..) | ObjectKind::Heap(..))
        })
    }

    /// Whether a symbol is the address of an object.
    pub(super) fn has_address(&self, symbol: Symbol) -> bool {
        self.by_symbol.contains_key(&symbol)
    }

    /// Values that many constraints like: those of a model, objects apart from each other, and
    /// whatever may be an address not null.
    pub(super) fn hint(&self, pool: &Pool, constraints: &[ExprId], model: &Model) -> Assignment {
        let mut hint = Assignment::new();
        for symbol in constraints
            .iter()
            .flat_map(|constraint| pool.symbols(*constraint).iter())
        {
            let known = model.get(symbol);
            let index = || self.by_symbol.get(&symbol).map(|index| *index as u128 + 1);
            let value = known
                .or_else(|| Some(index()? << SPACING))
                .or_else(|| (symbol.width() == 64).then_some(SOMEWHERE));
            hint.set(symbol, value.unwrap_or(0));
        }
        hint
    }

    /// What every run satisfies of the addresses in the constraints.
    pub(super) fn axioms(
        &self,
        analysis: &ProgramAnalysis<'_>,
        pool: &mut Pool,
        constraints: &[ExprId],
    ) -> Vec<ExprId> {
        let mut used = Vec::new();
        for constraint in constraints {
            for symbol in pool.symbols(*constraint).iter() {
                if let Some(index) = self.by_symbol.get(&symbol) {
                    if !used.contains(index) {
                        used.push(*index);
                    }
                }
            }
        }
        used.sort_unstable();
        let mut axioms = Vec::new();
        for index in &used {
            let object = self.list[*index];
            if object.is_always_there() {
                axioms.push(in_space(pool, &object));
            }
        }
        if used.len() <= MAX_APART {
            for (position, first) in used.iter().enumerate() {
                for second in &used[position + 1..] {
                    let (a, b) = (self.list[*first], self.list[*second]);
                    if are_apart(analysis, &a, &b) {
                        axioms.push(apart(pool, &a, &b));
                    }
                }
            }
        }
        axioms
    }
}

/// Whether two objects certainly have places of their own when both addresses are used. Stack
/// objects that need not be alive together may have one (those of different frames, variables of two
/// blocks, whose addresses are kept as numbers), and the linker may lay equal constants, and ends of
/// strings, over each other. Libraries have several names for one thing. What has no bytes (a
/// structure without members) may be anywhere.
fn are_apart(analysis: &ProgramAnalysis<'_>, a: &Object, b: &Object) -> bool {
    let always = a.is_always_there() && b.is_always_there();
    let is_empty = |object: &Object| object.size().is_none_or(|size| size == 0);
    always
        && !is_empty(a)
        && !is_empty(b)
        && match (a.kind, b.kind) {
            (ObjectKind::Stack(frame, one), ObjectKind::Stack(other, two)) => {
                let body = a.description.function.map(|id| analysis.body(id));
                frame == other && body.is_some_and(|body| body.are_alive_together(one, two))
            }
            (ObjectKind::Global(one), ObjectKind::Global(two)) => {
                let are_equal = a.is_constant() && b.is_constant();
                !are_equal && !analysis.may_be_one_global(one, two)
            }
            (ObjectKind::Function(one), ObjectKind::Function(two)) => {
                !analysis.may_be_one_function(one, two)
            }
            _ => true,
        }
}

/// Not null, and not at the end of the address space.
fn in_space(pool: &mut Pool, object: &Object) -> ExprId {
    let low = pool.constant(64, 4096);
    let high = pool.constant(64, 1 << 47);
    let above = pool.ule(low, object.symbol);
    let below = pool.ult(object.symbol, high);
    pool.and(above, below)
}

fn apart(pool: &mut Pool, a: &Object, b: &Object) -> ExprId {
    let after = |pool: &mut Pool, a: &Object, b: &Object| {
        let size = pool.constant(64, u128::from(a.size().unwrap_or(1).min(1 << 40)));
        let end = pool.add(a.symbol, size);
        pool.ule(end, b.symbol)
    };
    let first = after(pool, a, b);
    let second = after(pool, b, a);
    pool.or(first, second)
}

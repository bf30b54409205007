//! Objects of memory: each has a symbol for its address.
//!
//! Laws: an access through the address of an object stays inside it (what C promises; the
//! documentation names this as the one assumption of proofs); two objects that are alive at one
//! time do not overlap.

use labrys_expr::{ExprId, Op, Pool, Symbol};
use labrys_program::{FunctionId, GlobalId, ValueId};
use labrys_semantics::Symbolic;
use labrys_solver::{Assignment, Model};
use rustc_hash::FxHashMap;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A stack object of a frame, made in its entry block.
    Stack(u32, ValueId),
    Global(GlobalId),
    Function(FunctionId),
    /// What an allocation of a frame gives, which may be null.
    Heap(u32, ValueId),
    /// The error number of the C library, as a call of a frame gives its address.
    Errno(u32, ValueId),
    /// The pointer to a table of characters, as a call of a frame gives its address. The function
    /// is that of the library.
    Characters(u32, ValueId, FunctionId),
    /// The table itself.
    CharacterTable(FunctionId),
    /// What a driver makes: it is there before the function under test is called.
    Made(u32, ValueId),
}

impl Kind {
    /// Whether it may be null, or have several symbols.
    fn is_not_always_there(self) -> bool {
        matches!(
            self,
            Kind::Heap(..) | Kind::Errno(..) | Kind::Characters(..)
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) symbol: ExprId,
    pub(crate) size: Option<u64>,
    /// Nobody has its address but those who name it.
    pub(crate) private: bool,
    pub(crate) constant: bool,
    /// A weak reference that nothing may define: its address is null then.
    pub(crate) weak: bool,
}

impl Object {
    /// Whether it is certainly there, under this one symbol.
    fn is_always_there(&self) -> bool {
        !self.weak && !self.kind.is_not_always_there()
    }
}

/// What is known of an object when it is first named.
#[derive(Default)]
pub(crate) struct Description {
    pub(crate) size: Option<u64>,
    pub(crate) private: bool,
    pub(crate) constant: bool,
    pub(crate) weak: bool,
}

/// All objects that were named so far, on any path.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    list: Vec<Object>,
    by_kind: FxHashMap<Kind, usize>,
    by_symbol: FxHashMap<Symbol, usize>,
}

/// Guessed addresses: objects are so many bits apart, and other things are somewhere else.
const SPACING: u32 = 24;
const SOMEWHERE: u128 = 0x7000_0000_0000;
/// Objects whose addresses are told apart in a query; with more, only those that are compared.
const MAX_APART: usize = 12;

impl Objects {
    /// The object of a kind, made when it is first asked for.
    pub(crate) fn named(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        kind: Kind,
        describe: impl FnOnce() -> Description,
    ) -> ExprId {
        if let Some(known) = self.by_kind.get(&kind) {
            return self.list[*known].symbol;
        }
        let symbol = symbolic.fresh(64);
        let told = describe();
        let object = Object {
            kind,
            symbol,
            size: told.size,
            private: told.private,
            constant: told.constant,
            weak: told.weak,
        };
        self.add(symbolic.pool, object);
        symbol
    }

    /// An object whose address is already a symbol.
    pub(crate) fn add(&mut self, pool: &Pool, object: Object) {
        if let Some(symbol) = pool.as_symbol(object.symbol) {
            self.by_kind.insert(object.kind, self.list.len());
            self.by_symbol.insert(symbol, self.list.len());
            self.list.push(object);
        }
    }

    /// The object that an address is in, and the offset: the address is a sum with one object's
    /// address in it. Of several, one that is private is the one that the address was computed
    /// from: its own cannot be a part of a distance.
    pub(crate) fn root(&self, pool: &mut Pool, address: ExprId) -> Option<(Object, ExprId)> {
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
                .and_then(|one| self.by_symbol.get(&one))
                .map(|index| self.list[*index]);
            match object {
                Some(object) if found.is_none_or(|one| !one.private && object.private) => {
                    rest.extend(found.map(|one| one.symbol));
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
        (unmixed || object.private).then_some((object, offset))
    }

    /// Whether an address that is not known to be in an object may be in this one.
    pub(crate) fn may_be_in(&self, pool: &Pool, address: ExprId, object: &Object) -> bool {
        let never = object.constant || matches!(object.kind, Kind::Function(_));
        let named = || {
            let symbol = pool.as_symbol(object.symbol);
            symbol.is_some_and(|symbol| pool.symbols(address).contains(symbol))
        };
        !never && (!object.private || named())
    }

    /// Whether accesses to two addresses may meet.
    pub(crate) fn may_meet(&self, pool: &mut Pool, a: ExprId, b: ExprId) -> bool {
        match (self.root(pool, a), self.root(pool, b)) {
            (Some((a, _)), Some((b, _))) => a.symbol == b.symbol,
            (Some((one, _)), None) => self.may_be_in(pool, b, &one),
            (None, Some((one, _))) => self.may_be_in(pool, a, &one),
            (None, None) => true,
        }
    }

    /// Whether a symbol is the address of an object that no frame makes, so that it may be named
    /// on each path.
    pub(crate) fn outlives_frames(&self, symbol: Symbol) -> bool {
        let object = self.by_symbol.get(&symbol).map(|index| &self.list[*index]);
        object.is_some_and(|object| !matches!(object.kind, Kind::Stack(..) | Kind::Heap(..)))
    }

    /// Values that many constraints like: those of a model, objects apart from each other, and
    /// whatever may be an address not null.
    pub(crate) fn guess(&self, pool: &Pool, constraints: &[ExprId], model: &Model) -> Assignment {
        let mut guess = Assignment::new();
        for symbol in constraints.iter().flat_map(|one| pool.symbols(*one).iter()) {
            let known = model.get(symbol);
            let index = || self.by_symbol.get(&symbol).map(|index| *index as u128 + 1);
            let value = known
                .or_else(|| Some(index()? << SPACING))
                .or_else(|| (symbol.width() == 64).then_some(SOMEWHERE));
            guess.set(symbol, value.unwrap_or(0));
        }
        guess
    }

    /// What is known of the addresses that occur in the constraints.
    pub(crate) fn axioms(&self, pool: &mut Pool, constraints: &[ExprId]) -> Vec<ExprId> {
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
                    if are_apart(&a, &b) {
                        axioms.push(apart(pool, &a, &b));
                    }
                }
            }
        }
        axioms
    }
}

/// Whether two objects certainly have places of their own when both addresses are used. Stack
/// objects of different frames need not be alive together, and the linker may lay equal constants,
/// and ends of strings, over each other.
fn are_apart(a: &Object, b: &Object) -> bool {
    let always = a.is_always_there() && b.is_always_there();
    always
        && match (a.kind, b.kind) {
            (Kind::Stack(a, _), Kind::Stack(b, _)) => a == b,
            (Kind::Global(_), Kind::Global(_)) => !(a.constant && b.constant),
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
        let size = pool.constant(64, u128::from(a.size.unwrap_or(1).clamp(1, 1 << 40)));
        let end = pool.add(a.symbol, size);
        pool.ule(end, b.symbol)
    };
    let first = after(pool, a, b);
    let second = after(pool, b, a);
    pool.or(first, second)
}

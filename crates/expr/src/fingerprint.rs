//! Fingerprints: 128-bit hashes of what an expression is, the same in every pool.
//!
//! Law: equal expressions of any two pools have equal fingerprints, whatever the order in which
//! they were built. That different ones have different fingerprints is as good as certain.

use crate::node::Node;
use crate::op::Op;
use crate::pool::Pool;
use crate::{ExprId, Symbol};

/// Computes and remembers the fingerprints of a pool's expressions.
///
/// Those of one pool are remembered while others come in between ([`Fingerprints::stay_with`]).
#[derive(Debug, Default)]
pub struct Fingerprints {
    stays: Prints,
    other: Prints,
    /// All symbols of one width are taken for one.
    nameless: bool,
    computed: u64,
}

impl Fingerprints {
    /// Without memory.
    #[must_use]
    pub fn new() -> Self {
        Fingerprints::default()
    }

    /// For expressions of one symbol each: those that are the same function of it, as they are
    /// written, have the same fingerprint, whichever symbol it is.
    #[must_use]
    pub fn of_functions() -> Self {
        Fingerprints {
            nameless: true,
            ..Fingerprints::default()
        }
    }

    /// Remembers the fingerprints of a pool until another one is to stay: it will be asked about
    /// again after others.
    pub fn stay_with(&mut self, pool: &Pool) {
        self.stays.begin(pool);
    }

    /// The fingerprint of an expression. The first call costs time for all that it consists of.
    pub fn of(&mut self, pool: &Pool, id: ExprId) -> u128 {
        let prints = match self.stays.generation == pool.generation() {
            true => &mut self.stays,
            false => &mut self.other,
        };
        prints.begin(pool);
        let (print, computed) = prints.of(pool, id, self.nameless);
        self.computed += computed;
        print
    }

    /// Fingerprints that were computed so far.
    #[must_use]
    pub fn computed(&self) -> u64 {
        self.computed
    }
}

/// The fingerprints of one pool's expressions.
#[derive(Debug, Default)]
struct Prints {
    generation: u64,
    /// By expression; 0 is not known.
    prints: Vec<u128>,
    tables: Vec<Option<u128>>,
}

impl Prints {
    /// Forgets what is known of another pool.
    fn begin(&mut self, pool: &Pool) {
        if self.generation != pool.generation() {
            self.generation = pool.generation();
            self.prints.clear();
            self.tables.clear();
        }
    }

    /// The fingerprint of an expression, and how many were computed for it.
    fn of(&mut self, pool: &Pool, id: ExprId, nameless: bool) -> (u128, u64) {
        if self.prints.len() < pool.len() {
            self.prints.resize(pool.len(), 0);
        }
        if self.prints[id.index()] != 0 {
            return (self.prints[id.index()], 0);
        }
        let mut computed = 0;
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if self.prints[top.index()] == 0 {
                let prints = &self.prints;
                let missing = |child: &ExprId| prints[child.index()] == 0;
                pool.for_each_child(top, |child| stack.extend(Some(child).filter(missing)));
                if stack.len() > before {
                    continue;
                }
                self.prints[top.index()] = self.compute(pool, top, nameless).max(1);
                computed += 1;
            }
            stack.pop();
        }
        (self.prints[id.index()], computed)
    }

    fn compute(&mut self, pool: &Pool, id: ExprId, nameless: bool) -> u128 {
        let node = pool.node(id);
        let head = node.op as u128 | u128::from(node.width) << 8;
        let payload = match node.op {
            Op::Const => pool.bits(id).unwrap_or(0),
            Op::Symbol if nameless => 0,
            Op::Symbol => pool
                .as_symbol(id)
                .map_or(0, |symbol: Symbol| symbol.key().into()),
            Op::Extract | Op::FRound => node.args[1].0.into(),
            Op::Table => self.table(pool, node),
            Op::External => return self.call(pool, id, head),
            _ => 0,
        };
        let mut state = mix(head, payload);
        let of = |i: usize| self.prints[node.args[i].index()];
        if node.op.is_commutative() {
            let (a, b) = (of(0), of(1));
            state = mix(mix(state, a.min(b)), a.max(b));
        } else {
            for i in 0..node.op.arity() {
                state = mix(state, of(i));
            }
        }
        state
    }

    fn table(&mut self, pool: &Pool, node: &Node) -> u128 {
        let number = node.args[1].index();
        if let Some(Some(known)) = self.tables.get(number) {
            return *known;
        }
        let table = pool.tables.get(number as u32);
        let mut state = mix(table.bytes().len() as u128, 1);
        for chunk in table.bytes().chunks(16) {
            let mut bytes = [0; 16];
            bytes[..chunk.len()].copy_from_slice(chunk);
            state = mix(state, u128::from_le_bytes(bytes));
        }
        for (offset, entry) in table.entries() {
            state = mix(mix(state, (*offset).into()), self.prints[entry.index()]);
        }
        if self.tables.len() <= number {
            self.tables.resize(number + 1, None);
        }
        self.tables[number] = Some(state);
        state
    }

    fn call(&self, pool: &Pool, id: ExprId, head: u128) -> u128 {
        let Some(call) = pool.as_call(id) else {
            return head;
        };
        let name = call
            .name()
            .bytes()
            .fold(head, |state, byte| mix(state, byte.into()));
        call.arguments()
            .iter()
            .fold(name, |state, id| mix(state, self.prints[id.index()]))
    }
}

/// One step of the hash: both halves are multiplied with both halves.
fn mix(state: u128, word: u128) -> u128 {
    const K0: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    const K1: u128 = 0xd1b5_4a32_d192_ed03_a076_1d64_78bd_642f;
    let x = (state ^ word).wrapping_mul(K0) ^ word.rotate_left(64);
    let x = (x ^ x >> 67).wrapping_mul(K1);
    x ^ x >> 59
}

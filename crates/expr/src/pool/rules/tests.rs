//! Every rule is tried on all terms of a few shapes, and proved there for all operand values.
//!
//! Bit-vector rules: up to four bits, symbols of one, two and four bits, all constants. Float
//! rules: all pairs of a list of remarkable values. Every rule must have applied somewhere.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::{Rewrite, table};
use crate::fold;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;
use crate::symbol::Symbol;

/// Values of expressions under all assignments at once.
struct Proof {
    pool: Pool,
    /// Symbols, each with the lowest bit of the assignment's number that is its value.
    symbols: Vec<(Symbol, u32)>,
    lanes: usize,
    memory: HashMap<ExprId, Rc<[u8]>>,
    applied: BTreeSet<(Op, &'static str)>,
}

impl Proof {
    fn new(widths: &[u8]) -> (Self, Vec<ExprId>) {
        let mut pool = Pool::new();
        let mut symbols = Vec::new();
        let mut bits = 0;
        for (id, &width) in (0..).zip(widths) {
            symbols.push((Symbol::Named { id, width }, bits));
            bits += u32::from(width);
        }
        let ids = symbols
            .iter()
            .map(|(symbol, _)| pool.symbol(*symbol))
            .collect();
        let lanes = 1 << bits;
        let (memory, applied) = (HashMap::new(), BTreeSet::new());
        (
            Proof {
                pool,
                symbols,
                lanes,
                memory,
                applied,
            },
            ids,
        )
    }

    fn values(&mut self, id: ExprId) -> Rc<[u8]> {
        if let Some(known) = self.memory.get(&id) {
            return known.clone();
        }
        let node = *self.pool.node(id);
        let values = match node.op {
            Op::Const => vec![self.pool.bits(id).unwrap() as u8; self.lanes].into(),
            Op::Symbol => {
                let symbol = self.pool.as_symbol(id).unwrap();
                let (_, low) = *self
                    .symbols
                    .iter()
                    .find(|(known, _)| *known == symbol)
                    .unwrap();
                (0..self.lanes)
                    .map(|lane| (lane >> low) as u8 & ((1 << node.width) - 1))
                    .collect()
            }
            _ => self.apply(&node),
        };
        self.memory.insert(id, Rc::clone(&values));
        values
    }

    fn apply(&mut self, node: &Node) -> Rc<[u8]> {
        let operands: Vec<_> = node.operands().iter().map(|id| self.values(*id)).collect();
        let from = self.pool.width(node.args[0]);
        let payload = if node.op == Op::Extract {
            node.low() as u8
        } else {
            0
        };
        let at = |i: usize, lane: usize| -> u128 {
            operands
                .get(i)
                .map_or(payload, |values| values[lane])
                .into()
        };
        (0..self.lanes)
            .map(|lane| {
                let (a, b, c) = (at(0, lane), at(1, lane), at(2, lane));
                fold::apply(node.op, node.width(), from, a, b, c) as u8
            })
            .collect()
    }

    /// Tries each rule of the operation by itself on this node.
    fn check(&mut self, node: Node) {
        let mut expected = None;
        for rule in table(node.op) {
            let Some(rewrite) = (rule.apply)(&mut self.pool, &node) else {
                continue;
            };
            let expected = expected.get_or_insert_with(|| self.apply(&node)).clone();
            let (id, width) = match rewrite {
                Rewrite::Is(id) => (id, self.pool.width(id)),
                Rewrite::Again(next) => (self.pool.intern(next), next.width()),
            };
            let result = self.values(id);
            assert_eq!(width, node.width(), "{}: width", rule.name);
            assert!(
                expected == result,
                "{} is wrong: {:?} of {:?} became {}",
                rule.name,
                node.op,
                node.args.map(|arg| self.pool.display(arg).to_string()),
                self.pool.display(id)
            );
            self.applied.insert((node.op, rule.name));
        }
        if self.memory.len() > 50_000 {
            self.memory.clear();
        }
    }

    fn check_binary(&mut self, op: Op, a: ExprId, b: ExprId) {
        let width = if op.is_predicate() {
            1
        } else {
            self.pool.width(a)
        };
        self.check(Node::new(op, width, a.0, b.0, 0));
    }

    fn check_pairs(&mut self, left: &[ExprId], right: &[ExprId]) {
        for &a in left {
            for &b in right {
                if self.pool.width(a) != self.pool.width(b) {
                    continue;
                }
                for op in Op::ARITHMETIC.into_iter().chain(Op::COMPARISONS) {
                    self.check_binary(op, a, b);
                }
            }
        }
    }

    fn check_single(&mut self, a: ExprId) {
        let width = self.pool.width(a);
        for op in [
            Op::Not,
            Op::Neg,
            Op::PopCount,
            Op::LeadingZeros,
            Op::TrailingZeros,
        ] {
            self.check(Node::new(op, width, a.0, 0, 0));
        }
        for wider in width + 1..=6 {
            self.check(Node::new(Op::ZExt, wider, a.0, 0, 0));
            self.check(Node::new(Op::SExt, wider, a.0, 0, 0));
        }
        for low in 0..width {
            for part in 1..=width - low {
                if part < width {
                    self.check(Node::new(Op::Extract, part, a.0, low, 0));
                }
            }
        }
    }

    fn constants(&mut self, width: u32) -> Vec<ExprId> {
        (0..1 << width)
            .map(|bits| self.pool.constant(width, bits))
            .collect()
    }
}

fn distinct(mut list: Vec<ExprId>) -> Vec<ExprId> {
    list.sort();
    list.dedup();
    list
}

/// Terms of two four-bit symbols and constants, two operations deep.
fn same_width() -> BTreeSet<(Op, &'static str)> {
    let (mut proof, symbols) = Proof::new(&[4, 4]);
    let constants = proof.constants(4);
    let few: Vec<_> = [0, 1, 6, 8, 15].map(|bits| constants[bits]).into();
    let mut deep = Vec::new();
    for &x in &symbols {
        deep.extend([proof.pool.not(x), proof.pool.neg(x)]);
        for op in Op::ARITHMETIC {
            deep.extend(symbols.iter().map(|y| proof.pool.binary(op, x, *y)));
        }
    }
    let mut wide = deep.clone();
    for op in Op::ARITHMETIC {
        for &c in &constants {
            let pair = [
                proof.pool.binary(op, symbols[0], c),
                proof.pool.binary(op, c, symbols[0]),
            ];
            wide.extend(pair);
            if few.contains(&c) {
                deep.extend(pair);
            }
        }
    }
    let (deep, wide) = (distinct(deep), distinct(wide));
    let flat = [&symbols[..], &constants[..]].concat();
    proof.check_pairs(&flat, &flat);
    proof.check_pairs(&wide, &flat);
    proof.check_pairs(&flat, &wide);
    proof.check_pairs(&deep, &deep);
    wide.iter().for_each(|id| proof.check_single(*id));
    proof.applied
}

/// Terms over symbols of one, two and four bits, extended, joined, chosen and compared.
struct MixedTerms {
    bits: Vec<ExprId>,
    narrow: Vec<ExprId>,
    wide: Vec<ExprId>,
}

impl MixedTerms {
    fn new(pool: &mut Pool, symbols: [ExprId; 5]) -> Self {
        let [p, q, b, c, x] = symbols;
        let mut narrow = vec![
            p,
            q,
            pool.extract(x, 0, 2),
            pool.extract(x, 2, 2),
            pool.not(p),
            pool.zext(b, 2),
            pool.sext(b, 2),
            pool.concat(b, c),
            pool.add(p, q),
        ];
        let mut bits = vec![
            b,
            c,
            pool.not(b),
            pool.eq(p, q),
            pool.ult(p, q),
            pool.and(b, c),
            pool.or(b, c),
        ];
        let mut wide = extended(pool, symbols, &narrow);
        wide.extend(with_constants(pool, symbols));
        let (zp, zq, sb) = (pool.zext(p, 4), pool.zext(q, 4), pool.sext(b, 4));
        wide.extend([
            pool.sub(zp, zq),
            pool.add(zp, zq),
            pool.mul(zp, zq),
            pool.neg(zp),
            sb,
            pool.ite(b, x, zp),
            pool.or(x, sb),
            pool.zext(bits[3], 4),
        ]);
        narrow.extend((0..4).map(|bits| pool.constant(2, bits)));
        bits.extend([ExprId::FALSE, ExprId::TRUE, pool.not(c), pool.xor(b, c)]);
        MixedTerms {
            bits: distinct(bits),
            narrow: distinct(narrow),
            wide: distinct(wide),
        }
    }
}

/// Four bits made of two.
fn extended(pool: &mut Pool, [p, q, _, _, x]: [ExprId; 5], narrow: &[ExprId]) -> Vec<ExprId> {
    let mut wide = vec![x, pool.not(x)];
    let zeros = pool.constant(2, 0);
    for &n in narrow {
        wide.extend([
            pool.zext(n, 4),
            pool.sext(n, 4),
            pool.concat(n, q),
            pool.concat(p, n),
            pool.concat(n, zeros),
        ]);
    }
    wide
}

/// Four bits made of each constant.
fn with_constants(pool: &mut Pool, [p, _, b, c, x]: [ExprId; 5]) -> Vec<ExprId> {
    let mut wide = Vec::new();
    let zp = pool.zext(p, 4);
    for bits in 0..16 {
        let k = pool.constant(4, bits);
        let top = pool.constant(2, bits);
        let (k2, k3) = (pool.constant(4, bits / 3), pool.constant(4, 15 - bits));
        wide.extend([
            k,
            pool.add(zp, k),
            pool.ite(b, k, x),
            pool.concat(top, p),
            pool.xor(x, k),
            pool.ite(b, k, k2),
            pool.ite(c, k3, k),
            pool.ite(b, zp, k),
            pool.mul(zp, k),
        ]);
    }
    wide
}

/// The rules that apply to terms that mix widths.
fn mixed_width() -> BTreeSet<(Op, &'static str)> {
    let (mut proof, symbols) = Proof::new(&[2, 2, 1, 1, 4]);
    let symbols: [ExprId; 5] = symbols.try_into().expect("five symbols");
    let MixedTerms { bits, narrow, wide } = MixedTerms::new(&mut proof.pool, symbols);
    for list in [&bits, &narrow, &wide] {
        proof.check_pairs(list, list);
        list.iter().for_each(|id| proof.check_single(*id));
        for &condition in &bits {
            for &t in list {
                for &e in &list[..list.len().min(24)] {
                    let width = proof.pool.width(t);
                    proof.check(Node::new(Op::Ite, width, condition.0, t.0, e.0));
                    proof.check(Node::new(Op::Ite, width, condition.0, e.0, t.0));
                }
            }
        }
    }
    for (high, low) in [
        (&bits, &narrow),
        (&narrow, &bits),
        (&narrow, &narrow),
        (&wide, &narrow),
    ] {
        for &h in high {
            for &l in low {
                let width = proof.pool.width(h) + proof.pool.width(l);
                proof.check(Node::new(Op::Concat, width, h.0, l.0, 0));
            }
        }
    }
    proof.applied
}

#[test]
fn rules_hold_for_all_values_of_four_bits() {
    let mut applied = same_width();
    applied.append(&mut mixed_width());
    let without_bits = |op: Op| op.takes_floats() || op == Op::Table;
    for op in Op::ALL.into_iter().filter(|op| !without_bits(*op)) {
        for rule in table(op) {
            assert!(
                applied.contains(&(op, rule.name)),
                "{op:?}: {} was never tried",
                rule.name
            );
        }
    }
}

#[test]
fn names_of_rules_are_unique() {
    for op in Op::ALL {
        let names: BTreeSet<_> = table(op).iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), table(op).len(), "{op:?}");
    }
}

const SINGLES: [u32; 18] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4060_0000,
    0x3dcc_cccd,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0xffff_ffff,
];

#[test]
fn float_rules_hold_for_remarkable_values() {
    let mut pool = Pool::new();
    let symbols = [0, 1].map(|id| Symbol::Named { id, width: 32 });
    let [f, g] = symbols.map(|symbol| pool.symbol(symbol));
    let mut terms = vec![f, g];
    for id in [f, g] {
        terms.extend([pool.unary(Op::FNeg, id), pool.unary(Op::FAbs, id)]);
        terms.push(pool.convert(Op::FToF, id, 64));
    }
    for bits in SINGLES {
        terms.push(pool.constant(32, bits.into()));
        let wide = f64::from(f32::from_bits(bits)).to_bits();
        terms.extend([wide, wide + 1].map(|bits| pool.constant(64, bits.into())));
    }
    let mut applied = BTreeSet::new();
    let operations = [Op::FNeg, Op::FAbs, Op::FOeq, Op::FOlt, Op::FOle, Op::FUno];
    for op in operations {
        for &a in &terms {
            for &b in &terms {
                if pool.width(a) != pool.width(b) {
                    continue;
                }
                let width = if op.is_predicate() { 1 } else { pool.width(a) };
                let second = if op.arity() == 2 { b } else { ExprId::FALSE };
                let node = Node::new(op, width, a.0, second.0, 0);
                for rule in table(op) {
                    let Some(rewrite) = (rule.apply)(&mut pool, &node) else {
                        continue;
                    };
                    let result = match rewrite {
                        Rewrite::Is(id) => id,
                        Rewrite::Again(next) => pool.intern(next),
                    };
                    applied.insert((op, rule.name));
                    check_floats(&mut pool, node, result, rule.name);
                }
            }
        }
    }
    for op in operations {
        for rule in table(op) {
            let other = rule.name == "folt-same" && op != Op::FOlt;
            assert!(
                other || applied.contains(&(op, rule.name)),
                "{op:?}: {}",
                rule.name
            );
        }
    }
}

fn check_floats(pool: &mut Pool, node: Node, result: ExprId, name: &str) {
    let raw = pool.intern(node);
    for x in SINGLES {
        for y in SINGLES {
            let values = |symbol| match symbol {
                Symbol::Named { id: 0, .. } => u128::from(x),
                _ => u128::from(y),
            };
            let expected = crate::evaluate(pool, raw, &values);
            assert_eq!(
                expected,
                crate::evaluate(pool, result, &values),
                "{name} {x:#x} {y:#x}"
            );
        }
    }
}

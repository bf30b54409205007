//! Laws over random expressions of all widths: what constructors make of a term has the value of
//! the term as it was written, and survives rebuilding.

use std::collections::{BTreeMap, BTreeSet};

use labrys_expr::{
    Columns, Environment, Evaluator, ExprId, Fingerprints, Op, Pool, Rebuilt, Rounding, Symbol,
    Value, evaluate, mask,
};
use proptest::prelude::*;

/// One construction: which, on which earlier expressions, with which numbers.
#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    picks: [u16; 3],
    number: u32,
    bits: u128,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bits = prop_oneof![
        0..=4u128,
        any::<u128>(),
        (0..128u32).prop_map(|shift| 1 << shift),
        (0..128u32, 0..128u32).prop_map(|(low, count)| (u128::MAX >> count) << low),
        any::<u8>().prop_map(u128::from),
        (0..5u128).prop_map(|small| u128::MAX - small),
    ];
    let step = (any::<u8>(), any::<[u16; 3]>(), any::<u32>(), bits).prop_map(
        |(kind, picks, number, bits)| Step {
            kind,
            picks,
            number,
            bits,
        },
    );
    proptest::collection::vec(step, 1..60)
}

const COUNTS: [Op; 3] = [Op::PopCount, Op::LeadingZeros, Op::TrailingZeros];

/// Builds the same terms in any pool.
struct Builder<'a> {
    pool: &'a mut Pool,
    made: Vec<ExprId>,
}

impl Builder<'_> {
    fn pick(&self, number: u16) -> ExprId {
        self.made[usize::from(number) % self.made.len()]
    }

    /// An expression of `width` bits made of an earlier one by extraction or extension.
    fn fit(&mut self, id: ExprId, width: u32, number: u32) -> ExprId {
        let from = self.pool.width(id);
        if from > width {
            let low = number % (from - width + 1);
            self.pool.extract(id, low, width)
        } else if number % 2 == 0 {
            self.pool.zext(id, width)
        } else {
            self.pool.sext(id, width)
        }
    }

    fn symbol(&mut self, step: &Step) -> ExprId {
        let symbol = match step.number % 4 {
            0 => Symbol::Length {
                stream: step.picks[0] % 2,
            },
            1 => Symbol::Named {
                id: u32::from(step.picks[0] % 8),
                width: (step.picks[0] % 8) as u8 * 16 + 1,
            },
            _ => Symbol::Byte {
                stream: 0,
                offset: u32::from(step.picks[0] % 6),
            },
        };
        self.pool.symbol(symbol)
    }

    fn table(&mut self, step: &Step) -> ExprId {
        let bytes = step.bits.to_le_bytes();
        let entry = self.pick(step.picks[1]);
        let entry = self.fit(entry, 8, step.number);
        let table = self.pool.enter_table(&bytes[..9], &[(3, entry)]);
        let index = self.pick(step.picks[0]);
        let index = self.fit(index, 4, step.number);
        let index = match step.number % 3 {
            0 => self.pool.sext(index, 64),
            _ => self.pool.zext(index, 64),
        };
        self.pool.table_read(table, index, 1 + step.number % 5)
    }

    fn float(&mut self, step: &Step) -> ExprId {
        let width = if step.number % 2 == 0 { 32 } else { 64 };
        let [a, b, _] = step.picks.map(|pick| self.pick(pick));
        let (a, b) = (
            self.fit(a, width, step.number),
            self.fit(b, width, step.number / 2),
        );
        let other = 96 - width;
        match step.number / 2 % 16 {
            0 => self.pool.unary(Op::FNeg, a),
            1 => self.pool.unary(Op::FAbs, a),
            2 => self.pool.unary(Op::FSqrt, a),
            3 => self.pool.convert(Op::FToF, a, other),
            4 => self.pool.convert(Op::FToU, a, 1 + (step.bits % 128) as u32),
            5 => self.pool.convert(Op::FToS, a, 1 + (step.bits % 128) as u32),
            6 => self.pool.convert(Op::UToF, b, other),
            7 => self.pool.convert(Op::SToF, b, other),
            8 => self.pool.round(Rounding::ALL[(step.bits % 5) as usize], a),
            n => {
                let all = [&Op::FLOAT_ARITHMETIC[..], &Op::FLOAT_COMPARISONS].concat();
                self.pool.binary(all[n as usize % 9], a, b)
            }
        }
    }

    fn step(&mut self, step: &Step) -> ExprId {
        let [a, b, c] = step.picks.map(|pick| self.pick(pick));
        let width = self.pool.width(a);
        match step.kind % 32 {
            0 | 1 => self.symbol(step),
            2 => self.pool.constant(1 + step.number % 128, step.bits),
            3 => self.pool.not(a),
            4 => self.pool.neg(a),
            5 => self.pool.unary(COUNTS[step.number as usize % 3], a),
            6 => self.fit(a, 1 + step.number % 128, step.number / 128),
            7 => {
                let condition = self.fit(c, 1, step.number);
                let other = self.fit(b, width, step.number);
                self.pool.ite(condition, a, other)
            }
            8..=10 => {
                let room = 128 - width.min(127);
                let low = self.fit(b, self.pool.width(b).min(room), step.number);
                let high = self.fit(a, width.min(127), step.number);
                self.pool.concat(high, low)
            }
            11..=14 => {
                let constant = self.pool.constant(width, step.bits);
                self.binary(step.number, a, constant)
            }
            15 => {
                let constant = self.pool.constant(width, step.bits);
                self.binary(step.number, constant, a)
            }
            16 => self.table(step),
            17..=19 => self.float(step),
            20 => {
                // Join bytes the way C does.
                let byte = self.fit(a, 8, 0);
                let (byte, rest) = (self.pool.zext(byte, 32), self.fit(b, 32, 0));
                let eight = self.pool.constant(32, 8);
                let shifted = self.pool.binary(Op::Shl, rest, eight);
                let joins = [Op::Or, Op::Add, Op::Xor];
                self.pool
                    .binary(joins[step.number as usize % 3], shifted, byte)
            }
            _ => {
                let other = self.fit(b, width, step.number / 32);
                self.binary(step.number, a, other)
            }
        }
    }

    fn binary(&mut self, number: u32, a: ExprId, b: ExprId) -> ExprId {
        let all = [&Op::ARITHMETIC[..], &Op::COMPARISONS].concat();
        self.pool.binary(all[number as usize % 18], a, b)
    }
}

fn build(pool: &mut Pool, steps: &[Step]) -> Vec<ExprId> {
    let first = pool.symbol(Symbol::Byte {
        stream: 0,
        offset: 0,
    });
    let mut builder = Builder {
        pool,
        made: vec![first],
    };
    for step in steps {
        let made = builder.step(step);
        builder.made.push(made);
    }
    builder.made
}

/// Values derived from a seed.
struct Seeded(u64);

impl Environment for Seeded {
    fn symbol(&self, symbol: Symbol) -> u128 {
        let text = symbol.to_string();
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let low = text.bytes().fold(self.0 ^ 0xcbf2_9ce4_8422_2325, mix);
        let high = text.bytes().rev().fold(low, mix);
        match self.0 % 4 {
            0 => u128::from(low % 3),
            1 => u128::MAX - u128::from(high % 3),
            _ => u128::from(high) << 64 | u128::from(low),
        }
    }
}

fn values(pool: &Pool, ids: &[ExprId], seed: u64) -> Vec<Option<Value>> {
    let mut evaluator = Evaluator::new();
    ids.iter()
        .map(|id| evaluator.evaluate(pool, *id, &Seeded(seed)))
        .collect()
}

fn used_symbols(pool: &Pool, id: ExprId) -> BTreeSet<Symbol> {
    let (mut used, mut seen, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![id]);
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            used.extend(pool.as_symbol(id));
            pool.for_each_child(id, |child| stack.push(child));
        }
    }
    used
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn simplified_terms_keep_their_value(steps in steps(), seed: u32) {
        let (mut simple, mut verbatim) = (Pool::new(), Pool::verbatim());
        let made = build(&mut simple, &steps);
        let written = build(&mut verbatim, &steps);
        for seed in (0..6).map(|i| u64::from(seed) * 8 + i) {
            let expected = values(&verbatim, &written, seed);
            let actual = values(&simple, &made, seed);
            for (i, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
                prop_assert_eq!(
                    actual, expected,
                    "{} became {}", verbatim.display(written[i]), simple.display(made[i])
                );
            }
        }
    }

    #[test]
    fn spelling_out_keeps_values(steps in steps(), seed: u32) {
        let seed = u64::from(seed);
        let (mut pool, mut spelled) = (Pool::new(), Pool::spelled_out());
        let made = build(&mut pool, &steps);
        let mut rebuilt = Rebuilt::new();
        let copies: Vec<_> = made
            .iter()
            .map(|id| spelled.rebuild(Some(&pool), *id, &mut rebuilt, &mut |_, _| None))
            .collect();
        prop_assert_eq!(values(&pool, &made, seed), values(&spelled, &copies, seed));
        for id in copies {
            let op = spelled.op(id);
            prop_assert!(op != Op::Table && !op.is_count());
        }
    }

    #[test]
    fn fingerprints_tell_expressions_apart(steps in steps()) {
        let (mut pool, mut other) = (Pool::new(), Pool::new());
        let made = build(&mut pool, &steps);
        let (mut rebuilt, mut prints, mut more) =
            (Rebuilt::new(), Fingerprints::new(), Fingerprints::new());
        let mut known = BTreeMap::new();
        for &id in made.iter().rev() {
            let copy = other.rebuild(Some(&pool), id, &mut rebuilt, &mut |_, _| None);
            let print = prints.of(&pool, id);
            if pool.display(id).to_string() == other.display(copy).to_string() {
                prop_assert_eq!(print, more.of(&other, copy));
            }
            prop_assert_eq!(*known.entry(print).or_insert(id), id);
        }
    }

    /// Those of a pool stay while others are asked about, and nothing is computed twice.
    #[test]
    fn fingerprints_stay_with_a_pool(steps in steps()) {
        let (mut pool, mut other) = (Pool::new(), Pool::new());
        let made = build(&mut pool, &steps);
        let of_other = build(&mut other, &steps);
        let mut prints = Fingerprints::new();
        prints.stay_with(&pool);
        let first: Vec<u128> = made.iter().map(|id| prints.of(&pool, *id)).collect();
        let between: Vec<u128> = of_other.iter().map(|id| prints.of(&other, *id)).collect();
        prop_assert_eq!(&first, &between);
        let computed = prints.computed();
        prints.stay_with(&pool);
        let again: Vec<u128> = made.iter().map(|id| prints.of(&pool, *id)).collect();
        prop_assert_eq!(first, again);
        prop_assert_eq!(prints.computed(), computed);
        prints.stay_with(&other);
        let last: Vec<u128> = of_other.iter().map(|id| prints.of(&other, *id)).collect();
        prop_assert_eq!(last, between);
    }

    /// Equal prints, equal functions: of any two expressions of one symbol each.
    #[test]
    fn functions_of_one_symbol_are_told_apart(steps in steps()) {
        let mut pool = Pool::new();
        let mut prints = Fingerprints::of_functions();
        let mut known = BTreeMap::new();
        for id in build(&mut pool, &steps) {
            let symbols = used_symbols(&pool, id);
            if symbols.len() != 1 || symbols.iter().any(|symbol| symbol.width() > 8) {
                continue;
            }
            let values = (0..256u128).map(|value| evaluate(&pool, id, &move |_| value));
            let values: Vec<_> = values.collect();
            let before = known.entry(prints.of(&pool, id)).or_insert(values.clone());
            prop_assert_eq!(&*before, &values);
        }
    }

    /// In any order, of terms as they were written and simplified.
    #[test]
    fn columns_are_the_values(steps in steps(), backward: bool) {
        for mut pool in [Pool::new(), Pool::verbatim()] {
            let mut columns = Columns::default();
            let mut made = build(&mut pool, &steps);
            if backward {
                made.reverse();
            }
            for id in made {
                let symbols = used_symbols(&pool, id);
                if symbols.len() > 1 || symbols.iter().any(|symbol| symbol.width() > 8) {
                    continue;
                }
                let column = columns.of(&pool, id, &|_| 0);
                for value in 0..=u8::MAX {
                    let expected = evaluate(&pool, id, &move |_| u128::from(value));
                    prop_assert_eq!(column.get(value), expected.map(Value::bits));
                }
            }
        }
    }

    #[test]
    fn symbol_sets_are_exact(steps in steps()) {
        let mut pool = Pool::new();
        for id in build(&mut pool, &steps) {
            let used = used_symbols(&pool, id);
            let set = pool.symbols(id);
            prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), used.clone());
            prop_assert_eq!(set.len(), used.len());
            prop_assert!(used.iter().all(|symbol| set.contains(*symbol)));
        }
    }

    #[test]
    fn rebuilding_keeps_values(steps in steps(), seed: u32) {
        let seed = u64::from(seed);
        let (mut pool, mut other) = (Pool::new(), Pool::new());
        let made = build(&mut pool, &steps);
        let mut rebuilt = Rebuilt::new();
        let fixed = Symbol::Byte { stream: 0, offset: 0 };
        let copies: Vec<_> = made
            .iter()
            .map(|id| {
                other.rebuild(Some(&pool), *id, &mut rebuilt, &mut |target, id| {
                    (pool.as_symbol(id)? == fixed).then(|| {
                        target.constant(8, Seeded(seed).symbol(fixed))
                    })
                })
            })
            .collect();
        prop_assert_eq!(values(&pool, &made, seed), values(&other, &copies, seed));
        prop_assert!(copies.iter().all(|id| !other.symbols(*id).contains(fixed)));
        let last = made[made.len() - 1];
        let same = pool.substitute(last, &mut |_, _| None);
        prop_assert_eq!(values(&pool, &[same], seed), values(&pool, &[last], seed));
    }
}

#[test]
fn values_have_no_bits_above_their_width() {
    let mut pool = Pool::new();
    for width in 1..=128 {
        let id = pool.constant(width, u128::MAX);
        assert_eq!(pool.bits(id), Some(mask(width)));
    }
}

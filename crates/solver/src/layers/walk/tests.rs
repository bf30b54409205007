//! The laws of the walk on random expressions and on small conditions.

use labrys_expr::{ExprId, Op, Pool, Rounding, Symbol, mask};
use proptest::prelude::*;

use super::compile::Compiler;
use super::objective::Objective;
use super::{End, Options, Walk};
use crate::query::Assignment;

const UNARY: &[Op] = &[
    Op::Not,
    Op::Neg,
    Op::PopCount,
    Op::LeadingZeros,
    Op::TrailingZeros,
];
const FLOAT_UNARY: &[Op] = &[Op::FNeg, Op::FAbs, Op::FSqrt];

/// Random expressions, grown node by node.
struct Garden {
    pool: Pool,
    rng: fastrand::Rng,
    plants: Vec<ExprId>,
}

impl Garden {
    fn new(seed: u64) -> Self {
        let mut garden = Garden {
            pool: Pool::verbatim(),
            rng: fastrand::Rng::with_seed(seed),
            plants: Vec::new(),
        };
        for (offset, bytes) in [(0, 8), (8, 8), (16, 4), (20, 4), (24, 2), (26, 1)] {
            let input = garden.pool.input(0, offset, bytes);
            garden.plants.push(input);
        }
        let width = garden.rng.u8(1..=64);
        let named = garden.pool.symbol(Symbol::Named { id: 0, width });
        garden.plants.push(named);
        garden
    }

    fn any(&mut self) -> ExprId {
        self.plants[self.rng.usize(..self.plants.len())]
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(..list.len())]
    }

    /// Something of this width.
    fn of(&mut self, width: u32) -> ExprId {
        let fitting: Vec<_> = self
            .plants
            .iter()
            .copied()
            .filter(|id| self.pool.width(*id) == width)
            .collect();
        if !fitting.is_empty() && self.rng.u8(..8) > 0 {
            return self.one(&fitting);
        }
        let bits = u128::from(special(&mut self.rng, width));
        self.pool.constant(width, bits)
    }

    fn float_width(&mut self) -> u32 {
        self.one(&[32, 64])
    }

    fn grow(&mut self) {
        let a = self.any();
        let width = self.pool.width(a);
        let new = match self.rng.u8(..14) {
            0 => {
                let op = self.one(UNARY);
                self.pool.unary(op, a)
            }
            1..=3 => {
                let (op, b) = (self.one(&Op::ARITHMETIC), self.of(width));
                self.pool.binary(op, a, b)
            }
            4 => {
                let wider = self.rng.u32(width..=64);
                if self.rng.bool() {
                    self.pool.sext(a, wider)
                } else {
                    self.pool.zext(a, wider)
                }
            }
            5 => {
                let low = self.rng.u32(..width);
                let kept = self.rng.u32(1..=width - low);
                self.pool.extract(a, low, kept)
            }
            6 if width < 64 => {
                let room = self.rng.u32(1..=64 - width);
                let b = self.of(room);
                self.pool.concat(a, b)
            }
            7 => {
                let (c, b) = (self.of(1), self.of(width));
                self.pool.ite(c, a, b)
            }
            8 => {
                let (op, b) = (self.one(&Op::COMPARISONS), self.of(width));
                self.pool.binary(op, a, b)
            }
            9 => {
                let index = self.of(64);
                let table = self.pool.enter_table(b"\x01\x80\xff\x00table", &[]);
                let count = self.rng.u32(1..=8);
                self.pool.table_read(table, index, count)
            }
            10 => {
                let width = self.float_width();
                let (a, b) = (self.of(width), self.of(width));
                let op = self.one(&Op::FLOAT_COMPARISONS);
                self.pool.binary(op, a, b)
            }
            11 => self.conversion(a),
            _ => self.float(),
        };
        self.plants.push(new);
    }

    fn conversion(&mut self, a: ExprId) -> ExprId {
        let width = self.float_width();
        match self.rng.u8(..4) {
            0 => self.pool.convert(Op::UToF, a, width),
            1 => self.pool.convert(Op::SToF, a, width),
            2 => {
                let (other, float) = (self.float_width(), self.of(width));
                self.pool.convert(Op::FToF, float, other)
            }
            _ => {
                let (to, float) = (self.rng.u32(1..=64), self.of(width));
                let op = self.one(&[Op::FToU, Op::FToS]);
                self.pool.convert(op, float, to)
            }
        }
    }

    fn float(&mut self) -> ExprId {
        let width = self.float_width();
        let (a, b) = (self.of(width), self.of(width));
        match self.rng.u8(..5) {
            0 => {
                let op = self.one(FLOAT_UNARY);
                self.pool.unary(op, a)
            }
            1 => {
                let mode = self.one(&Rounding::ALL);
                self.pool.round(mode, a)
            }
            2 if width == 64 => {
                let name = self.one(&["sin", "exp", "ilogb", "pow", "ldexp", "copysign"]);
                let n = self.of(32);
                match name {
                    "ilogb" => self.pool.external(name, &[a], 32),
                    "ldexp" => self.pool.external(name, &[a, n], 64),
                    "pow" | "copysign" => self.pool.external(name, &[a, b], 64),
                    _ => self.pool.external(name, &[a], 64),
                }
            }
            _ => {
                let op = self.one(&Op::FLOAT_ARITHMETIC);
                self.pool.binary(op, a, b)
            }
        }
    }

    /// Conditions over what has grown.
    fn conditions(&mut self) -> Vec<ExprId> {
        let mut all = Vec::new();
        for _ in 0..6 {
            let a = self.any();
            let width = self.pool.width(a);
            let b = self.of(width);
            let float = matches!(width, 32 | 64) && self.rng.bool();
            let op = self.one(if float {
                &Op::FLOAT_COMPARISONS[..]
            } else {
                &Op::COMPARISONS
            });
            let mut condition = self.pool.binary(op, a, b);
            if self.rng.bool() {
                condition = self.pool.not(condition);
            }
            if let Some(&other) = all.last() {
                condition = match self.rng.u8(..4) {
                    0 => self.pool.or(condition, other),
                    1 => self.pool.and(condition, other),
                    2 => self.pool.eq(condition, other),
                    _ => condition,
                };
            }
            all.push(condition);
        }
        all
    }
}

/// A value at or near a border, or any.
fn special(rng: &mut fastrand::Rng, width: u32) -> u64 {
    const FLOATS: [f64; 10] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
        1.8e19,
    ];
    let bits = match rng.u8(..6) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << (width - 1),
        3 if width == 32 => u64::from((FLOATS[rng.usize(..10)] as f32).to_bits()),
        3 => FLOATS[rng.usize(..10)].to_bits(),
        4 => rng.u64(..8),
        _ => rng.u64(..),
    };
    bits & mask(width) as u64
}

fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Compiled code computes what the evaluator does, and a score is 0 exactly where the
    /// condition holds.
    #[test]
    fn compiled_scores_are_the_evaluators(seed in any::<u64>()) {
        let mut garden = Garden::new(seed);
        for _ in 0..40 {
            garden.grow();
        }
        let conditions = garden.conditions();
        let Garden { pool, mut rng, .. } = garden;
        let mut compiler = Compiler::default();
        let compiled = Objective::new(&pool, &conditions, Some(&mut compiler), u64::MAX);
        let evaluated = Objective::new(&pool, &conditions, Some(&mut compiler), 0);
        let (Some(mut compiled), Some(mut evaluated)) = (compiled, evaluated) else {
            // No symbol is left in the conditions.
            return Ok(());
        };
        prop_assert!(compiled.is_compiled() && !evaluated.is_compiled());
        for _ in 0..20 {
            let widths = compiled.variables.list.iter().map(|variable| variable.width);
            let values: Vec<_> = widths.map(|width| special(&mut rng, width)).collect();
            let fast = compiled.point(values.clone());
            let slow = evaluated.point(values.clone());
            for ((a, b), atom) in fast.atoms.iter().zip(&slow.atoms).zip(&compiled.atoms) {
                prop_assert!(same(a[0], b[0]) && a[1] == b[1], "{a:?} {b:?} {atom:?}");
            }
            prop_assert_eq!(&fast.errors, &slow.errors);
            for (condition, error) in conditions.iter().zip(errors_by_condition(&compiled, &fast, &conditions)) {
                let holds = evaluated.confirms(&[*condition], &values);
                prop_assert_eq!(error == 0.0, holds);
            }
        }
    }
}

/// The errors in the order of the conditions.
fn errors_by_condition(
    objective: &Objective<'_>,
    point: &super::Point,
    conditions: &[ExprId],
) -> Vec<f64> {
    conditions
        .iter()
        .map(|condition| point.errors[objective.constraint_of(*condition)])
        .collect()
}

fn solve(options: Options, build: impl FnOnce(&mut Pool) -> Vec<ExprId>) -> End {
    let mut pool = Pool::new();
    let conditions = build(&mut pool);
    Walk::new(options)
        .walk(&pool, &conditions, &Assignment::new(), 3000)
        .0
}

/// `x = x · y ∧ x > 2`, the first method of the dissertation's figure 5.1.
fn figure_5_1(pool: &mut Pool) -> Vec<ExprId> {
    let (x, y) = (pool.input(0, 0, 4), pool.input(0, 4, 4));
    let product = pool.mul(x, y);
    let two = pool.constant(32, 2);
    vec![pool.eq(x, product), pool.slt(two, x)]
}

/// `sin(u) > 0.5 ∧ u > 1000`.
fn sine(pool: &mut Pool) -> Vec<ExprId> {
    let u = pool.input(0, 0, 8);
    let sine = pool.external("sin", &[u], 64);
    let half = pool.constant(64, 0.5f64.to_bits().into());
    let far = pool.constant(64, 1000f64.to_bits().into());
    vec![
        pool.binary(Op::FOlt, half, sine),
        pool.binary(Op::FOlt, far, u),
    ]
}

/// Rosenbrock's valley: `10 (y − x²) = 0 ∧ 1 − x = 0`.
fn valley(pool: &mut Pool) -> Vec<ExprId> {
    let (x, y) = (pool.input(0, 0, 8), pool.input(0, 8, 8));
    let square = pool.binary(Op::FMul, x, x);
    let [zero, one, ten] = [0.0f64, 1.0, 10.0].map(|c| pool.constant(64, c.to_bits().into()));
    let across = pool.binary(Op::FSub, y, square);
    let across = pool.binary(Op::FMul, ten, across);
    let along = pool.binary(Op::FSub, one, x);
    vec![
        pool.binary(Op::FOeq, across, zero),
        pool.binary(Op::FOeq, along, zero),
    ]
}

/// `x³ = y + 3 ∧ x ≠ 0 ∧ (y < −1000 ∨ y > 1000)`.
fn cube(pool: &mut Pool) -> Vec<ExprId> {
    let (x, y) = (pool.input(0, 0, 4), pool.input(0, 4, 4));
    let square = pool.mul(x, x);
    let cube = pool.mul(square, x);
    let [zero, three, low, high] =
        [0, 3, -1000i32, 1000].map(|c| pool.constant(32, (c as u32).into()));
    let sum = pool.add(y, three);
    let (below, above) = (pool.slt(y, low), pool.slt(high, y));
    vec![pool.eq(cube, sum), pool.ne(x, zero), pool.or(below, above)]
}

#[test]
fn the_walk_finds_models_of_what_the_paper_and_more_ask() {
    for (name, build) in [
        ("figure 5.1", figure_5_1 as fn(&mut Pool) -> Vec<ExprId>),
        ("sine", sine),
        ("valley", valley),
        ("cube", cube),
    ] {
        for seed in 1..=3 {
            let outcome = solve(Options::new(seed), build);
            assert!(matches!(outcome, End::Solution(_)), "{name}: {outcome:?}");
        }
    }
    let mut paper = Options::new(1);
    paper.beyond = None;
    let faithful = solve(paper, figure_5_1);
    assert!(matches!(faithful, End::Solution(_)), "{faithful:?}");
}

#[test]
fn answers_repeat_and_do_not_depend_on_the_compiler() {
    let first = solve(Options::new(7), cube);
    let again = solve(Options::new(7), cube);
    let evaluated = solve(
        Options {
            compile: false,
            ..Options::new(7)
        },
        cube,
    );
    let text = |outcome: &End| format!("{outcome:?}");
    assert_eq!(text(&first), text(&again));
    assert!(matches!(evaluated, End::Solution(_)), "{evaluated:?}");
}

#[test]
fn what_has_no_model_gets_a_near_point() {
    let outcome = solve(Options::new(1), |pool| {
        let x = pool.input(0, 0, 8);
        let square = pool.binary(Op::FMul, x, x);
        let minus = pool.constant(64, (-1f64).to_bits().into());
        vec![pool.binary(Op::FOeq, square, minus)]
    });
    let End::Nearest(model) = outcome else {
        panic!("{outcome:?}");
    };
    let bytes = (0..8).map(|offset| model.get(Symbol::Byte { stream: 0, offset }));
    let bits = bytes.rev().fold(0, |bits, byte| {
        bits << 8 | byte.expect("every symbol has a value") as u64
    });
    assert!(
        f64::from_bits(bits).abs() < 1e-3,
        "the square is near to −1"
    );
}

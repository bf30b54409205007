//! Known refutations; that operations and functions of libm keep to their ranges, on many inputs.

use labrys_expr::{ExprId, Op, Pool, Rounding};
use proptest::prelude::*;

use super::interval::{Interval, binary, number, unary};
use super::{library, refute};
use crate::functions::call;
use crate::parts::Part;
use crate::query::Assignment;

fn double(pool: &mut Pool, value: f64) -> ExprId {
    pool.constant(64, value.to_bits().into())
}

/// Whether conditions are refuted, with splits.
fn refuted(pool: &Pool, conditions: &[ExprId]) -> Option<Vec<usize>> {
    let parts: Vec<Part> = conditions
        .iter()
        .enumerate()
        .map(|(origin, id)| Part { id: *id, origin })
        .collect();
    refute(pool, &parts, true, &mut 4_000_000)
}

#[test]
fn what_no_number_satisfies_is_refuted() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (pool.input(0, 0, 8), pool.input(0, 8, 8));
    let [zero, one, ten] = [0.0, 1.0, 10.0].map(|value| double(pool, value));
    let half = double(pool, 0.5);
    let less = |pool: &mut Pool, a, b| pool.binary(Op::FOlt, a, b);
    let positive = less(pool, zero, x);
    let square = pool.binary(Op::FMul, x, x);
    let product = pool.binary(Op::FMul, x, y);
    let sine = pool.external("sin", &[x], 64);
    let tangent = pool.external("tan", &[x], 64);
    let down = pool.round(Rounding::Down, x);
    let with_x = pool.binary(Op::FAdd, square, x);
    let parabola = pool.binary(Op::FAdd, with_x, one);
    let cases: Vec<Vec<ExprId>> = vec![
        vec![less(pool, square, zero)],
        vec![
            less(pool, one, x),
            less(pool, one, y),
            less(pool, product, one),
        ],
        vec![less(pool, one, sine)],
        vec![
            less(pool, half, x),
            less(pool, x, one),
            less(pool, tangent, half),
        ],
        vec![less(pool, x, down)],
        vec![less(pool, parabola, zero)],
        vec![pool.binary(Op::FUno, x, x), positive],
        vec![less(pool, square, ten), less(pool, ten, x)],
    ];
    for (index, case) in cases.iter().enumerate() {
        assert!(refuted(pool, case).is_some(), "case {index}");
    }
    // What does not matter is not in the core.
    let other = less(pool, y, ten);
    let below = less(pool, square, zero);
    assert_eq!(refuted(pool, &[other, below, positive]), Some(vec![1]));
}

#[test]
fn what_rounding_makes_true_is_not_refuted() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = pool.input(0, 0, 8);
    let [big, zero] = [1e16, 0.0].map(|value| double(pool, value));
    // 10¹⁶ + 1 is 10¹⁶.
    let sum = pool.binary(Op::FAdd, x, big);
    let same = pool.binary(Op::FOeq, sum, big);
    let positive = pool.binary(Op::FOlt, zero, x);
    assert_eq!(refuted(pool, &[same, positive]), None);
}

#[test]
fn what_infinity_swallows_is_not_refuted() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = pool.input(0, 0, 8);
    let [least, zero] = [f64::NEG_INFINITY, 0.0].map(|value| double(pool, value));
    let sum = pool.binary(Op::FAdd, x, least);
    let same = pool.binary(Op::FOeq, sum, least);
    let small = pool.binary(Op::FOle, x, zero);
    assert_eq!(refuted(pool, &[same, small]), None);
    // `fmax` of a signaling NaN is one.
    let larger = pool.external("fmax", &[x, zero], 64);
    let none = pool.binary(Op::FUno, larger, larger);
    assert_eq!(refuted(pool, &[none]), None);
}

/// Numbers of all sizes, with those where things change.
fn numbers() -> impl Strategy<Value = f64> {
    let special = [
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.0,
        std::f64::consts::FRAC_PI_2,
        std::f64::consts::PI,
        1e-310,
        5e-324,
        1e300,
        709.8,
        -745.2,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    prop_oneof![
        any::<f64>().prop_filter("a number", |x| !x.is_nan()),
        -10.0..10.0f64,
        -1e4..1e4f64,
        proptest::sample::select(special.to_vec()),
    ]
}

/// An interval, and a value in it.
fn with_value() -> impl Strategy<Value = (Interval, f64)> {
    (numbers(), numbers(), 0.0..=1.0f64, any::<bool>()).prop_map(|(a, b, share, at_end)| {
        let (low, high) = (a.min(b), a.max(b));
        let between = low + share * (high - low);
        let inside = !at_end && between.is_finite();
        let value = if inside {
            between.clamp(low, high)
        } else {
            high
        };
        (Interval::between(low, high, false), value)
    })
}

fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

fn has(interval: Interval, value: f64) -> bool {
    if value.is_nan() {
        interval.nan
    } else {
        interval.low <= value && value <= interval.high
    }
}

const ONE: [&str; 26] = [
    "sqrt", "floor", "ceil", "round", "rint", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "cbrt", "erf",
];
const TWO: [&str; 6] = ["pow", "hypot", "atan2", "fmax", "fmin", "fdim"];

/// Numbers, and what is none: quiet and signaling.
fn floats() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => numbers(),
        1 => Just(f64::NAN),
        1 => Just(f64::from_bits(0x7ff0_0000_0000_0001)),
    ]
}

/// Two inputs, constants, and what the recipe makes of them.
fn expressions(pool: &mut Pool, constants: &[f64], recipe: &[(u8, usize, usize)]) -> Vec<ExprId> {
    let mut made = vec![pool.input(0, 0, 8), pool.input(0, 8, 8)];
    for constant in constants {
        made.push(double(pool, *constant));
    }
    for (op, a, b) in recipe {
        let (a, b) = (made[a % made.len()], made[b % made.len()]);
        let next = match op {
            0 => pool.binary(Op::FAdd, a, b),
            1 => pool.binary(Op::FSub, a, b),
            2 => pool.binary(Op::FMul, a, b),
            3 => pool.binary(Op::FDiv, a, b),
            4 => pool.unary(Op::FNeg, a),
            5 => pool.unary(Op::FAbs, a),
            6 => pool.external("fmax", &[a, b], 64),
            7 => pool.external("sin", &[a], 64),
            8 => pool.external("exp", &[a], 64),
            _ => {
                let less = pool.binary(Op::FOlt, a, b);
                pool.ite(less, b, a)
            }
        };
        made.push(next);
    }
    made
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_library_keeps_to_its_ranges(
        (a, x) in with_value(),
        (b, y) in with_value(),
        single_width in any::<bool>(),
    ) {
        let width = if single_width { 32 } else { 64 };
        let of = |name: &str| if single_width { format!("{name}f") } else { name.to_owned() };
        let round = |v: f64| if single_width { single(v) } else { v };
        let interval = |i: Interval| Interval::between(round(i.low), round(i.high), false);
        let value = |v: f64| {
            let bits = if single_width {
                u128::from((v as f32).to_bits())
            } else {
                u128::from(v.to_bits())
            };
            labrys_expr::Value::new(width, bits)
        };
        for (names, arguments, values) in [
            (&ONE[..], vec![interval(a)], vec![value(x)]),
            (&["erfc"][..], vec![interval(a)], vec![value(x)]),
            (&TWO[..], vec![interval(a), interval(b)], vec![value(x), value(y)]),
        ] {
            for name in names {
                let name = of(name);
                let range = library::range(&name, width, &arguments);
                let bits = call(&name, &values, width).unwrap();
                let result = number(bits, width);
                prop_assert!(has(range, result), "{name} {values:?} is {result}, not in {range:?} of {arguments:?}");
            }
        }
    }

    #[test]
    fn operations_keep_to_their_ranges((a, x) in with_value(), (b, y) in with_value()) {
        let bits = |v: f64| u128::from(v.to_bits());
        for op in Op::FLOAT_ARITHMETIC {
            let range = binary(op, 64, a, b, false);
            let result = number(labrys_expr::apply(op, 64, 64, bits(x), bits(y), 0), 64);
            prop_assert!(has(range, result), "{op:?} {x} {y} is {result}, not in {range:?}");
            let range = binary(op, 64, a, a, true);
            let result = number(labrys_expr::apply(op, 64, 64, bits(x), bits(x), 0), 64);
            prop_assert!(has(range, result), "{op:?} {x} {x} is {result}, not in {range:?}");
        }
        for op in [Op::FNeg, Op::FAbs, Op::FSqrt] {
            let range = unary(op, 64, 64, 0, a);
            let result = number(labrys_expr::apply(op, 64, 64, bits(x), 0, 0), 64);
            prop_assert!(has(range, result), "{op:?} {x} is {result}, not in {range:?}");
        }
        for mode in 0..5 {
            let range = unary(Op::FRound, 64, 64, mode, a);
            let result = number(labrys_expr::apply(Op::FRound, 64, 64, bits(x), mode, 0), 64);
            prop_assert!(has(range, result), "round {mode} {x} is {result}, not in {range:?}");
        }
        let range = unary(Op::FToF, 32, 64, 0, a);
        let result = number(labrys_expr::apply(Op::FToF, 32, 64, bits(x), 0, 0), 32);
        prop_assert!(has(range, result), "narrow {x} is {result}, not in {range:?}");
    }

    /// The law: what some values satisfy is not refuted.
    #[test]
    fn what_is_satisfied_is_not_refuted(
        x in floats(),
        y in floats(),
        constants in proptest::collection::vec(floats(), 2),
        recipe in proptest::collection::vec((0..10u8, 0..16usize, 0..16usize), 1..6),
        compared in proptest::collection::vec((0..4usize, 0..16usize, 0..16usize), 1..5),
    ) {
        let mut pool = Pool::new();
        let made = expressions(&mut pool, &constants, &recipe);
        let bytes: Vec<u8> = [x, y].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        let values = Assignment::from_streams([bytes]);
        let mut conditions = Vec::new();
        for (op, a, b) in compared {
            let op = [Op::FOlt, Op::FOle, Op::FOeq, Op::FUno][op];
            let condition = pool.binary(op, made[a % made.len()], made[b % made.len()]);
            let truth = labrys_expr::evaluate(&pool, condition, &values).expect("a value");
            conditions.push(if truth.bits() == 1 { condition } else { pool.not(condition) });
        }
        prop_assert_eq!(refuted(&pool, &conditions), None);
    }
}

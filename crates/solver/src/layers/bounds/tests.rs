//! Propagation against trying all values.

#[path = "../../../tests/common/mod.rs"]
mod common;

use fastrand::Rng;
use labrys_expr::{Evaluator, ExprId, Op, Pool, Symbol};

use self::common::fit;
use super::cone::{Builder, Cells};
use super::domain::Domain;
use super::narrow::{Lookups, Narrowing};
use crate::query::Assignment;

const SYMBOLS: [Symbol; 3] = [
    Symbol::Named { id: 0, width: 3 },
    Symbol::Named { id: 1, width: 2 },
    Symbol::Named { id: 2, width: 3 },
];

fn number(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    let choice = if depth == 0 { 9 } else { rng.u32(..10) };
    match choice {
        0..=4 => {
            let a = number(pool, rng, width, depth - 1);
            let b = if rng.bool() {
                pool.constant(width, rng.u128(..) >> rng.u32(100..128))
            } else {
                number(pool, rng, width, depth - 1)
            };
            let op = Op::ARITHMETIC[rng.usize(..13)];
            if rng.u32(..4) == 0 {
                pool.binary(op, b, a)
            } else {
                pool.binary(op, a, b)
            }
        }
        5 => {
            let a = number(pool, rng, width, depth - 1);
            pool.unary([Op::Not, Op::Neg][rng.usize(..2)], a)
        }
        6 => {
            let c = condition(pool, rng, depth - 1);
            let a = number(pool, rng, width, depth - 1);
            let b = number(pool, rng, width, depth - 1);
            pool.ite(c, a, b)
        }
        7 => {
            let from = [3, 8, 12][rng.usize(..3)];
            let a = number(pool, rng, from, depth - 1);
            fit(pool, rng, a, width)
        }
        8 => {
            let a = number(pool, rng, 4, depth - 1);
            let b = number(pool, rng, 5, depth - 1);
            let both = pool.concat(a, b);
            fit(pool, rng, both, width)
        }
        _ => {
            let leaf = pool.symbol(SYMBOLS[rng.usize(..3)]);
            fit(pool, rng, leaf, width)
        }
    }
}

/// Floats near small numbers.
fn float(pool: &mut Pool, rng: &mut Rng, depth: u32) -> ExprId {
    let constant = |pool: &mut Pool, rng: &mut Rng| {
        let value = [0.0, -0.0, 0.5, -2.0, 3.0, 1e10, f64::NAN, f64::INFINITY][rng.usize(..8)];
        pool.constant(64, value.to_bits().into())
    };
    match if depth == 0 { 3 } else { rng.u32(..4) } {
        0 => {
            let a = float(pool, rng, depth - 1);
            let b = constant(pool, rng);
            let op = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv][rng.usize(..4)];
            if rng.bool() {
                pool.binary(op, a, b)
            } else {
                pool.binary(op, b, a)
            }
        }
        1 => {
            let a = float(pool, rng, depth - 1);
            pool.unary([Op::FNeg, Op::FAbs, Op::FSqrt][rng.usize(..3)], a)
        }
        2 => constant(pool, rng),
        _ => {
            let a = number(pool, rng, 8, depth.min(2));
            let op = [Op::SToF, Op::UToF][rng.usize(..2)];
            pool.convert(op, a, 64)
        }
    }
}

fn condition(pool: &mut Pool, rng: &mut Rng, depth: u32) -> ExprId {
    let condition = match rng.u32(..6) {
        0 if depth > 0 => {
            let a = condition(pool, rng, depth - 1);
            let b = condition(pool, rng, depth - 1);
            pool.binary([Op::And, Op::Or, Op::Xor][rng.usize(..3)], a, b)
        }
        1 => {
            let (a, b) = (float(pool, rng, depth), float(pool, rng, depth));
            pool.binary([Op::FOeq, Op::FOlt, Op::FOle][rng.usize(..3)], a, b)
        }
        _ => {
            let width = [2, 8, 16, 32][rng.usize(..4)];
            let a = number(pool, rng, width, depth);
            let b = if rng.bool() {
                pool.constant(width, rng.u128(..) >> rng.u32(96..128))
            } else {
                number(pool, rng, width, depth)
            };
            pool.binary(Op::COMPARISONS[rng.usize(..5)], a, b)
        }
    };
    if rng.bool() {
        pool.not(condition)
    } else {
        condition
    }
}

/// All values of the three symbols.
fn inputs() -> impl Iterator<Item = [u128; 3]> {
    (0..8).flat_map(|a| (0..4).flat_map(move |b| (0..8).map(move |c| [a, b, c])))
}

fn assignment(values: [u128; 3]) -> Assignment {
    let mut assignment = Assignment::new();
    for (symbol, value) in SYMBOLS.into_iter().zip(values) {
        assignment.set(symbol, value);
    }
    assignment
}

fn check(pool: &Pool, id: ExprId, rng: &mut Rng) -> usize {
    let mut cells = Cells::default();
    let mut builder = Builder::new(pool, &mut cells);
    SYMBOLS.iter().for_each(|symbol| {
        builder.variable(*symbol);
    });
    let cone = builder.cone(id).expect("small");
    let mut domains: Vec<_> = SYMBOLS.iter().map(|s| Domain::full(s.width())).collect();
    for domain in &mut domains {
        let seed = rng.u64(..);
        let _ = domain.keep(|value| seed >> value & 1 == 1);
    }
    let before = domains.clone();
    let all: usize = before.iter().map(|domain| domain.values().count()).sum();
    let (mut ranges, mut narrowed) = (Vec::new(), Vec::new());
    let outcome = Narrowing {
        pool,
        cone: &cone,
        domains: &mut domains,
        ranges: &mut ranges,
        narrowed: &mut narrowed,
        lookups: &mut Lookups::default(),
    }
    .run();
    let mut evaluator = Evaluator::new();
    let has = |domains: &[Domain], values: [u128; 3]| {
        let mut pairs = domains.iter().zip(values);
        pairs.all(|(domain, value)| domain.values().any(|own| own as u128 == value))
    };
    for values in inputs().filter(|values| has(&before, *values)) {
        evaluator.reset();
        let holds = evaluator.holds(pool, id, &assignment(values));
        let text = || format!("{} at {values:?} of {before:?}", pool.display(id));
        match outcome {
            Err(_) => assert!(!holds, "no conflict: {}", text()),
            Ok(true) => assert!(holds, "not always true: {}", text()),
            Ok(false) => assert!(!holds || has(&domains, values), "cut off: {}", text()),
        }
    }
    let left: usize = domains.iter().map(|domain| domain.values().count()).sum();
    if outcome.is_err() { all } else { all - left }
}

#[test]
fn no_solution_is_cut_off() {
    let mut cut = 0;
    for seed in 0..6000 {
        let mut rng = Rng::with_seed(seed);
        let mut pool = if rng.bool() {
            Pool::new()
        } else {
            Pool::verbatim()
        };
        let depth = rng.u32(1..4);
        let id = condition(&mut pool, &mut rng, depth);
        cut += check(&pool, id, &mut rng);
    }
    assert!(cut > 5000, "{cut}");
}

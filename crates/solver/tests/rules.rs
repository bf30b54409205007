//! Simplification proved by the solver at 8 and 32 bits: no values tell a term as it was written
//! from what the constructors make of it.

use fastrand::Rng;
use labrys_expr::{ExprId, Op, Pool, Rebuilt, Symbol};
use labrys_solver::backend::Backend;
use labrys_solver::bitwuzla::Settings;
use labrys_solver::{Answer, Assignment, Budget, Query, Reason, Solver};

fn symbol(pool: &mut Pool, id: u32, width: u32) -> ExprId {
    pool.symbol(Symbol::Named {
        id: id * 200 + width,
        width: width as u8,
    })
}

fn constant(pool: &mut Pool, rng: &mut Rng, width: u32) -> ExprId {
    let bits = match rng.u32(..6) {
        0 => u128::from(rng.u32(..4)),
        1 => u128::MAX - u128::from(rng.u32(..3)),
        2 => 1 << rng.u32(..width),
        3 => (1 << rng.u32(..width)) - 1,
        4 => (u128::MAX >> rng.u32(120..128)) << rng.u32(..width),
        _ => rng.u128(..),
    };
    pool.constant(width, bits)
}

/// A term of the shapes that rules look at, `depth` operations deep.
fn term(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    if depth == 0 {
        return match rng.u32(..3) {
            0 => constant(pool, rng, width),
            _ => {
                let id = rng.u32(..2);
                symbol(pool, id, width)
            }
        };
    }
    match rng.u32(..12) {
        0 => {
            let a = term(pool, rng, width, depth - 1);
            let op = [Op::Not, Op::Neg][rng.usize(..2)];
            pool.unary(op, a)
        }
        1 | 2 if width > 1 => {
            let narrow = rng.u32(1..width);
            let a = term(pool, rng, narrow, depth - 1);
            if rng.bool() {
                pool.zext(a, width)
            } else {
                pool.sext(a, width)
            }
        }
        3 => {
            let wide = width + rng.u32(1..=width.min(16));
            let a = term(pool, rng, wide, depth - 1);
            let low = rng.u32(..=wide - width);
            pool.extract(a, low, width)
        }
        4 if width > 1 => {
            let split = rng.u32(1..width);
            let high = term(pool, rng, width - split, depth - 1);
            let low = term(pool, rng, split, depth - 1);
            pool.concat(high, low)
        }
        5 => {
            let condition = predicate(pool, rng, width, depth - 1);
            let (a, b) = (
                term(pool, rng, width, depth - 1),
                term(pool, rng, width, depth - 1),
            );
            pool.ite(condition, a, b)
        }
        n => {
            let a = term(pool, rng, width, depth - 1);
            let b = if n % 2 == 0 {
                constant(pool, rng, width)
            } else {
                term(pool, rng, width, depth - 1)
            };
            // Division and multiplication of variables are hard; rules speak of constants.
            let all = if n % 2 == 0 { 13 } else { 10 };
            let op = Op::ARITHMETIC[(rng.usize(..all) + 13 - all) % 13];
            let op = if n % 2 == 1 && matches!(op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem) {
                Op::Add
            } else {
                op
            };
            pool.binary(op, a, b)
        }
    }
}

fn predicate(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    let other = rng.u32(..=depth);
    let (a, b) = (term(pool, rng, width, depth), term(pool, rng, width, other));
    let op = Op::COMPARISONS[rng.usize(..5)];
    pool.binary(op, a, b)
}

/// How many terms were proved, and how many differ in form from what was written.
fn prove(width: u32, depth: u32, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let mut backend = Backend::new(Settings::default()).expect("Bitwuzla");
    let (mut proved, mut changed) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        // The pool is verbatim: both the term and its simplified form stay as they are in it.
        let mut written = Pool::verbatim();
        let id = if seed % 2 == 0 {
            term(&mut written, &mut rng, width, depth)
        } else {
            predicate(&mut written, &mut rng, width, depth - 1)
        };
        let mut simple = Pool::new();
        let simplified = simple.rebuild(Some(&written), id, &mut Rebuilt::new(), &mut |_, _| None);
        let copy = written.rebuild(
            Some(&simple),
            simplified,
            &mut Rebuilt::new(),
            &mut |_, _| None,
        );
        if copy == id {
            continue;
        }
        changed += 1;
        let equal = written.eq(id, copy);
        let different = written.not(equal);
        let text = format!("{} became {}", written.display(id), written.display(copy));
        let answer = backend.check(&mut Query {
            pool: &mut written,
            constraints: vec![different],
            hint: &Assignment::new(),
            budget: Budget::steps(40_000),
        });
        match answer {
            Answer::Unsat(_) => proved += 1,
            Answer::Sat(model) => panic!("{text} with {model:?}"),
            Answer::Unknown(Reason::Steps) => {}
            Answer::Unknown(reason) => panic!("{text}: {reason}"),
        }
    }
    (proved, changed)
}

#[test]
fn simplification_is_right_at_8_bits() {
    let (proved, changed) = prove(8, 3, 0..3000);
    assert!(changed > 1000, "{changed}");
    assert!(proved * 100 > changed * 98, "{proved} of {changed}");
}

#[test]
fn simplification_is_right_at_32_bits() {
    let (proved, changed) = prove(32, 2, 10_000..12_000);
    assert!(changed > 700, "{changed}");
    assert!(proved * 100 > changed * 95, "{proved} of {changed}");
}

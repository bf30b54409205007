//! Random queries: the answers of all layers over Bitwuzla agree with trying all inputs.

mod common;

use std::time::Duration;

use common::fit;
use fastrand::Rng;
use labrys_expr::{Evaluator, ExprId, Op, Pool, Symbol};
use labrys_solver::{Answer, Assignment, Budget, CACHED, Layers, Query, Solver, solver};

/// Symbols with six bits in all, so that 64 inputs are all there are.
fn symbols() -> [Symbol; 3] {
    [0, 1, 2].map(|id| Symbol::Named { id, width: 2 })
}

fn assignment(number: u32) -> Assignment {
    let mut values = Assignment::new();
    for (at, symbol) in symbols().into_iter().enumerate() {
        values.set(symbol, (number >> (2 * at) & 3).into());
    }
    values
}

fn term(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    if depth == 0 || rng.u32(..8) == 0 {
        if rng.u32(..3) == 0 {
            let bits = rng.u128(..);
            return pool.constant(width, bits);
        }
        let symbol = symbols()[rng.usize(..3)];
        let leaf = pool.symbol(symbol);
        return fit(pool, rng, leaf, width);
    }
    match rng.u32(..10) {
        0 => {
            let a = term(pool, rng, width, depth - 1);
            let op = [Op::Not, Op::Neg, Op::PopCount, Op::LeadingZeros][rng.usize(..4)];
            pool.unary(op, a)
        }
        1 => {
            let condition = condition(pool, rng, depth - 1);
            let (a, b) = (
                term(pool, rng, width, depth - 1),
                term(pool, rng, width, depth - 1),
            );
            pool.ite(condition, a, b)
        }
        2 => {
            let (a, b) = (term(pool, rng, 3, depth - 1), term(pool, rng, 5, depth - 1));
            let both = pool.concat(a, b);
            fit(pool, rng, both, width)
        }
        3 => {
            let entry = term(pool, rng, 8, depth - 1);
            let bytes: Vec<u8> = (0..6).map(|_| rng.u8(..)).collect();
            let table = pool.enter_table(&bytes, &[(2, entry)]);
            let index = term(pool, rng, 3, depth - 1);
            let index = pool.zext(index, 64);
            let read = pool.table_read(table, index, 2);
            fit(pool, rng, read, width)
        }
        _ => {
            let (a, b) = (
                term(pool, rng, width, depth - 1),
                term(pool, rng, width, depth - 1),
            );
            let op = Op::ARITHMETIC[rng.usize(..13)];
            pool.binary(op, a, b)
        }
    }
}

fn condition(pool: &mut Pool, rng: &mut Rng, depth: u32) -> ExprId {
    let width = [1, 2, 7, 8, 32, 64][rng.usize(..6)];
    let (a, b) = (term(pool, rng, width, depth), term(pool, rng, width, depth));
    let op = Op::COMPARISONS[rng.usize(..5)];
    let condition = pool.binary(op, a, b);
    if rng.bool() {
        pool.not(condition)
    } else {
        condition
    }
}

fn satisfying(pool: &Pool, constraints: &[ExprId]) -> usize {
    let mut evaluator = Evaluator::new();
    let satisfies = |number: &u32| {
        evaluator.reset();
        let values = assignment(*number);
        constraints
            .iter()
            .all(|id| evaluator.holds(pool, *id, &values))
    };
    (0..64).filter(satisfies).count()
}

fn check(layers: &mut Layers, pool: &mut Pool, constraints: &[ExprId], hint: u32) {
    let hint = assignment(hint);
    let answer = layers.check(&mut Query {
        pool,
        constraints: constraints.to_vec(),
        hint: &hint,
        budget: Budget::timeout(Duration::from_secs(20)),
    });
    let expected = satisfying(pool, constraints);
    match answer {
        Answer::Sat(model) => {
            let values = hint.with(&model);
            let mut evaluator = Evaluator::new();
            assert!(
                constraints
                    .iter()
                    .all(|id| evaluator.holds(pool, *id, &values))
            );
        }
        Answer::Unsat(core) => {
            assert_eq!(expected, 0);
            let core: Vec<_> = core.0.iter().map(|index| constraints[*index]).collect();
            assert_eq!(satisfying(pool, &core), 0, "the core is satisfiable");
        }
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

#[test]
fn answers_agree_with_trying_all_inputs() {
    let mut layers = solver().unwrap();
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let mut pool = Pool::new();
        let path: Vec<_> = (0..4).map(|_| condition(&mut pool, &mut rng, 3)).collect();
        // As a search does: each step of a path flipped, under the steps before it.
        for length in 0..path.len() {
            let mut constraints = path[..length].to_vec();
            constraints.push(pool.not(path[length]));
            check(&mut layers, &mut pool, &constraints, rng.u32(..64));
        }
        check(&mut layers, &mut pool, &path, rng.u32(..64));
    }
    let statistics = layers.statistics();
    assert_eq!(
        (statistics.unknown, statistics.invalid),
        (0, 0),
        "{statistics:?}"
    );
    assert!(
        statistics.sat > 100 && statistics.unsat > 30,
        "{statistics:?}"
    );
    assert!(
        statistics.answered_by(CACHED) > 20 && statistics.calls > 50,
        "{statistics:?}"
    );
}

#[test]
fn the_same_queries_get_the_same_answers() {
    let run = || {
        let mut layers = solver().unwrap();
        let mut answers = Vec::new();
        for seed in 1000..1040 {
            let mut rng = Rng::with_seed(seed);
            let mut pool = Pool::new();
            let constraints: Vec<_> = (0..3).map(|_| condition(&mut pool, &mut rng, 3)).collect();
            answers.push(layers.check(&mut Query {
                pool: &mut pool,
                constraints,
                hint: &assignment(0),
                budget: Budget::default(),
            }));
        }
        answers
    };
    assert_eq!(run(), run());
}

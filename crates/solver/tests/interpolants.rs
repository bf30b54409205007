//! Interpolants and cores of random small conditions, against trying all values.

use std::time::Duration;

use fastrand::Rng;
use labrys_expr::{Evaluator, ExprId, Op, Pool, Symbol};
use labrys_solver::core::{Cores, NoCore};
use labrys_solver::interpolate::{Defect, Interpolator, NoInterpolant};
use labrys_solver::{Assignment, Budget};

const WIDTH: u8 = 3;
const VALUES: u128 = 1 << WIDTH;

const NUMBERS: [Op; 12] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::URem,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Xor,
];

/// The symbol of A alone, the shared one, and that of B alone.
fn symbols() -> [Symbol; 3] {
    [0, 1, 2].map(|id| Symbol::Named { id, width: WIDTH })
}

fn number(pool: &mut Pool, rng: &mut Rng, symbols: &[Symbol], depth: u32) -> ExprId {
    if depth == 0 || rng.u32(..5) == 0 {
        return match rng.u32(..4) {
            0 => pool.constant(WIDTH.into(), rng.u128(..VALUES)),
            _ => pool.symbol(symbols[rng.usize(..symbols.len())]),
        };
    }
    let a = number(pool, rng, symbols, depth - 1);
    let b = number(pool, rng, symbols, depth - 1);
    match rng.u32(..8) {
        0 => {
            let condition = condition(pool, rng, symbols, depth - 1);
            pool.ite(condition, a, b)
        }
        1 => {
            let both = pool.concat(a, b);
            pool.extract(both, rng.u32(..=u32::from(WIDTH)), WIDTH.into())
        }
        _ => pool.binary(NUMBERS[rng.usize(..NUMBERS.len())], a, b),
    }
}

fn condition(pool: &mut Pool, rng: &mut Rng, symbols: &[Symbol], depth: u32) -> ExprId {
    let a = number(pool, rng, symbols, depth);
    let b = number(pool, rng, symbols, depth);
    let op = Op::COMPARISONS[rng.usize(..5)];
    let condition = pool.binary(op, a, b);
    match rng.u32(..3) {
        0 => pool.not(condition),
        _ => condition,
    }
}

fn conditions(pool: &mut Pool, rng: &mut Rng, symbols: &[Symbol]) -> Vec<ExprId> {
    let count = rng.usize(1..4);
    (0..count)
        .map(|_| condition(pool, rng, symbols, 2))
        .collect()
}

/// Whether some values make all conditions true.
fn is_satisfiable(pool: &Pool, conditions: &[ExprId]) -> bool {
    let mut evaluator = Evaluator::new();
    (0..VALUES.pow(3)).any(|all| {
        let mut values = Assignment::new();
        for (at, symbol) in symbols().into_iter().enumerate() {
            values.set(symbol, all / VALUES.pow(at as u32) % VALUES);
        }
        evaluator.reset();
        let mut conditions = conditions.iter();
        conditions.all(|id| evaluator.holds(pool, *id, &values))
    })
}

fn budget() -> Budget {
    Budget::timeout(Duration::from_secs(60))
}

#[test]
fn interpolants_separate_what_they_are_of() {
    let mut interpolator = Interpolator::new().unwrap();
    let [own, shared, other] = symbols();
    let mut found = 0;
    for seed in 0..250 {
        let mut rng = Rng::with_seed(seed);
        let mut pool = Pool::new();
        let a = conditions(&mut pool, &mut rng, &[own, shared]);
        let b = conditions(&mut pool, &mut rng, &[shared, other]);
        let both = [&a[..], &b].concat();
        let answer = interpolator.interpolate(&mut pool, &a, &b, &budget());
        if is_satisfiable(&pool, &both) {
            assert_eq!(answer, Err(NoInterpolant::Satisfiable), "seed {seed}");
            continue;
        }
        let interpolant = answer.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let symbols = pool.symbols(interpolant);
        assert!(symbols.iter().all(|symbol| symbol == shared), "seed {seed}");
        let negation = pool.not(interpolant);
        let beside_a = [&a[..], &[negation]].concat();
        let beside_b = [&b[..], &[interpolant]].concat();
        assert!(!is_satisfiable(&pool, &beside_a), "seed {seed}");
        assert!(!is_satisfiable(&pool, &beside_b), "seed {seed}");
        found += 1;
    }
    assert!(found > 30, "{found}");
}

#[test]
fn the_check_finds_each_defect() {
    let mut interpolator = Interpolator::new().unwrap();
    let mut pool = Pool::new();
    let [own, shared, other] = symbols().map(|symbol| pool.symbol(symbol));
    let limit = pool.constant(WIDTH.into(), 4);
    let (small, least) = (pool.ult(own, limit), pool.ule(shared, own));
    let (large, most) = (pool.ult(limit, other), pool.ule(other, shared));
    let (a, b) = ([small, least], [large, most]);
    let mut check =
        |pool: &mut Pool, proposed: ExprId| interpolator.check(pool, &a, &b, proposed, &budget());
    let right = pool.ult(shared, limit);
    assert_eq!(check(&mut pool, right), Ok(()));
    assert_eq!(
        check(&mut pool, small),
        Err(Defect::NotShared(symbols()[0]))
    );
    let two = pool.constant(WIDTH.into(), 2);
    let strong = pool.ult(shared, two);
    assert_eq!(check(&mut pool, strong), Err(Defect::NotImplied));
    assert_eq!(check(&mut pool, ExprId::TRUE), Err(Defect::NotContradicted));
}

/// Bitwuzla has no interpolants of floats; conditions on shared symbols do.
#[test]
fn floats_are_separated_by_their_conditions() {
    let mut interpolator = Interpolator::new().unwrap();
    let mut pool = Pool::new();
    let (x, y, z) = (
        pool.input(0, 0, 8),
        pool.input(1, 0, 8),
        pool.input(2, 0, 8),
    );
    let below = pool.binary(Op::FOlt, x, y);
    let above = pool.binary(Op::FOlt, y, x);
    let own = pool.binary(Op::FOle, z, x);
    let interpolant = interpolator.interpolate(&mut pool, &[own, below], &[above], &budget());
    let not_above = pool.not(above);
    assert_eq!(interpolant, Ok(not_above));
}

#[test]
fn cores_are_minimal() {
    let mut cores = Cores::new().unwrap();
    let all = symbols();
    let mut found = 0;
    for seed in 0..250 {
        let mut rng = Rng::with_seed(seed);
        let mut pool = Pool::new();
        let always = conditions(&mut pool, &mut rng, &all);
        let more = [(); 3].map(|()| conditions(&mut pool, &mut rng, &all));
        let constraints = more.concat();
        let both = [&always[..], &constraints].concat();
        let answer = cores.minimal(&mut pool, &always, &constraints, &budget());
        if is_satisfiable(&pool, &both) {
            assert_eq!(answer, Err(NoCore::Satisfiable), "seed {seed}");
            continue;
        }
        let core = answer.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let beside_always = |positions: &[usize]| {
            let chosen = positions.iter().map(|at| constraints[*at]);
            let chosen: Vec<ExprId> = always.iter().copied().chain(chosen).collect();
            is_satisfiable(&pool, &chosen)
        };
        assert!(!beside_always(&core), "seed {seed}");
        for left_out in &core {
            let rest: Vec<usize> = core.iter().copied().filter(|at| at != left_out).collect();
            assert!(beside_always(&rest), "seed {seed}");
        }
        found += 1;
    }
    assert!(found > 30, "{found}");
}

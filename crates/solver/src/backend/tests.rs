//! The back end against evaluation, and its answers to small problems.

use std::collections::BTreeMap;
use std::time::Duration;

use labrys_expr::{ExprId, Op, Pool, Rounding, evaluate};

use super::*;
use crate::query::Budget;

fn backend() -> Backend {
    Backend::new(Settings::default()).unwrap()
}

/// The answer of `backend` within `budget`.
fn answer(
    backend: &mut Backend,
    pool: &mut Pool,
    constraints: &[ExprId],
    budget: Budget,
) -> Answer {
    let hint = Assignment::new();
    let constraints = constraints.to_vec();
    backend.check(&mut Query {
        pool,
        constraints,
        hint: &hint,
        budget,
    })
}

/// The answer of a new back end.
fn check(pool: &mut Pool, constraints: &[ExprId]) -> Answer {
    answer(&mut backend(), pool, constraints, Budget::default())
}

fn model(answer: Answer) -> BTreeMap<Symbol, u128> {
    match answer {
        Answer::Sat(model) => model.0,
        other => panic!("{other:?}"),
    }
}

fn unsat(core: &[usize]) -> Answer {
    Answer::Unsat(Core(core.to_vec()))
}

fn named(pool: &mut Pool, id: u32, width: u8) -> (Symbol, ExprId) {
    let symbol = Symbol::Named { id, width };
    (symbol, pool.symbol(symbol))
}

#[test]
fn bytes_of_a_word_are_found() {
    let mut pool = Pool::new();
    let word = pool.input(0, 0, 4);
    let magic = pool.constant(32, 0x3846_4947);
    let condition = pool.eq(word, magic);
    let model = model(check(&mut pool, &[condition]));
    let bytes: Vec<u8> = model.values().map(|&byte| byte as u8).collect();
    assert_eq!(bytes, b"GIF8");
}

#[test]
fn cores_name_the_constraints() {
    let mut pool = Pool::new();
    let x = pool.input(0, 0, 1);
    let y = pool.input(0, 1, 1);
    let ten = pool.constant(8, 10);
    let constraints = [
        pool.ult(x, ten),
        pool.ult(y, ten),
        pool.ult(ten, y),
        pool.ne(x, y),
    ];
    assert_eq!(check(&mut pool, &constraints), unsat(&[1, 2]));
    assert_eq!(
        check(&mut pool, &[ExprId::TRUE, ExprId::FALSE]),
        unsat(&[1])
    );
}

#[test]
fn pools_may_change_between_problems() {
    let mut backend = backend();
    for value in [3, 250] {
        let mut pool = Pool::new();
        let x = pool.input(0, value, 1);
        let wanted = pool.constant(8, value.into());
        let condition = pool.eq(x, wanted);
        let given = answer(&mut backend, &mut pool, &[condition], Budget::default());
        let symbol = Symbol::Byte {
            stream: 0,
            offset: value,
        };
        assert_eq!(model(given), BTreeMap::from([(symbol, value.into())]));
    }
}

#[test]
fn tables_are_read_at_every_index() {
    let mut pool = Pool::verbatim();
    let bytes: Vec<u8> = (0..100).map(|at: u32| (at * at) as u8).collect();
    let (symbol, entry) = named(&mut pool, 7, 8);
    let table = pool.enter_table(&bytes, &[(42, entry)]);
    let (place, index) = named(&mut pool, 1, 64);
    let (_, byte) = named(&mut pool, 2, 8);
    let narrow = pool.zext(byte, 64);
    let four = pool.constant(64, 4);
    let aligned = pool.binary(Op::Mul, narrow, four);
    let mut backend = backend();
    for at in [
        0,
        1,
        39,
        40,
        41,
        42,
        43,
        96,
        97,
        99,
        100,
        127,
        128,
        u64::MAX,
        u64::MAX - 2,
    ] {
        let read = pool.table_read(table, index, 4);
        let assignment = |asked: Symbol| {
            if asked == place {
                at.into()
            } else {
                u128::from(asked == symbol)
            }
        };
        let value = evaluate(&pool, read, &assignment).unwrap();
        let constants = [(index, at.into()), (entry, 1), (read, value.bits())];
        assert_pinned(&mut backend, &mut pool, &constants);
    }
    // The table's word at index 4 * byte that is 25: 0x...  starts at (4 * 5)^2 = 400 = 0x90.
    let read = pool.table_read(table, aligned, 1);
    let wanted = pool.constant(8, 0x90);
    let condition = pool.eq(read, wanted);
    let model = model(answer(
        &mut backend,
        &mut pool,
        &[condition],
        Budget::default(),
    ));
    let offset = 4 * model[&Symbol::Named { id: 2, width: 8 }] as usize;
    assert_eq!(bytes[offset], 0x90);
}

/// The equations do not contradict each other.
fn assert_satisfiable(backend: &mut Backend, pool: &mut Pool, equations: &[(ExprId, u128)]) {
    let constraints: Vec<_> = equations
        .iter()
        .map(|&(id, bits)| {
            let value = pool.constant(pool.width(id), bits);
            pool.eq(id, value)
        })
        .collect();
    let given = answer(backend, pool, &constraints, Budget::default());
    assert!(matches!(given, Answer::Sat(_)), "{given:?}: {equations:x?}");
}

/// The last equation follows from the ones before it and does not contradict them.
fn assert_pinned(backend: &mut Backend, pool: &mut Pool, equations: &[(ExprId, u128)]) {
    let mut constraints = Vec::new();
    for &(id, bits) in equations {
        let width = pool.width(id);
        let value = pool.constant(width, bits);
        constraints.push(pool.eq(id, value));
    }
    let last = equations.len() - 1;
    let (id, bits) = equations[last];
    let equation = format!(
        "{:?} = {bits:#x} given {:x?}",
        pool.op(id),
        &equations[..last]
    );
    let given = answer(backend, pool, &constraints, Budget::default());
    assert!(matches!(given, Answer::Sat(_)), "{given:?}: {equation}");
    constraints[last] = pool.not(constraints[last]);
    let given = answer(backend, pool, &constraints, Budget::default());
    assert!(
        matches!(given, Answer::Unsat(_)),
        "{given:?}: not {equation}"
    );
}

#[test]
fn large_tables_do_not_decide() {
    let mut pool = Pool::new();
    let bytes: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
    let table = pool.enter_table(&bytes, &[]);
    let (_, index) = named(&mut pool, 0, 64);
    let read = pool.table_read(table, index, 1);
    let wanted = pool.constant(8, 1);
    let condition = pool.eq(read, wanted);
    let third = pool.constant(64, 3);
    let bounded = pool.ult(index, third);
    let contradiction = pool.ult(third, index);
    // A model that happens to be right is a model; what is unsatisfiable without it stays so.
    let given = check(&mut pool, &[condition, bounded]);
    assert!(matches!(
        given,
        Answer::Sat(_) | Answer::Unknown(Reason::Unsupported(_))
    ));
    assert_eq!(
        check(&mut pool, &[condition, bounded, contradiction]),
        unsat(&[1, 2])
    );
}

/// What a read costs follows from its tree: a table of one character class takes next to nothing,
/// one of 4,096 random bytes more than 300 steps.
#[test]
fn tables_cost_what_their_trees_have() {
    let mut random = fastrand::Rng::with_seed(7);
    let digits: Vec<u8> = (0..=255)
        .map(|byte| u8::from((48..58).contains(&byte)))
        .collect();
    let noise: Vec<u8> = (0..4096).map(|_| random.u8(..)).collect();
    let within = |bytes: &[u8], steps| {
        let mut pool = Pool::new();
        let table = pool.enter_table(bytes, &[]);
        let (low, high) = (pool.input(0, 0, 1), pool.input(0, 1, 1));
        let word = pool.concat(high, low);
        let index = pool.zext(word, 64);
        let read = pool.table_read(table, index, 1);
        let one = pool.constant(8, 1);
        let condition = pool.eq(read, one);
        let budget = Budget {
            steps: Some(steps),
            ..Budget::default()
        };
        answer(&mut backend(), &mut pool, &[condition], budget)
    };
    assert!(matches!(within(&digits, 20), Answer::Sat(_)));
    assert_eq!(within(&noise, 300), Answer::Unknown(Reason::Steps));
    assert!(matches!(within(&noise, 20_000), Answer::Sat(_)));
}

#[test]
fn external_calls_are_answered_by_the_function() {
    let mut pool = Pool::new();
    let (_, byte) = named(&mut pool, 0, 8);
    let argument = pool.convert(Op::UToF, byte, 64);
    let float = |pool: &mut Pool, value: f64| pool.constant(64, value.to_bits().into());
    let (half, two) = (float(&mut pool, 0.5), float(&mut pool, 2.0));
    let mut above = |name: &str, bound| {
        let result = pool.external(name, &[argument], 64);
        pool.binary(Op::FOlt, bound, result)
    };
    let (large, huge, unknown) = (above("sin", half), above("sin", two), above("f", half));

    let found = model(check(&mut pool, &[large]));
    let value = found[&Symbol::Named { id: 0, width: 8 }];
    assert!((value as f64).sin() > 0.5);

    let gave_up = |name| Answer::Unknown(Reason::Unsupported(format!("external call {name}")));
    assert_eq!(check(&mut pool, &[huge]), gave_up("sin"));
    assert_eq!(check(&mut pool, &[unknown]), gave_up("f"));
    let denied = pool.not(unknown);
    assert_eq!(check(&mut pool, &[unknown, denied]), unsat(&[0, 1]));
}

/// Two factors of a product of primes are asked for.
fn factors(pool: &mut Pool) -> [ExprId; 3] {
    let (_, x) = named(pool, 0, 31);
    let (_, y) = named(pool, 1, 31);
    let (x, y) = (pool.zext(x, 62), pool.zext(y, 62));
    let product = pool.binary(Op::Mul, x, y);
    let primes = pool.constant(62, 1_500_450_271 * 1_610_612_741);
    let one = pool.constant(62, 1);
    [pool.eq(product, primes), pool.ult(one, x), pool.ult(one, y)]
}

#[test]
fn a_query_ends_at_its_deadline() {
    let mut pool = Pool::new();
    let constraints = factors(&mut pool);
    let budget = Budget::timeout(Duration::from_millis(50));
    let given = answer(&mut backend(), &mut pool, &constraints, budget);
    assert_eq!(given, Answer::Unknown(Reason::Timeout));
}

#[test]
fn a_query_ends_after_its_steps() {
    let mut pool = Pool::new();
    let constraints = factors(&mut pool);
    // More than the circuit costs.
    let given = answer(
        &mut backend(),
        &mut pool,
        &constraints,
        Budget::steps(3_000),
    );
    assert_eq!(given, Answer::Unknown(Reason::Steps));
}

#[test]
fn easy_queries_do_the_same_steps_each_time() {
    let mut pool = Pool::new();
    let [product, x, y] = factors(&mut pool);
    let small = pool.constant(62, 1 << 8);
    let other = {
        let (_, x) = named(&mut pool, 0, 31);
        let x = pool.zext(x, 62);
        pool.ult(x, small)
    };
    let mut left = Vec::new();
    for _ in 0..3 {
        let mut query = Query {
            pool: &mut pool,
            constraints: vec![x, y, other, product],
            hint: &Assignment::new(),
            budget: Budget::steps(1_000_000),
        };
        assert!(matches!(backend().check(&mut query), Answer::Unsat(_)));
        left.push(query.budget.steps);
    }
    assert!(left[0] < Some(1_000_000));
    assert!(left.iter().all(|each| *each == left[0]), "{left:?}");
}

/// Values that are likely to be special.
fn interesting(random: &mut fastrand::Rng, width: u32) -> u128 {
    let one = 1_u128;
    let floats: [f64; 8] = [0.0, -0.0, 1.5, -2.5, 1e300, f64::NAN, f64::INFINITY, 1e-310];
    let bits = match random.u32(..8) {
        0 => u128::from(random.u8(..)),
        1 => u128::from(random.u8(..)).wrapping_neg(),
        2 => one << random.u32(..width),
        3 => (one << random.u32(..width)).wrapping_sub(1),
        4 if width == 64 => floats[random.usize(..8)].to_bits().into(),
        4 if width == 32 => (floats[random.usize(..8)] as f32).to_bits().into(),
        5 if width == 64 => (f64::from(random.i16(..)) / 16.0).to_bits().into(),
        5 if width == 32 => (f32::from(random.i16(..)) / 16.0).to_bits().into(),
        _ => random.u128(..),
    };
    bits & (u128::MAX >> (128 - width))
}

/// One application of every operation to symbols of a random width.
fn applications(pool: &mut Pool, random: &mut fastrand::Rng, symbols: &[ExprId]) -> Vec<ExprId> {
    let width = pool.width(symbols[0]);
    let is_float = matches!(width, 32 | 64);
    let (a, b, bit) = (symbols[0], symbols[1], symbols[2]);
    let mut all = Vec::new();
    for op in Op::ALL {
        let float = op.takes_floats() || op.gives_float();
        let convertible = is_float || !op.takes_floats();
        match op {
            Op::FRem => {}
            Op::FToF | Op::UToF | Op::SToF if convertible => {
                all.push(pool.convert(op, a, 32));
                all.push(pool.convert(op, a, 64));
            }
            Op::FToU | Op::FToS if is_float => {
                for to in [8, 32, 64, 128] {
                    all.push(pool.convert(op, a, to));
                }
            }
            _ if float && !is_float => {}
            _ if op.is_unary() => all.push(pool.unary(op, a)),
            _ if op.is_binary() => all.push(pool.binary(op, a, b)),
            _ => {}
        }
    }
    if is_float {
        for mode in 0..5 {
            all.extend(Rounding::from_u8(mode).map(|mode| pool.round(mode, a)));
        }
    }
    let low = random.u32(..width);
    all.push(pool.extract(a, low, random.u32(1..=width - low)));
    all.push(pool.zext(a, random.u32(width..=128)));
    all.push(pool.sext(a, random.u32(width..=128)));
    all.push(pool.ite(bit, a, b));
    if width <= 64 {
        all.push(pool.concat(a, b));
    }
    all
}

/// Every operation means for the solver what it means for evaluation.
#[test]
fn operations_agree_with_evaluation() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut backend = backend();
    for round in 0..16 {
        let width = [1, 8, 32, 64, 128, 32, 64, random.u32(2..=128)][round % 8];
        let mut pool = Pool::verbatim();
        let widths = [width as u8, width as u8, 1];
        let symbols: Vec<_> = (0..3)
            .map(|id| named(&mut pool, id, widths[id as usize]))
            .collect();
        let ids: Vec<_> = symbols.iter().map(|(_, id)| *id).collect();
        let values: Vec<_> = widths
            .iter()
            .map(|&width| interesting(&mut random, width.into()))
            .collect();
        let assignment = |asked: Symbol| match asked {
            Symbol::Named { id, .. } => values[id as usize],
            _ => 0,
        };
        for applied in applications(&mut pool, &mut random, &ids) {
            let value = evaluate(&pool, applied, &assignment).unwrap();
            let mut equations: Vec<_> = ids.iter().copied().zip(values.clone()).collect();
            equations.push((applied, value.bits()));
            assert_pinned(&mut backend, &mut pool, &equations);
        }
    }
}

#[test]
fn remainders_have_the_sign_of_the_dividend() {
    let numbers = [
        (7.5, 2.0),
        (-5.25, 0.75),
        (0.5, 3.0),
        (-6.0, 2.0),
        (1e30, 3.0),
        (1.0, 0.0),
    ];
    let mut backend = backend();
    for (a, b) in numbers {
        for width in [32, 64] {
            let mut pool = Pool::verbatim();
            let (_, x) = named(&mut pool, 0, width);
            let (_, y) = named(&mut pool, 1, width);
            let bits = |number: f64| match width {
                32 => (number as f32).to_bits().into(),
                _ => number.to_bits().into(),
            };
            let remainder = pool.binary(Op::FRem, x, y);
            let assignment = |symbol: Symbol| {
                bits(if symbol == (Symbol::Named { id: 0, width }) {
                    a
                } else {
                    b
                })
            };
            let value = evaluate(&pool, remainder, &assignment).unwrap();
            let equations = [(x, bits(a)), (y, bits(b)), (remainder, value.bits())];
            if width == 32 {
                assert_pinned(&mut backend, &mut pool, &equations);
            } else {
                assert_satisfiable(&mut backend, &mut pool, &equations);
            }
        }
    }
}

#[test]
fn remainders_are_below_the_divisor() {
    let mut pool = Pool::new();
    let (_, x) = named(&mut pool, 0, 64);
    let float = |pool: &mut Pool, value: f64| pool.constant(64, value.to_bits().into());
    let (ten, eleven) = (float(&mut pool, 10.0), float(&mut pool, 11.0));
    let remainder = pool.binary(Op::FRem, x, ten);
    let above = pool.binary(Op::FOlt, eleven, remainder);
    assert_eq!(check(&mut pool, &[above]), unsat(&[0]));
}

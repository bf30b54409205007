//! What is printed as SMT-LIB and read again means the same, floats, tables and counts included.

mod common;

use common::fit;
use fastrand::Rng;
use labrys_expr::{ExprId, Op, Pool, Rounding, Symbol, evaluate};
use labrys_solver::{Answer, Assignment, Budget, Layers, smtlib, solver};

const WIDTHS: [u32; 5] = [1, 8, 32, 64, 100];

fn symbol(rng: &mut Rng) -> Symbol {
    let id = rng.u32(..5);
    Symbol::Named {
        id,
        width: WIDTHS[id as usize] as u8,
    }
}

fn term(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    if depth == 0 {
        let leaf = pool.symbol(symbol(rng));
        return fit(pool, rng, leaf, width);
    }
    let below = depth - 1;
    match rng.u32(..12) {
        0 => pool.constant(width, rng.u128(..)),
        1 => {
            let a = term(pool, rng, width, below);
            let unary = [
                Op::Not,
                Op::Neg,
                Op::PopCount,
                Op::LeadingZeros,
                Op::TrailingZeros,
            ];
            pool.unary(unary[rng.usize(..5)], a)
        }
        2 => {
            let (a, b) = (term(pool, rng, 9, below), term(pool, rng, 17, below));
            let both = pool.concat(a, b);
            fit(pool, rng, both, width)
        }
        3 => {
            let condition = predicate(pool, rng, below);
            let (a, b) = (term(pool, rng, width, below), term(pool, rng, width, below));
            pool.ite(condition, a, b)
        }
        4 => {
            let entry = term(pool, rng, 8, below);
            let table = pool.enter_table(&[3, 1, 4, 1, 5, 9], &[(4, entry)]);
            let index = term(pool, rng, 3, below);
            let index = pool.zext(index, 64);
            let read = pool.table_read(table, index, 2);
            fit(pool, rng, read, width)
        }
        5..=7 => {
            let from = [32, 64][rng.usize(..2)];
            let value = float(pool, rng, from, below);
            let value = match rng.u32(..3) {
                0 => pool.convert(Op::FToS, value, 8 + rng.u32(..57)),
                1 => pool.convert(Op::FToU, value, 8 + rng.u32(..57)),
                _ => value,
            };
            fit(pool, rng, value, width)
        }
        _ => {
            let (a, b) = (term(pool, rng, width, below), term(pool, rng, width, below));
            pool.binary(Op::ARITHMETIC[rng.usize(..13)], a, b)
        }
    }
}

fn float(pool: &mut Pool, rng: &mut Rng, width: u32, depth: u32) -> ExprId {
    if depth == 0 {
        return term(pool, rng, width, 0);
    }
    let a = float(pool, rng, width, depth - 1);
    match rng.u32(..8) {
        0 => pool.unary([Op::FNeg, Op::FAbs, Op::FSqrt][rng.usize(..3)], a),
        1 => pool.round(Rounding::ALL[rng.usize(..5)], a),
        2 => {
            let other = float(pool, rng, 96 - width, depth - 1);
            pool.convert(Op::FToF, other, width)
        }
        3 => {
            let number = term(pool, rng, 20, depth - 1);
            pool.convert([Op::UToF, Op::SToF][rng.usize(..2)], number, width)
        }
        4 => term(pool, rng, width, depth - 1),
        _ => {
            let b = float(pool, rng, width, depth - 1);
            pool.binary(Op::FLOAT_ARITHMETIC[rng.usize(..5)], a, b)
        }
    }
}

fn predicate(pool: &mut Pool, rng: &mut Rng, depth: u32) -> ExprId {
    if rng.u32(..3) == 0 {
        let (a, b) = (float(pool, rng, 64, depth), float(pool, rng, 64, depth));
        return pool.binary(Op::FLOAT_COMPARISONS[rng.usize(..4)], a, b);
    }
    let width = WIDTHS[rng.usize(..5)];
    let (a, b) = (term(pool, rng, width, depth), term(pool, rng, width, depth));
    pool.binary(Op::COMPARISONS[rng.usize(..5)], a, b)
}

fn bits(rng: &mut Rng, width: u8) -> u128 {
    match (width, rng.u32(..3)) {
        (32, 0) => (rng.i32(-50..50) as f32 / 4.0).to_bits().into(),
        (64, 0) => (f64::from(rng.i32(-50..50)) / 4.0).to_bits().into(),
        (_, 1) => rng.u128(..20),
        _ => rng.u128(..),
    }
}

/// Whether the printed condition can be true when all symbols are given.
fn printed_value(layers: &mut Layers, pool: &Pool, id: ExprId, values: &Assignment) -> bool {
    let mut text = pool.to_smtlib(&[id]).replace("(check-sat)", "");
    for symbol in pool.symbols(id).iter() {
        let value = labrys_expr::Value::new(symbol.width(), values.get(symbol));
        // A symbol may be used by nothing that is printed.
        if text.contains(&format!("(declare-const {symbol} ")) {
            text.push_str(&format!("(assert (= {symbol} {value}))\n"));
        }
    }
    text.push_str("(check-sat)");
    let mut script = smtlib::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut output = String::new();
    let answers = script
        .run(layers, &Budget::default(), &mut output)
        .expect("a string");
    match answers[..] {
        [Answer::Sat(_)] => true,
        [Answer::Unsat(_)] => false,
        _ => panic!("{output}\n{text}"),
    }
}

#[test]
fn printed_conditions_keep_their_meaning() {
    let mut layers = solver().expect("Bitwuzla");
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let mut pool = if seed % 2 == 0 {
            Pool::new()
        } else {
            Pool::verbatim()
        };
        let id = predicate(&mut pool, &mut rng, 3);
        let mut values = Assignment::new();
        for id in 0..5 {
            let width = WIDTHS[id as usize] as u8;
            values.set(Symbol::Named { id, width }, bits(&mut rng, width));
        }
        let expected = evaluate(&pool, id, &values)
            .expect("no external calls")
            .is_true();
        let found = printed_value(&mut layers, &pool, id, &values);
        assert_eq!(found, expected, "seed {seed}: {}", pool.display(id));
    }
}

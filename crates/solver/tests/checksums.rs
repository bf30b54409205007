//! Checksums over thousands of input bytes are solved by changing a few of them.

use std::time::{Duration, Instant};

use labrys_expr::{ExprId, Op, Pool, Value, evaluate};
use labrys_solver::{Answer, Assignment, Budget, Query, Solver, solver};

const LENGTH: u32 = 4096;

/// CRC-32 by a table of 256 words, as zlib computes it.
fn crc32(pool: &mut Pool, length: u32) -> ExprId {
    let mut bytes = Vec::new();
    for index in 0..256u32 {
        let step = |crc: u32, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        };
        bytes.extend((0..8).fold(index, step).to_le_bytes());
    }
    let table = pool.enter_table(&bytes, &[]);
    let mut crc = pool.constant(32, 0xffff_ffff);
    let (ones, eight) = (pool.constant(32, 0xff), pool.constant(32, 8));
    let four = pool.constant(64, 4);
    for offset in 0..length {
        let next = pool.input(0, offset, 1);
        let next = pool.zext(next, 32);
        let mixed = pool.xor(crc, next);
        let index = pool.and(mixed, ones);
        let index = pool.zext(index, 64);
        let index = pool.mul(index, four);
        let entry = pool.table_read(table, index, 4);
        let shifted = pool.binary(Op::LShr, crc, eight);
        crc = pool.xor(entry, shifted);
    }
    pool.not(crc)
}

/// CRC-32 bit by bit, with a choice for each bit.
fn crc32_bitwise(pool: &mut Pool, length: u32) -> ExprId {
    let mut crc = pool.constant(32, 0xffff_ffff);
    let (one, polynomial) = (pool.constant(32, 1), pool.constant(32, 0xedb8_8320));
    for offset in 0..length {
        let next = pool.input(0, offset, 1);
        let next = pool.zext(next, 32);
        crc = pool.xor(crc, next);
        for _ in 0..8 {
            let low = pool.and(crc, one);
            let half = pool.binary(Op::LShr, crc, one);
            let mixed = pool.xor(half, polynomial);
            let is_odd = pool.eq(low, one);
            crc = pool.ite(is_odd, mixed, half);
        }
    }
    pool.not(crc)
}

fn adler32(pool: &mut Pool, length: u32) -> ExprId {
    let (mut a, mut b) = (pool.constant(32, 1), pool.constant(32, 0));
    let (prime, sixteen) = (pool.constant(32, 65521), pool.constant(32, 16));
    for offset in 0..length {
        let next = pool.input(0, offset, 1);
        let next = pool.zext(next, 32);
        let sum = pool.add(a, next);
        a = pool.binary(Op::URem, sum, prime);
        let sum = pool.add(b, a);
        b = pool.binary(Op::URem, sum, prime);
    }
    let high = pool.binary(Op::Shl, b, sixteen);
    pool.or(high, a)
}

fn sum16(pool: &mut Pool, length: u32) -> ExprId {
    let mut sum = pool.constant(32, 0);
    for offset in 0..length {
        let next = pool.input(0, offset, 1);
        let next = pool.zext(next, 32);
        sum = pool.add(sum, next);
    }
    let low = pool.constant(32, 0xffff);
    pool.and(sum, low)
}

/// Solves the goal, beside `others`, from an input of letters; the layer that answered.
#[track_caller]
fn solve(
    pool: &mut Pool,
    others: Vec<ExprId>,
    goal: ExprId,
    hint: &Assignment,
) -> Option<&'static str> {
    let mut layers = solver().expect("Bitwuzla");
    let mut constraints = others;
    constraints.push(goal);
    let started = Instant::now();
    let answer = layers.check(&mut Query {
        pool,
        constraints: constraints.clone(),
        hint,
        budget: Budget::timeout(Duration::from_secs(20)),
    });
    eprintln!("{:?} {:?}", started.elapsed(), layers.statistics());
    let Answer::Sat(model) = answer else {
        panic!("{answer:?}")
    };
    let values = hint.with(&model);
    for constraint in constraints {
        let value = evaluate(pool, constraint, &values);
        assert!(value.is_some_and(Value::is_true));
    }
    layers.answered_by()
}

fn letters() -> Vec<u8> {
    (0..LENGTH + 4).map(|i| b'a' + (i * 7 % 26) as u8).collect()
}

type Checksum = fn(&mut Pool, u32) -> ExprId;
const CHECKSUMS: [(&str, Checksum); 4] = [
    ("crc32", crc32),
    ("crc32_bitwise", crc32_bitwise),
    ("adler32", adler32),
    ("sum16", sum16),
];

#[test]
fn a_stored_checksum_is_made_to_fit() {
    for (name, checksum) in CHECKSUMS {
        let mut pool = Pool::new();
        let computed = checksum(&mut pool, LENGTH);
        let stored = pool.input(0, LENGTH, 4);
        let goal = pool.eq(computed, stored);
        eprint!("{name}: ");
        let hint = Assignment::from_streams([letters()]);
        assert_eq!(solve(&mut pool, vec![], goal, &hint), Some("restricted"));
    }
}

#[test]
fn a_byte_under_a_checksum_is_changed_together_with_it() {
    for (name, checksum) in CHECKSUMS {
        let mut pool = Pool::new();
        let computed = checksum(&mut pool, LENGTH);
        let stored = pool.input(0, LENGTH, 4);
        let fits = pool.eq(computed, stored);
        let mut bytes = letters();
        let values = Assignment::from_streams([bytes.clone()]);
        let sum = evaluate(&pool, computed, &values).unwrap().bits() as u32;
        bytes[LENGTH as usize..].copy_from_slice(&sum.to_le_bytes());
        let hint = Assignment::from_streams([bytes]);
        let (first, capital) = (pool.input(0, 100, 1), pool.constant(8, 0x41));
        let goal = pool.eq(first, capital);
        eprint!("{name}: ");
        let layer = solve(&mut pool, vec![fits], goal, &hint);
        assert_eq!(layer, Some("restricted"));
    }
}

#[test]
fn a_checksum_of_input_is_brought_to_a_constant() {
    let other: Vec<u8> = (0..256).map(|i| b'a' + (i * 5 % 26) as u8).collect();
    let other = Assignment::from_streams([other]);
    for (name, checksum) in CHECKSUMS.into_iter().filter(|(name, _)| *name != "adler32") {
        let mut pool = Pool::new();
        let computed = checksum(&mut pool, 256);
        let wanted = evaluate(&pool, computed, &other).unwrap();
        let wanted = pool.constant_value(wanted);
        let goal = pool.eq(computed, wanted);
        eprint!("{name}: ");
        let hint = Assignment::from_streams([letters()]);
        solve(&mut pool, vec![], goal, &hint);
    }
}

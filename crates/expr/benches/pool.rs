//! Construction of new and of known nodes, evaluation and rebuilding.
//!
//! Criterion shows elements per second: nodes built or evaluated.

#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use labrys_expr::{Evaluator, ExprId, Op, Pool, Rebuilt, Symbol};

const STEPS: u32 = 100_000;

/// A checksum over 4 KiB with comparisons; returns the conditions and the number of constructor
/// calls.
fn checksum(pool: &mut Pool) -> (Vec<ExprId>, u64) {
    let mut conditions = Vec::new();
    let mut a = pool.constant(32, 1);
    let mut b = pool.constant(32, 0);
    let mut calls = 2;
    for i in 0..STEPS / 10 {
        let byte = pool.symbol(Symbol::Byte {
            stream: 0,
            offset: i % 4096,
        });
        let wide = pool.zext(byte, 32);
        a = pool.add(a, wide);
        let mixed = pool.xor(a, b);
        b = pool.add(b, mixed);
        let prime = pool.constant(32, 65521);
        a = pool.binary(Op::URem, a, prime);
        let condition = pool.ult(a, b);
        let limit = pool.constant(8, u128::from(i % 200));
        let small = pool.ult(byte, limit);
        conditions.push(pool.and(condition, small));
        calls += 10;
    }
    (conditions, calls)
}

/// Independent sums: one new node in each call, without a rule that applies.
fn sums(pool: &mut Pool, leaves: &[ExprId]) {
    for (i, &a) in leaves.iter().enumerate() {
        for &b in &leaves[i + 1..] {
            black_box(pool.mul(a, b));
        }
    }
}

fn leaves(pool: &mut Pool) -> Vec<ExprId> {
    (0..450)
        .map(|i| pool.symbol(Symbol::Length { stream: i }))
        .collect()
}

fn construction(c: &mut Criterion) {
    let mut group = c.benchmark_group("construct");
    group.throughput(Throughput::Elements(450 * 449 / 2));
    group.bench_function("new", |bench| {
        let setup = || {
            let mut pool = Pool::new();
            let leaves = leaves(&mut pool);
            (pool, leaves)
        };
        bench.iter_batched_ref(
            setup,
            |(pool, leaves)| sums(pool, leaves),
            BatchSize::LargeInput,
        );
    });
    group.bench_function("known", |bench| {
        let mut pool = Pool::new();
        let leaves = leaves(&mut pool);
        sums(&mut pool, &leaves);
        bench.iter(|| sums(&mut pool, &leaves));
    });
    let calls = checksum(&mut Pool::new()).1;
    group.throughput(Throughput::Elements(calls));
    group.bench_function("checksum", |bench| {
        bench.iter_batched_ref(Pool::new, |pool| checksum(pool).1, BatchSize::LargeInput);
    });
    group.bench_function("checksum again", |bench| {
        let mut pool = Pool::new();
        checksum(&mut pool);
        bench.iter(|| checksum(&mut pool).1);
    });
    group.finish();
}

fn evaluation(c: &mut Criterion) {
    let mut pool = Pool::new();
    let conditions = checksum(&mut pool).0;
    let mut group = c.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(pool.len() as u64));
    group.bench_function("checksum", |bench| {
        let mut evaluator = Evaluator::new();
        bench.iter(|| {
            evaluator.reset();
            let hold = |id: &&ExprId| evaluator.holds(&pool, **id, &|_| 7);
            conditions.iter().filter(hold).count()
        });
    });
    group.bench_function("rebuild", |bench| {
        let mut rebuilt = Rebuilt::new();
        let mut other = Pool::new();
        bench.iter(|| {
            rebuilt.reset();
            other.clear();
            for id in &conditions {
                other.rebuild(Some(&pool), *id, &mut rebuilt, &mut |_, _| None);
            }
            other.len()
        });
    });
    group.finish();
}

criterion_group!(benches, construction, evaluation);
criterion_main!(benches);

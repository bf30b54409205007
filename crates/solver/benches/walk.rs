//! Compiled objectives: time to compile 100 nodes, evaluations per second of 100 nodes.

#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use labrys_expr::{ExprId, Op, Pool};
use labrys_solver::walk::Distances;

/// A polynomial of two words in the form of Horner, of about `nodes` nodes.
fn integers(pool: &mut Pool, nodes: u32) -> ExprId {
    let (x, y) = (pool.input(0, 0, 8), pool.input(0, 8, 8));
    let mut sum = x;
    for i in 0..nodes / 4 {
        let product = pool.mul(sum, y);
        let constant = pool.constant(64, u128::from(i) * 77 + 3);
        let shifted = pool.add(product, constant);
        sum = pool.binary(Op::Xor, shifted, x);
    }
    let wanted = pool.constant(64, 0x1234_5678_9abc);
    pool.eq(sum, wanted)
}

/// The same over doubles.
fn floats(pool: &mut Pool, nodes: u32) -> ExprId {
    let (x, y) = (pool.input(0, 0, 8), pool.input(0, 8, 8));
    let mut sum = x;
    for i in 0..nodes / 4 {
        let product = pool.binary(Op::FMul, sum, y);
        let constant = pool.constant(64, f64::from(i + 1).to_bits().into());
        let shifted = pool.binary(Op::FAdd, product, constant);
        sum = pool.binary(Op::FSub, shifted, x);
    }
    let wanted = pool.constant(64, 1000f64.to_bits().into());
    pool.binary(Op::FOlt, wanted, sum)
}

type Build = fn(&mut Pool, u32) -> ExprId;

fn objectives(criterion: &mut Criterion) {
    let forms: [(&str, Build); 2] = [("integers", integers), ("floats", floats)];
    for (name, build) in forms {
        let mut pool = Pool::new();
        let condition = build(&mut pool, 100);
        let mut distances = Distances::default();
        criterion.bench_function(&format!("compile 100 nodes of {name}"), |bencher| {
            bencher.iter(|| distances.compile(&pool, &[condition]).map(|d| d.inputs()));
        });
        let mut distance = distances
            .compile(&pool, &[condition])
            .expect("two variables");
        // As doubles they are normal numbers, whose arithmetic is not slowed down by the processor.
        let mut values = vec![1.5f64.to_bits(); distance.inputs()];
        criterion.bench_function(&format!("evaluate 100 nodes of {name}"), |bencher| {
            bencher.iter(|| {
                values[0] = values[0].wrapping_add(12345);
                black_box(distance.at(&values)[0])
            });
        });
    }
}

criterion_group!(benches, objectives);
criterion_main!(benches);

//! One query of each kind, by the whole stack and by the stack without what searches before the back
//! end.
//!
//! Each measurement starts with an empty cache. A query that is given up costs its steps.

#![allow(missing_docs)]

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use labrys_solver::smtlib::{self, Script};
use labrys_solver::{Budget, Layers, solver};

/// Steps for one query.
const STEPS: u64 = 20_000;

/// Declares bytes `b0`, `b1`, … and asserts these conditions.
fn script(bytes: usize, conditions: &[String]) -> String {
    let mut text = String::from("(set-logic QF_BV)\n");
    for byte in 0..bytes {
        writeln!(text, "(declare-const b{byte} (_ BitVec 8))").expect("a string");
    }
    for condition in conditions {
        writeln!(text, "(assert {condition})").expect("a string");
    }
    text + "(check-sat)\n"
}

/// Digits of a number in base ten, and the number at 64 bits.
fn number(digits: usize) -> (Vec<String>, String) {
    let mut conditions = Vec::new();
    let mut value = String::from("(_ bv0 64)");
    for digit in 0..digits {
        conditions.push(format!("(bvule #x30 b{digit})"));
        conditions.push(format!("(bvule b{digit} #x39)"));
        let digit = format!("((_ zero_extend 56) (bvsub b{digit} #x30))");
        value = format!("(bvadd (bvmul {value} (_ bv10 64)) {digit})");
    }
    (conditions, value)
}

fn is_number(digits: usize, value: u64) -> String {
    let (mut conditions, sum) = number(digits);
    conditions.push(format!("(= {sum} (_ bv{value} 64))"));
    script(digits, &conditions)
}

/// A CRC over bytes with one condition on each.
fn checksum(bytes: usize) -> String {
    let mut conditions = Vec::new();
    let mut crc = String::from("#xffffffff");
    for byte in 0..bytes {
        conditions.push(format!("(bvult b{byte} #xf0)"));
        let mut step = format!("(bvxor {crc} ((_ zero_extend 24) b{byte}))");
        for _ in 0..8 {
            let odd = "(= ((_ extract 0 0) c) #b1)";
            let shifted = "(bvlshr c #x00000001)";
            let next = format!("(ite {odd} (bvxor {shifted} #xedb88320) {shifted})");
            step = format!("(let ((c {step})) {next})");
        }
        crc = step;
    }
    conditions.push(format!("(= {crc} #xcafebabe)"));
    script(bytes, &conditions)
}

fn product() -> String {
    let words = [0, 4].map(|at| format!("(concat b{at} b{} b{} b{})", at + 1, at + 2, at + 3));
    let wide = words.map(|word| format!("((_ zero_extend 32) {word})"));
    let small = |word: &str| format!("(bvult {word} (_ bv1000000 64))");
    let conditions = [
        format!("(= (bvmul {} {}) (_ bv999962000357 64))", wide[0], wide[1]),
        small(&wide[0]),
        small(&wide[1]),
    ];
    script(8, &conditions)
}

fn check(script: &mut Script, mut layers: Layers) {
    let mut replies = String::new();
    let answers = script.run(&mut layers, &Budget::steps(STEPS), &mut replies);
    black_box(answers.expect("a string"));
}

fn queries(criterion: &mut Criterion) {
    let kinds = [
        ("number", is_number(15, 123_456_789_012_345)),
        ("no number", is_number(15, 1 << 60)),
        ("crc of 12", checksum(12)),
        ("crc of 64", checksum(64)),
        ("product", product()),
    ];
    let mut group = criterion.benchmark_group("query");
    group.sample_size(10);
    for (name, text) in &kinds {
        let read = || smtlib::read(text).expect("a script");
        let whole = || solver().expect("Bitwuzla is there");
        group.bench_function(format!("{name}/stack"), |bencher| {
            bencher.iter_batched(
                || (read(), whole()),
                |(mut script, layers)| check(&mut script, layers),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(format!("{name}/back end"), |bencher| {
            bencher.iter_batched(
                || (read(), whole().without_own_search()),
                |(mut script, layers)| check(&mut script, layers),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, queries);
criterion_main!(benches);

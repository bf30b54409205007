//! How fast traces are validated, decoded and sliced.
//!
//! `checksum` is the worst case: 65,536 bytes are summed up, and each sum is compared; every
//! step depends on all before it. `parser` compares each byte with a few constants.

#![allow(missing_docs)] // What the macros make.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use labrys_abi::{Event, EventKind, Node, Op, flag};
use labrys_program::Program;
use labrys_trace::{Recording, Trace};

const BYTES: u64 = 65_536;

struct Builder(Recording);

impl Builder {
    fn new() -> Self {
        Self(Recording {
            nodes: vec![Node::default()],
            ..Recording::default()
        })
    }

    fn node(&mut self, op: Op, width: u16, node: Node) -> u32 {
        let op = op as u8;
        self.0.nodes.push(Node { op, width, ..node });
        self.0.nodes.len() as u32 - 1
    }

    fn byte(&mut self, offset: u64) -> u32 {
        let imm = offset;
        self.node(
            Op::Input,
            8,
            Node {
                imm,
                ..Node::default()
            },
        )
    }

    fn branch_if_equal(&mut self, a: u32, width: u32, imm: u64) {
        let (flags, c) = (flag::B_IMMEDIATE, width);
        let label = self.node(
            Op::Eq,
            1,
            Node {
                flags,
                a,
                c,
                imm,
                ..Node::default()
            },
        );
        let kind = EventKind::Branch as u8;
        self.0.events.push(Event {
            kind,
            label,
            ..Event::default()
        });
    }
}

fn checksum() -> Recording {
    let mut builder = Builder::new();
    let mut sum = None;
    for offset in 0..BYTES {
        let byte = builder.byte(offset);
        let wide = builder.node(
            Op::ZExt,
            32,
            Node {
                a: byte,
                ..Node::default()
            },
        );
        let next = match sum {
            None => wide,
            Some(b) => builder.node(
                Op::Add,
                32,
                Node {
                    a: wide,
                    b,
                    ..Node::default()
                },
            ),
        };
        builder.branch_if_equal(next, 32, u64::MAX >> 32);
        sum = Some(next);
    }
    builder.0
}

fn parser() -> Recording {
    let mut builder = Builder::new();
    for offset in 0..BYTES / 2 {
        let byte = builder.byte(offset);
        for constant in [b' ', b'"', b'{'] {
            builder.branch_if_equal(byte, 8, u64::from(constant));
        }
    }
    builder.0
}

fn trace(recording: &Recording) -> Trace {
    Trace::new(recording.clone(), &Program::default()).expect("a valid recording")
}

fn decode_all(trace: &Trace) -> usize {
    let mut decoder = trace.decoder();
    for step in 0..trace.steps().len() {
        trace.condition(&mut decoder, step);
    }
    decoder.decoded()
}

fn benches(criterion: &mut Criterion) {
    for (name, recording) in [("checksum", checksum()), ("parser", parser())] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        println!(
            "{name}: {} nodes, {} events",
            recording.nodes.len(),
            recording.events.len()
        );
        group.bench_function("copy and validate", |bencher| {
            bencher.iter(|| trace(&recording).steps().len());
        });
        let decoded = trace(&recording);
        group.bench_function("decode all conditions", |bencher| {
            bencher.iter(|| decode_all(&decoded));
        });
        group.bench_function("slice of the last step", |bencher| {
            let fresh = || trace(&recording);
            bencher.iter_batched_ref(
                fresh,
                |trace| trace.slice(trace.steps().len() - 1).len(),
                BatchSize::LargeInput,
            );
        });
        group.bench_function("one more slice", |bencher| {
            let mut step = 0;
            bencher.iter(|| {
                step = (step + 7919) % decoded.steps().len();
                black_box(decoded.slice(step)).len()
            });
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);

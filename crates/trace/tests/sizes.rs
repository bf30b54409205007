//! Other sizes of an allocation, against the computation of the program itself.

#![allow(missing_docs, clippy::unwrap_used)]

use labrys_abi::{Event, EventKind, Node, Op, SIZE_SITE, flag};
use labrys_expr::{Evaluator, Symbol};
use labrys_program::Program;
use labrys_trace::{Recording, SizeFlip, Trace};

/// The recording of `malloc((uint16_t)(n * factor + 1))` with a 16-bit `n`, where the size was
/// `now`.
fn allocation(factor: u16, now: u64) -> Trace {
    let flags = flag::B_IMMEDIATE;
    let input = |op: Op, width, a| Node {
        op: op as u8,
        width,
        a,
        ..Node::default()
    };
    let binary = |op: Op, a, imm| Node {
        flags,
        imm,
        ..input(op, 16, a)
    };
    let nodes = vec![
        Node::default(),
        input(Op::Input, 16, 0),
        binary(Op::Mul, 1, u64::from(factor)),
        binary(Op::Add, 2, 1),
        Node {
            cv: now,
            ..input(Op::ZExt, 64, 3)
        },
    ];
    let event = Event {
        kind: EventKind::Concretize as u8,
        site: SIZE_SITE,
        label: 4,
        a: now,
        ..Event::default()
    };
    let recording = Recording {
        nodes,
        events: vec![event],
        ..Recording::default()
    };
    Trace::new(recording, &Program::default()).unwrap()
}

/// Whether the computation with this input has a size that was asked for.
fn fits(flip: SizeFlip, factor: u16, now: u64, n: u16) -> bool {
    let (product, first) = n.overflowing_mul(factor);
    let (size, second) = product.overflowing_add(1);
    match flip {
        SizeFlip::Smaller => u64::from(size) < now,
        SizeFlip::Huge | SizeFlip::Large => false,
        SizeFlip::Wraps => (first || second) && size <= 4096,
    }
}

#[test]
fn sizes_are_what_they_are_called() {
    for (factor, now) in [(1, 0), (1, 40), (12, 1), (12, 60001), (0x8001, 9000)] {
        let trace = allocation(factor, now);
        let step = trace.steps()[0];
        assert!(step.is_size() && step.soft);
        let directions: Vec<u32> = trace.alternatives(0).collect();
        assert_eq!(directions, [1, 2, 3, 4]);
        let mut decoder = trace.decoder();
        for direction in directions {
            let flip = SizeFlip::of(direction).unwrap();
            let condition = trace.flipped(&mut decoder, 0, direction);
            for n in (0..=u16::MAX).step_by(7) {
                let input = |symbol| match symbol {
                    Symbol::Byte { offset, .. } => u128::from(n.to_le_bytes()[offset as usize]),
                    _ => 0,
                };
                let holds = Evaluator::new().holds(decoder.pool(), condition, &input);
                let wanted = fits(flip, factor, now, n);
                assert_eq!(holds, wanted, "{flip:?}, factor {factor}, now {now}, n {n}");
            }
        }
    }
}

/// What is added to wrap around on purpose is a subtraction.
#[test]
fn a_subtraction_does_not_wrap() {
    let mut recording = allocation(1, 3).into_recording();
    recording.nodes[3].imm = 0xffff;
    let trace = Trace::new(recording, &Program::default()).unwrap();
    let mut decoder = trace.decoder();
    let wraps = trace.flipped(&mut decoder, 0, SizeFlip::Wraps as u32);
    assert_eq!(wraps, labrys_expr::ExprId::FALSE);
}

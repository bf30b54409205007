//! The bounds of indices, against all values of the byte that an index is made of.

#![allow(missing_docs, unsafe_code)]

#[path = "../src/record/bound.rs"]
mod bound;

/// What the runtime's table of nodes is to the bounds: here one for each thread.
mod node {
    use std::cell::RefCell;

    use labrys_abi::Node;

    thread_local! {
        pub(crate) static NODES: RefCell<Vec<Node>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) fn node(label: u32) -> Node {
        NODES.with_borrow(|nodes| nodes[label as usize])
    }

    pub(crate) fn append(node: Node) -> u32 {
        NODES.with_borrow_mut(|nodes| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    pub(crate) fn mask(value: u64, width: u32) -> u64 {
        if width >= 64 {
            value
        } else {
            value & ((1 << width) - 1)
        }
    }
}

use labrys_abi::{Node, Op, flag};
use node::{append, mask};

fn input(width: u16) -> u32 {
    append(Node {
        op: Op::Input as u8,
        width,
        ..Node::default()
    })
}

fn extended(a: u32, width: u16) -> u32 {
    append(Node {
        op: Op::ZExt as u8,
        width,
        a,
        ..Node::default()
    })
}

fn with(op: Op, width: u16, a: u32, imm: u64) -> u32 {
    append(Node {
        op: op as u8,
        flags: flag::B_IMMEDIATE,
        width,
        a,
        imm: mask(imm, u32::from(width)),
        ..Node::default()
    })
}

/// The value of a label under a value of the input.
fn value(label: u32, byte: u64) -> u64 {
    let n = node::node(label);
    let wide = |x: u64| mask(x, u32::from(n.width));
    let a = |f: fn(u64, u64) -> u64| wide(f(value(n.a, byte), n.imm));
    match Op::from_u8(n.op).expect("an operation") {
        Op::Input => wide(byte),
        Op::ZExt => value(n.a, byte),
        Op::Add => a(u64::wrapping_add),
        Op::Sub => a(u64::wrapping_sub),
        Op::Mul => a(u64::wrapping_mul),
        Op::And => a(|x, y| x & y),
        Op::Or => a(|x, y| x | y),
        Op::Shl => a(|x, by| x.checked_shl(by as u32).unwrap_or(0)),
        op => panic!("{op:?}"),
    }
}

#[test]
fn what_is_below_the_bound_is_so_for_every_byte() {
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (random >> 33) % below
    };
    let mut bounded = 0;
    for _ in 0..20_000 {
        let width = if next(2) == 0 { 32 } else { 64 };
        let mut label = extended(input(8), width);
        for _ in 0..next(5) {
            let constants = [next(300), u64::MAX - next(300), 1 << next(64)];
            let imm = constants[next(3) as usize];
            label = match next(7) {
                0 => with(Op::Add, width, label, imm),
                1 => with(Op::Sub, width, label, imm),
                2 => with(Op::Mul, width, label, imm),
                3 => with(Op::And, width, label, imm),
                4 => with(Op::Shl, width, label, next(40)),
                5 => with(Op::Or, width, label, imm),
                _ if width == 32 => extended(label, 32),
                _ => label,
            };
        }
        let most = (0..256).map(|byte| value(label, byte)).max().expect("some");
        assert!(most == 0 || !bound::is_at_most(label, most - 1));
        bounded += u32::from(bound::is_at_most(label, most));
    }
    assert!(bounded > 4_000, "{bounded} exact bounds of 20000");
}

#[test]
fn bytes_and_their_multiples_are_bounded() {
    let byte = extended(input(8), 64);
    assert!(bound::is_at_most(byte, 255) && !bound::is_at_most(byte, 254));
    let word = with(Op::Shl, 64, byte, 2);
    assert!(bound::is_at_most(word, 1020) && !bound::is_at_most(word, 1019));
    let moved = with(Op::Sub, 64, byte, 48);
    assert!(!bound::is_at_most(moved, u64::MAX - 1), "it may wrap");
    let nibble = with(Op::And, 64, moved, 15);
    assert!(
        !bound::is_at_most(nibble, 15),
        "of what may wrap nothing is known"
    );
    assert!(!bound::is_at_most(input(64), u64::MAX));
}

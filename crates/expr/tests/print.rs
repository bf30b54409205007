//! The SMT-LIB text of a few constraints.

use labrys_expr::{Op, Pool, Symbol};

#[track_caller]
fn check(pool: &Pool, constraints: &[labrys_expr::ExprId], expected: &str) {
    assert_eq!(pool.to_smtlib(constraints).trim(), expected.trim());
}

#[test]
fn bit_vectors_and_truth_values() {
    let mut pool = Pool::new();
    let (a, b) = (pool.input(0, 0, 4), pool.input(1, 0, 4));
    let sum = pool.add(a, b);
    let (limit, one) = (pool.constant(32, 1000), pool.constant(32, 1));
    let small = pool.ult(sum, limit);
    let different = pool.ne(sum, one);
    let flag = pool.symbol(Symbol::Named { id: 3, width: 1 });
    let either = pool.or(flag, small);
    check(
        &pool,
        &[either, different],
        "
(set-logic QF_BV)
(declare-const in0_0 (_ BitVec 8))
(declare-const in0_1 (_ BitVec 8))
(declare-const in0_2 (_ BitVec 8))
(declare-const in0_3 (_ BitVec 8))
(declare-const in1_0 (_ BitVec 8))
(declare-const in1_1 (_ BitVec 8))
(declare-const in1_2 (_ BitVec 8))
(declare-const in1_3 (_ BitVec 8))
(declare-const v3 (_ BitVec 1))
(define-fun e1 () (_ BitVec 32) (bvadd (concat in0_3 (concat in0_2 (concat in0_1 in0_0))) (concat in1_3 (concat in1_2 (concat in1_1 in1_0)))))
(assert (or (bvult e1 #x000003e8) (= v3 #b1)))
(assert (not (= e1 #x00000001)))
(check-sat)",
    );
}

#[test]
fn floats_and_external_calls() {
    let mut pool = Pool::new();
    let x = pool.symbol(Symbol::Named { id: 0, width: 64 });
    let sine = pool.external("sin", &[x], 64);
    let sum = pool.binary(Op::FAdd, x, sine);
    let number = pool.convert(Op::FToS, sum, 8);
    let (seven, pattern) = (
        pool.constant(8, 7),
        pool.constant(64, 0x4020_0000_0000_0000),
    );
    let (is_seven, below) = (pool.eq(number, seven), pool.ult(sum, pattern));
    check(
        &pool,
        &[is_seven, below],
        "
(set-logic QF_UFBVFP)
(declare-const v0 (_ BitVec 64))
(declare-fun |sin_64_64| ((_ BitVec 64)) (_ BitVec 64))
(define-fun f1 () (_ FloatingPoint 11 53) (fp.add RNE ((_ to_fp 11 53) v0) ((_ to_fp 11 53) (|sin_64_64| v0))))
(declare-const p2 (_ BitVec 64))
(assert (ite (fp.isNaN f1) (= p2 #x7ff8000000000000) (= ((_ to_fp 11 53) p2) f1)))
(assert (= (ite (and (fp.leq (fp.neg ((_ to_fp 11 53) #x4060000000000000)) (fp.roundToIntegral RTZ f1)) (fp.lt (fp.roundToIntegral RTZ f1) ((_ to_fp 11 53) #x4060000000000000)) (not (fp.isNaN f1))) ((_ fp.to_sbv 8) RTZ f1) #x80) #x07))
(assert (bvult p2 #x4020000000000000))
(check-sat)",
    );
}

#[test]
fn tables_are_choices() {
    let mut pool = Pool::new();
    let table = pool.enter_table(&[1, 2, 3], &[]);
    let index = pool.symbol(Symbol::Byte {
        stream: 0,
        offset: 0,
    });
    let (index, two) = (pool.zext(index, 64), pool.constant(8, 2));
    let entry = pool.table_read(table, index, 1);
    let condition = pool.ult(two, entry);
    let text = pool.to_smtlib(&[condition]);
    assert!(!text.contains("select") && text.contains("(ite "), "{text}");
}

#[test]
fn a_long_chain_is_named_piece_by_piece() {
    let mut pool = Pool::new();
    let mut value = pool.symbol(Symbol::Length { stream: 0 });
    for i in 0..100_000 {
        let next = pool.symbol(Symbol::Named {
            id: i % 50,
            width: 64,
        });
        let op = if i % 2 == 0 { Op::Mul } else { Op::Add };
        value = pool.binary(op, value, next);
    }
    let zero = pool.constant(64, 0);
    let condition = pool.eq(value, zero);
    let text = pool.to_smtlib(&[condition]);
    let longest = text.lines().map(str::len).max().unwrap();
    assert!(longest < 1000, "{longest}");
    let deepest = text
        .lines()
        .map(|line| line.matches('(').count())
        .max()
        .unwrap();
    assert!(deepest < 60, "{deepest}");
}

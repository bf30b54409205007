//! Damaged SMT-LIB scripts: an error or a script, never a panic, however deep they are nested.
//!
//! `LABRYS_DAMAGE` is the number of scripts.

use fastrand::Rng;
use labrys_solver::smtlib::{read, read_partly};

const SCRIPTS: [&str; 3] = [
    "(set-logic QF_BV)\n(set-option :produce-models true)\n(declare-fun x () (_ BitVec 8))
(declare-const |a b| Bool)\n(define-fun f ((y (_ BitVec 8))) (_ BitVec 8) (bvadd y #x01))
(assert (! (= (f x) ((_ extract 8 1) (concat #b0 x #b1))) :named n))
(push 1)\n(assert (let ((z (bvmul x x))) (bvult z (_ bv17 8))))\n(check-sat)\n(pop 1)
(check-sat-assuming (|a b|))\n(get-value (x))\n(get-unsat-core)\n(exit)\n",
    "(set-logic QF_FPLRA) ; floats\n(declare-fun d () (_ FloatingPoint 11 53))
(declare-fun i () Int)\n(define-sort W () (_ BitVec 32))\n(declare-fun w () W)
(assert (fp.leq d ((_ to_fp 11 53) RNE 1.5)))\n(assert (and (> i 3) (< (* 2 i) 40)))
(assert (= ((_ fp.to_sbv 32) RTZ d) (bvsdiv w #xfffffff0)))\n(check-sat)\n(get-model)\n",
    "(set-logic QF_ABV)\n(declare-fun m () (Array (_ BitVec 16) (_ BitVec 8)))
(assert (= (select (store m #x0001 #x02) #x0001) #x02))
(assert (forall ((q (_ BitVec 4))) (= q q)))\n(echo \"a \"\" b\")\n(check-sat)\n",
];

/// Pieces that scripts are made of.
const PIECES: [&str; 14] = [
    "(",
    ")",
    "((_ ",
    "#x",
    "#b1",
    "\"",
    "|",
    "99999999999999999999",
    "(let ((",
    ";",
    "(_ bv",
    " ",
    "(assert ",
    "\u{e9}",
];

fn damage(text: &str, random: &mut Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..random.u8(1..=4) {
        let at = random.usize(..=letters.len());
        let to = (at + random.usize(..40)).min(letters.len());
        match random.u8(..6) {
            0 => drop(letters.splice(at..at, random.choice(PIECES).unwrap_or("").chars())),
            1 => drop(letters.drain(at..to)),
            2 => {
                let copy = letters[at..to].to_vec();
                let place = random.usize(..=letters.len());
                drop(letters.splice(place..place, copy));
            }
            3 => letters.truncate(at),
            _ if at < letters.len() => letters[at] = random.char(' '..='~'),
            _ => {}
        }
    }
    letters.into_iter().collect()
}

#[test]
fn damaged_scripts_are_errors_or_scripts() {
    let count = std::env::var("LABRYS_DAMAGE").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let mut random = Rng::with_seed(3);
    let (mut refused, mut good) = (0, 0);
    for _ in 0..count {
        let text = damage(random.choice(SCRIPTS).unwrap_or(""), &mut random);
        match read(&text) {
            Ok(_) => good += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty(), "{text}");
            }
        }
        drop(read_partly(&text));
    }
    assert!(
        refused > count / 4 && good > count / 100,
        "{refused} {good}"
    );
}

#[test]
fn deep_scripts_are_errors_or_scripts() {
    for depth in [10_000, 1_000_000] {
        let open = "(".repeat(depth);
        assert!(read(&open).is_err());
        for (start, end) in [("(not ", ")"), ("(bvnot ", ")"), ("(let ((x true)) ", ")")] {
            let (starts, ends) = (start.repeat(depth), end.repeat(depth));
            drop(read(&format!("(assert {starts}true{ends})(check-sat)")));
        }
    }
}

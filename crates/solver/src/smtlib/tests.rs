//! Scripts with what they answer, and scripts that are refused with the place and the reason.

use crate::query::{Answer, Budget};
use crate::{smtlib, solver};

/// What a script writes.
#[track_caller]
fn run(script: &str) -> String {
    let mut script = smtlib::read(script).unwrap();
    let mut output = String::new();
    script
        .run(&mut solver().unwrap(), &Budget::default(), &mut output)
        .unwrap();
    output
}

/// Runs a script; compares what it writes.
#[track_caller]
fn check(script: &str, expected: &str) {
    assert_eq!(run(script).trim(), expected.trim());
}

/// Each line is a closed formula that is true under all values of `x`, `y` (8 bits), `f`, `g`
/// (doubles) and `p` (a truth value).
const VALID: &str = "
(= (bvnot (bvnot x)) x)
(= (bvneg x) (bvsub #x00 x))
(= (bvnand x y) (bvnot (bvand x y)))
(= (bvnor x y) (bvnot (bvor x y)))
(= (bvxnor x y) (bvnot (bvxor x y)))
(= (bvcomp x y) (ite (= x y) #b1 #b0))
(= (bvugt x y) (not (bvule x y)))
(= (bvuge x y) (not (bvult x y)))
(= (bvsgt x y) (not (bvsle x y)))
(= (bvsge x y) (not (bvslt x y)))
(= (bvadd x y x) (bvadd (bvmul x (_ bv2 8)) y))
(= (bvand x y #x0f) (bvand (bvand x y) #x0f))
(=> (distinct y #x00) (= x (bvadd (bvmul (bvudiv x y) y) (bvurem x y))))
(=> (distinct y #x00) (= x (bvadd (bvmul (bvsdiv x y) y) (bvsrem x y))))
(=> (bvsgt y #x00) (bvsge (bvsmod x y) #x00))
(=> (bvslt y #x00) (bvsle (bvsmod x y) #x00))
(= (bvsmod x #x00) x)
(= (bvudiv x #x00) #xff)
(= (bvurem x #x00) x)
(= (bvashr x #x07) (ite (bvslt x #x00) #xff #x00))
(= ((_ extract 7 4) x) ((_ extract 3 0) (bvlshr x #x04)))
(= ((_ zero_extend 8) x) (concat #x00 x))
(= ((_ sign_extend 8) x) (concat (ite (bvslt x #x00) #xff #x00) x))
(= ((_ repeat 3) x) (concat x x x))
(= ((_ rotate_left 3) x) (concat ((_ extract 4 0) x) ((_ extract 7 5) x)))
(= ((_ rotate_right 3) x) ((_ rotate_left 5) x))
(= ((_ rotate_left 16) x) x)
(= (bvuaddo x y) (bvult (bvadd x y) x))
(= (bvusubo x y) (bvult x y))
(= (bvsdivo x y) (and (= x #x80) (= y #xff)))
(= (bvnego x) (= x #x80))
(=> (bvsaddo x y) (= (bvslt x #x00) (bvslt y #x00)))
(= (bvssubo #x00 y) (bvnego y))
(= (bvsmulo x #xff) (bvnego x))
(= (bvumulo x #x02) (bvslt x #x00))
(= (bvredor x) (bvnot (bvcomp x #x00)))
(= (xor p p p) p)
(= (=> p p false) (or (not p) (not p)))
(let ((x y) (y x)) (= (bvsub x y) (bvneg (bvsub y x))))
(let ((x #x01)) (let ((x (bvadd x #x01)) (z x)) (= (bvadd z #x01) x)))
(= (twice x) (bvadd x x))
(let ((y #x07)) (= (with-y x) (bvadd x saved-y)))
(= f f)
(= (fp.neg (fp.neg f)) f)
(= (fp.isNaN f) (not (fp.eq f f)))
(= (fp.abs (fp.neg f)) (fp.abs f))
(or (fp.isNaN f) (fp.isInfinite f) (fp.isZero f) (fp.isNormal f) (fp.isSubnormal f))
(= (fp.lt f g) (fp.gt g f))
(= (fp.geq f g) (fp.leq g f))
(=> (fp.isZero f) (fp.eq f (_ -zero 11 53)))
(not (= (_ +zero 11 53) (_ -zero 11 53)))
(= (_ NaN 11 53) (fp #b0 #b11111111111 #x8000000000001))
(fp.eq ((_ to_fp 11 53) RNE 0.5) ((_ to_fp 11 53) RNE (/ 1 2)))
(fp.eq ((_ to_fp 8 24) RNE (- 1.5)) ((_ to_fp 8 24) #xbfc00000))
(fp.eq ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE 0.25)) ((_ to_fp 11 53) RNE 0.25))
(= ((_ fp.to_sbv 8) RTZ ((_ to_fp 11 53) RNE (- 3.7))) #xfd)
(= ((_ fp.to_sbv 8) RNE ((_ to_fp 11 53) RNE 3.5)) #x04)
(= ((_ fp.to_ubv 8) RTP ((_ to_fp 11 53) RNE 3.2)) #x04)
(= ((_ fp.to_sbv 16) RTZ ((_ to_fp 11 53) RNE x)) ((_ sign_extend 8) x))
(= ((_ fp.to_ubv 8) RTZ ((_ to_fp_unsigned 11 53) RNE x)) x)
(fp.eq (fp.roundToIntegral RTN ((_ to_fp 11 53) RNE 2.5)) ((_ to_fp 11 53) RNE 2.0))
(fp.eq (fp.min ((_ to_fp 11 53) RNE 1.0) (_ NaN 11 53)) ((_ to_fp 11 53) RNE 1.0))
(fp.eq (fp.max ((_ to_fp 11 53) RNE 1.0) ((_ to_fp 11 53) RNE 2.0)) ((_ to_fp 11 53) RNE 2.0))
(fp.eq (fp.rem ((_ to_fp 11 53) RNE 5.0) ((_ to_fp 11 53) RNE 3.0)) ((_ to_fp 11 53) RNE (- 1.0)))
(fp.eq (fp.rem ((_ to_fp 11 53) RNE 2.5) ((_ to_fp 11 53) RNE 1.0)) ((_ to_fp 11 53) RNE 0.5))
(fp.eq (fp.rem ((_ to_fp 11 53) RNE 3.5) (_ +oo 11 53)) ((_ to_fp 11 53) RNE 3.5))
(fp.eq (fp.sqrt RNE ((_ to_fp 11 53) RNE 9.0)) ((_ to_fp 11 53) RNE 3.0))
";

#[test]
fn valid_formulas_have_no_counterexample() {
    for formula in VALID.lines().filter(|line| !line.is_empty()) {
        let text = format!(
            "(set-logic QF_BVFP)
             (declare-const x (_ BitVec 8)) (declare-fun y () (_ BitVec 8))
             (declare-const f Float64) (declare-const g (_ FloatingPoint 11 53))
             (declare-const p Bool)
             (define-fun twice ((a (_ BitVec 8))) (_ BitVec 8) (bvmul #x02 a))
             (define-const saved-y (_ BitVec 8) y)
             (define-fun with-y ((x (_ BitVec 8))) (_ BitVec 8) (bvadd x y))
             (assert (! (not {formula}) :named goal))
             (check-sat)"
        );
        let mut script = smtlib::read(&text).unwrap_or_else(|error| panic!("{formula}: {error}"));
        let mut output = String::new();
        let answers = script
            .run(&mut solver().unwrap(), &Budget::default(), &mut output)
            .unwrap();
        assert!(
            matches!(answers[..], [Answer::Unsat(_)]),
            "{formula}: {output}"
        );
    }
}

#[test]
fn a_script_is_run_command_by_command() {
    check(
        "; levels and values
        (set-info :status sat)
        (set-option :produce-models true)
        (declare-const |odd name| (_ BitVec 12))
        (declare-const p Bool)
        (declare-fun d () (_ FloatingPoint 8 24))
        (assert (= |odd name| #xabc))
        (push 1)
        (assert (not (= |odd name| #xabc)))
        (check-sat)
        (get-model)
        (pop)
        (echo \"a \"\"quoted\"\" text\")
        (assert (and p (fp.eq d ((_ to_fp 8 24) RNE (- 2.5)))))
        (check-sat)
        (get-model)
        (get-value (p (bvadd |odd name| ; not kept
                             #x001)))
        (check-sat-assuming ((not p)))
        (exit)
        (nonsense)",
        "unsat
(error \"there is no model: the last check was not sat\")
a \"quoted\" text
sat
(
  (define-fun |odd name| () (_ BitVec 12) #xabc)
  (define-fun p () Bool true)
  (define-fun d () (_ FloatingPoint 8 24) (fp #b1 #b10000000 #b01000000000000000000000))
)
((p true)
 ((bvadd |odd name| ; not kept
                             #x001) #xabd))
unsat",
    );
}

#[test]
fn external_functions_of_the_log_are_known() {
    check(
        "(declare-const v0 (_ BitVec 64))
        (declare-fun |floor_64_64| ((_ BitVec 64)) (_ BitVec 64))
        (assert (= (|floor_64_64| v0) #x4008000000000000))
        (assert (= v0 #x400a000000000000))
        (check-sat)",
        "sat",
    );
}

#[test]
fn deep_terms_do_not_recurse() {
    let depth = 100_000;
    let mut text = String::from("(declare-const x (_ BitVec 8))\n(assert (= #x00 ");
    text.push_str(&"(bvmul x (bvnot ".repeat(depth));
    text.push('x');
    text.push_str(&"))".repeat(depth));
    text.push_str("))\n(assert ");
    for i in 0..depth {
        text.push_str(&format!("(let ((a{} (bvadd a{i} x))) ", i + 1).replace("a0 ", "x "));
    }
    text.push_str(&format!("(= a{depth} #x00)"));
    text.push_str(&")".repeat(depth + 1));
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let read = thread.spawn(move || smtlib::read(&text).map(|script| script.pool.len()));
    let nodes = read.unwrap().join().unwrap().unwrap();
    assert!(nodes > 2 * depth, "{nodes}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let tokens = "( ( ( ) ) ) ( _ | \" #b1 #x0f #b #y 0 1 7 64 128 200 1.5 1. :a ; \u{a0} \u{c} é
        assert check-sat declare-const declare-fun define-fun push pop get-value let ! x y f p
        true not and or xor => = distinct ite Bool BitVec FloatingPoint Float32 RNE RTZ bv5 NaN
        +oo concat extract repeat zero_extend rotate_left bvadd bvult bvcomp bvsmod bvsdivo fp
        to_fp to_fp_unsigned fp.add fp.rem fp.lt fp.isNaN fp.to_sbv fp.roundToIntegral / -";
    let tokens: Vec<_> = tokens.split_ascii_whitespace().collect();
    let prefix = "(declare-const x (_ BitVec 8))(declare-const f Float32)(declare-const p Bool)
        (define-fun y ((x (_ BitVec 8))) (_ BitVec 8) x)";
    for seed in 0..30_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut text = String::from(if seed % 2 == 0 { "" } else { prefix });
        // Half of the texts have an application in an assertion, to get beyond the brackets.
        let inside = rng.bool();
        text.push_str(if inside { "(assert (" } else { "" });
        for _ in 0..rng.usize(1..12) {
            text.push_str(tokens[rng.usize(..tokens.len())]);
            text.push_str(if rng.u32(..20) == 0 { "\n" } else { " " });
        }
        text.push_str(if inside { "))" } else { "" });
        let _ = smtlib::read(&text);
    }
}

/// Scripts that are refused, and the message.
const REFUSED: &[(&str, &str)] = &[
    (
        "(assert\n  (= x #x00))",
        "line 2, column 6: x is not declared",
    ),
    (
        "(check-sat",
        "line 1, column 1: a parenthesis that nothing closes",
    ),
    (
        "(check-sat))",
        "line 1, column 12: a parenthesis that nothing opens",
    ),
    (
        "(declare-const x (_ BitVec 129))",
        "line 1, column 18: bit-vectors of 129 bits are not supported, only of 1 to 128",
    ),
    (
        "(declare-const x Int)",
        "line 1, column 18: the sort Int is not supported",
    ),
    (
        "(declare-const f (_ FloatingPoint 5 11))",
        "line 1, column 18: floats with 5 exponent and 11 significand bits are not \
         supported, only those of 32 and 64 bits",
    ),
    (
        "(declare-const f Float32)\n(assert (fp.eq f (fp.add RTZ f f)))",
        "line 2, column 18: fp.add with the rounding mode Zero is not supported, only with RNE",
    ),
    (
        "(declare-const x (_ BitVec 8))\n(assert (bvadd x x))",
        "line 2, column 9: Bool expected, not (_ BitVec 8)",
    ),
    (
        "(assert (bvult #x00 #x0))",
        "line 1, column 9: arguments of bvult differ in width",
    ),
    (
        "(assert (= #x0g #x00))",
        "line 1, column 15: g is not declared",
    ),
    (
        "(assert (= #b2 #b1))",
        "line 1, column 12: a bit-vector without digits",
    ),
    (
        "(assert (bvfoo #x00 #x01))",
        "line 1, column 9: the function bvfoo is not supported",
    ),
    (
        "(assert (exists ((x Bool)) x))",
        "line 1, column 10: quantifiers are not supported",
    ),
    (
        "(get-proof)",
        "line 1, column 2: the command get-proof is not supported so",
    ),
    ("(pop 1)", "line 1, column 1: a level that nothing opened"),
    (
        "(declare-const x Bool)(declare-const x Bool)",
        "line 1, column 38: x is declared already",
    ),
    (
        "(define-fun f ((a Bool)) Bool (not a))\n(assert (f #b1))",
        "line 2, column 9: f takes Bool, not (_ BitVec 1)",
    ),
    (
        "(define-fun f ((a Bool)) (_ BitVec 1) a)",
        "line 1, column 39: (_ BitVec 1) expected, not Bool",
    ),
    (
        "(assert (! true :named a))(check-sat)(get-interpolant (false))",
        "line 1, column 56: an assertion of the last check expected",
    ),
    (
        "(define-fun f ((a Bool)) Bool (f a))",
        "line 1, column 31: f does not take Bool, or is not supported",
    ),
    (
        "(assert (= ((_ extract 8 0) #x00) #x00))",
        "line 1, column 12: bits 8 to 0 of 8",
    ),
];

#[test]
fn errors_name_place_and_reason() {
    for (script, expected) in REFUSED {
        let error = smtlib::read(script).unwrap_err().to_string();
        assert_eq!(error, *expected, "{script}");
    }
}

#[test]
fn cores_have_the_names_of_assertions_and_assumptions() {
    let replies = run("(set-option :produce-unsat-cores true)
         (declare-const x (_ BitVec 8))
         (declare-const p Bool)
         (assert (! (bvult x #x05) :named low))
         (assert (! (bvult x #xf0) :named |not needed|))
         (assert (! (=> p (bvult #x06 x)) :named high))
         (check-sat)
         (get-unsat-core)
         (check-sat-assuming (p (= x #x01)))
         (get-unsat-core)
         (get-unsat-assumptions)
         (assert (not low))
         (check-sat)
         (get-unsat-core)");
    let expected = [
        "sat",
        "(error \"there is no core: the last check was not unsat\")",
        "unsat",
    ];
    let lines: Vec<_> = replies.lines().collect();
    assert_eq!(lines[..3], expected, "{replies}");
    // Either assumption contradicts the assertions together with the other conditions or alone.
    assert!(["(high)", "(low high)"].contains(&lines[3]), "{replies}");
    assert!(["(p)", "(p (= x #x01))"].contains(&lines[4]), "{replies}");
    assert_eq!(lines[5..], ["unsat", "(low)"], "{replies}");
}

#[test]
fn declarations_end_with_their_level() {
    let replies = run("(declare-const x (_ BitVec 4))
         (push 1)
         (declare-const y (_ BitVec 4))
         (assert (= x y #x3))
         (check-sat)
         (pop 1)
         (declare-const y Bool)
         (assert (and y (= x #x4)))
         (check-sat)
         (get-model)
         (get-info :error-behavior)");
    let model = "(\n  (define-fun x () (_ BitVec 4) #x4)\n  (define-fun y () Bool true)\n)";
    let info = "(:error-behavior immediate-exit)";
    assert_eq!(replies, format!("sat\nsat\n{model}\n{info}\n"));
    let kept = "(set-option :global-declarations true) (push 1) (declare-const z Bool) (pop 1) \
                (assert z) (check-sat)";
    assert_eq!(run(kept), "sat\n");
}

#[test]
fn a_script_is_read_up_to_its_first_error() {
    let (script, error) = smtlib::read_partly("(check-sat) (assert nobody) (check-sat)");
    assert_eq!(script.checks(), 1);
    assert!(error.unwrap().to_string().contains("nobody"));
}

#[test]
fn cores_are_made_small() {
    check(
        "(declare-const x (_ BitVec 8))
         (declare-const y (_ BitVec 8))
         (assert (! (bvult x y) :named below))
         (assert (! (bvult y #x10) :named small))
         (assert (! (bvugt x #x20) :named large))
         (assert (! (bvult x (bvadd x y)) :named other))
         (check-sat)
         (get-unsat-core)",
        "unsat\n(below small large)",
    );
}

#[test]
fn interpolants_are_terms_over_shared_names() {
    const DECLARED: &str = "(declare-const |own a| (_ BitVec 8))
         (declare-const x (_ BitVec 16))
         (declare-const p Bool)
         (declare-const q (_ BitVec 1))
         (declare-const b (_ BitVec 16))";
    const A: &str = "(and (= x ((_ zero_extend 8) |own a|)) (or p (= q #b1)))";
    const B: &str = "(and (=> (or p (= q #b1)) (bvugt x b)) (bvugt b #x0fff))";
    let replies = run(&format!(
        "(set-option :produce-interpolants true) {DECLARED}
         (assert (! {A} :named a))
         (assert (! {B} :named b1))
         (check-sat)
         (get-interpolant (a))"
    ));
    let interpolant = replies.strip_prefix("unsat\n").expect("a refutation");
    assert!(!interpolant.contains("own") && !interpolant.contains("error"));
    check(
        &format!(
            "{DECLARED}
             (define-fun i () Bool {interpolant})
             (push) (assert {A}) (assert (not i)) (check-sat) (pop)
             (push) (assert {B}) (assert i) (check-sat) (pop)
             (assert i) (check-sat)"
        ),
        "unsat\nunsat\nsat",
    );
    check(
        "(declare-const x (_ BitVec 8))
         (assert (bvult x #x03))
         (check-sat)
         (get-interpolant ((bvult x #x03)))",
        "sat\n(error \"there is no interpolant: the last check was not unsat\")",
    );
}

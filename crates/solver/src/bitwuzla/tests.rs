//! What the solver answers to small questions, through the whole border to C++.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;

fn instance() -> Instance {
    Instance::new(&Settings::default()).unwrap()
}

/// `x * y = product` with factors above 1 and no overflow: hard for large primes.
fn factors(solver: &mut Instance, width: u32, product: u128) -> (Term, [Term; 3]) {
    let one = solver.bits(width, 1).unwrap();
    let x = solver.constant(TermSort::Bits(width / 2), "x").unwrap();
    let y = solver.constant(TermSort::Bits(width / 2), "y").unwrap();
    let half = u64::from(width / 2);
    let wide = [x, y].map(|term| solver.indexed(Kind::ZeroExtend, &[term], &[half]).unwrap());
    let bounds = wide.map(|term| solver.term(Kind::Ult, &[one, term]).unwrap());
    let product_term = solver.term(Kind::Mul, &wide).unwrap();
    let product = solver.bits(width, product).unwrap();
    let equation = solver.term(Kind::Equal, &[product_term, product]).unwrap();
    (x, [equation, bounds[0], bounds[1]])
}

/// Not solved within minutes: the product of two primes of 31 bits.
const HARD: u128 = 1_500_450_271 * 1_610_612_741;

#[test]
fn models_satisfy_the_assertions() {
    let mut solver = instance();
    let (x, constraints) = factors(&mut solver, 32, 641 * 773);
    for constraint in constraints {
        solver.assert(constraint).unwrap();
    }
    assert_eq!(
        solver.check(&[], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
    assert!([641, 773].contains(&solver.value(x).unwrap()));
    for constraint in constraints {
        assert_eq!(solver.value(constraint).unwrap(), 1);
    }
}

#[test]
fn models_have_128_bits() {
    let mut solver = instance();
    let wanted = 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef;
    let x = solver.constant(TermSort::Bits(128), "x").unwrap();
    let key = solver.bits(128, !0).unwrap();
    let value = solver.bits(128, !wanted).unwrap();
    let flipped = solver.term(Kind::BitXor, &[x, key]).unwrap();
    let equation = solver.term(Kind::Equal, &[flipped, value]).unwrap();
    assert_eq!(
        solver.check(&[equation], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
    assert_eq!(solver.value(x).unwrap(), wanted);
}

#[test]
fn cores_leave_out_what_is_not_needed() {
    let mut solver = instance();
    let x = solver.constant(TermSort::Bits(8), "x").unwrap();
    let y = solver.constant(TermSort::Bits(8), "y").unwrap();
    let three = solver.bits(8, 3).unwrap();
    let below = solver.term(Kind::Ult, &[x, three]).unwrap();
    let above = solver.term(Kind::Ult, &[three, x]).unwrap();
    let other = solver.term(Kind::Ult, &[y, three]).unwrap();
    let assumptions = [other, below, above];
    assert_eq!(
        solver.check(&assumptions, &CheckLimits::none()).unwrap(),
        Outcome::Unsat
    );
    assert_eq!(solver.failed(&assumptions).unwrap(), [false, true, true]);
    assert_eq!(
        solver
            .check(&assumptions[..2], &CheckLimits::none())
            .unwrap(),
        Outcome::Sat
    );
}

#[test]
fn levels_are_dropped() {
    let mut solver = instance();
    let falsehood = solver.truth(false).unwrap();
    solver.push().unwrap();
    solver.assert(falsehood).unwrap();
    assert_eq!(
        solver.check(&[], &CheckLimits::none()).unwrap(),
        Outcome::Unsat
    );
    solver.pop().unwrap();
    assert_eq!(
        solver.check(&[], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
    solver.assert(falsehood).unwrap();
    solver.reset().unwrap();
    assert_eq!(
        solver.check(&[], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
}

#[test]
fn checks_end_at_the_deadline() {
    let mut solver = instance();
    let (_, constraints) = factors(&mut solver, 64, HARD);
    let limits = CheckLimits::timeout(Duration::from_millis(50));
    let start = Instant::now();
    let outcome = solver.check(&constraints, &limits).unwrap();
    assert_eq!(outcome, Outcome::Unknown(Stop::Deadline));
    assert!(start.elapsed() < Duration::from_secs(20));
    // The instance is as good as before.
    let truth = solver.truth(true).unwrap();
    assert_eq!(solver.check(&[truth], &limits).unwrap(), Outcome::Sat);
}

#[test]
fn checks_end_when_cancelled() {
    let mut solver = instance();
    let (_, constraints) = factors(&mut solver, 64, HARD);
    let flag = AtomicBool::new(false);
    let limits = CheckLimits {
        steps: None,
        timeout: None,
        cancel: Some(&flag),
    };
    std::thread::scope(|scope| {
        let check = scope.spawn(|| solver.check(&constraints, &limits).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(check.join().unwrap(), Outcome::Unknown(Stop::Cancelled));
    });
}

#[test]
fn checks_end_at_the_memory_limit() {
    let mut solver = Instance::new(&Settings {
        memory: Some(1),
        ..Settings::default()
    })
    .unwrap();
    let truth = solver.truth(true).unwrap();
    let outcome = solver.check(&[truth], &CheckLimits::none()).unwrap();
    assert_eq!(outcome, Outcome::Unknown(Stop::Memory));
}

#[test]
fn floats_are_solved() {
    let mut solver = instance();
    // Find an x with x + 1.5 = 4.0.
    let bits = solver.constant(TermSort::Bits(64), "bits").unwrap();
    let x = solver
        .indexed(Kind::FpFromBits, &[bits], &[11, 53])
        .unwrap();
    let float = |solver: &mut Instance, value: f64| {
        let pattern = solver.bits(64, value.to_bits().into()).unwrap();
        solver
            .indexed(Kind::FpFromBits, &[pattern], &[11, 53])
            .unwrap()
    };
    let (a, b) = (float(&mut solver, 1.5), float(&mut solver, 4.0));
    let mode = solver.rounding(Rounding::NearestEven).unwrap();
    let sum = solver.term(Kind::FpAdd, &[mode, x, a]).unwrap();
    let equal = solver.term(Kind::FpEqual, &[sum, b]).unwrap();
    assert_eq!(
        solver.check(&[equal], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
    assert_eq!(f64::from_bits(solver.value(bits).unwrap() as u64), 2.5);
}

#[test]
fn interpolants_speak_of_shared_constants() {
    let mut solver = Instance::new(&Settings {
        interpolants: Some(Interpolation::McMillan),
        ..Settings::default()
    })
    .unwrap();
    let [x, y, z] = ["x", "y", "z"].map(|name| solver.constant(TermSort::Bits(8), name).unwrap());
    let ten = solver.bits(8, 10).unwrap();
    let a = [
        solver.term(Kind::Ult, &[x, y]).unwrap(),
        solver.term(Kind::Ult, &[y, ten]).unwrap(),
    ];
    let b = [
        solver.term(Kind::Ule, &[ten, z]).unwrap(),
        solver.term(Kind::Equal, &[z, x]).unwrap(),
    ];
    for formula in [a, b].concat() {
        solver.assert(formula).unwrap();
    }
    assert_eq!(
        solver.check(&[], &CheckLimits::none()).unwrap(),
        Outcome::Unsat
    );
    let interpolant = solver.interpolant(&a, &CheckLimits::none()).unwrap();
    let mut seen = Vec::new();
    let mut stack = vec![interpolant];
    while let Some(term) = stack.pop() {
        match solver.view(term).unwrap() {
            View::Constant => seen.push(term),
            View::Operation(_, children, _) => stack.extend(children),
            View::Value(_) => {}
            View::Other => panic!("{}", solver.text(term).unwrap()),
        }
    }
    assert!(
        !seen.is_empty() && seen.iter().all(|&term| term == x),
        "{seen:?}"
    );

    // It follows from the first part and contradicts the second.
    solver.reset().unwrap();
    let negation = solver.term(Kind::Not, &[interpolant]).unwrap();
    for (formula, part) in [(negation, a), (interpolant, b)] {
        solver.push().unwrap();
        for formula in [formula, part[0], part[1]] {
            solver.assert(formula).unwrap();
        }
        assert_eq!(
            solver.check(&[], &CheckLimits::none()).unwrap(),
            Outcome::Unsat
        );
        solver.pop().unwrap();
    }
}

#[test]
fn refusals_are_errors() {
    let mut solver = instance();
    let bits = solver.constant(TermSort::Bits(8), "bits").unwrap();
    let truth = solver.truth(true).unwrap();
    assert!(matches!(
        solver.term(Kind::Add, &[bits, truth]),
        Err(Error::Refused(_))
    ));
    assert!(matches!(solver.assert(bits), Err(Error::Refused(_))));
    assert!(matches!(solver.value(bits), Err(Error::Refused(_))));
    assert!(matches!(solver.bits(129, 0), Err(Error::Refused(_))));
    assert!(matches!(
        solver.assert(Term(1000.try_into().unwrap())),
        Err(Error::Refused(_))
    ));
    assert!(matches!(
        solver.interpolant(&[truth], &CheckLimits::none()),
        Err(Error::Refused(_))
    ));
    assert_eq!(
        solver.check(&[truth], &CheckLimits::none()).unwrap(),
        Outcome::Sat
    );
}

#[test]
fn equal_terms_are_one() {
    let mut solver = instance();
    let x = solver.constant(TermSort::Bits(8), "x").unwrap();
    let a = solver.term(Kind::Neg, &[x]).unwrap();
    let count = solver.term_count();
    assert_eq!(solver.term(Kind::Neg, &[x]).unwrap(), a);
    assert_eq!(solver.term_count(), count);
    assert_ne!(solver.constant(TermSort::Bits(8), "x").unwrap(), x);
    assert_eq!(solver.sort(x), Some(TermSort::Bits(8)));
}

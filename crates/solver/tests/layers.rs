//! What each layer answers by itself, and what it passes on.

use std::cell::RefCell;
use std::rc::Rc;

use labrys_expr::{ExprId, Op, Pool, Symbol};
use labrys_solver::{
    Answer, Assignment, Budget, CACHED, Core, Layers, Model, Query, QueryLog, Reason, Solver,
};

/// Questions that a back end was asked, as text.
type Asked = Rc<RefCell<Vec<Vec<String>>>>;

/// Answers what it was told, in order, and notes the questions.
struct Script {
    asked: Asked,
    answers: Vec<Answer>,
}

impl Solver for Script {
    fn check(&mut self, query: &mut Query<'_>) -> Answer {
        let show = |id: &ExprId| query.pool.display(*id).to_string();
        self.asked
            .borrow_mut()
            .push(query.constraints.iter().map(show).collect());
        if self.answers.is_empty() {
            return Answer::Unknown(Reason::Steps);
        }
        self.answers.remove(0)
    }
}

struct Bench {
    pool: Pool,
    hint: Assignment,
    layers: Layers,
    asked: Asked,
}

impl Bench {
    fn new(answers: Vec<Answer>) -> Self {
        let asked = Asked::default();
        let layers = Layers::new(Box::new(Script {
            asked: Rc::clone(&asked),
            answers,
        }))
        .without_own_search();
        Bench {
            pool: Pool::new(),
            hint: Assignment::from_streams([[0u8; 16]]),
            layers,
            asked,
        }
    }

    fn check(&mut self, constraints: &[ExprId]) -> Answer {
        self.layers.check(&mut Query {
            pool: &mut self.pool,
            constraints: constraints.to_vec(),
            hint: &self.hint,
            budget: Budget::steps(1_000),
        })
    }

    fn byte(&mut self, offset: u32) -> ExprId {
        self.pool.symbol(symbol(offset))
    }

    /// `byte(offset) = value`
    fn is(&mut self, offset: u32, value: u128) -> ExprId {
        let (byte, value) = (self.byte(offset), self.pool.constant(8, value));
        self.pool.eq(byte, value)
    }

    /// `byte(a) < byte(b)`
    fn less(&mut self, a: u32, b: u32) -> ExprId {
        let (a, b) = (self.byte(a), self.byte(b));
        self.pool.ult(a, b)
    }

    /// `byte(a) + byte(b) = value`
    fn sum(&mut self, a: u32, b: u32, value: u128) -> ExprId {
        let (a, b) = (self.byte(a), self.byte(b));
        let (sum, value) = (self.pool.add(a, b), self.pool.constant(8, value));
        self.pool.eq(sum, value)
    }

    #[track_caller]
    fn asked(&self, expected: &[&[&str]]) {
        assert_eq!(*self.asked.borrow(), expected);
    }
}

fn symbol(offset: u32) -> Symbol {
    Symbol::Byte { stream: 0, offset }
}

fn model(values: &[(u32, u128)]) -> Model {
    Model(
        values
            .iter()
            .map(|(offset, value)| (symbol(*offset), *value))
            .collect(),
    )
}

#[test]
fn constants_and_contradictions_need_no_solver() {
    let mut bench = Bench::new(vec![]);
    let (a, b) = (bench.is(0, 1), bench.less(0, 1));
    assert_eq!(
        bench.check(&[a, ExprId::FALSE, b]),
        Answer::Unsat(Core(vec![1]))
    );
    let not_a = bench.pool.not(a);
    let both = bench.pool.and(b, not_a);
    assert_eq!(bench.check(&[b, a, both]), Answer::Unsat(Core(vec![1, 2])));
    assert_eq!(bench.check(&[ExprId::TRUE]), Answer::Sat(Model::default()));
    bench.asked(&[]);
}

#[test]
fn what_the_hint_satisfies_is_answered_by_the_hint() {
    let mut bench = Bench::new(vec![]);
    let zero = bench.is(3, 0);
    assert_eq!(bench.check(&[zero]), Answer::Sat(model(&[(3, 0)])));
    bench.asked(&[]);
}

#[test]
fn single_bytes_need_no_solver() {
    let mut bench = Bench::new(vec![]);
    let (low, even) = (bench.pool.constant(8, 0x40), bench.pool.constant(8, 1));
    let (byte, other) = (bench.byte(0), bench.is(1, 9));
    let (letter, odd) = (bench.pool.ult(low, byte), bench.pool.and(byte, even));
    let odd = bench.pool.eq(odd, even);
    let even = bench.pool.not(odd);
    assert_eq!(
        bench.check(&[other, even, letter]),
        Answer::Sat(model(&[(0, 0x42), (1, 9)]))
    );
    let last = bench.is(0, 0x41);
    assert_eq!(
        bench.check(&[other, even, letter, last]),
        Answer::Unsat(Core(vec![1, 3]))
    );
    bench.asked(&[]);
}

#[test]
fn what_equations_fix_is_put_in_place() {
    let mut bench = Bench::new(vec![]);
    let length = bench.pool.symbol(Symbol::Length { stream: 0 });
    let (nine, byte) = (bench.pool.constant(64, 9), bench.byte(0));
    let (wide, is_nine) = (bench.pool.zext(byte, 64), bench.pool.eq(length, nine));
    let longer = bench.pool.ult(length, wide);
    let (seven, other) = (bench.is(0, 7), bench.less(0, 1));
    let core = Core(vec![1, 2, 3]);
    assert_eq!(
        bench.check(&[other, seven, longer, is_nine]),
        Answer::Unsat(core)
    );
    bench.asked(&[]);
    // What is left is on one byte: 252 is not below 7.
    let (sum, less) = (bench.sum(1, 0, 3), bench.less(1, 0));
    assert_eq!(
        bench.check(&[less, sum, seven]),
        Answer::Unsat(Core(vec![0, 1, 2]))
    );
    bench.asked(&[]);
}

/// A loop over a file, two bytes a turn, is a chain of comparisons with the length.
#[test]
fn bounds_pass_through_bits_of_the_middle() {
    let mut bench = Bench::new(vec![]);
    // The back end gives up.
    bench.layers = Layers::new(Box::new(Script {
        asked: Rc::clone(&bench.asked),
        answers: vec![],
    }));
    let pool = &mut bench.pool;
    let length = pool.symbol(Symbol::Length { stream: 0 });
    let most = pool.constant(64, 0x10001);
    let small = pool.ult(length, most);
    let (low, least) = (pool.extract(length, 0, 32), pool.constant(32, 0x2000));
    let large = pool.binary(Op::Slt, least, low);
    let (pairs, zero) = (pool.extract(length, 1, 31), pool.constant(1, 0));
    let even = pool.concat(pairs, zero);
    let (even, done) = (pool.sext(even, 64), pool.constant(64, 0x6b6));
    let (left, four) = (pool.sub(even, done), pool.constant(64, 4));
    let ends = pool.ult(left, four);
    assert_eq!(
        bench.check(&[large, small, ends]),
        Answer::Unsat(Core(vec![0, 1, 2]))
    );
}

#[test]
fn what_is_fixed_joins_nothing() {
    let mut bench = Bench::new(vec![Answer::Unsat(Core(vec![0]))]);
    let (other, less) = (bench.less(3, 0), bench.less(1, 0));
    let (sum, seven) = (bench.sum(1, 2, 3), bench.is(0, 7));
    assert_eq!(
        bench.check(&[other, less, sum, seven]),
        Answer::Unsat(Core(vec![1, 3]))
    );
    bench.asked(&[&["(ult in0_1 #x07)", "(eq (add in0_1 in0_2) #x03)"]]);
}

#[test]
fn only_what_the_goal_depends_on_is_asked() {
    let mut bench = Bench::new(vec![Answer::Sat(model(&[(1, 0), (2, 2), (3, 3)]))]);
    let [at_most, other] = [(2, 1), (8, 9)].map(|(a, b)| {
        let less = bench.less(a, b);
        bench.pool.not(less)
    });
    let (zero, five) = (bench.is(4, 0), bench.sum(2, 3, 5));
    let together = bench.pool.and(at_most, zero);
    let answer = bench.check(&[other, together, five]);
    assert_eq!(answer, Answer::Sat(model(&[(1, 0), (2, 2), (3, 3)])));
    bench.asked(&[&["(ule in0_1 in0_2)", "(eq (add in0_2 in0_3) #x05)"]]);
}

#[test]
fn what_the_hint_violates_is_asked_too() {
    let found = model(&[(0, 1), (1, 0), (5, 7), (6, 0)]);
    let mut bench = Bench::new(vec![Answer::Sat(found.clone())]);
    let (one, seven, zero) = (bench.sum(0, 1, 1), bench.sum(5, 6, 7), bench.is(9, 0));
    assert_eq!(bench.check(&[one, zero, seven]), Answer::Sat(found));
    bench.asked(&[&["(eq (add in0_0 in0_1) #x01)", "(eq (add in0_5 in0_6) #x07)"]]);
}

#[test]
fn a_query_is_asked_once() {
    let mut bench = Bench::new(vec![Answer::Sat(model(&[(0, 3), (1, 9)]))]);
    let (less, twelve) = (bench.less(0, 1), bench.sum(0, 1, 12));
    let first = bench.check(&[less, twelve]);
    assert_eq!(first, bench.check(&[less, twelve]));
    // Another pool, and a condition more that the model satisfies.
    bench.pool = Pool::new();
    let small = bench.less(1, 2);
    let (twelve, less) = (bench.sum(0, 1, 12), bench.less(0, 1));
    let large = bench.pool.not(small);
    assert_eq!(
        bench.check(&[large, less, twelve]),
        Answer::Sat(model(&[(0, 3), (1, 9), (2, 0)]))
    );
    assert_eq!(bench.asked.borrow().len(), 1);
    assert_eq!(bench.layers.statistics().answered_by(CACHED), 2);
}

#[test]
fn a_core_answers_every_query_around_it() {
    let mut bench = Bench::new(vec![Answer::Unsat(Core(vec![0, 2]))]);
    let (a, b, c, d) = (
        bench.less(0, 1),
        bench.less(2, 0),
        bench.less(1, 0),
        bench.less(1, 3),
    );
    assert_eq!(bench.check(&[a, b, c]), Answer::Unsat(Core(vec![0, 2])));
    assert_eq!(bench.check(&[d, c, a]), Answer::Unsat(Core(vec![1, 2])));
    assert_eq!(bench.asked.borrow().len(), 1);
}

#[test]
fn an_invalid_model_is_no_answer() {
    let mut bench = Bench::new(vec![Answer::Sat(model(&[(0, 4)]))]);
    let three = bench.sum(0, 1, 3);
    assert_eq!(bench.check(&[three]), Answer::Unknown(Reason::InvalidModel));
    assert_eq!(bench.layers.statistics().invalid, 1);
}

#[test]
fn a_query_that_was_given_up_is_asked_again_with_more_steps() {
    let mut bench = Bench::new(vec![]);
    let three = bench.sum(0, 1, 3);
    for _ in 0..2 {
        assert_eq!(bench.check(&[three]), Answer::Unknown(Reason::Steps));
    }
    assert_eq!(bench.asked.borrow().len(), 1);
    bench.layers.check(&mut Query {
        pool: &mut bench.pool,
        constraints: vec![three],
        hint: &bench.hint,
        budget: Budget::steps(1_001),
    });
    assert_eq!(bench.asked.borrow().len(), 2);
}

#[test]
fn lengths_stay_small() {
    let length = Symbol::Length { stream: 0 };
    let found = |value| Answer::Sat(Model([(length, value)].into()));
    for (low, expected) in [(0, 16), (17, 18), (999, 1000)] {
        let mut bench = Bench::new(vec![found(1 << 60)]);
        let (symbol, low) = (bench.pool.symbol(length), bench.pool.constant(64, low));
        let longer = bench.pool.ult(low, symbol);
        let hinted = bench.pool.constant(64, 16);
        let byte = bench.is(1, 0);
        let other = bench.pool.eq(symbol, hinted);
        let differs = bench.pool.not(other);
        let constraints = if expected == 16 {
            vec![longer, byte]
        } else {
            vec![byte, longer, differs]
        };
        let Answer::Sat(model) = bench.check(&constraints) else {
            panic!()
        };
        assert_eq!(model.get(length).unwrap_or(16), expected);
    }
}

#[test]
fn most_symbols_are_fixed_first() {
    let mut bench = Bench::new(vec![Answer::Sat(model(&[(40, 1)]))]);
    bench.hint = Assignment::from_streams([[0u8; 64]]);
    let mut sum = bench.byte(0);
    for offset in 1..40 {
        let byte = bench.byte(offset);
        sum = bench.pool.add(sum, byte);
    }
    let (stored, one) = (bench.byte(40), bench.pool.constant(8, 1));
    let (stored, sum) = (bench.pool.mul(stored, stored), bench.pool.add(sum, one));
    let goal = bench.pool.eq(stored, sum);
    let Answer::Sat(found) = bench.check(&[goal]) else {
        panic!()
    };
    assert_eq!(found.get(symbol(40)), Some(1));
    assert_eq!(found.get(symbol(7)), Some(0));
    assert_eq!(bench.layers.answered_by(), Some("restricted"));
    let asked = bench.asked.borrow();
    assert!(
        asked[0][0].contains("in0_40") && !asked[0][0].contains("in0_7"),
        "{asked:?}"
    );
}

#[test]
fn a_cancelled_query_is_not_asked() {
    let mut bench = Bench::new(vec![]);
    let three = bench.is(0, 3);
    let cancel = Some(std::sync::Arc::new(true.into()));
    let budget = Budget {
        cancel,
        ..Budget::default()
    };
    let answer = bench.layers.check(&mut Query {
        pool: &mut bench.pool,
        constraints: vec![three],
        hint: &bench.hint,
        budget,
    });
    assert_eq!(answer, Answer::Unknown(Reason::Cancelled));
}

#[test]
fn queries_are_logged_on_request() {
    let folder = std::env::temp_dir().join(format!("labrys-log-{}", std::process::id()));
    let mut bench = Bench::new(vec![Answer::Unsat(Core(vec![0]))]);
    bench.layers.set_log(QueryLog::new(&folder).unwrap());
    let three = bench.sum(0, 1, 3);
    bench.check(&[three]);
    let text = std::fs::read_to_string(folder.join("00001-unsat.smt2")).unwrap();
    assert!(
        text.contains("(assert (= (bvadd in0_0 in0_1) #x03))"),
        "{text}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

//! Nothing recurses: expressions of a million nodes in a chain fit any stack.

use labrys_expr::{Columns, Evaluator, ExprId, Op, Pool, Rebuilt, Symbol, Value, evaluate};

const LENGTH: u32 = 1_000_000;

fn chain(pool: &mut Pool) -> ExprId {
    let mut value = pool.symbol(Symbol::Length { stream: 0 });
    for i in 0..LENGTH {
        let byte = pool.symbol(Symbol::Byte {
            stream: 0,
            offset: i % 4096,
        });
        let byte = pool.zext(byte, 64);
        let op = if i % 2 == 0 { Op::Add } else { Op::Mul };
        value = pool.binary(op, value, byte);
    }
    value
}

/// Runs `work` on a stack of 128 KiB.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn a_chain_of_a_million_nodes_needs_no_stack() {
    on_small_stack(|| {
        let mut pool = Pool::new();
        let value = chain(&mut pool);
        assert_eq!(pool.symbols(value).len(), 4097);
        let ones = |_| 1;
        let expected = u128::from(LENGTH / 2) + 1;
        assert_eq!(evaluate(&pool, value, &ones).unwrap().bits(), expected);

        let mut other = Pool::new();
        let copy = other.rebuild(Some(&pool), value, &mut Rebuilt::new(), &mut |_, _| None);
        assert_eq!(evaluate(&other, copy, &ones).unwrap().bits(), expected);
        let fixed = pool.substitute(value, &mut |pool, symbol| {
            Some(pool.constant(symbol.width(), 1))
        });
        assert_eq!(pool.bits(fixed), Some(expected));
        assert!(pool.display(value).to_string().contains('…'));
    });
}

#[test]
fn a_comparison_with_a_long_chain_ends() {
    on_small_stack(|| {
        let mut pool = Pool::new();
        let mut value = pool.input(0, 0, 4);
        for i in 0..u128::from(LENGTH / 4) {
            let (a, b) = (pool.constant(32, i * 77 + 1), pool.constant(32, i * 35 + 3));
            value = pool.add(value, a);
            value = pool.xor(value, b);
        }
        let mut choice = pool.constant(32, 5);
        let mut flags = pool.constant(32, 0);
        for i in 0..LENGTH / 10 {
            let byte = pool.symbol(Symbol::Byte {
                stream: 0,
                offset: i,
            });
            let (zero, number) = (pool.constant(8, 0), pool.constant(32, u128::from(i)));
            let (condition, wide) = (pool.eq(byte, zero), pool.zext(byte, 32));
            choice = pool.ite(condition, number, choice);
            flags = pool.or(wide, flags);
        }
        let zero = pool.constant(32, 0);
        for part in [value, choice, flags] {
            let condition = pool.eq(part, zero);
            assert_eq!(pool.width(condition), 1);
            assert!(evaluate(&pool, condition, &|_| 1).is_some());
        }
    });
}

#[test]
fn an_evaluator_serves_many_assignments() {
    let mut pool = Pool::new();
    let word = pool.input(0, 0, 2);
    let mut evaluator = Evaluator::new();
    for i in 0..1000u32 {
        evaluator.reset();
        let values = |symbol| match symbol {
            Symbol::Byte { offset: 0, .. } => u128::from(i % 256),
            _ => u128::from(i / 256),
        };
        let value = evaluator.evaluate(&pool, word, &values).unwrap();
        assert_eq!(value.bits(), u128::from(i));
        // The pool may grow between two evaluations.
        let constant = pool.constant(16, u128::from(i));
        let condition = pool.eq(word, constant);
        assert!(evaluator.holds(&pool, condition, &values));
    }
}

#[test]
fn unknown_calls_spoil_only_what_depends_on_them() {
    let mut pool = Pool::new();
    let byte = pool.symbol(Symbol::Byte {
        stream: 0,
        offset: 0,
    });
    let call = pool.external("mystery", &[byte], 8);
    let (zero, seven) = (pool.constant(8, 0), pool.constant(8, 7));
    let condition = pool.eq(byte, zero);
    let choice = pool.ite(condition, seven, call);
    assert_eq!(evaluate(&pool, choice, &|_| 0).unwrap().bits(), 7);
    assert_eq!(evaluate(&pool, choice, &|_| 1), None);
}

/// The pool makes conjunctions of choices; a value that was known stays so.
#[test]
fn unknown_calls_do_not_spoil_what_another_operand_decides() {
    let mut pool = Pool::new();
    let byte = pool.symbol(Symbol::Byte {
        stream: 0,
        offset: 0,
    });
    let call = pool.external("mystery", &[byte], 8);
    let zero = pool.constant(8, 0);
    let mystery = pool.eq(call, zero);
    let guard = pool.eq(byte, zero);
    for (whole, decided) in [
        (pool.ite(guard, mystery, ExprId::FALSE), Some(false)),
        (pool.and(guard, mystery), Some(false)),
        (pool.and(mystery, guard), Some(false)),
        (pool.ite(guard, mystery, ExprId::TRUE), Some(true)),
        (pool.or(mystery, guard), None),
    ] {
        let value = evaluate(&pool, whole, &|_| 1).map(Value::is_true);
        assert_eq!(value, decided);
        let column = Columns::default().of(&pool, whole, &|_| 0).get(1);
        assert_eq!(column, decided.map(u128::from));
    }
    let either = pool.or(mystery, guard);
    assert!(evaluate(&pool, either, &|_| 0).unwrap().is_true());
}

//! What the constructors make of the patterns that C code and compilers write.

use labrys_expr::{ExprId, Op, Pool, Symbol};

#[track_caller]
fn check(build: impl Fn(&mut Pool) -> ExprId, expected: &str) {
    let mut pool = Pool::new();
    let id = build(&mut pool);
    assert_eq!(pool.display(id).to_string(), expected);
}

fn byte(pool: &mut Pool, offset: u32, width: u32) -> ExprId {
    let byte = pool.symbol(Symbol::Byte { stream: 0, offset });
    pool.zext(byte, width)
}

fn shifted(pool: &mut Pool, offset: u32, by: u128) -> ExprId {
    let (value, by) = (byte(pool, offset, 32), pool.constant(32, by));
    pool.binary(Op::Shl, value, by)
}

#[test]
fn bytes_joined_by_shifts_are_a_concatenation() {
    for op in [Op::Or, Op::Add, Op::Xor] {
        check(
            |pool| {
                let (b0, b1) = (shifted(pool, 0, 0), shifted(pool, 1, 8));
                let (b2, b3) = (shifted(pool, 2, 16), shifted(pool, 3, 24));
                let (low, high) = (pool.binary(op, b0, b1), pool.binary(op, b2, b3));
                pool.binary(op, high, low)
            },
            "(concat in0_3 (concat in0_2 (concat in0_1 in0_0)))",
        );
    }
    check(
        |pool| {
            let (b0, b2) = (shifted(pool, 0, 0), shifted(pool, 2, 16));
            pool.binary(Op::Or, b2, b0)
        },
        "(zext32 (concat in0_2 (zext16 in0_0)))",
    );
}

#[test]
fn a_magic_number_is_compared_byte_by_byte() {
    check(
        |pool| {
            let (word, magic) = (pool.input(0, 0, 4), pool.constant(32, 0x464c_457f));
            pool.eq(word, magic)
        },
        "(and (eq in0_3 #x46) (and (eq in0_2 #x4c) (and (eq in0_1 #x45) (eq in0_0 #x7f))))",
    );
}

#[test]
fn a_byte_taken_out_of_a_word_is_that_byte() {
    check(
        |pool| {
            let (word, by, ones) = (
                pool.input(0, 0, 4),
                pool.constant(32, 16),
                pool.constant(32, 0xff),
            );
            let high = pool.binary(Op::LShr, word, by);
            pool.and(high, ones)
        },
        "(zext32 in0_2)",
    );
}

#[test]
fn comparisons_get_narrow() {
    check(
        |pool| {
            let (b, limit) = (byte(pool, 0, 32), pool.constant(32, 0x41));
            pool.slt(b, limit)
        },
        "(ult in0_0 #x41)",
    );
    // `(unsigned)(b - '0') <= 9`
    check(
        |pool| {
            let (b, start) = (byte(pool, 0, 32), pool.constant(32, 0x30));
            let (difference, nine) = (pool.sub(b, start), pool.constant(32, 9));
            pool.ule(difference, nine)
        },
        "(and (ult #x2f in0_0) (ult in0_0 #x3a))",
    );
    // `b - '0' > 9` as signed numbers
    check(
        |pool| {
            let (b, start) = (byte(pool, 0, 32), pool.constant(32, 0x30));
            let (difference, nine) = (pool.sub(b, start), pool.constant(32, 9));
            pool.slt(nine, difference)
        },
        "(ult #x39 in0_0)",
    );
    check(
        |pool| {
            let (a, b) = (byte(pool, 0, 32), byte(pool, 1, 32));
            let (difference, zero) = (pool.sub(a, b), pool.constant(32, 0));
            pool.ne(difference, zero)
        },
        "(not (eq in0_0 in0_1))",
    );
    check(
        |pool| {
            let (a, b) = (byte(pool, 0, 32), byte(pool, 1, 32));
            let (difference, zero) = (pool.sub(a, b), pool.constant(32, 0));
            pool.slt(difference, zero)
        },
        "(ult in0_0 in0_1)",
    );
}

#[test]
fn truth_values_lose_their_disguise() {
    check(
        |pool| {
            let (a, b) = (byte(pool, 0, 8), byte(pool, 1, 8));
            let less = pool.ult(a, b);
            let (wide, zero) = (pool.zext(less, 32), pool.constant(32, 0));
            pool.eq(wide, zero)
        },
        "(ule in0_1 in0_0)",
    );
    check(
        |pool| {
            let (a, b) = (byte(pool, 0, 8), byte(pool, 1, 8));
            let (less, one, two) = (pool.ult(a, b), pool.constant(32, 1), pool.constant(32, 2));
            let choice = pool.ite(less, one, two);
            pool.slt(choice, two)
        },
        "(ult in0_0 in0_1)",
    );
}

#[test]
fn a_table_at_a_known_index_is_its_bytes() {
    check(
        |pool| {
            let entry = byte(pool, 7, 8);
            let table = pool.enter_table(&[1, 2, 3, 4], &[(2, entry)]);
            let index = pool.constant(64, 1);
            pool.table_read(table, index, 4)
        },
        "(zext32 (concat #x04 (concat in0_7 #x02)))",
    );
}

#[test]
fn an_invertible_chain_of_constants_is_undone() {
    check(
        |pool| {
            let mut value = byte(pool, 0, 32);
            for round in 0..20 {
                let (add, mix, factor) = (
                    pool.constant(32, 0x9e37 + round),
                    pool.constant(32, 0x85eb_ca6b),
                    pool.constant(32, 0x0100_0193),
                );
                value = pool.add(value, add);
                value = pool.xor(value, mix);
                value = pool.mul(value, factor);
            }
            let bits = labrys_expr::evaluate(pool, value, &|_| 0x42).unwrap();
            let end = pool.constant_value(bits);
            pool.eq(value, end)
        },
        "(eq in0_0 #x42)",
    );
}

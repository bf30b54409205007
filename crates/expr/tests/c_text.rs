//! C texts of random conditions have the values of the conditions: compiled by the C compiler, on
//! random numbers.

#![allow(missing_docs)]

use std::fmt::Write;
use std::process::Command;

use labrys_expr::{CVariable, ExprId, Op, Pool, Symbol, c_implied, evaluate, mask};

/// Name, C type, width and sign of the variables of conditions.
const VARIABLES: [(&str, &str, u32, bool); 8] = [
    ("a", "signed char", 8, true),
    ("b", "unsigned char", 8, false),
    ("c", "short", 16, true),
    ("d", "unsigned short", 16, false),
    ("e", "int", 32, true),
    ("f", "unsigned int", 32, false),
    ("g", "long", 64, true),
    ("h", "unsigned long", 64, false),
];
const CONDITIONS: usize = 400;
const ROWS: usize = 60;

/// Numbers by the generator of Knuth's MMIX.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        let (factor, step) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.0 = self.0.wrapping_mul(factor).wrapping_add(step);
        self.0 >> 16 ^ self.0 << 48
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() >> 8) as usize % count
    }

    /// A number of so many bits, often one at a limit.
    fn word(&mut self, width: u32) -> u128 {
        let top = 1u128 << (width - 1);
        let choices = [0, 1, 2, top, top - 1, top + 1, mask(width), mask(width) - 1];
        let number = match self.below(3) {
            0 => choices[self.below(choices.len())],
            1 => u128::from(self.next() % 20),
            _ => u128::from(self.next()),
        };
        number & mask(width)
    }
}

fn number(pool: &mut Pool, numbers: &mut Numbers, width: u32, depth: u32) -> ExprId {
    let constant = |pool: &mut Pool, numbers: &mut Numbers| {
        let bits = numbers.word(width);
        pool.constant(width, bits)
    };
    if depth == 0 {
        let fitting = (0..8).filter(|index| VARIABLES[*index].2 == width);
        let fitting: Vec<usize> = fitting.collect();
        if fitting.is_empty() || numbers.below(4) == 0 {
            return constant(pool, numbers);
        }
        let id = fitting[numbers.below(fitting.len())] as u32;
        return pool.symbol(Symbol::Named {
            id,
            width: width as u8,
        });
    }
    let deeper = depth - 1;
    match numbers.below(9) {
        0 => {
            let inner = number(pool, numbers, width, deeper);
            pool.unary([Op::Not, Op::Neg][numbers.below(2)], inner)
        }
        1 | 2 if width > 5 => {
            let from = [5, 8, 13, 16, 32, 40]
                .into_iter()
                .filter(|from| *from < width);
            let from: Vec<u32> = from.collect();
            let from = from[numbers.below(from.len())];
            let inner = number(pool, numbers, from, deeper);
            match numbers.below(2) {
                0 => pool.zext(inner, width),
                _ => pool.sext(inner, width),
            }
        }
        3 if width < 64 => {
            let low = numbers.below((64 - width) as usize + 1) as u32;
            let inner = number(pool, numbers, 64, deeper);
            pool.extract(inner, low, width)
        }
        4 if width > 8 => {
            let (high, low) = (
                number(pool, numbers, width - 8, deeper),
                number(pool, numbers, 8, deeper),
            );
            pool.concat(high, low)
        }
        5 => {
            let test = condition(pool, numbers, deeper);
            let (a, b) = (
                number(pool, numbers, width, deeper),
                number(pool, numbers, width, deeper),
            );
            pool.ite(test, a, b)
        }
        _ => {
            let op = Op::ARITHMETIC[numbers.below(Op::ARITHMETIC.len())];
            let left = number(pool, numbers, width, deeper);
            let right = match op {
                Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                    let bits = u128::from(numbers.next()) & mask(width - 1);
                    pool.constant(width, bits.max(1))
                }
                Op::Shl | Op::LShr | Op::AShr => {
                    let bits = numbers.below(width as usize);
                    pool.constant(width, bits as u128)
                }
                _ => number(pool, numbers, width, deeper),
            };
            pool.binary(op, left, right)
        }
    }
}

fn condition(pool: &mut Pool, numbers: &mut Numbers, depth: u32) -> ExprId {
    if depth > 0 && numbers.below(2) == 0 {
        let (a, b) = (
            condition(pool, numbers, depth - 1),
            condition(pool, numbers, depth - 1),
        );
        return match numbers.below(5) {
            0 => pool.not(a),
            1 => pool.xor(a, b),
            2 => pool.eq(a, b),
            3 => pool.and(a, b),
            _ => pool.or(a, b),
        };
    }
    let width = [8, 8, 13, 16, 32, 32, 40, 64, 64][numbers.below(9)];
    let (a, b) = (
        number(pool, numbers, width, depth),
        number(pool, numbers, width, depth),
    );
    pool.binary(Op::COMPARISONS[numbers.below(5)], a, b)
}

fn name(symbol: Symbol) -> Option<CVariable> {
    let Symbol::Named { id, .. } = symbol else {
        return None;
    };
    let (name, _, _, signed) = VARIABLES[id as usize];
    let text = name.to_owned();
    Some(CVariable { text, signed })
}

/// What a program says whose functions return texts, called on rows of numbers.
fn run(texts: &[String], rows: &[[u128; 8]]) -> String {
    let folder = std::env::temp_dir().join(format!("labrys-c-text-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut source = String::from("#include <stdio.h>\n");
    let parameters = VARIABLES.map(|(name, ty, _, _)| format!("{ty} {name}"));
    let parameters = parameters.join(", ");
    let mut calls = String::new();
    for (index, text) in texts.iter().enumerate() {
        let _ = writeln!(
            source,
            "static int f{index}({parameters}) {{ return {text}; }}"
        );
        let _ = write!(calls, "f{index},");
    }
    let _ = writeln!(source, "static int (*all[])({parameters}) = {{{calls}}};");
    source.push_str("static const unsigned long rows[][8] = {\n");
    for row in rows {
        let row = row.map(|bits| format!("{bits}UL"));
        let _ = writeln!(source, "{{{}}},", row.join(","));
    }
    let arguments: Vec<_> = (0..8)
        .map(|index| format!("({})rows[r][{index}]", VARIABLES[index].1))
        .collect();
    let _ = write!(
        source,
        "}};\nint main(void) {{\n  for (int f = 0; f < {}; f++) {{\n    for (int r = 0; r < {}; r++) \
         putchar('0' + all[f]({}));\n    putchar('\\n');\n  }}\n}}\n",
        texts.len(),
        rows.len(),
        arguments.join(", ")
    );
    let file = folder.join("texts.c");
    let program = folder.join("texts");
    std::fs::write(&file, source).expect("a file");
    let mut compiler = Command::new("clang-19");
    let checks = ["-w", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let compiled = compiler.args(checks).arg("-o").arg(&program).arg(&file);
    assert!(compiled.status().expect("clang-19").success());
    let output = Command::new(&program).output().expect("the program runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    String::from_utf8(output.stdout).expect("digits")
}

#[test]
fn texts_have_the_values_of_conditions_and_follow_from_them_where_parts_are_left_out() {
    let (mut pool, mut numbers) = (Pool::verbatim(), Numbers(1));
    let row = |numbers: &mut Numbers| VARIABLES.map(|(_, _, width, _)| numbers.word(width));
    let rows: Vec<[u128; 8]> = (0..ROWS).map(|_| row(&mut numbers)).collect();
    let without = |symbol: Symbol| name(symbol).filter(|variable| variable.text != "e");
    let (mut conditions, mut texts, mut weaker) = (Vec::new(), Vec::new(), 0);
    while conditions.len() < CONDITIONS {
        let id = condition(&mut pool, &mut numbers, 4);
        let Some(text) = c_implied(&pool, id, &name).filter(|text| text.len() < 1000) else {
            continue;
        };
        let implied = c_implied(&pool, id, &without).unwrap_or_else(|| "1".to_owned());
        weaker += usize::from(implied != text && implied != "1");
        conditions.push(id);
        texts.extend([text, implied]);
    }
    assert!(weaker > 20, "{weaker} lost a part only");
    let said = run(&texts, &rows);
    for ((condition, lines), texts) in conditions
        .iter()
        .zip(said.lines().collect::<Vec<_>>().chunks(2))
        .zip(texts.chunks(2))
    {
        for (at, row) in rows.iter().enumerate() {
            let bits = |symbol: Symbol| match symbol {
                Symbol::Named { id, .. } => row[id as usize],
                _ => 0,
            };
            let value = evaluate(&pool, *condition, &bits)
                .expect("a value")
                .is_true();
            let [exact, implied] = [0, 1].map(|line: usize| lines[line].as_bytes()[at] == b'1');
            assert_eq!(exact, value, "{} on {row:?}", texts[0]);
            assert!(implied || !value, "{} on {row:?}", texts[1]);
        }
    }
}

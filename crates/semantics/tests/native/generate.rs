//! Programs drawn at random, in the text form: any graph of blocks, values of all widths.

use std::fmt::Write as _;

use labrys_program::graph::{Digraph, Dominators};
use labrys_program::{FunctionId, Program};
use labrys_semantics::{Limit, NativeCode};
use proptest::prelude::*;

use super::instructions::{DefinedValue, FUNCTIONS, Function, constant};
use super::{Random, Start, agree};

/// A graph of blocks: successors of each.
fn graph(random: &mut Random) -> Vec<Vec<usize>> {
    let count = 1 + random.below(7);
    let mut to = || match count {
        1 => 0,
        _ => 1 + random.below(count - 1),
    };
    let mut blocks = Vec::new();
    for block in 0..count {
        let ways = [1, 2, 2, 2, 4, 0][if block == 0 { 1 } else { to() % 6 }];
        let ways = if count == 1 { 0 } else { ways };
        blocks.push((0..ways).map(|_| to()).collect());
    }
    blocks
}

fn function(random: &mut Random, (name, result, parameters): (&str, &str, &[&str])) -> String {
    let blocks = graph(random);
    let mut edges = Vec::new();
    for (from, successors) in blocks.iter().enumerate() {
        edges.extend(successors.iter().map(|to| (from as u32, *to as u32)));
    }
    let graph = Digraph::new(blocks.len(), &edges);
    let dominators = Dominators::new(&graph, 0);
    let mut made = Function {
        random,
        text: String::new(),
        next: parameters.len(),
        defined: vec![Vec::new(); blocks.len()],
        usable: Vec::new(),
        block: 0,
    };
    let of_parameters = parameters
        .iter()
        .enumerate()
        .map(|(index, ty)| DefinedValue {
            ty: (*ty).to_owned(),
            name: format!("v{index}"),
        });
    made.defined[0] = of_parameters.collect();
    let mut phis = Vec::new();
    for (block, successors) in blocks.iter().enumerate() {
        made.block = block;
        made.usable.clear();
        for known in 0..=block {
            if dominators.dominates(known as u32, block as u32) || known == 0 {
                made.usable.extend(made.defined[known].clone());
            }
        }
        let _ = writeln!(made.text, "b{block}:");
        if block > 0 {
            for _ in 0..made.random.below(4) {
                let ty = made.any_type();
                let mark = format!("phi {}", phis.len());
                made.define(&ty, &format!("<{mark}>"));
                phis.push((block, ty));
            }
        }
        for _ in 0..made.random.below(9) {
            made.instruction();
        }
        let end = match successors.as_slice() {
            [] if made.random.one_in(9) => "unreachable".to_owned(),
            [] if result == "void" => "ret".to_owned(),
            [] => format!("ret {}", made.operand(result)),
            [to] => format!("jump b{to}"),
            [yes, no] => format!("br {}, b{yes}, b{no}", made.operand("i1")),
            [otherwise, cases @ ..] => {
                let ty = made.random.pick(&["i8", "i32", "i64", "i128"]);
                let value = made.operand(ty);
                let cases = cases.iter().enumerate();
                let cases: Vec<_> = cases.map(|(case, to)| format!("{case} b{to}")).collect();
                format!("switch {value}, b{otherwise} [{}]", cases.join(", "))
            }
        };
        let _ = writeln!(made.text, "  {end}");
    }
    let mut text = made.text;
    for (number, (block, ty)) in phis.into_iter().enumerate() {
        let mut from = graph.predecessors(block as u32).to_vec();
        from.sort_unstable();
        from.dedup();
        let mut incoming = Vec::new();
        for from in from {
            let mut known: Vec<&DefinedValue> = Vec::new();
            for (dominator, defined) in made.defined.iter().enumerate() {
                if dominators.dominates(dominator as u32, from) {
                    known.extend(defined.iter().filter(|known| known.ty == ty));
                }
            }
            let operand = match known.as_slice() {
                [] => constant(made.random, &ty),
                known => known[made.random.below(known.len())].name.clone(),
            };
            incoming.push(format!("b{from} {operand}"));
        }
        let phi = format!("phi [{}]", incoming.join(", "));
        text = text.replace(&format!("<phi {number}>"), &phi);
    }
    let parameters = parameters.iter().enumerate();
    let parameters: Vec<_> = parameters
        .map(|(index, ty)| format!("{ty} v{index}"))
        .collect();
    let parameters = parameters.join(", ");
    format!("define {result} @{name}({parameters}) external address_taken {{\n{text}}}\n")
}

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut text = "program \"drawn\"
hash \"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"
aggregate a0 = struct 8 [0 i32, 4 i1]
aggregate a1 = struct 16 [0 i64, 8 i1]
global @g0 internal 64 align 8 = \"\\00\\01\\02\\03\" []
global @g1 internal 24 align 8 = \"abc\" [8 @g0 + 8]
global @text internal constant 6 align 1 = \"hello\\00\" []
declare i32 @printf(ptr v0, ...) external
declare i64 @strlen(ptr v0) external
declare ptr @malloc(i64 v0) external
declare double @sin(double v0) external
declare void @labrys_symbolic(ptr v0, i64 v1, ptr v2) external
declare void @labrys_assume(i32 v0) external
"
    .to_owned();
    for signature in FUNCTIONS {
        text += &function(&mut random, signature);
    }
    match text.parse::<Program>() {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn check(seed: u64) -> usize {
    let program = program(seed);
    if let Err(violations) = program.verify() {
        panic!("{violations:?}\n{program}");
    }
    let mut code = NativeCode::eager();
    let mut random = Random::new(seed ^ 0x5eed);
    let first = program.functions.len() - FUNCTIONS.len();
    for entry in first..program.functions.len() {
        for round in 0..3 {
            let start = Start {
                program: &program,
                entry: FunctionId::new(entry),
                seed: seed.wrapping_mul(3) + round,
                limit: Limit {
                    steps: 2000,
                    depth: 8,
                    interpreted: u64::MAX,
                },
            };
            agree(start, &mut code, &mut random);
        }
    }
    code.ready()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn drawn_programs(seed in any::<u64>()) {
        check(seed);
    }
}

#[test]
fn most_functions_have_code() {
    let ready: usize = (0..50).map(check).sum();
    assert!(ready > 120, "{ready} of 200");
}

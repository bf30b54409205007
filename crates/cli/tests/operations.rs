//! The law of `semantics`, on the other side: every operation of the IR, compiled and run, gives
//! what its meaning says, and the runtime records it as an expression of that value.
//!
//! The operations are those of `crates/semantics/tests/meanings`, each in a function of a program
//! in LLVM's language. The program reads the operands from its input; its results are compared
//! with concrete values and with the machine on the lowered program, and its trace is checked.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../../semantics/tests/meanings/cases.rs"]
mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use cases::{Case, Random, Shape, is_defined, shape};
use labrys_executor::{Executor, Launch, Mode, RunLimits};
use labrys_expr::{Symbol, Value};
use labrys_program::{
    BinaryOperator, BlockId, FloatComparison, FunctionId, Intrinsic, Operand, Operation, Program,
    Type,
};
use labrys_semantics::{
    Concrete, Distance, Inputs, IrValue, Limit, Machine, Operands, Rules, meaning,
};
use labrys_suite::Input;
use labrys_trace::{Recording, Trace, Violation};

/// Bytes of an operand in the input, and of a result in the output.
const SIZE: usize = 16;

fn width(ty: Type) -> u32 {
    ty.width().expect("a scalar")
}

fn name(ty: Type) -> String {
    match ty {
        Type::Int(width) => format!("i{width}"),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        _ => "ptr".to_owned(),
    }
}

/// The suffix of an intrinsic of this type.
fn suffix(ty: Type) -> String {
    match ty {
        Type::Float => "f32".to_owned(),
        Type::Double => "f64".to_owned(),
        Type::Pointer => "p0".to_owned(),
        _ => name(ty),
    }
}

/// The cases that LLVM has, too.
fn all() -> Vec<Case> {
    let mut all = cases::all();
    all.retain(|case| match &case.operation {
        // Its only quotient that can be represented is of 0.
        Operation::Binary { operator, .. } => {
            width(case.result) > 1
                || !matches!(operator, BinaryOperator::SDiv | BinaryOperator::SRem)
        }
        // Any function of the bits will do for the law, but not for LLVM, which has no code for a
        // hint where nothing is optimized.
        Operation::Intrinsic { intrinsic, .. } => {
            !matches!(shape(*intrinsic), Shape::Library(_))
                && *intrinsic != Intrinsic::ExpectProbability
        }
        _ => true,
    });
    all
}

/// Declarations of intrinsics, and the text of functions.
#[derive(Default)]
struct Text {
    declarations: BTreeSet<String>,
    functions: String,
}

impl Text {
    /// The function that is the operation.
    fn operation(&mut self, number: usize, case: &Case) {
        let (result, first) = (name(case.result), name(case.parameters[0]));
        let parameters: Vec<_> = (0..)
            .zip(&case.parameters)
            .map(|(index, ty): (usize, _)| format!("{} %v{index}", name(*ty)))
            .collect();
        let computed = match &case.operation {
            Operation::Binary { operator, .. } => format!("{} {first} %v0, %v1", operator.name()),
            Operation::Float { operator, .. } => format!("{} {first} %v0, %v1", operator.name()),
            Operation::Compare { comparison, .. } => {
                format!("icmp {} {first} %v0, %v1", comparison.name())
            }
            Operation::FloatCompare { comparison, .. } => {
                format!("fcmp {} {first} %v0, %v1", comparison.name())
            }
            Operation::FloatNegate(_) => format!("fneg {first} %v0"),
            Operation::Cast { cast, .. } => format!("{} {first} %v0 to {result}", cast.name()),
            Operation::Select { .. } => format!("select i1 %v2, {first} %v0, {first} %v1"),
            Operation::Freeze(_) => format!("freeze {first} %v0"),
            Operation::Intrinsic { intrinsic, .. } => {
                let types: Vec<_> = case.parameters.iter().map(|ty| name(*ty)).collect();
                let mut values: Vec<_> = parameters.clone();
                let mut callee = format!("@llvm.{}.{}", intrinsic.name(), suffix(case.result));
                let mut result = result.clone();
                match shape(*intrinsic) {
                    Shape::Flagged => values[1] = "i1 false".to_owned(),
                    Shape::Overflow => result = format!("{{ {result}, i1 }}"),
                    Shape::Mask => callee.push_str(".i64"),
                    _ => {}
                }
                self.declarations
                    .insert(format!("declare {result} {callee}({})", types.join(", ")));
                format!("call {result} {callee}({})", values.join(", "))
            }
            other => panic!("{other:?}"),
        };
        let result = if case.overflows {
            format!("{{ {result}, i1 }}")
        } else {
            result
        };
        let _ = writeln!(
            self.functions,
            "define {result} @operation{number}({}) alwaysinline {{
  %r = {computed}
  ret {result} %r
}}",
            parameters.join(", ")
        );
    }

    /// The function that calls it: reads the operands, keeps them to defined ones, and writes and
    /// tests the result.
    fn caller(&mut self, number: usize, case: &Case, slot: usize) {
        let _ = writeln!(self.functions, "define void @call{number}() noinline {{");
        for (index, ty) in case.parameters.iter().enumerate() {
            let text = &mut self.functions;
            let (at, bits) = (SIZE * index, width(*ty));
            let _ = writeln!(text, "  %p{index} = getelementptr i8, ptr @in, i64 {at}");
            let _ = writeln!(text, "  %w{index} = load i128, ptr %p{index}");
            match bits {
                128 => {
                    let _ = writeln!(text, "  %b{index} = or i128 %w{index}, 0");
                }
                _ => {
                    let _ = writeln!(text, "  %b{index} = trunc i128 %w{index} to i{bits}");
                }
            }
            match ty {
                Type::Int(_) => self.defined(case, index),
                Type::Pointer => {
                    let _ = writeln!(text, "  %v{index} = inttoptr i64 %b{index} to ptr");
                }
                _ => {
                    let ty = name(*ty);
                    let _ = writeln!(text, "  %v{index} = bitcast i{bits} %b{index} to {ty}");
                }
            }
        }
        self.finish(number, case, slot);
    }

    /// An operand for which the operation is defined.
    fn defined(&mut self, case: &Case, index: usize) {
        use BinaryOperator as B;
        let ty = name(case.parameters[index]);
        let bits = width(case.parameters[index]);
        let operator = match &case.operation {
            Operation::Binary { operator, .. } => Some(*operator),
            _ => None,
        };
        let kept = match (operator, index) {
            (Some(B::UDiv | B::URem | B::SDiv | B::SRem), 1) => format!("or {ty} %b1, 1"),
            (Some(B::SDiv | B::SRem), 0) => format!("ashr {ty} %b0, 1"),
            // The width as a number of that width: of one bit, 1.
            (Some(B::Shl | B::LShr | B::AShr), 1) => {
                format!(
                    "urem {ty} %b1, {}",
                    if bits == 1 {
                        "true".to_owned()
                    } else {
                        bits.to_string()
                    }
                )
            }
            _ => format!(
                "or {ty} %b{index}, {}",
                if bits == 1 { "false" } else { "0" }
            ),
        };
        let _ = writeln!(self.functions, "  %v{index} = {kept}");
    }

    fn finish(&mut self, number: usize, case: &Case, slot: usize) {
        let text = &mut self.functions;
        let parameters = case.parameters.iter().enumerate();
        let values: Vec<_> = parameters
            .map(|(index, ty)| format!("{} %v{index}", name(*ty)))
            .collect();
        let (ty, values) = (name(case.result), values.join(", "));
        let mut parts = vec![("%r0".to_owned(), case.result)];
        if case.overflows {
            let whole = format!("{{ {ty}, i1 }}");
            let _ = writeln!(text, "  %r = call {whole} @operation{number}({values})");
            for part in 0..2 {
                let _ = writeln!(text, "  %r{part} = extractvalue {whole} %r, {part}");
            }
            parts.push(("%r1".to_owned(), Type::Int(1)));
        } else {
            let _ = writeln!(text, "  %r0 = call {ty} @operation{number}({values})");
        }
        for (part, (value, ty)) in parts.iter().enumerate() {
            let bits = width(*ty);
            let wide = if bits <= 64 { 64 } else { 128 };
            let integer = match ty {
                Type::Int(_) => value.clone(),
                Type::Pointer => {
                    let _ = writeln!(text, "  %i{part} = ptrtoint ptr {value} to i64");
                    format!("%i{part}")
                }
                _ => {
                    let _ = writeln!(
                        text,
                        "  %i{part} = bitcast {} {value} to i{bits}",
                        name(*ty)
                    );
                    format!("%i{part}")
                }
            };
            let extended = if bits == wide {
                integer
            } else {
                let _ = writeln!(text, "  %x{part} = zext i{bits} {integer} to i{wide}");
                format!("%x{part}")
            };
            let at = SIZE * (slot + part);
            let _ = writeln!(
                text,
                "  %o{part} = getelementptr i8, ptr @out, i64 {at}
  store i{wide} {extended}, ptr %o{part}
  %t{part} = load volatile i{wide}, ptr @threshold
  %c{part} = icmp ult i{wide} {extended}, %t{part}
  br i1 %c{part}, label %yes{part}, label %no{part}
yes{part}:
  store volatile i8 1, ptr @sink
  br label %no{part}
no{part}:"
            );
        }
        let _ = writeln!(text, "  ret void\n}}");
    }
}

/// Slots of results, in the order of the cases.
fn slots(cases: &[Case]) -> usize {
    cases
        .iter()
        .map(|case| 1 + usize::from(case.overflows))
        .sum()
}

fn module(cases: &[Case]) -> String {
    let mut text = Text::default();
    let (mut calls, mut slot) = (String::new(), 0);
    for (number, case) in cases.iter().enumerate() {
        text.operation(number, case);
        text.caller(number, case, slot);
        slot += 1 + usize::from(case.overflows);
        let _ = writeln!(calls, "  call void @call{number}()");
    }
    let (given, made) = (3 * SIZE, SIZE * slot);
    let declarations: Vec<_> = text.declarations.into_iter().collect();
    format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-pc-linux-gnu\"
@in = global [{given} x i8] zeroinitializer, align 16
@out = global [{made} x i8] zeroinitializer, align 16
@threshold = global i128 5
@sink = global i8 0
declare i64 @read(i32, ptr, i64)
declare i64 @write(i32, ptr, i64)
{}
{}
define i32 @main() {{
  %got = call i64 @read(i32 0, ptr @in, i64 {given})
{calls}  %put = call i64 @write(i32 1, ptr @out, i64 {made})
  ret i32 0
}}
!llvm.module.flags = !{{!0, !1}}
!0 = !{{i32 8, !\"PIC Level\", i32 2}}
!1 = !{{i32 7, !\"PIE Level\", i32 2}}
",
        declarations.join("\n"),
        text.functions
    )
}

/// The operand that the program makes of its input.
fn kept(case: &Case, index: usize, bits: u128) -> u128 {
    use BinaryOperator as B;
    let width = width(case.parameters[index]);
    let mask = u128::MAX >> (128 - width);
    let bits = bits & mask;
    match (&case.operation, index) {
        (Operation::Binary { operator, .. }, 1) => match operator {
            B::UDiv | B::URem | B::SDiv | B::SRem => bits | 1,
            B::Shl | B::LShr | B::AShr => bits % u128::from(width),
            _ => bits,
        },
        (
            Operation::Binary {
                operator: B::SDiv | B::SRem,
                ..
            },
            0,
        ) => {
            let signed = (bits << (128 - width)) as i128 >> (129 - width);
            signed as u128 & mask
        }
        (Operation::Intrinsic { intrinsic, .. }, 1)
            if matches!(shape(*intrinsic), Shape::Flagged) =>
        {
            0
        }
        _ => bits,
    }
}

struct Given(Vec<(Value, Type)>);

impl Operands<Concrete> for Given {
    fn value(&mut self, _: &mut Concrete, operand: Operand) -> Option<IrValue<Value>> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(IrValue::Scalar(self.0.get(id.index())?.0))
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let Operand::Value(id) = operand else {
            return None;
        };
        Some(self.0.get(id.index())?.1)
    }
}

fn values(case: &Case, numbers: &[u128]) -> Vec<Value> {
    let parameters = case.parameters.iter().zip(numbers);
    parameters
        .map(|(ty, bits)| Value::new(width(*ty), *bits))
        .collect()
}

fn concrete(case: &Case, numbers: &[u128]) -> Option<Vec<Value>> {
    let given = values(case, numbers).into_iter();
    let mut given = Given(given.zip(case.parameters.iter().copied()).collect());
    let mut algebra = Concrete {
        external: |_, _, _| None,
    };
    let result = meaning(&mut algebra, &case.operation, case.result, &mut given)?;
    Some(result.scalars())
}

struct Nothing;

impl Inputs for Nothing {
    fn next(&mut self, _: &mut [u8]) {}
}

impl Rules for Nothing {
    fn enter(&mut self, _: usize, _: FunctionId, _: BlockId) -> Option<usize> {
        None
    }

    fn leave(
        &mut self,
        _: usize,
        _: BlockId,
        natural: BlockId,
        _: &mut dyn FnMut(BlockId) -> Distance,
    ) -> Option<BlockId> {
        Some(natural)
    }

    fn assume(&mut self, _: Distance) -> bool {
        false
    }
}

/// What the machine computes in the lowered program.
fn lowered(program: &Program, id: FunctionId, arguments: Vec<Value>) -> Option<Vec<Value>> {
    let (mut inputs, mut rules) = (Nothing, Nothing);
    let limit = Limit {
        steps: 100,
        interpreted: 100,
        depth: 2,
    };
    let mut machine = Machine::new(program, |_, _, _| None, &mut inputs, &mut rules, limit);
    let arguments = arguments.into_iter().map(IrValue::Scalar).collect();
    Some(machine.call(id, arguments).ok()??.scalars())
}

/// NaNs of one width are one value: their signs and payloads are left open.
fn canonical(ty: Type, bits: u128) -> u128 {
    match ty {
        Type::Float if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
        Type::Double if f64::from_bits(bits as u64).is_nan() => 0x7ff8_0000_0000_0000,
        _ => bits,
    }
}

fn build(folder: &Path, cases: &[Case]) {
    let at = |name: &str| folder.join(name);
    std::fs::write(at("main.ll"), module(cases)).unwrap();
    let assembled = Command::new("clang-19")
        .args(["-c", "-emit-llvm", "-O0", "-Wno-override-module"])
        .args([at("main.ll"), "-o".into(), at("main.bc")])
        .status();
    assert!(assembled.unwrap().success());
    let built = Command::new(env!("CARGO_BIN_EXE_labrys-cc"))
        .env("LABRYS_WHOLE", "1")
        .args([at("main.bc"), "-o".into(), at("program"), "-lm".into()])
        .status();
    assert!(built.unwrap().success());
}

/// The output of the program on an input.
fn output(folder: &Path, input: &[u8]) -> Vec<u8> {
    let file = folder.join("input");
    std::fs::write(&file, input).unwrap();
    let run = Command::new(folder.join("program"))
        .stdin(Stdio::from(std::fs::File::open(file).unwrap()))
        .output()
        .unwrap();
    assert!(run.status.success());
    run.stdout
}

/// Results against the meaning; whether the input may be recorded.
fn compare(program: &Program, cases: &[Case], numbers: [u128; 3], output: &[u8]) {
    let mut slot = 0;
    for (number, case) in cases.iter().enumerate() {
        let here = slot;
        slot += 1 + usize::from(case.overflows);
        let count = case.parameters.len();
        let operands: Vec<_> = (0..count).map(|at| kept(case, at, numbers[at])).collect();
        let Some(expected) = concrete(case, &operands).filter(|_| is_defined(case, &operands))
        else {
            continue;
        };
        let function = program
            .functions
            .iter()
            .position(|function| function.name == format!("operation{number}"));
        let id = FunctionId::new(function.expect("the function"));
        let found = lowered(program, id, values(case, &operands));
        assert_eq!(
            found.as_ref(),
            Some(&expected),
            "{case:?} on {operands:x?}, lowered"
        );
        for (part, value) in expected.iter().enumerate() {
            let at = SIZE * (here + part);
            let bits = u128::from_le_bytes(output[at..at + SIZE].try_into().unwrap());
            let ty = if part == 0 { case.result } else { Type::Int(1) };
            assert_eq!(
                canonical(ty, bits),
                canonical(ty, value.bits()),
                "{case:?} on {operands:x?}, part {part}, compiled"
            );
        }
    }
}

/// Whether the recorder has expressions for the results of a case.
fn is_recorded(case: &Case) -> bool {
    match &case.operation {
        // The remainder of a division by 1 is 0.
        Operation::Binary { operator, .. } => {
            *operator != BinaryOperator::URem || width(case.result) > 1
        }
        Operation::FloatCompare { comparison, .. } => {
            !matches!(comparison, FloatComparison::False | FloatComparison::True)
        }
        Operation::Intrinsic { intrinsic, .. } => {
            case.parameters.iter().all(|ty| width(*ty) <= 64)
                && !matches!(shape(*intrinsic), Shape::Mask)
        }
        _ => true,
    }
}

#[test]
fn operations_compute_and_record_what_they_mean() {
    let cases = all();
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &cases);
    let binary = folder.path().join("program");
    let container = labrys_cc::container::Container::open(&binary).unwrap();
    let program = container.program().unwrap();
    let launch = Launch {
        binary,
        streams: Input::stdin(vec![0; 3 * SIZE]).shape(),
        branches: program.branch_count(),
        ..Launch::default()
    };
    let mut executor = Executor::start(launch, RunLimits::default()).unwrap();
    let mut random = Random(4);
    let mut recorded = BTreeSet::new();
    for run in 0..20 {
        let ty = [
            Type::Int(128),
            Type::Double,
            Type::Float,
            Type::Int(64),
            Type::Int(32),
        ][run % 5];
        let numbers = [0; 3].map(|_| random.value(ty));
        let input: Vec<u8> = numbers.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let output = output(folder.path(), &input);
        assert_eq!(output.len(), SIZE * slots(&cases));
        compare(&program, &cases, numbers, &output);
        let run = executor
            .run(&Input::stdin(input.clone()), Mode::Symbolic)
            .unwrap();
        recorded.extend(check(&program, run.recording, &input));
    }
    for (number, case) in cases.iter().enumerate() {
        assert!(
            recorded.contains(&format!("call{number}")) || !is_recorded(case),
            "{case:?} is not recorded"
        );
    }
}

/// Whether a value is a NaN both in the run and in its expression. Expressions do not keep its sign
/// and payload.
fn is_other_nan(violation: &Violation) -> bool {
    let Violation::Node {
        expected,
        found: Some(found),
        ..
    } = violation
    else {
        return false;
    };
    let is_nan = |bits: u64| match u32::try_from(bits) {
        Ok(bits) => f32::from_bits(bits).is_nan(),
        Err(_) => f64::from_bits(bits).is_nan(),
    };
    is_nan(*expected) && is_nan(*found)
}

/// Checks a recording; the functions with conditions that depend on the input.
fn check(program: &Program, recording: Recording, input: &[u8]) -> BTreeSet<String> {
    let trace = Trace::new(recording, program).unwrap();
    let mut decoder = trace.decoder();
    let symbol = |symbol: Symbol| match symbol {
        Symbol::Byte { offset, .. } => input.get(offset as usize).copied().unwrap_or(0).into(),
        Symbol::Length { .. } => input.len() as u128,
        Symbol::Named { .. } => 0,
    };
    let mut violations = trace.check(&mut decoder, &symbol);
    violations.retain(|violation| !is_other_nan(violation));
    let mut names = BTreeMap::new();
    for (id, function) in program.functions.iter().enumerate() {
        names.insert(id, function.name.clone());
    }
    assert!(violations.is_empty(), "{violations:?} on {input:x?}");
    let steps = trace.steps().iter();
    let sites = steps.filter_map(|step| program.site(labrys_program::SiteId(step.site)));
    sites
        .map(|site| names[&site.function.index()].clone())
        .collect()
}

//! The machine, interpreted and as machine code: a program with one function for each case.

use std::fmt::Write as _;

use labrys_expr::Value;
use labrys_program::{FunctionId, Operation, Program, Type};
use labrys_semantics::{
    Distance, Halt, Inputs, IrValue, Limit, Machine, NativeCode, Rules, Watched,
};

use super::cases::{Case, Random, Shape, WIDTHS, all, shape};
use super::{concrete, draw, external, has_no_meaning};

struct Nothing;

impl Inputs for Nothing {
    fn next(&mut self, _: &mut [u8]) {}
}

impl Rules for Nothing {
    fn watched(&self) -> Watched {
        Watched::These {
            enter: None,
            leave: None,
        }
    }

    fn enter(&mut self, _: usize, _: FunctionId, _: labrys_program::BlockId) -> Option<usize> {
        None
    }

    fn leave(
        &mut self,
        _: usize,
        _: labrys_program::BlockId,
        natural: labrys_program::BlockId,
        _: &mut dyn FnMut(labrys_program::BlockId) -> Distance,
    ) -> Option<labrys_program::BlockId> {
        Some(natural)
    }

    fn assume(&mut self, _: Distance) -> bool {
        false
    }
}

fn name(ty: Type) -> String {
    match ty {
        Type::Int(width) => format!("i{width}"),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        _ => "ptr".to_owned(),
    }
}

/// The operation in the text form.
fn text(case: &Case) -> String {
    match &case.operation {
        Operation::Binary { operator, .. } => format!("{} v0, v1", operator.name()),
        Operation::Compare { comparison, .. } => format!("icmp {} v0, v1", comparison.name()),
        Operation::Float { operator, .. } => format!("{} v0, v1", operator.name()),
        Operation::FloatCompare { comparison, .. } => format!("fcmp {} v0, v1", comparison.name()),
        Operation::FloatNegate(_) => "fneg v0".to_owned(),
        Operation::Cast { cast, .. } => format!("{} v0", cast.name()),
        Operation::Select { .. } => "select v2, v0, v1".to_owned(),
        Operation::Freeze(_) => "freeze v0".to_owned(),
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } => {
            let flagged = matches!(shape(*intrinsic), Shape::Flagged);
            let arguments = (0..arguments.len()).map(|index| match index {
                1 if flagged => "i1 0".to_owned(),
                _ => format!("v{index}"),
            });
            let arguments: Vec<_> = arguments.collect();
            format!("intrinsic {}({})", intrinsic.name(), arguments.join(", "))
        }
        other => panic!("{other:?}"),
    }
}

/// A function for each case; of one that overflows, one for each part.
fn program(cases: &[(Case, usize)]) -> Program {
    let mut program = "program \"operations\"
hash \"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"
"
    .to_owned();
    for (number, width) in WIDTHS.iter().enumerate() {
        let size = u64::from(width.div_ceil(8)).next_power_of_two();
        let whole = 2 * size;
        let _ = writeln!(
            program,
            "aggregate a{number} = struct {whole} [0 i{width}, {size} i1]"
        );
    }
    for (number, (case, part)) in cases.iter().enumerate() {
        let parameters = case.parameters.iter().enumerate();
        let parameters: Vec<_> = parameters
            .map(|(index, ty)| format!("{} v{index}", name(*ty)))
            .collect();
        let first = parameters.len();
        let parameters = parameters.join(", ");
        let (result, text) = (name(case.result), text(case));
        let result = if *part == 1 { "i1".to_owned() } else { result };
        let _ = writeln!(
            program,
            "define {result} @f{number}({parameters}) external address_taken {{\nb0:"
        );
        let mut last = first;
        if case.overflows {
            let width = case.result.width();
            let aggregate = WIDTHS.iter().position(|known| Some(*known) == width);
            let aggregate = aggregate.expect("an aggregate of each width");
            let _ = writeln!(program, "  v{first}: a{aggregate} = {text}");
            last += 1;
            let _ = writeln!(program, "  v{last}: {result} = extract v{first} [{part}]");
        } else {
            let _ = writeln!(program, "  v{first}: {result} = {text}");
        }
        let _ = writeln!(program, "  ret v{last}\n}}");
    }
    match program.parse::<Program>() {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{program}"),
    }
}

fn run(
    program: &Program,
    id: FunctionId,
    arguments: Vec<IrValue<Value>>,
    code: Option<&mut NativeCode>,
) -> Result<Option<IrValue<Value>>, Halt> {
    let (mut inputs, mut rules) = (Nothing, Nothing);
    let limit = Limit {
        steps: 1000,
        interpreted: 1000,
        depth: 8,
    };
    let mut machine = Machine::new(program, external, &mut inputs, &mut rules, limit);
    if let Some(code) = code {
        machine = machine.with_code(code);
    }
    machine.call(id, arguments)
}

#[test]
fn the_machine_and_its_code_compute_what_concrete_values_give() {
    let cases = all().into_iter().filter(|case| !has_no_meaning(case));
    let cases: Vec<_> = cases
        .flat_map(|case| (0..=usize::from(case.overflows)).map(move |part| (case.clone(), part)))
        .collect();
    let program = program(&cases);
    if let Err(violations) = program.verify() {
        panic!("{violations:?}\n{program}");
    }
    let mut code = NativeCode::eager();
    let mut random = Random(3);
    for (number, (case, part)) in cases.iter().enumerate() {
        for _ in 0..60 {
            let numbers = draw(case, &mut random);
            let expected = concrete(case, &numbers).expect("a meaning")[*part];
            let values = case.parameters.iter().zip(&numbers);
            let arguments: Vec<_> = values
                .map(|(ty, bits)| IrValue::Scalar(Value::new(ty.width().expect("a scalar"), *bits)))
                .collect();
            let id = FunctionId::new(number);
            let interpreted = run(&program, id, arguments.clone(), None);
            let expected = Ok(Some(IrValue::Scalar(expected)));
            assert_eq!(interpreted, expected, "{case:?} on {numbers:x?}");
            let mut native = run(&program, id, arguments.clone(), Some(&mut code));
            while native == Err(Halt::Again) {
                native = run(&program, id, arguments.clone(), Some(&mut code));
            }
            assert_eq!(native, expected, "{case:?} on {numbers:x?}, code");
        }
    }
    let words = |case: &Case| case.result.width().is_some_and(|width| width <= 64);
    let expected = cases
        .iter()
        .filter(|(case, part)| *part == 1 || words(case));
    assert!(
        code.ready() >= expected.count(),
        "{} have code",
        code.ready()
    );
}

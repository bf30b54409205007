//! What a program's harness is: how it asks for its input objects.

use labrys_program::{Callee, Constant, Function, Operand, Operation, Program};
use serde::{Deserialize, Serialize};

use crate::ObjectKind;

/// What there is to know of a program's harness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harness {
    /// The program is a fuzz target: it has no `main`, its input goes to
    /// `LLVMFuzzerTestOneInput`.
    pub fuzz_target: bool,
    /// Functions that make a value of their result type, such as `__VERIFIER_nondet_int`.
    pub values: Vec<ValueFunction>,
}

/// A function without a body that makes a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueFunction {
    /// Its name.
    pub name: String,
    /// What it makes.
    pub kind: ObjectKind,
    /// Bytes that a value takes.
    pub size: u64,
}

impl Harness {
    /// The harness of a program, by the calls that the front end put into it.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let functions = program.functions.iter();
        Self {
            fuzz_target: program.function_named("__labrys_fuzz").is_some(),
            values: functions
                .filter_map(|function| ValueFunction::of(program, function))
                .collect(),
        }
    }
}

impl ValueFunction {
    /// A function that the front end made from its name.
    fn of(program: &Program, function: &Function) -> Option<Self> {
        let nondet = ["__VERIFIER_nondet_", "nondet_"];
        if !nondet.iter().any(|start| function.name.starts_with(start)) {
            return None;
        }
        let maker = program.function_named("__labrys_object")?;
        let [block] = &function.blocks[..] else {
            return None;
        };
        let mut operations = block.instructions.iter().map(|i| &i.operation);
        let arguments = operations.find_map(|operation| match operation {
            Operation::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } if *callee == maker => Some(arguments),
            _ => None,
        })?;
        let number = |operand: &Operand| match operand {
            Operand::Constant(id) => match program.constant(*id)? {
                Constant::Int { bits, .. } => u64::try_from(*bits).ok(),
                _ => None,
            },
            Operand::Value(_) => None,
        };
        let [_, size, _, kind] = &arguments[..] else {
            return None;
        };
        Some(Self {
            name: function.name.clone(),
            kind: ObjectKind::from_u8(u8::try_from(number(kind)?).ok()?)?,
            size: number(size)?,
        })
    }
}

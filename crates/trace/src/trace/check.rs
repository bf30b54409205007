//! Checking: do the expressions of a trace say what the run did?
//!
//! Law: under the input of its run, every condition of a trace is true and every expression has
//! the concrete value of its node. A violation is a bug of the runtime, of a library model or
//! of an operation's meaning; the smallest label that violates it is where to look.

use labrys_abi::{Node, Op};
use labrys_expr::{Environment, Evaluator, Symbol, Value};
use rustc_hash::FxHashMap;

use super::{Decoder, Trace};

/// A place where a trace does not fit its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The condition of a step is not true.
    Step {
        /// Index of the step.
        step: usize,
    },
    /// An expression has another value than its node.
    Node {
        /// Label of the node.
        label: u32,
        /// Number of its [`Op`].
        op: u8,
        /// Value in the run.
        expected: u64,
        /// Value of the expression, folded to 64 bits as in the node; none if it is unknown.
        found: Option<u64>,
    },
}

impl Trace {
    /// Evaluates all conditions, and all expressions in them, under the input of the run. An
    /// empty answer is what there should be. Nodes come before steps, the smallest label first.
    ///
    /// External functions are taken to give what they gave in the run.
    pub fn check(&self, decoder: &mut Decoder, input: &dyn Fn(Symbol) -> u128) -> Vec<Violation> {
        let conditions: Vec<_> = (0..self.steps().len())
            .map(|step| self.condition(decoder, step))
            .collect();
        let run = Run {
            input,
            calls: self.calls(),
        };
        let mut evaluator = Evaluator::new();
        let mut violations = Vec::new();
        for (label, node) in (0_u32..).zip(&self.recording().nodes).skip(1) {
            let Some(expression) = decoder.known(label) else {
                continue;
            };
            let found = evaluator.evaluate(decoder.pool(), expression, &run);
            if !found.is_some_and(|found| agrees(node, found)) {
                let (op, expected) = (node.op, node.cv);
                violations.push(Violation::Node {
                    label,
                    op,
                    expected,
                    found: found.map(fold),
                });
            }
        }
        for (step, condition) in conditions.into_iter().enumerate() {
            if !evaluator.holds(decoder.pool(), condition, &run) {
                violations.push(Violation::Step { step });
            }
        }
        violations
    }

    /// What external functions gave in the run, by name and arguments.
    fn calls(&self) -> FxHashMap<(String, Vec<u64>), u64> {
        let nodes = &self.recording().nodes;
        let external = |node: &&Node| node.op == Op::External as u8;
        nodes
            .iter()
            .filter(external)
            .filter_map(|node| {
                let call = self.recording().call(node.imm)?;
                let value = |argument: crate::recording::Argument| match argument.label {
                    0 => Value::new(argument.width, u128::from(argument.value)).bits() as u64,
                    label => nodes[label as usize].cv,
                };
                Some((
                    (call.name.to_owned(), call.arguments().map(value).collect()),
                    node.cv,
                ))
            })
            .collect()
    }
}

/// The input of a run, and what external functions gave in it.
struct Run<'a> {
    input: &'a dyn Fn(Symbol) -> u128,
    calls: FxHashMap<(String, Vec<u64>), u64>,
}

impl Environment for Run<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        (self.input)(symbol)
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        let arguments = arguments.iter().copied().map(fold).collect();
        let result = self.calls.get(&(name.to_owned(), arguments)).copied()?;
        // Of a wider result the recording does not tell all bits.
        (width <= 64).then(|| u128::from(result))
    }
}

/// A value as [`Node::cv`] holds it.
fn fold(value: Value) -> u64 {
    let bits = value.bits();
    if value.width() > 64 {
        bits as u64 ^ (bits >> 64) as u64
    } else {
        bits as u64
    }
}

/// Whether a node's value is this one. Not-a-numbers agree: which one of them an operation
/// gives depends on the processor.
fn agrees(node: &Node, found: Value) -> bool {
    fold(found) == node.cv
        || is_float(node.op)
            && is_nan(found)
            && is_nan(Value::new(found.width(), u128::from(node.cv)))
}

fn is_float(op: u8) -> bool {
    use Op::{FAdd, FDiv, FMul, FRem, FRound, FSqrt, FSub, FToF};
    [FAdd, FSub, FMul, FDiv, FRem, FSqrt, FToF, FRound]
        .iter()
        .any(|float| *float as u8 == op)
}

fn is_nan(value: Value) -> bool {
    match value.width() {
        32 => f32::from_bits(value.bits() as u32).is_nan(),
        _ => f64::from_bits(value.bits() as u64).is_nan(),
    }
}

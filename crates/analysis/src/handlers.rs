//! What signal handlers do with the context that they are given: the registers and the stack with
//! which the interrupted code goes on.
//!
//! Law: code goes on as it was interrupted unless [`redirects`] says that a handler may change it.
//! A handler may read the context, compute and compare what it read, and hand both to functions of
//! the program that do no more than that. Writing through anything that was made of the context,
//! keeping it in memory and giving it to other code all count as changes.

use std::collections::{BTreeMap, BTreeSet};

use labrys_program::graph::{Call, CallGraph};
use labrys_program::{
    BlockId, Callee, Function, FunctionId, Operand, Operation, Program, Terminator, Type, ValueId,
};
use labrys_semantics::LibraryMeaning;

/// The parameter of a handler that is the context.
const CONTEXT: usize = 2;

/// Whether one of the handlers may change the context that it is given.
pub(crate) fn redirects(program: &Program, calls: &CallGraph, handlers: &[FunctionId]) -> bool {
    let contexts = handlers.iter().filter(|id| {
        let context = program.functions[id.index()].parameters.get(CONTEXT);
        context.is_some_and(|context| context.ty == Type::Pointer)
    });
    let mut open: Vec<Given> = contexts
        .map(|id| (*id, BTreeSet::from([CONTEXT])))
        .collect();
    let mut known: BTreeMap<FunctionId, BTreeSet<usize>> = BTreeMap::new();
    while let Some((id, parameters)) = open.pop() {
        let all = known.entry(id).or_default();
        if parameters.is_subset(all) {
            continue;
        }
        all.extend(parameters);
        let reader = Reader {
            program,
            calls,
            id,
            made: all.iter().map(|one| ValueId::new(*one)).collect(),
        };
        match reader.read() {
            Some(given) => open.extend(given),
            None => return true,
        }
    }
    false
}

/// A function with its parameters, by number, that are made of the context.
type Given = (FunctionId, BTreeSet<usize>);

/// A function that is given what is made of the context.
struct Reader<'p> {
    program: &'p Program,
    calls: &'p CallGraph,
    id: FunctionId,
    /// Values that are made of the context.
    made: BTreeSet<ValueId>,
}

impl<'p> Reader<'p> {
    fn function(&self) -> &'p Function {
        &self.program.functions[self.id.index()]
    }

    /// The functions that this one hands the context to; `None` if it does more than reading it.
    fn read(mut self) -> Option<Vec<Given>> {
        while self.spread() {}
        let mut given = Vec::new();
        for (block, code) in (0..).map(BlockId).zip(&self.function().blocks) {
            if let Terminator::Opaque { operands, .. } = &code.terminator
                && operands.iter().any(|operand| self.is_made(*operand))
            {
                return None;
            }
            for (index, instruction) in (0..).zip(&code.instructions) {
                let operation = &instruction.operation;
                if !self.touches(operation) || keeps_to_itself(operation) {
                    continue;
                }
                let Operation::Call {
                    callee, arguments, ..
                } = operation
                else {
                    return None;
                };
                let mut calls = self.calls.calls_in(self.id).iter();
                let call = calls.find(|call| (call.block, call.instruction) == (block, index));
                given.extend(self.handed(*callee, arguments, call)?);
            }
        }
        Some(given)
    }

    /// Adds values that are made of those that are known; whether there were any.
    fn spread(&mut self) -> bool {
        let before = self.made.len();
        for block in &self.function().blocks {
            for phi in &block.phis {
                let incoming = phi.incoming.iter();
                if incoming.clone().any(|(_, operand)| self.is_made(*operand)) {
                    self.made.insert(phi.result);
                }
            }
            for instruction in &block.instructions {
                let compares = matches!(instruction.operation, Operation::Compare { .. });
                if let Some(result) = instruction.result
                    && !compares
                    && self.touches(&instruction.operation)
                {
                    self.made.insert(result);
                }
            }
        }
        self.made.len() > before
    }

    fn is_made(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Value(value) if self.made.contains(&value))
    }

    fn touches(&self, operation: &Operation) -> bool {
        let mut touches = false;
        operation.visit_operands(&mut |operand| touches |= self.is_made(operand));
        touches
    }

    /// The functions that a call hands the context to; `None` if other code gets it.
    fn handed(
        &self,
        callee: Callee,
        arguments: &[Operand],
        call: Option<&Call>,
    ) -> Option<Vec<Given>> {
        let made: BTreeSet<usize> = (0..arguments.len())
            .filter(|index| self.is_made(arguments[*index]))
            .collect();
        let (callees, open) = match callee {
            Callee::Direct(id) => (vec![id], false),
            Callee::Indirect(_) => {
                let call = call?;
                (self.calls.callees(call).to_vec(), call.open)
            }
        };
        if open {
            return None;
        }
        let mut given = Vec::new();
        for id in callees {
            let function = &self.program.functions[id.index()];
            if !function.defined {
                if !only_reads(function, &made) {
                    return None;
                }
                continue;
            }
            let count = function.parameters.len();
            if function.variadic && made.iter().any(|index| *index >= count) {
                return None;
            }
            let made = made.iter().copied().filter(|index| *index < count);
            given.push((id, made.collect()));
        }
        Some(given)
    }
}

/// Whether a library function neither writes through these arguments nor keeps them.
fn only_reads(function: &Function, arguments: &BTreeSet<usize>) -> bool {
    let pointer = |index: &usize| {
        let parameter = function.parameters.get(*index);
        parameter.is_none_or(|parameter| parameter.ty == Type::Pointer)
    };
    match LibraryMeaning::of(&function.name) {
        Some(LibraryMeaning::Reads | LibraryMeaning::Pure) => true,
        Some(LibraryMeaning::Fills { row, shares }) => {
            let most = arguments.last().map_or(0, |last| last + 1);
            !shares && row.written(most).all(|index| !arguments.contains(&index))
        }
        // A number is no address for what is known to take numbers.
        Some(_) => !arguments.iter().any(pointer),
        None => false,
    }
}

/// Whether an operation leaves what it is given where nobody else finds it.
fn keeps_to_itself(operation: &Operation) -> bool {
    match operation {
        Operation::Binary { .. }
        | Operation::Compare { .. }
        | Operation::Float { .. }
        | Operation::FloatCompare { .. }
        | Operation::FloatNegate(_)
        | Operation::Cast { .. }
        | Operation::Select { .. }
        | Operation::Freeze(_)
        | Operation::Load { .. }
        | Operation::Address { .. }
        | Operation::Extract { .. }
        | Operation::Insert { .. } => true,
        Operation::Intrinsic { intrinsic, .. } => !intrinsic.writes_memory(),
        Operation::Opaque { reason, .. } if reason.is_known_to_runs() => true,
        Operation::Store { .. }
        | Operation::Allocate { .. }
        | Operation::Call { .. }
        | Operation::VariableArgument(_)
        | Operation::Opaque { .. } => false,
    }
}

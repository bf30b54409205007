//! Who calls whom.
//!
//! An indirect call may reach the functions whose address is taken and whose signature fits.
//! An external function may call the functions that are passed to it by name (`qsort`).
//! Invariant: calls are in the order (function, block, instruction).

use rustc_hash::FxHashMap;

use crate::{BlockId, Callee, Constant, Function, FunctionId, Operand, Operation, Program, Type};

/// The calls of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: Vec<Call>,
    /// Index of the first call of each function, and of the end.
    starts: Vec<u32>,
    sets: Vec<Vec<FunctionId>>,
    /// For each function the calls that may reach it, by index.
    callers: Vec<Vec<u32>>,
}

/// One call instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller.
    pub function: FunctionId,
    /// Block of the instruction.
    pub block: BlockId,
    /// Index of the instruction in its block.
    pub instruction: u32,
    /// Index of the set of functions that it may reach: see [`CallGraph::set`].
    pub set: u32,
    /// Whether the call may return without having run one of those functions: it calls, or may
    /// call, something that is not in the program.
    pub open: bool,
}

/// What functions an indirect call may reach.
#[derive(PartialEq, Eq, Hash)]
struct Signature {
    result: Type,
    arguments: Vec<Option<Type>>,
    variadic: bool,
}

impl CallGraph {
    /// The calls of all defined functions; through pointers, of functions whose types fit.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self::build(program, false)
    }

    /// The same, but through pointers any function is called whose address is taken: a program may
    /// call one by another type than its own, and the processor does not mind.
    #[must_use]
    pub fn of_any_type(program: &Program) -> Self {
        Self::build(program, true)
    }

    fn build(program: &Program, any_type: bool) -> Self {
        let mut builder = Builder {
            program,
            any_type,
            // The first sets are those of direct calls: one function each.
            sets: (0..program.functions.len())
                .map(|f| vec![FunctionId::new(f)])
                .collect(),
            by_signature: FxHashMap::default(),
            calls: Vec::new(),
        };
        let mut starts = Vec::with_capacity(program.functions.len() + 1);
        for (index, function) in program.functions.iter().enumerate() {
            starts.push(builder.calls.len() as u32);
            builder.function(FunctionId::new(index), function);
        }
        starts.push(builder.calls.len() as u32);
        Self::joined(program, builder.calls, builder.sets, starts)
    }

    /// The same calls, where `reached` may know the functions that one reaches.
    #[must_use]
    pub fn narrowed<'k>(
        &self,
        program: &Program,
        reached: impl Fn(&Call) -> Option<&'k [FunctionId]>,
    ) -> Self {
        let (mut calls, mut sets) = (self.calls.clone(), self.sets.clone());
        let mut known: FxHashMap<&[FunctionId], u32> = FxHashMap::default();
        for call in &mut calls {
            let Some(functions) = reached(call) else {
                continue;
            };
            call.set = *known.entry(functions).or_insert_with(|| {
                sets.push(functions.to_vec());
                sets.len() as u32 - 1
            });
            // No call of none of them returns.
            let defined = functions.iter().any(|id| is_defined(program, *id));
            call.open = !functions.is_empty() && !defined;
        }
        Self::joined(program, calls, sets, self.starts.clone())
    }

    fn joined(
        program: &Program,
        calls: Vec<Call>,
        sets: Vec<Vec<FunctionId>>,
        starts: Vec<u32>,
    ) -> Self {
        let mut callers = vec![Vec::new(); program.functions.len()];
        for (index, call) in calls.iter().enumerate() {
            for callee in &sets[call.set as usize] {
                callers[callee.index()].push(index as u32);
            }
        }
        Self {
            calls,
            starts,
            sets,
            callers,
        }
    }

    /// All calls, in order.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The calls in one function, in order.
    #[must_use]
    pub fn calls_in(&self, function: FunctionId) -> &[Call] {
        let index = function.index();
        &self.calls[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The calls that may reach a function.
    pub fn callers(&self, function: FunctionId) -> impl ExactSizeIterator<Item = &Call> {
        self.callers[function.index()]
            .iter()
            .map(|index| &self.calls[*index as usize])
    }

    /// The functions that a call may reach, external ones included, each once.
    #[must_use]
    pub fn callees(&self, call: &Call) -> &[FunctionId] {
        &self.sets[call.set as usize]
    }

    /// Number of distinct sets of callees.
    #[must_use]
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// A set of callees.
    #[must_use]
    pub fn set(&self, set: u32) -> &[FunctionId] {
        &self.sets[set as usize]
    }
}

struct Builder<'a> {
    program: &'a Program,
    /// Whether calls through pointers reach functions of other types.
    any_type: bool,
    sets: Vec<Vec<FunctionId>>,
    by_signature: FxHashMap<Signature, u32>,
    calls: Vec<Call>,
}

impl Builder<'_> {
    fn function(&mut self, id: FunctionId, function: &Function) {
        for (block_id, block) in function.blocks() {
            for (index, instruction) in block.instructions.iter().enumerate() {
                let Operation::Call {
                    callee,
                    arguments,
                    variadic,
                } = &instruction.operation
                else {
                    continue;
                };
                let (set, open) = match callee {
                    Callee::Direct(callee) => self.direct(*callee, arguments),
                    Callee::Indirect(_) => {
                        let types = arguments
                            .iter()
                            .map(|a| self.program.operand_type(function, *a));
                        let result = instruction.result.and_then(|v| function.value_type(v));
                        let signature = Signature {
                            result: result.unwrap_or_default(),
                            arguments: types.collect(),
                            variadic: *variadic,
                        };
                        let set = self.fitting(signature);
                        (
                            set,
                            self.sets[set as usize].iter().all(|f| !self.defined(*f)),
                        )
                    }
                };
                let call = Call {
                    function: id,
                    block: block_id,
                    instruction: index as u32,
                    set,
                    open,
                };
                self.calls.push(call);
            }
        }
    }

    fn defined(&self, function: FunctionId) -> bool {
        is_defined(self.program, function)
    }

    fn direct(&mut self, callee: FunctionId, arguments: &[Operand]) -> (u32, bool) {
        if self.defined(callee) {
            return (callee.0, false);
        }
        let mut set = vec![callee];
        for argument in arguments {
            let Operand::Constant(constant) = argument else {
                continue;
            };
            let Some(Constant::Function(passed)) = self.program.constant(*constant) else {
                continue;
            };
            if self.defined(*passed) && !set.contains(passed) {
                set.push(*passed);
            }
        }
        if set.len() == 1 {
            return (callee.0, true);
        }
        self.sets.push(set);
        (self.sets.len() as u32 - 1, true)
    }

    fn fitting(&mut self, signature: Signature) -> u32 {
        if let Some(set) = self.by_signature.get(&signature) {
            return *set;
        }
        let functions = self.program.functions.iter().enumerate();
        let set = functions
            .filter(|(_, function)| function.address_taken)
            .filter(|(_, function)| self.any_type && function.defined || fits(function, &signature))
            .map(|(index, _)| FunctionId::new(index))
            .collect();
        self.sets.push(set);
        let id = self.sets.len() as u32 - 1;
        self.by_signature.insert(signature, id);
        id
    }
}

fn is_defined(program: &Program, id: FunctionId) -> bool {
    let function = program.function(id);
    function.is_some_and(|function| function.defined)
}

/// Whether a call with this signature may reach a function: parameters agree in number (but
/// for variable ones) and type, and so does the result.
fn fits(function: &Function, call: &Signature) -> bool {
    let fixed = function.parameters.len();
    let count = call.arguments.len();
    let variable = call.variadic || function.variadic;
    let mut pairs = function.parameters.iter().zip(&call.arguments);
    (count == fixed || variable && count >= fixed)
        && (function.result == call.result || call.result == Type::Void)
        && pairs.all(|(parameter, argument)| Some(parameter.ty) == *argument)
}

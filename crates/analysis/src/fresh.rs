//! Functions of the program that give a new object, as `xmalloc` does.
//!
//! Law: what such a function returns is null, or the address of an object that was allocated while it
//! ran.

use labrys_program::{
    Callee, Constant, Function, FunctionId, Operand, Operation, Program, Terminator, Type, ValueId,
};
use labrys_semantics::LibraryMeaning;
use rustc_hash::{FxHashMap, FxHashSet};

/// By function of the program: whether it gives a new object each time that it returns, or null.
pub(crate) fn give_new_objects(program: &Program) -> Vec<bool> {
    let candidates: Vec<Candidate> = (0u32..)
        .map(FunctionId)
        .zip(&program.functions)
        .filter_map(|(id, function)| Candidate::of(program, id, function))
        .collect();
    let mut new = vec![false; program.functions.len()];
    loop {
        let found: Vec<FunctionId> = candidates
            .iter()
            .filter(|one| !new[one.id.index()] && one.gives_new_objects(program, &new))
            .map(|one| one.id)
            .collect();
        if found.is_empty() {
            return new;
        }
        found.iter().for_each(|id| new[id.index()] = true);
    }
}

/// A function that returns null or what it was given by calls.
struct Candidate {
    id: FunctionId,
    /// The functions that it calls for what it returns.
    asked: Vec<FunctionId>,
}

impl Candidate {
    fn of(program: &Program, id: FunctionId, function: &Function) -> Option<Self> {
        if function.result != Type::Pointer {
            return None;
        }
        let mut sources = Sources::default();
        for block in &function.blocks {
            if let Terminator::Return(Some(operand)) = block.terminator {
                sources.add(program, operand)?;
            }
        }
        if sources.open.is_empty() {
            return None;
        }
        let definitions = definitions(function);
        let mut asked = Vec::new();
        while let Some(value) = sources.open.pop() {
            match definitions.get(&value)? {
                Source::Joined(operands) => {
                    for operand in operands {
                        sources.add(program, *operand)?;
                    }
                }
                Source::Called(id) => asked.push(*id),
            }
        }
        Some(Candidate { id, asked })
    }

    fn gives_new_objects(&self, program: &Program, new: &[bool]) -> bool {
        let mut asked = self.asked.iter();
        !self.asked.is_empty() && asked.all(|id| new[id.index()] || allocates(program, *id))
    }
}

/// Whether a function is one of the library that gives a new object, or null.
fn allocates(program: &Program, id: FunctionId) -> bool {
    let called = &program.functions[id.index()];
    let meaning = LibraryMeaning::of(&called.name).filter(|_| !called.defined);
    matches!(meaning, Some(LibraryMeaning::Allocates { fails: true, .. }))
}

/// Values that a function may return, still to be followed.
#[derive(Default)]
struct Sources {
    open: Vec<ValueId>,
    seen: FxHashSet<ValueId>,
}

impl Sources {
    /// `None` for a constant that is an address.
    fn add(&mut self, program: &Program, operand: Operand) -> Option<()> {
        match operand {
            Operand::Value(value) => {
                if self.seen.insert(value) {
                    self.open.push(value);
                }
            }
            Operand::Constant(id) => {
                matches!(program.constant(id)?, Constant::Null).then_some(())?;
            }
        }
        Some(())
    }
}

/// Where a value is from.
enum Source {
    /// One of these.
    Joined(Vec<Operand>),
    Called(FunctionId),
}

/// Of the values of a function that are choices or results of direct calls.
fn definitions(function: &Function) -> FxHashMap<ValueId, Source> {
    let mut found = FxHashMap::default();
    for block in &function.blocks {
        for phi in &block.phis {
            let incoming = phi.incoming.iter().map(|(_, operand)| *operand);
            found.insert(phi.result, Source::Joined(incoming.collect()));
        }
        for instruction in &block.instructions {
            let source = match &instruction.operation {
                Operation::Select {
                    if_true, if_false, ..
                } => Source::Joined(vec![*if_true, *if_false]),
                Operation::Call {
                    callee: Callee::Direct(id),
                    ..
                } => Source::Called(*id),
                _ => continue,
            };
            if let Some(result) = instruction.result {
                found.insert(result, source);
            }
        }
    }
    found
}

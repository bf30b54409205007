//! Formats of output: which functions get one that the program makes while it runs. It may hold
//! `%n`, which writes through an argument.
//!
//! Which arguments are told as numbers: an address comes back out of `%p`.
//!
//! Law: a format that is not known is one of the constants that hold no `%n` (those that do refuse
//! proofs, see [`obstacles`](crate::obstacles)), or the function counts as writing anywhere.

use labrys_library::{Access, Mark, function, named};
use labrys_program::graph::CallGraph;
use labrys_program::{
    BlockId, Callee, Constant, Function, FunctionId, Linkage, Operand, Operation, Program, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::address::global_of;

/// Values that a format is traced through.
const MAX_STEPS: usize = 200;

/// See the module.
pub(crate) struct Formats {
    unknown: FxHashSet<String>,
}

impl Formats {
    pub(crate) fn of(program: &Program, calls: &CallGraph) -> Self {
        let mut tracer = Tracer {
            program,
            calls,
            definitions: FxHashMap::default(),
        };
        let mut unknown = FxHashSet::default();
        for (index, caller) in program.functions.iter().enumerate() {
            let id = FunctionId::new(index);
            for instruction in caller.blocks.iter().flat_map(|block| &block.instructions) {
                let Operation::Call {
                    callee: Callee::Direct(callee),
                    arguments,
                    ..
                } = &instruction.operation
                else {
                    continue;
                };
                let called = &program.functions[callee.index()];
                let Some(place) = format_of(called) else {
                    continue;
                };
                let is_known = arguments
                    .get(place)
                    .is_some_and(|format| tracer.is_constant(id, *format));
                if !is_known {
                    unknown.insert(called.name.clone());
                }
            }
        }
        // By its address, a function gets any format.
        let taken = program.functions.iter();
        let taken =
            taken.filter(|function| function.address_taken && format_of(function).is_some());
        unknown.extend(taken.map(|function| function.name.clone()));
        Formats { unknown }
    }

    /// Whether the function of this name may get a format that writes.
    pub(crate) fn may_count(&self, name: &str) -> bool {
        self.unknown.contains(name)
    }
}

/// The argument that is a format of output, of a library function that has one.
fn format_of(called: &Function) -> Option<usize> {
    if called.defined {
        return None;
    }
    let row = function(&called.name)?;
    let parameters = row.parameters();
    let place = parameters.iter().position(|one| one.name == "format")?;
    // What a scanner writes its row says; times and sums of money have no `%n`.
    let lists = parameters.iter().any(|one| one.access == Access::List);
    let prints =
        lists || row.is_variadic() && matches!(row.access(parameters.len()), Access::Reads(_));
    (prints && !row.name().contains("scanf")).then_some(place)
}

/// The arguments of a call of a library function of which the text that it makes may tell the
/// address: those of a format but for `%s`.
pub(crate) fn told(program: &Program, called: FunctionId, arguments: &[Operand]) -> Vec<Operand> {
    let called = &program.functions[called.index()];
    let (Some(place), Some(row)) = (format_of(called), function(&called.name)) else {
        return Vec::new();
    };
    let shown = arguments.get(row.parameters().len()..).unwrap_or_default();
    let texts = arguments
        .get(place)
        .and_then(|format| constant_text(program, *format))
        .and_then(texts_of)
        .unwrap_or_default();
    let told = shown
        .iter()
        .enumerate()
        .filter(|(index, _)| !texts.contains(index));
    told.map(|(_, operand)| *operand).collect()
}

/// The bytes at an address that is the beginning of a constant.
fn constant_text(program: &Program, address: Operand) -> Option<&[u8]> {
    let Operand::Constant(id) = address else {
        return None;
    };
    let Constant::Global(global) = program.constant(id)? else {
        return None;
    };
    let global = program.global(*global).filter(|global| global.constant)?;
    Some(&global.initializer.as_ref()?.bytes)
}

/// The arguments of a format, by number, that are printed as texts; `None` where it names them in
/// another order.
fn texts_of(format: &[u8]) -> Option<FxHashSet<usize>> {
    let mut texts = FxHashSet::default();
    let mut next = 0;
    let mut rest = format.iter().take_while(|byte| **byte != 0);
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        loop {
            match rest.next()? {
                b'$' => return None,
                b'*' => next += 1,
                b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'I' => {}
                b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b'Z' | b't' => {}
                b'%' | b'm' => break,
                conversion => {
                    if matches!(conversion, b's' | b'S') {
                        texts.insert(next);
                    }
                    next += 1;
                    break;
                }
            }
        }
    }
    Some(texts)
}

struct Tracer<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// By function: where its values are defined.
    definitions: FxHashMap<FunctionId, FxHashMap<ValueId, (BlockId, usize)>>,
}

impl Tracer<'_> {
    /// Whether a value is the address of constant text, wherever it comes from.
    fn is_constant(&mut self, function: FunctionId, format: Operand) -> bool {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![(function, format)];
        while let Some((id, operand)) = waiting.pop() {
            if !seen.insert((id, operand)) {
                continue;
            }
            if seen.len() > MAX_STEPS || !self.sources(id, operand, &mut waiting) {
                return false;
            }
        }
        true
    }

    /// Adds what a value comes from; `false` where it is not known.
    fn sources(
        &mut self,
        id: FunctionId,
        operand: Operand,
        waiting: &mut Vec<(FunctionId, Operand)>,
    ) -> bool {
        let value = match operand {
            Operand::Constant(constant) => {
                let global = global_of(self.program, constant);
                let global = global.and_then(|global| self.program.global(global));
                // Without an address there is no text either.
                return global.is_none_or(|global| global.constant && global.initializer.is_some());
            }
            Operand::Value(value) => value,
        };
        let function = &self.program.functions[id.index()];
        if value.index() < function.parameters.len() {
            return self.passed(id, value.index(), waiting);
        }
        for block in &function.blocks {
            if let Some(phi) = block.phis.iter().find(|phi| phi.result == value) {
                let incoming = phi.incoming.iter().map(|(_, operand)| (id, *operand));
                waiting.extend(incoming);
                return true;
            }
        }
        let Some((block, index)) = self.definition(id, value) else {
            return false;
        };
        match &function.blocks[block.index()].instructions[index].operation {
            Operation::Select {
                if_true, if_false, ..
            } => waiting.extend([(id, *if_true), (id, *if_false)]),
            Operation::Address { base, .. } | Operation::Freeze(base) => waiting.push((id, *base)),
            Operation::Load { address, .. } => return self.is_constant_table(id, *address),
            Operation::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } if named(
                &self.program.functions[callee.index()].name,
                Mark::Translates,
            ) =>
            {
                let texts = arguments.iter().map(|argument| (id, *argument));
                waiting.extend(texts.filter(|(_, argument)| self.is_pointer(function, *argument)));
            }
            _ => return false,
        }
        true
    }

    fn is_pointer(&self, function: &Function, operand: Operand) -> bool {
        self.program.operand_type(function, operand) == Some(labrys_program::Type::Pointer)
    }

    /// A load from a constant, whose addresses are those of constants or of text that counts as
    /// any other.
    fn is_constant_table(&mut self, id: FunctionId, address: Operand) -> bool {
        let base = match address {
            Operand::Value(value) => match self.definition(id, value) {
                Some((block, index)) => {
                    let function = &self.program.functions[id.index()];
                    match &function.blocks[block.index()].instructions[index].operation {
                        Operation::Address { base, .. } => *base,
                        _ => return false,
                    }
                }
                None => return false,
            },
            constant => constant,
        };
        let Operand::Constant(constant) = base else {
            return false;
        };
        let global = global_of(self.program, constant);
        let table = global.and_then(|global| self.program.global(global));
        let Some(initializer) = table
            .filter(|table| table.constant)
            .and_then(|table| table.initializer.as_ref())
        else {
            return false;
        };
        initializer.relocations.iter().all(|relocation| {
            let labrys_program::RelocationTarget::Global(target, _) = relocation.target else {
                return false;
            };
            let target = self.program.global(target);
            target.is_some_and(|target| target.constant && target.initializer.is_some())
        })
    }

    /// What all callers pass for a parameter.
    fn passed(
        &mut self,
        id: FunctionId,
        index: usize,
        waiting: &mut Vec<(FunctionId, Operand)>,
    ) -> bool {
        let function = &self.program.functions[id.index()];
        let hidden = function.linkage == Linkage::Internal || function.name == "main";
        if !hidden || function.address_taken || function.name == "main" {
            return false;
        }
        for call in self.calls.callers(id) {
            let caller = &self.program.functions[call.function.index()];
            let block = &caller.blocks[call.block.index()];
            let operation = &block.instructions[call.instruction as usize].operation;
            let Operation::Call { arguments, .. } = operation else {
                return false;
            };
            match arguments.get(index) {
                Some(argument) => waiting.push((call.function, *argument)),
                None => return false,
            }
        }
        true
    }

    fn definition(&mut self, id: FunctionId, value: ValueId) -> Option<(BlockId, usize)> {
        let function = &self.program.functions[id.index()];
        let definitions = self.definitions.entry(id).or_insert_with(|| {
            let mut found = FxHashMap::default();
            for (block_id, block) in function.blocks() {
                for (index, instruction) in block.instructions.iter().enumerate() {
                    found.extend(instruction.result.map(|result| (result, (block_id, index))));
                }
            }
            found
        });
        definitions.get(&value).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::texts_of;

    #[test]
    fn texts_of_formats() {
        let table: [(&str, Option<&[usize]>); 7] = [
            ("plain", Some(&[])),
            ("%s %p %s", Some(&[0, 2])),
            ("%-*s%%%.*f%ls", Some(&[1, 4])),
            ("%m%s", Some(&[0])),
            ("%2$s", None),
            ("%llx%hhd %S", Some(&[2])),
            ("%", None),
        ];
        for (format, expected) in table {
            let found = texts_of(format.as_bytes()).map(|texts| {
                let mut texts: Vec<usize> = texts.into_iter().collect();
                texts.sort_unstable();
                texts
            });
            assert_eq!(found.as_deref(), expected, "{format}");
        }
    }
}

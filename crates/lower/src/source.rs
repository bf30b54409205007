//! The variables of the source at the heads of its loops: which value of the model, or which bytes of
//! memory, debug information says that they have there.
//!
//! A debug record holds from its instruction on. Where control joins, a variable has a value if it
//! has it on all ways there, or the phi whose operands are its values on each of them: so nothing is
//! believed of a variable that is not initialized on some way, whatever optimizations made of it.

use std::collections::{BTreeMap, HashMap};

use labrys_llvm::{Block, DebugNode, LLVMOpcode, LLVMValueKind, LoopStart, Module, Value, tag};
use labrys_program::{
    BlockId, FunctionId, GlobalId, Source, SourceLoop, SourceVariable, Storage, ValueId,
};

use crate::lowering::numbered;

/// Parts of a variable that are named.
const MOST_PARTS: usize = 64;
/// Times that the blocks of a function are gone over; joins that are not settled by then know nothing.
const MOST_PASSES: usize = 64;

/// The values of local variables, by their numbers.
type Known<'m> = BTreeMap<usize, Value<'m>>;

/// The source of a module, as the model numbers it. Makes instructions of its debug records.
#[must_use]
pub fn source(module: &mut Module) -> Source {
    module.spell_debug_records();
    let module = &*module;
    let globals = globals(module);
    let mut source = Source::default();
    for (index, function) in module.functions().into_iter().enumerate() {
        let Some(node) = DebugNode::of_function(module, function) else {
            continue;
        };
        if function.is_declaration() {
            continue;
        }
        let path = |path: std::path::PathBuf| path.display().to_string();
        let unit = node.unit().and_then(DebugNode::file);
        source.files.extend(unit.map(path));
        let body = Body::new(module, function, &globals);
        let starts = body.starts();
        if starts.is_empty() {
            continue;
        }
        let known = body.known_at_entries();
        for (head, start) in starts {
            let file = start.scope.file();
            source.loops.push(SourceLoop {
                function: FunctionId::new(index),
                function_name: node.name(),
                head: BlockId::new(head),
                file: file.map(path).unwrap_or_default(),
                line: start.line,
                column: start.column,
                variables: body.variables_at(&start, known[head].as_ref(), node),
            });
        }
    }
    source
}

fn globals(module: &Module) -> Vec<(DebugNode<'_>, GlobalId)> {
    let globals = module.globals().into_iter().enumerate();
    globals
        .filter_map(|(index, value)| {
            Some((DebugNode::of_global(module, value)?, GlobalId::new(index)))
        })
        .collect()
}

/// What changes what is known of variables.
#[derive(Clone, Copy)]
enum Step<'m> {
    /// An instruction has a new result.
    Result(Value<'m>),
    /// A variable, by its number, has another value, or one that is not known.
    Variable(usize, Option<Value<'m>>),
}

/// A function with what debug records say in it.
struct Body<'m, 'g> {
    module: &'m Module,
    globals: &'g [(DebugNode<'m>, GlobalId)],
    blocks: Vec<Block<'m>>,
    predecessors: Vec<Vec<usize>>,
    /// By block.
    steps: Vec<Vec<Step<'m>>>,
    values: HashMap<Value<'m>, ValueId>,
    /// Local variables by number, each with its address if it is in memory.
    variables: Vec<(DebugNode<'m>, Option<Value<'m>>)>,
}

impl<'m, 'g> Body<'m, 'g> {
    fn new(
        module: &'m Module,
        function: Value<'m>,
        globals: &'g [(DebugNode<'m>, GlobalId)],
    ) -> Self {
        let blocks = function.blocks();
        let index: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, block) in blocks.iter().enumerate() {
            for to in block.successors() {
                let all: &mut Vec<usize> = &mut predecessors[index[&to]];
                if !all.contains(&from) {
                    all.push(from);
                }
            }
        }
        let values = numbered(function);
        let empty = module.empty_expression();
        let mut variables: Vec<(DebugNode<'m>, Option<Value<'m>>)> = Vec::new();
        let mut numbers: HashMap<DebugNode<'m>, usize> = HashMap::new();
        let mut steps = vec![Vec::new(); blocks.len()];
        for (block, steps) in blocks.iter().zip(&mut steps) {
            let instructions = block.instructions().into_iter();
            for instruction in instructions.filter(|one| one.opcode() != LLVMOpcode::LLVMPHI) {
                if values.contains_key(&instruction) {
                    steps.push(Step::Result(instruction));
                }
                let Some(record) = instruction.debug_record(module) else {
                    continue;
                };
                let value = record.value.filter(|_| Some(record.expression) == empty);
                let number = *numbers.entry(record.variable).or_insert_with(|| {
                    variables.push((record.variable, None));
                    variables.len() - 1
                });
                match record.is_address {
                    true => variables[number].1 = value,
                    false => steps.push(Step::Variable(number, value)),
                }
            }
        }
        Body {
            module,
            globals,
            blocks,
            predecessors,
            steps,
            values,
            variables,
        }
    }

    /// Heads of `for` and `while`, where these begin. The back edge of a `do` is conditional.
    fn starts(&self) -> BTreeMap<usize, LoopStart<'m>> {
        let ends = self.blocks.iter().filter_map(|block| block.terminator());
        let edges = ends.filter_map(|end| {
            let start = end.loop_start(self.module)?;
            let [head] = end.parent().successors()[..] else {
                return None;
            };
            let head = self.blocks.iter().position(|block| *block == head)?;
            Some((head, start))
        });
        edges.collect()
    }

    /// What is known at the beginning of each block, behind its phis; `None` for blocks that control
    /// does not come to.
    fn known_at_entries(&self) -> Vec<Option<Known<'m>>> {
        let mut entries: Vec<Option<Known<'m>>> = vec![None; self.blocks.len()];
        let mut exits = entries.clone();
        entries[0] = Some(Known::new());
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for block in 0..self.blocks.len() {
                if block > 0 {
                    let joined = self.joined(block, &exits);
                    let narrowed = self.narrowed(block, entries[block].as_ref(), joined);
                    entries[block] = narrowed;
                }
                let exit = entries[block]
                    .clone()
                    .map(|known| self.behind(block, known));
                changed |= exit != exits[block];
                exits[block] = exit;
            }
            if !changed {
                return entries;
            }
        }
        vec![None; self.blocks.len()]
    }

    /// What is known on all ways to a block.
    fn joined(&self, block: usize, exits: &[Option<Known<'m>>]) -> Option<Known<'m>> {
        let from = self.predecessors[block].iter();
        let from: Vec<_> = from
            .filter_map(|from| Some((self.blocks[*from], exits[*from].as_ref()?)))
            .collect();
        let (_, first) = from.first()?;
        let instructions = self.blocks[block].instructions().into_iter();
        let phis: Vec<_> = instructions
            .take_while(|one| one.opcode() == LLVMOpcode::LLVMPHI)
            .map(|phi| (phi, phi.incoming()))
            .collect();
        let value = |variable: usize| {
            let all: Option<Vec<_>> = from
                .iter()
                .map(|(block, known)| Some((*known.get(&variable)?, *block)))
                .collect();
            let all = all?;
            let is_phi = phis.iter().any(|(phi, _)| *phi == all[0].0);
            if !is_phi && all.iter().all(|(value, _)| *value == all[0].0) {
                return Some(all[0].0);
            }
            let mut fitting = phis.iter();
            let fits = |incoming: &[(Value<'m>, Block<'m>)]| {
                all.iter().all(|edge| incoming.contains(edge))
            };
            fitting
                .find(|(_, incoming)| fits(incoming))
                .map(|(phi, _)| *phi)
        };
        let known = first
            .keys()
            .filter_map(|variable| Some((*variable, value(*variable)?)));
        Some(known.collect())
    }

    /// What is left of what was known at a block when more ways to it are seen: a value becomes a
    /// phi, and neither becomes anything else again.
    fn narrowed(
        &self,
        block: usize,
        before: Option<&Known<'m>>,
        joined: Option<Known<'m>>,
    ) -> Option<Known<'m>> {
        let Some(before) = before else {
            return joined;
        };
        let is_phi = |value: &Value<'m>| {
            value.is_instruction()
                && value.opcode() == LLVMOpcode::LLVMPHI
                && value.parent() == self.blocks[block]
        };
        let mut joined = joined?;
        joined.retain(|variable, value| {
            let old = before.get(variable);
            old.is_some_and(|old| old == value || is_phi(value) && !is_phi(old))
        });
        Some(joined)
    }

    /// What is known at the end of a block.
    fn behind(&self, block: usize, mut known: Known<'m>) -> Known<'m> {
        for step in &self.steps[block] {
            match step {
                // The same instruction may have run before, with another result.
                Step::Result(result) => known.retain(|_, value| value != result),
                Step::Variable(number, Some(value)) => {
                    known.insert(*number, *value);
                }
                Step::Variable(number, None) => {
                    known.remove(number);
                }
            }
        }
        known
    }

    /// The variables that are visible where a loop begins.
    fn variables_at(
        &self,
        start: &LoopStart<'m>,
        known: Option<&Known<'m>>,
        function: DebugNode<'m>,
    ) -> Vec<SourceVariable> {
        let scopes: Vec<DebugNode<'m>> =
            std::iter::successors(Some(start.scope), |scope| scope.scope_around()).collect();
        let depth = |node: &DebugNode<'m>| {
            let scope = node.variable_scope()?;
            let local = scopes.iter().position(|one| *one == scope);
            let is_global = node.variable_unit() == function.unit()
                && node.variable_file() == start.scope.file();
            local.or(is_global.then_some(scopes.len()))
        };
        let mut visible: BTreeMap<String, (usize, DebugNode<'m>, Option<Place>)> = BTreeMap::new();
        let locals = self.variables.iter().enumerate();
        let locals = locals.map(|(index, (node, address))| {
            let value = known.and_then(|known| known.get(&index));
            (*node, self.place(value, *address))
        });
        let globals = self.globals.iter();
        let globals = globals.map(|(node, id)| (*node, Some(Place::Global(*id))));
        for (node, place) in locals.chain(globals) {
            let Some(depth) = depth(&node).filter(|_| node.variable_line() <= start.line) else {
                continue;
            };
            // One that stands behind the loop on its line is not known there, but in memory it is.
            let place = place.filter(|place| {
                matches!(place, Place::Value(_)) || node.variable_line() < start.line
            });
            let inner = visible
                .get(&node.variable_name())
                .is_some_and(|one| one.0 < depth);
            if !inner {
                visible.insert(node.variable_name(), (depth, node, place));
            }
        }
        let mut found = Vec::new();
        for (name, (_, node, place)) in visible {
            if let (Some(place), Some(ty)) = (place, node.base()) {
                parts(ty, &name, 0, &mut |part| found.push(part.stored(place)));
            }
        }
        found
    }

    fn place(&self, value: Option<&Value<'m>>, address: Option<Value<'m>>) -> Option<Place> {
        match address {
            Some(address) if address.kind() == LLVMValueKind::LLVMInstructionValueKind => {
                self.values.get(&address).copied().map(Place::Frame)
            }
            Some(_) => None,
            None => self.values.get(value?).copied().map(Place::Value),
        }
    }
}

/// What holds a variable.
#[derive(Clone, Copy)]
enum Place {
    Value(ValueId),
    Global(GlobalId),
    Frame(ValueId),
}

/// An integer in a variable.
struct Part {
    text: String,
    signed: bool,
    width: u32,
    offset: u64,
}

impl Part {
    fn stored(self, place: Place) -> SourceVariable {
        SourceVariable {
            text: self.text,
            signed: self.signed,
            width: self.width,
            storage: match place {
                Place::Value(value) => Storage::Value(value),
                Place::Global(id) => Storage::Global(id, self.offset),
                Place::Frame(value) => Storage::Frame(value, self.offset),
            },
        }
    }
}

/// Finds the integers in a variable of a type; bit fields, unions and what is volatile have none.
fn parts(ty: DebugNode<'_>, text: &str, offset: u64, found: &mut dyn FnMut(Part)) {
    let elements = ty.dimensions();
    match ty.tag() {
        tag::TYPEDEF | tag::CONST => {
            if let Some(base) = ty.base() {
                parts(base, text, offset, found);
            }
        }
        tag::BASE | tag::ENUMERATION => {
            let size = u32::try_from(8 * ty.size()).unwrap_or_default();
            if let Some((cast, signed)) = integer(ty)
                && [8, 16, 32, 64].contains(&size)
            {
                found(Part {
                    text: format!("{cast}{text}"),
                    signed,
                    width: size,
                    offset,
                });
            }
        }
        tag::ARRAY => {
            if let ([count], Some(element)) = (elements.as_slice(), ty.base()) {
                for index in 0..(*count).min(MOST_PARTS as u64) {
                    let at = offset + index * element_size(element);
                    parts(element, &format!("{text}[{index}]"), at, found);
                }
            }
        }
        tag::STRUCTURE => {
            for member in ty.members().into_iter().take(MOST_PARTS) {
                let whole = member.base().filter(|base| {
                    member.offset_bits() % 8 == 0
                        && element_size(*base) == member.size()
                        && member.size_bits() % 8 == 0
                });
                if let (Some(base), false) = (whole, member.name().is_empty()) {
                    let at = offset + member.offset_bits() / 8;
                    parts(base, &format!("{text}.{}", member.name()), at, found);
                }
            }
        }
        _ => {}
    }
}

/// Bytes of a type under its other names.
fn element_size(ty: DebugNode<'_>) -> u64 {
    match ty.base() {
        Some(base) if tag::WRAPPERS.contains(&ty.tag()) => element_size(base),
        _ => ty.size(),
    }
}

/// Whether an integer type is signed, and a cast where that is not the same everywhere.
fn integer(ty: DebugNode<'_>) -> Option<(&'static str, bool)> {
    if ty.tag() == tag::ENUMERATION {
        return (ty.size() == 4).then_some(("(int)", true));
    }
    Some(match &*ty.name() {
        "char" => ("(signed char)", true),
        "_Bool" => ("(unsigned char)", false),
        "signed char" | "short" | "int" | "long" | "long long" => ("", true),
        "unsigned char" | "unsigned short" | "unsigned int" | "unsigned long"
        | "unsigned long long" => ("", false),
        _ => return None,
    })
}

//! Variables that may be read before they are written. LLVM takes such a read for whatever suits it:
//! of a variable that only one path writes, it makes what that path writes, and of a decision on it
//! none. But a build that is not optimized reads what the stack held.
//!
//! Law: no pass that makes values of variables sees a read of a variable that nobody wrote. A number
//! or a pointer that becomes a value begins with some value, the same wherever it is read, and not known
//! to be that of another variable; any other variable that may be read too early stays in memory.
//!
//! Nor do passes see a variable that an access with a known place leaves ([`keep_left`]): they would drop
//! the access.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use labrys_llvm::{Block, LLVMOpcode, LLVMTypeKind, Module, Type, Value};

/// What variables that stay in memory are handed to, so that their address is known elsewhere.
const KEEP: &str = "labrys.keep";

/// Before the name of a type: functions that give what variables begin with, each call another value.
const VALUE: &str = "labrys.unset.";

/// Blocks that are looked at for a variable; one whose writes are further away counts as not written.
const BLOCKS: usize = 256;

/// Parts that a variable has at most; one with more counts as written where all of it is.
const PARTS: usize = 64;

/// Gives values to variables that may be read before they are written, or keeps them in memory until
/// [`end`]. Those that are always written before are left alone: more values would make passes take
/// quadratic time for functions with many variables.
pub(crate) fn give_values(module: &Module) {
    let keep = module.declare(KEEP, module.void(), &[module.pointer()]);
    let builder = module.builder();
    let number = |count: u64| module.const_int(64, count);
    let mut count = 0;
    for function in module.functions() {
        let Some(entry) = function.blocks().first().copied() else {
            continue;
        };
        let instructions = entry.instructions();
        let is_variable = |value: &Value<'_>| value.opcode() == LLVMOpcode::LLVMAlloca;
        let first = instructions.iter().take_while(|value| is_variable(value));
        let first: HashSet<_> = first.copied().collect();
        let start = instructions.get(first.len());
        let (Some(start), Some(terminator)) = (start.copied(), entry.terminator()) else {
            continue;
        };
        let variables = instructions.iter().copied().filter(is_variable);
        let variables = variables.filter(|variable| may_become_values(*variable));
        let variables: Vec<_> = variables.collect();
        let accesses = Accesses::of(module, function, &variables);
        let unset = variables
            .iter()
            .filter(|variable| accesses.may_read_before_written(**variable));
        for variable in unset.copied() {
            let ty = variable.allocated_type();
            if first.contains(&variable) && is_scalar(ty.kind()) && becomes_value(variable) {
                builder.before(start);
                builder.locate_at(start);
                builder.store(
                    builder.call(value_of(module, ty), &[number(count)]),
                    variable,
                );
                count += 1;
            } else {
                builder.before(terminator);
                builder.locate_at(terminator);
                let _ = builder.call(keep, &[variable]);
            }
        }
    }
}

/// Keeps variables in memory until [`end`] that an access with a known place leaves.
pub(crate) fn keep_left(module: &Module) {
    let keep = module.declare(KEEP, module.void(), &[module.pointer()]);
    let builder = module.builder();
    for function in module.functions() {
        let Some(entry) = function.blocks().first().copied() else {
            continue;
        };
        let Some(terminator) = entry.terminator() else {
            continue;
        };
        let variables = entry.instructions().into_iter();
        for variable in variables.filter(|value| value.opcode() == LLVMOpcode::LLVMAlloca) {
            if may_become_values(variable) && is_left(module, variable) {
                builder.before(terminator);
                builder.locate_at(terminator);
                let _ = builder.call(keep, &[variable]);
            }
        }
    }
}

/// Whether an access goes beyond a variable.
fn is_left(module: &Module, variable: Value<'_>) -> bool {
    let size = module.size_of(variable.allocated_type());
    let accesses = accesses_of(module, variable);
    accesses.iter().any(|(_, access)| access.bytes().end > size)
}

/// Ends what keeps variables in memory.
pub(crate) fn end(module: &Module) {
    if let Some(keep) = module.function(KEEP) {
        keep.users().into_iter().for_each(Value::erase);
        keep.delete_function();
    }
}

/// A function that gives a value of a type.
fn value_of<'m>(module: &'m Module, ty: Type<'m>) -> Value<'m> {
    let name = format!("{VALUE}{:?}{}", ty.kind(), ty.int_width().unwrap_or(0));
    let function = module.declare(&name, ty, &[module.int(64)]);
    for attribute in ["memory", "nounwind", "willreturn"] {
        module.add_attribute(function, attribute, 0);
    }
    function
}

/// Says of each value that a variable begins with that it may be any. While passes look for what is
/// the same, it is the result of a call: two of these would be one to them.
pub(crate) fn free_values(module: &Module) {
    let builder = module.builder();
    let functions = module.functions().into_iter();
    for function in functions.filter(|function| function.name().starts_with(VALUE)) {
        for call in function.users() {
            if call.is_used() {
                builder.before(call);
                builder.locate_at(call);
                call.replace_uses(builder.freeze(call.ty().undefined()));
            }
            call.erase();
        }
        function.delete_function();
    }
}

/// Whether LLVM may make values of a variable: it is one object of a known size.
fn may_become_values(variable: Value<'_>) -> bool {
    variable.operand(0).const_int_value() == Some(1) && variable.allocated_type().is_sized()
}

/// Bytes of a variable.
type Bytes = Range<u64>;

/// An access of a variable by an instruction.
#[derive(Clone, Debug)]
enum Access {
    Read(Bytes),
    Write(Bytes),
}

impl Access {
    fn bytes(&self) -> &Bytes {
        match self {
            Access::Read(bytes) | Access::Write(bytes) => bytes,
        }
    }
}

/// A variable, and the number of one of its parts.
type Part<'m> = (Value<'m>, usize);

/// Where a function reads and writes its variables.
struct Accesses<'m> {
    predecessors: HashMap<Block<'m>, Vec<Block<'m>>>,
    parts: HashMap<Value<'m>, Vec<Bytes>>,
    /// The blocks that read a part before they write it.
    reads: HashMap<Part<'m>, Vec<Block<'m>>>,
    writes: HashSet<(Block<'m>, Part<'m>)>,
}

impl<'m> Accesses<'m> {
    fn of(module: &Module, function: Value<'m>, variables: &[Value<'m>]) -> Self {
        let mut accesses = Accesses {
            predecessors: HashMap::new(),
            parts: HashMap::new(),
            reads: HashMap::new(),
            writes: HashSet::new(),
        };
        let mut by_instruction: HashMap<Value<'m>, Vec<(Value<'m>, Access)>> = HashMap::new();
        for variable in variables {
            let ty = variable.allocated_type();
            accesses.parts.insert(*variable, parts(module, ty));
            for (instruction, access) in accesses_of(module, *variable) {
                let all = by_instruction.entry(instruction).or_default();
                all.push((*variable, access));
            }
        }
        for block in function.blocks() {
            for next in block.successors() {
                accesses.predecessors.entry(next).or_default().push(block);
            }
            for instruction in block.instructions() {
                let here = by_instruction
                    .get(&instruction)
                    .map_or(&[][..], Vec::as_slice);
                for (variable, access) in here {
                    accesses.note(block, *variable, access);
                }
            }
        }
        accesses
    }

    fn note(&mut self, block: Block<'m>, variable: Value<'m>, access: &Access) {
        for (number, part) in self.parts[&variable].iter().enumerate() {
            let id = (variable, number);
            match access {
                Access::Read(bytes) if bytes.start < part.end && part.start < bytes.end => {
                    let reads = self.reads.entry(id).or_default();
                    if !self.writes.contains(&(block, id)) && reads.last() != Some(&block) {
                        reads.push(block);
                    }
                }
                Access::Write(bytes) if bytes.start <= part.start && part.end <= bytes.end => {
                    self.writes.insert((block, id));
                }
                Access::Read(_) | Access::Write(_) => {}
            }
        }
    }

    /// Whether a path from the function's beginning to a read of a variable may have no write of it.
    fn may_read_before_written(&self, variable: Value<'m>) -> bool {
        (0..self.parts[&variable].len()).any(|number| self.may_be_unset((variable, number)))
    }

    fn may_be_unset(&self, part: Part<'m>) -> bool {
        let Some(reads) = self.reads.get(&part) else {
            return false;
        };
        let mut open: Vec<Block<'m>> = reads.clone();
        let mut seen: HashSet<Block<'m>> = open.iter().copied().collect();
        while let Some(block) = open.pop() {
            // The first block has no predecessors.
            let Some(before) = self.predecessors.get(&block) else {
                return true;
            };
            for block in before {
                if !self.writes.contains(&(*block, part)) && seen.insert(*block) {
                    open.push(*block);
                }
            }
            if seen.len() > BLOCKS {
                return true;
            }
        }
        false
    }
}

/// The parts of a variable that are written one by one: its numbers and pointers, without what lies
/// between them.
fn parts(module: &Module, ty: Type<'_>) -> Vec<Bytes> {
    let mut found = Vec::new();
    if !add_parts(module, ty, 0, &mut found) {
        found.clear();
        found.push(0..module.store_size_of(ty));
    }
    found
}

/// Adds the parts of an object at an offset; whether there are few enough.
fn add_parts(module: &Module, ty: Type<'_>, at: u64, found: &mut Vec<Bytes>) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => {
            let mut elements = (0..).zip(ty.struct_elements());
            elements.all(|(index, element)| {
                let offset = module.element_offset(ty, index);
                add_parts(module, element, at + offset, found)
            })
        }
        LLVMTypeKind::LLVMArrayTypeKind => {
            let size = module.size_of(ty.element());
            let mut elements = 0..ty.array_len();
            size == 0 || elements.all(|i| add_parts(module, ty.element(), at + i * size, found))
        }
        _ => {
            found.push(at..at + module.store_size_of(ty));
            found.len() <= PARTS
        }
    }
}

/// What is done with a variable, in no order. Whatever is not known counts as a read of all of it.
fn accesses_of<'m>(module: &Module, variable: Value<'m>) -> Vec<(Value<'m>, Access)> {
    let size = module.size_of(variable.allocated_type());
    let mut found = Vec::new();
    let mut open = vec![(variable, 0u64)];
    while let Some((pointer, at)) = open.pop() {
        for user in pointer
            .users()
            .into_iter()
            .filter(|user| user.is_instruction())
        {
            match user.opcode() {
                LLVMOpcode::LLVMGetElementPtr => match offset(module, user) {
                    Some(more) => open.push((user, at.wrapping_add(more))),
                    None => found.push((user, Access::Read(0..size))),
                },
                _ => found.extend(access(module, user, pointer, at, size).map(|one| (user, one))),
            }
        }
    }
    found
}

/// What an instruction does that is given a pointer to a byte of a variable of a size.
fn access(
    module: &Module,
    user: Value<'_>,
    pointer: Value<'_>,
    at: u64,
    size: u64,
) -> Option<Access> {
    let is_call = user.opcode() == LLVMOpcode::LLVMCall;
    let called = if is_call {
        user.called().name()
    } else {
        String::new()
    };
    let is_copy = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."]
        .iter()
        .any(|name| called.starts_with(name));
    let bytes = |length| at..at.saturating_add(length);
    let access = match user.opcode() {
        LLVMOpcode::LLVMLoad => Access::Read(bytes(module.store_size_of(user.ty()))),
        LLVMOpcode::LLVMStore if user.operand(0) != pointer => {
            Access::Write(bytes(module.store_size_of(user.operand(0).ty())))
        }
        _ if called.starts_with("llvm.lifetime.") => return None,
        _ if is_copy => match user.operand(2).const_int_value() {
            Some(length) if user.operand(1) != pointer => Access::Write(bytes(length)),
            Some(length) => Access::Read(bytes(length)),
            None => Access::Read(0..size),
        },
        _ => Access::Read(0..size),
    };
    Some(access)
}

/// The bytes that an instruction with constant indices adds to a pointer, modulo 2⁶⁴.
fn offset(module: &Module, address: Value<'_>) -> Option<u64> {
    let mut ty = address.gep_source_type();
    let mut sum = 0u64;
    for (number, index) in address.operands().into_iter().enumerate().skip(1) {
        let index = index.const_int_value()?;
        let bytes = if number == 1 {
            index.wrapping_mul(module.size_of(ty))
        } else if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
            let field = u32::try_from(index).ok()?;
            let offset = module.element_offset(ty, field);
            ty = *ty.struct_elements().get(field as usize)?;
            offset
        } else {
            ty = ty.element();
            index.wrapping_mul(module.size_of(ty))
        };
        sum = sum.wrapping_add(bytes);
    }
    Some(sum)
}

/// Whether passes make one value of a variable: it is loaded and stored as a whole, and nothing else
/// is done with it.
fn becomes_value(variable: Value<'_>) -> bool {
    use LLVMOpcode as O;
    let ty = variable.allocated_type();
    let users = variable.users();
    users.into_iter().all(|user| {
        user.is_instruction()
            && match user.opcode() {
                O::LLVMLoad => !user.is_volatile() && !user.is_atomic() && user.ty() == ty,
                O::LLVMStore => {
                    let plain = !user.is_volatile() && !user.is_atomic();
                    plain && user.operand(0) != variable && user.operand(0).ty() == ty
                }
                O::LLVMCall => user.called().name().starts_with("llvm.lifetime."),
                _ => false,
            }
    })
}

fn is_scalar(kind: LLVMTypeKind) -> bool {
    use LLVMTypeKind as K;
    matches!(
        kind,
        K::LLVMIntegerTypeKind
            | K::LLVMFloatTypeKind
            | K::LLVMDoubleTypeKind
            | K::LLVMPointerTypeKind
    )
}

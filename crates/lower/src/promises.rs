//! Promises: what sources and options let the compiler assume. Freezing takes them back, so that
//! each build of the frozen bitcode computes the same, whatever its optimizer would make of them:
//! floats as IEEE says, each operation rounded; no pointer is promised to be apart from others, or
//! not to be null; what is read before it is written is some value.
//!
//! What the promises were, where another build may keep to them, stays as a mark for
//! [`lower`](crate::lower).

use std::collections::{BTreeSet, HashMap, HashSet};

use labrys_llvm::{Block, LLVMOpcode, LLVMTypeKind, Module, Value};
use labrys_program::Caveat;

/// Attributes of parameters, arguments and results that promise something.
const OF_VALUES: [&str; 6] = [
    "nonnull",
    "noalias",
    "dereferenceable",
    "dereferenceable_or_null",
    "noundef",
    "range",
];
/// What loads, stores and calls are annotated with.
const OF_ACCESSES: [&str; 10] = [
    "tbaa",
    "tbaa.struct",
    "noalias",
    "alias.scope",
    "nonnull",
    "range",
    "noundef",
    "dereferenceable",
    "invariant.load",
    "invariant.group",
];
/// Attributes of functions that let floats be computed otherwise.
const OF_FLOATS: [&str; 8] = [
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "approx-func-fp-math",
    "unsafe-fp-math",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "less-precise-fpmad",
];

/// Text attribute of functions, with a caveat in its name.
const MARK: &str = "labrys-caveat-";

/// Marks a function with something that its model does not show.
pub(crate) fn mark(module: &Module, function: Value<'_>, caveat: Caveat) {
    module.add_text_attribute(function, &format!("{MARK}{}", caveat.name()), "");
}

/// What the functions of a module are marked with.
pub(crate) fn marks(module: &Module) -> BTreeSet<Caveat> {
    let functions = module.functions();
    let has = |caveat: &Caveat| {
        let name = format!("{MARK}{}", caveat.name());
        let mut functions = functions.iter();
        functions.any(|function| module.has_text_attribute(*function, &name))
    };
    Caveat::ALL.iter().copied().filter(has).collect()
}

/// Takes the promises of a module back.
pub(crate) fn take_back(module: &Module) {
    for function in module.functions() {
        round_each_operation(module, function);
        for name in OF_FLOATS {
            module.remove_text_attribute(function, name);
        }
        module.remove_attribute(function, "mustprogress");
        let count = function.global_type().param_count();
        for index in 0..=count {
            for name in OF_VALUES {
                module.remove_value_attribute(function, index, name);
            }
        }
        for block in function.blocks() {
            for instruction in block.instructions() {
                of_instruction(module, instruction);
            }
        }
        give_values(module, function);
    }
}

fn of_instruction(module: &Module, instruction: Value<'_>) {
    use LLVMOpcode as O;
    let opcode = instruction.opcode();
    if matches!(
        opcode,
        O::LLVMLoad | O::LLVMStore | O::LLVMCall | O::LLVMInvoke
    ) {
        for name in OF_ACCESSES {
            module.remove_annotation(instruction, name);
        }
    }
    if !matches!(opcode, O::LLVMCall | O::LLVMInvoke) {
        return;
    }
    let called = instruction.called().name();
    if called.starts_with("llvm.assume") {
        return instruction.erase();
    }
    if called.starts_with("llvm.expect.with.probability") {
        // No build that is not optimized has instructions for it.
        instruction.replace_uses(instruction.operand(0));
        return instruction.erase();
    }
    let counts = ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."];
    if counts.iter().any(|name| called.starts_with(name)) {
        // Zero, and the least number, are numbers like others.
        instruction.set_operand(1, module.const_int(1, 0));
    }
    for index in 0..=instruction.arguments().len() {
        for name in OF_VALUES {
            module.remove_argument_attribute(instruction, index, name);
        }
    }
}

/// Products and sums are rounded each; marks functions in which others may not do so.
fn round_each_operation(module: &Module, function: Value<'_>) {
    let features = module.text_attribute(function, "target-features");
    let can_fuse = features.is_some_and(|text| text.contains("+fma"));
    let (mut fused, mut free) = (false, false);
    for block in function.blocks() {
        for instruction in block.instructions() {
            let (fuses, otherwise) = instruction.float_freedom();
            fused |= fuses;
            free |= otherwise;
            let call = instruction.opcode() == LLVMOpcode::LLVMCall;
            if call && instruction.called().name().starts_with("llvm.fmuladd.") {
                fused = true;
                split(module, instruction);
            }
        }
    }
    if fused && can_fuse {
        mark(module, function, Caveat::FusedFloats);
    }
    if free {
        mark(module, function, Caveat::FreeFloats);
    }
}

/// `a × b + c` in two operations.
fn split(module: &Module, call: Value<'_>) {
    let builder = module.builder();
    builder.before(call);
    builder.locate_at(call);
    let [a, b, c] = [0, 1, 2].map(|index| call.operand(index));
    let product = builder.binary(LLVMOpcode::LLVMFMul, a, b);
    let sum = builder.binary(LLVMOpcode::LLVMFAdd, product, c);
    call.replace_uses(sum);
    call.erase();
}

/// Variables begin with some value, which is the same wherever it is read; otherwise passes take
/// the value of another path for it. Those that are always written before have none: it would make
/// passes take quadratic time for functions with many.
fn give_values(module: &Module, function: Value<'_>) {
    let Some(entry) = function.blocks().into_iter().next() else {
        return;
    };
    let accesses = Accesses::of(function);
    let instructions = entry.instructions();
    let is_variable = |value: &Value<'_>| value.opcode() == LLVMOpcode::LLVMAlloca;
    let variables = instructions.iter().take_while(|value| is_variable(value));
    let Some(first) = instructions.get(variables.clone().count()).copied() else {
        return;
    };
    let builder = module.builder();
    builder.before(first);
    builder.locate_at(first);
    for variable in variables.copied() {
        let ty = variable.allocated_type();
        let one = variable.operand(0).const_int_value() == Some(1);
        let is_value = one && is_scalar(ty.kind()) && becomes_value(variable);
        if is_value && accesses.may_read_before_written(variable) {
            builder.store(builder.freeze(ty.undefined()), variable);
        }
    }
}

/// Blocks that are looked at for a variable; one whose writes are further away gets a value.
const BLOCKS: usize = 256;

/// Where a function reads and writes its variables.
struct Accesses<'m> {
    predecessors: HashMap<Block<'m>, Vec<Block<'m>>>,
    /// By variable: the blocks that read it before they write it.
    reads: HashMap<Value<'m>, Vec<Block<'m>>>,
    writes: HashSet<(Block<'m>, Value<'m>)>,
}

impl<'m> Accesses<'m> {
    fn of(function: Value<'m>) -> Self {
        let mut accesses = Accesses {
            predecessors: HashMap::new(),
            reads: HashMap::new(),
            writes: HashSet::new(),
        };
        for block in function.blocks() {
            for next in block.successors() {
                accesses.predecessors.entry(next).or_default().push(block);
            }
            for instruction in block.instructions() {
                match instruction.opcode() {
                    LLVMOpcode::LLVMStore => {
                        accesses.writes.insert((block, instruction.operand(1)));
                    }
                    LLVMOpcode::LLVMLoad => {
                        let variable = instruction.operand(0);
                        let reads = accesses.reads.entry(variable).or_default();
                        let written = accesses.writes.contains(&(block, variable));
                        if !written && reads.last() != Some(&block) {
                            reads.push(block);
                        }
                    }
                    _ => {}
                }
            }
        }
        accesses
    }

    /// Whether a path from the function's beginning to a read of a variable may have no write of it.
    fn may_read_before_written(&self, variable: Value<'m>) -> bool {
        let Some(reads) = self.reads.get(&variable) else {
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
                if !self.writes.contains(&(*block, variable)) && seen.insert(*block) {
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

/// Whether passes make a value of a variable: it is loaded and stored as a whole, and nothing else
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

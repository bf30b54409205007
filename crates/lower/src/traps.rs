//! The traps of checks for undefined behavior.
//!
//! clang gives all checks of one kind in a function one trap, whose place in the source is
//! nowhere. Here every check gets a trap of its own at its own place, so that a stack tells
//! which check failed. Checks whose condition is a constant go. clang's one check of a quotient, that
//! the divisor is not zero and that the quotient fits, becomes two.
//!
//! Invariant: no decision of the source is added, moved or removed.

use std::collections::HashSet;

use crate::hints::is_hint;
use labrys_llvm::{Block, Builder, LLVMOpcode, Module, Value};

/// clang's number for the trap of a quotient (`SanitizerHandler`, LLVM 19), and that for products,
/// which serves for quotients that overflow.
const QUOTIENT: u64 = 3;
const OVERFLOW: u64 = 12;

/// What the conditions of checks are called with while they hide.
const HIDDEN: &str = "labrys.check";

/// The trap of `__builtin_trap`, and its name while it hides.
const TRAP: &str = "llvm.trap";
const HIDDEN_TRAP: &str = "labrys.trap";

/// Hides the conditions of checks from passes. They would conclude from a check that was passed
/// what a decision of the source must be, and nobody could tell that it rests on the check.
pub(crate) fn hide(module: &Module) {
    let (bit, builder) = (module.int(1), module.builder());
    let hidden = module.declare(HIDDEN, bit, &[bit]);
    for attribute in ["nounwind", "willreturn", "nocallback", "nosync", "nofree"] {
        module.add_attribute(hidden, attribute, 0);
    }
    module.add_attribute(hidden, "memory", 0);
    if let Some(trap) = module.function(TRAP) {
        // A handler of the signal reads memory.
        trap.rename(HIDDEN_TRAP);
        module.remove_attribute(trap, "memory");
    }
    for function in module.functions() {
        for block in function.blocks() {
            let Some(branch) = block.terminator().filter(|end| is_check(*end, block)) else {
                continue;
            };
            builder.before(branch);
            builder.locate_at(branch);
            branch.set_operand(0, builder.call(hidden, &[branch.operand(0)]));
        }
    }
}

/// Tells quotients that overflow from divisions by zero.
pub(crate) fn tell_overflows(module: &Module) {
    let builder = module.builder();
    for function in module.functions() {
        for block in function.blocks() {
            if let Some(quotient) = Quotient::checked_by(block) {
                quotient.tell_overflow(module, &builder);
            }
        }
    }
}

/// A check that a quotient is defined.
struct Quotient<'m> {
    check: Value<'m>,
    /// Where the program goes on.
    next: Block<'m>,
    trap: Value<'m>,
    divisor: Value<'m>,
}

impl<'m> Quotient<'m> {
    /// The one at the end of a block.
    fn checked_by(block: Block<'m>) -> Option<Self> {
        let check = block.terminator().filter(|end| is_check(*end, block))?;
        let [next, trap] = block.successors()[..] else {
            return None;
        };
        let trap = only_traps(trap)?;
        let quotient = trap.arguments()[0].const_int_value() == Some(QUOTIENT);
        let mut instructions = next.instructions().into_iter();
        let division = instructions.find(|i| {
            use LLVMOpcode::{LLVMPHI, LLVMSDiv, LLVMSRem};
            matches!(i.opcode(), LLVMPHI | LLVMSDiv | LLVMSRem)
        })?;
        (quotient && division.opcode() != LLVMOpcode::LLVMPHI).then(|| Quotient {
            check,
            next,
            trap,
            divisor: division.operand(1),
        })
    }

    /// Where the check asks for both, that the divisor is not zero and that the quotient fits, each
    /// gets a branch.
    fn tell_overflow(&self, module: &'m Module, builder: &Builder<'m>) {
        let condition = self.check.operand(0);
        let overflow = [module.const_int(8, OVERFLOW)];
        let overflow = || trap_at(module, builder, self.check, self.trap.called(), &overflow);
        if condition.is_instruction() && condition.opcode() == LLVMOpcode::LLVMAnd {
            let fits = module.block_after(self.check.parent());
            let trap = overflow();
            builder.at_end(fits);
            builder.locate_at(self.check);
            builder.branch(condition.operand(1), self.next, trap);
            self.check.set_operand(0, condition.operand(0));
            self.check.set_successor(0, fits);
        } else if condition.const_int_value() == Some(0)
            && self.divisor.const_int_value() != Some(0)
        {
            self.check.set_successor(1, overflow());
        }
    }
}

/// Undoes [`hide`].
pub(crate) fn show(module: &Module) {
    if let Some(trap) = module.function(HIDDEN_TRAP) {
        trap.rename(TRAP);
    }
    let Some(hidden) = module.function(HIDDEN) else {
        return;
    };
    for call in hidden.users() {
        call.replace_uses(call.operand(0));
        call.erase();
    }
    hidden.delete_function();
}

/// Whether the end of a block is a check: one of its two sides traps.
fn is_check(end: Value<'_>, block: Block<'_>) -> bool {
    let successors = block.successors();
    let traps = |to: &Block<'_>| only_traps(*to).is_some();
    end.opcode() == LLVMOpcode::LLVMBr && successors.len() == 2 && successors.iter().any(traps)
}

/// Gives every edge to a shared trap a block of its own.
pub(crate) fn separate(module: &Module) {
    let builder = module.builder();
    for function in module.functions() {
        let mut shared = Vec::new();
        for block in function.blocks() {
            let Some(branch) = block.terminator() else {
                continue;
            };
            let successors = block.successors();
            if let Some(next) = decided(branch, &successors) {
                let own = only_traps(next).map(|trap| copy(module, &builder, branch, trap));
                builder.before(branch);
                builder.locate_at(branch);
                builder.jump(own.unwrap_or(next));
                branch.erase();
                shared.extend(
                    successors
                        .into_iter()
                        .filter(|to| only_traps(*to).is_some()),
                );
                continue;
            }
            for (index, to) in successors.into_iter().enumerate() {
                if let Some(trap) = only_traps(to) {
                    let own = copy(module, &builder, branch, trap);
                    branch.set_successor(index, own);
                    shared.push(to);
                }
            }
        }
        let mut gone = HashSet::new();
        shared.retain(|trap| gone.insert(*trap));
        shared.into_iter().for_each(Block::delete);
    }
}

/// The successor that a check always takes, where its condition is a constant.
fn decided<'m>(branch: Value<'m>, successors: &[Block<'m>]) -> Option<Block<'m>> {
    let &[if_true, if_false] = successors else {
        return None;
    };
    if branch.opcode() != LLVMOpcode::LLVMBr {
        return None;
    }
    let next = match branch.operand(0).const_int_value()? {
        0 => if_false,
        _ => if_true,
    };
    let is_check = successors.iter().any(|to| only_traps(*to).is_some());
    is_check.then_some(next)
}

/// A block with the same trap at the place of a branch.
fn copy<'m>(
    module: &Module,
    builder: &Builder<'m>,
    branch: Value<'m>,
    trap: Value<'m>,
) -> Block<'m> {
    trap_at(module, builder, branch, trap.called(), &trap.arguments())
}

/// A block with a trap at the place of a branch. It is never merged with another.
fn trap_at<'m>(
    module: &Module,
    builder: &Builder<'m>,
    branch: Value<'m>,
    trap: Value<'m>,
    number: &[Value<'m>],
) -> Block<'m> {
    let own = branch.parent().append_sibling();
    builder.at_end(own);
    builder.locate_at(branch);
    let call = builder.call(trap, number);
    for attribute in ["nomerge", "noreturn", "nounwind"] {
        module.add_call_attribute(call, attribute);
    }
    builder.unreachable();
    own
}

/// The trap of a block that holds nothing else.
fn only_traps(block: Block<'_>) -> Option<Value<'_>> {
    let end = block.terminator()?;
    if end.opcode() != LLVMOpcode::LLVMUnreachable {
        return None;
    }
    match block.instructions().as_slice() {
        [trap, _] => is_trap(*trap).then_some(*trap),
        _ => None,
    }
}

/// The trap of a check that a block begins with.
#[must_use]
pub fn trap_of(block: Block<'_>) -> Option<Value<'_>> {
    let first = block.instructions().into_iter().find(|instruction| {
        let hint =
            instruction.opcode() == LLVMOpcode::LLVMCall && is_hint(&instruction.called().name());
        !hint && instruction.opcode() != LLVMOpcode::LLVMPHI
    });
    first.filter(|first| is_trap(*first))
}

/// The trap of `-fsanitize-trap`; that of `__builtin_trap` is the program's own.
pub(crate) fn is_trap(instruction: Value<'_>) -> bool {
    instruction.opcode() == LLVMOpcode::LLVMCall && instruction.called().name() == "llvm.ubsantrap"
}

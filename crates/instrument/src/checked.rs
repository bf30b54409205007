//! The checked build: the frozen program under AddressSanitizer, or under MemorySanitizer, to judge
//! failures by.
//!
//! It is made of the frozen bitcode and not of the sources once more, for three reasons: the
//! checks of undefined behavior, which only clang's front end can add, are in it already; a
//! failure is confirmed on the very program that was searched; and objects, archives and build
//! systems need no second pass. What the freezing passes removed, such as a load whose value is
//! not used, is found by neither build.
//!
//! A check of a value that fails (a shift by too much, a sum that overflows) reports and goes on: the
//! operation is frozen with a value for all operands, and what is behind it may fail as well. A
//! check that keeps from an access, or of a divisor, still ends the run.
//!
//! Invariant: nothing is added that counts coverage or makes labels.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::coverage;
use crate::recording::repeat;
use labrys_library::{Type, own_row};
use labrys_llvm::{Block, Builder, LLVMOpcode, LlvmError, Module, Value};
use labrys_lower::trap_of;
use labrys_models::{CHECKS, GUARDS};

const PROGRAM: &str = "the program";

/// The parameter of functions that print, or read, what it says.
const FORMAT: &str = "format";

/// What reports a check that failed (`checks.c`).
const FAILED: &str = "__labrys_check_failed";
/// clang's numbers of the checks of values (`SanitizerHandler`, LLVM 19): sums, bits of zero,
/// products, negation, shifts, differences.
const OF_VALUES: [u64; 6] = [0, 8, 12, 13, 20, 21];

/// Leaves the places of instructions of the debug information, which stacks are made of: to compile
/// all of it takes a third longer.
const PLACES: &str = "strip-nonlinetable-debuginfo";

/// Puts frozen bitcode under AddressSanitizer.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn add_checks(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    // The guards stand first; by the module's name reports say where a variable is defined.
    let mut module = Module::from_bytes(GUARDS, PROGRAM)?;
    let bitcode = fs::read(frozen).map_err(|e| LlvmError(format!("{}: {e}", frozen.display())))?;
    module.link_bytes(&bitcode, PROGRAM)?;
    go_on_behind_checks(&mut module)?;
    module.run_passes(PLACES)?;
    prepare(&module, "sanitize_address");
    module.add_address_checks()?;
    finish(&module, out)
}

/// Puts frozen bitcode under MemorySanitizer.
///
/// # Errors
/// As those of [`add_checks`].
pub fn add_initialization_checks(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    let mut module = Module::read(frozen)?;
    go_on_behind_checks(&mut module)?;
    module.run_passes(PLACES)?;
    unset_variables(&module);
    look_at_passed_numbers(&module);
    prepare(&module, "sanitize_memory");
    module.add_initialization_checks()?;
    finish(&module, out)
}

/// Has variables that nobody wrote be variables on the stack again. Freezing gave them a value,
/// which MemorySanitizer takes for written.
fn unset_variables(module: &Module) {
    let builder = module.builder();
    for function in module.functions() {
        let blocks = function.blocks();
        let Some(first) = blocks
            .first()
            .and_then(|entry| entry.instructions().first().copied())
        else {
            continue;
        };
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        let unset: Vec<_> = instructions
            .filter(|i| i.opcode() == LLVMOpcode::LLVMFreeze && i.operand(0).is_undefined())
            .collect();
        builder.before(first);
        let variables: Vec<_> = unset
            .iter()
            .map(|value| builder.named_variable(value.ty(), &value.name()))
            .collect();
        for (value, variable) in unset.into_iter().zip(variables) {
            builder.before(value);
            builder.locate_at(value);
            value.replace_uses(builder.load(value.ty(), variable));
            value.erase();
        }
        look_into_checks(module, &blocks);
    }
}

/// Has MemorySanitizer follow values through what computes for a check of undefined behavior, which
/// it takes for written: a check and the program share what they compute. The decisions of checks it
/// still leaves out.
fn look_into_checks(module: &Module, blocks: &[Block<'_>]) {
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    for one in instructions.filter(|one| one.opcode() != LLVMOpcode::LLVMBr) {
        module.remove_annotation(one, "nosanitize");
    }
}

/// Has MemorySanitizer look at the numbers that functions of a library get, and at what they print by
/// a format: clang says that these are defined, which freezing takes from all arguments. Functions of
/// the program are left out: structures are passed as numbers too, and nobody writes what lies
/// between their members.
fn look_at_passed_numbers(module: &Module) {
    let functions = module.functions();
    let blocks = functions.iter().flat_map(|function| function.blocks());
    let instructions = blocks.flat_map(Block::instructions);
    for call in instructions.filter(|one| one.opcode() == LLVMOpcode::LLVMCall) {
        let called = call.called();
        if !called.is_function() || !called.is_declaration() {
            continue;
        }
        let name = called.name();
        let Some(row) = own_row(&name) else {
            continue;
        };
        let prints = row.is_variadic() && row.parameters().iter().any(|one| one.name == FORMAT);
        for index in 0..call.arguments().len() {
            let looks = match row.parameters().get(index) {
                Some(parameter) => parameter.ty != Type::Pointer,
                None => prints,
            };
            if looks {
                module.add_argument_attribute(call, index, "noundef");
            }
        }
    }
}

/// Has the checks of values report and go on.
fn go_on_behind_checks(module: &mut Module) -> Result<(), LlvmError> {
    module.link_bytes(CHECKS, PROGRAM)?;
    let failed = module.function(FAILED);
    let failed = failed.ok_or_else(|| LlvmError(format!("{FAILED} is not defined")))?;
    let builder = module.builder();
    let mut number = 0;
    for function in module.functions() {
        let blocks = function.blocks();
        let mut edges: HashMap<Block<'_>, usize> = HashMap::new();
        for to in blocks.iter().flat_map(|block| block.successors()) {
            *edges.entry(to).or_default() += 1;
        }
        let checks = blocks.into_iter().filter_map(Check::at_end_of);
        for check in checks.filter(|check| edges[&check.trap.parent()] == 1) {
            check.go_on(&builder, failed, number, module);
            number += 1;
        }
    }
    Ok(())
}

/// A check of a value.
struct Check<'m> {
    branch: Value<'m>,
    /// The call that traps.
    trap: Value<'m>,
    /// Where the program goes on.
    next: Block<'m>,
}

impl<'m> Check<'m> {
    fn at_end_of(block: Block<'m>) -> Option<Self> {
        let branch = block.terminator()?;
        let &[one, other] = &block.successors()[..] else {
            return None;
        };
        let of = |trap: Block<'m>, next| {
            let trap = trap_of(trap)?;
            let number = trap.arguments()[0].const_int_value()?;
            OF_VALUES
                .contains(&number)
                .then_some(Check { branch, trap, next })
        };
        let is_branch = branch.opcode() == LLVMOpcode::LLVMBr;
        of(one, other)
            .or_else(|| of(other, one))
            .filter(|_| is_branch)
    }

    fn go_on(&self, builder: &Builder<'m>, failed: Value<'m>, number: u64, module: &'m Module) {
        let (block, from) = (self.trap.parent(), self.branch.parent());
        let phis = self.next.instructions().into_iter();
        for phi in phis.take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI) {
            let value = phi.incoming().into_iter().find(|(_, of)| *of == from);
            if let Some((value, _)) = value {
                phi.add_incoming(value, block);
            }
        }
        builder.before(self.trap);
        builder.locate_at(self.trap);
        let arguments = [self.trap.arguments()[0], module.const_int(32, number)];
        let _ = builder.call(failed, &arguments);
        if let Some(end) = block.terminator() {
            end.erase();
        }
        self.trap.erase();
        builder.at_end(block);
        builder.locate_at(self.branch);
        builder.jump(self.next);
    }
}

/// Has the functions ask for a sanitizer.
fn prepare(module: &Module, sanitizer: &str) {
    for function in module.functions() {
        if function.is_declaration() || function.has_attribute("naked") {
            continue;
        }
        module.add_attribute(function, sanitizer, 0);
        // Stacks are to show every call.
        module.add_text_attribute(function, "disable-tail-calls", "true");
        module.add_text_attribute(function, "frame-pointer", "all");
    }
    repeat(module);
}

fn finish(module: &Module, out: &Path) -> Result<(), LlvmError> {
    coverage::define(module, 0);
    module
        .verify()
        .map_err(|e| LlvmError(format!("the checked module is not well-formed: {e}")))?;
    module.write(out)
}

//! Hooks: functions of the program that library code runs because of their names, or because the
//! program put their addresses into variables of the library.
//!
//! Law: where there are none, a library function calls no more than its row says.

use labrys_library::{Mark, named};
use labrys_program::{Constant, Function, Global, Linkage, Operand, Operation, Program, Type};

use labrys_semantics::environment::is_surrounding;

use crate::address::global_of;

/// Variables of the library that are no hooks, though programs set them.
const PLAIN_VARIABLES: [&str; 8] = [
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "__environ",
    "optarg",
    "suboptarg",
    "obstack_exit_failure",
];

/// Whether library functions run code of the program that their rows do not say.
pub(crate) fn runs_program(program: &Program) -> bool {
    program.functions.iter().any(interposes) || has_hooks(program)
}

/// Whether library code may call a function of the program by its name: the library has one of
/// the same name.
pub(crate) fn interposes(function: &Function) -> bool {
    let visible = function.defined && function.linkage != Linkage::Internal;
    let name = &function.name[..];
    // Of what templates of C++ make, the library has copies of its own that do the same.
    let template = name.starts_with("_Z") && !name.starts_with("_Zn") && !name.starts_with("_Zd");
    let is_library = |row: &labrys_library::Function| {
        let own = [Mark::MakesValue, Mark::Target, Mark::Failure];
        row.harness().is_none() && !own.iter().any(|mark| row.has(*mark))
    };
    visible && !template && labrys_library::function(name).is_some_and(is_library)
}

/// Whether the program may set a variable of the library to the address of a function.
pub(crate) fn has_hooks(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| {
        let blocks = function.blocks.iter();
        blocks.map(move |block| (function, block))
    });
    let mut operations = blocks.flat_map(|(function, block)| {
        let instructions = block.instructions.iter();
        instructions.map(move |instruction| (function, &instruction.operation))
    });
    operations.any(|(function, operation)| sets_hook(program, function, operation))
}

fn sets_hook(program: &Program, function: &Function, operation: &Operation) -> bool {
    let Operation::Store { address, value, .. } = operation else {
        return false;
    };
    let Operand::Constant(address) = address else {
        return false;
    };
    let global = global_of(program, *address).and_then(|id| program.global(id));
    global.is_some_and(is_library_variable)
        && program.operand_type(function, *value) == Some(Type::Pointer)
        && !is_null(program, *value)
}

fn is_library_variable(global: &Global) -> bool {
    let name = &global.name[..];
    global.initializer.is_none() && !PLAIN_VARIABLES.contains(&name) && !is_surrounding(name)
}

fn is_null(program: &Program, operand: Operand) -> bool {
    let Operand::Constant(id) = operand else {
        return false;
    };
    matches!(
        program.constant(id),
        Some(Constant::Null | Constant::Zero(_))
    )
}

/// Functions of these names are called by code that the compiler makes for operations of the
/// program: copies, and roundings.
pub(crate) fn stands_for_operation(function: &Function) -> bool {
    let row = labrys_library::function(&function.name);
    let computes = row.is_some_and(labrys_library::Function::is_pure);
    let visible = function.linkage != Linkage::Internal;
    function.defined && visible && (named(&function.name, Mark::Operates) || computes)
}

/// Whether code that clang adds, and Labrys does not, calls a function of the program.
pub(crate) fn traces_coverage(function: &Function) -> bool {
    function.defined && function.name.starts_with("__sanitizer_cov_")
}

/// Whether the library calls a function of the program whenever it needs memory.
pub(crate) fn replaces_allocator(function: &Function) -> bool {
    let visible = function.defined && function.linkage != Linkage::Internal;
    visible && named(&function.name, Mark::Allocator)
}

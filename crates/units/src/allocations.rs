//! Allocations that fail: for tests, functions that give memory count their calls, and the one
//! whose number is an input gives a null pointer.
//!
//! Calls in the source of the function that is called and in other sources are counted apart: a test
//! in C has the one source in its own file, the others are linked with it and their allocations
//! succeed. So each compilation has functions of its own in place of those that give memory.
//!
//! Law: with zeros for the inputs each allocation does what it does in the program.

use std::fmt::Write as _;

use labrys_library::{Access, Function, Mark, Type, functions};
use labrys_llvm::{DebugNode, Module, Value};
use labrys_suite::unit::{Allocator, CALL, IN_PLACE};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of a function in place of one that gives memory ends with the number of a compilation.
/// This stands for the number where drivers make pointers to them: these are of the compilation of
/// the function that is called.
const DRIVER: &str = "own";
/// What it calls the function itself.
const ITSELF: &str = "labrys_allocator_";

/// The variable with the inputs.
pub(crate) const FAILING: &str = "labrys_allocation_failing";

/// The variable that tells which of them named an allocation that there was.
pub(crate) const FAILED: &str = "labrys_allocation_failed";

/// The function that decides whether an allocation fails.
pub(crate) const FAILS: &str = "labrys_allocation_fails";

/// What all of them are made of: which allocation fails, how many there were, and the compilation of
/// the function that is called; of that compilation, and of others.
const COUNTS: &str = "
/* Allocations that fail, of the source of the function and of others. */
unsigned char labrys_allocation_failing[2], labrys_allocation_failed[2];
static unsigned labrys_allocation_counts[2], labrys_allocation_own;
static int labrys_allocation_fails(unsigned unit) {
  unsigned other = unit != labrys_allocation_own;
  int fails = ++labrys_allocation_counts[other] == labrys_allocation_failing[other];
  labrys_allocation_failed[other] |= fails;
  return fails;
}
";

/// Which functions and variables of a program name functions that give memory.
#[derive(Debug, Default)]
pub(crate) struct Allocations<'m> {
    /// The functions that give memory.
    allocators: Vec<Allocator>,
    /// The compilations that do, in the order of the program.
    compilations: Vec<Option<DebugNode<'m>>>,
    /// The functions and variables, with the numbers of their compilations.
    users: FxHashMap<Value<'m>, usize>,
    /// The compilation of all variables that do.
    of_variables: Option<usize>,
}

impl<'m> Allocations<'m> {
    pub(crate) fn of(module: &'m Module) -> Self {
        let mut all = Allocations {
            allocators: of_libraries(module),
            ..Allocations::default()
        };
        let allocators: FxHashSet<_> = declared(module)
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        let functions = module.functions().into_iter();
        for function in functions.filter(|one| !one.name().starts_with(CALL)) {
            let mut instructions = instructions(function);
            if instructions.any(|one| one.operands().iter().any(|one| allocators.contains(one))) {
                let described = DebugNode::of_function(module, function);
                all.add(function, described.and_then(DebugNode::unit));
            }
        }
        for variable in module.globals() {
            let initial = variable.initializer();
            if initial.is_some_and(|value| names(value, &allocators)) {
                let described = DebugNode::of_global(module, variable);
                let number = all.add(variable, described.and_then(DebugNode::variable_unit));
                if *all.of_variables.get_or_insert(number) != number {
                    // One constant may be part of several variables.
                    return Allocations::default();
                }
            }
        }
        all
    }

    fn add(&mut self, user: Value<'m>, compilation: Option<DebugNode<'m>>) -> usize {
        let mut known = self.compilations.iter();
        let number = known.position(|one| *one == compilation);
        let number = number.unwrap_or_else(|| {
            self.compilations.push(compilation);
            self.compilations.len() - 1
        });
        self.users.insert(user, number);
        number
    }

    fn number(&self, compilation: Option<DebugNode<'m>>) -> Option<usize> {
        let mut known = self.compilations.iter();
        known.position(|one| compilation.is_some() && *one == compilation)
    }

    /// Whether what a function of a compilation can come to allocates in the same source, and
    /// whether in others.
    pub(crate) fn among(
        &self,
        named: &FxHashSet<Value<'m>>,
        compilation: Option<DebugNode<'m>>,
    ) -> (bool, bool) {
        let own = self.number(compilation);
        let mut found = (false, false);
        for number in named.iter().filter_map(|one| self.users.get(one)) {
            match own == Some(*number) {
                true => found.0 = true,
                false => found.1 = true,
            }
        }
        found
    }

    /// The functions that give memory.
    pub(crate) fn allocators(&self) -> &[Allocator] {
        &self.allocators
    }

    /// Whether a driver makes pointers to functions that give memory.
    pub(crate) fn are_given(&self, functions: &[String]) -> bool {
        let gives = |name: &String| self.allocators.iter().any(|one| one.name == *name);
        !self.compilations.is_empty() && functions.iter().any(gives)
    }

    /// The statement that tells which compilation the function that is called is of.
    pub(crate) fn begins(&self, compilation: Option<DebugNode<'m>>) -> String {
        let number = self.number(compilation).unwrap_or(self.compilations.len());
        format!("labrys_allocation_own = {number};")
    }

    /// The functions in place of those that give memory.
    pub(crate) fn text(&self) -> String {
        let mut text = COUNTS.to_owned();
        for one in &self.allocators {
            let real = format!("{ITSELF}{}", one.name);
            let _ = writeln!(text, "extern {};", one.declared(&real));
            for number in 0..self.compilations.len() {
                let fails = format!("{FAILS}({number})");
                let name = in_place(one, &number.to_string());
                text.push_str(&one.defined(&name, &real, &fails));
            }
            let fails = format!("{FAILS}(labrys_allocation_own)");
            text.push_str(&one.defined(&in_place(one, DRIVER), &real, &fails));
        }
        text
    }
}

/// Puts the functions of [`Allocations::text`] to work, after it was linked.
pub(crate) fn connect(module: &Module) {
    if module.global(FAILING).is_none() {
        return;
    }
    let all = Allocations::of(module);
    for (allocator, function) in &declared(module) {
        for user in module.functions() {
            let number = all.users.get(&user).map(usize::to_string);
            let number = match user.name().starts_with(CALL) {
                true => Some(DRIVER.to_owned()),
                false => number,
            };
            let name = number.map(|number| in_place(allocator, &number));
            if let Some(defined) = name.and_then(|name| module.function(&name)) {
                replace_in(user, *function, defined);
            }
        }
        let number = all.of_variables.map(|number| number.to_string());
        let defined = number.and_then(|number| module.function(&in_place(allocator, &number)));
        if let Some(defined) = defined {
            function.replace_uses(defined);
        }
    }
    for allocator in &all.allocators {
        let Some(itself) = module.function(&format!("{ITSELF}{}", allocator.name)) else {
            continue;
        };
        match module.function(&allocator.name) {
            Some(function) => {
                itself.replace_uses(function);
                itself.delete_function();
            }
            // Nobody calls it.
            None => itself.rename(&allocator.name),
        }
    }
}

/// Replaces a function by another in the instructions of a function.
fn replace_in<'m>(user: Value<'m>, function: Value<'m>, by: Value<'m>) {
    for instruction in instructions(user) {
        for (place, operand) in instruction.operands().into_iter().enumerate() {
            if operand == function {
                instruction.set_operand(place, by);
            }
        }
    }
}

fn in_place(allocator: &Allocator, compilation: &str) -> String {
    format!("{IN_PLACE}{}_{compilation}", allocator.name)
}

/// The functions that give memory, in C.
fn allocators() -> Vec<Allocator> {
    let all = functions()
        .iter()
        .filter(|row| row.has(Mark::Refuses) && row.name() == row.canonical());
    all.map(allocator).collect()
}

/// A function that gives memory: what it reads is a text, of which it gives a copy.
fn allocator(row: &Function) -> Allocator {
    let parameters = row.parameters().iter().map(|one| {
        let ty = match (one.ty, one.access) {
            (Type::Int(_), _) => "__SIZE_TYPE__",
            (_, Access::Reads(_)) => "const char *",
            _ => "void *",
        };
        (ty.to_owned(), one.name.to_owned())
    });
    let copies = row
        .parameters()
        .iter()
        .any(|one| matches!(one.access, Access::Reads(_)));
    Allocator {
        name: row.name().to_owned(),
        result: if copies { "char *" } else { "void *" }.to_owned(),
        parameters: parameters.collect(),
    }
}

/// Those of which a program has none of its own, in whatever source.
fn of_libraries(module: &Module) -> Vec<Allocator> {
    let defined = module.functions().into_iter();
    let defined = defined.filter(|one| !one.is_declaration());
    // Linking adds a number to the name of a static function.
    let own = |value: Value<'_>| value.name().split('.').next().map(str::to_owned);
    let own: FxHashSet<String> = defined.filter_map(own).collect();
    let all = allocators().into_iter();
    all.filter(|one| !own.contains(&one.name)).collect()
}

/// Those that a program calls and does not define.
fn declared(module: &Module) -> Vec<(Allocator, Value<'_>)> {
    let all = of_libraries(module).into_iter();
    let known = all.filter_map(|one| {
        let function = module.function(&one.name)?;
        function.is_declaration().then_some((one, function))
    });
    known.collect()
}

pub(crate) fn instructions(function: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let blocks = function.blocks().into_iter();
    blocks.flat_map(labrys_llvm::Block::instructions)
}

/// Whether a constant has one of these in it.
fn names<'m>(constant: Value<'m>, wanted: &FxHashSet<Value<'m>>) -> bool {
    let part = |value: Value<'m>| {
        let inside = !value.is_function() && !value.is_variable();
        wanted.contains(&value) || inside && names(value, wanted)
    };
    wanted.contains(&constant) || constant.operands().into_iter().any(part)
}

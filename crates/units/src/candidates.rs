//! Functions that pointers of drivers may point to.

use labrys_llvm::{Block, DebugNode, LLVMLinkage, LLVMOpcode, Module, Value};
use rustc_hash::FxHashSet;

use crate::{prototype, select, types};

/// Functions of one type, at most.
const MAX_FUNCTIONS: usize = 6;

/// Functions whose address the program takes.
#[derive(Debug, Default)]
pub(crate) struct Candidates<'m>(Vec<Candidate<'m>>);

#[derive(Debug)]
pub(crate) struct Candidate<'m> {
    /// Its type: see [`types::signature`].
    signature: String,
    pub(crate) name: String,
    function: Value<'m>,
    /// The compilation that defines it, and whether no other knows it.
    pub(crate) unit: Option<DebugNode<'m>>,
    is_static: bool,
    /// Compilations that use it.
    users: Vec<DebugNode<'m>>,
}

impl<'m> Candidate<'m> {
    /// Whether the sources of a compilation do not declare it, as far as is seen.
    pub(crate) fn is_distant(&self, unit: Option<DebugNode<'m>>) -> bool {
        let is_used = unit.is_some_and(|unit| self.users.contains(&unit));
        self.unit.is_some() && self.unit != unit && !is_used
    }
}

impl<'m> Candidates<'m> {
    pub(crate) fn of(module: &'m Module) -> Self {
        let functions = module.functions().into_iter();
        let taken = functions.filter(|function| {
            function.is_address_taken() && !function.name().starts_with("llvm.")
        });
        let (own, others): (Vec<_>, Vec<_>) = taken.partition(|one| !one.is_declaration());
        let own = own.into_iter().filter_map(|function| {
            let described = DebugNode::of_function(module, function)?;
            let unit = described.unit();
            let users = users(module, function);
            // The linker makes all functions of a program internal.
            let is_internal = function.linkage() == LLVMLinkage::LLVMInternalLinkage;
            Some(Candidate {
                signature: types::signature(described),
                name: function.name(),
                function,
                unit,
                is_static: is_internal && users.iter().all(|user| Some(*user) == unit),
                users,
            })
        });
        // Libraries are described by their declarations, if at all.
        let others = others.into_iter().filter_map(|function| {
            Some(Candidate {
                signature: prototype::signature(module, function)?,
                name: function.name(),
                function,
                unit: None,
                is_static: false,
                users: Vec::new(),
            })
        });
        Candidates(own.chain(others).collect())
    }

    /// Those of a type; with a compilation only those that its sources can name.
    pub(crate) fn of_type(
        &self,
        function: DebugNode<'m>,
        unit: Option<DebugNode<'m>>,
    ) -> impl Iterator<Item = &Candidate<'m>> {
        let wanted = types::signature(function);
        let known = move |one: &&Candidate<'m>| {
            !one.is_static || unit.is_none_or(|unit| one.unit == Some(unit))
        };
        let fitting = self.0.iter().filter(move |one| one.signature == wanted);
        fitting.filter(known).take(MAX_FUNCTIONS)
    }

    /// Functions and variables, with those that calls through pointers can come to from there.
    pub(crate) fn called_too(&self, named: &FxHashSet<Value<'m>>) -> FxHashSet<Value<'m>> {
        let mut all = named.clone();
        let mut open: Vec<Value<'m>> = named.iter().copied().collect();
        while let Some(value) = open.pop().filter(|_| !self.0.is_empty()) {
            if !value.is_function() {
                continue;
            }
            let instructions = value.blocks().into_iter().flat_map(Block::instructions);
            let calls = instructions.filter(|one| one.opcode() == LLVMOpcode::LLVMCall);
            for call in calls.filter(|call| !call.called().is_constant()) {
                let ty = call.called_type();
                let fitting = self.0.iter().map(|one| one.function);
                for function in fitting.filter(|one| one.global_type() == ty) {
                    if !all.contains(&function) {
                        let new = select::named(function, &[]).into_iter();
                        open.extend(new.filter(|one| all.insert(*one)));
                    }
                }
            }
        }
        all
    }
}

/// The compilations that use a function.
fn users<'m>(module: &'m Module, function: Value<'m>) -> Vec<DebugNode<'m>> {
    let mut seen = FxHashSet::default();
    let mut units = Vec::new();
    let mut open = function.users();
    while let Some(user) = open.pop() {
        if !seen.insert(user) {
            continue;
        }
        let unit = if user.is_instruction() {
            let user = user.parent().function();
            DebugNode::of_function(module, user).and_then(DebugNode::unit)
        } else if user.is_variable() {
            DebugNode::of_global(module, user).and_then(DebugNode::variable_unit)
        } else {
            open.extend(user.users());
            continue;
        };
        units.extend(unit.filter(|unit| !units.contains(unit)));
    }
    units
}

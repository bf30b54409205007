//! Lowering: a module of frozen bitcode to its program picture.
//!
//! Each LLVM instruction becomes one instruction of the picture, in place; what has no model
//! becomes opaque. Left out are only calls of intrinsics without an effect on the program
//! (debug information, lifetimes, hints): see [`is_dropped`].
//!
//! Invariants: ids of functions, globals, blocks and sites are those of the bitcode; for any
//! module that LLVM's verifier accepts, the result passes [`Program::verify`].

mod body;
mod calls;
mod constants;
mod globals;
mod instructions;
mod locations;
mod memory;
mod types;

use std::collections::{HashMap, HashSet};

use labrys_program::{
    FunctionId, GlobalId, Linkage, Parameter, Program, SiteId, Tables, Type as ProgramType,
};

use crate::sites::{Decision, sites};
use labrys_llvm::{Block, LLVMLinkage, Module, Type, Value};

use constants::Symbol;
use locations::Locations;

/// The program picture of a module, without name and hash.
#[must_use]
pub fn lower(module: &Module) -> Program {
    let mut lowering = Lowering::new(module);
    lowering.declare_functions();
    lowering.globals();
    for (index, function) in module.functions().into_iter().enumerate() {
        lowering.body(FunctionId::new(index), function);
    }
    lowering.finish()
}

/// Whether calls of an intrinsic are left out: they tell the compiler something and do nothing.
pub(crate) fn is_dropped(name: &str) -> bool {
    const PREFIXES: [&str; 7] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.invariant.end",
        "llvm.experimental.noalias.scope.decl",
        "llvm.donothing",
        "llvm.sideeffect",
        "llvm.prefetch",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The state of the lowering of one module.
struct Lowering<'m> {
    module: &'m Module,
    program: Program,
    tables: Tables,
    locations: Locations<'m>,
    types: HashMap<Type<'m>, ProgramType>,
    symbols: HashMap<Value<'m>, Symbol>,
    constants: HashMap<Value<'m>, labrys_program::ConstantId>,
    decisions: Vec<Decision<'m>>,
    /// Sites lowered so far.
    sites: usize,
}

impl<'m> Lowering<'m> {
    fn new(module: &'m Module) -> Self {
        let functions = module.functions().into_iter().enumerate();
        let globals = module.globals().into_iter().enumerate();
        let symbols = functions
            .map(|(index, value)| (value, Symbol::Function(FunctionId::new(index))))
            .chain(globals.map(|(index, value)| (value, Symbol::Global(GlobalId::new(index)))))
            .collect();
        Self {
            module,
            program: Program::default(),
            tables: Tables::new(),
            locations: Locations::default(),
            types: HashMap::new(),
            symbols,
            constants: HashMap::new(),
            decisions: sites(module),
            sites: 0,
        }
    }

    /// Enters all functions, without their bodies.
    fn declare_functions(&mut self) {
        let mut names = Names::default();
        let seen = aliased(self.module);
        for (index, value) in self.module.functions().into_iter().enumerate() {
            let ty = value.global_type();
            let mut function = labrys_program::Function {
                name: names.unique(value.name()),
                linkage: seen
                    .get(&value)
                    .copied()
                    .unwrap_or(linkage(value.linkage())),
                defined: !value.blocks().is_empty(),
                variadic: ty.is_variadic(),
                noreturn: value.has_attribute("noreturn"),
                result: self.ty(ty.function_result()),
                location: self.locations.of(value, &mut self.tables),
                ..labrys_program::Function::default()
            };
            debug_assert_eq!(self.program.functions.len(), index);
            for (position, parameter) in value.params().into_iter().enumerate() {
                let ty = self.ty(parameter.ty());
                let by_value = self.module.by_value_size(value, position);
                function.push_parameter(Parameter { ty, by_value });
            }
            self.program.functions.push(function);
        }
        for value in self.module.globals() {
            let global = labrys_program::Global {
                name: names.unique(value.name()),
                linkage: seen
                    .get(&value)
                    .copied()
                    .unwrap_or(linkage(value.linkage())),
                ..labrys_program::Global::default()
            };
            self.program.globals.push(global);
        }
    }

    /// The id of the site that an instruction is, if it is the next one.
    fn site(&mut self, instruction: Value<'m>) -> Option<SiteId> {
        let next = self.decisions.get(self.sites)?;
        if next.instruction != instruction {
            return None;
        }
        self.sites += 1;
        Some(SiteId::new(self.sites - 1))
    }

    fn finish(mut self) -> Program {
        for decision in std::mem::take(&mut self.decisions) {
            let location = self.locations.of(decision.instruction, &mut self.tables);
            let Decision {
                kind,
                function,
                block,
                oracle,
                ..
            } = decision;
            self.program
                .push_site(kind, function, block, location, oracle);
        }
        self.tables.finish(&mut self.program);
        self.program
    }
}

/// Functions and globals that have a name which is visible outside by an alias, with the alias's
/// linkage.
fn aliased<'m>(module: &'m Module) -> HashMap<Value<'m>, Linkage> {
    let aliases = module.aliases().into_iter();
    let seen =
        aliases.filter_map(|alias| Some((linkage(alias.linkage()), alias.aliased_object()?)));
    let visible = seen.filter(|(linkage, _)| *linkage != Linkage::Internal);
    visible.map(|(linkage, object)| (object, linkage)).collect()
}

fn linkage(linkage: LLVMLinkage) -> Linkage {
    use LLVMLinkage as L;
    match linkage {
        L::LLVMInternalLinkage | L::LLVMPrivateLinkage => Linkage::Internal,
        L::LLVMLinkOnceAnyLinkage
        | L::LLVMLinkOnceODRLinkage
        | L::LLVMWeakAnyLinkage
        | L::LLVMWeakODRLinkage
        | L::LLVMExternalWeakLinkage => Linkage::Weak,
        _ => Linkage::External,
    }
}

/// Gives each symbol a name of its own, the one of the bitcode where possible.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn unique(&mut self, name: String) -> String {
        let stem = if name.is_empty() {
            "unnamed".to_owned()
        } else {
            name
        };
        let mut candidate = stem.clone();
        let mut number = 0u32;
        while !self.0.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{stem}.{number}");
        }
        candidate
    }
}

/// Ids of the blocks of a function.
fn block_ids<'m>(blocks: &[Block<'m>]) -> HashMap<Block<'m>, labrys_program::BlockId> {
    let ids = (0..blocks.len()).map(labrys_program::BlockId::new);
    blocks.iter().copied().zip(ids).collect()
}

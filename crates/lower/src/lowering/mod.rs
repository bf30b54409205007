//! Lowering: a module of frozen bitcode to its static program model.
//!
//! Each LLVM instruction becomes one instruction of the model, in place; one that the model has no
//! operation for becomes opaque. Left out are only calls of [`hints`](crate::hints). Types,
//! constants, source positions and the numbers of sites have an owner each, from which the lowering
//! of a body borrows.
//!
//! Invariants: ids of functions, globals, blocks and sites are those of the bitcode; for any
//! module that LLVM's verifier accepts, the result passes [`Program::verify`].

mod address;
mod body;
mod constants;
mod globals;
mod locations;
mod numbering;
mod operators;
mod part;
mod types;

use std::collections::{HashMap, HashSet};

use labrys_program::{Function, Global, Linkage, Parameter, Program};

use crate::surroundings;
use labrys_llvm::{LLVMLinkage, Module, Value};

use body::Body;
pub(crate) use body::numbered;
use constants::Constants;
use locations::Locations;
use numbering::Numbering;
use types::Types;

/// The static program model of a module, without name and hash.
#[must_use]
pub fn lower(module: &Module) -> Program {
    let mut types = Types::of_module(module);
    let mut locations = Locations::default();
    let mut constants = Constants::of(module);
    let mut sites = Numbering::of(module);
    let mut program = declared(module, &mut types, &mut locations);
    globals::define(module, &types, &mut constants, &mut program);
    for (function, value) in program.functions.iter_mut().zip(module.functions()) {
        Body::new(
            &mut types,
            &mut constants,
            &mut locations,
            &mut sites,
            function,
        )
        .lower(value);
    }
    for function in constants.into_taken() {
        program.functions[function.index()].address_taken = true;
    }
    surroundings::describe(module, &mut program);
    sites.finish(&mut types, &mut locations, &mut program);
    types.into_tables().finish(&mut program);
    program
}

/// The model of a module that is a part of other programs: proofs leave open what those decide, what
/// is in volatile memory and which definitions stand for weak ones.
#[must_use]
pub fn lower_part(module: &Module) -> Program {
    let mut program = lower(module);
    part::open(module, &mut program);
    program
}

/// A program with all functions and globals of a module, without bodies and initializers.
fn declared<'m>(
    module: &'m Module,
    types: &mut Types<'m>,
    locations: &mut Locations<'m>,
) -> Program {
    let mut program = Program::default();
    let mut names = Names::default();
    let seen = aliased(module);
    let linkage = |value: &Value<'m>| {
        let by_alias = seen.get(value).copied();
        by_alias.unwrap_or(seen_from_outside(*value))
    };
    for value in module.functions() {
        let ty = value.global_type();
        let mut function = Function {
            name: names.unique(value.name()),
            linkage: linkage(&value),
            defined: !value.blocks().is_empty(),
            variadic: ty.is_variadic(),
            noreturn: value.has_attribute("noreturn"),
            result: types.of(ty.function_result()),
            location: locations.of(value, types.tables()),
            ..Function::default()
        };
        for (position, parameter) in value.params().into_iter().enumerate() {
            let ty = types.of(parameter.ty());
            let by_value = module.by_value_size(value, position);
            function.push_parameter(Parameter { ty, by_value });
        }
        program.functions.push(function);
    }
    for value in module.globals() {
        program.globals.push(Global {
            name: names.unique(value.name()),
            linkage: linkage(&value),
            ..Global::default()
        });
    }
    program
}

/// Functions and globals that have a name which is visible outside by an alias, with the alias's
/// linkage.
fn aliased<'m>(module: &'m Module) -> HashMap<Value<'m>, Linkage> {
    let aliases = module.aliases().into_iter();
    let seen =
        aliases.filter_map(|alias| Some((seen_from_outside(alias), alias.aliased_object()?)));
    let visible = seen.filter(|(linkage, _)| *linkage != Linkage::Internal);
    visible.map(|(linkage, object)| (object, linkage)).collect()
}

/// The linkage of a function, variable or alias. A weak one that is protected is used by nothing
/// outside the link.
fn seen_from_outside(value: Value<'_>) -> Linkage {
    use LLVMLinkage as L;
    if value.is_replaceable() && value.is_protected() {
        return Linkage::Internal;
    }
    match value.linkage() {
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

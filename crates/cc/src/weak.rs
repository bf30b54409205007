//! Weak definitions. The linker makes those that it takes internal when it merges bitcode, and then
//! nothing tells them from others; so what it was given is asked, and they are made weak again.
//! Protected, they stay known as definitions that nothing outside the link uses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use labrys_llvm::{LLVMLinkage, Module, Value};

use crate::executables::{llvm, read};
use crate::link_line::LinkLine;
use crate::object::Nature;
use crate::{Error, archive, bitcode, symbols};

const STEP: &str = "merging the bitcode";

/// Makes weak again what all inputs of the link that define it define weakly.
pub(crate) fn restore(line: &LinkLine, merged: &Path) -> Result<(), Error> {
    let mut weak = BTreeSet::new();
    each_object(line, &mut |object| {
        if symbols::has_weak(object) || Nature::of_bytes(object) == Nature::Bitcode {
            weak.extend(names(object, is_weak));
        }
    });
    if weak.is_empty() {
        return Ok(());
    }
    each_object(line, &mut |object| {
        for name in names(object, is_strong) {
            weak.remove(&name);
        }
    });
    let module = Module::from_bytes(&read(merged)?, STEP).map_err(llvm(STEP))?;
    for value in all(&module) {
        if value.linkage() == LLVMLinkage::LLVMInternalLinkage && weak.contains(&value.name()) {
            value.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
            value.protect();
        }
    }
    module.write(merged).map_err(llvm(STEP))
}

/// Calls `visit` with each object of the link that may have bitcode, those in archives too.
fn each_object(line: &LinkLine, visit: &mut dyn FnMut(&[u8])) {
    for path in line.with_bitcode() {
        let bytes = fs::read(path).unwrap_or_default();
        match Nature::of_bytes(&bytes) {
            Nature::Archive => {
                for member in archive::members(&bytes, path) {
                    visit(&member.bytes);
                }
            }
            _ => visit(&bytes),
        }
    }
}

/// The names in the bitcode of an object that are of a kind.
fn names(object: &[u8], kind: fn(Value<'_>) -> bool) -> Vec<String> {
    let modules = match Nature::of_bytes(object) {
        Nature::Bitcode => vec![object],
        _ => bitcode::of_object(object).map_or_else(Vec::new, bitcode::split),
    };
    let modules = modules.into_iter();
    let modules = modules.filter_map(|bytes| Module::outline(bytes, STEP).ok());
    let of_kind = |module: Module| {
        let found = all(&module).filter(|value| kind(*value));
        found.map(Value::name).collect::<Vec<_>>()
    };
    modules.flat_map(of_kind).collect()
}

fn is_weak(value: Value<'_>) -> bool {
    value.is_replaceable()
}

fn is_strong(value: Value<'_>) -> bool {
    value.linkage() == LLVMLinkage::LLVMExternalLinkage && !value.is_declaration()
}

/// All functions, variables and aliases of a module.
fn all(module: &Module) -> impl Iterator<Item = Value<'_>> {
    let functions = module.functions().into_iter();
    let definitions = functions.chain(module.globals());
    definitions.chain(module.aliases())
}

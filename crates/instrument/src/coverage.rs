//! The coverage bytes of an executable, one per branch, and beside them how near a run came.
//!
//! A module defines
//!
//! ```c
//! struct { unsigned char *map; unsigned long size; unsigned *near; } __labrys_coverage;
//! ```
//!
//! by which the runtime finds them. `near` has a word per byte of the map, or is null where
//! nothing writes it.

use labrys_abi::PAGE;

use labrys_llvm::{LLVMLinkage, Module, Value};

const MAP: &str = "__labrys_coverage_map";
const NEAR: &str = "__labrys_near_map";
/// What the name of a table ends with that the helpers declare.
const STORAGE: &str = "_storage";

/// Gives helpers that were linked since the tables that are defined, whose names may have grown.
/// Where none are, in models, which count in no coverage, nothing looks at them.
pub(crate) fn define_again(module: &Module) {
    let variables = module.globals();
    for table in [MAP, NEAR] {
        let Some(declared) = module.global(table) else {
            continue;
        };
        let defined = format!("{table}{STORAGE}");
        match variables.iter().find(|v| v.name().starts_with(&defined)) {
            Some(storage) => declared.replace_uses(*storage),
            None => declared.set_linkage(LLVMLinkage::LLVMExternalWeakLinkage),
        }
    }
}

/// Defines the coverage bytes: page-aligned and whole pages, so that the runtime can map the
/// shared region over them.
pub(crate) fn define(module: &Module, branches: u32) -> Value<'_> {
    let size = (u64::from(branches).max(1)).next_multiple_of(PAGE as u64);
    let map = table(module, MAP, 8, size);
    let near = match module.global(NEAR) {
        Some(_) => table(module, NEAR, 32, size),
        None => map.ty().zero(),
    };
    let fields = [map, module.const_int(64, size), near];
    let fields = module.const_struct(&fields);
    let exported = module.declare_global("__labrys_coverage", fields.ty());
    exported.set_initializer(fields);
    map
}

/// Defines a table of integers.
fn table<'m>(module: &'m Module, name: &str, width: u32, count: u64) -> Value<'m> {
    let ty = module.array(module.int(width), count);
    let map = module.declare_global(name, ty);
    let storage = if map.global_type() == ty {
        map
    } else {
        // Declared by the helpers with unknown size: define beside it and replace.
        let storage = module.declare_global(&format!("{name}{STORAGE}"), ty);
        map.replace_uses(storage);
        storage
    };
    storage.set_initializer(ty.zero());
    storage.set_alignment(PAGE as u32);
    storage.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    storage
}

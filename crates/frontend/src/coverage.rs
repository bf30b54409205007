//! The coverage bytes of an executable, one per branch.
//!
//! A module defines
//!
//! ```c
//! struct { unsigned char *map; unsigned long size; } __labrys_coverage;
//! ```
//!
//! by which the runtime finds them.

use crate::llvm::{LLVMLinkage, Module, Value};

/// Defines the coverage bytes: page-aligned and whole pages, so that the runtime can map the
/// shared region over them.
pub(crate) fn define(module: &Module, branches: u32) -> Value<'_> {
    let size = (u64::from(branches).max(1)).next_multiple_of(labrys_abi::PAGE as u64);
    let ty = module.array(module.int(8), size);
    let map = module.declare_global("__labrys_coverage_map", ty);
    let storage = if map.global_type() == ty {
        map
    } else {
        // Declared by the helpers with unknown size: define beside it and replace.
        let storage = module.declare_global("__labrys_coverage_storage", ty);
        map.replace_uses(storage);
        storage
    };
    storage.set_initializer(ty.zero());
    storage.set_alignment(labrys_abi::PAGE as u32);
    storage.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let pair = module.const_struct(&[storage, module.const_int(64, size)]);
    let exported = module.declare_global("__labrys_coverage", pair.ty());
    exported.set_initializer(pair);
    storage
}

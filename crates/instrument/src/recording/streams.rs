//! Input streams of C++: libstdc++'s own code, made a part of programs that read by it.
//!
//! `c/streams.cc` holds instantiations of the library's templates. Each function NAME of it
//! becomes the model `__labrys_m_NAME`, to which uses of NAME in the program are redirected. It
//! is linked before [`redirect`](super::redirect), so that what it calls (`getc`, `read`,
//! `memcpy`, `strtod`) is redirected as the program's calls are.
//!
//! The buffer of `std::cin` is made inside the library. Its table of virtual functions is defined
//! in the program, and the dynamic linker prefers that to the library's.
//!
//! Invariant: no function that the program defines is replaced, and no variable of the library
//! is defined anew.

use std::collections::HashSet;

use labrys_library::MODEL_PREFIX;
use labrys_llvm::{LLVMLinkage, LlvmError, Module};
use labrys_models::STREAMS;

/// Prefix of the library's own functions where they have a model.
const LIBRARY_PREFIX: &str = "__labrys_library_";

/// `std::cin`.
const STANDARD_INPUT: &str = "_ZSt3cin";

/// The table of virtual functions of its buffer, which the library makes.
const TABLE: &str = "_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE";

/// In names of functions that programs without input use as well.
const OUTPUT: [&str; 2] = ["NSt9basic_iosIc", "sync_with_stdio"];

/// Links the streams if the program reads by them.
pub(super) fn link(module: &mut Module) -> Result<(), LlvmError> {
    if !is_cxx(module) {
        return Ok(());
    }
    let models = STREAMS
        .iter()
        .map(|bytes| as_models(bytes))
        .collect::<Result<Vec<_>, _>>()?;
    let names: HashSet<String> = models.iter().flat_map(|m| m.names.clone()).collect();
    let used: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.is_used() && names.contains(&f.name()))
        .collect();
    let reads = |name: &str| !OUTPUT.iter().any(|part| name.contains(part));
    if module.global(STANDARD_INPUT).is_none() && !used.iter().any(|f| reads(&f.name())) {
        return Ok(());
    }
    for function in used {
        let model = format!("{MODEL_PREFIX}{}", function.name());
        function.replace_uses(module.declare_like(&model, function));
    }
    for model in models {
        module.link_bytes(&model.bitcode, "input streams")?;
    }
    Ok(())
}

/// Whether the program refers to anything of the C++ standard library.
fn is_cxx(module: &Module) -> bool {
    let standard = |name: &str| name.starts_with("_ZNS") || name.starts_with("_ZS");
    module.functions().iter().any(|f| standard(&f.name()))
        || module.global(STANDARD_INPUT).is_some()
}

/// A module whose functions are models.
struct Models {
    names: Vec<String>,
    bitcode: Vec<u8>,
}

/// Renames what a module defines, so that no more of it is linked than is used, and [`TABLE`].
fn as_models(bytes: &[u8]) -> Result<Models, LlvmError> {
    let module = Module::from_bytes(bytes, "input streams")?;
    if let Some(constructors) = module.global("llvm.global_ctors") {
        constructors.delete_global();
    }
    let mut names = Vec::new();
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        function.leave_group();
        function.set_linkage(LLVMLinkage::LLVMLinkOnceODRLinkage);
        names.push(function.name());
        function.rename(&format!("{MODEL_PREFIX}{}", function.name()));
    }
    for function in module.functions() {
        if let Some(name) = function.name().strip_prefix(LIBRARY_PREFIX) {
            function.rename(name);
        }
    }
    for global in module.globals() {
        if global.is_declaration() || global.linkage() == LLVMLinkage::LLVMPrivateLinkage {
            continue;
        }
        global.leave_group();
        if !global.is_constant_global() {
            global.set_linkage(LLVMLinkage::LLVMExternalLinkage);
            global.remove_initializer();
        } else if global.name() == TABLE {
            global.set_linkage(LLVMLinkage::LLVMWeakODRLinkage);
        } else {
            global.set_linkage(LLVMLinkage::LLVMLinkOnceODRLinkage);
        }
    }
    let bitcode = module.to_bytes();
    Ok(Models { names, bitcode })
}

//! Partially linked objects: those that `ld -r` made from several.
//!
//! `ld` puts the bitcode of fat objects into one section, module after module, and the native
//! code of all objects together, also that of objects without bitcode. If all the code of the
//! result has bitcode, the modules are linked one by one; otherwise, and where
//! [`symbols`](crate::symbols) were altered, the object counts as native.

use std::fs;
use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSymbol};

use labrys_llvm::Module;

use crate::Error;
use crate::bitcode;
use crate::object::drop_bitcode;
use crate::symbols::is_altered;

/// The parts that stand for a partially linked object in a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Files with its modules, one each.
    Modules(Vec<PathBuf>),
    /// A copy without bitcode.
    Native(PathBuf),
}

/// Takes a partially linked object apart; files are laid down in `scratch`.
pub(crate) fn take_apart(path: &Path, scratch: &Path) -> Result<Parts, Error> {
    let io = |source| Error::Io {
        path: path.to_path_buf(),
        source,
    };
    let bytes = fs::read(path).map_err(io)?;
    let modules = bitcode::split(bitcode::of_object(&bytes).unwrap_or_default());
    let folder = tempfile::tempdir_in(scratch).map_err(io)?.keep();
    let name = Path::new(path.file_name().unwrap_or_default());
    if is_altered(&bytes) || !is_complete(&bytes, &modules) {
        let copy = folder.join(name);
        fs::write(&copy, &bytes)
            .and_then(|()| drop_bitcode(&copy))
            .map_err(io)?;
        return Ok(Parts::Native(copy));
    }
    let mut files = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        let file = folder.join(name.with_extension(format!("{index}.o")));
        fs::write(&file, module).map_err(io)?;
        files.push(file);
    }
    Ok(Parts::Modules(files))
}

/// Whether each global symbol that the object defines is defined in one of the modules.
fn is_complete(bytes: &[u8], modules: &[&[u8]]) -> bool {
    let parsed: Result<Vec<Module>, _> = modules
        .iter()
        .map(|module| Module::outline(module, "partially linked object"))
        .collect();
    let (Ok(parsed), Ok(file)) = (parsed, ElfFile64::<LittleEndian>::parse(bytes)) else {
        return false;
    };
    let defines = |module: &Module, name: &str| {
        let found = module.function(name).or_else(|| module.global(name));
        let mut others = module.aliases().into_iter().chain(module.ifuncs());
        found.is_some_and(|symbol| !symbol.is_declaration())
            || others.any(|other| other.name() == name)
    };
    file.symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .all(|symbol| {
            let name = symbol.name().unwrap_or_default();
            parsed.iter().any(|module| defines(module, name))
        })
}

//! An executable in which functions of another are called by drivers (see
//! [`unit`](labrys_units)): the frozen bitcode of the program and that of the drivers in one
//! module, linked as the program was.

use std::fs;
use std::path::Path;

use crate::container::Container;
use labrys_llvm::Module;
use labrys_units::{Drivers, Request};

use crate::executables::{build_frozen, llvm};
use crate::jobs::Job;
use crate::linker::scratch_folder;
use crate::tools::Tools;
use crate::{Error, Session, recipe};
use labrys_lower::{FreezeError, Linking, freeze};

/// How drivers are compiled: as sources of programs are.
const OPTIONS: [&str; 9] = [
    "-c",
    "-emit-llvm",
    "-g",
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-fPIE",
    "-fno-strict-aliasing",
    "-w",
];

/// Leaves out what main cannot come to.
const TRIM: &str = "internalize<preserve-gv=main>,globaldce";

/// Builds from an executable another one that calls functions of it, and tells what their inputs
/// are. With binders alone the program begins as ever. If there is neither, nothing is built.
///
/// # Errors
/// The executable was not built by `labrys-cc`, or what it was linked with is no longer there.
pub fn build_unit(executable: &Path, request: &Request, out: &Path) -> Result<Drivers, Error> {
    let container = Container::open(executable)?;
    let line = container.link();
    let line = line.and_then(|bytes| recipe::read(bytes, out.to_path_buf()));
    let (line, language) = line.ok_or_else(|| Error::NoLink(executable.to_path_buf()))?;
    let failed = llvm("linking the drivers");
    let mut module = Module::from_bytes(container.bitcode(), "frozen bitcode").map_err(&failed)?;
    let drivers = labrys_units::describe(&module, request);
    if drivers.unit.entries.is_empty() && drivers.binders.is_empty() {
        return Ok(drivers);
    }
    let session = Session {
        tools: Tools::find()?,
        language,
        pure: Vec::new(),
    };
    let scratch = scratch_folder()?;
    let scratch = scratch.path();
    let bitcode = compiled(&session, &drivers.text, scratch)?;
    if !drivers.unit.entries.is_empty() {
        labrys_units::rename_main(&module);
    }
    module.link_bytes(&bitcode, "drivers").map_err(&failed)?;
    labrys_units::connect(&module, &drivers);
    if request.trimmed {
        module.run_passes(TRIM).map_err(&failed)?;
    }
    module.verify().map_err(&failed)?;
    let frozen = scratch.join("frozen.bc");
    module.write(&frozen).map_err(&failed)?;
    build_frozen(&session, &line, &frozen, scratch)?;
    Ok(drivers)
}

/// The frozen bitcode of drivers.
fn compiled(session: &Session, text: &str, scratch: &Path) -> Result<Vec<u8>, Error> {
    let source = scratch.join("driver.c");
    let (bitcode, frozen) = (scratch.join("unit.bc"), scratch.join("unit-frozen.bc"));
    let io = |source| Error::Io {
        path: scratch.to_path_buf(),
        source,
    };
    fs::write(&source, text).map_err(io)?;
    let mut arguments: Vec<_> = OPTIONS.iter().map(Into::into).collect();
    arguments.extend([
        source.into_os_string(),
        "-o".into(),
        bitcode.clone().into_os_string(),
    ]);
    let program = session.tools.clang.clone();
    Job { program, arguments }.run(scratch)?;
    freeze(&bitcode, &frozen, &[], &Linking::default()).map_err(|error| match error {
        FreezeError::Llvm(source) => llvm("freezing the drivers")(source),
        FreezeError::Marked(error) => Error::Marked(error),
    })?;
    fs::read(&frozen).map_err(io)
}

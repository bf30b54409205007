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
use crate::scratch::Scratch;
use crate::tools::Tools;
use crate::{Error, Progress, Session, recipe};
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

/// What is being done, for internal errors.
const STEP: &str = "linking the drivers";

/// Leaves out what main cannot come to.
const TRIM: &str = "internalize<preserve-gv=main>,globaldce";

/// Tells which drivers an executable gets by a request: what their inputs are, and which functions
/// have none. With binders alone the program begins as ever.
///
/// # Errors
/// The executable was not built by `labrys-cc`.
pub fn describe_unit(executable: &Path, request: &Request) -> Result<Drivers, Error> {
    let container = Container::open(executable)?;
    Ok(labrys_units::describe(&bitcode(&container)?, request))
}

/// The frozen bitcode of an executable.
fn bitcode(container: &Container) -> Result<Module, Error> {
    Module::from_bytes(container.bitcode(), "frozen bitcode").map_err(llvm(STEP))
}

/// Builds from an executable the one with the drivers of [`describe_unit`].
pub(crate) fn build(
    executable: &Path,
    request: &Request,
    out: &Path,
    scratch: &Scratch,
    progress: Progress,
) -> Result<(), Error> {
    let container = Container::open(executable)?;
    let line = container.link();
    let line = line.and_then(|bytes| recipe::read(bytes, out.to_path_buf()));
    let (line, language) = line.ok_or_else(|| Error::NoLink(executable.to_path_buf()))?;
    let failed = llvm(STEP);
    let mut module = bitcode(&container)?;
    let drivers = labrys_units::describe(&module, request);
    let session = Session {
        tools: Tools::find()?,
        language,
        pure: Vec::new(),
        scratch: scratch.clone(),
        progress,
    };
    let scratch = session.scratch.path()?;
    let scratch = &*scratch;
    session.doing("compiling the drivers");
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
    build_frozen(&session, &line, &frozen, scratch)
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

//! Compiling: sources to fat objects.
//!
//! The bitcode is what clang's front end emits at `-O2`: annotated for optimisation, not
//! optimised, so each decision of the source is still there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::arguments::{Input, InputKind, Invocation};
use crate::jobs::Job;
use crate::{Error, Session, object, options, tools};

/// Options of each compilation: one level of optimisation, debug information, our headers, and
/// checks of undefined behaviour if they are wanted. None if nothing is compiled.
pub(crate) fn options(invocation: &Invocation) -> Result<Vec<OsString>, Error> {
    let mut options = headers(invocation)?;
    if !options.is_empty() {
        options.extend(["-g", "-O2"].map(OsString::from));
        options.extend(options::PLAIN_MEANING.iter().map(OsString::from));
        if invocation.checks.oracles {
            options.extend(options::ORACLES.iter().map(OsString::from));
        }
        if invocation.checks.overflow {
            options.extend(options::OVERFLOW.iter().map(OsString::from));
        }
    }
    Ok(options)
}

/// [`options`] for objects with bitcode.
pub(crate) fn object_options(invocation: &Invocation) -> Result<Vec<OsString>, Error> {
    let mut options = options(invocation)?;
    if !options.is_empty() {
        options.extend(["-Xclang", "-fembed-bitcode=all"].map(OsString::from));
    }
    Ok(options)
}

/// The options that find our headers after all others, and the wrappers of C++ headers before.
pub(crate) fn headers(invocation: &Invocation) -> Result<Vec<OsString>, Error> {
    let source = |input: &Input| input.kind == InputKind::Source;
    if !invocation.inputs.iter().any(source) {
        return Ok(Vec::new());
    }
    let folder = tools::headers()?;
    let wrappers = folder.join("c++");
    Ok(vec![
        "-idirafter".into(),
        folder.into(),
        "-isystem".into(),
        wrappers.into(),
    ])
}

/// Words for a run of clang that makes no object.
pub(crate) fn text_arguments(mut invocation: Invocation) -> Result<Vec<OsString>, Error> {
    let options = options(&invocation)?;
    invocation.arguments.extend(options);
    Ok(invocation.arguments)
}

/// Compiles each source to an object with native code and bitcode.
pub(crate) fn objects(session: &Session, mut invocation: Invocation) -> Result<(), Error> {
    let options = object_options(&invocation)?;
    invocation.arguments.extend(options);
    let job = Job {
        program: session.tools.clang.clone(),
        arguments: session.with_language(invocation.arguments),
    };
    let compiled = job.run(&session.scratch.path()?);
    for input in &invocation.inputs {
        let Some(path) = object_path(input, invocation.output.as_deref()) else {
            continue;
        };
        object::fatten(&path).map_err(|source| Error::Io { path, source })?;
    }
    compiled
}

/// Where the object of an input goes, if it has bitcode and goes to a file.
fn object_path(input: &Input, output: Option<&Path>) -> Option<PathBuf> {
    if input.kind != InputKind::Source {
        return None;
    }
    match output {
        Some(output) => (output != Path::new("-")).then(|| output.to_path_buf()),
        None => Some(Path::new(input.path.file_name()?).with_extension("o")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_go_where_clang_puts_them() {
        let table = [
            ("dir/a.c", InputKind::Source, None, Some("a.o")),
            ("a.b.c", InputKind::Source, None, Some("a.b.o")),
            ("-", InputKind::Source, None, Some("-.o")),
            ("a.c", InputKind::Source, Some("x/y.lo"), Some("x/y.lo")),
            ("a.c", InputKind::Source, Some("-"), None),
            ("a.s", InputKind::Assembler, Some("a.o"), None),
        ];
        for (path, kind, output, expected) in table {
            let input = Input {
                path: path.into(),
                kind,
            };
            let found = object_path(&input, output.map(Path::new));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{path}");
        }
    }
}

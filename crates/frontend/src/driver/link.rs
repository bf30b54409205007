//! Linking: all bitcode of an executable in one module, then the pipeline.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::{InputKind, Invocation, Linkage};
use super::jobs::{self, Job};
use super::line::LinkLine;
use super::object::{self, Nature};
use super::{Error, Session, brings_bitcode, compile, pipeline};

/// Links what the command line asks for.
pub(super) fn link(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    match invocation.linkage {
        Linkage::Executable => executable(session, invocation),
        Linkage::Relocatable => relocatable(session, invocation),
        Linkage::Shared | Linkage::Freestanding => {
            if brings_bitcode(invocation) {
                let kind = match invocation.linkage {
                    Linkage::Shared => "a shared library",
                    _ => "without the start code of the C library",
                };
                let output = invocation.output.as_deref().unwrap_or(Path::new("a.out"));
                session.note(&format!("{} is {kind}: not instrumented", output.display()));
            }
            natively(session, invocation)
        }
    }
}

/// Links as clang does. Sources are compiled at `-O2`, fat objects bring their native code.
fn natively(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let mut arguments = invocation.arguments.clone();
    arguments.extend(compile::options(invocation)?);
    if invocation
        .inputs
        .iter()
        .any(|input| Nature::of_file(&input.path) == Nature::Bitcode)
    {
        let linker = session.tools.linker()?;
        arguments.extend(["-flto".into(), linker_option(&linker)]);
    }
    session.hand_over(arguments)
}

fn linker_option(linker: &Path) -> OsString {
    let mut option = OsString::from("--ld-path=");
    option.push(linker);
    option
}

/// A private folder for one link, removed at the end.
fn scratch_folder() -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new()
        .prefix("labrys-")
        .tempdir()
        .map_err(|source| Error::Io {
            path: std::env::temp_dir(),
            source,
        })
}

/// What clang would run to link, with its linker replaced by lld; compiles the sources among
/// the inputs to bitcode.
fn line(
    session: &Session,
    invocation: &Invocation,
    further: &[&str],
    scratch: &Path,
) -> Result<LinkLine, Error> {
    let mut arguments = session.with_language(invocation.arguments.clone());
    let sources = invocation
        .inputs
        .iter()
        .any(|input| input.kind == InputKind::Source);
    if sources {
        arguments.extend(compile::options(invocation)?);
        arguments.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    }
    arguments.extend(["-flto".into(), linker_option(&session.tools.linker()?)]);
    arguments.extend(further.iter().map(OsString::from));
    let plan = jobs::plan(&session.tools.clang, arguments, scratch)?;
    if invocation.verbose {
        eprint!("{}", plan.text);
    }
    for job in &plan.compile {
        job.run(scratch)?;
    }
    let link = plan.link.ok_or(Error::Reported { code: 1 })?;
    Ok(LinkLine::read(link))
}

fn executable(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let scratch = scratch_folder()?;
    let scratch = scratch.path();
    let line = line(session, invocation, &["-pie"], scratch)?;
    match merge(session, &line, scratch)? {
        Some(merged) => pipeline::build(session, &line, &merged, scratch),
        None => session.hand_over(invocation.original.clone()),
    }
}

/// The merged bitcode of a link, `None` if none of its inputs has any.
fn merge(session: &Session, line: &LinkLine, scratch: &Path) -> Result<Option<PathBuf>, Error> {
    let merged = scratch.join("merged.bc");
    let job = line.merge(&merged);
    run_linker(session, &job, scratch)?;
    Ok(merged.is_file().then_some(merged))
}

/// Runs lld and passes on what it says, with advice.
pub(super) fn run_linker(session: &Session, job: &Job, scratch: &Path) -> Result<(), Error> {
    let output = job.run_captured(scratch)?;
    let messages = String::from_utf8_lossy(&output.stderr);
    print!("{}", String::from_utf8_lossy(&output.stdout));
    eprint!("{messages}");
    if output.status.success() {
        return Ok(());
    }
    if let Some(advice) = advice(&messages) {
        session.note(advice);
    }
    Err(Error::Reported {
        code: output.status.code().unwrap_or(1),
    })
}

fn advice(messages: &str) -> Option<&'static str> {
    if messages.contains("Reader: 'LLVM") {
        return Some("an input is bitcode of another version of LLVM; rebuild it by labrys-cc");
    }
    if messages.contains("recompile with -fPIC") {
        return Some(
            "programs under Labrys are position independent; rebuild the object named above \
             by labrys-cc, or with -fPIE",
        );
    }
    None
}

/// `-r`: a native object, with the merged bitcode inside if that is all there is to it.
fn relocatable(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let scratch = scratch_folder()?;
    let merged = relocatable_bitcode(session, invocation, scratch.path())?;
    natively(session, invocation)?;
    let output = invocation.output.clone().unwrap_or_else(|| "a.out".into());
    if let Some(bitcode) = merged {
        return object::replace_bitcode(&output, &bitcode).map_err(|source| Error::Io {
            path: output,
            source,
        });
    }
    if brings_bitcode(invocation) {
        let output = output.display();
        session.note(&format!("{output} holds native code: not instrumented"));
    }
    Ok(())
}

fn relocatable_bitcode(
    session: &Session,
    invocation: &Invocation,
    scratch: &Path,
) -> Result<Option<Vec<u8>>, Error> {
    let all_bitcode = invocation.inputs.iter().all(|input| match input.kind {
        InputKind::Linker => Nature::of_file(&input.path).has_bitcode(),
        kind => kind == InputKind::Source,
    });
    if !all_bitcode || invocation.inputs.is_empty() {
        return Ok(None);
    }
    let line = line(session, invocation, &[], scratch)?;
    let Some(merged) = merge(session, &line, scratch)? else {
        return Ok(None);
    };
    fs::read(&merged).map(Some).map_err(|source| Error::Io {
        path: merged,
        source,
    })
}

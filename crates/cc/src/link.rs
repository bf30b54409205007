//! Linking: all bitcode of an executable in one module, then the pipeline.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use labrys_llvm::Module;

use crate::arguments::{Input, InputKind, Invocation, Linkage};
use crate::container::{self, Contents};
use crate::jobs::{self, Job, say};
use crate::link_line::LinkLine;
use crate::linker::{linker_option, run_linker};
use crate::object::{self, Nature};
use crate::{Error, Session, brings_bitcode, compile, executables, probe, recipe, weak};

/// Links what the command line asks for.
pub(crate) fn link(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    if probe::is_probe(invocation) {
        return for_answer(session, invocation);
    }
    match invocation.linkage {
        Linkage::Executable => executable(session, invocation, "-pie"),
        Linkage::Static => executable(session, invocation, "-static-pie"),
        Linkage::Relocatable => relocatable(session, invocation),
        Linkage::Shared | Linkage::Freestanding => {
            if brings_bitcode(invocation) {
                let output = invocation.output.as_deref().unwrap_or(Path::new("a.out"));
                session.note(&format!(
                    "{} is {}",
                    output.display(),
                    why_native(invocation)
                ));
            }
            natively(session, invocation)
        }
    }
}

fn why_native(invocation: &Invocation) -> &'static str {
    match invocation.linkage {
        Linkage::Shared => {
            "a shared library: its code is not instrumented; \
             to have it tested, link it statically (configure --disable-shared)"
        }
        _ => "linked without the start code of the C library: it is not instrumented",
    }
}

/// Links as clang does. Fat objects bring their native code.
fn natively(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let mut arguments = invocation.original.clone();
    arguments.extend(compile::headers(invocation)?);
    let is_bitcode = |input: &Input| Nature::of_file(&input.path) == Nature::Bitcode;
    match invocation.inputs.iter().any(is_bitcode) {
        true => arguments.extend(["-flto".into(), linker_option(&session.tools.linker()?)]),
        false => arguments.push("-fno-lto".into()),
    }
    session.hand_over(arguments)
}

/// Links what only answers a question of a build system.
fn for_answer(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let mut arguments = invocation.original.clone();
    arguments.extend(compile::headers(invocation)?);
    let linker = linker_option(&session.tools.linker()?);
    arguments.extend(["-fno-lto".into(), linker]);
    session.hand_over(arguments)
}

/// `-r`: `ld` joins the bitcode of fat objects as it joins all sections of one name.
fn relocatable(session: &Session, invocation: &Invocation) -> Result<(), Error> {
    let mut invocation = invocation.clone();
    invocation.original = invocation.arguments.clone();
    let options = compile::object_options(&invocation)?;
    invocation.original.extend(options);
    natively(session, &invocation)?;
    let output = invocation.output.unwrap_or_else(|| "a.out".into());
    object::fatten(&output).map_err(|source| Error::Io {
        path: output,
        source,
    })
}

/// What clang would run to link, with its linker replaced by lld; compiles the sources among
/// the inputs to bitcode.
fn line(
    session: &Session,
    invocation: &Invocation,
    position: &str,
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
    arguments.push(position.into());
    let plan = jobs::plan(&session.tools.clang, arguments, scratch)?;
    if invocation.verbose {
        say(&plan.text);
    }
    for (number, job) in plan.compile.iter().enumerate() {
        let all = plan.compile.len();
        session.doing(&format!("compiling, file {} of {all}", number + 1));
        job.run(scratch)?;
    }
    let link = plan.link.ok_or(Error::Reported { code: 1 })?;
    LinkLine::read(link, scratch)
}

fn executable(session: &Session, invocation: &Invocation, position: &str) -> Result<(), Error> {
    let scratch = session.scratch.path()?;
    let scratch = &*scratch;
    let line = line(session, invocation, position, scratch)?;
    let Some(merged) = merge(session, &line, scratch)? else {
        return session.hand_over(invocation.original.clone());
    };
    let later = if invocation.whole {
        None
    } else {
        line.lasting()
    };
    let Some(later) = later else {
        return executables::build(session, &line, &merged, scratch);
    };
    match put_off(session, invocation, &later, position, &merged)? {
        true => Ok(()),
        false => executables::build(&session.without_optimizing(), &later, &merged, scratch),
    }
}

/// Links as clang does, and adds what the rest is built from later, by the line of later links;
/// whether that can be done. A program that calls functions of Labrys, for one, is not linked without
/// its runtime.
fn put_off(
    session: &Session,
    invocation: &Invocation,
    later: &LinkLine,
    position: &str,
    merged: &Path,
) -> Result<bool, Error> {
    if !session.pure.is_empty() || is_harness(merged)? {
        return Ok(false);
    }
    let scratch = session.scratch.path()?;
    let native = scratch.join("native");
    let mut arguments = session.with_language(invocation.arguments.clone());
    // Sources are compiled as they are to objects.
    arguments.extend(compile::options(invocation)?);
    arguments.extend(["-fno-lto".into(), linker_option(&session.tools.linker()?)]);
    arguments.extend([position.into(), "-o".into(), native.clone().into()]);
    let program = session.tools.clang.clone();
    session.doing("linking");
    // What there is to say about this link was said when the bitcode was merged.
    let linked = Job { program, arguments }.run_captured(&scratch)?;
    if !linked.status.success() {
        return Ok(false);
    }
    let contents = Contents::Deferred {
        merged: &executables::read(merged)?,
        link: &recipe::write(later, session.language),
    };
    container::seal(&native, &contents, &later.output)?;
    Ok(true)
}

/// Whether merged bitcode calls functions that no other compiler links.
fn is_harness(merged: &Path) -> Result<bool, Error> {
    let step = "looking for harness functions";
    let module = Module::outline(&executables::read(merged)?, step);
    let found = module.and_then(|module| labrys_lower::is_harness(&module));
    found.map_err(executables::llvm(step))
}

/// The line of a link and its frozen bitcode, of which `scratch` has a part.
pub(crate) fn frozen(
    session: &Session,
    invocation: &Invocation,
    scratch: &Path,
) -> Result<Option<(LinkLine, PathBuf)>, Error> {
    let line = line(session, invocation, "-pie", scratch)?;
    let Some(merged) = merge(session, &line, scratch)? else {
        return Ok(None);
    };
    let frozen = executables::frozen(session, &line, &merged, scratch)?;
    Ok(Some((line, frozen)))
}

/// The merged bitcode of a link, `None` if none of its inputs has any.
fn merge(session: &Session, line: &LinkLine, scratch: &Path) -> Result<Option<PathBuf>, Error> {
    let merged = scratch.join("merged.bc");
    let job = line.merge(&merged);
    session.doing("merging the bitcode");
    run_linker(session, &job, scratch)?;
    if !merged.is_file() {
        return Ok(None);
    }
    weak::restore(line, &merged)?;
    Ok(Some(merged))
}

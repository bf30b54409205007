//! A frozen program from which units are built: executables in which drivers call functions of it
//! (see [`labrys_units`]). The frozen bitcode of the program and that of the drivers become one
//! module, which is linked as the program was.
//!
//! It lies in a folder, so that processes can share it.
//!
//! Law: what all units of a program share is made once, and the bitcode of a unit does not depend
//! on where it was built.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::{Invocation, Mode};
use crate::container::Executable;
use crate::executables::{
    self, Purpose, build_frozen, build_joined, build_uninitialized, llvm, model, read,
    runtime_object,
};
use crate::jobs::Job;
use crate::link_line::{LinkLine, Pieces};
use crate::scratch::Scratch;
use crate::tools::Tools;
use crate::{Error, Language, Progress, Session, link, recipe};
use labrys_llvm::Module;
use labrys_lower::Linking;
use labrys_program::{Program, Source};
use labrys_units::{Drivers, Keys, Request};

/// Files of the folder.
const BITCODE: &str = "frozen.bc";
const MERGED: &str = "merged.bc";
const LINK: &str = "link";
const MISSING: &str = "missing";
const RUNTIME: &str = "runtime.o";

/// How drivers are compiled: as sources of programs are, under a name without a folder.
const OPTIONS: [&str; 9] = [
    "-emit-llvm",
    "-g",
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-fPIE",
    "-fno-strict-aliasing",
    "-w",
    "-fdebug-compilation-dir=.",
];

/// What is being done, for internal errors.
const STEP: &str = "linking the drivers";

/// Leaves out what main cannot come to.
const TRIM: &str = "internalize<preserve-gv=main>,globaldce";

/// See the module.
#[derive(Clone, Debug)]
pub struct Frozen {
    folder: PathBuf,
}

impl Frozen {
    /// The program that lies in a folder.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        Frozen {
            folder: folder.to_path_buf(),
        }
    }

    /// Lays the program of an executable down in a folder.
    ///
    /// # Errors
    /// The executable was not built by `labrys-cc`, or the folder cannot be written.
    pub fn of_executable(executable: &Path, folder: &Path) -> Result<Self, Error> {
        let frozen = Frozen::open(folder);
        match Executable::open(executable)? {
            Executable::Whole(container) => {
                let line = container.link();
                let line = line.ok_or_else(|| Error::NoLink(executable.to_path_buf()))?;
                frozen.write(LINK, line)?;
                frozen.write(BITCODE, container.bitcode())?;
            }
            Executable::Deferred(deferred) => {
                frozen.write(LINK, deferred.link())?;
                frozen.write(MERGED, deferred.merged())?;
                let line = recipe::read(deferred.link(), executable.to_path_buf());
                let (line, _) = line.ok_or_else(|| Error::NoLink(executable.to_path_buf()))?;
                let (from, to) = (folder.join(MERGED), folder.join(BITCODE));
                executables::freeze(&from, &to, &[], &executables::linking(&line))?;
            }
        }
        frozen.write(MISSING, b"")?;
        Ok(frozen)
    }

    /// Freezes what a command line links. Functions and variables may be missing.
    pub(crate) fn make(
        folder: &Path,
        session: &Session,
        invocation: &Invocation,
    ) -> Result<(), Error> {
        if invocation.mode != Mode::Link {
            return Err(Error::Usage(
                "functions are called in whole sources".to_owned(),
            ));
        }
        let scratch = session.scratch.path()?;
        let made = link::frozen(session, invocation, &scratch)?;
        let (line, bitcode) = made.ok_or(Error::Reported { code: 1 })?;
        let frozen = Frozen::open(folder);
        frozen.write(BITCODE, &read(&bitcode)?)?;
        frozen.write(LINK, &recipe::write(&line, session.language))?;
        let missing = frozen.undefined(session, &line, &scratch)?;
        let lines: String = missing.iter().map(|name| format!("{name}\n")).collect();
        frozen.write(MISSING, lines.as_bytes())
    }

    /// Writes a file at once.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.folder.join(name);
        let beside = self.folder.join(format!("{name}.{}", std::process::id()));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&beside, bytes))
            .and_then(|()| fs::rename(&beside, &path));
        written.map_err(|source| Error::Io { path, source })
    }

    fn module(&self) -> Result<Module, Error> {
        let bytes = read(&self.folder.join(BITCODE))?;
        Module::from_bytes(&bytes, "frozen bitcode").map_err(llvm(STEP))
    }

    /// The static program model.
    ///
    /// # Errors
    /// The folder has no program.
    pub fn program(&self, name: &Path) -> Result<Program, Error> {
        model(&read(&self.folder.join(BITCODE))?, name)
    }

    /// The source of the program, as its debug information tells.
    ///
    /// # Errors
    /// The folder has no program.
    pub fn source(&self) -> Result<Source, Error> {
        Ok(labrys_lower::source(&mut self.module()?))
    }

    /// The functions and variables that the program uses and nobody defines.
    fn missing(&self) -> Result<BTreeSet<String>, Error> {
        let bytes = read(&self.folder.join(MISSING))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn line(&self, out: &Path) -> Result<(LinkLine, Language), Error> {
        let bytes = read(&self.folder.join(LINK))?;
        let line = recipe::read(&bytes, out.to_path_buf());
        line.ok_or_else(|| Error::NoLink(self.folder.clone()))
    }

    /// The runtime, which all units share.
    fn runtime(&self, session: &Session, scratch: &Path) -> Result<PathBuf, Error> {
        let path = self.folder.join(RUNTIME);
        if !path.exists() {
            let made = runtime_object(session, scratch)?;
            self.write(RUNTIME, &read(&made)?)?;
        }
        Ok(path)
    }

    /// The names that the bitcode declares and that the link does not find: lld is asked by a
    /// program that refers to all of them.
    fn undefined(
        &self,
        session: &Session,
        line: &LinkLine,
        scratch: &Path,
    ) -> Result<BTreeSet<String>, Error> {
        let module = self.module()?;
        let symbols = module.functions().into_iter().chain(module.globals());
        let declared = symbols.filter(|symbol| symbol.is_declaration() && symbol.is_used());
        let names = declared.map(labrys_llvm::Value::name);
        let names: BTreeSet<String> = names.filter(|name| !name.starts_with("llvm.")).collect();
        if names.is_empty() {
            return Ok(names);
        }
        let object = refer(session, &names, scratch)?;
        let mut job = line.executable(&Pieces {
            objects: &[object],
            runtime: &self.runtime(session, scratch)?,
            sanitizer: &[],
            output: &scratch.join("names"),
            scratch,
            reports: false,
            places: false,
        })?;
        let lenient = [
            "--warn-unresolved-symbols",
            "--no-demangle",
            "--color-diagnostics=never",
        ];
        job.arguments.extend(lenient.map(OsString::from));
        let said = job.run_captured(scratch)?.stderr;
        let said = String::from_utf8_lossy(&said);
        let lines = said.lines();
        let lines = lines.filter_map(|line| line.split_once("undefined symbol: "));
        let found = lines.map(|(_, name)| name.trim().to_owned());
        Ok(found.filter(|name| names.contains(name)).collect())
    }

    /// Tells which drivers a unit gets by a request: what their inputs are, and which functions have
    /// none. With binders alone the program begins as ever.
    ///
    /// # Errors
    /// The folder has no program.
    pub fn describe(&self, request: &Request) -> Result<Drivers, Error> {
        let module = self.module()?;
        Ok(labrys_units::describe(&module, request, &self.missing()?))
    }

    /// What the units of a request depend on.
    ///
    /// # Errors
    /// The folder has no program.
    pub fn keys(&self, request: &Request) -> Result<Keys, Error> {
        let module = self.module()?;
        Ok(Keys::of(&module, request, &self.missing()?))
    }

    /// Where it lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The link to an executable, and what it is made with.
    fn session(
        &self,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(LinkLine, Session), Error> {
        let (line, language) = self.line(out)?;
        let session = Session {
            tools: Tools::find()?,
            language,
            pure: Vec::new(),
            scratch: scratch.clone(),
            progress,
        };
        Ok((line, session))
    }

    /// Builds the program under MemorySanitizer.
    pub(crate) fn build_uninitialized(
        &self,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(), Error> {
        self.build_by(build_uninitialized, out, scratch, progress)
    }

    /// Builds the instrumented executable with joined paths.
    pub(crate) fn build_joined(
        &self,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(), Error> {
        self.build_by(build_joined, out, scratch, progress)
    }

    /// Builds the whole executable: see [`container`](crate::container).
    pub(crate) fn build_whole(
        &self,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(), Error> {
        let build: Build = |session, line, frozen, runtime, scratch| {
            build_frozen(session, line, frozen, runtime, scratch, Purpose::Program)
        };
        self.build_by(build, out, scratch, progress)
    }

    fn build_by(
        &self,
        build: Build,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(), Error> {
        let (line, session) = self.session(out, scratch, progress)?;
        let scratch = session.scratch.path()?;
        let runtime = self.runtime(&session, &scratch)?;
        let frozen = self.folder.join(BITCODE);
        build(&session, &line, &frozen, &runtime, &scratch)
    }

    /// Builds the executable with the drivers of [`describe`](Self::describe).
    pub(crate) fn build(
        &self,
        request: &Request,
        out: &Path,
        scratch: &Scratch,
        progress: Progress,
    ) -> Result<(), Error> {
        let (line, session) = self.session(out, scratch, progress)?;
        let failed = llvm(STEP);
        let mut module = self.module()?;
        let drivers = labrys_units::describe(&module, request, &self.missing()?);
        let scratch = session.scratch.path()?;
        session.doing("compiling the drivers");
        let bitcode = compiled(&session, &drivers.text, &scratch)?;
        let called = !drivers.unit.entries.is_empty();
        if called {
            labrys_units::rename_main(&module);
        }
        module.link_bytes(&bitcode, "drivers").map_err(&failed)?;
        labrys_units::connect(&module, &drivers);
        let once = match request.linear {
            true => module.functions(),
            false if called => labrys_units::drivers(&module),
            false => Vec::new(),
        };
        for function in once {
            labrys_instrument::mark_once(&module, function);
        }
        if request.for_tests {
            for driver in labrys_units::drivers(&module) {
                labrys_instrument::mark_picks(&module, driver);
            }
        }
        if request.trimmed {
            module.run_passes(TRIM).map_err(&failed)?;
        }
        module.verify().map_err(&failed)?;
        let frozen = scratch.join("unit.bc");
        module.write(&frozen).map_err(&failed)?;
        drop(module);
        let runtime = self.runtime(&session, &scratch)?;
        let purpose = Purpose::Unit {
            checked: !request.unchecked,
            part: request.part,
        };
        build_frozen(&session, &line, &frozen, &runtime, &scratch, purpose)
    }
}

/// Builds an executable of a link from frozen bitcode and the runtime, with a folder for its files.
type Build = fn(&Session, &LinkLine, &Path, &Path, &Path) -> Result<(), Error>;

/// An object that refers to symbols of these names.
fn refer(session: &Session, names: &BTreeSet<String>, scratch: &Path) -> Result<PathBuf, Error> {
    let (source, object) = (scratch.join("names.c"), scratch.join("names.o"));
    let declared = |(index, name)| format!("extern char n{index} __asm__(\"{name}\");\n");
    let declarations: String = names.iter().enumerate().map(declared).collect();
    let used: String = (0..names.len()).map(|at| format!("&n{at}, ")).collect();
    let text = format!(
        "{declarations}char *names[] = {{{used}}};\nint main(void) {{ return !names[0]; }}\n"
    );
    fs::write(&source, text).map_err(|error| Error::Io {
        path: source.clone(),
        source: error,
    })?;
    let mut arguments: Vec<OsString> = ["-c", "-w", "-fPIE"].map(OsString::from).to_vec();
    arguments.extend([source.into(), "-o".into(), object.clone().into()]);
    let program = session.tools.clang.clone();
    Job { program, arguments }.run(scratch)?;
    Ok(object)
}

/// The frozen bitcode of drivers.
fn compiled(session: &Session, text: &str, scratch: &Path) -> Result<Vec<u8>, Error> {
    let source = scratch.join("driver.c");
    let (bitcode, frozen) = (scratch.join("driver.bc"), scratch.join("driver-frozen.bc"));
    fs::write(&source, text).map_err(|error| Error::Io {
        path: source.clone(),
        source: error,
    })?;
    let mut map = OsString::from("-ffile-prefix-map=");
    map.push(scratch);
    map.push("/=");
    let mut arguments: Vec<OsString> = vec!["-c".into(), map];
    arguments.extend(OPTIONS.iter().map(OsString::from));
    arguments.extend([source.into(), "-o".into(), bitcode.clone().into()]);
    let program = session.tools.clang.clone();
    Job { program, arguments }.run(scratch)?;
    executables::freeze(&bitcode, &frozen, &[], &Linking::default())?;
    read(&frozen)
}

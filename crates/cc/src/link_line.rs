//! The command line of lld, which is run several times: to merge the bitcode, then for each
//! executable.
//!
//! The first link takes all inputs. The later ones take the object made of the merged bitcode
//! instead of the inputs that it came from; native objects, archives and shared libraries stay.
//! Archives stay too: what was in them and was needed is in the merged object, so lld takes no
//! second copy, except under `--whole-archive`, where only the native members are kept.
//!
//! A link *lasts* if what its later links need are files of the system, and native objects that are
//! few enough to be *carried*: then they can be made when the files of the build are gone.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::archive;
use crate::container::elf;
use crate::jobs::Job;
use crate::object::Nature;
use crate::partially_linked::{self, Parts};
use labrys_lower::Linking;
use labrys_program::Started;
use serde::{Deserialize, Serialize};

/// A word or two of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Goes into each link.
    Word(OsString),
    /// An input made of bitcode: only merged.
    Bitcode(OsString),
    /// An archive all of whose members have bitcode: later links can do without.
    Archive { words: Vec<OsString>, path: PathBuf },
    /// An archive that is linked whole and has members with bitcode, or is one of the build.
    WholeArchive { words: Vec<OsString>, path: PathBuf },
    /// A native object of the build, or an archive of it with native members.
    Native { words: Vec<OsString>, path: PathBuf },
    /// A native object, whose file may be gone.
    Carried(Member),
    /// Makes lld print something or write a side file: only for the result.
    Report(Vec<OsString>),
    /// A symbol that is wrapped: when bitcode is merged, which is then frozen so that later links
    /// need not wrap.
    Wrap(OsString),
}

/// A native object by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A command of lld, parsed.
#[derive(Clone, Debug)]
pub(crate) struct LinkLine {
    pub(crate) linker: PathBuf,
    pub(crate) items: Vec<Item>,
    /// Where the result goes.
    pub(crate) output: PathBuf,
    /// Whether nothing is linked dynamically.
    pub(crate) is_static: bool,
    /// Whether the line lasts, once its archives are left out.
    pub(crate) lasts: bool,
}

/// The unwinder as a library of its own, which the child of each run would have to map.
const SHARED_UNWINDER: &str = "-lgcc_s";

/// Options by which symbols and places are left out.
const STRIPS: [&str; 4] = ["-s", "--strip-all", "-S", "--strip-debug"];

/// Start code of `-ffast-math` that makes floats near zero zero. No build has it, so that all
/// compute the same.
const FLUSHES_FLOATS: &str = "crtfastmath.o";

/// Options by which symbols may be undefined.
const LENIENT: [&str; 3] = [
    "unresolved-symbols",
    "warn-unresolved-symbols",
    "noinhibit-exec",
];

/// Libraries of C++.
const CXX: [&str; 4] = ["-lstdc++", "-lc++", "-lc++abi", "-lsupc++"];

/// What an executable is made of besides what the line names.
#[derive(Debug)]
pub(crate) struct Pieces<'a> {
    /// Stand for the merged bitcode.
    pub(crate) objects: &'a [PathBuf],
    pub(crate) runtime: &'a Path,
    /// Libraries of a sanitizer, which are linked whole.
    pub(crate) sanitizer: &'a [PathBuf],
    pub(crate) output: &'a Path,
    /// Where native members of whole archives are laid down.
    pub(crate) scratch: &'a Path,
    /// Whether lld prints and writes the reports that the line asks for.
    pub(crate) reports: bool,
    /// Whether names of functions and places in the source are kept, whatever the line says.
    pub(crate) places: bool,
}

/// Bytes of native objects that a link carries at most.
const MAX_CARRIED: usize = 32 << 20;

/// Functions of a fuzz target, in use whoever calls them.
const FUZZ_TARGET: [&str; 2] = ["LLVMFuzzerTestOneInput", "LLVMFuzzerInitialize"];

impl LinkLine {
    /// Reads a command of lld. Partially linked objects are taken apart in `scratch`.
    pub(crate) fn read(job: Job, scratch: &Path) -> Result<Self, Error> {
        let mut reader = LinkLineReader::default();
        let mut words = job.arguments.into_iter();
        while let Some(word) = words.next() {
            reader.word(word, &mut words);
        }
        for path in std::mem::take(&mut reader.partially_linked) {
            reader.take_apart(&path, scratch)?;
        }
        Ok(LinkLine {
            linker: job.program,
            items: reader.items,
            output: reader.output.unwrap_or_else(|| "a.out".into()),
            is_static: reader.is_static,
            lasts: !reader.needs_build,
        })
    }

    /// The line of later links that needs no file of the build, if the link lasts.
    pub(crate) fn lasting(&self) -> Option<LinkLine> {
        if !self.lasts {
            return None;
        }
        let carried = |path: &Path| {
            let members = native_members(path).ok()?.into_iter();
            Some(members.map(Item::Carried))
        };
        let mut items = Vec::new();
        for item in &self.items {
            match item {
                Item::Word(_) | Item::Report(_) | Item::Wrap(_) | Item::Carried(_) => {
                    items.push(item.clone());
                }
                Item::Bitcode(_) | Item::Archive { .. } => {}
                Item::Native { path, .. } if Nature::of_file(path) == Nature::Archive => {
                    // Members are linked where they are needed.
                    items.push(Item::Word("--start-lib".into()));
                    items.extend(carried(path)?);
                    items.push(Item::Word("--end-lib".into()));
                }
                Item::Native { path, .. } | Item::WholeArchive { path, .. } => {
                    items.extend(carried(path)?);
                }
            }
        }
        let sizes = items.iter().map(|item| match item {
            Item::Carried(member) => member.bytes.len(),
            _ => 0,
        });
        let few = sizes.sum::<usize>() <= MAX_CARRIED;
        few.then(|| LinkLine {
            items,
            ..self.clone()
        })
    }

    /// The objects and archives that have bitcode, or may have some.
    pub(crate) fn with_bitcode(&self) -> impl Iterator<Item = &Path> {
        self.items.iter().filter_map(|item| match item {
            Item::Bitcode(word) => Some(Path::new(word)),
            Item::Archive { path, .. }
            | Item::WholeArchive { path, .. }
            | Item::Native { path, .. } => Some(path),
            _ => None,
        })
    }

    /// The link that writes all bitcode as one module, and nothing if there is none.
    pub(crate) fn merge(&self, output: &Path) -> Job {
        let mut arguments = Vec::new();
        for item in &self.items {
            match item {
                Item::Word(word) | Item::Bitcode(word) => arguments.push(word.clone()),
                Item::Archive { words, .. }
                | Item::WholeArchive { words, .. }
                | Item::Native { words, .. } => arguments.extend(words.iter().cloned()),
                Item::Wrap(symbol) => arguments.extend(["--wrap".into(), symbol.clone()]),
                Item::Report(_) | Item::Carried(_) => {}
            }
        }
        let lto = ["--fat-lto-objects", "--lto-emit-llvm", "--lto-O0"];
        arguments.extend(lto.map(OsString::from));
        // The start code asks for a main function, which a fuzz target gets only later.
        arguments.extend(
            FUZZ_TARGET
                .iter()
                .flat_map(|name| ["-u".into(), name.into()]),
        );
        self.job(arguments, output)
    }

    /// The link of an executable.
    pub(crate) fn executable(&self, pieces: &Pieces<'_>) -> Result<Job, Error> {
        // Found once at the start, functions need not be found by the child of each run.
        let binding: &[&str] = if self.binds_lazily() {
            &[]
        } else {
            &["-z", "now"]
        };
        let mut arguments: Vec<OsString> = binding.iter().map(OsString::from).collect();
        // Most of the runtime's library is not needed. Sections by whose bounds a program finds
        // its tables are.
        arguments.extend(["--gc-sections", "-z", "nostart-stop-gc"].map(OsString::from));
        if !pieces.places {
            arguments.push("--strip-debug".into());
        }
        let shares_unwinder = self.shares_unwinder();
        for item in &self.items {
            match item {
                Item::Word(word) if word == SHARED_UNWINDER && !shares_unwinder => {}
                Item::Word(word) if pieces.places && STRIPS.iter().any(|strips| word == strips) => {
                }
                Item::Word(word) if word.to_string_lossy().ends_with(FLUSHES_FLOATS) => {}
                Item::Word(word) => arguments.push(word.clone()),
                Item::Bitcode(_) | Item::Wrap(_) => {}
                Item::Archive { words, .. } | Item::Native { words, .. } => {
                    arguments.extend(words.iter().cloned());
                }
                Item::WholeArchive { path, .. } => {
                    for member in native_members(path)? {
                        arguments.push(member.lay_down(pieces.scratch)?);
                    }
                }
                Item::Carried(member) => arguments.push(member.lay_down(pieces.scratch)?),
                Item::Report(words) if pieces.reports => arguments.extend(words.iter().cloned()),
                Item::Report(_) => {}
            }
        }
        let start = position_of(&arguments, "crtbegin").map_or(0, |index| index + 1);
        let first = sanitizer_words(pieces.sanitizer);
        arguments.splice(
            start..start,
            first
                .into_iter()
                .chain(pieces.objects.iter().map(Into::into)),
        );
        let end = position_of(&arguments, "crtend").unwrap_or(arguments.len());
        arguments.splice(end..end, self.runtime_words(pieces.runtime));
        Ok(self.job(arguments, pieces.output))
    }

    /// What the line says that the bitcode does not.
    pub(crate) fn linking(&self) -> Linking {
        let words = self.items.iter().filter_map(|item| match item {
            Item::Word(word) => Some(word.to_string_lossy()),
            _ => None,
        });
        let mut linking = Linking::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            linking.flushes |= word.ends_with(FLUSHES_FLOATS);
            let Some(option) = word.strip_prefix('-') else {
                continue;
            };
            let option = option.trim_start_matches('-');
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (option.to_owned(), words.peek().map(ToString::to_string)),
            };
            let started = match &name[..] {
                "init" => Started::Before,
                "fini" => Started::After,
                "e" | "entry" => Started::Before,
                "defsym" => {
                    linking.renames = true;
                    continue;
                }
                "icf" => {
                    linking.renames |= value.as_deref() == Some("all");
                    continue;
                }
                _ => continue,
            };
            linking.started.extend(value.map(|value| (value, started)));
        }
        linking.wrapped = self.wrapped();
        // Native code is linked as if nothing were wrapped.
        let native = self.is_static || !self.lasts || self.items.iter().any(Item::has_native);
        linking.renames |= !linking.wrapped.is_empty() && native;
        linking
    }

    /// The symbols that are wrapped.
    fn wrapped(&self) -> Vec<String> {
        let symbols = self.items.iter().filter_map(|item| match item {
            Item::Wrap(symbol) => Some(symbol.to_string_lossy().into_owned()),
            _ => None,
        });
        symbols.collect()
    }

    /// Whether the program must have one unwinder with its libraries: exceptions of C++ pass
    /// through both.
    fn shares_unwinder(&self) -> bool {
        let library =
            |item: &Item| matches!(item, Item::Word(word) if CXX.iter().any(|cxx| word == cxx));
        !self.is_static && self.items.iter().any(library)
    }

    /// Whether functions may be found when they are first called: where one is nowhere, a program
    /// may live without it.
    fn binds_lazily(&self) -> bool {
        let lenient = |item: &Item| {
            let Item::Word(word) = item else {
                return false;
            };
            let word = word.to_string_lossy();
            LENIENT
                .iter()
                .any(|option| word.trim_start_matches('-').starts_with(option))
        };
        self.items.iter().any(lenient)
    }

    /// The runtime library and the libraries that it requires.
    fn runtime_words(&self, runtime: &Path) -> Vec<OsString> {
        let unwinder = match self.shares_unwinder() {
            true => SHARED_UNWINDER,
            false => "-lgcc_eh",
        };
        let mut words: Vec<OsString> = vec![runtime.into()];
        words.extend(["--push-state", "--as-needed"].map(OsString::from));
        words.extend(["-lm", "-lpthread", "-ldl", unwinder, "-lc", "-lgcc"].map(OsString::from));
        words.push("--pop-state".into());
        words
    }

    fn job(&self, mut arguments: Vec<OsString>, output: &Path) -> Job {
        arguments.extend(["-o".into(), output.into()]);
        Job {
            program: self.linker.clone(),
            arguments,
        }
    }
}

/// A sanitizer's libraries stand first, so that its functions take the place of the C
/// library's; the program's shared libraries see them where the library lists its symbols.
fn sanitizer_words(libraries: &[PathBuf]) -> Vec<OsString> {
    let mut words = Vec::new();
    for library in libraries {
        words.extend([
            "--whole-archive".into(),
            library.into(),
            "--no-whole-archive".into(),
        ]);
        let mut symbols = library.clone().into_os_string();
        symbols.push(".syms");
        if Path::new(&symbols).is_file() {
            let mut list = OsString::from("--dynamic-list=");
            list.push(symbols);
            words.push(list);
        }
    }
    if !libraries.is_empty() {
        let system = [
            "--push-state",
            "--as-needed",
            "-lrt",
            "-lresolv",
            "--pop-state",
        ];
        words.extend(system.map(OsString::from));
    }
    words
}

/// Index of the first word whose file name begins like this.
fn position_of(words: &[OsString], start: &str) -> Option<usize> {
    words.iter().position(|word| {
        let name = Path::new(word).file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(start)
    })
}

/// Which files `-l` finds, and whether archives are linked whole.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    whole: bool,
    archives_only: bool,
}

#[derive(Default)]
struct LinkLineReader {
    items: Vec<Item>,
    output: Option<PathBuf>,
    is_static: bool,
    folders: Vec<PathBuf>,
    state: State,
    saved: Vec<State>,
    partially_linked: Vec<OsString>,
    /// Whether later links need a file of the build.
    needs_build: bool,
}

impl LinkLineReader {
    fn word(&mut self, word: OsString, rest: &mut impl Iterator<Item = OsString>) {
        let text = word.to_string_lossy().into_owned();
        if !text.starts_with('-') {
            return self.input(std::slice::from_ref(&word), Path::new(&word));
        }
        match text.as_str() {
            "-o" | "--output" => self.output = rest.next().map(PathBuf::from),
            "-plugin" | "--plugin" | "-plugin-opt" | "--plugin-opt" => drop(rest.next()),
            "-l" | "--library" => {
                let name = rest.next().unwrap_or_default();
                self.library(&[word, name.clone()], &name);
            }
            "-Map" | "--Map" | "-y" | "--trace-symbol" | "--dependency-file" | "--reproduce" => {
                let words = [Some(word), rest.next()].into_iter().flatten().collect();
                self.items.push(Item::Report(words));
            }
            "-wrap" | "--wrap" => self.items.extend(rest.next().map(Item::Wrap)),
            _ if takes_value(&text) => {
                let value = rest.next();
                if matches!(text.as_str(), "-L" | "--library-path") {
                    self.folders.extend(value.clone().map(PathBuf::from));
                }
                self.needs_build |= value.as_deref().is_some_and(is_of_build);
                self.items
                    .extend([Some(word), value].into_iter().flatten().map(Item::Word));
            }
            _ => self.flag(word, &text),
        }
    }

    fn flag(&mut self, word: OsString, text: &str) {
        let name = text.trim_start_matches('-');
        match name {
            "whole-archive" => self.state.whole = true,
            "no-whole-archive" => self.state.whole = false,
            "Bstatic" | "dn" | "non_shared" | "static" => self.state.archives_only = true,
            "Bdynamic" | "dy" | "call_shared" => self.state.archives_only = false,
            "push-state" => self.saved.push(self.state),
            "pop-state" => self.state = self.saved.pop().unwrap_or_default(),
            _ => {}
        }
        self.is_static |= matches!(name, "static" | "no-dynamic-linker");
        if let Some(library) = text.strip_prefix("-l") {
            let library = OsString::from(library);
            return self.library(&[word], &library);
        }
        if let Some(folder) = text.strip_prefix("-L") {
            self.folders.push(folder.into());
        }
        if is_lto_option(text) {
            return;
        }
        if let Some(symbol) = name.strip_prefix("wrap=") {
            return self.items.push(Item::Wrap(symbol.into()));
        }
        self.items.push(match is_report_option(name) {
            true => Item::Report(vec![word]),
            false => {
                let value = text.split_once('=').map(|(_, value)| value);
                self.needs_build |= value.is_some_and(|value| is_of_build(value.as_ref()));
                Item::Word(word)
            }
        });
    }

    fn input(&mut self, words: &[OsString], path: &Path) {
        let of_build = || is_of_build(path.as_os_str());
        let item = match Nature::of_file(path) {
            Nature::Bitcode | Nature::Fat => Item::Bitcode(words[0].clone()),
            Nature::PartiallyLinked => {
                self.partially_linked.push(words[0].clone());
                Item::Word(words[0].clone())
            }
            Nature::Archive if self.state.whole && (of_build() || archive::has_bitcode(path)) => {
                Item::WholeArchive {
                    words: words.to_vec(),
                    path: path.to_path_buf(),
                }
            }
            Nature::Archive if of_build() && archive::is_bitcode(path) => Item::Archive {
                words: words.to_vec(),
                path: path.to_path_buf(),
            },
            nature if of_build() && is_carried(nature, path) => Item::Native {
                words: words.to_vec(),
                path: path.to_path_buf(),
            },
            _ => {
                self.needs_build |= of_build();
                return self.items.extend(words.iter().cloned().map(Item::Word));
            }
        };
        self.items.push(item);
    }

    /// Puts the parts of a partially linked object in its place.
    fn take_apart(&mut self, object: &OsString, scratch: &Path) -> Result<(), Error> {
        let whole = Item::Word(object.clone());
        let Some(place) = self.items.iter().position(|item| *item == whole) else {
            return Ok(());
        };
        let parts = match partially_linked::take_apart(Path::new(object), scratch)? {
            Parts::Native(copy) => vec![Item::Native {
                words: vec![copy.clone().into()],
                path: copy,
            }],
            Parts::Modules(files) => files
                .into_iter()
                .map(|file| Item::Bitcode(file.into()))
                .collect(),
        };
        self.items.splice(place..=place, parts);
        Ok(())
    }

    /// A library by name. It matters which file that is under `--whole-archive`, and if the build
    /// made it.
    fn library(&mut self, words: &[OsString], name: &OsStr) {
        match self.find_library(name) {
            Some(path) if self.state.whole || is_of_build(path.as_os_str()) => {
                self.input(words, &path);
            }
            _ => self.items.extend(words.iter().cloned().map(Item::Word)),
        }
    }

    fn find_library(&self, name: &OsStr) -> Option<PathBuf> {
        let name = name.to_string_lossy();
        let names = match name.strip_prefix(':') {
            Some(exact) => vec![exact.to_owned()],
            None if self.state.archives_only => vec![format!("lib{name}.a")],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        let candidates = self
            .folders
            .iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        candidates.into_iter().find(|path| path.is_file())
    }
}

/// Folders in which libraries are installed.
const SYSTEM: [&str; 5] = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"];

/// Whether this names a file that is not one of the system's, so that it may go when the build is
/// cleaned up.
fn is_of_build(name: &OsStr) -> bool {
    let found = fs::canonicalize(name).ok();
    found
        .is_some_and(|path| path.is_file() && !SYSTEM.iter().any(|folder| path.starts_with(folder)))
}

/// Options of lld whose value is the next word, among those that clang or users pass so.
fn takes_value(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    const NAMES: &[&str] = &[
        "m",
        "dynamic-linker",
        "I",
        "z",
        "L",
        "library-path",
        "T",
        "script",
        "u",
        "undefined",
        "e",
        "entry",
        "h",
        "soname",
        "rpath",
        "R",
        "f",
        "F",
        "auxiliary",
        "filter",
        "init",
        "fini",
        "defsym",
        "exclude-libs",
        "version-script",
        "dynamic-list",
        "sysroot",
        "retain-symbols-file",
        "export-dynamic-symbol",
        "mllvm",
        "image-base",
        "Ttext",
        "Tdata",
        "Tbss",
        "section-start",
        "sort-section",
        "hash-style",
        "threads",
        "just-symbols",
    ];
    NAMES.contains(&name)
}

/// Options of link-time optimisation: we decide these.
fn is_lto_option(option: &str) -> bool {
    const STARTS: &[&str] = &[
        "-plugin-opt=",
        "--plugin-opt=",
        "-plugin=",
        "--plugin=",
        "--lto",
        "--thinlto",
        "--save-temps",
        "--opt-remarks",
        "--fat-lto-objects",
        "--no-fat-lto-objects",
    ];
    STARTS.iter().any(|start| option.starts_with(start))
}

fn is_report_option(name: &str) -> bool {
    matches!(
        name,
        "M" | "print-map"
            | "t"
            | "trace"
            | "cref"
            | "print-gc-sections"
            | "v"
            | "V"
            | "verbose"
            | "version"
            | "print-icf-sections"
            | "print-memory-usage"
            | "stats"
            | "time-trace"
    ) || [
        "Map=",
        "trace-symbol=",
        "dependency-file=",
        "reproduce=",
        "why-extract=",
        "print-archive-stats=",
        "print-symbol-order=",
        "time-trace=",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

/// Whether later links can take an input along: a native object, or an archive whose members are
/// native or bitcode, none of them both.
fn is_carried(nature: Nature, path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    match nature {
        Nature::Native => elf::machine_kind(&bytes) == Some(object::elf::ET_REL),
        Nature::Archive => archive::members(&bytes, path)
            .iter()
            .all(|member| Nature::of_bytes(&member.bytes) != Nature::PartiallyLinked),
        _ => false,
    }
}

/// The members of an archive that are native objects only, or the object itself.
fn native_members(path: &Path) -> Result<Vec<Member>, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Io {
        path: path.to_path_buf(),
        source,
    })?;
    if Nature::of_bytes(&bytes) != Nature::Archive {
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        return Ok(vec![Member { name, bytes }]);
    }
    let members = archive::members(&bytes, path).into_iter();
    let native = members.filter(|member| Nature::of_bytes(&member.bytes) == Nature::Native);
    let native = native.map(|member| Member {
        name: member.name,
        bytes: member.bytes.into_owned(),
    });
    Ok(native.collect())
}

impl Member {
    /// Writes the object to a file of its own.
    fn lay_down(&self, scratch: &Path) -> Result<OsString, Error> {
        let io = |source| Error::Io {
            path: scratch.to_path_buf(),
            source,
        };
        let folder = tempfile::Builder::new().tempdir_in(scratch).map_err(io)?;
        let object = folder
            .keep()
            .join(Path::new(&self.name).file_name().unwrap_or_default());
        fs::write(&object, &self.bytes).map_err(io)?;
        Ok(object.into())
    }
}

impl Item {
    /// Whether this brings native code of the build.
    fn has_native(&self) -> bool {
        match self {
            Item::Native { .. } | Item::Carried(_) => true,
            Item::WholeArchive { path, .. } => !archive::is_bitcode(path),
            _ => false,
        }
    }
}

#[cfg(test)]
#[path = "link_line_tests.rs"]
mod tests;

//! The command line of a drop-in compiler, read as clang reads it.
//!
//! [`parse`] decides what is asked for (an answer of clang, text, objects, a linked file) and
//! rewrites the options by the list in [`options`](super::options). The order of words is kept.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::options::{self, Action};

/// What a command line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// An answer of clang itself: version, paths, help.
    Ask,
    /// Preprocessed text, assembly, dependencies, diagnostics: no object.
    Text,
    /// Object files.
    Object,
    /// A linked file.
    Link,
}

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// An executable.
    Executable,
    /// An executable without shared libraries.
    Static,
    /// An executable without the C library's start code.
    Freestanding,
    /// A shared library.
    Shared,
    /// One object out of several (`-r`).
    Relocatable,
}

/// What the compiler takes an input for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// C, C++ or LLVM IR: becomes an object with bitcode.
    Source,
    /// A header to be precompiled.
    Header,
    /// Assembler: becomes a native object.
    Assembler,
    /// Object, archive, shared library, linker script.
    Linker,
}

/// One input file; `-` is standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) kind: InputKind,
}

/// A command line, understood.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) mode: Mode,
    pub(crate) linkage: Linkage,
    /// All words, response files expanded, Labrys's own options left out.
    pub(crate) original: Vec<OsString>,
    /// The words for clang: rewritten, with inputs and output.
    pub(crate) arguments: Vec<OsString>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) output: Option<PathBuf>,
    /// `-v`.
    pub(crate) verbose: bool,
    /// The checks of undefined behaviour that are compiled in.
    pub(crate) checks: Checks,
    /// Files that list pure functions.
    pub(crate) pure: Vec<PathBuf>,
    /// Whether a link builds all executables at once.
    pub(crate) whole: bool,
    /// Options left out that the user should know of, with the reason.
    pub(crate) notes: Vec<String>,
}

/// Which checks of undefined behaviour are compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checks {
    /// Those of what no program means to do.
    pub(crate) oracles: bool,
    /// Overflow of signed numbers.
    pub(crate) overflow: bool,
}

impl Checks {
    pub(crate) const NONE: Checks = Checks {
        oracles: false,
        overflow: false,
    };
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            oracles: true,
            overflow: false,
        }
    }
}

/// A command line that cannot be obeyed; the text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

/// Reads a command line (without the program's name, response files expanded).
pub(crate) fn parse(words: Vec<OsString>) -> Result<Invocation, Refusal> {
    let mut reader = CommandLineReader::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        reader.word(word, &mut words)?;
    }
    Ok(reader.finish())
}

#[derive(Default)]
struct CommandLineReader {
    original: Vec<OsString>,
    arguments: Vec<OsString>,
    inputs: Vec<Input>,
    output: Option<PathBuf>,
    /// Language of `-x`; `None` goes by the name.
    language: Option<String>,
    asks: bool,
    text: bool,
    compile: bool,
    verbose: bool,
    shared: bool,
    relocatable: bool,
    freestanding: bool,
    is_static: bool,
    checks: Checks,
    /// There is a word that only the linker uses.
    linker_word: bool,
    pure: Vec<PathBuf>,
    whole: bool,
    notes: Vec<String>,
}

impl CommandLineReader {
    fn word(
        &mut self,
        word: OsString,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Refusal> {
        let text = word.to_string_lossy().into_owned();
        if let Some(own) = text.strip_prefix("--labrys-") {
            return self.own_option(own);
        }
        self.original.push(word.clone());
        if !text.starts_with('-') || text == "-" {
            self.input(&word);
            self.arguments.push(word);
            return Ok(());
        }
        if options::takes_value(&text) {
            let value = rest.next();
            self.original.extend(value.clone());
            return self.option_with_value(&text, word, value);
        }
        self.flag(&text);
        match options::action(&text) {
            Action::Keep => self.arguments.push(word),
            Action::Drop => {}
            Action::DropWithNote(why) => self.notes.push(format!("{text} is left out: {why}")),
            Action::Replace(by) => self.arguments.extend(by.into_iter().map(OsString::from)),
            Action::Refuse(message) => return Err(Refusal(message)),
        }
        Ok(())
    }

    fn own_option(&mut self, name: &str) -> Result<(), Refusal> {
        if let Some(file) = name.strip_prefix("pure=") {
            self.pure.push(PathBuf::from(file));
            return Ok(());
        }
        match name {
            "oracles" => self.checks.oracles = true,
            "no-oracles" => self.checks = Checks::NONE,
            "check-overflow" => self.checks.overflow = true,
            "whole" => self.whole = true,
            _ => {
                return Err(Refusal(format!(
                    "unknown option --labrys-{name}; there are --labrys-no-oracles, \
                     --labrys-check-overflow, --labrys-whole and --labrys-pure=FILE"
                )));
            }
        }
        Ok(())
    }

    fn option_with_value(
        &mut self,
        option: &str,
        word: OsString,
        value: Option<OsString>,
    ) -> Result<(), Refusal> {
        let text = value
            .as_deref()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match option {
            "-o" | "--output" => self.output = value.clone().map(PathBuf::from),
            "-x" | "--language" => self.set_language(&text),
            "-Xlinker" | "--for-linker" => self.linker_option(&text),
            "-l" | "-L" | "-T" | "-u" | "-z" | "-rpath" => self.linker_word = true,
            "-target" => {
                if let Action::Refuse(message) = options::target(&text) {
                    return Err(Refusal(message));
                }
            }
            _ => {}
        }
        self.arguments.push(word);
        self.arguments.extend(value);
        Ok(())
    }

    /// Takes note of what an option without a separate value means for the mode.
    fn flag(&mut self, text: &str) {
        self.asks |= options::asks(text);
        self.text |= options::stops_before_object(text);
        match text {
            "-c" | "--compile" => self.compile = true,
            "-v" | "--verbose" => self.verbose = true,
            "-shared" | "--shared" => self.shared = true,
            "-r" => self.relocatable = true,
            "-static" | "--static" | "-static-pie" => self.is_static = true,
            "-nostdlib" | "--no-standard-libraries" | "-nostartfiles" => self.freestanding = true,
            _ => {}
        }
        if let Some(list) = text.strip_prefix("-Wl,") {
            list.split(',')
                .for_each(|option| self.linker_option(option));
        } else if let Some(language) = joined(text, &["-x", "--language="]) {
            self.set_language(language);
        } else if let Some(output) = joined(text, &["-o", "--output="]) {
            self.output = Some(PathBuf::from(output));
        } else if joined(text, &["-l"]).is_some() {
            self.linker_word = true;
        }
    }

    fn linker_option(&mut self, option: &str) {
        self.linker_word = true;
        match option {
            "-r" | "--relocatable" | "-i" => self.relocatable = true,
            "-shared" | "--shared" | "-Bshareable" => self.shared = true,
            "--version" | "--help" => self.asks = true,
            _ => {}
        }
    }

    fn set_language(&mut self, language: &str) {
        self.language = (language != "none").then(|| language.to_owned());
    }

    fn input(&mut self, word: &OsStr) {
        let path = PathBuf::from(word);
        let kind = match self.language.as_deref() {
            Some("assembler" | "assembler-with-cpp") => InputKind::Assembler,
            Some(language) if language.ends_with("-header") => InputKind::Header,
            Some(_) => InputKind::Source,
            None => kind_by_name(&path),
        };
        self.inputs.push(Input { path, kind });
    }

    fn finish(self) -> Invocation {
        let nothing_to_do = self.inputs.is_empty() && !self.linker_word;
        let mode = match () {
            () if self.asks || nothing_to_do => Mode::Ask,
            () if self.text => Mode::Text,
            () if self.compile => Mode::Object,
            () if self
                .inputs
                .iter()
                .all(|input| input.kind == InputKind::Header)
                && !self.inputs.is_empty() =>
            {
                Mode::Text
            }
            () => Mode::Link,
        };
        let linkage = match () {
            () if self.relocatable => Linkage::Relocatable,
            () if self.shared => Linkage::Shared,
            () if self.freestanding => Linkage::Freestanding,
            () if self.is_static => Linkage::Static,
            () => Linkage::Executable,
        };
        Invocation {
            mode,
            linkage,
            original: self.original,
            arguments: self.arguments,
            inputs: self.inputs,
            output: self.output,
            verbose: self.verbose,
            checks: self.checks,
            pure: self.pure,
            whole: self.whole,
            notes: self.notes,
        }
    }
}

/// The value of an option that is written in one word with one of these prefixes.
fn joined<'a>(text: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    let mut values = prefixes
        .iter()
        .filter_map(|prefix| text.strip_prefix(prefix));
    values.next().filter(|value| !value.is_empty())
}

fn kind_by_name(path: &Path) -> InputKind {
    match path.extension().and_then(OsStr::to_str).unwrap_or_default() {
        "c" | "i" | "ii" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "bc" | "ll" => {
            InputKind::Source
        }
        "h" | "hh" | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "H" => InputKind::Header,
        "s" | "S" | "sx" | "asm" => InputKind::Assembler,
        _ => InputKind::Linker,
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

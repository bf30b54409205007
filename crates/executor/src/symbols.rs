//! Names and places of machine code, from the debug information of the files it came from.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use addr2line::{Loader, demangle_auto};
use object::{Object, ObjectSymbol, SymbolFlags, SymbolKind};

/// A function on a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Name of the function; `FILE+OFFSET` if there is none.
    pub function: String,
    /// Path of the source, if it is known.
    pub file: Option<String>,
    /// Line, 0 if it is not known.
    pub line: u32,
    /// Column, 0 if it is not known.
    pub column: u32,
}

impl Frame {
    /// `FILE:LINE:COLUMN`, as far as it is known.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(match (self.line, self.column) {
            (0, _) => file.clone(),
            (line, 0) => format!("{file}:{line}"),
            (line, column) => format!("{file}:{line}:{column}"),
        })
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place() {
            Some(place) => write!(f, "{} ({place})", self.function),
            None => f.write_str(&self.function),
        }
    }
}

/// Symbols of the files that were asked for, each read once.
#[derive(Default)]
pub(crate) struct Symbols {
    files: HashMap<PathBuf, Module>,
}

/// One file: its debug information, and its functions by address.
struct Module {
    lines: Option<Loader>,
    functions: Vec<FunctionSymbol>,
}

/// The machine code of a function.
struct FunctionSymbol {
    code: Range<u64>,
    name: String,
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.files.keys()).finish()
    }
}

impl Symbols {
    /// The frames at an offset of a file, innermost first: more than one where functions were
    /// inlined.
    pub(crate) fn frames(&mut self, file: &Path, offset: u64) -> Vec<Frame> {
        let module = self
            .files
            .entry(file.to_owned())
            .or_insert_with(|| Module::read(file));
        let frames = module.frames(offset);
        if frames.is_empty() {
            vec![unknown(file, offset)]
        } else {
            frames
        }
    }
}

impl Module {
    fn read(file: &Path) -> Self {
        Module {
            lines: Loader::new(file).ok(),
            functions: functions(file).unwrap_or_default(),
        }
    }

    fn frames(&self, offset: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        let symbol = self.function(offset);
        let found = self.lines.as_ref();
        let found = found.and_then(|lines| lines.find_frames(offset).ok());
        if let Some(mut found) = found {
            while let Ok(Some(frame)) = found.next() {
                let name = frame.function.as_ref();
                let name = name.and_then(|name| Some(spelled(&name.raw_name().ok()?)));
                let place = frame.location.as_ref();
                frames.push(Frame {
                    function: name.or_else(|| symbol.clone()).unwrap_or_default(),
                    file: place.and_then(|at| at.file).map(str::to_owned),
                    line: place.and_then(|at| at.line).unwrap_or(0),
                    column: place.and_then(|at| at.column).unwrap_or(0),
                });
            }
        }
        if let (true, Some(function)) = (frames.is_empty(), symbol) {
            frames.push(Frame {
                function,
                ..Frame::default()
            });
        }
        frames
    }

    fn function(&self, offset: u64) -> Option<String> {
        let around = self.functions.iter().find(|f| f.code.contains(&offset))?;
        Some(spelled(&around.name))
    }
}

/// A name as the source has it. One of C may be what C++ makes of a type: `rd`.
fn spelled(symbol: &str) -> String {
    match symbol.starts_with("_Z") || symbol.starts_with("_R") {
        true => demangle_auto(symbol.into(), None).into_owned(),
        false => symbol.to_owned(),
    }
}

/// The functions that a file's symbol tables name, with their extents.
fn functions(file: &Path) -> Option<Vec<FunctionSymbol>> {
    let bytes = std::fs::read(file).ok()?;
    let object = object::File::parse(&*bytes).ok()?;
    let symbols = object.symbols().chain(object.dynamic_symbols());
    let code = symbols.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let functions = code.filter_map(|symbol| {
        Some(FunctionSymbol {
            code: symbol.address()..symbol.address().checked_add(symbol.size())?,
            name: symbol.name().ok()?.to_owned(),
        })
    });
    Some(functions.collect())
}

/// What an executable defines for others.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// Addresses by name.
    pub(crate) addresses: HashMap<String, u64>,
    /// Names that its libraries may use.
    pub(crate) exported: HashSet<String>,
}

impl Definitions {
    pub(crate) fn of(file: &Path) -> Self {
        let bytes = std::fs::read(file).unwrap_or_default();
        let Ok(object) = object::File::parse(&*bytes) else {
            return Definitions::default();
        };
        let named = |symbol: &object::Symbol<'_, '_>| symbol.name().ok().map(str::to_owned);
        let own = object.symbols().filter(is_for_others);
        let exported = object.dynamic_symbols().filter(is_for_others);
        Definitions {
            addresses: own
                .filter_map(|symbol| Some((named(&symbol)?, symbol.address())))
                .collect(),
            exported: exported.filter_map(|symbol| named(&symbol)).collect(),
        }
    }
}

/// Whether a symbol is the address of a function or variable.
fn is_for_others(symbol: &object::Symbol<'_, '_>) -> bool {
    // `STT_GNU_IFUNC`: the function is chosen when the program begins.
    const CHOSEN: u8 = 10;
    let is_chosen =
        matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info & 15 == CHOSEN);
    let kind = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data);
    symbol.is_definition() && symbol.is_global() && kind && !is_chosen
}

fn unknown(file: &Path, offset: u64) -> Frame {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Frame {
        function: format!("{name}+{offset:#x}"),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_stay() {
        assert_eq!(spelled("_ZN1a1bEi"), "a::b(int)");
        assert_eq!(spelled("rd"), "rd");
    }

    #[test]
    fn frames_have_places() {
        let mut place = Frame {
            function: "f".to_owned(),
            file: Some("/a.c".to_owned()),
            line: 3,
            column: 7,
        };
        assert_eq!(place.to_string(), "f (/a.c:3:7)");
        place.column = 0;
        assert_eq!(place.place().as_deref(), Some("/a.c:3"));
        assert_eq!(
            (Frame {
                function: "f".to_owned(),
                ..Frame::default()
            })
            .to_string(),
            "f"
        );
    }
}

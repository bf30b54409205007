//! A number for all that a function can come to, so that work on it is done again only if that
//! changed.
//!
//! Law: it does not depend on what the function cannot come to, nor on the lines that anything
//! stands at, nor on the numbers that LLVM gives to constants, metadata and attributes.

use std::collections::HashMap;

use labrys_llvm::Module;
use sha2::{Digest, Sha256};

/// How the text of a function begins.
const DEFINED: &str = "define ";

/// The symbols of a module by their names, as text.
pub(crate) struct Fingerprints {
    symbols: HashMap<String, String>,
}

impl Fingerprints {
    pub(crate) fn of(module: &Module) -> Self {
        let mut symbols: HashMap<String, String> = HashMap::new();
        let mut open: Option<(String, String)> = None;
        for line in module.to_text().lines() {
            if let Some((name, text)) = &mut open {
                if line == "}" {
                    symbols.insert(std::mem::take(name), std::mem::take(text));
                    open = None;
                } else if !line.trim_start().starts_with("#dbg_") {
                    text.push_str(without_numbers(line));
                    text.push('\n');
                }
                continue;
            }
            if let Some((name, text)) = type_of(line) {
                symbols.insert(name.to_owned(), text.to_owned());
                continue;
            }
            let mut symbols_of = names(line).filter(|(_, name)| !is_type(name));
            let first = symbols_of.next().map(|(_, name)| name.to_owned());
            match first {
                Some(name) if line.starts_with(DEFINED) => {
                    open = Some((name, format!("{}\n", without_numbers(line))));
                }
                Some(name) if line.starts_with('@') => {
                    symbols.insert(name, without_numbers(line).to_owned());
                }
                _ => {}
            }
        }
        Fingerprints { symbols }
    }

    /// The number of a function, hexadecimal; of `stubs` only how they are called is in it.
    pub(crate) fn number(&self, function: &str, stubs: &[String]) -> String {
        let is_stub = |symbol: &str, _: &str| stubs.iter().any(|stub| stub == symbol);
        self.walk(function, is_stub, |_| false)
    }

    /// The number of a function by itself, hexadecimal: with the variables that it can come to, and of
    /// other functions their names and how they are called.
    pub(crate) fn alone(&self, function: &str) -> String {
        let is_function = |_: &str, text: &str| text.starts_with(DEFINED);
        // The names of structures, and of constants without names in the source, are numbers.
        let is_named = |text: &str| text.starts_with(DEFINED) || is_variable(text);
        self.walk(function, is_function, is_named)
    }

    /// How a function is called.
    pub(crate) fn head(&self, function: &str) -> &str {
        let text = self.symbols.get(function).map_or("", String::as_str);
        text.lines().next().unwrap_or_default()
    }

    /// The functions that are defined.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        let all = self.symbols.iter();
        let functions = all.filter(|(_, text)| text.starts_with(DEFINED));
        functions.map(|(name, _)| name.as_str())
    }

    /// The number of a function and what it comes to. Of functions that are `outside` the head counts, and
    /// of symbols that are `named` the name.
    fn walk(
        &self,
        function: &str,
        outside: impl Fn(&str, &str) -> bool,
        named: impl Fn(&str) -> bool,
    ) -> String {
        let mut hash = Sha256::new();
        let mut order: Vec<&str> = vec![function];
        let mut places: HashMap<&str, usize> = HashMap::from([(function, 0)]);
        let mut next = 0;
        while let Some(symbol) = order.get(next) {
            next += 1;
            let Some(text) = self.symbols.get(*symbol) else {
                // What others define has a name only.
                hash.update(symbol);
                continue;
            };
            if *symbol != function && named(text) {
                hash.update(symbol);
            }
            let text = match text.split_once('\n') {
                Some((head, _)) if *symbol != function && outside(symbol, text) => head,
                _ => text.as_str(),
            };
            let mut done = 0;
            for (start, name) in names(text) {
                hash.update(&text[done..start]);
                done = start + name.len();
                let place = *places.entry(name).or_insert_with(|| {
                    order.push(name);
                    order.len() - 1
                });
                hash.update(place.to_le_bytes());
            }
            hash.update(&text[done..]);
        }
        hexadecimal(hash)
    }
}

/// The number of a text, hexadecimal.
#[must_use]
pub fn hash(text: &str) -> String {
    hexadecimal(Sha256::new_with_prefix(text))
}

fn hexadecimal(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text defines a variable that has a name in the source.
fn is_variable(text: &str) -> bool {
    text.starts_with('@') && !text.contains(" = private ")
}

/// The name of the structure that a line defines, and how.
fn type_of(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(" = type ")?;
    is_type(name).then_some((name, text))
}

fn is_type(name: &str) -> bool {
    name.starts_with("%struct.") || name.starts_with("%union.")
}

/// The names of symbols and structures in a text, with the places where they begin: those of symbols
/// behind the `@`.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(['@', '%']).filter_map(|(at, sign)| {
        if sign == "%" {
            let rest = &text[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._$-".contains(c));
            let name = &text[at..at + 1 + end.unwrap_or(rest.len())];
            return is_type(name).then_some((at, name));
        }
        let rest = &text[at + 1..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => &rest[..quoted.find('"')? + 2],
            None => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._$-".contains(c));
                &rest[..end.unwrap_or(rest.len())]
            }
        };
        (!name.is_empty()).then_some((at + 1, name))
    })
}

/// A line without what it says of attributes and metadata.
fn without_numbers(line: &str) -> &str {
    let metadata = line.find(", !").unwrap_or(line.len());
    let attributes = line.find(" #").unwrap_or(line.len());
    match line.starts_with('@') {
        // A constant string may look like both.
        true => &line[..line.rfind(", !dbg").unwrap_or(line.len())],
        false => &line[..metadata.min(attributes)],
    }
}

//! The rows by name.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::cxx::reads_stream;
use crate::facts::{Function, Loss, Mark};
use crate::files::FILES;
use crate::parse::parse;

struct Table {
    functions: Vec<Function>,
    /// Where a function is.
    places: FxHashMap<&'static str, usize>,
    /// Functions whose names begin so, the longest beginning first.
    families: Vec<(&'static str, Function)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = FILES.iter().flat_map(|(_, text)| {
        // The build script has read them before.
        parse(text).unwrap_or_default()
    });
    let (mut families, mut functions): (Vec<_>, Vec<_>) = rows
        .map(|function| (function.name().strip_suffix('*'), function))
        .partition(|(family, _)| family.is_some());
    families.sort_by_key(|(stem, _)| std::cmp::Reverse(stem.map_or(0, str::len)));
    let mut families: Vec<(&'static str, Function)> = families
        .into_iter()
        .map(|(stem, function)| (stem.unwrap_or(""), function))
        .collect();
    for index in 0..families.len() {
        let (shorter, name) = (families[index + 1..].to_vec(), families[index].0);
        inherit(&mut families[index].1, name, &shorter);
    }
    for (_, function) in &mut functions {
        let name = function.name();
        inherit(function, name, &families);
    }
    let functions: Vec<Function> = functions
        .into_iter()
        .map(|(_, function)| function)
        .collect();
    let places = functions.iter().enumerate();
    Table {
        places: places.map(|(at, function)| (function.name(), at)).collect(),
        functions,
        families,
    }
});

/// A function has what its families say where its own row says nothing.
fn inherit(function: &mut Function, name: &str, families: &[(&'static str, Function)]) {
    let mut families = families.iter();
    for (_, family) in families.by_ref().filter(|(stem, _)| name.starts_with(stem)) {
        function.inherit(family);
    }
}

/// What is known of the function of this name in a library.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    let table = &*TABLE;
    if let Some(own) = own_row(name) {
        return Some(own);
    }
    let mut families = table.families.iter();
    let family = families.find(|(stem, _)| name.starts_with(stem));
    family.map(|(_, function)| function)
}

/// What is known of the function of this name by a row of its own.
#[must_use]
pub fn own_row(name: &str) -> Option<&'static Function> {
    let table = &*TABLE;
    table.functions.get(*table.places.get(name)?)
}

/// All functions with a row of their own.
#[must_use]
pub fn functions() -> &'static [Function] {
    &TABLE.functions
}

/// What the function of this name, which has no model, does with labels that it can reach.
#[must_use]
pub fn loss(name: &str) -> Loss {
    if reads_stream(name) {
        return Loss::Elsewhere;
    }
    function(name).map_or(Loss::Given, Function::loss)
}

/// Whether the function of this name is so.
#[must_use]
pub fn named(name: &str, mark: Mark) -> bool {
    function(name).is_some_and(|function| function.has(mark))
}

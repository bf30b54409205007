//! Types whose methods stand in many places.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, Type};

use super::MAX_SHARDS;
use super::modules::{Crate, File, is_test};

/// The scattered types of a crate, a line each.
pub(super) fn scattered(sources: &Crate) -> Vec<String> {
    let mut homes: BTreeMap<String, Vec<&File>> = BTreeMap::new();
    let mut methods: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (index, file) in sources.files.iter().enumerate() {
        for item in &file.syntax.items {
            if let Some(name) = defined(item) {
                homes.entry(name).or_default().push(file);
            }
            if let Some(name) = implemented(item) {
                methods.entry(name).or_default().insert(index);
            }
        }
    }
    let mut problems = Vec::new();
    for (name, files) in &methods {
        // Several types of one name cannot be told apart by text: the compiler sees to those.
        let [home] = homes.get(name).map_or(&[][..], Vec::as_slice) else {
            continue;
        };
        let files: Vec<&File> = files.iter().map(|index| &sources.files[*index]).collect();
        if files.len() > MAX_SHARDS {
            let count = files.len();
            problems.push(format!(
                "{}: methods of `{name}` stand in {count} files, more than {MAX_SHARDS}",
                home.path
            ));
        }
        for file in files {
            if !file.module.starts_with(&home.module) {
                let path = &file.path;
                problems.push(format!(
                    "{path}: methods of `{name}`, whose home is {}",
                    home.path
                ));
            }
        }
    }
    problems
}

/// The name of the type that an item defines.
fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The name of the type whose own methods an item holds.
fn implemented(item: &Item) -> Option<String> {
    let Item::Impl(item) = item else { return None };
    if item.trait_.is_some() || is_test(&item.attrs) {
        return None;
    }
    let Type::Path(path) = &*item.self_ty else {
        return None;
    };
    Some(path.path.segments.last()?.ident.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::structure::modules::crates;

    fn count(files: &[(&str, &str)]) -> usize {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source {
                path: format!("crates/a/src/{path}"),
                text: (*text).to_owned(),
            })
            .collect();
        scattered(&crates(&sources)[0]).len()
    }

    #[test]
    fn methods_stand_with_their_type() {
        let home = ("x.rs", "struct X; impl X {}");
        assert_eq!(count(&[home, ("y.rs", "impl crate::x::X {}")]), 1);
        assert_eq!(count(&[home, ("x/y.rs", "impl super::X {}")]), 0);
        assert_eq!(count(&[home, ("y.rs", "impl Debug for X {}")]), 0);
    }

    #[test]
    fn a_type_is_in_few_files() {
        let home = ("x.rs", "struct X; impl X {}");
        let shard = "impl super::X {}";
        let shards = [
            home,
            ("x/a.rs", shard),
            ("x/b.rs", shard),
            ("x/c.rs", shard),
        ];
        assert_eq!(count(&shards), 1);
    }
}

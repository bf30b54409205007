//! Modules of a crate, and which of them use which.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

use crate::source::Source;

/// A module's path from the crate's root, which is empty.
pub(super) type ModulePath = Vec<String>;

/// The sources of one crate.
pub(super) struct Crate {
    pub(super) name: String,
    /// Path of its sources from the workspace's folder.
    pub(super) folder: String,
    pub(super) files: Vec<File>,
}

/// A module in a file of its own.
pub(super) struct File {
    /// Path from the workspace's folder.
    pub(super) path: String,
    pub(super) module: ModulePath,
    pub(super) syntax: syn::File,
}

/// A module and another one that it uses.
pub(super) type Uses = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// The crates with their files; what cannot be parsed is left to the compiler.
pub(super) fn crates(sources: &[Source]) -> Vec<Crate> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.extension() == "rs") {
        let Some((folder, rest)) = source.path.split_once("/src/") else {
            continue;
        };
        let Ok(syntax) = syn::parse_file(&source.text) else {
            continue;
        };
        let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
        let of_crate = crates.entry(folder.to_owned()).or_insert_with(|| Crate {
            name,
            folder: folder.to_owned(),
            files: Vec::new(),
        });
        of_crate.files.push(File {
            path: source.path.clone(),
            module: module_path(rest),
            syntax,
        });
    }
    crates.into_values().collect()
}

/// The path of the module in a file below `src`. Executables in `bin` are roots of their own,
/// which nothing uses.
fn module_path(file: &str) -> ModulePath {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut path: ModulePath = stem.split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    if path == ["lib"] || path == ["main"] {
        path.clear();
    }
    path
}

/// Which modules use which, parents and children of each other apart.
pub(super) fn uses(sources: &Crate) -> Uses {
    let modules: BTreeSet<&ModulePath> = sources.files.iter().map(|file| &file.module).collect();
    let aliases: BTreeMap<&ModulePath, BTreeMap<String, ModulePath>> = sources
        .files
        .iter()
        .map(|file| (&file.module, imports(file)))
        .collect();
    let resolver = Resolver { modules, aliases };
    let mut uses = Uses::new();
    for file in &sources.files {
        let mut paths = Paths {
            module: &file.module,
            found: Vec::new(),
        };
        paths.visit_file(&file.syntax);
        for path in paths.found {
            let target = resolver.module_of(&path, 8);
            if !are_related(&file.module, &target) {
                uses.entry(file.module.clone()).or_default().insert(target);
            }
        }
    }
    uses
}

fn are_related(a: &[String], b: &[String]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Names that a module imports, with their paths in the crate.
fn imports(file: &File) -> BTreeMap<String, ModulePath> {
    let mut imports = BTreeMap::new();
    for item in &file.syntax.items {
        if let Item::Use(item) = item {
            leaves(&item.tree, &mut Vec::new(), &mut |path, name| {
                if let Some(path) = in_crate(&file.module, path) {
                    imports.insert(name.to_owned(), path);
                }
            });
        }
    }
    imports
}

/// Calls `visit` with the path of each name that a `use` imports, and the name it gets here.
fn leaves(tree: &UseTree, prefix: &mut Vec<String>, visit: &mut impl FnMut(&[String], &str)) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            leaves(&path.tree, prefix, visit);
            prefix.pop();
        }
        UseTree::Group(group) => {
            for item in &group.items {
                leaves(item, prefix, visit);
            }
        }
        UseTree::Glob(_) => visit(prefix, "*"),
        UseTree::Name(name) if name.ident == "self" => {
            let last = prefix.last().cloned().unwrap_or_default();
            visit(prefix, &last);
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            prefix.push(name.clone());
            visit(prefix, &name);
            prefix.pop();
        }
        UseTree::Rename(rename) => {
            prefix.push(rename.ident.to_string());
            visit(prefix, &rename.rename.to_string());
            prefix.pop();
        }
    }
}

/// A path from the crate's root, if it begins with `crate`, `self` or `super`.
fn in_crate(module: &[String], path: &[String]) -> Option<ModulePath> {
    let mut rest = path.iter();
    let mut full = match rest.next()?.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module[..module.len().saturating_sub(1)].to_vec(),
        _ => return None,
    };
    for part in rest {
        if part == "super" {
            full.pop();
        } else {
            full.push(part.clone());
        }
    }
    Some(full)
}

/// Finds the modules that paths lead to.
struct Resolver<'a> {
    modules: BTreeSet<&'a ModulePath>,
    aliases: BTreeMap<&'a ModulePath, BTreeMap<String, ModulePath>>,
}

impl Resolver<'_> {
    /// The module that defines what a path from the root names, through at most `depth`
    /// re-exports.
    fn module_of(&self, path: &[String], depth: u32) -> ModulePath {
        let mut module = path.to_vec();
        while !self.modules.contains(&module) && module.pop().is_some() {}
        let Some(name) = path.get(module.len()) else {
            return module;
        };
        match self.aliases.get(&module).and_then(|names| names.get(name)) {
            Some(target) if depth > 0 => {
                let mut next = target.clone();
                next.extend(path[module.len() + 1..].iter().cloned());
                self.module_of(&next, depth - 1)
            }
            _ => module,
        }
    }
}

/// Collects the paths in a file that lead into its crate.
struct Paths<'a> {
    module: &'a ModulePath,
    found: Vec<ModulePath>,
}

impl Paths<'_> {
    fn add(&mut self, path: &[String]) {
        self.found.extend(in_crate(self.module, path));
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        // Tests may look at anything; what is in another file is visited there.
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        leaves(&item.tree, &mut Vec::new(), &mut |path, _| {
            found.push(path.to_vec());
        });
        for path in found {
            self.add(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        self.add(&names);
        visit::visit_path(self, path);
    }
}

/// Is this compiled for tests only?
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::circles::circles;

    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source {
                path: format!("crates/a/src/{path}"),
                text: (*text).to_owned(),
            })
            .collect();
        circles(&uses(&crates(&sources)[0]))
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let x = ("x.rs", "use crate::y::{self, Y}; pub struct X;");
        let y = (
            "y.rs",
            "pub struct Y; fn f() -> super::x::X { super::x::X }",
        );
        assert_eq!(found(&[x, y]), [["x", "y"]]);
        let y = ("y.rs", "pub struct Y;");
        assert!(found(&[x, y]).is_empty());
    }

    #[test]
    fn parents_and_children_may_use_each_other() {
        let x = ("x/mod.rs", "mod y; use y::Y; pub struct X;");
        let y = ("x/y.rs", "use super::X; pub struct Y;");
        assert!(found(&[x, y]).is_empty());
    }

    #[test]
    fn circles_through_re_exports_are_seen() {
        let root = (
            "lib.rs",
            "mod x; mod y; pub use x::X; pub use self::y::Y as Z;",
        );
        let x = ("x.rs", "use crate::Z; pub struct X;");
        let y = ("y.rs", "use self::super::x::X; pub struct Y;");
        assert_eq!(found(&[root, x, y]), [["x", "y"]]);
    }

    #[test]
    fn tests_of_a_module_may_use_anything() {
        let x = ("x.rs", "#[cfg(test)] mod tests { use crate::y::Y; }");
        let y = ("y.rs", "use crate::x::X;");
        assert!(found(&[x, y]).is_empty());
    }
}

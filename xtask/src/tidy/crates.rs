//! The crates' manifests against the table of crates in `ARCHITECTURE.md`.
//!
//! The table's header is `| crate | what | may use |`; the third column lists crates of the
//! project, `–` for none or `any`. Development dependencies are free: tests may join anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

/// Where the table is.
const PAGE: &str = "ARCHITECTURE.md";

/// What a crate may use.
#[derive(Debug, PartialEq, Eq)]
enum Allowed {
    Any,
    These(BTreeSet<String>),
}

/// Adds what disagrees.
pub(super) fn problems(sources: &[Source], problems: &mut Vec<String>) {
    let manifests = manifests(sources);
    let Some(page) = sources.iter().find(|source| source.path == PAGE) else {
        problems.push(format!("{PAGE}: missing"));
        return;
    };
    let table = table(&page.text);
    for name in table.keys().filter(|name| !manifests.contains_key(*name)) {
        problems.push(format!("{PAGE}: there is no crate `{name}`"));
    }
    for (name, manifest) in &manifests {
        let path = format!("crates/{name}/Cargo.toml");
        if manifest.package != format!("labrys-{name}") {
            problems.push(format!("{path}: the package is not named labrys-{name}"));
        }
        match table.get(name) {
            None => problems.push(format!("{PAGE}: no row for crate `{name}`")),
            Some(Allowed::Any) => {}
            Some(Allowed::These(allowed)) => {
                for used in manifest.uses.difference(allowed) {
                    problems.push(format!(
                        "{path}: uses `{used}`, against the table in {PAGE}"
                    ));
                }
                for unused in allowed.iter().filter(|name| !table.contains_key(*name)) {
                    problems.push(format!("{PAGE}: row `{name}` names no crate: `{unused}`"));
                }
            }
        }
    }
}

/// What a manifest says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    package: String,
    /// Crates of the project that it depends on, without the prefix.
    uses: BTreeSet<String>,
}

/// The manifests in `crates` by the name of their folder.
fn manifests(sources: &[Source]) -> BTreeMap<String, Manifest> {
    let folder = |source: &Source| {
        let name = source
            .path
            .strip_prefix("crates/")?
            .strip_suffix("/Cargo.toml")?;
        (!name.contains('/')).then(|| name.to_owned())
    };
    sources
        .iter()
        .filter_map(|source| Some((folder(source)?, manifest(&source.text))))
        .collect()
}

fn manifest(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            continue;
        }
        let key = line.split(['=', '.']).next().unwrap_or("").trim();
        if section == "package" && key == "name" {
            manifest.package = line.split('"').nth(1).unwrap_or("").to_owned();
        }
        if section.ends_with("dependencies") && !section.ends_with("dev-dependencies") {
            manifest
                .uses
                .extend(key.strip_prefix("labrys-").map(str::to_owned));
        }
    }
    manifest
}

/// The rows of the table by the name of the crate.
fn table(page: &str) -> BTreeMap<String, Allowed> {
    let rows = page
        .lines()
        .map(cells)
        .skip_while(|cells| cells.as_slice() != ["crate", "what", "may use"])
        .skip(2)
        .take_while(|cells| cells.len() == 3);
    rows.map(|cells| (cells[0].clone(), allowed(&cells[2])))
        .collect()
}

/// The cells of a table's row, without spaces and backquotes around them.
fn cells(line: &str) -> Vec<String> {
    let Some(line) = line.trim().strip_prefix('|') else {
        return Vec::new();
    };
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|')
        .map(|cell| cell.trim().trim_matches('`').to_owned())
        .collect()
}

fn allowed(cell: &str) -> Allowed {
    if cell == "any" {
        return Allowed::Any;
    }
    let words = cell.split([' ', ',']).map(|word| word.trim_matches('`'));
    let names = words.filter(|word| !word.is_empty() && *word != "–" && *word != "-");
    Allowed::These(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| crate | what | may use |
|---|---|---|
| `a` | the base | – |
| `b` | above | a |
| `c` | all | any |

| another | table | here |
";

    fn found(manifests: &[(&str, &str)]) -> Vec<String> {
        let mut sources = vec![Source {
            path: PAGE.into(),
            text: TABLE.into(),
        }];
        for (name, dependencies) in manifests {
            let text = format!("[package]\nname = \"labrys-{name}\"\n{dependencies}");
            sources.push(Source {
                path: format!("crates/{name}/Cargo.toml"),
                text,
            });
        }
        let mut found = Vec::new();
        problems(&sources, &mut found);
        found
    }

    #[test]
    fn tables_are_read() {
        let names = |names: &[&str]| Allowed::These(names.iter().map(|&n| n.to_owned()).collect());
        let rows = [("a", names(&[])), ("b", names(&["a"])), ("c", Allowed::Any)];
        assert_eq!(
            table(TABLE),
            rows.map(|(name, row)| (name.to_owned(), row)).into()
        );
    }

    #[test]
    fn dependencies_against_the_table_are_found() {
        let b = "[dependencies]\nlabrys-a.workspace = true\n";
        let c = "[dependencies]\nlabrys-a = { path = \"../a\" }\n";
        assert_eq!(
            found(&[("a", ""), ("b", b), ("c", c)]),
            Vec::<String>::new()
        );
        let a = "[dev-dependencies]\nlabrys-c.workspace = true\n";
        assert_eq!(found(&[("a", a), ("b", b), ("c", c)]), Vec::<String>::new());
        let a = "[build-dependencies]\nlabrys-b.workspace = true\n";
        let expected = format!("crates/a/Cargo.toml: uses `b`, against the table in {PAGE}");
        assert_eq!(found(&[("a", a), ("b", b), ("c", c)]), [expected]);
    }

    #[test]
    fn crates_and_rows_match() {
        let found = found(&[("a", ""), ("b", ""), ("d", "")]);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

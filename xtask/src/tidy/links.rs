//! Links of the pages: what they name must be there.

use std::collections::BTreeSet;

use crate::source::Source;

/// Adds the links to files that do not exist.
pub(super) fn problems(sources: &[Source], problems: &mut Vec<String>) {
    let mut places: BTreeSet<&str> = BTreeSet::new();
    for source in sources {
        let mut path = source.path.as_str();
        places.insert(path);
        while let Some((folder, _)) = path.rsplit_once('/') {
            places.insert(folder);
            path = folder;
        }
    }
    for page in sources.iter().filter(|source| source.extension() == "md") {
        for (number, line) in page.text.lines().enumerate() {
            for target in targets(line) {
                let place = resolve(&page.path, target);
                if !places.contains(place.as_str()) {
                    let (path, number) = (&page.path, number + 1);
                    problems.push(format!(
                        "{path}:{number}: a link to {place}, which is not there"
                    ));
                }
            }
        }
    }
}

/// The files that a line links to, without addresses of other sites and places in this page.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let links = line.split("](").skip(1);
    let targets = links.filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

/// A target as a path from the workspace's folder.
fn resolve(page: &str, target: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        let source = |path: &str, text: &str| Source {
            path: path.into(),
            text: text.into(),
        };
        let sources = [
            source("docs/guide/a.md", text),
            source("docs/guide/b.md", ""),
            source("README.md", ""),
        ];
        let mut found = Vec::new();
        problems(&sources, &mut found);
        found.len()
    }

    #[test]
    fn links_lead_somewhere() {
        assert_eq!(
            found("[b](b.md#part), [folder](../guide/), [top](../../README.md)"),
            0
        );
        assert_eq!(found("[c](c.md)"), 1);
        assert_eq!(found("[other](https://example.org/c.md), [here](#part)"), 0);
    }
}

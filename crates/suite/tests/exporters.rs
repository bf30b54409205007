//! The list of exporters and the page about them say the same.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;

use labrys_suite::export::EXPORTERS;

#[test]
fn the_page_has_a_row_for_each_exporter() {
    let page = include_str!("../../../docs/guide/exports.md");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let place = cells.get(2)?.trim_matches('`');
        (!name.contains('`')).then_some((name, place))
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let folder = |exporter: &dyn labrys_suite::export::Exporter| {
        exporter.folder().map(|name| format!("{name}/"))
    };
    let listed: Vec<(&str, String)> = EXPORTERS
        .iter()
        .map(|exporter| {
            (
                exporter.name(),
                folder(*exporter).unwrap_or("inputs/*.c".into()),
            )
        })
        .collect();
    let listed: Vec<(&str, &str)> = listed
        .iter()
        .map(|(name, place)| (*name, &**place))
        .collect();
    assert_eq!(rows, listed);
}

#[test]
fn names_and_folders_are_different() {
    let names: BTreeSet<_> = EXPORTERS.iter().map(|exporter| exporter.name()).collect();
    assert_eq!(names.len(), EXPORTERS.len());
    let own = ["inputs", "cases", "failures"];
    let mut folders = BTreeSet::from(own);
    for folder in EXPORTERS.iter().filter_map(|exporter| exporter.folder()) {
        assert!(folders.insert(folder), "{folder} twice");
    }
}

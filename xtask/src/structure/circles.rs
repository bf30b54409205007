//! Circles of modules: the strongly connected components of who uses whom.

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::modules::{ModulePath, Uses};

/// The circles, each with the names of its modules in order.
pub(super) fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let mut graph: DiGraphMap<&ModulePath, ()> = DiGraphMap::new();
    for (module, targets) in uses {
        for target in targets {
            graph.add_edge(module, target, ());
        }
    }
    let mut circles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let mut names: Vec<String> = component.iter().map(|path| path.join("::")).collect();
            names.sort();
            names
        })
        .collect();
    circles.sort();
    circles
}

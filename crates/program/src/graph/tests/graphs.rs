//! Dominators, post-dominators and control dependence against their definitions.

use proptest::prelude::*;

use crate::BlockId;
use crate::graph::post_dominators::exits;
use crate::graph::{ControlDependence, Digraph, Dominators, PostDominators};

fn graphs() -> impl Strategy<Value = Digraph> {
    (1u32..12).prop_flat_map(|len| {
        let edges = prop::collection::vec((0..len, 0..len), 0..28);
        edges.prop_map(move |edges| Digraph::new(len as usize, &edges))
    })
}

/// The nodes reachable from a root on paths that avoid a node.
fn avoiding(graph: &Digraph, root: u32, avoided: u32) -> Vec<bool> {
    let edges: Vec<_> = graph
        .edges()
        .filter(|(from, to)| *from != avoided && *to != avoided)
        .collect();
    let mut seen = Digraph::new(graph.len(), &edges).reachable(root);
    seen[avoided as usize] = false;
    if root == avoided {
        vec![false; graph.len()]
    } else {
        seen
    }
}

/// The graph with all edges reversed and a root before all exits.
fn reversed(graph: &Digraph) -> (Digraph, u32) {
    let end = graph.len() as u32;
    let reachable = graph.reachable(0);
    let mut edges: Vec<_> = graph
        .edges()
        .filter(|(from, _)| reachable[*from as usize])
        .map(|(from, to)| (to, from))
        .collect();
    edges.extend(
        exits(graph, &graph.reverse_postorder(0))
            .into_iter()
            .map(|exit| (end, exit)),
    );
    (Digraph::new(graph.len() + 1, &edges), end)
}

proptest! {
    #[test]
    fn dominators_are_what_no_path_avoids(graph in graphs()) {
        let tree = Dominators::new(&graph, 0);
        let reachable = graph.reachable(0);
        for dominator in 0..graph.len() as u32 {
            let seen = avoiding(&graph, 0, dominator);
            for node in 0..graph.len() as u32 {
                let expected = reachable[dominator as usize]
                    && reachable[node as usize]
                    && !seen[node as usize];
                prop_assert_eq!(tree.dominates(dominator, node), expected);
            }
        }
        for node in 0..graph.len() as u32 {
            let chain: Vec<_> = tree.of(node).collect();
            let all = (0..graph.len() as u32).filter(|other| tree.dominates(*other, node));
            prop_assert_eq!(chain.len(), all.count());
            prop_assert!(chain.windows(2).all(|pair| tree.dominates(pair[1], pair[0])));
        }
    }

    #[test]
    fn post_dominators_are_what_no_path_to_the_end_avoids(graph in graphs()) {
        let tree = PostDominators::new(&graph, 0);
        let (reversed, end) = reversed(&graph);
        let reachable = graph.reachable(0);
        let reaches = reversed.reachable(end);
        for post in 0..graph.len() as u32 {
            let seen = avoiding(&reversed, end, post);
            for node in 0..graph.len() as u32 {
                // Every reachable node reaches the end.
                prop_assert_eq!(reachable[node as usize], reaches[node as usize]);
                let expected = reachable[post as usize]
                    && reachable[node as usize]
                    && !seen[node as usize];
                prop_assert_eq!(tree.dominates(post, node), expected);
            }
        }
    }

    #[test]
    fn control_dependence_is_as_defined(graph in graphs()) {
        let tree = PostDominators::new(&graph, 0);
        let dependence = ControlDependence::of_graph(&graph);
        for node in 0..graph.len() as u32 {
            let mut expected = Vec::new();
            for decision in (0..graph.len() as u32).filter(|node| tree.reachable(*node)) {
                let successors = graph.successors(decision);
                for (direction, next) in (0..).zip(successors) {
                    let strictly = node != decision && tree.dominates(node, decision);
                    if successors.len() > 1 && tree.dominates(node, *next) && !strictly {
                        expected.push((BlockId(decision), direction));
                    }
                }
            }
            prop_assert_eq!(dependence.of(BlockId(node)), expected);
        }
    }

    #[test]
    fn reverse_postorder_lists_reachable_nodes_once(graph in graphs()) {
        let order = graph.reverse_postorder(0);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let reachable = graph.reachable(0);
        let expected: Vec<u32> =
            (0..graph.len() as u32).filter(|node| reachable[*node as usize]).collect();
        prop_assert_eq!(sorted, expected);
        let tree = Dominators::new(&graph, 0);
        let position = |node| order.iter().position(|other| *other == node);
        for &node in &order {
            if let Some(parent) = tree.immediate(node) {
                prop_assert!(position(parent) < position(node));
            }
        }
    }
}

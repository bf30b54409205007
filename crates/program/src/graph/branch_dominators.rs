//! Dominators among branches, over the whole program (section 3.3 of "How we get there: a
//! context-guided search strategy in concolic testing").
//!
//! Branch `a` dominates a place if every run that comes to the place has taken `a` in a
//! function invocation that is still active. (Branches inside calls that have returned are not
//! followed; so the relation may miss dominators, and never names a wrong one.)
//!
//! Runs begin at `main`; without one, at every function that can be seen from outside.
//! Functions whose address is taken may be entered at any time.

use super::flow::Flow;
use super::{Digraph, Dominators, call_costs};
use crate::{BranchId, Linkage, Program, SiteId};

/// The dominator relation of branches.
#[derive(Debug)]
pub struct BranchDominators {
    tree: Dominators,
    branches: u32,
    decisions: Vec<u32>,
}

impl BranchDominators {
    /// Computes the relation.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let flow = Flow::new(program);
        let root = flow.nodes;
        let mut edges = flow.steps.clone();
        let returns = call_costs(&flow);
        for call in &flow.calls {
            edges.push((call.at, flow.sets[call.set as usize].into));
            if call.open || returns[call.set as usize].is_some() {
                edges.push((call.at, call.after));
            }
        }
        for set in &flow.sets {
            let members = set
                .members
                .iter()
                .filter_map(|id| flow.functions[id.index()]);
            edges.extend(members.map(|(entry, _)| (set.into, entry)));
        }
        let roots = roots(program).filter_map(|id| flow.functions[id]);
        edges.extend(roots.map(|(entry, _)| (root, entry)));
        let tree = Dominators::new(&Digraph::new(root as usize + 1, &edges), root);
        Self {
            tree,
            branches: flow.branches,
            decisions: flow.decisions,
        }
    }

    /// Whether every run that takes `branch` has taken `dominator` before, or is it.
    #[must_use]
    pub fn dominates(&self, dominator: BranchId, branch: BranchId) -> bool {
        self.tree.dominates(dominator.0, branch.0)
    }

    /// Whether every run that comes to `site` has taken `dominator` before.
    #[must_use]
    pub fn dominates_site(&self, dominator: BranchId, site: SiteId) -> bool {
        self.tree
            .dominates(dominator.0, self.decisions[site.index()])
    }

    /// The branches that dominate a site, the closest first.
    pub fn of_site(&self, site: SiteId) -> impl Iterator<Item = BranchId> + '_ {
        let nodes = self.tree.of(self.decisions[site.index()]);
        nodes.filter(|node| *node < self.branches).map(BranchId)
    }

    /// Whether some run may come to a site, as far as the flow tells.
    #[must_use]
    pub fn reachable(&self, site: SiteId) -> bool {
        self.tree.reachable(self.decisions[site.index()])
    }
}

/// Indices of the functions where runs begin or may be entered from outside.
fn roots(program: &Program) -> impl Iterator<Item = usize> + '_ {
    let main = program
        .function_named("main")
        .filter(|id| program.functions[id.index()].defined);
    program
        .functions
        .iter()
        .enumerate()
        .filter_map(move |(index, function)| {
            let begins = match main {
                Some(main) => index == main.index(),
                None => function.linkage != Linkage::Internal,
            };
            (begins || function.address_taken).then_some(index)
        })
}

//! Distances from branches to targets, across calls and returns.
//!
//! The distance of a branch is the least number of further branches that a run must cross,
//! after the branch, to have crossed a target: 0 for a target itself, 1 if the next decision
//! offers one. Only paths that real calls can take count: a path may return from the functions
//! in which it begins, pass through calls (at the cost of the cheapest path through), and enter
//! functions without coming back; it never returns to another caller than the one it came from.
//!
//! For that each node of the flow is there twice: "up" while the path may still return from
//! where it began, "down" once it has entered a function for good.
//!
//! When targets are removed, only nodes whose nearest target is gone are searched again.

use std::sync::Arc;

use super::buckets::Buckets;
use super::call_costs;
use super::flow::Flow;
use crate::{BranchId, FunctionId, Program};

const INFINITE: u32 = u32::MAX;

/// Distances to the nearest of a set of target branches that may shrink.
#[derive(Clone, Debug)]
pub struct Distances {
    layers: Arc<Layers>,
    distance: Vec<u32>,
    /// The next node on a shortest path; `INFINITE` at a target and where there is no path.
    next: Vec<u32>,
    target: Vec<bool>,
}

impl Distances {
    /// The distances of all branches to the nearest of these targets.
    #[must_use]
    pub fn new(program: &Program, targets: impl IntoIterator<Item = BranchId>) -> Self {
        Self::to(program, targets, [])
    }

    /// The distances of all branches to the nearest of these targets, or the start of one of these
    /// functions.
    #[must_use]
    pub fn to(
        program: &Program,
        targets: impl IntoIterator<Item = BranchId>,
        functions: impl IntoIterator<Item = FunctionId>,
    ) -> Self {
        let layers = program.derived.fact(|| Layers::new(program));
        let nodes = 2 * layers.nodes as usize;
        let mut this = Self {
            distance: vec![INFINITE; nodes],
            next: vec![INFINITE; nodes],
            target: vec![false; layers.branches as usize],
            layers: layers.clone(),
        };
        let mut open = Buckets::default();
        for BranchId(branch) in targets
            .into_iter()
            .filter(|branch| branch.0 < layers.branches)
        {
            this.target[branch as usize] = true;
            this.distance[branch as usize] = 0;
            open.push(0, branch);
        }
        let functions = functions.into_iter();
        for start in functions.filter_map(|id| layers.starts[id.index()]) {
            this.distance[start as usize] = 0;
            open.push(0, start);
        }
        this.search(open);
        this
    }

    /// The distance from a branch to the nearest target; `None` if none can be reached.
    #[must_use]
    pub fn get(&self, branch: BranchId) -> Option<u32> {
        if branch.0 >= self.layers.branches {
            return None;
        }
        let distance = self.distance[(self.layers.nodes + branch.0) as usize];
        (distance != INFINITE).then_some(distance)
    }

    /// Whether a branch is a target.
    #[must_use]
    pub fn is_target(&self, branch: BranchId) -> bool {
        self.target.get(branch.index()).copied().unwrap_or(false)
    }

    /// Removes targets; those that are none are ignored.
    pub fn remove(&mut self, targets: impl IntoIterator<Item = BranchId>) {
        let mut lost = Vec::new();
        for branch in targets {
            if self.is_target(branch) {
                self.target[branch.index()] = false;
                self.distance[branch.index()] = INFINITE;
                lost.push(branch.0);
            }
        }
        // All nodes whose shortest path ended at a target that is gone.
        let mut index = 0;
        while let Some(&node) = lost.get(index) {
            index += 1;
            for &(before, _) in self.layers.edges.before(node) {
                if self.next[before as usize] == node {
                    self.next[before as usize] = INFINITE;
                    self.distance[before as usize] = INFINITE;
                    lost.push(before);
                }
            }
        }
        // Their best path over nodes that kept theirs; the search does the rest.
        let mut open = Buckets::default();
        for &node in &lost {
            for &(after, weight) in self.layers.edges.after(node) {
                let rest = self.distance[after as usize];
                if rest != INFINITE && rest + weight < self.distance[node as usize] {
                    self.distance[node as usize] = rest + weight;
                    self.next[node as usize] = after;
                }
            }
            if self.distance[node as usize] != INFINITE {
                open.push(self.distance[node as usize], node);
            }
        }
        self.search(open);
    }

    /// Dijkstra's search against the edges, from nodes with tentative distances.
    fn search(&mut self, mut open: Buckets) {
        while let Some((distance, node)) = open.pop() {
            if distance > self.distance[node as usize] {
                continue;
            }
            for &(before, weight) in self.layers.edges.before(node) {
                let through = distance + weight;
                if through < self.distance[before as usize] {
                    self.distance[before as usize] = through;
                    self.next[before as usize] = node;
                    open.push(through, before);
                }
            }
        }
    }
}

/// The flow in its two layers, whatever the targets are.
#[derive(Debug)]
struct Layers {
    edges: Edges,
    /// Nodes per layer; node `n` is "down", `nodes + n` is "up".
    nodes: u32,
    branches: u32,
    /// Where functions begin, if they are defined.
    starts: Vec<Option<u32>>,
}

impl Layers {
    fn new(program: &Program) -> Self {
        let flow = Flow::new(program);
        let starts = flow.functions.iter();
        Layers {
            edges: Edges::new(&flow),
            nodes: flow.nodes,
            branches: flow.branches,
            starts: starts.map(|ends| Some((*ends)?.0)).collect(),
        }
    }
}

/// Weighted edges by both of their ends.
#[derive(Clone, Debug)]
struct Edges {
    after_starts: Vec<u32>,
    after: Vec<(u32, u32)>,
    before_starts: Vec<u32>,
    before: Vec<(u32, u32)>,
}

impl Edges {
    fn new(flow: &Flow) -> Self {
        let edges = layered_edges(flow);
        let nodes = 2 * flow.nodes as usize;
        let (after_starts, after) = rows(nodes, edges.iter().copied());
        let reversed = edges.iter().map(|(from, to, weight)| (*to, *from, *weight));
        let (before_starts, before) = rows(nodes, reversed);
        Self {
            after_starts,
            after,
            before_starts,
            before,
        }
    }

    fn after(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.after[self.after_starts[node] as usize..self.after_starts[node + 1] as usize]
    }

    fn before(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.before[self.before_starts[node] as usize..self.before_starts[node + 1] as usize]
    }
}

/// Edges `(from, to, weight)` over both layers.
fn layered_edges(flow: &Flow) -> Vec<(u32, u32, u32)> {
    let up = flow.nodes;
    let mut edges = Vec::new();
    for &(from, to) in &flow.steps {
        let weight = u32::from(to < flow.branches);
        edges.extend([(from, to, weight), (up + from, up + to, weight)]);
    }
    let costs = call_costs(flow);
    for call in &flow.calls {
        let set = &flow.sets[call.set as usize];
        let cost = if call.open {
            Some(0)
        } else {
            costs[call.set as usize]
        };
        if let Some(cost) = cost {
            edges.extend([
                (call.at, call.after, cost),
                (up + call.at, up + call.after, cost),
            ]);
        }
        edges.push((call.at, set.into, 0));
        edges.push((up + set.out, up + call.after, 0));
    }
    for set in &flow.sets {
        for (entry, exit) in set
            .members
            .iter()
            .filter_map(|id| flow.functions[id.index()])
        {
            edges.extend([(set.into, entry, 0), (up + exit, up + set.out, 0)]);
        }
    }
    edges.extend((0..flow.nodes).map(|node| (up + node, node, 0)));
    edges
}

type Rows = (Vec<u32>, Vec<(u32, u32)>);

fn rows(nodes: usize, edges: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Rows {
    let mut starts = vec![0u32; nodes + 1];
    for (from, ..) in edges.clone() {
        starts[from as usize + 1] += 1;
    }
    for index in 0..nodes {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut items = vec![(0, 0); starts[nodes] as usize];
    for (from, to, weight) in edges {
        let slot = &mut next[from as usize];
        items[*slot as usize] = (to, weight);
        *slot += 1;
    }
    (starts, items)
}

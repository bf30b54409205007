//! What it costs to pass through a call: the least number of branches on a path from the entry
//! of a function to its return.
//!
//! The costs of all functions depend on each other through calls; they are found together, the
//! smallest first (Knuth: "A generalization of Dijkstra's algorithm", 1977).

use super::Digraph;
use super::buckets::Buckets;
use super::flow::Flow;

const INFINITE: u32 = u32::MAX;

/// For each set of callees the least number of branches that a call of it crosses before it
/// returns; `None` if none of its functions ever returns. Open calls cost nothing whatever
/// their set.
pub(super) fn call_costs(flow: &Flow) -> Vec<Option<u32>> {
    Search::new(flow).run()
}

struct Search<'a> {
    flow: &'a Flow,
    steps: Digraph,
    /// Cost from each node to the return of its function, once final.
    cost: Vec<u32>,
    is_final: Vec<bool>,
    open: Buckets,
    /// Cost of each set, once final.
    set_cost: Vec<u32>,
    /// Calls by the stretch after them, and by their set.
    call_before: Vec<u32>,
    calls_of_set: Vec<Vec<u32>>,
    /// The function that begins at a node, and the sets that contain a function.
    function_at: Vec<u32>,
    sets_of: Vec<Vec<u32>>,
}

impl<'a> Search<'a> {
    fn new(flow: &'a Flow) -> Self {
        let nodes = flow.nodes as usize;
        let mut search = Search {
            flow,
            steps: Digraph::new(nodes, &flow.steps),
            cost: vec![INFINITE; nodes],
            is_final: vec![false; nodes],
            open: Buckets::default(),
            set_cost: vec![INFINITE; flow.sets.len()],
            call_before: vec![INFINITE; nodes],
            calls_of_set: vec![Vec::new(); flow.sets.len()],
            function_at: vec![INFINITE; nodes],
            sets_of: vec![Vec::new(); flow.functions.len()],
        };
        for (index, call) in flow.calls.iter().enumerate() {
            search.call_before[call.after as usize] = index as u32;
            search.calls_of_set[call.set as usize].push(index as u32);
        }
        for (index, set) in flow.sets.iter().enumerate() {
            for member in &set.members {
                search.sets_of[member.index()].push(index as u32);
            }
        }
        for (index, ends) in flow.functions.iter().enumerate() {
            if let Some((entry, exit)) = *ends {
                search.function_at[entry as usize] = index as u32;
                search.offer(exit, 0);
            }
        }
        search
    }

    fn offer(&mut self, node: u32, cost: u32) {
        if cost < self.cost[node as usize] {
            self.cost[node as usize] = cost;
            self.open.push(cost, node);
        }
    }

    fn run(mut self) -> Vec<Option<u32>> {
        while let Some((cost, node)) = self.open.pop() {
            if std::mem::replace(&mut self.is_final[node as usize], true) {
                continue;
            }
            let crossing = cost + u32::from(node < self.flow.branches);
            for index in 0..self.steps.predecessors(node).len() {
                self.offer(self.steps.predecessors(node)[index], crossing);
            }
            if let Some(call) = self
                .flow
                .calls
                .get(self.call_before[node as usize] as usize)
            {
                let through = if call.open {
                    0
                } else {
                    self.set_cost[call.set as usize]
                };
                if through != INFINITE {
                    self.offer(call.at, cost + through);
                }
            }
            let function = self.function_at[node as usize];
            if function != INFINITE {
                self.fix_function(function, cost);
            }
        }
        let finite = |cost: u32| (cost != INFINITE).then_some(cost);
        self.set_cost.into_iter().map(finite).collect()
    }

    /// A function's cost is known: so is that of the sets in which it is the first.
    fn fix_function(&mut self, function: u32, cost: u32) {
        for set in self.sets_of[function as usize].clone() {
            if self.set_cost[set as usize] != INFINITE {
                continue;
            }
            self.set_cost[set as usize] = cost;
            for call in self.calls_of_set[set as usize].clone() {
                let call = self.flow.calls[call as usize];
                if self.is_final[call.after as usize] && !call.open {
                    self.offer(call.at, self.cost[call.after as usize] + cost);
                }
            }
        }
    }
}

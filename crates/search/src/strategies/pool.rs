//! Decisions of many runs, to draw a random open one from.

use rustc_hash::FxHashMap;

use crate::strategy::View;
use crate::tree::{Candidate, NodeId};

/// Flips of which the nearest is taken.
const DRAWN: usize = 4;

/// See the module.
#[derive(Default)]
pub(super) struct Pool {
    /// All decisions that were added and may have open flips.
    nodes: Vec<NodeId>,
}

impl Pool {
    pub(super) fn extend(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        self.nodes.extend(nodes);
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// A random open flip of a random decision; where a monitor knows how far flips are from
    /// something open, the nearest of a few.
    pub(super) fn draw(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        nearest(view, || draw_from(&mut self.nodes, view, rng))
    }
}

/// Decisions of many runs by their sites: what a loop decides a thousand times is drawn no more often
/// than what is decided once.
#[derive(Default)]
pub(super) struct SitePool {
    /// All decisions that were added and may have open flips.
    nodes: FxHashMap<u32, Vec<NodeId>>,
    /// The keys of `nodes`, in an order that repeats.
    sites: Vec<u32>,
}

impl SitePool {
    pub(super) fn extend(&mut self, view: &View, nodes: impl IntoIterator<Item = NodeId>) {
        for node in nodes {
            let site = view.tree.site(node);
            let nodes = self.nodes.entry(site).or_insert_with(|| {
                self.sites.push(site);
                Vec::new()
            });
            nodes.push(node);
        }
    }

    /// A random open flip of a random decision of a random site; where a monitor knows how far flips
    /// are from something open, the nearest of a few.
    pub(super) fn draw(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        nearest(view, || self.draw_one(view, rng))
    }

    fn draw_one(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        while !self.sites.is_empty() {
            let place = rng.usize(..self.sites.len());
            let nodes = self.nodes.entry(self.sites[place]).or_default();
            if let Some(candidate) = draw_from(nodes, view, rng) {
                return Some(candidate);
            }
            self.nodes.remove(&self.sites.swap_remove(place));
        }
        None
    }
}

/// A random open flip of a random decision of these. Decisions without one are dropped meanwhile, so
/// each costs a look once.
fn draw_from(nodes: &mut Vec<NodeId>, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
    while !nodes.is_empty() {
        let index = rng.usize(..nodes.len());
        let flips = view.tree.open_flips(nodes[index]);
        if let Some(candidate) = rng.choice(flips.collect::<Vec<_>>()) {
            return Some(candidate);
        }
        nodes.swap_remove(index);
    }
    None
}

/// What is drawn; where a monitor knows how far flips are from something open, the nearest of a few.
fn nearest(view: &View, mut draw: impl FnMut() -> Option<Candidate>) -> Option<Candidate> {
    let first = draw()?;
    if !view.tree.has_distances() {
        return Some(first);
    }
    let others: Vec<_> = (1..DRAWN).filter_map(|_| draw()).collect();
    let all = std::iter::once(first).chain(others);
    all.min_by_key(|candidate| view.tree.distance(*candidate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks, picks_with_seed};
    use crate::strategy::{Pick, RunInfo, Strategy};

    /// Draws by site, and nothing else.
    #[derive(Default)]
    struct BySite(SitePool);

    impl Strategy for BySite {
        fn name(&self) -> &str {
            "by-site"
        }

        fn observe(&mut self, view: &View, info: &RunInfo) {
            self.0.extend(view, info.new_nodes().iter());
        }

        fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
            self.0.draw(view, rng).map(Pick::Flip)
        }
    }

    /// A site that decides once is drawn as often as one that decides 30 times.
    #[test]
    fn sites_are_drawn_equally_often() {
        let goes_on = |taken: &[u32]| taken.len() < 31 && !taken.contains(&1);
        let next = move |taken: &[u32]| goes_on(taken).then(|| u32::from(!taken.is_empty()));
        let drawing = Drawing::new(&[2, 2], next);
        let order = |seed| picks_with_seed(&mut BySite::default(), &drawing, seed);
        let first = |seed| order(seed).starts_with("1 ");
        let count = (0..40).filter(|seed| first(*seed)).count();
        assert!((10..=30).contains(&count), "{count}");
    }

    #[test]
    fn all_that_is_open_is_drawn() {
        let order = picks(&mut BySite::default(), &Drawing::ladder(4));
        assert_eq!(order.split(' ').count(), 15);
    }
}

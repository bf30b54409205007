//! A cache of the values that were used last, bounded by their number and their weight.

use lru::LruCache;

use crate::tree::RunId;

/// Values by run; the one used longest ago goes first.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    entries: LruCache<RunId, Entry<T>>,
    weight: usize,
    max_weight: usize,
    max_entries: usize,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    weight: usize,
}

impl<T> Cache<T> {
    pub(crate) fn new(max_weight: usize, max_entries: usize) -> Self {
        Cache {
            entries: LruCache::unbounded(),
            weight: 0,
            max_weight,
            max_entries,
        }
    }

    /// Takes the value of a run out of the cache.
    pub(crate) fn take(&mut self, run: RunId) -> Option<T> {
        let entry = self.entries.pop(&run)?;
        self.weight -= entry.weight;
        Some(entry.value)
    }

    /// Puts a value in, or back, as the one used last.
    pub(crate) fn put(&mut self, run: RunId, value: T, weight: usize) {
        drop(self.take(run));
        self.weight += weight;
        self.entries.put(run, Entry { value, weight });
        while self.entries.len() > 1
            && (self.weight > self.max_weight || self.entries.len() > self.max_entries)
        {
            let oldest = self.entries.pop_lru();
            self.weight -= oldest.map_or(0, |(_, entry)| entry.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first() {
        let mut cache = Cache::new(10, 3);
        for run in 0..3 {
            cache.put(RunId(run), run, 1);
        }
        assert_eq!(cache.take(RunId(0)), Some(0));
        cache.put(RunId(0), 0, 1);
        cache.put(RunId(3), 3, 1);
        assert_eq!(cache.take(RunId(1)), None);
        assert_eq!(cache.take(RunId(2)), Some(2));
        cache.put(RunId(4), 4, 100);
        assert_eq!(cache.take(RunId(0)), None);
        assert_eq!(cache.take(RunId(4)), Some(4));
    }
}

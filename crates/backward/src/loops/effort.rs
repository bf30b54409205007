//! How much is tried to infer loop invariants.

/// Loops in each other whose iterations are explored.
const MAX_NESTING: usize = 2;
/// Segments of iterations for one loop with all loops in it, and in all.
const MAX_LOOP_SEGMENTS: u64 = 60;
const MAX_SEGMENTS: u64 = 600;
/// Queries for one loop with all loops in it, and in all.
const MAX_LOOP_QUERIES: u64 = 80;
const MAX_QUERIES: u64 = 600;

/// Counters of one search.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    nesting: usize,
    segments: u64,
    queries: u64,
    /// Where the counts are to end for the outermost loop.
    last_segment: u64,
    last_query: u64,
}

impl Effort {
    /// Begins with a loop: the number of loops around it; `None` if too much was tried.
    pub(super) fn begin_loop(&mut self) -> Option<usize> {
        let nesting = self.nesting;
        if nesting >= MAX_NESTING || self.segments >= MAX_SEGMENTS || self.queries >= MAX_QUERIES {
            return None;
        }
        if nesting == 0 {
            self.last_segment = self.segments + MAX_LOOP_SEGMENTS;
            self.last_query = self.queries + MAX_LOOP_QUERIES;
        }
        self.nesting += 1;
        Some(nesting)
    }

    /// The loop is over.
    pub(super) fn end_loop(&mut self) {
        self.nesting -= 1;
    }

    /// Counts a segment; whether it may be explored.
    pub(super) fn segment(&mut self) -> bool {
        self.segments += 1;
        self.segments <= self.last_segment
    }

    /// Counts a query; whether it may be asked.
    pub(super) fn query(&mut self) -> bool {
        let within = self.queries < self.last_query;
        self.queries += u64::from(within);
        within
    }

    /// Segments that were explored.
    pub(crate) fn segments(&self) -> u64 {
        self.segments
    }
}

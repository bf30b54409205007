//! The books of a session: which branches are covered, which tests the suite keeps them for, and
//! which targets are reached.
//!
//! Invariants:
//! - `kept` is the coverage of the tests in the suite, `long` that of tests whose runs are long; a run
//!   that adds to `kept` becomes a test, a long one if it adds to both;
//! - `confirmed` is the coverage of those tests that the plain program repeated; only this is
//!   reported;
//! - no branch of a run is in `unreachable`, and no target of a run is listed as unreachable: a run
//!   overrules a proof.

use labrys_program::{BranchId, Program, Site, SiteId};
use labrys_suite::{Branches, Coverage, Suite, TargetStatus, TargetSummary};
use labrys_trace::{Recording, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::runs::{Facts, PlainRun};
use crate::targets::{DIVERGENT_TESTS, Targets};

/// See the module.
pub(crate) struct Books {
    /// Branches of all runs of this session, and those that nobody looks for: `unreachable`, `passed`.
    seen: Coverage,
    /// Sides of checks that do not fail. Runs do not tell of them; what is open about a check is whether
    /// it can fail.
    passed: Coverage,
    kept: Coverage,
    long: Coverage,
    confirmed: Coverage,
    /// Branches that no run takes.
    unreachable: Coverage,
    /// Branches that count: those of oracle sites do not.
    counted: Coverage,
    /// Number of confirmed branches that count.
    covered: u64,
    /// Whether a run becomes a test though it adds nothing: the first, where only some branches
    /// count.
    wants_first: bool,
    /// By branch: tests that were kept for it and diverged.
    divergent: FxHashMap<BranchId, u8>,
    targets: Targets,
    /// Targets that runs of any build came to, confirmed or not.
    witnessed: FxHashSet<String>,
    /// What a proof called unreachable and a run reached.
    contradictions: Vec<String>,
}

impl Books {
    /// The books of a program that has not been run.
    pub(crate) fn new(program: &Program) -> Self {
        let passed: Coverage = program.passing_sides().collect();
        Books {
            seen: passed.clone(),
            passed,
            kept: Coverage::default(),
            long: Coverage::default(),
            confirmed: Coverage::default(),
            unreachable: Coverage::default(),
            counted: counted(program),
            covered: 0,
            wants_first: false,
            divergent: FxHashMap::default(),
            targets: Targets::of(program),
            witnessed: FxHashSet::default(),
            contradictions: Vec::new(),
        }
    }

    /// Of the branches that count only these do; no test is kept for those of `harness`.
    pub(crate) fn count_only(&mut self, branches: &Coverage, harness: &Coverage) {
        let both = self.counted.iter().filter(|one| branches.contains(*one));
        self.counted = both.collect();
        self.kept.union(harness);
        self.wants_first = true;
    }

    /// Takes over what a suite covers and reaches.
    pub(crate) fn resume(&mut self, suite: &Suite) {
        self.confirmed = suite.confirmed_coverage();
        self.covered = self.count(&self.confirmed);
        for case in &suite.cases {
            let books = if case.outcome.is_limit() {
                &mut self.long
            } else {
                &mut self.kept
            };
            books.union(&case.coverage);
        }
        let targets = suite.summary.iter().flat_map(|summary| &summary.targets);
        for target in targets.filter(|target| target.status == TargetStatus::Reached) {
            self.targets.reach(&target.location, target.input.clone());
        }
    }

    pub(crate) fn seen(&self) -> &Coverage {
        &self.seen
    }

    pub(crate) fn confirmed(&self) -> &Coverage {
        &self.confirmed
    }

    pub(crate) fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The number of confirmed branches that count.
    pub(crate) fn covered(&self) -> u64 {
        self.covered
    }

    /// The numbers of branches in the summary.
    pub(crate) fn branches(&self) -> Branches {
        Branches {
            total: self.counted.count() as u64,
            covered: self.covered,
            unreachable: self.count(&self.unreachable.new_over(&self.confirmed)),
        }
    }

    /// Books the branches of a run; the number of those that no run took before.
    pub(crate) fn see(&mut self, coverage: &Coverage) -> usize {
        self.seen.union(coverage)
    }

    /// Whether a run of the plain program shows a branch that no run took, a target that none
    /// reached, or something that may be a failure: a run that does not end is one.
    pub(crate) fn shows_new(&self, plain: &PlainRun) -> bool {
        plain.outcome.is_failure()
            || plain.outcome.is_limit()
            || !plain.coverage.is_subset(&self.seen)
            || plain.targets.iter().any(|name| self.targets.is_open(name))
    }

    /// A check that failed is the last decision of its run; no coverage tells of it.
    pub(crate) fn see_failed_check(&mut self, program: &Program, trace: &Trace) {
        let Some(step) = trace.steps().last() else {
            return;
        };
        let site = SiteId(step.site);
        if program.site(site).is_some_and(|site| site.oracle)
            && let Some(branch) = program.branch(site, step.direction)
        {
            self.seen.insert(branch);
        }
    }

    /// The branches that count and that no run took.
    pub(crate) fn unseen(&self) -> Coverage {
        self.counted.new_over(&self.seen)
    }

    /// Whether tests with runs that are not long cover each branch that counts.
    pub(crate) fn is_all_tested(&self) -> bool {
        self.counted.new_over(&self.kept).count() == 0
    }

    /// See [`crate::Observation::near`].
    pub(crate) fn near(
        &self,
        program: &Program,
        recording: &Recording,
        coverage: &Coverage,
    ) -> Vec<(BranchId, u32)> {
        // Where a comparison is made too early, the run need not come to the decision.
        let came = |branch: BranchId| {
            let site = program.branch_site(branch).map(|(site, _)| site);
            let site = site.and_then(|site| program.site(site));
            site.is_some_and(|site| site.branches().any(|other| coverage.contains(other)))
        };
        let near = recording.near.iter();
        near.map(|(branch, distance)| (BranchId(*branch), distance.saturating_sub(1)))
            .filter(|(branch, _)| !self.seen.contains(*branch) && came(*branch))
            .collect()
    }

    /// Whether a run adds something to the suite.
    pub(crate) fn lacks(&self, facts: &Facts, is_long: bool) -> bool {
        let mut new = facts.coverage.new_over(&self.kept);
        if is_long {
            new = new.new_over(&self.long);
        }
        self.wants_first
            || !new.is_empty()
            || facts.targets.iter().any(|name| self.targets.is_open(name))
    }

    /// Books the coverage of a confirmed test; the number of branches that it adds.
    pub(crate) fn confirm(&mut self, coverage: &Coverage, is_long: bool) -> u64 {
        self.wants_first = false;
        let books = if is_long {
            &mut self.long
        } else {
            &mut self.kept
        };
        books.union(coverage);
        let new = self.count(&coverage.new_over(&self.confirmed));
        self.confirmed.union(coverage);
        self.covered += new;
        new
    }

    /// Books what only the instrumented program did in the run of a test. A branch or target of
    /// tests that diverged is given up after a few of them, so that a program that does not repeat
    /// itself does not fill the suite.
    pub(crate) fn diverge(&mut self, facts: &Facts) {
        for name in &facts.targets {
            if !self.targets.is_reached(name) {
                self.targets.diverge(name);
            }
        }
        let known = [&self.kept, &self.long];
        let open = known
            .iter()
            .fold(facts.coverage.clone(), |open, known| open.new_over(known));
        for branch in open.iter() {
            let tries = self.divergent.entry(branch).or_insert(0);
            *tries += 1;
            if *tries >= DIVERGENT_TESTS {
                self.kept.insert(branch);
            }
        }
    }

    /// Marks a target as reached; whether that is news.
    pub(crate) fn reach(&mut self, name: &str, input: &str) -> bool {
        let new = !self.targets.is_reached(name);
        if new {
            self.targets.reach(name, Some(input.to_owned()));
        }
        new && self.targets.is_listed(name)
    }

    /// Whether a run came to a target, or took the branch that it is.
    pub(crate) fn is_witnessed(&self, name: &str, branch: Option<BranchId>) -> bool {
        let untold = |branch| self.unreachable.contains(branch) || self.passed.contains(branch);
        let taken = |branch| self.seen.contains(branch) && !untold(branch);
        self.witnessed.contains(name) || self.targets.is_reached(name) || branch.is_some_and(taken)
    }

    /// Books what a run reached against proofs; the names of what they call unreachable all the
    /// same. These count as open from now on.
    pub(crate) fn overrule(
        &mut self,
        program: &Program,
        coverage: &Coverage,
        targets: &[String],
    ) -> Vec<String> {
        let mut names = Vec::new();
        let left = self.unreachable.new_over(coverage);
        for branch in self.unreachable.new_over(&left).iter() {
            names.extend(program.branch_name(branch));
        }
        self.unreachable = left;
        for name in targets {
            if self.targets.is_unreachable(name) {
                names.push(name.clone());
            }
            if !self.witnessed.contains(name) {
                self.witnessed.insert(name.clone());
            }
        }
        for name in &names {
            self.targets.set(name, TargetStatus::Open);
        }
        self.contradictions.extend(names.iter().cloned());
        names
    }

    /// A proof says that no run comes to where one was.
    pub(crate) fn refuse_proof(&mut self, name: &str) {
        self.contradictions.push(name.to_owned());
    }

    /// What a proof called unreachable and a run reached.
    pub(crate) fn contradictions(&self) -> &[String] {
        &self.contradictions
    }

    /// Notes what is known of a target; whether it is not reached.
    pub(crate) fn set_target(&mut self, name: &str, status: TargetStatus) -> bool {
        let open = !self.targets.is_reached(name);
        if open {
            self.targets.set(name, status);
        }
        open
    }

    /// Notes that no run takes a branch; whether that is new. The branch counts as seen, so that
    /// nobody looks for it.
    pub(crate) fn exclude(&mut self, branch: BranchId) -> bool {
        let new = !self.seen.contains(branch);
        if new {
            self.unreachable.insert(branch);
            self.seen.insert(branch);
        }
        new
    }

    pub(crate) fn unreachable(&self) -> &Coverage {
        &self.unreachable
    }

    pub(crate) fn target_list(&self) -> &[TargetSummary] {
        self.targets.list()
    }

    pub(crate) fn targets_mut(&mut self) -> &mut Targets {
        &mut self.targets
    }

    fn count(&self, coverage: &Coverage) -> u64 {
        let counts = |branch: &BranchId| self.counted.contains(*branch);
        coverage.iter().filter(counts).count() as u64
    }
}

/// The branches that count.
fn counted(program: &Program) -> Coverage {
    program.counted_sites().flat_map(Site::branches).collect()
}

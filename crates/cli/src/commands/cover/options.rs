//! Options of `labrys cover`: how it searches, and when it stops.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use labrys_engine::{Budget, LONGER};
use labrys_search::STRATEGIES;

use crate::output::problem::Problem;
use crate::wiring::ending::Ending;
use crate::wiring::values::{duration, memory};

/// How to search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct StrategyOptions {
    /// Which branch to flip next
    #[arg(long, value_name = "NAME[,NAME...]", help = strategies())]
    pub(crate) strategy: Option<String>,

    /// Do not flip decisions deeper than this (dfs)
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,

    /// Length of contexts, instead of growing ones (context-guided)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fixed_k: Option<u32>,

    /// Do not leave dominating branches out of contexts (context-guided)
    #[arg(long)]
    pub(crate) no_dominators: bool,

    /// Contexts are the decisions of the calls that have not returned, not all earlier ones
    /// (context-guided)
    #[arg(long)]
    pub(crate) call_contexts: bool,

    /// Work with other techniques beside the search. All share what they find, and the one that
    /// gains more gets more of the work
    #[arg(long, value_name = "NAME[,NAME...]", value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<Companion>,

    /// Let a model checker prove open branches unreachable, or find inputs for them, in turns with
    /// the search, until no branch is open. PERCENT is the search's part of the work; else who
    /// gains more gets more
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true,
          value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) abstraction: Option<Option<u8>>,

    /// Words that inputs may have, in the format of AFL: NAME="WORD" or "WORD" on each line; may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) dictionary: Vec<PathBuf>,

    /// As --with fuzz, for strategies other than auto, which has a fuzzer beside it
    #[arg(long)]
    pub(crate) fuzz: bool,

    /// No fuzzer beside the search
    #[arg(long, conflicts_with = "fuzz")]
    pub(crate) no_fuzz: bool,

    /// Do not ask about what many decisions computed: counts, checksums, numbers from digits (auto)
    #[arg(long)]
    pub(crate) no_join: bool,

    /// Seed of all random choices [default: 1, with --resume that of the suite]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Check each run's path constraint against the run: slow, to find bugs of Labrys
    #[arg(long)]
    pub(crate) audit: bool,
}

/// A technique beside the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Companion {
    /// Changes inputs blindly: its runs are cheap and need no conditions
    Fuzz,
    /// Goes backward from open branches, and proves that some are unreachable
    Backward,
}

impl StrategyOptions {
    /// The seed of all random choices of a new suite.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Refuses parameters of strategies that are not among these.
    pub(super) fn fit(&self, names: &str) -> Result<(), Problem> {
        let parameters = [
            ("--depth", self.depth.is_some(), "dfs"),
            ("--fixed-k", self.fixed_k.is_some(), "context-guided"),
            ("--no-dominators", self.no_dominators, "context-guided"),
            ("--call-contexts", self.call_contexts, "context-guided"),
        ];
        let own = STRATEGIES[0].name;
        let lacks = |strategy| !names.split(',').any(|name| name == strategy || name == own);
        let mut parameters = parameters.into_iter().filter(|(_, given, _)| *given);
        match parameters.find(|(_, _, strategy)| lacks(*strategy)) {
            None => Ok(()),
            Some((option, _, strategy)) => Err(Problem::usage(format!(
                "{option} is a parameter of the strategy {strategy}, and the search has {names}; \
                 leave it out, or add the strategy"
            ))),
        }
    }

    pub(super) fn has(&self, companion: Companion) -> bool {
        self.with.contains(&companion)
    }

    /// Whether a fuzzer works beside a search with this strategy.
    pub(super) fn fuzzes(&self, strategy: &str) -> bool {
        let asked = self.fuzz || self.has(Companion::Fuzz);
        // A share of the work that is fixed is that of the search.
        let fixed = self.abstraction.is_some_and(|share| share.is_some());
        asked || strategy == STRATEGIES[0].name && !self.no_fuzz && !fixed
    }
}

impl StrategyOptions {
    /// Whether a search with this strategy asks about joined paths.
    pub(super) fn joins(&self, strategy: &str) -> bool {
        let fixed = self.abstraction.is_some_and(|share| share.is_some());
        strategy == STRATEGIES[0].name && !self.no_join && !fixed
    }
}

fn strategies() -> String {
    let line = |entry: &labrys_search::Entry| format!("{}: {}", entry.name, entry.summary);
    let lines: Vec<String> = STRATEGIES.iter().map(line).collect();
    format!(
        "Which branch to flip next; several alternate [default: {}, with --resume that of the \
         suite]\n{}",
        STRATEGIES[0].name,
        lines.join("\n")
    )
}

/// When to stop, and limits of runs and queries.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    /// Stop after this time: 90, 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,

    /// Stop after this many runs
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u64>,

    /// Stop after this many steps; the same steps give the same suite everywhere
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,

    /// Processes that work at a time: the search, and N - 1 runs beside it; another N may give
    /// another suite, the same N gives the same one
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) jobs: u8,

    /// Memory for the tree, for traces and for what runs record, at least 64M: 512M, 4G
    /// [default: a quarter of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,

    /// Stop when all targets that the program names by labrys_target are reached
    #[arg(long)]
    pub(crate) until_targets: bool,

    /// Stop when every branch is covered or proved unreachable, as with --abstraction; else the search
    /// goes on for failures
    #[arg(long)]
    pub(crate) until_covered: bool,

    /// A run that takes longer is cut off [default: 1s, of a function a fiftieth of its time, but at
    /// least 100ms and at most 1s; with --time less, once such runs take much of it]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout_run: Option<Duration>,

    /// The program may run for ever, as one that serves or controls: runs that do not end are no
    /// failures
    #[arg(long)]
    pub(crate) endless: bool,

    /// The solver gives up a query after this many steps; a second has about 20000 of them
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps_solver: u64,

    /// The solver gives up a query after this time, whatever its steps; with --time also after 5
    /// seconds, or a twelfth of the time if that is more
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout_solver: Duration,
}

/// The most that a run takes if the user does not say.
const RUN: Duration = Duration::from_secs(1);
/// Runs that are cut off in the time of a function, at least: some more confirm that one has no end.
const RUNS: u32 = 50;
/// But a run has this much: shorter limits would cut off runs for the machine's other work.
const LEAST: Duration = Duration::from_millis(100);

impl LimitOptions {
    /// When a run is cut off, with the time that there is for all runs of its function.
    pub(super) fn timeout_run(&self, time: Option<Duration>) -> Duration {
        let part = time.map_or(RUN, |time| (time / RUNS).clamp(LEAST, RUN));
        self.timeout_run.unwrap_or(part)
    }

    /// How many times the time of a run, which is this much, the plain program has before it is said
    /// that it does not end: where the user does not say when a run is cut off, as long as whole
    /// programs have, but no longer than half of what the function has.
    pub(super) fn longer(&self, timeout: Duration, time: Option<Duration>) -> u32 {
        let whole = LONGER * RUN;
        let most = time.map_or(whole, |time| whole.min(time / 2));
        let times = most.as_millis() / timeout.as_millis().max(1);
        match self.timeout_run {
            Some(_) => LONGER,
            None => u32::try_from(times).unwrap_or(LONGER).max(LONGER),
        }
    }

    /// Whether runs that are cut off may get less than that: where there is a limit of time, and the
    /// user did not bound that of a run.
    pub(super) fn hurries(&self, time: Option<Duration>) -> bool {
        self.timeout_run.is_none() && time.is_some()
    }

    /// Whether the same command is to find the same once more.
    pub(super) fn repeats(&self) -> bool {
        self.runs.is_some() || self.steps.is_some()
    }

    /// What is left when the program is built.
    pub(super) fn budget(&self, ending: &Ending) -> Budget {
        Budget {
            time: ending.time_left(),
            runs: self.runs,
            steps: self.steps,
            sound_goal: true,
            all_targets: self.until_targets,
            ..Budget::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        limits: LimitOptions,
    }

    /// What is said not to end has six seconds, as in whole programs, or half the time of its function; six
    /// times the limit where the user names that.
    #[test]
    fn a_function_that_ends_in_seconds_is_no_timeout() {
        let longer = |words: &str, time: u64| {
            let command = Command::parse_from(words.split(' '));
            let time = Some(Duration::from_secs(time));
            let timeout = command.limits.timeout_run(time);
            timeout * command.limits.longer(timeout, time)
        };
        assert_eq!(longer("cover", 1000), Duration::from_secs(6));
        assert_eq!(longer("cover", 10), Duration::from_secs(5));
        assert_eq!(longer("cover", 3), Duration::from_millis(1500));
        assert_eq!(longer("cover", 1), Duration::from_millis(600));
        let named = longer("cover --timeout-run 100ms", 10);
        assert_eq!(named, Duration::from_millis(600));
    }
}

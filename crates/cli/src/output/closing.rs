//! The last words of a search: what is covered, what failed, where everything is.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use labrys_engine::{End, Statistics};
use labrys_suite::{Branches, FailureSummary, Summary, TargetStatus, TargetSummary};

use crate::output::progress::{count, time};

/// So few runs a second are worth advice, after so many seconds.
const FEW_RUNS: f64 = 20.0;
const LONG: f64 = 20.0;
/// At most this many failures are listed.
const LISTED: usize = 10;

/// What came out, for people.
pub(crate) struct Closing<'a> {
    pub(crate) summary: &'a Summary,
    pub(crate) statistics: &'a Statistics,
    pub(crate) end: End,
    pub(crate) folder: &'a Path,
}

/// Why a search ended that leaves this of the branches. Runs may have taken branches that the plain
/// program did not: they count as open.
pub(crate) fn why(end: End, branches: Branches) -> &'static str {
    match end {
        End::Branches if branches.open() > 0 => {
            "every branch was taken or is proved unreachable; the plain program did not take those \
             that are open"
        }
        // One run is a test of a function without branches.
        End::Runs if branches.total == 0 => "there is no branch to cover",
        _ => end.text(),
    }
}

impl fmt::Display for Closing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.numbers(f)?;
        self.failures(f)?;
        self.targets(f)?;
        self.warnings(f)?;
        self.places(f)
    }
}

impl Closing<'_> {
    fn numbers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let branches = summary.branches;
        let percent = 100.0 * branches.covered as f64 / branches.total.max(1) as f64;
        let seconds = Duration::try_from_secs_f64(summary.seconds).unwrap_or_default();
        writeln!(
            f,
            "covered   {} of {} ({percent:.1} %)",
            branches.covered,
            count(branches.total, "branch").replace("branchs", "branches"),
        )?;
        if branches.unreachable > 0 {
            let dead = count(branches.unreachable, "branch").replace("branchs", "branches");
            writeln!(f, "dead      {dead} proved unreachable")?;
            let open = count(branches.open(), "branch").replace("branchs", "branches");
            writeln!(f, "open      {open}")?;
        }
        writeln!(f, "tests     {} kept", self.statistics.tests)?;
        let (queries, statistics) = (&summary.queries, self.statistics);
        writeln!(
            f,
            "work      {} in {}, {} ({} sat, {} unsat, {} unknown)",
            count(summary.runs, "run"),
            time(seconds),
            count(statistics.asked(), "query").replace("querys", "queries"),
            queries.sat,
            queries.unsat,
            queries.unknown,
        )?;
        if statistics.aside > 0 {
            let aside = count(statistics.aside, "seed");
            writeln!(
                f,
                "aside     {aside}, which take no branch that others do not (run without recording)"
            )?;
        }
        if statistics.fuzzed > 0 {
            let fuzzed = count(statistics.fuzzed, "run");
            let resumed = match statistics.new_runs == statistics.runs {
                true => "",
                false => ", since it was resumed",
            };
            writeln!(f, "fuzzed    {fuzzed} of the plain program{resumed}")?;
        }
        self.slow(f)?;
        self.lost(f)?;
        writeln!(f, "ended     {}", why(self.end, branches))
    }

    /// Where the time went, if there were few runs.
    fn slow(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary {
            runs_per_second: runs,
            solver_seconds,
            seconds,
            ..
        } = self.summary;
        // Without queries nothing waits for runs: the time went to the fuzzer, or to units.
        let few_queries = self.statistics.asked() < self.summary.runs;
        if *seconds < LONG || *runs >= FEW_RUNS || few_queries {
            return Ok(());
        }
        let percent = 100.0 * solver_seconds / seconds;
        // Where the plain program makes many runs meanwhile, the time went to them.
        let all = (self.summary.runs + self.statistics.fuzzed) as f64 / seconds;
        if percent < 50.0 && all >= FEW_RUNS {
            return Ok(());
        }
        // What takes more of the two; a search that goes on knows the time of its own runs only.
        let runs_take_less = self.statistics.new_runs == self.statistics.runs
            && self.statistics.run_time.as_secs_f64() < *solver_seconds;
        let advice = match percent >= 50.0 || runs_take_less {
            true => {
                "give shorter inputs to start from (--input), words (--dictionary), or less \
                 patience (--steps-solver 4000)"
            }
            false => {
                "runs take long: give a harness for the part that matters, a shorter \
                 --timeout-run, or a second processor (--jobs 2)"
            }
        };
        writeln!(
            f,
            "slow      {runs:.1} runs/s, {percent:.0} % of the time in the solver: {advice}"
        )
    }

    /// Where values stop being symbolic, if most runs lose some and there is something left to find.
    fn lost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.summary.branches.open() > 0;
        let operations = self.statistics.lost_in_operations();
        if open && operations > 0 && operations >= self.summary.runs {
            let values = count(operations, "value");
            writeln!(
                f,
                "lost      {values} in operations that are not followed (long double, half floats, \
                 assembly): what depends on them is only fuzzed"
            )?;
        }
        let calls = self.statistics.lost_in_calls();
        let all = calls.iter().map(|(_, values)| values).sum();
        let names = match calls.as_slice() {
            [] => return Ok(()),
            [(name, _)] => (*name).to_owned(),
            [(first, _), (second, _)] => format!("{first} and {second}"),
            [(first, _), (second, _), rest @ ..] => {
                format!("{first}, {second} and {} more", rest.len())
            }
        };
        if all < self.summary.runs || !open {
            return Ok(());
        }
        let values = count(all, "value");
        let of_system = |name: &str| {
            let row = labrys_library::function(name);
            row.is_some_and(|row| row.name() == name)
        };
        let advice = match calls.iter().all(|(name, _)| of_system(name)) {
            true => "",
            false => " (a library of yours: build it with labrys-cc and link it statically)",
        };
        writeln!(
            f,
            "lost      {values} in calls of {names}: what depends on them is only fuzzed{advice}"
        )
    }

    fn failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (confirmed, open): (Vec<_>, Vec<_>) = self
            .summary
            .failures
            .iter()
            .partition(|failure| failure.confirmed);
        if confirmed.is_empty() {
            writeln!(f, "failures  none")?;
        } else {
            writeln!(f, "failures  {}", confirmed.len())?;
        }
        self.list(f, &confirmed)?;
        if !open.is_empty() {
            writeln!(f, "not confirmed by the plain program: {}", open.len())?;
            self.list(f, &open)?;
        }
        Ok(())
    }

    fn list(&self, f: &mut fmt::Formatter<'_>, failures: &[&FailureSummary]) -> fmt::Result {
        for failure in failures.iter().take(LISTED) {
            let place = failure.location.as_deref().unwrap_or("unknown place");
            let input = self.folder.join(&failure.input);
            writeln!(
                f,
                "  {} at {place}{}, input {}{}",
                failure.kind,
                callers(failure, failures),
                input.display(),
                // Why it is not, where that is known.
                match failure.confirmed || failure.detail.is_empty() {
                    true => String::new(),
                    false => format!(": {}", failure.detail),
                }
            )?;
        }
        match failures.len() {
            0..=LISTED => Ok(()),
            more => writeln!(f, "  and {} more in summary.json", more - LISTED),
        }
    }

    fn targets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is = |target: &&TargetSummary, status| target.status == status;
        let (dead, all): (Vec<_>, Vec<_>) = self
            .summary
            .targets
            .iter()
            .partition(|target| is(target, TargetStatus::Unreachable));
        self.unreachable(f, &dead)?;
        if all.is_empty() {
            return Ok(());
        }
        let (reached, open): (Vec<&TargetSummary>, Vec<_>) = all
            .iter()
            .partition(|target| is(target, TargetStatus::Reached));
        let names = |targets: &[&TargetSummary]| {
            let names: Vec<&str> = targets.iter().map(|t| t.location.as_str()).collect();
            names.join(", ")
        };
        write!(f, "targets   {} of {} reached", reached.len(), all.len())?;
        if !reached.is_empty() {
            write!(f, ": {}", names(&reached))?;
        }
        if !open.is_empty() {
            write!(f, "; not reached: {}", names(&open))?;
        }
        writeln!(f)
    }

    /// What is proved, and on what it rests.
    fn unreachable(&self, f: &mut fmt::Formatter<'_>, dead: &[&TargetSummary]) -> fmt::Result {
        if dead.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "proved unreachable, if the program accesses memory inside its objects:"
        )?;
        for target in dead.iter().take(LISTED) {
            writeln!(f, "  {}", target.location)?;
        }
        match dead.len() {
            0..=LISTED => Ok(()),
            more => writeln!(f, "  and {} more in summary.json", more - LISTED),
        }
    }

    fn warnings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = self.statistics;
        if statistics.malformed > 0 {
            let runs = count(statistics.malformed, "run");
            writeln!(
                f,
                "warning   {runs} spoiled their records and could not be searched on"
            )?;
        }
        if statistics.overflows > 0 {
            let runs = count(statistics.overflows, "run");
            let (their, them) = match statistics.overflows {
                1 => ("its", "it"),
                _ => ("their", "them"),
            };
            writeln!(
                f,
                "warning   {runs} filled {their} tables; the rest of {them} was concrete"
            )?;
        }
        Ok(())
    }

    fn places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        writeln!(f, "suite     {folder}")?;
        writeln!(
            f,
            "replay    labrys replay {folder}, or without Labrys: {folder}/replay.sh"
        )
    }
}

/// Functions that are named of those that called the one of a failure, if that tells failures apart.
const CALLERS: usize = 3;

/// By which calls a failure came about, where others are of its kind and at its place: the functions
/// that called, with their lines or further back where it takes these to tell the failures apart.
fn callers(failure: &FailureSummary, failures: &[&FailureSummary]) -> String {
    let is_alike = |other: &&&FailureSummary| {
        (&other.kind, &other.location) == (&failure.kind, &failure.location)
    };
    let alike: Vec<_> = failures.iter().filter(is_alike).collect();
    if alike.len() < 2 || failure.stack.len() < 2 {
        return String::new();
    }
    let depth = alike.iter().map(|one| one.stack.len()).max().unwrap_or(0);
    let lines = (CALLERS..=depth.max(CALLERS)).map(|length| (length, true));
    let ways = std::iter::once((CALLERS, false)).chain(lines);
    let is_own = |way: &(usize, bool)| {
        let own = chain(failure, *way);
        alike.iter().filter(|one| chain(one, *way) == own).count() == 1
    };
    let way = ways.into_iter().find(is_own).unwrap_or((CALLERS, false));
    format!(", called by {}", chain(failure, way))
}

/// The functions that called the one of a failure, so many, with the lines of their calls or without.
fn chain(failure: &FailureSummary, (length, lines): (usize, bool)) -> String {
    let name = |frame: &String| {
        let Some((name, place)) = frame.rsplit_once(" (") else {
            return frame.clone();
        };
        // `/src/a.c:120:8)`
        match place.rsplit(':').nth(1).filter(|_| lines) {
            Some(line) => format!("{name}:{line}"),
            None => name.to_owned(),
        }
    };
    let frames = failure.stack.iter().skip(1).take(length);
    let names: Vec<String> = frames.map(name).collect();
    names.join(" < ")
}

#[cfg(test)]
mod tests {
    use labrys_suite::Branches;

    use super::*;

    /// Three failures at one place: names tell one of them apart, a line the others.
    #[test]
    fn callers_tell_failures_apart() {
        let failure = |frames: [&str; 4]| FailureSummary {
            kind: "heap-buffer-overflow".to_owned(),
            location: Some("/io.c:9:1".to_owned()),
            stack: frames.map(str::to_owned).to_vec(),
            ..FailureSummary::default()
        };
        let word = "word (/io.c:9:1)";
        let main = "main (/m.c:50:3)";
        let all = [
            failure([word, "field (/z.c:20:5)", "list (/m.c:7:9)", main]),
            failure([word, "field (/z.c:24:5)", "list (/m.c:7:9)", main]),
            failure([word, "test (/z.c:80:2)", "list (/m.c:7:9)", main]),
        ];
        let list: Vec<&FailureSummary> = all.iter().collect();
        let said = list.iter().map(|one| callers(one, &list));
        let expected = [
            ", called by field:20 < list:7 < main:50",
            ", called by field:24 < list:7 < main:50",
            ", called by test < list < main",
        ];
        assert_eq!(said.collect::<Vec<_>>(), expected);
        assert_eq!(callers(list[0], &list[..1]), "");
    }

    #[test]
    fn everything_is_said() {
        let failure = FailureSummary {
            kind: "SIGSEGV".to_owned(),
            location: Some("/a.c:3:1".to_owned()),
            input: "failures/000001/input".to_owned(),
            confirmed: true,
            ..FailureSummary::default()
        };
        let summary = Summary {
            branches: Branches {
                total: 8,
                covered: 6,
                unreachable: 1,
            },
            runs: 1,
            failures: vec![failure],
            targets: vec![
                TargetSummary {
                    location: "deep".to_owned(),
                    ..TargetSummary::default()
                },
                TargetSummary {
                    location: "a.c:9:7 true".to_owned(),
                    status: TargetStatus::Unreachable,
                    ..TargetSummary::default()
                },
            ],
            ..Summary::default()
        };
        let closing = Closing {
            summary: &summary,
            statistics: &Statistics {
                concretizations: [
                    ("external-call", 5),
                    ("external-call b", 1),
                    ("external-call a", 4),
                ]
                .map(|(cause, values)| (cause.to_owned(), values))
                .into(),
                ..Statistics::default()
            },
            end: End::Exhausted,
            folder: Path::new("out"),
        };
        let text = closing.to_string();
        for part in [
            "6 of 8 branches (75.0 %)",
            "1 branch proved unreachable",
            "inside its objects:\n  a.c:9:7 true\n",
            "1 run in 0.0 s, 0 queries",
            "lost      5 values in calls of a and b: ",
            "nothing more to try",
            "  SIGSEGV at /a.c:3:1, input out/failures/000001/input",
            "labrys replay out",
            "0 of 1 reached; not reached: deep",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn words_fit_what_they_are_about() {
        let mut summary = Summary {
            runs: 3,
            ..Summary::default()
        };
        summary.branches.total = 2;
        let mut statistics = Statistics {
            concretizations: [("external-call putw".to_owned(), 7)].into(),
            fuzzed: 5,
            overflows: 1,
            runs: 3,
            new_runs: 3,
            ..Statistics::default()
        };
        let told = |statistics: &Statistics| {
            let (end, folder) = (End::Exhausted, Path::new("out"));
            Closing {
                summary: &summary,
                statistics,
                end,
                folder,
            }
            .to_string()
        };
        let text = told(&statistics);
        assert!(text.contains("calls of putw: what depends on them is only fuzzed\n"));
        assert!(text.contains("5 runs of the plain program\n"));
        assert!(text.contains("1 run filled its tables; the rest of it was concrete"));
        statistics.concretizations = [("external-call mine".to_owned(), 7)].into();
        (statistics.overflows, statistics.new_runs) = (2, 1);
        let text = told(&statistics);
        assert!(text.contains("only fuzzed (a library of yours: build it with labrys-cc"));
        assert!(text.contains("5 runs of the plain program, since it was resumed\n"));
        assert!(text.contains("2 runs filled their tables; the rest of them was concrete"));
    }

    /// A slow search is told to spare what took more of its time.
    #[test]
    fn advice_is_about_what_took_more_time() {
        let told = |solver: u32, run: u64, new_runs: u64| {
            let summary = Summary {
                runs: 300,
                runs_per_second: 8.0,
                seconds: 40.0,
                solver_seconds: solver.into(),
                ..Summary::default()
            };
            let mut statistics = Statistics {
                run_time: Duration::from_secs(run),
                runs: 300,
                new_runs,
                ..Statistics::default()
            };
            statistics.queries.unsat = 9_000;
            let closing = Closing {
                summary: &summary,
                statistics: &statistics,
                end: End::Time,
                folder: Path::new("out"),
            };
            closing.to_string()
        };
        let (solver, runs) = ("give shorter inputs", "runs take long");
        assert!(told(30, 5, 300).contains(solver));
        assert!(told(17, 8, 300).contains(solver));
        assert!(told(8, 17, 300).contains(runs));
        // A part of the runs, and of their time.
        assert!(told(17, 8, 100).contains(runs));
    }

    #[test]
    fn failures_at_one_place_are_told_apart_by_their_callers() {
        let failure = |location: &str, stack: &[&str]| FailureSummary {
            location: Some(location.to_owned()),
            stack: stack.iter().map(|frame| (*frame).to_owned()).collect(),
            ..FailureSummary::default()
        };
        let all = [
            failure("a.c:3:1", &["f (a.c:3:1)", "g (a.c:9:2)", "main"]),
            failure("a.c:3:1", &["f (a.c:3:1)", "h (a.c:12:2)", "main"]),
            failure("a.c:7:1", &["k (a.c:7:1)", "main (a.c:30:3)"]),
        ];
        let all: Vec<&FailureSummary> = all.iter().collect();
        let told: Vec<String> = all.iter().map(|one| callers(one, &all)).collect();
        assert_eq!(told, [", called by g < main", ", called by h < main", ""]);
    }

    #[test]
    fn values_that_operations_lose_are_told_of_where_something_is_open() {
        let mut summary = Summary {
            runs: 3,
            ..Summary::default()
        };
        summary.branches.total = 2;
        let statistics = Statistics {
            concretizations: [("operation".to_owned(), 7)].into(),
            ..Statistics::default()
        };
        let told = |summary: &Summary| {
            let closing = Closing {
                summary,
                statistics: &statistics,
                end: End::Exhausted,
                folder: Path::new("out"),
            };
            closing
                .to_string()
                .contains("lost      7 values in operations")
        };
        assert!(told(&summary));
        summary.branches.covered = 2;
        assert!(!told(&summary));
    }
}

//! Tables and plots of the records: `bench-out/search/report.md` and one SVG file per subject.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::job::Record;
use super::statistics::{mann_whitney, mean};
use super::{ITERATIONS, plot};

/// Records of one subject by strategy, in the order of the strategies.
type Groups<'a> = Vec<(&'a str, Vec<&'a Record>)>;

/// Writes everything and prints the tables.
pub(super) fn write(out: &Path, strategies: &[String], records: &[Record]) -> Result<(), String> {
    let mut subjects: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        subjects.entry(&record.subject).or_default().push(record);
    }
    let mut text = String::new();
    for (subject, records) in subjects {
        let groups: Groups = strategies
            .iter()
            .map(|strategy| {
                let of = records.iter().filter(|record| record.strategy == *strategy);
                (strategy.as_str(), of.copied().collect::<Vec<_>>())
            })
            .filter(|(_, records)| !records.is_empty())
            .collect();
        text.push_str(&section(subject, &groups));
        let svg = plot::coverage(subject, &groups);
        save(&out.join(format!("{subject}.svg")), &svg)?;
    }
    save(&out.join("report.md"), &text)?;
    print!("{text}");
    Ok(())
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Branches covered after some runs, by seed.
fn covered(records: &[&Record], runs: u64) -> Vec<f64> {
    records
        .iter()
        .map(|record| record.at(runs) as f64)
        .collect()
}

/// The table of one subject and the test between its first two strategies.
fn section(subject: &str, groups: &Groups) -> String {
    let asked = groups
        .iter()
        .flat_map(|(_, all)| all.iter().map(|record| record.asked));
    let most = asked.max().unwrap_or(0);
    let columns: Vec<u64> = ITERATIONS
        .into_iter()
        .filter(|runs| *runs <= most)
        .collect();
    let last = columns.last().copied().unwrap_or(most);
    let mut ranked: Vec<(f64, &str, Vec<f64>)> = groups
        .iter()
        .map(|(strategy, records)| {
            let values = covered(records, last);
            (mean(&values), *strategy, values)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    // As in the paper: what the weakest strategy reached in the end.
    let target = ranked.last().map_or(0.0, |(mean, ..)| *mean);
    let total = groups.first().map_or(0, |(_, records)| records[0].total);
    let mut text = format!("## {subject} ({total} branches)\n\n| strategy | seeds |");
    for runs in &columns {
        let _ = write!(text, " {runs} runs |");
    }
    let _ = writeln!(text, " runs to {target:.1} | seconds | in the solver |");
    text.push_str(&format!("|---|---|{}\n", "---|".repeat(columns.len() + 3)));
    for (_, strategy, _) in &ranked {
        if let Some((_, records)) = groups.iter().find(|(name, _)| name == strategy) {
            text.push_str(&row(strategy, records, &columns, target));
        }
    }
    if let [(_, first, a), (_, second, b), ..] = &ranked[..] {
        let p = mann_whitney(a, b).unwrap_or(1.0);
        let _ = writeln!(
            text,
            "\nMann–Whitney U at {last} runs, {first} against {second}: p = {p:.3}"
        );
    }
    text.push('\n');
    text
}

fn row(strategy: &str, records: &[&Record], columns: &[u64], target: f64) -> String {
    let mut text = format!("| {strategy} | {} |", records.len());
    for runs in columns {
        let short = records
            .iter()
            .any(|record| record.is_cut(1.0) && record.runs < *runs);
        let mark = if short { "†" } else { "" };
        let _ = write!(text, " {:.1}{mark} |", mean(&covered(records, *runs)));
    }
    let reached = records.iter().filter_map(|record| record.runs_to(target));
    let reached: Vec<f64> = reached.map(|runs| runs as f64).collect();
    let of = match reached.len() {
        0 => "–".to_owned(),
        n if n < records.len() => format!("{:.0} ({n} of {})", mean(&reached), records.len()),
        _ => format!("{:.0}", mean(&reached)),
    };
    let average = |value: fn(&Record) -> f64| {
        mean(
            &records
                .iter()
                .map(|record| value(record))
                .collect::<Vec<_>>(),
        )
    };
    let seconds = average(|record| record.seconds);
    let solver = average(|record| record.solver_seconds);
    let _ = writeln!(text, " {of} | {seconds:.1} | {solver:.1} |");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(strategy: &str, seed: u64, branches: u64) -> Record {
        Record {
            subject: "s".to_owned(),
            strategy: strategy.to_owned(),
            seed,
            runs: 300,
            asked: 300,
            seconds: 2.0,
            solver_seconds: 1.0,
            total: 50,
            coverage: vec![(1, 10), (100, branches)],
        }
    }

    #[test]
    fn the_best_strategy_stands_first() {
        let records = [
            record("dfs", 1, 20),
            record("cfg", 1, 30),
            record("cfg", 2, 31),
        ];
        let groups: Groups = vec![
            ("dfs", vec![&records[0]]),
            ("cfg", vec![&records[1], &records[2]]),
        ];
        let text = section("s", &groups);
        let rows: Vec<&str> = text.lines().skip(4).take(2).collect();
        assert_eq!(
            rows,
            [
                "| cfg | 2 | 30.5 | 100 | 2.0 | 1.0 |",
                "| dfs | 1 | 20.0 | 100 | 2.0 | 1.0 |"
            ]
        );
        assert!(text.contains("cfg against dfs: p = 0.667"), "{text}");
        let svg = plot::coverage("s", &groups);
        assert_eq!(svg.matches("<polyline").count(), 2);
    }
}

//! A plot of coverage over runs, as SVG: one line per strategy, the mean over its seeds.

use std::fmt::Write as _;

use super::job::Record;
use super::statistics::mean;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 45.0;
/// Points of a line.
const POINTS: u64 = 200;
/// Colors that are told apart by people who see red and green alike, then the same dashed.
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000",
];

/// The plot of one subject; records by strategy.
pub(super) fn coverage(title: &str, groups: &[(&str, Vec<&Record>)]) -> String {
    let all = || groups.iter().flat_map(|(_, records)| records.iter());
    let runs = all().map(|record| record.asked).max().unwrap_or(1).max(1);
    let high = all().map(|record| record.at(runs)).max().unwrap_or(1) as f64 * 1.03;
    let low = all().map(|record| record.at(runs)).min().unwrap_or(0) as f64 * 0.6;
    let axes = Axes { runs, low, high };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{title}: branches covered by runs</text>\n"
    );
    axes.draw(&mut svg);
    // The legend is sorted as the lines end.
    let mut lines: Vec<_> = groups.iter().enumerate().collect();
    let end = |records: &[&Record]| {
        let values: Vec<f64> = records
            .iter()
            .map(|record| record.at(runs) as f64)
            .collect();
        mean(&values)
    };
    lines.sort_by(|a, b| end(&b.1.1).total_cmp(&end(&a.1.1)));
    for (place, (index, (name, records))) in lines.into_iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let dash = if index < COLORS.len() {
            ""
        } else {
            " stroke-dasharray=\"6 3\""
        };
        let style = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dash}");
        let _ = writeln!(svg, "<polyline {style} points=\"{}\"/>", axes.line(records));
        let (x, y) = (WIDTH - RIGHT + 14.0, TOP + 14.0 + 19.0 * place as f64);
        let _ = writeln!(
            svg,
            "<path {style} d=\"M{x} {y} h22\"/><text x=\"{}\" y=\"{}\">{name} ({:.0})</text>",
            x + 28.0,
            y + 4.0,
            end(records)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// From runs and branches to places.
struct Axes {
    runs: u64,
    low: f64,
    high: f64,
}

impl Axes {
    fn x(&self, run: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * run as f64 / self.runs as f64
    }

    fn y(&self, branches: f64) -> f64 {
        let part = (branches - self.low) / (self.high - self.low).max(1.0);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part.max(0.0)
    }

    fn draw(&self, svg: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in 0..=4u32 {
            let run = self.runs * u64::from(tick) / 4;
            let branches = self.low + (self.high - self.low) * f64::from(tick) / 4.0;
            let (x, y) = (self.x(run), self.y(branches));
            let _ = writeln!(
                svg,
                "<path stroke=\"#ddd\" d=\"M{x:.1} {TOP} V{bottom} M{LEFT} {y:.1} H{right}\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{run}</text>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{branches:.0}</text>",
                bottom + 18.0,
                LEFT - 6.0,
                y + 4.0,
            );
        }
        let middle = f64::midpoint(LEFT, right);
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">runs</text>",
            HEIGHT - 8.0
        );
    }

    fn line(&self, records: &[&Record]) -> String {
        let mut points = String::new();
        for point in 0..=POINTS {
            let run = self.runs * point / POINTS;
            let values: Vec<f64> = records.iter().map(|record| record.at(run) as f64).collect();
            let _ = write!(points, "{:.1},{:.1} ", self.x(run), self.y(mean(&values)));
        }
        points
    }
}

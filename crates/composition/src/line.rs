//! The lines at which units fail, and how hunts keep them.

use labrys_program::Program;
use labrys_suite::{Explored, FailedLine, Failure, Input};

/// A line at which a unit fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// `FILE:LINE`.
    pub(crate) location: String,
    pub(crate) kind: String,
    /// The function there, as stacks name it; empty if it is not known.
    pub(crate) function: String,
    /// The inputs that fail there, in the order in which they were found.
    pub(crate) inputs: Vec<Input>,
}

impl Line {
    /// The lines of those failures that are confirmed, in order.
    pub(crate) fn all(failures: &[Failure]) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for failure in failures.iter().filter(|one| one.confirmed) {
            let Some(location) = failure.location.as_deref().map(line_of) else {
                continue;
            };
            match lines.iter_mut().find(|line| line.location == location) {
                Some(line) => line.inputs.push(failure.input.clone()),
                None => {
                    let frame = failure.stack.first().map_or("", String::as_str);
                    let function = frame.split_once(" (").map_or("", |(name, _)| name);
                    lines.push(Line {
                        location: location.to_owned(),
                        kind: failure.kind.clone(),
                        function: function.to_owned(),
                        inputs: vec![failure.input.clone()],
                    });
                }
            }
        }
        lines
    }

    /// These lines as they are kept: none unless all can be found again.
    pub(crate) fn kept(lines: &[Line], program: &Program) -> Vec<FailedLine> {
        let kept: Option<Vec<FailedLine>> = lines.iter().map(|line| line.keep(program)).collect();
        kept.unwrap_or_default()
    }

    /// The lines of a unit that an earlier hunt explored; `None` if it has to run again for them.
    pub(crate) fn again(explored: &Explored, program: &Program) -> Option<Vec<Line>> {
        if explored.fails && explored.lines.is_empty() {
            return None;
        }
        let lines = explored.lines.iter();
        lines.map(|kept| Line::find(kept, program)).collect()
    }

    /// By the distance from the beginning of its function, which stays when something is added above.
    fn keep(&self, program: &Program) -> Option<FailedLine> {
        let (file, begin) = beginning(&self.function, program)?;
        let line = self.location.strip_prefix(file)?.strip_prefix(':')?;
        let line: u32 = line.parse().ok()?;
        Some(FailedLine {
            function: self.function.clone(),
            distance: line.checked_sub(begin)?,
            kind: self.kind.clone(),
            inputs: self.inputs.clone(),
        })
    }

    fn find(kept: &FailedLine, program: &Program) -> Option<Line> {
        let (file, begin) = beginning(&kept.function, program)?;
        Some(Line {
            location: format!("{file}:{}", begin.checked_add(kept.distance)?),
            kind: kept.kind.clone(),
            function: kept.function.clone(),
            inputs: kept.inputs.clone(),
        })
    }
}

/// The file and the line in which a function begins.
fn beginning<'p>(function: &str, program: &'p Program) -> Option<(&'p str, u32)> {
    let function = program.function(program.function_named(function)?)?;
    let location = function.location?;
    Some((program.file(location.file)?, location.line))
}

/// The line of a place `FILE:LINE:COLUMN`.
pub(crate) fn line_of(place: &str) -> &str {
    let mut parts = place.rsplitn(2, ':');
    match (parts.next(), parts.next()) {
        (Some(column), Some(line)) if line.contains(':') && column.parse::<u32>().is_ok() => line,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{FileId, Function, Location};

    use super::*;

    #[test]
    fn lines_are_places_without_columns() {
        assert_eq!(line_of("a/b.c:22:3"), "a/b.c:22");
        assert_eq!(line_of("a/b.c:22"), "a/b.c:22");
        assert_eq!(line_of("b.c"), "b.c");
    }

    /// A program with a function that begins in this line of `a.c`.
    fn program(line: u32) -> Program {
        let location = Location {
            file: FileId::new(0),
            line,
            column: 1,
        };
        Program {
            files: vec!["a.c".to_owned()],
            functions: vec![Function {
                name: "f".to_owned(),
                location: Some(location),
                ..Function::default()
            }],
            ..Program::default()
        }
    }

    fn line(location: &str, function: &str) -> Line {
        Line {
            location: location.to_owned(),
            kind: "SIGSEGV".to_owned(),
            function: function.to_owned(),
            inputs: vec![Input::objects([1])],
        }
    }

    fn explored(lines: Vec<FailedLine>) -> Explored {
        Explored {
            inputs: vec![Input::objects([1])],
            fails: true,
            lines,
            cut_after: None,
        }
    }

    #[test]
    fn a_line_is_found_again_when_lines_are_added_above_its_function() {
        let kept = Line::kept(&[line("a.c:12", "f")], &program(10));
        let again = Line::again(&explored(kept), &program(15));
        assert_eq!(again, Some(vec![line("a.c:17", "f")]));
    }

    #[test]
    fn a_unit_runs_again_unless_all_of_its_lines_are_found() {
        for other in [line("a.c:3", "f"), line("b.c:12", "f"), line("a.c:12", "g")] {
            let kept = Line::kept(&[line("a.c:12", "f"), other], &program(10));
            assert_eq!(Line::again(&explored(kept), &program(10)), None);
        }
    }
}

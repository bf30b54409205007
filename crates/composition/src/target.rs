//! Failure lines of units as targets.

use std::collections::{BTreeMap, VecDeque};

use labrys_program::FunctionId;

use crate::line::Line;

/// Units in which one line fails that are composed.
const MOST_ENTRIES: usize = 3;
/// The kind of failures that most units have.
const NULL: &str = "null-dereference";

/// A failure line with the units in which it fails, the deepest first.
pub(crate) struct Target {
    pub(crate) line: Line,
    pub(crate) entries: Vec<(FunctionId, Line)>,
}

/// The lines at which units fail, in the order in which they are worked on; `depths` are numbers of
/// calls from main.
pub(crate) fn targets(
    found: Vec<(FunctionId, Line)>,
    depths: &BTreeMap<FunctionId, u32>,
) -> VecDeque<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for (function, line) in found {
        let mut known = targets.iter_mut();
        match known.find(|one| one.line.location == line.location) {
            Some(target) => target.entries.push((function, line)),
            None => targets.push(Target {
                line: line.clone(),
                entries: vec![(function, line)],
            }),
        }
    }
    for target in &mut targets {
        let depth = |function: &FunctionId| depths.get(function).copied().unwrap_or(0);
        target
            .entries
            .sort_by_key(|(function, _)| u32::MAX - depth(function));
        target.entries.truncate(MOST_ENTRIES);
    }
    // A driver passes null pointers everywhere, a program seldom.
    targets.sort_by_key(|target| {
        let depths = target.entries.iter().map(|(one, _)| depths.get(one));
        (target.line.kind == NULL, depths.min())
    });
    targets.into()
}

//! Targets: places that the user names.

mod evidence;

use std::collections::BTreeSet;

use labrys_analysis::global_of;
use labrys_library::Mark;
use labrys_program::{
    BlockId, BranchId, Callee, Constant, FunctionId, Operand, Operation, Program,
};

use crate::path::Point;

pub(crate) use evidence::Evidence;

/// A target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As the user wrote it.
    pub name: String,
    /// The places that are it; any of them will do.
    pub points: Vec<Point>,
    /// Whether the program itself tells when it is there (`labrys_target`).
    pub marker: bool,
    /// The branch that it is, for a target that is one.
    pub branch: Option<BranchId>,
}

/// Why a name is no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTarget {
    /// No source file of the program ends so.
    File(String),
    /// The line has no code; the nearest lines that have some.
    Line(Vec<u32>),
    /// There is neither a function nor a marker of that name.
    Name(String),
}

impl std::fmt::Display for NoTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTarget::File(file) => write!(
                f,
                "no source file of the program is called {file}; was it compiled by labrys-cc?"
            ),
            NoTarget::Line(near) if near.is_empty() => write!(f, "the file has no code at all"),
            NoTarget::Line(near) => {
                let near: Vec<String> = near.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "there is no code on that line; near it: {}",
                    near.join(", ")
                )
            }
            NoTarget::Name(name) => write!(
                f,
                "the program has no function {name} and no labrys_target(\"{name}\"); write \
                 FILE:LINE for a line"
            ),
        }
    }
}

impl Target {
    /// The target with this name: `FILE:LINE`, a function, or a marker.
    ///
    /// # Errors
    /// If there is no such thing.
    pub fn named(program: &Program, name: &str) -> Result<Self, NoTarget> {
        let marker = markers(program, name);
        let (points, marker) = if let Some((file, line)) = line_of(name) {
            (at_line(program, file, line)?, false)
        } else if !marker.is_empty() {
            (marker, true)
        } else {
            let function = program.function_named(name);
            let defined = |id: &FunctionId| program.functions[id.index()].defined;
            let id = function
                .filter(defined)
                .ok_or_else(|| NoTarget::Name(name.to_owned()))?;
            (vec![first(id)], false)
        };
        Ok(Target {
            name: name.to_owned(),
            points,
            marker,
            branch: None,
        })
    }

    /// The target that is one side of a decision.
    #[must_use]
    pub fn branch(program: &Program, branch: BranchId) -> Option<Self> {
        let (site_id, direction) = program.branch_site(branch)?;
        let site = program.site(site_id)?;
        let function = program.function(site.function)?;
        let block = function.block(site.block)?;
        // A select decides within its block, and is searched by its block alone.
        let to = block
            .terminator
            .successors()
            .get(direction as usize)
            .copied();
        if block.terminator.site() != Some(site_id) {
            return None;
        }
        Some(Target {
            name: program.branch_name(branch)?,
            points: vec![Point {
                function: site.function,
                block: to?,
                instruction: 0,
            }],
            marker: false,
            branch: Some(branch),
        })
    }
}

fn first(function: FunctionId) -> Point {
    Point {
        function,
        block: BlockId(0),
        instruction: 0,
    }
}

/// `FILE:LINE` in its parts.
fn line_of(name: &str) -> Option<(&str, u32)> {
    let (file, line) = name.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// Calls of `labrys_target` with this name.
pub(crate) fn markers(program: &Program, name: &str) -> Vec<Point> {
    let mut points = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        for (block_id, block) in function.blocks() {
            for (at, instruction) in block.instructions.iter().enumerate() {
                if marker_name(program, &instruction.operation).as_deref() == Some(name) {
                    points.push(Point {
                        function: FunctionId::new(index),
                        block: block_id,
                        instruction: at,
                    });
                }
            }
        }
    }
    points
}

fn marker_name(program: &Program, operation: &Operation) -> Option<String> {
    let Operation::Call {
        callee: Callee::Direct(id),
        arguments,
        ..
    } = operation
    else {
        return None;
    };
    if !labrys_library::named(&program.function(*id)?.name, Mark::Target) {
        return None;
    }
    let Operand::Constant(text) = arguments.first()? else {
        return None;
    };
    let offset = match program.constant(*text)? {
        Constant::Offset { offset, .. } => usize::try_from(*offset).ok()?,
        _ => 0,
    };
    let global = program.global(global_of(program, *text)?)?;
    let bytes = &global.initializer.as_ref()?.bytes;
    let text: Vec<u8> = bytes
        .iter()
        .skip(offset)
        .copied()
        .take_while(|byte| *byte != 0)
        .collect();
    String::from_utf8(text).ok()
}

/// Each block's first instruction on a line.
fn at_line(program: &Program, file: &str, line: u32) -> Result<Vec<Point>, NoTarget> {
    let files: Vec<bool> = program
        .files
        .iter()
        .map(|path| path == file || path.ends_with(&format!("/{file}")))
        .collect();
    if !files.contains(&true) {
        return Err(NoTarget::File(file.to_owned()));
    }
    let mut points = Vec::new();
    let mut lines = BTreeSet::new();
    for (index, function) in program.functions.iter().enumerate() {
        for (block_id, block) in function.blocks() {
            let places = block
                .instructions
                .iter()
                .map(|instruction| instruction.location);
            let mut places = places.chain([block.location]).enumerate();
            let found = places.find(|(_, place)| {
                let here = place.filter(|at| files.get(at.file.index()) == Some(&true));
                lines.extend(here.map(|at| at.line).filter(|line| *line > 0));
                here.is_some_and(|at| at.line == line)
            });
            if let Some((at, _)) = found {
                points.push(Point {
                    function: FunctionId::new(index),
                    block: block_id,
                    instruction: at,
                });
            }
        }
    }
    if points.is_empty() {
        let before = lines.range(..line).next_back().copied();
        let after = lines.range(line..).next().copied();
        return Err(NoTarget::Line(before.into_iter().chain(after).collect()));
    }
    Ok(points)
}

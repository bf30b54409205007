//! Targets: places that the user names, and what shows that a run was there.
//!
//! Law: evidence is sufficient. If a run of the plain program took one of the branches and did
//! not end in between, it has been at the place. Between the branch and the place there is no
//! call that may end the run; where something in between may crash, the run must have ended by
//! itself.

use std::collections::BTreeSet;

use labrys_engine::PlainRun;
use labrys_program::{
    BlockId, BranchId, Callee, Constant, Function, FunctionId, Operand, Operation, Program, SiteId,
    Terminator,
};
use labrys_semantics::{Library, library};
use labrys_suite::Outcome;

use crate::search::Point;
use labrys_analysis::ProgramAnalysis;
use labrys_analysis::global_of;

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
        let place = site.location.and_then(|at| {
            let file = program.file(at.file)?;
            Some(format!("{file}:{}:{}", at.line, at.column))
        });
        let place = place.unwrap_or_else(|| format!("{} {}", function.name, site.block));
        Some(Target {
            // A macro makes many decisions at one place.
            name: format!("{place} {site_id} direction {direction}"),
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
    if program.function(*id)?.name != "labrys_target" {
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
            let places = block.instructions.iter().map(|one| one.location);
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

/// What shows that a run was at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Each branch shows it; the flag says that nothing in between can crash.
    branches: BTreeSet<(BranchId, bool)>,
    /// Branches of decisions that only runs that were there come to.
    behind: BTreeSet<BranchId>,
    /// Every run is there; the flag as above.
    always: Option<bool>,
}

impl Evidence {
    pub(crate) fn of(image: &ProgramAnalysis<'_>, entry: FunctionId, target: &Target) -> Self {
        let mut evidence = Evidence::default();
        if let Some(branch) = target.branch {
            evidence.branches.insert((branch, true));
            return evidence;
        }
        for point in &target.points {
            let mut seen = BTreeSet::new();
            evidence.collect(image, entry, *point, true, &mut seen);
            evidence.look_behind(image, *point);
        }
        evidence
    }

    /// A decision that the place dominates shows that a run was there, whatever may have stopped
    /// runs before it.
    fn look_behind(&mut self, image: &ProgramAnalysis<'_>, point: Point) {
        let body = image.body(point.function);
        if !body.is_reachable(point.block) {
            return;
        }
        for (index, site) in image.program().sites.iter().enumerate() {
            let ends = || {
                let function = image.function(point.function);
                let terminator = &function.blocks[site.block.index()].terminator;
                terminator.site() == Some(SiteId::new(index))
            };
            let is_behind = site.function == point.function
                && body.dominates(point.block, site.block)
                && (site.block != point.block || ends());
            if is_behind {
                self.behind.extend(site.branches());
            }
        }
    }

    fn collect(
        &mut self,
        image: &ProgramAnalysis<'_>,
        entry: FunctionId,
        point: Point,
        mut clean: bool,
        seen: &mut BTreeSet<Point>,
    ) {
        if !seen.insert(point) {
            return;
        }
        let function = image.function(point.function);
        let block = &function.blocks[point.block.index()];
        let before = &block.instructions[..point.instruction.min(block.instructions.len())];
        for instruction in before {
            match passes(image, &instruction.operation) {
                Passage::Surely => {}
                Passage::MayCrash => clean = false,
                Passage::MayStop => return,
            }
        }
        if point.block == BlockId(0) {
            if point.function == entry {
                self.always = Some(clean || self.always == Some(true));
            }
            for call in image.calls().callers(point.function) {
                let caller = image.function(call.function);
                let index = call.instruction as usize;
                let operation = &caller.blocks[call.block.index()].instructions[index].operation;
                let direct = matches!(
                    operation,
                    Operation::Call {
                        callee: Callee::Direct(_),
                        ..
                    }
                );
                if direct {
                    let point = Point {
                        function: call.function,
                        block: call.block,
                        instruction: index,
                    };
                    self.collect(image, entry, point, clean, seen);
                }
            }
            return;
        }
        for from in image.body(point.function).predecessors(point.block) {
            self.edge(image, entry, point, *from, clean, seen);
        }
    }

    fn edge(
        &mut self,
        image: &ProgramAnalysis<'_>,
        entry: FunctionId,
        point: Point,
        from: BlockId,
        clean: bool,
        seen: &mut BTreeSet<Point>,
    ) {
        let function: &Function = image.function(point.function);
        let block = &function.blocks[from.index()];
        let site = block.terminator.site();
        if let Some(site) = site {
            for (direction, to) in (0..).zip(block.terminator.successors()) {
                if let (true, Some(branch)) =
                    (to == point.block, image.program().branch(site, direction))
                {
                    self.branches.insert((branch, clean));
                }
            }
        } else if matches!(block.terminator, Terminator::Jump(_)) {
            let end = Point {
                block: from,
                instruction: block.instructions.len(),
                ..point
            };
            self.collect(image, entry, end, clean, seen);
        }
    }

    /// Branches that show it.
    pub(crate) fn branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.branches.iter().map(|(branch, _)| *branch)
    }

    /// Whether a run shows it.
    pub(crate) fn shown_by(&self, run: &PlainRun) -> bool {
        let ended = matches!(run.outcome, Outcome::Exit(_) | Outcome::AssumptionFailed);
        let taken = self
            .branches
            .iter()
            .any(|(branch, clean)| (*clean || ended) && run.coverage.contains(*branch));
        let behind = || self.behind.iter().any(|one| run.coverage.contains(*one));
        taken || behind() || self.always.is_some_and(|clean| clean || ended)
    }
}

/// Whether control comes past an operation.
enum Passage {
    Surely,
    MayCrash,
    MayStop,
}

fn passes(image: &ProgramAnalysis<'_>, operation: &Operation) -> Passage {
    match operation {
        Operation::Call {
            callee: Callee::Direct(id),
            ..
        } => {
            let called = image.function(*id);
            let known = library(&called.name);
            let quiet = matches!(
                known,
                Some(
                    Library::Harmless
                        | Library::Pure
                        | Library::InputObject(_)
                        | Library::InputValue
                        | Library::Allocates { .. }
                )
            );
            let effects = image.effects(*id);
            if !called.defined && quiet {
                Passage::Surely
            } else if effects.may_stop() || !effects.unknown().is_empty() {
                Passage::MayStop
            } else {
                Passage::MayCrash
            }
        }
        Operation::Call { .. } | Operation::Opaque { .. } => Passage::MayStop,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Binary { .. } => {
            Passage::MayCrash
        }
        Operation::Intrinsic { intrinsic, .. } => match intrinsic {
            labrys_program::Intrinsic::Trap
            | labrys_program::Intrinsic::SanitizerTrap
            | labrys_program::Intrinsic::DebugTrap => Passage::MayStop,
            _ => Passage::MayCrash,
        },
        _ => Passage::Surely,
    }
}

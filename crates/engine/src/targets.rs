//! Targets: places with a name, and what is known of each.
//!
//! A program names targets by calls of `labrys_target("name")`; a technique may add others.
//!
//! Invariant: a target that is reached stays so, with its first input.

use labrys_library::{Mark, named};
use labrys_program::{
    Callee, Constant, ConstantId, FunctionId, Instruction, Location, Operand, Operation, Program,
};
use labrys_suite::{TargetStatus, TargetSummary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{Budget, End};
use crate::place::located;

/// Tests that diverge are kept for one branch or target this often.
pub(crate) const DIVERGENT_TESTS: u8 = 3;
/// After so many tests that reach a target behind an error of memory no other is expected.
const DOUBTFUL_TESTS: u8 = 16;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    list: Vec<TargetSummary>,
    /// The targets that the program names, and the function of each.
    homes: Vec<(String, FunctionId)>,
    /// Tests that were kept for a target and diverged.
    divergent: FxHashMap<String, u8>,
    /// Tests that reached a target behind an error of memory, where none did without.
    doubtful: FxHashMap<String, u8>,
    /// The targets that techniques added.
    added: FxHashSet<String>,
    /// Whether of these only the unreachable ones are listed.
    hides_added: bool,
}

impl Targets {
    /// The targets that a program names, none of them reached.
    pub(crate) fn of(program: &Program) -> Self {
        let markers = markers(program);
        let home = |marker: &Marker| (marker.name.clone(), marker.function);
        let homes = markers.iter().map(home).collect();
        let target = |marker: Marker| TargetSummary {
            place: marker.location.and_then(|at| located(program, at)),
            location: marker.name,
            ..TargetSummary::default()
        };
        Targets {
            list: markers.into_iter().map(target).collect(),
            homes,
            divergent: FxHashMap::default(),
            doubtful: FxHashMap::default(),
            added: FxHashSet::default(),
            hides_added: false,
        }
    }

    /// Lists of the targets that techniques add only the unreachable ones.
    pub(crate) fn hide_added(&mut self) {
        self.hides_added = true;
    }

    /// A technique works on a target, which is one that it adds if the program does not name it.
    pub(crate) fn add(&mut self, name: &str) {
        if !self.list.iter().any(|target| target.location == name) {
            self.added.insert(name.to_owned());
        }
    }

    /// Whether a target is listed whatever is known of it.
    pub(crate) fn is_listed(&self, name: &str) -> bool {
        !(self.hides_added && self.added.contains(name))
    }

    /// The targets that a summary lists.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &TargetSummary> {
        let list = self.list.iter();
        list.filter(|target| {
            target.status == TargetStatus::Unreachable || self.is_listed(&target.location)
        })
    }

    pub(crate) fn list(&self) -> &[TargetSummary] {
        &self.list
    }

    pub(crate) fn is_reached(&self, name: &str) -> bool {
        let mut list = self.list.iter();
        list.any(|target| target.location == name && is_reached(target))
    }

    /// Whether a proof calls a target unreachable.
    pub(crate) fn is_unreachable(&self, name: &str) -> bool {
        let mut list = self.list.iter();
        list.any(|target| target.location == name && target.status == TargetStatus::Unreachable)
    }

    /// The number of listed targets that are reached.
    pub(crate) fn reached(&self) -> u64 {
        self.listed().filter(|target| is_reached(target)).count() as u64
    }

    /// Whether the targets that a budget asks for are reached.
    pub(crate) fn end(&self, budget: &Budget) -> Option<End> {
        let goal = budget.goal.as_ref();
        if goal.is_some_and(|goal| self.is_reached(goal) && !self.is_doubtful(goal)) {
            return Some(End::Goal);
        }
        let mut named = self.list.iter();
        let open = |target: &TargetSummary| {
            target.status == TargetStatus::Open && self.is_listed(&target.location)
        };
        let all = budget.all_targets && !self.list.is_empty() && !named.any(open);
        all.then_some(End::Targets)
    }

    /// Whether a run that reaches a target becomes a test for its sake.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        let given_up = |tries: &u8| *tries >= DIVERGENT_TESTS;
        let is_wanted = !self.is_reached(name) || self.is_doubtful(name);
        is_wanted && !self.divergent.get(name).is_some_and(given_up)
    }

    /// Whether a target is looked for that was reached, but only behind errors of memory.
    fn is_doubtful(&self, name: &str) -> bool {
        let tests = self.doubtful.get(name);
        tests.is_some_and(|tests| *tests < DOUBTFUL_TESTS)
    }

    /// A test reached a target, behind an error of memory or without one.
    pub(crate) fn judge(&mut self, name: &str, input: &str, is_doubtful: bool) {
        if is_doubtful {
            *self.doubtful.entry(name.to_owned()).or_insert(0) += 1;
        } else if self.doubtful.remove(name).is_some() {
            self.reach(name, Some(input.to_owned()));
        }
    }

    /// A test that was kept for a target diverged.
    pub(crate) fn diverge(&mut self, name: &str) {
        *self.divergent.entry(name.to_owned()).or_insert(0) += 1;
    }

    /// The functions that name open targets.
    pub(crate) fn open_homes(&self) -> Vec<FunctionId> {
        let homes = self.homes.iter();
        let open = homes.filter(|(name, _)| self.is_open(name) && !self.is_unreachable(name));
        open.map(|(_, home)| *home).collect()
    }

    /// Marks a target as reached.
    pub(crate) fn reach(&mut self, name: &str, input: Option<String>) {
        let mut list = self.list.iter();
        let known = list.position(|target| target.location == name);
        let index = known.unwrap_or_else(|| {
            self.list.push(TargetSummary {
                location: name.to_owned(),
                ..TargetSummary::default()
            });
            self.list.len() - 1
        });
        let target = &mut self.list[index];
        target.status = TargetStatus::Reached;
        target.input = input;
    }

    /// Notes what is known of a target that no run reached.
    pub(crate) fn set(&mut self, name: &str, status: TargetStatus) {
        self.add(name);
        let mut list = self.list.iter();
        let known = list.find(|target| target.location == name && target.status == status);
        let proof = known.and_then(|target| target.proof.clone());
        self.list.retain(|target| target.location != name);
        self.list.push(TargetSummary {
            location: name.to_owned(),
            place: None,
            status,
            input: None,
            proof,
        });
    }

    /// Notes the certificate that shows a target unreachable.
    pub(crate) fn certify(&mut self, name: &str, proof: &str) {
        let mut list = self.list.iter_mut();
        let claimed = |target: &&mut TargetSummary| {
            target.location == name && target.status == TargetStatus::Unreachable
        };
        if let Some(target) = list.find(claimed) {
            target.proof = Some(proof.to_owned());
        }
    }
}

fn is_reached(target: &TargetSummary) -> bool {
    target.status == TargetStatus::Reached
}

/// A marked place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Marker {
    /// The string that the call is given.
    name: String,
    /// The function of the call.
    function: FunctionId,
    /// Where the call stands, if it is known.
    location: Option<Location>,
}

/// The calls with a constant name, in the order of the bitcode; of those with the same name the
/// first.
fn markers(program: &Program) -> Vec<Marker> {
    let mut found: Vec<Marker> = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        let blocks = function.blocks();
        for instruction in blocks.flat_map(|(_, block)| &block.instructions) {
            let name = name(program, instruction);
            let name = name.filter(|name| found.iter().all(|marker| marker.name != *name));
            found.extend(name.map(|name| Marker {
                name,
                function: FunctionId::new(index),
                location: instruction.location,
            }));
        }
    }
    found
}

/// The name that an instruction gives to its place.
fn name(program: &Program, instruction: &Instruction) -> Option<String> {
    let Operation::Call {
        callee: Callee::Direct(callee),
        arguments,
        ..
    } = &instruction.operation
    else {
        return None;
    };
    match arguments.first()? {
        Operand::Constant(name) if named(&program.function(*callee)?.name, Mark::Target) => {
            string(program, *name)
        }
        _ => None,
    }
}

/// The string at a constant address.
fn string(program: &Program, address: ConstantId) -> Option<String> {
    let (global, offset) = match program.constant(address)? {
        Constant::Global(global) => (*global, 0),
        Constant::Offset { base, offset } => match program.constant(*base)? {
            Constant::Global(global) => (*global, usize::try_from(*offset).ok()?),
            _ => return None,
        },
        _ => return None,
    };
    let global = program.global(global).filter(|global| global.constant)?;
    // Zeros after the listed bytes end the string too.
    let bytes = global.initializer.as_ref()?.bytes.get(offset..)?;
    let end = bytes.iter().position(|byte| *byte == 0);
    let text = &bytes[..end.unwrap_or(bytes.len())];
    Some(String::from_utf8_lossy(text).into_owned())
}

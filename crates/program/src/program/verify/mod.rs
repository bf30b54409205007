//! The verifier: what every program model satisfies, whoever built it.
//!
//! Tables (`tables.rs`)
//! - ids in types, constants and relocations are in range; aggregates refer to smaller
//!   aggregates, constants to smaller constants, nested at most [`MAX_CONSTANT_DEPTH`] deep;
//! - entries of interned tables are distinct; integer widths are 1 to 128; integer constants fit
//!   their width; fields lie inside their struct; constants are well typed;
//! - symbols are unique; initializers fit their global; relocations ascend and do not overlap.
//!
//! Functions (`structure.rs`)
//! - an external function has no body, a defined one has; parameters are the first values;
//! - every value is defined once, in the order of ids; every id is in range;
//! - no jump leads to the entry; a phi has one operand for each predecessor, in order;
//! - in reachable blocks, a definition dominates its uses (those of phis: the end of the
//!   predecessor); unreachable blocks may use any value.
//!
//! Types (`typing.rs`)
//! - operands and results of every instruction have the types that its operation demands.
//!   Calls are free: C permits calls that do not fit the callee.
//!
//! Sites
//! - the table is the one that the bodies demand ([`Program::derived_sites`]), and bodies number
//!   their sites in that order;
//! - the files of locations are in range.
//!
//! Order
//! - every constant is used by a body, and constants are numbered by first use (children before
//!   parents, operands from left to right): what the text form relies on.

mod structure;
mod tables;
mod typing;

use crate::{BlockId, ConstantId, FunctionId, Location, Operand, Program, SiteId};

/// How deep constants may nest.
pub const MAX_CONSTANT_DEPTH: u32 = 100;

/// Something that no program model may contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where: a table entry, or a function and block.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl Program {
    /// Checks everything that this module's documentation lists.
    ///
    /// # Errors
    /// All violations found. Bodies are only checked if the tables are in order.
    pub fn verify(&self) -> Result<(), Vec<Violation>> {
        let mut report = Report::default();
        tables::check(self, &mut report);
        if report.0.is_empty() {
            for (index, function) in self.functions.iter().enumerate() {
                let id = FunctionId::new(index);
                if structure::check(self, id, function, &mut report) {
                    typing::check(self, id, function, &mut report);
                }
            }
        }
        if report.0.is_empty() {
            self.check_sites(&mut report);
            self.check_order(&mut report);
        }
        if report.0.is_empty() {
            Ok(())
        } else {
            Err(report.0)
        }
    }

    fn check_sites(&self, report: &mut Report) {
        let found = self.found_sites();
        if found.len() != self.sites.len() {
            let message = format!(
                "{} sites in bodies, {} in table",
                found.len(),
                self.sites.len()
            );
            report.add("site table", message);
            return;
        }
        for (index, (found, given)) in found.iter().zip(&self.sites).enumerate() {
            let place = || format!("site {}", SiteId::new(index));
            if found.id.index() != index {
                report.add(place(), format!("the body numbers it {}", found.id));
            }
            if found.site != *given {
                report.add(place(), format!("should be {:?}", found.site));
            }
            self.check_location(given.location, report, place);
        }
    }

    fn check_location(
        &self,
        location: Option<Location>,
        report: &mut Report,
        place: impl Fn() -> String,
    ) {
        if location.is_some_and(|at| self.file(at.file).is_none()) {
            report.add(place(), "location in an unknown file");
        }
    }

    /// Checks that constants are numbered by first use.
    fn check_order(&self, report: &mut Report) {
        let mut order = Order {
            program: self,
            next: 0,
            broken: None,
        };
        for function in &self.functions {
            for block in &function.blocks {
                let incoming = block.phis.iter().flat_map(|phi| &phi.incoming);
                incoming.for_each(|(_, operand)| order.operand(*operand));
                for instruction in &block.instructions {
                    instruction
                        .operation
                        .visit_operands(&mut |operand| order.operand(operand));
                }
                block
                    .terminator
                    .visit_operands(&mut |operand| order.operand(operand));
            }
        }
        if let Some(id) = order.broken {
            report.add(
                format!("constant {id}"),
                "not numbered in the order of first use",
            );
        } else if order.next as usize != self.constants.len() {
            report.add(format!("constant c{}", order.next), "not used");
        }
    }
}

/// The walk that numbers constants by first use.
struct Order<'a> {
    program: &'a Program,
    next: u32,
    broken: Option<ConstantId>,
}

impl Order<'_> {
    fn operand(&mut self, operand: Operand) {
        if let Operand::Constant(id) = operand {
            self.constant(id);
        }
    }

    fn constant(&mut self, id: ConstantId) {
        if id.0 < self.next {
            return;
        }
        if let Some(constant) = self.program.constant(id) {
            constant
                .children()
                .into_iter()
                .for_each(|child| self.constant(child));
        }
        if id.0 == self.next {
            self.next += 1;
        } else if id.0 > self.next {
            self.broken.get_or_insert(id);
        }
    }
}

/// Violations found so far.
#[derive(Default)]
struct Report(Vec<Violation>);

impl Report {
    fn add(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.0.push(Violation {
            place: place.into(),
            message: message.into(),
        });
    }

    /// Notes a violation in a block.
    fn at(&mut self, function: FunctionId, block: BlockId, message: impl Into<String>) {
        self.add(format!("{function} {block}"), message);
    }
}

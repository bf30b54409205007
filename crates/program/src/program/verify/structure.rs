//! Checks of the shape of functions: ids, definitions, jumps, phis, dominance.

use super::Report;
use super::tables::valid_value;
use crate::graph::{Digraph, Dominators};
use crate::{
    Block, BlockId, Callee, Function, FunctionId, Operand, Operation, Program, Type, ValueId,
};

/// Where a value is defined: block, and position in it. Parameters and phis come first.
#[derive(Clone, Copy)]
struct Definition {
    block: u32,
    position: u32,
}

/// Whether the shape is good enough to check types.
pub(super) fn check(
    program: &Program,
    id: FunctionId,
    function: &Function,
    report: &mut Report,
) -> bool {
    let before = report.0.len();
    head(program, id, function, report);
    if report.0.len() == before {
        let mut checker = Checker {
            program,
            id,
            function,
            report,
            definitions: Vec::new(),
        };
        checker.definitions();
        if checker.report.0.len() == before && checker.ids() {
            checker.graph();
        }
    }
    report.0.len() == before
}

fn head(program: &Program, id: FunctionId, function: &Function, report: &mut Report) {
    let place = || format!("function {id}");
    let parameters = function.parameters.iter().map(|parameter| parameter.ty);
    let first_values = function
        .values
        .iter()
        .copied()
        .take(function.parameters.len());
    if !parameters.eq(first_values) {
        report.add(place(), "parameters are not the first values");
    }
    if function.values.iter().any(|ty| !valid_value(program, *ty)) {
        report.add(place(), "a value has an unknown type");
    }
    if function.result != Type::Void && !valid_value(program, function.result) {
        report.add(place(), "the result has an unknown type");
    }
    if function.defined == function.blocks.is_empty() {
        report.add(
            place(),
            "a function has a body if and only if it is defined",
        );
    }
    if !function.defined && function.values.len() != function.parameters.len() {
        report.add(place(), "an external function has values");
    }
    program.check_location(function.location, report, place);
}

struct Checker<'a> {
    program: &'a Program,
    id: FunctionId,
    function: &'a Function,
    report: &'a mut Report,
    definitions: Vec<Definition>,
}

impl Checker<'_> {
    /// Every value is defined once, in order.
    fn definitions(&mut self) {
        let entry = Definition {
            block: 0,
            position: 0,
        };
        self.definitions = vec![entry; self.function.parameters.len()];
        for (block_id, block) in self.function.blocks() {
            for phi in &block.phis {
                self.define(phi.result, block_id, 0);
            }
            for (position, instruction) in (1..).zip(&block.instructions) {
                if let Some(result) = instruction.result {
                    self.define(result, block_id, position);
                }
            }
        }
        if self.definitions.len() != self.function.values.len() {
            let message = format!(
                "{} values are defined, {} have a type",
                self.definitions.len(),
                self.function.values.len()
            );
            self.report.add(format!("function {}", self.id), message);
        }
    }

    fn define(&mut self, value: ValueId, block: BlockId, position: u32) {
        if value.index() != self.definitions.len() {
            self.report
                .at(self.id, block, format!("{value} is defined out of order"));
        }
        self.definitions.push(Definition {
            block: block.0,
            position,
        });
    }

    /// Every id in the blocks is in range.
    fn ids(&mut self) -> bool {
        let before = self.report.0.len();
        for (block_id, block) in self.function.blocks() {
            let known = |operand| self.program.operand_type(self.function, operand).is_some();
            let mut operands = block.phis.iter().flat_map(|phi| &phi.incoming);
            let mut ok = operands.all(|(_, operand)| known(*operand));
            for instruction in &block.instructions {
                let place = || format!("{} {block_id}", self.id);
                self.program
                    .check_location(instruction.location, self.report, place);
                instruction
                    .operation
                    .visit_operands(&mut |operand| ok &= known(operand));
                if let Operation::Call {
                    callee: Callee::Direct(callee),
                    ..
                } = instruction.operation
                {
                    ok &= self.program.function(callee).is_some();
                }
            }
            let place = || format!("{} {block_id}", self.id);
            self.program
                .check_location(block.location, self.report, place);
            block
                .terminator
                .visit_operands(&mut |operand| ok &= known(operand));
            let count = self.function.blocks.len();
            ok &= block
                .terminator
                .successors()
                .iter()
                .all(|to| to.index() < count);
            if !ok {
                self.report
                    .at(self.id, block_id, "refers to an id that is not there");
            }
        }
        self.report.0.len() == before
    }

    /// Phis fit the predecessors, and definitions dominate uses.
    fn graph(&mut self) {
        if self.function.blocks.is_empty() {
            return;
        }
        let graph = Digraph::of_function(self.function);
        let dominators = Dominators::new(&graph, 0);
        if !graph.predecessors(0).is_empty() {
            self.report
                .at(self.id, BlockId(0), "a jump leads to the entry");
        }
        for (block_id, block) in self.function.blocks() {
            let mut predecessors = graph.predecessors(block_id.0).to_vec();
            predecessors.sort_unstable();
            predecessors.dedup();
            let mut fits = true;
            for phi in &block.phis {
                let from = phi.incoming.iter().map(|(from, _)| from.0);
                if !from.eq(predecessors.iter().copied()) {
                    let message = format!("{} does not fit the predecessors", phi.result);
                    self.report.at(self.id, block_id, message);
                    fits = false;
                }
            }
            // The blocks that a misfit names may not exist.
            if fits && dominators.reachable(block_id.0) {
                self.dominance(&dominators, block_id, block);
            }
        }
    }

    fn dominance(&mut self, dominators: &Dominators, id: BlockId, block: &Block) {
        for phi in &block.phis {
            for (from, operand) in &phi.incoming {
                // A phi reads its operand at the end of the predecessor.
                if dominators.reachable(from.0) {
                    self.check_use(dominators, *operand, *from, u32::MAX);
                }
            }
        }
        for (position, instruction) in (1..).zip(&block.instructions) {
            instruction
                .operation
                .visit_operands(&mut |operand| self.check_use(dominators, operand, id, position));
        }
        block
            .terminator
            .visit_operands(&mut |operand| self.check_use(dominators, operand, id, u32::MAX));
    }

    fn check_use(&mut self, tree: &Dominators, operand: Operand, block: BlockId, position: u32) {
        let Operand::Value(value) = operand else {
            return;
        };
        let definition = self.definitions[value.index()];
        let parameter = value.index() < self.function.parameters.len();
        let dominated = if definition.block == block.0 {
            parameter || definition.position < position
        } else {
            tree.dominates(definition.block, block.0)
        };
        if !dominated {
            self.report.at(
                self.id,
                block,
                format!("{value} is used where it may be undefined"),
            );
        }
    }
}

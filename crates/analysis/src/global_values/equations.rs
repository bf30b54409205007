//! The numbers and the functions that values may be, where they come from constants alone: the
//! least fixpoint of a system of equations over sets of items.
//!
//! Law: a value with a set is one of its items, in every run, whenever it is computed. A set only
//! grows towards the fixpoint, and one that grows too large is given up.

use std::collections::{BTreeSet, VecDeque};

use labrys_program::graph::CallGraph;
use labrys_program::{
    Callee, Cast, FunctionId, GlobalId, Linkage, Operand, Operation, Program, Terminator, Type,
    ValueId,
};
use rustc_hash::FxHashMap;

use super::GlobalPart;
use super::accesses::{Accesses, Content, initial};
use super::item::{Item, constant, relocated};
use crate::calls::passed_arguments;
use crate::external_calls::ExternalCalls;
use crate::second_returns::SecondReturns;

/// Numbers in one set at most.
const MAX_NUMBERS: usize = 16;

/// Functions in one set at most.
const MAX_FUNCTIONS: usize = 256;

/// A variable of the equations: it has a set of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Cell(GlobalId, GlobalPart),
    /// A pointer from any place of a global.
    Anywhere(GlobalId),
    Value(FunctionId, ValueId),
    /// The value that a function returns.
    Result(FunctionId),
}

/// A part of the union that a set is.
#[derive(Clone, Copy)]
enum Source {
    Item(Item),
    Same(NodeId),
    /// The numbers of another, of so many bits, cast to so many.
    Cast(Cast, u32, u32, NodeId),
    Unknown,
}

/// See the module.
pub(crate) struct Equations<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    external: &'a ExternalCalls,
    second_returns: &'a SecondReturns,
    accesses: &'a Accesses,
    definitions: FxHashMap<FunctionId, FxHashMap<ValueId, Defined<'a>>>,
    ids: FxHashMap<Node, NodeId>,
    nodes: Vec<Node>,
    sources: Vec<Vec<Source>>,
}

#[derive(Clone, Copy)]
enum Defined<'a> {
    Phi(&'a [(labrys_program::BlockId, Operand)]),
    By(&'a Operation),
}

impl<'a> Equations<'a> {
    pub(crate) fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        external: &'a ExternalCalls,
        second_returns: &'a SecondReturns,
        accesses: &'a Accesses,
    ) -> Self {
        Equations {
            program,
            calls,
            external,
            second_returns,
            accesses,
            definitions: FxHashMap::default(),
            ids: FxHashMap::default(),
            nodes: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// The variable of a part of a global.
    pub(crate) fn variable(&mut self, global: GlobalId, part: GlobalPart) -> NodeId {
        self.node(Node::Cell(global, part))
    }

    /// The variable of a value.
    pub(crate) fn of_value(&mut self, function: FunctionId, value: ValueId) -> NodeId {
        self.node(Node::Value(function, value))
    }

    fn node(&mut self, node: Node) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The smallest sets that satisfy the equations.
    pub(crate) fn solve(mut self) -> Solution {
        while let Some(node) = self.nodes.get(self.sources.len()).copied() {
            let sources = self.equation(node);
            self.sources.push(sources);
        }
        let mut users = vec![Vec::new(); self.nodes.len()];
        for (user, sources) in self.sources.iter().enumerate() {
            for source in sources {
                if let Source::Same(from) | Source::Cast(.., from) = source {
                    users[from.index()].push(user);
                }
            }
        }
        let mut sets: Vec<Option<BTreeSet<Item>>> = vec![Some(BTreeSet::new()); self.nodes.len()];
        let mut queue: VecDeque<usize> = (0..self.nodes.len()).collect();
        while let Some(index) = queue.pop_front() {
            if sets[index].is_none() {
                continue;
            }
            let set = union(&self.sources[index], &sets);
            if set != sets[index] {
                sets[index] = set;
                queue.extend(&users[index]);
            }
        }
        Solution { sets }
    }

    fn equation(&mut self, node: Node) -> Vec<Source> {
        match node {
            Node::Cell(global, part) => {
                let begin = initial(self.program, global, part);
                let mut sources = vec![begin.map_or(Source::Unknown, Source::Item)];
                for stored in self.accesses.stores_to(global, part) {
                    sources.push(self.operand(stored.function, stored.value));
                }
                sources
            }
            Node::Anywhere(global) => self.anywhere(global).unwrap_or_else(unknown),
            Node::Result(function) => {
                let blocks = &self.program.functions[function.index()].blocks;
                let ends = blocks.iter().map(|block| &block.terminator);
                let returned = ends.filter_map(|end| match end {
                    Terminator::Return(value) => *value,
                    _ => None,
                });
                let returned: Vec<Operand> = returned.collect();
                let sources = returned.into_iter();
                sources.map(|value| self.operand(function, value)).collect()
            }
            Node::Value(function, value) => self.value(function, value).unwrap_or_else(unknown),
        }
    }

    /// What any place of a global may hold; `None` if its stores are not known.
    fn anywhere(&mut self, global: GlobalId) -> Option<Vec<Source>> {
        let initializer = self.program.globals[global.index()].initializer.as_ref()?;
        let mut sources = vec![Source::Item(Item::Data)];
        for relocation in &initializer.relocations {
            sources.push(Source::Item(relocated(self.program, &relocation.target)?));
        }
        for stored in self.accesses.all_stores_to(global)? {
            sources.push(self.operand(stored.function, stored.value));
        }
        Some(sources)
    }

    fn operand(&mut self, function: FunctionId, operand: Operand) -> Source {
        if self.second_returns.are_in(function) {
            // A constant may be what the compiler made of a variable.
            return Source::Unknown;
        }
        match operand {
            Operand::Constant(id) => {
                constant(self.program, id).map_or(Source::Unknown, Source::Item)
            }
            Operand::Value(value) => Source::Same(self.node(Node::Value(function, value))),
        }
    }

    fn ty(&self, function: FunctionId, operand: Operand) -> Option<Type> {
        let program = self.program;
        program.operand_type(program.function(function)?, operand)
    }

    /// Where a value comes from; `None` if from anywhere.
    fn value(&mut self, id: FunctionId, value: ValueId) -> Option<Vec<Source>> {
        if self.second_returns.are_in(id) {
            return None;
        }
        let function = self.program.function(id)?;
        let ty = function.value_type(value)?;
        let width = ty.width()?;
        if value.index() < function.parameters.len() {
            return self.parameter(id, value.index(), ty);
        }
        let operation = match self.defined(id, value)? {
            Defined::Phi(incoming) => {
                let incoming = incoming.iter();
                let sources = incoming.map(|(_, operand)| self.operand(id, *operand));
                return Some(sources.collect());
            }
            Defined::By(operation) => operation,
        };
        Some(match operation {
            Operation::Load { .. } => vec![self.load(id, value, width)?],
            Operation::Compare { .. } | Operation::FloatCompare { .. } => {
                [0, 1].map(|bit| Source::Item(Item::Number(bit))).to_vec()
            }
            Operation::Select {
                if_true, if_false, ..
            } => vec![self.operand(id, *if_true), self.operand(id, *if_false)],
            Operation::Freeze(operand) => vec![self.operand(id, *operand)],
            Operation::Cast {
                cast: cast @ (Cast::Truncate | Cast::ZeroExtend | Cast::SignExtend),
                value: operand,
            } => {
                let from = self.ty(id, *operand)?.width()?;
                vec![match self.operand(id, *operand) {
                    Source::Item(Item::Number(bits)) => {
                        Source::Item(Item::Number(converted(*cast, from, width, bits)))
                    }
                    Source::Same(node) => Source::Cast(*cast, from, width, node),
                    _ => return None,
                }]
            }
            Operation::Call {
                callee: Callee::Direct(callee),
                ..
            } => {
                let called = self.program.function(*callee)?;
                let known = called.defined && called.linkage == Linkage::Internal;
                if !known || called.result != ty {
                    return None;
                }
                vec![Source::Same(self.node(Node::Result(*callee)))]
            }
            _ => return None,
        })
    }

    fn defined(&mut self, id: FunctionId, value: ValueId) -> Option<Defined<'a>> {
        let program = self.program;
        let function = &program.functions[id.index()];
        let known = self.definitions.entry(id).or_insert_with(|| {
            let mut known = FxHashMap::default();
            for block in &function.blocks {
                for phi in &block.phis {
                    known.insert(phi.result, Defined::Phi(&phi.incoming));
                }
                for instruction in &block.instructions {
                    let result = instruction.result;
                    known.extend(result.map(|value| (value, Defined::By(&instruction.operation))));
                }
            }
            known
        });
        known.get(&value).copied()
    }

    fn load(&mut self, id: FunctionId, value: ValueId, width: u32) -> Option<Source> {
        let Some((global, part)) = self.accesses.loaded(id, value) else {
            let global = self.accesses.table_of(id, value)?;
            return Some(Source::Same(self.node(Node::Anywhere(global))));
        };
        if part.1.checked_mul(8) != Some(u64::from(width)) {
            return None;
        }
        match self.accesses.content(self.program, global, part) {
            Content::Initial(item) => Some(Source::Item(item)),
            Content::Cell => Some(Source::Same(self.node(Node::Cell(global, part)))),
            Content::Unknown => None,
        }
    }

    /// The arguments for a parameter, where all calls are known.
    fn parameter(&mut self, id: FunctionId, index: usize, ty: Type) -> Option<Vec<Source>> {
        let function = self.program.function(id)?;
        let hidden = function.linkage == Linkage::Internal && !function.address_taken;
        if !hidden || self.external.may_call(id) || function.parameters[index].by_value.is_some() {
            return None;
        }
        let mut sources = Vec::new();
        for call in self.calls.callers(id) {
            let caller = &self.program.functions[call.function.index()];
            let passed = *passed_arguments(caller, call, id)?.get(index)?;
            if self.ty(call.function, passed) != Some(ty) {
                return None;
            }
            sources.push(self.operand(call.function, passed));
        }
        Some(sources)
    }
}

/// The sets that satisfy the equations.
pub(crate) struct Solution {
    sets: Vec<Option<BTreeSet<Item>>>,
}

impl Solution {
    /// The numbers that a variable may be; `None` if it may be anything else.
    pub(crate) fn numbers(&self, id: NodeId) -> Option<Vec<u128>> {
        let set = self.sets[id.index()].as_ref()?.iter();
        set.map(|item| item.number()).collect()
    }

    /// The functions that a call of a variable may reach; `None` if it may be any.
    pub(crate) fn functions(&self, id: NodeId) -> Option<Vec<FunctionId>> {
        let set = self.sets[id.index()].as_ref()?.iter();
        // No function lies where a number says: executables may be loaded anywhere.
        let functions = set.filter_map(|item| match item {
            Item::Function(function) => Some(*function),
            Item::Number(_) | Item::Data => None,
        });
        Some(functions.collect())
    }
}

/// The union of what the sources hold now; `None` if that is too much.
fn union(sources: &[Source], sets: &[Option<BTreeSet<Item>>]) -> Option<BTreeSet<Item>> {
    let mut all = BTreeSet::new();
    for source in sources {
        match source {
            Source::Item(item) => {
                all.insert(*item);
            }
            Source::Same(node) => all.extend(sets[node.index()].as_ref()?),
            Source::Cast(cast, from, to, node) => {
                for item in sets[node.index()].as_ref()? {
                    let Item::Number(bits) = item else {
                        return None;
                    };
                    all.insert(Item::Number(converted(*cast, *from, *to, *bits)));
                }
            }
            Source::Unknown => return None,
        }
    }
    let is_function = |item: &&Item| matches!(item, Item::Function(_));
    let functions = all.iter().filter(is_function).count();
    let few = functions <= MAX_FUNCTIONS && all.len() - functions <= MAX_NUMBERS;
    few.then_some(all)
}

fn unknown() -> Vec<Source> {
    vec![Source::Unknown]
}

/// The result of a cast of an integer of one width to another.
fn converted(cast: Cast, from: u32, to: u32, bits: u128) -> u128 {
    let mask = |width: u32| u128::MAX >> (128 - width.clamp(1, 128));
    let negative = bits >> (from.clamp(1, 128) - 1) & 1 == 1;
    match cast {
        Cast::SignExtend if negative => (bits | !mask(from)) & mask(to),
        _ => bits & mask(to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_of_numbers() {
        let table = [
            (Cast::Truncate, 32, 8, 0x1_ff, 0xff),
            (Cast::ZeroExtend, 8, 32, 0xff, 0xff),
            (Cast::SignExtend, 8, 32, 0x80, 0xffff_ff80),
            (Cast::SignExtend, 8, 32, 0x7f, 0x7f),
            (Cast::SignExtend, 1, 128, 1, u128::MAX),
        ];
        for (cast, from, to, bits, expected) in table {
            assert_eq!(
                converted(cast, from, to, bits),
                expected,
                "{cast:?} {bits:x}"
            );
        }
    }
}

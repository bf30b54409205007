//! A function with its analyses: definitions, control flow, dominators, loops, stack objects.
//!
//! Law: the value of an operation without effects, where its definition dominates, is the
//! operation on the operands' values at the same place (control cannot pass a definition of an
//! operand in between without passing the value's own). So only phis, loads, calls and the like
//! need a symbol.

use std::collections::VecDeque;

use labrys_program::graph::{Digraph, Dominators};
use labrys_program::{BlockId, Function, Operand, Operation, Program, Terminator, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::Place;
use crate::escape;
use crate::formats::Formats;
use crate::loops::{Loop, Loops};

/// Where a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// It is a parameter.
    Parameter,
    /// A phi of this block.
    Phi(BlockId),
    /// The instruction of this block with this index.
    Instruction(BlockId, usize),
}

/// See the module.
#[derive(Debug)]
pub struct Body {
    definitions: Vec<Definition>,
    predecessors: Vec<Vec<BlockId>>,
    successors: Vec<Vec<BlockId>>,
    dominators: Dominators,
    loops: Loops,
    distances: Vec<u32>,
    private: FxHashSet<ValueId>,
    frame_objects: FxHashSet<ValueId>,
    accesses: FxHashMap<ValueId, Vec<Place>>,
    fails_certainly: bool,
}

impl Body {
    pub(crate) fn new(program: &Program, formats: &Formats, function: &Function) -> Self {
        let graph = Digraph::of_function(function);
        let mut successors = Vec::new();
        let mut predecessors = vec![Vec::new(); function.blocks.len()];
        for (id, block) in function.blocks() {
            let mut next = block.terminator.successors();
            next.sort();
            next.dedup();
            for to in &next {
                predecessors[to.index()].push(id);
            }
            successors.push(next);
        }
        let dominators = Dominators::new(&graph, 0);
        for from in &mut predecessors {
            from.retain(|block| dominators.reachable(block.0));
        }
        let frame_objects = frame_objects(function);
        Body {
            definitions: definitions(function),
            distances: distances(&successors),
            private: escape::private_objects(program, formats, function, &frame_objects),
            loops: Loops::of(&graph, &dominators, &predecessors),
            accesses: accesses(function, &frame_objects),
            fails_certainly: fails_certainly(function),
            predecessors,
            successors,
            dominators,
            frame_objects,
        }
    }

    /// Where a value is defined.
    #[must_use]
    pub fn definition(&self, value: ValueId) -> Definition {
        self.definitions[value.index()]
    }

    /// The blocks from which control comes to a block, each once; only those that control reaches
    /// from the entry.
    #[must_use]
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// The blocks to which control goes from a block, each once.
    #[must_use]
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// Whether control comes from the entry to a block.
    #[must_use]
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.dominators.reachable(block.0)
    }

    /// Whether a check of undefined behavior fails wherever control comes to it: nothing behind it is
    /// reachable.
    #[must_use]
    pub fn fails_certainly(&self) -> bool {
        self.fails_certainly
    }

    /// Whether all paths from the entry to the second block go through the first.
    #[must_use]
    pub fn dominates(&self, first: BlockId, second: BlockId) -> bool {
        self.dominators.dominates(first.0, second.0)
    }

    /// The last block, other than itself, that dominates a block.
    #[must_use]
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators.immediate(block.0).map(BlockId)
    }

    /// The natural loop with this header.
    #[must_use]
    pub fn loop_at(&self, header: BlockId) -> Option<&Loop> {
        self.loops.at(header)
    }

    /// Whether a cycle has more than one entry, so that some cycle is no natural loop.
    #[must_use]
    pub fn is_irreducible(&self) -> bool {
        self.loops.is_irreducible()
    }

    /// Blocks between the entry and a block, at least.
    #[must_use]
    pub fn distance_from_entry(&self, block: BlockId) -> u32 {
        self.distances[block.index()]
    }

    /// Stack objects that each frame makes once, in the entry block, with a constant size.
    #[must_use]
    pub fn frame_objects(&self) -> &FxHashSet<ValueId> {
        &self.frame_objects
    }

    /// Whether two frame objects are certainly alive together at some time, so that compilers give
    /// each a place of its own: one is accessed between two accesses of the other, on all paths. The
    /// path from where the other's life begins to the later access leads by both.
    #[must_use]
    pub fn are_alive_together(&self, a: ValueId, b: ValueId) -> bool {
        let none = Vec::new();
        let [a, b] = [a, b].map(|object| self.accesses.get(&object).unwrap_or(&none));
        self.encloses(a, b) || self.encloses(b, a)
    }

    /// Whether one of the inner places is between two of the outer ones, on all paths.
    fn encloses(&self, outer: &[Place], inner: &[Place]) -> bool {
        inner.iter().any(|at| {
            outer.iter().any(|first| self.comes_before(*first, *at))
                && outer.iter().any(|last| self.comes_before(*at, *last))
        })
    }

    /// Whether all paths to the second place lead by the first.
    fn comes_before(&self, first: Place, second: Place) -> bool {
        match first.0 == second.0 {
            true => first.1 < second.1,
            false => self.dominates(first.0, second.0),
        }
    }

    /// Whether a value is the address of one of the [`Body::frame_objects`] and stays in the
    /// function.
    #[must_use]
    pub fn is_private(&self, value: ValueId) -> bool {
        self.private.contains(&value)
    }
}

/// Accesses of an object that [`Body::are_alive_together`] looks at.
const MAX_ACCESSES: usize = 32;

/// The first loads and stores of each frame object that name it.
fn accesses(
    function: &Function,
    frame_objects: &FxHashSet<ValueId>,
) -> FxHashMap<ValueId, Vec<Place>> {
    let mut objects: FxHashMap<ValueId, ValueId> = frame_objects
        .iter()
        .map(|object| (*object, *object))
        .collect();
    let mut accesses: FxHashMap<ValueId, Vec<Place>> = FxHashMap::default();
    for (id, block) in function.blocks() {
        for (index, instruction) in block.instructions.iter().enumerate() {
            match (&instruction.operation, instruction.result) {
                (
                    Operation::Address {
                        base: Operand::Value(base),
                        ..
                    },
                    Some(result),
                ) => {
                    if let Some(object) = objects.get(base).copied() {
                        objects.insert(result, object);
                    }
                }
                (
                    Operation::Load {
                        address: Operand::Value(address),
                        ..
                    }
                    | Operation::Store {
                        address: Operand::Value(address),
                        ..
                    },
                    _,
                ) => {
                    let places = objects
                        .get(address)
                        .map(|one| accesses.entry(*one).or_default());
                    if let Some(places) = places.filter(|places| places.len() < MAX_ACCESSES) {
                        places.push((id, index));
                    }
                }
                _ => {}
            }
        }
    }
    accesses
}

fn definitions(function: &Function) -> Vec<Definition> {
    let mut definitions = vec![Definition::Parameter; function.values.len()];
    for (id, block) in function.blocks() {
        for phi in &block.phis {
            definitions[phi.result.index()] = Definition::Phi(id);
        }
        for (index, instruction) in block.instructions.iter().enumerate() {
            if let Some(result) = instruction.result {
                definitions[result.index()] = Definition::Instruction(id, index);
            }
        }
    }
    definitions
}

/// Whether a block goes to the trap of a check whatever is computed.
fn fails_certainly(function: &Function) -> bool {
    function
        .blocks
        .iter()
        .any(|block| matches!(block.terminator, Terminator::Jump(to) if function.traps_at(to)))
}

fn frame_objects(function: &Function) -> FxHashSet<ValueId> {
    let entry = function.blocks.first();
    let instructions = entry.iter().flat_map(|block| &block.instructions);
    let objects = instructions.filter(|instruction| {
        matches!(
            instruction.operation,
            Operation::Allocate {
                count: Operand::Constant(_),
                ..
            }
        )
    });
    objects
        .filter_map(|instruction| instruction.result)
        .collect()
}

fn distances(successors: &[Vec<BlockId>]) -> Vec<u32> {
    let mut distance = vec![u32::MAX; successors.len()];
    let mut queue = VecDeque::new();
    if let Some(first) = distance.first_mut() {
        *first = 0;
        queue.push_back(BlockId(0));
    }
    while let Some(block) = queue.pop_front() {
        for next in &successors[block.index()] {
            if distance[next.index()] == u32::MAX {
                distance[next.index()] = distance[block.index()] + 1;
                queue.push_back(*next);
            }
        }
    }
    distance
}

//! Joining of paths: regions without effects that are left again at one place become values.
//!
//! What such a region decides (`x < 0 ? -x : x`, `if (c == '\n') lines++`) is no decision of the
//! joined executable, but an if-then-else expression: its path constraints hold for all ways through
//! the region. So a condition on what many decisions computed, such as a count or a checksum bit by bit,
//! is one query there, and not as many as there are ways.
//!
//! A region has one entry, the block whose decision opens it, and one end, the block at which all its
//! ways meet; between them is no loop, no call of a function, no access of memory but of variables and of
//! places near those that the entry accesses, and no marker but of decisions. All its instructions move into the entry, in an order in
//! which values come before their uses. Each block has a condition, a bit that says whether control
//! would come to it: phis become selects by the conditions of their edges, and stores write what was there
//! where control would not come.
//!
//! Law: the module computes what it computed; decisions of regions, and of selects, have no events and
//! count in no coverage. So runs of it confirm nothing: they serve to find inputs.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, Builder, LLVMIntPredicate, LLVMOpcode, LLVMValueKind, Module, Value};

use super::effects::callee_name;
use super::intrinsics::is_computation;
use super::markers::marker;
use super::operations::binary_op;

/// Blocks between entry and end, at most.
const MOST_BLOCKS: usize = 64;
/// Instructions in them, at most.
const MOST_INSTRUCTIONS: usize = 256;

/// Joins the paths of all functions of a module with markers.
pub(super) fn join(module: &Module) {
    for function in module.functions() {
        let blocks = function.blocks();
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        instructions.filter(is_select_marker).for_each(Value::erase);
        let mut graph = Graph::of(&blocks);
        for block in blocks {
            if !graph.gone.contains(&block)
                && let Some(region) = Region::opened_by(block, &graph)
            {
                Joiner::new(module, &graph, &region).join();
                graph.join(&region);
            }
        }
    }
}

fn is_select_marker(i: &Value<'_>) -> bool {
    i.opcode() == LLVMOpcode::LLVMCall && marker(&callee_name(*i)) == Some("at_select")
}

/// The blocks of a function.
struct Graph<'m> {
    predecessors: HashMap<Block<'m>, Vec<Block<'m>>>,
    /// Those that are no more.
    gone: HashSet<Block<'m>>,
}

impl<'m> Graph<'m> {
    fn of(blocks: &[Block<'m>]) -> Self {
        let mut predecessors: HashMap<Block<'m>, Vec<Block<'m>>> = HashMap::new();
        for block in blocks {
            for successor in block.successors() {
                let known = predecessors.entry(successor).or_default();
                if !known.contains(block) {
                    known.push(*block);
                }
            }
        }
        Graph {
            predecessors,
            gone: HashSet::new(),
        }
    }

    fn predecessors(&self, block: Block<'m>) -> &[Block<'m>] {
        self.predecessors.get(&block).map_or(&[], Vec::as_slice)
    }

    /// A region became a part of its entry.
    fn join(&mut self, region: &Region<'m>) {
        self.gone.extend(&region.blocks);
        let of_end = self.predecessors.entry(region.end).or_default();
        of_end.retain(|block| *block != region.entry && !region.blocks.contains(block));
        of_end.push(region.entry);
    }
}

/// A region that can be joined.
struct Region<'m> {
    entry: Block<'m>,
    /// Between entry and end, each behind those that lead to it.
    blocks: Vec<Block<'m>>,
    end: Block<'m>,
}

impl<'m> Region<'m> {
    /// The region that a block's decision opens, if it can be joined.
    fn opened_by(entry: Block<'m>, graph: &Graph<'m>) -> Option<Self> {
        let is_switch = entry.terminator()?.opcode() == LLVMOpcode::LLVMSwitch;
        if !is_switch && entry.terminator()?.opcode() != LLVMOpcode::LLVMBr {
            return None;
        }
        let accessed = accessed(entry);
        let mut blocks: Vec<Block<'m>> = Vec::new();
        let mut pending: Vec<Block<'m>> = Vec::new();
        let mut instructions = 0;
        reach(entry, &mut pending);
        while pending.len() > 1 {
            let inside = |block: &Block<'m>| *block == entry || blocks.contains(block);
            let next = pending.iter().position(|block| {
                let may_move = |i: Value<'m>| may_move(i, *block, &accessed);
                *block != entry
                    && graph.predecessors(*block).iter().all(inside)
                    && block.instructions().into_iter().all(may_move)
            })?;
            let block = pending.remove(next);
            instructions += block.instructions().len();
            blocks.push(block);
            if blocks.len() > MOST_BLOCKS || instructions > MOST_INSTRUCTIONS {
                return None;
            }
            reach(block, &mut pending);
        }
        let end = pending.pop()?;
        let is_behind = end != entry && !blocks.is_empty() && !blocks.contains(&end);
        is_behind.then_some(Region { entry, blocks, end })
    }
}

/// Adds the successors of a block.
fn reach<'m>(block: Block<'m>, pending: &mut Vec<Block<'m>>) {
    for successor in block.successors() {
        if !pending.contains(&successor) {
            pending.push(successor);
        }
    }
}

/// The places that a block accesses: what lies there is there.
fn accessed(block: Block<'_>) -> HashSet<Value<'_>> {
    let instructions = block.instructions().into_iter();
    let addresses = instructions.filter_map(|i| match i.opcode() {
        LLVMOpcode::LLVMLoad => Some(i.operand(0)),
        LLVMOpcode::LLVMStore => Some(i.operand(1)),
        _ => None,
    });
    addresses.map(base).collect()
}

/// What an address is a constant away from.
fn base(mut address: Value<'_>) -> Value<'_> {
    while is_constant_step(address) {
        address = address.operand(0);
    }
    address
}

/// Whether an address is another one and a constant.
fn is_constant_step(address: Value<'_>) -> bool {
    let is_step = match address.kind() {
        LLVMValueKind::LLVMInstructionValueKind => {
            address.opcode() == LLVMOpcode::LLVMGetElementPtr
        }
        LLVMValueKind::LLVMConstantExprValueKind => {
            address.const_opcode() == LLVMOpcode::LLVMGetElementPtr
        }
        _ => false,
    };
    let mut indices = 1..address.operand_count();
    is_step && indices.all(|index| address.operand(index).const_int_value().is_some())
}

/// Whether an instruction of a block can be made where control would not come to it. Memory is accessed
/// there too: at the given places, and in variables.
fn may_move<'m>(i: Value<'m>, block: Block<'m>, accessed: &HashSet<Value<'m>>) -> bool {
    use LLVMOpcode as O;
    let is_there = |address: Value<'m>| {
        let base = base(address);
        let is_local = base.is_instruction() && base.opcode() == O::LLVMAlloca;
        base.is_variable() || is_local || accessed.contains(&base)
    };
    match i.opcode() {
        O::LLVMBr | O::LLVMSwitch => Some(i) == block.terminator(),
        O::LLVMUDiv | O::LLVMSDiv | O::LLVMURem | O::LLVMSRem => {
            let divisor = i.operand(1).const_int_signed();
            divisor.is_some_and(|divisor| divisor != 0 && divisor != -1)
        }
        O::LLVMLoad => !i.is_volatile() && !i.is_atomic() && is_there(i.operand(0)),
        O::LLVMStore => {
            let base = base(i.operand(1));
            let is_fixed = base.is_variable() && base.is_constant_global();
            !i.is_volatile() && !i.is_atomic() && is_there(i.operand(1)) && !is_fixed
        }
        O::LLVMCall => {
            let name = callee_name(i);
            is_dropped(&name) || is_computation(&name)
        }
        opcode => computes(opcode),
    }
}

/// Whether an instruction computes and does nothing else. Of quotients that holds for some divisors.
fn computes(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode as O;
    let is_other = || {
        matches!(
            opcode,
            O::LLVMPHI
                | O::LLVMFNeg
                | O::LLVMICmp
                | O::LLVMFCmp
                | O::LLVMTrunc
                | O::LLVMZExt
                | O::LLVMSExt
                | O::LLVMUIToFP
                | O::LLVMSIToFP
                | O::LLVMFPTrunc
                | O::LLVMFPExt
                | O::LLVMPtrToInt
                | O::LLVMIntToPtr
                | O::LLVMFreeze
                | O::LLVMSelect
                | O::LLVMGetElementPtr
                | O::LLVMExtractValue
                | O::LLVMInsertValue
        )
    };
    binary_op(opcode).is_some() || is_other()
}

/// Whether a function marks the decision at the end of a block.
fn marks_end(name: &str) -> bool {
    marker(name).is_some_and(|marker| marker == "at_branch" || marker.starts_with("at_switch"))
}

/// Whether a call of this function is left out where paths are joined: it marks a decision, or tells LLVM
/// what holds only there.
fn is_dropped(name: &str) -> bool {
    marks_end(name)
        || marker(name) == Some("at_edge")
        || name.starts_with("llvm.lifetime")
        || name.starts_with("llvm.assume")
}

/// Joins one region.
struct Joiner<'j, 'm> {
    module: &'m Module,
    graph: &'j Graph<'m>,
    region: &'j Region<'m>,
    /// Where all goes.
    builder: Builder<'m>,
    /// By block, whether control would come to it; always, if there is none.
    conditions: HashMap<Block<'m>, Value<'m>>,
}

impl<'j, 'm> Joiner<'j, 'm> {
    fn new(module: &'m Module, graph: &'j Graph<'m>, region: &'j Region<'m>) -> Self {
        Joiner {
            module,
            graph,
            region,
            builder: module.builder(),
            conditions: HashMap::new(),
        }
    }

    fn join(mut self) {
        let Region { entry, blocks, end } = self.region;
        self.drop_calls();
        let Some(decision) = entry.terminator() else {
            return;
        };
        self.builder.before(decision);
        for block in blocks {
            self.take(*block);
        }
        self.choose_at_end(*end);
        let all = std::iter::once(entry).chain(blocks);
        all.filter_map(|block| block.terminator())
            .for_each(Value::erase);
        self.builder.at_end(*entry);
        self.builder.jump(*end);
        blocks.iter().for_each(|block| block.delete());
    }

    /// Drops the markers of the region's decisions, and what holds only in its blocks.
    fn drop_calls(&self) {
        let is_call = |i: &Value<'m>| i.opcode() == LLVMOpcode::LLVMCall;
        let blocks = self.region.blocks.iter();
        let calls = blocks
            .flat_map(|block| block.instructions())
            .filter(is_call);
        let mut calls: Vec<_> = calls.filter(|i| is_dropped(&callee_name(*i))).collect();
        calls.extend(self.own_marker());
        // Tokens of switches go behind their uses.
        let is_token = |i: &Value<'m>| i.ty().int_width().is_some();
        let (tokens, others): (Vec<_>, Vec<_>) = calls.into_iter().partition(is_token);
        others.into_iter().for_each(Value::erase);
        for token in tokens {
            if !token.is_used() {
                token.erase();
            }
        }
    }

    /// The call that marks the decision of the entry.
    fn own_marker(&self) -> Option<Value<'m>> {
        let decided = self.region.entry.terminator()?.operand(0);
        let instructions = self.region.entry.instructions().into_iter();
        let calls = instructions.filter(|i| i.opcode() == LLVMOpcode::LLVMCall);
        let mut marks = calls.filter(|i| marks_end(&callee_name(*i)));
        marks.find(|i| i.arguments().last() == Some(&decided))
    }

    /// Moves what a block does into the entry.
    fn take(&mut self, block: Block<'m>) {
        let condition = self.any_edge(block);
        for i in block.instructions() {
            match i.opcode() {
                LLVMOpcode::LLVMPHI => {
                    i.replace_uses(self.choose(i, block));
                    i.erase();
                }
                LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch => {}
                _ => {
                    if i.opcode() == LLVMOpcode::LLVMStore {
                        let (value, place) = (i.operand(0), i.operand(1));
                        let before = self.builder.load(value.ty(), place);
                        i.set_operand(0, self.builder.select(condition, value, before));
                    }
                    i.clear_poison_flags();
                    i.detach();
                    self.builder.insert(i);
                }
            }
        }
        self.conditions.insert(block, condition);
    }

    /// Whether control would come to a block.
    fn any_edge(&self, block: Block<'m>) -> Value<'m> {
        let from = self.graph.predecessors(block).iter();
        let edges = from.map(|from| self.edge(*from, block));
        let any = edges.reduce(|a, b| self.builder.binary(LLVMOpcode::LLVMOr, a, b));
        any.unwrap_or_else(|| self.module.const_int(1, 0))
    }

    /// Whether control would go from one block of the region to another.
    fn edge(&self, from: Block<'m>, to: Block<'m>) -> Value<'m> {
        let and = |a, b| self.builder.binary(LLVMOpcode::LLVMAnd, a, b);
        let taken = self.taken(from, to);
        match (self.conditions.get(&from).copied(), taken) {
            (None, None) => self.module.const_int(1, 1),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(condition), Some(taken)) => and(condition, taken),
        }
    }

    /// Whether the decision at a block's end leads to another one; always, if there is none.
    fn taken(&self, from: Block<'m>, to: Block<'m>) -> Option<Value<'m>> {
        let end = from.terminator()?;
        let successors = from.successors();
        if successors.iter().all(|successor| *successor == to) {
            return None;
        }
        let not = |value| {
            let one = self.module.const_int(1, 1);
            self.builder.binary(LLVMOpcode::LLVMXor, value, one)
        };
        if end.opcode() == LLVMOpcode::LLVMBr {
            let condition = end.operand(0);
            return Some(if successors[0] == to {
                condition
            } else {
                not(condition)
            });
        }
        let or = |a, b| self.builder.binary(LLVMOpcode::LLVMOr, a, b);
        let is = |case: usize| {
            let value = end.operand(2 * case);
            let predicate = LLVMIntPredicate::LLVMIntEQ;
            self.builder.compare(predicate, end.operand(0), value)
        };
        // The first successor is the default; the operands of case k are 2k and 2k + 1.
        let to_default = successors[0] == to;
        let cases = (1..successors.len()).filter(|case| (successors[*case] == to) != to_default);
        let any = cases.map(is).reduce(or)?;
        Some(if to_default { not(any) } else { any })
    }

    /// The value of a phi, by the edges from the region.
    fn choose(&self, phi: Value<'m>, block: Block<'m>) -> Value<'m> {
        let here =
            |from: &Block<'m>| *from == self.region.entry || self.region.blocks.contains(from);
        let incoming = phi.incoming().into_iter();
        let mut incoming = incoming.filter(|(_, from)| here(from));
        let first = incoming.next().map(|(value, _)| value);
        let chosen = incoming.fold(first, |chosen, (value, from)| {
            let edge = self.edge(from, block);
            chosen.map(|chosen| self.builder.select(edge, value, chosen))
        });
        chosen.unwrap_or_else(|| phi.ty().undefined())
    }

    /// Values that the end takes from the region come from the entry.
    fn choose_at_end(&self, end: Block<'m>) {
        let is_phi = |i: &Value<'m>| i.opcode() == LLVMOpcode::LLVMPHI;
        for phi in end.instructions().into_iter().take_while(is_phi) {
            let chosen = self.choose(phi, end);
            let outside =
                |from: &Block<'m>| *from != self.region.entry && !self.region.blocks.contains(from);
            let incoming = phi.incoming().into_iter();
            let others: Vec<_> = incoming.filter(|(_, from)| outside(from)).collect();
            let value = match others.is_empty() {
                true => chosen,
                false => {
                    let at_phi = self.module.builder();
                    at_phi.before(phi);
                    let new = at_phi.phi(phi.ty());
                    others
                        .iter()
                        .for_each(|(value, from)| new.add_incoming(*value, *from));
                    new.add_incoming(chosen, self.region.entry);
                    new
                }
            };
            phi.replace_uses(value);
            phi.erase();
        }
    }
}

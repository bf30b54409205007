//! The whole program: functions are swept again whenever what they depend on grew; then all numbers
//! shrink to what they have to be, twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use labrys_program::{
    BranchId, Constant, FunctionId, Operand, Operation, Program, SiteId, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::constants::tracked;
use super::function::{Cell, Doings, Pass, State, Surroundings};
use super::numbers::{Limits, Numbers};
use super::outline::Outline;
use super::{Impossible, NumberSet};
use crate::ProgramAnalysis;
use crate::global_values::{Accesses, Content, Item, Place, initial, place, places};

/// Rounds in which numbers shrink.
const ROUNDS: usize = 2;
/// Instructions that are looked at, for each of the program.
const MAX_VISITS: u64 = 400;
/// Entries of a table that are looked at.
const MAX_ENTRIES: u64 = 4096;

/// The numbers of everything; see the module.
struct Flow<'a> {
    analysis: &'a ProgramAnalysis<'a>,
    accesses: &'a Accesses,
    /// By function; empty where it has no body.
    outlines: Vec<Outline>,
    /// By function: its values that are addresses in globals.
    places: Vec<FxHashMap<ValueId, Place>>,
    states: Vec<State>,
    results: Vec<Option<Numbers>>,
    returns: Vec<bool>,
    entered: Vec<bool>,
    cells: BTreeMap<Cell, Option<Numbers>>,
    readers: FxHashMap<Cell, BTreeSet<FunctionId>>,
    grown: FxHashMap<Cell, u16>,
    /// Constants of the program, at which bounds stop.
    limits: Limits,
    queue: VecDeque<FunctionId>,
    waiting: FxHashSet<FunctionId>,
    /// Instructions that were looked at.
    visits: u64,
}

/// The branches that no run takes because of the numbers that values have.
pub(crate) fn impossible(analysis: &ProgramAnalysis<'_>, accesses: &Accesses) -> Impossible {
    let mut flow = Flow::new(analysis, accesses);
    let mut found = Impossible::default();
    if flow.grow() {
        for _ in 0..ROUNDS {
            flow.shrink();
        }
        found.branches = flow.branches();
        found.branches.sort_unstable();
        found.counters = flow.counters();
    }
    found.visits = flow.visits;
    found
}

impl<'a> Flow<'a> {
    fn new(analysis: &'a ProgramAnalysis<'a>, accesses: &'a Accesses) -> Self {
        let program = analysis.program();
        let functions = &program.functions;
        let outline = |id: FunctionId| match analysis.function(id) {
            function if function.blocks.is_empty() => Outline::default(),
            function => Outline::new(function, analysis.body(id)),
        };
        let ids = (0..functions.len()).map(FunctionId::new);
        let none =
            |function: &labrys_program::Function| tracked(function.result).map(Numbers::none);
        let mut flow = Flow {
            analysis,
            accesses,
            outlines: ids.map(outline).collect(),
            places: functions.iter().map(|one| places(program, one)).collect(),
            states: functions.iter().map(State::new).collect(),
            results: functions.iter().map(none).collect(),
            returns: vec![false; functions.len()],
            entered: vec![false; functions.len()],
            cells: BTreeMap::new(),
            readers: FxHashMap::default(),
            grown: FxHashMap::default(),
            limits: limits(program),
            queue: VecDeque::new(),
            waiting: FxHashSet::default(),
            visits: 0,
        };
        flow.cells = flow.first_cells();
        for id in flow.roots() {
            flow.enter(id, &[]);
        }
        flow
    }

    /// Functions that are called with anything.
    fn roots(&self) -> Vec<FunctionId> {
        let all = (0..self.states.len()).map(FunctionId::new);
        let all = all.filter(|id| self.analysis.function(*id).defined);
        all.filter(|id| {
            self.analysis.is_called_from_outside(*id) || self.analysis.depth(*id) == Some(0)
        })
        .collect()
    }

    /// What the parts of globals hold when the program begins.
    fn first_cells(&self) -> BTreeMap<Cell, Option<Numbers>> {
        let program = self.analysis.program();
        let parts = self.accesses.stored_parts();
        let parts = parts.map(|(global, part)| {
            let width = part
                .1
                .checked_mul(8)
                .filter(|width| (1..=64).contains(width));
            let begin = initial(program, global, part).and_then(Item::number);
            let numbers = width.zip(begin);
            let numbers = numbers.map(|(width, bits)| Numbers::one(width as u32, bits as u64));
            ((global, part), numbers)
        });
        parts.collect()
    }

    /// The global that an address is in, and the offset if it is fixed.
    fn place(&self, id: FunctionId, address: Operand) -> Option<Place> {
        let (global, offset) = place(self.analysis.program(), &self.places[id.index()], address)?;
        let is_sure =
            matches!(address, Operand::Constant(_)) || !self.analysis.has_second_returns(id);
        Some((global, offset.filter(|_| is_sure)))
    }

    /// The first offset in a global of an address with variable parts, and the distance of the next.
    fn steps(&self, id: FunctionId, address: Operand) -> Option<(u64, u64)> {
        let Operand::Value(value) = address else {
            return None;
        };
        let instruction = self.analysis.defining(id, value)?;
        let Operation::Address {
            base,
            offset,
            terms,
        } = &instruction.operation
        else {
            return None;
        };
        let (_, before) = self.place(id, *base)?;
        let begin = u64::try_from(before?.checked_add(*offset)?).ok()?;
        let step = terms.iter().fold(0, |step, term| gcd(step, term.scale));
        let step = step.max(1);
        Some((begin % step, step))
    }

    /// A function is called with some numbers; any where none are given.
    fn enter(&mut self, id: FunctionId, passed: &[Option<Numbers>]) {
        let count = self.analysis.function(id).parameters.len();
        let mut grew = !std::mem::replace(&mut self.entered[id.index()], true);
        for index in 0..count {
            let numbers = passed.get(index).and_then(Option::as_ref);
            let state = &mut self.states[id.index()];
            grew |= state.grow(ValueId::new(index), numbers, &self.limits);
        }
        if grew {
            self.wake(id);
        }
    }

    fn wake(&mut self, id: FunctionId) {
        if self.waiting.insert(id) {
            self.queue.push_back(id);
        }
    }

    /// Sweeps until nothing grows; whether that was reached.
    fn grow(&mut self) -> bool {
        let blocks = self.analysis.program().functions.iter();
        let blocks = blocks.flat_map(|function| &function.blocks);
        let all: u64 = blocks
            .map(|block| 1 + block.instructions.len() as u64)
            .sum();
        while let Some(id) = self.queue.pop_front() {
            self.waiting.remove(&id);
            let state = std::mem::take(&mut self.states[id.index()]);
            let mut pass = Pass::new(self, id, state, false);
            let ended = pass.run();
            let (state, doings, visits) = (pass.state, pass.doings, pass.visits);
            self.visits += visits;
            self.states[id.index()] = state;
            if !ended || self.visits > all.saturating_mul(MAX_VISITS) {
                return false;
            }
            self.apply(id, doings);
        }
        true
    }

    /// What a function does reaches others.
    fn apply(&mut self, id: FunctionId, doings: Doings) {
        for (callee, passed) in doings.entered {
            self.enter(callee, &passed);
        }
        for cell in doings.loaded {
            self.readers.entry(cell).or_default().insert(id);
        }
        for (cell, numbers) in doings.stored {
            self.hold(cell, numbers);
        }
        let index = id.index();
        let mut grew = doings.returns && !std::mem::replace(&mut self.returns[index], true);
        if let (Some(old), Some(new)) = (&self.results[index], doings.returned) {
            let now = old.join(&new);
            grew |= now != *old;
            self.results[index] = Some(now);
        }
        if grew {
            let callers = self.analysis.calls().callers(id);
            let callers: Vec<FunctionId> = callers.map(|call| call.function).collect();
            for caller in callers {
                if self.entered[caller.index()] {
                    self.wake(caller);
                }
            }
        }
    }

    fn hold(&mut self, cell: Cell, numbers: Option<Numbers>) {
        let Some(Some(old)) = self.cells.get(&cell) else {
            return;
        };
        let now = numbers.map(|numbers| old.join(&numbers));
        if now.as_ref() == Some(old) {
            return;
        }
        let grown = self.grown.entry(cell).or_default();
        *grown += 1;
        let now = match *grown {
            0..8 => now,
            8..80 => now.map(|now| now.widened(old, &self.limits)),
            _ => None,
        };
        self.cells.insert(cell, now);
        for reader in self.readers.get(&cell).cloned().unwrap_or_default() {
            self.wake(reader);
        }
    }

    /// All numbers become those that follow from all numbers. Law: what holds of all runs before
    /// does so after.
    fn shrink(&mut self) {
        let roots = self.roots();
        let functions = self.states.len();
        let mut entered: FxHashMap<FunctionId, Vec<Option<Numbers>>> = FxHashMap::default();
        let mut cells = self.first_cells();
        for index in 0..functions {
            let id = FunctionId::new(index);
            if !self.entered[index] {
                continue;
            }
            let state = std::mem::take(&mut self.states[index]);
            let mut pass = Pass::new(self, id, state, true);
            pass.run();
            let (state, doings, visits) = (pass.state, pass.doings, pass.visits);
            self.visits += visits;
            self.states[index] = state;
            for (callee, passed) in doings.entered {
                match entered.get_mut(&callee) {
                    Some(all) => join_each(all, passed),
                    None => {
                        entered.insert(callee, passed);
                    }
                }
            }
            for (cell, numbers) in doings.stored {
                if let Some(all) = cells.get_mut(&cell) {
                    let old = all.take();
                    *all = old.zip(numbers).map(|(old, new)| old.join(&new));
                }
            }
            self.returns[index] &= doings.returns;
            if let (Some(old), Some(new)) = (&mut self.results[index], doings.returned) {
                *old = old.meet(&new);
            }
        }
        for (cell, now) in cells {
            if let (Some(Some(old)), Some(now)) = (self.cells.get_mut(&cell), now) {
                *old = old.meet(&now);
            }
        }
        for index in 0..functions {
            let id = FunctionId::new(index);
            if roots.contains(&id) {
                continue;
            }
            let Some(passed) = entered.remove(&id) else {
                self.entered[index] = false;
                continue;
            };
            for (value, numbers) in self.states[index].values.iter_mut().zip(passed) {
                if let (Some(old), Some(new)) = (value, numbers)
                    && old.width() == new.width()
                {
                    *old = old.meet(&new);
                }
            }
        }
    }

    /// The branches that are not taken.
    fn branches(&self) -> Vec<BranchId> {
        let program = self.analysis.program();
        let mut found = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            let state = &self.states[index];
            let entered = self.entered[index];
            let is_vague = self.analysis.has_second_returns(FunctionId::new(index));
            for (id, block) in function.blocks() {
                let reached = entered && state.is_reached(id);
                let mut unless = |site: SiteId, direction: u32, taken: bool| {
                    found.extend(program.branch(site, direction).filter(|_| !taken));
                };
                for instruction in &block.instructions {
                    if let Operation::Select {
                        site, condition, ..
                    } = &instruction.operation
                    {
                        let known = match condition {
                            Operand::Value(value) if !is_vague => {
                                state.values[value.index()].as_ref()
                            }
                            _ => None,
                        };
                        for direction in [0, 1] {
                            let may = known.is_none_or(|known| known.contains(direction.into()));
                            unless(*site, direction, reached && may);
                        }
                    }
                }
                if let Some(site) = block.terminator.site() {
                    let count = block.terminator.successors().len() as u32;
                    for direction in 0..count {
                        let taken = reached && state.leaves(id, direction);
                        unless(site, direction, taken);
                    }
                }
            }
        }
        found
    }

    /// The numbers of phis at the headers of loops.
    fn counters(&self) -> BTreeMap<(FunctionId, ValueId), NumberSet> {
        let mut found = BTreeMap::new();
        for (index, function) in self.analysis.program().functions.iter().enumerate() {
            let id = FunctionId::new(index);
            if !self.entered[index] || self.analysis.has_second_returns(id) {
                continue;
            }
            let body = self.analysis.body(id);
            let headers = function.blocks().filter(|(block, _)| {
                body.loop_at(*block).is_some() && self.states[index].is_reached(*block)
            });
            for phi in headers.flat_map(|(_, block)| &block.phis) {
                let numbers = self.states[index].values[phi.result.index()].as_ref();
                let limited = numbers.and_then(Numbers::limited);
                found.extend(limited.map(|set| ((id, phi.result), set)));
            }
        }
        found
    }
}

impl<'a> Surroundings<'a> for Flow<'a> {
    fn analysis(&self) -> &'a ProgramAnalysis<'a> {
        self.analysis
    }

    fn outline(&self, id: FunctionId) -> &Outline {
        &self.outlines[id.index()]
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn result(&self, id: FunctionId) -> Option<&Numbers> {
        self.results[id.index()].as_ref()
    }

    fn returns(&self, id: FunctionId) -> bool {
        self.returns[id.index()]
    }

    fn cell(&self, id: FunctionId, address: Operand, size: u64) -> Option<Cell> {
        let (global, offset) = self.place(id, address)?;
        Some((global, (u64::try_from(offset?).ok()?, size)))
    }

    fn content(&self, cell: Cell) -> Content {
        self.accesses
            .content(self.analysis.program(), cell.0, cell.1)
    }

    fn held(&self, cell: Cell) -> Option<Numbers> {
        self.cells.get(&cell)?.clone()
    }

    fn entries(&self, id: FunctionId, address: Operand, size: u64) -> Option<Numbers> {
        let program = self.analysis.program();
        let (global, offset) = self.place(id, address)?;
        let table = &program.globals[global.index()];
        if !table.constant || table.initializer.is_none() || !(1..=8).contains(&size) {
            return None;
        }
        let width = 8 * size as u32;
        let (begin, step) = match offset {
            Some(offset) => (u64::try_from(offset).ok()?, table.size.max(1)),
            None => self.steps(id, address)?,
        };
        let last = table.size.checked_sub(size).filter(|last| begin <= *last)?;
        if (last - begin) / step > MAX_ENTRIES {
            return None;
        }
        let mut all = Vec::new();
        let mut at = begin;
        while at <= last {
            let entry = initial(program, global, (at, size));
            all.push(entry?.number()? as u64);
            at += step;
        }
        Some(Numbers::few(width, all))
    }
}

fn join_each(all: &mut [Option<Numbers>], more: Vec<Option<Numbers>>) {
    for (old, new) in all.iter_mut().zip(more) {
        *old = old.take().zip(new).map(|(old, new)| old.join(&new));
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The constants of a program and their neighbors, and those of types.
fn limits(program: &Program) -> Limits {
    let mut limits = vec![0, u64::MAX];
    for bits in [7, 8, 15, 16, 31, 32, 63] {
        limits.extend([(1u64 << bits) - 1, 1 << bits, (1u64 << bits).wrapping_neg()]);
    }
    for constant in &program.constants {
        if let Constant::Int { bits, .. } = constant {
            let bits = *bits as u64;
            limits.extend([bits.wrapping_sub(1), bits, bits.wrapping_add(1)]);
        }
    }
    Limits::new(limits)
}

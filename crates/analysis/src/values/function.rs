//! One function: sweeps over its blocks until nothing grows.

use labrys_library::function as library_row;
use labrys_program::graph::Call;
use labrys_program::{
    BlockId, Callee, Function, FunctionId, GlobalId, Instruction, Intrinsic, Linkage, Operand,
    Operation, Phi, Terminator, Type, ValueId,
};
use labrys_semantics::LibraryMeaning;
use rustc_hash::FxHashMap;

use super::constants::{FIRST_ADDRESS, LAST_ADDRESS, constant, tracked};
use super::known::{Definitions, Known};
use super::numbers::{Limits, Numbers};
use super::outline::Outline;
use super::results::result;
use crate::ProgramAnalysis;
use crate::body::Definition;
use crate::calls::Place;
use crate::global_values::{Content, GlobalPart, Item};

/// Changes of a value from which on its bounds are widened, and from which on it is any.
const WIDENED_FROM: u16 = 6;
const ANY_FROM: u16 = 80;
/// Sweeps at most.
const SWEEPS: usize = 600;

/// A part of a global.
pub(super) type Cell = (GlobalId, GlobalPart);

/// What a function depends on.
pub(super) trait Surroundings<'a> {
    fn analysis(&self) -> &'a ProgramAnalysis<'a>;
    /// What does not change of a function with a body.
    fn outline(&self, id: FunctionId) -> &Outline;
    /// Where bounds stop.
    fn limits(&self) -> &Limits;
    /// What a function of the program gives.
    fn result(&self, id: FunctionId) -> Option<&Numbers>;
    fn returns(&self, id: FunctionId) -> bool;
    /// The part of a global at an address.
    fn cell(&self, id: FunctionId, address: Operand, size: u64) -> Option<Cell>;
    fn content(&self, cell: Cell) -> Content;
    /// The numbers that a part of a global holds; `None` if they are any.
    fn held(&self, cell: Cell) -> Option<Numbers>;
    /// The entries of a table that nothing writes, one of which is at an address.
    fn entries(&self, id: FunctionId, address: Operand, size: u64) -> Option<Numbers>;
}

/// What is known of a function so far.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// By value; `None` where its type has no numbers.
    pub(super) values: Vec<Option<Numbers>>,
    /// By value: how often it grew.
    grown: Vec<u16>,
    /// By block: whether control comes there.
    reached: Vec<bool>,
    /// By block and direction: what is known where control leaves; `None` while it does not.
    edges: Vec<Vec<Option<Known>>>,
    /// By call: what it passed when it was last looked at.
    passed: FxHashMap<Place, Vec<Option<Numbers>>>,
}

impl State {
    pub(super) fn new(function: &Function) -> Self {
        let none = |ty: &Type| tracked(*ty).map(Numbers::none);
        let blocks = function.blocks.iter();
        State {
            values: function.values.iter().map(none).collect(),
            grown: vec![0; function.values.len()],
            reached: vec![false; function.blocks.len()],
            edges: blocks
                .map(|block| vec![None; block.terminator.successors().len()])
                .collect(),
            passed: FxHashMap::default(),
        }
    }

    /// Adds numbers to a value; whether it grew.
    pub(super) fn grow(&mut self, value: ValueId, new: Option<&Numbers>, limits: &Limits) -> bool {
        let index = value.index();
        let Some(old) = &self.values[index] else {
            return false;
        };
        let any = Numbers::any(old.width());
        let new = new.filter(|new| new.width() == old.width()).unwrap_or(&any);
        let mut now = old.join(new);
        if now == *old {
            return false;
        }
        self.grown[index] = self.grown[index].saturating_add(1);
        if self.grown[index] > ANY_FROM {
            now = any;
        } else if self.grown[index] > WIDENED_FROM {
            now = now.widened(old, limits);
        }
        self.values[index] = Some(now);
        true
    }

    pub(super) fn is_reached(&self, block: BlockId) -> bool {
        self.reached[block.index()]
    }

    pub(super) fn leaves(&self, block: BlockId, direction: u32) -> bool {
        self.edges[block.index()][direction as usize].is_some()
    }
}

/// What a function does to others.
#[derive(Debug, Default)]
pub(super) struct Doings {
    /// Functions that are called, with the numbers of their parameters; while numbers grow, only if
    /// those did.
    pub(super) entered: Vec<(FunctionId, Vec<Option<Numbers>>)>,
    pub(super) stored: Vec<(Cell, Option<Numbers>)>,
    pub(super) loaded: Vec<Cell>,
    pub(super) returns: bool,
    pub(super) returned: Option<Numbers>,
}

/// See the module.
pub(super) struct Pass<'f, 'a> {
    flow: &'f dyn Surroundings<'a>,
    id: FunctionId,
    function: &'a Function,
    pub(super) state: State,
    /// Whether numbers shrink to what they have to be.
    narrows: bool,
    /// Whether control may come back into the function: nothing is known of its values then, and it comes
    /// to all of its blocks.
    is_vague: bool,
    outline: &'f Outline,
    /// By block: whether something changed that it depends on since it was last looked at.
    due: Vec<bool>,
    calls: FxHashMap<Place, &'a Call>,
    pub(super) doings: Doings,
    pub(super) visits: u64,
}

/// The result of an instruction, and whether control goes on behind it.
type Outcome = (Option<Numbers>, bool);

impl<'f, 'a> Pass<'f, 'a> {
    pub(super) fn new(
        flow: &'f dyn Surroundings<'a>,
        id: FunctionId,
        state: State,
        narrows: bool,
    ) -> Self {
        let calls = flow.analysis().calls().calls_in(id).iter();
        let function = flow.analysis().function(id);
        Pass {
            flow,
            id,
            function,
            state,
            narrows,
            is_vague: flow.analysis().has_second_returns(id),
            outline: flow.outline(id),
            due: vec![false; function.blocks.len()],
            calls: calls
                .map(|call| ((call.block, call.instruction as usize), call))
                .collect(),
            doings: Doings::default(),
            visits: 0,
        }
    }

    /// Sweeps until nothing grows, or once if numbers shrink; whether that was reached.
    ///
    /// Once something grew, blocks are looked at that depend on it. What these are is no part of the
    /// law: at the end all are looked at, and nothing grows.
    pub(super) fn run(&mut self) -> bool {
        if self.narrows {
            self.sweep(true);
            return true;
        }
        let mut all = true;
        for _ in 0..SWEEPS {
            let grew = self.sweep(all);
            if all && !grew {
                return true;
            }
            all = !grew;
        }
        false
    }

    /// Looks at all blocks, or at those for which something changed; whether something grew.
    fn sweep(&mut self, all: bool) -> bool {
        self.doings = Doings {
            entered: std::mem::take(&mut self.doings.entered),
            ..Doings::default()
        };
        let mut grew = false;
        let outline = self.outline;
        for block in &outline.order {
            if std::mem::take(&mut self.due[block.index()]) || all {
                grew |= self.visit(*block);
            }
        }
        grew
    }

    /// Whether something grew in a block.
    fn visit(&mut self, block: BlockId) -> bool {
        let edges = self.edges(block);
        let known = self.arrival(block, &edges);
        self.state.reached[block.index()] = known.is_some();
        let Some(known) = known else {
            self.stay(block);
            return false;
        };
        let mut grew = false;
        let content = &self.function.blocks[block.index()];
        for phi in &content.phis {
            let numbers = self.joined(phi, &edges);
            grew |= self.set(phi.result, numbers);
        }
        for (index, instruction) in content.instructions.iter().enumerate() {
            self.visits += 1;
            let outcome = self.execute(&known, (block, index), instruction);
            let (numbers, goes_on) = match self.is_vague {
                true => (None, true),
                false => outcome,
            };
            if let Some(result) = instruction.result {
                grew |= self.set(result, numbers);
            }
            if !goes_on {
                let unwinding = self.function.unwinding(block);
                if unwinding.is_some_and(|(call, _)| call == index) {
                    return self.unwind(block, &known) | grew;
                }
                self.stay(block);
                return grew;
            }
        }
        self.leave(block, &known) | grew
    }

    /// Control leaves a block by an exception only.
    fn unwind(&mut self, block: BlockId, known: &Known) -> bool {
        if self.narrows {
            self.state.edges[block.index()][0] = None;
        }
        self.go(block, known, 1)
    }

    /// Control does not leave a block, as far as is known. While numbers grow, where it left before
    /// stays.
    fn stay(&mut self, block: BlockId) {
        if self.narrows {
            self.state.edges[block.index()].fill(None);
        }
    }

    fn wake(&mut self, blocks: &[BlockId]) {
        for block in blocks {
            self.due[block.index()] = true;
        }
    }

    fn set(&mut self, value: ValueId, numbers: Option<Numbers>) -> bool {
        if !self.narrows {
            let limits = self.flow.limits();
            let grew = self.state.grow(value, numbers.as_ref(), limits);
            if grew {
                self.wake(self.outline.readers(value));
            }
            return grew;
        }
        if let (Some(old), Some(new)) = (&mut self.state.values[value.index()], numbers)
            && old.width() == new.width()
        {
            *old = old.meet(&new);
        }
        false
    }

    fn predecessors(&self, block: BlockId) -> &'a [BlockId] {
        self.flow.analysis().body(self.id).predecessors(block)
    }

    /// The edges by which control comes to a block: from where, and what is known on them.
    fn edges(&self, block: BlockId) -> Vec<(BlockId, Known)> {
        let mut edges = Vec::new();
        for from in self.predecessors(block) {
            let successors = self.terminator(*from).successors();
            let known = &self.state.edges[from.index()];
            for (to, known) in successors.into_iter().zip(known) {
                if let Some(known) = known.as_ref().filter(|_| to == block) {
                    edges.push((*from, known.clone()));
                }
            }
        }
        edges
    }

    /// What is known where control comes to a block; `None` if it does not.
    fn arrival(&self, block: BlockId, edges: &[(BlockId, Known)]) -> Option<Known> {
        if block.index() == 0 {
            return Some(Known::default());
        }
        let mut known = join_all(edges.iter())?;
        let body = self.flow.analysis().body(self.id);
        if let Some(natural) = body.loop_at(block) {
            // What the loop does not compute is what it was when control entered, also where an
            // iteration that was looked at before did not know of it.
            let entering = edges.iter().filter(|(from, _)| !natural.contains(*from));
            let is_outside = |value| match body.definition(value) {
                Definition::Parameter => true,
                Definition::Phi(at) | Definition::Instruction(at, _) => !natural.contains(at),
            };
            if let Some(entering) = join_all(entering) {
                known.keep(&entering, is_outside);
            }
        }
        known.forget(|value| match body.definition(value) {
            Definition::Parameter => false,
            Definition::Phi(at) | Definition::Instruction(at, _) => at == block,
        });
        Some(known)
    }

    fn joined(&self, phi: &Phi, edges: &[(BlockId, Known)]) -> Option<Numbers> {
        let width = tracked(self.function.value_type(phi.result)?)?;
        let mut all = Numbers::none(width);
        for (from, known) in edges {
            let mut incoming = phi.incoming.iter();
            let operand = incoming.find(|(block, _)| block == from)?.1;
            all = all.join(&self.operand(known, operand)?);
        }
        Some(all)
    }

    /// Control leaves a block; whether in a direction that is new, or with more numbers.
    fn leave(&mut self, block: BlockId, known: &Known) -> bool {
        let terminator = &self.function.blocks[block.index()].terminator;
        if let Terminator::Return(value) = terminator {
            self.doings.returns = true;
            let width = tracked(self.function.result);
            if let (Some(operand), Some(width)) = (value, width) {
                let numbers = self.operand(known, *operand);
                let numbers = numbers.filter(|one| one.width() == width);
                let numbers = numbers.unwrap_or_else(|| Numbers::any(width));
                let before = self.doings.returned.take();
                let before = before.unwrap_or_else(|| Numbers::none(width));
                self.doings.returned = Some(before.join(&numbers));
            }
        }
        let mut grew = false;
        for direction in 0..terminator.successors().len() {
            grew |= self.go(block, known, direction);
        }
        grew
    }

    /// Control leaves a block in a direction; whether that is new, or with more numbers.
    fn go(&mut self, block: BlockId, known: &Known, direction: usize) -> bool {
        let mut known = known.clone();
        if !self.is_vague {
            known.leave(self, block, direction as u32);
        }
        let edge = &self.state.edges[block.index()][direction];
        let now = (!known.is_impossible()).then_some(known);
        // While numbers grow, what was possible stays so.
        let grew = *edge != now && (self.narrows || now.is_some());
        if grew {
            self.state.edges[block.index()][direction] = now;
            self.wake(self.flow.analysis().body(self.id).successors(block));
        }
        grew
    }

    fn execute(&mut self, known: &Known, at: Place, instruction: &'a Instruction) -> Outcome {
        let ty = instruction
            .result
            .and_then(|one| self.function.value_type(one));
        let numbers = match &instruction.operation {
            Operation::Call {
                callee, arguments, ..
            } => return self.call(known, at, *callee, arguments, ty),
            Operation::Load { address, size, .. } => self.load(instruction.result, *address, *size),
            Operation::Store {
                address,
                value,
                size,
                ..
            } => {
                self.store(known, *address, *value, *size);
                None
            }
            Operation::Allocate { .. } => Some(Numbers::between(64, FIRST_ADDRESS, LAST_ADDRESS)),
            Operation::Intrinsic {
                intrinsic: Intrinsic::Trap | Intrinsic::SanitizerTrap | Intrinsic::DebugTrap,
                ..
            } => return (None, false),
            operation => ty
                .and_then(tracked)
                .and_then(|width| result(self, known, operation, width)),
        };
        (numbers, true)
    }

    fn load(&mut self, result: Option<ValueId>, address: Operand, size: u64) -> Option<Numbers> {
        let width = tracked(self.function.value_type(result?)?)?;
        if size.checked_mul(8) != Some(width.into()) {
            return None;
        }
        let Some(cell) = self.flow.cell(self.id, address, size) else {
            return self.flow.entries(self.id, address, size);
        };
        match self.flow.content(cell) {
            Content::Initial(Item::Number(bits)) => Some(Numbers::one(width, bits as u64)),
            Content::Cell => {
                self.doings.loaded.push(cell);
                self.flow.held(cell)
            }
            Content::Initial(_) | Content::Unknown => self.flow.entries(self.id, address, size),
        }
    }

    fn store(&mut self, known: &Known, address: Operand, value: Operand, size: u64) {
        let Some(cell) = self.flow.cell(self.id, address, size) else {
            return;
        };
        let width = size.checked_mul(8).filter(|width| *width <= 64);
        let numbers = self.operand(known, value).zip(width);
        let numbers = numbers.and_then(|(numbers, width)| {
            let width = width as u32;
            (numbers.width() <= width).then(|| numbers.extended(width, false))
        });
        self.doings.stored.push((cell, numbers));
    }

    fn call(
        &mut self,
        known: &Known,
        at: Place,
        callee: Callee,
        arguments: &[Operand],
        ty: Option<Type>,
    ) -> Outcome {
        let Some(call) = self.calls.get(&at).copied() else {
            return (None, true);
        };
        let analysis = self.flow.analysis();
        let direct = match callee {
            Callee::Direct(id) => Some(id),
            Callee::Indirect(_) => None,
        };
        let mut goes_on = analysis.may_leave_program(call);
        let mut all = ty.and_then(tracked).map(Numbers::none);
        if goes_on {
            all = None;
        }
        let numbers = arguments.iter().map(|one| self.operand(known, *one));
        let passed = self.passes(at, numbers.collect());
        for id in analysis.calls().callees(call) {
            let called = analysis.function(*id);
            let by_library = direct.is_some_and(|direct| direct != *id);
            if let Some(passed) = passed.as_ref().filter(|_| called.defined) {
                self.enter(*id, (arguments, passed), by_library);
            }
            if by_library {
                continue;
            }
            let (numbers, returns) = self.returned(*id, ty);
            goes_on |= returns;
            all = all.zip(numbers).map(|(all, numbers)| all.join(&numbers));
        }
        (all, goes_on)
    }

    /// What a call passes; `None` if it passed the same before, while numbers grow.
    fn passes(&mut self, at: Place, now: Vec<Option<Numbers>>) -> Option<Vec<Option<Numbers>>> {
        if !self.narrows {
            if self.state.passed.get(&at) == Some(&now) {
                return None;
            }
            self.state.passed.insert(at, now.clone());
        }
        Some(now)
    }

    /// What a function gives, and whether it returns.
    fn returned(&self, id: FunctionId, ty: Option<Type>) -> Outcome {
        let called = self.flow.analysis().function(id);
        if !called.defined {
            let meaning = LibraryMeaning::of(&called.name);
            let stops = called.noreturn || meaning == Some(LibraryMeaning::Stops);
            return (library_result(&called.name, meaning, ty), !stops);
        }
        if called.linkage != Linkage::Internal && called.name != "main" {
            return (None, true);
        }
        let fits = Some(called.result) == ty;
        let numbers = self.flow.result(id).filter(|_| fits).cloned();
        (numbers, self.flow.returns(id))
    }

    fn enter(
        &mut self,
        id: FunctionId,
        (arguments, numbers): (&[Operand], &[Option<Numbers>]),
        any: bool,
    ) {
        let program = self.flow.analysis().program();
        let called = self.flow.analysis().function(id);
        let passed = (0..called.parameters.len()).map(|index| {
            let fits = !any
                && called.parameters[index].by_value.is_none()
                && program.argument_fits(self.function, arguments, called, index);
            numbers.get(index).filter(|_| fits)?.clone()
        });
        let passed = passed.collect();
        self.doings.entered.push((id, passed));
    }
}

impl Definitions for Pass<'_, '_> {
    fn operand(&self, known: &Known, operand: Operand) -> Option<Numbers> {
        if self.is_vague {
            // A constant may be what the compiler made of a variable.
            return tracked(self.operand_type(operand)?).map(Numbers::any);
        }
        match operand {
            Operand::Value(value) => {
                let own = self.state.values[value.index()].as_ref();
                known.get(value).or(own).cloned()
            }
            Operand::Constant(id) => constant(self.flow.analysis().program(), id),
        }
    }

    fn operand_type(&self, operand: Operand) -> Option<Type> {
        let program = self.flow.analysis().program();
        program.operand_type(self.function, operand)
    }

    fn operation(&self, value: ValueId) -> Option<&Operation> {
        let body = self.flow.analysis().body(self.id);
        let Definition::Instruction(block, index) = body.definition(value) else {
            return None;
        };
        let block = &self.function.blocks[block.index()];
        Some(&block.instructions[index].operation)
    }

    fn is_shared(&self, value: ValueId) -> bool {
        self.outline.is_shared(value)
    }

    fn terminator(&self, block: BlockId) -> &Terminator {
        &self.function.blocks[block.index()].terminator
    }
}

/// What a function of the library gives.
fn library_result(
    name: &str,
    meaning: Option<LibraryMeaning>,
    ty: Option<Type>,
) -> Option<Numbers> {
    let width = tracked(ty?)?;
    let known = match meaning {
        Some(LibraryMeaning::Allocates { .. }) if width == 64 => {
            Numbers::between(64, 0, LAST_ADDRESS)
        }
        Some(LibraryMeaning::Fills { row, .. }) if row.takes_character() => {
            Numbers::signed_between(width, -1, 255)
        }
        _ => return Some(Numbers::any(width)),
    };
    debug_assert!(library_row(name).is_some());
    (known.width() == width).then_some(known)
}

/// What is known where control comes by one of some edges; `None` if there are none.
fn join_all<'k>(mut edges: impl Iterator<Item = &'k (BlockId, Known)>) -> Option<Known> {
    let mut known = edges.next()?.1.clone();
    edges.for_each(|(_, other)| known.join(other));
    Some(known)
}

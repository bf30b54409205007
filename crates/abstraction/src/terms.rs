//! Terms: the expressions of an abstraction, with the frames, variables and objects that they speak
//! of.
//!
//! A **variable** is what the state at a location consists of: a value of a frame that is not
//! computed from others, or a cell of memory. It has one symbol, the same at all locations. An
//! **object** has a symbol for its address. All other symbols are **local**: inputs and havocked
//! values of one block.
//!
//! Law: a frame is a call stack, so a value of a frame has one definition, and the object that a
//! frame makes in its entry block is one object at any time.

use std::cell::Cell;

use labrys_analysis::{Definition, Place, ProgramAnalysis};
use labrys_expr::{Evaluator, ExprId, Op, Pool, Rebuilt, Symbol};
use labrys_program::{
    Constant, Function, FunctionId, GlobalId, Linkage, Operand, Operation, Program,
    RelocationTarget, ValueId,
};
use labrys_semantics::environment::{InputPart, is_surrounding};
use labrys_semantics::{IrValue, Symbolic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::contents::Contents;

/// A value as expressions.
pub(crate) type SymbolicValue = IrValue<ExprId>;

/// A call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FrameId(u32);

/// A frame: a function, and the call that it is called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// The calling frame and the call; `None` for the frame in which runs begin.
    pub(crate) caller: Option<(FrameId, Place)>,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Variable {
    /// A scalar of a value of a frame.
    Value(FrameId, ValueId, u32),
    /// Bytes of an object: offset and number.
    Cell(ObjectId, u64, u32),
}

/// An object of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(u32);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    Global(GlobalId),
    Function(FunctionId),
    /// Made in the entry block of a frame.
    Stack(FrameId, ValueId),
    /// Made by a function of the library, while a path is tried; whether it is zeros at first.
    Heap(u32, bool),
}

/// The properties of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// The symbol of its address.
    pub(crate) address: ExprId,
    /// Bytes, if that is known.
    pub(crate) size: Option<u64>,
    /// Whether only those have its address who name it.
    pub(crate) private: bool,
    /// Whether nothing writes it.
    pub(crate) constant: bool,
    /// A weak reference that nothing may define: its address may be null.
    weak: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Terms<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    pool: Pool,
    next_symbol: u32,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<Frame, FrameId>,
    variables: FxHashMap<Variable, ExprId>,
    variable_of: FxHashMap<Symbol, Variable>,
    objects: Vec<Object>,
    object_ids: FxHashMap<ObjectKind, ObjectId>,
    object_of: FxHashMap<Symbol, ObjectId>,
    rebuilt: Rebuilt,
    /// Of [`Terms::cut`].
    cuts: Rebuilt,
    evaluator: Evaluator,
    /// By number of a set of symbols: those that axioms speak of.
    of_sets: FxHashMap<u32, Vec<Symbol>>,
    /// Nodes that were counted.
    visits: Cell<u64>,
    /// What the input holds, while a path is tried.
    contents: Option<Contents>,
    /// Objects that functions of the library made.
    made: u32,
    /// Whether they are those of a unit ([`crate::units`]).
    is_unit: bool,
}

/// Nodes that are built in the time of a step of the solver, and such that are gone through.
const NODES_PER_STEP: u64 = 64;
const VISITS_PER_STEP: u64 = 500;

/// Bits of the distance of objects while a path is tried.
const APART: u32 = 32;
/// Where address spaces of programs end.
const SPACE: u128 = 1 << 47;
/// Bytes at the beginning of the address space where nothing is.
const NULL_PAGE: u128 = 4096;

impl<'p> Terms<'p> {
    pub(crate) fn new(analysis: &'p ProgramAnalysis<'p>) -> Self {
        Terms {
            analysis,
            pool: Pool::new(),
            next_symbol: 0,
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
            variables: FxHashMap::default(),
            variable_of: FxHashMap::default(),
            objects: Vec::new(),
            object_ids: FxHashMap::default(),
            object_of: FxHashMap::default(),
            rebuilt: Rebuilt::new(),
            cuts: Rebuilt::new(),
            evaluator: Evaluator::new(),
            of_sets: FxHashMap::default(),
            visits: Cell::default(),
            contents: None,
            made: 0,
            is_unit: false,
        }
    }

    /// Terms for a function by itself ([`crate::units`]).
    pub(crate) fn of_unit(analysis: &'p ProgramAnalysis<'p>) -> Self {
        Terms {
            is_unit: true,
            ..Terms::new(analysis)
        }
    }

    /// Whether they are those of a function by itself.
    pub(crate) fn is_unit(&self) -> bool {
        self.is_unit
    }

    /// Terms for the trial of a path ([`crate::trial`]): nothing that is not known is thought to
    /// change memory, so no proof may rest on them.
    pub(crate) fn of_trial(analysis: &'p ProgramAnalysis<'p>, contents: Contents) -> Self {
        Terms {
            contents: Some(contents),
            ..Terms::new(analysis)
        }
    }

    /// What the input holds, while a path is tried.
    pub(crate) fn contents(&self) -> Option<&Contents> {
        self.contents.as_ref()
    }

    pub(crate) fn is_trial(&self) -> bool {
        self.contents.is_some()
    }

    /// Bytes of a global that is a part of the input, at an offset; `None` if it is none, or nothing
    /// is known.
    pub(crate) fn input(&mut self, id: GlobalId, offset: ExprId, size: u32) -> Option<ExprId> {
        let contents = self.contents.as_mut()?;
        let program = self.analysis.program();
        let part = InputPart::of_global(&program.globals[id.index()].name)?;
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        };
        match symbolic.pool.bits(offset) {
            Some(offset) => contents.read(&mut symbolic, part, offset as u64, size),
            None => contents.read_on(&mut symbolic, part, offset, size),
        }
    }

    /// A new object that a function of the library makes.
    pub(crate) fn make_object(&mut self, zeroed: bool) -> ObjectId {
        self.made += 1;
        self.object_id(ObjectKind::Heap(self.made, zeroed))
    }

    pub(crate) fn analysis(&self) -> &'p ProgramAnalysis<'p> {
        self.analysis
    }

    pub(crate) fn program(&self) -> &'p Program {
        self.analysis.program()
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn pool_mut(&mut self) -> &mut Pool {
        &mut self.pool
    }

    /// The expressions, and an evaluator for values of another model.
    pub(crate) fn evaluation(&mut self) -> (&Pool, &mut Evaluator) {
        self.evaluator.reset();
        (&self.pool, &mut self.evaluator)
    }

    /// What building and counting took, in steps of the solver.
    pub(crate) fn work(&self) -> u64 {
        self.pool.len() as u64 / NODES_PER_STEP
            + (self.visits.get() + self.evaluator.computed()) / VISITS_PER_STEP
    }

    /// For the meanings of operations.
    pub(crate) fn symbolic(&mut self) -> Symbolic<'_> {
        Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        }
    }

    /// A new local symbol.
    pub(crate) fn fresh(&mut self, width: u32) -> ExprId {
        self.symbolic().fresh(width)
    }

    pub(crate) fn constant(&mut self, width: u32, bits: u128) -> ExprId {
        self.pool.constant(width, bits)
    }

    /// The frame of this function under this call.
    pub(crate) fn frame_id(&mut self, frame: Frame) -> FrameId {
        let next = FrameId(self.frames.len() as u32);
        let id = *self.frame_ids.entry(frame).or_insert(next);
        if id == next {
            self.frames.push(frame);
        }
        id
    }

    pub(crate) fn frame(&self, id: FrameId) -> Frame {
        self.frames[id.0 as usize]
    }

    /// The function of a frame.
    pub(crate) fn function(&self, id: FrameId) -> &'p Function {
        self.analysis.function(self.frame(id).function)
    }

    /// The frames from this one to the outermost.
    pub(crate) fn stack(&self, id: FrameId) -> impl Iterator<Item = FrameId> + '_ {
        let caller = |id: &FrameId| self.frame(*id).caller.map(|(caller, _)| caller);
        std::iter::successors(Some(id), caller)
    }

    /// The symbol of a variable.
    pub(crate) fn variable(&mut self, variable: Variable, width: u32) -> ExprId {
        if let Some(known) = self.variables.get(&variable) {
            return *known;
        }
        let symbol = self.fresh(width);
        self.variables.insert(variable, symbol);
        if let Some(symbol) = self.pool.as_symbol(symbol) {
            self.variable_of.insert(symbol, variable);
        }
        symbol
    }

    /// The variable that a symbol stands for.
    pub(crate) fn as_variable(&self, symbol: Symbol) -> Option<Variable> {
        self.variable_of.get(&symbol).copied()
    }

    /// Whether a symbol is neither a variable nor the address of an object.
    pub(crate) fn is_local(&self, symbol: Symbol) -> bool {
        !self.variable_of.contains_key(&symbol) && !self.object_of.contains_key(&symbol)
    }

    /// The variables of expressions, in order.
    pub(crate) fn variables_of(&self, expressions: &[ExprId]) -> Vec<(Variable, ExprId)> {
        let symbols = expressions
            .iter()
            .flat_map(|id| self.pool.symbols(*id).iter());
        let mut found: Vec<Variable> = symbols
            .filter_map(|symbol| self.as_variable(symbol))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
            .into_iter()
            .map(|variable| (variable, self.variables[&variable]))
            .collect()
    }

    pub(crate) fn object(&self, id: ObjectId) -> Object {
        self.objects[id.0 as usize]
    }

    /// The object of a kind.
    pub(crate) fn object_id(&mut self, kind: ObjectKind) -> ObjectId {
        if let Some(known) = self.object_ids.get(&kind) {
            return *known;
        }
        let id = ObjectId(self.objects.len() as u32);
        let address = match kind {
            // Another object at each call: its address is a part of the state.
            ObjectKind::Stack(frame, value) if !self.is_private(frame, value) => {
                self.variable(Variable::Value(frame, value, 0), 64)
            }
            _ => self.fresh(64),
        };
        if let Some(symbol) = self.pool.as_symbol(address) {
            self.object_of.insert(symbol, id);
        }
        let object = self.describe(kind, address);
        self.objects.push(object);
        self.object_ids.insert(kind, id);
        id
    }

    /// The object whose address a symbol always is.
    pub(crate) fn as_address(&self, symbol: Symbol) -> Option<Object> {
        let object = self.object(*self.object_of.get(&symbol)?);
        (self.pool.as_symbol(object.address) == Some(symbol)).then_some(object)
    }

    fn is_private(&self, frame: FrameId, value: ValueId) -> bool {
        self.analysis
            .body(self.frame(frame).function)
            .is_private(value)
    }

    fn describe(&self, kind: ObjectKind, address: ExprId) -> Object {
        let plain = Object {
            kind,
            address,
            size: None,
            private: false,
            constant: false,
            weak: false,
        };
        match kind {
            ObjectKind::Global(id) => {
                let global = &self.program().globals[id.index()];
                let defined = global.initializer.is_some();
                Object {
                    size: (global.size > 0).then_some(global.size),
                    private: !self.analysis.is_shared(id),
                    constant: global.constant && (defined || is_surrounding(&global.name)),
                    weak: global.linkage == Linkage::Weak && !defined,
                    ..plain
                }
            }
            ObjectKind::Function(id) => {
                let function = self.analysis.function(id);
                Object {
                    size: Some(1),
                    constant: true,
                    weak: function.linkage == Linkage::Weak && !function.defined,
                    ..plain
                }
            }
            ObjectKind::Heap(..) => plain,
            ObjectKind::Stack(frame, value) => {
                let function = self.frame(frame).function;
                Object {
                    size: self.stack_size(function, value),
                    private: self.is_private(frame, value),
                    ..plain
                }
            }
        }
    }

    /// Bytes of an object that a frame of a function makes.
    fn stack_size(&self, function: FunctionId, value: ValueId) -> Option<u64> {
        match &self.analysis.defining(function, value)?.operation {
            Operation::Allocate {
                size,
                count: Operand::Constant(count),
                ..
            } => match self.program().constant(*count)? {
                Constant::Int { bits, .. } => size.checked_mul(u64::try_from(*bits).ok()?),
                _ => None,
            },
            _ => None,
        }
    }

    /// The address of an object becomes another one: its frame begins again.
    pub(crate) fn renew_address(&mut self, id: ObjectId) -> ExprId {
        let address = self.fresh(64);
        if let Some(symbol) = self.pool.as_symbol(address) {
            self.object_of.insert(symbol, id);
        }
        address
    }

    /// The object that an address is in, and the offset: the address is a sum with the address of
    /// one object in it.
    pub(crate) fn root(&mut self, address: ExprId) -> Option<(ObjectId, ExprId)> {
        let mut terms = vec![address];
        let mut found = None;
        let mut rest = Vec::new();
        while let Some(term) = terms.pop() {
            if self.pool.op(term) == Op::Add {
                terms.extend(self.pool.node(term).operands());
                continue;
            }
            let symbol = self.pool.as_symbol(term);
            match symbol.and_then(|symbol| self.object_of.get(&symbol)) {
                Some(object) if found.is_none() => found = Some(*object),
                _ => rest.push(term),
            }
        }
        let object = found?;
        let mut offset = self.pool.constant(64, 0);
        for term in rest {
            offset = self.pool.add(offset, term);
        }
        let mixed = |symbol: Symbol| self.object_of.contains_key(&symbol);
        // The difference of two addresses is a number like others while a path is tried.
        let unmixed = self.is_trial() || !self.pool.symbols(offset).iter().any(mixed);
        unmixed.then_some((object, offset))
    }

    /// The objects that an address is computed from. Law: an object that is private is accessed by
    /// no address that it is not a part of.
    pub(crate) fn objects_in(&self, address: ExprId) -> Vec<ObjectId> {
        let symbols = self.pool.symbols(address).iter();
        symbols
            .filter_map(|symbol| self.object_of.get(&symbol).copied())
            .collect()
    }

    /// What every run satisfies of the addresses in some constraints.
    pub(crate) fn axioms(&mut self, constraints: &[ExprId]) -> Vec<ExprId> {
        let mut used: Vec<(FunctionId, ExprId)> = Vec::new();
        let mut axioms = Vec::new();
        let symbols = self.with_axioms(constraints);
        for symbol in symbols.iter().copied() {
            let Some(id) = self.object_of.get(&symbol) else {
                continue;
            };
            let object = self.object(*id);
            if object.weak {
                continue;
            }
            let address = self.pool.symbol(symbol);
            if self.is_trial() {
                // Each has its own, so that no two are equal.
                let own = self.pool.constant(64, (1 + axioms.len() as u128) << APART);
                axioms.push(self.pool.eq(address, own));
                continue;
            }
            let low = self.pool.constant(64, NULL_PAGE);
            let high = self.pool.constant(64, SPACE);
            axioms.push(self.pool.ule(low, address));
            axioms.push(self.pool.ult(address, high));
            if let ObjectKind::Function(id) = object.kind {
                let apart = used
                    .iter()
                    .filter(|(other, _)| !self.analysis.may_be_one_function(id, *other));
                axioms.extend(apart.map(|(_, other)| self.pool.ne(address, *other)));
                used.push((id, address));
            }
        }
        self.overlaps(&symbols, &mut axioms);
        axioms
    }

    /// The symbols in some constraints that axioms speak of: addresses and cells, in order.
    fn with_axioms(&mut self, constraints: &[ExprId]) -> Vec<Symbol> {
        let mut sets: Vec<(u32, ExprId)> = constraints
            .iter()
            .map(|id| (self.pool.symbols_number(*id), *id))
            .collect();
        sets.sort_unstable();
        sets.dedup_by_key(|(set, _)| *set);
        let mut found = Vec::new();
        for (set, id) in sets {
            if !self.of_sets.contains_key(&set) {
                let speaks = |symbol: &Symbol| {
                    let cell = self.as_variable(*symbol);
                    self.object_of.contains_key(symbol) || matches!(cell, Some(Variable::Cell(..)))
                };
                let all = self.pool.symbols(id);
                self.visits.set(self.visits.get() + all.len() as u64);
                let of_set: Vec<Symbol> = all.iter().filter(speaks).collect();
                self.of_sets.insert(set, of_set);
            }
            found.extend(&self.of_sets[&set]);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Cells of one object have the same bytes where they overlap.
    fn overlaps(&mut self, symbols: &[Symbol], axioms: &mut Vec<ExprId>) {
        let cell = |symbol: &Symbol| match self.as_variable(*symbol)? {
            Variable::Cell(object, offset, size) => Some((object, offset, size, *symbol)),
            Variable::Value(..) => None,
        };
        let mut cells: Vec<_> = symbols.iter().filter_map(cell).collect();
        cells.sort_unstable_by_key(|(object, offset, size, _)| (*object, *offset, *size));
        for (at, (object, begin, size, first)) in cells.iter().enumerate() {
            let end = begin + u64::from(*size);
            let later = cells[at + 1..].iter();
            let near = later.take_while(|(other, offset, ..)| other == object && *offset < end);
            for (_, offset, size, second) in near {
                let width = 8 * (end.min(offset + u64::from(*size)) - offset) as u32;
                let low = 8 * (offset - begin) as u32;
                let (first, second) = (self.pool.symbol(*first), self.pool.symbol(*second));
                let first = self.pool.extract(first, low, width);
                let second = self.pool.extract(second, 0, width);
                axioms.push(self.pool.eq(first, second));
            }
        }
    }

    /// An expression with symbols replaced.
    pub(crate) fn substitute(&mut self, id: ExprId, replace: &FxHashMap<Symbol, ExprId>) -> ExprId {
        self.rebuilt.reset();
        self.pool
            .rebuild(None, id, &mut self.rebuilt, &mut |pool, id| {
                replace.get(&pool.as_symbol(id)?).copied()
            })
    }

    /// The expression with any value in place of each choice between values: what is decided near
    /// it stays, and the values that come from far are forgotten. The same choice is the same value
    /// everywhere.
    pub(crate) fn cut(&mut self, id: ExprId) -> ExprId {
        let next = &mut self.next_symbol;
        self.pool
            .rebuild(None, id, &mut self.cuts, &mut |pool, id| {
                let is_choice = pool.op(id) == Op::Ite && pool.width(id) > 1;
                is_choice.then(|| {
                    let width = pool.width(id);
                    Symbolic { pool, next }.fresh(width)
                })
            })
    }

    /// Whether expressions have more than so many nodes.
    pub(crate) fn is_larger(&self, expressions: &[ExprId], than: usize) -> bool {
        self.size(expressions, than + 1) > than as u64
    }

    /// The nodes of expressions, up to a limit.
    pub(crate) fn size(&self, expressions: &[ExprId], limit: usize) -> u64 {
        let mut seen = FxHashSet::default();
        let mut stack = expressions.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                if seen.len() >= limit {
                    break;
                }
                self.pool.for_each_child(id, |child| stack.push(child));
            }
        }
        self.visits.set(self.visits.get() + seen.len() as u64);
        seen.len() as u64
    }

    /// Bytes of a global when the program starts; `None` if they are not known.
    pub(crate) fn initial(&mut self, id: GlobalId, offset: u64, size: u32) -> Option<ExprId> {
        let global = &self.program().globals[id.index()];
        let initializer = global.initializer.as_ref()?;
        let end = offset.checked_add(u64::from(size))?;
        let mut relocations = initializer.relocations.iter();
        let overlapping =
            relocations.find(|part| offset < part.offset + part.target.size() && part.offset < end);
        if let Some(part) = overlapping {
            if part.offset != offset || size != 8 {
                return None;
            }
            let (kind, addend) = match part.target {
                RelocationTarget::Global(to, addend) => (ObjectKind::Global(to), addend),
                RelocationTarget::Function(to, addend) => (ObjectKind::Function(to), addend),
                RelocationTarget::Opaque(_) => return None,
            };
            let object = self.object_id(kind);
            let addend = self.constant(64, addend as u64 as u128);
            let address = self.object(object).address;
            return Some(self.pool.add(address, addend));
        }
        let byte = |at: u64| {
            usize::try_from(at)
                .ok()
                .and_then(|at| initializer.bytes.get(at))
        };
        let bits = (0..u64::from(size)).rev().fold(0u128, |bits, index| {
            bits << 8 | u128::from(byte(offset + index).copied().unwrap_or(0))
        });
        Some(self.constant(8 * size, bits))
    }

    /// The definition of a value of a frame.
    pub(crate) fn definition(&self, frame: FrameId, value: ValueId) -> Definition {
        self.analysis
            .body(self.frame(frame).function)
            .definition(value)
    }
}

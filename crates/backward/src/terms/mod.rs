//! Terms: the expressions of a search, with the symbols, objects and substitutions that they are
//! made with.
//!
//! Law: a symbol means one thing on all paths of a search: the value of a place of memory or of an
//! instruction that a path has come to, or the address of an object.

mod contents;
mod frame;
mod guesses;
mod objects;
mod operands;
mod substitution;
mod values;

use crate::assumptions::{Assumption, Assumptions};
use labrys_analysis::ProgramAnalysis;
use labrys_expr::{ExprId, Pool, Symbol};
use labrys_program::{FunctionId, GlobalId, Operand, Operation, Program, Type};
use labrys_semantics::environment::InputPart;
use labrys_semantics::{Operands, Symbolic, meaning};
use labrys_solver::{Assignment, Model};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use contents::{character_entry, character_pointer, initial_content, input_content};
pub(crate) use frame::{Frame, FrameId, SymbolicValue};
pub(crate) use objects::{Object, ObjectKind};
pub(crate) use operands::Overrides;
pub(crate) use substitution::pair_scalars;

use objects::Objects;
use operands::OperandReader;
use substitution::Substitution;
use values::SymbolValues;

/// See the module.
#[derive(Debug)]
pub(crate) struct Terms<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    pool: Pool,
    next_symbol: u32,
    next_frame: u32,
    objects: Objects,
    values: SymbolValues,
    /// Symbols of parts of the input, at offsets.
    inputs: FxHashMap<(InputPart, u64), ExprId>,
    input_parts: FxHashMap<Symbol, (InputPart, u64)>,
    substitution: Substitution,
    assumed: Assumptions,
}

impl<'p> Terms<'p> {
    pub(crate) fn new(analysis: &'p ProgramAnalysis<'p>) -> Self {
        Terms {
            analysis,
            pool: Pool::new(),
            next_symbol: 0,
            next_frame: 0,
            objects: Objects::default(),
            values: SymbolValues::default(),
            inputs: FxHashMap::default(),
            input_parts: FxHashMap::default(),
            substitution: Substitution::default(),
            assumed: Assumptions::default(),
        }
    }

    /// Notes that no check fails, for a search that comes to a function where one certainly does: what
    /// is behind it has no way in.
    pub(crate) fn note_failing_checks(&mut self, id: FunctionId) {
        if self.analysis.body(id).fails_certainly() {
            self.assume(Assumption::Checks);
        }
    }

    /// Notes that the search assumes something.
    pub(crate) fn assume(&mut self, assumption: Assumption) {
        self.assumed.note(assumption);
    }

    /// Notes all that a proof may rest on.
    pub(crate) fn assume_all(&mut self) {
        self.assumed = Assumptions::all();
    }

    /// What the search assumed so far.
    pub(crate) fn assumed(&self) -> Assumptions {
        self.assumed
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

    /// Bits of an expression that is constant.
    pub(crate) fn bits(&self, id: ExprId) -> Option<u128> {
        self.pool.bits(id)
    }

    pub(crate) fn width(&self, id: ExprId) -> u32 {
        self.pool.width(id)
    }

    pub(crate) fn constant(&mut self, width: u32, bits: u128) -> ExprId {
        self.pool.constant(width, bits)
    }

    /// For the meanings of operations.
    pub(crate) fn symbolic(&mut self) -> Symbolic<'_> {
        Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        }
    }

    /// A new symbol.
    pub(crate) fn fresh(&mut self, width: u32) -> ExprId {
        self.symbolic().fresh(width)
    }

    /// The symbol of a part of the input, the same on all paths.
    fn input(&mut self, part: InputPart, offset: u64, width: u32) -> ExprId {
        let known = self.inputs.get(&(part, offset)).copied();
        if let Some(known) = known.filter(|known| self.pool.width(*known) == width) {
            return known;
        }
        let symbol = self.fresh(width);
        if known.is_none() {
            self.inputs.insert((part, offset), symbol);
            if let Some(name) = self.pool.as_symbol(symbol) {
                self.input_parts.insert(name, (part, offset));
            }
        }
        symbol
    }

    /// The parts of the input of which an expression speaks.
    pub(crate) fn input_parts(&self, id: ExprId) -> Vec<(InputPart, u64, ExprId)> {
        let symbols = self.pool.symbols(id).iter();
        let parts = symbols.filter_map(|symbol| self.input_parts.get(&symbol));
        parts.map(|key| (key.0, key.1, self.inputs[key])).collect()
    }

    /// A new frame of a function.
    pub(crate) fn frame(&mut self, function: FunctionId) -> Frame {
        self.next_frame += 1;
        Frame::new(FrameId::new(self.next_frame), function)
    }

    /// The value of an operand in a frame; `None` if it has no model. A value that the path has
    /// not come to yet gets a symbol in the frame.
    pub(crate) fn value(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operand: Operand,
    ) -> Option<SymbolicValue> {
        let (mut symbolic, mut reader) = self.reader(frame, overrides);
        reader.value(&mut symbolic, operand)
    }

    /// The scalar value of an operand; `None` if it has no model.
    pub(crate) fn scalar(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operand: Operand,
    ) -> Option<ExprId> {
        self.value(frame, overrides, operand)?.scalar()
    }

    /// The result of an operation without effects; `None` if it has effects or no model.
    pub(crate) fn result(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operation: &Operation,
        ty: Type,
    ) -> Option<SymbolicValue> {
        self.assumed.note_operation(operation);
        let (mut symbolic, mut reader) = self.reader(frame, overrides);
        meaning(&mut symbolic, operation, ty, &mut reader)
    }

    fn reader<'b>(
        &'b mut self,
        frame: &'b mut Frame,
        overrides: &'b Overrides,
    ) -> (Symbolic<'b>, OperandReader<'b, 'p>) {
        let symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        };
        let reader = OperandReader::new(
            self.analysis,
            &mut self.objects,
            &mut self.assumed,
            frame,
            overrides,
        );
        (symbolic, reader)
    }

    /// The address of a function.
    pub(crate) fn function_address(&mut self, id: FunctionId) -> ExprId {
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        };
        self.objects
            .function_address(&mut symbolic, self.analysis, id)
    }

    /// The address of a global.
    pub(crate) fn global_address(&mut self, id: GlobalId) -> ExprId {
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        };
        self.objects
            .global_address(&mut symbolic, self.analysis, id)
    }

    /// The address of the table of characters of a library function.
    fn character_table_address(&mut self, function: FunctionId, size: u64) -> ExprId {
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next_symbol,
        };
        self.objects
            .character_table_address(&mut symbolic, function, size)
    }

    /// The object that an address is in, and the offset.
    pub(crate) fn root(&mut self, address: ExprId) -> Option<(Object, ExprId)> {
        self.objects.root(&mut self.pool, address)
    }

    /// Whether accesses to two addresses may alias.
    pub(crate) fn may_alias(&mut self, a: ExprId, b: ExprId) -> bool {
        self.objects.may_alias(&mut self.pool, a, b)
    }

    /// Whether a symbol is the address of an object that no frame makes, so that all paths may
    /// name it.
    pub(crate) fn outlives_frames(&self, symbol: Symbol) -> bool {
        self.objects.outlives_frames(symbol)
    }

    /// All numbers that a part of a global may hold at any time.
    fn global_values(&self, id: GlobalId, offset: ExprId, size: u32) -> Option<Vec<u128>> {
        let offset = u64::try_from(self.pool.bits(offset)?).ok()?;
        self.analysis.global_values(id, (offset, u64::from(size)))
    }

    /// The content of a part of a global that always holds one number.
    pub(crate) fn fixed_content(
        &mut self,
        id: GlobalId,
        offset: ExprId,
        size: u32,
    ) -> Option<ExprId> {
        let values = self.global_values(id, offset, size)?;
        match values[..] {
            [bits] => Some(self.pool.constant(8 * size, bits)),
            _ => None,
        }
    }

    /// Notes the numbers that a symbol may be that stands for the content at an address.
    pub(crate) fn note_content(&mut self, address: ExprId, symbol: ExprId, size: u32) {
        let Some((object, offset)) = self.root(address) else {
            return;
        };
        let ObjectKind::Global(id) = object.kind() else {
            return;
        };
        if matches!(self.analysis.input_part(id), Some(InputPart::Length(_))) {
            self.assume(Assumption::Inputs);
        }
        if let Some(values) = self.global_values(id, offset, size) {
            self.values.note(&self.pool, symbol, values);
        }
    }

    /// Notes that a symbol stands for the value of another one at another time.
    pub(crate) fn note_earlier(&mut self, symbol: Symbol, earlier: ExprId) {
        self.values.copy(&self.pool, symbol, earlier);
    }

    /// What every run satisfies of the symbols of some constraints.
    ///
    /// Law: an axiom is true of each run whatever path it takes, so a core that needs axioms is a
    /// conflict of its constraints.
    pub(crate) fn axioms(&mut self, constraints: &[ExprId]) -> Vec<ExprId> {
        let mut axioms = self
            .objects
            .axioms(self.analysis, &mut self.pool, constraints);
        self.values
            .add_axioms(&mut self.pool, constraints, &mut axioms);
        axioms
    }

    /// Values that many constraints like: those of a model, and objects apart from each other.
    pub(crate) fn hint(&self, constraints: &[ExprId], model: &Model) -> Assignment {
        self.objects.hint(&self.pool, constraints, model)
    }

    /// Conditions under which the model of constraints would not rest on values that no run is known
    /// to give; symbols of `inputs` are given.
    pub(crate) fn without_guesses(
        &mut self,
        constraints: &[ExprId],
        model: &Model,
        inputs: &[ExprId],
    ) -> Vec<ExprId> {
        let inputs: FxHashSet<Symbol> = inputs
            .iter()
            .filter_map(|input| self.pool.as_symbol(*input))
            .collect();
        let (objects, parts) = (&self.objects, &self.input_parts);
        let is_known = |symbol| {
            inputs.contains(&symbol) || parts.contains_key(&symbol) || objects.has_address(symbol)
        };
        guesses::avoided(&mut self.pool, constraints, model, &is_known)
    }

    /// Begins a substitution: no symbol is replaced.
    pub(crate) fn begin_substitution(&mut self) {
        self.substitution.begin();
    }

    /// From now on, a symbol is replaced; anything else is not.
    pub(crate) fn replace(&mut self, symbol: ExprId, value: ExprId) {
        if let Some(symbol) = self.pool.as_symbol(symbol) {
            self.substitution.replace(symbol, value);
        }
    }

    /// The expression with all symbols replaced.
    pub(crate) fn substituted(&mut self, id: ExprId) -> ExprId {
        self.substitution.apply(&mut self.pool, id)
    }

    /// An expression with one symbol replaced.
    pub(crate) fn substitute_one(&mut self, id: ExprId, symbol: ExprId, value: ExprId) -> ExprId {
        self.begin_substitution();
        self.replace(symbol, value);
        self.substituted(id)
    }

    /// What symbols are, from pairs that became known at one time, put into each other.
    pub(crate) fn bindings(&mut self, pairs: &[(ExprId, ExprId)]) -> Vec<(Symbol, ExprId)> {
        let mut bindings: Vec<(Symbol, ExprId)> = pairs
            .iter()
            .filter(|(from, to)| from != to)
            .filter_map(|(from, to)| Some((self.pool.as_symbol(*from)?, *to)))
            .collect();
        if !bindings.is_empty() {
            self.substitution.close(&mut self.pool, &mut bindings);
        }
        bindings
    }

    /// Puts bindings of one time into expressions.
    pub(crate) fn bind_all<'e>(
        &mut self,
        bindings: &[(Symbol, ExprId)],
        expressions: impl Iterator<Item = &'e mut ExprId>,
    ) {
        self.substitution
            .bind_all(&mut self.pool, bindings, expressions);
    }

    /// Puts bindings into expressions, where later ones may speak of symbols of earlier ones;
    /// whether that changed any.
    pub(crate) fn bind_in_order<'e>(
        &mut self,
        bindings: Vec<(Symbol, ExprId)>,
        expressions: impl Iterator<Item = &'e mut ExprId>,
    ) -> bool {
        self.substitution
            .bind_in_order(&mut self.pool, bindings, expressions)
    }

    /// Expressions that substitutions looked at so far.
    pub(crate) fn work(&self) -> u64 {
        self.substitution.work()
    }

    /// Expressions that exist.
    pub(crate) fn size(&self) -> usize {
        self.pool.len()
    }

    /// Whether an expression is made of so many at most.
    pub(crate) fn is_within(&self, id: ExprId, most: usize) -> bool {
        if most == usize::MAX {
            return true;
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![id];
        while let Some(next) = stack.pop() {
            if seen.insert(next) {
                if seen.len() > most {
                    return false;
                }
                self.pool.for_each_child(next, |child| stack.push(child));
            }
        }
        true
    }

    /// Whether an expression speaks of some symbols.
    pub(crate) fn speaks_of(&self, id: ExprId, symbols: &FxHashSet<Symbol>) -> bool {
        let mut own = self.pool.symbols(id).iter();
        own.any(|symbol| symbols.contains(&symbol))
    }

    /// The value of an expression in a model that names all its symbols.
    pub(crate) fn evaluated(&mut self, id: ExprId, model: &Model) -> Option<ExprId> {
        let symbols: Vec<Symbol> = self.pool.symbols(id).iter().collect();
        self.substitution.begin();
        for symbol in symbols {
            let value = self.pool.constant(symbol.width(), model.get(symbol)?);
            self.substitution.replace(symbol, value);
        }
        let value = self.substituted(id);
        self.pool.bits(value).map(|_| value)
    }
}

//! A call on the stack of a path, with the symbols of its values.

use std::collections::BTreeMap;

use labrys_analysis::Place;
use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId, ValueId};
use labrys_semantics::IrValue;

/// The value of an SSA value.
pub(crate) type SymbolicValue = IrValue<ExprId>;

/// Tells frames apart, also those of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FrameId(u32);

impl FrameId {
    pub(super) fn new(number: u32) -> Self {
        FrameId(number)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    id: FrameId,
    function: FunctionId,
    call: Option<Place>,
    /// Symbols of values that are used later on the path and not yet defined.
    used: BTreeMap<ValueId, SymbolicValue>,
    iterations: BTreeMap<BlockId, u32>,
}

impl Frame {
    pub(super) fn new(id: FrameId, function: FunctionId) -> Self {
        Frame {
            id,
            function,
            call: None,
            used: BTreeMap::new(),
            iterations: BTreeMap::new(),
        }
    }

    /// The frame, entered by a call in the frame below.
    pub(crate) fn entered_by(mut self, call: Place) -> Self {
        self.call = Some(call);
        self
    }

    pub(crate) fn id(&self) -> FrameId {
        self.id
    }

    pub(crate) fn function(&self) -> FunctionId {
        self.function
    }

    /// The call in the frame below that this one was entered by; none for the first.
    pub(crate) fn call(&self) -> Option<Place> {
        self.call
    }

    /// The symbols of a value that the path uses.
    pub(crate) fn get(&self, value: ValueId) -> Option<&SymbolicValue> {
        self.used.get(&value)
    }

    /// The symbol of a scalar that the path uses.
    pub(crate) fn scalar(&self, value: ValueId) -> Option<ExprId> {
        self.get(value)?.scalar()
    }

    /// Whether the path uses a value.
    pub(crate) fn uses(&self, value: ValueId) -> bool {
        self.used.contains_key(&value)
    }

    /// All values that the path uses, in order, with their symbols.
    pub(crate) fn used(&self) -> impl Iterator<Item = (ValueId, &SymbolicValue)> {
        self.used.iter().map(|(value, symbols)| (*value, symbols))
    }

    /// The path uses a value: it has these symbols.
    pub(crate) fn set(&mut self, value: ValueId, symbols: SymbolicValue) {
        self.used.insert(value, symbols);
    }

    /// Takes the symbols of a value that is defined here, if the path uses it.
    pub(crate) fn take(&mut self, value: ValueId) -> Option<SymbolicValue> {
        self.used.remove(&value)
    }

    /// How many iterations of a loop the path has.
    pub(crate) fn iterations(&self, header: BlockId) -> u32 {
        self.iterations.get(&header).copied().unwrap_or(0)
    }

    /// Sets the number of iterations of a loop.
    pub(crate) fn set_iterations(&mut self, header: BlockId, count: u32) {
        if count == 0 {
            self.iterations.remove(&header);
        } else {
            self.iterations.insert(header, count);
        }
    }

    /// The path has no iterations of any loop.
    pub(crate) fn clear_iterations(&mut self) {
        self.iterations.clear();
    }
}

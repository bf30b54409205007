//! The label environment of a function: which SSA value has which labels.
//!
//! A value has one label per scalar. Between blocks, values are in variables on the stack
//! ([`slots`](super::slots)), and beside each such variable there is one for each of its labels.
//!
//! Invariant: a value without an entry is concrete.

use std::collections::HashMap;

use labrys_llvm::{Block, Value};

use super::concrete::Concrete;
use super::emit::Emitter;
use super::types::{scalars, width};

/// The label of one scalar: `None` is the constant 0.
pub(super) type Label<'m> = Option<Value<'m>>;

/// Labels by value.
pub(super) struct Labels<'m> {
    values: HashMap<Value<'m>, Vec<Label<'m>>>,
    /// Label variables by the variable that holds the value; `None` where there can be no label.
    variables: HashMap<Value<'m>, Vec<Option<Value<'m>>>>,
}

impl<'m> Labels<'m> {
    /// An environment without labels. Each slot that may have labels gets a label variable for each
    /// scalar, at the start of the function's prologue.
    pub(super) fn new(
        emit: &Emitter<'m>,
        prologue: Block<'m>,
        slots: &[Value<'m>],
        concrete: &Concrete<'m>,
    ) -> Self {
        let mut labels = Labels {
            values: HashMap::new(),
            variables: HashMap::new(),
        };
        let Some(first) = prologue.instructions().first().copied() else {
            return labels;
        };
        let u32 = emit.module().int(32);
        for slot in slots {
            let variable = |ty| {
                width(ty).filter(|_| !concrete.has(*slot)).map(|_| {
                    emit.before(first);
                    let variable = emit.builder().named_variable(u32, "label");
                    emit.builder().store(emit.u32(0), variable);
                    variable
                })
            };
            let scalars = scalars(slot.allocated_type()).into_iter();
            let variables = scalars.map(variable).collect();
            labels.variables.insert(*slot, variables);
        }
        labels
    }

    /// Labels of a value. Constants and values of unreachable code have none.
    pub(super) fn all(&self, value: Value<'m>) -> Vec<Label<'m>> {
        match self.values.get(&value) {
            Some(labels) => labels.clone(),
            None => vec![None; scalars(value.ty()).len()],
        }
    }

    /// Label of a scalar value.
    pub(super) fn of(&self, value: Value<'m>) -> Label<'m> {
        self.values
            .get(&value)
            .and_then(|labels| labels.first().copied().flatten())
    }

    /// Whether none of these values has a label.
    pub(super) fn none(&self, values: &[Value<'m>]) -> bool {
        let mut labels = values.iter().flat_map(|value| self.all(*value));
        labels.all(|label| label.is_none())
    }

    /// The scalars of a value that have labels, taken apart, with these.
    pub(super) fn parts(
        &self,
        emit: &Emitter<'m>,
        value: Value<'m>,
    ) -> Vec<(Value<'m>, Value<'m>)> {
        if self.none(&[value]) {
            return Vec::new();
        }
        let scalars = emit.scalar_values(value).into_iter().zip(self.all(value));
        scalars
            .filter_map(|(scalar, label)| Some((scalar, label?)))
            .collect()
    }

    pub(super) fn set_all(&mut self, value: Value<'m>, labels: Vec<Label<'m>>) {
        if labels.iter().any(Option::is_some) {
            self.values.insert(value, labels);
        }
    }

    pub(super) fn set(&mut self, value: Value<'m>, label: Value<'m>) {
        self.values.insert(value, vec![Some(label)]);
    }

    /// Whether an address is that of a variable that holds a value between blocks.
    pub(super) fn is_slot(&self, address: Value<'m>) -> bool {
        self.variables.contains_key(&address)
    }

    /// The label variables of a slot.
    pub(super) fn variables(&self, slot: Value<'m>) -> Vec<Value<'m>> {
        let variables = self.variables.get(&slot).into_iter().flatten();
        variables.filter_map(|variable| *variable).collect()
    }

    /// A value came back from its variable, and its labels come from theirs.
    pub(super) fn load(&mut self, emit: &Emitter<'m>, load: Value<'m>) {
        let Some(variables) = self.variables.get(&load.operand(0)) else {
            return;
        };
        emit.after(load);
        let u32 = emit.module().int(32);
        let labels = variables
            .iter()
            .map(|place| place.map(|p| emit.builder().load(u32, p)))
            .collect();
        self.set_all(load, labels);
    }

    /// A value went to its variable, and its labels go to theirs.
    pub(super) fn store(&self, emit: &Emitter<'m>, store: Value<'m>) {
        emit.after(store);
        self.write(emit, store.operand(1), &self.all(store.operand(0)));
    }

    /// Writes labels to the label variables of a slot, if it is one.
    pub(super) fn write(&self, emit: &Emitter<'m>, slot: Value<'m>, labels: &[Label<'m>]) {
        let variables = self.variables.get(&slot).into_iter().flatten();
        for (variable, label) in variables.zip(labels) {
            if let Some(variable) = variable {
                emit.builder().store(emit.label(*label), *variable);
            }
        }
    }
}

//! What local variables of the source tell of pointers without a type: `struct state *s = context`.
//!
//! Bitcode has no types behind pointers. Where the code takes members it has that of the structure, but none
//! for the first member. The debug records of LLVM 19 have no questions in its C API; so they are read in a
//! copy of the module, whose instructions are the same ones in the same order.

use labrys_llvm::{Block, DebugNode, Module, Value, tag};
use rustc_hash::FxHashMap;

use crate::flow::is_pointer;
use crate::types::{Member, first_of, structure_name, unwrapped};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Locals<'m> {
    /// The structures that values point to, and the first member of each.
    structures: FxHashMap<Value<'m>, (String, Option<Member>)>,
}

impl<'m> Locals<'m> {
    pub(crate) fn of(module: &'m Module) -> Self {
        let mut locals = Locals::default();
        let Ok(mut copy) = Module::from_bytes(&module.to_bytes(), "local variables") else {
            return locals;
        };
        copy.spell_debug_records();
        for function in module.functions() {
            if let Some(copied) = copy.function(&function.name()) {
                locals.add(function, &copy, copied);
            }
        }
        locals
    }

    /// Adds the variables of a function by its copy.
    fn add(&mut self, function: Value<'m>, copy: &Module, copied: Value<'_>) {
        let (records, copies): (Vec<_>, Vec<_>) = instructions(copied)
            .into_iter()
            .partition(|one| one.debug_record(copy).is_some());
        let own = instructions(function);
        if own.len() != copies.len() || function.params().len() != copied.params().len() {
            return;
        }
        let parameters = copied.params().into_iter().zip(function.params());
        let values: FxHashMap<Value<'_>, Value<'m>> =
            copies.into_iter().zip(own).chain(parameters).collect();
        let empty = copy.empty_expression();
        for record in records.into_iter().filter_map(|one| one.debug_record(copy)) {
            let is_whole = !record.is_address && Some(record.expression) == empty;
            let value = record.value.filter(|_| is_whole);
            let value = value.and_then(|value| values.get(&value).copied());
            let Some(value) = value.filter(|value| is_pointer(*value)) else {
                continue;
            };
            let ty = record.variable.base().map(unwrapped);
            let pointer = ty.filter(|ty| ty.tag() == tag::POINTER);
            if let Some(to) = pointer.and_then(DebugNode::base) {
                let name = structure_name(to);
                if !name.is_empty() {
                    self.structures
                        .entry(value)
                        .or_insert_with(|| (name, first_of(to)));
                }
            }
        }
    }

    /// The structure that a value points to.
    pub(crate) fn structure(&self, value: Value<'m>) -> Option<String> {
        self.structures.get(&value).map(|(name, _)| name.clone())
    }

    /// The first member of the structure that a value points to.
    pub(crate) fn first_member(&self, value: Value<'m>) -> Option<Member> {
        self.structures.get(&value)?.1.clone()
    }

    /// The first members of the structures that values point to.
    pub(crate) fn first_members(&self) -> impl Iterator<Item = (Value<'m>, Member)> {
        let all = self.structures.iter();
        all.filter_map(|(value, (_, first))| Some((*value, first.clone()?)))
    }
}

/// The instructions of a function in order.
fn instructions(function: Value<'_>) -> Vec<Value<'_>> {
    let blocks = function.blocks().into_iter();
    blocks.flat_map(Block::instructions).collect()
}

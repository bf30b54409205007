//! Calls, parameters and results.
//!
//! The caller leaves argument labels and the callee's address in thread-local storage; an
//! instrumented callee takes them if the address is its own, so that callbacks, signal handlers
//! and code that is not instrumented never mix them up. Labels of results come back in the same
//! manner.

use std::collections::HashMap;

use labrys_abi::{Cause, MAX_ARGUMENT_LABELS, MAX_RESULT_LABELS};
use labrys_library::{Forward, WRAPPER_PREFIX};

use labrys_llvm::{LLVMValueKind, Value};

use super::PREFIX;
use super::effects::{callee_name, comparison};
use super::emit::Emitter;
use super::external::External;
use super::labels::{Label, Labels};
use super::objects::Objects;
use super::sinks;
use super::types::{is_function, is_pointer, scalars, width};
use super::variadic;
use super::watch::Watch;

/// Function number of a call that is not in the static program model.
pub(super) const UNKNOWN_FUNCTION: u32 = u32::MAX;

/// The numbers by which calls name the functions of a module.
pub(super) struct Callees<'m> {
    /// Index in the static program model.
    pub(super) functions: HashMap<Value<'m>, u32>,
    /// Row in the table of functions that are marked as pure.
    pub(super) marked: HashMap<Value<'m>, u32>,
}

/// Takes the labels of the parameters, before the first instruction of a function.
pub(super) fn enter<'m>(
    emit: &Emitter<'m>,
    labels: &mut Labels<'m>,
    function: Value<'m>,
    first: Value<'m>,
) {
    emit.before(first);
    let taken = emit.call("entered", &[function]);
    let mut index = 0;
    let mut copies = 0;
    for (position, param) in function.params().into_iter().enumerate() {
        let parts = emit.scalar_values(param);
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            let bits = width(part.ty()).filter(|w| *w <= 64 && index < MAX_ARGUMENT_LABELS);
            found.push(bits.map(|w| {
                let position = emit.u32(index as u32);
                emit.call("param", &[taken, position, emit.u32(w), emit.bits(part)])
            }));
            index += 1;
        }
        labels.set_all(param, found);
        if let Some(size) = emit.module().by_value_size(function, position) {
            let arguments = [function, emit.u32(copies), param, emit.u64(size)];
            let _ = emit.call("take_copy", &arguments);
            copies += 1;
        }
    }
}

/// Leaves the labels of the results, before a function returns.
pub(super) fn leave<'m>(emit: &Emitter<'m>, labels: &Labels<'m>, i: Value<'m>) {
    if i.previous().is_some_and(Value::is_musttail) {
        return;
    }
    emit.before(i);
    if i.operand_count() == 0 {
        return;
    }
    let results = labels.all(i.operand(0)).into_iter();
    for (index, label) in results.take(MAX_RESULT_LABELS).enumerate() {
        let _ = emit.call("return", &[emit.u32(index as u32), emit.label(label)]);
    }
}

/// Counts the labels of values that an instruction takes as lost: nothing follows what it does.
pub(super) fn lose<'m>(
    emit: &Emitter<'m>,
    labels: &Labels<'m>,
    i: Value<'m>,
    values: &[Value<'m>],
) {
    emit.before(i);
    for (part, label) in values.iter().flat_map(|value| labels.parts(emit, *value)) {
        let cause = emit.u32(Cause::Operation as u32);
        let part = emit.bits(part);
        let _ = emit.call("lost", &[cause, emit.u32(UNKNOWN_FUNCTION), label, part]);
    }
}

/// The labels that a call has left, at the emitter's place.
pub(super) fn results<'m>(emit: &Emitter<'m>, i: Value<'m>) -> Vec<Label<'m>> {
    let parts = emit.scalar_values(i).into_iter().enumerate();
    let label = |(index, part): (usize, Value<'m>)| {
        let bits = width(part.ty()).filter(|w| *w <= 64 && index < MAX_RESULT_LABELS)?;
        let arguments = [emit.u32(index as u32), emit.u32(bits), emit.bits(part)];
        Some(emit.call("result", &arguments))
    };
    parts.map(label).collect()
}

/// A step on one call of a function.
pub(super) struct Call<'s, 'm> {
    pub(super) emit: &'s Emitter<'m>,
    pub(super) callees: &'s Callees<'m>,
    pub(super) objects: &'s Objects<'s, 'm>,
    pub(super) labels: &'s mut Labels<'m>,
    /// In the concrete version.
    pub(super) watch: Option<&'s mut Watch<'m>>,
    /// Whether the call is in a library model.
    pub(super) model: bool,
}

impl<'m> Call<'_, 'm> {
    /// Instruments a call of anything but intrinsics and markers.
    pub(super) fn instrument(mut self, i: Value<'m>) {
        let callee = i.called();
        if callee.kind() == LLVMValueKind::LLVMInlineAsmValueKind {
            return lose(self.emit, self.labels, i, &i.arguments());
        }
        if let Some(&row) = self.callees.marked.get(&callee) {
            return self.marked(i, row);
        }
        if let (Some(watch), Some(size)) = (&mut self.watch, comparison(i)) {
            return watch.compare(self.emit, self.objects, i, size);
        }
        let known = self.callees.functions.get(&callee).copied();
        let number = known.unwrap_or(UNKNOWN_FUNCTION);
        let name = callee_name(i);
        if is_function(callee) && callee.is_declaration() && !name.starts_with(PREFIX) {
            let library = labrys_library::function(&name);
            match library.map(|library| (library.forward(), library)) {
                Some((Forward::Output(_), library)) => {
                    return sinks::output(self.emit, self.labels, self.objects, i, library);
                }
                Some((Forward::Intrinsic, _)) => {}
                // What has a model is called by its own name in models only.
                _ => {
                    let external = External {
                        emit: self.emit,
                        objects: self.objects,
                        labels: self.labels,
                        model: self.model,
                    };
                    return external.call(i, &name, number);
                }
            }
        }
        self.labelled(i, number, &name);
    }

    /// A call of a function that is marked as pure: whatever it does, its result is the call.
    fn marked(self, i: Value<'m>, row: u32) {
        let arguments = i.arguments();
        let labels: Vec<Label<'m>> = arguments.iter().map(|a| self.labels.of(*a)).collect();
        if labels.iter().all(Option::is_none) || !self.emit.after_return(i) {
            return;
        }
        let (emit, module) = (self.emit, self.emit.module());
        let (narrow, wide) = (module.int(32), module.int(64));
        let types = [narrow, narrow, narrow, wide];
        let pass = module.declare("__labrys_marked_argument", module.void(), &types);
        for (index, (argument, label)) in (0..).zip(arguments.into_iter().zip(labels)) {
            let bits = width(argument.ty()).unwrap_or(64);
            let values = [
                emit.u32(index),
                emit.u32(bits),
                emit.label(label),
                emit.bits(argument),
            ];
            let _ = emit.builder().call(pass, &values);
        }
        let take = module.declare("__labrys_marked_result", narrow, &[narrow, narrow, wide]);
        let bits = width(i.ty()).unwrap_or(64);
        let values = [emit.u32(row), emit.u32(bits), emit.bits(i)];
        let label = emit.builder().call(take, &values);
        self.labels.set(i, label);
    }

    /// A part of the runtime works on the memory at the addresses of this run.
    fn fix_addresses(&self, i: Value<'m>, number: u32) {
        let emit = self.emit;
        let pointers = i.arguments().into_iter().filter(|a| is_pointer(a.ty()));
        for pointer in pointers {
            if let Some(label) = self.labels.of(pointer) {
                let cause = emit.u32(Cause::LibraryArgument as u32);
                let arguments = [cause, emit.u32(number), label, emit.bits(pointer)];
                let _ = emit.call("lost", &arguments);
            }
        }
    }

    /// A call whose callee, of this name, may take labels and leave labels.
    fn labelled(self, i: Value<'m>, number: u32, name: &str) {
        let emit = self.emit;
        let callee = i.called();
        let fixed = i.called_type().param_count();
        emit.before(i);
        let labels: Vec<Label<'m>> = i
            .arguments()
            .into_iter()
            .take(fixed)
            .flat_map(|a| self.labels.all(a))
            .collect();
        if name.starts_with(WRAPPER_PREFIX) {
            self.fix_addresses(i, number);
        }
        pass_arguments(emit, callee, &labels);
        pass_copies(emit, i, callee);
        if let Some(label) = self.labels.of(callee) {
            let cause = emit.u32(Cause::CallTarget as u32);
            let arguments = [cause, emit.u32(number), label, emit.bits(callee)];
            let _ = emit.call("lost", &arguments);
        }
        if !is_function(callee) {
            for index in 0..scalars(i.ty()).len().min(MAX_RESULT_LABELS) {
                let _ = emit.call("return", &[emit.u32(index as u32), emit.u32(0)]);
            }
        }
        variadic::pass(emit, self.labels, i, fixed, number);
        if !i.is_musttail() {
            self.take_results(i);
        }
    }

    /// Takes the labels of the results after a call.
    fn take_results(self, i: Value<'m>) {
        if scalars(i.ty()).is_empty() || !self.emit.after_return(i) {
            return;
        }
        match self.watch {
            Some(watch) => watch.results(self.emit, i),
            None => self.labels.set_all(i, results(self.emit, i)),
        }
    }
}

/// Leaves the argument labels for the callee, if there is any: of all arguments, since a place
/// may still hold what a callee before did not take.
fn pass_arguments<'m>(emit: &Emitter<'m>, callee: Value<'m>, labels: &[Label<'m>]) {
    if labels.iter().all(Option::is_none) {
        return;
    }
    let count = labels.len().min(MAX_ARGUMENT_LABELS);
    let values: Vec<Value<'m>> = labels[..count].iter().map(|l| emit.label(*l)).collect();
    if count <= 6 {
        let arguments: Vec<Value<'m>> = std::iter::once(callee).chain(values).collect();
        let _ = emit.call(&format!("pass{count}"), &arguments);
        return;
    }
    for (index, value) in values.into_iter().enumerate() {
        let _ = emit.call("argument", &[emit.u32(index as u32), value]);
    }
    let _ = emit.call("pass", &[callee]);
}

/// Tells the callee where the structures passed by value were copied from.
fn pass_copies<'m>(emit: &Emitter<'m>, i: Value<'m>, callee: Value<'m>) {
    let mut copies = 0;
    for (position, argument) in i.arguments().into_iter().enumerate() {
        if i.is_by_value_argument(position) {
            let _ = emit.call("pass_copy", &[callee, emit.u32(copies), argument]);
            copies += 1;
        }
    }
}

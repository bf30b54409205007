//! Calls, parameters and results.
//!
//! The caller leaves argument labels and the callee's address in thread-local storage; an
//! instrumented callee takes them if the address is its own, so that callbacks, signal handlers
//! and code that is not instrumented never mix them up. Results come back the same way.

use labrys_abi::{Cause, MAX_ARGUMENT_LABELS};
use labrys_library::{Computes, Forward, WRAPPER_PREFIX};

use labrys_llvm::{LLVMOpcode, LLVMValueKind, Value};

use super::PREFIX;
use super::function::{FunctionPass, Label, Labels, width};
use super::markers::marker;

/// Result labels passed back per call.
const MAX_RESULTS: usize = 8;
/// Function number of a call that is not in the program picture.
const UNKNOWN_FUNCTION: u32 = u32::MAX;

impl<'m> FunctionPass<'_, 'm> {
    fn function_number(&self, function: Value<'m>) -> u32 {
        self.pass
            .functions
            .get(&function)
            .copied()
            .unwrap_or(UNKNOWN_FUNCTION)
    }

    /// Takes the labels of the parameters.
    pub(super) fn enter(&mut self, entry: &[Value<'m>]) {
        let Some(first) = entry.first() else { return };
        let h = &self.pass.helpers;
        h.builder.before(*first);
        let taken = h.call("entered", &[self.function]);
        let mut index = 0;
        let mut copies = 0;
        for (position, param) in self.function.params().into_iter().enumerate() {
            let parts = self.scalar_values(param);
            let mut labels = Vec::with_capacity(parts.len());
            for part in parts {
                let bits = width(part.ty()).filter(|w| *w <= 64 && index < MAX_ARGUMENT_LABELS);
                labels.push(bits.map(|w| {
                    let position = h.u32(index as u32);
                    h.call("param", &[taken, position, h.u32(w), self.bits(part)])
                }));
                index += 1;
            }
            self.set_labels(param, labels);
            if let Some(size) = self.pass.module.by_value_size(self.function, position) {
                let arguments = [self.function, h.u32(copies), param, h.u64(size)];
                let _ = h.call("take_copy", &arguments);
                copies += 1;
            }
        }
    }

    /// Leaves the labels of the results.
    pub(super) fn leave(&mut self, i: Value<'m>) {
        let h = &self.pass.helpers;
        if i.previous().is_some_and(Value::is_musttail) {
            return;
        }
        h.builder.before(i);
        if i.operand_count() == 0 {
            return;
        }
        let labels = self.labels_of(i.operand(0));
        for (index, label) in labels.into_iter().take(MAX_RESULTS).enumerate() {
            let _ = h.call("return", &[h.u32(index as u32), self.operand(label)]);
        }
    }

    /// Instruments a call.
    pub(super) fn call(&mut self, i: Value<'m>) {
        let callee = i.called();
        let direct = callee.kind() == LLVMValueKind::LLVMFunctionValueKind;
        let name = if direct { callee.name() } else { String::new() };
        if name.starts_with("llvm.") {
            return self.intrinsic(i, &name);
        }
        if let Some(marker) = marker(&name) {
            return self.decision(i, marker);
        }
        if callee.kind() == LLVMValueKind::LLVMInlineAsmValueKind {
            return self.lose_arguments(i, Cause::Operation, UNKNOWN_FUNCTION, 0);
        }
        if let Some(&row) = self.pass.marked.get(&callee) {
            return self.marked_call(i, row);
        }
        let number = self.function_number(callee);
        if let Some(size) = comparison(i).filter(|_| self.concrete) {
            return self.compare_concrete(i, size);
        }
        if direct && callee.is_declaration() && !name.starts_with(PREFIX) {
            let library = labrys_library::function(&name);
            match library.map(|library| (library.forward(), library)) {
                Some((Forward::Output(_), library)) => return self.output_call(i, library),
                Some((Forward::Intrinsic, _)) => {}
                // What has a model is called by its own name in models only.
                _ => return self.external_call(i, &name, number),
            }
        }
        self.labelled_call(i, number);
    }

    /// In the concrete version a comparison of few bytes only reads them: LLVM may know how to do
    /// that in place.
    fn compare_concrete(&mut self, i: Value<'m>, size: u64) {
        let callee = i.called();
        let name = callee.name();
        let name = name.strip_prefix(WRAPPER_PREFIX).unwrap_or(&name);
        let library = self.pass.module.declare_like(name, callee);
        i.set_operand(i.operand_count() - 1, library);
        self.after(i);
        for address in [i.operand(0), i.operand(1)] {
            if !self.points_to_constant(address) {
                self.look_at_bytes(address, size, 1);
            }
        }
    }

    /// A call of a function that is marked as pure: whatever it does, its result is the call.
    fn marked_call(&mut self, i: Value<'m>, row: u32) {
        let arguments = i.arguments();
        let labels: Vec<Label<'m>> = arguments.iter().map(|a| self.label_of(*a)).collect();
        if labels.iter().all(Option::is_none) || !self.behind(i) {
            return;
        }
        let (h, module) = (&self.pass.helpers, self.pass.module);
        let (narrow, wide) = (module.int(32), module.int(64));
        let types = [narrow, narrow, narrow, wide];
        let pass = module.declare("__labrys_marked_argument", module.void(), &types);
        for (index, (argument, label)) in (0..).zip(arguments.into_iter().zip(labels)) {
            let bits = width(argument.ty()).unwrap_or(64);
            let values = [
                h.u32(index),
                h.u32(bits),
                self.operand(label),
                self.bits(argument),
            ];
            let _ = h.builder.call(pass, &values);
        }
        let take = module.declare("__labrys_marked_result", narrow, &[narrow, narrow, wide]);
        let bits = width(i.ty()).unwrap_or(64);
        let values = [h.u32(row), h.u32(bits), self.bits(i)];
        let label = h.builder.call(take, &values);
        self.set_label(i, label);
    }

    /// A call whose callee may take labels and leave labels.
    fn labelled_call(&mut self, i: Value<'m>, number: u32) {
        let h = &self.pass.helpers;
        let callee = i.called();
        let fixed = i.called_type().param_count();
        h.builder.before(i);
        let labels: Vec<Label<'m>> = i
            .arguments()
            .into_iter()
            .take(fixed)
            .flat_map(|a| self.labels_of(a))
            .collect();
        self.pass_arguments(callee, &labels);
        self.pass_copies(i, callee);
        if let Some(label) = self.label_of(callee) {
            let arguments = [
                h.u32(Cause::CallTarget as u32),
                h.u32(number),
                label,
                self.bits(callee),
            ];
            let _ = h.call("lost", &arguments);
        }
        let results = super::function::scalars(i.ty());
        let direct = callee.kind() == LLVMValueKind::LLVMFunctionValueKind;
        for index in 0..results.len().min(MAX_RESULTS) {
            if !direct {
                let _ = h.call("return", &[h.u32(index as u32), h.u32(0)]);
            }
        }
        self.pass_variadic(i, callee, fixed, number);
        if !i.is_musttail() {
            self.take_results(i);
        }
    }

    /// Leaves the argument labels for the callee, if there is any: of all arguments, since a place
    /// may still hold what a callee before did not take.
    fn pass_arguments(&self, callee: Value<'m>, labels: &[Label<'m>]) {
        let h = &self.pass.helpers;
        if labels.iter().all(Option::is_none) {
            return;
        }
        let count = labels.len().min(MAX_ARGUMENT_LABELS);
        let values: Vec<Value<'m>> = labels[..count].iter().map(|l| self.operand(*l)).collect();
        if count <= 6 {
            let arguments: Vec<Value<'m>> = std::iter::once(callee).chain(values).collect();
            let _ = h.call(&format!("pass{count}"), &arguments);
            return;
        }
        for (index, value) in values.into_iter().enumerate() {
            let _ = h.call("argument", &[h.u32(index as u32), value]);
        }
        let _ = h.call("pass", &[callee]);
    }

    /// Tells the callee where the structures passed by value were copied from.
    fn pass_copies(&self, i: Value<'m>, callee: Value<'m>) {
        let h = &self.pass.helpers;
        let mut copies = 0;
        for (position, argument) in i.arguments().into_iter().enumerate() {
            if i.is_by_value_argument(position) {
                let _ = h.call("pass_copy", &[callee, h.u32(copies), argument]);
                copies += 1;
            }
        }
    }

    /// Counts the labels of arguments from `start` on as lost.
    pub(super) fn lose_arguments(&mut self, i: Value<'m>, cause: Cause, number: u32, start: usize) {
        let h = &self.pass.helpers;
        let mut positioned = false;
        for argument in i.arguments().into_iter().skip(start) {
            let Some(label) = self.label_of(argument) else {
                continue;
            };
            if !positioned {
                h.builder.before(i);
                positioned = true;
            }
            let value = self.bits(argument);
            let _ = h.call("lost", &[h.u32(cause as u32), h.u32(number), label, value]);
        }
    }

    /// Takes the labels of the results after a call.
    fn take_results(&mut self, i: Value<'m>) {
        if super::function::scalars(i.ty()).is_empty() {
            return;
        }
        if !self.behind(i) {
            return;
        }
        if self.concrete {
            return self.look_at_results(i);
        }
        let labels = self.result_labels(i);
        self.set_labels(i, labels);
    }

    /// New instructions go to where a call has returned; false if there is no such place.
    pub(super) fn behind(&self, i: Value<'m>) -> bool {
        match i.opcode() {
            LLVMOpcode::LLVMInvoke => {
                let normal = i.parent().successors();
                let Some(first) = normal.first().and_then(|block| block.first_after_phis()) else {
                    return false;
                };
                self.pass.helpers.builder.before(first);
            }
            LLVMOpcode::LLVMCallBr => return false,
            _ => self.after(i),
        }
        true
    }

    /// The labels that a call has left, at the builder's position.
    pub(super) fn result_labels(&self, i: Value<'m>) -> Labels<'m> {
        let h = &self.pass.helpers;
        let parts = self.scalar_values(i).into_iter().enumerate();
        let label = |(index, part): (usize, Value<'m>)| {
            let bits = width(part.ty()).filter(|w| *w <= 64 && index < MAX_RESULTS)?;
            let arguments = [h.u32(index as u32), h.u32(bits), self.bits(part)];
            Some(h.call("result", &arguments))
        };
        parts.map(label).collect()
    }

    /// In the concrete version, notes whether a call has left labels.
    fn look_at_results(&mut self, i: Value<'m>) {
        let h = &self.pass.helpers;
        let count = super::function::scalars(i.ty()).len().min(MAX_RESULTS);
        let labels = (0..count).map(|index| h.call("left", &[h.u32(index as u32)]));
        self.met = labels.reduce(|a, b| h.builder.binary(LLVMOpcode::LLVMOr, a, b));
        self.left = Some(i);
    }
}

/// The number of bytes that a call compares, if that is a small constant.
pub(super) fn comparison(i: Value<'_>) -> Option<u64> {
    const MOST: u64 = 64;
    if i.opcode() != LLVMOpcode::LLVMCall || i.is_musttail() {
        return None;
    }
    let callee = i.called();
    let direct = callee.kind() == LLVMValueKind::LLVMFunctionValueKind;
    let name = direct.then(|| callee.name())?;
    let function = name.strip_prefix(WRAPPER_PREFIX)?;
    let computes = labrys_library::function(function)?.computes();
    if computes != Some(Computes::CompareBytes) {
        return None;
    }
    let size = i.operand(2).const_int_value()?;
    (1..=MOST).contains(&size).then_some(size)
}

/// Whether results of a call may have labels when it returns.
pub(super) fn may_leave_labels(i: Value<'_>) -> bool {
    if i.opcode() != LLVMOpcode::LLVMCall || i.is_musttail() {
        return false;
    }
    let callee = i.called();
    if super::function::scalars(i.ty()).is_empty() {
        return false;
    }
    match callee.kind() {
        LLVMValueKind::LLVMInlineAsmValueKind => false,
        LLVMValueKind::LLVMFunctionValueKind => {
            let name = callee.name();
            !name.starts_with("llvm.") && marker(&name).is_none() && comparison(i).is_none()
        }
        _ => true,
    }
}

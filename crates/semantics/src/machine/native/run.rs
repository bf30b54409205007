//! Running machine code: all `unsafe` of the machine is here.
//!
//! Safety rests on these facts. Code is made by [`emit`](super::emit) alone. It gets one pointer,
//! to the [`CodeContext`] of a machine that lives while the code runs, and reads and writes in it at
//! the offsets of its fields, all of which are cells. Besides, it accesses bytes within a
//! [`ObjectView`](super::context::ObjectView): these are of an object of the machine's memory, whose bytes
//! stay where they are until the object is freed, and then the view is emptied
//! ([`CodeContext::drop_views`]). It calls the functions of this module, which come back to the machine
//! by the pointer that `enter_code` left in the context; meanwhile nobody else has it.

#![allow(unsafe_code)]

use std::ptr::from_mut;
use std::rc::Rc;

use cranelift_jit::JITModule;
use labrys_expr::Value;
use labrys_program::{Function, FunctionId};

use super::super::{After, ConcreteValue, Halt, Machine};
use super::context::{CodeContext, WORDS};
use super::sites::HandOver;
use super::values::word_width;
use crate::value::IrValue;

/// The function returned: its result is the first word of the context.
pub(super) const RETURNED: u64 = 0;
/// The machine knows how the function ended.
pub(super) const ENDED: u64 = 1;
/// The answer of [`leave`] when the run has ended.
pub(super) const NOWHERE: u64 = 1 << 32;

/// A function: the context, and the depth of its frame; how it ended.
type EntryPoint = unsafe extern "C" fn(*const CodeContext, u64) -> u64;

/// A function of the program as machine code.
pub(in super::super) struct Compiled {
    /// Holds the memory; `None` only while it is dropped.
    module: Option<JITModule>,
    entry: EntryPoint,
    sites: Vec<HandOver>,
}

impl Compiled {
    /// The code at this address of `module`.
    pub(super) fn new(module: JITModule, address: *const u8, sites: Vec<HandOver>) -> Self {
        // SAFETY: the address is that of a finished function with this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, EntryPoint>(address) };
        Compiled {
            module: Some(module),
            entry,
            sites,
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: frames hold the code that they execute, so it is not running.
            unsafe { module.free_memory() }
        }
    }
}

/// Calls a function that has code, with arguments that fit.
pub(in super::super) fn run(
    machine: &mut Machine<'_>,
    id: FunctionId,
    function: &Function,
    code: &Rc<Compiled>,
    arguments: Vec<ConcreteValue>,
) -> Result<Option<ConcreteValue>, Halt> {
    let mut words = 0..WORDS;
    let mut values = Vec::new();
    for (number, argument) in arguments.into_iter().enumerate() {
        match argument {
            IrValue::Scalar(value) if value.width() <= 64 => {
                let word = words.next().ok_or(Halt::Fault)?;
                machine.context.words[word].set(value.bits() as u64);
            }
            other => {
                values.resize(number, None);
                values.push(Some(other));
            }
        }
    }
    machine.frames.push(id, values, Some(code.clone()));
    let returned = enter_code(machine, code);
    machine.pop_frame();
    if !returned {
        return machine.outcome.take().unwrap_or(Err(Halt::Fault));
    }
    let bits = u128::from(machine.context.words[0].get());
    let result = function.result.width();
    Ok(result.map(|width| IrValue::Scalar(Value::new(width, bits))))
}

/// Runs the code of the last frame; whether its result is a word, else `outcome` has it.
fn enter_code(machine: &mut Machine<'_>, code: &Compiled) -> bool {
    let depth = machine.frames.depth();
    let this = from_mut(machine);
    machine.context.machine.set(this.cast());
    let context: *const CodeContext = &raw const *machine.context;
    // SAFETY: see the module; the context is this machine's.
    let end = unsafe { (code.entry)(context, depth as u64) };
    end == RETURNED
}

/// Takes the values that code brings to a site.
fn take(machine: &mut Machine<'_>, site: &HandOver) {
    let mut word = 0;
    for (id, shape) in &site.brought {
        let value = taken(machine, shape, &mut word);
        machine.frames.set(*id, Some(value));
    }
}

fn taken(machine: &Machine<'_>, shape: &IrValue<u32>, word: &mut usize) -> ConcreteValue {
    match shape {
        IrValue::Scalar(width) => {
            let bits = machine.context.words[*word].get();
            *word += 1;
            IrValue::Scalar(Value::new(*width, u128::from(bits)))
        }
        IrValue::Parts(parts) => {
            let parts = parts.iter().map(|part| taken(machine, part, word));
            IrValue::Parts(parts.collect())
        }
    }
}

/// Executes the instruction of a site.
fn step_at(machine: &mut Machine<'_>, function: &Function, site: &HandOver) -> Result<(), Halt> {
    machine.work(1)?;
    let block = function.block(site.block).ok_or(Halt::Fault)?;
    let instruction = block.instructions.get(site.index).ok_or(Halt::Fault)?;
    machine.execute(function, instruction)?;
    let Some((id, used, width)) = site.result else {
        return Ok(());
    };
    match machine.frames.value(id) {
        Some(IrValue::Scalar(value)) if value.width() == width => {
            machine.context.words[0].set(value.bits() as u64);
        }
        _ if used => return Err(super::give_up(machine)),
        _ => {}
    }
    Ok(())
}

/// Executes a block from a site on, where the run cannot get to the next one.
fn end_at(
    machine: &mut Machine<'_>,
    function: &Function,
    site: &HandOver,
    stop: Option<usize>,
) -> Result<Option<ConcreteValue>, Halt> {
    match machine.run_block(function, site.block, site.index, stop)? {
        After::Returned(value) => Ok(value),
        After::Block(_) => Err(Halt::Fault),
    }
}

/// Calls a function whose arguments are the words of the context, where its result goes too.
fn call_on_words(machine: &mut Machine<'_>, id: FunctionId) -> Result<(), Halt> {
    let program = machine.program;
    let function = program.function(id).ok_or(Halt::Fault)?;
    if machine.frames.count() >= machine.meter.limit.depth {
        return Err(Halt::Limit);
    }
    let Some(code) = super::code_of(machine, id) else {
        let words = machine.context.words.iter();
        let arguments = function.parameters.iter().zip(words);
        let arguments = arguments.filter_map(|(parameter, word)| {
            let value = Value::new(word_width(parameter.ty)?, u128::from(word.get()));
            Some(IrValue::Scalar(value))
        });
        let arguments = arguments.collect();
        let result = machine.interpret(id, function, arguments)?;
        let bits = result.and_then(|value| value.scalar()).map(Value::bits);
        machine.context.words[0].set(bits.unwrap_or(0) as u64);
        return Ok(());
    };
    let entry = code.clone();
    machine.frames.push(id, Vec::new(), Some(code));
    let returned = enter_code(machine, &entry);
    let ended = match returned {
        true => Ok(None),
        false => machine.outcome.take().unwrap_or(Err(Halt::Fault)),
    };
    machine.pop_frame();
    if let Some(value) = ended?.and_then(|value| value.scalar()) {
        machine.context.words[0].set(value.bits() as u64);
    }
    Ok(())
}

/// Calls `act` with the machine, the function of its last frame, and a site of its code.
///
/// # Safety
/// As said in the module: the context is that of a machine whose code calls this.
unsafe fn with_site<T>(
    context: *const CodeContext,
    site: u64,
    act: impl FnOnce(&mut Machine<'_>, &Function, &HandOver) -> Result<T, Halt>,
) -> Result<T, ()> {
    // SAFETY: see the module.
    let machine = unsafe { &mut *(*context).machine.get().cast::<Machine<'_>>() };
    let program = machine.program;
    let frames = &machine.frames;
    let result = frames
        .function()
        .and_then(|id| Some((program.function(id)?, frames.code()?)))
        .ok_or(Halt::Fault)
        .and_then(|(function, code)| {
            let site = code.sites.get(site as usize).ok_or(Halt::Fault)?;
            take(machine, site);
            act(machine, function, site)
        });
    result.map_err(|halt| machine.outcome = Some(Err(halt)))
}

/// Executes the instruction of a site; 0 if the run goes on.
pub(super) extern "C" fn step(context: *const CodeContext, site: u64) -> u64 {
    // SAFETY: called by code.
    let result = unsafe {
        with_site(context, site, |machine, function, site| {
            let result = step_at(machine, function, site);
            if result.is_err() {
                let steps = &machine.context.steps;
                steps.set(steps.get() - site.ahead);
            }
            result
        })
    };
    u64::from(result.is_err())
}

/// Calls a function whose arguments are the words of the context; 0 if the run goes on.
pub(super) extern "C" fn call(context: *const CodeContext, id: u64) -> u64 {
    // SAFETY: called by code, see the module.
    let machine = unsafe { &mut *(*context).machine.get().cast::<Machine<'_>>() };
    match call_on_words(machine, FunctionId(id as u32)) {
        Ok(()) => 0,
        Err(halt) => {
            machine.outcome = Some(Err(halt));
            1
        }
    }
}

/// The rules look at the beginning of the block of a site; 0 if the run goes on.
pub(super) extern "C" fn enter(context: *const CodeContext, site: u64) -> u64 {
    // SAFETY: called by code.
    let result = unsafe {
        with_site(context, site, |machine, function, site| {
            match machine.enter(site.block) {
                None => Ok(()),
                stop => end_at(machine, function, site, stop).map(|_| ()),
            }
        })
    };
    u64::from(result.is_err())
}

/// Executes the block of a site to the run's or the function's end.
pub(super) extern "C" fn end(context: *const CodeContext, site: u64) {
    // SAFETY: called by code.
    let _ = unsafe {
        with_site(context, site, |machine, function, site| {
            let value = end_at(machine, function, site, None)?;
            machine.outcome = Some(Ok(value));
            Ok(())
        })
    };
}

/// Where control goes at the end of the block of a site; [`NOWHERE`] if the run ends.
pub(super) extern "C" fn leave(context: *const CodeContext, site: u64) -> u64 {
    // SAFETY: called by code.
    let result = unsafe {
        with_site(context, site, |machine, function, site| {
            let block = function.block(site.block).ok_or(Halt::Fault)?;
            machine.next(function, site.block, block)
        })
    };
    result.map_or(NOWHERE, |block| u64::from(block.0))
}

/// Where the bytes at an address are, which a view then shows; null if they are in no object.
pub(super) extern "C" fn find(
    context: *const CodeContext,
    address: u64,
    size: u64,
    view: u64,
) -> *mut u8 {
    // SAFETY: called by code, see the module.
    let machine = unsafe { &mut *(*context).machine.get().cast::<Machine<'_>>() };
    let Some((base, object)) = machine.object(address, size) else {
        return std::ptr::null_mut();
    };
    let (start, length) = (address - base, object.len() as u64);
    if start >= length || length - start < size {
        return std::ptr::null_mut();
    }
    let data = object.as_mut_ptr();
    if let Some(view) = machine.context.views.get(view as usize) {
        view.base.set(base);
        view.size.set(length);
        view.data.set(data);
    }
    data.wrapping_add(start as usize)
}

/// Ends the run at an access outside all objects, before which so many steps too many were
/// counted.
pub(super) extern "C" fn fault(context: *const CodeContext, ahead: u64) {
    // SAFETY: called by code, see the module.
    let machine = unsafe { &mut *(*context).machine.get().cast::<Machine<'_>>() };
    let steps = &machine.context.steps;
    steps.set(steps.get() - ahead);
    machine.outcome = Some(Err(Halt::Fault));
}

//! Signal handlers as the program hands them to `signal` and its kin: in the call, in an object that
//! the call is given, and through parameters, results and variables of its own.
//!
//! Laws: a function that is handed over is in the set, whatever its type; where a way is not followed
//! to its end, nothing is known of what is handed over.

use std::collections::BTreeSet;

use labrys_program::{
    Callee, Constant, ConstantId, Function, FunctionId, GlobalId, Linkage, Operand, Operation,
    Program, RelocationTarget, Terminator, ValueId,
};
use labrys_semantics::{CallsBack, calls_back};

use crate::points_to::{Pointee, PointsTo};

/// The functions that are handed over; `None` if they may be others.
pub(crate) fn installed(program: &Program) -> Option<BTreeSet<FunctionId>> {
    // By its address, a function gets anything.
    let is_lost = |called: &Function| called.address_taken && sets_handlers(called);
    let mut handed = Handed {
        is_lost: program.functions.iter().any(is_lost),
        ..Handed::default()
    };
    loop {
        let before = handed.size();
        for (index, function) in program.functions.iter().enumerate() {
            Walk {
                program,
                id: FunctionId::new(index),
                points_to: PointsTo::of(program, function),
                handed: &mut handed,
            }
            .function(function);
        }
        handed.contents(program);
        if handed.is_lost {
            return None;
        }
        if handed.size() == before {
            return Some(handed.functions);
        }
    }
}

/// What may be, or lead to, a handler that is handed over.
#[derive(Default)]
struct Handed {
    functions: BTreeSet<FunctionId>,
    globals: BTreeSet<GlobalId>,
    /// Values; an object on the stack stands for what is in it.
    values: BTreeSet<(FunctionId, ValueId)>,
    /// Functions whose result it is.
    results: BTreeSet<FunctionId>,
    /// Whether there is a way that is not followed.
    is_lost: bool,
}

impl Handed {
    fn size(&self) -> usize {
        self.functions.len() + self.globals.len() + self.values.len() + self.results.len()
    }

    fn constant(&mut self, program: &Program, id: ConstantId) {
        let Some(constant) = program.constant(id) else {
            return;
        };
        match constant {
            Constant::Function(function) => drop(self.functions.insert(*function)),
            Constant::Global(global) => drop(self.globals.insert(*global)),
            _ => {}
        }
        for child in constant.children().into_iter().filter(|child| *child < id) {
            self.constant(program, child);
        }
    }

    /// What the globals hold when the program begins. One whose address is in another is written
    /// through that.
    fn contents(&mut self, program: &Program) {
        for (index, global) in program.globals.iter().enumerate() {
            let is_handed = self.globals.contains(&GlobalId::new(index));
            self.is_lost |= is_handed && global.linkage != Linkage::Internal;
            let initializer = global.initializer.as_ref();
            for relocation in initializer.iter().flat_map(|one| &one.relocations) {
                match relocation.target {
                    RelocationTarget::Function(id, _) if is_handed => {
                        self.functions.insert(id);
                    }
                    RelocationTarget::Global(id, _) => {
                        self.is_lost |= is_handed || self.globals.contains(&id);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A walk over a function.
struct Walk<'a> {
    program: &'a Program,
    id: FunctionId,
    points_to: PointsTo<'a>,
    handed: &'a mut Handed,
}

impl Walk<'_> {
    fn function(&mut self, function: &Function) {
        for index in 0..function.parameters.len() {
            let may_be_others = function.address_taken || function.linkage != Linkage::Internal;
            self.handed.is_lost |= may_be_others && self.is_handed(ValueId::new(index));
        }
        for block in &function.blocks {
            for phi in &block.phis {
                let is_handed = self.is_handed(phi.result);
                for (_, operand) in &phi.incoming {
                    self.keep(*operand);
                    if is_handed {
                        self.hand(*operand);
                    }
                }
            }
            for instruction in &block.instructions {
                self.uses(&instruction.operation);
                if instruction.result.is_some_and(|one| self.is_handed(one)) {
                    self.sources(&instruction.operation);
                }
            }
            block.terminator.visit_operands(&mut |one| self.keep(one));
            if let Terminator::Return(Some(value)) = &block.terminator
                && self.handed.results.contains(&self.id)
            {
                self.hand(*value);
            }
        }
    }

    fn is_handed(&self, value: ValueId) -> bool {
        self.handed.values.contains(&(self.id, value))
    }

    fn hand(&mut self, operand: Operand) {
        match operand {
            Operand::Constant(id) => self.handed.constant(self.program, id),
            Operand::Value(value) => drop(self.handed.values.insert((self.id, value))),
        }
    }

    /// What calls get, and what is put into objects that are handed over.
    fn uses(&mut self, operation: &Operation) {
        match operation {
            Operation::Load { .. } | Operation::Compare { .. } => {}
            Operation::Address { terms, .. } => {
                terms.iter().for_each(|term| self.keep(term.index));
            }
            Operation::Store { address, value, .. } => {
                self.keep(*value);
                if self.is_inside(*address) {
                    self.hand(*value);
                }
            }
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } if intrinsic.writes_memory() => {
                if let [to, from, ..] = arguments[..]
                    && self.is_inside(to)
                {
                    self.hand(from);
                }
            }
            Operation::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } => {
                // The library puts none of the program's functions anywhere.
                let is_own = self.program.functions[callee.index()].defined;
                for (index, argument) in arguments.iter().enumerate() {
                    if is_own {
                        self.keep(*argument);
                    }
                    if self.takes(*callee, index) {
                        self.hand(*argument);
                    }
                }
            }
            operation => operation.visit_operands(&mut |operand| self.keep(operand)),
        }
    }

    /// What a value that is handed over is made of.
    fn sources(&mut self, operation: &Operation) {
        match operation {
            Operation::Allocate { .. } => {}
            Operation::Load { address, .. } => {
                let object = self.points_to.stack_object(*address);
                let is_global = matches!(self.points_to.pointee(*address), Pointee::Global(_));
                self.handed.is_lost |= object.is_none() && !is_global;
                self.hand(*address);
            }
            Operation::Call {
                callee: Callee::Direct(callee),
                ..
            } => {
                let called = &self.program.functions[callee.index()];
                if called.defined {
                    self.handed.results.insert(*callee);
                } else {
                    // `signal` gives back what it was given before.
                    self.handed.is_lost |= !sets_handlers(called);
                }
            }
            Operation::Call { .. } | Operation::VariableArgument(_) | Operation::Opaque { .. } => {
                self.handed.is_lost = true;
            }
            operation => operation.visit_operands(&mut |operand| self.hand(operand)),
        }
    }

    /// Whether a function hands over what it gets as this argument.
    fn takes(&self, callee: FunctionId, index: usize) -> bool {
        let called = &self.program.functions[callee.index()];
        match called.defined {
            true => self.handed.values.contains(&(callee, ValueId::new(index))),
            false => sets_handlers(called),
        }
    }

    /// The address of an object that is handed over goes where it is not followed.
    fn keep(&mut self, operand: Operand) {
        self.handed.is_lost |= self.is_inside(operand);
    }

    /// Whether an address is in an object that is handed over.
    fn is_inside(&self, address: Operand) -> bool {
        match self.points_to.pointee(address) {
            Pointee::Global(global) => self.handed.globals.contains(&global),
            Pointee::OwnStack => {
                let object = self.points_to.stack_object(address);
                object.is_some_and(|object| self.is_handed(object))
            }
            Pointee::Parameter(_) | Pointee::Unknown => false,
        }
    }
}

/// Whether a function of the library calls what it is given at a signal.
pub(crate) fn sets_handlers(called: &Function) -> bool {
    calls_back(&called.name) == CallsBack::Signals
}

//! Definitions of one program put into another.
//!
//! Law: what the program has keeps its numbers; names mean one thing in both.

use labrys_program::{
    Callee, Constant, ConstantId, FunctionId, Global, GlobalId, Initializer, Operand, Operation,
    Program, RelocationTarget, SiteId, Terminator,
};
use rustc_hash::FxHashMap;

/// Sites of definitions that are added: the program has no such numbers.
const SITES: u32 = 1 << 30;

/// Puts functions of a library, with what they use, into a program.
pub(super) struct Merge<'a> {
    program: &'a mut Program,
    library: &'a Program,
    /// By function of the library.
    functions: Vec<Option<FunctionId>>,
    globals: Vec<Option<GlobalId>>,
    constants: Vec<Option<ConstantId>>,
    /// Those of the program.
    interned: FxHashMap<Constant, ConstantId>,
    /// Functions that were taken and whose bodies are not here yet.
    waiting: Vec<FunctionId>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(program: &'a mut Program, library: &'a Program) -> Self {
        let constants = program.constants.iter().enumerate();
        let interned = constants.map(|(at, one)| (one.clone(), ConstantId::new(at)));
        Merge {
            functions: vec![None; library.functions.len()],
            globals: vec![None; library.globals.len()],
            constants: vec![None; library.constants.len()],
            interned: interned.collect(),
            waiting: Vec::new(),
            program,
            library,
        }
    }

    /// Takes a function of the library.
    pub(super) fn take(&mut self, id: FunctionId) -> FunctionId {
        if let Some(known) = self.functions[id.index()] {
            return known;
        }
        let function = &self.library.functions[id.index()];
        let taken = match self.program.function_named(&function.name) {
            Some(same) => same,
            None => {
                let mut head = function.clone();
                head.blocks.clear();
                head.location = None;
                self.program.functions.push(head);
                self.waiting.push(id);
                FunctionId::new(self.program.functions.len() - 1)
            }
        };
        self.functions[id.index()] = Some(taken);
        taken
    }

    /// Takes all bodies; the functions, by number in the library.
    pub(super) fn finish(mut self) -> Vec<Option<FunctionId>> {
        while let Some(id) = self.waiting.pop() {
            let mut blocks = self.library.functions[id.index()].blocks.clone();
            for block in &mut blocks {
                for (_, operand) in block.phis.iter_mut().flat_map(|phi| &mut phi.incoming) {
                    self.operand(operand);
                }
                for instruction in &mut block.instructions {
                    self.operation(&mut instruction.operation);
                }
                self.terminator(&mut block.terminator);
            }
            if let Some(taken) = self.functions[id.index()] {
                self.program.functions[taken.index()].blocks = blocks;
            }
        }
        self.functions
    }

    fn operand(&mut self, operand: &mut Operand) {
        if let Operand::Constant(id) = operand {
            *id = self.constant(*id);
        }
    }

    fn constant(&mut self, id: ConstantId) -> ConstantId {
        if let Some(known) = self.constants[id.index()] {
            return known;
        }
        let mut constant = self.library.constants[id.index()].clone();
        match &mut constant {
            Constant::Global(global) => *global = self.global(*global),
            Constant::Function(function) => *function = self.take(*function),
            Constant::Offset { base: child, .. } | Constant::Cast { value: child, .. } => {
                *child = self.constant(*child);
            }
            Constant::Binary { left, right, .. } => {
                *left = self.constant(*left);
                *right = self.constant(*right);
            }
            Constant::Aggregate { elements, .. } => {
                for element in elements {
                    *element = self.constant(*element);
                }
            }
            _ => {}
        }
        let taken = match self.interned.get(&constant) {
            Some(same) => *same,
            None => {
                let taken = ConstantId::new(self.program.constants.len());
                self.interned.insert(constant.clone(), taken);
                self.program.constants.push(constant);
                taken
            }
        };
        self.constants[id.index()] = Some(taken);
        taken
    }

    /// Takes a global of the library.
    pub(super) fn global(&mut self, id: GlobalId) -> GlobalId {
        if let Some(known) = self.globals[id.index()] {
            return known;
        }
        let global = &self.library.globals[id.index()];
        let taken = self.program.global_named(&global.name).unwrap_or_else(|| {
            self.program.globals.push(Global {
                initializer: None,
                ..global.clone()
            });
            GlobalId::new(self.program.globals.len() - 1)
        });
        self.globals[id.index()] = Some(taken);
        let initializer = global.initializer.clone();
        let initializer = initializer.map(|initializer| self.initializer(initializer));
        let own = &mut self.program.globals[taken.index()];
        // Of a variable that both name, the program says whether it changes.
        if own.initializer.is_none() && (own.constant || own.name != STANDARD_INPUT) {
            own.initializer = initializer;
        }
        taken
    }

    fn initializer(&mut self, mut initializer: Initializer) -> Initializer {
        for relocation in &mut initializer.relocations {
            match &mut relocation.target {
                RelocationTarget::Global(global, _) => *global = self.global(*global),
                RelocationTarget::Function(function, _) => *function = self.take(*function),
                RelocationTarget::Opaque(_) => {}
            }
        }
        initializer
    }

    fn operation(&mut self, operation: &mut Operation) {
        match operation {
            Operation::Call { callee, .. } => match callee {
                Callee::Direct(function) => *function = self.take(*function),
                Callee::Indirect(address) => self.operand(address),
            },
            Operation::Select { site, .. } => *site = beyond(*site),
            _ => {}
        }
        for operand in operands_mut(operation) {
            self.operand(operand);
        }
    }

    fn terminator(&mut self, terminator: &mut Terminator) {
        match terminator {
            Terminator::Return(Some(operand)) => self.operand(operand),
            Terminator::Branch {
                site, condition, ..
            } => {
                *site = beyond(*site);
                self.operand(condition);
            }
            Terminator::Switch { site, value, .. } => {
                *site = beyond(*site);
                self.operand(value);
            }
            _ => {}
        }
    }
}

/// The variable of the library that points to standard input.
pub(super) const STANDARD_INPUT: &str = "stdin";

fn beyond(site: SiteId) -> SiteId {
    SiteId(SITES + site.0)
}

/// The operands of an operation that definitions have, but for the address of a call.
fn operands_mut(operation: &mut Operation) -> Vec<&mut Operand> {
    match operation {
        Operation::Binary { left, right, .. } | Operation::Compare { left, right, .. } => {
            vec![left, right]
        }
        Operation::Cast { value, .. } | Operation::Freeze(value) => vec![value],
        Operation::Select {
            condition,
            if_true,
            if_false,
            ..
        } => vec![condition, if_true, if_false],
        Operation::Load { address, .. } => vec![address],
        Operation::Store { address, value, .. } => vec![address, value],
        Operation::Address { base, terms, .. } => {
            let indices = terms.iter_mut().map(|term| &mut term.index);
            std::iter::once(base).chain(indices).collect()
        }
        Operation::Call { arguments, .. } | Operation::Intrinsic { arguments, .. } => {
            arguments.iter_mut().collect()
        }
        other => unreachable!("definitions have no {other:?}"),
    }
}

/// Uses of functions become uses of others, in so many functions that the program has of its own.
pub(super) fn redirect(program: &mut Program, own: usize, replaced: &[(FunctionId, FunctionId)]) {
    let by: FxHashMap<FunctionId, FunctionId> = replaced.iter().copied().collect();
    for (from, to) in replaced {
        let taken = program.functions[from.index()].address_taken;
        program.functions[to.index()].address_taken |= taken;
        program.functions[from.index()].address_taken = false;
    }
    let change = |id: &mut FunctionId| {
        if let Some(to) = by.get(id) {
            *id = *to;
        }
    };
    for constant in &mut program.constants {
        if let Constant::Function(id) = constant {
            change(id);
        }
    }
    let initializers = program.globals.iter_mut();
    let initializers = initializers.filter_map(|global| global.initializer.as_mut());
    for relocation in initializers.flat_map(|one| &mut one.relocations) {
        if let RelocationTarget::Function(id, _) = &mut relocation.target {
            change(id);
        }
    }
    let blocks = program.functions.iter_mut().take(own);
    let blocks = blocks.flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        if let Operation::Call {
            callee: Callee::Direct(id),
            ..
        } = &mut instruction.operation
        {
            change(id);
        }
    }
}

/// The variable that points to standard input is constant where the program only reads it: the
/// library never writes it.
pub(super) fn fix_streams(program: &mut Program) {
    let Some(id) = program.global_named(STANDARD_INPUT) else {
        // A program that does not name it cannot write it.
        program.globals.push(Global {
            name: STANDARD_INPUT.to_owned(),
            constant: true,
            size: 8,
            align: 8,
            ..Global::default()
        });
        return;
    };
    let global = &program.globals[id.index()];
    if global.initializer.is_none() && global.size == 8 && is_only_loaded(program, id) {
        program.globals[id.index()].constant = true;
    }
}

fn is_only_loaded(program: &Program, id: GlobalId) -> bool {
    let mut initializers = program.globals.iter().flat_map(|one| &one.initializer);
    let relocated = initializers.any(|initializer| {
        let mut relocations = initializer.relocations.iter();
        relocations.any(|one| matches!(one.target, RelocationTarget::Global(to, _) if to == id))
    });
    let mut blocks = program.functions.iter().flat_map(|one| &one.blocks);
    !relocated
        && blocks.all(|block| {
            let mut kept = false;
            let mut visit = |operand: Operand| {
                kept |= matches!(operand, Operand::Constant(one) if speaks_of(program, one, id));
            };
            for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
                visit(*operand);
            }
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Load { .. } => {}
                    operation => operation.visit_operands(&mut visit),
                }
            }
            block.terminator.visit_operands(&mut visit);
            !kept
        })
}

/// Whether a constant is, or is made of, the address of a global.
fn speaks_of(program: &Program, constant: ConstantId, global: GlobalId) -> bool {
    let Some(found) = program.constant(constant) else {
        return true;
    };
    *found == Constant::Global(global)
        || found
            .children()
            .into_iter()
            .any(|child| speaks_of(program, child, global))
}

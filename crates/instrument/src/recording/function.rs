//! One function: its versions, block by block, and which step each instruction needs.
//!
//! The owners are the label environment ([`Labels`]), what addresses point into ([`Objects`]),
//! the decisions of the version at hand ([`Decisions`]), the watch of the concrete version
//! ([`Watch`]), variable arguments ([`Variadic`]) and the announcements of variables
//! ([`Announcer`]). Only this file knows all of them: a step borrows what it needs.

use labrys_llvm::{Block, LLVMOpcode, Value};

use super::announce::Announcer;
use super::calls::{self, Call, Callees};
use super::clean_loops::Cleaner;
use super::concrete::Concrete;
use super::decisions::Decisions;
use super::effects::callee_name;
use super::effects::is_usual;
use super::emit::Emitter;
use super::intrinsics::{self, Kind};
use super::labels::Labels;
use super::markers::marker;
use super::memory::Memory;
use super::objects::{Objects, Stores};
use super::operations::Operation;
use super::shape::Shape;
use super::variadic::Variadic;
use super::versions::Edges;
use super::watch::Watch;

/// The work on one function.
pub(super) struct FunctionPass<'p, 'm> {
    emit: &'p Emitter<'m>,
    callees: &'p Callees<'m>,
    function: Value<'m>,
    /// Whether this is a library model: its variables are not announced.
    model: bool,
    objects: Objects<'p, 'm>,
    labels: Labels<'m>,
    decisions: Decisions<'m>,
    variadic: Variadic<'m>,
    announcer: Announcer,
    /// While the concrete version is instrumented.
    watch: Option<Watch<'m>>,
}

impl<'p, 'm> FunctionPass<'p, 'm> {
    /// Instruments `function`.
    pub(super) fn run(
        emit: &'p Emitter<'m>,
        callees: &'p Callees<'m>,
        concrete: &'p Concrete<'m>,
        function: Value<'m>,
        model: bool,
    ) {
        emit.begin(function);
        let shape = Shape::of(emit.module(), function, concrete);
        let mut all = vec![shape.prologue];
        all.extend(&shape.blocks);
        let stores = Stores::new(&all, &shape.slots);
        let prologue = shape.prologue.instructions();
        let blocks = shape.blocks.iter();
        let symbolic: Vec<_> = blocks.map(|block| block.instructions()).collect();
        let mut labels = Labels::new(emit, shape.prologue, &shape.slots, concrete);
        let mut variadic = Variadic::default();
        if let Some(first) = prologue.first() {
            calls::enter(emit, &mut labels, function, *first);
            variadic = Variadic::enter(emit, function, *first, &symbolic);
        }
        let mut this = FunctionPass {
            emit,
            callees,
            function,
            model,
            objects: Objects::of(&stores, shape.prologue, concrete),
            labels,
            decisions: Decisions::default(),
            variadic,
            announcer: Announcer::default(),
            watch: None,
        };
        this.decisions.begin_version(&symbolic);
        for instructions in std::iter::once(&prologue).chain(&symbolic) {
            this.decisions.begin_block();
            for i in instructions {
                this.instruction(*i);
            }
        }
        if !shape.concrete.is_empty() {
            this.concrete_version(&shape, &stores);
        }
    }

    /// Instruments the concrete version and joins it with the symbolic one.
    fn concrete_version(&mut self, shape: &Shape<'m>, stores: &Stores<'m>) {
        let cleaner = Cleaner {
            emit: self.emit,
            function: self.function,
            shape,
            objects: &self.objects,
            stores,
        };
        let clean = cleaner.clean_loops();
        let covered = clean.iter().flat_map(|of| &of.covered).copied();
        self.watch = Some(Watch::new(covered.collect()));
        let versions: Vec<_> = std::iter::once(&shape.concrete)
            .chain(clean.iter().map(|of| &of.copies))
            .flat_map(|copies| {
                let blocks = shape.blocks.iter();
                blocks.filter_map(|block| Some((*block, *copies.get(block)?)))
            })
            .collect();
        let copies = versions.iter().map(|(_, copy)| copy.instructions());
        self.decisions.begin_version(&copies.collect::<Vec<_>>());
        for (block, copy) in versions {
            self.concrete_block(shape, block, copy);
        }
        let edges = self.edges(shape);
        for (head, ends) in &shape.heads {
            edges.return_to_concrete(&clean, *head, ends);
        }
        edges.begin(self.function);
    }

    /// Instruments a block of the concrete version, the copy of a symbolic one.
    fn concrete_block(&mut self, shape: &Shape<'m>, block: Block<'m>, copy: Block<'m>) {
        if let Some(watch) = &mut self.watch {
            watch.begin_block();
        }
        let repeated = shape.repeated.contains(&block);
        self.decisions.begin_concrete_block(repeated);
        self.edges(shape).leave_region(block, copy);
        for i in copy.instructions() {
            self.instruction(i);
        }
        if let Some(watch) = &self.watch {
            self.edges(shape).leave_block(watch, block, copy);
        }
    }

    fn edges<'a>(&'a self, shape: &'a Shape<'m>) -> Edges<'a, 'm> {
        Edges {
            emit: self.emit,
            shape,
            labels: &self.labels,
        }
    }

    /// Instruments one instruction.
    fn instruction(&mut self, i: Value<'m>) {
        use LLVMOpcode as O;
        match i.opcode() {
            O::LLVMAdd
            | O::LLVMSub
            | O::LLVMMul
            | O::LLVMUDiv
            | O::LLVMSDiv
            | O::LLVMURem
            | O::LLVMSRem
            | O::LLVMShl
            | O::LLVMLShr
            | O::LLVMAShr
            | O::LLVMAnd
            | O::LLVMOr
            | O::LLVMXor
            | O::LLVMFAdd
            | O::LLVMFSub
            | O::LLVMFMul
            | O::LLVMFDiv
            | O::LLVMFRem => self.operation().binary(i),
            O::LLVMICmp | O::LLVMFCmp => self.operation().compare(i),
            O::LLVMTrunc
            | O::LLVMZExt
            | O::LLVMSExt
            | O::LLVMFPToUI
            | O::LLVMFPToSI
            | O::LLVMUIToFP
            | O::LLVMSIToFP
            | O::LLVMFPTrunc
            | O::LLVMFPExt
            | O::LLVMPtrToInt
            | O::LLVMIntToPtr
            | O::LLVMBitCast
            | O::LLVMFNeg
            | O::LLVMAddrSpaceCast => self.operation().cast(i),
            O::LLVMFreeze => self.operation().same(i),
            O::LLVMSelect => {
                let decided = self.decisions.is_decided(i.operand(0));
                self.operation().select(i, decided);
            }
            O::LLVMExtractElement => self.operation().extract_element(i),
            O::LLVMInsertElement => self.operation().insert_element(i),
            O::LLVMShuffleVector => calls::lose(self.emit, &self.labels, i, &i.operands()),
            O::LLVMExtractValue => self.operation().extract_value(i),
            O::LLVMInsertValue => self.operation().insert_value(i),
            O::LLVMLoad => self.load(i),
            O::LLVMStore => self.store(i),
            O::LLVMGetElementPtr => self.memory().address(i),
            O::LLVMAlloca if !self.model => {
                self.memory().size_of_array(i);
                self.announcer.variable(self.emit, i);
            }
            O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg => self.atomic(i),
            O::LLVMCall | O::LLVMInvoke | O::LLVMCallBr => self.call(i),
            O::LLVMRet => calls::leave(self.emit, &self.labels, i),
            _ => {}
        }
    }

    fn atomic(&mut self, i: Value<'m>) {
        match i.opcode() {
            _ if !is_usual(i.operand(0)) => {}
            _ if self.watch.is_some() => self.memory().forget(i),
            LLVMOpcode::LLVMAtomicRMW => self.memory().modify(i),
            _ => self.memory().compare_and_exchange(i),
        }
    }

    fn operation(&mut self) -> Operation<'_, 'm> {
        Operation {
            emit: self.emit,
            labels: &mut self.labels,
        }
    }

    fn memory(&mut self) -> Memory<'_, 'm> {
        Memory {
            emit: self.emit,
            labels: &mut self.labels,
        }
    }

    fn load(&mut self, i: Value<'m>) {
        let slot = self.labels.is_slot(i.operand(0));
        let concrete = self.is_concrete(i.operand(0));
        match &mut self.watch {
            _ if !is_usual(i.operand(0)) => {}
            Some(_) if slot => {}
            Some(watch) => watch.load(self.emit, &self.objects, i),
            None if slot => self.labels.load(self.emit, i),
            None if concrete => {}
            None => self.memory().load(i),
        }
    }

    fn store(&mut self, i: Value<'m>) {
        let slot = self.labels.is_slot(i.operand(1));
        match &self.watch {
            _ if !is_usual(i.operand(1)) => {}
            Some(_) if slot => {}
            Some(watch) => watch.store(self.emit, &self.objects, i),
            None if slot => self.labels.store(self.emit, i),
            None if self.is_concrete(i.operand(1)) => {}
            None => self.memory().store(i),
        }
    }

    /// Whether an address is one place, whatever the input, in a variable without labels.
    fn is_concrete(&self, address: Value<'m>) -> bool {
        self.labels.of(address).is_none() && self.objects.is_concrete(address)
    }

    /// Instruments a call: of an intrinsic, a marker or anything else.
    fn call(&mut self, i: Value<'m>) {
        let name = callee_name(i);
        if name.starts_with("llvm.") {
            return self.intrinsic(i, &name);
        }
        if let Some(marker) = marker(&name) {
            return match self.watch {
                Some(_) => self.decisions.count(self.emit, &self.labels, i, marker),
                None => self.decisions.record(self.emit, &self.labels, i, marker),
            };
        }
        let call = Call {
            emit: self.emit,
            callees: self.callees,
            objects: &self.objects,
            labels: &mut self.labels,
            watch: self.watch.as_mut(),
            model: self.model,
        };
        call.instrument(i);
    }

    fn intrinsic(&mut self, i: Value<'m>, name: &str) {
        match intrinsics::kind(name) {
            Kind::Silent => {}
            Kind::Identity => self.operation().same(i),
            Kind::Variadic => self.variadic.intrinsic(self.emit, i, name),
            Kind::Memory => self.memory().transfer(i, name),
            kind => {
                if !self.operation().intrinsic(i, kind) {
                    calls::lose(self.emit, &self.labels, i, &i.arguments());
                }
            }
        }
    }
}

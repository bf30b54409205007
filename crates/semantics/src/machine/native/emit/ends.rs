//! Ends of blocks in machine code.

use std::collections::BTreeSet;
use std::mem::offset_of;

use cranelift_codegen::ir::{self, BlockArg, InstBuilder, Value};
use cranelift_frontend::Switch;
use labrys_program::{Block, BlockId, Function, Operand, Terminator};

use super::Emitter;
use crate::machine::native::context::CodeContext;
use crate::machine::native::run::{self, NOWHERE, RETURNED};
use crate::machine::native::sites::looked_at_end;
use crate::machine::native::values::word_width;

/// Whether code executes this end of a block, and counts it; else the machine does.
pub(super) fn is_counted(function: &Function, terminator: &Terminator) -> bool {
    match terminator {
        Terminator::Unreachable | Terminator::Opaque { .. } => false,
        Terminator::Return(Some(_)) => word_width(function.result).is_some(),
        _ => true,
    }
}

impl Emitter<'_, '_, '_> {
    /// The end of a block; `alone` if its step is not counted yet.
    pub(super) fn terminator(&mut self, id: BlockId, block: &Block, alone: bool) -> Option<()> {
        let end = block.instructions.len();
        if !is_counted(self.function, &block.terminator) {
            return self.hand_over(id, block, end);
        }
        if alone {
            self.count_steps(id, block, end, 1)?;
        }
        match &block.terminator {
            Terminator::Return(value) => {
                if let Some(value) = value {
                    let bits = self.bits(*value)?;
                    self.set_word(0, bits);
                }
                self.end_with(RETURNED);
            }
            Terminator::Jump(to) => {
                self.watch_end(id, block)?;
                self.go(id, *to)?;
            }
            Terminator::Branch {
                condition,
                if_true,
                if_false,
                ..
            } => {
                self.watch_end(id, block)?;
                let condition = self.bits(*condition)?;
                let yes = self.arguments(id, *if_true)?;
                let no = self.arguments(id, *if_false)?;
                let (to_yes, to_no) = (self.start(*if_true), self.start(*if_false));
                let ins = self.code.builder.ins();
                ins.brif(condition, to_yes, &yes, to_no, &no);
            }
            Terminator::Switch {
                value,
                default,
                cases,
                ..
            } => {
                self.watch_end(id, block)?;
                self.switch(id, *value, *default, cases)?;
            }
            Terminator::Unreachable | Terminator::Opaque { .. } => return None,
        }
        Some(())
    }

    fn switch(
        &mut self,
        id: BlockId,
        value: Operand,
        default: BlockId,
        cases: &[(u128, BlockId)],
    ) -> Option<()> {
        let value = self.bits(value)?;
        let mut switch = Switch::new();
        let mut seen = BTreeSet::new();
        let mut targets = Vec::new();
        for (case, to) in cases {
            // Of equal cases the first counts.
            if seen.insert(*case) {
                let target = self.code.builder.create_block();
                switch.set_entry(*case, target);
                targets.push((target, *to));
            }
        }
        let otherwise = self.code.builder.create_block();
        targets.push((otherwise, default));
        switch.emit(&mut self.code.builder, value, otherwise);
        for (target, to) in targets {
            self.code.builder.switch_to_block(target);
            self.go(id, to)?;
        }
        Some(())
    }

    /// Where the rules may look at the end of a block, and send control elsewhere.
    fn watch_end(&mut self, id: BlockId, block: &Block) -> Option<()> {
        let watched = self.context_word(offset_of!(CodeContext, leave));
        let (here, go_on) = self.branch_if_watched(self.leave_base, id, watched);
        self.code.builder.switch_to_block(here);
        let mut seen = BTreeSet::new();
        looked_at_end(self.function, &block.terminator, &mut seen);
        let site = self.site(id, block.instructions.len(), &seen, None, 0)?;
        let next = self.call_machine(run::leave as *const u8, &[site]);
        self.send(id, block, next)?;
        self.code.builder.switch_to_block(go_on);
        Some(())
    }

    /// Goes to the successor that the machine names.
    fn send(&mut self, id: BlockId, block: &Block, next: Value) -> Option<()> {
        let mut switch = Switch::new();
        let mut successors = block.terminator.successors();
        successors.sort_unstable();
        successors.dedup();
        let mut targets = Vec::new();
        for to in successors {
            let target = self.code.builder.create_block();
            switch.set_entry(u128::from(to.0), target);
            targets.push((target, to));
        }
        let (nowhere, elsewhere) = (
            self.code.builder.create_block(),
            self.code.builder.create_block(),
        );
        switch.set_entry(u128::from(NOWHERE), nowhere);
        switch.emit(&mut self.code.builder, next, elsewhere);
        for (target, to) in targets {
            self.code.builder.switch_to_block(target);
            self.go(id, to)?;
        }
        self.code.builder.switch_to_block(nowhere);
        self.end_with(run::ENDED);
        self.code.builder.switch_to_block(elsewhere);
        let fault = self.fault(0);
        self.code.builder.ins().jump(fault, &[]);
        Some(())
    }

    fn start(&self, to: BlockId) -> ir::Block {
        self.blocks[to.index()]
    }

    fn go(&mut self, from: BlockId, to: BlockId) -> Option<()> {
        let arguments = self.arguments(from, to)?;
        let start = self.start(to);
        self.code.builder.ins().jump(start, &arguments);
        Some(())
    }

    /// What the phis of a block take.
    fn arguments(&mut self, from: BlockId, to: BlockId) -> Option<Vec<BlockArg>> {
        let function = self.function;
        let phis = function.block(to)?.phis.iter();
        phis.map(|phi| {
            let mut incoming = phi.incoming.iter();
            let (_, operand) = incoming.find(|(block, _)| *block == from)?;
            Some(self.bits(*operand)?.into())
        })
        .collect()
    }
}

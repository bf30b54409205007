//! The program as a control-flow automaton: its large blocks by location, built when they are first
//! required.

use std::rc::Rc;

use labrys_analysis::ProgramAnalysis;
use labrys_program::{BlockId, BranchId, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::block::{Beginning, LargeBlock, Location, Orders, TooLarge, build};
use crate::terms::{Frame, FrameId, Terms};

/// See the module.
#[derive(Debug)]
pub(crate) struct Automaton<'p> {
    pub(crate) terms: Terms<'p>,
    orders: Orders,
    entry: Location,
    blocks: FxHashMap<Location, Rc<LargeBlock>>,
    /// By function: what it may run with all that it calls.
    closures: FxHashMap<FunctionId, Rc<FxHashSet<FunctionId>>>,
}

impl<'p> Automaton<'p> {
    /// The automaton of a program whose runs begin in a function.
    pub(crate) fn new(analysis: &'p ProgramAnalysis<'p>, entry: FunctionId) -> Self {
        Automaton::over(Terms::new(analysis), entry)
    }

    /// The automaton of a function that is called with anything in memory, by itself
    /// ([`crate::units`]).
    pub(crate) fn of_unit(analysis: &'p ProgramAnalysis<'p>, function: FunctionId) -> Self {
        Automaton::over(Terms::of_unit(analysis), function)
    }

    fn over(mut terms: Terms<'p>, entry: FunctionId) -> Self {
        let frame = terms.frame_id(Frame {
            function: entry,
            caller: None,
        });
        Automaton {
            terms,
            orders: Orders::default(),
            entry: Location {
                frame,
                block: BlockId(0),
            },
            blocks: FxHashMap::default(),
            closures: FxHashMap::default(),
        }
    }

    /// Where runs begin.
    pub(crate) fn entry(&self) -> Location {
        self.entry
    }

    /// Whether a decision in a frame is one of what is asked about: in a unit, only those of its own
    /// function, since each other call of it begins like the one that is looked at.
    pub(crate) fn counts(&self, frame: FrameId) -> bool {
        !self.terms.is_unit() || frame == self.entry.frame
    }

    /// The block at a location.
    pub(crate) fn block(&mut self, location: Location) -> Result<Rc<LargeBlock>, TooLarge> {
        if let Some(known) = self.blocks.get(&location) {
            return Ok(known.clone());
        }
        let starts = location == self.entry && !self.terms.is_unit();
        let beginning = Beginning::new(location, starts);
        let block = Rc::new(build(&mut self.terms, &mut self.orders, beginning)?);
        self.blocks.insert(location, block.clone());
        Ok(block)
    }

    /// Whether a place of control flow is a location: the head of a cycle.
    pub(crate) fn is_location(&mut self, at: Location) -> bool {
        let function = self.terms.frame(at.frame).function;
        self.orders
            .of(function, self.terms.function(at.frame))
            .is_head(at.block)
    }

    /// Functions that a function may run, itself among them.
    fn closure(&mut self, id: FunctionId) -> Rc<FxHashSet<FunctionId>> {
        if let Some(known) = self.closures.get(&id) {
            return known.clone();
        }
        let analysis = self.terms.analysis();
        let mut found = FxHashSet::default();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            if !found.insert(id) {
                continue;
            }
            for call in analysis.calls().calls_in(id) {
                next.extend(analysis.calls().callees(call));
            }
        }
        let found = Rc::new(found);
        self.closures.insert(id, found.clone());
        found
    }

    /// Whether a call of these functions may take a branch.
    pub(crate) fn may_take(&mut self, functions: &[FunctionId], branch: BranchId) -> bool {
        let program = self.terms.program();
        let site = program
            .branch_site(branch)
            .and_then(|(site, _)| program.site(site));
        site.is_none_or(|site| self.may_run(functions, site.function))
    }

    /// Whether a call of these functions may run another one.
    pub(crate) fn may_run(&mut self, functions: &[FunctionId], function: FunctionId) -> bool {
        let mut all = functions.iter();
        all.any(|id| self.closure(*id).contains(&function))
    }

    /// Functions that code outside of the program may call at any time.
    pub(crate) fn called_from_outside(&self) -> Vec<FunctionId> {
        let analysis = self.terms.analysis();
        let all = (0..analysis.program().functions.len()).map(FunctionId::new);
        all.filter(|id| analysis.is_called_from_outside(*id))
            .collect()
    }
}

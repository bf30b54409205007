//! The way of a run through the large blocks: from what it recorded to the locations that it came
//! to, and the conditions that it satisfied in the block of each.
//!
//! Jumps are followed in the program; decisions, entered functions and returns are read from the
//! record. A call is entered where the block has its frame, else what it did is passed over. Where
//! the record is not what the program's control flow lets one expect (callbacks of code outside of
//! the program, handlers of signals, jumps out of calls), the walk ends.
//!
//! Law: the conditions of a stretch up to a flip are true in every run that has the same events
//! before the flip, and runs come to the location of a stretch. A step is noted as early as it may
//! have been taken: right behind the event before it.

use std::rc::Rc;

use labrys_analysis::ProgramAnalysis;
use labrys_engine::RunEvent;
use labrys_expr::ExprId;
use labrys_program::{
    BlockId, Callee, Constant, Function, FunctionId, Instruction, Intrinsic, Operand, Operation,
    Program, SiteId, Terminator,
};
use labrys_semantics::LibraryMeaning;
use rustc_hash::FxHashMap;

use crate::automaton::Automaton;
use crate::block::{LargeBlock, Location};
use crate::terms::{Frame, FrameId};

/// Places that a walk passes at most.
const MAX_PLACES: usize = 200_000;

/// A step of the path constraint in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passed {
    /// Its number.
    pub(crate) step: u32,
    /// How many conditions of the stretch came before it.
    pub(crate) before: usize,
    /// The decision, if the block has it.
    pub(crate) decision: Option<(FrameId, SiteId)>,
}

/// A run's way through one large block.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) location: Location,
    pub(crate) block: Rc<LargeBlock>,
    /// Of the decisions that were taken, in order.
    pub(crate) conditions: Vec<ExprId>,
    pub(crate) steps: Vec<Passed>,
    /// Where the run came next; `None` if that is not known.
    pub(crate) next: Option<Location>,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the record.
    Record,
    /// The program ended.
    Program,
    /// The record is not what was expected.
    Unexpected(&'static str),
    /// The block excludes a decision of the run, which cannot be.
    Excluded,
    /// In a cycle without an event of which it is known which iteration it belongs to.
    Silent,
}

/// See the module.
pub(crate) struct Walker<'a, 'p> {
    automaton: &'a mut Automaton<'p>,
    events: &'a [RunEvent],
    /// The event to come.
    next: usize,
    stretches: Vec<Stretch>,
    /// Locations since the last event that is always recorded.
    silent: Vec<Location>,
    places: usize,
    /// By frame and branch: the conditions of the block's decisions.
    conditions: FxHashMap<(FrameId, SiteId, u32), ExprId>,
}

/// Where a walk stands: before an instruction of a frame.
#[derive(Clone, Copy, Debug)]
struct Place {
    frame: FrameId,
    block: BlockId,
    index: usize,
}

/// The way of a run, and why it ends where it does.
pub(crate) fn walk(automaton: &mut Automaton<'_>, events: &[RunEvent]) -> (Vec<Stretch>, End) {
    let mut walker = Walker {
        automaton,
        events,
        next: 0,
        stretches: Vec::new(),
        silent: Vec::new(),
        places: 0,
        conditions: FxHashMap::default(),
    };
    let end = walker.run().err().unwrap_or(End::Program);
    if end == End::Silent {
        walker.stretches.clear();
    }
    (walker.stretches, end)
}

impl<'p> Walker<'_, 'p> {
    fn run(&mut self) -> Result<(), End> {
        let entry = self.automaton.entry();
        self.begin(entry)?;
        self.take_steps();
        let function = self.automaton.terms.frame(entry.frame).function;
        self.expect(RunEvent::Call(function), "the entry")?;
        let mut at = Place {
            frame: entry.frame,
            block: entry.block,
            index: 0,
        };
        while let Some(next) = self.advance(at)? {
            at = next;
            self.places += 1;
            if self.places > MAX_PLACES {
                return Err(End::Unexpected("a long run"));
            }
        }
        Ok(())
    }

    fn program(&self) -> &'p Program {
        self.automaton.terms.program()
    }

    fn analysis(&self) -> &'p ProgramAnalysis<'p> {
        self.automaton.terms.analysis()
    }

    fn function(&self, frame: FrameId) -> &'p Function {
        self.automaton.terms.function(frame)
    }

    fn stretch(&mut self) -> &mut Stretch {
        self.stretches.last_mut().expect("a walk begins with one")
    }

    /// A stretch begins at a location.
    fn begin(&mut self, location: Location) -> Result<(), End> {
        let block = self.automaton.block(location);
        let block = block.map_err(|_| End::Unexpected("a large block"))?;
        self.conditions.clear();
        for occurrence in &block.occurrences {
            if let Some((site, direction)) = self.program().branch_site(occurrence.branch) {
                let key = (occurrence.frame, site, direction);
                self.conditions.insert(key, occurrence.condition);
            }
        }
        self.stretches.push(Stretch {
            location,
            block,
            conditions: Vec::new(),
            steps: Vec::new(),
            next: None,
        });
        Ok(())
    }

    /// The next event.
    fn peek(&self) -> Option<RunEvent> {
        self.events.get(self.next).copied()
    }

    /// Passes an event, and the steps behind it.
    fn pass(&mut self) {
        self.next += 1;
        self.silent.clear();
        self.take_steps();
    }

    /// Notes the steps to come that are no decisions of the program.
    fn take_steps(&mut self) {
        while let Some(RunEvent::Step(step)) = self.peek() {
            self.next += 1;
            self.note(step, None);
        }
    }

    fn note(&mut self, step: u32, decision: Option<(FrameId, SiteId)>) {
        let stretch = self.stretch();
        let before = stretch.conditions.len();
        stretch.steps.push(Passed {
            step,
            before,
            decision,
        });
    }

    fn expect(&mut self, event: RunEvent, what: &'static str) -> Result<(), End> {
        match self.peek() {
            Some(next) if next == event => {
                self.pass();
                Ok(())
            }
            Some(_) => Err(End::Unexpected(what)),
            None => Err(End::Record),
        }
    }

    /// Goes from a place to the end of its block, or into a call; `None` at the end of the program.
    fn advance(&mut self, at: Place) -> Result<Option<Place>, End> {
        let function = self.function(at.frame);
        let block = &function.blocks[at.block.index()];
        for (index, instruction) in block.instructions.iter().enumerate().skip(at.index) {
            let here = Place { index, ..at };
            if let Some(next) = self.instruction(here, instruction)? {
                return Ok(Some(next));
            }
        }
        match &block.terminator {
            Terminator::Return(_) => self.leave(at.frame),
            Terminator::Jump(to) => self.jump(at, *to).map(Some),
            Terminator::Branch {
                site,
                if_true,
                if_false,
                ..
            } => {
                let direction = self.branch(at, *site, *if_true, *if_false)?;
                let to = if direction == 1 { *if_true } else { *if_false };
                self.jump(at, to).map(Some)
            }
            Terminator::Switch {
                site,
                default,
                cases,
                ..
            } => {
                let direction = self.decision(at.frame, *site)?;
                let to = match direction.checked_sub(1) {
                    None => Some(default),
                    Some(case) => cases.get(case as usize).map(|(_, to)| to),
                };
                let to = to.ok_or(End::Unexpected("a direction"))?;
                self.jump(at, *to).map(Some)
            }
            Terminator::Unreachable => Ok(None),
            Terminator::Opaque {
                reason, successors, ..
            } if reason.is_known_to_runs() => {
                let first = successors.first();
                self.jump(at, *first.ok_or(End::Unexpected("a terminator"))?)
                    .map(Some)
            }
            Terminator::Opaque { .. } => Err(End::Unexpected("an opaque terminator")),
        }
    }

    /// Along an edge of control flow.
    fn jump(&mut self, at: Place, to: BlockId) -> Result<Place, End> {
        let location = Location {
            frame: at.frame,
            block: to,
        };
        if self.automaton.is_location(location) {
            if self.silent.contains(&location) {
                return Err(End::Silent);
            }
            self.silent.push(location);
            self.stretch().next = Some(location);
            self.begin(location)?;
        }
        Ok(Place {
            block: to,
            index: 0,
            ..at
        })
    }

    /// A decision that the record has next; its direction.
    fn decision(&mut self, frame: FrameId, site: SiteId) -> Result<u32, End> {
        let Some(next) = self.peek() else {
            return Err(End::Record);
        };
        let RunEvent::Decision {
            site: found,
            direction,
            step,
        } = next
        else {
            return Err(End::Unexpected("no decision"));
        };
        if found != site {
            return Err(End::Unexpected("another decision"));
        }
        if let Some(step) = step {
            self.note(step, Some((frame, site)));
        }
        let condition = self.conditions.get(&(frame, site, direction)).copied();
        let condition = condition.ok_or(End::Excluded)?;
        if condition != ExprId::TRUE {
            self.stretch().conditions.push(condition);
        }
        self.pass();
        Ok(direction)
    }

    /// As [`Walker::decision`], of a site that leaves an event only where it depends on the input.
    fn rare_decision(&mut self, frame: FrameId, site: SiteId) -> Result<u32, End> {
        let silent = std::mem::take(&mut self.silent);
        let direction = self.decision(frame, site)?;
        self.silent = silent;
        Ok(direction)
    }

    /// Whether the record has a decision of this site next.
    fn is_next(&self, site: SiteId) -> bool {
        matches!(self.peek(), Some(RunEvent::Decision { site: found, .. }) if found == site)
    }

    /// The direction of a branch. A check of undefined behavior that does not depend on the input
    /// leaves no event; where the run goes on, it did not fail.
    fn branch(
        &mut self,
        at: Place,
        site: SiteId,
        if_true: BlockId,
        if_false: BlockId,
    ) -> Result<u32, End> {
        let oracle = self.program().site(site).is_some_and(|site| site.oracle);
        if !oracle {
            return self.decision(at.frame, site);
        }
        if self.is_next(site) {
            return self.rare_decision(at.frame, site);
        }
        if self.peek().is_none() {
            return Err(End::Record);
        }
        let function = self.function(at.frame);
        match (traps(function, if_true), traps(function, if_false)) {
            (true, false) => Ok(0),
            (false, true) => Ok(1),
            _ => Err(End::Unexpected("a check without an event")),
        }
    }

    /// The place in the callee, or `None` where control goes on behind the instruction.
    fn instruction(&mut self, at: Place, instruction: &Instruction) -> Result<Option<Place>, End> {
        match &instruction.operation {
            Operation::Call { callee, .. } => self.call(at, *callee),
            Operation::Select { site, .. } if self.is_next(*site) => {
                self.rare_decision(at.frame, *site)?;
                Ok(None)
            }
            Operation::Intrinsic {
                intrinsic: Intrinsic::Trap | Intrinsic::SanitizerTrap | Intrinsic::DebugTrap,
                ..
            } => Err(End::Unexpected("a trap")),
            _ => Ok(None),
        }
    }

    fn call(&mut self, at: Place, callee: Callee) -> Result<Option<Place>, End> {
        let caller = self.automaton.terms.frame(at.frame).function;
        let analysis = self.analysis();
        let call = analysis.call_at(caller, (at.block, at.index));
        let callees = call.map_or(&[][..], |call| analysis.calls().callees(call));
        let Some(named) = named(self.program(), callee) else {
            let leaves = call.is_none_or(|call| analysis.may_leave_program(call));
            if leaves || callees.iter().any(|id| !analysis.function(*id).defined) {
                return Err(End::Unexpected("a call that may leave the program"));
            }
            return match self.peek() {
                Some(RunEvent::Call(id)) if callees.contains(&id) => self.enter(at, id),
                Some(_) => Err(End::Unexpected("a callee")),
                None => Err(End::Record),
            };
        };
        if analysis.function(named).defined {
            return match self.peek() {
                Some(RunEvent::Call(id)) if id == named => self.enter(at, id),
                Some(_) => Err(End::Unexpected("a callee")),
                None => Err(End::Record),
            };
        }
        let function = analysis.function(named);
        if function.noreturn
            || matches!(
                LibraryMeaning::of(&function.name),
                Some(LibraryMeaning::Stops)
            )
        {
            return Err(End::Unexpected("a call that does not return"));
        }
        self.callbacks(callees, named)?;
        Ok(None)
    }

    /// Passes over what a function outside of the program may have called. Calls that come later
    /// may be among it: then the walk soon finds that they are missing.
    fn callbacks(&mut self, callees: &[FunctionId], function: FunctionId) -> Result<(), End> {
        while let Some(RunEvent::Call(id)) = self.peek() {
            let may = id != function && callees.contains(&id)
                || self.analysis().is_called_from_outside(id);
            if !may {
                break;
            }
            self.pass_call(id)?;
        }
        Ok(())
    }

    /// Into a function, if the block has its frame; else behind the call.
    fn enter(&mut self, at: Place, id: FunctionId) -> Result<Option<Place>, End> {
        let frame = self.automaton.terms.frame_id(Frame {
            function: id,
            caller: Some((at.frame, (at.block, at.index))),
        });
        if !self.stretch().block.entered.contains(&frame) {
            self.pass_call(id)?;
            return Ok(None);
        }
        self.pass();
        Ok(Some(Place {
            frame,
            block: BlockId(0),
            index: 0,
        }))
    }

    /// Passes a call with all that it did. Its steps are noted at the call.
    fn pass_call(&mut self, id: FunctionId) -> Result<(), End> {
        let mut stack = vec![id];
        self.pass();
        while let Some(inner) = stack.last().copied() {
            let Some(event) = self.peek() else {
                return Err(End::Record);
            };
            match event {
                RunEvent::Call(id) => stack.push(id),
                RunEvent::Return(id) if id == inner => {
                    stack.pop();
                }
                RunEvent::Return(_) => return Err(End::Unexpected("a return in a call")),
                RunEvent::Decision {
                    step: Some(step), ..
                } => self.note(step, None),
                RunEvent::Decision { .. } | RunEvent::Step(_) => {}
            }
            self.pass();
        }
        Ok(())
    }

    /// Back to the caller.
    fn leave(&mut self, frame: FrameId) -> Result<Option<Place>, End> {
        let Frame { function, caller } = self.automaton.terms.frame(frame);
        self.expect(RunEvent::Return(function), "a return")?;
        Ok(caller.map(|(frame, (block, index))| Place {
            frame,
            block,
            index: index + 1,
        }))
    }
}

/// Whether a block does nothing but trap.
fn traps(function: &Function, block: BlockId) -> bool {
    let block = &function.blocks[block.index()];
    let ends = matches!(block.terminator, Terminator::Unreachable);
    ends && block.instructions.len() <= 2
}

/// The function that a call names.
fn named(program: &Program, callee: Callee) -> Option<FunctionId> {
    match callee {
        Callee::Direct(id) => Some(id),
        Callee::Indirect(Operand::Constant(id)) => match program.constant(id)? {
            Constant::Function(id) => Some(*id),
            _ => None,
        },
        Callee::Indirect(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that calls a function which calls itself; the sites in the order of the text are the
    /// loop's (0) and the function's (1).
    const PROGRAM: &str = "
declare void @puts(ptr v0) external
define i32 @main(i32 v0) external {
b0:
  jump b1
b1:
  v1: i32 = phi [b0 v0, b2 v3]
  v2: i1 = icmp sgt v1, i32 0
  br v2, b2, b3
b2:
  v3: i32 = call @down(v1)
  jump b1
b3:
  ret i32 0
}
define i32 @down(i32 v0) internal {
b0:
  v1: i1 = icmp sgt v0, i32 7
  br v1, b1, b2
b1:
  v2: i32 = sub v0, i32 1
  v3: i32 = call @down(v2)
  ret v3
b2:
  v4: i32 = sub v0, i32 1
  ret v4
}
";
    const MAIN: FunctionId = FunctionId(1);
    const DOWN: FunctionId = FunctionId(2);

    fn decision(site: u32, direction: u32, step: u32) -> RunEvent {
        RunEvent::Decision {
            site: SiteId(site),
            direction,
            step: Some(step),
        }
    }

    /// The conditions of a stretch, and its steps with the number of conditions before each.
    type Way = (usize, Vec<(u32, usize)>);

    /// The stretches, and the end.
    fn ways(events: &[RunEvent]) -> (Vec<Way>, End) {
        let program: Program = PROGRAM.parse().expect("a program");
        let analysis = ProgramAnalysis::new(&program, MAIN);
        let mut automaton = Automaton::new(&analysis, MAIN);
        let (stretches, end) = walk(&mut automaton, events);
        let way = |stretch: &Stretch| {
            let steps = stretch
                .steps
                .iter()
                .map(|passed| (passed.step, passed.before));
            (stretch.conditions.len(), steps.collect())
        };
        (stretches.iter().map(way).collect(), end)
    }

    #[test]
    fn iterations_are_stretches() {
        let events = [
            RunEvent::Call(MAIN),
            decision(0, 1, 0),
            RunEvent::Call(DOWN),
            decision(1, 0, 1),
            RunEvent::Return(DOWN),
            decision(0, 0, 2),
            RunEvent::Return(MAIN),
        ];
        let expected = vec![(0, vec![]), (2, vec![(0, 0), (1, 1)]), (1, vec![(2, 0)])];
        assert_eq!(ways(&events), (expected, End::Program));
    }

    /// Frames of one function that are too deep are passed over; their steps are noted at the call.
    #[test]
    fn deep_calls_are_passed_over() {
        let events = [
            RunEvent::Call(MAIN),
            decision(0, 1, 0),
            RunEvent::Call(DOWN),
            decision(1, 1, 1),
            RunEvent::Call(DOWN),
            decision(1, 1, 2),
            RunEvent::Call(DOWN),
            decision(1, 1, 3),
            RunEvent::Call(DOWN),
            decision(1, 0, 4),
            RunEvent::Return(DOWN),
            RunEvent::Return(DOWN),
            RunEvent::Return(DOWN),
            RunEvent::Return(DOWN),
            decision(0, 0, 5),
            RunEvent::Return(MAIN),
        ];
        let inner = vec![(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)];
        let expected = vec![(0, vec![]), (3, inner), (1, vec![(5, 0)])];
        assert_eq!(ways(&events), (expected, End::Program));
    }

    /// A step that is no decision of the program is noted right behind the event before it, not
    /// where jumps have led meanwhile.
    #[test]
    fn other_steps_are_noted_early() {
        let events = [RunEvent::Step(0), RunEvent::Call(MAIN), RunEvent::Step(1)];
        let expected = vec![(0, vec![(0, 0), (1, 0)]), (0, vec![])];
        assert_eq!(ways(&events), (expected, End::Record));
    }

    #[test]
    fn a_walk_ends_with_its_record_or_at_what_is_unexpected() {
        let start = [RunEvent::Call(MAIN), decision(0, 1, 0)];
        let first = (0, vec![]);
        let second = (1, vec![(0, 0)]);
        let both = || vec![first.clone(), second.clone()];
        assert_eq!(ways(&start), (both(), End::Record));
        let handler = [start[0], start[1], RunEvent::Call(MAIN)];
        assert_eq!(ways(&handler), (both(), End::Unexpected("a callee")));
        let jumped = [start[0], RunEvent::Return(MAIN)];
        let end = End::Unexpected("no decision");
        assert_eq!(ways(&jumped), (vec![first.clone(), (0, vec![])], end));
        let other = [start[0], decision(1, 0, 0)];
        let end = End::Unexpected("another decision");
        assert_eq!(ways(&other), (vec![first, (0, vec![])], end));
        assert_eq!(
            ways(&[RunEvent::Call(DOWN)]).1,
            End::Unexpected("the entry")
        );
    }
}

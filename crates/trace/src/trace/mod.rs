//! Traces: valid recordings with their path constraint.

mod check;
mod decode;
mod size;

use std::sync::{Mutex, PoisonError};

use labrys_abi::{Event, EventKind, Op, flag};
use labrys_expr::{ExprId, Symbol};
use labrys_program::{Program, SiteId, SiteKind};
use rustc_hash::FxHashMap;

use crate::sets::symbol;
use crate::step::{self, Reading};
use crate::support::Supports;
use crate::{Error, Recording, Step, StepKind, validate};
pub use check::Violation;
pub use decode::Decoder;
pub use size::SizeFlip;

/// The direction "any other than the one taken", where the directions of a site are not known
/// (a switch in a library model) or have no numbers (a concretization).
pub const OTHER: u32 = u32::MAX;

/// A decision of the run in [`Mode::AllBranches`](labrys_abi::Mode), symbolic or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Site id, as in [`Step::site`].
    pub site: u32,
    /// Direction taken.
    pub direction: u32,
    /// Index of its event.
    pub event: u32,
    /// Index of its step, if it depends on the input.
    pub step: Option<u32>,
}

/// A valid recording with its path constraint.
#[derive(Debug)]
pub struct Trace {
    recording: Recording,
    steps: Vec<Step>,
    /// Case values of the switches of the program that occur.
    cases: FxHashMap<u32, Vec<u128>>,
    supports: Mutex<Supports>,
}

impl Trace {
    /// Reads the recording of a run of this program.
    ///
    /// # Errors
    /// If the recording is malformed or another program's.
    pub fn new(recording: Recording, program: &Program) -> Result<Self, Error> {
        validate::validate(&recording)?;
        let mut steps = Vec::new();
        let mut cases = FxHashMap::default();
        for (index, event) in recording.events.iter().enumerate() {
            let Reading::Step(step) = step::read(event, index, &recording.nodes, program)? else {
                continue;
            };
            if step.kind == StepKind::Switch {
                let site = program.site(SiteId(step.site));
                if let Some(SiteKind::Switch { cases: values, .. }) = site.map(|site| &site.kind) {
                    cases.entry(step.site).or_insert_with(|| values.clone());
                }
            }
            steps.push(step);
        }
        let supports = Mutex::new(Supports::new(recording.nodes.len()));
        Ok(Self {
            recording,
            steps,
            cases,
            supports,
        })
    }

    /// The recording.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Gives the recording back, so that its memory can be used again.
    #[must_use]
    pub fn into_recording(self) -> Recording {
        self.recording
    }

    /// The path constraint: the decisions that depend on the input, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The event of a step.
    #[must_use]
    pub fn event(&self, step: usize) -> &Event {
        &self.recording.events[self.steps[step].event as usize]
    }

    /// The stack pointer of the function that took a step: lower in a callee than in its caller.
    /// `None` for steps of the runtime and what is no decision.
    #[must_use]
    pub fn frame(&self, step: usize) -> Option<u64> {
        let kinds = [StepKind::Branch, StepKind::Switch, StepKind::Select];
        let known = kinds.contains(&self.steps[step].kind);
        known
            .then(|| self.event(step).b)
            .filter(|frame| *frame != 0)
    }

    /// All decisions of the program's sites in order, symbolic or not.
    pub fn decisions(&self) -> impl Iterator<Item = Decision> + '_ {
        let kinds = [
            EventKind::Branch as u8,
            EventKind::Switch as u8,
            EventKind::Select as u8,
        ];
        let mut steps = (0_u32..).zip(&self.steps).peekable();
        let events = (0_u32..).zip(&self.recording.events);
        events
            .filter(move |(_, event)| kinds.contains(&event.kind))
            .map(move |(index, event)| {
                while steps.next_if(|(_, step)| step.event < index).is_some() {}
                let step = steps
                    .peek()
                    .filter(|(_, step)| step.event == index)
                    .map(|(at, _)| *at);
                Decision {
                    site: event.site,
                    direction: event.direction,
                    event: index,
                    step,
                }
            })
    }

    /// The directions into which a step can be flipped: those not taken.
    pub fn alternatives(&self, step: usize) -> impl Iterator<Item = u32> + use<> {
        let Step {
            kind,
            site,
            direction,
            ..
        } = self.steps[step];
        let directions = match (kind, self.cases.get(&site)) {
            (StepKind::Switch, Some(cases)) => 0..cases.len() as u32 + 1,
            (StepKind::Switch, None) => OTHER..OTHER,
            (StepKind::Concretize, _) if self.steps[step].is_size() => 1..SizeFlip::DIRECTIONS,
            (StepKind::Concretize, _) => 0..0,
            // An assumption that held must go on holding.
            (StepKind::Assume, _) => 1..2,
            _ => 0..2,
        };
        let other = (kind == StepKind::Switch && directions.is_empty()).then_some(OTHER);
        directions
            .filter(move |other| *other != direction)
            .chain(other)
    }

    /// The condition under which a step goes into a direction (one bit). A direction that its
    /// site does not have stands for [`OTHER`].
    pub fn flipped(&self, decoder: &mut Decoder, step: usize, direction: u32) -> ExprId {
        if direction == self.steps[step].direction {
            return self.condition(decoder, step);
        }
        let value = self.expression(decoder, self.steps[step].label);
        self.flipped_by(decoder, value, step, direction)
    }

    /// The same, where the value that decides is this expression.
    pub fn flipped_by(
        &self,
        decoder: &mut Decoder,
        value: ExprId,
        step: usize,
        direction: u32,
    ) -> ExprId {
        let Step {
            kind,
            site,
            direction: taken,
            ..
        } = self.steps[step];
        if let Some(flip) = SizeFlip::of(direction).filter(|_| self.steps[step].is_size()) {
            return size::other_size(self, decoder, step, flip);
        }
        match (kind, self.cases.get(&site)) {
            (StepKind::Switch, Some(cases)) => one_of(decoder, value, cases, direction),
            (StepKind::Switch | StepKind::Concretize, _) => {
                let same = self.fixed(decoder, value, self.event(step).a);
                if direction == taken {
                    same
                } else {
                    decoder.pool_mut().not(same)
                }
            }
            _ if direction == 1 || direction > 1 && taken == 0 => value,
            _ => decoder.pool_mut().not(value),
        }
    }

    /// `value = bits`; of a value wider than 64 bits the lower half.
    fn fixed(&self, decoder: &mut Decoder, value: ExprId, bits: u64) -> ExprId {
        let pool = decoder.pool_mut();
        let width = pool.width(value).min(64);
        let low = pool.extract(value, 0, width);
        let bits = pool.constant(width, u128::from(bits) & (u128::MAX >> (128 - width)));
        pool.eq(low, bits)
    }

    /// The constant that the condition of a step compares a value with, where it is one comparison
    /// for equality.
    #[must_use]
    pub fn compared(&self, step: &Step) -> Option<u64> {
        let node = &self.recording.nodes[step.label as usize];
        let equality = [Op::Eq as u8, Op::Ne as u8].contains(&node.op);
        let immediate = node.flags & (flag::A_IMMEDIATE | flag::B_IMMEDIATE) != 0;
        (equality && immediate).then_some(node.imm)
    }

    /// The symbols that a step depends on, in order of stream and offset, lengths last.
    /// Simplification may find that its condition depends on fewer.
    #[must_use]
    pub fn support_of(&self, step: usize) -> Vec<Symbol> {
        let mut supports = self.supports.lock().unwrap_or_else(PoisonError::into_inner);
        let support = supports.of(self, self.steps[step].label);
        let mut symbols = Vec::new();
        supports
            .sets
            .for_each(support, &mut |key| symbols.push(symbol(key)));
        symbols
    }

    /// Visits the symbols that a step, or one before it, depends on: in order of stream and offset,
    /// lengths last. A run with the same values of these symbols takes the same way to the step.
    pub fn for_each_decided(&self, step: usize, visit: &mut impl FnMut(Symbol)) {
        let mut supports = self.supports.lock().unwrap_or_else(PoisonError::into_inner);
        let decided = supports.prefix(self, step);
        supports
            .sets
            .for_each(decided, &mut |key| visit(symbol(key)));
    }

    /// The furthest byte of the input that a step depends on: of the last stream, as
    /// `(stream, offset)`. `None` if it depends on lengths only.
    #[must_use]
    pub fn last_byte_of(&self, step: usize) -> Option<(u16, u32)> {
        let mut supports = self.supports.lock().unwrap_or_else(PoisonError::into_inner);
        let support = supports.of(self, self.steps[step].label);
        let key = supports.sets.last_byte(support)?;
        Some(((key >> 32) as u16, key as u32))
    }

    /// The earlier steps that share symbols with a step, directly or through others, in order.
    #[must_use]
    pub fn slice(&self, step: usize) -> Vec<usize> {
        let mut supports = self.supports.lock().unwrap_or_else(PoisonError::into_inner);
        supports.slice(self, step)
    }

    /// Whether the size of a step is at most so large.
    pub fn size_at_most(&self, decoder: &mut Decoder, step: usize, bound: u64) -> ExprId {
        let size = self.expression(decoder, self.steps()[step].label);
        let width = decoder.pool().width(size);
        let bound = decoder.pool_mut().constant(width, u128::from(bound));
        decoder.pool_mut().ule(size, bound)
    }
}

/// The condition under which a switch over these cases takes a direction.
fn one_of(decoder: &mut Decoder, value: ExprId, cases: &[u128], direction: u32) -> ExprId {
    let pool = decoder.pool_mut();
    let width = pool.width(value);
    if let Some(case) = (direction as usize)
        .checked_sub(1)
        .and_then(|index| cases.get(index))
    {
        let case = pool.constant(width, *case);
        return pool.eq(value, case);
    }
    let differs: Vec<_> = cases
        .iter()
        .map(|case| {
            let case = pool.constant(width, *case);
            pool.ne(value, case)
        })
        .collect();
    pool.all(differs)
}

//! Abstract paths as formulas, and the inputs of their models.

use labrys_expr::{ExprId, Symbol};
use labrys_solver::{Assignment, Model};
use labrys_suite::{Input, StreamKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ask::evaluate;
use crate::block::{LargeBlock, Request, Transition};
use crate::contents::{Place, overlaid};
use crate::terms::{Terms, Variable};

/// What a path asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathInput {
    objects: Vec<u8>,
    /// Bytes and lengths of files and arguments.
    parts: BTreeMap<Place, u128>,
}

impl PathInput {
    /// The bytes of input objects, in order.
    #[must_use]
    pub fn objects(&self) -> &[u8] {
        &self.objects
    }

    /// The input with the streams of a template, and what it has where the path asks for nothing.
    #[must_use]
    pub fn onto(&self, template: &Input) -> Input {
        let mut input = overlaid(template, &self.parts);
        let mut streams = input.streams.iter_mut();
        if let Some(stream) = streams.find(|one| one.kind == StreamKind::Objects) {
            stream.bytes.clone_from(&self.objects);
        }
        input
    }

    /// The input of a model: these objects are asked for, and parts of the input are these symbols.
    /// `None` if an object of unknown size is asked for.
    pub(crate) fn of(
        terms: &mut Terms<'_>,
        model: &Model,
        asked: &[Request],
        parts: impl Iterator<Item = (Place, ExprId)>,
    ) -> Option<Self> {
        let conditions: Vec<ExprId> = asked.iter().map(|one| one.condition).collect();
        let happens = evaluate(terms, &conditions, model);
        let values = Assignment::new().with(model);
        let value = |part: ExprId| Some(values.get(terms.pool().as_symbol(part)?));
        let mut objects = Vec::new();
        for (happens, request) in happens.into_iter().zip(asked) {
            if !happens?.is_true() {
                continue;
            }
            for part in request.parts.as_ref()? {
                let width = terms.pool().width(*part);
                let bytes = value(*part)?.to_le_bytes();
                objects.extend(&bytes[..width as usize / 8]);
            }
        }
        let parts = parts.filter_map(|(place, part)| Some((place, value(part)?)));
        Some(PathInput {
            objects,
            parts: parts.collect(),
        })
    }
}

/// A path through blocks to a place of the last one.
#[derive(Debug)]
pub(crate) struct AbstractPath {
    /// The blocks but the last, and the transition that is taken from each.
    pub(crate) steps: Vec<(Rc<LargeBlock>, usize)>,
    /// The block of the goal.
    pub(crate) last: Rc<LargeBlock>,
    /// The condition of the goal in it.
    pub(crate) goal: ExprId,
    locals: FxHashMap<(usize, Symbol), ExprId>,
}

impl AbstractPath {
    pub(crate) fn new(
        steps: Vec<(Rc<LargeBlock>, usize)>,
        last: Rc<LargeBlock>,
        goal: ExprId,
    ) -> Self {
        AbstractPath {
            steps,
            last,
            goal,
            locals: FxHashMap::default(),
        }
    }

    /// Blocks on the path.
    pub(crate) fn len(&self) -> usize {
        self.steps.len() + 1
    }

    /// The transition that a step takes.
    pub(crate) fn transition(&self, step: usize) -> &Transition {
        let (block, transition) = &self.steps[step];
        &block.transitions[*transition]
    }

    /// The condition of a step: that of its transition, or of the goal.
    pub(crate) fn condition(&self, step: usize) -> ExprId {
        match self.steps.get(step) {
            Some((block, transition)) => block.transitions[*transition].condition,
            None => self.goal,
        }
    }

    fn block(&self, step: usize) -> &Rc<LargeBlock> {
        self.steps.get(step).map_or(&self.last, |(block, _)| block)
    }

    /// The input of a model of the path from its beginning; `None` if the path asks for input whose
    /// bytes are not known.
    pub(crate) fn input(&mut self, terms: &mut Terms<'_>, model: &Model) -> Option<PathInput> {
        let mut unrolled = Unrolled::from(0);
        let mut asked = Vec::new();
        for step in 0..self.len() {
            let block = self.block(step).clone();
            for request in &block.requests {
                let mut own = |part: ExprId| unrolled.instance(self, terms, step, part);
                let condition = own(request.condition);
                let parts = request.parts.as_ref();
                let parts = parts.map(|parts| parts.iter().map(|part| own(*part)).collect());
                asked.push(Request { condition, parts });
            }
        }
        PathInput::of(terms, model, &asked, std::iter::empty())
    }
}

/// Expressions of the steps of a path over the variables at one of its locations.
#[derive(Debug)]
pub(crate) struct Unrolled {
    from: usize,
    values: FxHashMap<(usize, Variable), ExprId>,
}

impl Unrolled {
    /// Over the variables before this step.
    pub(crate) fn from(step: usize) -> Self {
        Unrolled {
            from: step,
            values: FxHashMap::default(),
        }
    }

    /// An expression of the block of a step.
    pub(crate) fn instance(
        &mut self,
        path: &mut AbstractPath,
        terms: &mut Terms<'_>,
        step: usize,
        id: ExprId,
    ) -> ExprId {
        let symbols: Vec<Symbol> = terms.pool().symbols(id).iter().collect();
        let mut replace = FxHashMap::default();
        for symbol in symbols {
            let value = if let Some(variable) = terms.as_variable(symbol) {
                let own = terms.pool_mut().symbol(symbol);
                self.value(path, terms, step, variable, own)
            } else if terms.is_local(symbol) {
                let known = path.locals.get(&(step, symbol)).copied();
                known.unwrap_or_else(|| {
                    let fresh = terms.fresh(symbol.width());
                    path.locals.insert((step, symbol), fresh);
                    fresh
                })
            } else {
                continue;
            };
            replace.insert(symbol, value);
        }
        terms.substitute(id, &replace)
    }

    /// The value of a variable before a step.
    fn value(
        &mut self,
        path: &mut AbstractPath,
        terms: &mut Terms<'_>,
        step: usize,
        variable: Variable,
        symbol: ExprId,
    ) -> ExprId {
        if step == self.from {
            return symbol;
        }
        if let Some(known) = self.values.get(&(step, variable)) {
            return *known;
        }
        let (block, transition) = path.steps[step - 1].clone();
        let after = block.after(terms, &block.transitions[transition], variable, symbol);
        let value = self.instance(path, terms, step - 1, after);
        self.values.insert((step, variable), value);
        value
    }
}

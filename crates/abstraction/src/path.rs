//! Abstract paths as formulas, and the inputs of their models.

use labrys_expr::{ExprId, Symbol};
use labrys_solver::{Assignment, Model};
use rustc_hash::FxHashMap;
use std::rc::Rc;

use crate::ask::evaluate;
use crate::block::{LargeBlock, Transition};
use crate::terms::{Terms, Variable};

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
    pub(crate) fn input(&mut self, terms: &mut Terms<'_>, model: &Model) -> Option<Vec<u8>> {
        let mut unrolled = Unrolled::from(0);
        let mut conditions = Vec::new();
        let mut parts = Vec::new();
        for step in 0..self.len() {
            let block = self.block(step).clone();
            for request in &block.requests {
                conditions.push(unrolled.instance(self, terms, step, request.condition));
                let of_request = request.parts.iter().flatten();
                let of_request = of_request.map(|part| unrolled.instance(self, terms, step, *part));
                let of_request: Vec<ExprId> = of_request.collect();
                parts.push(request.parts.is_some().then_some(of_request));
            }
        }
        let asked = evaluate(terms, &conditions, model);
        let values = Assignment::new().with(model);
        let mut bytes = Vec::new();
        for (asked, parts) in asked.into_iter().zip(parts) {
            if !asked?.is_true() {
                continue;
            }
            for part in parts? {
                let width = terms.pool().width(part);
                let symbol = terms.pool().as_symbol(part)?;
                let value = values.get(symbol).to_le_bytes();
                bytes.extend(&value[..width as usize / 8]);
            }
        }
        Some(bytes)
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

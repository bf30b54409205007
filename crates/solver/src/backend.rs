//! Constraints over a pool, decided by Bitwuzla.
//!
//! Each constraint becomes one assumption of an incremental solver (see `switches`): what was
//! learned about a path prefix serves the next query, and the assumptions that failed are the
//! core.
//!
//! Laws: a model makes all constraints true by evaluation or is not given at all where
//! evaluation is needed to know (external calls, constraints that have no term); a core is
//! unsatisfiable on its own, whatever the external functions compute.

mod cost;
mod counts;
mod floats;
mod known_bits;
mod read_back;
mod separate;
mod switches;
mod tables;
mod terms;
#[cfg(test)]
mod tests;
mod translate;

use std::collections::BTreeSet;
use std::time::Instant;

use labrys_expr::{Environment, Evaluator, Symbol, Value};

use crate::bitwuzla::{CheckLimits, Error, Instance, Kind, Outcome, Settings, Stop, Term};
use crate::functions;
use crate::query::{Answer, Assignment, Core, Model, Query, Reason, Solver};
use switches::Switches;
use terms::Terms;
use translate::{Refusal, Translator};

pub(crate) use separate::{Separation, separate};

/// The solver is replaced by a new one when it holds this many terms.
const MAX_TERMS: usize = 1 << 20;
/// So many facts about external functions are learned before the back end gives up.
const MAX_LEMMAS: usize = 64;

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Steps => Reason::Steps,
            Stop::Deadline => Reason::Timeout,
            Stop::Cancelled => Reason::Cancelled,
            Stop::Memory => Reason::Memory,
            Stop::Incomplete => Reason::Unsupported("the solver gave up".into()),
        }
    }
}

impl From<Error> for Reason {
    fn from(error: Error) -> Self {
        Reason::Unsupported(error.to_string())
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        Reason::Unsupported(match refusal {
            Refusal::Large => return Reason::Steps,
            Refusal::Solver(reason) => reason,
            Refusal::Table { length } => format!("table of {length} bytes"),
        })
    }
}

/// Computes an external function: name, arguments, width of the result.
pub type External = fn(&str, &[Value], u32) -> Option<u128>;

/// A solver for constraints of any number of pools, one after the other.
pub struct Backend {
    settings: Settings,
    external: External,
    translator: Translator,
    switches: Switches,
    evaluator: Evaluator,
}

/// The constraints of one query as terms.
struct Formulas {
    /// Indices of the constraints that have a term, and the terms.
    positions: Vec<usize>,
    terms: Vec<Term>,
    /// Why a constraint has none.
    obstacle: Option<Reason>,
}

impl Backend {
    /// A back end with a solver of these settings, which computes external calls as evaluation does elsewhere.
    ///
    /// # Errors
    /// [`Error::Missing`] if Bitwuzla is not installed.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        Backend::with_external(settings, functions::call)
    }

    /// A back end that computes external calls with this function.
    ///
    /// # Errors
    /// [`Error::Missing`] if Bitwuzla is not installed.
    pub fn with_external(settings: Settings, external: External) -> Result<Self, Error> {
        let translator = Translator::new(Terms::new(Instance::new(&settings)?));
        Ok(Backend {
            settings,
            external,
            translator,
            switches: Switches::default(),
            evaluator: Evaluator::new(),
        })
    }

    /// A new solver for the old one.
    fn renew(&mut self) -> Result<(), Error> {
        self.translator = Translator::new(Terms::new(Instance::new(&self.settings)?));
        self.switches.clear();
        Ok(())
    }

    /// The terms of the constraints; `None` if it takes too many steps to build them.
    fn formulas(&mut self, query: &Query<'_>) -> Option<Formulas> {
        let mut formulas = Formulas {
            positions: Vec::new(),
            terms: Vec::new(),
            obstacle: None,
        };
        for (position, &constraint) in query.constraints.iter().enumerate() {
            match self.translator.formula(query.pool, constraint) {
                Ok(term) => {
                    formulas.positions.push(position);
                    formulas.terms.push(term);
                }
                Err(Refusal::Large) => return None,
                Err(refusal) => formulas.obstacle = Some(refusal.into()),
            }
        }
        Some(formulas)
    }

    fn solve(&mut self, query: &mut Query<'_>, formulas: &Formulas) -> Result<Answer, Error> {
        if self.translator.ledger.wants_reset() {
            self.translator.terms.instance.reset()?;
            self.switches.clear();
        }
        let cost = self.translator.ledger.cost();
        if query.budget.steps.is_some_and(|left| left < cost) {
            self.translator.ledger.refuse();
            return Ok(Answer::Unknown(Reason::Steps));
        }
        query.budget.spend(cost);
        query.budget.visits += self.translator.ledger.visits();
        let deadline = query.budget.timeout.map(|timeout| Instant::now() + timeout);
        let terms = &mut self.translator.terms;
        let switches = self.switches.assumptions(terms, &formulas.terms)?;
        let mut assumptions = switches.clone();
        let mut lemmas = BTreeSet::new();
        loop {
            let timeout =
                deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let limits = CheckLimits {
                steps: query.budget.steps,
                timeout,
                cancel: query.budget.cancel.as_deref(),
            };
            let instance = &mut self.translator.terms.instance;
            let outcome = instance.check(&assumptions, &limits)?;
            query.budget.spend(instance.steps());
            match outcome {
                Outcome::Unknown(stop) => return Ok(Answer::Unknown(stop.into())),
                Outcome::Unsat => return self.core(formulas, &switches).map(Answer::Unsat),
                Outcome::Sat => {}
            }
            let model = self.model(query)?;
            if self.is_exact(formulas) || self.satisfies(query, &model) {
                return Ok(Answer::Sat(model));
            }
            let known = lemmas.len();
            if known < MAX_LEMMAS {
                lemmas.extend(self.refute(query, &model)?);
            }
            if lemmas.len() == known {
                return Ok(Answer::Unknown(self.obstacle(query, formulas)));
            }
            assumptions.truncate(switches.len());
            assumptions.extend(&lemmas);
        }
    }

    /// Do the terms say all that the constraints say?
    fn is_exact(&self, formulas: &Formulas) -> bool {
        formulas.obstacle.is_none() && self.translator.opaque().is_empty()
    }

    fn core(&mut self, formulas: &Formulas, assumptions: &[Term]) -> Result<Core, Error> {
        let failed = self.translator.terms.instance.failed(assumptions)?;
        let positions = formulas.positions.iter().zip(failed);
        Ok(Core(
            positions
                .filter(|(_, failed)| *failed)
                .map(|(position, _)| *position)
                .collect(),
        ))
    }

    fn model(&mut self, query: &Query<'_>) -> Result<Model, Error> {
        let mut model = Model::default();
        let mut sets = BTreeSet::new();
        for &constraint in &query.constraints {
            if !sets.insert(query.pool.symbols_number(constraint)) {
                continue;
            }
            for symbol in query.pool.symbols(constraint).iter() {
                if model.get(symbol).is_some() {
                    continue;
                }
                if let Some(term) = self.translator.symbol(symbol) {
                    model
                        .0
                        .insert(symbol, self.translator.terms.instance.value(term)?);
                }
            }
        }
        Ok(model)
    }

    /// Are all constraints true by evaluation?
    fn satisfies(&mut self, query: &Query<'_>, model: &Model) -> bool {
        let environment = Modelled {
            model,
            hint: query.hint,
            external: self.external,
        };
        self.evaluator.reset();
        let evaluator = &mut self.evaluator;
        query
            .constraints
            .iter()
            .all(|&id| evaluator.holds(query.pool, id, &environment))
    }

    /// What the external functions say of the calls' arguments under the model: for each call
    /// `f(a) = v`, the fact that `a` has these values only if the call's result is `v`.
    fn refute(&mut self, query: &Query<'_>, model: &Model) -> Result<Vec<Term>, Error> {
        let environment = Modelled {
            model,
            hint: query.hint,
            external: self.external,
        };
        let pool = &*query.pool;
        let mut lemmas = Vec::new();
        for id in self.translator.opaque().to_vec() {
            let mut arguments = Vec::new();
            pool.for_each_child(id, |argument| arguments.push(argument));
            let mut facts = Vec::new();
            for &each in arguments.iter().chain([&id]) {
                let Some(value) = self.evaluator.evaluate(pool, each, &environment) else {
                    break;
                };
                facts.push(self.translator.has_value(pool, each, value)?);
            }
            if facts.len() == arguments.len() + 1 {
                lemmas.push(self.implication(&facts)?);
            }
        }
        Ok(lemmas)
    }

    /// The last of the facts follows from the others.
    fn implication(&mut self, facts: &[Term]) -> Result<Term, Error> {
        let terms = &mut self.translator.terms;
        let mut result = facts[facts.len() - 1];
        for &premise in facts[..facts.len() - 1].iter().rev() {
            result = terms.term(Kind::Implies, &[premise, result])?;
        }
        Ok(result)
    }

    fn obstacle(&self, query: &Query<'_>, formulas: &Formulas) -> Reason {
        formulas.obstacle.clone().unwrap_or_else(|| {
            let call = self.translator.opaque().first();
            let name = call
                .and_then(|&id| query.pool.as_call(id))
                .map(labrys_expr::Call::name);
            Reason::Unsupported(format!("external call {}", name.unwrap_or("fmod")))
        })
    }
}

impl Solver for Backend {
    fn check(&mut self, query: &mut Query<'_>) -> Answer {
        self.translator.start_pool(query.budget.steps);
        let answer = match self.formulas(query) {
            Some(formulas) => self.solve(query, &formulas),
            None => {
                self.translator.ledger.refuse();
                Ok(Answer::Unknown(Reason::Steps))
            }
        };
        let is_broken = matches!(&answer, Err(_) | Ok(Answer::Unknown(Reason::Memory)));
        let is_large = self.translator.terms.instance.term_count() > MAX_TERMS;
        let renewed = if is_broken || is_large {
            self.renew()
        } else {
            Ok(())
        };
        match (answer, renewed) {
            (Ok(answer), Ok(())) => answer,
            (Err(error), _) | (_, Err(error)) => Answer::Unknown(error.into()),
        }
    }
}

/// A model over a hint, and the external functions.
struct Modelled<'a> {
    model: &'a Model,
    hint: &'a Assignment,
    external: External,
}

impl Environment for Modelled<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        self.model
            .get(symbol)
            .unwrap_or_else(|| self.hint.get(symbol))
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        (self.external)(name, arguments, width)
    }
}

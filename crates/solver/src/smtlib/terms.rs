//! Terms to expressions, without recursion.
//!
//! The work that is left lies on a stack of [`Task`]s, the results on another; so a term may be
//! nested as deeply as its file is long.

use std::collections::HashMap;

use labrys_expr::{ExprId, Pool, Rounding, Symbol};

use super::sorts::{Sort, Term};
use super::syntax::{Form, Part, Syntax};
use super::{Error, bits, floats};

/// A definition with parameters. Its body is read once, over symbols that stand for them.
pub(super) struct Macro {
    pub(super) parameters: Vec<(Symbol, Sort)>,
    pub(super) body: ExprId,
    pub(super) result: Sort,
}

/// What a name stands for.
pub(super) enum Meaning {
    Term(Term),
    Macro(Macro),
    /// A function that only its name is known of.
    Function {
        parameters: Vec<Sort>,
        result: Sort,
    },
}

/// The names that were declared, and those of the `let`s around.
#[derive(Default)]
pub(super) struct Names {
    pub(super) globals: HashMap<String, Meaning>,
    /// Bindings by name, the innermost last.
    locals: HashMap<String, Vec<Term>>,
    /// The names bound at each depth.
    depths: Vec<Vec<String>>,
}

enum Task {
    Read(Part),
    /// Applies a function to this many results.
    Apply(Part, usize),
    /// Binds the results to the names of a `let`, then reads its body.
    Bind(Part),
    /// Forgets the innermost bindings.
    Unbind,
}

pub(super) struct TermReader<'a> {
    pub(super) syntax: &'a Syntax<'a>,
    pub(super) pool: &'a mut Pool,
    pub(super) names: &'a mut Names,
    tasks: Vec<Task>,
    results: Vec<Term>,
}

impl<'a> TermReader<'a> {
    pub(super) fn new(syntax: &'a Syntax<'a>, pool: &'a mut Pool, names: &'a mut Names) -> Self {
        TermReader {
            syntax,
            pool,
            names,
            tasks: Vec::new(),
            results: Vec::new(),
        }
    }

    /// The value of a term and its sort.
    pub(super) fn value(&mut self, part: Part) -> Result<(ExprId, Sort), Error> {
        match self.term(part)? {
            Term::Value(id, sort) => Ok((id, sort)),
            other => Err(self
                .syntax
                .error(part, format!("a value expected, not {}", other.kind()))),
        }
    }

    fn term(&mut self, part: Part) -> Result<Term, Error> {
        self.tasks.push(Task::Read(part));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Read(part) => self.read(part)?,
                Task::Apply(part, count) => self.apply(part, count)?,
                Task::Bind(part) => self.bind(part)?,
                Task::Unbind => self.names.close(),
            }
        }
        self.results
            .pop()
            .ok_or_else(|| self.syntax.error(part, "a term expected"))
    }

    fn read(&mut self, part: Part) -> Result<(), Error> {
        let term = match self.syntax.form(part) {
            Form::Symbol(name) => self.named(part, name)?,
            Form::Bits(width, bits) => {
                Term::Value(self.pool.constant(*width, *bits), Sort::Bits(*width))
            }
            Form::Numeral(digits) | Form::Decimal(digits) => Term::Real(digits.clone()),
            Form::List(parts) => return self.read_list(part, parts),
            Form::Keyword(_) | Form::Text(_) => {
                return Err(self.syntax.error(part, "a term expected"));
            }
        };
        self.results.push(term);
        Ok(())
    }

    fn read_list(&mut self, part: Part, parts: &'a [Part]) -> Result<(), Error> {
        let Some((head, arguments)) = parts.split_first() else {
            return Err(self.syntax.error(part, "an empty term"));
        };
        match self.syntax.symbol(*head) {
            Some("let") => {
                let [bindings, _] = arguments else {
                    return Err(self.syntax.error(part, "let needs bindings and a term"));
                };
                self.tasks.push(Task::Bind(part));
                for binding in self.list(*bindings)?.iter().rev() {
                    let &[_, value] = self.list(*binding)? else {
                        return Err(self.syntax.error(*binding, "a name and a term expected"));
                    };
                    self.tasks.push(Task::Read(value));
                }
            }
            Some("!") if !arguments.is_empty() => self.tasks.push(Task::Read(arguments[0])),
            Some("_") => {
                let term = self.indexed_constant(part, arguments)?;
                self.results.push(term);
            }
            Some("forall" | "exists") => {
                return Err(self.syntax.error(*head, "quantifiers are not supported"));
            }
            _ => {
                self.tasks.push(Task::Apply(part, arguments.len()));
                self.tasks
                    .extend(arguments.iter().rev().map(|part| Task::Read(*part)));
            }
        }
        Ok(())
    }

    fn list(&self, part: Part) -> Result<&'a [Part], Error> {
        let syntax = self.syntax;
        syntax
            .list(part)
            .ok_or_else(|| syntax.error(part, "a list expected"))
    }

    fn named(&mut self, part: Part, name: &str) -> Result<Term, Error> {
        if let Some(term) = self.names.locals.get(name).and_then(|all| all.last()) {
            return Ok(term.clone());
        }
        if let Some(Meaning::Term(term)) = self.names.globals.get(name) {
            return Ok(term.clone());
        }
        let mode = match name {
            "true" => return Ok(Term::Value(ExprId::TRUE, Sort::Bool)),
            "false" => return Ok(Term::Value(ExprId::FALSE, Sort::Bool)),
            "RNE" | "roundNearestTiesToEven" => Rounding::NearestEven,
            "RNA" | "roundNearestTiesToAway" => Rounding::NearestAway,
            "RTP" | "roundTowardPositive" => Rounding::Up,
            "RTN" | "roundTowardNegative" => Rounding::Down,
            "RTZ" | "roundTowardZero" => Rounding::Zero,
            _ => return Err(self.syntax.error(part, format!("{name} is not declared"))),
        };
        Ok(Term::Mode(mode))
    }

    /// `(_ bv10 32)`, `(_ NaN 8 24)` and the like.
    fn indexed_constant(&mut self, part: Part, arguments: &[Part]) -> Result<Term, Error> {
        let name = arguments
            .first()
            .and_then(|name| self.syntax.symbol(*name))
            .unwrap_or("");
        let indices: Vec<_> = arguments
            .iter()
            .skip(1)
            .filter_map(|index| self.syntax.numeral(*index))
            .collect();
        let result = match (name.strip_prefix("bv"), &indices[..]) {
            (Some(digits), &[width]) => bits::literal(self.pool, digits, width),
            (_, &[exponent, significand]) => {
                floats::constant(self.pool, name, exponent, significand)
            }
            _ => Err(format!(
                "{name} is not known with {} indices",
                indices.len()
            )),
        };
        result.map_err(|message| self.syntax.error(part, message))
    }

    fn bind(&mut self, part: Part) -> Result<(), Error> {
        let parts = self.list(part)?;
        let bindings = self.list(parts[1])?;
        let values = self.results.split_off(self.results.len() - bindings.len());
        let mut bound = Vec::new();
        for (binding, value) in bindings.iter().zip(values) {
            let name_part = self.list(*binding)?[0];
            let Some(name) = self.syntax.symbol(name_part) else {
                return Err(self.syntax.error(name_part, "a name expected"));
            };
            bound.push((name.to_owned(), value));
        }
        self.tasks.push(Task::Unbind);
        self.names.open(bound);
        self.tasks.push(Task::Read(parts[2]));
        Ok(())
    }

    fn apply(&mut self, part: Part, count: usize) -> Result<(), Error> {
        let arguments = self.results.split_off(self.results.len() - count);
        let head = self.list(part)?[0];
        let fail = |message| self.syntax.error(part, message);
        let syntax = self.syntax;
        let result = if let Some(name) = syntax.symbol(head) {
            match self.names.globals.get(name) {
                Some(Meaning::Macro(definition)) => {
                    expand(self.pool, name, definition, &arguments).map_err(fail)?
                }
                Some(Meaning::Function { parameters, result }) => {
                    call(self.pool, name, parameters, *result, &arguments).map_err(fail)?
                }
                _ => self.function(name, &[], &arguments).map_err(fail)?,
            }
        } else {
            let (name, indices) = self.indexed_head(head)?;
            self.function(name, &indices, &arguments).map_err(fail)?
        };
        self.results.push(result);
        Ok(())
    }

    /// The name and the indices of `(_ name i j)`.
    fn indexed_head(&self, head: Part) -> Result<(&'a str, Vec<u32>), Error> {
        let unknown = || self.syntax.error(head, "the name of a function expected");
        let parts = self.syntax.list(head).ok_or_else(unknown)?;
        let [underscore, name, indices @ ..] = parts else {
            return Err(unknown());
        };
        if self.syntax.symbol(*underscore) != Some("_") {
            return Err(unknown());
        }
        let name = self.syntax.symbol(*name).ok_or_else(unknown)?;
        let number = |index: &Part| {
            let message = "an index expected";
            self.syntax
                .numeral(*index)
                .ok_or_else(|| self.syntax.error(*index, message))
        };
        Ok((name, indices.iter().map(number).collect::<Result<_, _>>()?))
    }

    fn function(
        &mut self,
        name: &str,
        indices: &[u32],
        arguments: &[Term],
    ) -> Result<Term, String> {
        if name.starts_with("fp") || name.starts_with("to_fp") {
            return floats::apply(self.pool, name, indices, arguments);
        }
        if name == "/" {
            return match arguments {
                [Term::Real(a), Term::Real(b)] => Ok(Term::Ratio(a.clone(), b.clone())),
                _ => Err("/ needs two numbers".into()),
            };
        }
        if let ("-", [Term::Real(a)]) = (name, arguments) {
            return Ok(Term::Real(format!("-{a}")));
        }
        bits::apply(self.pool, name, indices, arguments)
    }
}

impl Names {
    /// Opens a depth with these bindings.
    pub(super) fn open(&mut self, bound: Vec<(String, Term)>) {
        let mut names = Vec::with_capacity(bound.len());
        for (name, term) in bound {
            self.locals.entry(name.clone()).or_default().push(term);
            names.push(name);
        }
        self.depths.push(names);
    }

    /// Closes the innermost depth.
    pub(super) fn close(&mut self) {
        for name in self.depths.pop().into_iter().flatten() {
            if let Some(bindings) = self.locals.get_mut(&name) {
                bindings.pop();
            }
        }
    }
}

/// A macro's body with the arguments in place of the parameters.
fn expand(
    pool: &mut Pool,
    name: &str,
    definition: &Macro,
    arguments: &[Term],
) -> Result<Term, String> {
    let mut values = HashMap::new();
    for ((symbol, sort), argument) in definition.parameters.iter().zip(arguments) {
        match argument {
            Term::Value(id, found) if found == sort => values.insert(*symbol, *id),
            other => return Err(format!("{name} takes {sort}, not {}", other.kind())),
        };
    }
    if values.len() != arguments.len() || values.len() != definition.parameters.len() {
        return Err(format!(
            "{name} takes {} arguments",
            definition.parameters.len()
        ));
    }
    let id = pool.substitute(definition.body, &mut |_, symbol| {
        values.get(&symbol).copied()
    });
    Ok(Term::Value(id, definition.result))
}

/// The call of a function that is only declared: an external function. The log of queries names
/// it with the widths of its arguments and its result.
fn call(
    pool: &mut Pool,
    name: &str,
    parameters: &[Sort],
    result: Sort,
    arguments: &[Term],
) -> Result<Term, String> {
    let mut ids = Vec::new();
    for (sort, argument) in parameters.iter().zip(arguments) {
        match argument {
            Term::Value(id, found) if found == sort => ids.push(*id),
            other => return Err(format!("{sort} expected, not {}", other.kind())),
        }
    }
    if ids.len() != arguments.len() || ids.len() != parameters.len() {
        return Err(format!("{name} takes {} arguments", parameters.len()));
    }
    let widths = parameters
        .iter()
        .chain([&result])
        .map(|sort| format!("_{}", sort.width()));
    let suffix: String = widths.collect();
    let name = name.strip_suffix(&suffix).unwrap_or(name);
    Ok(Term::Value(
        pool.external(name, &ids, result.width()),
        result,
    ))
}

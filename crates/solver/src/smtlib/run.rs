//! Running a script: its commands against a solver, the replies as SMT-LIB writes them.

use std::fmt::{self, Write};

use labrys_expr::{Evaluator, ExprId, Pool, Symbol, smtlib_term};

use super::{Command, Declaration, Script, Sort};
use crate::core::{Cores, NoCore};
use crate::interpolate::{Interpolator, NoInterpolant};
use crate::query::{Answer, Assignment, Budget, Query, Solver};

/// See [`Script::run`].
pub(super) fn run(
    script: &mut Script,
    solver: &mut dyn Solver,
    budget: &Budget,
    output: &mut dyn Write,
) -> Result<Vec<Answer>, fmt::Error> {
    let commands = std::mem::take(&mut script.commands);
    let mut run = Run {
        pool: &mut script.pool,
        declarations: &script.declarations,
        solver,
        budget,
        output,
        checked: &[],
        answers: Vec::new(),
        cores: None,
        interpolator: None,
    };
    let done = commands.iter().try_for_each(|command| run.command(command));
    let answers = run.answers;
    script.commands = commands;
    done.map(|()| answers)
}

/// A script that runs.
struct Run<'a> {
    pool: &'a mut Pool,
    declarations: &'a [Declaration],
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    output: &'a mut dyn Write,
    /// The conditions of the last check.
    checked: &'a [ExprId],
    answers: Vec<Answer>,
    cores: Option<Cores>,
    interpolator: Option<Interpolator>,
}

impl<'a> Run<'a> {
    fn command(&mut self, command: &'a Command) -> fmt::Result {
        match command {
            Command::CheckSat(conditions) => self.check(conditions),
            Command::GetModel(live) => {
                let (live, values) = (live.iter(), self.values());
                let live = live.map(|at| &self.declarations[*at]);
                write_model(self.output, live, values.as_ref())
            }
            Command::GetCore(names) => self.core(names),
            Command::GetInterpolant(a, b) => self.interpolant(a, b),
            Command::GetValue(terms) => self.terms(terms),
            Command::Reply(text) | Command::Echo(text) => writeln!(self.output, "{text}"),
        }
    }

    fn check(&mut self, conditions: &'a [ExprId]) -> fmt::Result {
        let answer = self.solver.check(&mut Query {
            pool: self.pool,
            constraints: conditions.to_vec(),
            hint: &Assignment::new(),
            budget: self.budget.clone(),
        });
        self.checked = conditions;
        write_answer(self.output, &answer)?;
        self.answers.push(answer);
        Ok(())
    }

    /// The values of the last check's model.
    fn values(&self) -> Option<Assignment> {
        match self.answers.last() {
            Some(Answer::Sat(model)) => Some(Assignment::new().with(model)),
            _ => None,
        }
    }

    fn terms(&mut self, terms: &[(String, ExprId, Sort)]) -> fmt::Result {
        let Some(values) = self.values() else {
            return write_no_model(self.output);
        };
        let mut evaluator = Evaluator::new();
        let mut texts = Vec::new();
        for (source, id, sort) in terms {
            let value = evaluator.evaluate(self.pool, *id, &values);
            let text = value.map_or("unknown".into(), |value| sort.show(value.bits()));
            texts.push(format!("({source} {text})"));
        }
        writeln!(self.output, "({})", texts.join("\n "))
    }

    /// The names of those of the last check's conditions that are in its core. The core of the check
    /// may be larger than it needs to be, so a smaller one is looked for.
    fn core(&mut self, names: &[(usize, String)]) -> fmt::Result {
        let Some(Answer::Unsat(core)) = self.answers.last() else {
            return error(
                self.output,
                "there is no core: the last check was not unsat",
            );
        };
        let named: Vec<_> = names.iter().filter(|(at, _)| core.0.contains(at)).collect();
        let is_named = |at: &usize| named.iter().any(|(other, _)| other == at);
        let unnamed = core.0.iter().filter(|at| !is_named(at));
        let always: Vec<ExprId> = unnamed.map(|at| self.checked[*at]).collect();
        let conditions: Vec<ExprId> = named.iter().map(|(at, _)| self.checked[*at]).collect();
        if self.cores.is_none() {
            self.cores = Cores::new().ok();
        }
        let found = self.cores.as_mut();
        let found = found.map(|cores| cores.minimal(self.pool, &always, &conditions, self.budget));
        let positions = match found {
            Some(Ok(positions)) => positions,
            // The core holds by the laws of the solver, but is not confirmed.
            None | Some(Err(NoCore::Unknown(_))) => (0..named.len()).collect(),
            Some(Err(NoCore::Satisfiable)) => {
                return error(self.output, "the core of the last check does not hold");
            }
        };
        let names: Vec<_> = positions.iter().map(|at| quoted(&named[*at].1)).collect();
        writeln!(self.output, "({})", names.join(" "))
    }

    fn interpolant(&mut self, a: &[ExprId], b: &[ExprId]) -> fmt::Result {
        if !matches!(self.answers.last(), Some(Answer::Unsat(_))) {
            return error(
                self.output,
                "there is no interpolant: the last check was not unsat",
            );
        }
        if self.interpolator.is_none() {
            match Interpolator::new() {
                Ok(new) => self.interpolator = Some(new),
                Err(missing) => return error(self.output, &missing.to_string()),
            }
        }
        let Some(interpolator) = &mut self.interpolator else {
            return Ok(());
        };
        let found = interpolator.interpolate(self.pool, a, b, self.budget);
        let term = found.map(|interpolant| {
            smtlib_term(self.pool, interpolant, &|symbol| {
                name(self.declarations, symbol)
            })
        });
        match term {
            Ok(Some(term)) => writeln!(self.output, "{term}"),
            Ok(None) => error(
                self.output,
                "the interpolant has floats or functions: it cannot be shown",
            ),
            Err(NoInterpolant::Satisfiable) => error(
                self.output,
                "there is no interpolant: the two parts do not contradict each other",
            ),
            Err(NoInterpolant::Unknown(reason)) => {
                error(self.output, &format!("no interpolant was found: {reason}"))
            }
        }
    }
}

/// A declared constant as a term: `Bool` if it has one bit.
fn name(declarations: &[Declaration], symbol: Symbol) -> String {
    let declaration = declarations.iter().find(|known| known.symbol == symbol);
    match declaration {
        Some(known) if known.sort == Sort::Bits(1) => format!("(= {} #b1)", quoted(&known.name)),
        Some(known) => quoted(&known.name),
        None => symbol.to_string(),
    }
}

fn error(output: &mut dyn Write, message: &str) -> fmt::Result {
    writeln!(output, "(error \"{}\")", message.replace('"', "\"\""))
}

fn write_answer(output: &mut dyn Write, answer: &Answer) -> fmt::Result {
    match answer {
        Answer::Sat(_) => writeln!(output, "sat"),
        Answer::Unsat(_) => writeln!(output, "unsat"),
        Answer::Unknown(reason) => writeln!(output, "unknown ; {reason}"),
    }
}

fn write_no_model(output: &mut dyn Write) -> fmt::Result {
    error(output, "there is no model: the last check was not sat")
}

/// A name between bars where it needs them. Terms stay as they are.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if name.starts_with('(')
        || name.starts_with('|')
        || (name.chars().all(is_plain) && !name.is_empty())
    {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

fn write_model<'a>(
    output: &mut dyn Write,
    declarations: impl Iterator<Item = &'a Declaration>,
    values: Option<&Assignment>,
) -> fmt::Result {
    let Some(values) = values else {
        return write_no_model(output);
    };
    writeln!(output, "(")?;
    for Declaration { name, symbol, sort } in declarations {
        let name = quoted(name);
        let value = sort.show(values.get(*symbol));
        writeln!(output, "  (define-fun {name} () {sort} {value})")?;
    }
    writeln!(output, ")")
}

//! Running a script: its commands against a solver, the replies as SMT-LIB writes them.

use std::fmt::{self, Write};

use labrys_expr::Evaluator;

use super::{Command, Declaration, Script};
use crate::query::{Answer, Assignment, Budget, Query, Solver};

impl Script {
    /// Runs the commands in order and writes the replies; returns the answers to the checks.
    ///
    /// # Errors
    /// If the replies cannot be written.
    pub fn run(
        &mut self,
        solver: &mut dyn Solver,
        budget: &Budget,
        output: &mut dyn Write,
    ) -> Result<Vec<Answer>, fmt::Error> {
        let hint = Assignment::new();
        let mut answers = Vec::new();
        for command in std::mem::take(&mut self.commands) {
            let values = match answers.last() {
                Some(Answer::Sat(model)) => Some(hint.with(model)),
                _ => None,
            };
            match &command {
                Command::CheckSat(conditions) => {
                    let answer = solver.check(&mut Query {
                        pool: &mut self.pool,
                        constraints: conditions.clone(),
                        hint: &hint,
                        budget: budget.clone(),
                    });
                    write_answer(output, &answer)?;
                    answers.push(answer);
                }
                Command::GetModel(live) => {
                    let live = live.iter().map(|at| &self.declarations[*at]);
                    write_model(output, live, values.as_ref())?;
                }
                Command::GetCore(names) => write_core(output, names, answers.last())?,
                Command::Reply(text) => writeln!(output, "{text}")?,
                Command::GetValue(terms) => self.write_values(output, terms, values.as_ref())?,
                Command::Echo(text) => writeln!(output, "{text}")?,
            }
            self.commands.push(command);
        }
        Ok(answers)
    }

    fn write_values(
        &self,
        output: &mut dyn Write,
        terms: &[(String, labrys_expr::ExprId, super::Sort)],
        values: Option<&Assignment>,
    ) -> fmt::Result {
        let Some(values) = values else {
            return write_no_model(output);
        };
        let mut evaluator = Evaluator::new();
        let mut texts = Vec::new();
        for (source, id, sort) in terms {
            let value = evaluator.evaluate(&self.pool, *id, values);
            let text = value.map_or("unknown".into(), |value| sort.show(value.bits()));
            texts.push(format!("({source} {text})"));
        }
        writeln!(output, "({})", texts.join("\n "))
    }
}

fn write_answer(output: &mut dyn Write, answer: &Answer) -> fmt::Result {
    match answer {
        Answer::Sat(_) => writeln!(output, "sat"),
        Answer::Unsat(_) => writeln!(output, "unsat"),
        Answer::Unknown(reason) => writeln!(output, "unknown ; {reason}"),
    }
}

fn write_no_model(output: &mut dyn Write) -> fmt::Result {
    writeln!(
        output,
        "(error \"there is no model: the last check was not sat\")"
    )
}

fn write_core(
    output: &mut dyn Write,
    names: &[(usize, String)],
    answer: Option<&Answer>,
) -> fmt::Result {
    let Some(Answer::Unsat(core)) = answer else {
        return writeln!(
            output,
            "(error \"there is no core: the last check was not unsat\")"
        );
    };
    let names = names.iter().filter(|(at, _)| core.0.contains(at));
    let names: Vec<_> = names.map(|(_, name)| quoted(name)).collect();
    writeln!(output, "({})", names.join(" "))
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

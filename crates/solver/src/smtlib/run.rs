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
                Command::GetModel => write_model(output, &self.declarations, values.as_ref())?,
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

fn write_model(
    output: &mut dyn Write,
    declarations: &[Declaration],
    values: Option<&Assignment>,
) -> fmt::Result {
    let Some(values) = values else {
        return write_no_model(output);
    };
    writeln!(output, "(")?;
    for Declaration { name, symbol, sort } in declarations {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
        let bars = if name.chars().all(is_plain) && !name.is_empty() {
            ""
        } else {
            "|"
        };
        let value = sort.show(values.get(*symbol));
        writeln!(
            output,
            "  (define-fun {bars}{name}{bars} () {sort} {value})"
        )?;
    }
    writeln!(output, ")")
}

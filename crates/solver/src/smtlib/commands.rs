//! The commands of a script, in order.

use labrys_expr::{ExprId, Symbol};

use super::sorts::{Sort, Term};
use super::syntax::{Form, Part, Syntax};
use super::terms::{Macro, Meaning, Names, Reader};
use super::{Command, Declaration, Error, Script};

/// Reads a script.
///
/// # Errors
/// If the script is malformed, or uses what is not supported.
pub fn read(text: &str) -> Result<Script, Error> {
    let syntax = Syntax::read(text)?;
    let mut state = State {
        syntax: &syntax,
        script: Script::default(),
        names: Names::default(),
        assertions: Vec::new(),
        levels: Vec::new(),
        done: false,
    };
    for part in &syntax.top {
        state.command(*part)?;
        if state.done {
            break;
        }
    }
    Ok(state.script)
}

struct State<'a> {
    syntax: &'a Syntax<'a>,
    script: Script,
    names: Names,
    assertions: Vec<ExprId>,
    /// Numbers of assertions at which levels were opened.
    levels: Vec<usize>,
    done: bool,
}

impl State<'_> {
    fn command(&mut self, part: Part) -> Result<(), Error> {
        let syntax = self.syntax;
        let Some([head, arguments @ ..]) = syntax.list(part) else {
            return Err(syntax.error(part, "a command expected"));
        };
        let Some(name) = syntax.symbol(*head) else {
            return Err(syntax.error(*head, "the name of a command expected"));
        };
        match (name, arguments) {
            ("set-logic" | "set-option" | "set-info" | "get-info" | "get-option", _) => Ok(()),
            ("exit", _) => {
                self.done = true;
                Ok(())
            }
            ("declare-const", &[name, sort]) => self.declare(name, &[], sort),
            ("declare-fun", &[name, parameters, sort]) => {
                let parameters = syntax.list(parameters).unwrap_or(&[]);
                self.declare(name, parameters, sort)
            }
            ("define-const", &[name, sort, body]) => self.define(name, &[], sort, body),
            ("define-fun", &[name, parameters, sort, body]) => {
                let Some(parameters) = syntax.list(parameters) else {
                    return Err(syntax.error(parameters, "a list of parameters expected"));
                };
                self.define(name, parameters, sort, body)
            }
            ("assert", &[term]) => {
                let condition = self.condition(term)?;
                self.assertions.push(condition);
                Ok(())
            }
            ("check-sat", []) => self.check(&[]),
            ("check-sat-assuming", &[assumptions]) => {
                let assumptions = syntax.list(assumptions).unwrap_or(&[]);
                self.check(assumptions)
            }
            ("push" | "pop", _) => self.level(part, name, arguments),
            ("get-model", []) => self.add(Command::GetModel),
            ("get-value", &[terms]) => self.get_value(terms),
            ("echo", &[text]) => match syntax.form(text) {
                Form::Text(text) => self.add(Command::Echo(text.clone())),
                _ => Err(syntax.error(text, "a string expected")),
            },
            ("reset-assertions", []) => {
                self.assertions.clear();
                self.levels.clear();
                Ok(())
            }
            _ => Err(syntax.error(*head, format!("the command {name} is not supported so"))),
        }
    }

    fn add(&mut self, command: Command) -> Result<(), Error> {
        self.script.commands.push(command);
        Ok(())
    }

    /// A name that is free.
    fn new_name(&self, part: Part) -> Result<String, Error> {
        let Some(name) = self.syntax.symbol(part) else {
            return Err(self.syntax.error(part, "a name expected"));
        };
        if self.names.globals.contains_key(name) {
            return Err(self
                .syntax
                .error(part, format!("{name} is declared already")));
        }
        Ok(name.to_owned())
    }

    fn declare(&mut self, name: Part, parameters: &[Part], sort: Part) -> Result<(), Error> {
        let name = self.new_name(name)?;
        let sort = Sort::read(self.syntax, sort)?;
        let meaning = if parameters.is_empty() {
            let id = self.script.declarations.len() as u32;
            let symbol = Symbol::Named {
                id,
                width: sort.width() as u8,
            };
            let declaration = Declaration {
                name: name.clone(),
                symbol,
                sort,
            };
            self.script.declarations.push(declaration);
            Meaning::Term(Term::Value(self.script.pool.symbol(symbol), sort))
        } else {
            let read = |part: &Part| Sort::read(self.syntax, *part);
            let parameters = parameters.iter().map(read).collect::<Result<_, _>>()?;
            Meaning::Function {
                parameters,
                result: sort,
            }
        };
        self.names.globals.insert(name, meaning);
        Ok(())
    }

    fn define(
        &mut self,
        name: Part,
        parameters: &[Part],
        sort: Part,
        body: Part,
    ) -> Result<(), Error> {
        let name = self.new_name(name)?;
        let result = Sort::read(self.syntax, sort)?;
        let (mut symbols, mut bound) = (Vec::new(), Vec::new());
        for parameter in parameters {
            let Some(&[name, sort]) = self.syntax.list(*parameter) else {
                return Err(self.syntax.error(*parameter, "a name and a sort expected"));
            };
            let Some(name) = self.syntax.symbol(name) else {
                return Err(self.syntax.error(name, "a name expected"));
            };
            let sort = Sort::read(self.syntax, sort)?;
            // Numbers from the top never meet those of declarations.
            let (id, width) = (u32::MAX - symbols.len() as u32, sort.width() as u8);
            let symbol = Symbol::Named { id, width };
            symbols.push((symbol, sort));
            bound.push((
                name.to_owned(),
                Term::Value(self.script.pool.symbol(symbol), sort),
            ));
        }
        self.names.open(bound);
        let body_value = self.value(body);
        self.names.close();
        let (id, found) = body_value?;
        if found != result {
            return Err(self
                .syntax
                .error(body, format!("{result} expected, not {found}")));
        }
        let meaning = if parameters.is_empty() {
            Meaning::Term(Term::Value(id, found))
        } else {
            Meaning::Macro(Macro {
                parameters: symbols,
                body: id,
                result,
            })
        };
        self.names.globals.insert(name, meaning);
        Ok(())
    }

    fn value(&mut self, part: Part) -> Result<(ExprId, Sort), Error> {
        Reader::new(self.syntax, &mut self.script.pool, &mut self.names).value(part)
    }

    fn condition(&mut self, part: Part) -> Result<ExprId, Error> {
        match self.value(part)? {
            (id, Sort::Bool) => Ok(id),
            (_, sort) => Err(self
                .syntax
                .error(part, format!("Bool expected, not {sort}"))),
        }
    }

    fn check(&mut self, assumptions: &[Part]) -> Result<(), Error> {
        let mut conditions = self.assertions.clone();
        for assumption in assumptions {
            conditions.push(self.condition(*assumption)?);
        }
        self.add(Command::CheckSat(conditions))
    }

    fn level(&mut self, part: Part, name: &str, arguments: &[Part]) -> Result<(), Error> {
        let count = match arguments {
            [] => Some(1),
            [count] => self.syntax.numeral(*count),
            _ => None,
        };
        let Some(count) = count else {
            return Err(self.syntax.error(part, "a number of levels expected"));
        };
        for _ in 0..count {
            if name == "push" {
                self.levels.push(self.assertions.len());
            } else {
                let Some(length) = self.levels.pop() else {
                    return Err(self.syntax.error(part, "a level that nothing opened"));
                };
                self.assertions.truncate(length);
            }
        }
        Ok(())
    }

    fn get_value(&mut self, terms: Part) -> Result<(), Error> {
        let Some(terms) = self.syntax.list(terms) else {
            return Err(self.syntax.error(terms, "a list of terms expected"));
        };
        let mut values = Vec::new();
        for term in terms {
            let (id, sort) = self.value(*term)?;
            values.push((self.syntax.source(*term).to_owned(), id, sort));
        }
        self.add(Command::GetValue(values))
    }
}

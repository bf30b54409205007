//! The commands of a script, in order.

use labrys_expr::{ExprId, Symbol};

use super::sorts::{Sort, Term};
use super::syntax::{Form, Part, Syntax};
use super::terms::{Macro, Meaning, Names, TermReader};
use super::{Command, Declaration, DefinedConstant, Error, Script};

/// Reads a script.
///
/// # Errors
/// If the script is malformed, or uses what is not supported.
pub fn read(text: &str) -> Result<Script, Error> {
    match read_partly(text) {
        (script, None) => Ok(script),
        (_, Some(error)) => Err(error),
    }
}

/// Reads a script up to the first command that is wrong, if there is one.
#[must_use]
pub fn read_partly(text: &str) -> (Script, Option<Error>) {
    let syntax = match Syntax::read(text) {
        Ok(syntax) => syntax,
        Err(error) => return (Script::default(), Some(error)),
    };
    let mut state = State {
        syntax: &syntax,
        script: Script::default(),
        names: Names::default(),
        assertions: Vec::new(),
        levels: Vec::new(),
        live: Vec::new(),
        globals: Vec::new(),
        named: Vec::new(),
        assumed: Vec::new(),
        checked: Vec::new(),
        keeps_names: false,
        done: false,
    };
    for part in &syntax.top {
        if let Err(error) = state.command(*part) {
            return (state.script, Some(error));
        }
        if state.done {
            break;
        }
    }
    (state.script, None)
}

/// A condition that must hold, and its name.
struct Assertion {
    id: ExprId,
    name: Option<String>,
}

/// What is dropped where a level ends: all after these many.
struct Level {
    assertions: usize,
    live: usize,
    globals: usize,
}

struct State<'a> {
    syntax: &'a Syntax<'a>,
    script: Script,
    names: Names,
    assertions: Vec<Assertion>,
    levels: Vec<Level>,
    /// The declarations that hold, by position.
    live: Vec<usize>,
    /// The names that were entered, in order.
    globals: Vec<String>,
    /// Of the last check: positions and names of conditions that have one, of assumptions.
    named: Vec<(usize, String)>,
    assumed: Vec<(usize, String)>,
    /// The conditions of the last check.
    checked: Vec<ExprId>,
    /// Declarations stay where a level ends.
    keeps_names: bool,
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
            ("set-option", &[option, value]) => {
                let is_global = |form: &Form| matches!(form, Form::Keyword(key) if key == ":global-declarations");
                if is_global(syntax.form(option)) {
                    self.keeps_names = syntax.symbol(value) == Some("true");
                }
                Ok(())
            }
            ("set-info", &[key, value]) => {
                if let (Form::Keyword(key), Form::Text(text)) =
                    (syntax.form(key), syntax.form(value))
                {
                    self.script.infos.push((key.clone(), text.clone()));
                }
                Ok(())
            }
            ("set-logic" | "set-option" | "set-info", _) => Ok(()),
            ("get-info", &[what]) => self.info(what),
            ("get-option", &[_]) => self.add(Command::Reply("unsupported".into())),
            ("exit", _) => {
                self.done = true;
                Ok(())
            }
            ("push" | "pop", _) => self.level(part, name, arguments),
            ("reset" | "reset-assertions", []) => {
                self.reset(name == "reset");
                Ok(())
            }
            ("assert", &[term]) => self.assert(term),
            ("check-sat", []) => self.check(&[]),
            ("check-sat-assuming", &[assumptions]) => {
                let assumptions = syntax.list(assumptions).unwrap_or(&[]);
                self.check(assumptions)
            }
            ("echo", &[text]) => match syntax.form(text) {
                Form::Text(text) => self.add(Command::Echo(text.clone())),
                _ => Err(syntax.error(text, "a string expected")),
            },
            _ if name.starts_with("get-") => self.question(*head, name, arguments),
            _ => self.definition(*head, name, arguments),
        }
    }

    /// A command that asks about the last check.
    fn question(&mut self, head: Part, name: &str, arguments: &[Part]) -> Result<(), Error> {
        match (name, arguments) {
            ("get-model", []) => self.add(Command::GetModel(self.live.clone())),
            ("get-unsat-core", []) => self.add(Command::GetCore(self.named.clone())),
            ("get-unsat-assumptions", []) => self.add(Command::GetCore(self.assumed.clone())),
            ("get-value", &[terms]) => self.get_value(terms),
            ("get-interpolant", &[terms]) => self.get_interpolant(terms),
            _ => Err(self.unsupported(head, name)),
        }
    }

    /// A command that gives a name a meaning.
    fn definition(&mut self, head: Part, command: &str, arguments: &[Part]) -> Result<(), Error> {
        let syntax = self.syntax;
        match (command, arguments) {
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
            _ => Err(self.unsupported(head, command)),
        }
    }

    fn unsupported(&self, head: Part, name: &str) -> Error {
        let message = format!("the command {name} is not supported so");
        self.syntax.error(head, message)
    }

    /// Drops the assertions, and the names too where everything is to go.
    fn reset(&mut self, everything: bool) {
        self.assertions.clear();
        self.levels.clear();
        if everything {
            self.live.clear();
            self.globals.clear();
            self.names = Names::default();
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
            self.live.push(self.script.declarations.len());
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
        self.enter(name, meaning);
        Ok(())
    }

    /// Enters a name at the present level.
    fn enter(&mut self, name: String, meaning: Meaning) {
        self.globals.push(name.clone());
        self.names.globals.insert(name, meaning);
    }

    /// Asserts a term, which may have a name: `(! term :named name)`.
    fn assert(&mut self, part: Part) -> Result<(), Error> {
        let id = self.condition(part)?;
        let mut name = None;
        if let Some([head, _, attributes @ ..]) = self.syntax.list(part)
            && self.syntax.symbol(*head) == Some("!")
        {
            for pair in attributes.chunks(2) {
                let &[attribute, value] = pair else { continue };
                let is_name = |form: &Form| matches!(form, Form::Keyword(key) if key == ":named");
                if is_name(self.syntax.form(attribute)) {
                    let new = self.new_name(value)?;
                    self.enter(new.clone(), Meaning::Term(Term::Value(id, Sort::Bool)));
                    name = Some(new);
                }
            }
        }
        self.assertions.push(Assertion { id, name });
        Ok(())
    }

    fn info(&mut self, what: Part) -> Result<(), Error> {
        let reply = match self.syntax.form(what) {
            Form::Keyword(key) if key == ":name" => "(:name \"labrys\")".into(),
            Form::Keyword(key) if key == ":version" => {
                format!("(:version \"{}\")", env!("CARGO_PKG_VERSION"))
            }
            Form::Keyword(key) if key == ":error-behavior" => {
                "(:error-behavior immediate-exit)".into()
            }
            Form::Keyword(_) => "unsupported".into(),
            _ => return Err(self.syntax.error(what, "a keyword expected")),
        };
        self.add(Command::Reply(reply))
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
            self.script.definitions.push(DefinedConstant {
                name: name.clone(),
                value: id,
                sort: found,
            });
            Meaning::Term(Term::Value(id, found))
        } else {
            Meaning::Macro(Macro {
                parameters: symbols,
                body: id,
                result,
            })
        };
        self.enter(name, meaning);
        Ok(())
    }

    fn value(&mut self, part: Part) -> Result<(ExprId, Sort), Error> {
        TermReader::new(self.syntax, &mut self.script.pool, &mut self.names).value(part)
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
        let assertions = self.assertions.iter();
        let mut conditions: Vec<_> = assertions.map(|assertion| assertion.id).collect();
        let named = self.assertions.iter().enumerate();
        self.named = named
            .filter_map(|(at, assertion)| Some((at, assertion.name.clone()?)))
            .collect();
        self.assumed.clear();
        for assumption in assumptions {
            let source = self.syntax.source(*assumption).to_owned();
            self.assumed.push((conditions.len(), source));
            conditions.push(self.condition(*assumption)?);
        }
        self.checked.clone_from(&conditions);
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
                self.levels.push(Level {
                    assertions: self.assertions.len(),
                    live: self.live.len(),
                    globals: self.globals.len(),
                });
            } else {
                let Some(level) = self.levels.pop() else {
                    return Err(self.syntax.error(part, "a level that nothing opened"));
                };
                self.assertions.truncate(level.assertions);
                if self.keeps_names {
                    continue;
                }
                self.live.truncate(level.live);
                for name in self.globals.drain(level.globals..) {
                    self.names.globals.remove(&name);
                }
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

    /// The interpolant of some conditions of the last check, by name or as they were asserted, and the
    /// others.
    fn get_interpolant(&mut self, terms: Part) -> Result<(), Error> {
        let Some(terms) = self.syntax.list(terms) else {
            return Err(self.syntax.error(terms, "a list of assertions expected"));
        };
        let mut first = Vec::new();
        for term in terms {
            let id = self.condition(*term)?;
            if !self.checked.contains(&id) {
                let message = "an assertion of the last check expected";
                return Err(self.syntax.error(*term, message));
            }
            first.push(id);
        }
        let others = self.checked.iter().filter(|id| !first.contains(id));
        let others = others.copied().collect();
        self.add(Command::GetInterpolant(first, others))
    }
}

//! Parses the tables of a program and the heads of its functions.

use std::str::FromStr;

use super::{Named, Parser, Result};
use crate::text::lex::{ParseError, tokens};
use crate::{
    Aggregate, BlockId, Caveat, Field, ForeignType, Function, FunctionId, Global, Initializer,
    Linkage, Parameter, Program, Relocation, RelocationTarget, Shape, SiteKind, Started,
};

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser::new(tokens(text)?)?;
        while parser.peek().is_some() {
            parser.item()?;
        }
        parser.finish()
    }
}

impl Parser {
    fn item(&mut self) -> Result<()> {
        match self.word()?.as_str() {
            "program" => self.program.name = self.string()?,
            "hash" => self.program.bitcode_hash = self.hash()?,
            "file" => {
                let path = self.string()?;
                if self.tables.file(&path).0 != self.files {
                    return self.fail("files must be distinct");
                }
                self.files += 1;
            }
            "caveat" => {
                let name = self.string()?;
                match Caveat::from_name(&name) {
                    Some(caveat) => self.program.caveats.push(caveat),
                    None => return self.fail("no such caveat"),
                }
            }
            "aggregate" => self.aggregate()?,
            "foreign" => self.foreign()?,
            "global" => {
                let global = self.global()?;
                self.program.globals.push(global);
            }
            "define" => {
                let mut function = self.head(true)?;
                self.body(&mut function)?;
                self.program.functions.push(function);
            }
            "declare" => {
                let function = self.head(false)?;
                self.program.functions.push(function);
            }
            "site" => self.site()?,
            word => return self.fail(format!("`{word}` begins no item")),
        }
        Ok(())
    }

    fn hash(&mut self) -> Result<[u8; 32]> {
        let digits = self.string()?;
        let bytes: Option<Vec<u8>> = digits
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let pair = std::str::from_utf8(pair).ok()?;
                u8::from_str_radix(pair, 16).ok()
            })
            .collect();
        match bytes.and_then(|bytes| bytes.try_into().ok()) {
            Some(hash) => Ok(hash),
            None => self.fail("expected 64 hexadecimal digits"),
        }
    }

    fn aggregate(&mut self) -> Result<()> {
        let given = self.numbered('a')?;
        self.expect('=')?;
        let kind = self.word()?;
        let size = self.number()?;
        self.expect('[')?;
        let shape = match kind.as_str() {
            "struct" => Shape::Struct(self.until(']', |parser| {
                Ok(Field {
                    offset: parser.number()?,
                    ty: parser.ty()?,
                })
            })?),
            "array" => {
                let length = self.number()?;
                if !self.eat_word("x") {
                    return self.fail("expected `x`");
                }
                let element = self.ty()?;
                self.expect(']')?;
                Shape::Array { element, length }
            }
            _ => return self.fail("expected `struct` or `array`"),
        };
        let id = self.tables.aggregate(Aggregate { size, shape });
        if id.0 != given {
            return self.fail("aggregates must be distinct and numbered in order");
        }
        Ok(())
    }

    fn foreign(&mut self) -> Result<()> {
        let given = self.numbered('x')?;
        self.expect('=')?;
        let foreign = ForeignType {
            name: self.string()?,
            size: self.number()?,
        };
        let id = self.tables.foreign_type(foreign);
        if id.0 != given {
            return self.fail("foreign types must be distinct and numbered in order");
        }
        Ok(())
    }

    fn linkage(&mut self) -> Result<Linkage> {
        let word = self.word()?;
        let all = [Linkage::External, Linkage::Internal, Linkage::Weak];
        match all.into_iter().find(|linkage| linkage.name() == word) {
            Some(linkage) => Ok(linkage),
            None => self.fail("expected `external`, `internal` or `weak`"),
        }
    }

    fn global(&mut self) -> Result<Global> {
        let name = self.symbol()?;
        let linkage = self.linkage()?;
        let constant = self.eat_word("constant");
        let thread_local = self.eat_word("thread_local");
        let size = self.number()?;
        if !self.eat_word("align") {
            return self.fail("expected `align`");
        }
        let align = self.number()?;
        let initializer = if self.eat('=') {
            let bytes = self.text()?;
            self.expect('[')?;
            Some(Initializer {
                bytes,
                relocations: self.until(']', Self::relocation)?,
            })
        } else {
            None
        };
        Ok(Global {
            name,
            linkage,
            constant,
            thread_local,
            size,
            align,
            initializer,
        })
    }

    fn relocation(&mut self) -> Result<Relocation> {
        let offset = self.number()?;
        if self.eat_word("opaque") {
            return Ok(Relocation {
                offset,
                target: RelocationTarget::Opaque(self.number()?),
            });
        }
        let named = self.named()?;
        self.expect('+')?;
        let addend = self.number()?;
        let target = match named {
            Named::Global(id) => RelocationTarget::Global(id, addend),
            Named::Function(id) => RelocationTarget::Function(id, addend),
        };
        Ok(Relocation { offset, target })
    }

    fn head(&mut self, defined: bool) -> Result<Function> {
        let result = self.ty()?;
        let name = self.symbol()?;
        let mut function = Function {
            name,
            defined,
            result,
            ..Function::default()
        };
        self.expect('(')?;
        if !self.eat(')') {
            loop {
                if self.eat_word("...") {
                    function.variadic = true;
                    self.expect(')')?;
                    break;
                }
                let ty = self.ty()?;
                let id = self.numbered('v')?;
                let by_value = if self.eat_word("byval") {
                    Some(self.number()?)
                } else {
                    None
                };
                if function.push_parameter(Parameter { ty, by_value }).0 != id {
                    return self.fail("parameters must be numbered in order");
                }
                if self.eat(')') {
                    break;
                }
                self.expect(',')?;
            }
        }
        function.linkage = self.linkage()?;
        function.address_taken = self.eat_word("address_taken");
        function.noreturn = self.eat_word("noreturn");
        function.returns_twice = self.eat_word("returns_twice");
        for started in [Started::Before, Started::After] {
            if started.name().is_some_and(|word| self.eat_word(word)) {
                function.started = started;
            }
        }
        function.location = self.place()?;
        Ok(function)
    }

    fn site(&mut self) -> Result<()> {
        self.expect('#')?;
        let given: u32 = self.number()?;
        let kind = match self.word()?.as_str() {
            "branch" => SiteKind::Branch,
            "select" => SiteKind::Select,
            "switch" => {
                let width = self.number()?;
                self.expect('[')?;
                SiteKind::Switch {
                    width,
                    cases: self.until(']', Self::number)?,
                }
            }
            _ => return self.fail("expected `branch`, `switch` or `select`"),
        };
        let function = FunctionId(self.numbered('f')?);
        let block = BlockId(self.numbered('b')?);
        let oracle = self.eat_word("oracle");
        let location = self.place()?;
        if self.program.sites.len() != given as usize {
            return self.fail("sites must be numbered in order");
        }
        self.program
            .push_site(kind, function, block, location, oracle);
        Ok(())
    }
}

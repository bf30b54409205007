//! The parser: its position in the tokens, what it may take there, types, operands and constants.

mod body;
mod program;

use rustc_hash::FxHashMap;

use super::lex::{ParseError, Token};
use crate::{
    AggregateId, BinaryOperator, Cast, Constant, ConstantId, FileId, ForeignId, FunctionId,
    GlobalId, Location, MAX_CONSTANT_DEPTH, Opaque, Operand, Program, Tables, Type, ValueId,
};

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// What a symbol names.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Global(GlobalId),
    Function(FunctionId),
}

/// Where the numbers of sites come from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Numbering {
    /// No site seen.
    Unknown,
    /// From the text.
    Given,
    /// From the order; how many were seen.
    Counted(u32),
}

pub(super) struct Parser {
    tokens: Vec<(u32, Token)>,
    at: usize,
    symbols: FxHashMap<String, Named>,
    pub(super) tables: Tables,
    pub(super) numbering: Numbering,
    pub(super) program: Program,
    /// Files seen.
    pub(super) files: u32,
}

impl Parser {
    /// A parser that knows all symbols, so that they may be used before their definition.
    pub(super) fn new(tokens: Vec<(u32, Token)>) -> Result<Self> {
        let mut symbols = FxHashMap::default();
        let (mut globals, mut functions) = (0, 0);
        for (index, (line, token)) in tokens.iter().enumerate() {
            let Token::Word(word) = token else { continue };
            let distance = match word.as_str() {
                "global" => 1,
                "declare" | "define" => 2,
                _ => continue,
            };
            let Some((_, Token::Symbol(name))) = tokens.get(index + distance) else {
                continue;
            };
            let named = if distance == 1 {
                globals += 1;
                Named::Global(GlobalId(globals - 1))
            } else {
                functions += 1;
                Named::Function(FunctionId(functions - 1))
            };
            if symbols.insert(name.clone(), named).is_some() {
                return Err(ParseError {
                    line: *line,
                    message: format!("@{name} is there twice"),
                });
            }
        }
        Ok(Self {
            tokens,
            at: 0,
            symbols,
            tables: Tables::new(),
            numbering: Numbering::Unknown,
            program: Program::default(),
            files: 0,
        })
    }

    pub(super) fn finish(self) -> Result<Program> {
        let mut program = self.program;
        self.tables.finish(&mut program);
        if matches!(self.numbering, Numbering::Counted(_)) {
            if !program.sites.is_empty() {
                let message = "site lines, but sites without numbers".to_owned();
                return Err(ParseError { line: 1, message });
            }
            program.sites = program.derived_sites();
        }
        Ok(program)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        let last = self.tokens.len().saturating_sub(1);
        let line = self
            .tokens
            .get(self.at.min(last))
            .map_or(1, |(line, _)| *line);
        Err(ParseError {
            line,
            message: message.into(),
        })
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(_, token)| token)
    }

    pub(super) fn advance(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes a character if it is next.
    pub(super) fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    /// Takes a word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(next)) if next == word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<()> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.fail(format!("expected `{mark}`"))
        }
    }

    pub(super) fn word(&mut self) -> Result<String> {
        match self.peek() {
            Some(Token::Word(_)) => match self.advance() {
                Some(Token::Word(word)) => Ok(word),
                _ => self.fail("expected a word"),
            },
            _ => self.fail("expected a word"),
        }
    }

    pub(super) fn text(&mut self) -> Result<Vec<u8>> {
        match self.peek() {
            Some(Token::Text(_)) => match self.advance() {
                Some(Token::Text(text)) => Ok(text),
                _ => self.fail("expected quotes"),
            },
            _ => self.fail("expected quotes"),
        }
    }

    pub(super) fn string(&mut self) -> Result<String> {
        String::from_utf8(self.text()?).or_else(|_| self.fail("not UTF-8"))
    }

    /// A number that fits the required type.
    pub(super) fn number<T: TryFrom<u128> + TryFrom<i128>>(&mut self) -> Result<T> {
        let Some(&Token::Number(negative, magnitude)) = self.peek() else {
            return self.fail("expected a number");
        };
        let number = if negative {
            let value = i128::try_from(magnitude).ok().map(|value| -value);
            value.and_then(|value| T::try_from(value).ok())
        } else {
            T::try_from(magnitude).ok()
        };
        match number {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => self.fail("number out of range"),
        }
    }

    pub(super) fn symbol(&mut self) -> Result<String> {
        match self.peek() {
            Some(Token::Symbol(_)) => match self.advance() {
                Some(Token::Symbol(name)) => Ok(name),
                _ => self.fail("expected a symbol"),
            },
            _ => self.fail("expected a symbol"),
        }
    }

    /// What the next symbol names.
    pub(super) fn named(&mut self) -> Result<Named> {
        let name = self.symbol()?;
        match self.symbols.get(&name) {
            Some(named) => Ok(*named),
            None => self.fail(format!("unknown symbol @{name}")),
        }
    }

    /// The number of an id such as `b12` with this letter.
    pub(super) fn numbered(&mut self, letter: char) -> Result<u32> {
        let word = self.word()?;
        match word
            .strip_prefix(letter)
            .and_then(|digits| digits.parse().ok())
        {
            Some(number) => Ok(number),
            None => self.fail(format!("expected `{letter}` and a number")),
        }
    }

    /// Items between the opening mark, already taken, and the closing one, with commas.
    pub(super) fn until<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(',')?;
        }
    }

    /// A place, if one is next.
    pub(super) fn place(&mut self) -> Result<Option<Location>> {
        if !self.eat('!') {
            return Ok(None);
        }
        let file = FileId(self.number()?);
        self.expect(':')?;
        let line = self.number()?;
        self.expect(':')?;
        let column = self.number()?;
        Ok(Some(Location { file, line, column }))
    }

    pub(super) fn ty(&mut self) -> Result<Type> {
        let word = self.word()?;
        match parse_type(&word) {
            Some(ty) => Ok(ty),
            None => self.fail(format!("`{word}` is no type")),
        }
    }

    pub(super) fn operand(&mut self) -> Result<Operand> {
        let word = match self.peek() {
            Some(Token::Word(word)) => word.strip_prefix('v'),
            _ => None,
        };
        if let Some(number) = word.and_then(|digits| digits.parse().ok()) {
            self.advance();
            return Ok(Operand::Value(ValueId(number)));
        }
        Ok(Operand::Constant(self.constant(0)?))
    }

    /// Constants are interned children first, left to right: the order of ids.
    fn constant(&mut self, depth: u32) -> Result<ConstantId> {
        if depth > MAX_CONSTANT_DEPTH {
            return self.fail("constant nested too deeply");
        }
        let constant = if matches!(self.peek(), Some(Token::Symbol(_))) {
            match self.named()? {
                Named::Global(id) => Constant::Global(id),
                Named::Function(id) => Constant::Function(id),
            }
        } else if self.eat('{') {
            let aggregate = AggregateId(self.numbered('a')?);
            let elements = if self.eat('}') {
                Vec::new()
            } else {
                self.until('}', |parser| parser.constant(depth + 1))?
            };
            Constant::Aggregate {
                aggregate,
                elements,
            }
        } else {
            let word = self.word()?;
            self.named_constant(&word, depth)?
        };
        Ok(self.tables.constant(constant))
    }

    /// A constant that begins with a word.
    fn named_constant(&mut self, word: &str, depth: u32) -> Result<Constant> {
        Ok(match word {
            "null" => Constant::Null,
            "float" => Constant::Float(self.number()?),
            "double" => Constant::Double(self.number()?),
            "zero" => Constant::Zero(self.ty()?),
            "undef" => Constant::Undefined(self.ty()?),
            "poison" => Constant::Poison(self.ty()?),
            "opaque" => Constant::Opaque {
                ty: self.ty()?,
                reason: self.reason()?,
            },
            "offset" => {
                self.expect('(')?;
                let base = self.constant(depth + 1)?;
                self.expect(',')?;
                let offset = self.number()?;
                self.expect(')')?;
                Constant::Offset { base, offset }
            }
            _ => {
                if let Some(Type::Int(width)) = parse_type(word) {
                    Constant::Int {
                        width,
                        bits: self.int_bits(width)?,
                    }
                } else if let Some(cast) = Cast::from_name(word) {
                    self.expect('(')?;
                    let value = self.constant(depth + 1)?;
                    self.expect(',')?;
                    let to = self.ty()?;
                    self.expect(')')?;
                    Constant::Cast { cast, to, value }
                } else if let Some(operator) = BinaryOperator::from_name(word) {
                    self.expect('(')?;
                    let left = self.constant(depth + 1)?;
                    self.expect(',')?;
                    let right = self.constant(depth + 1)?;
                    self.expect(')')?;
                    Constant::Binary {
                        operator,
                        left,
                        right,
                    }
                } else {
                    return self.fail(format!("`{word}` begins no constant"));
                }
            }
        })
    }

    /// A number as bits of this width: from the least signed to the greatest unsigned one.
    fn int_bits(&mut self, width: u32) -> Result<u128> {
        let mask = u128::MAX >> (128 - width);
        if let Some(Token::Number(true, magnitude)) = self.peek() {
            let magnitude = *magnitude;
            if magnitude > 1 << (width - 1) {
                return self.fail("number out of range");
            }
            self.advance();
            return Ok(magnitude.wrapping_neg() & mask);
        }
        let bits: u128 = self.number()?;
        if bits & !mask != 0 {
            self.fail("number out of range")
        } else {
            Ok(bits)
        }
    }

    /// The reason of something opaque.
    pub(super) fn reason(&mut self) -> Result<Opaque> {
        let kind = self.word()?;
        let name = if matches!(self.peek(), Some(Token::Text(_))) {
            Some(self.string()?)
        } else {
            None
        };
        match Opaque::from_parts(&kind, name) {
            Some(reason) => Ok(reason),
            None => self.fail(format!("`{kind}` is no reason, or misses a name")),
        }
    }
}

fn parse_type(word: &str) -> Option<Type> {
    let number = |letter: char| word.strip_prefix(letter)?.parse::<u32>().ok();
    match word {
        "void" => Some(Type::Void),
        "float" => Some(Type::Float),
        "double" => Some(Type::Double),
        "ptr" => Some(Type::Pointer),
        _ => number('i')
            .filter(|width| (1..=128).contains(width))
            .map(Type::Int)
            .or_else(|| number('a').map(|id| Type::Aggregate(AggregateId(id))))
            .or_else(|| number('x').map(|id| Type::Foreign(ForeignId(id)))),
    }
}

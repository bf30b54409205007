//! Parses types, operands and constants.

use super::cursor::{Named, Parser, Result};
use super::lex::Token;
use crate::verify::MAX_CONSTANT_DEPTH;
use crate::{
    AggregateId, BinaryOperator, Cast, Constant, ConstantId, ForeignId, Opaque, Operand, Type,
    ValueId,
};

impl Parser {
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

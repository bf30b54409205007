//! Parses the bodies of functions.

use super::{Named, Numbering, Parser, Result};
use crate::text::lex::Token;
use crate::{
    Access, AddressTerm, BinaryOperator, Block, BlockId, Callee, Cast, Comparison, FloatComparison,
    FloatOperator, Function, Instruction, Intrinsic, Operand, Operation, Phi, SiteId, Terminator,
    Type, ValueId,
};

impl Parser {
    /// The blocks of a function, with the braces.
    pub(super) fn body(&mut self, function: &mut Function) -> Result<()> {
        self.expect('{')?;
        while !self.eat('}') {
            if self.numbered('b')? as usize != function.blocks.len() {
                return self.fail("blocks must be numbered in order");
            }
            self.expect(':')?;
            let block = self.block(function)?;
            function.blocks.push(block);
        }
        Ok(())
    }

    fn block(&mut self, function: &mut Function) -> Result<Block> {
        let mut block = Block::default();
        loop {
            let mut word = self.word()?;
            let mut result = None;
            if self.eat(':') {
                let ty = self.ty()?;
                let id = function.push_value(ty);
                if word != id.to_string() {
                    return self.fail(format!("values must be numbered in order: expected {id}"));
                }
                self.expect('=')?;
                word = self.word()?;
                if word == "phi" {
                    if !block.instructions.is_empty() {
                        return self.fail("phis come first");
                    }
                    block.phis.push(self.phi(id)?);
                    continue;
                }
                result = Some((id, ty));
            } else if let Some(terminator) = self.terminator(&word)? {
                block.terminator = terminator;
                block.location = self.place()?;
                return Ok(block);
            }
            let operation = self.operation(&word, result.map(|(_, ty)| ty))?;
            let location = self.place()?;
            let result = result.map(|(id, _)| id);
            block.instructions.push(Instruction {
                result,
                operation,
                location,
            });
        }
    }

    fn phi(&mut self, result: ValueId) -> Result<Phi> {
        self.expect('[')?;
        let incoming = self.until(']', |parser| Ok((parser.block_id()?, parser.operand()?)))?;
        Ok(Phi { result, incoming })
    }

    fn block_id(&mut self) -> Result<BlockId> {
        Ok(BlockId(self.numbered('b')?))
    }

    /// The number of a site, or the next one where the text leaves numbers out.
    fn site_id(&mut self) -> Result<SiteId> {
        let given = self.eat('#');
        match (given, self.numbering) {
            (true, Numbering::Counted(_)) | (false, Numbering::Given) => {
                self.fail("number all sites or none")
            }
            (true, _) => {
                self.numbering = Numbering::Given;
                Ok(SiteId(self.number()?))
            }
            (false, numbering) => {
                let next = if let Numbering::Counted(count) = numbering {
                    count
                } else {
                    0
                };
                self.numbering = Numbering::Counted(next + 1);
                Ok(SiteId(next))
            }
        }
    }

    /// The terminator that begins with this word, if one does.
    fn terminator(&mut self, word: &str) -> Result<Option<Terminator>> {
        Ok(Some(match word {
            "ret" => {
                let ends = matches!(self.peek(), Some(Token::Mark('}' | '!')) | None);
                if ends || self.at_label() {
                    Terminator::Return(None)
                } else {
                    Terminator::Return(Some(self.operand()?))
                }
            }
            "jump" => Terminator::Jump(self.block_id()?),
            "br" => {
                let site = self.site_id()?;
                let condition = self.operand()?;
                self.expect(',')?;
                let if_true = self.block_id()?;
                self.expect(',')?;
                let if_false = self.block_id()?;
                Terminator::Branch {
                    site,
                    condition,
                    if_true,
                    if_false,
                }
            }
            "switch" => {
                let site = self.site_id()?;
                let value = self.operand()?;
                self.expect(',')?;
                let default = self.block_id()?;
                self.expect('[')?;
                let cases = self.until(']', |parser| Ok((parser.number()?, parser.block_id()?)))?;
                Terminator::Switch {
                    site,
                    value,
                    default,
                    cases,
                }
            }
            "unreachable" => Terminator::Unreachable,
            "opaque_jump" => {
                let reason = self.reason()?;
                let operands = self.group()?;
                self.expect('[')?;
                let successors = self.until(']', Self::block_id)?;
                Terminator::Opaque {
                    reason,
                    operands,
                    successors,
                }
            }
            _ => return Ok(None),
        }))
    }

    /// Whether the label of a block is next: a word and a colon.
    fn at_label(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(word)) if word.starts_with('b'))
            && self.peek_second() == Some(&Token::Mark(':'))
    }

    fn operation(&mut self, word: &str, result: Option<Type>) -> Result<Operation> {
        Ok(match word {
            "icmp" => {
                let name = self.word()?;
                let Some(comparison) = Comparison::from_name(&name) else {
                    return self.fail(format!("`{name}` is no comparison"));
                };
                let (left, right) = self.pair()?;
                Operation::Compare {
                    comparison,
                    left,
                    right,
                }
            }
            "fcmp" => {
                let name = self.word()?;
                let Some(comparison) = FloatComparison::from_name(&name) else {
                    return self.fail(format!("`{name}` is no floating comparison"));
                };
                let (left, right) = self.pair()?;
                Operation::FloatCompare {
                    comparison,
                    left,
                    right,
                }
            }
            "fneg" => Operation::FloatNegate(self.operand()?),
            "freeze" => Operation::Freeze(self.operand()?),
            "va_arg" => Operation::VariableArgument(self.operand()?),
            "select" => {
                let site = self.site_id()?;
                let condition = self.operand()?;
                self.expect(',')?;
                let (if_true, if_false) = self.pair()?;
                Operation::Select {
                    site,
                    condition,
                    if_true,
                    if_false,
                }
            }
            "load" => {
                let access = self.access();
                let size = self.number()?;
                self.expect(',')?;
                Operation::Load {
                    address: self.operand()?,
                    size,
                    access,
                }
            }
            "store" => {
                let access = self.access();
                let size = self.number()?;
                self.expect(',')?;
                let (address, value) = self.pair()?;
                Operation::Store {
                    address,
                    value,
                    size,
                    access,
                }
            }
            "alloca" => self.allocation()?,
            "address" => self.address()?,
            "call" => self.call()?,
            "intrinsic" => {
                let name = self.word()?;
                let Some(intrinsic) = Intrinsic::from_name(&name) else {
                    return self.fail(format!("`{name}` is no intrinsic"));
                };
                Operation::Intrinsic {
                    intrinsic,
                    arguments: self.group()?,
                }
            }
            "extract" => {
                let aggregate = self.operand()?;
                Operation::Extract {
                    aggregate,
                    indices: self.path()?,
                }
            }
            "insert" => {
                let (aggregate, value) = self.pair()?;
                Operation::Insert {
                    aggregate,
                    value,
                    indices: self.path()?,
                }
            }
            "opaque" => {
                let reason = self.reason()?;
                let writes_memory = self.eat_word("writes");
                Operation::Opaque {
                    reason,
                    operands: self.group()?,
                    writes_memory,
                }
            }
            _ => self.arithmetic(word, result)?,
        })
    }

    /// An operation named by its operator alone.
    fn arithmetic(&mut self, word: &str, result: Option<Type>) -> Result<Operation> {
        if let Some(operator) = BinaryOperator::from_name(word) {
            let (left, right) = self.pair()?;
            Ok(Operation::Binary {
                operator,
                left,
                right,
            })
        } else if let Some(operator) = FloatOperator::from_name(word) {
            let (left, right) = self.pair()?;
            Ok(Operation::Float {
                operator,
                left,
                right,
            })
        } else if let Some(cast) = Cast::from_name(word).filter(|_| result.is_some()) {
            Ok(Operation::Cast {
                cast,
                value: self.operand()?,
            })
        } else {
            self.fail(format!("`{word}` begins no instruction"))
        }
    }

    fn allocation(&mut self) -> Result<Operation> {
        let size = self.number()?;
        self.expect(',')?;
        let count = self.operand()?;
        self.expect(',')?;
        if !self.eat_word("align") {
            return self.fail("expected `align`");
        }
        Ok(Operation::Allocate {
            size,
            count,
            align: self.number()?,
        })
    }

    fn address(&mut self) -> Result<Operation> {
        let base = self.operand()?;
        self.expect(',')?;
        let offset = self.number()?;
        let mut terms = Vec::new();
        while self.eat(',') {
            let index = self.operand()?;
            self.expect('*')?;
            terms.push(AddressTerm {
                index,
                scale: self.number()?,
            });
        }
        Ok(Operation::Address {
            base,
            offset,
            terms,
        })
    }

    fn call(&mut self) -> Result<Operation> {
        let variadic = self.eat_word("variadic");
        let callee = if self.eat('*') {
            Callee::Indirect(self.operand()?)
        } else {
            match self.named()? {
                Named::Function(id) => Callee::Direct(id),
                Named::Global(_) => return self.fail("a global is no callee"),
            }
        };
        Ok(Operation::Call {
            callee,
            arguments: self.group()?,
            variadic,
        })
    }

    fn access(&mut self) -> Access {
        let special = [Access::Volatile, Access::Atomic];
        special
            .into_iter()
            .find(|access| self.eat_word(access.name()))
            .unwrap_or(Access::Plain)
    }

    fn pair(&mut self) -> Result<(Operand, Operand)> {
        let first = self.operand()?;
        self.expect(',')?;
        Ok((first, self.operand()?))
    }

    fn group(&mut self) -> Result<Vec<Operand>> {
        self.expect('(')?;
        self.until(')', Self::operand)
    }

    fn path(&mut self) -> Result<Vec<u32>> {
        self.expect('[')?;
        self.until(']', Self::number)
    }
}

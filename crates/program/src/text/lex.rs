//! Tokens of the text form, and the errors of its parser.

/// Text that is no program, with the line where that shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword, a type, the id of a value or block.
    Word(String),
    /// `@name`, without the sign.
    Symbol(String),
    /// Bytes in quotes.
    Text(Vec<u8>),
    /// A number and whether a minus sign stands before it.
    Number(bool, u128),
    /// A single character.
    Mark(char),
}

/// Tokens with their lines, in order.
pub(super) fn tokens(text: &str) -> Result<Vec<(u32, Token)>, ParseError> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
    };
    let mut found = Vec::new();
    while let Some(token) = lexer.next()? {
        found.push((lexer.line, token));
    }
    Ok(found)
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl Lexer<'_> {
    fn error<T>(&self, message: &str) -> Result<T, ParseError> {
        Err(ParseError {
            line: self.line,
            message: message.to_owned(),
        })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line += 1,
                b';' => {
                    while self
                        .bytes
                        .get(self.at + 1)
                        .is_some_and(|&byte| byte != b'\n')
                    {
                        self.at += 1;
                    }
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    fn next(&mut self) -> Result<Option<Token>, ParseError> {
        self.skip_blank();
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        Ok(Some(match byte {
            b'"' => Token::Text(self.quoted()?),
            b'@' => self.symbol()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b'.' => Token::Word(self.run(|byte| byte == b'.')),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Token::Word(
                self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')),
            ),
            _ if byte.is_ascii_punctuation() => {
                self.at += 1;
                Token::Mark(char::from(byte))
            }
            _ => return self.error("unexpected character"),
        }))
    }

    /// The longest run of (ASCII) bytes that belong.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        self.bytes[start..self.at]
            .iter()
            .map(|&byte| char::from(byte))
            .collect()
    }

    fn symbol(&mut self) -> Result<Token, ParseError> {
        self.at += 1;
        if self.peek() == Some(b'"') {
            return match String::from_utf8(self.quoted()?) {
                Ok(name) => Ok(Token::Symbol(name)),
                Err(_) => self.error("symbol is not UTF-8"),
            };
        }
        let name = self.run(|byte| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte));
        if name.is_empty() {
            self.error("expected a symbol")
        } else {
            Ok(Token::Symbol(name))
        }
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let digits = self.run(|byte| byte.is_ascii_alphanumeric());
        let magnitude = match digits.strip_prefix("0x") {
            Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        match magnitude {
            Ok(magnitude) => Ok(Token::Number(negative, magnitude)),
            Err(_) => self.error("bad number"),
        }
    }

    fn quoted(&mut self) -> Result<Vec<u8>, ParseError> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                return self.error("open quotes");
            };
            self.at += 1;
            match byte {
                b'"' => return Ok(text),
                b'\n' => return self.error("open quotes"),
                b'\\' => {
                    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
                    let high = digit(self.bytes.get(self.at));
                    let low = digit(self.bytes.get(self.at + 1));
                    let (Some(high), Some(low)) = (high, low) else {
                        return self.error("expected two hexadecimal digits after a backslash");
                    };
                    text.push((high * 16 + low) as u8);
                    self.at += 2;
                }
                _ => text.push(byte),
            }
        }
    }
}

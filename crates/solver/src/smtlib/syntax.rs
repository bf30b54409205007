//! S-expressions of SMT-LIB, with their positions.
//!
//! Expressions lie in one list and name their parts by number, so that neither reading nor
//! dropping a deeply nested script recurses.

use super::Error;

/// Number of an expression in its [`Syntax`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part(u32);

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A symbol, without the bars around a quoted one.
    Symbol(String),
    /// A keyword with its colon.
    Keyword(String),
    /// Digits.
    Numeral(String),
    /// Digits with a point.
    Decimal(String),
    /// Width and value of `#b…` or `#x…`.
    Bits(u32, u128),
    /// The contents of a string literal.
    Text(String),
    /// Expressions in parentheses.
    List(Vec<Part>),
}

/// All expressions of a text.
pub(super) struct Syntax<'a> {
    text: &'a str,
    forms: Vec<(Form, u32)>,
    /// The expressions outside all parentheses.
    pub(super) top: Vec<Part>,
}

impl<'a> Syntax<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Error> {
        let mut syntax = Syntax {
            text,
            forms: Vec::new(),
            top: Vec::new(),
        };
        let mut open: Vec<(usize, Vec<Part>)> = Vec::new();
        let mut at = 0;
        while let Some(start) = skip_blank(text, at) {
            let rest = &text[start..];
            let form = match rest.as_bytes()[0] {
                b'(' => {
                    open.push((start, Vec::new()));
                    at = start + 1;
                    continue;
                }
                b')' => {
                    at = start + 1;
                    let Some((start, parts)) = open.pop() else {
                        return Err(Error::at(text, start, "a parenthesis that nothing opens"));
                    };
                    syntax.enter(Form::List(parts), start, &mut open);
                    continue;
                }
                _ => atom(rest).map_err(|message| Error::at(text, start, message))?,
            };
            at = start + form.1;
            syntax.enter(form.0, start, &mut open);
        }
        match open.first() {
            Some((start, _)) => Err(Error::at(text, *start, "a parenthesis that nothing closes")),
            None => Ok(syntax),
        }
    }

    fn enter(&mut self, form: Form, start: usize, open: &mut [(usize, Vec<Part>)]) {
        let part = Part(self.forms.len() as u32);
        self.forms.push((form, start as u32));
        match open.last_mut() {
            Some((_, parts)) => parts.push(part),
            None => self.top.push(part),
        }
    }

    pub(super) fn form(&self, part: Part) -> &Form {
        &self.forms[part.0 as usize].0
    }

    /// The parts of a list.
    pub(super) fn list(&self, part: Part) -> Option<&[Part]> {
        match self.form(part) {
            Form::List(parts) => Some(parts),
            _ => None,
        }
    }

    /// The name of a symbol.
    pub(super) fn symbol(&self, part: Part) -> Option<&str> {
        match self.form(part) {
            Form::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// The value of a numeral.
    pub(super) fn numeral(&self, part: Part) -> Option<u32> {
        match self.form(part) {
            Form::Numeral(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The source of an expression, as written.
    pub(super) fn source(&self, part: Part) -> &str {
        let start = self.forms[part.0 as usize].1 as usize;
        let rest = &self.text[start..];
        let mut depth = 0usize;
        let mut at = 0;
        while let Some(next) = skip_blank(rest, at) {
            match rest.as_bytes()[next] {
                b'(' => (depth, at) = (depth + 1, next + 1),
                b')' => (depth, at) = (depth.saturating_sub(1), next + 1),
                _ => at = next + atom(&rest[next..]).map_or(1, |(_, length)| length),
            }
            if depth == 0 {
                break;
            }
        }
        &rest[..at]
    }

    pub(super) fn error(&self, part: Part, message: impl Into<String>) -> Error {
        Error::at(self.text, self.forms[part.0 as usize].1 as usize, message)
    }
}

/// The position of the next character that is neither blank nor in a comment.
fn skip_blank(text: &str, mut at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b';' => at += text[at..].find('\n')?,
            _ => return Some(at),
        }
    }
}

/// The atom at the start of `rest` and its length in bytes.
fn atom(rest: &str) -> Result<(Form, usize), String> {
    match rest.as_bytes()[0] {
        b'|' => {
            let end = rest[1..].find('|').ok_or("a quoted symbol without end")?;
            Ok((Form::Symbol(rest[1..=end].into()), end + 2))
        }
        b'"' => string(rest),
        b'#' => bits(rest),
        _ => word(rest),
    }
}

fn string(rest: &str) -> Result<(Form, usize), String> {
    let mut at = 1;
    loop {
        let end = at + rest[at..].find('"').ok_or("a string without end")?;
        // A doubled quote stands for one.
        if !rest[end + 1..].starts_with('"') {
            return Ok((Form::Text(rest[1..end].replace("\"\"", "\"")), end + 1));
        }
        at = end + 2;
    }
}

fn bits(rest: &str) -> Result<(Form, usize), String> {
    let (radix, digit_bits) = match rest.as_bytes().get(1) {
        Some(b'b') => (2, 1),
        Some(b'x') => (16, 4),
        _ => return Err("#b or #x expected".into()),
    };
    let digits: &str = rest[2..]
        .split(|c: char| !c.is_digit(radix))
        .next()
        .unwrap_or("");
    let width = digits.len() as u32 * digit_bits;
    match u128::from_str_radix(digits, radix) {
        Ok(value) if width <= 128 => Ok((Form::Bits(width, value), digits.len() + 2)),
        _ if digits.is_empty() => Err("a bit-vector without digits".into()),
        _ => Err(format!(
            "a bit-vector of {width} bits: at most 128 are supported"
        )),
    }
}

fn word(rest: &str) -> Result<(Form, usize), String> {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "()|\";".contains(c);
    let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    if word.is_empty() {
        return Err("an unexpected character".into());
    }
    let form = if let Some(name) = word.strip_prefix(':') {
        Form::Keyword(format!(":{name}"))
    } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
        Form::Numeral(word.into())
    } else if word.as_bytes()[0].is_ascii_digit() {
        let is_decimal = word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !is_decimal || word.matches('.').count() != 1 || word.ends_with('.') {
            return Err(format!("{word} is no number"));
        }
        Form::Decimal(word.into())
    } else {
        Form::Symbol(word.into())
    };
    Ok((form, word.len()))
}

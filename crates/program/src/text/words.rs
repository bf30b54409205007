//! Words that both the tables and the bodies of a program are printed with.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::{FunctionId, GlobalId, Location, Program, Type};

/// Bytes in quotes; what is no plain printable character as `\xx`.
pub(super) struct Quoted<'a>(pub(super) &'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for &byte in self.0 {
            if matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\') {
                f.write_char(char::from(byte))?;
            } else {
                write!(f, "\\{byte:02x}")?;
            }
        }
        f.write_char('"')
    }
}

/// A symbol, in quotes where it is no plain word.
pub(super) struct Symbol<'a>(pub(super) &'a str);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        if !self.0.is_empty() && self.0.chars().all(plain) {
            write!(f, "@{}", self.0)
        } else {
            write!(f, "@{}", Quoted(self.0.as_bytes()))
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Int(width) => write!(f, "i{width}"),
            Type::Float => f.write_str("float"),
            Type::Double => f.write_str("double"),
            Type::Pointer => f.write_str("ptr"),
            Type::Aggregate(id) => write!(f, "{id}"),
            Type::Foreign(id) => write!(f, "{id}"),
        }
    }
}

/// A place, with a space before it; nothing for none.
pub(super) struct Place(pub(super) Option<Location>);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, " !{}:{}:{}", at.file.0, at.line, at.column),
            None => Ok(()),
        }
    }
}

/// Items with commas between them.
pub(super) fn separated<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut print: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        print(f, item)?;
    }
    Ok(())
}

pub(super) fn global_name(program: &Program, id: GlobalId) -> &str {
    program.global(id).map_or("?", |global| &global.name)
}

pub(super) fn function_name(program: &Program, id: FunctionId) -> &str {
    program.function(id).map_or("?", |function| &function.name)
}

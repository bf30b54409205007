//! Prints the tables of a program and the heads of its functions.

use std::fmt::{self, Display, Formatter, Write as _};

use super::print_body::Body;
use crate::{
    Function, Global, Linkage, Location, Program, RelocationTarget, Shape, Site, SiteKind, Type,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", Quoted(self.name.as_bytes()))?;
        write!(f, "hash \"")?;
        self.bitcode_hash
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))?;
        writeln!(f, "\"")?;
        for file in &self.files {
            writeln!(f, "file {}", Quoted(file.as_bytes()))?;
        }
        print_types(self, f)?;
        for global in &self.globals {
            print_global(self, global, f)?;
        }
        for function in &self.functions {
            print_function(self, function, f)?;
        }
        for (index, site) in self.sites.iter().enumerate() {
            print_site(index, site, f)?;
        }
        Ok(())
    }
}

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

fn print_types(program: &Program, f: &mut Formatter<'_>) -> fmt::Result {
    for (index, aggregate) in program.aggregates.iter().enumerate() {
        write!(f, "aggregate a{index} = ")?;
        match &aggregate.shape {
            Shape::Struct(fields) => {
                write!(f, "struct {} [", aggregate.size)?;
                separated(f, fields, |f, field| {
                    write!(f, "{} {}", field.offset, field.ty)
                })?;
            }
            Shape::Array { element, length } => {
                write!(f, "array {} [{length} x {element}", aggregate.size)?;
            }
        }
        writeln!(f, "]")?;
    }
    for (index, foreign) in program.foreign_types.iter().enumerate() {
        writeln!(
            f,
            "foreign x{index} = {} {}",
            Quoted(foreign.name.as_bytes()),
            foreign.size
        )?;
    }
    Ok(())
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

impl Linkage {
    /// Word of the text form.
    pub(super) fn name(self) -> &'static str {
        match self {
            Linkage::External => "external",
            Linkage::Internal => "internal",
            Linkage::Weak => "weak",
        }
    }
}

fn print_global(program: &Program, global: &Global, f: &mut Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "global {} {}",
        Symbol(&global.name),
        global.linkage.name()
    )?;
    if global.constant {
        f.write_str(" constant")?;
    }
    if global.thread_local {
        f.write_str(" thread_local")?;
    }
    write!(f, " {} align {}", global.size, global.align)?;
    if let Some(initializer) = &global.initializer {
        write!(f, " = {} [", Quoted(&initializer.bytes))?;
        separated(f, &initializer.relocations, |f, relocation| {
            let (name, addend) = match relocation.target {
                RelocationTarget::Global(id, addend) => (global_name(program, id), addend),
                RelocationTarget::Function(id, addend) => (function_name(program, id), addend),
                RelocationTarget::Opaque(size) => {
                    return write!(f, "{} opaque {size}", relocation.offset);
                }
            };
            write!(f, "{} {} + {addend}", relocation.offset, Symbol(name))
        })?;
        f.write_char(']')?;
    }
    writeln!(f)
}

pub(super) fn global_name(program: &Program, id: crate::GlobalId) -> &str {
    program.global(id).map_or("?", |global| &global.name)
}

pub(super) fn function_name(program: &Program, id: crate::FunctionId) -> &str {
    program.function(id).map_or("?", |function| &function.name)
}

fn print_function(program: &Program, function: &Function, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(if function.defined {
        "define "
    } else {
        "declare "
    })?;
    write!(f, "{} {}(", function.result, Symbol(&function.name))?;
    for (index, parameter) in function.parameters.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}{} v{index}", parameter.ty)?;
        if let Some(size) = parameter.by_value {
            write!(f, " byval {size}")?;
        }
    }
    if function.variadic {
        f.write_str(if function.parameters.is_empty() {
            "..."
        } else {
            ", ..."
        })?;
    }
    write!(f, ") {}", function.linkage.name())?;
    if function.address_taken {
        f.write_str(" address_taken")?;
    }
    if function.noreturn {
        f.write_str(" noreturn")?;
    }
    write!(f, "{}", Place(function.location))?;
    if !function.defined {
        return writeln!(f);
    }
    writeln!(f, " {{")?;
    let body = Body { program, function };
    for (id, block) in function.blocks() {
        writeln!(f, "{id}:")?;
        body.block(block, f)?;
    }
    writeln!(f, "}}")
}

fn print_site(index: usize, site: &Site, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "site #{index} {}", site.kind.name())?;
    if let SiteKind::Switch { width, cases } = &site.kind {
        write!(f, " {width} [")?;
        separated(f, cases, |f, case| write!(f, "{case}"))?;
        f.write_char(']')?;
    }
    write!(f, " {} {}", site.function, site.block)?;
    if site.oracle {
        f.write_str(" oracle")?;
    }
    writeln!(f, "{}", Place(site.location))
}

//! Prints the tables of a program and the heads of its functions.

use std::fmt::{self, Display, Formatter, Write as _};

use super::body_printer::Body;
use super::words::{Place, Quoted, Symbol, function_name, global_name, separated};
use crate::{Function, Global, Program, RelocationTarget, Shape, Site, SiteKind};

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
        for caveat in &self.caveats {
            writeln!(f, "caveat {}", Quoted(caveat.name().as_bytes()))?;
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
    if function.returns_twice {
        f.write_str(" returns_twice")?;
    }
    if let Some(word) = function.started.name() {
        write!(f, " {word}")?;
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

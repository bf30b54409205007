//! Checks of types, constants, globals and symbols.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{MAX_CONSTANT_DEPTH, Report};
use crate::{Cast, Constant, ConstantId, Global, Program, RelocationTarget, Shape, Type};

pub(super) fn check(program: &Program, report: &mut Report) {
    distinct("file", &program.files, report);
    distinct("aggregate", &program.aggregates, report);
    distinct("foreign type", &program.foreign_types, report);
    distinct("constant", &program.constants, report);
    aggregates(program, report);
    if report.0.is_empty() {
        constants(program, report);
    }
    symbols(program, report);
    for global in &program.globals {
        check_global(program, global, report);
    }
}

fn distinct<T: Hash + Eq>(table: &str, entries: &[T], report: &mut Report) {
    let mut seen = FxHashSet::default();
    for (index, entry) in entries.iter().enumerate() {
        if !seen.insert(entry) {
            report.add(format!("{table} {index}"), "is there twice");
        }
    }
}

/// Whether a type refers to what is there, to aggregates below a bound only.
fn valid(program: &Program, ty: Type, aggregates: usize) -> bool {
    match ty {
        Type::Int(width) => (1..=128).contains(&width),
        Type::Aggregate(id) => id.index() < aggregates,
        Type::Foreign(id) => id.index() < program.foreign_types.len(),
        Type::Void | Type::Float | Type::Double | Type::Pointer => true,
    }
}

/// Whether a type is one that a value may have.
pub(super) fn valid_value(program: &Program, ty: Type) -> bool {
    ty != Type::Void && valid(program, ty, program.aggregates.len())
}

fn aggregates(program: &Program, report: &mut Report) {
    for (index, aggregate) in program.aggregates.iter().enumerate() {
        let place = || format!("aggregate a{index}");
        let element_ok = |ty| ty != Type::Void && valid(program, ty, index);
        match &aggregate.shape {
            Shape::Struct(fields) => {
                for field in fields {
                    if !element_ok(field.ty) {
                        report.add(place(), "has a field of a type that is not there before it");
                    } else if !fits(program, field.ty, field.offset, aggregate.size) {
                        report.add(place(), "has a field outside of it");
                    }
                }
            }
            Shape::Array { element, length } => {
                if !element_ok(*element) {
                    report.add(
                        place(),
                        "has elements of a type that is not there before it",
                    );
                } else if *length > 0 && aggregate.size % length != 0 {
                    report.add(place(), "has a size that its length does not divide");
                }
            }
        }
    }
}

fn fits(program: &Program, ty: Type, offset: u64, size: u64) -> bool {
    let end = program
        .store_size(ty)
        .and_then(|bytes| offset.checked_add(bytes));
    end.is_some_and(|end| end <= size)
}

fn constants(program: &Program, report: &mut Report) {
    let mut depth = vec![0u32; program.constants.len()];
    for (index, constant) in program.constants.iter().enumerate() {
        let id = ConstantId::new(index);
        let place = || format!("constant {id}");
        let children = constant.children();
        if children.iter().any(|child| *child >= id) {
            report.add(place(), "refers to a constant that is not before it");
            return;
        }
        depth[index] = children
            .iter()
            .map(|child| depth[child.index()] + 1)
            .max()
            .unwrap_or(0);
        if depth[index] > MAX_CONSTANT_DEPTH {
            report.add(place(), "is nested too deeply");
            return;
        }
        if let Err(message) = check_constant(program, constant) {
            report.add(place(), message);
        }
    }
}

fn check_constant(program: &Program, constant: &Constant) -> Result<(), &'static str> {
    let ty = |id: &ConstantId| program.constant_type(*id).unwrap_or_default();
    let composite = |ty| matches!(ty, Type::Aggregate(_) | Type::Foreign(_));
    let ok = match constant {
        Constant::Int { width, bits } => {
            (1..=128).contains(width) && (*width == 128 || bits >> width == 0)
        }
        Constant::Float(_) | Constant::Double(_) | Constant::Null => true,
        Constant::Global(id) => program.global(*id).is_some(),
        Constant::Function(id) => program.function(*id).is_some(),
        Constant::Offset { base, .. } => ty(base) == Type::Pointer,
        Constant::Cast { cast, to, value } => {
            valid_value(program, *to) && cast_fits(*cast, ty(value), *to)
        }
        Constant::Binary { left, right, .. } => ty(left).is_int() && ty(left) == ty(right),
        Constant::Aggregate {
            aggregate,
            elements,
        } => {
            let Some(shape) = program.aggregates.get(aggregate.index()) else {
                return Err("has an unknown type");
            };
            let types = elements.iter().map(|element| Some(ty(element)));
            elements.len() as u64 == shape.len()
                && types.zip(0..).all(|(ty, index)| ty == shape.element(index))
        }
        Constant::Zero(ty) => composite(*ty) && valid_value(program, *ty),
        Constant::Undefined(ty) | Constant::Poison(ty) | Constant::Opaque { ty, .. } => {
            valid_value(program, *ty)
        }
    };
    if ok {
        Ok(())
    } else {
        Err("is ill typed or refers outside the tables")
    }
}

/// Whether a cast leads from one type to the other.
pub(super) fn cast_fits(cast: Cast, from: Type, to: Type) -> bool {
    let widths = (from.width(), to.width());
    let (Some(narrow), Some(wide)) = widths else {
        return false;
    };
    match cast {
        Cast::Truncate => from.is_int() && to.is_int() && narrow > wide,
        Cast::ZeroExtend | Cast::SignExtend => from.is_int() && to.is_int() && narrow < wide,
        Cast::FloatToUnsigned | Cast::FloatToSigned => from.is_float() && to.is_int(),
        Cast::UnsignedToFloat | Cast::SignedToFloat => from.is_int() && to.is_float(),
        Cast::FloatTruncate => (from, to) == (Type::Double, Type::Float),
        Cast::FloatExtend => (from, to) == (Type::Float, Type::Double),
        Cast::PointerToInt => from == Type::Pointer && to.is_int(),
        Cast::IntToPointer => from.is_int() && to == Type::Pointer,
        Cast::Bits => narrow == wide && (from == Type::Pointer) == (to == Type::Pointer),
    }
}

fn symbols(program: &Program, report: &mut Report) {
    let mut seen = FxHashMap::default();
    let functions = program.functions.iter().map(|function| &function.name);
    for name in program
        .globals
        .iter()
        .map(|global| &global.name)
        .chain(functions)
    {
        let count = seen.entry(name).or_insert(0);
        *count += 1;
        if *count == 2 {
            report.add(format!("symbol {name}"), "is there twice");
        }
    }
}

fn check_global(program: &Program, global: &Global, report: &mut Report) {
    let place = || format!("global {}", global.name);
    let Some(initializer) = &global.initializer else {
        return;
    };
    if initializer.bytes.len() as u64 > global.size {
        report.add(place(), "has more bytes than its size");
    }
    let mut free = 0u64;
    for relocation in &initializer.relocations {
        let known = match relocation.target {
            RelocationTarget::Global(id, _) => program.global(id).is_some(),
            RelocationTarget::Function(id, _) => program.function(id).is_some(),
            RelocationTarget::Opaque(_) => true,
        };
        if !known {
            report.add(place(), "has a relocation to an unknown symbol");
        }
        let end = relocation.offset.checked_add(relocation.target.size());
        let Some(end) = end.filter(|end| relocation.offset >= free && *end <= global.size) else {
            report.add(place(), "has relocations that overlap or lie outside");
            return;
        };
        free = end;
    }
}

//! Contents of memory that no path writes: constants, initial values, tables of characters.

use labrys_expr::{ExprId, Op};
use labrys_program::{FunctionId, GlobalId, Initializer, RelocationTarget};
use labrys_semantics::environment::InputPart;

use super::Terms;

/// Largest table that a read at a symbolic offset of a constant becomes.
const MAX_TABLE: u64 = 4096;

/// The content of a global when the program starts; `None` if it is not defined here.
pub(crate) fn initial_content(
    terms: &mut Terms<'_>,
    id: GlobalId,
    offset: ExprId,
    size: u32,
) -> Option<ExprId> {
    let global = &terms.program().globals[id.index()];
    let initializer = global.initializer.as_ref()?;
    if let Some(bits) = terms.bits(offset) {
        return Some(at_fixed_offset(terms, initializer, bits as u64, size));
    }
    if !initializer.relocations.is_empty() {
        return Some(with_addresses(
            terms,
            initializer,
            global.size,
            (offset, size),
        ));
    }
    if global.size > MAX_TABLE {
        return Some(terms.fresh(8 * size));
    }
    let mut bytes = initializer.bytes.clone();
    bytes.resize(usize::try_from(global.size).unwrap_or(0), 0);
    let table = terms.pool_mut().enter_table(&bytes, &[]);
    Some(terms.pool_mut().table_read(table, offset, size))
}

/// Choices of a read of a table with addresses in it, at most.
const MAX_ELEMENTS: u64 = 128;

/// A read of a table with addresses in it, such as one of functions or of words: of one of its elements
/// of that size, or of anything where the offset is not that of one.
fn with_addresses(
    terms: &mut Terms<'_>,
    initializer: &Initializer,
    bytes: u64,
    (offset, size): (ExprId, u32),
) -> ExprId {
    let mut content = terms.fresh(8 * size);
    let size = u64::from(size);
    if size == 0 || bytes / size > MAX_ELEMENTS {
        return content;
    }
    for index in (0..bytes / size).rev() {
        let element = at_fixed_offset(terms, initializer, index * size, size as u32);
        let at = terms.constant(64, u128::from(index * size));
        let pool = terms.pool_mut();
        let here = pool.eq(offset, at);
        content = pool.ite(here, element, content);
    }
    content
}

/// What of the input a global holds when the program starts, and whether it is known which;
/// `None` if it holds no input.
pub(crate) fn input_content(
    terms: &mut Terms<'_>,
    id: GlobalId,
    offset: ExprId,
    size: u32,
) -> Option<(ExprId, bool)> {
    let part = terms.analysis().input_part(id)?;
    let Some(cases) = cases(terms, offset) else {
        return Some((terms.fresh(8 * size), false));
    };
    let mut content = (terms.fresh(8 * size), true);
    for (guard, offset) in cases {
        // A place that is not known may be behind the end, where no run takes the value.
        let (value, known) = input_at(terms, part, offset, size);
        content.0 = terms.pool_mut().ite(guard, value, content.0);
        content.1 &= known;
    }
    Some(content)
}

/// Choices of an offset, at most.
const MAX_CASES: usize = 48;

/// The values of an expression that is made of choices and sums, with their conditions, of which
/// one holds; `None` if they are too many.
fn cases(terms: &mut Terms<'_>, id: ExprId) -> Option<Vec<(ExprId, ExprId)>> {
    let operands: Vec<ExprId> = terms.pool().node(id).operands().to_vec();
    let op = terms.pool().op(id);
    match (op, &operands[..]) {
        (Op::Ite, [condition, a, b]) => {
            let opposite = terms.pool_mut().not(*condition);
            let mut all = Vec::new();
            for (side, of) in [(*condition, *a), (opposite, *b)] {
                for (guard, value) in cases(terms, of)? {
                    let guard = terms.pool_mut().and(side, guard);
                    if guard != ExprId::FALSE {
                        all.push((guard, value));
                    }
                }
            }
            (all.len() <= MAX_CASES).then_some(all)
        }
        (Op::Add | Op::Sub, [a, b]) => {
            let (left, right) = (cases(terms, *a)?, cases(terms, *b)?);
            if left.len() * right.len() > MAX_CASES {
                return None;
            }
            let mut all = Vec::new();
            for (first, a) in &left {
                for (second, b) in &right {
                    let pool = terms.pool_mut();
                    let guard = pool.and(*first, *second);
                    let value = match op {
                        Op::Add => pool.add(*a, *b),
                        _ => pool.sub(*a, *b),
                    };
                    if guard != ExprId::FALSE {
                        all.push((guard, value));
                    }
                }
            }
            Some(all)
        }
        _ => Some(vec![(ExprId::TRUE, id)]),
    }
}

/// A part of the input at an offset, and whether it is known which.
fn input_at(terms: &mut Terms<'_>, part: InputPart, offset: ExprId, size: u32) -> (ExprId, bool) {
    let offset = terms.bits(offset).map(|bits| bits as u64);
    let value = match (part, offset) {
        (InputPart::Bytes(_), Some(first)) => {
            let mut value: Option<ExprId> = None;
            for index in 0..u64::from(size) {
                let byte = terms.input(part, first.wrapping_add(index), 8);
                value = Some(match value {
                    Some(low) => terms.pool_mut().concat(byte, low),
                    None => byte,
                });
            }
            value
        }
        (InputPart::Length(_) | InputPart::Count, Some(0)) => Some(terms.input(part, 0, 8 * size)),
        _ => None,
    };
    let known = value.is_some();
    (value.unwrap_or_else(|| terms.fresh(8 * size)), known)
}

fn at_fixed_offset(
    terms: &mut Terms<'_>,
    initializer: &Initializer,
    offset: u64,
    size: u32,
) -> ExprId {
    let mut relocations = initializer.relocations.iter();
    let overlapping = relocations.find(|relocation| {
        offset < relocation.offset.saturating_add(relocation.target.size())
            && relocation.offset < offset.saturating_add(u64::from(size))
    });
    if let Some(relocation) = overlapping {
        let (base, addend) = match relocation.target {
            RelocationTarget::Global(to, addend) => (terms.global_address(to), addend),
            RelocationTarget::Function(to, addend) => (terms.function_address(to), addend),
            RelocationTarget::Opaque(_) => return terms.fresh(8 * size),
        };
        if relocation.offset != offset || size != 8 {
            return terms.fresh(8 * size);
        }
        let addend = terms.constant(64, addend as u64 as u128);
        return terms.pool_mut().add(base, addend);
    }
    let byte = |at: u64| {
        let index = usize::try_from(at).ok()?;
        initializer.bytes.get(index).copied()
    };
    let mut bits = 0u128;
    for index in (0..u64::from(size)).rev() {
        bits = bits << 8 | u128::from(byte(offset.wrapping_add(index)).unwrap_or(0));
    }
    terms.constant(8 * size, bits)
}

/// The content of the pointer that a function like `__ctype_b_loc` gives the address of: the
/// address of the element of character 0.
pub(crate) fn character_pointer(
    terms: &mut Terms<'_>,
    function: FunctionId,
    offset: ExprId,
    size: u32,
) -> ExprId {
    let name = &terms.analysis().function(function).name;
    match terms.analysis().character_table(name) {
        Some(table) if size == 8 && terms.bits(offset) == Some(0) => {
            let base = terms.character_table_address(function, table.bytes.len() as u64);
            let zero = terms.constant(64, table.zero.into());
            terms.pool_mut().add(base, zero)
        }
        _ => terms.fresh(8 * size),
    }
}

/// An element of a table of characters.
pub(crate) fn character_entry(
    terms: &mut Terms<'_>,
    function: FunctionId,
    offset: ExprId,
    size: u32,
) -> ExprId {
    let name = &terms.analysis().function(function).name;
    match terms.analysis().character_table(name) {
        Some(table) => {
            let table = terms.pool_mut().enter_table(&table.bytes, &[]);
            terms.pool_mut().table_read(table, offset, size)
        }
        None => terms.fresh(8 * size),
    }
}

//! Registers of devices, as variables that a driver fills.

use labrys_suite::unit::{Content, Root, Variable};

use super::{Builder, Spot};
use crate::driver::unsigned;
use crate::numbers::WORD;
use crate::registers::Register;

/// Fills registers: one number, or those of the words that the code can come to.
pub(crate) fn fill(builder: &mut Builder<'_, '_>, register: &Register) {
    let Register {
        name,
        address,
        size,
        words,
        ..
    } = register;
    let spot = Spot::new(Root::Global(name.clone()), name);
    let mut parts = Vec::new();
    let mut number = |offset, path: &str, bytes| {
        let content = Content::Unsigned;
        builder.numbers(&spot, offset, path, bytes, bytes, content, &mut parts);
    };
    if words.is_empty() {
        number(0, "", *size);
    }
    for word in words {
        number(word * WORD, &format!("[{word}]"), WORD);
    }
    let bytes = if words.is_empty() { *size } else { WORD };
    builder.entry.globals.push(Variable {
        name: name.clone(),
        c_type: unsigned(bytes).to_owned(),
        size: words.last().map_or(*size, |last| (last + 1) * WORD),
        address: Some(*address),
        parts,
    });
}

//! Decisions about which entry of a constant table was read: of functions, or of pointers.

use labrys_abi::{Op, RuntimeSite};

use crate::record::event::decision;
use crate::record::node::{Operand, node, predicate};
use crate::record::region::data;

/// Alternatives that are offered for one call.
const MOST_TARGETS: usize = 64;

/// Functions of one program are not further apart than this.
const TEXT: u64 = 1 << 28;

/// Decides which function of a table a symbolic call target is: each other one is a flip away.
/// `false` if the label is not a read of a constant table.
pub(crate) fn decide_target(label: u32, value: u64) -> bool {
    let function = |entry: u64| entry.abs_diff(value) < TEXT;
    decide_entry(label, value, MOST_TARGETS, function)
}

/// A chain of decisions: which entry of a table was read? Entries that `counts` refuses are left
/// out; `false` if there is no such chain.
pub(crate) fn decide_entry(
    label: u32,
    value: u64,
    most: usize,
    counts: impl Fn(u64) -> bool,
) -> bool {
    let n = node(label);
    if n.op != Op::Table as u8 || n.width != 64 {
        return false;
    }
    // SAFETY: written by `snapshot`: length, a flag, then the bytes.
    let (bytes, labelled) = unsafe {
        let table = data().at(n.imm as u32);
        let head = table.cast::<u32>();
        let size = head.read() as usize;
        let bytes = core::slice::from_raw_parts(table.add(8), size);
        (bytes, head.add(1).read() != 0)
    };
    if labelled {
        return false;
    }
    let phase = node(n.a).cv as usize % 8;
    let mut seen = [0u64; MOST_TARGETS];
    let mut count = 0;
    for entry in bytes[phase.min(bytes.len())..].chunks_exact(8) {
        let entry = entry.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        if count == most || seen[..count].contains(&entry) || !counts(entry) {
            continue;
        }
        seen[count] = entry;
        count += 1;
        let (x, y) = (Operand::new(label, value), Operand::concrete(entry));
        let same = entry == value;
        decision(
            RuntimeSite::Library,
            predicate(Op::Eq, 64, x, y, same),
            same,
        );
        if same {
            return true;
        }
    }
    false
}

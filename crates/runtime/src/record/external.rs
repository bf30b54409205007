//! Calls of functions that are computed again by whoever reads the run: pure functions of the
//! library, and functions that the user marked.

use core::cell::Cell;

use labrys_abi::{Node, Op};

use crate::record::cell::SingleWriter;
use crate::record::event;
use crate::record::node::{Operand, append, node};
use crate::record::region::data;
use crate::record::tracing::tracing;

/// Arguments of a call at most.
const MOST_ARGUMENTS: usize = labrys_abi::marked::MOST_PARAMETERS;

/// Bytes of a name at most, a multiple of 8.
const LONGEST_NAME: usize = 64;

/// Bytes of a call's record at most.
const LARGEST: usize = 8 + LONGEST_NAME + 16 * MOST_ARGUMENTS;

/// Offsets and sizes of recent records, so that a loop does not write the same call again.
static RECENT: SingleWriter<[Cell<(u32, u32)>; 1 << 10]> =
    SingleWriter::new([const { Cell::new((0, 0)) }; 1 << 10]);

/// An argument: its width in bits and its value with its label.
pub(crate) type Argument = (u32, Operand);

/// The node of the call `name(arguments)` with this result; 0 if no argument has a label.
pub(crate) fn external(name: &str, arguments: &[Argument], width: u32, cv: u64) -> u32 {
    let current = |(width, operand): &Argument| {
        let known = operand.label != 0 && node(operand.label).cv == operand.value;
        if known && u32::from(node(operand.label).width) == *width {
            operand.label
        } else {
            0
        }
    };
    if !tracing() || arguments.iter().all(|argument| current(argument) == 0) {
        return 0;
    }
    if name.len() > LONGEST_NAME || arguments.len() > MOST_ARGUMENTS {
        return 0;
    }
    let mut record = [0u8; LARGEST];
    record[..4].copy_from_slice(&(name.len() as u32).to_le_bytes());
    record[4..8].copy_from_slice(&(arguments.len() as u32).to_le_bytes());
    record[8..8 + name.len()].copy_from_slice(name.as_bytes());
    let mut end = 8 + name.len().next_multiple_of(8);
    for argument in arguments {
        record[end..end + 4].copy_from_slice(&current(argument).to_le_bytes());
        record[end + 4..end + 8].copy_from_slice(&argument.0.to_le_bytes());
        record[end + 8..end + 16].copy_from_slice(&argument.1.value.to_le_bytes());
        end += 16;
    }
    let Some(offset) = place(&record[..end]) else {
        return 0;
    };
    append(Node {
        op: Op::External as u8,
        width: width as u16,
        imm: u64::from(offset),
        cv,
        ..Node::default()
    })
}

/// Offset of this record in the data section, where it is written if it is not there yet.
fn place(record: &[u8]) -> Option<u32> {
    let hash = record.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    let slot = (hash >> 32) as usize % (1 << 10);
    let (offset, size) = RECENT[slot].get();
    if size as usize == record.len() {
        // SAFETY: the section holds a record of this size at this offset.
        let known = unsafe { core::slice::from_raw_parts(data().at(offset), record.len()) };
        if known == record {
            return Some(offset);
        }
    }
    let offset = event::copy_to_data(record)?;
    RECENT[slot].set((offset, record.len() as u32));
    Some(offset)
}

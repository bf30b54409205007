//! Recordings, which the program under test may have overwritten.

#[allow(dead_code, reason = "it serves the laws of traces as well")]
#[path = "../../trace/tests/random/mod.rs"]
mod random;

use labrys_abi::{Event, Node};
use labrys_trace::{Recording, Trace};
use random::{Generator, program, visit};

use crate::Reader;

/// The tables of a run; see [`recording`].
pub(crate) const RECORDING: Reader = Reader {
    name: "recording",
    read: |bytes| {
        let program = program();
        let trace = Trace::new(recording(bytes), &program);
        trace.as_ref().is_ok_and(|trace| {
            visit(trace, &program);
            true
        })
    },
    examples: || (1..9).map(example).collect(),
};

/// Bytes of a node and of an event.
const RECORD: usize = 32;

/// A number of nodes and one of events, a byte each; the nodes, the events, and the data.
fn recording(bytes: &[u8]) -> Recording {
    let mut recording = Recording {
        nodes: vec![Node::default()],
        ..Recording::default()
    };
    let ([nodes, events], mut rest) = bytes.split_first_chunk().unwrap_or((&[0; 2], &[]));
    for _ in 0..*nodes {
        let Some((record, behind)) = rest.split_first_chunk() else {
            break;
        };
        recording.nodes.push(node(record));
        rest = behind;
    }
    for _ in 0..*events {
        let Some((record, behind)) = rest.split_first_chunk() else {
            break;
        };
        recording.events.push(event(record));
        rest = behind;
    }
    recording.data = rest.to_vec();
    recording
}

fn node(record: &[u8; RECORD]) -> Node {
    Node {
        op: record[0],
        flags: record[1],
        width: half(record, 2),
        a: word(record, 4),
        b: word(record, 8),
        c: word(record, 12),
        imm: long(record, 16),
        cv: long(record, 24),
    }
}

fn event(record: &[u8; RECORD]) -> Event {
    Event {
        kind: record[0],
        aux: record[1],
        reserved: half(record, 2),
        site: word(record, 4),
        label: word(record, 8),
        direction: word(record, 12),
        a: long(record, 16),
        b: long(record, 24),
    }
}

fn half(record: &[u8; RECORD], at: usize) -> u16 {
    u16::from_le_bytes([record[at], record[at + 1]])
}

fn word(record: &[u8; RECORD], at: usize) -> u32 {
    u32::from(half(record, at)) | u32::from(half(record, at + 2)) << 16
}

fn long(record: &[u8; RECORD], at: usize) -> u64 {
    u64::from(word(record, at)) | u64::from(word(record, at + 4)) << 32
}

/// The bytes of a random run.
fn example(seed: u64) -> Vec<u8> {
    let mut generator = Generator::new(seed);
    (0..60).for_each(|_| generator.step());
    let Recording {
        nodes,
        events,
        data,
        ..
    } = generator.recording;
    let mut bytes = vec![(nodes.len() - 1) as u8, events.len() as u8];
    for node in &nodes[1..] {
        bytes.extend([node.op, node.flags]);
        bytes.extend(node.width.to_le_bytes());
        [node.a, node.b, node.c]
            .iter()
            .for_each(|word| bytes.extend(word.to_le_bytes()));
        [node.imm, node.cv]
            .iter()
            .for_each(|long| bytes.extend(long.to_le_bytes()));
    }
    for event in &events {
        bytes.extend([event.kind, event.aux]);
        bytes.extend(event.reserved.to_le_bytes());
        [event.site, event.label, event.direction]
            .iter()
            .for_each(|word| bytes.extend(word.to_le_bytes()));
        [event.a, event.b]
            .iter()
            .for_each(|long| bytes.extend(long.to_le_bytes()));
    }
    bytes.extend(data);
    bytes
}

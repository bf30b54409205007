//! Validation of nodes: afterwards every label can be decoded without a further check.
//!
//! What is checked, for each node: the operation exists; width 1 to 128; operands have smaller
//! labels than the node and the widths that the operation asks for; floats have 32 or 64 bits;
//! input bytes belong to a stream that can exist; snapshots and call records lie within the
//! data section, their labels too are smaller. Of bindings, the snapshots.

use labrys_abi::{EventKind, Header, Node, Op, flag};
use rustc_hash::FxHashMap;

use crate::{Error, Recording};

type Check = Result<(), &'static str>;

/// Checks all nodes of a recording.
pub(crate) fn validate(recording: &Recording) -> Result<(), Error> {
    if u32::try_from(recording.nodes.len()).is_err() {
        return Err(Error::TooLong);
    }
    let mut validator = Validator {
        recording,
        snapshots: FxHashMap::default(),
    };
    for (label, node) in (0_u32..).zip(&recording.nodes).skip(1) {
        validator
            .node(label, node)
            .map_err(|reason| Error::Node { label, reason })?;
    }
    for (index, event) in recording.events.iter().enumerate() {
        if event.kind == EventKind::Bind as u8 {
            validator
                .snapshot(u32::MAX, event.b)
                .map_err(|reason| Error::Event { index, reason })?;
        }
    }
    Ok(())
}

struct Validator<'a> {
    recording: &'a Recording,
    /// Greatest label of each snapshot seen, by its offset.
    snapshots: FxHashMap<u64, u32>,
}

impl Validator<'_> {
    fn node(&mut self, label: u32, node: &Node) -> Check {
        let op = Op::from_u8(node.op).ok_or("unknown operation")?;
        let width = u32::from(node.width);
        ensure((1..=128).contains(&width), "width out of range")?;
        let operands = Operands {
            nodes: &self.recording.nodes[..label as usize],
            node,
        };
        match op {
            Op::Input => input(node),
            Op::Length => {
                ensure(width == 64, "a length has 64 bits")?;
                ensure(node.imm < Header::MAX_STREAMS as u64, "no such stream")
            }
            Op::Const => Ok(()),
            Op::Not | Op::Neg | Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => {
                operands.a(width)
            }
            Op::FNeg | Op::FAbs | Op::FSqrt => operands.a(float(width)?),
            Op::FRound => {
                ensure(node.imm <= 4, "unknown rounding mode")?;
                operands.a(float(width)?)
            }
            Op::ZExt | Op::SExt => ensure(operands.width(node.a)? <= width, WIDTH),
            Op::Extract => {
                let from = u64::from(operands.width(node.a)?);
                ensure(
                    node.imm <= 128 && node.imm + u64::from(width) <= from,
                    WIDTH,
                )
            }
            Op::Concat => ensure(
                operands.width(node.a)? + operands.width(node.b)? == width,
                WIDTH,
            ),
            Op::Ite => {
                ensure(operands.width(node.c)? == 1, WIDTH)?;
                operands.a(width)?;
                operands.b(width)
            }
            Op::FToF => operands.a(float(width).and(float(node.aux()))?),
            Op::FToU | Op::FToS => operands.a(float(node.aux())?),
            Op::UToF | Op::SToF => {
                float(width)?;
                operands.a(node.aux())
            }
            Op::Table => {
                ensure(width % 8 == 0, "a table read of no whole bytes")?;
                operands.a(64)?;
                self.snapshot(label, node.imm)
            }
            Op::External => self.call(label, node.imm),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => operands.pair(float(width)?),
            Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => {
                ensure(width == 1, WIDTH)?;
                operands.pair(float(node.aux())?)
            }
            Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                ensure(width == 1, WIDTH)?;
                operands.pair(node.aux())
            }
            Op::Add | Op::Sub | Op::Mul => operands.pair(width),
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem => operands.pair(width),
            Op::Shl | Op::LShr | Op::AShr => operands.pair(width),
            Op::And | Op::Or | Op::Xor => operands.pair(width),
        }
    }

    fn snapshot(&mut self, label: u32, offset: u64) -> Check {
        if let Some(greatest) = self.snapshots.get(&offset) {
            return ensure(*greatest < label, OPERAND);
        }
        let snapshot = self
            .recording
            .snapshot(offset)
            .ok_or("snapshot outside the data section")?;
        let mut greatest = 0;
        for (_, byte) in snapshot.labels() {
            let node = self.recording.nodes.get(byte as usize).ok_or(OPERAND)?;
            ensure(node.width == 8, WIDTH)?;
            greatest = greatest.max(byte);
        }
        self.snapshots.insert(offset, greatest);
        ensure(greatest < label, OPERAND)
    }

    fn call(&self, label: u32, offset: u64) -> Check {
        let call = self
            .recording
            .call(offset)
            .ok_or("call outside the data section")?;
        for argument in call.arguments() {
            ensure((1..=128).contains(&argument.width), "width out of range")?;
            ensure(argument.label < label, OPERAND)?;
            let node = &self.recording.nodes[argument.label as usize];
            ensure(
                argument.label == 0 || u32::from(node.width) == argument.width,
                WIDTH,
            )?;
        }
        Ok(())
    }
}

const WIDTH: &str = "widths do not fit";
const OPERAND: &str = "operand out of range";

/// A node with the nodes that may be its operands.
struct Operands<'a> {
    nodes: &'a [Node],
    node: &'a Node,
}

impl Operands<'_> {
    fn width(&self, label: u32) -> Result<u32, &'static str> {
        match self.nodes.get(label as usize) {
            Some(operand) if label != 0 => Ok(u32::from(operand.width)),
            _ => Err(OPERAND),
        }
    }

    fn a(&self, width: u32) -> Check {
        ensure(self.width(self.node.a)? == width, WIDTH)
    }

    fn b(&self, width: u32) -> Check {
        ensure(self.width(self.node.b)? == width, WIDTH)
    }

    /// Two operands, either of which may be the immediate.
    fn pair(&self, width: u32) -> Check {
        ensure((1..=128).contains(&width), "width out of range")?;
        let flags = self.node.flags;
        if flags & flag::A_IMMEDIATE == 0 {
            self.a(width)?;
        }
        if flags & flag::B_IMMEDIATE == 0 {
            self.b(width)?;
        }
        Ok(())
    }
}

fn input(node: &Node) -> Check {
    let (stream, offset) = (node.imm >> 32, node.imm & 0xffff_ffff);
    let bytes = u64::from(node.width / 8);
    ensure(node.width % 8 == 0, "input of no whole bytes")?;
    ensure(stream < Header::MAX_STREAMS as u64, "no such stream")?;
    ensure(offset + bytes <= 1 << 32, "input beyond 4 GiB")
}

fn float(width: u32) -> Result<u32, &'static str> {
    ensure(
        matches!(width, 32 | 64),
        "a float of neither 32 nor 64 bits",
    )
    .map(|()| width)
}

fn ensure(holds: bool, reason: &'static str) -> Check {
    if holds { Ok(()) } else { Err(reason) }
}

//! Decoding: labels to expressions.
//!
//! Each label is decoded once, when it is first asked for. The order is that of an explicit
//! stack, since chains of nodes can be millions long.

use labrys_abi::{Node, Op, flag};
use labrys_expr::{ExprId, Op as ExprOp, Pool, Rounding, TableId};
use rustc_hash::FxHashMap;

use super::Trace;

/// The expressions of one trace, as far as they were asked for.
///
/// Made by [`Trace::decoder`]; to be used with that trace only.
#[derive(Debug)]
pub struct Decoder {
    pool: Pool,
    /// By label: 0 if not decoded, else one plus the index in `expressions`.
    places: Vec<u32>,
    expressions: Vec<ExprId>,
    tables: FxHashMap<u64, TableId>,
    /// By step: its condition, if it was asked for. Every query asks for those of its whole slice.
    conditions: Vec<Option<ExprId>>,
}

impl Decoder {
    pub(crate) fn new(labels: usize) -> Self {
        Self {
            pool: Pool::new(),
            places: vec![0; labels],
            expressions: Vec::new(),
            tables: FxHashMap::default(),
            conditions: Vec::new(),
        }
    }

    /// The pool of the expressions.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The pool of the expressions, to build more in it.
    pub fn pool_mut(&mut self) -> &mut Pool {
        &mut self.pool
    }

    /// Number of labels decoded so far.
    #[must_use]
    pub fn decoded(&self) -> usize {
        self.expressions.len()
    }

    pub(crate) fn known(&self, label: u32) -> Option<ExprId> {
        let place = *self.places.get(label as usize)?;
        self.expressions
            .get((place as usize).wrapping_sub(1))
            .copied()
    }

    fn enter(&mut self, label: u32, expression: ExprId) {
        self.expressions.push(expression);
        // Not more expressions than labels, and labels are `u32`.
        self.places[label as usize] = self.expressions.len() as u32;
    }
}

impl Trace {
    /// A decoder that knows no label yet.
    #[must_use]
    pub fn decoder(&self) -> Decoder {
        Decoder::new(self.recording().nodes.len())
    }

    /// The condition of a step (one bit): it is true under the run's input.
    pub fn condition(&self, decoder: &mut Decoder, step: usize) -> ExprId {
        if let Some(Some(known)) = decoder.conditions.get(step) {
            return *known;
        }
        let there = self.steps()[step];
        let value = self.expression(decoder, there.label);
        let condition = self.flipped_by(decoder, value, step, there.direction);
        let known = &mut decoder.conditions;
        known.resize(known.len().max(step + 1), None);
        known[step] = Some(condition);
        condition
    }

    /// The expression of a label other than 0.
    ///
    /// # Panics
    /// If there is no such label in this trace, or the decoder is another trace's.
    pub fn expression(&self, decoder: &mut Decoder, label: u32) -> ExprId {
        let mut stack = vec![label];
        while let Some(&next) = stack.last() {
            if decoder.known(next).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_each_operand(next, decoder, |decoder, operand| {
                if decoder.known(operand).is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let expression = self.build(decoder, next);
                decoder.enter(next, expression);
                stack.pop();
            }
        }
        decoder
            .known(label)
            .expect("the loop ends when the label is known")
    }

    /// Visits the labels that must be decoded before this one.
    fn for_each_operand(
        &self,
        label: u32,
        decoder: &Decoder,
        mut visit: impl FnMut(&Decoder, u32),
    ) {
        let node = &self.recording().nodes[label as usize];
        if Op::from_u8(node.op) == Some(Op::Table) && decoder.tables.contains_key(&node.imm) {
            visit(decoder, node.a);
            return;
        }
        self.operands(label, |operand| visit(decoder, operand));
    }

    /// Builds the expression of a label whose operands are known.
    fn build(&self, decoder: &mut Decoder, label: u32) -> ExprId {
        let node = self.recording().nodes[label as usize];
        let width = u32::from(node.width);
        let op = Op::from_u8(node.op).expect("nodes are valid");
        let known = |decoder: &Decoder, label| decoder.known(label).expect("operands come first");
        match op {
            Op::Input => {
                let (stream, offset) = ((node.imm >> 32) as u16, node.imm as u32);
                decoder.pool.input(stream, offset, width / 8)
            }
            Op::Length => {
                let stream = node.imm as u16;
                decoder.pool.symbol(labrys_expr::Symbol::Length { stream })
            }
            Op::Const => decoder.pool.constant(width, u128::from(node.imm)),
            Op::ZExt | Op::SExt | Op::Extract => {
                let a = known(decoder, node.a);
                match op {
                    Op::ZExt => decoder.pool.zext(a, width),
                    Op::SExt => decoder.pool.sext(a, width),
                    _ => decoder.pool.extract(a, node.imm as u32, width),
                }
            }
            Op::Concat => {
                let (a, b) = (known(decoder, node.a), known(decoder, node.b));
                decoder.pool.concat(a, b)
            }
            Op::Ite => {
                let (a, b) = (known(decoder, node.a), known(decoder, node.b));
                let condition = known(decoder, node.c);
                decoder.pool.ite(condition, a, b)
            }
            Op::FToF | Op::FToU | Op::FToS | Op::UToF | Op::SToF => {
                let a = known(decoder, node.a);
                decoder.pool.convert(same_op(op), a, width)
            }
            Op::FRound => {
                let mode = Rounding::from_u8(node.imm as u8).expect("nodes are valid");
                let a = known(decoder, node.a);
                decoder.pool.round(mode, a)
            }
            Op::Table => {
                let table = self.table(decoder, node.imm);
                let index = known(decoder, node.a);
                decoder.pool.table_read(table, index, width / 8)
            }
            Op::External => self.external(decoder, &node),
            _ if op.is_binary() => binary(decoder, op, &node),
            _ => {
                let a = known(decoder, node.a);
                decoder.pool.unary(same_op(op), a)
            }
        }
    }

    fn table(&self, decoder: &mut Decoder, offset: u64) -> TableId {
        if let Some(table) = decoder.tables.get(&offset) {
            return *table;
        }
        let snapshot = self.recording().snapshot(offset).expect("nodes are valid");
        let entries: Vec<_> = snapshot
            .labels()
            .map(|(at, label)| (at, decoder.known(label).expect("operands come first")))
            .collect();
        let table = decoder.pool.enter_table(snapshot.bytes, &entries);
        decoder.tables.insert(offset, table);
        table
    }

    fn external(&self, decoder: &mut Decoder, node: &Node) -> ExprId {
        let call = self.recording().call(node.imm).expect("nodes are valid");
        let arguments: Vec<_> = call
            .arguments()
            .map(|argument| match argument.label {
                0 => decoder
                    .pool
                    .constant(argument.width, u128::from(argument.value)),
                label => decoder.known(label).expect("operands come first"),
            })
            .collect();
        decoder
            .pool
            .external(call.name, &arguments, u32::from(node.width))
    }

    /// Visits the labels of a node's operands.
    pub(crate) fn operands(&self, label: u32, mut visit: impl FnMut(u32)) {
        let node = &self.recording().nodes[label as usize];
        match Op::from_u8(node.op) {
            None | Some(Op::Input | Op::Length | Op::Const) => {}
            Some(Op::Ite) => [node.a, node.b, node.c].into_iter().for_each(visit),
            Some(Op::Table) => {
                visit(node.a);
                if let Some(snapshot) = self.recording().snapshot(node.imm) {
                    snapshot.labels().for_each(|(_, label)| visit(label));
                }
            }
            Some(Op::External) => {
                if let Some(call) = self.recording().call(node.imm) {
                    let labels = call.arguments().map(|argument| argument.label);
                    labels.filter(|label| *label != 0).for_each(visit);
                }
            }
            Some(Op::Concat) => [node.a, node.b].into_iter().for_each(visit),
            Some(op) if op.is_binary() => {
                if node.flags & flag::A_IMMEDIATE == 0 {
                    visit(node.a);
                }
                if node.flags & flag::B_IMMEDIATE == 0 {
                    visit(node.b);
                }
            }
            Some(_) => visit(node.a),
        }
    }
}

fn binary(decoder: &mut Decoder, op: Op, node: &Node) -> ExprId {
    let width = if op.is_predicate() {
        node.aux()
    } else {
        u32::from(node.width)
    };
    let mut operand = |label, bit| match node.flags & bit {
        0 => decoder.known(label).expect("operands come first"),
        _ => decoder.pool.constant(width, u128::from(node.imm)),
    };
    let (a, b) = (
        operand(node.a, flag::A_IMMEDIATE),
        operand(node.b, flag::B_IMMEDIATE),
    );
    match op {
        Op::Ne => decoder.pool.ne(a, b),
        _ => decoder.pool.binary(same_op(op), a, b),
    }
}

/// The operation of the same name and meaning; of `Ne`, the operation that it negates.
fn same_op(op: Op) -> ExprOp {
    match op {
        Op::Input => ExprOp::Symbol,
        Op::Length => ExprOp::Symbol,
        Op::Const => ExprOp::Const,
        Op::Not => ExprOp::Not,
        Op::Neg => ExprOp::Neg,
        Op::ZExt => ExprOp::ZExt,
        Op::SExt => ExprOp::SExt,
        Op::Extract => ExprOp::Extract,
        Op::Concat => ExprOp::Concat,
        Op::Ite => ExprOp::Ite,
        Op::Add => ExprOp::Add,
        Op::Sub => ExprOp::Sub,
        Op::Mul => ExprOp::Mul,
        Op::UDiv => ExprOp::UDiv,
        Op::SDiv => ExprOp::SDiv,
        Op::URem => ExprOp::URem,
        Op::SRem => ExprOp::SRem,
        Op::Shl => ExprOp::Shl,
        Op::LShr => ExprOp::LShr,
        Op::AShr => ExprOp::AShr,
        Op::And => ExprOp::And,
        Op::Or => ExprOp::Or,
        Op::Xor => ExprOp::Xor,
        Op::Eq | Op::Ne => ExprOp::Eq,
        Op::Ult => ExprOp::Ult,
        Op::Ule => ExprOp::Ule,
        Op::Slt => ExprOp::Slt,
        Op::Sle => ExprOp::Sle,
        Op::FAdd => ExprOp::FAdd,
        Op::FSub => ExprOp::FSub,
        Op::FMul => ExprOp::FMul,
        Op::FDiv => ExprOp::FDiv,
        Op::FRem => ExprOp::FRem,
        Op::FNeg => ExprOp::FNeg,
        Op::FAbs => ExprOp::FAbs,
        Op::FSqrt => ExprOp::FSqrt,
        Op::FOeq => ExprOp::FOeq,
        Op::FOlt => ExprOp::FOlt,
        Op::FOle => ExprOp::FOle,
        Op::FUno => ExprOp::FUno,
        Op::FToF => ExprOp::FToF,
        Op::FToU => ExprOp::FToU,
        Op::FToS => ExprOp::FToS,
        Op::UToF => ExprOp::UToF,
        Op::SToF => ExprOp::SToF,
        Op::FRound => ExprOp::FRound,
        Op::PopCount => ExprOp::PopCount,
        Op::LeadingZeros => ExprOp::LeadingZeros,
        Op::TrailingZeros => ExprOp::TrailingZeros,
        Op::Table => ExprOp::Table,
        Op::External => ExprOp::External,
    }
}

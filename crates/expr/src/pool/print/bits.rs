//! Text of bit-vector operations and truth values.

use super::{Printer, Text};
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::value::Value;

impl Printer<'_> {
    /// The text of an expression that is no float.
    pub(super) fn bits_or_truth(&mut self, id: ExprId) -> Text {
        let node = *self.pool.node(id);
        let mut size = 1;
        self.pool
            .for_each_child(id, |child| size += self.size(child));
        let text = match node.op {
            Op::Const => self.constant(id),
            Op::Symbol => match self.symbols {
                Some(name) => name(node.symbol()),
                None if node.width() == 1 => format!("(= {} #b1)", node.symbol()),
                None => node.symbol().to_string(),
            },
            Op::External => self.call(id),
            op if op.takes_floats() => self.of_floats(&node),
            op if op.is_predicate() => self.predicate(&node),
            Op::Ite => {
                let [c, t, e] = node.args.map(|id| self.term(id));
                format!("(ite {c} {t} {e})")
            }
            _ if node.width() == 1 => self.truth(&node),
            _ => self.bits(&node),
        };
        Text { text, size }
    }

    fn constant(&self, id: ExprId) -> String {
        match id {
            ExprId::FALSE => "false".into(),
            ExprId::TRUE => "true".into(),
            _ => self
                .pool
                .value(id)
                .map(|value| value.to_string())
                .unwrap_or_default(),
        }
    }

    fn predicate(&mut self, node: &Node) -> String {
        let [a, b, _] = node.args;
        if node.op == Op::Eq {
            return format!("(= {} {})", self.term(a), self.term(b));
        }
        let name = match node.op {
            Op::Ult => "bvult",
            Op::Ule => "bvule",
            Op::Slt => "bvslt",
            _ => "bvsle",
        };
        format!("({name} {} {})", self.vector(a), self.vector(b))
    }

    /// A one-bit operation: logical where there is a logical one.
    fn truth(&mut self, node: &Node) -> String {
        let name = match node.op {
            Op::Not => return format!("(not {})", self.term(node.args[0])),
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            _ => return format!("(= {} #b1)", self.bits(node)),
        };
        format!(
            "({name} {} {})",
            self.term(node.args[0]),
            self.term(node.args[1])
        )
    }

    fn bits(&mut self, node: &Node) -> String {
        let a = self.vector(node.args[0]);
        match node.op {
            Op::ZExt | Op::SExt => {
                let by = node.width() - self.pool.width(node.args[0]);
                let name = if node.op == Op::ZExt {
                    "zero_extend"
                } else {
                    "sign_extend"
                };
                format!("((_ {name} {by}) {a})")
            }
            Op::Extract => {
                let (high, low) = (node.low() + node.width() - 1, node.low());
                format!("((_ extract {high} {low}) {a})")
            }
            op if op.arity() == 1 => format!("({} {a})", name(op)),
            op => format!("({} {a} {})", name(op), self.vector(node.args[1])),
        }
    }

    /// The text as a bit-vector, also where the expression has one bit.
    pub(super) fn vector(&mut self, id: ExprId) -> String {
        let text = self.term(id);
        if self.pool.width(id) > 1 {
            return text;
        }
        match self.pool.bits(id) {
            Some(bits) => Value::new(1, bits).to_string(),
            None => format!("(ite {text} #b1 #b0)"),
        }
    }

    fn call(&mut self, id: ExprId) -> String {
        let pool = self.pool;
        let Some(call) = pool.as_call(id) else {
            return String::new();
        };
        let width = pool.width(id);
        let widths: Vec<_> = call.arguments().iter().map(|id| pool.width(*id)).collect();
        let suffix: String = widths.iter().map(|width| format!("_{width}")).collect();
        let name = format!(
            "|{}{suffix}_{width}|",
            call.name().replace(['|', '\\'], "_")
        );
        let sorts: Vec<_> = widths
            .iter()
            .map(|width| format!("(_ BitVec {width})"))
            .collect();
        let sorts = sorts.join(" ");
        let declaration = format!("(declare-fun {name} ({sorts}) (_ BitVec {width}))");
        self.functions.insert(name.clone(), declaration);
        let arguments: Vec<_> = call.arguments().iter().map(|id| self.vector(*id)).collect();
        let text = if arguments.is_empty() {
            name
        } else {
            format!("({name} {})", arguments.join(" "))
        };
        if width == 1 {
            format!("(= {text} #b1)")
        } else {
            text
        }
    }
}

fn name(op: Op) -> &'static str {
    match op {
        Op::Not => "bvnot",
        Op::Neg => "bvneg",
        Op::Concat => "concat",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::SDiv => "bvsdiv",
        Op::URem => "bvurem",
        Op::SRem => "bvsrem",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        _ => "unknown",
    }
}

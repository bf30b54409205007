//! A short text form for people: tests, logs, error messages.

use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;

/// Most nodes that are written before the rest becomes an ellipsis.
const MOST: usize = 200;

/// Shows an expression, see [`Pool::display`].
#[derive(Debug)]
pub struct Display<'a> {
    pool: &'a Pool,
    id: ExprId,
}

enum Item {
    Expression(ExprId),
    Text(String),
}

impl<'a> Display<'a> {
    pub(super) fn new(pool: &'a Pool, id: ExprId) -> Self {
        Display { pool, id }
    }
}

impl std::fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut stack = vec![Item::Expression(self.id)];
        let mut count = 0;
        while let Some(item) = stack.pop() {
            match item {
                Item::Text(text) => f.write_str(&text)?,
                Item::Expression(id) => {
                    count += 1;
                    if count > MOST {
                        f.write_str("…")?;
                    } else {
                        self.open(id, f, &mut stack)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Display<'_> {
    /// Writes the head of one expression; its operands go on the stack.
    fn open(
        &self,
        id: ExprId,
        f: &mut std::fmt::Formatter<'_>,
        stack: &mut Vec<Item>,
    ) -> std::fmt::Result {
        if let Some(value) = self.pool.value(id) {
            return write!(f, "{value}");
        }
        if let Some(symbol) = self.pool.as_symbol(id) {
            return write!(f, "{symbol}");
        }
        let node = self.pool.node(id);
        write!(f, "({}", self.head(id))?;
        let mut children = Vec::new();
        if let Some((table, index)) = self.pool.as_table_read(id) {
            write!(f, " {}", self.pool.table(table).bytes().len())?;
            children.push(index);
        } else {
            self.pool.visit_children(node, |child| children.push(child));
        }
        stack.push(Item::Text(")".into()));
        for child in children.into_iter().rev() {
            stack.push(Item::Expression(child));
            stack.push(Item::Text(" ".into()));
        }
        Ok(())
    }

    fn head(&self, id: ExprId) -> String {
        let node = self.pool.node(id);
        match node.op {
            Op::ZExt | Op::SExt => format!("{}{}", node.op.name(), node.width()),
            Op::FToF | Op::FToU | Op::FToS | Op::UToF | Op::SToF | Op::Table => {
                format!("{}{}", node.op.name(), node.width())
            }
            Op::Extract => format!("extract {} {}", node.low() + node.width() - 1, node.low()),
            Op::FRound => format!("fround {:?}", node.rounding()),
            Op::External => {
                let name = self.pool.as_call(id).map_or("?", |call| call.name());
                format!("call {name}")
            }
            op => op.name().to_owned(),
        }
    }
}

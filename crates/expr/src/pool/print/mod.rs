//! Constraints as an SMT-LIB script that any solver reads.
//!
//! Shared and large subterms get names by `define-fun`, so that terms nest little however deep
//! the expressions are. One-bit expressions are printed as `Bool`; floats as `FloatingPoint`,
//! with a fresh bit-vector that is tied to the float where its bit pattern is used; external
//! functions are uninterpreted; table reads and bit counts are [spelled out](Pool::spelled_out).

mod bits;
mod c;
mod float;

pub use c::{CVariable, c_implied};

use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;
use crate::pool::substitute::Rebuilt;
use crate::symbol::Symbol;

/// A term of more than this many operations gets a name.
const MOST_INLINE: u32 = 24;

/// A script that declares the symbols, asserts the constraints (one bit each) and checks.
#[must_use]
pub fn smtlib(pool: &Pool, constraints: &[ExprId]) -> String {
    let mut spelled = Pool::spelled_out();
    let mut rebuilt = Rebuilt::new();
    let goals: Vec<_> = constraints
        .iter()
        .map(|id| spelled.rebuild(Some(pool), *id, &mut rebuilt, &mut |_, _| None))
        .collect();
    let mut printer = Printer::new(&spelled, &goals);
    for id in printer.order.clone() {
        printer.define(id);
    }
    for goal in &goals {
        let text = printer.term(*goal);
        let _ = writeln!(printer.body, "(assert {text})");
    }
    printer.script()
}

/// A condition as one term, in which `name` gives the text of each symbol: a `Bool` for one bit, else
/// a bit-vector. `None` where a term does not say it: for floats and external functions.
#[must_use]
pub fn smtlib_term(pool: &Pool, id: ExprId, name: &dyn Fn(Symbol) -> String) -> Option<String> {
    let mut spelled = Pool::spelled_out();
    let goal = spelled.rebuild(Some(pool), id, &mut Rebuilt::new(), &mut |_, _| None);
    let mut printer = Printer::new(&spelled, &[goal]);
    printer.symbols = Some(name);
    for id in printer.order.clone() {
        let op = spelled.op(id);
        if op.takes_floats() || op.gives_float() || op == Op::External {
            return None;
        }
        printer.define(id);
    }
    let mut text = printer.term(goal);
    for (name, value) in printer.lets.iter().rev() {
        text = format!("(let (({name} {value})) {text})");
    }
    Some(text)
}

/// The text of an expression: `Bool` for one bit, else a bit-vector.
#[derive(Clone, Debug, Default)]
struct Text {
    text: String,
    size: u32,
}

struct Printer<'a> {
    pool: &'a Pool,
    /// Reachable expressions, operands before users.
    order: Vec<ExprId>,
    uses: FxHashMap<ExprId, u32>,
    terms: FxHashMap<ExprId, Text>,
    /// Names of `FloatingPoint` terms of expressions that floating operations use or give.
    floats: FxHashMap<ExprId, String>,
    functions: BTreeMap<String, String>,
    names: u32,
    body: String,
    /// How symbols are called in a term; a script declares them by their own names.
    symbols: Option<&'a dyn Fn(Symbol) -> String>,
    /// Names and values of shared subterms of a term; a script defines them in its body.
    lets: Vec<(String, String)>,
}

impl<'a> Printer<'a> {
    fn new(pool: &'a Pool, goals: &[ExprId]) -> Self {
        let (mut order, mut uses) = (Vec::new(), FxHashMap::default());
        let mut stack: Vec<_> = goals.iter().map(|id| (*id, false)).collect();
        while let Some((id, ready)) = stack.pop() {
            if ready {
                order.push(id);
                continue;
            }
            let count = uses.entry(id).or_insert(0);
            *count += 1;
            if *count == 1 {
                stack.push((id, true));
                pool.for_each_child(id, |child| stack.push((child, false)));
            }
        }
        // An expression may be met by a second user before it is complete; what counts is that
        // operands have smaller ids.
        order.sort_unstable();
        Printer {
            pool,
            order,
            uses,
            terms: FxHashMap::default(),
            floats: FxHashMap::default(),
            functions: BTreeMap::new(),
            names: 0,
            body: String::new(),
            symbols: None,
            lets: Vec::new(),
        }
    }

    /// Prepares the text of an expression whose operands have theirs.
    fn define(&mut self, id: ExprId) {
        let node = self.pool.node(id);
        if node.op.gives_float() {
            self.define_float(id);
            return;
        }
        let text = self.bits_or_truth(id);
        let leaf = matches!(node.op, Op::Const | Op::Symbol);
        let named = !leaf && (self.uses.get(&id) > Some(&1) || text.size > MOST_INLINE);
        let text = if named { self.named(id, &text) } else { text };
        self.terms.insert(id, text);
    }

    fn named(&mut self, id: ExprId, text: &Text) -> Text {
        let name = if self.symbols.is_some() {
            let name = self.fresh("_let_");
            self.lets.push((name.clone(), text.text.clone()));
            name
        } else {
            let (name, sort) = (self.fresh("e"), sort(self.pool.width(id)));
            let _ = writeln!(self.body, "(define-fun {name} () {sort} {})", text.text);
            name
        };
        Text {
            text: name,
            size: 1,
        }
    }

    /// The prepared text of an expression; the bit pattern where it is a float.
    fn term(&mut self, id: ExprId) -> String {
        if self.pool.node(id).op.gives_float() {
            return self.pattern(id);
        }
        self.terms
            .get(&id)
            .map(|text| text.text.clone())
            .unwrap_or_default()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn size(&self, id: ExprId) -> u32 {
        self.terms.get(&id).map_or(1, |text| text.size)
    }

    fn script(self) -> String {
        let mut script = String::new();
        let has_floats = self.order.iter().any(|id| {
            let op = self.pool.op(*id);
            op.takes_floats() || op.gives_float()
        });
        let functions = if self.functions.is_empty() { "" } else { "UF" };
        let floats = if has_floats { "FP" } else { "" };
        let _ = writeln!(script, "(set-logic QF_{functions}BV{floats})");
        let mut symbols: Vec<_> = self
            .order
            .iter()
            .filter_map(|id| self.pool.as_symbol(*id))
            .collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let width = symbol.width();
            let _ = writeln!(script, "(declare-const {symbol} (_ BitVec {width}))");
        }
        for declaration in self.functions.values() {
            let _ = writeln!(script, "{declaration}");
        }
        script.push_str(&self.body);
        script.push_str("(check-sat)\n");
        script
    }
}

fn sort(width: u32) -> String {
    if width == 1 {
        "Bool".into()
    } else {
        format!("(_ BitVec {width})")
    }
}

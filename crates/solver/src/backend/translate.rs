//! Expressions of a pool as terms of the solver.
//!
//! An expression can be needed in three forms: as a truth value, as bits, as a float. Each
//! operation has one native form; the others are made of it. Only floats need care: there is no
//! term for the bits of a float, so a fresh bit-vector stands for them, with a definition that
//! belongs to every formula that mentions it ([`Translator::definitions`]).
//!
//! Invariant: equal expressions of different pools become equal terms, so nothing here depends
//! on which pool was translated before ([`Translator::start_pool`] drops the map from ids).

use std::rc::Rc;

use labrys_expr::{ExprId, Op, Pool, Symbol, TableId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cost::{self, Ledger};
use super::tables::Read;
use super::terms::{Format, Terms};
use super::{counts, floats};
use crate::bitwuzla::{Error, Kind, Term};

/// Why an expression has no term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The solver refused.
    Solver(String),
    /// A table with too many entries.
    Table {
        /// Its length in bytes.
        length: usize,
    },
    /// Building it takes more steps than there are.
    Large,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Solver(error.to_string())
    }
}

/// The form in which a term is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Truth,
    Bits,
    Float,
}

/// Terms of one expression by [`Form`].
type Forms = [Option<Term>; 3];

/// A table's bytes, and the terms of those that are no constants.
type Contents = (Box<[u8]>, Box<[(u32, Term)]>);

/// A function's name, its arguments, and the width of its result.
type Call = (Rc<str>, Vec<Term>, u32);

/// Translates expressions and remembers the terms.
pub(super) struct Translator {
    pub(super) terms: Terms,
    symbols: FxHashMap<Symbol, Term>,
    tables: FxHashMap<Rc<Contents>, u32>,
    /// Reads by table, index and number of bytes.
    reads: FxHashMap<(u32, Term, u32), Option<Term>>,
    /// About how many gates such a read has.
    gates_of_reads: FxHashMap<Term, u64>,
    calls: FxHashMap<Call, Term>,
    /// Patterns of floats with their definitions.
    patterns: FxHashMap<Term, (Term, Term)>,

    pub(super) ledger: Ledger,
    /// Steps that there are for the present problem.
    allowance: u64,

    // Of the pool at hand:
    forms: Vec<Forms>,
    touched: Vec<ExprId>,
    definitions: FxHashMap<ExprId, Vec<Term>>,
    opaque: Vec<ExprId>,
}

impl Translator {
    pub(super) fn new(terms: Terms) -> Self {
        Translator {
            terms,
            symbols: FxHashMap::default(),
            tables: FxHashMap::default(),
            reads: FxHashMap::default(),
            gates_of_reads: FxHashMap::default(),
            calls: FxHashMap::default(),
            patterns: FxHashMap::default(),
            ledger: Ledger::default(),
            allowance: u64::MAX,
            forms: Vec::new(),
            touched: Vec::new(),
            definitions: FxHashMap::default(),
            opaque: Vec::new(),
        }
    }

    /// Prepares for another pool: no expression has a term. No more of it is to be translated than
    /// so many steps can build.
    pub(super) fn start_pool(&mut self, steps: Option<u64>) {
        self.allowance = steps.unwrap_or(u64::MAX);
        for id in self.touched.drain(..) {
            self.forms[id.index()] = [None; 3];
        }
        self.ledger.next();
        self.definitions.clear();
        self.opaque.clear();
    }

    /// The term of a symbol, if a term mentions it.
    pub(super) fn symbol(&self, symbol: Symbol) -> Option<Term> {
        self.symbols.get(&symbol).copied()
    }

    /// What was seen since [`start_pool`](Translator::start_pool) and has no term: external calls, and
    /// remainders of doubles, whose circuit has millions of gates. Each was replaced by a value
    /// about which little is said, so satisfiability has to be checked by evaluation. Operands
    /// stand before their users.
    pub(super) fn opaque(&self) -> &[ExprId] {
        &self.opaque
    }

    /// The one-bit expression as a truth value, together with the definitions it rests on.
    pub(super) fn formula(&mut self, pool: &Pool, id: ExprId) -> Result<Term, Refusal> {
        let mut formula = self.translate(pool, id, Form::Truth)?;
        for definition in self.definitions(pool, id) {
            formula = self.terms.term(Kind::And, &[formula, definition])?;
        }
        Ok(formula)
    }

    /// Does `id`, which has been translated, have this value? A truth value. Forms that `id` does
    /// not have yet are no use: their definitions would not belong to any formula.
    pub(super) fn has_value(
        &mut self,
        pool: &Pool,
        id: ExprId,
        value: Value,
    ) -> Result<Term, Error> {
        let (width, bits) = (value.width(), value.bits());
        if let Some(term) = self.known(id, Form::Bits) {
            self.terms.is_value(term, width, bits)
        } else if let Some(term) = self.known(id, Form::Float) {
            let float = self.terms.float_value(Format::of(width)?, bits)?;
            self.terms.term(Kind::Equal, &[term, float])
        } else if let Some(term) = self.known(id, Form::Truth) {
            let truth = self.terms.instance.truth(bits == 1)?;
            self.terms.term(Kind::Equal, &[term, truth])
        } else {
            Err(Error::Refused(format!("{:?} has no term", pool.op(id))))
        }
    }

    /// Definitions of the patterns of all floats in `id`.
    fn definitions(&self, pool: &Pool, id: ExprId) -> Vec<Term> {
        let mut found = Vec::new();
        if self.definitions.is_empty() {
            return found;
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                found.extend(self.definitions.get(&id).into_iter().flatten());
                pool.for_each_child(id, |child| stack.push(child));
            }
        }
        found
    }

    fn known(&self, id: ExprId, form: Form) -> Option<Term> {
        self.forms
            .get(id.index())
            .and_then(|forms| forms[form as usize])
    }

    /// The term of an operand that was asked for before.
    fn operand(&self, (id, form): (ExprId, Form)) -> Result<Term, Refusal> {
        self.known(id, form)
            .ok_or_else(|| Refusal::Solver("an operand has no term".into()))
    }

    fn translate(&mut self, pool: &Pool, id: ExprId, form: Form) -> Result<Term, Refusal> {
        if self.forms.len() < pool.len() {
            self.forms.resize(pool.len(), [None; 3]);
        }
        let mut stack = vec![(id, form)];
        let mut needed = Vec::new();
        while let Some(&(id, form)) = stack.last() {
            if self.known(id, form).is_some() {
                stack.pop();
                continue;
            }
            needed.clear();
            operands(pool, id, form, &mut needed);
            let waiting = stack.len();
            stack.extend(
                needed
                    .iter()
                    .filter(|(id, form)| self.known(*id, *form).is_none()),
            );
            if stack.len() == waiting {
                let term = self.build(pool, id, form, &needed)?;
                self.touched.push(id);
                let gates = self.gates(pool, id, term);
                self.ledger.uses(term, gates);
                if self.ledger.cost() > self.allowance {
                    return Err(Refusal::Large);
                }
                self.forms[id.index()][form as usize] = Some(term);
                stack.pop();
            }
        }
        self.operand((id, form))
    }

    /// The term of `id`, whose `operands` have theirs.
    fn build(
        &mut self,
        pool: &Pool,
        id: ExprId,
        form: Form,
        needed: &[(ExprId, Form)],
    ) -> Result<Term, Refusal> {
        let mut known = Vec::with_capacity(needed.len());
        for &operand in needed {
            known.push(self.operand(operand)?);
        }
        let native = native(pool, id);
        if form == native {
            return self.native(pool, id, &known);
        }
        let width = pool.width(id);
        Ok(match (form, native) {
            (Form::Truth, _) => self.terms.truth_of_bit(known[0])?,
            (Form::Bits, Form::Truth) => self.terms.bit_of_truth(known[0])?,
            (Form::Bits, _) => self.pattern(id, width, known[0])?,
            (Form::Float, _) => match pool.op(id) {
                Op::FNeg => self.terms.term(Kind::FpNeg, &known)?,
                Op::FAbs => self.terms.term(Kind::FpAbs, &known)?,
                Op::Ite => self.terms.term(Kind::Ite, &known)?,
                _ => self.terms.float(Format::of(width)?, known[0])?,
            },
        })
    }

    /// The bit pattern of the float that `id` computes.
    fn pattern(&mut self, id: ExprId, width: u32, float: Term) -> Result<Term, Refusal> {
        let (pattern, definition) = match self.patterns.get(&float) {
            Some(&known) => known,
            None => floats::pattern(&mut self.terms, Format::of(width)?, float)?,
        };
        self.patterns.insert(float, (pattern, definition));
        self.definitions.entry(id).or_default().push(definition);
        Ok(pattern)
    }

    /// The term of `id` in its native form.
    fn native(&mut self, pool: &Pool, id: ExprId, known: &[Term]) -> Result<Term, Refusal> {
        let node = pool.node(id);
        let (op, width) = (node.op(), node.width());
        let from = node
            .operands()
            .first()
            .map_or(width, |&operand| pool.width(operand));
        let terms = &mut self.terms;
        let added = [u64::from(width - from.min(width))];
        Ok(match op {
            Op::Const if width == 1 => terms.instance.truth(pool.bits(id) == Some(1))?,
            Op::Const => terms.bits(width, pool.bits(id).unwrap_or(0))?,
            Op::Symbol => return self.enter_symbol(pool, id),
            Op::ZExt => terms.indexed(Kind::ZeroExtend, known, &added)?,
            Op::SExt => terms.indexed(Kind::SignExtend, known, &added)?,
            Op::Extract => terms.extract(known[0], node.low(), width)?,
            Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => {
                counts::count(terms, op, known[0], width)?
            }
            Op::FNeg | Op::FAbs => {
                let sign = Format::of(width)?.sign();
                let (kind, mask) = match op {
                    Op::FNeg => (Kind::BitXor, sign),
                    _ => (Kind::BitAnd, sign - 1),
                };
                let mask = terms.bits(width, mask)?;
                terms.term(kind, &[known[0], mask])?
            }
            Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => {
                floats::comparison(terms, op, known[0], known[1])?
            }
            Op::FToF | Op::UToF | Op::SToF => {
                floats::to_float(terms, op, Format::of(width)?, known[0])?
            }
            Op::FToU | Op::FToS => {
                floats::to_integer(terms, op, Format::of(from)?, known[0], width)?
            }
            Op::FRound => floats::round(terms, node.rounding(), known[0])?,
            Op::FRem if width == 64 => return self.remainder(id, known),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt => {
                floats::arithmetic(terms, op, Format::of(width)?, known)?
            }
            Op::Table => return self.read(pool, id, known),
            Op::External => return self.call(pool, id, known),
            _ => terms.term(kind(op, width), known)?,
        })
    }

    fn enter_symbol(&mut self, pool: &Pool, id: ExprId) -> Result<Term, Refusal> {
        let Some(symbol) = pool.as_symbol(id) else {
            return Err(Refusal::Solver("a symbol without a key".into()));
        };
        if let Some(&known) = self.symbols.get(&symbol) {
            return Ok(known);
        }
        let term = self.terms.fresh(symbol.width(), &symbol.to_string())?;
        self.symbols.insert(symbol, term);
        Ok(term)
    }

    /// A table read; the operands are the index, then the entries that are no constants.
    fn read(&mut self, pool: &Pool, id: ExprId, known: &[Term]) -> Result<Term, Refusal> {
        let Some((table, index)) = pool.as_table_read(id) else {
            return Err(Refusal::Solver("a table read without a table".into()));
        };
        let count = pool.width(id) / 8;
        let (number, contents) = self.contents(pool, table, &known[1..]);
        let key = (number, known[0], count);
        let term = match self.reads.get(&key) {
            Some(&term) => term,
            None => {
                let read = Read::new(pool, table, &contents.1, (index, known[0]), count);
                let term = read.build(&mut self.terms)?;
                self.reads.insert(key, term);
                term.inspect(|term| {
                    self.gates_of_reads.insert(*term, read.gates());
                })
            }
        };
        term.ok_or_else(|| Refusal::Table {
            length: contents.0.len(),
        })
    }

    /// About how many gates the operation of `id` has, whose term this is.
    fn gates(&self, pool: &Pool, id: ExprId, term: Term) -> u64 {
        match pool.op(id) {
            Op::Table => self.gates_of_reads.get(&term).copied().unwrap_or(0),
            _ => gates_of_operation(pool, id),
        }
    }

    /// The number of a table with these contents.
    fn contents(&mut self, pool: &Pool, id: TableId, entries: &[Term]) -> (u32, Rc<Contents>) {
        let table = pool.table(id);
        let offsets = table.entries().iter().map(|(offset, _)| *offset);
        let contents: Contents = (
            table.bytes().into(),
            offsets.zip(entries.iter().copied()).collect(),
        );
        if let Some((contents, &number)) = self.tables.get_key_value(&contents) {
            return (number, contents.clone());
        }
        let number = self.tables.len() as u32;
        let contents = Rc::new(contents);
        self.tables.insert(contents.clone(), number);
        (number, contents)
    }

    /// A value about which nothing is said but that equal calls have equal ones.
    fn call(&mut self, pool: &Pool, id: ExprId, known: &[Term]) -> Result<Term, Refusal> {
        let Some(call) = pool.as_call(id) else {
            return Err(Refusal::Solver("a call without a function".into()));
        };
        let key = (Rc::from(call.name()), known.to_vec(), pool.width(id));
        self.stand_in(id, key)
    }

    /// A remainder of doubles.
    fn remainder(&mut self, id: ExprId, known: &[Term]) -> Result<Term, Refusal> {
        let pattern = self.stand_in(id, (Rc::from("fmod"), known.to_vec(), 64))?;
        let remainder = self.terms.float(Format::Double, pattern)?;
        let definition = floats::remainder_bounds(&mut self.terms, remainder, known)?;
        self.definitions.entry(id).or_default().push(definition);
        Ok(remainder)
    }

    /// A value that stands for a call.
    fn stand_in(&mut self, id: ExprId, call: Call) -> Result<Term, Refusal> {
        self.opaque.push(id);
        if let Some(&term) = self.calls.get(&call) {
            return Ok(term);
        }
        let term = self.terms.fresh(call.2, &call.0)?;
        self.calls.insert(call, term);
        Ok(term)
    }
}

/// About how many gates the operation of `id` has, which is no read of a table.
fn gates_of_operation(pool: &Pool, id: ExprId) -> u64 {
    let operand = pool
        .node(id)
        .operands()
        .first()
        .map_or(0, |&operand| pool.width(operand));
    let width = operand.max(pool.width(id));
    let constant = pool
        .node(id)
        .operands()
        .iter()
        .find_map(|id| pool.bits(*id));
    match (pool.op(id), constant) {
        // By a constant: one sum for each bit that is set, or not set.
        (Op::Mul, Some(factor)) => {
            let negated = factor.wrapping_neg() & labrys_expr::mask(width);
            let sums = factor.count_ones().min(negated.count_ones());
            cost::gates(Op::Add, width) * u64::from(sums)
        }
        (Op::Shl | Op::LShr | Op::AShr, Some(_)) => 0,
        (op, _) => cost::gates(op, width),
    }
}

/// The form in which the solver computes this operation.
fn native(pool: &Pool, id: ExprId) -> Form {
    let op = pool.op(id);
    match op {
        Op::FNeg | Op::FAbs => Form::Bits,
        _ if op.gives_float() => Form::Float,
        _ if op.is_predicate() => Form::Truth,
        Op::Const | Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite if pool.width(id) == 1 => {
            Form::Truth
        }
        _ => Form::Bits,
    }
}

/// What is needed before `id` can be built in this form.
fn operands(pool: &Pool, id: ExprId, form: Form, needed: &mut Vec<(ExprId, Form)>) {
    let op = pool.op(id);
    let native = native(pool, id);
    let operands = pool.node(id).operands();
    if form != native {
        match op {
            Op::FNeg | Op::FAbs if form == Form::Float => needed.push((operands[0], Form::Float)),
            Op::Ite if form == Form::Float => needed.extend([
                (operands[0], Form::Truth),
                (operands[1], Form::Float),
                (operands[2], Form::Float),
            ]),
            _ => needed.push((id, native)),
        }
        return;
    }
    match op {
        Op::Ite => needed.extend([
            (operands[0], Form::Truth),
            (operands[1], native),
            (operands[2], native),
        ]),
        Op::Not | Op::And | Op::Or | Op::Xor => {
            needed.extend(operands.iter().map(|&operand| (operand, native)));
        }
        Op::Eq if pool.width(operands[0]) == 1 => {
            needed.extend(operands.iter().map(|&operand| (operand, Form::Truth)));
        }
        Op::FNeg | Op::FAbs => needed.push((operands[0], Form::Bits)),
        _ => {
            let form = if op.takes_floats() {
                Form::Float
            } else {
                Form::Bits
            };
            pool.for_each_child(id, |child| needed.push((child, form)));
        }
    }
}

/// The solver's operation for one that differs in name only.
fn kind(op: Op, width: u32) -> Kind {
    let truth = width == 1;
    match op {
        Op::Not if truth => Kind::Not,
        Op::And if truth => Kind::And,
        Op::Or if truth => Kind::Or,
        Op::Xor if truth => Kind::Xor,
        Op::Not => Kind::BitNot,
        Op::And => Kind::BitAnd,
        Op::Or => Kind::BitOr,
        Op::Xor => Kind::BitXor,
        Op::Neg => Kind::Neg,
        Op::Concat => Kind::Concat,
        Op::Add => Kind::Add,
        Op::Sub => Kind::Sub,
        Op::Mul => Kind::Mul,
        Op::UDiv => Kind::UDiv,
        Op::SDiv => Kind::SDiv,
        Op::URem => Kind::URem,
        Op::SRem => Kind::SRem,
        Op::Shl => Kind::Shl,
        Op::LShr => Kind::LShr,
        Op::AShr => Kind::AShr,
        Op::Ult => Kind::Ult,
        Op::Ule => Kind::Ule,
        Op::Slt => Kind::Slt,
        Op::Sle => Kind::Sle,
        Op::Eq => Kind::Equal,
        _ => Kind::Ite,
    }
}

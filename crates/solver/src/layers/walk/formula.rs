//! Constraints as formulas over relations: negations are pushed down to the relations, so that
//! each has a distance.
//!
//! The dissertation's algorithm takes conjunctions of relations; disjunctions and "not equal" are
//! left to its future work (section 5.8). Here a conjunction's distance is the sum of its
//! parts', a disjunction's the least.

use labrys_expr::{ExprId, Op, Pool};

/// How the two sides of an atom are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    AtMost,
    /// A side is not a number.
    Unordered,
    /// Both sides are numbers.
    Ordered,
}

/// How the bits of the two sides are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Signed,
    Unsigned,
    Float,
}

/// `left relation right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) relation: Relation,
    pub(super) domain: Domain,
    /// The relation holds too if a side is not a number.
    pub(super) or_unordered: bool,
    pub(super) left: ExprId,
    pub(super) right: ExprId,
}

/// A condition over atoms, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Atom(usize),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    /// Calls `visit` with every atom.
    pub(super) fn atoms(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Formula::Atom(number) => visit(*number),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| part.atoms(visit));
            }
        }
    }

    /// The atom, if the formula is a single one.
    pub(super) fn single(&self) -> Option<usize> {
        match self {
            Formula::Atom(number) => Some(*number),
            _ => None,
        }
    }
}

/// Nested operators that are looked into; what is below is one atom.
const DEEPEST: u32 = 24;
/// Atoms at most.
const MOST_ATOMS: usize = 2048;

/// Makes formulas.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    pub(super) list: Vec<Atom>,
}

impl Atoms {
    /// The formula of a one-bit expression; `None` if it has too many atoms.
    pub(super) fn formula(&mut self, pool: &Pool, condition: ExprId) -> Option<Formula> {
        let formula = self.build(pool, condition, true, 0);
        (self.list.len() <= MOST_ATOMS).then_some(formula)
    }

    fn build(&mut self, pool: &Pool, id: ExprId, positive: bool, depth: u32) -> Formula {
        let node = pool.node(id);
        let operands = node.operands();
        if depth > DEEPEST || self.list.len() > MOST_ATOMS {
            return self.truth(id, positive);
        }
        let deeper = depth + 1;
        match node.op() {
            Op::Not => self.build(pool, operands[0], !positive, deeper),
            Op::And | Op::Or => {
                let parts = [operands[0], operands[1]];
                let parts = parts.map(|part| self.build(pool, part, positive, deeper));
                join((node.op() == Op::And) == positive, parts)
            }
            Op::Ite => {
                let [c, a, b] = [operands[0], operands[1], operands[2]];
                let cases = [(c, a, true), (c, b, false)].map(|(c, value, holds)| {
                    let condition = self.build(pool, c, holds, deeper);
                    let value = self.build(pool, value, positive, deeper);
                    join(true, [condition, value])
                });
                join(false, cases)
            }
            Op::Eq | Op::Xor if pool.width(operands[0]) == 1 => {
                let same = (node.op() == Op::Eq) == positive;
                let cases = [true, false].map(|holds| {
                    let a = self.build(pool, operands[0], holds, deeper);
                    let b = self.build(pool, operands[1], holds == same, deeper);
                    join(true, [a, b])
                });
                join(false, cases)
            }
            op if op.is_predicate() => self.relation(op, operands[0], operands[1], positive),
            _ => self.truth(id, positive),
        }
    }

    fn relation(&mut self, op: Op, left: ExprId, right: ExprId, positive: bool) -> Formula {
        use Domain::{Float, Signed, Unsigned};
        use Relation::{AtMost, Equal, Less, NotEqual, Ordered, Unordered};
        let (domain, holds, fails) = match op {
            Op::Eq => (Signed, Equal, NotEqual),
            Op::Slt => (Signed, Less, AtMost),
            Op::Sle => (Signed, AtMost, Less),
            Op::Ult => (Unsigned, Less, AtMost),
            Op::Ule => (Unsigned, AtMost, Less),
            Op::FOeq => (Float, Equal, NotEqual),
            Op::FOlt => (Float, Less, AtMost),
            Op::FOle => (Float, AtMost, Less),
            _ => (Float, Unordered, Ordered),
        };
        let reversed = !positive && matches!(fails, Less | AtMost);
        self.add(Atom {
            relation: if positive { holds } else { fails },
            domain,
            or_unordered: !positive && domain == Float && holds != Unordered,
            left: if reversed { right } else { left },
            right: if reversed { left } else { right },
        })
    }

    /// Any other one-bit expression is 1, or is 0.
    fn truth(&mut self, id: ExprId, positive: bool) -> Formula {
        self.add(Atom {
            relation: Relation::Equal,
            domain: Domain::Unsigned,
            or_unordered: false,
            left: id,
            right: if positive {
                ExprId::TRUE
            } else {
                ExprId::FALSE
            },
        })
    }

    fn add(&mut self, atom: Atom) -> Formula {
        let number = self.list.iter().position(|known| *known == atom);
        Formula::Atom(number.unwrap_or_else(|| {
            self.list.push(atom);
            self.list.len() - 1
        }))
    }
}

/// All or any of two formulas, flat.
fn join(all: bool, parts: [Formula; 2]) -> Formula {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Formula::All(inner) if all => flat.extend(inner),
            Formula::Any(inner) if !all => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if all {
        Formula::All(flat)
    } else {
        Formula::Any(flat)
    }
}

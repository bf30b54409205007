//! A complete graph as a certificate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use labrys_expr::{ExprId, smtlib_term};
use labrys_program::{BranchId, Program};
use rustc_hash::FxHashMap;

use super::{CLAIM, FORMAT, UNIT, VERSION, names};
use crate::block::Location;
use crate::graph::Graph;
use crate::invariants::Invariants;
use crate::terms::Terms;

const OPENING: &str = "\
; A certificate of Labrys: an inductive invariant, a formula for each place that runs come to, or the
; functions that they may enter; and the branches that it shows unreachable. Check it by
; `labrys verify-proof`.
";

/// The certificate of a complete graph for branches that it does not come to; `None` where a formula
/// of the graph has no text: it has floats, or speaks of an object that is made anew.
pub(crate) fn write(
    terms: &Terms<'_>,
    graph: &Graph,
    invariants: &Invariants,
    claims: &[BranchId],
) -> Option<String> {
    let mut cubes: BTreeMap<Location, Vec<&[ExprId]>> = BTreeMap::new();
    for (_, state) in graph
        .states()
        .filter(|(_, state)| state.covered_by.is_none())
    {
        cubes.entry(state.location).or_default().push(&state.cube);
    }
    let mut text = opening(terms.program(), claims)?;
    if terms.is_unit() {
        let (_, first) = graph.states().next()?;
        let name = names::encoded(&terms.function(first.location.frame).name);
        let _ = writeln!(text, "(set-info {UNIT} \"{name}\")");
    }
    let _ = writeln!(text, "(set-logic QF_BV)");
    let mut writer = CertificateWriter {
        terms,
        texts: FxHashMap::default(),
        declared: BTreeSet::new(),
    };
    let mut definitions = String::new();
    for (location, cubes) in cubes {
        let name = names::location(terms, location);
        let facts = invariants.at(location);
        if facts.contains(&ExprId::FALSE) {
            // No run comes there.
            continue;
        }
        let invariant = writer.invariant(facts, &cubes)?;
        let _ = writeln!(definitions, "(define-fun |{name}| () Bool {invariant})");
    }
    for (name, width) in &writer.declared {
        let sort = match width {
            1 => "Bool".to_owned(),
            width => format!("(_ BitVec {width})"),
        };
        let _ = writeln!(text, "(declare-const |{name}| {sort})");
    }
    text.push_str(&definitions);
    Some(text)
}

/// How each certificate begins: what it is, and what it claims.
pub(super) fn opening(program: &Program, claims: &[BranchId]) -> Option<String> {
    let mut text = OPENING.to_owned();
    let _ = writeln!(text, "(set-info {VERSION} \"{FORMAT}\")");
    for claim in claims {
        let name = program.branch_name(*claim)?.replace('"', "\"\"");
        let _ = writeln!(text, "(set-info {CLAIM} \"{name}\")");
    }
    Some(text)
}

struct CertificateWriter<'t, 'p> {
    terms: &'t Terms<'p>,
    /// Of literals, which are those of many locations.
    texts: FxHashMap<ExprId, String>,
    /// Names and widths.
    declared: BTreeSet<(String, u32)>,
}

impl CertificateWriter<'_, '_> {
    /// Facts, and one of some cubes.
    fn invariant(&mut self, facts: &[ExprId], cubes: &[&[ExprId]]) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for fact in facts {
            parts.push(self.literal(*fact)?);
        }
        let cubes = cubes.iter().map(|cube| {
            let literals: Option<Vec<String>> = cube.iter().map(|id| self.literal(*id)).collect();
            Some(joined("and", "true", literals?))
        });
        let cubes: Vec<String> = cubes.collect::<Option<_>>()?;
        if !cubes.iter().any(|cube| cube == "true") {
            parts.push(joined("or", "false", cubes));
        }
        Some(joined("and", "true", parts))
    }

    fn literal(&mut self, id: ExprId) -> Option<String> {
        if let Some(known) = self.texts.get(&id) {
            return Some(known.clone());
        }
        let pool = self.terms.pool();
        for symbol in pool.symbols(id).iter() {
            let name = names::symbol(self.terms, symbol)?;
            self.declared.insert((name, symbol.width()));
        }
        let name = |symbol| names::symbol(self.terms, symbol).unwrap_or_default();
        let text = smtlib_term(pool, id, &|symbol| format!("|{}|", name(symbol)))?;
        self.texts.insert(id, text.clone());
        Some(text)
    }
}

/// Parts under a connective of any number of them.
fn joined(connective: &str, none: &str, mut parts: Vec<String>) -> String {
    match parts.len() {
        0 => none.to_owned(),
        1 => parts.remove(0),
        _ => format!("({connective}\n  {})", parts.join("\n  ")),
    }
}

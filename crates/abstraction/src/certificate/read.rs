//! The text of a certificate as formulas over the variables of an automaton.

use std::collections::BTreeMap;

use labrys_expr::{ExprId, Op, Pool, Rebuilt};
use labrys_program::{BranchId, FunctionId, Program};
use labrys_solver::smtlib::{self, Script, Sort};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{self, NameReader};
use super::{CLAIM, FORMAT, UNIT, VERSION};
use crate::automaton::Automaton;
use crate::block::Location;

/// A certificate in the terms of an automaton.
#[derive(Debug, Default)]
pub(super) struct Certificate {
    /// In the order of the text.
    pub(super) claims: Vec<BranchId>,
    /// By location; runs come to no other one.
    pub(super) invariants: BTreeMap<Location, ExprId>,
}

/// Reads a text.
///
/// # Errors
/// Why it is no certificate of any program.
pub(super) fn script(text: &str) -> Result<Script, String> {
    let script = smtlib::read(text).map_err(|error| error.to_string())?;
    match script.commands.is_empty() {
        true => Ok(script),
        false => Err("it has commands that no certificate has".to_owned()),
    }
}

/// Reads the formulas of a certificate.
///
/// # Errors
/// Why the text is none of the program.
pub(super) fn read(automaton: &mut Automaton<'_>, script: Script) -> Result<Certificate, String> {
    let claims = claims(automaton.terms.program(), &script)?;
    let mut reader = NameReader {
        entry: automaton.entry().frame,
        terms: &mut automaton.terms,
    };
    let mut replace: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut source = script.pool;
    for declaration in &script.declarations {
        let name = &declaration.name;
        let known = reader
            .symbol(name)
            .ok_or_else(|| format!("the program has no {name}"))?;
        let (width, sort) = (reader.terms.pool().width(known), declaration.sort);
        if sort.width() != width || sort.is_float() {
            return Err(format!("{name} has {width} bits"));
        }
        replace.insert(source.symbol(declaration.symbol), known);
    }
    let mut invariants = BTreeMap::new();
    let mut rebuilt = Rebuilt::new();
    for definition in &script.definitions {
        let name = &definition.name;
        let place = reader.location(name);
        let place = place.ok_or_else(|| format!("the program has no place {name}"))?;
        if definition.sort != Sort::Bool {
            return Err(format!("{name} is no condition"));
        }
        is_plain(&source, definition.value).map_err(|what| format!("{name} has {what}"))?;
        let pool = reader.terms.pool_mut();
        let own = pool.rebuild(
            Some(&source),
            definition.value,
            &mut rebuilt,
            &mut |_, id| replace.get(&id).copied(),
        );
        if invariants.insert(place, own).is_some() {
            return Err(format!("{name} stands there twice"));
        }
    }
    Ok(Certificate { claims, invariants })
}

/// The function that a certificate looks at by itself, if it does.
///
/// # Errors
/// Why the text is no certificate of the program.
pub(super) fn unit(program: &Program, script: &Script) -> Result<Option<FunctionId>, String> {
    let mut units = script.infos.iter().filter(|(key, _)| key == UNIT);
    let Some((_, name)) = units.next() else {
        return Ok(None);
    };
    if units.next().is_some() {
        return Err("it names two units".to_owned());
    }
    let id = names::decoded(name).and_then(|name| program.function_named(&name));
    let defined = id.filter(|id| program.function(*id).is_some_and(|one| one.defined));
    defined.map_or_else(
        || Err(format!("the program does not define {name}")),
        |id| Ok(Some(id)),
    )
}

/// The branches that a certificate claims.
///
/// # Errors
/// Why it is none of the program.
pub(super) fn claims(program: &Program, script: &Script) -> Result<Vec<BranchId>, String> {
    let versions = script.infos.iter().filter(|(key, _)| key == VERSION);
    let versions: Vec<&str> = versions.map(|(_, text)| text.as_str()).collect();
    if versions != [FORMAT] {
        return Err(format!("it is no certificate of format {FORMAT}"));
    }
    let names = script.infos.iter().filter(|(key, _)| key == CLAIM);
    let branches = (0..program.branch_count()).map(|at| BranchId(at as u32));
    let known = branches.filter_map(|branch| Some((program.branch_name(branch)?, branch)));
    let known: FxHashMap<String, BranchId> = known.collect();
    let claims = names.map(|(_, name)| {
        let branch = known.get(name).copied();
        branch.ok_or_else(|| format!("the program has no branch {name}"))
    });
    claims.collect()
}

/// Whether an expression is made of operations on bits alone.
fn is_plain(pool: &Pool, id: ExprId) -> Result<(), &'static str> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let op = pool.op(id);
        if op == Op::External {
            return Err("functions");
        }
        if op.takes_floats() || op.gives_float() {
            return Err("floats");
        }
        pool.for_each_child(id, |child| stack.push(child));
    }
    Ok(())
}

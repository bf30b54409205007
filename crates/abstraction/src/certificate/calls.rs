//! Certificates of branches in functions that no calls lead to: a set of functions that runs do not
//! leave.
//!
//! ```text
//! (set-info :labrys-certificate "1")
//! (set-info :unreachable "a.c:9:7 s3 direction 1")
//! (set-info :entered "main")                              a function that runs may enter
//! ```
//!
//! The set is closed: the function in which runs begin is in it, and so is what code outside of the
//! program may call and what a call of a function of the set may enter. It asks no solver, and it
//! stands whatever else is not known of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, Function, FunctionId, Program};
use labrys_solver::smtlib::Script;

use super::verdict::Verdict;
use super::write::opening;
use super::{ENTERED, names};

/// The open branches of functions that no calls lead to, and their certificate.
pub fn uncalled(
    analysis: &ProgramAnalysis<'_>,
    open: impl Iterator<Item = BranchId>,
) -> Option<(Vec<BranchId>, String)> {
    let program = analysis.program();
    let is_uncalled = |branch: &BranchId| {
        let site = program.branch_site(*branch);
        let site = site.and_then(|(site, _)| program.site(site));
        site.is_some_and(|site| analysis.depth(site.function).is_none())
    };
    let claims: Vec<BranchId> = open.filter(is_uncalled).collect();
    if claims.is_empty() {
        return None;
    }
    let mut text = opening(program, &claims)?;
    for (id, function) in defined(program) {
        if analysis.depth(id).is_some() {
            let name = names::encoded(&function.name);
            let _ = writeln!(text, "(set-info {ENTERED} \"{name}\")");
        }
    }
    Some((claims, text))
}

/// The functions of a text; none if it is a certificate of another kind.
///
/// # Errors
/// Why it is none of the program.
pub(super) fn read(program: &Program, script: &Script) -> Result<BTreeSet<FunctionId>, String> {
    let entered = script.infos.iter().filter(|(key, _)| key == ENTERED);
    let function = |name: &str| program.function_named(&names::decoded(name)?);
    let entered = entered.map(|(_, name)| {
        let id = function(name);
        id.ok_or_else(|| format!("the program has no function {name}"))
    });
    let entered: BTreeSet<FunctionId> = entered.collect::<Result<_, String>>()?;
    let has_more = script.infos.iter().any(|(key, _)| key == super::UNIT)
        || !(script.definitions.is_empty() && script.declarations.is_empty());
    match has_more && !entered.is_empty() {
        true => Err("it has a set of functions beside formulas".to_owned()),
        false => Ok(entered),
    }
}

/// What a set of functions shows.
pub(super) fn judge(
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
    entered: &BTreeSet<FunctionId>,
    claims: &[BranchId],
) -> BTreeMap<BranchId, Verdict> {
    let closed = is_closed(analysis, entry, entered);
    let program = analysis.program();
    let verdict = |claim: BranchId| match &closed {
        Err(why) => Verdict::Refused(why.clone()),
        Ok(()) if entered.iter().any(|id| is_of(program, claim, *id)) => {
            Verdict::Refused("runs may enter its function".to_owned())
        }
        Ok(()) => Verdict::Checked,
    };
    claims
        .iter()
        .map(|claim| (*claim, verdict(*claim)))
        .collect()
}

/// Whether runs do not leave a set of functions.
fn is_closed(
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
    entered: &BTreeSet<FunctionId>,
) -> Result<(), String> {
    let name = |id: FunctionId| &analysis.function(id).name;
    if !entered.contains(&entry) {
        return Err(format!("runs begin in {}", name(entry)));
    }
    for (id, function) in defined(analysis.program()) {
        if analysis.is_called_from_outside(id) && !entered.contains(&id) {
            return Err(format!(
                "code outside of the program may call {}",
                function.name
            ));
        }
    }
    for caller in entered {
        let calls = analysis.calls().calls_in(*caller).iter();
        for callee in calls.flat_map(|call| analysis.calls().callees(call)) {
            if analysis.function(*callee).defined && !entered.contains(callee) {
                return Err(format!("{} may call {}", name(*caller), name(*callee)));
            }
        }
    }
    Ok(())
}

/// The functions that a program defines.
fn defined(program: &Program) -> impl Iterator<Item = (FunctionId, &Function)> {
    let functions = program.functions.iter().enumerate();
    functions
        .filter(|(_, function)| function.defined)
        .map(|(index, function)| (FunctionId::new(index), function))
}

/// Whether a branch is one of a function.
pub(super) fn is_of(program: &Program, branch: BranchId, function: FunctionId) -> bool {
    let site = program.branch_site(branch);
    let site = site.and_then(|(site, _)| program.site(site));
    site.is_some_and(|site| site.function == function)
}

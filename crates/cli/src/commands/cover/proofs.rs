//! Proofs for functions as entries: the branches that no run of a driver takes, because of the numbers
//! that values may be. One analysis of the program with all drivers serves every function.

use labrys_analysis::ProgramAnalysis;
use labrys_engine::Session;
use labrys_program::{BranchId, Program};
use labrys_suite::Coverage;

use crate::output::problem::Problem;

/// On what the proofs rest.
pub(super) const ASSUMPTION: &str =
    "accesses of memory stay inside objects, for the branches that are proved";

/// The branches that no run takes; none where the program has what no proof covers.
pub(super) fn impossible(program: &Program) -> Coverage {
    let main = program.function_named("main");
    let Some(main) = main.filter(|id| program.functions[id.index()].defined) else {
        return Coverage::default();
    };
    let analysis = ProgramAnalysis::new(program, main);
    let branches = analysis.impossible_branches().branches.iter();
    branches.copied().collect()
}

/// Books the open branches of a session that are among these.
pub(super) fn book(session: &mut Session, impossible: &Coverage) -> Result<(), Problem> {
    let program = session.program().clone();
    let open: Vec<BranchId> = session.unseen().iter().collect();
    for branch in open.into_iter().filter(|one| impossible.contains(*one)) {
        if let Some(name) = program.branch_name(branch) {
            session.prove_by(&name, Some(branch), None)?;
        }
    }
    Ok(())
}

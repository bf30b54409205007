//! `labrys verify-proof`: checks again what a suite says is unreachable, by a second solver.
//!
//! Invariant: it uses the certificates and the program alone, and writes nothing into the suite.

mod witness;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use labrys_abstraction::{Verdict, Verification};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, FunctionId, Program};
use labrys_solver::plain::{Bitwuzla, Decide, Recorder, Z3};
use labrys_suite::{Confirmation, Suite, TargetStatus};
use serde_json::{Value, json};

use self::witness::LoopInvariants;
use crate::output::console::print_line;
use crate::output::problem::{Problem, status};
use crate::output::progress::Counter;
use crate::wiring::backward::main_function;
use crate::wiring::build::Builder;
use crate::wiring::subject::{Stock, own_program, same_subject};
use crate::wiring::values::duration;

const ABOUT: &str = "Check what a suite says is unreachable, by a second solver";

const LONG: &str = "\
Checks each branch that a suite says is unreachable: by the certificates in SUITE/proofs, the model
of the program, and a second solver, without the code that made the proofs.

A certificate is an inductive invariant. It is checked that it holds where runs begin, that every
step of the program keeps it, and that it excludes the branch: each by queries of their own.

  checked                        each query was answered by unsat
  not checked                    the solver gave up a query
  not independently checkable    the proof has no certificate, as those of backward execution and
                                 of the analysis of values
  REFUSED                        the certificate does not show it";

const EXAMPLES: &str = "\
Examples:
  labrys cover program.c --abstraction --out suite
  labrys verify-proof suite                        check it, by Z3 if it is installed
  labrys verify-proof suite --solver bitwuzla
  labrys verify-proof suite --queries queries      keep the queries, for any other solver
  labrys verify-proof suite --witness witness.yml  for the validators of SV-COMP

Exit status: 0 all are checked or have no certificate, 1 some are refused or not checked, 2 wrong
use, 3 the program or the solver cannot be used, 5 the queries cannot be written.";

/// Options of `labrys verify-proof`.
#[derive(Args, Debug)]
#[command(about = ABOUT, long_about = LONG, after_help = EXAMPLES)]
pub(crate) struct VerifyProof {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,

    /// Where the program of the suite is now
    #[arg(long, value_name = "EXE")]
    pub(crate) program: Option<PathBuf>,

    /// Who answers the queries [default: z3 if it is installed, else bitwuzla]
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) solver: Option<Which>,

    /// A query that takes longer is not answered
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout_solver: Duration,

    /// Write each query to this folder, as an SMT-LIB script
    #[arg(long, value_name = "DIR")]
    pub(crate) queries: Option<PathBuf>,

    /// Write what holds at loops to this file, as a correctness witness of SV-COMP
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,

    /// The property that the witness is for
    #[arg(long, value_name = "TEXT", requires = "witness", default_value = witness::UNREACH_CALL)]
    pub(crate) specification: String,

    /// Print only the numbers
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A second solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// The command z3
    Z3,
    /// Bitwuzla, without the layers of Labrys
    Bitwuzla,
}

/// What is said of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ClaimStatus {
    Checked,
    NotChecked(String),
    NotCheckable(String),
    Refused(String),
}

impl ClaimStatus {
    fn word(&self) -> &'static str {
        match self {
            ClaimStatus::Checked => "checked",
            ClaimStatus::NotChecked(_) => "not checked",
            ClaimStatus::NotCheckable(_) => "not independently checkable",
            ClaimStatus::Refused(_) => "REFUSED",
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            ClaimStatus::Checked => None,
            ClaimStatus::NotChecked(reason)
            | ClaimStatus::NotCheckable(reason)
            | ClaimStatus::Refused(reason) => Some(reason),
        }
    }
}

/// A claim, the certificate that is to show it, and what came out.
#[derive(Debug)]
struct Claim {
    name: String,
    proof: Option<String>,
    status: ClaimStatus,
}

/// Does what the command says; the exit status.
pub(crate) fn verify_proof(options: &VerifyProof) -> Result<u8, Problem> {
    let suite = Suite::open(&options.suite)?;
    let (mut solver, solver_name) = solver(options)?;
    let files = match &options.program {
        Some(program) => vec![program.clone()],
        None => own_program(&options.suite, &suite.config),
    };
    let remedy = "name the build with --program";
    let subject = same_subject(&suite.config, &files, remedy, &Builder::waiting(true))?;
    let program = &subject.program;
    let entry = main_function(program, "no proof of it can be checked")?;
    let mut loops = LoopInvariants::default();
    if options.witness.is_some() {
        loops.source = Stock::of(&subject)?.source()?;
    }
    let analysis = ProgramAnalysis::new(program, entry);
    let mut checker = ClaimChecker {
        analysis: &analysis,
        entry,
        options,
        solver: &mut *solver,
        queries: 0,
        loops: &mut loops,
    };
    let claims = checker.claims(&suite);
    let queries = checker.queries;
    tell(options, &claims, &solver_name, queries)?;
    if let Some(path) = &options.witness {
        loops.write(options, path, &claims, (&analysis, entry))?;
    }
    if let Some(loss) = solver.loss() {
        return Err(Problem::unwritable(format!(
            "{loss}; the claims are checked as above, the queries are not all kept"
        )));
    }
    let is_fine = |claim: &Claim| {
        matches!(
            claim.status,
            ClaimStatus::Checked | ClaimStatus::NotCheckable(_)
        )
    };
    Ok(match claims.iter().all(is_fine) {
        true => status::DONE,
        false => status::FAILURES,
    })
}

/// The second solver, and its name.
fn solver(options: &VerifyProof) -> Result<(Box<dyn Decide>, String), Problem> {
    let z3 = match options.solver {
        Some(Which::Bitwuzla) => None,
        Some(Which::Z3) => Some(Z3::find(options.timeout_solver).ok_or_else(|| {
            Problem::program(
                "there is no command z3; install the package z3, or leave out --solver",
            )
        })?),
        None => Z3::find(options.timeout_solver),
    };
    let (solver, name): (Box<dyn Decide>, String) = match z3 {
        Some(z3) => {
            let name = z3.path().display().to_string();
            (Box::new(z3), name)
        }
        None => {
            let bitwuzla = Bitwuzla::find(options.timeout_solver).map_err(Problem::program)?;
            (Box::new(bitwuzla), "bitwuzla".to_owned())
        }
    };
    let Some(folder) = &options.queries else {
        return Ok((solver, name));
    };
    let recorder = Recorder::new(solver, folder);
    let recorder = recorder.map_err(|error| Problem::unwritten(folder, &error))?;
    Ok((Box::new(recorder), name))
}

/// Checks the claims of a suite.
struct ClaimChecker<'a> {
    analysis: &'a ProgramAnalysis<'a>,
    entry: FunctionId,
    options: &'a VerifyProof,
    solver: &'a mut dyn Decide,
    queries: u64,
    loops: &'a mut LoopInvariants,
}

/// What the certificates of a suite show: by certificate, verdicts by branch, or why it is none.
type Shown<'a> = BTreeMap<&'a str, Result<BTreeMap<BranchId, Verdict>, String>>;

impl ClaimChecker<'_> {
    fn claims(&mut self, suite: &Suite) -> Vec<Claim> {
        let mut shown: Shown<'_> = BTreeMap::new();
        for (path, text) in &suite.proofs {
            let verdicts = self.check(path, text);
            shown.insert(path, verdicts);
        }
        let mut claims = self.of_summary(suite, &shown);
        let mut listed: BTreeSet<String> = claims.iter().map(|claim| claim.name.clone()).collect();
        // Those that a killed process had no time to list.
        for (path, verdicts) in &shown {
            for branch in verdicts.iter().flatten().map(|(branch, _)| *branch) {
                let name = self.program().branch_name(branch).unwrap_or_default();
                if listed.insert(name.clone()) {
                    claims.push(self.claim(suite, &shown, name, Some(path)));
                }
            }
            if let (Err(_), false) = (
                verdicts,
                claims
                    .iter()
                    .any(|claim| claim.proof.as_deref() == Some(*path)),
            ) {
                claims.push(self.claim(suite, &shown, (*path).to_owned(), Some(path)));
            }
        }
        claims
    }

    /// Checks a certificate.
    fn check(&mut self, path: &str, text: &str) -> Result<BTreeMap<BranchId, Verdict>, String> {
        let mut verification = Verification::new(self.analysis, self.entry, text)?;
        let counter = Counter::new(self.options.quiet, path);
        while verification.step(self.solver) {
            let (done, all) = verification.progress();
            counter.show(done, all);
        }
        self.queries += verification.queries();
        self.loops.note(path, &mut verification);
        Ok(verification.verdicts())
    }

    fn program(&self) -> &Program {
        self.analysis.program()
    }

    fn of_summary(&self, suite: &Suite, shown: &Shown<'_>) -> Vec<Claim> {
        let targets = suite.summary.iter().flat_map(|summary| &summary.targets);
        let claimed = targets.filter(|target| target.status == TargetStatus::Unreachable);
        claimed
            .map(|target| {
                self.claim(
                    suite,
                    shown,
                    target.location.clone(),
                    target.proof.as_deref(),
                )
            })
            .collect()
    }

    fn claim(&self, suite: &Suite, shown: &Shown<'_>, name: String, proof: Option<&str>) -> Claim {
        let status = self.status(suite, shown, &name, proof);
        Claim {
            name,
            proof: proof.map(str::to_owned),
            status,
        }
    }

    fn status(
        &self,
        suite: &Suite,
        shown: &Shown<'_>,
        name: &str,
        proof: Option<&str>,
    ) -> ClaimStatus {
        let branch = branch_named(self.program(), name);
        if let Some(test) = branch.and_then(|branch| taking(suite, branch)) {
            return ClaimStatus::Refused(format!("test {test:06} of the suite takes it"));
        }
        let Some(proof) = proof else {
            let reason = "backward execution or values, which leave no certificate, or formulas without a text";
            return ClaimStatus::NotCheckable(reason.to_owned());
        };
        let verdicts = match shown.get(proof) {
            Some(Ok(verdicts)) => verdicts,
            Some(Err(reason)) => return ClaimStatus::Refused(format!("{proof}: {reason}")),
            None => return ClaimStatus::Refused(format!("there is no {proof}")),
        };
        match branch.and_then(|branch| verdicts.get(&branch)) {
            Some(Verdict::Checked) => ClaimStatus::Checked,
            Some(Verdict::NotChecked(reason)) => {
                ClaimStatus::NotChecked(format!("{proof}: {reason}"))
            }
            Some(Verdict::Refused(reason)) => ClaimStatus::Refused(format!("{proof}: {reason}")),
            None => ClaimStatus::Refused(format!("{proof} does not claim it")),
        }
    }
}

/// The branch with a name.
fn branch_named(program: &Program, name: &str) -> Option<BranchId> {
    let mut branches = (0..program.branch_count()).map(|at| BranchId(at as u32));
    branches.find(|branch| program.branch_name(*branch).as_deref() == Some(name))
}

/// A confirmed test of a suite that takes a branch.
fn taking(suite: &Suite, branch: BranchId) -> Option<u32> {
    let mut cases = suite.cases.iter();
    let takes = |case: &&labrys_suite::TestCase| {
        case.confirmed == Confirmation::Confirmed && case.coverage.contains(branch)
    };
    cases.find(takes).map(|case| case.id)
}

fn tell(
    options: &VerifyProof,
    claims: &[Claim],
    solver: &str,
    queries: u64,
) -> Result<(), Problem> {
    let count = |word: &str| {
        claims
            .iter()
            .filter(|claim| claim.status.word() == word)
            .count()
    };
    let words = [
        "checked",
        "not checked",
        "not independently checkable",
        "REFUSED",
    ];
    let counts = words.map(|word| (word, count(word)));
    if options.json {
        let record = |claim: &Claim| {
            json!({
                "claim": claim.name,
                "certificate": claim.proof,
                "status": claim.status.word().to_lowercase(),
                "reason": claim.status.reason(),
            })
        };
        let records: Vec<Value> = claims.iter().map(record).collect();
        let mut text = json!({ "solver": solver, "queries": queries, "claims": records });
        for (word, count) in counts {
            text[word.to_lowercase().replace(' ', "_")] = json!(count);
        }
        let text = serde_json::to_string_pretty(&text).map_err(Problem::internal)?;
        return print_line(text);
    }
    if !options.quiet {
        for claim in claims {
            let reason = claim.status.reason().map(|reason| format!(" ({reason})"));
            print_line(format_args!(
                "{} {}{}",
                claim.name,
                claim.status.word(),
                reason.unwrap_or_default()
            ))?;
        }
    }
    let counts = counts.map(|(word, count)| format!("{count} {}", word.to_lowercase()));
    print_line(format_args!(
        "{}; {queries} queries to {solver}",
        counts.join(", ")
    ))
}

//! SMT-LIB scripts, and certificates, which are some.

use std::sync::LazyLock;

use labrys_abstraction::{Checker, Found, Verification, uncalled};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, FunctionId, Program};
use labrys_solver::plain::{Decide, Reply};
use labrys_solver::smtlib;

use crate::Reader;

/// What `labrys solve` and certificates are read from.
pub(crate) const SCRIPT: Reader = Reader {
    name: "smtlib",
    read: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let read = smtlib::read(&text);
        let (_, broken) = smtlib::read_partly(&text);
        assert_eq!(read.is_err(), broken.is_some(), "{text}");
        read.is_ok()
    },
    examples: || {
        let scripts = [
            include_str!("../examples/bits.smt2"),
            include_str!("../examples/floats.smt2"),
        ];
        scripts.map(|text| text.as_bytes().to_vec()).into()
    },
};

/// What `labrys verify-proof` checks.
pub(crate) const CERTIFICATE: Reader = Reader {
    name: "certificate",
    read: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let accepts = |(analysis, entry): &(ProgramAnalysis<'_>, FunctionId)| {
            let verification = Verification::new(analysis, *entry, &text);
            verification.is_ok_and(|mut verification| {
                while !verification.step(&mut Believer) {}
                !verification.verdicts().is_empty()
            })
        };
        // Every program meets the text.
        SUBJECTS.iter().filter(|subject| accepts(subject)).count() > 0
    },
    examples: || SUBJECTS.iter().flat_map(certificates).collect(),
};

/// Shows everything without asking.
struct Believer;

impl Decide for Believer {
    fn decide(&mut self, _script: &str) -> Reply {
        Reply::Unsat
    }
}

/// Programs whose certificates are read, with where runs begin.
static SUBJECTS: LazyLock<Vec<(ProgramAnalysis<'static>, FunctionId)>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../backward/tests/programs/loop_invariant.lir"),
        include_str!("../../backward/tests/programs/uncalled.lir"),
    ];
    let programs = texts.iter().filter_map(|text| text.parse().ok());
    programs
        .filter_map(|program: Program| {
            let program: &'static Program = Box::leak(Box::new(program));
            let entry = program.function_named("main")?;
            Some((ProgramAnalysis::new(program, entry), entry))
        })
        .collect()
});

/// Steps of the model checker at most.
const STEPS: usize = 2000;

/// What the model checker shows of a program.
fn certificates((analysis, entry): &(ProgramAnalysis<'static>, FunctionId)) -> Vec<Vec<u8>> {
    let all = || (0..analysis.program().branch_count()).map(BranchId::new);
    let mut texts: Vec<String> = uncalled(analysis, all())
        .map(|(_, text)| text)
        .into_iter()
        .collect();
    let checker = Checker::new(analysis, *entry, all());
    if let (Ok(mut checker), Ok(mut solver)) = (checker, labrys_solver::solver()) {
        for _ in 0..STEPS {
            match checker.step(&mut solver) {
                Found::Done => break,
                Found::Unreachable(branches) => texts.extend(checker.certificate(&branches)),
                _ => {}
            }
        }
    }
    texts.into_iter().map(String::into_bytes).collect()
}

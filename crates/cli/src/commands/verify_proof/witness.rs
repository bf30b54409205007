//! `labrys verify-proof --witness`: what checked certificates say at loops, for the validators of
//! SV-COMP.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use labrys_abstraction::{Verification, reached};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{FunctionId, Source, SourceLoop};
use labrys_suite::{LoopInvariant, Witness};

use super::{Claim, ClaimStatus, VerifyProof, branch_named};
use crate::output::console::print_line;
use crate::output::problem::{Problem, status};

/// No run calls `reach_error`.
pub(super) const UNREACH_CALL: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

/// What certificates say at the loops of a source.
#[derive(Debug, Default)]
pub(super) struct LoopInvariants {
    /// Nothing, if no witness is asked for.
    pub(super) source: Source,
    /// By certificate, an invariant of each loop.
    found: BTreeMap<String, Vec<Option<String>>>,
}

impl LoopInvariants {
    /// Notes what a certificate says that was checked.
    pub(super) fn note(&mut self, path: &str, verification: &mut Verification<'_>) {
        let invariants = verification.loop_invariants(&self.source.loops);
        self.found.insert(path.to_owned(), invariants);
    }

    /// Writes a witness, if the claims show its property.
    pub(super) fn write(
        &self,
        options: &VerifyProof,
        path: &Path,
        claims: &[Claim],
        (analysis, entry): (&ProgramAnalysis<'_>, FunctionId),
    ) -> Result<(), Problem> {
        holds(&options.specification, claims, analysis, entry)?;
        let files = Files::read(&self.source)?;
        let witness = Witness {
            specification: options.specification.clone(),
            invariants: self.invariants(&files, claims),
            created: created(&options.suite),
            files: files.named(),
        };
        std::fs::write(path, witness.to_yaml())
            .map_err(|error| Problem::unwritten(path, &error))?;
        if options.json || options.quiet {
            return Ok(());
        }
        let count = witness.invariants.len();
        let path = path.display();
        print_line(format_args!(
            "{count} invariants of loops are written to {path}"
        ))
    }

    fn invariants(&self, files: &Files, claims: &[Claim]) -> Vec<LoopInvariant> {
        let with = |wanted: fn(&ClaimStatus) -> bool| -> BTreeSet<&str> {
            let claims = claims.iter().filter(|claim| wanted(&claim.status));
            claims.filter_map(|claim| claim.proof.as_deref()).collect()
        };
        let checked = with(|status| *status == ClaimStatus::Checked);
        let refused = with(|status| matches!(status, ClaimStatus::Refused(_)));
        // A text that is compiled twice is several loops, which an invariant of one says nothing of.
        let mut times: BTreeMap<_, usize> = BTreeMap::new();
        let place = |one: &SourceLoop| (one.file.clone(), one.line, one.column);
        for one in &self.source.loops {
            *times.entry(place(one)).or_default() += 1;
        }
        let mut all = BTreeSet::new();
        for path in checked.difference(&refused) {
            let invariants = self.found.get(*path).into_iter().flatten();
            let loops = self.source.loops.iter().zip(invariants);
            for (one, value) in loops.filter(|(one, _)| times[&place(one)] == 1) {
                if let (Some(file), Some(value)) = (files.of_loop(one), value) {
                    let function = one.function_name.as_str();
                    all.insert((file, one.line, one.column, function, value));
                }
            }
        }
        let all = all.into_iter();
        all.map(|(file, line, column, function, value)| LoopInvariant {
            file,
            line,
            column,
            function: function.to_owned(),
            value: value.clone(),
        })
        .collect()
    }
}

/// Whether the checked claims show a property, as far as that is known: it says that a function is
/// never called.
fn holds(
    specification: &str,
    claims: &[Claim],
    analysis: &ProgramAnalysis<'_>,
    entry: FunctionId,
) -> Result<(), Problem> {
    let words: String = specification.split_whitespace().collect();
    let rest = words.strip_prefix("CHECK(init(main()),LTL(G!call(");
    let Some(name) = rest.and_then(|rest| rest.strip_suffix("())))")) else {
        return Ok(());
    };
    let program = analysis.program();
    let Some(function) = program.function_named(name) else {
        return Err(Problem::usage(format!(
            "the program has no function {name}, which the property of the witness is about; name the \
             property that the witness is for by --specification"
        )));
    };
    let checked = claims
        .iter()
        .filter(|claim| claim.status == ClaimStatus::Checked);
    let untaken = checked.filter_map(|claim| branch_named(program, &claim.name));
    let untaken: BTreeSet<_> = untaken.collect();
    match reached(analysis, entry, &untaken).contains(&function) {
        false => Ok(()),
        true => Err(Problem {
            text: format!(
                "no witness is written: the checked certificates do not show that no run calls {name}, \
                 and claims without a certificate do not count; search longer, by labrys cover \
                 --abstraction --resume, or name another property by --specification"
            ),
            status: status::FAILURES,
        }),
    }
}

/// When a witness was made: at `SOURCE_DATE_EPOCH` if that is set, else when the suite was begun.
fn created(suite: &Path) -> SystemTime {
    let epoch = std::env::var("SOURCE_DATE_EPOCH").ok();
    let epoch = epoch.and_then(|seconds| seconds.parse().ok());
    let begun = || std::fs::metadata(suite.join("config.json")).and_then(|about| about.modified());
    match epoch {
        Some(seconds) => UNIX_EPOCH + Duration::from_secs(seconds),
        None => begun().unwrap_or(UNIX_EPOCH),
    }
}

/// The source files of a program.
struct Files {
    /// The folder that all are in.
    folder: PathBuf,
    bytes: BTreeMap<PathBuf, Vec<u8>>,
}

impl Files {
    fn read(source: &Source) -> Result<Self, Problem> {
        let mut bytes = BTreeMap::new();
        for path in source.files.iter().map(PathBuf::from) {
            let text = std::fs::read(&path).map_err(|error| {
                Problem::program(format!(
                    "cannot read {}, whose hash is a part of the witness: {error}; put the file \
                     back, or build from a preprocessed file without line markers",
                    path.display()
                ))
            })?;
            bytes.insert(path, text);
        }
        let mut folders = bytes.keys().filter_map(|path| path.parent());
        let first = folders.next().ok_or_else(|| {
            Problem::program(
                "the program has no debug information, which tells the variables of a witness; build \
                 it with -g",
            )
        })?;
        let inside = |folder: &&Path| bytes.keys().all(|path| path.starts_with(folder));
        let folder = first
            .ancestors()
            .find(inside)
            .unwrap_or(first)
            .to_path_buf();
        Ok(Files { folder, bytes })
    }

    /// The name of a file: its path in the folder.
    fn name(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.folder).unwrap_or(path);
        path.display().to_string()
    }

    fn named(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.bytes.iter();
        files
            .map(|(path, bytes)| (self.name(path), bytes.clone()))
            .collect()
    }

    /// The name of the file of a loop, if the loop stands there and no macro made it.
    fn of_loop(&self, one: &SourceLoop) -> Option<String> {
        let path = Path::new(&one.file);
        let mut lines = self.bytes.get(path)?.split(|byte| *byte == b'\n');
        let line = lines.nth(one.line.checked_sub(1)? as usize)?;
        let at = line.get(one.column.checked_sub(1)? as usize..)?;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = at.iter().take_while(|byte| is_name(byte)).count();
        let is_loop = matches!(&at[..length], b"for" | b"while");
        is_loop.then(|| self.name(path))
    }
}
